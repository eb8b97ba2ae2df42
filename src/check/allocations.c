/* SPDX-License-Identifier: Apache-2.0 */
/* allocations.c - what lives and what was freed; see memory.h. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "check/memory.h"

enum { FREED = 4096 }; /* kept, the last ones */

struct sw_allocations {
    pthread_rwlock_t lock;
    sw_vec live;      /* sw_allocation, by address, disjoint */
    sw_vec variables; /* sw_allocation, by address */
    sw_allocation freed[FREED];
    uint64_t freed_count; /* ever */
    _Atomic uint64_t generation;
};

sw_allocations *
sw_allocations_create(void)
{
    sw_allocations *a = sw_alloc(sizeof *a);
    pthread_rwlock_init(&a->lock, NULL);
    sw_vec_init(&a->live, sizeof(sw_allocation));
    sw_vec_init(&a->variables, sizeof(sw_allocation));
    return a;
}

/* How many begin at or before addr. */
static size_t
count_before(const sw_vec *v, uint64_t addr)
{
    size_t low = 0, high = v->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const sw_allocation *m = sw_vec_at(v, middle);
        if (m->range.addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static sw_allocation *
containing(const sw_vec *v, uint64_t addr)
{
    size_t n = count_before(v, addr);
    sw_allocation *m = n ? sw_vec_at(v, n - 1) : NULL;
    return m && addr - m->range.addr < m->range.bytes ? m : NULL;
}

static void
insert(sw_vec *v, const sw_allocation *what)
{
    size_t at = count_before(v, what->range.addr);
    sw_vec_push(v);
    sw_allocation *all = v->data;
    memmove(all + at + 1, all + at, (v->count - 1 - at) * sizeof *all);
    all[at] = *what;
}

static void
remove_at(sw_vec *v, uint64_t addr)
{
    size_t n = count_before(v, addr);
    if (n && ((sw_allocation *)sw_vec_at(v, n - 1))->range.addr == addr)
        sw_vec_remove(v, n - 1);
}

/* Another module, or memory that came back, lies there now. */
static void
remove_within(sw_vec *v, const sw_mev_range *range)
{
    while (true) {
        size_t n = count_before(v, range->addr + range->bytes - 1);
        const sw_allocation *m = n ? sw_vec_at(v, n - 1) : NULL;
        if (!m || m->range.addr < range->addr)
            return;
        sw_vec_remove(v, n - 1);
    }
}

static void
keep_freed(sw_allocations *a, const sw_mev_range *range)
{
    size_t n = count_before(&a->live, range->addr);
    sw_allocation *m = n ? sw_vec_at(&a->live, n - 1) : NULL;
    if (!m || m->range.addr != range->addr)
        return;
    sw_allocation gone = *m;
    if (range->kind == SW_MEMORY_INTERNAL) {
        sw_vec_remove(&a->live, n - 1);
        return;
    }
    gone.freed = gone.freed ? gone.freed : sw_stack_take();
    gone.is_freed = true;
    a->freed[a->freed_count++ % FREED] = gone;
    sw_vec_remove(&a->live, n - 1);
}

void
sw_allocations_event(sw_allocations *a, const sw_memory_event *e)
{
    sw_allocation new = {.range = e->range};
    bool is_internal =
        e->kind != SW_MEV_VARIABLE && e->range.kind == SW_MEMORY_INTERNAL;
    pthread_rwlock_wrlock(&a->lock);
    switch (e->kind) {
    case SW_MEV_ALLOC:
    case SW_MEV_REUSE:
        remove_at(&a->live, e->range.addr);
        new.allocated = is_internal ? 0 : sw_stack_take();
        insert(&a->live, &new);
        break;
    case SW_MEV_FREE:
        remove_within(&a->variables, &e->range);
        keep_freed(a, &e->range);
        break;
    case SW_MEV_RETIRE: {
        sw_allocation *m = containing(&a->live, e->range.addr);
        if (m) {
            m->is_retired = true;
            m->freed = sw_stack_take();
        }
        break;
    }
    case SW_MEV_VARIABLE:
        new.range = (sw_mev_range){.addr = e->variable.addr,
                                   .bytes = e->variable.bytes,
                                   .kind = SW_MEMORY_MODULE};
        new.name = e->variable.sym->name;
        remove_at(&a->variables, new.range.addr);
        insert(&a->variables, &new);
        break;
    default:
        break;
    }
    a->generation += !is_internal;
    pthread_rwlock_unlock(&a->lock);
}

static bool
give(sw_allocations *a, const sw_allocation *found, sw_allocation *out)
{
    if (found)
        *out = *found;
    pthread_rwlock_unlock(&a->lock);
    return found != NULL;
}

bool
sw_allocations_find(sw_allocations *a, uint64_t addr, sw_allocation *out)
{
    pthread_rwlock_rdlock(&a->lock);
    return give(a, containing(&a->live, addr), out);
}

bool
sw_allocations_variable(sw_allocations *a, uint64_t addr, sw_allocation *out)
{
    pthread_rwlock_rdlock(&a->lock);
    return give(a, containing(&a->variables, addr), out);
}

bool
sw_allocations_find_freed(sw_allocations *a, uint64_t addr, sw_allocation *out)
{
    const sw_allocation *found = NULL;
    pthread_rwlock_rdlock(&a->lock);
    uint64_t kept = a->freed_count < FREED ? a->freed_count : FREED;
    for (uint64_t i = 1; i <= kept && !found; i++) {
        const sw_allocation *m = &a->freed[(a->freed_count - i) % FREED];
        if (addr - m->range.addr < m->range.bytes)
            found = m;
    }
    return give(a, found, out);
}

/* The engine's own memory, of which users know nothing. */
static bool
is_ours(const sw_vec *live, size_t i)
{
    return ((const sw_allocation *)sw_vec_at(live, i))->range.kind ==
           SW_MEMORY_INTERNAL;
}

bool
sw_allocations_nearest(sw_allocations *a, uint64_t addr, sw_allocation *out)
{
    pthread_rwlock_rdlock(&a->lock);
    size_t n = count_before(&a->live, addr), m = n;
    while (n && is_ours(&a->live, n - 1))
        n--;
    while (m < a->live.count && is_ours(&a->live, m))
        m++;
    const sw_allocation *before = n ? sw_vec_at(&a->live, n - 1) : NULL;
    const sw_allocation *behind =
        m < a->live.count ? sw_vec_at(&a->live, m) : NULL;
    const sw_allocation *near = before ? before : behind;
    if (before && behind &&
        behind->range.addr - addr <
            addr - before->range.addr - before->range.bytes)
        near = behind;
    return give(a, near, out);
}

uint64_t
sw_allocations_generation(const sw_allocations *a)
{
    return a->generation;
}

void
sw_allocations_list(sw_allocations *a, sw_vec *out)
{
    sw_vec_init(out, sizeof(sw_allocation));
    pthread_rwlock_rdlock(&a->lock);
    for (size_t i = 0; i < a->live.count; i++)
        *(sw_allocation *)sw_vec_push(out) =
            *(sw_allocation *)sw_vec_at(&a->live, i);
    pthread_rwlock_unlock(&a->lock);
}
