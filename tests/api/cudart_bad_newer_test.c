/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudart_bad_newer_test.c - the runtime API's newer groups with wrong or
 * unusual arguments: newer_runtime.def.
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
static cudaEvent_t event, event2;
static cudaArray_t array, array2;
static cudaMipmappedArray_t mipmap2;
static cudaTextureObject_t tex2;
static cudaGraph_t graph, graph2;
static cudaGraphNode_t kernel_node, memset_node, copy_node, host_node,
    record_node, node2;
static cudaGraphExec_t exec, exec2;
static cudaGraphConditionalHandle condition;
static cudaMemPool_t pool, pool2;
static cudaKernel_t kernel2;
static cudaLibrary_t library2;
static cudaUserObject_t user2;
static struct cudaFuncAttributes attributes;
static struct cudaPointerAttributes pointer;
static enum cudaDriverEntryPointQueryResult query;
static enum cudaStreamCaptureStatus status;
static cudaLaunchConfig_t config;
static cudaLaunchAttribute attribute[1];
static cudaLaunchAttributeValue value;
static cudaGraphExecUpdateResultInfo update;
static void *p, *q, *managed, *pinned;
static int i;
static unsigned u;
static size_t n, n2, sizes[2], first[1];
static char text[4096];
static const char *string;
static cudaError_t kept;

static const dim3 one = {1, 1, 1}, zero = {1, 0, 1}, big_block = {1025, 1, 1};
static struct cudaKernelNodeParams kernel_params, kernel_params2;
static struct cudaMemsetParams fill, fill2;
static struct cudaMemcpy3DParms copy, copy2;
static struct cudaHostNodeParams host, host2;
static struct cudaMemAllocNodeParams allocation, allocation2;
static struct cudaGraphNodeParams any;
static struct cudaMemPoolProps pool_props2;
static struct cudaMemPoolPtrExportData exported;
static cudaIpcMemHandle_t memory_handle;
static cudaIpcEventHandle_t event_handle;
static struct cudaMemcpyAttributes batch;
static struct cudaMemcpy3DBatchOp boxes[1];
static const void *from[2];
static void *to[2];
static struct cudaMemLocation here = {.type = cudaMemLocationTypeDevice,
                                      .id = 0},
                              nowhere = {.type = cudaMemLocationTypeDevice,
                                         .id = 99},
                              no_place = {.type = cudaMemLocationTypeInvalid,
                                          .id = 0};
static const struct cudaMemPoolProps pool_props = {
    .allocType = cudaMemAllocationTypePinned,
    .location = {.type = cudaMemLocationTypeDevice, .id = 0}};
static const struct cudaChannelFormatDesc format = {32, 0, 0, 0,
                                                    cudaChannelFormatKindFloat};
static struct cudaResourceDesc resource;
static struct cudaTextureDesc texture, texture2;
static struct cudaResourceViewDesc view;

#define LIBRARY                                                                \
    ".version 6.4\n.target sm_60\n.address_size 64\n"                          \
    ".visible .global .align 4 .u32 v = 5;\n"                                  \
    ".visible .entry k() { ret; }\n"

enum {
    GLOBAL = cudaStreamCaptureModeGlobal,
    RELAXED = cudaStreamCaptureModeRelaxed,
};

static void
on_call(void *data)
{
    (void)data;
}

static void
callback(cudaStream_t s, cudaError_t code, void *data)
{
    (void)s;
    (void)code;
    (void)data;
}

static cudaError_t
begin(int mode)
{
    return cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode);
}

static cudaError_t
finish(void)
{
    graph2 = NULL;
    cudaError_t r = cudaStreamEndCapture(stream, &graph2);
    if (graph2)
        cudaGraphDestroy(graph2);
    return r;
}

/* A call while `stream` is captured: its code, and that of the capture's end.
 */
#define DURING(mode, call) (begin(mode), kept = (call), finish(), kept)
#define END_OF(mode, call) (begin(mode), kept = (call), finish())

static cudaError_t
textured(const struct cudaResourceDesc *r, const struct cudaTextureDesc *t,
         const struct cudaResourceViewDesc *v)
{
    cudaError_t result = cudaCreateTextureObject(&tex2, r, t, v);
    if (result == cudaSuccess)
        cudaDestroyTextureObject(tex2);
    return result;
}

static void
make_graph(void)
{
    kernel_params.func = (void *)KERNEL;
    kernel_params.gridDim = kernel_params.blockDim = one;
    fill.dst = p;
    fill.elementSize = 4;
    fill.width = 16;
    fill.height = 1;
    copy.srcPtr = (struct cudaPitchedPtr){p, 16, 16, 1};
    copy.dstPtr = (struct cudaPitchedPtr){(char *)p + 1024, 16, 16, 1};
    copy.extent = (struct cudaExtent){16, 1, 1};
    copy.kind = cudaMemcpyDeviceToDevice;
    host.fn = on_call;
    allocation.poolProps = pool_props;
    allocation.bytesize = 4096;
    CHECK_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    CHECK_EQ(
        cudaGraphAddKernelNode(&kernel_node, graph, NULL, 0, &kernel_params),
        cudaSuccess);
    CHECK_EQ(
        cudaGraphAddMemsetNode(&memset_node, graph, &kernel_node, 1, &fill),
        cudaSuccess);
    CHECK_EQ(cudaGraphAddMemcpyNode(&copy_node, graph, NULL, 0, &copy),
             cudaSuccess);
    CHECK_EQ(cudaGraphAddHostNode(&host_node, graph, NULL, 0, &host),
             cudaSuccess);
    CHECK_EQ(cudaGraphAddEventRecordNode(&record_node, graph, NULL, 0, event),
             cudaSuccess);
    CHECK_EQ(cudaGraphInstantiateWithFlags(&exec, graph, 0), cudaSuccess);
}

static void
make_objects(void)
{
    CHECK_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
             cudaSuccess);
    CHECK_EQ(cudaEventCreate(&event), cudaSuccess);
    CHECK_EQ(cudaMalloc(&p, 4096), cudaSuccess);
    CHECK_EQ(cudaMallocManaged(&managed, 1 << 20, cudaMemAttachGlobal),
             cudaSuccess);
    CHECK_EQ(cudaHostAlloc(&pinned, 4096, 0), cudaSuccess);
    CHECK_EQ(cudaMallocArray(&array, &format, 16, 16, 0), cudaSuccess);
    CHECK_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    config.gridDim = config.blockDim = one;
    config.stream = stream;
    for (int k = 0; k < 2; k++) {
        from[k] = (char *)p + 64 * k;
        to[k] = (char *)p + 1024 + 64 * k;
        sizes[k] = 16;
    }
    batch.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    boxes[0].src.type = cudaMemcpyOperandTypePointer;
    boxes[0].src.op.ptr.ptr = p;
    boxes[0].src.op.ptr.locHint = here;
    boxes[0].dst = boxes[0].src;
    boxes[0].dst.op.ptr.ptr = (char *)p + 1024;
    boxes[0].extent = (struct cudaExtent){16, 1, 1};
    boxes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    make_graph();
}

/* Wrong only at first sight. */
#define cudaErrorSUCCESS cudaSuccess

#define BAD(code, call) {"cudaError" #code, #call, cudaError##code, BAD_CODE},
#define ODD(code, call)                                                        \
    {"cudaError" #code, #call, cudaError##code, BAD_ODD_CODE},
#define IS(want, call) {#want, #call, want, BAD_NUMBER},
static const bad_row rows[] = {
#include "newer_runtime.def"
};
#undef BAD
#undef ODD
#undef IS

enum { FIRST = __COUNTER__ + 1 };

static long long
run(int row)
{
    switch (row) {
#define BAD(code, call)                                                        \
    case __COUNTER__ - FIRST:                                                  \
        return (long long)(call);
#define ODD BAD
#define IS  BAD
#include "newer_runtime.def"
    default:
        return -1;
    }
}

static const char *
name_of(int result)
{
    return cudaGetErrorName((cudaError_t)result);
}

CASE(unusual_arguments_have_their_codes)
{
    const int count = sizeof rows / sizeof *rows;
    if (bad_recorded(rows, count, make_objects, run, name_of))
        return;
    make_objects();
    bad_run(rows, count, run, name_of);
    /* None of it did any harm. */
    cudaGetLastError();
    CHECK_EQ(cudaLaunchKernel(KERNEL, one, one, NULL, 0, stream), cudaSuccess);
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
}
