/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_alu_test.c - what the compiler emits for pure instructions against
 * sw_sem_eval, bit for bit: every op, type and modifier, uniform and for 32
 * lanes, on the machine at hand and for the smaller ones of x86-64; and where
 * the processor flushes subnormals.
 *
 * Forms are tried, not listed: what sw_sem_supports takes is one. Each becomes
 * a function of a batch's object, which may need nothing from outside.
 */
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <xmmintrin.h>

#include "check.h"
#include "ir/verify_private.h"
#include "jit/abi.h"
#include "jit/alu/alu.h"
#include "sem/eval.h"
#include "sem_inputs.h"

enum { MAX_OPERANDS = 16, BATCH = 64, ROUNDS = INPUT_COUNT / 32 };

typedef struct {
    sw_ins ins;
    sw_opnd opnd[2 * MAX_OPERANDS];
    unsigned bits[2 * MAX_OPERANDS]; /* registers; 1: predicates */
    unsigned kind[MAX_OPERANDS];     /* of sources: INPUT_ */
} form;

static form *forms;
static size_t form_count, form_room;

/* ---- operands of an instruction ---- */

static unsigned
kind_of(sw_type type)
{
    switch (type) {
    case SW_T_F16:
        return INPUT_F16;
    case SW_T_BF16:
        return INPUT_BF16;
    case SW_T_F32:
        return INPUT_F32;
    case SW_T_F64:
        return INPUT_F64;
    case SW_T_F16X2:
        return INPUT_F16X2;
    case SW_T_BF16X2:
        return INPUT_BF16X2;
    case SW_T_PRED:
        return INPUT_P;
    default:
        break;
    }
    unsigned bits = sw_class_bytes(sw_type_class(type)) * 8;
    return bits == 16 ? INPUT_I16 : bits == 32 ? INPUT_I32 : INPUT_I64;
}

static unsigned
register_bits(sw_type type)
{
    return type == SW_T_PRED ? 1 : sw_class_bytes(sw_type_class(type)) * 8;
}

static bool
is_count(const sw_ins *ins)
{
    return ins->op != SW_OP_DP4A && ins->op != SW_OP_DP2A &&
           ins->op != SW_OP_PRMT && ins->op != SW_OP_CVT_PACK;
}

/* What a letter of the signature says of an operand. */
static void
describe(form *f, char letter, unsigned at)
{
    const sw_ins *ins = &f->ins;
    unsigned parts = ins->op == SW_OP_PACK ? ins->nsrc : ins->ndst;
    unsigned part = sw_type_bits(ins->type) / parts, kind;
    switch (letter) {
    case 'W':
        f->bits[at] = 2 * register_bits(ins->type);
        kind = f->bits[at] == 32 ? INPUT_I32 : INPUT_I64;
        break;
    case '3':
        f->bits[at] = 32;
        kind = is_count(ins) ? INPUT_SH : INPUT_I32;
        break;
    case 'P':
        f->bits[at] = 1;
        kind = INPUT_P;
        break;
    case 'S':
        f->bits[at] = register_bits(ins->stype);
        kind = kind_of(ins->stype);
        break;
    case 'X':
        f->bits[at] = part < 16 ? 16 : part;
        kind = f->bits[at] == 16   ? INPUT_I16
               : f->bits[at] == 32 ? INPUT_I32
                                   : INPUT_I64;
        break;
    default:
        f->bits[at] = register_bits(ins->type);
        kind = kind_of(ins->type);
    }
    if (at >= ins->ndst)
        f->kind[at - ins->ndst] = kind;
}

static void
describe_all(form *f)
{
    char plain[8];
    const char *p = sw_verify_signature(f->ins.op, plain);
    unsigned at = 0;
    for (unsigned side = 0; side < 2; side++) {
        unsigned end = side ? f->ins.ndst + f->ins.nsrc : f->ins.ndst;
        while (at < end) {
            describe(f, *p, at++);
            if (p[1] != '*')
                p += p[1] == '?' ? 2 : 1;
        }
        p = strchr(p, '=') ? strchr(p, '=') + 1 : p;
    }
}

/* Adds the instruction if it means something. */
static form *
try(const sw_ins *ins)
{
    form f = {.ins = *ins};
    for (unsigned i = 0; i < 2 * MAX_OPERANDS; i++)
        f.opnd[i].kind = SW_OPND_REG;
    f.ins.opnd = f.opnd;
    if (!sw_sem_supports(&f.ins))
        return NULL;
    describe_all(&f);
    if (form_count == form_room) {
        form_room = form_room ? 2 * form_room : 1024;
        forms = realloc(forms, form_room * sizeof *forms);
    }
    forms[form_count] = f;
    return &forms[form_count++];
}

/* ---- all forms ---- */

static void
try_flags(sw_ins ins, unsigned candidates)
{
    bool f64 = ins.type == SW_T_F64 || ins.stype == SW_T_F64;
    for (unsigned flags = 0; flags <= candidates; flags++)
        if (!(flags & ~candidates) &&
            !(flags & SW_F_APPROX && flags & SW_F_FULL)) {
            ins.flags = (uint16_t)flags;
            try(&ins);
            ins.flags |= SW_F_DEMOTED | SW_F_FTZ;
            if (f64 && !(flags & SW_F_FTZ))
                try(&ins);
        }
}

static void
try_plain(sw_op op, sw_type type)
{
    static const uint8_t subs[SW_OP_COUNT] = {
        [SW_OP_BFIND] = 1, [SW_OP_SZEXT] = 1, [SW_OP_BMSK] = 1,
        [SW_OP_DP2A] = 1,  [SW_OP_SHF_L] = 1, [SW_OP_SHF_R] = 1,
        [SW_OP_PRMT] = 6,  [SW_OP_TESTP] = 5};
    static const sw_rnd rounds[] = {SW_RND_NONE, SW_RND_RZ, SW_RND_RM,
                                    SW_RND_RP};
    unsigned all = SW_F_FTZ | SW_F_SAT | SW_F_APPROX | SW_F_FULL | SW_F_NAN |
                   SW_F_XORSIGN | SW_F_RELU;
    sw_ins ins = {.op = (uint16_t)op, .type = (uint8_t)type, .ndst = 1};
    ins.nsrc = sw_op_get_info(op)->srcs;
    for (unsigned sub = 0; sub <= subs[op]; sub++)
        for (unsigned r = 0; r < 4; r++) {
            ins.sub = (uint8_t)sub;
            ins.rnd = (uint8_t)rounds[r];
            /* Approximations and these have no direction. */
            bool none = op == SW_OP_MIN || op == SW_OP_MAX || op == SW_OP_EX2 ||
                        op == SW_OP_ABS || op == SW_OP_NEG ||
                        op == SW_OP_TESTP || op >= SW_OP_RSQRT;
            if (!r || !none)
                try_flags(ins, r ? SW_F_FTZ | SW_F_SAT : all);
        }
}

static void
try_compare(sw_op op, sw_type type, sw_type stype)
{
    sw_ins ins = {
        .op = (uint16_t)op, .type = (uint8_t)type, .stype = (uint8_t)stype};
    bool few = op == SW_OP_SET && type != SW_T_U32;
    for (unsigned cmp = 0; cmp < SW_CMP_COUNT; cmp++)
        for (unsigned boolop = 0; boolop <= SW_BOOL_XOR; boolop++)
            for (unsigned ndst = 1; ndst <= 2; ndst++) {
                if ((boolop || ndst > 1 || few) && cmp != SW_CMP_LT)
                    continue;
                if (few && boolop && boolop != SW_BOOL_XOR)
                    continue;
                ins.cmp = (uint8_t)cmp;
                ins.boolop = (uint8_t)boolop;
                ins.ndst = (uint8_t)ndst;
                ins.nsrc = boolop ? 3 : 2;
                try_flags(ins, SW_F_FTZ);
            }
}

static void
try_cvt(sw_type to, sw_type from)
{
    sw_kind a = sw_type_kind(from), d = sw_type_kind(to);
    bool ints = a == SW_KIND_SINT || a == SW_KIND_UINT;
    bool intd = d == SW_KIND_SINT || d == SW_KIND_UINT;
    bool integral = !ints && (intd || to == from);
    sw_ins ins = {.op = SW_OP_CVT,
                  .type = (uint8_t)to,
                  .stype = (uint8_t)from,
                  .ndst = 1};
    unsigned flags = SW_F_SAT;
    if (from == SW_T_F32 || (to == SW_T_F32 && !ints))
        flags |= SW_F_FTZ;
    if (!ints && sw_type_bits(to) <= 32 && to != SW_T_F32)
        flags |= SW_F_RELU;
    if (intd && !ints)
        flags &= SW_F_FTZ;
    for (unsigned rnd = 0; rnd < SW_RND_COUNT; rnd++) {
        if (rnd && ints && intd)
            continue;
        if (rnd && (integral ? rnd < SW_RND_RNI : rnd >= SW_RND_RNI))
            continue;
        if (rnd == SW_RND_RN || (rnd == SW_RND_RNA && to != SW_T_TF32))
            continue;
        ins.rnd = (uint8_t)rnd;
        for (ins.nsrc = 1; ins.nsrc <= 2; ins.nsrc++) {
            ins.sub = 0;
            try_flags(ins, flags);
            ins.sub = 1;
            if (to == SW_T_F16 && from == SW_T_F32)
                try_flags(ins, flags);
        }
    }
}

static void
try_carry(sw_op op, sw_type type)
{
    sw_ins ins = {.op = (uint16_t)op, .type = (uint8_t)type};
    ins.nsrc = sw_op_get_info(op)->srcs;
    for (ins.ndst = 1; ins.ndst <= 2; ins.ndst++)
        try(&ins);
}

static void
try_lop3(void)
{
    for (unsigned table = 0; table < 256; table++) {
        sw_ins ins = {.op = SW_OP_LOP3,
                      .type = SW_T_B32,
                      .ndst = 1,
                      .nsrc = 3,
                      .imm = table};
        try(&ins);
        if (table % 64)
            continue;
        ins.ndst = 2;
        ins.nsrc = 4;
        ins.boolop = SW_BOOL_AND;
        try(&ins);
        ins.boolop = SW_BOOL_OR;
        try(&ins);
    }
}

/* With an operand that is known. */
static void
try_known_of(sw_op op, sw_type type, unsigned flags, unsigned at,
             uint64_t value)
{
    sw_ins ins = {.op = (uint16_t)op,
                  .type = (uint8_t)type,
                  .flags = (uint16_t)flags,
                  .ndst = 1};
    ins.nsrc = sw_op_get_info(op)->srcs;
    form *f = try(&ins);
    if (f) {
        f->opnd[1 + at].kind = SW_OPND_IMM;
        f->opnd[1 + at].imm = value;
    }
}

static void
try_known(sw_op op, sw_type type, unsigned at, uint64_t value)
{
    try_known_of(op, type, 0, at, value);
}

/* Numbers by which nothing changes but what is flushed. */
static void
try_neutral(void)
{
    try_known_of(SW_OP_MUL, SW_T_F32, SW_F_FTZ, 1, 0x3f800000);
    try_known_of(SW_OP_MUL, SW_T_F32, SW_F_FTZ, 0, 0xbf800000);
    try_known_of(SW_OP_ADD, SW_T_F32, SW_F_FTZ, 1, 0x80000000);
    try_known_of(SW_OP_SUB, SW_T_F32, SW_F_FTZ, 1, 0);
    try_known_of(SW_OP_DIV, SW_T_F32, SW_F_FTZ, 1, 0x3f800000);
    try_known_of(SW_OP_FMA, SW_T_F32, SW_F_FTZ, 1, 0x3f800000);
    try_known_of(SW_OP_FMA, SW_T_F32, SW_F_FTZ, 2, 0x80000000);
    try_known_of(SW_OP_DIV, SW_T_F32, SW_F_FTZ | SW_F_FULL, 1, 0x3f800000);
    try_known_of(SW_OP_MAX, SW_T_F32, SW_F_FTZ, 1, 0x00400000);
}

static void
try_all_known(void)
{
    static const uint32_t selectors[] = {0x3210, 0x5410, 0x7632, 0x7531,
                                         0x0123, 0x4440, 0x8888, 0xfedc,
                                         0x4c31, 0x0000};
    static const uint64_t divisors[] = {
        0, 1, 2, 7, 10, 1000, 0x7fffffff, 0x80000000, 0xffffffff};
    for (unsigned i = 0; i < 10; i++)
        try_known(SW_OP_PRMT, SW_T_B32, 2, selectors[i]);
    for (unsigned i = 0; i < 9; i++)
        for (unsigned op = SW_OP_DIV; op <= SW_OP_REM; op++) {
            try_known(op, SW_T_U32, 1, divisors[i]);
            try_known(op, SW_T_S32, 1, divisors[i]);
            try_known(op, SW_T_U64, 1, divisors[i]);
        }
    for (uint64_t n = 0; n < 70; n += 3) {
        try_known(SW_OP_SHL, SW_T_B32, 1, n);
        try_known(SW_OP_SHR, SW_T_S32, 1, n);
        try_known(SW_OP_BFE, SW_T_U32, 2, n);
        try_known(SW_OP_BFE, SW_T_S32, 1, n);
    }
    try_neutral();
    try_known(SW_OP_MIN, SW_T_F32, 1, 0x3f800000);
    try_known(SW_OP_MAX, SW_T_F32, 1, 0);
    try_known(SW_OP_MAX, SW_T_F32, 1, 0x80000000);
    try_known(SW_OP_ADD, SW_T_F64, 1, UINT64_C(0x7ff0000000000001));
    try_known(SW_OP_MUL, SW_T_F64, 0, UINT64_C(0xfff8000000000001));
}

static void
try_packs(sw_op op, sw_type type)
{
    for (unsigned n = 2; n <= 8; n *= 2) {
        sw_ins ins = {.op = (uint16_t)op, .type = (uint8_t)type};
        bool pack = op == SW_OP_PACK;
        unsigned part = sw_type_bits(type) / n;
        ins.ndst = (uint8_t)(pack ? 1 : n);
        ins.nsrc = (uint8_t)(pack ? n : 1);
        if (part >= 8 && sw_type_kind(type) == SW_KIND_BITS)
            try(&ins);
    }
}

static void
try_types(sw_op op, sw_type type)
{
    static const sw_type seconds[] = {SW_T_U32, SW_T_S32, SW_T_F32};
    sw_ins ins = {.op = (uint16_t)op, .type = (uint8_t)type, .ndst = 1};
    ins.nsrc = 3;
    switch (op) {
    case SW_OP_ADDC:
    case SW_OP_SUBC:
    case SW_OP_MADC_LO:
    case SW_OP_MADC_HI:
        try_carry(op, type);
        return;
    case SW_OP_SETP:
        try_compare(op, type, 0);
        return;
    case SW_OP_SET:
        for (unsigned s = 1; s < SW_T_COUNT; s++)
            try_compare(op, type, s);
        return;
    case SW_OP_CVT:
        for (unsigned s = 1; s < SW_T_COUNT; s++)
            try_cvt(type, s);
        return;
    case SW_OP_PACK:
    case SW_OP_UNPACK:
        try_packs(op, type);
        return;
    case SW_OP_SLCT:
    case SW_OP_DP4A:
    case SW_OP_DP2A:
    case SW_OP_CVT_PACK:
        for (unsigned i = 0; i < 3; i++) {
            ins.stype = (uint8_t)seconds[i];
            for (ins.sub = 0; ins.sub <= (op == SW_OP_DP2A); ins.sub++)
                try_flags(ins, op == SW_OP_SLCT ? SW_F_FTZ : 0);
        }
        return;
    default:
        try_plain(op, type);
    }
}

static void
make_forms(void)
{
    for (unsigned op = 0; op < SW_OP_COUNT; op++)
        for (unsigned type = 1; type < SW_T_COUNT; type++)
            if (sw_op_get_info(op)->effects == SW_FX_PURE && op != SW_OP_LOP3 &&
                op < SW_OP_VADD)
                try_types(op, type);
    try_lop3();
    try_all_known();
}

/* ---- machines ---- */

typedef struct {
    char *cpu, *features;
    LLVMTargetMachineRef machine;
    LLVMOrcLLJITRef jit;
    sw_jit_llvm ll; /* has_ only */
} target;

static target
open_target(const char *cpu)
{
    target t = {0};
    LLVMTargetRef backend;
    char *message = NULL, *triple = LLVMGetDefaultTargetTriple();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    t.cpu = cpu ? LLVMCreateMessage(cpu) : LLVMGetHostCPUName();
    t.features = cpu ? LLVMCreateMessage("") : LLVMGetHostCPUFeatures();
    LLVMGetTargetFromTriple(triple, &backend, &message);
    t.machine = LLVMCreateTargetMachine(backend, triple, t.cpu, t.features,
                                        LLVMCodeGenLevelLess, LLVMRelocPIC,
                                        LLVMCodeModelSmall);
    sw_jit_alu_detect(&t.ll, t.cpu, t.features);
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&t.jit, NULL);
    CHECK(!error);
    LLVMDisposeMessage(triple);
    return t;
}

static void
close_target(target *t)
{
    LLVMErrorRef error = LLVMOrcDisposeLLJIT(t->jit);
    CHECK(!error);
    LLVMDisposeTargetMachine(t->machine);
    LLVMDisposeMessage(t->features);
    LLVMDisposeMessage(t->cpu);
}

/* ---- a form as a function: void f(void **src, void **dst) ---- */

static LLVMTypeRef
memory_type(LLVMContextRef c, unsigned bits, unsigned lanes)
{
    LLVMTypeRef type = LLVMIntTypeInContext(c, bits == 1 ? 8 : bits);
    return lanes > 1 ? LLVMVectorType(type, lanes) : type;
}

static LLVMTypeRef
value_type(LLVMContextRef c, unsigned bits, unsigned lanes)
{
    LLVMTypeRef type = LLVMIntTypeInContext(c, bits);
    return lanes > 1 ? LLVMVectorType(type, lanes) : type;
}

static LLVMValueRef
slot(const sw_jit_llvm *ll, LLVMValueRef array, unsigned i)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(ll->context, 0);
    LLVMValueRef at =
        LLVMConstInt(LLVMInt32TypeInContext(ll->context), i, false);
    LLVMValueRef place = LLVMBuildGEP2(ll->builder, pointer, array, &at, 1, "");
    return LLVMBuildLoad2(ll->builder, pointer, place, "");
}

static LLVMValueRef
known(const sw_jit_llvm *ll, uint64_t value, unsigned bits, unsigned lanes)
{
    LLVMValueRef all[32];
    for (unsigned i = 0; i < lanes; i++)
        all[i] =
            LLVMConstInt(LLVMIntTypeInContext(ll->context, bits), value, false);
    return lanes > 1 ? LLVMConstVector(all, lanes) : all[0];
}

static LLVMValueRef
load(const sw_jit_llvm *ll, const form *f, unsigned i, unsigned lanes,
     LLVMValueRef array)
{
    const sw_opnd *o = sw_ins_src(&f->ins, i);
    unsigned bits = f->bits[f->ins.ndst + i];
    if (o->kind == SW_OPND_IMM)
        return known(ll, o->imm, bits, lanes);
    LLVMValueRef v =
        LLVMBuildLoad2(ll->builder, memory_type(ll->context, bits, lanes),
                       slot(ll, array, i), "");
    LLVMSetAlignment(v, 1);
    if (bits == 1)
        v = LLVMBuildTrunc(ll->builder, v, value_type(ll->context, 1, lanes),
                           "");
    return v;
}

static void
store(const sw_jit_llvm *ll, const form *f, unsigned i, unsigned lanes,
      LLVMValueRef v, LLVMValueRef array)
{
    if (sw_jit_alu_is_raw(NULL, &f->ins))
        v = sw_jit_alu_exact(ll, f->ins.type, lanes, v);
    if (f->bits[i] == 1)
        v = LLVMBuildZExt(ll->builder, v, memory_type(ll->context, 1, lanes),
                          "");
    v = LLVMBuildStore(ll->builder, v, slot(ll, array, i));
    LLVMSetAlignment(v, 1);
}

static void
set_attribute(const sw_jit_llvm *ll, LLVMValueRef fn, const char *key,
              const char *value)
{
    LLVMAttributeRef a =
        LLVMCreateStringAttribute(ll->context, key, (unsigned)strlen(key),
                                  value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            a);
}

static bool
build(const sw_jit_llvm *ll, const target *t, const form *f, const char *name,
      unsigned lanes)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(ll->context, 0);
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(ll->context),
                         (LLVMTypeRef[]){pointer, pointer}, 2, false);
    LLVMValueRef fn = LLVMAddFunction(ll->module, name, type);
    LLVMValueRef src[MAX_OPERANDS], dst[MAX_OPERANDS];
    set_attribute(ll, fn, "target-cpu", t->cpu);
    set_attribute(ll, fn, "target-features", t->features);
    set_attribute(ll, fn, "prefer-vector-width", "512");
    if (ll->flushes)
        set_attribute(ll, fn, "denormal-fp-math", SW_JIT_DENORMALS);
    LLVMPositionBuilderAtEnd(
        ll->builder, LLVMAppendBasicBlockInContext(ll->context, fn, ""));
    for (unsigned i = 0; i < f->ins.nsrc; i++)
        src[i] = load(ll, f, i, lanes, LLVMGetParam(fn, 0));
    bool done = sw_jit_alu(ll, NULL, &f->ins, lanes, src, dst);
    for (unsigned i = 0; done && i < f->ins.ndst; i++)
        store(ll, f, i, lanes, dst[i], LLVMGetParam(fn, 1));
    LLVMBuildRetVoid(ll->builder);
    return done;
}

/* ---- running ---- */

static void
print(const form *f, const char *what)
{
    const sw_ins *ins = &f->ins;
    printf("%s: %s.%s.%s %s cmp %s bool %u sub %u flags 0x%x imm %" PRIu64
           " srcs %u dsts %u\n",
           what, sw_op_get_info(ins->op)->text, sw_rnd_text(ins->rnd),
           sw_type_text(ins->type), sw_type_text(ins->stype),
           sw_cmp_text(ins->cmp), ins->boolop, ins->sub, ins->flags, ins->imm,
           ins->nsrc, ins->ndst);
}

static sw_value
input(const form *f, unsigned k, unsigned i)
{
    const sw_opnd *o = sw_ins_src(&f->ins, k);
    unsigned bits = f->bits[f->ins.ndst + k];
    sw_value v = {o->imm, 0};
    if (o->kind == SW_OPND_IMM)
        return v;
    v.lo = input_value(f->kind[k], k & 3, i + 64 * (k >> 2));
    if (bits == 64 && f->kind[k] == INPUT_I64 && f->ins.type == SW_T_F32X2)
        v.lo = input_value(INPUT_F32, k, i) |
               input_value(INPUT_F32, k, (i + 7) % INPUT_COUNT) << 32;
    if (bits == 128)
        v.hi = input_mix(v.lo);
    if (bits == 1)
        v.lo &= 1;
    return v;
}

/* Another NaN instead of one of `kind`. */
static uint64_t
other_nan(unsigned kind, uint64_t v)
{
    switch (kind) {
    case INPUT_F32:
        return (v & 0x7fffffff) > 0x7f800000 ? (v ^ 0x80001234) | 0x400000 : v;
    case INPUT_F16:
        return (v & 0x7fff) > 0x7c00 ? (v ^ 0x8015) | 0x200 : v;
    case INPUT_BF16:
        return (v & 0x7fff) > 0x7f80 ? (v ^ 0x8015) | 0x40 : v;
    case INPUT_F16X2:
        return other_nan(INPUT_F16, v & 0xffff) | other_nan(INPUT_F16, v >> 16)
                                                      << 16;
    case INPUT_BF16X2:
        return other_nan(INPUT_BF16, v & 0xffff) |
               other_nan(INPUT_BF16, v >> 16) << 16;
    default: /* f32x2 */
        return other_nan(INPUT_F32, v & UINT32_MAX) |
               other_nan(INPUT_F32, v >> 32) << 32;
    }
}

/* What the function is given: raw where it may be, and it is not the value
 * that comes out. */
static sw_value
given(const form *f, unsigned k, unsigned i)
{
    sw_value v = input(f, k, i);
    sw_op op = f->ins.op;
    bool copy =
        op == SW_OP_MOV || ((op == SW_OP_SELP || op == SW_OP_SLCT) && k < 2);
    if (!copy && sw_jit_alu_takes_raw(NULL, &f->ins, k))
        v.lo = other_nan(f->kind[k], v.lo);
    return v;
}

typedef struct {
    uint8_t src[MAX_OPERANDS][32 * 16], dst[MAX_OPERANDS][32 * 16];
    void *srcs[MAX_OPERANDS], *dsts[MAX_OPERANDS];
} memory;

static unsigned
bytes_of(unsigned bits)
{
    return bits == 1 ? 1 : bits / 8;
}

static bool
is_right(const form *f, const memory *m, unsigned lane, unsigned i)
{
    sw_value in[MAX_OPERANDS], want[MAX_OPERANDS];
    for (unsigned k = 0; k < f->ins.nsrc; k++)
        in[k] = input(f, k, i);
    if (!sw_sem_eval(&f->ins, in, want))
        return false;
    for (unsigned k = 0; k < f->ins.ndst; k++) {
        unsigned n = bytes_of(f->bits[k]);
        sw_value got = {0, 0};
        memcpy(&got, m->dst[k] + lane * n, n);
        if (got.lo == want[k].lo && got.hi == want[k].hi)
            continue;
        print(f, "differs");
        printf("  input %u lane %u result %u: got 0x%" PRIx64 " want 0x%" PRIx64
               "; sources",
               i, lane, k, got.lo, want[k].lo);
        for (unsigned s = 0; s < f->ins.nsrc; s++)
            printf(" 0x%" PRIx64, in[s].lo);
        printf("\n");
        return false;
    }
    return true;
}

/* One function on inputs [first, first + lanes). */
static bool
run(const form *f, uint64_t address, memory *m, unsigned lanes, unsigned first,
    bool flushes)
{
    void (*fn)(void **, void **);
    memcpy(&fn, &address, sizeof fn);
    for (unsigned k = 0; k < f->ins.nsrc; k++)
        for (unsigned lane = 0; lane < lanes; lane++) {
            sw_value v = given(f, k, first + lane);
            unsigned n = bytes_of(f->bits[f->ins.ndst + k]);
            memcpy(m->src[k] + lane * n, &v, n);
        }
    memset(m->dst, 0xa5, sizeof m->dst);
    unsigned state = _mm_getcsr();
    if (flushes)
        _mm_setcsr(state | SW_JIT_FLUSHES);
    fn(m->srcs, m->dsts);
    _mm_setcsr(state);
    for (unsigned lane = 0; lane < lanes; lane++)
        if (!is_right(f, m, lane, first + lane))
            return false;
    return true;
}

static bool
check_form(const form *f, uint64_t address, unsigned lanes, bool flushes)
{
    static memory m;
    for (unsigned k = 0; k < MAX_OPERANDS; k++) {
        m.srcs[k] = m.src[k];
        m.dsts[k] = m.dst[k];
    }
    /* Uniform code is the same but for the type: fewer inputs. */
    unsigned step = lanes == 1 ? 5 : lanes;
    for (unsigned i = 0; i + lanes <= INPUT_COUNT; i += step)
        if (!run(f, address, &m, lanes, i, flushes))
            return false;
    return true;
}

typedef struct {
    size_t native, refused, wrong;
} counts;

static bool
has_known(const form *f)
{
    for (unsigned i = 0; i < f->ins.nsrc; i++)
        if (sw_ins_src(&f->ins, i)->kind == SW_OPND_IMM)
            return true;
    return false;
}

static void
run_batch(const target *t, const form *batch, size_t n, unsigned lanes,
          bool flushes, counts *c)
{
    bool done[BATCH];
    char name[64], *message = NULL;
    sw_jit_llvm ll = t->ll;
    static unsigned serial;
    unsigned number = serial++;
    ll.context = LLVMContextCreate();
    ll.module = LLVMModuleCreateWithNameInContext("batch", ll.context);
    ll.builder = LLVMCreateBuilderInContext(ll.context);
    ll.flushes = flushes;
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "form%u_%zu", number, i);
        ll.may_be_known = flushes && has_known(&batch[i]);
        done[i] = build(&ll, t, &batch[i], name, lanes);
    }
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error =
        LLVMRunPasses(ll.module, "verify,instcombine<no-verify-fixpoint>",
                      t->machine, options);
    CHECK(!error);
    sw_jit_alu_finish(&ll);
    LLVMMemoryBufferRef object = NULL;
    CHECK(!LLVMTargetMachineEmitToMemoryBuffer(
        t->machine, ll.module, LLVMObjectFile, &message, &object));
    error = LLVMOrcLLJITAddObjectFile(
        t->jit, LLVMOrcLLJITGetMainJITDylib(t->jit), object);
    CHECK(!error);
    for (size_t i = 0; i < n; i++) {
        LLVMOrcExecutorAddress address = 0;
        snprintf(name, sizeof name, "form%u_%zu", number, i);
        error = LLVMOrcLLJITLookup(t->jit, &address, name);
        if (error) {
            char *text = LLVMGetErrorMessage(error);
            printf("%s\n", text);
            LLVMDisposeErrorMessage(text);
            c->wrong++; /* it needs something from outside */
            break;
        }
        c->native += done[i];
        c->refused += !done[i];
        if (!done[i] && getenv("SW_TEST_VERBOSE"))
            print(&batch[i], "refused");
        if (done[i])
            c->wrong += !check_form(&batch[i], address, lanes, flushes);
    }
    LLVMDisposePassBuilderOptions(options);
    LLVMDisposeBuilder(ll.builder);
    LLVMDisposeModule(ll.module);
    LLVMContextDispose(ll.context);
}

/* Every stride-th form, all if SW_TEST_FULL is set: compiling them takes the
 * time. Of those that may be run while the processor flushes, if it does. */
static void
check_target(const char *cpu, unsigned lanes, size_t stride, bool flushes)
{
    target t = open_target(cpu);
    counts c = {0};
    static form batch[BATCH];
    if (!forms)
        make_forms();
    if (getenv("SW_TEST_FULL"))
        stride = 1;
    for (size_t i = 0; i < form_count;) {
        size_t n = 0;
        for (; i < form_count && n < BATCH; i += stride) {
            if (flushes && !sw_jit_alu_may_flush(&t.ll, &forms[i].ins))
                continue;
            batch[n] = forms[i];
            batch[n].ins.opnd = batch[n].opnd;
            n++;
        }
        run_batch(&t, batch, n, lanes, flushes, &c);
    }
    printf("%s, %u lanes: %zu native, %zu refused, %zu wrong\n", t.cpu, lanes,
           c.native, c.refused, c.wrong);
    CHECK_EQ(c.wrong, 0);
    CHECK(c.native > 10 * c.refused);
    close_target(&t);
}

CASE(lanes)
{
    check_target(NULL, 32, 2, false);
}

CASE(uniform)
{
    check_target(NULL, 1, 3, false);
}

CASE(lanes_v3)
{
    check_target("x86-64-v3", 32, 5, false);
}

CASE(uniform_v3)
{
    check_target("x86-64-v3", 1, 11, false);
}

CASE(lanes_v2)
{
    check_target("x86-64-v2", 32, 7, false);
}

CASE(uniform_v2)
{
    check_target("x86-64-v2", 1, 13, false);
}

CASE(lanes_flushing)
{
    check_target(NULL, 32, 2, true);
}

CASE(uniform_flushing)
{
    check_target(NULL, 1, 5, true);
}

CASE(lanes_flushing_v3)
{
    check_target("x86-64-v3", 32, 5, true);
}

CASE(lanes_flushing_v2)
{
    check_target("x86-64-v2", 32, 7, true);
}
