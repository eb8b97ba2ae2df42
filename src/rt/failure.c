/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.c - a context that has failed.
 */
#include "rt/rt.h"

void
sw_rt_context_fail(sw_rt_context *c, sw_status status)
{
    int none = SW_OK;
    __atomic_compare_exchange_n(&c->error, &none, (int)status, false,
                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
