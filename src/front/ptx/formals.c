/* SPDX-License-Identifier: Apache-2.0 */
/*
 * formals.c - what stands before a body: parameters, results and performance
 * directives, of functions and of prototypes. Entry parameters get offsets in
 * the parameter block, formals of .func slots of the frame or registers.
 */

#include "front/ptx/parse.h"

enum {
    MAX_PARAM_BYTES = 1 << 16,
    MAX_PARAMS = 4096,
    BITS_PER_BYTE = 8,
    FRAME_ALIGN = 16
};

void
ptx_fn_begin(ptx_parser *p, ptx_body *body, sw_fn *fn)
{
    *body = (ptx_body){.fn = fn, .scratch = sw_arena_create()};
    body->scope = sw_arena_alloc(body->scratch, sizeof *body->scope);
    body->scope->up = &p->globals;
    sw_vec_init(&body->regs, sizeof(sw_reg_info));
    sw_vec_init(&body->ins, sizeof(sw_ins *));
    sw_vec_init(&body->blocks, sizeof(ptx_block));
    sw_vec_init(&body->targets, sizeof(ptx_target));
    sw_vec_init(&body->shared, sizeof(sw_sym *));
    sw_vec_init(&body->slots, sizeof(sw_sym *));
    sw_vec_init(&body->shadows, sizeof(ptx_shadow));
    sw_vec_push(&body->regs); /* register 0 is none */
}

void
ptx_fn_finish(ptx_parser *p)
{
    ptx_body *body = &p->body;
    sw_fn *fn = body->fn;
    fn->reg_count = (uint32_t)body->regs.count;
    fn->regs = sw_vec_to_arena(&body->regs, p->arena);
    fn->shared_count = (uint32_t)body->shared.count;
    fn->shared = sw_vec_to_arena(&body->shared, p->arena);
    fn->frame_bytes = (uint32_t)ptx_align_up(body->frame_max, FRAME_ALIGN);
    ptx_thread_keep_frame(p);
    sw_vec_finish(&body->slots);
    sw_vec_finish(&body->shadows);
    sw_vec_finish(&body->regs);
    sw_vec_finish(&body->ins);
    sw_vec_finish(&body->blocks);
    sw_vec_finish(&body->targets);
    sw_vec_finish(&body->shared);
    while (body->scope && body->scope != &p->globals) {
        ptx_scope *up = body->scope->up;
        ptx_scope_finish(body->scope);
        body->scope = up;
    }
    sw_arena_destroy(body->scratch);
    p->body = (ptx_body){0};
}

/* .ptr .global .align 8 behind a parameter's type; only advice. */
static bool
skip_ptr(ptx_parser *p)
{
    sw_space space;
    uint32_t align;
    if (!ptx_accept_dot(p, "ptr"))
        return true;
    ptx_parse_space(p, &space);
    return !ptx_accept_dot(p, "align") || ptx_expect_u32(p, &align);
}

/* Type words of a formal: alignment, vector, type. */
static bool
formal_type(ptx_parser *p, sw_type *type, uint32_t *align, unsigned *vec)
{
    *type = SW_T_NONE;
    *align = 0;
    *vec = 1;
    while (p->tok.kind == TOK_DOT) {
        int mod = (int)(uintptr_t)sw_map_get(p->mods, p->tok.s);
        if (ptx_accept_dot(p, "align")) {
            if (!ptx_expect_u32(p, align))
                return false;
            if (*align == 0 || (*align & (*align - 1)) || *align > 4096) {
                ptx_error(p, "an alignment is a power of two");
                return false;
            }
        } else if (ptx_is_dot(p, "ptr")) {
            if (!skip_ptr(p))
                return false;
        } else if (mod == M_V2 || mod == M_V4) {
            *vec = mod == M_V2 ? 2 : 4;
            ptx_next(p);
        } else if (ptx_mod_type((ptx_mod)mod) > 0 && !*type) {
            *type = (sw_type)ptx_mod_type((ptx_mod)mod);
            ptx_next(p);
        } else {
            break;
        }
    }
    if (*type)
        return true;
    ptx_expected(p, "a parameter's type");
    return false;
}

static bool
formal_bytes(ptx_parser *p, sw_sym *sym, unsigned elem, bool *open)
{
    uint64_t bytes = elem;
    *open = false;
    while (ptx_accept(p, '[')) {
        int64_t n = 0;
        *open |= ptx_is(p, ']');
        if (!ptx_is(p, ']') && !ptx_parse_int(p, &n))
            return false;
        if (n < 0 || (uint64_t)n * bytes > MAX_PARAM_BYTES ||
            n > MAX_PARAM_BYTES) {
            ptx_error(p, "a parameter is at most %d bytes", MAX_PARAM_BYTES);
            return false;
        }
        bytes *= (uint64_t)n;
        if (!ptx_expect(p, ']'))
            return false;
    }
    sym->bytes = bytes;
    return true;
}

static bool
add_reg_formal(ptx_parser *p, sw_opnd *formal, sw_type type, sw_str text)
{
    ptx_name *name = ptx_name_add(p, p->body.scope, text);
    name->kind = NAME_REG;
    name->type = type;
    name->count = 1;
    name->regs[0] = ptx_reg_new(p, type, sw_arena_str(p->arena, text));
    *formal = ptx_reg_opnd(name->regs[0]);
    return !p->panic;
}

/* An array without a size: callers pass theirs, which the function may only
 * read, so it is told where that is. */
static bool
add_open_formal(ptx_parser *p, sw_opnd *formal, sw_str text)
{
    if (p->body.fn->is_entry) {
        ptx_error(p, "a kernel's parameter needs a size");
        return false;
    }
    p->body.fn->is_variadic = true;
    return add_reg_formal(
        p, formal, p->module->address_size == 32 ? SW_T_B32 : SW_T_B64, text);
}

static bool
add_slot(ptx_parser *p, sw_opnd *formal, sw_type type, uint32_t align,
         unsigned vec, bool named)
{
    sw_fn *fn = p->body.fn;
    ptx_tok tok = p->tok;
    bool open;
    if (!named && p->tok.kind != TOK_IDENT)
        tok.s = sw_str_of("_"); /* prototypes may leave the name out */
    else if (p->tok.kind != TOK_IDENT) {
        ptx_expected(p, "a parameter's name");
        return false;
    } else {
        ptx_next(p);
    }
    sw_sym *sym = sw_arena_alloc(p->arena, sizeof *sym);
    unsigned elem = sw_type_kind(type) == SW_KIND_OPAQUE
                        ? 8
                        : sw_type_bits(type) / BITS_PER_BYTE;
    if (elem == 0 || type == SW_T_PRED) {
        ptx_error(p, "a parameter can't have the type .%s", sw_type_text(type));
        return false;
    }
    sym->name = sw_arena_str(p->arena, tok.s);
    sym->space = SW_SPACE_PARAM;
    sym->type = type;
    sym->align = align ? align : elem * vec;
    sym->line = tok.line;
    sym->owner = fn;
    if (!formal_bytes(p, sym, elem * vec, &open))
        return false;
    if (open)
        return add_open_formal(p, formal, tok.s);
    if (fn->is_entry) {
        uint64_t at = ptx_align_up(fn->param_bytes, sym->align);
        sym->address = at;
        if (at + sym->bytes > MAX_PARAM_BYTES) {
            ptx_error(p, "more than %d bytes of parameters", MAX_PARAM_BYTES);
            return false;
        }
        fn->param_bytes = (uint32_t)(at + sym->bytes);
    } else {
        ptx_frame_add(p, sym);
    }
    ptx_name *name = ptx_name_add(p, p->body.scope, tok.s);
    name->kind = NAME_SYM;
    name->sym = sym;
    *formal = (sw_opnd){.kind = SW_OPND_SYM, .sym = sym};
    return !p->panic;
}

static bool
parse_reg_formal(ptx_parser *p, sw_opnd *formal, sw_type type)
{
    sw_str text = sw_str_of("_");
    if (p->tok.kind == TOK_IDENT) {
        text = p->tok.s;
        ptx_next(p);
    }
    return add_reg_formal(p, formal, type, text);
}

/* ( .param .u64 a, .reg .u32 b ) */
bool
ptx_parse_formals(ptx_parser *p, sw_opnd **out, uint32_t *count, bool named)
{
    sw_vec formals;
    bool ok = ptx_expect(p, '(');
    sw_vec_init(&formals, sizeof(sw_opnd));
    while (ok && !ptx_is(p, ')')) {
        bool is_reg = ptx_accept_dot(p, "reg");
        sw_type type;
        uint32_t align;
        unsigned vec;
        sw_opnd *formal = sw_vec_push(&formals);
        if (formals.count > MAX_PARAMS) {
            ptx_error(p, "more than %d parameters", MAX_PARAMS);
            ok = false;
        } else if (p->body.fn->is_variadic) {
            ptx_error(p, "only the last parameter can be without a size");
            ok = false;
        } else if (!is_reg && !ptx_accept_dot(p, "param")) {
            ptx_expected(p, "'.param', '.reg' or ')'");
            ok = false;
        } else {
            ok = formal_type(p, &type, &align, &vec) &&
                 (is_reg ? parse_reg_formal(p, formal, type)
                         : add_slot(p, formal, type, align, vec, named));
        }
        if (ok && !ptx_accept(p, ','))
            break;
    }
    ok = ok && ptx_expect(p, ')');
    if (ok && out == &p->body.fn->rets && p->body.fn->is_variadic) {
        ptx_error(p, "a result needs a size");
        ok = false;
    }
    *count = ok ? (uint32_t)formals.count : 0;
    *out = ok ? sw_vec_to_arena(&formals, p->arena) : NULL;
    sw_vec_finish(&formals);
    return ok;
}

static bool
parse_up_to_three(ptx_parser *p, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (!ptx_expect_u32(p, &out[i]))
            return false;
        if (i == 2 || !ptx_accept(p, ','))
            break;
    }
    return true;
}

/* Words that take no operand and change nothing here. */
static bool
is_silent(const ptx_parser *p)
{
    static const char *const words[] = {"abi_preserve", "abi_preserve_control",
                                        "maxnctapersm", "unified",
                                        "local_maxnreg"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_is_dot(p, words[i]))
            return true;
    return false;
}

static void
skip_directive_operands(ptx_parser *p)
{
    ptx_next(p);
    if (ptx_accept(p, '(')) {
        while (p->tok.kind == TOK_INT || ptx_is(p, ',') ||
               p->tok.kind == TOK_DOT)
            ptx_next(p);
        ptx_expect(p, ')');
        return;
    }
    while (p->tok.kind == TOK_INT || p->tok.kind == TOK_STRING ||
           ptx_is(p, ','))
        ptx_next(p);
}

bool
ptx_parse_performance(ptx_parser *p, sw_fn *fn)
{
    while (p->tok.kind == TOK_DOT && !p->panic) {
        if (ptx_accept_dot(p, "maxntid")) {
            parse_up_to_three(p, fn->maxntid);
        } else if (ptx_accept_dot(p, "reqntid")) {
            parse_up_to_three(p, fn->reqntid);
        } else if (ptx_accept_dot(p, "minnctapersm")) {
            ptx_expect_u32(p, &fn->minnctapersm);
        } else if (ptx_accept_dot(p, "maxnreg")) {
            ptx_expect_u32(p, &fn->maxnreg);
        } else if (ptx_accept_dot(p, "reqnctapercluster")) {
            parse_up_to_three(p, fn->reqnctapercluster);
        } else if (ptx_accept_dot(p, "maxclusterrank")) {
            ptx_expect_u32(p, &fn->maxclusterrank);
        } else if (ptx_accept_dot(p, "explicitcluster")) {
            fn->explicit_cluster = true;
        } else if (ptx_accept_dot(p, "blocksareclusters")) {
            fn->blocks_are_clusters = true;
        } else if (ptx_accept_dot(p, "noreturn")) {
            fn->noreturn = true;
        } else if (ptx_accept_dot(p, "pragma")) {
            ptx_parse_pragma(p);
        } else if (is_silent(p)) {
            skip_directive_operands(p);
        } else {
            ptx_warn(p, p->tok.line, p->tok.column,
                     "the directive '.%.*s' is not known and ignored",
                     (int)p->tok.s.n, p->tok.s.p);
            skip_directive_operands(p);
        }
    }
    return !p->panic;
}

/* .callprototype (rets) _ (params) .noreturn; from behind the word */
sw_fn *
ptx_parse_prototype(ptx_parser *p)
{
    ptx_body outer = p->body;
    sw_fn *fn = sw_arena_alloc(p->arena, sizeof *fn);
    fn->module = p->module;
    fn->name = "_";
    fn->line = p->tok.line;
    ptx_fn_begin(p, &p->body, fn);
    bool ok = !ptx_is(p, '(') ||
              ptx_parse_formals(p, &fn->rets, &fn->ret_count, false);
    if (ok && p->tok.kind == TOK_IDENT)
        ptx_next(p);
    else if (ok)
        ptx_expected(p, "'_'");
    ok = ok && !p->panic &&
         (!ptx_is(p, '(') ||
          ptx_parse_formals(p, &fn->params, &fn->param_count, false));
    ok = ok && ptx_parse_performance(p, fn) && ptx_expect(p, ';');
    ptx_fn_finish(p);
    p->body = outer;
    return fn;
}
