/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hints.h - what programs advise about managed memory: kept by range, told when
 * asked, without effect. Any thread.
 */
#ifndef SW_RT_HINTS_H
#define SW_RT_HINTS_H
#include "base/base.h"

/* Places: a device's ordinal, or one of these. */
enum { SW_RT_HINT_HOST = -1, SW_RT_HINT_NOWHERE = -2 };

typedef struct {
    bool read_mostly;
    int32_t preferred, prefetched; /* places */
    bool by_host;                  /* advised to be accessed by the host */
    uint64_t by_devices;           /* and by these: bits */
} sw_rt_hint;

/* Calls change(hint, arg) for every part of the range; it must not wait. */
void sw_rt_hint_set(uint64_t addr, uint64_t bytes,
                    void (*change)(sw_rt_hint *hint, int arg), int arg);
/* What holds for all of the range. */
sw_rt_hint sw_rt_hint_get(uint64_t addr, uint64_t bytes);
/* The memory is gone. */
void sw_rt_hint_forget(uint64_t addr, uint64_t bytes);

#endif
