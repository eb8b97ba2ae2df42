/* SPDX-License-Identifier: Apache-2.0 */
/* if_conversion.c - see if_conversion.h. */
#include "opt/if_conversion.h"

#include <string.h>

#include "opt/cfg.h"
#include "opt/invariants.h"
#include "opt/liveness.h"
#include "opt/rewriter.h"
#include "opt/tune.h"

/* Instructions of a way, without its branch, at most. */
enum { WAY_ROOM = 16 };

/* A register and what one way leaves in it. */
typedef struct {
    sw_reg reg, now;
} result;

typedef struct {
    result results[WAY_ROOM * 2];
    unsigned count;
} way;

typedef struct {
    sw_rewriter w;
    sw_fn *fn; /* the copy */
    const sw_liveness *live;
    uint32_t *preds; /* [block_count] edges that lead there */
    /* [live->reg_count] has one value only, which any way may give it; nothing
     * is known any more of what is chosen. */
    bool *is_invariant;
} conversion;

static bool
is_invariant(const conversion *s, sw_reg reg)
{
    return reg < s->live->reg_count && s->is_invariant[reg];
}

/* ---- what is cheap ---- */

/* As vectors, and without work for NaNs. */
static bool
is_cheap_type(const sw_ins *ins)
{
    sw_kind kind = sw_type_kind((sw_type)ins->type);
    unsigned bits = sw_type_bits((sw_type)ins->type);
    return kind == SW_KIND_FLOAT ? bits == 32
           : kind == SW_KIND_PRED
               ? ins->op == SW_OP_MOV || ins->op == SW_OP_AND ||
                     ins->op == SW_OP_OR || ins->op == SW_OP_XOR ||
                     ins->op == SW_OP_NOT
               : bits <= 64 && kind != SW_KIND_PACKED && kind != SW_KIND_OPAQUE;
}

static bool
is_cheap(const sw_ins *ins)
{
    if (ins->guard || ins->aux || !is_cheap_type(ins))
        return false;
    for (unsigned i = 0; i < (unsigned)ins->ndst + ins->nsrc; i++)
        if (ins->opnd[i].kind == SW_OPND_SYM)
            return false;
    switch (ins->op) {
    case SW_OP_ADD:
    case SW_OP_SUB:
    case SW_OP_MUL:
    case SW_OP_FMA:
    case SW_OP_ABS:
    case SW_OP_NEG:
    case SW_OP_MIN:
    case SW_OP_MAX:
    case SW_OP_AND:
    case SW_OP_OR:
    case SW_OP_XOR:
    case SW_OP_NOT:
    case SW_OP_SHL:
    case SW_OP_SHR:
    case SW_OP_SETP:
    case SW_OP_SELP:
    case SW_OP_MOV:
        return ins->rnd == SW_RND_NONE || ins->rnd == SW_RND_RN;
    case SW_OP_MUL_LO:
    case SW_OP_MAD_LO:
        return sw_type_bits((sw_type)ins->type) <= 32;
    case SW_OP_CVT:
        return sw_type_kind((sw_type)ins->stype) != SW_KIND_FLOAT &&
               sw_type_kind((sw_type)ins->type) != SW_KIND_FLOAT &&
               !(ins->flags & SW_F_SAT);
    default:
        return false;
    }
}

/* A block that a branch alone leads to, with little in it. */
static bool
is_way(const conversion *s, uint32_t b)
{
    const sw_block *block = s->fn->blocks[b];
    const sw_ins *last = block->ins[block->count - 1];
    if (!b || s->preds[b] != 1 ||
        block->count > sw_opt_tune.if_conversion_side + 1 ||
        last->op != SW_OP_BRA || last->guard)
        return false;
    for (uint32_t i = 0; i + 1 < block->count; i++)
        if (!is_cheap(block->ins[i]))
            return false;
    return true;
}

/* ---- a branch ---- */

/* Where both ways of a block's branch meet; UINT32_MAX: they are not such
 * ways. is[]: which of its targets is a way, not where they meet. */
static uint32_t
meeting_of(const conversion *s, const sw_block *block, bool is[2])
{
    const sw_ins *last = block->ins[block->count - 1];
    if (last->op != SW_OP_BRA || !last->guard || block->target_count != 2 ||
        block->targets[0] == block->targets[1] || block->is_test)
        return UINT32_MAX;
    uint32_t end[2];
    for (int i = 0; i < 2; i++) {
        uint32_t to = block->targets[i];
        is[i] = to != block->index && is_way(s, to);
        end[i] = is[i] ? s->fn->blocks[to]->targets[0] : to;
    }
    /* One way may lead to the other, which then is none. */
    if (end[0] != end[1]) {
        is[0] = is[0] && end[0] == block->targets[1];
        is[1] = !is[0] && is[1] && end[1] == block->targets[0];
        end[0] = is[0] ? end[0] : block->targets[0];
        end[1] = is[1] ? end[1] : block->targets[1];
    }
    return end[0] == end[1] && end[0] != block->index && (is[0] || is[1])
               ? end[0]
               : UINT32_MAX;
}

static sw_reg
now_of(const way *x, sw_reg reg)
{
    for (unsigned i = 0; i < x->count; i++)
        if (x->results[i].reg == reg)
            return x->results[i].now;
    return reg;
}

/* What the meeting needs of what a way writes. */
static unsigned
count_results(const conversion *s, uint32_t b, uint32_t meeting, bool *suits)
{
    const sw_block *block = s->fn->blocks[b];
    unsigned n = 0;
    for (uint32_t i = 0; i + 1 < block->count; i++)
        for (unsigned k = 0; k < block->ins[i]->ndst; k++) {
            const sw_opnd *o = &block->ins[i]->opnd[k];
            bool is_needed = o->kind == SW_OPND_REG &&
                             o->reg < s->live->reg_count &&
                             !is_invariant(s, o->reg) &&
                             sw_liveness_in(s->live, meeting, o->reg);
            sw_reg_info *info =
                is_needed ? sw_vec_at(&s->w.regs, o->reg) : NULL;
            n += is_needed;
            *suits = *suits &&
                     (!info || info->cls == SW_CLASS_B16 ||
                      info->cls == SW_CLASS_B32 || info->cls == SW_CLASS_B64);
        }
    return n;
}

static bool
pays(const conversion *s, const sw_block *block, const bool is[2],
     uint32_t meeting)
{
    uint32_t all = 0;
    bool suits = true;
    for (int i = 0; i < 2; i++)
        if (is[i])
            all += s->fn->blocks[block->targets[i]]->count - 1 +
                   count_results(s, block->targets[i], meeting, &suits);
    return suits && all <= sw_opt_tune.if_conversion_both;
}

/* A way's instructions, with registers of its own for what it writes. */
static void
write_way(conversion *s, uint32_t b, way *x)
{
    const sw_block *block = s->fn->blocks[b];
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        const sw_ins *ins = block->ins[i];
        sw_ins *copy = sw_rewriter_copy(&s->w, ins);
        for (unsigned k = ins->ndst; k < (unsigned)ins->ndst + ins->nsrc; k++)
            if (copy->opnd[k].kind == SW_OPND_REG)
                copy->opnd[k].reg = now_of(x, copy->opnd[k].reg);
        for (unsigned k = 0; k < ins->ndst; k++) {
            sw_reg reg = copy->opnd[k].reg;
            if (copy->opnd[k].kind != SW_OPND_REG || is_invariant(s, reg))
                continue;
            sw_reg now = sw_rewriter_reg(
                &s->w, ((sw_reg_info *)sw_vec_at(&s->w.regs, reg))->type);
            unsigned at = 0;
            while (at < x->count && x->results[at].reg != reg)
                at++;
            x->count += at == x->count;
            x->results[at] = (result){reg, now};
            copy->opnd[k].reg = now;
        }
    }
}

static sw_type
type_of_class(sw_class cls)
{
    return cls == SW_CLASS_B16   ? SW_T_B16
           : cls == SW_CLASS_B32 ? SW_T_B32
                                 : SW_T_B64;
}

/* One register, if the meeting needs it: what the taken way left, or the
 * other. */
static void
choose(conversion *s, const sw_ins *bra, sw_reg reg, const way ways[2],
       uint32_t meeting)
{
    if (reg >= s->live->reg_count || !sw_liveness_in(s->live, meeting, reg))
        return;
    sw_class cls = ((sw_reg_info *)sw_vec_at(&s->w.regs, reg))->cls;
    sw_opnd opnds[4] = {sw_opnd_reg(reg),
                        sw_opnd_reg(now_of(&ways[bra->guard_neg], reg)),
                        sw_opnd_reg(now_of(&ways[!bra->guard_neg], reg)),
                        sw_opnd_reg(bra->guard)};
    sw_rewriter_add(&s->w, SW_OP_SELP, type_of_class(cls), 1, 3, opnds);
}

static void
choose_all(conversion *s, const sw_ins *bra, const way ways[2],
           uint32_t meeting)
{
    for (unsigned i = 0; i < ways[0].count; i++)
        choose(s, bra, ways[0].results[i].reg, ways, meeting);
    for (unsigned i = 0; i < ways[1].count; i++)
        if (now_of(&ways[0], ways[1].results[i].reg) == ways[1].results[i].reg)
            choose(s, bra, ways[1].results[i].reg, ways, meeting);
}

/* The block that is written goes on in what follows, which is part of it if
 * nothing else leads there. Both ways did. */
static void
go_on(conversion *s, sw_block *block, uint32_t to)
{
    sw_block *next = s->fn->blocks[to];
    if (--s->preds[to] == 1 && to && !next->is_test) {
        for (uint32_t i = 0; i < next->count; i++)
            sw_rewriter_keep(&s->w, next->ins[i]);
        block->targets = next->targets;
        block->target_count = next->target_count;
        s->preds[to] = 0;
        /* Or in a row of them each would hold all the rest, for nobody. */
        next->ins += next->count - 1;
        next->count = 1;
        return;
    }
    sw_rewriter_add(&s->w, SW_OP_BRA, SW_T_NONE, 0, 0, NULL);
    block->targets = sw_arena_alloc(s->w.arena, sizeof *block->targets);
    block->targets[0] = to;
    block->target_count = 1;
}

static void
merge(conversion *s, sw_block *block, const bool is[2], uint32_t meeting)
{
    const sw_ins *bra = block->ins[block->count - 1];
    way ways[2] = {{.count = 0}, {.count = 0}};
    s->w.from = bra;
    sw_rewriter_begin_block(&s->w);
    for (uint32_t i = 0; i + 1 < block->count; i++)
        sw_rewriter_keep(&s->w, block->ins[i]);
    for (int i = 0; i < 2; i++)
        if (is[i])
            write_way(s, block->targets[i], &ways[i]);
    choose_all(s, bra, ways, meeting);
    for (int i = 0; i < 2; i++)
        if (is[i])
            s->preds[block->targets[i]] = 0;
    go_on(s, block, meeting);
    sw_rewriter_end_block(&s->w, block);
}

/* ---- a function ---- */

static void
count_predecessors(conversion *s)
{
    for (uint32_t b = 0; b < s->fn->block_count; b++)
        for (uint32_t t = 0; t < s->fn->blocks[b]->target_count; t++)
            s->preds[s->fn->blocks[b]->targets[t]]++;
}

/* From the last block to the first, as inner branches mostly come later. */
static bool
merge_some(conversion *s)
{
    bool any = false;
    for (uint32_t b = s->fn->block_count; b-- > 0;) {
        bool is[2];
        sw_block *block = s->fn->blocks[b];
        uint32_t meeting =
            b && !s->preds[b] ? UINT32_MAX : meeting_of(s, block, is);
        if (meeting == UINT32_MAX || !pays(s, block, is, meeting))
            continue;
        merge(s, block, is, meeting);
        any = true;
    }
    return any;
}

static bool
has_ways(const conversion *s)
{
    bool is[2];
    for (uint32_t b = 0; b < s->fn->block_count; b++)
        if (meeting_of(s, s->fn->blocks[b], is) != UINT32_MAX)
            return true;
    return false;
}

/* What has to be known for that is found out only now. */
static bool
merge_all(conversion *s, const sw_fn *fn)
{
    bool any = false;
    sw_cfg *cfg = sw_cfg_create(fn);
    sw_liveness *live = sw_liveness_create(fn, cfg);
    s->live = live;
    s->is_invariant = sw_alloc((fn->reg_count + 1) * sizeof *s->is_invariant);
    sw_opt_find_invariants(fn, s->is_invariant);
    while (merge_some(s))
        any = true;
    sw_free(s->is_invariant);
    sw_liveness_destroy(live);
    sw_cfg_destroy(cfg);
    return any;
}

const sw_fn *
sw_opt_convert_ifs(const sw_fn *fn, sw_arena *arena)
{
    if (fn->module->debug || sw_liveness_is_large(fn))
        return NULL;
    conversion s = {0};
    s.fn = sw_rewriter_begin(&s.w, fn, arena);
    s.preds = sw_alloc((fn->block_count + 1) * sizeof *s.preds);
    count_predecessors(&s);
    bool any = has_ways(&s) && merge_all(&s, fn);
    sw_rewriter_end(&s.w, s.fn);
    sw_free(s.preds);
    return any ? s.fn : NULL;
}
