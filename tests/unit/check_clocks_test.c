/* SPDX-License-Identifier: Apache-2.0 */
/* check_clocks_test.c - what orders two threads of a launch, and what does not:
 * src/check/clocks.h. */
#include "check.h"
#include "check/clocks.h"

CASE(threads_know_nothing_of_each_other_at_first)
{
    sw_clocks *c = sw_clocks_create(0, 64, false);
    sw_clock at = sw_clocks_now(c, 1);
    CHECK_EQ(sw_clocks_knows(c, 0, 0, sw_clocks_now(c, 0)), true);
    CHECK_EQ(sw_clocks_knows(c, 0, 1, at), false);
    CHECK_EQ(sw_clocks_knows(c, 40, 1, at), false);
    sw_clocks_destroy(c);
}

CASE(lanes_in_lockstep_know_each_other)
{
    sw_clocks *c = sw_clocks_create(0, 64, true);
    CHECK_EQ(sw_clocks_knows(c, 0, 1, sw_clocks_now(c, 1)), true);
    CHECK_EQ(sw_clocks_knows(c, 0, 32, sw_clocks_now(c, 32)), false);
    sw_clocks_destroy(c);
}

static void
full_barrier(sw_clocks *c, uint32_t warps)
{
    static uint32_t generation;
    for (uint32_t w = 0; w < warps; w++)
        sw_clocks_arrive(c, w, UINT32_MAX, 0, generation);
    for (uint32_t w = 0; w < warps; w++)
        sw_clocks_leave(c, w, UINT32_MAX, 0, generation, true);
    generation++;
}

CASE(a_barrier_orders_what_was_before_it)
{
    sw_clocks *c = sw_clocks_create(0, 96, false);
    sw_clock before = sw_clocks_now(c, 70);
    full_barrier(c, 3);
    CHECK_EQ(sw_clocks_knows(c, 3, 70, before), true);
    CHECK_EQ(sw_clocks_knows(c, 3, 70, sw_clocks_now(c, 70)), false);
    CHECK_EQ(sw_clocks_knows(c, 71, 70, before), true);
    sw_clocks_destroy(c);
}

CASE(a_warp_may_arrive_again_before_another_has_left)
{
    sw_clocks *c = sw_clocks_create(0, 64, false);
    sw_clock before = sw_clocks_now(c, 0);
    sw_clocks_arrive(c, 0, UINT32_MAX, 0, 0);
    sw_clocks_arrive(c, 1, UINT32_MAX, 0, 0);
    sw_clocks_leave(c, 0, UINT32_MAX, 0, 0, true);
    sw_clock between = sw_clocks_now(c, 0);
    sw_clocks_arrive(c, 0, UINT32_MAX, 0, 1);
    sw_clocks_leave(c, 1, UINT32_MAX, 0, 0, true);
    CHECK_EQ(sw_clocks_knows(c, 40, 0, before), true);
    CHECK_EQ(sw_clocks_knows(c, 40, 0, between), false);
    sw_clocks_destroy(c);
}

CASE(a_barrier_of_two_warps_says_nothing_to_the_third)
{
    sw_clocks *c = sw_clocks_create(0, 96, false);
    sw_clock before = sw_clocks_now(c, 32);
    sw_clocks_arrive(c, 0, UINT32_MAX, 1, 0);
    sw_clocks_arrive(c, 1, UINT32_MAX, 1, 0);
    sw_clocks_leave(c, 0, UINT32_MAX, 1, 0, false);
    sw_clocks_leave(c, 1, UINT32_MAX, 1, 0, false);
    CHECK_EQ(sw_clocks_knows(c, 0, 32, before), true);
    CHECK_EQ(sw_clocks_knows(c, 64, 32, before), false);
    sw_clocks_destroy(c);
}

CASE(a_warp_synchronises_the_lanes_that_take_part)
{
    sw_clocks *c = sw_clocks_create(0, 32, false);
    sw_clock before = sw_clocks_now(c, 1);
    sw_clocks_sync_warp(c, 0, 0x3);
    CHECK_EQ(sw_clocks_knows(c, 0, 1, before), true);
    CHECK_EQ(sw_clocks_knows(c, 2, 1, before), false);
    before = sw_clocks_now(c, 1);
    sw_clocks_sync_warp(c, 0, UINT32_MAX);
    CHECK_EQ(sw_clocks_knows(c, 2, 1, before), true);
    CHECK_EQ(sw_clocks_knows(c, 2, 1, sw_clocks_now(c, 1)), false);
    sw_clocks_destroy(c);
}

CASE(a_block_publishes_what_it_did_before_a_barrier_and_a_fence)
{
    sw_clocks *a = sw_clocks_create(0, 64, false);
    sw_clocks *b = sw_clocks_create(1, 64, false);
    sw_clock wrote = sw_clocks_now(a, 40);
    full_barrier(a, 2);
    sw_clocks_fence(a, 0, 1, true);
    sw_view *v = sw_clocks_publish(a, 0, 0, false, true);
    sw_clocks_learn(b, 0, 0, v, false);
    /* Not before a fence or a barrier of its own. */
    CHECK_EQ(sw_clocks_knows_foreign(b, 0, 0, 40, wrote), false);
    full_barrier(b, 2);
    CHECK_EQ(sw_clocks_knows_foreign(b, 0, 0, 40, wrote), true);
    CHECK_EQ(sw_clocks_knows_foreign(b, 50, 0, 40, wrote), true);
    CHECK_EQ(sw_clocks_knows_foreign(b, 50, 0, 40, sw_clocks_now(a, 40)),
             false);
    sw_view_unref(v);
    sw_clocks_destroy(a);
    sw_clocks_destroy(b);
}

CASE(without_a_fence_nothing_is_published)
{
    sw_clocks *a = sw_clocks_create(0, 32, false);
    sw_view *v = sw_clocks_publish(a, 0, 0, false, true);
    CHECK_EQ(v == NULL, true);
    /* A fence that came before the write does not publish it. */
    sw_clocks_fence(a, 0, 1, true);
    sw_clock wrote = sw_clocks_now(a, 0);
    v = sw_clocks_publish(a, 0, 0, false, true);
    sw_clocks *b = sw_clocks_create(1, 32, false);
    sw_clocks_learn(b, 0, 0, v, true);
    CHECK_EQ(sw_clocks_knows_foreign(b, 0, 0, 0, wrote), false);
    CHECK_EQ(sw_clocks_knows_foreign(b, 0, 0, 0, wrote - 1), true);
    sw_view_unref(v);
    sw_clocks_destroy(a);
    sw_clocks_destroy(b);
}

CASE(a_fence_of_the_block_is_not_wide_enough_for_others)
{
    sw_clocks *a = sw_clocks_create(0, 32, false);
    sw_clocks *b = sw_clocks_create(1, 32, false);
    sw_clock wrote = sw_clocks_now(a, 0);
    sw_clocks_fence(a, 0, 1, false);
    sw_view *v = sw_clocks_publish(a, 0, 0, false, true);
    sw_clocks_learn(b, 0, 0, v, true);
    CHECK_EQ(sw_clocks_knows_foreign(b, 0, 0, 0, wrote), false);
    sw_view_unref(v);
    sw_clocks_destroy(a);
    sw_clocks_destroy(b);
}

CASE(a_release_needs_no_fence)
{
    sw_clocks *a = sw_clocks_create(0, 32, false);
    sw_clocks *b = sw_clocks_create(7, 32, false);
    sw_clock wrote = sw_clocks_now(a, 3);
    sw_view *v = sw_clocks_publish(a, 0, 3, true, true);
    sw_clocks_learn(b, 0, 9, v, true);
    CHECK_EQ(sw_clocks_knows_foreign(b, 9, 0, 3, wrote), true);
    CHECK_EQ(sw_clocks_knows_foreign(b, 10, 0, 3, wrote), false);
    CHECK_EQ(sw_clocks_knows_foreign(b, 9, 0, 4, wrote), false);
    sw_view_unref(v);
    sw_clocks_destroy(a);
    sw_clocks_destroy(b);
}

/* ---- asynchronous copies ---- */

CASE(who_waits_for_an_agent_knows_what_it_did)
{
    sw_clocks *c = sw_clocks_create(0, 40, false);
    uint32_t agent = sw_clock_first_agent(40) + 3;
    CHECK_EQ(agent, 67);
    CHECK(!sw_clocks_knows(c, 0, agent, 2));
    sw_view *view = sw_clocks_of_agent(c, 3, 2);
    sw_clocks_learn(c, 0, 0, view, true);
    CHECK(sw_clocks_knows(c, 0, agent, 2));
    CHECK(!sw_clocks_knows(c, 0, agent, 3));
    CHECK(!sw_clocks_knows(c, 33, agent, 2));
    /* The others learn it at a barrier. */
    sw_clocks_arrive(c, 0, UINT32_MAX, 0, 0);
    sw_clocks_arrive(c, 1, 0xff, 0, 0);
    sw_clocks_leave(c, 0, UINT32_MAX, 0, 0, true);
    sw_clocks_leave(c, 1, 0xff, 0, 0, true);
    CHECK(sw_clocks_knows(c, 33, agent, 2));
    sw_view_unref(view);
    sw_clocks_destroy(c);
}

CASE(a_proxy_fence_counts_for_those_who_know_of_it)
{
    sw_clocks *c = sw_clocks_create(0, 64, false);
    sw_clock wrote = sw_clocks_now(c, 5);
    CHECK(!sw_clocks_has_proxy_fence(c, 5, 5, wrote));
    sw_clocks_fence_proxy(c, 0, UINT32_MAX);
    sw_clocks_fence(c, 0, UINT32_MAX, true);
    sw_clock again = sw_clocks_now(c, 5);
    CHECK(sw_clocks_has_proxy_fence(c, 5, 5, wrote));
    CHECK(!sw_clocks_has_proxy_fence(c, 5, 5, again));
    CHECK(!sw_clocks_has_proxy_fence(c, 40, 5, wrote));
    for (uint32_t w = 0; w < 2; w++)
        sw_clocks_arrive(c, w, UINT32_MAX, 0, 0);
    for (uint32_t w = 0; w < 2; w++)
        sw_clocks_leave(c, w, UINT32_MAX, 0, 0, true);
    CHECK(sw_clocks_has_proxy_fence(c, 40, 5, wrote));
    CHECK(!sw_clocks_has_proxy_fence(c, 40, 5, again));
    /* One behind the barrier does as well. */
    sw_clocks_fence_proxy(c, 1, 1);
    sw_clocks_fence(c, 1, 1, true);
    CHECK(sw_clocks_has_proxy_fence(c, 32, 5, again));
    sw_clocks_destroy(c);
}
