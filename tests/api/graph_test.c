/* SPDX-License-Identifier: Apache-2.0 */
/* graph_test.c - graphs made by hand and by capture, launched repeatedly. */
#include "api_help.h"

CASE(a_captured_stream_replays)
{
    api_fixture f = api_begin();
    CUstream s;
    CUgraph g;
    CUgraphExec e;
    CUdeviceptr p;
    size_t nodes = 0;
    unsigned v = 9;
    CHECK_EQ(cuStreamCreate(&s, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 1, 1), CUDA_SUCCESS);
    CHECK_EQ(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL),
             CUDA_SUCCESS);
    CHECK_EQ(api_slow(&f, p, 1, s), CUDA_SUCCESS);
    CHECK_EQ(api_add(&f, p, 1, 10, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamEndCapture(s, &g), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 1); /* nothing has run */
    CHECK_EQ(cuGraphGetNodes(g, NULL, &nodes), CUDA_SUCCESS);
    CHECK_EQ(nodes, 2);
    e = api_instantiate(g);
    CHECK_EQ(cuGraphLaunch(e, s), CUDA_SUCCESS); /* 14 */
    CHECK_EQ(cuGraphLaunch(e, s), CUDA_SUCCESS); /* 53 */
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 53);
    api_drop(e, g);
    CHECK_EQ(cuGraphDestroy(g), CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}

CASE(waiting_in_a_capture_is_refused)
{
    api_fixture f = api_begin();
    CUstream s;
    CUgraph g = NULL;
    CHECK_EQ(cuStreamCreate(&s, 0), CUDA_SUCCESS);
    CHECK_EQ(cuStreamEndCapture(s, &g), CUDA_ERROR_ILLEGAL_STATE);
    CHECK_EQ(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL),
             CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK_EQ(cuStreamEndCapture(s, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(g == NULL);
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    api_end(&f);
}

CASE(an_event_carries_a_capture_into_another_stream)
{
    api_fixture f = api_begin();
    CUstream a, b;
    CUevent fork, join;
    CUgraph g;
    CUgraphExec e;
    CUdeviceptr p, q;
    unsigned v = 0, w = 0;
    size_t roots = 0;
    CHECK_EQ(cuStreamCreate(&a, 0), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&b, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&fork, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&join, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&q, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 1, 1), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(q, 1, 1), CUDA_SUCCESS);
    CHECK_EQ(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL),
             CUDA_SUCCESS);
    CHECK_EQ(api_slow(&f, p, 1, a), CUDA_SUCCESS);
    CHECK_EQ(cuEventRecord(fork, a), CUDA_SUCCESS);
    CHECK_EQ(cuStreamWaitEvent(b, fork, 0), CUDA_SUCCESS);
    CHECK_EQ(api_slow(&f, q, 5, b), CUDA_SUCCESS);
    CHECK_EQ(cuEventRecord(join, b), CUDA_SUCCESS);
    CHECK_EQ(cuStreamWaitEvent(a, join, 0), CUDA_SUCCESS);
    CHECK_EQ(api_add(&f, p, 1, 2, a), CUDA_SUCCESS);
    CHECK_EQ(cuStreamEndCapture(a, &g), CUDA_SUCCESS);
    CHECK_EQ(cuGraphGetRootNodes(g, NULL, &roots), CUDA_SUCCESS);
    CHECK_EQ(roots, 1);
    e = api_instantiate(g);
    CHECK_EQ(cuGraphLaunch(e, a), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(a), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&w, q, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 6);
    CHECK_EQ(w, 8);
    api_end(&f);
}

CASE(nodes_by_hand)
{
    api_fixture f = api_begin();
    CUgraph g;
    CUgraphExec e;
    CUgraphNode set, kernel;
    CUdeviceptr p;
    unsigned n = 1, add = 4, v = 0;
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    CUDA_MEMSET_NODE_PARAMS m = {
        .dst = p, .value = 100, .elementSize = 4, .width = 1, .height = 1};
    CHECK_EQ(cuGraphAddMemsetNode(&set, g, NULL, 0, &m, f.context),
             CUDA_SUCCESS);
    void *params[] = {&p, &n, &add};
    CUDA_KERNEL_NODE_PARAMS_v2 k = {.func = f.add,
                                    .gridDimX = 1,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 32,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = params};
    CHECK_EQ(cuGraphAddKernelNode(&kernel, g, &set, 1, (void *)&k),
             CUDA_SUCCESS);
    e = api_instantiate(g);
    add = 7;
    CHECK_EQ(cuGraphExecKernelNodeSetParams(e, kernel, (void *)&k),
             CUDA_SUCCESS);
    add = 1000; /* was copied */
    CHECK_EQ(cuGraphLaunch(e, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 107);
    api_end(&f);
}

static void CUDA_CB
count_end(void *count)
{
    ++*(int *)count;
}

/* An object lives as long as somebody holds it: the program, a graph, what was
 * made of the graph. */
CASE(graphs_hold_objects)
{
    api_fixture f = api_begin();
    int ended = 0;
    CUuserObject object;
    CUgraph graph, clone;
    CHECK_EQ(cuUserObjectCreate(&object, &ended, count_end, 1, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuUserObjectCreate(&object, &ended, count_end, 1,
                                CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphRetainUserObject(graph, object, 2, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphReleaseUserObject(graph, object, 3),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuGraphReleaseUserObject(graph, object, 1), CUDA_SUCCESS);
    CHECK_EQ(cuUserObjectRelease(object, 1), CUDA_SUCCESS);
    CHECK_EQ(ended, 0);
    CHECK_EQ(cuGraphClone(&clone, graph), CUDA_SUCCESS);
    CHECK_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    CHECK_EQ(ended, 0);
    CHECK_EQ(cuGraphDestroy(clone), CUDA_SUCCESS);
    CHECK_EQ(ended, 1);
    api_end(&f);
}

/* Whoever captures into a graph has it already. */
CASE(a_capture_into_a_graph_needs_no_place_for_it)
{
    api_fixture f = api_begin();
    CUgraph g;
    CUgraphExec e;
    CUstream s;
    CUdeviceptr p;
    unsigned v = 1;
    CHECK_EQ(cuStreamCreate(&s, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoD(p, &v, 4), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    CHECK_EQ(cuStreamBeginCaptureToGraph(s, g, NULL, NULL, 0,
                                         CU_STREAM_CAPTURE_MODE_RELAXED),
             CUDA_SUCCESS);
    CHECK_EQ(api_add(&f, p, 1, 10, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamEndCapture(s, NULL), CUDA_SUCCESS);
    e = api_instantiate(g);
    CHECK_EQ(cuGraphLaunch(e, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 11);
    api_drop(e, g);
    CHECK_EQ(cuStreamEndCapture(s, NULL), CUDA_ERROR_ILLEGAL_STATE);
    api_end(&f);
}
