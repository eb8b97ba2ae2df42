/* SPDX-License-Identifier: Apache-2.0 */
/* partitions.c - see partitions.h. */
#include "watch/partitions.h"

enum {
    MAX_PARTITIONS = 8, /* of GT200; G80 has six */
    MAX_WINDOW = 256,   /* blocks */
    WINDOWS = 16,
    FIRST_SCATTERED_CC = 20
};

/* Of one instruction. Atomic. */
typedef struct {
    uint32_t lanes[WINDOWS][MAX_PARTITIONS];
    uint32_t seen[WINDOWS][MAX_WINDOW]; /* warps that were counted, bits */
} cell;

struct sw_partitions {
    sw_observer observer, next;
    uint32_t count, interleave, window, ins_count;
    cell **cells; /* [ins_count], atomic; NULL: nothing there yet */
};

static cell *
cell_of(sw_partitions *p, uint32_t index)
{
    cell *c = __atomic_load_n(&p->cells[index], __ATOMIC_ACQUIRE);
    if (c)
        return c;
    cell *made = sw_alloc(sizeof *made);
    if (__atomic_compare_exchange_n(&p->cells[index], &c, made, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    sw_free(made);
    return c;
}

static void
count(sw_partitions *p, const sw_ev_where *where, const sw_ev_mem *mem)
{
    uint64_t window = where->block_index / p->window;
    if (window >= WINDOWS || where->index >= p->ins_count || where->warp >= 32)
        return;
    uint32_t bit = 1u << where->warp;
    cell *c = cell_of(p, where->index);
    uint32_t *seen = &c->seen[window][where->block_index % p->window];
    if (__atomic_fetch_or(seen, bit, __ATOMIC_RELAXED) & bit)
        return;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (where->mask >> lane & 1)
            __atomic_add_fetch(
                &c->lanes[window][mem->addr[lane] / p->interleave % p->count],
                1, __ATOMIC_RELAXED);
}

static void
on_mem(void *arg, const sw_ev_where *where, const sw_ev_mem *mem)
{
    sw_partitions *p = arg;
    if (mem->space == SW_SPACE_GLOBAL)
        count(p, where, mem);
    p->next.mem(p->next.arg, where, mem);
}

static void *
on_block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    sw_partitions *p = arg;
    return p->next.block_begin(p->next.arg, block, index);
}

static void
on_block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    sw_partitions *p = arg;
    p->next.block_end(p->next.arg, state, block, index);
}

static void
on_ins(void *arg, const sw_ev_where *where)
{
    sw_partitions *p = arg;
    p->next.ins(p->next.arg, where);
}

static void
on_branch(void *arg, const sw_ev_where *where, const sw_ev_branch *branch)
{
    sw_partitions *p = arg;
    p->next.branch(p->next.arg, where, branch);
}

static void
on_barrier(void *arg, const sw_ev_where *where, const sw_ev_barrier *barrier)
{
    sw_partitions *p = arg;
    p->next.barrier(p->next.arg, where, barrier);
}

static void
on_tex(void *arg, const sw_ev_where *where, const sw_ev_tex *tex)
{
    sw_partitions *p = arg;
    p->next.tex(p->next.arg, where, tex);
}

sw_partitions *
sw_partitions_create(const sw_count_launch *launch, uint32_t resident,
                     const sw_observer *next)
{
    const sw_device_info *d = launch->device;
    if (d->cc >= FIRST_SCATTERED_CC || d->mem_partitions < 2 ||
        d->mem_partitions > MAX_PARTITIONS || !d->interleave_bytes)
        return NULL;
    sw_partitions *p = sw_alloc(sizeof *p);
    p->next = *next;
    p->count = d->mem_partitions;
    p->interleave = d->interleave_bytes;
    p->window = resident < 1            ? 1
                : resident > MAX_WINDOW ? MAX_WINDOW
                                        : resident;
    p->ins_count = launch->ins_count;
    p->cells = sw_alloc((p->ins_count + 1) * sizeof(cell *));
    p->observer = (sw_observer){
        .arg = p,
        .events = next->events & ~(uint32_t)(SW_EV_INLINE | SW_EV_QUIET),
        .block_begin = next->block_begin ? on_block_begin : NULL,
        .block_end = next->block_end ? on_block_end : NULL,
        .ins = next->ins ? on_ins : NULL,
        .mem = next->mem ? on_mem : NULL,
        .branch = next->branch ? on_branch : NULL,
        .barrier = next->barrier ? on_barrier : NULL,
        .tex = next->tex ? on_tex : NULL,
    };
    return p;
}

void
sw_partitions_destroy(sw_partitions *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->ins_count; i++)
        sw_free(p->cells[i]);
    sw_free(p->cells);
    sw_free(p);
}

const sw_observer *
sw_partitions_observer(sw_partitions *p)
{
    return &p->observer;
}

/* Blocks of a window that came by; too few say nothing. */
static bool
is_filled(const sw_partitions *p, const cell *c, uint32_t window)
{
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < p->window; i++)
        blocks += c->seen[window][i] != 0;
    return blocks >= 4 * p->count;
}

double
sw_partitions_camping(const sw_partitions *p, uint32_t index)
{
    const cell *c = index < p->ins_count ? p->cells[index] : NULL;
    double sum = 0;
    uint32_t windows = 0;
    for (uint32_t w = 0; c && w < WINDOWS; w++) {
        uint32_t most = 0, all = 0;
        for (uint32_t i = 0; i < p->count; i++) {
            all += c->lanes[w][i];
            most = c->lanes[w][i] > most ? c->lanes[w][i] : most;
        }
        if (!all || !is_filled(p, c, w))
            continue;
        sum += (double)most * p->count / all;
        windows++;
    }
    return windows ? sum / windows : 0;
}
