/* SPDX-License-Identifier: Apache-2.0 */
/* graph_exec.c - executable graphs: made, launched, brought up to date. */
#include "api/cuda/graph.h"

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
    sw_rt_node *n = sw_api_exec_node(hGraphExec, hNode);
    REQUIRE(n, CUDA_ERROR_INVALID_VALUE);
    n->disabled = !isEnabled;
    return CUDA_SUCCESS;
}

CUresult
cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                      unsigned int *isEnabled)
{
    NEED_INIT();
    const sw_rt_node *n = sw_api_exec_node(hGraphExec, hNode);
    REQUIRE(n && isEnabled, CUDA_ERROR_INVALID_VALUE);
    *isEnabled = !n->disabled;
    return CUDA_SUCCESS;
}
