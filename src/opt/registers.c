/* SPDX-License-Identifier: Apache-2.0 */
/* registers.c - see registers.h. */
#include "opt/registers.h"

#include "opt/liveness.h"

uint32_t
sw_registers_estimate(const sw_fn *fn)
{
    sw_cfg *cfg = sw_cfg_create(fn);
    sw_liveness *live = sw_liveness_create(fn, cfg);
    uint32_t n = live->max_live_words;
    sw_liveness_destroy(live);
    sw_cfg_destroy(cfg);
    return n;
}
