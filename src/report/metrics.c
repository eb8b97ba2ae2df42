/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - which metrics are meant, and their table by kernel. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

static bool
is_picked(const sw_vec *picked, const sw_metric *m)
{
    for (size_t i = 0; i < picked->count; i++)
        if (*(const sw_metric **)sw_vec_at(picked, i) == m)
            return true;
    return false;
}

static void
pick(sw_vec *picked, const sw_metric *m)
{
    if (!is_picked(picked, m))
        *(const sw_metric **)sw_vec_push(picked) = m;
}

/* All that this capability's profiler has and we know. */
static bool
pick_pattern(const char *pattern, uint32_t cc, sw_vec *picked)
{
    bool found = false;
    for (size_t i = 0; i < sw_metric_count(); i++) {
        const sw_metric *m = sw_metric_at(i);
        if (m->missing || !sw_metric_applies(m, cc) ||
            fnmatch(pattern, m->name, 0) != 0)
            continue;
        pick(picked, m);
        found = true;
    }
    return found;
}

static bool
pick_one(const char *name, uint32_t cc, sw_vec *picked, sw_diag *diag)
{
    if (strcmp(name, "all") == 0)
        return pick_pattern("*", cc, picked);
    if (strchr(name, '*') && pick_pattern(name, cc, picked))
        return true;
    const sw_metric *m = sw_metric_find(sw_era_of(cc), name);
    if (!m)
        m = sw_metric_find(SW_ERA_COUNT, name);
    if (m && !m->missing && sw_metric_applies(m, cc)) {
        pick(picked, m);
        return true;
    }
    sw_buf near;
    sw_buf_init(&near);
    if (m && m->missing)
        sw_diag_add(diag, SW_DIAG_ERROR, "", 0, 0, "%s is not counted: %s",
                    name, m->missing);
    else if (m)
        sw_diag_add(diag, SW_DIAG_ERROR, "", 0, 0,
                    "%s is a figure of compute capabilities %u.%u to %u.%u; "
                    "this device has %u.%u (see --list-metrics, --device)",
                    name, m->from / 10, m->from % 10, m->to / 10, m->to % 10,
                    cc / 10, cc % 10);
    else
        sw_metric_near(name, 3, &near);
    if (!m)
        sw_diag_add(diag, SW_DIAG_ERROR, "", 0, 0, "there is no metric %s%s%s",
                    name, near.n ? "; did you mean " : "; see --list-metrics",
                    near.n ? near.p : "");
    sw_buf_finish(&near);
    return false;
}

bool
sw_report_pick(const char *names, uint32_t cc, sw_vec *picked, sw_diag *diag)
{
    bool good = true;
    while (*names) {
        size_t n = strcspn(names, ",");
        sw_buf name;
        sw_buf_init(&name);
        sw_buf_add(&name, names, n);
        if (n)
            good &= pick_one(name.p, cc, picked, diag);
        sw_buf_finish(&name);
        names += n + (names[n] == ',');
    }
    return good;
}

void
sw_report_usual_metrics(uint32_t cc, sw_vec *picked)
{
    static const char *const usual[SW_ERA_COUNT][13] = {
        [SW_ERA_TEXT] = {"instructions", "divergent_branch", "gld_coherent",
                         "gld_incoherent", "gst_coherent", "gst_incoherent",
                         "gld_128b", "gld_64b", "gld_32b", "gst_128b",
                         "gst_64b", "gst_32b", "warp_serialize"},
        [SW_ERA_NVPROF] = {"inst_executed", "gld_transactions",
                           "gst_transactions", "gld_efficiency",
                           "gst_efficiency", "shared_efficiency",
                           "branch_efficiency", "warp_execution_efficiency"},
        [SW_ERA_NCU] =
            {"smsp__inst_executed.sum",
             "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
             "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
             "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
             "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
             "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
             "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
             "smsp__sass_average_branch_targets_threads_uniform.pct",
             "smsp__thread_inst_executed_per_inst_executed.ratio"},
    };
    sw_era era = sw_era_of(cc);
    for (size_t i = 0; i < 13 && usual[era][i]; i++) {
        const sw_metric *m = sw_metric_find(era, usual[era][i]);
        if (m && !m->missing && sw_metric_applies(m, cc))
            pick(picked, m);
    }
}

void
sw_report_list_metrics(uint32_t cc, sw_buf *out)
{
    for (size_t i = 0; i < sw_metric_count(); i++) {
        const sw_metric *m = sw_metric_at(i);
        if (!sw_metric_applies(m, cc))
            continue;
        sw_buf_printf(out, "%s\n    %s", m->name, m->text);
        if (m->missing)
            sw_buf_printf(out, " (not counted: %s)", m->missing);
        sw_buf_puts(out, "\n");
    }
}

/* ---- the table ---- */

/* Of one metric over the launches of one kernel. */
typedef struct {
    uint64_t count;
    double least, most, sum;
} range;

static bool
is_same(const sw_profile_launch *a, const sw_profile_launch *b)
{
    return a->device == b->device && strcmp(a->name, b->name) == 0;
}

static range
measure(const sw_profile *p, const sw_profile_launch *like, const sw_metric *m)
{
    range r = {0};
    SW_PROFILE_EACH (const sw_profile_launch, l, &p->launches) {
        double value;
        if (!is_same(l, like) || !sw_report_launch_value(m, l, &value))
            continue;
        r.least = !r.count || value < r.least ? value : r.least;
        r.most = !r.count || value > r.most ? value : r.most;
        r.sum += value;
        r.count++;
    }
    return r;
}

/* It is the first counted launch of its kernel. */
static bool
is_first(const sw_profile *p, const sw_profile_launch *like)
{
    if (!like->counted)
        return false;
    SW_PROFILE_EACH (const sw_profile_launch, l, &p->launches) {
        if (l == like)
            return true;
        if (l->counted && is_same(l, like))
            return false;
    }
    return true;
}

static void
print_metric(const sw_report_options *o, const sw_profile_launch *l,
             const sw_metric *m, const range *r, int width, sw_buf *out)
{
    char a[32], b[32], c[32];
    if (!o->csv) {
        sw_buf_printf(out, "%11llu  %-*s %15s %15s %15s\n",
                      (unsigned long long)r->count, width, m->name,
                      sw_report_value(m, r->least, a),
                      sw_report_value(m, r->most, b),
                      sw_report_value(m, r->sum / (double)r->count, c));
        return;
    }
    sw_report_csv_text(l->device->name, out);
    sw_buf_puts(out, ",");
    sw_report_csv_text(o->full_names ? l->name : l->r.kernel, out);
    sw_buf_printf(out, ",%llu,\"%s\",", (unsigned long long)r->count, m->name);
    sw_report_csv_text(m->text, out);
    sw_buf_printf(out, ",%.10g,%.10g,%.10g\n", r->least, r->most,
                  r->sum / (double)r->count);
}

static void
print_kernel(const sw_profile *p, const sw_report_options *o,
             const sw_vec *metrics, const sw_profile_launch *l, int width,
             sw_buf *out)
{
    if (!o->csv)
        sw_buf_printf(out, "    Kernel: %s\n", l->name);
    size_t printed = 0;
    for (size_t i = 0; i < metrics->count; i++) {
        const sw_metric *m = *(const sw_metric **)sw_vec_at(metrics, i);
        range r = measure(p, l, m);
        if (!r.count)
            continue;
        print_metric(o, l, m, &r, width, out);
        printed++;
    }
    if (!o->csv && !printed)
        sw_buf_puts(out, "             none of these metrics has a value\n");
}

/* Of the column of names; without a choice, of the longest that is usual. */
static int
name_width(const sw_vec *metrics)
{
    int width = metrics ? 20 : 58;
    for (size_t i = 0; metrics && i < metrics->count; i++) {
        const sw_metric *m = *(const sw_metric **)sw_vec_at(metrics, i);
        int n = (int)strlen(m->name);
        width = n > width ? n : width;
    }
    return width;
}

void
sw_report_metrics(const sw_profile *p, const sw_report_options *o, sw_buf *out)
{
    int width = name_width(o->metrics);
    const char *device = NULL;
    sw_buf_printf(out, o->csv ? "%s\n" : "%11s  %-62s %15s %15s %15s\n",
                  o->csv ? "\"Device\",\"Kernel\",\"Invocations\",\"Metric "
                           "Name\",\"Metric Description\",\"Min\",\"Max\","
                           "\"Avg\""
                         : "Invocations",
                  "Metric Name", "Min", "Max", "Avg");
    SW_PROFILE_EACH (const sw_profile_launch, l, &p->launches) {
        if (!is_first(p, l))
            continue;
        if (!o->csv && (!device || strcmp(device, l->device->name) != 0))
            sw_buf_printf(out, "Device \"%s (%u)\"\n", l->device->name,
                          l->r.device);
        device = l->device->name;
        sw_vec usual;
        sw_vec_init(&usual, sizeof(const sw_metric *));
        if (!o->metrics)
            sw_report_usual_metrics(l->device->cc, &usual);
        print_kernel(p, o, o->metrics ? o->metrics : &usual, l, width, out);
        sw_vec_finish(&usual);
    }
    if (!device && !o->csv)
        sw_buf_puts(out, "             no launch was counted\n");
}
