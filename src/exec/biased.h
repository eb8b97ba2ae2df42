/* SPDX-License-Identifier: Apache-2.0 */
/*
 * biased.h - atomic operations biased to one thread. As long as only one thread
 * runs blocks, nobody else changes what its blocks change by atomic operations,
 * and these need none of the host's: those take 20 cycles each, and more where
 * cores contend for a line of the cache.
 *
 * Who changes memory so says that it is inside, looks whether it is granted,
 * does what takes less than a microsecond, and says that it is outside again.
 * Who wants to run blocks as well takes the grant back and waits for it to be
 * outside. The first needs no barrier of the processor between its store and
 * its load: the second makes one on all cores (membarrier).
 */
#ifndef SW_BIASED_H
#define SW_BIASED_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct sw_biased {
    _Alignas(64) atomic_uint is_granted;
    atomic_uint is_inside; /* written by the thread that it is granted to */
} sw_biased;

/* Of the process. */
extern sw_biased sw_exec_biased;

/* All of these under one lock, the pool's. To the only thread that runs blocks;
 * nothing happens if the host has no such barrier, or after
 * sw_biased_forbid. */
void sw_biased_grant(void);
/* The thread that it was granted to, if any, no longer runs blocks. */
void sw_biased_end(void);
/* Another one is about to run blocks. */
void sw_biased_revoke(void);
/* Other processes may run blocks on the same memory, from now on. */
void sw_biased_forbid(void);

#endif
