/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx.h - the PTX front end: PTX text (.version 1.0 to 9.0) to IR.
 *
 * Keeps no state between calls; any thread may call it. Does NOT link, verify
 * or optimise what it builds.
 */
#ifndef SW_PTX_H
#define SW_PTX_H
#include "base/base.h"
#include "ir/ir.h"

/*
 * The module that `text` (`bytes` long; a NUL ends it earlier) describes.
 * `name` stands before line and column in messages. Owned by caller,
 * sw_module_destroy; nothing of `text` is kept. NULL if the text is not PTX:
 * each error is in `diag`. Instructions and directives that are PTX but not
 * supported become warnings, and a trap where they stand.
 */
sw_module *sw_ptx_parse(const char *name, const char *text, size_t bytes,
                        sw_diag *diag);

#endif
