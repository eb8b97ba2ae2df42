/* SPDX-License-Identifier: Apache-2.0 */
/* biased.c - see biased.h. */
#include "exec/biased.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

sw_biased sw_exec_biased;

enum { UNKNOWN, HAS_BARRIER, NEVER };
static int state;

static long
membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0);
}

void
sw_biased_grant(void)
{
    if (state == UNKNOWN)
        state = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0
                    ? HAS_BARRIER
                    : NEVER;
    if (state == HAS_BARRIER)
        atomic_store(&sw_exec_biased.is_granted, 1);
}

void
sw_biased_end(void)
{
    atomic_store(&sw_exec_biased.is_granted, 0);
}

void
sw_biased_revoke(void)
{
    if (!atomic_exchange(&sw_exec_biased.is_granted, 0))
        return;
    membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    while (atomic_load(&sw_exec_biased.is_inside))
        sched_yield();
}

void
sw_biased_forbid(void)
{
    state = NEVER;
    sw_biased_revoke();
}
