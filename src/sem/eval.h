/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval.h - one lane of any pure instruction, by the functions of this folder.
 *
 * For constant folding, for tests, and for what an engine does not expand into
 * loops itself (pure.def). No state; any thread. Does NOT apply guards or the
 * `negated` of operands, and does not know addresses: addr, cvta, isspacep and
 * mbarrier.pending_count, though pure, belong to the engine.
 */
#ifndef SW_SEM_EVAL_H
#define SW_SEM_EVAL_H
#include "ir/ir.h"

/* A register's value: zero above its width; predicates 0 or 1. hi only for
 * b128. */
typedef struct {
    uint64_t lo, hi;
} sw_value;

/*
 * Computes dst[0..ndst) from src[0..nsrc). False, dst untouched, if this
 * combination of op, types, modifiers and operand counts has no meaning here.
 * Destinations that are sinks are written all the same.
 */
bool sw_sem_eval(const sw_ins *ins, const sw_value *src, sw_value *dst);

/* Does it compute with f64, and not only move it? */
bool sw_sem_can_demote(const sw_ins *ins);
/*
 * What SW_F_DEMOTED means then: sources for which sw_sem_reads_f64 holds are
 * rounded to f32 (nearest, subnormals to zero), sw_sem_demoted is computed, and
 * its result is widened if sw_sem_writes_f64.
 */
sw_ins sw_sem_demoted(const sw_ins *ins);
bool sw_sem_reads_f64(const sw_ins *ins, unsigned source);
bool sw_sem_writes_f64(const sw_ins *ins);

/* Would sw_sem_eval compute this instruction? */
bool sw_sem_supports(const sw_ins *ins);

#endif
