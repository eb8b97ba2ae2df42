/* SPDX-License-Identifier: Apache-2.0 */
/* module.c - modules: loading code, with what the compiler says of it. */
#include <string.h>

#include "api/cuda/loading.h"

/* ---- loading, with what the compiler has to say ---- */

/* Numbers of architectures and whether they may have a suffix: sm_90a is
 * 0x10000 + 90 for the driver, sm_100f 0x20000 + 100. */
static bool
is_target(unsigned target)
{
    static const unsigned char known[] = {30, 32, 35,  37,  50,  52,  53,  60,
                                          61, 62, 70,  72,  75,  80,  86,  87,
                                          89, 90, 100, 101, 103, 110, 120, 121};
    for (size_t i = 0; i < sizeof known; i++)
        if ((target & 0xffff) == known[i])
            return target >> 16 <= 2;
    return false;
}

bool
sw_api_read_options(unsigned count, const CUjit_option *options, void **values,
                    sw_api_logs *logs)
{
    *logs = (sw_api_logs){0};
    for (unsigned i = 0; i < count; i++) {
        switch ((int)options[i]) {
        case CU_JIT_INFO_LOG_BUFFER:
            logs->info = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            logs->info_bytes = (size_t)(uintptr_t)values[i] & UINT32_MAX;
            logs->info_size = &values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER:
            logs->error = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            logs->error_bytes = (size_t)(uintptr_t)values[i] & UINT32_MAX;
            logs->error_size = &values[i];
            break;
        case CU_JIT_MAX_REGISTERS:
            logs->max_registers = (uint32_t)(uintptr_t)values[i];
            break;
        case CU_JIT_TARGET:
            if (!is_target((unsigned)(uintptr_t)values[i]))
                return false;
            break;
        case CU_JIT_CACHE_MODE:
            if ((unsigned)(uintptr_t)values[i] > CU_JIT_CACHE_OPTION_CA)
                return false;
            break;
        case CU_JIT_WALL_TIME:
            logs->wall_time = &values[i];
            break;
        default: /* how to compile, not what it means */
            if ((unsigned)options[i] >= CU_JIT_NUM_OPTIONS)
                return false;
            break;
        }
    }
    return true;
}

static void
put_log(char *to, size_t room, void **size, sw_str text)
{
    if (to && room) {
        if (text.n > room - 1)
            text.n = room - 1;
        if (text.n)
            memcpy(to, text.p, text.n);
        to[text.n] = 0;
        if (size)
            *size = (void *)(uintptr_t)text.n;
    } else if (size) {
        *size = NULL;
    }
}

void
sw_api_put_logs(sw_str error, sw_str info, const sw_api_logs *logs)
{
    put_log(logs->error, logs->error_bytes, logs->error_size, error);
    put_log(logs->info, logs->info_bytes, logs->info_size, info);
}

void
sw_api_tell(const sw_diag *diag, const sw_api_logs *logs)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_diag_print(diag, &text);
    const sw_str all = {text.p, text.n}, none = {NULL, 0};
    if (diag->errors) {
        sw_api_put_logs(all, none, logs);
        if (!logs->error && text.n)
            sw_log(SW_LOG_ERROR, "%.*s", (int)text.n - 1, text.p);
    } else {
        sw_api_put_logs(none, all, logs);
        if (text.n && sw_log_is_on(SW_LOG_INFO))
            sw_log(SW_LOG_INFO, "%.*s", (int)text.n - 1, text.p);
    }
    sw_buf_finish(&text);
}

/* From an image, or, if that is NULL, from code that has been read. */
static sw_status
load(sw_rt_context *c, const void *image, size_t bytes, const sw_fatbin *code,
     const char *name, const sw_api_logs *logs, sw_rt_module **out)
{
    sw_diag diag;
    sw_diag_init(&diag);
    uint64_t begin = sw_time_ns();
    sw_status status =
        image ? sw_rt_module_load(c, image, bytes, name, &diag, out)
              : sw_rt_module_make(c, code, name, &diag, out);
    if (status == SW_OK && logs->max_registers)
        sw_rt_module_bound_registers(*out, logs->max_registers);
    sw_api_tell(&diag, logs);
    if (logs->wall_time) { /* milliseconds, a float in the pointer's place */
        float ms = (float)(sw_time_ns() - begin) * 1e-6f;
        memcpy(logs->wall_time, &ms, sizeof ms);
    }
    sw_diag_finish(&diag);
    /* What the driver calls code whose symbols nobody defines. */
    return status == SW_E_NOT_FOUND ? SW_E_INVALID_PTX : status;
}

sw_status
sw_api_load(sw_rt_context *c, const void *image, size_t bytes, const char *name,
            const sw_api_logs *logs, sw_rt_module **out)
{
    return load(c, image, bytes, NULL, name, logs, out);
}

sw_status
sw_api_load_read(sw_rt_context *c, const sw_fatbin *code, const char *name,
                 const sw_api_logs *logs, sw_rt_module **out)
{
    return load(c, NULL, 0, code, name, logs, out);
}

CUresult
cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                   CUjit_option *options, void **optionValues)
{
    ENTER(c);
    REQUIRE(module && image, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(!numOptions || (options && optionValues), CUDA_ERROR_INVALID_VALUE);
    sw_api_logs logs;
    REQUIRE(sw_api_read_options(numOptions, options, optionValues, &logs),
            CUDA_ERROR_INVALID_VALUE);
    sw_rt_module *m;
    TRY(sw_api_load(c, image, 0, "<memory>", &logs, &m));
    *module = (CUmodule)m;
    return CUDA_SUCCESS;
}

CUresult
cuModuleLoadData(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult
cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    return cuModuleLoadDataEx(module, fatCubin, 0, NULL, NULL);
}

CUresult
cuModuleLoad(CUmodule *module, const char *fname)
{
    ENTER(c);
    REQUIRE(module && fname, CUDA_ERROR_INVALID_VALUE);
    char *image;
    size_t bytes;
    TRY(sw_file_read(fname, &image, &bytes));
    const sw_api_logs none = {0};
    sw_rt_module *m;
    sw_status status = bytes ? sw_api_load(c, image, bytes, fname, &none, &m)
                             : SW_E_INVALID_IMAGE;
    sw_free(image);
    if (status == SW_OK)
        *module = (CUmodule)m;
    return sw_api_result(status);
}

CUresult
cuModuleUnload(CUmodule hmod)
{
    NEED_INIT();
    if (sw_rt_is_exiting())
        return CUDA_ERROR_DEINITIALIZED;
    sw_rt_module *m = sw_rt_object_get(hmod, SW_RT_MODULE);
    REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
    TRY(sw_rt_context_error(m->context));
    TRY(sw_rt_capture_check_unsafe());
    REQUIRE(!m->is_library, CUDA_ERROR_NOT_PERMITTED);
    sw_rt_module_destroy(m);
    return CUDA_SUCCESS;
}

CUresult
cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    NEED_INIT();
    REQUIRE(mode, CUDA_ERROR_INVALID_VALUE);
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

CUresult
cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    NEED_INIT();
    sw_rt_module *m = sw_rt_object_get(hmod, SW_RT_MODULE);
    REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
    TRY(sw_rt_context_error(m->context));
    REQUIRE(hfunc && name && *name, CUDA_ERROR_INVALID_VALUE);
    sw_rt_kernel *k;
    TRY(sw_rt_module_kernel(m, name, &k));
    *hfunc = (CUfunction)k;
    return CUDA_SUCCESS;
}

CUresult
cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
    REQUIRE(count, CUDA_ERROR_INVALID_VALUE);
    sw_rt_module *m = sw_rt_object_get(mod, SW_RT_MODULE);
    REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
    unsigned n = 0;
    while (sw_rt_module_entry(m, n))
        n++;
    *count = n;
    return CUDA_SUCCESS;
}

CUresult
cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions,
                           CUmodule mod)
{
    NEED_INIT();
    REQUIRE(functions, CUDA_ERROR_INVALID_VALUE);
    sw_rt_module *m = sw_rt_object_get(mod, SW_RT_MODULE);
    REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
    for (unsigned i = 0; i < numFunctions; i++) {
        const sw_fn *fn = sw_rt_module_entry(m, i);
        if (!fn)
            break;
        sw_rt_kernel *k;
        TRY(sw_rt_module_kernel(m, fn->name, &k));
        functions[i] = (CUfunction)k;
    }
    return CUDA_SUCCESS;
}

CUresult
cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod,
                     const char *name)
{
    NEED_INIT();
    sw_rt_module *m = sw_rt_object_get(hmod, SW_RT_MODULE);
    REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
    TRY(sw_rt_context_error(m->context));
    REQUIRE(name && (dptr || bytes), CUDA_ERROR_INVALID_VALUE);
    uint64_t addr, n;
    bool managed;
    TRY(sw_rt_module_global(m, name, &addr, &n, &managed));
    if (dptr)
        *dptr = addr;
    if (bytes)
        *bytes = n;
    return CUDA_SUCCESS;
}
