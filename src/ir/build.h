/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.h - helpers that make functions, registers, blocks and instructions
 * in a module's arena.
 *
 * For tests, passes and readers of text. One builder for one function at a
 * time; nothing else may add to the function meanwhile. Checks nothing that
 * sw_ir_verify checks. Nothing has to be freed.
 */
#ifndef SW_BUILD_H
#define SW_BUILD_H
#include "ir/ir.h"

typedef struct {
    sw_fn *fn;
    sw_block *block; /* where instructions are appended; NULL: none yet */
    uint32_t line;   /* given to each new instruction */
    uint32_t reg_room, block_room, ins_room; /* capacities; internal */
} sw_build;

/* A VISIBLE function without body and its symbol; the symbol is added to the
 * module, the function to module->fns when it gets its first block through
 * sw_build_block. In the module's arena. */
sw_fn *sw_build_fn(sw_module *module, const char *name, bool is_entry);

/* `fn` may have registers and blocks already. */
void sw_build_begin(sw_build *b, sw_fn *fn);
/* A register of the type's class. `name` is copied; NULL: none. */
sw_reg sw_build_reg(sw_build *b, sw_type type, const char *name);
/* A new last block, which becomes b->block. `label` is copied or NULL. */
sw_block *sw_build_block(sw_build *b, const char *label);
/* Goes on at the end of a block of the function. */
void sw_build_at(sw_build *b, sw_block *block);
/* A zeroed instruction at the end of b->block, its operands NONE. */
sw_ins *sw_build_ins(sw_build *b, sw_op op, sw_type type, unsigned ndst,
                     unsigned nsrc);
/* The same with operands. */
sw_ins *sw_build_op(sw_build *b, sw_op op, sw_type type, unsigned ndst,
                    unsigned nsrc, const sw_opnd *opnds);
/* Terminators of b->block; the targets are block indices, which need not
 * exist yet. */
void sw_build_targets(sw_build *b, uint32_t count, const uint32_t *targets);
sw_ins *sw_build_bra(sw_build *b, uint32_t target);
sw_ins *sw_build_bra_if(sw_build *b, sw_reg guard, bool negated, uint32_t taken,
                        uint32_t other);

static inline sw_opnd
sw_opnd_reg(sw_reg reg)
{
    return (sw_opnd){.kind = SW_OPND_REG, .reg = reg};
}

static inline sw_opnd
sw_opnd_imm(uint64_t imm)
{
    return (sw_opnd){.kind = SW_OPND_IMM, .imm = imm};
}

static inline sw_opnd
sw_opnd_sym(sw_sym *sym, uint64_t offset)
{
    return (sw_opnd){.kind = SW_OPND_SYM, .imm = offset, .sym = sym};
}

#endif
