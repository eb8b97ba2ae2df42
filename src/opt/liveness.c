/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liveness.c - backward data flow over bit sets, a worklist in post-order;
 * see liveness.h.
 */
#include <string.h>

#include "opt/liveness.h"

typedef struct {
    uint64_t *set;
    const sw_fn *fn;
    uint32_t *count; /* [SW_CLASS_COUNT] live now; NULL: not counted */
} state;

static void
visit_operands(const sw_opnd *o, uint32_t count,
               void (*visit)(void *data, sw_reg), void *data)
{
    for (uint32_t i = 0; i < count; i++)
        if (o[i].kind == SW_OPND_REG)
            visit(data, o[i].reg);
}

void
sw_ins_visit_reads(const sw_ins *ins, void (*visit)(void *data, sw_reg),
                   void *data)
{
    if (ins->guard)
        visit(data, ins->guard);
    if (ins->nsrc)
        visit_operands(sw_ins_src(ins, 0), ins->nsrc, visit, data);
    const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
    if (call)
        visit_operands(call->args, call->arg_count, visit, data);
}

void
sw_ins_visit_writes(const sw_ins *ins, void (*visit)(void *data, sw_reg),
                    void *data)
{
    if (ins->ndst)
        visit_operands(ins->opnd, ins->ndst, visit, data);
    const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
    if (call)
        visit_operands(call->rets, call->ret_count, visit, data);
}

typedef struct {
    sw_reg reg;
    bool found;
} wanted;

static void
compare_reg(void *data, sw_reg reg)
{
    wanted *w = data;
    w->found |= w->reg == reg;
}

bool
sw_ins_reads(const sw_ins *ins, sw_reg reg)
{
    wanted w = {reg, false};
    sw_ins_visit_reads(ins, compare_reg, &w);
    return w.found;
}

bool
sw_ins_writes(const sw_ins *ins, sw_reg reg)
{
    wanted w = {reg, false};
    sw_ins_visit_writes(ins, compare_reg, &w);
    return w.found;
}

static void
add_reg(void *data, sw_reg reg)
{
    state *s = data;
    uint64_t bit = (uint64_t)1 << (reg % 64);
    if (s->count && !(s->set[reg / 64] & bit))
        s->count[s->fn->regs[reg].cls]++;
    s->set[reg / 64] |= bit;
}

static void
remove_reg(void *data, sw_reg reg)
{
    state *s = data;
    uint64_t bit = (uint64_t)1 << (reg % 64);
    if (s->count && (s->set[reg / 64] & bit))
        s->count[s->fn->regs[reg].cls]--;
    s->set[reg / 64] &= ~bit;
}

/* Results that the caller reads are live at a return. */
static void
add_results(state *s, const sw_ins *ins)
{
    if (ins->op == SW_OP_RET)
        visit_operands(s->fn->rets, s->fn->ret_count, add_reg, s);
}

/* From what is live after an instruction to what is live before it. */
static void
step(state *s, const sw_ins *ins)
{
    if (!ins->guard)
        sw_ins_visit_writes(ins, remove_reg, s);
    sw_ins_visit_reads(ins, add_reg, s);
    add_results(s, ins);
}

/* gen: read before any certain write; kill: certainly written. */
static void
summarise(const sw_fn *fn, const sw_block *block, uint64_t *gen, uint64_t *kill)
{
    state g = {gen, fn, NULL}, k = {kill, fn, NULL};
    for (uint32_t i = block->count; i-- > 0;) {
        const sw_ins *ins = block->ins[i];
        step(&g, ins);
        if (!ins->guard)
            sw_ins_visit_writes(ins, add_reg, &k);
    }
}

/* Changes in[b] from out[b]; was there a change? */
static bool
transfer(uint64_t *in, const uint64_t *out, const uint64_t *gen,
         const uint64_t *kill, size_t words)
{
    uint64_t changed = 0;
    for (size_t w = 0; w < words; w++) {
        uint64_t value = gen[w] | (out[w] & ~kill[w]);
        changed |= value ^ in[w];
        in[w] = value;
    }
    return changed != 0;
}

/* Blocks whose out sets may change wait in a ring, each at most once. */
static void
solve(const sw_cfg *cfg, uint64_t *in, uint64_t *out, const uint64_t *gen,
      const uint64_t *kill, size_t words, sw_arena *scratch)
{
    uint32_t n = cfg->count, head = 0, waiting = n;
    uint32_t *ring = sw_arena_alloc(scratch, n * sizeof *ring);
    bool *queued = sw_arena_alloc(scratch, n);
    for (uint32_t i = 0; i < n; i++) {
        ring[i] = cfg->order[n - 1 - i];
        queued[i] = true;
    }
    while (waiting) {
        uint32_t b = ring[head];
        head = head + 1 == n ? 0 : head + 1;
        waiting--;
        queued[b] = false;
        uint64_t *to = out + b * words;
        for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++)
            for (size_t w = 0; w < words; w++)
                to[w] |= in[cfg->succ[i] * words + w];
        if (!transfer(in + b * words, to, gen + b * words, kill + b * words,
                      words))
            continue;
        for (uint32_t i = cfg->pred_at[b]; i < cfg->pred_at[b + 1]; i++) {
            uint32_t p = cfg->pred[i];
            if (queued[p])
                continue;
            queued[p] = true;
            uint32_t tail = head + waiting++;
            ring[tail >= n ? tail - n : tail] = p;
        }
    }
}

static void
raise_max(sw_liveness *live, const uint32_t *count)
{
    static const uint32_t words[SW_CLASS_COUNT] = {0, 0, 1, 1, 2, 4};
    uint32_t sum = 0;
    for (int c = 0; c < SW_CLASS_COUNT; c++) {
        if (count[c] > live->max_live[c])
            live->max_live[c] = count[c];
        sum += count[c] * words[c];
    }
    if (sum > live->max_live_words)
        live->max_live_words = sum;
}

/* Destinations of one instruction that are not live after it. */
struct dead_writes {
    state *s;
    uint32_t count;
    sw_reg regs[64];
};

static void
add_dead(void *data, sw_reg reg)
{
    struct dead_writes *dead = data;
    bool live = dead->s->set[reg / 64] >> (reg % 64) & 1;
    if (live || dead->count == sizeof dead->regs / sizeof *dead->regs)
        return;
    add_reg(dead->s, reg);
    dead->regs[dead->count++] = reg;
}

static void
count_live(sw_liveness *live, const sw_fn *fn, sw_arena *scratch)
{
    uint64_t *set = sw_arena_alloc(scratch, live->words * sizeof *set);
    for (uint32_t b = 0; b < live->block_count; b++) {
        uint32_t count[SW_CLASS_COUNT] = {0};
        memcpy(set, live->out + b * live->words, live->words * sizeof *set);
        for (size_t w = 0; w < live->words; w++)
            for (uint64_t left = set[w]; left; left &= left - 1)
                count[fn->regs[w * 64 + (size_t)__builtin_ctzll(left)].cls]++;
        state s = {set, fn, count};
        raise_max(live, count);
        const sw_block *block = fn->blocks[b];
        for (uint32_t i = block->count; i-- > 0;) {
            /* Destinations need a place even if nobody reads them. */
            struct dead_writes dead = {.s = &s};
            sw_ins_visit_writes(block->ins[i], add_dead, &dead);
            raise_max(live, count);
            for (uint32_t k = 0; k < dead.count; k++)
                remove_reg(&s, dead.regs[k]);
            step(&s, block->ins[i]);
            raise_max(live, count);
        }
    }
}

sw_liveness *
sw_liveness_create(const sw_fn *fn, const sw_cfg *cfg)
{
    sw_arena *arena = sw_arena_create();
    sw_arena *scratch = sw_arena_create();
    sw_liveness *live = sw_arena_alloc(arena, sizeof *live);
    live->arena = arena;
    live->block_count = fn->block_count;
    live->reg_count = fn->reg_count;
    live->words = ((size_t)fn->reg_count + 63) / 64;
    live->words += live->words == 0;
    size_t total = live->words * fn->block_count;
    uint64_t *in = sw_arena_alloc(arena, total * sizeof *in);
    uint64_t *out = sw_arena_alloc(arena, total * sizeof *out);
    uint64_t *gen = sw_arena_alloc(scratch, total * sizeof *gen);
    uint64_t *kill = sw_arena_alloc(scratch, total * sizeof *kill);
    for (uint32_t b = 0; b < fn->block_count; b++)
        summarise(fn, fn->blocks[b], gen + b * live->words,
                  kill + b * live->words);
    solve(cfg, in, out, gen, kill, live->words, scratch);
    live->in = in;
    live->out = out;
    count_live(live, fn, scratch);
    sw_arena_destroy(scratch);
    return live;
}

void
sw_liveness_destroy(sw_liveness *live)
{
    if (live)
        sw_arena_destroy(live->arena);
}
