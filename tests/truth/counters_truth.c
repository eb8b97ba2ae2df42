/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters_truth.c - our counters beside those of an H200: runs the launches of
 * cases.h as on that device and compares with tests/data/h200_counters.csv,
 * which was read off a real one with ncu 2025.3 (CUDA 13.0, driver 580.159,
 * caches flushed before each launch).
 *
 *     counters_truth table [--most N]   docs/counters.md, on standard output
 *     counters_truth check CASE...      a test of these cases
 *     counters_truth engines CASE...    a test: compiled code counts the same
 *     counters_truth cost CASE...       processor time, to compare
 *     counters_truth ladder             transposes on devices of 2006 and 2008
 *
 * A * at the end of a case stands for any ending. Launches of more than N
 * thread instructions (default 2e9) are observed in part, every n-th block, and
 * without caches.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "same_counts.h"
#include "truth/run.h"

enum { COLUMNS = 41, LINE = 1024 };

typedef enum {
    EXACT,  /* the same number */
    NOISE,  /* ours plus what warps that meet at the banks add */
    NEAR,   /* within 10 % */
    COMPILE /* the machine code is not the PTX */
} demand;

/* What is compared: a column of the CSV, our metric. */
typedef struct {
    const char *column, *metric, *head;
    demand demand;
} figure;

static const figure global_figures[] = {
    {"gld_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
     "load requests", EXACT},
    {"gld_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "load sectors", EXACT},
    {"gst_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
     "store requests", EXACT},
    {"gst_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     "store sectors", EXACT},
    {NULL, NULL, NULL, EXACT}};
static const figure shared_figures[] = {
    {"shared_ld_inst", "smsp__inst_executed_op_shared_ld.sum", "loads",
     COMPILE},
    {"shared_ld_wavefronts",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "load wavefronts",
     NOISE},
    {"shared_ld_conflicts",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
     "load conflicts", NOISE},
    {"shared_st_inst", "smsp__inst_executed_op_shared_st.sum", "stores",
     COMPILE},
    {"shared_st_wavefronts",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "store wavefronts",
     NOISE},
    {"shared_st_conflicts",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
     "store conflicts", NOISE},
    {NULL, NULL, NULL, EXACT}};
static const figure cache_figures[] = {
    {"gld_sectors_l1_hit",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
     "L1 load hits", NEAR},
    {"l2_sectors_read", "lts__t_sectors_op_read.sum", "L2 reads", NEAR},
    {"l2_sectors_write", "lts__t_sectors_op_write.sum", "L2 writes", NEAR},
    {"l2_sectors_atom", "lts__t_sectors_op_atom.sum", "L2 atom", NEAR},
    {"l2_sectors_red", "lts__t_sectors_op_red.sum", "L2 red", NEAR},
    {"dram_read_bytes", "dram__bytes_read.sum", "DRAM read bytes", NEAR},
    {"dram_write_bytes", "dram__bytes_write.sum", "DRAM written bytes", NEAR},
    {NULL, NULL, NULL, EXACT}};
static const figure code_figures[] = {
    {"warp_inst", "smsp__inst_executed.sum", "warp instructions", COMPILE},
    {"threads_per_inst", "smsp__thread_inst_executed_per_inst_executed.ratio",
     "threads of one", COMPILE},
    {"branch_inst", "smsp__inst_executed_op_branch.sum", "branches", COMPILE},
    {"branch_targets_divergent",
     "smsp__sass_branch_targets_threads_divergent.sum", "divergent", COMPILE},
    {NULL, NULL, NULL, EXACT}};
static const figure *const tables[] = {global_figures, shared_figures,
                                       cache_figures, code_figures};
enum { TABLES = sizeof tables / sizeof *tables };

/* ---- what the real device counted ---- */

typedef struct {
    char *cell[COLUMNS];
    char text[LINE];
} csv_row;

static csv_row heading, rows[160];
static size_t row_count;

static bool
split(csv_row *r)
{
    char *at = r->text;
    for (int i = 0; i < COLUMNS; i++) {
        r->cell[i] = at;
        at += strcspn(at, ",\r\n");
        if (!*at)
            return i == COLUMNS - 1;
        *at++ = 0;
    }
    return true;
}

static bool
read_truth(void)
{
    FILE *f = fopen("tests/data/h200_counters.csv", "r");
    if (!f)
        return false;
    bool ok = fgets(heading.text, LINE, f) && split(&heading);
    while (ok && row_count < 160 && fgets(rows[row_count].text, LINE, f))
        ok = split(&rows[row_count++]);
    fclose(f);
    return ok && row_count > 0;
}

static double
truth_of(const csv_row *r, const char *column)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(heading.cell[i], column) == 0)
            return strtod(r->cell[i], NULL);
    return NAN;
}

static const csv_row *
find_row(const char *name)
{
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].cell[0], name) == 0)
            return &rows[i];
    return NULL;
}

/* ---- comparing ---- */

static double
ours_of(const sw_counters *c, const figure *f)
{
    double v;
    const sw_metric *m = sw_metric_find(SW_ERA_NCU, f->metric);
    return m && sw_metric_value(m, sw_counters_launch(c), sw_counters_total(c),
                                sw_counters_scale(c), false, &v)
               ? v
               : (double)NAN;
}

/* An empty kernel already moves some: its instructions and parameters; and L2
 * writes a little of what it could keep. */
enum { OVERHEAD_SECTORS = 4096, OVERHEAD_BYTES = 262144 };

static bool
agrees(const figure *f, double truth, double ours)
{
    double apart = fabs(truth - ours);
    double overhead =
        strstr(f->column, "bytes") ? OVERHEAD_BYTES : OVERHEAD_SECTORS;
    switch (f->demand) {
    case NOISE:
        /* Where many warps wait the device counts up to a tenth more. */
        return apart <= 1e-9 * ours ||
               (truth > ours && apart <= 0.1 * truth + 512) ||
               (truth > ours && strstr(f->column, "conflicts"));
    case NEAR:
        return apart <= 0.1 * truth || apart <= overhead;
    case COMPILE:
        return true;
    default:
        return apart < 0.5;
    }
}

static char **wanted;
static int wanted_count;

static bool
is_wanted(const char *name)
{
    if (!wanted_count)
        return true;
    for (int i = 0; i < wanted_count; i++) {
        size_t n = strlen(wanted[i]);
        bool any = n && wanted[i][n - 1] == '*';
        if (any ? strncmp(wanted[i], name, n - 1) == 0
                : strcmp(wanted[i], name) == 0)
            return true;
    }
    return false;
}

/* ---- the test ---- */

static int
check(const truth_case *cases, size_t count, const sw_device_info *device)
{
    unsigned passed = 0, failed = 0;
    for (size_t i = 0; i < count; i++) {
        const csv_row *r = find_row(cases[i].name);
        if (!is_wanted(cases[i].name))
            continue;
        uint32_t regs = r ? (uint32_t)truth_of(r, "regs_per_thread") : 0;
        sw_counters *c = r ? truth_run(&cases[i], device, regs, 1) : NULL;
        bool ok = c != NULL;
        for (size_t t = 0; c && t < TABLES; t++)
            for (const figure *f = tables[t]; f->column; f++) {
                double truth = truth_of(r, f->column), ours = ours_of(c, f);
                if (agrees(f, truth, ours))
                    continue;
                printf("%s: %s is %.0f, on an H200 %.0f\n", cases[i].name,
                       f->metric, ours, truth);
                ok = false;
            }
        *(ok ? &passed : &failed) += 1;
        sw_counters_destroy(c);
    }
    printf("unit/counters_truth: %u passed, %u failed\n", passed, failed);
    return failed || !passed;
}

/* Nothing is asked of the numbers but that they are the same. */
static int
engines(const truth_case *cases, size_t count, const sw_device_info *device)
{
    unsigned passed = 0, failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_wanted(cases[i].name))
            continue;
        sw_counters *a = truth_count(&cases[i], device, false);
        sw_counters *b = truth_count(&cases[i], device, true);
        bool ok = a && b && are_same_counts(a, b, true);
        if (!ok)
            printf("%s: compiled code counts otherwise\n", cases[i].name);
        *(ok ? &passed : &failed) += 1;
        sw_counters_destroy(a);
        sw_counters_destroy(b);
    }
    printf("unit/counters_engines: %u passed, %u failed\n", passed, failed);
    return failed || !passed;
}

/* ---- the table ---- */

typedef struct {
    bool is_run;
    uint32_t sample;
    double ours[TABLES][8];
} result;

static void
print_cell(const figure *f, double truth, double ours)
{
    if (isnan(ours))
        printf(" %.0f / . |", truth);
    else if (fabs(truth - ours) < 0.5)
        printf(" %.0f |", truth);
    else if (f->demand == COMPILE && truth < 100 && ours < 100)
        printf(" %.1f / %.1f |", truth, ours);
    else
        printf(" %.0f / %.0f%s |", truth, ours,
               agrees(f, truth, ours) ? "" : " **!**");
}

static void
print_table(size_t t, const truth_case *cases, size_t count,
            const result *results)
{
    printf("| case |");
    for (const figure *f = tables[t]; f->column; f++)
        printf(" %s |", f->head);
    printf("\n|---|");
    for (const figure *f = tables[t]; f->column; f++)
        printf("---|");
    printf("\n");
    for (size_t i = 0; i < count; i++) {
        const csv_row *r = find_row(cases[i].name);
        bool any = false;
        int k = 0;
        for (const figure *f = tables[t]; f->column; f++, k++)
            any |= truth_of(r, f->column) > 0 || results[i].ours[t][k] > 0;
        if (!any || !results[i].is_run)
            continue;
        printf("| %s", cases[i].name);
        if (results[i].sample > 1)
            printf(" (1/%u)", results[i].sample);
        printf(" |");
        k = 0;
        for (const figure *f = tables[t]; f->column; f++, k++)
            print_cell(f, truth_of(r, f->column), results[i].ours[t][k]);
        printf("\n");
    }
}

/* Cases where the figures of a table agree. */
static void
print_score(size_t t, const truth_case *cases, size_t count,
            const result *results)
{
    unsigned same = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        const csv_row *r = find_row(cases[i].name);
        bool ok = true, any = false;
        int k = 0;
        for (const figure *f = tables[t]; f->column; f++, k++) {
            double ours = results[i].ours[t][k];
            if (isnan(ours) || !results[i].is_run)
                continue;
            any |= truth_of(r, f->column) > 0 || ours > 0;
            ok &= agrees(f, truth_of(r, f->column), ours);
        }
        all += any;
        same += any && ok;
    }
    printf("%u of %u cases agree.\n\n", same, all);
}

static void
print_file(const char *path)
{
    char line[LINE];
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        fputs(line, stdout);
    if (f)
        fclose(f);
}

static const char *const titles[TABLES] = {
    "Global memory: requests and sectors", "Shared memory",
    "Caches and device memory", "Instructions"};

static int
table(const truth_case *cases, size_t count, const sw_device_info *device,
      double most)
{
    result *results = sw_alloc(count * sizeof *results);
    for (size_t i = 0; i < count; i++) {
        const csv_row *r = find_row(cases[i].name);
        if (!r || !is_wanted(cases[i].name))
            continue;
        double threads = truth_of(r, "thread_inst");
        double blocks = (double)cases[i].grid[0] * cases[i].grid[1];
        double sample = ceil(threads / most);
        results[i].sample = (uint32_t)(sample < blocks ? sample : blocks);
        fprintf(stderr, "%s\n", cases[i].name);
        sw_counters *c = truth_run(&cases[i], device,
                                   (uint32_t)truth_of(r, "regs_per_thread"),
                                   results[i].sample);
        results[i].is_run = c != NULL;
        for (size_t t = 0; c && t < TABLES; t++)
            for (int k = 0; tables[t][k].column; k++)
                results[i].ours[t][k] = ours_of(c, &tables[t][k]);
        sw_counters_destroy(c);
    }
    print_file("tests/truth/counters_head.md");
    for (size_t t = 0; t < TABLES; t++) {
        printf("\n### %s\n\n", titles[t]);
        if (tables[t] != code_figures)
            print_score(t, cases, count, results);
        print_table(t, cases, count, results);
    }
    sw_free(results);
    return 0;
}

/* ---- what counting costs ---- */

/* Interpreted and compiled, each plain, with counters, with caches. The last
 * of them is interpreted in any case. */
static int
cost(const truth_case *cases, size_t count, const sw_device_info *device)
{
    enum { WAYS = 5 };
    static const struct {
        truth_how how;
        bool compiled;
    } ways[WAYS] = {{TRUTH_PLAIN, false},
                    {TRUTH_COUNTERS, false},
                    {TRUTH_CACHES, false},
                    {TRUTH_PLAIN, true},
                    {TRUTH_COUNTERS, true}};
    printf("%-24s %9s %9s %9s %9s %9s\n", "case", "plain, s", "counters",
           "+ caches", "jit, s", "counters");
    for (size_t i = 0; i < count; i++) {
        double best[WAYS];
        if (!is_wanted(cases[i].name))
            continue;
        for (int round = 0; round < 3; round++)
            for (int k = 0; k < WAYS; k++) {
                double s = truth_cost(&cases[i], device, ways[k].how,
                                      ways[k].compiled);
                if (s < 0)
                    return 1;
                best[k] = round && best[k] < s ? best[k] : s;
            }
        printf("%-24s %9.3f %8.2fx %8.2fx %9.4f %8.2fx\n", cases[i].name,
               best[0], best[1] / best[0], best[2] / best[0], best[3],
               best[4] / best[3]);
    }
    return 0;
}

int
main(int argc, char **argv)
{
    double most = 2e9;
    int at = 2;
    if (argc < 2 || (strcmp(argv[1], "table") && strcmp(argv[1], "check") &&
                     strcmp(argv[1], "cost") && strcmp(argv[1], "engines") &&
                     strcmp(argv[1], "ladder"))) {
        fprintf(stderr, "usage: counters_truth table|check|engines|cost|ladder "
                        "[--most N] [CASE...]\n");
        return 2;
    }
    if (argc > 3 && strcmp(argv[2], "--most") == 0) {
        most = strtod(argv[3], NULL);
        at = 4;
    }
    wanted = argv + at;
    wanted_count = argc - at;
    size_t count = 0;
    const sw_device_info *device = sw_device_find("H200 SXM 141 GB");
    const truth_case *cases = truth_cases(is_wanted, &count);
    if (strcmp(argv[1], "engines") == 0) {
        setenv("SOFTWARP_ENGINE", "jit", 1);
        setenv("SOFTWARP_CACHE", "0", 1);
    }
    if (!device || !cases || !read_truth() || !truth_load()) {
        fprintf(stderr, "counters_truth: run it where tests/data is, with 2 "
                        "GB of memory\n");
        return 2;
    }
    if (strcmp(argv[1], "table") == 0)
        return table(cases, count, device, most);
    if (strcmp(argv[1], "ladder") == 0)
        return truth_ladder(cases, count);
    if (strcmp(argv[1], "engines") == 0)
        return engines(cases, count, device);
    return strcmp(argv[1], "cost") == 0 ? cost(cases, count, device)
                                        : check(cases, count, device);
}
