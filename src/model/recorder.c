/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.c - see recorder.h. */
#include "model/recorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = 32,
    /* Bytes that are kept of a warp; long kernels go on as they began. */
    WARP_BYTES = 1 << 16,
    /* ... and of each warp of blocks that begin when all have ALL_BYTES. */
    FEW_BYTES = 1 << 8,
    ALL_BYTES = 1 << 30,
    BULK_ROW = 128
};

/* A block while it runs; NULL: one that the sample leaves out. */
typedef struct {
    sw_trace_block trace;
    uint64_t executed;
} part;

struct sw_recorder {
    sw_observer observer;
    sw_seen seen;
    pthread_mutex_t lock;
    const sw_ins **ins; /* [ins_count] */
    sw_vec traces;      /* sw_trace_block */
    uint64_t bytes;     /* of all traces */
};

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    sw_recorder *r = arg;
    const uint32_t *b = r->seen.block;
    (void)block;
    if (index % r->seen.sample) /* another observer wants it */
        return NULL;
    part *p = sw_alloc(sizeof *p);
    uint64_t all = __atomic_load_n(&r->bytes, __ATOMIC_RELAXED);
    sw_trace_init(&p->trace, index, (b[0] * b[1] * b[2] + LANES - 1) / LANES,
                  all < ALL_BYTES ? WARP_BYTES : FEW_BYTES);
    return p;
}

static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    sw_recorder *r = arg;
    part *p = state;
    uint64_t bytes = 0;
    (void)block;
    (void)index;
    if (!p)
        return;
    for (uint32_t i = 0; i < p->trace.warp_count; i++) {
        sw_trace_end(&p->trace.warps[i]);
        bytes += p->trace.warps[i].count;
    }
    pthread_mutex_lock(&r->lock);
    *(sw_trace_block *)sw_vec_push(&r->traces) = p->trace;
    __atomic_store_n(&r->bytes, r->bytes + bytes, __ATOMIC_RELAXED);
    r->seen.executed += p->executed;
    pthread_mutex_unlock(&r->lock);
    sw_free(p);
}

static void
ins(void *arg, const sw_ev_where *w)
{
    sw_recorder *r = arg;
    part *p = w->state;
    if (!p)
        return;
    if (w->index < r->seen.ins_count &&
        !__atomic_load_n(&r->ins[w->index], __ATOMIC_RELAXED))
        __atomic_store_n(&r->ins[w->index], w->ins, __ATOMIC_RELAXED);
    p->executed++;
    sw_trace_add(&p->trace.warps[w->warp], w->index, w->mask);
}

static void
mem(void *arg, const sw_ev_where *w, const sw_ev_mem *m)
{
    const part *p = w->state;
    (void)arg;
    /* The other half of cp.async, which is done in the background. */
    if (!p || (m->is_async && m->space == SW_SPACE_SHARED))
        return;
    sw_trace_add_access(&p->trace.warps[w->warp], m->space, m->bytes, w->mask,
                        m->addr);
}

static void
tex(void *arg, const sw_ev_where *w, const sw_ev_tex *t)
{
    const part *p = w->state;
    (void)arg;
    for (uint32_t i = 0; p && i < t->count; i++)
        sw_trace_add_access(&p->trace.warps[w->warp], SW_SPACE_GLOBAL, t->bytes,
                            t->mask[i], t->addr[i]);
}

/* A bulk copy as rows of a whole warp. */
static void
async(void *arg, const sw_ev_where *w, const sw_ev_async *a)
{
    const part *p = w->state;
    (void)arg;
    if (!p || (a->kind != SW_ASYNC_BULK && a->kind != SW_ASYNC_REDUCE))
        return;
    bool from = a->from_space == SW_SPACE_GLOBAL;
    if (!from && a->to_space != SW_SPACE_GLOBAL)
        return;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t at = from ? a->from[lane] : a->to[lane];
        for (uint64_t done = 0; done < a->bytes[lane];) {
            uint64_t addr[LANES], left = a->bytes[lane] - done;
            uint32_t rows = (uint32_t)((left + BULK_ROW - 1) / BULK_ROW);
            rows = rows < LANES ? rows : LANES;
            for (uint32_t i = 0; i < rows; i++)
                addr[i] = at + done + (uint64_t)i * BULK_ROW;
            sw_trace_add_access(&p->trace.warps[w->warp], SW_SPACE_GLOBAL,
                                BULK_ROW, UINT32_MAX >> (LANES - rows), addr);
            done += (uint64_t)rows * BULK_ROW;
        }
    }
}

sw_recorder *
sw_recorder_create(const sw_seen *about)
{
    sw_recorder *r = sw_alloc(sizeof *r);
    r->seen = *about;
    r->ins = sw_alloc((about->ins_count + 1) * sizeof *r->ins);
    r->observer = (sw_observer){.arg = r,
                                .events = SW_EV_BLOCK | SW_EV_INS | SW_EV_MEM |
                                          SW_EV_TEX | SW_EV_ASYNC,
                                .block_begin = block_begin,
                                .block_end = block_end,
                                .ins = ins,
                                .mem = mem,
                                .tex = tex,
                                .async = async};
    sw_vec_init(&r->traces, sizeof(sw_trace_block));
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void
sw_recorder_destroy(sw_recorder *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->traces.count; i++)
        sw_trace_finish(sw_vec_at(&r->traces, i));
    sw_vec_finish(&r->traces);
    pthread_mutex_destroy(&r->lock);
    sw_free(r->ins);
    sw_free(r);
}

const sw_observer *
sw_recorder_observer(sw_recorder *r)
{
    return &r->observer;
}

static int
compare_blocks(const void *a, const void *b)
{
    uint64_t p = ((const sw_trace_block *)a)->block_index;
    uint64_t q = ((const sw_trace_block *)b)->block_index;
    return (p > q) - (p < q);
}

const sw_seen *
sw_recorder_finish(sw_recorder *r)
{
    if (r->traces.count)
        qsort(r->traces.data, r->traces.count, sizeof(sw_trace_block),
              compare_blocks);
    r->seen.ins = r->ins;
    r->seen.traces = r->traces.data;
    r->seen.trace_count = r->traces.count;
    return &r->seen;
}
