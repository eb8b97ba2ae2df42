/* SPDX-License-Identifier: Apache-2.0 */
/* argument_promotion.c - see argument_promotion.h. */
#include "opt/argument_promotion.h"

#include <string.h>

#include "base/base.h"
#include "opt/callees.h"
#include "opt/rewriter.h"

/* Registers that a slot may become. */
enum { PIECES = 16, WORD = 4 };

/* Bytes of a slot that are loaded and stored as one, 1 to 8; less may be loaded
 * from the beginning of a word at most. */
typedef struct {
    uint32_t at, bytes;
    bool is_stored;
} piece;

/* A slot; or, of those that calls put together, what holds for all. */
typedef struct {
    sw_sym *sym;
    uint32_t of;    /* number of another one that says what holds */
    bool is_memory; /* it has to stay */
    bool is_whole;  /* it becomes one register, or stays */
    uint32_t bytes; /* of the largest of them */
    uint32_t smallest;
    piece pieces[PIECES]; /* in the order of `at` */
    uint32_t count;
    sw_reg regs[PIECES]; /* of this slot, in its function */
} slot;

typedef struct {
    const sw_fn **fns;
    uint32_t count;
    sw_arena *arena;
    sw_vec slots;      /* slot *, each in the arena */
    sw_map *known;     /* key: address of sw_sym; value: number + 1 */
    bool has_indirect; /* calls by address */
} search;

static bool
is_slot(const sw_opnd *o)
{
    return o->kind == SW_OPND_SYM && o->sym->space == SW_SPACE_PARAM;
}

static slot *
slot_at(const search *s, uint32_t i)
{
    return *(slot **)sw_vec_at(&s->slots, i);
}

static uint32_t
number_of(search *s, sw_sym *sym)
{
    const void *p = sym;
    sw_str key = {(const char *)&p, sizeof p};
    uintptr_t known = (uintptr_t)sw_map_get(s->known, key);
    if (known)
        return (uint32_t)known - 1;
    slot *one = sw_arena_alloc(s->arena, sizeof *one);
    *(slot **)sw_vec_push(&s->slots) = one;
    uint32_t number = (uint32_t)s->slots.count - 1;
    uint32_t bytes = (uint32_t)sym->bytes;
    *one = (slot){.sym = sym, .of = number, .bytes = bytes, .smallest = bytes};
    sw_map_set(s->known, key, (void *)((uintptr_t)number + 1));
    return number;
}

/* The one that says what holds for it. */
static slot *
group_of(search *s, sw_sym *sym)
{
    uint32_t i = number_of(s, sym);
    while (slot_at(s, i)->of != i)
        i = slot_at(s, i)->of;
    return slot_at(s, i);
}

static bool
is_call_by_name(const search *s, const sw_fn *callee)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->fns[i]->sym == callee->sym)
            return !s->fns[i]->is_variadic;
    return false;
}

/* ---- what is accessed ---- */

/* Registers are as wide as what they have of the slot, or a word at most if
 * that is less. */
static bool
is_move(const sw_fn *fn, const sw_ins *ins)
{
    if ((ins->op != SW_OP_LD && ins->op != SW_OP_ST) ||
        ins->space != SW_SPACE_LOCAL || ins->order != 0)
        return false;
    unsigned bits = sw_type_bits((sw_type)ins->type);
    bool is_load = ins->op == SW_OP_LD;
    for (unsigned i = 0; i < ins->vec; i++) {
        const sw_opnd *o = is_load ? &ins->opnd[i] : sw_ins_src(ins, 1 + i);
        if (o->kind == SW_OPND_NONE || o->kind == SW_OPND_IMM)
            continue;
        if (o->kind != SW_OPND_REG)
            return false;
        unsigned own = sw_class_bytes(fn->regs[o->reg].cls) * 8;
        if (bits < 32 ? own < bits || own > 32 : own != bits)
            return false;
    }
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static uint32_t
bytes_of(const sw_ins *ins)
{
    return sw_type_bits((sw_type)ins->type) / 8;
}

/* The same, or loaded from the beginning of a word at most. */
static bool
is_part(const piece *small, const piece *large)
{
    return small->at == large->at &&
           (small->bytes == large->bytes ||
            (small->bytes < large->bytes && large->bytes <= WORD &&
             !small->is_stored));
}

static void
remove_piece(slot *s, uint32_t i)
{
    memmove(&s->pieces[i], &s->pieces[i + 1],
            (--s->count - i) * sizeof *s->pieces);
}

/* False: it would overlap with another one. */
static bool
add_piece(slot *s, piece p)
{
    uint32_t i = 0;
    while (i < s->count && s->pieces[i].at + s->pieces[i].bytes <= p.at)
        i++;
    if (i < s->count && is_part(&p, &s->pieces[i])) {
        s->pieces[i].is_stored |= p.is_stored;
        return true;
    }
    if (i < s->count && is_part(&s->pieces[i], &p))
        remove_piece(s, i);
    if (s->count == PIECES || p.at % p.bytes || p.at + p.bytes > s->bytes ||
        (i < s->count && s->pieces[i].at < p.at + p.bytes))
        return false;
    memmove(&s->pieces[i + 1], &s->pieces[i],
            (s->count - i) * sizeof *s->pieces);
    s->pieces[i] = p;
    s->count++;
    return true;
}

static void
look_at_access(search *s, const sw_fn *fn, const sw_ins *ins, unsigned opnd)
{
    const sw_opnd *o = &ins->opnd[opnd];
    slot *to = slot_at(s, number_of(s, o->sym));
    int64_t at = ins->offset + (int64_t)o->imm;
    bool fits = is_move(fn, ins) && opnd == ins->ndst && at >= 0 &&
                at < (int64_t)(PIECES * sizeof(uint64_t));
    for (unsigned i = 0; fits && i < ins->vec; i++)
        fits = add_piece(to, (piece){(uint32_t)at + i * bytes_of(ins),
                                     bytes_of(ins), ins->op == SW_OP_ST});
    to->is_memory |= !fits;
}

static void
look_at_operands(search *s, const sw_fn *fn, const sw_ins *ins)
{
    for (unsigned i = 0; i < (unsigned)ins->ndst + ins->nsrc; i++)
        if (is_slot(&ins->opnd[i]))
            look_at_access(s, fn, ins, i);
}

/* ---- what calls put together ---- */

static void
merge(search *s, sw_sym *a, sw_sym *b)
{
    slot *to = group_of(s, a), *from = group_of(s, b);
    if (to == from)
        return;
    to->is_memory |= from->is_memory;
    to->is_whole |= from->is_whole;
    to->bytes = to->bytes > from->bytes ? to->bytes : from->bytes;
    to->smallest =
        to->smallest < from->smallest ? to->smallest : from->smallest;
    for (uint32_t i = 0; i < from->count; i++)
        to->is_memory |= !add_piece(to, from->pieces[i]);
    from->of = to->of;
}

static void
keep_whole(search *s, const sw_opnd *o, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_slot(&o[i]))
            group_of(s, o[i].sym)->is_whole = true;
}

static void
keep_in_memory(search *s, const sw_opnd *o, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_slot(&o[i]))
            group_of(s, o[i].sym)->is_memory = true;
}

static void
match(search *s, const sw_opnd *actual, const sw_opnd *formal, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_slot(&actual[i]) && is_slot(&formal[i]) && !actual[i].imm) {
            merge(s, actual[i].sym, formal[i].sym);
            continue;
        }
        keep_whole(s, &actual[i], 1);
        keep_whole(s, &formal[i], 1);
        if (is_slot(&actual[i]) && actual[i].imm)
            group_of(s, actual[i].sym)->is_memory = true;
    }
}

static void
look_at_call(search *s, const sw_fn *caller, const sw_ins *ins)
{
    (void)caller;
    if (ins->op != SW_OP_CALL)
        return;
    const sw_call *call = ins->aux;
    const sw_fn *fn = sw_callee_of(ins);
    s->has_indirect |= !call->callee;
    if (fn && is_call_by_name(s, fn) && call->arg_count == fn->param_count &&
        call->ret_count == fn->ret_count) {
        match(s, call->args, fn->params, fn->param_count);
        match(s, call->rets, fn->rets, fn->ret_count);
        return;
    }
    /* What is called so, or what the engine provides, has as many arguments as
     * are written here. */
    keep_whole(s, call->args, call->arg_count);
    keep_whole(s, call->rets, call->ret_count);
    if (fn)
        keep_in_memory(s, fn->params, fn->param_count);
}

/* A loop that begins with the function would take them again. */
static bool
comes_back(const sw_fn *fn)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->target_count; i++)
            if (fn->blocks[b]->targets[i] == 0)
                return true;
    return false;
}

/* Who is called by address has as many parameters as it had. */
static void
look_at_formals(search *s, const sw_fn *fn)
{
    if (s->has_indirect && (fn->module->linked_count > 1 ||
                            sw_is_pointed_at(fn->module, fn->sym))) {
        keep_whole(s, fn->params, fn->param_count);
        keep_whole(s, fn->rets, fn->ret_count);
    }
    if (fn->is_variadic || comes_back(fn))
        keep_in_memory(s, fn->params, fn->param_count);
}

/* ---- registers instead ---- */

static bool
fits(const slot *group)
{
    bool is_one = group->count == 1 && group->pieces[0].at == 0 &&
                  group->pieces[0].bytes >= WORD &&
                  group->pieces[0].bytes == group->bytes &&
                  group->smallest == group->bytes;
    return !group->is_memory && (!group->is_whole || is_one);
}

static bool
is_half(sw_rewriter *w, const sw_opnd *o)
{
    return o->kind == SW_OPND_REG &&
           ((sw_reg_info *)sw_vec_at(&w->regs, o->reg))->cls == SW_CLASS_B16;
}

static sw_ins *
convert(sw_rewriter *w, sw_type to, sw_type from, const sw_opnd *o)
{
    sw_ins *ins = sw_rewriter_add(w, SW_OP_CVT, to, 1, 1, o);
    ins->stype = (uint8_t)from;
    return ins;
}

/* The lower part of a word, extended to the register; an operand is as wide as
 * its type. */
static sw_ins *
write_part(sw_rewriter *w, sw_type type, const sw_opnd *o)
{
    bool is_byte = sw_type_bits(type) == 8;
    bool is_signed = sw_type_kind(type) == SW_KIND_SINT;
    if (is_half(w, &o[0]) && !is_byte)
        return convert(w, SW_T_U16, SW_T_U32, o);
    sw_opnd half = sw_opnd_reg(sw_rewriter_reg(w, SW_T_U16));
    convert(w, SW_T_U16, SW_T_U32, (sw_opnd[]){half, o[1]});
    sw_type wide = is_half(w, &o[0]) ? is_signed ? SW_T_S16 : SW_T_U16
                   : is_signed       ? SW_T_S32
                                     : SW_T_U32;
    sw_type part = is_byte     ? is_signed ? SW_T_S8 : SW_T_U8
                   : is_signed ? SW_T_S16
                               : SW_T_U16;
    return convert(w, wide, part, (sw_opnd[]){o[0], half});
}

/* One instruction's share of a slot; what is more than a part in its register
 * nobody reads. */
static void
write_move(sw_rewriter *w, const sw_ins *ins, unsigned i, sw_reg reg)
{
    bool is_load = ins->op == SW_OP_LD;
    sw_type type = (sw_type)ins->type;
    bool is_part = sw_type_bits(type) < 32;
    sw_opnd held = sw_opnd_reg(reg);
    sw_opnd o[2] = {is_load ? ins->opnd[i] : held,
                    is_load ? held : *sw_ins_src(ins, 1 + i)};
    if (o[0].kind == SW_OPND_NONE)
        return;
    sw_ins *move =
        is_load && is_part ? write_part(w, type, o)
        : is_half(w, &o[1])
            ? convert(w, SW_T_U32, SW_T_U16, o)
            : sw_rewriter_add(w, SW_OP_MOV, is_part ? SW_T_B32 : type, 1, 1, o);
    move->guard = ins->guard;
    move->guard_neg = ins->guard_neg;
}

static sw_reg
reg_of(search *s, sw_rewriter *w, sw_sym *sym, uint32_t number)
{
    slot *own = slot_at(s, number_of(s, sym));
    if (!own->regs[number])
        own->regs[number] = sw_rewriter_reg(
            w, group_of(s, sym)->pieces[number].bytes > WORD ? SW_T_B64
                                                             : SW_T_B32);
    return own->regs[number];
}

static void
write_access(search *s, sw_rewriter *w, const sw_ins *ins)
{
    const sw_opnd *o = sw_ins_src(ins, 0);
    const slot *group = group_of(s, o->sym);
    uint32_t at = (uint32_t)((int64_t)o->imm + ins->offset);
    for (unsigned i = 0; i < ins->vec; i++) {
        uint32_t number = 0;
        while (group->pieces[number].at != at + i * bytes_of(ins))
            number++;
        write_move(w, ins, i, reg_of(s, w, o->sym, number));
    }
}

/* The list with registers in the places of slots. */
static sw_opnd *
expand(search *s, sw_rewriter *w, const sw_opnd *from, uint32_t *count)
{
    sw_opnd *to = sw_arena_alloc(s->arena, (*count * PIECES + 1) * sizeof *to);
    uint32_t n = 0;
    for (uint32_t i = 0; i < *count; i++) {
        const slot *group = is_slot(&from[i]) ? group_of(s, from[i].sym) : NULL;
        if (!group || !fits(group)) {
            to[n++] = from[i];
            continue;
        }
        for (uint32_t k = 0; k < group->count; k++)
            to[n++] = sw_opnd_reg(reg_of(s, w, from[i].sym, k));
    }
    *count = n;
    return to;
}

static void
write_call(search *s, sw_rewriter *w, const sw_ins *ins)
{
    sw_call *call = sw_arena_alloc(s->arena, sizeof *call);
    *call = *(const sw_call *)ins->aux;
    call->args = expand(s, w, call->args, &call->arg_count);
    call->rets = expand(s, w, call->rets, &call->ret_count);
    sw_rewriter_copy(w, ins)->aux = call;
}

/* Parameters come in registers that nothing else writes. */
static void
begin_with_formals(sw_rewriter *w, sw_fn *copy)
{
    for (uint32_t i = 0; i < copy->param_count; i++) {
        if (copy->params[i].kind != SW_OPND_REG)
            continue;
        sw_type type =
            ((sw_reg_info *)sw_vec_at(&w->regs, copy->params[i].reg))->type;
        sw_opnd o[2] = {copy->params[i], sw_opnd_reg(sw_rewriter_reg(w, type))};
        sw_rewriter_add(w, SW_OP_MOV, type, 1, 1, o);
        copy->params[i] = o[1];
    }
}

static void
write_ins(search *s, sw_rewriter *w, const sw_ins *ins)
{
    bool is_access = (ins->op == SW_OP_LD || ins->op == SW_OP_ST) &&
                     ins->nsrc && is_slot(sw_ins_src(ins, 0));
    if (ins->op == SW_OP_CALL)
        write_call(s, w, ins);
    else if (is_access && fits(group_of(s, sw_ins_src(ins, 0)->sym)))
        write_access(s, w, ins);
    else
        sw_rewriter_keep(w, ins);
}

static const sw_fn *
rewrite(search *s, const sw_fn *fn)
{
    sw_rewriter w;
    sw_fn *copy = sw_rewriter_begin(&w, fn, s->arena);
    if (!fn->is_entry) {
        copy->params = expand(s, &w, fn->params, &copy->param_count);
        copy->rets = expand(s, &w, fn->rets, &copy->ret_count);
    }
    for (uint32_t b = 0; b < fn->block_count; b++) {
        sw_rewriter_begin_block(&w);
        w.from = fn->blocks[b]->ins[0];
        if (b == 0 && !fn->is_entry)
            begin_with_formals(&w, copy);
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            w.from = fn->blocks[b]->ins[i];
            write_ins(s, &w, w.from);
        }
        sw_rewriter_end_block(&w, copy->blocks[b]);
    }
    sw_rewriter_end(&w, copy);
    return copy;
}

/* All instructions of the functions. */
static void
visit(search *s, void (*look)(search *s, const sw_fn *fn, const sw_ins *ins))
{
    for (uint32_t f = 0; f < s->count; f++)
        for (uint32_t b = 0; b < s->fns[f]->block_count; b++)
            for (uint32_t i = 0; i < s->fns[f]->blocks[b]->count; i++)
                look(s, s->fns[f], s->fns[f]->blocks[b]->ins[i]);
}

void
sw_opt_promote_arguments(const sw_fn **fns, uint32_t count, sw_arena *arena)
{
    search s = {.fns = fns, .count = count, .arena = arena};
    for (uint32_t f = 0; f < count; f++)
        if (fns[f]->module->debug)
            return;
    sw_vec_init(&s.slots, sizeof(slot *));
    s.known = sw_map_create();
    visit(&s, look_at_operands);
    visit(&s, look_at_call);
    for (uint32_t f = 1; f < count; f++)
        look_at_formals(&s, fns[f]);
    bool any = false;
    for (uint32_t i = 0; i < s.slots.count; i++)
        any |= fits(group_of(&s, slot_at(&s, i)->sym));
    for (uint32_t f = 0; any && f < count; f++)
        fns[f] = rewrite(&s, fns[f]);
    sw_map_destroy(s.known);
    sw_vec_finish(&s.slots);
}
