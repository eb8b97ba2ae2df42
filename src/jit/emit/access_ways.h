/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_ways.h - level 4 of the emitters: the ways in which the data of an
 * access is moved, those that need others below them.
 */
#ifndef SW_JIT_EMIT_ACCESS_WAYS_H
#define SW_JIT_EMIT_ACCESS_WAYS_H
#include "jit/emit/access.h"

/* ---- emit/shuffle_transpose.c ---- */

/* Of two vectors, in each piece of so many elements: the lower (high: upper)
 * `pair` elements of both, in turn. */
LLVMValueRef sw_jit_weave(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef y,
                          unsigned in_piece, unsigned pair, bool high);
/* Units of four elements, of y[0], y[1], ... in turn: element k of them to
 * x[k]. */
void sw_jit_transpose_lanes_of_16(sw_jit_emit *e, const LLVMValueRef *y,
                                  LLVMValueRef *x);
/* Units of `vec` elements side by side, one for each lane: element k of all
 * lanes to x[k]. */
void sw_jit_units_to_lanes(sw_jit_emit *e, LLVMValueRef units, unsigned lanes,
                           unsigned vec, LLVMValueRef *x);
/* Back; NULL: a permutation of LLVM's does it as well. */
LLVMValueRef sw_jit_lanes_to_units(sw_jit_emit *e, const LLVMValueRef *x,
                                   unsigned lanes, unsigned vec);

/* ---- emit/prefetch.c ---- */

/* What will probably be needed later than these rows: `bytes` from a pointer
 * each, of one access. */
void sw_jit_prefetch(sw_jit_emit *e, const sw_jit_access *a,
                     const LLVMValueRef *pointers, const int64_t *bytes,
                     unsigned count, bool to_write);
/* ... than its groups. */
void sw_jit_prefetch_groups(sw_jit_emit *e, const sw_jit_access *a,
                            bool to_write);

/* ---- emit/access_rows.c ---- */

/* A load by lanes: nothing is known of its rows yet; i1: they lie so. */
void sw_jit_forget_rows(sw_jit_emit *e, const sw_jit_access *a);
void sw_jit_note_rows(sw_jit_emit *e, const sw_jit_access *a,
                      const sw_jit_rows *rows, LLVMValueRef is_row);
/* Whether a store may find the rows of a load; then i1, that it does, and they
 * are these. */
LLVMValueRef sw_jit_recall_rows(sw_jit_emit *e, const sw_jit_access *a,
                                sw_jit_rows *rows);

/* ---- emit/access_strided.c ---- */

/* The elements of a group's lanes; of others nothing that means anything.
 * False: in another way it is faster. */
bool sw_jit_load_pieces(sw_jit_emit *e, const sw_jit_access *a,
                        const sw_jit_group *g, LLVMValueRef *x);
bool sw_jit_store_pieces(sw_jit_emit *e, const sw_jit_access *a,
                         const sw_jit_group *g, LLVMValueRef x);

/* ---- emit/access_transpose.c ---- */

/* Neighbours in groups that lie side by side, but not all lanes: rows of a
 * tile. False: they do not. */
bool sw_jit_find_rows(sw_jit_emit *e, const sw_jit_access *a,
                      sw_jit_rows *rows);
/* All lanes, if they go down the columns of rows; stores only if all run.
 * False: it is not so. */
bool sw_jit_load_columns(sw_jit_emit *e, const sw_jit_access *a);
bool sw_jit_store_columns(sw_jit_emit *e, const sw_jit_access *a);

/* ---- emit/access_soa.c ---- */

void sw_jit_structs_clear(sw_jit_emit *e, const sw_jit_struct *until);
/* Stores that come later are to move what has been stored so far. */
bool sw_jit_stores_wait(const sw_jit_emit *e);
/* Members of structures, together with others of their block; false: it is
 * alone, or not all lanes run. */
bool sw_jit_load_struct(sw_jit_emit *e, const sw_jit_access *a);
bool sw_jit_store_struct(sw_jit_emit *e, const sw_jit_access *a);

/* ---- emit/access_span.c ---- */

LLVMValueRef sw_jit_constant_mask(sw_jit_emit *e, const sw_jit_lane_set *lanes);
/* Element k of each lane of a group; of other lanes the lowest one's. As
 * sw_jit_in_turn has them. */
LLVMValueRef sw_jit_group_pointers(sw_jit_emit *e, const sw_jit_access *a,
                                   const sw_jit_group *g, unsigned k,
                                   unsigned turn);
void sw_jit_load_groups(sw_jit_emit *e, const sw_jit_access *a);
/* Stores lanes of x that have gaps between them; false: in this way it cannot
 * be done. */
bool sw_jit_store_span(sw_jit_emit *e, const sw_jit_access *a,
                       const sw_jit_group *g, LLVMValueRef x);
/* Stores x as elements k; false: the machine has nothing for it. */
bool sw_jit_scatter_group(sw_jit_emit *e, const sw_jit_access *a,
                          const sw_jit_group *g, unsigned k, LLVMValueRef x);

/* ---- emit/access_load.c ---- */

/* The elements of all lanes. */
LLVMValueRef sw_jit_load_in_rows(sw_jit_emit *e, const sw_jit_access *a,
                                 const sw_jit_rows *rows);
/* The elements of lanes whose addresses have passed the test, one of each. */
LLVMValueRef sw_jit_load_lanes(sw_jit_emit *e, const sw_jit_access *a);

/* ---- emit/access_store.c ---- */

/* Element k of each lane of a group (NULL: of all lanes) by itself; those that
 * do not run store where it does no harm. */
void sw_jit_store_each(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x,
                       unsigned k, const sw_jit_group *g);
/* All elements of lanes whose addresses have passed the test. */
void sw_jit_store_lanes(sw_jit_emit *e, const sw_jit_access *a);
/* By groups, for sw_jit_move_data. */
void sw_jit_store_groups(sw_jit_emit *e, const sw_jit_access *a);
void sw_jit_store_in_rows(sw_jit_emit *e, const sw_jit_access *a,
                          const sw_jit_rows *rows);

/* ---- emit/access_combine.c ---- */

/* At the beginning of a block and the end of the function: nothing has been
 * loaded before (emit/access_combine.c); or only what had been when `until` was
 * the last one. */
void sw_jit_chunks_clear(sw_jit_emit *e, const sw_jit_chunk *until);
/* A load by lanes, together with others of its block; false: it is alone. */
bool sw_jit_load_chunk(sw_jit_emit *e, sw_jit_access *a);

/* ---- emit/access_local.c ---- */

void sw_jit_load_local(sw_jit_emit *e, sw_jit_access *a);
void sw_jit_store_local(sw_jit_emit *e, sw_jit_access *a);
/* Lanes whose offsets have passed the test, one element of each. */
LLVMValueRef sw_jit_load_rows(sw_jit_emit *e, const sw_jit_access *a);
void sw_jit_store_rows(sw_jit_emit *e, const sw_jit_access *a);
/* The same of lanes that all have one, `at` (i64). */
LLVMValueRef sw_jit_load_row(sw_jit_emit *e, const sw_jit_access *a,
                             LLVMValueRef at);
void sw_jit_store_row(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef at);
/* All lanes access one offset in their memories. */
bool sw_jit_has_one_offset(const sw_jit_access *a);

/* ---- emit/access_outlined.c ---- */

/* The whole access by a function; false: not this one. */
bool sw_jit_move_outlined(sw_jit_emit *e, sw_jit_access *a);
/* By a function what lanes that run have in shared memory, then goes to `done`;
 * if that is not all, goes on. */
void sw_jit_move_some(sw_jit_emit *e, sw_jit_access *a, LLVMBasicBlockRef done);
/* i1: it may access this place (i64): an address, or an offset in shared memory
 * or its own local memory. */
LLVMValueRef sw_jit_may_go(sw_jit_emit *e, const sw_jit_access *a,
                           LLVMValueRef place);
/* After that. lane: its number (i32). */
LLVMValueRef sw_jit_pointer_of(sw_jit_emit *e, const sw_jit_access *a,
                               LLVMValueRef place, LLVMValueRef lane);
LLVMValueRef sw_jit_load_one(sw_jit_emit *e, const sw_jit_access *a,
                             LLVMValueRef p);
void sw_jit_store_one(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef p,
                      LLVMValueRef x);

/* ---- emit/access_paths.c ---- */

/* Forms and tests the addresses, and moves the data: by groups, or lane by
 * lane. */
void sw_jit_move_data(sw_jit_emit *e, sw_jit_access *a,
                      void (*by_groups)(sw_jit_emit *e, const sw_jit_access *a),
                      void (*by_lanes)(sw_jit_emit *e, const sw_jit_access *a));
/* Groups of lanes have known distances; else it is moved lane by lane. */
bool sw_jit_is_by_groups(sw_jit_emit *e, sw_jit_access *a);

/* ---- emit/scalar_private.c ---- */

void sw_jit_own_load(sw_jit_emit *e);
void sw_jit_own_store(sw_jit_emit *e);

/* ---- emit/counters_access.c ---- */

void sw_jit_counter_block_end(sw_jit_emit *e);
/* If there is one: an atomic of the lanes that run, of so many bytes each, at
 * one pointer or at addresses (i64). */
void sw_jit_counter_atomic(sw_jit_emit *e, LLVMValueRef one,
                           LLVMValueRef addresses, unsigned bytes);
void sw_jit_counter_groups(sw_jit_emit *e, const sw_jit_access *a);
/* The lanes that run lie side by side, lane 0 at `first`. */
void sw_jit_counter_row(sw_jit_emit *e, const sw_jit_access *a,
                        LLVMValueRef first);
void sw_jit_counter_lanes(sw_jit_emit *e, const sw_jit_access *a);

#endif
