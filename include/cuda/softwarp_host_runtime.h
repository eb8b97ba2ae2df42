/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp_host_runtime.h - what compiled programs call without naming it:
 * registration of device code and the two halves of a <<<>>> launch.
 *
 * These are the symbols that nvcc and clang emit calls to. Handles are
 * opaque; all registration happens before main or during a dlopen.
 */
#ifndef SOFTWARP_HOST_RUNTIME_H
#define SOFTWARP_HOST_RUNTIME_H
#include "cuda_runtime_api.h"

#include "softwarp_begin.h"

/* wrapper: {u32 0x466243b1, u32 version, void *fatbin, void *list}. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host_fn, char *device_fn,
                            const char *device_name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block_dim,
                            dim3 *grid_dim, int *warp_size);
void __cudaRegisterVar(void **handle, char *host_var, char *device_address,
                       const char *device_name, int is_extern, size_t bytes,
                       int is_constant, int is_global);
void __cudaRegisterManagedVar(void **handle, void **host_var_pointer,
                              char *device_address, const char *device_name,
                              int is_extern, size_t bytes, int is_constant,
                              int is_global);
/* dim: the reference's cudaTextureType...; normalized: its read mode, true
 * for cudaReadModeNormalizedFloat (that of coordinates is in *host_var). */
void __cudaRegisterTexture(void **handle,
                           const struct textureReference *host_var,
                           const void **device_address, const char *device_name,
                           int dim, int normalized, int is_extern);
void __cudaRegisterSurface(void **handle,
                           const struct surfaceReference *host_var,
                           const void **device_address, const char *device_name,
                           int dim, int is_extern);
char __cudaInitModule(void **handle);

/* A stack per host thread: <<<>>> pushes, the kernel's host stub pops. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                     size_t shared_bytes SW_CUDA_DEFAULT(0),
                                     cudaStream_t stream SW_CUDA_DEFAULT(0));
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                       size_t *shared_bytes, void *stream);

/* nvcc 12 and later launch through a kernel handle. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host_fn);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **args, size_t shared_bytes,
                               cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                    void **args, size_t shared_bytes,
                                    cudaStream_t stream);

/*
 * Managed variables of an executable or library lie between start and stop.
 * Those registered by __cudaRegisterVar with an address in between are at
 * that same address in device code, and hold their initial values when the
 * registration of their fat binary ends. Called before it begins, perhaps
 * several times.
 */
void __cudaRegisterManagedSection(const void *start, const void *stop);

#if defined(__CUDA__) && !defined(__CUDA_ARCH__)
#pragma weak __cudaRegisterManagedSection
extern const char __start_softwarp_managed[]
    __attribute__((weak, visibility("hidden")));
extern const char __stop_softwarp_managed[]
    __attribute__((weak, visibility("hidden")));

__attribute__((weak, visibility("hidden"), constructor(101))) void
sw_register_managed(void)
{
    if (__start_softwarp_managed != __stop_softwarp_managed)
        __cudaRegisterManagedSection(__start_softwarp_managed,
                                     __stop_softwarp_managed);
}
#endif

#if defined(__CUDA__) && defined(__CUDACC_RDC__) && !defined(__CUDA_ARCH__)
/*
 * Called by each object of a separate compilation when the program starts.
 * Every object registers its own device code; the library links them.
 */
__attribute__((weak, visibility("hidden"))) void
__softwarpRegisterLinked(void (*register_symbols)(void **), void *wrapper,
                         const void *module_id, void (*unused)(void *))
{
    void **handle = __cudaRegisterFatBinary(wrapper);

    (void)module_id;
    (void)unused;
    register_symbols(handle);
    __cudaRegisterFatBinaryEnd(handle);
}
#endif

#include "softwarp_end.h"
#endif
