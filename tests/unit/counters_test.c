/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters_test.c - what counters.h counts of small kernels whose counts can be
 * told by hand, and the figures of metrics.h.
 */
#include "check.h"

#include "jit/jit.h"
#include "kernel.h"
#include "watch/metrics.h"

#define BEGIN                                                                  \
    KERNEL_HEAD ".visible .entry k(.param .u64 out) {\n"                       \
                ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"       \
                ".reg .f32 %f<9>;\n"                                           \
                ".shared .align 16 .b8 cells[4096];\n"                         \
                ".local .align 16 .b8 mine[64];\n"                             \
                "ld.param.u64 %rd1, [out];\n mov.u32 %r1, %tid.x;\n"           \
                "mul.wide.u32 %rd2, %r1, 4;\n add.u64 %rd2, %rd1, %rd2;\n"
#define END "ret; }\n"

static uint64_t
buffer(uint64_t bytes)
{
    uint64_t p = 0;
    CHECK_EQ(sw_mem_alloc(SW_MEM_DEVICE, 0, bytes, 256, NULL, &p), SW_OK);
    return p;
}

/* Rows know their lines as long as the kernel is there. */
static void
check_lines(const sw_counters *c)
{
    size_t rows = 0;
    const sw_count_row *row = sw_counters_rows(c, &rows);
    for (size_t i = 0; i < rows; i++)
        CHECK(row[i].ins->line > 0);
}

/* The counters of a launch on a device; NULL if it failed. sample 0: all. */
static sw_counters *
count(const char *device, const char *text, uint32_t grid, uint32_t block,
      uint64_t param, uint32_t sample)
{
    kernel k;
    kernel_run run;
    sw_counters *c = NULL;
    sw_program *plain = NULL;
    sw_diag diag;
    sw_diag_init(&diag);
    if (kernel_create(&k, text, SW_COUNTERS_EVENTS) &&
        (!sample ||
         sw_program_create(&sw_backend_jit, sw_module_find(k.module, "k")->fn,
                           0, &diag, &plain) == SW_OK)) {
        const sw_program_info *info = sw_program_get_info(k.program);
        sw_count_launch about = {.kernel = "k",
                                 .device = sw_device_find(device),
                                 .grid = {grid, 1, 1},
                                 .block = {block, 1, 1},
                                 .static_shared_bytes =
                                     info->static_shared_bytes,
                                 .regs = 16,
                                 .ins_count = info->ins_count,
                                 .caches = !sample};
        sw_launch launch = kernel_launch(&k, grid, block, &param);
        c = sw_counters_create(&about);
        launch.observer = sw_counters_observer(c);
        launch.plain = plain;
        launch.sample = sample;
        if (kernel_start(&run, &launch) == SW_OK) {
            kernel_wait(&run);
            CHECK_EQ(run.fault.status, SW_OK);
            sw_counters_finish(c);
            check_lines(c);
        }
    }
    sw_diag_finish(&diag);
    sw_program_destroy(plain);
    kernel_destroy(&k);
    return c;
}

static const sw_count_mem *
mem(const sw_counters *c, sw_access access)
{
    return &sw_counters_total(c)->mem[access];
}

static double
value(const sw_counters *c, sw_era era, const char *name, bool one_sm)
{
    double v = -1;
    const sw_metric *m = sw_metric_find(era, name);
    if (!m || !sw_metric_value(m, sw_counters_launch(c), sw_counters_total(c),
                               sw_counters_scale(c), one_sm, &v))
        return -1;
    return v;
}

CASE(instructions_lanes_and_guards)
{
    static const char text[] =
        BEGIN "setp.lt.u32 %p1, %r1, 3;\n setp.lt.u32 %p2, %r1, 0;\n"
              "@%p1 add.u32 %r2, %r1, 1;\n @%p2 add.u32 %r2, %r1, 1;\n"
              "cvt.rn.f32.u32 %f1, %r1;\n fma.rn.f32 %f2, %f1, %f1, %f1;\n"
              "mul.f32 %f3, %f1, %f2;\n and.b32 %r3, %r1, 1;\n" END;
    sw_counters *c = count("H200 SXM 141 GB", text, 3, 40, 0, 0);
    const sw_counts *n = sw_counters_total(c);
    CHECK_EQ(n->blocks, 3);
    CHECK_EQ(n->warps, 6); /* 40 threads are two warps */
    CHECK_EQ(n->threads, 120);
    CHECK_EQ(n->inst, 6 * 13);
    CHECK_EQ(n->thread_inst, 120 * 13);
    CHECK_EQ(n->inst_off, 3 + 6); /* the second warp's @p1, all of @p2 */
    CHECK_EQ(n->thread_on, 120 * 11 + 9);
    CHECK_EQ(n->flop[SW_COUNT_FP32_OPS][SW_COUNT_FMA], 120);
    CHECK_EQ(n->flop[SW_COUNT_FP32_OPS][SW_COUNT_MUL], 120);
    CHECK_EQ(n->inst_by[SW_COUNT_FP32], 6 * 2);
    CHECK_EQ(n->inst_by[SW_COUNT_BIT], 6);
    CHECK_EQ(n->inst_by[SW_COUNT_CONVERT], 6);
    CHECK_EQ(n->inst_by[SW_COUNT_ADDRESS], 6); /* ld.param */
    CHECK(value(c, SW_ERA_NVPROF, "flop_count_sp", false) == 360);
    size_t rows = 0;
    const sw_count_row *row = sw_counters_rows(c, &rows);
    CHECK_EQ(rows, 13);
    uint64_t inst = 0;
    for (size_t i = 0; i < rows; i++) {
        CHECK(i == 0 || row[i].index > row[i - 1].index);
        inst += row[i].n.inst;
    }
    CHECK_EQ(inst, n->inst);
    sw_counters_destroy(c);
}

CASE(branches_that_part_and_those_that_do_not)
{
    static const char text[] = BEGIN
        "setp.lt.u32 %p1, %r1, 4;\n@!%p1 bra HIGH;\nadd.u32 %r2, %r1, 1;\n"
        "HIGH: bar.sync 0;\n" END;
    sw_counters *c = count("GeForce GTX 280", text, 1, 64, 0, 0);
    const sw_counts *n = sw_counters_total(c);
    CHECK_EQ(n->divergent, 1); /* of two warps */
    CHECK_EQ(n->barriers, 2);
    CHECK(value(c, SW_ERA_TEXT, "divergent_branch", false) == 1);
    CHECK(value(c, SW_ERA_TEXT, "divergent_branch", true) * 30 > 0.999);
    CHECK(value(c, SW_ERA_TEXT, "cta_launched", true) * 10 > 0.999);
    CHECK(value(c, SW_ERA_TEXT, "cta_launched", true) * 10 < 1.001);
    sw_counters_destroy(c);
}

CASE(memory_of_all_kinds)
{
    static const char text[] = BEGIN
        "st.global.u32 [%rd2], %r1;\n ld.global.u32 %r2, [%rd2];\n"
        "red.global.add.u32 [%rd1], 1;\n atom.global.add.u32 %r3, [%rd2], 1;\n"
        "atom.global.add.u32 %r4, [%rd1], 1;\n st.global.u32 [%rd2], %r4;\n"
        "mov.u32 %r5, cells;\n shl.b32 %r6, %r1, 7;\n add.u32 %r5, %r5, %r6;\n"
        "st.shared.u32 [%r5], %r1;\n"
        "st.local.u32 [mine], %r1;\n ld.local.u32 %r7, [mine];\n" END;
    uint64_t out = buffer(4096);
    sw_counters *c = count("H200 SXM 141 GB", text, 1, 32, out, 0);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->requests, 1);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->sectors, 4);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->bytes, 128);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_ST)->sectors, 8);
    /* Nobody reads %r3, so that one is a reduction too, of 32 words. Lanes that
     * all change one word add up first. */
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_RED)->requests, 2);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_RED)->sectors, 1 + 4);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_ATOM)->requests, 1);
    /* Seen on an H200, though the address is global. */
    CHECK(value(c, SW_ERA_NCU, "smsp__inst_executed_op_generic_atom.sum", 0) ==
          1);
    CHECK(value(c, SW_ERA_NCU, "launch__occupancy_limit_shared_mem", 0) ==
          164 * 1024 / (4096 + 1024));
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_ATOM)->sectors, 1);
    CHECK_EQ(mem(c, SW_ACCESS_SHARED_ST)->wavefronts, 32);
    CHECK_EQ(mem(c, SW_ACCESS_SHARED_ST)->conflicts, 31);
    CHECK_EQ(mem(c, SW_ACCESS_LOCAL_ST)->sectors, 4); /* interleaved */
    CHECK_EQ(mem(c, SW_ACCESS_LOCAL_LD)->sectors, 4);
    CHECK_EQ(mem(c, SW_ACCESS_LOCAL_LD)->hits, 4);  /* L1 keeps it */
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->hits, 0); /* not what is stored */
    CHECK_EQ(sw_counters_total(c)->dram_write, 0);  /* it stays in L2 */
    sw_counters_destroy(c);
    /* Sectors need no caches. */
    c = count("H200 SXM 141 GB", text, 1, 32, out, 1);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_ST)->sectors, 8);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_RED)->sectors, 1 + 4);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_ATOM)->sectors, 1);
    CHECK_EQ(mem(c, SW_ACCESS_LOCAL_LD)->sectors, 4);
    CHECK_EQ(mem(c, SW_ACCESS_LOCAL_LD)->hits, 0);
    sw_counters_destroy(c);
    CHECK_EQ(sw_mem_free(out), SW_OK);
}

CASE(a_second_load_hits)
{
    static const char text[] =
        BEGIN "ld.global.u32 %r2, [%rd2];\n ld.global.u32 %r3, [%rd2];\n"
              "ld.global.cg.u32 %r4, [%rd2];\n" END;
    uint64_t out = buffer(4096);
    sw_counters *c = count("H200 SXM 141 GB", text, 1, 64, out, 0);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->hits, 8);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->misses, 16); /* all of .cg */
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->l2_sectors, 16);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->l2_misses, 8);
    CHECK_EQ(sw_counters_total(c)->dram_read, 8);
    sw_counters_destroy(c);
    /* Devices of 2.x fetch lines, and count those. */
    c = count("GeForce GTX 480", text, 1, 64, out, 0);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->hits, 2);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->misses, 2);
    CHECK(value(c, SW_ERA_NVPROF, "l1_cache_global_hit_rate", false) == 50);
    sw_counters_destroy(c);
    CHECK_EQ(sw_mem_free(out), SW_OK);
}

CASE(some_blocks_are_observed_and_all_run)
{
    static const char text[] =
        BEGIN "mov.u32 %r2, %ctaid.x;\n mad.lo.u32 %r3, %r2, 32, %r1;\n"
              "mul.wide.u32 %rd3, %r3, 4;\n add.u64 %rd3, %rd1, %rd3;\n"
              "st.global.u32 [%rd3], %r3;\n" END;
    enum { BLOCKS = 1000 };
    uint64_t out = buffer(BLOCKS * 128);
    uint32_t *p = (uint32_t *)(uintptr_t)out;
    memset(p, 0xff, BLOCKS * 128);
    sw_counters *c = count("H200 SXM 141 GB", text, BLOCKS, 32, out, 7);
    CHECK_EQ(sw_counters_total(c)->blocks, 143); /* 0, 7, ... 994 */
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_ST)->requests, 143);
    CHECK(value(c, SW_ERA_NCU,
                "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                false) == 1000);
    CHECK(value(c, SW_ERA_NCU, "dram__bytes_read.sum", false) < 0);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < BLOCKS * 32; i++)
        wrong += p[i] != i;
    CHECK_EQ(wrong, 0);
    sw_counters_destroy(c);
    CHECK_EQ(sw_mem_free(out), SW_OK);
}

CASE(every_metric_has_a_name_and_a_formula_or_a_reason)
{
    static const char text[] = BEGIN END;
    sw_counters *c = count("H200 SXM 141 GB", text, 1, 32, 0, 0);
    for (size_t i = 0; i < sw_metric_count(); i++) {
        const sw_metric *m = sw_metric_at(i);
        double v;
        CHECK(sw_metric_find(m->era, m->name) == m);
        CHECK(m->text[0] && m->from <= m->to);
        bool has = sw_metric_value(m, sw_counters_launch(c),
                                   sw_counters_total(c), 1, false, &v);
        CHECK(!m->missing || !has);
    }
    CHECK(sw_metric_find(SW_ERA_COUNT, "achieved_occupancy")->missing != NULL);
    CHECK(sw_metric_find(SW_ERA_NVPROF, "gld_coherent") == NULL);
    CHECK(sw_metric_applies(sw_metric_find(SW_ERA_TEXT, "gld_32b"), 13));
    CHECK(!sw_metric_applies(sw_metric_find(SW_ERA_TEXT, "gld_32b"), 10));
    CHECK_EQ(sw_era_of(13), SW_ERA_TEXT);
    CHECK_EQ(sw_era_of(61), SW_ERA_NVPROF);
    CHECK_EQ(sw_era_of(90), SW_ERA_NCU);
    sw_buf near;
    sw_buf_init(&near);
    sw_metric_near("gld_effeciency", 3, &near);
    CHECK(near.p && strstr(near.p, "gld_efficiency"));
    sw_buf_finish(&near);
    sw_counters_destroy(c);
}

/* Accesses that an assembler for 8.0 or 9.0 makes of a fragment's move (ptxas
 * 13.0, nvdisasm); rows of memory are 64 elements apart. */
typedef struct {
    const char *move, *type;
    uint32_t regs;
    char cls;                               /* r, f or d */
    uint32_t requests, sectors, wavefronts; /* those of global, of shared */
    uint32_t shared_requests;
} fragment_case;

static const fragment_case fragment_cases[] = {
    {"load.a.sync.aligned.row.m16n16k16", "f16", 8, 'r', 4, 32, 32, 1},
    {"load.a.sync.aligned.col.m16n16k16", "f16", 8, 'r', 4, 32, 32, 1},
    {"load.b.sync.aligned.row.m32n8k16", "f16", 8, 'r', 2, 16, 16, 1},
    {"load.a.sync.aligned.row.m32n8k16", "f16", 8, 'r', 8, 64, 64, 2},
    {"load.a.sync.aligned.row.m16n16k16", "s8", 2, 'r', 2, 16, 8, 1},
    {"load.b.sync.aligned.col.m8n32k16", "s8", 4, 'r', 4, 32, 16, 2},
    /* Of each fourth column eight bytes, all columns in the same banks. */
    {"load.a.sync.aligned.col.m16n16k16", "s8", 2, 'r', 8, 32, 32, 8},
    {"load.a.sync.aligned.row.m16n16k8", "tf32", 4, 'r', 4, 32, 32, 4},
    {"load.c.sync.aligned.row.m16n16k16", "f16", 4, 'r', 4, 32, 32, 4},
    {"load.c.sync.aligned.col.m16n16k16", "f16", 4, 'r', 4, 32, 32, 4},
    /* Half-warps have four rows of eight words, all in the same banks. */
    {"load.c.sync.aligned.row.m16n16k16", "f32", 8, 'f', 4, 32, 32, 4},
    {"load.c.sync.aligned.col.m16n16k16", "f32", 8, 'f', 8, 32, 32, 8},
    {"load.c.sync.aligned.row.m8n32k16", "f32", 8, 'f', 8, 32, 32, 8},
    {"load.c.sync.aligned.col.m8n32k16", "f32", 8, 'f', 4, 32, 32, 4},
    /* Quarters have two rows of eight doubles, half-warps four of four. */
    {"load.c.sync.aligned.row.m8n8k4", "f64", 2, 'd', 1, 16, 8, 1},
    {"load.c.sync.aligned.col.m8n8k4", "f64", 2, 'd', 2, 16, 16, 2},
    {"store.d.sync.aligned.row.m16n16k16", "f32", 8, 'f', 4, 32, 32, 4},
    {"store.d.sync.aligned.col.m16n16k16", "f16", 4, 'r', 4, 32, 32, 4},
};

static sw_counters *
count_fragment(const fragment_case *f, bool shared, uint64_t out)
{
    char regs[128], text[1024];
    const char *at = shared ? "[cells]" : "[%rd1]";
    bool stores = f->move[0] == 's';
    int n = 0;
    for (uint32_t i = 0; i < f->regs; i++)
        n += snprintf(regs + n, sizeof regs - (size_t)n, "%s%%%c%u",
                      i ? ", " : "{", f->cls, i);
    snprintf(regs + n, sizeof regs - (size_t)n, "}");
    snprintf(text, sizeof text,
             KERNEL_HEAD ".visible .entry k(.param .u64 out) {\n"
                         ".reg .b32 %%r<9>; .reg .b64 %%rd<9>;\n"
                         ".reg .f32 %%f<9>; .reg .f64 %%d<9>;\n"
                         ".shared .align 32 .b8 cells[16384];\n"
                         "ld.param.u64 %%rd1, [out];\n"
                         "wmma.%s.%s.%s %s, %s, 64;\n" END,
             f->move, shared ? "shared" : "global", f->type, stores ? at : regs,
             stores ? regs : at);
    return count("H200 SXM 141 GB", text, 1, 32, out, 0);
}

/* Prints what differs. */
static bool
is_counted(const fragment_case *f, bool shared, uint64_t out)
{
    sw_counters *c = count_fragment(f, shared, out);
    bool stores = f->move[0] == 's';
    const sw_count_mem *n =
        shared ? mem(c, stores ? SW_ACCESS_SHARED_ST : SW_ACCESS_SHARED_LD)
               : mem(c, stores ? SW_ACCESS_GLOBAL_ST : SW_ACCESS_GLOBAL_LD);
    uint32_t requests = shared ? f->shared_requests : f->requests;
    bool tiles = shared && f->shared_requests < f->requests; /* ldmatrix */
    bool same =
        n->requests == requests && n->inst == (tiles ? 0 : requests) &&
        (shared ? n->wavefronts == f->wavefronts : n->sectors == f->sectors);
    if (!same)
        printf("%s %s %s: %u requests, %u sectors, %u wavefronts\n", f->move,
               f->type, shared ? "shared" : "global", (unsigned)n->requests,
               (unsigned)n->sectors, (unsigned)n->wavefronts);
    sw_counters_destroy(c);
    return same;
}

CASE(fragments_of_matrices)
{
    uint64_t out = buffer(65536);
    for (size_t i = 0; i < sizeof fragment_cases / sizeof *fragment_cases;
         i++) {
        CHECK(is_counted(&fragment_cases[i], false, out));
        CHECK(is_counted(&fragment_cases[i], true, out));
    }
    CHECK_EQ(sw_mem_free(out), SW_OK);
}

/* ---- what assemblers make of atomics (ptxas 13.0, and counts of an H200) */

typedef struct {
    const char *text;
    sw_access access;
    uint32_t requests, inst, sectors, wavefronts, conflicts;
} atomic_case;

/* %r1: the thread. %rd2: its word in global memory, %r5: in shared memory;
 * [cells], [%rd1]: one word for all. %p1: of lanes below 3. */
static const atomic_case atomic_cases[] = {
    {"red.global.add.u32 [%rd1], %r1;", SW_ACCESS_GLOBAL_RED, 1, 1, 1, 0, 0},
    {"red.global.max.u32 [%rd1+4], 7;", SW_ACCESS_GLOBAL_RED, 1, 1, 1, 0, 0},
    {"@%p1 red.global.or.b32 [%rd1], %r1;", SW_ACCESS_GLOBAL_RED, 1, 1, 1, 0,
     0},
    {"red.global.inc.u32 [%rd1], %r1;", SW_ACCESS_GLOBAL_RED, 1, 1, 32, 0, 0},
    {"red.global.add.u64 [%rd1], %rd2;", SW_ACCESS_GLOBAL_RED, 1, 1, 32, 0, 0},
    {"red.global.add.u32 [%rd2], %r1;", SW_ACCESS_GLOBAL_RED, 1, 1, 4, 0, 0},
    /* Not known to be one word, though it is. */
    {"shr.u32 %r2, %r1, 5; mul.wide.u32 %rd3, %r2, 4;\n"
     "add.u64 %rd3, %rd1, %rd3; red.global.add.u32 [%rd3], 1;",
     SW_ACCESS_GLOBAL_RED, 1, 1, 32, 0, 0},
    {"ld.global.u32 %r2, [%rd1+256]; mul.wide.u32 %rd3, %r2, 4;\n"
     "add.u64 %rd3, %rd1, %rd3; red.global.add.u32 [%rd3], 1;",
     SW_ACCESS_GLOBAL_RED, 1, 1, 1, 0, 0},
    {"atom.global.add.u32 %r2, [%rd1], %r1; st.global.u32 [%rd2], %r2;",
     SW_ACCESS_GLOBAL_ATOM, 1, 1, 1, 0, 0},
    /* With a result and some lanes only they cannot scan first. */
    {"@%p1 atom.global.add.u32 %r2, [%rd1], %r1; st.global.u32 [%rd2], %r2;",
     SW_ACCESS_GLOBAL_ATOM, 1, 1, 3, 0, 0},
    {"atom.global.max.u32 %r2, [%rd1], %r1; st.global.u32 [%rd2], %r2;",
     SW_ACCESS_GLOBAL_ATOM, 1, 1, 32, 0, 0},
    /* Generic addresses have no reductions. */
    {"red.add.u32 [%rd2], 1;", SW_ACCESS_GLOBAL_ATOM, 1, 1, 4, 0, 0},
    {"red.shared.add.u32 [cells], 1;", SW_ACCESS_SHARED_ATOM, 1, 1, 0, 1, 0},
    {"red.shared.add.u32 [cells], %r1;", SW_ACCESS_SHARED_ATOM, 1, 1, 0, 1, 0},
    {"red.shared.xor.b32 [cells], 3;", SW_ACCESS_SHARED_ATOM, 1, 1, 0, 1, 0},
    {"red.shared.dec.u32 [cells], 3;", SW_ACCESS_SHARED_ATOM, 1, 1, 0, 32, 31},
    /* Sixteen words of two lanes each. */
    {"and.b32 %r2, %r5, -5; red.shared.add.u32 [%r2], 1;",
     SW_ACCESS_SHARED_ATOM, 1, 1, 0, 1, 0},
    {"and.b32 %r2, %r5, -5; red.shared.add.u32 [%r2], 2;",
     SW_ACCESS_SHARED_ATOM, 1, 1, 0, 2, 1},
    /* A loop: 32 lanes, then 16; two passes for each swap. */
    {"and.b32 %r2, %r5, -5; red.shared.add.f32 [%r2], 0f3F800000;",
     SW_ACCESS_SHARED_ATOM, 2, 2, 0, 2 + 2, 0},
    {"and.b32 %r2, %r5, -5; red.shared.add.f32 [%r2], 0f3F800000;",
     SW_ACCESS_SHARED_LD, 2, 2, 0, 2, 0},
    /* By half-warps. */
    {"shl.b32 %r2, %r1, 3; mov.u32 %r3, cells; add.u32 %r2, %r2, %r3;\n"
     "red.shared.add.u64 [%r2], %rd2;",
     SW_ACCESS_SHARED_ATOM, 1, 1, 0, 4, 0},
};

static bool
is_atomic_counted(const atomic_case *a, uint64_t out)
{
    char text[2048];
    snprintf(text, sizeof text,
             "%s mov.u32 %%r5, cells; shl.b32 %%r6, %%r1, 2;\n"
             "add.u32 %%r5, %%r5, %%r6; setp.lt.u32 %%p1, %%r1, 3;\n%s %s",
             BEGIN, a->text, END);
    sw_counters *c = count("H200 SXM 141 GB", text, 1, 32, out, 1);
    const sw_count_mem *n = mem(c, a->access);
    bool same = n->requests == a->requests && n->inst == a->inst &&
                n->sectors == a->sectors && n->wavefronts == a->wavefronts &&
                n->conflicts == a->conflicts;
    if (!same)
        printf("%s: %u requests of %u, %u sectors, %u wavefronts\n", a->text,
               (unsigned)n->requests, (unsigned)n->inst, (unsigned)n->sectors,
               (unsigned)n->wavefronts);
    sw_counters_destroy(c);
    return same;
}

CASE(atomics_as_assemblers_make_them)
{
    uint64_t out = buffer(4096);
    memset((void *)(uintptr_t)out, 0, 4096);
    for (size_t i = 0; i < sizeof atomic_cases / sizeof *atomic_cases; i++)
        CHECK(is_atomic_counted(&atomic_cases[i], out));
    CHECK_EQ(sw_mem_free(out), SW_OK);
}

CASE(what_the_program_has_and_what_profilers_count_apart)
{
    static const char text[] =
        BEGIN "setp.lt.u32 %p1, %r1, 3;\n @%p1 bra there;\n"
              "st.local.v2.u64 [mine], {%rd1, %rd2};\n ld.u32 %r2, [%rd2];\n"
              "shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0xfffffff8;\n"
              "there:\n mov.u32 %r5, cells;\n"
              "cp.async.ca.shared.global [%r5], [%rd2], 4;\n"
              "ld.volatile.global.u32 %r4, [%rd2];\n" END;
    uint64_t out = buffer(4096);
    sw_counters *c = count("H200 SXM 141 GB", text, 1, 32, out, 0);
    const sw_counts *n = sw_counters_total(c);
    CHECK_EQ(n->branches, 1); /* not where it goes on at a label */
    CHECK_EQ(n->inst_by[SW_COUNT_CONTROL], 2);
    CHECK_EQ(mem(c, SW_ACCESS_LOCAL_ST)->requests, 4); /* a word each */
    CHECK_EQ(mem(c, SW_ACCESS_LOCAL_ST)->inst, 1);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->requests, 3);
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->inst, 2); /* not the copy */
    CHECK_EQ(mem(c, SW_ACCESS_GLOBAL_LD)->generic, 1);
    CHECK_EQ(mem(c, SW_ACCESS_SHARED_ST)->requests, 0);
    CHECK_EQ(mem(c, SW_ACCESS_SHARED_COPY)->requests, 1);
    CHECK_EQ(n->crossings, 2); /* %tid.x, shfl */
    CHECK(value(c, SW_ERA_NCU, "smsp__inst_executed_op_global_ld.sum", false) ==
          1);
    CHECK(value(c, SW_ERA_NCU, "smsp__inst_executed_op_generic_ld", false) ==
          1);
    sw_counters_destroy(c);
    CHECK_EQ(sw_mem_free(out), SW_OK);
}
