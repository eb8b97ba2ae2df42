/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_affine.c - affine addresses: which lanes lie at known distances from
 * each other, where each such group begins, and the tests that let it pass; see
 * emit/access_paths.c.
 */
#include <string.h>

#include "jit/emit/access.h"

#define B e->ll.builder

enum { SHARED_MOST = 1 << 20 }; /* bytes; no device has as much */

/* ---- groups ---- */

/* The bytes between lanes, and the lanes of equal v. */
bool
sw_jit_split(const sw_jit_emit *e, sw_jit_access *a)
{
    const sw_shape *s = &a->address.shape;
    int64_t scale = s->kind == SW_SHAPE_EXTENDED ? s->scale : 1;
    int32_t seen[SW_JIT_GROUPS];
    if (scale > 1 << 20 || scale < -(1 << 20) || !sw_jit_are_rows(s, e->lanes))
        return false;
    for (unsigned i = 0; i < e->lanes; i++) {
        if (e->mask.some && !sw_jit_has_lane(e->mask.some, i))
            continue;
        int32_t v = s->v ? s->v[i] : 0;
        unsigned g = 0;
        while (g < a->group_count && seen[g] != v)
            g++;
        if (g == a->group_count) {
            seen[g] = v;
            a->groups[a->group_count++] = (sw_jit_group){.first = i};
        }
        a->groups[g].count++;
        sw_jit_add_lane(&a->groups[g].lanes, i);
        a->groups[g].at[i] =
            (s->c ? s->c[i] * scale : 0) + (s->d ? s->d[i] : 0);
    }
    for (unsigned g = 0; g < a->group_count; g++) {
        sw_jit_group *x = &a->groups[g];
        int64_t min = INT64_MAX, max = INT64_MIN;
        for (unsigned i = 0; i < e->lanes; i++)
            if (sw_jit_has_lane(&x->lanes, i)) {
                min = x->at[i] < min ? x->at[i] : min;
                max = x->at[i] > max ? x->at[i] : max;
            }
        for (unsigned i = 0; i < e->lanes; i++) {
            x->at[i] -= min;
            if (sw_jit_has_lane(&x->lanes, i) && x->at[i] % a->unit)
                return false;
        }
        x->span = max - min;
    }
    return true;
}

bool
sw_jit_find_places(sw_jit_emit *e, sw_jit_access *a)
{
    const sw_opnd *o = sw_ins_src(a->ins, 0);
    const uint64_t *at = NULL;
    int64_t low = INT64_MAX, high = 0;
    if (a->is_shared && !a->is_volatile && o->kind == SW_OPND_REG)
        at = sw_jit_known_values(e->plan, e->f.version, o->reg);
    a->groups[0] = (sw_jit_group){.count = 0};
    for (unsigned i = e->lanes; at && i-- > 0;) {
        sw_jit_group *g = &a->groups[0];
        int64_t x = (int64_t)(at[i] + (uint64_t)a->ins->offset);
        if (e->mask.some && !sw_jit_has_lane(e->mask.some, i))
            continue;
        if (x < 0 || x > SHARED_MOST || x % a->unit)
            return false;
        sw_jit_add_lane(&g->lanes, i);
        g->first = i;
        g->count++;
        g->at[i] = x;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    /* Lanes that do not run may have no place in what a launch adds. */
    if (!at ||
        (high + a->unit > e->plan->rq->shared_bytes && !sw_jit_groups_run(e)))
        return false;
    for (unsigned i = 0; i < e->lanes; i++)
        a->groups[0].at[i] -= low;
    a->groups[0].span = high - low;
    a->group_count = 1;
    a->is_placed = true;
    a->place = low;
    a->room = high + a->unit > e->plan->rq->shared_bytes
                  ? high + a->unit
                  : e->plan->rq->shared_bytes;
    return true;
}

static int64_t
least_constant(const sw_jit_emit *e, const sw_shape *s,
               const sw_jit_lane_set *lanes, bool largest)
{
    int64_t best = largest ? INT64_MIN : INT64_MAX;
    for (unsigned i = 0; i < e->lanes; i++) {
        int64_t c = s->c ? s->c[i] : 0;
        if (sw_jit_has_lane(lanes, i) && (largest ? c > best : c < best))
            best = c;
    }
    return best;
}

static LLVMValueRef
extend(sw_jit_emit *e, const sw_shape *s, LLVMValueRef x)
{
    return s->is_signed ? LLVMBuildSExt(B, x, e->t.i64, "")
                        : LLVMBuildZExt(B, x, e->t.i64, "");
}

/* WIDE: the 32-bit part of a lane in 64 bits, less its constant. */
static LLVMValueRef
narrow_of(sw_jit_emit *e, const sw_jit_value *v, unsigned lane)
{
    const sw_shape *s = &v->shape;
    LLVMValueRef n = extend(e, s, v->narrow);
    if (!s->v || !s->v[lane])
        return n;
    LLVMValueRef k = LLVMBuildSExt(B, v->s, e->t.i64, "");
    LLVMValueRef by = sw_jit_i64(e, (uint64_t)(int64_t)s->v[lane]);
    return LLVMBuildAdd(B, n, LLVMBuildMul(B, k, by, ""), "");
}

/* The same of the lowest lane of those that run; of those below it the sum may
 * wrap: `tile[t - 1]` of all but lane 0. */
static LLVMValueRef
narrow_of_some(sw_jit_emit *e, const sw_jit_value *v, unsigned lane)
{
    const sw_shape *s = &v->shape;
    LLVMValueRef n = v->narrow;
    if (s->v && s->v[lane])
        n = LLVMBuildAdd(
            B, n,
            LLVMBuildMul(B, v->s, sw_jit_i32(e, (uint32_t)s->v[lane]), ""), "");
    int64_t c = s->c ? s->c[lane] : 0;
    n = extend(e, s, LLVMBuildAdd(B, n, sw_jit_i32(e, (uint32_t)c), ""));
    return LLVMBuildSub(B, n, sw_jit_i64(e, (uint64_t)c), "");
}

/* WIDE: the 32-bit part of a group in 64 bits; *ok: and it does not wrap in any
 * lane. */
static LLVMValueRef
narrow_start(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
             LLVMValueRef *ok)
{
    const sw_jit_value *v = &a->address;
    const sw_shape *s = &v->shape;
    LLVMValueRef n = e->mask.some ? narrow_of_some(e, v, g->first)
                                  : narrow_of(e, v, g->first);
    int64_t low = least_constant(e, s, &g->lanes, false);
    int64_t high = least_constant(e, s, &g->lanes, true);
    int64_t from = s->is_signed ? INT32_MIN : 0;
    int64_t to = s->is_signed ? INT32_MAX : (int64_t)UINT32_MAX;
    /* from - low <= n <= to - high, as one unsigned comparison */
    LLVMValueRef x =
        LLVMBuildSub(B, n, sw_jit_i64(e, (uint64_t)(from - low)), "");
    LLVMValueRef most = sw_jit_i64(e, (uint64_t)((to - high) - (from - low)));
    *ok = sw_jit_both(e, *ok, LLVMBuildICmp(B, LLVMIntULE, x, most, ""));
    return n;
}

LLVMValueRef
sw_jit_narrow_part(sw_jit_emit *e, const sw_jit_access *a,
                   const sw_jit_group *g)
{
    const sw_jit_value *v = &a->address;
    const sw_shape *s = &v->shape;
    uint64_t c = (uint64_t)(int64_t)s->c[g->first];
    LLVMValueRef n = v->narrow;
    if (s->v && s->v[g->first]) {
        uint32_t k = (uint32_t)s->v[g->first];
        n = LLVMBuildAdd(B, n, LLVMBuildMul(B, v->s, sw_jit_i32(e, k), ""), "");
    }
    n = LLVMBuildSExt(B, n, e->t.i64, "");
    return LLVMBuildAdd(B, n, sw_jit_i64(e, c), "");
}

LLVMValueRef
sw_jit_part_start(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g)
{
    const sw_jit_value *v = &a->address;
    const sw_shape *s = &v->shape;
    uint64_t more = (uint64_t)a->ins->offset;
    if (s->kind == SW_SHAPE_EXTENDED) {
        LLVMValueRef n = LLVMBuildMul(B, sw_jit_narrow_part(e, a, g),
                                      sw_jit_i64(e, (uint64_t)s->scale), "");
        n = LLVMBuildAdd(B, n, v->base, "");
        return LLVMBuildAdd(B, n, sw_jit_i64(e, more), "");
    }
    LLVMTypeRef type = LLVMTypeOf(v->base);
    LLVMValueRef n = v->base;
    if (s->c)
        more += (uint64_t)(int64_t)s->c[g->first];
    if (s->v && s->v[g->first])
        n = LLVMBuildAdd(
            B, n,
            LLVMBuildMul(
                B, v->s,
                LLVMConstInt(type, (unsigned long long)s->v[g->first], 1), ""),
            "");
    n = LLVMBuildAdd(B, n, LLVMConstInt(type, more, 0), "");
    return type == e->t.i32 ? LLVMBuildSExt(B, n, e->t.i64, "") : n;
}

/* i64 address (or offset) of the group's lowest lane, `more` bytes on. */
static LLVMValueRef
group_start(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
            int64_t more, LLVMValueRef *ok)
{
    const sw_jit_value *v = &a->address;
    const sw_shape *s = &v->shape;
    unsigned lane = g->first;
    int64_t scale = s->kind == SW_SHAPE_EXTENDED ? s->scale : 1;
    more +=
        (s->c ? s->c[lane] * scale : 0) + (s->d ? s->d[lane] : 0) - g->at[lane];
    if (s->kind == SW_SHAPE_EXTENDED) {
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
    if (type == e->t.i32 && !a->is_shared) { /* 32-bit flat address */
        n = LLVMBuildZExt(B, n, e->t.i64, "");
        return LLVMBuildAdd(B, n, sw_jit_i64(e, (uint64_t)more), "");
    }
    n = LLVMBuildAdd(B, n, LLVMConstInt(type, (uint64_t)more, 0), "");
    return type == e->t.i32 ? LLVMBuildZExt(B, n, e->t.i64, "") : n;
}

/* ---- tests ---- */

/* How far a test shall reach: all unguarded accesses of the block from here on
 * that are at a distance from the same register. */
static sw_jit_tested
plan_test(const sw_jit_emit *e, const sw_jit_access *a)
{
    const sw_opnd *o = sw_ins_src(a->ins, 0);
    const sw_block *block = e->plan->fn->blocks[e->b.block];
    sw_jit_tested t = {.is_shared = a->is_shared,
                       .first = a->ins->offset,
                       .end = a->ins->offset + a->unit,
                       .unit = a->unit,
                       .aligned = a->ins->offset};
    enum { FAR = 1 << 16 };
    if (o->kind != SW_OPND_REG || a->ins->guard)
        return t;
    for (uint32_t i = e->at.index - e->plan->first_ins[e->b.block];
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

/* One more condition: with all lanes here, or we leave. */
static void
require(sw_jit_emit *e, sw_jit_tested *t, LLVMValueRef ok)
{
    if (sw_jit_groups_run(e))
        sw_jit_exit_unless(e, ok);
    else
        t->ok = sw_jit_both(e, t->ok, ok);
}

static LLVMValueRef
also_aligned(sw_jit_emit *e, const sw_jit_tested *t, LLVMValueRef start,
             LLVMValueRef ok)
{
    if (t->unit == 1)
        return ok;
    LLVMValueRef at = LLVMBuildAdd(
        B, start, sw_jit_i64(e, (uint64_t)(t->aligned - t->first)), "");
    return sw_jit_both(e, ok, sw_jit_is_aligned(e, at, t->unit));
}

static void
test_shared(sw_jit_emit *e, sw_jit_tested *t, const sw_jit_group *g,
            const LLVMValueRef *starts, unsigned count, LLVMValueRef ok)
{
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef end = LLVMBuildAdd(
            B, starts[i],
            sw_jit_i64(e, (uint64_t)(g->span + t->end - t->first)), "");
        ok = sw_jit_both(e, ok, sw_jit_ends_in_shared(e, end));
        /* 64-bit addresses may begin below 0 and end above it */
        ok = sw_jit_both(e, ok,
                         LLVMBuildICmp(B, LLVMIntULE, starts[i], end, ""));
        ok = also_aligned(e, t, starts[i], ok);
    }
    require(e, t, ok);
}

/* i1: extents from all of these addresses on lie in the window. */
static LLVMValueRef
are_inside(sw_jit_emit *e, uint32_t site, const LLVMValueRef *starts,
           unsigned count)
{
    LLVMValueRef lo = sw_jit_window_part(e, site, 0), all = NULL;
    LLVMValueRef limit =
        sw_jit_window_part(e, site, offsetof(sw_jit_window, limit));
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef d = LLVMBuildSub(B, starts[i], lo, "");
        all = sw_jit_both(e, all, LLVMBuildICmp(B, LLVMIntULE, d, limit, ""));
    }
    return all;
}

/* Elsewhere the window may only have to be moved. Several groups have one. */
static void
test_flat(sw_jit_emit *e, sw_jit_tested *t, const sw_jit_group *g,
          const LLVMValueRef *starts, unsigned count, LLVMValueRef ok)
{
    uint32_t site = sw_jit_new_site(e, g->span + t->end - t->first);
    for (unsigned i = 0; i < count; i++)
        ok = also_aligned(e, t, starts[i], ok);
    if (ok)
        require(e, t, ok);
    LLVMValueRef inside = are_inside(e, site, starts, count);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef move = sw_jit_block(e, "move");
    sw_jit_likely(e, LLVMBuildCondBr(B, inside, fast, move), true);
    LLVMPositionBuilderAtEnd(B, move);
    LLVMValueRef args[2] = {sw_jit_i32(e, site), starts[0]};
    LLVMValueRef r = sw_jit_call(e, SW_JIT_WINDOW, e->t.i32, args, 2);
    r = LLVMBuildICmp(B, LLVMIntNE, r, sw_jit_i32(e, 0), "");
    if (count > 1)
        r = LLVMBuildAnd(B, r, are_inside(e, site, starts, count), "");
    if (sw_jit_groups_run(e))
        sw_jit_exit_unless(e, r);
    move = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, fast);
    LLVMPositionBuilderAtEnd(B, fast);
    if (!sw_jit_groups_run(e)) {
        LLVMValueRef phi = LLVMBuildPhi(B, e->t.i1, "");
        LLVMValueRef values[2] = {LLVMConstInt(e->t.i1, 1, 0), r};
        LLVMBasicBlockRef from[2] = {here, move};
        LLVMAddIncoming(phi, values, from, 2);
        t->ok = sw_jit_both(e, t->ok, phi);
    }
}

/* A variable of shared memory at a known place. */
static bool
is_known_shared(const sw_jit_access *a)
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
covers(const sw_jit_emit *e, const sw_jit_tested *t, const sw_jit_access *a)
{
    int64_t off = a->ins->offset;
    return t->block == e->b.block + 1 && t->is_shared == a->is_shared &&
           off >= t->first && off + a->unit <= t->end && t->unit >= a->unit &&
           (off - t->aligned) % a->unit == 0;
}

/* The distance of a group's lanes that does not depend on the program. */
static int64_t
constant_part(const sw_jit_access *a, const sw_jit_group *g)
{
    const sw_shape *s = &a->address.shape;
    int64_t scale = s->kind == SW_SHAPE_EXTENDED ? s->scale : 1;
    return (s->c ? s->c[g->first] * scale : 0) + (s->d ? s->d[g->first] : 0) -
           g->at[g->first];
}

/* Whether all groups are alike and follow each other at one distance, rows of a
 * tile. Then it is enough to test three: if the first two lie inside, that
 * distance is small; if the first and the last do, so do all between them. */
static bool
are_in_step(const sw_jit_access *a)
{
    const sw_jit_group *first = &a->groups[0];
    const int32_t *v = a->address.shape.v;
    if (a->group_count < 4)
        return false;
    int64_t step = (int64_t)v[a->groups[1].first] - v[first->first];
    for (unsigned k = 1; k < a->group_count; k++) {
        const sw_jit_group *g = &a->groups[k];
        if (v[g->first] - (int64_t)v[first->first] != step * k ||
            g->span != first->span ||
            constant_part(a, g) != constant_part(a, first))
            return false;
    }
    return true;
}

/* Tests of `count` groups, which[]; their pointers. */
static void
test_some(sw_jit_emit *e, const sw_jit_access *a, sw_jit_tested *t,
          const unsigned *which, unsigned count)
{
    LLVMValueRef starts[3], ok = NULL;
    for (unsigned i = 0; i < count; i++)
        starts[i] = group_start(e, a, &a->groups[which[i]], t->first, &ok);
    LLVMValueRef base = NULL;
    if (a->is_shared)
        base = sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.ptr, true);
    if (a->is_shared && !is_known_shared(a))
        test_shared(e, t, &a->groups[which[0]], starts, count, ok);
    else if (!a->is_shared)
        test_flat(e, t, &a->groups[which[0]], starts, count, ok);
    for (unsigned i = 0; i < count; i++)
        t->pointer[which[i]] =
            base ? sw_jit_at(e, base, starts[i])
                 : LLVMBuildIntToPtr(B, starts[i], e->t.ptr, "");
    if (count == 1)
        return;
    LLVMValueRef step = LLVMBuildSub(B, starts[1], starts[0], "");
    for (unsigned k = 2; k + 1 < a->group_count; k++)
        t->pointer[k] = sw_jit_at(e, t->pointer[0],
                                  LLVMBuildMul(B, step, sw_jit_i64(e, k), ""));
}

/* A launch may have given the block more than every one has. */
static void
test_place(sw_jit_emit *e, sw_jit_access *a)
{
    LLVMValueRef base =
        sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.ptr, true);
    if (a->room > e->plan->rq->shared_bytes)
        sw_jit_exit_unless(e, LLVMBuildICmp(B, LLVMIntULE,
                                            sw_jit_i64(e, (uint64_t)a->room),
                                            sw_jit_shared_bytes(e), ""));
    a->groups[0].pointer =
        sw_jit_at(e, base, sw_jit_i64(e, (uint64_t)a->place));
}

void
sw_jit_test_groups(sw_jit_emit *e, sw_jit_access *a)
{
    const sw_opnd *o = sw_ins_src(a->ins, 0);
    sw_jit_tested *known = o->kind == SW_OPND_REG ? &e->f.tested[o->reg] : NULL;
    sw_jit_tested t;
    if (a->is_placed) {
        test_place(e, a);
        return;
    }
    if (known && covers(e, known, a)) {
        t = *known;
    } else {
        t = plan_test(e, a);
        unsigned three[3] = {0, 1, a->group_count - 1};
        if (are_in_step(a))
            test_some(e, a, &t, three, 3);
        else
            for (unsigned k = 0; k < a->group_count; k++)
                test_some(e, a, &t, &k, 1);
        if (known && !a->ins->guard) {
            t.block = e->b.block + 1;
            *known = t;
        }
    }
    a->ok = t.ok;
    for (unsigned k = 0; k < a->group_count; k++)
        a->groups[k].pointer =
            sw_jit_at(e, t.pointer[k],
                      sw_jit_i64(e, (uint64_t)(a->ins->offset - t.first)));
}
