/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - the interpreter's main loop: paths of a warp, branches, calls,
 * barriers; see interp.h. `sw_backend_interp` is defined here.
 */
#include <string.h>

#include "interp/late.h"
#include "interp/tune.h"

/* ---- frames ---- */

sw_frame *
sw_interp_new_frame(sw_iwarp *iw, const sw_code *code)
{
    for (sw_frame **at = &iw->free_frames; *at; at = &(*at)->next)
        if ((*at)->code == code) {
            sw_frame *frame = *at;
            *at = frame->next;
            return frame;
        }
    sw_frame *frame = sw_alloc(sizeof *frame);
    uint8_t *memory = sw_alloc(code->reg_bytes + 64);
    frame->code = code;
    frame->memory = memory;
    frame->regs = memory + (64 - (uintptr_t)memory % 64) % 64;
    return frame;
}

static void
put_frame(sw_iwarp *iw, sw_frame *frame)
{
    frame->next = iw->free_frames;
    iw->free_frames = frame;
}

/* Lanes leave activations: all down to `until` (not included). */
static void
leave_frames(sw_iwarp *iw, sw_frame *frame, const sw_frame *until,
             uint32_t mask)
{
    while (frame != until) {
        sw_frame *up = frame->up;
        bool was_live = frame->live != 0; /* else it has been put already */
        frame->live &= ~mask;
        if (was_live && !frame->live && up && frame->memory)
            put_frame(iw, frame);
        frame = up;
    }
}

/* ---- life of a warp ---- */

static size_t
warp_bytes(const sw_program *program)
{
    (void)program;
    return sizeof(sw_iwarp) + 3 * SW_WARP_LANES * sizeof(uint32_t);
}

static void
warp_start(sw_warp *warp)
{
    sw_iwarp *iw = warp->state;
    const sw_blk *blk = warp->blk;
    const sw_interp_code *all = blk->program->code;
    if (!iw->is_set_up) {
        uint32_t *tid = (uint32_t *)(iw + 1);
        for (int k = 0; k < 3; k++)
            iw->tid[k] = tid + k * SW_WARP_LANES;
        for (uint32_t i = 0; i < SW_WARP_LANES; i++) {
            uint32_t t = warp->index * SW_WARP_LANES + i;
            iw->tid[0][i] = t % blk->ntid[0];
            iw->tid[1][i] = t / blk->ntid[0] % blk->ntid[1];
            iw->tid[2][i] = t / blk->ntid[0] / blk->ntid[1];
        }
        iw->root = sw_interp_new_frame(iw, &all->codes[0]);
        iw->is_set_up = true;
    }
    /* What an abandoned block left behind. */
    for (uint32_t i = 0; i < iw->path_count; i++)
        leave_frames(iw, iw->paths[i].frame, iw->root, UINT32_MAX);
    sw_frame *root = iw->root;
    root->live = warp->lanes;
    root->depth = root->local = 0;
    root->top = root->code->fn->frame_bytes;
    iw->path_count = 1;
    iw->current = 0;
    iw->held = 0;
    iw->paths[0] = (sw_path){.frame = root,
                             .position = root->code->positions[0],
                             .mask = warp->lanes,
                             .check_at = sw_interp_tune.spin_check};
}

static void
free_frame(sw_frame *frame)
{
    sw_free(frame->memory);
    sw_free(frame);
}

static void
warp_finish(sw_warp *warp)
{
    sw_iwarp *iw = warp->state;
    if (!iw->is_set_up)
        return;
    for (uint32_t i = 0; i < iw->path_count; i++)
        leave_frames(iw, iw->paths[i].frame, iw->root, UINT32_MAX);
    while (iw->free_frames) {
        sw_frame *frame = iw->free_frames;
        iw->free_frames = frame->next;
        free_frame(frame);
    }
    free_frame(iw->root);
    memset(iw, 0, sizeof *iw);
}

static size_t
warp_places(const sw_warp *warp, sw_place *out, size_t room)
{
    const sw_iwarp *iw = warp->state;
    size_t n = 0;
    for (uint32_t i = 0; i < iw->path_count && n < room; i++) {
        const sw_path *p = &iw->paths[i];
        const sw_code *code = p->frame->code;
        out[n++] = (sw_place){
            .fn = code->fn,
            .ins = code->ins[p->pc < code->count ? p->pc : code->count - 1].ins,
            .mask = p->mask,
            .is_waiting = p->state != SW_PATH_RUN,
            .barrier = p->state == SW_PATH_BARRIER   ? p->barrier
                       : p->state == SW_PATH_CLUSTER ? SW_PLACE_CLUSTER
                                                     : SW_BARRIERS};
    }
    return n;
}

/* ---- paths ---- */

static void
remove_path(sw_iwarp *iw, uint32_t i)
{
    iw->paths[i] = iw->paths[--iw->path_count];
}

/* Joins runnable paths that stand at the same place. */
static void
merge_paths(sw_iwarp *iw)
{
    for (uint32_t i = 0; i < iw->path_count; i++)
        for (uint32_t k = i + 1; k < iw->path_count; k++) {
            sw_path *a = &iw->paths[i], *b = &iw->paths[k];
            if (a->pc != b->pc || a->frame != b->frame ||
                a->position != b->position || a->state != b->state ||
                a->has_yielded != b->has_yielded ||
                a->state == SW_PATH_BARRIER || a->state == SW_PATH_CLUSTER)
                continue;
            a->mask |= b->mask;
            a->is_spin = a->is_spin && b->is_spin;
            a->has_atomics = a->has_atomics || b->has_atomics;
            a->had_atomics = a->had_atomics || b->had_atomics;
            a->has_tried = a->has_tried || b->has_tried;
            if (b->long_runs > a->long_runs)
                a->long_runs = b->long_runs;
            if (b->tries > a->tries)
                a->tries = b->tries;
            if (b->back_edges < a->back_edges) {
                a->back_edges = b->back_edges;
                a->check_at = b->check_at;
                a->check_pc = b->check_pc;
            }
            remove_path(iw, k--);
        }
}

/* bar.red: the result goes to the lanes that waited. */
static void
write_reduction(const sw_blk *blk, sw_path *p)
{
    const sw_dins *d = &p->frame->code->ins[p->pc];
    const sw_bar *bar = &blk->bars[p->barrier];
    sw_lane_ctx x = {{p->frame->regs, p->frame->code->consts}};
    if (d->ins->sub < SW_BAR_RED_POPC || d->ndst == 0)
        return;
    uint64_t value = sw_interp_bar_result(bar, d->ins->sub);
    sw_class cls = sw_ins_class(p->frame->code->fn, d->ins, 0);
    for (uint32_t m = p->mask; m; m &= m - 1)
        sw_interp_put(&x, sw_dins_orefs(d)[0], cls, (unsigned)__builtin_ctz(m),
                      value);
}

static bool
is_bar_warp(const sw_path *p)
{
    return p->frame->code->ins[p->pc].kind == SW_K_BAR_WARP;
}

/* bar.warp.sync: lanes may come to it at different instructions. */
static uint32_t
lanes_at_bar_warp(const sw_iwarp *iw, uint32_t wanted)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < iw->path_count; i++) {
        const sw_path *p = &iw->paths[i];
        if (p->state == SW_PATH_LANES && p->wanted == wanted && is_bar_warp(p))
            mask |= p->mask;
    }
    return mask;
}

/* A path goes on from a barrier, of its block or of the cluster. */
static void
observe_release(sw_warp *warp, sw_iwarp *iw, const sw_path *p)
{
    sw_run run = {.warp = warp, .iw = iw};
    sw_interp_observe_warp(&run);
    if (!run.observe)
        return;
    bool is_cluster = p->state == SW_PATH_CLUSTER;
    sw_interp_observe_release(
        &run, p->frame->code, p->pc, p->mask, is_cluster ? 0 : p->barrier,
        (is_cluster ? warp->at_cluster.generation : p->generation) + 1);
}

/* Sets those running whose wait is over. */
static void
wake_paths(sw_warp *warp, sw_iwarp *iw)
{
    bool woke = false;
    uint32_t warp_syncs = 0, met = 0;
    for (uint32_t i = 0; i < iw->path_count; i++) {
        sw_path *p = &iw->paths[i];
        if (p->state == SW_PATH_BARRIER &&
            warp->blk->bars[p->barrier].generation != p->generation) {
            write_reduction(warp->blk, p);
            if (warp->blk->program->events & SW_EV_BARRIER)
                observe_release(warp, iw, p);
            p->state = SW_PATH_RUN;
            p->pc++;
            woke = true;
        } else if (p->state == SW_PATH_CLUSTER &&
                   sw_engine_cluster_passed(warp, p->mask)) {
            if (warp->blk->program->events & SW_EV_BARRIER)
                observe_release(warp, iw, p);
            p->state = SW_PATH_RUN;
            p->pc++;
            woke = true;
        } else if (p->state == SW_PATH_LANES) {
            if (is_bar_warp(p)) {
                uint32_t there = lanes_at_bar_warp(iw, p->wanted);
                if (!(p->wanted & ~there & ~warp->ended))
                    warp_syncs |= 1u << i;
            } else if (!(p->wanted & ~p->mask & ~warp->ended)) {
                p->state = SW_PATH_RUN;
                woke = true;
            } else if (sw_interp_have_met(iw, p, warp->ended)) {
                met |= 1u << i;
            }
        }
    }
    for (; met; met &= met - 1) {
        sw_path *p = &iw->paths[__builtin_ctz(met)];
        p->state = SW_PATH_RUN;
        p->meets = true;
        woke = true;
    }
    for (; warp_syncs; warp_syncs &= warp_syncs - 1) {
        sw_path *p = &iw->paths[__builtin_ctz(warp_syncs)];
        p->state = SW_PATH_RUN;
        p->pc++;
        woke = true;
    }
    if (woke && iw->path_count > 1)
        merge_paths(iw);
}

/* The path to run now, or NULL: all wait, or (all_yielded) all have had their
 * turn, or wait for some that have. */
static sw_path *
pick_path(sw_warp *warp, sw_iwarp *iw, bool *all_yielded)
{
    sw_path *best = NULL;
    bool any_yielded = false;
    if (iw->path_count > 1)
        merge_paths(iw);
    wake_paths(warp, iw);
    for (uint32_t i = 0; i < iw->path_count; i++) {
        sw_path *p = &iw->paths[i];
        if (p->state != SW_PATH_RUN)
            continue;
        any_yielded = any_yielded || p->has_yielded;
        if (!best ||
            (p->has_yielded == best->has_yielded ? sw_interp_goes_first(p, best)
                                                 : best->has_yielded))
            best = p;
    }
    *all_yielded = best && any_yielded &&
                   (best->has_yielded || !sw_interp_may_pass(warp, best));
    if (*all_yielded)
        return NULL;
    if (best) /* a lane that waited at a latch goes on at the header */
        best->position =
            best->frame->code
                ->positions[best->frame->code->ins[best->pc].block];
    return best;
}

/* ---- control flow ---- */

typedef enum { GO_ON, RESCHEDULE, FAULT } verdict;

static void
end_lanes(sw_run *run, sw_path *p, uint32_t mask)
{
    leave_frames(run->iw, p->frame, NULL, mask);
    p->mask &= ~mask;
    sw_engine_lanes_end(run->warp, mask);
    if (run->observe)
        sw_interp_observe_exit(run, mask);
}

/* These lanes become a path of their own. Both stand in this block, even if
 * they came to it alone by a back edge: go_to. */
static sw_path *
split_path(sw_run *run, sw_path *p, uint32_t mask)
{
    sw_path *other = &run->iw->paths[run->iw->path_count++];
    const sw_code *code = p->frame->code;
    p->position = code->positions[code->ins[p->pc].block];
    *other = *p;
    other->mask = mask;
    p->mask &= ~mask;
    return other;
}

/* The lanes of the path whose guard is false go on behind the instruction. */
static void
let_rest_go(sw_run *run, sw_path *p, uint32_t mask)
{
    if (mask == p->mask)
        return;
    sw_path *rest = split_path(run, p, p->mask & ~mask);
    rest->pc = p->pc + 1;
}

static verdict
enter_call(sw_run *run, sw_path *p, const sw_dins *d, uint32_t mask)
{
    const sw_dcall *call = d->aux;
    const sw_code *code = call->code;
    if (call->builtin >= 0) {
        p->pc++;
        return sw_interp_builtin(run, d, mask) ? GO_ON : FAULT;
    }
    if (!code) { /* indirect: one path for each function called */
        sw_oref o = sw_dins_orefs(d)[d->ndst];
        unsigned first = (unsigned)__builtin_ctz(mask);
        uint64_t address =
            sw_interp_get(&run->x, o, (sw_class)d->src_class, first);
        uint32_t same = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            if (sw_interp_get(&run->x, o, (sw_class)d->src_class, i) == address)
                same |= 1u << i;
        }
        uint32_t index = sw_program_find_fn(run->warp->blk->program, address);
        if (index == UINT32_MAX) {
            sw_engine_fault(run->warp, run->code->fn, d->ins, first,
                            SW_E_INVALID_PC, SW_FAULT_ADDRESS, address,
                            "call through a pointer that is no function");
            return FAULT;
        }
        const sw_interp_code *all = run->warp->blk->program->code;
        code = &all->codes[index];
        if (code->param_count != call->arg_count ||
            code->ret_count != call->ret_count) {
            sw_engine_fault(run->warp, run->code->fn, d->ins, first,
                            SW_E_INVALID_PC, SW_FAULT_ADDRESS, address,
                            "call through a pointer to '%s', which takes %u "
                            "arguments, not %u",
                            code->fn->name, code->param_count, call->arg_count);
            return FAULT;
        }
        if (same != mask) { /* the others come back to this instruction */
            split_path(run, p, mask & ~same);
            mask = same;
        }
    }
    let_rest_go(run, p, mask);
    sw_frame *up = p->frame;
    uint32_t top = up->top + code->fn->frame_bytes + SW_CALL_BYTES;
    if (top > run->warp->blk->local_stride) {
        sw_engine_fault(
            run->warp, run->code->fn, d->ins, (unsigned)__builtin_ctz(mask),
            SW_E_ILLEGAL_ADDRESS, SW_FAULT_PLAIN, 0,
            "stack overflow: calling '%s' at depth %u needs %u "
            "bytes of stack a thread, the limit is %u (see "
            "cudaDeviceSetLimit, cudaLimitStackSize)",
            code->fn->name, up->depth + 1, top, run->warp->blk->local_stride);
        return FAULT;
    }
    sw_frame *frame = sw_interp_new_frame(run->iw, code);
    frame->up = up;
    frame->live = mask;
    frame->depth = up->depth + 1;
    frame->local = up->top;
    frame->top = top;
    frame->return_pc = p->pc + 1;
    frame->call = call;
    sw_lane_ctx x = {{frame->regs, code->consts}};
    for (uint32_t i = 0; i < call->arg_count && i < code->param_count; i++)
        sw_interp_pass(run, mask, &call->args[i], &run->x, up->local,
                       &code->params[i], &x, frame->local);
    p->frame = frame;
    p->pc = 0;
    p->position = code->positions[0];
    return RESCHEDULE;
}

static verdict
leave_call(sw_run *run, sw_path *p)
{
    sw_frame *frame = p->frame, *up = frame->up;
    if (!up) {
        end_lanes(run, p, p->mask);
        return RESCHEDULE;
    }
    const sw_code *code = frame->code;
    const sw_dcall *call = frame->call;
    sw_lane_ctx x = {{up->regs, up->code->consts}};
    for (uint32_t i = 0; i < call->ret_count && i < code->ret_count; i++)
        sw_interp_pass(run, p->mask, &code->rets[i], &run->x, frame->local,
                       &call->rets[i], &x, up->local);
    p->frame = up;
    p->pc = frame->return_pc;
    p->position = up->code->positions[up->code->ins[p->pc - 1].block];
    leave_frames(run->iw, frame, up, p->mask);
    return RESCHEDULE;
}

/* Lanes that try to take something give others a turn soon, as those may hold
 * it that have left their loop. */
static bool
has_tried_long(const sw_run *run, const sw_path *p)
{
    return p->has_tried && run->iw->path_count > 1 &&
           p->tries >= sw_interp_tune.yield_back_edges_trying;
}

/* Goes to a target; looks for spins at back edges. */
static verdict
go_to(const sw_run *run, sw_path *p, uint32_t target, uint32_t position,
      bool is_back)
{
    p->pc = target;
    p->position = position;
    if (is_back) {
        p->tries = p->tries_at == target ? p->tries + 1 : 0;
        p->tries_at = target;
        run->iw->has_stopped =
            run->iw->stop_count && sw_interp_is_stop(run->iw, p);
    }
    if (is_back && (++p->back_edges >= p->check_at || p->yields_next ||
                    has_tried_long(run, p))) {
        bool spins = sw_interp_is_spinning(p, target);
        if (spins || p->yields_next ||
            p->back_edges >= sw_interp_tune.yield_back_edges ||
            has_tried_long(run, p)) {
            p->long_runs += !spins && !p->yields_next;
            sw_interp_rest_path(p, spins);
            return RESCHEDULE;
        }
    }
    return run->iw->path_count > 1 || run->iw->has_stopped ? RESCHEDULE : GO_ON;
}

static verdict
branch(sw_run *run, sw_path *p, const sw_dins *d)
{
    uint32_t taken = p->mask;
    if (d->guard != SW_NO_GUARD)
        taken &=
            *(uint32_t *)(void *)(run->x.base[0] + d->guard) ^ d->guard_flip;
    if (taken == p->mask)
        return go_to(run, p, d->target[0], d->position[0], d->is_back[0]);
    if (taken == 0)
        return go_to(run, p, d->target[1], d->position[1], d->is_back[1]);
    sw_path *other = split_path(run, p, taken);
    go_to(run, other, d->target[0], d->position[0], d->is_back[0]);
    go_to(run, p, d->target[1], d->position[1], d->is_back[1]);
    return RESCHEDULE;
}

static verdict
branch_indexed(sw_run *run, sw_path *p, const sw_dins *d)
{
    const sw_dtargets *t = d->aux;
    sw_oref o = sw_dins_orefs(d)[d->ndst];
    while (true) {
        unsigned first = (unsigned)__builtin_ctz(p->mask);
        uint64_t index = sw_interp_get(&run->x, o, SW_CLASS_B32, first);
        uint32_t same = 0;
        for (uint32_t m = p->mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            if (sw_interp_get(&run->x, o, SW_CLASS_B32, i) == index)
                same |= 1u << i;
        }
        if (index >= t->count) {
            sw_engine_fault(run->warp, run->code->fn, d->ins, first,
                            SW_E_INVALID_PC, SW_FAULT_PLAIN, 0,
                            "branch to entry %llu of a list of %u targets",
                            (unsigned long long)index, t->count);
            return FAULT;
        }
        if (same == p->mask)
            return go_to(run, p, t->to[index].target, t->to[index].position,
                         t->to[index].is_back);
        sw_path *other = split_path(run, p, same);
        go_to(run, other, t->to[index].target, t->to[index].position,
              t->to[index].is_back);
    }
}

/* ---- waiting ---- */

static verdict
barrier(sw_run *run, sw_path *p, const sw_dins *d)
{
    const sw_ins *ins = d->ins;
    const sw_oref *o = sw_dins_orefs(d) + d->ndst;
    unsigned lane = (unsigned)__builtin_ctz(p->mask);
    bool is_red = ins->sub >= SW_BAR_RED_POPC;
    unsigned numbers = ins->nsrc - (is_red ? 1u : 0u);
    uint32_t id = (uint32_t)sw_interp_get(&run->x, o[0], SW_CLASS_B32, lane);
    uint32_t expected = 0, ones = 0;
    if (numbers > 1)
        expected = (uint32_t)sw_interp_get(&run->x, o[1], SW_CLASS_B32, lane);
    if (!sw_interp_check_barrier(run, d, id, expected, lane))
        return FAULT;
    if (is_red) {
        uint32_t bits =
            *(uint32_t *)sw_lane_ptr(&run->x, o[ins->nsrc - 1]) ^ d->flip;
        ones = (uint32_t)__builtin_popcount(bits & p->mask);
    }
    /* The counts change before the state: a warp alone completes at once. */
    uint32_t generation =
        sw_engine_bar_arrive(run->warp, id, p->mask, expected, ones);
    if (ins->sub == SW_BAR_ARRIVE) {
        p->pc++;
        return GO_ON;
    }
    p->state = SW_PATH_BARRIER;
    p->barrier = (uint8_t)id;
    p->generation = generation;
    return RESCHEDULE;
}

/* The member mask of a warp-level operation: that of its first lane; the
 * active lanes for the forms without one. */
static uint32_t
member_mask(const sw_run *run, const sw_dins *d, uint32_t mask)
{
    unsigned k = sw_interp_members_source(d->ins);
    if (k >= d->nsrc)
        return mask;
    return (uint32_t)sw_interp_get(&run->x, sw_dins_orefs(d)[d->ndst + k],
                                   SW_CLASS_B32, (unsigned)__builtin_ctz(mask));
}

static verdict
cluster_barrier(sw_run *run, sw_path *p, const sw_dins *d)
{
    if (d->ins->sub == SW_BAR_CLUSTER_ARRIVE) {
        sw_engine_cluster_arrive(run->warp, p->mask);
    } else if (!sw_engine_cluster_passed(run->warp, p->mask)) {
        p->state = SW_PATH_CLUSTER;
        return RESCHEDULE;
    } else if (run->observe) {
        sw_interp_observe_release(run, run->code, p->pc, p->mask, 0,
                                  run->warp->at_cluster.generation + 1);
    }
    p->pc++;
    return GO_ON;
}

/* Whether lanes that a warp-level operation names have yet to come to it. */
static bool
lacks_lanes(sw_run *run, const sw_dins *d, uint32_t mask)
{
    return member_mask(run, d, mask) & ~mask & ~run->warp->ended;
}

/* True if a warp-level operation can run now; else the path waits for the
 * lanes it names. */
static bool
gather_lanes(sw_run *run, sw_path *p, const sw_dins *d, uint32_t mask)
{
    if (!lacks_lanes(run, d, mask))
        return true;
    let_rest_go(run, p, mask);
    p->state = SW_PATH_LANES;
    p->wanted = member_mask(run, d, mask);
    return false;
}

/* ---- the main loop ---- */

static inline void
enter_frame(sw_run *run, const sw_path *p)
{
    run->frame = p->frame;
    run->code = p->frame->code;
    run->x.base[0] = p->frame->regs;
    run->x.base[1] = p->frame->code->consts;
}

/* Lanes in ascending order; of those that try for long to take something
 * another one is the first each time. */
static bool
try_atom(sw_run *run, const sw_path *p, const sw_dins *d, uint32_t mask)
{
    uint32_t low = mask & ((1u << p->long_runs % SW_WARP_LANES) - 1);
    if (low && low != mask && !run->observe)
        return sw_interp_atom(run, d, mask & ~low) &&
               sw_interp_atom(run, d, low);
    return sw_interp_atom(run, d, mask);
}

/* As lanes do it that have come to several instructions. */
static bool
meet(sw_run *run, sw_path *p)
{
    sw_path *all[SW_WARP_LANES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->iw->path_count; i++) {
        sw_path *q = &run->iw->paths[i];
        if (q->meets && sw_interp_do_the_same(p, q))
            all[count++] = q;
    }
    for (uint32_t i = 0; i < count && run->observe; i++) {
        enter_frame(run, all[i]);
        sw_interp_observe_ins(run, &run->code->ins[all[i]->pc],
                              sw_interp_takers(all[i]), all[i]->mask);
    }
    bool ok = sw_interp_lanes_meet(run, all, count);
    for (uint32_t i = 0; i < count; i++) {
        all[i]->meets = false;
        all[i]->pc += all[i] != p; /* its own comes behind this */
    }
    enter_frame(run, p);
    return ok;
}

/* Memory that other warps access too. */
static bool
may_touch_others(const sw_dins *d)
{
    return d->kind == SW_K_ATOM ||
           ((d->kind == SW_K_LD || d->kind == SW_K_ST) &&
            d->ins->space != SW_SPACE_LOCAL && d->ins->space != SW_SPACE_CONST);
}

/* Instructions that are not lane functions. */
static verdict
step(sw_run *run, sw_path *p, const sw_dins *d, uint32_t mask)
{
    const sw_lane_set *lanes = run->lanes;
    bool ok = true;
    if (sw_late_is_on)
        sw_interp_order_stores(run, d);
    switch ((sw_dkind)d->kind) {
    case SW_K_LANE:
        d->fn(&run->x, d, mask);
        break;
    case SW_K_EVAL:
        ok = sw_interp_eval(run, d, mask);
        break;
    case SW_K_LD:
        ok = lanes->load(run, d, mask);
        break;
    case SW_K_ST:
        ok = lanes->store(run, d, mask);
        break;
    case SW_K_LD_PARAM:
        sw_interp_load_param(run, d, mask);
        break;
    case SW_K_ATOM:
        p->has_atomics = true;
        p->has_tried = p->has_tried || d->ins->sub == SW_ATOM_CAS ||
                       d->ins->sub == SW_ATOM_EXCH;
        ok = try_atom(run, p, d, mask);
        break;
    case SW_K_BRA:
        return branch(run, p, d);
    case SW_K_BRX:
        return branch_indexed(run, p, d);
    case SW_K_RET:
        return leave_call(run, p);
    case SW_K_EXIT:
        end_lanes(run, p, p->mask);
        return RESCHEDULE;
    case SW_K_CALL:
        return enter_call(run, p, d, mask);
    case SW_K_TRAP:
        sw_interp_fault_trap(run, d, mask);
        return FAULT;
    case SW_K_BAR:
        let_rest_go(run, p, mask);
        return barrier(run, p, d);
    case SW_K_BAR_CLUSTER:
        let_rest_go(run, p, mask);
        return cluster_barrier(run, p, d);
    case SW_K_BAR_WARP:
    case SW_K_LANES:
        if (!sw_interp_check_members(run, d, mask))
            return FAULT;
        if (p->meets)
            ok = meet(run, p);
        else if (!gather_lanes(run, p, d, mask))
            return RESCHEDULE;
        else if (d->kind == SW_K_LANES)
            ok = sw_interp_lanes_op(run, d, mask);
        break;
    case SW_K_SREG:
        sw_interp_sreg(run, d, mask);
        break;
    case SW_K_LOCAL_ADDR:
        sw_interp_local_address(run, d, mask);
        break;
    case SW_K_CVTA:
        sw_interp_convert_address(run, d, mask);
        break;
    case SW_K_MAPA:
        sw_interp_map_block(run, d, mask);
        break;
    case SW_K_ISSPACEP:
        sw_interp_test_space(run, d, mask);
        break;
    case SW_K_TEX:
        ok = sw_interp_tex(run, d, mask);
        break;
    case SW_K_MATRIX:
        ok = sw_interp_matrix(run, d, mask);
        break;
    case SW_K_MBAR:
        p->has_atomics = true; /* it may wait for lanes that need not wait */
        ok = sw_interp_mbar(run, d, mask);
        break;
    case SW_K_CP_ASYNC:
        ok = sw_interp_cp_async(run, d, mask);
        break;
    case SW_K_CP_BULK:
        ok = sw_interp_cp_bulk(run, d, mask);
        break;
    case SW_K_CP_TENSOR:
        ok = sw_interp_cp_tensor(run, d, mask);
        break;
    case SW_K_NOP:
        break;
    case SW_K_FENCE:
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        break;
    case SW_K_SLEEP:
        p->yields_next = true;
        break;
    case SW_K_ALLOCA:
        ok = sw_interp_grow_stack(run, d, mask);
        break;
    case SW_K_STACK:
        sw_interp_move_stack(run, d, mask);
        break;
    }
    p->pc++;
    if (ok && (d->kind == SW_K_ATOM || d->kind == SW_K_ST) &&
        sw_engine_gives_turn(run->warp->blk)) {
        run->iw->has_stopped = true;
        return RESCHEDULE;
    }
    if (run->in_turn && ok && may_touch_others(d) &&
        sw_turns_give(run->warp->blk)) {
        run->gave_turn = true;
        return RESCHEDULE;
    }
    return ok ? GO_ON : FAULT;
}

/* Runs a path until another may have to run, it waits, or it ends. */
static verdict
run_path(sw_run *run, sw_path *p)
{
    uint64_t lane_ins = 0;
    uint32_t was = p->mask;
    uint64_t active = (uint64_t)__builtin_popcount(was);
    verdict v = GO_ON;
    enter_frame(run, p);
    while (v == GO_ON) {
        const sw_dins *d = &run->code->ins[p->pc];
        uint32_t mask = was;
        lane_ins += active;
        if (d->guard != SW_NO_GUARD && d->kind != SW_K_BRA) {
            mask &= *(uint32_t *)(void *)(run->x.base[0] + d->guard) ^
                    d->guard_flip;
            if (!mask) {
                if (run->observe)
                    sw_interp_observe_ins(run, d, 0, was);
                p->pc++;
                continue;
            }
        }
        /* Who waits for other lanes comes here once more with them. */
        if (run->observe &&
            !(d->kind == SW_K_LANES && lacks_lanes(run, d, mask)))
            sw_interp_observe_ins(run, d, mask, was);
        if (d->kind == SW_K_LANE) {
            d->fn(&run->x, d, mask);
            p->pc++;
        } else {
            v = step(run, p, d, mask);
            if (p->mask != was) {
                was = p->mask;
                active = (uint64_t)__builtin_popcount(was);
            }
        }
    }
    run->warp->lane_ins += lane_ins;
    return v;
}

static sw_stop
warp_run(sw_warp *warp)
{
    sw_iwarp *iw = warp->state;
    sw_run run = {.warp = warp,
                  .iw = iw,
                  .lanes = sw_interp_lanes(),
                  .in_turn = warp->blk->in_turn};
    sw_interp_observe_warp(&run);
    iw->has_stopped = false;
    while (true) {
        bool all_yielded;
        sw_path *p = pick_path(warp, iw, &all_yielded);
        if (!p) {
            bool all_spin;
            if (iw->path_count == 0)
                return SW_STOP_DONE;
            if (!all_yielded)
                return SW_STOP_WAIT;
            sw_interp_resume_yielded(warp, &all_spin);
            return sw_engine_is_stopped(warp->blk) ? SW_STOP_FAULT
                   : all_spin                      ? SW_STOP_SPIN
                                                   : SW_STOP_YIELD;
        }
        if (run_path(&run, p) == FAULT)
            return SW_STOP_FAULT;
        if (p->mask == 0)
            remove_path(iw, (uint32_t)(p - iw->paths));
        if (run.gave_turn)
            return SW_STOP_TURN;
        if (iw->has_stopped)
            return SW_STOP_YIELD;
    }
}

/* ---- for a back end that runs most by itself (interp.h) ---- */

void
sw_interp_open(sw_warp *warp, sw_run *run)
{
    *run =
        (sw_run){.warp = warp, .iw = warp->state, .lanes = sw_interp_lanes()};
    sw_interp_observe_warp(run);
    sw_path root = {.frame = run->iw->root};
    enter_frame(run, &root);
    root.frame->top = run->code->fn->frame_bytes;
}

static sw_path *
add_path(sw_iwarp *iw, sw_frame *frame, uint32_t pc, uint32_t position,
         uint32_t mask)
{
    sw_path *p = &iw->paths[iw->path_count++];
    *p = (sw_path){.frame = frame,
                   .pc = pc,
                   .position = position,
                   .mask = mask,
                   .check_at = sw_interp_tune.spin_check_shared};
    return p;
}

void
sw_interp_resume(sw_warp *warp, uint32_t live)
{
    sw_iwarp *iw = warp->state;
    iw->root->live = live;
    iw->path_count = 0;
    iw->current = 0;
    iw->held = 0;
}

void
sw_interp_add_path(sw_warp *warp, uint32_t pc, uint32_t position, uint32_t mask)
{
    sw_iwarp *iw = warp->state;
    if (position == UINT32_MAX)
        position = iw->root->code->positions[iw->root->code->ins[pc].block];
    add_path(iw, iw->root, pc, position, mask);
}

void
sw_interp_add_path_in(sw_iwarp *iw, sw_frame *frame, uint32_t pc,
                      uint32_t position, uint32_t mask)
{
    add_path(iw, frame, pc, position, mask);
}

/* All paths stand behind the call. */
static bool
is_back(const sw_iwarp *iw, const sw_frame *frame, uint32_t pc)
{
    for (uint32_t i = 0; i < iw->path_count; i++)
        if (iw->paths[i].frame != frame || iw->paths[i].pc != pc)
            return false;
    return true;
}

bool
sw_interp_step(sw_run *run, uint32_t pc, uint32_t mask, uint32_t *left,
               void (*wait)(void *arg, sw_stop stop), void *arg)
{
    sw_iwarp *iw = run->iw;
    sw_path own = {.frame = run->frame};
    const sw_dins *d = &run->code->ins[pc];
    iw->path_count = 0;
    sw_path *p = add_path(iw, own.frame, pc, 0, mask);
    verdict v = step(run, p, d, mask);
    if (v == FAULT)
        return false;
    *left = mask;
    while (d->kind == SW_K_BAR_CLUSTER && p->state == SW_PATH_CLUSTER) {
        if (!sw_engine_cluster_passed(run->warp, mask)) {
            wait(arg, SW_STOP_WAIT);
            continue;
        }
        if (run->observe)
            observe_release(run->warp, iw, p);
        p->state = SW_PATH_RUN;
    }
    if (d->kind != SW_K_CALL) {
        iw->path_count = 0; /* where the warp is, others say */
        return true;
    }
    while (!is_back(iw, own.frame, pc + 1)) {
        bool all_yielded, all_spin;
        p = pick_path(run->warp, iw, &all_yielded);
        if (!p || (p->frame == own.frame && p->pc == pc + 1)) {
            /* p is back already, and waits for the others */
            bool any = sw_interp_resume_yielded(run->warp, &all_spin);
            wait(arg, !any       ? SW_STOP_WAIT
                      : all_spin ? SW_STOP_SPIN
                                 : SW_STOP_YIELD);
            continue;
        }
        if (run_path(run, p) == FAULT)
            return false;
        if (p->mask == 0)
            remove_path(iw, (uint32_t)(p - iw->paths));
    }
    enter_frame(run, &own);
    *left = 0;
    for (uint32_t i = 0; i < iw->path_count; i++)
        *left |= iw->paths[i].mask;
    iw->path_count = 0;
    return true;
}

const sw_backend sw_backend_interp = {.name = "interp",
                                      .compile = sw_interp_compile,
                                      .release = sw_interp_release,
                                      .warp_bytes = warp_bytes,
                                      .warp_start = warp_start,
                                      .warp_run = warp_run,
                                      .warp_finish = warp_finish,
                                      .warp_places = warp_places};
