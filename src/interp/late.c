/* SPDX-License-Identifier: Apache-2.0 */
/* late.c - see late.h. */
#include "interp/late.h"

void
sw_interp_order_stores(const sw_run *run, const sw_dins *d)
{
    const sw_ins *ins = d->ins;
    bool is_wide = ins->scope != SW_SCOPE_CTA;
    switch ((sw_dkind)d->kind) {
    case SW_K_ST:
    case SW_K_ATOM:
        if (ins->order == SW_ORDER_RELEASE || ins->order == SW_ORDER_ACQ_REL ||
            ins->order == SW_ORDER_SC)
            sw_late_fence(run->warp, is_wide);
        break;
    case SW_K_FENCE:
        sw_late_fence(run->warp, is_wide);
        break;
    case SW_K_RET:
        if (run->frame->up)
            break;
        /* fall through */
    case SW_K_BAR:
    case SW_K_EXIT:
        sw_late_fence(run->warp, false);
        break;
    case SW_K_CALL:
        if (((const sw_dcall *)d->aux)->builtin < 0)
            break;
        /* fall through */
    case SW_K_BAR_CLUSTER:
    case SW_K_MBAR:
    case SW_K_TEX:
    case SW_K_MATRIX:
    case SW_K_CP_ASYNC:
    case SW_K_CP_BULK:
    case SW_K_CP_TENSOR:
        sw_late_fence(run->warp, true);
        break;
    default:
        break;
    }
}
