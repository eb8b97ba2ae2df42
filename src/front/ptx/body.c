/* SPDX-License-Identifier: Apache-2.0 */
/* body.c - function bodies: scopes, labels, statements, instructions up to
 * their lowering. */
#include <string.h>

#include "front/ptx/parse.h"

static void
open_scope(ptx_parser *p)
{
    ptx_scope *scope = sw_arena_alloc(p->body.scratch, sizeof *scope);
    scope->up = p->body.scope;
    scope->frame_top = p->body.frame_top;
    p->body.scope = scope;
    p->body.depth++;
}

/* Labels that the scope does not define are its parent's. */
static void
hand_up_labels(ptx_scope *scope)
{
    size_t it = 0;
    sw_str key;
    void *value;
    while (scope->labels && sw_map_next(scope->labels, &it, &key, &value)) {
        ptx_label *label = value;
        if (label->defined || label->targets || label->prototype)
            continue;
        if (!scope->up->labels)
            scope->up->labels = sw_map_create();
        ptx_label *outer = sw_map_get(scope->up->labels, key);
        if (outer)
            label->same = outer;
        else
            sw_map_set(scope->up->labels, key, label);
    }
}

static void
close_scope(ptx_parser *p)
{
    ptx_scope *scope = p->body.scope;
    hand_up_labels(scope);
    p->body.scope = scope->up;
    p->body.frame_top = scope->frame_top; /* its slots are free again */
    p->body.depth--;
    ptx_scope_finish(scope);
}

/* ---- labels ---- */

/* Ends the block; it goes on in the next. */
static void
end_falling(ptx_parser *p)
{
    ptx_body *body = &p->body;
    ptx_block *last = sw_vec_at(&body->blocks, body->blocks.count - 1);

    ptx_emit(p, SW_OP_BRA, SW_T_NONE, 0, 0)->flags = SW_F_FALLS;
    ptx_target_block(p, (uint32_t)body->blocks.count);
    last->falls = true;
    ptx_block_end(p);
}

static void
define_label(ptx_parser *p, const ptx_tok *at)
{
    ptx_label *label = ptx_label_get(p, at->s, at->line, at->column);
    ptx_body *body = &p->body;
    if (label->defined || label->targets || label->prototype) {
        ptx_error_at(p, at->line, at->column, "the label '%s' is defined twice",
                     label->name);
        return;
    }
    if (body->open) {
        ptx_block *last = sw_vec_at(&body->blocks, body->blocks.count - 1);
        if (last->first == body->ins.count) { /* still empty */
            if (!last->label)
                last->label = label->name;
        } else {
            end_falling(p);
        }
    }
    if (!body->open)
        ptx_block_start(p, label->name);
    label->defined = true;
    label->block = (uint32_t)body->blocks.count - 1;
}

/* L: .branchtargets A, B; */
static void
parse_branch_targets(ptx_parser *p, ptx_label *list)
{
    sw_vec targets;
    sw_vec_init(&targets, sizeof(ptx_label *));
    do {
        if (p->tok.kind != TOK_IDENT) {
            ptx_expected(p, "a label");
            break;
        }
        *(ptx_label **)sw_vec_push(&targets) =
            ptx_label_get(p, p->tok.s, p->tok.line, p->tok.column);
        ptx_next(p);
    } while (ptx_accept(p, ','));
    list->target_count = (uint32_t)targets.count;
    list->targets = sw_vec_to_arena(&targets, p->body.scratch);
    sw_vec_finish(&targets);
    ptx_expect(p, ';');
}

/* L: .calltargets f, g; the first stands for all: they are of one type. */
static void
parse_call_targets(ptx_parser *p, ptx_label *list)
{
    do {
        sw_reg reg;
        const ptx_name *name =
            p->tok.kind == TOK_IDENT ? ptx_name_find(p, p->tok.s, &reg) : NULL;
        if (!name || name->kind != NAME_SYM || !name->sym->fn) {
            ptx_expected(p, "a function's name");
            return;
        }
        if (!list->prototype)
            list->prototype = name->sym->fn;
        ptx_next(p);
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';');
}

/* `at` stood before a ':'. */
static void
parse_labelled(ptx_parser *p, const ptx_tok *at)
{
    bool targets = ptx_is_dot(p, "branchtargets");
    bool calls = ptx_is_dot(p, "calltargets");
    if (!targets && !calls && !ptx_is_dot(p, "callprototype")) {
        define_label(p, at);
        return;
    }
    ptx_label *label = ptx_label_get(p, at->s, at->line, at->column);
    if (label->defined || label->targets || label->prototype) {
        ptx_error(p, "the label '%s' is defined twice", label->name);
        return;
    }
    ptx_next(p);
    if (targets)
        parse_branch_targets(p, label);
    else if (calls)
        parse_call_targets(p, label);
    else
        label->prototype = ptx_parse_prototype(p);
}

/* ---- instructions ---- */

static bool
parse_guard(ptx_parser *p)
{
    p->body.guard = 0;
    p->body.guard_neg = false;
    if (!ptx_accept(p, '@'))
        return true;
    sw_reg reg = 0;
    p->body.guard_neg = ptx_accept(p, '!');
    const ptx_name *name =
        p->tok.kind == TOK_IDENT ? ptx_name_find(p, p->tok.s, &reg) : NULL;
    if (!name || !reg || name->type != SW_T_PRED) {
        ptx_expected(p, "a predicate register");
        return false;
    }
    p->body.guard = reg;
    ptx_next(p);
    return true;
}

/* m64n256k16 and its like, which modifiers.def has once for all n; else as it
 * is. buf: room for it. */
static sw_str
shape_of_group(sw_str text, char buf[24])
{
    const char *k = text.n > 4 && text.n < 16 && !memcmp(text.p, "m64n", 4)
                        ? memchr(text.p, 'k', text.n)
                        : NULL;
    if (!k)
        return text;
    for (const char *c = text.p + 4; c < k; c++)
        if (*c < '0' || *c > '9')
            return text;
    size_t left = text.n - (size_t)(k - text.p);
    memcpy(buf, "m64nN", 5);
    memcpy(buf + 5, k, left);
    return (sw_str){buf, 5 + left};
}

static void
parse_modifiers(ptx_parser *p, ptx_ins *in)
{
    while (p->tok.kind == TOK_DOT) {
        char buf[24];
        uintptr_t mod =
            (uintptr_t)sw_map_get(p->mods, shape_of_group(p->tok.s, buf));
        in->text.n = (size_t)(p->tok.s.p + p->tok.s.n - in->text.p);
        if (mod == 0 || in->mod_count == MAX_MODS)
            in->unknown_mod = true;
        else
            in->mods[in->mod_count++] = (uint16_t)mod;
        ptx_next(p);
        if (mod == M_CONST && ptx_is(p, '[') && !p->tok.after_space) {
            uint32_t bank;
            ptx_next(p);
            if (!ptx_expect_u32(p, &bank) || !ptx_expect(p, ']'))
                return;
        }
    }
}

static void
clear_ins(ptx_ins *in)
{
    in->mod_count = in->opnd_count = in->elem_count = 0;
    in->unknown_mod = in->unknown_opnd = in->pair = false;
    in->row = NULL;
    for (unsigned i = 0; i < MAX_MODS; i++)
        in->used[i] = false;
}

/* Opcodes of the PTX ISA that no row is about. */
static bool
is_opcode(sw_str s)
{
    static const char *const others[] = {"clusterlaunchcontrol", "istypep",
                                         "multimem", "tcgen05", "tensormap"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (sw_str_is(s, others[i]))
            return true;
    return false;
}

/* p->tok is behind the opcode. */
static void
parse_instruction(ptx_parser *p, const ptx_tok *op)
{
    ptx_ins *in = &p->ins;
    clear_ins(in);
    in->text = op->s;
    in->line = op->line;
    in->column = op->column;
    parse_modifiers(p, in);
    if (p->panic)
        return;
    if (sw_str_is(op->s, "call") && !in->unknown_mod) {
        ptx_parse_call(p, in);
        return;
    }
    in->row = sw_map_get(p->rows, op->s);
    if (!in->row && !is_opcode(op->s)) {
        ptx_error_at(p, op->line, op->column, "'%.*s' is not an instruction",
                     (int)op->s.n, op->s.p);
        return;
    }
    if (!in->row || in->unknown_mod) {
        while (p->tok.kind != TOK_END && !ptx_is(p, ';'))
            ptx_next(p);
        if (ptx_expect(p, ';'))
            ptx_unsupported(p, in);
        return;
    }
    if (!ptx_parse_operands(p, in))
        return;
    if (in->unknown_opnd)
        ptx_unsupported(p, in);
    else
        in->row->lower(p, in);
}

/* ---- statements ---- */

static void
parse_directive(ptx_parser *p)
{
    sw_space space;
    sw_linkage linkage = SW_LINK_STATIC;
    if (ptx_accept_dot(p, "extern"))
        linkage = SW_LINK_EXTERN;
    else if (ptx_accept_dot(p, "visible") || ptx_accept_dot(p, "weak"))
        linkage = SW_LINK_STATIC;
    if (ptx_accept_dot(p, "reg")) {
        ptx_parse_regs(p);
    } else if (ptx_parse_space(p, &space)) {
        ptx_parse_variable(p, space, linkage);
    } else if (!ptx_parse_advice(p)) {
        ptx_warn(p, p->tok.line, p->tok.column,
                 "the directive '.%.*s' is not known and ignored",
                 (int)p->tok.s.n, p->tok.s.p);
        ptx_skip_statement(p);
    }
}

static void
parse_statement(ptx_parser *p)
{
    ptx_tok first = p->tok;
    if (first.kind == TOK_DOT) {
        parse_directive(p);
        return;
    }
    if (ptx_accept(p, ';'))
        return;
    if (!parse_guard(p))
        return;
    ptx_tok op = p->tok;
    if (op.kind != TOK_IDENT) {
        ptx_expected(p, "an instruction");
        return;
    }
    ptx_next(p);
    if (ptx_is(p, ':') && !p->body.guard) {
        ptx_next(p);
        parse_labelled(p, &op);
        return;
    }
    parse_instruction(p, &op);
}

void
ptx_parse_body(ptx_parser *p, sw_fn *fn)
{
    ptx_block_start(p, NULL);
    if (!fn->is_entry && p->thread_bytes) { /* none branches to the first */
        end_falling(p);
        ptx_block_start(p, NULL);
    }
    for (;;) {
        if (p->tok.kind == TOK_END) {
            ptx_expected(p, "'}'");
            return;
        }
        if (p->errors >= MAX_ERRORS)
            return;
        const char *start = p->tok.s.p;
        if (ptx_is(p, '{')) {
            if (p->body.depth == MAX_SCOPES) {
                ptx_error(p, "blocks are nested too deeply");
                return;
            }
            open_scope(p);
            ptx_next(p);
        } else if (ptx_is(p, '}')) {
            if (p->body.depth == 0)
                break;
            close_scope(p);
            ptx_next(p);
        } else {
            parse_statement(p);
        }
        if (p->panic)
            ptx_recover(p, start);
    }
    ptx_build_finish(p);
    ptx_next(p);
}
