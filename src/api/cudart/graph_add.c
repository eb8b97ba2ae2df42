/* SPDX-License-Identifier: Apache-2.0 */
/* graph_add.c - nodes of any kind by one call; memory of graphs. */
#include <string.h>

#include "api/cudart/cudart.h"

_Static_assert(sizeof(struct cudaGraphNodeParams) == sizeof(CUgraphNodeParams),
               "the kinds that are passed on as they are have one layout");

static cudaError_t
add_kernel(cudaGraphNode_t *node, cudaGraph_t graph,
           const cudaGraphNode_t *deps, size_t count,
           const struct cudaKernelNodeParamsV2 *k)
{
    const struct cudaKernelNodeParams p = {
        .func = k->func,
        .gridDim = k->gridDim,
        .blockDim = k->blockDim,
        .sharedMemBytes = k->sharedMemBytes,
        .kernelParams = k->kernelParams,
        .extra = k->extra,
    };
    return cudaGraphAddKernelNode(node, graph, deps, count, &p);
}

static cudaError_t
add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
         size_t count, struct cudaGraphNodeParams *p)
{
    REQUIRE(p, cudaErrorInvalidValue);
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return add_kernel(node, graph, deps, count, &p->kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(node, graph, deps, count,
                                      &p->memcpy.copyParams);
    default:
        break;
    }
    ENTER();
    /* The runtime numbers kinds as the driver does, but for events. */
    CUgraphNodeParams q;
    memcpy(&q, p, sizeof q);
    TRY(cuGraphAddNode(node, graph, deps, count, &q));
    if (p->type == cudaGraphNodeTypeMemAlloc)
        p->alloc.dptr = (void *)(uintptr_t)q.alloc.dptr;
    if (p->type == cudaGraphNodeTypeConditional)
        p->conditional.phGraph_out = q.conditional.phGraph_out;
    return cudaSuccess;
}

#if SW_CUDART_MAJOR >= 13
cudaError_t
cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                 const cudaGraphNode_t *pDependencies,
                 const cudaGraphEdgeData *dependencyData,
                 size_t numDependencies, struct cudaGraphNodeParams *nodeParams)
{
    (void)dependencyData; /* says when a node may start early: none does */
    return add_node(pGraphNode, graph, pDependencies, numDependencies,
                    nodeParams);
}
#else
cudaError_t
cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                 const cudaGraphNode_t *pDependencies, size_t numDependencies,
                 struct cudaGraphNodeParams *nodeParams)
{
    return add_node(pGraphNode, graph, pDependencies, numDependencies,
                    nodeParams);
}
#endif

cudaError_t
cudaGraphAddNode_v2(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                    const cudaGraphNode_t *pDependencies,
                    const cudaGraphEdgeData *dependencyData,
                    size_t numDependencies,
                    struct cudaGraphNodeParams *nodeParams)
{
    (void)dependencyData;
    return add_node(pGraphNode, graph, pDependencies, numDependencies,
                    nodeParams);
}

cudaError_t
cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out,
                                 cudaGraph_t graph,
                                 unsigned int defaultLaunchValue,
                                 unsigned int flags)
{
    CUgraphConditionalHandle handle;
    ENTER();
    REQUIRE(pHandle_out, cudaErrorInvalidValue);
    CUcontext current;
    TRY(cuCtxGetCurrent(&current));
    TRY(cuGraphConditionalHandleCreate(&handle, graph, current,
                                       defaultLaunchValue, flags));
    *pHandle_out = handle;
    return cudaSuccess;
}

/* ---- memory of graphs ---- */

cudaError_t
cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                         const cudaGraphNode_t *pDependencies,
                         size_t numDependencies,
                         struct cudaMemAllocNodeParams *nodeParams)
{
    ENTER();
    REQUIRE(nodeParams, cudaErrorInvalidValue);
    CUDA_MEM_ALLOC_NODE_PARAMS p;
    _Static_assert(sizeof p == sizeof *nodeParams, "the same layout");
    memcpy(&p, nodeParams, sizeof p);
    TRY(cuGraphAddMemAllocNode(pGraphNode, graph, pDependencies,
                               numDependencies, &p));
    nodeParams->dptr = (void *)(uintptr_t)p.dptr;
    return cudaSuccess;
}

cudaError_t
cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                               struct cudaMemAllocNodeParams *params_out)
{
    CALL(cuGraphMemAllocNodeGetParams(
        node, (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)params_out));
}

cudaError_t
cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                        const cudaGraphNode_t *pDependencies,
                        size_t numDependencies, void *dptr)
{
    CALL(cuGraphAddMemFreeNode(pGraphNode, graph, pDependencies,
                               numDependencies, sw_rta_ptr(dptr)));
}

cudaError_t
cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out)
{
    CALL(cuGraphMemFreeNodeGetParams(node, dptr_out));
}

cudaError_t
cudaDeviceGraphMemTrim(int device)
{
    CALL(cuDeviceGraphMemTrim(device));
}

cudaError_t
cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                               void *value)
{
    CALL(cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)attr,
                                      value));
}

cudaError_t
cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                               void *value)
{
    CALL(cuDeviceSetGraphMemAttribute(device, (CUgraphMem_attribute)attr,
                                      value));
}
