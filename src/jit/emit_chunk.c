/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_chunk.c - loads of a block at small distances from the same register,
 * where each lane has an address of its own: the fields of a structure, a few
 * iterations of a loop along a row of each thread's. With the first of them
 * all are loaded, 16 bytes at a time, and sorted into vectors; one test is
 * enough, and the lanes' addresses are taken apart once. Nothing between them
 * writes memory. If the test fails they are loaded one by one.
 */
#include "jit/emit_access.h"

#define B e->ll.builder

enum { MOST_BYTES = 32, MOST = MOST_BYTES / 4, PIECE = 16 };

struct sw_jit_chunk {
    sw_jit_chunk *next;
    sw_reg reg;
    uint32_t last;        /* index of the last instruction that it is for */
    unsigned elem, count; /* bytes of an element, elements */
    unsigned align;       /* the largest of all accesses' units */
    int64_t first;        /* offset of element 0 */
    LLVMValueRef ok;      /* i1: the tests have passed */
    LLVMValueRef is_row;  /* i1, if ok: the lanes' elements 0 lie in rows; or
                             NULL */
    sw_jit_rows rows;     /* ... these */
    LLVMValueRef x[MOST]; /* if ok and not is_row: element by element */
    LLVMValueRef lane_offset,
        base; /* of element 0, as sw_jit_access has them */
    unsigned scale;
};

void
sw_jit_chunks_clear(sw_jit_emit *e)
{
    while (e->chunks) {
        sw_jit_chunk *next = e->chunks->next;
        sw_free(e->chunks);
        e->chunks = next;
    }
}

/* ---- which loads ---- */

static bool
is_member(const sw_jit_access *a, const sw_ins *ins)
{
    sw_reg reg = sw_ins_src(a->ins, 0)->reg;
    return (ins->op == SW_OP_LD || ins->op == SW_OP_LDU) && !ins->guard &&
           ins->order == 0 && ins->space == a->ins->space &&
           sw_ins_src(ins, 0)->kind == SW_OPND_REG &&
           sw_ins_src(ins, 0)->reg == reg && !sw_jit_is_unusual(ins) &&
           sw_type_bits((sw_type)ins->type) == 8 * a->elem;
}

static bool
writes(const sw_ins *ins, sw_reg reg)
{
    for (unsigned k = 0; k < ins->ndst; k++)
        if (ins->opnd[k].kind == SW_OPND_REG && ins->opnd[k].reg == reg)
            return true;
    return false;
}

/* Later loads may be done before it. */
static bool
is_harmless(const sw_ins *ins)
{
    int effects = sw_op_get_info((sw_op)ins->op)->effects;
    return effects == SW_FX_PURE || (effects == SW_FX_READ && ins->order == 0);
}

/* Adds a load if what lies between it and the others is not too much. */
static void
take_in(sw_jit_chunk *c, const sw_ins *ins, unsigned *members, unsigned *used)
{
    int64_t from = ins->offset, end = c->first + c->elem * c->count;
    int64_t unit = (int64_t)c->elem * ins->vec, to = from + unit;
    from = from < c->first ? from : c->first;
    to = to > end ? to : end;
    unsigned align = unit > c->align ? (unsigned)unit : c->align;
    if (to - from > MOST_BYTES || (ins->offset - from) % unit ||
        (c->first - from) % c->align)
        return;
    if (2 * (*used + (unsigned)unit) < to - from)
        return;
    c->align = align;
    c->first = from;
    c->count = (unsigned)(to - from) / c->elem;
    *used += (unsigned)unit;
    ++*members;
}

/* Those from this one on that can be loaded with it; false: it stays alone. */
static bool
plan(const sw_jit_emit *e, const sw_jit_access *a, sw_jit_chunk *c)
{
    const sw_block *block = e->fn->blocks[e->block];
    uint32_t at = e->ins_index - e->first_ins[e->block];
    unsigned members = 1, used = a->unit;
    *c = (sw_jit_chunk){.reg = sw_ins_src(a->ins, 0)->reg,
                        .last = e->ins_index,
                        .elem = a->elem,
                        .count = a->vec,
                        .align = a->unit,
                        .first = a->ins->offset};
    for (; at + 1 < block->count && !writes(block->ins[at], c->reg); at++) {
        const sw_ins *next = block->ins[at + 1];
        if (!is_harmless(next))
            break;
        if (!is_member(a, next))
            continue;
        unsigned before = members;
        take_in(c, next, &members, &used);
        if (members > before)
            c->last = e->first_ins[e->block] + at + 1;
    }
    return members > 1 || a->vec > 1;
}

/* ---- loading ---- */

/* From each of some lanes' pointers (i64, in memory). */
static LLVMValueRef
load_at(sw_jit_emit *e, LLVMValueRef pointers, unsigned lane, LLVMTypeRef type,
        unsigned align)
{
    LLVMValueRef p = LLVMBuildLoad2(
        B, e->i64, sw_jit_at(e, pointers, sw_jit_i64(e, 8 * lane)), "");
    LLVMSetVolatile(p, 1); /* not taken out of the vector again */
    LLVMValueRef x =
        LLVMBuildLoad2(B, type, LLVMBuildIntToPtr(B, p, e->ptr, ""), "");
    sw_jit_set_align(x, align);
    return x;
}

/* Of two vectors of 64 bytes the low (high: or high) `pair` elements each of
 * every 16 bytes, in turn: one instruction of the machine. */
static LLVMValueRef
weave(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef y, unsigned in_piece,
      unsigned pair, bool high)
{
    int from[PIECE];
    unsigned n = 4 * in_piece;
    for (unsigned i = 0; i < n; i++) {
        unsigned piece = i / in_piece, k = i % in_piece;
        unsigned source = k / pair % 2, at = k / (2 * pair) * pair + k % pair;
        from[i] = (int)(source * n + piece * in_piece +
                        (high ? in_piece / 2 : 0) + at);
    }
    return sw_jit_shuffle_two(e, x, y, from, n);
}

/* 16 bytes a lane, of `in_piece` elements (2 or 4), of 4 * in_piece lanes:
 * lanes j, j + in_piece, ... side by side in vector j, then turned. x[k]:
 * element k of the lanes. */
static void
turn_lanes(sw_jit_emit *e, LLVMValueRef pointers, unsigned lane,
           LLVMTypeRef elem, unsigned in_piece, unsigned align, LLVMValueRef *x)
{
    LLVMTypeRef type = LLVMVectorType(elem, in_piece);
    LLVMValueRef y[4];
    for (unsigned j = 0; j < in_piece; j++) {
        LLVMValueRef q[4];
        for (unsigned i = 0; i < 4; i++)
            q[i] = load_at(e, pointers, lane + j + i * in_piece, type, align);
        y[j] = sw_jit_concatenate(
            e, sw_jit_concatenate(e, q[0], q[1], in_piece),
            sw_jit_concatenate(e, q[2], q[3], in_piece), 2 * in_piece);
    }
    if (in_piece == 2) {
        x[0] = weave(e, y[0], y[1], 2, 1, false);
        x[1] = weave(e, y[0], y[1], 2, 1, true);
        return;
    }
    LLVMValueRef low[2], high[2];
    for (unsigned j = 0; j < 2; j++) {
        low[j] = weave(e, y[2 * j], y[2 * j + 1], 4, 1, false);
        high[j] = weave(e, y[2 * j], y[2 * j + 1], 4, 1, true);
    }
    x[0] = weave(e, low[0], low[1], 4, 2, false);
    x[1] = weave(e, low[0], low[1], 4, 2, true);
    x[2] = weave(e, high[0], high[1], 4, 2, false);
    x[3] = weave(e, high[0], high[1], 4, 2, true);
}

/* 16 bytes a lane. */
static void
load_pieces(sw_jit_emit *e, LLVMValueRef lane_pointers, unsigned elem_bytes,
            unsigned align, LLVMValueRef *x)
{
    LLVMTypeRef elem = LLVMIntTypeInContext(e->ll.context, 8 * elem_bytes);
    unsigned in_piece = PIECE / elem_bytes, at_once = 4 * in_piece;
    LLVMTypeRef type = LLVMVectorType(e->i64, e->lanes);
    LLVMValueRef slot = sw_jit_slot_of(e, type);
    LLVMValueRef part[4][SW_LANES_MAX / 8];
    unsigned parts = e->lanes / at_once;
    LLVMBuildStore(B, LLVMBuildPtrToInt(B, lane_pointers, type, ""), slot);
    for (unsigned i = 0; i < parts; i++) {
        LLVMValueRef y[4];
        turn_lanes(e, slot, i * at_once, elem, in_piece, align, y);
        for (unsigned k = 0; k < in_piece; k++)
            part[k][i] = y[k];
    }
    for (unsigned k = 0; k < in_piece; k++) {
        x[k] = sw_jit_concatenate_all(e, part[k], parts, at_once);
    }
}

/* Two elements of 32 bits a lane at once, k (even) and the next. */
static void
load_pair(sw_jit_emit *e, const sw_jit_access *a, unsigned k, LLVMValueRef *x)
{
    sw_jit_access pair = *a;
    LLVMTypeRef words = LLVMVectorType(e->i32, 2 * e->lanes);
    pair.elem = 8;
    LLVMValueRef both =
        LLVMBuildBitCast(B, sw_jit_gather(e, &pair, k / 2), words, "");
    for (unsigned j = 0; j < 2; j++) {
        int from[SW_LANES_MAX];
        for (unsigned i = 0; i < e->lanes; i++)
            from[i] = (int)(2 * i + j);
        x[j] = sw_jit_shuffle(e, both, from, e->lanes);
    }
}

static void
load_all(sw_jit_emit *e, const sw_jit_access *a, sw_jit_chunk *c)
{
    unsigned in_piece = PIECE / c->elem, k = 0;
    for (; k + in_piece <= c->count; k += in_piece)
        load_pieces(e, sw_jit_lane_pointers(e, a, k, true), c->elem,
                    c->align < PIECE ? c->align : PIECE, &c->x[k]);
    for (; k < c->count; k++) {
        if (c->elem == 4 && k + 2 <= c->count) {
            load_pair(e, a, k, &c->x[k]);
            k++;
        } else {
            c->x[k] = sw_jit_gather(e, a, k);
        }
    }
}

/* Tests the addresses and loads, if they do not lie in a row. */
static void
fill(sw_jit_emit *e, sw_jit_access *a, sw_jit_chunk *c)
{
    a->offset = c->first;
    a->extent = c->elem * c->count;
    a->shift = (unsigned)__builtin_ctz(c->align);
    sw_jit_prepare_lanes(e, a);
    c->ok = a->ok;
    c->lane_offset = a->lane_offset;
    c->base = a->base;
    c->scale = a->scale;
    LLVMValueRef apart = c->ok;
    /* Rows are counted element by element. */
    if (sw_jit_may_be_a_row(e, a) && !(e->tally && c->align > c->elem))
        c->is_row = sw_jit_lie_in_rows(e, a, sw_jit_row_lanes(e, a), &c->rows);
    if (c->is_row)
        apart = LLVMBuildAnd(B, apart, LLVMBuildNot(B, c->is_row, ""), "");
    LLVMBasicBlockRef load = sw_jit_block(e, "load");
    LLVMBasicBlockRef join = sw_jit_block(e, "join");
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(B)};
    LLVMBuildCondBr(B, apart, load, join);
    LLVMPositionBuilderAtEnd(B, load);
    load_all(e, a, c);
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
    for (unsigned k = 0; k < c->count; k++) {
        LLVMValueRef phi = LLVMBuildPhi(B, LLVMTypeOf(c->x[k]), "");
        LLVMValueRef x[2] = {LLVMGetPoison(LLVMTypeOf(c->x[k])), c->x[k]};
        LLVMAddIncoming(phi, x, from, 2);
        c->x[k] = phi;
    }
}

/* ---- an instruction ---- */

static sw_jit_chunk *
find(const sw_jit_emit *e, const sw_jit_access *a)
{
    sw_jit_chunk *c = e->chunks;
    int64_t off = a->ins->offset;
    while (c && !(e->ins_index <= c->last && is_member(a, a->ins) &&
                  c->reg == sw_ins_src(a->ins, 0)->reg && c->elem == a->elem &&
                  off >= c->first && (off - c->first) % a->unit == 0 &&
                  off + a->unit <= c->first + c->elem * c->count &&
                  a->unit <= c->align))
        c = c->next;
    return c;
}

/* For the observer: the lanes' elements of this instruction, the k-th of the
 * chunk and what follows. */
static void
tally(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_chunk *c, unsigned k)
{
    if (!e->tally)
        return;
    sw_jit_access mine = *a;
    LLVMValueRef more = sw_jit_i64(e, (uint64_t)k * c->elem);
    mine.lane_offset = c->lane_offset;
    mine.base = c->base;
    mine.scale = c->scale;
    if (c->base)
        mine.base = sw_jit_at(e, c->base, more);
    else
        mine.lane_offset = LLVMBuildAdd(B, c->lane_offset,
                                        sw_jit_splat(e, more, e->lanes), "");
    sw_jit_tally_lanes(e, &mine);
}

/* Element k, which lies `at` bytes into the chunk. */
static void
write_from_rows(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_chunk *c,
                int64_t at, unsigned k)
{
    sw_jit_rows rows = c->rows;
    for (unsigned i = 0; i < rows.count; i++)
        rows.first[i] =
            sw_jit_at(e, rows.first[i], sw_jit_i64(e, (uint64_t)at));
    sw_jit_write_loaded(e, a, k, sw_jit_load_in_rows(e, a, &rows));
}

static void
write_elements(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_chunk *c)
{
    LLVMBasicBlockRef apart = sw_jit_block(e, "apart");
    LLVMBasicBlockRef join = sw_jit_block(e, "join");
    int64_t at = a->ins->offset - c->first;
    if (c->is_row) {
        LLVMBasicBlockRef row = sw_jit_block(e, "row");
        LLVMBuildCondBr(B, c->is_row, row, apart);
        LLVMPositionBuilderAtEnd(B, row);
        for (unsigned k = 0; k < a->vec; k++)
            if (a->ins->opnd[k].kind == SW_OPND_REG)
                write_from_rows(e, a, c, at + (int64_t)(k * c->elem), k);
        LLVMBuildBr(B, join);
    } else {
        LLVMBuildBr(B, apart);
    }
    LLVMPositionBuilderAtEnd(B, apart);
    tally(e, a, c, (unsigned)(at / c->elem));
    for (unsigned k = 0; k < a->vec; k++)
        if (a->ins->opnd[k].kind == SW_OPND_REG)
            sw_jit_write_loaded(e, a, k, c->x[at / c->elem + k]);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

bool
sw_jit_load_chunk(sw_jit_emit *e, sw_jit_access *a)
{
    sw_jit_chunk *c;
    if ((a->elem != 4 && a->elem != 8) ||
        sw_ins_src(a->ins, 0)->kind != SW_OPND_REG || !is_member(a, a->ins))
        return false;
    bool is_first = !(c = find(e, a));
    if (is_first) {
        sw_jit_chunk wanted;
        if (!plan(e, a, &wanted))
            return false;
        c = sw_alloc(sizeof *c);
        *c = wanted;
        c->next = e->chunks;
        e->chunks = c;
        fill(e, a, c);
    }
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    sw_jit_likely(e, LLVMBuildCondBr(B, c->ok, fast, slow), true);
    LLVMPositionBuilderAtEnd(B, slow);
    if (is_first)
        sw_jit_move_window(e, a);
    sw_jit_emit_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, fast);
    write_elements(e, a, c);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
    return true;
}
