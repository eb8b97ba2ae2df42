/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy_plot.c - the three curves of an occupancy calculator, the launch
 * marked on each: as text, as SVG, as JSON.
 */
#include <stdio.h>
#include <string.h>

#include "occupancy.h"

enum { AXES = 3, TEXT_ROWS = 8, TEXT_COLUMNS = 64 };

typedef struct {
    const char *label; /* of the x axis */
    const char *key;   /* in JSON */
    sw_occupancy_point *points;
    size_t count;
    uint32_t x; /* of the launch */
    bool is_marked;
    uint32_t first, last; /* range of x */
    uint32_t tick;        /* distance of the labels */
} curve;

static void
read_curve(const occ_chart *chart, int axis, curve *c)
{
    static const char *const labels[AXES] = {"threads per block",
                                             "registers per thread",
                                             "shared memory per block, bytes"};
    static const char *const keys[AXES] = {"threads", "registers",
                                           "shared_memory"};
    const sw_occupancy_launch *l = &chart->launch;
    const uint32_t x[AXES] = {l->threads, l->registers,
                              l->static_smem + l->dynamic_smem};
    *c = (curve){.label = labels[axis], .key = keys[axis], .x = x[axis]};
    c->count =
        sw_occupancy_curve(chart->cc, l, (sw_occupancy_axis)axis, NULL, 0);
    c->points = sw_alloc(c->count * sizeof *c->points);
    sw_occupancy_curve(chart->cc, l, (sw_occupancy_axis)axis, c->points,
                       c->count);
    c->first = axis == SW_OCCUPANCY_OVER_SMEM ? 0 : c->points[0].x;
    c->last = c->points[c->count - 1].x;
    c->is_marked = c->x >= c->first && c->x <= c->last;
    for (c->tick = axis == SW_OCCUPANCY_OVER_SMEM ? 1024 : 8;
         c->last / c->tick > 8;)
        c->tick *= 2;
}

/* Warps of the first point at or after x: sizes are rounded up. */
static uint32_t
warps_at(const curve *c, uint32_t x)
{
    size_t i = 0;
    while (i + 1 < c->count && c->points[i].x < x)
        i++;
    return c->points[i].warps;
}

/* ---- text ---- */

static uint32_t
column_of(const curve *c, uint32_t x)
{
    uint32_t span = c->last - c->first;
    return span ? (uint32_t)((uint64_t)(x - c->first) * (TEXT_COLUMNS - 1) /
                             span)
                : 0;
}

static void
print_curve(const occ_chart *chart, const curve *c, sw_buf *out)
{
    uint32_t max = chart->result.max_warps;
    uint32_t values[TEXT_COLUMNS], mark = TEXT_COLUMNS;
    char ticks[TEXT_COLUMNS + 16];
    for (uint32_t i = 0; i < TEXT_COLUMNS; i++)
        values[i] = warps_at(
            c, c->first + (uint32_t)((uint64_t)i * (c->last - c->first) /
                                     (TEXT_COLUMNS - 1)));
    if (c->is_marked) {
        mark = column_of(c, c->x);
        values[mark] = chart->result.warps;
    }
    sw_buf_printf(out, "\nwarps over %s\n", c->label);
    for (uint32_t row = TEXT_ROWS; row > 0; row--) {
        sw_buf_printf(out, "  %3u |", (unsigned)(max * row / TEXT_ROWS));
        for (uint32_t i = 0; i < TEXT_COLUMNS; i++) {
            bool full = values[i] * TEXT_ROWS > (row - 1) * max;
            sw_buf_puts(out, i == mark ? (full ? "O" : ":") : full ? "#" : " ");
        }
        sw_buf_puts(out, "\n");
    }
    memset(ticks, ' ', sizeof ticks);
    sw_buf_puts(out, "      +");
    for (uint32_t i = 0; i < TEXT_COLUMNS; i++)
        sw_buf_puts(out, i == mark ? "^" : "-");
    sw_buf_puts(out, "\n       ");
    size_t end = 0, used = 0;
    for (uint32_t x = 0; x <= c->last; x += c->tick) {
        char number[16];
        size_t at = x < c->first ? 0 : column_of(c, x);
        if (x < c->first)
            continue;
        int n = snprintf(number, sizeof number, "%u", (unsigned)x);
        if (at < end || at + (size_t)n > sizeof ticks)
            continue;
        memcpy(ticks + at, number, (size_t)n);
        used = at + (size_t)n;
        end = used + 1;
    }
    sw_buf_add(out, ticks, used);
    sw_buf_puts(out, "\n");
}

void
occ_chart_text(const occ_chart *chart, sw_buf *out)
{
    for (int axis = 0; axis < AXES; axis++) {
        curve c;
        read_curve(chart, axis, &c);
        print_curve(chart, &c, out);
        sw_free(c.points);
    }
    sw_buf_puts(out, "\n  O and ^: this launch\n");
}

/* ---- SVG ---- */

enum {
    WIDTH = 720,
    PANEL = 210, /* height of one */
    HEAD = 60,
    LEFT = 64,
    RIGHT = 24,
    PLOT = 140 /* height of the plot in a panel */
};

static double
svg_x(const curve *c, uint32_t x)
{
    double span = c->last > c->first ? c->last - c->first : 1;
    return (double)LEFT +
           (double)(WIDTH - LEFT - RIGHT) * (x - c->first) / span;
}

static double
svg_y(const occ_chart *chart, double top, uint32_t warps)
{
    return top + (double)PLOT - (double)PLOT * warps / chart->result.max_warps;
}

static void
svg_text(sw_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            sw_buf_puts(out, "&lt;");
        else if (*text == '&')
            sw_buf_puts(out, "&amp;");
        else
            sw_buf_add(out, text, 1);
    }
}

static void
svg_axes(const occ_chart *chart, const curve *c, double top, sw_buf *out)
{
    uint32_t max = chart->result.max_warps;
    for (uint32_t quarter = 0; quarter <= 4; quarter++) {
        uint32_t warps = max * quarter / 4;
        double y = svg_y(chart, top, warps);
        sw_buf_printf(out,
                      "<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
                      "<text class=\"y\" x=\"%d\" y=\"%.1f\">%u</text>\n",
                      LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 4, (unsigned)warps);
    }
    for (uint32_t x = 0; x <= c->last; x += c->tick) {
        if (x < c->first)
            continue;
        sw_buf_printf(out,
                      "<path class=\"grid\" d=\"M%.1f %.1fv5\"/>"
                      "<text class=\"x\" x=\"%.1f\" y=\"%.1f\">%u</text>\n",
                      svg_x(c, x), top + (double)PLOT, svg_x(c, x),
                      top + (double)PLOT + 18, (unsigned)x);
    }
    sw_buf_printf(out,
                  "<text class=\"x\" x=\"%d\" y=\"%.1f\">%s</text>\n"
                  "<text class=\"x\" transform=\"translate(18 %.1f) "
                  "rotate(-90)\">warps</text>\n",
                  (LEFT + WIDTH - RIGHT) / 2, top + (double)PLOT + 38, c->label,
                  top + (double)PLOT / 2.0);
}

static void
svg_panel(const occ_chart *chart, const curve *c, double top, sw_buf *out)
{
    svg_axes(chart, c, top, out);
    sw_buf_puts(out, "<path class=\"line\" d=\"");
    for (size_t i = 0; i < c->count; i++) {
        double x = svg_x(c, c->points[i].x);
        double y = svg_y(chart, top, c->points[i].warps);
        if (i == 0)
            sw_buf_printf(out, "M%.1f %.1f", x, y);
        else
            sw_buf_printf(out, "V%.1fH%.1f", y, x);
    }
    sw_buf_puts(out, "\"/>\n");
    if (c->is_marked)
        sw_buf_printf(out,
                      "<circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" r=\"6\">"
                      "<title>%u: %u warps</title></circle>\n",
                      svg_x(c, c->x), svg_y(chart, top, chart->result.warps),
                      (unsigned)c->x, (unsigned)chart->result.warps);
}

void
occ_chart_svg(const occ_chart *chart, sw_buf *out)
{
    sw_buf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                  "height=\"%d\" viewBox=\"0 0 %d %d\">\n"
                  "<style>text{font:12px sans-serif;fill:#333}"
                  ".x{text-anchor:middle}.y{text-anchor:end}"
                  ".title{font-size:16px;font-weight:bold}"
                  ".grid{stroke:#ccc;fill:none}"
                  ".line{stroke:#1668a8;stroke-width:2;fill:none}"
                  ".mark{fill:#d9480f;stroke:#fff;stroke-width:1.5}</style>\n"
                  "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                  WIDTH, HEAD + AXES * PANEL, WIDTH, HEAD + AXES * PANEL, WIDTH,
                  HEAD + AXES * PANEL);
    sw_buf_printf(out, "<text class=\"title\" x=\"%d\" y=\"24\">", LEFT);
    svg_text(out, chart->title);
    sw_buf_printf(out,
                  "</text>\n<text x=\"%d\" y=\"44\">%u of %u warps (%.1f%%), "
                  "limited by %s</text>\n",
                  LEFT, (unsigned)chart->result.warps,
                  (unsigned)chart->result.max_warps, chart->result.percent,
                  sw_occupancy_resource_name(chart->result.limiter));
    for (int axis = 0; axis < AXES; axis++) {
        curve c;
        read_curve(chart, axis, &c);
        svg_panel(chart, &c, HEAD + axis * PANEL + 10, out);
        sw_free(c.points);
    }
    sw_buf_puts(out, "</svg>\n");
}

/* ---- JSON ---- */

void
occ_chart_json(const occ_chart *chart, sw_buf *out)
{
    sw_buf_puts(out, "{");
    for (int axis = 0; axis < AXES; axis++) {
        curve c;
        read_curve(chart, axis, &c);
        sw_buf_printf(out, "%s\"%s\": [", axis ? ", " : "", c.key);
        for (size_t i = 0; i < c.count; i++)
            sw_buf_printf(out, "%s[%u, %u]", i ? ", " : "",
                          (unsigned)c.points[i].x, (unsigned)c.points[i].warps);
        sw_buf_puts(out, "]");
        sw_free(c.points);
    }
    sw_buf_puts(out, "}");
}
