/* SPDX-License-Identifier: Apache-2.0 */
/* module.c - see module.h: from a container to linked code and variables. */
#include "rt/module.h"

#include <string.h>

#include "front/fatbin/fatbin.h"
#include "front/ptx/ptx.h"
#include "opt/pipeline.h"
#include "rt/groups.h"
#include "rt/memory.h"
#include "rt/texture.h"
#include "rt/watch.h"

enum { REGISTERS_MOST = 256 };

static void
bound_registers(sw_module *part, uint32_t most)
{
    for (uint32_t i = 0; i < part->fn_count; i++) {
        sw_fn *fn = part->fns[i];
        if (!fn->maxnreg || fn->maxnreg > most)
            fn->maxnreg = most;
    }
}

void
sw_rt_module_bound_registers(sw_rt_module *m, uint32_t most)
{
    for (size_t i = 0; i < m->parts.count; i++)
        bound_registers(*(sw_module **)sw_vec_at(&m->parts, i), most);
}

/* N of "-maxrregcount=N" among the assembler's options; 0: none. */
static uint32_t
bound_of(sw_str options)
{
    static const char option[] = "-maxrregcount=";
    const char *p = memmem(options.p, options.n, option, sizeof option - 1);
    uint32_t n = 0;
    if (!p)
        return 0;
    for (p += sizeof option - 1; p < options.p + options.n && *p >= '0' &&
                                 *p <= '9' && n < REGISTERS_MOST;
         p++)
        n = n * 10 + (uint32_t)(*p - '0');
    return n;
}

static sw_status
parse_parts(sw_rt_module *m, const sw_vec *images, const char *name,
            sw_diag *diag)
{
    for (size_t i = 0; i < images->count; i++) {
        const sw_fatbin_entry *e =
            *(const sw_fatbin_entry **)sw_vec_at(images, i);
        char *ident = NULL;
        if (e->ident.n) {
            ident = sw_alloc(e->ident.n + 1);
            memcpy(ident, e->ident.p, e->ident.n);
        }
        sw_module *part =
            sw_ptx_parse(ident ? ident : name, e->data.p, e->data.n, diag);
        sw_free(ident);
        if (!part)
            return sw_ptx_refusal(e->data.p, e->data.n);
        *(sw_module **)sw_vec_push(&m->parts) = part;
        if (bound_of(e->options))
            bound_registers(part, bound_of(e->options));
        if (part->version > m->version)
            m->version = part->version;
        if (part->target > m->target)
            m->target = part->target;
    }
    return SW_OK;
}

/* What sw_rt_module_place said; gone with the next load. */
static _Thread_local struct {
    const sw_rt_placement *at;
    size_t count;
} placements;

void
sw_rt_module_place(const sw_rt_placement *at, size_t count)
{
    placements.at = at;
    placements.count = count;
}

static void
tell_variable(const sw_rt_module *m, const sw_sym *s)
{
    sw_memory_event e = {.kind = SW_MEV_VARIABLE,
                         .context = (uint32_t)m->context->id,
                         .variable = {s->address, s->bytes, s}};
    if (sw_rt_tells(SW_MEV_VARIABLE))
        sw_rt_tell(e);
}

/* Gives the symbol the place that the program has for it, if it has one. */
static bool
place_in_program(sw_rt_module *m, sw_sym *s)
{
    for (size_t i = 0; i < placements.count; i++) {
        const sw_rt_placement *at = &placements.at[i];
        if (strcmp(at->name, s->name) != 0)
            continue;
        s->address = at->address;
        /* Else it is another module's already, which has the same memory. */
        if (sw_rt_memory_adopt(m->context, at->address, at->bytes) == SW_OK)
            *(uint64_t *)sw_vec_push(&m->placed) = at->address;
        tell_variable(m, s);
        return true;
    }
    return false;
}

static sw_status
place_symbol(sw_rt_module *m, sw_sym *s)
{
    if (s->fn || s->space == SW_SPACE_REG) {
        s->address = (uint64_t)(uintptr_t)s;
        return SW_OK;
    }
    if (!sw_rt_is_variable(s) || (s->def && s->def != s))
        return SW_OK;
    if (sw_type_kind(s->type) == SW_KIND_OPAQUE) {
        s->address = sw_rt_texref_create(m, s)->handle;
        return SW_OK;
    }
    if (place_in_program(m, s))
        return SW_OK;
    uint64_t bytes = s->bytes ? s->bytes : 1;
    sw_status status;
    if (s->managed)
        status = sw_rt_memory_alloc(m->context, SW_MEM_MANAGED, bytes, s->align,
                                    1, &s->address);
    else
        status = sw_mem_alloc(SW_MEM_MODULE, m->context->device->ordinal, bytes,
                              s->align ? s->align : 1, s, &s->address);
    if (status != SW_OK)
        return status;
    *(uint64_t *)sw_vec_push(s->managed ? &m->managed : &m->memory) =
        s->address;
    unsigned char *p = (unsigned char *)(uintptr_t)s->address;
    memset(p, 0, bytes);
    if (s->init_bytes)
        memcpy(p, s->init, s->init_bytes);
    tell_variable(m, s);
    return SW_OK;
}

static void
relocate(sw_sym *s)
{
    unsigned char *p = (unsigned char *)(uintptr_t)s->address;
    for (uint32_t i = 0; i < s->reloc_count; i++) {
        const sw_reloc *r = &s->relocs[i];
        sw_sym *to = sw_sym_resolve(r->sym);
        uint64_t value =
            ((to ? to->address : 0) + (uint64_t)r->addend) >> r->shift;
        if (r->offset + r->bytes <= s->bytes)
            memcpy(p + r->offset, &value, r->bytes);
    }
}

static sw_status
place_symbols(sw_rt_module *m)
{
    for (size_t i = 0; i < m->parts.count; i++) {
        sw_module *part = *(sw_module **)sw_vec_at(&m->parts, i);
        for (uint32_t k = 0; k < part->sym_count; k++) {
            sw_status status = place_symbol(m, part->syms[k]);
            if (status != SW_OK)
                return status;
        }
    }
    for (size_t i = 0; i < m->parts.count; i++) {
        sw_module *part = *(sw_module **)sw_vec_at(&m->parts, i);
        for (uint32_t k = 0; k < part->sym_count; k++) {
            sw_sym *s = part->syms[k];
            sw_sym *def = sw_sym_resolve(s);
            if (def && def != s)
                s->address = def->address;
            else if (sw_rt_is_variable(s) && s->reloc_count)
                relocate(s);
        }
    }
    return SW_OK;
}

const sw_sym *
sw_rt_open_symbol(const sw_module *part, uint32_t *i)
{
    while (*i < part->sym_count) {
        sw_sym *s = part->syms[(*i)++];
        bool dynamic = s->space == SW_SPACE_SHARED && !s->bytes;
        if (s->linkage == SW_LINK_EXTERN && !dynamic && !sw_sym_resolve(s) &&
            !sw_ir_is_builtin(s->name) && !sw_ir_is_drivers_own(s->name))
            return s;
    }
    return NULL;
}

sw_status
sw_rt_link(sw_vec *parts, sw_diag *diag)
{
    bool wants_groups = false;
    for (size_t i = 0; i < parts->count; i++)
        wants_groups |= sw_rt_wants_groups(*(sw_module **)sw_vec_at(parts, i));
    sw_module *groups = wants_groups ? sw_rt_groups_parse(diag) : NULL;
    if (groups)
        *(sw_module **)sw_vec_push(parts) = groups;
    return sw_ir_link(parts->data, parts->count, diag);
}

/* A program that is one module by itself has no other for its variables to be
 * defined in: the assembler ignores their .extern. LLVM writes shared arrays of
 * a known size with it. */
static void
define_open_variables(sw_module *part)
{
    for (uint32_t i = 0; i < part->sym_count; i++) {
        sw_sym *s = part->syms[i];
        if (!s->fn && s->linkage == SW_LINK_EXTERN && s->bytes && !s->def)
            s->linkage = SW_LINK_VISIBLE;
    }
}

/* What the assembler of the module's device makes of its arithmetic. */
static void
make_devices_own(sw_rt_module *m)
{
    sw_diag diag;
    sw_diag_init(&diag);
    for (size_t i = 0; i < m->parts.count; i++) {
        sw_opt_unit unit = {.module = *(sw_module **)sw_vec_at(&m->parts, i),
                            .numerics =
                                sw_rt_device_numerics(m->context->device),
                            .diag = &diag};
        sw_opt_run(SW_STAGE_LOAD, &unit);
    }
    sw_rt_log_diag(&diag, SW_LOG_WARN);
    sw_diag_finish(&diag);
}

sw_status
sw_rt_module_make(sw_rt_context *context, const sw_fatbin *fatbin,
                  const char *name, sw_diag *diag, sw_rt_module **out)
{
    sw_vec images;
    sw_vec_init(&images, sizeof(const sw_fatbin_entry *));
    sw_rt_module *m = sw_rt_object_new(SW_RT_MODULE, sizeof *m);
    m->context = context;
    sw_vec_init(&m->parts, sizeof(sw_module *));
    sw_vec_init(&m->memory, sizeof(uint64_t));
    sw_vec_init(&m->managed, sizeof(uint64_t));
    sw_vec_init(&m->placed, sizeof(uint64_t));
    pthread_mutex_init(&m->lock, NULL);
    m->kernels = sw_map_create();
    m->machine_regs = sw_map_create();
    m->texrefs = sw_map_create();

    fenv_t kept; /* constants are computed */
    sw_float_enter(&kept);
    sw_status status =
        sw_fatbin_images(fatbin, (int)context->device->info->cc, &images, diag);
    if (status == SW_OK)
        status = parse_parts(m, &images, name, diag);
    if (status == SW_OK)
        sw_rt_machine_registers(fatbin, context->device->info->cc,
                                m->machine_regs);
    if (status == SW_OK && m->parts.count == 1 && fatbin->modules == 1)
        define_open_variables(*(sw_module **)sw_vec_at(&m->parts, 0));
    if (status == SW_OK && m->parts.count)
        status = sw_rt_link(&m->parts, diag);
    if (status == SW_OK)
        make_devices_own(m);
    if (status == SW_OK)
        status = place_symbols(m);
    sw_float_leave(&kept);
    sw_vec_finish(&images);
    pthread_mutex_lock(&context->lock);
    *(sw_rt_module **)sw_vec_push(&context->modules) = m;
    pthread_mutex_unlock(&context->lock);
    if (status != SW_OK) {
        sw_rt_module_destroy(m);
        return status;
    }
    *out = m;
    return SW_OK;
}

sw_status
sw_rt_module_load(sw_rt_context *context, const void *image, size_t bytes,
                  const char *name, sw_diag *diag, sw_rt_module **out)
{
    sw_arena *arena = sw_arena_create();
    sw_fatbin fatbin;
    sw_status status = bytes
                           ? sw_fatbin_parse(arena, image, bytes, &fatbin, diag)
                           : sw_fatbin_load(arena, image, &fatbin, diag);
    if (status == SW_OK)
        status = sw_rt_module_make(context, &fatbin, name, diag, out);
    sw_rt_module_place(NULL, 0);
    sw_arena_destroy(arena);
    return status;
}

/* What is left of a module that is unloaded: programs, and their code. */
typedef struct {
    sw_vec programs; /* sw_program * */
    sw_vec parts;    /* sw_module * */
    bool is_busy;    /* one of the programs is */
} remains;

static void
keep_program(remains *r, sw_program *program)
{
    if (!program)
        return;
    r->is_busy = r->is_busy || sw_program_is_busy(program);
    *(sw_program **)sw_vec_push(&r->programs) = program;
}

static void *
destroy_remains(void *arg)
{
    remains *r = arg;
    for (size_t i = 0; i < r->programs.count; i++)
        sw_program_destroy(*(sw_program **)sw_vec_at(&r->programs, i));
    for (size_t i = 0; i < r->parts.count; i++)
        sw_module_destroy(*(sw_module **)sw_vec_at(&r->parts, i));
    sw_vec_finish(&r->programs);
    sw_vec_finish(&r->parts);
    sw_free(r);
    return NULL;
}

/* At once, or, if that has to wait for a compilation (of large kernels it takes
 * seconds), by a thread that does. */
static void
leave(remains *r)
{
    pthread_t thread;
    if (r->is_busy && pthread_create(&thread, NULL, destroy_remains, r) == 0)
        pthread_detach(thread);
    else
        destroy_remains(r);
}

void
sw_rt_module_destroy(sw_rt_module *m)
{
    sw_rt_context *context = m->context;
    sw_rt_context_wait(context);
    pthread_mutex_lock(&context->lock);
    for (size_t i = 0; i < context->modules.count; i++) {
        if (*(sw_rt_module **)sw_vec_at(&context->modules, i) == m) {
            sw_vec_remove(&context->modules, i);
            break;
        }
    }
    pthread_mutex_unlock(&context->lock);
    remains *r = sw_alloc(sizeof *r);
    r->parts = m->parts;
    sw_vec_init(&r->programs, sizeof(sw_program *));
    size_t it = 0;
    sw_str key;
    void *value;
    while (sw_map_next(m->kernels, &it, &key, &value)) {
        sw_rt_kernel *k = value;
        keep_program(r, k->program);
        for (sw_rt_observed *o = k->observed, *next; o; o = next) {
            next = o->next;
            keep_program(r, o->program);
            sw_free(o);
        }
        sw_free(k->params);
        sw_rt_object_free(k);
    }
    sw_map_destroy(m->kernels);
    it = 0;
    while (sw_map_next(m->texrefs, &it, &key, &value))
        sw_rt_texref_destroy(value);
    sw_map_destroy(m->texrefs);
    sw_map_destroy(m->machine_regs);
    for (size_t i = 0; i < m->memory.count; i++)
        sw_mem_free(*(uint64_t *)sw_vec_at(&m->memory, i));
    for (size_t i = 0; i < m->managed.count; i++)
        sw_rt_memory_release(*(uint64_t *)sw_vec_at(&m->managed, i));
    leave(r);
    sw_vec_finish(&m->memory);
    sw_vec_finish(&m->managed);
    for (size_t i = 0; i < m->placed.count; i++)
        sw_rt_memory_disown(*(uint64_t *)sw_vec_at(&m->placed, i));
    sw_vec_finish(&m->placed);
    pthread_mutex_destroy(&m->lock);
    sw_rt_object_free(m);
}
