/* SPDX-License-Identifier: Apache-2.0 */
/*
 * undefined.h - which bits of a result are undefined, where some bits of an
 * instruction's sources are: the rules of the init tool, one lane at a time.
 *
 * A bit of a result is undefined if some value of the undefined source bits
 * would change it. Moves, logic, shifts, fields of bits and integer comparisons
 * are exact; in sums and products every bit from the lowest undefined one on
 * is; any other result is undefined as a whole. Pure functions.
 */
#ifndef SW_CHECK_UNDEFINED_H
#define SW_CHECK_UNDEFINED_H
#include "ir/ir.h"

/* A source of one lane. Of B128 the bits stand for the low half or for all. */
typedef struct {
    uint64_t undefined; /* bits */
    uint64_t value;     /* unspecified where undefined; a predicate 0 or 1, as
                           the instruction sees it */
} sw_undef_source;

enum { SW_UNDEF_SOURCES = 8 }; /* of these the rules look at most */

/* All bits of a register of this class. */
uint64_t sw_undef_all(sw_class cls);

/*
 * The undefined bits of destination `dst` (a register of class cls). count:
 * sources that are given, at most SW_UNDEF_SOURCES; at least one of them has
 * undefined bits.
 */
uint64_t sw_undef_result(const sw_ins *ins, unsigned dst, sw_class cls,
                         const sw_undef_source *source, unsigned count);

/* The instruction only moves bits to other places, as copies of structs do. */
bool sw_undef_is_copy(const sw_ins *ins);

#endif
