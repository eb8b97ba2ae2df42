/* SPDX-License-Identifier: Apache-2.0 */
/* linker.c - the linker: what it makes is a container of the PTX it was
 * given. */
#include "api/cuda/loading.h"
#include "front/fatbin/fatbin.h"

typedef struct {
    sw_rt_object object;
    sw_vec inputs; /* sw_buf: a fat binary each */
    sw_buf result;
    sw_api_logs logs;
} linker;

/* A wrapper as compilers leave it for relocatable code: a list of containers
 * to be linked with each other. */
typedef struct {
    uint32_t magic, version;
    const void *data, *list;
} wrapper;
enum { WRAPPER_MAGIC = 0x466243b1 };

CUresult
cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options,
                void **optionValues, CUlinkState *stateOut)
{
    ENTER(c);
    (void)c;
    REQUIRE(stateOut && (!numOptions || (options && optionValues)),
            CUDA_ERROR_INVALID_VALUE);
    linker *l = sw_rt_object_new(SW_RT_LINKER, sizeof *l);
    sw_vec_init(&l->inputs, sizeof(sw_buf));
    sw_buf_init(&l->result);
    sw_api_read_options(numOptions, options, optionValues, &l->logs);
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
    sw_arena *arena = sw_arena_create();
    sw_vec images;
    sw_vec_init(&images, sizeof(const sw_fatbin_entry *));
    sw_fatbin fatbin;
    sw_status status = sw_fatbin_parse(arena, data, bytes, &fatbin, diag);
    if (status == SW_OK)
        status = sw_fatbin_images(&fatbin, c ? (int)c->device->info->cc : 90,
                                  &images, diag);
    for (size_t i = 0; status == SW_OK && i < images.count; i++) {
        const sw_fatbin_entry *e =
            *(const sw_fatbin_entry **)sw_vec_at(&images, i);
        sw_fatbin_input in = {.ptx = e->data, .ident = sw_str_of(name)};
        sw_buf *out = sw_vec_push(&l->inputs);
        sw_buf_init(out);
        status = sw_fatbin_write(&in, 1, out, diag);
    }
    sw_vec_finish(&images);
    sw_arena_destroy(arena);
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
    REQUIRE(data && size && (unsigned)type < CU_JIT_NUM_INPUT_TYPES,
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

/* One input: its container. Several: a wrapper with a list of them, followed
 * by the list; it holds pointers and lives as long as the link state. */
CUresult
cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    NEED_INIT();
    linker *l = sw_rt_object_get(state, SW_RT_LINKER);
    REQUIRE(l, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(cubinOut, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(l->inputs.count, CUDA_ERROR_INVALID_VALUE);
    if (l->inputs.count == 1) {
        sw_buf *only = sw_vec_at(&l->inputs, 0);
        *cubinOut = only->p;
        if (sizeOut)
            *sizeOut = only->n;
        return CUDA_SUCCESS;
    }
    static const uint32_t empty[4] = {0xba55ed50, 1 | 16 << 16, 0, 0};
    size_t n = sizeof(wrapper) + (l->inputs.count + 1) * sizeof(void *);
    char *image = sw_alloc(n);
    const void **list = (const void **)(image + sizeof(wrapper));
    for (size_t i = 0; i < l->inputs.count; i++)
        list[i] = ((sw_buf *)sw_vec_at(&l->inputs, i))->p;
    *(wrapper *)image = (wrapper){WRAPPER_MAGIC, 2, empty, list};
    sw_buf_finish(&l->result);
    l->result.p = image;
    l->result.n = n;
    l->result.capacity = n;
    *cubinOut = image;
    if (sizeOut)
        *sizeOut = n;
    return CUDA_SUCCESS;
}

CUresult
cuLinkDestroy(CUlinkState state)
{
    NEED_INIT();
    linker *l = sw_rt_object_get(state, SW_RT_LINKER);
    REQUIRE(l, CUDA_ERROR_INVALID_HANDLE);
    for (size_t i = 0; i < l->inputs.count; i++)
        sw_buf_finish(sw_vec_at(&l->inputs, i));
    sw_vec_finish(&l->inputs);
    sw_buf_finish(&l->result);
    sw_rt_object_free(l);
    return CUDA_SUCCESS;
}
