/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.c - the compiling back end: warps on fibers, what compiled code
 * calls, and the way from there to the interpreter. `sw_backend_jit` is
 * defined here.
 *
 * A warp's state begins as the interpreter's: instructions that are not worth
 * native code are executed by its functions on its frame, and a warp whose
 * lanes wait for each other goes on there. A block runs in the interpreter
 * from the start while its program is not compiled.
 *
 * Fused warps have the fiber and the context of their first one. For the engine
 * the others are where the first is, until all leave for the interpreter.
 */
#include <string.h>
#include <xmmintrin.h>

#include "exec/biased.h"
#include "jit/inline_counter.h"
#include "jit/run/deopt.h"
#include "jit/run/fetch.h"
#include "jit/run/keep.h"
#include "jit/run/observe.h"
#include "jit/run/record.h"
#include "jit/run/warp.h"
#include "jit/tune.h"

/* The same for all programs. */
static size_t
interp_bytes(const sw_program *program)
{
    size_t n = sw_backend_interp.warp_bytes(program);
    /* See sw_jit_of. */
    SW_ASSERT(n == sizeof(sw_iwarp) + 3 * SW_WARP_LANES * 4);
    return (n + 63) / 64 * 64;
}

/* ---- programs ---- */

static sw_status
jit_compile(sw_program *program, sw_diag *diag)
{
    sw_status status = sw_backend_interp.compile(program, diag);
    if (status != SW_OK)
        return status;
    sw_jit_program *code = sw_arena_alloc(program->arena, sizeof *code);
    code->interp = *(sw_interp_code *)program->code;
    pthread_mutex_init(&code->lock, NULL);
    pthread_cond_init(&code->done, NULL);
    program->code = code;
    code->records = program->tells_blocks = sw_jit_can_record(program);
    return SW_OK;
}

static void
jit_release(sw_program *program)
{
    sw_jit_program *code = program->code;
    sw_variant_destroy_all(code);
    pthread_mutex_destroy(&code->lock);
    pthread_cond_destroy(&code->done);
    sw_backend_interp.release(program);
}

/* ---- what compiled code calls ---- */

/* Which of the fused warps it is. The first one runs the others along with
 * itself. */
static unsigned
place_of(const sw_warp *warp, const sw_jit_warp *jw)
{
    return warp->index % sw_jit_fused_warps_of(jw);
}

static sw_jit_warp *
first_fused_of(const sw_warp *warp)
{
    return sw_jit_of(warp - place_of(warp, sw_jit_of(warp)));
}

static sw_jit_warp *
first_of(const sw_jit_ctx *ctx)
{
    return sw_jit_of(&sw_jit_warp_of(ctx)->blk->warps[0]);
}

/* The engine comes to know the block to which a block loop has gone. */
static void
catch_up(sw_jit_warp *first)
{
    sw_blk *blk = sw_jit_warp_of(&first->ctx)->blk;
    int32_t ahead = (int32_t)(first->block.ctaid[0] - blk->ctaid[0]);
    if (ahead)
        sw_engine_next_block(blk, blk->index + (uint64_t)(int64_t)ahead, false);
}

/* All live threads of the fused warps arrive; the generation to wait for. */
static uint32_t
arrive(const sw_jit_ctx *ctx, uint32_t barrier, uint32_t expected,
       uint32_t ones)
{
    sw_warp *warp = sw_jit_warp_of(ctx);
    uint32_t generation = warp->blk->bars[barrier].generation;
    for (unsigned w = 0; w < sw_jit_fused_warps_of(sw_jit_of(warp)); w++)
        if (ctx->live[w]) {
            sw_engine_bar_arrive(warp + w, barrier, ctx->live[w], expected,
                                 ones);
            ones = 0; /* they are all warps' together */
        }
    return generation;
}

/* The warps of a barrier ring go on one by one: those that have ended have, and
 * those that wait at its barrier arrive at the block's. */
static void
break_ring(sw_jit_ctx *ctx)
{
    const sw_jit_barrier_ring *ring = ctx->ring;
    const sw_blk *blk = sw_jit_warp_of(ctx)->blk;
    uint32_t running = ring->live - ring->arrived, n = 0;
    sw_jit_of(blk->warps)->has_joined = false;
    for (uint32_t i = 0; i < blk->warp_count;
         i += sw_jit_fused_warps_of(sw_jit_of(blk->warps)))
        if (!sw_jit_of(&blk->warps[i])->ctx.ring)
            sw_jit_end_alone(sw_jit_of(&blk->warps[i]));
    sw_jit_ctx *c = ctx;
    do {
        sw_warp *warp = sw_jit_warp_of(c);
        sw_jit_warp *jw = sw_jit_of(warp);
        jw->has_run = true;
        jw->stop = SW_STOP_YIELD;
        if (n++ >= running) { /* the last of the ring came first */
            jw->stop = SW_STOP_WAIT;
            jw->is_waiting = jw->awaits = true;
            jw->barrier = 0;
            jw->generation = arrive(c, 0, 0, c->wait ? c->ones : 0);
            c->wait = c->wait ? SW_JIT_IN_BLOCK : SW_JIT_NO_RED;
        }
        sw_jit_ctx *next = c->next;
        c->ring = NULL;
        c = next;
    } while (c != ctx);
}

void
sw_jit_wait_turn(void *arg, sw_stop stop)
{
    sw_jit_warp *jw =
        first_fused_of(sw_jit_warp_of(&((sw_jit_warp *)arg)->ctx));
    sw_fiber *root = jw->fiber;
    sw_jit_warp *first = sw_jit_of(&sw_jit_warp_of(&jw->ctx)->blk->warps[0]);
    bool breaks = jw->ctx.ring || !root;
    sw_jit_record_drain(&jw->ctx);
    if (jw->ctx.ring) {
        root = jw->ctx.ring->root;
        sw_jit_record_meet(sw_jit_warp_of(&jw->ctx)->blk, false);
        break_ring(&jw->ctx);
    } else if (!root) {
        sw_jit_break_plain(sw_jit_warp_of(&jw->ctx)->blk, first, jw);
        root = jw->fiber;
    }
    /* The engine hears of it later: what it waits for may have come by then. */
    jw->stop = breaks && stop == SW_STOP_WAIT ? SW_STOP_YIELD : stop;
    sw_fiber_leave(jw->fiber, root);
    sw_jit_record_turn(&jw->ctx);
}

/* The grid has faulted: this fiber never runs again. */
static _Noreturn void
give_up(sw_jit_warp *jw)
{
    while (true)
        sw_jit_wait_turn(jw, SW_STOP_FAULT);
}

static uint64_t
page_run(const sw_mem_view *view, uint64_t page, int step)
{
    uint64_t pages = view->bytes >> SW_MEM_PAGE_SHIFT, last = page;
    for (uint32_t i = 0; i < sw_jit_tune.window_pages; i++) {
        uint64_t to = last + (uint64_t)(int64_t)step;
        if (to >= pages || !view->pages[to])
            break;
        last = to;
    }
    return last;
}

/* Accessible bytes around an address that was accessed just now. */
static bool
surroundings(const sw_mem_view *view, uint64_t addr, uint64_t *lo, uint64_t *hi)
{
    uint64_t offset = addr - view->base;
    sw_mem_range range;
    if (offset < view->bytes && !view->exact) {
        uint64_t page = offset >> SW_MEM_PAGE_SHIFT;
        if (!view->pages[page])
            return false;
        *lo = view->base + (page_run(view, page, -1) << SW_MEM_PAGE_SHIFT);
        *hi = view->base + ((page_run(view, page, 1) + 1) << SW_MEM_PAGE_SHIFT);
        return true;
    }
    if (!sw_mem_find(addr, &range))
        return false;
    *lo = (range.base + 63) & ~UINT64_C(63);
    *hi = range.base + range.bytes;
    return *lo < *hi;
}

uint32_t
sw_jit_help_window(sw_jit_ctx *ctx, uint32_t site, uint64_t addr)
{
    uint64_t lo, hi, extent = sw_jit_variant_of(ctx)->sites[site].extent;
    if (!surroundings(sw_jit_warp_of(ctx)->blk->mem, addr, &lo, &hi) ||
        hi - lo < extent)
        return 0;
    ctx->windows[site] = (sw_jit_window){lo, hi - lo - extent};
    return addr - lo <= hi - lo - extent;
}

/* Blocks begin without the engine: one after the other, a warp has what the one
 * before has left of its stack. */
static void
begin_stack(sw_warp *warp, sw_jit_warp *jw)
{
    const sw_blk *blk = warp->blk;
    sw_iwarp *iw = warp->state;
    if (!blk->program->info.has_alloca ||
        (jw->stack_grid == blk->grid_id && jw->stack_block == blk->index))
        return;
    jw->stack_grid = blk->grid_id;
    jw->stack_block = blk->index;
    iw->root->top = jw->run.code->fn->frame_bytes;
}

void
sw_jit_help_step(sw_jit_ctx *ctx, uint32_t side_exit, uint32_t *mask)
{
    sw_warp *warp = sw_jit_warp_of(ctx);
    const sw_jit_side_exit *x = &sw_jit_variant_of(ctx)->side_exits[side_exit];
    catch_up(first_of(ctx));
    ctx->at = x->ins;
    sw_jit_expand_fused(ctx, x);
    if (ctx->is_called)
        sw_jit_called_enter(ctx);
    sw_jit_record_to(ctx, x->ins, mask);
    for (unsigned w = 0; w < sw_jit_fused_warps_of(sw_jit_of(warp)); w++) {
        sw_jit_warp *jw = sw_jit_of(warp + w);
        sw_run *run = sw_jit_run_of(ctx, w);
        uint32_t part = mask[w], stay = part;
        begin_stack(warp + w, jw);
        if (run->observe)
            sw_jit_record_special(run, x->ins, part);
        if (part &&
            !sw_interp_step(run, x->ins, part, &stay, sw_jit_wait_turn, jw))
            give_up(jw);
        ctx->live[w] &= ~(part & ~stay);
        mask[w] = stay;
    }
}

static uint32_t
help_fetch(sw_jit_ctx *ctx, uint64_t at, uint64_t texture, uint64_t sampler,
           const uint32_t *mask, uint32_t *rows)
{
    uint32_t site = (uint32_t)(at >> 32);
    sw_jit_fetch f = {.fused =
                          sw_jit_fused_warps_of(sw_jit_of(sw_jit_warp_of(ctx))),
                      .at = (uint32_t)at,
                      .texture = texture,
                      .sampler = sampler,
                      .mask = mask,
                      .rows = rows,
                      .window = &ctx->windows[site],
                      .plan = &ctx->plans[site]};
    catch_up(first_of(ctx));
    for (uint32_t w = 0; w < f.fused; w++)
        f.runs[w] = sw_jit_run_of(ctx, w);
    sw_jit_record_to(ctx, f.at, mask);
    return sw_jit_fetch_fused(&f);
}

/* The lowest live lane of the first warp that has one. */
static unsigned
first_live(const sw_jit_ctx *ctx)
{
    unsigned w = 0;
    while (w + 1 < SW_JIT_FUSED_MAX && !ctx->live[w])
        w++;
    return ctx->live[w] ? (unsigned)__builtin_ctz(ctx->live[w]) : 0;
}

static uint32_t
meet(sw_jit_ctx *ctx, uint32_t at, uint32_t id, uint32_t expected,
     uint32_t ones, bool tells)
{
    sw_warp *warp = sw_jit_warp_of(ctx);
    sw_jit_warp *jw = sw_jit_of(warp);
    const sw_dins *d = &jw->run.code->ins[at];
    catch_up(first_of(ctx));
    ctx->at = at;
    if (ctx->wait == SW_JIT_IN_BLOCK) { /* no longer: all have arrived */
        ctx->wait = SW_JIT_NO_RED;
        return sw_interp_bar_result(&warp->blk->bars[id], d->ins->sub);
    }
    if (!sw_interp_check_barrier(&jw->run, d, id, expected, first_live(ctx)))
        give_up(jw);
    if (ctx->ring) /* it knows barrier 0 only */
        sw_jit_wait_turn(jw, SW_STOP_YIELD);
    sw_jit_record_drain(ctx); /* before the barrier is complete */
    if (tells)
        sw_jit_record_arrival(ctx, at, id, expected);
    uint32_t generation = arrive(ctx, id, expected, ones);
    if (d->ins->sub == SW_BAR_ARRIVE)
        return 0;
    jw->is_waiting = true;
    jw->barrier = id;
    while (warp->blk->bars[id].generation == generation)
        sw_jit_wait_turn(jw, SW_STOP_WAIT);
    jw->is_waiting = false;
    if (tells)
        sw_jit_record_release(ctx, at, id, generation + 1);
    return sw_interp_bar_result(&warp->blk->bars[id], d->ins->sub);
}

static uint32_t
help_barrier(sw_jit_ctx *ctx, uint32_t at, uint32_t id, uint32_t expected,
             uint32_t ones)
{
    const sw_program *program = sw_jit_warp_of(ctx)->blk->program;
    return meet(ctx, at, id, expected, ones, sw_jit_records(program));
}

sw_jit_ctx *
sw_jit_sync_alone(sw_jit_ctx *ctx, uint32_t at)
{
    const sw_blk *blk = sw_jit_warp_of(ctx)->blk;
    const sw_jit_warp *jw = sw_jit_of(sw_jit_warp_of(ctx));
    uint32_t missing = blk->live_threads - blk->bars[0].threads;
    uint32_t lanes = sw_jit_count_lanes(ctx->live, sw_jit_fused_warps_of(jw));
    bool is_last = jw->fiber && missing == lanes;
    meet(ctx, at, 0, 0, 0, false);
    if (is_last && sw_fiber_is_plain())
        sw_jit_enter_ring(ctx);
    return ctx;
}

/* Lanes of some warp stay behind for others, and have for long: who waits for
 * them is to be seen to do nothing else, which the interpreter sees. */
static bool
are_held_long(const sw_interp_code *code)
{
    uint64_t at = atomic_load_explicit(&code->held_at_ns, memory_order_relaxed);
    return at && sw_time_ns() - at < sw_jit_tune.held_recent_ns;
}

/* Whether the warp has to leave. */
static bool
spin(sw_jit_ctx *ctx, uint32_t ins, const uint32_t *mask, uint32_t why)
{
    sw_jit_warp *jw = sw_jit_of(sw_jit_warp_of(ctx));
    sw_blk *blk = sw_jit_warp_of(ctx)->blk;
    bool is_fresh = why & SW_JIT_FRESH, for_others = why & SW_JIT_FOR_OTHERS;
    bool is_soon = why & SW_JIT_SOON;
    const uint32_t one = sw_jit_tune.spin_fresh;
    why &= ~(uint32_t)(SW_JIT_FRESH | SW_JIT_FOR_OTHERS | SW_JIT_SOON);
    catch_up(first_of(ctx));
    if (sw_engine_is_stopped(blk))
        give_up(jw);
    if (jw->variant->block_loop == SW_JIT_BY_WARPS && !jw->fiber)
        return false; /* it counts, and will end */
    if (is_soon && sw_jit_may_go_on(jw))
        return false;
    uint32_t epoch = blk->epoch;
    if (why != SW_JIT_SLEEPS) {
        uint32_t lanes = sw_jit_count_lanes(mask, sw_jit_fused_warps_of(jw));
        bool is_same = jw->spin_at == ins && jw->spin_epoch == epoch;
        is_fresh |= is_same && lanes < jw->spin_lanes; /* some had an answer */
        jw->spin_lanes = lanes;
        jw->spins = is_same ? jw->spins + (is_fresh ? 1 : one) : 0;
        jw->spin_at = ins;
        jw->spin_epoch = epoch;
    }
    ctx->at = ins;
    blk->went_on |= is_fresh;
    blk->stepped |= is_fresh || why == SW_JIT_RUNS_LONG;
    bool may_wait =
        why == SW_JIT_MAY_WAIT || why == SW_JIT_TRIES || why == SW_JIT_LOCKS;
    const sw_interp_code *code = blk->program->code;
    bool is_part =
        memcmp(mask, ctx->live, sw_jit_fused_warps_of(jw) * sizeof *mask) != 0;
    if (may_wait && is_part && !for_others && /* maybe for its own lanes */
        (why == SW_JIT_LOCKS || jw->spins > sw_jit_tune.spin_few * one ||
         atomic_load_explicit(&code->lanes_wait, memory_order_relaxed)))
        return true;
    if (may_wait && jw->spins > sw_jit_tune.spin_few * one &&
        are_held_long(code))
        return true;
    sw_jit_wait_turn(jw, SW_STOP_YIELD);
    return why == SW_JIT_RUNS_LONG || why == SW_JIT_TRIES
               ? jw->spins > sw_jit_tune.spin_long * one
               : may_wait && jw->spins > sw_jit_tune.spin_many * one &&
                     (!for_others || sw_engine_is_still());
}

static uint32_t
help_spin(sw_jit_ctx *ctx, uint32_t ins, const uint32_t *mask, uint32_t why)
{
    bool side_exits = spin(ctx, ins, mask, why);
    if (side_exits)
        sw_jit_osr_end(sw_jit_warp_of(ctx));
    return side_exits;
}

static void
help_end(sw_jit_ctx *ctx, const uint32_t *mask)
{
    sw_warp *warp = sw_jit_warp_of(ctx);
    sw_jit_warp *first = first_of(ctx);
    catch_up(first);
    sw_jit_record_drain(ctx);
    first->lanes_ended = true;
    /* The next block begins with all lanes. */
    first->block.last_x = first->block.ctaid[0];
    for (unsigned w = 0; w < sw_jit_fused_warps_of(sw_jit_of(warp)); w++) {
        uint32_t part = mask[w];
        ctx->live[w] &= ~part;
        if (part)
            sw_engine_lanes_end(warp + w, part);
    }
}

/* The warp begins in compiled code. */
static void
open_warp(sw_warp *warp)
{
    sw_jit_warp *jw = sw_jit_of(warp);
    sw_interp_resume(warp, warp->lanes);
    sw_interp_open(warp, &jw->run);
    first_fused_of(warp)->ctx.live[place_of(warp, jw)] = warp->lanes;
}

/* The interpreter's paths of a warp that leaves. */
static void
make_paths(sw_warp *warp, const sw_jit_ctx *ctx, const sw_jit_side_exit *x,
           const uint32_t *mask, unsigned w)
{
    const sw_variant *n = sw_jit_of(warp)->variant;
    const sw_fn *fn = sw_jit_of(warp)->run.code->fn;
    uint32_t at = 0, part = mask[w];
    sw_interp_resume(warp, ctx->live[w]);
    if (part)
        sw_interp_add_path(warp, x->ins, UINT32_MAX, part);
    for (uint32_t b = 0; b < fn->block_count; b++) {
        part = ctx->pending[b * n->fused + w];
        if (part)
            sw_interp_add_path(warp, at, UINT32_MAX, part);
        at += fn->blocks[b]->count;
    }
    for (uint32_t l = 1; l < n->latch_count; l++) {
        part = ctx->pending[(fn->block_count + l) * n->fused + w];
        if (part)
            sw_interp_add_path(warp, n->latches[l].ins, n->latches[l].position,
                               part);
    }
}

static sw_stop run_interpreted(sw_warp *warp, sw_jit_warp *jw);

/* Fused warps that left are interpreted to their end, and are then as
 * they begin. They cannot wait for anybody. */
static void
interpret_to_end(sw_jit_warp *jw)
{
    sw_warp *warp = sw_jit_warp_of(&jw->ctx);
    sw_blk *blk = warp->blk;
    for (unsigned w = 0; w < sw_jit_fused_warps_of(jw); w++, warp++) {
        sw_stop stop = SW_STOP_YIELD;
        while (stop != SW_STOP_DONE) {
            if (stop == SW_STOP_FAULT || sw_engine_is_stopped(blk))
                give_up(jw);
            stop = run_interpreted(warp, sw_jit_of(warp));
        }
    }
    sw_engine_next_block(blk, blk->index, true);
    warp = sw_jit_warp_of(&jw->ctx);
    for (unsigned w = 0; w < sw_jit_fused_warps_of(jw); w++, warp++) {
        sw_backend_interp.warp_start(warp);
        open_warp(warp);
        sw_jit_of(warp)->has_left = false;
    }
}

void
sw_jit_tell_of_side_exit(sw_jit_ctx *ctx, const sw_jit_side_exit *x)
{
    enum { MOST = 8 };
    char place[256];
    sw_variant *n = sw_jit_of(sw_jit_warp_of(ctx))->variant;
    const sw_code *code = sw_jit_run_of(ctx, 0)->code;
    if (!sw_log_is_on(SW_LOG_DEBUG) ||
        atomic_fetch_add(&n->leaves_told, 1) >= MOST)
        return;
    sw_ins_place(code->fn, code->ins[x->ins].ins, place, sizeof place);
    sw_log(SW_LOG_DEBUG, "%s: a warp goes on in the interpreter, at %s",
           n->program->kernel->name, place);
}

static void
help_side_exit(sw_jit_ctx *ctx, uint32_t side_exit, const uint32_t *mask)
{
    sw_warp *warp = sw_jit_warp_of(ctx);
    sw_jit_warp *jw = sw_jit_of(warp);
    sw_variant *n = jw->variant;
    const sw_jit_side_exit *x = &n->side_exits[side_exit];
    catch_up(first_of(ctx));
    sw_jit_record_drain(ctx);
    sw_jit_tell_of_side_exit(ctx, x);
    sw_jit_expand_fused(ctx, x);
    if (n->has_local_rows)
        sw_jit_sort_local(ctx->local, ctx->local_stride,
                          SW_WARP_LANES * n->fused);
    for (unsigned w = 0; w < n->fused; w++) {
        make_paths(warp + w, ctx, x, mask, w);
        sw_jit_called_end(warp + w, x->ins);
        sw_jit_of(warp + w)->has_left = true;
    }
    memset(ctx->pending, 0,
           (jw->run.code->fn->block_count + n->latch_count) * n->fused *
               sizeof *ctx->pending);
    if (n->block_loop == SW_JIT_BY_WARPS && !jw->fiber) {
        interpret_to_end(jw);
        return;
    }
    while (true)
        sw_jit_wait_turn(jw, SW_STOP_YIELD);
}

static uint32_t
help_by_plan(sw_jit_ctx *ctx, const sw_tex_plan *plan, uint32_t *rows,
             uint32_t lanes, const uint32_t *mask)
{
    (void)ctx;
    return (*(sw_tex_access *const *)(const void *)plan)(plan, rows, lanes,
                                                         mask);
}

/* ---- the same from code that flushes ---- */

/* What computes with numbers of the program does so as sem has it; what only
 * moves them, and counts, may as well flush. Returns the state to go back to.
 */
static unsigned
stop_flushing(void)
{
    unsigned state = _mm_getcsr();
    _mm_setcsr(state & ~(unsigned)SW_JIT_FLUSHES);
    return state;
}

void
sw_jit_plain_step(sw_jit_ctx *ctx, uint32_t side_exit, uint32_t *mask)
{
    unsigned state = stop_flushing();
    sw_jit_help_step(ctx, side_exit, mask);
    _mm_setcsr(state);
}

static void
plain_side_exit(sw_jit_ctx *ctx, uint32_t side_exit, const uint32_t *mask)
{
    unsigned state = stop_flushing();
    help_side_exit(ctx, side_exit, mask);
    _mm_setcsr(state);
}

static uint32_t
plain_fetch(sw_jit_ctx *ctx, uint64_t at, uint64_t texture, uint64_t sampler,
            const uint32_t *mask, uint32_t *rows)
{
    unsigned state = stop_flushing();
    uint32_t done = help_fetch(ctx, at, texture, sampler, mask, rows);
    _mm_setcsr(state);
    return done;
}

static uint32_t
plain_by_plan(sw_jit_ctx *ctx, const sw_tex_plan *plan, uint32_t *rows,
              uint32_t lanes, const uint32_t *mask)
{
    unsigned state = stop_flushing();
    uint32_t done = help_by_plan(ctx, plan, rows, lanes, mask);
    _mm_setcsr(state);
    return done;
}

/* By whether the code flushes; of functions that are called. */
enum { OF_CALLED = 2 };
static sw_jit_code *const helpers[3][SW_JIT_HELPER_COUNT] = {
#define HELPERS(step, rare_step, side_exit, fetch, by_plan)                    \
    {                                                                          \
        [SW_JIT_STEP] = (sw_jit_code *)(step),                                 \
        [SW_JIT_RARE_STEP] = (sw_jit_code *)(rare_step),                       \
        [SW_JIT_WINDOW] = (sw_jit_code *)sw_jit_keep_window,                   \
        [SW_JIT_SYNC] = (sw_jit_code *)sw_jit_sync,                            \
        [SW_JIT_BARRIER] = (sw_jit_code *)help_barrier,                        \
        [SW_JIT_SPIN] = (sw_jit_code *)help_spin,                              \
        [SW_JIT_END] = (sw_jit_code *)help_end,                                \
        [SW_JIT_DONE] = (sw_jit_code *)sw_jit_done,                            \
        [SW_JIT_SIDE_EXIT] = (sw_jit_code *)(side_exit),                       \
        [SW_JIT_ACCESS] = (sw_jit_code *)sw_jit_help_access,                   \
        [SW_JIT_ACCESS_FUSED] = (sw_jit_code *)sw_jit_help_access_fused,       \
        [SW_JIT_ACCESS_AT] = (sw_jit_code *)sw_jit_help_access_at,             \
        [SW_JIT_DRAIN] = (sw_jit_code *)sw_jit_record_drain,                   \
        [SW_JIT_VALUES] = (sw_jit_code *)sw_jit_record_values,                 \
        [SW_JIT_FETCH] = (sw_jit_code *)(fetch),                               \
        [SW_JIT_BY_PLAN] = (sw_jit_code *)(by_plan)                            \
    }
    HELPERS(sw_jit_help_step, sw_jit_keep_step, help_side_exit, help_fetch,
            help_by_plan),
    HELPERS(sw_jit_plain_step, sw_jit_keep_plain_step, plain_side_exit,
            plain_fetch, plain_by_plan),
    HELPERS(sw_jit_help_step, sw_jit_keep_step, sw_jit_called_side_exit,
            help_fetch, help_by_plan)
#undef HELPERS
};

/* ---- fibers of warps ---- */

void
sw_jit_put_fiber(sw_jit_warp *jw)
{
    sw_fiber_put(jw->fiber);
    jw->fiber = NULL;
    jw->ctx.fiber = NULL;
}

void
sw_jit_end_warp(sw_jit_warp *jw)
{
    for (unsigned w = 0; w < sw_jit_fused_warps_of(jw); w++)
        if (jw->ctx.live[w]) {
            help_end(&jw->ctx, jw->ctx.live);
            return;
        }
}

void
sw_jit_end_alone(sw_jit_warp *jw)
{
    sw_jit_end_warp(jw);
    jw->has_run = true;
    jw->stop = SW_STOP_DONE;
}

/* The fiber's function: the warp in one block after another. */
static void
run_variant(void *arg)
{
    sw_jit_warp *jw = arg;
    while (true) {
        jw->entry(&jw->ctx);
        sw_jit_end_warp(jw);
        sw_jit_wait_turn(jw, SW_STOP_DONE);
    }
}

void
sw_jit_come_back(void *arg)
{
    sw_jit_warp *jw = arg;
    sw_jit_done(&jw->ctx); /* does not return to here if it is in one */
    sw_jit_end_warp(jw);
    while (true)
        sw_jit_wait_turn(jw, SW_STOP_DONE);
}

bool
sw_jit_get_fiber(sw_jit_warp *jw)
{
    if (!jw->fiber)
        jw->fiber = sw_fiber_get(run_variant, jw);
    jw->ctx.fiber = jw->fiber;
    return jw->fiber != NULL;
}

/* ---- warps one by one ---- */

static size_t
warp_bytes(const sw_program *program)
{
    return interp_bytes(program) + sizeof(sw_jit_warp);
}

void
sw_jit_set_up(sw_warp *warp, sw_jit_warp *jw)
{
    const sw_blk *blk = warp->blk;
    const sw_iwarp *iw = warp->state;
    const sw_variant *n = jw->variant;
    sw_jit_ctx *ctx = &jw->ctx;
    sw_jit_warp *first = sw_jit_of(&blk->warps[0]);
    unsigned place = place_of(warp, jw);
    ctx->helpers = helpers[n->flushes];
    ctx->warp = warp;
    ctx->index = warp->index;
    sw_jit_of(warp - place)->ctx.lanes[place] = warp->lanes;
    sw_jit_of(warp - place)->ctx.frames[place] = iw->root->regs;
    ctx->block = &first->block;
    ctx->shared = blk->shared;
    ctx->shared_bytes = blk->shared_bytes;
    ctx->local = warp->local;
    ctx->local_stride = blk->local_stride;
    ctx->syms = n->syms;
    ctx->biased = &sw_exec_biased;
    ctx->view = blk->mem;
    ctx->partitions = n->entries;
    for (int k = 0; k < 3; k++) {
        ctx->tid[k] = iw->tid[k];
        ctx->tid0[k] = iw->tid[k][0];
        ctx->ntid[k] = blk->ntid[k];
    }
    jw->entry = n->entry;
    if (n->phases > 1) {
        jw->entry = n->entries[warp->index / n->fused % n->phases];
        ctx->tid0[0] = n->fused > 1 ? ctx->tid0[0] : 0;
    }
    if (!first->windows) {
        first->windows = sw_alloc((n->site_count + 1) * sizeof(sw_jit_window));
        first->plans = sw_alloc((n->site_count + 1) * sizeof(sw_tex_plan *));
        first->site_count = n->site_count;
        first->memory = UINT64_MAX;
    }
    ctx->windows = first->windows;
    ctx->plans = first->plans;
    uint32_t pending = blk->program->kernel->block_count + n->latch_count;
    ctx->pending = sw_alloc((pending + 1) * n->fused * sizeof *ctx->pending);
    sw_jit_called_open(warp, jw, helpers[OF_CALLED]);
}

/* Windows are good as long as nothing was freed, and handles stand for what
 * they did. */
void
sw_jit_check_windows(const sw_blk *blk, sw_jit_warp *first)
{
    const uint64_t *changes = blk->env->texture_changes;
    uint64_t now = sw_mem_generation();
    uint64_t textures =
        changes ? __atomic_load_n(changes, __ATOMIC_ACQUIRE) : 0;
    if (first->memory == now && first->textures == textures)
        return;
    for (uint32_t i = 0; i < first->site_count; i++)
        first->windows[i] = SW_JIT_NO_WINDOW;
    for (uint32_t i = 0; i < blk->warp_count; i++)
        sw_jit_called_forget(sw_jit_of(&blk->warps[i]));
    first->memory = now;
    first->textures = textures;
}

void
sw_jit_set_up_block(const sw_blk *blk)
{
    sw_jit_blk *block = &sw_jit_of(&blk->warps[0])->block;
    block->params = blk->params;
    block->workspace = blk->workspace;
    block->environment = blk->environment;
    for (int k = 0; k < 3; k++) {
        block->ctaid[k] = blk->ctaid[k];
        block->nctaid[k] = blk->nctaid[k];
    }
    block->first_x = block->last_x = blk->ctaid[0];
}

/* Nobody takes turns, and code counts or tells events, or there are none. */
static bool
may_compile(const sw_blk *blk)
{
    const sw_observer *ob = blk->observer;
    uint32_t events = blk->program->events;
    return !sw_turns_holds(blk) &&
           (!events || sw_jit_records(blk->program) ||
            ((events & SW_EV_INLINE) && ob && ob->inline_counter));
}

bool
sw_jit_is_ready(const sw_blk *blk, const sw_variant *n)
{
    return atomic_load_explicit(&n->state, memory_order_acquire) ==
               SW_VARIANT_READY &&
           may_compile(blk);
}

void
sw_jit_close(sw_jit_warp *jw)
{
    sw_jit_put_fiber(jw);
    sw_jit_record_close(jw);
    sw_fiber_put(jw->plain);
    sw_jit_called_close(jw);
    sw_free(jw->ctx.pending);
    for (uint32_t i = 0; i < jw->site_count; i++)
        sw_free(jw->plans[i]);
    sw_free(jw->plans);
    sw_free(jw->windows);
    memset(jw, 0, sizeof *jw);
}

static void
warp_finish(sw_warp *warp)
{
    sw_jit_close(sw_jit_of(warp));
    sw_backend_interp.warp_finish(warp);
}

void
sw_jit_find_variant(const sw_blk *blk, sw_jit_warp *first)
{
    if (!first->variant)
        first->variant = first->base =
            sw_variant_find(blk->program, blk->ntid, blk->is_large_grid);
    if (first->variant->is_osr) /* that was for one block */
        sw_jit_change_variant(blk, first->base);
    if (may_compile(blk))
        sw_variant_prepare(first->variant);
}

void
sw_jit_change_variant(const sw_blk *blk, sw_variant *variant)
{
    sw_jit_warp *first = sw_jit_of(&blk->warps[0]);
    sw_variant *base = first->base;
    for (uint32_t i = 0; i < blk->warp_count; i++)
        warp_finish(&blk->warps[i]);
    first->variant = variant;
    first->base = base;
}

static void
warp_start(sw_warp *warp)
{
    sw_jit_warp *jw = sw_jit_of(warp);
    sw_blk *blk = warp->blk;
    sw_jit_warp *first = sw_jit_of(&blk->warps[0]);
    if (warp->index == 0) {
        sw_jit_find_variant(blk, first);
        if (may_compile(blk) && !sw_jit_is_ready(blk, first->variant))
            sw_variant_begin_block(first->variant, blk);
        first->is_clean = false;
        first->is_native = sw_jit_is_ready(blk, first->variant);
        first->work = 0;
    }
    if (!jw->is_set_up)
        jw->was_interpreted = true;
    jw->is_set_up = true;
    jw->variant = first->variant;
    jw->is_native = first->is_native;
    sw_jit_put_fiber(jw); /* of a block that was given up, or a ring */
    if (!jw->is_native || jw->was_interpreted)
        sw_backend_interp.warp_start(warp);
    jw->was_interpreted = !jw->is_native;
    jw->has_left = jw->is_waiting = jw->has_run = jw->awaits = false;
    jw->ctx.ring = NULL;
    jw->ctx.follow = NULL;
    if (!jw->is_native)
        return;
    if (!jw->ctx.helpers)
        sw_jit_set_up(warp, jw);
    if (warp->index == 0) {
        sw_jit_check_windows(blk, jw);
        sw_jit_set_up_block(blk);
        sw_jit_record_begin(blk, jw);
    }
    open_warp(warp);
}

static sw_stop
run_interpreted(sw_warp *warp, sw_jit_warp *jw)
{
    uint64_t before = warp->lane_ins;
    sw_stop stop = sw_backend_interp.warp_run(warp);
    /* A warp of few lanes takes as long. */
    uint64_t work = (warp->lane_ins - before) *
                    (SW_WARP_LANES / (unsigned)__builtin_popcount(warp->lanes));
    sw_jit_of(&warp->blk->warps[0])->work += work;
    if (may_compile(warp->blk))
        sw_variant_note_work(jw->variant, warp->blk, work);
    return stop;
}

/* A warp that the interpreter has, as far as it goes there. True: it goes on in
 * compiled code. */
static bool
leaves_interpreter(sw_warp *warp, sw_jit_warp *jw, sw_stop *stop)
{
    const sw_blk *blk = warp->blk;
    if (!jw->is_native && may_compile(blk) && !sw_jit_records(blk->program) &&
        sw_variant_wants_osr(jw->variant, blk, sw_jit_of(&blk->warps[0])->work))
        sw_jit_osr_begin(warp->blk);
    *stop = run_interpreted(warp, jw);
    return *stop == SW_STOP_YIELD && sw_jit_osr_enter(warp);
}

void
sw_jit_take_count(sw_warp *warp, sw_jit_warp *jw)
{
    warp->lane_ins += jw->ctx.lane_ins;
    jw->ctx.lane_ins = 0;
    for (uint32_t i = 0; i < jw->called_count; i++)
        if (jw->called[i]) {
            warp->lane_ins += jw->called[i]->ctx.lane_ins;
            jw->called[i]->ctx.lane_ins = 0;
        }
}

/* What the warp's fiber has come to. */
static sw_stop
tell(sw_warp *warp, sw_jit_warp *jw)
{
    jw->has_run = false;
    sw_jit_take_count(warp, jw);
    if (jw->has_left) {
        sw_jit_put_fiber(jw);
        jw->was_interpreted = true;
        return run_interpreted(warp, jw);
    }
    if (jw->stop == SW_STOP_DONE)
        sw_jit_put_fiber(jw);
    return jw->stop;
}

static sw_stop
warp_run(sw_warp *warp)
{
    sw_jit_warp *jw = sw_jit_of(warp);
    if (jw->is_native && place_of(warp, jw)) {
        if (!jw->has_left) /* it has just had its turn */
            return (warp - place_of(warp, jw))->stop;
        jw->was_interpreted = true;
    }
    sw_stop stop;
    if ((!jw->is_native || (jw->has_left && !jw->fiber)) &&
        !leaves_interpreter(warp, jw, &stop))
        return stop;
    if (jw->awaits && warp->blk->bars[jw->barrier].generation != jw->generation)
        jw->awaits = jw->is_waiting = jw->has_run = false;
    if (jw->has_run)
        return tell(warp, jw);
    if (jw->awaits)
        return SW_STOP_WAIT;
    if (!sw_jit_get_fiber(jw)) {
        sw_engine_fault(warp, jw->run.code->fn, jw->run.code->ins[0].ins,
                        SW_WARP_LANES, SW_E_NOMEM, SW_FAULT_PLAIN, 0,
                        "no memory for the stack of a warp");
        return SW_STOP_FAULT;
    }
    sw_fiber_enter(jw->fiber, jw->variant->flushes);
    sw_jit_end_ring(warp->blk);
    return tell(warp, jw);
}

static size_t
warp_places(const sw_warp *warp, sw_place *out, size_t room)
{
    const sw_jit_warp *jw = sw_jit_of(warp);
    if (!jw->is_native || jw->has_left)
        return sw_backend_interp.warp_places(warp, out, room);
    const sw_iwarp *iw = warp->state;
    if (iw->path_count) /* inside a call */
        return sw_backend_interp.warp_places(warp, out, room);
    const sw_jit_warp *first = first_fused_of(warp);
    uint32_t live = first->ctx.live[place_of(warp, jw)];
    if (!room || !live)
        return 0;
    out[0] = (sw_place){.fn = jw->run.code->fn,
                        .ins = jw->run.code->ins[first->ctx.at].ins,
                        .mask = live,
                        .is_waiting = first->is_waiting,
                        .barrier = first->barrier};
    return 1;
}

const sw_backend sw_backend_jit = {.name = "jit",
                                   .compile = jit_compile,
                                   .release = jit_release,
                                   .is_busy = sw_variant_is_busy,
                                   .warp_bytes = warp_bytes,
                                   .warp_start = warp_start,
                                   .warp_run = warp_run,
                                   .run_blocks = sw_jit_run_blocks,
                                   .warp_finish = warp_finish,
                                   .warp_places = warp_places};
