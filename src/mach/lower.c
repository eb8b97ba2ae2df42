/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.c - from IR to what a machine executes, as far as registers
 * are concerned; see mach.h.
 *
 * - Kernel parameters, block sizes and numbers are operands of any instruction
 *   (the constant bank, immediates), one each: no register. From capability
 *   7.5 on, so is the block's index, in a uniform register.
 * - What one instruction of the machine does is one here: a product and a sum,
 *   a widened index times a size plus a base, three logical inputs.
 * - A move whose source and destination are never needed at once is none.
 */
#include <string.h>

#include "mach/lower.h"
#include "opt/liveness.h"

uint32_t
sw_mach_clocks(sw_mach_latency latency, uint32_t cc)
{
    static const struct {
        sw_mach_latency latency;
        uint32_t since, clocks;
    } rows[] = {
#define LATENCY(name, since, clocks, what) {SW_LATENCY_##name, since, clocks},
#include "mach/latency.def"
#undef LATENCY
    };
    uint32_t clocks = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].latency == latency && (cc >= rows[i].since || !clocks))
            clocks = rows[i].clocks;
    return clocks;
}

uint32_t
sw_mach_add_value(sw_mach_fn *m, unsigned words)
{
    *(sw_mach_value *)sw_vec_push(&m->values) =
        (sw_mach_value){.words = (uint8_t)words, .reg = SW_MACH_NO_REGISTER};
    return (uint32_t)m->values.count - 1;
}

sw_mach_op *
sw_mach_create_op(sw_mach_fn *m, sw_mach_kind kind, unsigned ndst,
                  unsigned nsrc)
{
    sw_mach_op *op = sw_arena_alloc(m->arena, sizeof *op);
    op->kind = (uint8_t)kind;
    op->latency = (uint16_t)sw_mach_clocks(SW_LATENCY_ALU, m->cc);
    op->ndst = (uint16_t)ndst;
    op->nsrc = (uint16_t)nsrc;
    op->value = sw_arena_alloc(m->arena, (ndst + nsrc + 1) * sizeof *op->value);
    return op;
}

static unsigned
words_of(sw_class cls)
{
    unsigned bytes = sw_class_bytes(cls);
    return cls == SW_CLASS_PRED ? 0 : bytes <= 4 ? 1 : bytes / 4;
}

/* ---- moves ---- */

typedef struct {
    sw_reg to, from;
    bool needed_at_once;
} move;

static uint32_t
find(const lowering *w, uint32_t reg)
{
    while (w->joined[reg] != reg)
        reg = w->joined[reg];
    return reg;
}

typedef struct {
    uint64_t *set;
    move *moves;
    const uint32_t *first, *next; /* moves of each register, by side */
    const sw_ins *ins;
} move_walk;

static void
remove_live(void *data, sw_reg reg)
{
    move_walk *v = data;
    v->set[reg / 64] &= ~((uint64_t)1 << reg % 64);
}

static void
add_live(void *data, sw_reg reg)
{
    move_walk *v = data;
    v->set[reg / 64] |= (uint64_t)1 << reg % 64;
}

/* A definition of one side while the other is live. */
static void
check_def(void *data, sw_reg reg)
{
    move_walk *v = data;
    for (uint32_t k = v->first[reg]; k; k = v->next[k]) {
        move *c = &v->moves[k / 2];
        sw_reg other = c->to == reg ? c->from : c->to;
        bool is_the_move = v->ins->op == SW_OP_MOV && reg == c->to &&
                           sw_ins_src(v->ins, 0)->kind == SW_OPND_REG &&
                           sw_ins_src(v->ins, 0)->reg == c->from;
        if (!is_the_move && v->set[other / 64] >> other % 64 & 1)
            c->needed_at_once = true;
    }
}

static void
walk_moves(lowering *w, const sw_liveness *live, move_walk *v)
{
    for (uint32_t b = 0; b < w->fn->block_count; b++) {
        const sw_block *block = w->fn->blocks[b];
        memcpy(v->set, live->out + b * live->words, live->words * 8);
        for (uint32_t i = block->count; i-- > 0;) {
            v->ins = block->ins[i];
            sw_ins_visit_writes(v->ins, check_def, v);
            if (!v->ins->guard)
                sw_ins_visit_writes(v->ins, remove_live, v);
            sw_ins_visit_reads(v->ins, add_live, v);
        }
    }
}

static bool
is_plain_move(const lowering *w, const sw_ins *ins)
{
    if ((ins->op != SW_OP_MOV && ins->op != SW_OP_CVTA) || ins->guard ||
        ins->ndst != 1 || ins->opnd[0].kind != SW_OPND_REG)
        return false;
    const sw_opnd *from = sw_ins_src(ins, 0);
    return from->kind == SW_OPND_REG && !w->is_free[from->reg] &&
           !w->folded[from->reg] &&
           w->is_half[from->reg] == w->is_half[ins->opnd[0].reg] &&
           w->fn->regs[from->reg].cls == w->fn->regs[ins->opnd[0].reg].cls;
}

static void
join_moves(lowering *w)
{
    sw_vec moves, links;
    sw_liveness *live = sw_liveness_create(w->fn, w->m->cfg);
    uint32_t *first = sw_alloc(w->fn->reg_count * sizeof *first);
    sw_vec_init(&moves, sizeof(move));
    sw_vec_init(&links, sizeof(uint32_t));
    sw_vec_push(&moves); /* link numbers below 2 mean none */
    sw_vec_push(&links);
    sw_vec_push(&links);
    for (uint32_t b = 0; b < w->fn->block_count; b++)
        for (uint32_t i = 0; i < w->fn->blocks[b]->count; i++) {
            const sw_ins *ins = w->fn->blocks[b]->ins[i];
            if (!is_plain_move(w, ins))
                continue;
            move *c = sw_vec_push(&moves);
            *c = (move){ins->opnd[0].reg, sw_ins_src(ins, 0)->reg, false};
            *(uint32_t *)sw_vec_push(&links) = first[c->to];
            first[c->to] = (uint32_t)links.count - 1;
            *(uint32_t *)sw_vec_push(&links) = first[c->from];
            first[c->from] = (uint32_t)links.count - 1;
        }
    move_walk v = {.set = sw_alloc(live->words * 8 + 8),
                   .moves = moves.data,
                   .first = first,
                   .next = links.data};
    walk_moves(w, live, &v);
    for (size_t i = 1; i < moves.count; i++)
        if (!v.moves[i].needed_at_once)
            w->joined[find(w, v.moves[i].to)] = find(w, v.moves[i].from);
    sw_free(v.set);
    sw_free(first);
    sw_vec_finish(&moves);
    sw_vec_finish(&links);
    sw_liveness_destroy(live);
}

/* ---- instructions ---- */

typedef struct {
    uint32_t src[MAX_OPERANDS];
    unsigned count;
    unsigned constants;    /* operands from the constant bank, and numbers */
    unsigned extended;     /* 32-bit numbers that stand for 64 bits */
    const sw_ins *product; /* that is one with the sum */
    unsigned words;        /* of the widest of them */
    uint64_t number;       /* the last: its bits, or its register's number */
    uint32_t temps[4];     /* constants brought into registers for this one */
    unsigned temp_count;
} sources;

static uint32_t
value_of(lowering *w, sw_reg reg)
{
    uint32_t r = find(w, reg);
    if (!w->value[r])
        w->value[r] = sw_mach_add_value(
            w->m, w->is_half[reg] ? 1 : words_of(w->fn->regs[r].cls));
    return w->value[r];
}

static void
add_source(sources *s, uint32_t value)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->src[i] == value)
            return;
    if (s->count < MAX_OPERANDS)
        s->src[s->count++] = value;
}

static void
push(lowering *w, sw_mach_op *op)
{
    *(sw_mach_op **)sw_vec_push(&w->ops) = op;
}

/* Instructions that bring a constant to where others can read it: all from 9.0
 * on, a block's place in the grid since it is in a uniform register. */
static void
load_constant(lowering *w, sw_reg reg)
{
    const sw_ins *ins = w->def[reg];
    const void *what = ins;
    while (ins && (ins->op == SW_OP_MOV || ins->op == SW_OP_CVTA)) {
        const sw_opnd *o = sw_ins_src(ins, 0);
        ins = o->kind == SW_OPND_REG ? w->def[o->reg] : NULL;
    }
    if (!ins || !w->m->is_traced || ins->op == SW_OP_ADDR)
        return;
    bool is_place = ins->op == SW_OP_SREG && ins->sub >= SW_SREG_CTAID_X &&
                    ins->sub <= SW_SREG_CTAID_Z;
    if (w->m->cc < LOADED_BASES_FROM && !is_place)
        return;
    what = ins;
    for (unsigned i = 0; i < w->loaded_count; i++)
        if (w->loaded[i] == what)
            return;
    if (w->loaded_count == LOADED)
        return;
    w->loaded[w->loaded_count++] = what;
    sw_mach_op *op = sw_mach_create_op(w->m, SW_MACH_ALU, 0, 0);
    if (w->m->cfg->loop[w->block])
        *(sw_mach_op **)sw_vec_push(&w->early) = op;
    else
        push(w, op);
}

static void
collect(lowering *w, const sw_ins *ins, unsigned first, sources *s)
{
    for (unsigned i = first; i < ins->nsrc; i++) {
        const sw_opnd *o = sw_ins_src(ins, i);
        if (o->kind == SW_OPND_REG && w->folded[o->reg]) {
            const sw_ins *from = w->folded[o->reg];
            s->extended += from->op == SW_OP_CVT &&
                           sw_type_bits((sw_type)from->type) == 64 &&
                           !w->is_half[o->reg];
            if (from->op == SW_OP_MUL_WIDE || from->op == SW_OP_MUL_LO)
                s->product = from;
            collect(w, from, 0, s);
        } else if (o->kind == SW_OPND_REG && !w->is_free[o->reg]) {
            add_source(s, value_of(w, o->reg));
        } else if (o->kind != SW_OPND_NONE) {
            if (o->kind == SW_OPND_REG)
                load_constant(w, o->reg);
            sw_class cls = sw_ins_class(w->fn, ins, ins->ndst + i);
            bool is_zero = o->kind == SW_OPND_IMM && !o->imm;
            if (is_zero) /* the register that reads as zero */
                continue;
            s->constants++;
            if (words_of(cls) > s->words)
                s->words = words_of(cls);
            s->number =
                o->kind == SW_OPND_IMM ? o->imm : (uint64_t)o->reg << 32;
        }
    }
}

/* A constant brought into registers just before it is used. */
static uint32_t
add_temp(lowering *w, sources *s, unsigned words)
{
    uint32_t value = sw_mach_add_value(w->m, words);
    sw_mach_value_at(w->m, value)->is_temp = true;
    sw_mach_value_at(w->m, value)->is_scratch = true;
    if (s->temp_count < sizeof s->temps / sizeof *s->temps)
        s->temps[s->temp_count++] = value;
    return value;
}

/* The second constant of an instruction. A number is kept for what follows in
 * the block, as the sizes of elements are. */
static void
add_constant(lowering *w, sources *s)
{
    if (w->m->cc >= LOADED_BASES_FROM && s->words == 2) {
        add_temp(w, s, 2);
        return;
    }
    for (unsigned i = 0; i < w->kept_count; i++)
        if (w->kept[i].number == s->number) {
            add_source(s, w->kept[i].value);
            return;
        }
    if (w->kept_count == TEMPS) {
        add_temp(w, s, 1);
        return;
    }
    sw_mach_op *op = sw_mach_create_op(w->m, SW_MACH_ALU, 1, 0);
    op->value[0] = sw_mach_add_value(w->m, 1);
    push(w, op);
    w->kept[w->kept_count].number = s->number;
    w->kept[w->kept_count++].value = op->value[0];
    add_source(s, op->value[0]);
}

/* Registers that the instructions take which an operation is made of, beside
 * its operands; from `ptxas -v` of kernels with one such operation. */
static unsigned
scratch_words(const sw_ins *ins)
{
    unsigned bits = sw_type_bits((sw_type)ins->type);
    bool is_float = sw_type_kind((sw_type)ins->type) == SW_KIND_FLOAT;
    bool is_exact = !(ins->flags & (SW_F_APPROX | SW_F_FULL));
    switch (ins->op) {
    case SW_OP_DIV:
    case SW_OP_REM:
        if (!is_float)
            return bits == 64 ? 16 : 4;
        return bits == 64 ? 16 : is_exact ? 8 : 2;
    case SW_OP_SQRT:
    case SW_OP_RCP:
        return !is_float || !is_exact ? 0 : bits == 64 ? 12 : 5;
    default:
        return 0;
    }
}

static sw_mach_kind
kind_of(const sw_ins *ins)
{
    switch (sw_op_get_info((sw_op)ins->op)->effects) {
    case SW_FX_READ:
        return SW_MACH_LOAD;
    case SW_FX_WRITE:
        return SW_MACH_STORE;
    case SW_FX_ATOMIC:
        return SW_MACH_ATOMIC;
    case SW_FX_SYNC:
        return SW_MACH_FENCE;
    case SW_FX_FLOW:
        return ins->op == SW_OP_CALL || ins->op == SW_OP_TRAP ? SW_MACH_FENCE
                                                              : SW_MACH_END;
    default:
        return SW_MACH_ALU;
    }
}

static sw_mach_latency
latency_of(const sw_ins *ins)
{
    bool on_chip = ins->space == SW_SPACE_SHARED ||
                   ins->space == SW_SPACE_CONST || ins->space == SW_SPACE_PARAM;
    switch (sw_op_get_info((sw_op)ins->op)->unit) {
    case SW_UNIT_LSU:
        return on_chip ? SW_LATENCY_SHARED : SW_LATENCY_MEMORY;
    case SW_UNIT_TEX:
        return SW_LATENCY_MEMORY;
    case SW_UNIT_SFU:
    case SW_UNIT_SHFL:
    case SW_UNIT_MMA:
        return SW_LATENCY_SFU;
    default:
        return SW_LATENCY_ALU;
    }
}

/* Loads and stores of vectors want neighbours, on a boundary of their size. */
static void
join_tuple(lowering *w, const uint32_t *values, unsigned n)
{
    unsigned words = 0;
    for (unsigned i = 0; i < n; i++) {
        const sw_mach_value *v = sw_mach_value_at(w->m, values[i]);
        words += v->words;
        if (!v->words || v->of || v->is_temp)
            return;
        for (unsigned k = 0; k < i; k++)
            if (values[k] == values[i])
                return;
    }
    if (words > 4)
        return;
    for (unsigned i = 0; i < n; i++) {
        sw_mach_value *v = sw_mach_value_at(w->m, values[i]);
        v->of = (uint8_t)n;
        memcpy(v->group, values, n * sizeof *values);
    }
}

static void
lower_address(lowering *w, const sw_ins *ins, sources *s)
{
    const sw_opnd *o = sw_ins_src(ins, 0);
    bool is_global =
        ins->space == SW_SPACE_GLOBAL || ins->space == SW_SPACE_GENERIC;
    if (o->kind == SW_OPND_REG && w->folded[o->reg]) {
        collect(w, w->folded[o->reg], 0, s);
    } else if (o->kind == SW_OPND_REG && !w->is_free[o->reg]) {
        add_source(s, value_of(w, o->reg));
    } else if (is_global && w->m->cc != UNIFORM_FROM) {
        if (o->kind == SW_OPND_REG)
            load_constant(w, o->reg);
        /* 7.5 addresses memory by a uniform register; before there are none,
         * later ones hold the descriptor there. */
        add_temp(w, s, w->fn->module->address_size / 32);
    }
}

static uint32_t
folded_source(lowering *w, sw_reg reg)
{
    sources s = {.count = 0};
    collect(w, w->folded[reg], 0, &s);
    return s.count ? s.src[0] : SW_MACH_NO_VALUE;
}

/* A constant that is stored: it is moved into a register. */
static uint32_t
add_stored(lowering *w, const sw_ins *ins, unsigned i, sources *s)
{
    const sw_opnd *o = sw_ins_src(ins, i);
    if (o->kind == SW_OPND_REG)
        load_constant(w, o->reg);
    if (w->m->is_traced)
        push(w, sw_mach_create_op(w->m, SW_MACH_ALU, 0, 0));
    return add_temp(w, s, words_of(sw_ins_class(w->fn, ins, ins->ndst + i)));
}

static void
lower_stored(lowering *w, const sw_ins *ins, sources *s)
{
    unsigned stored = 0;
    uint32_t values[4];
    for (unsigned i = 1; i < ins->nsrc; i++) {
        const sw_opnd *o = sw_ins_src(ins, i);
        uint32_t value = SW_MACH_NO_VALUE;
        if (o->kind == SW_OPND_REG && w->folded[o->reg])
            value = folded_source(w, o->reg);
        else if (o->kind == SW_OPND_REG && !w->is_free[o->reg])
            value = value_of(w, o->reg);
        else if (o->kind == SW_OPND_REG || (o->kind == SW_OPND_IMM && o->imm) ||
                 o->kind == SW_OPND_SYM)
            value = add_stored(w, ins, i, s);
        if (!value)
            continue;
        if (!sw_mach_value_at(w->m, value)->is_temp)
            add_source(s, value);
        if (stored < 4)
            values[stored++] = value;
    }
    if (ins->op == SW_OP_ST && stored > 1 && stored == ins->nsrc - 1u &&
        sw_type_bits((sw_type)ins->type) >= 32)
        join_tuple(w, values, stored);
}

static void
lower_sources(lowering *w, const sw_ins *ins, sources *s)
{
    bool has_address = sw_op_get_info((sw_op)ins->op)->unit == SW_UNIT_LSU &&
                       ins->nsrc && ins->space != SW_SPACE_REG;
    const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
    if (ins->guard)
        add_source(s, value_of(w, ins->guard));
    if (has_address) {
        lower_address(w, ins, s);
        lower_stored(w, ins, s);
        return;
    }
    collect(w, ins, 0, s);
    for (uint32_t i = 0; call && i < call->arg_count; i++)
        if (call->args[i].kind == SW_OPND_REG && !w->is_free[call->args[i].reg])
            add_source(s, value_of(w, call->args[i].reg));
    /* One constant an instruction; others go through a register. */
    for (unsigned i = 1; i < s->constants && i < 3; i++)
        add_constant(w, s);
}

/* v = v + constant, the only one of its kind in a loop. */
static bool
is_step(const lowering *w, const sw_ins *ins)
{
    if ((ins->op != SW_OP_ADD && ins->op != SW_OP_SUB) || ins->guard)
        return false;
    const sw_opnd *a = sw_ins_src(ins, 0), *b = sw_ins_src(ins, 1);
    return a->kind == SW_OPND_REG && b->kind == SW_OPND_IMM &&
           find(w, a->reg) == find(w, ins->opnd[0].reg);
}

/* The lowest bits of a counter that begins with a number: within the copies of
 * a loop's body they are numbers. */
static bool
is_periodic(const lowering *w, const sw_ins *ins)
{
    const sw_opnd *a = sw_ins_src(ins, 0), *b = sw_ins_src(ins, 1);
    if (ins->op != SW_OP_AND || ins->guard || ins->ndst != 1 ||
        a->kind != SW_OPND_REG || b->kind != SW_OPND_IMM ||
        b->imm >= SW_MACH_UNROLL || (b->imm & (b->imm + 1)))
        return false;
    sw_reg counter = a->reg;
    while (w->def[counter] && w->def[counter]->op == SW_OP_CVT &&
           sw_ins_src(w->def[counter], 0)->kind == SW_OPND_REG)
        counter = sw_ins_src(w->def[counter], 0)->reg;
    return w->counts[counter] == 2 && w->defs[counter] == 2;
}

static void
lower_ins(lowering *w, const sw_ins *ins)
{
    sources s = {.count = 0};
    uint32_t dst[MAX_OPERANDS];
    unsigned ndst = 0;
    const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
    if (ins->ndst == 1 && ins->opnd[0].kind == SW_OPND_REG) {
        sw_reg reg = ins->opnd[0].reg;
        if (w->is_free[reg] || w->folded[reg])
            return;
        if (is_plain_move(w, ins) &&
            find(w, reg) == find(w, sw_ins_src(ins, 0)->reg))
            return;
    }
    lower_sources(w, ins, &s);
    for (unsigned i = 0; i < ins->ndst; i++)
        if (ins->opnd[i].kind == SW_OPND_REG && ndst < MAX_OPERANDS)
            dst[ndst++] = value_of(w, ins->opnd[i].reg);
    for (uint32_t i = 0; call && i < call->ret_count; i++)
        if (call->rets[i].kind == SW_OPND_REG && ndst < MAX_OPERANDS)
            dst[ndst++] = value_of(w, call->rets[i].reg);
    if (ins->guard) /* what was there may stay */
        for (unsigned i = 0; i < ndst; i++)
            add_source(&s, dst[i]);
    if (ins->op == SW_OP_RET)
        for (uint32_t i = 0; i < w->fn->ret_count; i++)
            if (w->fn->rets[i].kind == SW_OPND_REG)
                add_source(&s, value_of(w, w->fn->rets[i].reg));
    if (ndst > 1 &&
        (ins->op == SW_OP_LD || ins->op == SW_OP_TEX || ins->op == SW_OP_LDU) &&
        sw_type_bits((sw_type)ins->type) >= 32)
        join_tuple(w, dst, ndst > 4 ? 4 : ndst);
    for (unsigned i = 0; i < s.temp_count && ndst < MAX_OPERANDS; i++)
        dst[ndst++] = s.temps[i];
    for (unsigned left = scratch_words(ins); left && ndst < MAX_OPERANDS;) {
        unsigned words = left > 1 ? 2 : 1;
        dst[ndst] = sw_mach_add_value(w->m, words);
        sw_mach_value_at(w->m, dst[ndst])->is_temp = true;
        sw_mach_value_at(w->m, dst[ndst++])->is_scratch = true;
        left -= words;
    }
    sw_mach_op *op = sw_mach_create_op(w->m, kind_of(ins), ndst, s.count);
    memcpy(op->value, dst, ndst * sizeof *dst);
    memcpy(op->value + ndst, s.src, s.count * sizeof *s.src);
    op->ins = ins;
    op->latency = (uint16_t)sw_mach_clocks(latency_of(ins), w->m->cc);
    op->space = ins->space;
    op->is_ordered = (ins->op == SW_OP_LD || ins->op == SW_OP_ST) &&
                     ins->order != SW_ORDER_WEAK;
    op->steps = ins->ndst == 1 && is_step(w, ins);
    op->is_half = ins->ndst == 1 && ins->opnd[0].kind == SW_OPND_REG &&
                  w->is_half[ins->opnd[0].reg];
    op->extended = (uint8_t)s.extended;
    op->product = s.product;
    op->is_periodic = is_periodic(w, ins);
    op->compares = ins->op == SW_OP_SETP;
    op->is_wall = scratch_words(ins) >= WALL_WORDS || call;
    op->is_call = call != NULL;
    w->m->has_call |= op->is_call;
    push(w, op);
}

/* Where a branch to the block ends up, if that only branches on. */
static uint32_t
end_of(const sw_fn *fn, uint32_t block)
{
    for (uint32_t i = 0; i < fn->block_count; i++) {
        const sw_block *b = fn->blocks[block];
        if (b->count != 1 || b->ins[0]->op != SW_OP_BRA || b->ins[0]->guard)
            break;
        block = b->targets[0];
    }
    return block;
}

static void
lower_block(lowering *w, uint32_t b)
{
    const sw_block *block = w->fn->blocks[b];
    sw_mach_block *to = &w->m->blocks[b];
    w->kept_count = 0;
    w->block = b;
    sw_vec_clear(&w->ops);
    for (uint32_t i = 0; i < block->count; i++)
        lower_ins(w, block->ins[i]);
    to->count = (uint32_t)w->ops.count;
    to->ops = sw_arena_alloc(w->m->arena, (to->count + 1) * sizeof *to->ops);
    memcpy(to->ops, w->ops.data, to->count * sizeof *to->ops);
    for (uint32_t i = 0; i < block->target_count; i++)
        to->loops |= end_of(w->fn, block->targets[i]) == b;
}

/* What a function begins with, before the first block's operations. */
static void
add_beginning(lowering *w)
{
    sw_mach_block *to = &w->m->blocks[0];
    size_t n = w->early.count;
    if (!n)
        return;
    sw_mach_op **ops =
        sw_arena_alloc(w->m->arena, (n + to->count + 1) * sizeof *ops);
    memcpy(ops, w->early.data, n * sizeof *ops);
    memcpy(ops + n, to->ops, to->count * sizeof *ops);
    to->ops = ops;
    to->count += (uint32_t)n;
}

static bool
reaches_global(const sw_fn *fn)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            if (sw_op_get_info((sw_op)ins->op)->unit == SW_UNIT_LSU &&
                (ins->space == SW_SPACE_GLOBAL ||
                 ins->space == SW_SPACE_GENERIC))
                return true;
        }
    return false;
}

static void
find_beginning(lowering *w)
{
    const sw_mach_fn *m = w->m;
    unsigned n = 0;
    if (m->is_traced && w->fn->is_entry)
        n = (m->cc >= STACK_FROM ? 1u : 0u) +
            (m->cc >= DESCRIPTOR_FROM && reaches_global(w->fn) ? 1u : 0u);
    for (unsigned i = 0; i < n; i++)
        *(sw_mach_op **)sw_vec_push(&w->early) =
            sw_mach_create_op(w->m, SW_MACH_ALU, 0, 0);
}

void
sw_mach_lower(sw_mach_fn *m)
{
    const sw_fn *fn = m->fn;
    uint32_t n = fn->reg_count + 1;
    sw_arena *a = m->arena;
    lowering w = {.m = m,
                  .fn = fn,
                  .defs = sw_arena_alloc(a, n * sizeof *w.defs),
                  .uses = sw_arena_alloc(a, n * sizeof *w.uses),
                  .def = sw_arena_alloc(a, n * sizeof *w.def),
                  .home = sw_arena_alloc(a, n * sizeof *w.home),
                  .counts = sw_arena_alloc(a, n * sizeof *w.counts),
                  .added = sw_arena_alloc(a, n * sizeof *w.added),
                  .is_free = sw_arena_alloc(a, n * sizeof *w.is_free),
                  .is_half = sw_mach_find_halves(a, fn),
                  .is_summed = sw_arena_alloc(a, n * sizeof *w.is_summed),
                  .folded = sw_arena_alloc(a, n * sizeof *w.folded),
                  .joined = sw_arena_alloc(a, n * sizeof *w.joined),
                  .value = sw_arena_alloc(a, n * sizeof *w.value)};
    for (uint32_t r = 0; r < n; r++)
        w.joined[r] = r;
    sw_vec_init(&w.ops, sizeof(sw_mach_op *));
    sw_vec_init(&w.early, sizeof(sw_mach_op *));
    m->block_count = fn->block_count;
    m->blocks = sw_arena_alloc(a, fn->block_count * sizeof *m->blocks);
    (void)sw_mach_add_value(m, 0);
    sw_mach_fold(&w);
    join_moves(&w);
    find_beginning(&w);
    for (uint32_t b = 0; b < fn->block_count; b++)
        lower_block(&w, b);
    add_beginning(&w);
    sw_vec_finish(&w.early);
    sw_vec_finish(&w.ops);
}

sw_mach_fn *
sw_mach_create(const sw_fn *fn, const sw_cfg *cfg, uint32_t cc, bool is_traced)
{
    sw_arena *arena = sw_arena_create();
    sw_mach_fn *m = sw_arena_alloc(arena, sizeof *m);
    m->arena = arena;
    m->fn = fn;
    m->cfg = cfg;
    m->cc = cc;
    m->is_traced = is_traced;
    sw_vec_init(&m->values, sizeof(sw_mach_value));
    sw_mach_lower(m);
    sw_mach_find_liveness(m);
    return m;
}

void
sw_mach_destroy(sw_mach_fn *m)
{
    if (!m)
        return;
    sw_vec_finish(&m->values);
    sw_arena_destroy(m->arena);
}
