/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partition.c - a large kernel is cut into functions of about the same size,
 * in the order of positions, in the middle of a block too but not inside a loop
 * that fits: LLVM takes more than n times as long for n times the code, and
 * several processors can compile. A warp that comes to a place in another
 * partition, its *entrance*, stores what lives there in the registers' frame
 * slots, as a side exit does, and jumps; there it is loaded. Masks of
 * reconvergence points are in memory.
 *
 * Code for warps that come from the interpreter (on-stack replacement) has such
 * entrances as well, at its outermost loops, each of which begins a partition:
 * the interpreter is the partition before.
 */
#include <string.h>

#include "jit/emit/control.h"
#include "jit/plan/partition.h"

#define B e->ll.builder

struct sw_jit_edges {
    LLVMBasicBlockRef
        *ways;              /* [entrances] from the partition that is emitted */
    uint64_t **lives;       /* [entrances] what lives at a MIDDLE */
    sw_vec osr, osr_points; /* sw_jit_osr_entry, sw_jit_reconv_point */
};

void
sw_jit_edges_open(sw_jit_emit *e)
{
    size_t n = e->plan->partitions->entrances.count;
    struct sw_jit_edges *x = e->k.edges = sw_alloc(sizeof *x);
    x->ways = sw_alloc((n + 1) * sizeof(LLVMBasicBlockRef));
    x->lives = sw_alloc((n + 1) * sizeof(uint64_t *));
    sw_vec_init(&x->osr, sizeof(sw_jit_osr_entry));
    sw_vec_init(&x->osr_points, sizeof(sw_jit_reconv_point));
}

void
sw_jit_edges_finish(sw_jit_emit *e)
{
    struct sw_jit_edges *x = e->k.edges;
    for (size_t i = 0; i < e->k.plan->partitions->entrances.count; i++)
        sw_free(x->lives[i]);
    sw_free(x->ways);
    sw_free(x->lives);
    sw_vec_finish(&x->osr);
    sw_vec_finish(&x->osr_points);
    sw_free(x);
}

/* ---- what lives at an entrance ---- */

static uint32_t
block_of(const sw_jit_emit *e, sw_jit_place place)
{
    if (place.kind == SW_JIT_AT_LATCH)
        return e->plan->cfg->loops[place.of].header;
    if (place.kind == SW_JIT_AT_MIDDLE)
        return ((const sw_jit_range *)sw_vec_at(&e->plan->partitions->ranges,
                                                place.of))
            ->block;
    return place.of;
}

typedef void visit_fn(sw_jit_emit *e, const LLVMValueRef *frames, sw_reg reg);

/* Registers that those who come in need, or others who wait elsewhere. */
static void
visit_living(sw_jit_emit *e, const sw_jit_entrance *in, visit_fn *visit)
{
    LLVMValueRef frames[SW_JIT_FUSED_MAX];
    size_t words = e->plan->live->words, at = block_of(e, in->place) * words;
    size_t number =
        (size_t)(in -
                 (const sw_jit_entrance *)e->plan->partitions->entrances.data);
    const uint64_t *own = e->k.edges->lives[number];
    const uint64_t *lives = own         ? own
                            : in->lives ? in->lives
                                        : e->plan->live->in + at;
    for (unsigned w = 0; w < e->lanes / 32; w++)
        frames[w] = sw_jit_frame_of(e, w);
    for (size_t i = 0; i < words; i++)
        for (uint64_t set = lives[i] | e->shapes->parked[at + i]; set;
             set &= set - 1)
            visit(e, frames, (sw_reg)(i * 64 + (unsigned)__builtin_ctzll(set)));
}

static void
store_living(sw_jit_emit *e, const LLVMValueRef *frames, sw_reg reg)
{
    if (!sw_jit_is_kept(e, reg))
        sw_jit_store_frame_slot(e, frames, reg);
}

/* The head of whose lanes the mask goes along; or SW_SHAPES_ROOT. */
static uint32_t
head_of(const sw_jit_emit *e, const sw_jit_entrance *in)
{
    bool has_mask =
        in->place.kind == SW_JIT_AT_BODY || in->place.kind == SW_JIT_AT_MIDDLE;
    return has_mask ? e->shapes->head[block_of(e, in->place)] : SW_SHAPES_ROOT;
}

static LLVMValueRef
field(const sw_jit_emit *e, size_t offset)
{
    return sw_jit_at(e, sw_jit_ctx_of(e), sw_jit_i64(e, offset));
}

/* ---- going there ---- */

static void
emit_way(sw_jit_emit *e, const sw_jit_entrance *in)
{
    uint32_t head = head_of(e, in);
    visit_living(e, in, store_living);
    if (head != SW_SHAPES_ROOT) {
        LLVMValueRef mask =
            LLVMBuildLoad2(B, e->t.mask_type, sw_jit_head_slot(e, head), "");
        sw_jit_set_align(LLVMBuildStore(B, sw_jit_mask_bits(e, mask),
                                        field(e, offsetof(sw_jit_ctx, handed))),
                         4);
    }
    sw_jit_flush_count(e);
    if (in->index)
        LLVMBuildStore(B, sw_jit_i32(e, in->index),
                       field(e, offsetof(sw_jit_ctx, entrance)));
    LLVMValueRef partitions =
        sw_jit_field(e, offsetof(sw_jit_ctx, partitions), e->t.ptr, true);
    LLVMValueRef fn = LLVMBuildLoad2(
        B, e->t.ptr,
        sw_jit_at(e, partitions, sw_jit_i64(e, 8 * (uint64_t)in->partition)),
        "");
    LLVMValueRef ctx = sw_jit_ctx_of(e);
    LLVMValueRef call = LLVMBuildCall2(
        B, LLVMFunctionType(e->t.nothing, &e->t.ptr, 1, 0), fn, &ctx, 1, "");
    LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
    LLVMBuildRetVoid(B);
}

LLVMBasicBlockRef
sw_jit_way_to(sw_jit_emit *e, sw_jit_place place)
{
    const sw_jit_partitions *p = e->plan->partitions;
    uint32_t number = p->numbers[place.kind][place.of];
    SW_ASSERT(number);
    LLVMBasicBlockRef *way = &e->k.edges->ways[number - 1];
    if (*way)
        return *way;
    const sw_jit_entrance *in = sw_vec_at(&p->entrances, number - 1);
    if (place.kind == SW_JIT_AT_MIDDLE) {
        size_t bytes = e->plan->live->words * sizeof *e->f.now;
        uint64_t *lives = sw_alloc(bytes + 1);
        memcpy(lives, e->f.now, bytes);
        e->k.edges->lives[number - 1] = lives;
    }
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    *way = sw_jit_block(e, "way");
    LLVMPositionBuilderAtEnd(B, *way);
    emit_way(e, in);
    LLVMPositionBuilderAtEnd(B, here);
    return *way;
}

/* ---- coming from there ---- */

/* From the block on there is one that all lanes run together. */
static bool
has_all_again(const sw_jit_emit *e, uint32_t block)
{
    const sw_cfg *cfg = e->plan->cfg;
    bool *seen = sw_alloc((cfg->count + 1) * sizeof *seen), found = false;
    uint32_t *todo = sw_alloc((cfg->count + 1) * sizeof *todo), count = 1;
    todo[0] = block;
    seen[block] = true;
    while (count && !found) {
        uint32_t b = todo[--count];
        found = e->shapes->head[b] == SW_SHAPES_ROOT;
        for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++)
            if (!seen[cfg->succ[i]]) {
                seen[cfg->succ[i]] = true;
                todo[count++] = cfg->succ[i];
            }
    }
    sw_free(seen);
    sw_free(todo);
    return found;
}

static bool
is_subset(const uint64_t *some, const uint64_t *of, size_t words)
{
    bool is = true;
    for (size_t i = 0; i < words && is; i++)
        is = !(some[i] & ~of[i]);
    return is;
}

/* Reconvergence points behind the loop at which lanes are let alone by all that
 * runs until the warp comes there: `alone`, registers that these leave to who
 * waits. The interpreter lets lanes go further, where their registers are not
 * safe. */
static void
note_osr_points(sw_jit_emit *e, sw_jit_osr_entry *entry, uint32_t header)
{
    const sw_cfg *cfg = e->plan->cfg;
    size_t words = e->plan->live->words;
    sw_vec *points = &e->k.edges->osr_points;
    uint32_t latch = cfg->loops[cfg->loop[header]].latch;
    uint64_t *alone = sw_alloc((words + 1) * sizeof *alone);
    memset(alone, 0xff, words * sizeof *alone);
    entry->first_point = (uint32_t)points->count;
    for (uint32_t p = cfg->sched[header]; p < cfg->position_count; p++) {
        uint32_t b = e->plan->partitions->at[p];
        if (b == SW_CFG_NONE)
            continue;
        if (p > latch &&
            is_subset(e->plan->live->in + b * words, alone, words) &&
            sw_jit_has_point(e->plan, (sw_jit_place){SW_JIT_AT_POINT, b}))
            *(sw_jit_reconv_point *)sw_vec_push(points) =
                (sw_jit_reconv_point){e->plan->first_ins[b], p, b};
        if (e->shapes->head[b] == SW_SHAPES_ROOT)
            break;
        for (size_t i = 0; i < words; i++)
            alone[i] &= e->shapes->parked[b * words + i];
    }
    entry->points = (uint32_t)points->count - entry->first_point;
    sw_free(alone);
}

/* The registers of the one set that are, or are not, in the other. */
static void
note_locations(sw_jit_emit *e, const uint64_t *of, const uint64_t *other,
               bool both)
{
    for (size_t i = 0; i < e->plan->live->words; i++)
        for (uint64_t set = of[i] & (both ? other[i] : ~other[i]); set;
             set &= set - 1)
            sw_jit_note_osr_location(
                e, (sw_reg)(i * 64 + (unsigned)__builtin_ctzll(set)));
}

static void
note_osr_entry(sw_jit_emit *e, const sw_jit_entrance *in)
{
    uint32_t b = in->place.of;
    size_t at = b * e->plan->live->words;
    const uint64_t *lives = e->plan->live->in + at,
                   *parked = e->shapes->parked + at;
    sw_jit_osr_entry *entry = sw_vec_push(&e->k.edges->osr);
    *entry = (sw_jit_osr_entry){.ins = e->plan->first_ins[b],
                                .partition = in->partition,
                                .entrance = in->index,
                                .first = sw_jit_stack_map_count(e),
                                .needs_all = has_all_again(e, b)};
    note_locations(e, lives, parked, false);
    entry->waiting = sw_jit_stack_map_count(e) - entry->first;
    note_locations(e, lives, parked, true);
    entry->living = sw_jit_stack_map_count(e) - entry->first;
    note_locations(e, parked, lives, false);
    entry->count = sw_jit_stack_map_count(e) - entry->first;
    note_osr_points(e, entry, b);
}

void
sw_jit_osr_take(const sw_jit_emit *e, sw_jit_result *result)
{
    const sw_vec *osr = &e->k.edges->osr;
    result->entries = sw_jit_table_of(osr, sizeof *result->entries);
    result->entry_count = (uint32_t)osr->count;
    const sw_vec *points = &e->k.edges->osr_points;
    result->points = sw_jit_table_of(points, sizeof *result->points);
    result->point_count = (uint32_t)points->count;
}

static void
emit_entrance(sw_jit_emit *e, const sw_jit_entrance *in, LLVMBasicBlockRef to)
{
    uint32_t head = head_of(e, in);
    if (in->is_osr)
        note_osr_entry(e, in);
    visit_living(e, in, sw_jit_load_frame_slot);
    if (head != SW_SHAPES_ROOT) {
        LLVMValueRef bits = LLVMBuildLoad2(
            B, e->t.bits, field(e, offsetof(sw_jit_ctx, handed)), "");
        sw_jit_set_align(bits, 4);
        LLVMBuildStore(B, LLVMBuildBitCast(B, bits, e->t.mask_type, ""),
                       sw_jit_head_slot(e, head));
    }
    LLVMBuildBr(B, to);
}

void
sw_jit_come_in(sw_jit_emit *e, LLVMBasicBlockRef start,
               LLVMBasicBlockRef (*block_of_place)(sw_jit_emit *e,
                                                   sw_jit_place place))
{
    const sw_jit_partitions *p = e->plan->partitions;
    uint32_t n = p->entered[e->f.partition];
    LLVMBasicBlockRef nowhere = NULL;
    LLVMValueRef choice = NULL;
    memset(e->k.edges->ways, 0, p->entrances.count * sizeof(LLVMBasicBlockRef));
    if (n > 1) {
        LLVMValueRef place = field(e, offsetof(sw_jit_ctx, entrance));
        LLVMValueRef index = LLVMBuildLoad2(B, e->t.i32, place, "");
        LLVMBuildStore(B, sw_jit_i32(e, 0), place);
        nowhere = sw_jit_block(e, "nowhere");
        choice = LLVMBuildSwitch(B, index, nowhere, n);
        LLVMPositionBuilderAtEnd(B, nowhere);
        LLVMBuildUnreachable(B);
        if (start)
            LLVMAddCase(choice, sw_jit_i32(e, 0), start);
    } else if (start) {
        LLVMBuildBr(B, start);
    }
    for (size_t i = 0; i < p->entrances.count; i++) {
        const sw_jit_entrance *in = sw_vec_at(&p->entrances, i);
        if (in->partition != e->f.partition)
            continue;
        LLVMBasicBlockRef block = sw_jit_block(e, "entrance");
        if (choice)
            LLVMAddCase(choice, sw_jit_i32(e, in->index), block);
        else
            LLVMBuildBr(B, block);
        LLVMPositionBuilderAtEnd(B, block);
        emit_entrance(e, in, block_of_place(e, in->place));
    }
}
