/* SPDX-License-Identifier: Apache-2.0 */
/*
 * local.c - whether anything in a kernel depends on where local memory lies; if
 * not, compiled code keeps it in rows of lanes (emit/access_local.c).
 */
#include "jit/plan/plan.h"

static bool
is_read(const sw_fn *fn, const sw_ins *ins)
{
    for (unsigned k = 0; k < ins->ndst; k++)
        for (uint32_t b = 0; b < fn->block_count; b++)
            for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
                if (ins->opnd[k].kind == SW_OPND_REG &&
                    sw_ins_reads(fn->blocks[b]->ins[i], ins->opnd[k].reg))
                    return true;
    return false;
}

/* Without it nobody has an address of local memory but its loads and stores. */
static bool
keeps_secret(const sw_fn *fn, const sw_ins *ins)
{
    const sw_sym *sym;
    switch (ins->op) {
    case SW_OP_CALL:
    case SW_OP_ALLOCA:
    case SW_OP_STACKSAVE:
    case SW_OP_STACKRESTORE:
        return false;
    case SW_OP_LD:
    case SW_OP_LDU:
    case SW_OP_ST:
        return ins->space != SW_SPACE_LOCAL || !sw_jit_is_unusual(ins);
    case SW_OP_ADDR:
        sym = sw_ins_src(ins, 0)->sym;
        return !(ins->flags & SW_F_GENERIC_ADDR) ||
               (sym->space != SW_SPACE_LOCAL && sym->space != SW_SPACE_PARAM) ||
               !is_read(fn, ins);
    case SW_OP_CVTA:
        return ins->space != SW_SPACE_LOCAL || !is_read(fn, ins);
    default:
        return ins->space != SW_SPACE_LOCAL;
    }
}

bool
sw_jit_can_have_local_rows(const sw_jit_plan *plan)
{
    if (!plan->fn->frame_bytes || plan->rq->counts_inline)
        return false;
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++)
            if (!keeps_secret(plan->fn, plan->fn->blocks[b]->ins[i]))
                return false;
    return true;
}
