/* SPDX-License-Identifier: Apache-2.0 */
/* linker.c - the linker: what it makes is a container of the PTX it was given
 * (rt/linker.h). */
#include "rt/linker.h"

#include "api/cuda/loading.h"

enum { NO_DEVICE = 90 };

typedef struct {
    sw_rt_object object;
    sw_rt_linker core;
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
    sw_rt_context *current = sw_rt_current(NULL);
    sw_rt_linker_init(&l->core,
                      current ? (int)current->device->info->cc : NO_DEVICE);
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

/* All that was said to the program's buffers; the errors after the first
 * `since` bytes to stderr if it has none for them. */
static void
tell(const linker *l, size_t since)
{
    sw_str errors = {l->core.errors.p, l->core.errors.n};
    sw_str infos = {l->core.infos.p, l->core.infos.n};
    sw_api_put_logs(errors, infos, &l->logs);
    if (!l->logs.error && errors.n > since)
        sw_log(SW_LOG_ERROR, "%s", errors.p + since);
}

/* ---- adding ---- */

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
    TRY(l->core.failed);
    size_t since = l->core.errors.n;
    sw_status status = sw_rt_linker_add(&l->core, data, size, name ? name : "");
    tell(l, since);
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

CUresult
cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    NEED_INIT();
    linker *l = sw_rt_object_get(state, SW_RT_LINKER);
    REQUIRE(l && !l->is_complete, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(cubinOut, CUDA_ERROR_INVALID_VALUE);
    TRY(l->core.failed);
    REQUIRE(l->core.inputs.count, CUDA_ERROR_INVALID_VALUE);
    sw_buf_finish(&l->result);
    sw_buf_init(&l->result);
    size_t since = l->core.errors.n;
    sw_status status = sw_rt_linker_link(
        &l->core, (uint32_t)l->logs.max_registers, &l->result);
    tell(l, since);
    if (l->core.failed)
        return CUDA_ERROR_UNKNOWN; /* as a real driver; its log has the names */
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
    sw_rt_linker_finish(&l->core);
    sw_buf_finish(&l->result);
    sw_rt_object_free(l);
    return CUDA_SUCCESS;
}
