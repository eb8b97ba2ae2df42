/* SPDX-License-Identifier: Apache-2.0 */
/* race_access.c - accesses beside those of before, see race.h. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "check/race.h"

enum { SENTENCE = 256 };

/* One lane's access, while its cells are looked at. */
typedef struct {
    race_block *block;
    const sw_ev_where *where;
    const sw_ev_mem *mem;
    uint32_t lane, thread; /* in its warp; in its block */
    sw_access packed;
    sw_strength strength;
    bool is_write, is_read;
    bool is_bulk;  /* the thread has begun it, an agent makes it */
    bool is_first; /* nothing has been written there before */
} lane_access;

/* ---- is a pair of accesses a race? ---- */

static sw_strength
strength_of(const sw_ev_mem *mem)
{
    if (mem->is_async)
        return SW_STRENGTH_ASYNC;
    if (mem->order == SW_ORDER_WEAK)
        return SW_STRENGTH_PLAIN;
    if (mem->order == SW_ORDER_VOLATILE)
        return SW_STRENGTH_VOLATILE;
    return mem->scope == SW_SCOPE_CTA ? SW_STRENGTH_BLOCK : SW_STRENGTH_DEVICE;
}

static bool
is_strong(sw_strength s)
{
    return s != SW_STRENGTH_PLAIN && s != SW_STRENGTH_ASYNC &&
           s != SW_STRENGTH_BULK;
}

static bool
is_bulk(sw_strength s)
{
    return s == SW_STRENGTH_BULK || s == SW_STRENGTH_REDUCE;
}

/* Two accesses that may meet: both strong, each with a scope that has the
 * other's thread in it (PTX ISA: morally strong). */
static bool
may_meet(sw_strength a, sw_strength b, bool same_block)
{
    if (!is_strong(a) || !is_strong(b))
        return false;
    return same_block || (a != SW_STRENGTH_BLOCK && b != SW_STRENGTH_BLOCK);
}

/* The instruction stands in a header: a relaxed atomic of a library, which
 * compilers make a volatile access of. */
static bool
is_of_library(const sw_fn *fn, const sw_ins *ins)
{
    const sw_module *m = fn->module;
    const sw_loc *l = ins->loc < m->loc_count ? &m->locs[ins->loc] : NULL;
    return ins->loc && l && l->file < m->file_count && m->files[l->file] &&
           sw_check_is_header(m->files[l->file]);
}

/* Of two lanes of a warp volatile accesses to shared memory are one after the
 * other only by luck: that is how reductions without __syncwarp fail. */
static bool
is_order_of_warp(const lane_access *a, sw_access other, uint32_t thread)
{
    return a->mem->space == SW_SPACE_SHARED &&
           a->strength == SW_STRENGTH_VOLATILE &&
           sw_access_strength(other) == SW_STRENGTH_VOLATILE &&
           thread / 32 == a->thread / 32 &&
           !is_of_library(a->where->fn, a->where->ins);
}

/* The asynchronous write of a thread has ended for the thread of `a`: the wait
 * lies behind it, which the other knows by a barrier. */
static bool
has_waited(const lane_access *a, uint32_t thread, sw_clock group)
{
    const race_block *b = a->block;
    sw_clock clock;
    return race_async_waited(b, thread, group, &clock) &&
           sw_clocks_knows(b->clocks, a->thread, thread, clock);
}

/* The thread of `a` knows of an access of its launch. */
static bool
is_known(const lane_access *a, sw_access other)
{
    const race_block *b = a->block;
    const sw_access_layout *l = &b->launch->layout;
    uint64_t number = sw_access_thread(l, other), block = number / l->threads;
    uint32_t thread = (uint32_t)(number % l->threads);
    sw_clock clock = sw_access_clock(l, other);
    return block == b->index
               ? sw_clocks_knows(b->clocks, a->thread, thread, clock)
               : sw_clocks_knows_foreign(b->clocks, a->thread, block, thread,
                                         clock);
}

/* What a thread has written by then is not yet there for an asynchronous copy
 * that reads it: a proxy fence is missing. Of other blocks it is only known
 * whether there is any. */
static bool
lacks_fence(const lane_access *a, sw_access other)
{
    race_block *b = a->block;
    const sw_access_layout *l = &b->launch->layout;
    uint64_t number = sw_access_thread(l, other);
    if (!a->is_bulk || a->is_write || is_bulk(sw_access_strength(other)))
        return false;
    if (number / l->threads != b->index)
        return !atomic_load(&b->launch->has_proxy_fence);
    return !sw_clocks_has_proxy_fence(b->clocks, a->thread,
                                      (uint32_t)(number % l->threads),
                                      sw_access_clock(l, other));
}

/* Pieces of one copy, which may share a word. */
static bool
is_same_copy(const lane_access *a, sw_access other)
{
    return a->is_bulk && (other ^ a->packed) >> SW_ACCESS_STRENGTH_BITS == 0;
}

/* Neither orders the other. */
static bool
is_race(const lane_access *a, sw_access other)
{
    const race_block *b = a->block;
    const sw_access_layout *l = &b->launch->layout;
    if (!other || is_same_copy(a, other))
        return false;
    uint64_t number = sw_access_thread(l, other);
    uint32_t thread = (uint32_t)(number % l->threads);
    sw_strength strength = sw_access_strength(other);
    bool same_block = number / l->threads == b->index;
    if (same_block && strength == SW_STRENGTH_ASYNC)
        return a->strength != SW_STRENGTH_ASYNC &&
               !has_waited(a, thread, sw_access_clock(l, other));
    if (may_meet(a->strength, strength, same_block) &&
        !(same_block && is_order_of_warp(a, other, thread)))
        return false;
    return !is_known(a, other) || lacks_fence(a, other);
}

/* ---- what is said ---- */

sw_find_place
race_place_of(const race_launch *l, uint32_t ins)
{
    if (l->places)
        return l->places[ins];
    const race_ins *i = &l->ins[ins];
    return i->fn ? sw_find_user_place_of(i->fn, i->ins)
                 : (sw_find_place){"", 0};
}

static void
put_thread(const race_launch *l, uint64_t number, sw_buf *out)
{
    const uint32_t *n = l->block_shape, *g = l->grid_shape;
    uint64_t block = number / l->layout.threads;
    uint32_t t = (uint32_t)(number % l->layout.threads);
    sw_buf_printf(out, "block (%" PRIu64 ",%" PRIu64 ",%" PRIu64 "), ",
                  block % g[0], block / g[0] % g[1], block / g[0] / g[1]);
    if (t >= l->agents)
        sw_buf_printf(out, "a bulk copy");
    else
        sw_buf_printf(out, "thread (%u,%u,%u)", t % n[0], t / n[0] % n[1],
                      t / n[0] / n[1]);
}

static const char *
verb_of(bool is_write, sw_strength strength)
{
    if (strength == SW_STRENGTH_ASYNC || is_bulk(strength))
        return is_write ? "is copied to asynchronously"
                        : "is copied from asynchronously";
    if (strength == SW_STRENGTH_PLAIN || strength == SW_STRENGTH_VOLATILE)
        return is_write ? "is written" : "is read";
    return is_write ? "is changed by an atomic operation"
                    : "is read by an atomic operation";
}

/* Both stores are of the same value: that of another lane of this instruction,
 * or what is there already. */
static bool
stores_same(const lane_access *a, sw_access other)
{
    const sw_ev_mem *m = a->mem;
    const sw_access_layout *l = &a->block->launch->layout;
    if (!a->is_write || m->is_atomic || !m->before || !m->after)
        return false;
    size_t at = (size_t)a->lane * m->bytes;
    uint64_t number = sw_access_thread(l, other);
    uint64_t own = sw_access_thread(l, a->packed);
    bool is_beside = number / 32 == own / 32 &&
                     sw_access_ins(l, other) == a->where->index &&
                     sw_access_clock(l, other) == sw_access_clock(l, a->packed);
    if (is_beside)
        return memcmp(m->after + number % 32 * m->bytes, m->after + at,
                      m->bytes) == 0;
    return memcmp(m->before + at, m->after + at, m->bytes) == 0;
}

static void
put_values(const lane_access *a, sw_finding *f)
{
    const sw_ev_mem *m = a->mem;
    uint64_t before = 0, after = 0;
    if (!m->before || m->bytes > 8 || !a->is_write || !m->after)
        return;
    memcpy(&before, m->before + (size_t)a->lane * m->bytes, m->bytes);
    memcpy(&after, m->after + (size_t)a->lane * m->bytes, m->bytes);
    sw_findings_detail(a->block->launch->tool->check->findings, f, "values",
                       "0x%" PRIx64 " is there, 0x%" PRIx64 " is stored",
                       before, after);
}

/* A load before a compare-and-swap that checks what it has read. An atomic
 * operation on a part of a word is a loop around one on the word, before which
 * the word is read at the same place. */
static bool
is_first_look(const lane_access *a, race_launch *by, sw_access other,
              bool other_writes)
{
    sw_strength strength = sw_access_strength(other);
    bool looks = !a->is_write && a->strength == SW_STRENGTH_PLAIN &&
                 other_writes && is_strong(strength);
    bool is_looked_at =
        a->mem->is_atomic && !other_writes && strength == SW_STRENGTH_PLAIN;
    if (!looks && !is_looked_at)
        return false;
    if (looks ? race_is_first_look(a->block->launch, a->where->index)
              : race_is_first_look(by, sw_access_ins(&by->layout, other)))
        return true;
    sw_find_place here = sw_find_user_place_of(a->where->fn, a->where->ins);
    sw_find_place there = race_place_of(by, sw_access_ins(&by->layout, other));
    return here.line == there.line && strcmp(here.file, there.file) == 0;
}

/* What is wanted is a wait for the copy; not, or not only, a barrier between
 * its thread and this one. */
static bool
is_unwaited(const lane_access *a, uint32_t thread, sw_clock group)
{
    sw_clock clock;
    return !race_async_waited(a->block, thread, group, &clock) &&
           (thread == a->thread ||
            race_async_knows(a->block, a->thread, thread, group));
}

#define UNWAITED                                                               \
    "data of a bulk copy are used, and nothing has waited for the copy"

/* Of an access and a bulk copy, or the other way round; "": as of any two. */
static const char *
sentence_of_bulk(const lane_access *a, const race_launch *by, sw_access other,
                 bool other_writes, bool same_block)
{
    if (by == a->block->launch && lacks_fence(a, other) && is_known(a, other))
        return "a word is written by a thread and read by a bulk copy, and no "
               "fence.proxy.async lies between the two";
    if (!same_block || a->is_bulk || !is_bulk(sw_access_strength(other)))
        return "";
    if (!other_writes)
        return "memory that a bulk copy reads is changed, and nothing has "
               "waited for the copy";
    return a->is_write ? "memory that a bulk copy writes is changed, and "
                         "nothing has waited for the copy"
                       : UNWAITED;
}

/* What was read can only have been meant to be what the copy brings. */
static bool
is_read_too_early(const lane_access *a, const race_launch *by,
                  bool other_writes)
{
    return by == a->block->launch && !other_writes && a->is_bulk &&
           a->is_write && a->is_first;
}

/* What is wrong with the two, as a sentence and a kind. */
static sw_find_kind
judge(const lane_access *a, const race_launch *by, sw_access other,
      bool other_writes, char message[SENTENCE])
{
    sw_strength strength = sw_access_strength(other);
    uint64_t number = sw_access_thread(&by->layout, other);
    uint32_t thread = (uint32_t)(number % by->layout.threads);
    bool same_block = by == a->block->launch &&
                      number / by->layout.threads == a->block->index;
    bool is_unfinished = same_block && other_writes && !a->is_bulk &&
                         strength == SW_STRENGTH_BULK;
    const char *sentence =
        sentence_of_bulk(a, by, other, other_writes, same_block);
    if (strength == SW_STRENGTH_ASYNC &&
        is_unwaited(a, thread, sw_access_clock(&by->layout, other))) {
        is_unfinished = true;
        sentence = "data of cp.async are used, and nothing has waited for the "
                   "copy";
    } else if (is_read_too_early(a, by, other_writes)) {
        is_unfinished = true;
        sentence = UNWAITED;
    }
    snprintf(message, SENTENCE, "%s", sentence);
    if (!*sentence)
        snprintf(message, SENTENCE,
                 "a word %s by one thread and %s by another, and nothing "
                 "orders the two",
                 verb_of(other_writes, strength),
                 verb_of(a->is_write, a->strength));
    return is_unfinished                      ? SW_FIND_SYNC_ASYNC
           : a->mem->space == SW_SPACE_SHARED ? SW_FIND_RACE_SHARED
                                              : SW_FIND_RACE_GLOBAL;
}

/* A race of the access with one of launch `by` (its own or another). */
static void
report(const lane_access *a, race_launch *by, sw_access other,
       bool other_writes)
{
    race_launch *l = a->block->launch;
    bool is_shared = a->mem->space == SW_SPACE_SHARED;
    uint64_t number = sw_access_thread(&by->layout, other);
    if (is_first_look(a, by, other, other_writes))
        return;
    sw_find_threads threads =
        sw_check_threads_of(l->launch, a->where, 1u << a->lane);
    char message[SENTENCE];
    sw_find_report r = {
        .kind = judge(a, by, other, other_writes, message),
        .is_benign = other_writes && by == l && stores_same(a, other),
        .kernel = l->kernel,
        .space = is_shared ? "shared" : "global",
        .message = message,
        .fn = a->where->fn,
        .ins = a->where->ins,
        .other = race_place_of(by, sw_access_ins(&by->layout, other)),
        .threads = &threads,
        .launch = l->id};
    if (r.kind == SW_FIND_SYNC_ASYNC && a->is_bulk) { /* the use comes first */
        r.at = r.other;
        r.other = sw_find_user_place_of(a->where->fn, a->where->ins);
    }
    sw_findings *set = l->tool->check->findings;
    sw_finding *f = sw_findings_begin(set, &r);
    if (!f)
        return;
    sw_buf text;
    sw_buf_init(&text);
    put_thread(by, number, &text);
    if (by != l)
        sw_buf_printf(&text, ", in another launch: %s", by->kernel);
    sw_findings_detail(set, f, "against", "%s", text.p);
    sw_findings_detail(set, f, "address",
                       is_shared ? "byte %" PRIu64 " of shared memory"
                                 : "0x%" PRIx64,
                       a->mem->addr[a->lane]);
    put_values(a, f);
    text.n = 0;
    sw_stack_print(l->stack, &text);
    if (text.n)
        sw_findings_detail(set, f, "launched at", "%s", text.p);
    sw_buf_finish(&text);
    sw_findings_end(set);
}

/* ---- cells ---- */

static void
add_read(const lane_access *a, sw_cell *cell)
{
    const sw_access_layout *l = &a->block->launch->layout;
    bool same = cell->read && sw_access_thread(l, cell->read) ==
                                  sw_access_thread(l, a->packed);
    /* The last read, and one that it is not ordered with: of another block or
     * warp rather than of the same. */
    if (!same && cell->read && is_race(a, cell->read))
        cell->other_read = cell->read;
    cell->read = a->packed;
}

static void
check_cell(lane_access *a, sw_cell *cell)
{
    race_launch *l = a->block->launch;
    a->is_first = !cell->write;
    if (cell->write && is_race(a, cell->write))
        report(a, l, cell->write, true);
    else if (cell->weak && is_race(a, cell->weak))
        report(a, l, cell->weak, true);
    if (!a->is_write) {
        add_read(a, cell);
        return;
    }
    if (cell->read && is_race(a, cell->read))
        report(a, l, cell->read, false);
    if (cell->other_read && is_race(a, cell->other_read))
        report(a, l, cell->other_read, false);
    if (!is_strong(a->strength))
        cell->weak = 0;
    else if (sw_access_strength(cell->write) == SW_STRENGTH_PLAIN)
        cell->weak = cell->write ? cell->write : cell->weak;
    cell->write = a->packed;
    cell->read = a->is_read ? a->packed : 0;
    cell->other_read = 0;
}

/* Cells of another launch, which may run at the same time. */
static void
check_foreign(const lane_access *a, race_launch *by, const sw_cell *cell)
{
    struct {
        sw_access access;
        bool is_write;
    } of[] = {{cell->write, true},
              {cell->weak, true},
              {cell->read, false},
              {cell->other_read, false}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i].access && (of[i].is_write || a->is_write) &&
            !may_meet(a->strength, sw_access_strength(of[i].access), false))
            report(a, by, of[i].access, of[i].is_write);
}

/* Bytes [first, last) of a chunk. */
static void
check_bytes(lane_access *a, sw_chunk *chunk, uint32_t first, uint32_t last)
{
    for (sw_chunk *c = chunk; c; c = c->next)
        if ((first | last) % 4)
            sw_chunk_by_byte(c);
    uint32_t unit = chunk->is_by_byte ? 1 : 4;
    for (uint32_t i = first; i < last; i += unit)
        check_cell(a, &chunk->cells[i / unit]);
    for (sw_chunk *c = chunk->next; c; c = c->next) {
        uint32_t step = c->is_by_byte ? 1 : 4;
        for (uint32_t i = first; i < last; i += step)
            check_foreign(a, c->context, &c->cells[i / step]);
    }
}

/* ---- chunks ---- */

race_block *
race_find_block(race_launch *l, uint64_t index)
{
    pthread_mutex_lock(&l->lock);
    race_block *b = l->blocks;
    while (b && b->index != index)
        b = b->next;
    pthread_mutex_unlock(&l->lock);
    return b;
}

static void
access_shared(lane_access *a)
{
    race_block *owner = a->block;
    if (a->mem->owner != owner->index)
        owner = race_find_block(owner->launch, a->mem->owner);
    uint64_t at = a->mem->addr[a->lane], end = at + a->mem->bytes;
    while (owner && at < end) {
        uint64_t n = at >> SW_CHUNK_SHIFT;
        uint64_t stop = (n + 1) << SW_CHUNK_SHIFT;
        stop = stop < end ? stop : end;
        if (n >= owner->shared_chunks)
            return;
        sw_chunk **slot = &owner->shared[n];
        if (!*slot)
            *slot = sw_chunk_create();
        check_bytes(a, *slot, (uint32_t)(at % SW_CHUNK_BYTES),
                    (uint32_t)(at % SW_CHUNK_BYTES + stop - at));
        at = stop;
    }
}

/* The cells of this launch come first; those of launches that have ended before
 * it are not kept. */
static sw_chunk *
prepare(sw_chunk **slot, race_launch *l)
{
    if (*slot && (*slot)->owner == l->id)
        return *slot;
    sw_chunk *own = NULL, **at = slot;
    while (*at) {
        sw_chunk *c = *at;
        const race_launch *of = c->context;
        bool is_own = c->owner == l->id;
        /* Of launches by kernels no order is told; they are in one. */
        bool is_over =
            !is_own && (!of->op || !l->op ||
                        sw_order_is_before(l->tool->order, of->op, l->op));
        if (!is_own && !is_over) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        c->next = NULL;
        if (is_over)
            sw_chunk_clear(c);
        if (own)
            sw_chunk_destroy(is_own ? own : c);
        own = is_own || !own ? c : own;
    }
    own = own ? own : sw_chunk_create();
    own->owner = l->id;
    own->context = l;
    own->next = *slot;
    *slot = own;
    return own;
}

static void
access_global(lane_access *a)
{
    race_launch *l = a->block->launch;
    sw_shadow *s = l->tool->global;
    uint64_t at = a->mem->addr[a->lane], end = at + a->mem->bytes;
    if (l->ranges.count)
        race_copy_check(l, a->where, at, a->mem->bytes, a->is_write);
    while (at < end) {
        uint64_t stop = (at / SW_CHUNK_BYTES + 1) * SW_CHUNK_BYTES;
        stop = stop < end ? stop : end;
        sw_chunk **slot = sw_shadow_lock(s, at);
        check_bytes(a, prepare(slot, l), (uint32_t)(at % SW_CHUNK_BYTES),
                    (uint32_t)(at % SW_CHUNK_BYTES + stop - at));
        sw_shadow_unlock(s, at);
        at = stop;
    }
}

void
race_access(race_block *block, const sw_ev_where *where, const sw_ev_mem *mem)
{
    race_launch *l = block->launch;
    race_sync_settle(block, where->warp);
    lane_access a = {.block = block,
                     .where = where,
                     .mem = mem,
                     .strength = strength_of(mem),
                     .is_write = mem->is_write,
                     .is_read = mem->is_read};
    bool is_sync = mem->order != SW_ORDER_WEAK && !mem->is_async;
    for (uint32_t left = where->mask; left; left &= left - 1) {
        a.lane = (uint32_t)__builtin_ctz(left);
        a.thread = where->warp * 32 + a.lane;
        bool is_async_write = a.strength == SW_STRENGTH_ASYNC && mem->is_write;
        sw_clock clock = is_async_write
                             ? race_async_group(block, a.thread)
                             : sw_clocks_now(block->clocks, a.thread);
        if (a.strength == SW_STRENGTH_ASYNC && !mem->is_write)
            a.strength = SW_STRENGTH_PLAIN;
        a.packed = sw_access_pack(&l->layout,
                                  block->index * l->layout.threads + a.thread,
                                  where->index, clock, a.strength);
        if (mem->space == SW_SPACE_SHARED)
            access_shared(&a);
        else
            access_global(&a);
        if (is_sync)
            race_sync_lane(block, where, mem, a.lane);
    }
}

void
race_access_bulk(race_block *block, const sw_ev_where *where,
                 const sw_ev_mem *mem, sw_strength strength,
                 const race_block *of, uint32_t agent)
{
    const race_launch *l = block->launch;
    uint32_t lane = (uint32_t)__builtin_ctz(where->mask);
    lane_access a = {.block = block,
                     .where = where,
                     .mem = mem,
                     .lane = lane,
                     .thread = where->warp * 32 + lane,
                     .packed = sw_access_pack(
                         &l->layout,
                         of->index * l->layout.threads + l->agents + agent,
                         where->index, of->agents[agent].clock, strength),
                     .strength = strength,
                     .is_write = mem->is_write,
                     .is_read = mem->is_read,
                     .is_bulk = true};
    if (mem->space == SW_SPACE_SHARED)
        access_shared(&a);
    else
        access_global(&a);
}

/* ---- the end of a block ---- */

/* Some thread of the block knows of an access by a thread of another block, and
 * so has not ended before. */
static bool
has_outlived(const race_block *b, sw_access access)
{
    const sw_access_layout *l = &b->launch->layout;
    uint64_t number = sw_access_thread(l, access), block = number / l->threads;
    uint32_t thread = (uint32_t)(number % l->threads);
    if (!access || block == b->index || thread >= b->launch->agents)
        return true;
    for (uint32_t t = 0; t < b->launch->threads; t++)
        if (sw_clocks_knows_foreign(b->clocks, t, block, thread,
                                    sw_access_clock(l, access)))
            return true;
    return false;
}

static void
report_late(const race_block *b, sw_access access)
{
    const race_launch *l = b->launch;
    sw_findings *set = l->tool->check->findings;
    sw_find_report r = {
        .kind = SW_FIND_RACE_SHARED,
        .kernel = l->kernel,
        .space = "shared",
        .message = "another block's shared memory is accessed, and nothing "
                   "keeps that block from ending before (cluster.sync())",
        .at = race_place_of(l, sw_access_ins(&l->layout, access)),
        .launch = l->id};
    sw_finding *f = sw_findings_begin(set, &r);
    if (!f)
        return;
    sw_buf text;
    sw_buf_init(&text);
    put_thread(l, sw_access_thread(&l->layout, access), &text);
    sw_findings_detail(set, f, "first of", "%s", text.p);
    sw_buf_finish(&text);
    sw_findings_end(set);
}

void
race_access_end(race_block *block)
{
    for (uint32_t n = 0; n < block->shared_chunks; n++) {
        const sw_chunk *c = block->shared[n];
        uint32_t cells = !c              ? 0
                         : c->is_by_byte ? SW_CHUNK_BYTES
                                         : SW_CHUNK_BYTES / 4;
        for (uint32_t i = 0; i < cells; i++) {
            const sw_cell *cell = &c->cells[i];
            const sw_access of[] = {cell->write, cell->read, cell->other_read};
            for (size_t k = 0; k < sizeof of / sizeof *of; k++)
                if (!has_outlived(block, of[k])) {
                    report_late(block, of[k]);
                    return;
                }
        }
    }
}
