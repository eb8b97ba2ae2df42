/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.c - the register class in which an operand is read or written. What
 * an op takes stands in its signature (signature.c).
 */
#include <string.h>

#include "ir/verify_private.h"

/* The letter of source i in the op's signature (verify_private.h). */
static char
letter_of(const sw_ins *ins, unsigned i)
{
    char plain[8];
    const char *p = sw_verify_signature((sw_op)ins->op, plain);
    while (*p && *p++ != '=')
        ;
    for (char letter = 'T'; *p;) {
        letter = *p++;
        unsigned count = *p == 'v' && ins->vec ? ins->vec : 1;
        bool is_any_number = *p == '*';
        while (*p && strchr("v?*", *p))
            p++;
        if (i < count || is_any_number)
            return letter;
        i -= count;
    }
    return 'T';
}

static sw_class
class_of_bits(unsigned bits)
{
    return bits == 16 ? SW_CLASS_B16 : bits == 32 ? SW_CLASS_B32 : SW_CLASS_B64;
}

/* Where the signature says that any class may stand there. */
static sw_class
any_class(const sw_ins *ins, unsigned i)
{
    switch (ins->op) {
    case SW_OP_PACK:
        return class_of_bits(sw_type_bits((sw_type)ins->type) / ins->nsrc);
    case SW_OP_BAR: /* the predicate of a reduction comes last */
        return i + 1 == ins->nsrc && ins->sub >= SW_BAR_RED_POPC ? SW_CLASS_PRED
                                                                 : SW_CLASS_B32;
    case SW_OP_TEX: /* imm: a sampler of its own comes first */
    case SW_OP_TLD4:
        return i == 1 && ins->imm ? SW_CLASS_B64 : SW_CLASS_B32;
    case SW_OP_SUST: /* coordinates, then what is stored */
    case SW_OP_SURED:
        return i + ins->vec >= ins->nsrc ? sw_type_class((sw_type)ins->type)
                                         : SW_CLASS_B32;
    case SW_OP_MBAR_TEST: /* a parity, or a state */
        return ins->sub == 1 ? SW_CLASS_B32 : SW_CLASS_B64;
    default:
        return SW_CLASS_B32;
    }
}

/* Class of a source that is no register: what the op expects there. */
static sw_class
source_class(const sw_ins *ins, unsigned i)
{
    sw_class type = sw_type_class((sw_type)ins->type);
    switch (letter_of(ins, i)) {
    case 'S':
        return sw_type_class((sw_type)ins->stype);
    case 'W':
        return sw_type_class(sw_type_wide((sw_type)ins->type));
    case 'P':
        return SW_CLASS_PRED;
    case '3':
        return SW_CLASS_B32;
    case '6':
    case 'A':
    case 'H':
        return SW_CLASS_B64;
    case 'X':
        return any_class(ins, i);
    default:
        return type != SW_CLASS_NONE ? type : SW_CLASS_B64;
    }
}

bool
sw_ins_is_whole(const sw_ins *ins)
{
    unsigned bytes = ins->vec * sw_type_bits((sw_type)ins->type) / 8;
    return (ins->op == SW_OP_LD || ins->op == SW_OP_ST) && ins->vec > 1 &&
           bytes <= 16 && ins->space != SW_SPACE_LOCAL &&
           ins->space != SW_SPACE_PARAM && ins->space != SW_SPACE_SHARED &&
           (ins->order != 0 || ins->cache == SW_CACHE_CG ||
            ins->cache == SW_CACHE_CV || ins->cache == SW_CACHE_WT);
}

unsigned
sw_store_turn(unsigned bytes)
{
    return bytes > 4 ? 128 / bytes - 1 : 31;
}

sw_class
sw_ins_class(const sw_fn *fn, const sw_ins *ins, unsigned opnd)
{
    const sw_opnd *o = &ins->opnd[opnd];
    if (o->kind == SW_OPND_REG)
        return fn->regs[o->reg].cls;
    if (opnd < ins->ndst)
        return SW_CLASS_B32;
    return source_class(ins, opnd - ins->ndst);
}
