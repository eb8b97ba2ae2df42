/* SPDX-License-Identifier: Apache-2.0 */
/* observe.c - see observe.h. */
#include "jit/observe.h"

void
sw_jit_observe(sw_run *run, uint32_t ins, uint32_t mask,
               const uint64_t addr[SW_WARP_LANES], uint32_t bytes, bool is_row)
{
    const sw_dins *d = &run->code->ins[ins];
    sw_space space = (sw_space)d->ins->space;
    const sw_blk *blk = run->warp->blk;
    bool is_plain = space == SW_SPACE_SHARED || space == SW_SPACE_GLOBAL ||
                    space == SW_SPACE_CONST;
    if (blk->observer->access && is_plain) {
        sw_ev_access access = {.fn = run->code->fn,
                               .ins = d->ins,
                               .index = run->code->first + ins,
                               .mask = mask,
                               .space = space,
                               .bytes = bytes,
                               .is_row = is_row,
                               .addr = addr};
        blk->observer->access(blk->observer->arg, blk->observer_state, &access);
        return;
    }
    sw_interp_observe_at(run, ins, mask);
    if (is_plain)
        sw_interp_observe_in(run, d->ins, mask, space, addr, bytes);
    else
        sw_interp_observe(run, d, mask, addr, bytes);
}

void
sw_jit_observe_at(sw_run *run, const sw_tally_access *a, uint32_t mask,
                  uint64_t start)
{
    uint64_t addr[SW_WARP_LANES];
    for (int i = 0; i < SW_WARP_LANES; i++)
        addr[i] = start + (uint64_t)a->at[i];
    sw_jit_observe(run, a->ins, mask, addr, a->bytes, a->is_row);
}
