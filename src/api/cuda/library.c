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

typedef struct library_kernel library_kernel;

/* What was set of a kernel on a device: contexts to come have it too. */
typedef struct {
    library_kernel *kernel;
    sw_rt_device *device;
    sw_api_kernel_setter *set;
    int what, value;
} library_setting;

typedef struct {
    sw_rt_object object;
    pthread_mutex_t lock;
    sw_arena *arena;
    sw_fatbin code; /* in the arena */
    uint32_t max_registers;
    sw_status broken; /* what was wrong with the code when it was given */
    sw_vec parts;     /* library_part: a context's module each */
    sw_vec own;       /* sw_rt_context *: of nobody else */
    sw_vec settings;  /* library_setting */
    sw_map *kernels;  /* name -> library_kernel */
} library;

struct library_kernel {
    sw_rt_object object;
    library *library;
    const char *name; /* the key in the map; owned by this */
    sw_rt_kernel *last;
    uint32_t last_serial;
};

/* ---- the code in contexts ---- */

/* The module of a part; NULL: its context is no more. */
static sw_rt_module *
live(const library_part *p)
{
    bool is_live = sw_rt_object_get(p->context, SW_RT_CONTEXT) &&
                   p->context->object.serial == p->serial &&
                   sw_rt_object_get(p->module, SW_RT_MODULE) &&
                   p->module->object.serial == p->module_serial;
    return is_live ? p->module : NULL;
}

static void
apply_settings_locked(library *l, sw_rt_module *m)
{
    for (size_t i = 0; i < l->settings.count; i++) {
        const library_setting *s = sw_vec_at(&l->settings, i);
        sw_rt_kernel *k;
        if (s->device == m->context->device &&
            sw_rt_module_kernel(m, s->kernel->name, &k) == SW_OK)
            s->set(k, s->what, s->value);
    }
}

static sw_status
load_locked(library *l, sw_rt_context *c, const sw_api_logs *logs,
            sw_rt_module **out)
{
    sw_status status = sw_api_load_read(c, &l->code, "<memory>", logs, out);
    if (status != SW_OK)
        return status;
    (*out)->is_library = true;
    *(library_part *)sw_vec_push(&l->parts) =
        (library_part){c, c->object.serial, *out, (*out)->object.serial};
    apply_settings_locked(l, *out);
    return SW_OK;
}

static sw_status
part_locked(library *l, sw_rt_context *c, sw_rt_module **out)
{
    for (size_t i = l->parts.count; i-- > 0;) {
        *out = live(sw_vec_at(&l->parts, i));
        if (!*out)
            sw_vec_remove(&l->parts, i);
        else if ((*out)->context == c)
            return SW_OK;
    }
    const sw_api_logs later = {.max_registers = l->max_registers};
    return load_locked(l, c, &later, out);
}

/* A context for questions that the program has none for. */
static sw_status
own_context_locked(library *l, sw_rt_device *d, sw_rt_context **out)
{
    sw_status status = sw_rt_context_create(d, 0, out);
    if (status == SW_OK)
        *(sw_rt_context **)sw_vec_push(&l->own) = *out;
    return status;
}

/* A module on that device, or, if it is NULL, on any: the current context's,
 * or another's. */
static sw_status
any_part(library *l, sw_rt_device *d, sw_rt_module **out)
{
    sw_rt_context *c = sw_rt_current(NULL);
    if (l->broken != SW_OK)
        return l->broken;
    pthread_mutex_lock(&l->lock);
    *out = NULL;
    for (size_t i = 0; i < l->parts.count; i++) {
        sw_rt_module *m = live(sw_vec_at(&l->parts, i));
        if (m && (!d || m->context->device == d) && (!*out || m->context == c))
            *out = m;
    }
    sw_status status = SW_OK;
    if (!*out) {
        if (!c || sw_rt_context_error(c) != SW_OK || (d && c->device != d))
            status = own_context_locked(l, d ? d : sw_rt_device_at(0), &c);
        if (status == SW_OK)
            status = part_locked(l, c, out);
    }
    pthread_mutex_unlock(&l->lock);
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
    pthread_mutex_unlock(&l->lock);
    return status;
}

/* ---- kernels in contexts ---- */

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

sw_status
sw_api_library_kernel_on(const void *handle, sw_rt_device *device,
                         sw_rt_kernel **kernel)
{
    library_kernel *lk = sw_rt_object_get(handle, SW_RT_USER);
    if (!lk)
        return SW_E_INVALID_HANDLE;
    sw_rt_module *m;
    sw_status status = any_part(lk->library, device, &m);
    return status == SW_OK ? sw_rt_module_kernel(m, lk->name, kernel) : status;
}

/* Instead of what was set of the same thing before. */
static void
remember_locked(library *l, const library_setting *setting)
{
    for (size_t i = 0; i < l->settings.count; i++) {
        library_setting *s = sw_vec_at(&l->settings, i);
        if (s->kernel == setting->kernel && s->device == setting->device &&
            s->set == setting->set && s->what == setting->what) {
            s->value = setting->value;
            return;
        }
    }
    *(library_setting *)sw_vec_push(&l->settings) = *setting;
}

CUresult
sw_api_library_kernel_set(const void *handle, sw_rt_device *device,
                          sw_api_kernel_setter *set, int what, int value)
{
    sw_rt_kernel *k;
    TRY(sw_api_library_kernel_on(handle, device, &k));
    CUresult result = set(k, what, value);
    if (result != CUDA_SUCCESS)
        return result;
    library_kernel *lk = sw_rt_object_get(handle, SW_RT_USER);
    library *l = lk->library;
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < l->parts.count; i++) {
        sw_rt_module *m = live(sw_vec_at(&l->parts, i));
        if (m && m->context->device == device && m != k->module &&
            sw_rt_module_kernel(m, lk->name, &k) == SW_OK)
            set(k, what, value);
    }
    remember_locked(l, &(library_setting){lk, device, set, what, value});
    pthread_mutex_unlock(&l->lock);
    return CUDA_SUCCESS;
}

/* ---- loading ---- */

static library *
library_create(void)
{
    library *l = sw_rt_object_new(SW_RT_LIBRARY, sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    l->arena = sw_arena_create();
    sw_vec_init(&l->parts, sizeof(library_part));
    sw_vec_init(&l->own, sizeof(sw_rt_context *));
    sw_vec_init(&l->settings, sizeof(library_setting));
    l->kernels = sw_map_create();
    return l;
}

/* What the options say: how long the code stays, and what the compiler is
 * told. */
static bool
read_options(const CUjit_option *jit, void **jit_values, unsigned jit_count,
             const CUlibraryOption *options, void *const *values,
             unsigned count, sw_api_logs *logs, bool *is_preserved)
{
    if ((jit_count && (!jit || !jit_values)) ||
        (count && (!options || !values)))
        return false;
    *is_preserved = false;
    for (unsigned i = 0; i < count; i++) {
        if ((unsigned)options[i] >= CU_LIBRARY_NUM_OPTIONS)
            return false;
        if (options[i] == CU_LIBRARY_BINARY_IS_PRESERVED)
            *is_preserved = values[i] != NULL;
    }
    return sw_api_read_options(jit_count, jit, jit_values, logs);
}

/* Code that is wrong makes a library too: its kernels are refused. */
static void
load_now(library *l, const void *image, size_t bytes, bool is_preserved,
         const sw_api_logs *logs)
{
    sw_diag diag;
    sw_diag_init(&diag);
    l->max_registers = logs->max_registers;
    l->broken = bytes ? sw_fatbin_parse(l->arena, image, bytes, &l->code, &diag)
                      : sw_fatbin_load(l->arena, image, &l->code, &diag);
    if (l->broken != SW_OK)
        sw_api_tell(&diag, logs);
    sw_diag_finish(&diag);
    if (l->broken != SW_OK)
        return;
    if (!is_preserved)
        sw_fatbin_keep(l->arena, &l->code);
    sw_rt_context *c = sw_rt_current(NULL);
    sw_rt_module *m;
    if (!c || sw_rt_context_error(c) != SW_OK)
        l->broken = own_context_locked(l, sw_rt_device_at(0), &c);
    if (l->broken == SW_OK)
        l->broken = load_locked(l, c, logs, &m);
    if (l->broken == SW_E_NOMEM) /* there may be some when it is used */
        l->broken = SW_OK;
}

CUresult
cuLibraryLoadData(CUlibrary *out, const void *code, CUjit_option *jitOptions,
                  void **jitOptionsValues, unsigned int numJitOptions,
                  CUlibraryOption *libraryOptions, void **libraryOptionValues,
                  unsigned int numLibraryOptions)
{
    NEED_INIT();
    sw_api_logs logs;
    bool is_preserved;
    REQUIRE(out && code, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(read_options(jitOptions, jitOptionsValues, numJitOptions,
                         libraryOptions, libraryOptionValues, numLibraryOptions,
                         &logs, &is_preserved),
            CUDA_ERROR_INVALID_VALUE);
    library *l = library_create();
    load_now(l, code, 0, is_preserved, &logs);
    *out = (CUlibrary)l;
    return CUDA_SUCCESS;
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
    sw_api_logs logs;
    bool is_preserved;
    REQUIRE(out && fileName, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(read_options(jitOptions, jitOptionsValues, numJitOptions,
                         libraryOptions, libraryOptionValues, numLibraryOptions,
                         &logs, &is_preserved),
            CUDA_ERROR_INVALID_VALUE);
    char *image;
    size_t bytes;
    TRY(sw_file_read(fileName, &image, &bytes));
    library *l = bytes ? library_create() : NULL;
    if (l)
        load_now(l, image, bytes, false, &logs);
    sw_free(image);
    REQUIRE(l, CUDA_ERROR_INVALID_IMAGE);
    *out = (CUlibrary)l;
    return CUDA_SUCCESS;
}

CUresult
cuLibraryUnload(CUlibrary handle)
{
    if (sw_rt_is_exiting())
        return CUDA_ERROR_DEINITIALIZED;
    library *l = sw_rt_object_get(handle, SW_RT_LIBRARY);
    REQUIRE(l, CUDA_ERROR_INVALID_HANDLE);
    TRY(sw_rt_capture_check_unsafe());
    for (size_t i = 0; i < l->parts.count; i++) {
        sw_rt_module *m = live(sw_vec_at(&l->parts, i));
        if (m)
            sw_rt_module_destroy(m);
    }
    for (size_t i = 0; i < l->own.count; i++)
        sw_rt_context_destroy(*(sw_rt_context **)sw_vec_at(&l->own, i));
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
    sw_vec_finish(&l->own);
    sw_vec_finish(&l->settings);
    sw_arena_destroy(l->arena);
    pthread_mutex_destroy(&l->lock);
    sw_rt_object_free(l);
    return CUDA_SUCCESS;
}

static sw_status
kernel_of(library *l, const char *name, CUkernel *out)
{
    sw_rt_module *m;
    sw_rt_kernel *k;
    sw_status status = any_part(l, NULL, &m);
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
    REQUIRE(pKernel && name, CUDA_ERROR_INVALID_VALUE);
    library *l = sw_rt_object_get(handle, SW_RT_LIBRARY);
    REQUIRE(l, CUDA_ERROR_INVALID_HANDLE);
    return sw_api_result(kernel_of(l, name, pKernel));
}

CUresult
cuLibraryGetModule(CUmodule *pMod, CUlibrary handle)
{
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
    NEED_INIT();
    REQUIRE(count, CUDA_ERROR_INVALID_VALUE);
    library *l = sw_rt_object_get(lib, SW_RT_LIBRARY);
    REQUIRE(l, CUDA_ERROR_INVALID_HANDLE);
    *count = 0;
    if (l->broken != SW_OK) /* none can be used */
        return CUDA_SUCCESS;
    sw_rt_module *m;
    TRY(any_part(l, NULL, &m));
    return cuModuleGetFunctionCount(count, (CUmodule)m);
}

CUresult
cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels,
                          CUlibrary lib)
{
    NEED_INIT();
    REQUIRE(kernels, CUDA_ERROR_INVALID_VALUE);
    library *l = sw_rt_object_get(lib, SW_RT_LIBRARY);
    REQUIRE(l, CUDA_ERROR_INVALID_HANDLE);
    if (l->broken != SW_OK)
        return CUDA_SUCCESS;
    sw_rt_module *m;
    TRY(any_part(l, NULL, &m));
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
    REQUIRE(pFunc, CUDA_ERROR_INVALID_VALUE);
    sw_rt_kernel *k;
    TRY(sw_api_library_kernel(kernel, &k));
    *pFunc = (CUfunction)k;
    return CUDA_SUCCESS;
}

CUresult
cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
    REQUIRE(pLib, CUDA_ERROR_INVALID_VALUE);
    library_kernel *k = sw_rt_object_get(kernel, SW_RT_USER);
    REQUIRE(k, CUDA_ERROR_INVALID_HANDLE);
    *pLib = (CUlibrary)k->library;
    return CUDA_SUCCESS;
}

CUresult
cuKernelGetName(const char **name, CUkernel hfunc)
{
    REQUIRE(name && hfunc, CUDA_ERROR_INVALID_VALUE);
    const library_kernel *k = sw_rt_object_get(hfunc, SW_RT_USER);
    if (!k) /* of a module? */
        return cuFuncGetName(name, (CUfunction)hfunc);
    *name = k->name;
    return CUDA_SUCCESS;
}

CUresult
cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
                     size_t *paramSize)
{
    REQUIRE(kernel, CUDA_ERROR_INVALID_VALUE);
    return cuFuncGetParamInfo((CUfunction)kernel, paramIndex, paramOffset,
                              paramSize);
}
