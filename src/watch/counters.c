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
#include "watch/count.h"
#include "watch/counters.h"

enum { LANES = 32 };

/* What lanes did with one kind of memory at one instruction. */
typedef struct cell {
    struct cell *next;
    sw_access access;
    sw_count_mem n;
} cell;

/* One instruction. */
typedef struct {
    const sw_fn *fn;
    const sw_ins *ins;
    uint64_t inst, off, active, on;
    uint64_t taken, divergent, targets; /* branches */
    cell *cells;
} hot;

typedef struct part {
    struct part *next;      /* of all */
    struct part *next_free; /* of those that no block has */
    hot *ins;               /* [ins_count] */
    sw_arena *arena;        /* cells */
    uint64_t blocks;
} part;

struct sw_counters {
    sw_count_launch launch;
    sw_observer observer;
    pthread_mutex_t lock; /* of the lists */
    part *parts, *free;
    uint32_t cc;
    uint32_t warps_block, threads_block;
    bool lines; /* global loads fetch lines */
    sw_counts total;
    sw_vec rows; /* sw_count_row, after finish */
};

const char *
sw_access_text(sw_access access)
{
#define SW_ROW(name, text) text,
    static const char *const texts[] = {SW_COUNT_ACCESSES(SW_ROW)};
#undef SW_ROW
    return (unsigned)access < SW_ACCESS_COUNT ? texts[access] : "?";
}

void
sw_counts_add(sw_counts *a, const sw_counts *b)
{
    static_assert(sizeof *a % sizeof(uint64_t) == 0, "only counts");
    uint64_t *to = (uint64_t *)(void *)a;
    const uint64_t *from = (const uint64_t *)(const void *)b;
    for (size_t i = 0; i < sizeof *a / sizeof *to; i++)
        to[i] += from[i];
}

/* ---- while the launch runs ---- */

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    sw_counters *c = arg;
    (void)block;
    (void)index;
    pthread_mutex_lock(&c->lock);
    part *p = c->free;
    if (p)
        c->free = p->next_free;
    pthread_mutex_unlock(&c->lock);
    if (!p) {
        p = sw_alloc(sizeof *p);
        p->ins = sw_alloc((c->launch.ins_count + 1) * sizeof *p->ins);
        p->arena = sw_arena_create();
        pthread_mutex_lock(&c->lock);
        p->next = c->parts;
        c->parts = p;
        pthread_mutex_unlock(&c->lock);
    }
    p->blocks++;
    return p;
}

static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    sw_counters *c = arg;
    part *p = state;
    (void)block;
    (void)index;
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
    h->inst++;
    h->off += w->mask == 0;
    h->active += (uint64_t)__builtin_popcount(w->active);
    h->on += (uint64_t)__builtin_popcount(w->mask);
}

static void
on_branch(void *arg, const sw_ev_where *w, const sw_ev_branch *b)
{
    part *p = w->state;
    hot *h = &p->ins[w->index];
    bool parts = b->taken && b->taken != w->mask;
    (void)arg;
    h->taken += b->taken != 0;
    h->divergent += parts;
    h->targets += 1 + (uint64_t)parts;
}

static cell *
find_cell(part *p, hot *h, sw_access access)
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

static void
add_coalesced(sw_count_mem *n, const sw_coalesced *c)
{
    n->n32 += c->n32;
    n->n64 += c->n64;
    n->n128 += c->n128;
    n->transactions += (uint64_t)c->n32 + c->n64 + c->n128;
    n->coherent += c->coherent;
    n->incoherent += c->incoherent;
    n->sectors += c->sectors;
    n->lines += c->lines;
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

/* Local memory of a thread is interleaved: 32-bit words of the warp's threads
 * lie side by side, so a wide element is several accesses of 4 bytes. */
static void
count_local(sw_counters *c, const sw_ev_where *w, const sw_ev_mem *m,
            sw_count_mem *n)
{
    uint64_t word[LANES];
    uint32_t step = m->bytes < 4 ? m->bytes : 4;
    bool is_read = !m->is_write;
    for (uint32_t k = 0; k < m->bytes; k += 4) {
        sw_coalesced co;
        for (uint64_t i = 0; i < LANES; i++) {
            uint64_t at = m->addr[i] + k;
            word[i] = at / 4 * 128 + i * 4 + at % 4;
        }
        sw_coalesce(c->cc, c->cc >= 20 && c->cc < 50 && is_read, word, w->mask,
                    step, &co);
        add_coalesced(n, &co);
    }
    add_ideal(n, w->mask, m->bytes);
}

static sw_access
global_access(const sw_ev_mem *m, const sw_ins *ins)
{
    if (m->is_atomic)
        return sw_count_is_reduction(ins) ? SW_ACCESS_GLOBAL_RED
                                          : SW_ACCESS_GLOBAL_ATOM;
    return m->is_write ? SW_ACCESS_GLOBAL_ST : SW_ACCESS_GLOBAL_LD;
}

static void
on_mem(void *arg, const sw_ev_where *w, const sw_ev_mem *m)
{
    sw_counters *c = arg;
    part *p = w->state;
    hot *h = &p->ins[w->index];
    sw_count_mem *n;
    sw_banked b;
    switch (m->space) {
    case SW_SPACE_SHARED:
        n = &find_cell(p, h,
                       m->is_atomic  ? SW_ACCESS_SHARED_ATOM
                       : m->is_write ? SW_ACCESS_SHARED_ST
                                     : SW_ACCESS_SHARED_LD)
                 ->n;
        if (m->is_atomic)
            sw_bank_atomic(c->cc, m->addr, w->mask, m->bytes, &b);
        else
            sw_bank(c->cc, c->launch.wide_banks, m->addr, w->mask, m->bytes,
                    &b);
        add_banked(n, &b);
        break;
    case SW_SPACE_CONST:
        n = &find_cell(p, h, SW_ACCESS_CONST_LD)->n;
        sw_constant(c->cc, m->addr, w->mask, m->bytes, &b);
        add_banked(n, &b);
        break;
    case SW_SPACE_LOCAL:
        n = &find_cell(p, h,
                       m->is_write ? SW_ACCESS_LOCAL_ST : SW_ACCESS_LOCAL_LD)
                 ->n;
        count_local(c, w, m, n);
        break;
    default: {
        sw_coalesced co;
        n = &find_cell(p, h, global_access(m, w->ins))->n;
        sw_coalesce(c->cc, c->lines && !m->is_write, m->addr, w->mask, m->bytes,
                    &co);
        add_coalesced(n, &co);
        add_ideal(n, w->mask, m->bytes);
        break;
    }
    }
    add_request(n, w->mask, m->bytes);
}

static void
on_tex(void *arg, const sw_ev_where *w, const sw_ev_tex *t)
{
    sw_counters *c = arg;
    part *p = w->state;
    hot *h = &p->ins[w->index];
    sw_coalesced co;
    sw_count_mem *n = &find_cell(p, h, SW_ACCESS_TEXTURE)->n;
    sw_coalesce(c->cc, false, t->addr, w->mask, t->bytes, &co);
    add_coalesced(n, &co);
    if (t->is_first)
        add_request(n, w->mask, t->bytes);
}

/* ---- its beginning and end ---- */

sw_counters *
sw_counters_create(const sw_count_launch *launch)
{
    sw_counters *c = sw_alloc(sizeof *c);
    c->launch = *launch;
    c->cc = launch->device->cc;
    c->threads_block = launch->block[0] * launch->block[1] * launch->block[2];
    c->warps_block = (c->threads_block + LANES - 1) / LANES;
    c->lines = c->cc >= 20 && c->cc < 50 && (c->cc < 30 || launch->cache_all);
    c->observer = (sw_observer){.arg = c,
                                .block_begin = block_begin,
                                .block_end = block_end,
                                .ins = on_ins,
                                .mem = on_mem,
                                .branch = on_branch,
                                .tex = on_tex};
    pthread_mutex_init(&c->lock, NULL);
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
        sw_arena_destroy(p->arena);
        sw_free(p->ins);
        sw_free(p);
    }
    sw_vec_finish(&c->rows);
    pthread_mutex_destroy(&c->lock);
    sw_free(c);
}

const sw_observer *
sw_counters_observer(sw_counters *c)
{
    return &c->observer;
}

/* The kind of access of an instruction that never executed with a lane on. */
static sw_access
static_access(const sw_ins *ins)
{
    bool writes = ins->op == SW_OP_ST;
    bool atomic = ins->op == SW_OP_ATOM || ins->op == SW_OP_RED;
    switch (ins->space) {
    case SW_SPACE_SHARED:
        return atomic   ? SW_ACCESS_SHARED_ATOM
               : writes ? SW_ACCESS_SHARED_ST
                        : SW_ACCESS_SHARED_LD;
    case SW_SPACE_LOCAL:
        return writes ? SW_ACCESS_LOCAL_ST : SW_ACCESS_LOCAL_LD;
    case SW_SPACE_CONST:
        return SW_ACCESS_CONST_LD;
    default:
        if (atomic)
            return sw_count_is_reduction(ins) ? SW_ACCESS_GLOBAL_RED
                                              : SW_ACCESS_GLOBAL_ATOM;
        return writes ? SW_ACCESS_GLOBAL_ST : SW_ACCESS_GLOBAL_LD;
    }
}

static void
add_cells(sw_count_row *row, const cell *cells)
{
    for (const cell *at = cells; at; at = at->next) {
        sw_count_mem *n = &row->n.mem[at->access];
        uint64_t *to = (uint64_t *)(void *)n;
        const uint64_t *from = (const uint64_t *)(const void *)&at->n;
        for (size_t i = 0; i < sizeof *n / sizeof *to; i++)
            to[i] += from[i];
    }
}

/* Warp instructions of a memory row: held back ones too, where it is clear
 * which memory they would have reached. */
static void
set_inst(sw_count_row *row)
{
    int kinds = 0, last = -1;
    for (int a = 0; a < SW_ACCESS_COUNT; a++) {
        sw_count_mem *n = &row->n.mem[a];
        n->inst = n->requests;
        if (n->requests) {
            kinds++;
            last = a;
        }
    }
    if (row->cls != SW_COUNT_MEMORY && row->cls != SW_COUNT_TEXTURE)
        return;
    if (kinds == 1)
        row->n.mem[last].inst = row->n.inst;
    else if (kinds == 0 && row->cls == SW_COUNT_MEMORY)
        row->n.mem[static_access(row->ins)].inst = row->n.inst;
}

static void
set_place(sw_count_row *row)
{
    const sw_module *m = row->fn->module;
    if (!row->ins->loc || row->ins->loc >= m->loc_count)
        return;
    const sw_loc *loc = &m->locs[row->ins->loc];
    if (loc->file >= m->file_count)
        return;
    row->file = m->files[loc->file];
    row->line = loc->line;
}

/* What follows from what the instruction is. */
static void
set_kind(sw_count_row *row)
{
    unsigned precision, kind, elements;
    sw_counts *n = &row->n;
    row->cls = sw_count_classify(row->ins, &precision, &kind, &elements);
    n->inst_by[row->cls] = n->inst;
    n->thread_by[row->cls] = n->thread_on;
    if (elements)
        n->flop[precision][kind] = n->thread_on * elements;
    switch (row->ins->op) {
    case SW_OP_BRX:
        n->branches_taken = n->inst;
        n->branches = n->inst;
        break;
    case SW_OP_BRA:
        n->branches = n->inst;
        break;
    case SW_OP_RET:
    case SW_OP_EXIT:
    case SW_OP_CALL:
        n->exits = n->inst;
        break;
    case SW_OP_BAR:
        n->barriers = n->inst - n->inst_off;
        break;
    default:
        break;
    }
}

static void
make_row(sw_counters *c, uint32_t index)
{
    sw_count_row *row = NULL;
    for (const part *p = c->parts; p; p = p->next) {
        const hot *h = &p->ins[index];
        if (!h->inst)
            continue;
        if (!row) {
            row = sw_vec_push(&c->rows);
            *row = (sw_count_row){.fn = h->fn, .ins = h->ins, .index = index};
        }
        row->n.inst += h->inst;
        row->n.inst_off += h->off;
        row->n.thread_inst += h->active;
        row->n.thread_on += h->on;
        row->n.branches_taken += h->taken;
        row->n.divergent += h->divergent;
        row->n.branch_targets += h->targets;
        add_cells(row, h->cells);
    }
    if (!row)
        return;
    set_kind(row);
    set_inst(row);
    set_place(row);
    sw_counts_add(&c->total, &row->n);
}

void
sw_counters_finish(sw_counters *c)
{
    for (uint32_t i = 0; i < c->launch.ins_count; i++)
        make_row(c, i);
    for (const part *p = c->parts; p; p = p->next)
        c->total.blocks += p->blocks;
    c->total.warps = c->total.blocks * c->warps_block;
    c->total.threads = c->total.blocks * c->threads_block;
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
