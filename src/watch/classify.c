/* SPDX-License-Identifier: Apache-2.0 */
/* classify.c - the classes of instructions of counters.h, and what they add
 * to the floating-point operations. */
#include "watch/count.h"
#include "watch/counters.h"

/* Does an instruction read the register? */
static bool
reads(const sw_ins *ins, sw_reg reg)
{
    if (ins->guard == reg)
        return true;
    for (unsigned i = 0; i < ins->nsrc; i++)
        if (sw_ins_src(ins, i)->kind == SW_OPND_REG &&
            sw_ins_src(ins, i)->reg == reg)
            return true;
    if (ins->op != SW_OP_CALL)
        return false;
    const sw_call *call = ins->aux;
    for (uint32_t i = 0; i < call->arg_count; i++)
        if (call->args[i].kind == SW_OPND_REG && call->args[i].reg == reg)
            return true;
    return false;
}

static bool
is_read(const sw_fn *fn, sw_reg reg)
{
    for (uint32_t i = 0; i < fn->ret_count; i++)
        if (fn->rets[i].kind == SW_OPND_REG && fn->rets[i].reg == reg)
            return true;
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (reads(fn->blocks[b]->ins[i], reg))
                return true;
    return false;
}

unsigned
sw_count_halves(const sw_fn *fn, const sw_ins *ins)
{
    bool half[2] = {false, false};
    for (unsigned i = 0; i < ins->ndst && i < 4; i++)
        if (ins->opnd[i].kind == SW_OPND_REG)
            half[i / 2] |= is_read(fn, ins->opnd[i].reg);
    return half[0] && half[1] ? 2 : 1;
}

bool
sw_count_is_unread(const sw_fn *fn, const sw_ins *ins)
{
    if (ins->op == SW_OP_RED || ins->ndst == 0)
        return true;
    if (ins->op != SW_OP_ATOM || ins->ndst > 1)
        return false;
    if (ins->opnd[0].kind != SW_OPND_REG)
        return true;
    /* No machine has a reduction for these two. */
    if (ins->sub == SW_ATOM_EXCH || ins->sub == SW_ATOM_CAS)
        return false;
    return !is_read(fn, ins->opnd[0].reg);
}

bool
sw_count_is_reduction(const sw_fn *fn, const sw_ins *ins, uint32_t cc)
{
    if (cc >= 70 && ins->space == SW_SPACE_GENERIC)
        return false;
    return sw_count_is_unread(fn, ins);
}

/* Additions, products and fused ones: which, of how many elements. */
static void
count_flops(const sw_ins *ins, unsigned *precision, unsigned *kind,
            unsigned *elements)
{
    switch (ins->op) {
    case SW_OP_ADD:
    case SW_OP_SUB:
        *kind = SW_COUNT_ADD;
        break;
    case SW_OP_MUL:
        *kind = SW_COUNT_MUL;
        break;
    case SW_OP_FMA:
    case SW_OP_MAD:
        *kind = SW_COUNT_FMA;
        break;
    default:
        return;
    }
    switch (ins->flags & SW_F_DEMOTED ? SW_T_F32 : ins->type) {
    case SW_T_F32:
        *precision = SW_COUNT_FP32_OPS;
        *elements = 1;
        break;
    case SW_T_F32X2:
        *precision = SW_COUNT_FP32_OPS;
        *elements = 2;
        break;
    case SW_T_F64:
        *precision = SW_COUNT_FP64_OPS;
        *elements = 1;
        break;
    case SW_T_F16:
    case SW_T_BF16:
        *precision = SW_COUNT_FP16_OPS;
        *elements = 1;
        break;
    case SW_T_F16X2:
    case SW_T_BF16X2:
        *precision = SW_COUNT_FP16_OPS;
        *elements = 2;
        break;
    default:
        break;
    }
}

/* Arithmetic and comparison, by the type it works on. */
static sw_count_class
by_type(const sw_ins *ins)
{
    sw_type type = (sw_type)(ins->op == SW_OP_SETP || ins->op == SW_OP_SET
                                 ? (ins->stype ? ins->stype : ins->type)
                                 : ins->type);
    switch (type) {
    case SW_T_F32:
    case SW_T_TF32:
    case SW_T_F32X2:
        return SW_COUNT_FP32;
    case SW_T_F64:
        return ins->flags & SW_F_DEMOTED ? SW_COUNT_FP32 : SW_COUNT_FP64;
    case SW_T_F16:
    case SW_T_BF16:
    case SW_T_F16X2:
    case SW_T_BF16X2:
        return SW_COUNT_FP16;
    default:
        return SW_COUNT_INTEGER;
    }
}

static sw_count_class
by_unit(const sw_ins *ins)
{
    const sw_op_info *info = sw_op_get_info((sw_op)ins->op);
    switch (info->unit) {
    case SW_UNIT_LSU:
        return info->effects == SW_FX_SYNC ? SW_COUNT_SYNC : SW_COUNT_MEMORY;
    case SW_UNIT_TEX:
        return SW_COUNT_TEXTURE;
    case SW_UNIT_BRANCH:
        return SW_COUNT_CONTROL;
    case SW_UNIT_SYNC:
        return SW_COUNT_SYNC;
    case SW_UNIT_SHFL:
        return SW_COUNT_LANES;
    case SW_UNIT_MMA:
        return SW_COUNT_MATRIX;
    case SW_UNIT_SFU:
        /* Quotients of integers and IEEE ones are sequences on a device. */
        return ins->op == SW_OP_DIV || ins->op == SW_OP_REM ? by_type(ins)
                                                            : SW_COUNT_SPECIAL;
    default:
        if (info->effects == SW_FX_LANES)
            return SW_COUNT_LANES;
        if (info->effects == SW_FX_SYNC)
            return SW_COUNT_SYNC;
        return info->effects == SW_FX_PURE ? by_type(ins) : SW_COUNT_MISC;
    }
}

sw_count_class
sw_count_classify(const sw_ins *ins, unsigned *precision, unsigned *kind,
                  unsigned *elements)
{
    *precision = *kind = *elements = 0;
    switch (ins->op) {
    case SW_OP_AND:
    case SW_OP_OR:
    case SW_OP_XOR:
    case SW_OP_NOT:
    case SW_OP_CNOT:
    case SW_OP_LOP3:
    case SW_OP_SHL:
    case SW_OP_SHR:
    case SW_OP_SHF_L:
    case SW_OP_SHF_R:
    case SW_OP_PRMT:
    case SW_OP_POPC:
    case SW_OP_CLZ:
    case SW_OP_BFIND:
    case SW_OP_FNS:
    case SW_OP_BREV:
    case SW_OP_BFE:
    case SW_OP_BFI:
    case SW_OP_BMSK:
        return SW_COUNT_BIT;
    case SW_OP_MOV:
    case SW_OP_PACK:
    case SW_OP_UNPACK:
    case SW_OP_SELP:
    case SW_OP_SLCT:
    case SW_OP_SREG:
        return SW_COUNT_MOVE;
    case SW_OP_ADDR:
    case SW_OP_CVTA:
        return SW_COUNT_ADDRESS;
    case SW_OP_CVT:
    case SW_OP_CVT_PACK:
        return SW_COUNT_CONVERT;
    case SW_OP_LD:
        return ins->space == SW_SPACE_PARAM ? SW_COUNT_ADDRESS
                                            : SW_COUNT_MEMORY;
    case SW_OP_PREFETCH:
        return SW_COUNT_MEMORY;
    default:
        count_flops(ins, precision, kind, elements);
        return by_unit(ins);
    }
}
