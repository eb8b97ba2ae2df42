/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - the worker threads, and which block each runs next; see pool.h.
 *
 * Grids in progress stand in a list; a worker takes the next blocks of the
 * first grid that has some (an atomic counter a grid, no lock), and keeps a
 * block context to use again. A block that yields is put aside, so that blocks
 * it may wait for get their turn: new ones first, then those put aside, mostly
 * oldest first.
 *
 * Waking a worker takes longer than many a grid. So workers look out for news
 * a while before they sleep, as many are woken as there are blocks, and each
 * that wakes calls others. Of those that sleep one is the watch for a while: it
 * looks around now and then, and what is expected to be short waits for it, or
 * for a thread that helps.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/settings.h"
#include "exec/biased.h"
#include "exec/late.h"
#include "exec/pool.h"
#include "exec/progress.h"
#include "exec/schedule.h"
#include "exec/tune.h"

enum {
    NS_A_SECOND = 1000000000,
    SPARES = 8 /* contexts that a worker keeps at most */
};

typedef struct job {
    struct job *next;
    void (*fn)(void *arg);
    void *arg;
} job;

static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    sw_grid *grids, **grids_end; /* with blocks to run */
    job *jobs, **jobs_end;
    atomic_uint job_count;   /* of the list: cheap to look at */
    atomic_uint short_count; /* of the grids: short ones */
    unsigned threads, sleeping;
    unsigned calls;  /* how many of the sleeping are to be woken */
    unsigned inside; /* threads in grids */
    bool has_watch;  /* one that sleeps is that */
    double spin_seconds;
    /* Of those who look out, which they look at: how many shall come, not
     * before this time. */
    _Alignas(SW_CACHE_LINE) atomic_int wanted;
    atomic_uint_fast64_t wanted_ns;
    _Alignas(SW_CACHE_LINE) atomic_uint lookouts;
} pool = {.once = PTHREAD_ONCE_INIT};

/* This thread is a worker, which tells of a grid's end just now. */
static _Thread_local bool is_worker, tells_of_end;

static void *worker_main(void *arg);

static unsigned
count_threads(void)
{
    uint64_t n = sw_setting_number(SW_SETTING_THREADS, sw_cpu_count());
    return n > SW_PROGRESS_THREADS ? SW_PROGRESS_THREADS : (unsigned)n;
}

static void
start_pool(void)
{
    pthread_attr_t attr;
    pthread_mutexattr_t kind;
    pthread_condattr_t clock; /* of the times until which workers sleep */
    pool.spin_seconds = sw_setting_seconds(SW_SETTING_SPIN_SECONDS, 10);
    pool.grids_end = &pool.grids;
    pool.jobs_end = &pool.jobs;
    pool.threads = count_threads();
    sw_progress_note();
    pthread_mutexattr_init(&kind);
#if defined(__GLIBC__) /* it is held for a moment only */
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init(&pool.lock, &kind);
    pthread_mutexattr_destroy(&kind);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&pool.wake, &clock);
    pthread_condattr_destroy(&clock);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    unsigned started = 0;
    pthread_t thread;
    while (started < pool.threads &&
           pthread_create(&thread, &attr, worker_main,
                          (void *)(uintptr_t)started) == 0)
        started++;
    pthread_attr_destroy(&attr);
    SW_ASSERT(started > 0);
    pool.threads = started;
}

unsigned
sw_exec_thread_count(void)
{
    pthread_once(&pool.once, start_pool);
    return pool.threads;
}

/* Wakes a few of those that are called; they wake others. */
static void
pass_calls_locked(void)
{
    if (pool.calls > pool.sleeping)
        pool.calls = pool.sleeping;
    for (unsigned i = 0; i < sw_exec_tune.wake_each && pool.calls;
         i++, pool.calls--)
        pthread_cond_signal(&pool.wake);
}

/* Something new for so many workers: those who look out, then the sleeping. */
static void
call_locked(uint64_t count)
{
    unsigned n = count < pool.threads ? (unsigned)count : pool.threads;
    unsigned awake = atomic_load(&pool.lookouts);
    awake = awake < n ? awake : n;
    atomic_store(&pool.wanted_ns, 0);
    if (atomic_load(&pool.wanted) < (int)awake)
        atomic_store(&pool.wanted, (int)awake);
    pool.calls += n - awake;
    pass_calls_locked();
}

/* A short grid, or a job, is best left to who will wait for it, if one does;
 * if not, to the watch or to one who looks out. False: there are none. */
static bool
leave_short_locked(void)
{
    bool has_lookouts = atomic_load(&pool.lookouts) > 0;
    if (has_lookouts && atomic_load(&pool.wanted) <= 0) {
        atomic_store(&pool.wanted_ns,
                     sw_time_ns() + sw_exec_tune.left_short_ns);
        atomic_store(&pool.wanted, 1);
    }
    return has_lookouts || pool.has_watch;
}

void
sw_exec_post(void (*fn)(void *arg), void *arg)
{
    pthread_once(&pool.once, start_pool);
    job *j = sw_alloc(sizeof *j);
    *j = (job){NULL, fn, arg};
    pthread_mutex_lock(&pool.lock);
    *pool.jobs_end = j;
    pool.jobs_end = &j->next;
    unsigned count = atomic_fetch_add(&pool.job_count, 1) + 1;
    if (count > 1 || !leave_short_locked())
        call_locked(count);
    pthread_mutex_unlock(&pool.lock);
}

/* ---- grids ---- */

static void
free_grid(sw_grid *grid)
{
    if (grid->params)
        sw_mem_free(grid->params);
    if (grid->workspace)
        sw_mem_free(grid->workspace);
    sw_vec_finish(&grid->suspended);
    pthread_mutex_destroy(&grid->lock);
    sw_free(grid);
}

sw_status
sw_exec_submit(const sw_launch *launch)
{
    pthread_once(&pool.once, start_pool);
    sw_grid *grid = sw_alloc(sizeof *grid);
    grid->launch = *launch;
    uint32_t given_bytes = launch->program->info.param_bytes;
    uint32_t row = sw_exec_coarsen_launch(&grid->launch, pool.threads);
    launch = &grid->launch;
    const sw_program *program = launch->program;
    const uint32_t *c = launch->cluster;
    grid->cluster = c[0] ? c[0] * c[1] * c[2] : 1;
    grid->total = (uint64_t)launch->grid[0] * launch->grid[1] *
                  launch->grid[2] / grid->cluster;
    grid->chunk = sw_grid_find_chunk(grid, pool.threads);
    pthread_mutex_init(&grid->lock, NULL);
    sw_vec_init(&grid->suspended, sizeof(sw_suspended));
    uint32_t bytes = program->info.param_bytes;
    int device = launch->env->device;
    if ((bytes && sw_mem_alloc(SW_MEM_INTERNAL, device, bytes, 512, NULL,
                               &grid->params) != SW_OK) ||
        (launch->cooperative &&
         sw_mem_alloc(SW_MEM_INTERNAL, device, 512, 512, NULL,
                      &grid->workspace) != SW_OK)) {
        free_grid(grid);
        return SW_E_NOMEM;
    }
    if (given_bytes)
        memcpy((void *)(uintptr_t)grid->params, launch->params, given_bytes);
    if (row)
        memcpy((char *)(uintptr_t)grid->params + bytes - sizeof row, &row,
               sizeof row);
    if (grid->workspace)
        memset((void *)(uintptr_t)grid->workspace, 0, 512);
    grid->start_ns = sw_time_ns();
    bool is_short = sw_grid_is_expected_short(grid);
    atomic_init(&grid->is_short, is_short);
    grid->workers_wanted =
        is_short ? 1 : sw_grid_find_workers(grid, pool.threads);
    atomic_init(&grid->has_all, grid->workers_wanted == grid->total);
    sw_contention_init(&grid->contention,
                       launch->cooperative ? NULL : program->contention,
                       pool.threads, grid->chunk, grid->start_ns);
    pthread_mutex_lock(&pool.lock);
    *pool.grids_end = grid;
    pool.grids_end = &grid->next;
    if (is_short)
        atomic_fetch_add(&pool.short_count, 1);
    /* A worker that tells of a grid's end takes what follows, if that is all
     * there is. */
    bool is_taken =
        tells_of_end && grid->total == 1 && pool.grids == grid && !pool.jobs;
    if (!is_taken && !(is_short && leave_short_locked()))
        call_locked(grid->workers_wanted);
    pthread_mutex_unlock(&pool.lock);
    return SW_OK;
}

/* It is no longer: all who sleep may work on it. */
static void
end_short_locked(sw_grid *grid)
{
    if (atomic_exchange(&grid->is_short, false))
        atomic_fetch_sub(&pool.short_count, 1);
}

static void
call_all_locked(sw_grid *grid)
{
    end_short_locked(grid);
    atomic_store(&grid->has_all, true);
    call_locked(pool.threads);
}

static void
call_all(sw_grid *grid)
{
    pthread_mutex_lock(&pool.lock);
    call_all_locked(grid);
    pthread_mutex_unlock(&pool.lock);
}

/* Takes the grid off the list. Workers may still be inside. */
static void
close_grid_locked(sw_grid *grid)
{
    if (grid->is_closed)
        return;
    sw_grid **at = &pool.grids;
    while (*at != grid)
        at = &(*at)->next;
    *at = grid->next;
    if (pool.grids_end == &grid->next)
        pool.grids_end = at;
    grid->is_closed = true;
    end_short_locked(grid);
}

static void
finish_grid(sw_grid *grid)
{
    sw_grid_stats stats = {grid->lane_ins, grid->start_ns, sw_time_ns()};
    sw_launch *launch = &grid->launch;
    if (sw_late_is_on)
        sw_late_end();
    tells_of_end = is_worker;
    launch->done(launch->arg, &grid->fault, &stats);
    tells_of_end = false;
    sw_progress_note();
    free_grid(grid);
}

/* ---- what one worker holds ---- */

typedef struct {
    unsigned slot;
    uint64_t ended; /* units of the grid that it is in, not yet told there */
    /* Contexts to use again, the latest first, then NULLs: programs launch
     * their kernels in turn, and a grid observed in part has two. */
    sw_blk *spare[SPARES];
} worker;

static uint64_t
take_lane_ins(sw_blk *blk)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < blk->warp_count; i++) {
        n += blk->warps[i].lane_ins;
        blk->warps[i].lane_ins = 0;
    }
    return n;
}

/* The block has ended: its context becomes the spare one. */
static void
give_context(worker *w, sw_grid *grid, sw_blk *blk)
{
    uint64_t n = take_lane_ins(blk);
    for (uint32_t i = 1; i < grid->cluster; i++)
        n += take_lane_ins(blk->cluster->blks[i]);
    if (n) {
        pthread_mutex_lock(&grid->lock);
        grid->lane_ins += n;
        pthread_mutex_unlock(&grid->lock);
    }
    sw_blk_destroy(w->spare[SPARES - 1]);
    memmove(&w->spare[1], w->spare, (SPARES - 1) * sizeof *w->spare);
    w->spare[0] = blk;
}

static uint64_t
blocks_in(const sw_blk *blk)
{
    return blk->cluster ? blk->cluster->count : 1;
}

/* Of its shared and local memory; with its cluster's. */
static uint64_t
block_bytes(const sw_blk *blk)
{
    return blocks_in(blk) *
           (blk->shared_bytes +
            (uint64_t)blk->warp_count * SW_WARP_LANES * blk->local_stride);
}

/* Contexts of so many bytes and more are no longer kept. */
static void
drop_spares(worker *w, uint64_t bytes)
{
    int kept = 0;
    for (int i = 0; i < SPARES; i++) {
        sw_blk *blk = w->spare[i];
        w->spare[i] = NULL;
        if (blk && block_bytes(blk) >= bytes)
            sw_blk_destroy(blk);
        else if (blk)
            w->spare[kept++] = blk;
    }
}

/* A context for a block of the grid; NULL without memory. */
static sw_blk *
take_context(worker *w, sw_grid *grid, const sw_program *program)
{
    for (int i = 0; i < SPARES && w->spare[i]; i++) {
        sw_blk *blk = w->spare[i];
        if (!sw_blk_fits(blk, grid, program))
            continue;
        memmove(&w->spare[i], &w->spare[i + 1],
                (size_t)(SPARES - 1 - i) * sizeof *w->spare);
        w->spare[SPARES - 1] = NULL;
        return blk;
    }
    /* Large ones are not kept for later: their memory is wanted. */
    if (w->spare[1])
        drop_spares(w, sw_exec_tune.spare_bytes);
    sw_blk *blk = sw_blk_create(grid, program, w->slot);
    if (blk || !w->spare[0])
        return blk;
    drop_spares(w, 0);
    return sw_blk_create(grid, program, w->slot);
}

/* How many blocks may stand aside: those of a cooperative launch all, else as
 * many as a fixed amount of memory holds. */
static bool
may_suspend(const sw_grid *grid, const sw_blk *blk, size_t count)
{
    if (grid->launch.cooperative)
        return true;
    uint64_t state =
        blk->warp_count * blk->program->backend->warp_bytes(blk->program) +
        4096;
    return count * (block_bytes(blk) + blocks_in(blk) * state) <
           (uint64_t)sw_exec_tune.suspended_mib << 20;
}

/* Stops a grid whose every block only repeats itself, once that has lasted. */
static void
check_spin(sw_grid *grid, sw_blk *blk, uint32_t moves)
{
    uint64_t last = sw_progress_last_ns(), now = sw_time_ns();
    double seconds = now > last ? (double)(now - last) * 1e-9 : 0;
    if (seconds > pool.spin_seconds) {
        if (sw_mem_is_host_visible()) { /* a flag may still come from there */
            if (!atomic_exchange(&grid->warned, true))
                sw_blk_report_stuck(blk, SW_BLK_MAYBE_STUCK, seconds);
        } else {
            pthread_mutex_lock(&grid->lock);
            bool is_first = grid->fault.status == SW_OK;
            pthread_mutex_unlock(&grid->lock);
            if (is_first)
                sw_blk_report_stuck(blk, SW_BLK_STUCK_SPIN, seconds);
            return;
        }
    }
    if (!sw_progress_wait(&blk->idle_moves, moves))
        return; /* it may wait for one that has not had its turn */
    struct timespec nap = {0, sw_exec_tune.idle_nap_ns};
    nanosleep(&nap, NULL);
}

/* A block has ended. */
static void
hint(sw_grid *grid)
{
    if (!atomic_load_explicit(&grid->aside, memory_order_relaxed))
        return;
    pthread_mutex_lock(&grid->lock);
    grid->hints = 2 * pool.threads;
    pthread_mutex_unlock(&grid->lock);
}

/* Runs a context until its block ends or must stand aside. */
static void
run_context(worker *w, sw_grid *grid, sw_blk *blk)
{
    uint32_t moves = sw_progress_moves();
    blk->stepped = false;
    sw_blk_end end = sw_blk_run(blk);
    if (end == SW_BLK_DONE || end == SW_BLK_FAULT) {
        give_context(w, grid, blk);
        sw_progress_note();
        hint(grid);
        w->ended++;
        return;
    }
    if (end == SW_BLK_SPIN)
        check_spin(grid, blk, moves);
    else
        sw_progress_turn(blk->stepped || blk->cluster);
    pthread_mutex_lock(&grid->lock);
    *(sw_suspended *)sw_vec_push(&grid->suspended) =
        (sw_suspended){blk, blk->index};
    atomic_store(&grid->aside, (unsigned)grid->suspended.count);
    sw_progress_put_aside(1);
    pthread_mutex_unlock(&grid->lock);
}

/* The block to go on with: mostly the one that has stood aside longest. Once a
 * block has ended, a few times the first and the last of the grid, which it may
 * have kept: chains of blocks would settle one link a rotation. */
static size_t
next_suspended(sw_grid *grid)
{
    const sw_suspended *all = grid->suspended.data;
    size_t best = 0;
    if (sw_schedule_is_on())
        return sw_schedule_pick((uint32_t)grid->suspended.count);
    if (grid->hints == 0)
        return 0;
    bool first = grid->hints-- % 2 == 0;
    for (size_t i = 1; i < grid->suspended.count; i++)
        if (first ? all[i].index < all[best].index
                  : all[i].index > all[best].index)
            best = i;
    return best;
}

static sw_blk *
pop_suspended(sw_grid *grid, size_t *left)
{
    sw_blk *blk = NULL;
    pthread_mutex_lock(&grid->lock);
    if (grid->suspended.count) {
        size_t at = next_suspended(grid);
        blk = ((sw_suspended *)sw_vec_at(&grid->suspended, at))->blk;
        sw_vec_remove(&grid->suspended, at);
        atomic_store(&grid->aside, (unsigned)grid->suspended.count);
        sw_progress_put_aside(-1);
    }
    *left = grid->suspended.count;
    pthread_mutex_unlock(&grid->lock);
    return blk;
}

static void
stop_without_memory(sw_grid *grid)
{
    pthread_mutex_lock(&grid->lock);
    if (grid->fault.status == SW_OK) {
        grid->fault.status = SW_E_NOMEM;
        strcpy(grid->fault.text,
               "not enough memory for the blocks of the kernel");
    }
    pthread_mutex_unlock(&grid->lock);
    atomic_store(&grid->stopped, true);
}

/* A context for the next block; NULL: the grid has been stopped, or is now for
 * want of memory. */
static sw_blk *
bind_context(worker *w, sw_grid *grid, const sw_program *program)
{
    if (atomic_load_explicit(&grid->stopped, memory_order_relaxed))
        return NULL;
    sw_blk *blk = take_context(w, grid, program);
    if (blk)
        sw_blk_bind(blk, grid, program);
    else
        stop_without_memory(grid);
    return blk;
}

/* Blocks that run one program: as many as the back end runs by itself; the
 * rest one by one. */
static void
run_alike_blocks(worker *w, sw_grid *grid, const sw_program *program,
                 uint64_t first, uint64_t count)
{
    const sw_launch *launch = &grid->launch;
    const sw_backend *backend = program->backend;
    bool by_row = backend->run_blocks && !sw_schedule_is_on() &&
                  (!launch->observer || program != launch->program ||
                   launch->observer->inline_counter || program->tells_blocks);
    uint64_t i = 0;
    while (i < count) {
        sw_blk *blk = bind_context(w, grid, program);
        if (!blk) {
            w->ended += count - i;
            return;
        }
        if (by_row) {
            uint64_t n = backend->run_blocks(blk, first + i, count - i);
            i += n;
            if (i == count)
                give_context(w, grid, blk);
            if (n) {
                sw_progress_note();
                w->ended += n;
            }
            if (i == count)
                return;
        } else {
            uint64_t at = first + i;
            if (sw_schedule_is_on())
                at = sw_schedule_block(at, grid->total);
            sw_engine_begin_block(blk, at);
        }
        run_context(w, grid, blk);
        i++;
    }
}

/* Clusters, one by one. */
static void
run_clusters(worker *w, sw_grid *grid, uint64_t first, uint64_t count)
{
    const sw_program *program = grid->launch.program;
    for (uint64_t i = 0; i < count; i++) {
        sw_blk *blk = bind_context(w, grid, program);
        if (!blk) {
            w->ended += count - i;
            return;
        }
        sw_cluster_begin(blk, first + i);
        run_context(w, grid, blk);
    }
}

static void
run_new_blocks(worker *w, sw_grid *grid, uint64_t first, uint64_t count)
{
    const sw_launch *launch = &grid->launch;
    if (grid->cluster > 1) {
        run_clusters(w, grid, first, count);
        return;
    }
    if (!launch->plain) {
        run_alike_blocks(w, grid, launch->program, first, count);
        return;
    }
    uint64_t end = first + count;
    while (first < end) {
        uint64_t past = first % launch->sample;
        if (past == 0) {
            run_alike_blocks(w, grid, launch->program, first++, 1);
            continue;
        }
        uint64_t n = launch->sample - past;
        n = n < end - first ? n : end - first;
        run_alike_blocks(w, grid, launch->plain, first, n);
        first += n;
    }
}

/* Learns from the first chunks what a block takes: the least, since the first
 * block may need its context made. Calls all workers to a grid that takes
 * longer than was expected. */
static void
run_chunk(worker *w, sw_grid *grid, uint64_t first, uint64_t count)
{
    bool has_all = atomic_load_explicit(&grid->has_all, memory_order_relaxed);
    if (first >= sw_exec_tune.chunks_timed * grid->chunk && has_all) {
        run_new_blocks(w, grid, first, count);
        return;
    }
    uint64_t begin = sw_time_ns();
    run_new_blocks(w, grid, first, count);
    uint64_t ns = (sw_time_ns() - begin) / count + 1;
    atomic_uint_fast64_t *known = grid->launch.program->block_ns;
    if (first == 0 || ns < atomic_load_explicit(known, memory_order_relaxed))
        atomic_store_explicit(known, ns, memory_order_relaxed);
    if (!has_all && ns * (grid->total - first - count) >
                        sw_exec_tune.short_grid_ns * grid->workers_wanted)
        call_all(grid);
}

/* Drops blocks that stood aside when the grid faulted. */
static void
drop_suspended(worker *w, sw_grid *grid)
{
    size_t left;
    for (sw_blk *blk; (blk = pop_suspended(grid, &left));) {
        give_context(w, grid, blk);
        w->ended++;
    }
}

/* ---- atomic operations of one thread ---- */

static void
enter_locked(sw_grid *grid)
{
    sw_biased_revoke();
    atomic_fetch_add(&grid->users, 1);
    pool.inside++;
}

/* Of the thread that leaves, if it was the only one. */
static void
leave_locked(void)
{
    sw_biased_end();
    pool.inside--;
}

/* The only thread that runs blocks is told so, if they change memory by atomic
 * operations. */
static void
look_whether_alone(const sw_grid *grid)
{
    if (!grid->launch.program->contention || atomic_load(&grid->users) > 1 ||
        atomic_load_explicit(&sw_exec_biased.is_granted, memory_order_relaxed))
        return;
    pthread_mutex_lock(&pool.lock);
    if (pool.inside == 1)
        sw_biased_grant();
    pthread_mutex_unlock(&pool.lock);
}

void
sw_exec_share_memory(void)
{
    pthread_once(&pool.once, start_pool);
    pthread_mutex_lock(&pool.lock);
    sw_biased_forbid();
    pthread_mutex_unlock(&pool.lock);
}

/* How it goes until it is compiled tells nothing. */
static void
measure_contention(sw_grid *grid, uint64_t done)
{
    const sw_program *program = grid->launch.program;
    if (sw_contention_is_trying(&grid->contention) &&
        program->backend->is_busy && program->backend->is_busy(program))
        return;
    if (sw_contention_look(&grid->contention, atomic_load(&grid->users), done,
                           sw_time_ns()))
        call_all(grid);
}

/* Some work of the grid; false if there was none. */
static bool
work_on(worker *w, sw_grid *grid)
{
    size_t left = 0;
    bool stopped = atomic_load(&grid->stopped);
    if (stopped) {
        drop_suspended(w, grid);
        uint64_t at = atomic_exchange(&grid->next_block, grid->total);
        if (at < grid->total)
            w->ended += grid->total - at;
        return false;
    }
    bool start = true;
    if (atomic_load_explicit(&grid->aside, memory_order_relaxed)) {
        pthread_mutex_lock(&grid->lock);
        size_t aside = grid->suspended.count;
        const sw_suspended *oldest = grid->suspended.data;
        start = !aside || may_suspend(grid, oldest->blk, aside);
        if (aside && sw_schedule_is_on())
            start = start && sw_schedule_pick(2);
        pthread_mutex_unlock(&grid->lock);
    }
    if (start && atomic_load(&grid->next_block) < grid->total) {
        uint64_t first = atomic_fetch_add(&grid->next_block, grid->chunk);
        if (first < grid->total) {
            uint64_t room = grid->total - first;
            sw_progress_take(2); /* one it has yet to begin */
            look_whether_alone(grid);
            room = room < grid->chunk ? room : grid->chunk;
            run_chunk(w, grid, first, room);
            sw_progress_take(-2);
            if (grid->contention.memory)
                measure_contention(grid, room);
            return true;
        }
    }
    sw_progress_take(1);
    sw_blk *blk = pop_suspended(grid, &left);
    if (blk)
        run_context(w, grid, blk);
    sw_progress_take(-1);
    return blk;
}

/* ---- the loop of a worker ---- */

bool
sw_exec_help_job(bool (*wants)(void *arg, const void *job_arg), void *arg)
{
    if (!atomic_load_explicit(&pool.job_count, memory_order_relaxed))
        return false; /* sleep_until_work looks again, under the lock */
    pthread_mutex_lock(&pool.lock);
    job **at = &pool.jobs;
    while (*at && wants && !wants(arg, (*at)->arg))
        at = &(*at)->next;
    job *j = *at;
    if (j) {
        *at = j->next;
        if (!j->next)
            pool.jobs_end = at;
        atomic_fetch_sub(&pool.job_count, 1);
    }
    pthread_mutex_unlock(&pool.lock);
    if (!j)
        return false;
    j->fn(j->arg);
    sw_progress_note();
    sw_free(j);
    return true;
}

/* Two threads are slower than one at a short grid, unless it is not; and so
 * they are at one that has as many as it is good for. */
static bool
is_in_good_hands_locked(sw_grid *grid)
{
    if (sw_contention_is_full(&grid->contention, atomic_load(&grid->users)))
        return true;
    if (!atomic_load(&grid->is_short) || !atomic_load(&grid->users))
        return false;
    if (sw_time_ns() - grid->start_ns < 2 * sw_exec_tune.short_grid_ns)
        return true;
    call_all_locked(grid);
    return false;
}

/* The n-th grid of the list, entered; NULL if there are fewer. */
static sw_grid *
enter_grid(unsigned n)
{
    pthread_mutex_lock(&pool.lock);
    sw_grid *grid = pool.grids;
    while (grid && (is_in_good_hands_locked(grid) || n--))
        grid = grid->next;
    if (grid)
        enter_locked(grid);
    pthread_mutex_unlock(&pool.lock);
    return grid;
}

/* Leaves the grid; the last one out of a finished grid ends it: true. */
static bool
leave_grid(worker *w, sw_grid *grid)
{
    uint64_t ended = atomic_fetch_add(&grid->ended, w->ended) + w->ended;
    w->ended = 0;
    pthread_mutex_lock(&pool.lock);
    leave_locked();
    if (ended == grid->total)
        close_grid_locked(grid);
    bool last = atomic_fetch_sub(&grid->users, 1) == 1 && grid->is_closed;
    pthread_mutex_unlock(&pool.lock);
    if (last)
        finish_grid(grid);
    return last;
}

static bool
find_work(worker *w)
{
    if (sw_exec_help_job(NULL, NULL))
        return true;
    bool did = false;
    for (unsigned n = 0;; n++) {
        sw_grid *grid = enter_grid(n);
        if (!grid)
            return did;
        bool has_waiting = false;
        while (work_on(w, grid)) {
            did = true;
            has_waiting =
                atomic_load_explicit(&grid->aside, memory_order_relaxed) != 0;
            if (has_waiting ||
                atomic_load_explicit(&pool.job_count, memory_order_relaxed) ||
                sw_contention_is_full(&grid->contention,
                                      atomic_load(&grid->users) - 1))
                break;
        }
        did |= leave_grid(w, grid);
        /* What blocks that stand aside wait for may be in a later grid. */
        if (did && !has_waiting)
            return true;
    }
}

static inline void
relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* Waits for a call, or until ns are over, unless 0. False: they are. */
static bool
sleep_locked(uint64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)ns;
    if (until.tv_nsec >= NS_A_SECOND) {
        until.tv_nsec -= NS_A_SECOND;
        until.tv_sec++;
    }
    pool.sleeping++;
    int rc = ns ? pthread_cond_timedwait(&pool.wake, &pool.lock, &until)
                : pthread_cond_wait(&pool.wake, &pool.lock);
    pool.sleeping--;
    pass_calls_locked();
    return rc == 0;
}

static void
keep_watch_locked(void)
{
    pool.has_watch = true;
    for (unsigned i = 0;
         i < sw_exec_tune.watch_looks && !pool.jobs && !pool.grids; i++)
        sleep_locked(sw_exec_tune.watch_ns);
    pool.has_watch = false;
}

/* Kernels often come in rows. False: nobody has called for a while. */
static bool
look_out(void)
{
    bool is_called = false;
    uint64_t now = sw_time_ns(), until = now + sw_exec_tune.look_out_ns;
    atomic_fetch_add(&pool.lookouts, 1);
    for (; !is_called && now < until; now = sw_time_ns())
        for (unsigned i = 0; i < sw_exec_tune.look_out_pauses && !is_called;
             i++) {
            is_called = atomic_load(&pool.wanted) > 0 &&
                        now >= atomic_load(&pool.wanted_ns) &&
                        atomic_fetch_sub(&pool.wanted, 1) > 0;
            relax();
        }
    atomic_fetch_sub(&pool.lookouts, 1);
    return is_called;
}

/* There is something to begin. */
static bool
has_work_locked(void)
{
    sw_grid *grid = pool.grids;
    while (grid && (is_in_good_hands_locked(grid) ||
                    atomic_load(&grid->next_block) >= grid->total))
        grid = grid->next;
    return pool.jobs || grid;
}

/* False: there was no call. */
static bool
sleep_until_work(worker *w)
{
    bool is_called = true;
    pthread_mutex_lock(&pool.lock);
    if (!pool.jobs && !pool.grids) {
        pthread_mutex_unlock(&pool.lock);
        drop_spares(w, sw_exec_tune.spare_bytes);
        pthread_mutex_lock(&pool.lock);
    }
    if (!pool.jobs && !pool.grids) {
        if (!pool.has_watch)
            keep_watch_locked();
        while (!pool.jobs && !pool.grids)
            sleep_locked(0);
    } else if (!has_work_locked()) {
        /* Others run the last blocks of the grids that are there: look again
         * soon, or when something new comes. */
        is_called = sleep_locked(sw_exec_tune.look_again_ns);
    }
    pthread_mutex_unlock(&pool.lock);
    return is_called;
}

/* ---- threads that wait ---- */

static struct {
    atomic_flag is_busy;
    worker worker;
} helper = {.is_busy = ATOMIC_FLAG_INIT};

static sw_grid *
enter_short_grid(bool (*wants)(void *arg, const sw_launch *launch), void *arg)
{
    pthread_mutex_lock(&pool.lock);
    sw_grid *grid = pool.grids;
    while (grid &&
           !(atomic_load(&grid->is_short) && !atomic_load(&grid->users) &&
             atomic_load(&grid->next_block) < grid->total &&
             wants(arg, &grid->launch)))
        grid = grid->next;
    if (grid)
        enter_locked(grid);
    pthread_mutex_unlock(&pool.lock);
    return grid;
}

bool
sw_exec_help(bool (*wants)(void *arg, const sw_launch *launch), void *arg)
{
    if (!atomic_load_explicit(&pool.short_count, memory_order_relaxed) ||
        atomic_flag_test_and_set(&helper.is_busy))
        return false;
    fenv_t kept;
    bool did = false;
    sw_float_enter(&kept);
    helper.worker.slot = pool.threads;
    sw_progress *was = sw_progress_enter(pool.threads);
    for (sw_grid *grid; (grid = enter_short_grid(wants, arg));) {
        while (atomic_load(&grid->is_short) && work_on(&helper.worker, grid)) {
            did = true;
            if (atomic_load(&grid->aside))
                call_all(grid); /* it waits for others */
        }
        leave_grid(&helper.worker, grid);
    }
    drop_spares(&helper.worker, sw_exec_tune.spare_bytes);
    sw_float_leave(&kept);
    sw_progress_leave(was);
    atomic_flag_clear(&helper.is_busy);
    return did;
}

static void *
worker_main(void *arg)
{
    worker w = {.slot = (unsigned)(uintptr_t)arg};
    fenv_t unused;
    is_worker = true;
    sw_progress_enter(w.slot);
    sw_float_enter(&unused);
    for (bool looks_out = true;;)
        if (find_work(&w))
            looks_out = true;
        else if (!looks_out || !look_out())
            looks_out = sleep_until_work(&w);
    return NULL;
}
