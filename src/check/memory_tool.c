/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_tool.c - the memory tool: accesses outside of the object that their
 * address comes from, to memory that has been freed, and copies and fills
 * outside of allocations.
 *
 * Each access is compared with two things: the living allocation around it, and
 * the variable or the parameter's allocation that its address was made of
 * (origin.h). The second finds what lands in a neighbour.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "check/host_calls.h"
#include "check/memory_sites.h"
#include "check/queued.h"
#include "check/tool.h"
#include "exec/event_buffer.h"

typedef struct {
    sw_check *check;
    sw_allocations *allocations;
    sw_queued *queued;
    sw_known_launches *known;
} memory_tool;

typedef struct {
    memory_tool *tool;
    const sw_watch_launch *launch;
    sw_stack_id stack; /* of the launch */
    sw_observer observer;
    sw_known_launch *known;
} memory_launch;

/* Allocations that a block has accessed, by the instruction's number; of one
 * generation of them. */
enum { SEEN = 8 };
typedef struct {
    uint64_t generation;
    struct {
        uint64_t first, end;
        bool is_fixed; /* kernels do not free it */
    } seen[SEEN];
    sw_quiet_table *quiet;
} block_state;

/* ---- what is said ---- */

static void
put_distance(uint64_t addr, uint32_t bytes, uint64_t first, uint64_t end,
             sw_buf *out)
{
    if (addr < first)
        sw_buf_printf(out, "%" PRIu64 " bytes before its begin", first - addr);
    else if (addr >= end)
        sw_buf_printf(out, "%" PRIu64 " bytes behind its end", addr - end);
    else
        sw_buf_printf(out, "its last %" PRIu64 " bytes are behind the end",
                      addr + bytes - end);
}

static void
put_allocation(const sw_allocation *a, const char *label, sw_findings *set,
               sw_finding *f)
{
    sw_buf text;
    sw_buf_init(&text);
    if (a->name)
        sw_buf_printf(&text, "variable %s, ", a->name);
    sw_check_describe(&a->range, a->allocated, &text);
    sw_findings_detail(set, f, label, "%s", text.p);
    text.n = 0;
    if (a->freed)
        sw_stack_print(a->freed, &text);
    if (a->freed && text.n)
        sw_findings_detail(set, f, "freed at", "%s", text.p);
    sw_buf_finish(&text);
}

static void
put_stack(const memory_launch *l, sw_findings *set, sw_finding *f)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_stack_print(l->stack, &text);
    if (text.n)
        sw_findings_detail(set, f, "launched at", "%s", text.p);
    sw_buf_finish(&text);
}

static const char *
verb_of(const sw_ins *ins)
{
    int effect = sw_op_get_info((sw_op)ins->op)->effects;
    return effect == SW_FX_WRITE    ? "write"
           : effect == SW_FX_ATOMIC ? "atomic operation"
                                    : "read";
}

static const char *
space_name(sw_space space)
{
    return space == SW_SPACE_SHARED  ? "shared"
           : space == SW_SPACE_LOCAL ? "local"
           : space == SW_SPACE_CONST ? "constant"
                                     : "global";
}

/* An access of lane `lane` to `addr` that is wrong. s: the site it breaks, or
 * NULL: it lies in no allocation. */
static void
report(memory_launch *l, const sw_ev_where *where, uint32_t lanes,
       sw_space space, uint64_t addr, uint32_t bytes, const sw_memory_site *s)
{
    memory_tool *t = l->tool;
    sw_find_threads threads = sw_check_threads_of(l->launch, where, lanes);
    sw_allocation a = {0};
    bool is_flat = space != SW_SPACE_SHARED && space != SW_SPACE_LOCAL;
    bool was_freed =
        !s && is_flat && sw_allocations_find_freed(t->allocations, addr, &a);
    bool has_near = was_freed;
    if (!s && !has_near && is_flat)
        has_near = sw_allocations_nearest(t->allocations, addr, &a);
    if (s && !s->sym && is_flat)
        has_near = sw_allocations_find(t->allocations, s->first, &a);
    sw_buf message;
    sw_buf_init(&message);
    sw_buf_printf(&message, "%s of %u bytes at 0x%" PRIx64, verb_of(where->ins),
                  bytes, addr);
    if (s && s->sym) {
        sw_buf_printf(&message, ", of %s (%" PRIu64 " bytes): ",
                      *s->sym->name ? s->sym->name : "a variable",
                      s->end - s->first);
        put_distance(addr, bytes, s->first, s->end, &message);
    } else if (has_near && !was_freed) {
        sw_buf_printf(&message, ", of an allocation of %" PRIu64 " bytes: ",
                      a.range.bytes);
        put_distance(addr, bytes, a.range.addr, a.range.addr + a.range.bytes,
                     &message);
    }
    sw_find_kind kind = was_freed                  ? SW_FIND_USE_AFTER_FREE
                        : space == SW_SPACE_SHARED ? SW_FIND_OOB_SHARED
                        : space == SW_SPACE_LOCAL  ? SW_FIND_OOB_LOCAL
                        : a.range.kind == SW_MEMORY_HEAP ? SW_FIND_OOB_HEAP
                                                         : SW_FIND_OOB_GLOBAL;
    sw_find_report r = {.kind = kind,
                        .kernel = l->launch->fn->name,
                        .space = space_name(space),
                        .message = message.p,
                        .fn = where->fn,
                        .ins = where->ins,
                        .threads = &threads,
                        .launch = l->launch->grid_id};
    sw_finding *f = sw_findings_begin(t->check->findings, &r);
    if (f) {
        if (has_near && a.range.bytes)
            put_allocation(&a, "allocation", t->check->findings, f);
        put_stack(l, t->check->findings, f);
        sw_findings_end(t->check->findings);
    }
    sw_buf_finish(&message);
}

/* ---- accesses ---- */

/* The lanes whose access is not in [first, end). */
static uint32_t
lanes_outside(const sw_ev_mem *m, uint32_t mask, uint64_t first, uint64_t end)
{
    uint32_t out = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t at = m->addr[lane] - first;
        if (at >= end - first || end - first - at < m->bytes)
            out |= 1u << lane;
    }
    return out;
}

static void
forget_older(block_state *b, uint64_t generation)
{
    if (b->generation != generation)
        memset(b->seen, 0, sizeof b->seen);
    b->generation = generation;
}

/* Lanes whose access is in no living allocation. */
static uint32_t
lanes_in_none(memory_launch *l, block_state *b, const sw_ev_mem *m,
              uint32_t index, uint32_t mask)
{
    sw_allocations *all = l->tool->allocations;
    uint64_t *first = &b->seen[index % SEEN].first;
    uint64_t *end = &b->seen[index % SEEN].end;
    forget_older(b, sw_allocations_generation(all));
    uint32_t out = lanes_outside(m, mask, *first, *end);
    for (uint32_t left = out; left;) {
        sw_allocation a;
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        left &= left - 1;
        if (!sw_allocations_find(all, m->addr[lane], &a))
            continue;
        bool is_internal = a.range.kind == SW_MEMORY_INTERNAL;
        uint64_t behind = a.range.addr + a.range.bytes;
        *first = is_internal ? 0 : a.range.addr;
        *end = is_internal ? 0 : behind;
        b->seen[index % SEEN].is_fixed = a.range.kind != SW_MEMORY_HEAP;
        uint32_t still = lanes_outside(m, out, a.range.addr, behind);
        left &= still;
        out = still;
    }
    return out;
}

static uint64_t
first_addr(const sw_ev_mem *m, uint32_t lanes)
{
    return m->addr[__builtin_ctz(lanes)];
}

/* Compiled code need not tell more accesses like this one, which is right. */
static void
note_quiet(memory_launch *l, const sw_ev_where *where, const sw_ev_mem *m,
           const sw_memory_site *s)
{
    const block_state *b = where->state;
    sw_ev_quiet *q = &b->quiet->rows[where->index];
    const sw_ins *ins = where->ins;
    uint64_t first = 0, end = UINT64_MAX;
    /* The instruction may be told in parts. */
    uint64_t bytes = sw_type_bits((sw_type)ins->type) / 8 * (uint64_t)ins->vec;
    bytes = bytes > m->bytes ? bytes : m->bytes;
    if (m->space == SW_SPACE_GLOBAL) {
        first = b->seen[where->index % SEEN].first;
        end = b->seen[where->index % SEEN].end;
        if (!b->seen[where->index % SEEN].is_fixed)
            return;
    } else if (ins->space != m->space) {
        return; /* told by flat addresses */
    }
    if (s->state == SW_SITE_BOUND && s->space == m->space) {
        first = s->first > first ? s->first : first;
        end = s->end < end ? s->end : end;
    }
    if (end < first || end - first < bytes)
        return;
    atomic_store(&q->limit, 0);
    q->first = first;
    atomic_store(&q->limit, end - first - bytes + 1);
    if (b->generation != sw_allocations_generation(l->tool->allocations))
        atomic_store(&q->limit, 0);
}

static void
mem(void *arg, const sw_ev_where *where, const sw_ev_mem *m)
{
    memory_launch *l = arg;
    const sw_memory_site *s = sw_known_site(l->known, where);
    uint32_t wrong = 0;
    bool is_own = m->space != SW_SPACE_SHARED || m->owner == where->block_index;
    bool is_flat = m->space == SW_SPACE_GLOBAL;
    if (s->state == SW_SITE_BOUND && is_own && s->space == m->space)
        wrong = lanes_outside(m, where->mask, s->first, s->end);
    if (wrong)
        report(l, where, wrong, m->space, first_addr(m, wrong), m->bytes, s);
    bool is_right = !wrong;
    wrong = is_flat ? lanes_in_none(l, where->state, m, where->index,
                                    where->mask & ~wrong)
                    : 0;
    if (wrong)
        report(l, where, wrong, m->space, first_addr(m, wrong), m->bytes, NULL);
    else if (is_right && is_own && m->space != SW_SPACE_LOCAL)
        note_quiet(l, where, m, s);
}

/* ---- the same from words of compiled code ---- */

/* Whether [low, high) and `bytes` from there on lie where the site's addresses
 * must be. False: maybe. */
static bool
is_inside(const sw_memory_site *s, const block_state *b, const sw_ev_site *e,
          uint64_t low, uint64_t high)
{
    uint32_t bytes = e->mem.bytes;
    bool is_bound = s->state == SW_SITE_BOUND && s->space == e->mem.space;
    if (low > high || high > UINT64_MAX - bytes ||
        (is_bound && (low < s->first || high + bytes > s->end)))
        return false;
    return e->mem.space != SW_SPACE_GLOBAL ||
           (low >= b->seen[e->index % SEEN].first &&
            high + bytes <= b->seen[e->index % SEEN].end);
}

/* The least and the greatest address of the lanes. */
static void
find_extent(const uint64_t addr[32], uint32_t mask, uint64_t *low,
            uint64_t *high)
{
    *low = UINT64_MAX;
    *high = 0;
    for (int i = 0; i < 32; i++) {
        uint64_t is_on = 0 - (uint64_t)(mask >> i & 1);
        uint64_t least = addr[i] | ~is_on, most = addr[i] & is_on;
        *low = least < *low ? least : *low;
        *high = most > *high ? most : *high;
    }
}

static void
access_of_warp(memory_launch *l, const sw_ev_buffer *words, void *state,
               const sw_ev_site *e, const uint64_t *starts, uint32_t warp,
               uint32_t mask)
{
    uint64_t addr[32];
    sw_ev_where where = {.block_index = words->block_index,
                         .warp = warp,
                         .state = state,
                         .fn = words->fn,
                         .ins = e->ins,
                         .index = e->index,
                         .mask = mask,
                         .active = mask};
    const sw_memory_site *s = sw_known_site(l->known, &where);
    sw_ev_mem m = e->mem;
    m.addr = addr;
    m.owner = words->block_index;
    uint64_t low = starts[0] + (uint64_t)e->low;
    uint64_t high = starts[0] + (uint64_t)e->high;
    bool is_right = e->groups == 1 && is_inside(s, state, e, low, high);
    if (!is_right) {
        sw_ev_addresses(e, starts, addr);
        find_extent(addr, mask, &low, &high);
        is_right = is_inside(s, state, e, low, high);
    }
    if (is_right) {
        note_quiet(l, &where, &m, s);
        return;
    }
    memcpy(where.block, words->block, sizeof where.block);
    mem(l, &where, &m);
}

static void
buffer(void *arg, void *state, const sw_ev_buffer *words)
{
    memory_launch *l = arg;
    const uint64_t *end = words->words + words->count;
    uint32_t first = words->warp, count = words->warps;
    forget_older(state, sw_allocations_generation(l->tool->allocations));
    for (const uint64_t *word = words->words; word < end;) {
        uint32_t number = sw_ev_number_of(*word);
        sw_ev_word kind = sw_ev_kind_of(*word);
        if (kind == SW_EV_WORD_WARP)
            first = number;
        for (uint32_t w = 0; w < count && kind == SW_EV_WORD_ACCESS; w++) {
            uint32_t mask = sw_ev_mask_of(word, count, w);
            if (mask)
                access_of_warp(l, words, state, &words->sites[number + w],
                               sw_ev_rest_of(word, count), first + w, mask);
        }
        word += sw_ev_words_of(words->sites, *word, count);
    }
}

/* ---- blocks ---- */

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    (void)block;
    (void)index;
    block_state *b = sw_alloc(sizeof *b);
    b->quiet = sw_known_take_table(((memory_launch *)arg)->known);
    return b;
}

static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    (void)block;
    (void)index;
    memory_launch *l = arg;
    block_state *b = state;
    sw_known_give_table(l->known, b->quiet);
    sw_free(b);
}

static sw_ev_quiet *
quiet(void *arg, void *state)
{
    (void)arg;
    return ((block_state *)state)->quiet->rows;
}

/* ---- faults of the device ---- */

/* Fetches by number from linear memory: no address mode says what lies outside
 * of it. */
static void
tex(void *arg, const sw_ev_where *where, const sw_ev_tex *t)
{
    memory_launch *l = arg;
    const sw_ins *ins = where->ins;
    uint32_t out = where->active & ~t->mask[0];
    if (!out || t->tiled || ins->op != SW_OP_TEX || ins->geom != SW_GEOM_1D ||
        sw_type_kind((sw_type)ins->stype) != SW_KIND_SINT)
        return;
    sw_find_threads threads = sw_check_threads_of(l->launch, where, out);
    sw_find_report r = {.kind = SW_FIND_OOB_TEXTURE,
                        .kernel = l->launch->fn->name,
                        .space = "texture",
                        .message = "the texel lies outside of the texture",
                        .fn = where->fn,
                        .ins = ins,
                        .threads = &threads,
                        .launch = l->launch->grid_id};
    sw_findings_add(l->tool->check->findings, &r);
}

/* The program has memory there. */
static bool
is_mapped(uint64_t addr)
{
    char byte;
    struct iovec to = {&byte, 1};
    struct iovec from = {(void *)(uintptr_t)addr, 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

/* A fault that is about memory. An access to a block that its cluster does not
 * have is an illegal instruction of a device. */
static bool
is_of_memory(const sw_ins *ins, const sw_ev_fault *e)
{
    int effects = sw_op_get_info((sw_op)ins->op)->effects;
    return e->status == SW_E_ILLEGAL_ADDRESS ||
           e->status == SW_E_MISALIGNED_ADDRESS ||
           ((e->status == SW_E_ILLEGAL_INSTRUCTION ||
             e->status == SW_E_LAUNCH_FAILED) &&
            e->space == SW_SPACE_SHARED &&
            (effects == SW_FX_READ || effects == SW_FX_WRITE ||
             effects == SW_FX_ATOMIC));
}

static sw_find_kind
kind_of_fault(const memory_launch *l, const sw_ins *ins, const sw_ev_fault *e)
{
    sw_allocation a;
    uint16_t op = ins->op;
    if (op == SW_OP_SUST || op == SW_OP_SULD || op == SW_OP_SURED)
        return SW_FIND_OOB_SURFACE;
    if (e->status == SW_E_MISALIGNED_ADDRESS)
        return SW_FIND_MISALIGNED;
    if (e->space == SW_SPACE_SHARED)
        return SW_FIND_OOB_SHARED;
    if (e->space == SW_SPACE_LOCAL)
        return SW_FIND_OOB_LOCAL;
    if (sw_allocations_find_freed(l->tool->allocations, e->address, &a))
        return SW_FIND_USE_AFTER_FREE;
    return e->is_host && is_mapped(e->address) ? SW_FIND_HOST_POINTER
                                               : SW_FIND_OOB_GLOBAL;
}

static void
fault(void *arg, const sw_ev_where *where, const sw_ev_fault *e)
{
    memory_launch *l = arg;
    if (!is_of_memory(where->ins, e))
        return;
    sw_find_threads threads =
        sw_check_threads_of(l->launch, where, 1u << e->lane);
    char message[160];
    sw_find_kind kind = kind_of_fault(l, where->ins, e);
    bool is_surface = kind == SW_FIND_OOB_SURFACE;
    if (is_surface)
        snprintf(message, sizeof message, "%s outside of the surface",
                 verb_of(where->ins));
    else
        snprintf(message, sizeof message, "%s at 0x%" PRIx64 "%s",
                 verb_of(where->ins), e->address,
                 e->address < 4096 ? ", a null pointer" : "");
    sw_find_report r = {.kind = kind,
                        .kernel = l->launch->fn->name,
                        .space = is_surface ? "surface" : space_name(e->space),
                        .message = message,
                        .fn = where->fn,
                        .ins = where->ins,
                        .threads = &threads,
                        .launch = l->launch->grid_id};
    sw_findings *set = l->tool->check->findings;
    sw_finding *f = sw_findings_begin(set, &r);
    sw_allocation a;
    if (!f)
        return;
    if (sw_allocations_find_freed(l->tool->allocations, e->address, &a) ||
        (e->address >= 4096 && !e->is_host && e->space == SW_SPACE_GLOBAL &&
         sw_allocations_nearest(l->tool->allocations, e->address, &a)))
        put_allocation(&a, "nearest", set, f);
    put_stack(l, set, f);
    sw_findings_end(set);
}

/* ---- free in kernels ---- */

static void
report_free(memory_launch *l, const sw_ev_where *where, uint32_t lane,
            uint64_t addr, bool is_second)
{
    memory_tool *t = l->tool;
    sw_find_threads threads = sw_check_threads_of(l->launch, where, 1u << lane);
    sw_allocation a = {0};
    bool lives = sw_allocations_find(t->allocations, addr, &a);
    bool was_freed =
        is_second ||
        (!lives && sw_allocations_find_freed(t->allocations, addr, &a));
    char message[160];
    snprintf(message, sizeof message, "free of 0x%" PRIx64 " in a kernel: %s",
             addr,
             was_freed ? "it has been freed before"
             : lives && a.range.kind == SW_MEMORY_HEAP
                 ? "it lies inside of what malloc returned"
                 : "malloc in a kernel has not returned it");
    sw_find_report r = {.kind = SW_FIND_BAD_FREE,
                        .kernel = l->launch->fn->name,
                        .space = "global",
                        .message = message,
                        .fn = where->fn,
                        .ins = where->ins,
                        .threads = &threads,
                        .launch = l->launch->grid_id};
    sw_finding *f = sw_findings_begin(t->check->findings, &r);
    if (!f)
        return;
    put_stack(l, t->check->findings, f);
    sw_findings_end(t->check->findings);
}

static void
heap(void *arg, const sw_ev_where *where, const sw_ev_heap *e)
{
    memory_launch *l = arg;
    for (uint32_t left = where->mask; left && e->is_free; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t addr = e->addr[lane];
        sw_allocation a;
        bool is_second = false;
        for (uint32_t k = 0; k < lane; k++)
            is_second |= where->mask >> k & 1 && e->addr[k] == addr;
        if (addr && (is_second ||
                     !sw_allocations_find(l->tool->allocations, addr, &a) ||
                     a.range.kind != SW_MEMORY_HEAP || a.range.addr != addr))
            report_free(l, where, lane, addr, is_second);
    }
}

/* ---- launches ---- */

static const sw_observer callbacks = {.events = SW_EV_BLOCK | SW_EV_MEM |
                                                SW_EV_FAULT | SW_EV_TEX |
                                                SW_EV_HEAP | SW_EV_QUIET,
                                      .heap = heap,
                                      .block_begin = block_begin,
                                      .block_end = block_end,
                                      .mem = mem,
                                      .buffer = buffer,
                                      .quiet = quiet,
                                      .tex = tex,
                                      .fault = fault};

static void *
launch_begin(void *arg, const sw_check_launch *launch,
             const sw_observer **observer)
{
    memory_launch *l = sw_alloc(sizeof *l);
    l->tool = arg;
    l->launch = launch->launch;
    l->stack = launch->stack;
    l->known = sw_known_enter(l->tool->known, launch->launch);
    l->observer = callbacks;
    l->observer.arg = l;
    *observer = &l->observer;
    return l;
}

static void
launch_end(void *arg, void *launch, const sw_watch_end *end)
{
    memory_tool *t = arg;
    memory_launch *l = launch;
    (void)end;
    sw_known_leave(t->known, l->known);
    sw_free(l);
}

/* ---- computations of libraries ---- */

/* An array that does not lie in one living allocation. Of memory that is none
 * of the device's nothing is said: scalars may be the host's. */
static void
check_computation(memory_tool *t, const sw_memory_event *e)
{
    const sw_mev_compute *c = &e->compute;
    uint64_t end = c->addr + (c->rows ? c->rows - 1 : 0) * c->pitch + c->width;
    sw_allocation a;
    bool lives = sw_allocations_find(t->allocations, c->addr, &a);
    if (!c->width || !c->rows ||
        (lives && end <= a.range.addr + a.range.bytes) ||
        (!lives && !sw_allocations_find_freed(t->allocations, c->addr, &a)))
        return;
    sw_findings *set = t->check->findings;
    char message[200];
    snprintf(message, sizeof message,
             "%s %s %" PRIu64 " bytes at 0x%" PRIx64
             ", of an allocation of %" PRIu64 " bytes%s",
             c->name, c->writes ? "writes" : "reads", end - c->addr, c->addr,
             a.range.bytes, lives ? "" : " that has been freed");
    sw_buf stack;
    sw_buf_init(&stack);
    sw_stack_print(sw_queued_by(t->queued, e->op), &stack);
    sw_find_report r = {.kind =
                            lives ? SW_FIND_OOB_GLOBAL : SW_FIND_USE_AFTER_FREE,
                        .space = "global",
                        .message = message,
                        .key = stack.p ? stack.p : ""};
    sw_finding *f = sw_findings_begin(set, &r);
    if (f) {
        if (stack.n)
            sw_findings_detail(set, f, "called at", "%s", stack.p);
        put_allocation(&a, "allocation", set, f);
        sw_findings_end(set);
    }
    sw_buf_finish(&stack);
}

/* ---- the process ---- */

static void
memory(void *tool, const sw_memory_event *e)
{
    memory_tool *t = tool;
    if (e->kind == SW_MEV_COMPUTE)
        check_computation(t, e);
    else if (e->kind == SW_MEV_OP_QUEUED)
        sw_queued_event(t->queued, e);
    else
        sw_allocations_event(t->allocations, e);
    if (e->kind == SW_MEV_FREE && e->range.kind != SW_MEMORY_HEAP &&
        e->range.kind != SW_MEMORY_INTERNAL)
        sw_known_hear_all(t->known);
}

static void
call(void *tool, const sw_watch_call *c)
{
    memory_tool *t = tool;
    sw_check_host_call(t->check, t->allocations, c);
}

static bool
host_access(void *tool, uint64_t addr, uint64_t pc, bool is_write)
{
    memory_tool *t = tool;
    sw_findings *set = t->check->findings;
    sw_allocation a;
    sw_buf stack, message;
    bool has_one = sw_allocations_variable(t->allocations, addr, &a) ||
                   sw_allocations_find(t->allocations, addr, &a) ||
                   sw_allocations_nearest(t->allocations, addr, &a);
    if (has_one && a.range.kind != SW_MEMORY_DEVICE &&
        a.range.kind != SW_MEMORY_MODULE)
        return false; /* the host tool's */
    sw_buf_init(&stack);
    sw_buf_init(&message);
    sw_stack_print(sw_stack_take_at(pc), &stack);
    sw_buf_printf(&message, "%s at 0x%" PRIx64 " by code of the host",
                  is_write ? "write" : "read", addr);
    sw_find_report r = {.kind = SW_FIND_DEVICE_POINTER,
                        .space = "global",
                        .message = message.p,
                        .key = stack.p};
    sw_finding *f = sw_findings_begin(set, &r);
    if (f) {
        sw_findings_detail(set, f, "accessed at", "%s", stack.p);
        if (has_one)
            put_allocation(&a, "allocation", set, f);
        sw_findings_end(set);
    }
    sw_buf_finish(&stack);
    sw_buf_finish(&message);
    return true;
}

static void *
open_tool(sw_check *check)
{
    memory_tool *t = sw_alloc(sizeof *t);
    t->check = check;
    t->allocations = sw_allocations_create();
    t->queued = sw_queued_create();
    t->known = sw_known_create(t->allocations);
    return t;
}

const sw_check_tool_fns sw_check_tool_memory = {
    .id = SW_CHECK_MEMORY,
    .memory_events = SW_MEV_ALLOC | SW_MEV_FREE | SW_MEV_RETIRE | SW_MEV_REUSE |
                     SW_MEV_VARIABLE | SW_MEV_COMPUTE | SW_MEV_OP_QUEUED,
    .open = open_tool,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .memory = memory,
    .call = call,
    .host_access = host_access};
