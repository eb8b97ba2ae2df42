/* SPDX-License-Identifier: Apache-2.0 */
/* base_memory_test.c - heap and arena of base/base.h. */
#include "base/base.h"
#include "check.h"

static bool
is_zero(const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        if (b[i])
            return false;
    return true;
}

CASE(alloc_is_zeroed)
{
    char *p = sw_alloc(1000);
    CHECK(is_zero(p, 1000));
    p = sw_realloc(p, 2000);
    CHECK(is_zero(p, 1000));
    sw_free(p);
    sw_free(NULL);
}

CASE(alloc_of_nothing_is_something)
{
    void *p = sw_alloc(0);
    CHECK(p != NULL);
    p = sw_realloc(p, 0);
    CHECK(p != NULL);
    sw_free(p);
}

CASE(strdup_copies)
{
    char text[] = "warp";
    char *copy = sw_strdup(text);
    text[0] = 'W';
    CHECK_STR(copy, "warp");
    sw_free(copy);
}

CASE(arena_is_aligned_and_zeroed)
{
    sw_arena *arena = sw_arena_create();
    bool aligned = true, zero = true;
    for (size_t n = 0; n < 300; n++) {
        unsigned char *p = sw_arena_alloc(arena, n);
        aligned &= (uintptr_t)p % 16 == 0;
        zero &= is_zero(p, n);
        memset(p, 0xee, n);
    }
    CHECK(aligned);
    CHECK(zero);
    sw_arena_destroy(arena);
    sw_arena_destroy(NULL);
}

/* Pieces of many sizes, large ones among them, do not overlap. */
CASE(arena_pieces_are_apart)
{
    enum { PIECES = 500 };
    sw_arena *arena = sw_arena_create();
    unsigned char *p[PIECES];
    size_t n[PIECES], total = 0;
    for (size_t i = 0; i < PIECES; i++) {
        n[i] = i % 50 == 49 ? 100000 + i : i * 7 % 900 + 1;
        p[i] = sw_arena_alloc(arena, n[i]);
        memset(p[i], (int)(i & 0xff), n[i]);
        total += n[i];
    }
    bool kept = true;
    for (size_t i = 0; i < PIECES; i++)
        kept &= p[i][0] == (i & 0xff) && p[i][n[i] - 1] == (i & 0xff);
    CHECK(kept);
    CHECK(sw_arena_bytes(arena) >= total);
    CHECK(sw_arena_bytes(arena) < 2 * total + 200000);
    sw_arena_destroy(arena);
}

/* A large piece must not waste the rest of the open chunk. */
CASE(arena_keeps_its_open_chunk)
{
    sw_arena *arena = sw_arena_create();
    char *a = sw_arena_alloc(arena, 16);
    sw_arena_alloc(arena, 1000000);
    char *b = sw_arena_alloc(arena, 16);
    CHECK_EQ(b - a, 16);
    sw_arena_destroy(arena);
}

CASE(arena_text)
{
    sw_arena *arena = sw_arena_create();
    CHECK_STR(sw_arena_str(arena, (sw_str){"abcdef", 3}), "abc");
    CHECK_STR(sw_arena_str(arena, (sw_str){NULL, 0}), "");
    CHECK_STR(sw_arena_printf(arena, "%s-%d", "x", 42), "x-42");
    char *wide = sw_arena_printf(arena, "%100000d", 1);
    CHECK_EQ(strlen(wide), 100000);
    sw_arena_destroy(arena);
}
