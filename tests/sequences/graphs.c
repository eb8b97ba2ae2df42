/* SPDX-License-Identifier: Apache-2.0 */
/* graphs.c - see sequence.h: the driver API, nodes of graphs by kind. */
#include "sequence.h"

#include <string.h>

/* A function, its row is in graphs.def. */
#define CALL(name) static int call_##name(sequence *s)

static uint64_t
as_handle(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

#define AS(type, handle) ((type)(uintptr_t)(handle))
#define PICK(type, kind) AS(type, seq_pick(s, kind))

/* A graph, and a node of it to depend on or none. */
typedef struct {
    CUgraph graph;
    CUgraphNode after;
    size_t count;
} place;

static place
where(sequence *s)
{
    place p = {PICK(CUgraph, SEQ_GRAPH), NULL, 0};
    const seq_object *o = seq_pick_object(s, SEQ_NODE);
    if (o && (o->owner == as_handle(p.graph) || seq_chance(s, 10))) {
        p.after = AS(CUgraphNode, o->handle);
        p.count = 1;
    }
    return p;
}

static int
added(sequence *s, int r, CUgraphNode n, const place *p)
{
    if (!r)
        seq_keep(s, SEQ_NODE, as_handle(n), 0, as_handle(p->graph));
    return r;
}

static void CUDA_CB
host_function(void *data)
{
    *(volatile unsigned char *)data = 1;
}

/* ---- adding ---- */

static CUDA_MEMCPY3D
a_copy(sequence *s)
{
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.WidthInBytes = (size_t)SEQ_ONE_OF(s, 4, 16, 64, 0);
    c.Height = c.Depth = (size_t)SEQ_ONE_OF(s, 1, 1, 1, 0);
    c.srcMemoryType = (CUmemorytype)SEQ_ONE_OF(s, 1, 2, 2, 4, 9);
    c.dstMemoryType = (CUmemorytype)SEQ_ONE_OF(s, 2, 2, 1, 4, 0);
    c.srcHost = seq_host(s, 64);
    c.dstHost = s->host + 4096;
    c.srcDevice = seq_device(s, 64);
    c.dstDevice = seq_device(s, 64);
    c.srcPitch = c.dstPitch = (size_t)SEQ_ONE_OF(s, 64, 0, 8);
    return c;
}

CALL(cuGraphAddMemcpyNode)
{
    CUgraphNode n = NULL;
    place p = where(s);
    CUDA_MEMCPY3D c = a_copy(s);
    int r = cuGraphAddMemcpyNode(&n, p.graph, &p.after, p.count, &c,
                                 AS(CUcontext, s->current));
    return added(s, r, n, &p);
}

CALL(cuGraphAddChildGraphNode)
{
    CUgraphNode n = NULL;
    place p = where(s);
    CUgraph child = PICK(CUgraph, SEQ_GRAPH);
    int r = cuGraphAddChildGraphNode(&n, p.graph, &p.after, p.count,
                                     child == p.graph ? NULL : child);
    return added(s, r, n, &p);
}

CALL(cuGraphAddEventRecordNode)
{
    CUgraphNode n = NULL;
    place p = where(s);
    CUevent e = PICK(CUevent, SEQ_EVENT);
    int r = cuGraphAddEventRecordNode(&n, p.graph, &p.after, p.count, e);
    return added(s, r, n, &p);
}

CALL(cuGraphAddEventWaitNode)
{
    CUgraphNode n = NULL;
    place p = where(s);
    CUevent e = PICK(CUevent, SEQ_EVENT);
    int r = cuGraphAddEventWaitNode(&n, p.graph, &p.after, p.count, e);
    return added(s, r, n, &p);
}

CALL(cuGraphAddMemAllocNode)
{
    CUgraphNode n = NULL;
    place p = where(s);
    CUDA_MEM_ALLOC_NODE_PARAMS a;
    memset(&a, 0, sizeof a);
    a.poolProps.allocType = (CUmemAllocationType)SEQ_ONE_OF(s, 1, 1, 0);
    a.poolProps.location.type = (CUmemLocationType)SEQ_ONE_OF(s, 1, 1, 9);
    a.poolProps.location.id = seq_device_number(s);
    a.bytesize = seq_size(s);
    int r = cuGraphAddMemAllocNode(&n, p.graph, &p.after, p.count, &a);
    return added(s, r, n, &p);
}

CALL(cuGraphAddMemFreeNode)
{
    CUgraphNode n = NULL;
    place p = where(s);
    uint64_t m = seq_pick(s, SEQ_DEVICE_MEMORY);
    int r = cuGraphAddMemFreeNode(&n, p.graph, &p.after, p.count, m);
    return added(s, r, n, &p);
}

/* ---- what nodes do ---- */

CALL(cuGraphKernelNodeGetParams)
{
    CUDA_KERNEL_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    int r = cuGraphKernelNodeGetParams_v2(PICK(CUgraphNode, SEQ_NODE), &p);
    return seq_give(s, r, p.gridDimX * UINT64_C(65536) + p.blockDimX);
}

static CUDA_MEMSET_NODE_PARAMS
a_fill(sequence *s)
{
    CUDA_MEMSET_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.dst = seq_device(s, 64);
    p.elementSize = (unsigned)SEQ_ONE_OF(s, 1, 2, 4, 3);
    p.width = (size_t)SEQ_ONE_OF(s, 16, 1, 0);
    p.height = (size_t)SEQ_ONE_OF(s, 1, 1, 0);
    p.pitch = (size_t)SEQ_ONE_OF(s, 64, 0);
    return p;
}

CALL(cuGraphMemsetNodeGetParams)
{
    CUDA_MEMSET_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    int r = cuGraphMemsetNodeGetParams(PICK(CUgraphNode, SEQ_NODE), &p);
    return seq_give(s, r, p.width * 256 + p.elementSize);
}

CALL(cuGraphMemsetNodeSetParams)
{
    CUgraphNode n = PICK(CUgraphNode, SEQ_NODE);
    CUDA_MEMSET_NODE_PARAMS p = a_fill(s);
    return cuGraphMemsetNodeSetParams(n, &p);
}

CALL(cuGraphHostNodeGetParams)
{
    CUDA_HOST_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    int r = cuGraphHostNodeGetParams(PICK(CUgraphNode, SEQ_NODE), &p);
    return seq_give(s, r, p.userData == s->host);
}

CALL(cuGraphHostNodeSetParams)
{
    CUgraphNode n = PICK(CUgraphNode, SEQ_NODE);
    CUDA_HOST_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.fn = seq_chance(s, 90) ? host_function : NULL;
    p.userData = s->host;
    return cuGraphHostNodeSetParams(n, &p);
}

CALL(cuGraphMemcpyNodeGetParams)
{
    CUDA_MEMCPY3D p;
    memset(&p, 0, sizeof p);
    int r = cuGraphMemcpyNodeGetParams(PICK(CUgraphNode, SEQ_NODE), &p);
    return seq_give(s, r, p.WidthInBytes);
}

CALL(cuGraphEventRecordNodeGetEvent)
{
    CUevent e = NULL;
    int r = cuGraphEventRecordNodeGetEvent(PICK(CUgraphNode, SEQ_NODE), &e);
    return seq_give(s, r, e != NULL);
}

CALL(cuGraphChildGraphNodeGetGraph)
{
    CUgraph g = NULL;
    int r = cuGraphChildGraphNodeGetGraph(PICK(CUgraphNode, SEQ_NODE), &g);
    return seq_give(s, r, g != NULL);
}

/* ---- edges ---- */

CALL(cuGraphGetRootNodes)
{
    size_t n = 77;
    int r = cuGraphGetRootNodes(PICK(CUgraph, SEQ_GRAPH), NULL, &n);
    return seq_give(s, r, n);
}

CALL(cuGraphGetEdges)
{
    size_t n = 77;
    int r = cuGraphGetEdges_v2(PICK(CUgraph, SEQ_GRAPH), NULL, NULL, NULL, &n);
    return seq_give(s, r, n);
}

CALL(cuGraphNodeGetDependencies)
{
    size_t n = 77;
    CUgraphNode node = PICK(CUgraphNode, SEQ_NODE);
    int r = cuGraphNodeGetDependencies_v2(node, NULL, NULL, &n);
    return seq_give(s, r, n);
}

CALL(cuGraphNodeGetDependentNodes)
{
    size_t n = 77;
    CUgraphNode node = PICK(CUgraphNode, SEQ_NODE);
    int r = cuGraphNodeGetDependentNodes_v2(node, NULL, NULL, &n);
    return seq_give(s, r, n);
}

CALL(cuGraphRemoveDependencies)
{
    CUgraph g = PICK(CUgraph, SEQ_GRAPH);
    CUgraphNode a = PICK(CUgraphNode, SEQ_NODE);
    CUgraphNode b = PICK(CUgraphNode, SEQ_NODE);
    return cuGraphRemoveDependencies_v2(g, &a, &b, NULL, 1);
}

/* ---- executable graphs ---- */

CALL(cuGraphExecHostNodeSetParams)
{
    CUgraphExec x = PICK(CUgraphExec, SEQ_EXEC);
    CUgraphNode n = PICK(CUgraphNode, SEQ_NODE);
    CUDA_HOST_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.fn = seq_chance(s, 90) ? host_function : NULL;
    p.userData = s->host;
    return cuGraphExecHostNodeSetParams(x, n, &p);
}

CALL(cuGraphExecMemsetNodeSetParams)
{
    CUgraphExec x = PICK(CUgraphExec, SEQ_EXEC);
    CUgraphNode n = PICK(CUgraphNode, SEQ_NODE);
    CUDA_MEMSET_NODE_PARAMS p = a_fill(s);
    return cuGraphExecMemsetNodeSetParams(x, n, &p, AS(CUcontext, s->current));
}

CALL(cuGraphUpload)
{
    CUgraphExec x = PICK(CUgraphExec, SEQ_EXEC);
    return cuGraphUpload(x, AS(CUstream, seq_stream(s)));
}

CALL(cuGraphNodeSetEnabled)
{
    CUgraphExec x = PICK(CUgraphExec, SEQ_EXEC);
    CUgraphNode n = PICK(CUgraphNode, SEQ_NODE);
    return cuGraphNodeSetEnabled(x, n, seq_random(s, 2));
}

CALL(cuGraphNodeGetEnabled)
{
    unsigned v = 77;
    CUgraphExec x = PICK(CUgraphExec, SEQ_EXEC);
    CUgraphNode n = PICK(CUgraphNode, SEQ_NODE);
    int r = cuGraphNodeGetEnabled(x, n, &v);
    return seq_give(s, r, v);
}

CALL(cuGraphExecGetFlags)
{
    cuuint64_t v = 77;
    int r = cuGraphExecGetFlags(PICK(CUgraphExec, SEQ_EXEC), &v);
    return seq_give(s, r, v);
}

CALL(cuGraphInstantiateWithParams)
{
    CUgraphExec x = NULL;
    CUDA_GRAPH_INSTANTIATE_PARAMS p;
    memset(&p, 0, sizeof p);
    CUgraph g = PICK(CUgraph, SEQ_GRAPH);
    p.flags = seq_flags(s, 0xb);
    p.hUploadStream = AS(CUstream, seq_stream(s));
    int r = cuGraphInstantiateWithParams(&x, g, &p);
    if (!r)
        seq_keep(s, SEQ_EXEC, as_handle(x), as_handle(g), 0);
    return seq_give(s, r, (uint64_t)p.result_out);
}

CALL(cuGraphNodeFindInClone)
{
    CUgraphNode n = NULL, from = PICK(CUgraphNode, SEQ_NODE);
    return cuGraphNodeFindInClone(&n, from, PICK(CUgraph, SEQ_GRAPH));
}

CALL(cuDeviceGetGraphMemAttribute)
{
    cuuint64_t v = 0;
    int d = seq_device_number(s);
    return cuDeviceGetGraphMemAttribute(
        d, (CUgraphMem_attribute)SEQ_ONE_OF(s, 0, 1, 2, 3, 9), &v);
}

CALL(cuDeviceGraphMemTrim)
{
    return cuDeviceGraphMemTrim(seq_device_number(s));
}

/* So that there are graphs with nodes. */
CALL(cuGraphAddEmptyNode_more)
{
    CUgraphNode n = NULL;
    place p = where(s);
    int r = cuGraphAddEmptyNode(&n, p.graph, &p.after, p.count);
    return added(s, r, n, &p);
}

CALL(cuGraphCreate_more)
{
    CUgraph g = NULL;
    int r = cuGraphCreate(&g, 0);
    if (!r)
        seq_keep(s, SEQ_GRAPH, as_handle(g), 0, 0);
    return r;
}

#define ROW(name, weight) {#name, weight, call_##name},
const seq_call seq_graphs_calls[] = {
#include "graphs.def"
};
#undef ROW
const unsigned seq_graphs_count =
    sizeof seq_graphs_calls / sizeof *seq_graphs_calls;
