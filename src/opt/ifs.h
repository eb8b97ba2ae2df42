/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ifs.h - branches around a few instructions. Where lanes go different ways
 * each way is run with a mask, and there are tests whether any lane goes it; a
 * few additions cost less if all lanes do them and each chooses.
 */
#ifndef SW_IFS_H
#define SW_IFS_H
#include "ir/ir.h"

/*
 * A copy of the function, in the arena and with parts of it, in which both ways
 * of such branches are in the block of the branch, with a selp for what they
 * leave different: ways of a few cheap instructions without effects, of which
 * other branches may be parts. NULL: there are none, its module is for
 * debugging, or it is very large. The module is not changed; instructions keep
 * their lines.
 */
const sw_fn *sw_choose_values(const sw_fn *fn, sw_arena *arena);

#endif
