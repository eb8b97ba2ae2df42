/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_engines_test.c - compiled code tells each warp's events as the
 * interpreter does, in the same order.
 */
#include "check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "jit/jit.h"
#include "jit/tier/variant.h"
#include "kernel.h"

enum {
    WARPS = 64,
    EVENTS = SW_EV_BLOCK | SW_EV_INS | SW_EV_OFF | SW_EV_MEM | SW_EV_BRANCH |
             SW_EV_BARRIER | SW_EV_FENCE | SW_EV_ASYNC | SW_EV_EXIT
};

/* What each warp of the grid did, a line an event. */
typedef struct {
    sw_buf warp[WARPS];
    uint32_t begins, ends; /* atomic */
    uint64_t base;         /* of global memory, to compare addresses by */
    uint32_t warps_a_block;
} seen;

static sw_buf *
text_of(void *arg, const sw_ev_where *w)
{
    seen *s = arg;
    return &s->warp[(w->block_index * s->warps_a_block + w->warp) % WARPS];
}

static void *
on_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    seen *s = arg;
    (void)block;
    (void)index;
    __atomic_add_fetch(&s->begins, 1, __ATOMIC_RELAXED);
    return s;
}

static void
on_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    seen *s = arg;
    (void)state;
    (void)block;
    (void)index;
    __atomic_add_fetch(&s->ends, 1, __ATOMIC_RELAXED);
}

static void
on_ins(void *arg, const sw_ev_where *w)
{
    sw_buf_printf(text_of(arg, w), "ins %u %08x of %08x\n", w->index, w->mask,
                  w->active);
}

static void
on_mem(void *arg, const sw_ev_where *w, const sw_ev_mem *m)
{
    const seen *s = arg;
    sw_buf *out = text_of(arg, w);
    sw_buf_printf(out, "mem %u %08x %s %u %d%d%d %s %s:", w->index, w->mask,
                  sw_space_text(m->space), m->bytes, m->is_read, m->is_write,
                  m->is_atomic, sw_order_text(m->order),
                  sw_scope_text(m->scope));
    for (uint32_t l = w->mask; l; l &= l - 1) {
        uint64_t a = m->addr[__builtin_ctz(l)];
        sw_buf_printf(out, " %" PRIx64,
                      m->space == SW_SPACE_GLOBAL ? a - s->base : a);
    }
    sw_buf_puts(out, "\n");
}

static void
on_branch(void *arg, const sw_ev_where *w, const sw_ev_branch *b)
{
    sw_buf_printf(text_of(arg, w), "branch %u %08x %08x\n", w->index, w->mask,
                  b->taken);
}

static void
on_barrier(void *arg, const sw_ev_where *w, const sw_ev_barrier *b)
{
    sw_buf_printf(text_of(arg, w), "barrier %u %08x %u %d%d %u %u\n", w->index,
                  w->mask, b->barrier, b->is_arrival, b->waits, b->expected,
                  b->generation);
}

static void
on_fence(void *arg, const sw_ev_where *w, const sw_ev_fence *f)
{
    sw_buf_printf(text_of(arg, w), "fence %u %08x %s %s\n", w->index, w->mask,
                  sw_order_text(f->order), sw_scope_text(f->scope));
}

static void
on_async(void *arg, const sw_ev_where *w, const sw_ev_async *a)
{
    sw_buf_printf(text_of(arg, w), "async %u %08x %d %u\n", w->index, w->mask,
                  a->kind, a->groups);
}

static void
on_exited(void *arg, const sw_ev_where *w, const sw_ev_exit *x)
{
    (void)x;
    sw_buf_printf(text_of(arg, w), "exit %u %08x\n", w->index, w->mask);
}

/* Runs it by one engine; false: it does not run well. */
static bool
watch(seen *s, const sw_backend *backend, const char *text, uint32_t grid,
      uint32_t block, bool *is_compiled)
{
    const sw_observer observer = {.arg = s,
                                  .events = EVENTS,
                                  .block_begin = on_begin,
                                  .block_end = on_end,
                                  .ins = on_ins,
                                  .mem = on_mem,
                                  .branch = on_branch,
                                  .barrier = on_barrier,
                                  .fence = on_fence,
                                  .async = on_async,
                                  .exited = on_exited};
    kernel k;
    kernel_run run;
    sw_diag diag;
    uint64_t out = 0;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < WARPS; i++)
        sw_buf_init(&s->warp[i]);
    s->warps_a_block = (block + 31) / 32;
    CHECK_EQ(sw_mem_alloc(SW_MEM_DEVICE, 0, 1 << 16, 256, NULL, &out), SW_OK);
    memset((void *)(uintptr_t)out, 0, 1 << 16);
    s->base = out;
    bool ok = kernel_create(&k, text, 0);
    sw_program_destroy(k.program);
    k.program = NULL;
    sw_diag_init(&diag);
    ok = ok && sw_program_create(backend, sw_module_find(k.module, "k")->fn,
                                 EVENTS, &diag, &k.program) == SW_OK;
    sw_diag_finish(&diag);
    if (ok) {
        sw_launch launch = kernel_launch(&k, grid, block, &out);
        launch.observer = &observer;
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
            atomic_load(&sw_native_find(k.program, dims, false)->state) ==
                SW_NATIVE_READY;
    }
    kernel_destroy(&k);
    CHECK_EQ(sw_mem_free(out), SW_OK);
    return ok;
}

/* Both engines see the same. */
static void
compare(const char *text, uint32_t grid, uint32_t block)
{
    static seen a, b;
    bool is_compiled = false;
    setenv("SOFTWARP_ENGINE", "jit", 1);
    setenv("SOFTWARP_CACHE", "0", 1);
    CHECK(watch(&a, &sw_backend_interp, text, grid, block, &is_compiled));
    CHECK(watch(&b, &sw_backend_jit, text, grid, block, &is_compiled));
    CHECK(is_compiled);
    CHECK_EQ(b.begins, grid);
    CHECK_EQ(b.ends, grid);
    for (uint32_t i = 0; i < grid * a.warps_a_block; i++) {
        CHECK(a.warp[i].n > 0);
        bool same = a.warp[i].n == b.warp[i].n &&
                    memcmp(a.warp[i].p, b.warp[i].p, a.warp[i].n) == 0;
        CHECK(same);
        if (!same) {
            printf("warp %u interpreted:\n%s", i, a.warp[i].p);
            printf("warp %u compiled:\n%s", i, b.warp[i].n ? b.warp[i].p : "");
            break;
        }
    }
    for (int i = 0; i < WARPS; i++) {
        sw_buf_finish(&a.warp[i]);
        sw_buf_finish(&b.warp[i]);
    }
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
