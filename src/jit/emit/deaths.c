/* SPDX-License-Identifier: Apache-2.0 */
/* deaths.c - which registers live while a block is emitted. */
#include <string.h>

#include "jit/emit/control.h"

static void
note_death(sw_jit_emit *e, sw_reg reg, bool is_result)
{
    uint64_t bit = (uint64_t)1 << (reg % 64);
    if (!(e->f.scan[reg / 64] & bit))
        *(sw_jit_death *)sw_vec_push(&e->b.deaths) =
            (sw_jit_death){e->at.index, reg, is_result};
}

static void
scan_result(void *data, sw_reg reg)
{
    note_death(data, reg, true);
}

static void
scan_read(void *data, sw_reg reg)
{
    sw_jit_emit *e = data;
    note_death(e, reg, false);
    e->f.scan[reg / 64] |= (uint64_t)1 << (reg % 64);
}

static void
scan_write(void *data, sw_reg reg)
{
    sw_jit_emit *e = data;
    e->f.scan[reg / 64] &= ~((uint64_t)1 << (reg % 64));
}

static void
come_alive(void *data, sw_reg reg)
{
    sw_jit_emit *e = data;
    e->f.now[reg / 64] |= (uint64_t)1 << (reg % 64);
}

void
sw_jit_find_deaths(sw_jit_emit *e, uint32_t b)
{
    const sw_block *block = e->plan->fn->blocks[b];
    size_t bytes = e->plan->live->words * sizeof *e->f.now;
    memcpy(e->f.now, e->plan->live->in + b * e->plan->live->words, bytes);
    memcpy(e->f.scan, e->plan->live->out + b * e->plan->live->words, bytes);
    sw_vec_clear(&e->b.deaths);
    for (uint32_t i = block->count; i-- > 0;) {
        const sw_ins *ins = block->ins[i];
        e->at.index = e->plan->first_ins[b] + i;
        sw_ins_visit_writes(ins, scan_result, e);
        if (!ins->guard)
            sw_ins_visit_writes(ins, scan_write, e);
        sw_ins_visit_reads(ins, scan_read, e);
    }
}

static void
bury(sw_jit_emit *e, bool results)
{
    while (e->b.deaths.count) {
        const sw_jit_death *d = sw_vec_at(&e->b.deaths, e->b.deaths.count - 1);
        if (d->ins != e->at.index || d->is_result != results)
            break;
        e->f.now[d->reg / 64] &= ~((uint64_t)1 << (d->reg % 64));
        e->b.deaths.count--;
    }
}

void
sw_jit_step_over(sw_jit_emit *e, const sw_ins *ins)
{
    bury(e, false);
    sw_ins_visit_writes(ins, come_alive, e);
    bury(e, true);
}
