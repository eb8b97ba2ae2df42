/* SPDX-License-Identifier: Apache-2.0 */
/* host_touch.c - memory of host and device, see host.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "check/host.h"

enum { TINY = 64 }; /* bytes: arguments of a copy rather than its data */

/* What one instruction has touched of one allocation. */
typedef struct {
    uint64_t serial; /* of the allocation; 0: nothing yet */
    uint64_t first, end;
    sw_memory_kind kind;
    bool is_write;
    const sw_fn *fn;
    const sw_ins *ins;
} site;

typedef struct {
    host_tool *tool;
    const sw_watch_launch *launch;
    sw_stack_id stack;
    sw_observer observer;
    pthread_mutex_t lock;
    site *sites;        /* [ins_count] */
    sw_vec more;        /* site: instructions that touch several allocations */
    bool is_signalling; /* it speaks with the host while it runs */
} host_launch;

typedef struct {
    sw_mev_range last;
    uint64_t generation;
} block_state;

static bool
is_host_kind(sw_memory_kind kind)
{
    return kind == SW_MEMORY_HOST || kind == SW_MEMORY_MANAGED ||
           kind == SW_MEMORY_REGISTERED;
}

/* ---- launches ---- */

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    (void)arg;
    (void)block;
    (void)index;
    return sw_alloc(sizeof(block_state));
}

static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    (void)arg;
    (void)block;
    (void)index;
    sw_free(state);
}

static void
widen(site *s, uint64_t addr, uint32_t bytes)
{
    s->first = addr < s->first ? addr : s->first;
    s->end = addr + bytes > s->end ? addr + bytes : s->end;
}

static void
note(host_launch *l, const sw_ev_where *where, const sw_ev_mem *m,
     const sw_mev_range *range, uint64_t addr)
{
    site *s = &l->sites[where->index];
    site new = {.serial = range->serial,
                .first = addr,
                .end = addr + m->bytes,
                .kind = range->kind,
                .is_write = m->is_write,
                .fn = where->fn,
                .ins = where->ins};
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; s->serial && s->serial != range->serial; i++) {
        if (i == l->more.count) {
            s = sw_vec_push(&l->more);
            *s = new;
            break;
        }
        s = sw_vec_at(&l->more, i);
        if (s->ins != where->ins)
            s = &l->sites[where->index];
    }
    if (!s->serial)
        *s = new;
    widen(s, addr, m->bytes);
    pthread_mutex_unlock(&l->lock);
}

static void
mem(void *arg, const sw_ev_where *where, const sw_ev_mem *m)
{
    host_launch *l = arg;
    block_state *b = where->state;
    sw_allocations *all = l->tool->allocations;
    if (m->space != SW_SPACE_GLOBAL)
        return;
    uint64_t generation = sw_allocations_generation(all);
    for (uint32_t left = where->mask; left; left &= left - 1) {
        uint64_t addr = m->addr[__builtin_ctz(left)];
        sw_allocation a;
        if (b->generation != generation ||
            addr - b->last.addr >= b->last.bytes) {
            if (!sw_allocations_find(all, addr, &a))
                continue;
            if (a.range.kind == SW_MEMORY_INTERNAL)
                continue;
            b->last = a.range;
            b->generation = generation;
        }
        bool is_host = is_host_kind(b->last.kind);
        if (is_host && m->order != SW_ORDER_WEAK && m->scope == SW_SCOPE_SYS)
            __atomic_store_n(&l->is_signalling, true, __ATOMIC_RELAXED);
        if (is_host || b->last.kind == SW_MEMORY_DEVICE)
            note(l, where, m, &b->last, addr);
    }
}

static void
fence(void *arg, const sw_ev_where *where, const sw_ev_fence *f)
{
    host_launch *l = arg;
    (void)where;
    if (f->scope == SW_SCOPE_SYS)
        __atomic_store_n(&l->is_signalling, true, __ATOMIC_RELAXED);
}

static const sw_observer callbacks = {.events =
                                          SW_EV_BLOCK | SW_EV_MEM | SW_EV_FENCE,
                                      .block_begin = block_begin,
                                      .block_end = block_end,
                                      .mem = mem,
                                      .fence = fence};

void *
sw_host_launch_begin(void *tool, const sw_check_launch *launch,
                     const sw_observer **observer)
{
    host_launch *l = sw_alloc(sizeof *l);
    l->tool = tool;
    l->launch = launch->launch;
    l->stack = launch->stack;
    l->sites = sw_alloc((launch->launch->ins_count + 1) * sizeof *l->sites);
    sw_vec_init(&l->more, sizeof(site));
    l->observer = callbacks;
    l->observer.arg = l;
    pthread_mutex_init(&l->lock, NULL);
    *observer = &l->observer;
    return l;
}

/* Memory that was given back before this operation, in no order with it. */
static void
check_frees_locked(host_tool *t, const host_touch *touch, host_free *out)
{
    for (size_t i = 0; i < t->frees.count && !out->stack; i++) {
        const host_free *f = sw_vec_at(&t->frees, i);
        if (touch->first < f->end && f->first < touch->end && f->op &&
            touch->op && !sw_order_is_before(t->order, touch->op, f->op))
            *out = *f;
    }
}

static void
report_free(host_tool *t, const host_touch *touch, sw_stack_id stack)
{
    char message[240];
    snprintf(message, sizeof message,
             "memory is freed, and nothing orders that with %s, which uses it",
             *touch->kernel ? touch->kernel : "a copy");
    sw_find_report r = {.kind = SW_FIND_HOST_FREE_IN_USE,
                        .message = message,
                        .kernel = touch->kernel,
                        .other = touch->at};
    sw_host_report(t, &r, stack, "freed at");
}

static void
add_touch(host_tool *t, const host_touch *touch)
{
    host_free freed = {0};
    pthread_mutex_lock(&t->lock);
    *(host_touch *)sw_vec_push(&t->touches) = *touch;
    check_frees_locked(t, touch, &freed);
    pthread_mutex_unlock(&t->lock);
    if (freed.stack)
        report_free(t, touch, freed.stack);
}

/* The text, for as long as the tool lives. */
static const char *
keep_name(host_tool *t, const char *text)
{
    sw_str key = {text, strlen(text)};
    pthread_mutex_lock(&t->lock);
    char *kept = sw_map_get(t->names, key);
    if (!kept) {
        kept = sw_strdup(text);
        sw_map_set(t->names, (sw_str){kept, key.n}, kept);
    }
    pthread_mutex_unlock(&t->lock);
    return kept;
}

static void
add_site(host_launch *l, const site *s)
{
    if (!s->serial || (l->is_signalling && is_host_kind(s->kind)))
        return;
    sw_find_place at = sw_find_user_place_of(s->fn, s->ins);
    add_touch(l->tool,
              &(host_touch){.op = l->launch->op,
                            .stream = l->launch->stream,
                            .first = s->first,
                            .end = s->end,
                            .is_write = s->is_write,
                            .kind = s->kind,
                            .kernel = keep_name(l->tool, l->launch->fn->name),
                            .at = {keep_name(l->tool, at.file), at.line},
                            .stack = l->stack});
}

void
sw_host_launch_end(void *tool, void *launch, const sw_watch_end *end)
{
    host_launch *l = launch;
    (void)tool;
    (void)end;
    for (uint32_t i = 0; i < l->launch->ins_count && l->launch->op; i++)
        add_site(l, &l->sites[i]);
    for (size_t i = 0; i < l->more.count && l->launch->op; i++)
        add_site(l, sw_vec_at(&l->more, i));
    sw_vec_finish(&l->more);
    sw_free(l->sites);
    sw_free(l);
}

/* ---- copies and frees ---- */

static void
add_copy(host_tool *t, const sw_memory_event *e, uint64_t addr, uint64_t pitch,
         uint64_t slice, bool is_write, sw_stack_id stack)
{
    const sw_mev_copy *c = &e->copy;
    sw_allocation a;
    if (!c->width || !c->height || !c->depth ||
        !sw_allocations_find(t->allocations, addr, &a))
        return;
    add_touch(t, &(host_touch){.op = e->op,
                               .stream = e->stream,
                               .first = addr,
                               .end = addr + (c->depth - 1) * slice +
                                      (c->height - 1) * pitch + c->width,
                               .is_write = is_write,
                               .kind = a.range.kind,
                               .kernel = "",
                               .at = {"", 0},
                               .stack = stack});
}

static void
add_computation(host_tool *t, const sw_memory_event *e)
{
    const sw_mev_compute *c = &e->compute;
    sw_allocation a;
    if (!c->width || !c->rows ||
        !sw_allocations_find(t->allocations, c->addr, &a))
        return;
    add_touch(
        t, &(host_touch){.op = e->op,
                         .stream = e->stream,
                         .first = c->addr,
                         .end = c->addr + (c->rows - 1) * c->pitch + c->width,
                         .is_write = c->writes,
                         .kind = a.range.kind,
                         .kernel = c->name,
                         .at = {"", 0},
                         .stack = sw_queued_by(t->queued, e->op)});
}

/* The operations that touch memory which is given back now. */
static void
check_touches(host_tool *t, const host_free *f, uint32_t thread)
{
    host_touch found = {0};
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->touches.count && !found.op; i++) {
        const host_touch *touch = sw_vec_at(&t->touches, i);
        if (touch->first >= f->end || f->first >= touch->end || !touch->op)
            continue;
        bool is_before =
            f->op ? sw_order_is_before(t->order, touch->op, f->op)
                  : sw_order_is_before_host(t->order, touch->op, thread);
        if (!is_before)
            found = *touch;
    }
    pthread_mutex_unlock(&t->lock);
    if (found.op)
        report_free(t, &found, f->stack);
}

static _Thread_local host_free retired; /* its operation comes next */

void
sw_host_memory(host_tool *t, const sw_memory_event *e)
{
    switch (e->kind) {
    case SW_MEV_ALLOC:
    case SW_MEV_REUSE:
        pthread_mutex_lock(&t->lock);
        for (size_t i = t->frees.count; i-- > 0;) {
            const host_free *f = sw_vec_at(&t->frees, i);
            if (f->first < e->range.addr + e->range.bytes &&
                e->range.addr < f->end)
                sw_vec_remove(&t->frees, i);
        }
        for (size_t i = t->touches.count; i-- > 0;) {
            const host_touch *f = sw_vec_at(&t->touches, i);
            if (f->first < e->range.addr + e->range.bytes &&
                e->range.addr < f->end)
                sw_vec_remove(&t->touches, i);
        }
        pthread_mutex_unlock(&t->lock);
        sw_allocations_event(t->allocations, e);
        break;
    case SW_MEV_FREE:
        if (is_host_kind(e->range.kind) && e->range.kind != SW_MEMORY_MANAGED &&
            !e->op)
            check_touches(t,
                          &(host_free){.first = e->range.addr,
                                       .end = e->range.addr + e->range.bytes,
                                       .stack = sw_stack_take()},
                          e->thread);
        sw_allocations_event(t->allocations, e);
        break;
    case SW_MEV_RETIRE:
        sw_allocations_event(t->allocations, e);
        retired = (host_free){.first = e->range.addr,
                              .end = e->range.addr + e->range.bytes,
                              .stream = e->stream,
                              .stack = sw_stack_take()};
        break;
    case SW_MEV_OP_QUEUED:
        pthread_mutex_lock(&t->lock);
        if (e->work.kind == SW_OP_KIND_FREE && retired.end) {
            retired.op = e->op;
            *(host_free *)sw_vec_push(&t->frees) = retired;
            retired.end = 0;
        }
        pthread_mutex_unlock(&t->lock);
        sw_queued_event(t->queued, e);
        break;
    case SW_MEV_OP_STARTED: {
        host_free mine = {0};
        pthread_mutex_lock(&t->lock);
        for (size_t i = 0;
             e->work.kind == SW_OP_KIND_FREE && i < t->frees.count; i++) {
            const host_free *f = sw_vec_at(&t->frees, i);
            if (f->op == e->op)
                mine = *f;
        }
        pthread_mutex_unlock(&t->lock);
        if (mine.op)
            check_touches(t, &mine, e->thread);
        break;
    }
    case SW_MEV_COPY: {
        const sw_mev_copy *c = &e->copy;
        sw_stack_id stack = sw_queued_by(t->queued, e->op);
        add_copy(t, e, c->src, c->src_pitch, c->src_slice, false, stack);
        add_copy(t, e, c->dst, c->dst_pitch, c->dst_slice, true, stack);
        break;
    }
    case SW_MEV_COMPUTE:
        add_computation(t, e);
        break;
    default:
        break;
    }
}

/* ---- what the host touches ---- */

/* Memory that the host would meet an operation in that it has not waited for;
 * what it has waited for is forgotten. */
void
sw_host_closes(void *tool, sw_watch_close_fn *close)
{
    host_tool *t = tool;
    uint32_t thread = (uint32_t)syscall(SYS_gettid);
    pthread_mutex_lock(&t->lock);
    for (size_t i = t->touches.count; i-- > 0;) {
        const host_touch *touch = sw_vec_at(&t->touches, i);
        bool is_over = sw_order_is_before_host(t->order, touch->op, thread);
        if (is_over)
            sw_vec_remove(&t->touches, i);
        else if (touch->kind == SW_MEMORY_HOST ||
                 touch->kind == SW_MEMORY_MANAGED)
            close(touch->first, touch->end, !touch->is_write);
    }
    pthread_mutex_unlock(&t->lock);
}

void
sw_host_touched(host_tool *t, uint64_t addr, uint64_t pc, bool is_write)
{
    enum { WORD = 4 }; /* bytes, as if the access had so many */
    uint32_t thread = (uint32_t)syscall(SYS_gettid);
    host_touch found = {0};
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->touches.count && !found.op; i++) {
        const host_touch *touch = sw_vec_at(&t->touches, i);
        if (addr < touch->end && addr + WORD > touch->first &&
            (is_write || touch->is_write) && is_host_kind(touch->kind) &&
            !sw_order_is_before_host(t->order, touch->op, thread))
            found = *touch;
    }
    pthread_mutex_unlock(&t->lock);
    if (!found.op)
        return;
    char message[240];
    snprintf(message, sizeof message,
             "the host %s memory that %s %s, and has not waited for it",
             is_write ? "writes" : "reads",
             *found.kernel ? "a kernel" : "an asynchronous copy",
             found.is_write ? "writes" : "reads");
    sw_find_report r = {.kind = SW_FIND_RACE_HOST,
                        .kernel = found.kernel,
                        .message = message,
                        .space = found.kind == SW_MEMORY_MANAGED ? "managed"
                                                                 : "host",
                        .other = found.at};
    sw_host_report(t, &r, sw_stack_take_at(pc), "accessed at");
}

/* ---- pageable memory ---- */

/* Of memory that may not be there any more: false. */
static bool
hash_of(uint64_t addr, uint64_t bytes, uint64_t *out)
{
    uint64_t hash = 0xcbf29ce484222325u;
    uint8_t piece[4096];
    for (uint64_t done = 0; done < bytes;) {
        uint64_t n = bytes - done < sizeof piece ? bytes - done : sizeof piece;
        struct iovec to = {piece, n};
        struct iovec from = {(void *)(uintptr_t)(addr + done), n};
        if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)n)
            return false;
        for (uint64_t i = 0; i < n; i++)
            hash = (hash ^ piece[i]) * 0x100000001b3u;
        done += n;
    }
    *out = hash;
    return true;
}

static bool
is_copy_to_device(const sw_watch_call *c)
{
    enum { HOST_TO_DEVICE = 1, BY_POINTERS = 4 };
    if (strcmp(c->name, "cuMemcpyHtoDAsync") == 0)
        return true;
    uint32_t kind = (uint32_t)c->ints[3];
    return strcmp(c->name, "cudaMemcpyAsync") == 0 &&
           (kind == HOST_TO_DEVICE || kind == BY_POINTERS);
}

static void
check_source(host_tool *t, const host_source *s)
{
    uint64_t now;
    bool is_there = hash_of(s->addr, s->bytes, &now);
    if (is_there && now == s->hash)
        return;
    char message[160];
    snprintf(message, sizeof message,
             "%" PRIu64 " bytes of pageable memory are %s before the copy is "
             "known to have ended",
             s->bytes, is_there ? "changed" : "freed");
    sw_find_report r = {.kind = SW_FIND_HOST_PAGEABLE, .message = message};
    sw_host_report(t, &r, s->stack, "copied at");
}

/* The thread waits for what it has queued, in this call. */
static bool
waits(const char *name)
{
    static const char *const names[] = {"cudaDeviceSynchronize",
                                        "cudaStreamSynchronize",
                                        "cudaEventSynchronize",
                                        "cudaMemcpy",
                                        "cudaFree",
                                        "cudaDeviceReset",
                                        "cuCtxSynchronize",
                                        "cuStreamSynchronize",
                                        "cuEventSynchronize",
                                        "cuMemcpyDtoH",
                                        "cuMemFree",
                                        "cudaMemcpyFromSymbol"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void
check_sources(host_tool *t, uint32_t thread, bool all)
{
    for (size_t i = t->sources.count; i-- > 0;) {
        host_source s = *(host_source *)sw_vec_at(&t->sources, i);
        if (!all && s.thread != thread)
            continue;
        check_source(t, &s);
        sw_vec_remove(&t->sources, i);
    }
}

void
sw_host_after_call(host_tool *t, const sw_watch_call *c, uint64_t op)
{
    sw_allocation a;
    uint64_t hash;
    (void)op;
    if (waits(c->name)) {
        pthread_mutex_lock(&t->lock);
        check_sources(t, c->thread, false);
        pthread_mutex_unlock(&t->lock);
        return;
    }
    if (c->result || !is_copy_to_device(c) || c->ints[2] <= TINY ||
        sw_allocations_find(t->allocations, c->ints[1], &a) ||
        !hash_of(c->ints[1], c->ints[2], &hash))
        return;
    pthread_mutex_lock(&t->lock);
    *(host_source *)sw_vec_push(&t->sources) =
        (host_source){c->ints[1], c->ints[2], hash, c->thread, sw_stack_take()};
    pthread_mutex_unlock(&t->lock);
}

void
sw_host_finish(host_tool *t)
{
    check_sources(t, 0, true);
}
