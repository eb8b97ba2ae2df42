/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr.c - constant expressions: C's operators on 64-bit integers, floats with
 * a sign, symbols with an offset, generic(sym), 0xFF00(sym), WARP_SZ.
 *
 * PTX ISA 4.5.2: integers are 64 bits, signed unless a U suffix, a value
 * above INT64_MAX or a cast (.u64) makes them unsigned.
 */
#include <string.h>

#include "front/ptx/parse.h"

enum { MAX_NEST = 64, WARP_SIZE = 32 };

static bool parse_ternary(ptx_parser *p, ptx_value *v);

static double
as_double(const ptx_value *v)
{
    double d;
    if (v->kind == OPND_F32) {
        uint32_t u = (uint32_t)v->bits;
        float f;
        memcpy(&f, &u, sizeof f);
        return (double)f;
    }
    if (v->kind == OPND_INT)
        return v->is_unsigned ? (double)v->bits : (double)(int64_t)v->bits;
    memcpy(&d, &v->bits, sizeof d);
    return d;
}

/* IEEE single to half, ties to even. */
static uint16_t
half_bits(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    uint16_t sign = (uint16_t)(u >> 48 & 0x8000);
    int e = (int)(u >> 52 & 0x7ff) - 1023 + 15;
    uint64_t m = u & 0xfffffffffffff;
    if ((u >> 52 & 0x7ff) == 0x7ff)
        return (uint16_t)(sign | (m ? 0x7fff : 0x7c00));
    if (e >= 31)
        return sign | 0x7c00;
    if (e < -11)
        return sign;
    unsigned shift = e > 0 ? 42 : (unsigned)(43 - e);
    m |= 1ull << 52;
    uint64_t q = m >> shift, rest = m & ((1ull << shift) - 1);
    uint64_t tie = 1ull << (shift - 1);
    q += rest > tie || (rest == tie && (q & 1));
    return (uint16_t)(sign + (e > 0 ? ((uint64_t)(e - 1) << 10) + q : q));
}

uint64_t
ptx_number_bits(sw_type type, int kind, uint64_t bits)
{
    ptx_value v = {.kind = (uint8_t)kind, .bits = bits};
    double d = as_double(&v);
    float f = (float)d;
    uint64_t u64;
    uint32_t u32;
    bool is_float = sw_type_kind(type) == SW_KIND_FLOAT;
    unsigned width = sw_type_bits(type);
    if (type == SW_T_PRED)
        return bits != 0;
    if (kind == OPND_INT && !is_float)
        return width >= 64 ? bits : bits & ((1ull << width) - 1);
    memcpy(&u64, &d, sizeof u64);
    memcpy(&u32, &f, sizeof u32);
    if (kind == OPND_F32 && width == 32)
        return bits; /* a signalling NaN stays one */
    if (width == 64)
        return u64;
    if (type == SW_T_BF16)
        return (u32 + 0x7fff + (u32 >> 16 & 1)) >> 16;
    return width == 16 ? half_bits(d) : u32;
}

static ptx_value
int_value(uint64_t bits, bool is_unsigned)
{
    return (ptx_value){
        .kind = OPND_INT, .bits = bits, .is_unsigned = is_unsigned};
}

/* sym, found or not; p->tok is behind it. */
static bool
symbol_value(ptx_parser *p, ptx_value *v, const ptx_tok *tok)
{
    sw_reg reg;
    const ptx_name *name = ptx_name_find(p, tok->s, &reg);
    if (!name || name->kind != NAME_SYM) {
        ptx_error_at(p, tok->line, tok->column,
                     "'%.*s' is not a variable or a function", (int)tok->s.n,
                     tok->s.p);
        return false;
    }
    *v = (ptx_value){.kind = OPND_SYM, .sym = name->sym};
    return true;
}

/* ( sym [+ number] ) behind a mask or the word generic. */
static bool
parse_inner_symbol(ptx_parser *p, ptx_value *v)
{
    if (!ptx_expect(p, '(') || !parse_ternary(p, v) || !ptx_expect(p, ')'))
        return false;
    if (v->kind == OPND_SYM)
        return true;
    ptx_expected(p, "a symbol before this");
    return false;
}

static bool
parse_name(ptx_parser *p, ptx_value *v)
{
    ptx_tok tok = p->tok;
    ptx_next(p);
    if (sw_str_is(tok.s, "WARP_SZ")) {
        *v = int_value(WARP_SIZE, false);
        return true;
    }
    if (sw_str_is(tok.s, "generic") && ptx_is(p, '(')) {
        if (!parse_inner_symbol(p, v))
            return false;
        v->generic = true;
        return true;
    }
    return symbol_value(p, v, &tok);
}

static bool
parse_cast_or_group(ptx_parser *p, ptx_value *v)
{
    ptx_next(p);
    if (ptx_is_dot(p, "s64") || ptx_is_dot(p, "u64")) {
        bool is_unsigned = ptx_is_dot(p, "u64");
        ptx_next(p);
        if (!ptx_expect(p, ')') || !parse_ternary(p, v))
            return false;
        v->is_unsigned = is_unsigned;
        return true;
    }
    return parse_ternary(p, v) && ptx_expect(p, ')');
}

static bool
parse_primary(ptx_parser *p, ptx_value *v)
{
    ptx_tok tok = p->tok;
    switch (tok.kind) {
    case TOK_INT:
        ptx_next(p);
        *v = int_value(tok.bits, tok.is_unsigned || tok.bits > INT64_MAX);
        if (!ptx_is(p, '('))
            return true;
        if (!parse_inner_symbol(p, v))
            return false;
        v->mask = tok.bits;
        return true;
    case TOK_FLOAT:
    case TOK_F32:
        ptx_next(p);
        *v = (ptx_value){.kind = tok.kind == TOK_F32 ? OPND_F32 : OPND_F64,
                         .bits = tok.bits};
        return true;
    case TOK_IDENT:
        return parse_name(p, v);
    default:
        if (ptx_is(p, '('))
            return parse_cast_or_group(p, v);
        ptx_expected(p, "a number or a name");
        return false;
    }
}

static bool
negate(ptx_parser *p, ptx_value *v)
{
    if (v->kind == OPND_SYM) {
        ptx_error(p, "an address can't be negated");
        return false;
    }
    if (v->kind == OPND_INT)
        v->bits = 0 - v->bits;
    else
        v->bits ^= v->kind == OPND_F32 ? 1ull << 31 : 1ull << 63;
    return true;
}

static bool
parse_unary(ptx_parser *p, ptx_value *v)
{
    char ops[MAX_NEST];
    size_t n = 0;
    while (ptx_is(p, '-') || ptx_is(p, '+') || ptx_is(p, '~') ||
           ptx_is(p, '!')) {
        if (n == sizeof ops) {
            ptx_error(p, "too many operators");
            return false;
        }
        ops[n++] = (char)p->tok.punct;
        ptx_next(p);
    }
    if (!parse_primary(p, v))
        return false;
    while (n-- > 0) {
        if (ops[n] == '-' && !negate(p, v))
            return false;
        if ((ops[n] == '~' || ops[n] == '!') && v->kind != OPND_INT) {
            ptx_error(p, "'%c' needs an integer", ops[n]);
            return false;
        }
        if (ops[n] == '~')
            v->bits = ~v->bits;
        if (ops[n] == '!')
            *v = int_value(v->bits == 0, false);
    }
    return true;
}

static int
precedence(const ptx_parser *p)
{
    if (p->tok.kind != TOK_PUNCT)
        return 0;
    switch (p->tok.punct) {
    case '*':
    case '/':
    case '%':
        return 10;
    case '+':
    case '-':
        return 9;
    case PUNCT_SHL:
    case PUNCT_SHR:
        return 8;
    case '<':
    case '>':
    case PUNCT_LE:
    case PUNCT_GE:
        return 7;
    case PUNCT_EQ:
    case PUNCT_NE:
        return 6;
    case '&':
        return 5;
    case '^':
        return 4;
    case '|':
        return 3;
    case PUNCT_ANDAND:
        return 2;
    case PUNCT_OROR:
        return 1;
    default:
        return 0;
    }
}

static bool
divide(ptx_parser *p, int op, ptx_value *a, const ptx_value *b, bool uns)
{
    int64_t sa = (int64_t)a->bits, sb = (int64_t)b->bits;
    if (b->bits == 0) {
        ptx_error(p, "division by zero");
        return false;
    }
    if (uns)
        a->bits = op == '/' ? a->bits / b->bits : a->bits % b->bits;
    else if (sb == -1)
        a->bits = op == '/' ? 0 - a->bits : 0;
    else
        a->bits = (uint64_t)(op == '/' ? sa / sb : sa % sb);
    a->is_unsigned = uns;
    return true;
}

static uint64_t
compare(int op, const ptx_value *a, const ptx_value *b, bool uns)
{
    bool eq = a->bits == b->bits;
    bool lt = uns ? a->bits < b->bits : (int64_t)a->bits < (int64_t)b->bits;
    switch (op) {
    case '<':
        return lt;
    case '>':
        return !lt && !eq;
    case PUNCT_LE:
        return lt || eq;
    case PUNCT_GE:
        return !lt;
    case PUNCT_EQ:
        return eq;
    default:
        return !eq;
    }
}

static bool
combine(ptx_parser *p, int op, ptx_value *a, const ptx_value *b)
{
    bool uns = a->is_unsigned || b->is_unsigned;
    unsigned shift = b->bits > 63 ? 63 : (unsigned)b->bits;
    if (a->kind == OPND_SYM && b->kind == OPND_INT &&
        (op == '+' || op == '-')) {
        a->bits += op == '+' ? b->bits : 0 - b->bits;
        return true;
    }
    if (a->kind == OPND_INT && b->kind == OPND_SYM && op == '+') {
        uint64_t add = a->bits;
        *a = *b;
        a->bits += add;
        return true;
    }
    if (a->kind != OPND_INT || b->kind != OPND_INT) {
        ptx_error(p, "this operator needs integers");
        return false;
    }
    switch (op) {
    case '*':
        a->bits *= b->bits;
        break;
    case '/':
    case '%':
        return divide(p, op, a, b, uns);
    case '+':
        a->bits += b->bits;
        break;
    case '-':
        a->bits -= b->bits;
        break;
    case PUNCT_SHL:
        a->bits = b->bits > 63 ? 0 : a->bits << shift;
        return true;
    case PUNCT_SHR:
        if (!a->is_unsigned && (int64_t)a->bits < 0)
            a->bits = ~(~a->bits >> shift);
        else
            a->bits = b->bits > 63 ? 0 : a->bits >> shift;
        return true;
    case '&':
        a->bits &= b->bits;
        break;
    case '^':
        a->bits ^= b->bits;
        break;
    case '|':
        a->bits |= b->bits;
        break;
    case PUNCT_ANDAND:
        *a = int_value(a->bits && b->bits, false);
        return true;
    case PUNCT_OROR:
        *a = int_value(a->bits || b->bits, false);
        return true;
    default:
        *a = int_value(compare(op, a, b, uns), false);
        return true;
    }
    a->is_unsigned = uns;
    return true;
}

static bool
parse_binary(ptx_parser *p, ptx_value *v, int min)
{
    if (!parse_unary(p, v))
        return false;
    for (;;) {
        int level = precedence(p);
        if (level == 0 || level < min)
            return true;
        int op = p->tok.punct;
        ptx_value right;
        ptx_next(p);
        if (!parse_binary(p, &right, level + 1) || !combine(p, op, v, &right))
            return false;
    }
}

static bool
parse_ternary(ptx_parser *p, ptx_value *v)
{
    if (p->nest >= MAX_NEST) {
        ptx_error(p, "the expression is nested too deeply");
        return false;
    }
    p->nest++;
    bool ok = parse_binary(p, v, 1);
    if (ok && ptx_accept(p, '?')) {
        ptx_value yes, no;
        ok = parse_ternary(p, &yes) && ptx_expect(p, ':') &&
             parse_ternary(p, &no);
        if (ok)
            *v = v->bits ? yes : no;
    }
    p->nest--;
    return ok;
}

bool
ptx_parse_value(ptx_parser *p, ptx_value *out)
{
    return parse_ternary(p, out);
}

bool
ptx_parse_int(ptx_parser *p, int64_t *out)
{
    ptx_value v;
    ptx_tok tok = p->tok;
    *out = 0;
    if (!parse_ternary(p, &v))
        return false;
    if (v.kind != OPND_INT) {
        ptx_error_at(p, tok.line, tok.column, "expected an integer");
        return false;
    }
    *out = (int64_t)v.bits;
    return true;
}
