/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c - the front end's entry: a parser is made, reads a module and ends.
 */
#include <string.h>

#include "front/ptx/parse.h"
#include "front/ptx/ptx.h"

static void
init_tables(ptx_parser *p)
{
    p->rows = sw_map_create();
    for (size_t i = 0; i < ptx_row_count; i++)
        sw_map_set(p->rows, sw_str_of(ptx_rows[i].text),
                   (void *)(uintptr_t)&ptx_rows[i]);
    p->mods = sw_map_create();
    for (uintptr_t i = 1; i < M_COUNT; i++)
        sw_map_set(p->mods, sw_str_of(ptx_mod_text[i]), (void *)i);
    p->sregs = sw_map_create();
    for (uintptr_t i = 0; i < SW_SREG_COUNT; i++)
        sw_map_set(p->sregs, sw_str_of(sw_sreg_text((sw_sreg)i)),
                   (void *)(i + 1));
    p->places = sw_map_create();
    p->strings = sw_map_create();
}

static void
finish_module(ptx_parser *p)
{
    sw_module *m = p->module;
    ptx_thread_finish(p);
    m->fn_count = (uint32_t)p->fns.count;
    m->fns = sw_vec_to_arena(&p->fns, m->arena);
    ptx_name_places(p);
    m->file_count = (uint32_t)p->files.count;
    m->files = sw_vec_to_arena(&p->files, m->arena);
    m->loc_count = (uint32_t)p->locs.count;
    m->locs = sw_vec_to_arena(&p->locs, m->arena);
}

sw_module *
sw_ptx_parse(const char *name, const char *text, size_t bytes, sw_diag *diag)
{
    ptx_parser *p = sw_alloc(sizeof *p);
    p->name = name ? name : "<memory>";
    p->diag = diag;
    p->module = sw_module_create(p->name);
    p->arena = p->module->arena;
    p->names_arena = sw_arena_create();
    sw_vec_init(&p->fns, sizeof(sw_fn *));
    sw_vec_init(&p->thread_fns, sizeof(sw_fn *));
    sw_vec_init(&p->thread_slots, sizeof(sw_sym *));
    sw_vec_init(&p->files, sizeof(const char *));
    sw_vec_init(&p->locs, sizeof(sw_loc));
    sw_vec_push(&p->files);
    sw_vec_push(&p->locs);
    init_tables(p);
    ptx_lex_init(&p->lex, text, bytes);
    ptx_next(p);

    bool ok = ptx_parse_module(p);
    sw_module *module = p->module;
    finish_module(p);
    if (!ok) {
        sw_module_destroy(module);
        module = NULL;
    }

    sw_vec_finish(&p->fns);
    sw_vec_finish(&p->thread_fns);
    sw_vec_finish(&p->thread_slots);
    sw_vec_finish(&p->files);
    sw_vec_finish(&p->locs);
    sw_map_destroy(p->rows);
    sw_map_destroy(p->mods);
    sw_map_destroy(p->sregs);
    sw_map_destroy(p->places);
    sw_map_destroy(p->strings);
    ptx_scope_finish(&p->globals);
    sw_arena_destroy(p->names_arena);
    sw_free(p);
    return module;
}

sw_status
sw_ptx_refusal(const char *text, size_t bytes)
{
    static const char word[] = ".version";
    const char *p = memmem(text, bytes, word, sizeof word - 1);
    if (!p)
        return SW_E_INVALID_IMAGE;
    const char *end = text + bytes;
    uint32_t major = 0;
    p += sizeof word - 1;
    while (p < end && strchr(" \t\r\n", *p))
        p++;
    while (p < end && *p >= '0' && *p <= '9' && major <= SW_PTX_NEWEST)
        major = major * 10 + (uint32_t)(*p++ - '0');
    return major > SW_PTX_NEWEST ? SW_E_UNSUPPORTED_PTX_VERSION
                                 : SW_E_INVALID_PTX;
}
