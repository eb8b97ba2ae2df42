/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lex.c - PTX text into tokens: names, .words, numbers, strings, punctuation.
 *
 * Skips blanks, comments, lines that begin with '#' and the "@@DWARF" lines of
 * PTX 1.x. A NUL ends the text. Never looks beyond the end.
 */
#include <stdlib.h>
#include <string.h>

#include "front/ptx/parse.h"

enum { MAX_NUMBER = 64 };

static bool
is_alpha(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool
is_follow(int c) /* may stand inside a name */
{
    return is_alpha(c) || is_digit(c) || c == '_' || c == '$';
}

static int
at(const ptx_lex *lex, size_t i)
{
    return (size_t)(lex->end - lex->p) > i ? (unsigned char)lex->p[i] : 0;
}

void
ptx_lex_init(ptx_lex *lex, const char *text, size_t bytes)
{
    const char *nul = bytes ? memchr(text, 0, bytes) : NULL;
    lex->p = text;
    lex->end = nul ? nul : text + bytes;
    lex->line_start = text;
    lex->line = 1;
}

static void
new_line(ptx_lex *lex) /* p is behind the line feed */
{
    lex->line++;
    lex->line_start = lex->p;
}

static void
skip_line(ptx_lex *lex)
{
    const char *eol = memchr(lex->p, '\n', (size_t)(lex->end - lex->p));
    lex->p = eol ? eol : lex->end;
}

/* Blanks and comments; true if there were any. */
static bool
skip_blanks(ptx_lex *lex)
{
    const char *start = lex->p;
    for (;;) {
        int c = at(lex, 0);
        if (c == '\n') {
            lex->p++;
            new_line(lex);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' ||
                   c == '\v' || (c == '\\' && at(lex, 1) == '\n') ||
                   (c == '\\' && at(lex, 1) == '\r')) {
            lex->p++;
        } else if (c == '/' && at(lex, 1) == '/') {
            skip_line(lex);
        } else if (c == '/' && at(lex, 1) == '*') {
            lex->p += 2;
            while (lex->p < lex->end &&
                   !(at(lex, 0) == '*' && at(lex, 1) == '/')) {
                bool eol = *lex->p++ == '\n';
                if (eol)
                    new_line(lex);
            }
            lex->p += lex->p < lex->end ? 2 : 0;
        } else if ((c == '#' && lex->p == lex->line_start) ||
                   (c == '@' && at(lex, 1) == '@')) {
            skip_line(lex);
        } else {
            return lex->p != start;
        }
    }
}

static void
take_suffix(ptx_lex *lex, ptx_tok *tok)
{
    if (at(lex, 0) == 'U' || at(lex, 0) == 'u') {
        lex->p++;
        tok->is_unsigned = true;
    }
    if (is_follow(at(lex, 0)))
        tok->kind = TOK_BAD;
}

static int
digit_value(int c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

static void
take_digits(ptx_lex *lex, ptx_tok *tok, int base)
{
    uint64_t v = 0;
    unsigned count = 0;
    for (; digit_value(at(lex, 0)) < base; lex->p++, count++) {
        if (v >
            (UINT64_MAX - (uint64_t)digit_value(at(lex, 0))) / (uint64_t)base)
            tok->kind = TOK_BAD;
        v = v * (uint64_t)base + (uint64_t)digit_value(at(lex, 0));
    }
    if (count == 0)
        tok->kind = TOK_BAD;
    tok->bits = v;
    take_suffix(lex, tok);
}

/* 0f and eight, 0d and sixteen hexadecimal digits. */
static bool
take_float_bits(ptx_lex *lex, ptx_tok *tok)
{
    int c = at(lex, 1);
    size_t want = c == 'f' || c == 'F' ? 8 : c == 'd' || c == 'D' ? 16 : 0;
    if (at(lex, 0) != '0' || want == 0)
        return false;
    uint64_t v = 0;
    for (size_t i = 0; i < want; i++) {
        if (digit_value(at(lex, 2 + i)) >= 16)
            return false;
        v = v << 4 | (uint64_t)digit_value(at(lex, 2 + i));
    }
    lex->p += 2 + want;
    tok->kind = want == 8 ? TOK_F32 : TOK_FLOAT;
    tok->bits = v;
    take_suffix(lex, tok);
    return true;
}

/* Length of digits [. digits] [e [+-] digits] if it is not an integer. */
static size_t
decimal_length(const ptx_lex *lex)
{
    size_t n = 0;
    bool is_float = false;
    while (is_digit(at(lex, n)))
        n++;
    if (at(lex, n) == '.' && !is_alpha(at(lex, n + 1))) {
        is_float = true;
        for (n++; is_digit(at(lex, n)); n++)
            ;
    }
    if (at(lex, n) == 'e' || at(lex, n) == 'E') {
        size_t m = n + 1;
        m += at(lex, m) == '+' || at(lex, m) == '-';
        if (is_digit(at(lex, m))) {
            is_float = true;
            for (n = m; is_digit(at(lex, n)); n++)
                ;
        }
    }
    return is_float ? n : 0;
}

static void
take_decimal(ptx_lex *lex, ptx_tok *tok, size_t n)
{
    char buf[MAX_NUMBER];
    double v = 0;
    tok->kind = n < sizeof buf ? TOK_FLOAT : TOK_BAD;
    if (n < sizeof buf) {
        memcpy(buf, lex->p, n);
        buf[n] = 0;
        v = strtod(buf, NULL);
    }
    memcpy(&tok->bits, &v, sizeof v);
    lex->p += n;
    take_suffix(lex, tok);
}

static void
take_number(ptx_lex *lex, ptx_tok *tok)
{
    tok->kind = TOK_INT;
    if (take_float_bits(lex, tok))
        return;
    size_t n = decimal_length(lex);
    int c = at(lex, 1);
    if (at(lex, 0) == '0' && (c == 'x' || c == 'X')) {
        lex->p += 2;
        take_digits(lex, tok, 16);
    } else if (at(lex, 0) == '0' && (c == 'b' || c == 'B')) {
        lex->p += 2;
        take_digits(lex, tok, 2);
    } else if (n) {
        take_decimal(lex, tok, n);
    } else {
        take_digits(lex, tok, at(lex, 0) == '0' ? 8 : 10);
    }
}

static void
take_string(ptx_lex *lex, ptx_tok *tok)
{
    const char *start = ++lex->p;
    tok->kind = TOK_STRING;
    while (lex->p < lex->end && *lex->p != '"' && *lex->p != '\n')
        lex->p += *lex->p == '\\' && lex->end - lex->p > 1 && lex->p[1] != '\n'
                      ? 2
                      : 1;
    tok->s = (sw_str){start, (size_t)(lex->p - start)};
    if (at(lex, 0) == '"')
        lex->p++;
    else
        tok->kind = TOK_BAD;
}

/* .word, also .shared::cta; false if a dot stands alone. */
static bool
take_dot(ptx_lex *lex, ptx_tok *tok)
{
    if (!is_follow(at(lex, 1)))
        return false;
    const char *start = ++lex->p;
    if (is_digit(*start)) { /* .5, .5e-3, but .2d is a word */
        lex->p--;
        size_t n = decimal_length(lex);
        if (n && !is_follow(at(lex, n))) {
            take_decimal(lex, tok, n);
            return true;
        }
        lex->p++;
    }
    for (;;) {
        while (is_follow(at(lex, 0)))
            lex->p++;
        if (at(lex, 0) == ':' && at(lex, 1) == ':' && is_follow(at(lex, 2)))
            lex->p += 2;
        else
            break;
    }
    tok->kind = TOK_DOT;
    tok->s = (sw_str){start, (size_t)(lex->p - start)};
    return true;
}

static void
take_punct(ptx_lex *lex, ptx_tok *tok)
{
    static const struct {
        char text[3];
        uint8_t punct;
    } two[] = {{"<<", PUNCT_SHL},    {">>", PUNCT_SHR}, {"<=", PUNCT_LE},
               {">=", PUNCT_GE},     {"==", PUNCT_EQ},  {"!=", PUNCT_NE},
               {"&&", PUNCT_ANDAND}, {"||", PUNCT_OROR}};
    tok->kind = TOK_PUNCT;
    tok->punct = (uint8_t)*lex->p & 127;
    for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
        if (at(lex, 0) == two[i].text[0] && at(lex, 1) == two[i].text[1]) {
            tok->punct = two[i].punct;
            lex->p++;
            break;
        }
    }
    if ((unsigned char)*lex->p > 126 || (unsigned char)*lex->p < 32)
        tok->kind = TOK_BAD;
    lex->p++;
}

void
ptx_lex_next(ptx_lex *lex, ptx_tok *tok)
{
    bool blank = skip_blanks(lex);
    *tok = (ptx_tok){.after_space = blank, .line = lex->line};
    const char *start = lex->p;
    tok->column = (uint32_t)(start - lex->line_start) + 1;
    int c = at(lex, 0);
    if (lex->p >= lex->end) {
        tok->kind = TOK_END;
        tok->s = sw_str_of("the end of the text");
        return;
    }
    if (is_alpha(c) || c == '_' || c == '$' ||
        (c == '%' && is_follow(at(lex, 1)))) {
        tok->kind = TOK_IDENT;
        for (lex->p++; is_follow(at(lex, 0)); lex->p++)
            ;
    } else if (is_digit(c)) {
        take_number(lex, tok);
    } else if (c == '"') {
        take_string(lex, tok);
    } else if (c != '.' || !take_dot(lex, tok)) {
        take_punct(lex, tok);
    }
    if (!tok->s.p)
        tok->s = (sw_str){start, (size_t)(lex->p - start)};
}
