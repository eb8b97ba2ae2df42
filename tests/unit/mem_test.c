/* SPDX-License-Identifier: Apache-2.0 */
/* mem_test.c - the device address space: places, bounds, reuse, registration,
 * and several threads at once. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "mem/mem.h"

enum { DEVICE = 3 };

static uint64_t
take(uint64_t bytes)
{
    uint64_t p = 0;
    CHECK_EQ(sw_mem_alloc(SW_MEM_DEVICE, DEVICE, bytes, 1, NULL, &p), SW_OK);
    return p;
}

static void
give(uint64_t p)
{
    CHECK_EQ(sw_mem_free(p), SW_OK);
}

CASE(allocations_are_aligned_and_apart)
{
    enum { N = 40 };
    static const uint64_t sizes[] = {1,       511,     512,    513,     5000,
                                     1 << 20, 3 << 20, 700000, 1 << 21, 77};
    uint64_t p[N];
    for (int i = 0; i < N; i++) {
        p[i] = take(sizes[i % 10]);
        CHECK_EQ(p[i] % 512, 0);
        memset((void *)(uintptr_t)p[i], i, sizes[i % 10]);
    }
    for (int i = 0; i < N; i++) {
        const uint8_t *b = (const uint8_t *)(uintptr_t)p[i];
        CHECK(b[0] == i && b[sizes[i % 10] - 1] == i);
    }
    for (int i = 0; i < N; i++)
        give(p[(i * 7) % N]);
    CHECK_EQ(sw_mem_used(DEVICE, SW_MEM_DEVICE), 0);
}

CASE(alignment_up_to_a_page)
{
    uint64_t p, q = take(512);
    for (uint64_t align = 1; align <= SW_MEM_PAGE; align *= 2) {
        CHECK_EQ(sw_mem_alloc(SW_MEM_DEVICE, DEVICE, 700, align, NULL, &p),
                 SW_OK);
        CHECK_EQ(p % align, 0);
        give(p);
    }
    give(q);
    CHECK_EQ(sw_mem_alloc(SW_MEM_DEVICE, DEVICE, 8, 3, NULL, &p), SW_E_INVAL);
    CHECK_EQ(sw_mem_alloc(SW_MEM_DEVICE, DEVICE, 8, 2 * SW_MEM_PAGE, NULL, &p),
             SW_E_INVAL);
    CHECK_EQ(sw_mem_alloc(SW_MEM_DEVICE, DEVICE, 0, 1, NULL, &p), SW_E_INVAL);
    CHECK_EQ(
        sw_mem_alloc(SW_MEM_DEVICE, DEVICE, (uint64_t)1 << 50, 1, NULL, &p),
        SW_E_NOMEM);
    CHECK_EQ(sw_mem_alloc(SW_MEM_DEVICE, DEVICE, UINT64_MAX - 5, 1, NULL, &p),
             SW_E_NOMEM);
}

CASE(holes_are_merged_and_used_again)
{
    uint64_t p[8], first;
    uint64_t keep = take(512); /* the slab stays */
    for (int i = 0; i < 8; i++)
        p[i] = take(4096);
    first = p[0];
    for (int i = 1; i < 8; i++)
        first = p[i] < first ? p[i] : first;
    static const int order[] = {3, 1, 2, 7, 0, 5, 6, 4};
    for (int i = 0; i < 8; i++)
        give(p[order[i]]);
    uint64_t whole = take(8 * 4096); /* fits only if all eight are one again */
    CHECK_EQ(whole, first);
    give(whole);
    give(keep);
}

/* Linux has 65,530 mappings for a process by default. */
CASE(what_was_given_back_takes_no_mappings)
{
    for (int i = 0; i < 35000; i++)
        give(take(4 * SW_MEM_PAGE));
    for (int i = 0; i < 35000; i++)
        give(take(SW_MEM_PAGE / 2 + (i % 2 ? SW_MEM_PAGE : 0)));
    for (int i = 0; i < 35000; i++)
        give(take(100000));
    CHECK_EQ(sw_mem_used(DEVICE, SW_MEM_DEVICE), 0);
}

CASE(memory_of_fresh_pages_is_zero)
{
    uint64_t p = take(3 * SW_MEM_PAGE);
    memset((void *)(uintptr_t)p, 0xff, 3 * SW_MEM_PAGE);
    give(p);
    p = take(3 * SW_MEM_PAGE);
    const uint8_t *b = (const uint8_t *)(uintptr_t)p;
    CHECK(b[0] == 0 && b[SW_MEM_PAGE] == 0 && b[3 * SW_MEM_PAGE - 1] == 0);
    give(p);
}

/* Of what was cleared before, only what was used has to be again. */
CASE(small_memory_comes_and_goes_without_new_pages)
{
    enum { ROUNDS = 200, BYTES = 100000 };
    struct rusage before, after;
    uint64_t last = 0;
    for (int i = -20; i < ROUNDS; i++) {
        if (i == 0)
            getrusage(RUSAGE_SELF, &before);
        uint64_t p = take(BYTES);
        uint8_t *b = (uint8_t *)(uintptr_t)p;
        CHECK(b[0] == 0 && b[BYTES / 2] == 0 && b[BYTES - 1] == 0);
        CHECK(p != last);
        memset(b, 0xff, BYTES);
        give(p);
        CHECK(!sw_mem_is_accessible(p, 1));
        CHECK(!sw_mem_is_reserved(p, SW_MEM_PAGE));
        last = p;
    }
    getrusage(RUSAGE_SELF, &after);
    CHECK(after.ru_minflt - before.ru_minflt < ROUNDS / 2);
}

CASE(kinds_and_owners_are_found)
{
    int mark;
    uint64_t p;
    sw_mem_range r;
    CHECK_EQ(sw_mem_alloc(SW_MEM_MANAGED, DEVICE, 1000, 1, &mark, &p), SW_OK);
    CHECK(sw_mem_find(p, &r) && r.base == p);
    CHECK(sw_mem_find(p + 999, &r));
    CHECK_EQ(r.bytes, 1000);
    CHECK_EQ(r.kind, SW_MEM_MANAGED);
    CHECK_EQ(r.device, DEVICE);
    CHECK(r.user == &mark);
    CHECK(!sw_mem_find(p + 1000, &r));
    CHECK(!sw_mem_find(p - 1, &r));
    CHECK_EQ(sw_mem_used(DEVICE, SW_MEM_MANAGED), 1000);
    CHECK_EQ(sw_mem_used(DEVICE + 1, SW_MEM_MANAGED), 0);
    CHECK_EQ(sw_mem_free(p + 512), SW_E_INVAL);
    give(p);
    CHECK_EQ(sw_mem_free(p), SW_E_INVAL);
    CHECK_EQ(sw_mem_free(0), SW_E_INVAL);
    CHECK(!sw_mem_find(p, &r));
}

CASE(the_nearest_is_no_internal_one)
{
    uint64_t a = take(SW_MEM_PAGE), b = take(SW_MEM_PAGE), hidden;
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    sw_mem_range r;
    CHECK_EQ(sw_mem_alloc(SW_MEM_INTERNAL, DEVICE, 64, 1, NULL, &hidden),
             SW_OK);
    CHECK(sw_mem_nearest(low + SW_MEM_PAGE + 10, &r));
    CHECK_EQ(r.base, low);
    CHECK(sw_mem_nearest(high - 10, &r));
    CHECK_EQ(r.base, high);
    CHECK(sw_mem_nearest(high + 5, &r));
    CHECK_EQ(r.base, high);
    CHECK(sw_mem_nearest(0, &r));
    CHECK(sw_mem_nearest(UINT64_MAX, &r));
    CHECK(sw_mem_nearest(hidden, &r));
    CHECK(r.kind != SW_MEM_INTERNAL);
    give(a);
    give(b);
    give(hidden);
}

CASE(the_fast_test_and_the_complete_one)
{
    const sw_mem_view *view;
    CHECK_EQ(sw_mem_get_view(&view), SW_OK);
    uint64_t small = take(100), big = take(2 * SW_MEM_PAGE + 8);
    /* With exact bounds the fast test never knows. */
    CHECK_EQ(sw_mem_is_plain(view, small, small + 99), !view->exact);
    CHECK_EQ(
        sw_mem_is_plain(view, big + SW_MEM_PAGE - 4, big + SW_MEM_PAGE + 3),
        !view->exact);
    CHECK(!sw_mem_is_plain(view, big, big + 2 * SW_MEM_PAGE)); /* too long */
    CHECK(sw_mem_is_accessible(big, 2 * SW_MEM_PAGE + 8));
    CHECK(!sw_mem_is_plain(view, 0, 3));
    CHECK(!sw_mem_is_plain(view, 3, 2));                       /* it wraps */
    CHECK(!sw_mem_is_plain(view, view->base, view->base + 3)); /* the guard */
    CHECK(!sw_mem_is_accessible(0, 4));
    CHECK(!sw_mem_is_accessible(UINT64_MAX - 3, 4));
    CHECK(!sw_mem_is_accessible(UINT64_MAX, 16));
    CHECK(!sw_mem_is_accessible(view->base + view->bytes - 2, 4));
    CHECK(!sw_mem_is_accessible(small, 0));
    if (!view->exact) { /* pages, as on a device */
        CHECK(sw_mem_is_accessible(small + 99, 4));
        CHECK(!sw_mem_is_accessible(big + 3 * SW_MEM_PAGE - 2, 4));
    } else {
        CHECK(!sw_mem_is_accessible(small + 99, 4));
    }
    give(small);
    give(big);
    CHECK(!sw_mem_is_plain(view, big, big + 3));
}

CASE(host_memory_is_registered)
{
    static uint8_t host[300];
    sw_mem_range r;
    uint64_t at = (uint64_t)(uintptr_t)host;
    CHECK(!sw_mem_is_accessible(at, 4));
    CHECK_EQ(sw_mem_unregister(host), SW_E_HOST_MEMORY_NOT_REGISTERED);
    CHECK_EQ(sw_mem_register(host + 100, 100, DEVICE, host), SW_OK);
    CHECK_EQ(sw_mem_register(host + 199, 10, DEVICE, NULL),
             SW_E_HOST_MEMORY_ALREADY_REGISTERED);
    CHECK_EQ(sw_mem_register(host + 50, 51, DEVICE, NULL),
             SW_E_HOST_MEMORY_ALREADY_REGISTERED);
    CHECK_EQ(sw_mem_register(host, 300, DEVICE, NULL),
             SW_E_HOST_MEMORY_ALREADY_REGISTERED);
    CHECK_EQ(sw_mem_register(host, 100, DEVICE, NULL), SW_OK); /* touches it */
    CHECK(sw_mem_is_accessible(at + 100, 100));
    CHECK(!sw_mem_is_accessible(at + 150, 51));
    CHECK(sw_mem_find(at + 150, &r) && r.kind == SW_MEM_REGISTERED);
    CHECK(r.user == host);
    CHECK_EQ(sw_mem_free(at + 100), SW_E_INVAL);
    CHECK_EQ(sw_mem_unregister(host + 101), SW_E_HOST_MEMORY_NOT_REGISTERED);
    CHECK_EQ(sw_mem_unregister(host + 100), SW_OK);
    CHECK_EQ(sw_mem_unregister(host), SW_OK);
    CHECK(!sw_mem_is_accessible(at + 100, 1));
    CHECK_EQ(sw_mem_register(NULL, 10, DEVICE, NULL), SW_E_INVAL);
    CHECK_EQ(sw_mem_register(host, 0, DEVICE, NULL), SW_E_INVAL);
}

typedef struct {
    uint64_t last, bytes;
    unsigned count;
} walk;

static void
visit(void *arg, const sw_mem_range *range)
{
    walk *w = arg;
    CHECK(range->base > w->last);
    w->last = range->base;
    w->bytes += range->bytes;
    w->count++;
}

CASE(each_goes_in_order_of_address)
{
    uint64_t p[20];
    walk w = {0}, other = {0};
    for (int i = 0; i < 20; i++)
        p[i] = take(1000u * (unsigned)(i + 1));
    sw_mem_each(DEVICE, visit, &w);
    CHECK_EQ(w.count, 20);
    CHECK_EQ(w.bytes, 210000);
    sw_mem_each(DEVICE + 1, visit, &other);
    CHECK_EQ(other.count, 0);
    for (int i = 0; i < 20; i++)
        give(p[i]);
}

/* Compiled code may still be about to touch it. */
CASE(what_kernels_free_stays_accessible)
{
    const sw_mem_view *view;
    static const uint64_t sizes[] = {700, 3 * SW_MEM_PAGE};
    CHECK_EQ(sw_mem_get_view(&view), SW_OK);
    for (int i = 0; i < 2; i++) {
        uint64_t generation = sw_mem_generation(), p, again;
        sw_mem_range r;
        CHECK_EQ(sw_mem_alloc(SW_MEM_HEAP, DEVICE, sizes[i], 16, NULL, &p),
                 SW_OK);
        CHECK_EQ(sw_mem_free(p), SW_OK);
        CHECK(!sw_mem_find(p, &r));
        CHECK(sw_mem_is_plain(view, p, p + 3));
        *(volatile uint32_t *)(uintptr_t)p = 7;
        CHECK_EQ(sw_mem_generation(), generation);
        CHECK_EQ(sw_mem_alloc(SW_MEM_HEAP, DEVICE, sizes[i], 16, NULL, &again),
                 SW_OK);
        CHECK_EQ(again, p);
        CHECK_EQ(sw_mem_free(again), SW_OK);
    }
}

/* Threads that allocate, write, check and free. */
enum { THREADS = 4, ROUNDS = 400, HELD = 16 };

static void *
churn(void *arg)
{
    uint32_t seed = (uint32_t)(uintptr_t)arg * 77777 + 1;
    uint64_t p[HELD] = {0}, bytes[HELD] = {0}, errors = 0;
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 1664525 + 1013904223;
        unsigned k = seed >> 28;
        sw_mem_range r;
        if (p[k]) {
            const uint32_t *w = (const uint32_t *)(uintptr_t)p[k];
            errors += w[0] != k + bytes[k] || !sw_mem_find(p[k], &r) ||
                      r.bytes != bytes[k];
            errors += sw_mem_free(p[k]) != SW_OK;
        }
        bytes[k] = 4 + (seed >> 8 & 0xffff) * (k == 0 ? 64 : 1);
        errors += sw_mem_alloc(SW_MEM_DEVICE, DEVICE, bytes[k], 1, NULL,
                               &p[k]) != SW_OK;
        *(uint32_t *)(uintptr_t)p[k] = (uint32_t)(k + bytes[k]);
    }
    for (int k = 0; k < HELD; k++)
        if (p[k])
            errors += sw_mem_free(p[k]) != SW_OK;
    return (void *)(uintptr_t)errors;
}

CASE(threads_do_not_disturb_each_other)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&t[i], NULL, churn, (void *)(uintptr_t)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *errors;
        pthread_join(t[i], &errors);
        CHECK_EQ(errors, 0);
    }
    CHECK_EQ(sw_mem_used(DEVICE, SW_MEM_DEVICE), 0);
}
