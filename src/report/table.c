/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - what took how long: the summary and the two traces. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

/* All that has one name. */
typedef struct {
    const char *name; /* in the arena */
    uint64_t calls, total, least, most;
} sum;

typedef struct {
    sw_arena *arena;
    sw_map *by_name; /* -> sum * */
    uint64_t total;
} sums;

static void
sums_init(sums *s)
{
    *s = (sums){sw_arena_create(), sw_map_create(), 0};
}

static void
sums_finish(sums *s)
{
    sw_map_destroy(s->by_name);
    sw_arena_destroy(s->arena);
}

static void
sums_add(sums *s, const char *key, const char *name, uint64_t ns)
{
    sum *at = sw_map_get(s->by_name, sw_str_of(key));
    if (!at) {
        at = sw_arena_alloc(s->arena, sizeof *at);
        at->name = sw_arena_str(s->arena, sw_str_of(name));
        at->least = UINT64_MAX;
        sw_map_set(s->by_name, sw_str_of(key), at);
    }
    at->calls++;
    at->total += ns;
    at->least = ns < at->least ? ns : at->least;
    at->most = ns > at->most ? ns : at->most;
    s->total += ns;
}

static int
compare(const void *a, const void *b)
{
    const sum *x = *(const sum *const *)a, *y = *(const sum *const *)b;
    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void
print_text(const char *type, const sum *s, uint64_t total, sw_buf *out)
{
    char a[16], b[16], c[16], d[16];
    sw_buf_printf(out, "%16s%8.2f%%%11s%10" PRIu64 "%10s%10s%10s  %s\n", type,
                  total ? 100 * (double)s->total / (double)total : 0,
                  sw_report_time(s->total, a), s->calls,
                  sw_report_time(s->total / s->calls, b),
                  sw_report_time(s->least, c), sw_report_time(s->most, d),
                  s->name);
}

static void
print_csv(const char *type, const sum *s, uint64_t total, sw_buf *out)
{
    sw_buf_printf(out, "\"%s\",%.6f,%.6f,%" PRIu64 ",%.6f,%.6f,%.6f,", type,
                  total ? 100 * (double)s->total / (double)total : 0,
                  (double)s->total * 1e-6, s->calls,
                  (double)s->total / (double)s->calls * 1e-6,
                  (double)s->least * 1e-6, (double)s->most * 1e-6);
    sw_report_csv_text(s->name, out);
    sw_buf_puts(out, "\n");
}

static void
print_sums(const char *type, const sums *s, bool csv, sw_buf *out)
{
    sw_vec list;
    sw_vec_init(&list, sizeof(sum *));
    size_t it = 0;
    sw_str key;
    void *value;
    while (sw_map_next(s->by_name, &it, &key, &value))
        *(sum **)sw_vec_push(&list) = value;
    if (list.count)
        qsort(list.data, list.count, sizeof(sum *), compare);
    for (size_t i = 0; i < list.count; i++) {
        const sum *row = *(sum **)sw_vec_at(&list, i);
        char label[32];
        snprintf(label, sizeof label, "%s:", type);
        if (csv)
            print_csv(type, row, s->total, out);
        else
            print_text(i ? "" : label, row, s->total, out);
    }
    sw_vec_finish(&list);
}

static const char *
kernel_name(const sw_report_options *o, sw_arena *arena,
            const sw_profile_launch *l)
{
    return o->full_names ? l->name : sw_profile_short_name(arena, l->name);
}

void
sw_report_summary(const sw_profile *p, const sw_report_options *o, sw_buf *out)
{
    sums device, api;
    sums_init(&device);
    sums_init(&api);
    char name[40];
    SW_PROFILE_EACH (const sw_profile_launch, l, &p->launches)
        sums_add(&device, l->name, kernel_name(o, device.arena, l),
                 l->r.end_ns - l->r.begin_ns);
    SW_PROFILE_EACH (const sw_profile_copy, c, &p->copies) {
        const char *text = sw_report_copy_name(&c->r, name);
        sums_add(&device, text, text, c->r.end_ns - c->r.begin_ns);
    }
    SW_PROFILE_EACH (const sw_profile_fill, f, &p->fills)
        sums_add(&device, "[CUDA memset]", "[CUDA memset]",
                 f->r.end_ns - f->r.begin_ns);
    SW_PROFILE_EACH (const sw_profile_call, c, &p->calls)
        sums_add(&api, c->r.name, c->r.name, c->r.end_ns - c->r.begin_ns);
    if (o->csv)
        sw_buf_puts(out, "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\","
                         "\"Min\",\"Max\",\"Name\"\n,%,ms,,ms,ms,ms,\n");
    else
        sw_buf_printf(out, "%16s%9s%11s%10s%10s%10s%10s  %s\n", "Type",
                      "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name");
    if (!o->csv && !sw_map_count(device.by_name))
        sw_buf_printf(out, "%16s  nothing ran on a device\n",
                      "GPU activities:");
    print_sums("GPU activities", &device, o->csv, out);
    print_sums("API calls", &api, o->csv, out);
    sums_finish(&device);
    sums_finish(&api);
}

/* ---- traces ---- */

/* Any operation of a stream, for sorting by time. */
typedef struct {
    uint64_t begin;
    const sw_profile_launch *launch; /* or NULL */
    const sw_profile_copy *copy;
    const sw_profile_fill *fill;
} item;

static int
compare_items(const void *a, const void *b)
{
    uint64_t x = ((const item *)a)->begin, y = ((const item *)b)->begin;
    return x < y ? -1 : x > y;
}

static void
collect(const sw_profile *p, sw_vec *items)
{
    SW_PROFILE_EACH (const sw_profile_launch, l, &p->launches)
        *(item *)sw_vec_push(items) = (item){l->r.begin_ns, l, NULL, NULL};
    SW_PROFILE_EACH (const sw_profile_copy, c, &p->copies)
        *(item *)sw_vec_push(items) = (item){c->r.begin_ns, NULL, c, NULL};
    SW_PROFILE_EACH (const sw_profile_fill, f, &p->fills)
        *(item *)sw_vec_push(items) = (item){f->r.begin_ns, NULL, NULL, f};
    if (items->count)
        qsort(items->data, items->count, sizeof(item), compare_items);
}

/* One row of the trace; texts that do not apply are "". */
typedef struct {
    char start[16], time[16], grid[40], block[40], regs[16], smem[16], dmem[16],
        size[16], from[16], to[16], stream[24];
    const char *device, *name;
} row;

static void
describe_launch(const sw_profile_launch *l, row *r)
{
    snprintf(r->grid, sizeof r->grid, "(%u %u %u)", l->r.grid_x, l->r.grid_y,
             l->r.grid_z);
    snprintf(r->block, sizeof r->block, "(%u %u %u)", l->r.block_x,
             l->r.block_y, l->r.block_z);
    snprintf(r->regs, sizeof r->regs, "%u", l->r.regs);
    sw_report_bytes(l->r.static_shared_bytes, r->smem);
    sw_report_bytes(l->r.dynamic_shared_bytes, r->dmem);
}

static void
describe(const sw_profile *p, const sw_report_options *o, sw_arena *arena,
         const item *i, row *r)
{
    static const row empty;
    *r = empty;
    /* ORDER: every record of an operation begins with the same fields. */
    const sw_record_fill *op = i->launch ? (const sw_record_fill *)&i->launch->r
                               : i->copy ? (const sw_record_fill *)&i->copy->r
                                         : &i->fill->r;
    uint32_t process = i->launch ? i->launch->process
                       : i->copy ? i->copy->process
                                 : i->fill->process;
    sw_report_time(op->begin_ns - p->begin_ns, r->start);
    sw_report_time(op->end_ns - op->begin_ns, r->time);
    snprintf(r->stream, sizeof r->stream, "%" PRIu64, op->stream);
    r->device = sw_profile_device(p, process, op->device);
    r->name = "[CUDA memset]";
    if (i->launch) {
        describe_launch(i->launch, r);
        r->name = kernel_name(o, arena, i->launch);
    } else if (i->copy) {
        char name[40];
        r->name = sw_arena_str(
            arena, sw_str_of(sw_report_copy_name(&i->copy->r, name)));
        sw_report_bytes(i->copy->r.bytes, r->size);
        snprintf(r->from, sizeof r->from, "%s", sw_place_text(i->copy->r.from));
        snprintf(r->to, sizeof r->to, "%s", sw_place_text(i->copy->r.to));
    } else {
        sw_report_bytes(i->fill->r.bytes, r->size);
        snprintf(r->to, sizeof r->to, "%s", sw_place_text(i->fill->r.to));
    }
}

static const char *
dash(const char *text)
{
    return *text ? text : "-";
}

static size_t
count_of(const sw_report_options *o)
{
    return o->metrics ? o->metrics->count : 0;
}

/* What was counted of this launch alone: columns, or lines below its own. */
static void
print_values(const sw_report_options *o, const sw_profile_launch *l,
             sw_buf *out)
{
    for (size_t i = 0; i < count_of(o); i++) {
        const sw_metric *m = *(const sw_metric **)sw_vec_at(o->metrics, i);
        char text[32];
        double value;
        bool has = l && sw_report_launch_value(m, l, &value);
        if (o->csv && has)
            sw_buf_printf(out, ",%.10g", value);
        else if (o->csv)
            sw_buf_puts(out, ",");
        else if (has)
            sw_buf_printf(out, "%21s  %s %s\n", "", m->name,
                          sw_report_value(m, value, text));
    }
}

void
sw_report_gpu_trace(const sw_profile *p, const sw_report_options *o,
                    sw_buf *out)
{
    sw_arena *arena = sw_arena_create();
    sw_vec items;
    sw_vec_init(&items, sizeof(item));
    collect(p, &items);
    const char *head[] = {"Start",      "Duration",   "Grid Size", "Block Size",
                          "Regs",       "SSMem",      "DSMem",     "Size",
                          "SrcMemType", "DstMemType", "Device",    "Stream",
                          "Name"};
    if (o->csv)
        for (size_t i = 0; i < 13; i++)
            sw_buf_printf(out, "%s\"%s\"", i ? "," : "", head[i]);
    else
        sw_buf_printf(out, "%10s%11s%16s%16s%6s%10s%10s%10s%11s%11s  %s  %s\n",
                      head[0], head[1], head[2], head[3], head[4], head[5],
                      head[6], head[7], head[8], head[9], head[11], head[12]);
    for (size_t i = 0; o->csv && i < count_of(o); i++) {
        sw_buf_puts(out, ",");
        sw_report_csv_text(
            (*(const sw_metric **)sw_vec_at(o->metrics, i))->name, out);
    }
    if (o->csv)
        sw_buf_puts(out, "\n");
    for (size_t i = 0; i < items.count; i++) {
        row r;
        const item *at = sw_vec_at(&items, i);
        describe(p, o, arena, at, &r);
        if (o->csv) {
            sw_buf_printf(out, "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,", r.start,
                          r.time, r.grid, r.block, r.regs, r.smem, r.dmem,
                          r.size, r.from, r.to);
            sw_report_csv_text(r.device ? r.device : "?", out);
            sw_buf_printf(out, ",%s,", r.stream);
            sw_report_csv_text(r.name, out);
            print_values(o, at->launch, out);
            sw_buf_puts(out, "\n");
        } else {
            sw_buf_printf(
                out, "%10s%11s%16s%16s%6s%10s%10s%10s%11s%11s  %6s  %s\n",
                r.start, r.time, dash(r.grid), dash(r.block), dash(r.regs),
                dash(r.smem), dash(r.dmem), dash(r.size), dash(r.from),
                dash(r.to), r.stream, r.name);
            print_values(o, at->launch, out);
        }
    }
    sw_vec_finish(&items);
    sw_arena_destroy(arena);
}

void
sw_report_api_trace(const sw_profile *p, const sw_report_options *o,
                    sw_buf *out)
{
    const char *head[] = {"Start", "Duration", "Thread", "Result", "Name"};
    for (size_t i = 0; o->csv && i < 5; i++)
        sw_buf_printf(out, "\"%s\"%s", head[i], i < 4 ? "," : "\n");
    if (!o->csv)
        sw_buf_printf(out, "%10s%11s%10s%8s  %s\n", head[0], head[1], head[2],
                      head[3], head[4]);
    SW_PROFILE_EACH (const sw_profile_call, c, &p->calls) {
        char a[16], b[16];
        sw_report_time(c->r.begin_ns - p->begin_ns, a);
        sw_report_time(c->r.end_ns - c->r.begin_ns, b);
        if (o->csv)
            sw_buf_printf(out, "%s,%s,%u,%u,\"%s\"\n", a, b, c->r.thread,
                          c->r.result, c->r.name);
        else
            sw_buf_printf(out, "%10s%11s%10u%8u  %s\n", a, b, c->r.thread,
                          c->r.result, c->r.name);
    }
}
