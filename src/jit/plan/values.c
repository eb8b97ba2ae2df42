/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - see values.h. */
#include "jit/plan/values.h"

enum { KEEPS, FLUSHES };

const sw_jit_value_rule sw_jit_value_rules[SW_OP_COUNT] = {
#define VALUE(op, made, of, flushes)                                           \
    [SW_OP_##op] = {SW_JIT_VALUE_##made, of, flushes},
#include "jit/plan/values.def"
#undef VALUE
};
