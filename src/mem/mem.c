/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.c - see mem.h. The arena is cut into pages of 2 MiB. An allocation of
 * half a page or more takes whole pages; smaller ones share a page ("slab")
 * with others of their kind and device.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/settings.h"
#include "mem/freed.h"
#include "mem/mem.h"

enum {
    UNIT = 512,
    ARENA_MAX_SHIFT = 40,
    ARENA_MIN_SHIFT = 32,
    MUCH = 65536,    /* bytes, for which a page may be cleared as a whole */
    MIN_RESTING = 4, /* of a kind: addresses are not used again at once */
    MAX_RESTING = 16
};
enum { RESERVED = 1, RESTING }; /* in arena.held */

/* A free stretch of a slab. */
typedef struct {
    uint32_t offset, bytes;
} hole;

typedef struct {
    uint64_t page, count;
} page_run;

typedef struct {
    uint64_t page, count;
    int file;
} shared_run;

/* A page that was given back and has its memory still. */
typedef struct {
    uint64_t page;
    uint64_t used; /* so many bytes of it were */
    bool is_large; /* large to the system, too */
} resting;

typedef struct {
    uint64_t page; /* index */
    sw_mem_kind kind;
    int device;
    uint32_t live;    /* allocations in it */
    uint32_t used;    /* bytes from its beginning that ever were in one */
    bool expects_use; /* of much of it */
    sw_vec holes;     /* hole, by offset */
} slab;

static struct {
    pthread_rwlock_t lock;
    sw_mem_view view;
    uint8_t *pages;
    uint8_t *held; /* as pages; nonzero: no allocation gets it */
    bool is_ready;
    uint64_t page_count, page_hint;
    sw_vec ranges; /* sw_mem_range, by base; registrations too */
    sw_vec slabs;  /* slab * */
    sw_vec heap;   /* page_run: freed by kernels, still accessible */
    sw_vec shared; /* shared_run: pages that lie in files */
    sw_vec rest;   /* resting */
    uint64_t serial;
} arena = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static struct {
    void (*fn)(void *arg, bool is_free, const sw_mem_range *range);
    void *arg;
} watch;

void
sw_mem_watch(void (*fn)(void *arg, bool is_free, const sw_mem_range *range),
             void *arg)
{
    watch.arg = arg;
    watch.fn = fn;
}

/* Tells the range that begins at addr, if there is one. */
static void
tell(bool is_free, uint64_t addr)
{
    sw_mem_range range;
    if (watch.fn && sw_mem_find(addr, &range) && range.base == addr)
        watch.fn(watch.arg, is_free, &range);
}

/* Under the write lock. */
static sw_status
reserve_locked(void)
{
    if (arena.is_ready)
        return SW_OK;
    for (int shift = ARENA_MAX_SHIFT; shift >= ARENA_MIN_SHIFT; shift--) {
        uint64_t bytes = (uint64_t)1 << shift;
        char *p = mmap(NULL, bytes + SW_MEM_PAGE, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            continue;
        uint64_t base = ((uint64_t)(uintptr_t)p + SW_MEM_PAGE - 1) /
                        SW_MEM_PAGE * SW_MEM_PAGE;
        arena.page_count = bytes >> SW_MEM_PAGE_SHIFT;
        arena.pages = mmap(NULL, arena.page_count, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        arena.held = mmap(NULL, arena.page_count, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (arena.pages == MAP_FAILED || arena.held == MAP_FAILED) {
            munmap(p, bytes + SW_MEM_PAGE);
            return SW_E_NOMEM;
        }
        arena.view = (sw_mem_view){base, bytes, arena.pages,
                                   sw_setting_is(SW_SETTING_BOUNDS, "exact")};
        sw_vec_init(&arena.ranges, sizeof(sw_mem_range));
        sw_vec_init(&arena.slabs, sizeof(slab *));
        sw_vec_init(&arena.heap, sizeof(page_run));
        sw_vec_init(&arena.shared, sizeof(shared_run));
        sw_vec_init(&arena.rest, sizeof(resting));
        arena.page_hint = 1; /* page 0 stays free: a guard below */
        arena.is_ready = true;
        return SW_OK;
    }
    return SW_E_NOMEM;
}

sw_status
sw_mem_get_view(const sw_mem_view **view)
{
    pthread_rwlock_wrlock(&arena.lock);
    sw_status status = reserve_locked();
    *view = status == SW_OK ? &arena.view : NULL;
    pthread_rwlock_unlock(&arena.lock);
    return status;
}

static uint64_t
page_address(uint64_t page)
{
    return arena.view.base + (page << SW_MEM_PAGE_SHIFT);
}

/* Finds `count` free pages in a row. */
static sw_status
find_pages_locked(uint64_t count, uint64_t *page)
{
    if (count > arena.page_count)
        return SW_E_NOMEM;
    for (int pass = 0; pass < 2; pass++) {
        uint64_t start = pass == 0 ? arena.page_hint : 1;
        uint64_t run = 0;
        for (uint64_t p = start; p < arena.page_count; p++) {
            run = arena.pages[p] || arena.held[p] ? 0 : run + 1;
            if (run < count)
                continue;
            *page = p + 1 - count;
            /* A free page behind each big allocation catches overruns, and
             * addresses are not reused at once. */
            arena.page_hint = p + 2;
            return SW_OK;
        }
    }
    return SW_E_NOMEM;
}

/* Few faults instead of one for each 4 KiB, of which those that are first read
 * and then written stop all threads for a while. */
static void
expect_use(uint64_t page, uint64_t count)
{
    madvise((void *)(uintptr_t)page_address(page), count << SW_MEM_PAGE_SHIFT,
            MADV_HUGEPAGE);
}

/* Finds them and makes them accessible. */
static sw_status
take_pages_locked(uint64_t count, uint64_t *page)
{
    sw_status status = find_pages_locked(count, page);
    if (status != SW_OK)
        return status;
    void *at = (void *)(uintptr_t)page_address(*page);
    if (mprotect(at, count << SW_MEM_PAGE_SHIFT, PROT_READ | PROT_WRITE))
        return SW_E_NOMEM;
    memset(arena.pages + *page, 1, count);
    return SW_OK;
}

/* Counts what has stopped being accessible. */
static atomic_uint_fast64_t generation;

uint64_t
sw_mem_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_acquire);
}

/* Called when the change can be seen: who asks earlier may still find what was,
 * and asks again. */
static void
forget(void)
{
    atomic_fetch_add(&generation, 1);
}

static void
hide_pages(void *at, uint64_t bytes)
{
    mmap(at, bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* The run that has this page; NULL. */
static shared_run *
shared_at_locked(uint64_t page)
{
    for (size_t i = 0; i < arena.shared.count; i++) {
        shared_run *r = sw_vec_at(&arena.shared, i);
        if (page - r->page < r->count)
            return r;
    }
    return NULL;
}

static void
give_pages_locked(uint64_t page, uint64_t count)
{
    void *at = (void *)(uintptr_t)page_address(page);
    memset(arena.pages + page, 0, count);
    forget();
    shared_run *shared = shared_at_locked(page);
    if (shared) {
        hide_pages(at, count << SW_MEM_PAGE_SHIFT);
        close(shared->file);
        sw_vec_remove(&arena.shared,
                      (size_t)(shared - (shared_run *)arena.shared.data));
        return;
    }
    hide_pages(at, count << SW_MEM_PAGE_SHIFT); /* one mapping with the next */
}

static void
drop_resting_locked(size_t i)
{
    uint64_t page = ((resting *)sw_vec_at(&arena.rest, i))->page;
    hide_pages((void *)(uintptr_t)page_address(page), SW_MEM_PAGE);
    arena.held[page] = 0;
    sw_vec_remove(&arena.rest, i);
}

/* Programs that allocate and free little again and again: to clear the part
 * that they used takes a fraction of what the system takes for a new page. */
static void
rest_page_locked(uint64_t page, uint64_t used, bool is_large)
{
    void *at = (void *)(uintptr_t)page_address(page);
    if (shared_at_locked(page) || mprotect(at, SW_MEM_PAGE, PROT_NONE)) {
        give_pages_locked(page, 1);
        return;
    }
    arena.pages[page] = 0;
    arena.held[page] = RESTING;
    forget();
    *(resting *)sw_vec_push(&arena.rest) = (resting){page, used, is_large};
    if (arena.rest.count > MAX_RESTING)
        drop_resting_locked(0);
}

/* The page of this kind that has rested longest, if there are some. */
static bool
take_resting_locked(bool is_large, uint64_t *page)
{
    size_t oldest = 0, count = 0;
    for (size_t i = arena.rest.count; i-- > 0;)
        if (((resting *)sw_vec_at(&arena.rest, i))->is_large == is_large) {
            oldest = i;
            count++;
        }
    if (count < MIN_RESTING)
        return false;
    resting r = *(resting *)sw_vec_at(&arena.rest, oldest);
    void *at = (void *)(uintptr_t)page_address(r.page);
    if (mprotect(at, SW_MEM_PAGE, PROT_READ | PROT_WRITE))
        return false;
    sw_vec_remove(&arena.rest, oldest);
    memset(at, 0, r.used);
    arena.held[r.page] = 0;
    arena.pages[r.page] = 1;
    *page = r.page;
    return true;
}

static sw_status
take_page_locked(bool is_large, uint64_t *page)
{
    return take_resting_locked(is_large, page) ? SW_OK
                                               : take_pages_locked(1, page);
}

/* What kernels free while they run stays accessible, as it does on a device;
 * what they allocate next may be the same. */
static void
keep_heap_pages_locked(uint64_t page, uint64_t count)
{
    *(page_run *)sw_vec_push(&arena.heap) = (page_run){page, count};
}

static bool
take_heap_pages_locked(uint64_t count, uint64_t *page)
{
    for (size_t i = arena.heap.count; i-- > 0;) {
        const page_run *r = sw_vec_at(&arena.heap, i);
        if (r->count != count)
            continue;
        *page = r->page;
        sw_vec_remove(&arena.heap, i);
        return true;
    }
    return false;
}

/* Slabs of these stay when they are empty: kernels may still touch what they
 * freed, and the parameters of launches come and go. */
static bool
is_kept(sw_mem_kind kind)
{
    return kind == SW_MEM_HEAP || kind == SW_MEM_INTERNAL;
}

/* Index of the first range with base > addr. */
static size_t
range_after_locked(uint64_t addr)
{
    const sw_mem_range *r = arena.ranges.data;
    size_t lo = 0, hi = arena.ranges.count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (r[mid].base > addr)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static void
range_add_locked(sw_mem_range range)
{
    size_t at = range_after_locked(range.base);
    range.serial = ++arena.serial;
    sw_vec_push(&arena.ranges);
    sw_mem_range *r = arena.ranges.data;
    memmove(r + at + 1, r + at, (arena.ranges.count - 1 - at) * sizeof *r);
    r[at] = range;
}

/* First fit in one slab; 0 if nothing fits. */
static uint64_t
slab_take(slab *s, uint64_t bytes, uint64_t align)
{
    for (size_t i = 0; i < s->holes.count; i++) {
        hole *h = sw_vec_at(&s->holes, i);
        uint64_t from = (h->offset + align - 1) / align * align;
        uint64_t skip = from - h->offset;
        if (skip + bytes > h->bytes)
            continue;
        uint64_t rest = h->bytes - skip - bytes;
        if (skip == 0 && rest == 0) {
            sw_vec_remove(&s->holes, i);
        } else if (skip == 0) {
            *h = (hole){(uint32_t)(from + bytes), (uint32_t)rest};
        } else {
            h->bytes = (uint32_t)skip;
            if (rest) {
                sw_vec_push(&s->holes);
                h = s->holes.data;
                memmove(h + i + 2, h + i + 1,
                        (s->holes.count - i - 2) * sizeof *h);
                h[i + 1] = (hole){(uint32_t)(from + bytes), (uint32_t)rest};
            }
        }
        s->live++;
        uint64_t end = from + bytes;
        s->used = end > s->used ? (uint32_t)end : s->used;
        if (bytes >= MUCH && !s->expects_use)
            expect_use(s->page, 1);
        s->expects_use |= bytes >= MUCH;
        return page_address(s->page) + from;
    }
    return 0;
}

static void
slab_give(slab *s, uint32_t offset, uint32_t bytes)
{
    size_t i = 0;
    hole *h = s->holes.data;
    while (i < s->holes.count && h[i].offset < offset)
        i++;
    sw_vec_push(&s->holes);
    h = s->holes.data;
    memmove(h + i + 1, h + i, (s->holes.count - 1 - i) * sizeof *h);
    h[i] = (hole){offset, bytes};
    if (i + 1 < s->holes.count && offset + bytes == h[i + 1].offset) {
        h[i].bytes += h[i + 1].bytes;
        sw_vec_remove(&s->holes, i + 1);
    }
    if (i > 0 && h[i - 1].offset + h[i - 1].bytes == offset) {
        h[i - 1].bytes += h[i].bytes;
        sw_vec_remove(&s->holes, i);
    }
    s->live--;
}

static sw_status
alloc_small_locked(sw_mem_kind kind, int device, uint64_t bytes, uint64_t align,
                   uint64_t *addr)
{
    for (size_t i = arena.slabs.count; i-- > 0;) {
        slab *s = *(slab **)sw_vec_at(&arena.slabs, i);
        if (s->kind != kind || s->device != device)
            continue;
        *addr = slab_take(s, bytes, align);
        if (*addr)
            return SW_OK;
    }
    uint64_t page;
    sw_status status = take_page_locked(bytes >= MUCH, &page);
    if (status != SW_OK)
        return status;
    slab *s = sw_alloc(sizeof *s);
    *s = (slab){.page = page, .kind = kind, .device = device};
    sw_vec_init(&s->holes, sizeof(hole));
    *(hole *)sw_vec_push(&s->holes) = (hole){0, (uint32_t)SW_MEM_PAGE};
    *(slab **)sw_vec_push(&arena.slabs) = s;
    *addr = slab_take(s, bytes, align);
    return SW_OK;
}

static uint64_t
round_units(uint64_t bytes)
{
    return (bytes + UNIT - 1) / UNIT * UNIT;
}

sw_status
sw_mem_alloc(sw_mem_kind kind, int device, uint64_t bytes, uint64_t align,
             void *user, uint64_t *addr)
{
    if (bytes == 0 || align > SW_MEM_PAGE || (align & (align - 1)))
        return SW_E_INVAL;
    if (bytes > (uint64_t)1 << ARENA_MAX_SHIFT)
        return SW_E_NOMEM;
    if (align < UNIT)
        align = UNIT;
    pthread_rwlock_wrlock(&arena.lock);
    sw_status status = reserve_locked();
    if (status == SW_OK && bytes < SW_MEM_PAGE / 2) {
        status =
            alloc_small_locked(kind, device, round_units(bytes), align, addr);
    } else if (status == SW_OK) {
        uint64_t page = 0;
        uint64_t count = (bytes + SW_MEM_PAGE - 1) >> SW_MEM_PAGE_SHIFT;
        if (kind != SW_MEM_HEAP || !take_heap_pages_locked(count, &page))
            status = count == 1 ? take_page_locked(true, &page)
                                : take_pages_locked(count, &page);
        if (status == SW_OK)
            expect_use(page, count);
        *addr = page_address(page);
    }
    if (status == SW_OK)
        range_add_locked((sw_mem_range){.base = *addr,
                                        .bytes = bytes,
                                        .kind = kind,
                                        .device = device,
                                        .user = user});
    pthread_rwlock_unlock(&arena.lock);
    if (status == SW_OK)
        tell(false, *addr);
    return status;
}

sw_status
sw_mem_free(uint64_t addr)
{
    sw_status status = SW_E_INVAL;
    tell(true, addr);
    pthread_rwlock_wrlock(&arena.lock);
    size_t i = arena.is_ready ? range_after_locked(addr) : 0;
    sw_mem_range *r = arena.ranges.data;
    if (i > 0 && r[i - 1].base == addr && r[i - 1].kind != SW_MEM_REGISTERED) {
        uint64_t bytes = r[i - 1].bytes;
        sw_mem_kind kind = r[i - 1].kind;
        uint64_t page = (addr - arena.view.base) >> SW_MEM_PAGE_SHIFT;
        sw_mem_note_freed(&r[i - 1]);
        sw_vec_remove(&arena.ranges, i - 1);
        if (arena.view.exact)
            forget();
        status = SW_OK;
        if (bytes >= SW_MEM_PAGE / 2) {
            uint64_t count = (bytes + SW_MEM_PAGE - 1) >> SW_MEM_PAGE_SHIFT;
            if (kind == SW_MEM_HEAP)
                keep_heap_pages_locked(page, count);
            else if (count == 1)
                rest_page_locked(page, bytes, true);
            else
                give_pages_locked(page, count);
            pthread_rwlock_unlock(&arena.lock);
            return status;
        }
        for (size_t k = 0; k < arena.slabs.count; k++) {
            slab *s = *(slab **)sw_vec_at(&arena.slabs, k);
            if (s->page != page)
                continue;
            slab_give(s, (uint32_t)(addr - page_address(page)),
                      (uint32_t)round_units(bytes));
            if (s->live == 0 && !is_kept(kind)) {
                rest_page_locked(page, s->used, s->expects_use);
                sw_vec_finish(&s->holes);
                sw_free(s);
                sw_vec_remove(&arena.slabs, k);
            }
            break;
        }
    }
    pthread_rwlock_unlock(&arena.lock);
    return status;
}

/* ---- addresses and memory apart ---- */

/* The pages of [addr, addr + bytes); false if these are not whole ones of the
 * arena. */
static bool
whole_pages_locked(uint64_t addr, uint64_t bytes, uint64_t *page,
                   uint64_t *count)
{
    uint64_t offset = addr - arena.view.base;
    if (!arena.is_ready || !bytes || (offset | bytes) % SW_MEM_PAGE ||
        offset >= arena.view.bytes || bytes > arena.view.bytes - offset)
        return false;
    *page = offset >> SW_MEM_PAGE_SHIFT;
    *count = bytes >> SW_MEM_PAGE_SHIFT;
    return true;
}

static bool
all_are_locked(const uint8_t *bytes, uint64_t page, uint64_t count, bool set)
{
    for (uint64_t i = 0; i < count; i++)
        if ((bytes[page + i] == RESERVED) != set)
            return false;
    return true;
}

sw_status
sw_mem_reserve(uint64_t bytes, uint64_t *addr)
{
    uint64_t page;
    if (!bytes || bytes % SW_MEM_PAGE)
        return SW_E_INVAL;
    pthread_rwlock_wrlock(&arena.lock);
    sw_status status = reserve_locked();
    if (status == SW_OK)
        status = find_pages_locked(bytes >> SW_MEM_PAGE_SHIFT, &page);
    if (status == SW_OK) {
        memset(arena.held + page, RESERVED, bytes >> SW_MEM_PAGE_SHIFT);
        *addr = page_address(page);
    }
    pthread_rwlock_unlock(&arena.lock);
    return status;
}

bool
sw_mem_is_reserved(uint64_t addr, uint64_t bytes)
{
    uint64_t page, count;
    pthread_rwlock_rdlock(&arena.lock);
    bool is = whole_pages_locked(addr, bytes, &page, &count) &&
              all_are_locked(arena.held, page, count, true);
    pthread_rwlock_unlock(&arena.lock);
    return is;
}

sw_status
sw_mem_unreserve(uint64_t addr, uint64_t bytes)
{
    uint64_t page, count;
    pthread_rwlock_wrlock(&arena.lock);
    bool ok = whole_pages_locked(addr, bytes, &page, &count) &&
              all_are_locked(arena.held, page, count, true) &&
              all_are_locked(arena.pages, page, count, false);
    if (ok)
        memset(arena.held + page, 0, count);
    pthread_rwlock_unlock(&arena.lock);
    return ok ? SW_OK : SW_E_INVAL;
}

sw_status
sw_mem_map(uint64_t addr, uint64_t bytes, int file, uint64_t offset)
{
    uint64_t page, count;
    sw_status status = SW_E_INVAL;
    pthread_rwlock_wrlock(&arena.lock);
    if (whole_pages_locked(addr, bytes, &page, &count) &&
        all_are_locked(arena.held, page, count, true) &&
        all_are_locked(arena.pages, page, count, false)) {
        void *at = mmap((void *)(uintptr_t)addr, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_FIXED, file, (off_t)offset);
        status = at == MAP_FAILED ? SW_E_NOMEM : SW_OK;
    }
    if (status == SW_OK)
        memset(arena.pages + page, 1, count);
    pthread_rwlock_unlock(&arena.lock);
    return status;
}

static void
tell_if_inside(void *arg, const sw_mem_range *range)
{
    const uint64_t *at = arg;
    if (range->base >= at[0] && range->base - at[0] < at[1])
        watch.fn(watch.arg, true, range);
}

sw_status
sw_mem_unmap(uint64_t addr, uint64_t bytes)
{
    uint64_t all_of[2] = {addr, bytes};
    if (watch.fn)
        sw_mem_each(-1, tell_if_inside, all_of);
    uint64_t page, count;
    sw_status status = SW_E_INVAL;
    pthread_rwlock_wrlock(&arena.lock);
    if (whole_pages_locked(addr, bytes, &page, &count) &&
        all_are_locked(arena.held, page, count, true) &&
        all_are_locked(arena.pages, page, count, true)) {
        const sw_mem_range *r = arena.ranges.data;
        size_t end = range_after_locked(addr + bytes - 1);
        while (end > 0 && r[end - 1].base >= addr)
            sw_vec_remove(&arena.ranges, --end);
        memset(arena.pages + page, 0, count);
        forget();
        hide_pages((void *)(uintptr_t)addr, bytes);
        status = SW_OK;
    }
    pthread_rwlock_unlock(&arena.lock);
    return status;
}

void
sw_mem_add(uint64_t addr, uint64_t bytes, int device, void *user)
{
    pthread_rwlock_wrlock(&arena.lock);
    range_add_locked((sw_mem_range){.base = addr,
                                    .bytes = bytes,
                                    .kind = SW_MEM_DEVICE,
                                    .device = device,
                                    .user = user});
    pthread_rwlock_unlock(&arena.lock);
    tell(false, addr);
}

void
sw_mem_remove(uint64_t addr)
{
    tell(true, addr);
    pthread_rwlock_wrlock(&arena.lock);
    size_t i = range_after_locked(addr);
    const sw_mem_range *r = arena.ranges.data;
    if (i > 0 && r[i - 1].base == addr)
        sw_vec_remove(&arena.ranges, i - 1);
    forget();
    pthread_rwlock_unlock(&arena.lock);
}

/* ---- memory for several processes ---- */

/* The pages of the allocation that begins at addr. */
static bool
pages_of_locked(uint64_t addr, page_run *out)
{
    size_t i = arena.is_ready ? range_after_locked(addr) : 0;
    const sw_mem_range *r = arena.ranges.data;
    if (i == 0 || r[i - 1].base != addr || r[i - 1].kind != SW_MEM_DEVICE)
        return false;
    out->page = (addr - arena.view.base) >> SW_MEM_PAGE_SHIFT;
    out->count = r[i - 1].bytes < SW_MEM_PAGE / 2
                     ? 1
                     : (r[i - 1].bytes + SW_MEM_PAGE - 1) >> SW_MEM_PAGE_SHIFT;
    return !arena.held[out->page];
}

bool
sw_mem_shared(uint64_t addr, int *file, uint64_t *offset)
{
    page_run run;
    pthread_rwlock_rdlock(&arena.lock);
    const shared_run *shared =
        pages_of_locked(addr, &run) ? shared_at_locked(run.page) : NULL;
    if (shared) {
        *file = shared->file;
        *offset = addr - page_address(shared->page);
    }
    pthread_rwlock_unlock(&arena.lock);
    return shared != NULL;
}

/* What is not zero; the rest of the file takes no memory. */
static void
copy_touched(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
    enum { PIECE = 4096 };
    static const uint8_t zeros[PIECE];
    for (uint64_t i = 0; i < bytes; i += PIECE)
        if (memcmp(from + i, zeros, PIECE) != 0)
            memcpy(to + i, from + i, PIECE);
}

sw_status
sw_mem_share(uint64_t addr)
{
    page_run run;
    sw_status status = SW_E_INVAL;
    pthread_rwlock_wrlock(&arena.lock);
    if (pages_of_locked(addr, &run)) {
        status = shared_at_locked(run.page) ? SW_OK : SW_E_NOMEM;
        uint64_t bytes = run.count << SW_MEM_PAGE_SHIFT;
        void *at = (void *)(uintptr_t)page_address(run.page);
        void *fresh = MAP_FAILED;
        int file = status == SW_OK ? -1 : memfd_create("softwarp", MFD_CLOEXEC);
        if (file >= 0 && sw_file_resize(file, bytes))
            fresh =
                mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (fresh != MAP_FAILED) {
            copy_touched(fresh, at, bytes);
            if (mremap(fresh, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                       at) == at)
                status = SW_OK;
            else
                munmap(fresh, bytes);
        }
        if (file >= 0 && status == SW_OK)
            *(shared_run *)sw_vec_push(&arena.shared) =
                (shared_run){run.page, run.count, file};
        else if (file >= 0)
            close(file);
    }
    pthread_rwlock_unlock(&arena.lock);
    return status;
}

/* True if [addr, addr + bytes) touches a range; *at then is its index. */
static bool
overlaps_locked(uint64_t addr, uint64_t bytes, size_t *at)
{
    const sw_mem_range *r = arena.ranges.data;
    size_t i = range_after_locked(addr);
    if (i > 0 && addr - r[i - 1].base < r[i - 1].bytes) {
        *at = i - 1;
        return true;
    }
    if (i < arena.ranges.count && r[i].base - addr < bytes) {
        *at = i;
        return true;
    }
    return false;
}

sw_status
sw_mem_register(void *p, uint64_t bytes, int device, void *user)
{
    uint64_t addr = (uint64_t)(uintptr_t)p;
    size_t at;
    if (!p || bytes == 0 || addr + bytes < addr)
        return SW_E_INVAL;
    pthread_rwlock_wrlock(&arena.lock);
    sw_status status = reserve_locked();
    if (status == SW_OK && overlaps_locked(addr, bytes, &at))
        status = SW_E_HOST_MEMORY_ALREADY_REGISTERED;
    if (status == SW_OK)
        range_add_locked((sw_mem_range){.base = addr,
                                        .bytes = bytes,
                                        .kind = SW_MEM_REGISTERED,
                                        .device = device,
                                        .user = user});
    pthread_rwlock_unlock(&arena.lock);
    if (status == SW_OK)
        tell(false, addr);
    return status;
}

sw_status
sw_mem_unregister(void *p)
{
    uint64_t addr = (uint64_t)(uintptr_t)p;
    sw_status status = SW_E_HOST_MEMORY_NOT_REGISTERED;
    tell(true, addr);
    pthread_rwlock_wrlock(&arena.lock);
    size_t i = arena.is_ready ? range_after_locked(addr) : 0;
    const sw_mem_range *r = arena.ranges.data;
    if (i > 0 && r[i - 1].base == addr && r[i - 1].kind == SW_MEM_REGISTERED) {
        sw_vec_remove(&arena.ranges, i - 1);
        forget();
        status = SW_OK;
    }
    pthread_rwlock_unlock(&arena.lock);
    return status;
}

bool
sw_mem_find(uint64_t addr, sw_mem_range *out)
{
    size_t at = 0;
    pthread_rwlock_rdlock(&arena.lock);
    bool found = arena.is_ready && overlaps_locked(addr, 1, &at);
    if (found)
        *out = *(sw_mem_range *)sw_vec_at(&arena.ranges, at);
    pthread_rwlock_unlock(&arena.lock);
    return found;
}

static uint64_t
distance(const sw_mem_range *r, uint64_t addr)
{
    if (addr < r->base)
        return r->base - addr;
    return addr - r->base < r->bytes ? 0 : addr - r->base - r->bytes + 1;
}

bool
sw_mem_nearest(uint64_t addr, sw_mem_range *out)
{
    const sw_mem_range *best = NULL;
    pthread_rwlock_rdlock(&arena.lock);
    const sw_mem_range *r = arena.ranges.data;
    size_t at = arena.is_ready ? range_after_locked(addr) : 0;
    for (size_t i = at; i-- > 0 && !best;) /* below */
        if (r[i].kind != SW_MEM_INTERNAL)
            best = &r[i];
    for (size_t i = at; i < arena.ranges.count; i++) { /* above */
        if (r[i].kind == SW_MEM_INTERNAL)
            continue;
        if (!best || distance(&r[i], addr) < distance(best, addr))
            best = &r[i];
        break;
    }
    if (best)
        *out = *best;
    pthread_rwlock_unlock(&arena.lock);
    return best != NULL;
}

void
sw_mem_each(int device, void (*fn)(void *arg, const sw_mem_range *range),
            void *arg)
{
    sw_vec copy;
    sw_vec_init(&copy, sizeof(sw_mem_range));
    pthread_rwlock_rdlock(&arena.lock);
    for (size_t i = 0; i < arena.ranges.count; i++) {
        const sw_mem_range *r = sw_vec_at(&arena.ranges, i);
        if (device == -1 || r->device == device)
            *(sw_mem_range *)sw_vec_push(&copy) = *r;
    }
    pthread_rwlock_unlock(&arena.lock);
    for (size_t i = 0; i < copy.count; i++)
        fn(arg, sw_vec_at(&copy, i));
    sw_vec_finish(&copy);
}

bool
sw_mem_is_host_visible(void)
{
    bool visible = false;
    pthread_rwlock_rdlock(&arena.lock);
    for (size_t i = 0; i < arena.ranges.count && !visible; i++) {
        const sw_mem_range *r = sw_vec_at(&arena.ranges, i);
        visible = r->kind == SW_MEM_HOST || r->kind == SW_MEM_MANAGED ||
                  r->kind == SW_MEM_REGISTERED;
    }
    pthread_rwlock_unlock(&arena.lock);
    return visible;
}

uint64_t
sw_mem_used(int device, sw_mem_kind kind)
{
    uint64_t bytes = 0;
    pthread_rwlock_rdlock(&arena.lock);
    for (size_t i = 0; i < arena.ranges.count; i++) {
        const sw_mem_range *r = sw_vec_at(&arena.ranges, i);
        if (r->device == device && r->kind == kind)
            bytes += r->bytes;
    }
    pthread_rwlock_unlock(&arena.lock);
    return bytes;
}

bool
sw_mem_is_accessible(uint64_t addr, uint64_t bytes)
{
    size_t at = 0;
    bool ok = false;
    pthread_rwlock_rdlock(&arena.lock);
    if (arena.is_ready && bytes > 0 && addr + bytes > addr) {
        uint64_t a = addr - arena.view.base, b = a + bytes - 1;
        bool inside = b >= a && b < arena.view.bytes;
        if (inside && !arena.view.exact) {
            ok = true;
            for (uint64_t p = a >> SW_MEM_PAGE_SHIFT;
                 p <= b >> SW_MEM_PAGE_SHIFT; p++)
                ok = ok && arena.pages[p];
        } else if (overlaps_locked(addr, 1, &at)) {
            const sw_mem_range *r = sw_vec_at(&arena.ranges, at);
            ok = addr - r->base + bytes <= r->bytes;
        }
    }
    pthread_rwlock_unlock(&arena.lock);
    return ok;
}
