/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_test.c - what an observer of a launch sees: counts, masks, addresses,
 * order; and nothing that the program was not created for.
 */
#include "check.h"

#include <stdatomic.h>

#include "kernel.h"
#include "watch/watch.h"

enum {
    ALL = SW_EV_BLOCK | SW_EV_INS | SW_EV_MEM | SW_EV_BRANCH | SW_EV_BARRIER,
    MEMS = 16,
    BRANCHES = 16
};

/* One block's worth; tests that look at details launch one block. */
typedef struct {
    atomic_uint begins, ends, ins, lanes, mems, branches, arrivals, releases;
    atomic_uint active, off;
    sw_ev_mem mem[MEMS];
    uint64_t addr[MEMS][32];
    uint32_t mem_mask[MEMS], branch_mask[BRANCHES], taken[BRANCHES];
    uint32_t barrier, warps; /* last one; mask of those seen */
    uint32_t indices;        /* mask of the instructions' numbers */
    uint64_t index_sum;
    bool outside; /* an event of a block not begun, or ended */
} seen;

static void *
on_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    seen *s = arg;
    s->begins++;
    __atomic_add_fetch(&s->index_sum, index + block[0], __ATOMIC_RELAXED);
    return s;
}

static void
on_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    seen *s = arg;
    if (state != s)
        __atomic_store_n(&s->outside, true, __ATOMIC_RELAXED);
    s->ends++;
    __atomic_add_fetch(&s->index_sum, index + block[0], __ATOMIC_RELAXED);
}

static void
on_ins(void *arg, const sw_ev_where *w)
{
    seen *s = arg;
    s->ins++;
    s->lanes += (unsigned)__builtin_popcount(w->mask);
    s->active += (unsigned)__builtin_popcount(w->active);
    s->off += w->mask == 0;
    if (w->index < 32)
        __atomic_or_fetch(&s->indices, 1u << w->index, __ATOMIC_RELAXED);
    if (s->begins == s->ends || !w->ins || !w->fn || w->state != s ||
        (w->mask & ~w->active))
        __atomic_store_n(&s->outside, true, __ATOMIC_RELAXED);
    __atomic_or_fetch(&s->warps, 1u << w->warp, __ATOMIC_RELAXED);
}

static void
on_mem(void *arg, const sw_ev_where *w, const sw_ev_mem *m)
{
    seen *s = arg;
    unsigned i = s->mems++;
    if (i < MEMS) {
        s->mem[i] = *m;
        s->mem_mask[i] = w->mask;
        memcpy(s->addr[i], m->addr, sizeof s->addr[i]);
    }
}

static void
on_branch(void *arg, const sw_ev_where *w, const sw_ev_branch *b)
{
    seen *s = arg;
    unsigned i = s->branches++;
    if (i < BRANCHES) {
        s->branch_mask[i] = w->mask;
        s->taken[i] = b->taken;
    }
}

static void
on_barrier(void *arg, const sw_ev_where *w, const sw_ev_barrier *b)
{
    seen *s = arg;
    (void)w;
    *(b->is_arrival ? &s->arrivals : &s->releases) += 1;
    __atomic_store_n(&s->barrier, b->barrier, __ATOMIC_RELAXED);
}

/* False if the kernel did not run well. */
static bool
watch(seen *s, const char *text, uint32_t events, uint32_t grid, uint32_t block,
      uint64_t param, sw_grid_stats *stats)
{
    const sw_observer observer = {.arg = s,
                                  .block_begin = on_begin,
                                  .block_end = on_end,
                                  .ins = on_ins,
                                  .mem = on_mem,
                                  .branch = on_branch,
                                  .barrier = on_barrier};
    kernel k;
    kernel_run run;
    memset(s, 0, sizeof *s);
    bool ok = kernel_create(&k, text, events);
    if (ok) {
        sw_launch launch = kernel_launch(&k, grid, block, &param);
        launch.observer = &observer;
        ok = kernel_start(&run, &launch) == SW_OK;
        if (ok) {
            kernel_wait(&run);
            ok = run.fault.status == SW_OK;
            if (!ok)
                printf("%s\n", run.fault.text);
            if (stats)
                *stats = run.stats;
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
    return p;
}

#define BEGIN                                                                  \
    KERNEL_HEAD ".visible .entry k(.param .u64 out) {\n"                       \
                ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"       \
                ".shared .align 16 .b8 cells[256];\n"                          \
                ".local .align 16 .b8 mine[32];\n"                             \
                "ld.param.u64 %rd1, [out];\n mov.u32 %r1, %tid.x;\n"
#define END "ret; }\n"

CASE(every_instruction_of_every_warp_is_seen)
{
    static const char text[] = BEGIN "add.u32 %r2, %r1, 1;\n" END;
    static seen s;
    sw_grid_stats stats;
    CHECK(watch(&s, text, ALL, 5, 70, 0, &stats));
    CHECK_EQ(s.begins, 5);
    CHECK_EQ(s.ends, 5);
    CHECK_EQ(s.index_sum, 2 * 2 * (0 + 1 + 2 + 3 + 4));
    CHECK_EQ(s.ins, 5 * 3 * 4); /* ld.param, mov, add, ret */
    CHECK_EQ(s.lanes, 5 * 70 * 4);
    CHECK_EQ(stats.lane_ins, 5 * 70 * 4);
    CHECK(stats.end_ns >= stats.start_ns);
    CHECK_EQ(s.warps, 7);
    CHECK_EQ(s.mems, 0); /* parameters do not count */
    CHECK(!s.outside);
}

CASE(guarded_off_lanes_are_not_in_the_mask)
{
    static const char text[] = BEGIN "setp.lt.u32 %p1, %r1, 3;\n"
                                     "setp.lt.u32 %p2, %r1, 0;\n"
                                     "@%p1 add.u32 %r2, %r1, 1;\n"
                                     "@%p2 add.u32 %r2, %r1, 1;\n" END;
    static seen s;
    CHECK(watch(&s, text, ALL, 1, 32, 0, NULL));
    CHECK_EQ(s.ins, 6); /* the last add has no lanes: no event */
    CHECK_EQ(s.off, 0);
    CHECK_EQ(s.lanes, 5 * 32 + 3);
    CHECK_EQ(s.active, 6 * 32);
    CHECK(watch(&s, text, ALL | SW_EV_OFF, 1, 32, 0, NULL));
    CHECK_EQ(s.ins, 7); /* unless it is asked for */
    CHECK_EQ(s.off, 1);
    CHECK_EQ(s.lanes, 5 * 32 + 3);
    CHECK_EQ(s.active, 7 * 32);
    CHECK_EQ(s.indices, 0x7f); /* every one has a number */
    CHECK(!s.outside);
}

CASE(addresses_are_those_of_the_space)
{
    static const char text[] =
        BEGIN "mul.wide.u32 %rd2, %r1, 4;\n add.u64 %rd2, %rd1, %rd2;\n"
              "st.global.u32 [%rd2], %r1;\n"
              "mov.u32 %r3, cells;\n shl.b32 %r4, %r1, 3;\n"
              "add.u32 %r3, %r3, %r4;\n"
              "st.shared.v2.u32 [%r3], {%r1, %r1};\n"
              "mov.u64 %rd3, mine;\n ld.local.u8 %r5, [mine+5];\n"
              "cvta.local.u64 %rd4, %rd3;\n st.u64 [%rd4+8], %rd1;\n"
              "cvt.u64.u32 %rd5, %r3;\n cvta.shared.u64 %rd5, %rd5;\n"
              "setp.lt.u32 %p1, %r1, 4;\n"
              "selp.b64 %rd6, %rd5, %rd2, %p1;\n"
              "atom.add.u32 %r6, [%rd6], 1;\n" END;
    static seen s;
    uint64_t out = buffer(128);
    CHECK(watch(&s, text, ALL, 1, 32, out, NULL));
    CHECK_EQ(s.mems, 6);

    CHECK_EQ(s.mem[0].space, SW_SPACE_GLOBAL);
    CHECK_EQ(s.mem[0].bytes, 4);
    CHECK(s.mem[0].is_write && !s.mem[0].is_read && !s.mem[0].is_atomic);
    CHECK_EQ(s.addr[0][0], out);
    CHECK_EQ(s.addr[0][31], out + 124);

    CHECK_EQ(s.mem[1].space, SW_SPACE_SHARED);
    CHECK_EQ(s.mem[1].bytes, 8);
    CHECK_EQ(s.addr[1][31] - s.addr[1][0], 31 * 8);
    CHECK(s.addr[1][31] < 256);

    CHECK_EQ(s.mem[2].space, SW_SPACE_LOCAL);
    CHECK_EQ(s.mem[2].bytes, 1);
    CHECK(s.mem[2].is_read && !s.mem[2].is_write);
    CHECK_EQ(s.addr[2][3], s.addr[2][17]); /* the same place of each thread */
    CHECK_EQ(s.mem[3].space, SW_SPACE_LOCAL); /* by generic address */
    CHECK_EQ(s.addr[3][9], s.addr[2][9] + 3);
    CHECK_EQ(s.mem[3].bytes, 8);

    /* One instruction, two spaces. */
    unsigned sh = s.mem[4].space == SW_SPACE_SHARED ? 4 : 5, gl = 9 - sh;
    CHECK_EQ(s.mem[sh].space, SW_SPACE_SHARED);
    CHECK_EQ(s.mem_mask[sh], 0xf);
    CHECK_EQ(s.addr[sh][3], s.addr[1][3]);
    CHECK_EQ(s.mem[gl].space, SW_SPACE_GLOBAL);
    CHECK_EQ(s.mem_mask[gl], 0xfffffff0);
    CHECK_EQ(s.addr[gl][4], out + 16);
    CHECK(s.mem[gl].is_atomic && s.mem[gl].is_read && s.mem[gl].is_write);
    CHECK_EQ(sw_mem_free(out), SW_OK);
}

CASE(branches_say_who_takes_them)
{
    static const char text[] = BEGIN
        "setp.lt.u32 %p1, %r1, 4;\n@!%p1 bra HIGH;\nadd.u32 %r2, %r1, 1;\n"
        "HIGH: setp.lt.u32 %p2, %r1, 99;\n@%p2 bra ALL;\nadd.u32 %r2, %r1, 2;\n"
        "ALL:\n" END;
    static seen s;
    CHECK(watch(&s, text, ALL, 1, 32, 0, NULL));
    CHECK_EQ(s.branch_mask[0], 0xffffffff);
    CHECK_EQ(s.taken[0], 0xfffffff0);
    unsigned last = s.branches - 1;
    while (last && s.taken[last] != s.branch_mask[last])
        last--;
    CHECK_EQ(s.branch_mask[last], 0xffffffff); /* together again */
    CHECK_EQ(s.taken[last], 0xffffffff);
}

CASE(barriers_are_arrived_at_and_left)
{
    static const char text[] = BEGIN "bar.sync 0;\nbar.sync 3;\n" END;
    static seen s;
    CHECK(watch(&s, text, ALL, 2, 96, 0, NULL));
    CHECK_EQ(s.arrivals, 2 * 3 * 2);
    CHECK_EQ(s.releases, 2 * 3 * 2);
    CHECK_EQ(s.barrier, 3);
}

CASE(only_what_the_program_was_made_for)
{
    static const char text[] =
        BEGIN "bar.sync 0;\nst.shared.u32 [cells], %r1;\nbra ON;\nON:\n" END;
    static seen s;
    CHECK(watch(&s, text, SW_EV_BLOCK, 3, 64, 0, NULL));
    CHECK_EQ(s.begins, 3);
    CHECK_EQ(s.ends, 3);
    CHECK_EQ(s.ins + s.mems + s.branches + s.arrivals, 0);
    CHECK(watch(&s, text, SW_EV_MEM, 3, 64, 0, NULL));
    CHECK_EQ(s.mems, 3 * 2);
    CHECK_EQ(s.begins + s.ins + s.branches + s.arrivals, 0);
    CHECK(watch(&s, text, 0, 3, 64, 0, NULL));
    CHECK_EQ(s.begins + s.ins + s.mems + s.branches + s.arrivals, 0);
}

CASE(the_empty_observer_is_complete)
{
    kernel k;
    kernel_run run;
    const sw_observer none = sw_watch_none();
    uint64_t out = buffer(128);
    CHECK(none.block_begin && none.block_end && none.ins && none.mem &&
          none.branch && none.barrier);
    CHECK(kernel_create(&k,
                        BEGIN "bar.sync 0;\nsetp.lt.u32 %p1, %r1, 4;\n"
                              "@%p1 bra ON;\natom.global.add.u32 %r2, [%rd1], "
                              "1;\nON:\n" END,
                        none.events));
    sw_launch launch = kernel_launch(&k, 4, 64, &out);
    launch.observer = &none;
    memset((void *)(uintptr_t)out, 0, 128);
    CHECK_EQ(kernel_start(&run, &launch), SW_OK);
    kernel_wait(&run);
    CHECK_EQ(run.fault.status, SW_OK);
    CHECK_EQ(*(uint32_t *)(uintptr_t)out, 4 * 60);
    kernel_destroy(&k);
    CHECK_EQ(sw_mem_free(out), SW_OK);
}
