/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - what one memory access of a warp costs by the rules of a compute
 * capability: transactions and sectors of global memory, passes through the
 * banks of shared memory, words of constant memory.
 *
 * Pure functions of 32 addresses; any thread. Addresses are aligned to `bytes`,
 * at most 32 a lane. Rules are those of the CUDA C Programming Guide (4.2,
 * appendix F.3 to F.5; 13, chapter on performance) unless a comment says
 * where else a number was seen.
 */
#ifndef SW_WATCH_ACCESS_H
#define SW_WATCH_ACCESS_H
#include "base/base.h"

/* A request to global, local, texture or surface memory. */
typedef struct {
    uint32_t n32, n64, n128;       /* transactions by size */
    uint32_t coherent, incoherent; /* as sw_count_mem */
    uint32_t lines;                /* different lines of 128 bytes */
    uint32_t sectors;              /* different sectors of 32 bytes */
} sw_coalesced;

/*
 * cc: capability times ten. lines: 2.x and 3.x fetch whole lines of 128 bytes
 * (loads through L1), else sectors. sector: NULL, or where the addresses / 32
 * of the sectors come to.
 */
void sw_coalesce(uint32_t cc, bool lines, const uint64_t addr[32],
                 uint32_t mask, uint32_t bytes, sw_coalesced *out,
                 uint64_t sector[32]);

/* A request to shared memory. */
typedef struct {
    uint32_t passes, ideal; /* with and without conflicts */
    uint32_t serialized;    /* 1: it has conflicts */
} sw_banked;

/* wide: the 64-bit mode of 3.x. addr: offsets in shared memory. */
void sw_bank(uint32_t cc, bool wide, bool is_load, const uint64_t addr[32],
             uint32_t mask, uint32_t bytes, sw_banked *out);

/* Passes of an atomic on shared memory: a bank serves one lane at a time, two
 * passes each for a compare-and-swap (seen on an H100); elements of 8 bytes by
 * half-warps. */
void sw_bank_atomic(bool is_cas, uint32_t bytes, const uint64_t addr[32],
                    uint32_t mask, sw_banked *out);

/* Passes of the compare-and-swap in a loop that assemblers make of an atomic:
 * lanes at one word together (seen on an H200). */
void sw_bank_swap(uint32_t bytes, const uint64_t addr[32], uint32_t mask,
                  sw_banked *out);

/* A request to constant memory takes a pass for each different word, a
 * half-warp on 1.x, a warp later. */
void sw_constant(uint32_t cc, const uint64_t addr[32], uint32_t mask,
                 uint32_t bytes, sw_banked *out);

/* Operations of an atomic on each of the sectors at L2: one for each of its
 * words at a time, lanes at the same word one after another (seen on an H200).
 */
void sw_atomic_times(const uint64_t addr[32], uint32_t mask,
                     const uint64_t *sector, uint32_t sectors,
                     uint32_t times[32]);

#endif
