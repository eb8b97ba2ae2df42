/* SPDX-License-Identifier: Apache-2.0 */
/* base_map_test.c - hash maps of base/base.h. */
#include "base/base.h"
#include "check.h"

static sw_str
key_of(char *room, size_t bytes, unsigned i)
{
    snprintf(room, bytes, "key%u", i);
    return sw_str_of(room);
}

static void *
value_of(unsigned i)
{
    return (void *)(uintptr_t)(i + 1);
}

CASE(empty)
{
    sw_map *map = sw_map_create();
    size_t it = 0;
    CHECK_EQ(sw_map_count(map), 0);
    CHECK(sw_map_get(map, sw_str_of("a")) == NULL);
    CHECK(sw_map_remove(map, sw_str_of("a")) == NULL);
    CHECK(!sw_map_next(map, &it, NULL, NULL));
    sw_map_destroy(map);
    sw_map_destroy(NULL);
}

CASE(set_get_replace)
{
    sw_map *map = sw_map_create();
    int a, b;
    sw_map_set(map, sw_str_of("x"), &a);
    CHECK(sw_map_get(map, sw_str_of("x")) == &a);
    sw_map_set(map, sw_str_of("x"), &b);
    CHECK(sw_map_get(map, sw_str_of("x")) == &b);
    CHECK_EQ(sw_map_count(map), 1);
    sw_map_destroy(map);
}

CASE(keys_are_bytes_and_copied)
{
    sw_map *map = sw_map_create();
    int a, b, c;
    char key[2] = {'k', 0};
    sw_map_set(map, (sw_str){key, 2}, &a); /* a NUL inside */
    sw_map_set(map, (sw_str){key, 1}, &b);
    sw_map_set(map, (sw_str){NULL, 0}, &c); /* no bytes at all */
    key[0] = 'z';
    CHECK(sw_map_get(map, (sw_str){"k\0", 2}) == &a);
    CHECK(sw_map_get(map, sw_str_of("k")) == &b);
    CHECK(sw_map_get(map, sw_str_of("")) == &c);
    CHECK(sw_map_get(map, sw_str_of("z")) == NULL);
    CHECK_EQ(sw_map_count(map), 3);
    sw_map_destroy(map);
}

CASE(a_null_value_counts)
{
    sw_map *map = sw_map_create();
    sw_map_set(map, sw_str_of("x"), NULL);
    CHECK_EQ(sw_map_count(map), 1);
    CHECK(sw_map_get(map, sw_str_of("x")) == NULL);
    sw_map_destroy(map);
}

CASE(thousands_survive_growth_and_removal)
{
    sw_map *map = sw_map_create();
    char room[32];
    bool right = true;
    for (unsigned i = 0; i < 5000; i++)
        sw_map_set(map, key_of(room, sizeof room, i), value_of(i));
    CHECK_EQ(sw_map_count(map), 5000);
    for (unsigned i = 0; i < 5000; i += 2)
        right &=
            sw_map_remove(map, key_of(room, sizeof room, i)) == value_of(i);
    CHECK(right);
    CHECK_EQ(sw_map_count(map), 2500);
    for (unsigned i = 0; i < 5000; i++)
        right &= sw_map_get(map, key_of(room, sizeof room, i)) ==
                 (i % 2 ? value_of(i) : NULL);
    CHECK(right);
    sw_map_destroy(map);
}

/* Removal leaves holes; setting and removing for ever must not fill up. */
CASE(one_key_in_and_out)
{
    sw_map *map = sw_map_create();
    bool right = true;
    char room[32];
    sw_map_set(map, sw_str_of("stays"), value_of(7));
    for (unsigned i = 0; i < 10000; i++) {
        sw_map_set(map, key_of(room, sizeof room, i), value_of(i));
        right &=
            sw_map_remove(map, key_of(room, sizeof room, i)) == value_of(i);
    }
    CHECK(right);
    CHECK_EQ(sw_map_count(map), 1);
    CHECK(sw_map_get(map, sw_str_of("stays")) == value_of(7));
    sw_map_destroy(map);
}

/* Growth after removals drops the holes and moves what is left. */
CASE(holes_are_dropped_in_order)
{
    sw_map *map = sw_map_create();
    char room[32];
    bool right = true;
    for (unsigned i = 0; i < 600; i++) {
        sw_map_set(map, key_of(room, sizeof room, i), value_of(i));
        if (i % 3)
            sw_map_remove(map, key_of(room, sizeof room, i));
    }
    for (unsigned i = 0; i < 600; i++)
        right &= sw_map_get(map, key_of(room, sizeof room, i)) ==
                 (i % 3 ? NULL : value_of(i));
    CHECK(right);
    size_t it = 0;
    void *value;
    for (unsigned i = 0; i < 600; i += 3)
        right &= sw_map_next(map, &it, NULL, &value) && value == value_of(i);
    CHECK(right);
    CHECK(!sw_map_next(map, &it, NULL, &value));
    sw_map_destroy(map);
}

CASE(iterates_in_insertion_order)
{
    sw_map *map = sw_map_create();
    char room[32];
    for (unsigned i = 0; i < 100; i++)
        sw_map_set(map, key_of(room, sizeof room, i), value_of(i));
    sw_map_remove(map, sw_str_of("key0"));
    sw_map_remove(map, sw_str_of("key50"));
    sw_map_remove(map, sw_str_of("key99"));
    sw_map_set(map, sw_str_of("key3"), value_of(3));   /* keeps its place */
    sw_map_set(map, sw_str_of("key50"), value_of(50)); /* comes last */
    unsigned seen = 0, last = 0;
    bool right = true;
    size_t it = 0;
    sw_str key;
    void *value;
    while (sw_map_next(map, &it, &key, &value)) {
        unsigned i = (unsigned)(uintptr_t)value - 1;
        right &= sw_str_eq(key, key_of(room, sizeof room, i));
        right &= seen == 97 ? i == 50 : i > last;
        last = i;
        seen++;
    }
    CHECK(right);
    CHECK_EQ(seen, 98);
    sw_map_destroy(map);
}

CASE(hash_depends_on_bytes_and_seed)
{
    CHECK_EQ(sw_hash_bytes("abc", 3, 0), sw_hash_bytes("abc", 3, 0));
    CHECK(sw_hash_bytes("abc", 3, 0) != sw_hash_bytes("abd", 3, 0));
    CHECK(sw_hash_bytes("abc", 3, 0) != sw_hash_bytes("abc", 3, 1));
    CHECK(sw_hash_bytes("abc", 3, 0) != sw_hash_bytes("abc", 2, 0));
}
