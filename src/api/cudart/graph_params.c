/* SPDX-License-Identifier: Apache-2.0 */
/* graph_params.c - what nodes of graphs do, read and changed afterwards; copies
 * from and to symbols; objects that graphs keep. */
#include <string.h>

#include "api/cudart/cudart.h"

/* ---- kernels ---- */

cudaError_t
cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                             struct cudaKernelNodeParams *pNodeParams)
{
    ENTER();
    REQUIRE(pNodeParams, cudaErrorInvalidValue);
    CUDA_KERNEL_NODE_PARAMS_v1 p;
    TRY(cuGraphKernelNodeGetParams(node, &p));
    const void *host;
    cudaError_t error = sw_rta_host_function(p.func, &host);
    if (error != cudaSuccess)
        return sw_rta_fail(error);
    *pNodeParams = (struct cudaKernelNodeParams){
        .func = (void *)(uintptr_t)host,
        .gridDim = {p.gridDimX, p.gridDimY, p.gridDimZ},
        .blockDim = {p.blockDimX, p.blockDimY, p.blockDimZ},
        .sharedMemBytes = p.sharedMemBytes,
        .kernelParams = p.kernelParams,
        .extra = p.extra,
    };
    return cudaSuccess;
}

cudaError_t
cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode,
                                cudaLaunchAttributeID attr,
                                cudaLaunchAttributeValue *value_out)
{
    CALL(cuGraphKernelNodeGetAttribute(hNode, (CUkernelNodeAttrID)attr,
                                       (CUkernelNodeAttrValue *)value_out));
}

cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode,
                                cudaLaunchAttributeID attr,
                                const cudaLaunchAttributeValue *value)
{
    CALL(cuGraphKernelNodeSetAttribute(hNode, (CUkernelNodeAttrID)attr,
                                       (const CUkernelNodeAttrValue *)value));
}

#if SW_CUDART_MAJOR >= 13
cudaError_t
cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc)
{
    CALL(cuGraphKernelNodeCopyAttributes(hDst, hSrc));
}
#else
cudaError_t
cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hSrc, cudaGraphNode_t hDst)
{
    CALL(cuGraphKernelNodeCopyAttributes(hDst, hSrc));
}
#endif

/* ---- copies ---- */

static bool
is_host(CUmemorytype type, CUdeviceptr p)
{
    if (type == CU_MEMORYTYPE_HOST)
        return true;
    CUmemorytype found = CU_MEMORYTYPE_HOST;
    if (type == CU_MEMORYTYPE_UNIFIED &&
        cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p) !=
            CUDA_SUCCESS)
        return true;
    return type == CU_MEMORYTYPE_UNIFIED && found == CU_MEMORYTYPE_HOST;
}

static size_t
element_bytes(CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (!array || cuArray3DGetDescriptor_v2(&d, array) != CUDA_SUCCESS)
        return 1;
    const struct cudaChannelFormatDesc c =
        sw_rta_channel_desc(d.Format, d.NumChannels);
    return (size_t)(c.x + c.y + c.z + c.w) / 8;
}

cudaError_t
cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                             struct cudaMemcpy3DParms *pNodeParams)
{
    ENTER();
    REQUIRE(pNodeParams, cudaErrorInvalidValue);
    CUDA_MEMCPY3D c;
    TRY(cuGraphMemcpyNodeGetParams(node, &c));
    struct cudaMemcpy3DParms p = {0};
    size_t src_bytes = 1, dst_bytes = 1;
    bool src_host = false, dst_host = false;
    if (c.srcMemoryType == CU_MEMORYTYPE_ARRAY) {
        p.srcArray = (cudaArray_t)c.srcArray;
        src_bytes = element_bytes(c.srcArray);
    } else {
        void *at = c.srcMemoryType == CU_MEMORYTYPE_HOST
                       ? (void *)(uintptr_t)c.srcHost
                       : (void *)(uintptr_t)c.srcDevice;
        p.srcPtr = (struct cudaPitchedPtr){
            at, c.srcPitch, c.srcPitch ? c.WidthInBytes : 0, c.srcHeight};
        src_host = is_host(c.srcMemoryType, c.srcDevice);
    }
    if (c.dstMemoryType == CU_MEMORYTYPE_ARRAY) {
        p.dstArray = (cudaArray_t)c.dstArray;
        dst_bytes = element_bytes(c.dstArray);
    } else {
        void *at = c.dstMemoryType == CU_MEMORYTYPE_HOST
                       ? c.dstHost
                       : (void *)(uintptr_t)c.dstDevice;
        p.dstPtr = (struct cudaPitchedPtr){
            at, c.dstPitch, c.dstPitch ? c.WidthInBytes : 0, c.dstHeight};
        dst_host = is_host(c.dstMemoryType, c.dstDevice);
    }
    /* Counted in elements if an array takes part. */
    src_bytes = p.srcArray ? src_bytes : dst_bytes;
    dst_bytes = p.dstArray ? dst_bytes : src_bytes;
    p.srcPos = (struct cudaPos){c.srcXInBytes / src_bytes, c.srcY, c.srcZ};
    p.dstPos = (struct cudaPos){c.dstXInBytes / dst_bytes, c.dstY, c.dstZ};
    p.extent =
        (struct cudaExtent){c.WidthInBytes / src_bytes, c.Height, c.Depth};
    p.kind = src_host ? dst_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice
             : dst_host ? cudaMemcpyDeviceToHost
                        : cudaMemcpyDeviceToDevice;
    *pNodeParams = p;
    return cudaSuccess;
}

/* Where in a variable; or why not. */
static cudaError_t
in_symbol(const void *symbol, size_t offset, size_t count, void **at)
{
    CUdeviceptr base;
    size_t bytes;
    cudaError_t error = sw_rta_symbol(symbol, &base, &bytes);
    if (error == cudaSuccess && (offset > bytes || count > bytes - offset))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *at = (void *)(uintptr_t)(base + offset);
    return error;
}

#define IN_SYMBOL(at, symbol, offset, count, own, kind)                        \
    void *at;                                                                  \
    REQUIRE((kind) == (own) || (kind) == cudaMemcpyDeviceToDevice ||           \
                (kind) == cudaMemcpyDefault,                                   \
            cudaErrorInvalidMemcpyDirection);                                  \
    ENTER();                                                                   \
    do {                                                                       \
        cudaError_t error_ = in_symbol(symbol, offset, count, &at);            \
        if (error_ != cudaSuccess)                                             \
            return sw_rta_fail(error_);                                        \
    } while (0)

cudaError_t
cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                               const cudaGraphNode_t *pDependencies,
                               size_t numDependencies, const void *symbol,
                               const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    IN_SYMBOL(at, symbol, offset, count, cudaMemcpyHostToDevice, kind);
    return cudaGraphAddMemcpyNode1D(pGraphNode, graph, pDependencies,
                                    numDependencies, at, src, count, kind);
}

cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t *pDependencies,
                                 size_t numDependencies, void *dst,
                                 const void *symbol, size_t count,
                                 size_t offset, enum cudaMemcpyKind kind)
{
    IN_SYMBOL(at, symbol, offset, count, cudaMemcpyDeviceToHost, kind);
    return cudaGraphAddMemcpyNode1D(pGraphNode, graph, pDependencies,
                                    numDependencies, dst, at, count, kind);
}

cudaError_t
cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                     const void *src, size_t count,
                                     size_t offset, enum cudaMemcpyKind kind)
{
    IN_SYMBOL(at, symbol, offset, count, cudaMemcpyHostToDevice, kind);
    return cudaGraphMemcpyNodeSetParams1D(node, at, src, count, kind);
}

cudaError_t
cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                       const void *symbol, size_t count,
                                       size_t offset, enum cudaMemcpyKind kind)
{
    IN_SYMBOL(at, symbol, offset, count, cudaMemcpyDeviceToHost, kind);
    return cudaGraphMemcpyNodeSetParams1D(node, dst, at, count, kind);
}

cudaError_t
cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                         cudaGraphNode_t node,
                                         const void *symbol, const void *src,
                                         size_t count, size_t offset,
                                         enum cudaMemcpyKind kind)
{
    IN_SYMBOL(at, symbol, offset, count, cudaMemcpyHostToDevice, kind);
    return cudaGraphExecMemcpyNodeSetParams1D(hGraphExec, node, at, src, count,
                                              kind);
}

cudaError_t
cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                           cudaGraphNode_t node, void *dst,
                                           const void *symbol, size_t count,
                                           size_t offset,
                                           enum cudaMemcpyKind kind)
{
    IN_SYMBOL(at, symbol, offset, count, cudaMemcpyDeviceToHost, kind);
    return cudaGraphExecMemcpyNodeSetParams1D(hGraphExec, node, dst, at, count,
                                              kind);
}

/* ---- the other kinds ---- */

cudaError_t
cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                             struct cudaMemsetParams *pNodeParams)
{
    ENTER();
    REQUIRE(pNodeParams, cudaErrorInvalidValue);
    CUDA_MEMSET_NODE_PARAMS p;
    TRY(cuGraphMemsetNodeGetParams(node, &p));
    *pNodeParams = (struct cudaMemsetParams){
        .dst = (void *)(uintptr_t)p.dst,
        .pitch = p.pitch,
        .value = p.value,
        .elementSize = p.elementSize,
        .width = p.width,
        .height = p.height,
    };
    return cudaSuccess;
}

cudaError_t
cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                           struct cudaHostNodeParams *pNodeParams)
{
    ENTER();
    REQUIRE(pNodeParams, cudaErrorInvalidValue);
    CUDA_HOST_NODE_PARAMS p;
    TRY(cuGraphHostNodeGetParams(node, &p));
    *pNodeParams =
        (struct cudaHostNodeParams){.fn = p.fn, .userData = p.userData};
    return cudaSuccess;
}

cudaError_t
cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
    CALL(cuGraphEventRecordNodeGetEvent(node, event_out));
}

cudaError_t
cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    CALL(cuGraphEventRecordNodeSetEvent(node, event));
}

cudaError_t
cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
    CALL(cuGraphEventWaitNodeGetEvent(node, event_out));
}

cudaError_t
cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    CALL(cuGraphEventWaitNodeSetEvent(node, event));
}

cudaError_t
cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec,
                                     cudaGraphNode_t hNode, cudaEvent_t event)
{
    CALL(cuGraphExecEventRecordNodeSetEvent(hGraphExec, hNode, event));
}

cudaError_t
cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec,
                                   cudaGraphNode_t hNode, cudaEvent_t event)
{
    CALL(cuGraphExecEventWaitNodeSetEvent(hGraphExec, hNode, event));
}

cudaError_t
cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec,
                                     cudaGraphNode_t node,
                                     cudaGraph_t childGraph)
{
    CALL(cuGraphExecChildGraphNodeSetParams(hGraphExec, node, childGraph));
}

static cudaError_t
set_params(cudaGraphExec_t exec, cudaGraphNode_t node,
           struct cudaGraphNodeParams *p)
{
    REQUIRE(p, cudaErrorInvalidValue);
    if (p->type == cudaGraphNodeTypeKernel) {
        const struct cudaKernelNodeParams k = {
            .func = p->kernel.func,
            .gridDim = p->kernel.gridDim,
            .blockDim = p->kernel.blockDim,
            .sharedMemBytes = p->kernel.sharedMemBytes,
            .kernelParams = p->kernel.kernelParams,
            .extra = p->kernel.extra,
        };
        return exec ? cudaGraphExecKernelNodeSetParams(exec, node, &k)
                    : cudaGraphKernelNodeSetParams(node, &k);
    }
    if (p->type == cudaGraphNodeTypeMemcpy)
        return exec ? cudaGraphExecMemcpyNodeSetParams(exec, node,
                                                       &p->memcpy.copyParams)
                    : cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    CUgraphNodeParams q;
    memcpy(&q, p, sizeof q);
    CALL(exec ? cuGraphExecNodeSetParams(exec, node, &q)
              : cuGraphNodeSetParams(node, &q));
}

cudaError_t
cudaGraphNodeSetParams(cudaGraphNode_t node,
                       struct cudaGraphNodeParams *nodeParams)
{
    return set_params(NULL, node, nodeParams);
}

cudaError_t
cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                           struct cudaGraphNodeParams *nodeParams)
{
    REQUIRE(graphExec, cudaErrorInvalidValue);
    return set_params(graphExec, node, nodeParams);
}

/* ---- whole graphs ---- */

cudaError_t
cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    CALL(cuGraphDebugDotPrint(graph, path, flags));
}

#if SW_CUDART_MAJOR >= 12
cudaError_t
cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                               cudaGraphInstantiateParams *p)
{
    _Static_assert(sizeof(cudaGraphInstantiateParams) ==
                       sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS),
                   "the same layout");
    CALL(cuGraphInstantiateWithParams(pGraphExec, graph,
                                      (CUDA_GRAPH_INSTANTIATE_PARAMS *)p));
}
TWIN(cudaGraphInstantiateWithParams,
     (cudaGraphExec_t * pGraphExec, cudaGraph_t graph,
      cudaGraphInstantiateParams *p),
     (pGraphExec, graph, p))
#endif

/* ---- objects that graphs keep ---- */

cudaError_t
cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr,
                     cudaHostFn_t destroy, unsigned int initialRefcount,
                     unsigned int flags)
{
    CALL(cuUserObjectCreate(object_out, ptr, destroy, initialRefcount, flags));
}

cudaError_t
cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    CALL(cuUserObjectRetain(object, count));
}

cudaError_t
cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    CALL(cuUserObjectRelease(object, count));
}

cudaError_t
cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                          unsigned int count, unsigned int flags)
{
    CALL(cuGraphRetainUserObject(graph, object, count, flags));
}

cudaError_t
cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                           unsigned int count)
{
    CALL(cuGraphReleaseUserObject(graph, object, count));
}
