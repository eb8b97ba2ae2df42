/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudart_bad_test.c - the runtime API with wrong arguments: bad_runtime.def.
 *
 * On a real device KERNEL and VARIABLE are host addresses that a compiler
 * registered, given by -D.
 */
#include <cuda_runtime_api.h>

#include "check.h"

#include "bad.h"
#include "registered.h"

static struct cudaDeviceProp prop;
static cudaStream_t stream, stream2;
static cudaEvent_t event, event2, untimed;
static cudaArray_t array, array2;
static cudaTextureObject_t tex2;
static cudaSurfaceObject_t surf2;
static cudaGraph_t graph, graph2;
static cudaGraphNode_t node, node2;
static cudaGraphExec_t exec2;
static enum cudaGraphNodeType node_type;
static cudaMemPool_t pool, pool2;
static cudaFunction_t function2;
static cudaKernel_t kernel2;
static cudaLibrary_t library2;
static struct cudaFuncAttributes attributes;
static struct cudaChannelFormatDesc format2;
static enum cudaDriverEntryPointQueryResult query;
static void *p, *q, *managed, *pinned;
static int i;
static unsigned u;
static size_t n;
static float f;
static char text[64];

static int bad_devices[] = {99};
static const struct cudaExtent extent = {16, 16, 16};
static const struct cudaPitchedPtr no_pitch;
static const struct cudaMemcpy3DParms copy_nothing;
static struct cudaMemcpy3DParms copy_kind;
static const struct cudaChannelFormatDesc format = {32, 0, 0, 0,
                                                    cudaChannelFormatKindFloat};
static const struct cudaChannelFormatDesc bad_format = {
    5, 0, 0, 0, cudaChannelFormatKindFloat};
static struct cudaResourceDesc resource, bad_resource, linear_nowhere;
static struct cudaTextureDesc texture, bad_texture;
static const struct cudaMemPoolProps pool_props = {
    .allocType = cudaMemAllocationTypePinned,
    .location = {.type = cudaMemLocationTypeDevice, .id = 0}};
static const dim3 one = {1, 1, 1}, zero = {1, 0, 1}, block = {1024, 1, 1},
                  big_block = {1025, 1, 1}, deep_block = {1, 1, 65},
                  big_grid = {1, 65536, 1}, many = {1 << 20, 1, 1};
static struct cudaKernelNodeParams kernel_node;

static void
callback(cudaStream_t s, cudaError_t status, void *data)
{
    (void)s;
    (void)status;
    (void)data;
}

static void
make_objects(void)
{
    CHECK_EQ(cudaStreamCreate(&stream), cudaSuccess);
    CHECK_EQ(cudaEventCreate(&event), cudaSuccess);
    CHECK_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming),
             cudaSuccess);
    CHECK_EQ(cudaMalloc(&p, 4096), cudaSuccess);
    CHECK_EQ(cudaMallocManaged(&managed, 4096, cudaMemAttachGlobal),
             cudaSuccess);
    CHECK_EQ(cudaHostAlloc(&pinned, 4096, 0), cudaSuccess);
    CHECK_EQ(cudaMallocArray(&array, &format, 16, 16, 0), cudaSuccess);
    CHECK_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    CHECK_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    CHECK_EQ(cudaGraphAddEmptyNode(&node, graph, NULL, 0), cudaSuccess);
    copy_kind.srcPtr = (struct cudaPitchedPtr){text, 4, 4, 1};
    copy_kind.dstPtr = (struct cudaPitchedPtr){p, 4, 4, 1};
    copy_kind.extent = (struct cudaExtent){4, 1, 1};
    copy_kind.kind = (enum cudaMemcpyKind)9;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    bad_resource.resType = (enum cudaResourceType)77;
    linear_nowhere.resType = cudaResourceTypeLinear;
    linear_nowhere.res.linear.desc = format;
    linear_nowhere.res.linear.sizeInBytes = 64;
    bad_texture.addressMode[0] = (enum cudaTextureAddressMode)77;
    bad_texture.filterMode = (enum cudaTextureFilterMode)77;
    kernel_node.func = text;
    kernel_node.gridDim = one;
    kernel_node.blockDim = one;
}

/* Wrong only at first sight. */
#define cudaErrorSUCCESS cudaSuccess

#define BAD(code, call) {"cudaError" #code, #call, cudaError##code, BAD_CODE},
#define ODD(code, call)                                                        \
    {"cudaError" #code, #call, cudaError##code, BAD_ODD_CODE},
static const bad_row rows[] = {
#include "bad_runtime.def"
};
#undef BAD
#undef ODD

enum { FIRST = __COUNTER__ + 1 };

static long long
run(int row)
{
    switch (row) {
#define BAD(code, call)                                                        \
    case __COUNTER__ - FIRST:                                                  \
        return (long long)(call);
#define ODD BAD
#include "bad_runtime.def"
    default:
        return -1;
    }
}

static const char *
name_of(int result)
{
    return cudaGetErrorName((cudaError_t)result);
}

CASE(wrong_arguments_have_their_codes)
{
    make_objects();
    bad_run(rows, sizeof rows / sizeof *rows, run, name_of);
    /* None of it did any harm. */
    cudaGetLastError();
    CHECK_EQ(cudaLaunchKernel(KERNEL, one, one, NULL, 0, stream), cudaSuccess);
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
    CHECK_EQ(cudaGetLastError(), cudaSuccess);
}

/* The last error is the last one's, and is forgotten when asked for. */
CASE(errors_are_kept)
{
    CHECK_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
    CHECK_EQ(cudaMalloc(&q, 16), cudaSuccess);
    CHECK_EQ(cudaFree(q), cudaSuccess);
    CHECK_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    CHECK_EQ(cudaMemcpy(p, text, 4, (enum cudaMemcpyKind)77),
             cudaErrorInvalidMemcpyDirection);
    CHECK_EQ(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
    CHECK_EQ(cudaGetLastError(), cudaSuccess);
}
