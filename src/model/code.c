/* SPDX-License-Identifier: Apache-2.0 */
/* code.c - see code.h. */
#include "model/code.h"

#include "opt/cfg.h"

enum {
    MOST = 255,
    SPARE = 8,
    LARGE = 200000,
    MERGED_MOST = 3,
    OPERANDS_MOST = 24
};

/* ---- slots ---- */

static uint16_t
slot_of(const sw_mach_fn *m, uint32_t value)
{
    const sw_mach_value *v = sw_mach_value_at(m, value);
    if (v->words && v->reg >= 0 && v->reg < SW_PLAY_REGISTERS)
        return (uint16_t)v->reg;
    return (uint16_t)(SW_PLAY_REGISTERS + value % SW_PLAY_OTHERS);
}

static unsigned
add_slots(sw_code *code, const sw_mach_fn *m, const uint32_t *values,
          unsigned count)
{
    unsigned n = count < OPERANDS_MOST ? count : OPERANDS_MOST;
    for (unsigned i = 0; i < n; i++)
        *(uint16_t *)sw_vec_push(&code->slots) = slot_of(m, values[i]);
    return n;
}

/* ---- operations ---- */

static uint16_t
place_in(const sw_block *block, const sw_ins *ins)
{
    for (uint32_t i = 0; ins && i < block->count; i++)
        if (block->ins[i] == ins)
            return (uint16_t)(i < SW_PLAY_NOWHERE ? i : SW_PLAY_NOWHERE);
    return SW_PLAY_NOWHERE;
}

static void
make_op(sw_code *code, const sw_mach_fn *m, const sw_block *block,
        const sw_machine *machine, const sw_mach_op *from,
        const sw_mach_op *const *merged, unsigned merged_count, sw_play_op *op)
{
    *op = (sw_play_op){.pipe = SW_PIPE_ALU,
                       .count = 1,
                       .latency = (uint16_t)machine->g.alu,
                       .copy = from->copy,
                       .ins = from->ins,
                       .at = place_in(block, from->ins),
                       .slots = (uint32_t)code->slots.count};
    op->ndst = (uint8_t)add_slots(code, m, from->value, from->ndst);
    for (unsigned i = 0; i < merged_count; i++)
        op->ndst = (uint8_t)(op->ndst + add_slots(code, m, merged[i]->value,
                                                  merged[i]->ndst));
    op->nsrc =
        (uint8_t)add_slots(code, m, from->value + from->ndst, from->nsrc);
    op->loads = (uint8_t)(1 + merged_count);
    if (from->ins)
        sw_code_cost(m->fn, from, machine, op);
    op->region = op->at == SW_PLAY_NOWHERE ? 0 : code->first + op->at;
}

/* The loads that are one with operation i, which are issued behind it; false:
 * it is one with an operation before it. */
static bool
find_merged(const sw_mach_block *from, uint32_t i, const sw_block *block,
            const uint16_t *group, const sw_mach_op **merged, unsigned *count)
{
    const sw_mach_op *op = from->ops[i];
    uint16_t at = op->kind == SW_MACH_LOAD && op->space == SW_SPACE_SHARED
                      ? place_in(block, op->ins)
                      : SW_PLAY_NOWHERE;
    if (at == SW_PLAY_NOWHERE)
        return true;
    for (uint32_t k = 0; k < from->count; k++) {
        const sw_mach_op *other = from->ops[k];
        if (k == i || other->kind != SW_MACH_LOAD || other->copy != op->copy ||
            other->space != SW_SPACE_SHARED)
            continue;
        uint16_t with = place_in(block, other->ins);
        if (with == SW_PLAY_NOWHERE || group[with] != group[at])
            continue;
        if (k < i)
            return false;
        if (*count < MERGED_MOST)
            merged[(*count)++] = other;
    }
    return true;
}

static sw_play_list
make_list(sw_code *code, const sw_mach_fn *m, uint32_t b,
          const sw_machine *machine, const uint16_t *group)
{
    const sw_mach_block *from = &m->blocks[b];
    const sw_block *block = m->fn->blocks[b];
    sw_play_op *ops =
        sw_arena_alloc(code->arena, (from->count + 1) * sizeof *ops);
    sw_play_list list = {.ops = ops, .line = code->size};
    for (uint32_t i = 0; i < from->count; i++) {
        sw_play_op *op = &ops[list.count];
        const sw_mach_op *merged[MERGED_MOST];
        unsigned n = 0;
        if (!find_merged(from, i, block, group, merged, &n))
            continue; /* done by an operation before */
        make_op(code, m, block, machine, from->ops[i], merged, n, op);
        if (!op->count)
            continue; /* what costs nothing: falling into the next block */
        list.count++;
        list.size += op->count;
    }
    code->size += list.size;
    return list;
}

/* Scheduled and allocated as registers.c does for a thread of that many. */
static sw_mach_fn *
make_machine_code(const sw_fn *fn, const sw_cfg *cfg, uint32_t cc,
                  uint32_t registers, bool keeps_loops)
{
    sw_mach_spills spills = {0};
    sw_mach_fn *m = sw_mach_create(fn, cfg, cc, true);
    m->keeps_loops = keeps_loops;
    sw_mach_schedule(m, registers);
    sw_mach_allocate(m, MOST, &spills);
    return m;
}

static void
add_function(sw_code *code, const sw_fn *fn, const sw_machine *machine)
{
    sw_cfg *cfg = sw_cfg_create(fn);
    uint16_t **groups = sw_code_merge(code->arena, fn);
    sw_mach_fn *once =
        make_machine_code(fn, cfg, code->cc, code->registers, true);
    sw_mach_fn *copies =
        make_machine_code(fn, cfg, code->cc, code->registers, false);
    for (uint32_t b = 0; b < fn->block_count; b++) {
        sw_play_block *block = sw_vec_push(&code->blocks);
        *block = (sw_play_block){.fn = fn, .block = fn->blocks[b]};
        code->first = code->regions;
        code->regions += fn->blocks[b]->count;
        block->once = make_list(code, once, b, machine, groups[b]);
        block->unrolled = copies->blocks[b].copies;
        if (block->unrolled > 1)
            block->copies = make_list(code, copies, b, machine, groups[b]);
    }
    sw_mach_destroy(copies);
    sw_mach_destroy(once);
    sw_cfg_destroy(cfg);
}

/* The functions that it calls, each once. */
static void
add_callees(const sw_fn *fn, sw_vec *fns)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
            sw_sym *sym =
                call && call->callee ? sw_sym_resolve(call->callee) : NULL;
            bool is_new = sym && sym->fn && sym->fn->block_count;
            for (size_t k = 0; is_new && k < fns->count; k++)
                is_new = *(const sw_fn **)sw_vec_at(fns, k) != sym->fn;
            if (is_new)
                *(const sw_fn **)sw_vec_push(fns) = sym->fn;
        }
}

sw_code *
sw_code_create(const sw_fn *fn, const sw_machine *machine, uint32_t registers)
{
    sw_arena *arena = sw_arena_create();
    sw_code *code = sw_arena_alloc(arena, sizeof *code);
    sw_vec fns;
    *code = (sw_code){.arena = arena, .cc = machine->device->cc};
    code->registers = registers > SPARE ? registers : MOST;
    sw_vec_init(&code->blocks, sizeof(sw_play_block));
    sw_vec_init(&code->slots, sizeof(uint16_t));
    sw_vec_init(&fns, sizeof(const sw_fn *));
    *(const sw_fn **)sw_vec_push(&fns) = fn;
    for (size_t i = 0; i < fns.count && code->size < LARGE; i++) {
        const sw_fn *one = *(const sw_fn **)sw_vec_at(&fns, i);
        add_function(code, one, machine);
        add_callees(one, &fns);
    }
    sw_vec_finish(&fns);
    return code;
}

void
sw_code_destroy(sw_code *code)
{
    if (!code)
        return;
    sw_vec_finish(&code->blocks);
    sw_vec_finish(&code->slots);
    sw_arena_destroy(code->arena);
}
