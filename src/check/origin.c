/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.c - origins of addresses, see origin.h.
 *
 * A register's origin starts unknown and only moves up: unknown, then an
 * object or a plain number, then many. Instructions are gone through until
 * nothing moves. A sum of an address and a number keeps the address's origin; a
 * difference of two addresses is a number.
 */
#include "check/origin.h"

typedef enum { UNKNOWN, NUMBER, OBJECT, MANY } state;

typedef struct {
    state state;
    sw_address_origin origin; /* OBJECT */
} value;

struct sw_address_origins {
    const sw_fn *fn;
    value *regs; /* [fn->reg_count] */
};

static bool
is_same_object(const sw_address_origin *a, const sw_address_origin *b)
{
    return a->kind == b->kind && a->sym == b->sym && a->offset == b->offset;
}

/* Of a register that is written in two places. */
static value
either(value a, value b)
{
    if (a.state == UNKNOWN)
        return b;
    if (b.state == UNKNOWN)
        return a;
    if (a.state == b.state &&
        (a.state != OBJECT || is_same_object(&a.origin, &b.origin)))
        return a;
    return (value){.state = MANY};
}

/* Of a sum, or of bits that come from both. */
static value
sum(value a, value b)
{
    if (a.state == UNKNOWN || b.state == UNKNOWN)
        return (value){.state = UNKNOWN};
    if (a.state == NUMBER)
        return b;
    if (b.state == NUMBER)
        return a;
    return (value){.state = MANY};
}

static value
difference(value a, value b)
{
    if (a.state == OBJECT && b.state == OBJECT)
        return (value){.state = NUMBER};
    return b.state == OBJECT ? (value){.state = MANY} : sum(a, b);
}

static value
of_sym(sw_sym *sym)
{
    sw_sym *def = sw_sym_resolve(sym);
    return (value){OBJECT, {SW_ORIGIN_SYM, def ? def : sym, 0}};
}

static value
of_operand(const sw_address_origins *o, const sw_opnd *s)
{
    switch (s->kind) {
    case SW_OPND_REG:
        return o->regs[s->reg];
    case SW_OPND_SYM:
        return s->sym ? of_sym(s->sym) : (value){.state = MANY};
    default:
        return (value){.state = NUMBER};
    }
}

/* A pointer that the kernel gets: a load of 8 bytes of its parameters. Other
 * loads give numbers, or addresses of which nothing is known. */
static value
of_load(const sw_address_origins *o, const sw_ins *ins)
{
    const sw_opnd *a = sw_ins_src(ins, 0);
    if (ins->space != SW_SPACE_PARAM || ins->vec > 1 ||
        sw_type_bits((sw_type)ins->type) != 64 || a->kind != SW_OPND_SYM ||
        !a->sym || !o->fn->is_entry)
        return (value){.state = NUMBER};
    uint64_t at = a->sym->address + a->imm + (uint64_t)ins->offset;
    return (value){OBJECT, {SW_ORIGIN_PARAM, NULL, (uint32_t)at}};
}

static value
of_result(const sw_address_origins *o, const sw_ins *ins)
{
    value s[4] = {{.state = NUMBER},
                  {.state = NUMBER},
                  {.state = NUMBER},
                  {.state = NUMBER}};
    for (unsigned i = 0; i < ins->nsrc && i < 4; i++)
        s[i] = of_operand(o, sw_ins_src(ins, i));
    switch (ins->op) {
    case SW_OP_MOV:
    case SW_OP_CVTA:
    case SW_OP_CVT:
    case SW_OP_ADDR:
        return s[0];
    case SW_OP_ADD:
    case SW_OP_OR:
    case SW_OP_AND:
        return sum(s[0], s[1]);
    case SW_OP_SUB:
        return difference(s[0], s[1]);
    case SW_OP_MAD_LO:
    case SW_OP_MAD_WIDE:
        return s[2];
    case SW_OP_SELP:
    case SW_OP_SLCT:
        return either(s[0], s[1]);
    case SW_OP_LD:
    case SW_OP_LDU:
        return of_load(o, ins);
    case SW_OP_CALL:
    case SW_OP_ATOM:
    case SW_OP_SHFL:
    case SW_OP_PACK:
    case SW_OP_MAPA:
        return (value){.state = MANY};
    default:
        return (value){.state = NUMBER};
    }
}

/* What the instruction writes; true if something moved. */
static bool
step(sw_address_origins *o, const sw_ins *ins)
{
    value v = of_result(o, ins);
    bool moved = false;
    for (unsigned i = 0; i < ins->ndst; i++) {
        const sw_opnd *d = &ins->opnd[i];
        if (d->kind != SW_OPND_REG)
            continue;
        value now = either(o->regs[d->reg], v);
        /* States only grow, so this ends. */
        moved |= now.state != o->regs[d->reg].state;
        o->regs[d->reg] = now;
    }
    return moved;
}

sw_address_origins *
sw_address_origins_create(const sw_fn *fn)
{
    sw_address_origins *o = sw_alloc(sizeof *o);
    o->fn = fn;
    o->regs = sw_alloc((fn->reg_count + 1) * sizeof *o->regs);
    for (uint32_t i = 0; i < fn->param_count; i++)
        if (fn->params[i].kind == SW_OPND_REG)
            o->regs[fn->params[i].reg].state = MANY;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t b = 0; b < fn->block_count; b++)
            for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
                moved |= step(o, fn->blocks[b]->ins[i]);
    }
    return o;
}

void
sw_address_origins_destroy(sw_address_origins *o)
{
    if (!o)
        return;
    sw_free(o->regs);
    sw_free(o);
}

sw_address_origin
sw_address_origin_of(const sw_address_origins *o, const sw_ins *ins,
                     unsigned source)
{
    if (source >= ins->nsrc)
        return (sw_address_origin){0};
    value v = of_operand(o, sw_ins_src(ins, source));
    return v.state == OBJECT ? v.origin : (sw_address_origin){0};
}
