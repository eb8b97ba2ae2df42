/* SPDX-License-Identifier: Apache-2.0 */
/* race_copy.c - copies, fills and computations beside the launches of other
 * streams; see race.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/race.h"

enum { KEPT = 256 }; /* copies that a later launch is held against */

/* ---- what is said ---- */

static void
report(race_tool *t, const race_range *range, const race_launch *by,
       sw_find_place at, bool writes, uint64_t addr)
{
    sw_findings *set = t->check->findings;
    sw_buf stack;
    char message[200];
    sw_buf_init(&stack);
    sw_stack_print(range->stack, &stack);
    snprintf(message, sizeof message,
             "a word at 0x%" PRIx64 " is %s by a kernel and %s by %s, and "
             "nothing orders the two",
             addr, writes ? "written" : "read",
             range->is_write ? "written" : "read",
             range->name ? range->name : "a copy or fill");
    sw_find_report r = {.kind = SW_FIND_RACE_GLOBAL,
                        .kernel = by->kernel,
                        .space = "global",
                        .message = message,
                        .key = stack.p ? stack.p : "",
                        .other = at,
                        .launch = by->id};
    sw_finding *f = sw_findings_begin(set, &r);
    if (f) {
        if (stack.n)
            sw_findings_detail(set, f, range->name ? "called at" : "copied at",
                               "%s", stack.p);
        sw_findings_end(set);
    }
    sw_buf_finish(&stack);
}

/* ---- a copy after launches ---- */

static void
check_chunk(race_tool *t, const race_range *range, const sw_chunk *c,
            uint64_t first, uint64_t end)
{
    const race_launch *of = c->context;
    uint32_t unit = c->is_by_byte ? 1 : 4;
    if (!of->op || sw_order_is_before(t->order, of->op, range->op) ||
        sw_order_is_before(t->order, range->op, of->op))
        return;
    for (uint64_t at = first; at < end; at += unit) {
        const sw_cell *cell = &c->cells[at % SW_CHUNK_BYTES / unit];
        sw_access access = cell->write       ? cell->write
                           : range->is_write ? cell->read
                                             : 0;
        if (!access)
            continue;
        report(t, range, of,
               race_place_of(of, sw_access_ins(&of->layout, access)),
               cell->write != 0, at);
        return;
    }
}

static void
check_range(race_tool *t, const race_range *range)
{
    uint64_t end = range->addr + range->bytes;
    for (uint64_t at = range->addr; at < end;) {
        uint64_t stop = (at / SW_CHUNK_BYTES + 1) * SW_CHUNK_BYTES;
        stop = stop < end ? stop : end;
        sw_chunk **slot = sw_shadow_lock(t->global, at);
        for (const sw_chunk *c = *slot; c; c = c->next)
            check_chunk(t, range, c, at, stop);
        sw_shadow_unlock(t->global, at);
        at = stop;
    }
}

/* A copy, fill or computation beside another one. */
static void
report_pair(race_tool *t, const race_range *a, const race_range *b)
{
    sw_findings *set = t->check->findings;
    char message[200];
    sw_buf first, second;
    sw_buf_init(&first);
    sw_buf_init(&second);
    sw_stack_print(a->stack, &first);
    sw_stack_print(b->stack, &second);
    snprintf(message, sizeof message,
             "a word at 0x%" PRIx64 " is %s by %s and %s by %s, and nothing "
             "orders the two",
             a->addr > b->addr ? a->addr : b->addr,
             a->is_write ? "written" : "read",
             a->name ? a->name : "a copy or fill",
             b->is_write ? "written" : "read", b->name ? b->name : "another");
    sw_find_report r = {.kind = SW_FIND_RACE_GLOBAL,
                        .space = "global",
                        .message = message,
                        .key = second.p ? second.p : ""};
    sw_finding *f = sw_findings_begin(set, &r);
    if (f) {
        if (second.n)
            sw_findings_detail(set, f, "called at", "%s", second.p);
        if (first.n)
            sw_findings_detail(set, f, "beside", "%s", first.p);
        sw_findings_end(set);
    }
    sw_buf_finish(&first);
    sw_buf_finish(&second);
}

/* The range before this one that it races with; op 0: none. */
static race_range
find_beside_locked(race_tool *t, const race_range *range)
{
    for (size_t i = t->ranges.count; i-- > 0;) {
        const race_range *r = sw_vec_at(&t->ranges, i);
        if (r->op != range->op && (r->is_write || range->is_write) &&
            r->addr < range->addr + range->bytes &&
            range->addr < r->addr + r->bytes &&
            !sw_order_is_before(t->order, r->op, range->op) &&
            !sw_order_is_before(t->order, range->op, r->op))
            return *r;
    }
    return (race_range){0};
}

static void
add_range(race_tool *t, race_range range)
{
    if (!range.bytes || !range.op || range.addr >> 48)
        return;
    check_range(t, &range);
    pthread_mutex_lock(&t->lock);
    race_range beside = find_beside_locked(t, &range);
    if (beside.op) {
        pthread_mutex_unlock(&t->lock);
        report_pair(t, &beside, &range);
        pthread_mutex_lock(&t->lock);
    }
    if (t->ranges.count == KEPT)
        sw_vec_remove(&t->ranges, 0);
    *(race_range *)sw_vec_push(&t->ranges) = range;
    pthread_mutex_unlock(&t->lock);
}

static void
add_computation(race_tool *t, const sw_memory_event *e, sw_stack_id stack)
{
    const sw_mev_compute *c = &e->compute;
    bool is_one = c->pitch == c->width;
    uint64_t rows = is_one ? 1 : c->rows;
    /* Of a large matrix the first rows do. */
    for (uint64_t row = 0; row < rows && row < KEPT / 4; row++)
        add_range(t,
                  (race_range){.op = e->op,
                               .addr = c->addr + row * c->pitch,
                               .bytes = is_one ? c->width * c->rows : c->width,
                               .is_write = c->writes,
                               .name = c->name,
                               .stack = stack});
}

void
race_copy_event(race_tool *t, const sw_memory_event *e)
{
    if (e->kind == SW_MEV_OP_QUEUED) {
        sw_queued_event(t->queued, e);
        return;
    }
    sw_stack_id stack = sw_queued_by(t->queued, e->op);
    if (e->kind == SW_MEV_COMPUTE) {
        add_computation(t, e, stack);
        return;
    }
    if (e->kind == SW_MEV_FILL) {
        const sw_mev_fill *f = &e->fill;
        for (uint64_t row = 0; row < f->height * f->depth; row++)
            add_range(t,
                      (race_range){.op = e->op,
                                   .addr = f->dst + row / f->height * f->slice +
                                           row % f->height * f->pitch,
                                   .bytes = f->width * f->elem_bytes,
                                   .is_write = true,
                                   .stack = stack});
        return;
    }
    const sw_mev_copy *c = &e->copy;
    for (uint64_t row = 0; row < c->height * c->depth; row++) {
        uint64_t z = row / c->height, y = row % c->height;
        race_range range = {.op = e->op,
                            .addr =
                                c->src + z * c->src_slice + y * c->src_pitch,
                            .bytes = c->width,
                            .stack = stack};
        add_range(t, range);
        range.addr = c->dst + z * c->dst_slice + y * c->dst_pitch;
        range.is_write = true;
        add_range(t, range);
    }
}

void
race_copy_forget(race_tool *t, const sw_mev_range *range)
{
    pthread_mutex_lock(&t->lock);
    for (size_t i = t->ranges.count; i-- > 0;) {
        const race_range *r = sw_vec_at(&t->ranges, i);
        if (r->addr < range->addr + range->bytes &&
            range->addr < r->addr + r->bytes)
            sw_vec_remove(&t->ranges, i);
    }
    pthread_mutex_unlock(&t->lock);
}

/* ---- a launch after copies ---- */

void
race_copy_begin(race_launch *l)
{
    race_tool *t = l->tool;
    sw_vec_init(&l->ranges, sizeof(race_range));
    pthread_mutex_lock(&t->lock);
    for (size_t i = t->ranges.count; l->op && i-- > 0;) {
        race_range r = *(race_range *)sw_vec_at(&t->ranges, i);
        if (!sw_order_is_before(t->order, r.op, l->op))
            *(race_range *)sw_vec_push(&l->ranges) = r;
    }
    pthread_mutex_unlock(&t->lock);
}

void
race_copy_check(race_launch *l, const sw_ev_where *where, uint64_t addr,
                uint32_t bytes, bool is_write)
{
    for (size_t i = 0; i < l->ranges.count; i++) {
        const race_range *r = sw_vec_at(&l->ranges, i);
        if (addr < r->addr + r->bytes && r->addr < addr + bytes &&
            (is_write || r->is_write))
            report(l->tool, r, l, sw_find_place_of(where->fn, where->ins),
                   is_write, addr);
    }
}
