/* SPDX-License-Identifier: Apache-2.0 */
/* schedule.c - orders by a seed, see schedule.h. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/settings.h"
#include "exec/late.h"
#include "exec/schedule.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_on;
static uint64_t seed;
static atomic_uint_fast64_t drawn; /* numbers of the sequence so far */

static void
read_setting(void)
{
    const char *text = sw_setting(SW_SETTING_SCHEDULE);
    is_on = text && *text;
    seed = sw_setting_number(SW_SETTING_SCHEDULE, 0);
    sw_late_is_on = is_on && sw_exec_thread_count() == 1 &&
                    sw_setting_is(SW_SETTING_ENGINE, "interp");
}

bool
sw_schedule_is_on(void)
{
    pthread_once(&once, read_setting);
    return is_on;
}

/* SplitMix64 (Steele, Lea and Flood 2014): the n-th number of a seed. */
static uint64_t
number(uint64_t n)
{
    uint64_t x = (seed + 1) * 0xd1b54a32d192ed03u + n * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint32_t
sw_schedule_pick(uint32_t n)
{
    return (uint32_t)(number(atomic_fetch_add(&drawn, 1)) >> 16) % n;
}

static uint64_t
divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Steps of a length that has no divisor in common with the total. */
uint64_t
sw_schedule_block(uint64_t index, uint64_t total)
{
    uint64_t most = total < UINT32_MAX ? total : 1; /* so that products fit */
    uint64_t step = number(UINT64_MAX - total) % most;
    while (divisor(step, total) != 1)
        step = step % most + 1;
    uint64_t start = number(UINT64_MAX / 2 - total) % total;
    return (index * step + start) % total;
}
