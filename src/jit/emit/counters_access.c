/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters_access.c - counting of accesses for an observer. Accesses at known
 * distances are one addition, as what each costs follows from where it begins;
 * all others call the observer with their addresses.
 */
#include <string.h>

#include "jit/emit/access_ways.h"
#include "jit/emit/counters.h"
#include "jit/tune.h"

#define B e->ll.builder

enum { LANES = 32 };

/* The lanes of a warp are all there are. */
typedef struct {
    sw_jit_mask mask;
    LLVMTypeRef bits, mask_type;
    unsigned lanes;
    LLVMBasicBlockRef on; /* NULL: the warp always runs */
} fused_view;

/* Calls the observer. */
static void
report(sw_jit_emit *e, LLVMValueRef addresses, unsigned bytes, uint32_t table)
{
    sw_jit_counter *t = e->k.counters;
    LLVMTypeRef type = LLVMVectorType(e->t.i64, LANES);
    if (e->at.ins->space == SW_SPACE_SHARED) {
        LLVMValueRef base =
            sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.i64, true);
        addresses =
            LLVMBuildSub(B, addresses, sw_jit_splat(e, base, LANES), "");
    }
    if (!t->addresses)
        t->addresses = sw_jit_slot_of(e, type);
    LLVMBuildStore(B, addresses, t->addresses);
    LLVMValueRef args[6] = {sw_jit_i32(e, e->at.index),
                            sw_jit_mask_bits(e, e->mask.lanes),
                            t->addresses,
                            sw_jit_i32(e, bytes),
                            sw_jit_i32(e, table),
                            sw_jit_i32(e, e->k.counters->warp)};
    sw_jit_call(e, SW_JIT_ACCESS, e->t.nothing, args, 6);
}

/* The same of the lanes that run, in a table with one group: counted if they
 * are among its masks. */
static void
count_some(sw_jit_emit *e, const sw_counter_access *x, uint32_t table,
           LLVMValueRef start)
{
    LLVMTypeRef type = LLVMVectorType(e->t.i64, SW_COUNTER_MASKS);
    LLVMTypeRef bits = LLVMIntTypeInContext(e->ll.context, SW_COUNTER_MASKS);
    LLVMValueRef mask = sw_jit_mask_bits(e, e->mask.lanes);
    LLVMValueRef known =
        LLVMBuildLoad2(B, type, sw_jit_counter_place(e, x->masks), "");
    sw_jit_set_align(known, 8);
    LLVMValueRef mine =
        sw_jit_splat(e, sw_jit_widen(e, mask, false), SW_COUNTER_MASKS);
    LLVMValueRef found = LLVMBuildICmp(B, LLVMIntEQ, known, mine, "");
    found = sw_jit_widen(e, LLVMBuildBitCast(B, found, bits, ""), false);
    LLVMBasicBlockRef is = sw_jit_block(e, "found");
    LLVMBasicBlockRef no = sw_jit_block(e, "none");
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, found, sw_jit_i64(e, 0), ""),
                    is, no);
    LLVMPositionBuilderAtEnd(B, is);
    LLVMValueRef args[2] = {found, LLVMConstInt(e->t.i1, 1, 0)};
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.cttz", &e->t.i64, 1, args, 2);
    n = LLVMBuildAdd(B, n, sw_jit_i64(e, 1), "");
    sw_jit_counter_start_in(e, x, n, start);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, no);
    LLVMValueRef report[4] = {sw_jit_i32(e, table), mask, start,
                              sw_jit_i32(e, e->k.counters->warp)};
    sw_jit_call(e, SW_JIT_ACCESS_AT, e->t.nothing, report, 4);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
}

/* What it costs follows from distances. */
static bool
has_table(const sw_ins *ins, unsigned unit)
{
    return (ins->space == SW_SPACE_GLOBAL || ins->space == SW_SPACE_CONST ||
            ins->space == SW_SPACE_SHARED) &&
           unit <= LANES && SW_COUNTER_PERIOD % unit == 0;
}

/* A new table, without its slots. */
static sw_counter_access *
push_table(sw_jit_emit *e, unsigned unit, const sw_jit_group *groups,
           unsigned count)
{
    sw_counter_access *x = sw_vec_push(&e->k.counters->accesses);
    *x = (sw_counter_access){.ins = e->at.index,
                             .bytes = (uint8_t)unit,
                             .groups = (uint16_t)count,
                             .space = (uint8_t)e->at.ins->space,
                             .is_row = count == 1};
    for (unsigned g = 0; g < count; g++)
        for (unsigned i = 0; i < LANES; i++)
            if (sw_jit_has_lane(&groups[g].lanes, i)) {
                x->group[i] = (uint8_t)g;
                x->at[i] = groups[g].at[i];
            }
    for (unsigned i = 0; i < LANES; i++)
        x->is_row &= x->at[i] - x->at[0] == i * (int64_t)unit;
    return x;
}

/* Takes slots for the starts of a table, with all its lanes and with those of
 * each of its masks. */
static void
take_starts(sw_jit_counter *t, sw_counter_access *x)
{
    x->first = t->slots;
    t->slots += (1 + (uint32_t)x->mask_count) * SW_COUNTER_PERIOD / x->bytes;
}

/* The number of a new table; is_whole: of all lanes in one group, no others. */
static uint32_t
new_table(sw_jit_emit *e, unsigned unit, const sw_jit_group *groups,
          unsigned count, bool is_whole)
{
    sw_jit_counter *t = e->k.counters;
    sw_counter_access *x = push_table(e, unit, groups, count);
    x->masks = t->slots;
    x->confidence = t->slots;
    if (!is_whole) {
        x->mask_count = SW_COUNTER_MASKS;
        x->mask_words = 2;
        x->confidence = x->masks + SW_COUNTER_MASKS;
        x->strides = x->confidence + 1;
        t->slots = x->confidence + count;
    }
    take_starts(t, x);
    return (uint32_t)t->accesses.count - 1;
}

/* An access of another lot of lanes, `apart` bytes from them, that is made
 * whenever that of the table is. */
static void
count_along(sw_jit_emit *e, uint32_t table, const sw_jit_group *group,
            int64_t apart)
{
    sw_counter_access x =
        *(const sw_counter_access *)sw_vec_at(&e->k.counters->accesses, table);
    x.ins = e->at.index;
    for (unsigned i = 0; i < LANES; i++)
        x.at[i] = group->at[i] + apart;
    x.is_row = false; /* nor asked for */
    *(sw_counter_access *)sw_vec_push(&e->k.counters->accesses) = x;
}

/* i1: all lanes run, and the groups lie as the table's strides say; NULL: it is
 * known. */
static LLVMValueRef
lie_as_known(sw_jit_emit *e, const sw_counter_access *x, LLVMValueRef start,
             const sw_jit_group *groups)
{
    LLVMValueRef ok = e->mask.is_full ? NULL : sw_jit_all(e, e->mask.lanes);
    for (unsigned g = 1; g < x->groups; g++) {
        LLVMValueRef apart =
            LLVMBuildPtrToInt(B, groups[g].pointer, e->t.i64, "");
        apart = LLVMBuildSub(B, apart, start, "");
        apart = LLVMBuildXor(B, apart, sw_jit_i64(e, SW_COUNTER_STRIDE), "");
        LLVMValueRef stride = LLVMBuildLoad2(
            B, e->t.i64, sw_jit_counter_place(e, x->strides + g - 1), "");
        ok = sw_jit_both(e, ok, LLVMBuildICmp(B, LLVMIntEQ, apart, stride, ""));
    }
    return ok;
}

static LLVMValueRef
addresses_of(sw_jit_emit *e, const sw_jit_group *groups, unsigned count)
{
    LLVMValueRef all = NULL;
    for (unsigned g = 0; g < count; g++) {
        LLVMValueRef start =
            LLVMBuildPtrToInt(B, groups[g].pointer, e->t.i64, "");
        LLVMValueRef x =
            LLVMBuildAdd(B, sw_jit_splat(e, start, LANES),
                         sw_jit_const_lanes(e->t.i64, groups[g].at, LANES), "");
        LLVMValueRef mine[LANES];
        for (unsigned i = 0; i < LANES; i++)
            mine[i] =
                LLVMConstInt(e->t.i1, sw_jit_has_lane(&groups[g].lanes, i), 0);
        all = all ? LLVMBuildSelect(B, LLVMConstVector(mine, LANES), x, all, "")
                  : x;
    }
    return all;
}

/* One more that begins there if `ok` (NULL: it is known), else it is reported;
 * addresses: NULL if the table has one group. */
static void
count_or_report(sw_jit_emit *e, uint32_t table, LLVMValueRef ok,
                LLVMValueRef start, LLVMValueRef addresses)
{
    const sw_counter_access *x = sw_vec_at(&e->k.counters->accesses, table);
    if (!ok) {
        sw_jit_counter_start(e, x, start);
        return;
    }
    LLVMBasicBlockRef known = sw_jit_block(e, "known");
    LLVMBasicBlockRef other = sw_jit_block(e, "other");
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMBuildCondBr(B, ok, known, other);
    LLVMPositionBuilderAtEnd(B, other);
    if (addresses)
        report(e, addresses, x->bytes, table);
    else
        count_some(e, x, table, start);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, known);
    sw_jit_counter_start(e, x, start);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
}

void
sw_jit_counter_block_end(sw_jit_emit *e)
{
    sw_jit_counter *t = e->k.counters;
    if (!t)
        return;
    for (size_t i = 0; i < t->bundles.count; i++) {
        const sw_jit_bundle *b = sw_vec_at(&t->bundles, i);
        sw_jit_counter_start(e, sw_vec_at(&t->accesses, b->first),
                             LLVMBuildPtrToInt(B, b->start, e->t.i64, ""));
    }
    sw_vec_clear(&t->bundles);
    t->bundled = 0;
}

/* The access is counted with those around the same pointer; false: it has to be
 * by itself. */
static bool
is_bundled(sw_jit_emit *e, unsigned unit, const sw_jit_group *group,
           uint32_t most)
{
    sw_jit_counter *t = e->k.counters;
    if (!e->mask.is_full || e->at.ins->guard || !has_table(e->at.ins, unit) ||
        !LLVMIsAGetElementPtrInst(group->pointer))
        return false;
    LLVMValueRef offset = LLVMGetOperand(group->pointer, 1);
    if (!LLVMIsAConstantInt(offset))
        return false;
    if (t->bundled == most)
        sw_jit_counter_block_end(e);
    t->bundled++;
    sw_jit_bundle b = {.base = LLVMGetOperand(group->pointer, 0),
                       .start = group->pointer,
                       .offset = LLVMConstIntGetSExtValue(offset)};
    for (size_t i = 0; i < t->bundles.count; i++) {
        const sw_jit_bundle *other = sw_vec_at(&t->bundles, i);
        const sw_counter_access *x = sw_vec_at(&t->accesses, other->first);
        if (other->base != b.base || x->bytes != unit ||
            x->space != e->at.ins->space)
            continue;
        count_along(e, other->first, group, b.offset - other->offset);
        return true;
    }
    b.first = new_table(e, unit, group, 1, true);
    *(sw_jit_bundle *)sw_vec_push(&t->bundles) = b;
    return true;
}

static void
count_in_groups(sw_jit_emit *e, unsigned unit, const sw_jit_group *groups,
                unsigned count)
{
    if (!has_table(e->at.ins, unit)) {
        report(e, addresses_of(e, groups, count), unit, SW_JIT_NONE);
        return;
    }
    LLVMValueRef addresses = count == 1 ? NULL : addresses_of(e, groups, count);
    uint32_t table =
        new_table(e, unit, groups, count, e->mask.is_full && count == 1);
    const sw_counter_access *x = sw_vec_at(&e->k.counters->accesses, table);
    LLVMValueRef start = LLVMBuildPtrToInt(B, groups[0].pointer, e->t.i64, "");
    count_or_report(e, table, lie_as_known(e, x, start, groups), start,
                    addresses);
}

static fused_view
see_warp(sw_jit_emit *e, unsigned warp)
{
    fused_view all = {e->mask, e->t.bits, e->t.mask_type, e->lanes, NULL};
    LLVMValueRef mask = sw_jit_of_warp(e, e->mask.lanes, warp);
    sw_jit_mask_set_warp(e, mask);
    e->lanes = LANES;
    e->t.bits = e->t.i32;
    e->t.mask_type = LLVMVectorType(e->t.i1, LANES);
    e->k.counters->warp = warp;
    if (e->mask.is_full)
        return all;
    LLVMBasicBlockRef some = sw_jit_block(e, "some");
    all.on = sw_jit_block(e, "on");
    LLVMBuildCondBr(B, sw_jit_any(e, mask), some, all.on);
    LLVMPositionBuilderAtEnd(B, some);
    return all;
}

static void
see_fused(sw_jit_emit *e, const fused_view *all)
{
    if (all->on) {
        LLVMBuildBr(B, all->on);
        LLVMPositionBuilderAtEnd(B, all->on);
    }
    sw_jit_mask_restore(e, &all->mask);
    e->t.bits = all->bits;
    e->t.mask_type = all->mask_type;
    e->lanes = all->lanes;
    e->k.counters->warp = 0;
}

/* All warps count in a call: code for each would be long. addresses: or NULL,
 * where they begin says it. */
static void
count_fused(sw_jit_emit *e, unsigned unit, uint32_t tables, LLVMValueRef start,
            LLVMValueRef addresses)
{
    sw_jit_counter *t = e->k.counters;
    if (!t->fused_mask)
        t->fused_mask = sw_jit_slot_of(e, e->t.bits);
    LLVMBuildStore(B, sw_jit_mask_bits(e, e->mask.lanes), t->fused_mask);
    if (addresses) {
        if (!t->fused_addresses)
            t->fused_addresses = sw_jit_slot_of(e, LLVMTypeOf(addresses));
        LLVMBuildStore(B, addresses, t->fused_addresses);
    }
    LLVMValueRef args[6] = {sw_jit_i32(e, e->at.index),
                            t->fused_mask,
                            addresses ? t->fused_addresses
                                      : LLVMConstNull(e->t.ptr),
                            start,
                            sw_jit_i32(e, unit),
                            sw_jit_i32(e, tables)};
    sw_jit_call(e, SW_JIT_ACCESS_FUSED, e->t.nothing, args, 6);
}

/* What a warp has of the groups; returns how many. from[k]: which the k-th
 * was. */
static unsigned
groups_of_warp(const sw_jit_group *groups, unsigned count, unsigned warp,
               sw_jit_group *out, unsigned *from)
{
    unsigned n = 0;
    for (unsigned g = 0; g < count; g++) {
        sw_jit_group part = {.pointer = groups[g].pointer};
        for (unsigned i = LANES; i-- > 0;) {
            if (!sw_jit_has_lane(&groups[g].lanes, LANES * warp + i))
                continue;
            sw_jit_add_lane(&part.lanes, i);
            part.at[i] = groups[g].at[LANES * warp + i];
            part.first = i;
            part.count++;
        }
        if (!part.count)
            continue;
        from[n] = g;
        out[n++] = part;
    }
    return n;
}

/* One more access of these lanes, in the table of all warps: an addition if
 * they come after those before them as they did the last time. */
static void
count_sets(sw_jit_emit *e, unsigned unit, uint32_t tables, LLVMValueRef start)
{
    sw_counter_access x =
        *(const sw_counter_access *)sw_vec_at(&e->k.counters->accesses, tables);
    LLVMValueRef last = sw_jit_counter_place(e, x.confidence);
    LLVMValueRef was = LLVMBuildLoad2(B, e->t.i64, last, "");
    LLVMValueRef next =
        sw_jit_counter_place(e, x.confidence + SW_JIT_FUSED_NEXT);
    next = LLVMBuildGEP2(B, e->t.i64, next, &was, 1, "");
    LLVMValueRef n = LLVMBuildLoad2(B, e->t.i64, next, "");
    LLVMValueRef lots =
        sw_jit_counter_place(e, x.confidence + SW_JIT_FUSED_LOTS);
    LLVMValueRef at = LLVMBuildMul(B, n, sw_jit_i64(e, e->lanes / 8), "");
    LLVMValueRef known =
        LLVMBuildLoad2(B, e->t.bits, sw_jit_at(e, lots, at), "");
    sw_jit_set_align(known, 8);
    LLVMValueRef same = LLVMBuildICmp(B, LLVMIntEQ, known,
                                      sw_jit_mask_bits(e, e->mask.lanes), "");
    LLVMValueRef is_known =
        LLVMBuildICmp(B, LLVMIntNE, n, sw_jit_i64(e, 0), "");
    LLVMBasicBlockRef is = sw_jit_block(e, "found");
    LLVMBasicBlockRef no = sw_jit_block(e, "none");
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    sw_jit_likely(
        e, LLVMBuildCondBr(B, LLVMBuildAnd(B, same, is_known, ""), is, no),
        true);
    LLVMPositionBuilderAtEnd(B, is);
    LLVMBuildStore(B, n, last);
    sw_jit_counter_start_in(e, &x, n, start);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, no);
    count_fused(e, unit, tables, start, NULL);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
}

/* A table of the warps together, a row for each; returns the number of the
 * first. */
static uint32_t
new_fused_table(sw_jit_emit *e, unsigned unit, const sw_jit_group *part)
{
    sw_jit_counter *t = e->k.counters;
    unsigned warps = e->lanes / LANES;
    uint32_t tables = (uint32_t)t->accesses.count;
    sw_counter_access *x = push_table(e, unit, &part[0], 1);
    x->confidence = t->slots;
    x->masks = x->confidence + SW_JIT_FUSED_LOTS + warps / 2;
    x->mask_count = SW_COUNTER_FUSED_MASKS;
    x->mask_words = (uint8_t)warps;
    t->slots = x->masks + SW_COUNTER_FUSED_MASKS * warps / 2;
    take_starts(t, x);
    for (unsigned w = 1; w < warps; w++) {
        count_along(e, tables, &part[w], 0);
        x = sw_vec_at(&t->accesses, tables + w);
        x->mask_word = (uint8_t)w;
    }
    return tables;
}

/* All lanes lie in one group: one addition if all run, or a set of them that
 * has run before. */
static void
count_fused_row(sw_jit_emit *e, unsigned unit, const sw_jit_group *group)
{
    sw_jit_counter *t = e->k.counters;
    unsigned warps = e->lanes / LANES, from;
    sw_jit_group *part = sw_alloc(warps * sizeof *part);
    for (unsigned w = 0; w < warps; w++)
        groups_of_warp(group, 1, w, &part[w], &from);
    uint32_t tables = new_fused_table(e, unit, part);
    for (unsigned w = 0; w < warps; w++)
        new_table(e, unit, &part[w], 1, false);
    sw_free(part);
    LLVMValueRef start = LLVMBuildPtrToInt(B, group->pointer, e->t.i64, "");
    LLVMBasicBlockRef all = sw_jit_block(e, "all");
    LLVMBasicBlockRef some = sw_jit_block(e, "some");
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    sw_jit_likely(
        e, LLVMBuildCondBr(B, sw_jit_all(e, e->mask.lanes), all, some), true);
    LLVMPositionBuilderAtEnd(B, all);
    sw_jit_counter_start(e, sw_vec_at(&t->accesses, tables), start);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, some);
    count_sets(e, unit, tables, start);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
}

/* Warps whose lanes lie in one group begin where it begins: one addition for
 * all of them. */
static void
count_of_fused(sw_jit_emit *e, unsigned unit, const sw_jit_group *groups,
               unsigned count, bool always)
{
    if (count == 1 && !e->mask.is_full && has_table(e->at.ins, unit)) {
        count_fused_row(e, unit, groups);
        return;
    }
    uint32_t table_of[SW_JIT_GROUPS];
    sw_jit_group *part = sw_alloc(count * sizeof *part);
    memset(table_of, 0xff, sizeof table_of);
    for (unsigned w = 0; w < e->lanes / LANES; w++) {
        unsigned from[SW_JIT_GROUPS];
        unsigned n = groups_of_warp(groups, count, w, part, from);
        bool is_one = n == 1 && e->mask.is_full && has_table(e->at.ins, unit);
        if (is_one && always &&
            is_bundled(e, unit, part, sw_jit_tune.counter_bundle_fused))
            continue;
        if (is_one && table_of[from[0]] != UINT32_MAX) {
            count_along(e, table_of[from[0]], part, 0);
            continue;
        }
        if (is_one)
            table_of[from[0]] = (uint32_t)e->k.counters->accesses.count;
        fused_view all = see_warp(e, w);
        count_in_groups(e, unit, part, n);
        see_fused(e, &all);
    }
    sw_free(part);
}

static void
each_lane(sw_jit_group groups[LANES])
{
    memset(groups, 0, LANES * sizeof *groups);
    for (unsigned i = 0; i < LANES; i++)
        sw_jit_add_lane(&groups[i].lanes, i);
}

/* What the warp's lanes have of the groups (NULL: each lane is one), which keep
 * their numbers. */
static void
push_site(sw_jit_emit *e, unsigned unit, const sw_jit_group *groups,
          unsigned count, unsigned warp)
{
    sw_counter_access *x = sw_vec_push(&e->k.counters->accesses);
    *x = (sw_counter_access){.ins = e->at.index,
                             .bytes = (uint8_t)unit,
                             .groups = (uint16_t)count,
                             .space = (uint8_t)e->at.ins->space};
    for (unsigned i = 0; i < LANES; i++) {
        unsigned lane = LANES * warp + i, g = 0;
        if (!groups) {
            x->group[i] = (uint8_t)lane;
            continue;
        }
        while (g < count && !sw_jit_has_lane(&groups[g].lanes, lane))
            g++;
        if (g == count)
            continue; /* it never runs */
        x->group[i] = (uint8_t)g;
        x->at[i] = groups[g].at[lane];
    }
}

/* Tells the access: groups, or (NULL) the addresses of each lane. */
static void
record_access(sw_jit_emit *e, unsigned unit, const sw_jit_group *groups,
              unsigned count, LLVMValueRef addresses)
{
    LLVMValueRef starts[SW_JIT_GROUPS];
    uint32_t site = (uint32_t)e->k.counters->accesses.count;
    if (!sw_jit_tells(e, SW_EV_MEM))
        return;
    if (sw_jit_tells(e, SW_EV_VALUES)) {
        sw_jit_record_values(
            e, unit, groups ? addresses_of(e, groups, count) : addresses);
        return;
    }
    for (unsigned w = 0; w < e->lanes / LANES; w++)
        push_site(e, unit, groups, groups ? count : e->lanes, w);
    for (unsigned g = 0; groups && g < count; g++)
        starts[g] = LLVMBuildPtrToInt(B, groups[g].pointer, e->t.i64, "");
    sw_jit_record_access(e, site, starts, groups ? count : 0,
                         groups ? NULL : addresses);
}

static void
count_any(sw_jit_emit *e, unsigned unit, const sw_jit_group *groups,
          unsigned count, bool always)
{
    if (e->k.counters->record)
        record_access(e, unit, groups, count, NULL);
    else if (e->lanes > LANES)
        count_of_fused(e, unit, groups, count, always);
    else if (!always ||
             !is_bundled(e, unit, groups, sw_jit_tune.counter_bundle))
        count_in_groups(e, unit, groups, count);
}

void
sw_jit_counter_groups(sw_jit_emit *e, const sw_jit_access *a)
{
    if (e->k.counters)
        count_any(e, a->unit, a->groups, a->group_count,
                  a->group_count == 1 && !a->ok);
}

/* A group of all lanes, `step` bytes apart. */
static sw_jit_group
all_lanes(const sw_jit_emit *e, LLVMValueRef pointer, unsigned step)
{
    sw_jit_group all = {.pointer = pointer, .count = e->lanes};
    for (unsigned i = 0; i < e->lanes; i++) {
        sw_jit_add_lane(&all.lanes, i);
        all.at[i] = i * (int64_t)step;
    }
    return all;
}

void
sw_jit_counter_row(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef first)
{
    if (!e->k.counters)
        return;
    sw_jit_group row = all_lanes(e, first, a->unit);
    count_any(e, a->unit, &row, 1, false);
}

/* Lanes that lie anywhere often lie as they did before: each is a group. */
static void
count_warp(sw_jit_emit *e, uint32_t table, LLVMValueRef addresses)
{
    LLVMTypeRef type = LLVMTypeOf(addresses);
    const sw_counter_access *x = sw_vec_at(&e->k.counters->accesses, table);
    LLVMValueRef start =
        LLVMBuildExtractElement(B, addresses, sw_jit_i32(e, 0), "");
    LLVMValueRef apart =
        LLVMBuildSub(B, addresses, sw_jit_splat(e, start, LANES), "");
    apart = LLVMBuildXor(
        B, apart, sw_jit_splat(e, sw_jit_i64(e, SW_COUNTER_STRIDE), LANES), "");
    LLVMValueRef strides =
        LLVMBuildLoad2(B, type, sw_jit_counter_place(e, x->strides - 1), "");
    sw_jit_set_align(strides, 8);
    LLVMValueRef first[LANES];
    for (unsigned i = 0; i < LANES; i++)
        first[i] = LLVMConstInt(e->t.i1, i == 0, 0);
    LLVMValueRef ok = LLVMBuildICmp(B, LLVMIntEQ, apart, strides, "");
    ok = LLVMBuildOr(B, ok, LLVMConstVector(first, LANES), "");
    if (!e->mask.is_full)
        ok = LLVMBuildAnd(B, ok, e->mask.lanes, "");
    count_or_report(e, table, sw_jit_all(e, ok), start, addresses);
}

static void
count_addresses(sw_jit_emit *e, unsigned unit, LLVMValueRef addresses)
{
    sw_jit_group groups[LANES];
    uint32_t tables = SW_JIT_NONE;
    if (e->k.counters->record) {
        record_access(e, unit, NULL, 0, addresses);
        return;
    }
    if (has_table(e->at.ins, unit)) {
        each_lane(groups);
        tables = (uint32_t)e->k.counters->accesses.count;
        for (unsigned w = 0; w < e->lanes / LANES; w++)
            new_table(e, unit, groups, LANES, false);
    }
    if (e->lanes > LANES)
        count_fused(e, unit, tables, sw_jit_i64(e, 0), addresses);
    else if (tables == SW_JIT_NONE)
        report(e, addresses, unit, tables);
    else
        count_warp(e, tables, addresses);
}

void
sw_jit_counter_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!e->k.counters)
        return;
    LLVMValueRef p = sw_jit_lane_pointers(e, a, 0, false);
    if (a->lie) {
        sw_jit_group all = *a->lie;
        unsigned lowest = 0;
        while (all.at[lowest])
            lowest++;
        all.pointer = LLVMBuildExtractElement(B, p, sw_jit_i32(e, lowest), "");
        count_any(e, a->unit, &all, 1, false);
        return;
    }
    LLVMTypeRef type = LLVMVectorType(e->t.i64, e->lanes);
    count_addresses(e, a->unit, LLVMBuildPtrToInt(B, p, type, ""));
}

void
sw_jit_counter_atomic(sw_jit_emit *e, LLVMValueRef one, LLVMValueRef addresses,
                      unsigned bytes)
{
    if (one) {
        sw_jit_group all = all_lanes(e, one, 0);
        count_any(e, bytes, &all, 1, false);
    } else {
        count_addresses(e, bytes, addresses);
    }
}
