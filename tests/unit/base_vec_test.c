/* SPDX-License-Identifier: Apache-2.0 */
/* base_vec_test.c - growing arrays of base/base.h. */
#include "base/base.h"
#include "check.h"

static void
push_u32(sw_vec *vec, uint32_t value)
{
    uint32_t *p = sw_vec_push(vec);
    *p = value;
}

static uint32_t
u32_at(const sw_vec *vec, size_t i)
{
    const uint32_t *p = sw_vec_at(vec, i);
    return *p;
}

CASE(starts_empty)
{
    sw_vec vec;
    sw_vec_init(&vec, 4);
    CHECK_EQ(vec.count, 0);
    CHECK_EQ(vec.elem_bytes, 4);
    sw_vec_finish(&vec);
}

CASE(keeps_elements_while_it_grows)
{
    sw_vec vec;
    sw_vec_init(&vec, sizeof(uint32_t));
    for (uint32_t i = 0; i < 1000; i++)
        push_u32(&vec, i * 3);
    CHECK_EQ(vec.count, 1000);
    bool same = true;
    for (uint32_t i = 0; i < 1000; i++)
        same &= u32_at(&vec, i) == i * 3;
    CHECK(same);
    sw_vec_finish(&vec);
}

CASE(push_zeroes_reused_room)
{
    sw_vec vec;
    sw_vec_init(&vec, sizeof(uint32_t));
    push_u32(&vec, 0xffffffff);
    sw_vec_clear(&vec);
    CHECK_EQ(vec.count, 0);
    CHECK(vec.capacity > 0);
    uint32_t *p = sw_vec_push(&vec);
    CHECK_EQ(*p, 0);
    sw_vec_finish(&vec);
}

CASE(remove_keeps_order)
{
    sw_vec vec;
    sw_vec_init(&vec, sizeof(uint32_t));
    for (uint32_t i = 0; i < 4; i++)
        push_u32(&vec, i);
    sw_vec_remove(&vec, 1);
    CHECK_EQ(vec.count, 3);
    CHECK_EQ(u32_at(&vec, 0), 0);
    CHECK_EQ(u32_at(&vec, 1), 2);
    CHECK_EQ(u32_at(&vec, 2), 3);
    sw_vec_remove(&vec, 2);
    sw_vec_remove(&vec, 0);
    CHECK_EQ(vec.count, 1);
    CHECK_EQ(u32_at(&vec, 0), 2);
    sw_vec_finish(&vec);
}

CASE(to_arena_copies_and_empties)
{
    sw_arena *arena = sw_arena_create();
    sw_vec vec;
    sw_vec_init(&vec, sizeof(uint32_t));
    CHECK(sw_vec_to_arena(&vec, arena) == NULL);
    push_u32(&vec, 7);
    push_u32(&vec, 8);
    const uint32_t *copy = sw_vec_to_arena(&vec, arena);
    CHECK_EQ(vec.count, 0);
    push_u32(&vec, 9);
    CHECK_EQ(copy[0], 7);
    CHECK_EQ(copy[1], 8);
    sw_vec_finish(&vec);
    sw_arena_destroy(arena);
}

CASE(finish_can_be_used_again)
{
    sw_vec vec;
    sw_vec_init(&vec, sizeof(uint32_t));
    push_u32(&vec, 1);
    sw_vec_finish(&vec);
    CHECK_EQ(vec.count, 0);
    CHECK_EQ(vec.capacity, 0);
    CHECK(vec.data == NULL);
    push_u32(&vec, 5);
    CHECK_EQ(u32_at(&vec, 0), 5);
    sw_vec_finish(&vec);
}
