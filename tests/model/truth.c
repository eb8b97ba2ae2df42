/* SPDX-License-Identifier: Apache-2.0 */
/*
 * truth.c - the model of time beside an H200: plays the launches of
 * truth/cases.h as on that device and compares with what a real one took
 * (tests/data/h200_counters.csv: ncu, caches flushed before each launch).
 *
 *     model_truth table [--set NAME=NUMBER...] [CASE...]   every figure
 *     model_truth csv [CASE...]     case,measured_ns,predicted_ns
 *     ... [--device NAME]           as another device would take, beside the
 *                                   same H200
 *     model_truth check CASE...     a test of these cases
 *
 * A * at the end of a case stands for any ending.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/occupancy.h"
#include "mach/registers.h"
#include "model/recorder.h"
#include "truth/run.h"

enum { COLUMNS = 41, LINE = 1024, ROWS = 160, SETTINGS = 32 };

typedef struct {
    char *cell[COLUMNS];
    char text[LINE];
} csv_row;

static csv_row heading, rows[ROWS];
static size_t row_count;
static char **wanted;
static int wanted_count;
static const char *settings[SETTINGS];
static int setting_count;
static const char *device_name = "NVIDIA H200";

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
    while (ok && row_count < ROWS && fgets(rows[row_count].text, LINE, f))
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

static bool
is_wanted(const char *name)
{
    for (int i = 0; i < wanted_count; i++) {
        size_t n = strlen(wanted[i]);
        bool any = n && wanted[i][n - 1] == '*';
        if (any ? strncmp(wanted[i], name, n - 1) == 0
                : strcmp(wanted[i], name) == 0)
            return true;
    }
    return !wanted_count;
}

/* ---- one case ---- */

typedef struct {
    const truth_case *c;
    uint32_t sample, regs;
    sw_recorder *recorder;
} running;

static const sw_observer *
make(void *arg, const sw_fn *fn, const sw_program_info *info)
{
    running *r = arg;
    sw_seen about = {.fn = fn,
                     .shared_bytes = info->static_shared_bytes,
                     .registers = r->regs,
                     .sample = r->sample,
                     .ins_count = info->ins_count};
    memcpy(about.grid, r->c->grid, sizeof about.grid);
    memcpy(about.block, r->c->block, sizeof about.block);
    const sw_device_info *device = sw_device_find(device_name);
    if (device->cc != 90) { /* other registers than the H200's */
        sw_registers_target target = {
            .cc = device->cc,
            .full = sw_occ_full_registers(sw_device_limits((int)device->cc))};
        about.registers = sw_registers_estimate(fn, &target).registers;
    }
    about.blocks = (uint64_t)about.grid[0] * about.grid[1] * about.grid[2];
    r->recorder = sw_recorder_create(&about);
    return sw_recorder_observer(r->recorder);
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct {
    sw_times times;
    double traced, played; /* seconds of processor time */
    uint32_t sample;
} outcome;

static bool
predict(const truth_case *c, const csv_row *row, outcome *out)
{
    sw_machine machine = sw_machine_of(sw_device_find(device_name));
    running r = {.c = c, .regs = (uint32_t)truth_of(row, "regs_per_thread")};
    uint64_t blocks = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
    uint32_t warps = (c->block[0] * c->block[1] * c->block[2] + 31) / 32;
    for (int i = 0; i < setting_count; i++)
        if (!sw_machine_set(&machine, settings[i], NULL)) {
            printf("cannot set %s\n", settings[i]);
            return false;
        }
    double each = truth_of(row, "warp_inst") / ((double)blocks * warps);
    r.sample = out->sample =
        sw_model_sample(machine.device, blocks, warps, each, SW_MODEL_TRACED);
    double start = now();
    uint32_t events = SW_EV_BLOCK | SW_EV_INS | SW_EV_MEM | SW_EV_TEX;
    if (!truth_observe(c, machine.device, events, r.sample, make, &r)) {
        sw_recorder_destroy(r.recorder);
        return false;
    }
    out->traced = now() - start;
    start = now();
    sw_machine_divide(&machine, r.sample);
    sw_play_options options = {.budget = 4000000};
    out->times =
        sw_model_play(sw_recorder_finish(r.recorder), &machine, &options);
    out->played = now() - start;
    sw_recorder_destroy(r.recorder);
    return out->times.status == SW_OK;
}

/* ---- all of them ---- */

typedef struct {
    double error[ROWS], instructions;
    double measured[ROWS], predicted[ROWS];
    int count;
} sums;

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Spearman's. */
static double
rank_correlation(const sums *s)
{
    double d2 = 0, n = s->count;
    for (int i = 0; i < s->count; i++) {
        double a = 0, b = 0;
        for (int k = 0; k < s->count; k++) {
            a += s->measured[k] < s->measured[i];
            b += s->predicted[k] < s->predicted[i];
        }
        d2 += (a - b) * (a - b);
    }
    return n > 1 ? 1 - 6 * d2 / (n * (n * n - 1)) : 1;
}

static double
percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void
print_row(const truth_case *c, const csv_row *row, const outcome *o,
          double measured)
{
    const sw_times *t = &o->times;
    int most = 0;
    for (int i = 0; i < SW_STALL_COUNT; i++)
        if (t->stalls[i] > t->stalls[most])
            most = i;
    printf("%-24s %10.0f %10.0f %+6.1f%% ins %.2f L1 %3.0f/%-3.0f dram "
           "%4.2f occ %3.0f/%-3.0f 1/%-3u %.1f+%.1fs %s%s%s; %s %.0f%%\n",
           c->name, measured, t->ns, 100 * (t->ns / measured - 1),
           t->instructions / truth_of(row, "warp_inst"),
           percent(t->l1_hits, t->l1_sectors),
           percent(truth_of(row, "gld_sectors_l1_hit"),
                   truth_of(row, "gld_sectors")),
           t->dram_bytes / (truth_of(row, "dram_read_bytes") +
                            truth_of(row, "dram_write_bytes")),
           100 * t->occupancy, truth_of(row, "achieved_occupancy_pct"),
           o->sample, o->traced, o->played, sw_limiter_text(t->limiter),
           t->limiter == SW_LIMIT_PIPE ? " " : "",
           t->limiter == SW_LIMIT_PIPE ? sw_pipe_text(t->pipe) : "",
           sw_stall_text((sw_stall)most), 100 * t->stalls[most]);
    fflush(stdout);
}

static void
print_sums(sums *s)
{
    double mean = 0, instructions = s->instructions / s->count;
    qsort(s->error, (size_t)s->count, sizeof *s->error, compare);
    for (int i = 0; i < s->count; i++)
        mean += s->error[i] / s->count;
    printf("%d cases: MAPE %.1f %%, median %.1f %%, P90 %.1f %%, worst %.1f "
           "%%, rank correlation %.3f; instructions %.1f %%\n",
           s->count, mean, s->error[s->count / 2], s->error[s->count * 9 / 10],
           s->error[s->count - 1], rank_correlation(s), 100 * instructions);
}

static int
run_all(bool is_csv, double most)
{
    static sums s;
    size_t count = 0;
    int failed = 0;
    const truth_case *cases = truth_cases(is_wanted, &count);
    if (!cases || !truth_load())
        return 1;
    for (size_t i = 0; i < count; i++) {
        const csv_row *row = find_row(cases[i].name);
        outcome o = {.sample = 1};
        if (!row || !is_wanted(cases[i].name))
            continue;
        double measured = truth_of(row, "time_ns");
        if (!predict(&cases[i], row, &o)) {
            printf("%s: cannot be played\n", cases[i].name);
            failed++;
            continue;
        }
        if (is_csv)
            printf("%s,%.0f,%.0f\n", cases[i].name, measured, o.times.ns);
        else
            print_row(&cases[i], row, &o, measured);
        s.measured[s.count] = measured;
        s.predicted[s.count] = o.times.ns;
        s.error[s.count++] = 100 * fabs(o.times.ns / measured - 1);
        failed += s.error[s.count - 1] > most;
        s.instructions +=
            fabs(o.times.instructions / truth_of(row, "warp_inst") - 1);
    }
    if (!is_csv && s.count)
        print_sums(&s);
    if (most < INFINITY)
        printf("unit/model_truth: %d passed, %d failed\n", s.count - failed,
               failed);
    return failed || !s.count;
}

int
main(int argc, char **argv)
{
    int at = 2;
    if (argc < 2 || !read_truth()) {
        printf("usage: model_truth table|csv|check [--set NAME=NUMBER...] "
               "[CASE...], in the tree's root\n");
        return 2;
    }
    for (; at + 1 < argc && !strncmp(argv[at], "--", 2); at += 2)
        if (!strcmp(argv[at], "--device"))
            device_name = argv[at + 1];
        else if (setting_count < SETTINGS)
            settings[setting_count++] = argv[at + 1];
    if (!sw_device_find(device_name)) {
        printf("no device %s\n", device_name);
        return 2;
    }
    wanted = argv + at;
    wanted_count = argc - at;
    return run_all(!strcmp(argv[1], "csv"),
                   !strcmp(argv[1], "check") ? 30 : (double)INFINITY);
}
