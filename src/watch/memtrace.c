/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtrace.c - writes each access to memory as a line of text:
 *
 *     kernel<grid_id> block warp mask file:line ld|st|atom space bytes: lanes
 *
 * with the address of each lane of the mask, and allocations and copies between
 * them. Lines of a block come in its order, and together.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "watch/watch.h"

static FILE *out; /* locked by each call that writes */

/* Of a launch. */
typedef struct {
    sw_observer observer;
    const sw_watch_launch *launch;
} trace;

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    sw_buf *text = sw_alloc(sizeof *text);
    (void)arg;
    (void)block;
    (void)index;
    sw_buf_init(text);
    return text;
}

static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    sw_buf *text = state;
    (void)arg;
    (void)block;
    (void)index;
    fwrite(text->p, 1, text->n, out);
    sw_buf_finish(text);
    sw_free(text);
}

static void
mem(void *arg, const sw_ev_where *w, const sw_ev_mem *m)
{
    const trace *t = arg;
    sw_buf *text = w->state;
    char place[256];
    sw_ins_place(w->fn, w->ins, place, sizeof place);
    sw_buf_printf(text, "%s<%" PRIu64 "> %u,%u,%u %u %08x %s %s %s %u:",
                  t->launch->fn->name, t->launch->grid_id, w->block[0],
                  w->block[1], w->block[2], w->warp, w->mask, place,
                  m->is_atomic ? "atom"
                  : m->is_read ? "ld"
                               : "st",
                  sw_space_text(m->space), m->bytes);
    for (uint32_t lanes = w->mask; lanes; lanes &= lanes - 1)
        sw_buf_printf(text, " %" PRIx64, m->addr[__builtin_ctz(lanes)]);
    sw_buf_puts(text, "\n");
}

static void *
launch_begin(void *arg, const sw_watch_launch *launch,
             const sw_observer **observer, uint32_t *sample)
{
    trace *t = sw_alloc(sizeof *t);
    (void)arg;
    (void)sample;
    *t = (trace){.observer = {.arg = t,
                              .events = SW_EV_BLOCK | SW_EV_MEM,
                              .block_begin = block_begin,
                              .block_end = block_end,
                              .mem = mem},
                 .launch = launch};
    *observer = &t->observer;
    return t;
}

static void
launch_end(void *arg, void *state, const sw_watch_end *end)
{
    (void)arg;
    (void)end;
    sw_free(state);
}

static void
memory(void *arg, const sw_memory_event *e)
{
    (void)arg;
    if (e->kind == SW_MEV_COPY)
        fprintf(out, "copy %" PRIx64 " from %" PRIx64 ": %" PRIu64 "\n",
                e->copy.dst, e->copy.src,
                e->copy.width * e->copy.height * e->copy.depth);
    else
        fprintf(out, "%s %" PRIx64 ": %" PRIu64 "\n",
                e->kind == SW_MEV_ALLOC ? "alloc" : "free", e->range.addr,
                e->range.bytes);
}

bool
sw_watch_open_memtrace(const char *options, sw_watcher *watcher)
{
    out = *options ? fopen(options, "w") : stderr;
    if (!out)
        fprintf(stderr, "softwarp: error: cannot write '%s'\n", options);
    *watcher =
        (sw_watcher){.memory_events = SW_MEV_ALLOC | SW_MEV_FREE | SW_MEV_COPY,
                     .launch_begin = launch_begin,
                     .launch_end = launch_end,
                     .memory = memory};
    return out != NULL;
}
