/* SPDX-License-Identifier: Apache-2.0 */
/* module.c - module life cycle, symbol lookup and linking; see ir.h. */
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"

enum { MAX_DEF_CHAIN = 64 };

sw_module *
sw_module_create(const char *name)
{
    sw_arena *arena = sw_arena_create();
    sw_module *module = sw_arena_alloc(arena, sizeof *module);
    module->arena = arena;
    module->name = sw_arena_str(arena, sw_str_of(name));
    module->by_name = sw_map_create();
    module->address_size = 64;
    return module;
}

void
sw_module_destroy(sw_module *module)
{
    if (!module)
        return;
    sw_map_destroy(module->by_name);
    sw_free(module->digest);
    sw_arena_destroy(module->arena);
}

void
sw_module_add_sym(sw_module *module, sw_sym *sym)
{
    uint32_t n = module->sym_count;
    if ((n & (n - 1)) == 0) { /* grow at powers of two */
        sw_sym **bigger =
            sw_arena_alloc(module->arena, (n ? 2 * n : 1) * sizeof *bigger);
        if (n)
            memcpy(bigger, module->syms, n * sizeof *bigger);
        module->syms = bigger;
    }
    module->syms[module->sym_count++] = sym;
    sw_map_set(module->by_name, sw_str_of(sym->name), sym);
}

sw_sym *
sw_module_find(const sw_module *module, const char *name)
{
    return sw_map_get(module->by_name, sw_str_of(name));
}

sw_sym *
sw_sym_resolve(sw_sym *sym)
{
    for (int i = 0; sym && sym->def && i < MAX_DEF_CHAIN; i++)
        sym = sym->def;
    if (sym && sym->linkage == SW_LINK_EXTERN &&
        !(sym->space == SW_SPACE_SHARED && sym->bytes == 0))
        return NULL;
    return sym;
}

bool
sw_ir_is_builtin(const char *name)
{
    static const char *const names[] = {
        "vprintf", "__softwarp_cl_printf", "malloc",
        "free",    "__assertfail",         "cudaGraphSetConditional"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return sw_ir_device_call(name) >= 0;
}

int
sw_ir_device_call(const char *name)
{
#define DEVICE_CALL(name, arguments) #name,
    static const char *const names[] = {
#include "ir/device_calls.def"
    };
#undef DEVICE_CALL
    size_t skip = strncmp(name, "__cudaCDP2", 10) == 0 ? 10
                  : strncmp(name, "cuda", 4) == 0      ? 4
                                                       : 0;
    if (!skip)
        return -1;
    sw_str rest = sw_str_of(name + skip);
    if (rest.n > 5 && memcmp(rest.p + rest.n - 5, "_ptsz", 5) == 0)
        rest.n -= 5;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (sw_str_is(rest, names[i]))
            return (int)i;
    return -1;
}

bool
sw_ir_is_drivers_own(const char *name)
{
    static const char *const names[] = {"cudaGraphLaunch",
                                        "cudaGraphLaunch_ptsz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return strncmp(name, "__cuda_syscall_", 15) == 0 ||
           strncmp(name, "cnp", 3) == 0;
}

/* Which of two definitions of a name wins: higher is stronger. */
static int
strength(const sw_sym *sym)
{
    switch (sym->linkage) {
    case SW_LINK_VISIBLE:
        return 3;
    case SW_LINK_WEAK:
        return 2;
    case SW_LINK_COMMON:
        return 1;
    default:
        return 0;
    }
}

static bool
is_dynamic_shared(const sw_sym *sym)
{
    return sym->space == SW_SPACE_SHARED && sym->bytes == 0;
}

/* Function definitions win over declarations of the same linkage. */
static bool
is_definition(const sw_sym *sym)
{
    return !sym->fn || sym->fn->block_count > 0;
}

sw_status
sw_ir_link(sw_module **modules, size_t count, sw_diag *diag)
{
    sw_status status = SW_OK;
    sw_map *best = sw_map_create();
    for (size_t m = 0; m < count; m++) {
        size_t bytes = count * sizeof(sw_module *);
        modules[m]->linked = sw_arena_alloc(modules[m]->arena, bytes);
        memcpy(modules[m]->linked, modules, bytes);
        modules[m]->linked_count = (uint32_t)count;
        for (uint32_t i = 0; i < modules[m]->sym_count; i++) {
            sw_sym *sym = modules[m]->syms[i];
            sw_str name = sw_str_of(sym->name);
            sw_sym *old = sw_map_get(best, name);
            if (strength(sym) == 0 || !is_definition(sym))
                continue;
            if (!old || strength(sym) > strength(old)) {
                sw_map_set(best, name, sym);
            } else if (strength(sym) == 3 && strength(old) == 3) {
                sw_diag_add(diag, SW_DIAG_ERROR, modules[m]->name, sym->line, 0,
                            "'%s' is defined in more than one module",
                            sym->name);
                status = SW_E_INVALID_PTX;
            }
        }
    }
    for (size_t m = 0; m < count; m++) {
        for (uint32_t i = 0; i < modules[m]->sym_count; i++) {
            sw_sym *sym = modules[m]->syms[i];
            if (is_dynamic_shared(sym) || sym->def)
                continue;
            bool open = sym->linkage == SW_LINK_EXTERN || !is_definition(sym);
            if (!open && strength(sym) == 0)
                continue;
            if (open && sw_ir_device_call(sym->name) >= 0)
                continue; /* ours, whoever else has one */
            sw_sym *def = sw_map_get(best, sw_str_of(sym->name));
            if (def && def != sym) {
                sym->def = def;
            } else if (!def && open && !sw_ir_is_builtin(sym->name) &&
                       !sw_ir_is_drivers_own(sym->name)) {
                sw_diag_add(diag, SW_DIAG_ERROR, modules[m]->name, sym->line, 0,
                            "'%s' is declared but no module defines it",
                            sym->name);
                if (status == SW_OK)
                    status = SW_E_NOT_FOUND;
            }
        }
    }
    sw_map_destroy(best);
    return status;
}

const char *
sw_ins_place(const sw_fn *fn, const sw_ins *ins, char *buf, size_t bytes)
{
    const sw_module *m = fn->module;
    if (ins->loc && ins->loc < m->loc_count &&
        m->locs[ins->loc].file < m->file_count &&
        m->files[m->locs[ins->loc].file])
        snprintf(buf, bytes, "%s:%u", m->files[m->locs[ins->loc].file],
                 m->locs[ins->loc].line);
    else
        snprintf(buf, bytes, "%s:%u", m->name, ins->line);
    return buf;
}
