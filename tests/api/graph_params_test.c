/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_params_test.c - nodes of graphs say what they do, are changed, before
 * and after instantiation, by the call of their kind and by the one for all;
 * operations on memory in batches; a graph as a drawing.
 */
#include <stdlib.h>
#include <unistd.h>

#include "api_help.h"

static CUDA_KERNEL_NODE_PARAMS
add_params(const api_fixture *f, void **params)
{
    return (CUDA_KERNEL_NODE_PARAMS){.func = f->add,
                                     .gridDimX = 1,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = 32,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = params};
}

static unsigned
word(CUdeviceptr p)
{
    unsigned v = 0;
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    return v;
}

/* Runs it on zeroed memory; what it leaves there. */
static unsigned
result(CUgraphExec e, CUdeviceptr p)
{
    CHECK_EQ(cuMemsetD32(p, 0, 4), CUDA_SUCCESS);
    CHECK_EQ(cuGraphLaunch(e, NULL), CUDA_SUCCESS);
    return word(p);
}

CASE(a_kernel_says_its_parameters)
{
    api_fixture f = api_begin();
    CUgraph g;
    CUgraphNode node;
    CUdeviceptr p;
    unsigned n = 4, add = 7, more = 100;
    CHECK_EQ(cuMemAlloc(&p, 16), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    void *params[] = {&p, &n, &add};
    CUDA_KERNEL_NODE_PARAMS k = add_params(&f, params), got;
    CHECK_EQ(cuGraphAddKernelNode(&node, g, NULL, 0, &k), CUDA_SUCCESS);
    CHECK_EQ(cuGraphKernelNodeGetParams(node, &got), CUDA_SUCCESS);
    CHECK_EQ(got.func, f.add);
    CHECK_EQ(got.blockDimX, 32);
    CHECK_EQ(*(CUdeviceptr *)got.kernelParams[0], p);
    CHECK_EQ(*(unsigned *)got.kernelParams[1], 4);
    CHECK_EQ(*(unsigned *)got.kernelParams[2], 7);
    /* What one has got is good to set, whole or in part. */
    CHECK_EQ(cuGraphKernelNodeSetParams(node, &got), CUDA_SUCCESS);
    CUgraphExec e = api_instantiate(g);
    CHECK_EQ(result(e, p), 7);
    CHECK_EQ(cuGraphKernelNodeGetParams(node, &got), CUDA_SUCCESS);
    got.kernelParams[2] = &more;
    CHECK_EQ(cuGraphExecKernelNodeSetParams(e, node, &got), CUDA_SUCCESS);
    CHECK_EQ(result(e, p), 100);
    CUgraphNodeParams any;
    memset(&any, 0, sizeof any);
    any.type = CU_GRAPH_NODE_TYPE_KERNEL;
    add = 9;
    memcpy(&any.kernel, &k, sizeof k);
    CHECK_EQ(cuGraphExecNodeSetParams(e, node, &any), CUDA_SUCCESS);
    CHECK_EQ(result(e, p), 9);
    CHECK_EQ(cuGraphNodeSetParams(node, &any), CUDA_SUCCESS);
    any.type = CU_GRAPH_NODE_TYPE_MEMSET; /* of another kind */
    CHECK_EQ(cuGraphNodeSetParams(node, &any), CUDA_ERROR_INVALID_VALUE);
    any.type = CU_GRAPH_NODE_TYPE_MEM_FREE; /* never */
    CHECK_EQ(cuGraphNodeSetParams(node, &any), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuGraphNodeSetParams(node, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuGraphExecNodeSetParams(NULL, node, &any),
             CUDA_ERROR_INVALID_VALUE);
    api_drop(e, g);
    api_end(&f);
}

CASE(a_kernel_keeps_its_attributes)
{
    api_fixture f = api_begin();
    CUgraph g;
    CUgraphNode a, b;
    CUdeviceptr p;
    unsigned n = 4, add = 7;
    CHECK_EQ(cuMemAlloc(&p, 16), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    void *params[] = {&p, &n, &add};
    CUDA_KERNEL_NODE_PARAMS k = add_params(&f, params);
    CHECK_EQ(cuGraphAddKernelNode(&a, g, NULL, 0, &k), CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddKernelNode(&b, g, NULL, 0, &k), CUDA_SUCCESS);
    CUlaunchAttributeValue v, got;
    memset(&v, 0, sizeof v);
    v.cooperative = 1;
    CHECK_EQ(
        cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v),
        CUDA_SUCCESS);
    v.priority = -1;
    CHECK_EQ(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphKernelNodeSetParams(a, &k), CUDA_SUCCESS); /* they stay */
    CHECK_EQ(cuGraphKernelNodeCopyAttributes(b, a), CUDA_SUCCESS);
    CHECK_EQ(
        cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &got),
        CUDA_SUCCESS);
    CHECK_EQ(got.cooperative, 1);
    CHECK_EQ(
        cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got),
        CUDA_SUCCESS);
    CHECK_EQ(got.priority, -1);
    CHECK_EQ(cuGraphKernelNodeSetAttribute(
                 a, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &v),
             CUDA_ERROR_INVALID_VALUE); /* a stream's */
    CHECK_EQ(
        cuGraphKernelNodeGetAttribute(a, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL),
        CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuGraphDestroy(g), CUDA_SUCCESS);
    api_end(&f);
}

CASE(events_of_nodes_are_exchanged)
{
    api_fixture f = api_begin();
    CUgraph g;
    CUgraphNode record, wait;
    CUevent first, second, got;
    CHECK_EQ(cuEventCreate(&first, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&second, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddEventRecordNode(&record, g, NULL, 0, first),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddEventWaitNode(&wait, g, &record, 1, first),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphEventRecordNodeGetEvent(record, &got), CUDA_SUCCESS);
    CHECK_EQ(got, first);
    CHECK_EQ(cuGraphEventWaitNodeSetEvent(wait, second), CUDA_SUCCESS);
    CHECK_EQ(cuGraphEventWaitNodeGetEvent(wait, &got), CUDA_SUCCESS);
    CHECK_EQ(got, second);
    CHECK_EQ(cuGraphEventWaitNodeGetEvent(record, &got),
             CUDA_ERROR_INVALID_VALUE);
    CUgraphExec e = api_instantiate(g);
    CHECK_EQ(cuGraphExecEventRecordNodeSetEvent(e, record, second),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphExecEventWaitNodeSetEvent(e, record, first),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuGraphLaunch(e, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    float ms;
    CHECK_EQ(cuEventElapsedTime(&ms, second, second), CUDA_SUCCESS);
    CHECK_EQ(cuEventElapsedTime(&ms, first, first), CUDA_ERROR_INVALID_HANDLE);
    api_drop(e, g);
    api_end(&f);
}

static CUgraph
graph_that_fills(const api_fixture *f, CUdeviceptr p, unsigned value)
{
    CUgraph g;
    CUgraphNode node;
    CUDA_MEMSET_NODE_PARAMS m = {
        .dst = p, .value = value, .elementSize = 4, .width = 1, .height = 1};
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddMemsetNode(&node, g, NULL, 0, &m, f->context),
             CUDA_SUCCESS);
    return g;
}

CASE(a_child_graph_is_exchanged_for_one_like_it)
{
    api_fixture f = api_begin();
    CUgraph g, other;
    CUgraphNode node, empty;
    CUdeviceptr p;
    CHECK_EQ(cuMemAlloc(&p, 16), CUDA_SUCCESS);
    CUgraph one = graph_that_fills(&f, p, 1), two = graph_that_fills(&f, p, 2);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&other, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddEmptyNode(&empty, other, NULL, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddChildGraphNode(&node, g, NULL, 0, one), CUDA_SUCCESS);
    CUgraphExec e = api_instantiate(g);
    CHECK_EQ(result(e, p), 1);
    CHECK_EQ(cuGraphExecChildGraphNodeSetParams(e, node, two), CUDA_SUCCESS);
    CHECK_EQ(result(e, p), 2);
    CHECK_EQ(cuGraphExecChildGraphNodeSetParams(e, node, other),
             CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK_EQ(cuGraphExecChildGraphNodeSetParams(e, node, NULL),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(result(e, p), 2);
    api_drop(e, g);
    api_end(&f);
}

CASE(a_node_writes_and_waits)
{
    api_fixture f = api_begin();
    CUgraph g;
    CUgraphNode node;
    CUdeviceptr p;
    CUDA_BATCH_MEM_OP_NODE_PARAMS batch, got;
    CUstreamBatchMemOpParams ops[3];
    memset(ops, 0, sizeof ops);
    memset(&batch, 0, sizeof batch);
    CHECK_EQ(cuMemAlloc(&p, 16), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    ops[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    ops[0].writeValue.address = p + 4;
    ops[0].writeValue.value = 5;
    ops[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    ops[1].waitValue.address = p + 4;
    ops[1].waitValue.value = 5;
    ops[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    ops[2] = ops[0];
    ops[2].writeValue.address = p;
    ops[2].writeValue.value = 6;
    batch.ctx = f.context;
    batch.count = 3;
    batch.paramArray = ops;
    CHECK_EQ(cuGraphAddBatchMemOpNode(&node, g, NULL, 0, &batch), CUDA_SUCCESS);
    CUgraphNodeType type;
    CHECK_EQ(cuGraphNodeGetType(node, &type), CUDA_SUCCESS);
    CHECK_EQ(type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    ops[2].writeValue.value = 66; /* it has a copy */
    CUgraphExec e = api_instantiate(g);
    CHECK_EQ(result(e, p), 6);
    CHECK_EQ(word(p + 4), 5);
    CHECK_EQ(cuGraphBatchMemOpNodeGetParams(node, &got), CUDA_SUCCESS);
    CHECK_EQ(got.count, 3);
    CHECK_EQ(got.paramArray[2].writeValue.value, 6);
    got.paramArray[2].writeValue.value = 8;
    CHECK_EQ(cuGraphExecBatchMemOpNodeSetParams(e, node, &got), CUDA_SUCCESS);
    CHECK_EQ(result(e, p), 8);
    got.count = 2;
    CHECK_EQ(cuGraphBatchMemOpNodeSetParams(node, &got), CUDA_SUCCESS);
    CHECK_EQ(cuGraphBatchMemOpNodeGetParams(node, &got), CUDA_SUCCESS);
    CHECK_EQ(got.count, 2);
    batch.count = 0;
    CHECK_EQ(cuGraphBatchMemOpNodeSetParams(node, &batch), CUDA_SUCCESS);
    CHECK_EQ(cuGraphExecBatchMemOpNodeSetParams(e, node, &batch),
             CUDA_ERROR_INVALID_VALUE);
    batch.count = 257;
    CHECK_EQ(cuGraphBatchMemOpNodeSetParams(node, &batch),
             CUDA_ERROR_INVALID_VALUE);
    batch.count = 3;
    ops[0].writeValue.address = 4;
    CHECK_EQ(cuGraphBatchMemOpNodeSetParams(node, &batch),
             CUDA_ERROR_INVALID_VALUE);
    api_drop(e, g);
    api_end(&f);
}

/* Captured nodes, which nobody described, say what they do too. */
CASE(captured_nodes_say_their_parameters)
{
    api_fixture f = api_begin();
    CUgraph g;
    CUstream s;
    CUdeviceptr p;
    CUgraphNode nodes[2];
    size_t count = 2;
    unsigned v[4] = {3};
    CHECK_EQ(cuMemAlloc(&p, 16), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoDAsync(p, v, 12, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamWriteValue32(s, p + 4, 9, 0), CUDA_SUCCESS);
    CHECK_EQ(cuStreamEndCapture(s, &g), CUDA_SUCCESS);
    CHECK_EQ(cuGraphGetNodes(g, nodes, &count), CUDA_SUCCESS);
    CHECK_EQ(count, 2);
    CUDA_MEMCPY3D c;
    CUDA_BATCH_MEM_OP_NODE_PARAMS batch;
    CHECK_EQ(cuGraphMemcpyNodeGetParams(nodes[0], &c), CUDA_SUCCESS);
    CHECK_EQ(c.WidthInBytes * c.Height * c.Depth, 12);
    CHECK_EQ(c.dstDevice, p);
    CHECK_EQ(cuGraphMemcpyNodeSetParams(nodes[0], &c), CUDA_SUCCESS);
    CHECK_EQ(cuGraphBatchMemOpNodeGetParams(nodes[1], &batch), CUDA_SUCCESS);
    CHECK_EQ(batch.count, 1);
    CHECK_EQ(batch.paramArray[0].writeValue.address, p + 4);
    CHECK_EQ(batch.paramArray[0].writeValue.value, 9);
    CUgraphExec e = api_instantiate(g);
    CHECK_EQ(result(e, p), 3);
    CHECK_EQ(word(p + 4), 9);
    api_drop(e, g);
    api_end(&f);
}

/* A file of this name, read. */
static const char *
read_text(const char *name)
{
    static char text[8192];
    FILE *file = fopen(name, "r");
    CHECK(file != NULL);
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = 0;
    if (file)
        fclose(file);
    return text;
}

CASE(a_graph_is_drawn)
{
    api_fixture f = api_begin();
    CUgraph g;
    CUgraphNode first, second, child;
    CUdeviceptr p;
    unsigned n = 4, add = 7;
    char name[] = "/tmp/softwarp-dot-XXXXXX";
    int file = mkstemp(name);
    close(file);
    CHECK_EQ(cuMemAlloc(&p, 16), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    void *params[] = {&p, &n, &add};
    CUDA_KERNEL_NODE_PARAMS k = add_params(&f, params);
    CHECK_EQ(cuGraphAddKernelNode(&first, g, NULL, 0, &k), CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddKernelNode(&second, g, &first, 1, &k), CUDA_SUCCESS);
    CUgraph inner = graph_that_fills(&f, p, 1);
    CHECK_EQ(cuGraphAddChildGraphNode(&child, g, &second, 1, inner),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphDebugDotPrint(g, name, 0), CUDA_SUCCESS);
    const char *text = read_text(name);
    CHECK(strncmp(text, "digraph", 7) == 0);
    CHECK(strstr(text, "add") != NULL);
    CHECK(strstr(text, "->") != NULL);
    CHECK(strstr(text, "32") == NULL); /* of its block */
    size_t brief = strlen(text);
    CHECK_EQ(cuGraphDebugDotPrint(g, name, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE),
             CUDA_SUCCESS);
    text = read_text(name);
    CHECK(strstr(text, "32") != NULL);
    CHECK(strlen(text) > brief);
    CHECK_EQ(cuGraphDebugDotPrint(g, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuGraphDebugDotPrint(NULL, name, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuGraphDebugDotPrint(g, "/nowhere/at/all", 0),
             CUDA_ERROR_OPERATING_SYSTEM);
    unlink(name);
    CHECK_EQ(cuGraphDestroy(g), CUDA_SUCCESS);
    api_end(&f);
}
