/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_transpose.c - lanes that go down the columns of a tile, `tile[x][y]`:
 * lanes far from each other lie side by side in memory, and neighbours do not.
 * Rows are moved as they lie, and transposed in registers, in as many steps as
 * a row's length has bits. LLVM would make each result of its own, from many
 * parts.
 */
#include "jit/emit/access_ways.h"
#include "jit/tune.h"

#define B e->ll.builder

enum {
    LEAST = 4, /* rows, and elements of a row: fewer are as well without */
    PIECE_BYTES = 16, /* within these, elements are woven */
    MOST = 16         /* elements of a machine's vector */
};

/* Lane c * rows + r has element c of row r. */
typedef struct {
    unsigned rows, length;
    const sw_jit_group *group[SW_LANES_MAX]; /* of a row, ... */
    int64_t at[SW_LANES_MAX];                /* ... bytes from its pointer */
    unsigned high, wide; /* what is transposed at once, rows and elements */
} columns;

static const sw_jit_group *
group_of(const sw_jit_access *a, unsigned lane)
{
    for (unsigned g = 0; g < a->group_count; g++)
        if (sw_jit_has_lane(&a->groups[g].lanes, lane))
            return &a->groups[g];
    return NULL;
}

/* The first lane that lies behind lane 0. */
static unsigned
count_rows(const sw_jit_emit *e, const sw_jit_access *a)
{
    const sw_jit_group *g = group_of(a, 0);
    for (unsigned i = 1; g && i < e->lanes; i++)
        if (sw_jit_has_lane(&g->lanes, i) && g->at[i] - g->at[0] == a->unit)
            return i;
    return 0;
}

static bool
is_power_of_two(unsigned n)
{
    return n && !(n & (n - 1));
}

static bool
find_columns(const sw_jit_emit *e, const sw_jit_access *a, columns *c)
{
    unsigned width = (e->ll.has_avx512 ? 64
                      : e->k.has_avx2  ? 32
                                       : 16) /
                     a->elem;
    c->rows = count_rows(e, a);
    if ((a->elem != 4 && a->elem != 8) || a->vec != 1 || a->is_part ||
        a->is_volatile || c->rows < sw_jit_tune.transpose_least ||
        !is_power_of_two(c->rows))
        return false;
    c->length = e->lanes / c->rows;
    if (c->length < sw_jit_tune.transpose_least || !is_power_of_two(c->length))
        return false;
    for (unsigned i = 0; i < e->lanes; i++) {
        unsigned r = i % c->rows;
        const sw_jit_group *g = group_of(a, i);
        if (i < c->rows) {
            c->group[r] = g;
            c->at[r] = g ? g->at[i] : 0;
        }
        if (!g || g != c->group[r] ||
            g->at[i] != c->at[r] + (int64_t)(i / c->rows) * a->unit)
            return false;
    }
    c->high = c->rows < width ? c->rows : width;
    c->wide = c->length < c->high ? c->length : c->high;
    return true;
}

static LLVMValueRef
row_pointer(sw_jit_emit *e, const sw_jit_access *a, const columns *c,
            unsigned row, unsigned first)
{
    int64_t at = c->at[row] + (int64_t)first * a->unit;
    return sw_jit_at(e, c->group[row]->pointer, sw_jit_i64(e, (uint64_t)at));
}

/* Vectors j and j + d: of each 2 * d elements the upper half of the first one
 * changes places with the lower half of the second one. */
static void
exchange(sw_jit_emit *e, LLVMValueRef *x, unsigned n, unsigned size, unsigned d)
{
    for (unsigned j = 0; j < n; j++) {
        int low[MOST], high[MOST];
        if (j & d)
            continue;
        for (unsigned i = 0; i < size; i++) {
            low[i] = (int)(i & d ? size + i - d : i);
            high[i] = (int)(i & d ? size + i : i + d);
        }
        LLVMValueRef a = x[j], b = x[j + d];
        x[j] = sw_jit_shuffle_two(e, a, b, low, size);
        x[j + d] = sw_jit_shuffle_two(e, a, b, high, size);
    }
}

/* n vectors of `high` elements, which are squares of n by n side by side: each
 * of those is transposed. Does it twice, and all is as before. */
static void
turn(sw_jit_emit *e, LLVMValueRef *x, const columns *c, unsigned bytes)
{
    unsigned d = 1;
    if (bytes == 4) { /* pieces of four elements: unpacking is faster */
        for (unsigned j = 0; j < c->wide; j += 4) {
            LLVMValueRef y[4] = {x[j], x[j + 1], x[j + 2], x[j + 3]};
            sw_jit_transpose_lanes_of_16(e, y, x + j);
        }
        d = PIECE_BYTES / 4;
    }
    for (; d < c->wide; d *= 2)
        exchange(e, x, c->wide, c->high, d);
}

bool
sw_jit_load_columns(sw_jit_emit *e, const sw_jit_access *a)
{
    columns c;
    LLVMValueRef lanes[SW_LANES_MAX / LEAST];
    if (!find_columns(e, a, &c))
        return false;
    LLVMTypeRef type = LLVMVectorType(sw_jit_elem_type(e, a), c.wide);
    for (unsigned r = 0; r < c.rows; r += c.high)
        for (unsigned first = 0; first < c.length; first += c.wide) {
            LLVMValueRef x[MOST], part[MOST];
            for (unsigned j = 0; j < c.wide; j++) {
                for (unsigned s = 0; s < c.high / c.wide; s++) {
                    part[s] = LLVMBuildLoad2(
                        B, type,
                        row_pointer(e, a, &c, r + s * c.wide + j, first), "");
                    sw_jit_set_align(part[s], a->elem);
                }
                x[j] = sw_jit_concatenate_all(e, part, c.high / c.wide, c.wide);
            }
            turn(e, x, &c, a->elem);
            for (unsigned j = 0; j < c.wide; j++)
                lanes[((first + j) * c.rows + r) / c.high] = x[j];
        }
    sw_jit_write_loaded(
        e, a, 0, sw_jit_concatenate_all(e, lanes, e->lanes / c.high, c.high));
    return true;
}

/* Whether so many lanes from this one on lie side by side. */
static bool
is_run(const sw_jit_access *a, unsigned first, unsigned count)
{
    const sw_jit_group *g = group_of(a, first);
    for (unsigned i = 1; g && i < count; i++)
        if (!sw_jit_has_lane(&g->lanes, first + i) ||
            g->at[first + i] - g->at[first] != (int64_t)i * a->unit)
            return false;
    return g;
}

bool
sw_jit_find_rows(sw_jit_emit *e, const sw_jit_access *a, sw_jit_rows *rows)
{
    if (a->vec != 1 || a->is_part || a->is_volatile)
        return false;
    unsigned n = e->lanes / 2;
    for (; n >= SW_JIT_ROW_LEAST; n /= 2) {
        unsigned i = 0;
        while (i < e->lanes && is_run(a, i, n))
            i += n;
        if (i == e->lanes)
            break;
    }
    if (n < SW_JIT_ROW_LEAST || is_run(a, 0, e->lanes))
        return false;
    rows->lanes = n;
    rows->count = e->lanes / n;
    for (unsigned r = 0; r < rows->count; r++) {
        const sw_jit_group *g = group_of(a, r * n);
        rows->first[r] =
            sw_jit_at(e, g->pointer, sw_jit_i64(e, (uint64_t)g->at[r * n]));
    }
    return true;
}

/* Of one group, where it is known: then it does not matter what is stored
 * first. */
static bool
do_overlap(const sw_jit_access *a, const columns *c)
{
    int64_t bytes = (int64_t)c->length * a->unit;
    for (unsigned r = 0; r < c->rows; r++)
        for (unsigned q = 0; q < r; q++)
            if (c->group[r] == c->group[q] && c->at[r] - c->at[q] < bytes &&
                c->at[q] - c->at[r] < bytes)
                return true;
    return false;
}

bool
sw_jit_store_columns(sw_jit_emit *e, const sw_jit_access *a)
{
    columns c;
    if (!e->mask.is_full || !find_columns(e, a, &c) || do_overlap(a, &c))
        return false;
    LLVMValueRef all = sw_jit_stored(e, a, 0);
    for (unsigned r = 0; r < c.rows; r += c.high)
        for (unsigned first = 0; first < c.length; first += c.wide) {
            LLVMValueRef x[MOST];
            for (unsigned j = 0; j < c.wide; j++)
                x[j] =
                    sw_jit_elements(e, all, (first + j) * c.rows + r, c.high);
            turn(e, x, &c, a->elem);
            for (unsigned j = 0; j < c.wide; j++)
                for (unsigned s = 0; s < c.high / c.wide; s++)
                    sw_jit_set_align(
                        LLVMBuildStore(
                            B, sw_jit_elements(e, x[j], s * c.wide, c.wide),
                            row_pointer(e, a, &c, r + s * c.wide + j, first)),
                        a->elem);
        }
    return true;
}
