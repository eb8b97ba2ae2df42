/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters.c - the observer of counters.h.
 *
 * A block in progress counts into a part of its own, which it takes at its
 * beginning and gives back at its end, so that there are as many parts as
 * blocks in progress at once. What an instruction is, its class, its source
 * line, is looked at when the launch has ended: while it runs an event only
 * adds to the numbers of its instruction.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "watch/access.h"
#include "watch/access_lanes.h"
#include "watch/count.h"
#include "watch/part.h"

enum {
    LANES = 32,
    QUEUE_MOST = 1 << 15, /* accesses of L2 that wait */
    ASKED_MOST = 1 << 19, /* sectors that wait for their turn */
    JOINED_STORES = 8,    /* of a warp, one after another */
    TURN_REQUESTS = 16,   /* of a warp, before others get their turn */
    LOCAL_WARP_BITS = 24, /* 32 threads with 512 KiB each */
    LOCAL_TOP = 63        /* bit of an address that marks local memory */
};

/* ---- the caches ---- */

static void
flush(sw_counters *c, part *p, bool ends)
{
    sw_wave_add(c->wave, p->block, p->queue.data, p->queue.count, ends);
    sw_vec_clear(&p->queue);
}

/* How a request goes through them. */
typedef enum {
    TURN_LOAD,       /* L1, then L2 */
    TURN_LOAD_LINES, /* the same, whole lines */
    TURN_LOAD_PAST,  /* L2 */
    TURN_TEXTURE,    /* the texture cache, then L2 */
    TURN_STORE,
    TURN_KEEP, /* a store that L1 keeps as well */
    TURN_ATOM,
    TURN_RED
} turn_kind;

/* A request that waits for its turn: `count` sectors of the part's `asked`. */
typedef struct {
    sw_count_mem *n;
    uint32_t first, count;
    turn_kind kind;
} turn;

typedef struct {
    uint64_t sector;
    uint32_t what; /* as in sw_l2_access */
} asked;

/* Different ones of a request: addresses / 32. */
typedef struct {
    uint64_t at[LANES];
    uint32_t count;
} sectors;

static void
push(part *p, const turn *t, sw_l2_kind kind, uint64_t sector, uint32_t what)
{
    sw_l2_access *a = sw_vec_push(&p->queue);
    *a = (sw_l2_access){.sector = sector,
                        .what = what,
                        .kind = (uint8_t)kind,
                        .misses = &t->n->l2_misses};
    t->n->l2_sectors++;
}

/* Sectors of a load; l1 NULL: straight from L2. */
static void
load(part *p, const turn *t, const asked *all, sw_l1 *l1)
{
    uint64_t last = UINT64_MAX;
    bool lines = t->kind == TURN_LOAD_LINES;
    for (uint32_t k = 0; k < t->count; k++) {
        uint64_t s = all[k].sector;
        if (lines && s >> 2 == last)
            continue;
        last = s >> 2;
        if (l1) {
            bool hit = sw_l1_load(l1, s, lines);
            t->n->hits += hit;
            t->n->misses += !hit;
            if (hit)
                continue;
        }
        for (uint64_t i = 0; i < (lines ? 4u : 1u); i++)
            push(p, t, SW_L2_READ, lines ? (s & ~(uint64_t)3) + i : s, 0);
    }
}

static void
take_turn(sw_counters *c, part *p, const turn *t)
{
    const asked *all = (const asked *)p->asked.data + t->first;
    switch (t->kind) {
    case TURN_LOAD:
    case TURN_LOAD_LINES:
        load(p, t, all, p->l1);
        break;
    case TURN_LOAD_PAST:
        load(p, t, all, NULL);
        t->n->misses += c->cc >= 70 ? t->count : 0;
        break;
    case TURN_TEXTURE:
        load(p, t, all, p->texture);
        break;
    default:
        for (uint32_t k = 0; k < t->count; k++) {
            if (t->kind == TURN_KEEP)
                sw_l1_load(p->l1, all[k].sector, false);
            else if (t->kind >= TURN_ATOM || c->cc < 50)
                sw_l1_drop(p->l1, all[k].sector);
            push(p, t,
                 t->kind == TURN_ATOM  ? SW_L2_ATOM
                 : t->kind == TURN_RED ? SW_L2_RED
                                       : SW_L2_WRITE,
                 all[k].sector, all[k].what);
        }
        break;
    }
    if (p->queue.count) {
        sw_l2_access *queue = p->queue.data;
        queue[p->queue.count - 1].last = 1;
    }
    if (p->queue.count >= QUEUE_MOST)
        flush(c, p, false);
}

/* The engine runs a warp from barrier to barrier; on a device the warps of a
 * block go side by side, so here they take turns, some requests each. How many
 * is fitted to the hits of sparse matrices on an H200 (spmv_scalar). */
static void
take_turns(sw_counters *c, part *p)
{
    bool any = true;
    for (size_t i = 0; any; i += TURN_REQUESTS) {
        any = false;
        for (uint32_t w = 0; w < c->warps_block; w++) {
            const turn *all = p->turns[w].data;
            for (size_t k = i; k < i + TURN_REQUESTS; k++)
                if (k < p->turns[w].count) {
                    any = true;
                    take_turn(c, p, &all[k]);
                }
        }
    }
    for (uint32_t w = 0; w < c->warps_block; w++)
        sw_vec_clear(&p->turns[w]);
    sw_vec_clear(&p->asked);
}

/* Stores of one warp that follow each other and write other bytes of the same
 * sector go to L2 as one (seen on an H200: structures of three floats, stored
 * by three instructions, write half the sectors). */
static bool
joins_earlier(part *p, const sw_vec *turns, uint64_t sector, uint32_t bytes)
{
    const turn *all = turns->data;
    asked *every = p->asked.data;
    for (size_t i = turns->count, seen = 0;
         i-- && seen < JOINED_STORES && all[i].kind == TURN_STORE; seen++)
        for (uint32_t k = 0; k < all[i].count; k++) {
            asked *a = &every[all[i].first + k];
            if (a->sector != sector)
                continue;
            bool is_other = !(a->what & bytes);
            a->what |= is_other ? bytes : 0;
            return is_other;
        }
    return false;
}

/* The request waits; `what` of each sector, NULL: none is needed. */
static void
wait_turn(sw_counters *c, part *p, const sw_ev_where *w, sw_count_mem *n,
          turn_kind kind, const sectors *all, const uint32_t *what)
{
    sw_vec *turns = &p->turns[w->warp];
    turn t = {n, (uint32_t)p->asked.count, 0, kind};
    for (uint32_t k = 0; k < all->count; k++) {
        if (kind == TURN_STORE && joins_earlier(p, turns, all->at[k], what[k]))
            continue;
        *(asked *)sw_vec_push(&p->asked) =
            (asked){all->at[k], what ? what[k] : 0};
        t.count++;
    }
    if (t.count)
        *(turn *)sw_vec_push(turns) = t;
    if (p->asked.count >= ASKED_MOST)
        take_turns(c, p);
}

/* Which bytes of each sector the lanes write. */
static void
written_bytes(const uint64_t addr[LANES], uint32_t mask, uint32_t bytes,
              const sectors *all, uint32_t out[LANES])
{
    uint32_t k = 0;
    uint32_t ones = bytes >= 32 ? UINT32_MAX : (1u << bytes) - 1;
    memset(out, 0, all->count * sizeof *out);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = addr[__builtin_ctz(m)];
        while (all->at[k] != a >> 5)
            k = k + 1 < all->count ? k + 1 : 0;
        out[k] |= ones << (a & 31);
    }
}

static void
store_sectors(sw_counters *c, part *p, const sw_ev_where *w, sw_count_mem *n,
              turn_kind kind, const sectors *all, const uint64_t *addr,
              uint32_t bytes)
{
    uint32_t written[LANES];
    written_bytes(addr, w->mask, bytes, all, written);
    wait_turn(c, p, w, n, kind, all, written);
}

/* Lanes at one word take turns: a sector counts for each (7.0 on). */
static void
change_sectors(sw_counters *c, part *p, const sw_ev_where *w, sw_count_mem *n,
               turn_kind kind, const sectors *all, const uint64_t *addr)
{
    uint32_t times[LANES];
    sw_atomic_times(addr, w->mask, all->at, all->count, times);
    for (uint32_t k = 0; c->cc >= 70 && k < all->count; k++)
        n->sectors += times[k] - 1;
    if (c->l2)
        wait_turn(c, p, w, n, kind, all, times);
}

/* ---- while the launch runs ---- */

static part *
make_part(sw_counters *c)
{
    part *p = sw_alloc(sizeof *p);
    p->ins = sw_alloc((c->launch.ins_count + 1) * sizeof *p->ins);
    p->arena = sw_arena_create();
    sw_vec_init(&p->queue, sizeof(sw_l2_access));
    if (c->l2) {
        p->l1 = sw_l1_create(c->l1_bytes);
        p->texture = c->cc >= 50 ? p->l1 : sw_l1_create(c->texture_bytes);
        p->turns = sw_alloc(c->warps_block * sizeof *p->turns);
        for (uint32_t i = 0; i < c->warps_block; i++)
            sw_vec_init(&p->turns[i], sizeof(turn));
        sw_vec_init(&p->asked, sizeof(asked));
    }
    return p;
}

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    sw_counters *c = arg;
    (void)block;
    pthread_mutex_lock(&c->lock);
    part *p = c->free;
    if (p)
        c->free = p->next_free;
    pthread_mutex_unlock(&c->lock);
    if (!p) {
        p = make_part(c);
        pthread_mutex_lock(&c->lock);
        p->next = c->parts;
        c->parts = p;
        pthread_mutex_unlock(&c->lock);
    }
    p->blocks++;
    p->block = index;
    if (c->l2) { /* neighbours in the grid run on other multiprocessors */
        sw_l1_clear(p->l1);
        sw_l1_clear(p->texture);
    }
    return p;
}

static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    sw_counters *c = arg;
    part *p = state;
    (void)block;
    (void)index;
    if (c->l2) {
        take_turns(c, p);
        flush(c, p, true);
    }
    pthread_mutex_lock(&c->lock);
    p->next_free = c->free;
    c->free = p;
    pthread_mutex_unlock(&c->lock);
}

static void
on_ins(void *arg, const sw_ev_where *w)
{
    part *p = w->state;
    hot *h = &p->ins[w->index];
    (void)arg;
    h->fn = w->fn;
    h->ins = w->ins;
    h->n.inst++;
    h->n.off += w->mask == 0;
    h->n.active += (uint64_t)__builtin_popcount(w->active);
    h->n.on += (uint64_t)__builtin_popcount(w->mask);
}

static void
on_branch(void *arg, const sw_ev_where *w, const sw_ev_branch *b)
{
    part *p = w->state;
    hot *h = &p->ins[w->index];
    bool parts = b->taken && b->taken != w->mask;
    (void)arg;
    h->n.taken += b->taken != 0;
    h->n.divergent += parts;
    h->n.targets += 1 + (uint64_t)parts;
}

cell *
sw_part_find_cell(part *p, hot *h, sw_access access)
{
    cell *at = h->cells;
    while (at && at->access != access)
        at = at->next;
    if (!at) {
        at = sw_arena_alloc(p->arena, sizeof *at);
        *at = (cell){.next = h->cells, .access = access};
        h->cells = at;
    }
    return at;
}

static void
add_request(sw_count_mem *n, uint32_t mask, uint32_t bytes)
{
    uint64_t lanes = (uint64_t)__builtin_popcount(mask);
    n->requests++;
    n->threads += lanes;
    n->bytes += lanes * bytes;
}

/* A request by the rules of the device. all: NULL, or where its sectors come
 * to. */
static void
coalesce(const sw_counters *c, sw_count_mem *n, bool lines,
         const uint64_t addr[LANES], uint32_t mask, uint32_t bytes,
         sectors *all)
{
    sw_coalesced co;
    sw_coalesce(c->cc, lines, addr, mask, bytes, &co, all ? all->at : NULL);
    if (all)
        all->count = co.sectors;
    n->n32 += co.n32;
    n->n64 += co.n64;
    n->n128 += co.n128;
    n->transactions += (uint64_t)co.n32 + co.n64 + co.n128;
    n->coherent += co.coherent;
    n->incoherent += co.incoherent;
    n->sectors += co.sectors;
    n->lines += co.lines;
}

static void
add_ideal(sw_count_mem *n, uint32_t mask, uint32_t bytes)
{
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    n->sectors_ideal += (lanes * bytes + 31) / 32;
}

static void
add_banked(sw_count_mem *n, const sw_banked *b)
{
    n->wavefronts += b->passes;
    n->wavefronts_ideal += b->ideal;
    n->conflicts += b->passes > b->ideal ? b->passes - b->ideal : 0;
    n->serialized += b->serialized;
}

/* ---- accesses ---- */

/* Local memory of a thread is interleaved: 32-bit words of the warp's threads
 * lie side by side, so a wide element is several accesses of 4 bytes. */
static void
count_local(sw_counters *c, part *p, const sw_ev_where *w, const sw_ev_mem *m,
            sw_count_mem *n)
{
    uint64_t word[LANES];
    uint32_t step = m->bytes < 4 ? m->bytes : 4;
    bool lines = c->cc >= 20 && c->cc < 50 && !m->is_write;
    uint64_t warp = p->block % c->resident * c->warps_block + w->warp;
    uint64_t base = (1ull << LOCAL_TOP) + (warp << LOCAL_WARP_BITS);
    for (uint32_t k = 0; k < m->bytes; k += 4) {
        sectors all;
        for (uint64_t i = 0; i < LANES; i++) {
            uint64_t at = m->addr[i] + k;
            word[i] = base + at / 4 * 128 + i * 4 + at % 4;
        }
        coalesce(c, n, lines, word, w->mask, step, c->l2 ? &all : NULL);
        if (!c->l2)
            continue;
        if (m->is_write)
            store_sectors(c, p, w, n, TURN_KEEP, &all, word, step);
        else
            wait_turn(c, p, w, n, lines ? TURN_LOAD_LINES : TURN_LOAD, &all,
                      NULL);
    }
    add_ideal(n, w->mask, m->bytes);
    /* Seen on an H200: each word of an element is a request. */
    if (c->cc >= 70)
        n->requests += (m->bytes + 3) / 4 - 1;
}

/* Loads that may not be answered by L1. */
static bool
goes_past_l1(const sw_ins *ins)
{
    return ins->cache == SW_CACHE_CG || ins->cache == SW_CACHE_CV ||
           ins->order >= SW_ORDER_RELAXED;
}

static void
count_global(sw_counters *c, part *p, const sw_ev_where *w, const sw_ev_mem *m,
             sw_access access, sw_count_mem *n)
{
    sectors all;
    bool past = goes_past_l1(w->ins);
    bool lines = c->lines && !m->is_write && !past;
    coalesce(c, n, lines, m->addr, w->mask, m->bytes,
             c->l2 || m->is_atomic ? &all : NULL);
    add_ideal(n, w->mask, m->bytes);
    if (m->is_atomic)
        change_sectors(c, p, w, n,
                       access == SW_ACCESS_GLOBAL_RED ? TURN_RED : TURN_ATOM,
                       &all, m->addr);
    if (!c->l2 || m->is_atomic)
        return;
    if (m->is_write)
        store_sectors(c, p, w, n, TURN_STORE, &all, m->addr, m->bytes);
    else if (past || (!c->l1_global && w->ins->cache != SW_CACHE_NC))
        wait_turn(c, p, w, n, TURN_LOAD_PAST, &all, NULL);
    else
        wait_turn(c, p, w, n, lines ? TURN_LOAD_LINES : TURN_LOAD, &all, NULL);
}

void
sw_part_look_at_atomic(const sw_counters *c, hot *h, const sw_fn *fn,
                       const sw_ins *ins)
{
    if (h->atomic)
        return;
    h->atomic = (uint8_t)(1 + sw_count_is_reduction(fn, ins, c->cc));
    h->form = (uint8_t)sw_count_atomic_form(fn, ins, c->cc);
}

static sw_access
global_access(const hot *h, const sw_ev_mem *m)
{
    if (!m->is_atomic)
        return m->is_write ? SW_ACCESS_GLOBAL_ST : SW_ACCESS_GLOBAL_LD;
    return h->atomic == 2 ? SW_ACCESS_GLOBAL_RED : SW_ACCESS_GLOBAL_ATOM;
}

/* The first lane for each address. */
static uint32_t
first_of_each(const uint64_t addr[LANES], uint32_t mask)
{
    uint32_t first = 0;
    for (uint32_t left = mask; left;) {
        unsigned i = (unsigned)__builtin_ctz(left);
        first |= 1u << i;
        for (uint32_t m = left; m; m &= m - 1)
            if (addr[__builtin_ctz(m)] == addr[i])
                left &= ~(1u << __builtin_ctz(m));
    }
    return first;
}

/* Each time around, one lane of those at an address gets its way. Other warps
 * that want the same at the same time are not seen. */
static void
count_loop(const sw_counters *c, part *p, hot *h, const sw_ev_where *w,
           const sw_ev_mem *m)
{
    sw_count_mem *load = &sw_part_find_cell(p, h, SW_ACCESS_SHARED_LD)->n;
    sw_count_mem *swap = &sw_part_find_cell(p, h, SW_ACCESS_SHARED_ATOM)->n;
    uint32_t bytes = m->bytes < 4 ? 4 : m->bytes;
    for (uint32_t left = w->mask; left; left &= ~first_of_each(m->addr, left)) {
        sw_banked b;
        sw_bank(c->cc, false, true, m->addr, left, bytes, &b);
        add_banked(load, &b);
        add_request(load, left, bytes);
        load->inst++;
        sw_bank_swap(bytes, m->addr, left, &b);
        add_banked(swap, &b);
        add_request(swap, left, bytes);
        swap->inst++;
    }
}

static void
count_shared(const sw_counters *c, part *p, hot *h, const sw_ev_where *w,
             const sw_ev_mem *m)
{
    sw_banked b;
    bool is_copy = w->ins->op == SW_OP_CP_ASYNC;
    if (m->is_atomic && h->form == SW_ATOMIC_LOOP) {
        count_loop(c, p, h, w, m);
        return;
    }
    sw_count_mem *n = &sw_part_find_cell(p, h,
                                         m->is_atomic  ? SW_ACCESS_SHARED_ATOM
                                         : is_copy     ? SW_ACCESS_SHARED_COPY
                                         : m->is_write ? SW_ACCESS_SHARED_ST
                                                       : SW_ACCESS_SHARED_LD)
                           ->n;
    if (!m->is_atomic)
        sw_bank(c->cc, c->launch.wide_banks, !m->is_write, m->addr, w->mask,
                m->bytes, &b);
    else if (h->form == SW_ATOMIC_COUNT)
        sw_bank(c->cc, false, false, m->addr, w->mask, m->bytes, &b);
    else
        sw_bank_atomic(w->ins->sub == SW_ATOM_CAS, m->bytes, m->addr, w->mask,
                       &b);
    add_banked(n, &b);
    add_request(n, w->mask, m->bytes);
}

static void
count_at(sw_counters *c, part *p, hot *h, const sw_ev_where *w,
         const sw_ev_mem *m)
{
    sw_count_mem *n;
    sw_banked b;
    switch (m->space) {
    case SW_SPACE_SHARED:
        count_shared(c, p, h, w, m);
        return;
    case SW_SPACE_CONST:
        n = &sw_part_find_cell(p, h, SW_ACCESS_CONST_LD)->n;
        sw_constant(c->cc, m->addr, w->mask, m->bytes, &b);
        add_banked(n, &b);
        break;
    case SW_SPACE_LOCAL:
        n = &sw_part_find_cell(
                 p, h, m->is_write ? SW_ACCESS_LOCAL_ST : SW_ACCESS_LOCAL_LD)
                 ->n;
        count_local(c, p, w, m, n);
        break;
    default: {
        sw_access access = global_access(h, m);
        n = &sw_part_find_cell(p, h, access)->n;
        count_global(c, p, w, m, access, n);
        break;
    }
    }
    add_request(n, w->mask, m->bytes);
}

void
sw_part_on_mem(void *arg, const sw_ev_where *w, const sw_ev_mem *m)
{
    sw_counters *c = arg;
    part *p = w->state;
    hot *h = &p->ins[w->index];
    if (m->is_atomic)
        sw_part_look_at_atomic(c, h, w->fn, w->ins);
    bool gathers =
        m->is_atomic && (h->form == SW_ATOMIC_ONE ||
                         (h->form == SW_ATOMIC_ALL && w->mask == UINT32_MAX));
    if (gathers && first_of_each(m->addr, w->mask) == (w->mask & -w->mask)) {
        sw_ev_where one = *w;
        one.mask = one.active = w->mask & -w->mask;
        count_at(c, p, h, &one, m);
    } else {
        count_at(c, p, h, w, m);
    }
}

/* Texels of lanes [first, first + lanes): their sectors, and what they cost. */
static uint32_t
fetch_sectors(sw_counters *c, part *p, const sw_ev_where *w, sw_count_mem *n,
              const sw_ev_tex *t, unsigned first, unsigned lanes)
{
    uint32_t some = (uint32_t)(((uint64_t)1 << lanes) - 1) << first;
    sectors all = {.count = 0};
    uint32_t texels = 0;
    for (uint32_t k = 0; k < t->count; k++)
        for (uint32_t m = t->mask[k] & some; m; m &= m - 1) {
            uint64_t at = t->addr[k][__builtin_ctz(m)] >> 5;
            uint32_t i = 0;
            while (i < all.count && all.at[i] != at)
                i++;
            texels++;
            if (i < all.count || i == LANES)
                continue;
            all.at[all.count++] = at;
        }
    n->n32 += all.count;
    n->transactions += all.count;
    n->sectors += all.count;
    if (c->l2 && all.count)
        wait_turn(c, p, w, n, TURN_TEXTURE, &all, NULL);
    return texels;
}

/* The same of one texel a lane, all groups of lanes. */
static void
count_texels(sw_count_mem *n, const sw_ev_tex *t, unsigned group)
{
    uint32_t found =
        sw_access_lanes_get()->grouped(t->addr[0], t->mask[0], group);
    n->n32 += found;
    n->transactions += found;
    n->sectors += found;
    for (unsigned i = 0; i < LANES; i += group)
        n->requests += (t->mask[0] >> i & ((1u << group) - 1)) != 0;
}

/* 7.0 on: four lanes make a request, eight of those that fetch small texels of
 * plain memory by their number; a filter over texels of sixteen bytes takes
 * two lanes at a time, and first one half, then the other, if both are used
 * (seen on an H200). */
static void
count_fetch(sw_counters *c, part *p, const sw_ev_where *w, sw_count_mem *n,
            const sw_ev_tex *t)
{
    hot *h = &p->ins[w->index];
    bool filters = t->bytes > 8 && t->count > 1;
    if (filters && !h->form)
        h->form = (uint8_t)sw_count_halves(w->fn, w->ins);
    unsigned halves = filters ? h->form : 1;
    bool plain = !t->tiled && w->ins->geom == SW_GEOM_1D && t->bytes <= 4;
    unsigned group = plain ? 8 : 4;
    n->threads += (uint64_t)__builtin_popcount(w->mask);
    n->bytes += (uint64_t)__builtin_popcount(w->mask) * t->bytes;
    if (t->count == 1 && !c->l2) {
        count_texels(n, t, group);
        return;
    }
    unsigned span = filters ? 2 : group;
    for (unsigned i = 0; i < LANES; i += group) {
        uint32_t texels = 0;
        for (unsigned k = 0; k < group * halves; k += span)
            texels += fetch_sectors(c, p, w, n, t, i + k % group, span);
        n->requests += texels != 0;
    }
}

static void
on_tex(void *arg, const sw_ev_where *w, const sw_ev_tex *t)
{
    sw_counters *c = arg;
    part *p = w->state;
    hot *h = &p->ins[w->index];
    sectors all;
    sw_access access = w->ins->op == SW_OP_SULD    ? SW_ACCESS_SURFACE_LD
                       : w->ins->op == SW_OP_SUST  ? SW_ACCESS_SURFACE_ST
                       : w->ins->op == SW_OP_SURED ? SW_ACCESS_SURFACE_ST
                                                   : SW_ACCESS_TEXTURE;
    sw_count_mem *n = &sw_part_find_cell(p, h, access)->n;
    if (c->cc >= 70 && access == SW_ACCESS_TEXTURE) {
        count_fetch(c, p, w, n, t);
        return;
    }
    for (uint32_t k = 0; k < t->count; k++) {
        sw_ev_where some = *w;
        some.mask = some.active = t->mask[k];
        coalesce(c, n, false, t->addr[k], some.mask, t->bytes,
                 c->l2 ? &all : NULL);
        if (k == 0)
            add_request(n, some.mask, t->bytes);
        if (!c->l2)
            continue;
        if (access == SW_ACCESS_SURFACE_ST)
            store_sectors(c, p, &some, n, TURN_STORE, &all, t->addr[k],
                          t->bytes);
        else
            wait_turn(c, p, &some, n, TURN_TEXTURE, &all, NULL);
    }
}

/* ---- its beginning and end ---- */

sw_status
sw_count_occupancy(const sw_count_launch *l, sw_occ *out)
{
    sw_occ_kernel k = {.threads = l->block[0] * l->block[1] * l->block[2],
                       .regs = l->regs,
                       .static_smem = l->static_shared_bytes,
                       .dynamic_smem = l->dynamic_shared_bytes};
    return sw_occupancy(sw_device_limits((int)l->device->cc), &k, out);
}

/* As many blocks as the launch and the device have room for share what there
 * is. */
static void
set_caches(sw_counters *c)
{
    const sw_count_launch *l = &c->launch;
    const sw_device_info *d = l->device;
    sw_occ occ;
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t a_sm = (blocks + d->sm_count - 1) / d->sm_count;
    uint32_t room = sw_count_occupancy(l, &occ) == SW_OK ? occ.blocks : 1;
    uint32_t most = room < a_sm ? room : (uint32_t)a_sm;
    most = most ? most : 1;
    uint32_t shared = l->static_shared_bytes + l->dynamic_shared_bytes;
    c->resident = most * d->sm_count;
    c->l1_bytes = sw_l1_bytes(d, room, shared) / most;
    c->texture_bytes = sw_texture_cache_bytes(d, room, shared) / most;
    /* 5.x and 6.x look into L1 only where the device says so: 6.0. */
    c->l1_global = c->lines || c->cc == 60 || c->cc >= 70;
    c->l2 = sw_l2_create(d);
    c->wave = sw_wave_create(c->l2, c->resident, d->sm_count);
}

sw_counters *
sw_counters_create(const sw_count_launch *launch)
{
    sw_counters *c = sw_alloc(sizeof *c);
    c->launch = *launch;
    c->resident = 1;
    c->cc = launch->device->cc;
    c->threads_block = launch->block[0] * launch->block[1] * launch->block[2];
    c->warps_block = (c->threads_block + LANES - 1) / LANES;
    c->lines = c->cc >= 20 && c->cc < 50 && (c->cc < 30 || launch->cache_all);
    c->observer = (sw_observer){
        .arg = c,
        .events = launch->caches
                      ? (uint32_t)SW_COUNTERS_EVENTS & ~(uint32_t)SW_EV_INLINE
                      : (uint32_t)SW_COUNTERS_EVENTS,
        .block_begin = block_begin,
        .block_end = block_end,
        .ins = on_ins,
        .mem = sw_part_on_mem,
        .branch = on_branch,
        .tex = on_tex,
        .inline_counter = launch->caches ? NULL : &sw_part_inline_counter};
    pthread_mutex_init(&c->lock, NULL);
    if (launch->caches)
        set_caches(c);
    sw_vec_init(&c->rows, sizeof(sw_count_row));
    return c;
}

void
sw_counters_destroy(sw_counters *c)
{
    if (!c)
        return;
    while (c->parts) {
        part *p = c->parts;
        c->parts = p->next;
        if (p->texture != p->l1)
            sw_l1_destroy(p->texture);
        sw_l1_destroy(p->l1);
        for (uint32_t i = 0; p->turns && i < c->warps_block; i++)
            sw_vec_finish(&p->turns[i]);
        sw_free(p->turns);
        sw_vec_finish(&p->asked);
        sw_vec_finish(&p->queue);
        sw_arena_destroy(p->arena);
        sw_free(p->ins);
        sw_free(p);
    }
    sw_vec_finish(&c->rows);
    sw_wave_destroy(c->wave);
    sw_l2_destroy(c->l2);
    pthread_mutex_destroy(&c->lock);
    sw_free(c);
}

const sw_observer *
sw_counters_observer(sw_counters *c)
{
    return &c->observer;
}

static void
add_cells(sw_count_row *row, const cell *cells)
{
    for (const cell *at = cells; at; at = at->next)
        sw_count_add(&row->n.mem[at->access], &at->n, sizeof at->n);
}

static void
make_row(sw_counters *c, uint32_t index)
{
    sw_count_row *row = NULL;
    for (const part *p = c->parts; p; p = p->next) {
        const hot *h = &p->ins[index];
        if (!h->n.inst)
            continue;
        if (!row) {
            row = sw_vec_push(&c->rows);
            *row = (sw_count_row){.fn = h->fn, .ins = h->ins, .index = index};
        }
        row->n.inst += h->n.inst;
        row->n.inst_off += h->n.off;
        row->n.thread_inst += h->n.active;
        row->n.thread_on += h->n.on;
        row->n.branches_taken += h->n.taken;
        row->n.divergent += h->n.divergent;
        row->n.branch_targets += h->n.targets;
        add_cells(row, h->cells);
    }
    if (!row)
        return;
    if (sw_count_row_finish(row, c->cc))
        sw_counts_add(&c->total, &row->n);
    else
        sw_vec_remove(&c->rows, c->rows.count - 1);
}

void
sw_counters_finish(sw_counters *c)
{
    if (c->l2)
        sw_wave_finish(c->wave);
    for (part *p = c->parts; p; p = p->next)
        sw_part_close(c, p);
    for (uint32_t i = 0; i < c->launch.ins_count; i++)
        make_row(c, i);
    for (const part *p = c->parts; p; p = p->next)
        c->total.blocks += p->blocks;
    c->total.warps = c->total.blocks * c->warps_block;
    c->total.threads = c->total.blocks * c->threads_block;
    if (!c->l2)
        return;
    const sw_l2_counts *n = sw_l2_get_counts(c->l2);
    c->total.l2_read = n->lookups[SW_L2_READ];
    c->total.l2_write = n->lookups[SW_L2_WRITE];
    c->total.l2_atom = n->lookups[SW_L2_ATOM];
    c->total.l2_red = n->lookups[SW_L2_RED];
    c->total.l2_read_hit = n->read_hits;
    c->total.l2_write_hit = n->write_hits;
    c->total.l2_atomic_hit = n->atomic_hits;
    c->total.dram_read = n->dram_read;
    c->total.dram_write = n->dram_write;
}

const sw_count_launch *
sw_counters_launch(const sw_counters *c)
{
    return &c->launch;
}

const sw_counts *
sw_counters_total(const sw_counters *c)
{
    return &c->total;
}

const sw_count_row *
sw_counters_rows(const sw_counters *c, size_t *count)
{
    *count = c->rows.count;
    return c->rows.data;
}

double
sw_counters_scale(const sw_counters *c)
{
    const uint32_t *g = c->launch.grid;
    double all = (double)g[0] * g[1] * g[2];
    return c->total.blocks ? all / (double)c->total.blocks : 1;
}
