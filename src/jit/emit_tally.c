/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_tally.c - counting for an observer: additions to the slots of a tally
 * (exec/event.h) among the code of a kernel, and the table of what they mean. A
 * block of full warps is one addition, and so is an access whose addresses have
 * known distances: what it costs follows from where it begins. All other
 * accesses call the observer with their addresses.
 */
#include <string.h>

#include "jit/emit_access.h"

#define B e->ll.builder

enum { LANES = 32 };

/* Always 0: the masks of tables that have none. */
enum { SLOT_NO_MASKS = SW_JIT_SLOT_BLOCKS + 1 };

/* Accesses that wait to be counted at most: each way out has a table of them.
 */
enum { BUNDLED = 16 };

/* Accesses of all lanes in a block at known distances from one pointer are one
 * addition at its end, or so. */
typedef struct {
    LLVMValueRef base, start; /* what they lie around; where the first begins */
    int64_t offset;           /* ... from base */
    uint32_t first;           /* number of its table */
} bundle;

struct sw_jit_tally {
    sw_vec rows;      /* sw_tally_row */
    sw_vec accesses;  /* sw_tally_access */
    sw_vec bundles;   /* bundle: of the block, not counted yet */
    uint32_t bundled; /* accesses in them */
    uint32_t slots;
    LLVMValueRef addresses; /* where the observer finds them; or NULL */
};

void
sw_jit_tally_open(sw_jit_emit *e)
{
    if (!e->rq->tallies)
        return;
    sw_jit_tally *t = sw_alloc(sizeof *t);
    sw_vec_init(&t->rows, sizeof(sw_tally_row));
    sw_vec_init(&t->accesses, sizeof(sw_tally_access));
    sw_vec_init(&t->bundles, sizeof(bundle));
    *(sw_tally_row *)sw_vec_push(&t->rows) =
        (sw_tally_row){.slot = SW_JIT_SLOT_BLOCKS, .kind = SW_TALLY_BLOCKS};
    t->slots = 1 + SLOT_NO_MASKS;
    e->tally = t;
}

void
sw_jit_tally_finish(sw_jit_emit *e)
{
    if (!e->tally)
        return;
    sw_vec_finish(&e->tally->rows);
    sw_vec_finish(&e->tally->accesses);
    sw_vec_finish(&e->tally->bundles);
    sw_free(e->tally);
}

void
sw_jit_tally_take(const sw_jit_emit *e, sw_jit_result *result)
{
    const sw_jit_tally *t = e->tally;
    if (!t)
        return;
    result->rows = sw_jit_table_of(&t->rows, sizeof *result->rows);
    result->row_count = (uint32_t)t->rows.count;
    result->accesses = sw_jit_table_of(&t->accesses, sizeof *result->accesses);
    result->access_count = (uint32_t)t->accesses.count;
    result->slot_count = t->slots;
}

/* ---- slots ---- */

static LLVMValueRef
place_of(sw_jit_emit *e, uint32_t slot)
{
    LLVMValueRef base =
        sw_jit_block_field(e, offsetof(sw_jit_blk, slots), e->ptr);
    return sw_jit_at(e, base, sw_jit_i64(e, 8 * (uint64_t)slot));
}

static void
add_at(sw_jit_emit *e, LLVMValueRef place, LLVMValueRef n)
{
    LLVMValueRef old = LLVMBuildLoad2(B, e->i64, place, "");
    LLVMBuildStore(B, LLVMBuildAdd(B, old, n, ""), place);
}

/* n (i64) more of that kind, of `count` instructions. */
static void
add_row(sw_jit_emit *e, sw_tally_kind kind, uint32_t ins, uint32_t count,
        LLVMValueRef n)
{
    sw_jit_tally *t = e->tally;
    *(sw_tally_row *)sw_vec_push(&t->rows) = (sw_tally_row){
        .slot = t->slots, .kind = kind, .ins = ins, .count = count};
    add_at(e, place_of(e, t->slots++), n);
}

static LLVMValueRef
lanes_in(sw_jit_emit *e, LLVMValueRef mask)
{
    LLVMValueRef bits = sw_jit_mask_bits(e, mask);
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.ctpop", &e->i32, 1, &bits, 1);
    return sw_jit_widen(e, n, false);
}

/* One more access that begins at `at`, in the n-th lot of slots (NULL: the
 * first). Shared memory of a block begins at a multiple of the period. */
static void
count_start_in(sw_jit_emit *e, const sw_tally_access *x, LLVMValueRef n,
               LLVMValueRef at)
{
    unsigned shift = (unsigned)__builtin_ctz(x->bytes);
    unsigned room = SW_TALLY_PERIOD / x->bytes;
    at = LLVMBuildLShr(B, at, sw_jit_i64(e, shift), "");
    at = LLVMBuildAnd(B, at, sw_jit_i64(e, room - 1), "");
    if (n)
        at = LLVMBuildAdd(B, at, LLVMBuildMul(B, n, sw_jit_i64(e, room), ""),
                          "");
    add_at(e, LLVMBuildGEP2(B, e->i64, place_of(e, x->first), &at, 1, ""),
           sw_jit_i64(e, 1));
}

static void
count_start(sw_jit_emit *e, const sw_tally_access *x, LLVMValueRef at)
{
    count_start_in(e, x, NULL, at);
}

/* The accesses of a bundle that have been made so far, and no others. */
static void
count_begun(sw_jit_emit *e, const bundle *b)
{
    sw_jit_tally *t = e->tally;
    size_t count = t->accesses.count;
    sw_tally_access first =
        *(const sw_tally_access *)sw_vec_at(&t->accesses, b->first);
    uint32_t slot = t->slots;
    for (size_t i = b->first; i < count; i++) {
        sw_tally_access x =
            *(const sw_tally_access *)sw_vec_at(&t->accesses, i);
        if (x.first != first.first)
            continue;
        x.first = slot;
        *(sw_tally_access *)sw_vec_push(&t->accesses) = x;
    }
    t->slots += (uint32_t)(SW_TALLY_PERIOD / first.bytes);
    first.first = slot;
    count_start(e, &first, LLVMBuildPtrToInt(B, b->start, e->i64, ""));
}

/* ---- instructions ---- */

void
sw_jit_tally_block(sw_jit_emit *e)
{
    if (!e->tally)
        return;
    uint32_t first = e->first_ins[e->block];
    uint32_t count = e->fn->blocks[e->block]->count;
    LLVMValueRef one = sw_jit_i64(e, 1);
    if (e->is_full) {
        add_row(e, SW_TALLY_WARPS, first, count, one);
        return;
    }
    add_row(e, SW_TALLY_RUNS, first, count, one);
    add_row(e, SW_TALLY_LANES, first, count, lanes_in(e, e->mask));
}

void
sw_jit_tally_back(sw_jit_emit *e, uint32_t index)
{
    if (!e->tally)
        return;
    uint32_t end = e->first_ins[e->block] + e->fn->blocks[e->block]->count;
    for (size_t i = 0; i < e->tally->bundles.count; i++)
        count_begun(e, sw_vec_at(&e->tally->bundles, i));
    add_row(e, SW_TALLY_BACK_RUNS, index, end - index, sw_jit_i64(e, 1));
    add_row(e, SW_TALLY_BACK_LANES, index, end - index,
            lanes_in(e, e->path_mask));
}

/* Of this instruction: n of one kind, and one of another if `holds` (i1). */
static void
count_two(sw_jit_emit *e, sw_tally_kind first, LLVMValueRef n,
          sw_tally_kind second, LLVMValueRef holds)
{
    add_row(e, first, e->ins_index, 1, n);
    add_row(e, second, e->ins_index, 1, sw_jit_widen(e, holds, false));
}

void
sw_jit_tally_guarded(sw_jit_emit *e, LLVMValueRef mask)
{
    if (e->tally)
        count_two(e, SW_TALLY_ON, lanes_in(e, mask), SW_TALLY_OFF,
                  LLVMBuildNot(B, sw_jit_any(e, mask), ""));
}

void
sw_jit_tally_guarded_all(sw_jit_emit *e, LLVMValueRef holds)
{
    if (!e->tally)
        return;
    LLVMValueRef n =
        LLVMBuildSelect(B, holds, lanes_in(e, e->mask), sw_jit_i64(e, 0), "");
    count_two(e, SW_TALLY_ON, n, SW_TALLY_OFF, LLVMBuildNot(B, holds, ""));
}

void
sw_jit_tally_branch(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    if (!e->tally || !ins->guard)
        return;
    if (e->shapes->regs[ins->guard].kind != SW_SHAPE_VARYING) {
        LLVMValueRef p = sw_jit_read_reg(e, ins->guard).base;
        if (ins->guard_neg)
            p = LLVMBuildNot(B, p, "");
        add_row(e, SW_TALLY_TAKEN, e->ins_index, 1, sw_jit_widen(e, p, false));
        return;
    }
    LLVMValueRef p = sw_jit_mask_of(e, ins->guard, ins->guard_neg);
    LLVMValueRef some = sw_jit_any(e, LLVMBuildAnd(B, e->mask, p, ""));
    LLVMValueRef rest = LLVMBuildAnd(B, e->mask, LLVMBuildNot(B, p, ""), "");
    LLVMValueRef parts = LLVMBuildAnd(B, some, sw_jit_any(e, rest), "");
    count_two(e, SW_TALLY_TAKEN, sw_jit_widen(e, some, false),
              SW_TALLY_DIVERGENT, parts);
}

/* ---- accesses ---- */

/* Calls the observer. */
static void
report(sw_jit_emit *e, LLVMValueRef addresses, unsigned bytes, uint32_t table)
{
    sw_jit_tally *t = e->tally;
    LLVMTypeRef type = LLVMVectorType(e->i64, LANES);
    if (e->ins->space == SW_SPACE_SHARED) {
        LLVMValueRef base =
            sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->i64, true);
        addresses =
            LLVMBuildSub(B, addresses, sw_jit_splat(e, base, LANES), "");
    }
    if (!t->addresses)
        t->addresses = sw_jit_slot_of(e, type);
    LLVMBuildStore(B, addresses, t->addresses);
    LLVMValueRef args[5] = {sw_jit_i32(e, e->ins_index),
                            sw_jit_mask_bits(e, e->mask), t->addresses,
                            sw_jit_i32(e, bytes), sw_jit_i32(e, table)};
    sw_jit_call(e, SW_JIT_ACCESS, e->nothing, args, 5);
}

/* The same of the lanes that run, in a table with one group: counted if they
 * are among its masks. */
static void
count_some(sw_jit_emit *e, const sw_tally_access *x, uint32_t table,
           LLVMValueRef start)
{
    LLVMTypeRef type = LLVMVectorType(e->i64, SW_TALLY_MASKS);
    LLVMTypeRef bits = LLVMIntTypeInContext(e->ll.context, SW_TALLY_MASKS);
    LLVMValueRef mask = sw_jit_mask_bits(e, e->mask);
    LLVMValueRef known = LLVMBuildLoad2(B, type, place_of(e, x->masks), "");
    sw_jit_set_align(known, 8);
    LLVMValueRef mine =
        sw_jit_splat(e, sw_jit_widen(e, mask, false), SW_TALLY_MASKS);
    LLVMValueRef found = LLVMBuildICmp(B, LLVMIntEQ, known, mine, "");
    found = sw_jit_widen(e, LLVMBuildBitCast(B, found, bits, ""), false);
    LLVMBasicBlockRef is = sw_jit_block(e, "found");
    LLVMBasicBlockRef no = sw_jit_block(e, "none");
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, found, sw_jit_i64(e, 0), ""),
                    is, no);
    LLVMPositionBuilderAtEnd(B, is);
    LLVMValueRef args[2] = {found, LLVMConstInt(e->i1, 1, 0)};
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.cttz", &e->i64, 1, args, 2);
    n = LLVMBuildAdd(B, n, sw_jit_i64(e, 1), "");
    count_start_in(e, x, n, start);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, no);
    LLVMValueRef report[3] = {sw_jit_i32(e, table), mask, start};
    sw_jit_call(e, SW_JIT_ACCESS_AT, e->nothing, report, 3);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
}

/* What it costs follows from distances. */
static bool
has_table(const sw_ins *ins, unsigned unit)
{
    return (ins->space == SW_SPACE_GLOBAL || ins->space == SW_SPACE_CONST ||
            ins->space == SW_SPACE_SHARED) &&
           unit <= LANES && SW_TALLY_PERIOD % unit == 0;
}

/* The number of a new table. */
static uint32_t
new_table(sw_jit_emit *e, unsigned unit, const sw_jit_group *groups,
          unsigned count)
{
    sw_jit_tally *t = e->tally;
    sw_tally_access *x = sw_vec_push(&t->accesses);
    *x = (sw_tally_access){.ins = e->ins_index,
                           .bytes = (uint8_t)unit,
                           .groups = (uint8_t)count,
                           .space = (uint8_t)e->ins->space,
                           .masks = t->slots,
                           .votes = t->slots + SW_TALLY_MASKS,
                           .keys = t->slots + SW_TALLY_MASKS + 1,
                           .first = t->slots + SW_TALLY_MASKS + count};
    for (unsigned g = 0; g < count; g++)
        for (unsigned i = 0; i < LANES; i++)
            if (sw_jit_has_lane(&groups[g].lanes, i)) {
                x->group[i] = (uint8_t)g;
                x->at[i] = groups[g].at[i];
            }
    t->slots = x->first + (1 + SW_TALLY_MASKS) * SW_TALLY_PERIOD / unit;
    if (e->is_full && count == 1) { /* nothing else comes */
        x->masks = SLOT_NO_MASKS;
        x->first = x->votes;
        t->slots = x->first + SW_TALLY_PERIOD / unit;
    }
    return (uint32_t)t->accesses.count - 1;
}

/* i1: all lanes run, and the groups lie as the table's keys say; NULL: it is
 * known. */
static LLVMValueRef
lie_as_known(sw_jit_emit *e, const sw_tally_access *x, LLVMValueRef start,
             const sw_jit_group *groups)
{
    LLVMValueRef ok = e->is_full ? NULL : sw_jit_all(e, e->mask);
    for (unsigned g = 1; g < x->groups; g++) {
        LLVMValueRef apart =
            LLVMBuildPtrToInt(B, groups[g].pointer, e->i64, "");
        apart = LLVMBuildSub(B, apart, start, "");
        apart = LLVMBuildXor(B, apart, sw_jit_i64(e, SW_TALLY_KEY), "");
        LLVMValueRef key =
            LLVMBuildLoad2(B, e->i64, place_of(e, x->keys + g - 1), "");
        ok = sw_jit_both(e, ok, LLVMBuildICmp(B, LLVMIntEQ, apart, key, ""));
    }
    return ok;
}

static LLVMValueRef
addresses_of(sw_jit_emit *e, const sw_jit_group *groups, unsigned count)
{
    LLVMValueRef all = NULL;
    for (unsigned g = 0; g < count; g++) {
        LLVMValueRef start =
            LLVMBuildPtrToInt(B, groups[g].pointer, e->i64, "");
        LLVMValueRef x =
            LLVMBuildAdd(B, sw_jit_splat(e, start, LANES),
                         sw_jit_const_lanes(e->i64, groups[g].at, LANES), "");
        LLVMValueRef mine[LANES];
        for (unsigned i = 0; i < LANES; i++)
            mine[i] =
                LLVMConstInt(e->i1, sw_jit_has_lane(&groups[g].lanes, i), 0);
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
    const sw_tally_access *x = sw_vec_at(&e->tally->accesses, table);
    if (!ok) {
        count_start(e, x, start);
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
    count_start(e, x, start);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
}

void
sw_jit_tally_block_end(sw_jit_emit *e)
{
    sw_jit_tally *t = e->tally;
    if (!t)
        return;
    for (size_t i = 0; i < t->bundles.count; i++) {
        const bundle *b = sw_vec_at(&t->bundles, i);
        count_start(e, sw_vec_at(&t->accesses, b->first),
                    LLVMBuildPtrToInt(B, b->start, e->i64, ""));
    }
    sw_vec_clear(&t->bundles);
    t->bundled = 0;
}

/* The access is counted with those around the same pointer; false: it has to be
 * by itself. */
static bool
is_bundled(sw_jit_emit *e, unsigned unit, const sw_jit_group *group)
{
    sw_jit_tally *t = e->tally;
    if (!e->is_full || e->ins->guard || !has_table(e->ins, unit) ||
        !LLVMIsAGetElementPtrInst(group->pointer))
        return false;
    LLVMValueRef offset = LLVMGetOperand(group->pointer, 1);
    if (!LLVMIsAConstantInt(offset))
        return false;
    if (t->bundled == BUNDLED)
        sw_jit_tally_block_end(e);
    t->bundled++;
    bundle b = {.base = LLVMGetOperand(group->pointer, 0),
                .start = group->pointer,
                .offset = LLVMConstIntGetSExtValue(offset)};
    for (size_t i = 0; i < t->bundles.count; i++) {
        const bundle *other = sw_vec_at(&t->bundles, i);
        sw_tally_access x =
            *(const sw_tally_access *)sw_vec_at(&t->accesses, other->first);
        if (other->base != b.base || x.bytes != unit ||
            x.space != e->ins->space ||
            memcmp(x.at, group->at, sizeof x.at) != 0)
            continue;
        x.ins = e->ins_index;
        for (int k = 0; k < LANES; k++)
            x.at[k] += b.offset - other->offset;
        *(sw_tally_access *)sw_vec_push(&t->accesses) = x;
        return true;
    }
    b.first = new_table(e, unit, group, 1);
    *(bundle *)sw_vec_push(&t->bundles) = b;
    return true;
}

static void
tally_groups(sw_jit_emit *e, unsigned unit, const sw_jit_group *groups,
             unsigned count)
{
    if (!has_table(e->ins, unit)) {
        report(e, addresses_of(e, groups, count), unit, SW_JIT_NONE);
        return;
    }
    LLVMValueRef addresses = count == 1 ? NULL : addresses_of(e, groups, count);
    uint32_t table = new_table(e, unit, groups, count);
    const sw_tally_access *x = sw_vec_at(&e->tally->accesses, table);
    LLVMValueRef start = LLVMBuildPtrToInt(B, groups[0].pointer, e->i64, "");
    count_or_report(e, table, lie_as_known(e, x, start, groups), start,
                    addresses);
}

void
sw_jit_tally_groups(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!e->tally)
        return;
    bool always = a->group_count == 1 && !a->ok;
    if (!always || !is_bundled(e, a->unit, a->groups))
        tally_groups(e, a->unit, a->groups, a->group_count);
}

void
sw_jit_tally_row(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef first)
{
    if (!e->tally)
        return;
    sw_jit_group row = {.lanes = {{UINT32_MAX}}, .pointer = first};
    for (unsigned i = 0; i < LANES; i++)
        row.at[i] = i * (int64_t)a->unit;
    tally_groups(e, a->unit, &row, 1);
}

/* Lanes that lie anywhere often lie as they did before: each is a group. */
static void
tally_addresses(sw_jit_emit *e, unsigned unit, LLVMValueRef addresses)
{
    LLVMTypeRef type = LLVMTypeOf(addresses);
    if (!has_table(e->ins, unit)) {
        report(e, addresses, unit, SW_JIT_NONE);
        return;
    }
    sw_jit_group groups[LANES] = {0};
    for (unsigned i = 0; i < LANES; i++)
        sw_jit_add_lane(&groups[i].lanes, i);
    uint32_t table = new_table(e, unit, groups, LANES);
    const sw_tally_access *x = sw_vec_at(&e->tally->accesses, table);
    LLVMValueRef start =
        LLVMBuildExtractElement(B, addresses, sw_jit_i32(e, 0), "");
    LLVMValueRef apart =
        LLVMBuildSub(B, addresses, sw_jit_splat(e, start, LANES), "");
    apart = LLVMBuildXor(
        B, apart, sw_jit_splat(e, sw_jit_i64(e, SW_TALLY_KEY), LANES), "");
    LLVMValueRef keys = LLVMBuildLoad2(B, type, place_of(e, x->keys - 1), "");
    sw_jit_set_align(keys, 8);
    LLVMValueRef first[LANES];
    for (unsigned i = 0; i < LANES; i++)
        first[i] = LLVMConstInt(e->i1, i == 0, 0);
    LLVMValueRef ok = LLVMBuildICmp(B, LLVMIntEQ, apart, keys, "");
    ok = LLVMBuildOr(B, ok, LLVMConstVector(first, LANES), "");
    if (!e->is_full)
        ok = LLVMBuildAnd(B, ok, e->mask, "");
    count_or_report(e, table, sw_jit_all(e, ok), start, addresses);
}

void
sw_jit_tally_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!e->tally)
        return;
    LLVMValueRef p = sw_jit_lane_pointers(e, a, 0, false);
    LLVMTypeRef type = LLVMVectorType(e->i64, LANES);
    tally_addresses(e, a->unit, LLVMBuildPtrToInt(B, p, type, ""));
}

void
sw_jit_tally_atomic(sw_jit_emit *e, LLVMValueRef one, LLVMValueRef addresses,
                    unsigned bytes)
{
    sw_jit_group all = {.lanes = {{UINT32_MAX}}, .pointer = one};
    if (one)
        tally_groups(e, bytes, &all, 1);
    else
        tally_addresses(e, bytes, addresses);
}
