/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - reads the text form of the IR; see ir.h and docs/ir.md.
 *
 * Builds the module as it goes; what may be mentioned before it is there is
 * symbols of module scope only, which the text lists first. The first error
 * ends it. Does NOT check what sw_ir_verify checks.
 */
#include <string.h>

#include "ir/build.h"
#include "ir/text.h"

typedef enum { TOK_END, TOK_WORD, TOK_STRING, TOK_PUNCT } tok_kind;

typedef struct {
    tok_kind kind;
    sw_str text; /* STRING: as written, without the quotes */
    bool first;  /* on its line */
    bool tight;  /* no space before it */
    uint32_t line, column;
} token;

typedef struct {
    const char *name, *p, *line_start;
    uint32_t line;
    token tok;
    bool failed;
    sw_diag *diag;
    sw_module *module;
    sw_arena *arena;
} parser;

/* What a function's text defines; symbols and prototypes by number. */
typedef struct {
    sw_build b;
    sw_vec syms, protos;
} scope;

static void __attribute__((format(printf, 2, 3)))
fail(parser *p, const char *fmt, ...)
{
    if (p->failed)
        return;
    p->failed = true;
    sw_buf text;
    sw_buf_init(&text);
    va_list args;
    va_start(args, fmt);
    sw_buf_vprintf(&text, fmt, args);
    va_end(args);
    sw_diag_add(p->diag, SW_DIAG_ERROR, p->name, p->tok.line, p->tok.column,
                "%s", text.p);
    sw_buf_finish(&text);
    p->tok.kind = TOK_END;
    p->tok.first = true;
}

/* ---- tokens ---- */

static bool
is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%' ||
           c == '.';
}

static void
advance(parser *p)
{
    token *t = &p->tok;
    if (p->failed)
        return;
    bool first = t->line == 0, space = first;
    while (*p->p == ' ' || *p->p == '\t' || *p->p == '\n' || *p->p == '\r') {
        space = true;
        if (*p->p == '\n') {
            first = true;
            p->line++;
            p->line_start = p->p + 1;
        }
        p->p++;
    }
    const char *start = p->p;
    *t = (token){.first = first,
                 .tight = !space,
                 .line = p->line,
                 .column = (uint32_t)(start - p->line_start) + 1};
    if (*start == '\0') {
        t->first = true;
    } else if (is_word_char(*start)) {
        t->kind = TOK_WORD;
        while (is_word_char(*p->p))
            p->p++;
        t->text = (sw_str){start, (size_t)(p->p - start)};
    } else if (*start == '"') {
        t->kind = TOK_STRING;
        p->p++;
        while (*p->p && *p->p != '"' && *p->p != '\n')
            p->p++;
        t->text = (sw_str){start + 1, (size_t)(p->p - start) - 1};
        if (*p->p != '"')
            fail(p, "the string has no end");
        else
            p->p++;
    } else {
        t->kind = TOK_PUNCT;
        t->text = (sw_str){p->p++, 1};
    }
}

static bool
at(const parser *p, const char *text)
{
    return (p->tok.kind == TOK_WORD || p->tok.kind == TOK_PUNCT) &&
           sw_str_is(p->tok.text, text);
}

/* The same, but not the first of a line. */
static bool
at_here(const parser *p, const char *text)
{
    return !p->tok.first && at(p, text);
}

static bool
accept(parser *p, const char *text)
{
    if (!at_here(p, text))
        return false;
    advance(p);
    return true;
}

static void
expect(parser *p, const char *text)
{
    if (!accept(p, text))
        fail(p, "expected '%s'", text);
}

static uint64_t
parse_number(parser *p)
{
    uint64_t value = 0;
    bool negative = accept(p, "-");
    sw_str s = p->tok.text;
    bool hex = p->tok.kind == TOK_WORD && sw_str_has_prefix(s, "0x");
    if (hex)
        s = (sw_str){s.p + 2, s.n - 2};
    if (p->tok.kind != TOK_WORD || p->tok.first ||
        !sw_str_to_u64(s, hex ? 16 : 10, &value)) {
        fail(p, "expected a number");
        return 0;
    }
    advance(p);
    return negative ? 0 - value : value;
}

static uint32_t
parse_index(parser *p, uint32_t least, uint32_t limit, const char *what)
{
    token start = p->tok;
    uint64_t value = parse_number(p);
    if (!p->failed && (value < least || value >= limit)) {
        p->tok = start;
        fail(p, "%s %llu is not known here", what, (unsigned long long)value);
    }
    return p->failed ? 0 : (uint32_t)value;
}

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A string's value in the module's arena. */
static const char *
parse_string(parser *p)
{
    if (p->tok.kind != TOK_STRING || p->tok.first) {
        fail(p, "expected a string");
        return "";
    }
    sw_str s = p->tok.text;
    char *out = sw_arena_alloc(p->arena, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '\\') {
            out[n++] = s.p[i];
            continue;
        }
        int high = 0;
        if (i + 3 >= s.n || s.p[i + 1] != 'x' ||
            (high = hex_digit(s.p[i + 2])) < 0 || hex_digit(s.p[i + 3]) < 0) {
            fail(p, "expected \\x and two digits");
            return "";
        }
        out[n++] = (char)(high * 16 + hex_digit(s.p[i + 3]));
        i += 3;
    }
    advance(p);
    return out;
}

static const char *
parse_name(parser *p)
{
    if (p->tok.kind == TOK_STRING)
        return parse_string(p);
    if (p->tok.kind != TOK_WORD || p->tok.first) {
        fail(p, "expected a name");
        return "";
    }
    const char *name = sw_arena_str(p->arena, p->tok.text);
    advance(p);
    return name;
}

static bool
at_string(const parser *p)
{
    return p->tok.kind == TOK_STRING && !p->tok.first;
}

static uint64_t
parse_value(parser *p, sw_set set)
{
    uint64_t value;
    if (p->tok.kind == TOK_WORD && !p->tok.first &&
        sw_set_value(set, p->tok.text, &value)) {
        advance(p);
        return value;
    }
    return parse_number(p);
}

/* The text of a field's name, which may have brackets in it: maxntid[0]. */
static const sw_field *
find_field(parser *p, const sw_field *fields)
{
    for (const sw_field *f = fields; f->name; f++) {
        size_t n = strlen(f->name);
        const char *start = p->tok.text.p;
        if (p->tok.kind == TOK_WORD && strncmp(start, f->name, n) == 0 &&
            start[n] == '=') {
            p->p = start + n;
            advance(p);
            return f;
        }
    }
    return NULL;
}

/* name=value, as many as there are. */
static void
parse_fields(parser *p, const sw_field *fields, void *object)
{
    while (p->tok.kind == TOK_WORD && !p->tok.first) {
        const sw_field *f = find_field(p, fields);
        if (!f)
            return;
        expect(p, "=");
        uint64_t value = parse_value(p, f->set);
        sw_field_set(f, object, f->set == SW_SET_FLAG ? value != 0 : value);
    }
}

/* ---- operands ---- */

static sw_sym *
parse_sym(parser *p, const scope *s)
{
    token start = p->tok;
    expect(p, "&");
    const char *name = parse_name(p);
    sw_sym *sym = NULL;
    if (accept(p, "@")) {
        uint32_t count = s ? (uint32_t)s->syms.count : 0;
        uint32_t i = parse_index(p, 0, count, "symbol");
        sym = p->failed ? NULL : *(sw_sym **)sw_vec_at(&s->syms, i);
    } else if (*name) {
        sym = sw_module_find(p->module, name);
    } else {
        return NULL;
    }
    if (!p->failed && (!sym || strcmp(sym->name, name) != 0)) {
        p->tok = start;
        fail(p, "symbol '%s' is not known here", name);
    }
    return sym;
}

static sw_reg
parse_reg(parser *p, const scope *s)
{
    if (p->tok.kind == TOK_WORD && !p->tok.first)
        advance(p);
    expect(p, "#");
    return parse_index(p, 0, s->b.fn->reg_count, "register");
}

/* A word that goes on with '#' names a register. */
static bool
at_register(const parser *p)
{
    return at_here(p, "#") ||
           (p->tok.kind == TOK_WORD && !p->tok.first && *p->p == '#');
}

static sw_opnd
parse_operand(parser *p, const scope *s)
{
    sw_opnd o = {.negated = accept(p, "!")};
    if (at_register(p)) {
        o.kind = SW_OPND_REG;
        o.reg = parse_reg(p, s);
    } else if (at_here(p, "&")) {
        o.kind = SW_OPND_SYM;
        o.sym = parse_sym(p, s);
        if (accept(p, "+"))
            o.imm = parse_number(p);
    } else if (!accept(p, "_")) {
        o.kind = SW_OPND_IMM;
        o.imm = parse_number(p);
    }
    return o;
}

static bool
at_operand(const parser *p)
{
    if (p->tok.first)
        return false;
    if (p->tok.kind == TOK_PUNCT)
        return at(p, "#") || at(p, "!") || at(p, "&");
    char c = p->tok.kind == TOK_WORD ? *p->tok.text.p : '\0';
    return (c >= '0' && c <= '9') || at(p, "_") || at_register(p);
}

/* Appends operands, separated by commas, to `list` (of sw_opnd). */
static void
parse_operands(parser *p, const scope *s, sw_vec *list)
{
    if (!at_operand(p))
        return;
    do {
        sw_opnd o = parse_operand(p, s);
        *(sw_opnd *)sw_vec_push(list) = o;
    } while (!p->failed && accept(p, ","));
}

static sw_opnd *
parse_operand_list(parser *p, const scope *s, uint32_t *count)
{
    sw_vec list;
    sw_vec_init(&list, sizeof(sw_opnd));
    parse_operands(p, s, &list);
    *count = (uint32_t)list.count;
    sw_opnd *o = sw_vec_to_arena(&list, p->arena);
    sw_vec_finish(&list);
    return o;
}

/* ---- instructions ---- */

static void
parse_attributes(parser *p, sw_ins *ins)
{
    while (!p->failed && !accept(p, "]")) {
        const sw_field *f = find_field(p, sw_fields_ins);
        const sw_flag_name *flag = sw_flag_names;
        if (f) {
            expect(p, "=");
            sw_set set = f->offset == offsetof(sw_ins, sub)
                             ? sw_sub_set((sw_op)ins->op)
                             : f->set;
            sw_field_set(f, ins, parse_value(p, set));
            continue;
        }
        while (flag->name && !at_here(p, flag->name))
            flag++;
        if (!flag->name) {
            fail(p, "expected the name of an attribute or ']'");
            return;
        }
        ins->flags = (uint16_t)(ins->flags | flag->bit);
        advance(p);
    }
}

static void *
parse_aux_fields(parser *p, const sw_field *fields, size_t bytes)
{
    void *object = sw_arena_alloc(p->arena, bytes);
    expect(p, "{");
    parse_fields(p, fields, object);
    expect(p, "}");
    return object;
}

static sw_call *
parse_call(parser *p, const scope *s)
{
    sw_call *call = sw_arena_alloc(p->arena, sizeof *call);
    if (accept(p, "prototype")) {
        uint32_t i = parse_index(p, 0, (uint32_t)s->protos.count, "prototype");
        if (!p->failed)
            call->prototype = *(const sw_fn **)sw_vec_at(&s->protos, i);
    } else if (!accept(p, "unknown")) {
        call->callee = parse_sym(p, s);
    }
    expect(p, "(");
    call->args = parse_operand_list(p, s, &call->arg_count);
    expect(p, ")");
    expect(p, "(");
    call->rets = parse_operand_list(p, s, &call->ret_count);
    expect(p, ")");
    return call;
}

static sw_op
parse_op(parser *p)
{
    for (unsigned op = 0; p->tok.kind == TOK_WORD && op < SW_OP_COUNT; op++)
        if (sw_str_is(p->tok.text, sw_op_get_info((sw_op)op)->text)) {
            advance(p);
            return (sw_op)op;
        }
    fail(p, "expected an operation");
    return SW_OP_TRAP;
}

static uint8_t
parse_type(parser *p)
{
    uint64_t value = 0;
    if (!accept(p, "none")) {
        if (p->tok.kind != TOK_WORD ||
            !sw_set_value(SW_SET_TYPE, p->tok.text, &value))
            fail(p, "expected a type");
        advance(p);
    }
    return (uint8_t)value;
}

static void
parse_targets(parser *p, scope *s)
{
    sw_vec list;
    sw_vec_init(&list, sizeof(uint32_t));
    expect(p, ">");
    do {
        uint32_t target = (uint32_t)parse_number(p);
        *(uint32_t *)sw_vec_push(&list) = target;
    } while (!p->failed && p->tok.kind == TOK_WORD && !p->tok.first);
    if (!p->failed)
        sw_build_targets(&s->b, (uint32_t)list.count, list.data);
    sw_vec_finish(&list);
}

static void
parse_ins(parser *p, scope *s)
{
    sw_ins head = {0};
    if (at(p, "@")) {
        p->tok.first = false;
        advance(p);
        head.guard_neg = accept(p, "!");
        head.guard = parse_reg(p, s);
    }
    head.op = (uint16_t)parse_op(p);
    if (p->tok.kind == TOK_WORD && !p->tok.first && !at_operand(p) &&
        !at(p, "calls") && !at(p, "names") && !at(p, "video") &&
        !at(p, "matrix")) {
        head.type = parse_type(p);
        if (accept(p, ":"))
            head.stype = parse_type(p);
    }
    sw_vec list;
    sw_vec_init(&list, sizeof(sw_opnd));
    parse_operands(p, s, &list);
    size_t ndst = 0;
    if (accept(p, "=")) {
        ndst = list.count;
        parse_operands(p, s, &list);
    }
    if (list.count - ndst > UINT8_MAX || ndst > UINT8_MAX)
        fail(p, "too many operands");
    if (accept(p, "["))
        parse_attributes(p, &head);
    if (accept(p, "calls"))
        head.aux = parse_call(p, s);
    else if (accept(p, "names"))
        head.aux = parse_string(p);
    else if (accept(p, "video"))
        head.aux = parse_aux_fields(p, sw_fields_video, sizeof(sw_video));
    else if (accept(p, "matrix"))
        head.aux = parse_aux_fields(p, sw_fields_matrix, sizeof(sw_matrix));
    if (accept(p, "-"))
        parse_targets(p, s);
    if (!p->failed) {
        sw_ins *ins = sw_build_op(&s->b, (sw_op)head.op, (sw_type)head.type,
                                  (unsigned)ndst, (unsigned)(list.count - ndst),
                                  list.data);
        head.ndst = ins->ndst;
        head.nsrc = ins->nsrc;
        head.opnd = ins->opnd;
        *ins = head;
    }
    sw_vec_finish(&list);
}

/* ---- symbols and functions ---- */

static sw_sym *
parse_sym_line(parser *p, sw_fn *owner)
{
    sw_sym *sym = sw_arena_alloc(p->arena, sizeof *sym);
    advance(p);
    sym->name = parse_string(p);
    sym->owner = owner;
    parse_fields(p, sw_fields_sym, sym);
    if (!accept(p, "init"))
        return sym;
    sw_str hex = p->tok.text;
    if (p->tok.kind != TOK_WORD || p->tok.first || hex.n % 2) {
        fail(p, "expected pairs of digits");
        return sym;
    }
    uint8_t *init = sw_arena_alloc(p->arena, hex.n / 2);
    for (size_t i = 0; i < hex.n; i += 2) {
        int high = hex_digit(hex.p[i]), low = hex_digit(hex.p[i + 1]);
        if (high < 0 || low < 0) {
            fail(p, "expected pairs of digits");
            return sym;
        }
        init[i / 2] = (uint8_t)(high * 16 + low);
    }
    sym->init = init;
    sym->init_bytes = hex.n / 2;
    advance(p);
    return sym;
}

static void
parse_relocs(parser *p, const scope *s, sw_sym *sym)
{
    static const sw_field fields[] = {
        {"addend", offsetof(sw_reloc, addend), 8, SW_SET_NUMBER},
        {"bytes", offsetof(sw_reloc, bytes), 1, SW_SET_NUMBER},
        {"shift", offsetof(sw_reloc, shift), 1, SW_SET_NUMBER},
        {"generic", offsetof(sw_reloc, generic), 1, SW_SET_FLAG},
        {0},
    };
    sw_vec list;
    sw_vec_init(&list, sizeof(sw_reloc));
    while (!p->failed && at(p, "reloc")) {
        advance(p);
        sw_reloc r = {.offset = parse_number(p)};
        r.sym = parse_sym(p, s);
        parse_fields(p, fields, &r);
        *(sw_reloc *)sw_vec_push(&list) = r;
    }
    sym->reloc_count = (uint32_t)list.count;
    sym->relocs = sw_vec_to_arena(&list, p->arena);
    sw_vec_finish(&list);
}

static void
parse_reg_line(parser *p, scope *s)
{
    advance(p);
    uint32_t count = s->b.fn->reg_count;
    parse_index(p, count, count + 1, "register");
    sw_type type = (sw_type)parse_value(p, SW_SET_TYPE);
    if (type >= SW_T_COUNT)
        fail(p, "expected a type");
    uint64_t cls = p->failed ? SW_CLASS_NONE : sw_type_class(type);
    if (accept(p, "class")) {
        expect(p, "=");
        cls = parse_index(p, 0, SW_CLASS_COUNT, "class");
    }
    const char *name = at_string(p) ? parse_string(p) : NULL;
    if (p->failed)
        return;
    sw_reg reg = sw_build_reg(&s->b, type, name);
    s->b.fn->regs[reg].cls = (sw_class)cls;
}

static void
parse_shared(parser *p, scope *s)
{
    sw_vec list;
    sw_vec_init(&list, sizeof(sw_sym *));
    advance(p);
    do {
        sw_sym *sym = parse_sym(p, s);
        *(sw_sym **)sw_vec_push(&list) = sym;
    } while (!p->failed && accept(p, ","));
    s->b.fn->shared_count = (uint32_t)list.count;
    s->b.fn->shared = sw_vec_to_arena(&list, p->arena);
    sw_vec_finish(&list);
}

static void
parse_block(parser *p, scope *s)
{
    advance(p);
    uint32_t count = s->b.fn->block_count;
    parse_index(p, count, count + 1, "block");
    const char *label = at_string(p) ? parse_string(p) : NULL;
    expect(p, ":");
    if (!p->failed)
        sw_build_block(&s->b, label);
}

static void parse_fn_body(parser *p, scope *s);

/* A prototype is a function that has no symbol. */
static sw_fn *
parse_prototype(parser *p)
{
    scope s;
    sw_fn *fn = sw_arena_alloc(p->arena, sizeof *fn);
    advance(p);
    fn->module = p->module;
    fn->name = parse_string(p);
    fn->reg_count = 1;
    sw_build_begin(&s.b, fn);
    parse_fn_body(p, &s);
    return fn;
}

static void
parse_fn_line(parser *p, scope *s)
{
    sw_fn *fn = s->b.fn;
    if (at(p, "reg")) {
        parse_reg_line(p, s);
    } else if (at(p, "symbol")) {
        sw_sym *sym = parse_sym_line(p, fn);
        *(sw_sym **)sw_vec_push(&s->syms) = sym;
        parse_relocs(p, s, sym);
    } else if (at(p, "params")) {
        advance(p);
        fn->params = parse_operand_list(p, s, &fn->param_count);
    } else if (at(p, "rets")) {
        advance(p);
        fn->rets = parse_operand_list(p, s, &fn->ret_count);
    } else if (at(p, "shared")) {
        parse_shared(p, s);
    } else if (at(p, "prototype") && fn->sym) {
        sw_fn *proto = parse_prototype(p);
        *(sw_fn **)sw_vec_push(&s->protos) = proto;
    } else if (at(p, "block")) {
        parse_block(p, s);
    } else if (fn->block_count) {
        parse_ins(p, s);
    } else {
        fail(p, "expected a register, symbol, block or 'end'");
    }
}

static void
parse_fn_body(parser *p, scope *s)
{
    sw_vec_init(&s->syms, sizeof(sw_sym *));
    sw_vec_init(&s->protos, sizeof(sw_fn *));
    parse_fields(p, sw_fields_fn, s->b.fn);
    while (!p->failed && !at(p, "end")) {
        if (!p->tok.first)
            fail(p, "expected the end of the line");
        else if (p->tok.kind == TOK_END)
            fail(p, "expected 'end'");
        else
            parse_fn_line(p, s);
    }
    advance(p);
    sw_vec_finish(&s->syms);
    sw_vec_finish(&s->protos);
}

static void
parse_fn(parser *p)
{
    scope s;
    advance(p);
    token start = p->tok;
    const char *name = parse_string(p);
    sw_sym *sym = sw_module_find(p->module, name);
    if (!p->failed && (!sym || sym->space != SW_SPACE_REG || sym->fn)) {
        p->tok = start;
        fail(p, "'%s' is not a symbol for a function", name);
    }
    if (p->failed)
        return;
    sw_fn *fn = sw_arena_alloc(p->arena, sizeof *fn);
    fn->module = p->module;
    fn->name = sym->name;
    fn->sym = sym;
    fn->reg_count = 1;
    sym->fn = fn;
    sw_build_begin(&s.b, fn);
    parse_fn_body(p, &s);
}

/* ---- the module ---- */

static void
parse_module_line(parser *p, sw_vec *files, sw_vec *locs)
{
    sw_module *m = p->module;
    if (at(p, "file")) {
        advance(p);
        uint32_t n = (uint32_t)files->count;
        parse_index(p, n, n + 1, "file");
        const char *file = at_string(p) ? parse_string(p) : NULL;
        *(const char **)sw_vec_push(files) = file;
    } else if (at(p, "loc")) {
        advance(p);
        uint32_t n = (uint32_t)locs->count;
        parse_index(p, n, n + 1, "loc");
        sw_loc *loc = sw_vec_push(locs);
        parse_fields(p, sw_fields_loc, loc);
        if (at_string(p))
            loc->function = parse_string(p);
    } else if (at(p, "symbol")) {
        sw_sym *sym = parse_sym_line(p, NULL);
        if (!p->failed)
            sw_module_add_sym(m, sym);
    } else if (at(p, "relocs")) {
        advance(p);
        expect(p, "of");
        sw_sym *sym = parse_sym(p, NULL);
        if (sym)
            parse_relocs(p, NULL, sym);
    } else if (at(p, "declare") || at(p, "function")) {
        parse_fn(p);
    } else {
        fail(p, "expected a file, loc, symbol or function");
    }
}

sw_module *
sw_ir_parse(const char *name, const char *text, sw_diag *diag)
{
    parser p = {.name = name,
                .p = text,
                .line_start = text,
                .line = 1,
                .diag = diag,
                .module = sw_module_create(name)};
    p.arena = p.module->arena;
    sw_vec files, locs;
    sw_vec_init(&files, sizeof(const char *));
    sw_vec_init(&locs, sizeof(sw_loc));
    sw_vec_push(&files);
    sw_vec_push(&locs);
    advance(&p);
    if (at(&p, "module")) {
        advance(&p);
        p.module->name = parse_string(&p);
        parse_fields(&p, sw_fields_module, p.module);
    } else {
        fail(&p, "expected 'module'");
    }
    while (!p.failed && p.tok.kind != TOK_END) {
        if (p.tok.first)
            parse_module_line(&p, &files, &locs);
        else
            fail(&p, "expected the end of the line");
    }
    p.module->file_count = files.count > 1 ? (uint32_t)files.count : 0;
    p.module->files = sw_vec_to_arena(&files, p.arena);
    p.module->loc_count = locs.count > 1 ? (uint32_t)locs.count : 0;
    p.module->locs = sw_vec_to_arena(&locs, p.arena);
    sw_vec_finish(&files);
    sw_vec_finish(&locs);
    if (!p.failed)
        return p.module;
    sw_module_destroy(p.module);
    return NULL;
}
