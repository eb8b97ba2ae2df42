/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.c - the token that the parser has come to, and errors there.
 */
#include <stdarg.h>
#include <stdio.h>

#include "front/ptx/parse.h"

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
