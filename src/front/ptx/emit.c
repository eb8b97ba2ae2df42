/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - the builder: instructions, blocks, branch targets of one function.
 *
 * Blocks come in the order of the text. A block is open until its terminator;
 * what is emitted while none is open starts one. Targets are labels, or blocks
 * by number, until ptx_build_finish.
 */

#include "front/ptx/parse.h"

sw_opnd
ptx_reg_opnd(sw_reg reg)
{
    return (sw_opnd){.kind = reg ? SW_OPND_REG : SW_OPND_NONE, .reg = reg};
}

sw_opnd
ptx_imm_opnd(uint64_t bits)
{
    return (sw_opnd){.kind = SW_OPND_IMM, .imm = bits};
}

sw_type
ptx_reg_type(const ptx_parser *p, sw_reg reg)
{
    return ((sw_reg_info *)sw_vec_at(&p->body.regs, reg))->type;
}

sw_class
ptx_reg_class(const ptx_parser *p, sw_reg reg)
{
    return ((sw_reg_info *)sw_vec_at(&p->body.regs, reg))->cls;
}

sw_type
ptx_class_type(sw_class cls)
{
    switch (cls) {
    case SW_CLASS_PRED:
        return SW_T_PRED;
    case SW_CLASS_B16:
        return SW_T_U16;
    case SW_CLASS_B32:
        return SW_T_U32;
    case SW_CLASS_B64:
        return SW_T_U64;
    case SW_CLASS_B128:
        return SW_T_B128;
    default:
        return SW_T_NONE;
    }
}

sw_type
ptx_bits_type(unsigned bits)
{
    return bits == 8     ? SW_T_B8
           : bits == 16  ? SW_T_B16
           : bits == 32  ? SW_T_B32
           : bits == 64  ? SW_T_B64
           : bits == 128 ? SW_T_B128
                         : SW_T_NONE;
}

void
ptx_block_start(ptx_parser *p, const char *label)
{
    ptx_block *block = sw_vec_push(&p->body.blocks);
    block->first = (uint32_t)p->body.ins.count;
    block->label = label;
    block->target_first = (uint32_t)p->body.targets.count;
    p->body.open = true;
}

sw_ins *
ptx_emit(ptx_parser *p, sw_op op, sw_type type, unsigned ndst, unsigned nsrc)
{
    if (!p->body.open)
        ptx_block_start(p, NULL);
    sw_ins *ins = sw_arena_alloc(p->arena, sizeof *ins);
    ins->op = (uint16_t)op;
    ins->type = (uint8_t)type;
    ins->ndst = (uint8_t)ndst;
    ins->nsrc = (uint8_t)nsrc;
    ins->guard = p->body.guard;
    ins->guard_neg = p->body.guard_neg;
    ins->line = p->ins.line;
    ins->loc = p->loc;
    if (ndst + nsrc)
        ins->opnd = sw_arena_alloc(p->arena, (ndst + nsrc) * sizeof *ins->opnd);
    *(sw_ins **)sw_vec_push(&p->body.ins) = ins;
    return ins;
}

void
ptx_block_end(ptx_parser *p)
{
    p->body.open = false;
}

static void
add_target(ptx_parser *p, ptx_label *label, uint32_t block)
{
    ptx_target *target = sw_vec_push(&p->body.targets);
    ptx_block *last = sw_vec_at(&p->body.blocks, p->body.blocks.count - 1);
    target->label = label;
    target->block = block;
    last->target_count++;
}

void
ptx_target_label(ptx_parser *p, ptx_label *label)
{
    add_target(p, label, 0);
}

void
ptx_target_block(ptx_parser *p, uint32_t block)
{
    add_target(p, NULL, block);
}

bool
ptx_split_begin(ptx_parser *p)
{
    if (!p->body.guard)
        return false;
    ptx_emit(p, SW_OP_BRA, SW_T_NONE, 0, 0);
    uint32_t next = (uint32_t)p->body.blocks.count;
    ptx_target_block(p, next);
    ptx_target_block(p, next + 1);
    ptx_block_end(p);
    ptx_block_start(p, NULL);
    p->body.guard = 0;
    p->body.guard_neg = false;
    return true;
}

sw_reg
ptx_convert(ptx_parser *p, sw_reg reg, sw_type to, sw_type from)
{
    sw_ins *ins = ptx_emit(p, SW_OP_CVT, to, 1, 1);
    ins->stype = (uint8_t)from;
    ins->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, to, NULL));
    ins->opnd[1] = ptx_reg_opnd(reg);
    return ins->opnd[0].reg;
}
