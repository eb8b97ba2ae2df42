/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address_spaces.h - address-space inference: finds generic addresses that
 * always lie in local or shared memory, or in global memory, or in one of
 * shared and global memory (`x ? a[i] : tile[k]`). Compilers leave some, most
 * of them where functions pass addresses on.
 */
#ifndef SW_ADDRESS_SPACES_H
#define SW_ADDRESS_SPACES_H
#include "ir/ir.h"

/*
 * A copy of the function, in the arena and with parts of it, in which what is
 * accessed by such addresses is accessed in its own space; of two spaces by two
 * instructions, each for the lanes that it concerns. NULL: there are none such,
 * or its module is for debugging. The module is not changed; instructions keep
 * their lines.
 */
const sw_fn *sw_opt_infer_spaces(const sw_fn *fn, sw_arena *arena);

#endif
