/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.h - the text of single functions; ir.h has that of whole modules.
 * docs/ir.md says what the text looks like.
 */
#ifndef SW_IR_PRINT_H
#define SW_IR_PRINT_H
#include "ir/ir.h"

/* Adds the function as it would stand in the text of a module: "function ...",
 * its blocks, "end". The function may be a copy that is in no module. */
void sw_ir_print_fn(const sw_fn *fn, sw_buf *out);

#endif
