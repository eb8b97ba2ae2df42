/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partition.c - a large kernel is cut into functions of about the same size,
 * in the order of positions, in the middle of a block too but not inside a loop
 * that fits: LLVM takes more than n times as long for n times the code, and
 * several processors can compile. A warp that comes to a place in another part,
 * its *entrance*, stores what lives there at the registers' homes, as a way out
 * does, and jumps; there it is loaded. Masks of gates are in memory.
 *
 * Code for warps that come from the interpreter (on-stack replacement) has such
 * entrances as well, at its outermost loops, each of which begins a part: the
 * interpreter is the part before.
 */
#include <stdlib.h>
#include <string.h>

#include "jit/emit/emit.h"

#define B e->ll.builder

enum {
    PART = 1000,  /* instructions of a part, about */
    WHOLE = 1500, /* a kernel of no more is one part */
    KINDS = SW_JIT_AT_MIDDLE + 1
};

/* A place that a warp comes to from another part. */
typedef struct {
    sw_jit_place place;
    uint32_t part, index;  /* which of the part's entrances it is */
    const uint64_t *lives; /* there; NULL: what lives at the block's beginning.
                              MIDDLE's is its own, when it is known. */
    bool is_osr;
} entrance;

struct sw_jit_parts {
    uint32_t count;
    sw_vec pieces;            /* sw_jit_piece, by position */
    uint32_t *first_part;     /* [block_count] of a block's first piece */
    uint32_t *latch_part;     /* [loop_count] */
    bool *is_spread;          /* [loop_count] */
    sw_vec entrances;         /* entrance */
    uint32_t *numbers[KINDS]; /* by what a place is of: its entrance plus one */
    uint32_t *entered;        /* [count] entrances of a part */
    LLVMBasicBlockRef *ways;  /* [entrances] from the part that is emitted */
    uint32_t way_count;
    sw_vec osr, osr_gates; /* sw_jit_osr_entry, sw_jit_gate */
    uint32_t *at; /* [position_count] the block there, or SW_CFG_NONE; NULL:
                     nobody comes in from the interpreter */
};

/* ---- cutting ---- */

uint32_t
sw_jit_count_ins(const sw_jit_emit *e)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->cfg->reachable; i++)
        n += e->fn->blocks[e->cfg->order[i]]->count;
    return n;
}

/* Instructions a part. */
static uint32_t
part_size(const sw_jit_emit *e)
{
    const char *size = getenv("SOFTWARP_JIT_PART"); /* for tests */
    uint32_t total = sw_jit_count_ins(e),
             n = size ? (uint32_t)strtoul(size, NULL, 10) : 0;
    if (e->cfg->irreducible || !e->fn->is_entry || (!n && total <= WHOLE))
        return UINT32_MAX;
    uint32_t parts = total / (n ? n : PART);
    return parts > 1 ? (total + parts - 1) / parts : UINT32_MAX;
}

bool
sw_jit_will_be_cut(const sw_jit_emit *e)
{
    return e->rq->is_osr || part_size(e) != UINT32_MAX;
}

/* Where cutting stands. */
typedef struct {
    sw_jit_emit *e;
    uint32_t size;      /* of a part, */
    uint32_t used;      /* ... and what the last one has of it */
    uint32_t *loop_ins; /* [loop_count] instructions of the loop */
    uint32_t loop;      /* the one of the last block that is not cut; or 0 */
} cutter;

static void
count_loops(cutter *c)
{
    const sw_cfg *cfg = c->e->cfg;
    c->loop_ins = sw_alloc((cfg->loop_count + 1) * sizeof *c->loop_ins);
    for (uint32_t i = 0; i < cfg->reachable; i++) {
        uint32_t b = cfg->order[i];
        for (uint32_t l = cfg->loop[b]; l; l = cfg->loops[l].parent)
            c->loop_ins[l] += c->e->fn->blocks[b]->count;
    }
}

/* The outermost loop around the block that fits a part. */
static uint32_t
loop_to_keep(const cutter *c, uint32_t block)
{
    uint32_t kept = 0;
    const sw_cfg *cfg = c->e->cfg;
    for (uint32_t l = cfg->loop[block]; l; l = cfg->loops[l].parent)
        if (c->loop_ins[l] <= c->size)
            kept = l;
    return kept;
}

static void
begin_part(cutter *c)
{
    c->e->parts->count++;
    c->used = 0;
}

static void
add_piece(cutter *c, uint32_t block, uint32_t first, uint32_t end)
{
    sw_jit_parts *p = c->e->parts;
    *(sw_jit_piece *)sw_vec_push(&p->pieces) =
        (sw_jit_piece){block, first, end, p->count};
    if (!first)
        p->first_part[block] = p->count;
    c->used += end - first;
}

static bool
begins_outermost(const sw_cfg *cfg, uint32_t block)
{
    uint32_t l = cfg->loop[block];
    return l && cfg->loops[l].header == block && !cfg->loops[l].parent;
}

/* What is emitted twice is not cut either. */
static void
add_block(cutter *c, uint32_t block)
{
    uint32_t first = 0, end = c->e->fn->blocks[block]->count;
    uint32_t loop = loop_to_keep(c, block);
    bool goes_on = loop && loop == c->loop;
    bool is_long = loop && c->used + c->loop_ins[loop] > c->size;
    c->loop = loop;
    if (c->e->rq->is_osr && c->used && begins_outermost(c->e->cfg, block))
        begin_part(c);
    if (!goes_on && (c->used >= c->size || (is_long && c->used > c->size / 2)))
        begin_part(c);
    while (!loop && !c->e->has_twin[block] && end - first > c->size - c->used) {
        uint32_t next = first + (c->size - c->used);
        add_piece(c, block, first, next);
        first = next;
        begin_part(c);
    }
    add_piece(c, block, first, end);
}

static int
by_position(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void
find_latches(sw_jit_emit *e)
{
    sw_jit_parts *p = e->parts;
    const sw_cfg *cfg = e->cfg;
    p->latch_part = sw_alloc((cfg->loop_count + 1) * sizeof *p->latch_part);
    p->is_spread = sw_alloc(cfg->loop_count + 1);
    for (uint32_t l = 1; l < cfg->loop_count; l++) {
        uint32_t least = UINT32_MAX;
        for (size_t i = 0; i < p->pieces.count; i++) {
            const sw_jit_piece *piece = sw_vec_at(&p->pieces, i);
            uint32_t at = cfg->sched[piece->block];
            if (at < cfg->loops[l].first || at >= cfg->loops[l].latch)
                continue;
            least = piece->part < least ? piece->part : least;
            p->latch_part[l] = piece->part;
        }
        p->is_spread[l] = least < p->latch_part[l];
    }
}

void
sw_jit_parts_open(sw_jit_emit *e)
{
    const sw_cfg *cfg = e->cfg;
    sw_jit_parts *p = e->parts = sw_alloc(sizeof *p);
    cutter c = {.e = e, .size = part_size(e)};
    uint32_t *order = sw_alloc((cfg->reachable + 1) * 2 * sizeof *order);
    sw_vec_init(&p->pieces, sizeof(sw_jit_piece));
    sw_vec_init(&p->entrances, sizeof(entrance));
    sw_vec_init(&p->osr, sizeof(sw_jit_osr_entry));
    sw_vec_init(&p->osr_gates, sizeof(sw_jit_gate));
    p->first_part = sw_alloc(cfg->count * sizeof *p->first_part);
    count_loops(&c);
    for (uint32_t n = 0; n < cfg->reachable; n++) {
        order[2 * n] = cfg->sched[cfg->order[n]];
        order[2 * n + 1] = cfg->order[n];
    }
    qsort(order, cfg->reachable, 2 * sizeof *order, by_position);
    for (uint32_t n = 0; n < cfg->reachable; n++)
        add_block(&c, order[2 * n + 1]);
    p->count++;
    sw_free(c.loop_ins);
    sw_free(order);
    find_latches(e);
    p->entered = sw_alloc(p->count * sizeof *p->entered);
    p->entered[0] = 1; /* the beginning */
    for (int k = 0; k < KINDS; k++) {
        size_t n = k == SW_JIT_AT_LATCH    ? cfg->loop_count
                   : k == SW_JIT_AT_MIDDLE ? p->pieces.count
                                           : cfg->count;
        p->numbers[k] = sw_alloc((n + 1) * sizeof *p->numbers[k]);
    }
}

void
sw_jit_parts_finish(sw_jit_emit *e)
{
    sw_jit_parts *p = e->parts;
    for (size_t i = 0; i < p->entrances.count; i++) {
        const entrance *in = sw_vec_at(&p->entrances, i);
        if (in->place.kind == SW_JIT_AT_MIDDLE)
            sw_free((void *)in->lives);
    }
    for (int k = 0; k < KINDS; k++)
        sw_free(p->numbers[k]);
    sw_vec_finish(&p->pieces);
    sw_vec_finish(&p->entrances);
    sw_vec_finish(&p->osr);
    sw_vec_finish(&p->osr_gates);
    sw_free(p->at);
    sw_free(p->first_part);
    sw_free(p->latch_part);
    sw_free(p->is_spread);
    sw_free(p->entered);
    sw_free(p->ways);
    sw_free(p);
}

uint32_t
sw_jit_part_count(const sw_jit_emit *e)
{
    return e->parts->count;
}

bool
sw_jit_is_cut(const sw_jit_emit *e)
{
    return e->parts->count > 1 || e->rq->is_osr;
}

const sw_jit_piece *
sw_jit_pieces(const sw_jit_emit *e, uint32_t *count)
{
    *count = (uint32_t)e->parts->pieces.count;
    return e->parts->pieces.data;
}

bool
sw_jit_is_spread(const sw_jit_emit *e, uint32_t loop)
{
    return e->parts->is_spread[loop];
}

uint32_t
sw_jit_part_of(const sw_jit_emit *e, sw_jit_place place)
{
    const sw_jit_parts *p = e->parts;
    switch (place.kind) {
    case SW_JIT_AT_AGAIN:
    case SW_JIT_AT_END:
        return e->part;
    case SW_JIT_AT_LATCH:
        return p->latch_part[place.of];
    case SW_JIT_AT_MIDDLE:
        return ((const sw_jit_piece *)sw_vec_at(&p->pieces, place.of))->part;
    default:
        return p->first_part[place.of];
    }
}

void
sw_jit_note_way(sw_jit_emit *e, uint32_t from, sw_jit_place place,
                const uint64_t *lives)
{
    sw_jit_parts *p = e->parts;
    if (place.kind >= SW_JIT_AT_AGAIN)
        return;
    uint32_t part = sw_jit_part_of(e, place);
    uint32_t *number = &p->numbers[place.kind][place.of];
    if (part == from || *number)
        return;
    *(entrance *)sw_vec_push(&p->entrances) =
        (entrance){place, part, p->entered[part]++, lives, false};
    *number = (uint32_t)p->entrances.count;
}

void
sw_jit_osr_open(sw_jit_emit *e)
{
    sw_jit_parts *p = e->parts;
    p->at = sw_alloc((e->cfg->position_count + 1) * sizeof *p->at);
    memset(p->at, 0xff, e->cfg->position_count * sizeof *p->at);
    for (uint32_t n = 0; n < e->cfg->reachable; n++)
        p->at[e->cfg->sched[e->cfg->order[n]]] = e->cfg->order[n];
    for (uint32_t b = 0; b < e->cfg->count; b++) {
        sw_jit_place place = {SW_JIT_AT_BODY, b};
        if (!begins_outermost(e->cfg, b))
            continue;
        sw_jit_note_way(e, UINT32_MAX, place, NULL);
        entrance *in =
            sw_vec_at(&p->entrances, p->numbers[SW_JIT_AT_BODY][b] - 1);
        in->is_osr = true;
    }
}

/* ---- what lives at an entrance ---- */

static uint32_t
block_of(const sw_jit_emit *e, sw_jit_place place)
{
    if (place.kind == SW_JIT_AT_LATCH)
        return e->cfg->loops[place.of].header;
    if (place.kind == SW_JIT_AT_MIDDLE)
        return ((const sw_jit_piece *)sw_vec_at(&e->parts->pieces, place.of))
            ->block;
    return place.of;
}

typedef void visit_fn(sw_jit_emit *e, const LLVMValueRef *frames, sw_reg reg);

/* Registers that those who come in need, or others who wait elsewhere. */
static void
visit_living(sw_jit_emit *e, const entrance *in, visit_fn *visit)
{
    LLVMValueRef frames[SW_JIT_TEAM_MAX];
    size_t words = e->live->words, at = block_of(e, in->place) * words;
    const uint64_t *lives = in->lives ? in->lives : e->live->in + at;
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
        sw_jit_put_home(e, frames, reg);
}

/* The leader of whose lanes the mask goes along; or SW_SHAPES_ROOT. */
static uint32_t
leader_of(const sw_jit_emit *e, const entrance *in)
{
    bool has_mask =
        in->place.kind == SW_JIT_AT_BODY || in->place.kind == SW_JIT_AT_MIDDLE;
    return has_mask ? e->shapes->leader[block_of(e, in->place)]
                    : SW_SHAPES_ROOT;
}

LLVMValueRef
sw_jit_leader_slot(sw_jit_emit *e, uint32_t leader)
{
    if (!e->leader_mask[leader])
        e->leader_mask[leader] = sw_jit_zero_slot(e, e->mask_type);
    return e->leader_mask[leader];
}

static LLVMValueRef
field(const sw_jit_emit *e, size_t offset)
{
    return sw_jit_at(e, sw_jit_ctx_of(e), sw_jit_i64(e, offset));
}

/* ---- going there ---- */

static void
emit_way(sw_jit_emit *e, const entrance *in)
{
    uint32_t leader = leader_of(e, in);
    visit_living(e, in, store_living);
    if (leader != SW_SHAPES_ROOT) {
        LLVMValueRef mask =
            LLVMBuildLoad2(B, e->mask_type, sw_jit_leader_slot(e, leader), "");
        sw_jit_set_align(LLVMBuildStore(B, sw_jit_mask_bits(e, mask),
                                        field(e, offsetof(sw_jit_ctx, handed))),
                         4);
    }
    sw_jit_flush_count(e);
    if (in->index)
        LLVMBuildStore(B, sw_jit_i32(e, in->index),
                       field(e, offsetof(sw_jit_ctx, entrance)));
    LLVMValueRef parts =
        sw_jit_field(e, offsetof(sw_jit_ctx, parts), e->ptr, true);
    LLVMValueRef fn = LLVMBuildLoad2(
        B, e->ptr, sw_jit_at(e, parts, sw_jit_i64(e, 8 * (uint64_t)in->part)),
        "");
    LLVMValueRef ctx = sw_jit_ctx_of(e);
    LLVMValueRef call = LLVMBuildCall2(
        B, LLVMFunctionType(e->nothing, &e->ptr, 1, 0), fn, &ctx, 1, "");
    LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
    LLVMBuildRetVoid(B);
}

LLVMBasicBlockRef
sw_jit_way_to(sw_jit_emit *e, sw_jit_place place)
{
    sw_jit_parts *p = e->parts;
    uint32_t number = p->numbers[place.kind][place.of];
    SW_ASSERT(number);
    LLVMBasicBlockRef *way = &p->ways[number - 1];
    if (*way)
        return *way;
    entrance *in = sw_vec_at(&p->entrances, number - 1);
    if (place.kind == SW_JIT_AT_MIDDLE) {
        size_t bytes = e->live->words * sizeof *e->now;
        uint64_t *lives = sw_alloc(bytes + 1);
        memcpy(lives, e->now, bytes);
        in->lives = lives;
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
    const sw_cfg *cfg = e->cfg;
    bool *seen = sw_alloc((cfg->count + 1) * sizeof *seen), found = false;
    uint32_t *todo = sw_alloc((cfg->count + 1) * sizeof *todo), count = 1;
    todo[0] = block;
    seen[block] = true;
    while (count && !found) {
        uint32_t b = todo[--count];
        found = e->shapes->leader[b] == SW_SHAPES_ROOT;
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

/* Gates behind the loop at which lanes are let alone by all that runs until the
 * warp comes there: `alone`, registers that these leave to who waits. The
 * interpreter lets lanes go further, where their registers are not safe. */
static void
note_osr_gates(sw_jit_emit *e, sw_jit_osr_entry *entry, uint32_t header)
{
    const sw_cfg *cfg = e->cfg;
    size_t words = e->live->words;
    sw_vec *gates = &e->parts->osr_gates;
    uint32_t latch = cfg->loops[cfg->loop[header]].latch;
    uint64_t *alone = sw_alloc((words + 1) * sizeof *alone);
    memset(alone, 0xff, words * sizeof *alone);
    entry->first_gate = (uint32_t)gates->count;
    for (uint32_t p = cfg->sched[header]; p < cfg->position_count; p++) {
        uint32_t b = e->parts->at[p];
        if (b == SW_CFG_NONE)
            continue;
        if (p > latch && is_subset(e->live->in + b * words, alone, words) &&
            sw_jit_has_gate(e, (sw_jit_place){SW_JIT_AT_GATE, b}))
            *(sw_jit_gate *)sw_vec_push(gates) =
                (sw_jit_gate){e->first_ins[b], p, b};
        if (e->shapes->leader[b] == SW_SHAPES_ROOT)
            break;
        for (size_t i = 0; i < words; i++)
            alone[i] &= e->shapes->parked[b * words + i];
    }
    entry->gates = (uint32_t)gates->count - entry->first_gate;
    sw_free(alone);
}

/* The registers of the one set that are, or are not, in the other. */
static void
note_forms(sw_jit_emit *e, const uint64_t *of, const uint64_t *other, bool both)
{
    for (size_t i = 0; i < e->live->words; i++)
        for (uint64_t set = of[i] & (both ? other[i] : ~other[i]); set;
             set &= set - 1)
            sw_jit_note_osr_form(
                e, (sw_reg)(i * 64 + (unsigned)__builtin_ctzll(set)));
}

static void
note_osr_entry(sw_jit_emit *e, const entrance *in)
{
    uint32_t b = in->place.of;
    size_t at = b * e->live->words;
    const uint64_t *lives = e->live->in + at, *parked = e->shapes->parked + at;
    sw_jit_osr_entry *entry = sw_vec_push(&e->parts->osr);
    *entry = (sw_jit_osr_entry){.ins = e->first_ins[b],
                                .part = in->part,
                                .entrance = in->index,
                                .first = sw_jit_use_count(e),
                                .needs_all = has_all_again(e, b)};
    note_forms(e, lives, parked, false);
    entry->waiting = sw_jit_use_count(e) - entry->first;
    note_forms(e, lives, parked, true);
    entry->living = sw_jit_use_count(e) - entry->first;
    note_forms(e, parked, lives, false);
    entry->count = sw_jit_use_count(e) - entry->first;
    note_osr_gates(e, entry, b);
}

void
sw_jit_osr_take(const sw_jit_emit *e, sw_jit_result *result)
{
    const sw_vec *osr = &e->parts->osr;
    result->entries = sw_jit_table_of(osr, sizeof *result->entries);
    result->entry_count = (uint32_t)osr->count;
    const sw_vec *gates = &e->parts->osr_gates;
    result->gates = sw_jit_table_of(gates, sizeof *result->gates);
    result->gate_count = (uint32_t)gates->count;
}

static void
emit_entrance(sw_jit_emit *e, const entrance *in, LLVMBasicBlockRef to)
{
    uint32_t leader = leader_of(e, in);
    if (in->is_osr)
        note_osr_entry(e, in);
    visit_living(e, in, sw_jit_take_home);
    if (leader != SW_SHAPES_ROOT) {
        LLVMValueRef bits = LLVMBuildLoad2(
            B, e->bits, field(e, offsetof(sw_jit_ctx, handed)), "");
        sw_jit_set_align(bits, 4);
        LLVMBuildStore(B, LLVMBuildBitCast(B, bits, e->mask_type, ""),
                       sw_jit_leader_slot(e, leader));
    }
    LLVMBuildBr(B, to);
}

void
sw_jit_come_in(sw_jit_emit *e, LLVMBasicBlockRef start,
               LLVMBasicBlockRef (*block_of_place)(sw_jit_emit *e,
                                                   sw_jit_place place))
{
    sw_jit_parts *p = e->parts;
    uint32_t n = p->entered[e->part];
    LLVMBasicBlockRef nowhere = NULL;
    LLVMValueRef choice = NULL;
    sw_free(p->ways);
    p->ways = sw_alloc((p->entrances.count + 1) * sizeof(LLVMBasicBlockRef));
    if (n > 1) {
        LLVMValueRef place = field(e, offsetof(sw_jit_ctx, entrance));
        LLVMValueRef index = LLVMBuildLoad2(B, e->i32, place, "");
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
        const entrance *in = sw_vec_at(&p->entrances, i);
        if (in->part != e->part)
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
