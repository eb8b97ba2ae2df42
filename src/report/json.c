/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - everything of a profile, for programs and for page.js. */
#include "base/json.h"
#include "device/occupancy.h"
#include "report/advice.h"
#include "report/lines.h"
#include "report/report.h"
#include "report/times.h"
#include "softwarp/occupancy.h"

static double
us(const sw_profile *p, uint64_t ns)
{
    return (double)(ns - p->begin_ns) * 1e-3;
}

static double
span_us(uint64_t begin, uint64_t end)
{
    return (double)(end - begin) * 1e-3;
}

/* "name": "text", */
static void
put_text(const char *name, const char *text, sw_buf *out)
{
    sw_buf_printf(out, "\"%s\":", name);
    sw_buf_put_json(out, text ? text : "");
    sw_buf_puts(out, ",");
}

static void
put(const char *name, double value, sw_buf *out)
{
    sw_buf_printf(out, "\"%s\":%.12g,", name, value);
}

/* Ends an object or list after its last comma. */
static void
end(const char *bracket, sw_buf *out)
{
    if (out->n && out->p[out->n - 1] == ',')
        out->p[--out->n] = 0;
    sw_buf_puts(out, bracket);
}

static const char *const units[] = {"count", "bytes", "percent", "ratio"};

/* ---- devices ---- */

/* Peaks by the data sheet: two operations a lane and clock. */
static void
put_device(const sw_device_info *d, sw_buf *out)
{
    const sw_cc_limits *l = sw_device_limits((int)d->cc);
    double ghz = (double)sw_device_clock_khz(d) * 1e-6;
    sw_buf_puts(out, "{");
    put_text("name", d->name, out);
    put("cc", d->cc / 10.0, out);
    put("sms", d->sm_count, out);
    put("clock_mhz", ghz * 1e3, out);
    put("bandwidth_gbs", d->mem_bw_gbs, out);
    put("fp32_gflops", 2.0 * d->fp32_lanes * ghz, out);
    put("fp64_gflops", 2.0 * l->dp_units * d->sm_count * ghz, out);
    put("banks", l->smem_banks, out);
    end("},", out);
}

static size_t
device_index(const sw_vec *devices, const sw_device_info *d)
{
    for (size_t i = 0; i < devices->count; i++)
        if (*(const sw_device_info **)sw_vec_at(devices, i) == d)
            return i;
    return devices->count;
}

static void
put_devices(const sw_profile *p, sw_vec *devices, sw_buf *out)
{
    sw_buf_puts(out, "\"devices\":[");
    SW_PROFILE_EACH (const sw_profile_launch, l, &p->launches) {
        if (device_index(devices, l->device) < devices->count)
            continue;
        *(const sw_device_info **)sw_vec_push(devices) = l->device;
        put_device(l->device, out);
    }
    end("],\n", out);
}

static void
put_processes(const sw_profile *p, sw_buf *out)
{
    sw_buf_puts(out, "\"processes\":[");
    SW_PROFILE_EACH (const sw_profile_process, q, &p->processes) {
        sw_buf_puts(out, "{");
        put("pid", (double)q->r.pid, out);
        put_text("command", q->r.command, out);
        put_text("device", q->devices[0], out);
        end("},", out);
    }
    end("],\n", out);
}

/* ---- what happened when ---- */

static void
put_operation(const sw_profile *p, uint32_t process, const sw_record_fill *op,
              sw_buf *out)
{
    put("process", process, out);
    put("device", op->device, out);
    put("stream", (double)op->stream, out);
    put("correlation", (double)op->correlation, out);
    put("begin_us", us(p, op->begin_ns), out);
    put("time_us", span_us(op->begin_ns, op->end_ns), out);
}

/* What each launch of the table has. */
static void
put_launch_metrics(const sw_vec *metrics, sw_buf *out)
{
    sw_buf_puts(out, "\"launch_metrics\":[");
    for (size_t i = 0; i < metrics->count; i++) {
        const sw_metric *m = *(const sw_metric **)sw_vec_at(metrics, i);
        sw_buf_puts(out, "{");
        put_text("name", m->name, out);
        put_text("unit", units[m->unit], out);
        end("},", out);
    }
    end("],\n", out);
}

static void
put_values(const sw_profile_launch *l, const sw_vec *metrics, sw_buf *out)
{
    if (!l->counted)
        return;
    sw_buf_puts(out, "\"values\":[");
    for (size_t i = 0; i < metrics->count; i++) {
        double value;
        if (sw_report_launch_value(*(const sw_metric **)sw_vec_at(metrics, i),
                                   l, &value))
            sw_buf_printf(out, "%.12g,", value);
        else
            sw_buf_puts(out, "null,");
    }
    end("],", out);
}

static void
put_timeline(const sw_profile *p, const sw_vec *metrics, sw_buf *out)
{
    sw_vec usual;
    sw_vec_init(&usual, sizeof(const sw_metric *));
    if (!metrics && p->launches.count) {
        const sw_profile_launch *first = sw_vec_at(&p->launches, 0);
        sw_report_usual_metrics(first->device->cc, &usual);
    }
    metrics = metrics ? metrics : &usual;
    if (p->launches.count)
        put_launch_metrics(metrics, out);
    sw_buf_puts(out, "\"launches\":[");
    SW_PROFILE_EACH (const sw_profile_launch, l, &p->launches) {
        sw_buf_puts(out, "{");
        put("group", l->group, out);
        put("status", l->r.status, out);
        if (l->time)
            put("predicted_ns", l->time->ns, out);
        put_values(l, metrics, out);
        put_operation(p, l->process, (const sw_record_fill *)&l->r, out);
        end("},", out);
    }
    sw_vec_finish(&usual);
    end("],\n\"copies\":[", out);
    SW_PROFILE_EACH (const sw_profile_copy, c, &p->copies) {
        sw_buf_puts(out, "{");
        put_text("from", sw_place_text(c->r.from), out);
        put_text("to", sw_place_text(c->r.to), out);
        sw_buf_printf(out, "\"kind\":\"%sto%s\",", sw_place_letter(c->r.from),
                      sw_place_letter(c->r.to));
        put("bytes", (double)c->r.bytes, out);
        put_operation(p, c->process, (const sw_record_fill *)&c->r, out);
        end("},", out);
    }
    end("],\n\"fills\":[", out);
    SW_PROFILE_EACH (const sw_profile_fill, f, &p->fills) {
        sw_buf_puts(out, "{");
        put("bytes", (double)f->r.bytes, out);
        put_operation(p, f->process, &f->r, out);
        end("},", out);
    }
    end("],\n\"calls\":[", out);
    SW_PROFILE_EACH (const sw_profile_call, c, &p->calls) {
        sw_buf_puts(out, "{");
        put_text("name", c->r.name, out);
        put("process", c->process, out);
        put("thread", c->r.thread, out);
        put("result", c->r.result, out);
        put("correlation", (double)c->r.correlation, out);
        put("begin_us", us(p, c->r.begin_ns), out);
        put("time_us", span_us(c->r.begin_ns, c->r.end_ns), out);
        end("},", out);
    }
    end("],\n", out);
}

/* ---- groups ---- */

static void
put_metrics(const sw_profile *p, const sw_profile_group *g, sw_buf *out)
{
    const sw_profile_launch *first = NULL;
    uint32_t index = (uint32_t)(g - (const sw_profile_group *)p->groups.data);
    SW_PROFILE_EACH (const sw_profile_launch, l, &p->launches)
        if (!first && l->group == index && l->counted)
            first = l;
    sw_buf_puts(out, "\"metrics\":[");
    for (size_t i = 0; first && i < sw_metric_count(); i++) {
        const sw_metric *m = sw_metric_at(i);
        double value;
        if (m->missing || !sw_metric_applies(m, first->device->cc) ||
            (m->caches && !first->counted->caches) ||
            !sw_report_launch_value(m, first, &value))
            continue;
        sw_buf_puts(out, "{");
        put_text("name", m->name, out);
        put_text("text", m->text, out);
        put_text("unit", units[m->unit], out);
        put("value", value, out);
        end("},", out);
    }
    end("],", out);
}

/* What stands beside lines; of all counted launches. */
static void
put_counts(const sw_counts *n, double scale, sw_buf *out)
{
    static const struct {
        const char *name;
        sw_access access[2];
    } rows[] = {
        {"ld", {SW_ACCESS_GLOBAL_LD, SW_ACCESS_GLOBAL_ATOM}},
        {"st", {SW_ACCESS_GLOBAL_ST, SW_ACCESS_GLOBAL_RED}},
    };
    put("inst", (double)sw_counts_executed(n) * scale, out);
    put("lanes", (double)n->thread_on * scale, out);
    put("all_lanes", 32.0 * (double)n->inst * scale, out);
    put("branches", (double)n->branches * scale, out);
    put("divergent", (double)n->divergent * scale, out);
    for (size_t i = 0; i < 2; i++) {
        double requests = 0, sectors = 0, transactions = 0, ideal = 0,
               moved = 0;
        for (size_t k = 0; k < 2; k++) {
            const sw_count_mem *m = &n->mem[rows[i].access[k]];
            requests += (double)m->requests;
            sectors += (double)m->sectors;
            transactions += (double)m->transactions;
            ideal += (double)m->sectors_ideal;
            moved += (double)sw_count_moved(m);
        }
        sw_buf_printf(out,
                      "\"%s\":{\"requests\":%.0f,\"sectors\":%.0f,"
                      "\"transactions\":%.0f,\"ideal\":%.0f,\"moved\":%.0f},",
                      rows[i].name, requests * scale, sectors * scale,
                      transactions * scale, ideal * scale, moved * scale);
    }
    double passes = 0;
    for (int a = SW_ACCESS_SHARED_LD; a <= SW_ACCESS_SHARED_ATOM; a++)
        passes += (double)n->mem[a].wavefronts;
    put("passes", passes * scale, out);
    put("conflicts", (double)sw_counts_conflicts(n) * scale, out);
}

static void
put_occupancy(const sw_profile_launch *l, sw_buf *out)
{
    static const char *const names[] = {"threads", "registers", "smem"};
    sw_occupancy_launch k = {
        .threads = l->r.block_x * l->r.block_y * l->r.block_z,
        .registers = l->r.regs,
        .static_smem = l->r.static_shared_bytes,
        .dynamic_smem = l->r.dynamic_shared_bytes,
    };
    const uint32_t at[] = {k.threads, k.registers,
                           k.static_smem + k.dynamic_smem};
    sw_occupancy_result r;
    int cc = (int)l->device->cc;
    if (sw_occupancy_of_capability(cc, &k, &r) != SW_OCCUPANCY_OK)
        return;
    sw_buf_puts(out, "\"occupancy\":{");
    put("percent", r.percent, out);
    put("warps", r.warps, out);
    put("max_warps", r.max_warps, out);
    put("blocks", r.blocks, out);
    put_text("limiter", sw_occupancy_resource_name(r.limiter), out);
    sw_buf_puts(out, "\"curves\":[");
    for (int axis = 0; axis < 3; axis++) {
        size_t n = sw_occupancy_curve(cc, &k, (sw_occupancy_axis)axis, NULL, 0);
        sw_occupancy_point *points = sw_alloc((n + 1) * sizeof *points);
        sw_occupancy_curve(cc, &k, (sw_occupancy_axis)axis, points, n);
        sw_buf_printf(out, "{\"over\":\"%s\",\"at\":%u,\"points\":[",
                      names[axis], at[axis]);
        for (size_t i = 0; i < n; i++) /* where it changes, and the ends */
            if (i == 0 || i + 1 == n ||
                points[i].warps != points[i - 1].warps ||
                points[i].warps != points[i + 1].warps)
                sw_buf_printf(out, "[%u,%u],", points[i].x, points[i].warps);
        end("]},", out);
        sw_free(points);
    }
    end("]},", out);
}

static void
put_lines(const sw_profile_group *g, sw_buf *out)
{
    sw_vec lines;
    sw_vec_init(&lines, sizeof(sw_report_line));
    sw_report_lines(g, &lines);
    sw_buf_puts(out, "\"lines\":[");
    SW_PROFILE_EACH (const sw_report_line, l, &lines) {
        if (!l->line)
            continue;
        sw_buf_puts(out, "{");
        put_text("file", l->file, out);
        put("line", l->line, out);
        put_counts(&l->counts, g->scale, out);
        end("},", out);
    }
    end("],\n\"instructions\":[", out);
    SW_PROFILE_EACH (const sw_record_row, r, &g->rows) {
        char text[512];
        sw_buf_puts(out, "{");
        put_text("function", r->function, out);
        put("ptx", r->ptx_line, out);
        put_text("file", r->source, out);
        put("line", r->source_line, out);
        if (r->camping > 0)
            put("camping", r->camping, out);
        put_text("text", sw_report_instruction(r->text, text, sizeof text),
                 out);
        put_counts(r->counts, g->scale, out);
        end("},", out);
    }
    end("],", out);
    sw_vec_finish(&lines);
}

static void
put_group(const sw_profile *p, const sw_profile_group *g, const sw_vec *devices,
          sw_buf *out)
{
    const sw_profile_launch *l = sw_profile_first(p, g);
    const sw_counts *n = &g->counts;
    sw_buf_puts(out, "{");
    put_text("kernel", l->name, out);
    put_text("short", sw_profile_short_name(p->arena, l->name), out);
    put_text("symbol", l->r.kernel, out);
    put("device", (double)device_index(devices, l->device), out);
    sw_buf_printf(out, "\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],", l->r.grid_x,
                  l->r.grid_y, l->r.grid_z, l->r.block_x, l->r.block_y,
                  l->r.block_z);
    put("registers", l->r.regs, out);
    put("static_smem", l->r.static_shared_bytes, out);
    put("dynamic_smem", l->r.dynamic_shared_bytes, out);
    put("local_bytes", l->r.local_bytes, out);
    put("launches", g->launches, out);
    put("counted", g->counted_launches, out);
    put("scale", g->scale, out);
    put("time_us", (double)g->total_ns * 1e-3, out);
    put_occupancy(l, out);
    const sw_profile_launch *longest = sw_profile_longest(p, g);
    if (longest) {
        sw_buf_puts(out, "\"predicted\":");
        sw_report_json_time(longest->time, out);
        sw_buf_puts(out, ",");
    }
    if (g->counted_launches) {
        put_metrics(p, g, out);
        sw_buf_puts(out, "\"total\":{");
        put_counts(n, g->scale, out);
        put("fp32", (double)sw_counts_flops(n, SW_COUNT_FP32_OPS) * g->scale,
            out);
        put("fp64", (double)sw_counts_flops(n, SW_COUNT_FP64_OPS) * g->scale,
            out);
        put("fp16", (double)sw_counts_flops(n, SW_COUNT_FP16_OPS) * g->scale,
            out);
        put("dram_bytes",
            32 * (double)(n->dram_read + n->dram_write) * g->scale, out);
        end("},", out);
        put_lines(g, out);
    }
    end("},", out);
}

static void
put_advice(const sw_profile *p, sw_buf *out)
{
    sw_vec all;
    sw_vec_init(&all, sizeof(sw_advice));
    sw_report_find_advice(p, &all);
    sw_buf_puts(out, "\"advice\":[");
    SW_PROFILE_EACH (const sw_advice, a, &all) {
        sw_buf_puts(out, "{");
        put_text("kind", sw_advice_word(a->kind), out);
        put("group", a->group == UINT32_MAX ? -1.0 : a->group, out);
        put("weight", a->weight, out);
        put_text("file", a->file, out);
        put("line", a->line, out);
        put("ptx", a->ptx_line, out);
        put_text("text", a->text, out);
        put_text("rule", a->rule, out);
        end("},", out);
    }
    end("]", out);
    sw_vec_finish(&all);
}

void
sw_report_json(const sw_profile *p, const sw_vec *metrics, sw_buf *out)
{
    sw_vec devices;
    sw_vec_init(&devices, sizeof(const sw_device_info *));
    sw_buf_puts(out, "{\"format\":\"softwarp profile\",\"version\":1,\n");
    put_text("times",
             sw_profile_is_on_device_clock(p)
                 ? "of the device, predicted"
                 : "of the computer that ran Softwarp, not of the device",
             out);
    sw_buf_puts(out, "\n");
    put("time_us", span_us(p->begin_ns, p->end_ns), out);
    put_processes(p, out);
    put_devices(p, &devices, out);
    put_timeline(p, metrics, out);
    sw_buf_puts(out, "\"groups\":[");
    SW_PROFILE_EACH (const sw_profile_group, g, &p->groups)
        put_group(p, g, &devices, out);
    end("],\n", out);
    put_advice(p, out);
    sw_buf_puts(out, "}\n");
    sw_vec_finish(&devices);
}
