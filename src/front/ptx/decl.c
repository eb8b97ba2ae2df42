/* SPDX-License-Identifier: Apache-2.0 */
/* decl.c - variables and registers, of the module and of bodies. */

#include "front/ptx/parse.h"

enum {
    MAX_DIMS = 16,
    MAX_ALIGN = 1 << 16,
    OPAQUE_BYTES = 8,
    OWN_REGISTERS_FROM = 30, /* the version that has an ABI */
    BITS_PER_BYTE = 8
};

bool
ptx_parse_space(ptx_parser *p, sw_space *space)
{
    static const struct {
        const char *word;
        sw_space space;
    } words[] = {{"global", SW_SPACE_GLOBAL}, {"shared", SW_SPACE_SHARED},
                 {"local", SW_SPACE_LOCAL},   {"const", SW_SPACE_CONST},
                 {"param", SW_SPACE_PARAM},   {"tex", SW_SPACE_TEX}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ptx_accept_dot(p, words[i].word)) {
            *space = words[i].space;
            return true;
        }
    }
    return false;
}

void
ptx_frame_add(ptx_parser *p, sw_sym *sym)
{
    uint64_t at = ptx_align_up(p->body.frame_top, sym->align);
    uint64_t end = at + sym->bytes;
    if (end > UINT32_MAX / 2) {
        ptx_error(p, "the function's variables need more than 2 GiB");
        return;
    }
    sym->address = at;
    *(sw_sym **)sw_vec_push(&p->body.slots) = sym;
    p->body.frame_top = (uint32_t)end;
    if (p->body.frame_top > p->body.frame_max)
        p->body.frame_max = p->body.frame_top;
}

/* What stands between the state space and the names. */
typedef struct {
    sw_type type;
    uint32_t align; /* 0: natural */
    unsigned vec;
    unsigned bank;
    bool managed;
} var_spec;

static bool
parse_align(ptx_parser *p, uint32_t *align)
{
    if (!ptx_expect_u32(p, align))
        return false;
    if (*align == 0 || (*align & (*align - 1)) || *align > MAX_ALIGN) {
        ptx_error(p, "an alignment is a power of two");
        return false;
    }
    return true;
}

/* .attribute(.managed, .unified(1, 2)) */
static bool
parse_attribute(ptx_parser *p, bool *managed)
{
    if (!ptx_expect(p, '('))
        return false;
    do {
        if (ptx_accept_dot(p, "managed")) {
            *managed = true;
        } else if (p->tok.kind == TOK_DOT) {
            ptx_next(p);
            if (ptx_accept(p, '(')) {
                while (p->tok.kind != TOK_END && !ptx_is(p, ')'))
                    ptx_next(p);
                if (!ptx_expect(p, ')'))
                    return false;
            }
        }
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ')');
}

static bool
parse_spec(ptx_parser *p, var_spec *spec)
{
    *spec = (var_spec){.vec = 1};
    if (ptx_accept(p, '[')) { /* .const[3] */
        uint32_t bank = 0;
        if (!ptx_expect_u32(p, &bank) || !ptx_expect(p, ']'))
            return false;
        spec->bank = bank & 255;
    }
    for (;;) {
        if (p->tok.kind != TOK_DOT) {
            if (spec->type)
                return true;
            ptx_expected(p, "a type");
            return false;
        }
        int mod = (int)(uintptr_t)sw_map_get(p->mods, p->tok.s);
        if (ptx_accept_dot(p, "align")) {
            if (!parse_align(p, &spec->align))
                return false;
        } else if (ptx_accept_dot(p, "attribute")) {
            if (!parse_attribute(p, &spec->managed))
                return false;
        } else if (mod == M_V2 || mod == M_V4 || mod == M_V8) {
            spec->vec = mod == M_V2 ? 2 : mod == M_V4 ? 4 : 8;
            ptx_next(p);
        } else if (ptx_mod_type((ptx_mod)mod) > 0 && !spec->type) {
            spec->type = (sw_type)ptx_mod_type((ptx_mod)mod);
            ptx_next(p);
        } else {
            ptx_expected(p, "a type");
            return false;
        }
    }
}

/* [4][], each at most 2^32; 0 for an empty pair. */
static bool
parse_dims(ptx_parser *p, uint64_t *dims, uint32_t *count, bool *open)
{
    *count = 0;
    *open = false;
    while (ptx_accept(p, '[')) {
        int64_t n = 0;
        if (*count == MAX_DIMS) {
            ptx_error(p, "an array of too many dimensions");
            return false;
        }
        if (ptx_is(p, ']')) {
            *open = true;
        } else {
            if (!ptx_parse_int(p, &n))
                return false;
            if (n < 0 || n > 1ll << MAX_ARRAY_BYTES_LOG2) {
                ptx_error(p, "an array of this size is not possible");
                return false;
            }
        }
        dims[(*count)++] = (uint64_t)n;
        if (!ptx_expect(p, ']'))
            return false;
    }
    return true;
}

static bool
total_bytes(ptx_parser *p, uint64_t elem, const uint64_t *dims, uint32_t count,
            uint64_t *out)
{
    bool empty = false;
    *out = elem;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t n = dims[i] ? dims[i] : 1;
        empty |= dims[i] == 0;
        if (*out > (1ull << MAX_ARRAY_BYTES_LOG2) / n) {
            ptx_error(p, "a variable is at most 2^32 bytes");
            return false;
        }
        *out *= n;
    }
    *out = empty ? 0 : *out;
    return true;
}

/* The symbol of a module-scope variable, an earlier declaration's if it may
 * be the same. */
static sw_sym *
global_symbol(ptx_parser *p, sw_str text, sw_space space, sw_linkage linkage)
{
    ptx_name *name =
        p->globals.names ? sw_map_get(p->globals.names, text) : NULL;
    if (name && name->kind == NAME_SYM && !name->sym->fn &&
        name->sym->space == space &&
        (name->sym->linkage == SW_LINK_EXTERN || linkage == SW_LINK_EXTERN ||
         linkage == SW_LINK_WEAK || linkage == SW_LINK_COMMON))
        return name->sym;
    name = ptx_name_add(p, &p->globals, text);
    name->kind = NAME_SYM;
    name->sym = sw_arena_alloc(p->arena, sizeof *name->sym);
    name->sym->name = sw_arena_str(p->arena, text);
    name->sym->linkage = linkage;
    sw_module_add_sym(p->module, name->sym);
    return name->sym;
}

static sw_sym *
body_symbol(ptx_parser *p, sw_str text)
{
    ptx_name *name = ptx_name_add(p, p->body.scope, text);
    name->kind = NAME_SYM;
    name->sym = sw_arena_alloc(p->arena, sizeof *name->sym);
    name->sym->name = sw_arena_str(p->arena, text);
    return name->sym;
}

static bool
is_frame_space(sw_space space)
{
    return space == SW_SPACE_LOCAL || space == SW_SPACE_PARAM ||
           space == SW_SPACE_SHARED;
}

static void
place_in_body(ptx_parser *p, sw_sym *sym)
{
    sym->owner = p->body.fn;
    if (sym->space == SW_SPACE_SHARED)
        *(sw_sym **)sw_vec_push(&p->body.shared) = sym;
    else
        ptx_frame_add(p, sym);
}

static bool
parse_one(ptx_parser *p, sw_space space, sw_linkage linkage,
          const var_spec *spec)
{
    uint64_t dims[MAX_DIMS + 1];
    uint32_t count;
    bool open, in_body = p->body.fn && is_frame_space(space);
    ptx_tok tok = p->tok;
    if (tok.kind != TOK_IDENT) {
        ptx_expected(p, "a variable's name");
        return false;
    }
    ptx_next(p);
    if (!parse_dims(p, dims, &count, &open))
        return false;

    bool opaque =
        sw_type_kind(spec->type) == SW_KIND_OPAQUE || space == SW_SPACE_TEX;
    uint64_t elem =
        opaque ? OPAQUE_BYTES : sw_type_bits(spec->type) / BITS_PER_BYTE;
    uint64_t bytes = 0;
    if (elem == 0 || spec->type == SW_T_PRED) {
        ptx_error_at(p, tok.line, tok.column,
                     "a variable can't have the type .%s",
                     sw_type_text(spec->type));
        return false;
    }
    if (!total_bytes(p, elem * spec->vec, dims, count, &bytes))
        return false;
    if (space == SW_SPACE_PARAM && !p->body.fn) {
        ptx_error_at(p, tok.line, tok.column,
                     "parameters belong into functions");
        return false;
    }

    sw_sym *sym =
        in_body ? body_symbol(p, tok.s)
                : global_symbol(p, tok.s,
                                space == SW_SPACE_TEX ? SW_SPACE_GLOBAL : space,
                                linkage);
    if (p->panic)
        return false;
    if (linkage == SW_LINK_EXTERN && sym->linkage != SW_LINK_EXTERN &&
        sym->bytes)
        return !ptx_is(p, '='); /* declared again behind its definition */
    sym->space = space == SW_SPACE_TEX ? SW_SPACE_GLOBAL : space;
    sym->linkage = in_body ? SW_LINK_STATIC : linkage;
    if (in_body && linkage == SW_LINK_EXTERN)
        sym->linkage = SW_LINK_EXTERN;
    sym->type = space == SW_SPACE_TEX ? SW_T_TEXREF : spec->type;
    sym->bytes = bytes;
    uint64_t natural = elem * spec->vec;
    sym->align = spec->align ? spec->align : (uint32_t)natural;
    sym->line = tok.line;
    sym->managed = spec->managed;
    sym->const_bank = (uint8_t)spec->bank;
    if (ptx_accept(p, '=')) {
        if (spec->vec > 1)
            dims[count++] = spec->vec;
        ptx_parse_init(p, sym, dims, count);
    } else if (open && linkage != SW_LINK_EXTERN && space != SW_SPACE_PARAM) {
        ptx_error_at(p, tok.line, tok.column,
                     "'%s' needs a size or initial data", sym->name);
    }
    if (in_body)
        place_in_body(p, sym);
    return !p->panic;
}

void
ptx_parse_variable(ptx_parser *p, sw_space space, sw_linkage linkage)
{
    var_spec spec;
    if (!parse_spec(p, &spec))
        return;
    do {
        if (!parse_one(p, space, linkage, &spec))
            return;
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';');
}

/* ---- registers ---- */

static void
add_range(ptx_parser *p, sw_str text, sw_type type)
{
    uint32_t n = 0;
    ptx_next(p);
    if (!ptx_expect_u32(p, &n) || !ptx_expect(p, '>'))
        return;
    if (n > MAX_RANGE || p->body.declared_regs + n > MAX_FN_REGS) {
        ptx_error(p, "more than %d registers",
                  n > MAX_RANGE ? MAX_RANGE : MAX_FN_REGS);
        return;
    }
    p->body.declared_regs += n;
    ptx_name *name = ptx_name_add(p, ptx_scope_current(p), text);
    name->kind = NAME_RANGE;
    name->type = type;
    name->range = n;
    if (p->body.fn)
        ptx_range_pages(p, name);
    else
        ptx_thread_add_reg(p, name);
}

static void
add_register(ptx_parser *p, sw_str text, sw_type type, unsigned vec)
{
    static const char *const parts[] = {"x", "y", "z", "w"};
    ptx_name *name = ptx_name_add(p, ptx_scope_current(p), text);
    name->kind = vec > 1 ? NAME_VECTOR : NAME_REG;
    name->type = type;
    name->count = (uint8_t)vec;
    if (!p->body.fn) {
        ptx_thread_add_reg(p, name);
        return;
    }
    for (unsigned i = 0; i < vec; i++) {
        const char *reg_name =
            vec > 1 ? sw_arena_printf(p->arena, "%.*s.%s", (int)text.n, text.p,
                                      parts[i])
                    : sw_arena_str(p->arena, text);
        name->regs[i] = ptx_reg_new(p, type, reg_name);
    }
}

/* .reg .v4 .f32 %a, %b<10>; from behind .reg */
void
ptx_parse_regs(ptx_parser *p)
{
    unsigned vec = 1;
    if (!p->body.fn && p->module->version >= OWN_REGISTERS_FROM) {
        ptx_error(p, "registers belong into functions from PTX 3.0 on");
        return;
    }
    if (ptx_accept_dot(p, "align")) {
        uint32_t align;
        if (!parse_align(p, &align))
            return;
    }
    if (ptx_accept_dot(p, "v2"))
        vec = 2;
    else if (ptx_accept_dot(p, "v4"))
        vec = 4;
    int mod =
        (int)(uintptr_t)(p->tok.kind == TOK_DOT ? sw_map_get(p->mods, p->tok.s)
                                                : NULL);
    int type = ptx_mod_type((ptx_mod)mod);
    if (type <= 0) {
        ptx_expected(p, "a register's type");
        return;
    }
    ptx_next(p);
    if (sw_type_class((sw_type)type) == SW_CLASS_NONE)
        type = SW_T_B32;
    if (ptx_accept_dot(p, "v2"))
        vec = 2;
    else if (ptx_accept_dot(p, "v4"))
        vec = 4;
    do {
        sw_str text = p->tok.s;
        if (p->tok.kind != TOK_IDENT) {
            ptx_expected(p, "a register's name");
            return;
        }
        ptx_next(p);
        if (ptx_is(p, '<'))
            add_range(p, text, (sw_type)type);
        else
            add_register(p, text, (sw_type)type, vec);
        if (p->panic)
            return;
        if (++p->body.declared_regs > MAX_FN_REGS) {
            ptx_error(p, "more than %d registers", MAX_FN_REGS);
            return;
        }
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';');
}
