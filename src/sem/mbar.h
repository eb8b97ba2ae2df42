/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbar.h - the object of mbarrier instructions.
 *
 * Our layout of its 64 bits (PTX leaves it opaque), low bits first: 20 bits
 * expected arrivals of the next phase, 20 bits arrivals pending in this one, 1
 * bit phase, 23 bits pending transaction bytes. PTX ISA, "mbarrier": counts are
 * below 2^20, bytes within 2^20 - 1 on both sides of zero. A state token is the
 * object's value when its lane arrived.
 */
#ifndef SW_MBAR_H
#define SW_MBAR_H
#include <stdint.h>

enum { SEM_MBAR_COUNT_BITS = 20, SEM_MBAR_COUNT = (1 << 20) - 1 };
enum {
    SEM_MBAR_PHASE_BIT = 2 * SEM_MBAR_COUNT_BITS,
    SEM_MBAR_TX_BIT = SEM_MBAR_PHASE_BIT + 1
};

static inline uint64_t
sem_mbar_make(uint64_t expected, uint64_t pending, uint64_t phase, uint64_t tx)
{
    return (expected & SEM_MBAR_COUNT) |
           (pending & SEM_MBAR_COUNT) << SEM_MBAR_COUNT_BITS |
           (phase & 1) << SEM_MBAR_PHASE_BIT | tx << SEM_MBAR_TX_BIT;
}

static inline uint64_t
sem_mbar_pending(uint64_t object)
{
    return object >> SEM_MBAR_COUNT_BITS & SEM_MBAR_COUNT;
}

static inline uint64_t
sem_mbar_phase(uint64_t object)
{
    return object >> SEM_MBAR_PHASE_BIT & 1;
}

/* The object after `arrivals` arrive, `dropped` of them for the last time, and
 * `tx` more bytes are expected. */
static inline uint64_t
sem_mbar_advance(uint64_t object, uint64_t arrivals, uint64_t dropped,
                 uint64_t tx)
{
    uint64_t expected = (object & SEM_MBAR_COUNT) - dropped;
    uint64_t pending = (sem_mbar_pending(object) - arrivals) & SEM_MBAR_COUNT;
    uint64_t phase = sem_mbar_phase(object);
    uint64_t bytes = ((object >> SEM_MBAR_TX_BIT) + tx) << SEM_MBAR_TX_BIT >>
                     SEM_MBAR_TX_BIT;
    if (pending == 0 && bytes == 0)
        return sem_mbar_make(expected, expected, phase ^ 1, 0);
    return sem_mbar_make(expected, pending, phase, bytes);
}

#endif
