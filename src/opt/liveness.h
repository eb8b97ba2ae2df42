/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liveness.h - which registers of a function hold a value that is still
 * needed, at the ends of every block.
 *
 * A snapshot like sw_cfg: read-only, stale when the function changes. A
 * guarded instruction may leave its destinations as they were, so it does not
 * end the life of the old value; neither does a write in a block that only
 * some lanes run, which is why this holds for a warp as it does for a lane.
 */
#ifndef SW_LIVENESS_H
#define SW_LIVENESS_H
#include "opt/cfg.h"

typedef struct {
    uint32_t block_count, reg_count;
    size_t words; /* of 64 bits, in one set */
    /* [block_count][words], bit r of a set: register r */
    const uint64_t *in, *out;
    /* Most registers of a class that are live at one point of the function,
     * an instruction's destinations included. */
    uint32_t max_live[SW_CLASS_COUNT];
    /* The same in 32-bit registers: what a device would need at least. A
     * B16 counts as one, predicates don't count. */
    uint32_t max_live_words;
    sw_arena *arena;
} sw_liveness;

/* Its sets would take more than 2^30 bits: who can do without leaves it. */
static inline bool
sw_liveness_is_large(const sw_fn *fn)
{
    return (uint64_t)fn->block_count * fn->reg_count > UINT64_C(1) << 30;
}
/* Owned by caller, sw_liveness_destroy. cfg is needed only meanwhile. */
sw_liveness *sw_liveness_create(const sw_fn *fn, const sw_cfg *cfg);
void sw_liveness_destroy(sw_liveness *live);

static inline bool
sw_liveness_in(const sw_liveness *live, uint32_t block, sw_reg reg)
{
    return live->in[block * live->words + reg / 64] >> (reg % 64) & 1;
}

static inline bool
sw_liveness_out(const sw_liveness *live, uint32_t block, sw_reg reg)
{
    return live->out[block * live->words + reg / 64] >> (reg % 64) & 1;
}

/* Calls `visit` for each register that an instruction reads or writes; a
 * guard and an address are read; call arguments and results are included. */
void sw_ins_visit_reads(const sw_ins *ins, void (*visit)(void *data, sw_reg),
                        void *data);
void sw_ins_visit_writes(const sw_ins *ins, void (*visit)(void *data, sw_reg),
                         void *data);
/* Whether the instruction reads, or writes, the register. */
bool sw_ins_reads(const sw_ins *ins, sw_reg reg);
bool sw_ins_writes(const sw_ins *ins, sw_reg reg);

#endif
