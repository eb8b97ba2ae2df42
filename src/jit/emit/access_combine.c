/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_combine.c - loads of a block at small distances from the same
 * register, where each lane has an address of its own: the fields of a
 * structure, the channels of a pixel, a few iterations of a loop along a row of
 * each thread's. With the first of them all are loaded, 16 bytes at a time, and
 * sorted into vectors; one test is enough, and the lanes' addresses are taken
 * apart once. Nothing between them writes memory. If the test fails they are
 * loaded one by one.
 *
 * Lanes may lie side by side after all: what is clamped, or read from an index,
 * mostly does. It is seen at run time. Where all members are scalars, their
 * first ones do; where some are vectors, all that is loaded, as one structure
 * after the other.
 */
#include "jit/emit/access_ways.h"
#include "jit/tune.h"

#define B e->ll.builder

enum { MOST_BYTES = 32, MOST = MOST_BYTES / 4, PIECE = 16, WORD = 4 };

struct sw_jit_chunk {
    sw_jit_chunk *next;
    sw_reg reg;
    uint8_t space;
    uint32_t last; /* index of the last instruction that it is for */
    bool has_vectors;
    unsigned member;      /* bytes of an element of an instruction, */
    unsigned elem, count; /* and of what is loaded: at least words; of these */
    unsigned align;       /* the largest of all accesses' units */
    int64_t first;        /* offset of the first byte, */
    unsigned bytes;       /* up to the last one */
    LLVMValueRef ok;      /* i1: the tests have passed */
    LLVMValueRef is_row;  /* i1, if ok: the lanes' elements 0 lie in rows; or
                             NULL */
    sw_jit_rows rows;     /* ... these */
    LLVMValueRef x[MOST]; /* if ok and not is_row: element by element */
    LLVMValueRef lane_offset,
        base; /* of the first byte, as sw_jit_access has them */
    unsigned scale;
};

void
sw_jit_chunks_clear(sw_jit_emit *e, const sw_jit_chunk *until)
{
    while (e->b.chunks != until) {
        sw_jit_chunk *next = e->b.chunks->next;
        sw_free(e->b.chunks);
        e->b.chunks = next;
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
           sw_type_bits((sw_type)ins->type) ==
               sw_type_bits((sw_type)a->ins->type);
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
    int64_t from = ins->offset, end = c->first + c->bytes;
    int64_t unit = (int64_t)c->member * ins->vec, to = from + unit;
    from = from < c->first ? from : c->first;
    to = to > end ? to : end;
    unsigned align = unit > c->align ? (unsigned)unit : c->align;
    if (to - from > sw_jit_tune.combine_bytes || (ins->offset - from) % unit ||
        (c->first - from) % c->align)
        return;
    if (2 * (*used + (unsigned)unit) < to - from)
        return;
    c->align = align;
    c->first = from;
    c->bytes = (unsigned)(to - from);
    c->has_vectors |= ins->vec > 1;
    *used += (unsigned)unit;
    ++*members;
}

/* What is loaded: structures of a power of two of bytes, if any are, and of
 * words. */
static bool
divide(sw_jit_chunk *c)
{
    c->elem = c->member < WORD ? WORD : c->member;
    unsigned bytes = c->elem;
    while (bytes < c->bytes)
        bytes *= 2;
    if (!c->has_vectors || bytes > PIECE)
        bytes = (c->bytes + c->elem - 1) / c->elem * c->elem;
    c->count = bytes / c->elem;
    return c->member >= WORD || (c->has_vectors && c->bytes > WORD / 2);
}

/* Those from this one on that can be loaded with it; false: it stays alone. */
static bool
plan(const sw_jit_emit *e, const sw_jit_access *a, sw_jit_chunk *c)
{
    const sw_block *block = e->plan->fn->blocks[e->b.block];
    uint32_t at = e->at.index - e->plan->first_ins[e->b.block];
    unsigned members = 1, used = a->unit;
    *c = (sw_jit_chunk){.reg = sw_ins_src(a->ins, 0)->reg,
                        .space = (uint8_t)a->ins->space,
                        .last = e->at.index,
                        .has_vectors = a->ins->vec > 1,
                        .member = a->elem / a->pack,
                        .bytes = a->unit,
                        .align = a->unit,
                        .first = a->ins->offset};
    for (; at + 1 < block->count && !sw_ins_writes(block->ins[at], c->reg);
         at++) {
        const sw_ins *next = block->ins[at + 1];
        if (!is_harmless(next))
            break;
        if (!is_member(a, next))
            continue;
        unsigned before = members;
        take_in(c, next, &members, &used);
        if (members > before)
            c->last = e->plan->first_ins[e->b.block] + at + 1;
    }
    return (members > 1 || a->ins->vec > 1) && divide(c);
}

/* ---- loading ---- */

/* From each of some lanes' pointers (i64, in memory). */
static LLVMValueRef
load_at(sw_jit_emit *e, LLVMValueRef pointers, unsigned lane, LLVMTypeRef type,
        unsigned align)
{
    LLVMValueRef p = LLVMBuildLoad2(
        B, e->t.i64, sw_jit_at(e, pointers, sw_jit_i64(e, 8 * lane)), "");
    LLVMSetVolatile(p, 1); /* not taken out of the vector again */
    LLVMValueRef x =
        LLVMBuildLoad2(B, type, LLVMBuildIntToPtr(B, p, e->t.ptr, ""), "");
    sw_jit_set_align(x, align);
    return x;
}

/* 16 bytes a lane, of `in_piece` elements (2 or 4), of 4 * in_piece lanes:
 * lanes j, j + in_piece, ... side by side in vector j, then transposed. x[k]:
 * element k of the lanes. */
static void
transpose_lanes(sw_jit_emit *e, LLVMValueRef pointers, unsigned lane,
                LLVMTypeRef elem, unsigned in_piece, unsigned align,
                LLVMValueRef *x)
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
        x[0] = sw_jit_weave(e, y[0], y[1], 2, 1, false);
        x[1] = sw_jit_weave(e, y[0], y[1], 2, 1, true);
        return;
    }
    sw_jit_transpose_lanes_of_16(e, y, x);
}

/* 16 bytes a lane. */
static void
load_pieces(sw_jit_emit *e, LLVMValueRef lane_pointers, unsigned elem_bytes,
            unsigned align, LLVMValueRef *x)
{
    LLVMTypeRef elem = LLVMIntTypeInContext(e->ll.context, 8 * elem_bytes);
    unsigned in_piece = PIECE / elem_bytes, at_once = 4 * in_piece;
    LLVMTypeRef type = LLVMVectorType(e->t.i64, e->lanes);
    LLVMValueRef slot = sw_jit_slot_of(e, type);
    LLVMValueRef part[4][SW_LANES_MAX / 8];
    unsigned parts = e->lanes / at_once;
    LLVMBuildStore(B, LLVMBuildPtrToInt(B, lane_pointers, type, ""), slot);
    for (unsigned i = 0; i < parts; i++) {
        LLVMValueRef y[4];
        transpose_lanes(e, slot, i * at_once, elem, in_piece, align, y);
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
    LLVMTypeRef words = LLVMVectorType(e->t.i32, 2 * e->lanes);
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

/* Structures side by side. */
static void
load_structures(sw_jit_emit *e, const sw_jit_chunk *c, const sw_jit_rows *rows,
                LLVMValueRef *x)
{
    LLVMTypeRef elem = LLVMIntTypeInContext(e->ll.context, 8 * c->elem);
    LLVMTypeRef type = LLVMVectorType(elem, rows->lanes * c->count);
    LLVMValueRef part[MOST][SW_LANES_MAX / SW_JIT_ROW_LEAST];
    for (unsigned i = 0; i < rows->count; i++) {
        LLVMValueRef y[MOST];
        LLVMValueRef all = LLVMBuildLoad2(B, type, rows->first[i], "");
        sw_jit_set_align(all, c->align);
        sw_jit_units_to_lanes(e, all, rows->lanes, c->count, y);
        for (unsigned k = 0; k < c->count; k++)
            part[k][i] = y[k];
    }
    for (unsigned k = 0; k < c->count; k++)
        x[k] = sw_jit_concatenate_all(e, part[k], rows->count, rows->lanes);
}

/* Whether lanes' structures may be loaded as rows: if all run. */
static bool
may_be_structures(const sw_jit_emit *e, const sw_jit_access *a,
                  const sw_jit_chunk *c)
{
    return c->has_vectors && e->mask.is_full && !e->k.counters &&
           a->unit <= PIECE && a->ins->space != SW_SPACE_LOCAL &&
           a->unit % a->scale == 0;
}

/* The ways into a block, with the elements that each has. */
typedef struct {
    LLVMBasicBlockRef to, from[3];
    LLVMValueRef x[MOST][3];
    unsigned count;
} ways;

/* One more from here; x NULL: without elements, where nobody asks for them. */
static void
add_way(const sw_jit_emit *e, const sw_jit_chunk *c, ways *w,
        const LLVMValueRef *x)
{
    w->from[w->count] = LLVMGetInsertBlock(B);
    for (unsigned k = 0; k < c->count; k++)
        w->x[k][w->count] = x ? x[k] : NULL;
    w->count++;
}

static void
join_ways(sw_jit_emit *e, sw_jit_chunk *c, ways *w)
{
    LLVMTypeRef type = LLVMVectorType(
        LLVMIntTypeInContext(e->ll.context, 8 * c->elem), e->lanes);
    LLVMPositionBuilderAtEnd(B, w->to);
    for (unsigned k = 0; k < c->count; k++) {
        for (unsigned i = 0; i < w->count; i++)
            if (!w->x[k][i])
                w->x[k][i] = LLVMGetPoison(type);
        c->x[k] = LLVMBuildPhi(B, type, "");
        LLVMAddIncoming(c->x[k], w->x[k], w->from, w->count);
    }
}

/* Ends the block: what lies side by side is loaded, else on to `load`. */
static void
fork_structures(sw_jit_emit *e, const sw_jit_access *a, sw_jit_chunk *c,
                ways *w, LLVMBasicBlockRef load)
{
    LLVMValueRef x[MOST];
    LLVMBasicBlockRef row = sw_jit_block(e, "row");
    LLVMBasicBlockRef tested = sw_jit_block(e, "tested");
    add_way(e, c, w, NULL);
    LLVMBuildCondBr(B, c->ok, tested, w->to);
    LLVMPositionBuilderAtEnd(B, tested);
    LLVMValueRef is_row =
        sw_jit_lie_in_rows(e, a, sw_jit_row_lanes(e, a), &c->rows);
    LLVMBuildCondBr(B, is_row, row, load);
    LLVMPositionBuilderAtEnd(B, row);
    load_structures(e, c, &c->rows, x);
    add_way(e, c, w, x);
    LLVMBuildBr(B, w->to);
}

/* The same; what lies in rows is loaded by each instruction. */
static void
fork_rows(sw_jit_emit *e, const sw_jit_access *a, sw_jit_chunk *c, ways *w,
          LLVMBasicBlockRef load)
{
    LLVMValueRef apart = c->ok;
    sw_jit_access first = *a;
    first.vec = 1;
    first.unit = c->elem;
    /* Rows are counted element by element. */
    if (!c->has_vectors && sw_jit_may_be_a_row(e, &first) &&
        !(e->k.counters && c->align > c->elem))
        c->is_row = sw_jit_lie_in_rows(e, &first, sw_jit_row_lanes(e, &first),
                                       &c->rows);
    if (c->is_row)
        apart = LLVMBuildAnd(B, apart, LLVMBuildNot(B, c->is_row, ""), "");
    add_way(e, c, w, NULL);
    LLVMBuildCondBr(B, apart, load, w->to);
}

/* Tests the addresses and loads, if they do not lie in a row. */
static void
fill(sw_jit_emit *e, sw_jit_access *a, sw_jit_chunk *c)
{
    a->offset = c->first;
    a->elem = c->elem;
    a->vec = c->count;
    a->pack = 1;
    a->unit = a->extent = c->elem * c->count;
    a->align = c->align < c->elem ? c->align : c->elem;
    a->shift = (unsigned)__builtin_ctz(c->align);
    sw_jit_prepare_lanes(e, a);
    c->ok = a->ok;
    c->lane_offset = a->lane_offset;
    c->base = a->base;
    c->scale = a->scale;
    LLVMBasicBlockRef load = sw_jit_block(e, "load");
    ways w = {.to = sw_jit_block(e, "join")};
    if (may_be_structures(e, a, c))
        fork_structures(e, a, c, &w, load);
    else
        fork_rows(e, a, c, &w, load);
    LLVMPositionBuilderAtEnd(B, load);
    load_all(e, a, c);
    add_way(e, c, &w, c->x);
    LLVMBuildBr(B, w.to);
    join_ways(e, c, &w);
}

/* ---- an instruction ---- */

static sw_jit_chunk *
find(const sw_jit_emit *e, const sw_jit_access *a)
{
    sw_jit_chunk *c = e->b.chunks;
    int64_t off = a->ins->offset;
    while (c && !(e->at.index <= c->last && c->space == a->ins->space &&
                  c->reg == sw_ins_src(a->ins, 0)->reg &&
                  c->member == a->elem / a->pack && off >= c->first &&
                  (off - c->first) % a->unit == 0 &&
                  off + a->unit <= c->first + c->bytes && a->unit <= c->align))
        c = c->next;
    return c;
}

/* For the observer: the lanes' elements of this instruction, so many bytes into
 * the chunk. */
static void
count_access(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_chunk *c,
             unsigned at)
{
    if (!e->k.counters)
        return;
    sw_jit_access mine = *a;
    LLVMValueRef more = sw_jit_i64(e, at);
    mine.lane_offset = c->lane_offset;
    mine.base = c->base;
    mine.scale = c->scale;
    if (c->base)
        mine.base = sw_jit_at(e, c->base, more);
    else
        mine.lane_offset = LLVMBuildAdd(B, c->lane_offset,
                                        sw_jit_splat(e, more, e->lanes), "");
    sw_jit_counter_lanes(e, &mine);
}

/* Element k, which lies `at` bytes into the chunk. */
static void
write_from_rows(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_chunk *c,
                unsigned at, unsigned k)
{
    sw_jit_rows rows = c->rows;
    for (unsigned i = 0; i < rows.count; i++)
        rows.first[i] = sw_jit_at(e, rows.first[i], sw_jit_i64(e, at));
    sw_jit_write_element(e, a, k, sw_jit_load_in_rows(e, a, &rows));
}

static void
write_elements(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_chunk *c)
{
    LLVMBasicBlockRef apart = sw_jit_block(e, "apart");
    LLVMBasicBlockRef join = sw_jit_block(e, "join");
    unsigned at = (unsigned)(a->ins->offset - c->first);
    if (c->is_row) {
        LLVMBasicBlockRef row = sw_jit_block(e, "row");
        LLVMBuildCondBr(B, c->is_row, row, apart);
        LLVMPositionBuilderAtEnd(B, row);
        for (unsigned k = 0; k < a->ins->vec; k++)
            if (a->ins->opnd[k].kind == SW_OPND_REG)
                write_from_rows(e, a, c, at + k * c->member, k);
        LLVMBuildBr(B, join);
    } else {
        LLVMBuildBr(B, apart);
    }
    LLVMPositionBuilderAtEnd(B, apart);
    count_access(e, a, c, at);
    for (unsigned k = 0; k < a->ins->vec; k++, at += c->member) {
        LLVMValueRef x = c->x[at / c->elem];
        if (c->member < c->elem)
            x = sw_jit_unpack(e, x, at % c->elem, c->member, e->lanes);
        sw_jit_write_element(e, a, k, x);
    }
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

bool
sw_jit_load_chunk(sw_jit_emit *e, sw_jit_access *a)
{
    sw_jit_chunk *c;
    if (sw_ins_src(a->ins, 0)->kind != SW_OPND_REG || !is_member(a, a->ins) ||
        sw_jit_is_rare(e))
        return false;
    bool is_first = !(c = find(e, a));
    sw_jit_access all = *a; /* of the chunk */
    if (is_first) {
        sw_jit_chunk wanted;
        if (!plan(e, a, &wanted))
            return false;
        c = sw_alloc(sizeof *c);
        *c = wanted;
        c->next = e->b.chunks;
        e->b.chunks = c;
        fill(e, &all, c);
    }
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    sw_jit_likely(e, LLVMBuildCondBr(B, c->ok, fast, slow), true);
    LLVMPositionBuilderAtEnd(B, slow);
    if (is_first)
        sw_jit_move_window(e, &all);
    sw_jit_emit_rare_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, fast);
    write_elements(e, a, c);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
    return true;
}
