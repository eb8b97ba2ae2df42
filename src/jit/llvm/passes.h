/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passes.h - passes over the LLVM code of all functions of e->ll's module,
 * after LLVM's own.
 */
#ifndef SW_JIT_LLVM_PASSES_H
#define SW_JIT_LLVM_PASSES_H
#include "jit/emit/state.h"

void sw_jit_expand_masks(sw_jit_emit *e);     /* masks.c */
void sw_jit_cut_chains(const sw_jit_emit *e); /* chains.c */
void sw_jit_sink_rare(const sw_jit_emit *e);  /* sink.c */

#endif
