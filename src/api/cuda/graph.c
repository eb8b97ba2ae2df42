/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - graphs, their nodes in general, and edges. */
#include "rt/graph.h"

#include <string.h>

#include "api/cuda/graph.h"

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

CUresult
sw_api_node_add(CUgraphNode *out, CUgraph hGraph, const CUgraphNode *deps,
                size_t count, sw_rt_node_kind kind, const sw_rt_work *work,
                const void *note, size_t note_bytes)
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
sw_rt_node *
sw_api_exec_node(CUgraphExec hGraphExec, CUgraphNode hNode)
{
    sw_rt_graph *e = sw_rt_object_get(hGraphExec, SW_RT_GRAPH_EXEC);
    sw_rt_node *n = sw_rt_object_get(hNode, SW_RT_NODE);
    return e && n ? sw_rt_graph_find(e, n) : NULL;
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
        [SW_RT_NODE_CONDITIONAL] = CU_GRAPH_NODE_TYPE_CONDITIONAL,
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

/* ---- the same with data of edges: when a node may start early; none does ----
 */

static void
clear_data(CUgraphEdgeData *data, const size_t *count)
{
    if (data && count)
        memset(data, 0, *count * sizeof *data);
}

CUresult
cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                          const CUgraphNode *to,
                          const CUgraphEdgeData *edgeData,
                          size_t numDependencies)
{
    (void)edgeData;
    return cuGraphAddDependencies(hGraph, from, to, numDependencies);
}

CUresult
cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                             const CUgraphNode *to,
                             const CUgraphEdgeData *edgeData,
                             size_t numDependencies)
{
    (void)edgeData;
    return cuGraphRemoveDependencies(hGraph, from, to, numDependencies);
}

CUresult
cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                   CUgraphEdgeData *edgeData, size_t *numEdges)
{
    CUresult status = cuGraphGetEdges(hGraph, from, to, numEdges);
    if (status == CUDA_SUCCESS && from)
        clear_data(edgeData, numEdges);
    return status;
}

CUresult
cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
                              CUgraphEdgeData *edgeData,
                              size_t *numDependencies)
{
    CUresult status =
        cuGraphNodeGetDependencies(hNode, dependencies, numDependencies);
    if (status == CUDA_SUCCESS && dependencies)
        clear_data(edgeData, numDependencies);
    return status;
}

CUresult
cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                CUgraphEdgeData *edgeData,
                                size_t *numDependentNodes)
{
    CUresult status =
        cuGraphNodeGetDependentNodes(hNode, dependentNodes, numDependentNodes);
    if (status == CUDA_SUCCESS && dependentNodes)
        clear_data(edgeData, numDependentNodes);
    return status;
}
