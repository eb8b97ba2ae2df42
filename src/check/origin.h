/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.h - where an address comes from: the variable or the kernel parameter
 * that it was made of, by adding to it.
 *
 * An access whose address comes from one object is wrong if it leaves that
 * object, even where it meets another one. Only what is certain is said: an
 * address made of two objects, or loaded from memory, has no origin. It is
 * worked out for a function as a whole, once, and holds for all of its
 * executions.
 */
#ifndef SW_CHECK_ORIGIN_H
#define SW_CHECK_ORIGIN_H
#include "ir/ir.h"

typedef enum {
    SW_ORIGIN_NONE,
    SW_ORIGIN_SYM,  /* the address of a variable */
    SW_ORIGIN_PARAM /* a pointer among the kernel's parameters */
} sw_address_origin_kind;

typedef struct {
    sw_address_origin_kind kind;
    const sw_sym *sym; /* SYM: resolved */
    uint32_t offset;   /* PARAM: of the pointer in the parameter block */
} sw_address_origin;

typedef struct sw_address_origins sw_address_origins;

/* Of all registers of a function; owned by caller. fn must outlive it. */
sw_address_origins *sw_address_origins_create(const sw_fn *fn);
void sw_address_origins_destroy(sw_address_origins *o);
/* Of the address that a memory instruction of the function accesses; source is
 * which of its sources has it. */
sw_address_origin sw_address_origin_of(const sw_address_origins *o,
                                       const sw_ins *ins, unsigned source);

#endif
