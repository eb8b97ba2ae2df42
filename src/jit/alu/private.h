/* SPDX-License-Identifier: Apache-2.0 */
/*
 * private.h - shared by the alu*.c files: building LLVM values of one or
 * many lanes alike.
 *
 * A v_ function takes and returns values that all have e->lanes lanes. With
 * e->b NULL nothing is built and every value is NULL: so emitters run without
 * emitting to find out what they support, and must not look into values but
 * through v_ functions. Constants written next to a value have its type.
 */
#ifndef SW_JIT_ALU_PRIVATE_H
#define SW_JIT_ALU_PRIVATE_H
#include "jit/alu/alu.h"
#include "sem/float.h"

typedef LLVMValueRef V;

typedef struct {
    const sw_jit_llvm *ll;
    LLVMBuilderRef b; /* NULL: build nothing */
    unsigned lanes;
    const sw_ins *ins;
    sw_fmode m;
    V normal[3]; /* operands that need not be flushed, or NULL */
} sw_alu;

enum { ALU_MAX_LANES = 512 }; /* halves of fused warps' 256 */

/* Of the instruction's type. */
static inline unsigned
alu_width(const sw_alu *e)
{
    return sw_type_bits((sw_type)e->ins->type);
}

static inline bool
alu_is_signed(const sw_alu *e)
{
    return sw_type_kind((sw_type)e->ins->type) == SW_KIND_SINT;
}

/* ---- emitters, by file; false: not supported ---- */

bool alu_int(const sw_alu *e, const V *s, V *d);
bool alu_bits(const sw_alu *e, const V *s, V *d);
bool alu_select(const sw_alu *e, const V *s, V *d);
bool alu_float(const sw_alu *e, const V *s, V *d);
bool alu_cvt(const sw_alu *e, const V *s, V *d);
bool alu_f64(const sw_alu *e, const V *s, V *d);

/* ---- values in alu/value.c ---- */

LLVMTypeRef v_int_type(const sw_alu *e, unsigned bits);
LLVMTypeRef v_f32_type(const sw_alu *e);
LLVMTypeRef v_f64_type(const sw_alu *e);
LLVMTypeRef v_f16_type(const sw_alu *e);
V v_int(const sw_alu *e, unsigned bits, uint64_t x);
V v_f32_const(const sw_alu *e, double x);
V v_f64_const(const sw_alu *e, double x);
/* x in the integer or floating type of `like`. */
V v_k(const sw_alu *e, V like, uint64_t x);
V v_fk(const sw_alu *e, V like, double x);

V v_bin(const sw_alu *e, LLVMOpcode op, V a, V b);
V v_cast(const sw_alu *e, LLVMOpcode op, V a, LLVMTypeRef to);
V v_icmp(const sw_alu *e, LLVMIntPredicate p, V a, V b);
V v_fcmp(const sw_alu *e, LLVMRealPredicate p, V a, V b);
V v_sel(const sw_alu *e, V c, V a, V b);
/* An intrinsic overloaded on the type of its first argument only. */
V v_call1(const sw_alu *e, const char *name, V a);
V v_call2(const sw_alu *e, const char *name, V a, V b);
V v_call3(const sw_alu *e, const char *name, V a, V b, V c);
/* Leading zeros; the width if none is set. */
V v_ctlz(const sw_alu *e, V a);
/* Zero-extended or cut to `bits`. */
V v_resize(const sw_alu *e, V a, unsigned bits);
/* Is it known at this point? */
bool v_is_const(V a);
/* The scalar of which `a` was made by sw_jit_alu_splat, or NULL. */
V v_splat_source(V a);
V v_splat(const sw_alu *e, V scalar);
/* An x86 intrinsic on vectors of n lanes, piece by piece. `imm`, if not
 * negative, is its last argument. Missing lanes are zero. An overloaded one
 * makes f64 of eight lanes and f32 of 16. */
V v_x86(const sw_alu *e, const char *name, unsigned n, const V *args,
        unsigned count, int imm);
/* Lanes [i * n, (i + 1) * n), zero beyond the last; and together again. */
V v_piece(const sw_alu *e, V a, unsigned i, unsigned n);
V v_join(const sw_alu *e, V *pieces, unsigned count, unsigned n);

/* ---- short names ---- */

static inline V
v_add(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMAdd, a, b);
}

static inline V
v_sub(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMSub, a, b);
}

static inline V
v_mul(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMMul, a, b);
}

static inline V
v_and(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMAnd, a, b);
}

static inline V
v_or(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMOr, a, b);
}

static inline V
v_xor(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMXor, a, b);
}

/* Shift amounts must be below the width, or the result not be used. */
static inline V
v_shl(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMShl, a, b);
}

static inline V
v_lshr(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMLShr, a, b);
}

static inline V
v_ashr(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMAShr, a, b);
}

static inline V
v_addk(const sw_alu *e, V a, uint64_t k)
{
    return v_add(e, a, v_k(e, a, k));
}

static inline V
v_mulk(const sw_alu *e, V a, uint64_t k)
{
    return v_mul(e, a, v_k(e, a, k));
}

static inline V
v_andk(const sw_alu *e, V a, uint64_t k)
{
    return v_and(e, a, v_k(e, a, k));
}

static inline V
v_ork(const sw_alu *e, V a, uint64_t k)
{
    return v_or(e, a, v_k(e, a, k));
}

static inline V
v_xork(const sw_alu *e, V a, uint64_t k)
{
    return v_xor(e, a, v_k(e, a, k));
}

static inline V
v_shlk(const sw_alu *e, V a, unsigned k)
{
    return v_shl(e, a, v_k(e, a, k));
}

static inline V
v_lshrk(const sw_alu *e, V a, unsigned k)
{
    return v_lshr(e, a, v_k(e, a, k));
}

static inline V
v_ashrk(const sw_alu *e, V a, unsigned k)
{
    return v_ashr(e, a, v_k(e, a, k));
}

static inline V
v_not(const sw_alu *e, V a)
{
    return v_xork(e, a, UINT64_MAX);
}

static inline V
v_neg(const sw_alu *e, V a)
{
    return v_sub(e, v_k(e, a, 0), a);
}

static inline V
v_icmpk(const sw_alu *e, LLVMIntPredicate p, V a, uint64_t k)
{
    return v_icmp(e, p, a, v_k(e, a, k));
}

static inline V
v_fcmpk(const sw_alu *e, LLVMRealPredicate p, V a, double k)
{
    return v_fcmp(e, p, a, v_fk(e, a, k));
}

static inline V
v_fadd(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMFAdd, a, b);
}

static inline V
v_fsub(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMFSub, a, b);
}

static inline V
v_fmul(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMFMul, a, b);
}

static inline V
v_fdiv(const sw_alu *e, V a, V b)
{
    return v_bin(e, LLVMFDiv, a, b);
}

static inline V
v_fmulk(const sw_alu *e, V a, double k)
{
    return v_fmul(e, a, v_fk(e, a, k));
}

static inline V
v_zext(const sw_alu *e, V a, unsigned bits)
{
    return v_cast(e, LLVMZExt, a, v_int_type(e, bits));
}

static inline V
v_sext(const sw_alu *e, V a, unsigned bits)
{
    return v_cast(e, LLVMSExt, a, v_int_type(e, bits));
}

static inline V
v_trunc(const sw_alu *e, V a, unsigned bits)
{
    return v_cast(e, LLVMTrunc, a, v_int_type(e, bits));
}

/* The bits of an integer as a number, and back. */
static inline V
v_f32(const sw_alu *e, V a)
{
    return v_cast(e, LLVMBitCast, a, v_f32_type(e));
}

static inline V
v_f64(const sw_alu *e, V a)
{
    return v_cast(e, LLVMBitCast, a, v_f64_type(e));
}

static inline V
v_bits32(const sw_alu *e, V a)
{
    return v_cast(e, LLVMBitCast, a, v_int_type(e, 32));
}

static inline V
v_bits64(const sw_alu *e, V a)
{
    return v_cast(e, LLVMBitCast, a, v_int_type(e, 64));
}

/* f32 to f64 and back, nearest. */
static inline V
v_wide(const sw_alu *e, V a)
{
    return v_cast(e, LLVMFPExt, a, v_f64_type(e));
}

static inline V
v_narrow(const sw_alu *e, V a)
{
    return v_cast(e, LLVMFPTrunc, a, v_f32_type(e));
}

static inline V
v_fabs(const sw_alu *e, V a)
{
    return v_call1(e, "llvm.fabs", a);
}

static inline V
v_fneg32(const sw_alu *e, V a)
{
    return v_f32(e, v_xork(e, v_bits32(e, a), 0x80000000u));
}

static inline V
v_is_nan(const sw_alu *e, V a)
{
    return v_fcmp(e, LLVMRealUNO, a, a);
}

/* ---- f32 as sem/float.h has it, values as float ---- */

enum { ALU_ADD, ALU_SUB, ALU_MUL, ALU_DIV, ALU_FMA, ALU_SQRT };

V alu_flush_f32(const sw_alu *e, V x);
V alu_in_f32(const sw_alu *e, V x); /* flushed if .ftz */
/* The same of what is only compared. */
V alu_operand_f32(const sw_alu *e, V x);
V alu_sat(const sw_alu *e, V x);
V alu_canon_f32(const sw_alu *e, V x);
/* sem_mul_f32 with the modifiers m, but for which NaN. */
V alu_mul_f32(const sw_alu *e, V a, V b, sw_fmode m);
V alu_fma_f32(const sw_alu *e, V a, V b, V c, sw_fmode m);
V alu_pick_f32(const sw_alu *e, V a, V b, bool max, sw_fmode m);
/* An operation (ALU_) in direction rnd by an instruction that rounds so. */
V alu_rounded(const sw_alu *e, int what, bool f64, unsigned rnd, const V *x);
/* As sem_sum_odd; f64, or f32. */
V alu_sum_odd(const sw_alu *e, bool f64, V x, V y);
V alu_round_f32(const sw_alu *e, V x, unsigned rnd);
V alu_round_odd_f32(const sw_alu *e, V x);

/* Approximations: false if there is none of this form. */
bool alu_approx_f32(const sw_alu *e, const V *s, V *d);
bool alu_approx_half(const sw_alu *e, const V *s, V *d);
bool alu_approx_f64(const sw_alu *e, const V *s, V *d);

/* A table of the special-function unit; see alu/approx.c. */
typedef struct {
    const char *name;
    unsigned rows; /* 64 or 128 */
    const double *c0, *c1, *c2;
    bool c1_negative; /* c1 is signed; else all are positive */
} alu_table;

/* The unit's value >> 16 and its lower 16 bits, for rows and x of a multiple
 * of 32 lanes, with AVX-512. */
void alu_value_by_rows(const sw_alu *e, const alu_table *t, V row, V x, V *high,
                       V *low);

/* ---- f16, bf16: registers of 16 bits ---- */

V alu_f32_of_f16(const sw_alu *e, V h); /* which NaN: keeps sign, payload */
V alu_f32_of_bf16(const sw_alu *e, V h);
V alu_f16_of_f32(const sw_alu *e, V x);
V alu_bf16_of_f32(const sw_alu *e, V x);
V alu_flush_f16(const sw_alu *e, V h);
V alu_in_f16(const sw_alu *e, V h, sw_fmode m);
V alu_out_f16(const sw_alu *e, V x, sw_fmode m);
V alu_out_bf16(const sw_alu *e, V x, sw_fmode m);
bool alu_half(const sw_alu *e, const V *s, V *d);
/* A compare operator on numbers (f32 or f64) or integers. */
V alu_fcmp(const sw_alu *e, sw_cmp cmp, V a, V b);

/* e for twice the lanes of half the width, and values as such. */
sw_alu alu_halves(const sw_alu *e);
V alu_split(const sw_alu *half, V a, unsigned bits); /* into lanes of `bits` */
V alu_merge(const sw_alu *e, V a, unsigned bits);    /* lanes of e */

#endif
