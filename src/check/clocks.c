/* SPDX-License-Identifier: Apache-2.0 */
/* clocks.c - vector clocks of a block; see clocks.h. */
#include <stdatomic.h>
#include <string.h>

#include "check/clocks.h"

enum { LANES = 32, BARRIERS = 24 }; /* as exec/engine.h */

struct sw_snap {
    _Atomic uint32_t refs;
    uint32_t warps;
    bool by_lane;
    sw_clock at[]; /* [warps], or [warps * LANES] */
};

typedef struct {
    uint64_t block;
    sw_snap *snap;
} known_block;

struct sw_view {
    _Atomic uint32_t refs;
    uint32_t count;
    known_block of[]; /* by ascending block */
};

/* What lanes know that do not know the same. */
typedef struct {
    sw_clock known[LANES][LANES]; /* [lane] of the lanes of its warp */
    sw_snap *base[LANES];
    sw_view *others[LANES];
} split_lanes;

typedef struct {
    sw_clock clock;
    uint32_t lanes;
} proxy_fence;

/* Fences of the lanes of a warp between the generic and the async proxy. */
typedef struct {
    sw_vec all;            /* proxy_fence, by ascending clock */
    sw_clock last[LANES];  /* 0: none */
    sw_snap *known[LANES]; /* of other lanes and warps, at that one */
} proxy_fences;

typedef struct {
    sw_clock clock; /* of all lanes */
    /* Of a warp that is not split: what each lane knows of the other lanes, of
     * the block's other warps, of other blocks. */
    sw_clock known;
    sw_snap *base;
    sw_view *others;
    split_lanes *split;       /* NULL: it is not */
    sw_clock fenced[LANES];   /* its clock at its last fence; 0: none */
    sw_snap *at_fence[LANES]; /* what it knew of the block then */
    uint32_t wide;       /* lanes whose last fence was wider than the block */
    sw_view **read;      /* [LANES] read, but not learnt yet; NULL: none */
    proxy_fences *proxy; /* NULL: none yet */
} warp_clocks;

/* What has been added at a barrier in one generation. Warps may arrive at the
 * next one before others have left the last: two are kept. */
typedef struct {
    uint32_t generation;
    sw_snap *gathered;
    sw_view *view;
} barrier_clocks;

struct sw_clocks {
    uint64_t block;
    uint32_t threads, warps; /* the last warp is that of the agents */
    bool in_lockstep;
    bool has_fence; /* some thread has executed one */
    barrier_clocks barriers[BARRIERS][2];
    warp_clocks of[]; /* [warps] */
};

/* ---- snapshots ---- */

static sw_snap *
snap_create(uint32_t warps, bool by_lane)
{
    size_t n = (size_t)warps * (by_lane ? LANES : 1);
    sw_snap *s = sw_alloc(sizeof *s + n * sizeof *s->at);
    s->refs = 1;
    s->warps = warps;
    s->by_lane = by_lane;
    return s;
}

sw_snap *
sw_snap_ref(sw_snap *snap)
{
    if (snap)
        atomic_fetch_add_explicit(&snap->refs, 1, memory_order_relaxed);
    return snap;
}

void
sw_snap_unref(sw_snap *snap)
{
    if (snap &&
        atomic_fetch_sub_explicit(&snap->refs, 1, memory_order_acq_rel) == 1)
        sw_free(snap);
}

sw_clock
sw_snap_get(const sw_snap *snap, uint32_t thread)
{
    if (!snap)
        return 0;
    return snap->at[snap->by_lane ? thread : thread / LANES];
}

static sw_clock
later(sw_clock a, sw_clock b)
{
    return a > b ? a : b;
}

/* All that `b` knows is known to `a`. Only of the same form. */
static bool
snap_has(const sw_snap *a, const sw_snap *b)
{
    uint32_t n = a->warps * (a->by_lane ? LANES : 1);
    for (uint32_t i = 0; i < n; i++)
        if (a->at[i] < b->at[i])
            return false;
    return true;
}

sw_snap *
sw_snap_join(sw_snap *a, sw_snap *b)
{
    if (a == b || !b)
        return sw_snap_ref(a);
    if (!a)
        return sw_snap_ref(b);
    if (a->by_lane == b->by_lane && snap_has(a, b))
        return sw_snap_ref(a);
    if (a->by_lane == b->by_lane && snap_has(b, a))
        return sw_snap_ref(b);
    sw_snap *s = snap_create(a->warps, a->by_lane || b->by_lane);
    uint32_t n = s->warps * (s->by_lane ? LANES : 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t thread = s->by_lane ? i : i * LANES;
        s->at[i] = later(sw_snap_get(a, thread), sw_snap_get(b, thread));
    }
    return s;
}

/* ---- views ---- */

static sw_view *
view_create(uint32_t count)
{
    sw_view *v = sw_alloc(sizeof *v + count * sizeof *v->of);
    v->refs = 1;
    v->count = count;
    return v;
}

sw_view *
sw_view_ref(sw_view *view)
{
    if (view)
        atomic_fetch_add_explicit(&view->refs, 1, memory_order_relaxed);
    return view;
}

void
sw_view_unref(sw_view *view)
{
    if (!view ||
        atomic_fetch_sub_explicit(&view->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < view->count; i++)
        sw_snap_unref(view->of[i].snap);
    sw_free(view);
}

sw_snap *
sw_view_get(const sw_view *view, uint64_t block)
{
    uint32_t low = 0, high = view ? view->count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (view->of[middle].block == block)
            return view->of[middle].snap;
        if (view->of[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* `b` adds nothing to `a`: a is as large, and has the same snapshots or later
 * ones. */
static bool
view_has(const sw_view *a, const sw_view *b)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        while (k < a->count && a->of[k].block < b->of[i].block)
            k++;
        if (k == a->count || a->of[k].block != b->of[i].block)
            return false;
        const sw_snap *x = a->of[k].snap, *y = b->of[i].snap;
        if (x != y && (x->by_lane != y->by_lane || !snap_has(x, y)))
            return false;
    }
    return true;
}

sw_view *
sw_view_join(sw_view *a, sw_view *b)
{
    if (a == b || !b)
        return sw_view_ref(a);
    if (!a)
        return sw_view_ref(b);
    if (view_has(a, b))
        return sw_view_ref(a);
    if (view_has(b, a))
        return sw_view_ref(b);
    sw_view *v = view_create(a->count + b->count);
    uint32_t n = 0, i = 0, k = 0;
    while (i < a->count || k < b->count) {
        bool is_a =
            k == b->count || (i < a->count && a->of[i].block <= b->of[k].block);
        bool is_b =
            i == a->count || (k < b->count && b->of[k].block <= a->of[i].block);
        known_block *to = &v->of[n++];
        to->block = is_a ? a->of[i].block : b->of[k].block;
        to->snap = sw_snap_join(is_a ? a->of[i].snap : NULL,
                                is_b ? b->of[k].snap : NULL);
        i += is_a;
        k += is_b;
    }
    v->count = n;
    return v;
}

/* The view with a snapshot of one more block; takes over `snap`. */
static sw_view *
view_with(sw_view *others, uint64_t block, sw_snap *snap)
{
    sw_view *one = view_create(1);
    one->of[0] = (known_block){block, snap};
    sw_view *both = sw_view_join(others, one);
    sw_view_unref(one);
    return both;
}

/* Replaces what a pointer holds by a value that the caller gives away. */
static void
set_snap(sw_snap **to, sw_snap *snap)
{
    sw_snap_unref(*to);
    *to = snap;
}

static void
set_view(sw_view **to, sw_view *view)
{
    sw_view_unref(*to);
    *to = view;
}

/* ---- a block ---- */

sw_clocks *
sw_clocks_create(uint64_t block, uint32_t threads, bool in_lockstep)
{
    uint32_t warps = (threads + LANES - 1) / LANES + SW_CLOCK_AGENTS / LANES;
    sw_clocks *c = sw_alloc(sizeof *c + warps * sizeof *c->of);
    c->block = block;
    c->threads = threads;
    c->warps = warps;
    c->in_lockstep = in_lockstep;
    for (uint32_t w = 0; w < warps; w++)
        c->of[w].clock = 1;
    return c;
}

static void
unsplit(warp_clocks *w)
{
    for (int i = 0; w->split && i < LANES; i++) {
        sw_snap_unref(w->split->base[i]);
        sw_view_unref(w->split->others[i]);
    }
    sw_free(w->split);
    w->split = NULL;
}

static void
forget_read(warp_clocks *w)
{
    for (int i = 0; w->read && i < LANES; i++)
        sw_view_unref(w->read[i]);
    sw_free(w->read);
    w->read = NULL;
}

static void
forget_proxy(warp_clocks *w)
{
    for (int i = 0; w->proxy && i < LANES; i++)
        sw_snap_unref(w->proxy->known[i]);
    if (w->proxy)
        sw_vec_finish(&w->proxy->all);
    sw_free(w->proxy);
}

void
sw_clocks_destroy(sw_clocks *c)
{
    for (uint32_t i = 0; c && i < c->warps; i++) {
        unsplit(&c->of[i]);
        forget_read(&c->of[i]);
        forget_proxy(&c->of[i]);
        for (int k = 0; k < LANES; k++)
            sw_snap_unref(c->of[i].at_fence[k]);
        sw_snap_unref(c->of[i].base);
        sw_view_unref(c->of[i].others);
    }
    for (int i = 0; c && i < 2 * BARRIERS; i++) {
        sw_snap_unref(c->barriers[i / 2][i % 2].gathered);
        sw_view_unref(c->barriers[i / 2][i % 2].view);
    }
    sw_free(c);
}

sw_clock
sw_clocks_now(const sw_clocks *c, uint32_t thread)
{
    return c->of[thread / LANES].clock;
}

static sw_snap *
base_of(const warp_clocks *w, uint32_t lane)
{
    return w->split ? w->split->base[lane] : w->base;
}

static sw_view *
others_of(const warp_clocks *w, uint32_t lane)
{
    return w->split ? w->split->others[lane] : w->others;
}

static sw_clock
known_in_warp(const warp_clocks *w, uint32_t lane, uint32_t other)
{
    return w->split ? w->split->known[lane][other] : w->known;
}

bool
sw_clocks_knows(const sw_clocks *c, uint32_t thread, uint32_t other,
                sw_clock at)
{
    const warp_clocks *w = &c->of[thread / LANES];
    uint32_t lane = thread % LANES;
    if (thread == other)
        return true;
    if (thread / LANES == other / LANES &&
        (c->in_lockstep || known_in_warp(w, lane, other % LANES) >= at))
        return true;
    return sw_snap_get(base_of(w, lane), other) >= at;
}

bool
sw_clocks_knows_foreign(const sw_clocks *c, uint32_t thread, uint64_t block,
                        uint32_t other, sw_clock at)
{
    const sw_view *v = others_of(&c->of[thread / LANES], thread % LANES);
    return sw_snap_get(sw_view_get(v, block), other) >= at;
}

/* ---- warps ---- */

/* From now on each lane may know something else. */
static void
split(warp_clocks *w)
{
    if (w->split)
        return;
    w->split = sw_alloc(sizeof *w->split);
    for (int i = 0; i < LANES; i++) {
        for (int k = 0; k < LANES; k++)
            w->split->known[i][k] = w->known;
        w->split->base[i] = sw_snap_ref(w->base);
        w->split->others[i] = sw_view_ref(w->others);
    }
}

/* Lanes learn what they have read of sync variables. */
static void
learn_read(warp_clocks *w, uint32_t lanes, uint64_t block)
{
    bool is_left = false;
    for (uint32_t i = 0; w->read && i < LANES; i++) {
        sw_view *what = w->read[i];
        is_left |= what && !(lanes >> i & 1);
        if (!(lanes >> i & 1) || !what)
            continue;
        split(w);
        sw_snap *own = sw_view_get(what, block);
        set_snap(&w->split->base[i], sw_snap_join(w->split->base[i], own));
        set_view(&w->split->others[i], sw_view_join(w->split->others[i], what));
        set_view(&w->read[i], NULL);
    }
    if (!is_left)
        forget_read(w);
}

/* Each of the lanes knows afterwards what one of them knew, and what they all
 * did. */
static void
join_lanes(warp_clocks *w, uint32_t lanes)
{
    sw_clock known[LANES] = {0};
    sw_snap *base = NULL;
    sw_view *others = NULL;
    split_lanes *s = w->split;
    for (uint32_t i = 0; i < LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        for (int k = 0; k < LANES; k++)
            known[k] = later(known[k], s->known[i][k]);
        known[i] = w->clock;
        set_snap(&base, sw_snap_join(base, s->base[i]));
        set_view(&others, sw_view_join(others, s->others[i]));
    }
    for (uint32_t i = 0; i < LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        memcpy(s->known[i], known, sizeof known);
        set_snap(&s->base[i], sw_snap_ref(base));
        set_view(&s->others[i], sw_view_ref(others));
    }
    sw_snap_unref(base);
    sw_view_unref(others);
}

void
sw_clocks_sync_warp(sw_clocks *c, uint32_t warp, uint32_t arrived)
{
    warp_clocks *w = &c->of[warp];
    learn_read(w, arrived, c->block);
    if (!w->split && arrived == UINT32_MAX) {
        w->known = w->clock++;
        return;
    }
    split(w);
    join_lanes(w, arrived);
    w->clock++;
    if (arrived != UINT32_MAX)
        return;
    /* All know the same again. */
    sw_snap *base = sw_snap_ref(w->split->base[0]);
    sw_view *others = sw_view_ref(w->split->others[0]);
    unsplit(w);
    w->known = w->clock - 1;
    set_snap(&w->base, base);
    set_view(&w->others, others);
}

/* ---- what a lane knows of its block, itself among it ---- */

/* Owned by caller. `own`: the lane's clock that counts, and that of the other
 * lanes of `lanes` (its own bit among them). */
static sw_snap *
snap_of(const sw_clocks *c, uint32_t warp, uint32_t lane, uint32_t lanes,
        sw_clock own)
{
    const warp_clocks *w = &c->of[warp];
    const sw_snap *base = base_of(w, lane);
    bool is_whole =
        !w->split && lanes == UINT32_MAX && (!base || !base->by_lane);
    sw_snap *s = snap_create(c->warps, !is_whole);
    uint32_t n = c->warps * (is_whole ? 1 : LANES);
    for (uint32_t i = 0; i < n; i++)
        s->at[i] = sw_snap_get(base, is_whole ? i * LANES : i);
    if (is_whole) {
        s->at[warp] = later(s->at[warp], own);
        return s;
    }
    for (uint32_t k = 0; k < LANES; k++) {
        sw_clock *at = &s->at[warp * LANES + k];
        *at = later(*at, known_in_warp(w, lane, k));
        if (lanes >> k & 1)
            *at = later(*at, own);
    }
    return s;
}

/* ---- barriers of the block ---- */

static barrier_clocks *
barrier_of(sw_clocks *c, uint32_t barrier, uint32_t generation)
{
    barrier_clocks *b = &c->barriers[barrier][generation % 2];
    if (b->generation != generation) {
        set_snap(&b->gathered, NULL);
        set_view(&b->view, NULL);
        b->generation = generation;
    }
    return b;
}

void
sw_clocks_arrive(sw_clocks *c, uint32_t warp, uint32_t lanes, uint32_t barrier,
                 uint32_t generation)
{
    warp_clocks *w = &c->of[warp];
    barrier_clocks *b = barrier_of(c, barrier, generation);
    /* Of a warp's last lanes that are no threads nothing is ever asked. */
    uint32_t count = c->threads - warp * LANES;
    if (count < LANES && lanes == (1u << count) - 1)
        lanes = UINT32_MAX;
    learn_read(w, lanes, c->block);
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        sw_snap *s = snap_of(c, warp, lane, lanes, w->clock);
        set_snap(&b->gathered, sw_snap_join(b->gathered, s));
        sw_snap_unref(s);
        set_view(&b->view, sw_view_join(b->view, others_of(w, lane)));
        if (!w->split)
            break; /* the others know the same */
    }
    w->clock++;
}

void
sw_clocks_leave(sw_clocks *c, uint32_t warp, uint32_t lanes, uint32_t barrier,
                uint32_t generation, bool is_full)
{
    warp_clocks *w = &c->of[warp];
    const barrier_clocks *b = barrier_of(c, barrier, generation);
    if (is_full && !w->read) {
        unsplit(w);
        set_snap(&w->base, sw_snap_ref(b->gathered));
        set_view(&w->others, sw_view_ref(b->view));
        w->known = w->clock - 1;
        return;
    }
    split(w);
    for (uint32_t i = 0; i < LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        set_snap(&w->split->base[i],
                 sw_snap_join(w->split->base[i], b->gathered));
        set_view(&w->split->others[i],
                 sw_view_join(w->split->others[i], b->view));
    }
}

/* ---- fences and sync variables ---- */

/* What a lane knows of the block, without what it does itself. Owned by
 * caller. */
static sw_snap *
snap_without_own(const sw_clocks *c, uint32_t warp, uint32_t lane)
{
    return snap_of(c, warp, lane, c->of[warp].split ? 0 : UINT32_MAX,
                   c->of[warp].split ? 0 : c->of[warp].known);
}

void
sw_clocks_fence(sw_clocks *c, uint32_t warp, uint32_t lanes, bool is_wide)
{
    warp_clocks *w = &c->of[warp];
    sw_snap *shared = NULL;
    c->has_fence = true;
    learn_read(w, lanes, c->block);
    for (uint32_t i = 0; i < LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        if (!shared || w->split)
            set_snap(&shared, snap_without_own(c, warp, i));
        set_snap(&w->at_fence[i], sw_snap_ref(shared));
        w->fenced[i] = w->clock;
    }
    sw_snap_unref(shared);
    w->wide = is_wide ? w->wide | lanes : w->wide & ~lanes;
    w->clock++;
}

/* The clock of the last fence of a thread that counts for readers so far away;
 * 0: none. */
static sw_clock
fence_of(const sw_clocks *c, uint32_t thread, bool is_wide)
{
    const warp_clocks *w = &c->of[thread / LANES];
    uint32_t lane = thread % LANES;
    return !is_wide || w->wide >> lane & 1 ? w->fenced[lane] : 0;
}

/*
 * What a lane that does not release may publish: what it knew at its fence, and
 * of what others did before fences of their own what it knows now. Owned by
 * caller.
 */
static sw_snap *
fenced_snap(const sw_clocks *c, uint32_t warp, uint32_t lane, bool is_wide)
{
    uint32_t thread = warp * LANES + lane;
    sw_clock own = fence_of(c, thread, is_wide);
    const sw_snap *then = own ? c->of[warp].at_fence[lane] : NULL;
    sw_snap *now = snap_of(c, warp, lane, 0, 0);
    sw_snap *s = snap_create(c->warps, true);
    for (uint32_t t = 0; t < c->threads; t++) {
        sw_clock fence = fence_of(c, t, is_wide), knows = sw_snap_get(now, t);
        s->at[t] = later(sw_snap_get(then, t), knows < fence ? knows : fence);
    }
    s->at[thread] = later(s->at[thread], own);
    for (uint32_t t = sw_clock_first_agent(c->threads); t < c->warps * LANES;
         t++)
        s->at[t] = sw_snap_get(now, t); /* the end of a copy is its fence */
    sw_snap_unref(now);
    return s;
}

/* What a strong write that is no release publishes: what a fence before it
 * covers, and what the lane has read of others. It waits for that read on every
 * device, so a barrier whose last thread needs no fence between the count that
 * it reads and the flag that it sets is right. */
static sw_view *
pass_on(sw_clocks *c, uint32_t warp, uint32_t lane, bool is_wide)
{
    warp_clocks *w = &c->of[warp];
    sw_view *read = w->read ? w->read[lane] : NULL;
    if (!c->has_fence)
        return sw_view_ref(read);
    sw_view *fenced = view_with(others_of(w, lane), c->block,
                                fenced_snap(c, warp, lane, is_wide));
    sw_view *both = sw_view_join(fenced, read);
    sw_view_unref(fenced);
    return both;
}

sw_view *
sw_clocks_publish(sw_clocks *c, uint32_t warp, uint32_t lane, bool is_release,
                  bool is_wide)
{
    warp_clocks *w = &c->of[warp];
    if (!is_release)
        return pass_on(c, warp, lane, is_wide);
    sw_snap *s = snap_of(c, warp, lane, 1u << lane, w->clock);
    w->clock++;
    return view_with(others_of(w, lane), c->block, s);
}

void
sw_clocks_learn(sw_clocks *c, uint32_t warp, uint32_t lane, sw_view *what,
                bool is_acquire)
{
    warp_clocks *w = &c->of[warp];
    const sw_view *known = others_of(w, lane);
    if (!what || (known && view_has(known, what)))
        return;
    if (!w->read)
        w->read = sw_alloc(LANES * sizeof *w->read);
    set_view(&w->read[lane], sw_view_join(w->read[lane], what));
    if (is_acquire)
        learn_read(w, 1u << lane, c->block);
}

/* ---- asynchronous copies ---- */

void
sw_clocks_fence_proxy(sw_clocks *c, uint32_t warp, uint32_t lanes)
{
    warp_clocks *w = &c->of[warp];
    sw_snap *known = NULL;
    if (!w->proxy) {
        w->proxy = sw_alloc(sizeof *w->proxy);
        sw_vec_init(&w->proxy->all, sizeof(proxy_fence));
    }
    *(proxy_fence *)sw_vec_push(&w->proxy->all) =
        (proxy_fence){w->clock, lanes};
    learn_read(w, lanes, c->block);
    for (uint32_t i = 0; i < LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        if (!known || w->split)
            set_snap(&known, snap_of(c, warp, i, 0, 0));
        set_snap(&w->proxy->known[i], sw_snap_ref(known));
        w->proxy->last[i] = w->clock;
    }
    sw_snap_unref(known);
}

/* The clock of the first such fence of a thread at its clock `at` or later; 0:
 * none. */
static sw_clock
proxy_fence_after(const warp_clocks *w, uint32_t lane, sw_clock at)
{
    const sw_vec *all = &w->proxy->all;
    size_t low = 0, high = all->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const proxy_fence *f = sw_vec_at(all, middle);
        if (f->clock < at)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < all->count; low++) {
        const proxy_fence *f = sw_vec_at(all, low);
        if (f->lanes >> lane & 1)
            return f->clock;
    }
    return 0;
}

/* The last fence of a lane of the warp came after what `other` did, and before
 * what `thread` does now. */
static bool
has_fenced(const sw_clocks *c, uint32_t warp, uint32_t thread, uint32_t other,
           sw_clock at)
{
    const proxy_fences *p = c->of[warp].proxy;
    for (uint32_t i = 0; p && i < LANES; i++)
        if (p->last[i] && sw_snap_get(p->known[i], other) >= at &&
            sw_clocks_knows(c, thread, warp * LANES + i, p->last[i]))
            return true;
    return false;
}

bool
sw_clocks_has_proxy_fence(const sw_clocks *c, uint32_t thread, uint32_t other,
                          sw_clock at)
{
    const warp_clocks *w = &c->of[other / LANES];
    sw_clock fence = w->proxy ? proxy_fence_after(w, other % LANES, at) : 0;
    if (fence && sw_clocks_knows(c, thread, other, fence))
        return true;
    if (has_fenced(c, thread / LANES, thread, other, at))
        return true;
    for (uint32_t i = 0; i < c->warps; i++)
        if (i != thread / LANES && has_fenced(c, i, thread, other, at))
            return true;
    return false;
}

sw_view *
sw_clocks_of_agent(const sw_clocks *c, uint32_t agent, sw_clock clock)
{
    sw_snap *s = snap_create(c->warps, true);
    s->at[sw_clock_first_agent(c->threads) + agent] = clock;
    return view_with(NULL, c->block, s);
}
