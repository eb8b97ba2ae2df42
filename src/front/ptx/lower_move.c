/* SPDX-License-Identifier: Apache-2.0 */
/* lower_move.c - comparison, selection, moves, packing, conversions. */
#include "front/ptx/parse.h"

enum { FIRST_SM_WITH_SUBNORMALS = 20, MAX_PARTS = 16 };

static uint16_t
take_ftz(ptx_parser *p, ptx_ins *in, sw_type type)
{
    bool ftz = ptx_take(in, M_FTZ);
    bool implied =
        type == SW_T_F32 && p->module->target < FIRST_SM_WITH_SUBNORMALS;
    return ftz || implied ? SW_F_FTZ : 0;
}

/* Which comparisons a type has, and whether .ftz goes with it. */
static bool
cmp_fits(int cmp, sw_type type, bool ftz)
{
    sw_kind kind = sw_type_kind(type);
    if (cmp < 0 || !ptx_type_in(type, SW_TS_CMP) || type == SW_T_U16X2 ||
        type == SW_T_S16X2)
        return false;
    if (ftz && type != SW_T_F32 && type != SW_T_F16 && type != SW_T_F16X2)
        return false;
    if (kind == SW_KIND_BITS)
        return cmp <= SW_CMP_NE;
    if (kind == SW_KIND_SINT)
        return cmp <= SW_CMP_GE;
    if (kind == SW_KIND_UINT)
        return cmp <= SW_CMP_HS;
    return cmp <= SW_CMP_GE || cmp >= SW_CMP_EQU;
}

/* setp.cmp[.bool][.ftz].type p[|q], a, b[, c] */
void
ptx_lower_setp(ptx_parser *p, ptx_ins *in)
{
    int cmp = ptx_take_of(in, ptx_mod_cmp, -1);
    int boolop = ptx_take_of(in, ptx_mod_bool, SW_BOOL_NONE);
    sw_type type = ptx_take_type(in);
    uint16_t flags = take_ftz(p, in, type);
    unsigned nsrc = boolop ? 3 : 2;
    if (ptx_left_over(in) || !cmp_fits(cmp, type, flags)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, nsrc + 1, nsrc + 1))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), SW_T_PRED), src[3];
    src[0] = ptx_source(p, ptx_op(in, 1), type);
    src[1] = ptx_source(p, ptx_op(in, 2), type);
    if (boolop)
        src[2] = ptx_source_pred(p, ptx_op(in, 3));
    sw_ins *ins = ptx_emit(p, SW_OP_SETP, type, in->pair ? 2 : 1, nsrc);
    ins->cmp = (uint8_t)cmp;
    ins->boolop = (uint8_t)boolop;
    ins->flags = flags;
    ins->opnd[0] = dst;
    if (in->pair)
        ins->opnd[1] = ptx_dest(p, &in->second, SW_T_PRED);
    for (unsigned i = 0; i < nsrc; i++)
        ins->opnd[ins->ndst + i] = src[i];
}

/* set.cmp[.bool][.ftz].dtype.stype d, a, b[, c] */
void
ptx_lower_set(ptx_parser *p, ptx_ins *in)
{
    int cmp = ptx_take_of(in, ptx_mod_cmp, -1);
    int boolop = ptx_take_of(in, ptx_mod_bool, SW_BOOL_NONE);
    sw_type type = ptx_take_type(in), stype = ptx_take_type(in);
    uint16_t flags = take_ftz(p, in, stype);
    unsigned nsrc = boolop ? 3 : 2;
    if (ptx_left_over(in) || !ptx_type_in(type, SW_TS_NUM) ||
        !cmp_fits(cmp, stype, flags)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, nsrc + 1, nsrc + 1))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), type), src[3];
    src[0] = ptx_source(p, ptx_op(in, 1), stype);
    src[1] = ptx_source(p, ptx_op(in, 2), stype);
    if (boolop)
        src[2] = ptx_source_pred(p, ptx_op(in, 3));
    sw_ins *ins = ptx_emit(p, SW_OP_SET, type, 1, nsrc);
    ins->stype = (uint8_t)stype;
    ins->cmp = (uint8_t)cmp;
    ins->boolop = (uint8_t)boolop;
    ins->flags = flags;
    ins->opnd[0] = dst;
    for (unsigned i = 0; i < nsrc; i++)
        ins->opnd[1 + i] = src[i];
}

/* selp.type d, a, b, p; slct[.ftz].dtype.stype d, a, b, c */
static void
lower_select(ptx_parser *p, ptx_ins *in, sw_op op)
{
    sw_type type = ptx_take_type(in);
    sw_type stype = op == SW_OP_SLCT ? ptx_take_type(in) : SW_T_PRED;
    uint16_t flags = op == SW_OP_SLCT ? take_ftz(p, in, stype) : 0;
    if (ptx_left_over(in) || type == SW_T_PRED || sw_type_bits(type) < 16 ||
        (op == SW_OP_SLCT && stype != SW_T_S32 && stype != SW_T_F32)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 4, 4))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), type), src[3];
    src[0] = ptx_source(p, ptx_op(in, 1), type);
    src[1] = ptx_source(p, ptx_op(in, 2), type);
    src[2] = ptx_source(p, ptx_op(in, 3), stype);
    sw_ins *ins = ptx_emit(p, op, type, 1, 3);
    ins->stype = (uint8_t)(op == SW_OP_SLCT ? stype : SW_T_NONE);
    ins->flags = flags;
    ins->opnd[0] = dst;
    for (unsigned i = 0; i < 3; i++)
        ins->opnd[1 + i] = src[i];
}

void
ptx_lower_selp(ptx_parser *p, ptx_ins *in)
{
    lower_select(p, in, SW_OP_SELP);
}

void
ptx_lower_slct(ptx_parser *p, ptx_ins *in)
{
    lower_select(p, in, SW_OP_SLCT);
}

/* ---- mov ---- */

static void
emit_mov(ptx_parser *p, sw_type type, sw_opnd dst, sw_opnd src)
{
    sw_ins *ins = ptx_emit(p, SW_OP_MOV, type, 1, 1);
    ins->opnd[0] = dst;
    ins->opnd[1] = src;
}

static sw_opnd
emit2(ptx_parser *p, sw_op op, sw_type type, sw_opnd a, sw_opnd b)
{
    sw_ins *ins = ptx_emit(p, op, type, 1, 2);
    ins->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, type, NULL));
    ins->opnd[1] = a;
    ins->opnd[2] = b;
    return ins->opnd[0];
}

/* Bytes have no registers of their own size: pack by shifts. `total` is 16 or
 * 32 bits; parts are 8 bits. */
static void
pack_bytes(ptx_parser *p, const ptx_opnd *parts, unsigned n, sw_opnd dst,
           unsigned total)
{
    sw_opnd all = ptx_imm_opnd(0);
    for (unsigned i = 0; i < n; i++) {
        sw_opnd part = ptx_source_wide(p, &parts[i], SW_T_B16);
        if (part.kind == SW_OPND_REG)
            part = ptx_reg_opnd(ptx_convert(p, part.reg, SW_T_U32, SW_T_U8));
        else
            part.imm &= 255;
        part = emit2(p, SW_OP_SHL, SW_T_B32, part, ptx_imm_opnd(8 * i));
        all = emit2(p, SW_OP_OR, SW_T_B32, all, part);
    }
    if (total == 16)
        all = ptx_reg_opnd(ptx_convert(p, all.reg, SW_T_U16, SW_T_U32));
    emit_mov(p, ptx_bits_type(total), dst, all);
}

static void
unpack_bytes(ptx_parser *p, const ptx_opnd *parts, unsigned n, sw_opnd src,
             unsigned total)
{
    if (total == 16 && src.kind == SW_OPND_REG)
        src = ptx_reg_opnd(ptx_convert(p, src.reg, SW_T_U32, SW_T_U16));
    for (unsigned i = 0; i < n; i++) {
        if (parts[i].kind == OPND_NONE)
            continue;
        sw_opnd t = emit2(p, SW_OP_SHR, SW_T_B32, src, ptx_imm_opnd(8 * i));
        t = emit2(p, SW_OP_AND, SW_T_B32, t, ptx_imm_opnd(255));
        t = ptx_reg_opnd(ptx_convert(p, t.reg, SW_T_U16, SW_T_U32));
        emit_mov(p, SW_T_B16, ptx_dest(p, &parts[i], SW_T_B16), t);
    }
}

static bool
part_type(ptx_parser *p, const ptx_ins *in, sw_type type, unsigned n,
          sw_type *part)
{
    *part = n > 1 && n <= MAX_PARTS ? ptx_bits_type(sw_type_bits(type) / n)
                                    : SW_T_NONE;
    if (*part && sw_type_bits(*part) * n == sw_type_bits(type))
        return true;
    ptx_error_at(p, in->line, in->column,
                 "expected 2 or 4 equal parts of a .%s, not %u",
                 sw_type_text(type), n);
    return false;
}

static void
lower_pack(ptx_parser *p, ptx_ins *in, sw_type type)
{
    const ptx_opnd *parts;
    unsigned n = ptx_vector(in, ptx_op(in, 1), &parts);
    sw_type part;
    if (!part_type(p, in, type, n, &part))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), type);
    if (part == SW_T_B8) {
        pack_bytes(p, parts, n, dst, sw_type_bits(type));
        return;
    }
    sw_opnd src[MAX_PARTS];
    for (unsigned i = 0; i < n; i++)
        src[i] = ptx_source(p, &parts[i], part);
    sw_ins *ins =
        ptx_emit(p, SW_OP_PACK, ptx_bits_type(sw_type_bits(type)), 1, n);
    ins->stype = (uint8_t)part;
    ins->opnd[0] = dst;
    for (unsigned i = 0; i < n; i++)
        ins->opnd[1 + i] = src[i];
}

static void
lower_unpack(ptx_parser *p, ptx_ins *in, sw_type type)
{
    const ptx_opnd *parts;
    unsigned n = ptx_vector(in, ptx_op(in, 0), &parts);
    sw_type part;
    if (!part_type(p, in, type, n, &part))
        return;
    sw_opnd src = ptx_source(p, ptx_op(in, 1), type);
    if (part == SW_T_B8) {
        unpack_bytes(p, parts, n, src, sw_type_bits(type));
        return;
    }
    sw_ins *ins =
        ptx_emit(p, SW_OP_UNPACK, ptx_bits_type(sw_type_bits(type)), n, 1);
    ins->stype = (uint8_t)part;
    for (unsigned i = 0; i < n; i++)
        ins->opnd[i] = ptx_dest(p, &parts[i], part);
    ins->opnd[n] = src;
}

/* mov.v4.u32 {a, b, c, d}, %tid */
static void
lower_vector_mov(ptx_parser *p, ptx_ins *in, sw_type type, unsigned vec)
{
    const ptx_opnd *to, *from;
    unsigned n = ptx_vector(in, ptx_op(in, 0), &to);
    sw_opnd src[4];
    if (n != vec || ptx_vector(in, ptx_op(in, 1), &from) != vec) {
        ptx_error_at(p, in->line, in->column, "expected vectors of %u", vec);
        return;
    }
    for (unsigned i = 0; i < vec; i++)
        src[i] = ptx_source(p, &from[i], type);
    for (unsigned i = 0; i < vec; i++)
        if (to[i].kind != OPND_NONE)
            emit_mov(p, type, ptx_dest(p, &to[i], type), src[i]);
}

void
ptx_lower_mov(ptx_parser *p, ptx_ins *in)
{
    unsigned vec = ptx_take(in, M_V2) ? 2 : ptx_take(in, M_V4) ? 4 : 0;
    sw_type type = ptx_take_type(in);
    if (ptx_left_over(in) || !type ||
        (type != SW_T_PRED && sw_type_bits(type) < 16)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 2))
        return;
    const ptx_opnd *to = ptx_op(in, 0), *from = ptx_op(in, 1);
    if (vec) {
        lower_vector_mov(p, in, type, vec);
    } else if (to->kind == OPND_VECTOR) {
        lower_unpack(p, in, type);
    } else if (from->kind == OPND_VECTOR) {
        lower_pack(p, in, type);
    } else if (from->kind == OPND_SREG || from->kind == OPND_SYM) {
        sw_opnd dst = ptx_dest(p, to, type);
        ptx_source(p, from, type);
        if (p->panic || dst.kind == SW_OPND_NONE)
            return;
        sw_ins **last = sw_vec_at(&p->body.ins, p->body.ins.count - 1);
        (*last)->opnd[0] = dst; /* instead of a temporary */
    } else {
        sw_opnd dst = ptx_dest(p, to, type);
        emit_mov(p, type, dst, ptx_source(p, from, type));
    }
}

/* ---- cvt ---- */

static bool
is_tiny(sw_type type)
{
    return sw_type_bits(type) == 8;
}

static bool
is_whole(uint8_t rnd)
{
    return rnd >= SW_RND_RNI;
}

/* Which rounding goes with a pair of types (PTX ISA, cvt). NONE stands for
 * a rounding that is missing, too; see needs_rounding. */
static bool
rounding_fits(uint8_t rnd, sw_type to, sw_type from)
{
    bool int_to = ptx_type_in(to, SW_TS_INT) || is_tiny(to);
    bool int_from = ptx_type_in(from, SW_TS_INT) || is_tiny(from);
    if (rnd == SW_RND_NONE)
        return true;
    if (int_to && int_from)
        return false;
    if (int_to)
        return is_whole(rnd);
    if (int_from || to != from)
        return !is_whole(rnd) && (rnd != SW_RND_RNA || to == SW_T_TF32);
    return is_whole(rnd);
}

static bool
needs_rounding(sw_type to, sw_type from)
{
    bool int_to = ptx_type_in(to, SW_TS_INT) || is_tiny(to);
    bool int_from = ptx_type_in(from, SW_TS_INT) || is_tiny(from);
    if (int_to || int_from)
        return int_to != int_from;
    return sw_type_bits(to) < sw_type_bits(from) || to == SW_T_TF32 ||
           sw_type_kind(to) == SW_KIND_PACKED;
}

static bool
cvt_types(sw_type to, sw_type from, bool two)
{
    sw_kind a = sw_type_kind(to), b = sw_type_kind(from);
    bool packed = a == SW_KIND_PACKED || b == SW_KIND_PACKED;
    bool ok_a = a == SW_KIND_UINT || a == SW_KIND_SINT || a == SW_KIND_FLOAT ||
                a == SW_KIND_PACKED;
    bool ok_b = b == SW_KIND_UINT || b == SW_KIND_SINT || b == SW_KIND_FLOAT;
    if (b == SW_KIND_PACKED) /* fp8 pairs from and to pairs of halves */
        return a == SW_KIND_PACKED && !two &&
               sw_type_bits(to) != sw_type_bits(from);
    if (!ok_a || !ok_b || sw_type_bits(to) < 8 || sw_type_bits(from) < 8 ||
        to == SW_T_U16X2 || to == SW_T_S16X2)
        return false;
    return two == packed && (!packed || from == SW_T_F32);
}

/* cvt.pack.sat.to.from[.b32] d, a, b[, c] */
static void
lower_cvt_pack(ptx_parser *p, ptx_ins *in)
{
    ptx_take(in, M_SAT);
    sw_type type = ptx_take_type(in), stype = ptx_take_type(in);
    sw_type ctype = ptx_take_type(in);
    if (ptx_left_over(in) || sw_type_class(stype) != SW_CLASS_B32 ||
        !ptx_type_in(stype, SW_TS_INT) || (ctype && ctype != SW_T_B32) ||
        (sw_type_kind(type) != SW_KIND_UINT &&
         sw_type_kind(type) != SW_KIND_SINT) ||
        sw_type_bits(type) > 16) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, ctype ? 4 : 3, ctype ? 4 : 3))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), SW_T_B32), c = ptx_imm_opnd(0);
    sw_opnd a = ptx_source(p, ptx_op(in, 1), stype);
    sw_opnd b = ptx_source(p, ptx_op(in, 2), stype);
    if (ctype)
        c = ptx_source(p, ptx_op(in, 3), ctype);
    sw_ins *ins = ptx_emit(p, SW_OP_CVT_PACK, type, 1, 3);
    ins->stype = (uint8_t)stype;
    ins->flags = SW_F_SAT;
    ins->opnd[0] = dst;
    ins->opnd[1] = a;
    ins->opnd[2] = b;
    ins->opnd[3] = c;
}

/* cvt[.rnd][.ftz][.sat][.relu].dtype.stype d, a[, b] */
void
ptx_lower_cvt(ptx_parser *p, ptx_ins *in)
{
    uint16_t flags = 0;
    uint8_t satfinite = 0;
    if (ptx_take(in, M_PACK)) {
        lower_cvt_pack(p, in);
        return;
    }
    uint8_t rnd = (uint8_t)ptx_take_of(in, ptx_mod_rnd, SW_RND_NONE);
    if (ptx_take(in, M_FTZ))
        flags |= SW_F_FTZ;
    if (ptx_take(in, M_SAT))
        flags |= SW_F_SAT;
    if (ptx_take(in, M_SATFINITE)) {
        flags |= SW_F_SAT;
        satfinite = 1;
    }
    if (ptx_take(in, M_RELU))
        flags |= SW_F_RELU;
    sw_type type = ptx_take_type(in), stype = ptx_take_type(in);
    bool two = in->opnd_count == 3;
    bool floats =
        ptx_type_in(type, SW_TS_FLOAT) || ptx_type_in(stype, SW_TS_FLOAT);
    if (ptx_left_over(in) || !cvt_types(type, stype, two) ||
        !rounding_fits(rnd, type, stype) ||
        ((flags & (SW_F_FTZ | SW_F_RELU)) && !floats)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 3))
        return;
    if (!rnd && needs_rounding(type, stype)) {
        ptx_error_at(p, in->line, in->column, "expected a rounding in %.*s",
                     (int)in->text.n, in->text.p);
        return;
    }
    if (p->module->target < FIRST_SM_WITH_SUBNORMALS &&
        (type == SW_T_F32 || stype == SW_T_F32))
        flags |= SW_F_FTZ;
    sw_opnd a = ptx_source_wide(p, ptx_op(in, 1), stype), b = a;
    if (two)
        b = ptx_source_wide(p, ptx_op(in, 2), stype);
    sw_reg fix;
    sw_opnd dst = ptx_dest_wide(p, ptx_op(in, 0), type, &fix);
    sw_ins *ins = ptx_emit(p, SW_OP_CVT, type, 1, two ? 2 : 1);
    ins->stype = (uint8_t)stype;
    ins->rnd = rnd;
    ins->flags = flags;
    ins->sub = type == SW_T_F16 ? satfinite : 0; /* elsewhere it is plain */
    ins->opnd[0] = dst;
    ins->opnd[1] = a;
    if (two)
        ins->opnd[2] = b;
    ptx_dest_fix(p, dst,
                 is_tiny(type) ? (sw_type_kind(type) == SW_KIND_SINT ? SW_T_S16
                                                                     : SW_T_U16)
                               : type,
                 fix);
}

/* ---- address spaces ---- */

/* cvta[.to].space.size d, a */
void
ptx_lower_cvta(ptx_parser *p, ptx_ins *in)
{
    bool to = ptx_take(in, M_TO);
    int space = ptx_take_of(in, ptx_mod_space, -1);
    sw_type type = ptx_take_type(in);
    if (space <= 0 || ptx_left_over(in) ||
        (type != SW_T_U32 && type != SW_T_U64 && type != SW_T_B64 &&
         type != SW_T_B32)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 2))
        return;
    if (space == SW_SPACE_PARAM && !p->body.fn->is_entry)
        space = SW_SPACE_LOCAL;
    type = sw_type_class(type) == SW_CLASS_B32 ? SW_T_B32 : SW_T_B64;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), type);
    sw_opnd src = ptx_source(p, ptx_op(in, 1), type);
    sw_ins *ins = ptx_emit(p, SW_OP_CVTA, type, 1, 1);
    ins->space = (uint8_t)space;
    ins->sub = to;
    ins->opnd[0] = dst;
    ins->opnd[1] = src;
}

/* mapa[.space].type d, a, b; getctarank[.space].type d, a */
void
ptx_lower_mapa(ptx_parser *p, ptx_ins *in)
{
    bool maps = in->row->op == SW_OP_MAPA;
    int space = ptx_take_of(in, ptx_mod_space, SW_SPACE_GENERIC);
    sw_type type = ptx_take_type(in);
    if ((space != SW_SPACE_GENERIC && space != SW_SPACE_SHARED_CLUSTER) ||
        (type != SW_T_U32 && type != SW_T_U64) || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2u + maps, 2u + maps))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), maps ? type : SW_T_U32);
    sw_opnd src = ptx_source(p, ptx_op(in, 1), type), rank = {0};
    if (maps)
        rank = ptx_source(p, ptx_op(in, 2), SW_T_U32);
    sw_ins *ins =
        ptx_emit(p, (sw_op)in->row->op, type == SW_T_U32 ? SW_T_B32 : SW_T_B64,
                 1, 1u + maps);
    ins->space = (uint8_t)space;
    ins->opnd[0] = dst;
    ins->opnd[1] = src;
    if (maps)
        ins->opnd[2] = rank;
}

/* isspacep.space p, a */
void
ptx_lower_isspacep(ptx_parser *p, ptx_ins *in)
{
    int space = ptx_take_of(in, ptx_mod_space, -1);
    if (space <= 0 || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 2))
        return;
    const ptx_opnd *o = ptx_op(in, 1);
    sw_type type =
        o->kind == OPND_REG && ptx_reg_class(p, o->reg) == SW_CLASS_B32
            ? SW_T_B32
            : SW_T_B64;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), SW_T_PRED);
    sw_opnd src = ptx_source(p, o, type);
    sw_ins *ins = ptx_emit(p, SW_OP_ISSPACEP, type, 1, 1);
    ins->space = (uint8_t)space;
    ins->opnd[0] = dst;
    ins->opnd[1] = src;
}
