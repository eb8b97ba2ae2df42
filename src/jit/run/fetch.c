/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.c - see run/fetch.h. */
#include "jit/run/fetch.h"

#include <string.h>

_Static_assert((int)SW_TEX_COORDS == (int)SW_JIT_FETCH_RESULTS &&
                   (int)SW_TEX_LAYER == (int)SW_JIT_FETCH_LAYER &&
                   (int)SW_TEX_ROWS == (int)SW_JIT_FETCH_ROWS,
               "compiled code knows the rows");
_Static_assert(offsetof(sw_tex_plan, fetch) == 0, "and where the function is");

/* One warp, whose rows are copied: who observes wants 32 lanes, and what is not
 * known to be accessible is looked at warp by warp. */
static bool
fetch_warp(const sw_jit_fetch *f, const sw_tex_plan *plan, uint32_t w)
{
    uint32_t lanes = f->fused * SW_WARP_LANES;
    _Alignas(64) uint32_t rows[SW_TEX_ROWS][SW_WARP_LANES];
    sw_run *run = f->runs[w];
    sw_texel_log room, *log = NULL;
    if (sw_interp_wants_texels(run))
        log = sw_interp_open_log(&room);
    for (unsigned k = SW_TEX_COORDS; k < SW_TEX_ROWS; k++)
        memcpy(rows[k], f->rows + k * lanes + w * SW_WARP_LANES,
               sizeof rows[k]);
    if (!sw_interp_fetch(run, plan, rows, f->mask[w], log))
        return false;
    for (unsigned k = 0; k < SW_TEX_COORDS; k++)
        memcpy(f->rows + k * lanes + w * SW_WARP_LANES, rows[k],
               sizeof rows[k]);
    if (log) {
        sw_interp_observe_at(run, f->at, f->mask[w]);
        sw_interp_observe_texels(run, log);
    }
    return true;
}

/* From now on compiled code needs no help here. */
static void
keep_plan(const sw_jit_fetch *f, const sw_tex_plan *plan)
{
    if (!*f->plan)
        *f->plan = sw_alloc(sizeof **f->plan);
    **f->plan = *plan;
    *f->window = (sw_jit_window){f->texture, (uint64_t)(uintptr_t)*f->plan};
}

uint32_t
sw_jit_fetch_fused(const sw_jit_fetch *f)
{
    sw_run *run = f->runs[0];
    const sw_ins *ins = run->code->ins[f->at].ins;
    uint32_t lanes = f->fused * SW_WARP_LANES;
    const sw_tex_plan *plan =
        sw_interp_tex_plan(run, ins, f->texture, f->sampler);
    if (!plan)
        return 0;
    if (plan->is_whole && !sw_interp_wants_texels(run)) {
        if (run->warp->blk->env->texture_changes && f->sampler == f->texture)
            keep_plan(f, plan);
        return ins->op == SW_OP_TEX
                   ? plan->fetch(plan, f->rows, lanes, NULL)
                   : plan->access(plan, f->rows, lanes, f->mask);
    }
    for (uint32_t w = 0; w < f->fused; w++)
        if (ins->op != SW_OP_TEX || (f->mask[w] && !fetch_warp(f, plan, w)))
            return 0;
    return 1;
}
