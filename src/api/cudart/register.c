/* SPDX-License-Identifier: Apache-2.0 */
/*
 * register.c - device code and symbols that programs register before main, and
 * how they become modules: at the first use in a device's context.
 *
 * A container whose code needs symbols of others (separate compilation) is
 * linked with all containers of the process; so then are they all.
 */
#include <pthread.h>
#include <string.h>

#include "api/cudart/cudart.h"

enum { DEVICES = 64, WRAPPER_MAGIC = 0x466243b1, SYMBOL_MAGIC = 0x53774674 };

/* What compilers leave in a program for each container. */
typedef struct {
    uint32_t magic, version;
    const void *data;
    const void *const *list; /* version 2: NULL-terminated */
} wrapper;

typedef struct fatbin {
    const wrapper *image;
    bool dead;
    bool needs_link, scanned;
    bool has_placed; /* variables in the program's own memory */
    CUmodule modules[DEVICES];
    CUresult status[DEVICES]; /* of the last try to load */
} fatbin;

/* Memory of a program or library that holds its managed variables. */
typedef struct {
    const char *start, *stop;
} section;

typedef enum { FUNCTION, VARIABLE, MANAGED, TEXTURE, SURFACE } symbol_kind;

typedef struct {
    uint32_t magic;
    symbol_kind kind;
    fatbin *owner;
    const void *host;
    char *name;
    size_t bytes;
    bool as_float; /* TEXTURE */
    CUfunction functions[DEVICES];
    void **pointer; /* MANAGED: what the program reads it through */
} entry;

static struct {
    pthread_mutex_t lock;
    sw_vec fatbins;  /* fatbin * */
    sw_map *symbols; /* host address -> entry */
    sw_map *names;   /* device name -> entry, variables and textures */
    sw_vec sections; /* section: where managed variables lie */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
prepare_locked(void)
{
    if (!all.symbols) {
        sw_vec_init(&all.fatbins, sizeof(fatbin *));
        sw_vec_init(&all.sections, sizeof(section));
        all.symbols = sw_map_create();
        all.names = sw_map_create();
    }
}

static sw_str
key_of(const void *const *host)
{
    return (sw_str){(const char *)host, sizeof *host};
}

static fatbin *
fatbin_at(size_t i)
{
    return *(fatbin **)sw_vec_at(&all.fatbins, i);
}

/* What our libcuda offers beyond the driver API. */
const sw_api_runtime_table *
sw_rta_runtime_table(void)
{
    static const CUuuid id = {{'s', 'o', 'f', 't', 'w', 'a', 'r', 'p', '-', 'r',
                               'u', 'n', 't', 'i', 'm', 'e'}};
    const void *table;
    return cuGetExportTable(&table, &id) == CUDA_SUCCESS ? table : NULL;
}

const char *
sw_rta_name_host(uint64_t address)
{
    const char *name = NULL;
    size_t it = 0;
    sw_str key;
    void *value;
    pthread_mutex_lock(&all.lock);
    while (all.symbols && sw_map_next(all.symbols, &it, &key, &value)) {
        const entry *s = value;
        if (s->kind == VARIABLE &&
            address - (uint64_t)(uintptr_t)s->host < s->bytes)
            name = s->name;
    }
    pthread_mutex_unlock(&all.lock);
    return name;
}

/* The variables of a container that lie in the program's own memory. */
static void
find_placed_locked(const fatbin *f, sw_vec *out)
{
    size_t it = 0;
    sw_str key;
    void *value;
    while (sw_map_next(all.symbols, &it, &key, &value)) {
        const entry *s = value;
        const char *host = s->host;
        if (s->owner != f || s->kind != VARIABLE)
            continue;
        for (size_t i = 0; i < all.sections.count; i++) {
            const section *in = sw_vec_at(&all.sections, i);
            if (host >= in->start && host < in->stop) {
                *(sw_api_placement *)sw_vec_push(out) = (sw_api_placement){
                    s->name, (void *)(uintptr_t)s->host, s->bytes};
                break;
            }
        }
    }
}

/* ---- registration ---- */

void
__cudaRegisterManagedSection(const void *start, const void *stop)
{
    pthread_mutex_lock(&all.lock);
    prepare_locked();
    bool known = false;
    for (size_t i = 0; i < all.sections.count; i++)
        known |= ((section *)sw_vec_at(&all.sections, i))->start == start;
    if (!known)
        *(section *)sw_vec_push(&all.sections) = (section){start, stop};
    pthread_mutex_unlock(&all.lock);
}

void **
__cudaRegisterFatBinary(void *image)
{
    fatbin *f = sw_alloc(sizeof *f);
    f->image = image;
    pthread_mutex_lock(&all.lock);
    prepare_locked();
    *(fatbin **)sw_vec_push(&all.fatbins) = f;
    pthread_mutex_unlock(&all.lock);
    return (void **)f;
}

void
__cudaRegisterFatBinaryEnd(void **handle)
{
    fatbin *f = (fatbin *)handle;
    sw_vec placed;
    sw_vec_init(&placed, sizeof(sw_api_placement));
    pthread_mutex_lock(&all.lock);
    find_placed_locked(f, &placed);
    f->has_placed = placed.count > 0;
    pthread_mutex_unlock(&all.lock);
    const sw_api_runtime_table *table =
        placed.count ? sw_rta_runtime_table() : NULL;
    if (table)
        table->initialize(f->image, placed.data, placed.count);
    sw_vec_finish(&placed);
}

void
__cudaUnregisterFatBinary(void **handle)
{
    fatbin *f = (fatbin *)handle;
    if (!f)
        return;
    pthread_mutex_lock(&all.lock);
    f->dead = true;
    size_t it = 0;
    sw_str key;
    void *value;
    sw_vec gone;
    sw_vec_init(&gone, sizeof(entry *));
    while (sw_map_next(all.symbols, &it, &key, &value))
        if (((entry *)value)->owner == f)
            *(entry **)sw_vec_push(&gone) = value;
    for (size_t i = 0; i < gone.count; i++) {
        entry *s = *(entry **)sw_vec_at(&gone, i);
        sw_map_remove(all.symbols, key_of(&s->host));
        if (sw_map_get(all.names, sw_str_of(s->name)) == s)
            sw_map_remove(all.names, sw_str_of(s->name));
        s->magic = 0;
    }
    sw_vec_finish(&gone);
    for (int d = 0; d < DEVICES; d++)
        if (f->modules[d])
            cuModuleUnload(f->modules[d]); /* refused once exit has begun */
    pthread_mutex_unlock(&all.lock);
}

static entry *
add(void **handle, symbol_kind kind, const void *host, const char *name)
{
    entry *s = sw_alloc(sizeof *s);
    s->magic = SYMBOL_MAGIC;
    s->kind = kind;
    s->owner = (fatbin *)handle;
    s->host = host;
    s->name = sw_strdup(name);
    pthread_mutex_lock(&all.lock);
    prepare_locked();
    sw_map_set(all.symbols, key_of(&s->host), s);
    if (kind != FUNCTION)
        sw_map_set(all.names, sw_str_of(name), s);
    pthread_mutex_unlock(&all.lock);
    return s;
}

void
__cudaRegisterFunction(void **handle, const char *host_fn, char *device_fn,
                       const char *device_name, int thread_limit, uint3 *tid,
                       uint3 *bid, dim3 *block_dim, dim3 *grid_dim,
                       int *warp_size)
{
    (void)device_fn;
    (void)thread_limit;
    (void)tid;
    (void)bid;
    (void)block_dim;
    (void)grid_dim;
    (void)warp_size;
    add(handle, FUNCTION, host_fn, device_name);
}

void
__cudaRegisterVar(void **handle, char *host_var, char *device_address,
                  const char *device_name, int is_extern, size_t bytes,
                  int is_constant, int is_global)
{
    (void)device_address;
    (void)is_extern;
    (void)is_constant;
    (void)is_global;
    add(handle, VARIABLE, host_var, device_name)->bytes = bytes;
}

void
__cudaRegisterManagedVar(void **handle, void **host_var_pointer,
                         char *device_address, const char *device_name,
                         int is_extern, size_t bytes, int is_constant,
                         int is_global)
{
    (void)device_address;
    (void)is_extern;
    (void)is_constant;
    (void)is_global;
    entry *s = add(handle, MANAGED, host_var_pointer, device_name);
    s->bytes = bytes;
    s->pointer = host_var_pointer;
}

void
__cudaRegisterTexture(void **handle, const struct textureReference *host_var,
                      const void **device_address, const char *device_name,
                      int dim, int normalized, int is_extern)
{
    (void)device_address;
    (void)dim;
    (void)is_extern;
    add(handle, TEXTURE, host_var, device_name)->as_float = normalized;
}

void
__cudaRegisterSurface(void **handle, const struct surfaceReference *host_var,
                      const void **device_address, const char *device_name,
                      int dim, int is_extern)
{
    (void)device_address;
    (void)dim;
    (void)is_extern;
    add(handle, SURFACE, host_var, device_name);
}

/* ---- loading ---- */

static bool
needs_link(const void *image)
{
    const sw_api_runtime_table *table = sw_rta_runtime_table();
    return table && table->needs_link(image);
}

static CUresult
load_placed(CUmodule *module, const void *image, const sw_vec *placed)
{
    const sw_api_runtime_table *table =
        placed->count ? sw_rta_runtime_table() : NULL;
    return table ? table->load(module, image, placed->data, placed->count)
                 : cuModuleLoadData(module, image);
}

static bool
any_needs_link_locked(void)
{
    bool any = false;
    if (all.fatbins.count < 2)
        return false;
    for (size_t i = 0; i < all.fatbins.count; i++) {
        fatbin *f = fatbin_at(i);
        if (f->dead)
            continue;
        if (!f->scanned) {
            f->needs_link = needs_link(f->image);
            f->scanned = true;
        }
        any |= f->needs_link;
    }
    return any;
}

static void
set_pointers_locked(const fatbin *f, CUmodule module)
{
    size_t it = 0;
    sw_str key;
    void *value;
    while (sw_map_next(all.symbols, &it, &key, &value)) {
        entry *s = value;
        CUdeviceptr addr;
        if (s->kind == MANAGED && s->owner == f &&
            cuModuleGetGlobal_v2(&addr, NULL, module, s->name) == CUDA_SUCCESS)
            *s->pointer = (void *)(uintptr_t)addr;
    }
}

/* One module of all containers that have none yet. */
static CUresult
load_together_locked(int device)
{
    static const uint32_t empty[4] = {0xba55ed50, 1 | 16 << 16, 0, 0};
    sw_vec list;
    sw_vec_init(&list, sizeof(const void *));
    sw_vec placed;
    sw_vec_init(&placed, sizeof(sw_api_placement));
    for (size_t i = 0; i < all.fatbins.count; i++) {
        const fatbin *f = fatbin_at(i);
        if (f->dead || f->modules[device])
            continue;
        find_placed_locked(f, &placed);
        const wrapper *w = f->image;
        *(const void **)sw_vec_push(&list) = w->data;
        if (w->version == 2)
            for (const void *const *p = w->list; p && *p; p++)
                *(const void **)sw_vec_push(&list) = *p;
    }
    sw_vec_push(&list);
    wrapper together = {WRAPPER_MAGIC, 2, empty, list.data};
    CUmodule module;
    CUresult status = load_placed(&module, &together, &placed);
    sw_vec_finish(&placed);
    for (size_t i = 0; i < all.fatbins.count; i++) {
        fatbin *f = fatbin_at(i);
        if (f->dead || f->modules[device])
            continue;
        f->status[device] = status;
        if (status == CUDA_SUCCESS) {
            f->modules[device] = module;
            set_pointers_locked(f, module);
        }
    }
    sw_vec_finish(&list);
    return status;
}

static CUresult
module_locked(fatbin *f, CUmodule *out)
{
    int device = sw_rta_device();
    if (f->dead || device < 0 || device >= DEVICES)
        return CUDA_ERROR_NOT_FOUND;
    if (!f->modules[device] && f->status[device] == CUDA_SUCCESS) {
        if (any_needs_link_locked()) {
            load_together_locked(device);
        } else {
            CUmodule module = NULL;
            sw_vec placed;
            sw_vec_init(&placed, sizeof(sw_api_placement));
            find_placed_locked(f, &placed);
            f->status[device] = load_placed(&module, f->image, &placed);
            sw_vec_finish(&placed);
            if (f->status[device] == CUDA_SUCCESS) {
                f->modules[device] = module;
                set_pointers_locked(f, module);
            }
        }
    }
    *out = f->modules[device];
    return f->status[device];
}

char
__cudaInitModule(void **handle)
{
    if (sw_rta_enter() != CUDA_SUCCESS)
        return 0;
    CUmodule module;
    pthread_mutex_lock(&all.lock);
    CUresult status = module_locked((fatbin *)handle, &module);
    pthread_mutex_unlock(&all.lock);
    return status == CUDA_SUCCESS;
}

void
sw_rta_load_placed(void)
{
    CUmodule ignored;
    pthread_mutex_lock(&all.lock);
    for (size_t i = 0; i < all.fatbins.count; i++)
        if (fatbin_at(i)->has_placed)
            module_locked(fatbin_at(i), &ignored);
    pthread_mutex_unlock(&all.lock);
}

void
sw_rta_unload(int device)
{
    pthread_mutex_lock(&all.lock);
    prepare_locked();
    for (size_t i = 0; i < all.fatbins.count; i++) {
        fatbin_at(i)->modules[device] = NULL;
        fatbin_at(i)->status[device] = CUDA_SUCCESS;
    }
    size_t it = 0;
    sw_str key;
    void *value;
    while (sw_map_next(all.symbols, &it, &key, &value))
        ((entry *)value)->functions[device] = NULL;
    pthread_mutex_unlock(&all.lock);
}

/* ---- symbols ---- */

static entry *
symbol_locked(const void *host)
{
    prepare_locked();
    return sw_map_get(all.symbols, key_of(&host));
}

/* The entry that a handle of cudaGetKernel is; NULL if it is none. */
static entry *
entry_locked(const void *handle)
{
    size_t it = 0;
    sw_str key;
    void *value;
    while (sw_map_next(all.symbols, &it, &key, &value))
        if (value == handle)
            return value;
    return NULL;
}

static cudaError_t
function_locked(entry *s, int device, CUfunction *out)
{
    CUmodule module;
    CUresult status = module_locked(s->owner, &module);
    if (status == CUDA_SUCCESS)
        status = cuModuleGetFunction(out, module, s->name);
    if (status == CUDA_SUCCESS)
        __atomic_store_n(&s->functions[device], *out, __ATOMIC_RELEASE);
    if (status == CUDA_ERROR_NOT_FOUND)
        return cudaErrorInvalidDeviceFunction;
    return (cudaError_t)status;
}

cudaError_t
sw_rta_function(const void *host, CUfunction *out)
{
    if (!host)
        return cudaErrorInvalidDeviceFunction;
    int device = sw_rta_device();
    if (device < 0 || device >= DEVICES)
        return cudaErrorInvalidDevice;
    pthread_mutex_lock(&all.lock);
    entry *s = symbol_locked(host);
    if (!s)
        s = entry_locked(host);
    cudaError_t error = cudaErrorInvalidDeviceFunction;
    if (s && s->kind == FUNCTION) {
        *out = s->functions[device];
        error = *out ? cudaSuccess : function_locked(s, device, out);
    }
    pthread_mutex_unlock(&all.lock);
    if (!s && cuKernelGetFunction(out, (CUkernel)host) == CUDA_SUCCESS)
        return cudaSuccess; /* of a library */
    return error;
}

cudaError_t
sw_rta_host_function(CUfunction f, const void **host)
{
    int device = sw_rta_device();
    if (device < 0 || device >= DEVICES)
        return cudaErrorInvalidDevice;
    cudaError_t error = cudaErrorInvalidDeviceFunction;
    pthread_mutex_lock(&all.lock);
    prepare_locked();
    size_t it = 0;
    sw_str key;
    void *value;
    while (error && sw_map_next(all.symbols, &it, &key, &value)) {
        const entry *s = value;
        if (s->kind == FUNCTION && s->functions[device] == f) {
            *host = s->host;
            error = cudaSuccess;
        }
    }
    pthread_mutex_unlock(&all.lock);
    return error;
}

cudaError_t
sw_rta_symbol(const void *host, CUdeviceptr *addr, size_t *bytes)
{
    if (!host)
        return cudaErrorInvalidSymbol;
    pthread_mutex_lock(&all.lock);
    entry *s = symbol_locked(host);
    if (!s) { /* until CUDA 5 a symbol could be given by name */
        size_t it = 0;
        sw_str key;
        void *value;
        while (!s && sw_map_next(all.names, &it, &key, &value))
            if (memcmp(host, key.p, 1) == 0 &&
                strncmp(host, key.p, key.n) == 0 &&
                ((const char *)host)[key.n] == 0)
                s = value;
    }
    cudaError_t error = cudaErrorInvalidSymbol;
    if (s && (s->kind == VARIABLE || s->kind == MANAGED)) {
        CUmodule module;
        CUresult status = module_locked(s->owner, &module);
        if (status == CUDA_SUCCESS)
            status = cuModuleGetGlobal_v2(addr, bytes, module, s->name);
        error = status == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol
                                               : (cudaError_t)status;
    }
    pthread_mutex_unlock(&all.lock);
    return error;
}

cudaError_t
sw_rta_texref(const void *host, CUtexref *out, bool *as_float)
{
    pthread_mutex_lock(&all.lock);
    entry *s = symbol_locked(host);
    cudaError_t error = cudaErrorInvalidTexture;
    if (s && (s->kind == TEXTURE || s->kind == SURFACE)) {
        CUmodule module;
        CUresult status = module_locked(s->owner, &module);
        if (status == CUDA_SUCCESS)
            status =
                s->kind == TEXTURE
                    ? cuModuleGetTexRef(out, module, s->name)
                    : cuModuleGetSurfRef((CUsurfref *)out, module, s->name);
        error = status == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidTexture
                                               : (cudaError_t)status;
        *as_float = s->as_float;
    }
    pthread_mutex_unlock(&all.lock);
    return error;
}

/* ---- kernels as handles ---- */

/* The handle is our symbol; a CUkernel of a library is taken as well. */
cudaError_t
__cudaGetKernel(cudaKernel_t *kernel, const void *host_fn)
{
    REQUIRE(kernel, cudaErrorInvalidValue);
    pthread_mutex_lock(&all.lock);
    entry *s = symbol_locked(host_fn);
    pthread_mutex_unlock(&all.lock);
    REQUIRE(s && s->kind == FUNCTION, cudaErrorInvalidDeviceFunction);
    *kernel = (cudaKernel_t)s;
    return cudaSuccess;
}

cudaError_t
cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr)
{
    return __cudaGetKernel(kernelPtr, entryFuncAddr);
}

cudaError_t
sw_rta_kernel(cudaKernel_t kernel, CUfunction *out)
{
    entry *s = (entry *)kernel;
    if (!s)
        return cudaErrorInvalidDeviceFunction;
    if (s->magic != SYMBOL_MAGIC) {
        *out = (CUfunction)kernel;
        return cudaSuccess;
    }
    int device = sw_rta_device();
    if (device < 0 || device >= DEVICES)
        return cudaErrorInvalidDevice;
    *out = __atomic_load_n(&s->functions[device], __ATOMIC_ACQUIRE);
    if (*out)
        return cudaSuccess;
    pthread_mutex_lock(&all.lock);
    cudaError_t error = function_locked(s, device, out);
    pthread_mutex_unlock(&all.lock);
    return error;
}

cudaError_t
cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr)
{
    ENTER();
    CUfunction f;
    cudaError_t error = sw_rta_function(symbolPtr, &f);
    if (error == cudaSuccess && functionPtr)
        *functionPtr = (cudaFunction_t)f;
    return error == cudaSuccess ? error : sw_rta_fail(error);
}

cudaError_t
cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
    REQUIRE(devPtr, cudaErrorInvalidValue);
    ENTER();
    CUdeviceptr addr;
    cudaError_t error = sw_rta_symbol(symbol, &addr, NULL);
    if (error != cudaSuccess)
        return sw_rta_fail(error);
    *devPtr = (void *)(uintptr_t)addr;
    return cudaSuccess;
}

cudaError_t
cudaGetSymbolSize(size_t *size, const void *symbol)
{
    REQUIRE(size, cudaErrorInvalidValue);
    ENTER();
    CUdeviceptr addr;
    cudaError_t error = sw_rta_symbol(symbol, &addr, size);
    return error == cudaSuccess ? error : sw_rta_fail(error);
}
