/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower_alu.c - the common arithmetic shape: d, a[, b[, c[, e]]] of one type,
 * with rounding, .ftz, .sat and the like, as mnemonics.def allows them.
 */
#include "front/ptx/parse.h"

enum { FIRST_SM_WITH_SUBNORMALS = 20, VERSION_1_4 = 14 };

static void
take_flags(ptx_ins *in, unsigned allowed, sw_ins *out)
{
    static const struct {
        ptx_mod mod;
        uint16_t allow, flag;
    } flags[] = {{M_FTZ, ALLOW_FTZ, SW_F_FTZ},
                 {M_SAT, ALLOW_SAT, SW_F_SAT},
                 {M_SATFINITE, ALLOW_SAT, SW_F_SAT},
                 {M_APPROX, ALLOW_APPROX, SW_F_APPROX},
                 {M_FULL, ALLOW_FULL, SW_F_FULL},
                 {M_UP_NAN, ALLOW_NAN, SW_F_NAN},
                 {M_RELU, ALLOW_RELU, SW_F_RELU},
                 {M_OOB, ALLOW_OOB, SW_F_OOB}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if ((allowed & flags[i].allow) && ptx_take(in, flags[i].mod))
            out->flags |= flags[i].flag;
    if ((allowed & ALLOW_NAN) && ptx_take(in, M_XORSIGN) && ptx_take(in, M_ABS))
        out->flags |= SW_F_XORSIGN;
    if (allowed & ALLOW_RND)
        out->rnd = (uint8_t)ptx_take_of(in, ptx_mod_rnd, SW_RND_NONE);
}

/* The type of operand i (0 is the destination) of an instruction of `type`. */
static sw_type
operand_type(sw_op op, unsigned i, sw_type type)
{
    switch (op) {
    case SW_OP_SHL:
    case SW_OP_SHR:
    case SW_OP_SZEXT:
    case SW_OP_BMSK:
        return i == 2 ? SW_T_U32 : type;
    case SW_OP_SHF_L:
    case SW_OP_SHF_R:
        return i == 3 ? SW_T_U32 : type;
    case SW_OP_BFE:
        return i >= 2 ? SW_T_U32 : type;
    case SW_OP_BFI:
        return i >= 3 ? SW_T_U32 : type;
    case SW_OP_POPC:
    case SW_OP_CLZ:
    case SW_OP_BFIND:
        return i == 0 ? SW_T_B32 : type;
    case SW_OP_MUL_WIDE:
        return i == 0 ? sw_type_wide(type) : type;
    case SW_OP_MAD_WIDE:
        return i == 0 || i == 3 ? sw_type_wide(type) : type;
    case SW_OP_TESTP:
        return i == 0 ? SW_T_PRED : type;
    default:
        return type;
    }
}

/* PTX before 1.4: f32 functions are approximate, f64 ones rounded. From 1.4
 * something must be said. */
static bool
add_default(ptx_parser *p, const ptx_ins *in, sw_ins *ins)
{
    if (ins->rnd || (ins->flags & (SW_F_APPROX | SW_F_FULL)) ||
        sw_type_kind((sw_type)ins->type) != SW_KIND_FLOAT)
        return true;
    if (p->module->version >= VERSION_1_4) {
        ptx_error_at(p, in->line, in->column,
                     "expected a rounding, .approx or .full in %.*s",
                     (int)in->text.n, in->text.p);
        return false;
    }
    if (ins->type == SW_T_F32)
        ins->flags |= SW_F_APPROX;
    else
        ins->rnd = SW_RND_RN;
    return true;
}

/* sm_1x had no f32 subnormals: .ftz is implied. */
static void
add_ftz(const ptx_parser *p, sw_ins *ins)
{
    if (p->module->target < FIRST_SM_WITH_SUBNORMALS && ins->type == SW_T_F32)
        ins->flags |= SW_F_FTZ;
}

static bool
is_short_float(sw_type type)
{
    return type == SW_T_F16 || type == SW_T_BF16 || type == SW_T_F16X2 ||
           type == SW_T_BF16X2;
}

/* Which float types an operation has. */
static bool
float_op_fits(sw_op op, sw_type type)
{
    switch (op) {
    case SW_OP_DIV:
    case SW_OP_RCP:
    case SW_OP_SQRT:
    case SW_OP_RSQRT:
    case SW_OP_TESTP:
    case SW_OP_COPYSIGN:
        return type == SW_T_F32 || type == SW_T_F64;
    case SW_OP_SIN:
    case SW_OP_COS:
    case SW_OP_LG2:
        return type == SW_T_F32;
    case SW_OP_EX2:
    case SW_OP_TANH:
        return type == SW_T_F32 || is_short_float(type);
    default:
        return true;
    }
}

static bool
float_fits(sw_op op, const sw_ins *ins)
{
    sw_type type = (sw_type)ins->type;
    unsigned flags = ins->flags;
    bool brain = type == SW_T_BF16 || type == SW_T_BF16X2;
    if (!float_op_fits(op, type) || ins->rnd > SW_RND_RP ||
        (is_short_float(type) && ins->rnd > SW_RND_RN))
        return false;
    if ((flags & SW_F_SAT) && (brain || type == SW_T_F64 || type == SW_T_F32X2))
        return false;
    if ((flags & SW_F_FTZ) &&
        ((brain && op != SW_OP_EX2) ||
         (type == SW_T_F64 && op != SW_OP_RCP && op != SW_OP_RSQRT)))
        return false;
    if ((flags & SW_F_RELU) && (op != SW_OP_FMA || !is_short_float(type)))
        return false;
    if ((flags & SW_F_APPROX) && type == SW_T_F64)
        return op == SW_OP_RCP || op == SW_OP_RSQRT;
    return !(flags & SW_F_FULL) || type == SW_T_F32;
}

/* Whether the modifiers go with the type. Integers take no rounding, and
 * saturate as .s32 only. */
static bool
flags_fit(sw_op op, const sw_ins *ins)
{
    sw_type type = (sw_type)ins->type;
    unsigned flags = ins->flags;
    if (ptx_type_in(type, SW_TS_FLOAT))
        return float_fits(op, ins);
    bool mul24 = op >= SW_OP_MUL24_LO && op <= SW_OP_MAD24_HI;
    if ((op == SW_OP_BMSK || mul24) && sw_type_class(type) != SW_CLASS_B32)
        return false;
    if (sw_type_kind(type) == SW_KIND_PACKED && op != SW_OP_ADD &&
        op != SW_OP_MIN && op != SW_OP_MAX)
        return false;
    if (ins->rnd || (flags & ~(unsigned)(SW_F_SAT | SW_F_RELU)))
        return false;
    return !flags || type == SW_T_S32 ||
           (type == SW_T_S16X2 && flags == SW_F_RELU);
}

static bool
is_function_unit(sw_op op)
{
    return op == SW_OP_RSQRT || op == SW_OP_SIN || op == SW_OP_COS ||
           op == SW_OP_LG2 || op == SW_OP_EX2 || op == SW_OP_TANH;
}

/* Once the op is known and the modifiers that choose it are taken: the rest.
 * `sub` goes into the instruction. */
static void
lower_as(ptx_parser *p, ptx_ins *in, sw_op op, uint8_t sub)
{
    sw_ins want = {.sub = sub};
    unsigned nsrc = sw_op_get_info(op)->srcs;
    take_flags(in, in->row->allowed, &want);
    sw_type type = ptx_take_type(in), from = SW_T_NONE;
    if (in->row->allowed & ALLOW_MIXED)
        from = ptx_take_type(in);
    if (is_function_unit(op))
        want.flags |= SW_F_APPROX;
    want.type = (uint8_t)type;
    if (ptx_left_over(in) || !ptx_type_in(type, sw_op_get_info(op)->types) ||
        !flags_fit(op, &want) ||
        (from && (type != SW_T_F32 || (from != SW_T_F16 && from != SW_T_BF16 &&
                                       from != SW_T_F32)))) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, nsrc + 1, nsrc + 1))
        return;
    if ((in->row->allowed & ALLOW_DEFAULT) && !add_default(p, in, &want))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), operand_type(op, 0, type));
    sw_opnd src[4];
    for (unsigned i = 0; i < nsrc; i++) {
        /* mixed precision: the last addend is of the wide type */
        bool narrow =
            from && from != type && (op == SW_OP_FMA ? i < 2 : i == 0);
        sw_type t = narrow ? from : operand_type(op, i + 1, type);
        src[i] = ptx_source(p, ptx_op(in, i + 1), t);
        if (narrow && src[i].kind == SW_OPND_REG)
            src[i] = ptx_reg_opnd(ptx_convert(p, src[i].reg, type, from));
        else if (narrow)
            src[i] = ptx_source(p, ptx_op(in, i + 1), type);
    }
    sw_ins *ins = ptx_emit(p, op, type, 1, nsrc);
    ins->flags = want.flags;
    ins->rnd = want.rnd;
    ins->sub = sub;
    ins->opnd[0] = dst;
    for (unsigned i = 0; i < nsrc; i++)
        ins->opnd[1 + i] = src[i];
    add_ftz(p, ins);
}

void
ptx_lower_alu(ptx_parser *p, ptx_ins *in)
{
    lower_as(p, in, (sw_op)in->row->op, 0);
}

/* ---- carries ---- */

static sw_opnd
carry(ptx_parser *p)
{
    if (!p->body.cc)
        p->body.cc = ptx_reg_new(p, SW_T_PRED, "%cc");
    return ptx_reg_opnd(p->body.cc);
}

/* d, a, b[, c] with the carry read if `reads`, written if .cc is there. */
static void
lower_carry(ptx_parser *p, ptx_ins *in, sw_op op, bool reads, bool writes)
{
    bool is_mad = op == SW_OP_MADC_LO || op == SW_OP_MADC_HI;
    unsigned nsrc = is_mad ? 3 : 2;
    sw_type type = ptx_take_type(in);
    if (ptx_left_over(in) || !ptx_type_in(type, SW_TS_INT) ||
        (writes && sw_type_bits(type) < 32)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, nsrc + 1, nsrc + 1))
        return;
    sw_opnd src[3], dst = ptx_dest(p, ptx_op(in, 0), type);
    for (unsigned i = 0; i < nsrc; i++)
        src[i] = ptx_source(p, ptx_op(in, i + 1), type);
    sw_ins *ins = ptx_emit(p, op, type, writes ? 2 : 1, nsrc + 1);
    ins->opnd[0] = dst;
    if (writes)
        ins->opnd[1] = carry(p);
    for (unsigned i = 0; i < nsrc; i++)
        ins->opnd[ins->ndst + i] = src[i];
    ins->opnd[ins->ndst + nsrc] =
        reads ? carry(p) : ptx_imm_opnd(op == SW_OP_SUBC);
}

void
ptx_lower_add(ptx_parser *p, ptx_ins *in)
{
    sw_op op = (sw_op)in->row->op;
    if (ptx_take(in, M_CC))
        lower_carry(p, in, op == SW_OP_ADD ? SW_OP_ADDC : SW_OP_SUBC, false,
                    true);
    else
        lower_as(p, in, op, 0);
}

void
ptx_lower_addc(ptx_parser *p, ptx_ins *in)
{
    lower_carry(p, in, (sw_op)in->row->op, true, ptx_take(in, M_CC));
}

void
ptx_lower_madc(ptx_parser *p, ptx_ins *in)
{
    bool cc = ptx_take(in, M_CC), hi = ptx_take(in, M_HI);
    if (!hi && !ptx_take(in, M_LO))
        ptx_unsupported(p, in);
    else
        lower_carry(p, in, hi ? SW_OP_MADC_HI : SW_OP_MADC_LO, true, cc);
}

/* ---- products ---- */

void
ptx_lower_mul(ptx_parser *p, ptx_ins *in)
{
    sw_op op = ptx_take(in, M_LO)     ? SW_OP_MUL_LO
               : ptx_take(in, M_HI)   ? SW_OP_MUL_HI
               : ptx_take(in, M_WIDE) ? SW_OP_MUL_WIDE
                                      : SW_OP_MUL;
    lower_as(p, in, op, 0);
}

void
ptx_lower_mad(ptx_parser *p, ptx_ins *in)
{
    bool cc = ptx_take(in, M_CC);
    bool old = p->module->target < FIRST_SM_WITH_SUBNORMALS;
    bool f32 = in->mod_count && in->mods[in->mod_count - 1] == M_F32;
    /* mad.f32 is fma from sm_20 on, mad.f64 always. */
    sw_op op = ptx_take(in, M_LO)     ? SW_OP_MAD_LO
               : ptx_take(in, M_HI)   ? SW_OP_MAD_HI
               : ptx_take(in, M_WIDE) ? SW_OP_MAD_WIDE
               : old && f32           ? SW_OP_MAD
                                      : SW_OP_FMA;
    if (!cc)
        lower_as(p, in, op, 0);
    else if (op == SW_OP_MAD_LO || op == SW_OP_MAD_HI)
        lower_carry(p, in, op == SW_OP_MAD_HI ? SW_OP_MADC_HI : SW_OP_MADC_LO,
                    false, true);
    else
        ptx_unsupported(p, in);
}

void
ptx_lower_mul24(ptx_parser *p, ptx_ins *in)
{
    bool mad = in->row->op == SW_OP_MAD24_LO;
    bool hi = ptx_take(in, M_HI);
    if (!hi && !ptx_take(in, M_LO)) {
        ptx_unsupported(p, in);
        return;
    }
    lower_as(p, in,
             mad ? (hi ? SW_OP_MAD24_HI : SW_OP_MAD24_LO)
                 : (hi ? SW_OP_MUL24_HI : SW_OP_MUL24_LO),
             0);
}

/* ---- the rest of integer arithmetic ---- */

void
ptx_lower_minmax(ptx_parser *p, ptx_ins *in)
{
    bool min = in->row->op == SW_OP_MIN;
    if (in->opnd_count == 4)
        lower_as(p, in, min ? SW_OP_MIN3 : SW_OP_MAX3, 0);
    else
        lower_as(p, in, min ? SW_OP_MIN : SW_OP_MAX, 0);
}

void
ptx_lower_bfind(ptx_parser *p, ptx_ins *in)
{
    lower_as(p, in, SW_OP_BFIND, ptx_take(in, M_SHIFTAMT));
}

void
ptx_lower_szext(ptx_parser *p, ptx_ins *in)
{
    bool wrap = ptx_take(in, M_WRAP);
    if (!wrap && !ptx_take(in, M_CLAMP))
        ptx_unsupported(p, in);
    else
        lower_as(p, in, (sw_op)in->row->op, wrap);
}

void
ptx_lower_shf(ptx_parser *p, ptx_ins *in)
{
    bool left = ptx_take(in, M_L), wrap = ptx_take(in, M_WRAP);
    if ((!left && !ptx_take(in, M_R)) || (!wrap && !ptx_take(in, M_CLAMP)))
        ptx_unsupported(p, in);
    else
        lower_as(p, in, left ? SW_OP_SHF_L : SW_OP_SHF_R, wrap);
}

void
ptx_lower_prmt(ptx_parser *p, ptx_ins *in)
{
    static const struct {
        ptx_mod mod;
        uint8_t sub;
    } modes[] = {{M_F4E, SW_PRMT_F4E}, {M_B4E, SW_PRMT_B4E},
                 {M_RC8, SW_PRMT_RC8}, {M_ECL, SW_PRMT_ECL},
                 {M_ECR, SW_PRMT_ECR}, {M_RC16, SW_PRMT_RC16}};
    uint8_t sub = SW_PRMT_NONE;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (ptx_take(in, modes[i].mod))
            sub = modes[i].sub;
    lower_as(p, in, SW_OP_PRMT, sub);
}

void
ptx_lower_testp(ptx_parser *p, ptx_ins *in)
{
    static const ptx_mod classes[] = {
        [SW_TESTP_FINITE] = M_FINITE, [SW_TESTP_INFINITE] = M_INFINITE,
        [SW_TESTP_NUMBER] = M_NUMBER, [SW_TESTP_NOTANUMBER] = M_NOTANUMBER,
        [SW_TESTP_NORMAL] = M_NORMAL, [SW_TESTP_SUBNORMAL] = M_SUBNORMAL};
    for (uint8_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (ptx_take(in, classes[i])) {
            lower_as(p, in, SW_OP_TESTP, i);
            return;
        }
    }
    ptx_unsupported(p, in);
}

/* dp4a.atype.btype d, a, b, c; dp2a with .lo or .hi */
void
ptx_lower_dp(ptx_parser *p, ptx_ins *in)
{
    bool dp2a = in->row->op == SW_OP_DP2A;
    bool hi = dp2a && ptx_take(in, M_HI);
    bool ok = !dp2a || hi || ptx_take(in, M_LO);
    sw_type a = ptx_take_type(in), b = ptx_take_type(in);
    ok = ok && (a == SW_T_U32 || a == SW_T_S32) &&
         (b == SW_T_U32 || b == SW_T_S32);
    if (!ok || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 4, 4))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), SW_T_B32), src[3];
    for (unsigned i = 0; i < 3; i++)
        src[i] = ptx_source(p, ptx_op(in, i + 1), SW_T_B32);
    sw_ins *ins = ptx_emit(p, (sw_op)in->row->op, a, 1, 3);
    ins->stype = (uint8_t)b;
    ins->sub = hi;
    ins->opnd[0] = dst;
    for (unsigned i = 0; i < 3; i++)
        ins->opnd[1 + i] = src[i];
}

/* lop3.b32 d, a, b, c, lut; lop3.or.b32 d|p, a, b, c, lut, q */
void
ptx_lower_lop3(ptx_parser *p, ptx_ins *in)
{
    int boolop = ptx_take_of(in, ptx_mod_bool, SW_BOOL_NONE);
    bool pred = boolop != SW_BOOL_NONE;
    if (ptx_take_type(in) != SW_T_B32 || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, pred ? 6 : 5, pred ? 6 : 5))
        return;
    if (ptx_op(in, 4)->kind != OPND_INT || in->pair != pred) {
        ptx_error_at(p, in->line, in->column,
                     "expected a number as the truth table of lop3");
        return;
    }
    sw_opnd src[4], dst = ptx_dest(p, ptx_op(in, 0), SW_T_B32);
    for (unsigned i = 0; i < 3; i++)
        src[i] = ptx_source(p, ptx_op(in, i + 1), SW_T_B32);
    if (pred)
        src[3] = ptx_source_pred(p, ptx_op(in, 5));
    sw_ins *ins = ptx_emit(p, SW_OP_LOP3, SW_T_B32, pred ? 2 : 1, pred ? 4 : 3);
    ins->boolop = (uint8_t)boolop;
    ins->imm = ptx_op(in, 4)->bits & 255;
    ins->opnd[0] = dst;
    if (pred)
        ins->opnd[1] = ptx_dest(p, &in->second, SW_T_PRED);
    for (unsigned i = 0; i < ins->nsrc; i++)
        ins->opnd[ins->ndst + i] = src[i];
}
