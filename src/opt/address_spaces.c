/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address_spaces.c - see address_spaces.h.
 *
 * What a register may hold is found by following addresses from where they are
 * made (cvta, addr) through moves, choices and sums. Beside a register that may
 * hold addresses of local or shared memory stands another one, its *own*, with
 * the address in that space; beside one that may hold global addresses too, a
 * predicate that says which it is. Generic addresses of global memory are the
 * addresses there.
 */
#include "opt/address_spaces.h"

#include "opt/liveness.h"
#include "opt/rewriter.h"

/* What a register may hold. */
enum {
    IN_LOCAL = 1,
    IN_SHARED = 2,
    IN_GLOBAL = 4,
    ELSEWHERE = 8 /* nothing is known of it */
};

typedef struct {
    sw_rewriter w;
    const sw_fn *fn;
    uint8_t *may;    /* [reg_count] */
    bool *is_needed; /* [reg_count] what stands beside it is made use of */
    sw_reg *own;     /* [reg_count] or 0: none yet */
    sw_reg *is_own;  /* [reg_count] predicates, where both may be */
    uint32_t *reads; /* [reg_count] */
    sw_fn *copy;
} spaces;

static uint8_t
bit_of(sw_space space)
{
    return space == SW_SPACE_LOCAL    ? IN_LOCAL
           : space == SW_SPACE_SHARED ? IN_SHARED
           : space == SW_SPACE_GLOBAL ? IN_GLOBAL
                                      : ELSEWHERE;
}

static sw_space
space_of(uint8_t may)
{
    return may & IN_LOCAL    ? SW_SPACE_LOCAL
           : may & IN_SHARED ? SW_SPACE_SHARED
                             : SW_SPACE_GLOBAL;
}

/* ---- what registers may hold ---- */

static uint8_t
of_source(const spaces *s, const sw_ins *ins, unsigned i)
{
    const sw_opnd *o = sw_ins_src(ins, i);
    return o->kind == SW_OPND_REG ? s->may[o->reg] : ELSEWHERE;
}

/* Which source of a sum the address is: the one that is no number. */
static unsigned
address_in(const spaces *s, const sw_ins *ins)
{
    uint8_t a = of_source(s, ins, 0);
    return ins->op == SW_OP_ADD && (a & ELSEWHERE || !a) ? 1 : 0;
}

static uint8_t
of_result(const spaces *s, const sw_ins *ins)
{
    bool is_address = sw_type_bits((sw_type)ins->type) == 64;
    if (ins->ndst != 1)
        return ELSEWHERE; /* results of calls too */
    switch (ins->op) {
    case SW_OP_CVTA:
        return ins->sub == 1 || !is_address ? ELSEWHERE
                                            : bit_of((sw_space)ins->space);
    case SW_OP_ADDR:
        return ins->flags & SW_F_GENERIC_ADDR && is_address
                   ? bit_of(sw_ins_src(ins, 0)->sym->space)
                   : ELSEWHERE;
    case SW_OP_MOV:
        return of_source(s, ins, 0);
    case SW_OP_SELP:
        return of_source(s, ins, 0) | of_source(s, ins, 1);
    case SW_OP_ADD:
    case SW_OP_SUB: {
        uint8_t a = of_source(s, ins, 0), b = of_source(s, ins, 1);
        if (!is_address || !a || !b)
            return a && b ? ELSEWHERE : 0;
        if (ins->op == SW_OP_ADD && a == ELSEWHERE)
            return b;
        return b == ELSEWHERE ? a : ELSEWHERE;
    }
    default:
        return ELSEWHERE;
    }
}

typedef struct {
    spaces *s;
    uint8_t may;
    bool changed;
} writing;

static void
add_may(void *data, sw_reg reg)
{
    writing *w = data;
    w->changed |= (w->s->may[reg] | w->may) != w->s->may[reg];
    w->s->may[reg] |= w->may;
}

static bool
follow(spaces *s)
{
    writing w = {.s = s};
    for (uint32_t b = 0; b < s->fn->block_count; b++)
        for (uint32_t i = 0; i < s->fn->blocks[b]->count; i++) {
            const sw_ins *ins = s->fn->blocks[b]->ins[i];
            w.may = of_result(s, ins);
            sw_ins_visit_writes(ins, add_may, &w);
        }
    return w.changed;
}

/* ---- what is accessed ---- */

/* The source with a generic address by which something is accessed, or that is
 * told to be in a space; 0: none of which it is known. */
static sw_reg
known_address(const spaces *s, const sw_ins *ins)
{
    const sw_opnd *o = ins->nsrc ? sw_ins_src(ins, 0) : NULL;
    if (!o || o->kind != SW_OPND_REG)
        return 0;
    uint8_t may = s->may[o->reg];
    bool is_one = may == IN_LOCAL || may == IN_SHARED || may == IN_GLOBAL;
    bool is_load = ins->op == SW_OP_LD && ins->order == SW_ORDER_WEAK;
    switch (ins->op) {
    case SW_OP_LD:
    case SW_OP_ST:
    case SW_OP_ATOM:
    case SW_OP_RED:
        return ins->space == SW_SPACE_GENERIC &&
                       (is_one || (is_load && may == (IN_SHARED | IN_GLOBAL)))
                   ? o->reg
                   : 0;
    case SW_OP_CVTA:
        return ins->sub == 1 && may == bit_of((sw_space)ins->space) && is_one
                   ? o->reg
                   : 0;
    default:
        return 0;
    }
}

static bool
has_own(uint8_t may)
{
    return may & (IN_LOCAL | IN_SHARED);
}

/* Of registers that are needed, those that they are made of. */
static bool
need_sources(spaces *s)
{
    bool changed = false;
    for (uint32_t b = 0; b < s->fn->block_count; b++)
        for (uint32_t i = 0; i < s->fn->blocks[b]->count; i++) {
            const sw_ins *ins = s->fn->blocks[b]->ins[i];
            if (ins->ndst != 1 || ins->opnd[0].kind != SW_OPND_REG ||
                !s->is_needed[ins->opnd[0].reg] || ins->op == SW_OP_CVTA ||
                ins->op == SW_OP_ADDR)
                continue;
            for (unsigned k = 0; k < ins->nsrc; k++) {
                const sw_opnd *o = sw_ins_src(ins, k);
                if (o->kind != SW_OPND_REG || !has_own(s->may[o->reg]) ||
                    s->may[o->reg] & ELSEWHERE || s->is_needed[o->reg])
                    continue;
                s->is_needed[o->reg] = true;
                changed = true;
            }
        }
    return changed;
}

static bool
find_needed(spaces *s)
{
    bool any = false;
    for (uint32_t b = 0; b < s->fn->block_count; b++)
        for (uint32_t i = 0; i < s->fn->blocks[b]->count; i++) {
            sw_reg reg = known_address(s, s->fn->blocks[b]->ins[i]);
            any |= reg != 0;
            if (reg && has_own(s->may[reg]))
                s->is_needed[reg] = true;
        }
    while (any && need_sources(s))
        ;
    return any;
}

/* ---- the copy ---- */

static sw_reg
own_of(spaces *s, sw_reg reg)
{
    if (!s->own[reg])
        s->own[reg] = sw_rewriter_reg(&s->w, SW_T_B64);
    return s->own[reg];
}

static sw_reg
is_own_of(spaces *s, sw_reg reg)
{
    if (!s->is_own[reg])
        s->is_own[reg] = sw_rewriter_reg(&s->w, SW_T_PRED);
    return s->is_own[reg];
}

/* Under the guard of the instruction that it stands beside. */
static sw_ins *
add_beside(spaces *s, const sw_ins *ins, sw_op op, sw_type type, unsigned nsrc,
           const sw_opnd *opnds)
{
    sw_ins *made = sw_rewriter_add(&s->w, op, type, 1, nsrc, opnds);
    made->guard = ins->guard;
    made->guard_neg = ins->guard_neg;
    return made;
}

/* An address in a register as one of its own space. */
static sw_opnd
own_source(spaces *s, const sw_opnd *o)
{
    bool is_address = o->kind == SW_OPND_REG && has_own(s->may[o->reg]) &&
                      !(s->may[o->reg] & ELSEWHERE);
    return is_address ? sw_opnd_reg(own_of(s, o->reg)) : *o;
}

static void
write_own(spaces *s, const sw_ins *ins, sw_reg to)
{
    sw_opnd opnds[4] = {sw_opnd_reg(own_of(s, to))};
    bool copies = ins->op == SW_OP_CVTA;
    for (unsigned i = 0; i < ins->nsrc; i++)
        opnds[1 + i] =
            copies ? *sw_ins_src(ins, i) : own_source(s, sw_ins_src(ins, i));
    sw_ins *made =
        add_beside(s, ins, copies ? SW_OP_MOV : (sw_op)ins->op,
                   copies ? SW_T_B64 : (sw_type)ins->type, ins->nsrc, opnds);
    if (ins->op == SW_OP_ADDR)
        made->offset = ins->offset, made->imm = ins->imm,
        made->space = ins->space;
}

/* Whether a source's address is one of its own space. */
static sw_opnd
which_source(spaces *s, const sw_ins *ins, unsigned i)
{
    sw_reg reg = sw_ins_src(ins, i)->reg;
    uint8_t may = s->may[reg];
    if (has_own(may) && may & IN_GLOBAL)
        return sw_opnd_reg(is_own_of(s, reg));
    sw_opnd opnds[3] = {sw_opnd_reg(sw_rewriter_reg(&s->w, SW_T_PRED)),
                        sw_opnd_imm(has_own(may)), sw_opnd_imm(1)};
    sw_rewriter_add(&s->w, SW_OP_SETP, SW_T_U32, 1, 2, opnds)->cmp = SW_CMP_EQ;
    return opnds[0];
}

static void
write_which(spaces *s, const sw_ins *ins, sw_reg to)
{
    sw_opnd opnds[4] = {sw_opnd_reg(is_own_of(s, to))};
    if (ins->op == SW_OP_CVTA || ins->op == SW_OP_ADDR) {
        opnds[1] = sw_opnd_imm(has_own(of_result(s, ins)));
        opnds[2] = sw_opnd_imm(1);
        add_beside(s, ins, SW_OP_SETP, SW_T_U32, 2, opnds)->cmp = SW_CMP_EQ;
    } else if (ins->op == SW_OP_SELP) {
        /* (a and c) or (b and not c) */
        sw_opnd c = *sw_ins_src(ins, 2), not_c = c;
        not_c.negated = !c.negated;
        sw_opnd a = sw_opnd_reg(
            sw_rewriter_pure(&s->w, SW_OP_AND, SW_T_PRED, 2,
                             (sw_opnd[]){which_source(s, ins, 0), c}));
        sw_opnd b = sw_opnd_reg(
            sw_rewriter_pure(&s->w, SW_OP_AND, SW_T_PRED, 2,
                             (sw_opnd[]){which_source(s, ins, 1), not_c}));
        opnds[1] = a;
        opnds[2] = b;
        add_beside(s, ins, SW_OP_OR, SW_T_PRED, 2, opnds);
    } else {
        opnds[1] =
            which_source(s, ins, ins->op == SW_OP_MOV ? 0 : address_in(s, ins));
        add_beside(s, ins, SW_OP_MOV, SW_T_PRED, 1, opnds);
    }
}

/* Before an instruction that writes an address what stands beside it: it may
 * be written by what it was before. */
static void
write_beside(spaces *s, const sw_ins *ins)
{
    sw_reg to = ins->ndst == 1 && ins->opnd[0].kind == SW_OPND_REG
                    ? ins->opnd[0].reg
                    : 0;
    if (!to || !s->is_needed[to])
        return;
    uint8_t now = of_result(s, ins);
    s->w.from = ins;
    if (s->may[to] & IN_GLOBAL)
        write_which(s, ins, to);
    /* Of a choice one side may have none: what it has then is not made use
     * of. */
    if (has_own(now))
        write_own(s, ins, to);
}

static sw_ins *
copy_access(spaces *s, const sw_ins *from, sw_reg address, sw_space space)
{
    sw_ins *ins = sw_rewriter_copy(&s->w, from);
    ins->opnd[ins->ndst].reg = address;
    ins->space = (uint8_t)space;
    return ins;
}

/* The lanes of a load whose address is one of its own space, or not. */
static sw_reg
lanes_of(spaces *s, const sw_ins *ins, sw_reg is_own, bool negated)
{
    sw_opnd mine = sw_opnd_reg(is_own), guard = sw_opnd_reg(ins->guard);
    mine.negated = negated;
    guard.negated = ins->guard_neg;
    return ins->guard ? sw_rewriter_pure(&s->w, SW_OP_AND, SW_T_PRED, 2,
                                         (sw_opnd[]){mine, guard})
                      : sw_rewriter_pure(&s->w, SW_OP_MOV, SW_T_PRED, 1, &mine);
}

static void
write_access(spaces *s, const sw_ins *ins, sw_reg address)
{
    uint8_t may = s->may[address];
    s->w.from = ins;
    if (!has_own(may)) {
        copy_access(s, ins, address, SW_SPACE_GLOBAL);
        return;
    }
    if (ins->op == SW_OP_CVTA) {
        sw_ins *mov = copy_access(s, ins, own_of(s, address), SW_SPACE_REG);
        mov->op = SW_OP_MOV;
        mov->sub = 0;
        return;
    }
    if (!(may & IN_GLOBAL)) {
        copy_access(s, ins, own_of(s, address), space_of(may));
        return;
    }
    /* The address may be overwritten by what is loaded. */
    sw_opnd kept = sw_opnd_reg(address);
    sw_reg is_own = is_own_of(s, address);
    kept.reg = sw_rewriter_pure(&s->w, SW_OP_MOV, SW_T_B64, 1, &kept);
    sw_reg mine = lanes_of(s, ins, is_own, false);
    sw_reg others = lanes_of(s, ins, is_own, true);
    sw_ins *own = copy_access(s, ins, own_of(s, address), space_of(may));
    sw_ins *global = copy_access(s, ins, kept.reg, SW_SPACE_GLOBAL);
    own->guard = mine;
    global->guard = others;
    own->guard_neg = global->guard_neg = false;
}

static void
write_block(spaces *s, const sw_block *from, sw_block *to)
{
    sw_rewriter_begin_block(&s->w);
    for (uint32_t i = 0; i < from->count; i++) {
        const sw_ins *ins = from->ins[i];
        sw_reg address = known_address(s, ins);
        write_beside(s, ins);
        if (address && (ins->op != SW_OP_CVTA || has_own(s->may[address])))
            write_access(s, ins, address);
        else
            sw_rewriter_keep(&s->w, ins);
    }
    sw_rewriter_end_block(&s->w, to);
}

/* ---- what nobody needs any more ---- */

typedef struct {
    uint32_t *reads;
    sw_reg own; /* what the instruction makes of itself */
    uint32_t by;
} reader;

static void
count_read(void *data, sw_reg reg)
{
    const reader *r = data;
    r->reads[reg] += reg != r->own ? r->by : 0;
}

/* by: 1, or -1 if it is dropped. */
static void
count_reads(const spaces *s, const sw_ins *ins, uint32_t by)
{
    bool is_pure =
        sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE && ins->ndst == 1;
    reader r = {
        s->reads,
        is_pure && ins->opnd[0].kind == SW_OPND_REG ? ins->opnd[0].reg : 0, by};
    sw_ins_visit_reads(ins, count_read, &r);
}

/* Addresses that are made for nobody. */
static bool
is_idle(const spaces *s, const sw_ins *ins)
{
    return ins->ndst == 1 && ins->opnd[0].kind == SW_OPND_REG &&
           ins->opnd[0].reg < s->fn->reg_count &&
           s->may[ins->opnd[0].reg] & (IN_LOCAL | IN_SHARED) &&
           !s->reads[ins->opnd[0].reg] &&
           sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE;
}

/* Backwards, so that what only they needed goes with them. */
static bool
drop_idle(const spaces *s)
{
    bool any = false;
    for (uint32_t b = s->copy->block_count; b-- > 0;) {
        sw_block *block = s->copy->blocks[b];
        uint32_t kept = block->count;
        for (uint32_t i = block->count; i-- > 0;)
            if (is_idle(s, block->ins[i]))
                count_reads(s, block->ins[i], UINT32_MAX);
            else
                block->ins[--kept] = block->ins[i];
        any |= kept > 0;
        block->ins += kept;
        block->count -= kept;
    }
    return any;
}

/* Whether it makes generic addresses of that space. */
static bool
makes(const sw_fn *fn, uint8_t which)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            if (ins->op == SW_OP_CVTA && ins->sub != 1 &&
                bit_of((sw_space)ins->space) & which)
                return true;
            if (ins->op == SW_OP_ADDR && ins->flags & SW_F_GENERIC_ADDR &&
                bit_of(sw_ins_src(ins, 0)->sym->space) & which)
                return true;
        }
    return false;
}

const sw_fn *
sw_opt_infer_spaces(const sw_fn *fn, sw_arena *arena)
{
    uint32_t n = fn->reg_count;
    spaces s = {.fn = fn};
    if (fn->module->debug || !makes(fn, IN_LOCAL | IN_SHARED | IN_GLOBAL))
        return NULL;
    s.may = sw_arena_alloc(arena, n * sizeof *s.may);
    s.is_needed = sw_arena_alloc(arena, n * sizeof *s.is_needed);
    s.own = sw_arena_alloc(arena, n * sizeof *s.own);
    s.is_own = sw_arena_alloc(arena, n * sizeof *s.is_own);
    for (uint32_t i = 0; i < fn->param_count; i++)
        if (fn->params[i].kind == SW_OPND_REG)
            s.may[fn->params[i].reg] = ELSEWHERE;
    while (follow(&s))
        ;
    /* Of local memory nobody else may have addresses, be they of no use. */
    if (!find_needed(&s) && !makes(fn, IN_LOCAL))
        return NULL;
    s.copy = sw_rewriter_begin(&s.w, fn, arena);
    for (uint32_t b = 0; b < fn->block_count; b++)
        write_block(&s, fn->blocks[b], s.copy->blocks[b]);
    sw_rewriter_end(&s.w, s.copy);
    s.reads = sw_arena_alloc(arena, s.copy->reg_count * sizeof *s.reads);
    for (uint32_t b = 0; b < s.copy->block_count; b++)
        for (uint32_t i = 0; i < s.copy->blocks[b]->count; i++)
            count_reads(&s, s.copy->blocks[b]->ins[i], 1);
    while (drop_idle(&s))
        ;
    return s.copy;
}
