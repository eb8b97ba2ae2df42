/* SPDX-License-Identifier: Apache-2.0 */
/*
 * freed.h - what was allocated and has been freed, for the reports of faults:
 * the last SW_MEM_FREED_MOST ranges. Any thread may call anything here.
 */
#ifndef SW_MEM_FREED_H
#define SW_MEM_FREED_H
#include "mem/mem.h"

enum { SW_MEM_FREED_MOST = 1024 };

/* `range` is no more. */
void sw_mem_note_freed(const sw_mem_range *range);
/* The one that was freed last of those that held addr; `user` is not valid. It
 * may have been allocated anew since. *age: how many were freed after it. */
bool sw_mem_find_freed(uint64_t addr, sw_mem_range *out, uint64_t *age);

#endif
