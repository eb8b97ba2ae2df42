/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c - the front end's entry, its token window and its messages. */
#include <stdio.h>
#include <string.h>

#include "front/ptx/internal.h"
#include "front/ptx/ptx.h"

bool
ptx_is(const ptx_parser *p, int punct)
{
    return p->tok.kind == TOK_PUNCT && p->tok.punct == punct;
}

void
ptx_next(ptx_parser *p)
{
    p->ended = ptx_is(p, ';');
    ptx_lex_next(&p->lex, &p->tok);
}

bool
ptx_accept(ptx_parser *p, int punct)
{
    if (!ptx_is(p, punct))
        return false;
    ptx_next(p);
    return true;
}

bool
ptx_expect(ptx_parser *p, int punct)
{
    char what[4] = {'\'', (char)punct, '\'', 0};
    if (ptx_accept(p, punct))
        return true;
    ptx_expected(p, what);
    return false;
}

bool
ptx_is_dot(const ptx_parser *p, const char *word)
{
    return p->tok.kind == TOK_DOT && sw_str_is(p->tok.s, word);
}

bool
ptx_accept_dot(ptx_parser *p, const char *word)
{
    if (!ptx_is_dot(p, word))
        return false;
    ptx_next(p);
    return true;
}

bool
ptx_expect_u32(ptx_parser *p, uint32_t *out)
{
    if (p->tok.kind != TOK_INT || p->tok.bits > UINT32_MAX) {
        ptx_expected(p, "a number");
        return false;
    }
    *out = (uint32_t)p->tok.bits;
    ptx_next(p);
    return true;
}

void
ptx_error_at(ptx_parser *p, uint32_t line, uint32_t column, const char *fmt,
             ...)
{
    char text[512];
    va_list args;
    if (p->panic)
        return;
    p->panic = true;
    if (p->errors++ >= MAX_ERRORS)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    sw_diag_add(p->diag, SW_DIAG_ERROR, p->name, line, column, "%s", text);
}

void
ptx_error(ptx_parser *p, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    ptx_error_at(p, p->tok.line, p->tok.column, "%s", text);
}

void
ptx_expected(ptx_parser *p, const char *what)
{
    int n = p->tok.s.n > 40 ? 40 : (int)p->tok.s.n;
    if (p->tok.kind == TOK_END)
        ptx_error(p, "expected %s, not the end of the text", what);
    else if (p->tok.kind == TOK_DOT)
        ptx_error(p, "expected %s, not '.%.*s'", what, n, p->tok.s.p);
    else
        ptx_error(p, "expected %s, not '%.*s'", what, n, p->tok.s.p);
}

void
ptx_warn(ptx_parser *p, uint32_t line, uint32_t column, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    sw_diag_add(p->diag, SW_DIAG_WARNING, p->name, line, column, "%s", text);
}

void
ptx_skip_statement(ptx_parser *p)
{
    while (p->tok.kind != TOK_END) {
        if (ptx_accept(p, ';') || ptx_is(p, '}'))
            return;
        if (ptx_is(p, '{'))
            ptx_skip_braces(p);
        else
            ptx_next(p);
    }
}

void
ptx_recover(ptx_parser *p, const char *start)
{
    p->panic = false;
    if (!p->ended || p->tok.s.p == start)
        ptx_skip_statement(p);
}

void
ptx_skip_braces(ptx_parser *p)
{
    uint32_t depth = 0;
    while (p->tok.kind != TOK_END) {
        if (ptx_is(p, '{'))
            depth++;
        if (ptx_is(p, '}') && --depth == 0) {
            ptx_next(p);
            return;
        }
        ptx_next(p);
    }
}

static void
init_tables(ptx_parser *p)
{
    p->rows = sw_map_create();
    for (size_t i = 0; i < ptx_row_count; i++)
        sw_map_set(p->rows, sw_str_of(ptx_rows[i].text),
                   (void *)(uintptr_t)&ptx_rows[i]);
    p->mods = sw_map_create();
    for (uintptr_t i = 1; i < M_COUNT; i++)
        sw_map_set(p->mods, sw_str_of(ptx_mod_text[i]), (void *)i);
    p->sregs = sw_map_create();
    for (uintptr_t i = 0; i < SW_SREG_COUNT; i++)
        sw_map_set(p->sregs, sw_str_of(sw_sreg_text((sw_sreg)i)),
                   (void *)(i + 1));
    p->places = sw_map_create();
    p->strings = sw_map_create();
}

static void
finish_module(ptx_parser *p)
{
    sw_module *m = p->module;
    ptx_thread_finish(p);
    m->fn_count = (uint32_t)p->fns.count;
    m->fns = sw_vec_to_arena(&p->fns, m->arena);
    ptx_name_places(p);
    m->file_count = (uint32_t)p->files.count;
    m->files = sw_vec_to_arena(&p->files, m->arena);
    m->loc_count = (uint32_t)p->locs.count;
    m->locs = sw_vec_to_arena(&p->locs, m->arena);
}

sw_module *
sw_ptx_parse(const char *name, const char *text, size_t bytes, sw_diag *diag)
{
    ptx_parser *p = sw_alloc(sizeof *p);
    p->name = name ? name : "<memory>";
    p->diag = diag;
    p->module = sw_module_create(p->name);
    p->arena = p->module->arena;
    p->names_arena = sw_arena_create();
    sw_vec_init(&p->fns, sizeof(sw_fn *));
    sw_vec_init(&p->thread_fns, sizeof(sw_fn *));
    sw_vec_init(&p->thread_slots, sizeof(sw_sym *));
    sw_vec_init(&p->files, sizeof(const char *));
    sw_vec_init(&p->locs, sizeof(sw_loc));
    sw_vec_push(&p->files);
    sw_vec_push(&p->locs);
    init_tables(p);
    ptx_lex_init(&p->lex, text, bytes);
    ptx_next(p);

    bool ok = ptx_parse_module(p);
    sw_module *module = p->module;
    finish_module(p);
    if (!ok) {
        sw_module_destroy(module);
        module = NULL;
    }

    sw_vec_finish(&p->fns);
    sw_vec_finish(&p->thread_fns);
    sw_vec_finish(&p->thread_slots);
    sw_vec_finish(&p->files);
    sw_vec_finish(&p->locs);
    sw_map_destroy(p->rows);
    sw_map_destroy(p->mods);
    sw_map_destroy(p->sregs);
    sw_map_destroy(p->places);
    sw_map_destroy(p->strings);
    ptx_scope_finish(&p->globals);
    sw_arena_destroy(p->names_arena);
    sw_free(p);
    return module;
}

sw_status
sw_ptx_refusal(const char *text, size_t bytes)
{
    static const char word[] = ".version";
    const char *p = memmem(text, bytes, word, sizeof word - 1);
    if (!p)
        return SW_E_INVALID_IMAGE;
    const char *end = text + bytes;
    uint32_t major = 0;
    p += sizeof word - 1;
    while (p < end && strchr(" \t\r\n", *p))
        p++;
    while (p < end && *p >= '0' && *p <= '9' && major <= SW_PTX_NEWEST)
        major = major * 10 + (uint32_t)(*p++ - '0');
    return major > SW_PTX_NEWEST ? SW_E_UNSUPPORTED_PTX_VERSION
                                 : SW_E_INVALID_PTX;
}
