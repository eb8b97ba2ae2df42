/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit.h - how much of the host's memory the process can still have. Any
 * thread may call it. Does NOT take or hold any.
 */
#ifndef SW_MEM_LIMIT_H
#define SW_MEM_LIMIT_H
#include "base/base.h"

/* Bytes: the least of what the machine has available, what the control groups
 * of the process (versions 1 and 2) leave, what RLIMIT_DATA leaves and, as
 * RLIMIT_AS bounds it, the device address space. UINT64_MAX if nothing says
 * so. */
uint64_t sw_mem_can_be_had(void);

#endif
