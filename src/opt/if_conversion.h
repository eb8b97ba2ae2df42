/* SPDX-License-Identifier: Apache-2.0 */
/*
 * if_conversion.h - replaces branches around a few instructions by selections.
 * Where lanes take different sides of a branch, each side runs under a mask,
 * behind a test whether any lane takes it; a few additions cost less if all
 * lanes execute both sides and each selects its results.
 *
 * Allen, Kennedy, Porterfield and Warren, "Conversion of Control Dependence to
 * Data Dependence" (POPL 1983), convert whole regions. Here only small sides
 * are converted, the inner ones first; tune.def bounds their size.
 */
#ifndef SW_IF_CONVERSION_H
#define SW_IF_CONVERSION_H
#include "ir/ir.h"

/*
 * A copy of the function, in the arena and with parts of it, in which both ways
 * of such branches are in the block of the branch, with a selp for what they
 * leave different: ways of a few cheap instructions without effects, of which
 * other branches may be parts. NULL: there are none, its module is for
 * debugging, or it is very large. The module is not changed; instructions keep
 * their lines.
 */
const sw_fn *sw_opt_convert_ifs(const sw_fn *fn, sw_arena *arena);

#endif
