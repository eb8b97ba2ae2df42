/* SPDX-License-Identifier: Apache-2.0 */
/* lower_video.c - scalar and SIMD video instructions; what they select and
 * combine goes into sw_video. */
#include "front/ptx/parse.h"

enum { OP2_ADD = 1, OP2_MIN, OP2_MAX, OP2_INSERT, ALL_PARTS = 15 };

static bool
is_word(sw_type type)
{
    return type == SW_T_U32 || type == SW_T_S32;
}

/* b0..b3 -> 1..4, h0 -> 5, h1 -> 6, nothing -> 0; -1 if it is none. */
static int
part_number(sw_str s)
{
    if (!s.n)
        return 0;
    if (s.n == 2 && s.p[0] == 'b' && s.p[1] >= '0' && s.p[1] <= '3')
        return 1 + s.p[1] - '0';
    if (s.n == 2 && s.p[0] == 'h' && s.p[1] >= '0' && s.p[1] <= '1')
        return 5 + s.p[1] - '0';
    return -1;
}

static void
bad_part(ptx_parser *p, const ptx_opnd *o)
{
    ptx_error_at(p, o->line, o->column, "'.%.*s' is not a part of a register",
                 (int)o->select.n, o->select.p);
}

/* The operand without its part and its sign. */
static sw_opnd
plain_source(ptx_parser *p, const ptx_opnd *o)
{
    ptx_opnd plain = *o;
    plain.select = (sw_str){NULL, 0};
    plain.minus = false;
    return ptx_source(p, &plain, SW_T_B32);
}

static sw_opnd
plain_dest(ptx_parser *p, const ptx_opnd *o)
{
    ptx_opnd plain = *o;
    plain.select = (sw_str){NULL, 0};
    return ptx_dest(p, &plain, SW_T_B32);
}

static uint8_t
scalar_part(ptx_parser *p, const ptx_opnd *o)
{
    int part = part_number(o->select);
    if (part < 0)
        bad_part(p, o);
    return (uint8_t)(part < 0 ? 0 : part);
}

static void
emit_video(ptx_parser *p, ptx_ins *in, sw_op op, int cmp, const sw_video *v,
           bool has_c)
{
    sw_video *aux = sw_arena_alloc(p->arena, sizeof *aux);
    *aux = *v;
    sw_opnd dst = plain_dest(p, ptx_op(in, 0)), c = ptx_imm_opnd(0);
    sw_opnd a = plain_source(p, ptx_op(in, 1));
    sw_opnd b = plain_source(p, ptx_op(in, 2));
    if (has_c)
        c = plain_source(p, ptx_op(in, 3));
    sw_ins *ins = ptx_emit(p, op, v->dtype, 1, 3);
    ins->cmp = (uint8_t)cmp;
    ins->aux = aux;
    ins->opnd[0] = dst;
    ins->opnd[1] = a;
    ins->opnd[2] = b;
    ins->opnd[3] = c;
}

static uint8_t
take_op2(ptx_ins *in)
{
    return ptx_take(in, M_ADD)   ? OP2_ADD
           : ptx_take(in, M_MIN) ? OP2_MIN
           : ptx_take(in, M_MAX) ? OP2_MAX
                                 : 0;
}

static bool
take_types(ptx_ins *in, bool is_set, sw_video *v)
{
    v->dtype = is_set ? SW_T_U32 : ptx_take_type(in);
    v->atype = ptx_take_type(in);
    v->btype = ptx_take_type(in);
    v->sat = ptx_take(in, M_SAT);
    return is_word(v->dtype) && is_word(v->atype) && is_word(v->btype);
}

/* vadd.dtype.atype.btype[.sat][.op2] d[.part], a[.part], b[.part][, c] */
void
ptx_lower_video(ptx_parser *p, ptx_ins *in)
{
    sw_op op = (sw_op)in->row->op;
    bool mad = op == SW_OP_VMAD;
    sw_video v = {0};
    int cmp = op == SW_OP_VSET ? ptx_take_of(in, ptx_mod_cmp, -1) : 0;
    bool ok = take_types(in, op == SW_OP_VSET, &v) && cmp >= 0;
    if (op == SW_OP_VSHL || op == SW_OP_VSHR) {
        v.wrap = ptx_take(in, M_WRAP);
        ok = ok && (v.wrap || ptx_take(in, M_CLAMP));
    }
    if (mad) {
        v.po = ptx_take(in, M_PO);
        v.scale = ptx_take(in, M_SHR7) ? 7 : ptx_take(in, M_SHR15) ? 15 : 0;
    } else {
        v.op2 = take_op2(in);
    }
    if (!ok || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    const ptx_opnd *d = ptx_op(in, 0), *a = ptx_op(in, 1), *b = ptx_op(in, 2);
    const ptx_opnd *c = ptx_op(in, 3);
    bool has_c = mad || v.op2 || d->select.n;
    if (!ptx_need(p, in, has_c ? 4 : 3, has_c ? 4 : 3))
        return;
    v.asel = scalar_part(p, a);
    v.bsel = scalar_part(p, b);
    v.dsel = scalar_part(p, d);
    if (v.dsel)
        v.op2 = OP2_INSERT;
    v.neg_a = a->minus;
    v.neg_b = b->minus;
    v.neg_c = c->minus;
    if (!mad && (v.neg_a || v.neg_b || v.neg_c)) {
        ptx_error_at(p, in->line, in->column, "only vmad negates operands");
        return;
    }
    emit_video(p, in, op, cmp, &v, has_c);
}

/* ---- SIMD ---- */

/* Digits behind h or b, the lowest part last; `parts` of them. */
static uint16_t
selector(ptx_parser *p, const ptx_opnd *o, unsigned parts, uint16_t none)
{
    char letter = parts == 2 ? 'h' : 'b';
    if (!o->select.n)
        return none;
    if (o->select.n != parts + 1 || o->select.p[0] != letter) {
        bad_part(p, o);
        return none;
    }
    unsigned out = 0;
    for (unsigned i = 0; i < parts; i++) {
        unsigned digit = (unsigned)(o->select.p[parts - i] - '0');
        if (digit >= 2 * parts) {
            bad_part(p, o);
            return none;
        }
        out |= digit << (4 * i);
    }
    return (uint16_t)out;
}

/* d.h1, d.b310: which parts are written. */
static uint8_t
write_mask(ptx_parser *p, const ptx_opnd *o, unsigned parts)
{
    unsigned mask = 0;
    if (!o->select.n)
        return (uint8_t)((1u << parts) - 1);
    if (o->select.p[0] != (parts == 2 ? 'h' : 'b') || o->select.n < 2)
        bad_part(p, o);
    for (size_t i = 1; i < o->select.n; i++) {
        unsigned digit = (unsigned)(o->select.p[i] - '0');
        if (digit >= parts) {
            bad_part(p, o);
            break;
        }
        mask |= 1u << digit;
    }
    return (uint8_t)mask;
}

/* vadd2.dtype.atype.btype[.sat|.add] d[.mask], a[.sel], b[.sel], c */
void
ptx_lower_simd(ptx_parser *p, ptx_ins *in)
{
    sw_op op = (sw_op)in->row->op;
    bool is_set = op == SW_OP_VSET2 || op == SW_OP_VSET4;
    unsigned parts = op >= SW_OP_VADD4 ? 4 : 2;
    sw_video v = {0};
    int cmp = is_set ? ptx_take_of(in, ptx_mod_cmp, -1) : 0;
    bool ok = take_types(in, is_set, &v) && cmp >= 0;
    v.op2 = ptx_take(in, M_ADD) ? OP2_ADD : 0;
    if (!ok || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 4, 4))
        return;
    v.dmask = write_mask(p, ptx_op(in, 0), parts);
    v.amask = selector(p, ptx_op(in, 1), parts, parts == 2 ? 0x10 : 0x3210);
    v.bmask = selector(p, ptx_op(in, 2), parts, parts == 2 ? 0x32 : 0x7654);
    emit_video(p, in, op, cmp, &v, true);
}
