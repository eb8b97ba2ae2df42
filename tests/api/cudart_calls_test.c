/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudart_calls_test.c - the runtime library with kernels registered by hand, as
 * a compiler's start-up code does: launches new and old, attributes,
 * occupancy, devices, textures, graphs' memory.
 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "container.h"
#include "softwarp_host_runtime.h"

__attribute__((constructor(101))) static void
choose_devices(void)
{
    setenv("SOFTWARP_DEVICES", "NVIDIA H200,GeForce GTX 280", 1);
}

static const char ptx[] =
    ".version 2.3\n.target sm_13\n.address_size 64\n"
    ".visible .global .align 4 .u32 total = 40;\n"
    ".visible .entry add(.param .u64 p, .param .u32 n) {\n"
    "  .reg .u64 %d<3>; .reg .u32 %r<4>;\n"
    "  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4;\n"
    "  add.u64 %d1, %d1, %d2; ld.global.u32 %r3, [%d1];\n"
    "  add.u32 %r3, %r3, %r1; st.global.u32 [%d1], %r3; ret; }\n"
    ".visible .entry fetch(.param .u64 p, .param .u64 t, .param .f32 x,"
    " .param .f32 y) {\n"
    "  .reg .u64 %d<3>; .reg .f32 %f<7>;\n"
    "  ld.param.u64 %d1, [p]; ld.param.u64 %d2, [t];\n"
    "  ld.param.f32 %f1, [x]; ld.param.f32 %f2, [y];\n"
    "  tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%d2, {%f1,%f2}];\n"
    "  st.global.f32 [%d1], %f3; ret; }\n";

/* What stands for kernels and variables on the host side. */
static char add_stub, fetch_stub, total_shadow;

__attribute__((constructor)) static void
register_code(void)
{
    void **handle = __cudaRegisterFatBinary(container_of(ptx));
    __cudaRegisterFunction(handle, &add_stub, &add_stub, "add", -1, NULL, NULL,
                           NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &fetch_stub, &fetch_stub, "fetch", -1, NULL,
                           NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, &total_shadow, &total_shadow, "total", 0, 4, 0,
                      1);
    __cudaRegisterFatBinaryEnd(handle);
}

static const dim3 one = {1, 1, 1}, four = {4, 1, 1};

CASE(small_things_are_as_on_a_device)
{
    CHECK_EQ(cudaSetDevice(0), cudaSuccess);
    CHECK_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    CHECK_EQ(cudaMemcpy(NULL, NULL, 0, (enum cudaMemcpyKind)77), cudaSuccess);
    struct cudaPitchedPtr p = {NULL, 64, 64, 64};
    CHECK_EQ(cudaMalloc(&p.ptr, 4096), cudaSuccess);
    const struct cudaExtent deep = {4, 1, (size_t)1 << 40};
    const struct cudaExtent empty = {0, 0, (size_t)1 << 40};
    cudaMemset3D(p, 0, empty); /* returns */
    CHECK_EQ(cudaMemset3D(p, 0, deep), cudaErrorInvalidValue);
    CHECK_EQ(cudaFree(p.ptr), cudaSuccess);
    cudaGetLastError();
}

CASE(kernels_are_launched_by_their_stubs)
{
    unsigned *p, v[4] = {1, 2, 3, 4}, n = 10;
    CHECK_EQ(cudaSetDevice(0), cudaSuccess);
    CHECK_EQ(cudaMalloc((void **)&p, sizeof v), cudaSuccess);
    CHECK_EQ(cudaMemcpy(p, v, sizeof v, cudaMemcpyHostToDevice), cudaSuccess);
    void *args[] = {&p, &n};
    CHECK_EQ(cudaLaunchKernel(&add_stub, one, four, args, 0, NULL),
             cudaSuccess);
    CHECK_EQ(cudaLaunchKernel(&total_shadow, one, four, args, 0, NULL),
             cudaErrorInvalidDeviceFunction);
    CHECK_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
    CHECK_EQ(cudaMemcpy(v, p, sizeof v, cudaMemcpyDeviceToHost), cudaSuccess);
    CHECK_EQ(v[0], 11);
    CHECK_EQ(v[3], 14);
    CHECK_EQ(cudaFree(p), cudaSuccess);
}

/* As compilers of CUDA 1 to 6 wrote launches. */
CASE(kernels_are_launched_in_three_steps)
{
    unsigned *p, v[4] = {1, 2, 3, 4}, n = 20;
    CHECK_EQ(cudaMalloc((void **)&p, sizeof v), cudaSuccess);
    CHECK_EQ(cudaMemcpy(p, v, sizeof v, cudaMemcpyHostToDevice), cudaSuccess);
    CHECK_EQ(cudaConfigureCall(one, four, 0, NULL), cudaSuccess);
    CHECK_EQ(cudaSetupArgument(&p, sizeof p, 0), cudaSuccess);
    CHECK_EQ(cudaSetupArgument(&n, sizeof n, 8), cudaSuccess);
    CHECK_EQ(cudaLaunch(&add_stub), cudaSuccess);
    CHECK_EQ(cudaMemcpy(v, p, sizeof v, cudaMemcpyDeviceToHost), cudaSuccess);
    CHECK_EQ(v[1], 22);
    CHECK_EQ(cudaLaunch(&add_stub), cudaErrorMissingConfiguration);
    CHECK_EQ(cudaGetLastError(), cudaErrorMissingConfiguration);
    CHECK_EQ(cudaFree(p), cudaSuccess);
}

CASE(symbols_are_read_and_written)
{
    unsigned v = 0, w = 7;
    size_t bytes = 0;
    CHECK_EQ(
        cudaMemcpyFromSymbol(&v, &total_shadow, 4, 0, cudaMemcpyDeviceToHost),
        cudaSuccess);
    CHECK_EQ(v, 40);
    CHECK_EQ(
        cudaMemcpyToSymbol(&total_shadow, &w, 4, 0, cudaMemcpyHostToDevice),
        cudaSuccess);
    CHECK_EQ(
        cudaMemcpyFromSymbol(&v, &total_shadow, 4, 0, cudaMemcpyDeviceToHost),
        cudaSuccess);
    CHECK_EQ(v, 7);
    CHECK_EQ(cudaGetSymbolSize(&bytes, &total_shadow), cudaSuccess);
    CHECK_EQ(bytes, 4);
}

CASE(attributes_and_occupancy_are_told)
{
    struct cudaFuncAttributes a;
    int blocks = 0;
    CHECK_EQ(cudaFuncGetAttributes(&a, &add_stub), cudaSuccess);
    CHECK(a.numRegs > 0);
    CHECK_EQ(a.maxThreadsPerBlock, 1024);
    CHECK_EQ(a.sharedSizeBytes, 0);
    CHECK_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &add_stub,
                                                           1024, 0),
             cudaSuccess);
    CHECK_EQ(blocks, 2);
    CHECK_EQ(cudaFuncGetAttributes(&a, &total_shadow),
             cudaErrorInvalidDeviceFunction);
    CHECK_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
}

CASE(each_device_has_its_memory_and_its_code)
{
    int count = 0;
    unsigned *p[2], v[4] = {0}, n = 5;
    struct cudaDeviceProp prop;
    void *args[] = {&p[1], &n};
    CHECK_EQ(cudaGetDeviceCount(&count), cudaSuccess);
    CHECK_EQ(count, 2);
    CHECK_EQ(cudaGetDeviceProperties(&prop, 1), cudaSuccess);
    CHECK_EQ(strcmp(prop.name, "GeForce GTX 280"), 0);
    CHECK_EQ(prop.major, 1);
    CHECK_EQ(prop.minor, 3);
    CHECK_EQ(prop.maxThreadsPerBlock, 512);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(cudaSetDevice(i), cudaSuccess);
        CHECK_EQ(cudaMalloc((void **)&p[i], sizeof v), cudaSuccess);
        CHECK_EQ(cudaMemset(p[i], i, sizeof v), cudaSuccess);
    }
    CHECK_EQ(cudaLaunchKernel(&add_stub, one, four, args, 0, NULL),
             cudaSuccess);
    CHECK_EQ(cudaMemcpyPeer(p[0], 0, p[1], 1, sizeof v), cudaSuccess);
    CHECK_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
    CHECK_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
    CHECK_EQ(cudaSetDevice(0), cudaSuccess);
    CHECK_EQ(cudaMemcpy(v, p[0], sizeof v, cudaMemcpyDeviceToHost),
             cudaSuccess);
    CHECK_EQ(v[2], 0x01010101 + 5);
}

static cudaTextureObject_t
texture(cudaArray_t a, enum cudaTextureAddressMode mode, cudaError_t want)
{
    cudaTextureObject_t t = 0;
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc d = {.addressMode = {mode, mode, mode},
                                .filterMode = cudaFilterModeLinear,
                                .readMode = cudaReadModeElementType,
                                .normalizedCoords =
                                    mode == cudaAddressModeWrap};
    r.res.array.array = a;
    CHECK_EQ(cudaCreateTextureObject(&t, &r, &d, NULL), want);
    return t;
}

static float
fetch(cudaTextureObject_t t, float x, float y)
{
    float *p, v = -1;
    CHECK_EQ(cudaMalloc((void **)&p, 4), cudaSuccess);
    void *args[] = {&p, &t, &x, &y};
    CHECK_EQ(cudaLaunchKernel(&fetch_stub, one, one, args, 0, NULL),
             cudaSuccess);
    CHECK_EQ(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    CHECK_EQ(cudaFree(p), cudaSuccess);
    return v;
}

CASE(texture_objects_are_filtered)
{
    cudaArray_t a;
    float v[4][4];
    struct cudaChannelFormatDesc f = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    for (int i = 0; i < 16; i++)
        v[i / 4][i % 4] = (float)i;
    CHECK_EQ(cudaSetDevice(0), cudaSuccess);
    CHECK_EQ(cudaMallocArray(&a, &f, 4, 4, 0), cudaSuccess);
    CHECK_EQ(cudaMemcpy2DToArray(a, 0, 0, v, 16, 16, 4, cudaMemcpyHostToDevice),
             cudaSuccess);
    cudaTextureObject_t t = texture(a, cudaAddressModeClamp, cudaSuccess);
    CHECK(fetch(t, 2, 2) == 7.5f);
    CHECK(fetch(t, -9, 9) == 12);
    CHECK_EQ(cudaDestroyTextureObject(t), cudaSuccess);
    t = texture(a, cudaAddressModeWrap, cudaSuccess);
    CHECK(fetch(t, 1.375f, 0.125f) == 1);
    CHECK(fetch(t, 0, 0.125f) == 1.5f); /* between the last and the first */
    CHECK_EQ(cudaFreeArray(a), cudaSuccess);
    /* Old devices have references only. */
    CHECK_EQ(cudaSetDevice(1), cudaSuccess);
    CHECK_EQ(cudaMallocArray(&a, &f, 4, 4, 0), cudaSuccess);
    texture(a, cudaAddressModeClamp, cudaErrorNotSupported);
    CHECK_EQ(cudaGetLastError(), cudaErrorNotSupported);
    CHECK_EQ(cudaMallocManaged((void **)&a, 4, cudaMemAttachGlobal),
             cudaErrorNotSupported);
    CHECK_EQ(cudaGetLastError(), cudaErrorNotSupported);
    CHECK_EQ(cudaSetDevice(0), cudaSuccess);
}

CASE(graphs_take_nodes_of_any_kind)
{
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t alloc, fill, k, freed;
    unsigned *out, v = 0, n = 2;
    struct cudaMemAllocNodeParams want = {.bytesize = 16};
    want.poolProps.allocType = cudaMemAllocationTypePinned;
    want.poolProps.location.type = cudaMemLocationTypeDevice;
    CHECK_EQ(cudaMalloc((void **)&out, 16), cudaSuccess);
    CHECK_EQ(cudaGraphCreate(&g, 0), cudaSuccess);
    CHECK_EQ(cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &want), cudaSuccess);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemset};
    p.memset.dst = want.dptr;
    p.memset.value = 3;
    p.memset.elementSize = 4;
    p.memset.width = 4;
    p.memset.height = 1;
    CHECK_EQ(cudaGraphAddNode(&fill, g, &alloc, 1, &p), cudaSuccess);
    void *args[] = {&want.dptr, &n};
    struct cudaGraphNodeParams q = {.type = cudaGraphNodeTypeKernel};
    q.kernel.func = &add_stub;
    q.kernel.gridDim = one;
    q.kernel.blockDim = four;
    q.kernel.kernelParams = args;
    CHECK_EQ(cudaGraphAddNode(&k, g, &fill, 1, &q), cudaSuccess);
    CHECK_EQ(cudaGraphAddMemcpyNode1D(&fill, g, &k, 1, out, want.dptr, 16,
                                      cudaMemcpyDeviceToDevice),
             cudaSuccess);
    CHECK_EQ(cudaGraphAddMemFreeNode(&freed, g, &fill, 1, want.dptr),
             cudaSuccess);
    CHECK_EQ(cudaGraphInstantiate(&e, g, 0), cudaSuccess);
    CHECK_EQ(cudaGraphLaunch(e, NULL), cudaSuccess);
    CHECK_EQ(cudaGraphLaunch(e, NULL), cudaSuccess);
    CHECK_EQ(cudaMemcpy(&v, out + 3, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    CHECK_EQ(v, 5);
    CHECK_EQ(cudaGraphExecDestroy(e), cudaSuccess);
    CHECK_EQ(cudaGraphDestroy(g), cudaSuccess);
    CHECK_EQ(cudaDeviceGraphMemTrim(0), cudaSuccess);
}

CASE(handles_of_kernels_are_launched)
{
    unsigned *p, v = 0, n = 2;
    cudaKernel_t k;
    void *args[] = {&p, &n};
    CHECK_EQ(cudaMalloc((void **)&p, 16), cudaSuccess);
    CHECK_EQ(cudaMemset(p, 0, 16), cudaSuccess);
    CHECK_EQ(cudaGetKernel(&k, &add_stub), cudaSuccess);
    CHECK_EQ(cudaLaunchKernel((const void *)k, one, four, args, 0, NULL),
             cudaSuccess);
    CHECK_EQ(cudaMemcpy(&v, p + 3, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    CHECK_EQ(v, 2);
    CHECK(cudaLaunchKernel(&v, one, four, args, 0, NULL) != cudaSuccess);
    CHECK_EQ(cudaGetLastError() != cudaSuccess, true);
    CHECK_EQ(cudaFree(p), cudaSuccess);
}
