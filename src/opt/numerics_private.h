/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numerics_private.h - inside numerics: which fma are fused on purpose.
 *
 * Compilers make fma of a product and a sum, for which 1.x has mad; and of a
 * program's or a library's own fma, which is software there, and exact. In PTX
 * they are the same. What tells the latter is what they are for: to reduce an
 * argument by a rounded multiple, to find the remainder of a quotient, and what
 * a product or a sum has lost.
 */
#ifndef SW_NUMERICS_PRIVATE_H
#define SW_NUMERICS_PRIVATE_H
#include "ir/ir.h"

/* Where the values of a function's registers come from. It sees mad, in place
 * of fma, as the same. Owned by caller, sw_origins_destroy. */
typedef struct sw_origins sw_origins;
sw_origins *sw_origins_create(const sw_fn *fn);
void sw_origins_destroy(sw_origins *origins);

/* Would the instruction, an fma of f32, be useless if its product were not
 * exact? */
bool sw_origins_is_fused(const sw_origins *origins, const sw_ins *fma);

#endif
