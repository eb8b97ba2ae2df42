/* SPDX-License-Identifier: Apache-2.0 */
/* build.c - makes nodes of the IR; see build.h. */
#include <string.h>

#include "ir/build.h"

/* An array with space for one more of `bytes` each; *room 0: unknown. */
static void *
grow(sw_arena *arena, void *old, uint32_t count, uint32_t *room, size_t bytes)
{
    if (*room > count)
        return old;
    *room = count < 4 ? 8 : 2 * count;
    void *bigger = sw_arena_alloc(arena, *room * bytes);
    if (old)
        memcpy(bigger, old, count * bytes);
    return bigger;
}

static const char *
copy_name(sw_module *module, const char *name)
{
    return name ? sw_arena_str(module->arena, sw_str_of(name)) : NULL;
}

sw_fn *
sw_build_fn(sw_module *module, const char *name, bool is_entry)
{
    sw_fn *fn = sw_arena_alloc(module->arena, sizeof *fn);
    fn->module = module;
    fn->name = copy_name(module, name);
    fn->is_entry = is_entry;
    fn->sym = sw_arena_alloc(module->arena, sizeof *fn->sym);
    *fn->sym = (sw_sym){.name = fn->name,
                        .space = SW_SPACE_REG,
                        .linkage = SW_LINK_VISIBLE,
                        .align = 1,
                        .fn = fn};
    fn->regs = sw_arena_alloc(module->arena, sizeof *fn->regs);
    fn->reg_count = 1;
    sw_module_add_sym(module, fn->sym);
    return fn;
}

void
sw_build_begin(sw_build *b, sw_fn *fn)
{
    *b = (sw_build){.fn = fn};
}

sw_reg
sw_build_reg(sw_build *b, sw_type type, const char *name)
{
    sw_fn *fn = b->fn;
    if (!fn->reg_count)
        fn->reg_count = 1;
    fn->regs = grow(fn->module->arena, fn->regs, fn->reg_count, &b->reg_room,
                    sizeof *fn->regs);
    fn->regs[fn->reg_count] =
        (sw_reg_info){sw_type_class(type), type, copy_name(fn->module, name)};
    return fn->reg_count++;
}

static void
add_fn(sw_module *module, sw_fn *fn)
{
    uint32_t n = module->fn_count;
    sw_fn **fns = sw_arena_alloc(module->arena, (n + 1) * sizeof *fns);
    if (n)
        memcpy(fns, module->fns, n * sizeof *fns);
    fns[n] = fn;
    module->fns = fns;
    module->fn_count++;
}

sw_block *
sw_build_block(sw_build *b, const char *label)
{
    sw_fn *fn = b->fn;
    if (!fn->block_count)
        add_fn(fn->module, fn);
    fn->blocks = grow(fn->module->arena, fn->blocks, fn->block_count,
                      &b->block_room, sizeof *fn->blocks);
    sw_block *block = sw_arena_alloc(fn->module->arena, sizeof *block);
    block->index = fn->block_count;
    block->label = copy_name(fn->module, label);
    fn->blocks[fn->block_count++] = block;
    sw_build_at(b, block);
    return block;
}

void
sw_build_at(sw_build *b, sw_block *block)
{
    b->block = block;
    b->ins_room = 0;
}

sw_ins *
sw_build_ins(sw_build *b, sw_op op, sw_type type, unsigned ndst, unsigned nsrc)
{
    SW_ASSERT(b->block && ndst <= UINT8_MAX && nsrc <= UINT8_MAX);
    sw_arena *arena = b->fn->module->arena;
    sw_ins *ins = sw_arena_alloc(arena, sizeof *ins);
    ins->op = (uint16_t)op;
    ins->type = (uint8_t)type;
    ins->ndst = (uint8_t)ndst;
    ins->nsrc = (uint8_t)nsrc;
    ins->line = b->line;
    if (ndst + nsrc)
        ins->opnd = sw_arena_alloc(arena, (ndst + nsrc) * sizeof *ins->opnd);
    sw_block *block = b->block;
    block->ins =
        grow(arena, block->ins, block->count, &b->ins_room, sizeof *block->ins);
    block->ins[block->count++] = ins;
    return ins;
}

sw_ins *
sw_build_op(sw_build *b, sw_op op, sw_type type, unsigned ndst, unsigned nsrc,
            const sw_opnd *opnds)
{
    sw_ins *ins = sw_build_ins(b, op, type, ndst, nsrc);
    if (ndst + nsrc)
        memcpy(ins->opnd, opnds, (ndst + nsrc) * sizeof *opnds);
    return ins;
}

void
sw_build_targets(sw_build *b, uint32_t count, const uint32_t *targets)
{
    sw_block *block = b->block;
    block->targets = sw_arena_alloc(b->fn->module->arena,
                                    (count ? count : 1) * sizeof *targets);
    block->target_count = count;
    if (count)
        memcpy(block->targets, targets, count * sizeof *targets);
}

sw_ins *
sw_build_bra(sw_build *b, uint32_t target)
{
    sw_build_targets(b, 1, &target);
    return sw_build_ins(b, SW_OP_BRA, SW_T_NONE, 0, 0);
}

sw_ins *
sw_build_bra_if(sw_build *b, sw_reg guard, bool negated, uint32_t taken,
                uint32_t other)
{
    const uint32_t targets[2] = {taken, other};
    sw_build_targets(b, 2, targets);
    sw_ins *ins = sw_build_ins(b, SW_OP_BRA, SW_T_NONE, 0, 0);
    ins->guard = guard;
    ins->guard_neg = negated;
    return ins;
}
