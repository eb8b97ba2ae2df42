/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - what a name in an operand stands for.
 *
 * A range (.reg .b32 %r<100>) is one entry; its registers come into being when
 * they are first used.
 */

#include "front/ptx/parse.h"

static sw_reg
range_reg(ptx_parser *p, ptx_name *name, sw_str text, uint32_t index)
{
    sw_reg **page = &name->pages[index / RANGE_PAGE];
    if (!*page)
        *page = sw_arena_alloc(p->body.scratch, RANGE_PAGE * sizeof **page);
    sw_reg *reg = &(*page)[index % RANGE_PAGE];
    if (!*reg) {
        *reg = ptx_reg_new(p, name->type, sw_arena_str(p->arena, text));
        ptx_thread_note_reg(p, name, *reg, index);
    }
    return *reg;
}

/* Prefix and number, the number without leading zeros; every way to cut. */
static const ptx_name *
find_range(ptx_parser *p, const ptx_scope *scope, sw_str text, sw_reg *reg)
{
    size_t digits = 0;
    while (digits < text.n - 1 && digits < 7 &&
           text.p[text.n - 1 - digits] >= '0' &&
           text.p[text.n - 1 - digits] <= '9')
        digits++;
    for (; digits > 0; digits--) {
        const char *number = text.p + text.n - digits;
        uint32_t index = 0;
        if (*number == '0' && digits > 1)
            continue;
        for (size_t i = 0; i < digits; i++)
            index = index * 10 + (uint32_t)(number[i] - '0');
        sw_str prefix = {text.p, text.n - digits};
        ptx_name *name = sw_map_get(scope->names, prefix);
        if (name && name->kind == NAME_RANGE && index < name->range) {
            if (scope == &p->globals)
                name = ptx_thread_name(p, name, prefix);
            *reg = range_reg(p, name, text, index);
            return name;
        }
    }
    return NULL;
}

const ptx_name *
ptx_name_find(ptx_parser *p, sw_str text, sw_reg *reg)
{
    *reg = 0;
    if (text.n == 0)
        return NULL;
    for (ptx_scope *s = ptx_scope_current(p); s; s = s->up) {
        if (!s->names)
            continue;
        if (p->body.fn && text.p[text.n - 1] >= '0' &&
            text.p[text.n - 1] <= '9') {
            const ptx_name *range = find_range(p, s, text, reg);
            if (range)
                return range;
        }
        ptx_name *name = sw_map_get(s->names, text);
        if (name && name->kind != NAME_RANGE) {
            if (name->kind != NAME_SYM && s == &p->globals && p->body.fn)
                name = ptx_thread_name(p, name, text);
            *reg = name->regs[0];
            return name;
        }
    }
    return NULL;
}
