/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - graphs and capture. */
#include <string.h>

#include "api/cudart/cudart.h"

cudaError_t
cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags)
{
    CALL(cuGraphCreate(pGraph, flags));
}

cudaError_t
cudaGraphDestroy(cudaGraph_t graph)
{
    CALL(cuGraphDestroy(graph));
}

cudaError_t
cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph)
{
    CALL(cuGraphClone(pGraphClone, originalGraph));
}

/* ---- nodes ---- */

static cudaError_t
kernel_params(const struct cudaKernelNodeParams *p,
              CUDA_KERNEL_NODE_PARAMS_v1 *q)
{
    CUfunction f;
    cudaError_t error =
        sw_rta_launchable(sw_rta_function(p->func, &f), p->func);
    *q = (CUDA_KERNEL_NODE_PARAMS_v1){
        .func = error == cudaSuccess ? f : NULL,
        .gridDimX = p->gridDim.x,
        .gridDimY = p->gridDim.y,
        .gridDimZ = p->gridDim.z,
        .blockDimX = p->blockDim.x,
        .blockDimY = p->blockDim.y,
        .blockDimZ = p->blockDim.z,
        .sharedMemBytes = p->sharedMemBytes,
        .kernelParams = p->kernelParams,
        .extra = p->extra,
    };
    return error;
}

#define KERNEL(q, p)                                                           \
    REQUIRE(p, cudaErrorInvalidValue);                                         \
    ENTER();                                                                   \
    CUDA_KERNEL_NODE_PARAMS_v1 q;                                              \
    do {                                                                       \
        cudaError_t error_ = kernel_params(p, &q);                             \
        if (error_ != cudaSuccess)                                             \
            return sw_rta_fail(error_);                                        \
    } while (0)

cudaError_t
cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                       const cudaGraphNode_t *pDependencies,
                       size_t numDependencies,
                       const struct cudaKernelNodeParams *pNodeParams)
{
    KERNEL(q, pNodeParams);
    return sw_rta_done(cuGraphAddKernelNode(pGraphNode, graph, pDependencies,
                                            numDependencies, &q));
}

cudaError_t
cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                             const struct cudaKernelNodeParams *pNodeParams)
{
    KERNEL(q, pNodeParams);
    return sw_rta_done(cuGraphKernelNodeSetParams(node, &q));
}

cudaError_t
cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec,
                                 cudaGraphNode_t node,
                                 const struct cudaKernelNodeParams *pNodeParams)
{
    KERNEL(q, pNodeParams);
    return sw_rta_done(cuGraphExecKernelNodeSetParams(hGraphExec, node, &q));
}

cudaError_t
cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                       const cudaGraphNode_t *pDependencies,
                       size_t numDependencies,
                       const struct cudaMemcpy3DParms *pCopyParams)
{
    ENTER();
    REQUIRE(pCopyParams, cudaErrorInvalidValue);
    CUDA_MEMCPY3D c;
    cudaError_t error = sw_rta_copy3d(pCopyParams, &c);
    return error != cudaSuccess
               ? error
               : sw_rta_done(cuGraphAddMemcpyNode(pGraphNode, graph,
                                                  pDependencies,
                                                  numDependencies, &c, NULL));
}

static struct cudaMemcpy3DParms
line(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){
        .srcPtr = {.ptr = (void *)(uintptr_t)src,
                   .pitch = count,
                   .xsize = count,
                   .ysize = 1},
        .dstPtr = {.ptr = dst, .pitch = count, .xsize = count, .ysize = 1},
        .extent = {count, 1, 1},
        .kind = kind,
    };
}

cudaError_t
cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                         const cudaGraphNode_t *pDependencies,
                         size_t numDependencies, void *dst, const void *src,
                         size_t count, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = line(dst, src, count, kind);
    return cudaGraphAddMemcpyNode(pGraphNode, graph, pDependencies,
                                  numDependencies, &p);
}

static cudaError_t
exec_memcpy(cudaGraphExec_t exec, cudaGraphNode_t node,
            const struct cudaMemcpy3DParms *p)
{
    ENTER();
    REQUIRE(p, cudaErrorInvalidValue);
    CUDA_MEMCPY3D c;
    cudaError_t error = sw_rta_copy3d(p, &c);
    if (error != cudaSuccess)
        return error;
    return sw_rta_done(
        exec ? cuGraphExecMemcpyNodeSetParams(exec, node, &c, NULL)
             : cuGraphMemcpyNodeSetParams(node, &c));
}

cudaError_t
cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                             const struct cudaMemcpy3DParms *pNodeParams)
{
    return exec_memcpy(NULL, node, pNodeParams);
}

cudaError_t
cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                               size_t count, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = line(dst, src, count, kind);
    return exec_memcpy(NULL, node, &p);
}

cudaError_t
cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec,
                                 cudaGraphNode_t node,
                                 const struct cudaMemcpy3DParms *pNodeParams)
{
    REQUIRE(hGraphExec, cudaErrorInvalidValue);
    return exec_memcpy(hGraphExec, node, pNodeParams);
}

cudaError_t
cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec,
                                   cudaGraphNode_t node, void *dst,
                                   const void *src, size_t count,
                                   enum cudaMemcpyKind kind)
{
    REQUIRE(hGraphExec, cudaErrorInvalidValue);
    struct cudaMemcpy3DParms p = line(dst, src, count, kind);
    return exec_memcpy(hGraphExec, node, &p);
}

static CUDA_MEMSET_NODE_PARAMS
memset_params(const struct cudaMemsetParams *p)
{
    return (CUDA_MEMSET_NODE_PARAMS){.dst = sw_rta_ptr(p->dst),
                                     .pitch = p->pitch,
                                     .value = p->value,
                                     .elementSize = p->elementSize,
                                     .width = p->width,
                                     .height = p->height};
}

cudaError_t
cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                       const cudaGraphNode_t *pDependencies,
                       size_t numDependencies,
                       const struct cudaMemsetParams *pMemsetParams)
{
    REQUIRE(pMemsetParams, cudaErrorInvalidValue);
    CUDA_MEMSET_NODE_PARAMS p = memset_params(pMemsetParams);
    CALL(cuGraphAddMemsetNode(pGraphNode, graph, pDependencies, numDependencies,
                              &p, NULL));
}

cudaError_t
cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                             const struct cudaMemsetParams *pNodeParams)
{
    REQUIRE(pNodeParams, cudaErrorInvalidValue);
    CUDA_MEMSET_NODE_PARAMS p = memset_params(pNodeParams);
    CALL(cuGraphMemsetNodeSetParams(node, &p));
}

cudaError_t
cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec,
                                 cudaGraphNode_t node,
                                 const struct cudaMemsetParams *pNodeParams)
{
    REQUIRE(pNodeParams, cudaErrorInvalidValue);
    CUDA_MEMSET_NODE_PARAMS p = memset_params(pNodeParams);
    CALL(cuGraphExecMemsetNodeSetParams(hGraphExec, node, &p, NULL));
}

cudaError_t
cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                     const cudaGraphNode_t *pDependencies,
                     size_t numDependencies,
                     const struct cudaHostNodeParams *pNodeParams)
{
    REQUIRE(pNodeParams, cudaErrorInvalidValue);
    const CUDA_HOST_NODE_PARAMS p = {.fn = pNodeParams->fn,
                                     .userData = pNodeParams->userData};
    CALL(cuGraphAddHostNode(pGraphNode, graph, pDependencies, numDependencies,
                            &p));
}

cudaError_t
cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                           const struct cudaHostNodeParams *pNodeParams)
{
    REQUIRE(pNodeParams, cudaErrorInvalidValue);
    const CUDA_HOST_NODE_PARAMS p = {.fn = pNodeParams->fn,
                                     .userData = pNodeParams->userData};
    CALL(cuGraphHostNodeSetParams(node, &p));
}

cudaError_t
cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                               const struct cudaHostNodeParams *pNodeParams)
{
    REQUIRE(pNodeParams, cudaErrorInvalidValue);
    const CUDA_HOST_NODE_PARAMS p = {.fn = pNodeParams->fn,
                                     .userData = pNodeParams->userData};
    CALL(cuGraphExecHostNodeSetParams(hGraphExec, node, &p));
}

cudaError_t
cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                      const cudaGraphNode_t *pDependencies,
                      size_t numDependencies)
{
    CALL(
        cuGraphAddEmptyNode(pGraphNode, graph, pDependencies, numDependencies));
}

cudaError_t
cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                           const cudaGraphNode_t *pDependencies,
                           size_t numDependencies, cudaGraph_t childGraph)
{
    CALL(cuGraphAddChildGraphNode(pGraphNode, graph, pDependencies,
                                  numDependencies, childGraph));
}

cudaError_t
cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph)
{
    CALL(cuGraphChildGraphNodeGetGraph(node, pGraph));
}

cudaError_t
cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                            const cudaGraphNode_t *pDependencies,
                            size_t numDependencies, cudaEvent_t event)
{
    CALL(cuGraphAddEventRecordNode(pGraphNode, graph, pDependencies,
                                   numDependencies, event));
}

cudaError_t
cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                          const cudaGraphNode_t *pDependencies,
                          size_t numDependencies, cudaEvent_t event)
{
    CALL(cuGraphAddEventWaitNode(pGraphNode, graph, pDependencies,
                                 numDependencies, event));
}

cudaError_t
cudaGraphDestroyNode(cudaGraphNode_t node)
{
    CALL(cuGraphDestroyNode(node));
}

cudaError_t
cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType)
{
    CALL(cuGraphNodeGetType(node, (CUgraphNodeType *)pType));
}

cudaError_t
cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes)
{
    CALL(cuGraphGetNodes(graph, nodes, numNodes));
}

cudaError_t
cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes,
                      size_t *pNumRootNodes)
{
    CALL(cuGraphGetRootNodes(graph, pRootNodes, pNumRootNodes));
}

cudaError_t
cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode,
                         cudaGraph_t clonedGraph)
{
    CALL(cuGraphNodeFindInClone(pNode, originalNode, clonedGraph));
}

/* ---- edges: since 13 with data, which say nothing here ---- */

#if SW_CUDART_MAJOR >= 13
#define EDGE_IN      const cudaGraphEdgeData *edgeData,
#define EDGE_OUT     cudaGraphEdgeData *edgeData,
#define EDGE_DATA    (CUgraphEdgeData *)edgeData,
#define IGNORE_EDGES (void)edgeData
#else
#define EDGE_IN
#define EDGE_OUT
#define EDGE_DATA    NULL,
#define IGNORE_EDGES (void)0
#endif

cudaError_t
cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                         const cudaGraphNode_t *to,
                         EDGE_IN size_t numDependencies)
{
    IGNORE_EDGES;
    CALL(cuGraphAddDependencies(graph, from, to, numDependencies));
}

cudaError_t
cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                            const cudaGraphNode_t *to,
                            EDGE_IN size_t numDependencies)
{
    IGNORE_EDGES;
    CALL(cuGraphRemoveDependencies(graph, from, to, numDependencies));
}

cudaError_t
cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                  EDGE_OUT size_t *numEdges)
{
    CALL(cuGraphGetEdges_v2(graph, from, to, EDGE_DATA numEdges));
}

cudaError_t
cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                             cudaGraphNode_t *pDependencies,
                             EDGE_OUT size_t *pNumDependencies)
{
    CALL(cuGraphNodeGetDependencies_v2(node, pDependencies,
                                       EDGE_DATA pNumDependencies));
}

cudaError_t
cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                               cudaGraphNode_t *pDependentNodes,
                               EDGE_OUT size_t *pNumDependentNodes)
{
    CALL(cuGraphNodeGetDependentNodes_v2(node, pDependentNodes,
                                         EDGE_DATA pNumDependentNodes));
}

/* ---- executable graphs ---- */

#if SW_CUDART_MAJOR >= 12
cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                     unsigned long long flags)
{
    CALL(cuGraphInstantiateWithFlags(pGraphExec, graph, flags));
}

cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                    cudaGraphExecUpdateResultInfo *resultInfo)
{
    CALL(cuGraphExecUpdate_v2(hGraphExec, hGraph,
                              (CUgraphExecUpdateResultInfo *)resultInfo));
}
#else
cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                     cudaGraphNode_t *pErrorNode, char *pLogBuffer,
                     size_t bufferSize)
{
    CALL(cuGraphInstantiate_v2(pGraphExec, graph, pErrorNode, pLogBuffer,
                               bufferSize));
}

cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                    cudaGraphNode_t *hErrorNode_out,
                    enum cudaGraphExecUpdateResult *updateResult_out)
{
    CALL(cuGraphExecUpdate(hGraphExec, hGraph, hErrorNode_out,
                           (CUgraphExecUpdateResult *)updateResult_out));
}
#endif

cudaError_t
cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                              unsigned long long flags)
{
    CALL(cuGraphInstantiateWithFlags(pGraphExec, graph, flags));
}

cudaError_t
cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags)
{
    ENTER();
    REQUIRE(flags, cudaErrorInvalidValue);
    cuuint64_t value;
    TRY(cuGraphExecGetFlags(graphExec, &value));
    *flags = value;
    return cudaSuccess;
}

cudaError_t
cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    CALL(cuGraphUpload(graphExec, stream));
}
TWIN(cudaGraphUpload, (cudaGraphExec_t graphExec, cudaStream_t stream),
     (graphExec, OWN(stream)))

cudaError_t
cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    CALL(cuGraphLaunch(graphExec, stream));
}
TWIN(cudaGraphLaunch, (cudaGraphExec_t graphExec, cudaStream_t stream),
     (graphExec, OWN(stream)))

cudaError_t
cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
    CALL(cuGraphExecDestroy(graphExec));
}

cudaError_t
cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                        unsigned int isEnabled)
{
    CALL(cuGraphNodeSetEnabled(hGraphExec, hNode, isEnabled));
}

cudaError_t
cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                        unsigned int *isEnabled)
{
    CALL(cuGraphNodeGetEnabled(hGraphExec, hNode, isEnabled));
}

/* ---- capture ---- */

cudaError_t
cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    CALL(cuStreamBeginCapture_v2(stream, (CUstreamCaptureMode)mode));
}
TWIN(cudaStreamBeginCapture,
     (cudaStream_t stream, enum cudaStreamCaptureMode mode),
     (OWN(stream), mode))

cudaError_t
cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    CALL(cuStreamEndCapture(stream, pGraph));
}
TWIN(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *pGraph),
     (OWN(stream), pGraph))

cudaError_t
cudaStreamIsCapturing(cudaStream_t stream,
                      enum cudaStreamCaptureStatus *pCaptureStatus)
{
    CALL(cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)pCaptureStatus));
}
TWIN(cudaStreamIsCapturing,
     (cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus),
     (OWN(stream), pCaptureStatus))

cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    CALL(cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)mode));
}

cudaError_t
cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                            enum cudaStreamCaptureStatus *captureStatus_out,
                            unsigned long long *id_out, cudaGraph_t *graph_out,
                            const cudaGraphNode_t **dependencies_out,
                            size_t *numDependencies_out)
{
    ENTER();
    cuuint64_t id = 0;
    TRY(cuStreamGetCaptureInfo_v2(
        stream, (CUstreamCaptureStatus *)captureStatus_out, &id, graph_out,
        dependencies_out, numDependencies_out));
    if (id_out)
        *id_out = id;
    return cudaSuccess;
}

#if SW_CUDART_MAJOR >= 13
cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream,
                         enum cudaStreamCaptureStatus *captureStatus_out,
                         unsigned long long *id_out, cudaGraph_t *graph_out,
                         const cudaGraphNode_t **dependencies_out,
                         const cudaGraphEdgeData **edgeData_out,
                         size_t *numDependencies_out)
{
    if (edgeData_out)
        *edgeData_out = NULL;
    return cudaStreamGetCaptureInfo_v2(stream, captureStatus_out, id_out,
                                       graph_out, dependencies_out,
                                       numDependencies_out);
}
#elif SW_CUDART_MAJOR == 11
cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream,
                         enum cudaStreamCaptureStatus *pCaptureStatus,
                         unsigned long long *pId)
{
    return cudaStreamGetCaptureInfo_v2(stream, pCaptureStatus, pId, NULL, NULL,
                                       NULL);
}
#endif

#if SW_CUDART_MAJOR >= 12
cudaError_t
cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                              const cudaGraphNode_t *dependencies,
                              const cudaGraphEdgeData *dependencyData,
                              size_t numDependencies,
                              enum cudaStreamCaptureMode mode)
{
    (void)dependencyData;
    CALL(cuStreamBeginCaptureToGraph(stream, graph, dependencies, NULL,
                                     numDependencies,
                                     (CUstreamCaptureMode)mode));
}
#endif

#if SW_CUDART_MAJOR >= 13
cudaError_t
cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                    cudaGraphNode_t *dependencies,
                                    const cudaGraphEdgeData *dependencyData,
                                    size_t numDependencies, unsigned int flags)
{
    (void)dependencyData;
    CALL(cuStreamUpdateCaptureDependencies(stream, dependencies,
                                           numDependencies, flags));
}
#else
cudaError_t
cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                    cudaGraphNode_t *dependencies,
                                    size_t numDependencies, unsigned int flags)
{
    CALL(cuStreamUpdateCaptureDependencies(stream, dependencies,
                                           numDependencies, flags));
}
#endif
