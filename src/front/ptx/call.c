/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - calls in all their forms:
 *   call f;  call f, (a);  call (r), f, (a, b);  call (r), %rd1, (a), list;
 *
 * The list of an indirect call is a .callprototype, .calltargets, or an array
 * of function addresses.
 */
#include "front/ptx/parse.h"

enum { MAX_ARGS = MAX_ELEMS / 2 };

/* ( a, b ): the operands into the pool. */
static bool
parse_arguments(ptx_parser *p, ptx_ins *in, uint32_t *first, uint32_t *count)
{
    *first = in->elem_count;
    *count = 0;
    ptx_next(p);
    if (ptx_accept(p, ')'))
        return true;
    do {
        ptx_opnd o;
        uint32_t before = in->elem_count;
        if (!ptx_parse_operand(p, in, &o))
            return false;
        if (in->elem_count != before || *count == MAX_ARGS) {
            ptx_error_at(p, o.line, o.column,
                         "expected a register, a number or a .param variable");
            return false;
        }
        in->elems[in->elem_count++] = o;
        ++*count;
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ')');
}

/* The function being read has its registers in the builder. */
static sw_type
formal_type(const ptx_parser *p, const sw_fn *fn, const sw_opnd *formal)
{
    if (formal->kind != SW_OPND_REG)
        return formal->sym->type;
    return fn == p->body.fn ? ptx_reg_type(p, formal->reg)
                            : fn->regs[formal->reg].type;
}

static void
check_bytes(ptx_parser *p, const ptx_opnd *o, uint64_t have, uint64_t want)
{
    if (have && want && have != want)
        ptx_error_at(p, o->line, o->column,
                     "expected %llu bytes as the function's parameter has, "
                     "not %llu",
                     (unsigned long long)want, (unsigned long long)have);
}

/* An argument or result against its formal. */
static sw_opnd
match_operand(ptx_parser *p, const ptx_opnd *o, const sw_fn *fn,
              const sw_opnd *formal, bool is_result)
{
    sw_type type = formal_type(p, fn, formal);
    uint64_t want = formal->kind == SW_OPND_REG
                        ? sw_class_bytes(sw_type_class(type))
                        : formal->sym->bytes;
    if (o->kind == OPND_SYM && o->sym->space == SW_SPACE_PARAM && o->add == 0 &&
        !o->reg) {
        check_bytes(p, o, o->sym->bytes, want);
        return (sw_opnd){.kind = SW_OPND_SYM, .sym = o->sym};
    }
    if (sw_type_kind(type) == SW_KIND_OPAQUE)
        type = SW_T_B64;
    if (is_result && o->kind == OPND_NONE)
        return (sw_opnd){.kind = SW_OPND_NONE};
    check_bytes(p, o, sw_class_bytes(sw_type_class(type)), want);
    return is_result ? ptx_dest(p, o, type) : ptx_source(p, o, type);
}

/* An argument for an array without a size. */
static sw_opnd
array_address(ptx_parser *p, const ptx_opnd *o, const sw_fn *fn,
              const sw_opnd *formal)
{
    if (o->kind == OPND_SYM && o->sym->space == SW_SPACE_PARAM)
        return ptx_source(p, o, formal_type(p, fn, formal));
    ptx_error_at(p, o->line, o->column, "expected a .param variable");
    return ptx_imm_opnd(0);
}

static const sw_opnd *
match_operands(ptx_parser *p, const ptx_ins *in, uint32_t first, uint32_t count,
               const sw_fn *fn, bool is_result)
{
    const sw_opnd *formals = is_result ? fn->rets : fn->params;
    uint32_t formal_count = is_result ? fn->ret_count : fn->param_count;
    bool rest = fn->is_variadic && !is_result; /* may be left out */
    if (formal_count != count && !(rest && formal_count == count + 1)) {
        ptx_error_at(p, in->line, in->column,
                     "expected %u %s in the call of '%s', not %u", formal_count,
                     is_result ? "results" : "arguments", fn->name, count);
        return NULL;
    }
    if (!formal_count)
        return NULL;
    sw_opnd *out = sw_arena_alloc(p->arena, formal_count * sizeof *out);
    for (uint32_t i = 0; i < count; i++) {
        const ptx_opnd *o = &in->elems[first + i];
        out[i] = rest && i + 1 == formal_count
                     ? array_address(p, o, fn, &formals[i])
                     : match_operand(p, o, fn, &formals[i], is_result);
    }
    if (count < formal_count)
        out[count] = ptx_imm_opnd(0);
    return out;
}

/* The signature behind the name in the last place of an indirect call. */
static const sw_fn *
find_prototype(ptx_parser *p, const ptx_tok *tok)
{
    sw_reg reg;
    const ptx_name *name = ptx_name_find(p, tok->s, &reg);
    if (name && name->kind == NAME_SYM) {
        for (uint32_t i = 0; i < name->sym->reloc_count; i++)
            if (name->sym->relocs[i].sym->fn)
                return name->sym->relocs[i].sym->fn;
        if (name->sym->fn)
            return name->sym->fn;
    }
    for (ptx_scope *s = p->body.scope; s; s = s->up) {
        ptx_label *label = s->labels ? sw_map_get(s->labels, tok->s) : NULL;
        if (label && label->prototype)
            return label->prototype;
    }
    ptx_error_at(p, tok->line, tok->column,
                 "expected a prototype or a list of functions, not '%.*s'",
                 (int)tok->s.n, tok->s.p);
    return NULL;
}

typedef struct {
    uint32_t ret_first, ret_count, arg_first, arg_count;
    ptx_tok callee, list;
    bool has_list;
} call_text;

static bool
parse_call_text(ptx_parser *p, ptx_ins *in, call_text *text)
{
    *text = (call_text){0};
    if (ptx_is(p, '(') &&
        (!parse_arguments(p, in, &text->ret_first, &text->ret_count) ||
         !ptx_expect(p, ',')))
        return false;
    text->callee = p->tok;
    if (p->tok.kind != TOK_IDENT) {
        ptx_expected(p, "a function or a register");
        return false;
    }
    ptx_next(p);
    if (ptx_accept(p, ',')) {
        if (ptx_is(p, '(')) {
            if (!parse_arguments(p, in, &text->arg_first, &text->arg_count))
                return false;
            text->has_list = ptx_accept(p, ',');
        } else {
            text->has_list = true;
        }
    }
    if (text->has_list) {
        text->list = p->tok;
        if (p->tok.kind != TOK_IDENT) {
            ptx_expected(p, "a prototype");
            return false;
        }
        ptx_next(p);
    }
    return ptx_expect(p, ';');
}

void
ptx_parse_call(ptx_parser *p, ptx_ins *in)
{
    call_text text;
    bool uni = ptx_take(in, M_UNI);
    if (!parse_call_text(p, in, &text))
        return;
    if (ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    sw_reg reg;
    const ptx_name *name = ptx_name_find(p, text.callee.s, &reg);
    const sw_fn *fn = NULL;
    bool indirect = name && name->kind != NAME_SYM;
    if (indirect && !text.has_list)
        ptx_error_at(p, text.callee.line, text.callee.column,
                     "expected a prototype with an indirect call");
    else if (indirect)
        fn = find_prototype(p, &text.list);
    else if (!name || !name->sym->fn || name->sym->fn->is_entry)
        ptx_error_at(p, text.callee.line, text.callee.column,
                     "'%.*s' is not a function", (int)text.callee.s.n,
                     text.callee.s.p);
    else
        fn = name->sym->fn;
    if (!fn)
        return;

    sw_call *call = sw_arena_alloc(p->arena, sizeof *call);
    call->callee = indirect ? NULL : name->sym;
    call->prototype = indirect ? fn : NULL;
    call->arg_count = fn->param_count;
    call->ret_count = text.ret_count;
    call->args =
        match_operands(p, in, text.arg_first, text.arg_count, fn, false);
    call->rets =
        match_operands(p, in, text.ret_first, text.ret_count, fn, true);
    sw_opnd address = {0};
    if (indirect) {
        ptx_opnd o = {.kind = OPND_REG,
                      .reg = reg,
                      .name = text.callee.s,
                      .line = text.callee.line,
                      .column = text.callee.column};
        address = ptx_source(
            p, &o, p->module->address_size == 32 ? SW_T_B32 : SW_T_B64);
    }
    p->body.uses_thread = true;
    sw_ins *ins = ptx_emit(p, SW_OP_CALL, SW_T_NONE, 0, indirect);
    ins->flags = (uint16_t)((uni ? SW_F_UNI : 0) |
                            (fn->noreturn && !ins->guard ? SW_F_NORETURN : 0));
    ins->aux = call;
    if (indirect)
        ins->opnd[0] = address;
}
