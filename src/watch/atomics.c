/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomics.c - what assemblers make of atomics; see count.h. Read off the
 * machine code of ptxas 13.0 for 7.5, 8.0 and 9.0, and an H200 counts so.
 */
#include "watch/count.h"

/* ---- registers that differ from lane to lane ---- */

typedef struct {
    const sw_fn *fn;
    bool *varies;      /* [reg_count] */
    uint8_t *defined;  /* [reg_count] how often, at most 2 */
    bool parts_a_loop; /* lanes may leave a loop one after another */
} variance;

static bool
varies(const variance *v, const sw_opnd *o)
{
    return o->kind == SW_OPND_REG && v->varies[o->reg];
}

static bool
sreg_varies(unsigned sub)
{
    switch (sub) {
    case SW_SREG_TID_X:
    case SW_SREG_TID_Y:
    case SW_SREG_TID_Z:
    case SW_SREG_LANEID:
    case SW_SREG_WARPID:
    case SW_SREG_LANEMASK_EQ:
    case SW_SREG_LANEMASK_LE:
    case SW_SREG_LANEMASK_LT:
    case SW_SREG_LANEMASK_GE:
    case SW_SREG_LANEMASK_GT:
        return true;
    default:
        return false;
    }
}

/* Are results those of each lane? */
static bool
result_varies(const variance *v, const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_SREG:
        return sreg_varies(ins->sub);
    case SW_OP_ATOM:
    case SW_OP_CALL:
    case SW_OP_MATCH:
    case SW_OP_ELECT:
        return true;
    case SW_OP_VOTE:
    case SW_OP_REDUX:
    case SW_OP_ACTIVEMASK:
        return false;
    case SW_OP_SHFL:
        return ins->sub != SW_SHFL_IDX || varies(v, sw_ins_src(ins, 1));
    case SW_OP_LD:
        if (ins->space == SW_SPACE_LOCAL)
            return true;
        break;
    default:
        break;
    }
    for (unsigned i = 0; i < ins->nsrc; i++)
        if (varies(v, sw_ins_src(ins, i)))
            return true;
    return false;
}

/* Something is new. */
static bool
look_at(variance *v, const sw_ins *ins)
{
    bool found = false;
    bool all = (ins->guard && v->varies[ins->guard]) || result_varies(v, ins);
    for (unsigned i = 0; i < ins->ndst; i++) {
        const sw_opnd *o = &ins->opnd[i];
        if (o->kind != SW_OPND_REG || v->varies[o->reg])
            continue;
        if (all || (v->parts_a_loop && v->defined[o->reg] > 1))
            found = v->varies[o->reg] = true;
    }
    return found;
}

static bool
look_at_end(variance *v, const sw_block *block)
{
    const sw_ins *last = block->ins[block->count - 1];
    bool back = false;
    for (uint32_t i = 0; i < block->target_count; i++)
        back |= block->targets[i] <= block->index;
    if (!back || v->parts_a_loop || !last->guard || !v->varies[last->guard])
        return false;
    return v->parts_a_loop = true;
}

static void
variance_init(variance *v, const sw_fn *fn)
{
    *v = (variance){.fn = fn};
    v->varies = sw_alloc((fn->reg_count + 1) * sizeof *v->varies);
    v->defined = sw_alloc((fn->reg_count + 1) * sizeof *v->defined);
    for (uint32_t i = 0; !fn->is_entry && i < fn->param_count; i++)
        if (fn->params[i].kind == SW_OPND_REG)
            v->varies[fn->params[i].reg] = true;
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            for (unsigned k = 0; k < ins->ndst; k++)
                if (ins->opnd[k].kind == SW_OPND_REG &&
                    v->defined[ins->opnd[k].reg] < 2)
                    v->defined[ins->opnd[k].reg]++;
        }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < fn->block_count; b++) {
            for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
                again |= look_at(v, fn->blocks[b]->ins[i]);
            again |= look_at_end(v, fn->blocks[b]);
        }
    }
}

static void
variance_finish(variance *v)
{
    sw_free(v->varies);
    sw_free(v->defined);
}

/* ---- what becomes of it ---- */

/* The number that the operand is known to be. */
static bool
is_number(const sw_fn *fn, const sw_opnd *o, uint32_t *number)
{
    const sw_ins *only = NULL;
    if (o->kind == SW_OPND_REG)
        for (uint32_t b = 0; b < fn->block_count; b++)
            for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
                const sw_ins *ins = fn->blocks[b]->ins[i];
                for (unsigned k = 0; k < ins->ndst; k++)
                    if (ins->opnd[k].kind == SW_OPND_REG &&
                        ins->opnd[k].reg == o->reg) {
                        if (only || ins->op != SW_OP_MOV)
                            return false;
                        only = ins;
                    }
            }
    if (only)
        o = sw_ins_src(only, 0);
    *number = (uint32_t)o->imm;
    return o->kind == SW_OPND_IMM;
}

static bool
is_int32(const sw_ins *ins)
{
    return ins->type == SW_T_U32 || ins->type == SW_T_S32 ||
           ins->type == SW_T_B32;
}

/* Adds one, and shared memory has an instruction for that. */
static bool
is_count(const sw_fn *fn, const sw_ins *ins)
{
    uint32_t n;
    if (!is_number(fn, sw_ins_src(ins, 1), &n))
        return false;
    return (ins->sub == SW_ATOM_ADD && ins->type != SW_T_S32 && n == 1) ||
           (ins->sub == SW_ATOM_INC && n == UINT32_MAX);
}

static bool
is_gathered(const sw_ins *ins, bool reduces)
{
    switch (ins->sub) {
    case SW_ATOM_ADD:
        return true;
    case SW_ATOM_MIN:
    case SW_ATOM_MAX:
    case SW_ATOM_AND:
    case SW_ATOM_OR:
    case SW_ATOM_XOR:
        return reduces;
    default:
        return false;
    }
}

sw_atomic_form
sw_count_atomic_form(const sw_fn *fn, const sw_ins *ins, uint32_t cc)
{
    bool shared = ins->space == SW_SPACE_SHARED;
    sw_atomic_form form = SW_ATOMIC_PLAIN;
    if (cc < 70 || (ins->op != SW_OP_ATOM && ins->op != SW_OP_RED) ||
        ins->vec > 1 || ins->nsrc < 2)
        return SW_ATOMIC_PLAIN;
    if (!is_int32(ins)) {
        bool whole = ins->sub == SW_ATOM_EXCH || ins->sub == SW_ATOM_CAS;
        return shared && !whole && sw_type_bits((sw_type)ins->type) <= 64
                   ? SW_ATOMIC_LOOP
                   : SW_ATOMIC_PLAIN;
    }
    bool reduces = sw_count_is_unread(fn, ins);
    if (shared && reduces && is_count(fn, ins))
        return SW_ATOMIC_COUNT;
    if (!is_gathered(ins, reduces))
        return SW_ATOMIC_PLAIN;
    variance v;
    variance_init(&v, fn);
    if (!varies(&v, sw_ins_src(ins, 0))) {
        bool same = !varies(&v, sw_ins_src(ins, 1));
        bool any = reduces ? cc >= 80 : ins->sub == SW_ATOM_ADD && same;
        any |= ins->sub == SW_ATOM_ADD && same;
        form = any ? SW_ATOMIC_ONE : SW_ATOMIC_ALL;
    }
    variance_finish(&v);
    return form;
}
