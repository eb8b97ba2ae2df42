/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_log.h - what each warp of a launch did, a line an event, so that
 * engines can be compared: by all callbacks, or (takes_words) from the words of
 * exec/event_buffer.h where compiled code writes them. Blocks that do not end
 * are left out. Addresses count from the beginning of their allocation.
 */
#ifndef EVENT_LOG_H
#define EVENT_LOG_H
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "exec/event_buffer.h"
#include "mem/mem.h"

enum { EVENT_LOG_WARPS = 32 };

/* One block's. */
typedef struct {
    uint64_t index;
    sw_buf warp[EVENT_LOG_WARPS];
} event_log_block;

typedef struct {
    sw_observer observer;
    pthread_mutex_t lock;
    event_log_block **blocks; /* [count] that have ended */
    size_t count, begun;
} event_log;

static inline sw_buf *
event_log_of(const sw_ev_where *w)
{
    return &((event_log_block *)w->state)->warp[w->warp % EVENT_LOG_WARPS];
}

static inline void *
event_log_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    event_log *log = arg;
    event_log_block *b = sw_alloc(sizeof *b);
    (void)block;
    b->index = index;
    for (int i = 0; i < EVENT_LOG_WARPS; i++)
        sw_buf_init(&b->warp[i]);
    pthread_mutex_lock(&log->lock);
    log->begun++;
    pthread_mutex_unlock(&log->lock);
    return b;
}

static inline void
event_log_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    event_log *log = arg;
    (void)block;
    (void)index;
    pthread_mutex_lock(&log->lock);
    log->blocks =
        sw_realloc(log->blocks, (log->count + 1) * sizeof(event_log_block *));
    log->blocks[log->count++] = state;
    pthread_mutex_unlock(&log->lock);
}

static inline void
event_log_ins(void *arg, const sw_ev_where *w)
{
    (void)arg;
    sw_buf_printf(event_log_of(w), "ins %u %08x of %08x\n", w->index, w->mask,
                  w->active);
}

static inline void
event_log_bytes(sw_buf *out, const uint8_t *bytes, uint32_t n)
{
    sw_buf_puts(out, "=");
    for (uint32_t i = 0; i < n; i++)
        sw_buf_printf(out, "%02x", bytes[i]);
}

static inline void
event_log_mem(void *arg, const sw_ev_where *w, const sw_ev_mem *m)
{
    sw_buf *out = event_log_of(w);
    (void)arg;
    sw_buf_printf(out, "mem %u %08x %s %u %d%d%d%d %s %s:", w->index, w->mask,
                  sw_space_text(m->space), m->bytes, m->is_read, m->is_write,
                  m->is_atomic, m->is_async, sw_order_text(m->order),
                  sw_scope_text(m->scope));
    for (uint32_t l = w->mask; l; l &= l - 1) {
        unsigned i = (unsigned)__builtin_ctz(l);
        uint64_t at = m->addr[i];
        sw_mem_range range;
        if (m->space == SW_SPACE_GLOBAL || m->space == SW_SPACE_CONST)
            at = sw_mem_find(at, &range) ? at - range.base : UINT64_MAX;
        sw_buf_printf(out, " %" PRIx64, at);
        /* What a block finds in memory of its own is anything. */
        if (m->before && (m->space == SW_SPACE_GLOBAL || !m->is_write))
            event_log_bytes(out, m->before + i * m->bytes, m->bytes);
        if (m->after)
            event_log_bytes(out, m->after + i * m->bytes, m->bytes);
    }
    sw_buf_puts(out, "\n");
}

static inline void
event_log_branch(void *arg, const sw_ev_where *w, const sw_ev_branch *b)
{
    (void)arg;
    sw_buf_printf(event_log_of(w), "branch %u %08x %08x\n", w->index, w->mask,
                  b->taken);
}

static inline void
event_log_barrier(void *arg, const sw_ev_where *w, const sw_ev_barrier *b)
{
    (void)arg;
    sw_buf_printf(event_log_of(w), "barrier %u %08x %u %d%d%d%d %u %u %u\n",
                  w->index, w->mask, b->barrier, b->is_arrival, b->waits,
                  b->is_aligned, b->is_cluster, b->expected,
                  b->is_arrival ? b->live : 0, b->generation);
}

static inline void
event_log_fence(void *arg, const sw_ev_where *w, const sw_ev_fence *f)
{
    (void)arg;
    sw_buf_printf(event_log_of(w), "fence %u %08x %s %s\n", w->index, w->mask,
                  sw_order_text(f->order), sw_scope_text(f->scope));
}

static inline void
event_log_async(void *arg, const sw_ev_where *w, const sw_ev_async *a)
{
    (void)arg;
    sw_buf_printf(event_log_of(w), "async %u %08x %d %u\n", w->index, w->mask,
                  a->kind, a->groups);
}

static inline void
event_log_warp(void *arg, const sw_ev_where *w, const sw_ev_warp *v)
{
    sw_buf *out = event_log_of(w);
    (void)arg;
    sw_buf_printf(out, "warp %u %08x:", w->index, w->mask);
    for (uint32_t l = w->mask; l; l &= l - 1) {
        unsigned i = (unsigned)__builtin_ctz(l);
        sw_buf_printf(out, " %x", v->members[i]);
        if (v->from)
            sw_buf_printf(out, "/%u", v->from[i]);
    }
    sw_buf_puts(out, "\n");
}

static inline void
event_log_mbar(void *arg, const sw_ev_where *w, const sw_ev_mbar *m)
{
    (void)arg;
    sw_buf_printf(event_log_of(w), "mbar %u %08x %d %d%d\n", w->index, w->mask,
                  m->op, m->drops, m->is_async);
}

static inline void
event_log_exited(void *arg, const sw_ev_where *w, const sw_ev_exit *x)
{
    (void)arg;
    (void)x;
    sw_buf_printf(event_log_of(w), "exit %u %08x\n", w->index, w->mask);
}

/* ---- from words ---- */

static inline void
event_log_access(void *arg, sw_ev_where *where, const sw_ev_buffer *b,
                 const uint64_t *word, uint32_t n)
{
    const sw_ev_site *site = &b->sites[sw_ev_number_of(*word) + n];
    uint64_t addr[32];
    sw_ev_mem mem = site->mem;
    where->index = site->index;
    sw_ev_addresses(site, sw_ev_rest_of(word, b->warps), addr);
    mem.addr = addr;
    event_log_mem(arg, where, &mem);
}

/* Accesses and barriers of them. */
static inline void
event_log_buffer(void *arg, void *state, const sw_ev_buffer *b)
{
    uint32_t first = b->warp;
    const uint64_t *end = b->words + b->count;
    for (const uint64_t *word = b->words; word < end;
         word += sw_ev_words_of(b->sites, *word, b->warps)) {
        sw_ev_word kind = sw_ev_kind_of(*word);
        if (kind == SW_EV_WORD_WARP)
            first = sw_ev_number_of(*word);
        for (uint32_t n = 0; sw_ev_has_masks(kind) && n < b->warps; n++) {
            sw_ev_where where = {.state = state,
                                 .warp = first + n,
                                 .index = sw_ev_number_of(*word),
                                 .mask = sw_ev_mask_of(word, b->warps, n)};
            if (!where.mask)
                continue;
            if (kind == SW_EV_WORD_ACCESS)
                event_log_access(arg, &where, b, word, n);
            else if (kind == SW_EV_WORD_ARRIVE || kind == SW_EV_WORD_RELEASE)
                sw_buf_printf(event_log_of(&where), "%s %u %08x\n",
                              kind == SW_EV_WORD_ARRIVE ? "arrive" : "release",
                              where.index, where.mask);
        }
    }
}

/* As event_log_buffer sees barriers of the block. */
static inline void
event_log_plain_barrier(void *arg, const sw_ev_where *w, const sw_ev_barrier *b)
{
    (void)arg;
    sw_buf_printf(event_log_of(w), "%s %u %08x\n",
                  b->is_arrival ? "arrive" : "release", w->index, w->mask);
}

/* ---- the log ---- */

static inline void
event_log_open(event_log *log, uint32_t events, bool takes_words)
{
    *log = (event_log){.lock = PTHREAD_MUTEX_INITIALIZER};
    log->observer = (sw_observer){.arg = log,
                                  .events = events | SW_EV_BLOCK,
                                  .block_begin = event_log_begin,
                                  .block_end = event_log_end,
                                  .ins = event_log_ins,
                                  .mem = event_log_mem,
                                  .branch = event_log_branch,
                                  .barrier = event_log_barrier,
                                  .warp = event_log_warp,
                                  .async = event_log_async,
                                  .mbar = event_log_mbar,
                                  .fence = event_log_fence,
                                  .exited = event_log_exited};
    if (takes_words) {
        log->observer.barrier = event_log_plain_barrier;
        log->observer.buffer = event_log_buffer;
    }
}

static inline int
event_log_order(const void *a, const void *b)
{
    uint64_t x = (*(event_log_block *const *)a)->index;
    uint64_t y = (*(event_log_block *const *)b)->index;
    return x < y ? -1 : x > y;
}

/* All of it, in the order of blocks and warps; then it is empty. */
static inline void
event_log_take(event_log *log, sw_buf *out)
{
    if (log->count)
        qsort(log->blocks, log->count, sizeof(event_log_block *),
              event_log_order);
    for (size_t i = 0; i < log->count; i++) {
        event_log_block *b = log->blocks[i];
        for (int w = 0; w < EVENT_LOG_WARPS; w++) {
            if (b->warp[w].n)
                sw_buf_printf(out, "block %" PRIu64 " warp %d\n%s", b->index, w,
                              b->warp[w].p);
            sw_buf_finish(&b->warp[w]);
        }
        sw_free(b);
    }
    sw_free(log->blocks);
    log->blocks = NULL;
    log->count = log->begun = 0;
}

#endif
