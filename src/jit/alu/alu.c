/* SPDX-License-Identifier: Apache-2.0 */
/* alu.c - which instruction goes to which emitter, and which values are raw;
 * see alu/alu.h. */
#include "jit/alu/alu.h"

#include "jit/alu/private.h"
#include "sem/eval.h"

enum { MAX_OPERANDS = 16 };

/* ---- the machine ---- */

/* "+name" in a list, the last mention counts. */
static bool
has_feature(const char *features, const char *name, bool otherwise)
{
    size_t n = strlen(name);
    for (const char *p = features; p && *p; p = strchr(p, ',')) {
        p += *p == ',';
        if (*p && !strncmp(p + 1, name, n) && (!p[n + 1] || p[n + 1] == ','))
            otherwise = *p == '+';
    }
    return otherwise;
}

void
sw_jit_alu_detect(sw_jit_llvm *ll, const char *cpu, const char *features)
{
    int level = cpu && !strncmp(cpu, "x86-64-v", 8) ? cpu[8] - '0' : 0;
    ll->has_fma = has_feature(features, "fma", level >= 3);
    ll->has_f16c = has_feature(features, "f16c", level >= 3);
    ll->has_avx2 = has_feature(features, "avx2", level >= 3);
    ll->has_avx512 = has_feature(features, "avx512f", level >= 4) &&
                     has_feature(features, "avx512bw", level >= 4) &&
                     has_feature(features, "avx512dq", level >= 4) &&
                     has_feature(features, "avx512vl", level >= 4);
}

/* ---- emitting ---- */

static bool
emit_by_type(const sw_alu *e, const V *s, V *d)
{
    switch (e->ins->type) {
    case SW_T_F32:
    case SW_T_F32X2:
        return alu_float(e, s, d);
    case SW_T_F64:
        return alu_f64(e, s, d);
    case SW_T_F16:
    case SW_T_BF16:
    case SW_T_F16X2:
    case SW_T_BF16X2:
        return alu_half(e, s, d);
    default:
        return alu_int(e, s, d) || alu_bits(e, s, d);
    }
}

static bool
emit_plain(const sw_alu *e, const V *s, V *d)
{
    if (e->ins->op >= SW_OP_VADD && e->ins->op <= SW_OP_VSET4)
        return false;
    switch (e->ins->op) {
    case SW_OP_SETP:
    case SW_OP_SET:
    case SW_OP_SELP:
    case SW_OP_SLCT:
    case SW_OP_TESTP:
        return alu_select(e, s, d);
    case SW_OP_CVT:
    case SW_OP_CVT_PACK:
        return alu_cvt(e, s, d);
    case SW_OP_MOV:
    case SW_OP_PACK:
    case SW_OP_UNPACK:
        return alu_bits(e, s, d);
    default:
        return emit_by_type(e, s, d);
    }
}

/* As sw_sem_eval has it: the instruction on f32. */
static bool
emit_demoted(const sw_alu *e, const V *s, V *d)
{
    sw_ins f32 = sw_sem_demoted(e->ins);
    sw_ins narrow = {.op = SW_OP_CVT,
                     .type = SW_T_F32,
                     .stype = SW_T_F64,
                     .flags = SW_F_FTZ,
                     .ndst = 1,
                     .nsrc = 1};
    sw_ins widen = {.op = SW_OP_CVT,
                    .type = SW_T_F64,
                    .stype = SW_T_F32,
                    .ndst = 1,
                    .nsrc = 1};
    sw_alu op = {e->ll, e->b, e->lanes, &f32, sw_sem_mode(&f32), {0}};
    sw_alu in = {e->ll, e->b, e->lanes, &narrow, sw_sem_mode(&narrow), {0}};
    sw_alu out = {e->ll, e->b, e->lanes, &widen, 0, {0}};
    V x[MAX_OPERANDS], r;
    for (unsigned i = 0; i < e->ins->nsrc; i++) {
        x[i] = s[i];
        if (sw_sem_reads_f64(e->ins, i) && !emit_plain(&in, &s[i], &x[i]))
            return false;
    }
    if (!emit_plain(&op, x, d))
        return false;
    if (e->b && sw_jit_alu_is_raw(NULL, &f32))
        *d = sw_jit_alu_exact(e->ll, f32.type, e->lanes, *d);
    r = *d;
    return !sw_sem_writes_f64(e->ins) || emit_plain(&out, &r, d);
}

static bool
emit(const sw_alu *e, const V *s, V *d)
{
    return (e->ins->flags & SW_F_DEMOTED ? emit_demoted : emit_plain)(e, s, d);
}

bool
sw_jit_alu_supports(const sw_jit_llvm *ll, const sw_fn *fn, const sw_ins *ins)
{
    (void)fn;
    V s[MAX_OPERANDS] = {NULL}, d[MAX_OPERANDS];
    if (ins->nsrc > MAX_OPERANDS || !sw_sem_supports(ins))
        return false;
    sw_alu e = {ll, NULL, 32, ins, sw_sem_mode(ins), {0}};
    return emit(&e, s, d);
}

/* ---- known operands ---- */

static sw_value
value_of(V constant)
{
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(constant));
    sw_value v = {LLVMConstIntGetZExtValue(constant), 0};
    SW_ASSERT(bits <= 64);
    return v;
}

static bool
is_known(V v)
{
    return LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64;
}

/* Uniform results of numbers known now: LLVM would compute some NaNs
 * otherwise. */
static bool
fold(const sw_alu *e, const V *s, V *d)
{
    sw_value in[MAX_OPERANDS], out[MAX_OPERANDS];
    if (sw_type_kind(e->ins->type) != SW_KIND_FLOAT)
        return false;
    for (unsigned i = 0; i < e->ins->nsrc; i++) {
        if (!is_known(s[i]))
            return false;
        in[i] = value_of(s[i]);
    }
    if (!sw_sem_eval(e->ins, in, out))
        return false;
    unsigned bits = e->ins->op == SW_OP_TESTP || e->ins->op == SW_OP_SETP
                        ? 1
                        : sw_class_bytes(sw_type_class(e->ins->type)) * 8;
    for (unsigned i = 0; i < e->ins->ndst; i++)
        d[i] = v_int(e, bits, out[i].lo);
    return true;
}

bool
sw_jit_alu(const sw_jit_llvm *ll, const sw_fn *fn, const sw_ins *ins,
           unsigned lanes, const LLVMValueRef *src, LLVMValueRef *dst)
{
    if (!sw_jit_alu_supports(ll, fn, ins))
        return false;
    sw_alu e = {ll, ll->builder, lanes, ins, sw_sem_mode(ins), {0}};
    return (lanes == 1 && fold(&e, src, dst)) || emit(&e, src, dst);
}

/* ---- processors that flush ---- */

static bool
is_f16(sw_type type)
{
    return type == SW_T_F16 || type == SW_T_F16X2;
}

/* Numbers whose subnormals are not those of f32. (Those of f16 are normal as
 * f32.) */
static bool
has_own_subnormals(sw_type type)
{
    sw_kind kind = sw_type_kind(type);
    return type != SW_T_F32 && !is_f16(type) &&
           (kind == SW_KIND_FLOAT || kind == SW_KIND_PACKED);
}

bool
sw_jit_alu_may_flush(const sw_jit_llvm *ll, const sw_ins *ins)
{
    sw_type type = (sw_type)ins->type, stype = (sw_type)ins->stype;
    bool f16 = is_f16(type) || is_f16(stype);
    bool f32 = type == SW_T_F32 || stype == SW_T_F32;
    bool from_int = sw_type_kind(stype) == SW_KIND_SINT ||
                    sw_type_kind(stype) == SW_KIND_UINT;
    switch (ins->op) {
    case SW_OP_MOV: /* of bits */
    case SW_OP_SELP:
    case SW_OP_PACK:
    case SW_OP_UNPACK:
    case SW_OP_COPYSIGN:
    case SW_OP_TESTP:
        return true;
    case SW_OP_ABS:
    case SW_OP_NEG:
        if (type == SW_T_F32)
            return true;
        break;
    case SW_OP_CVT:
        if ((type == SW_T_F32 || type == SW_T_F64) && from_int)
            return true;
        break;
    default:
        break;
    }
    if (has_own_subnormals(type) || has_own_subnormals(stype))
        return false;
    /* In steps, of which some make subnormals: */
    bool is_directed = sem_is_directed(sw_sem_mode(ins));
    if ((f16 && (is_directed || !ll->has_f16c)) ||
        (f32 && is_directed && !ll->has_avx512))
        return false;
    return !f32 || (f16 && ins->op == SW_OP_CVT) || (ins->flags & SW_F_FTZ);
}

/* ---- which NaN ---- */

/* Types whose arithmetic makes one NaN, whatever came in. */
static bool
has_one_nan(sw_type type)
{
    return type == SW_T_F32 || type == SW_T_F32X2 || type == SW_T_F16 ||
           type == SW_T_F16X2 || type == SW_T_BF16 || type == SW_T_BF16X2;
}

bool
sw_jit_alu_is_raw(const sw_fn *fn, const sw_ins *ins)
{
    (void)fn;
    if (!has_one_nan(ins->type) || (ins->flags & SW_F_SAT))
        return false;
    switch (ins->op) {
    case SW_OP_ABS:
    case SW_OP_NEG:
        return !(ins->flags & SW_F_NAN);
    case SW_OP_MOV:
    case SW_OP_SELP:
    case SW_OP_SLCT:
    case SW_OP_SET:
    case SW_OP_SETP:
    case SW_OP_TESTP:
    case SW_OP_COPYSIGN:
    case SW_OP_PACK:
    case SW_OP_UNPACK:
        return false;
    case SW_OP_CVT:
        /* Others make no NaN, or carry the payload of one that is exact. */
        return sw_type_kind(ins->stype) == SW_KIND_PACKED ||
               (has_one_nan(ins->stype) &&
                sem_without(sw_sem_mode(ins),
                            ins->stype == SW_T_BF16 ? SW_FM_RND : 0)) ||
               ins->nsrc == 2 || ins->stype == SW_T_F16 ||
               (ins->stype == SW_T_F32 && ins->type != SW_T_F32) ||
               (ins->stype == SW_T_BF16 && ins->type != SW_T_F32);
    default:
        return true;
    }
}

/* Does a conversion look at no more than whether the source is a NaN? */
static bool
cvt_takes_raw(const sw_ins *ins)
{
    if (!has_one_nan(ins->stype))
        return false;
    switch (sw_type_kind(ins->type)) {
    case SW_KIND_SINT:
    case SW_KIND_UINT:
        return true;
    default:
        break;
    }
    if (ins->type == SW_T_F64 || ins->type == SW_T_TF32)
        return false;
    /* These may move bits as they are. */
    return !((ins->stype == SW_T_F32 || ins->stype == SW_T_BF16) &&
             ins->type == SW_T_F32);
}

bool
sw_jit_alu_takes_raw(const sw_fn *fn, const sw_ins *ins, unsigned i)
{
    (void)fn;
    switch (ins->op) {
    case SW_OP_MOV:
        return true;
    case SW_OP_SELP:
        return i < 2;
    case SW_OP_SLCT:
        return i < 2 || ins->stype == SW_T_F32;
    case SW_OP_SET:
        return i < 2 && has_one_nan(ins->stype);
    case SW_OP_SETP:
        return i < 2 && has_one_nan(ins->type);
    case SW_OP_TESTP:
        return has_one_nan(ins->type);
    case SW_OP_CVT:
        return cvt_takes_raw(ins);
    case SW_OP_COPYSIGN:
        return false;
    case SW_OP_ABS:
    case SW_OP_NEG:
        return has_one_nan(ins->type) && !(ins->flags & SW_F_NAN);
    default:
        return has_one_nan(ins->type) && !(ins->flags & SW_F_XORSIGN);
    }
}

LLVMValueRef
sw_jit_alu_exact(const sw_jit_llvm *ll, sw_type type, unsigned lanes,
                 LLVMValueRef value)
{
    sw_alu e = {ll, ll->builder, lanes, NULL, 0, {0}};
    bool pair = sw_type_kind(type) == SW_KIND_PACKED;
    bool bf16 = type == SW_T_BF16 || type == SW_T_BF16X2;
    sw_alu half = pair ? alu_halves(&e) : e;
    unsigned bits = pair ? sw_type_bits(type) / 2 : sw_type_bits(type);
    if (!has_one_nan(type))
        return value;
    V v = pair ? alu_split(&half, value, bits) : value;
    if (bits == 32) {
        v = v_bits32(&half, alu_canon_f32(&half, v_f32(&half, v)));
    } else {
        V is_nan = v_icmpk(&half, LLVMIntUGT, v_andk(&half, v, 0x7fff),
                           bf16 ? 0x7f80 : 0x7c00);
        v = v_sel(&half, is_nan, v_k(&half, v, 0x7fff), v);
    }
    return pair ? alu_merge(&e, v, 2 * bits) : v;
}
