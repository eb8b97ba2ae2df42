/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync_event_test.c - what an observer sees of synchronisation: barriers,
 * operations of a warp, fences, orders and scopes, asynchronous copies,
 * mbarriers, the heap, lanes that end; and values.
 */
#include "check.h"

#include "kernel.h"
#include "watch/watch.h"

enum { MOST = 64 };

/* One block's events, in order. */
typedef struct {
    uint32_t barriers, warps, fences, asyncs, mbars, heaps, exits, mems;
    sw_ev_barrier barrier[MOST];
    sw_ev_warp warp[MOST];
    uint32_t members[MOST], warp_mask[MOST];
    uint8_t from[MOST][32];
    sw_ev_fence fence[MOST];
    sw_ev_async async[MOST];
    uint64_t async_to[MOST], async_bytes[MOST], async_bar[MOST];
    sw_ev_mbar mbar[MOST];
    uint64_t mbar_at[MOST], mbar_count[MOST], mbar_bytes[MOST];
    sw_ev_heap heap[MOST];
    uint64_t heap_addr[MOST], heap_bytes[MOST];
    uint32_t exit_mask[MOST], exit_live[MOST];
    sw_ev_mem mem[MOST];
    uint32_t mem_mask[MOST];
    uint32_t before[MOST][32], after[MOST][32];
} seen;

static void
on_barrier(void *arg, const sw_ev_where *w, const sw_ev_barrier *b)
{
    seen *s = arg;
    (void)w;
    s->barrier[s->barriers++ % MOST] = *b;
}

static void
on_warp(void *arg, const sw_ev_where *w, const sw_ev_warp *e)
{
    seen *s = arg;
    uint32_t i = s->warps++ % MOST;
    s->warp[i] = *e;
    s->warp_mask[i] = w->mask;
    s->members[i] = e->members[__builtin_ctz(w->mask)];
    if (e->from)
        memcpy(s->from[i], e->from, 32);
}

static void
on_fence(void *arg, const sw_ev_where *w, const sw_ev_fence *f)
{
    seen *s = arg;
    (void)w;
    s->fence[s->fences++ % MOST] = *f;
}

static void
on_async(void *arg, const sw_ev_where *w, const sw_ev_async *a)
{
    seen *s = arg;
    uint32_t i = s->asyncs++ % MOST, lane = (uint32_t)__builtin_ctz(w->mask);
    s->async[i] = *a;
    s->async_to[i] = a->to ? a->to[lane] : 0;
    s->async_bytes[i] = a->bytes ? a->bytes[lane] : 0;
    s->async_bar[i] = a->mbar ? a->mbar[lane] : 0;
}

static void
on_mbar(void *arg, const sw_ev_where *w, const sw_ev_mbar *m)
{
    seen *s = arg;
    uint32_t i = s->mbars++ % MOST, lane = (uint32_t)__builtin_ctz(w->mask);
    s->mbar[i] = *m;
    s->mbar_at[i] = m->addr[lane];
    s->mbar_count[i] = m->count[lane];
    s->mbar_bytes[i] = m->bytes[lane];
}

static void
on_heap(void *arg, const sw_ev_where *w, const sw_ev_heap *h)
{
    seen *s = arg;
    uint32_t i = s->heaps++ % MOST, lane = (uint32_t)__builtin_ctz(w->mask);
    s->heap[i] = *h;
    s->heap_addr[i] = h->addr[lane];
    s->heap_bytes[i] = h->bytes[lane];
}

static void
on_exit_(void *arg, const sw_ev_where *w, const sw_ev_exit *x)
{
    seen *s = arg;
    s->exit_mask[s->exits % MOST] = w->mask;
    s->exit_live[s->exits++ % MOST] = x->live;
}

static void
on_mem(void *arg, const sw_ev_where *w, const sw_ev_mem *m)
{
    seen *s = arg;
    uint32_t i = s->mems++ % MOST;
    s->mem[i] = *m;
    s->mem_mask[i] = w->mask;
    if (m->before)
        memcpy(s->before[i], m->before, 128);
    if (m->after)
        memcpy(s->after[i], m->after, 128);
}

static const sw_observer all = {.events = SW_EV_ALL,
                                .barrier = on_barrier,
                                .mem = on_mem,
                                .warp = on_warp,
                                .fence = on_fence,
                                .async = on_async,
                                .mbar = on_mbar,
                                .heap = on_heap,
                                .exited = on_exit_};

/* One block of the kernel; false if it does not run well. Its first parameter
 * is `param`. */
static bool
watch(seen *s, const char *text, uint32_t block, uint64_t param)
{
    sw_observer observer = all;
    kernel k;
    kernel_run run;
    memset(s, 0, sizeof *s);
    observer.arg = s;
    bool ok = kernel_create(&k, text, SW_EV_ALL);
    if (ok) {
        sw_launch launch = kernel_launch(&k, 1, block, &param);
        launch.observer = &observer;
        ok = kernel_start(&run, &launch) == SW_OK;
        if (ok) {
            kernel_wait(&run);
            ok = run.fault.status == SW_OK;
            if (!ok)
                printf("%s\n", run.fault.text);
        }
    }
    kernel_destroy(&k);
    return ok;
}

static uint64_t
buffer(uint64_t bytes)
{
    uint64_t p = 0;
    CHECK_EQ(sw_mem_alloc(SW_MEM_DEVICE, 0, bytes, 256, NULL, &p), SW_OK);
    memset((void *)(uintptr_t)p, 0, bytes);
    return p;
}

#define BEGIN                                                                  \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 out) {\n"                                   \
    ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"                   \
    ".shared .align 16 .b8 cells[256];\n"                                      \
    "ld.param.u64 %rd1, [out];\n mov.u32 %r1, %tid.x;\n"                       \
    "mul.wide.u32 %rd2, %r1, 4;\n add.u64 %rd2, %rd1, %rd2;\n"
#define END "ret; }\n"

CASE(a_barrier_says_whom_it_expects)
{
    static const char text[] = BEGIN "bar.sync 0;\n bar.arrive 3, 64;\n"
                                     "barrier.sync 5, 64;\n" END;
    static seen s;
    CHECK(watch(&s, text, 64, 0));
    CHECK_EQ(s.barriers, 2 * 5);
    CHECK(s.barrier[0].is_arrival && s.barrier[0].waits &&
          s.barrier[0].is_aligned);
    CHECK_EQ(s.barrier[0].expected, 0);
    CHECK_EQ(s.barrier[0].live, 64);
    CHECK_EQ(s.barrier[0].generation, 0);
    uint32_t releases = 0, arrivals_of_3 = 0;
    for (uint32_t i = 0; i < s.barriers; i++) {
        const sw_ev_barrier *b = &s.barrier[i];
        releases += !b->is_arrival;
        CHECK(b->is_arrival || b->generation == 1);
        if (b->barrier != 3)
            continue;
        CHECK(b->is_arrival && !b->waits);
        CHECK_EQ(b->expected, 64);
        arrivals_of_3++;
    }
    CHECK_EQ(releases, 4);
    CHECK_EQ(arrivals_of_3, 2);
}

CASE(operations_of_a_warp_name_members_and_sources)
{
    static const char text[] =
        BEGIN "setp.lt.u32 %p1, %r1, 8;\n"
              "shfl.sync.down.b32 %r2, %r1, 4, 0x1f, 0xffffffff;\n"
              "@%p1 vote.sync.ballot.b32 %r3, %p1, 0xff;\n"
              "bar.warp.sync 0xffffffff;\n" END;
    static seen s;
    CHECK(watch(&s, text, 32, 0));
    CHECK_EQ(s.warps, 3);
    CHECK_EQ(s.members[0], UINT32_MAX);
    CHECK(s.warp[0].from);
    CHECK_EQ(s.from[0][3], 7);
    CHECK_EQ(s.from[0][29], 29); /* out of range: its own */
    CHECK_EQ(s.warp_mask[1], 0xff);
    CHECK_EQ(s.members[1], 0xff);
    CHECK(!s.warp[1].from);
    CHECK_EQ(s.members[2], UINT32_MAX);
}

CASE(accesses_and_fences_have_order_and_scope)
{
    static const char text[] =
        BEGIN "st.global.u32 [%rd2], 1;\n ld.volatile.global.u32 %r2, [%rd2];\n"
              "st.release.gpu.global.u32 [%rd2], 1;\n"
              "red.global.add.u32 [%rd1], 1;\n"
              "atom.acquire.sys.global.exch.b32 %r3, [%rd1], 1;\n"
              "membar.gl;\n fence.acq_rel.cta;\n" END;
    static seen s;
    uint64_t out = buffer(256);
    CHECK(watch(&s, text, 32, out));
    CHECK_EQ(s.mems, 5);
    CHECK_EQ(s.mem[0].order, SW_ORDER_WEAK);
    CHECK_EQ(s.mem[0].scope, SW_SCOPE_NONE);
    CHECK_EQ(s.mem[1].order, SW_ORDER_VOLATILE);
    CHECK_EQ(s.mem[1].scope, SW_SCOPE_SYS);
    CHECK_EQ(s.mem[2].order, SW_ORDER_RELEASE);
    CHECK_EQ(s.mem[2].scope, SW_SCOPE_GPU);
    CHECK_EQ(s.mem[3].order, SW_ORDER_RELAXED);
    CHECK_EQ(s.mem[3].scope, SW_SCOPE_GPU);
    CHECK_EQ(s.mem[3].op, SW_ATOM_ADD);
    CHECK_EQ(s.mem[4].order, SW_ORDER_ACQUIRE);
    CHECK_EQ(s.mem[4].scope, SW_SCOPE_SYS);
    CHECK_EQ(s.mem[4].op, SW_ATOM_EXCH);
    CHECK_EQ(s.fences, 2);
    CHECK_EQ(s.fence[0].scope, SW_SCOPE_GPU);
    CHECK_EQ(s.fence[1].order, SW_ORDER_ACQ_REL);
    CHECK_EQ(s.fence[1].scope, SW_SCOPE_CTA);
    CHECK_EQ(sw_mem_free(out), SW_OK);
}

CASE(values_are_those_before_and_after)
{
    static const char text[] =
        BEGIN "add.u32 %r2, %r1, 100;\n st.global.u32 [%rd2], %r2;\n"
              "ld.global.u32 %r3, [%rd2];\n"
              "red.global.add.u32 [%rd1], %r1;\n" END;
    static seen s;
    uint64_t out = buffer(256);
    ((uint32_t *)(uintptr_t)out)[5] = 7;
    CHECK(watch(&s, text, 32, out));
    CHECK_EQ(s.mems, 3);
    CHECK_EQ(s.before[0][5], 7);
    CHECK_EQ(s.after[0][5], 105);
    CHECK_EQ(s.before[1][5], 105);
    CHECK(!s.mem[1].after);
    CHECK_EQ(s.before[2][5], 100);
    CHECK_EQ(s.after[2][5], 100 + 0 + 1 + 2 + 3 + 4 + 5);
    CHECK_EQ(s.after[2][31], ((uint32_t *)(uintptr_t)out)[0]);
    CHECK_EQ(sw_mem_free(out), SW_OK);
}

CASE(asynchronous_copies_have_their_groups)
{
    static const char text[] =
        BEGIN "mov.u32 %r3, cells;\n shl.b32 %r4, %r1, 2;\n"
              "add.u32 %r3, %r3, %r4;\n"
              "cp.async.ca.shared.global [%r3], [%rd2], 4;\n"
              "cp.async.commit_group;\n cp.async.wait_group 2;\n"
              "cp.async.wait_all;\n" END;
    static seen s;
    uint64_t out = buffer(256);
    CHECK(watch(&s, text, 32, out));
    CHECK_EQ(s.asyncs, 4);
    CHECK_EQ(s.async[0].kind, SW_ASYNC_COPY);
    CHECK_EQ(s.async_bytes[0], 4);
    CHECK_EQ(s.async[0].written, 4);
    CHECK_EQ(s.async[1].kind, SW_ASYNC_COMMIT);
    CHECK_EQ(s.async[2].kind, SW_ASYNC_WAIT);
    CHECK_EQ(s.async[2].groups, 2);
    CHECK_EQ(s.async[3].kind, SW_ASYNC_WAIT_ALL);
    CHECK_EQ(s.mems, 2);
    CHECK(s.mem[0].is_async && s.mem[0].is_read && !s.mem[0].is_write);
    CHECK(s.mem[1].is_async && s.mem[1].is_write);
    CHECK_EQ(sw_mem_free(out), SW_OK);
}

CASE(an_mbarrier_tells_its_phases_and_bytes)
{
    static const char text[] =
        BEGIN "mov.u32 %r3, cells;\n add.u32 %r4, %r3, 64;\n"
              "mbarrier.init.shared.b64 [%r3], 1;\n"
              "mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r3], 32;\n"
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
              "bytes [%r4], [%rd1], 32, [%r3];\n"
              "mbarrier.test_wait.shared.b64 %p1, [%r3], %rd3;\n" END;
    static seen s;
    uint64_t out = buffer(256);
    CHECK(watch(&s, text, 1, out));
    CHECK_EQ(s.mbars, 4);
    CHECK_EQ(s.mbar[0].op, SW_MBAR_OP_INIT);
    CHECK_EQ(s.mbar_count[0], 1);
    CHECK_EQ(s.mbar[1].op, SW_MBAR_OP_ARRIVE);
    CHECK_EQ(s.mbar_count[1], 1);
    CHECK_EQ(s.mbar_bytes[1], 32);
    CHECK_EQ(s.mbar[1].completed, 0);
    CHECK_EQ(s.mbar[2].op, SW_MBAR_OP_COMPLETE);
    CHECK_EQ(s.mbar_bytes[2], 32);
    CHECK_EQ(s.mbar[2].completed, 1);
    CHECK_EQ(s.mbar_at[2], s.mbar_at[0]);
    CHECK_EQ(s.mbar[3].op, SW_MBAR_OP_TEST);
    CHECK_EQ(s.mbar[3].completed, 1);
    CHECK_EQ(s.asyncs, 1);
    CHECK_EQ(s.async[0].kind, SW_ASYNC_BULK);
    CHECK_EQ(s.async[0].from_space, SW_SPACE_GLOBAL);
    CHECK_EQ(s.async[0].to_space, SW_SPACE_SHARED);
    CHECK_EQ(s.async_to[0], s.mbar_at[0] + 64);
    CHECK_EQ(s.async_bar[0], s.mbar_at[0]);
    CHECK_EQ(sw_mem_free(out), SW_OK);
}

CASE(the_heap_and_the_end_of_lanes_are_seen)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
        ".extern .func free (.param .b64 p);\n"
        ".visible .entry k(.param .u64 out) {\n"
        ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
        "mov.u32 %r1, %tid.x;\n setp.ge.u32 %p1, %r1, 1;\n @%p1 exit;\n"
        "{ .param .b64 a; .param .b64 b;\n st.param.b64 [a], 48;\n"
        "call.uni (b), malloc, (a);\n ld.param.b64 %rd1, [b]; }\n"
        "{ .param .b64 a;\n st.param.b64 [a], %rd1;\n"
        "call.uni free, (a); }\n ret; }\n";
    static seen s;
    CHECK(watch(&s, text, 32, 0));
    CHECK_EQ(s.heaps, 2);
    CHECK(!s.heap[0].is_free && s.heap[1].is_free);
    CHECK_EQ(s.heap_bytes[0], 48);
    CHECK(s.heap_addr[0] != 0);
    CHECK_EQ(s.heap_addr[1], s.heap_addr[0]);
    CHECK_EQ(s.exits, 2);
    CHECK_EQ(s.exit_mask[0] ^ s.exit_mask[1], UINT32_MAX);
    CHECK_EQ(s.exit_mask[0] & s.exit_mask[1], 0);
    CHECK_EQ(s.exit_live[0], 32 - (unsigned)__builtin_popcount(s.exit_mask[0]));
    CHECK_EQ(s.exit_live[1], 0);
}

/* What counts instructions, and sees its own state. */
typedef struct {
    uint32_t ins, off, fences;
    bool wrong;
} counter;

static void *
begin(void *arg, const uint32_t block[3], uint64_t index)
{
    (void)block;
    (void)index;
    return arg;
}

static void
count_ins(void *arg, const sw_ev_where *w)
{
    counter *c = arg;
    c->ins++;
    c->off += !w->mask;
    c->wrong |= w->state != arg;
}

static void
count_fence(void *arg, const sw_ev_where *w, const sw_ev_fence *f)
{
    counter *c = arg;
    (void)f;
    c->fences++;
    c->wrong |= w->state != arg;
}

CASE(several_observers_get_what_each_wants)
{
    static const char text[] = BEGIN "setp.lt.u32 %p1, %r1, 0;\n"
                                     "@%p1 add.u32 %r2, %r1, 1;\n"
                                     "membar.cta;\n" END;
    counter a = {0}, b = {0};
    sw_observer each[2] = {{.arg = &a,
                            .events = SW_EV_BLOCK | SW_EV_INS | SW_EV_OFF,
                            .block_begin = begin,
                            .ins = count_ins,
                            .fence = count_fence},
                           {.arg = &b,
                            .events = SW_EV_BLOCK | SW_EV_INS | SW_EV_FENCE,
                            .block_begin = begin,
                            .ins = count_ins,
                            .fence = count_fence}};
    const sw_observer *list[2] = {&each[0], &each[1]};
    sw_several *several = sw_several_create(list, 2);
    const sw_observer *observer = sw_several_observer(several);
    kernel k;
    kernel_run run;
    uint64_t param = 0;
    CHECK_EQ(observer->events,
             SW_EV_BLOCK | SW_EV_INS | SW_EV_OFF | SW_EV_FENCE);
    CHECK(kernel_create(&k, text, observer->events));
    sw_launch launch = kernel_launch(&k, 1, 32, &param);
    launch.observer = observer;
    CHECK_EQ(kernel_start(&run, &launch), SW_OK);
    kernel_wait(&run);
    CHECK_EQ(run.fault.status, SW_OK);
    CHECK_EQ(a.ins, b.ins + 1);
    CHECK_EQ(a.off, 1);
    CHECK_EQ(b.off, 0);
    CHECK_EQ(a.fences, 0);
    CHECK_EQ(b.fences, 1);
    CHECK(!a.wrong && !b.wrong);
    kernel_destroy(&k);
    sw_several_destroy(several);
}

CASE(observers_have_names)
{
    CHECK(sw_watch_find("none", 4));
    CHECK(sw_watch_find("memtrace:x", 8));
    CHECK(!sw_watch_find("memtrac", 7));
    CHECK(!sw_watch_find("", 0));
}
