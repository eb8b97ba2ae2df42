/* SPDX-License-Identifier: Apache-2.0 */
/* graph_params.c - what nodes of graphs do, read and changed afterwards. */
#include <stddef.h>
#include <string.h>

#include "api/cuda/graph.h"

/* ---- attributes of kernels ---- */

static sw_rt_node *
kernel_node(CUgraphNode handle)
{
    sw_rt_node *n = sw_rt_object_get(handle, SW_RT_NODE);
    return n && n->kind == SW_RT_NODE_KERNEL ? n : NULL;
}

/* Where the node keeps the attribute; NULL: not one of nodes. A value is a
 * union: all begin where it does. */
static void *
attribute_of(sw_rt_node *n, CUkernelNodeAttrID id, size_t *bytes)
{
    sw_api_kernel_note *a = (sw_api_kernel_note *)(void *)n->note;
#define AT(field)                                                              \
    *bytes = sizeof(field);                                                    \
    return &(field)
    switch ((int)id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        AT(a->window);
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        AT(n->work.launch.cluster);
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        AT(a->scheduling);
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        AT(a->priority);
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        AT(a->domain_map);
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        AT(a->domain);
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        AT(n->work.launch.preferred_cluster);
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        AT(a->carveout);
    default:
        return NULL;
    }
#undef AT
}

CUresult
cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                              CUkernelNodeAttrValue *value_out)
{
    NEED_INIT();
    sw_rt_node *n = kernel_node(hNode);
    REQUIRE(n && value_out, CUDA_ERROR_INVALID_VALUE);
    memset(value_out, 0, sizeof *value_out);
    if (attr == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
        value_out->cooperative = n->work.launch.cooperative;
        return CUDA_SUCCESS;
    }
    if (attr == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
        return CUDA_SUCCESS; /* none is */
    size_t bytes;
    const void *at = attribute_of(n, attr, &bytes);
    REQUIRE(at, CUDA_ERROR_INVALID_VALUE);
    memcpy(value_out, at, bytes);
    return CUDA_SUCCESS;
}

/* The launch as it should be from now on, if it can be. */
static CUresult
change_launch(sw_rt_node *n, const sw_rt_launch *l)
{
    bool ignored;
    sw_status status =
        sw_rt_launch_check(l, l->kernel->module->context, &ignored);
    if (status == SW_OK)
        n->work.launch = *l;
    return sw_api_result(status);
}

static CUresult
set_cluster(sw_rt_node *n, const CUkernelNodeAttrValue *v)
{
    sw_rt_launch l = n->work.launch;
    REQUIRE(v->clusterDim.x && v->clusterDim.y && v->clusterDim.z,
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
    l.cluster[0] = v->clusterDim.x;
    l.cluster[1] = v->clusterDim.y;
    l.cluster[2] = v->clusterDim.z;
    return change_launch(n, &l);
}

CUresult
cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                              const CUkernelNodeAttrValue *value)
{
    NEED_INIT();
    sw_rt_node *n = kernel_node(hNode);
    REQUIRE(n && value, CUDA_ERROR_INVALID_VALUE);
    if (attr == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
        sw_rt_launch l = n->work.launch;
        l.cooperative = value->cooperative != 0;
        return change_launch(n, &l);
    }
    if (attr == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        return set_cluster(n, value);
    CUkernelNodeAttrValue v = *value;
    REQUIRE(sw_api_attribute_is_valid(attr, &v), CUDA_ERROR_INVALID_VALUE);
    if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        v.priority = sw_api_priority(v.priority);
    size_t bytes;
    void *at = attribute_of(n, attr, &bytes);
    REQUIRE(at, CUDA_ERROR_INVALID_VALUE);
    memcpy(at, &v, bytes);
    return CUDA_SUCCESS;
}

CUresult
cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
    const size_t kept = offsetof(sw_api_kernel_note, window);
    NEED_INIT();
    sw_rt_node *to = kernel_node(dst);
    const sw_rt_node *from = kernel_node(src);
    REQUIRE(to && from, CUDA_ERROR_INVALID_VALUE);
    sw_rt_launch l = to->work.launch;
    l.cooperative = from->work.launch.cooperative;
    memcpy(l.cluster, from->work.launch.cluster, sizeof l.cluster);
    memcpy(l.preferred_cluster, from->work.launch.preferred_cluster,
           sizeof l.preferred_cluster);
    CUresult status = change_launch(to, &l);
    if (status == CUDA_SUCCESS)
        memcpy(to->note + kept, from->note + kept,
               sizeof(sw_api_kernel_note) - kept);
    return status;
}

/* ---- events and children ---- */

static CUresult
get_event(CUgraphNode hNode, sw_rt_node_kind kind, CUevent *out)
{
    NODE(n, hNode);
    REQUIRE(out && n->kind == kind, CUDA_ERROR_INVALID_VALUE);
    *out = (CUevent)n->event;
    return CUDA_SUCCESS;
}

static CUresult
set_event(sw_rt_node *n, sw_rt_node_kind kind, CUevent event)
{
    sw_rt_event *e = sw_rt_object_get(event, SW_RT_EVENT);
    REQUIRE(n && e && n->kind == kind, CUDA_ERROR_INVALID_VALUE);
    if (e->shared)
        return sw_api_unsupported("an event of several processes in a graph");
    sw_rt_node_set_event(n, e);
    return CUDA_SUCCESS;
}

CUresult
cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    return get_event(hNode, SW_RT_NODE_RECORD_EVENT, event_out);
}

CUresult
cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    return get_event(hNode, SW_RT_NODE_WAIT_EVENT, event_out);
}

CUresult
cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    NODE(n, hNode);
    return set_event(n, SW_RT_NODE_RECORD_EVENT, event);
}

CUresult
cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    NODE(n, hNode);
    return set_event(n, SW_RT_NODE_WAIT_EVENT, event);
}

CUresult
cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                   CUevent event)
{
    NEED_INIT();
    return set_event(sw_api_exec_node(hGraphExec, hNode),
                     SW_RT_NODE_RECORD_EVENT, event);
}

CUresult
cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                 CUevent event)
{
    NEED_INIT();
    return set_event(sw_api_exec_node(hGraphExec, hNode), SW_RT_NODE_WAIT_EVENT,
                     event);
}

/* The same kinds in the same order. */
static bool
is_alike(const sw_rt_graph *a, const sw_rt_graph *b)
{
    bool same = a->nodes.count == b->nodes.count;
    for (size_t i = 0; same && i < a->nodes.count; i++) {
        const sw_rt_node *m = *(sw_rt_node **)sw_vec_at(&a->nodes, i);
        const sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&b->nodes, i);
        same = m->kind == n->kind && m->deps.count == n->deps.count;
    }
    return same;
}

static CUresult
set_child(sw_rt_node *n, CUgraph childGraph)
{
    sw_rt_graph *child = sw_rt_object_get(childGraph, SW_RT_GRAPH);
    REQUIRE(n && n->kind == SW_RT_NODE_GRAPH && child,
            CUDA_ERROR_INVALID_VALUE);
    sw_rt_graph *copy = sw_rt_graph_clone(child, false);
    REQUIRE(copy, CUDA_ERROR_INVALID_VALUE);
    if (!is_alike(copy, n->child)) {
        sw_rt_graph_destroy(copy);
        return n->graph->is_exec ? CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE
                                 : CUDA_ERROR_INVALID_VALUE;
    }
    copy->is_part = true;
    if (n->graph->context)
        sw_rt_context_wait(n->graph->context); /* it may be running */
    sw_rt_graph_destroy(n->child);
    n->child = copy;
    return CUDA_SUCCESS;
}

CUresult
cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                   CUgraph childGraph)
{
    NEED_INIT();
    return set_child(sw_api_exec_node(hGraphExec, hNode), childGraph);
}

/* ---- of any kind ---- */

/* exec NULL: the node of the graph itself. */
static CUresult
set_params(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *p)
{
    REQUIRE(p && !(p->reserved0[0] | p->reserved0[1] | p->reserved0[2]) &&
                !p->reserved2,
            CUDA_ERROR_INVALID_VALUE);
#define SET(kind, ...)                                                         \
    return exec ? cuGraphExec##kind(exec, node, __VA_ARGS__)                   \
                : cuGraph##kind(node, __VA_ARGS__)
    switch ((int)p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS_v2 kernel;
        memcpy(&kernel, &p->kernel, sizeof kernel);
        SET(KernelNodeSetParams_v2, &kernel);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return exec ? cuGraphExecMemcpyNodeSetParams(
                          exec, node, &p->memcpy.copyParams, p->memcpy.copyCtx)
                    : cuGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        CUDA_MEMSET_NODE_PARAMS fill;
        memcpy(&fill, &p->memset, sizeof fill);
        return exec ? cuGraphExecMemsetNodeSetParams(exec, node, &fill,
                                                     p->memset.ctx)
                    : cuGraphMemsetNodeSetParams(node, &fill);
    }
    case CU_GRAPH_NODE_TYPE_HOST: {
        const CUDA_HOST_NODE_PARAMS host = {p->host.fn, p->host.userData};
        SET(HostNodeSetParams, &host);
    }
    case CU_GRAPH_NODE_TYPE_GRAPH:
        if (exec)
            return cuGraphExecChildGraphNodeSetParams(exec, node,
                                                      p->graph.graph);
        return set_child(sw_rt_object_get(node, SW_RT_NODE), p->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY: { /* there is nothing to change */
        const sw_rt_node *n =
            exec ? sw_api_exec_node(exec, node)
                 : (sw_rt_node *)sw_rt_object_get(node, SW_RT_NODE);
        return n && n->kind == SW_RT_NODE_EMPTY ? CUDA_SUCCESS
                                                : CUDA_ERROR_INVALID_VALUE;
    }
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        SET(EventWaitNodeSetEvent, p->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        SET(EventRecordNodeSetEvent, p->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: {
        CUDA_BATCH_MEM_OP_NODE_PARAMS batch;
        memcpy(&batch, &p->memOp, sizeof batch);
        SET(BatchMemOpNodeSetParams, &batch);
    }
    default: /* memory and conditional nodes cannot be changed */
        return CUDA_ERROR_INVALID_VALUE;
    }
#undef SET
}

CUresult
cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    NEED_INIT();
    return set_params(NULL, hNode, nodeParams);
}

CUresult
cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                         CUgraphNodeParams *nodeParams)
{
    EXEC(e, hGraphExec);
    (void)e;
    return set_params(hGraphExec, hNode, nodeParams);
}
