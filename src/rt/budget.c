/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.c - what devices and the host have left.
 */
#include "rt/memory.h"

#include <pthread.h>

#include "base/settings.h"
#include "mem/limit.h"

/* What can be had of the host for the memory of all devices and for pinned
 * memory: an eighth stays the program's, which has to run as well. It is found
 * out once, before any of it is used. */
static struct {
    pthread_once_t once;
    uint64_t total, used; /* used: atomic */
} host_memory = {.once = PTHREAD_ONCE_INIT};

static void
find_host(void)
{
    bool promises_all = sw_setting_is(SW_SETTING_MEMORY, "device");
    host_memory.total = promises_all ? UINT64_MAX : sw_mem_can_be_had();
    if (host_memory.total < UINT64_MAX)
        host_memory.total -= host_memory.total / 8;
}

static bool
take_of(uint64_t *used, uint64_t total, uint64_t bytes)
{
    uint64_t now = __atomic_load_n(used, __ATOMIC_RELAXED);
    do {
        if (bytes > total || now > total - bytes)
            return false;
    } while (!__atomic_compare_exchange_n(used, &now, now + bytes, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

static void
give_to(uint64_t *used, uint64_t bytes)
{
    __atomic_sub_fetch(used, bytes, __ATOMIC_RELAXED);
}

bool
sw_rt_host_take(uint64_t bytes)
{
    pthread_once(&host_memory.once, find_host);
    return take_of(&host_memory.used, host_memory.total, bytes);
}

void
sw_rt_host_give(uint64_t bytes)
{
    give_to(&host_memory.used, bytes);
}

bool
sw_rt_device_take(sw_rt_device *device, uint64_t bytes)
{
    if (!sw_rt_host_take(bytes))
        return false;
    bool is_taken = take_of(&device->used_bytes, device->total_bytes, bytes);
    if (!is_taken)
        give_to(&host_memory.used, bytes);
    return is_taken;
}

void
sw_rt_device_give(sw_rt_device *device, uint64_t bytes)
{
    give_to(&device->used_bytes, bytes);
    give_to(&host_memory.used, bytes);
}

void
sw_rt_memory_info(sw_rt_device *device, uint64_t *free, uint64_t *total)
{
    uint64_t used = __atomic_load_n(&device->used_bytes, __ATOMIC_RELAXED);
    pthread_once(&host_memory.once, find_host);
    uint64_t left = host_memory.total -
                    __atomic_load_n(&host_memory.used, __ATOMIC_RELAXED);
    *total = device->total_bytes;
    *free = device->total_bytes - used;
    *free = *free < left ? *free : left;
}
