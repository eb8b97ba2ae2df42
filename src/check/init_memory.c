/* SPDX-License-Identifier: Apache-2.0 */
/* init_memory.c - see init_memory.h. */
#include "check/init_memory.h"

#include <pthread.h>
#include <string.h>

enum {
    PAGE_SHIFT = 12,
    PAGE = 1 << PAGE_SHIFT,
    TABLE_SHIFT = 30,
    TABLES = 1 << (48 - TABLE_SHIFT),
    PAGES = 1 << (TABLE_SHIFT - PAGE_SHIFT), /* of a table */
    LOCKS = 64
};

typedef struct {
    uint8_t undefined[PAGE];
    sw_init_origin origin[PAGE / 4];
} page;

/* Stands for a page of which nothing has been written. */
static page raw;

/* A page is NULL where all of it is defined. */
struct sw_init_memory {
    pthread_mutex_t lock;         /* of tables */
    pthread_mutex_t locks[LOCKS]; /* of pages, by number */
    page **tables[TABLES];
};

sw_init_memory *
sw_init_memory_create(void)
{
    sw_init_memory *m = sw_alloc(sizeof *m);
    pthread_mutex_init(&m->lock, NULL);
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&m->locks[i], NULL);
    memset(raw.undefined, 0xff, sizeof raw.undefined);
    return m;
}

static void
free_page(page *p)
{
    if (p != &raw)
        sw_free(p);
}

/* Where the page of an address hangs; NULL: no table, and none was asked for.
 */
static page **
slot_of(sw_init_memory *m, uint64_t addr, bool makes)
{
    uint64_t t = addr >> TABLE_SHIFT;
    if (t >= TABLES)
        return NULL;
    page **table = __atomic_load_n(&m->tables[t], __ATOMIC_ACQUIRE);
    if (!table && makes) {
        pthread_mutex_lock(&m->lock);
        table = m->tables[t];
        if (!table) {
            table = sw_alloc(PAGES * sizeof *table);
            __atomic_store_n(&m->tables[t], table, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&m->lock);
    }
    return table ? &table[addr >> PAGE_SHIFT & (PAGES - 1)] : NULL;
}

static pthread_mutex_t *
lock_of(sw_init_memory *m, uint64_t addr)
{
    return &m->locks[(addr >> PAGE_SHIFT) % LOCKS];
}

/* The page with cells of its own; under its lock. */
static page *
own_page(page **slot)
{
    if (*slot && *slot != &raw)
        return *slot;
    page *p = sw_alloc(sizeof *p);
    if (*slot == &raw)
        memset(p->undefined, 0xff, sizeof p->undefined);
    __atomic_store_n(slot, p, __ATOMIC_RELEASE);
    return p;
}

static void
set_part(page **slot, uint64_t at, uint64_t bytes, bool is_defined)
{
    if (bytes == PAGE) {
        free_page(*slot);
        __atomic_store_n(slot, is_defined ? NULL : &raw, __ATOMIC_RELEASE);
        return;
    }
    if (*slot == (is_defined ? NULL : &raw))
        return;
    page *p = own_page(slot);
    memset(p->undefined + at, is_defined ? 0 : 0xff, bytes);
    for (uint64_t i = at / 4; i <= (at + bytes - 1) / 4 && !is_defined; i++)
        p->origin[i] = 0;
}

void
sw_init_memory_set(sw_init_memory *m, uint64_t addr, uint64_t bytes,
                   bool is_defined)
{
    uint64_t end = addr + bytes;
    while (addr < end) {
        uint64_t at = addr % PAGE, n = PAGE - at;
        n = n < end - addr ? n : end - addr;
        page **slot = slot_of(m, addr, !is_defined);
        if (slot) {
            pthread_mutex_lock(lock_of(m, addr));
            set_part(slot, at, n, is_defined);
            pthread_mutex_unlock(lock_of(m, addr));
        }
        addr += n;
    }
}

/* ---- a few bytes ---- */

static void
look(const uint8_t *undefined, const sw_init_origin *origin, uint64_t at,
     uint32_t bytes, sw_init_bytes *out)
{
    for (uint32_t i = 0; i < bytes; i++) {
        uint8_t u = undefined[at + i];
        out->undefined[i] = u;
        if (u && !out->is_any)
            out->origin = origin[(at + i) / 4];
        out->is_any |= u != 0;
        out->is_all &= u != 0;
    }
}

static void
put(uint8_t *undefined, sw_init_origin *origin, uint64_t at, uint32_t bytes,
    const sw_init_bytes *what)
{
    for (uint32_t i = 0; i < bytes; i++) {
        undefined[at + i] = what ? what->undefined[i] : 0;
        if (undefined[at + i])
            origin[(at + i) / 4] = what->origin;
    }
}

bool
sw_init_memory_load(sw_init_memory *m, uint64_t addr, uint32_t bytes,
                    sw_init_bytes *out)
{
    bool is_started = false;
    for (uint64_t end = addr + bytes; addr < end;) {
        uint64_t n = PAGE - addr % PAGE;
        n = n < end - addr ? n : end - addr;
        page **slot = slot_of(m, addr, false);
        if (!is_started &&
            (!slot || !__atomic_load_n(slot, __ATOMIC_ACQUIRE)) &&
            n == end - addr)
            return false;
        if (!is_started)
            *out = (sw_init_bytes){.is_all = true};
        is_started = true;
        if (slot) {
            sw_init_bytes part = {.is_all = true};
            pthread_mutex_lock(lock_of(m, addr));
            if (*slot)
                look((*slot)->undefined, (*slot)->origin, addr % PAGE,
                     (uint32_t)n, &part);
            else
                part.is_all = false;
            pthread_mutex_unlock(lock_of(m, addr));
            memcpy(out->undefined + (bytes - (end - addr)), part.undefined, n);
            out->origin = out->is_any ? out->origin : part.origin;
            out->is_any |= part.is_any;
            out->is_all &= part.is_all;
        } else {
            out->is_all = false;
        }
        addr += n;
    }
    return is_started && out->is_any;
}

void
sw_init_memory_store(sw_init_memory *m, uint64_t addr, uint32_t bytes,
                     const sw_init_bytes *what)
{
    for (uint64_t end = addr + bytes; addr < end;) {
        uint64_t n = PAGE - addr % PAGE;
        n = n < end - addr ? n : end - addr;
        page **slot = slot_of(m, addr, what != NULL);
        if (slot && (what || __atomic_load_n(slot, __ATOMIC_ACQUIRE))) {
            sw_init_bytes part = {0};
            if (what) {
                memcpy(part.undefined, what->undefined + bytes - (end - addr),
                       n);
                part.origin = what->origin;
            }
            pthread_mutex_lock(lock_of(m, addr));
            if (what || *slot) {
                page *p = own_page(slot);
                put(p->undefined, p->origin, addr % PAGE, (uint32_t)n,
                    what ? &part : NULL);
            }
            pthread_mutex_unlock(lock_of(m, addr));
        }
        addr += n;
    }
}

void
sw_init_memory_copy(sw_init_memory *m, uint64_t to, uint64_t from,
                    uint64_t bytes)
{
    sw_init_bytes some;
    bool backwards = to > from && to - from < bytes;
    for (uint64_t done = 0; done < bytes;) {
        uint64_t left = bytes - done;
        uint32_t n = left < SW_INIT_BYTES ? (uint32_t)left : SW_INIT_BYTES;
        n -= n > 4 && n % 4 ? n % 4 : 0;
        uint64_t at = backwards ? left - n : done;
        bool has = sw_init_memory_load(m, from + at, n, &some);
        /* One origin a word: words apart where there is more than one. */
        for (uint32_t i = 0; has && i < n; i += 4) {
            sw_init_bytes word;
            uint32_t k = n - i < 4 ? n - i : 4;
            bool any = sw_init_memory_load(m, from + at + i, k, &word);
            sw_init_memory_store(m, to + at + i, k, any ? &word : NULL);
        }
        if (!has)
            sw_init_memory_store(m, to + at, n, NULL);
        done += n;
    }
}

bool
sw_init_memory_next(sw_init_memory *m, uint64_t *addr, uint64_t end,
                    sw_init_origin *origin, uint64_t *run)
{
    uint64_t at = *addr;
    *run = 0;
    while (at < end) {
        uint64_t stop = (at / PAGE + 1) * PAGE;
        stop = stop < end ? stop : end;
        page **slot = slot_of(m, at, false);
        pthread_mutex_lock(lock_of(m, at));
        const page *p = slot ? *slot : NULL;
        for (; p && at < stop; at++) {
            bool is = p->undefined[at % PAGE] != 0;
            sw_init_origin of = p->origin[at % PAGE / 4];
            if (*run && (!is || of != *origin))
                break;
            if (is && !*run) {
                *addr = at;
                *origin = of;
            }
            *run += is;
        }
        pthread_mutex_unlock(lock_of(m, at < stop ? at : stop - 1));
        if (*run && (at < stop || !p))
            return true;
        at = stop;
    }
    return *run != 0;
}

/* ---- areas ---- */

void
sw_init_area_init(sw_init_area *a, uint64_t bytes)
{
    a->bytes = bytes;
    a->undefined = sw_alloc(bytes + 1);
    a->origin = sw_alloc((bytes / 4 + 1) * sizeof *a->origin);
    memset(a->undefined, 0xff, bytes);
}

void
sw_init_area_finish(sw_init_area *a)
{
    sw_free(a->undefined);
    sw_free(a->origin);
    *a = (sw_init_area){0};
}

bool
sw_init_area_load(const sw_init_area *a, uint64_t addr, uint32_t bytes,
                  sw_init_bytes *out)
{
    if (addr >= a->bytes || bytes > a->bytes - addr)
        return false;
    *out = (sw_init_bytes){.is_all = true};
    look(a->undefined, a->origin, addr, bytes, out);
    return out->is_any;
}

void
sw_init_area_store(sw_init_area *a, uint64_t addr, uint32_t bytes,
                   const sw_init_bytes *what)
{
    if (addr < a->bytes && bytes <= a->bytes - addr)
        put(a->undefined, a->origin, addr, bytes, what);
}
