/* SPDX-License-Identifier: Apache-2.0 */
/* counter_sums.c - see counter_sums.h. */
#include "watch/counter_sums.h"

enum { LANES = 32 };

static void
add_row(const sw_counter_row *row, uint64_t n, sw_counter_sums *s)
{
    switch ((sw_counter_kind)row->kind) {
    case SW_COUNTER_WARPS:
        s->inst += n;
        s->active += LANES * n;
        break;
    case SW_COUNTER_RUNS:
        s->inst += n;
        break;
    case SW_COUNTER_LANES:
        s->active += n;
        break;
    case SW_COUNTER_BACK_RUNS:
        s->inst -= n;
        break;
    case SW_COUNTER_BACK_LANES:
        s->active -= n;
        break;
    case SW_COUNTER_ON:
        s->on += n;
        break;
    case SW_COUNTER_OFF:
        s->off += n;
        break;
    case SW_COUNTER_TAKEN:
        s->taken += n;
        break;
    case SW_COUNTER_DIVERGENT:
        s->divergent += n;
        break;
    case SW_COUNTER_BLOCKS:
        break;
    }
}

/* What follows from the instruction. */
static void
complete(const sw_ins *ins, sw_counter_sums *s)
{
    bool is_branch = ins->op == SW_OP_BRA;
    if (!ins->guard || is_branch)
        s->on = s->active;
    if (!is_branch)
        return;
    if (!ins->guard)
        s->taken = s->inst;
    s->targets = s->inst + s->divergent;
}

uint64_t
sw_counter_add(const sw_counter_table *table, const uint64_t *slots,
               sw_counter_sums *sums)
{
    const sw_fn *fn = table->kernel;
    uint64_t blocks = 0;
    for (uint32_t r = 0; r < table->row_count; r++) {
        const sw_counter_row *row = &table->rows[r];
        uint64_t n = slots[row->slot];
        for (uint32_t i = 0; n && i < row->count; i++)
            add_row(row, n, &sums[row->ins + i]);
        if (row->kind == SW_COUNTER_BLOCKS)
            blocks += n;
    }
    for (uint32_t b = 0, at = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            complete(fn->blocks[b]->ins[i], &sums[at++]);
    return blocks;
}

/* Those of one mask, in slots from `first` on. */
static void
walk_starts(const uint64_t *slots, const sw_counter_access *a, uint32_t mask,
            uint32_t first, sw_counter_each *each, void *arg)
{
    const uint64_t somewhere = (uint64_t)1 << 46;
    for (uint32_t from = 0; from < SW_COUNTER_PERIOD / a->bytes; from++) {
        uint64_t n = slots[first + from], addr[LANES];
        if (!n)
            continue;
        for (int i = 0; i < LANES; i++) {
            unsigned g = a->group[i];
            addr[i] = somewhere + from * a->bytes + (uint64_t)a->at[i];
            if (g)
                addr[i] += slots[a->strides + g - 1] ^ SW_COUNTER_STRIDE;
        }
        each(arg, a, addr, mask, n);
    }
}

void
sw_counter_accesses(const sw_counter_table *table, const uint64_t *slots,
                    sw_counter_each *each, void *arg)
{
    for (uint32_t k = 0; k < table->access_count; k++) {
        const sw_counter_access *a = &table->accesses[k];
        uint32_t first = a->first;
        walk_starts(slots, a, UINT32_MAX, first, each, arg);
        for (uint32_t m = 0; m < a->mask_count; m++) {
            uint32_t word = m * a->mask_words + a->mask_word;
            uint64_t two = slots[a->masks + word / 2];
            uint32_t mask = (uint32_t)(word % 2 ? two >> 32 : two);
            first += (uint32_t)(SW_COUNTER_PERIOD / a->bytes);
            if (mask)
                walk_starts(slots, a, mask, first, each, arg);
        }
    }
}
