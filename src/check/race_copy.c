/* SPDX-License-Identifier: Apache-2.0 */
/* race_copy.c - copies and fills beside the launches of other streams; see
 * race.h. */
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
             "a word at 0x%" PRIx64 " is %s by a kernel and %s by a copy or "
             "fill, and nothing orders the two",
             addr, writes ? "written" : "read",
             range->is_write ? "written" : "read");
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
            sw_findings_detail(set, f, "copied at", "%s", stack.p);
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

static sw_stack_id
call_of(race_tool *t, uint64_t op)
{
    for (size_t i = t->calls.count; i-- > 0;) {
        race_call c = *(race_call *)sw_vec_at(&t->calls, i);
        if (c.op != op)
            continue;
        sw_vec_remove(&t->calls, i);
        return c.stack;
    }
    return 0;
}

static void
add_range(race_tool *t, race_range range)
{
    if (!range.bytes || !range.op || range.addr >> 48)
        return;
    check_range(t, &range);
    pthread_mutex_lock(&t->lock);
    if (t->ranges.count == KEPT)
        sw_vec_remove(&t->ranges, 0);
    *(race_range *)sw_vec_push(&t->ranges) = range;
    pthread_mutex_unlock(&t->lock);
}

void
race_copy_event(race_tool *t, const sw_memory_event *e)
{
    if (e->kind == SW_MEV_OP_QUEUED) {
        if (e->work.kind != SW_OP_KIND_COPY && e->work.kind != SW_OP_KIND_FILL)
            return;
        sw_stack_id stack = sw_stack_take();
        pthread_mutex_lock(&t->lock);
        *(race_call *)sw_vec_push(&t->calls) = (race_call){e->op, stack};
        pthread_mutex_unlock(&t->lock);
        return;
    }
    pthread_mutex_lock(&t->lock);
    sw_stack_id stack = call_of(t, e->op);
    pthread_mutex_unlock(&t->lock);
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
