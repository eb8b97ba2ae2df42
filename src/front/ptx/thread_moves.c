/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_moves.c - what a thread has one of in the module, as code sees it: the
 * address of a variable, and the loads and stores of registers where a function
 * begins, calls and returns (see thread.c).
 */
#include "front/ptx/parse.h"

bool
ptx_thread_sym(ptx_parser *p, sw_sym *sym, ptx_opnd *out)
{
    out->kind = OPND_SYM;
    out->sym = sym;
    if (!p->body.fn || sym->space != SW_SPACE_LOCAL || sym->owner)
        return true;
    sw_str text = sw_str_of(sym->name);
    ptx_name *global = sw_map_get(p->globals.names, text);
    if (!global->has_slot &&
        !ptx_thread_add_slot(p, global, sym->bytes, sym->align))
        return false;
    p->body.uses_thread = true;
    if (!p->body.fn->is_entry) { /* its frame may be anywhere */
        sw_type type = p->module->address_size == 32 ? SW_T_B32 : SW_T_B64;
        sw_ins *ins = ptx_emit(p, SW_OP_MOV, type, 1, 1);
        ins->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, type, NULL));
        ins->opnd[1] = ptx_imm_opnd(global->slot);
        out->kind = OPND_REG;
        out->reg = ins->opnd[0].reg;
        return true;
    }
    ptx_name *name = ptx_name_add(p, ptx_scope_function(p), text);
    name->kind = NAME_SYM;
    name->sym = out->sym = sw_arena_alloc(p->arena, sizeof *sym);
    *out->sym = *sym;
    out->sym->owner = p->body.fn;
    out->sym->linkage = SW_LINK_STATIC;
    out->sym->address = global->slot;
    return true;
}

static void
move(ptx_parser *p, sw_op op, sw_type type, sw_opnd value, uint32_t slot)
{
    bool is_load = op == SW_OP_LD;
    sw_ins *ins = ptx_emit(p, op, type, is_load, 2u - is_load);
    ins->space = SW_SPACE_LOCAL;
    ins->vec = 1;
    ins->opnd[is_load] = ptx_imm_opnd(slot);
    ins->opnd[!is_load] = value;
}

static void
load(ptx_parser *p, const ptx_shadow *s)
{
    sw_type type = ptx_class_type(ptx_reg_class(p, s->reg));
    if (type != SW_T_PRED) {
        move(p, SW_OP_LD, type, ptx_reg_opnd(s->reg), s->slot);
        return;
    }
    sw_opnd word = ptx_reg_opnd(ptx_reg_new(p, SW_T_U32, NULL));
    move(p, SW_OP_LD, SW_T_U32, word, s->slot);
    sw_ins *ins = ptx_emit(p, SW_OP_SETP, SW_T_U32, 1, 2);
    ins->cmp = SW_CMP_NE;
    ins->opnd[0] = ptx_reg_opnd(s->reg);
    ins->opnd[1] = word;
    ins->opnd[2] = ptx_imm_opnd(0);
}

static void
store(ptx_parser *p, const ptx_shadow *s)
{
    sw_type type = ptx_class_type(ptx_reg_class(p, s->reg));
    sw_opnd value = ptx_reg_opnd(s->reg);
    if (type == SW_T_PRED) {
        type = SW_T_U32;
        value = ptx_reg_opnd(ptx_reg_new(p, type, NULL));
        sw_ins *ins = ptx_emit(p, SW_OP_SELP, SW_T_B32, 1, 3);
        ins->opnd[0] = value;
        ins->opnd[1] = ptx_imm_opnd(1);
        ins->opnd[2] = ptx_imm_opnd(0);
        ins->opnd[3] = ptx_reg_opnd(s->reg);
    }
    move(p, SW_OP_ST, type, value, s->slot);
}

static bool
is_result(const sw_ins *ins, sw_reg reg)
{
    const sw_call *call = ins->aux;
    for (uint32_t i = 0; i < call->ret_count; i++)
        if (call->rets[i].kind == SW_OPND_REG && call->rets[i].reg == reg)
            return true;
    return false;
}

/* Loads of all but the results of `call`, if there is one; else stores. */
static void
move_all(ptx_parser *p, bool is_load, const sw_ins *call)
{
    for (size_t i = 0; i < p->body.shadows.count; i++) {
        const ptx_shadow *s = sw_vec_at(&p->body.shadows, i);
        if (!is_load)
            store(p, s);
        else if (!call || !is_result(call, s->reg))
            load(p, s);
    }
}

void
ptx_thread_move_regs(ptx_parser *p)
{
    ptx_body *body = &p->body;
    bool is_entry = body->fn->is_entry;
    if (!body->shadows.count)
        return;
    sw_vec old = body->ins;
    sw_vec_init(&body->ins, sizeof(sw_ins *));
    body->open = true;
    for (size_t b = 0, i = 0; b < body->blocks.count; b++) {
        ptx_block *block = sw_vec_at(&body->blocks, b);
        size_t end = b + 1 < body->blocks.count ? block[1].first : old.count;
        block->first = (uint32_t)body->ins.count;
        if (b == 0 && !is_entry)
            move_all(p, true, NULL);
        for (; i < end; i++) {
            sw_ins *ins = *(sw_ins **)sw_vec_at(&old, i);
            bool calls = ins->op == SW_OP_CALL;
            p->ins.line = ins->line;
            p->loc = ins->loc;
            if (calls || (ins->op == SW_OP_RET && !is_entry))
                move_all(p, false, NULL);
            *(sw_ins **)sw_vec_push(&body->ins) = ins;
            if (calls)
                move_all(p, true, ins);
        }
    }
    body->open = false;
    sw_vec_finish(&old);
}
