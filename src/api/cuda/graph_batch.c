/* SPDX-License-Identifier: Apache-2.0 */
/* graph_batch.c - nodes that write to memory or wait for what stands there. */
#include <string.h>

#include "api/cuda/graph.h"

/* Makes the node's work of p, which may be what the node has already. */
static CUresult
set_batch(sw_rt_node *n, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    sw_rt_work works[SW_API_BATCH_MAX];
    for (unsigned i = 0; i < p->count; i++) {
        CUresult status = sw_api_batched_work(&p->paramArray[i], &works[i]);
        if (status != CUDA_SUCCESS)
            return status;
    }
    if (n) {
        sw_rt_node_set_batch(n, works, p->count, p->paramArray,
                             p->count * sizeof *p->paramArray);
        memcpy(n->note, p, sizeof *p);
    }
    return CUDA_SUCCESS;
}

static CUresult
check(const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    REQUIRE(p && p->count <= SW_API_BATCH_MAX && p->paramArray && !p->flags,
            CUDA_ERROR_INVALID_VALUE);
    return set_batch(NULL, p);
}

CUresult
cuGraphAddBatchMemOpNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                         const CUgraphNode *dependencies,
                         size_t numDependencies,
                         const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    NEED_INIT();
    CUresult status = check(nodeParams);
    const sw_rt_work work = {.kind = SW_RT_EMPTY};
    if (status == CUDA_SUCCESS)
        status =
            sw_api_node_add(phGraphNode, hGraph, dependencies, numDependencies,
                            SW_RT_NODE_VALUE, &work, NULL, 0);
    return status == CUDA_SUCCESS
               ? set_batch((sw_rt_node *)*phGraphNode, nodeParams)
               : status;
}

/* What a captured operation might have been asked for as. */
static CUstreamBatchMemOpParams
captured(const sw_rt_work *work)
{
    CUstreamBatchMemOpParams op = {0};
    bool is_long = work->value.bytes == 8;
    if (work->kind == SW_RT_WAIT_VALUE) {
        op.waitValue.operation = is_long ? CU_STREAM_MEM_OP_WAIT_VALUE_64
                                         : CU_STREAM_MEM_OP_WAIT_VALUE_32;
        op.waitValue.address = work->value.addr;
        op.waitValue.value64 = work->value.value;
        op.waitValue.flags = work->value.test;
    } else {
        op.writeValue.operation = is_long ? CU_STREAM_MEM_OP_WRITE_VALUE_64
                                          : CU_STREAM_MEM_OP_WRITE_VALUE_32;
        op.writeValue.address = work->value.addr;
        op.writeValue.value64 = work->value.value;
    }
    return op;
}

CUresult
cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
                               CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out)
{
    NODE(n, hNode);
    REQUIRE(nodeParams_out && n->kind == SW_RT_NODE_VALUE,
            CUDA_ERROR_INVALID_VALUE);
    if (!n->batch) {
        CUstreamBatchMemOpParams op = captured(&n->work);
        sw_rt_node_set_batch(n, &n->work, 1, &op, sizeof op);
    }
    memcpy(nodeParams_out, n->note, sizeof *nodeParams_out);
    nodeParams_out->count = n->batch_count;
    nodeParams_out->paramArray = n->batch_note;
    return CUDA_SUCCESS;
}

static CUresult
change(sw_rt_node *n, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    REQUIRE(n && n->kind == SW_RT_NODE_VALUE, CUDA_ERROR_INVALID_VALUE);
    CUresult status = check(p);
    return status == CUDA_SUCCESS ? set_batch(n, p) : status;
}

CUresult
cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
                               const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    NODE(n, hNode);
    return change(n, nodeParams);
}

CUresult
cuGraphExecBatchMemOpNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode,
    const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    NEED_INIT();
    /* As many as there were. */
    const sw_rt_node *n = sw_api_exec_node(hGraphExec, hNode);
    REQUIRE(n && nodeParams &&
                nodeParams->count == (n->batch ? n->batch_count : 1),
            CUDA_ERROR_INVALID_VALUE);
    return change(sw_api_exec_node(hGraphExec, hNode), nodeParams);
}
