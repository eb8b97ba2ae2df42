/* SPDX-License-Identifier: Apache-2.0 */
/* graph_params.c - what nodes of graphs do, read and changed afterwards. */
#include <string.h>

#include "api/cuda/graph.h"

/* ---- a kernel's attributes: some follow from the launch, others are kept ----
 */

static sw_rt_node *
kernel_node(CUgraphNode handle)
{
    sw_rt_node *n = sw_rt_object_get(handle, SW_RT_NODE);
    return n && n->kind == SW_RT_NODE_KERNEL ? n : NULL;
}

CUresult
cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                              CUkernelNodeAttrValue *value_out)
{
    NEED_INIT();
    const sw_rt_node *n = kernel_node(hNode);
    REQUIRE(n && value_out, CUDA_ERROR_INVALID_VALUE);
    sw_api_kernel_note note;
    memcpy(&note, n->note, sizeof note);
    memset(value_out, 0, sizeof *value_out);
    switch ((int)attr) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        value_out->accessPolicyWindow = note.window;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        value_out->cooperative = n->work.launch.cooperative;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        value_out->priority = note.priority;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                              const CUkernelNodeAttrValue *value)
{
    NEED_INIT();
    sw_rt_node *n = kernel_node(hNode);
    REQUIRE(n && value, CUDA_ERROR_INVALID_VALUE);
    sw_api_kernel_note note;
    memcpy(&note, n->note, sizeof note);
    switch ((int)attr) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: /* caches: no effect */
        note.window = value->accessPolicyWindow;
        break;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: {
        sw_rt_launch *l = &n->work.launch;
        bool before = l->cooperative, ignored;
        l->cooperative = value->cooperative != 0;
        sw_status status =
            sw_rt_launch_check(l, l->kernel->module->context, &ignored);
        if (status != SW_OK)
            l->cooperative = before;
        return sw_api_result(status);
    }
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        note.priority = value->priority;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(n->note, &note, sizeof note);
    return CUDA_SUCCESS;
}

CUresult
cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
    static const CUkernelNodeAttrID ids[] = {
        CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
        CU_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_PRIORITY};
    CUresult status = CUDA_SUCCESS;
    for (size_t i = 0; i < sizeof ids / sizeof *ids && !status; i++) {
        CUkernelNodeAttrValue value;
        status = cuGraphKernelNodeGetAttribute(src, ids[i], &value);
        if (status == CUDA_SUCCESS)
            status = cuGraphKernelNodeSetAttribute(dst, ids[i], &value);
    }
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

CUresult
cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                   CUgraph childGraph)
{
    GRAPH(child, childGraph);
    sw_rt_node *n = sw_api_exec_node(hGraphExec, hNode);
    REQUIRE(n && n->child && n->child->nodes.count == child->nodes.count,
            CUDA_ERROR_INVALID_VALUE);
    sw_rt_graph *copy = sw_rt_graph_clone(child, false);
    REQUIRE(copy, CUDA_ERROR_INVALID_VALUE);
    if (n->child->context)
        sw_rt_context_wait(n->child->context); /* it may be running */
    sw_rt_graph_destroy(n->child);
    n->child = copy;
    return CUDA_SUCCESS;
}

/* ---- nodes of any kind by one call ---- */

CUresult
cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *p)
{
    NODE(n, hNode);
    CUgraphNodeType type;
    REQUIRE(p, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cuGraphNodeGetType(hNode, &type) == CUDA_SUCCESS && type == p->type,
            CUDA_ERROR_INVALID_VALUE);
    switch ((int)p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS_v2 kernel;
        memcpy(&kernel, &p->kernel, sizeof kernel);
        return cuGraphKernelNodeSetParams_v2(hNode, &kernel);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return cuGraphMemcpyNodeSetParams(hNode, &p->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        CUDA_MEMSET_NODE_PARAMS fill;
        memcpy(&fill, &p->memset, sizeof fill);
        return cuGraphMemsetNodeSetParams(hNode, &fill);
    }
    case CU_GRAPH_NODE_TYPE_HOST: {
        const CUDA_HOST_NODE_PARAMS host = {p->host.fn, p->host.userData};
        return cuGraphHostNodeSetParams(hNode, &host);
    }
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return set_event(n, SW_RT_NODE_WAIT_EVENT, p->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return set_event(n, SW_RT_NODE_RECORD_EVENT, p->eventRecord.event);
    default:
        return sw_api_unsupported("cuGraphNodeSetParams of this kind of node");
    }
}

CUresult
cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                         CUgraphNodeParams *p)
{
    NODE(n, hNode);
    (void)n;
    CUgraphNodeType type;
    REQUIRE(p, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cuGraphNodeGetType(hNode, &type) == CUDA_SUCCESS && type == p->type,
            CUDA_ERROR_INVALID_VALUE);
    switch ((int)p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS_v2 kernel;
        memcpy(&kernel, &p->kernel, sizeof kernel);
        return cuGraphExecKernelNodeSetParams_v2(hGraphExec, hNode, &kernel);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return cuGraphExecMemcpyNodeSetParams(
            hGraphExec, hNode, &p->memcpy.copyParams, p->memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        CUDA_MEMSET_NODE_PARAMS fill;
        memcpy(&fill, &p->memset, sizeof fill);
        return cuGraphExecMemsetNodeSetParams(hGraphExec, hNode, &fill,
                                              p->memset.ctx);
    }
    case CU_GRAPH_NODE_TYPE_HOST: {
        const CUDA_HOST_NODE_PARAMS host = {p->host.fn, p->host.userData};
        return cuGraphExecHostNodeSetParams(hGraphExec, hNode, &host);
    }
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return cuGraphExecChildGraphNodeSetParams(hGraphExec, hNode,
                                                  p->graph.graph);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return cuGraphExecEventWaitNodeSetEvent(hGraphExec, hNode,
                                                p->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return cuGraphExecEventRecordNodeSetEvent(hGraphExec, hNode,
                                                  p->eventRecord.event);
    default:
        return sw_api_unsupported(
            "cuGraphExecNodeSetParams of this kind of node");
    }
}
