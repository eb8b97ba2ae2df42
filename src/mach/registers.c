/* SPDX-License-Identifier: Apache-2.0 */
/* registers.c - the passes of the register allocator; see registers.h. */
#include "mach/registers.h"

#include "mach/mach.h"
#include "opt/liveness.h"

enum {
    /* From 7.0 on every thread has a program counter of its own, for which
     * two registers are set apart; ptxas -v counts them: an empty kernel
     * takes R0, R1 and these. */
    OWN_COUNTER_FROM = 70,
    OWN_COUNTER = 2,
    /* What a kernel that calls a function takes at least, by ptxas -v. */
    CALL_LEAST = 22,
    CALL_LEAST_BEFORE = 14,
    BOUND_LEAST = 24, /* from 7.0 on a lower bound than this is raised to it */
    ENCODING_MOST = 255, /* from 3.5 on; 63 on 2.x and 3.0, 124 on 1.x */
    TRIES = 8,
    OPERATIONS_MOST = 200000
};

static uint32_t
encoding_most(uint32_t cc)
{
    return cc < 20 ? 124 : cc < 32 ? 63 : ENCODING_MOST;
}

static bool
is_too_large(const sw_fn *fn)
{
    uint64_t ops = 0;
    for (uint32_t b = 0; b < fn->block_count; b++)
        ops += fn->blocks[b]->count;
    return sw_liveness_is_large(fn) || ops > OPERATIONS_MOST;
}

/* One try, from the beginning; limit 0: in the program's order. */
static uint32_t
attempt(const sw_fn *fn, const sw_cfg *cfg, const sw_registers_target *target,
        uint32_t limit, uint32_t most, bool is_tight, sw_registers *out)
{
    sw_mach_spills spills = {0};
    sw_mach_fn *m = sw_mach_create(fn, cfg, target->cc, false);
    m->is_tight = is_tight;
    if (limit)
        sw_mach_schedule(m, limit);
    uint32_t n = sw_mach_allocate(m, most, &spills);
    out->spill_loads = spills.loads;
    out->spill_stores = spills.stores;
    out->stack = spills.stack;
    uint32_t least =
        target->cc >= OWN_COUNTER_FROM ? CALL_LEAST : CALL_LEAST_BEFORE;
    if (m->has_call && n < least)
        n = least < most ? least : most;
    sw_mach_destroy(m);
    return n;
}

static bool
is_better(const sw_registers *a, const sw_registers *b)
{
    uint32_t p = a->spill_loads + a->spill_stores;
    uint32_t q = b->spill_loads + b->spill_stores;
    return p < q || (p == q && a->registers < b->registers);
}

/* The bound on what is allocated, without the thread's own counter. */
static uint32_t
bound_of(const sw_registers_target *target, uint32_t own)
{
    uint32_t most = encoding_most(target->cc), least = own ? BOUND_LEAST : 4;
    if (target->most && target->most < most)
        most = target->most > least ? target->most : least;
    return most - own;
}

/* With room to spare first, then tighter until all threads that fit on a
 * multiprocessor may have as many; as the program has it if all else spills. */
static void
estimate_one(const sw_fn *fn, const sw_registers_target *target,
             sw_registers *out)
{
    uint32_t own = target->cc >= OWN_COUNTER_FROM ? OWN_COUNTER : 0;
    uint32_t most = bound_of(target, own);
    uint32_t full = target->full > own ? target->full - own : 1;
    full = full < most ? full : most;

    sw_cfg *cfg = sw_cfg_create(fn);
    sw_registers best = {0};
    for (int i = 0; i <= TRIES; i++) {
        uint32_t tighter = i > 1 ? 2 * ((uint32_t)i - 1) : 0;
        uint32_t limit = full > tighter ? full - tighter : 0;
        sw_registers r = {0};
        if (i == TRIES && !best.spill_loads)
            break;
        r.registers =
            attempt(fn, cfg, target, i < TRIES ? limit : 0, most, i > 0, &r);
        if (!i || is_better(&r, &best))
            best = r;
        if (best.registers <= full && !best.spill_loads)
            break;
    }
    sw_cfg_destroy(cfg);
    best.registers += own;
    if (best.registers > out->registers)
        out->registers = best.registers;
    out->spill_loads += best.spill_loads;
    out->spill_stores += best.spill_stores;
    out->stack += best.stack;
}

/* Adds the functions that `fn` calls and that are known, each once. */
static void
add_callees(const sw_fn *fn, sw_vec *fns)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
            sw_sym *sym =
                call && call->callee ? sw_sym_resolve(call->callee) : NULL;
            const sw_fn *callee = sym ? sym->fn : NULL;
            bool is_new = callee && callee->block_count;
            for (size_t k = 0; is_new && k < fns->count; k++)
                is_new = *(const sw_fn **)sw_vec_at(fns, k) != callee;
            if (is_new)
                *(const sw_fn **)sw_vec_push(fns) = callee;
        }
}

sw_registers
sw_registers_estimate(const sw_fn *fn, const sw_registers_target *target)
{
    sw_registers out = {0};
    sw_vec fns;
    sw_vec_init(&fns, sizeof(const sw_fn *));
    if (fn->block_count)
        *(const sw_fn **)sw_vec_push(&fns) = fn;
    for (size_t i = 0; i < fns.count; i++) {
        const sw_fn *one = *(const sw_fn **)sw_vec_at(&fns, i);
        if (is_too_large(one))
            continue;
        estimate_one(one, target, &out);
        add_callees(one, &fns);
    }
    sw_vec_finish(&fns);
    return out;
}
