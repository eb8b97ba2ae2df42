/* SPDX-License-Identifier: Apache-2.0 */
/* lower_ctrl.c - branches, returns, traps, and instructions that only hint. */
#include "front/ptx/parse.h"

/* The label an operand names; NULL, with an error, if it is something else. */
static ptx_label *
label_operand(ptx_parser *p, const ptx_opnd *o)
{
    if (o->name.n && (o->kind == OPND_NAME || o->kind == OPND_SYM))
        return ptx_label_get(p, o->name, o->line, o->column);
    ptx_error_at(p, o->line ? o->line : p->ins.line, o->column,
                 "expected a label");
    return NULL;
}

/* bra[.uni] L */
void
ptx_lower_bra(ptx_parser *p, ptx_ins *in)
{
    bool uni = ptx_take(in, M_UNI);
    if (ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 1, 1))
        return;
    ptx_label *label = label_operand(p, ptx_op(in, 0));
    if (!label)
        return;
    sw_ins *ins = ptx_emit(p, SW_OP_BRA, SW_T_NONE, 0, 0);
    ins->flags = uni ? SW_F_UNI : 0;
    ptx_target_label(p, label);
    if (ins->guard)
        ptx_target_block(p, (uint32_t)p->body.blocks.count);
    ptx_block_end(p);
    if (ins->guard)
        ptx_block_start(p, NULL);
}

/* brx.idx[.uni] index, list */
void
ptx_lower_brx(ptx_parser *p, ptx_ins *in)
{
    bool uni, idx = ptx_take(in, M_IDX);
    uni = ptx_take(in, M_UNI);
    if (!idx || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 2))
        return;
    ptx_label *list = label_operand(p, ptx_op(in, 1));
    if (!list)
        return;
    bool split = ptx_split_begin(p);
    sw_opnd index = ptx_source(p, ptx_op(in, 0), SW_T_U32);
    sw_ins *ins = ptx_emit(p, SW_OP_BRX, SW_T_NONE, 0, 1);
    ins->flags = uni ? SW_F_UNI : 0;
    ins->opnd[0] = index;
    ptx_target_label(p, list);
    ptx_block_end(p);
    if (split)
        ptx_block_start(p, NULL);
}

/* ret[.uni]; exit */
void
ptx_lower_ret(ptx_parser *p, ptx_ins *in)
{
    ptx_take(in, M_UNI);
    if (ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 0, 0))
        return;
    bool split = ptx_split_begin(p);
    ptx_emit(p, (sw_op)in->row->op, SW_T_NONE, 0, 0);
    ptx_block_end(p);
    if (split)
        ptx_block_start(p, NULL);
}

void
ptx_lower_trap(ptx_parser *p, ptx_ins *in)
{
    if (ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 0, 0))
        return;
    bool split = ptx_split_begin(p);
    ptx_emit(p, SW_OP_TRAP, SW_T_NONE, 0, 0);
    ptx_emit(p, SW_OP_EXIT, SW_T_NONE, 0, 0);
    ptx_block_end(p);
    if (split)
        ptx_block_start(p, NULL);
}

/* brkpt; pmevent n; pmevent.mask n; nanosleep.u32 n;
 * setmaxnreg.inc.sync.aligned.u32 n */
void
ptx_lower_hint(ptx_parser *p, ptx_ins *in)
{
    sw_op op = (sw_op)in->row->op;
    bool value = op == SW_OP_PMEVENT || op == SW_OP_NANOSLEEP;
    unsigned count = op == SW_OP_BRKPT ? 0 : 1;
    sw_type type = ptx_take_type(in);
    ptx_take(in, M_MASK);
    ptx_take(in, M_INC);
    ptx_take(in, M_DEC);
    ptx_take(in, M_SYNC);
    ptx_take(in, M_ALIGNED);
    if (ptx_left_over(in) || (type && type != SW_T_U32)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, count, count))
        return;
    sw_opnd src = {0};
    if (value)
        src = ptx_source(p, ptx_op(in, 0), SW_T_U32);
    sw_ins *ins = ptx_emit(p, op, SW_T_NONE, 0, value);
    if (value)
        ins->opnd[0] = src;
}
