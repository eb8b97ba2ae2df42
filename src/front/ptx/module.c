/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module.c - module scope: version, target, aliases, and what is linked.
 */

#include "front/ptx/parse.h"
#include "front/ptx/ptx.h"

static void
parse_version(ptx_parser *p)
{
    uint64_t major = 0, minor = 0;
    sw_str s = p->tok.s;
    size_t dot = 0;
    while (dot < s.n && s.p[dot] != '.')
        dot++;
    if ((p->tok.kind != TOK_FLOAT && p->tok.kind != TOK_INT) ||
        !sw_str_to_u64((sw_str){s.p, dot}, 10, &major) ||
        (dot < s.n &&
         !sw_str_to_u64((sw_str){s.p + dot + 1, s.n - dot - 1}, 10, &minor)) ||
        major < 1 || minor > 9) {
        ptx_expected(p, "a version as in .version 8.0");
        return;
    }
    if (major > SW_PTX_NEWEST) {
        ptx_error(p, "PTX %.*s is not known, but up to %d", (int)s.n, s.p,
                  SW_PTX_NEWEST);
        return;
    }
    p->module->version = (uint32_t)(major * 10 + minor);
    ptx_next(p);
}

/* Those of the PTX ISA's table of targets, and of its release notes. */
static bool
is_target(uint64_t number)
{
    static const uint8_t targets[] = {
        10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60,  61, 62,
        70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
    for (size_t i = 0; i < sizeof targets; i++)
        if (targets[i] == number)
            return true;
    return false;
}

static void
parse_target(ptx_parser *p)
{
    do {
        sw_str s = p->tok.s;
        size_t digits = 0;
        uint64_t number = 0;
        if (p->tok.kind != TOK_IDENT) {
            ptx_expected(p, "a target as in .target sm_80");
            return;
        }
        if (sw_str_has_prefix(s, "sm_") || sw_str_has_prefix(s, "compute_")) {
            size_t start = s.p[0] == 's' ? 3 : 8;
            while (start + digits < s.n && s.p[start + digits] >= '0' &&
                   s.p[start + digits] <= '9')
                digits++;
            if (!sw_str_to_u64((sw_str){s.p + start, digits}, 10, &number) ||
                !is_target(number)) {
                ptx_expected(p, "a target that is known, as in .target sm_80");
                return;
            }
            p->module->target = (uint32_t)number;
        } else if (sw_str_is(s, "debug")) {
            p->module->debug = true;
        } else if (!sw_str_has_prefix(s, "texmode_") &&
                   !sw_str_is(s, "map_f64_to_f32")) {
            ptx_warn(p, p->tok.line, p->tok.column,
                     "the target option '%.*s' is not known and ignored",
                     (int)s.n, s.p);
        }
        ptx_next(p);
    } while (ptx_accept(p, ','));
}

/* .alias a, b; */
static void
parse_alias(ptx_parser *p)
{
    sw_sym *syms[2];
    for (int i = 0; i < 2; i++) {
        sw_reg reg;
        const ptx_name *name =
            p->tok.kind == TOK_IDENT ? ptx_name_find(p, p->tok.s, &reg) : NULL;
        if (!name || name->kind != NAME_SYM || !name->sym->fn) {
            ptx_expected(p, "a function's name");
            return;
        }
        syms[i] = name->sym;
        ptx_next(p);
        if (i == 0 && !ptx_expect(p, ','))
            return;
    }
    if (syms[0] == syms[1] || syms[1]->def)
        ptx_error(p, "an alias of an alias");
    else
        syms[0]->def = syms[1];
    ptx_expect(p, ';');
}

static void
parse_linked(ptx_parser *p)
{
    static const struct {
        const char *word;
        sw_linkage linkage;
    } words[] = {{"visible", SW_LINK_VISIBLE},
                 {"extern", SW_LINK_EXTERN},
                 {"weak", SW_LINK_WEAK},
                 {"common", SW_LINK_COMMON}};
    sw_linkage linkage = SW_LINK_STATIC;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ptx_accept_dot(p, words[i].word)) {
            linkage = words[i].linkage;
            i = (size_t)-1;
        }
    }
    sw_space space;
    if (ptx_accept_dot(p, "entry"))
        ptx_parse_function(p, true, linkage);
    else if (ptx_accept_dot(p, "func"))
        ptx_parse_function(p, false, linkage);
    else if (ptx_parse_space(p, &space))
        ptx_parse_variable(p, space, linkage);
    else
        ptx_expected(p, "a declaration");
}

static bool
is_declaration(const ptx_parser *p)
{
    static const char *const words[] = {"visible", "extern", "weak",   "common",
                                        "entry",   "func",   "global", "shared",
                                        "local",   "const",  "param",  "tex"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_is_dot(p, words[i]))
            return true;
    return false;
}

static void
skip_directive(ptx_parser *p)
{
    uint32_t line = p->tok.line;
    ptx_warn(p, line, p->tok.column,
             "the directive '.%.*s' is not known and ignored", (int)p->tok.s.n,
             p->tok.s.p);
    while (p->tok.kind != TOK_END && p->tok.line == line) {
        if (ptx_accept(p, ';'))
            return;
        if (ptx_is(p, '{'))
            ptx_skip_braces(p);
        else
            ptx_next(p);
    }
}

static void
parse_directive(ptx_parser *p)
{
    if (is_declaration(p)) {
        parse_linked(p);
    } else if (ptx_accept_dot(p, "version")) {
        parse_version(p);
    } else if (ptx_accept_dot(p, "target")) {
        parse_target(p);
    } else if (ptx_accept_dot(p, "address_size")) {
        ptx_expect_u32(p, &p->module->address_size);
        if (p->module->address_size != 32 && p->module->address_size != 64)
            ptx_error(p, "the address size is 32 or 64");
    } else if (ptx_accept_dot(p, "alias")) {
        parse_alias(p);
    } else if (ptx_accept_dot(p, "reg")) {
        ptx_parse_regs(p);
    } else if (!ptx_parse_advice(p)) {
        skip_directive(p);
    }
}

bool
ptx_parse_module(ptx_parser *p)
{
    if (!ptx_is_dot(p, "version")) {
        ptx_expected(p, "'.version' at the start");
        return false;
    }
    while (p->tok.kind != TOK_END && p->errors < MAX_ERRORS) {
        const char *start = p->tok.s.p;
        if (p->tok.kind == TOK_DOT)
            parse_directive(p);
        else if (!ptx_accept(p, ';'))
            ptx_expected(p, "a directive");
        if (p->panic) {
            ptx_recover(p, start);
            ptx_accept(p, '}');
        }
    }
    if (!p->errors && !p->module->target)
        ptx_error_at(p, 1, 1, "expected '.target' behind '.version'");
    return p->errors == 0;
}
