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
    REQUIRE(!g->is_part, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(!sw_rt_capture_has_graph(g), CUDA_ERROR_ILLEGAL_STATE);
    sw_rt_graph_destroy(g);
    return CUDA_SUCCESS;
}

bool
sw_api_has_memory(const sw_rt_graph *g)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        if (n->kind == SW_RT_NODE_ALLOC || n->kind == SW_RT_NODE_FREE ||
            (n->child && sw_api_has_memory(n->child)))
            return true;
    }
    return false;
}

bool
sw_api_has_condition(const sw_rt_graph *g)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        if (n->kind == SW_RT_NODE_CONDITIONAL ||
            (n->child && sw_api_has_condition(n->child)))
            return true;
    }
    return false;
}

CUresult
cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
    GRAPH(g, originalGraph);
    REQUIRE(phGraphClone, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(!sw_api_has_memory(g) && !sw_api_has_condition(g),
            CUDA_ERROR_NOT_SUPPORTED);
    sw_rt_graph *copy = sw_rt_graph_clone(g, false);
    REQUIRE(copy, CUDA_ERROR_INVALID_VALUE);
    *phGraphClone = (CUgraph)copy;
    return CUDA_SUCCESS;
}
/* ---- nodes ---- */

/* An edge from that node. One from a port of a kernel lets what follows start
 * before the kernel has ended; here nothing does. */
static bool
edge_is_known(const CUgraphEdgeData *data, const sw_rt_node *from)
{
    for (size_t i = 0; i < sizeof data->reserved; i++)
        if (data->reserved[i])
            return false;
    if (data->type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT)
        return !data->from_port && !data->to_port;
    return data->type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC &&
           from->kind == SW_RT_NODE_KERNEL && !data->to_port &&
           (data->from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC ||
            data->from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER);
}

sw_status
sw_api_nodes_of(const CUgraphNode *deps, const CUgraphEdgeData *data,
                size_t count, const sw_rt_graph *g)
{
    if (count && !deps)
        return SW_E_INVAL;

    for (size_t i = 0; i < count; i++) {
        const sw_rt_node *n = sw_rt_object_get(deps[i], SW_RT_NODE);
        if (!n || n->graph != g)
            return SW_E_INVAL;
        for (size_t k = 0; k < i; k++)
            if (deps[k] == deps[i])
                return SW_E_INVAL;
        if (data && !edge_is_known(&data[i], n))
            return SW_E_INVAL;
    }
    return SW_OK;
}

CUresult
sw_api_node_add(CUgraphNode *out, CUgraph hGraph, const CUgraphNode *deps,
                size_t count, sw_rt_node_kind kind, const sw_rt_work *work,
                const void *note, size_t note_bytes)
{
    sw_rt_graph *g = sw_rt_object_get(hGraph, SW_RT_GRAPH);
    REQUIRE(g && out, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_nodes_of(deps, NULL, count, g));
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
    REQUIRE(!sw_api_has_memory(n->graph), CUDA_ERROR_NOT_SUPPORTED);
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

/* ---- edges, with data: what says that a node may start early ---- */

_Static_assert(sizeof(CUgraphEdgeData) == sizeof(uint64_t), "kept as a word");

/*
 * Nodes at one end of edges, with the edges' data, into what of the arrays is
 * not NULL. *count: room, then what was given. Data that is not asked for must
 * be zero.
 */
typedef struct {
    CUgraphNode *from, *to;
    CUgraphEdgeData *data;
    size_t room, count;
    bool is_lossy;
} edge_list;

static void
list_edge(edge_list *l, sw_rt_node *from, sw_rt_node *to)
{
    const uint64_t *data = sw_rt_node_edge(from, to);
    l->is_lossy |= *data && !l->data;
    if (l->count < l->room) {
        if (l->from)
            l->from[l->count] = (CUgraphNode)from;
        if (l->to)
            l->to[l->count] = (CUgraphNode)to;
        if (l->data)
            memcpy(&l->data[l->count], data, sizeof *data);
    }
    l->count++;
}

static CUresult
end_list(edge_list *l, size_t *count)
{
    bool wanted = l->from || l->to;
    REQUIRE(!wanted || !l->is_lossy, CUDA_ERROR_LOSSY_QUERY);
    for (size_t i = l->count; i < l->room && wanted; i++) {
        if (l->from)
            l->from[i] = NULL;
        if (l->to)
            l->to[i] = NULL;
        if (l->data)
            memset(&l->data[i], 0, sizeof *l->data);
    }
    if (!wanted || *count > l->count)
        *count = l->count;
    return CUDA_SUCCESS;
}

CUresult
cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
                              CUgraphEdgeData *edgeData,
                              size_t *numDependencies)
{
    NODE(n, hNode);
    REQUIRE(numDependencies, CUDA_ERROR_INVALID_VALUE);
    edge_list l = {dependencies, NULL, edgeData, *numDependencies, 0, false};
    for (size_t i = 0; i < n->deps.count; i++)
        list_edge(&l, *(sw_rt_node **)sw_vec_at(&n->deps, i), n);
    return end_list(&l, numDependencies);
}

CUresult
cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies,
                           size_t *numDependencies)
{
    return cuGraphNodeGetDependencies_v2(hNode, dependencies, NULL,
                                         numDependencies);
}

CUresult
cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                CUgraphEdgeData *edgeData,
                                size_t *numDependentNodes)
{
    NODE(n, hNode);
    REQUIRE(numDependentNodes, CUDA_ERROR_INVALID_VALUE);
    edge_list l = {NULL, dependentNodes, edgeData, *numDependentNodes,
                   0,    false};
    for (size_t i = 0; i < n->graph->nodes.count; i++) {
        sw_rt_node *m = *(sw_rt_node **)sw_vec_at(&n->graph->nodes, i);
        if (sw_rt_node_depends(m, n))
            list_edge(&l, n, m);
    }
    return end_list(&l, numDependentNodes);
}

CUresult
cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes,
                             size_t *numDependentNodes)
{
    return cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, NULL,
                                           numDependentNodes);
}

CUresult
cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                   CUgraphEdgeData *edgeData, size_t *numEdges)
{
    GRAPH(g, hGraph);
    REQUIRE(numEdges && !from == !to, CUDA_ERROR_INVALID_VALUE);
    edge_list l = {from, to, edgeData, *numEdges, 0, false};
    for (size_t i = 0; i < g->nodes.count; i++) {
        sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        for (size_t k = 0; k < n->deps.count; k++)
            list_edge(&l, *(sw_rt_node **)sw_vec_at(&n->deps, k), n);
    }
    return end_list(&l, numEdges);
}

CUresult
cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                size_t *numEdges)
{
    return cuGraphGetEdges_v2(hGraph, from, to, NULL, numEdges);
}

static CUresult
edges(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
      const CUgraphEdgeData *data, size_t count,
      bool (*change)(sw_rt_node *, sw_rt_node *))
{
    sw_rt_graph *g = sw_rt_object_get(hGraph, SW_RT_GRAPH);
    REQUIRE(g && ((from && to) || !count), CUDA_ERROR_INVALID_VALUE);
    REQUIRE(change == sw_rt_node_connect || !sw_api_has_memory(g),
            CUDA_ERROR_NOT_SUPPORTED);
    for (size_t i = 0; i < count; i++) {
        TRY(sw_api_nodes_of(&from[i], data ? &data[i] : NULL, 1, g));
        TRY(sw_api_nodes_of(&to[i], NULL, 1, g));
        sw_rt_node *a = (sw_rt_node *)from[i], *b = (sw_rt_node *)to[i];
        bool early = data && data[i].type;
        REQUIRE(a != b && (!early || b->kind == SW_RT_NODE_KERNEL) &&
                    change(a, b),
                CUDA_ERROR_INVALID_VALUE);
        if (early && change == sw_rt_node_connect)
            memcpy(sw_rt_node_edge(a, b), &data[i], sizeof data[i]);
    }
    return CUDA_SUCCESS;
}

CUresult
cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from,
                       const CUgraphNode *to, size_t numDependencies)
{
    return edges(hGraph, from, to, NULL, numDependencies, sw_rt_node_connect);
}

CUresult
cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from,
                          const CUgraphNode *to, size_t numDependencies)
{
    return edges(hGraph, from, to, NULL, numDependencies,
                 sw_rt_node_disconnect);
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

CUresult
cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                          const CUgraphNode *to,
                          const CUgraphEdgeData *edgeData,
                          size_t numDependencies)
{
    return edges(hGraph, from, to, edgeData, numDependencies,
                 sw_rt_node_connect);
}

CUresult
cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                             const CUgraphNode *to,
                             const CUgraphEdgeData *edgeData,
                             size_t numDependencies)
{
    return edges(hGraph, from, to, edgeData, numDependencies,
                 sw_rt_node_disconnect);
}
