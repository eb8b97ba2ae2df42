/* SPDX-License-Identifier: Apache-2.0 */
/* cfg_private.h - what cfg.c and loops.c share; nobody else includes it. */
#ifndef SW_CFG_PRIVATE_H
#define SW_CFG_PRIVATE_H
#include "opt/cfg.h"

/* Edges by node: succ[succ_at[n]] to succ[succ_at[n + 1] - 1]. */
typedef struct {
    uint32_t count;
    const uint32_t *succ, *succ_at;
} sw_graph;

uint32_t *sw_cfg_new_filled(sw_arena *arena, size_t count, uint32_t value);
/* Fills loop, loops, irreducible, sched; the rest of cfg is there. */
void sw_cfg_find_loops(sw_cfg *cfg, sw_arena *scratch);

#endif
