/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_count.c - what of a pool is in use, and what a device would hold for it.
 */
#include "rt/memory.h"

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;

void
sw_rt_pool_counts_lock(void)
{
    pthread_mutex_lock(&count_lock);
}

void
sw_rt_pool_counts_unlock(void)
{
    pthread_mutex_unlock(&count_lock);
}

static uint64_t
steps(uint64_t bytes)
{
    return (bytes + SW_RT_POOL_STEP - 1) / SW_RT_POOL_STEP * SW_RT_POOL_STEP;
}

bool
sw_rt_pool_use_more(sw_rt_pool *pool, uint64_t bytes)
{
    sw_rt_pool_counts_lock();
    bool ok = !pool->max_bytes || (bytes <= pool->max_bytes &&
                                   pool->used <= pool->max_bytes - bytes);
    if (ok) {
        pool->used += bytes;
        if (pool->used > pool->used_high)
            pool->used_high = pool->used;
        if (pool->reserved < steps(pool->used))
            pool->reserved = steps(pool->used);
        if (pool->reserved > pool->reserved_high)
            pool->reserved_high = pool->reserved;
    }
    sw_rt_pool_counts_unlock();
    return ok;
}

static void
trim_locked(sw_rt_pool *pool, uint64_t keep)
{
    uint64_t least = steps(pool->used);
    uint64_t kept = keep > UINT64_MAX / 2 ? keep : steps(keep);
    if (kept < least)
        kept = least;
    if (pool->reserved > kept)
        pool->reserved = kept;
}

void
sw_rt_pool_used_less(sw_rt_pool *pool, uint64_t bytes)
{
    sw_rt_pool_counts_lock();
    pool->used -= bytes;
    trim_locked(pool, pool->attrs[SW_RT_POOL_THRESHOLD]);
    sw_rt_pool_counts_unlock();
}

void
sw_rt_pool_trim(sw_rt_pool *pool, uint64_t bytes)
{
    sw_rt_pool_counts_lock();
    trim_locked(pool, bytes);
    sw_rt_pool_counts_unlock();
}

void
sw_rt_pool_reset_high(sw_rt_pool *pool, bool reserved)
{
    sw_rt_pool_counts_lock();
    if (reserved)
        pool->reserved_high = pool->reserved;
    else
        pool->used_high = pool->used;
    sw_rt_pool_counts_unlock();
}
