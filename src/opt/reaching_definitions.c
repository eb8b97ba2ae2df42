/* SPDX-License-Identifier: Apache-2.0 */
/* reaching_definitions.c - see reaching_definitions.h. */
#include "opt/reaching_definitions.h"

#include <stdlib.h>

#include "opt/tune.h"

typedef struct {
    const sw_fn *fn;
    const sw_cfg *cfg;
    uint32_t *seen;  /* [block_count] the search that came there last */
    uint32_t *stack; /* [block_count] */
    uint32_t search, back;
} finder;

/* The last of the first `end` instructions of block b that writes it. */
static const sw_ins *
last_write(finder *f, uint32_t b, uint32_t end, sw_reg reg)
{
    const sw_block *block = f->fn->blocks[b];
    for (uint32_t i = end; i-- > 0 && f->back < sw_opt_tune.reaching_back;
         f->back++)
        if (sw_ins_writes(block->ins[i], reg))
            return block->ins[i];
    return NULL;
}

static uint32_t
push_predecessors(finder *f, uint32_t b, uint32_t depth)
{
    const sw_cfg *cfg = f->cfg;
    for (uint32_t k = cfg->pred_at[b]; k < cfg->pred_at[b + 1]; k++) {
        uint32_t from = cfg->pred[k];
        if (f->seen[from] != f->search && cfg->rpo[from] < cfg->reachable)
            f->stack[depth++] = from;
        f->seen[from] = f->search;
    }
    return depth;
}

/* The only instruction whose result instruction i of block b may read in the
 * register, by whichever way a lane has come; NULL: there are several, or on
 * one way none. */
static const sw_ins *
write_before(finder *f, uint32_t b, uint32_t i, sw_reg reg)
{
    f->search++;
    f->back = 0;
    const sw_ins *only = last_write(f, b, i, reg);
    uint32_t depth = only || b == 0 ? 0 : push_predecessors(f, b, 0);
    while (depth) {
        b = f->stack[--depth];
        const sw_ins *ins = last_write(f, b, f->fn->blocks[b]->count, reg);
        if (ins ? only && only != ins
                : b == 0 || f->back >= sw_opt_tune.reaching_back)
            return NULL;
        if (ins)
            only = ins;
        else
            depth = push_predecessors(f, b, depth);
    }
    return !only || only->guard || only->ndst != 1 ? NULL : only;
}

static int
by_place(const void *a, const void *b)
{
    const sw_reaching *x = a, *y = b;
    if (x->ins != y->ins)
        return (uintptr_t)x->ins < (uintptr_t)y->ins ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

void
sw_reaching_find(sw_vec *rows, const sw_fn *fn, const sw_cfg *cfg,
                 const uint32_t *writes)
{
    finder f = {.fn = fn, .cfg = cfg};
    f.seen = sw_alloc(fn->block_count * sizeof *f.seen);
    f.stack = sw_alloc(fn->block_count * sizeof *f.stack);
    sw_vec_init(rows, sizeof(sw_reaching));
    for (uint32_t n = 0; n < cfg->reachable; n++) {
        uint32_t b = cfg->order[n];
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            for (unsigned k = 0; k < ins->nsrc; k++) {
                const sw_opnd *o = sw_ins_src(ins, k);
                if (o->kind != SW_OPND_REG || writes[o->reg] < 2 ||
                    fn->regs[o->reg].cls != SW_CLASS_B32)
                    continue;
                const sw_ins *def = write_before(&f, b, i, o->reg);
                if (def)
                    *(sw_reaching *)sw_vec_push(rows) =
                        (sw_reaching){ins, def, o->reg};
            }
        }
    }
    sw_free(f.seen);
    sw_free(f.stack);
    if (rows->count)
        qsort(rows->data, rows->count, sizeof(sw_reaching), by_place);
}

const sw_ins *
sw_reaching_of(const sw_vec *rows, const sw_ins *ins, sw_reg reg)
{
    sw_reaching wanted = {.ins = ins, .reg = reg};
    const sw_reaching *row =
        rows->count
            ? bsearch(&wanted, rows->data, rows->count, sizeof wanted, by_place)
            : NULL;
    return row ? row->def : NULL;
}
