/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h - instructions of a copy of a function: for passes that add some to
 * a function without changing its module.
 */
#ifndef SW_WRITER_H
#define SW_WRITER_H
#include "ir/build.h"

typedef struct {
    sw_arena *arena;    /* of all that is made */
    const sw_ins *from; /* what new ones are told to come from: its line */
    sw_vec regs;        /* sw_reg_info, of the copy */
    sw_vec ins;         /* sw_ins *, of the block that is written */
} sw_writer;

/* A copy of the function with blocks of its own, whose instructions and targets
 * are the function's; w->regs has its registers, w->ins is not used yet. */
sw_fn *sw_writer_begin(sw_writer *w, const sw_fn *fn, sw_arena *arena);
/* The copy has the writer's registers; the writer is finished. */
void sw_writer_end(sw_writer *w, sw_fn *copy);

void sw_writer_begin_block(sw_writer *w);
/* The block has what was written since. */
void sw_writer_end_block(sw_writer *w, sw_block *block);

sw_reg sw_writer_reg(sw_writer *w, sw_type type);
/* At the end of the block, without guard. `opnds`: results, sources. */
sw_ins *sw_writer_add(sw_writer *w, sw_op op, sw_type type, unsigned ndst,
                      unsigned nsrc, const sw_opnd *opnds);
/* An instruction as it is, and one like it with operands of its own. */
void sw_writer_keep(sw_writer *w, const sw_ins *ins);
sw_ins *sw_writer_copy(sw_writer *w, const sw_ins *ins);
/* Its result is a new register of the type. */
sw_reg sw_writer_pure(sw_writer *w, sw_op op, sw_type type, unsigned nsrc,
                      const sw_opnd *sources);

#endif
