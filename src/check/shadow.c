/* SPDX-License-Identifier: Apache-2.0 */
/* shadow.c - cells, chunks and where they hang; see shadow.h. */
#include <pthread.h>
#include <string.h>

#include "check/shadow.h"

bool
sw_access_layout_of(uint64_t blocks, uint32_t threads, uint32_t ins,
                    sw_access_layout *out)
{
    uint64_t whole = (threads + 31) / 32 * 32;
    uint8_t bits[2] = {1, 1};
    while (bits[0] < 63 && (uint64_t)1 << bits[0] < blocks * whole)
        bits[0]++;
    while ((uint64_t)1 << bits[1] < ins)
        bits[1]++;
    *out = (sw_access_layout){bits[0], bits[1], whole};
    return bits[0] + bits[1] + SW_ACCESS_STRENGTH_BITS + 16 <= 64;
}

/* ---- chunks ---- */

static size_t
cell_count(bool is_by_byte)
{
    return is_by_byte ? SW_CHUNK_BYTES : SW_CHUNK_BYTES / 4;
}

sw_chunk *
sw_chunk_create(void)
{
    sw_chunk *c = sw_alloc(sizeof *c);
    c->cells = sw_alloc(cell_count(false) * sizeof *c->cells);
    return c;
}

void
sw_chunk_destroy(sw_chunk *chunk)
{
    while (chunk) {
        sw_chunk *next = chunk->next;
        sw_free(chunk->cells);
        sw_free(chunk);
        chunk = next;
    }
}

void
sw_chunk_by_byte(sw_chunk *chunk)
{
    if (chunk->is_by_byte)
        return;
    sw_cell *cells = sw_alloc(cell_count(true) * sizeof *cells);
    for (size_t i = 0; i < SW_CHUNK_BYTES; i++)
        cells[i] = chunk->cells[i / 4];
    sw_free(chunk->cells);
    chunk->cells = cells;
    chunk->is_by_byte = true;
}

void
sw_chunk_clear(sw_chunk *chunk)
{
    memset(chunk->cells, 0, cell_count(chunk->is_by_byte) * sizeof(sw_cell));
}

/* ---- by address ----
 *
 * Three levels: 2^13 of 2^14 of pages of 2 MiB with a slot a chunk. Tables are
 * made when they are first needed and stay. */

enum {
    PAGE_SHIFT = 21,
    LOW_SHIFT = 14, /* pages below one entry of the top */
    TOP_COUNT = 1 << (48 - PAGE_SHIFT - LOW_SHIFT),
    LOW_COUNT = 1 << LOW_SHIFT,
    SLOTS = 1 << (PAGE_SHIFT - SW_CHUNK_SHIFT),
    LOCKS = 1024 /* of all chunks, by their number */
};

typedef struct {
    sw_chunk *slots[SLOTS];
} page;

typedef struct {
    _Atomic(page *) pages[LOW_COUNT];
} low_table;

struct sw_shadow {
    pthread_mutex_t grow; /* of tables */
    pthread_mutex_t locks[LOCKS];
    _Atomic(low_table *) top[TOP_COUNT];
};

sw_shadow *
sw_shadow_create(void)
{
    sw_shadow *s = sw_alloc(sizeof *s);
    pthread_mutex_init(&s->grow, NULL);
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&s->locks[i], NULL);
    return s;
}

/* The page of an address; made where `makes`, else NULL if there is none. */
static page *
find_page(sw_shadow *s, uint64_t addr, bool makes)
{
    uint64_t number = (addr & (((uint64_t)1 << 48) - 1)) >> PAGE_SHIFT;
    _Atomic(low_table *) *top = &s->top[number >> LOW_SHIFT];
    low_table *low = *top;
    page *found = low ? low->pages[number & (LOW_COUNT - 1)] : NULL;
    if (found || !makes)
        return found;
    pthread_mutex_lock(&s->grow);
    if (!*top)
        *top = sw_alloc(sizeof(low_table));
    low = *top;
    _Atomic(page *) *at = &low->pages[number & (LOW_COUNT - 1)];
    if (!*at)
        *at = sw_alloc(sizeof(page));
    found = *at;
    pthread_mutex_unlock(&s->grow);
    return found;
}

static pthread_mutex_t *
lock_of(sw_shadow *s, uint64_t addr)
{
    return &s->locks[(addr >> SW_CHUNK_SHIFT) % LOCKS];
}

sw_chunk **
sw_shadow_lock(sw_shadow *s, uint64_t addr)
{
    page *p = find_page(s, addr, true);
    pthread_mutex_lock(lock_of(s, addr));
    return &p->slots[(addr >> SW_CHUNK_SHIFT) % SLOTS];
}

void
sw_shadow_unlock(sw_shadow *s, uint64_t addr)
{
    pthread_mutex_unlock(lock_of(s, addr));
}

/* Bytes [first, last) of a chunk; NULL if nothing is left of it. */
static void
forget_part(sw_chunk *chunk, uint64_t first, uint64_t last)
{
    for (; chunk; chunk = chunk->next) {
        if (first % 4 || last % 4)
            sw_chunk_by_byte(chunk);
        uint64_t unit = chunk->is_by_byte ? 1 : 4;
        memset(&chunk->cells[first / unit], 0,
               (last - first) / unit * sizeof(sw_cell));
    }
}

void
sw_shadow_forget(sw_shadow *s, uint64_t addr, uint64_t bytes)
{
    uint64_t end = addr + bytes;
    while (addr < end) {
        page *p = find_page(s, addr, false);
        uint64_t unit = p ? SW_CHUNK_BYTES : (uint64_t)1 << PAGE_SHIFT;
        uint64_t next = (addr / unit + 1) * unit;
        next = next < end ? next : end;
        if (p) {
            pthread_mutex_lock(lock_of(s, addr));
            sw_chunk **slot = &p->slots[(addr >> SW_CHUNK_SHIFT) % SLOTS];
            if (next - addr == SW_CHUNK_BYTES) {
                sw_chunk_destroy(*slot);
                *slot = NULL;
            } else {
                forget_part(*slot, addr % SW_CHUNK_BYTES,
                            addr % SW_CHUNK_BYTES + next - addr);
            }
            pthread_mutex_unlock(lock_of(s, addr));
        }
        addr = next;
    }
}
