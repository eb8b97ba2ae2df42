/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fn.c - .entry and .func: the symbol, what stands before the body, the body.
 */

#include "front/ptx/parse.h"

/* .attribute(.unified(1, 2)) */
static void
skip_attribute(ptx_parser *p)
{
    unsigned depth = 0;
    ptx_next(p);
    while (p->tok.kind != TOK_END) {
        depth += ptx_is(p, '(');
        depth -= ptx_is(p, ')') && depth > 0;
        ptx_next(p);
        if (depth == 0)
            return;
    }
}

/* The symbol of the function; what an earlier declaration said is replaced by
 * a definition, and kept against a further declaration. */
static sw_sym *
function_symbol(ptx_parser *p, const ptx_tok *tok, sw_fn *fn,
                sw_linkage linkage, bool has_body)
{
    ptx_name *name =
        p->globals.names ? sw_map_get(p->globals.names, tok->s) : NULL;
    if (name && (!name->sym->fn || name->sym->fn->is_entry != fn->is_entry ||
                 (name->sym->fn->block_count && has_body))) {
        ptx_error_at(p, tok->line, tok->column, "'%.*s' is declared twice",
                     (int)tok->s.n, tok->s.p);
        return name->sym;
    }
    if (!name) {
        name = ptx_name_add(p, &p->globals, tok->s);
        name->kind = NAME_SYM;
        name->sym = sw_arena_alloc(p->arena, sizeof *name->sym);
        name->sym->name = fn->name;
        name->sym->space = SW_SPACE_REG;
        name->sym->align = 1;
        name->sym->linkage = linkage;
        name->sym->line = tok->line;
        name->sym->fn = fn;
        sw_module_add_sym(p->module, name->sym);
        return name->sym;
    }
    sw_sym *sym = name->sym;
    if (has_body) {
        fn->noreturn |= sym->fn->noreturn;
        sym->fn = fn;
        sym->line = tok->line;
        if (linkage != SW_LINK_STATIC || sym->linkage == SW_LINK_EXTERN)
            sym->linkage = linkage;
    }
    return sym;
}

static void
parse_definition(ptx_parser *p, sw_fn *fn, sw_linkage linkage)
{
    ptx_tok tok;
    if (ptx_is_dot(p, "attribute"))
        skip_attribute(p);
    if (!fn->is_entry && ptx_is(p, '(') &&
        !ptx_parse_formals(p, &fn->rets, &fn->ret_count, true))
        return;
    tok = p->tok;
    if (tok.kind != TOK_IDENT) {
        ptx_expected(p, "a function's name");
        return;
    }
    ptx_next(p);
    fn->name = sw_arena_str(p->arena, tok.s);
    if (ptx_is(p, '(') &&
        !ptx_parse_formals(p, &fn->params, &fn->param_count, true))
        return;
    if (!ptx_parse_performance(p, fn))
        return;
    if (!ptx_is(p, '{') && !ptx_is(p, ';')) {
        ptx_expected(p, "'{' or ';'");
        return;
    }
    bool has_body = ptx_is(p, '{');
    fn->sym = function_symbol(p, &tok, fn, linkage, has_body);
    ptx_next(p);
    if (p->panic || !has_body)
        return;
    *(sw_fn **)sw_vec_push(&p->fns) = fn;
    ptx_parse_body(p, fn);
}

void
ptx_parse_function(ptx_parser *p, bool is_entry, sw_linkage linkage)
{
    sw_fn *fn = sw_arena_alloc(p->arena, sizeof *fn);
    fn->module = p->module;
    fn->is_entry = is_entry;
    fn->line = p->tok.line;
    fn->name = "";
    p->loc = 0;
    ptx_fn_begin(p, &p->body, fn);
    parse_definition(p, fn, linkage);
    ptx_fn_finish(p);
}
