/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newer_driver_test.c - the driver API's newer groups with wrong or unusual
 * arguments: newer_graph.def, newer_capture.def, newer_memory.def and
 * newer_other.def, as in bad_driver.def.
 */
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include "api_help.h"

#include "bad.h"
#include "newer_objects.h"

static void
on_stream(CUstream s, CUresult status, void *data)
{
    (void)s, (void)status, (void)data;
}

static void
on_log(void *data, CUlogLevel level, char *message, size_t length)
{
    (void)data, (void)level, (void)message, (void)length;
}

/* A call on another thread. */
typedef struct {
    CUresult (*call)(void);
    CUresult result;
} elsewhere;

static void *
elsewhere_run(void *argument)
{
    elsewhere *e = argument;
    cuCtxSetCurrent(ctx);
    e->result = e->call();
    return NULL;
}

static CUresult
on_another_thread(CUresult (*call)(void))
{
    elsewhere e = {call, CUDA_ERROR_UNKNOWN};
    pthread_t thread;
    if (pthread_create(&thread, NULL, elsewhere_run, &e) == 0)
        pthread_join(thread, NULL);
    return e.result;
}

static CUresult
other_alloc(void)
{
    CUresult r = cuMemAlloc_v2(&p2, 4096);
    if (r == CUDA_SUCCESS)
        cuMemFree_v2(p2);
    return r;
}

static CUresult
other_alloc_relaxed(void)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    cuThreadExchangeStreamCaptureMode(&mode);
    return other_alloc();
}

static CUresult
other_alloc_local(void)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    cuThreadExchangeStreamCaptureMode(&mode);
    return other_alloc();
}

static CUresult
other_end(void)
{
    return cuStreamEndCapture(stream, &graph2);
}

static CUresult
other_launch(void)
{
    return cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
}

/*
 * A call while `stream` is captured: what it returns; what the end of the
 * capture returns; and the capture's status after the call.
 */
#define GLOBAL  CU_STREAM_CAPTURE_MODE_GLOBAL
#define LOCAL   CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED CU_STREAM_CAPTURE_MODE_RELAXED

static CUresult
begin(CUstreamCaptureMode mode)
{
    return cuStreamBeginCapture_v2(stream, mode);
}

static CUresult
finish(void)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    graph2 = NULL;
    CUresult r = cuStreamEndCapture(stream, &graph2);
    if (graph2)
        cuGraphDestroy(graph2);
    /* What a fork left behind. */
    if (cuStreamIsCapturing(side, &status) == CUDA_SUCCESS &&
        status != CU_STREAM_CAPTURE_STATUS_NONE) {
        cuStreamDestroy_v2(side);
        cuStreamCreate(&side, CU_STREAM_NON_BLOCKING);
    }
    return r;
}

static int
status_of(CUstream s)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)77;
    cuStreamIsCapturing(s, &status);
    return (int)status;
}

#define DURING(mode, call) (begin(mode), kept = (call), finish(), kept)
#define END_OF(mode, call) (begin(mode), kept = (call), finish())
#define STATUS_OF(mode, call)                                                  \
    (begin(mode), kept = (call), kept_status = (unsigned)status_of(stream),    \
     finish(), kept_status)

/* Forks to `side`. */
static CUresult
fork_side(void)
{
    CUresult r = cuEventRecord(event, stream);
    return r ? r : cuStreamWaitEvent(side, event, 0);
}

static CUresult
join_side(void)
{
    CUresult r = cuEventRecord(other, side);
    return r ? r : cuStreamWaitEvent(stream, other, 0);
}

static CUresult
launch(CUstream s)
{
    return cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL);
}

static CUgraph
captured_graph(void)
{
    CUstreamCaptureStatus status;
    CUgraph g = NULL;
    cuStreamGetCaptureInfo_v3(stream, &status, NULL, &g, NULL, NULL, NULL);
    return g;
}

/* How many nodes the next one of `stream` depends on; -1: no answer. */
static long
captured_dependencies(void)
{
    CUstreamCaptureStatus status;
    const CUgraphNode *d = NULL;
    size_t count = 77;
    CUresult r = cuStreamGetCaptureInfo_v3(stream, &status, NULL, NULL, &d,
                                           NULL, &count);
    return r ? -1 : (long)count;
}

static CUresult
instantiated(CUgraph g, unsigned long long flags)
{
    CUgraphExec e = NULL;
    CUresult r = cuGraphInstantiateWithFlags(&e, g, flags);
    if (e)
        cuGraphExecDestroy(e);
    return r;
}

static CUresult
instantiated_with(CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *with)
{
    CUgraphExec e = NULL;
    CUresult r = cuGraphInstantiateWithParams(&e, g, with);
    if (e)
        cuGraphExecDestroy(e);
    return r;
}

/* A graph with one kernel in it, `from` before it. */
static CUgraph
fresh(void)
{
    cuGraphCreate(&big, 0);
    cuGraphAddKernelNode_v2(&node2, big, NULL, 0, &kernel_params);
    return big;
}

static CUresult
launched(unsigned flag, int attribute_value)
{
    attribute[0].id = (CUlaunchAttributeID)flag;
    memset(&attribute[0].value, 0, sizeof attribute[0].value);
    memcpy(&attribute[0].value, &attribute_value, sizeof attribute_value);
    config.attrs = attribute;
    config.numAttrs = 1;
    config.hStream = stream;
    CUresult r = cuLaunchKernelEx(&config, empty, NULL, NULL);
    cuStreamSynchronize(stream);
    return r;
}

static CUresult
stream_set(unsigned name, int to_value)
{
    memset(&stream_value, 0, sizeof stream_value);
    memcpy(&stream_value, &to_value, sizeof to_value);
    return cuStreamSetAttribute(stream, (CUstreamAttrID)name, &stream_value);
}

static CUresult
node_set(unsigned name, int to_value)
{
    memset(&value, 0, sizeof value);
    memcpy(&value, &to_value, sizeof to_value);
    return cuGraphKernelNodeSetAttribute(kernel_node, (CUkernelNodeAttrID)name,
                                         &value);
}

static CUresult
pool_set(CUmemoryPool of, int name, uint64_t to_value)
{
    return cuMemPoolSetAttribute(of, (CUmemPool_attribute)name, &to_value);
}

static int64_t
pool_get(CUmemoryPool of, int name)
{
    uint64_t got = 0;
    CUresult r = cuMemPoolGetAttribute(of, (CUmemPool_attribute)name, &got);
    return r ? -(int64_t)r : (int64_t)got;
}

static CUresult
made(const CUmemPoolProps *props)
{
    CUmemoryPool made_now = NULL;
    CUresult r = cuMemPoolCreate(&made_now, props);
    if (r == CUDA_SUCCESS)
        cuMemPoolDestroy(made_now);
    return r;
}

static CUresult
created(size_t bytes, const CUmemAllocationProp *props, unsigned long long flag)
{
    CUmemGenericAllocationHandle h;
    CUresult r = cuMemCreate(&h, bytes, props, flag);
    if (r == CUDA_SUCCESS)
        cuMemRelease(h);
    return r;
}

static CUresult
reserved(size_t bytes, size_t alignment, CUdeviceptr at)
{
    CUresult r = cuMemAddressReserve(&va2, bytes, alignment, at, 0);
    if (r == CUDA_SUCCESS)
        cuMemAddressFree(va2, bytes);
    return r;
}

static CUresult
registered(void *at, size_t bytes, unsigned flag)
{
    CUresult r = cuMemHostRegister_v2(at, bytes, flag);
    if (r == CUDA_SUCCESS)
        cuMemHostUnregister(at);
    return r;
}

static CUresult
host_alloc(size_t bytes, unsigned flag)
{
    CUresult r = cuMemHostAlloc(&address, bytes, flag);
    if (r == CUDA_SUCCESS)
        cuMemFreeHost(address);
    return r;
}

static CUresult
textured(const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *t,
         const CUDA_RESOURCE_VIEW_DESC *v)
{
    CUresult result = cuTexObjectCreate(&tex2, r, t, v);
    if (result == CUDA_SUCCESS)
        cuTexObjectDestroy(tex2);
    return result;
}

static CUresult
arrayed(size_t width, size_t height, size_t depth, unsigned channels,
        unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {width,    height, depth, CU_AD_FORMAT_FLOAT,
                                 channels, flags};
    CUresult r = cuArray3DCreate_v2(&array2, &d);
    if (r == CUDA_SUCCESS)
        cuArrayDestroy(array2);
    return r;
}

static CUresult
mipmapped(size_t width, unsigned levels, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {width, width, 0, CU_AD_FORMAT_FLOAT, 1, flags};
    CUresult r = cuMipmappedArrayCreate(&mipmap2, &d, levels);
    if (r == CUDA_SUCCESS)
        cuMipmappedArrayDestroy(mipmap2);
    return r;
}

static CUresult
streamed(unsigned flags, int priority)
{
    CUresult r = cuStreamCreateWithPriority(&stream2, flags, priority);
    if (r == CUDA_SUCCESS)
        cuStreamDestroy_v2(stream2);
    return r;
}

static CUresult
evented(unsigned flags)
{
    CUresult r = cuEventCreate(&event2, flags);
    if (r == CUDA_SUCCESS)
        cuEventDestroy_v2(event2);
    return r;
}

static CUresult
added(const CUgraphNode *after, const CUgraphEdgeData *data, size_t count,
      CUgraphNodeParams *what)
{
    CUresult r = cuGraphAddNode_v2(&node2, plain, after, data, count, what);
    if (r == CUDA_SUCCESS)
        cuGraphDestroyNode(node2);
    return r;
}

static CUresult
looked_up(const char *name, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(name, &address, version, flags, NULL);
}

/* The status that a look-up leaves, 77 if it leaves none. */
static int
query_of(const char *name, int version)
{
    CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)77;
    address = text;
    cuGetProcAddress_v2(name, &address, version, 0, &status);
    return (int)status * 10 + (address == NULL);
}

static CUresult
loaded(const void *image, unsigned count, CUjit_option *names, void **values)
{
    CUresult r = cuModuleLoadDataEx(&mod2, image, count, names, values);
    if (r == CUDA_SUCCESS)
        cuModuleUnload(mod2);
    return r;
}

static CUresult
jit(int name, uintptr_t with)
{
    CUjit_option names[] = {(CUjit_option)name};
    void *values[] = {(void *)with};
    return loaded(api_ptx, 1, names, values);
}

static CUresult
library_loaded(int name, uintptr_t with)
{
    CUlibraryOption names[] = {(CUlibraryOption)name};
    void *values[] = {(void *)with};
    CUresult r =
        cuLibraryLoadData(&lib2, api_ptx, NULL, NULL, 0, names, values, 1);
    if (r == CUDA_SUCCESS)
        cuLibraryUnload(lib2);
    return r;
}

static CUresult
copies(size_t count, CUmemcpyAttributes *with, size_t *at, size_t with_count,
       CUstream s)
{
    return cuMemcpyBatchAsync_v2(to, from, sizes, count, with, at, with_count,
                                 s);
}

/* What Get says after all of `flags`. */
static int64_t
range_of(int name, CUdeviceptr of, size_t bytes)
{
    int got = 12345;
    CUresult r = cuMemRangeGetAttribute(&got, sizeof got,
                                        (CUmem_range_attribute)name, of, bytes);
    return r ? -(int64_t)r : got;
}

static int64_t
pointer_int(int name, CUdeviceptr of)
{
    uint64_t got = 0;
    CUresult r = cuPointerGetAttribute(&got, (CUpointer_attribute)name, of);
    return r ? -(int64_t)r : (int64_t)(int)got;
}

static int64_t
access_of(CUdeviceptr of, const CUmemLocation *place)
{
    unsigned long long got = 77;
    CUresult r = cuMemGetAccess(&got, place, of);
    return r ? -(int64_t)r : (int64_t)got;
}

static int64_t
pool_access_of(CUmemoryPool of, CUmemLocation place)
{
    CUmemAccess_flags got = (CUmemAccess_flags)77;
    CUresult r = cuMemPoolGetAccess(&got, of, &place);
    return r ? -(int64_t)r : (int64_t)got;
}

static int64_t
granularity_of(const CUmemAllocationProp *of, int option)
{
    size_t got = 0;
    CUresult r = cuMemGetAllocationGranularity(
        &got, of, (CUmemAllocationGranularity_flags)option);
    return r ? -(int64_t)r : (int64_t)got;
}

/* A copy on top of a result: the update's reason. */
static int64_t
update_reason(CUgraph with)
{
    memset(&update, 0, sizeof update);
    CUresult r = cuGraphExecUpdate_v2(plain_exec, with, &update);
    return (int64_t)r * 100 + (int64_t)update.result;
}

static CUgraph
updated_graph(int kind)
{
    static CUgraph g;
    CUgraphNode a, b;
    if (g)
        cuGraphDestroy(g);
    cuGraphCreate(&g, 0);
    CUDA_KERNEL_NODE_PARAMS k = kernel_params;
    switch (kind) {
    case 0: /* the same */
        cuGraphAddKernelNode_v2(&a, g, NULL, 0, &k);
        cuGraphAddEmptyNode(&b, g, &a, 1);
        break;
    case 1: /* another function */
        cuGraphAddKernelNode_v2(&a, g, NULL, 0, &kernel_empty);
        cuGraphAddEmptyNode(&b, g, &a, 1);
        break;
    case 2: /* another kind of node */
        cuGraphAddMemsetNode(&a, g, NULL, 0, &fill, ctx);
        cuGraphAddEmptyNode(&b, g, &a, 1);
        break;
    case 3: /* one more */
        cuGraphAddKernelNode_v2(&a, g, NULL, 0, &k);
        cuGraphAddEmptyNode(&b, g, &a, 1);
        cuGraphAddEmptyNode(&b, g, &a, 1);
        break;
    case 4: /* no edge */
        cuGraphAddKernelNode_v2(&a, g, NULL, 0, &k);
        cuGraphAddEmptyNode(&b, g, NULL, 0);
        break;
    case 5: /* the edge turned round */
        cuGraphAddEmptyNode(&a, g, NULL, 0);
        cuGraphAddKernelNode_v2(&b, g, &a, 1, &k);
        break;
    case 6: /* made in the other order */
        cuGraphAddEmptyNode(&b, g, NULL, 0);
        cuGraphAddKernelNode_v2(&a, g, NULL, 0, &k);
        cuGraphAddDependencies_v2(g, &a, &b, NULL, 1);
        break;
    case 7: /* another block */
        k.blockDimX = 64;
        cuGraphAddKernelNode_v2(&a, g, NULL, 0, &k);
        cuGraphAddEmptyNode(&b, g, &a, 1);
        break;
    case 8: /* with memory */
        cuGraphAddMemAllocNode(&a, g, NULL, 0, &allocation2);
        break;
    default: /* nothing in it */
        break;
    }
    return g;
}

/* A condition whose body holds something of that kind. */
static CUresult
conditional_with(int kind)
{
    CUgraph g;
    CUgraphNode node;
    CUgraphNodeParams c;
    CUgraphConditionalHandle h;
    cuGraphCreate(&g, 0);
    cuGraphConditionalHandleCreate(&h, g, ctx, 0, 0);
    memset(&c, 0, sizeof c);
    c.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    c.conditional.handle = h;
    c.conditional.type = CU_GRAPH_COND_TYPE_IF;
    c.conditional.size = 1;
    c.conditional.ctx = ctx;
    cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &c);
    CUgraph inside = c.conditional.phGraph_out[0];
    switch (kind) {
    case 0: /* nothing */
        break;
    case 1:
        cuGraphAddKernelNode_v2(&node, inside, NULL, 0, &kernel_params);
        break;
    case 2:
        cuGraphAddHostNode(&node, inside, NULL, 0, &host);
        break;
    case 3:
        cuGraphAddEventRecordNode(&node, inside, NULL, 0, event);
        break;
    case 4:
        cuGraphAddMemsetNode(&node, inside, NULL, 0, &fill, ctx);
        break;
    case 5:
        cuGraphAddMemcpyNode(&node, inside, NULL, 0, &copy, ctx);
        break;
    case 6:
        cuGraphAddChildGraphNode(&node, inside, NULL, 0, updated_graph(0));
        break;
    case 7:
        cuGraphAddBatchMemOpNode(&node, inside, NULL, 0, &batch);
        break;
    default:
        break;
    }
    CUresult r = instantiated(g, 0);
    cuGraphDestroy(g);
    return r;
}

static CUresult
dot(unsigned flags)
{
    return cuGraphDebugDotPrint(plain, "/dev/null", flags);
}

static CUresult
edge(CUgraphNode a, CUgraphNode b, const CUgraphEdgeData *data)
{
    CUresult r = cuGraphAddDependencies_v2(plain, &a, &b, data, 1);
    if (r == CUDA_SUCCESS)
        cuGraphRemoveDependencies_v2(plain, &a, &b, data, 1);
    return r;
}

static CUresult
pair_of_plain(CUgraphNode *second)
{
    return cuGraphAddEmptyNode(second, plain, NULL, 0);
}

static CUresult
batched(CUstream s, unsigned count, CUstreamBatchMemOpParams *what,
        unsigned flags)
{
    return cuStreamBatchMemOp_v2(s, count, what, flags);
}

static CUresult
operation(int kind, CUdeviceptr at, unsigned flags)
{
    CUstreamBatchMemOpParams o;
    memset(&o, 0, sizeof o);
    o.operation = (CUstreamBatchMemOpType)kind;
    o.writeValue.address = at;
    o.writeValue.flags = flags;
    CUresult r = cuStreamBatchMemOp_v2(stream, 1, &o, 0);
    cuStreamSynchronize(stream);
    return r;
}

static CUresult
exporting(CUmemGenericAllocationHandle h, int kind, unsigned flags)
{
    fd = -1;
    return cuMemExportToShareableHandle(&fd, h, (CUmemAllocationHandleType)kind,
                                        flags);
}

static CUresult
importing(intptr_t what, int kind)
{
    CUmemGenericAllocationHandle h = 0;
    CUresult r = cuMemImportFromShareableHandle(
        &h, (void *)what, (CUmemAllocationHandleType)kind);
    if (r == CUDA_SUCCESS)
        cuMemRelease(h);
    return r;
}

#define CUDA_ERROR_SUCCESS CUDA_SUCCESS
#define BAD(code, call)                                                        \
    {"CUDA_ERROR_" #code, #call, CUDA_ERROR_##code, BAD_CODE},
#define ODD(code, call)                                                        \
    {"CUDA_ERROR_" #code, #call, CUDA_ERROR_##code, BAD_ODD_CODE},
#define IS(want, call) {#want, #call, want, BAD_NUMBER},
static const bad_row rows[] = {
#include "newer_capture.def"
#include "newer_graph.def"
#include "newer_memory.def"
#include "newer_other.def"
};
#undef BAD
#undef ODD
#undef IS

enum { FIRST = __COUNTER__ + 1 };

static long long
run(int row)
{
    cuCtxSetCurrent(ctx);
    switch (row) {
#define BAD(code, call)                                                        \
    case __COUNTER__ - FIRST:                                                  \
        return (long long)(call);
#define ODD BAD
#define IS  BAD
#include "newer_capture.def"
#include "newer_graph.def"
#include "newer_memory.def"
#include "newer_other.def"
    default:
        return -1;
    }
}

static const char *
name_of(int result)
{
    const char *name = NULL;
    return cuGetErrorName((CUresult)result, &name) == CUDA_SUCCESS ? name : "?";
}

CASE(unusual_arguments_have_their_codes)
{
    const int count = sizeof rows / sizeof *rows;
    if (bad_recorded(rows, count, make_objects, run, name_of))
        return;
    make_objects();
    bad_run(rows, count, run, name_of);
    /* None of it did any harm. */
    CHECK_EQ(cuCtxSetCurrent(ctx), CUDA_SUCCESS);
    CHECK_EQ(api_add(&fixture, p, 8, 1, stream), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}
