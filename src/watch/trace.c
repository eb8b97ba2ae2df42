/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - see trace.h. */
#include "watch/trace.h"

#include <string.h>

enum { RUN, JUMP, MASK, ACCESS, KINDS_SHIFT = 2 };
enum {
    NUMBER_MOST = 10,                   /* bytes of a number */
    ITEM_MOST = (3 + 34) * NUMBER_MOST, /* of what is added at once */
    FIRST_ROOM = 256,
    MAGIC = 0x31525453 /* "STR1" */
};

/* ---- writing ---- */

void
sw_trace_init(sw_trace_block *trace, uint64_t block_index, uint32_t warp_count,
              uint32_t bytes)
{
    *trace =
        (sw_trace_block){.block_index = block_index, .warp_count = warp_count};
    trace->warps = sw_alloc((warp_count + 1) * sizeof *trace->warps);
    for (uint32_t i = 0; i < warp_count; i++)
        trace->warps[i].most = bytes;
}

void
sw_trace_finish(sw_trace_block *trace)
{
    for (uint32_t i = 0; i < trace->warp_count; i++)
        sw_free(trace->warps[i].bytes);
    sw_free(trace->warps);
    *trace = (sw_trace_block){0};
}

/* Room for what is added at once; false: the stream is full. */
static bool
make_room(sw_trace_warp *w)
{
    if (w->is_cut || (w->most && w->count + ITEM_MOST > w->most)) {
        w->is_cut = true;
        return false;
    }
    if (w->count + ITEM_MOST <= w->room)
        return true;
    w->room = w->room ? w->room * 2 : FIRST_ROOM + ITEM_MOST;
    w->bytes = sw_realloc(w->bytes, w->room);
    return true;
}

static inline void
put(sw_trace_warp *w, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        w->bytes[w->count++] = (uint8_t)(n | 0x80);
    w->bytes[w->count++] = (uint8_t)n;
}

static inline uint64_t
zigzag(int64_t n)
{
    return (uint64_t)n << 1 ^ (uint64_t)(n >> 63);
}

static inline void
end_run(sw_trace_warp *w)
{
    if (w->run)
        put(w, (uint64_t)w->run << KINDS_SHIFT | RUN);
    w->run = 0;
}

void
sw_trace_add_slowly(sw_trace_warp *w, uint32_t index, uint32_t mask)
{
    if (!make_room(w))
        return;
    end_run(w);
    if (index != w->next)
        put(w, zigzag((int64_t)index - w->next) << KINDS_SHIFT | JUMP);
    if (mask != w->mask)
        put(w, (uint64_t)mask << KINDS_SHIFT | MASK);
    w->mask = mask;
    w->next = index + 1;
    w->run = 1;
}

void
sw_trace_add_access(sw_trace_warp *w, sw_space space, uint32_t bytes,
                    uint32_t mask, const uint64_t addr[32])
{
    if (!mask || !make_room(w))
        return;
    unsigned lane = (unsigned)__builtin_ctz(mask), log = 0;
    uint32_t rest = mask & (mask - 1);
    uint64_t first = addr[lane];
    int64_t stride = bytes;
    if (rest) {
        unsigned second = (unsigned)__builtin_ctz(rest);
        int64_t away = (int64_t)(addr[second] - first);
        int64_t lanes = (int64_t)second - lane;
        stride = away % lanes ? INT64_MIN : away / lanes;
    }
    uint64_t other = 0;
    if (mask == UINT32_MAX)
        for (uint64_t i = 0; i < 32; i++)
            other |= addr[i] ^ (first + i * (uint64_t)stride);
    else
        for (uint32_t m = rest; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            other |= addr[i] ^ (first + (i - lane) * (uint64_t)stride);
        }
    sw_trace_lie lie = other             ? SW_TRACE_LIST
                       : stride == bytes ? SW_TRACE_ROW
                                         : SW_TRACE_STRIDE;
    while (1u << log < bytes && log < 7)
        log++;
    end_run(w);
    uint64_t a = (uint64_t)lie | (uint64_t)log << 2 | (uint64_t)space << 5;
    if (mask != w->mask) /* of a part of the lanes */
        put(w, (uint64_t)mask << KINDS_SHIFT | MASK);
    w->mask = mask;
    put(w, a << KINDS_SHIFT | ACCESS);
    put(w, zigzag((int64_t)(first - w->last)));
    w->last = first;
    if (lie == SW_TRACE_STRIDE)
        put(w, zigzag(stride));
    uint64_t before = first;
    for (uint32_t m = lie == SW_TRACE_LIST ? rest : 0; m; m &= m - 1) {
        uint64_t at = addr[__builtin_ctz(m)];
        put(w, zigzag((int64_t)(at - before)));
        before = at;
    }
}

void
sw_trace_end(sw_trace_warp *w)
{
    if (make_room(w))
        end_run(w);
}

/* ---- reading ---- */

sw_trace_reader
sw_trace_read(const sw_trace_warp *w)
{
    return (sw_trace_reader){.at = w->bytes, .end = w->bytes + w->count};
}

static inline uint64_t
get(sw_trace_reader *r)
{
    uint64_t n = 0;
    for (unsigned shift = 0; r->at < r->end && shift < 70; shift += 7) {
        uint8_t byte = *r->at++;
        n |= (uint64_t)(byte & 0x7f) << (shift & 63);
        if (!(byte & 0x80))
            return n;
    }
    r->is_broken = true;
    return 0;
}

static inline int64_t
signed_of(uint64_t n)
{
    return (int64_t)(n >> 1 ^ (0 - (n & 1)));
}

static bool
read_access(sw_trace_reader *r, uint64_t a, sw_trace_item *item)
{
    item->is_access = true;
    item->index = r->next - 1;
    item->mask = r->mask;
    item->lie = (sw_trace_lie)(a & 3);
    item->bytes = 1u << (a >> 2 & 7);
    item->space = (sw_space)(a >> 5);
    item->first = r->last += (uint64_t)signed_of(get(r));
    item->stride = item->bytes;
    if (!r->mask || a >> 5 >= SW_SPACE_COUNT || item->lie > SW_TRACE_LIST) {
        r->is_broken = true;
        return false;
    }
    if (item->lie == SW_TRACE_STRIDE)
        item->stride = signed_of(get(r));
    if (item->lie != SW_TRACE_LIST)
        return !r->is_broken;
    uint64_t at = item->first;
    item->addr[__builtin_ctz(r->mask)] = at;
    for (uint32_t m = r->mask & (r->mask - 1); m; m &= m - 1)
        item->addr[__builtin_ctz(m)] = at += (uint64_t)signed_of(get(r));
    return !r->is_broken;
}

bool
sw_trace_next(sw_trace_reader *r, sw_trace_item *item)
{
    while (!r->run) {
        if (r->at >= r->end || r->is_broken)
            return false;
        uint64_t n = get(r);
        switch (n & 3) {
        case RUN:
            r->run = (uint32_t)(n >> KINDS_SHIFT);
            break;
        case JUMP:
            r->next += (uint32_t)signed_of(n >> KINDS_SHIFT);
            break;
        case MASK:
            r->mask = (uint32_t)(n >> KINDS_SHIFT);
            break;
        default:
            return read_access(r, n >> KINDS_SHIFT, item);
        }
    }
    if (r->is_broken)
        return false;
    r->run--;
    item->is_access = false;
    item->index = r->next++;
    item->mask = r->mask;
    return true;
}

/* ---- files ---- */

static void
put_words(sw_buf *out, const uint32_t *words, size_t count)
{
    sw_buf_add(out, (const char *)words, count * sizeof *words);
}

void
sw_trace_save(const sw_trace_block *trace, sw_buf *out)
{
    uint32_t head[4] = {MAGIC, trace->warp_count, (uint32_t)trace->block_index,
                        (uint32_t)(trace->block_index >> 32)};
    put_words(out, head, 4);
    for (uint32_t i = 0; i < trace->warp_count; i++) {
        const sw_trace_warp *w = &trace->warps[i];
        put_words(out, (uint32_t[2]){w->count, w->is_cut}, 2);
        sw_buf_add(out, (const char *)w->bytes, w->count);
    }
}

static bool
take_words(sw_str *bytes, uint32_t *words, size_t count)
{
    size_t n = count * sizeof *words;
    if (bytes->n < n)
        return false;
    memcpy(words, bytes->p, n);
    *bytes = (sw_str){bytes->p + n, bytes->n - n};
    return true;
}

sw_status
sw_trace_load(sw_str *bytes, sw_trace_block *trace)
{
    enum { WARPS_MOST = 64 };
    uint32_t head[4], warp[2];
    *trace = (sw_trace_block){0};
    if (!take_words(bytes, head, 4) || head[0] != MAGIC || head[1] > WARPS_MOST)
        return SW_E_INVAL;
    sw_trace_init(trace, head[2] | (uint64_t)head[3] << 32, head[1], 0);
    for (uint32_t i = 0; i < trace->warp_count; i++) {
        sw_trace_warp *w = &trace->warps[i];
        if (!take_words(bytes, warp, 2) || bytes->n < warp[0]) {
            sw_trace_finish(trace);
            return SW_E_INVAL;
        }
        w->count = w->room = warp[0];
        w->is_cut = warp[1] != 0;
        w->bytes = sw_alloc(w->count + 1);
        memcpy(w->bytes, bytes->p, w->count);
        *bytes = (sw_str){bytes->p + w->count, bytes->n - w->count};
    }
    return SW_OK;
}
