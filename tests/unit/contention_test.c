/* SPDX-License-Identifier: Apache-2.0 */
/* contention_test.c - how many workers grids with atomic operations get. */
#include "exec/contention.h"

#include "check.h"

enum { CHUNK = 4, MICROSECOND = 1000, MILLISECOND = 1000000 };

/* A grid of a machine on which n workers together do rate[n] units a
 * microsecond, for so long from *now on; the limit at its end. */
static unsigned
run(sw_contention_memory *memory, unsigned threads, const double *rate,
    uint64_t ns, uint64_t *now)
{
    sw_contention c;
    uint64_t end = *now + ns;
    sw_contention_init(&c, memory, threads, CHUNK, *now);
    while (*now < end) {
        unsigned users = 0;
        while (users < threads && !sw_contention_is_full(&c, users))
            users++;
        *now += (uint64_t)((double)(CHUNK * MICROSECOND) / rate[users]);
        sw_contention_look(&c, users, CHUNK, *now);
    }
    return atomic_load(&c.limit);
}

static const double alone[] = {0, 8, 4, 3, 2, 1, 1, 1, 1},
                    together[] = {0, 1, 2, 3, 4, 5, 6, 7, 8},
                    four[] = {0, 1, 2, 3, 4, 3, 3, 2, 2},
                    one_or_all[] = {0, 9, 1, 1, 1, 2, 2, 2, 2},
                    no_matter[] = {0, 4, 4, 4, 4, 4, 4, 4, 4};

CASE(as_many_as_are_fastest)
{
    uint64_t now = 5;
    sw_contention_memory m[5] = {{0}};
    CHECK_EQ(run(&m[0], 8, alone, 20 * MILLISECOND, &now), 1);
    CHECK_EQ(run(&m[1], 8, together, 20 * MILLISECOND, &now), 8);
    CHECK_EQ(run(&m[2], 8, four, 20 * MILLISECOND, &now), 4);
    CHECK_EQ(run(&m[3], 8, no_matter, 20 * MILLISECOND, &now), 8);
    CHECK_EQ(run(&m[4], 8, one_or_all, 20 * MILLISECOND, &now), 1);
}

CASE(others_are_not_limited)
{
    uint64_t now = 5;
    CHECK_EQ(run(NULL, 8, together, MICROSECOND, &now), 8);
    sw_contention_memory m = {0};
    CHECK_EQ(run(&m, 1, alone, MILLISECOND, &now), 1);
}

CASE(the_next_grid_knows)
{
    uint64_t now = 5;
    sw_contention_memory m = {0};
    run(&m, 8, alone, 5 * MILLISECOND, &now);
    CHECK_EQ(atomic_load(&m.workers), 1);
    sw_contention c;
    sw_contention_init(&c, &m, 8, CHUNK, now);
    CHECK(sw_contention_is_full(&c, 1) && !sw_contention_is_full(&c, 0));
    now += 100 * (uint64_t)MILLISECOND;
    sw_contention_init(&c, &m, 8, CHUNK, now);
    CHECK(sw_contention_is_full(&c, 8) && !sw_contention_is_full(&c, 7));
}

CASE(what_changes_is_found_out)
{
    uint64_t now = 5;
    sw_contention_memory m = {0};
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(run(&m, 8, alone, 200 * MILLISECOND, &now), 1);
        run(&m, 8, together, 100 * MILLISECOND, &now);
        CHECK_EQ(atomic_load(&m.workers), 8);
    }
}

/* What took long to find is not looked for again soon. */
CASE(trials_take_little_of_the_time)
{
    static const double slow[] = {0, 8, 0.01};
    uint64_t now = 5;
    sw_contention_memory m = {0};
    CHECK_EQ(run(&m, 2, slow, 5 * MILLISECOND, &now), 1);
    CHECK(atomic_load(&m.until_ns) > now + 30 * MILLISECOND);
}

/* Who is still on the way is waited for. */
CASE(measures_what_is_there)
{
    uint64_t now = 5;
    sw_contention_memory m = {0};
    sw_contention c;
    sw_contention_init(&c, &m, 8, CHUNK, now);
    for (int i = 0; i < 1000; i++) {
        now += 10 * MICROSECOND;
        CHECK(!sw_contention_look(&c, 7, CHUNK, now));
    }
    CHECK_EQ(atomic_load(&c.limit), 8);
    CHECK_EQ(atomic_load(&m.workers), 0);
}
