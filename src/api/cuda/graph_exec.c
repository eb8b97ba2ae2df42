/* SPDX-License-Identifier: Apache-2.0 */
/* graph_exec.c - executable graphs: made, launched, brought up to date. */
#include "api/cuda/graph.h"

/* Memory is allocated by one executable graph at a time. */
static bool
is_executable(const sw_rt_graph *g)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        if (n->kind == SW_RT_NODE_ALLOC && n->memory->has_exec)
            return true;
    }
    return false;
}

static bool
has_kernel(const sw_rt_graph *g)
{
    for (size_t i = 0; i < g->nodes.count; i++)
        if ((*(sw_rt_node **)sw_vec_at(&g->nodes, i))->kind ==
            SW_RT_NODE_KERNEL)
            return true;
    return false;
}

static void
own_memory(sw_rt_graph *e)
{
    for (size_t i = 0; i < e->nodes.count; i++) {
        sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&e->nodes, i);
        if (n->kind == SW_RT_NODE_ALLOC)
            n->memory->has_exec = true;
    }
}

/* A node that the graph may not have; NULL. Of bodies of conditions and of what
 * devices launch not everything is allowed (H200). */
static const sw_rt_node *
misfit(const sw_rt_graph *g, bool by_device)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        const sw_rt_node *inside =
            n->child ? misfit(n->child, by_device) : NULL;
        switch (n->kind) {
        case SW_RT_NODE_KERNEL:
        case SW_RT_NODE_MEMCPY:
        case SW_RT_NODE_MEMSET:
        case SW_RT_NODE_GRAPH:
            break;
        case SW_RT_NODE_EMPTY:
        case SW_RT_NODE_CONDITIONAL:
        case SW_RT_NODE_ALLOC:
        case SW_RT_NODE_FREE:
            if (by_device)
                return n;
            break;
        default:
            return n;
        }
        if (inside)
            return inside;
    }
    return NULL;
}

static const sw_rt_node *
misfit_in_bodies(const sw_rt_graph *g)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        for (uint32_t k = 0; k < n->body_count; k++) {
            const sw_rt_node *found = misfit(n->bodies[k], false);
            if (!found)
                found = misfit_in_bodies(n->bodies[k]);
            if (found)
                return found;
        }
    }
    return NULL;
}

enum { KNOWN_FLAGS = 15 };

/* *bad: the node that is to blame, or NULL. */
static CUgraphInstantiateResult
check_flags(const sw_rt_graph *g, unsigned long long flags,
            const sw_rt_node **bad)
{
    const unsigned long long by_device =
        CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    *bad = NULL;
    if (flags > KNOWN_FLAGS)
        return CUDA_GRAPH_INSTANTIATE_ERROR;
    if (flags & by_device) {
        if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH ||
            !g->nodes.count)
            return CUDA_GRAPH_INSTANTIATE_ERROR;
        *bad = misfit(g, true);
    } else {
        *bad = misfit_in_bodies(g);
    }
    return *bad ? CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED
                : CUDA_GRAPH_INSTANTIATE_SUCCESS;
}

CUresult
cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
                            unsigned long long flags)
{
    /* An upload needs a stream, which cuGraphInstantiateWithParams takes. */
    const unsigned long long upload = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    REQUIRE(flags <= KNOWN_FLAGS && !(flags & upload),
            CUDA_ERROR_INVALID_VALUE);
    ENTER_UNSAFE(c);
    (void)c;
    GRAPH(g, hGraph);
    const sw_rt_node *bad;
    REQUIRE(phGraphExec &&
                check_flags(g, flags, &bad) == CUDA_GRAPH_INSTANTIATE_SUCCESS,
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(!is_executable(g), CUDA_ERROR_NOT_SUPPORTED);
    sw_rt_graph *e = sw_rt_graph_clone(g, true);
    REQUIRE(e, CUDA_ERROR_INVALID_VALUE);
    e->flags = flags;
    if (e->context && has_kernel(e)) /* so an H200 */
        e->context->flags |= CU_CTX_LMEM_RESIZE_TO_MAX;
    own_memory(e);
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
    const unsigned long long upload = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    p->hErrNode_out = NULL;
    p->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
    GRAPH(g, hGraph);
    const sw_rt_node *bad;
    CUgraphInstantiateResult result = check_flags(g, p->flags, &bad);
    p->hErrNode_out = (CUgraphNode)(uintptr_t)bad;
    p->result_out = result;
    REQUIRE(result == CUDA_GRAPH_INSTANTIATE_SUCCESS, CUDA_ERROR_INVALID_VALUE);
    CUresult status =
        cuGraphInstantiateWithFlags(phGraphExec, hGraph, p->flags & ~upload);
    if (status == CUDA_SUCCESS)
        ((sw_rt_graph *)*phGraphExec)->flags = p->flags;
    else
        p->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
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
    NEED_INIT();
    TRY(sw_rt_capture_check_unsafe());
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
    TRY(sw_api_stream_of(hStream, &s));
    TRY(sw_rt_capture_refuse(s));
    EXEC(e, hGraphExec);
    (void)e;
    return CUDA_SUCCESS;
}

CUresult
cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
    sw_rt_stream *s;
    TRY(sw_api_stream_of(hStream, &s));
    TRY(sw_rt_capture_refuse(s));
    EXEC(e, hGraphExec);
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
    own_memory(e);
    return same ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

CUresult
cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                     CUgraphExecUpdateResultInfo *resultInfo)
{
    CUgraphExecUpdateResultInfo ignored;
    if (!resultInfo)
        resultInfo = &ignored;
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

static bool
can_be_disabled(const sw_rt_node *n)
{
    return n->kind == SW_RT_NODE_KERNEL || n->kind == SW_RT_NODE_MEMCPY ||
           n->kind == SW_RT_NODE_MEMSET;
}

CUresult
cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                      unsigned int isEnabled)
{
    sw_rt_node *n = sw_api_exec_node(hGraphExec, hNode);
    REQUIRE(n && can_be_disabled(n), CUDA_ERROR_INVALID_VALUE);
    n->disabled = !isEnabled;
    return CUDA_SUCCESS;
}

CUresult
cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                      unsigned int *isEnabled)
{
    const sw_rt_node *n = sw_api_exec_node(hGraphExec, hNode);
    REQUIRE(n && can_be_disabled(n) && isEnabled, CUDA_ERROR_INVALID_VALUE);
    *isEnabled = !n->disabled;
    return CUDA_SUCCESS;
}
