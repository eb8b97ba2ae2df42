/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap.c - see llvm/heap.h. The address space is cut into spans. A small block
 * lies in a span of blocks of its size, and when free in a list of the thread
 * that freed it; a large one is a run of spans, when free in a list of all
 * threads.
 */
#include "jit/llvm/heap.h"
#include "jit/tune.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SPAN_BITS = 16,
    SPAN_BYTES = 1 << SPAN_BITS,
    SPANS = 1 << 19,       /* all there are: 32 GiB */
    CHUNK = 32,            /* spans that the kernel gives at once: 2 MiB */
    SMALL_MAX = 16384,     /* bytes */
    FINE = 32,             /* sizes by 16 bytes up to so many times 16 */
    SIZES = FINE + 1 + 20, /* then four for each power of two */
    RUN_BITS = 9           /* runs are of powers of two of spans, below this */
};

typedef struct block {
    struct block *next;
} block;

/* What a thread has. A size is its number, from 1 on. */
typedef struct heap {
    struct heap *next; /* of the idle ones */
    block *free[SIZES];
    char *fresh[SIZES], *end[SIZES]; /* of the span that is being cut */
} heap;

/* Of a span: the size of its blocks; RUN + bits for the first one of a run. */
enum { RUN = 128 };

/* Spans in lists are by number, from 1 on. */
static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    pthread_key_t key;
    char *base; /* NULL: there is none */
    uint32_t taken, committed;
    uint32_t since_trim; /* spans that were taken */
    uint32_t free_span, free_run[RUN_BITS];
    heap *idle; /* of threads that have ended */
    uint8_t kinds[SPANS];
    uint32_t next[SPANS];
} all = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local heap *mine;

static void
leave(void *arg)
{
    heap *h = arg;
    pthread_mutex_lock(&all.lock);
    h->next = all.idle;
    all.idle = h;
    pthread_mutex_unlock(&all.lock);
    mine = NULL;
}

static void
reserve(void)
{
    size_t bytes = (size_t)SPANS * SPAN_BYTES;
    size_t align = (size_t)CHUNK * SPAN_BYTES;
    char *p = mmap(NULL, bytes + align, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED && pthread_key_create(&all.key, leave) == 0)
        all.base = p + (-(uintptr_t)p & (align - 1));
}

static size_t
span_of(const void *p)
{
    return (size_t)((const char *)p - all.base) >> SPAN_BITS;
}

static char *
address_of(size_t span)
{
    return all.base + (span << SPAN_BITS);
}

/* Spans that nobody had. Large pages take a third of the kernel's time. */
static char *
take_new_locked(uint32_t count)
{
    if (count > SPANS - all.taken)
        return NULL;
    while (all.committed < all.taken + count) {
        size_t bytes = (size_t)CHUNK * SPAN_BYTES;
        if (mprotect(address_of(all.committed), bytes,
                     PROT_READ | PROT_WRITE) != 0)
            return NULL;
        madvise(address_of(all.committed), bytes, MADV_HUGEPAGE);
        all.committed += CHUNK;
    }
    all.taken += count;
    return address_of(all.taken - count);
}

static char *
take_spans(uint32_t *list, uint32_t count, unsigned kind)
{
    char *p = NULL;
    pthread_mutex_lock(&all.lock);
    if (*list) {
        p = address_of(*list - 1);
        *list = all.next[*list - 1];
    } else {
        p = take_new_locked(count);
    }
    if (p) {
        all.kinds[span_of(p)] = (uint8_t)kind;
        all.since_trim += count;
    }
    pthread_mutex_unlock(&all.lock);
    return p;
}

static void
give_span_locked(uint32_t *list, size_t first)
{
    all.next[first] = *list;
    *list = (uint32_t)first + 1;
}

/* ---- sizes ---- */

static unsigned
size_of(size_t bytes)
{
    if (bytes <= 16 * FINE)
        return bytes ? (unsigned)((bytes + 15) / 16) : 1;
    unsigned bits = 63 - (unsigned)__builtin_clzll(bytes - 1);
    return FINE + 1 + (bits - 9) * 4 +
           (unsigned)((bytes - 1) >> (bits - 2) & 3);
}

static size_t
bytes_of(unsigned size)
{
    if (size <= FINE)
        return (size_t)size * 16;
    unsigned step = size - FINE - 1;
    return (size_t)(5 + step % 4) << (7 + step / 4);
}

/* ---- small blocks ---- */

static void *
cut(heap *h, unsigned size)
{
    size_t bytes = bytes_of(size);
    if (h->fresh[size] == h->end[size]) {
        char *span = take_spans(&all.free_span, 1, size);
        if (!span)
            return NULL;
        h->fresh[size] = span;
        h->end[size] = span + SPAN_BYTES / bytes * bytes;
    }
    char *p = h->fresh[size];
    h->fresh[size] += bytes;
    return p;
}

static heap *
begin(void)
{
    pthread_once(&all.once, reserve);
    if (!all.base)
        return NULL;
    pthread_mutex_lock(&all.lock);
    heap *h = all.idle;
    if (h)
        all.idle = h->next;
    pthread_mutex_unlock(&all.lock);
    if (!h) {
        heap first = {.next = NULL};
        h = cut(&first, size_of(sizeof first));
        if (!h)
            return NULL;
        *h = first;
    }
    mine = h;
    pthread_setspecific(all.key, h);
    return h;
}

static void *
take_run(size_t bytes)
{
    size_t spans = (bytes + SPAN_BYTES - 1) >> SPAN_BITS;
    unsigned bits = spans > 1 ? 64 - (unsigned)__builtin_clzll(spans - 1) : 0;
    return bits < RUN_BITS
               ? take_spans(&all.free_run[bits], 1u << bits, RUN + bits)
               : NULL;
}

void *
sw_jit_heap_alloc(size_t bytes, size_t align)
{
    if (align > 16) {
        if (align > SPAN_BYTES)
            return NULL;
        bytes = bytes < align ? align : bytes;
        if (bytes <= SMALL_MAX) /* a power of two, which lies as it asks */
            bytes = (size_t)1 << (64 - __builtin_clzll(bytes - 1));
    }
    heap *h = mine ? mine : begin();
    if (!h)
        return NULL;
    if (bytes > SMALL_MAX)
        return take_run(bytes);
    unsigned size = size_of(bytes);
    block *b = h->free[size];
    if (!b)
        return cut(h, size);
    h->free[size] = b->next;
    return b;
}

bool
sw_jit_heap_owns(const void *p)
{
    return all.base && span_of(p) < SPANS;
}

size_t
sw_jit_heap_size(const void *p)
{
    unsigned kind = all.kinds[span_of(p)];
    return kind >= RUN ? (size_t)SPAN_BYTES << (kind - RUN) : bytes_of(kind);
}

void
sw_jit_heap_free(void *p)
{
    size_t span = span_of(p);
    unsigned kind = all.kinds[span];
    if (kind >= RUN) {
        pthread_mutex_lock(&all.lock);
        give_span_locked(&all.free_run[kind - RUN], span);
        pthread_mutex_unlock(&all.lock);
        return;
    }
    heap *h = mine ? mine : begin();
    block *b = p;
    if (h) {
        b->next = h->free[kind];
        h->free[kind] = b;
    }
}

/* ---- giving back ---- */

/* How many of each span's blocks are free, as far as a heap knows. */
static void
count_free(const heap *h, uint16_t *counts)
{
    for (unsigned size = 1; size < SIZES; size++)
        for (const block *b = h->free[size]; b; b = b->next)
            counts[span_of(b)]++;
}

static bool
is_empty(size_t span, const uint16_t *counts)
{
    unsigned kind = all.kinds[span];
    return kind && kind < RUN && counts[span] == SPAN_BYTES / bytes_of(kind);
}

/* Spans that are empty are nobody's any more. */
static void
forget_empty(heap *h, const uint16_t *counts)
{
    for (unsigned size = 1; size < SIZES; size++) {
        block **at = &h->free[size];
        while (*at)
            if (is_empty(span_of(*at), counts))
                *at = (*at)->next;
            else
                at = &(*at)->next;
        if (h->fresh[size] == h->end[size])
            h->fresh[size] = h->end[size] = NULL;
    }
}

static void
trim_locked(uint16_t *counts)
{
    count_free(mine, counts);
    for (const heap *h = all.idle; h; h = h->next)
        count_free(h, counts);
    forget_empty(mine, counts);
    for (heap *h = all.idle; h; h = h->next)
        forget_empty(h, counts);
    for (size_t s = 0; s < all.taken; s++)
        if (is_empty(s, counts)) {
            all.kinds[s] = 0;
            give_span_locked(&all.free_span, s);
            madvise(address_of(s), SPAN_BYTES, MADV_DONTNEED);
        }
    for (unsigned bits = 0; bits < RUN_BITS; bits++)
        for (uint32_t s = all.free_run[bits]; s; s = all.next[s - 1])
            madvise(address_of(s - 1), (size_t)SPAN_BYTES << bits,
                    MADV_DONTNEED);
}

void
sw_jit_heap_trim(void)
{
    if (!mine)
        return;
    pthread_mutex_lock(&all.lock);
    size_t bytes = all.taken * sizeof(uint16_t);
    uint16_t *counts = MAP_FAILED;
    if (all.since_trim > sw_jit_tune.heap_trim)
        counts = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (counts != MAP_FAILED) {
        trim_locked(counts);
        all.since_trim = 0;
        munmap(counts, bytes);
    }
    pthread_mutex_unlock(&all.lock);
}
