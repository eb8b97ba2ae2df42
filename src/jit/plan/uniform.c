/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uniform.c - branches at which the lanes of a warp hardly ever part, though
 * they may: tests of bounds, where the place of a thread in the grid is
 * compared with a number that all threads share. What lies behind them is
 * emitted twice: for some lanes, as behind any branch, and, the block's twin,
 * for the case that all lanes come together; there nobody waits anywhere, no
 * masks are needed, and fused warps lose nothing.
 *
 * Where a block's last warp (or group of fused warps) has fewer lanes than the
 * others, the whole kernel has twins, which are for warps with all of them.
 */
#include <string.h>

#include "jit/plan/decide.h"
#include "jit/tune.h"

enum {
    THREADS_MOST = 1024 /* of a block; what is less may be a place in it */
};

static bool is_bound(const sw_jit_plan *plan, sw_reg reg, int depth);

typedef bool (*ins_test)(const sw_jit_plan *plan, const sw_ins *ins, int depth);

/* Whether it holds for all that write the register. */
static bool
all_writers(const sw_jit_plan *plan, sw_reg reg, ins_test holds, int depth)
{
    for (uint32_t i = plan->writers_at[reg];
         depth && i < plan->writers_at[reg + 1]; i++) {
        const sw_ins *ins = plan->writers[i];
        if (ins->guard || !holds(plan, ins, depth - 1))
            return false;
    }
    return depth > 0;
}

static bool makes_place(const sw_jit_plan *plan, const sw_ins *ins, int depth);

/* It grows from lane to lane, and is not a place in the block: those part at
 * the same thread in every block. */
static bool
is_place(const sw_jit_plan *plan, const sw_ins *ins, unsigned i, int depth)
{
    const sw_opnd *o = sw_ins_src(ins, i);
    sw_shape x = sw_shapes_source(plan->shapes, ins, i);
    return x.kind == SW_SHAPE_EXTENDED ||
           (x.kind == SW_SHAPE_AFFINE && x.max >= THREADS_MOST) ||
           (x.kind == SW_SHAPE_VARYING && o->kind == SW_OPND_REG &&
            all_writers(plan, o->reg, makes_place, depth));
}

/* The greater of two coordinates; either, in the sign. */
static bool
makes_place(const sw_jit_plan *plan, const sw_ins *ins, int depth)
{
    if (ins->op != SW_OP_MIN && ins->op != SW_OP_MAX && ins->op != SW_OP_OR &&
        ins->op != SW_OP_AND)
        return false;
    for (unsigned i = 0; i < ins->nsrc; i++)
        if (sw_shapes_source(plan->shapes, ins, i).kind != SW_SHAPE_UNIFORM &&
            !is_place(plan, ins, i, depth))
            return false;
    return true;
}

static bool
is_parameter(const sw_jit_plan *plan, const sw_ins *ins, int depth)
{
    (void)plan;
    (void)depth;
    return ins->op == SW_OP_LD && ins->space == SW_SPACE_PARAM;
}

/* A place in the block that is compared with a number which the host says:
 * where a loop over all of an array begins. */
static bool
is_begin(const sw_jit_plan *plan, const sw_ins *ins, unsigned i, int depth)
{
    const sw_opnd *limit = sw_ins_src(ins, 1 - i);
    return sw_shapes_source(plan->shapes, ins, i).kind == SW_SHAPE_AFFINE &&
           limit->kind == SW_OPND_REG && plan->fn->is_entry &&
           all_writers(plan, limit->reg, is_parameter, depth);
}

/* One source is the same in all lanes, the other a place. */
static bool
compares_places(const sw_jit_plan *plan, const sw_ins *ins, int depth)
{
    for (unsigned i = 0; i < 2; i++)
        if (sw_shapes_source(plan->shapes, ins, 1 - i).kind ==
                SW_SHAPE_UNIFORM &&
            (is_place(plan, ins, i, depth) || is_begin(plan, ins, i, depth)))
            return true;
    return false;
}

/* Predicates among the sources, from `first` on. */
static bool
are_bounds(const sw_jit_plan *plan, const sw_ins *ins, unsigned first,
           int depth)
{
    for (unsigned i = first; i < ins->nsrc; i++) {
        const sw_opnd *o = sw_ins_src(ins, i);
        if (o->kind == SW_OPND_REG && !is_bound(plan, o->reg, depth))
            return false;
    }
    return true;
}

static bool
makes_bound(const sw_jit_plan *plan, const sw_ins *ins, int depth)
{
    switch (ins->op) {
    case SW_OP_SETP:
        return ins->nsrc >= 2 && compares_places(plan, ins, depth) &&
               are_bounds(plan, ins, 2, depth);
    case SW_OP_AND:
    case SW_OP_OR:
    case SW_OP_XOR:
    case SW_OP_NOT:
    case SW_OP_MOV:
        return are_bounds(plan, ins, 0, depth);
    default:
        return false;
    }
}

/* A predicate that comes of such comparisons alone, or is the same in all
 * lanes. */
static bool
is_bound(const sw_jit_plan *plan, sw_reg reg, int depth)
{
    if (plan->shapes->regs[reg].kind == SW_SHAPE_UNIFORM)
        return true;
    return plan->fn->regs[reg].cls == SW_CLASS_PRED &&
           all_writers(plan, reg, makes_bound, depth);
}

static bool
agrees(const sw_jit_plan *plan, uint32_t b)
{
    const sw_block *block = plan->fn->blocks[b];
    const sw_ins *last = block->ins[block->count - 1];
    return plan->shapes->diverges[b] && last->op == SW_OP_BRA &&
           is_bound(plan, last->guard, (int)sw_jit_tune.twin_depth);
}

/* Twins of the blocks that lanes may go to from `b` together. Returns their
 * instructions. */
static uint32_t
spread(sw_jit_plan *plan, uint32_t b, uint32_t *stack, bool also_of_root)
{
    const sw_cfg *cfg = plan->cfg;
    uint32_t depth = 0, count = 0;
    stack[depth++] = b;
    while (depth) {
        uint32_t from = stack[--depth];
        if (plan->shapes->diverges[from] && !plan->agrees[from])
            continue;
        for (uint32_t i = cfg->succ_at[from]; i < cfg->succ_at[from + 1]; i++) {
            uint32_t to = cfg->succ[i];
            if (plan->has_twin[to] ||
                (plan->shapes->head[to] == SW_SHAPES_ROOT && !also_of_root))
                continue;
            plan->has_twin[to] = true;
            if (!plan->fn->blocks[to]->is_rare &&
                !plan->fn->blocks[to]->is_test)
                count += plan->fn->blocks[to]->count;
            stack[depth++] = to;
        }
    }
    return count;
}

static void
clear_twins(sw_jit_plan *plan)
{
    memset(plan->has_twin, 0, plan->cfg->count * sizeof *plan->has_twin);
    plan->twins_are_full = false;
}

/* Twins of all that a warp may do together. Returns their instructions. */
static uint32_t
find_full(sw_jit_plan *plan, uint32_t *stack)
{
    plan->twins_are_full = true;
    plan->has_twin[0] = true;
    return plan->fn->blocks[0]->count + spread(plan, 0, stack, true);
}

static uint32_t
find_behind_bounds(sw_jit_plan *plan, uint32_t *stack)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < plan->cfg->count; b++)
        if (plan->agrees[b] && plan->shapes->head[b] == SW_SHAPES_ROOT)
            count += spread(plan, b, stack, false);
    return count;
}

static void
count_write(void *data, sw_reg reg)
{
    sw_jit_plan *plan = data;
    plan->writers_at[reg]++;
}

typedef struct {
    sw_jit_plan *plan;
    const sw_ins *ins;
} writer;

static void
add_write(void *data, sw_reg reg)
{
    writer *w = data;
    w->plan->writers[--w->plan->writers_at[reg]] = w->ins;
}

static void
open_writers(sw_jit_plan *plan)
{
    const sw_fn *fn = plan->fn;
    plan->writers_at = sw_alloc((fn->reg_count + 1) * sizeof *plan->writers_at);
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            sw_ins_visit_writes(fn->blocks[b]->ins[i], count_write, plan);
    for (uint32_t r = 1; r <= fn->reg_count; r++)
        plan->writers_at[r] += plan->writers_at[r - 1];
    plan->writers =
        sw_alloc((plan->writers_at[fn->reg_count] + 1) * sizeof *plan->writers);
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            writer w = {plan, fn->blocks[b]->ins[i]};
            sw_ins_visit_writes(w.ins, add_write, &w);
        }
}

static void
close_writers(sw_jit_plan *plan)
{
    sw_free(plan->writers);
    sw_free(plan->writers_at);
    plan->writers = NULL;
    plan->writers_at = NULL;
}

void
sw_jit_find_twins(sw_jit_plan *plan)
{
    const sw_cfg *cfg = plan->cfg;
    const sw_shapes *s = plan->shapes;
    uint32_t most = sw_jit_tune.twin_size / s->map.lanes;
    memset(plan->agrees, 0, cfg->count * sizeof *plan->agrees);
    clear_twins(plan);
    if (cfg->irreducible || sw_jit_counts(plan) ||
        (s->map.is_block && !s->map.is_full))
        return;
    uint32_t *stack = sw_alloc((cfg->count + 1) * sizeof *stack);
    open_writers(plan);
    for (uint32_t n = 0; n < cfg->reachable; n++)
        plan->agrees[cfg->order[n]] = agrees(plan, cfg->order[n]);
    close_writers(plan);
    bool ok = !s->map.is_full && !s->map.is_block &&
              s->head[0] == SW_SHAPES_ROOT && find_full(plan, stack) <= most;
    if (!ok) {
        clear_twins(plan);
        ok = find_behind_bounds(plan, stack) <= most;
    }
    sw_free(stack);
    if (ok)
        return;
    memset(plan->agrees, 0, cfg->count * sizeof *plan->agrees);
    clear_twins(plan);
}

/* Lanes that parted elsewhere come to the block from another one. */
static bool
comes_parted(const sw_jit_plan *plan, uint32_t from)
{
    if (plan->has_twin[from] && !plan->is_remainder[from])
        return true;
    return (plan->shapes->diverges[from] && !plan->agrees[from]) ||
           (!plan->has_twin[from] &&
            plan->shapes->head[from] != SW_SHAPES_ROOT);
}

void
sw_jit_find_remainders(sw_jit_plan *plan)
{
    const sw_cfg *cfg = plan->cfg;
    bool changed = true;
    memcpy(plan->is_remainder, plan->has_twin,
           cfg->count * sizeof *plan->is_remainder);
    while (changed) {
        changed = false;
        for (uint32_t n = 0; n < cfg->reachable; n++) {
            uint32_t b = cfg->order[n];
            for (uint32_t i = cfg->pred_at[b];
                 plan->is_remainder[b] && i < cfg->pred_at[b + 1]; i++)
                if (comes_parted(plan, cfg->pred[i])) {
                    plan->is_remainder[b] = false;
                    changed = true;
                }
        }
    }
}
