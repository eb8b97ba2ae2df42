/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module_find.c - see module.h: what a module has, by name.
 */

#include "rt/module.h"

bool
sw_rt_is_variable(const sw_sym *s)
{
    return !s->fn && !s->owner && s->linkage != SW_LINK_EXTERN &&
           (s->space == SW_SPACE_GLOBAL || s->space == SW_SPACE_CONST);
}

sw_sym *
sw_rt_module_find(sw_rt_module *m, const char *name)
{
    sw_sym *found = NULL;
    for (size_t i = 0; i < m->parts.count; i++) {
        sw_sym *s =
            sw_module_find(*(sw_module **)sw_vec_at(&m->parts, i), name);
        sw_sym *def = s ? sw_sym_resolve(s) : NULL;
        if (def && def->linkage != SW_LINK_STATIC)
            return def;
        if (def && !found)
            found = def;
    }
    return found;
}

sw_status
sw_rt_module_kernel(sw_rt_module *m, const char *name, sw_rt_kernel **out)
{
    sw_status status = SW_E_NOT_FOUND;
    pthread_mutex_lock(&m->lock);
    sw_rt_kernel *k = sw_map_get(m->kernels, sw_str_of(name));
    sw_sym *sym = k ? NULL : sw_rt_module_find(m, name);
    if (sym && sym->fn && sym->fn->is_entry) {
        k = sw_rt_object_new(SW_RT_KERNEL, sizeof *k);
        k->module = m;
        k->fn = sym->fn;
        k->carveout = -1;
        sw_map_set(m->kernels, sw_str_of(name), k);
    }
    if (k) {
        *out = k;
        status = SW_OK;
    }
    pthread_mutex_unlock(&m->lock);
    return status;
}

sw_status
sw_rt_module_global(sw_rt_module *m, const char *name, uint64_t *addr,
                    uint64_t *bytes, bool *is_managed)
{
    sw_sym *s = sw_rt_module_find(m, name);
    if (!s || !sw_rt_is_variable(s) || sw_type_kind(s->type) == SW_KIND_OPAQUE)
        return SW_E_NOT_FOUND;
    *addr = s->address;
    *bytes = s->bytes;
    *is_managed = s->managed;
    return SW_OK;
}

sw_fn *
sw_rt_module_entry(sw_rt_module *m, size_t i)
{
    for (size_t p = 0; p < m->parts.count; p++) {
        const sw_module *part = *(sw_module **)sw_vec_at(&m->parts, p);
        for (uint32_t k = 0; k < part->fn_count; k++)
            if (part->fns[k]->is_entry && i-- == 0)
                return part->fns[k];
    }
    return NULL;
}
