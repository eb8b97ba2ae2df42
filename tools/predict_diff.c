/* SPDX-License-Identifier: Apache-2.0 */
/* predict_diff.c - two runs of `softwarp predict` side by side: see predict.h.
 */
#include "predict.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"

enum { STALLS = 32 };

/* All launches of a kernel on a device. */
typedef struct {
    const char *device, *kernel, *limiter; /* limiter: of the longest launch */
    double ns, longest, instructions, bytes;
    struct {
        const char *name;
        double ns; /* of warps' time, by the launches' times */
    } stalls[STALLS];
} sums;

/* What a reason has lost or won, of the time of one of the two. */
typedef struct {
    const char *name;
    double before, now;
} moved;

static sums *
find(const sw_vec *all, const char *device, const char *kernel)
{
    for (size_t i = 0; i < all->count; i++) {
        sums *s = sw_vec_at(all, i);
        if (!strcmp(s->device, device) && !strcmp(s->kernel, kernel))
            return s;
    }
    return NULL;
}

static void
add_stall(sums *s, const char *name, double ns)
{
    for (int i = 0; i < STALLS; i++) {
        if (s->stalls[i].name && strcmp(s->stalls[i].name, name) != 0)
            continue;
        s->stalls[i].name = name;
        s->stalls[i].ns += ns;
        return;
    }
}

static double
number(const json_t *row, const char *name)
{
    return json_number_value(json_object_get(row, name));
}

static bool
add_row(sw_vec *all, json_t *row)
{
    const char *device = json_string_value(json_object_get(row, "device"));
    const char *kernel = json_string_value(json_object_get(row, "kernel"));
    const char *limiter = json_string_value(json_object_get(row, "limiter"));
    if (!device || !kernel || !limiter)
        return false;
    sums *s = find(all, device, kernel);
    if (!s) {
        s = sw_vec_push(all);
        *s = (sums){.device = device, .kernel = kernel};
    }
    double ns = number(row, "predicted_ns");
    s->ns += ns;
    s->instructions += number(row, "instructions");
    s->bytes += number(row, "dram_bytes");
    if (!s->limiter || ns > s->longest) {
        s->longest = ns;
        s->limiter = limiter;
    }
    const char *name;
    json_t *share;
    json_object_foreach(json_object_get(row, "stalls"), name, share)
        add_stall(s, name, ns * json_number_value(share));
    return true;
}

static bool
add_rows(sw_vec *all, json_t *rows)
{
    size_t i;
    json_t *row;
    if (!json_is_array(rows))
        return false;
    json_array_foreach(rows, i, row) if (!add_row(all, row)) return false;
    return true;
}

/* ---- what is printed ---- */

static double
stall_of(const sums *s, const char *name)
{
    for (int i = 0; i < STALLS && s->stalls[i].name; i++)
        if (!strcmp(s->stalls[i].name, name))
            return s->stalls[i].ns;
    return 0;
}

/* The reason whose time has changed most. */
static moved
most_moved(const sums *before, const sums *now)
{
    moved best = {.name = NULL};
    const sums *both[] = {before, now};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < STALLS && both[k]->stalls[i].name; i++) {
            const char *name = both[k]->stalls[i].name;
            moved m = {name, stall_of(before, name), stall_of(now, name)};
            if (!best.name ||
                fabs(m.now - m.before) > fabs(best.now - best.before))
                best = m;
        }
    return best;
}

static void
put_change(sw_buf *out, const char *what, double before, double now)
{
    const double least = 0.01;
    if (before <= 0 && now <= 0)
        return;
    if (before <= 0)
        sw_buf_printf(out, ", %s from none", what);
    else if (fabs(now / before - 1) >= least)
        sw_buf_printf(out, ", %s %+.0f %%", what, 100 * (now / before - 1));
}

static void
print_change(const sums *before, const sums *now)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text, "  %+7.1f %%  %.2f -> %.2f us  ",
                  before->ns > 0 ? 100 * (now->ns / before->ns - 1) : 0,
                  before->ns * 1e-3, now->ns * 1e-3);
    sw_demangle(now->kernel, &text);
    sw_buf_printf(&text, " on %s", now->device);
    put_change(&text, "instructions", before->instructions, now->instructions);
    put_change(&text, "bytes of memory", before->bytes, now->bytes);
    moved m = most_moved(before, now);
    if (m.name && before->ns > 0 && now->ns > 0)
        sw_buf_printf(&text, ", %s %.2f -> %.2f us", m.name, m.before * 1e-3,
                      m.now * 1e-3);
    if (strcmp(before->limiter, now->limiter) != 0)
        sw_buf_printf(&text, ", limited by %s, not by %s any more",
                      now->limiter, before->limiter);
    puts(text.p);
    sw_buf_finish(&text);
}

static void
print_alone(const sums *s, const char *what)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_demangle(s->kernel, &text);
    printf("  %s: %s on %s, %.2f us\n", what, text.p, s->device, s->ns * 1e-3);
    sw_buf_finish(&text);
}

static void
print_all(const sw_vec *before, const sw_vec *now)
{
    for (size_t i = 0; i < now->count; i++) {
        const sums *s = sw_vec_at(now, i);
        const sums *old = find(before, s->device, s->kernel);
        if (old)
            print_change(old, s);
        else
            print_alone(s, "new");
    }
    for (size_t i = 0; i < before->count; i++) {
        const sums *s = sw_vec_at(before, i);
        if (!find(now, s->device, s->kernel))
            print_alone(s, "gone");
    }
}

bool
sw_predict_diff(const char *path, const sw_buf *text)
{
    json_error_t error;
    json_t *old = json_load_file(path, 0, &error);
    json_t *new = json_loadb(text->p, text->n, 0, NULL);
    sw_vec before, now;
    sw_vec_init(&before, sizeof(sums));
    sw_vec_init(&now, sizeof(sums));
    bool good = add_rows(&before, old) && add_rows(&now, new);
    if (!good)
        fprintf(stderr,
                "softwarp predict: error: --since %s: %s; it takes what "
                "--json has written\n",
                path, old ? "these are no predictions" : error.text);
    else
        printf("since %s:\n", path);
    if (good)
        print_all(&before, &now);
    sw_vec_finish(&before);
    sw_vec_finish(&now);
    json_decref(old);
    json_decref(new);
    return good;
}
