/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sem_eval_test.c - every pure op of ops.def with every type it allows either
 * evaluates or is on the list below of what has no meaning; and what needs
 * more than one result, a predicate or packed operands.
 */
#include "check.h"
#include "sem/eval.h"
#include "sem/sem.h"

/* ---- the walk ---- */

static bool
type_allowed(unsigned set, sw_type t)
{
    sw_kind k = sw_type_kind(t);
    bool integer = k == SW_KIND_UINT || k == SW_KIND_SINT;
    bool narrow = sw_type_bits(t) < 16;
    bool packed_int = t == SW_T_U16X2 || t == SW_T_S16X2;
    bool bits = k == SW_KIND_BITS && t != SW_T_B1;
    bool real = k == SW_KIND_FLOAT || (k == SW_KIND_PACKED && !packed_int);
    switch (set) {
    case SW_TS_INT:
        return integer && !narrow;
    case SW_TS_FLOAT:
        return real && !narrow;
    case SW_TS_NUM:
        return ((integer || real) && !narrow) || packed_int;
    case SW_TS_BITS:
        return bits && !narrow;
    case SW_TS_LOGIC:
        return (bits && !narrow) || k == SW_KIND_PRED;
    case SW_TS_INTBITS:
        return (bits || integer) && !narrow;
    case SW_TS_CMP:
        return ((bits || integer || real) && !narrow) || packed_int;
    case SW_TS_ANY:
        return (bits || integer || real) && !narrow;
    default:
        return t == SW_T_B32;
    }
}

/* A typical instruction of the op and type. */
static sw_ins
typical(sw_op op, sw_type t)
{
    static const sw_video video = {.dtype = SW_T_S32,
                                   .atype = SW_T_S32,
                                   .btype = SW_T_S32,
                                   .amask = 0x3210,
                                   .bmask = 0x7654,
                                   .dmask = 15};
    unsigned srcs = sw_op_get_info(op)->srcs;
    sw_ins ins = {.op = (uint16_t)op, .type = (uint8_t)t, .ndst = 1};
    ins.nsrc = (uint8_t)(srcs == SW_SRCS_ANY ? 1 : srcs);
    bool is_bits = sw_type_kind(t) == SW_KIND_BITS;
    switch (op) {
    case SW_OP_PACK:
        ins.nsrc = 2;
        break;
    case SW_OP_UNPACK:
        ins.ndst = 2;
        break;
    case SW_OP_SET:
        ins.stype = (uint8_t)t;
        ins.type = SW_T_U32;
        break;
    case SW_OP_SLCT:
        ins.stype = SW_T_S32;
        break;
    case SW_OP_DP4A:
    case SW_OP_DP2A:
        ins.stype = SW_T_U32;
        break;
    case SW_OP_CVT:
        ins.stype = (uint8_t)(is_bits ? SW_T_NONE : SW_T_F32);
        if (sw_type_kind(t) == SW_KIND_PACKED)
            ins.nsrc = 2;
        break;
    case SW_OP_CVT_PACK:
        ins.stype = SW_T_S32;
        ins.flags = SW_F_SAT;
        break;
    default:
        break;
    }
    if (op >= SW_OP_VADD && op <= SW_OP_VSET4)
        ins.aux = &video;
    return ins;
}

static bool
one_of(sw_type t, uint64_t set)
{
    return set >> t & 1;
}

#define T(x) (UINT64_C(1) << SW_T_##x)
static const uint64_t fp8_types = T(E4M3X2) | T(E5M2X2);
static const uint64_t half_types = T(F16) | T(BF16) | T(F16X2) | T(BF16X2);

/* Pairs of op and type that have no meaning, and why. */
static bool
meaningless(sw_op op, sw_type t)
{
    uint64_t float_pairs = T(F32X2), no = fp8_types | T(TF32);
    switch (op) {
    case SW_OP_ADDR: /* addresses are the engine's */
    case SW_OP_CVTA:
    case SW_OP_ISSPACEP:
    case SW_OP_MBAR_PENDING:
        return true;
    case SW_OP_ADD:
        return one_of(t, no);
    case SW_OP_SUB:
        return one_of(t, no | T(U16X2) | T(S16X2));
    case SW_OP_MUL:
    case SW_OP_FMA:
        return one_of(t, no);
    case SW_OP_MAD:
        return !one_of(t, T(F32) | T(F64));
    case SW_OP_MIN:
    case SW_OP_MAX:
        return one_of(t, no | float_pairs);
    case SW_OP_ADDC: /* carries: 32 and 64 bits */
    case SW_OP_SUBC:
    case SW_OP_MADC_LO:
    case SW_OP_MADC_HI:
    case SW_OP_BFIND:
    case SW_OP_BFE:
        return one_of(t, T(U16) | T(S16));
    case SW_OP_MUL_WIDE: /* no 128-bit integers */
    case SW_OP_MAD_WIDE:
        return one_of(t, T(U64) | T(S64));
    case SW_OP_MUL24_LO:
    case SW_OP_MUL24_HI:
    case SW_OP_MAD24_LO:
    case SW_OP_MAD24_HI:
    case SW_OP_SZEXT:
    case SW_OP_DP4A:
    case SW_OP_DP2A:
        return !one_of(t, T(U32) | T(S32));
    case SW_OP_ABS:
    case SW_OP_NEG:
        return one_of(t, no | float_pairs | T(U16) | T(U32) | T(U64) |
                             T(U16X2) | T(S16X2));
    case SW_OP_DIV:
        return one_of(t, no | float_pairs | half_types | T(U16X2) | T(S16X2));
    case SW_OP_MIN3:
    case SW_OP_MAX3:
    case SW_OP_SIN:
    case SW_OP_COS:
    case SW_OP_LG2:
        return t != SW_T_F32;
    case SW_OP_RCP:
    case SW_OP_SQRT:
    case SW_OP_RSQRT:
    case SW_OP_COPYSIGN:
    case SW_OP_TESTP:
        return !one_of(t, T(F32) | T(F64));
    case SW_OP_EX2:
    case SW_OP_TANH:
        return !one_of(t, T(F32) | half_types);
    case SW_OP_POPC:
    case SW_OP_CLZ:
    case SW_OP_BREV:
    case SW_OP_BFI:
        return !one_of(t, T(B32) | T(B64));
    case SW_OP_FNS:
    case SW_OP_BMSK:
    case SW_OP_LOP3:
    case SW_OP_SHF_L:
    case SW_OP_SHF_R:
    case SW_OP_PRMT:
        return t != SW_T_B32;
    case SW_OP_AND:
    case SW_OP_OR:
    case SW_OP_XOR:
    case SW_OP_NOT:
    case SW_OP_CNOT:
    case SW_OP_SHL:
    case SW_OP_SHR:
        return t == SW_T_B128;
    case SW_OP_SETP:
    case SW_OP_SET:
        return one_of(t, no | float_pairs | T(U16X2) | T(S16X2) | T(B128));
    case SW_OP_CVT: /* from f32 here; untyped bits are not numbers */
        return one_of(t, T(B16) | T(B32) | T(B64) | T(B128) | float_pairs);
    case SW_OP_CVT_PACK:
        return !one_of(t, T(U16) | T(S16));
    default:
        return false;
    }
}

CASE(every_pure_op_and_type_has_a_meaning_or_is_listed)
{
    for (unsigned op = 0; op < SW_OP_COUNT; op++) {
        const sw_op_info *info = sw_op_get_info((sw_op)op);
        for (unsigned t = 0; t < SW_T_COUNT; t++) {
            if (!type_allowed(info->types, (sw_type)t))
                continue;
            sw_ins ins = typical((sw_op)op, (sw_type)t);
            bool want = info->effects == SW_FX_PURE &&
                        !meaningless((sw_op)op, (sw_type)t);
            bool got = sw_sem_supports(&ins);
            if (got != want)
                printf("%s.%s: %d\n", info->text, sw_type_text((sw_type)t),
                       got);
            CHECK_EQ(got, want);
        }
    }
}

/* ---- single instructions ---- */

static sw_value result[16];

static bool
run(sw_ins ins, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    sw_value src[4] = {{a, 0}, {b, 0}, {c, 0}, {d, 0}};
    memset(result, 0xee, sizeof result);
    return sw_sem_eval(&ins, src, result);
}

CASE(carries_chain)
{
    sw_ins add = {.op = SW_OP_ADDC, .type = SW_T_U64, .ndst = 2, .nsrc = 3};
    CHECK(run(add, UINT64_MAX, 0, 1, 0));
    CHECK_EQ(result[0].lo, 0);
    CHECK_EQ(result[1].lo, 1);
    CHECK(run(add, UINT64_MAX, UINT64_MAX, 1, 0));
    CHECK_EQ(result[0].lo, UINT64_MAX);
    CHECK_EQ(result[1].lo, 1);
    sw_ins sub = {.op = SW_OP_SUBC, .type = SW_T_U32, .ndst = 2, .nsrc = 3};
    CHECK(run(sub, 0, 0, 1, 0)); /* a carry: nothing borrowed */
    CHECK_EQ(result[0].lo, 0);
    CHECK_EQ(result[1].lo, 1);
    CHECK(run(sub, 0, 0, 0, 0));
    CHECK_EQ(result[0].lo, 0xffffffff);
    CHECK_EQ(result[1].lo, 0);
    sw_ins mad = {.op = SW_OP_MADC_HI, .type = SW_T_S64, .ndst = 2, .nsrc = 4};
    CHECK(run(mad, UINT64_MAX, 2, 1, 0)); /* high(-2) + 1 */
    CHECK_EQ(result[0].lo, 0);
    CHECK_EQ(result[1].lo, 1);
}

CASE(setp_has_two_results_and_a_third_operand)
{
    sw_ins ins = {.op = SW_OP_SETP,
                  .type = SW_T_S32,
                  .cmp = SW_CMP_LT,
                  .boolop = SW_BOOL_AND,
                  .ndst = 2,
                  .nsrc = 3};
    CHECK(run(ins, (uint32_t)-1, 0, 1, 0));
    CHECK_EQ(result[0].lo, 1);
    CHECK_EQ(result[1].lo, 0);
    CHECK(run(ins, 1, 0, 1, 0));
    CHECK_EQ(result[0].lo, 0);
    CHECK_EQ(result[1].lo, 1);
    CHECK(run(ins, 1, 0, 0, 0));
    CHECK_EQ(result[1].lo, 0);
}

CASE(modifiers_without_meaning_are_refused)
{
    sw_ins ins = {.op = SW_OP_ADD, .type = SW_T_U32, .ndst = 1, .nsrc = 2};
    CHECK(run(ins, 1, 2, 0, 0));
    CHECK_EQ(result[0].lo, 3);
    ins.flags = SW_F_SAT;
    CHECK(!run(ins, 1, 2, 0, 0));
    CHECK_EQ(result[0].lo, 0xeeeeeeeeeeeeeeee); /* untouched */
    ins = (sw_ins){.op = SW_OP_SETP, .type = SW_T_B32, .ndst = 1, .nsrc = 2};
    CHECK(sw_sem_supports(&ins));
    ins.cmp = SW_CMP_LT;
    CHECK(!sw_sem_supports(&ins));
    ins = (sw_ins){.op = SW_OP_ADD,
                   .type = SW_T_F16,
                   .rnd = SW_RND_RZ,
                   .ndst = 1,
                   .nsrc = 2};
    CHECK(!sw_sem_supports(&ins));
    ins = (sw_ins){.op = SW_OP_LD, .type = SW_T_U32, .ndst = 1, .nsrc = 1};
    CHECK(!sw_sem_supports(&ins));
}

CASE(sat_and_satfinite_differ)
{
    sw_ins ins = {.op = SW_OP_CVT,
                  .type = SW_T_F16,
                  .stype = SW_T_F32,
                  .flags = SW_F_SAT,
                  .ndst = 1,
                  .nsrc = 1};
    CHECK(run(ins, sem_bits_f32(1e9f), 0, 0, 0));
    CHECK_EQ(result[0].lo, 0x3c00);
    ins.sub = 1;
    CHECK(run(ins, sem_bits_f32(1e9f), 0, 0, 0));
    CHECK_EQ(result[0].lo, 0x7bff);
    CHECK(run(ins, sem_bits_f32(-INFINITY), 0, 0, 0));
    CHECK_EQ(result[0].lo, 0xfbff);
    CHECK(run(ins, 0x7f800001, 0, 0, 0));
    CHECK_EQ(result[0].lo, 0x7fff);
}

CASE(packing)
{
    sw_ins ins = {.op = SW_OP_PACK, .type = SW_T_B64, .ndst = 1, .nsrc = 4};
    CHECK(run(ins, 0x1111, 0x2222, 0x3333, 0x4444));
    CHECK_EQ(result[0].lo, 0x4444333322221111);
    ins = (sw_ins){.op = SW_OP_UNPACK, .type = SW_T_B32, .ndst = 4, .nsrc = 1};
    CHECK(run(ins, 0x04030201, 0, 0, 0));
    CHECK_EQ(result[3].lo, 4);
    ins = (sw_ins){.op = SW_OP_PACK, .type = SW_T_B128, .ndst = 1, .nsrc = 2};
    CHECK(run(ins, 5, 6, 0, 0));
    CHECK_EQ(result[0].lo, 5);
    CHECK_EQ(result[0].hi, 6);
}

CASE(lop3_with_a_predicate)
{
    sw_ins ins = {.op = SW_OP_LOP3,
                  .type = SW_T_B32,
                  .imm = 0x80,
                  .boolop = SW_BOOL_OR,
                  .ndst = 2,
                  .nsrc = 4};
    CHECK(run(ins, 6, 3, 10, 0));
    CHECK_EQ(result[0].lo, 2);
    CHECK_EQ(result[1].lo, 1);
    CHECK(run(ins, 1, 2, 4, 0));
    CHECK_EQ(result[1].lo, 0);
    CHECK(run(ins, 1, 2, 4, 1));
    CHECK_EQ(result[1].lo, 1);
}

/* The scalar video instructions; a sum of u32 wraps in spite of .sat. */
CASE(scalar_video)
{
    sw_video v = {.dtype = SW_T_U32, .atype = SW_T_U32, .btype = SW_T_U32};
    sw_ins ins = {
        .op = SW_OP_VADD, .type = SW_T_U32, .aux = &v, .ndst = 1, .nsrc = 3};
    v.sat = true;
    CHECK(run(ins, 0xffffffff, 2, 0, 0));
    CHECK_EQ(result[0].lo, 1);
    v.sat = false;
    v.asel = 2; /* byte 1 */
    v.bsel = 6; /* upper half */
    v.op2 = 4;  /* into byte 3 of c */
    v.dsel = 4;
    CHECK(run(ins, 0x00001200, 0x00340000, 0xaabbccdd, 0));
    CHECK_EQ(result[0].lo, 0x46bbccdd);
    v = (sw_video){.dtype = SW_T_S32,
                   .atype = SW_T_S32,
                   .btype = SW_T_S32,
                   .scale = 7,
                   .neg_c = true};
    ins.op = SW_OP_VMAD;
    CHECK(run(ins, (uint32_t)-256, 2, 128, 0)); /* (-512 - 128) >> 7 */
    CHECK_EQ(result[0].lo, (uint32_t)-5);
}
