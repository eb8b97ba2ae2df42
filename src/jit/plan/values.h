/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - what is known of an op's result: a row of values.def. */
#ifndef SW_JIT_VALUES_H
#define SW_JIT_VALUES_H
#include "ir/ir.h"

typedef enum {
    SW_JIT_VALUE_ANY, /* it has no row */
    SW_JIT_VALUE_READ,
    SW_JIT_VALUE_CHOICE,
    SW_JIT_VALUE_PARTS,
    SW_JIT_VALUE_LANE,
    SW_JIT_VALUE_SUM,
    SW_JIT_VALUE_SPECIAL
} sw_jit_made;

typedef struct {
    uint8_t made, of; /* made: sw_jit_made */
    bool flushes;
} sw_jit_value_rule;

/* By number of the op. */
extern const sw_jit_value_rule sw_jit_value_rules[SW_OP_COUNT];

#endif
