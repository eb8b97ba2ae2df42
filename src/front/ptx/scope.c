/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope.c - scopes: the names and labels that a pair of braces declares, and
 * the registers of the function around them.
 */
#include "front/ptx/parse.h"

void
ptx_scope_finish(ptx_scope *scope)
{
    sw_map_destroy(scope->names);
    sw_map_destroy(scope->labels);
    scope->names = scope->labels = NULL;
}

ptx_scope *
ptx_scope_current(ptx_parser *p)
{
    return p->body.scope ? p->body.scope : &p->globals;
}

ptx_name *
ptx_name_add(ptx_parser *p, ptx_scope *scope, sw_str text)
{
    sw_arena *arena = scope == &p->globals ? p->names_arena : p->body.scratch;
    if (!scope->names)
        scope->names = sw_map_create();
    ptx_name *old = sw_map_get(scope->names, text);
    if (old && !(text.n == 1 && text.p[0] == '_')) {
        ptx_error(p, "'%.*s' is declared twice", (int)text.n, text.p);
        return old;
    }
    ptx_name *name = sw_arena_alloc(arena, sizeof *name);
    sw_map_set(scope->names, text, name);
    return name;
}

sw_reg
ptx_reg_new(ptx_parser *p, sw_type type, const char *name)
{
    sw_reg_info *info = sw_vec_push(&p->body.regs);
    info->cls = sw_type_class(type);
    info->type = type;
    info->name = name;
    return (sw_reg)(p->body.regs.count - 1);
}

void
ptx_range_pages(ptx_parser *p, ptx_name *name)
{
    name->pages = sw_arena_alloc(
        p->body.scratch, (name->range / RANGE_PAGE + 1) * sizeof *name->pages);
}

ptx_label *
ptx_label_get(ptx_parser *p, sw_str text, uint32_t line, uint32_t column)
{
    ptx_scope *scope = p->body.scope;
    if (!scope->labels)
        scope->labels = sw_map_create();
    ptx_label *label = sw_map_get(scope->labels, text);
    if (!label) {
        label = sw_arena_alloc(p->body.scratch, sizeof *label);
        label->name = sw_arena_str(p->body.scratch, text);
        label->line = line;
        label->column = column;
        sw_map_set(scope->labels, text, label);
    }
    return label;
}

ptx_scope *
ptx_scope_function(const ptx_parser *p)
{
    ptx_scope *scope = p->body.scope;
    while (scope->up != &p->globals)
        scope = scope->up;
    return scope;
}
