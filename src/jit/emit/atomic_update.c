/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomic_update.c - the operation of an atomic instruction, on elements whose
 * places are known: on one element, by the host's atomic operations or without
 * them, and on those of lanes, one after the other.
 */
#include <string.h>

#include "jit/emit/atomic.h"
#include "jit/tune.h"
#include "sem/atom.h"

#define B e->ll.builder

/* A loop over the lanes that run. */
typedef struct {
    LLVMBasicBlockRef before, body, out;
    LLVMValueRef left, lane; /* lanes still to do; this one */
    LLVMValueRef carried;    /* from lane to lane, or NULL */
} walk;

/* Values of all lanes where a loop can reach them. */
typedef struct {
    LLVMValueRef uniform, slot;
    LLVMTypeRef type;
} row;

LLVMTypeRef
sw_jit_atomic_type(const sw_jit_emit *e, const sw_jit_atomic *a)
{
    return LLVMVectorType(a->type, e->lanes);
}

LLVMValueRef
sw_jit_atomic_first(sw_jit_emit *e)
{
    if (e->mask.is_full)
        return sw_jit_i32(e, 0);
    return sw_jit_first_of(e, sw_jit_mask_bits(e, e->mask.lanes));
}

static LLVMValueRef
pick(sw_jit_emit *e, LLVMIntPredicate first_if, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(B, LLVMBuildICmp(B, first_if, x, y, ""), x, y, "");
}

static LLVMIntPredicate
order_of(const sw_jit_atomic *a)
{
    bool is_signed = sw_type_kind((sw_type)a->ins->type) == SW_KIND_SINT;
    if (a->ins->sub == SW_ATOM_MAX)
        return is_signed ? LLVMIntSGT : LLVMIntUGT;
    return is_signed ? LLVMIntSLT : LLVMIntULT;
}

sw_ins
sw_jit_atomic_pure_form(const sw_jit_atomic *a, sw_opnd opnd[3], bool flushes)
{
    const sw_ins *ins = a->ins;
    memset(opnd, 0, 3 * sizeof *opnd);
    opnd[1].kind = opnd[2].kind = SW_OPND_IMM;
    return (sw_ins){.op = ins->sub == SW_ATOM_ADD   ? SW_OP_ADD
                          : ins->sub == SW_ATOM_MIN ? SW_OP_MIN
                                                    : SW_OP_MAX,
                    .type = ins->type,
                    .flags = flushes ? SW_F_FTZ : 0,
                    .ndst = 1,
                    .nsrc = 2,
                    .opnd = opnd};
}

static unsigned
lanes_of(LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type)
                                                       : 1;
}

static LLVMValueRef
apply_float(sw_jit_emit *e, const sw_jit_atomic *a, LLVMValueRef old,
            LLVMValueRef b, bool flushes)
{
    sw_opnd opnd[3];
    sw_ins ins = sw_jit_atomic_pure_form(a, opnd, flushes);
    LLVMValueRef src[2] = {old, b}, dst[1] = {NULL};
    unsigned lanes = lanes_of(old);
    bool done = sw_jit_alu(&e->ll, e->plan->fn, &ins, lanes, src, dst);
    SW_ASSERT(done);
    return sw_jit_alu_is_raw(e->plan->fn, &ins)
               ? sw_jit_alu_exact(&e->ll, (sw_type)ins.type, lanes, dst[0])
               : dst[0];
}

static LLVMValueRef
is_nan_f64(sw_jit_emit *e, LLVMValueRef x)
{
    unsigned lanes = lanes_of(x);
    LLVMValueRef size = sw_jit_splat(e, sw_jit_i64(e, INT64_MAX), lanes);
    LLVMValueRef most =
        sw_jit_splat(e, sw_jit_i64(e, UINT64_C(0x7ff0000000000000)), lanes);
    return LLVMBuildICmp(B, LLVMIntUGT, LLVMBuildAnd(B, x, size, ""), most, "");
}

/* As sem_atom_add_f64. */
static LLVMValueRef
apply_sum(sw_jit_emit *e, const sw_jit_atomic *a, LLVMValueRef old,
          LLVMValueRef b, bool outside)
{
    if (a->ins->type == SW_T_F32)
        return apply_float(e, a, old, b, outside);
    LLVMValueRef sum = apply_float(e, a, b, old, false);
    if (!outside)
        return sum;
    sum = LLVMBuildSelect(B, is_nan_f64(e, old), old, sum, "");
    return LLVMBuildSelect(B, is_nan_f64(e, b), b, sum, "");
}

/* Sums of f32 flush subnormals outside of shared memory, those of f64 keep
 * NaNs as they are. */
static LLVMValueRef
apply_by_place(sw_jit_emit *e, const sw_jit_atomic *a, LLVMValueRef old,
               LLVMValueRef b, LLVMValueRef pointer)
{
    const sw_ins *ins = a->ins;
    if ((ins->type != SW_T_F32 && ins->type != SW_T_F64) ||
        ins->sub != SW_ATOM_ADD)
        return apply_float(e, a, old, b, false);
    if (ins->space == SW_SPACE_GLOBAL)
        return apply_sum(e, a, old, b, true);
    LLVMValueRef plain = apply_sum(e, a, old, b, false);
    if (a->is_shared)
        return plain;
    LLVMValueRef at = LLVMBuildPtrToInt(B, pointer, e->t.i64, "");
    LLVMValueRef base =
        sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.i64, true);
    LLVMValueRef bytes =
        sw_jit_field(e, offsetof(sw_jit_ctx, shared_bytes), e->t.i64, true);
    LLVMValueRef inside =
        LLVMBuildICmp(B, LLVMIntULT, LLVMBuildSub(B, at, base, ""), bytes, "");
    return LLVMBuildSelect(B, inside, plain, apply_sum(e, a, old, b, true), "");
}

/* What the operation leaves in memory. */
LLVMValueRef
sw_jit_atomic_apply(sw_jit_emit *e, const sw_jit_atomic *a, LLVMValueRef old,
                    LLVMValueRef b, LLVMValueRef c, LLVMValueRef pointer)
{
    LLVMValueRef zero = LLVMConstInt(a->type, 0, 0);
    LLVMValueRef one = LLVMConstInt(a->type, 1, 0), is;
    if (a->is_float)
        return apply_by_place(e, a, old, b, pointer);
    switch (a->ins->sub) {
    case SW_ATOM_ADD:
        return LLVMBuildAdd(B, old, b, "");
    case SW_ATOM_AND:
        return LLVMBuildAnd(B, old, b, "");
    case SW_ATOM_OR:
        return LLVMBuildOr(B, old, b, "");
    case SW_ATOM_XOR:
        return LLVMBuildXor(B, old, b, "");
    case SW_ATOM_MIN:
    case SW_ATOM_MAX:
        return pick(e, order_of(a), old, b);
    case SW_ATOM_CAS:
        is = LLVMBuildICmp(B, LLVMIntEQ, old, b, "");
        return LLVMBuildSelect(B, is, c, old, "");
    case SW_ATOM_INC:
        is = LLVMBuildICmp(B, LLVMIntUGE, old, b, "");
        return LLVMBuildSelect(B, is, zero, LLVMBuildAdd(B, old, one, ""), "");
    case SW_ATOM_DEC:
        is = LLVMBuildOr(B, LLVMBuildICmp(B, LLVMIntEQ, old, zero, ""),
                         LLVMBuildICmp(B, LLVMIntUGT, old, b, ""), "");
        return LLVMBuildSelect(B, is, b, LLVMBuildSub(B, old, one, ""), "");
    default: /* exch */
        return b;
    }
}

/* The host's operation, if it has one; the old value. */
static bool
host_op(const sw_jit_atomic *a, LLVMAtomicRMWBinOp *op)
{
    bool is_signed = sw_type_kind((sw_type)a->ins->type) == SW_KIND_SINT;
    switch (a->ins->sub) {
    case SW_ATOM_ADD:
        *op = LLVMAtomicRMWBinOpAdd;
        return !a->is_float;
    case SW_ATOM_AND:
        *op = LLVMAtomicRMWBinOpAnd;
        return true;
    case SW_ATOM_OR:
        *op = LLVMAtomicRMWBinOpOr;
        return true;
    case SW_ATOM_XOR:
        *op = LLVMAtomicRMWBinOpXor;
        return true;
    case SW_ATOM_MIN:
        *op = is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
        return !a->is_float;
    case SW_ATOM_MAX:
        *op = is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
        return !a->is_float;
    case SW_ATOM_EXCH:
        *op = LLVMAtomicRMWBinOpXchg;
        return true;
    default:
        return false;
    }
}

static LLVMValueRef
load_old(sw_jit_emit *e, const sw_jit_atomic *a, LLVMValueRef pointer)
{
    LLVMValueRef old = LLVMBuildLoad2(B, a->type, pointer, "");
    sw_jit_set_align(old, a->bytes);
    if (!a->is_shared && !a->is_alone)
        LLVMSetOrdering(old, LLVMAtomicOrderingMonotonic);
    return old;
}

/* { old value, is exchanged } */
static LLVMValueRef
exchange(sw_jit_emit *e, LLVMValueRef pointer, LLVMValueRef old,
         LLVMValueRef fresh)
{
    return LLVMBuildAtomicCmpXchg(B, pointer, old, fresh,
                                  LLVMAtomicOrderingSequentiallyConsistent,
                                  LLVMAtomicOrderingSequentiallyConsistent, 0);
}

LLVMValueRef
sw_jit_atomic_change_one(sw_jit_emit *e, const sw_jit_atomic *a,
                         LLVMValueRef pointer, LLVMValueRef b, LLVMValueRef c)
{
    LLVMAtomicRMWBinOp op;
    if (a->is_shared || a->is_alone) {
        LLVMValueRef old = load_old(e, a, pointer);
        LLVMValueRef fresh = sw_jit_atomic_apply(e, a, old, b, c, pointer);
        LLVMValueRef to = pointer;
        if (a->is_alone && sw_jit_atomic_may_wait(a))
            to = LLVMBuildSelect(B, LLVMBuildICmp(B, LLVMIntEQ, old, fresh, ""),
                                 a->nowhere, pointer, "");
        sw_jit_set_align(LLVMBuildStore(B, fresh, to), a->bytes);
        return old;
    }
    if (host_op(a, &op))
        return LLVMBuildAtomicRMW(B, op, pointer, b,
                                  LLVMAtomicOrderingSequentiallyConsistent, 0);
    if (a->ins->sub == SW_ATOM_CAS)
        return LLVMBuildExtractValue(B, exchange(e, pointer, b, c), 0, "");
    LLVMValueRef first = load_old(e, a, pointer);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(B);
    LLVMBasicBlockRef again = sw_jit_block(e, "again");
    LLVMBasicBlockRef out = sw_jit_block(e, "out");
    LLVMBuildBr(B, again);
    LLVMPositionBuilderAtEnd(B, again);
    LLVMValueRef old = LLVMBuildPhi(B, a->type, "");
    LLVMValueRef r = exchange(e, pointer, old,
                              sw_jit_atomic_apply(e, a, old, b, c, pointer));
    LLVMValueRef in[2] = {first, LLVMBuildExtractValue(B, r, 0, "")};
    LLVMBasicBlockRef at[2] = {from, LLVMGetInsertBlock(B)};
    LLVMAddIncoming(old, in, at, 2);
    LLVMBuildCondBr(B, LLVMBuildExtractValue(B, r, 1, ""), out, again);
    LLVMPositionBuilderAtEnd(B, out);
    return old;
}

static walk
walk_begin(sw_jit_emit *e, LLVMValueRef carried)
{
    walk w = {.body = sw_jit_block(e, "lane"), .out = sw_jit_block(e, "out")};
    LLVMValueRef bits = sw_jit_mask_bits(e, e->mask.lanes);
    w.before = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, w.body);
    LLVMPositionBuilderAtEnd(B, w.body);
    w.left = LLVMBuildPhi(B, e->t.bits, "");
    LLVMAddIncoming(w.left, &bits, &w.before, 1);
    if (carried) {
        w.carried = LLVMBuildPhi(B, LLVMTypeOf(carried), "");
        LLVMAddIncoming(w.carried, &carried, &w.before, 1);
    }
    w.lane = sw_jit_first_of(e, w.left);
    return w;
}

static void
walk_end(sw_jit_emit *e, const walk *w, LLVMValueRef next)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMValueRef one = LLVMConstInt(e->t.bits, 1, 0);
    LLVMValueRef less = LLVMBuildSub(B, w->left, one, "");
    less = LLVMBuildAnd(B, w->left, less, "");
    LLVMAddIncoming(w->left, &less, &here, 1);
    if (w->carried)
        LLVMAddIncoming(w->carried, &next, &here, 1);
    LLVMValueRef more =
        LLVMBuildICmp(B, LLVMIntNE, less, LLVMConstNull(e->t.bits), "");
    LLVMBuildCondBr(B, more, w->body, w->out);
    LLVMPositionBuilderAtEnd(B, w->out);
}

static row
spread(sw_jit_emit *e, LLVMTypeRef type, LLVMValueRef lanes)
{
    row r = {.type = type, .slot = sw_jit_slot_of(e, LLVMTypeOf(lanes))};
    LLVMBuildStore(B, lanes, r.slot);
    return r;
}

LLVMValueRef
sw_jit_atomic_fit(sw_jit_emit *e, const sw_jit_atomic *a, LLVMValueRef x,
                  unsigned lanes)
{
    LLVMTypeRef type = sw_jit_lanes_of(a->type, lanes);
    return LLVMTypeOf(x) == type ? x : LLVMBuildIntCast2(B, x, type, 0, "");
}

static row
spread_value(sw_jit_emit *e, const sw_jit_atomic *a, const sw_jit_value *v)
{
    if (v->shape.kind == SW_SHAPE_UNIFORM)
        return (row){.uniform = sw_jit_atomic_fit(e, a, v->base, 1)};
    return spread(e, a->type,
                  sw_jit_atomic_fit(e, a, sw_jit_lanes(e, v), e->lanes));
}

static LLVMValueRef
place_in(sw_jit_emit *e, const row *r, LLVMValueRef lane)
{
    return LLVMBuildGEP2(B, r->type, r->slot, &lane, 1, "");
}

static LLVMValueRef
of_lane(sw_jit_emit *e, const row *r, LLVMValueRef lane)
{
    if (r->uniform)
        return r->uniform;
    return LLVMBuildLoad2(B, r->type, place_in(e, r, lane), "");
}

static row
no_results(sw_jit_emit *e, const sw_jit_atomic *a)
{
    row r = {.type = a->type};
    if (a->has_result) {
        r.slot = sw_jit_slot_of(e, sw_jit_atomic_type(e, a));
        LLVMBuildStore(B, LLVMConstNull(sw_jit_atomic_type(e, a)), r.slot);
    }
    return r;
}

static LLVMValueRef
all_results(sw_jit_emit *e, const sw_jit_atomic *a, const row *r)
{
    return a->has_result
               ? LLVMBuildLoad2(B, sw_jit_atomic_type(e, a), r->slot, "")
               : NULL;
}

LLVMValueRef
sw_jit_atomic_at(sw_jit_emit *e, const sw_jit_atomic *a, LLVMValueRef offset)
{
    return a->base ? sw_jit_at(e, a->base, offset)
                   : LLVMBuildIntToPtr(B, offset, e->t.ptr, "");
}

/* All lanes, some in each iteration of a loop: as fast as without one, and much
 * less to compile. */
static LLVMValueRef
change_in_loop(sw_jit_emit *e, const sw_jit_atomic *a)
{
    const unsigned step = 1u << sw_jit_tune.atomic_unroll;
    row at = spread(e, e->t.i64, a->offset), b = spread_value(e, a, &a->b),
        c = {0}, results = {0};
    if (a->c.base)
        c = spread_value(e, a, &a->c);
    if (a->has_result)
        results = (row){.type = a->type,
                        .slot = sw_jit_slot_of(e, sw_jit_atomic_type(e, a))};
    LLVMBasicBlockRef before = LLVMGetInsertBlock(B);
    LLVMBasicBlockRef body = sw_jit_block(e, "lane");
    LLVMBasicBlockRef out = sw_jit_block(e, "out");
    LLVMValueRef zero = sw_jit_i32(e, 0);
    LLVMBuildBr(B, body);
    LLVMPositionBuilderAtEnd(B, body);
    LLVMValueRef first = LLVMBuildPhi(B, e->t.i32, "");
    LLVMAddIncoming(first, &zero, &before, 1);
    for (unsigned i = 0; i < step; i++) {
        LLVMValueRef lane = LLVMBuildAdd(B, first, sw_jit_i32(e, i), "");
        LLVMValueRef old = sw_jit_atomic_change_one(
            e, a, sw_jit_atomic_at(e, a, of_lane(e, &at, lane)),
            of_lane(e, &b, lane), a->c.base ? of_lane(e, &c, lane) : NULL);
        if (a->has_result)
            LLVMBuildStore(B, old, place_in(e, &results, lane));
    }
    LLVMValueRef next = LLVMBuildAdd(B, first, sw_jit_i32(e, step), "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMAddIncoming(first, &next, &here, 1);
    LLVMBuildCondBr(
        B, LLVMBuildICmp(B, LLVMIntULT, next, sw_jit_i32(e, e->lanes), ""),
        body, out);
    LLVMPositionBuilderAtEnd(B, out);
    return all_results(e, a, &results);
}

LLVMValueRef
sw_jit_atomic_each(sw_jit_emit *e, const sw_jit_atomic *a)
{
    LLVMAtomicRMWBinOp op;
    bool is_short =
        a->is_alone || (a->is_shared ? !a->is_float : host_op(a, &op));
    if (e->mask.is_full && is_short)
        return change_in_loop(e, a);
    row at = spread(e, e->t.i64, a->offset), b = spread_value(e, a, &a->b),
        c = {0};
    if (a->c.base)
        c = spread_value(e, a, &a->c);
    row results = no_results(e, a);
    walk w = walk_begin(e, NULL);
    LLVMValueRef old = sw_jit_atomic_change_one(
        e, a, sw_jit_atomic_at(e, a, of_lane(e, &at, w.lane)),
        of_lane(e, &b, w.lane), a->c.base ? of_lane(e, &c, w.lane) : NULL);
    if (a->has_result)
        LLVMBuildStore(B, old, place_in(e, &results, w.lane));
    walk_end(e, &w, NULL);
    return all_results(e, a, &results);
}

LLVMValueRef
sw_jit_atomic_join(sw_jit_emit *e, const sw_jit_atomic *a, LLVMValueRef x[2],
                   LLVMBasicBlockRef from[2])
{
    if (!a->has_result)
        return NULL;
    LLVMValueRef phi = LLVMBuildPhi(B, sw_jit_atomic_type(e, a), "");
    LLVMAddIncoming(phi, x, from, 2);
    return phi;
}

LLVMValueRef
sw_jit_atomic_in_turn(sw_jit_emit *e, const sw_jit_atomic *a,
                      LLVMValueRef pointer)
{
    row b = spread_value(e, a, &a->b), c = {0};
    if (a->c.base)
        c = spread_value(e, a, &a->c);
    row results = no_results(e, a);
    LLVMValueRef first = load_old(e, a, pointer), old = first;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(B);
    LLVMBasicBlockRef again = sw_jit_block(e, "again");
    LLVMBuildBr(B, again);
    LLVMPositionBuilderAtEnd(B, again);
    if (!a->is_shared) {
        old = LLVMBuildPhi(B, a->type, "");
        LLVMAddIncoming(old, &first, &from, 1);
    }
    walk w = walk_begin(e, old);
    LLVMValueRef now = w.carried, lane = w.lane;
    if (a->has_result)
        LLVMBuildStore(B, now, place_in(e, &results, lane));
    LLVMValueRef next =
        sw_jit_atomic_apply(e, a, now, of_lane(e, &b, lane),
                            a->c.base ? of_lane(e, &c, lane) : NULL, pointer);
    walk_end(e, &w, next);
    if (a->is_shared) {
        LLVMValueRef st = LLVMBuildStore(B, next, pointer);
        sw_jit_set_align(st, a->bytes);
        return all_results(e, a, &results);
    }
    LLVMBasicBlockRef out = sw_jit_block(e, "out");
    LLVMValueRef r = exchange(e, pointer, old, next);
    LLVMValueRef seen = LLVMBuildExtractValue(B, r, 0, "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMAddIncoming(old, &seen, &here, 1);
    LLVMBuildCondBr(B, LLVMBuildExtractValue(B, r, 1, ""), out, again);
    LLVMPositionBuilderAtEnd(B, out);
    return all_results(e, a, &results);
}

/* Who reads a result may be waiting for what a host thread stores, by an
 * operation that changes nothing: then nothing is stored, which could undo
 * that. */
bool
sw_jit_atomic_may_wait(const sw_jit_atomic *a)
{
    LLVMValueRef b = a->b.base;
    bool changes = a->ins->sub == SW_ATOM_ADD && !a->is_float &&
                   a->b.shape.kind == SW_SHAPE_UNIFORM &&
                   LLVMIsAConstantInt(b) && !LLVMIsNull(b);
    return a->has_result && !changes;
}
