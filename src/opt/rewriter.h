/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewriter.h - instructions of a copy of a function: for passes that add some
 * to a function without changing its module.
 */
#ifndef SW_REWRITER_H
#define SW_REWRITER_H
#include "ir/build.h"

typedef struct {
    sw_arena *arena;    /* of all that is made */
    const sw_ins *from; /* what new ones are told to come from: its line */
    sw_vec regs;        /* sw_reg_info, of the copy */
    sw_vec ins;         /* sw_ins *, of the block that is written */
} sw_rewriter;

/* A copy of the function with blocks of its own, whose instructions and targets
 * are the function's; w->regs has its registers, w->ins is not used yet. */
sw_fn *sw_rewriter_begin(sw_rewriter *w, const sw_fn *fn, sw_arena *arena);
/* The copy has the writer's registers; the writer is finished. */
void sw_rewriter_end(sw_rewriter *w, sw_fn *copy);

void sw_rewriter_begin_block(sw_rewriter *w);
/* The block has what was written since. */
void sw_rewriter_end_block(sw_rewriter *w, sw_block *block);

sw_reg sw_rewriter_reg(sw_rewriter *w, sw_type type);
/* At the end of the block, without guard. `opnds`: results, sources. */
sw_ins *sw_rewriter_add(sw_rewriter *w, sw_op op, sw_type type, unsigned ndst,
                        unsigned nsrc, const sw_opnd *opnds);
/* An instruction as it is, and one like it with operands of its own. */
void sw_rewriter_keep(sw_rewriter *w, const sw_ins *ins);
sw_ins *sw_rewriter_copy(sw_rewriter *w, const sw_ins *ins);
/* Its result is a new register of the type. */
sw_reg sw_rewriter_pure(sw_rewriter *w, sw_op op, sw_type type, unsigned nsrc,
                        const sw_opnd *sources);

#endif
