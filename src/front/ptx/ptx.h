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

/* The newest major version. Newer minor ones have new instructions, which are
 * traps; what a newer major one changes nobody knows. */
enum { SW_PTX_NEWEST = 9 };

/* What text that sw_ptx_parse refuses is to a driver: SW_E_INVALID_IMAGE (no
 * PTX at all), SW_E_UNSUPPORTED_PTX_VERSION, SW_E_INVALID_PTX. */
sw_status sw_ptx_refusal(const char *text, size_t bytes);

#endif
