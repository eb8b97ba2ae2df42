/* SPDX-License-Identifier: Apache-2.0 */
/* reach.c - see reach.h. */
#include "opt/reach.h"

#include <stdlib.h>

enum { MOST_BACK = 64 }; /* instructions looked through for one */

/* The instruction before (b, i) that writes the register, if there is one and
 * no other way comes to (b, i) from elsewhere than from behind it. */
static const sw_ins *
write_before(const sw_fn *fn, const sw_cfg *cfg, uint32_t b, uint32_t i,
             sw_reg reg)
{
    for (unsigned n = 0; n < MOST_BACK; n++) {
        while (i == 0) {
            if (cfg->pred_at[b + 1] - cfg->pred_at[b] != 1 || b == 0)
                return NULL;
            b = cfg->pred[cfg->pred_at[b]];
            i = fn->blocks[b]->count;
            n++;
        }
        const sw_ins *ins = fn->blocks[b]->ins[--i];
        if (sw_ins_writes(ins, reg))
            return ins->guard || ins->ndst != 1 ? NULL : ins;
    }
    return NULL;
}

static int
by_place(const void *a, const void *b)
{
    const sw_reach *x = a, *y = b;
    if (x->ins != y->ins)
        return (uintptr_t)x->ins < (uintptr_t)y->ins ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

void
sw_reach_find(sw_vec *rows, const sw_fn *fn, const sw_cfg *cfg,
              const uint32_t *writes)
{
    sw_vec_init(rows, sizeof(sw_reach));
    for (uint32_t n = 0; n < cfg->reachable; n++) {
        uint32_t b = cfg->order[n];
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            for (unsigned k = 0; k < ins->nsrc; k++) {
                const sw_opnd *o = sw_ins_src(ins, k);
                if (o->kind != SW_OPND_REG || writes[o->reg] < 2 ||
                    fn->regs[o->reg].cls != SW_CLASS_B32)
                    continue;
                const sw_ins *def = write_before(fn, cfg, b, i, o->reg);
                if (def)
                    *(sw_reach *)sw_vec_push(rows) =
                        (sw_reach){ins, def, o->reg};
            }
        }
    }
    if (rows->count)
        qsort(rows->data, rows->count, sizeof(sw_reach), by_place);
}

const sw_ins *
sw_reach_of(const sw_vec *rows, const sw_ins *ins, sw_reg reg)
{
    sw_reach wanted = {.ins = ins, .reg = reg};
    const sw_reach *row =
        rows->count
            ? bsearch(&wanted, rows->data, rows->count, sizeof wanted, by_place)
            : NULL;
    return row ? row->def : NULL;
}
