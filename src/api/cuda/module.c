/* SPDX-License-Identifier: Apache-2.0 */
/* module.c - modules, libraries and the linker. */
#include <string.h>

#include "api/cuda/api.h"
#include "api/cuda/library.h"
#include "front/fatbin/fatbin.h"
#include "front/ptx/ptx.h"

/* ---- loading, with what the compiler has to say ---- */

typedef struct {
    char *info, *error;
    size_t info_bytes, error_bytes;
    void **info_size, **error_size; /* where the size used goes */
} jit_logs;

static void
read_options(unsigned count, const CUjit_option *options, void **values,
             jit_logs *logs)
{
    *logs = (jit_logs){0};
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
        default: /* how to compile, not what it means */
            break;
        }
    }
}

static void
put_log(char *to, size_t room, void **size, const char *text, size_t n)
{
    if (to && room) {
        if (n > room - 1)
            n = room - 1;
        memcpy(to, text, n);
        to[n] = 0;
        if (size)
            *size = (void *)(uintptr_t)n;
    } else if (size) {
        *size = NULL;
    }
}

/* To the program's buffers; errors also to stderr if it has none for them. */
static void
tell(const sw_diag *diag, const jit_logs *logs)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_diag_print(diag, &text);
    const char *p = text.n ? text.p : "";
    if (diag->errors) {
        put_log(logs->error, logs->error_bytes, logs->error_size, p, text.n);
        put_log(logs->info, logs->info_bytes, logs->info_size, "", 0);
        if (!logs->error && text.n)
            sw_log(SW_LOG_ERROR, "%.*s", (int)text.n - 1, p);
    } else {
        put_log(logs->info, logs->info_bytes, logs->info_size, p, text.n);
        put_log(logs->error, logs->error_bytes, logs->error_size, "", 0);
        if (text.n && sw_log_is_on(SW_LOG_INFO))
            sw_log(SW_LOG_INFO, "%.*s", (int)text.n - 1, p);
    }
    sw_buf_finish(&text);
}

static sw_status
load(sw_rt_context *c, const void *image, size_t bytes, const char *name,
     const jit_logs *logs, sw_rt_module **out)
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_status status = sw_rt_module_load(c, image, bytes, name, &diag, out);
    tell(&diag, logs);
    sw_diag_finish(&diag);
    /* What the driver calls code whose symbols nobody defines. */
    return status == SW_E_NOT_FOUND ? SW_E_INVALID_PTX : status;
}

CUresult
cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                   CUjit_option *options, void **optionValues)
{
    ENTER(c);
    REQUIRE(module && image, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(!numOptions || (options && optionValues), CUDA_ERROR_INVALID_VALUE);
    jit_logs logs;
    read_options(numOptions, options, optionValues, &logs);
    sw_rt_module *m;
    TRY(load(c, image, 0, "<memory>", &logs, &m));
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
    const jit_logs none = {0};
    sw_rt_module *m;
    sw_status status =
        bytes ? load(c, image, bytes, fname, &none, &m) : SW_E_INVALID_IMAGE;
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
    REQUIRE(hfunc && name, CUDA_ERROR_INVALID_VALUE);
    sw_rt_module *m = sw_rt_object_get(hmod, SW_RT_MODULE);
    REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
    sw_rt_kernel *k;
    TRY(sw_rt_module_kernel(m, name, &k));
    *hfunc = (CUfunction)k;
    return CUDA_SUCCESS;
}

CUresult
cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
    NEED_INIT();
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
    REQUIRE(name && (dptr || bytes), CUDA_ERROR_INVALID_VALUE);
    sw_rt_module *m = sw_rt_object_get(hmod, SW_RT_MODULE);
    REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
    uint64_t addr, n;
    bool managed;
    TRY(sw_rt_module_global(m, name, &addr, &n, &managed));
    if (dptr)
        *dptr = addr;
    if (bytes)
        *bytes = n;
    return CUDA_SUCCESS;
}

/* ---- libraries ---- */

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
    sw_vec parts;    /* library_part: a context's module each */
    sw_map *kernels; /* name -> library_kernel */
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
    const jit_logs none = {0};
    sw_status status = load(c, l->image, l->bytes, "<memory>", &none, out);
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
    pthread_mutex_lock(&l->lock);
    status = part_locked(l, c, out);
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

CUresult
cuLibraryLoadData(CUlibrary *out, const void *code, CUjit_option *jitOptions,
                  void **jitOptionsValues, unsigned int numJitOptions,
                  CUlibraryOption *libraryOptions, void **libraryOptionValues,
                  unsigned int numLibraryOptions)
{
    NEED_INIT();
    (void)jitOptions;
    (void)jitOptionsValues;
    (void)numJitOptions;
    (void)libraryOptions;
    (void)libraryOptionValues;
    (void)numLibraryOptions;
    REQUIRE(out && code, CUDA_ERROR_INVALID_VALUE);
    library *l = library_create(code, NULL, 0);
    /* The caller may let go of the image: what is needed now is read now. */
    sw_rt_module *m;
    sw_status status = sw_rt_current(NULL) ? library_module(l, &m) : SW_OK;
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
    (void)jitOptions;
    (void)jitOptionsValues;
    (void)numJitOptions;
    (void)libraryOptions;
    (void)libraryOptionValues;
    (void)numLibraryOptions;
    REQUIRE(out && fileName, CUDA_ERROR_INVALID_VALUE);
    char *image;
    size_t bytes;
    TRY(sw_file_read(fileName, &image, &bytes));
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
    (void)fptr;
    (void)handle;
    (void)symbol;
    return sw_api_unsupported("cuLibraryGetUnifiedFunction");
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
    return cuFuncGetName(name, (CUfunction)hfunc);
}

CUresult
cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
                     size_t *paramSize)
{
    return cuFuncGetParamInfo((CUfunction)kernel, paramIndex, paramOffset,
                              paramSize);
}

/* ---- the linker: what it makes is a container of the PTX it was given ---- */

typedef struct {
    sw_rt_object object;
    sw_vec inputs; /* sw_buf: a fat binary each */
    sw_buf result;
    jit_logs logs;
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
    read_options(numOptions, options, optionValues, &l->logs);
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
        tell(&diag, &l->logs);
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

/* ---- for the runtime library ---- */

/* True if the text declares a function or variable to be defined elsewhere:
 * ".extern .func" and so on, but for what every engine provides and for
 * dynamic shared memory. */
static bool
has_extern(sw_str text)
{
    const char *p = text.p, *end = text.p + text.n;
    const char word[] = ".extern";
    while ((p = memmem(p, (size_t)(end - p), word, sizeof word - 1))) {
        p += sizeof word - 1;
        const char *stop = p;
        while (stop < end && *stop != ';' && *stop != '{')
            stop++;
        sw_str rest = {p, (size_t)(stop - p)};
        if (memmem(rest.p, rest.n, ".shared", 7))
            continue;
        if (memmem(rest.p, rest.n, ".func", 5)) {
            static const char *const builtins[] = {"vprintf", "malloc",
                                                   "free",    "__assertfail",
                                                   "__cuda_", "cudaMalloc"};
            bool known = false;
            for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
                known |= memmem(rest.p, rest.n, builtins[i],
                                strlen(builtins[i])) != NULL;
            if (known)
                continue;
        }
        return true;
    }
    return false;
}

bool
sw_api_needs_link(const void *image)
{
    sw_arena *arena = sw_arena_create();
    sw_vec images;
    sw_vec_init(&images, sizeof(const sw_fatbin_entry *));
    sw_fatbin fatbin;
    bool needs = false;
    if (sw_fatbin_load(arena, image, &fatbin, NULL) == SW_OK &&
        fatbin.modules == 1 &&
        sw_fatbin_images(&fatbin, 90, &images, NULL) == SW_OK)
        for (size_t i = 0; i < images.count; i++)
            needs |= has_extern(
                (*(const sw_fatbin_entry **)sw_vec_at(&images, i))->data);
    sw_vec_finish(&images);
    sw_arena_destroy(arena);
    return needs;
}

CUresult
sw_api_load_placed(CUmodule *module, const void *image,
                   const sw_api_placement *at, size_t count)
{
    sw_vec places;
    sw_vec_init(&places, sizeof(sw_rt_placement));
    for (size_t i = 0; i < count; i++)
        *(sw_rt_placement *)sw_vec_push(&places) = (sw_rt_placement){
            at[i].name, (uint64_t)(uintptr_t)at[i].host, at[i].bytes};
    sw_rt_module_place(places.data, places.count);
    CUresult status = cuModuleLoadData(module, image);
    sw_rt_module_place(NULL, 0);
    sw_vec_finish(&places);
    return status;
}

static void
initialize_from(const sw_module *m, const sw_api_placement *at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const sw_sym *s = sw_module_find(m, at[i].name);
        if (s && s->init_bytes && s->init_bytes <= at[i].bytes)
            memcpy(at[i].host, s->init, s->init_bytes);
    }
}

bool
sw_api_initialize(const void *image, const sw_api_placement *at, size_t count)
{
    sw_arena *arena = sw_arena_create();
    sw_vec images;
    sw_vec_init(&images, sizeof(const sw_fatbin_entry *));
    sw_fatbin fatbin;
    bool ok = sw_fatbin_load(arena, image, &fatbin, NULL) == SW_OK &&
              sw_fatbin_images(&fatbin, 90, &images, NULL) == SW_OK;
    for (size_t i = 0; ok && i < images.count; i++) {
        const sw_fatbin_entry *e =
            *(const sw_fatbin_entry **)sw_vec_at(&images, i);
        sw_module *m = sw_ptx_parse("<program>", e->data.p, e->data.n, NULL);
        ok = m != NULL;
        if (m)
            initialize_from(m, at, count);
        sw_module_destroy(m);
    }
    sw_vec_finish(&images);
    sw_arena_destroy(arena);
    return ok;
}
