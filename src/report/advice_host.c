/* SPDX-License-Identifier: Apache-2.0 */
/* advice_host.c - what the order of copies and launches shows. */
#include <stdlib.h>

#include "report/advice.h"

enum {
    SMALL_BYTES = 64 << 10, /* below this a copy's latency outweighs its size */
    MANY = 8
};

/* A copy or a launch, in the order in which the program asked for them. */
typedef struct {
    uint64_t queued;
    uint32_t process;
    const sw_record_copy *copy; /* NULL: a launch */
} step;

static int
compare(const void *a, const void *b)
{
    const step *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->queued < y->queued ? -1 : x->queued > y->queued;
}

static void
collect(const sw_profile *p, sw_vec *steps)
{
    SW_PROFILE_EACH (const sw_profile_copy, c, &p->copies)
        *(step *)sw_vec_push(steps) = (step){c->r.queued_ns, c->process, &c->r};
    SW_PROFILE_EACH (const sw_profile_launch, l, &p->launches)
        *(step *)sw_vec_push(steps) = (step){l->r.queued_ns, l->process, NULL};
    if (steps->count)
        qsort(steps->data, steps->count, sizeof(step), compare);
}

static void
add(sw_vec *out, sw_advice_kind kind, uint32_t process, double weight,
    const char *text, const char *rule)
{
    *(sw_advice *)sw_vec_push(out) = (sw_advice){.kind = kind,
                                                 .weight = weight,
                                                 .group = UINT32_MAX,
                                                 .process = process,
                                                 .file = "",
                                                 .text = text,
                                                 .rule = rule};
}

static bool
is_transfer(const sw_record_copy *c)
{
    return c && (c->from <= SW_PLACE_PINNED) != (c->to <= SW_PLACE_PINNED);
}

/* Copies of one direction, one right after another: the longest such run. */
static void
find_small(const sw_profile *p, const sw_vec *steps, sw_vec *out)
{
    const step *s = steps->data;
    size_t best = 0, best_at = 0, i = 0;
    while (i < steps->count) {
        size_t n = 0;
        while (i + n < steps->count && is_transfer(s[i + n].copy) &&
               s[i + n].process == s[i].process &&
               s[i + n].copy->from == s[i].copy->from &&
               s[i + n].copy->to == s[i].copy->to &&
               s[i + n].copy->bytes < SMALL_BYTES)
            n++;
        if (n > best) {
            best = n;
            best_at = i;
        }
        i += n ? n : 1;
    }
    if (best < MANY)
        return;
    uint64_t bytes = 0;
    for (i = best_at; i < best_at + best; i++)
        bytes += s[i].copy->bytes;
    const sw_record_copy *c = s[best_at].copy;
    add(out, SW_ADVICE_SMALL_COPIES, s[best_at].process, 0.5,
        sw_arena_printf(
            p->arena,
            "%zu copies %sto%s of %llu byte%s on average follow each other. "
            "Gather the data and copy the %llu bytes at once: each copy has a "
            "cost of its own, whatever its size.",
            best, sw_place_letter(c->from), sw_place_letter(c->to),
            (unsigned long long)(bytes / best), bytes / best == 1 ? "" : "s",
            (unsigned long long)bytes),
        "Best Practices Guide, Data Transfer Between Host and Device");
}

/* Launches with a blocking copy before or after each, again and again. */
static void
find_blocking(const sw_profile *p, const sw_vec *steps, sw_vec *out)
{
    const step *s = steps->data;
    size_t launches = 0;
    uint32_t process = UINT32_MAX;
    uint64_t bytes = 0;
    for (size_t i = 0; i + 1 <= steps->count; i++) {
        if (s[i].process != process) {
            process = s[i].process;
            launches = 0;
            bytes = 0;
        }
        bool after = !s[i].copy && i + 1 < steps->count &&
                     s[i + 1].process == process &&
                     is_transfer(s[i + 1].copy) && s[i + 1].copy->is_blocking;
        if (after) {
            launches++;
            bytes += s[i + 1].copy->bytes;
        }
        bool last = i + 1 == steps->count || s[i + 1].process != process;
        if (!last || launches < MANY)
            continue;
        add(out, SW_ADVICE_BLOCKING_COPIES, process, 0.4,
            sw_arena_printf(
                p->arena,
                "%zu launches are each followed by a copy for which the "
                "program waits (%llu bytes in all): copies and kernels never "
                "overlap. Use pinned memory (cudaMallocHost), cudaMemcpyAsync "
                "and two streams that take turns; or leave the data on the "
                "device.",
                launches, (unsigned long long)bytes),
            "Best Practices Guide, Asynchronous and Overlapping Transfers "
            "with Computation");
    }
}

void
sw_advice_of_program(const sw_profile *p, sw_vec *out)
{
    sw_vec steps;
    sw_vec_init(&steps, sizeof(step));
    collect(p, &steps);
    find_small(p, &steps, out);
    find_blocking(p, &steps, out);
    sw_vec_finish(&steps);
}
