/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.c - the observer that predicts each launch's time on a list of
 * devices, and writes a line for each launch and device:
 *
 *     index TAB kernel TAB grid TAB block TAB device TAB ns TAB low TAB high
 *     TAB limiter TAB instructions TAB occupancy TAB L1 hits TAB L2 hits TAB
 *     bytes of memory TAB stalls ("wait=0.25 barrier=0.5"), largest first TAB
 *     lines of the source ("0.5 wait k.cu:12|0.25 barrier k.cu:14")
 *
 * Grid and block are "x,y,z"; hits and occupancy are shares. ns is 0 where the
 * launch cannot be played, limiter says why. index counts launches from 0.
 *
 * A launch that does what an earlier one did takes that one's times.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/launches.h"

enum { DEVICES_MOST = 256, LINES = 8 };

typedef struct {
    sw_launches launches;
    FILE *file;
    sw_machine *machines; /* [device_count] */
    size_t device_count;
} predictor;

static void *
launch_begin(void *arg, const sw_watch_launch *launch,
             const sw_observer **observer, uint32_t *sample)
{
    predictor *p = arg;
    return sw_launched_begin(&p->launches, launch, observer, sample);
}

/* ---- what is written ---- */

static double
share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void
put_lines(const sw_times *t, sw_buf *out)
{
    for (uint32_t i = 0; i < t->line_count && i < LINES; i++) {
        const sw_line_time *line = &t->lines[i];
        const char *slash = strrchr(line->file, '/');
        if (line->share >= 0.0005)
            sw_buf_printf(out, "%s%.3f %s %s:%" PRIu32, i ? "|" : "",
                          line->share, sw_stall_text(line->stall),
                          slash ? slash + 1 : line->file, line->line);
    }
}

static void
put_line(const sw_launched *l, const sw_machine *m, const sw_times *t,
         sw_buf *out)
{
    const sw_seen *s = &l->about;
    sw_buf_printf(out, "%" PRIu64 "\t%s\t%u,%u,%u\t%u,%u,%u\t%s\t", l->index,
                  s->fn->name, s->grid[0], s->grid[1], s->grid[2], s->block[0],
                  s->block[1], s->block[2], m->device->reported);
    if (t->status != SW_OK) {
        sw_buf_puts(out, "0\t0\t0\tdoes not fit on the device\t0\t0\t0\t0\t0\t"
                         "\t\n");
        return;
    }
    sw_buf_printf(out, "%.0f\t%.0f\t%.0f\t", t->ns, t->low_ns, t->high_ns);
    sw_model_put_limiter(t, out);
    sw_buf_printf(out, "\t%.0f\t%.4f\t%.4f\t%.4f\t%.0f\t", t->instructions,
                  t->occupancy, share(t->l1_hits, t->l1_sectors),
                  share(t->l2_hits, t->l2_sectors), t->dram_bytes);
    sw_model_put_stalls(t->stalls, out);
    sw_buf_puts(out, "\t");
    put_lines(t, out);
    sw_buf_puts(out, "\n");
}

static void
launch_end(void *arg, void *state, const sw_watch_end *end)
{
    predictor *p = arg;
    sw_launched *l = state;
    if (end->status == SW_OK && end->has_started) {
        sw_buf text;
        sw_buf_init(&text);
        pthread_mutex_lock(&p->launches.lock);
        const sw_seen *seen = sw_launched_finish_locked(&p->launches, l);
        const sw_times *times = sw_launches_play_locked(
            &p->launches, seen, p->machines, p->device_count);
        for (size_t i = 0; i < p->device_count; i++)
            put_line(l, &p->machines[i], &times[i], &text);
        fwrite(text.p, 1, text.n, p->file);
        fflush(p->file);
        pthread_mutex_unlock(&p->launches.lock);
        sw_buf_finish(&text);
    }
    sw_launched_destroy(l);
}

/* ---- options ---- */

static bool
refuse(const char *what, sw_str value)
{
    fprintf(stderr, "softwarp: error: observer predict: %s '%.*s'\n", what,
            (int)value.n, value.p);
    return false;
}

static bool
add_device(predictor *p, sw_str name)
{
    char text[256];
    if (p->device_count == DEVICES_MOST || name.n >= sizeof text)
        return refuse("too many devices at", name);
    memcpy(text, name.p, name.n);
    text[name.n] = 0;
    if (!strcmp(text, "all")) {
        for (size_t i = 0; i < sw_device_count(); i++)
            if (p->device_count < DEVICES_MOST)
                p->machines[p->device_count++] = sw_machine_of(sw_device_at(i));
        return true;
    }
    const sw_device_info *device = sw_device_find(text);
    if (!device)
        return refuse("no device", name);
    p->machines[p->device_count++] = sw_machine_of(device);
    return true;
}

static bool
apply_setting(predictor *p, sw_str setting)
{
    char text[128];
    sw_diag diag;
    bool ok = true;
    if (setting.n >= sizeof text)
        return refuse("a setting is too long:", setting);
    memcpy(text, setting.p, setting.n);
    text[setting.n] = 0;
    sw_diag_init(&diag);
    for (size_t i = 0; i < p->device_count && ok; i++)
        ok = sw_machine_set(&p->machines[i], text, &diag);
    if (!ok) {
        sw_buf said;
        sw_buf_init(&said);
        sw_diag_print(&diag, &said);
        fprintf(stderr, "softwarp: %s", said.p);
        sw_buf_finish(&said);
    }
    sw_diag_finish(&diag);
    return ok;
}

/* Each of the words between bars. */
static bool
each_of(predictor *p, sw_str list, bool (*take)(predictor *, sw_str))
{
    while (list.n) {
        const char *bar = memchr(list.p, '|', list.n);
        size_t n = bar ? (size_t)(bar - list.p) : list.n;
        if (n && !take(p, (sw_str){list.p, n}))
            return false;
        n += bar != NULL;
        list = (sw_str){list.p + n, list.n - n};
    }
    return true;
}

static bool
read_option(predictor *p, sw_str name, sw_str value)
{
    if (sw_str_is(name, "out")) {
        char path[4096];
        if (value.n >= sizeof path)
            return refuse("too long a name", value);
        memcpy(path, value.p, value.n);
        path[value.n] = 0;
        p->file = fopen(path, "ae"); /* processes share it */
        return p->file || refuse("cannot write", value);
    }
    if (sw_str_is(name, "devices"))
        return each_of(p, value, add_device);
    if (sw_str_is(name, "set"))
        return each_of(p, value, apply_setting);
    if (sw_str_is(name, "budget"))
        return sw_str_to_u64(value, 10, &p->launches.budget) ||
               refuse("no number", value);
    if (sw_str_is(name, "exact")) {
        p->launches.is_exact = true;
        p->launches.budget = 0;
        return true;
    }
    return refuse("no such option", name);
}

/* out=FILE,devices=A|B,set=X=1|Y=2,budget=N,exact=1; devices before set. */
bool
sw_watch_open_predict(const char *options, sw_watcher *out)
{
    predictor *p = sw_alloc(sizeof *p);
    bool ok = true;
    sw_launches_init(&p->launches);
    p->machines = sw_alloc(DEVICES_MOST * sizeof *p->machines);
    for (const char *at = options; *at && ok;) {
        size_t n = strcspn(at, ",");
        const char *equals = memchr(at, '=', n);
        size_t name = equals ? (size_t)(equals - at) : n;
        sw_str value =
            equals ? (sw_str){equals + 1, n - name - 1} : (sw_str){at + n, 0};
        ok = read_option(p, (sw_str){at, name}, value);
        at += n + (at[n] == ',');
    }
    if (ok && !p->device_count)
        p->machines[p->device_count++] = sw_machine_of(sw_device_default());
    if (ok && !p->file)
        p->file = stderr;
    *out = (sw_watcher){
        .arg = p, .launch_begin = launch_begin, .launch_end = launch_end};
    return ok;
}
