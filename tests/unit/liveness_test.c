/* SPDX-License-Identifier: Apache-2.0 */
/* liveness_test.c - live registers of small functions, against sets found by
 * hand, and of random ones against the definition followed path by path. */
#include <time.h>

#include "check.h"
#include "ir/build.h"
#include "opt/liveness.h"

typedef struct {
    sw_module *module;
    sw_build b;
    sw_cfg *cfg;
    sw_liveness *live;
} function;

static void
start(function *f, uint32_t regs)
{
    f->module = sw_module_create("test");
    sw_build_begin(&f->b, sw_build_fn(f->module, "f", true));
    sw_build_reg(&f->b, SW_T_PRED, "p"); /* register 1 */
    for (uint32_t i = 0; i < regs; i++)  /* from register 2 */
        sw_build_reg(&f->b, SW_T_U32, NULL);
    sw_build_block(&f->b, NULL);
}

static void
analyse(function *f)
{
    f->cfg = sw_cfg_create(f->b.fn);
    f->live = sw_liveness_create(f->b.fn, f->cfg);
}

static void
finish(function *f)
{
    sw_liveness_destroy(f->live);
    sw_cfg_destroy(f->cfg);
    sw_module_destroy(f->module);
}

static sw_ins *
add(function *f, sw_reg d, sw_reg a, sw_reg b)
{
    const sw_opnd o[3] = {sw_opnd_reg(d), sw_opnd_reg(a), sw_opnd_reg(b)};
    return sw_build_op(&f->b, SW_OP_ADD, SW_T_U32, 1, 2, o);
}

static void
set(function *f, sw_reg d)
{
    const sw_opnd o[2] = {sw_opnd_reg(d), sw_opnd_imm(1)};
    sw_build_op(&f->b, SW_OP_MOV, SW_T_U32, 1, 1, o);
}

static uint64_t
in(const function *f, uint32_t block)
{
    return f->live->in[block * f->live->words];
}

static uint64_t
out(const function *f, uint32_t block)
{
    return f->live->out[block * f->live->words];
}

#define BIT(r) ((uint64_t)1 << (r))

CASE(values_live_through_branches_and_loops)
{
    function f;
    start(&f, 4);
    set(&f, 2);
    set(&f, 3);
    sw_build_bra(&f.b, 1);
    sw_build_block(&f.b, NULL);
    add(&f, 2, 2, 3); /* the loop's sum, and a value from before */
    add(&f, 4, 2, 2);
    sw_build_bra_if(&f.b, 1, false, 1, 2);
    sw_build_block(&f.b, NULL);
    add(&f, 5, 4, 4);
    sw_build_ins(&f.b, SW_OP_EXIT, SW_T_NONE, 0, 0);
    analyse(&f);
    CHECK_EQ(in(&f, 0), BIT(1)); /* never written */
    CHECK_EQ(out(&f, 0), BIT(1) | BIT(2) | BIT(3));
    CHECK_EQ(in(&f, 1), BIT(1) | BIT(2) | BIT(3));
    CHECK_EQ(out(&f, 1), BIT(1) | BIT(2) | BIT(3) | BIT(4));
    CHECK_EQ(in(&f, 2), BIT(4));
    CHECK_EQ(out(&f, 2), 0);
    CHECK_EQ(f.live->max_live[SW_CLASS_B32], 3);
    CHECK_EQ(f.live->max_live[SW_CLASS_PRED], 1);
    CHECK_EQ(f.live->max_live_words, 3);
    finish(&f);
}

CASE(guarded_writes_do_not_kill)
{
    function f;
    start(&f, 3);
    set(&f, 2);
    sw_build_bra(&f.b, 1);
    sw_build_block(&f.b, NULL);
    sw_ins *ins = add(&f, 2, 3, 3);
    ins->guard = 1;
    add(&f, 4, 2, 2);
    sw_build_ins(&f.b, SW_OP_EXIT, SW_T_NONE, 0, 0);
    analyse(&f);
    CHECK_EQ(in(&f, 1), BIT(1) | BIT(2) | BIT(3));
    CHECK_EQ(in(&f, 0), BIT(1) | BIT(3));
    finish(&f);

    /* A guarded write that nobody reads keeps nothing alive. */
    start(&f, 2);
    ins = add(&f, 2, 3, 3);
    ins->guard = 1;
    sw_build_ins(&f.b, SW_OP_EXIT, SW_T_NONE, 0, 0);
    analyse(&f);
    CHECK_EQ(in(&f, 0), BIT(1) | BIT(3));
    CHECK_EQ(f.live->max_live[SW_CLASS_B32], 1);
    finish(&f);
}

CASE(calls_and_results)
{
    function f;
    start(&f, 4);
    sw_opnd results[1] = {sw_opnd_reg(5)};
    f.b.fn->rets = results;
    f.b.fn->ret_count = 1;
    const sw_opnd args[2] = {sw_opnd_reg(2), sw_opnd_reg(3)};
    const sw_opnd rets[1] = {sw_opnd_reg(4)};
    const sw_call call = {
        .args = args, .rets = rets, .arg_count = 2, .ret_count = 1};
    sw_build_ins(&f.b, SW_OP_CALL, SW_T_NONE, 0, 0)->aux = &call;
    add(&f, 5, 4, 4);
    sw_build_ins(&f.b, SW_OP_RET, SW_T_NONE, 0, 0);
    analyse(&f);
    CHECK_EQ(in(&f, 0), BIT(2) | BIT(3));
    finish(&f);
}

static uint32_t random_state = 99;

static uint32_t
draw(uint32_t below)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % below;
}

/* Is there a path from the start of a block on which reg is read before it is
 * certainly written? */
static bool
is_read_first(const sw_fn *fn, const sw_cfg *cfg, uint32_t from, sw_reg reg)
{
    bool seen[64] = {false};
    uint32_t stack[64], n = 0;
    stack[n++] = from;
    seen[from] = true;
    while (n) {
        const sw_block *block = fn->blocks[stack[--n]];
        bool written = false;
        for (uint32_t i = 0; i < block->count && !written; i++) {
            const sw_ins *ins = block->ins[i];
            if (ins->guard == reg)
                return true;
            for (unsigned k = 0; k < ins->nsrc; k++)
                if (sw_ins_src(ins, k)->reg == reg)
                    return true;
            for (unsigned k = 0; k < ins->ndst; k++)
                written |= !ins->guard && ins->opnd[k].reg == reg;
        }
        for (uint32_t i = cfg->succ_at[block->index];
             !written && i < cfg->succ_at[block->index + 1]; i++)
            if (!seen[cfg->succ[i]]) {
                seen[cfg->succ[i]] = true;
                stack[n++] = cfg->succ[i];
            }
    }
    return false;
}

/* Of many blocks and registers it is known in less time than it takes to ask
 * of each register whether it is live at the end of each block. */
CASE(many_blocks_with_many_registers)
{
    enum { BLOCKS = 4000, EACH = 4 };
    function f;
    start(&f, EACH * BLOCKS);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        for (sw_reg r = 2 + EACH * b; r < 2 + EACH * (b + 1); r++)
            set(&f, r);
        sw_build_bra(&f.b, b + 1);
        sw_build_block(&f.b, NULL);
    }
    add(&f, 2, 2, 3);
    sw_build_ins(&f.b, SW_OP_EXIT, SW_T_NONE, 0, 0);
    clock_t begun = clock(); /* of the process: others may run too */
    analyse(&f);
    clock_t took = clock() - begun;
    uint32_t count[SW_CLASS_COUNT] = {0};
    begun = clock();
    for (uint32_t b = 0; b <= BLOCKS; b++)
        for (sw_reg r = 1; r < f.b.fn->reg_count; r++)
            count[f.b.fn->regs[r].cls] += sw_liveness_out(f.live, b, r);
    clock_t asking = clock() - begun;
    CHECK_EQ(count[SW_CLASS_B32], 2 * BLOCKS);
    CHECK_EQ(f.live->max_live[SW_CLASS_B32], 3);
    if (took >= asking)
        printf("%ld, %ld\n", (long)took, (long)asking);
    CHECK(took < asking);
    finish(&f);
}

CASE(random_functions)
{
    for (int round = 0; round < 200; round++) {
        function f;
        uint32_t blocks = 1 + draw(12), regs = 70;
        start(&f, regs);
        for (uint32_t b = 0; b < blocks; b++) {
            if (b)
                sw_build_block(&f.b, NULL);
            for (uint32_t k = draw(6); k > 0; k--) {
                sw_ins *ins =
                    add(&f, 2 + draw(regs), 2 + draw(regs), 2 + draw(regs));
                ins->guard = draw(3) == 0;
            }
            if (draw(5) == 0)
                sw_build_ins(&f.b, SW_OP_EXIT, SW_T_NONE, 0, 0);
            else
                sw_build_bra_if(&f.b, 1, false, draw(blocks), draw(blocks));
        }
        analyse(&f);
        for (uint32_t b = 0; b < blocks; b++)
            for (sw_reg r = 1; r < f.b.fn->reg_count; r++) {
                CHECK_EQ(sw_liveness_in(f.live, b, r),
                         is_read_first(f.b.fn, f.cfg, b, r));
                bool after = false;
                for (uint32_t i = f.cfg->succ_at[b]; i < f.cfg->succ_at[b + 1];
                     i++)
                    after |= sw_liveness_in(f.live, f.cfg->succ[i], r);
                CHECK_EQ(sw_liveness_out(f.live, b, r), after);
            }
        finish(&f);
    }
}
