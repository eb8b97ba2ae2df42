/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait.c - which loops take long, or wait for what others do, and how often
 * one goes around before it yields (emit/yield.c).
 */
#include "jit/plan/flow.h"
#include "jit/tune.h"
#include "opt/callees.h"

/* Another lane, warp or block may change what it reads. */
static bool
may_wait_at(const sw_ins *ins)
{
    int fx = sw_op_get_info((sw_op)ins->op)->effects;
    return fx == SW_FX_ATOMIC || ins->op == SW_OP_NANOSLEEP ||
           (fx == SW_FX_READ && ins->order != 0);
}

/* So it may in a function that is called, or it waits with others there. */
static bool
may_wait_in_call(const sw_ins *ins)
{
    return may_wait_at(ins) ||
           sw_op_get_info((sw_op)ins->op)->effects == SW_FX_SYNC;
}

static bool
is_call(const sw_ins *ins)
{
    return ins->op == SW_OP_CALL;
}

/* Some instruction of the loop is such. */
static bool
has_any(const sw_jit_plan *plan, uint32_t loop, bool (*is)(const sw_ins *ins))
{
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count &&
                             sw_cfg_is_in_loop(plan->cfg, loop, b);
             i++)
            if (is(plan->fn->blocks[b]->ins[i]))
                return true;
    return false;
}

static bool
is_written_in(const sw_jit_plan *plan, uint32_t loop, sw_reg reg)
{
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count &&
                             sw_cfg_is_in_loop(plan->cfg, loop, b);
             i++)
            if (sw_ins_writes(plan->fn->blocks[b]->ins[i], reg))
                return true;
    return false;
}

/* A plain load of one place in each turn of a loop that changes nothing in
 * memory: no compiler leaves that but for who waits. */
static bool
reads_again(const sw_jit_plan *plan, uint32_t loop)
{
    bool reads = false;
    for (uint32_t b = 0; b < plan->fn->block_count; b++) {
        const sw_block *block = plan->fn->blocks[b];
        for (uint32_t i = 0;
             i < block->count && sw_cfg_is_in_loop(plan->cfg, loop, b); i++) {
            const sw_ins *ins = block->ins[i];
            const sw_opnd *o = ins->nsrc ? sw_ins_src(ins, 0) : NULL;
            int fx = sw_op_get_info((sw_op)ins->op)->effects;
            if (fx == SW_FX_WRITE || fx == SW_FX_SYNC || is_call(ins))
                return false;
            reads = reads || (ins->op == SW_OP_LD &&
                              (ins->space == SW_SPACE_GLOBAL ||
                               ins->space == SW_SPACE_GENERIC ||
                               ins->space == SW_SPACE_SHARED) &&
                              (o->kind != SW_OPND_REG ||
                               !is_written_in(plan, loop, o->reg)));
        }
    }
    return reads;
}

/* More than to look at memory, or to try to take what somebody holds. */
static bool
does_more(const sw_ins *ins)
{
    switch (sw_op_get_info((sw_op)ins->op)->effects) {
    case SW_FX_WRITE:
        return true;
    case SW_FX_ATOMIC:
        return (ins->op == SW_OP_ATOM || ins->op == SW_OP_RED) &&
               ins->sub != SW_ATOM_CAS && ins->sub != SW_ATOM_EXCH;
    case SW_FX_SYNC:
        return ins->op == SW_OP_BAR;
    default:
        return ins->op == SW_OP_CALL;
    }
}

/* Whether a turn of the loop finds what the one before it found, but in memory.
 */
static bool
repeats_itself(const sw_jit_plan *plan, uint32_t loop)
{
    const uint64_t *in =
        plan->live->in + plan->cfg->loops[loop].header * plan->live->words;
    for (uint32_t w = 0; w < plan->live->words; w++)
        for (uint64_t left = in[w]; left; left &= left - 1)
            if (is_written_in(plan, loop,
                              w * 64 + (uint32_t)__builtin_ctzll(left)))
                return false;
    return true;
}

/* It does so, and nothing else. */
static bool
only_waits(const sw_jit_plan *plan, uint32_t loop)
{
    return !has_any(plan, loop, does_more) && repeats_itself(plan, loop);
}

/* It looks at what others may change than warps that run on the same thread: at
 * what is not known to lie in the shared memory of the block, or the cluster.
 */
static bool
looks_far(const sw_ins *ins)
{
    int fx = sw_op_get_info((sw_op)ins->op)->effects;
    return (fx == SW_FX_READ || fx == SW_FX_ATOMIC) &&
           ins->space != SW_SPACE_SHARED &&
           ins->space != SW_SPACE_SHARED_CLUSTER &&
           ins->op != SW_OP_MBAR_TEST && ins->op != SW_OP_MBAR_ARRIVE;
}

/* It tries to take something. */
static bool
takes(const sw_ins *ins)
{
    return ins->op == SW_OP_ATOM &&
           (ins->sub == SW_ATOM_CAS || ins->sub == SW_ATOM_EXCH);
}

static bool
sleeps(const sw_ins *ins)
{
    return ins->op == SW_OP_NANOSLEEP;
}

/* ---- what ends a loop ---- */

/* Which registers depend on what others change meanwhile, by register. */
typedef struct {
    bool *depends;
    bool any, changed; /* of an instruction's sources; of all */
    bool calls_wait;   /* see sw_jit_emit */
} flow;

static void
ask(void *data, sw_reg reg)
{
    flow *f = data;
    f->any |= f->depends[reg];
}

static void
set(void *data, sw_reg reg)
{
    flow *f = data;
    f->changed |= !f->depends[reg];
    f->depends[reg] = true;
}

/* From instruction to instruction of a block. all: whatever is written. */
static void
follow(flow *f, const sw_block *block, bool all)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const sw_ins *ins = block->ins[i];
        f->any = all || may_wait_at(ins) || (f->calls_wait && is_call(ins));
        sw_ins_visit_reads(ins, ask, f);
        if (f->any)
            sw_ins_visit_writes(ins, set, f);
    }
}

static bool
leads_out(const sw_jit_plan *plan, uint32_t loop, const sw_block *block)
{
    for (uint32_t i = 0; i < block->target_count; i++)
        if (!sw_cfg_is_in_loop(plan->cfg, loop, block->targets[i]))
            return true;
    return block->target_count == 0;
}

/* Where the ways from `b` meet again, if they do before the next turn. */
static uint32_t
meeting_of(const sw_jit_plan *plan, uint32_t loop, uint32_t b)
{
    uint32_t end = plan->cfg->ipdom[b];
    for (uint32_t x = 0; x < plan->fn->block_count && end != SW_CFG_NONE; x++) {
        const sw_block *block = plan->fn->blocks[x];
        if (!sw_cfg_is_in_loop(plan->cfg, loop, x) ||
            !sw_cfg_dominates(plan->cfg, b, x) ||
            sw_cfg_dominates(plan->cfg, end, x))
            continue;
        for (uint32_t i = 0; i < block->target_count; i++)
            if (block->targets[i] == plan->cfg->loops[loop].header)
                end = SW_CFG_NONE;
    }
    return end;
}

/* What is written on the ways from `b` to where they meet again depends on how
 * it branches. True: a way leads out. */
static bool
follow_ways(const sw_jit_plan *plan, uint32_t loop, flow *f, uint32_t b)
{
    uint32_t end = meeting_of(plan, loop, b);
    bool out = leads_out(plan, loop, plan->fn->blocks[b]);
    for (uint32_t x = 0; x < plan->fn->block_count; x++) {
        if (x == b || x == end || !sw_cfg_is_in_loop(plan->cfg, loop, x) ||
            !sw_cfg_dominates(plan->cfg, b, x) ||
            (end != SW_CFG_NONE && sw_cfg_dominates(plan->cfg, end, x)))
            continue;
        follow(f, plan->fn->blocks[x], true);
        out = out || leads_out(plan, loop, plan->fn->blocks[x]);
    }
    return out;
}

/* Its end depends on what others do. */
static bool
asks_others(const sw_jit_plan *plan, uint32_t loop)
{
    flow f = {.depends = sw_alloc(plan->fn->reg_count * sizeof *f.depends),
              .changed = true,
              .calls_wait = plan->calls_wait};
    bool asks = false;
    while (f.changed && !asks) {
        f.changed = false;
        for (uint32_t b = 0; b < plan->fn->block_count && !asks; b++) {
            const sw_block *block = plan->fn->blocks[b];
            if (!sw_cfg_is_in_loop(plan->cfg, loop, b))
                continue;
            follow(&f, block, false);
            sw_reg guard = block->ins[block->count - 1]->guard;
            if (!guard || !f.depends[guard])
                continue;
            asks = follow_ways(plan, loop, &f, b);
        }
    }
    sw_free(f.depends);
    return asks;
}

/* ---- volatile shared memory ---- */

static bool
is_volatile_shared(const sw_ins *ins)
{
    return (ins->op == SW_OP_LD || ins->op == SW_OP_ST) &&
           ins->order == SW_ORDER_VOLATILE && ins->space == SW_SPACE_SHARED;
}

void
sw_jit_find_order(sw_jit_plan *plan)
{
    plan->calls_wait = sw_calls_any(plan->fn, may_wait_in_call);
    plan->shares_plainly = !sw_jit_uses_clusters(plan->fn);
    for (uint32_t l = 1; l < plan->cfg->loop_count && plan->shares_plainly; l++)
        plan->shares_plainly =
            !has_any(plan, l, is_volatile_shared) || !asks_others(plan, l);
}

bool
sw_jit_is_ordered(const sw_jit_plan *plan, const sw_ins *ins)
{
    return ins->order != SW_ORDER_WEAK &&
           !(plan->shares_plainly && is_volatile_shared(ins));
}

/* A turn may be as long as it likes. */
static bool
has_inner(const sw_jit_plan *plan, uint32_t loop)
{
    for (uint32_t l = 1; l < plan->cfg->loop_count; l++)
        if (plan->cfg->loops[l].parent == loop)
            return true;
    return false;
}

static sw_jit_loop_wait
wait_of(const sw_jit_plan *plan, uint32_t loop)
{
    if (!has_any(plan, loop, may_wait_at) && !reads_again(plan, loop) &&
        !(has_any(plan, loop, is_call) &&
          (plan->calls_wait || repeats_itself(plan, loop))))
        return SW_JIT_NEVER_WAITS;
    if (only_waits(plan, loop))
        return has_any(plan, loop, takes)       ? SW_JIT_ONLY_LOCKS
               : has_any(plan, loop, looks_far) ? SW_JIT_ONLY_WAITS
                                                : SW_JIT_ONLY_WAITS_BLOCK;
    if (asks_others(plan, loop))
        return has_any(plan, loop, sleeps) ? SW_JIT_ONLY_WAITS
               : has_inner(plan, loop)     ? SW_JIT_ENDS_LONG
                                           : SW_JIT_ENDS_BY_OTHERS;
    return SW_JIT_READS_SHARED;
}

void
sw_jit_find_waits(sw_jit_plan *plan)
{
    plan->waits = sw_alloc((plan->cfg->loop_count + 1) * sizeof *plan->waits);
    for (uint32_t l = 0; l < plan->cfg->loop_count; l++)
        plan->waits[l] =
            (uint8_t)(l == 0 ? SW_JIT_READS_SHARED : wait_of(plan, l));
}

/* So many that the loop executes about yield_instructions in them. */
static uint32_t
back_edges_by_size(const sw_jit_plan *plan, uint32_t loop)
{
    uint32_t count = 0, most = sw_jit_tune.yield_shared,
             least = sw_jit_tune.yield_shared_least;
    for (uint32_t b = 0; b < plan->fn->block_count && loop; b++)
        if (sw_cfg_is_in_loop(plan->cfg, loop, b))
            count += plan->fn->blocks[b]->count;
    uint32_t n = count ? sw_jit_tune.yield_instructions / count : most;
    n = n < least ? least : n;
    return n > most ? most : n;
}

uint32_t
sw_jit_back_edges(const sw_jit_plan *plan, uint32_t loop)
{
    const uint32_t back_edges[] = {
        [SW_JIT_NEVER_WAITS] = sw_jit_tune.yield_plain,
        [SW_JIT_READS_SHARED] = back_edges_by_size(plan, loop),
        [SW_JIT_ENDS_BY_OTHERS] = sw_jit_tune.yield_others,
        [SW_JIT_ENDS_LONG] = sw_jit_tune.yield_others_long,
        [SW_JIT_ONLY_LOCKS] = sw_jit_tune.yield_locks,
        [SW_JIT_ONLY_WAITS] = sw_jit_tune.yield_waits,
        [SW_JIT_ONLY_WAITS_BLOCK] = sw_jit_tune.yield_waits_block};
    return back_edges[plan->waits[loop]];
}

sw_jit_why
sw_jit_reason_of(const sw_jit_plan *plan, uint32_t loop)
{
    switch ((sw_jit_loop_wait)plan->waits[loop]) {
    case SW_JIT_NEVER_WAITS:
        return SW_JIT_RUNS_LONG;
    case SW_JIT_ONLY_LOCKS:
        return SW_JIT_LOCKS;
    case SW_JIT_ENDS_LONG:
    case SW_JIT_ENDS_BY_OTHERS:
        return has_any(plan, loop, takes) ? SW_JIT_TRIES : SW_JIT_MAY_WAIT;
    default:
        return SW_JIT_MAY_WAIT;
    }
}

/* What it does is seen by nobody else, nor does it wait. */
static bool
is_unseen(const sw_ins *ins)
{
    switch (sw_op_get_info((sw_op)ins->op)->effects) {
    case SW_FX_PURE:
    case SW_FX_READ:
    case SW_FX_FLOW:
        return ins->op != SW_OP_CALL;
    default:
        return ins->op == SW_OP_MEMBAR || ins->op == SW_OP_SREG;
    }
}

/* From that block on there is, on each way, a barrier of all threads of the
 * block, or the end, before anything that others see. */
bool
sw_jit_goes_to_barriers(const sw_jit_plan *plan, uint32_t from)
{
    const sw_cfg *cfg = plan->cfg;
    uint32_t *stack = sw_alloc(cfg->count * sizeof *stack), depth = 0;
    bool *seen = sw_alloc(cfg->count * sizeof *seen), goes = true;
    stack[depth++] = from;
    seen[from] = true;
    while (depth && goes) {
        uint32_t b = stack[--depth], i = 0;
        const sw_block *block = plan->fn->blocks[b];
        while (i < block->count && is_unseen(block->ins[i]))
            i++;
        if (i < block->count) {
            goes =
                sw_jit_is_block_barrier(block->ins[i]) && !block->ins[i]->guard;
            continue;
        }
        for (uint32_t k = cfg->succ_at[b]; k < cfg->succ_at[b + 1]; k++) {
            uint32_t to = cfg->succ[k];
            if (!seen[to])
                stack[depth++] = to;
            seen[to] = true;
        }
    }
    sw_free(stack);
    sw_free(seen);
    return goes;
}
