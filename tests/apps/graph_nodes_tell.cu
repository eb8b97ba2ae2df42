/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 0 failed
/* Nodes of a graph say what they do, also those that a capture made, and what
 * they say can be changed and given back: a kernel's parameters are read where
 * the node keeps them. Captures forbid allocations, unless they are relaxed. */
#include <cstdio>

static int failures;
#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            failures++;                                                        \
            printf("line %d: %s\n", __LINE__, #condition);                     \
        }                                                                      \
    } while (0)

__device__ float factor_of_all[4];
__global__ void
scale(float *p, float factor, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        p[i] *= factor;
}

static void
forget(void *p)
{
    *(int *)p = 1;
}

int
main()
{
    const int n = 1000;
    static float host[1000], back[1000];
    for (int i = 0; i < n; i++)
        host[i] = 1;
    float *p;
    cudaStream_t s;
    CHECK(cudaMalloc(&p, sizeof host) == cudaSuccess);
    CHECK(cudaStreamCreate(&s) == cudaSuccess);
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) ==
          cudaSuccess);
    cudaMemcpyAsync(p, host, sizeof host, cudaMemcpyHostToDevice, s);
    scale<<<8, 128, 0, s>>>(p, 2, n);
    cudaMemcpyAsync(back, p, sizeof back, cudaMemcpyDeviceToHost, s);
    CHECK(cudaStreamEndCapture(s, &graph) == cudaSuccess);
    cudaGraphExec_t exec;
    cudaGraphInstantiateParams how = {};
    CHECK(cudaGraphInstantiateWithParams(&exec, graph, &how) == cudaSuccess);
    CHECK(how.result_out == cudaGraphInstantiateSuccess);

    cudaGraphNode_t nodes[3];
    size_t count = 3;
    CHECK(cudaGraphGetNodes(graph, nodes, &count) == cudaSuccess && count == 3);
    cudaMemcpy3DParms copy;
    CHECK(cudaGraphMemcpyNodeGetParams(nodes[0], &copy) == cudaSuccess);
    CHECK(copy.srcPtr.ptr == host && copy.dstPtr.ptr == p &&
          copy.extent.width == sizeof host && copy.extent.height == 1 &&
          copy.kind == cudaMemcpyHostToDevice);
    cudaKernelNodeParams kernel;
    CHECK(cudaGraphKernelNodeGetParams(nodes[1], &kernel) == cudaSuccess);
    CHECK(kernel.func == (void *)scale && kernel.gridDim.x == 8 &&
          kernel.blockDim.x == 128);
    CHECK(*(float **)kernel.kernelParams[0] == p &&
          *(float *)kernel.kernelParams[1] == 2 &&
          *(int *)kernel.kernelParams[2] == n);
    float five = 5;
    void *args[] = {kernel.kernelParams[0], &five, kernel.kernelParams[2]};
    kernel.kernelParams = args;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, nodes[1], &kernel) ==
          cudaSuccess);
    CHECK(cudaGraphLaunch(exec, s) == cudaSuccess);
    CHECK(cudaStreamSynchronize(s) == cudaSuccess);
    CHECK(back[0] == 5 && back[n - 1] == 5);

    cudaLaunchAttributeValue value = {};
    value.priority = -3;
    CHECK(cudaGraphKernelNodeSetAttribute(
              nodes[1], cudaLaunchAttributePriority, &value) == cudaSuccess);
    value.priority = 0;
    CHECK(cudaGraphKernelNodeGetAttribute(
              nodes[1], cudaLaunchAttributePriority, &value) == cudaSuccess);
    CHECK(value.priority == -3);

    /* by hand: a copy into a variable, an event, an object that is kept */
    cudaGraph_t made;
    cudaGraphNode_t node, record;
    cudaEvent_t event, got;
    int gone = 0;
    cudaUserObject_t object;
    CHECK(cudaGraphCreate(&made, 0) == cudaSuccess);
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&node, made, NULL, 0, factor_of_all,
                                         host, 8, 8,
                                         cudaMemcpyHostToDevice) ==
          cudaSuccess);
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&node, made, NULL, 0, factor_of_all,
                                         host, 8, 12,
                                         cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
    CHECK(cudaEventCreate(&event) == cudaSuccess);
    CHECK(cudaGraphAddEventRecordNode(&record, made, &node, 1, event) ==
          cudaSuccess);
    CHECK(cudaGraphEventRecordNodeGetEvent(record, &got) == cudaSuccess &&
          got == event);
    CHECK(cudaGraphEventWaitNodeGetEvent(record, &got) ==
          cudaErrorInvalidValue);
    CHECK(cudaUserObjectCreate(&object, &gone, forget, 1,
                               cudaUserObjectNoDestructorSync) == cudaSuccess);
    CHECK(cudaGraphRetainUserObject(made, object, 1, cudaGraphUserObjectMove) ==
          cudaSuccess);
    cudaGraphExec_t second;
    CHECK(cudaGraphInstantiate(&second, made, 0) == cudaSuccess);
    CHECK(cudaGraphLaunch(second, s) == cudaSuccess);
    float values[4];
    CHECK(cudaStreamSynchronize(s) == cudaSuccess);
    CHECK(cudaMemcpyFromSymbol(values, factor_of_all, sizeof values) ==
          cudaSuccess);
    CHECK(values[1] == 0 && values[2] == 1 && values[3] == 1);
    CHECK(cudaEventQuery(event) == cudaSuccess);
    CHECK(cudaGraphDestroy(made) == cudaSuccess && !gone);
    CHECK(cudaGraphExecDestroy(second) == cudaSuccess && gone);

    /* what a capture forbids, and to whom */
    void *q = NULL;
    cudaGraph_t none = NULL;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) ==
          cudaSuccess);
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
    CHECK(cudaMalloc(&q, 64) == cudaSuccess);
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
    CHECK(cudaMalloc(&q, 64) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(s, &none) == cudaErrorStreamCaptureInvalidated);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) ==
          cudaSuccess);
    CHECK(cudaMalloc(&q, 64) == cudaSuccess && cudaFree(q) == cudaSuccess);
    CHECK(cudaStreamEndCapture(s, &none) == cudaSuccess);
    printf("%d failed\n", failures);
    return failures != 0;
}
