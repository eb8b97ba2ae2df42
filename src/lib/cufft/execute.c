/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execute.c - see fft.h: items of a batch are brought into a dense array of
 * complex numbers, transformed along each dimension, and stored.
 *
 * Of the transform of real numbers only n / 2 + 1 numbers of the last dimension
 * are stored: the dimension is transformed first into these, or last out of
 * these. The numbers between are made there.
 */
#include "lib/cufft/fft.h"

#include <string.h>

enum {
    LINES = 8,             /* transformed at once */
    LINE_BYTES = 1 << 20,  /* but no more than so much */
    GROUP_BYTES = 16 << 20 /* of items at once */
};

/* One group of items under way. A complex number is two of `part` bytes. */
typedef struct {
    const fft_plan *plan;
    size_t part;
    int64_t shape[FFT_MOST_RANK]; /* of the dense array */
    int64_t item;                 /* its numbers */
    char *dense, *line, *space;
    int sign;
} run;

static void
transform(const run *r, const fft_length *f, size_t lines)
{
    if (r->plan->is_double)
        fft_lines_double(f, (double *)r->line, (double *)r->space, lines,
                         r->sign);
    else
        fft_lines_float(f, (float *)r->line, (float *)r->space, lines, r->sign);
}

/* What stands between the array and a buffer of lines. */
typedef struct {
    int64_t first, step, next; /* numbers: of a line's first, to its next, to
                                  the next line */
    int64_t n;                 /* numbers of a line */
    int64_t given; /* so many are there; the others are conjugates */
} strand;

static void
gather(const run *r, const strand *s, size_t lines)
{
    size_t number = 2 * r->part;
    for (int64_t j = 0; j < s->n; j++) {
        bool mirrored = j >= s->given;
        int64_t from = mirrored ? s->n - j : j;
        for (size_t q = 0; q < lines; q++) {
            const char *a = r->dense + (size_t)(s->first + from * s->step +
                                                (int64_t)q * s->next) *
                                           number;
            char *b = r->line + ((size_t)j * lines + q) * number;
            memcpy(b, a, number);
            if (mirrored && r->plan->is_double)
                ((double *)b)[1] = -((double *)b)[1];
            else if (mirrored)
                ((float *)b)[1] = -((float *)b)[1];
        }
    }
}

static void
scatter(const run *r, const strand *s, size_t lines)
{
    size_t number = 2 * r->part;
    for (int64_t j = 0; j < s->n; j++)
        for (size_t q = 0; q < lines; q++)
            memcpy(r->dense +
                       (size_t)(s->first + j * s->step + (int64_t)q * s->next) *
                           number,
                   r->line + ((size_t)j * lines + q) * number, number);
}

static size_t
lines_of(const run *r, const fft_length *f)
{
    size_t most = LINE_BYTES / (fft_buffer_size(f, 1) * 2 * r->part);
    return most < 1 ? 1 : most < LINES ? most : LINES;
}

/* Along one dimension, of `items` items. */
static void
along(run *r, int axis, int64_t items)
{
    const fft_plan *p = r->plan;
    const fft_length *f = p->lengths[axis];
    bool is_last = axis == p->rank - 1;
    int64_t inner = 1, outer = items;
    for (int d = axis + 1; d < p->rank; d++)
        inner *= r->shape[d];
    for (int d = 0; d < axis; d++)
        outer *= r->shape[d];
    strand s = {.step = inner, .n = p->n[axis]};
    /* What the program gave of a line of real numbers is its first half. */
    s.given = is_last && p->form == FFT_TO_REAL ? s.n / 2 + 1 : s.n;
    size_t at_once = lines_of(r, f);
    int64_t count = inner > 1 ? inner : outer;
    int64_t rest = inner > 1 ? outer : 1;
    int64_t line_step = inner > 1 ? 1 : r->shape[axis];
    s.next = line_step;
    for (int64_t o = 0; o < rest; o++)
        for (int64_t i = 0; i < count; i += (int64_t)at_once) {
            size_t lines =
                count - i < (int64_t)at_once ? (size_t)(count - i) : at_once;
            s.first = o * inner * r->shape[axis] + i * line_step;
            gather(r, &s, lines);
            transform(r, f, lines);
            scatter(r, &s, lines);
        }
}

/* ---- elements of the program's ---- */

/* Calls of a row: the last dimension of the dense array. */
typedef void row_function(const run *r, const fft_side *side, void *memory,
                          int64_t place, int64_t row, int64_t count);

static sw_lib_domain
domain_of(const run *r)
{
    return r->plan->is_double ? SW_LIB_DOUBLE_COMPLEX : SW_LIB_FLOAT_COMPLEX;
}

static char *
element_at(const fft_side *side, void *memory, int64_t i)
{
    return (char *)memory + (int64_t)sw_lib_element_bytes(side->type) * i;
}

static void
load_row(const run *r, const fft_side *side, void *memory, int64_t place,
         int64_t row, int64_t count)
{
    size_t number = 2 * r->part;
    char *to = r->dense + (size_t)row * number;
    int64_t step = side->steps[r->plan->rank - 1];
    if (step == 1) {
        sw_lib_load(side->type, element_at(side, memory, place), (size_t)count,
                    domain_of(r), to);
        return;
    }
    for (int64_t k = 0; k < count; k++)
        sw_lib_load(side->type, element_at(side, memory, place + k * step), 1,
                    domain_of(r), to + (size_t)k * number);
}

static void
store_row(const run *r, const fft_side *side, void *memory, int64_t place,
          int64_t row, int64_t count)
{
    size_t number = 2 * r->part;
    const char *from = r->dense + (size_t)row * number;
    int64_t step = side->steps[r->plan->rank - 1];
    if (step == 1) {
        sw_lib_store(side->type, element_at(side, memory, place), (size_t)count,
                     domain_of(r), from);
        return;
    }
    for (int64_t k = 0; k < count; k++)
        sw_lib_store(side->type, element_at(side, memory, place + k * step), 1,
                     domain_of(r), from + (size_t)k * number);
}

/* Each row of `items` items, of which `count` numbers count. */
static void
each_row(const run *r, const fft_side *side, void *memory, int64_t first,
         int64_t items, int64_t count, row_function *fn)
{
    int rank = r->plan->rank;
    int64_t d0 = rank > 1 ? r->shape[0] : 1, d1 = rank > 2 ? r->shape[1] : 1;
    int64_t last = r->shape[rank - 1];
    for (int64_t b = 0; b < items; b++)
        for (int64_t i = 0; i < d0; i++)
            for (int64_t j = 0; j < d1; j++)
                fn(r, side, memory,
                   (first + b) * side->item +
                       (rank > 1 ? i * side->steps[0] : 0) +
                       (rank > 2 ? j * side->steps[1] : 0),
                   b * r->item + (i * d1 + j) * last, count);
}

static size_t
largest_buffer(const run *r)
{
    size_t most = 0;
    for (int d = 0; d < r->plan->rank; d++) {
        const fft_length *f = r->plan->lengths[d];
        size_t n = fft_buffer_size(f, lines_of(r, f));
        most = n > most ? n : most;
    }
    return most * 2 * r->part;
}

/* The rows of the array are as long as the transform: what real numbers need
 * no more of is computed for the other dimensions too, but not stored. */
void
fft_plan_execute(const fft_plan *p, const void *in, void *out, int sign)
{
    run r = {.plan = p, .sign = sign, .item = 1};
    int last = p->rank - 1;
    r.part = p->is_double ? sizeof(double) : sizeof(float);
    for (int d = 0; d < p->rank; d++) {
        r.shape[d] = p->n[d];
        r.item *= p->n[d];
    }
    int64_t half = p->n[last] / 2 + 1;
    int64_t group = GROUP_BYTES / (int64_t)((size_t)r.item * 2 * r.part);
    group = group < 1 ? 1 : group < p->batch ? group : p->batch;
    r.dense = sw_alloc((size_t)(group * r.item) * 2 * r.part);
    r.line = sw_alloc(largest_buffer(&r));
    r.space = sw_alloc(largest_buffer(&r));
    for (int64_t b = 0; b < p->batch; b += group) {
        int64_t items = p->batch - b < group ? p->batch - b : group;
        each_row(&r, &p->in, (void *)(uintptr_t)in, b, items,
                 p->form == FFT_TO_REAL ? half : p->n[last], load_row);
        for (int d = p->form == FFT_TO_REAL ? 0 : last;
             p->form == FFT_TO_REAL ? d < p->rank : d >= 0;
             d += p->form == FFT_TO_REAL ? 1 : -1)
            along(&r, d, items);
        each_row(&r, &p->out, out, b, items,
                 p->form == FFT_FROM_REAL ? half : p->n[last], store_row);
    }
    sw_free(r.dense);
    sw_free(r.line);
    sw_free(r.space);
}
