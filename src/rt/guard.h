/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - finds host code that touches device memory: see mem/guard.h.
 *
 * Device memory is open while a thread is in a call of the API and while work
 * is under way, and closed when the last call returns and nothing is left to
 * do. A call that leaves work behind waits for its end, for a bounded time, so
 * that what the program does next meets closed memory. Work that waits for the
 * program itself is not waited for.
 */
#ifndef SW_RT_GUARD_H
#define SW_RT_GUARD_H
#include <stddef.h>
#include <stdint.h>

#include "watch/watch.h"

/*
 * Once, before the program's first call. `found` is called in a handler of
 * SIGSEGV, on the thread that touches the address, whose code stands at `pc`.
 * True: the access is repeated with the memory still closed and with the
 * handler that was there before; false: with the memory open. `closes` (may
 * leave it) names what is closed beside device memory.
 */
void sw_rt_guard_start(bool (*found)(uint64_t addr, uint64_t pc, bool is_write),
                       void (*closes)(sw_watch_close_fn *close));

/* Where it stands how many operations are under way, those not counted that
 * wait for others or for the program; told before the first of them is. */
void sw_rt_guard_count(const size_t *active);

#endif
