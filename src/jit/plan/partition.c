/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partition.c - where a large kernel is cut into functions of about the same
 * size, and at which places a warp comes from one into another
 * (emit/partition.c).
 */
#include <stdlib.h>
#include <string.h>

#include "jit/plan/partition.h"

#include "jit/plan/decide.h"
#include "jit/tune.h"

enum { KINDS = SW_JIT_ENTRANCE_KINDS };

uint32_t
sw_jit_count_ins(const sw_jit_plan *plan)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->cfg->reachable; i++)
        n += plan->fn->blocks[plan->cfg->order[i]]->count;
    return n;
}

/* Instructions a partition. */
static uint32_t
partition_size(const sw_jit_plan *plan)
{
    uint32_t total = sw_jit_count_ins(plan);
    if (plan->cfg->irreducible || !plan->fn->is_entry ||
        total <= sw_jit_tune.partition_whole)
        return UINT32_MAX;
    uint32_t partitions = total / sw_jit_tune.partition_size;
    return partitions > 1 ? (total + partitions - 1) / partitions : UINT32_MAX;
}

bool
sw_jit_will_be_cut(const sw_jit_plan *plan)
{
    return plan->rq->is_osr || partition_size(plan) != UINT32_MAX;
}

/* Where cutting stands. */
typedef struct {
    sw_jit_plan *plan;
    uint32_t size;      /* of a partition, */
    uint32_t used;      /* ... and what the last one has of it */
    uint32_t *loop_ins; /* [loop_count] instructions of the loop */
    uint32_t loop;      /* the one of the last block that is not cut; or 0 */
} cutter;

static void
count_loops(cutter *c)
{
    const sw_cfg *cfg = c->plan->cfg;
    c->loop_ins = sw_alloc((cfg->loop_count + 1) * sizeof *c->loop_ins);
    for (uint32_t i = 0; i < cfg->reachable; i++) {
        uint32_t b = cfg->order[i];
        for (uint32_t l = cfg->loop[b]; l; l = cfg->loops[l].parent)
            c->loop_ins[l] += c->plan->fn->blocks[b]->count;
    }
}

/* The outermost loop around the block that fits a partition. */
static uint32_t
loop_to_keep(const cutter *c, uint32_t block)
{
    uint32_t kept = 0;
    const sw_cfg *cfg = c->plan->cfg;
    for (uint32_t l = cfg->loop[block]; l; l = cfg->loops[l].parent)
        if (c->loop_ins[l] <= c->size)
            kept = l;
    return kept;
}

static void
begin_partition(cutter *c)
{
    c->plan->partitions->count++;
    c->used = 0;
}

static void
add_range(cutter *c, uint32_t block, uint32_t first, uint32_t end)
{
    sw_jit_partitions *p = c->plan->partitions;
    *(sw_jit_range *)sw_vec_push(&p->ranges) =
        (sw_jit_range){block, first, end, p->count};
    if (!first)
        p->first_partition[block] = p->count;
    c->used += end - first;
}

static bool
begins_outermost(const sw_cfg *cfg, uint32_t block)
{
    uint32_t l = cfg->loop[block];
    return l && cfg->loops[l].header == block && !cfg->loops[l].parent;
}

/* What is emitted twice is not cut either. */
static void
add_block(cutter *c, uint32_t block)
{
    uint32_t first = 0, end = c->plan->fn->blocks[block]->count;
    uint32_t loop = loop_to_keep(c, block);
    bool goes_on = loop && loop == c->loop;
    bool is_long = loop && c->used + c->loop_ins[loop] > c->size;
    c->loop = loop;
    if (c->plan->rq->is_osr && c->used && begins_outermost(c->plan->cfg, block))
        begin_partition(c);
    if (!goes_on && (c->used >= c->size || (is_long && c->used > c->size / 2)))
        begin_partition(c);
    while (!loop && !c->plan->has_twin[block] &&
           end - first > c->size - c->used) {
        uint32_t next = first + (c->size - c->used);
        add_range(c, block, first, next);
        first = next;
        begin_partition(c);
    }
    add_range(c, block, first, end);
}

static int
by_position(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void
find_latches(sw_jit_plan *plan)
{
    sw_jit_partitions *p = plan->partitions;
    const sw_cfg *cfg = plan->cfg;
    p->latch_partition =
        sw_alloc((cfg->loop_count + 1) * sizeof *p->latch_partition);
    p->is_spread = sw_alloc(cfg->loop_count + 1);
    for (uint32_t l = 1; l < cfg->loop_count; l++) {
        uint32_t least = UINT32_MAX;
        for (size_t i = 0; i < p->ranges.count; i++) {
            const sw_jit_range *range = sw_vec_at(&p->ranges, i);
            uint32_t at = cfg->sched[range->block];
            if (at < cfg->loops[l].first || at >= cfg->loops[l].latch)
                continue;
            least = range->partition < least ? range->partition : least;
            p->latch_partition[l] = range->partition;
        }
        p->is_spread[l] = least < p->latch_partition[l];
    }
}

void
sw_jit_partitions_open(sw_jit_plan *plan)
{
    const sw_cfg *cfg = plan->cfg;
    sw_jit_partitions *p = plan->partitions = sw_alloc(sizeof *p);
    cutter c = {.plan = plan, .size = partition_size(plan)};
    uint32_t *order = sw_alloc((cfg->reachable + 1) * 2 * sizeof *order);
    sw_vec_init(&p->ranges, sizeof(sw_jit_range));
    sw_vec_init(&p->entrances, sizeof(sw_jit_entrance));
    p->first_partition = sw_alloc(cfg->count * sizeof *p->first_partition);
    count_loops(&c);
    for (uint32_t n = 0; n < cfg->reachable; n++) {
        order[2 * n] = cfg->sched[cfg->order[n]];
        order[2 * n + 1] = cfg->order[n];
    }
    qsort(order, cfg->reachable, 2 * sizeof *order, by_position);
    for (uint32_t n = 0; n < cfg->reachable; n++)
        add_block(&c, order[2 * n + 1]);
    p->count++;
    sw_free(c.loop_ins);
    sw_free(order);
    find_latches(plan);
    p->entered = sw_alloc(p->count * sizeof *p->entered);
    p->entered[0] = 1; /* the beginning */
    for (int k = 0; k < KINDS; k++) {
        size_t n = k == SW_JIT_AT_LATCH    ? cfg->loop_count
                   : k == SW_JIT_AT_MIDDLE ? p->ranges.count
                                           : cfg->count;
        p->numbers[k] = sw_alloc((n + 1) * sizeof *p->numbers[k]);
    }
}

void
sw_jit_partitions_finish(sw_jit_plan *plan)
{
    sw_jit_partitions *p = plan->partitions;
    for (int k = 0; k < KINDS; k++)
        sw_free(p->numbers[k]);
    sw_vec_finish(&p->ranges);
    sw_vec_finish(&p->entrances);
    sw_free(p->at);
    sw_free(p->first_partition);
    sw_free(p->latch_partition);
    sw_free(p->is_spread);
    sw_free(p->entered);
    sw_free(p);
}

uint32_t
sw_jit_partition_count(const sw_jit_plan *plan)
{
    return plan->partitions->count;
}

bool
sw_jit_is_cut(const sw_jit_plan *plan)
{
    return plan->partitions->count > 1 || plan->rq->is_osr;
}

const sw_jit_range *
sw_jit_ranges(const sw_jit_plan *plan, uint32_t *count)
{
    *count = (uint32_t)plan->partitions->ranges.count;
    return plan->partitions->ranges.data;
}

bool
sw_jit_is_spread(const sw_jit_plan *plan, uint32_t loop)
{
    return plan->partitions->is_spread[loop];
}

uint32_t
sw_jit_partition_of(const sw_jit_plan *plan, sw_jit_place place)
{
    const sw_jit_partitions *p = plan->partitions;
    switch (place.kind) {
    case SW_JIT_AT_LATCH:
        return p->latch_partition[place.of];
    case SW_JIT_AT_MIDDLE:
        return ((const sw_jit_range *)sw_vec_at(&p->ranges, place.of))
            ->partition;
    default:
        return p->first_partition[place.of];
    }
}

void
sw_jit_note_way(sw_jit_plan *plan, uint32_t from, sw_jit_place place,
                const uint64_t *lives)
{
    sw_jit_partitions *p = plan->partitions;
    if (place.kind >= SW_JIT_AT_AGAIN)
        return;
    uint32_t partition = sw_jit_partition_of(plan, place);
    uint32_t *number = &p->numbers[place.kind][place.of];
    if (partition == from || *number)
        return;
    *(sw_jit_entrance *)sw_vec_push(&p->entrances) = (sw_jit_entrance){
        place, partition, p->entered[partition]++, lives, false};
    *number = (uint32_t)p->entrances.count;
}

void
sw_jit_osr_open(sw_jit_plan *plan)
{
    sw_jit_partitions *p = plan->partitions;
    p->at = sw_alloc((plan->cfg->position_count + 1) * sizeof *p->at);
    memset(p->at, 0xff, plan->cfg->position_count * sizeof *p->at);
    for (uint32_t n = 0; n < plan->cfg->reachable; n++)
        p->at[plan->cfg->sched[plan->cfg->order[n]]] = plan->cfg->order[n];
    for (uint32_t b = 0; b < plan->cfg->count; b++) {
        sw_jit_place place = {SW_JIT_AT_BODY, b};
        if (!begins_outermost(plan->cfg, b))
            continue;
        sw_jit_note_way(plan, UINT32_MAX, place, NULL);
        sw_jit_entrance *in =
            sw_vec_at(&p->entrances, p->numbers[SW_JIT_AT_BODY][b] - 1);
        in->is_osr = true;
    }
}
