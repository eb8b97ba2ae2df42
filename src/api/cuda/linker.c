/* SPDX-License-Identifier: Apache-2.0 */
/* linker.c - the linker: what it makes is a container of the PTX it was
 * given. */
#include "api/cuda/loading.h"
#include "front/fatbin/fatbin.h"

enum { IDENT_MOST = 1024 };

typedef struct {
    sw_rt_object object;
    sw_arena *arena;
    sw_vec inputs; /* sw_fatbin_entry; texts in the arena */
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

/* Keeps the PTX of one input. */
static sw_status
link_add(linker *l, const void *data, size_t bytes, const char *name,
         sw_diag *diag)
{
    sw_rt_context *c = sw_rt_current(NULL);
    size_t first = l->inputs.count;
    const char *kept = sw_arena_str(l->arena, sw_str_of(name));
    sw_status status =
        sw_fatbin_units(l->arena, (sw_str){data, bytes}, kept,
                        c ? (int)c->device->info->cc : 90, &l->inputs, diag);
    for (size_t i = first; i < l->inputs.count; i++)
        sw_fatbin_keep_entry(l->arena, sw_vec_at(&l->inputs, i));
    return status;
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
    sw_diag diag;
    sw_diag_init(&diag);
    sw_status status = link_add(l, data, size, name ? name : "", &diag);
    if (diag.errors)
        sw_api_tell(&diag, &l->logs);
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

/* A fat binary that holds no pointers: programs copy it and end the link. */
CUresult
cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    NEED_INIT();
    linker *l = sw_rt_object_get(state, SW_RT_LINKER);
    REQUIRE(l && !l->is_complete, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(cubinOut, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(l->inputs.count, CUDA_ERROR_INVALID_VALUE);
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
    sw_vec_finish(&l->inputs);
    sw_arena_destroy(l->arena);
    sw_buf_finish(&l->result);
    sw_rt_object_free(l);
    return CUDA_SUCCESS;
}
