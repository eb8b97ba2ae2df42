/* SPDX-License-Identifier: Apache-2.0 */
/* rt_queues_test.c - what queues of any API need of streams: wait lists,
 * operations that the caller ends, unordered streams, offsets of launches. */
#include <stdlib.h>
#include <time.h>

#include "rt/memory.h"
#include "rt/module.h"
#include "rt/stream.h"

#include "check.h"

static sw_rt_context *
context(void)
{
    static sw_rt_context *c;
    if (!c) {
        CHECK_EQ(sw_rt_init(), SW_OK);
        CHECK_EQ(sw_rt_context_create(sw_rt_device_at(0), 0, &c), SW_OK);
    }
    return c;
}

static void
nap(void)
{
    const struct timespec t = {0, 2000000};
    nanosleep(&t, NULL);
}

/* Host work that says in which order it ran. */
typedef struct {
    uint32_t *next, at; /* at: 1, 2, ...; 0: it has not run */
} step;

static void
take_step(void *arg)
{
    step *s = arg;
    __atomic_store_n(&s->at, __atomic_add_fetch(s->next, 1, __ATOMIC_SEQ_CST),
                     __ATOMIC_SEQ_CST);
}

static uint32_t
step_at(const step *s)
{
    return __atomic_load_n(&s->at, __ATOMIC_SEQ_CST);
}

static sw_rt_work
host_work(step *s)
{
    return (sw_rt_work){.kind = SW_RT_HOST,
                        .host = {.fn = take_step, .arg = s}};
}

/* An operation that ends when the test says. */
static sw_rt_op *
user_op(sw_rt_stream *stream)
{
    sw_rt_work work = {.kind = SW_RT_CALLER};
    sw_status status;
    sw_rt_op *op = sw_rt_op_submit(stream, false, &work, NULL, 0, &status);
    CHECK_EQ(status, SW_OK);
    return op;
}

CASE(work_waits_for_its_list_in_any_stream)
{
    uint32_t next = 0;
    step a = {&next, 0}, b = {&next, 0};
    sw_rt_stream *one = sw_rt_stream_create(context(), true, 0);
    sw_rt_stream *two = sw_rt_stream_create(context(), true, 0);
    sw_rt_op *user = user_op(one), *first = NULL, *second = NULL;
    sw_rt_work work = host_work(&a);
    CHECK_EQ(sw_rt_stream_submit_after(one, &work, &user, 1, &first), SW_OK);
    work = host_work(&b);
    CHECK_EQ(sw_rt_stream_submit_after(two, &work, &first, 1, &second), SW_OK);
    nap();
    CHECK_EQ(sw_rt_op_query(first), SW_E_NOT_READY);
    CHECK_EQ(sw_rt_op_query(second), SW_E_NOT_READY);
    CHECK_EQ(step_at(&a) + step_at(&b), 0);
    sw_rt_op_complete(user);
    CHECK_EQ(sw_rt_op_wait(second), SW_OK);
    CHECK_EQ(step_at(&a), 1);
    CHECK_EQ(step_at(&b), 2);
    sw_rt_op_unref(user);
    sw_rt_op_unref(first);
    sw_rt_op_unref(second);
    sw_rt_stream_destroy(one);
    sw_rt_stream_destroy(two);
}

CASE(who_waits_for_what_failed_is_skipped)
{
    uint32_t next = 0;
    step a = {&next, 0}, b = {&next, 0}, c = {&next, 0};
    sw_rt_stream *s = sw_rt_stream_create_unordered(context(), 0);
    sw_rt_op *user = user_op(s), *first = NULL, *second = NULL, *late = NULL;
    sw_rt_work work = host_work(&a);
    CHECK_EQ(sw_rt_stream_submit_after(s, &work, &user, 1, &first), SW_OK);
    work = host_work(&b);
    CHECK_EQ(sw_rt_stream_submit_after(s, &work, &first, 1, &second), SW_OK);
    sw_rt_op_complete_as(user, SW_E_INVAL);
    CHECK_EQ(sw_rt_op_wait(user), SW_E_INVAL);
    CHECK_EQ(sw_rt_op_wait(first), SW_E_WAIT_LIST);
    CHECK_EQ(sw_rt_op_wait(second), SW_E_WAIT_LIST);
    /* Also what comes to wait for it when it has long failed. */
    CHECK_EQ(sw_rt_stream_submit_after(s, &work, &user, 1, &late), SW_OK);
    CHECK_EQ(sw_rt_op_wait(late), SW_E_WAIT_LIST);
    CHECK_EQ(step_at(&a) + step_at(&b), 0);
    /* The context is sound. */
    work = host_work(&c);
    CHECK_EQ(sw_rt_stream_submit(s, &work), SW_OK);
    CHECK_EQ(sw_rt_stream_wait(s), SW_OK);
    CHECK_EQ(step_at(&c), 1);
    sw_rt_op_unref(user);
    sw_rt_op_unref(first);
    sw_rt_op_unref(second);
    sw_rt_op_unref(late);
    sw_rt_stream_destroy(s);
}

CASE(unordered_work_overtakes_but_for_barriers)
{
    uint32_t next = 0;
    step held = {&next, 0}, free_ = {&next, 0}, after = {&next, 0};
    sw_rt_stream *s = sw_rt_stream_create_unordered(context(), 0);
    sw_rt_op *user = user_op(s), *op = NULL, *last = NULL;
    sw_rt_work work = host_work(&held);
    CHECK_EQ(sw_rt_stream_submit_after(s, &work, &user, 1, NULL), SW_OK);
    work = host_work(&free_);
    CHECK_EQ(sw_rt_stream_submit_after(s, &work, NULL, 0, &op), SW_OK);
    CHECK_EQ(sw_rt_op_wait(op), SW_OK); /* though the first one is held */
    CHECK_EQ(step_at(&free_), 1);
    sw_rt_op *marker = sw_rt_stream_mark(s, &op, 1, false);
    CHECK_EQ(sw_rt_op_wait(marker), SW_OK);
    sw_rt_op *barrier = sw_rt_stream_mark(s, NULL, 0, true);
    work = host_work(&after);
    CHECK_EQ(sw_rt_stream_submit_after(s, &work, NULL, 0, &last), SW_OK);
    nap();
    CHECK_EQ(sw_rt_op_query(barrier), SW_E_NOT_READY);
    CHECK_EQ(sw_rt_stream_query(s), SW_E_NOT_READY);
    CHECK_EQ(step_at(&after), 0);
    sw_rt_op_complete(user);
    CHECK_EQ(sw_rt_stream_wait(s), SW_OK);
    CHECK_EQ(step_at(&held), 2);
    CHECK_EQ(step_at(&after), 3);
    CHECK_EQ(sw_rt_stream_query(s), SW_OK);
    sw_rt_op_unref(user);
    sw_rt_op_unref(op);
    sw_rt_op_unref(marker);
    sw_rt_op_unref(barrier);
    sw_rt_op_unref(last);
    sw_rt_stream_destroy(s);
}

/* A stream that is waited for, or is gone, keeps no list of what is done. */
CASE(a_context_waits_for_unordered_streams_that_are_gone)
{
    enum { COUNT = 200 };
    uint32_t next = 0;
    static step steps[COUNT];
    sw_rt_stream *s = sw_rt_stream_create_unordered(context(), 0);
    sw_rt_op *user = user_op(s);
    for (int i = 0; i < COUNT; i++) {
        steps[i] = (step){&next, 0};
        sw_rt_work work = host_work(&steps[i]);
        CHECK_EQ(
            sw_rt_stream_submit_after(s, &work, &user, (size_t)i % 2, NULL),
            SW_OK);
    }
    sw_rt_stream_destroy(s);
    sw_rt_op_complete(user);
    CHECK_EQ(sw_rt_context_wait(context()), SW_OK);
    unsigned done = 0;
    for (int i = 0; i < COUNT; i++)
        done += step_at(&steps[i]) != 0;
    CHECK_EQ(done, COUNT);
    sw_rt_op_unref(user);
}

/* What lane 0 of each engine reads. */
static void
check_offsets(const char *engine, const uint64_t offset[3])
{
    static const char text[] =
        ".version 6.4\n.target sm_60\n.address_size 64\n"
        ".visible .entry offsets(.param .u64 p) {\n"
        "  .reg .u64 %d; .reg .u32 %r<11>; .reg .pred %q;\n"
        "  ld.param.u64 %d, [p]; mov.u32 %r0, 0;\n"
        "L: add.u32 %r0, %r0, 1; setp.lt.u32 %q, %r0, 50; @%q bra L;\n"
        "  mov.u32 %r1, %envreg3; mov.u32 %r2, %envreg4;\n"
        "  mov.u32 %r3, %envreg5; mov.u32 %r4, %envreg6;\n"
        "  mov.u32 %r5, %envreg7; mov.u32 %r6, %envreg8;\n"
        "  mov.u32 %r7, %envreg9; mov.u32 %r8, %envreg31;\n"
        "  mov.u32 %r9, %envreg0; mov.u32 %r10, %envreg10;\n"
        "  st.global.v4.u32 [%d+32], {%r7, %r8, %r9, %r10};\n"
        "  st.global.u32 [%d], %r1; st.global.u32 [%d+4], %r2;\n"
        "  st.global.u32 [%d+8], %r3; st.global.u32 [%d+12], %r4;\n"
        "  st.global.u32 [%d+16], %r5; st.global.u32 [%d+20], %r6; ret; }\n";
    CHECK_EQ(setenv("SOFTWARP_ENGINE", engine, 1), 0);
    sw_rt_module *module = NULL;
    uint64_t p = 0;
    sw_diag diag;
    sw_diag_init(&diag);
    CHECK_EQ(sw_rt_module_load(context(), text, sizeof text, "offsets", &diag,
                               &module),
             SW_OK);
    sw_diag_finish(&diag);
    CHECK_EQ(sw_rt_memory_alloc(context(), SW_MEM_DEVICE, 64, 64, 0, &p),
             SW_OK);
    sw_rt_work work = {
        .kind = SW_RT_LAUNCH,
        .launch = {.grid = {40, 2, 1},
                   .block = {64, 1, 1},
                   .environment = {.offset = {offset[0], offset[1], offset[2]},
                                   .words = {7, 8, [22] = 9}},
                   .params = &p}};
    CHECK_EQ(sw_rt_module_kernel(module, "offsets", &work.launch.kernel),
             SW_OK);
    bool is_configuration;
    CHECK_EQ(sw_rt_launch_check(&work.launch, context(), &is_configuration),
             SW_OK);
    sw_rt_stream *s = sw_rt_stream_create_unordered(context(), 0);
    sw_rt_op *op = NULL;
    CHECK_EQ(sw_rt_stream_submit_after(s, &work, NULL, 0, &op), SW_OK);
    CHECK_EQ(sw_rt_op_wait(op), SW_OK);
    sw_rt_op_unref(op);
    const uint32_t *got = (const uint32_t *)(uintptr_t)p;
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(got[i], (uint32_t)offset[i]);
        CHECK_EQ(got[i + 3], offset[i] >> 32);
    }
    const uint32_t words[4] = {7, 9, 0, 8};
    CHECK(memcmp(got + 8, words, sizeof words) == 0);
    CHECK_EQ(sw_rt_memory_free(p, false), SW_OK);
    sw_rt_stream_destroy(s);
    sw_rt_module_destroy(module);
    unsetenv("SOFTWARP_ENGINE");
}

CASE(kernels_read_the_offset_of_their_launch)
{
    const uint64_t some[3] = {UINT64_C(0x123456789), 7, UINT64_C(5) << 40};
    const uint64_t none[3] = {0, 0, 0};
    check_offsets("interp", some);
    check_offsets("interp", none);
    check_offsets("jit", some);
    check_offsets("jit", none);
}

CASE(statuses_have_a_number_of_each_api)
{
    CHECK_EQ(sw_status_opencl(SW_OK), 0);
    CHECK_EQ(sw_status_opencl(SW_E_INVAL), (uint64_t)(int64_t)-30);
    CHECK_EQ(sw_status_opencl(SW_E_WAIT_LIST), (uint64_t)(int64_t)-14);
    CHECK_EQ(sw_status_opencl(SW_E_ILLEGAL_ADDRESS), (uint64_t)(int64_t)-5);
    CHECK(sw_status_is_known(SW_E_ILLEGAL_ADDRESS));
    CHECK(!sw_status_is_known(SW_E_WAIT_LIST)); /* by no CUDA program */
    CHECK_STR(sw_status_name(SW_E_WAIT_LIST), "WAIT_LIST");
}
