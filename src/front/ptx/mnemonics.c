/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mnemonics.c - from the name of an instruction to the function that lowers it:
 * the rows of mnemonics.def as an array, for the parser to look up.
 */
#include "front/ptx/parse.h"

#define LOWER(name)
#define PTX(text, lower, op, allowed)                                          \
    {text, ptx_lower_##lower, SW_OP_##op, ALLOW_##allowed},
const ptx_row ptx_rows[] = {
#include "front/ptx/mnemonics.def"
};
#undef PTX
#undef LOWER
const size_t ptx_row_count = sizeof ptx_rows / sizeof *ptx_rows;
