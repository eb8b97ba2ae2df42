/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linker.c - the linker: what it makes is a container of the PTX it was given.
 *
 * Each input is parsed when it is added and all are linked at the end, to say
 * then what is wrong with them; a link that failed stays so.
 */
#include <string.h>

#include "api/cuda/loading.h"
#include "front/fatbin/fatbin.h"
#include "front/ptx/ptx.h"

enum { IDENT_MOST = 1024 };

typedef struct {
    sw_rt_object object;
    sw_arena *arena;
    sw_vec inputs;        /* sw_fatbin_entry; texts in the arena */
    sw_vec parts;         /* sw_module *: the inputs parsed */
    sw_map *defined;      /* name of a symbol -> of the input that defines it */
    sw_status failed;     /* to link */
    sw_buf errors, infos; /* what has been said */
    sw_buf result;
    bool is_complete;
    sw_api_logs logs;
} linker;

CUresult
cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options,
                void **optionValues, CUlinkState *stateOut)
{
    ENTER(c);
    (void)c;
    REQUIRE(stateOut && (!numOptions || (options && optionValues)),
            CUDA_ERROR_INVALID_VALUE);
    sw_api_logs logs;
    REQUIRE(sw_api_read_options(numOptions, options, optionValues, &logs),
            CUDA_ERROR_INVALID_VALUE);
    linker *l = sw_rt_object_new(SW_RT_LINKER, sizeof *l);
    l->arena = sw_arena_create();
    sw_vec_init(&l->inputs, sizeof(sw_fatbin_entry));
    sw_vec_init(&l->parts, sizeof(sw_module *));
    l->defined = sw_map_create();
    sw_buf_init(&l->errors);
    sw_buf_init(&l->infos);
    sw_buf_init(&l->result);
    l->logs = logs;
    *stateOut = (CUlinkState)l;
    return CUDA_SUCCESS;
}

CUresult
cuLinkCreate(unsigned int numOptions, CUjit_option *options,
             void **optionValues, CUlinkState *stateOut)
{
    return cuLinkCreate_v2(numOptions, options, optionValues, stateOut);
}

/* ---- what is wrong ---- */

/* All that was said to the program's buffers; the errors after the first
 * `since` bytes to stderr if it has none for them. */
static void
tell(const linker *l, size_t since)
{
    sw_str errors = {l->errors.p, l->errors.n};
    sw_api_put_logs(errors, (sw_str){l->infos.p, l->infos.n}, &l->logs);
    if (!l->logs.error && errors.n > since)
        sw_log(SW_LOG_ERROR, "%s", errors.p + since);
}

/* Begins a line in the words of the vendor's linker, which programs know. */
static sw_buf *
fail(linker *l)
{
    sw_buf *b = &l->errors;
    if (b->n && b->p[b->n - 1] != '\n')
        sw_buf_puts(b, "\n");
    sw_buf_puts(b, "error   : ");
    l->failed = SW_E_INVALID_SOURCE;
    return b;
}

/* ---- adding ---- */

static void
note_definitions(linker *l, const sw_module *part, const char *name)
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
parse_units(linker *l, size_t first, const char *name, sw_diag *diag)
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
drop_parts(linker *l, size_t left)
{
    while (l->parts.count > left) {
        size_t last = l->parts.count - 1;
        sw_module_destroy(*(sw_module **)sw_vec_at(&l->parts, last));
        sw_vec_remove(&l->parts, last);
    }
}

/* Keeps the PTX of one input, if all of it is good. */
static sw_status
link_add(linker *l, const void *data, size_t bytes, const char *name,
         sw_diag *diag)
{
    sw_rt_context *c = sw_rt_current(NULL);
    size_t first = l->inputs.count, parts = l->parts.count;
    const char *kept = sw_arena_str(l->arena, sw_str_of(name));
    sw_status status =
        sw_fatbin_units(l->arena, (sw_str){data, bytes}, kept,
                        c ? (int)c->device->info->cc : 90, &l->inputs, diag);
    if (status == SW_OK)
        status = parse_units(l, first, kept, diag);
    if (status != SW_OK) {
        drop_parts(l, parts);
        while (l->inputs.count > first)
            sw_vec_remove(&l->inputs, l->inputs.count - 1);
        return status;
    }
    for (size_t i = first; i < l->inputs.count; i++)
        sw_fatbin_keep_entry(l->arena, sw_vec_at(&l->inputs, i));
    for (size_t i = parts; i < l->parts.count; i++)
        note_definitions(l, *(sw_module **)sw_vec_at(&l->parts, i), kept);
    return l->failed;
}

CUresult
cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data,
                 size_t size, const char *name, unsigned int numOptions,
                 CUjit_option *options, void **optionValues)
{
    NEED_INIT();
    (void)numOptions;
    (void)options;
    (void)optionValues;
    linker *l = sw_rt_object_get(state, SW_RT_LINKER);
    REQUIRE(l, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(data && size && (unsigned)type < CU_JIT_NUM_INPUT_TYPES &&
                !l->is_complete,
            CUDA_ERROR_INVALID_VALUE);
    TRY(l->failed);
    sw_diag diag;
    sw_diag_init(&diag);
    size_t since = l->errors.n;
    sw_status status = link_add(l, data, size, name ? name : "", &diag);
    sw_diag_print(&diag, diag.errors ? &l->errors : &l->infos);
    tell(l, since);
    sw_diag_finish(&diag);
    return sw_api_result(status);
}

CUresult
cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
              const char *name, unsigned int numOptions, CUjit_option *options,
              void **optionValues)
{
    return cuLinkAddData_v2(state, type, data, size, name, numOptions, options,
                            optionValues);
}

CUresult
cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
                 unsigned int numOptions, CUjit_option *options,
                 void **optionValues)
{
    NEED_INIT();
    REQUIRE(path, CUDA_ERROR_INVALID_VALUE);
    char *data;
    size_t bytes;
    TRY(sw_file_read(path, &data, &bytes));
    CUresult status = cuLinkAddData_v2(state, type, data, bytes, path,
                                       numOptions, options, optionValues);
    sw_free(data);
    return status;
}

CUresult
cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
              unsigned int numOptions, CUjit_option *options,
              void **optionValues)
{
    return cuLinkAddFile_v2(state, type, path, numOptions, options,
                            optionValues);
}

/* ---- the end ---- */

static sw_status
link_all(linker *l)
{
    sw_diag diag;
    sw_diag_init(&diag);
    size_t given = l->parts.count, since = l->errors.n;
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
    tell(l, since);
    return l->failed;
}

/* A fat binary that holds no pointers: programs copy it and end the link. */
CUresult
cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    NEED_INIT();
    linker *l = sw_rt_object_get(state, SW_RT_LINKER);
    REQUIRE(l && !l->is_complete, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(cubinOut, CUDA_ERROR_INVALID_VALUE);
    TRY(l->failed);
    REQUIRE(l->inputs.count, CUDA_ERROR_INVALID_VALUE);
    if (link_all(l) != SW_OK)
        return CUDA_ERROR_UNKNOWN; /* as a real driver; its log has the names */
    size_t n = l->inputs.count;
    sw_buf bound;
    sw_buf_init(&bound);
    if (l->logs.max_registers)
        sw_buf_printf(&bound, "-maxrregcount=%u",
                      (unsigned)l->logs.max_registers);
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
    sw_buf_finish(&l->result);
    sw_buf_init(&l->result);
    sw_status status = sw_fatbin_write(in, n, &l->result, &diag);
    if (diag.errors)
        sw_api_tell(&diag, &l->logs);
    sw_diag_finish(&diag);
    sw_free(in);
    sw_buf_finish(&bound);
    l->is_complete = status == SW_OK;
    if (status == SW_OK)
        *cubinOut = l->result.p;
    if (status == SW_OK && sizeOut)
        *sizeOut = l->result.n;
    return sw_api_result(status);
}

CUresult
cuLinkDestroy(CUlinkState state)
{
    NEED_INIT();
    linker *l = sw_rt_object_get(state, SW_RT_LINKER);
    REQUIRE(l, CUDA_ERROR_INVALID_HANDLE);
    drop_parts(l, 0);
    sw_vec_finish(&l->parts);
    sw_vec_finish(&l->inputs);
    sw_map_destroy(l->defined);
    sw_buf_finish(&l->errors);
    sw_buf_finish(&l->infos);
    sw_arena_destroy(l->arena);
    sw_buf_finish(&l->result);
    sw_rt_object_free(l);
    return CUDA_SUCCESS;
}
