/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.c - libraries: code that every context loads when it first uses it,
 * and kernels that stand for one function in each.
 */
#include <string.h>

#include "api/cuda/library.h"
#include "api/cuda/loading.h"

typedef struct {
    sw_rt_context *context;
    uint32_t serial;
    sw_rt_module *module;
    uint32_t module_serial;
} library_part;

typedef struct {
    sw_rt_object object;
    pthread_mutex_t lock;
    const void *image; /* the caller's, as long as the library lives */
    char *owned;       /* or a file's bytes */
    size_t bytes;
    sw_status broken; /* what was wrong with the image at first sight */
    sw_vec parts;     /* library_part: a context's module each */
    sw_map *kernels;  /* name -> library_kernel */
} library;

typedef struct {
    sw_rt_object object;
    library *library;
    const char *name; /* the key in the map; owned by this */
    sw_rt_kernel *last;
    uint32_t last_serial;
} library_kernel;

static sw_status
part_locked(library *l, sw_rt_context *c, sw_rt_module **out)
{
    for (size_t i = 0; i < l->parts.count; i++) {
        library_part *p = sw_vec_at(&l->parts, i);
        if (p->context == c && p->serial == c->object.serial &&
            sw_rt_object_get(p->module, SW_RT_MODULE) &&
            p->module->object.serial == p->module_serial) {
            *out = p->module;
            return SW_OK;
        }
    }
    const sw_api_logs none = {0};
    sw_status status =
        sw_api_load(c, l->image, l->bytes, "<memory>", &none, out);
    if (status == SW_OK)
        *(library_part *)sw_vec_push(&l->parts) =
            (library_part){c, c->object.serial, *out, (*out)->object.serial};
    return status;
}

static sw_status
library_module(library *l, sw_rt_module **out)
{
    sw_rt_context *c;
    sw_status status = sw_api_enter(&c);
    if (status != SW_OK)
        return status;
    if (l->broken != SW_OK)
        return l->broken;
    pthread_mutex_lock(&l->lock);
    status = part_locked(l, c, out);
    if (status == SW_OK)
        (*out)->is_library = true;
    pthread_mutex_unlock(&l->lock);
    return status;
}

sw_status
sw_api_library_kernel(const void *handle, sw_rt_kernel **kernel)
{
    library_kernel *lk = sw_rt_object_get(handle, SW_RT_USER);
    if (!lk)
        return SW_E_INVALID_HANDLE;
    sw_rt_kernel *last = lk->last;
    if (last && sw_rt_object_get(last, SW_RT_KERNEL) &&
        last->object.serial == lk->last_serial &&
        last->module->context == sw_rt_current(NULL)) {
        *kernel = last;
        return SW_OK;
    }
    sw_rt_module *m;
    sw_status status = library_module(lk->library, &m);
    if (status == SW_OK)
        status = sw_rt_module_kernel(m, lk->name, kernel);
    if (status == SW_OK) {
        lk->last_serial = (*kernel)->object.serial;
        lk->last = *kernel;
    }
    return status;
}

static library *
library_create(const void *image, char *owned, size_t bytes)
{
    library *l = sw_rt_object_new(SW_RT_LIBRARY, sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    l->image = image;
    l->owned = owned;
    l->bytes = bytes;
    sw_vec_init(&l->parts, sizeof(library_part));
    l->kernels = sw_map_create();
    return l;
}

static bool
options_are_good(const CUjit_option *jit, void *const *jit_values,
                 unsigned jit_count, const CUlibraryOption *options,
                 void *const *values, unsigned count)
{
    if ((jit_count && (!jit || !jit_values)) ||
        (count && (!options || !values)))
        return false;
    for (unsigned i = 0; i < count; i++)
        if ((unsigned)options[i] >= CU_LIBRARY_NUM_OPTIONS)
            return false;
    return true;
}

CUresult
cuLibraryLoadData(CUlibrary *out, const void *code, CUjit_option *jitOptions,
                  void **jitOptionsValues, unsigned int numJitOptions,
                  CUlibraryOption *libraryOptions, void **libraryOptionValues,
                  unsigned int numLibraryOptions)
{
    NEED_INIT();
    REQUIRE(out && code, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(options_are_good(jitOptions, jitOptionsValues, numJitOptions,
                             libraryOptions, libraryOptionValues,
                             numLibraryOptions),
            CUDA_ERROR_INVALID_VALUE);
    library *l = library_create(code, NULL, 0);
    /* The caller may let go of the image: what is needed now is read now. */
    sw_rt_module *m;
    sw_status status = sw_rt_current(NULL) ? library_module(l, &m) : SW_OK;
    if (status == SW_E_INVALID_IMAGE) { /* said when it is first used */
        l->broken = status;
        status = SW_OK;
    }
    *out = (CUlibrary)l;
    if (status != SW_OK)
        cuLibraryUnload((CUlibrary)l);
    return sw_api_result(status);
}

CUresult
cuLibraryLoadFromFile(CUlibrary *out, const char *fileName,
                      CUjit_option *jitOptions, void **jitOptionsValues,
                      unsigned int numJitOptions,
                      CUlibraryOption *libraryOptions,
                      void **libraryOptionValues,
                      unsigned int numLibraryOptions)
{
    NEED_INIT();
    REQUIRE(out && fileName, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(options_are_good(jitOptions, jitOptionsValues, numJitOptions,
                             libraryOptions, libraryOptionValues,
                             numLibraryOptions),
            CUDA_ERROR_INVALID_VALUE);
    char *image;
    size_t bytes;
    TRY(sw_file_read(fileName, &image, &bytes));
    if (!bytes)
        sw_free(image);
    REQUIRE(bytes, CUDA_ERROR_INVALID_IMAGE);
    *out = (CUlibrary)library_create(image, image, bytes);
    return CUDA_SUCCESS;
}

CUresult
cuLibraryUnload(CUlibrary handle)
{
    NEED_INIT();
    if (sw_rt_is_exiting())
        return CUDA_ERROR_DEINITIALIZED;
    library *l = sw_rt_object_get(handle, SW_RT_LIBRARY);
    REQUIRE(l, CUDA_ERROR_INVALID_HANDLE);
    for (size_t i = 0; i < l->parts.count; i++) {
        library_part *p = sw_vec_at(&l->parts, i);
        if (sw_rt_object_get(p->module, SW_RT_MODULE) &&
            p->module->object.serial == p->module_serial)
            sw_rt_module_destroy(p->module);
    }
    size_t it = 0;
    sw_str key;
    void *value;
    while (sw_map_next(l->kernels, &it, &key, &value)) {
        library_kernel *k = value;
        sw_free((char *)(uintptr_t)k->name);
        sw_rt_object_free(k);
    }
    sw_map_destroy(l->kernels);
    sw_vec_finish(&l->parts);
    sw_free(l->owned);
    pthread_mutex_destroy(&l->lock);
    sw_rt_object_free(l);
    return CUDA_SUCCESS;
}

static sw_status
kernel_of(library *l, const char *name, CUkernel *out)
{
    sw_rt_module *m;
    sw_rt_kernel *k;
    sw_status status = library_module(l, &m);
    if (status == SW_OK)
        status = sw_rt_module_kernel(m, name, &k);
    if (status != SW_OK)
        return status;
    pthread_mutex_lock(&l->lock);
    library_kernel *lk = sw_map_get(l->kernels, sw_str_of(name));
    if (!lk) {
        lk = sw_rt_object_new(SW_RT_USER, sizeof *lk);
        lk->library = l;
        lk->name = sw_strdup(name);
        sw_map_set(l->kernels, sw_str_of(name), lk);
    }
    pthread_mutex_unlock(&l->lock);
    *out = (CUkernel)lk;
    return SW_OK;
}

CUresult
cuLibraryGetKernel(CUkernel *pKernel, CUlibrary handle, const char *name)
{
    NEED_INIT();
    REQUIRE(pKernel && name, CUDA_ERROR_INVALID_VALUE);
    library *l = sw_rt_object_get(handle, SW_RT_LIBRARY);
    REQUIRE(l, CUDA_ERROR_INVALID_HANDLE);
    return sw_api_result(kernel_of(l, name, pKernel));
}

CUresult
cuLibraryGetModule(CUmodule *pMod, CUlibrary handle)
{
    NEED_INIT();
    REQUIRE(pMod, CUDA_ERROR_INVALID_VALUE);
    library *l = sw_rt_object_get(handle, SW_RT_LIBRARY);
    REQUIRE(l, CUDA_ERROR_INVALID_HANDLE);
    sw_rt_module *m;
    TRY(library_module(l, &m));
    *pMod = (CUmodule)m;
    return CUDA_SUCCESS;
}

CUresult
cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary handle,
                   const char *name)
{
    CUmodule m;
    CUresult status = cuLibraryGetModule(&m, handle);
    return status == CUDA_SUCCESS ? cuModuleGetGlobal_v2(dptr, bytes, m, name)
                                  : status;
}

CUresult
cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary handle,
                    const char *name)
{
    NEED_INIT();
    REQUIRE(name && (dptr || bytes), CUDA_ERROR_INVALID_VALUE);
    CUmodule m;
    CUresult status = cuLibraryGetModule(&m, handle);
    if (status != CUDA_SUCCESS)
        return status;
    uint64_t addr, n;
    bool managed;
    TRY(sw_rt_module_global((sw_rt_module *)m, name, &addr, &n, &managed));
    REQUIRE(managed, CUDA_ERROR_NOT_FOUND);
    if (dptr)
        *dptr = addr;
    if (bytes)
        *bytes = n;
    return CUDA_SUCCESS;
}

CUresult
cuLibraryGetUnifiedFunction(void **fptr, CUlibrary handle, const char *symbol)
{
    NEED_INIT();
    REQUIRE(fptr && symbol && sw_rt_object_get(handle, SW_RT_LIBRARY),
            CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_INVALID_VALUE; /* kernels are not functions of the host */
}

CUresult
cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
    CUmodule m;
    CUresult status = cuLibraryGetModule(&m, lib);
    return status == CUDA_SUCCESS ? cuModuleGetFunctionCount(count, m) : status;
}

CUresult
cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels,
                          CUlibrary lib)
{
    NEED_INIT();
    REQUIRE(kernels, CUDA_ERROR_INVALID_VALUE);
    library *l = sw_rt_object_get(lib, SW_RT_LIBRARY);
    REQUIRE(l, CUDA_ERROR_INVALID_HANDLE);
    sw_rt_module *m;
    TRY(library_module(l, &m));
    for (unsigned i = 0; i < numKernels; i++) {
        const sw_fn *fn = sw_rt_module_entry(m, i);
        if (!fn)
            break;
        TRY(kernel_of(l, fn->name, &kernels[i]));
    }
    return CUDA_SUCCESS;
}

CUresult
cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
    NEED_INIT();
    REQUIRE(pFunc, CUDA_ERROR_INVALID_VALUE);
    sw_rt_kernel *k;
    TRY(sw_api_library_kernel(kernel, &k));
    *pFunc = (CUfunction)k;
    return CUDA_SUCCESS;
}

CUresult
cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
    NEED_INIT();
    REQUIRE(pLib, CUDA_ERROR_INVALID_VALUE);
    library_kernel *k = sw_rt_object_get(kernel, SW_RT_USER);
    REQUIRE(k, CUDA_ERROR_INVALID_HANDLE);
    *pLib = (CUlibrary)k->library;
    return CUDA_SUCCESS;
}

CUresult
cuKernelGetName(const char **name, CUkernel hfunc)
{
    REQUIRE(hfunc, CUDA_ERROR_INVALID_VALUE);
    return cuFuncGetName(name, (CUfunction)hfunc);
}

CUresult
cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
                     size_t *paramSize)
{
    REQUIRE(kernel, CUDA_ERROR_INVALID_VALUE);
    return cuFuncGetParamInfo((CUfunction)kernel, paramIndex, paramOffset,
                              paramSize);
}
