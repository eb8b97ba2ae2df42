/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - loads of shared memory that an assembler makes one of: words side
 * by side, whose address it knows to be a multiple of 8 or 16; see code.h.
 */
#include "model/code.h"

enum { DEPTH = 12, WORD = 4, QUAD_BITS = 4, PAIR_BITS = 3, BITS = 32 };

/* Definitions of the registers that have but one. */
typedef struct {
    const sw_fn *fn;
    const sw_ins **def;
    uint8_t *times;
} definitions;

static void
find_definitions(definitions *d)
{
    for (uint32_t b = 0; b < d->fn->block_count; b++)
        for (uint32_t i = 0; i < d->fn->blocks[b]->count; i++) {
            const sw_ins *ins = d->fn->blocks[b]->ins[i];
            for (unsigned k = 0; k < ins->ndst; k++) {
                if (ins->opnd[k].kind != SW_OPND_REG)
                    continue;
                sw_reg reg = ins->opnd[k].reg;
                d->def[reg] = ins;
                if (d->times[reg] < 2)
                    d->times[reg]++;
            }
        }
}

static unsigned zeros_of(const definitions *d, const sw_opnd *o, int depth);

static unsigned
zeros_of_result(const definitions *d, const sw_ins *ins, int depth)
{
    unsigned a, b;
    switch (ins->op) {
    case SW_OP_ADDR: /* arrays lie at multiples of 16 */
        return QUAD_BITS;
    case SW_OP_MOV:
    case SW_OP_CVT:
    case SW_OP_CVTA:
        return zeros_of(d, sw_ins_src(ins, 0), depth);
    case SW_OP_SHL:
        if (sw_ins_src(ins, 1)->kind != SW_OPND_IMM)
            return 0;
        a = zeros_of(d, sw_ins_src(ins, 0), depth);
        return a + (unsigned)(sw_ins_src(ins, 1)->imm & (BITS - 1));
    case SW_OP_MUL_LO:
    case SW_OP_MUL_WIDE:
        return zeros_of(d, sw_ins_src(ins, 0), depth) +
               zeros_of(d, sw_ins_src(ins, 1), depth);
    case SW_OP_MAD_LO:
        a = zeros_of(d, sw_ins_src(ins, 0), depth) +
            zeros_of(d, sw_ins_src(ins, 1), depth);
        b = zeros_of(d, sw_ins_src(ins, 2), depth);
        return a < b ? a : b;
    case SW_OP_ADD:
    case SW_OP_SUB:
    case SW_OP_OR:
        a = zeros_of(d, sw_ins_src(ins, 0), depth);
        b = zeros_of(d, sw_ins_src(ins, 1), depth);
        return a < b ? a : b;
    case SW_OP_AND:
        a = zeros_of(d, sw_ins_src(ins, 0), depth);
        b = zeros_of(d, sw_ins_src(ins, 1), depth);
        return a > b ? a : b;
    default:
        return 0;
    }
}

/* Bits that are zero at the value's end, as far as its definitions tell. */
static unsigned
zeros_of(const definitions *d, const sw_opnd *o, int depth)
{
    if (o->kind == SW_OPND_IMM)
        return o->imm ? (unsigned)__builtin_ctzll(o->imm) : BITS;
    if (o->kind == SW_OPND_SYM)
        return QUAD_BITS;
    if (o->kind != SW_OPND_REG || !depth || d->times[o->reg] != 1)
        return 0;
    return zeros_of_result(d, d->def[o->reg], depth - 1);
}

static bool
is_word_load(const sw_ins *ins)
{
    return ins->op == SW_OP_LD && ins->space == SW_SPACE_SHARED &&
           !ins->guard && ins->ndst == 1 && ins->order == SW_ORDER_WEAK &&
           sw_type_bits((sw_type)ins->type) == BITS;
}

static bool
is_same_base(const sw_ins *a, const sw_ins *b)
{
    const sw_opnd *p = sw_ins_src(a, 0), *q = sw_ins_src(b, 0);
    return p->kind == q->kind && p->reg == q->reg && p->sym == q->sym;
}

/* Where the address of a load is, in bytes from its base. */
static int64_t
place_of(const sw_ins *ins)
{
    return ins->offset + (int64_t)sw_ins_src(ins, 0)->imm;
}

static void
merge_block(const definitions *d, const sw_block *block, uint16_t *group)
{
    uint32_t from = 0; /* no store since */
    for (uint32_t i = 0; i < block->count && i < SW_PLAY_NOWHERE; i++) {
        const sw_ins *ins = block->ins[i];
        group[i] = (uint16_t)i;
        if (sw_op_get_info((sw_op)ins->op)->effects == SW_FX_WRITE ||
            sw_op_get_info((sw_op)ins->op)->effects == SW_FX_ATOMIC ||
            sw_op_get_info((sw_op)ins->op)->effects == SW_FX_SYNC)
            from = i + 1;
        if (!is_word_load(ins))
            continue;
        unsigned bits = zeros_of(d, sw_ins_src(ins, 0), DEPTH);
        bits = bits < QUAD_BITS ? bits : QUAD_BITS;
        for (uint32_t k = from; k < i && bits >= PAIR_BITS; k++)
            if (is_word_load(block->ins[k]) &&
                is_same_base(block->ins[k], ins) &&
                place_of(block->ins[k]) >> bits == place_of(ins) >> bits) {
                group[i] = group[k];
                break;
            }
    }
}

uint16_t **
sw_code_merge(sw_arena *arena, const sw_fn *fn)
{
    definitions d = {.fn = fn,
                     .def = sw_alloc((fn->reg_count + 1) * sizeof *d.def),
                     .times = sw_alloc(fn->reg_count + 1)};
    uint16_t **groups =
        sw_arena_alloc(arena, (fn->block_count + 1) * sizeof *groups);
    find_definitions(&d);
    for (uint32_t b = 0; b < fn->block_count; b++) {
        groups[b] =
            sw_arena_alloc(arena, (fn->blocks[b]->count + 1) * sizeof **groups);
        merge_block(&d, fn->blocks[b], groups[b]);
    }
    sw_free(d.def);
    sw_free(d.times);
    return groups;
}
