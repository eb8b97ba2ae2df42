/* SPDX-License-Identifier: Apache-2.0 */
/* callees.c - see callees.h. */
#include "opt/callees.h"

#include "base/base.h"

const sw_fn *
sw_callee_of(const sw_ins *ins)
{
    const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
    sw_sym *sym = call && call->callee ? sw_sym_resolve(call->callee) : NULL;
    return sym && sym->fn && sym->fn->block_count ? sym->fn : NULL;
}

/* Whether fn could be called so. */
static bool
has_signature(const sw_fn *fn, const sw_fn *prototype)
{
    if (fn->is_entry || fn->is_variadic || !fn->block_count ||
        fn->param_count != prototype->param_count ||
        fn->ret_count != prototype->ret_count)
        return false;
    uint32_t count = fn->param_count + fn->ret_count;
    for (uint32_t i = 0; i < count; i++) {
        bool is_param = i < fn->param_count;
        const sw_opnd *a =
            is_param ? &fn->params[i] : &fn->rets[i - fn->param_count];
        const sw_opnd *b = is_param ? &prototype->params[i]
                                    : &prototype->rets[i - fn->param_count];
        if (a->kind != SW_OPND_SYM || b->kind != SW_OPND_SYM ||
            a->sym->bytes != b->sym->bytes)
            return false;
    }
    return true;
}

bool
sw_is_pointed_at(const sw_module *module, const sw_sym *sym)
{
    for (uint32_t i = 0; i < module->sym_count; i++)
        for (uint32_t k = 0; k < module->syms[i]->reloc_count; k++)
            if (module->syms[i]->relocs[k].sym == sym)
                return true;
    for (uint32_t f = 0; f < module->fn_count; f++)
        for (uint32_t b = 0; b < module->fns[f]->block_count; b++)
            for (uint32_t i = 0; i < module->fns[f]->blocks[b]->count; i++) {
                const sw_ins *ins = module->fns[f]->blocks[b]->ins[i];
                if (ins->op == SW_OP_ADDR &&
                    sw_ins_src(ins, 0)->kind == SW_OPND_SYM &&
                    sw_ins_src(ins, 0)->sym == sym)
                    return true;
            }
    return false;
}

bool
sw_may_mean(const sw_call *call, const sw_fn *fn)
{
    return call->prototype && has_signature(fn, call->prototype) &&
           sw_sym_resolve(fn->sym) == fn->sym &&
           sw_is_pointed_at(fn->module, fn->sym);
}

/* ---- what they do ---- */

typedef struct {
    bool (*is)(const sw_ins *ins);
    bool found;
    sw_vec fns; /* const sw_fn *: all that are called, each once */
} search;

static void
add_fn(search *s, const sw_fn *fn)
{
    for (size_t i = 0; i < s->fns.count; i++)
        if (*(const sw_fn **)sw_vec_at(&s->fns, i) == fn)
            return;
    *(const sw_fn **)sw_vec_push(&s->fns) = fn;
}

static void
add_callees(search *s, const sw_fn *caller, const sw_ins *ins)
{
    const sw_call *call = ins->aux;
    const sw_fn *fn = sw_callee_of(ins);
    if (fn)
        add_fn(s, fn);
    else if (call->callee)
        s->found |= !sw_ir_is_builtin(call->callee->name);
    for (uint32_t i = 0; !call->callee && i < caller->module->fn_count; i++)
        if (sw_may_mean(call, caller->module->fns[i]))
            add_fn(s, caller->module->fns[i]);
}

static void
look_into(search *s, const sw_fn *fn, bool is_callee)
{
    for (uint32_t b = 0; b < fn->block_count && !s->found; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count && !s->found; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            if (ins->op == SW_OP_CALL)
                add_callees(s, fn, ins);
            else
                s->found = is_callee && s->is(ins);
        }
}

bool
sw_calls_any(const sw_fn *fn, bool (*is)(const sw_ins *ins))
{
    search s = {.is = is};
    sw_vec_init(&s.fns, sizeof(const sw_fn *));
    look_into(&s, fn, false);
    for (size_t i = 0; i < s.fns.count && !s.found; i++)
        look_into(&s, *(const sw_fn **)sw_vec_at(&s.fns, i), true);
    sw_vec_finish(&s.fns);
    return s.found;
}
