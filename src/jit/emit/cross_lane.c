/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cross_lane.c - what the lanes of a warp find out about each other: match,
 * redux, elect, and shuffles whose distances are known when the program runs.
 * All members of the instruction are here. Lanes may name different members, as
 * those do that __match_any_sync has told their peers: each set of them is an
 * operation of its own, and all sets are done at once.
 */
#include <string.h>

#include "jit/emit/instruction.h"

#define B e->ll.builder

/* Each lane's number in its warp. */
static LLVMValueRef
numbered_lanes(sw_jit_emit *e)
{
    int64_t n[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        n[i] = i % 32;
    return sw_jit_const_lanes(e->t.i32, n, e->lanes);
}

static LLVMValueRef
mask_of_bits(sw_jit_emit *e, LLVMValueRef bits)
{
    return LLVMBuildBitCast(B, bits, LLVMVectorType(e->t.i1, 32), "");
}

static void
write_to(sw_jit_emit *e, unsigned dst, sw_jit_value v)
{
    const sw_ins *ins = e->at.ins;
    if (dst < ins->ndst && ins->opnd[dst].kind == SW_OPND_REG)
        sw_jit_write(e, ins->opnd[dst].reg, &v, 0);
}

/* ---- match ---- */

/* Of each of 32 lanes, all that have what it has. */
static LLVMValueRef
find_same(sw_jit_emit *e, const LLVMValueRef *args, const void *data)
{
    (void)data;
    LLVMValueRef x = args[0];
    LLVMValueRef r = LLVMGetPoison(LLVMVectorType(e->t.i32, 32));
    for (unsigned i = 0; i < 32; i++) {
        LLVMValueRef lane = sw_jit_i32(e, i);
        LLVMValueRef one = LLVMBuildExtractElement(B, x, lane, "");
        LLVMValueRef same =
            LLVMBuildICmp(B, LLVMIntEQ, x, sw_jit_splat(e, one, 32), "");
        r = LLVMBuildInsertElement(B, r, sw_jit_mask_bits(e, same), lane, "");
    }
    return r;
}

static LLVMValueRef
same_of(sw_jit_emit *e, LLVMValueRef x)
{
    bool is_wide = LLVMGetElementType(LLVMTypeOf(x)) == e->t.i64;
    return sw_jit_outlined(e, is_wide ? "match64" : "match32",
                           LLVMVectorType(e->t.i32, 32), &x, 1, true, find_same,
                           NULL);
}

/* The set of each lane: all here that name the same members as it does. */
static LLVMValueRef
sets_of(sw_jit_emit *e, unsigned members)
{
    sw_jit_value v = sw_jit_read_exact(e, e->at.ins, members);
    LLVMValueRef here = sw_jit_mask_bits(e, e->mask.lanes);
    return LLVMBuildAnd(B, same_of(e, sw_jit_lanes(e, &v)),
                        sw_jit_splat(e, here, 32), "");
}

static void
match_any(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef here)
{
    LLVMValueRef r =
        LLVMBuildAnd(B, same_of(e, x), sw_jit_splat(e, here, 32), "");
    write_to(e, 0, sw_jit_varying(SW_CLASS_B32, r));
}

static void
match_all(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef here)
{
    LLVMValueRef one =
        LLVMBuildExtractElement(B, x, sw_jit_first_of(e, here), "");
    LLVMValueRef other =
        LLVMBuildICmp(B, LLVMIntNE, x, sw_jit_splat(e, one, 32), "");
    other = LLVMBuildAnd(B, sw_jit_mask_bits(e, other), here, "");
    LLVMValueRef all = LLVMBuildICmp(B, LLVMIntEQ, other, sw_jit_i32(e, 0), "");
    LLVMValueRef r = LLVMBuildSelect(B, all, here, sw_jit_i32(e, 0), "");
    LLVMValueRef any = LLVMBuildICmp(B, LLVMIntNE, r, sw_jit_i32(e, 0), "");
    write_to(e, 0, sw_jit_uniform(SW_CLASS_B32, r));
    write_to(e, 1, sw_jit_uniform(SW_CLASS_PRED, any));
}

void
sw_jit_emit_match(sw_jit_emit *e, LLVMValueRef here)
{
    sw_jit_value v = sw_jit_read_exact(e, e->at.ins, 0);
    LLVMValueRef x = sw_jit_lanes(e, &v);
    if (e->at.ins->sub == 0)
        match_any(e, x, here);
    else
        match_all(e, x, here);
}

void
sw_jit_emit_match_of_sets(sw_jit_emit *e)
{
    sw_jit_value v = sw_jit_read_exact(e, e->at.ins, 0);
    LLVMValueRef set = sets_of(e, 1);
    LLVMValueRef r = LLVMBuildAnd(B, same_of(e, sw_jit_lanes(e, &v)), set, "");
    if (e->at.ins->sub != 0) {
        LLVMValueRef all = LLVMBuildICmp(B, LLVMIntEQ, r, set, "");
        r = LLVMBuildSelect(B, all, set, LLVMConstNull(LLVMTypeOf(set)), "");
        write_to(e, 1, sw_jit_varying(SW_CLASS_PRED, all));
    }
    write_to(e, 0, sw_jit_varying(SW_CLASS_B32, r));
}

/* ---- votes ---- */

void
sw_jit_emit_vote_of_sets(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    if (ins->opnd[0].kind != SW_OPND_REG)
        return;
    sw_jit_value p = sw_jit_read(e, ins, 0);
    LLVMValueRef set = sets_of(e, 1),
                 yes = sw_jit_splat(e, sw_jit_mask_bits(e, sw_jit_lanes(e, &p)),
                                    32);
    yes = LLVMBuildAnd(B, yes, set, "");
    LLVMValueRef all = LLVMBuildICmp(B, LLVMIntEQ, yes, set, "");
    LLVMValueRef none =
        LLVMBuildICmp(B, LLVMIntEQ, yes, LLVMConstNull(LLVMTypeOf(yes)), "");
    LLVMValueRef r = ins->sub == SW_VOTE_ALL   ? all
                     : ins->sub == SW_VOTE_ANY ? LLVMBuildNot(B, none, "")
                     : ins->sub == SW_VOTE_UNI ? LLVMBuildOr(B, all, none, "")
                                               : yes;
    sw_class cls = e->plan->fn->regs[ins->opnd[0].reg].cls;
    LLVMTypeRef type = LLVMVectorType(sw_jit_class_type(e, cls), 32);
    if (LLVMTypeOf(r) != type)
        r = LLVMBuildIntCast2(B, r, type, 0, "");
    write_to(e, 0, sw_jit_varying(cls, r));
}

/* ---- redux and elect ---- */

typedef struct {
    const char *name; /* of the intrinsic */
    uint32_t none;    /* what changes nothing */
} reduction;

static LLVMValueRef
reduce(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef who, const reduction *how)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    x = LLVMBuildSelect(B, mask_of_bits(e, who), x,
                        sw_jit_splat(e, sw_jit_i32(e, how->none), 32), "");
    return sw_jit_intrinsic(e, how->name, &type, 1, &x, 1);
}

/* Of each of 32 lanes, over its set. */
static LLVMValueRef
reduce_sets(sw_jit_emit *e, const LLVMValueRef *args, const void *data)
{
    LLVMValueRef r = LLVMGetPoison(LLVMVectorType(e->t.i32, 32));
    for (unsigned i = 0; i < 32; i++) {
        LLVMValueRef lane = sw_jit_i32(e, i);
        LLVMValueRef who = LLVMBuildExtractElement(B, args[1], lane, "");
        r = LLVMBuildInsertElement(B, r, reduce(e, args[0], who, data), lane,
                                   "");
    }
    return r;
}

bool
sw_jit_emit_redux(sw_jit_emit *e, LLVMValueRef here)
{
    const sw_ins *ins = e->at.ins;
    bool is_signed = ins->type == SW_T_S32;
    bool is_bits = ins->sub == SW_ATOM_AND || ins->sub == SW_ATOM_OR ||
                   ins->sub == SW_ATOM_XOR;
    reduction how = {0};
    if ((ins->type != SW_T_U32 && ins->type != SW_T_S32) || ins->flags ||
        (is_bits && is_signed))
        return false;
    switch (ins->sub) {
    case SW_ATOM_ADD:
        how.name = "llvm.vector.reduce.add";
        break;
    case SW_ATOM_MIN:
        how.none = is_signed ? INT32_MAX : UINT32_MAX;
        how.name =
            is_signed ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin";
        break;
    case SW_ATOM_MAX:
        how.none = is_signed ? 0x80000000u : 0;
        how.name =
            is_signed ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax";
        break;
    case SW_ATOM_AND:
        how.none = UINT32_MAX;
        how.name = "llvm.vector.reduce.and";
        break;
    case SW_ATOM_OR:
        how.name = "llvm.vector.reduce.or";
        break;
    case SW_ATOM_XOR:
        how.name = "llvm.vector.reduce.xor";
        break;
    default:
        return false;
    }
    sw_jit_value v = sw_jit_read_exact(e, ins, 0);
    LLVMValueRef x = sw_jit_lanes(e, &v);
    if (!here) {
        LLVMValueRef args[2] = {x, sets_of(e, 1)};
        x = sw_jit_outlined(e, how.name + strlen("llvm."), LLVMTypeOf(x), args,
                            2, true, reduce_sets, &how);
        write_to(e, 0, sw_jit_varying(SW_CLASS_B32, x));
        return true;
    }
    x = reduce(e, x, here, &how);
    /* Without a lane the result is 0, as in sem. */
    x = LLVMBuildSelect(B,
                        LLVMBuildICmp(B, LLVMIntEQ, here, sw_jit_i32(e, 0), ""),
                        sw_jit_i32(e, 0), x, "");
    write_to(e, 0, sw_jit_uniform(SW_CLASS_B32, x));
    return true;
}

void
sw_jit_emit_elect(sw_jit_emit *e, LLVMValueRef here)
{
    LLVMValueRef none = LLVMBuildICmp(B, LLVMIntEQ, here, sw_jit_i32(e, 0), "");
    LLVMValueRef who =
        LLVMBuildSelect(B, none, sw_jit_mask_bits(e, e->mask.lanes), here, "");
    LLVMValueRef head = sw_jit_first_of(e, who);
    LLVMValueRef is = LLVMBuildICmp(B, LLVMIntEQ, numbered_lanes(e),
                                    sw_jit_splat(e, head, 32), "");
    write_to(e, 0, sw_jit_uniform(SW_CLASS_B32, head));
    write_to(e, 1, sw_jit_varying(SW_CLASS_PRED, is));
}

/* ---- shuffles ---- */

static LLVMValueRef
half_of(sw_jit_emit *e, LLVMValueRef x, unsigned which)
{
    int from[16];
    for (unsigned i = 0; i < 16; i++)
        from[i] = (int)(16 * which + i);
    return sw_jit_shuffle(e, x, from, 16);
}

/* x[from[i]] of each lane, within its warp. */
static LLVMValueRef
permute(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef from)
{
    LLVMTypeRef lanes = LLVMVectorType(e->t.i32, e->lanes);
    if (!e->ll.has_avx512) {
        LLVMValueRef slot = sw_jit_slot_of(e, lanes);
        LLVMTypeRef types[2] = {lanes, LLVMVectorType(e->t.ptr, e->lanes)};
        int64_t warp[SW_LANES_MAX];
        for (unsigned i = 0; i < e->lanes; i++)
            warp[i] = i / 32 * 32;
        from = LLVMBuildAdd(B, from,
                            sw_jit_const_lanes(e->t.i32, warp, e->lanes), "");
        LLVMBuildStore(B, x, slot);
        LLVMValueRef all = LLVMConstAllOnes(e->t.mask_type);
        LLVMValueRef args[4] = {LLVMBuildGEP2(B, e->t.i32, slot, &from, 1, ""),
                                sw_jit_i32(e, 4), all, LLVMConstNull(lanes)};
        return sw_jit_intrinsic(e, "llvm.masked.gather", types, 2, args, 4);
    }
    LLVMValueRef part[SW_LANES_MAX / 16];
    for (unsigned i = 0; i < e->lanes / 16; i++) {
        LLVMValueRef args[3] = {half_of(e, x, i & ~1u), half_of(e, from, i),
                                half_of(e, x, i | 1)};
        part[i] = sw_jit_intrinsic(e, "llvm.x86.avx512.vpermi2var.d.512", NULL,
                                   0, args, 3);
    }
    return sw_jit_concatenate_all(e, part, e->lanes / 16, 16);
}

static LLVMValueRef
low_bits(sw_jit_emit *e, LLVMValueRef x)
{
    return LLVMBuildAnd(B, x, sw_jit_splat(e, sw_jit_i32(e, 31), e->lanes), "");
}

/* The lane that each lane names, by the rules of sem/lanes.c; *in: it is in
 * range. */
static LLVMValueRef
named_lane(sw_jit_emit *e, LLVMValueRef b, LLVMValueRef c, LLVMValueRef *in)
{
    LLVMValueRef lane = numbered_lanes(e);
    LLVMValueRef eight = sw_jit_splat(e, sw_jit_i32(e, 8), e->lanes);
    LLVMValueRef by = low_bits(e, b), bound = low_bits(e, c);
    LLVMValueRef segment = low_bits(e, LLVMBuildLShr(B, c, eight, ""));
    LLVMValueRef inside = LLVMBuildNot(B, segment, ""), j;
    LLVMValueRef min = LLVMBuildAnd(B, lane, segment, "");
    LLVMValueRef max =
        LLVMBuildOr(B, min, LLVMBuildAnd(B, bound, inside, ""), "");
    LLVMIntPredicate is = LLVMIntSLE;
    switch (e->at.ins->sub) {
    case SW_SHFL_UP:
        j = LLVMBuildSub(B, lane, by, "");
        is = LLVMIntSGE;
        break;
    case SW_SHFL_DOWN:
        j = LLVMBuildAdd(B, lane, by, "");
        break;
    case SW_SHFL_BFLY:
        j = LLVMBuildXor(B, lane, by, "");
        break;
    default:
        j = LLVMBuildOr(B, min, LLVMBuildAnd(B, by, inside, ""), "");
    }
    *in = LLVMBuildICmp(B, is, j, max, "");
    return low_bits(e, LLVMBuildSelect(B, *in, j, lane, ""));
}

/* One lane's value for all of the warp, which are all here (opt/shape.c). */
static bool
emit_broadcast(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    if (ins->opnd[0].kind != SW_OPND_REG ||
        e->shapes->regs[ins->opnd[0].reg].kind != SW_SHAPE_UNIFORM)
        return false;
    sw_jit_value a = sw_jit_read_exact(e, ins, 0);
    sw_jit_value b = sw_jit_read_exact(e, ins, 1);
    LLVMValueRef from = LLVMBuildAnd(B, b.base, sw_jit_i32(e, 31), "");
    LLVMValueRef x = sw_jit_lanes(e, &a);
    write_to(
        e, 0,
        sw_jit_uniform(SW_CLASS_B32, LLVMBuildExtractElement(B, x, from, "")));
    return true;
}

bool
sw_jit_emit_shuffle(sw_jit_emit *e, bool of_sets)
{
    const sw_ins *ins = e->at.ins;
    if (emit_broadcast(e))
        return true;
    for (unsigned i = 0; i < ins->ndst; i++)
        if (ins->opnd[i].kind == SW_OPND_REG &&
            e->shapes->regs[ins->opnd[i].reg].kind != SW_SHAPE_VARYING)
            return false;
    sw_jit_value a = sw_jit_read_exact(e, ins, 0);
    sw_jit_value b = sw_jit_read_exact(e, ins, 1);
    sw_jit_value c = sw_jit_read_exact(e, ins, 2);
    LLVMValueRef x = sw_jit_lanes(e, &a), in;
    LLVMValueRef from =
        named_lane(e, sw_jit_lanes(e, &b), sw_jit_lanes(e, &c), &in);
    if (!e->mask.is_full) /* from a lane that is not here: 0 */
        x = LLVMBuildSelect(B, e->mask.lanes, x, LLVMConstNull(LLVMTypeOf(x)),
                            "");
    LLVMValueRef y = permute(e, x, from);
    if (of_sets) { /* from a lane of another set: 0 */
        sw_jit_value v = sw_jit_read_exact(e, ins, 3);
        LLVMValueRef set = sw_jit_lanes(e, &v);
        LLVMValueRef same =
            LLVMBuildICmp(B, LLVMIntEQ, permute(e, set, from), set, "");
        y = LLVMBuildSelect(B, same, y, LLVMConstNull(LLVMTypeOf(y)), "");
    }
    write_to(e, 0, sw_jit_varying(SW_CLASS_B32, y));
    write_to(e, 1, sw_jit_varying(SW_CLASS_PRED, in));
    return true;
}
