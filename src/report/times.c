/* SPDX-License-Identifier: Apache-2.0 */
/* times.c - what the model of time says of launches: see times.h. */
#include "report/times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* Lines of the source and reasons below a kernel of the table. */
enum { PLACES = 3, REASONS = 3 };
static const double least_share = 0.01; /* that is worth a word */
static const double least_line = 0.001; /* that is worth a line */

/* ---- texts of the record ---- */

bool
sw_report_next_share(const char **at, char between, sw_str *name, double *share)
{
    const char *text = *at, *equals = strchr(text, '=');
    if (!equals)
        return false;
    char *end;
    *name = (sw_str){text, (size_t)(equals - text)};
    *share = strtod(equals + 1, &end);
    *at = *end == between ? end + 1 : end;
    return true;
}

bool
sw_report_next_place(const char **at, sw_report_place *place)
{
    const char *text = *at, *bar = strchr(text, '|');
    const char *second = bar ? strchr(bar + 1, '|') : NULL;
    if (!second)
        return false;
    size_t n = strcspn(second + 1, "\n");
    *place = (sw_report_place){
        .line = (uint32_t)strtoul(text, NULL, 10),
        .stalls = {bar + 1, (size_t)(second - bar - 1)},
        .file = {second + 1, n},
    };
    const char *word = bar + 1;
    sw_str name;
    double share;
    while (word < second && sw_report_next_share(&word, ' ', &name, &share)) {
        if (!place->reason.n)
            place->reason = name;
        place->share += share;
    }
    *at = second + 1 + n + (second[1 + n] == '\n');
    return true;
}

/* ---- kernels ---- */

/* Launches of one kernel on one device. */
typedef struct {
    const sw_profile_launch *longest;
    uint64_t launches;
    double ns, low, high;
} kernel;

static kernel *
find_kernel(sw_vec *kernels, const sw_profile_launch *l)
{
    SW_PROFILE_EACH (kernel, k, kernels)
        if (k->longest->device == l->device &&
            !strcmp(k->longest->name, l->name))
            return k;
    kernel *k = sw_vec_push(kernels);
    k->longest = l;
    return k;
}

static int
compare(const void *a, const void *b)
{
    double x = ((const kernel *)a)->ns, y = ((const kernel *)b)->ns;
    return (x < y) - (x > y);
}

/* Longest first; `kernels` is empty, of kernel. The time of all of them. */
static double
find_kernels(const sw_profile *p, sw_vec *kernels)
{
    double all = 0;
    SW_PROFILE_EACH (const sw_profile_launch, l, &p->launches) {
        if (!l->time)
            continue;
        kernel *k = find_kernel(kernels, l);
        k->launches++;
        k->ns += l->time->ns;
        k->low += l->time->low_ns;
        k->high += l->time->high_ns;
        all += l->time->ns;
        if (l->time->ns > k->longest->time->ns)
            k->longest = l;
    }
    if (kernels->count)
        qsort(kernels->data, kernels->count, sizeof(kernel), compare);
    return all;
}

bool
sw_report_has_times(const sw_profile *p)
{
    SW_PROFILE_EACH (const sw_profile_launch, l, &p->launches)
        if (l->time)
            return true;
    return false;
}

/* ---- the table ---- */

static const char *
base_name(sw_str file, size_t *n)
{
    size_t at = file.n;
    while (at && file.p[at - 1] != '/')
        at--;
    *n = file.n - at;
    return file.p + at;
}

/* "warps: 61 % long_scoreboard, ...; 31 % at k.cu:78 (long_scoreboard), ..." */
static void
print_reasons(const sw_record_time *t, sw_buf *out)
{
    const char *at = t->stalls;
    sw_str name;
    double share;
    sw_report_place place;
    sw_buf_printf(out, "%43swarps' time: ", "");
    for (int i = 0;
         i < REASONS && sw_report_next_share(&at, ' ', &name, &share) &&
         share >= least_share;
         i++)
        sw_buf_printf(out, "%s%.0f%% %.*s", i ? ", " : "", 100 * share,
                      (int)name.n, name.p);
    at = t->lines;
    for (int i = 0; i < PLACES && sw_report_next_place(&at, &place) &&
                    place.share >= least_share;
         i++) {
        size_t n;
        const char *file = base_name(place.file, &n);
        sw_buf_printf(out, "%s%.0f%% at %.*s:%" PRIu32, i ? ", " : "; ",
                      100 * place.share, (int)n, file, place.line);
    }
    sw_buf_puts(out, "\n");
}

static void
print_kernel(const sw_report_options *o, sw_arena *arena, const kernel *k,
             double all, sw_buf *out)
{
    char a[16], b[16], c[16], d[16], range[40];
    const sw_profile_launch *l = k->longest;
    const char *name =
        o->full_names ? l->name : sw_profile_short_name(arena, l->name);
    double percent = all > 0 ? 100 * k->ns / all : 0;
    double mean = k->ns / (double)k->launches;
    if (o->csv) {
        sw_buf_printf(out, "\"Device time\",%.6f,%.6f,%" PRIu64 ",%.6f,",
                      percent, k->ns * 1e-6, k->launches, mean * 1e-6);
        sw_buf_printf(out, "%.6f,%.6f,", k->low * 1e-6, k->high * 1e-6);
        sw_report_csv_text(name, out);
        sw_buf_puts(out, "\n");
        return;
    }
    snprintf(range, sizeof range, "%s-%s", sw_report_time((uint64_t)k->low, c),
             sw_report_time((uint64_t)k->high, d));
    sw_buf_printf(out, "%24.2f%%%11s%10" PRIu64 "%10s%20s %4.0f%%  %s (%s)\n",
                  percent, sw_report_time((uint64_t)k->ns, a), k->launches,
                  sw_report_time((uint64_t)mean, b), range,
                  100 * l->time->occupancy, name, l->time->limiter);
    print_reasons(l->time, out);
}

void
sw_report_times(const sw_profile *p, const sw_report_options *o, sw_buf *out)
{
    sw_arena *arena = sw_arena_create();
    sw_vec kernels;
    sw_vec_init(&kernels, sizeof(kernel));
    double all = find_kernels(p, &kernels);
    const sw_device_info *device = NULL;
    SW_PROFILE_EACH (const kernel, k, &kernels) {
        if (!o->csv && k->longest->device != device) {
            device = k->longest->device;
            sw_buf_printf(out, "\nPredicted for %s, each kernel alone:\n",
                          device->name);
            sw_buf_printf(out, "%25s%11s%10s%10s%20s %5s  %s\n", "Time(%)",
                          "Time", "Calls", "Avg", "Range", "Warps",
                          "Name (limited by)");
        }
        print_kernel(o, arena, k, all, out);
    }
    sw_vec_finish(&kernels);
    sw_arena_destroy(arena);
}

/* ---- lines ---- */

void
sw_report_line_times(const sw_profile *p, const sw_profile_group *g,
                     sw_buf *out)
{
    const sw_profile_launch *l = sw_profile_longest(p, g);
    if (!l || !*l->time->lines)
        return;
    char text[16];
    sw_report_place place;
    sw_buf_printf(out,
                  "Where warps spend their time on the device, predicted: %s, "
                  "limited by %s\n%9s  %6s  %s\n",
                  sw_report_time((uint64_t)l->time->ns, text), l->time->limiter,
                  "Time", "Line", "Reasons");
    for (const char *at = l->time->lines; sw_report_next_place(&at, &place);) {
        const char *reasons = place.stalls.p;
        sw_str name;
        double share;
        if (place.share < least_line)
            return;
        sw_buf_printf(out, "%8.1f%%  %6" PRIu32 " ", 100 * place.share,
                      place.line);
        while (reasons < place.stalls.p + place.stalls.n &&
               sw_report_next_share(&reasons, ' ', &name, &share))
            sw_buf_printf(out, " %.*s %.1f%%", (int)name.n, name.p,
                          100 * share);
        sw_buf_puts(out, "\n");
    }
}

/* ---- JSON ---- */

static void
put_json_shares(const char *name, const char *text, char between, sw_buf *out)
{
    sw_str word;
    double share;
    bool is_next = false;
    sw_buf_printf(out, ",\"%s\":{", name);
    while (sw_report_next_share(&text, between, &word, &share)) {
        sw_buf_printf(out, "%s\"%.*s\":%.4g", is_next ? "," : "", (int)word.n,
                      word.p, share);
        is_next = true;
    }
    sw_buf_puts(out, "}");
}

static void
put_json_place(const sw_report_place *place, sw_buf *out)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_add(&text, place->file.p, place->file.n);
    sw_buf_printf(out,
                  "{\"line\":%" PRIu32 ",\"share\":%.4g,\"file\":", place->line,
                  place->share);
    sw_buf_put_json(out, text.p);
    text.n = 0;
    sw_buf_add(&text, place->stalls.p, place->stalls.n);
    put_json_shares("stalls", text.p ? text.p : "", ' ', out);
    sw_buf_puts(out, "}");
    sw_buf_finish(&text);
}

void
sw_report_json_time(const sw_record_time *t, sw_buf *out)
{
    sw_report_place place;
    bool is_next = false;
    sw_buf_printf(out,
                  "{\"ns\":%.0f,\"low_ns\":%.0f,\"high_ns\":%.0f,"
                  "\"clocks\":%.0f,\"occupancy\":%.4g,\"limiter\":",
                  t->ns, t->low_ns, t->high_ns, t->clocks, t->occupancy);
    sw_buf_put_json(out, t->limiter);
    put_json_shares("used", t->used, '|', out);
    put_json_shares("stalls", t->stalls, ' ', out);
    sw_buf_puts(out, ",\"lines\":[");
    for (const char *at = t->lines; sw_report_next_place(&at, &place);) {
        if (is_next)
            sw_buf_puts(out, ",");
        put_json_place(&place, out);
        is_next = true;
    }
    sw_buf_puts(out, "]}");
}
