/* SPDX-License-Identifier: Apache-2.0 */
/* hints.c - see hints.h: parts of memory that something was said about, by
 * address, none touching the inside of another. */
#include "rt/hints.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct {
    uint64_t begin, end;
    sw_rt_hint hint;
} part;

static struct {
    pthread_mutex_t lock;
    sw_vec parts; /* part */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const sw_rt_hint none = {.preferred = SW_RT_HINT_NOWHERE,
                                .prefetched = SW_RT_HINT_NOWHERE};

static int
by_address(const void *a, const void *b)
{
    const part *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void
push(uint64_t begin, uint64_t end, sw_rt_hint hint)
{
    if (begin < end)
        *(part *)sw_vec_push(&all.parts) = (part){begin, end, hint};
}

/* No part goes across this address. */
static void
split_locked(uint64_t at)
{
    for (size_t i = 0; i < all.parts.count; i++) {
        part *p = sw_vec_at(&all.parts, i);
        if (p->begin >= at || p->end <= at)
            continue;
        part rest = {at, p->end, p->hint};
        p->end = at;
        push(rest.begin, rest.end, rest.hint);
        return;
    }
}

static void
sort_locked(void)
{
    if (all.parts.count)
        qsort(all.parts.data, all.parts.count, sizeof(part), by_address);
}

void
sw_rt_hint_set(uint64_t addr, uint64_t bytes,
               void (*change)(sw_rt_hint *hint, int arg), int arg)
{
    const uint64_t begin = addr, end = addr + bytes;
    pthread_mutex_lock(&all.lock);
    if (!all.parts.elem_bytes)
        sw_vec_init(&all.parts, sizeof(part));
    split_locked(begin);
    split_locked(end);
    sort_locked();
    uint64_t at = begin;
    size_t count = all.parts.count;
    for (size_t i = 0; i < count; i++) {
        part p = *(part *)sw_vec_at(&all.parts, i);
        if (p.end <= begin || p.begin >= end)
            continue;
        push(at, p.begin, none);
        at = p.end;
    }
    push(at, end, none);
    for (size_t i = 0; i < all.parts.count; i++) {
        part *p = sw_vec_at(&all.parts, i);
        if (p->begin >= begin && p->end <= end)
            change(&p->hint, arg);
    }
    pthread_mutex_unlock(&all.lock);
}

static void
narrow(sw_rt_hint *all_of, const sw_rt_hint *hint)
{
    all_of->read_mostly &= hint->read_mostly;
    all_of->by_host &= hint->by_host;
    all_of->by_devices &= hint->by_devices;
    if (all_of->preferred != hint->preferred)
        all_of->preferred = SW_RT_HINT_NOWHERE;
    if (all_of->prefetched != hint->prefetched)
        all_of->prefetched = SW_RT_HINT_NOWHERE;
}

sw_rt_hint
sw_rt_hint_get(uint64_t addr, uint64_t bytes)
{
    sw_rt_hint found = none;
    uint64_t covered = 0;
    bool first = true;
    pthread_mutex_lock(&all.lock);
    for (size_t i = 0; i < all.parts.count; i++) {
        const part *p = sw_vec_at(&all.parts, i);
        uint64_t begin = p->begin > addr ? p->begin : addr;
        uint64_t end = p->end < addr + bytes ? p->end : addr + bytes;
        if (begin >= end)
            continue;
        covered += end - begin;
        if (first)
            found = p->hint;
        narrow(&found, &p->hint);
        first = false;
    }
    pthread_mutex_unlock(&all.lock);
    return covered == bytes ? found : none;
}

void
sw_rt_hint_forget(uint64_t addr, uint64_t bytes)
{
    pthread_mutex_lock(&all.lock);
    if (all.parts.count) {
        split_locked(addr);
        split_locked(addr + bytes);
        for (size_t i = all.parts.count; i-- > 0;) {
            const part *p = sw_vec_at(&all.parts, i);
            if (p->begin >= addr && p->end <= addr + bytes)
                sw_vec_remove(&all.parts, i);
        }
    }
    pthread_mutex_unlock(&all.lock);
}
