/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_heap_test.c - what the compiler allocates: blocks of all sizes lie apart
 * and where they should, whichever thread frees them, and go back to the system
 * when many are free.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/base.h"
#include "check.h"
#include "jit/llvm/heap.h"

enum { BLOCKS = 4000, PAGE = 4096 };

typedef struct {
    unsigned char *p;
    size_t bytes;
    unsigned char fill;
} block;

static void
fill(block *b, size_t bytes, size_t align, unsigned char value)
{
    *b = (block){sw_jit_heap_alloc(bytes, align), bytes, value};
    if (!b->p)
        return;
    CHECK(sw_jit_heap_owns(b->p));
    CHECK(sw_jit_heap_size(b->p) >= bytes);
    CHECK_EQ((uintptr_t)b->p % (align > 16 ? align : 16), 0);
    memset(b->p, value, bytes);
}

static bool
is_filled(const block *b)
{
    bool ok = true;
    for (size_t i = 0; i < b->bytes; i++)
        ok = ok && b->p[i] == b->fill;
    return ok;
}

static size_t
bytes_of(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    uint32_t r = *seed >> 8;
    return r % 3 == 0 ? r % 40000 : r % 3 == 1 ? r % 600 : r % 80;
}

CASE(blocks_lie_apart)
{
    static block blocks[BLOCKS];
    uint32_t seed = 1;
    for (size_t i = 0; i < BLOCKS; i++)
        fill(&blocks[i], bytes_of(&seed), (size_t)1 << i % 13,
             (unsigned char)(i * 7));
    for (size_t turn = 0; turn < 3 * BLOCKS; turn++) {
        size_t i = (turn * 2654435761u >> 7) % BLOCKS;
        CHECK(is_filled(&blocks[i]));
        sw_jit_heap_free(blocks[i].p);
        fill(&blocks[i], bytes_of(&seed), 0, (unsigned char)turn);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        CHECK(is_filled(&blocks[i]));
        sw_jit_heap_free(blocks[i].p);
    }
}

CASE(sizes_hold_what_they_say)
{
    for (size_t bytes = 0; bytes < 70000; bytes += bytes < 2000 ? 1 : 97) {
        block b;
        fill(&b, bytes, 0, 1);
        CHECK(sw_jit_heap_size(b.p) <= 64 + bytes * 5 / 4 || bytes > 16384);
        sw_jit_heap_free(b.p);
    }
    for (size_t align = 32; align <= 65536; align *= 2) {
        block b, other;
        fill(&b, 100, align, 2);
        fill(&other, align + 1, align, 3);
        CHECK(is_filled(&b) && is_filled(&other));
        sw_jit_heap_free(b.p);
        sw_jit_heap_free(other.p);
    }
}

CASE(others_are_not_its_own)
{
    int here = 0;
    CHECK(!sw_jit_heap_owns(&here));
    CHECK(!sw_jit_heap_owns(NULL));
    CHECK(!sw_jit_heap_alloc((size_t)1 << 40, 0));
    CHECK(!sw_jit_heap_alloc(10, (size_t)1 << 20));
}

static void *
work(void *arg)
{
    block *blocks = arg;
    for (size_t i = 0; i < BLOCKS; i++) {
        if (blocks[i].p)
            sw_jit_heap_free(blocks[i].p);
        blocks[i] =
            (block){sw_jit_heap_alloc(i % 900, 0), i % 900, (unsigned char)i};
        memset(blocks[i].p, blocks[i].fill, blocks[i].bytes);
    }
    return NULL;
}

/* Threads free what others that have ended allocated. */
CASE(threads_free_each_others)
{
    enum { THREADS = 4, ROUNDS = 5 };
    static block blocks[THREADS][BLOCKS];
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        for (int t = 0; t < THREADS; t++)
            CHECK_EQ(pthread_create(&threads[t], NULL, work,
                                    blocks[(t + round) % THREADS]),
                     0);
        for (int t = 0; t < THREADS; t++)
            CHECK_EQ(pthread_join(threads[t], NULL), 0);
    }
    for (int t = 0; t < THREADS; t++)
        for (size_t i = 0; i < BLOCKS; i++) {
            CHECK(is_filled(&blocks[t][i]));
            sw_jit_heap_free(blocks[t][i].p);
        }
}

static bool
is_resident(const void *p)
{
    unsigned char state = 0;
    uintptr_t at = (uintptr_t)p / PAGE * PAGE;
    CHECK_EQ(mincore((void *)at, PAGE, &state), 0);
    return state & 1;
}

/* Blocks that are in use stay, whatever lies beside them; pages that are free
 * go. */
static void
check_trim(size_t bytes, size_t count)
{
    block *blocks = sw_alloc(count * sizeof *blocks);
    size_t resident = 0;
    for (size_t i = 0; i < count; i++)
        fill(&blocks[i], bytes, 0, (unsigned char)i);
    for (size_t i = 0; i < count; i++)
        if (i % (count / 8) != 0)
            sw_jit_heap_free(blocks[i].p);
    sw_jit_heap_trim();
    for (size_t i = 0; i < count; i++)
        if (i % (count / 8) == 0)
            CHECK(is_filled(&blocks[i]));
        else
            resident += is_resident(blocks[i].p);
    CHECK(resident < count / 4);
    for (size_t i = 0; i < count; i++) {
        if (i % (count / 8) != 0)
            fill(&blocks[i], bytes, 0, (unsigned char)i);
        CHECK(is_filled(&blocks[i]));
    }
    for (size_t i = 0; i < count; i++)
        sw_jit_heap_free(blocks[i].p);
    sw_free(blocks);
}

CASE(free_memory_goes_back)
{
    check_trim(200, 1000000);
    check_trim(2500, 80000);
    check_trim(100000, 1500);
}
