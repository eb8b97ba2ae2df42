/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.c - operands as written, names resolved, types not yet looked at.
 *
 * Vectors and memory operands hold their elements in the instruction's pool;
 * they nest two deep ([tex, {x, y}]), no deeper.
 */
#include "front/ptx/parse.h"

enum { MAX_NEST = 3 };

static bool parse_nested(ptx_parser *p, ptx_ins *in, ptx_opnd *out,
                         unsigned depth);

static int
component(sw_str s)
{
    static const char parts[] = "xyzwrgba";
    for (int i = 0; s.n == 1 && i < 8; i++)
        if (s.p[0] == parts[i])
            return i & 3;
    return -1;
}

/* Appends to the pool; false, with an error, when it is full. */
static bool
push_elem(ptx_parser *p, ptx_ins *in, const ptx_opnd *elem)
{
    if (in->elem_count == MAX_ELEMS) {
        ptx_error(p, "too many operands");
        return false;
    }
    in->elems[in->elem_count++] = *elem;
    return true;
}

/* The elements are put behind each other, after those they contain. */
static bool
parse_list(ptx_parser *p, ptx_ins *in, ptx_opnd *out, int close, unsigned depth)
{
    ptx_opnd list[64];
    ptx_opnd *big = NULL;
    uint32_t n = 0, room = sizeof list / sizeof *list;
    ptx_opnd *elems = list;
    bool ok = true;
    do {
        if (n == room) {
            if (room == MAX_ELEMS) {
                ptx_error(p, "too many operands");
                ok = false;
                break;
            }
            big = sw_alloc(MAX_ELEMS * sizeof *big);
            for (uint32_t i = 0; i < n; i++)
                big[i] = list[i];
            elems = big;
            room = MAX_ELEMS;
        }
        ok = parse_nested(p, in, &elems[n++], depth + 1);
    } while (ok && ptx_accept(p, ','));
    ok = ok && ptx_expect(p, close);
    out->first = (uint16_t)in->elem_count;
    out->count = (uint16_t)n;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = push_elem(p, in, &elems[i]);
    sw_free(big);
    return ok;
}

/* PTX ISA 6.4.2: sym[2], sym[reg], sym[reg + 2]. The index counts elements of
 * the variable, whatever the instruction's type, and is signed. */
static bool
parse_index(ptx_parser *p, ptx_opnd *out)
{
    int64_t n = 0;
    sw_reg reg;
    const ptx_name *name =
        p->tok.kind == TOK_IDENT ? ptx_name_find(p, p->tok.s, &reg) : NULL;
    out->stride = sw_type_bits(out->sym->type) / 8;
    if (name && reg && !out->reg) {
        sw_class cls = ptx_reg_class(p, reg);
        if (cls < SW_CLASS_B16 || cls > SW_CLASS_B64 ||
            sw_type_kind(ptx_reg_type(p, reg)) == SW_KIND_FLOAT) {
            ptx_expected(p, "a number or a register of integers");
            return false;
        }
        out->reg = reg;
        ptx_next(p);
        if (ptx_accept(p, ']'))
            return true;
        if (!ptx_is(p, '-') && !ptx_expect(p, '+'))
            return false;
    }
    if (!ptx_parse_int(p, &n) || !ptx_expect(p, ']'))
        return false;
    out->add += (int64_t)((uint64_t)n * out->stride);
    return true;
}

/* reg + 4, sym - 8, sym[2] */
static bool
parse_offset(ptx_parser *p, ptx_opnd *out, bool in_memory)
{
    for (;;) {
        int64_t n = 0;
        bool minus = ptx_is(p, '-');
        if (out->kind == OPND_SYM && ptx_is(p, '[')) { /* by elements */
            ptx_next(p);
            if (!parse_index(p, out))
                return false;
        } else if ((ptx_is(p, '+') || minus) &&
                   (in_memory || out->kind == OPND_SYM)) {
            ptx_next(p);
            sw_reg reg;
            const ptx_name *name = p->tok.kind == TOK_IDENT
                                       ? ptx_name_find(p, p->tok.s, &reg)
                                       : NULL;
            if (name && reg && out->kind == OPND_SYM && !minus &&
                !out->reg) { /* sym + reg */
                out->reg = reg;
                ptx_next(p);
                continue;
            }
            if (!ptx_parse_int(p, &n))
                return false;
            out->add = (int64_t)((uint64_t)out->add +
                                 (minus ? 0 - (uint64_t)n : (uint64_t)n));
        } else {
            return true;
        }
    }
}

static void
vector_register(ptx_parser *p, ptx_ins *in, const ptx_name *name, ptx_opnd *out)
{
    out->kind = OPND_VECTOR;
    out->first = (uint16_t)in->elem_count;
    out->count = name->count;
    for (unsigned i = 0; i < name->count; i++) {
        ptx_opnd elem = *out;
        elem.kind = OPND_REG;
        elem.reg = name->regs[i];
        if (!push_elem(p, in, &elem))
            return;
    }
}

/* %tid, %tid.x, %envreg3; false if it is none. */
static bool
special_register(ptx_parser *p, ptx_ins *in, const ptx_tok *tok, ptx_opnd *out)
{
    static const char *const parts[] = {".x", ".y", ".z"};
    char text[40];
    size_t n = tok->s.n;
    if (n > 30 || tok->s.p[0] != '%')
        return false;
    for (size_t i = 0; i < n; i++)
        text[i] = tok->s.p[i];
    int part = p->tok.kind == TOK_DOT ? component(p->tok.s) : -1;
    sw_str whole = {text, n};
    uintptr_t found = (uintptr_t)sw_map_get(p->sregs, whole);
    out->kind = OPND_SREG;
    if (found) {
        out->sreg = (uint8_t)(found - 1);
        return found - 1 != SW_SREG_PM && found - 1 != SW_SREG_ENVREG;
    }
    if (sw_str_has_prefix(whole, "%envreg") ||
        sw_str_has_prefix(whole, "%pm")) {
        size_t word = text[1] == 'e' ? 7 : 3;
        uint64_t index;
        out->sreg = text[1] == 'e' ? SW_SREG_ENVREG : SW_SREG_PM;
        if (!sw_str_to_u64((sw_str){text + word, n - word}, 10, &index) ||
            index > (text[1] == 'e' ? 31 : 7))
            return false;
        out->bits = index;
        return true;
    }
    ptx_opnd elems[4];
    for (int i = 0; i < 4; i++) {
        elems[i] = *out;
        elems[i].kind = OPND_INT; /* .w is 0 */
        if (i == 3)
            break;
        text[n] = parts[i][0];
        text[n + 1] = parts[i][1];
        found = (uintptr_t)sw_map_get(p->sregs, (sw_str){text, n + 2});
        if (!found)
            return false;
        elems[i].kind = OPND_SREG;
        elems[i].sreg = (uint8_t)(found - 1);
    }
    if (part >= 0) {
        ptx_next(p);
        *out = elems[part];
        return true;
    }
    out->kind = OPND_VECTOR;
    out->first = (uint16_t)in->elem_count;
    out->count = 4;
    for (int i = 0; i < 4; i++)
        if (!push_elem(p, in, &elems[i]))
            break;
    return true;
}

/* Special registers of PTX that the IR does not have. */
static bool
is_unsupported_special(sw_str s)
{
    return sw_str_has_prefix(s, "%reserved_smem_offset_") ||
           sw_str_has_prefix(s, "%current_graph_exec") ||
           (sw_str_has_prefix(s, "%pm") && s.n == 7 && s.p[6] == '4');
}

static bool
parse_name(ptx_parser *p, ptx_ins *in, ptx_opnd *out, bool in_memory)
{
    ptx_tok tok = p->tok;
    sw_reg reg;
    out->name = tok.s;
    const ptx_name *name = ptx_name_find(p, tok.s, &reg);
    if (!name && sw_str_is(tok.s, "WARP_SZ")) {
        ptx_value v;
        if (!ptx_parse_value(p, &v))
            return false;
        out->kind = OPND_INT;
        out->bits = v.bits;
        return true;
    }
    ptx_next(p);
    if (tok.s.n == 1 && tok.s.p[0] == '_') {
        out->kind = OPND_NONE;
        return true;
    }
    if (!name) {
        if (!special_register(p, in, &tok, out)) {
            out->kind = OPND_NAME;
            in->unknown_opnd |= is_unsupported_special(tok.s);
        }
        return !p->panic;
    }
    if (name->kind == NAME_SYM) {
        return ptx_thread_sym(p, name->sym, out) &&
               parse_offset(p, out, in_memory);
    }
    out->kind = OPND_REG;
    out->reg = reg;
    if (p->tok.kind == TOK_DOT && !p->tok.after_space) {
        int part = component(p->tok.s);
        if (name->kind == NAME_VECTOR && part >= 0 && part < name->count) {
            out->reg = name->regs[part];
            ptx_next(p);
        } else if (name->kind != NAME_VECTOR) {
            out->select = p->tok.s;
            ptx_next(p);
        } else {
            ptx_expected(p, "an element of the vector");
            return false;
        }
    } else if (name->kind == NAME_VECTOR) {
        vector_register(p, in, name, out);
        return !p->panic;
    }
    return parse_offset(p, out, in_memory);
}

static bool
parse_number(ptx_parser *p, ptx_opnd *out)
{
    ptx_value v;
    if (!ptx_parse_value(p, &v))
        return false;
    out->kind = v.kind;
    out->bits = v.bits;
    if (v.kind == OPND_SYM) {
        out->sym = v.sym;
        out->add = (int64_t)v.bits;
        out->bits = 0;
    }
    return true;
}

static bool
parse_nested(ptx_parser *p, ptx_ins *in, ptx_opnd *out, unsigned depth)
{
    *out = (ptx_opnd){.line = p->tok.line, .column = p->tok.column};
    if (depth > MAX_NEST) {
        ptx_error(p, "operands are nested too deeply");
        return false;
    }
    if (ptx_accept(p, '{')) {
        out->kind = OPND_VECTOR;
        return parse_list(p, in, out, '}', depth);
    }
    if (ptx_accept(p, '[')) {
        out->kind = OPND_MEMORY;
        return parse_list(p, in, out, ']', depth);
    }
    if (p->tok.kind == TOK_IDENT)
        return parse_name(p, in, out, depth > 0);
    if (ptx_is(p, '!') || ptx_is(p, '-')) {
        ptx_lex lex = p->lex;
        ptx_tok tok = p->tok;
        ptx_next(p);
        if (p->tok.kind == TOK_IDENT && !sw_str_is(p->tok.s, "WARP_SZ")) {
            out->not_ = tok.punct == '!';
            out->minus = tok.punct == '-';
            return parse_name(p, in, out, depth > 0);
        }
        p->lex = lex;
        p->tok = tok;
    }
    return parse_number(p, out);
}

bool
ptx_parse_operand(ptx_parser *p, ptx_ins *in, ptx_opnd *out)
{
    return parse_nested(p, in, out, 0);
}

bool
ptx_parse_operands(ptx_parser *p, ptx_ins *in)
{
    if (ptx_accept(p, ';'))
        return true;
    do {
        if (in->opnd_count == MAX_OPNDS) {
            ptx_error(p, "too many operands");
            return false;
        }
        if (!ptx_parse_operand(p, in, &in->opnds[in->opnd_count]))
            return false;
        if (in->opnd_count++ == 0 && ptx_accept(p, '|')) {
            in->pair = true;
            if (!ptx_parse_operand(p, in, &in->second))
                return false;
        }
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';');
}
