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
 * Waking a worker takes longer than many a grid. Of those that sleep one is
 * the watch for a while: it looks around now and then, and what is expected to
 * be short waits for it, or for a thread that helps.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "exec/pool.h"

enum {
    MAX_THREADS = 256,
    SPINS_BEFORE_SLEEP = 2000,
    IDLE_NAP_NS = 50000,
    IDLE_NS = 10000000, /* longer than most turns that move on */
    LOOK_AGAIN_NS = 200000,
    NS_A_SECOND = 1000000000,
    CHUNKS_A_THREAD = 16,
    MAX_CHUNK = 256,
    CHUNKS_TIMED = 4,
    SHORT_NS = 15000,
    WATCH_NS = 100000, /* from look to look */
    WATCH_LOOKS = 200,
    HELPER_KEEPS = 1 << 20
};
#define SUSPENDED_MAX_BYTES ((uint64_t)2 << 30)

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
    atomic_uint pending;     /* grids in the list + jobs: cheap to look at */
    atomic_uint job_count;   /* the same of jobs only */
    atomic_uint short_count; /* of the grids: short ones */
    unsigned threads, sleeping;
    bool has_watch;                   /* one that sleeps is that */
    atomic_uint_fast64_t progress_ns; /* last time something moved on */
    atomic_uint_fast64_t idle; /* how often something has moved on (upper half),
                                  and blocks that only waited since (lower) */
    atomic_uint aside;         /* blocks that stand aside */
    atomic_uint taken;         /* blocks that workers have in hand, or more */
    double spin_seconds;
} pool = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

/* This thread is a worker, which tells of a grid's end just now. */
static _Thread_local bool is_worker, tells_of_end;

static void *worker_main(void *arg);

static void
note_progress(void)
{
    uint64_t was = atomic_load_explicit(&pool.idle, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&pool.idle, &was,
                                         ((was >> 32) + 1) << 32))
        ;
    atomic_store_explicit(&pool.progress_ns, sw_time_ns(),
                          memory_order_relaxed);
}

/* The state of things, for note_idle. */
static uint32_t
get_moves(void)
{
    return (uint32_t)(atomic_load(&pool.idle) >> 32);
}

/* The block only waited in a turn that began in this state of things. */
static void
note_idle(sw_blk *blk, uint32_t moves)
{
    uint64_t was = atomic_load(&pool.idle);
    if (blk->idle_moves == moves)
        return; /* it has been counted */
    while (was >> 32 == moves)
        if (atomic_compare_exchange_weak(&pool.idle, &was, was + 1)) {
            blk->idle_moves = moves;
            return;
        }
}

/* All blocks have only waited since something moved on. */
static bool
do_all_wait(void)
{
    return (uint32_t)atomic_load(&pool.idle) >=
           atomic_load(&pool.aside) + atomic_load(&pool.taken);
}

bool
sw_engine_all_wait(void)
{
    return do_all_wait() &&
           sw_time_ns() - atomic_load_explicit(&pool.progress_ns,
                                               memory_order_relaxed) >
               IDLE_NS;
}

static unsigned
count_threads(void)
{
    const char *env = getenv("SOFTWARP_THREADS");
    long n = env ? strtol(env, NULL, 10) : 0;
    if (n <= 0) {
        cpu_set_t set;
        n = sched_getaffinity(0, sizeof set, &set) == 0
                ? CPU_COUNT(&set)
                : sysconf(_SC_NPROCESSORS_ONLN);
    }
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
}

static void
start_pool(void)
{
    pthread_attr_t attr;
    pthread_condattr_t clock; /* of the times until which workers sleep */
    const char *seconds = getenv("SOFTWARP_SPIN_SECONDS");
    pool.spin_seconds = seconds ? strtod(seconds, NULL) : 10;
    pool.grids_end = &pool.grids;
    pool.jobs_end = &pool.jobs;
    pool.threads = count_threads();
    note_progress();
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&pool.wake, &clock);
    pthread_condattr_destroy(&clock);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    unsigned started = 0;
    for (unsigned i = 0; i < pool.threads; i++) {
        pthread_t thread;
        started += pthread_create(&thread, &attr, worker_main,
                                  (void *)(uintptr_t)i) == 0;
    }
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

static void
wake_workers(bool all)
{
    if (pool.sleeping == 0)
        return;
    if (all)
        pthread_cond_broadcast(&pool.wake);
    else
        pthread_cond_signal(&pool.wake);
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
    atomic_fetch_add(&pool.pending, 1);
    atomic_fetch_add(&pool.job_count, 1);
    wake_workers(false);
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

/* By what a block of this kernel took before. */
static bool
is_expected_short(const sw_grid *grid)
{
    const sw_launch *launch = &grid->launch;
    uint64_t ns =
        atomic_load_explicit(launch->program->block_ns, memory_order_relaxed);
    return ns && grid->total <= SHORT_NS && ns * grid->total <= SHORT_NS;
}

sw_status
sw_exec_submit(const sw_launch *launch)
{
    pthread_once(&pool.once, start_pool);
    const sw_program *program = launch->program;
    sw_grid *grid = sw_alloc(sizeof *grid);
    grid->launch = *launch;
    const uint32_t *c = launch->cluster;
    grid->cluster = c[0] ? c[0] * c[1] * c[2] : 1;
    grid->total = (uint64_t)launch->grid[0] * launch->grid[1] *
                  launch->grid[2] / grid->cluster;
    grid->chunk = grid->total / ((uint64_t)pool.threads * CHUNKS_A_THREAD);
    if (grid->chunk < 1 || launch->cooperative)
        grid->chunk = 1;
    if (grid->chunk > MAX_CHUNK)
        grid->chunk = MAX_CHUNK;
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
    if (bytes)
        memcpy((void *)(uintptr_t)grid->params, launch->params, bytes);
    if (grid->workspace)
        memset((void *)(uintptr_t)grid->workspace, 0, 512);
    grid->start_ns = sw_time_ns();
    bool is_short = is_expected_short(grid);
    atomic_init(&grid->is_short, is_short);
    pthread_mutex_lock(&pool.lock);
    *pool.grids_end = grid;
    pool.grids_end = &grid->next;
    atomic_fetch_add(&pool.pending, 1);
    if (is_short)
        atomic_fetch_add(&pool.short_count, 1);
    /* A worker that tells of a grid's end takes what follows, if that is all
     * there is. */
    bool is_taken =
        tells_of_end && grid->total == 1 && pool.grids == grid && !pool.jobs;
    if (!is_taken && (!is_short || !pool.has_watch))
        wake_workers(grid->total > 1);
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
call_all(sw_grid *grid)
{
    pthread_mutex_lock(&pool.lock);
    end_short_locked(grid);
    wake_workers(true);
    pthread_mutex_unlock(&pool.lock);
}

/* Takes the grid off the list; the caller's turn to finish it if it was there.
 * Workers may still be inside. */
static bool
close_grid(sw_grid *grid)
{
    bool mine = false;
    pthread_mutex_lock(&pool.lock);
    if (!grid->is_closed) {
        sw_grid **at = &pool.grids;
        while (*at != grid)
            at = &(*at)->next;
        *at = grid->next;
        if (pool.grids_end == &grid->next)
            pool.grids_end = at;
        grid->is_closed = true;
        end_short_locked(grid);
        atomic_fetch_sub(&pool.pending, 1);
        mine = true;
    }
    pthread_mutex_unlock(&pool.lock);
    return mine;
}

static void
finish_grid(sw_grid *grid)
{
    sw_grid_stats stats = {grid->lane_ins, grid->start_ns, sw_time_ns()};
    sw_launch *launch = &grid->launch;
    tells_of_end = is_worker;
    launch->done(launch->arg, &grid->fault, &stats);
    tells_of_end = false;
    note_progress();
    free_grid(grid);
}

/* ---- what one worker holds ---- */

typedef struct {
    unsigned slot;
    sw_blk *spare[2]; /* contexts to use again: of two programs, where a grid
                         is observed in part */
} worker;

/* A context for a block of the grid; NULL without memory. */
static sw_blk *
take_context(worker *w, sw_grid *grid, const sw_program *program)
{
    const sw_launch *l = &grid->launch;
    for (int i = 0; i < 2; i++) {
        sw_blk *blk = w->spare[i];
        if (blk && sw_blk_fits(blk, grid, program)) {
            w->spare[i] = NULL;
            return blk;
        }
        /* Not one for the grid's other program: its memory is wanted. */
        if (blk && !sw_blk_fits(blk, grid, l->program) &&
            !(l->plain && sw_blk_fits(blk, grid, l->plain))) {
            sw_blk_destroy(blk);
            w->spare[i] = NULL;
        }
    }
    return sw_blk_create(grid, program, w->slot);
}

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
    sw_blk_destroy(w->spare[1]);
    w->spare[1] = w->spare[0];
    w->spare[0] = blk;
}

static void
end_blocks(sw_grid *grid, uint64_t count)
{
    atomic_fetch_add(&grid->ended, count);
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
           SUSPENDED_MAX_BYTES;
}

/* Stops a grid whose every block only repeats itself, once that has lasted. */
static void
check_spin(sw_grid *grid, sw_blk *blk, uint32_t moves)
{
    uint64_t last =
        atomic_load_explicit(&pool.progress_ns, memory_order_relaxed);
    uint64_t now = sw_time_ns();
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
    note_idle(blk, moves);
    if (!do_all_wait())
        return; /* it may wait for one that has not had its turn */
    struct timespec nap = {0, IDLE_NAP_NS};
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
    uint32_t moves = get_moves();
    sw_blk_end end = sw_blk_run(blk);
    if (end == SW_BLK_DONE || end == SW_BLK_FAULT) {
        give_context(w, grid, blk);
        note_progress();
        hint(grid);
        end_blocks(grid, 1);
        return;
    }
    if (end == SW_BLK_SPIN)
        check_spin(grid, blk, moves);
    else
        note_progress();
    pthread_mutex_lock(&grid->lock);
    *(sw_suspended *)sw_vec_push(&grid->suspended) =
        (sw_suspended){blk, blk->index};
    atomic_store(&grid->aside, (unsigned)grid->suspended.count);
    atomic_fetch_add(&pool.aside, 1);
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
        atomic_fetch_sub(&pool.aside, 1);
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
    bool by_row = backend->run_blocks &&
                  (!launch->observer || program != launch->program ||
                   launch->observer->tally);
    uint64_t i = 0;
    while (i < count) {
        sw_blk *blk = bind_context(w, grid, program);
        if (!blk) {
            end_blocks(grid, count - i);
            return;
        }
        if (by_row) {
            uint64_t n = backend->run_blocks(blk, first + i, count - i);
            i += n;
            if (i == count)
                give_context(w, grid, blk);
            if (n) {
                note_progress();
                end_blocks(grid, n);
            }
            if (i == count)
                return;
        } else {
            sw_engine_begin_block(blk, first + i);
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
            end_blocks(grid, count - i);
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
 * block may need its context made. Sees to it that a grid is not taken for
 * short which is not. */
static void
run_chunk(worker *w, sw_grid *grid, uint64_t first, uint64_t count)
{
    bool is_short = atomic_load_explicit(&grid->is_short, memory_order_relaxed);
    if (first >= CHUNKS_TIMED * grid->chunk && !is_short) {
        run_new_blocks(w, grid, first, count);
        return;
    }
    uint64_t begin = sw_time_ns();
    run_new_blocks(w, grid, first, count);
    uint64_t ns = (sw_time_ns() - begin) / count + 1;
    atomic_uint_fast64_t *known = grid->launch.program->block_ns;
    if (first == 0 || ns < atomic_load_explicit(known, memory_order_relaxed))
        atomic_store_explicit(known, ns, memory_order_relaxed);
    if (is_short && ns * (grid->total - first - count) > SHORT_NS)
        call_all(grid);
}

/* Drops blocks that stood aside when the grid faulted. */
static void
drop_suspended(worker *w, sw_grid *grid)
{
    size_t left;
    for (sw_blk *blk; (blk = pop_suspended(grid, &left));) {
        give_context(w, grid, blk);
        end_blocks(grid, 1);
    }
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
            end_blocks(grid, grid->total - at);
        return false;
    }
    bool start = true;
    if (atomic_load_explicit(&grid->aside, memory_order_relaxed)) {
        pthread_mutex_lock(&grid->lock);
        size_t aside = grid->suspended.count;
        const sw_suspended *oldest = grid->suspended.data;
        start = !aside || may_suspend(grid, oldest->blk, aside);
        pthread_mutex_unlock(&grid->lock);
    }
    if (start && atomic_load(&grid->next_block) < grid->total) {
        uint64_t first = atomic_fetch_add(&grid->next_block, grid->chunk);
        if (first < grid->total) {
            uint64_t room = grid->total - first;
            atomic_fetch_add(&pool.taken, 2); /* one it has yet to begin */
            run_chunk(w, grid, first, room < grid->chunk ? room : grid->chunk);
            atomic_fetch_sub(&pool.taken, 2);
            return true;
        }
    }
    atomic_fetch_add(&pool.taken, 1);
    sw_blk *blk = pop_suspended(grid, &left);
    if (blk)
        run_context(w, grid, blk);
    atomic_fetch_sub(&pool.taken, 1);
    return blk;
}

/* ---- the loop of a worker ---- */

static bool
run_job(void)
{
    if (!atomic_load_explicit(&pool.job_count, memory_order_relaxed))
        return false; /* sleep_until_work looks again, under the lock */
    pthread_mutex_lock(&pool.lock);
    job *j = pool.jobs;
    if (j) {
        pool.jobs = j->next;
        if (!pool.jobs)
            pool.jobs_end = &pool.jobs;
        atomic_fetch_sub(&pool.pending, 1);
        atomic_fetch_sub(&pool.job_count, 1);
    }
    pthread_mutex_unlock(&pool.lock);
    if (!j)
        return false;
    j->fn(j->arg);
    note_progress();
    sw_free(j);
    return true;
}

/* Two threads are slower than one at a short grid, unless it is not. */
static bool
is_in_good_hands_locked(sw_grid *grid)
{
    if (!atomic_load(&grid->is_short) || !atomic_load(&grid->users))
        return false;
    if (sw_time_ns() - grid->start_ns < 2 * SHORT_NS)
        return true;
    end_short_locked(grid);
    wake_workers(true);
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
        atomic_fetch_add(&grid->users, 1);
    pthread_mutex_unlock(&pool.lock);
    return grid;
}

/* Leaves the grid; the last one out of a finished grid ends it: true. */
static bool
leave_grid(sw_grid *grid)
{
    bool ended = atomic_load(&grid->ended) == grid->total;
    if (ended)
        close_grid(grid);
    pthread_mutex_lock(&pool.lock);
    bool last = atomic_fetch_sub(&grid->users, 1) == 1 && grid->is_closed;
    pthread_mutex_unlock(&pool.lock);
    if (last)
        finish_grid(grid);
    return last;
}

static bool
find_work(worker *w)
{
    if (run_job())
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
                atomic_load_explicit(&pool.job_count, memory_order_relaxed))
                break;
        }
        did |= leave_grid(grid);
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

/* Waits for a call, or until ns are over. */
static void
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
    pthread_cond_timedwait(&pool.wake, &pool.lock, &until);
    pool.sleeping--;
}

static void
keep_watch_locked(void)
{
    pool.has_watch = true;
    for (int i = 0; i < WATCH_LOOKS && !pool.jobs && !pool.grids; i++)
        sleep_locked(WATCH_NS);
    pool.has_watch = false;
}

static void
sleep_until_work(worker *w)
{
    /* Kernels often come in rows: look around a little before sleeping. */
    for (int i = 0; i < SPINS_BEFORE_SLEEP; i++) {
        if (atomic_load_explicit(&pool.pending, memory_order_relaxed))
            break;
        relax();
    }
    pthread_mutex_lock(&pool.lock);
    if (!pool.jobs && !pool.grids) {
        sw_blk *spare[2] = {w->spare[0], w->spare[1]};
        w->spare[0] = w->spare[1] = NULL;
        pthread_mutex_unlock(&pool.lock);
        sw_blk_destroy(spare[0]);
        sw_blk_destroy(spare[1]);
        pthread_mutex_lock(&pool.lock);
    }
    if (!pool.jobs && !pool.grids) {
        if (!pool.has_watch)
            keep_watch_locked();
        while (!pool.jobs && !pool.grids) {
            pool.sleeping++;
            pthread_cond_wait(&pool.wake, &pool.lock);
            pool.sleeping--;
        }
    } else if (!pool.jobs) {
        /* Others run the last blocks of the grids that are there: look again
         * soon, or when something new comes. */
        sleep_locked(LOOK_AGAIN_NS);
    }
    pthread_mutex_unlock(&pool.lock);
}

/* ---- threads that wait ---- */

static struct {
    atomic_flag is_busy;
    worker worker;
} helper = {.is_busy = ATOMIC_FLAG_INIT};

/* What a block had is kept for the next help, if that is not much. */
static void
keep_little(worker *w)
{
    for (int i = 0; i < 2; i++) {
        const sw_blk *blk = w->spare[i];
        if (!blk || block_bytes(blk) <= HELPER_KEEPS)
            continue;
        sw_blk_destroy(w->spare[i]);
        w->spare[i] = NULL;
    }
}

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
        atomic_fetch_add(&grid->users, 1);
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
    for (sw_grid *grid; (grid = enter_short_grid(wants, arg));) {
        while (atomic_load(&grid->is_short) && work_on(&helper.worker, grid)) {
            did = true;
            if (atomic_load(&grid->aside))
                call_all(grid); /* it waits for others */
        }
        leave_grid(grid);
    }
    keep_little(&helper.worker);
    sw_float_leave(&kept);
    atomic_flag_clear(&helper.is_busy);
    return did;
}

static void *
worker_main(void *arg)
{
    worker w = {(unsigned)(uintptr_t)arg, {NULL, NULL}};
    fenv_t unused;
    is_worker = true;
    sw_float_enter(&unused);
    for (;;)
        if (!find_work(&w))
            sleep_until_work(&w);
    return NULL;
}
