/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.h - level 1 of the emitters: LLVM code in small pieces. Nothing here
 * knows the kernel that is compiled.
 */
#ifndef SW_JIT_EMIT_BUILD_H
#define SW_JIT_EMIT_BUILD_H
#include "jit/emit/state.h"

/* Emits a result of the arguments at the end of e->f.function; it may set
 * e->f.ctx_slot, window, mask and is_full. */
typedef LLVMValueRef
sw_jit_outline_body(sw_jit_emit *e, const LLVMValueRef *args, const void *data);

/* ---- emit/build.c ---- */

LLVMTypeRef sw_jit_class_type(const sw_jit_emit *e, sw_class cls);
LLVMTypeRef sw_jit_lanes_of(LLVMTypeRef element, unsigned lanes);
LLVMValueRef sw_jit_i32(const sw_jit_emit *e, uint32_t n);
LLVMValueRef sw_jit_i64(const sw_jit_emit *e, uint64_t n);
LLVMValueRef sw_jit_splat(const sw_jit_emit *e, LLVMValueRef x, unsigned lanes);
/* [lanes] constants of an integer type */
LLVMValueRef sw_jit_const_lanes(LLVMTypeRef type, const int64_t *n,
                                unsigned lanes);
LLVMValueRef sw_jit_shuffle(const sw_jit_emit *e, LLVMValueRef x,
                            const int *from, unsigned lanes);
/* n elements of a vector, SW_LANES_MAX at most, from this one on. */
LLVMValueRef sw_jit_elements(const sw_jit_emit *e, LLVMValueRef x,
                             unsigned first, unsigned n);
/* Two vectors of `each` elements as one. */
LLVMValueRef sw_jit_concatenate(const sw_jit_emit *e, LLVMValueRef x,
                                LLVMValueRef y, unsigned each);
/* The same of 1, 2, 4, ... vectors; `all` is overwritten. */
LLVMValueRef sw_jit_concatenate_all(const sw_jit_emit *e, LLVMValueRef *all,
                                    unsigned count, unsigned each);
LLVMValueRef sw_jit_first_behind_phis(LLVMBasicBlockRef block);
/* Where the instruction takes `from`, it takes `to`. */
void sw_jit_set_operands(LLVMValueRef user, LLVMValueRef from, LLVMValueRef to);
/* The intrinsic of that name, overloaded for these types. */
LLVMValueRef sw_jit_intrinsic(sw_jit_emit *e, const char *name,
                              LLVMTypeRef *types, unsigned type_count,
                              LLVMValueRef *args, unsigned arg_count);
LLVMValueRef sw_jit_mask_bits(const sw_jit_emit *e, LLVMValueRef mask);
/* A place in memory with these bits, as helpers take masks; good until the next
 * one. */
LLVMValueRef sw_jit_mask_memory(sw_jit_emit *e, LLVMValueRef bits);
/* Any number of lanes as bits of a mask: of lane 0 + i, bit i. */
LLVMValueRef sw_jit_const_bits(const sw_jit_emit *e,
                               const sw_jit_lane_set *set);
/* The lowest lane of some bits (i32); any lane if there is none. */
LLVMValueRef sw_jit_first_of(sw_jit_emit *e, LLVMValueRef bits);
LLVMValueRef sw_jit_any(const sw_jit_emit *e, LLVMValueRef mask);
LLVMValueRef sw_jit_all(const sw_jit_emit *e, LLVMValueRef mask);
LLVMValueRef sw_jit_slot_of(sw_jit_emit *e, LLVMTypeRef type);
/* The same, zero or a constant at first. */
LLVMValueRef sw_jit_zero_slot(sw_jit_emit *e, LLVMTypeRef type);
LLVMValueRef sw_jit_first_slot(sw_jit_emit *e, LLVMValueRef constant);
LLVMValueRef sw_jit_ctx_of(const sw_jit_emit *e);
/* A field of the context; `constant`: it never changes during the call. */
LLVMValueRef sw_jit_field(sw_jit_emit *e, size_t offset, LLVMTypeRef type,
                          bool constant);
/* What a load reads never changes. */
void sw_jit_mark_constant(const sw_jit_emit *e, LLVMValueRef load);
/* A field of its block. */
LLVMValueRef sw_jit_block_field(sw_jit_emit *e, size_t offset,
                                LLVMTypeRef type);
LLVMValueRef sw_jit_at(const sw_jit_emit *e, LLVMValueRef base,
                       LLVMValueRef offset);
void sw_jit_set_align(LLVMValueRef access, unsigned bytes);
LLVMValueRef sw_jit_call(sw_jit_emit *e, sw_jit_helper helper,
                         LLVMTypeRef result, LLVMValueRef *args,
                         unsigned count);
LLVMBasicBlockRef sw_jit_block(const sw_jit_emit *e, const char *name);
void sw_jit_likely(const sw_jit_emit *e, LLVMValueRef branch, bool likely);
/* x in 64 bits, i64 as it is; NULL: NULL. */
LLVMValueRef sw_jit_widen(sw_jit_emit *e, LLVMValueRef x, bool is_signed);
/* A copy of its items; owned by caller, sw_free. */
void *sw_jit_table_of(const sw_vec *vec, size_t item_bytes);
/* a and b; a may be NULL: true. */
LLVMValueRef sw_jit_both(sw_jit_emit *e, LLVMValueRef a, LLVMValueRef b);
/* Which of two ways; the builder is left in the first, *other is the second,
 * both go on to what is returned. */
LLVMBasicBlockRef sw_jit_two_ways(sw_jit_emit *e, LLVMValueRef which,
                                  LLVMBasicBlockRef *other);
/* n elements of two vectors of one type, y NULL: of one; -1: any. */
LLVMValueRef sw_jit_shuffle_two(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef y,
                                const int *from, unsigned n);
/* The value of both ways, which come from these blocks, where they join. */
LLVMValueRef sw_jit_join_two(sw_jit_emit *e, LLVMBasicBlockRef join,
                             LLVMBasicBlockRef from[2], LLVMValueRef x[2]);

/* ---- emit/outline.c ---- */

/* What `body` makes of the arguments, by a function of that name, made once in
 * the module: for what is large. is_pure: it touches no memory. */
LLVMValueRef sw_jit_outlined(sw_jit_emit *e, const char *name,
                             LLVMTypeRef result, LLVMValueRef *args,
                             unsigned count, bool is_pure,
                             sw_jit_outline_body *body, const void *data);

/* ---- emit/mask.c ---- */

/* From now on these lanes run, or all there are. What was before, for
 * sw_jit_mask_restore. */
sw_jit_mask sw_jit_mask_set(sw_jit_emit *e, LLVMValueRef lanes);
sw_jit_mask sw_jit_mask_set_all(sw_jit_emit *e);
/* All that exist; these, which are known. */
void sw_jit_mask_set_root(sw_jit_emit *e);
void sw_jit_mask_set_known(sw_jit_emit *e, const sw_jit_lane_set *known);
/* Those of them for which a guard holds: what they write blends. */
sw_jit_mask sw_jit_mask_guard(sw_jit_emit *e, LLVMValueRef holds);
/* The part of the mask that one warp has, while e->lanes are its. */
sw_jit_mask sw_jit_mask_set_warp(sw_jit_emit *e, LLVMValueRef lanes);
/* An instruction begins: they are its path, whatever guard it has. */
void sw_jit_mask_begin_path(sw_jit_emit *e);
void sw_jit_mask_restore(sw_jit_emit *e, const sw_jit_mask *before);

#endif
