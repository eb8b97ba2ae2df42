/* SPDX-License-Identifier: Apache-2.0 */
/* undefined.c - see undefined.h. */
#include "check/undefined.h"

typedef uint64_t bits;
typedef sw_undef_source src;

static bits
low_bits(uint64_t n)
{
    return n >= 64 ? ~(bits)0 : ((bits)1 << n) - 1;
}

bits
sw_undef_all(sw_class cls)
{
    return cls == SW_CLASS_PRED  ? 1
           : cls == SW_CLASS_B16 ? low_bits(16)
           : cls == SW_CLASS_B32 ? low_bits(32)
                                 : ~(bits)0;
}

/* Carries go upwards. */
static bits
and_above(bits undefined)
{
    return undefined | -undefined;
}

static bool
is_whole(const sw_ins *ins)
{
    sw_kind kind = sw_type_kind((sw_type)ins->type);
    return kind == SW_KIND_UINT || kind == SW_KIND_SINT || kind == SW_KIND_BITS;
}

/* ---- logic ---- */

/* A function of three bits by its truth table: bit 4a + 2b + c. */
static bits
apply(unsigned table, bits a, bits b, bits c)
{
    bits out = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1)
            out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return out;
}

static bits
logic(unsigned table, const src *s, unsigned count)
{
    bits value[3] = {0}, open[3] = {0}, ones = ~(bits)0, zeros = ~(bits)0;
    for (unsigned k = 0; k < 3 && k < count; k++) {
        open[k] = s[k].undefined;
        value[k] = s[k].value & ~open[k];
    }
    for (unsigned fill = 0; fill < 8; fill++) {
        bits out = apply(table, value[0] | (fill & 1 ? open[0] : 0),
                         value[1] | (fill & 2 ? open[1] : 0),
                         value[2] | (fill & 4 ? open[2] : 0));
        ones &= out;
        zeros &= ~out;
    }
    return ~(ones | zeros);
}

/* ---- shifts and fields ---- */

static bits
sign_extend(bits undefined, uint64_t from, uint64_t to)
{
    if (from && from < to && undefined >> (from - 1) & 1)
        undefined |= low_bits(to) & ~low_bits(from);
    return undefined;
}

static bits
shift(const sw_ins *ins, const src *s)
{
    unsigned width = sw_type_bits((sw_type)ins->type);
    bits all = low_bits(width), u = s[0].undefined & all;
    uint64_t by = (uint32_t)s[1].value;
    bool is_signed = sw_type_kind((sw_type)ins->type) == SW_KIND_SINT;
    if (s[1].undefined)
        return all;
    if (ins->op == SW_OP_SHL)
        return by >= width ? 0 : (u << by) & all;
    if (by >= width)
        return is_signed && u >> (width - 1) & 1 ? all : 0;
    bits out = u >> by;
    return is_signed ? sign_extend(out, width - by, width) : out;
}

static bits
funnel(const sw_ins *ins, const src *s)
{
    uint64_t by = ins->sub ? s[2].value & 31 : (uint32_t)s[2].value;
    bits both = s[1].undefined << 32 | (s[0].undefined & low_bits(32));
    if (s[2].undefined)
        return low_bits(32);
    by = by > 32 ? 32 : by;
    if (ins->op == SW_OP_SHF_R)
        return both >> by & low_bits(32);
    return by == 32 ? both & low_bits(32) : both << by >> 32;
}

static bits
extract(const sw_ins *ins, const src *s)
{
    unsigned width = sw_type_bits((sw_type)ins->type);
    uint64_t at = s[1].value & 255, n = s[2].value & 255;
    if (s[1].undefined || s[2].undefined)
        return low_bits(width);
    bits out = at >= width ? 0 : s[0].undefined >> at & low_bits(n);
    return sw_type_kind((sw_type)ins->type) == SW_KIND_SINT
               ? sign_extend(out, n, width)
               : out;
}

static bits
insert(const sw_ins *ins, const src *s)
{
    unsigned width = sw_type_bits((sw_type)ins->type);
    uint64_t at = s[2].value & 255, n = s[3].value & 255;
    if (s[2].undefined || s[3].undefined)
        return low_bits(width);
    bits field = at >= width ? 0 : low_bits(n) << at;
    bits from = at >= width ? 0 : s[0].undefined << at;
    return ((s[1].undefined & ~field) | (from & field)) & low_bits(width);
}

static bits
permute(const sw_ins *ins, const src *s)
{
    if (ins->sub != SW_PRMT_NONE || s[2].undefined)
        return low_bits(32);
    bits both = s[1].undefined << 32 | (s[0].undefined & low_bits(32));
    bits out = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned pick = s[2].value >> 4 * i & 15;
        bits byte = both >> 8 * (pick & 7) & 255;
        if (pick & 8) /* its sign, eight times */
            byte = byte >> 7 ? 255 : 0;
        out |= byte << 8 * i;
    }
    return out;
}

/* ---- comparisons and choices ---- */

static bits
compare(const sw_ins *ins, const src *s)
{
    unsigned width = sw_type_bits((sw_type)ins->type);
    bits all = low_bits(width);
    bits open = (s[0].undefined | s[1].undefined) & all;
    if (!is_whole(ins))
        return 1;
    /* Least and greatest values, of signed ones with the sign turned. */
    bool is_signed = sw_type_kind((sw_type)ins->type) == SW_KIND_SINT;
    bits turn = is_signed ? (bits)1 << (width - 1) : 0;
    bits least[2], greatest[2];
    for (int k = 0; k < 2; k++) {
        bits v = (s[k].value ^ turn) & all, u = s[k].undefined & all;
        least[k] = v & ~u;
        greatest[k] = v | u;
    }
    switch (ins->cmp) {
    case SW_CMP_EQ:
    case SW_CMP_NE:
        return !((s[0].value ^ s[1].value) & all & ~open);
    case SW_CMP_LT:
    case SW_CMP_LO:
    case SW_CMP_GE:
    case SW_CMP_HS:
        return !(greatest[0] < least[1] || least[0] >= greatest[1]);
    case SW_CMP_LE:
    case SW_CMP_LS:
    case SW_CMP_GT:
    case SW_CMP_HI:
        return !(greatest[0] <= least[1] || least[0] > greatest[1]);
    default:
        return 1;
    }
}

static bits
choose(const src *s)
{
    if (s[2].undefined)
        return s[0].undefined | s[1].undefined | (s[0].value ^ s[1].value);
    return s[2].value & 1 ? s[0].undefined : s[1].undefined;
}

/* ---- moves ---- */

static bits
convert(const sw_ins *ins, const src *s, bits all)
{
    sw_kind from = sw_type_kind((sw_type)ins->stype);
    sw_kind to = sw_type_kind((sw_type)ins->type);
    bool is_plain = (from == SW_KIND_UINT || from == SW_KIND_SINT) &&
                    (to == SW_KIND_UINT || to == SW_KIND_SINT) &&
                    !(ins->flags & SW_F_SAT);
    if (!is_plain)
        return all;
    unsigned had = sw_type_bits((sw_type)ins->stype);
    unsigned has = sw_type_bits((sw_type)ins->type);
    bits out = s[0].undefined & low_bits(had);
    if (from == SW_KIND_SINT)
        out = sign_extend(out, had, 64);
    out &= low_bits(has);
    if (to == SW_KIND_SINT)
        out = sign_extend(out, has, 64);
    return out & all;
}

static bits
pack(const src *s, unsigned count, unsigned bytes)
{
    unsigned part = bytes * 8 / count;
    bits out = 0;
    if (!count || part >= 64)
        return ~(bits)0;
    for (unsigned k = 0; k < count; k++)
        out |= (s[k].undefined & low_bits(part)) << k * part;
    return out;
}

bits
sw_undef_result(const sw_ins *ins, unsigned dst, sw_class cls, const src *s,
                unsigned count)
{
    bits all = sw_undef_all(cls), any = 0;
    for (unsigned k = 0; k < count; k++)
        any |= s[k].undefined;
    if (cls == SW_CLASS_B128)
        return any ? all : 0;
    switch (ins->op) {
    case SW_OP_MOV:
    case SW_OP_NOT:
    case SW_OP_CVTA:
        return any & all;
    case SW_OP_AND:
        return logic(0xc0, s, count) & all;
    case SW_OP_OR:
        return logic(0xfc, s, count) & all;
    case SW_OP_XOR:
        return any & all;
    case SW_OP_LOP3:
        return dst == 0 ? logic((unsigned)ins->imm, s, count) & all : all;
    case SW_OP_ADD:
    case SW_OP_SUB:
    case SW_OP_NEG:
        if (!is_whole(ins) || (ins->flags & SW_F_SAT))
            return all;
        return and_above(any) & all;
    case SW_OP_MUL_LO:
    case SW_OP_MAD_LO:
    case SW_OP_MUL_WIDE:
    case SW_OP_MAD_WIDE:
        return and_above(any) & all;
    case SW_OP_SHL:
    case SW_OP_SHR:
        return shift(ins, s) & all;
    case SW_OP_SHF_L:
    case SW_OP_SHF_R:
        return funnel(ins, s);
    case SW_OP_BFE:
        return extract(ins, s) & all;
    case SW_OP_BFI:
        return insert(ins, s) & all;
    case SW_OP_PRMT:
        return permute(ins, s);
    case SW_OP_SETP:
        return compare(ins, s) || (count > 2 && s[2].undefined);
    case SW_OP_SELP:
        return choose(s) & all;
    case SW_OP_CVT:
        return count == 1 ? convert(ins, s, all) : all;
    case SW_OP_PACK:
        return pack(s, count, sw_class_bytes(cls)) & all;
    case SW_OP_UNPACK:
        return cls == SW_CLASS_PRED || ins->ndst * sw_class_bytes(cls) > 8
                   ? all
                   : s[0].undefined >> 8 * dst * sw_class_bytes(cls) & all;
    default:
        return all;
    }
}

bool
sw_undef_is_copy(const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_MOV:
    case SW_OP_PACK:
    case SW_OP_UNPACK:
    case SW_OP_SHL:
    case SW_OP_SHR:
    case SW_OP_SHF_L:
    case SW_OP_SHF_R:
    case SW_OP_BFE:
    case SW_OP_BFI:
    case SW_OP_PRMT:
    case SW_OP_AND:
    case SW_OP_OR:
    case SW_OP_SELP:
    case SW_OP_SHFL:
        return true;
    case SW_OP_CVT: {
        sw_kind to = sw_type_kind((sw_type)ins->type);
        sw_kind from = sw_type_kind((sw_type)ins->stype);
        return to != SW_KIND_FLOAT && from != SW_KIND_FLOAT;
    }
    default:
        return false;
    }
}
