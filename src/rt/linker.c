/* SPDX-License-Identifier: Apache-2.0 */
/* linker.c - see linker.h. */
#include "rt/linker.h"

#include "front/fatbin/fatbin.h"
#include "front/ptx/ptx.h"
#include "rt/module.h"

enum { IDENT_MOST = 1024 };

void
sw_rt_linker_init(sw_rt_linker *l, int cc)
{
    *l = (sw_rt_linker){.cc = cc, .arena = sw_arena_create()};
    sw_vec_init(&l->inputs, sizeof(sw_fatbin_entry));
    sw_vec_init(&l->parts, sizeof(sw_module *));
    l->defined = sw_map_create();
    sw_buf_init(&l->errors);
    sw_buf_init(&l->infos);
}

/* Begins a line in the words of the vendor's linker, which programs know. */
static sw_buf *
fail(sw_rt_linker *l)
{
    sw_buf *b = &l->errors;
    if (b->n && b->p[b->n - 1] != '\n')
        sw_buf_puts(b, "\n");
    sw_buf_puts(b, "error   : ");
    l->failed = SW_E_INVALID_SOURCE;
    return b;
}

static void
note_definitions(sw_rt_linker *l, const sw_module *part, const char *name)
{
    for (uint32_t i = 0; i < part->sym_count; i++) {
        const sw_sym *s = part->syms[i];
        if (s->linkage != SW_LINK_VISIBLE || (s->fn && !s->fn->block_count))
            continue;
        const char *first = sw_map_get(l->defined, sw_str_of(s->name));
        if (first)
            sw_buf_printf(fail(l),
                          "Multiple definition of '%s' in '%s', first defined "
                          "in '%s'",
                          s->name, name, first);
        else
            sw_map_set(l->defined, sw_str_of(s->name), (void *)(uintptr_t)name);
    }
}

/* Of the units from `first` on. */
static sw_status
parse_units(sw_rt_linker *l, size_t first, const char *name, sw_diag *diag)
{
    fenv_t kept; /* constants are computed */
    sw_status status = SW_OK;
    sw_float_enter(&kept);
    for (size_t i = first; i < l->inputs.count && status == SW_OK; i++) {
        const sw_fatbin_entry *e = sw_vec_at(&l->inputs, i);
        sw_module *part = sw_ptx_parse(name, e->data.p, e->data.n, diag);
        if (part)
            *(sw_module **)sw_vec_push(&l->parts) = part;
        else
            status = sw_ptx_refusal(e->data.p, e->data.n);
    }
    sw_float_leave(&kept);
    return status;
}

static void
drop_parts(sw_rt_linker *l, size_t left)
{
    while (l->parts.count > left) {
        size_t last = l->parts.count - 1;
        sw_module_destroy(*(sw_module **)sw_vec_at(&l->parts, last));
        sw_vec_remove(&l->parts, last);
    }
}

/* Keeps the PTX of one input, if all of it is good. */
static sw_status
add_units(sw_rt_linker *l, sw_str data, const char *name, sw_diag *diag)
{
    size_t first = l->inputs.count, parts = l->parts.count;
    sw_status status =
        sw_fatbin_units(l->arena, data, name, l->cc, &l->inputs, diag);
    if (status == SW_OK)
        status = parse_units(l, first, name, diag);
    if (status != SW_OK) {
        drop_parts(l, parts);
        while (l->inputs.count > first)
            sw_vec_remove(&l->inputs, l->inputs.count - 1);
        return status;
    }
    for (size_t i = first; i < l->inputs.count; i++)
        sw_fatbin_keep_entry(l->arena, sw_vec_at(&l->inputs, i));
    for (size_t i = parts; i < l->parts.count; i++)
        note_definitions(l, *(sw_module **)sw_vec_at(&l->parts, i), name);
    return l->failed;
}

sw_status
sw_rt_linker_add(sw_rt_linker *l, const void *data, size_t bytes,
                 const char *name)
{
    sw_diag diag;
    sw_diag_init(&diag);
    const char *kept = sw_arena_str(l->arena, sw_str_of(name));
    sw_status status = add_units(l, (sw_str){data, bytes}, kept, &diag);
    sw_diag_print(&diag, diag.errors ? &l->errors : &l->infos);
    sw_diag_finish(&diag);
    return status;
}

/* ---- the end ---- */

static sw_status
link_all(sw_rt_linker *l)
{
    sw_diag diag;
    sw_diag_init(&diag);
    size_t given = l->parts.count;
    if (sw_rt_link(&l->parts, &diag) == SW_E_NOT_FOUND)
        for (size_t i = 0; i < given; i++) {
            const sw_module *part = *(sw_module **)sw_vec_at(&l->parts, i);
            const sw_sym *s;
            for (uint32_t k = 0; (s = sw_rt_open_symbol(part, &k)) != NULL;)
                sw_buf_printf(fail(l), "Undefined reference to '%s' in '%s'",
                              s->name, part->name);
        }
    sw_diag_finish(&diag);
    drop_parts(l, 0);
    return l->failed;
}

/* A fat binary that holds no pointers: programs copy it and end the link. */
sw_status
sw_rt_linker_link(sw_rt_linker *l, uint32_t max_registers, sw_buf *out)
{
    if (link_all(l) != SW_OK)
        return l->failed;
    size_t n = l->inputs.count;
    sw_buf bound;
    sw_buf_init(&bound);
    if (max_registers)
        sw_buf_printf(&bound, "-maxrregcount=%u", (unsigned)max_registers);
    sw_fatbin_input *in = sw_alloc(n * sizeof *in);
    for (size_t i = 0; i < n; i++) {
        const sw_fatbin_entry *e = sw_vec_at(&l->inputs, i);
        in[i] = (sw_fatbin_input){
            .ptx = e->data,
            .ident = e->ident,
            .options = bound.n ? (sw_str){bound.p, bound.n} : e->options,
            .is_unit = n > 1};
        if (in[i].ident.n > IDENT_MOST)
            in[i].ident.n = IDENT_MOST;
    }
    sw_diag diag;
    sw_diag_init(&diag);
    sw_status status = sw_fatbin_write(in, n, out, &diag);
    sw_diag_print(&diag, &l->errors);
    sw_diag_finish(&diag);
    sw_free(in);
    sw_buf_finish(&bound);
    return status;
}

void
sw_rt_linker_finish(sw_rt_linker *l)
{
    drop_parts(l, 0);
    sw_vec_finish(&l->parts);
    sw_vec_finish(&l->inputs);
    sw_map_destroy(l->defined);
    sw_buf_finish(&l->errors);
    sw_buf_finish(&l->infos);
    sw_arena_destroy(l->arena);
}
