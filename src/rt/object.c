/* SPDX-License-Identifier: Apache-2.0 */
/* object.c - see object.h; the table of slots and its queue of free ones. */
#include "rt/object.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define SW_HAS_LEAK_CHECK 1
#endif
#elif defined __SANITIZE_ADDRESS__
#define SW_HAS_LEAK_CHECK 1
#endif
#ifdef SW_HAS_LEAK_CHECK
#include <sanitizer/lsan_interface.h>
#endif

enum { MAGIC = 0x5357704f, LEAK_CHECK_SLOTS = 1024 };
/* Addresses are reserved at once, and made accessible as they are used: a
 * process may be allowed less memory than there are addresses. */
static const size_t RANGE_BYTES = (size_t)1 << 30, STEP_BYTES = (size_t)1 << 20;

typedef struct slot {
    sw_rt_object head;
    struct slot *next; /* while free */
} slot;

static struct {
    pthread_mutex_t lock;
    uintptr_t base;
    size_t used; /* bytes ever handed out; grows only */
    size_t open; /* bytes that are accessible */
    slot *first_free, *last_free;
    uint32_t serial;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What objects own has not leaked because a guest keeps the only handle: the
 * leak check of a build with sanitizers has to look here too. */
static void
show_slots_locked(void)
{
#ifdef SW_HAS_LEAK_CHECK
    size_t bytes = (size_t)LEAK_CHECK_SLOTS * SW_RT_SLOT_BYTES;
    if (table.used % bytes == 0)
        __lsan_register_root_region((void *)(table.base + table.used), bytes);
#endif
}

/* A slot that has never been one. */
static slot *
fresh_slot_locked(void)
{
    SW_ASSERT(table.used + SW_RT_SLOT_BYTES <= RANGE_BYTES);
    if (table.used + SW_RT_SLOT_BYTES > table.open) {
        bool has_memory = mprotect((void *)(table.base + table.open),
                                   STEP_BYTES, PROT_READ | PROT_WRITE) == 0;
        SW_ASSERT(has_memory);
        table.open += STEP_BYTES;
    }
    slot *s = (slot *)(table.base + table.used);
    show_slots_locked();
    __atomic_store_n(&table.used, table.used + SW_RT_SLOT_BYTES,
                     __ATOMIC_RELEASE);
    return s;
}

void *
sw_rt_object_new(sw_rt_type type, size_t bytes)
{
    SW_ASSERT(bytes <= SW_RT_SLOT_BYTES);
    pthread_mutex_lock(&table.lock);
    if (!table.base) {
        void *p = mmap(NULL, RANGE_BYTES, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        SW_ASSERT(p != MAP_FAILED);
        __atomic_store_n(&table.base, (uintptr_t)p, __ATOMIC_RELEASE);
    }
    slot *s = table.first_free;
    if (s) {
        table.first_free = s->next;
        if (!s->next)
            table.last_free = NULL;
        memset(s, 0, SW_RT_SLOT_BYTES);
    } else {
        s = fresh_slot_locked();
    }
    s->head.type = (uint16_t)type;
    s->head.refs = 1;
    s->head.serial = ++table.serial;
    __atomic_store_n(&s->head.magic, MAGIC, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&table.lock);
    return s;
}

void
sw_rt_object_free(void *object)
{
    slot *s = object;
    if (!s)
        return;
    pthread_mutex_lock(&table.lock);
    SW_ASSERT(s->head.magic == MAGIC);
    s->head.magic = 0;
    s->head.type = SW_RT_FREE;
    s->next = NULL;
    if (table.last_free)
        table.last_free->next = s;
    else
        table.first_free = s;
    table.last_free = s;
    pthread_mutex_unlock(&table.lock);
}

sw_rt_type
sw_rt_object_type(const void *handle)
{
    uintptr_t base = __atomic_load_n(&table.base, __ATOMIC_ACQUIRE);
    uintptr_t offset = (uintptr_t)handle - base;
    if (!base || offset >= __atomic_load_n(&table.used, __ATOMIC_ACQUIRE) ||
        offset % SW_RT_SLOT_BYTES != 0)
        return SW_RT_FREE;
    const slot *s = handle;
    if (__atomic_load_n(&s->head.magic, __ATOMIC_ACQUIRE) != MAGIC)
        return SW_RT_FREE;
    return (sw_rt_type)s->head.type;
}

void *
sw_rt_object_get(const void *handle, sw_rt_type type)
{
    if (!handle || sw_rt_object_type(handle) != type)
        return NULL;
    return (void *)(uintptr_t)handle;
}
