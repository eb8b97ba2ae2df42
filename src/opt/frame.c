/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c - see frame.h. */
#include "opt/frame.h"

enum { FRAME_ALIGN = 16 };

/* The end of what lies in the frame. */
static void
note_end(uint32_t *bytes, const sw_opnd *o, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const sw_sym *sym = o[i].kind == SW_OPND_SYM ? o[i].sym : NULL;
        if (!sym ||
            (sym->space != SW_SPACE_LOCAL && sym->space != SW_SPACE_PARAM))
            continue;
        uint32_t end = (uint32_t)(sym->address + sym->bytes);
        *bytes = *bytes > end ? *bytes : end;
    }
}

static uint32_t
find_end(const sw_fn *fn)
{
    uint32_t bytes = 0;
    note_end(&bytes, fn->params, fn->is_entry ? 0 : fn->param_count);
    note_end(&bytes, fn->rets, fn->ret_count);
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
            note_end(&bytes, ins->opnd, (uint32_t)ins->ndst + ins->nsrc);
            note_end(&bytes, call ? call->args : NULL,
                     call ? call->arg_count : 0);
            note_end(&bytes, call ? call->rets : NULL,
                     call ? call->ret_count : 0);
        }
    return bytes;
}

const sw_fn *
sw_opt_trim_frame(const sw_fn *fn, sw_arena *arena)
{
    uint32_t bytes = find_end(fn);
    bytes = (bytes + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
    if (bytes >= fn->frame_bytes)
        return NULL;
    sw_fn *copy = sw_arena_alloc(arena, sizeof *copy);
    *copy = *fn;
    copy->frame_bytes = bytes;
    return copy;
}
