/* SPDX-License-Identifier: Apache-2.0 */
/* late.c - see late.h. */
#include "exec/late.h"

#include <pthread.h>
#include <string.h>

#include "exec/schedule.h"

enum { ROOM = 1024, LONGEST = 12 /* accesses, log2 */ };

typedef struct {
    uint64_t grid, block;
    uint32_t warp, bytes;
    bool is_of_block;
    uint64_t addr, due; /* it is written at that access, or before */
    uint8_t value[SW_LATE_BYTES];
} late_store;

bool sw_late_is_on;

static struct {
    pthread_mutex_t lock;
    uint64_t accesses;
    size_t count;
    late_store all[ROOM]; /* the oldest first */
} waiting = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool
is_of(const late_store *s, const sw_warp *warp)
{
    return s->grid == warp->blk->grid_id && s->block == warp->blk->index &&
           (s->is_of_block || s->warp == warp->index);
}

static bool
overlaps(const late_store *s, uint64_t addr, uint32_t bytes)
{
    return addr < s->addr + s->bytes && s->addr < addr + bytes;
}

/* Guest programs may race. */
__attribute__((no_sanitize("thread"))) static void
write_one(const late_store *s)
{
    memcpy((void *)(uintptr_t)s->addr, s->value, s->bytes);
}

/* Writes those that `wants` names and those that are due, in their order. */
static void
write_locked(bool (*wants)(const void *arg, const late_store *s),
             const void *arg)
{
    size_t kept = 0;
    for (size_t i = 0; i < waiting.count; i++) {
        const late_store *s = &waiting.all[i];
        if (s->due <= waiting.accesses || (wants && wants(arg, s)))
            write_one(s);
        else if (kept++ != i)
            waiting.all[kept - 1] = *s;
    }
    waiting.count = kept;
}

typedef struct {
    const sw_warp *warp;
    const uint64_t *addr;
    uint32_t mask, bytes;
} touched;

static bool
is_touched(const void *arg, const late_store *s)
{
    const touched *t = arg;
    if (!is_of(s, t->warp))
        return false;
    for (uint32_t m = t->mask; m; m &= m - 1)
        if (overlaps(s, t->addr[__builtin_ctz(m)], t->bytes))
            return true;
    return false;
}

static bool
is_ordered(const void *arg, const late_store *s)
{
    return is_of(s, arg);
}

static bool
is_any(const void *arg, const late_store *s)
{
    (void)arg;
    (void)s;
    return true;
}

void
sw_late_touch(const sw_warp *warp, uint32_t mask, const uint64_t *addr,
              uint32_t bytes)
{
    touched t = {warp, addr, mask, bytes};
    pthread_mutex_lock(&waiting.lock);
    waiting.accesses++;
    write_locked(is_touched, &t);
    pthread_mutex_unlock(&waiting.lock);
}

bool
sw_late_picks(void)
{
    return sw_schedule_pick(2) != 0;
}

void
sw_late_store(const sw_warp *warp, uint64_t addr, const void *value,
              uint32_t bytes)
{
    touched t = {warp, &addr, 1, bytes};
    pthread_mutex_lock(&waiting.lock);
    write_locked(is_touched, &t);
    if (waiting.count == ROOM) { /* one that seems to have waited long */
        size_t i = sw_schedule_pick(ROOM / 2);
        waiting.all[i].due = 0;
        for (size_t k = 0; k < i;
             k++) /* what lies at the same bytes is older */
            if (overlaps(&waiting.all[k], waiting.all[i].addr,
                         waiting.all[i].bytes))
                waiting.all[k].due = 0;
        write_locked(NULL, NULL);
    }
    late_store *s = &waiting.all[waiting.count++];
    *s = (late_store){.grid = warp->blk->grid_id,
                      .block = warp->blk->index,
                      .warp = warp->index,
                      .bytes = bytes,
                      .addr = addr};
    s->due = waiting.accesses + 1 +
             sw_schedule_pick(1u << sw_schedule_pick(LONGEST + 1));
    memcpy(s->value, value, bytes);
    pthread_mutex_unlock(&waiting.lock);
}

void
sw_late_fence(const sw_warp *warp, bool is_wide)
{
    pthread_mutex_lock(&waiting.lock);
    if (is_wide)
        write_locked(is_ordered, warp);
    for (size_t i = 0; i < waiting.count; i++)
        if (is_of(&waiting.all[i], warp))
            waiting.all[i].is_of_block = true;
    pthread_mutex_unlock(&waiting.lock);
}

void
sw_late_end(void)
{
    pthread_mutex_lock(&waiting.lock);
    write_locked(is_any, NULL);
    pthread_mutex_unlock(&waiting.lock);
}
