/* SPDX-License-Identifier: Apache-2.0 */
/* graph_add.c - nodes of any kind by one call; conditional nodes. */
#include <string.h>

#include "api/cuda/graph.h"

CUresult
cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out,
                               CUgraph hGraph, CUcontext ctx,
                               unsigned int defaultLaunchValue,
                               unsigned int flags)
{
    GRAPH(g, hGraph);
    REQUIRE(sw_rt_object_get(ctx, SW_RT_CONTEXT), CUDA_ERROR_INVALID_CONTEXT);
    REQUIRE(pHandle_out && flags <= CU_GRAPH_COND_ASSIGN_DEFAULT,
            CUDA_ERROR_INVALID_VALUE);
    sw_rt_condition *c;
    TRY(sw_rt_condition_create(g, defaultLaunchValue, flags != 0, &c));
    *pHandle_out = c->addr;
    return CUDA_SUCCESS;
}

static CUresult
add_conditional(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
                size_t count, CUDA_CONDITIONAL_NODE_PARAMS *p)
{
    GRAPH(g, graph);
    sw_rt_condition *c = sw_rt_condition_find(g, p->handle);
    unsigned most = p->type == CU_GRAPH_COND_TYPE_IF      ? 2
                    : p->type == CU_GRAPH_COND_TYPE_WHILE ? 1
                                                          : UINT16_MAX;
    REQUIRE(c && (unsigned)p->type <= CU_GRAPH_COND_TYPE_SWITCH && p->size &&
                p->size <= most,
            CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < g->nodes.count; i++) /* a condition has one node */
        REQUIRE((*(sw_rt_node **)sw_vec_at(&g->nodes, i))->condition != c,
                CUDA_ERROR_INVALID_VALUE);
    const sw_rt_work work = {.kind = SW_RT_EMPTY};
    CUresult status = sw_api_node_add(out, graph, deps, count,
                                      SW_RT_NODE_CONDITIONAL, &work, NULL, 0);
    if (status != CUDA_SUCCESS)
        return status;
    sw_rt_node *n = (sw_rt_node *)*out;
    n->condition = c;
    __atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
    n->condition_kind = (sw_rt_condition_kind)p->type;
    n->bodies = sw_alloc(p->size * sizeof *n->bodies);
    for (uint32_t i = 0; i < p->size; i++)
        (n->bodies[i] = sw_rt_graph_create(g->context))->is_part = true;
    n->body_count = p->size;
    p->phGraph_out = (CUgraph *)n->bodies;
    return CUDA_SUCCESS;
}

CUresult
cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph,
               const CUgraphNode *dependencies, size_t numDependencies,
               CUgraphNodeParams *p)
{
    NEED_INIT();
    REQUIRE(p && !(p->reserved0[0] | p->reserved0[1] | p->reserved0[2]) &&
                !p->reserved2,
            CUDA_ERROR_INVALID_VALUE);
#define TO(call, ...)                                                          \
    return call(phGraphNode, hGraph, dependencies, numDependencies, __VA_ARGS__)
    switch ((int)p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS_v2 kernel;
        memcpy(&kernel, &p->kernel, sizeof kernel);
        TO(cuGraphAddKernelNode_v2, &kernel);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        TO(cuGraphAddMemcpyNode, &p->memcpy.copyParams, p->memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        CUDA_MEMSET_NODE_PARAMS fill;
        memcpy(&fill, &p->memset, sizeof fill);
        TO(cuGraphAddMemsetNode, &fill, p->memset.ctx);
    }
    case CU_GRAPH_NODE_TYPE_HOST: {
        const CUDA_HOST_NODE_PARAMS host = {p->host.fn, p->host.userData};
        TO(cuGraphAddHostNode, &host);
    }
    case CU_GRAPH_NODE_TYPE_GRAPH:
        TO(cuGraphAddChildGraphNode, p->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return cuGraphAddEmptyNode(phGraphNode, hGraph, dependencies,
                                   numDependencies);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        TO(cuGraphAddEventWaitNode, p->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        TO(cuGraphAddEventRecordNode, p->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
        CUDA_MEM_ALLOC_NODE_PARAMS alloc;
        memcpy(&alloc, &p->alloc, sizeof alloc);
        CUresult status = cuGraphAddMemAllocNode(
            phGraphNode, hGraph, dependencies, numDependencies, &alloc);
        p->alloc.dptr = alloc.dptr;
        return status;
    }
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        TO(cuGraphAddMemFreeNode, p->free.dptr);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        TO(add_conditional, &p->conditional);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        return sw_api_unsupported("a graph's node of a foreign semaphore");
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: {
        CUDA_BATCH_MEM_OP_NODE_PARAMS batch;
        memcpy(&batch, &p->memOp, sizeof batch);
        TO(cuGraphAddBatchMemOpNode, &batch);
    }
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
#undef TO
}

CUresult
cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                  const CUgraphNode *dependencies,
                  const CUgraphEdgeData *dependencyData, size_t numDependencies,
                  CUgraphNodeParams *nodeParams)
{
    GRAPH(g, hGraph);
    TRY(sw_api_nodes_of(dependencies, dependencyData, numDependencies, g));
    for (size_t i = 0; dependencyData && i < numDependencies; i++)
        REQUIRE(
            !dependencyData[i].type ||
                (nodeParams && nodeParams->type == CU_GRAPH_NODE_TYPE_KERNEL),
            CUDA_ERROR_INVALID_VALUE);
    CUresult status = cuGraphAddNode(phGraphNode, hGraph, dependencies,
                                     numDependencies, nodeParams);
    for (size_t i = 0;
         status == CUDA_SUCCESS && dependencyData && i < numDependencies; i++)
        memcpy(sw_rt_node_edge((sw_rt_node *)dependencies[i],
                               (sw_rt_node *)*phGraphNode),
               &dependencyData[i], sizeof dependencyData[i]);
    return status;
}
