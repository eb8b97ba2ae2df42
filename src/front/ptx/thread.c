/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.c - what a thread has one of in the whole module: .local variables of
 * module scope and, before PTX 3.0, registers.
 *
 * They lie at the start of a thread's local memory, in the frames of those
 * kernels that use them or call functions. A function that names such a
 * register has one of its own for it, which is loaded where the function
 * begins and where a call returns, and stored before calls and returns.
 */
#include "front/ptx/internal.h"

enum { LEAST_ALIGN = 16, PRED_BYTES = 4 };

static uint32_t
register_bytes(sw_type type)
{
    return type == SW_T_PRED ? PRED_BYTES : sw_class_bytes(sw_type_class(type));
}

/* Room at the start of local memory; false after an error. */
static bool
add_slot(ptx_parser *p, ptx_name *name, uint64_t bytes, uint32_t align)
{
    uint64_t at = ptx_align_up(p->thread_bytes, align);
    if (at + bytes > UINT32_MAX / 2) {
        ptx_error(p, "the module's variables need more than 2 GiB");
        return false;
    }
    name->has_slot = true;
    name->slot = (uint32_t)at;
    p->thread_bytes = (uint32_t)(at + bytes);
    return true;
}

void
ptx_thread_add_reg(ptx_parser *p, ptx_name *name)
{
    uint64_t count = name->kind == NAME_RANGE ? name->range : name->count;
    uint32_t bytes = register_bytes(name->type);
    add_slot(p, name, count * bytes, bytes);
}

void
ptx_thread_note_reg(ptx_parser *p, const ptx_name *name, sw_reg reg,
                    uint32_t index)
{
    if (!name->has_slot)
        return;
    ptx_shadow *s = sw_vec_push(&p->body.shadows);
    s->reg = reg;
    s->slot = name->slot + index * register_bytes(name->type);
    p->body.uses_thread = true;
}

static ptx_scope *
function_scope(const ptx_parser *p)
{
    ptx_scope *scope = p->body.scope;
    while (scope->up != &p->globals)
        scope = scope->up;
    return scope;
}

ptx_name *
ptx_thread_name(ptx_parser *p, const ptx_name *global, sw_str text)
{
    ptx_name *name = ptx_name_add(p, function_scope(p), text);
    *name = *global;
    if (name->kind == NAME_RANGE) {
        ptx_range_pages(p, name);
        return name;
    }
    for (unsigned i = 0; i < name->count; i++) {
        name->regs[i] =
            ptx_reg_new(p, name->type, sw_arena_str(p->arena, text));
        ptx_thread_note_reg(p, name, name->regs[i], i);
    }
    return name;
}

bool
ptx_thread_sym(ptx_parser *p, sw_sym *sym, ptx_opnd *out)
{
    out->kind = OPND_SYM;
    out->sym = sym;
    if (!p->body.fn || sym->space != SW_SPACE_LOCAL || sym->owner)
        return true;
    sw_str text = sw_str_of(sym->name);
    ptx_name *global = sw_map_get(p->globals.names, text);
    if (!global->has_slot && !add_slot(p, global, sym->bytes, sym->align))
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
    ptx_name *name = ptx_name_add(p, function_scope(p), text);
    name->kind = NAME_SYM;
    name->sym = out->sym = sw_arena_alloc(p->arena, sizeof *sym);
    *out->sym = *sym;
    out->sym->owner = p->body.fn;
    out->sym->linkage = SW_LINK_STATIC;
    out->sym->address = global->slot;
    return true;
}

/* ---- registers where others see them ---- */

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

/* ---- kernels' frames ---- */

void
ptx_thread_keep_frame(ptx_parser *p)
{
    if (!p->body.fn->is_entry || !p->body.uses_thread)
        return;
    *(sw_fn **)sw_vec_push(&p->thread_fns) = p->body.fn;
    for (size_t i = 0; i < p->body.slots.count; i++)
        *(sw_sym **)sw_vec_push(&p->thread_slots) =
            *(sw_sym **)sw_vec_at(&p->body.slots, i);
}

void
ptx_thread_finish(ptx_parser *p)
{
    uint32_t align = LEAST_ALIGN;
    if (!p->thread_bytes)
        return;
    for (size_t i = 0; i < p->thread_slots.count; i++) {
        const sw_sym *sym = *(sw_sym **)sw_vec_at(&p->thread_slots, i);
        align = align > sym->align ? align : sym->align;
    }
    uint32_t below = (uint32_t)ptx_align_up(p->thread_bytes, align);
    for (size_t i = 0; i < p->thread_slots.count; i++)
        (*(sw_sym **)sw_vec_at(&p->thread_slots, i))->address += below;
    for (size_t i = 0; i < p->thread_fns.count; i++)
        (*(sw_fn **)sw_vec_at(&p->thread_fns, i))->frame_bytes += below;
}
