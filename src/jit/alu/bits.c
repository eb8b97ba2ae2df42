/* SPDX-License-Identifier: Apache-2.0 */
/* bits.c - logic, shifts, bit fields, packing, as sem/int.h has them; see
 * alu/private.h. */
#include "jit/alu/private.h"
#include "sem/int.h"

/* ---- logic of three ---- */

/* Any function of two: bit (b << 1 | c) of table u. */
static V
logic2(const sw_alu *e, unsigned u, V b, V c)
{
    switch (u) {
    case 0x0:
        return v_k(e, b, 0);
    case 0x1:
        return v_not(e, v_or(e, b, c));
    case 0x2:
        return v_and(e, v_not(e, b), c);
    case 0x3:
        return v_not(e, b);
    case 0x4:
        return v_and(e, b, v_not(e, c));
    case 0x5:
        return v_not(e, c);
    case 0x6:
        return v_xor(e, b, c);
    case 0x7:
        return v_not(e, v_and(e, b, c));
    case 0x8:
        return v_and(e, b, c);
    case 0x9:
        return v_not(e, v_xor(e, b, c));
    case 0xa:
        return c;
    case 0xb:
        return v_or(e, v_not(e, b), c);
    case 0xc:
        return b;
    case 0xd:
        return v_or(e, b, v_not(e, c));
    case 0xe:
        return v_or(e, b, c);
    default:
        return v_k(e, b, UINT64_MAX);
    }
}

/* What it is where a is 0, changed where a is 1. */
static V
logic3(const sw_alu *e, unsigned table, V a, V b, V c)
{
    unsigned without = table & 15, with = table >> 4 & 15;
    if (with == without)
        return logic2(e, without, b, c);
    if (with == 15)
        return v_or(e, a, logic2(e, without, b, c));
    if (with == 0)
        return v_and(e, v_not(e, a), logic2(e, without, b, c));
    if (without == 0)
        return v_and(e, a, logic2(e, with, b, c));
    if (without == 15)
        return v_or(e, v_not(e, a), logic2(e, with, b, c));
    V change = logic2(e, with ^ without, b, c);
    V flip = (with ^ without) == 15 ? a : v_and(e, a, change);
    return v_xor(e, flip, logic2(e, without, b, c));
}

static V
combine(const sw_alu *e, V x, V y)
{
    switch (e->ins->boolop) {
    case SW_BOOL_AND:
        return v_and(e, x, y);
    case SW_BOOL_OR:
        return v_or(e, x, y);
    case SW_BOOL_XOR:
        return v_xor(e, x, y);
    default:
        return x;
    }
}

static bool
lop3(const sw_alu *e, const V *s, V *d)
{
    d[0] = logic3(e, (unsigned)(e->ins->imm & 255), s[0], s[1], s[2]);
    if (e->ins->ndst == 2)
        d[1] = combine(e, v_icmpk(e, LLVMIntNE, d[0], 0), s[3]);
    return true;
}

/* ---- shifts ---- */

/* Past the width LLVM's shifts are poison, which the select drops. */
static V
shift(const sw_alu *e, LLVMOpcode op, V a, V by)
{
    unsigned n = alu_width(e);
    V fits = v_icmpk(e, LLVMIntULT, by, n);
    V r = v_bin(e, op, a, v_resize(e, by, n));
    return v_sel(e, fits, r, v_k(e, a, 0));
}

static bool
shift_right(const sw_alu *e, const V *s, V *d)
{
    if (!alu_is_signed(e)) {
        *d = shift(e, LLVMLShr, s[0], s[1]);
        return true;
    }
    unsigned n = alu_width(e);
    V by = v_call2(e, "llvm.umin", s[1], v_k(e, s[1], n - 1));
    *d = v_ashr(e, s[0], v_resize(e, by, n));
    return true;
}

static bool
funnel(const sw_alu *e, const V *s, V *d)
{
    bool left = e->ins->op == SW_OP_SHF_L;
    V r = v_call3(e, left ? "llvm.fshl" : "llvm.fshr", s[1], s[0], s[2]);
    if (!e->ins->sub)
        r = v_sel(e, v_icmpk(e, LLVMIntULT, s[2], 32), r, left ? s[0] : s[1]);
    *d = r;
    return true;
}

/* ---- fields ---- */

/* The low n bits; n may be at or past the width. */
static V
ones(const sw_alu *e, V n)
{
    V fits = v_icmpk(e, LLVMIntULT, n, alu_width(e));
    V m = v_addk(e, v_shl(e, v_k(e, n, 1), n), UINT64_MAX);
    return v_sel(e, fits, m, v_k(e, n, UINT64_MAX));
}

/* A position or length as wide as the value. Only the 32-bit forms drop its
 * upper bits; larger than any width stays so. */
static V
position(const sw_alu *e, V v)
{
    return alu_width(e) == 32 ? v_andk(e, v, 0xff)
                              : v_resize(e, v, alu_width(e));
}

static bool
extract(const sw_alu *e, const V *s, V *d)
{
    unsigned n = alu_width(e);
    V pos = position(e, s[1]), len = position(e, s[2]);
    if (!alu_is_signed(e)) {
        V field = v_and(e, v_lshr(e, s[0], pos), ones(e, len));
        *d = v_sel(e, v_icmpk(e, LLVMIntULT, pos, n), field, v_k(e, s[0], 0));
        return true;
    }
    /* Beyond the top are copies of the sign. */
    V p = v_call2(e, "llvm.umin", pos, v_k(e, pos, n - 1));
    V room = v_sub(e, v_k(e, p, n), p);
    V have = v_call2(e, "llvm.umin", len, room);
    /* No shift is by n: of an empty field, which is zero. */
    V left = v_andk(e, v_sub(e, room, have), n - 1);
    V right = v_andk(e, v_sub(e, v_k(e, p, n), have), n - 1);
    V field = v_ashr(e, v_shl(e, s[0], left), right);
    *d = v_sel(e, v_icmpk(e, LLVMIntEQ, len, 0), v_k(e, p, 0), field);
    return true;
}

static bool
insert(const sw_alu *e, const V *s, V *d)
{
    unsigned n = alu_width(e);
    V pos = position(e, s[2]), len = position(e, s[3]);
    V by = v_andk(e, pos, n - 1);
    V mask = v_sel(e, v_icmpk(e, LLVMIntULT, pos, n),
                   v_shl(e, ones(e, len), by), v_k(e, pos, 0));
    *d = v_or(e, v_and(e, s[1], v_not(e, mask)),
              v_and(e, v_shl(e, s[0], by), mask));
    return true;
}

/* .wrap takes counts mod 32, .clamp clamps to 32. */
static V
count(const sw_alu *e, V v)
{
    return e->ins->sub ? v_andk(e, v, 31)
                       : v_call2(e, "llvm.umin", v, v_k(e, v, 32));
}

static bool
extend(const sw_alu *e, const V *s, V *d)
{
    V n = count(e, s[1]);
    V by = v_sub(e, v_k(e, n, 32), n);
    V up = v_shl(e, s[0], by);
    V r = alu_is_signed(e) ? v_ashr(e, up, by) : v_lshr(e, up, by);
    *d = v_sel(e, v_icmpk(e, LLVMIntEQ, n, 0), v_k(e, n, 0), r);
    return true;
}

static bool
mask_of(const sw_alu *e, const V *s, V *d)
{
    V pos = count(e, s[0]), len = ones(e, count(e, s[1]));
    *d = v_sel(e, v_icmpk(e, LLVMIntULT, pos, 32), v_shl(e, len, pos),
               v_k(e, pos, 0));
    return true;
}

/* ---- counting ---- */

static bool
find(const sw_alu *e, const V *s, V *d)
{
    unsigned n = alu_width(e);
    V a = s[0];
    if (alu_is_signed(e))
        a = v_xor(e, a, v_ashrk(e, a, n - 1));
    V z = v_resize(e, v_ctlz(e, a), 32);
    V r = e->ins->sub ? z : v_sub(e, v_k(e, z, n - 1), z);
    *d = v_sel(e, v_icmpk(e, LLVMIntEQ, a, 0), v_k(e, r, UINT64_MAX), r);
    return true;
}

/* ---- permutation of bytes ---- */

/* A selector known now: a shift and a mask a byte, which LLVM makes a shuffle
 * of. */
static V
permute_known(const sw_alu *e, uint32_t c, V a, V b)
{
    V r = v_k(e, a, 0);
    for (unsigned i = 0; i < 4; i++) {
        unsigned sel = c >> (4 * i) & 15;
        V from = sel & 4 ? b : a;
        V top = v_shlk(e, from, 24 - 8 * (sel & 3));
        if (sel & 8)
            top = v_ashrk(e, top, 31);
        r = v_or(e, r, v_shlk(e, v_lshrk(e, top, 24), 8 * i));
    }
    return r;
}

static V
permute(const sw_alu *e, V c, V a, V b)
{
    V r = v_k(e, a, 0);
    for (unsigned i = 0; i < 4; i++) {
        V sel = v_lshrk(e, c, 4 * i);
        V in_b = v_icmpk(e, LLVMIntNE, v_andk(e, sel, 4), 0);
        V by = v_shlk(e, v_andk(e, sel, 3), 3);
        V byte = v_lshr(e, v_sel(e, in_b, b, a), by);
        V sign = v_ashrk(e, v_shlk(e, byte, 24), 31);
        V fill = v_icmpk(e, LLVMIntNE, v_andk(e, sel, 8), 0);
        byte = v_andk(e, v_sel(e, fill, sign, byte), 0xff);
        r = v_or(e, r, v_shlk(e, byte, 8 * i));
    }
    return r;
}

static bool
prmt(const sw_alu *e, const V *s, V *d)
{
    const sw_opnd *c = sw_ins_src(e->ins, 2);
    unsigned mode = e->ins->sub;
    V sel = s[2];
    if (c->kind == SW_OPND_IMM) {
        uint32_t known = (uint32_t)c->imm;
        if (mode)
            known = sem_prmt_selectors[mode][known & 3];
        *d = permute_known(e, known, s[0], s[1]);
        return true;
    }
    if (mode) {
        V low = v_andk(e, s[2], 3);
        sel = v_k(e, low, sem_prmt_selectors[mode][3]);
        for (unsigned i = 0; i < 3; i++)
            sel = v_sel(e, v_icmpk(e, LLVMIntEQ, low, i),
                        v_k(e, low, sem_prmt_selectors[mode][i]), sel);
    }
    *d = permute(e, sel, s[0], s[1]);
    return true;
}

/* ---- moves ---- */

static bool
pack(const sw_alu *e, const V *s, V *d)
{
    unsigned bits = alu_width(e), n = e->ins->nsrc, part = bits / n;
    V r = NULL;
    for (unsigned i = 0; i < n; i++) {
        V v = v_resize(e, v_resize(e, s[i], part), bits);
        r = i ? v_or(e, r, v_shlk(e, v, part * i)) : v;
    }
    *d = r;
    return true;
}

static bool
unpack(const sw_alu *e, const V *s, V *d)
{
    unsigned n = e->ins->ndst, part = alu_width(e) / n;
    for (unsigned i = 0; i < n; i++) {
        V v = v_resize(e, v_lshrk(e, s[0], part * i), part);
        d[i] = part < 16 ? v_resize(e, v, 16) : v;
    }
    return true;
}

static bool
mov(const sw_alu *e, const V *s, V *d)
{
    unsigned bits = alu_width(e);
    bool narrow = bits < 16 && e->ins->type != SW_T_PRED;
    *d = narrow ? v_andk(e, s[0], (1u << bits) - 1) : s[0];
    return true;
}

bool
alu_bits(const sw_alu *e, const V *s, V *d)
{
    switch (e->ins->op) {
    case SW_OP_AND:
        *d = v_and(e, s[0], s[1]);
        return true;
    case SW_OP_OR:
        *d = v_or(e, s[0], s[1]);
        return true;
    case SW_OP_XOR:
        *d = v_xor(e, s[0], s[1]);
        return true;
    case SW_OP_NOT:
        *d = v_not(e, s[0]);
        return true;
    case SW_OP_CNOT:
        *d = v_zext(e, v_icmpk(e, LLVMIntEQ, s[0], 0), alu_width(e));
        return true;
    case SW_OP_LOP3:
        return lop3(e, s, d);
    case SW_OP_SHL:
        *d = shift(e, LLVMShl, s[0], s[1]);
        return true;
    case SW_OP_SHR:
        return shift_right(e, s, d);
    case SW_OP_SHF_L:
    case SW_OP_SHF_R:
        return funnel(e, s, d);
    case SW_OP_BFE:
        return extract(e, s, d);
    case SW_OP_BFI:
        return insert(e, s, d);
    case SW_OP_SZEXT:
        return extend(e, s, d);
    case SW_OP_BMSK:
        return mask_of(e, s, d);
    case SW_OP_POPC:
        *d = v_resize(e, v_call1(e, "llvm.ctpop", s[0]), 32);
        return true;
    case SW_OP_CLZ:
        *d = v_resize(e, v_ctlz(e, s[0]), 32);
        return true;
    case SW_OP_BREV:
        *d = v_call1(e, "llvm.bitreverse", s[0]);
        return true;
    case SW_OP_BFIND:
        return find(e, s, d);
    case SW_OP_PRMT:
        return prmt(e, s, d);
    case SW_OP_PACK:
        return pack(e, s, d);
    case SW_OP_UNPACK:
        return unpack(e, s, d);
    case SW_OP_MOV:
        return mov(e, s, d);
    default:
        return false;
    }
}
