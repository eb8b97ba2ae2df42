/* SPDX-License-Identifier: Apache-2.0 */
/* decl.c - directives of module scope, and variables and registers of every
 * scope. */
#include <string.h>

#include "front/ptx/internal.h"
#include "front/ptx/ptx.h"

enum {
    MAX_DIMS = 16,
    MAX_ALIGN = 1 << 16,
    OPAQUE_BYTES = 8,
    OWN_REGISTERS_FROM = 30, /* the version that has an ABI */
    BITS_PER_BYTE = 8
};

uint64_t
ptx_align_up(uint64_t n, uint64_t align)
{
    return align ? (n + align - 1) / align * align : n;
}

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

/* ---- places ---- */

/* .file 1 "name" [, time, size] */
void
ptx_parse_file(ptx_parser *p)
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

typedef struct {
    uint32_t file, line, column;
} place;

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
void
ptx_parse_loc(ptx_parser *p)
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
void
ptx_parse_section(ptx_parser *p)
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

/* ---- module scope ---- */

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
    } else if (ptx_accept_dot(p, "file")) {
        ptx_parse_file(p);
    } else if (ptx_accept_dot(p, "loc")) {
        ptx_parse_loc(p);
    } else if (ptx_accept_dot(p, "pragma")) {
        ptx_parse_pragma(p);
    } else if (ptx_accept_dot(p, "section")) {
        ptx_parse_section(p);
    } else if (ptx_accept_dot(p, "alias")) {
        parse_alias(p);
    } else if (ptx_accept_dot(p, "reg")) {
        ptx_parse_regs(p);
    } else {
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
