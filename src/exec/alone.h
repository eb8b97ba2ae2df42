/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alone.h - whether one thread alone runs blocks. As long as it does, nobody
 * else changes what its blocks change by atomic operations, which then need
 * none of the host's: those take 20 cycles each, and more where cores contend
 * for a line of the cache.
 *
 * Who changes memory so says that it is inside, looks whether it is granted,
 * does what takes less than a microsecond, and says that it is outside again.
 * Who wants to run blocks as well takes the grant back and waits for it to be
 * outside. The first needs no barrier of the processor between its store and
 * its load: the second makes one on all cores (membarrier).
 */
#ifndef SW_ALONE_H
#define SW_ALONE_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct sw_alone {
    _Alignas(64) atomic_uint is_granted;
    atomic_uint is_inside; /* written by the thread that it is granted to */
} sw_alone;

/* Of the process. */
extern sw_alone sw_exec_alone;

/* All of these under one lock, the pool's. To the only thread that runs blocks;
 * nothing happens if the host has no such barrier, or after
 * sw_alone_never_again. */
void sw_alone_grant(void);
/* The thread that it was granted to, if any, no longer runs blocks. */
void sw_alone_end(void);
/* Another one is about to run blocks. */
void sw_alone_revoke(void);
/* Other processes may run blocks on the same memory, from now on. */
void sw_alone_never_again(void);

#endif
