/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callable.c - which functions of a program compiled code calls by compiled
 * code (emit/called.c).
 */
#include "jit/tier/variant.h"
#include "jit/tune.h"
#include "opt/callees.h"
#include "opt/liveness.h"

/* Neither waits for other warps, whose threads may be in other activations, nor
 * ends lanes, nor moves its stack. */
static bool
may_be_called(const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_BAR:
    case SW_OP_BAR_CLUSTER:
    case SW_OP_EXIT:
    case SW_OP_ALLOCA:
    case SW_OP_STACKSAVE:
    case SW_OP_STACKRESTORE:
        return false;
    case SW_OP_RET:
        return !ins->guard;
    default:
        return true;
    }
}

static bool
are_registers(const sw_fn *fn, const sw_opnd *o, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        sw_class cls =
            o[i].kind == SW_OPND_REG ? fn->regs[o[i].reg].cls : SW_CLASS_NONE;
        if (cls != SW_CLASS_B16 && cls != SW_CLASS_B32 && cls != SW_CLASS_B64)
            return false;
    }
    return true;
}

static bool
is_callable(const sw_fn *fn)
{
    uint32_t count = 0;
    if (fn->is_entry || fn->is_variadic || fn->module->debug ||
        sw_liveness_is_large(fn) ||
        !are_registers(fn, fn->params, fn->param_count) ||
        !are_registers(fn, fn->rets, fn->ret_count))
        return false;
    for (uint32_t b = 0; b < fn->block_count; b++) {
        count += fn->blocks[b]->count;
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (!may_be_called(fn->blocks[b]->ins[i]))
                return false;
    }
    return count <= sw_jit_tune.called_size;
}

static uint32_t
number_of(const sw_program *program, const sw_ins *call)
{
    const sw_fn *fn = sw_callee_of(call);
    for (uint32_t i = 1; fn && i < program->fn_count; i++)
        if (program->fns[i]->sym == fn->sym)
            return i;
    return 0;
}

static bool
is_exit(const sw_ins *ins)
{
    return ins->op == SW_OP_EXIT;
}

bool *
sw_variant_find_callable(const sw_program *program)
{
    uint32_t n = program->fn_count, count = 1;
    bool *callable = sw_alloc((n + 1) * sizeof *callable);
    bool *reached = sw_alloc((n + 1) * sizeof *reached);
    uint32_t *todo = sw_alloc((n + 1) * sizeof *todo);
    /* Who has lanes that end is told of by their masks only. */
    if (program->events || program->info.has_alloca ||
        sw_calls_any(program->kernel, is_exit))
        count = 0;
    todo[0] = 0;
    while (count) {
        const sw_fn *fn = program->fns[todo[--count]];
        for (uint32_t b = 0; b < fn->block_count; b++)
            for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
                uint32_t to = number_of(program, fn->blocks[b]->ins[i]);
                if (!to || reached[to])
                    continue;
                reached[to] = true;
                callable[to] = is_callable(program->fns[to]);
                todo[count++] = to;
            }
    }
    sw_free(todo);
    sw_free(reached);
    return callable;
}

static bool
is_class(const sw_fn *fn, const sw_opnd *o, sw_class cls, sw_opnd_kind other)
{
    return o->kind == SW_OPND_REG ? fn->regs[o->reg].cls == cls
                                  : o->kind == other;
}

const sw_fn *
sw_variant_called_fn(const sw_program *program, const bool *callable,
                     const sw_fn *caller, const sw_ins *ins, uint32_t *number)
{
    const sw_call *call = ins->aux;
    *number = number_of(program, ins);
    const sw_fn *fn = program->fns[*number];
    if (!callable[*number] || call->arg_count != fn->param_count ||
        call->ret_count != fn->ret_count)
        return NULL;
    for (uint32_t i = 0; i < fn->param_count; i++)
        if (!is_class(caller, &call->args[i], fn->regs[fn->params[i].reg].cls,
                      SW_OPND_IMM))
            return NULL;
    for (uint32_t i = 0; i < fn->ret_count; i++)
        if (!is_class(caller, &call->rets[i], fn->regs[fn->rets[i].reg].cls,
                      SW_OPND_NONE))
            return NULL;
    return fn;
}
