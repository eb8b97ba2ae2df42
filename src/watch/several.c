/* SPDX-License-Identifier: Apache-2.0 */
/* several.c - several observers of one launch as one; see watch.h. Each has a
 * state of its own in each block. */
#include "watch/inline_counter.h"
#include "watch/watch.h"

struct sw_several {
    sw_observer observer;
    size_t count;
    const sw_observer *each[];
};

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    const sw_several *s = arg;
    void **states = sw_alloc(s->count * sizeof *states);
    for (size_t i = 0; i < s->count; i++) {
        const sw_observer *o = s->each[i];
        if (o->block_begin && (o->events & SW_EV_BLOCK))
            states[i] = o->block_begin(o->arg, block, index);
    }
    return states;
}

static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    const sw_several *s = arg;
    void **states = state;
    for (size_t i = 0; i < s->count; i++) {
        const sw_observer *o = s->each[i];
        if (o->block_end && (o->events & SW_EV_BLOCK))
            o->block_end(o->arg, states[i], block, index);
    }
    sw_free(states);
}

/* The event as the i-th observer sees it. */
static sw_ev_where
where_of(const sw_ev_where *where, size_t i)
{
    sw_ev_where own = *where;
    own.state = ((void *const *)where->state)[i];
    return own;
}

static void
ins(void *arg, const sw_ev_where *where)
{
    const sw_several *s = arg;
    for (size_t i = 0; i < s->count; i++) {
        const sw_observer *o = s->each[i];
        if (!o->ins || !(o->events & SW_EV_INS) ||
            (!where->mask && !(o->events & SW_EV_OFF)))
            continue;
        sw_ev_where own = where_of(where, i);
        o->ins(o->arg, &own);
    }
}

#define EACH(name, bit, type)                                                  \
    static void name(void *arg, const sw_ev_where *where, const type *event)   \
    {                                                                          \
        const sw_several *s = arg;                                             \
        for (size_t i = 0; i < s->count; i++) {                                \
            const sw_observer *o = s->each[i];                                 \
            if (!o->name || !(o->events & (bit)))                              \
                continue;                                                      \
            sw_ev_where own = where_of(where, i);                              \
            o->name(o->arg, &own, event);                                      \
        }                                                                      \
    }
EACH(mem, SW_EV_MEM, sw_ev_mem)
EACH(branch, SW_EV_BRANCH, sw_ev_branch)
EACH(barrier, SW_EV_BARRIER, sw_ev_barrier)
EACH(tex, SW_EV_TEX, sw_ev_tex)
EACH(warp, SW_EV_WARP, sw_ev_warp)
EACH(async, SW_EV_ASYNC, sw_ev_async)
EACH(mbar, SW_EV_MBAR, sw_ev_mbar)
EACH(fence, SW_EV_FENCE, sw_ev_fence)
EACH(heap, SW_EV_HEAP, sw_ev_heap)
EACH(exited, SW_EV_EXIT, sw_ev_exit)
EACH(fault, SW_EV_FAULT, sw_ev_fault)

sw_several *
sw_several_create(const sw_observer *const *observers, size_t count)
{
    sw_several *s = sw_alloc(sizeof *s + count * sizeof *s->each);
    s->observer = (sw_observer){.arg = s,
                                .events = SW_EV_BLOCK,
                                .block_begin = block_begin,
                                .block_end = block_end,
                                .ins = ins,
                                .mem = mem,
                                .branch = branch,
                                .barrier = barrier,
                                .tex = tex,
                                .warp = warp,
                                .async = async,
                                .mbar = mbar,
                                .fence = fence,
                                .heap = heap,
                                .exited = exited,
                                .fault = fault};
    s->count = count;
    for (size_t i = 0; i < count; i++) {
        s->each[i] = observers[i];
        s->observer.events |=
            observers[i]->events & ~(uint32_t)(SW_EV_INLINE | SW_EV_QUIET);
    }
    return s;
}

void
sw_several_destroy(sw_several *several)
{
    sw_free(several);
}

const sw_observer *
sw_several_observer(const sw_several *several)
{
    return &several->observer;
}
