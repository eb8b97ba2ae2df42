/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deopt.c - the ways out of compiled code to the interpreter, for good or
 * for an instruction. They are many and almost never taken, so they cost
 * little: what is needed there is stored as it is, and a table says how the
 * runtime makes lanes of it (run/deopt.c); all tests of an instruction leave by
 * the same way, and by that of one before it if what lies between can be done
 * again.
 */
#include <string.h>

#include "jit/emit/exits.h"
#include "jit/tune.h"

#define B e->ll.builder

struct sw_jit_exits {
    sw_vec side_exits;     /* sw_jit_side_exit */
    sw_vec locations;      /* sw_jit_location */
    sw_vec stack_map;      /* uint32_t: locations of a side exit */
    sw_vec parts;          /* int32_t: of lanes, for the locations */
    sw_vec rows;           /* part_row: what of it is whose */
    uint32_t *location_of; /* [reg_count] number of its location, plus one */
    /* The side exit that was made last, for all that leaves there. */
    LLVMBasicBlockRef last_out;
    LLVMValueRef last_mask;
    uint32_t last_index, last_block;
};

/* Parts of all lanes, and where they stand in the table. */
typedef struct {
    const int32_t *lanes;
    uint32_t at;
} part_row;

void
sw_jit_exits_open(sw_jit_emit *e)
{
    sw_jit_exits *x = sw_alloc(sizeof *x);
    sw_vec_init(&x->side_exits, sizeof(sw_jit_side_exit));
    sw_vec_init(&x->locations, sizeof(sw_jit_location));
    sw_vec_init(&x->stack_map, sizeof(uint32_t));
    sw_vec_init(&x->parts, sizeof(int32_t));
    sw_vec_init(&x->rows, sizeof(part_row));
    x->location_of = sw_alloc(e->plan->fn->reg_count * sizeof *x->location_of);
    e->k.exits = x;
}

void
sw_jit_exits_next(sw_jit_emit *e)
{
    e->k.exits->last_out = NULL;
    if (e->plan->phases > 1) /* registers have other shapes */
        sw_jit_exits_renew(e);
}

void
sw_jit_exits_renew(sw_jit_emit *e)
{
    memset(e->k.exits->location_of, 0,
           e->plan->fn->reg_count * sizeof *e->k.exits->location_of);
}

void
sw_jit_exits_forget(sw_jit_emit *e)
{
    e->k.exits->last_out = NULL;
}

void
sw_jit_exits_finish(sw_jit_emit *e)
{
    sw_jit_exits *x = e->k.exits;
    sw_vec_finish(&x->side_exits);
    sw_vec_finish(&x->locations);
    sw_vec_finish(&x->stack_map);
    sw_vec_finish(&x->parts);
    sw_vec_finish(&x->rows);
    sw_free(x->location_of);
    sw_free(x);
}

void
sw_jit_exits_take(const sw_jit_emit *e, sw_jit_result *result)
{
    const sw_jit_exits *x = e->k.exits;
    result->side_exits =
        sw_jit_table_of(&x->side_exits, sizeof *result->side_exits);
    result->side_exit_count = (uint32_t)x->side_exits.count;
    result->locations =
        sw_jit_table_of(&x->locations, sizeof *result->locations);
    result->location_count = (uint32_t)x->locations.count;
    result->stack_map =
        sw_jit_table_of(&x->stack_map, sizeof *result->stack_map);
    result->stack_map_count = (uint32_t)x->stack_map.count;
    result->lanes = sw_jit_table_of(&x->parts, sizeof *result->lanes);
    result->lane_count = (uint32_t)x->parts.count;
}

/* ---- storing it ---- */

/* Where lanes' parts, interned by opt/shape.h, stand in the table; NULL: zeros.
 */
static uint32_t
parts_of(const sw_jit_emit *e, const int32_t *lanes)
{
    sw_jit_exits *x = e->k.exits;
    for (size_t i = 0; i < x->rows.count; i++) {
        const part_row *known = sw_vec_at(&x->rows, i);
        if (known->lanes == lanes)
            return known->at;
    }
    part_row *row = sw_vec_push(&x->rows);
    *row = (part_row){lanes, (uint32_t)x->parts.count};
    for (unsigned i = 0; i < e->lanes; i++)
        *(int32_t *)sw_vec_push(&x->parts) = lanes ? lanes[i] : 0;
    return row->at;
}

static uint32_t
location_of(sw_jit_emit *e, sw_reg reg)
{
    sw_jit_exits *x = e->k.exits;
    const sw_shape *shape = &e->shapes->regs[reg];
    sw_class cls = e->plan->fn->regs[reg].cls;
    if (x->location_of[reg])
        return x->location_of[reg] - 1;
    sw_jit_location *f = sw_vec_push(&x->locations);
    *f = (sw_jit_location){
        .frame_slot = e->plan->rq->frame_slots[reg],
        .bytes = cls == SW_CLASS_PRED ? 0 : (uint8_t)sw_class_bytes(cls),
        .kind = shape->kind,
        .raw = shape->kind == SW_SHAPE_VARYING ? e->plan->raw[reg] : 0,
        .is_signed = shape->is_signed,
        .scale = shape->scale,
        .c = parts_of(e, shape->c),
        .v = parts_of(e, shape->v),
        .d = parts_of(e, shape->d)};
    x->location_of[reg] = (uint32_t)x->locations.count;
    return x->location_of[reg] - 1;
}

/* What lies there, if the runtime has to make lanes of it. */
static void
note_location(sw_jit_emit *e, sw_reg reg)
{
    bool varies = e->shapes->regs[reg].kind == SW_SHAPE_VARYING;
    if (e->plan->fn->regs[reg].cls != SW_CLASS_PRED &&
        (!varies || e->plan->raw[reg]))
        *(uint32_t *)sw_vec_push(&e->k.exits->stack_map) = location_of(e, reg);
}

void
sw_jit_note_osr_location(sw_jit_emit *e, sw_reg reg)
{
    if (e->shapes->regs[reg].kind != SW_SHAPE_VARYING)
        *(uint32_t *)sw_vec_push(&e->k.exits->stack_map) = location_of(e, reg);
}

uint32_t
sw_jit_stack_map_count(const sw_jit_emit *e)
{
    return (uint32_t)e->k.exits->stack_map.count;
}

static void
store_reg(sw_jit_emit *e, const LLVMValueRef *regs, sw_reg reg)
{
    sw_jit_store_frame_slot(e, regs, reg);
    note_location(e, reg);
}

typedef struct {
    sw_jit_emit *e;
    LLVMValueRef regs[SW_JIT_FUSED_MAX]; /* frames of the fused warps */
} writer;

static void
store_written(void *data, sw_reg reg)
{
    const writer *w = data;
    if (!(w->e->f.now[reg / 64] >> (reg % 64) & 1))
        store_reg(w->e, w->regs, reg);
}

static writer
writer_of(sw_jit_emit *e)
{
    writer to = {.e = e};
    sw_jit_frames_of(e, to.regs);
    return to;
}

/* What is needed from the instruction on, or by lanes that are elsewhere. What
 * is kept in its frame slot is there as long as it lives; of what ends in this
 * block another register may have taken the place since, when instructions are
 * done again. */
static void
store_living(sw_jit_emit *e, uint32_t index)
{
    writer w = writer_of(e);
    const uint64_t *parked =
        e->shapes->parked + e->b.block * e->plan->live->words;
    const uint64_t *out =
        e->plan->live->out + e->b.block * e->plan->live->words;
    for (size_t i = 0; i < e->plan->live->words; i++) {
        uint64_t stays = parked[i] | out[i];
        for (uint64_t set = e->f.now[i] | parked[i]; set; set &= set - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(set);
            sw_reg reg = (sw_reg)(i * 64 + bit);
            if (!(stays >> bit & 1) || !sw_jit_is_kept(e, reg))
                sw_jit_store_frame_slot(e, w.regs, reg);
            note_location(e, reg);
        }
    }
    if (index == e->at.index + 1) /* what it has just written */
        sw_ins_visit_writes(e->at.ins, store_written, &w);
}

/* Registers that an instruction reads, each once. Some instructions are always
 * executed so: their floats are made exact here, faster than by a table. */
typedef struct {
    writer to;
    uint64_t *seen; /* bit set */
} sources;

static void
store_source(void *data, sw_reg reg)
{
    const sources *s = data;
    sw_jit_emit *e = s->to.e;
    uint64_t bit = UINT64_C(1) << (reg % 64);
    uint8_t raw = e->plan->raw[reg];
    if (s->seen[reg / 64] & bit)
        return;
    s->seen[reg / 64] |= bit;
    sw_jit_value v = sw_jit_read_reg(e, reg);
    if (raw && v.shape.kind == SW_SHAPE_VARYING)
        sw_jit_put_lanes(
            e, s->to.regs, e->plan->rq->frame_slots[reg],
            sw_jit_alu_exact(&e->ll, (sw_type)raw, e->lanes, v.base));
    else
        store_reg(e, s->to.regs, reg);
}

/* Lanes wait at reconvergence points behind this place only. */
static void
store_pending(sw_jit_emit *e)
{
    uint32_t head = e->shapes->head[e->b.block];
    if (e->f.own_pending && !e->f.pending_base)
        LLVMBuildMemSet(B, e->f.own_pending, LLVMConstNull(e->t.i8),
                        sw_jit_i64(e, sw_jit_pending_bytes(e)), 4);
    if (head == SW_SHAPES_ROOT || e->f.pending_base)
        return;
    LLVMValueRef table =
        e->f.own_pending
            ? e->f.own_pending
            : sw_jit_field(e, offsetof(sw_jit_ctx, pending), e->t.ptr, true);
    uint32_t blocks = e->plan->fn->block_count,
             here = e->plan->cfg->sched[head];
    for (uint32_t i = 0; i < blocks + e->plan->cfg->loop_count; i++) {
        LLVMValueRef slot =
            i < blocks ? e->f.pending[i] : e->f.latch_pending[i - blocks];
        if (!slot ||
            (i < blocks ? e->plan->cfg->sched[i]
                        : e->plan->cfg->loops[i - blocks].latch) <= here)
            continue;
        LLVMValueRef m = LLVMBuildLoad2(B, e->t.mask_type, slot, "");
        sw_jit_put_part(e, table, e->lanes / 8 * i, sw_jit_mask_bits(e, m), 4);
    }
}

/* ---- ways out ---- */

/* The row for what has been stored since the stack map had `first` entries. */
static uint32_t
add_side_exit(sw_jit_exits *x, uint32_t index, uint32_t first)
{
    *(sw_jit_side_exit *)sw_vec_push(&x->side_exits) =
        (sw_jit_side_exit){index, first, (uint32_t)x->stack_map.count - first};
    return (uint32_t)x->side_exits.count - 1;
}

uint32_t
sw_jit_store_sources(sw_jit_emit *e)
{
    uint32_t first = (uint32_t)e->k.exits->stack_map.count;
    sources s = {writer_of(e),
                 sw_alloc((e->plan->live->words + 1) * sizeof(uint64_t))};
    sw_ins unguarded = *e->at.ins;
    unguarded.guard = 0;
    sw_ins_visit_reads(&unguarded, store_source, &s);
    sw_free(s.seen);
    return add_side_exit(e->k.exits, e->at.index, first);
}

/* By row `number` of the table. */
static void
go_out(sw_jit_emit *e, uint32_t number, LLVMValueRef bits)
{
    LLVMValueRef args[2] = {sw_jit_i32(e, number), sw_jit_mask_memory(e, bits)};
    sw_jit_call(e, SW_JIT_SIDE_EXIT, e->t.nothing, args, 2);
    if (e->f.frame_slots)
        LLVMBuildRet(
            B, sw_jit_field(e, offsetof(sw_jit_ctx, left), e->t.i32, false));
    else if (e->plan->block_loop)
        LLVMBuildBr(B, e->f.finish);
    else
        LLVMBuildUnreachable(B);
}

void
sw_jit_emit_side_exit(sw_jit_emit *e, uint32_t index, LLVMValueRef bits)
{
    sw_jit_exits *x = e->k.exits;
    uint32_t first = (uint32_t)x->stack_map.count;
    store_living(e, index);
    store_pending(e);
    sw_jit_flush_count(e);
    go_out(e, add_side_exit(x, index, first), bits);
}

void
sw_jit_emit_final_exit(sw_jit_emit *e, LLVMValueRef bits)
{
    uint32_t number = sw_jit_store_sources(e);
    store_pending(e);
    sw_jit_flush_count(e);
    go_out(e, number, bits);
}

/* ---- which way ---- */

/* Whether the interpreter may begin at the last side exit instead of here, with
 * the registers of here. */
static bool
can_replay(const sw_jit_emit *e)
{
    const sw_jit_exits *x = e->k.exits;
    uint32_t first = e->plan->first_ins[e->b.block];
    if (!x->last_out || x->last_block != e->b.block ||
        x->last_mask != e->mask.path || x->last_index > e->at.index ||
        x->last_index + sw_jit_tune.exit_replay < e->at.index)
        return false;
    if (e->k.counters && x->last_index < e->at.index)
        return false; /* what lies between has been counted */
    return sw_jit_may_go_back(e->plan->fn->blocks[e->b.block],
                              x->last_index - first, e->at.index - first);
}

void
sw_jit_exit_unless(sw_jit_emit *e, LLVMValueRef stay)
{
    sw_jit_exits *x = e->k.exits;
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMBasicBlockRef fail = e->at.fail ? e->at.fail : e->at.replay;
    if (fail) {
        sw_jit_likely(e, LLVMBuildCondBr(B, stay, on, fail), true);
        LLVMPositionBuilderAtEnd(B, on);
        return;
    }
    bool is_new = !can_replay(e);
    if (is_new) {
        x->last_out = sw_jit_block(e, "out");
        x->last_index = e->at.index;
        x->last_block = e->b.block;
        x->last_mask = e->mask.path;
    }
    sw_jit_likely(e, LLVMBuildCondBr(B, stay, on, x->last_out), true);
    if (is_new) {
        LLVMPositionBuilderAtEnd(B, x->last_out);
        sw_jit_count_back(e, e->at.index);
        sw_jit_emit_side_exit(e, e->at.index,
                              sw_jit_mask_bits(e, e->mask.path));
    }
    LLVMPositionBuilderAtEnd(B, on);
}
