/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_engines_test.c - compiled code tells each warp's events as the
 * interpreter does, in the same order.
 */
#include "check.h"

#include <stdlib.h>

#include "event_log.h"
#include "jit/jit.h"
#include "jit/tier/variant.h"
#include "kernel.h"

/* What observers may ask for: all; what leaves warps free to run as one; with
 * values. */
static const uint32_t event_sets[] = {
    SW_EV_ALL & ~SW_EV_VALUES,
    SW_EV_MEM | SW_EV_BARRIER | SW_EV_FENCE | SW_EV_ASYNC | SW_EV_EXIT,
    SW_EV_MEM | SW_EV_VALUES | SW_EV_WARP | SW_EV_ORDER | SW_EV_BARRIER};

enum { BUFFER_BYTES = 1 << 16 };

/* Runs it by one engine; false: it does not run well. */
static bool
watch(event_log *log, const sw_backend *backend, const char *text,
      uint32_t grid, uint32_t block, bool *is_compiled)
{
    kernel k;
    kernel_run run;
    sw_diag diag;
    uint64_t out = 0;
    CHECK_EQ(sw_mem_alloc(SW_MEM_DEVICE, 0, BUFFER_BYTES, 256, NULL, &out),
             SW_OK);
    memset((void *)(uintptr_t)out, 0, BUFFER_BYTES);
    bool ok = kernel_create(&k, text, 0);
    sw_program_destroy(k.program);
    k.program = NULL;
    sw_diag_init(&diag);
    ok = ok &&
         sw_program_create(backend, sw_module_find(k.module, "k")->fn,
                           log->observer.events, &diag, &k.program) == SW_OK;
    sw_diag_finish(&diag);
    if (ok) {
        sw_launch launch = kernel_launch(&k, grid, block, &out);
        launch.observer = &log->observer;
        ok = kernel_start(&run, &launch) == SW_OK;
    }
    if (ok) {
        kernel_wait(&run);
        ok = run.fault.status == SW_OK;
        if (!ok)
            printf("%s\n", run.fault.text);
        uint32_t dims[3] = {block, 1, 1};
        *is_compiled =
            backend == &sw_backend_jit &&
            atomic_load(&sw_variant_find(k.program, dims, false)->state) ==
                SW_VARIANT_READY;
    }
    kernel_destroy(&k);
    CHECK_EQ(sw_mem_free(out), SW_OK);
    return ok;
}

static void
compare_events(const char *text, uint32_t grid, uint32_t block, uint32_t events,
               bool takes_words)
{
    event_log log[2];
    sw_buf said[2];
    bool is_compiled = false;
    for (int i = 0; i < 2; i++) {
        event_log_open(&log[i], events, takes_words);
        sw_buf_init(&said[i]);
        CHECK(watch(&log[i], i ? &sw_backend_jit : &sw_backend_interp, text,
                    grid, block, &is_compiled));
        CHECK_EQ(log[i].begun, grid);
        CHECK_EQ(log[i].count, grid);
        event_log_take(&log[i], &said[i]);
        CHECK(said[i].n > 0);
    }
    CHECK(is_compiled);
    bool same = said[0].n == said[1].n && said[0].n &&
                memcmp(said[0].p, said[1].p, said[0].n) == 0;
    CHECK(same);
    if (!same)
        printf("events %x, interpreted:\n%s\ncompiled:\n%s\n", events,
               said[0].n ? said[0].p : "", said[1].n ? said[1].p : "");
    sw_buf_finish(&said[0]);
    sw_buf_finish(&said[1]);
}

/* Both engines see the same. */
static void
compare(const char *text, uint32_t grid, uint32_t block)
{
    setenv("SOFTWARP_ENGINE", "jit", 1);
    setenv("SOFTWARP_CACHE", "0", 1);
    setenv("SOFTWARP_THREADS", "1", 1); /* blocks see each other in order */
    for (size_t i = 0; i < sizeof event_sets / sizeof *event_sets; i++)
        compare_events(text, grid, block, event_sets[i], false);
    compare_events(text, grid, block, SW_EV_MEM | SW_EV_BARRIER, true);
}

#define BEGIN                                                                  \
    KERNEL_HEAD ".visible .entry k(.param .u64 out) {\n"                       \
                ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"      \
                ".reg .f32 %f<8>;\n"                                           \
                ".shared .align 16 .b8 cells[2048];\n"                         \
                ".local .align 16 .b8 mine[32];\n"                             \
                "ld.param.u64 %rd1, [out];\n mov.u32 %r1, %tid.x;\n"           \
                "mov.u32 %r10, %ctaid.x;\n mov.u32 %r11, %ntid.x;\n"           \
                "mad.lo.u32 %r2, %r10, %r11, %r1;\n"                           \
                "mul.wide.u32 %rd2, %r2, 4;\n add.u64 %rd2, %rd1, %rd2;\n"     \
                "shl.b32 %r3, %r1, 2;\n mov.u32 %r4, cells;\n"                 \
                "add.u32 %r4, %r4, %r3;\n"
#define END "ret; }\n"

CASE(rows_and_guards)
{
    compare(BEGIN "setp.lt.u32 %p1, %r2, 75;\n setp.lt.u32 %p2, %r10, 0;\n"
                  "@%p1 ld.global.f32 %f1, [%rd2];\n"
                  "@%p1 add.f32 %f1, %f1, 0f3F800000;\n"
                  "@%p1 st.global.f32 [%rd2], %f1;\n"
                  "@%p2 st.global.u32 [%rd2], %r1;\n" END,
            3, 64);
}

CASE(loops_of_lanes_that_part)
{
    compare(BEGIN "mov.u32 %r5, 0;\n"
                  "LOOP: add.u32 %r5, %r5, 1;\n"
                  "ld.global.u32 %r6, [%rd2+64];\n"
                  "and.b32 %r7, %r1, 3;\n setp.le.u32 %p1, %r5, %r7;\n"
                  "@%p1 bra LOOP;\n"
                  "setp.lt.u32 %p2, %r1, 16;\n @%p2 bra LOW;\n"
                  "st.global.u32 [%rd2], %r5;\n bra OUT;\n"
                  "LOW: st.global.u32 [%rd2], %r6;\nOUT:\n" END,
            2, 64);
}

CASE(barriers_and_shared_memory)
{
    compare(BEGIN "st.shared.u32 [%r4], %r1;\n bar.sync 0;\n"
                  "xor.b32 %r5, %r3, 128;\n mov.u32 %r6, cells;\n"
                  "add.u32 %r6, %r6, %r5;\n ld.shared.u32 %r7, [%r6];\n"
                  "bar.sync 0;\n barrier.sync 2, 64;\n"
                  "membar.gl;\n st.global.u32 [%rd2], %r7;\n" END,
            2, 64);
}

CASE(atomics_scattered_and_local)
{
    compare(BEGIN "and.b32 %r5, %r1, 7;\n mul.wide.u32 %rd3, %r5, 4;\n"
                  "add.u64 %rd3, %rd1, %rd3;\n"
                  "red.global.add.u32 [%rd3], 1;\n"
                  "mul.lo.u32 %r6, %r1, %r1;\n and.b32 %r6, %r6, 255;\n"
                  "mul.wide.u32 %rd4, %r6, 4;\n add.u64 %rd4, %rd1, %rd4;\n"
                  "ld.global.u32 %r7, [%rd4+1024];\n"
                  "st.local.u32 [mine+4], %r7;\n ld.local.u32 %r8, [mine+4];\n"
                  "st.volatile.global.u32 [%rd2], %r8;\n" END,
            2, 40);
}

CASE(vectors_generic_addresses_and_ends)
{
    compare(BEGIN "mul.wide.u32 %rd3, %r1, 16;\n add.u64 %rd3, %rd1, %rd3;\n"
                  "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd3+4096];\n"
                  "cvt.u64.u32 %rd5, %r4;\n cvta.shared.u64 %rd5, %rd5;\n"
                  "setp.lt.u32 %p1, %r1, 5;\n"
                  "selp.b64 %rd6, %rd5, %rd2, %p1;\n st.u32 [%rd6], %r5;\n"
                  "@%p1 exit;\n"
                  "cp.async.ca.shared.global [%r4], [%rd2], 4;\n"
                  "cp.async.commit_group;\n cp.async.wait_group 1;\n" END,
            1, 64);
}

CASE(warps_that_run_as_one)
{
    compare(BEGIN "ld.global.u32 %r5, [%rd2];\n"
                  "st.shared.u32 [%r4], %r5;\n bar.sync 0;\n"
                  "mov.u32 %r6, 128;\n"
                  "LOOP: setp.ge.u32 %p1, %r1, %r6;\n @%p1 bra ON;\n"
                  "shl.b32 %r7, %r6, 2;\n add.u32 %r7, %r4, %r7;\n"
                  "ld.shared.u32 %r8, [%r7];\n ld.shared.u32 %r9, [%r4];\n"
                  "add.u32 %r8, %r8, %r9;\n st.shared.u32 [%r4], %r8;\n"
                  "ON: bar.sync 0;\n shr.u32 %r6, %r6, 1;\n"
                  "setp.ne.u32 %p2, %r6, 0;\n @%p2 bra LOOP;\n"
                  "setp.ne.u32 %p3, %r1, 0;\n @%p3 bra OUT;\n"
                  "ld.shared.u32 %r8, [cells];\n"
                  "red.global.add.u32 [%rd1+32768], %r8;\nOUT:\n" END,
            5, 256);
}

CASE(warps_that_end_before_others_meet)
{
    compare(BEGIN "setp.ge.u32 %p1, %r1, 70;\n @%p1 exit;\n"
                  "st.shared.u32 [%r4], %r1;\n bar.sync 0;\n"
                  "xor.b32 %r5, %r3, 4;\n mov.u32 %r6, cells;\n"
                  "add.u32 %r6, %r6, %r5;\n ld.shared.u32 %r7, [%r6];\n"
                  "setp.ge.u32 %p2, %r1, 40;\n @%p2 bra OUT;\n bar.sync 0;\n"
                  "st.global.u32 [%rd2], %r7;\nOUT:\n" END,
            3, 128);
}

CASE(operations_of_a_warp)
{
    compare(BEGIN "ld.global.u32 %r5, [%rd2];\n add.u32 %r5, %r5, %r1;\n"
                  "shfl.sync.bfly.b32 %r6|%p1, %r5, 3, 31, 0xffffffff;\n"
                  "setp.lt.u32 %p2, %r6, 9;\n"
                  "vote.sync.ballot.b32 %r7, %p2, 0xffffffff;\n"
                  "bar.warp.sync 0xffffffff;\n"
                  "barrier.red.popc.u32 %r8, 0, %p2;\n"
                  "add.u32 %r7, %r7, %r8;\n"
                  "st.global.u32 [%rd2+8192], %r7;\n" END,
            2, 128);
}

/* ---- order ---- */

/* Lanes of strong accesses that are told while memory still is zero, and the
 * others. */
typedef struct {
    uint32_t before, after; /* atomic */
} told;

static void
look_at_memory(void *arg, const sw_ev_where *w, const sw_ev_mem *m)
{
    told *t = arg;
    if (!m->is_write || m->order == SW_ORDER_WEAK)
        return;
    for (uint32_t l = w->mask; l; l &= l - 1) {
        uint32_t now;
        const void *at = (const void *)(uintptr_t)m->addr[__builtin_ctz(l)];
        memcpy(&now, at, sizeof now);
        __atomic_add_fetch(now ? &t->after : &t->before, 1, __ATOMIC_RELAXED);
    }
}

CASE(strong_accesses_are_told_before_they_take_effect)
{
    static const sw_backend *const engines[] = {&sw_backend_interp,
                                                &sw_backend_jit};
    setenv("SOFTWARP_ENGINE", "jit", 1);
    setenv("SOFTWARP_CACHE", "0", 1);
    for (int i = 0; i < 2; i++) {
        told t = {0, 0};
        event_log log = {
            .observer = {.arg = &t,
                         .events = SW_EV_MEM | SW_EV_FENCE | SW_EV_ORDER,
                         .mem = look_at_memory}};
        bool is_compiled = false;
        CHECK(watch(&log, engines[i],
                    BEGIN "add.u32 %r5, %r1, 1;\n"
                          "st.volatile.global.u32 [%rd2], %r5;\n"
                          "st.release.gpu.global.u32 [%rd2+4096], %r5;\n"
                          "red.global.add.u32 [%rd2+8192], %r5;\n"
                          "atom.global.exch.b32 %r6, [%rd2+12288], %r5;\n"
                          "membar.gl;\n st.global.u32 [%rd2+16384], %r6;\n" END,
                    3, 64, &is_compiled));
        CHECK_EQ(is_compiled, i == 1);
        CHECK_EQ(t.before, 4 * 3 * 64);
        CHECK_EQ(t.after, 0);
    }
}
