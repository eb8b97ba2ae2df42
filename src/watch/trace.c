/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - see trace.h. */
#include "watch/trace.h"

#include <string.h>

enum { RUN, JUMP, MASK, ACCESS, KINDS_SHIFT = 2 };
enum {
    NUMBER_MOST = 10,                   /* bytes of a number */
    ITEM_MOST = (3 + 34) * NUMBER_MOST, /* of what is added at once */
    FIRST_ROOM = 256,
    MAGIC = 0x32525453 /* "STR2" */
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

/* Distances as numbers of `bytes`, lowest byte first. */
#define PUT_AS(type)                                                           \
    {                                                                          \
        type small[31];                                                        \
        for (unsigned i = 0; i < 31; i++)                                      \
            small[i] = (type)away[i];                                          \
        memcpy(to, small, sizeof small);                                       \
    }

static void
put_distances(uint8_t *to, const int64_t away[31], unsigned bytes)
{
    switch (bytes) {
    case 1:
        PUT_AS(int8_t) break;
    case 2:
        PUT_AS(int16_t) break;
    case 4:
        PUT_AS(int32_t) break;
    default:
        PUT_AS(int64_t)
    }
}

/* Lanes of `rest` lie anywhere: how far from `first`, each in as many bytes as
 * the farthest takes, behind the number of these. */
static void
put_list(sw_trace_warp *w, uint32_t rest, uint64_t first,
         const uint64_t addr[32])
{
    int64_t away[31];
    uint64_t changes = 0; /* bits that are not the one below, of any */
    unsigned n = 0, bytes = 1;
    if (rest == UINT32_MAX - 1)
        for (; n < 31; n++)
            away[n] = (int64_t)(addr[n + 1] - first);
    else
        for (uint32_t m = rest; m; m &= m - 1)
            away[n++] = (int64_t)(addr[__builtin_ctz(m)] - first);
    for (unsigned i = n; i < 31; i++)
        away[i] = 0;
    for (unsigned i = 0; i < 31; i++)
        changes |= (uint64_t)away[i] ^ (uint64_t)away[i] << 1;
    while (bytes < 8 && changes >> (8 * bytes))
        bytes *= 2;
    w->bytes[w->count++] = (uint8_t)bytes;
    put_distances(w->bytes + w->count, away, bytes);
    w->count += n * bytes;
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
        if (lanes == 1)
            stride = away;
        else
            stride = away % lanes ? INT64_MIN : away / lanes;
    }
    uint64_t other = 0;
    if (mask == UINT32_MAX) {
        other = addr[2] ^ (first + 2 * (uint64_t)stride);
        for (uint64_t i = 0; !other && i < 32; i++)
            other = addr[i] ^ (first + i * (uint64_t)stride);
    } else {
        for (uint32_t m = rest; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            other |= addr[i] ^ (first + (i - lane) * (uint64_t)stride);
        }
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
    if (lie == SW_TRACE_LIST)
        put_list(w, rest, first, addr);
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

#define GET_AS(type)                                                           \
    {                                                                          \
        type small[31];                                                        \
        memcpy(small, from, n * sizeof *small);                                \
        for (unsigned i = 0; i < n; i++)                                       \
            away[i] = small[i];                                                \
    }

/* n of them. */
static bool
get_distances(sw_trace_reader *r, int64_t away[31], unsigned n)
{
    size_t left = (size_t)(r->end - r->at);
    unsigned bytes = left ? *r->at : 0;
    bool is_sound = (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) &&
                    left > n * bytes;
    const uint8_t *from = r->at + 1;
    switch (is_sound ? bytes : 0) {
    case 1:
        GET_AS(int8_t) break;
    case 2:
        GET_AS(int16_t) break;
    case 4:
        GET_AS(int32_t) break;
    case 8:
        GET_AS(int64_t) break;
    default:
        break;
    }
    r->at += is_sound ? 1 + n * bytes : 0;
    r->is_broken |= !is_sound;
    return is_sound;
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
    int64_t away[31];
    uint32_t rest = r->mask & (r->mask - 1);
    unsigned i = 0;
    if (!get_distances(r, away, (unsigned)__builtin_popcount(rest)))
        return false;
    item->addr[__builtin_ctz(r->mask)] = item->first;
    if (r->mask == UINT32_MAX)
        for (; i < 31; i++)
            item->addr[i + 1] = item->first + (uint64_t)away[i];
    else
        for (uint32_t m = rest; m; m &= m - 1)
            item->addr[__builtin_ctz(m)] = item->first + (uint64_t)away[i++];
    return true;
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
