/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spin.c - how long a compiled loop that may wait goes on.
 */
#include "base/base.h"
#include "jit/run/warp.h"
#include "jit/tune.h"

bool
sw_jit_may_go_on(sw_jit_warp *jw)
{
    uint64_t now = sw_time_ns();
    if (!jw->asked)
        jw->asked_ns = now;
    if (++jw->asked < sw_jit_tune.spin_soon &&
        now - jw->asked_ns < sw_jit_tune.spin_soon_ns)
        return true;
    jw->asked = 0;
    return false;
}

uint32_t
sw_jit_count_lanes(const uint32_t *mask, unsigned warps)
{
    uint32_t n = 0;
    for (unsigned w = 0; w < warps; w++)
        n += (uint32_t)__builtin_popcount(mask[w]);
    return n;
}
