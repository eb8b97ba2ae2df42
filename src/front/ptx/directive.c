/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directive.c - directives for debuggers and advice: .file, .loc, .section,
 * .pragma.
 */

#include "front/ptx/parse.h"

typedef struct {
    uint32_t file, line, column;
} place;

/* .file 1 "name" [, time, size] */
static void
parse_file(ptx_parser *p)
{
    enum { MAX_FILES = 1 << 16 };
    uint32_t index, ignored;
    if (!ptx_expect_u32(p, &index))
        return;
    if (p->tok.kind != TOK_STRING || index >= MAX_FILES) {
        ptx_expected(p, "a file's name");
        return;
    }
    while (p->files.count <= index)
        sw_vec_push(&p->files);
    *(const char **)sw_vec_at(&p->files, index) =
        sw_arena_str(p->arena, p->tok.s);
    ptx_next(p);
    while (ptx_accept(p, ','))
        if (!ptx_expect_u32(p, &ignored))
            return;
}

static uint32_t
add_loc(ptx_parser *p, place at)
{
    sw_loc *loc = sw_vec_push(&p->locs);
    loc->file = at.file;
    loc->line = at.line;
    loc->column = at.column;
    uint32_t index = (uint32_t)p->locs.count - 1;
    sw_map_set(p->places, (sw_str){(const char *)&at, sizeof at},
               (void *)(uintptr_t)index);
    return index;
}

static bool
parse_place(ptx_parser *p, place *at)
{
    if (!ptx_expect_u32(p, &at->file) || !ptx_expect_u32(p, &at->line))
        return false;
    at->column = 0;
    return p->tok.kind != TOK_INT || ptx_expect_u32(p, &at->column);
}

/* .loc file line column [, function_name label [+ n], inlined_at f l c] */
static void
parse_loc(ptx_parser *p)
{
    place at, outer;
    uint32_t inlined = 0;
    const char *function = NULL;
    if (!parse_place(p, &at))
        return;
    while (ptx_accept(p, ',')) {
        if (p->tok.kind == TOK_IDENT && sw_str_is(p->tok.s, "function_name")) {
            ptx_next(p);
            if (p->tok.kind != TOK_IDENT) {
                ptx_expected(p, "a label");
                return;
            }
            function = sw_arena_str(p->arena, p->tok.s);
            ptx_next(p);
            uint32_t offset;
            if (ptx_accept(p, '+') && !ptx_expect_u32(p, &offset))
                return;
        } else if (p->tok.kind == TOK_IDENT &&
                   sw_str_is(p->tok.s, "inlined_at")) {
            ptx_next(p);
            if (!parse_place(p, &outer))
                return;
            inlined = (uint32_t)(uintptr_t)sw_map_get(
                p->places, (sw_str){(const char *)&outer, sizeof outer});
            if (!inlined)
                inlined = add_loc(p, outer);
        } else {
            ptx_expected(p, "function_name or inlined_at");
            return;
        }
    }
    p->loc = add_loc(p, at);
    sw_loc *loc = sw_vec_at(&p->locs, p->loc);
    loc->function = function;
    loc->inlined_at = inlined;
}

/* .pragma "a", "b"; */
void
ptx_parse_pragma(ptx_parser *p)
{
    do {
        if (p->tok.kind != TOK_STRING) {
            ptx_expected(p, "a string");
            return;
        }
        ptx_next(p);
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';');
}

/* label: .b8 102, 111, 0 */
static void
parse_string(ptx_parser *p)
{
    sw_str label = p->tok.s;
    sw_buf text;
    sw_buf_init(&text);
    ptx_next(p);
    ptx_accept(p, ':');
    while (ptx_accept_dot(p, "b8")) {
        do {
            char c = (char)(p->tok.bits & 255);
            if (p->tok.kind != TOK_INT)
                break;
            sw_buf_add(&text, &c, 1);
            ptx_next(p);
        } while (ptx_accept(p, ','));
    }
    sw_map_set(p->strings, label,
               sw_arena_str(p->arena, sw_str_of(text.p ? text.p : "")));
    sw_buf_finish(&text);
}

/* .section .debug_info { ... }; only the strings are used. */
static void
parse_section(ptx_parser *p)
{
    bool strings = ptx_is_dot(p, "debug_str");
    while (p->tok.kind == TOK_DOT || p->tok.kind == TOK_IDENT ||
           p->tok.kind == TOK_STRING || ptx_is(p, ','))
        ptx_next(p);
    if (!ptx_is(p, '{')) {
        ptx_expected(p, "'{'");
        return;
    }
    if (!strings) {
        ptx_skip_braces(p);
        return;
    }
    ptx_next(p);
    while (p->tok.kind != TOK_END && !ptx_accept(p, '}')) {
        if (p->tok.kind == TOK_IDENT)
            parse_string(p);
        else
            ptx_next(p);
    }
}

static bool
is_named_file(const ptx_parser *p, uint32_t file)
{
    return file < p->files.count &&
           *(const char *const *)sw_vec_at(&p->files, file);
}

/* The directives .file may follow the places. One without a name is file 0,
 * that has none. */
void
ptx_name_places(ptx_parser *p)
{
    if (p->locs.count && !p->files.count)
        sw_vec_push(&p->files);
    for (size_t i = 0; i < p->locs.count; i++) {
        sw_loc *loc = sw_vec_at(&p->locs, i);
        if (!is_named_file(p, loc->file))
            loc->file = 0;
        if (loc->function)
            loc->function = sw_map_get(p->strings, sw_str_of(loc->function));
    }
}

bool
ptx_parse_advice(ptx_parser *p)
{
    static const struct {
        const char *name;
        void (*parse)(ptx_parser *p);
    } directives[] = {{"loc", parse_loc},
                      {"file", parse_file},
                      {"pragma", ptx_parse_pragma},
                      {"section", parse_section}};
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (ptx_accept_dot(p, directives[i].name)) {
            directives[i].parse(p);
            return true;
        }
    return false;
}
