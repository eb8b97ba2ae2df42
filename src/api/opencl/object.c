/* SPDX-License-Identifier: Apache-2.0 */
/* object.c - see object.h: the table of slots and its queue of free ones. */
#include "api/opencl/object.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { MAGIC = 0x4c434f53 };
/* Addresses are reserved at once and become accessible as they are used. */
static const size_t RANGE_BYTES = (size_t)8 << 30, STEP_BYTES = (size_t)1 << 20;

typedef struct slot {
    sw_ocl_head head;
    struct slot *next; /* while free */
} slot;

static struct {
    pthread_mutex_t lock;
    uintptr_t base;
    size_t used; /* bytes ever handed out; grows only */
    size_t open; /* bytes that are accessible */
    slot *first_free, *last_free;
    uint32_t serial;
    const void *dispatch;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

void
sw_ocl_set_dispatch(const void *dispatch)
{
    table.dispatch = dispatch;
}

/* A slot that has never been one, or NULL. */
static slot *
fresh_slot_locked(void)
{
    if (!table.base) {
        void *p = mmap(NULL, RANGE_BYTES, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            return NULL;
        __atomic_store_n(&table.base, (uintptr_t)p, __ATOMIC_RELEASE);
    }
    if (table.used + SW_OCL_SLOT_BYTES > RANGE_BYTES)
        return NULL;
    if (table.used + SW_OCL_SLOT_BYTES > table.open) {
        if (mprotect((void *)(table.base + table.open), STEP_BYTES,
                     PROT_READ | PROT_WRITE) != 0)
            return NULL;
        table.open += STEP_BYTES;
    }
    slot *s = (slot *)(table.base + table.used);
    __atomic_store_n(&table.used, table.used + SW_OCL_SLOT_BYTES,
                     __ATOMIC_RELEASE);
    return s;
}

static slot *
take_slot_locked(void)
{
    slot *s = table.first_free;
    if (!s)
        return fresh_slot_locked();
    table.first_free = s->next;
    if (!s->next)
        table.last_free = NULL;
    memset(s, 0, SW_OCL_SLOT_BYTES);
    return s;
}

void *
sw_ocl_new(sw_ocl_kind kind, size_t bytes, sw_ocl_destroy destroy)
{
    SW_ASSERT(bytes <= SW_OCL_SLOT_BYTES);
    pthread_mutex_lock(&table.lock);
    slot *s = take_slot_locked();
    if (s) {
        s->head.dispatch = table.dispatch;
        s->head.destroy = destroy;
        s->head.kind = kind;
        s->head.refs = 1;
        s->head.holds = 1;
        s->head.serial = ++table.serial;
        __atomic_store_n(&s->head.magic, MAGIC, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&table.lock);
    return s;
}

void
sw_ocl_free(void *object)
{
    slot *s = object;
    pthread_mutex_lock(&table.lock);
    SW_ASSERT(s->head.magic == MAGIC);
    __atomic_store_n(&s->head.magic, 0, __ATOMIC_RELEASE);
    s->next = NULL;
    if (table.last_free)
        table.last_free->next = s;
    else
        table.first_free = s;
    table.last_free = s;
    pthread_mutex_unlock(&table.lock);
}

void *
sw_ocl_get(const void *handle, sw_ocl_kind kind)
{
    uintptr_t base = __atomic_load_n(&table.base, __ATOMIC_ACQUIRE);
    uintptr_t offset = (uintptr_t)handle - base;
    if (!handle || !base ||
        offset >= __atomic_load_n(&table.used, __ATOMIC_ACQUIRE) ||
        offset % SW_OCL_SLOT_BYTES != 0)
        return NULL;
    const slot *s = handle;
    if (__atomic_load_n(&s->head.magic, __ATOMIC_ACQUIRE) != MAGIC ||
        s->head.kind != kind ||
        !__atomic_load_n(&s->head.holds, __ATOMIC_RELAXED))
        return NULL;
    return (void *)(uintptr_t)handle;
}

void *
sw_ocl_get_same(const void *handle, sw_ocl_kind kind, uint32_t serial)
{
    sw_ocl_head *h = sw_ocl_get(handle, kind);
    return h && h->serial == serial ? h : NULL;
}

void
sw_ocl_hold(void *object)
{
    __atomic_add_fetch(&((sw_ocl_head *)object)->holds, 1, __ATOMIC_RELAXED);
}

void
sw_ocl_unhold(void *object)
{
    sw_ocl_head *h = object;
    if (!h || h->is_permanent ||
        __atomic_sub_fetch(&h->holds, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    if (h->destroy(object))
        sw_ocl_free(object);
}

void
sw_ocl_retain(void *object)
{
    sw_ocl_head *h = object;
    if (!h->is_permanent &&
        __atomic_fetch_add(&h->refs, 1, __ATOMIC_RELAXED) == 0)
        sw_ocl_hold(object);
}

bool
sw_ocl_release(void *object)
{
    sw_ocl_head *h = object;
    if (h->is_permanent)
        return true;
    uint32_t refs = __atomic_load_n(&h->refs, __ATOMIC_RELAXED);
    do {
        if (refs == 0)
            return false;
    } while (!__atomic_compare_exchange_n(&h->refs, &refs, refs - 1, true,
                                          __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    if (refs == 1)
        sw_ocl_unhold(object);
    return true;
}

uint32_t
sw_ocl_count(const void *object)
{
    const sw_ocl_head *h = object;
    return __atomic_load_n(&h->refs, __ATOMIC_RELAXED);
}

size_t
sw_ocl_report_leaks(void)
{
    static const char *const names[SW_OCL_KIND_COUNT] = {
        "",         "platforms",      "devices",
        "contexts", "command queues", "memory objects",
        "samplers", "programs",       "kernels",
        "events"};
    size_t counts[SW_OCL_KIND_COUNT] = {0}, all = 0;
    pthread_mutex_lock(&table.lock);
    for (size_t at = 0; at < table.used; at += SW_OCL_SLOT_BYTES) {
        const sw_ocl_head *h = (const sw_ocl_head *)(table.base + at);
        if (h->magic != MAGIC || h->is_permanent || !h->refs)
            continue;
        counts[h->kind]++;
        all++;
    }
    pthread_mutex_unlock(&table.lock);
    sw_buf text;
    sw_buf_init(&text);
    for (int i = 1; i < SW_OCL_KIND_COUNT; i++)
        if (counts[i])
            sw_buf_printf(&text, "%s%zu %s", text.n ? ", " : "", counts[i],
                          names[i]);
    sw_buf line;
    sw_buf_init(&line);
    sw_buf_printf(&line, "softwarp: OpenCL objects not released: %s\n",
                  text.n ? text.p : "none");
    sw_print_stderr(line.p, line.n);
    sw_buf_finish(&line);
    sw_buf_finish(&text);
    return all;
}
