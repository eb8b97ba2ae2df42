/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.c - when a program is compiled: if it has been interpreted for some
 * time, and what is left of it seems to take longer than compiling does.
 */
#include <time.h>

#include "jit/tier/variant.h"
#include "jit/tune.h"

/* Work is counted in interpreted lane-instructions; a core does about 1 G of
 * them a second. */

uint64_t
sw_variant_size(const sw_variant *n)
{
    uint64_t ins = n->program->info.ins_count;
    return ins > sw_jit_tune.compile_size ? ins : sw_jit_tune.compile_size;
}

/* Lane-instructions that all workers interpret while it is compiled. */
static double
work_meanwhile(const sw_variant *n)
{
    return (double)(sw_variant_size(n) * sw_jit_tune.compile_work_each *
                    sw_exec_thread_count());
}

/* The grid will take longer yet, interpreted, than compiling takes. */
static bool
has_much_left(const sw_variant *n, const sw_blk *blk)
{
    uint64_t count = (uint64_t)blk->nctaid[0] * blk->nctaid[1] * blk->nctaid[2];
    uint64_t blocks = atomic_load_explicit(&n->blocks, memory_order_relaxed);
    uint64_t work = atomic_load_explicit(&n->work, memory_order_relaxed);
    double each = (double)work / (double)(blocks ? blocks : 1);
    return each * (double)(count - blk->index) > work_meanwhile(n);
}

/* A worker is to leave its processor to the compiler: what is interpreted until
 * that is done, or has been so far, takes as long. */
static bool
is_to_rest(sw_variant *n, const sw_blk *blk)
{
    unsigned threads = sw_exec_thread_count();
    return atomic_load(&n->is_compiling) && threads > 1 &&
           threads >= sw_cpu_count() &&
           ((double)atomic_load(&n->work) > work_meanwhile(n) ||
            has_much_left(n, blk)) &&
           !atomic_exchange(&n->has_rest, true);
}

/* No block of the grid is to begin that would run code that comes later. */
static bool
is_last(const sw_blk *blk)
{
    uint64_t count = (uint64_t)blk->nctaid[0] * blk->nctaid[1] * blk->nctaid[2];
    return blk->workspace || count - blk->index <= sw_exec_thread_count();
}

/* It has loops or calls. */
static bool
may_run_long(const sw_fn *fn)
{
    for (uint32_t b = 0; b < fn->block_count; b++) {
        const sw_block *block = fn->blocks[b];
        for (uint32_t i = 0; i < block->target_count; i++)
            if (block->targets[i] <= b)
                return true;
        for (uint32_t i = 0; i < block->count; i++)
            if (block->ins[i]->op == SW_OP_CALL)
                return true;
    }
    return false;
}

/* In the cache code has the name of the whole module's text, which takes a
 * microsecond or two for each instruction. */
static bool
is_named_soon(const sw_module *module)
{
    uint32_t count = 0;
    for (uint32_t i = 0;
         i < module->fn_count && count <= sw_jit_tune.look_module; i++)
        for (uint32_t b = 0; b < module->fns[i]->block_count; b++)
            count += module->fns[i]->blocks[b]->count;
    return count <= sw_jit_tune.look_module;
}

/* A block that may be interpreted for long, with none to come: its code may be
 * in the cache. */
static void
look_before(sw_variant *n, const sw_blk *blk)
{
    sw_jit_program *code = n->program->code;
    const sw_fn *kernel = n->program->kernel;
    if (!is_last(blk) || sw_variant_uses_osr() != SW_VARIANT_OSR_LATE)
        return;
    if (!atomic_exchange(&n->has_looked, true) && may_run_long(kernel) &&
        is_named_soon(kernel->module) && sw_variant_claim(n, false))
        sw_variant_look_now(n);
    if (atomic_load(&n->state) != SW_VARIANT_WAITING ||
        !is_named_soon(kernel->module))
        return;
    pthread_mutex_lock(&code->lock);
    while (atomic_load(&n->state) == SW_VARIANT_WAITING &&
           !atomic_load(&n->is_compiling))
        pthread_cond_wait(&code->done, &code->lock);
    pthread_mutex_unlock(&code->lock);
}

void
sw_variant_begin_block(sw_variant *n, const sw_blk *blk)
{
    sw_jit_program *code = n->program->code;
    atomic_fetch_add_explicit(&n->blocks, 1, memory_order_relaxed);
    if (atomic_exchange(&n->grid_id, blk->grid_id + 1) != blk->grid_id + 1)
        atomic_fetch_add(&n->grids, 1);
    look_before(n, blk);
    if (!is_to_rest(n, blk))
        return;
    /* For twice as long as that should take, at 1 G a second. */
    uint64_t ns = 2 * (uint64_t)work_meanwhile(n) / sw_exec_thread_count();
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    ns += (uint64_t)end.tv_nsec;
    end.tv_sec += (time_t)(ns / 1000000000);
    end.tv_nsec = (long)(ns % 1000000000);
    int timed_out = 0;
    pthread_mutex_lock(&code->lock);
    while (atomic_load(&n->state) < SW_VARIANT_READY && !timed_out)
        timed_out = pthread_cond_clockwait(&code->done, &code->lock,
                                           CLOCK_MONOTONIC, &end);
    pthread_mutex_unlock(&code->lock);
}

/* What is compiled now is for the blocks that are there. */
static bool
is_for_last(const sw_variant *n, const sw_blk *blk)
{
    const sw_variant *osr = atomic_load(&n->osr);
    return osr && is_last(blk) &&
           atomic_load(&osr->state) == SW_VARIANT_WAITING;
}

/* It has been interpreted for long enough to be compiled, if that is worth it:
 * of a kernel that is nearly over, and may not run again, it is not before it
 * has taken as long as that would have. */
static bool
is_worth_it(const sw_variant *n, const sw_blk *blk, uint64_t sum)
{
    return sum >= sw_jit_tune.compile_work &&
           (sum >= sw_jit_tune.compile_work_once ||
            sum >= sw_variant_size(n) * sw_jit_tune.compile_work_each ||
            atomic_load(&n->grids) >= sw_jit_tune.compile_grids ||
            has_much_left(n, blk));
}

void
sw_variant_note_work(sw_variant *n, const sw_blk *blk, uint64_t lane_ins)
{
    int state = atomic_load_explicit(&n->state, memory_order_relaxed);
    if (state >= SW_VARIANT_READY)
        return;
    if (n->program->events)
        lane_ins *= sw_jit_tune.observed_work;
    uint64_t before = atomic_fetch_add(&n->work, lane_ins);
    if (state != SW_VARIANT_NEW)
        return;
    uint64_t sum = before + lane_ins;
    bool looks = before < sw_jit_tune.look_work && sum >= sw_jit_tune.look_work;
    bool compiles = sw_variant_uses_osr() != SW_VARIANT_OSR_ONLY &&
                    is_worth_it(n, blk, sum) && !is_for_last(n, blk);
    if ((!compiles && !looks) || !sw_variant_claim(n, compiles))
        return;
    if (compiles)
        sw_variant_compile(n);
    else
        sw_variant_look(n);
}

/* ---- for a block that has begun ---- */

bool
sw_variant_wants_osr(sw_variant *n, const sw_blk *blk, uint64_t done)
{
    sw_variant_osr_use use = sw_variant_uses_osr();
    bool at_once = use == SW_VARIANT_OSR_ONLY;
    if (use == SW_VARIANT_OSR_NEVER || n->program->info.has_alloca ||
        (done < sw_jit_tune.look_work_osr && !at_once))
        return false;
    sw_variant *osr = sw_variant_osr_of(n);
    int state = atomic_load_explicit(&osr->state, memory_order_acquire);
    if (state != SW_VARIANT_NEW)
        return state == SW_VARIANT_READY;
    bool looks = !atomic_exchange(&osr->has_looked, true);
    bool compiles =
        at_once ||
        (done >= sw_variant_size(n) * sw_jit_tune.compile_work_each &&
         (is_last(blk) || atomic_load(&n->state) >= SW_VARIANT_READY));
    if ((!looks && !compiles) || !sw_variant_claim(osr, compiles))
        return false;
    if (compiles)
        sw_variant_compile(osr);
    else
        sw_variant_look(osr);
    return sw_variant_find_osr(n) != NULL;
}

sw_variant *
sw_variant_find_osr(const sw_variant *n)
{
    sw_variant *osr = atomic_load(&n->osr);
    return osr && atomic_load_explicit(&osr->state, memory_order_acquire) ==
                       SW_VARIANT_READY
               ? osr
               : NULL;
}
