/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - graphs: nodes, edges, executable graphs; capture of streams. */
#include "rt/graph.h"

#include <string.h>

#include "api/cuda/api.h"
#include "api/cuda/copy.h"

#define GRAPH(var, handle)                                                     \
    NEED_INIT();                                                               \
    sw_rt_graph *var = sw_rt_object_get(handle, SW_RT_GRAPH);                  \
    REQUIRE(var, CUDA_ERROR_INVALID_VALUE)
#define EXEC(var, handle)                                                      \
    NEED_INIT();                                                               \
    sw_rt_graph *var = sw_rt_object_get(handle, SW_RT_GRAPH_EXEC);             \
    REQUIRE(var, CUDA_ERROR_INVALID_VALUE)
#define NODE(var, handle)                                                      \
    NEED_INIT();                                                               \
    sw_rt_node *var = sw_rt_object_get(handle, SW_RT_NODE);                    \
    REQUIRE(var, CUDA_ERROR_INVALID_VALUE)

CUresult
cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
    NEED_INIT();
    REQUIRE(phGraph && flags == 0, CUDA_ERROR_INVALID_VALUE);
    *phGraph = (CUgraph)sw_rt_graph_create(sw_rt_current(NULL));
    return CUDA_SUCCESS;
}

CUresult
cuGraphDestroy(CUgraph hGraph)
{
    GRAPH(g, hGraph);
    sw_rt_graph_destroy(g);
    return CUDA_SUCCESS;
}

CUresult
cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
    GRAPH(g, originalGraph);
    REQUIRE(phGraphClone, CUDA_ERROR_INVALID_VALUE);
    sw_rt_graph *copy = sw_rt_graph_clone(g, false);
    REQUIRE(copy, CUDA_ERROR_INVALID_VALUE);
    *phGraphClone = (CUgraph)copy;
    return CUDA_SUCCESS;
}

/* ---- nodes ---- */

static sw_status
check_deps(const CUgraphNode *deps, size_t count, const sw_rt_graph *g)
{
    if (count && !deps)
        return SW_E_INVAL;
    for (size_t i = 0; i < count; i++) {
        const sw_rt_node *n = sw_rt_object_get(deps[i], SW_RT_NODE);
        if (!n || n->graph != g)
            return SW_E_INVAL;
    }
    return SW_OK;
}

/* Adds a node; `note` is the program's own description of it. */
static CUresult
add(CUgraphNode *out, CUgraph hGraph, const CUgraphNode *deps, size_t count,
    sw_rt_node_kind kind, const sw_rt_work *work, const void *note,
    size_t note_bytes)
{
    GRAPH(g, hGraph);
    REQUIRE(out, CUDA_ERROR_INVALID_VALUE);
    TRY(check_deps(deps, count, g));
    sw_rt_node *n =
        sw_rt_node_add(g, kind, work, (sw_rt_node *const *)deps, count);
    SW_ASSERT(note_bytes <= sizeof n->note);
    if (note)
        memcpy(n->note, note, note_bytes);
    *out = (CUgraphNode)n;
    return CUDA_SUCCESS;
}

static sw_status
kernel_work(const CUDA_KERNEL_NODE_PARAMS_v2 *p, sw_rt_work *work,
            unsigned char **storage)
{
    sw_rt_kernel *k;
    sw_status status =
        sw_api_kernel(p->func ? (void *)p->func : (void *)p->kern, &k);
    if (status != SW_OK)
        return SW_E_INVAL;
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
        result = add(phGraphNode, hGraph, dependencies, numDependencies,
                     SW_RT_NODE_KERNEL, &work, nodeParams, sizeof *nodeParams);
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
    };
    return CUDA_SUCCESS;
}

/* The node of an executable graph that was made from hNode. */
static sw_rt_node *
exec_node(CUgraphExec hGraphExec, CUgraphNode hNode)
{
    sw_rt_graph *e = sw_rt_object_get(hGraphExec, SW_RT_GRAPH_EXEC);
    sw_rt_node *n = sw_rt_object_get(hNode, SW_RT_NODE);
    return e && n ? sw_rt_graph_find(e, n) : NULL;
}

CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                  const CUDA_KERNEL_NODE_PARAMS_v2 *nodeParams)
{
    NEED_INIT();
    sw_rt_node *n = exec_node(hGraphExec, hNode);
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

CUresult
cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                     const CUgraphNode *dependencies, size_t numDependencies,
                     const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    NEED_INIT();
    (void)ctx;
    REQUIRE(copyParams, CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work;
    TRY(sw_api_copy3d(copyParams, &work));
    return add(phGraphNode, hGraph, dependencies, numDependencies,
               SW_RT_NODE_MEMCPY, &work, copyParams, sizeof *copyParams);
}

static CUresult
set_memcpy(sw_rt_node *n, const CUDA_MEMCPY3D *p)
{
    REQUIRE(p && n && n->kind == SW_RT_NODE_MEMCPY, CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work;
    TRY(sw_api_copy3d(p, &work));
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
    return set_memcpy(exec_node(hGraphExec, hNode), copyParams);
}

CUresult
cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
    NODE(n, hNode);
    REQUIRE(nodeParams && n->kind == SW_RT_NODE_MEMCPY,
            CUDA_ERROR_INVALID_VALUE);
    memcpy(nodeParams, n->note, sizeof *nodeParams);
    return CUDA_SUCCESS;
}

static sw_status
memset_work(const CUDA_MEMSET_NODE_PARAMS *p, sw_rt_work *work)
{
    if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
        return SW_E_INVAL;
    if (!p->width || !p->height || p->width > SIZE_MAX / 8)
        return SW_E_INVAL;
    size_t row = p->width * p->elementSize;
    if (p->height > 1 && p->pitch < row)
        return SW_E_INVAL;
    if (!sw_rt_memory_holds(p->dst, (p->height - 1) * p->pitch + row))
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
    NEED_INIT();
    (void)ctx;
    REQUIRE(memsetParams, CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work;
    TRY(memset_work(memsetParams, &work));
    return add(phGraphNode, hGraph, dependencies, numDependencies,
               SW_RT_NODE_MEMSET, &work, memsetParams, sizeof *memsetParams);
}

static CUresult
set_memset(sw_rt_node *n, const CUDA_MEMSET_NODE_PARAMS *p)
{
    REQUIRE(p && n && n->kind == SW_RT_NODE_MEMSET, CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work;
    TRY(memset_work(p, &work));
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
    return set_memset(exec_node(hGraphExec, hNode), memsetParams);
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
    NEED_INIT();
    REQUIRE(nodeParams && nodeParams->fn, CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work = {.kind = SW_RT_HOST};
    work.host.fn = nodeParams->fn;
    work.host.arg = nodeParams->userData;
    return add(phGraphNode, hGraph, dependencies, numDependencies,
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
    NODE(n, hNode);
    return set_host(n, nodeParams);
}

CUresult
cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                             const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    NEED_INIT();
    return set_host(exec_node(hGraphExec, hNode), nodeParams);
}

CUresult
cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
    NODE(n, hNode);
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
    return add(phGraphNode, hGraph, dependencies, numDependencies,
               SW_RT_NODE_EMPTY, &work, NULL, 0);
}

CUresult
cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                         const CUgraphNode *dependencies,
                         size_t numDependencies, CUgraph childGraph)
{
    GRAPH(child, childGraph);
    sw_rt_graph *copy = sw_rt_graph_clone(child, false);
    REQUIRE(copy, CUDA_ERROR_INVALID_VALUE);
    CUresult status = add(phGraphNode, hGraph, dependencies, numDependencies,
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
    const sw_rt_work work = {.kind = SW_RT_EMPTY};
    CUresult status = add(out, g, deps, count, kind, &work, NULL, 0);
    if (status == CUDA_SUCCESS)
        ((sw_rt_node *)*out)->event = e;
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

CUresult
cuGraphDestroyNode(CUgraphNode hNode)
{
    NODE(n, hNode);
    sw_rt_node_destroy(n);
    return CUDA_SUCCESS;
}

CUresult
cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
    static const CUgraphNodeType types[] = {
        [SW_RT_NODE_KERNEL] = CU_GRAPH_NODE_TYPE_KERNEL,
        [SW_RT_NODE_MEMCPY] = CU_GRAPH_NODE_TYPE_MEMCPY,
        [SW_RT_NODE_MEMSET] = CU_GRAPH_NODE_TYPE_MEMSET,
        [SW_RT_NODE_HOST] = CU_GRAPH_NODE_TYPE_HOST,
        [SW_RT_NODE_GRAPH] = CU_GRAPH_NODE_TYPE_GRAPH,
        [SW_RT_NODE_EMPTY] = CU_GRAPH_NODE_TYPE_EMPTY,
        [SW_RT_NODE_WAIT_EVENT] = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
        [SW_RT_NODE_RECORD_EVENT] = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
        [SW_RT_NODE_ALLOC] = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
        [SW_RT_NODE_FREE] = CU_GRAPH_NODE_TYPE_MEM_FREE,
        [SW_RT_NODE_VALUE] = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
    };
    NODE(n, hNode);
    REQUIRE(type, CUDA_ERROR_INVALID_VALUE);
    *type = types[n->kind];
    return CUDA_SUCCESS;
}

/* Fills up to *count of out with `nodes`; says how many there are. */
static void
list_nodes(const sw_vec *nodes, CUgraphNode *out, size_t *count)
{
    if (out)
        for (size_t i = 0; i < *count; i++)
            out[i] =
                i < nodes->count ? *(CUgraphNode *)sw_vec_at(nodes, i) : NULL;
    if (!out || *count > nodes->count)
        *count = nodes->count;
}

CUresult
cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
    GRAPH(g, hGraph);
    REQUIRE(numNodes, CUDA_ERROR_INVALID_VALUE);
    list_nodes(&g->nodes, nodes, numNodes);
    return CUDA_SUCCESS;
}

CUresult
cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes,
                    size_t *numRootNodes)
{
    GRAPH(g, hGraph);
    REQUIRE(numRootNodes, CUDA_ERROR_INVALID_VALUE);
    sw_vec roots;
    sw_vec_init(&roots, sizeof(sw_rt_node *));
    for (size_t i = 0; i < g->nodes.count; i++) {
        sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        if (!n->deps.count)
            *(sw_rt_node **)sw_vec_push(&roots) = n;
    }
    list_nodes(&roots, rootNodes, numRootNodes);
    sw_vec_finish(&roots);
    return CUDA_SUCCESS;
}

CUresult
cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies,
                           size_t *numDependencies)
{
    NODE(n, hNode);
    REQUIRE(numDependencies, CUDA_ERROR_INVALID_VALUE);
    list_nodes(&n->deps, dependencies, numDependencies);
    return CUDA_SUCCESS;
}

CUresult
cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes,
                             size_t *numDependentNodes)
{
    NODE(n, hNode);
    REQUIRE(numDependentNodes, CUDA_ERROR_INVALID_VALUE);
    sw_vec found;
    sw_vec_init(&found, sizeof(sw_rt_node *));
    for (size_t i = 0; i < n->graph->nodes.count; i++) {
        sw_rt_node *m = *(sw_rt_node **)sw_vec_at(&n->graph->nodes, i);
        if (sw_rt_node_depends(m, n))
            *(sw_rt_node **)sw_vec_push(&found) = m;
    }
    list_nodes(&found, dependentNodes, numDependentNodes);
    sw_vec_finish(&found);
    return CUDA_SUCCESS;
}

CUresult
cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                size_t *numEdges)
{
    GRAPH(g, hGraph);
    REQUIRE(numEdges && !from == !to, CUDA_ERROR_INVALID_VALUE);
    size_t at = 0;
    for (size_t i = 0; i < g->nodes.count; i++) {
        sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        for (size_t k = 0; k < n->deps.count; k++, at++) {
            if (from && at < *numEdges) {
                from[at] = *(CUgraphNode *)sw_vec_at(&n->deps, k);
                to[at] = (CUgraphNode)n;
            }
        }
    }
    if (!from || *numEdges > at)
        *numEdges = at;
    return CUDA_SUCCESS;
}

static CUresult
edges(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
      size_t count, bool (*change)(sw_rt_node *, sw_rt_node *))
{
    GRAPH(g, hGraph);
    TRY(check_deps(from, count, g));
    TRY(check_deps(to, count, g));
    for (size_t i = 0; i < count; i++)
        REQUIRE(from[i] != to[i] &&
                    change((sw_rt_node *)from[i], (sw_rt_node *)to[i]),
                CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

CUresult
cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from,
                       const CUgraphNode *to, size_t numDependencies)
{
    return edges(hGraph, from, to, numDependencies, sw_rt_node_connect);
}

CUresult
cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from,
                          const CUgraphNode *to, size_t numDependencies)
{
    return edges(hGraph, from, to, numDependencies, sw_rt_node_disconnect);
}

CUresult
cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode,
                       CUgraph hClonedGraph)
{
    GRAPH(g, hClonedGraph);
    NODE(n, hOriginalNode);
    REQUIRE(phNode, CUDA_ERROR_INVALID_VALUE);
    sw_rt_node *found = sw_rt_graph_find(g, n);
    REQUIRE(found, CUDA_ERROR_INVALID_VALUE);
    *phNode = (CUgraphNode)found;
    return CUDA_SUCCESS;
}

/* ---- executable graphs ---- */

CUresult
cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
                            unsigned long long flags)
{
    GRAPH(g, hGraph);
    REQUIRE(phGraphExec, CUDA_ERROR_INVALID_VALUE);
    sw_rt_graph *e = sw_rt_graph_clone(g, true);
    REQUIRE(e, CUDA_ERROR_INVALID_VALUE);
    e->flags = flags;
    *phGraphExec = (CUgraphExec)e;
    return CUDA_SUCCESS;
}

CUresult
cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph,
                      CUgraphNode *phErrorNode, char *logBuffer,
                      size_t bufferSize)
{
    if (phErrorNode)
        *phErrorNode = NULL;
    if (logBuffer && bufferSize)
        logBuffer[0] = 0;
    return cuGraphInstantiateWithFlags(phGraphExec, hGraph, 0);
}

CUresult
cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph,
                   CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize)
{
    return cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer,
                                 bufferSize);
}

CUresult
cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                             CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
    REQUIRE(p, CUDA_ERROR_INVALID_VALUE);
    CUresult status =
        cuGraphInstantiateWithFlags(phGraphExec, hGraph, p->flags);
    p->hErrNode_out = NULL;
    p->result_out = status == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                                           : CUDA_GRAPH_INSTANTIATE_ERROR;
    return status;
}

CUresult
cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags)
{
    EXEC(e, hGraphExec);
    REQUIRE(flags, CUDA_ERROR_INVALID_VALUE);
    *flags = e->flags;
    return CUDA_SUCCESS;
}

CUresult
cuGraphExecDestroy(CUgraphExec hGraphExec)
{
    EXEC(e, hGraphExec);
    if (e->context)
        sw_rt_context_wait(e->context); /* its parameters may be in use */
    sw_rt_graph_destroy(e);
    return CUDA_SUCCESS;
}

CUresult
cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream)
{
    sw_rt_stream *s;
    EXEC(e, hGraphExec);
    (void)e;
    return sw_api_result(sw_api_stream(hStream, &s));
}

CUresult
cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
    sw_rt_stream *s;
    EXEC(e, hGraphExec);
    TRY(sw_api_stream(hStream, &s));
    TRY(sw_rt_context_error(s->context));
    if (s->capture) {
        uint64_t id;
        sw_rt_graph *into = sw_rt_capture_graph(s, &id);
        sw_rt_node *n = sw_rt_node_add(into, SW_RT_NODE_GRAPH, NULL, NULL, 0);
        n->child = sw_rt_graph_clone(e, false);
        return sw_api_result(sw_rt_capture_add(s, n));
    }
    return sw_api_result(sw_rt_graph_launch(e, s));
}

/* Takes over the work of another graph of the same shape. */
static CUresult
update(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *bad,
       CUgraphExecUpdateResult *why)
{
    EXEC(e, hGraphExec);
    GRAPH(g, hGraph);
    *bad = NULL;
    *why = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    sw_rt_graph *now = sw_rt_graph_clone(g, true);
    REQUIRE(now, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    bool same = now->nodes.count == e->nodes.count;
    for (size_t i = 0; same && i < e->nodes.count; i++) {
        const sw_rt_node *a = *(sw_rt_node **)sw_vec_at(&e->nodes, i);
        const sw_rt_node *b = *(sw_rt_node **)sw_vec_at(&now->nodes, i);
        same = a->deps.count == b->deps.count;
        if (same && a->kind != b->kind) {
            *why = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
            same = false;
        }
        if (!same)
            *bad = (CUgraphNode)b->origin;
    }
    if (same) { /* the new nodes move in, the old ones out */
        sw_vec nodes = e->nodes;
        e->nodes = now->nodes;
        now->nodes = nodes;
        for (size_t i = 0; i < e->nodes.count; i++) {
            sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&e->nodes, i);
            const sw_rt_node *old = *(sw_rt_node **)sw_vec_at(&nodes, i);
            n->graph = e;
            n->disabled = old->disabled;
            n->origin = old->origin; /* handles go on naming it */
        }
        *why = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    }
    sw_rt_graph_destroy(now);
    return same ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

CUresult
cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                     CUgraphExecUpdateResultInfo *resultInfo)
{
    REQUIRE(resultInfo, CUDA_ERROR_INVALID_VALUE);
    resultInfo->errorFromNode = NULL;
    return update(hGraphExec, hGraph, &resultInfo->errorNode,
                  &resultInfo->result);
}

CUresult
cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph,
                  CUgraphNode *hErrorNode_out,
                  CUgraphExecUpdateResult *updateResult_out)
{
    CUgraphNode node;
    CUgraphExecUpdateResult why;
    return update(hGraphExec, hGraph, hErrorNode_out ? hErrorNode_out : &node,
                  updateResult_out ? updateResult_out : &why);
}

CUresult
cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                      unsigned int isEnabled)
{
    NEED_INIT();
    sw_rt_node *n = exec_node(hGraphExec, hNode);
    REQUIRE(n, CUDA_ERROR_INVALID_VALUE);
    n->disabled = !isEnabled;
    return CUDA_SUCCESS;
}

CUresult
cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                      unsigned int *isEnabled)
{
    NEED_INIT();
    const sw_rt_node *n = exec_node(hGraphExec, hNode);
    REQUIRE(n && isEnabled, CUDA_ERROR_INVALID_VALUE);
    *isEnabled = !n->disabled;
    return CUDA_SUCCESS;
}
