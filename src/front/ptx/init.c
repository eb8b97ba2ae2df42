/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init.c - initial data: nested braces, numbers, strings, addresses.
 *
 * As in C, braces may follow the dimensions or be left out. The data ends with
 * the last element that is written down; the rest of the variable is zero.
 */
#include <string.h>

#include "front/ptx/parse.h"

enum { BITS_PER_BYTE = 8, MAX_INIT_DEPTH = 20 };

typedef struct {
    ptx_parser *p;
    sw_sym *sym;
    sw_buf data;   /* bytes */
    sw_vec relocs; /* sw_reloc */
    uint64_t at;   /* where the next element goes */
    uint64_t limit;
    unsigned elem;
    const uint64_t *dims;
    uint32_t dim_count;
} init;

static bool
put(init *in, const void *bytes, uint64_t n)
{
    static const char zeros[64];
    if (n > in->limit || in->at > in->limit - n) {
        ptx_error(in->p, "more initial data than '%s' has room for",
                  in->sym->name);
        return false;
    }
    /* Gaps come from inner dimensions of which little is written down. */
    in->p->gaps += in->at - in->data.n;
    if (in->p->gaps > MAX_GAPS) {
        ptx_error(in->p, "initial data of this size is not supported");
        return false;
    }
    while (in->data.n < in->at) {
        uint64_t gap = in->at - in->data.n;
        sw_buf_add(&in->data, zeros, gap < 64 ? (size_t)gap : 64);
    }
    sw_buf_add(&in->data, bytes, (size_t)n);
    in->at += n;
    return true;
}

static bool
put_value(init *in)
{
    ptx_value v;
    ptx_tok tok = in->p->tok;
    uint64_t zero[2] = {0, 0};
    if (!ptx_parse_value(in->p, &v))
        return false;
    if (v.kind != OPND_SYM) {
        zero[0] = ptx_number_bits(in->sym->type, v.kind, v.bits);
        return put(in, zero, in->elem);
    }
    unsigned shift = 0;
    while (v.mask && !(v.mask >> shift & 1))
        shift++;
    bool whole = in->elem == 4 || in->elem == 8;
    if (!(v.mask ? in->elem == 1 && v.mask >> shift == 0xff : whole)) {
        ptx_error_at(in->p, tok.line, tok.column,
                     "an address does not fit into a .%s",
                     sw_type_text(in->sym->type));
        return false;
    }
    sw_reloc *reloc = sw_vec_push(&in->relocs);
    reloc->offset = in->at;
    reloc->sym = v.sym;
    reloc->addend = (int64_t)v.bits;
    reloc->bytes = (uint8_t)in->elem;
    reloc->shift = (uint8_t)shift;
    reloc->generic = v.generic;
    return put(in, zero, in->elem);
}

static bool
put_string(init *in)
{
    sw_str s = in->p->tok.s;
    if (in->elem != 1) {
        ptx_error(in->p, "a string initialises bytes only");
        return false;
    }
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\\' && i + 1 < s.n) {
            c = s.p[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == '0' ? '\0' : c;
        }
        if (!put(in, &c, 1))
            return false;
    }
    ptx_next(in->p);
    return true;
}

static uint64_t
stride(const init *in, uint32_t depth) /* bytes of an element at depth */
{
    uint64_t n = in->elem;
    for (uint32_t i = depth; i < in->dim_count; i++)
        n *= in->dims[i];
    return n;
}

static bool
put_item(init *in, uint32_t depth)
{
    uint64_t start = in->at;
    if (in->p->tok.kind == TOK_STRING)
        return put_string(in);
    if (!ptx_accept(in->p, '{'))
        return put_value(in);
    if (depth >= MAX_INIT_DEPTH) {
        ptx_error(in->p, "initial data is nested too deeply");
        return false;
    }
    if (!ptx_is(in->p, '}')) {
        do {
            if (ptx_is(in->p, '}'))
                break; /* a comma behind the last */
            if (!put_item(in, depth + 1))
                return false;
        } while (ptx_accept(in->p, ','));
    }
    if (!ptx_expect(in->p, '}'))
        return false;
    if (depth > 0) { /* what the braces did not fill stays zero */
        uint64_t end = start + stride(in, depth);
        in->at = end > in->at ? end : in->at;
    }
    return true;
}

/* = { addr_mode_0 = wrap, ... } of textures, samplers and surfaces. */
static void
skip_opaque(ptx_parser *p, const sw_sym *sym)
{
    ptx_warn(p, p->tok.line, p->tok.column,
             "the initial state of '%s' is ignored", sym->name);
    if (ptx_is(p, '{'))
        ptx_skip_braces(p);
    else
        ptx_expected(p, "'{'");
}

void
ptx_parse_init(ptx_parser *p, sw_sym *sym, const uint64_t *dims,
               uint32_t dim_count)
{
    if (sw_type_kind(sym->type) == SW_KIND_OPAQUE) {
        skip_opaque(p, sym);
        return;
    }
    if (sym->space != SW_SPACE_GLOBAL && sym->space != SW_SPACE_CONST) {
        ptx_error(p, "variables in .%s have no initial data",
                  sw_space_text(sym->space));
        return;
    }
    init in = {.p = p, .sym = sym, .dims = dims, .dim_count = dim_count};
    in.elem = sw_type_bits(sym->type) / BITS_PER_BYTE;
    in.limit = sym->bytes ? sym->bytes : 1ull << MAX_ARRAY_BYTES_LOG2;
    sw_buf_init(&in.data);
    sw_vec_init(&in.relocs, sizeof(sw_reloc));
    if (put_item(&in, 0)) {
        if (!sym->bytes)
            sym->bytes = ptx_align_up(in.at, dim_count ? stride(&in, 1) : 1);
        uint8_t *copy = sw_arena_alloc(p->arena, in.data.n);
        if (in.data.n)
            memcpy(copy, in.data.p, in.data.n);
        sym->init = copy;
        sym->init_bytes = in.data.n;
        sym->reloc_count = (uint32_t)in.relocs.count;
        sym->relocs = sw_vec_to_arena(&in.relocs, p->arena);
    }
    sw_buf_finish(&in.data);
    sw_vec_finish(&in.relocs);
}
