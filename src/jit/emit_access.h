/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_access.h - between the files that compile loads and stores:
 * emit_memory.c, which moves data, emit_groups.c, which forms and tests affine
 * addresses, emit_gather.c, which does so lane by lane.
 */
#ifndef SW_JIT_EMIT_ACCESS_H
#define SW_JIT_EMIT_ACCESS_H
#include "jit/emit.h"

/* Lanes whose addresses have known distances. */
typedef struct {
    uint64_t lanes;
    int64_t at[SW_LANES_MAX]; /* bytes from the lowest, by lane */
    int64_t span;             /* the largest of them */
    LLVMValueRef pointer;     /* of the lowest */
} sw_jit_group;

/* One instruction. */
typedef struct {
    const sw_ins *ins;
    unsigned elem, vec, unit; /* bytes of an element, elements, all bytes */
    int64_t offset;           /* from its register, of the first byte that */
    unsigned extent, shift;   /* ... is tested; how many; log2 of what they are
                                 aligned to */
    bool is_shared, is_signed, is_volatile;
    bool is_part; /* only elements of lanes that run may be touched */
    sw_jit_value address;
    sw_jit_group groups[SW_JIT_GROUPS];
    unsigned group_count;     /* 0: lane by lane */
    LLVMValueRef ok;          /* lane by lane: all tests have passed */
    LLVMValueRef lane_offset; /* lane by lane: vector of i64 or i32 of */
    unsigned scale;           /* ... so many bytes */
    LLVMValueRef base;        /* ... from this pointer; NULL: addresses */
    uint32_t site;            /* ... their window, if */
    bool has_site;
} sw_jit_access;

/* ---- emit_groups.c ---- */

/* x rotated right, so that low bits that are not zero make it large. */
LLVMValueRef sw_jit_rotate(sw_jit_emit *e, LLVMValueRef x, unsigned by);
/* A field of a window, i64. */
LLVMValueRef sw_jit_window_part(sw_jit_emit *e, uint32_t site, size_t part);
uint32_t sw_jit_new_site(sw_jit_emit *e, int64_t extent);
/* a and b; a may be NULL: true. */
LLVMValueRef sw_jit_both(sw_jit_emit *e, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef sw_jit_shared_bytes(sw_jit_emit *e);
LLVMValueRef sw_jit_is_aligned(sw_jit_emit *e, LLVMValueRef address,
                               unsigned unit);
/* The groups of an affine address; false: too many, or never aligned. */
bool sw_jit_split(const sw_jit_emit *e, sw_jit_access *a);
/* Their tests, and where they begin. a->ok: what is still to be asked. */
void sw_jit_test_groups(sw_jit_emit *e, sw_jit_access *a);

/* ---- emit_gather.c ---- */

/* i1: ok holds in all lanes that run. */
LLVMValueRef sw_jit_masked_all(sw_jit_emit *e, LLVMValueRef ok);
/* Addresses and their test, a->ok. */
void sw_jit_prepare_lanes(sw_jit_emit *e, sw_jit_access *a);
/* Pointers of element k. safe: lanes that do not run point where reading does
 * no harm. */
LLVMValueRef sw_jit_lane_pointers(sw_jit_emit *e, const sw_jit_access *a,
                                  unsigned k, bool safe);
/* i1: the lanes that run lie side by side, lane 0 at *first; in shared memory
 * the others too, so that their elements can be written back. */
LLVMValueRef sw_jit_lie_in_a_row(sw_jit_emit *e, const sw_jit_access *a,
                                 LLVMValueRef *first);
/* Whether the gather or scatter at hand shall be loads or stores lane by lane,
 * faster on some processors than what they have for it. They are hundreds of
 * instructions: each yes is counted, and after some it is no, as compiling
 * them would take too long. */
bool sw_jit_spells_out(sw_jit_emit *e);
/* Element k of the lanes that run, as memory has it. */
LLVMValueRef sw_jit_gather(sw_jit_emit *e, const sw_jit_access *a, unsigned k);

/* ---- emit_memory.c ---- */

/* Lanes whose indices follow each other may lie side by side, and moving them
 * as a row is possible: the machine has masks for it, or all lanes run. */
bool sw_jit_may_be_a_row(const sw_jit_emit *e, const sw_jit_access *a);
/* The elements of a row, lane 0's at `first`. */
LLVMValueRef sw_jit_load_row(sw_jit_emit *e, const sw_jit_access *a,
                             LLVMValueRef first);
/* Element k of the lanes becomes its register's. */
void sw_jit_write_loaded(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
                         LLVMValueRef x);
/* Brings the window of a flat access by lanes to where its first lane is. */
void sw_jit_move_window(sw_jit_emit *e, const sw_jit_access *a);

/* ---- emit_chunk.c ---- */

/* A load by lanes, together with others of its block; false: it is alone. */
bool sw_jit_load_chunk(sw_jit_emit *e, sw_jit_access *a);

/* ---- emit_prefetch.c ---- */

/* What will probably be needed later than these rows: `bytes` from a pointer
 * each, of one access. */
void sw_jit_prefetch(sw_jit_emit *e, const sw_jit_access *a,
                     const LLVMValueRef *pointers, const int64_t *bytes,
                     unsigned count, bool to_write);
/* ... than its groups. */
void sw_jit_prefetch_groups(sw_jit_emit *e, const sw_jit_access *a,
                            bool to_write);

/* ---- emit_tally.c: for the observer, once the tests have passed ---- */

void sw_jit_tally_groups(sw_jit_emit *e, const sw_jit_access *a);
/* The lanes that run lie side by side, lane 0 at `first`. */
void sw_jit_tally_row(sw_jit_emit *e, const sw_jit_access *a,
                      LLVMValueRef first);
void sw_jit_tally_lanes(sw_jit_emit *e, const sw_jit_access *a);

#endif
