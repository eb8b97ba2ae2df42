/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate.h - random kernels in PTX, the same from the same seed. Whatever a
 * kernel writes to memory is the same for any back end: nothing is read that
 * was not written, lanes share memory between barriers only, and atomics meet
 * on a cell in one commuting kind.
 *
 * A kernel is a row of lines, so that a reducer can leave some out: of a group
 * all lines, of a single line what it can be replaced by. What is left is a
 * kernel that keeps these promises.
 */
#ifndef RANDOM_GENERATE_H
#define RANDOM_GENERATE_H
#include "base/base.h"

enum {
    RANDOM_THREADS = 1024,      /* at most, of all blocks */
    RANDOM_IN_BYTES = 64 << 10, /* what kernels read */
    RANDOM_OWN_BYTES = 128,     /* what each thread may write at any time */
    RANDOM_DUMP_BYTES = 8,      /* a value at the end, of each thread */
    RANDOM_DUMPS = 28,
    RANDOM_CELLS = 512, /* of 8 bytes, for atomics */
    RANDOM_NUMBERS = 4  /* parameters that are numbers */
};

typedef struct {
    char *text;    /* NULL: only the beginning of a group */
    char *instead; /* what may stand here instead; NULL: see is_fixed */
    bool is_fixed; /* goes with its group only */
    bool is_out;   /* left out, by the reducer */
    uint32_t end;  /* the first line behind the group that begins here, or 0 */
} random_line;

typedef struct {
    uint64_t seed;
    random_line *lines;
    uint32_t line_count;
    uint32_t grid[3], block[3];
    uint32_t numbers[RANDOM_NUMBERS];
    bool may_fault; /* then only the status can be compared */
} random_kernel;

typedef enum {
    RANDOM_ANY,
    RANDOM_FOR_FUSED, /* without what keeps warps from running as one */
    /* Without what depends on when lanes meet, or on how a vendor's assembler
     * takes registers of one type for another. */
    RANDOM_FOR_DEVICE,
    /* Blocks of a few threads that have nothing to do with each other; mostly
     * such as can run several as one (opt/coarsening.h). */
    RANDOM_FOR_PACKS,
    RANDOM_FLUSHING, /* of f32 with .ftz, so that the processor may flush */
    RANDOM_CALLS     /* of functions that call themselves twice */
} random_kind;

/* Finish with random_kernel_finish. The entry is called "k"; its parameters:
 * the addresses of in, own, dump and cells, then the numbers (.u32). */
void random_kernel_init(random_kernel *kernel, uint64_t seed, random_kind kind);
void random_kernel_finish(random_kernel *kernel);
/* What is left of it as text. */
void random_kernel_print(const random_kernel *kernel, sw_buf *out);
/* What it reads, RANDOM_IN_BYTES, and what lies where it writes, before. */
void random_fill(uint64_t seed, void *in, uint8_t *before, size_t bytes);

#endif
