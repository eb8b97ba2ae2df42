/* SPDX-License-Identifier: Apache-2.0 */
/*
 * versions.c - loops whose index is halved or doubled in each iteration,
 * over the levels of a tree or the distances of a butterfly. Which lanes run
 * and what they access in shared memory follows from the index, so the loop is
 * emitted once for each power of two that the index may be in a block of so
 * many threads, and there all that is known (plan/lane_constants.c). The loop
 * as it is remains for other numbers: each iteration begins by asking for them,
 * and where an index is known LLVM knows the next one.
 */
#include "jit/plan/decide.h"
#include "jit/plan/flow.h"
#include "jit/tune.h"

bool
sw_jit_has_versions(const sw_jit_plan *plan, uint32_t block)
{
    const sw_jit_version *all = plan->versions.data;
    for (size_t i = 0; i < plan->versions.count; i++)
        if (sw_cfg_is_in_loop(plan->cfg, all[i].loop, block))
            return true;
    return false;
}

bool
sw_jit_index_at(const sw_jit_plan *plan, uint32_t block, uint32_t at,
                uint64_t *out)
{
    const sw_jit_version *v = plan->version;
    bool is_behind = plan->cfg->sched[block] > plan->cfg->sched[v->block];
    if (!sw_cfg_is_in_loop(plan->cfg, v->loop, block) ||
        (is_behind && !sw_cfg_dominates(plan->cfg, v->block, block)))
        return false;
    if (block == v->block)
        is_behind = at > v->at;
    *out = is_behind ? v->next : v->now;
    return true;
}

/* ---- which loops ---- */

/* All of it is one loop, which all lanes go around together and that ends where
 * they do. */
static bool
is_simple(const sw_jit_plan *plan, uint32_t loop, uint32_t *instructions)
{
    const sw_cfg *cfg = plan->cfg;
    uint32_t count = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (cfg->rpo[b] >= cfg->reachable ||
            !sw_cfg_is_in_loop(plan->cfg, loop, b))
            continue;
        count += plan->fn->blocks[b]->count;
        if (cfg->loop[b] != loop || (plan->twins_are_full && plan->has_twin[b]))
            return false;
        for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++)
            if (!sw_cfg_is_in_loop(plan->cfg, loop, cfg->succ[i]) &&
                plan->shapes->head[b] != SW_SHAPES_ROOT)
                return false;
    }
    *instructions = count;
    return count <= sw_jit_tune.version_loop &&
           plan->shapes->head[cfg->loops[loop].header] == SW_SHAPES_ROOT;
}

/* The only instruction of the loop that writes the register, if all lanes do.
 */
static const sw_ins *
find_step(const sw_jit_plan *plan, sw_jit_version *v)
{
    const sw_cfg *cfg = plan->cfg;
    const sw_ins *step = NULL;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (cfg->rpo[b] >= cfg->reachable ||
            !sw_cfg_is_in_loop(plan->cfg, v->loop, b))
            continue;
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++) {
            const sw_ins *ins = plan->fn->blocks[b]->ins[i];
            if (!sw_ins_writes(ins, v->index))
                continue;
            if (step || ins->guard)
                return NULL;
            step = ins;
            v->block = b;
            v->at = i;
        }
    }
    return step && plan->shapes->head[v->block] == SW_SHAPES_ROOT ? step : NULL;
}

/* Halves and doubles: what it makes of these two numbers. */
static bool
is_by_two(sw_jit_plan *plan, sw_jit_version *v, const sw_ins *step)
{
    uint64_t made[2] = {0, 0};
    for (unsigned i = 0; i < 2; i++) {
        v->now = UINT64_C(4) << i;
        sw_jit_set_version(plan, v);
        if (!sw_jit_step_version(plan, step, &made[i]))
            made[i] = 0;
    }
    sw_jit_set_version(plan, NULL);
    return (made[0] == 2 && made[1] == 4) || (made[0] == 8 && made[1] == 16);
}

static bool
is_access(const sw_ins *ins)
{
    return (ins->op == SW_OP_LD || ins->op == SW_OP_ST) &&
           ins->space == SW_SPACE_SHARED &&
           sw_ins_src(ins, 0)->kind == SW_OPND_REG;
}

/* Of how many accesses to shared memory of a loop it is known where they are,
 * and of these again by which lanes. */
static unsigned
count_known(sw_jit_plan *plan, uint32_t loop)
{
    unsigned n = 0;
    for (uint32_t b = 0; b < plan->cfg->count; b++) {
        if (!sw_cfg_is_in_loop(plan->cfg, loop, b))
            continue;
        bool has_lanes = sw_jit_known_lanes(plan, NULL, b);
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++) {
            const sw_ins *ins = plan->fn->blocks[b]->ins[i];
            if (is_access(ins) &&
                sw_jit_ask_values(plan, sw_ins_src(ins, 0)->reg))
                n += 1 + has_lanes;
        }
    }
    return n;
}

static bool
tells_something(sw_jit_plan *plan, sw_jit_version *v)
{
    unsigned before = count_known(plan, v->loop);
    sw_jit_set_version(plan, v);
    unsigned now = count_known(plan, v->loop);
    sw_jit_set_version(plan, NULL);
    return now > before;
}

static void
note_numbers(sw_jit_plan *plan, const sw_jit_version *v)
{
    sw_jit_set_version(plan, v);
    for (sw_reg r = 1; r < plan->fn->reg_count; r++)
        plan->is_number[r] |= sw_jit_ask_values(plan, r) != NULL;
    sw_jit_set_version(plan, NULL);
}

/* The instruction that writes it; NULL: the loop has no such index. */
static const sw_ins *
find_index(sw_jit_plan *plan, sw_jit_version *v)
{
    const uint64_t *in =
        plan->live->in + plan->cfg->loops[v->loop].header * plan->live->words;
    for (sw_reg r = 1; r < plan->fn->reg_count; r++) {
        if (!(in[r / 64] >> (r % 64) & 1) ||
            plan->fn->regs[r].cls != SW_CLASS_B32 ||
            plan->shapes->regs[r].kind != SW_SHAPE_UNIFORM)
            continue;
        v->index = r;
        const sw_ins *step = find_step(plan, v);
        v->next = 0;
        if (step && is_by_two(plan, v, step) && tells_something(plan, v))
            return step;
    }
    return NULL;
}

/* What lanes do in a version is known, and they need not be asked whether all
 * do the same. */
static void
drop_twins(sw_jit_plan *plan, uint32_t loop)
{
    for (uint32_t b = 0; b < plan->cfg->count; b++)
        if (sw_cfg_is_in_loop(plan->cfg, loop, b))
            plan->agrees[b] = plan->has_twin[b] = false;
}

static void
clear(sw_jit_plan *plan)
{
    for (size_t i = 0; i < plan->versions.count; i++) {
        sw_jit_version *v = sw_vec_at(&plan->versions, i);
        sw_jit_facts_destroy(plan, v->facts);
    }
    sw_vec_clear(&plan->versions);
}

void
sw_jit_versions_finish(sw_jit_plan *plan)
{
    clear(plan);
    sw_vec_finish(&plan->versions);
}

/* Of which all is known but what is known in it. */
static void
add_version(sw_jit_plan *plan, const sw_jit_version *v)
{
    sw_jit_set_version(plan, v);
    sw_jit_version *added = sw_vec_push(&plan->versions);
    *added = *v;
    added->facts = sw_jit_facts_create(plan);
}

void
sw_jit_find_versions(sw_jit_plan *plan)
{
    const sw_cfg *cfg = plan->cfg;
    uint32_t lanes = plan->shapes->map.lanes, all = 0, count, numbers = 0;
    clear(plan);
    sw_free(plan->is_number);
    plan->is_number = sw_alloc(plan->fn->reg_count * sizeof *plan->is_number);
    for (sw_reg r = 1; plan->values && r < plan->fn->reg_count; r++)
        plan->is_number[r] = sw_jit_ask_values(plan, r);
    if (!plan->shapes->map.ntid[0] || !plan->values || sw_jit_will_be_cut(plan))
        return;
    const uint16_t *n = plan->shapes->map.ntid;
    uint32_t threads = (uint32_t)n[0] * n[1] * n[2];
    for (uint32_t i = 1; i <= threads; i *= 2)
        numbers++;
    for (uint32_t l = 1; l < cfg->loop_count; l++) {
        sw_jit_version v = {.loop = l};
        if (!is_simple(plan, l, &count) ||
            (all + count * numbers) * lanes * plan->phases >
                sw_jit_tune.version_size)
            continue;
        const sw_ins *step = find_index(plan, &v);
        if (!step)
            continue;
        note_numbers(plan, &v);
        drop_twins(plan, l);
        all += count * numbers;
        for (v.now = 1; v.now <= threads; v.now *= 2) {
            sw_jit_set_version(plan, &v);
            if (sw_jit_step_version(plan, step, &v.next))
                add_version(plan, &v);
            sw_jit_set_version(plan, NULL);
        }
    }
}
