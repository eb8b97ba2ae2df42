/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower_launch.c - clusterlaunchcontrol (PTX ISA 9.7.13.18): a block asks for
 * the work of one that has not begun.
 *
 * A device may answer that there is none. Here it always does: each block runs
 * as its own, which is right for every program, since it cannot know how many
 * have begun. An answer is 16 bytes; zero is that nothing was cancelled.
 */
#include "front/ptx/parse.h"

enum { ANSWER_BYTES = 16, ANSWER_WORDS = 4 };

static sw_ins *
emit_store(ptx_parser *p, sw_opnd at, uint8_t space)
{
    sw_ins *ins = ptx_emit(p, SW_OP_ST, SW_T_B64, 0, 3);
    ins->vec = 2;
    ins->space = space;
    ins->opnd[0] = at;
    ins->opnd[1] = ptx_imm_opnd(0);
    ins->opnd[2] = ptx_imm_opnd(0);
    return ins;
}

/* .try_cancel.async[.space].mbarrier::complete_tx::bytes.b128 [answer], [bar]
 */
static void
lower_try(ptx_parser *p, ptx_ins *in)
{
    bool ok = ptx_take(in, M_ASYNC);
    uint8_t space = (uint8_t)ptx_take_of(in, ptx_mod_space, SW_SPACE_GENERIC);
    ok = ok && ptx_take(in, M_COMPLETE_TX) && ptx_take_type(in) == SW_T_B128;
    if (!ok || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 2))
        return;
    sw_opnd answer = ptx_whole_address(p, in, ptx_op(in, 0), space);
    sw_opnd bar = ptx_whole_address(p, in, ptx_op(in, 1), space);
    emit_store(p, answer, space);
    sw_ins *ins = ptx_emit(p, SW_OP_MBAR_EXPECT_TX, SW_T_NONE, 0, 2);
    ins->sub = 1; /* bytes have come */
    ins->space = space;
    ins->opnd[0] = bar;
    ins->opnd[1] = ptx_imm_opnd(ANSWER_BYTES);
}

/* .query_cancel.is_canceled.pred.b128 p, a;
 * .query_cancel.get_first_ctaid.v4.b32.b128 {x, y, z, _}, a, or ::x.b32.b128 x,
 * a, whose results are none if nothing was cancelled */
static void
lower_query(ptx_parser *p, ptx_ins *in)
{
    static const ptx_mod parts[] = {M_FIRST_X, M_FIRST_Y, M_FIRST_Z};
    bool asks = ptx_take(in, M_IS_CANCELED), one = false;
    bool all = !asks && ptx_take(in, M_FIRST_CTAID) && ptx_take(in, M_V4);
    for (unsigned i = 0; !asks && !all && i < 3; i++)
        one = one || ptx_take(in, parts[i]);
    sw_type type = ptx_take_type(in);
    bool ok = (asks && type == SW_T_PRED) || ((all || one) && type == SW_T_B32);
    if (!ok || ptx_take_type(in) != SW_T_B128 || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 2))
        return;
    ptx_source(p, ptx_op(in, 1), SW_T_B128);
    const ptx_opnd *to;
    unsigned count = ptx_vector(in, ptx_op(in, 0), &to);
    if (count != (all ? ANSWER_WORDS : 1u)) {
        ptx_error_at(p, in->line, in->column, "expected %u result%s",
                     all ? ANSWER_WORDS : 1u, all ? "s" : "");
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        if (to[i].kind == OPND_NONE)
            continue;
        sw_ins *ins = asks ? ptx_emit(p, SW_OP_SETP, SW_T_U32, 1, 2)
                           : ptx_emit(p, SW_OP_MOV, SW_T_B32, 1, 1);
        ins->opnd[0] = ptx_dest(p, &to[i], type);
        ins->opnd[1] = ptx_imm_opnd(0);
        if (asks) {
            ins->cmp = SW_CMP_NE;
            ins->opnd[2] = ptx_imm_opnd(0);
        }
    }
}

void
ptx_lower_launchcontrol(ptx_parser *p, ptx_ins *in)
{
    if (ptx_take(in, M_TRY_CANCEL))
        lower_try(p, in);
    else if (ptx_take(in, M_QUERY_CANCEL))
        lower_query(p, in);
    else
        ptx_unsupported(p, in);
}
