/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases.h - the launches whose counters were read off an H200, in the order in
 * which they were made there: kernels of tests/data/registers/truth.ptx, their
 * arguments and the data that counts depend on.
 */
#ifndef TRUTH_CASES_H
#define TRUTH_CASES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CASE_ARGS = 8 };

typedef struct {
    char name[32]; /* as in tests/data/h200_counters.csv */
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t arg_count;
    struct {
        uint32_t bytes; /* 4 or 8 */
        uint64_t bits;
    } args[CASE_ARGS];
} truth_case;

/* All of them; allocates what they work on. Contents that only `needs` asks for
 * are filled in if it says so. NULL: no memory. */
const truth_case *truth_cases(bool (*needs)(const char *name), size_t *count);

/* The handle of the texture that some get. */
enum { TRUTH_TEXTURE = 1 };
uint64_t truth_texture_address(void);

#endif
