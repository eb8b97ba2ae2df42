/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - finds host code that touches device memory: see mem/guard.h.
 *
 * Device memory is open while a thread is in a call of the API and while work
 * is under way, and closed when the last call returns and nothing is left to
 * do. A call that leaves work behind waits a little for its end, so that what
 * the program does next meets closed memory.
 */
#ifndef SW_RT_GUARD_H
#define SW_RT_GUARD_H
#include <stddef.h>
#include <stdint.h>

/*
 * Once, before the program's first call. `found` is called in a handler of
 * SIGSEGV, on the thread that touched the address, whose code stands at `pc`;
 * the access is repeated then, with the memory still closed and with the
 * handler that was there before.
 */
void sw_rt_guard_start(void (*found)(void *arg, uint64_t addr, uint64_t pc),
                       void *arg);

/* Where it stands how many operations have not ended; told before the first of
 * them is under way. */
void sw_rt_guard_count(const size_t *unfinished);

#endif
