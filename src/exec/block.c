/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.c - one block: its memory, its warps taking turns, its barriers, and
 * the report when nothing of it can go on; see pool.h and engine.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/demangle.h"
#include "exec/pool.h"
#include "exec/schedule.h"
#include "exec/tune.h"
#include "opt/shape.h"

enum {
    LOCAL_ALIGN = 128, /* of a frame: what the widest vector has */
    STATE_ALIGN = 64,
    PLACES = 8,
    MAX_LINES = 24
};
enum { FRAME_ALIGN = 16, LOCAL_BEHIND = 576 /* as on an H100 */ };

static uint64_t
round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Bytes of local memory a thread gets: its static need, and with recursion,
 * pointers to functions or alloca as much stack as the context allows. */
static uint32_t
local_stride(const sw_launch *launch, const sw_program *program)
{
    const sw_program_info *info = sw_program_get_info(program);
    uint64_t bytes = program->local_bytes;
    if (info->is_recursive || info->has_indirect_calls || info->has_alloca)
        bytes += launch->env->stack_bytes;
    return (uint32_t)round_up(bytes ? bytes : 1, LOCAL_ALIGN);
}

/* As a device has it: a frame, and what it leaves of the stack before it. */
static uint64_t
frame_of(const sw_launch *launch)
{
    return round_up(sw_program_get_info(launch->program)->frame_bytes,
                    FRAME_ALIGN);
}

static uint32_t
local_before(const sw_launch *launch)
{
    uint64_t stack = launch->env->stack_bytes, frame = frame_of(launch);
    return stack > frame ? (uint32_t)round_up(stack - frame, FRAME_ALIGN) : 0;
}

static uint32_t
local_behind(const sw_launch *launch, uint32_t own)
{
    uint64_t end = frame_of(launch) + LOCAL_BEHIND;
    return end > own ? (uint32_t)(end - own) : 0;
}

uint8_t *
sw_engine_local_margin(sw_warp *warp, unsigned lane, uint64_t at,
                       uint32_t bytes)
{
    const sw_blk *blk = warp->blk;
    uint64_t place = at + blk->local_before, end = blk->local_before;
    if (place >= blk->local_before) { /* not before it */
        if (at < blk->local_stride)
            return NULL;
        place -= blk->local_stride;
        end += blk->local_behind;
    }
    if (blk->mem->exact || bytes > end || place > end - bytes)
        return NULL;
    uint64_t each = blk->local_before + blk->local_behind;
    if (!warp->margins)
        warp->margins = sw_alloc(SW_WARP_LANES * each);
    return warp->margins + lane * each + place;
}

static bool
is_large_grid(const uint32_t n[3])
{
    return n[0] > SW_GRID_SMALL || n[1] > SW_GRID_SMALL || n[2] > SW_GRID_SMALL;
}

static sw_blk *
create_one(sw_grid *grid, const sw_program *program, uint32_t slot)
{
    const sw_launch *launch = &grid->launch;
    sw_blk *blk = sw_alloc(sizeof *blk);
    blk->program = program;
    blk->backend = program->backend;
    blk->program_serial = program->serial;
    blk->slot = slot;
    blk->is_large_grid = is_large_grid(launch->grid);
    memcpy(blk->ntid, launch->block, sizeof blk->ntid);
    blk->threads = blk->ntid[0] * blk->ntid[1] * blk->ntid[2];
    blk->warp_count = (blk->threads + SW_WARP_LANES - 1) / SW_WARP_LANES;
    blk->dynamic_shared_bytes = launch->dynamic_shared_bytes;
    blk->own_shared_bytes =
        program->info.static_shared_bytes + launch->dynamic_shared_bytes;
    blk->shared_bytes = blk->own_shared_bytes;
    if (program->info.uses_reserved_shared)
        blk->shared_bytes =
            sw_engine_taken_shared(blk) + SW_RESERVED_SHARED_USED;
    blk->local_stride = local_stride(launch, program);
    blk->local_before = local_before(launch);
    blk->local_behind = local_behind(launch, blk->local_stride);
    blk->warps = sw_alloc(blk->warp_count * sizeof *blk->warps);
    int device = launch->env->device;
    uint64_t lanes = (uint64_t)blk->warp_count * SW_WARP_LANES;
    uint64_t shared = 0, local = 0;
    uint64_t state_bytes =
        round_up(program->backend->warp_bytes(program), STATE_ALIGN);
    if (sw_mem_get_view(&blk->mem) != SW_OK ||
        sw_mem_alloc(SW_MEM_INTERNAL, device,
                     blk->shared_bytes ? blk->shared_bytes : 1, 1024, NULL,
                     &shared) != SW_OK ||
        sw_mem_alloc(SW_MEM_INTERNAL, device, lanes * blk->local_stride, 1024,
                     NULL, &local) != SW_OK) {
        if (shared)
            sw_mem_free(shared);
        sw_free(blk->warps);
        sw_free(blk);
        return NULL;
    }
    blk->shared = (uint8_t *)(uintptr_t)shared;
    /* Not in the arena: kernels with wild addresses must not get at it. */
    blk->states = sw_alloc(blk->warp_count * state_bytes + STATE_ALIGN);
    uint8_t *states = (uint8_t *)(uintptr_t)round_up(
        (uint64_t)(uintptr_t)blk->states, STATE_ALIGN);
    for (uint32_t i = 0; i < blk->warp_count; i++) {
        uint32_t left = blk->threads - i * SW_WARP_LANES;
        blk->warps[i] = (sw_warp){
            .blk = blk,
            .index = i,
            .lanes = left >= SW_WARP_LANES ? UINT32_MAX : (1u << left) - 1,
            .local = (uint8_t *)(uintptr_t)local +
                     (uint64_t)i * SW_WARP_LANES * blk->local_stride,
            .state = states + i * state_bytes};
    }
    return blk;
}

sw_blk *
sw_blk_create(sw_grid *grid, const sw_program *program, uint32_t slot)
{
    sw_blk *blk = create_one(grid, program, slot);
    if (!blk || (grid->cluster == 1 && !program->info.uses_cluster_barrier))
        return blk;
    sw_cluster *cluster = sw_alloc(sizeof *cluster);
    cluster->blks = sw_alloc(grid->cluster * sizeof(sw_blk *));
    cluster->blks[0] = blk;
    cluster->count = 1;
    blk->cluster = cluster;
    for (uint32_t i = 1; i < grid->cluster; i++) {
        sw_blk *other = create_one(grid, program, slot);
        if (!other) {
            sw_blk_destroy(blk);
            return NULL;
        }
        other->cluster = cluster;
        other->rank = i;
        cluster->blks[cluster->count++] = other;
    }
    return blk;
}

static void
destroy_one(sw_blk *blk)
{
    sw_free(blk->look);
    for (uint32_t i = 0; i < blk->warp_count; i++) {
        blk->backend->warp_finish(&blk->warps[i]);
        sw_free(blk->warps[i].margins);
    }
    sw_mem_free((uint64_t)(uintptr_t)blk->warps[0].local);
    sw_mem_free((uint64_t)(uintptr_t)blk->shared);
    sw_free(blk->tex_plans);
    sw_free(blk->states);
    sw_free(blk->warps);
    sw_free(blk);
}

void
sw_blk_destroy(sw_blk *blk)
{
    if (!blk)
        return;
    sw_cluster *cluster = blk->cluster;
    for (uint32_t i = 1; cluster && i < cluster->count; i++)
        destroy_one(cluster->blks[i]);
    if (cluster)
        sw_free(cluster->blks);
    sw_free(cluster);
    destroy_one(blk);
}

bool
sw_blk_fits(const sw_blk *blk, const sw_grid *grid, const sw_program *program)
{
    const sw_launch *launch = &grid->launch;
    uint32_t count = blk->cluster ? blk->cluster->count : 1;
    return blk->program_serial == program->serial && count == grid->cluster &&
           memcmp(blk->ntid, launch->block, sizeof blk->ntid) == 0 &&
           blk->is_large_grid == is_large_grid(launch->grid) &&
           blk->dynamic_shared_bytes == launch->dynamic_shared_bytes &&
           blk->local_stride == local_stride(launch, program) &&
           blk->local_before == local_before(launch);
}

static void
bind_one(sw_blk *blk, sw_grid *grid, const sw_program *program)
{
    const sw_launch *launch = &grid->launch;
    blk->grid = grid;
    blk->program = program;
    blk->env = launch->env;
    blk->observer = program == launch->program ? launch->observer : NULL;
    blk->grid_id = launch->grid_id;
    memcpy(blk->nctaid, launch->grid, sizeof blk->nctaid);
    blk->params = (const uint8_t *)(uintptr_t)grid->params;
    blk->workspace = grid->workspace;
    blk->environment = &launch->environment;
    for (int i = 0; i < 3; i++)
        blk->cluster_dims[i] = launch->cluster[i] ? launch->cluster[i] : 1;
    blk->is_explicit_cluster = launch->is_explicit_cluster;
}

void
sw_blk_bind(sw_blk *blk, sw_grid *grid, const sw_program *program)
{
    bind_one(blk, grid, program);
    for (uint32_t i = 1; i < grid->cluster; i++)
        bind_one(blk->cluster->blks[i], grid, program);
}

void
sw_engine_next_block(sw_blk *blk, uint64_t index, bool lanes_ended)
{
    uint32_t gx = blk->nctaid[0], gy = blk->nctaid[1];
    bool is_next = index == blk->index + 1;
    blk->index = index;
    if (is_next && blk->ctaid[0] + 1 < gx) {
        blk->ctaid[0]++;
    } else {
        blk->ctaid[0] = (uint32_t)(index % gx);
        blk->ctaid[1] = (uint32_t)(index / gx % gy);
        blk->ctaid[2] = (uint32_t)(index / gx / gy);
    }
    blk->live_threads = blk->threads;
    blk->epoch = 0;
    blk->turns_given = 0;
    blk->turn_over = false;
    sw_turns_begin(blk);
    if (blk->cluster && blk->cluster->count == 1)
        sw_cluster_begin_alone(blk);
    bool clear = blk->has_arrivals;
    if (clear)
        memset(blk->bars, 0, sizeof blk->bars);
    blk->has_arrivals = false;
    for (uint32_t i = 0; (clear || lanes_ended) && i < blk->warp_count; i++) {
        sw_warp *warp = &blk->warps[i];
        warp->ended = ~warp->lanes;
        warp->stop = SW_STOP_YIELD;
        if (clear)
            memset(warp->arrived, 0, sizeof warp->arrived);
    }
}

void
sw_engine_observe_begin(sw_blk *blk)
{
    const sw_observer *ob = blk->observer;
    blk->observer_state = NULL;
    if (ob && ob->block_begin && (blk->program->events & SW_EV_BLOCK))
        blk->observer_state = ob->block_begin(ob->arg, blk->ctaid, blk->index);
}

void
sw_engine_observe_end(sw_blk *blk)
{
    const sw_observer *ob = blk->observer;
    if (ob && ob->block_end && (blk->program->events & SW_EV_BLOCK))
        ob->block_end(ob->arg, blk->observer_state, blk->ctaid, blk->index);
}

void
sw_engine_begin_block(sw_blk *blk, uint64_t index)
{
    blk->index = UINT64_MAX - 1; /* no block before this one */
    sw_engine_next_block(blk, index, true);
    sw_engine_observe_begin(blk);
    for (uint32_t i = 0; i < blk->warp_count; i++)
        blk->program->backend->warp_start(&blk->warps[i]);
}

bool
sw_engine_gives_turn(sw_blk *blk)
{
    enum { MOST = 256, ONE_IN = 4 }; /* so that waiting in vain is still seen */
    if (!sw_schedule_is_on() || blk->turns_given == MOST ||
        sw_schedule_pick(ONE_IN))
        return false;
    blk->turns_given++;
    blk->turn_over = sw_schedule_pick(2);
    return true;
}

sw_blk_end
sw_blk_run_round(sw_blk *blk, bool *ran)
{
    bool all_done = true, all_spin = true;
    uint32_t first = 0;
    *ran = false;
    if (sw_schedule_is_on())
        first = sw_schedule_pick(blk->warp_count);
    for (uint32_t i = 0; i < blk->warp_count; i++) {
        sw_warp *warp = &blk->warps[(first + i) % blk->warp_count];
        if (warp->stop == SW_STOP_DONE)
            continue;
        all_done = false;
        if (warp->stop == SW_STOP_WAIT && warp->epoch == blk->epoch)
            continue;
        *ran = true;
        uint32_t epoch = blk->epoch;
        warp->stop = blk->program->backend->warp_run(warp);
        warp->epoch = blk->epoch;
        if (warp->stop == SW_STOP_FAULT)
            return SW_BLK_FAULT;
        if (warp->stop == SW_STOP_YIELD || warp->stop == SW_STOP_SPIN)
            blk->has_yielded = true;
        if (warp->stop != SW_STOP_SPIN || epoch != blk->epoch)
            all_spin =
                all_spin && warp->stop == SW_STOP_WAIT && epoch == blk->epoch;
    }
    if (all_done)
        return SW_BLK_DONE;
    return blk->has_yielded && all_spin ? SW_BLK_SPIN : SW_BLK_YIELD;
}

static bool complete_by_warps(sw_blk *blk);

sw_blk_end
sw_blk_run(sw_blk *blk)
{
    sw_blk_end end = SW_BLK_YIELD;
    uint32_t yields = 0;
    bool moved = false;
    if (blk->cluster && blk->cluster->count > 1)
        return sw_cluster_run(blk->cluster);
    while (end == SW_BLK_YIELD &&
           yields < sw_exec_tune.turn_rounds * sw_exec_tune.turn_rounds_on) {
        bool ran;
        uint32_t epoch = blk->epoch, live = blk->live_threads;
        if (sw_engine_is_stopped(blk))
            return SW_BLK_FAULT;
        blk->has_yielded = blk->went_on = blk->gave_turn = false;
        end = sw_blk_run_round(blk, &ran);
        if (end == SW_BLK_YIELD && !ran && !complete_by_warps(blk)) {
            sw_blk_report_stuck(blk, SW_BLK_STUCK_BARRIER, 0);
            end = SW_BLK_FAULT;
        }
        if (blk->has_yielded || (!blk->gave_turn && epoch == blk->epoch &&
                                 live == blk->live_threads))
            yields += blk->went_on ? 1 : sw_exec_tune.turn_rounds_on;
        moved |= end == SW_BLK_YIELD;
        if (blk->turn_over)
            break;
    }
    blk->turn_over = false;
    if (end == SW_BLK_DONE) {
        sw_turns_end(blk, true);
        sw_engine_observe_end(blk);
    }
    return end == SW_BLK_SPIN && moved ? SW_BLK_YIELD : end;
}

/* ---- barriers ---- */

static void
complete(sw_blk *blk, sw_bar *bar)
{
    bar->result_ones = bar->ones;
    bar->result_threads = bar->threads;
    bar->threads = bar->slots = bar->expected = bar->ones = 0;
    bar->generation++;
    blk->epoch++;
}

static bool
is_complete(const sw_blk *blk, const sw_bar *bar)
{
    if (bar->threads == 0)
        return false;
    return bar->expected ? bar->slots >= bar->expected
                         : bar->threads >= blk->live_threads;
}

/* PTX ISA, bar: barriers count warps as if all their threads were there. What
 * the lanes that do not exist any more add once all others have arrived. */
static uint32_t
absent_slots(uint32_t ended, uint32_t arrived)
{
    if (!arrived || (arrived | ended) != UINT32_MAX)
        return 0;
    return SW_WARP_LANES - (uint32_t)__builtin_popcount(arrived);
}

uint32_t
sw_engine_bar_arrive(sw_warp *warp, uint32_t barrier, uint32_t mask,
                     uint32_t expected, uint32_t ones)
{
    sw_blk *blk = warp->blk;
    sw_bar *bar = &blk->bars[barrier];
    uint32_t count = (uint32_t)__builtin_popcount(mask);
    uint32_t generation = bar->generation;
    uint32_t before = 0;
    blk->has_arrivals = true;
    if (warp->arrived[barrier].generation == generation)
        before = warp->arrived[barrier].mask;
    warp->arrived[barrier].generation = generation;
    warp->arrived[barrier].mask = before | mask;
    bar->threads += count;
    bar->slots += count + absent_slots(warp->ended, before | mask);
    bar->ones += ones;
    if (expected)
        bar->expected = expected;
    if (is_complete(blk, bar))
        complete(blk, bar);
    return generation;
}

void
sw_engine_lanes_end(sw_warp *warp, uint32_t mask)
{
    sw_blk *blk = warp->blk;
    uint32_t before = warp->ended;
    warp->ended |= mask;
    blk->live_threads -= (uint32_t)__builtin_popcount(mask);
    if (blk->cluster)
        sw_cluster_lanes_end(warp, mask & ~before);
    if (!blk->has_arrivals)
        return;
    for (int i = 0; i < SW_BARRIERS; i++) {
        sw_bar *bar = &blk->bars[i];
        /* The last lane that a counted barrier waited for may be this one. */
        uint32_t there = warp->arrived[i].mask;
        if (bar->threads && warp->arrived[i].generation == bar->generation &&
            absent_slots(before, there) == 0)
            bar->slots += absent_slots(warp->ended, there);
        if (is_complete(blk, bar))
            complete(blk, bar);
    }
}

/* Whether a lane of each warp that is left has arrived. */
static bool
has_all_warps(const sw_blk *blk, unsigned barrier)
{
    uint32_t generation = blk->bars[barrier].generation;
    for (uint32_t i = 0; i < blk->warp_count; i++) {
        const sw_warp *warp = &blk->warps[i];
        if (warp->stop != SW_STOP_DONE &&
            (warp->arrived[barrier].generation != generation ||
             !warp->arrived[barrier].mask))
            return false;
    }
    return true;
}

/* Nothing of the block can go on: completes what does for a device that counts
 * warps, not lanes. There a barrier that some lanes of a warp pass by works. */
static bool
complete_by_warps(sw_blk *blk)
{
    bool any = false;
    for (unsigned i = 0; blk->env->barriers_take_warps && i < SW_BARRIERS; i++)
        if (blk->bars[i].threads && !blk->bars[i].expected &&
            has_all_warps(blk, i)) {
            complete(blk, &blk->bars[i]);
            any = true;
        }
    return any;
}

/* ---- stuck blocks ---- */

static void
describe_lanes(const sw_blk *blk, const sw_warp *warp, uint32_t mask,
               sw_buf *out)
{
    uint32_t first = warp->index * SW_WARP_LANES;
    uint32_t a = first + (uint32_t)__builtin_ctz(mask);
    uint32_t b = first + 31 - (uint32_t)__builtin_clz(mask);
    uint32_t nx = blk->ntid[0], nxy = nx * blk->ntid[1];
    uint32_t n = (uint32_t)__builtin_popcount(mask);
    sw_buf_printf(out, "%u thread%s (%u,%u,%u)", n, n == 1 ? "" : "s", a % nx,
                  a % nxy / nx, a / nxy);
    if (n > 1)
        sw_buf_printf(out, "%s(%u,%u,%u)", b - a + 1 == n ? ".." : " ... ",
                      b % nx, b % nxy / nx, b / nxy);
}

/* Who stands where, a line a group; *first is the first of them. */
static void
describe_places(const sw_blk *blk, sw_buf *text, unsigned *lines,
                sw_place *first, sw_warp **first_warp)
{
    bool in_cluster = blk->cluster && blk->cluster->count > 1;
    for (uint32_t w = 0; w < blk->warp_count; w++) {
        const sw_warp *warp = &blk->warps[w];
        sw_place places[PLACES];
        if (warp->stop == SW_STOP_DONE)
            continue;
        size_t n = blk->program->backend->warp_places(warp, places, PLACES);
        for (size_t i = 0; i < n; i++) {
            char at[512];
            if (!first->ins) {
                *first = places[i];
                *first_warp = &blk->warps[w];
            }
            if (++*lines > MAX_LINES)
                continue;
            sw_buf_puts(text, "\n    ");
            if (in_cluster)
                sw_buf_printf(text, "block (%u,%u,%u), ", blk->ctaid[0],
                              blk->ctaid[1], blk->ctaid[2]);
            sw_buf_printf(text, "warp %u, ", w);
            describe_lanes(blk, warp, places[i].mask, text);
            sw_ins_place(places[i].fn, places[i].ins, at, sizeof at);
            if (!places[i].is_waiting)
                sw_buf_printf(text, ": running at %s", at);
            else if (places[i].barrier == SW_PLACE_CLUSTER)
                sw_buf_printf(text, ": wait at the cluster's barrier, %s", at);
            else if (places[i].barrier < SW_BARRIERS)
                sw_buf_printf(text, ": wait at barrier %u, %s",
                              places[i].barrier, at);
            else
                sw_buf_printf(text,
                              ": wait for other lanes of their warp at %s", at);
        }
    }
}

static void
describe_all_places(const sw_blk *blk, sw_buf *text, sw_place *first,
                    sw_warp **first_warp)
{
    unsigned lines = 0;
    uint32_t count = blk->cluster ? blk->cluster->count : 1;
    for (uint32_t i = 0; i < count; i++) {
        const sw_blk *one = blk->cluster ? blk->cluster->blks[i] : blk;
        if (count == 1 || (one->has_begun && !one->has_ended))
            describe_places(one, text, &lines, first, first_warp);
    }
    if (lines > MAX_LINES)
        sw_buf_printf(text, "\n    ... and %u more groups", lines - MAX_LINES);
}

void
sw_blk_report_stuck(sw_blk *blk, sw_blk_stuck how, double seconds)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_place first = {0};
    sw_warp *first_warp = &blk->warps[0];
    if (how == SW_BLK_STUCK_BARRIER)
        sw_buf_puts(&text, "deadlock: every thread that is left waits at a "
                           "barrier which can never complete");
    else
        sw_buf_printf(&text,
                      "%s: for %.1f s the threads that could run have only "
                      "repeated the same loop, and %s",
                      how == SW_BLK_STUCK_SPIN ? "deadlock" : "warning",
                      seconds,
                      how == SW_BLK_STUCK_SPIN
                          ? "nothing they wait for can change"
                          : "only the host can change what they wait for");
    describe_all_places(blk, &text, &first, &first_warp);
    if (how == SW_BLK_MAYBE_STUCK) {
        sw_buf_puts(&text, "\n    kernel: ");
        sw_demangle(blk->program->kernel->name, &text);
        sw_buf_printf(&text, "\n    block: (%u,%u,%u)", blk->ctaid[0],
                      blk->ctaid[1], blk->ctaid[2]);
        sw_log(SW_LOG_WARN, "%s", text.p);
        sw_buf_finish(&text);
        return;
    }
    uint32_t lane =
        first.mask ? (uint32_t)__builtin_ctz(first.mask) : SW_WARP_LANES;
    sw_engine_fault(first_warp, first.fn, first.ins, lane, SW_E_LAUNCH_TIMEOUT,
                    SW_FAULT_PLAIN, 0, "%s", text.p);
    sw_buf_finish(&text);
}

uint32_t
sw_engine_envreg(const sw_blk *blk, uint64_t index)
{
    if (index == 1)
        return (uint32_t)(blk->workspace >> 32);
    if (index == 2)
        return (uint32_t)blk->workspace;
    if (index >= 3 && index < 9)
        return (uint32_t)(blk->environment->offset[index % 3] >>
                          (index < 6 ? 0 : 32));
    if (index >= 9 && index < 9 + SW_ENVIRONMENT_WORDS)
        return blk->environment->words[index - 9];
    return 0;
}
