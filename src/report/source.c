/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - counters beside each line of the CUDA source, and each PTX
 * instruction. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/lines.h"
#include "report/report.h"
#include "report/times.h"

/* The columns, of raw counts: what fits beside a line. */
typedef struct {
    double inst, percent, threads; /* of the launch; a warp's of 32 */
    double loads, stores;          /* traffic of global memory, in pieces */
    double conflicts, divergent;
} figures;

static double
traffic(const sw_count_mem *m, bool by_sectors)
{
    return (double)(by_sectors ? m->sectors : m->transactions);
}

static figures
figures_of(const sw_counts *n, double all_inst, double scale, bool by_sectors)
{
    const sw_count_mem *m = n->mem;
    figures f = {
        .inst = (double)sw_counts_executed(n) * scale,
        .threads = n->inst ? (double)n->thread_on / (double)n->inst : 0,
        .loads = traffic(&m[SW_ACCESS_GLOBAL_LD], by_sectors),
        .stores = traffic(&m[SW_ACCESS_GLOBAL_ST], by_sectors),
        .conflicts = (double)sw_counts_conflicts(n) * scale,
        .divergent = (double)n->divergent * scale,
    };
    f.loads =
        (f.loads + traffic(&m[SW_ACCESS_GLOBAL_ATOM], by_sectors)) * scale;
    f.stores =
        (f.stores + traffic(&m[SW_ACCESS_GLOBAL_RED], by_sectors)) * scale;
    f.percent =
        all_inst > 0 ? 100 * (double)sw_counts_executed(n) / all_inst : 0;
    return f;
}

static void
print_number(double value, sw_buf *out)
{
    if (value > 0)
        sw_buf_printf(out, "%12.0f", value);
    else
        sw_buf_printf(out, "%12s", ".");
}

static void
print_figures(const figures *f, bool csv, sw_buf *out)
{
    if (csv) {
        sw_buf_printf(out, "%.0f,%.4f,%.4f,%.0f,%.0f,%.0f,%.0f,", f->inst,
                      f->percent, f->threads, f->loads, f->stores, f->conflicts,
                      f->divergent);
        return;
    }
    print_number(f->inst, out);
    sw_buf_printf(out, " %6.2f%% %7.2f", f->percent, f->threads);
    print_number(f->loads, out);
    print_number(f->stores, out);
    print_number(f->conflicts, out);
    print_number(f->divergent, out);
}

static void
print_head(const char *what, bool by_sectors, sw_buf *out)
{
    sw_buf_printf(out, "%12s %7s %7s%12s%12s%12s%12s  %s\n", "Warp inst", "",
                  "Threads", by_sectors ? "Ld sectors" : "Ld transact",
                  by_sectors ? "St sectors" : "St transact", "Conflicts",
                  "Divergent", what);
}

/* In the CSV form both tables have the same columns. */
static void
print_row(const sw_report_options *o, const sw_profile_launch *l,
          const figures *f, const char *file, uint32_t line, uint32_t ptx_line,
          const char *text, sw_buf *out)
{
    if (o->csv) {
        sw_report_csv_text(l->name, out);
        sw_buf_puts(out, ",");
    }
    print_figures(f, o->csv, out);
    if (o->csv) {
        sw_report_csv_text(file, out);
        sw_buf_printf(out, ",%u,%u,", line, ptx_line);
        sw_report_csv_text(text, out);
        sw_buf_puts(out, "\n");
    } else if (ptx_line) {
        sw_buf_printf(out, "  %5u %5u  %s\n", ptx_line, line, text);
    } else {
        sw_buf_printf(out, "  %5u  %s\n", line, text);
    }
}

static void
print_source(const sw_profile *p, const sw_report_options *o,
             const sw_profile_group *g, bool by_sectors, double all,
             sw_buf *out)
{
    const sw_profile_launch *l = sw_profile_first(p, g);
    sw_vec lines;
    sw_vec_init(&lines, sizeof(sw_report_line));
    sw_report_lines(g, &lines);
    const char *file = NULL;
    const sw_report_text *text = NULL;
    SW_PROFILE_EACH (const sw_report_line, r, &lines) {
        if (!r->line)
            continue;
        if (!file || strcmp(file, r->file) != 0) {
            file = r->file;
            text = sw_report_read_text(p, l->process, file);
            if (!o->csv) {
                sw_buf_printf(out, "%s%s\n", file,
                              text ? "" : " (cannot be read now)");
                print_head(" Line", by_sectors, out);
            }
        }
        figures f = figures_of(&r->counts, all, g->scale, by_sectors);
        bool has = text && r->line <= text->count;
        print_row(o, l, &f, file, r->line, 0,
                  has ? text->lines[r->line - 1] : "", out);
    }
    if (!file && !o->csv)
        sw_buf_puts(out, "No lines of the CUDA source are known: compile with "
                         "-lineinfo.\n");
    sw_vec_finish(&lines);
}

static void
print_ptx(const sw_profile *p, const sw_report_options *o,
          const sw_profile_group *g, bool by_sectors, double all, sw_buf *out)
{
    const sw_profile_launch *l = sw_profile_first(p, g);
    const char *function = NULL;
    SW_PROFILE_EACH (const sw_record_row, r, &g->rows) {
        if (!o->csv && (!function || strcmp(function, r->function) != 0)) {
            sw_buf_printf(out, "Instructions of %s\n", r->function);
            print_head("  PTX  Line", by_sectors, out);
        }
        function = r->function;
        figures f = figures_of(r->counts, all, g->scale, by_sectors);
        char text[512];
        sw_report_instruction(r->text, text, sizeof text);
        print_row(o, l, &f, r->source, r->source_line, r->ptx_line, text, out);
    }
}

void
sw_report_source(const sw_profile *p, const sw_report_options *o, sw_buf *out)
{
    bool any = false;
    if (o->csv)
        sw_buf_puts(out,
                    "\"Kernel\",\"Warp instructions\",\"Percent\",\"Threads a "
                    "warp\",\"Load pieces\",\"Store pieces\",\"Bank conflicts"
                    "\",\"Divergent branches\",\"File\",\"Line\",\"PTX line\","
                    "\"Text\"\n");
    SW_PROFILE_EACH (const sw_profile_group, g, &p->groups) {
        const sw_profile_launch *l = sw_profile_first(p, g);
        if (!g->rows.count)
            continue;
        any = true;
        bool by_sectors = l->device->cc >= 50;
        if (!o->csv)
            sw_buf_printf(out,
                          "\n%s <<<(%u,%u,%u),(%u,%u,%u)>>>, %u of %u launches "
                          "counted%s\n",
                          l->name, l->r.grid_x, l->r.grid_y, l->r.grid_z,
                          l->r.block_x, l->r.block_y, l->r.block_z,
                          g->counted_launches, g->launches,
                          g->scale > 1 ? ", some blocks of each" : "");
        if (!o->csv)
            sw_report_line_times(p, g, out);
        double all = (double)sw_counts_executed(&g->counts);
        print_source(p, o, g, by_sectors, all, out);
        print_ptx(p, o, g, by_sectors, all, out);
    }
    if (!any && !o->csv)
        sw_buf_puts(out, "No launch was counted.\n");
}
