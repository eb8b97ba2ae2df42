/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - what the warps of a block did, in few bytes: instructions by their
 * number in the kernel, masks, addresses. What a model of time plays.
 *
 * A trace of a block is a stream of bytes for each of its warps, of at most so
 * many bytes: what does not fit is left out from there on, and the stream says
 * so. A warp-instruction takes a fraction of a byte where the warp goes on
 * without branching, an access about four bytes if its lanes lie in a row.
 * Pure data: no threads, no files but for sw_trace_save and sw_trace_load.
 *
 * The stream: items, each a number in bytes of 7 bits, lowest first, whose low
 * two bits are its kind:
 *
 *   RUN     n << 2      n more instructions, each behind the one before
 *   JUMP    d << 2 | 1  the next one is d (zigzag) from where it would be
 *   MASK    m << 2 | 2  from now on this mask executes
 *   ACCESS  a << 2 | 3  of the last instruction of the run: a = how lanes lie |
 *                       log2 of their bytes << 2 | space << 5; then numbers:
 *                       the first lane's address (zigzag, from that of the
 *                       warp's access before), and for STRIDE the distance
 *                       (zigzag), for LIST a byte, 1, 2, 4 or 8, and, in so
 *                       many bytes each, lowest first, how far each further
 *                       lane of the mask is from the first (signed)
 */
#ifndef SW_WATCH_TRACE_H
#define SW_WATCH_TRACE_H
#include "exec/event.h"

typedef enum {
    SW_TRACE_ROW,    /* lane i at first + i * bytes */
    SW_TRACE_STRIDE, /* lane i at first + i * stride */
    SW_TRACE_LIST
} sw_trace_lie;

/* One warp's stream; zeroed at first. */
typedef struct {
    uint8_t *bytes;
    uint32_t count, room, most; /* most: the bound; 0: none */
    bool is_cut;                /* there was more */
    /* Of the writer: */
    uint32_t next, run, mask;
    uint64_t last;
} sw_trace_warp;

/* The trace of one block. */
typedef struct {
    uint64_t block_index;
    uint32_t warp_count;
    sw_trace_warp *warps;
} sw_trace_block;

/* bytes: bound of each warp's stream. Owned by caller, sw_trace_finish. */
void sw_trace_init(sw_trace_block *trace, uint64_t block_index,
                   uint32_t warp_count, uint32_t bytes);
void sw_trace_finish(sw_trace_block *trace);

/* The warp executes instruction `index` by the lanes of the mask. */
void sw_trace_add_slowly(sw_trace_warp *w, uint32_t index, uint32_t mask);
static inline void
sw_trace_add(sw_trace_warp *w, uint32_t index, uint32_t mask)
{
    if (index == w->next && mask == w->mask) {
        w->next++;
        w->run++;
    } else {
        sw_trace_add_slowly(w, index, mask);
    }
}
/* It accesses memory; as in sw_ev_mem. bytes: a power of two up to 128, else
 * the next one. */
void sw_trace_add_access(sw_trace_warp *w, sw_space space, uint32_t bytes,
                         uint32_t mask, const uint64_t addr[32]);
/* Nothing more comes. */
void sw_trace_end(sw_trace_warp *w);

/* ---- reading ---- */

typedef struct {
    const uint8_t *at, *end;
    uint32_t next, run, mask;
    uint64_t last;
    bool is_broken; /* the stream makes no sense */
} sw_trace_reader;

typedef struct {
    bool is_access;
    uint32_t mask;
    uint32_t index; /* of the instruction; of an access the last one's */
    /* An access: */
    sw_space space;
    sw_trace_lie lie;
    uint32_t bytes;
    uint64_t first;    /* of the lowest lane of the mask */
    int64_t stride;    /* of ROW, STRIDE */
    uint64_t addr[32]; /* LIST: of lanes of the mask */
} sw_trace_item;

/* The stream must stay. */
sw_trace_reader sw_trace_read(const sw_trace_warp *w);
/* False: there are no more, or is_broken. */
bool sw_trace_next(sw_trace_reader *r, sw_trace_item *item);
/* The address of a lane of an access. */
static inline uint64_t
sw_trace_address(const sw_trace_item *item, unsigned lane)
{
    if (item->lie == SW_TRACE_LIST)
        return item->addr[lane];
    int64_t away = (int64_t)lane - __builtin_ctz(item->mask);
    return item->first + (uint64_t)(away * item->stride);
}

/* ---- files ---- */

/* Adds the block to what is in `out`. */
void sw_trace_save(const sw_trace_block *trace, sw_buf *out);
/* Takes the first block off *bytes. SW_E_INVAL: it is none; *trace is empty.
 * Owned by caller, sw_trace_finish. */
sw_status sw_trace_load(sw_str *bytes, sw_trace_block *trace);

#endif
