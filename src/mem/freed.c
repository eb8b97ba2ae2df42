/* SPDX-License-Identifier: Apache-2.0 */
/* freed.c - see freed.h: a ring. */
#include "mem/freed.h"

#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    sw_mem_range ranges[SW_MEM_FREED_MOST];
    uint64_t count; /* ever; the next goes to count % SW_MEM_FREED_MOST */
} freed = {.lock = PTHREAD_MUTEX_INITIALIZER};

void
sw_mem_note_freed(const sw_mem_range *range)
{
    pthread_mutex_lock(&freed.lock);
    freed.ranges[freed.count++ % SW_MEM_FREED_MOST] = *range;
    pthread_mutex_unlock(&freed.lock);
}

bool
sw_mem_find_freed(uint64_t addr, sw_mem_range *out, uint64_t *age)
{
    bool found = false;
    pthread_mutex_lock(&freed.lock);
    for (uint64_t i = 0; i < SW_MEM_FREED_MOST && i < freed.count && !found;
         i++) {
        const sw_mem_range *r =
            &freed.ranges[(freed.count - 1 - i) % SW_MEM_FREED_MOST];
        found = addr - r->base < r->bytes;
        if (found) {
            *out = *r;
            *age = i;
        }
    }
    pthread_mutex_unlock(&freed.lock);
    return found;
}
