/* SPDX-License-Identifier: Apache-2.0 */
/* graph_nodes.c - nodes of graphs by kind: what each does, made, read, changed.
 */
#include <string.h>

#include "api/cuda/copy.h"
#include "api/cuda/graph.h"

static sw_status
kernel_work(const CUDA_KERNEL_NODE_PARAMS_v2 *p, sw_rt_work *work,
            unsigned char **storage)
{
    sw_rt_kernel *k;
    sw_status status =
        sw_api_kernel(p->func ? (void *)p->func : (void *)p->kern, &k);
    if (status != SW_OK)
        return p->func || p->kern ? SW_E_INVAL : status;
    const unsigned grid[3] = {p->gridDimX, p->gridDimY, p->gridDimZ};
    const unsigned block[3] = {p->blockDimX, p->blockDimY, p->blockDimZ};
    *storage = sw_alloc(sw_rt_kernel_param_bytes(k) + 1);
    status = sw_api_launch_work(k, grid, block, p->sharedMemBytes,
                                p->kernelParams, p->extra, work, *storage);
    bool ignored;
    if (status == SW_OK)
        status =
            sw_rt_launch_check(&work->launch, k->module->context, &ignored);
    return status;
}

CUresult
cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                        const CUgraphNode *dependencies, size_t numDependencies,
                        const CUDA_KERNEL_NODE_PARAMS_v2 *nodeParams)
{
    NEED_INIT();
    REQUIRE(nodeParams, CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work;
    unsigned char *storage = NULL;
    sw_status status = kernel_work(nodeParams, &work, &storage);
    CUresult result = sw_api_result(status);
    if (status == SW_OK)
        result = sw_api_node_add(phGraphNode, hGraph, dependencies,
                                 numDependencies, SW_RT_NODE_KERNEL, &work,
                                 nodeParams, sizeof *nodeParams);
    sw_free(storage);
    return result;
}

static CUDA_KERNEL_NODE_PARAMS_v2
upgrade(const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
    CUDA_KERNEL_NODE_PARAMS_v2 q = {0};
    memcpy(&q, p, sizeof *p);
    return q;
}

CUresult
cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                     const CUgraphNode *dependencies, size_t numDependencies,
                     const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    REQUIRE(nodeParams, CUDA_ERROR_INVALID_VALUE);
    CUDA_KERNEL_NODE_PARAMS_v2 p = upgrade(nodeParams);
    return cuGraphAddKernelNode_v2(phGraphNode, hGraph, dependencies,
                                   numDependencies, &p);
}

static CUresult
set_kernel(sw_rt_node *n, const CUDA_KERNEL_NODE_PARAMS_v2 *p)
{
    REQUIRE(p && n->kind == SW_RT_NODE_KERNEL, CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work;
    unsigned char *storage = NULL;
    sw_status status = kernel_work(p, &work, &storage);
    if (status == SW_OK) {
        work.launch.cooperative = n->work.launch.cooperative;
        memcpy(work.launch.cluster, n->work.launch.cluster,
               sizeof work.launch.cluster);
        memcpy(work.launch.preferred_cluster, n->work.launch.preferred_cluster,
               sizeof work.launch.preferred_cluster);
        sw_rt_node_set_work(n, &work);
        memcpy(n->note, p, sizeof *p);
    }
    sw_free(storage);
    return sw_api_result(status);
}

CUresult
cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
                              const CUDA_KERNEL_NODE_PARAMS_v2 *nodeParams)
{
    NODE(n, hNode);
    return set_kernel(n, nodeParams);
}

CUresult
cuGraphKernelNodeSetParams(CUgraphNode hNode,
                           const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    NODE(n, hNode);
    REQUIRE(nodeParams, CUDA_ERROR_INVALID_VALUE);
    CUDA_KERNEL_NODE_PARAMS_v2 p = upgrade(nodeParams);
    return set_kernel(n, &p);
}

/* Where the node keeps each parameter: borrowed from it until they change. */
static void **
list_params(sw_rt_node *n)
{
    const sw_rt_kernel *k = n->work.launch.kernel;
    uint32_t count = k->fn->param_count, offset, bytes;
    if (!n->param_list && count && n->params) {
        n->param_list = sw_alloc(count * sizeof *n->param_list);
        for (uint32_t i = 0; sw_rt_kernel_param(k, i, &offset, &bytes); i++)
            n->param_list[i] = n->params + offset;
    }
    return n->param_list;
}

CUresult
cuGraphKernelNodeGetParams_v2(CUgraphNode hNode,
                              CUDA_KERNEL_NODE_PARAMS_v2 *nodeParams)
{
    NODE(n, hNode);
    REQUIRE(nodeParams && n->kind == SW_RT_NODE_KERNEL,
            CUDA_ERROR_INVALID_VALUE);
    const sw_rt_launch *l = &n->work.launch;
    *nodeParams = (CUDA_KERNEL_NODE_PARAMS_v2){
        .func = (CUfunction)l->kernel,
        .gridDimX = l->grid[0],
        .gridDimY = l->grid[1],
        .gridDimZ = l->grid[2],
        .blockDimX = l->block[0],
        .blockDimY = l->block[1],
        .blockDimZ = l->block[2],
        .sharedMemBytes = l->shared_bytes,
        .kernelParams = list_params(n),
        .ctx = (CUcontext)l->kernel->module->context,
    };
    return CUDA_SUCCESS;
}

CUresult
cuGraphKernelNodeGetParams(CUgraphNode hNode,
                           CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    REQUIRE(nodeParams, CUDA_ERROR_INVALID_VALUE);
    CUDA_KERNEL_NODE_PARAMS_v2 p;
    CUresult status = cuGraphKernelNodeGetParams_v2(hNode, &p);
    if (status == CUDA_SUCCESS)
        memcpy(nodeParams, &p, sizeof *nodeParams);
    return status;
}

CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                  const CUDA_KERNEL_NODE_PARAMS_v2 *nodeParams)
{
    NEED_INIT();
    sw_rt_node *n = sw_api_exec_node(hGraphExec, hNode);
    REQUIRE(n, CUDA_ERROR_INVALID_VALUE);
    return set_kernel(n, nodeParams);
}

CUresult
cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                               const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    REQUIRE(nodeParams, CUDA_ERROR_INVALID_VALUE);
    CUDA_KERNEL_NODE_PARAMS_v2 p = upgrade(nodeParams);
    return cuGraphExecKernelNodeSetParams_v2(hGraphExec, hNode, &p);
}

static bool
is_host(uint64_t addr)
{
    sw_mem_range r = {0};
    const sw_rt_alloc *a = sw_rt_memory_find(addr, &r);
    return a ? a->kind == SW_MEM_HOST || a->kind == SW_MEM_REGISTERED
             : r.kind != SW_MEM_MODULE || !r.bytes;
}

/* A node's context is looked at first; none: of no device's. */
static sw_status
enter_node(CUcontext ctx)
{
    if (!sw_rt_is_initialized())
        return SW_E_NOT_INITIALIZED;
    if (!ctx)
        return SW_OK;
    const sw_rt_context *c = sw_rt_object_get(ctx, SW_RT_CONTEXT);
    return c ? sw_rt_context_error(c) : SW_E_CONTEXT_IS_DESTROYED;
}

/* Nodes must, calls need not. */
static bool
copies_something(const CUDA_MEMCPY3D *p)
{
    return p->WidthInBytes && p->Height && p->Depth;
}

CUresult
cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                     const CUgraphNode *dependencies, size_t numDependencies,
                     const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    TRY(enter_node(ctx));
    REQUIRE(copyParams && copies_something(copyParams),
            CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work;
    TRY(sw_api_copy3d(copyParams, &work));
    return sw_api_node_add(phGraphNode, hGraph, dependencies, numDependencies,
                           SW_RT_NODE_MEMCPY, &work, copyParams,
                           sizeof *copyParams);
}

static CUresult
set_memcpy(sw_rt_node *n, const CUDA_MEMCPY3D *p)
{
    REQUIRE(p && n && n->kind == SW_RT_NODE_MEMCPY && copies_something(p),
            CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work;
    TRY(sw_api_copy3d(p, &work));
    /* An executable one goes on copying between the same kinds of memory. */
    REQUIRE(!n->graph->is_exec ||
                (is_host(work.copy.src) == is_host(n->work.copy.src) &&
                 is_host(work.copy.dst) == is_host(n->work.copy.dst)),
            CUDA_ERROR_INVALID_VALUE);
    sw_rt_node_set_work(n, &work);
    memcpy(n->note, p, sizeof *p);
    return CUDA_SUCCESS;
}

CUresult
cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
    NODE(n, hNode);
    return set_memcpy(n, nodeParams);
}

CUresult
cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                               const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    NEED_INIT();
    (void)ctx;
    return set_memcpy(sw_api_exec_node(hGraphExec, hNode), copyParams);
}

CUresult
cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
    NODE(n, hNode);
    REQUIRE(nodeParams && n->kind == SW_RT_NODE_MEMCPY,
            CUDA_ERROR_INVALID_VALUE);
    memcpy(nodeParams, n->note, sizeof *nodeParams);
    if (nodeParams->WidthInBytes)
        return CUDA_SUCCESS;
    const sw_rt_copy *c = &n->work.copy; /* captured: nobody described it */
    *nodeParams = (CUDA_MEMCPY3D){
        .srcPitch = c->src_pitch,
        .srcHeight = c->src_pitch ? c->src_slice / c->src_pitch : 0,
        .dstPitch = c->dst_pitch,
        .dstHeight = c->dst_pitch ? c->dst_slice / c->dst_pitch : 0,
        .WidthInBytes = c->width,
        .Height = c->height,
        .Depth = c->depth,
    };
    if (is_host(c->src)) {
        nodeParams->srcMemoryType = CU_MEMORYTYPE_HOST;
        nodeParams->srcHost = (const void *)(uintptr_t)c->src;
    } else {
        nodeParams->srcMemoryType = CU_MEMORYTYPE_DEVICE;
        nodeParams->srcDevice = c->src;
    }
    if (is_host(c->dst)) {
        nodeParams->dstMemoryType = CU_MEMORYTYPE_HOST;
        nodeParams->dstHost = (void *)(uintptr_t)c->dst;
    } else {
        nodeParams->dstMemoryType = CU_MEMORYTYPE_DEVICE;
        nodeParams->dstDevice = c->dst;
    }
    return CUDA_SUCCESS;
}

static sw_status
memset_work(const CUDA_MEMSET_NODE_PARAMS *p, sw_rt_work *work)
{
    if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
        return SW_E_INVAL;
    if (!p->width || !p->height)
        return SW_E_INVAL;
    size_t row = sw_product(p->width, p->elementSize);
    if (p->height > 1 && p->pitch < row)
        return SW_E_INVAL;
    if (p->dst % p->elementSize || (p->height > 1 && p->pitch % p->elementSize))
        return SW_E_INVAL;
    uint64_t span = sw_sum(sw_product(p->height - 1, p->pitch), row);
    if (!sw_rt_memory_holds(p->dst, span))
        return SW_E_INVAL;
    *work = (sw_rt_work){.kind = SW_RT_FILL};
    work->fill = (sw_rt_fill){.dst = p->dst,
                              .pitch = p->pitch,
                              .slice = p->pitch * p->height,
                              .width = p->width,
                              .height = p->height,
                              .depth = 1,
                              .value = p->value,
                              .elem_bytes = p->elementSize};
    return SW_OK;
}

CUresult
cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                     const CUgraphNode *dependencies, size_t numDependencies,
                     const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    TRY(enter_node(ctx));
    REQUIRE(memsetParams, CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work;
    TRY(memset_work(memsetParams, &work));
    return sw_api_node_add(phGraphNode, hGraph, dependencies, numDependencies,
                           SW_RT_NODE_MEMSET, &work, memsetParams,
                           sizeof *memsetParams);
}

static CUresult
set_memset(sw_rt_node *n, const CUDA_MEMSET_NODE_PARAMS *p)
{
    REQUIRE(p && n && n->kind == SW_RT_NODE_MEMSET, CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work;
    TRY(memset_work(p, &work));
    /* An executable one keeps its number of dimensions. */
    REQUIRE(!n->graph->is_exec ||
                (work.fill.height > 1) == (n->work.fill.height > 1),
            CUDA_ERROR_INVALID_VALUE);
    sw_rt_node_set_work(n, &work);
    memcpy(n->note, p, sizeof *p);
    return CUDA_SUCCESS;
}

CUresult
cuGraphMemsetNodeSetParams(CUgraphNode hNode,
                           const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    NODE(n, hNode);
    return set_memset(n, nodeParams);
}

CUresult
cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                               const CUDA_MEMSET_NODE_PARAMS *memsetParams,
                               CUcontext ctx)
{
    NEED_INIT();
    (void)ctx;
    return set_memset(sw_api_exec_node(hGraphExec, hNode), memsetParams);
}

CUresult
cuGraphMemsetNodeGetParams(CUgraphNode hNode,
                           CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    NODE(n, hNode);
    REQUIRE(nodeParams && n->kind == SW_RT_NODE_MEMSET,
            CUDA_ERROR_INVALID_VALUE);
    const sw_rt_fill *f = &n->work.fill;
    *nodeParams = (CUDA_MEMSET_NODE_PARAMS){.dst = f->dst,
                                            .pitch = f->pitch,
                                            .value = f->value,
                                            .elementSize = f->elem_bytes,
                                            .width = f->width,
                                            .height = f->height};
    return CUDA_SUCCESS;
}

CUresult
cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                   const CUgraphNode *dependencies, size_t numDependencies,
                   const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    REQUIRE(nodeParams && nodeParams->fn, CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work = {.kind = SW_RT_HOST};
    work.host.fn = nodeParams->fn;
    work.host.arg = nodeParams->userData;
    return sw_api_node_add(phGraphNode, hGraph, dependencies, numDependencies,
                           SW_RT_NODE_HOST, &work, NULL, 0);
}

static CUresult
set_host(sw_rt_node *n, const CUDA_HOST_NODE_PARAMS *p)
{
    REQUIRE(p && p->fn && n && n->kind == SW_RT_NODE_HOST,
            CUDA_ERROR_INVALID_VALUE);
    n->work.host.fn = p->fn;
    n->work.host.arg = p->userData;
    return CUDA_SUCCESS;
}

CUresult
cuGraphHostNodeSetParams(CUgraphNode hNode,
                         const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    sw_rt_node *n = sw_rt_object_get(hNode, SW_RT_NODE);
    REQUIRE(n, CUDA_ERROR_INVALID_VALUE);
    return set_host(n, nodeParams);
}

CUresult
cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                             const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    return set_host(sw_api_exec_node(hGraphExec, hNode), nodeParams);
}

CUresult
cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
    sw_rt_node *n = sw_rt_object_get(hNode, SW_RT_NODE);
    REQUIRE(n, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(nodeParams && n->kind == SW_RT_NODE_HOST, CUDA_ERROR_INVALID_VALUE);
    *nodeParams = (CUDA_HOST_NODE_PARAMS){.fn = n->work.host.fn,
                                          .userData = n->work.host.arg};
    return CUDA_SUCCESS;
}

CUresult
cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                    const CUgraphNode *dependencies, size_t numDependencies)
{
    const sw_rt_work work = {.kind = SW_RT_EMPTY};
    return sw_api_node_add(phGraphNode, hGraph, dependencies, numDependencies,
                           SW_RT_NODE_EMPTY, &work, NULL, 0);
}

CUresult
cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                         const CUgraphNode *dependencies,
                         size_t numDependencies, CUgraph childGraph)
{
    GRAPH(child, childGraph);
    REQUIRE(!sw_api_has_memory(child) && !sw_api_has_condition(child),
            CUDA_ERROR_NOT_SUPPORTED);
    sw_rt_graph *copy = sw_rt_graph_clone(child, false);
    REQUIRE(copy, CUDA_ERROR_INVALID_VALUE);
    copy->is_part = true;
    CUresult status =
        sw_api_node_add(phGraphNode, hGraph, dependencies, numDependencies,
                        SW_RT_NODE_GRAPH, NULL, NULL, 0);
    if (status == CUDA_SUCCESS)
        ((sw_rt_node *)*phGraphNode)->child = copy;
    else
        sw_rt_graph_destroy(copy);
    return status;
}

CUresult
cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph)
{
    NODE(n, hNode);
    REQUIRE(phGraph && n->child, CUDA_ERROR_INVALID_VALUE);
    *phGraph = (CUgraph)n->child;
    return CUDA_SUCCESS;
}

static CUresult
add_event(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t count,
          CUevent event, sw_rt_node_kind kind)
{
    NEED_INIT();
    sw_rt_event *e = sw_rt_object_get(event, SW_RT_EVENT);
    REQUIRE(e, CUDA_ERROR_INVALID_VALUE);
    if (e->shared)
        return sw_api_unsupported("an event of several processes in a graph");
    const sw_rt_work work = {.kind = SW_RT_EMPTY};
    CUresult status =
        sw_api_node_add(out, g, deps, count, kind, &work, NULL, 0);
    if (status == CUDA_SUCCESS)
        sw_rt_node_set_event((sw_rt_node *)*out, e);
    return status;
}

CUresult
cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                          const CUgraphNode *dependencies,
                          size_t numDependencies, CUevent event)
{
    return add_event(phGraphNode, hGraph, dependencies, numDependencies, event,
                     SW_RT_NODE_RECORD_EVENT);
}

CUresult
cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                        const CUgraphNode *dependencies, size_t numDependencies,
                        CUevent event)
{
    return add_event(phGraphNode, hGraph, dependencies, numDependencies, event,
                     SW_RT_NODE_WAIT_EVENT);
}
