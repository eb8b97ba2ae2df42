/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters.h - between emit/counters.c and emit/counters_access.c: what is
 * counted in a kernel so far, and the slots that it is counted in.
 */
#ifndef SW_JIT_EMIT_COUNTERS_H
#define SW_JIT_EMIT_COUNTERS_H
#include "jit/emit/exits.h"
#include "jit/emit/record.h"
#include "jit/inline_counter.h"

/* Accesses of all lanes in a block at known distances from one pointer are one
 * addition at its end, or so. */
typedef struct {
    LLVMValueRef base, start; /* what they lie around; where the first begins */
    int64_t offset;           /* ... from base */
    uint32_t first;           /* number of its table */
} sw_jit_bundle;

struct sw_jit_counter {
    sw_vec rows;      /* sw_counter_row */
    sw_vec accesses;  /* sw_counter_access */
    sw_vec bundles;   /* sw_jit_bundle: of the block, not counted yet */
    uint32_t bundled; /* accesses in them */
    uint32_t slots;
    LLVMValueRef addresses; /* where the observer finds them; or NULL */
    unsigned warp; /* of the fused ones, whose access is being counted */
    LLVMValueRef fused_mask, fused_addresses; /* the same of all warps */
    sw_jit_record *record; /* tells events instead of counting; or NULL */
};

/* Where a slot lies, in the counters of the block that runs. */
LLVMValueRef sw_jit_counter_place(sw_jit_emit *e, uint32_t slot);
/* One more access that begins at `at`; in the n-th lot of slots (NULL: the
 * first). Shared memory of a block begins at a multiple of the period. */
void sw_jit_counter_start(sw_jit_emit *e, const sw_counter_access *x,
                          LLVMValueRef at);
void sw_jit_counter_start_in(sw_jit_emit *e, const sw_counter_access *x,
                             LLVMValueRef n, LLVMValueRef at);

#endif
