/* SPDX-License-Identifier: Apache-2.0 */
/* operand.c - the register class in which an operand is read or written. */
#include "ir/ir.h"

/* Class of a source that is no register: what the op expects there. */
static sw_class
source_class(const sw_ins *ins, unsigned i)
{
    sw_class type = sw_type_class((sw_type)ins->type);
    sw_class stype = sw_type_class((sw_type)ins->stype);
    switch (ins->op) {
    case SW_OP_ADDC:
    case SW_OP_SUBC:
        return i == 2 ? SW_CLASS_PRED : type;
    case SW_OP_MADC_LO:
    case SW_OP_MADC_HI:
        return i == 3 ? SW_CLASS_PRED : type;
    case SW_OP_MAD_WIDE:
        return i == 2 ? sw_type_class(sw_type_wide((sw_type)ins->type)) : type;
    case SW_OP_CVT:
        return stype;
    case SW_OP_CVT_PACK:
        return i == 2 ? SW_CLASS_B32 : stype;
    case SW_OP_SETP:
        return i == 2 ? SW_CLASS_PRED : type;
    case SW_OP_SET:
        return i == 2 ? SW_CLASS_PRED : stype;
    case SW_OP_SELP:
        return i == 2 ? SW_CLASS_PRED : type;
    case SW_OP_SLCT:
        return i == 2 ? stype : type;
    case SW_OP_SHL:
    case SW_OP_SHR:
    case SW_OP_SZEXT:
        return i == 1 ? SW_CLASS_B32 : type;
    case SW_OP_BFE:
        return i >= 1 ? SW_CLASS_B32 : type;
    case SW_OP_BFI:
        return i >= 2 ? SW_CLASS_B32 : type;
    case SW_OP_LOP3:
        return i == 3 ? SW_CLASS_PRED : type;
    case SW_OP_PACK:
        return sw_type_bits((sw_type)ins->type) / ins->nsrc == 16 ? SW_CLASS_B16
               : sw_type_bits((sw_type)ins->type) / ins->nsrc == 32
                   ? SW_CLASS_B32
                   : SW_CLASS_B64;
    case SW_OP_LD:
    case SW_OP_LDU:
    case SW_OP_ST:
    case SW_OP_ATOM:
    case SW_OP_RED:
        return i == 0 ? SW_CLASS_B64 : type;
    case SW_OP_VOTE:
        return i == 0 ? SW_CLASS_PRED : SW_CLASS_B32;
    case SW_OP_MATCH:
    case SW_OP_REDUX:
    case SW_OP_MAPA:
        return i == 0 ? type : SW_CLASS_B32;
    case SW_OP_BAR:
        return i + 1 == ins->nsrc && ins->sub >= SW_BAR_RED_POPC ? SW_CLASS_PRED
                                                                 : SW_CLASS_B32;
    case SW_OP_TEX:
    case SW_OP_TLD4:
        return i == 0 || (i == 1 && ins->imm) ? SW_CLASS_B64 : SW_CLASS_B32;
    case SW_OP_SULD:
    case SW_OP_TXQ:
        return i == 0 ? SW_CLASS_B64 : SW_CLASS_B32;
    case SW_OP_SUST:
    case SW_OP_SURED:
        return i == 0                      ? SW_CLASS_B64
               : i + ins->vec >= ins->nsrc ? type
                                           : SW_CLASS_B32;
    case SW_OP_CP_ASYNC:
    case SW_OP_CP_BULK:
    case SW_OP_CP_REDUCE:
        return i != 2 && i != 4 ? SW_CLASS_B64 : SW_CLASS_B32;
    case SW_OP_MBAR_TEST:
        return i == 1 && ins->sub == 1 ? SW_CLASS_B32 : SW_CLASS_B64;
    case SW_OP_MBAR_INIT:
    case SW_OP_MBAR_ARRIVE:
    case SW_OP_MBAR_EXPECT_TX:
        return i == 0 ? SW_CLASS_B64 : SW_CLASS_B32;
    case SW_OP_WMMA_LOAD:
    case SW_OP_WMMA_STORE:
        return i == 0 ? SW_CLASS_B64 : SW_CLASS_B32;
    case SW_OP_SHFL:
    case SW_OP_NANOSLEEP:
    case SW_OP_BAR_WARP:
    case SW_OP_ELECT:
    case SW_OP_BRX:
    case SW_OP_PMEVENT:
    case SW_OP_FNS:
    case SW_OP_MMA:
    case SW_OP_WMMA:
        return SW_CLASS_B32;
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
