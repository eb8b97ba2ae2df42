/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane_set.c - which set of lane functions this processor runs: that of the
 * widest vectors that it has.
 */
#include "interp/interp.h"

const sw_lane_set *
sw_interp_lanes(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4"))
        return &sw_lanes_v4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return &sw_lanes_v3;
    return &sw_lanes_v2;
#else
    return &sw_lanes_base;
#endif
}
