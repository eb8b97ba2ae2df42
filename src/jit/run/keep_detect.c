/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep_detect.c - which registers of this processor helpers keep (keep.h);
 * apart from these, as what loads code asks, too.
 */
#include "jit/run/keep.h"

bool sw_jit_keep_has_avx;

void
sw_jit_keep_detect(void)
{
    __builtin_cpu_init();
    sw_jit_keep_has_avx = __builtin_cpu_supports("avx");
}
