/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - device memory that the program's own code cannot touch, as on a
 * machine with a real device, where its addresses mean nothing to the host.
 *
 * Device pointers are host addresses here (mem.h), so what guards them is the
 * protection of their pages: of allocations of kind DEVICE and MODULE. Managed
 * and pinned memory is never guarded. Any thread; who calls it sees to it that
 * nothing of ours uses device memory while it is closed.
 */
#ifndef SW_MEM_GUARD_H
#define SW_MEM_GUARD_H
#include <stdbool.h>

/* Closes, or opens what was closed. Takes a system call for each run of
 * neighbouring pages. */
void sw_mem_guard(bool is_closed);

#endif
