/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_file.c - the observer that writes traces (trace.h) of sampled blocks to
 * a file: for each block a head in words of 32 bits, the kernel's name, and
 * what sw_trace_save writes.
 *
 *     "STL1", grid_id (2), grid (3), block (3), bytes of the name; the name
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "watch/trace.h"
#include "watch/watch.h"

enum { MAGIC = 0x314c5453, WARP_BYTES = 1 << 20, LANES = 32 };

static struct {
    FILE *file;
    uint32_t sample;
    pthread_mutex_t lock; /* of the file */
} out = {.lock = PTHREAD_MUTEX_INITIALIZER, .sample = 1};

/* Of a launch. */
typedef struct {
    sw_observer observer;
    const sw_watch_launch *launch;
    uint32_t warps; /* of a block */
} traced;

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    const traced *t = arg;
    sw_trace_block *trace = sw_alloc(sizeof *trace);
    (void)block;
    sw_trace_init(trace, index, t->warps, WARP_BYTES);
    return trace;
}

static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    const traced *t = arg;
    const sw_watch_launch *l = t->launch;
    sw_trace_block *trace = state;
    sw_str name = sw_str_of(l->fn->name);
    uint32_t head[10] = {
        MAGIC,           (uint32_t)l->grid_id, (uint32_t)(l->grid_id >> 32),
        l->grid[0],      l->grid[1],           l->grid[2],
        l->block[0],     l->block[1],          l->block[2],
        (uint32_t)name.n};
    sw_buf text;
    (void)block;
    (void)index;
    sw_buf_init(&text);
    sw_buf_add(&text, (const char *)head, sizeof head);
    sw_buf_add(&text, name.p, name.n);
    for (uint32_t i = 0; i < trace->warp_count; i++)
        sw_trace_end(&trace->warps[i]);
    sw_trace_save(trace, &text);
    pthread_mutex_lock(&out.lock);
    fwrite(text.p, 1, text.n, out.file);
    pthread_mutex_unlock(&out.lock);
    sw_buf_finish(&text);
    sw_trace_finish(trace);
    sw_free(trace);
}

static void
ins(void *arg, const sw_ev_where *w)
{
    const sw_trace_block *trace = w->state;
    (void)arg;
    sw_trace_add(&trace->warps[w->warp], w->index, w->mask);
}

static void
mem(void *arg, const sw_ev_where *w, const sw_ev_mem *m)
{
    const sw_trace_block *trace = w->state;
    (void)arg;
    sw_trace_add_access(&trace->warps[w->warp], m->space, m->bytes, w->mask,
                        m->addr);
}

static void *
launch_begin(void *arg, const sw_watch_launch *launch,
             const sw_observer **observer, uint32_t *sample)
{
    const uint32_t *b = launch->block;
    traced *t = sw_alloc(sizeof *t);
    (void)arg;
    *t = (traced){.observer = {.arg = t,
                               .events = SW_EV_BLOCK | SW_EV_INS | SW_EV_MEM,
                               .block_begin = block_begin,
                               .block_end = block_end,
                               .ins = ins,
                               .mem = mem},
                  .launch = launch,
                  .warps = (b[0] * b[1] * b[2] + LANES - 1) / LANES};
    *observer = &t->observer;
    *sample = out.sample;
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
finish(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&out.lock);
    fflush(out.file);
    pthread_mutex_unlock(&out.lock);
}

/* FILE[,N]: every N-th block. */
bool
sw_watch_open_trace(const char *options, sw_watcher *watcher)
{
    const char *comma = strrchr(options, ',');
    uint64_t n = 1;
    if (comma && (!sw_str_to_u64(sw_str_of(comma + 1), 10, &n) || n < 1 ||
                  n > UINT32_MAX)) {
        fprintf(stderr,
                "softwarp: error: observer trace takes FILE or FILE,N with N "
                "from 1 on, not '%s'\n",
                options);
        return false;
    }
    sw_buf name;
    sw_buf_init(&name);
    sw_buf_add(&name, options,
               comma ? (size_t)(comma - options) : strlen(options));
    out.file = name.n ? fopen(name.p, "wb") : NULL;
    if (!out.file)
        fprintf(stderr, "softwarp: error: observer trace cannot write '%s'\n",
                name.n ? name.p : "");
    sw_buf_finish(&name);
    out.sample = (uint32_t)n;
    *watcher = (sw_watcher){.launch_begin = launch_begin,
                            .launch_end = launch_end,
                            .finish = finish};
    return out.file != NULL;
}
