/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - the Trace Event Format of Chrome, which Perfetto reads, too:
 * streams of devices and threads of programs are tracks, an arrow leads from
 * the call to what it asked for, where both are in the profile. Times there are
 * microseconds.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "report/report.h"

/* Tracks of threads begin above those of streams. */
enum { DEVICE_PROCESS = 1 << 24 };

typedef struct {
    const sw_profile *profile;
    sw_buf *out;
    const char *comma;
    sw_map *calls; /* sw_profile_call by process and correlation */
    uint64_t arrows;
} trace;

static void
begin(trace *t, const char *phase, uint64_t process, uint64_t track)
{
    sw_buf_printf(t->out,
                  "%s\n{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64,
                  t->comma, phase, process, track);
    t->comma = ",";
}

static void
name_track(trace *t, const char *what, uint64_t process, uint64_t track,
           const char *name)
{
    begin(t, "M", process, track);
    sw_buf_printf(t->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    sw_buf_put_json(t->out, name);
    sw_buf_puts(t->out, "}}");
}

static double
us(const trace *t, uint64_t ns)
{
    return (double)(ns - t->profile->begin_ns) * 1e-3;
}

static uint64_t
host(const trace *t, uint32_t process)
{
    const sw_profile_process *p = sw_vec_at(&t->profile->processes, process);
    return p->r.pid;
}

static uint64_t
device(const trace *t, uint32_t process, uint32_t ordinal)
{
    return host(t, process) * SW_PROFILE_DEVICES + ordinal + DEVICE_PROCESS;
}

/* An event without its args; the caller closes it. */
static void
event(trace *t, const char *name, const char *category, uint64_t process,
      uint64_t track, uint64_t from, uint64_t to)
{
    begin(t, "X", process, track);
    sw_buf_puts(t->out, ",\"name\":");
    sw_buf_put_json(t->out, name);
    sw_buf_printf(t->out, ",\"cat\":\"%s\",\"ts\":%.3f,\"dur\":%.3f,\"args\":{",
                  category, us(t, from), (double)(to - from) * 1e-3);
}

/* One end of an arrow; its number is that of both. */
static void
arrow_end(trace *t, const char *phase, uint64_t process, uint64_t track,
          uint64_t ns)
{
    begin(t, phase, process, track);
    sw_buf_printf(t->out,
                  ",\"name\":\"asked for\",\"cat\":\"call\",\"id\":%" PRIu64
                  ",\"ts\":%.3f,\"bp\":\"e\"}",
                  t->arrows, us(t, ns));
}

static sw_str
call_key(uint64_t key[2], uint32_t process, uint64_t correlation)
{
    key[0] = process;
    key[1] = correlation;
    return (sw_str){(const char *)key, 2 * sizeof *key};
}

/* From the call that asked for an operation; none if the call was not
 * recorded, as before the profile's begin. */
static void
arrow_to(trace *t, uint32_t process, const sw_record_fill *op)
{
    uint64_t key[2];
    const sw_profile_call *c =
        op->correlation
            ? sw_map_get(t->calls, call_key(key, process, op->correlation))
            : NULL;
    if (!c)
        return;
    t->arrows++;
    arrow_end(t, "s", host(t, c->process), c->r.thread, c->r.begin_ns);
    arrow_end(t, "f", device(t, process, op->device), op->stream, op->begin_ns);
}

/* Streams that something ran in get their names once. */
static void
name_stream(trace *t, sw_map *named, uint32_t process, const sw_record_fill *op)
{
    uint64_t key[2] = {device(t, process, op->device), op->stream};
    sw_str name = {(const char *)key, sizeof key};
    if (sw_map_get(named, name))
        return;
    sw_map_set(named, name, t);
    const char *on = sw_profile_device(t->profile, process, op->device);
    char text[160];
    snprintf(text, sizeof text, "device %u: %s (softwarp, process %" PRIu64 ")",
             op->device, on ? on : "?", host(t, process));
    name_track(t, "process_name", key[0], 0, text);
    if (op->stream)
        snprintf(text, sizeof text, "stream %" PRIu64, op->stream);
    else
        snprintf(text, sizeof text, "default stream");
    name_track(t, "thread_name", key[0], key[1], text);
}

static void
operation(trace *t, sw_map *named, uint32_t process, const sw_record_fill *op,
          const char *name, const char *category)
{
    name_stream(t, named, process, op);
    arrow_to(t, process, op);
    event(t, name, category, device(t, process, op->device), op->stream,
          op->begin_ns, op->end_ns);
}

static void
put_operations(trace *t, sw_map *named)
{
    const sw_profile *p = t->profile;
    SW_PROFILE_EACH (const sw_profile_launch, l, &p->launches) {
        operation(t, named, l->process, (const sw_record_fill *)&l->r, l->name,
                  "kernel");
        sw_buf_printf(t->out,
                      "\"grid\":\"%u %u %u\",\"block\":\"%u %u "
                      "%u\",\"registers\":%u,\"static shared\":%u,\"dynamic "
                      "shared\":%u,\"status\":%u}}",
                      l->r.grid_x, l->r.grid_y, l->r.grid_z, l->r.block_x,
                      l->r.block_y, l->r.block_z, l->r.regs,
                      l->r.static_shared_bytes, l->r.dynamic_shared_bytes,
                      l->r.status);
    }
    SW_PROFILE_EACH (const sw_profile_copy, c, &p->copies) {
        char name[40];
        operation(t, named, c->process, (const sw_record_fill *)&c->r,
                  sw_report_copy_name(&c->r, name), "copy");
        sw_buf_printf(
            t->out, "\"bytes\":%" PRIu64 ",\"from\":\"%s\",\"to\":\"%s\"}}",
            c->r.bytes, sw_place_text(c->r.from), sw_place_text(c->r.to));
    }
    SW_PROFILE_EACH (const sw_profile_fill, f, &p->fills) {
        operation(t, named, f->process, &f->r, "[CUDA memset]", "copy");
        sw_buf_printf(t->out, "\"bytes\":%" PRIu64 "}}", f->r.bytes);
    }
}

void
sw_report_trace(const sw_profile *p, sw_buf *out)
{
    trace t = {.profile = p, .out = out, .comma = "", .calls = sw_map_create()};
    sw_map *named = sw_map_create();
    sw_buf_puts(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"times\":"
                     "\"of the computer that ran Softwarp, not of the "
                     "device\"},\n\"traceEvents\":[");
    for (uint32_t i = 0; i < p->processes.count; i++) {
        const sw_profile_process *q = sw_vec_at(&p->processes, i);
        name_track(&t, "process_name", q->r.pid, 0, q->r.command);
    }
    SW_PROFILE_EACH (const sw_profile_call, c, &p->calls) {
        uint64_t on = host(&t, c->process);
        event(&t, c->r.name, "call", on, c->r.thread, c->r.begin_ns,
              c->r.end_ns);
        sw_buf_printf(out, "\"result\":%u}}", c->r.result);
        uint64_t key[2];
        if (c->r.correlation)
            sw_map_set(t.calls, call_key(key, c->process, c->r.correlation),
                       (void *)(uintptr_t)c);
    }
    put_operations(&t, named);
    sw_buf_puts(out, "\n]}\n");
    sw_map_destroy(named);
    sw_map_destroy(t.calls);
}
