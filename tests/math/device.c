/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - the kernels on a device, by whichever driver library is named. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"

#define CALLS(CALL)                                                            \
    CALL(cuInit)                                                               \
    CALL(cuDeviceGet)                                                          \
    CALL(cuDevicePrimaryCtxRetain)                                             \
    CALL(cuCtxSetCurrent)                                                      \
    CALL(cuModuleLoadData)                                                     \
    CALL(cuModuleGetFunction)                                                  \
    CALL(cuMemAlloc_v2)                                                        \
    CALL(cuMemHostAlloc)                                                       \
    CALL(cuMemcpyHtoDAsync_v2)                                                 \
    CALL(cuLaunchKernel)                                                       \
    CALL(cuCtxSynchronize)

struct math_device {
#define CALL(name) __typeof__(&name) name;
    CALLS(CALL)
#undef CALL
    const char *library;
    CUcontext context;
    CUmodule modules[2];
    CUdeviceptr columns[4];
    const void *pinned[8];
    unsigned pinned_count;
    size_t bytes; /* of a chunk */
};

static void
must(const math_device *d, CUresult status, const char *what)
{
    if (status) {
        fprintf(stderr, "accuracy: %s: %s: error %d\n", d->library, what,
                (int)status);
        exit(2);
    }
}

static CUmodule
load(math_device *d, const char *file)
{
    FILE *f = fopen(file, "rb");
    char *data = NULL;
    long size = -1;
    if (f && !fseek(f, 0, SEEK_END) && (size = ftell(f)) > 0) {
        rewind(f);
        data = calloc(1, (size_t)size + 1);
    }
    if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
        fprintf(stderr, "accuracy: cannot read %s\n", file);
        exit(2);
    }
    fclose(f);
    CUmodule module;
    must(d, d->cuModuleLoadData(&module, data), file);
    free(data);
    return module;
}

math_device *
math_device_open(const char *library, const char *kernels, const char *less,
                 uint32_t chunk)
{
    math_device *d = calloc(1, sizeof *d);
    void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!d || !lib) {
        fprintf(stderr, "accuracy: %s\n", dlerror());
        exit(2);
    }
    d->library = library;
    d->bytes = chunk * (size_t)8;
#define CALL(name)                                                             \
    {                                                                          \
        void *symbol = dlsym(lib, #name);                                      \
        if (!symbol) {                                                         \
            fprintf(stderr, "accuracy: %s lacks " #name "\n", library);        \
            exit(2);                                                           \
        }                                                                      \
        memcpy(&d->name, &symbol, sizeof symbol);                              \
    }
    CALLS(CALL)
#undef CALL
    CUdevice device;
    must(d, d->cuInit(0), "cuInit");
    must(d, d->cuDeviceGet(&device, 0), "cuDeviceGet");
    must(d, d->cuDevicePrimaryCtxRetain(&d->context, device), "context");
    must(d, d->cuCtxSetCurrent(d->context), "context");
    d->modules[0] = load(d, kernels);
    d->modules[1] = load(d, less);
    for (int k = 0; k < 4; k++)
        must(d, d->cuMemAlloc_v2(&d->columns[k], d->bytes), "memory");
    return d;
}

void *
math_device_pin(math_device *d)
{
    void *p;
    must(d, d->cuCtxSetCurrent(d->context), "context");
    must(d, d->cuMemHostAlloc(&p, d->bytes, CU_MEMHOSTALLOC_DEVICEMAP),
         "memory");
    d->pinned[d->pinned_count++] = p;
    return p;
}

/* Memory that this device pinned it also reads. */
static CUdeviceptr
on_device(math_device *d, const void *column, int k, size_t bytes)
{
    for (unsigned i = 0; i < d->pinned_count; i++)
        if (d->pinned[i] == column)
            return (CUdeviceptr)(uintptr_t)column;
    must(d, d->cuMemcpyHtoDAsync_v2(d->columns[k], column, bytes, NULL),
         "arguments");
    return d->columns[k];
}

void
math_device_begin(math_device *d, const math_function *f,
                  void *const columns[4], uint32_t base, uint32_t n, void *out)
{
    must(d, d->cuCtxSetCurrent(d->context), "context");
    char name[64];
    snprintf(name, sizeof name, "k_%s", f->id);
    CUfunction kernel;
    must(d, d->cuModuleGetFunction(&kernel, d->modules[f->less_precise], name),
         name);
    CUdeviceptr in[4] = {0};
    size_t bytes = n * (size_t)(f->type == f32 ? 4 : 8);
    for (int k = 0; k < f->arguments && columns[0]; k++)
        in[k] = on_device(d, columns[k], k, bytes);
    void *parameters[] = {&in[0], &in[1], &in[2], &in[3], &out, &base, &n};
    must(d,
         d->cuLaunchKernel(kernel, (n + 255) / 256, 1, 1, 256, 1, 1, 0, NULL,
                           parameters, NULL),
         name);
}

void
math_device_wait(math_device *d)
{
    must(d, d->cuCtxSetCurrent(d->context), "context");
    must(d, d->cuCtxSynchronize(), "results");
}
