/* SPDX-License-Identifier: Apache-2.0 */
/* lower_warp.c - barriers, warp-level exchange, mbarrier objects. */
#include "front/ptx/parse.h"

/* ---- bar, barrier ---- */

static void
lower_bar_warp(ptx_parser *p, ptx_ins *in)
{
    if (!ptx_take(in, M_SYNC) || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 1, 1))
        return;
    sw_opnd mask = ptx_source(p, ptx_op(in, 0), SW_T_B32);
    sw_ins *ins = ptx_emit(p, SW_OP_BAR_WARP, SW_T_NONE, 0, 1);
    ins->opnd[0] = mask;
}

static int
take_bar_mode(ptx_ins *in)
{
    if (ptx_take(in, M_SYNC))
        return SW_BAR_SYNC;
    if (ptx_take(in, M_ARRIVE))
        return SW_BAR_ARRIVE;
    if (!ptx_take(in, M_RED))
        return -1;
    return ptx_take(in, M_POPC)  ? SW_BAR_RED_POPC
           : ptx_take(in, M_AND) ? SW_BAR_RED_AND
           : ptx_take(in, M_OR)  ? SW_BAR_RED_OR
                                 : -1;
}

/* barrier.cluster.arrive[.release|.relaxed][.aligned];
 * barrier.cluster.wait[.acquire][.aligned] */
static void
lower_bar_cluster(ptx_parser *p, ptx_ins *in)
{
    bool wait = ptx_take(in, M_WAIT);
    bool ok = wait || ptx_take(in, M_ARRIVE);
    int order = ptx_take_of(in, ptx_mod_order,
                            wait ? SW_ORDER_ACQUIRE : SW_ORDER_RELEASE);
    bool aligned = ptx_take(in, M_ALIGNED);
    if (!ok || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 0, 0))
        return;
    sw_ins *ins = ptx_emit(p, SW_OP_BAR_CLUSTER, SW_T_NONE, 0, 0);
    ins->sub = wait ? SW_BAR_CLUSTER_WAIT : SW_BAR_CLUSTER_ARRIVE;
    ins->order = (uint8_t)order;
    ins->flags = aligned ? SW_F_ALIGNED : 0;
}

/* bar.sync a[, b]; bar.arrive a, b; bar.red.op.type d, a[, b], p */
void
ptx_lower_bar(ptx_parser *p, ptx_ins *in)
{
    bool is_bar = sw_str_has_prefix(in->text, "bar.");
    ptx_take(in, M_CTA);
    if (!is_bar && ptx_take(in, M_CLUSTER)) {
        lower_bar_cluster(p, in);
        return;
    }
    if (ptx_take(in, M_WARP)) {
        lower_bar_warp(p, in);
        return;
    }
    int sub = take_bar_mode(in);
    bool aligned = ptx_take(in, M_ALIGNED) || is_bar;
    bool red = sub >= SW_BAR_RED_POPC;
    sw_type type = red ? ptx_take_type(in) : SW_T_NONE;
    sw_type want = sub == SW_BAR_RED_POPC ? SW_T_U32 : SW_T_PRED;
    if (sub < 0 || ptx_left_over(in) || (red && type != want)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, red ? 3 : sub == SW_BAR_ARRIVE ? 2 : 1, red ? 4 : 2))
        return;
    unsigned nsrc = in->opnd_count - red;
    sw_opnd src[3];
    for (unsigned i = 0; i < nsrc; i++)
        src[i] = red && i == nsrc - 1
                     ? ptx_source_pred(p, ptx_op(in, i + red))
                     : ptx_source(p, ptx_op(in, i + red), SW_T_U32);
    sw_ins *ins = ptx_emit(p, SW_OP_BAR, type, red, nsrc);
    ins->sub = (uint8_t)sub;
    ins->stype = (uint8_t)type;
    ins->flags = aligned ? SW_F_ALIGNED : 0;
    if (red)
        ins->opnd[0] = ptx_dest(p, ptx_op(in, 0), type);
    for (unsigned i = 0; i < nsrc; i++)
        ins->opnd[red + i] = src[i];
}

/* ---- exchange ---- */

/* shfl[.sync].mode.b32 d[|p], a, b, c[, mask] */
void
ptx_lower_shfl(ptx_parser *p, ptx_ins *in)
{
    bool sync = ptx_take(in, M_SYNC);
    int sub = ptx_take(in, M_UP)     ? SW_SHFL_UP
              : ptx_take(in, M_DOWN) ? SW_SHFL_DOWN
              : ptx_take(in, M_BFLY) ? SW_SHFL_BFLY
              : ptx_take(in, M_IDX)  ? SW_SHFL_IDX
                                     : -1;
    if (sub < 0 || ptx_take_type(in) != SW_T_B32 || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 4u + sync, 4u + sync))
        return;
    unsigned nsrc = 3u + sync;
    sw_opnd src[4], dst = ptx_dest(p, ptx_op(in, 0), SW_T_B32);
    for (unsigned i = 0; i < nsrc; i++)
        src[i] = ptx_source(p, ptx_op(in, i + 1), SW_T_B32);
    sw_ins *ins = ptx_emit(p, SW_OP_SHFL, SW_T_B32, in->pair ? 2 : 1, nsrc);
    ins->sub = (uint8_t)sub;
    ins->opnd[0] = dst;
    if (in->pair)
        ins->opnd[1] = ptx_dest(p, &in->second, SW_T_PRED);
    for (unsigned i = 0; i < nsrc; i++)
        ins->opnd[ins->ndst + i] = src[i];
}

/* vote[.sync].mode.type d, [!]p[, mask] */
void
ptx_lower_vote(ptx_parser *p, ptx_ins *in)
{
    bool sync = ptx_take(in, M_SYNC);
    int sub = ptx_take(in, M_ALL)      ? SW_VOTE_ALL
              : ptx_take(in, M_ANY)    ? SW_VOTE_ANY
              : ptx_take(in, M_UNI)    ? SW_VOTE_UNI
              : ptx_take(in, M_BALLOT) ? SW_VOTE_BALLOT
                                       : -1;
    sw_type type = ptx_take_type(in);
    sw_type want = sub == SW_VOTE_BALLOT ? SW_T_B32 : SW_T_PRED;
    if (sub < 0 || type != want || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2u + sync, 2u + sync))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), type), mask = {0};
    sw_opnd pred = ptx_source_pred(p, ptx_op(in, 1));
    if (sync)
        mask = ptx_source(p, ptx_op(in, 2), SW_T_B32);
    sw_ins *ins = ptx_emit(p, SW_OP_VOTE, type, 1, 1u + sync);
    ins->sub = (uint8_t)sub;
    ins->opnd[0] = dst;
    ins->opnd[1] = pred;
    if (sync)
        ins->opnd[2] = mask;
}

/* match.any.sync.type d, a, mask; match.all.sync.type d[|p], a, mask */
void
ptx_lower_match(ptx_parser *p, ptx_ins *in)
{
    bool all = ptx_take(in, M_ALL);
    bool ok = (all || ptx_take(in, M_ANY)) && ptx_take(in, M_SYNC);
    sw_type type = ptx_take_type(in);
    if (!ok || (type != SW_T_B32 && type != SW_T_B64) || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 3, 3))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), SW_T_B32);
    sw_opnd a = ptx_source(p, ptx_op(in, 1), type);
    sw_opnd mask = ptx_source(p, ptx_op(in, 2), SW_T_B32);
    sw_ins *ins = ptx_emit(p, SW_OP_MATCH, type, in->pair ? 2 : 1, 2);
    ins->sub = all;
    ins->opnd[0] = dst;
    if (in->pair)
        ins->opnd[1] = ptx_dest(p, &in->second, SW_T_PRED);
    ins->opnd[ins->ndst] = a;
    ins->opnd[ins->ndst + 1] = mask;
}

/* redux.sync.op[.abs][.NaN].type d, a, mask */
void
ptx_lower_redux(ptx_parser *p, ptx_ins *in)
{
    bool sync = ptx_take(in, M_SYNC);
    int sub = ptx_take_of(in, ptx_mod_atom, -1);
    bool abs = ptx_take(in, M_ABS), nan = ptx_take(in, M_UP_NAN);
    sw_type type = ptx_take_type(in);
    bool logic = sub == SW_ATOM_AND || sub == SW_ATOM_OR || sub == SW_ATOM_XOR;
    bool ok =
        sub == SW_ATOM_ADD || sub == SW_ATOM_MIN || sub == SW_ATOM_MAX || logic;
    if (logic ? type != SW_T_B32
              : type != SW_T_U32 && type != SW_T_S32 && type != SW_T_F32)
        ok = false;
    if (!sync || !ok || (abs && type != SW_T_F32) || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 3, 3))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), type);
    sw_opnd a = ptx_source(p, ptx_op(in, 1), type);
    if (abs) {
        sw_ins *sign = ptx_emit(p, SW_OP_AND, SW_T_B32, 1, 2);
        sign->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, SW_T_B32, NULL));
        sign->opnd[1] = a;
        sign->opnd[2] = ptx_imm_opnd(0x7fffffff);
        a = sign->opnd[0];
    }
    sw_opnd mask = ptx_source(p, ptx_op(in, 2), SW_T_B32);
    sw_ins *ins =
        ptx_emit(p, SW_OP_REDUX, type == SW_T_B32 ? SW_T_U32 : type, 1, 2);
    ins->sub = (uint8_t)sub;
    ins->flags = nan ? SW_F_NAN : 0;
    ins->opnd[0] = dst;
    ins->opnd[1] = a;
    ins->opnd[2] = mask;
}

void
ptx_lower_activemask(ptx_parser *p, ptx_ins *in)
{
    if (ptx_take_type(in) != SW_T_B32 || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 1, 1))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), SW_T_B32);
    ptx_emit(p, SW_OP_ACTIVEMASK, SW_T_B32, 1, 0)->opnd[0] = dst;
}

/* elect.sync d|p, mask */
void
ptx_lower_elect(ptx_parser *p, ptx_ins *in)
{
    if (!ptx_take(in, M_SYNC) || ptx_left_over(in) || !in->pair) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 2))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), SW_T_B32);
    sw_opnd mask = ptx_source(p, ptx_op(in, 1), SW_T_B32);
    sw_ins *ins = ptx_emit(p, SW_OP_ELECT, SW_T_NONE, 2, 1);
    ins->opnd[0] = dst;
    ins->opnd[1] = ptx_dest(p, &in->second, SW_T_PRED);
    ins->opnd[2] = mask;
}

void
ptx_lower_griddep(ptx_parser *p, ptx_ins *in)
{
    bool ok = ptx_take(in, M_LAUNCH) || ptx_take(in, M_WAIT);
    if (!ok || ptx_left_over(in))
        ptx_unsupported(p, in);
    else if (ptx_need(p, in, 0, 0))
        ptx_emit(p, SW_OP_GRIDDEPCONTROL, SW_T_NONE, 0, 0);
}

/* ---- mbarrier ---- */

typedef struct {
    sw_op op;
    uint8_t sub;
    uint64_t imm;
    sw_type dst;       /* NONE: no destination */
    unsigned min, max; /* sources behind the address */
    sw_type src;
} mbar_form;

static bool
take_arrive(ptx_ins *in, mbar_form *f)
{
    bool drop = ptx_take(in, M_ARRIVE_DROP);
    if (!drop && !ptx_take(in, M_ARRIVE))
        return false;
    bool tx = ptx_take(in, M_EXPECT_TX), no = ptx_take(in, M_NOCOMPLETE);
    uint8_t sub = drop ? no ? SW_MBAR_DROP_NOCOMPLETE : SW_MBAR_DROP
                  : no ? SW_MBAR_NOCOMPLETE
                       : SW_MBAR_PLAIN;
    *f = (mbar_form){.op = SW_OP_MBAR_ARRIVE,
                     .sub = sub,
                     .imm = tx,
                     .dst = SW_T_B64,
                     .min = tx || no ? 1 : 0,
                     .max = 1,
                     .src = SW_T_U32};
    return true;
}

static bool
take_form(ptx_ins *in, mbar_form *f)
{
    *f = (mbar_form){0};
    if (ptx_take(in, M_INIT)) {
        *f = (mbar_form){
            .op = SW_OP_MBAR_INIT, .min = 1, .max = 1, .src = SW_T_U32};
        return true;
    }
    if (ptx_take(in, M_INVAL)) {
        *f = (mbar_form){.op = SW_OP_MBAR_INVAL};
        return true;
    }
    if (take_arrive(in, f))
        return true;
    bool complete = ptx_take(in, M_COMPLETE_TX_ONLY);
    if (complete || ptx_take(in, M_EXPECT_TX)) {
        *f = (mbar_form){.op = SW_OP_MBAR_EXPECT_TX,
                         .sub = complete,
                         .min = 1,
                         .max = 1,
                         .src = SW_T_U32};
        return true;
    }
    bool try_wait = ptx_take(in, M_TRY_WAIT);
    if (!try_wait && !ptx_take(in, M_TEST_WAIT))
        return false;
    bool parity = ptx_take(in, M_PARITY);
    *f = (mbar_form){.op = SW_OP_MBAR_TEST,
                     .sub = parity,
                     .imm = try_wait,
                     .dst = SW_T_PRED,
                     .min = 1,
                     .max = try_wait ? 2 : 1,
                     .src = parity ? SW_T_U32 : SW_T_B64};
    return true;
}

static void
lower_pending_count(ptx_parser *p, ptx_ins *in)
{
    if (ptx_take_type(in) != SW_T_B64 || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 2))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), SW_T_B32);
    sw_opnd src = ptx_source(p, ptx_op(in, 1), SW_T_B64);
    sw_ins *ins = ptx_emit(p, SW_OP_MBAR_PENDING, SW_T_NONE, 1, 1);
    ins->opnd[0] = dst;
    ins->opnd[1] = src;
}

/* mbarrier.form[.order][.scope][.space].b64 [d,] [addr][, operand[, hint]] */
void
ptx_lower_mbarrier(ptx_parser *p, ptx_ins *in)
{
    mbar_form f;
    if (ptx_take(in, M_PENDING_COUNT)) {
        lower_pending_count(p, in);
        return;
    }
    bool ok = take_form(in, &f);
    int order = ptx_take_of(in, ptx_mod_order, SW_ORDER_WEAK);
    int scope = ptx_take_of(in, ptx_mod_scope, SW_SCOPE_NONE);
    uint8_t space = (uint8_t)ptx_take_of(in, ptx_mod_space, SW_SPACE_GENERIC);
    if (!ok || ptx_take_type(in) != SW_T_B64 || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    /* arrive may be without its result */
    bool has_dst = f.dst != SW_T_NONE && !(f.op == SW_OP_MBAR_ARRIVE &&
                                           ptx_op(in, 0)->kind == OPND_MEMORY);
    unsigned at = has_dst;
    if (!ptx_need(p, in, at + 1 + f.min, at + 1 + f.max))
        return;
    sw_opnd addr, dst = {0}, src = {0};
    int64_t offset;
    bool has_src = in->opnd_count > at + 1 && f.max;
    if (has_dst)
        dst = ptx_dest(p, ptx_op(in, 0), f.dst);
    ptx_address(p, in, ptx_op(in, at), &addr, &offset, &space);
    if (has_src)
        src = ptx_source(p, ptx_op(in, at + 1), f.src);
    sw_ins *ins = ptx_emit(p, f.op, SW_T_NONE, has_dst, 1u + has_src);
    ins->sub = f.sub;
    ins->imm = f.imm;
    ins->order = (uint8_t)order;
    ins->scope = (uint8_t)scope;
    ins->space = space;
    ins->offset = offset;
    if (has_dst)
        ins->opnd[0] = dst;
    ins->opnd[at] = addr;
    if (has_src)
        ins->opnd[at + 1] = src;
}
