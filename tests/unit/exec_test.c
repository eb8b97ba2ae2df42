/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_test.c - grids and worker threads: big grids, many at once from several
 * host threads, faults that stay with their grid, cooperative grids.
 */
#include "check.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "exec/biased.h"
#include "kernel.h"

#define COUNT                                                                  \
    KERNEL_HEAD ".visible .entry k(.param .u64 out) {\n"                       \
                ".reg .b64 %rd<2>;\n"                                          \
                "ld.param.u64 %rd1, [out];\n"                                  \
                "red.global.add.u32 [%rd1], 1;\nret; }\n"

static uint64_t
words(unsigned n)
{
    uint64_t p = 0;
    CHECK_EQ(sw_mem_alloc(SW_MEM_DEVICE, 0, n * 4ul, 256, NULL, &p), SW_OK);
    memset((void *)(uintptr_t)p, 0, n * 4ul);
    return p;
}

static uint32_t
word(uint64_t p, unsigned i)
{
    return ((const uint32_t *)(uintptr_t)p)[i];
}

CASE(a_million_empty_blocks)
{
    kernel k;
    kernel_run r;
    CHECK(kernel_create(&k, KERNEL_HEAD ".visible .entry k() { ret; }\n", 0));
    sw_launch l = kernel_launch(&k, 1 << 20, 32, NULL);
    CHECK_EQ(kernel_start(&r, &l), SW_OK);
    kernel_wait(&r);
    CHECK_EQ(r.fault.status, SW_OK);
    CHECK_EQ(r.stats.lane_ins, 32ul << 20);
    CHECK(r.stats.end_ns > r.stats.start_ns);
    kernel_destroy(&k);
}

CASE(blocks_of_every_shape_run_once)
{
    static const uint32_t shapes[][6] = {{1, 1, 1, 1, 1, 1},
                                         {7, 5, 3, 1, 1, 1},
                                         {1, 1, 1, 8, 8, 16},
                                         {300, 2, 1, 33, 1, 1},
                                         {1, 1, 500, 1, 3, 5}};
    kernel k;
    CHECK(kernel_create(&k, COUNT, 0));
    uint64_t p = words(1);
    uint32_t want = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        kernel_run r;
        sw_launch l = kernel_launch(&k, 1, 1, &p);
        memcpy(l.grid, shapes[i], sizeof l.grid);
        memcpy(l.block, shapes[i] + 3, sizeof l.block);
        CHECK_EQ(kernel_start(&r, &l), SW_OK);
        kernel_wait(&r);
        uint32_t threads = 1;
        for (int n = 0; n < 6; n++)
            threads *= shapes[i][n];
        want += threads;
        CHECK_EQ(word(p, 0), want);
        CHECK_EQ(r.stats.lane_ins, 3 * threads);
    }
    CHECK_EQ(sw_mem_free(p), SW_OK);
    kernel_destroy(&k);
}

/* Threads that each launch many grids and only then wait for all. */
enum { HOSTS = 4, GRIDS = 60 };

typedef struct {
    const kernel *k;
    uint64_t out;
    kernel_run runs[GRIDS];
    unsigned errors;
} host;

static void *
launch_many(void *arg)
{
    host *h = arg;
    for (int i = 0; i < GRIDS; i++) {
        sw_launch l = kernel_launch(h->k, 1 + (uint32_t)i % 13,
                                    1 + (uint32_t)i * 7 % 100, &h->out);
        h->errors += kernel_start(&h->runs[i], &l) != SW_OK;
    }
    for (int i = 0; i < GRIDS; i++)
        kernel_wait(&h->runs[i]);
    return NULL;
}

CASE(many_grids_from_many_threads)
{
    static host hosts[HOSTS];
    kernel k;
    pthread_t t[HOSTS];
    uint32_t want = 0;
    CHECK(kernel_create(&k, COUNT, 0));
    for (uint32_t i = 0; i < GRIDS; i++)
        want += (1 + i % 13) * (1 + i * 7 % 100);
    for (int i = 0; i < HOSTS; i++) {
        hosts[i] = (host){.k = &k, .out = words(1)};
        pthread_create(&t[i], NULL, launch_many, &hosts[i]);
    }
    for (int i = 0; i < HOSTS; i++)
        pthread_join(t[i], NULL);
    usleep(2000); /* a second done() would come now */
    for (int i = 0; i < HOSTS; i++) {
        unsigned wrong = 0;
        CHECK_EQ(hosts[i].errors, 0);
        CHECK_EQ(word(hosts[i].out, 0), want);
        for (int n = 0; n < GRIDS; n++)
            wrong += hosts[i].runs[n].done != 1 ||
                     hosts[i].runs[n].fault.status != SW_OK;
        CHECK_EQ(wrong, 0);
        CHECK_EQ(sw_mem_free(hosts[i].out), SW_OK);
    }
    kernel_destroy(&k);
}

CASE(a_fault_stays_with_its_grid)
{
    enum { N = 20 };
    kernel good, bad;
    kernel_run ok[N], wrong[N];
    uint64_t p = words(1);
    CHECK(kernel_create(&good, COUNT, 0));
    CHECK(kernel_create(&bad,
                        KERNEL_HEAD ".visible .entry k(.param .u64 out) {\n"
                                    ".reg .pred %p; .reg .b32 %r<3>;\n"
                                    "mov.u32 %r1, %ctaid.x;\n"
                                    "setp.ne.u32 %p, %r1, 17;\n"
                                    "@%p ret;\ntrap; }\n",
                        0));
    for (int i = 0; i < N; i++) {
        sw_launch l = kernel_launch(&bad, 1000, 64, &p);
        CHECK_EQ(kernel_start(&wrong[i], &l), SW_OK);
        l = kernel_launch(&good, 100, 64, &p);
        CHECK_EQ(kernel_start(&ok[i], &l), SW_OK);
    }
    for (int i = 0; i < N; i++) {
        kernel_wait(&wrong[i]);
        kernel_wait(&ok[i]);
        CHECK_EQ(wrong[i].fault.status, SW_E_LAUNCH_FAILED);
        CHECK_EQ(wrong[i].fault.block[0], 17);
        CHECK_STR(wrong[i].fault.kernel, "k");
        CHECK_EQ(ok[i].fault.status, SW_OK);
        CHECK_EQ(wrong[i].done, 1);
    }
    CHECK_EQ(word(p, 0), N * 100 * 64);
    CHECK_EQ(sw_mem_free(p), SW_OK);
    kernel_destroy(&good);
    kernel_destroy(&bad);
}

CASE(a_fault_ends_blocks_that_wait_for_others)
{
    kernel k; /* block 40 traps, all others spin for a flag nobody sets */
    kernel_run r;
    uint64_t p = words(1);
    CHECK(kernel_create(&k,
                        KERNEL_HEAD
                        ".visible .entry k(.param .u64 out) {\n"
                        ".reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
                        "ld.param.u64 %rd1, [out];\n"
                        "mov.u32 %r1, %ctaid.x;\n"
                        "setp.ne.u32 %p, %r1, 40;\n"
                        "@%p bra SPIN;\ntrap;\n"
                        "SPIN: ld.volatile.global.u32 %r2, [%rd1];\n"
                        "setp.eq.u32 %p, %r2, 0;\n@%p bra SPIN;\nret; }\n",
                        0));
    sw_launch l = kernel_launch(&k, 100, 96, &p);
    CHECK_EQ(kernel_start(&r, &l), SW_OK);
    kernel_wait(&r);
    CHECK_EQ(r.fault.status, SW_E_LAUNCH_FAILED);
    CHECK_EQ(r.fault.block[0], 40);
    CHECK_EQ(sw_mem_free(p), SW_OK);
    kernel_destroy(&k);
}

CASE(a_grid_waits_for_one_submitted_later)
{
    kernel wait, set;
    kernel_run r[2];
    uint64_t p = words(1);
    CHECK(kernel_create(&wait,
                        KERNEL_HEAD
                        ".visible .entry k(.param .u64 out) {\n"
                        ".reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
                        "ld.param.u64 %rd1, [out];\n"
                        "SPIN: ld.volatile.global.u32 %r2, [%rd1];\n"
                        "setp.eq.u32 %p, %r2, 0;\n@%p bra SPIN;\nret; }\n",
                        0));
    CHECK(kernel_create(&set, COUNT, 0));
    /* More blocks than workers, so that none is idle. */
    sw_launch l = kernel_launch(&wait, 8 * sw_exec_thread_count(), 64, &p);
    CHECK_EQ(kernel_start(&r[0], &l), SW_OK);
    usleep(5000);
    l = kernel_launch(&set, 1, 1, &p);
    CHECK_EQ(kernel_start(&r[1], &l), SW_OK);
    for (int i = 0; i < 2; i++) {
        kernel_wait(&r[i]);
        CHECK_EQ(r[i].fault.status, SW_OK);
    }
    CHECK(r[1].stats.end_ns - r[1].stats.start_ns < 2000000000);
    CHECK_EQ(sw_mem_free(p), SW_OK);
    kernel_destroy(&wait);
    kernel_destroy(&set);
}

CASE(a_program_runs_on_after_a_fault_inside_calls)
{
    kernel k; /* calls itself five deep, there the odd lanes trap if asked to */
    uint64_t p = words(64);
    CHECK(kernel_create(
        &k,
        KERNEL_HEAD
        ".func (.param .b32 r) f(.param .b32 n, .param .b32 bad) {\n"
        ".reg .pred %p<3>; .reg .b32 %r<9>;\n"
        "ld.param.b32 %r1, [n]; ld.param.b32 %r2, [bad];\n"
        "mov.u32 %r3, %tid.x; and.b32 %r4, %r3, 1;\n"
        "setp.gt.u32 %p1, %r1, 4; @%p1 bra DEEP;\n"
        "add.u32 %r5, %r1, 1;\n"
        "{ .param .b32 a; .param .b32 b; .param .b32 c;\n"
        "st.param.b32 [a], %r5; st.param.b32 [b], %r2;\n"
        "call (c), f, (a, b); ld.param.b32 %r6, [c]; }\n"
        "add.u32 %r6, %r6, 1; bra DONE;\n"
        "DEEP: setp.eq.u32 %p2, %r4, 0; mov.u32 %r6, 100; @%p2 bra DONE;\n"
        "setp.eq.u32 %p2, %r2, 2; @%p2 exit;\n"
        "setp.eq.u32 %p2, %r2, 1; @%p2 trap;\n"
        "DONE: st.param.b32 [r], %r6; ret; }\n"
        ".visible .entry k(.param .u64 out) {\n"
        ".reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
        "ld.param.u64 %rd1, [out]; ld.global.u32 %r2, [%rd1];\n"
        "bar.sync 0;\n"
        "mov.u32 %r1, 0; mov.u32 %r4, %tid.x;\n"
        "{ .param .b32 a; .param .b32 b; .param .b32 c;\n"
        "st.param.b32 [a], %r1; st.param.b32 [b], %r2;\n"
        "call (c), f, (a, b); ld.param.b32 %r3, [c]; }\n"
        "mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd1, %rd2;\n"
        "st.global.u32 [%rd2], %r3; ret; }\n",
        0));
    for (int i = 0; i < 12; i++) {
        uint32_t *w = (uint32_t *)(uintptr_t)p;
        uint32_t how = (uint32_t)i % 3; /* fine; traps; odd lanes end there */
        kernel_run r;
        memset(w, 0, 64 * 4);
        w[0] = how;
        sw_launch l = kernel_launch(&k, 1, 64, &p);
        CHECK_EQ(kernel_start(&r, &l), SW_OK);
        kernel_wait(&r);
        CHECK_EQ(r.fault.status, how == 1 ? SW_E_LAUNCH_FAILED : SW_OK);
        if (how == 1) {
            CHECK_EQ(r.fault.thread[0] % 2, 1);
            continue;
        }
        for (unsigned t = 0; t < 64; t++)
            CHECK_EQ(w[t], how == 2 && t % 2 ? 0 : 105);
    }
    CHECK_EQ(sw_mem_free(p), SW_OK);
    kernel_destroy(&k);
}

CASE(five_hundred_blocks_meet)
{
    kernel k;
    kernel_run r;
    uint64_t p = words(512);
    CHECK(kernel_create(
        &k,
        KERNEL_HEAD ".visible .entry k(.param .u64 out) {\n"
                    ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<6>;\n"
                    "ld.param.u64 %rd1, [out];\n"
                    "mov.u32 %r1, %envreg1;\n mov.u32 %r2, %envreg2;\n"
                    "mov.b64 %rd2, {%r2, %r1};\n"
                    "mov.u32 %r3, %ctaid.x;\n mov.u32 %r4, %nctaid.x;\n"
                    "mov.u32 %r5, %tid.x;\n setp.ne.u32 %p1, %r5, 0;\n"
                    "@%p1 bra OVER;\n"
                    "red.global.add.u32 [%rd2+4], 1;\n"
                    "SPIN: ld.volatile.global.u32 %r6, [%rd2+4];\n"
                    "setp.lt.u32 %p2, %r6, %r4;\n@%p2 bra SPIN;\n"
                    "OVER: bar.sync 0;\n"
                    "mul.wide.u32 %rd3, %r3, 4;\n add.u64 %rd3, %rd1, %rd3;\n"
                    "ld.volatile.global.u32 %r6, [%rd2+4];\n"
                    "red.global.max.u32 [%rd3], %r6;\nret; }\n",
        0));
    CHECK(sw_program_get_info(k.program)->uses_grid_sync);
    sw_launch l = kernel_launch(&k, 512, 64, &p);
    l.cooperative = true;
    CHECK_EQ(kernel_start(&r, &l), SW_OK);
    kernel_wait(&r);
    CHECK_EQ(r.fault.status, SW_OK);
    unsigned wrong = 0;
    for (unsigned i = 0; i < 512; i++)
        wrong += word(p, i) != 512;
    CHECK_EQ(wrong, 0);
    CHECK_EQ(sw_mem_free(p), SW_OK);
    kernel_destroy(&k);
}

CASE(facts_of_a_kernel)
{
    kernel k;
    CHECK(kernel_create(
        &k,
        KERNEL_HEAD
        ".func f() { .local .b8 own[100]; .reg .b64 %rd<2>;\n"
        "mov.u64 %rd1, own; call f, (); ret; }\n"
        ".visible .entry k(.param .u64 a, .param .u8 b, .param .u32 c) {\n"
        ".shared .align 4 .b8 cells[100]; .reg .b32 %r<2>;\n"
        ".extern .shared .b8 rest[];\n"
        "mov.u32 %r1, cells; bar.sync 0; call f, (); ret; }\n",
        0));
    const sw_program_info *info = sw_program_get_info(k.program);
    CHECK_EQ(info->param_bytes, 16);
    CHECK(info->static_shared_bytes >= 100 && info->static_shared_bytes < 128);
    CHECK(info->frame_bytes >= 100);
    CHECK(info->is_recursive && info->uses_barrier);
    CHECK(!info->uses_grid_sync && !info->has_indirect_calls);
    kernel_destroy(&k);
}

CASE(what_is_missing_is_named)
{
    kernel k;
    CHECK(!kernel_create(&k,
                         KERNEL_HEAD ".extern .func nowhere();\n"
                                     ".visible .entry k() { call nowhere; "
                                     "ret; }\n",
                         0));
    kernel_destroy(&k);
}

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    unsigned count;
} posts;

static void
posted(void *arg)
{
    posts *p = arg;
    pthread_mutex_lock(&p->lock);
    p->count++;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

CASE(posted_work_is_done)
{
    posts p = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    CHECK(sw_exec_thread_count() >= 1);
    for (int i = 0; i < 1000; i++)
        sw_exec_post(posted, &p);
    pthread_mutex_lock(&p.lock);
    while (p.count < 1000)
        pthread_cond_wait(&p.wake, &p.lock);
    pthread_mutex_unlock(&p.lock);
    CHECK_EQ(p.count, 1000);
}

static void
hold(void *arg)
{
    posts *p = arg;
    posted(p);
    pthread_mutex_lock(&p->lock);
    while (p->count < 1000)
        pthread_cond_wait(&p->wake, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static bool
is_that(void *arg, const void *job_arg)
{
    return arg == job_arg;
}

/* While all workers are at something else, who waits does it. */
CASE(posted_work_is_done_by_who_waits)
{
    static posts held = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                         0}; /* workers look at it once more */
    posts first = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    posts second = first;
    unsigned threads = sw_exec_thread_count();
    for (unsigned i = 0; i < threads; i++)
        sw_exec_post(hold, &held);
    pthread_mutex_lock(&held.lock);
    while (held.count < threads)
        pthread_cond_wait(&held.wake, &held.lock);
    pthread_mutex_unlock(&held.lock);
    CHECK(!sw_exec_help_job(NULL, NULL));
    sw_exec_post(posted, &first);
    sw_exec_post(posted, &second);
    CHECK(sw_exec_help_job(is_that, &second));
    CHECK(!sw_exec_help_job(is_that, &second));
    CHECK_EQ(first.count, 0);
    CHECK_EQ(second.count, 1);
    sw_exec_post(posted, &second);
    CHECK(sw_exec_help_job(NULL, NULL));
    CHECK_EQ(first.count, 1);
    CHECK(sw_exec_help_job(NULL, NULL));
    CHECK_EQ(second.count, 2);
    pthread_mutex_lock(&held.lock);
    held.count = 1000;
    pthread_cond_broadcast(&held.wake);
    pthread_mutex_unlock(&held.lock);
}

/* ---- threads that wait, and help ---- */

/* Nothing is short where every access is looked at. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { IS_SLOW = true };
#else
enum { IS_SLOW = false };
#endif

typedef struct {
    kernel_run run;
    pthread_t thread; /* that called done */
} helped_run;

static void
done_by(void *arg, const sw_fault *fault, const sw_grid_stats *stats)
{
    helped_run *h = arg;
    h->thread = pthread_self();
    kernel_done(&h->run, fault, stats);
}

static bool
any(void *arg, const sw_launch *launch)
{
    (void)launch;
    *(unsigned *)arg += 1;
    return true;
}

static bool
none(void *arg, const sw_launch *launch)
{
    (void)launch;
    *(unsigned *)arg += 1;
    return false;
}

/* Starts the kernel again and again, so that it is known to be short and the
 * workers sleep, until the calling thread has found it first. */
static unsigned
times_helped(sw_launch *l, bool (*wants)(void *, const sw_launch *),
             unsigned *asked)
{
    unsigned helped = 0;
    l->done = done_by;
    for (int i = 0; i < 300; i++) {
        helped_run h;
        pthread_mutex_init(&h.run.lock, NULL);
        pthread_cond_init(&h.run.wake, NULL);
        h.run.done = 0;
        l->arg = &h;
        CHECK_EQ(sw_exec_submit(l), SW_OK);
        sw_exec_help(wants, asked);
        kernel_wait(&h.run);
        CHECK_EQ(h.run.fault.status, SW_OK);
        helped += pthread_equal(h.thread, pthread_self()) != 0;
        usleep(300);
    }
    return helped;
}

CASE(who_waits_runs_a_short_grid)
{
    kernel k;
    unsigned asked = 0;
    CHECK(kernel_create(&k, COUNT, 0));
    uint64_t p = words(1);
    sw_launch l = kernel_launch(&k, 3, 64, &p);
    CHECK(times_helped(&l, any, &asked) > 0 || IS_SLOW);
    CHECK(asked > 0 || IS_SLOW);
    CHECK_EQ(word(p, 0), 300 * 3 * 64);
    asked = 0;
    CHECK_EQ(times_helped(&l, none, &asked), 0);
    CHECK(asked > 0 || IS_SLOW);
    CHECK_EQ(sw_exec_help(any, &asked), false); /* there is nothing */
    CHECK_EQ(sw_mem_free(p), SW_OK);
    kernel_destroy(&k);
}

/* It is no longer short when its block waits for somebody: the helper leaves
 * it to the workers. */
CASE(who_helps_does_not_wait_with_a_block)
{
    kernel k;
    unsigned asked = 0;
    CHECK(kernel_create(&k,
                        KERNEL_HEAD
                        ".visible .entry k(.param .u64 flag) {\n"
                        ".reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p;\n"
                        "ld.param.u64 %rd1, [flag];\n"
                        "L: ld.volatile.global.u32 %r1, [%rd1];\n"
                        "setp.eq.u32 %p, %r1, 0;\n@%p bra L;\nret; }\n",
                        0));
    uint64_t p = words(1);
    volatile uint32_t *flag = (volatile uint32_t *)(uintptr_t)p;
    sw_launch l = kernel_launch(&k, 1, 32, &p);
    *flag = 1;
    CHECK(times_helped(&l, any, &asked) > 0 || IS_SLOW);
    for (int i = 0; i < 20; i++) {
        kernel_run r;
        l.done = kernel_done;
        *flag = 0;
        CHECK_EQ(kernel_start(&r, &l), SW_OK);
        sw_exec_help(any, &asked);
        CHECK_EQ(r.done, 0);
        *flag = 1;
        kernel_wait(&r);
        CHECK_EQ(r.fault.status, SW_OK);
        usleep(300);
    }
    CHECK_EQ(sw_mem_free(p), SW_OK);
    kernel_destroy(&k);
}

/* Whether the workers look out, are on watch or sleep. */
CASE(a_short_grid_that_nobody_waits_for_is_run)
{
    static const unsigned pauses_us[] = {0, 10, 40, 80, 250, 2000, 30000};
    kernel k;
    CHECK(kernel_create(&k, COUNT, 0));
    uint64_t p = words(1);
    sw_launch l = kernel_launch(&k, 3, 64, &p);
    uint32_t launches = 0;
    for (int round = 0; round < 10; round++)
        for (size_t i = 0; i < sizeof pauses_us / sizeof *pauses_us; i++) {
            kernel_run r;
            CHECK_EQ(kernel_start(&r, &l), SW_OK);
            kernel_wait(&r);
            CHECK_EQ(r.fault.status, SW_OK);
            launches++;
            usleep(pauses_us[i]);
        }
    CHECK_EQ(word(p, 0), launches * 3 * 64);
    CHECK_EQ(sw_mem_free(p), SW_OK);
    kernel_destroy(&k);
}

/* How many rounds a block makes is known to the host only: what is expected of
 * a grid by those before it may be wrong by far. */
CASE(a_grid_that_takes_longer_than_before_is_run)
{
    kernel k;
    CHECK(kernel_create(&k,
                        KERNEL_HEAD
                        ".visible .entry k(.param .u64 rounds) {\n"
                        ".reg .b64 %rd<2>; .reg .b32 %r<3>; .reg .pred %p;\n"
                        "ld.param.u64 %rd1, [rounds];\n"
                        "ld.global.u32 %r1, [%rd1];\n"
                        "L: sub.u32 %r1, %r1, 1;\n"
                        "setp.ne.u32 %p, %r1, 0;\n@%p bra L;\n"
                        "red.global.add.u32 [%rd1+4], 1;\nret; }\n",
                        0));
    uint64_t p = words(2);
    volatile uint32_t *rounds = (volatile uint32_t *)(uintptr_t)p;
    sw_launch l = kernel_launch(&k, 40, 32, &p);
    for (int i = 0; i < 12; i++) {
        kernel_run r;
        *rounds = i % 4 == 3 ? 20000 : 1;
        CHECK_EQ(kernel_start(&r, &l), SW_OK);
        kernel_wait(&r);
        CHECK_EQ(r.fault.status, SW_OK);
        CHECK_EQ(word(p, 1), ((uint32_t)i + 1) * 40 * 32);
    }
    CHECK_EQ(sw_mem_free(p), SW_OK);
    kernel_destroy(&k);
}

static double
processor_seconds(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

/* One block is there, and waits: all sleep, and look now and then. What else
 * the machine does may cost a window of time, never each of many. */
CASE(workers_without_a_block_sleep)
{
    kernel k;
    kernel_run r;
    CHECK(kernel_create(&k,
                        KERNEL_HEAD
                        ".visible .entry k(.param .u64 flag) {\n"
                        ".reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p;\n"
                        "ld.param.u64 %rd1, [flag];\n"
                        "L: ld.volatile.global.u32 %r1, [%rd1];\n"
                        "setp.eq.u32 %p, %r1, 0;\n@%p bra L;\nret; }\n",
                        0));
    uint64_t p = words(1);
    sw_launch l = kernel_launch(&k, 1, 32, &p);
    CHECK_EQ(kernel_start(&r, &l), SW_OK);
    bool slept = false;
    for (int window = 0; window < 50 && !slept; window++) {
        double wall = (double)sw_time_ns() * 1e-9, used = processor_seconds();
        usleep(100000);
        used = processor_seconds() - used;
        wall = (double)sw_time_ns() * 1e-9 - wall;
        slept = used < 0.15 * sw_exec_thread_count() * wall;
    }
    CHECK(slept || IS_SLOW);
    *(volatile uint32_t *)(uintptr_t)p = 1;
    kernel_wait(&r);
    CHECK_EQ(sw_mem_free(p), SW_OK);
    kernel_destroy(&k);
}

static atomic_bool has_gone_out;

static void *
go_out(void *unused)
{
    (void)unused;
    usleep(20000);
    atomic_store(&has_gone_out, true);
    atomic_store(&sw_exec_biased.is_inside, 0);
    return NULL;
}

/* Another thread may run blocks only when the one that was alone is outside. */
CASE(who_comes_waits_for_who_is_inside)
{
    pthread_t thread;
    sw_biased_grant();
    if (!atomic_load(&sw_exec_biased.is_granted))
        return; /* no such barrier here */
    atomic_store(&sw_exec_biased.is_inside, 1);
    CHECK_EQ(pthread_create(&thread, NULL, go_out, NULL), 0);
    sw_biased_revoke();
    CHECK(has_gone_out);
    CHECK(!atomic_load(&sw_exec_biased.is_granted));
    pthread_join(thread, NULL);
}
