/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callgrind.c - the callgrind format, for KCachegrind: cost of each line of the
 * source of each kernel. https://valgrind.org/docs/manual/cl-format.html
 */
#include <inttypes.h>
#include <string.h>

#include "report/lines.h"
#include "report/report.h"

enum { EVENTS = 6 };

static void
costs(const sw_counts *n, double scale, uint64_t out[EVENTS])
{
    const sw_count_mem *m = n->mem;
    const uint64_t raw[EVENTS] = {
        sw_counts_executed(n),
        n->thread_on,
        m[SW_ACCESS_GLOBAL_LD].sectors + m[SW_ACCESS_GLOBAL_ATOM].sectors,
        m[SW_ACCESS_GLOBAL_ST].sectors + m[SW_ACCESS_GLOBAL_RED].sectors,
        sw_counts_conflicts(n),
        n->divergent,
    };
    for (int i = 0; i < EVENTS; i++)
        out[i] = (uint64_t)((double)raw[i] * scale + 0.5);
}

static void
print_costs(uint32_t line, const uint64_t c[EVENTS], sw_buf *out)
{
    sw_buf_printf(out, "%u", line);
    for (int i = 0; i < EVENTS; i++)
        sw_buf_printf(out, " %" PRIu64, c[i]);
    sw_buf_puts(out, "\n");
}

/* The file of a function is that of its first line; lines of others follow fi=.
 * Code without line information is at line 0 of "???", as there. */
static void
print_group(const sw_profile *p, const sw_profile_group *g,
            uint64_t total[EVENTS], sw_buf *out)
{
    const sw_profile_launch *l = sw_profile_first(p, g);
    sw_vec lines;
    sw_vec_init(&lines, sizeof(sw_report_line));
    sw_report_lines(g, &lines);
    const char *file = NULL;
    SW_PROFILE_EACH (const sw_report_line, r, &lines) {
        const char *at = *r->file ? r->file : "???";
        if (!file)
            sw_buf_printf(out, "\nfl=%s\nfn=%s <<<(%u,%u,%u),(%u,%u,%u)>>>\n",
                          at, l->name, l->r.grid_x, l->r.grid_y, l->r.grid_z,
                          l->r.block_x, l->r.block_y, l->r.block_z);
        else if (strcmp(file, at) != 0)
            sw_buf_printf(out, "fi=%s\n", at);
        file = at;
        uint64_t c[EVENTS];
        costs(&r->counts, g->scale, c);
        print_costs(r->line, c, out);
        for (int i = 0; i < EVENTS; i++)
            total[i] += c[i];
    }
    sw_vec_finish(&lines);
}

void
sw_report_callgrind(const sw_profile *p, sw_buf *out)
{
    const sw_profile_process *first =
        p->processes.count ? sw_vec_at(&p->processes, 0) : NULL;
    uint64_t total[EVENTS] = {0};
    sw_buf_printf(out,
                  "# callgrind format\nversion: 1\ncreator: softwarp prof\n"
                  "cmd: %s\npositions: line\n"
                  "event: Wi : Warp instructions (PTX)\n"
                  "event: Ti : Thread instructions (PTX)\n"
                  "event: Ls : Sectors of global loads\n"
                  "event: Ss : Sectors of global stores\n"
                  "event: Bc : Bank conflicts of shared memory\n"
                  "event: Db : Divergent branches\n"
                  "events: Wi Ti Ls Ss Bc Db\n",
                  first ? first->r.command : "");
    SW_PROFILE_EACH (const sw_profile_group, g, &p->groups)
        if (g->rows.count)
            print_group(p, g, total, out);
    sw_buf_puts(out, "\ntotals:");
    for (int i = 0; i < EVENTS; i++)
        sw_buf_printf(out, " %" PRIu64, total[i]);
    sw_buf_puts(out, "\n");
}
