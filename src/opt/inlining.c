/* SPDX-License-Identifier: Apache-2.0 */
/* inlining.c - see inlining.h. */
#include "opt/inlining.h"

#include <string.h>

#include "opt/callees.h"
#include "opt/tune.h"

/* Small functions come first, then large ones and what is left: a call is the
 * interpreter's, so these are worth their time with the compiler too. Of large
 * ones those that loops call come before others. */
enum {
    CANDIDATES = 16, /* functions that a call by address may mean, at most */
    DEPTH_MOST = 16  /* of calls in calls, where recursion is looked for */
};

/* ---- which calls ---- */

/* Whether fn calls `wanted`, maybe through others; deep chains count as such.
 */
static bool
reaches(const sw_fn *fn, const sw_fn *wanted, unsigned depth)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_fn *next = sw_callee_of(fn->blocks[b]->ins[i]);
            if (next && (next == wanted || depth == DEPTH_MOST ||
                         reaches(next, wanted, depth + 1)))
                return true;
        }
    return false;
}

static uint32_t
count_ins(const sw_fn *fn)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < fn->block_count; b++)
        n += fn->blocks[b]->count;
    return n;
}

/* Both are slots, and the caller's has room. */
static bool
are_slots(const sw_opnd *formal, const sw_opnd *actual)
{
    return formal->kind == SW_OPND_SYM && actual->kind == SW_OPND_SYM &&
           actual->imm == 0 && actual->sym->bytes >= formal->sym->bytes;
}

static bool
passes_slots(const sw_fn *fn, const sw_call *call)
{
    if (call->arg_count != fn->param_count || call->ret_count != fn->ret_count)
        return false;
    for (uint32_t i = 0; i < fn->param_count; i++) {
        if (!are_slots(&fn->params[i], &call->args[i]))
            return false;
        for (uint32_t k = 0; k < fn->ret_count; k++)
            if (call->rets[k].sym == call->args[i].sym)
                return false;
    }
    for (uint32_t i = 0; i < fn->ret_count; i++)
        if (!are_slots(&fn->rets[i], &call->rets[i]))
            return false;
    return true;
}

/* It takes no room on the stack as it runs: it would be the kernel's. */
static bool
is_plain(const sw_fn *fn)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            if (ins->op == SW_OP_ALLOCA || ins->op == SW_OP_STACKSAVE ||
                ins->op == SW_OP_STACKRESTORE ||
                (ins->op == SW_OP_RET && ins->guard))
                return false;
        }
    return true;
}

/* ---- the copy ---- */

typedef struct {
    sw_sym *from, *to;
} renamed;

/* Whose code a block is, and whose call that code stands in the place of. */
typedef struct origin {
    const sw_fn *fn;
    const struct origin *caller; /* NULL: the kernel */
} origin;

typedef struct {
    sw_arena *arena;
    sw_fn *fn;                       /* the copy; its arrays are these: */
    sw_vec blocks;                   /* sw_block * */
    sw_vec origins;                  /* const origin *, of each block */
    sw_vec regs;                     /* sw_reg_info */
    const origin *origin;            /* of blocks that are added now */
    uint32_t ins_count, frame_limit; /* bytes */
    uint32_t most, each;             /* instructions: of all, of a function */
    bool only_loops;                 /* calls elsewhere are left */
} copy;

/* One call: what becomes of the function's registers and variables. */
typedef struct {
    copy *c;
    const sw_fn *from;
    uint32_t reg_base, frame_base;
    sw_vec renamed;
} instance;

static sw_sym *
rename_sym(instance *n, sw_sym *sym)
{
    renamed *all = n->renamed.data;
    if (!sym || sym->owner != n->from ||
        (sym->space != SW_SPACE_LOCAL && sym->space != SW_SPACE_PARAM))
        return sym;
    for (size_t i = 0; i < n->renamed.count; i++)
        if (all[i].from == sym)
            return all[i].to;
    sw_sym *to = sw_arena_alloc(n->c->arena, sizeof *to);
    *to = *sym;
    to->owner = n->c->fn;
    to->address += n->frame_base;
    *(renamed *)sw_vec_push(&n->renamed) = (renamed){sym, to};
    return to;
}

static sw_opnd
rename_opnd(instance *n, sw_opnd o)
{
    if (o.kind == SW_OPND_REG && o.reg)
        o.reg += n->reg_base;
    else if (o.kind == SW_OPND_SYM)
        o.sym = rename_sym(n, o.sym);
    return o;
}

static sw_opnd *
rename_opnds(instance *n, const sw_opnd *from, uint32_t count)
{
    sw_opnd *to = sw_arena_alloc(n->c->arena, (count + 1) * sizeof *to);
    for (uint32_t i = 0; i < count; i++)
        to[i] = rename_opnd(n, from[i]);
    return to;
}

static sw_ins *
copy_ins(instance *n, const sw_ins *from)
{
    sw_ins *ins = sw_arena_alloc(n->c->arena, sizeof *ins);
    *ins = *from;
    ins->guard += ins->guard ? n->reg_base : 0;
    ins->opnd = rename_opnds(n, from->opnd, (uint32_t)from->ndst + from->nsrc);
    if (from->op == SW_OP_CALL) {
        sw_call *call = sw_arena_alloc(n->c->arena, sizeof *call);
        *call = *(const sw_call *)from->aux;
        call->args = rename_opnds(n, call->args, call->arg_count);
        call->rets = rename_opnds(n, call->rets, call->ret_count);
        ins->aux = call;
    }
    return ins;
}

static sw_block *
add_block(copy *c, uint32_t ins_count, uint32_t target_count)
{
    sw_block *b = sw_arena_alloc(c->arena, sizeof *b);
    b->ins = sw_arena_alloc(c->arena, (ins_count + 1) * sizeof *b->ins);
    b->targets =
        sw_arena_alloc(c->arena, (target_count + 1) * sizeof *b->targets);
    b->count = ins_count;
    b->target_count = target_count;
    b->index = (uint32_t)c->blocks.count;
    *(sw_block **)sw_vec_push(&c->blocks) = b;
    *(const origin **)sw_vec_push(&c->origins) = c->origin;
    return b;
}

/* The block's instructions from this one on, and where they lead. */
static sw_block *
add_rest(copy *c, const sw_block *from, uint32_t first)
{
    sw_block *b = add_block(c, from->count - first, from->target_count);
    for (uint32_t i = 0; i < b->count; i++)
        b->ins[i] = from->ins[first + i];
    for (uint32_t i = 0; i < b->target_count; i++)
        b->targets[i] = from->targets[i];
    return b;
}

static sw_block *
block_at(const copy *c, size_t i)
{
    return *(sw_block **)sw_vec_at(&c->blocks, i);
}

/* Whether the code that is looked at is fn's, or stands in a call of fn's: what
 * is called by address may call itself so. */
static bool
is_within(const copy *c, const sw_fn *fn)
{
    for (const origin *o = c->origin; o; o = o->caller)
        if (o->fn == fn)
            return true;
    return false;
}

/* To a block, in the place of another instruction. */
static sw_ins *
jump(copy *c, const sw_ins *instead)
{
    sw_ins *bra = sw_arena_alloc(c->arena, sizeof *bra);
    *bra = (sw_ins){.op = SW_OP_BRA,
                    .type = SW_T_NONE,
                    .line = instead->line,
                    .loc = instead->loc};
    return bra;
}

/* The function's blocks, behind all others; where it returns it goes to block
 * `back`. */
static void
copy_blocks(instance *n, uint32_t back)
{
    copy *c = n->c;
    uint32_t base = (uint32_t)c->blocks.count;
    for (uint32_t b = 0; b < n->from->block_count; b++) {
        const sw_block *from = n->from->blocks[b];
        const sw_ins *last = from->ins[from->count - 1];
        bool returns = last->op == SW_OP_RET;
        sw_block *to =
            add_block(c, from->count, returns ? 1 : from->target_count);
        for (uint32_t i = 0; i < from->count - returns; i++)
            to->ins[i] = copy_ins(n, from->ins[i]);
        for (uint32_t i = 0; i < from->target_count; i++)
            to->targets[i] = base + from->targets[i];
        if (returns) {
            to->ins[from->count - 1] = jump(c, last);
            to->targets[0] = back;
        }
        c->ins_count += from->count;
    }
}

/* Instruction i of the block, a call of fn, becomes the function's code. */
static void
inline_call(copy *c, sw_block *block, uint32_t i, const sw_fn *fn)
{
    const sw_ins *ins = block->ins[i];
    const sw_call *call = ins->aux;
    instance n = {.c = c,
                  .from = fn,
                  .reg_base = (uint32_t)c->regs.count - 1,
                  .frame_base = c->fn->frame_bytes};
    sw_vec_init(&n.renamed, sizeof(renamed));
    for (uint32_t k = 0; k < fn->param_count; k++)
        *(renamed *)sw_vec_push(&n.renamed) =
            (renamed){fn->params[k].sym, call->args[k].sym};
    for (uint32_t k = 0; k < fn->ret_count; k++)
        *(renamed *)sw_vec_push(&n.renamed) =
            (renamed){fn->rets[k].sym, call->rets[k].sym};
    for (uint32_t r = 1; r < fn->reg_count; r++)
        *(sw_reg_info *)sw_vec_push(&c->regs) = fn->regs[r];
    c->fn->frame_bytes += fn->frame_bytes;
    sw_block *rest = add_rest(c, block, i + 1);
    block->ins[i] = jump(c, ins);
    block->count = i + 1;
    block->targets = sw_arena_alloc(c->arena, sizeof *block->targets);
    block->target_count = 1;
    block->targets[0] = (uint32_t)c->blocks.count;
    origin *inner = sw_arena_alloc(c->arena, sizeof *inner);
    *inner = (origin){fn, c->origin};
    c->origin = inner;
    copy_blocks(&n, rest->index);
    sw_vec_finish(&n.renamed);
}

static bool
can_inline(const copy *c, const sw_ins *ins, const sw_fn *fn)
{
    uint32_t count = fn ? count_ins(fn) : 0;
    return fn && !ins->guard && fn->module == c->fn->module && !fn->is_entry &&
           !fn->is_variadic && count <= c->each &&
           c->ins_count + count <= c->most &&
           c->fn->frame_bytes + fn->frame_bytes <= c->frame_limit &&
           passes_slots(fn, ins->aux) && is_plain(fn) && !is_within(c, fn) &&
           !reaches(fn, fn, 0);
}

/* ---- calls by address ---- */

/* Functions that the call may mean, as far as is known here, but for those that
 * it is in; 0: too many. */
static uint32_t
find_candidates(const copy *c, const sw_ins *ins,
                const sw_fn *found[CANDIDATES])
{
    const sw_module *module = c->fn->module;
    const sw_call *call = ins->aux;
    uint32_t count = 0;
    for (uint32_t i = 0; i < module->fn_count; i++) {
        const sw_fn *fn = module->fns[i];
        if (is_within(c, fn) || !sw_may_mean(call, fn))
            continue;
        if (count == sw_opt_tune.inline_candidates)
            return 0;
        found[count++] = fn;
    }
    return count;
}

static sw_reg
new_reg(copy *c, sw_class cls, sw_type type)
{
    *(sw_reg_info *)sw_vec_push(&c->regs) =
        (sw_reg_info){.cls = cls, .type = type, .name = "function"};
    return (sw_reg)c->regs.count - 1;
}

static sw_ins *
new_ins(copy *c, const sw_ins *instead, sw_op op, sw_type type,
        const sw_opnd *opnds, uint8_t ndst, uint8_t nsrc)
{
    sw_ins *ins = jump(c, instead);
    ins->op = (uint16_t)op;
    ins->type = (uint8_t)type;
    ins->ndst = ndst;
    ins->nsrc = nsrc;
    ins->opnd = sw_arena_alloc(c->arena, 4 * sizeof *ins->opnd);
    memcpy(ins->opnd, opnds, (ndst + (size_t)nsrc) * sizeof *opnds);
    return ins;
}

/* Ends the block: to `yes` if the call's address is fn's, else to `no`. */
static void
ask(copy *c, sw_block *block, const sw_ins *ins, const sw_fn *fn, uint32_t yes,
    uint32_t no)
{
    sw_opnd address = {.kind = SW_OPND_REG,
                       .reg = new_reg(c, SW_CLASS_B64, SW_T_B64)};
    sw_opnd is = {.kind = SW_OPND_REG,
                  .reg = new_reg(c, SW_CLASS_PRED, SW_T_PRED)};
    sw_opnd function = {.kind = SW_OPND_SYM, .sym = fn->sym};
    sw_ins *addr = new_ins(c, ins, SW_OP_ADDR, SW_T_B64,
                           (sw_opnd[]){address, function}, 1, 1);
    addr->space = SW_SPACE_REG;
    sw_ins *setp = new_ins(c, ins, SW_OP_SETP, SW_T_U64,
                           (sw_opnd[]){is, *sw_ins_src(ins, 0), address}, 1, 2);
    setp->cmp = SW_CMP_EQ;
    sw_ins *bra = jump(c, ins);
    bra->guard = is.reg;
    block->ins[block->count - 3] = addr;
    block->ins[block->count - 2] = setp;
    block->ins[block->count - 1] = bra;
    block->targets[0] = yes;
    block->targets[1] = no;
}

/* A call and what follows. */
static void
add_call(copy *c, const sw_ins *ins, uint32_t rest)
{
    sw_block *b = add_block(c, 2, 1);
    b->ins[0] = (sw_ins *)(uintptr_t)ins;
    b->ins[1] = jump(c, ins);
    b->targets[0] = rest;
}

static const sw_ins *
direct_call(copy *c, const sw_ins *from, const sw_fn *fn)
{
    sw_ins *ins = sw_arena_alloc(c->arena, sizeof *ins);
    sw_call *call = sw_arena_alloc(c->arena, sizeof *call);
    *ins = *from;
    *call = *(const sw_call *)from->aux;
    call->callee = fn->sym;
    ins->nsrc = 0;
    ins->aux = call;
    return ins;
}

/* Instruction i of the block, a call by address, becomes direct ones of those
 * that may be meant, and is left for what is none of them. */
static void
ask_for_each(copy *c, sw_block *block, uint32_t i, const sw_fn *const *fns,
             uint32_t count)
{
    enum { ASKS = 3 };
    const sw_ins *ins = block->ins[i];
    sw_block *rest = add_rest(c, block, i + 1);
    sw_ins **all = sw_arena_alloc(c->arena, (i + ASKS) * sizeof *all);
    memcpy(all, block->ins, i * sizeof *all);
    block->ins = all;
    block->count = i + ASKS;
    block->targets = sw_arena_alloc(c->arena, 2 * sizeof *block->targets);
    block->target_count = 2;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t yes = (uint32_t)c->blocks.count;
        add_call(c, direct_call(c, ins, fns[k]), rest->index);
        sw_block *no = NULL;
        if (k + 1 < count)
            no = add_block(c, ASKS, 2);
        else
            add_call(c, ins, rest->index);
        ask(c, block, ins, fns[k], yes, yes + 1);
        block = no;
    }
    c->ins_count += (2 + ASKS) * count;
}

static bool
is_by_address(const copy *c, const sw_ins *ins)
{
    const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
    if (!call || call->callee || ins->guard || ins->nsrc != 1 || ins->ndst)
        return false;
    const sw_opnd *o = sw_ins_src(ins, 0);
    return o->kind == SW_OPND_REG &&
           ((sw_reg_info *)sw_vec_at(&c->regs, o->reg))->cls == SW_CLASS_B64;
}

/* Whether lanes may come by the block again. */
static bool
is_in_loop(const copy *c, const sw_block *block)
{
    bool *seen = sw_alloc(c->blocks.count * sizeof *seen);
    const sw_block **todo = sw_alloc((c->blocks.count + 1) * sizeof *todo);
    size_t count = 1;
    todo[0] = block;
    while (count && !seen[block->index]) {
        const sw_block *b = todo[--count];
        for (uint32_t i = 0; i < b->target_count; i++) {
            if (!seen[b->targets[i]])
                todo[count++] = block_at(c, b->targets[i]);
            seen[b->targets[i]] = true;
        }
    }
    bool is = seen[block->index];
    sw_free(todo);
    sw_free(seen);
    return is;
}

/* The first call of a block that can be; false: there is none. */
static bool
inline_first(copy *c, sw_block *block)
{
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        const sw_ins *ins = block->ins[i];
        const sw_fn *fn = sw_callee_of(ins), *fns[CANDIDATES];
        if (can_inline(c, ins, fn) &&
            (!c->only_loops || is_in_loop(c, block))) {
            inline_call(c, block, i, fn);
            return true;
        }
        /* One that stands alone in its block is what is left of another. */
        if (c->only_loops || !is_by_address(c, ins) ||
            (i == 0 && block->count == 2))
            continue;
        uint32_t count = find_candidates(c, ins, fns);
        if (count && c->ins_count + sw_opt_tune.inline_each < c->most) {
            ask_for_each(c, block, i, fns, count);
            return true;
        }
    }
    return false;
}

/* All calls of functions of so many instructions, until it has so many, and its
 * frame so many bytes. */
static bool
inline_all(copy *c, uint32_t each, uint32_t most, uint32_t frame)
{
    bool any = false;
    c->frame_limit = frame;
    c->each = each;
    c->most = most;
    for (size_t b = 0; b < c->blocks.count; b++) {
        c->origin = *(const origin **)sw_vec_at(&c->origins, b);
        any |= inline_first(c, block_at(c, b));
    }
    return any;
}

static void
begin_copy(copy *c, const sw_fn *kernel, sw_arena *arena)
{
    *c = (copy){.arena = arena, .ins_count = count_ins(kernel)};
    c->fn = sw_arena_alloc(arena, sizeof *c->fn);
    *c->fn = *kernel;
    sw_vec_init(&c->blocks, sizeof(sw_block *));
    sw_vec_init(&c->origins, sizeof(const origin *));
    sw_vec_init(&c->regs, sizeof(sw_reg_info));
    for (uint32_t r = 0; r < kernel->reg_count; r++)
        *(sw_reg_info *)sw_vec_push(&c->regs) = kernel->regs[r];
    for (uint32_t b = 0; b < kernel->block_count; b++) {
        const sw_block *from = kernel->blocks[b];
        add_rest(c, from, 0)->label = from->label;
    }
}

const sw_fn *
sw_opt_inline_calls(const sw_fn *fn, sw_arena *arena)
{
    copy c;
    bool any = false;
    if (fn->module->debug)
        return NULL;
    for (uint32_t b = 0; b < fn->block_count && !any; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count && !any; i++)
            any = fn->blocks[b]->ins[i]->op == SW_OP_CALL;
    if (!any)
        return NULL;
    begin_copy(&c, fn, arena);
    const sw_opt_numbers *n = &sw_opt_tune;
    uint32_t frame = fn->frame_bytes, large = n->inline_large_copy;
    any =
        inline_all(&c, n->inline_each, n->inline_copy, frame + n->inline_frame);
    for (int loops = 1; loops >= 0 && fn->is_entry; loops--) {
        c.only_loops = loops;
        any |= inline_all(&c, large, large, frame + n->inline_large_frame);
    }
    c.fn->block_count = (uint32_t)c.blocks.count;
    c.fn->blocks = sw_vec_to_arena(&c.blocks, arena);
    c.fn->reg_count = (uint32_t)c.regs.count;
    c.fn->regs = sw_vec_to_arena(&c.regs, arena);
    sw_vec_finish(&c.blocks);
    sw_vec_finish(&c.origins);
    sw_vec_finish(&c.regs);
    return any ? c.fn : NULL;
}
