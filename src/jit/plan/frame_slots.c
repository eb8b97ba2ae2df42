/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_slots.c - which registers are kept in their frame slots from each write
 * on, so that side exits need not store them (emit/deopt.c).
 */
#include "jit/plan/plan.h"
#include "jit/tune.h"

/* Instructions [from, to) of a block, and one of them. */
typedef struct {
    const sw_block *block;
    uint32_t from, at, to;
    bool is_same; /* it would compute the same */
} replay;

typedef struct {
    sw_reg reg;
    bool found;
} searched;

static void
compare_reg(void *data, sw_reg reg)
{
    searched *s = data;
    s->found |= s->reg == reg;
}

static bool
is_written(const sw_block *block, uint32_t from, uint32_t to, sw_reg reg)
{
    searched s = {reg, false};
    for (uint32_t i = from; i < to; i++)
        sw_ins_visit_writes(block->ins[i], compare_reg, &s);
    return s.found;
}

/* A source is what it was if it is computed again before, or not changed
 * since. */
static void
check_source(void *data, sw_reg reg)
{
    replay *r = data;
    if (!is_written(r->block, r->from, r->at, reg) &&
        is_written(r->block, r->at, r->to, reg))
        r->is_same = false;
}

static bool
may_do_again(replay *r)
{
    const sw_ins *ins = r->block->ins[r->at];
    int fx = sw_op_get_info((sw_op)ins->op)->effects;
    if (ins->guard ||
        (fx != SW_FX_PURE && (ins->op != SW_OP_LD || ins->order != 0)))
        return false;
    r->is_same = true;
    sw_ins_visit_reads(ins, check_source, r);
    return r->is_same;
}

/* Whether [from, to) may be done again, with the registers of `to`. */
bool
sw_jit_may_go_back(const sw_block *block, uint32_t from, uint32_t to)
{
    replay r = {block, from, from, to, true};
    while (r.at < r.to && may_do_again(&r))
        r.at++;
    return r.at == r.to;
}

/* About as many as a block has. */
static uint32_t
count_outs(const sw_block *block)
{
    uint32_t count = 0, last = 0;
    for (uint32_t i = 0; i < block->count; i++) {
        const sw_ins *ins = block->ins[i];
        bool is_access =
            sw_op_get_info((sw_op)ins->op)->effects != SW_FX_PURE &&
            ins->space != SW_SPACE_PARAM;
        if (!is_access || (count && i - last <= sw_jit_tune.exit_replay &&
                           sw_jit_may_go_back(block, last, i)))
            continue;
        count++;
        last = i;
    }
    return count;
}

/* By register. */
typedef struct {
    uint32_t *writes;
    uint32_t *depth; /* of the innermost loop that writes it */
    uint32_t *last;  /* of the blocks looked at the last that does, plus one */
    uint32_t *outs;  /* at which it lives */
} lives;

typedef struct {
    lives *l;
    uint32_t block, depth;
} place;

static void
note_write(void *data, sw_reg reg)
{
    const place *at = data;
    at->l->writes[reg]++;
    if (at->l->depth[reg] < at->depth)
        at->l->depth[reg] = at->depth;
}

static void
note_last(void *data, sw_reg reg)
{
    const place *at = data;
    at->l->last[reg] = at->block + 1;
}

static void
visit_writes(const sw_jit_plan *plan, void (*visit)(void *data, sw_reg),
             place *at)
{
    const sw_block *block = plan->fn->blocks[at->block];
    uint32_t loop = plan->cfg->loop[at->block];
    at->depth = loop ? plan->cfg->loops[loop].depth : 0;
    for (uint32_t i = 0; i < block->count; i++)
        sw_ins_visit_writes(block->ins[i], visit, at);
}

/* A block counts once for what lives at its beginning, and as often as it has
 * ways out for what it does not write, and no loop in it does. */
static void
count_lives(const sw_jit_plan *plan, uint32_t b, uint32_t outs, lives *l)
{
    place at = {l, b, 0};
    const uint64_t *in = plan->live->in + b * plan->live->words;
    const uint64_t *out = plan->live->out + b * plan->live->words;
    visit_writes(plan, note_last, &at);
    for (size_t i = 0; i < plan->live->words; i++)
        for (uint64_t set = in[i]; set; set &= set - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(set);
            sw_reg r = (sw_reg)(i * 64 + bit);
            bool stays = (out[i] >> bit & 1) && l->last[r] != b + 1 &&
                         l->depth[r] <= at.depth;
            l->outs[r] += stays && outs ? outs : 1;
        }
}

/* outs: by block. */
static bool *
choose_kept(const sw_jit_plan *plan, const uint32_t *outs)
{
    const sw_fn *fn = plan->fn;
    size_t bytes = fn->reg_count * sizeof(uint32_t);
    lives l = {sw_alloc(bytes), sw_alloc(bytes), sw_alloc(bytes),
               sw_alloc(bytes)};
    for (uint32_t n = 0; n < plan->cfg->reachable; n++)
        visit_writes(plan, note_write, &(place){&l, plan->cfg->order[n], 0});
    for (uint32_t n = 0; n < plan->cfg->reachable; n++)
        count_lives(plan, plan->cfg->order[n], outs[plan->cfg->order[n]], &l);
    bool *is_kept = sw_alloc(fn->reg_count);
    for (sw_reg r = 1; r < fn->reg_count; r++) {
        bool from_entry = plan->live->in[r / 64] >> (r % 64) & 1;
        is_kept[r] =
            l.writes[r] && !from_entry && fn->regs[r].cls != SW_CLASS_PRED &&
            l.outs[r] / l.writes[r] >= sw_jit_tune.frame_slot_exits_a_write;
    }
    sw_free(l.writes);
    sw_free(l.depth);
    sw_free(l.last);
    sw_free(l.outs);
    return is_kept;
}

/* What lives long and is written seldom is stored when it is written rather
 * than by each side exit: in functions that have so many, a block at least one,
 * if it lives at this many for each write. */
void
sw_jit_find_kept(sw_jit_plan *plan)
{
    const sw_fn *fn = plan->fn;
    uint32_t ways = 0, *outs = sw_alloc(fn->block_count * sizeof *outs);
    for (uint32_t n = 0; n < plan->cfg->reachable; n++) {
        uint32_t b = plan->cfg->order[n];
        outs[b] = count_outs(fn->blocks[b]);
        ways += outs[b] ? outs[b] : 1;
    }
    if (ways >= sw_jit_tune.frame_slot_exits)
        plan->is_kept = choose_kept(plan, outs);
    sw_free(outs);
}
