/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quiet_test.c - compiled code does not tell accesses of which the observer
 * says that it need not hear of them, and all others.
 */
#include "check.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "jit/jit.h"
#include "kernel.h"

enum { STEP = 4096, STEPS = 10, QUIET_STEPS = 4, INS_MOST = 64 };

/* The first block sets the table; of the second it is counted what is told. */
typedef struct {
    sw_observer observer;
    uint64_t first;
    sw_ev_quiet rows[INS_MOST];
    uint32_t told[2]; /* of each block */
} listener;

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    listener *l = arg;
    (void)block;
    return &l->told[index];
}

static void
mem(void *arg, const sw_ev_where *where, const sw_ev_mem *m)
{
    listener *l = arg;
    ++*(uint32_t *)where->state;
    CHECK(where->index < INS_MOST);
    CHECK_EQ(m->space, SW_SPACE_GLOBAL);
    l->rows[where->index].first = l->first;
    atomic_store(&l->rows[where->index].limit,
                 QUIET_STEPS * (uint64_t)STEP - 3);
}

static sw_ev_quiet *
quiet(void *arg, void *state)
{
    (void)state;
    return ((listener *)arg)->rows;
}

#define LOOP(place)                                                            \
    KERNEL_HEAD                                                                \
    ".visible .entry k(.param .u64 out) {\n"                                   \
    ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"                  \
    "ld.param.u64 %rd1, [out];\n mov.u32 %r1, %tid.x;\n" place                 \
    "mul.wide.u32 %rd2, %r1, 4;\n add.u64 %rd2, %rd1, %rd2;\n"                 \
    "mov.u32 %r5, 0;\n"                                                        \
    "LOOP: ld.global.u32 %r6, [%rd2];\n st.global.u32 [%rd2], %r6;\n"          \
    "add.u64 %rd2, %rd2, 4096;\n add.u32 %r5, %r5, 1;\n"                       \
    "setp.lt.u32 %p1, %r5, 10;\n @%p1 bra LOOP;\n ret; }\n"

/* So many events are told of the second block, of `threads`. */
static void
expect(const char *text, uint32_t threads, uint32_t told)
{
    listener l = {.observer = {.events = SW_EV_BLOCK | SW_EV_MEM | SW_EV_QUIET,
                               .block_begin = block_begin,
                               .mem = mem,
                               .quiet = quiet}};
    kernel k;
    kernel_run run;
    sw_diag diag;
    setenv("SOFTWARP_ENGINE", "jit", 1);
    setenv("SOFTWARP_CACHE", "0", 1);
    setenv("SOFTWARP_THREADS", "1", 1);
    l.observer.arg = &l;
    CHECK_EQ(
        sw_mem_alloc(SW_MEM_DEVICE, 0, STEP * (STEPS + 1), 256, NULL, &l.first),
        SW_OK);
    memset((void *)(uintptr_t)l.first, 0, STEP * (STEPS + 1));
    CHECK(kernel_create(&k, text, 0));
    sw_program_destroy(k.program);
    k.program = NULL;
    sw_diag_init(&diag);
    CHECK_EQ(sw_program_create(&sw_backend_jit,
                               sw_module_find(k.module, "k")->fn,
                               l.observer.events, &diag, &k.program),
             SW_OK);
    sw_diag_finish(&diag);
    sw_launch launch = kernel_launch(&k, 2, threads, &l.first);
    launch.observer = &l.observer;
    CHECK_EQ(kernel_start(&run, &launch), SW_OK);
    kernel_wait(&run);
    CHECK_EQ(run.fault.status, SW_OK);
    CHECK_EQ(l.told[0], threads / 32 * 2 * STEPS);
    CHECK_EQ(l.told[1], told);
    kernel_destroy(&k);
    CHECK_EQ(sw_mem_free(l.first), SW_OK);
}

CASE(a_row)
{
    expect(LOOP(""), 32, 2 * (STEPS - QUIET_STEPS));
}

CASE(rows_of_warps_that_run_as_one)
{
    expect(LOOP(""), 128, 4 * 2 * (STEPS - QUIET_STEPS));
}

CASE(addresses_anywhere)
{
    expect(LOOP("mul.lo.u32 %r1, %r1, %r1;\n and.b32 %r1, %r1, 127;\n"), 128,
           4 * 2 * (STEPS - QUIET_STEPS));
}

/* The last lane accesses what lies behind the range in one step more. */
CASE(a_lane_outside)
{
    expect(LOOP("setp.eq.u32 %p2, %r1, 31;\n @%p2 add.u32 %r1, %r1, 1000;\n"),
           32, 2 * (STEPS - QUIET_STEPS + 1));
}
