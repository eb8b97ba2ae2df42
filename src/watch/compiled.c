/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiled.c - the part of the observer of counters.h that compiled code calls:
 * inline counters, which are worked out when the launch has ended, and accesses
 * that no inline counter has, which are counted at once, by as few steps as
 * their kind allows.
 */
#include "watch/access_lanes.h"
#include "watch/count.h"
#include "watch/part.h"

enum { LANES = 32 };

/* A kernel may be compiled more than once for one launch: each code has a table
 * of its own. */
uint64_t *
sw_part_open_slots(void *arg, void *state, const sw_counter_table *table)
{
    part *p = state;
    counted **at = &p->counted;
    (void)arg;
    while (*at && (*at)->table != table)
        at = &(*at)->next;
    if (!*at) {
        *at = sw_alloc(sizeof **at);
        (*at)->table = table;
        (*at)->slots = sw_alloc((table->slot_count + 1) * sizeof(uint64_t));
    }
    return (*at)->slots;
}

const struct sw_inline_counter sw_part_inline_counter = {
    .slots = sw_part_open_slots, .access = sw_part_on_access};

typedef struct {
    sw_counters *counters;
    part *part;
} counting;

/* As if sw_part_on_mem had been called so many times. */
static void
count_access(void *arg, const sw_counter_access *a, const uint64_t addr[LANES],
             uint32_t mask, uint64_t times)
{
    const counting *to = arg;
    hot *h = &to->part->ins[a->ins];
    int effects = sw_op_get_info((sw_op)h->ins->op)->effects;
    sw_ev_where w = {.state = to->part,
                     .fn = h->fn,
                     .ins = h->ins,
                     .index = a->ins,
                     .mask = mask,
                     .active = mask};
    sw_ev_mem m = {.space = (sw_space)a->space,
                   .bytes = a->bytes,
                   .is_read = effects != SW_FX_WRITE,
                   .is_write = effects != SW_FX_READ,
                   .is_atomic = effects == SW_FX_ATOMIC,
                   .addr = addr};
    cell *before = h->cells;
    h->cells = NULL;
    sw_part_on_mem(to->counters, &w, &m);
    const cell *ones = h->cells;
    h->cells = before;
    for (const cell *one = ones; one; one = one->next) {
        uint64_t *sum =
            (uint64_t *)&sw_part_find_cell(to->part, h, one->access)->n;
        for (size_t i = 0; i < sizeof one->n / sizeof *sum; i++)
            sum[i] += times * ((const uint64_t *)&one->n)[i];
    }
}

static void
close_counted(sw_counters *c, part *p, const counted *n)
{
    const sw_fn *fn = n->table->kernel;
    sw_counter_sums *sums = sw_alloc((c->launch.ins_count + 1) * sizeof *sums);
    p->blocks += sw_counter_add(n->table, n->slots, sums);
    for (uint32_t b = 0, at = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++, at++) {
            hot *h = &p->ins[at];
            h->fn = fn;
            h->ins = fn->blocks[b]->ins[i];
            sw_count_add(&h->n, &sums[at], sizeof h->n);
        }
    sw_free(sums);
    sw_counter_accesses(n->table, n->slots, count_access, &(counting){c, p});
}

/* ---- accesses, shortly ---- */

static sw_quick_kind
kind_of(const sw_counters *c, hot *h, const sw_ev_access *a)
{
    const sw_ins *ins = a->ins;
    int effects = sw_op_get_info((sw_op)ins->op)->effects;
    bool is_atomic = effects == SW_FX_ATOMIC;
    if (c->cc < 50 || c->l2)
        return SW_QUICK_NONE;
    if (a->space == SW_SPACE_GLOBAL)
        return is_atomic ? SW_QUICK_NONE : SW_QUICK_SECTORS;
    if (a->space != SW_SPACE_SHARED || a->bytes > 4 ||
        ins->op == SW_OP_CP_ASYNC)
        return SW_QUICK_NONE;
    if (!is_atomic)
        return SW_QUICK_BANKS;
    sw_part_look_at_atomic(c, h, a->fn, ins);
    if (h->form == SW_ATOMIC_COUNT)
        return SW_QUICK_BANKS;
    return h->form == SW_ATOMIC_PLAIN && ins->sub != SW_ATOM_CAS
               ? SW_QUICK_LANES
               : SW_QUICK_NONE;
}

/* How many blocks of 1 << shift bytes the lanes of a mask touch that lie side
 * by side, `bytes` (a power of two) each, lane 0 at `start`. */
static uint32_t
blocks_of_row(uint64_t start, uint32_t mask, uint32_t bytes, unsigned shift)
{
    static const uint64_t first_of[] = {UINT64_MAX,         0x5555555555555555,
                                        0x1111111111111111, 0x0101010101010101,
                                        0x0001000100010001, 0x0000000100000001};
    enum { SIZES = sizeof first_of / sizeof *first_of };
    unsigned k = (unsigned)__builtin_ctz(bytes), lanes = shift - k;
    unsigned at = (unsigned)(start & ((1u << shift) - 1)) >> k;
    if (lanes >= SIZES) { /* 64 or more: two blocks at most */
        unsigned in_first = (1u << lanes) - at;
        uint32_t low = in_first < LANES ? mask & ((1u << in_first) - 1) : mask;
        return (low != 0 ? 1u : 0u) + (low != mask ? 1u : 0u);
    }
    uint64_t m = (uint64_t)mask << at;
    for (unsigned by = (1u << lanes) / 2; by; by /= 2)
        m |= m >> by;
    return (uint32_t)__builtin_popcountll(m & first_of[lanes]);
}

static void
count_quick_row(hot *h, const sw_ev_access *a)
{
    enum { SECTOR = 5, LINE = 7 };
    sw_quick_sums *n = &h->sums;
    uint32_t threads = (uint32_t)__builtin_popcount(a->mask);
    n->requests++;
    n->threads += threads;
    if (h->quick == SW_QUICK_SECTORS) {
        n->found += blocks_of_row(a->addr[0], a->mask, a->bytes, SECTOR);
        n->lines += blocks_of_row(a->addr[0], a->mask, a->bytes, LINE);
        n->ideal += (threads * a->bytes + 31) / 32;
    } else { /* a bank each */
        n->found++;
    }
}

static void
count_quick(hot *h, const sw_ev_access *a)
{
    const sw_access_lanes *lanes = sw_access_lanes_get();
    sw_quick_sums *n = &h->sums;
    uint32_t threads = (uint32_t)__builtin_popcount(a->mask), found, lines;
    n->requests++;
    n->threads += threads;
    switch (h->quick) {
    case SW_QUICK_SECTORS:
        n->found += lanes->sectors(a->addr, a->mask, &lines, NULL);
        n->lines += lines;
        n->ideal += (threads * a->bytes + 31) / 32;
        return;
    case SW_QUICK_BANKS:
        found = lanes->degree(a->addr, a->mask);
        break;
    default:
        found = lanes->lanes(a->addr, a->mask);
        break;
    }
    n->found += found;
    n->serialized += found > 1;
}

void
sw_part_on_access(void *arg, void *state, const sw_ev_access *a)
{
    sw_counters *c = arg;
    part *p = state;
    hot *h = &p->ins[a->index];
    if (!h->quick) {
        h->quick = (uint8_t)kind_of(c, h, a);
        h->bytes = (uint8_t)a->bytes;
    }
    if (h->quick != SW_QUICK_NONE && a->bytes == h->bytes && a->mask) {
        if (a->is_row && (h->quick == SW_QUICK_SECTORS || a->bytes == 4))
            count_quick_row(h, a);
        else
            count_quick(h, a);
        return;
    }
    int effects = sw_op_get_info((sw_op)a->ins->op)->effects;
    sw_ev_where w = {.state = p,
                     .fn = a->fn,
                     .ins = a->ins,
                     .index = a->index,
                     .mask = a->mask,
                     .active = a->mask};
    sw_ev_mem m = {.space = a->space,
                   .bytes = a->bytes,
                   .is_read = effects != SW_FX_WRITE,
                   .is_write = effects != SW_FX_READ,
                   .is_atomic = effects == SW_FX_ATOMIC,
                   .addr = a->addr};
    sw_part_on_mem(c, &w, &m);
}

/* What the sums of one instruction stand for. */
static void
take_quick(part *p, hot *h)
{
    const sw_quick_sums *from = &h->sums;
    if (!from->requests)
        return;
    int effects = sw_op_get_info((sw_op)h->ins->op)->effects;
    bool is_global = h->quick == SW_QUICK_SECTORS;
    bool is_write = effects == SW_FX_WRITE;
    sw_access access =
        is_global ? is_write ? SW_ACCESS_GLOBAL_ST : SW_ACCESS_GLOBAL_LD
        : effects == SW_FX_ATOMIC ? SW_ACCESS_SHARED_ATOM
        : is_write                ? SW_ACCESS_SHARED_ST
                                  : SW_ACCESS_SHARED_LD;
    sw_count_mem *n = &sw_part_find_cell(p, h, access)->n;
    n->requests += from->requests;
    n->threads += from->threads;
    n->bytes += from->threads * h->bytes;
    if (is_global) {
        n->n32 += from->found;
        n->transactions += from->found;
        n->sectors += from->found;
        n->sectors_ideal += from->ideal;
        n->lines += from->lines;
        return;
    }
    n->wavefronts += from->found;
    n->wavefronts_ideal += from->requests;
    n->conflicts += from->found - from->requests;
    n->serialized += from->serialized;
}

void
sw_part_close(sw_counters *c, part *p)
{
    for (counted *n = p->counted; n; n = p->counted) {
        close_counted(c, p, n);
        p->counted = n->next;
        sw_free(n->slots);
        sw_free(n);
    }
    for (uint32_t i = 0; i < c->launch.ins_count; i++)
        take_quick(p, &p->ins[i]);
}
