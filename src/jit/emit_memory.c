/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_memory.c - loads and stores. Addresses that are affine fall into a few
 * groups of lanes whose distances are known: each group is one test and one
 * vector or scalar access. A test covers all that the block does at distances
 * from the same register, in all lanes. If all of them run, it fails for good
 * only before a fault: the warp goes on in the interpreter, which reports it.
 * If some do not, their addresses may be anywhere: such an access goes through
 * the interpreter's function. So do gathers and scatters, which the rest is,
 * where their test fails.
 */
#include <string.h>

#include "jit/emit.h"

#define B e->ll.builder

enum { MAX_GROUPS = SW_JIT_GROUPS, MAX_ELEMENTS = 128, MAX_BYTES = 512 };

/* Lanes whose addresses have known distances. */
typedef struct {
    uint32_t lanes;
    int64_t at[32];       /* bytes from the lowest, by lane */
    int64_t span;         /* the largest of them */
    LLVMValueRef pointer; /* of the lowest */
} group;

/* One instruction. */
typedef struct {
    const sw_ins *ins;
    unsigned elem, vec, unit; /* bytes of an element, elements, all bytes */
    unsigned shift;           /* log2 of unit */
    bool is_shared, is_signed, is_volatile;
    sw_jit_value address;
    group groups[MAX_GROUPS];
    unsigned group_count;     /* 0: lane by lane */
    LLVMValueRef ok;          /* lane by lane: all tests have passed */
    LLVMValueRef lane_offset; /* lane by lane: <32 x i64> or <32 x i32> of */
    unsigned scale;           /* ... so many bytes */
    LLVMValueRef base;        /* ... from this pointer; NULL: addresses */
    uint32_t site;            /* ... their window, if */
    bool has_site;
} access;

static LLVMValueRef
rotate(sw_jit_emit *e, LLVMValueRef x, unsigned by)
{
    if (!by)
        return x;
    LLVMTypeRef type = LLVMTypeOf(x);
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeRef element = is_vector ? LLVMGetElementType(type) : type;
    LLVMValueRef n = LLVMConstInt(element, by, 0);
    LLVMValueRef args[3] = {x, x, is_vector ? sw_jit_splat(e, n, 32) : n};
    return sw_jit_intrinsic(e, "llvm.fshr", &type, 1, args, 3);
}

static LLVMValueRef
window_part(sw_jit_emit *e, uint32_t site, size_t part)
{
    LLVMValueRef table =
        sw_jit_field(e, offsetof(sw_jit_ctx, windows), e->ptr, true);
    LLVMValueRef at =
        sw_jit_at(e, table, sw_jit_i64(e, site * sizeof(sw_jit_window) + part));
    return LLVMBuildLoad2(B, e->i64, at, "");
}

static uint32_t
new_site(sw_jit_emit *e, int64_t extent)
{
    *(sw_jit_site *)sw_vec_push(&e->sites) =
        (sw_jit_site){e->ins_index, (uint32_t)extent};
    return (uint32_t)e->sites.count - 1;
}

static LLVMValueRef
both(sw_jit_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return a ? LLVMBuildAnd(B, a, b, "") : b;
}

/* ---- groups ---- */

/* The bytes between lanes, and the lanes of equal v. */
static bool
split(access *a)
{
    const sw_shape *s = &a->address.shape;
    int64_t scale = s->kind == SW_SHAPE_WIDE ? s->scale : 1;
    int32_t seen[MAX_GROUPS];
    if (scale > 1 << 20 || scale < -(1 << 20))
        return false;
    for (unsigned i = 0; i < 32; i++) {
        int32_t v = s->v ? s->v[i] : 0;
        unsigned g = 0;
        while (g < a->group_count && seen[g] != v)
            g++;
        if (g == MAX_GROUPS)
            return false;
        if (g == a->group_count) {
            seen[g] = v;
            a->groups[a->group_count++] = (group){0};
        }
        a->groups[g].lanes |= 1u << i;
        a->groups[g].at[i] = s->c ? s->c[i] * scale : 0;
    }
    for (unsigned g = 0; g < a->group_count; g++) {
        group *x = &a->groups[g];
        int64_t min = INT64_MAX, max = INT64_MIN;
        for (unsigned i = 0; i < 32; i++)
            if (x->lanes >> i & 1) {
                min = x->at[i] < min ? x->at[i] : min;
                max = x->at[i] > max ? x->at[i] : max;
            }
        for (unsigned i = 0; i < 32; i++) {
            x->at[i] -= min;
            if ((x->lanes >> i & 1) && x->at[i] % a->unit)
                return false;
        }
        x->span = max - min;
    }
    return true;
}

static int64_t
least_constant(const sw_shape *s, uint32_t lanes, bool largest)
{
    int64_t best = largest ? INT64_MIN : INT64_MAX;
    for (unsigned i = 0; i < 32; i++) {
        int64_t c = s->c ? s->c[i] : 0;
        if ((lanes >> i & 1) && (largest ? c > best : c < best))
            best = c;
    }
    return best;
}

/* WIDE: the 32-bit part of a group in 64 bits; *ok: and it does not wrap in any
 * lane. */
static LLVMValueRef
narrow_start(sw_jit_emit *e, const access *a, const group *g, LLVMValueRef *ok)
{
    const sw_jit_value *v = &a->address;
    const sw_shape *s = &v->shape;
    int lane = __builtin_ctz(g->lanes);
    LLVMValueRef n = s->is_signed ? LLVMBuildSExt(B, v->narrow, e->i64, "")
                                  : LLVMBuildZExt(B, v->narrow, e->i64, "");
    if (s->v && s->v[lane]) {
        LLVMValueRef k = LLVMBuildSExt(B, v->s, e->i64, "");
        n = LLVMBuildAdd(
            B, n,
            LLVMBuildMul(B, k, sw_jit_i64(e, (uint64_t)(int64_t)s->v[lane]),
                         ""),
            "");
    }
    int64_t low = least_constant(s, g->lanes, false);
    int64_t high = least_constant(s, g->lanes, true);
    int64_t from = s->is_signed ? INT32_MIN : 0;
    int64_t to = s->is_signed ? INT32_MAX : (int64_t)UINT32_MAX;
    /* from - low <= n <= to - high, as one unsigned comparison */
    LLVMValueRef x =
        LLVMBuildSub(B, n, sw_jit_i64(e, (uint64_t)(from - low)), "");
    LLVMValueRef most = sw_jit_i64(e, (uint64_t)((to - high) - (from - low)));
    *ok = both(e, *ok, LLVMBuildICmp(B, LLVMIntULE, x, most, ""));
    return n;
}

/* i64 address (or offset) of the group's lowest lane, `more` bytes on. */
static LLVMValueRef
group_start(sw_jit_emit *e, const access *a, const group *g, int64_t more,
            LLVMValueRef *ok)
{
    const sw_jit_value *v = &a->address;
    const sw_shape *s = &v->shape;
    int lane = __builtin_ctz(g->lanes);
    int64_t scale = s->kind == SW_SHAPE_WIDE ? s->scale : 1;
    more += s->c ? s->c[lane] * scale - g->at[lane] : 0;
    if (s->kind == SW_SHAPE_WIDE) {
        LLVMValueRef n = narrow_start(e, a, g, ok);
        n = LLVMBuildMul(B, n, sw_jit_i64(e, (uint64_t)s->scale), "");
        n = LLVMBuildAdd(B, n, v->base, "");
        return LLVMBuildAdd(B, n, sw_jit_i64(e, (uint64_t)more), "");
    }
    LLVMTypeRef type = LLVMTypeOf(v->base);
    LLVMValueRef n = v->base;
    if (s->v && s->v[lane])
        n = LLVMBuildAdd(
            B, n,
            LLVMBuildMul(B, v->s,
                         LLVMConstInt(type, (unsigned long long)s->v[lane], 1),
                         ""),
            "");
    if (type == e->i32 && !a->is_shared) { /* 32-bit flat address */
        n = LLVMBuildZExt(B, n, e->i64, "");
        return LLVMBuildAdd(B, n, sw_jit_i64(e, (uint64_t)more), "");
    }
    n = LLVMBuildAdd(B, n, LLVMConstInt(type, (uint64_t)more, 0), "");
    return type == e->i32 ? LLVMBuildZExt(B, n, e->i64, "") : n;
}

static LLVMValueRef
shared_bytes(sw_jit_emit *e)
{
    return sw_jit_field(e, offsetof(sw_jit_ctx, shared_bytes), e->i64, true);
}

/* ---- tests ---- */

/* How far a test shall reach: all unguarded accesses of the block from here on
 * that are at a distance from the same register. */
static sw_jit_tested
plan_test(const sw_jit_emit *e, const access *a)
{
    const sw_opnd *o = sw_ins_src(a->ins, 0);
    const sw_block *block = e->fn->blocks[e->block];
    sw_jit_tested t = {.is_shared = a->is_shared,
                       .first = a->ins->offset,
                       .end = a->ins->offset + a->unit,
                       .unit = a->unit,
                       .aligned = a->ins->offset};
    enum { FAR = 1 << 16 };
    if (o->kind != SW_OPND_REG || a->ins->guard)
        return t;
    for (uint32_t i = e->ins_index - e->first_ins[e->block];
         i + 1 < block->count; i++) {
        const sw_ins *ins = block->ins[i];
        bool is_access =
            ins->op == SW_OP_LD || ins->op == SW_OP_ST || ins->op == SW_OP_LDU;
        if (is_access && !ins->guard && ins->space == a->ins->space &&
            sw_ins_src(ins, 0)->kind == SW_OPND_REG &&
            sw_ins_src(ins, 0)->reg == o->reg) {
            unsigned bits = sw_type_bits((sw_type)ins->type);
            unsigned unit = bits / 8 * ins->vec;
            int64_t off = ins->offset;
            if (off - t.first > FAR || t.end - off > FAR || bits % 8 ||
                bits > 64)
                break;
            if (unit > t.unit && (t.aligned - off) % t.unit == 0) {
                t.unit = unit;
                t.aligned = off;
            }
            if ((off - t.aligned) % unit)
                break;
            t.first = off < t.first ? off : t.first;
            t.end = off + unit > t.end ? off + unit : t.end;
        }
        for (unsigned k = 0; k < ins->ndst; k++)
            if (ins->opnd[k].kind == SW_OPND_REG && ins->opnd[k].reg == o->reg)
                return t;
        if (ins->op == SW_OP_CALL || ins->op == SW_OP_TRAP)
            return t;
    }
    return t;
}

static LLVMValueRef
is_aligned(sw_jit_emit *e, LLVMValueRef address, unsigned unit)
{
    return LLVMBuildICmp(B, LLVMIntEQ,
                         LLVMBuildAnd(B, address, sw_jit_i64(e, unit - 1), ""),
                         sw_jit_i64(e, 0), "");
}

/* One more condition: with all lanes here, or we leave. */
static void
require(sw_jit_emit *e, sw_jit_tested *t, LLVMValueRef ok)
{
    if (e->is_full)
        sw_jit_leave_unless(e, ok);
    else
        t->ok = both(e, t->ok, ok);
}

static LLVMValueRef
also_aligned(sw_jit_emit *e, const sw_jit_tested *t, LLVMValueRef start,
             LLVMValueRef ok)
{
    if (t->unit == 1)
        return ok;
    LLVMValueRef at = LLVMBuildAdd(
        B, start, sw_jit_i64(e, (uint64_t)(t->aligned - t->first)), "");
    return both(e, ok, is_aligned(e, at, t->unit));
}

static void
test_shared(sw_jit_emit *e, sw_jit_tested *t, const group *g, unsigned k,
            LLVMValueRef start, LLVMValueRef ok)
{
    LLVMValueRef end = LLVMBuildAdd(
        B, start, sw_jit_i64(e, (uint64_t)(g->span + t->end - t->first)), "");
    ok = both(e, ok, LLVMBuildICmp(B, LLVMIntULE, end, shared_bytes(e), ""));
    require(e, t, also_aligned(e, t, start, ok));
    LLVMValueRef base =
        sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->ptr, true);
    t->pointer[k] = sw_jit_at(e, base, start);
}

/* Elsewhere the window may only have to be moved. */
static void
test_flat(sw_jit_emit *e, sw_jit_tested *t, const group *g, unsigned k,
          LLVMValueRef start, LLVMValueRef ok)
{
    uint32_t site = new_site(e, g->span + t->end - t->first);
    ok = also_aligned(e, t, start, ok);
    if (ok)
        require(e, t, ok);
    LLVMValueRef d = LLVMBuildSub(B, start, window_part(e, site, 0), "");
    LLVMValueRef inside =
        LLVMBuildICmp(B, LLVMIntULE, d,
                      window_part(e, site, offsetof(sw_jit_window, limit)), "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef move = sw_jit_block(e, "move");
    sw_jit_likely(e, LLVMBuildCondBr(B, inside, fast, move), true);
    LLVMPositionBuilderAtEnd(B, move);
    LLVMValueRef args[2] = {sw_jit_i32(e, site), start};
    LLVMValueRef r = sw_jit_call(e, SW_JIT_WINDOW, e->i32, args, 2);
    r = LLVMBuildICmp(B, LLVMIntNE, r, sw_jit_i32(e, 0), "");
    if (e->is_full)
        sw_jit_leave_unless(e, r);
    move = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, fast);
    LLVMPositionBuilderAtEnd(B, fast);
    if (!e->is_full) {
        LLVMValueRef phi = LLVMBuildPhi(B, e->i1, "");
        LLVMValueRef values[2] = {LLVMConstInt(e->i1, 1, 0), r};
        LLVMBasicBlockRef from[2] = {here, move};
        LLVMAddIncoming(phi, values, from, 2);
        t->ok = both(e, t->ok, phi);
    }
    t->pointer[k] = LLVMBuildIntToPtr(B, start, e->ptr, "");
}

/* A variable of shared memory at a known place. */
static bool
is_known_shared(const access *a)
{
    const sw_opnd *o = sw_ins_src(a->ins, 0);
    if (!a->is_shared || o->kind != SW_OPND_SYM)
        return false;
    int64_t at = (int64_t)o->imm + a->ins->offset;
    return o->sym->bytes >= a->unit && at >= 0 &&
           (uint64_t)at <= o->sym->bytes - a->unit && at % a->unit == 0 &&
           o->sym->align >= a->unit;
}

/* Does what was tested before hold for this access? */
static bool
covers(const sw_jit_tested *t, const access *a)
{
    int64_t off = a->ins->offset;
    return t->is_valid && t->is_shared == a->is_shared && off >= t->first &&
           off + a->unit <= t->end && t->unit >= a->unit &&
           (off - t->aligned) % a->unit == 0;
}

static void
test_groups(sw_jit_emit *e, access *a)
{
    const sw_opnd *o = sw_ins_src(a->ins, 0);
    sw_jit_tested *known = o->kind == SW_OPND_REG ? &e->tested[o->reg] : NULL;
    sw_jit_tested t;
    if (known && covers(known, a)) {
        t = *known;
    } else {
        t = plan_test(e, a);
        for (unsigned k = 0; k < a->group_count; k++) {
            const group *g = &a->groups[k];
            LLVMValueRef ok = NULL;
            LLVMValueRef start = group_start(e, a, g, t.first, &ok);
            if (is_known_shared(a)) {
                LLVMValueRef base =
                    sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->ptr, true);
                t.pointer[k] = sw_jit_at(e, base, start);
            } else if (a->is_shared) {
                test_shared(e, &t, g, k, start, ok);
            } else {
                test_flat(e, &t, g, k, start, ok);
            }
        }
        if (known && !a->ins->guard) {
            t.is_valid = true;
            *known = t;
        }
    }
    a->ok = t.ok;
    for (unsigned k = 0; k < a->group_count; k++)
        a->groups[k].pointer =
            sw_jit_at(e, t.pointer[k],
                      sw_jit_i64(e, (uint64_t)(a->ins->offset - t.first)));
}

/* ---- lane by lane ---- */

static LLVMValueRef
masked_all(sw_jit_emit *e, LLVMValueRef ok)
{
    if (!e->is_full)
        ok = LLVMBuildOr(B, ok, LLVMBuildNot(B, e->mask, ""), "");
    return sw_jit_all(e, ok);
}

/* Offsets below `size` (i64) bytes, aligned. */
static void
test_offsets(sw_jit_emit *e, access *a, LLVMValueRef offset, LLVMValueRef size)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(offset));
    LLVMValueRef limit = LLVMBuildSub(B, size, sw_jit_i64(e, a->unit), "");
    limit = LLVMBuildLShr(B, limit, sw_jit_i64(e, a->shift), "");
    if (type != e->i64)
        limit = LLVMBuildTrunc(B, limit, type, "");
    LLVMValueRef ok = LLVMBuildICmp(B, LLVMIntULE, rotate(e, offset, a->shift),
                                    sw_jit_splat(e, limit, 32), "");
    a->ok = masked_all(e, ok);
}

static LLVMValueRef
wide_lanes(sw_jit_emit *e, const access *a)
{
    LLVMValueRef x = sw_jit_lanes(e, &a->address);
    LLVMTypeRef wide = LLVMVectorType(e->i64, 32);
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(x));
    LLVMValueRef more = LLVMConstInt(type, (uint64_t)a->ins->offset, 0);
    if (type == e->i32 && a->is_shared) /* below 2^31 after the test */
        return LLVMBuildAdd(B, x, sw_jit_splat(e, more, 32), "");
    if (type == e->i32)
        x = LLVMBuildZExt(B, x, wide, "");
    more = sw_jit_i64(e, (uint64_t)a->ins->offset);
    return LLVMBuildAdd(B, x, sw_jit_splat(e, more, 32), "");
}

/* Addresses anywhere: if a window around that of the first lane holds them
 * all. */
static void
prepare_flat(sw_jit_emit *e, access *a)
{
    uint32_t site = new_site(e, a->unit);
    a->site = site;
    LLVMValueRef lo = window_part(e, site, 0);
    LLVMValueRef limit = window_part(e, site, offsetof(sw_jit_window, limit));
    limit = LLVMBuildLShr(B, limit, sw_jit_i64(e, a->shift), "");
    LLVMValueRef d =
        LLVMBuildSub(B, a->lane_offset, sw_jit_splat(e, lo, 32), "");
    LLVMValueRef ok = LLVMBuildICmp(B, LLVMIntULE, rotate(e, d, a->shift),
                                    sw_jit_splat(e, limit, 32), "");
    a->ok = masked_all(e, ok);
    a->has_site = true;
}

/* The only instruction that writes a register, if it stands in this block
 * before instruction `before` and its sources have not changed since. */
static const sw_ins *
recent_definition(const sw_jit_emit *e, const sw_opnd *o, uint32_t *before)
{
    const sw_block *block = e->fn->blocks[e->block];
    if (o->kind != SW_OPND_REG)
        return NULL;
    for (uint32_t i = *before; i-- > 0;) {
        const sw_ins *ins = block->ins[i];
        for (unsigned k = 0; k < ins->ndst; k++)
            if (ins->opnd[k].kind == SW_OPND_REG &&
                ins->opnd[k].reg == o->reg) {
                *before = i;
                return ins->guard || ins->ndst != 1 ? NULL : ins;
            }
        if (ins->op == SW_OP_CALL)
            return NULL;
    }
    return NULL;
}

/* Is any register that `ins` reads written in (from, to)? */
static bool
is_stale(const sw_jit_emit *e, const sw_ins *ins, uint32_t from, uint32_t to)
{
    const sw_block *block = e->fn->blocks[e->block];
    for (uint32_t i = from + 1; i < to; i++)
        for (unsigned k = 0; k < block->ins[i]->ndst; k++)
            for (unsigned s = 0; s < ins->nsrc; s++) {
                const sw_opnd *d = &block->ins[i]->opnd[k];
                const sw_opnd *o = sw_ins_src(ins, s);
                if (d->kind == SW_OPND_REG && o->kind == SW_OPND_REG &&
                    d->reg == o->reg)
                    return true;
            }
    return false;
}

/* An address that is a uniform number plus a 32-bit index times a size. */
typedef struct {
    const sw_ins *sum, *product;
    unsigned uniform; /* which source of the sum */
    int64_t scale;
    bool is_signed;
} indexed;

static bool
is_widening(const sw_ins *ins, indexed *x)
{
    const sw_opnd *by = ins->nsrc > 1 ? sw_ins_src(ins, 1) : NULL;
    sw_type type = (sw_type)ins->type;
    if (ins->op == SW_OP_MUL_WIDE && sw_type_bits(type) == 32 &&
        by->kind == SW_OPND_IMM) {
        x->scale = (int64_t)by->imm;
        x->is_signed = sw_type_kind(type) == SW_KIND_SINT;
        return true;
    }
    return false;
}

static bool
find_index(const sw_jit_emit *e, const access *a, indexed *x)
{
    uint32_t now = e->ins_index - e->first_ins[e->block], at = now;
    x->sum = recent_definition(e, sw_ins_src(a->ins, 0), &at);
    if (!x->sum || x->sum->op != SW_OP_ADD || is_stale(e, x->sum, at, now) ||
        (x->sum->flags & SW_F_SAT))
        return false;
    for (x->uniform = 0; x->uniform < 2; x->uniform++) {
        uint32_t from = at;
        if (sw_shapes_source(e->shapes, x->sum, x->uniform).kind !=
            SW_SHAPE_UNIFORM)
            continue;
        x->product =
            recent_definition(e, sw_ins_src(x->sum, 1 - x->uniform), &from);
        if (x->product && is_widening(x->product, x) &&
            !is_stale(e, x->product, from, now) &&
            sw_shapes_source(e->shapes, x->product, 0).kind != SW_SHAPE_UNIFORM)
            return (x->scale == 1 || x->scale == 2 || x->scale == 4 ||
                    x->scale == 8) &&
                   x->scale % a->unit == 0;
    }
    return false;
}

/* n (i64) within the range of 32 bits. */
static LLVMValueRef
clamp(sw_jit_emit *e, LLVMValueRef n, int64_t low, int64_t high)
{
    LLVMValueRef least[2] = {n, sw_jit_i64(e, (uint64_t)low)};
    n = sw_jit_intrinsic(e, "llvm.smax", &e->i64, 1, least, 2);
    LLVMValueRef most[2] = {n, sw_jit_i64(e, (uint64_t)high)};
    return sw_jit_intrinsic(e, "llvm.smin", &e->i64, 1, most, 2);
}

/* The window in numbers of the index. */
static void
prepare_indexed(sw_jit_emit *e, access *a, const indexed *x)
{
    unsigned k = (unsigned)__builtin_ctzll((uint64_t)x->scale);
    sw_jit_value base = sw_jit_read(e, x->sum, x->uniform);
    sw_jit_value index = sw_jit_read(e, x->product, 0);
    LLVMValueRef from =
        LLVMBuildAdd(B, base.base, sw_jit_i64(e, (uint64_t)a->ins->offset), "");
    uint32_t site = new_site(e, a->unit);
    a->site = site;
    a->has_site = true;
    LLVMValueRef lo = LLVMBuildSub(B, window_part(e, site, 0), from, "");
    LLVMValueRef hi = LLVMBuildAdd(
        B, lo, window_part(e, site, offsetof(sw_jit_window, limit)), "");
    LLVMValueRef sane = LLVMBuildICmp(B, LLVMIntSLE, lo, hi, "");
    LLVMValueRef shift = sw_jit_i64(e, k);
    lo = LLVMBuildAdd(B, lo, sw_jit_i64(e, (uint64_t)x->scale - 1), "");
    lo = clamp(e, LLVMBuildAShr(B, lo, shift, ""), x->is_signed ? INT32_MIN : 0,
               (int64_t)INT32_MAX + 1);
    hi = clamp(e, LLVMBuildAShr(B, hi, shift, ""), (int64_t)INT32_MIN - 1,
               INT32_MAX);
    LLVMValueRef some = LLVMBuildICmp(B, LLVMIntSLE, lo, hi, "");
    some = LLVMBuildAnd(B, some, sane, "");
    if (a->unit > 1)
        some = LLVMBuildAnd(B, some, is_aligned(e, from, a->unit), "");
    LLVMValueRef room =
        LLVMBuildTrunc(B, LLVMBuildSub(B, hi, lo, ""), e->i32, "");
    lo = LLVMBuildTrunc(B, lo, e->i32, "");
    a->lane_offset = sw_jit_lanes(e, &index);
    a->scale = (unsigned)x->scale;
    a->base = LLVMBuildIntToPtr(B, from, e->ptr, "");
    LLVMValueRef d =
        LLVMBuildSub(B, a->lane_offset, sw_jit_splat(e, lo, 32), "");
    LLVMValueRef ok =
        LLVMBuildICmp(B, LLVMIntULE, d, sw_jit_splat(e, room, 32), "");
    a->ok = LLVMBuildAnd(B, some, masked_all(e, ok), "");
}

static void
prepare_lanes(sw_jit_emit *e, access *a)
{
    indexed x;
    a->scale = 1;
    if ((a->ins->space == SW_SPACE_GLOBAL || a->ins->space == SW_SPACE_CONST ||
         a->ins->space == SW_SPACE_GENERIC) &&
        find_index(e, a, &x)) {
        prepare_indexed(e, a, &x);
        return;
    }
    a->lane_offset = wide_lanes(e, a);
    if (a->ins->space == SW_SPACE_LOCAL) {
        LLVMValueRef stride =
            sw_jit_field(e, offsetof(sw_jit_ctx, local_stride), e->i64, true);
        test_offsets(e, a, a->lane_offset, stride);
        int64_t lane[32];
        for (int i = 0; i < 32; i++)
            lane[i] = i;
        LLVMValueRef rows =
            LLVMBuildMul(B, sw_jit_splat(e, stride, 32),
                         sw_jit_const_lanes(e->i64, lane, 32), "");
        a->lane_offset = LLVMBuildAdd(B, a->lane_offset, rows, "");
        a->base = sw_jit_field(e, offsetof(sw_jit_ctx, local), e->ptr, true);
    } else if (a->is_shared) {
        test_offsets(e, a, a->lane_offset, shared_bytes(e));
        a->base = sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->ptr, true);
    } else {
        prepare_flat(e, a);
    }
}

/* Pointers of element k. Lanes that do not run point where reading is safe. */
static LLVMValueRef
lane_pointers(sw_jit_emit *e, const access *a, unsigned k, bool safe)
{
    LLVMTypeRef pointers = LLVMVectorType(e->ptr, 32), step;
    LLVMValueRef p, x = a->lane_offset;
    if (a->base) {
        LLVMValueRef base = sw_jit_at(e, a->base, sw_jit_i64(e, k * a->elem));
        step = LLVMIntTypeInContext(e->ll.context, 8 * a->scale);
        p = LLVMBuildGEP2(B, step, base, &x, 1, "");
    } else {
        if (k)
            x = LLVMBuildAdd(
                B, x, sw_jit_splat(e, sw_jit_i64(e, k * a->elem), 32), "");
        p = LLVMBuildIntToPtr(B, x, pointers, "");
    }
    if (safe && !e->is_full) {
        LLVMValueRef home =
            sw_jit_field(e, offsetof(sw_jit_ctx, regs), e->ptr, true);
        p = LLVMBuildSelect(B, e->mask, p, sw_jit_splat(e, home, 32), "");
    }
    return p;
}

/* i1: the lanes that run lie side by side, lane 0 at *first. */
static LLVMValueRef
lie_in_a_row(sw_jit_emit *e, const access *a, LLVMValueRef *first)
{
    LLVMValueRef x = a->lane_offset;
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(x));
    LLVMValueRef zero = LLVMBuildExtractElement(B, x, sw_jit_i32(e, 0), "");
    int64_t lane[32];
    for (int i = 0; i < 32; i++)
        lane[i] = i * (int64_t)(a->unit / a->scale);
    LLVMValueRef row = LLVMBuildAdd(B, sw_jit_splat(e, zero, 32),
                                    sw_jit_const_lanes(type, lane, 32), "");
    LLVMValueRef same = LLVMBuildICmp(B, LLVMIntEQ, x, row, "");
    LLVMTypeRef step = LLVMIntTypeInContext(e->ll.context, 8 * a->scale);
    *first = a->base ? LLVMBuildGEP2(B, step, a->base, &zero, 1, "")
                     : LLVMBuildIntToPtr(B, zero, e->ptr, "");
    return masked_all(e, same);
}

static LLVMValueRef
all_lanes(sw_jit_emit *e)
{
    return sw_jit_splat(e, LLVMConstInt(e->i1, 1, 0), 32);
}

static LLVMValueRef
gather(sw_jit_emit *e, LLVMTypeRef elem, unsigned bytes, LLVMValueRef pointers,
       LLVMValueRef mask)
{
    LLVMTypeRef types[2] = {LLVMVectorType(elem, 32), LLVMTypeOf(pointers)};
    LLVMValueRef args[4] = {pointers, sw_jit_i32(e, bytes), mask,
                            LLVMConstNull(types[0])};
    return sw_jit_intrinsic(e, "llvm.masked.gather", types, 2, args, 4);
}

static void
scatter(sw_jit_emit *e, LLVMValueRef x, unsigned bytes, LLVMValueRef pointers,
        LLVMValueRef mask)
{
    LLVMTypeRef types[2] = {LLVMTypeOf(x), LLVMTypeOf(pointers)};
    LLVMValueRef args[4] = {x, pointers, sw_jit_i32(e, bytes), mask};
    sw_jit_intrinsic(e, "llvm.masked.scatter", types, 2, args, 4);
}

/* ---- both ---- */

static LLVMTypeRef
elem_type(const sw_jit_emit *e, const access *a)
{
    return LLVMIntTypeInContext(e->ll.context, a->elem * 8);
}

static void
open_access(sw_jit_emit *e, access *a)
{
    const sw_ins *ins = e->ins;
    *a = (access){.ins = ins};
    a->elem = (sw_type_bits((sw_type)ins->type) + 7) / 8;
    a->vec = ins->vec;
    a->unit = a->elem * a->vec;
    a->shift = (unsigned)__builtin_ctz(a->unit);
    a->is_shared = ins->space == SW_SPACE_SHARED;
    a->is_signed = sw_type_kind((sw_type)ins->type) == SW_KIND_SINT;
    a->is_volatile = ins->order != 0;
    a->address = sw_jit_read_exact(e, ins, 0);
}

static bool
is_affine(const access *a)
{
    const sw_shape *s = &a->address.shape;
    if (s->kind == SW_SHAPE_VARYING || a->ins->space == SW_SPACE_LOCAL)
        return false;
    if (s->kind == SW_SHAPE_WIDE && a->is_shared)
        return false;
    /* Constants of flat 32-bit addresses wrap before they are extended. */
    return s->kind == SW_SHAPE_UNIFORM || a->address.cls == SW_CLASS_B64 ||
           a->is_shared;
}

static void
prepare(sw_jit_emit *e, access *a)
{
    if (is_affine(a) && split(a)) {
        test_groups(e, a);
    } else {
        a->group_count = 0;
        prepare_lanes(e, a);
    }
}

/* Brings the window of a flat access by lanes to where its first lane is. */
static void
move_window(sw_jit_emit *e, const access *a)
{
    if (!a->has_site)
        return;
    LLVMValueRef cttz[2] = {sw_jit_mask_bits(e, e->mask),
                            LLVMConstInt(e->i1, 0, 0)};
    LLVMValueRef lane =
        LLVMBuildAnd(B, sw_jit_intrinsic(e, "llvm.cttz", &e->i32, 1, cttz, 2),
                     sw_jit_i32(e, 31), "");
    LLVMValueRef at = LLVMBuildExtractElement(B, a->lane_offset, lane, "");
    if (a->base) {
        LLVMTypeRef step = LLVMIntTypeInContext(e->ll.context, 8 * a->scale);
        at = LLVMBuildGEP2(B, step, a->base, &at, 1, "");
        at = LLVMBuildPtrToInt(B, at, e->i64, "");
    }
    LLVMValueRef args[2] = {sw_jit_i32(e, a->site), at};
    sw_jit_call(e, SW_JIT_WINDOW, e->i32, args, 2);
}

/* Ends the LLVM block: on to `fast` if the tests passed, else
 * through the interpreter, then to what is returned. The builder is left in
 * `fast`. */
static LLVMBasicBlockRef
fork_access(sw_jit_emit *e, const access *a)
{
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    sw_jit_likely(e, LLVMBuildCondBr(B, a->ok, fast, slow), true);
    LLVMPositionBuilderAtEnd(B, slow);
    move_window(e, a);
    sw_jit_emit_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, fast);
    return done;
}

static void
mark_order(const access *a, LLVMValueRef access_)
{
    if (a->is_volatile)
        LLVMSetVolatile(access_, 1);
}

/* ---- loads ---- */

/* The loaded elements as the register holds them. */
static LLVMValueRef
extend(sw_jit_emit *e, const access *a, LLVMValueRef x, sw_class cls,
       unsigned lanes)
{
    LLVMTypeRef to = sw_jit_lanes_of(sw_jit_class_type(e, cls), lanes);
    if (LLVMTypeOf(x) == to)
        return x;
    return LLVMBuildIntCast2(B, x, to, a->is_signed, "");
}

/* All elements of a group, loaded once; element k of lane i is number
 * at[i] / unit * vec + k. NULL: they lie too far apart. */
static LLVMValueRef
load_span(sw_jit_emit *e, const access *a, const group *g, unsigned *count)
{
    uint64_t n = ((uint64_t)g->span / a->unit + 1) * a->vec;
    *count = (unsigned)n;
    if (n > MAX_ELEMENTS || n * a->elem > MAX_BYTES)
        return NULL;
    LLVMTypeRef type = sw_jit_lanes_of(elem_type(e, a), (unsigned)n);
    LLVMValueRef x = LLVMBuildLoad2(B, type, g->pointer, "");
    sw_jit_set_align(x, a->unit);
    mark_order(a, x);
    return x;
}

static LLVMValueRef
group_lanes(sw_jit_emit *e, const access *a, const group *g, LLVMValueRef span,
            unsigned count, unsigned k)
{
    if (!span) {
        LLVMTypeRef type = elem_type(e, a);
        LLVMValueRef x = LLVMGetPoison(LLVMVectorType(type, 32));
        for (uint32_t i = 0; i < 32; i++) {
            if (!(g->lanes >> i & 1))
                continue;
            int64_t at = g->at[i] + k * a->elem;
            LLVMValueRef one = LLVMBuildLoad2(
                B, type, sw_jit_at(e, g->pointer, sw_jit_i64(e, (uint64_t)at)),
                "");
            sw_jit_set_align(one, a->elem);
            mark_order(a, one);
            x = LLVMBuildInsertElement(B, x, one, sw_jit_i32(e, i), "");
        }
        return x;
    }
    if (count == 1)
        return sw_jit_splat(e, span, 32);
    int from[32];
    for (int i = 0; i < 32; i++)
        from[i] =
            g->lanes >> i & 1 ? (int)(g->at[i] / a->unit * a->vec + k) : 0;
    return sw_jit_shuffle(e, span, from, 32);
}

static LLVMValueRef
constant_mask(sw_jit_emit *e, uint32_t lanes)
{
    LLVMValueRef c[32];
    for (int i = 0; i < 32; i++)
        c[i] = LLVMConstInt(e->i1, lanes >> i & 1, 0);
    return LLVMConstVector(c, 32);
}

static void
load_groups(sw_jit_emit *e, const access *a)
{
    LLVMValueRef span[MAX_GROUPS];
    unsigned count[MAX_GROUPS];
    for (unsigned g = 0; g < a->group_count; g++)
        span[g] = load_span(e, a, &a->groups[g], &count[g]);
    for (unsigned k = 0; k < a->vec; k++) {
        const sw_opnd *d = &a->ins->opnd[k];
        if (d->kind != SW_OPND_REG)
            continue;
        sw_class cls = e->fn->regs[d->reg].cls;
        if (a->group_count == 1 && a->groups[0].span == 0) {
            LLVMValueRef x = span[0];
            if (a->vec > 1)
                x = LLVMBuildExtractElement(B, x, sw_jit_i32(e, k), "");
            sw_jit_value v = sw_jit_uniform(cls, extend(e, a, x, cls, 1));
            sw_jit_write(e, d->reg, &v, 0);
            continue;
        }
        LLVMValueRef all = NULL;
        for (unsigned g = 0; g < a->group_count; g++) {
            LLVMValueRef x =
                group_lanes(e, a, &a->groups[g], span[g], count[g], k);
            all = all ? LLVMBuildSelect(B, constant_mask(e, a->groups[g].lanes),
                                        x, all, "")
                      : x;
        }
        sw_jit_value v = sw_jit_varying(cls, extend(e, a, all, cls, 32));
        sw_jit_write(e, d->reg, &v, 0);
    }
}

/* Whether the machine has masks for vectors of these elements. */
static bool
can_mask(const sw_jit_emit *e, const access *a)
{
    return e->ll.has_avx512 || (e->has_avx2 && (a->elem == 4 || a->elem == 8));
}

static void
write_loaded(sw_jit_emit *e, const access *a, unsigned k, LLVMValueRef x)
{
    sw_reg reg = a->ins->opnd[k].reg;
    sw_class cls = e->fn->regs[reg].cls;
    sw_jit_value v = sw_jit_varying(cls, extend(e, a, x, cls, 32));
    sw_jit_write(e, reg, &v, 0);
}

/* Two vectors as one. */
static LLVMValueRef
concatenate(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef y, unsigned each)
{
    LLVMValueRef c[MAX_ELEMENTS];
    for (unsigned i = 0; i < 2 * each; i++)
        c[i] = sw_jit_i32(e, i);
    return LLVMBuildShuffleVector(B, x, y, LLVMConstVector(c, 2 * each), "");
}

/* Four elements of 32 bits a lane: one load for each lane, then the elements
 * are sorted. */
static void
gather_quads(sw_jit_emit *e, const access *a)
{
    LLVMTypeRef quad = LLVMVectorType(e->i32, 4);
    LLVMValueRef p = lane_pointers(e, a, 0, true), x[32];
    for (uint32_t i = 0; i < 32; i++) {
        x[i] = LLVMBuildLoad2(
            B, quad, LLVMBuildExtractElement(B, p, sw_jit_i32(e, i), ""), "");
        sw_jit_set_align(x[i], 16);
    }
    for (unsigned n = 32, each = 4; n > 1; n /= 2, each *= 2)
        for (unsigned i = 0; i < n / 2; i++)
            x[i] = concatenate(e, x[2 * i], x[2 * i + 1], each);
    for (unsigned k = 0; k < 4; k++) {
        int from[32];
        for (int i = 0; i < 32; i++)
            from[i] = 4 * i + (int)k;
        if (a->ins->opnd[k].kind == SW_OPND_REG)
            write_loaded(e, a, k, sw_jit_shuffle(e, x[0], from, 32));
    }
}

static void
gather_lanes(sw_jit_emit *e, const access *a)
{
    if (a->vec == 4 && a->elem == 4) {
        gather_quads(e, a);
        return;
    }
    for (unsigned k = 0; k < a->vec; k++) {
        if (a->ins->opnd[k].kind != SW_OPND_REG)
            continue;
        LLVMValueRef p = lane_pointers(e, a, k, true);
        write_loaded(e, a, k,
                     gather(e, elem_type(e, a), a->elem, p, all_lanes(e)));
    }
}

/* Of a row. */
static LLVMValueRef
load_row(sw_jit_emit *e, const access *a, LLVMValueRef first)
{
    LLVMTypeRef type = LLVMVectorType(elem_type(e, a), 32);
    if (e->is_full) {
        LLVMValueRef x = LLVMBuildLoad2(B, type, first, "");
        sw_jit_set_align(x, a->elem);
        return x;
    }
    LLVMTypeRef types[2] = {type, e->ptr};
    LLVMValueRef args[4] = {first, sw_jit_i32(e, a->elem), e->mask,
                            LLVMConstNull(type)};
    return sw_jit_intrinsic(e, "llvm.masked.load", types, 2, args, 4);
}

/* Which of two ways; the builder is left in the first, *other is the second,
 * both go on to what is returned. */
static LLVMBasicBlockRef
two_ways(sw_jit_emit *e, LLVMValueRef which, LLVMBasicBlockRef *other)
{
    LLVMBasicBlockRef row = sw_jit_block(e, "row");
    LLVMBasicBlockRef join = sw_jit_block(e, "join");
    *other = sw_jit_block(e, "apart");
    LLVMBuildCondBr(B, which, row, *other);
    LLVMPositionBuilderAtEnd(B, row);
    return join;
}

static void
load_lanes(sw_jit_emit *e, const access *a)
{
    if (a->vec > 1 || a->ins->space == SW_SPACE_LOCAL ||
        (!e->is_full && !can_mask(e, a))) {
        gather_lanes(e, a);
        return;
    }
    LLVMValueRef first, is_row = lie_in_a_row(e, a, &first);
    LLVMBasicBlockRef apart, join = two_ways(e, is_row, &apart);
    if (a->ins->opnd[0].kind == SW_OPND_REG)
        write_loaded(e, a, 0, load_row(e, a, first));
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, apart);
    gather_lanes(e, a);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

/* A kernel's parameter at a known place. */
static bool
load_param(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    const sw_opnd *o = sw_ins_src(ins, 0);
    if (ins->space != SW_SPACE_PARAM || !e->fn->is_entry ||
        o->kind == SW_OPND_REG || sw_type_bits((sw_type)ins->type) > 64)
        return false;
    access a;
    open_access(e, &a);
    uint64_t at = (o->kind == SW_OPND_SYM ? o->sym->address : 0) + o->imm +
                  (uint64_t)ins->offset;
    if (at > e->fn->param_bytes || a.unit > e->fn->param_bytes - at)
        return false;
    LLVMValueRef base =
        sw_jit_block_field(e, offsetof(sw_jit_blk, params), e->ptr);
    for (unsigned k = 0; k < ins->vec; k++) {
        if (ins->opnd[k].kind != SW_OPND_REG)
            continue;
        sw_class cls = e->fn->regs[ins->opnd[k].reg].cls;
        LLVMValueRef x = LLVMBuildLoad2(
            B, elem_type(e, &a),
            sw_jit_at(e, base, sw_jit_i64(e, at + k * a.elem)), "");
        sw_jit_set_align(x, 1);
        sw_jit_value v = sw_jit_uniform(cls, extend(e, &a, x, cls, 1));
        sw_jit_write(e, ins->opnd[k].reg, &v, 0);
    }
    return true;
}

static bool
is_unusual(const sw_ins *ins)
{
    return ins->space == SW_SPACE_PARAM ||
           sw_type_bits((sw_type)ins->type) > 64 ||
           sw_type_bits((sw_type)ins->type) < 8;
}

void
sw_jit_emit_load(sw_jit_emit *e)
{
    if (load_param(e))
        return;
    if (is_unusual(e->ins)) {
        sw_jit_emit_step(e);
        return;
    }
    access a;
    open_access(e, &a);
    prepare(e, &a);
    LLVMBasicBlockRef done = a.ok ? fork_access(e, &a) : NULL;
    if (a.group_count)
        load_groups(e, &a);
    else
        load_lanes(e, &a);
    if (done) {
        LLVMBuildBr(B, done);
        LLVMPositionBuilderAtEnd(B, done);
    }
    if (a.is_volatile)
        LLVMBuildFence(B, LLVMAtomicOrderingAcquire, 0, "");
}

/* ---- stores ---- */

/* Element k of all lanes, cut to what memory holds. */
static LLVMValueRef
stored(sw_jit_emit *e, const access *a, unsigned k)
{
    sw_jit_value v = sw_jit_read_exact(e, a->ins, 1 + k);
    LLVMTypeRef type = LLVMVectorType(elem_type(e, a), 32);
    LLVMValueRef x = sw_jit_lanes(e, &v);
    return LLVMTypeOf(x) == type ? x : LLVMBuildIntCast2(B, x, type, 0, "");
}

/* Lane i of the group's units is the i-th of its lanes, without a gap. */
static bool
is_run(const access *a, const group *g, int *lanes)
{
    int n = 0;
    for (int i = 0; i < 32; i++)
        if (g->lanes >> i & 1) {
            if (g->at[i] != (int64_t)n * a->unit)
                return false;
            lanes[n++] = i;
        }
    return n * (int)a->vec <= MAX_ELEMENTS && n * (int)a->unit <= MAX_BYTES;
}

/* The elements of a run side by side as memory has them. */
static LLVMValueRef
interleave(sw_jit_emit *e, const access *a, const int *lanes, int n)
{
    int from[MAX_ELEMENTS];
    LLVMValueRef x = stored(e, a, 0);
    if (a->vec == 1) {
        if (n == 32)
            return x;
        return sw_jit_shuffle(e, x, lanes, (unsigned)n);
    }
    LLVMValueRef parts[4] = {x};
    for (unsigned k = 1; k < a->vec; k++)
        parts[k] = stored(e, a, k);
    LLVMValueRef pair[2];
    int both[64];
    for (int i = 0; i < 64; i++)
        both[i] = i;
    for (unsigned k = 0; k < a->vec; k += 2) {
        LLVMValueRef c[64];
        for (int i = 0; i < 64; i++)
            c[i] = sw_jit_i32(e, (uint32_t)both[i]);
        pair[k / 2] = LLVMBuildShuffleVector(B, parts[k], parts[k + 1],
                                             LLVMConstVector(c, 64), "");
    }
    unsigned total = (unsigned)n * a->vec;
    LLVMValueRef c[MAX_ELEMENTS];
    for (unsigned j = 0; j < total; j++) {
        unsigned k = j % a->vec;
        from[j] = lanes[j / a->vec] + (int)(k * 32);
        c[j] = sw_jit_i32(e, (uint32_t)from[j]);
    }
    LLVMValueRef second =
        a->vec > 2 ? pair[1] : LLVMGetPoison(LLVMTypeOf(pair[0]));
    return LLVMBuildShuffleVector(B, pair[0], second, LLVMConstVector(c, total),
                                  "");
}

/* Some elements of a vector. Mostly it is all of them, and stores without a
 * mask are faster. */
static void
store_masked(sw_jit_emit *e, const access *a, LLVMValueRef x,
             LLVMValueRef pointer, unsigned align, LLVMValueRef mask)
{
    LLVMBasicBlockRef all = sw_jit_block(e, "all");
    LLVMBasicBlockRef some = sw_jit_block(e, "some");
    LLVMBasicBlockRef join = sw_jit_block(e, "join");
    LLVMBuildCondBr(B, sw_jit_all(e, e->mask), all, some);
    LLVMPositionBuilderAtEnd(B, all);
    LLVMValueRef st = LLVMBuildStore(B, x, pointer);
    sw_jit_set_align(st, align);
    mark_order(a, st);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, some);
    if (a->is_shared) { /* no other thread of the host sees it */
        LLVMValueRef old = LLVMBuildLoad2(B, LLVMTypeOf(x), pointer, "");
        sw_jit_set_align(old, align);
        x = LLVMBuildSelect(B, mask, x, old, "");
        sw_jit_set_align(LLVMBuildStore(B, x, pointer), align);
    } else {
        LLVMTypeRef types[2] = {LLVMTypeOf(x), e->ptr};
        LLVMValueRef args[4] = {x, pointer, sw_jit_i32(e, align), mask};
        sw_jit_intrinsic(e, "llvm.masked.store", types, 2, args, 4);
    }
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

static void
store_run(sw_jit_emit *e, const access *a, const group *g, const int *lanes,
          int n)
{
    LLVMValueRef x = interleave(e, a, lanes, n);
    unsigned total = (unsigned)n * a->vec;
    if (e->is_full) {
        LLVMValueRef st = LLVMBuildStore(B, x, g->pointer);
        sw_jit_set_align(st, a->unit);
        mark_order(a, st);
        return;
    }
    int from[MAX_ELEMENTS];
    for (unsigned j = 0; j < total; j++)
        from[j] = lanes[j / a->vec];
    LLVMValueRef mask = total == 32 && n == 32
                            ? e->mask
                            : sw_jit_shuffle(e, e->mask, from, total);
    store_masked(e, a, x, g->pointer, a->unit, mask);
}

/* One place for all lanes: the last one's value stays. */
static void
store_one(sw_jit_emit *e, const access *a, const group *g)
{
    LLVMValueRef last = sw_jit_i32(e, 31);
    if (!e->is_full) {
        LLVMValueRef args[2] = {sw_jit_mask_bits(e, e->mask),
                                LLVMConstInt(e->i1, 0, 0)};
        LLVMValueRef zeros =
            sw_jit_intrinsic(e, "llvm.ctlz", &e->i32, 1, args, 2);
        last = LLVMBuildSub(B, last, zeros, "");
        last = LLVMBuildAnd(B, last, sw_jit_i32(e, 31), "");
    }
    for (unsigned k = 0; k < a->vec; k++) {
        sw_jit_value v = sw_jit_read_exact(e, a->ins, 1 + k);
        LLVMValueRef x =
            v.shape.kind == SW_SHAPE_UNIFORM
                ? v.base
                : LLVMBuildExtractElement(B, sw_jit_lanes(e, &v), last, "");
        if (LLVMTypeOf(x) != elem_type(e, a))
            x = LLVMBuildIntCast2(B, x, elem_type(e, a), 0, "");
        LLVMValueRef st = LLVMBuildStore(
            B, x, sw_jit_at(e, g->pointer, sw_jit_i64(e, k * a->elem)));
        sw_jit_set_align(st, a->elem);
        mark_order(a, st);
    }
}

/* Each lane of a group by itself. */
static void
store_apart(sw_jit_emit *e, const access *a, const group *g)
{
    LLVMBasicBlockRef join = NULL, some = NULL;
    if (!e->is_full) {
        LLVMBasicBlockRef all = sw_jit_block(e, "all");
        some = sw_jit_block(e, "some");
        join = sw_jit_block(e, "join");
        LLVMBuildCondBr(B, sw_jit_all(e, e->mask), all, some);
        LLVMPositionBuilderAtEnd(B, all);
    }
    for (unsigned k = 0; k < a->vec; k++) {
        LLVMValueRef x = stored(e, a, k);
        for (uint32_t i = 0; i < 32; i++) {
            if (!(g->lanes >> i & 1))
                continue;
            int64_t at = g->at[i] + k * a->elem;
            LLVMValueRef st = LLVMBuildStore(
                B, LLVMBuildExtractElement(B, x, sw_jit_i32(e, i), ""),
                sw_jit_at(e, g->pointer, sw_jit_i64(e, (uint64_t)at)));
            sw_jit_set_align(st, a->elem);
            mark_order(a, st);
        }
    }
    if (!some)
        return;
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, some);
    LLVMValueRef mask =
        LLVMBuildAnd(B, constant_mask(e, g->lanes), e->mask, "");
    for (unsigned k = 0; k < a->vec; k++) {
        int64_t at[32];
        for (int i = 0; i < 32; i++)
            at[i] = (g->lanes >> i & 1 ? g->at[i] : 0) + k * a->elem;
        LLVMValueRef p =
            sw_jit_at(e, g->pointer, sw_jit_const_lanes(e->i32, at, 32));
        scatter(e, stored(e, a, k), a->elem, p, mask);
    }
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

static void
store_group(sw_jit_emit *e, const access *a, const group *g)
{
    int lanes[32];
    if (a->group_count == 1 && g->span == 0) {
        store_one(e, a, g);
        return;
    }
    if (is_run(a, g, lanes)) {
        store_run(e, a, g, lanes, __builtin_popcount(g->lanes));
        return;
    }
    store_apart(e, a, g);
}

static void
store_groups(sw_jit_emit *e, const access *a)
{
    for (unsigned g = 0; g < a->group_count; g++)
        store_group(e, a, &a->groups[g]);
}

/* Element k of each lane by itself, which processors do faster than what they
 * have for it. */
static void
store_each(sw_jit_emit *e, const access *a, unsigned k)
{
    LLVMValueRef x = stored(e, a, k);
    LLVMValueRef p = lane_pointers(e, a, k, false);
    for (uint32_t i = 0; i < 32; i++) {
        LLVMValueRef lane = sw_jit_i32(e, i);
        LLVMValueRef st =
            LLVMBuildStore(B, LLVMBuildExtractElement(B, x, lane, ""),
                           LLVMBuildExtractElement(B, p, lane, ""));
        sw_jit_set_align(st, a->elem);
    }
}

static void
scatter_lanes(sw_jit_emit *e, const access *a)
{
    LLVMBasicBlockRef some = NULL, join = NULL;
    if (!e->is_full) {
        LLVMBasicBlockRef all = sw_jit_block(e, "all");
        some = sw_jit_block(e, "some");
        join = sw_jit_block(e, "join");
        LLVMBuildCondBr(B, sw_jit_all(e, e->mask), all, some);
        LLVMPositionBuilderAtEnd(B, all);
    }
    for (unsigned k = 0; k < a->vec; k++)
        store_each(e, a, k);
    if (!some)
        return;
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, some);
    for (unsigned k = 0; k < a->vec; k++)
        scatter(e, stored(e, a, k), a->elem, lane_pointers(e, a, k, false),
                e->mask);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

static void
store_row(sw_jit_emit *e, const access *a, LLVMValueRef first)
{
    LLVMValueRef x = stored(e, a, 0);
    if (e->is_full) {
        sw_jit_set_align(LLVMBuildStore(B, x, first), a->elem);
        return;
    }
    store_masked(e, a, x, first, a->elem, e->mask);
}

static void
store_lanes(sw_jit_emit *e, const access *a)
{
    if (a->vec > 1 || a->ins->space == SW_SPACE_LOCAL) {
        scatter_lanes(e, a);
        return;
    }
    LLVMValueRef first, is_row = lie_in_a_row(e, a, &first);
    LLVMBasicBlockRef apart, join = two_ways(e, is_row, &apart);
    store_row(e, a, first);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, apart);
    scatter_lanes(e, a);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

void
sw_jit_emit_store(sw_jit_emit *e)
{
    if (is_unusual(e->ins)) {
        sw_jit_emit_step(e);
        return;
    }
    access a;
    open_access(e, &a);
    if (a.is_volatile)
        LLVMBuildFence(B, LLVMAtomicOrderingRelease, 0, "");
    prepare(e, &a);
    bool was_full = e->is_full;
    bool can =
        was_full || (can_mask(e, &a) && (a.group_count || e->ll.has_avx512));
    if (a.group_count && can && !a.ok) {
        store_groups(e, &a);
        return;
    }
    LLVMValueRef ok = can ? NULL : sw_jit_all(e, e->mask);
    a.ok = a.ok && ok ? LLVMBuildAnd(B, a.ok, ok, "") : a.ok ? a.ok : ok;
    LLVMBasicBlockRef done = fork_access(e, &a);
    e->is_full = was_full || !can;
    if (a.group_count)
        store_groups(e, &a);
    else
        store_lanes(e, &a);
    e->is_full = was_full;
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
}
