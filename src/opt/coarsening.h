/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coarsening.h - block coarsening: runs several blocks of few threads as one. A
 * block of 4 x 4 threads fills half of a warp, one of a single thread (the
 * first kernels that people write) one lane of 32. Where the threads of a block
 * do not communicate, as many blocks of a row of the grid become the threads of
 * one block, side by side along x.
 *
 * Magni, Dubach and O'Boyle, "A Large-Scale Cross-Architecture Evaluation of
 * Thread-Coarsening" (SC 2013), make threads do more work each; here each
 * thread stays one, and warps are filled.
 */
#ifndef SW_COARSENING_H
#define SW_COARSENING_H
#include "ir/ir.h"

typedef struct {
    uint32_t threads_x; /* of a block along x; a power of two */
    uint32_t blocks;    /* ... that are one; a power of two */
    bool has_rest;      /* rows of the grid are no multiple of that */
} sw_coarsening;

typedef struct {
    /* Packed blocks do the same as if each ran by itself, in some order:
     * nothing is shared by or waits for threads of a block or a warp, and no
     * thread waits for another one. */
    bool can;
    /* Blocks look up, each in memory, where to go on: lists. In packed ones
     * lanes then are anywhere which were side by side. */
    bool has_lists;
    /* Threads along x mostly access memory that lies far apart. */
    bool is_apart;
} sw_coarsening_facts;

sw_coarsening_facts sw_opt_find_coarsening(const sw_fn *kernel);

/*
 * A copy of a kernel that can be packed, in the arena and with parts of it, to
 * be launched with blocks of (threads_x * blocks, y, z) threads where the
 * original has (threads_x, y, z), and with x / blocks of them in a row, rounded
 * up. It has a parameter more, a u32 at byte sw_opt_coarsening_param(kernel):
 * x, how many the original has in a row. Its module is not changed;
 * instructions keep their lines.
 */
const sw_fn *sw_opt_coarsen_blocks(const sw_fn *kernel,
                                   const sw_coarsening *pack, sw_arena *arena);
/* A multiple of 4, at least the kernel's bytes of parameters. */
uint32_t sw_opt_coarsening_param(const sw_fn *kernel);

#endif
