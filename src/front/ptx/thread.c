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
#include "front/ptx/parse.h"

enum { LEAST_ALIGN = 16, PRED_BYTES = 4 };

static uint32_t
register_bytes(sw_type type)
{
    return type == SW_T_PRED ? PRED_BYTES : sw_class_bytes(sw_type_class(type));
}

/* Room at the start of local memory; false after an error. */
bool
ptx_thread_add_slot(ptx_parser *p, ptx_name *name, uint64_t bytes,
                    uint32_t align)
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
    ptx_thread_add_slot(p, name, count * bytes, bytes);
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

ptx_name *
ptx_thread_name(ptx_parser *p, const ptx_name *global, sw_str text)
{
    ptx_name *name = ptx_name_add(p, ptx_scope_function(p), text);
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
