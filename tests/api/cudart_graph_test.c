/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudart_graph_test.c - graphs by the runtime library: nodes that copy from and
 * to variables, what nodes say of themselves, changes before and after
 * instantiation, objects that graphs keep.
 */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "container.h"
#include "softwarp_host_runtime.h"

static const char ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .global .align 4 .b8 total[8];\n"
    ".visible .entry add(.param .u64 p, .param .u32 n) {\n"
    "  .reg .u64 %d<3>; .reg .u32 %r<4>;\n"
    "  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
    "  ld.global.u32 %r3, [%d1];\n"
    "  add.u32 %r3, %r3, %r1; st.global.u32 [%d1], %r3; ret; }\n";

static char add_stub, total_shadow;

__attribute__((constructor)) static void
register_code(void)
{
    void **handle = __cudaRegisterFatBinary(container_of(ptx));
    __cudaRegisterFunction(handle, &add_stub, &add_stub, "add", -1, NULL, NULL,
                           NULL, NULL, NULL);
    __cudaRegisterVar(handle, &total_shadow, &total_shadow, "total", 0, 8, 0,
                      0);
    __cudaRegisterFatBinaryEnd(handle);
}

static const dim3 one = {1, 1, 1};

CASE(nodes_copy_from_and_to_variables)
{
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t in, out;
    unsigned from = 5, other = 6, to = 0;
    const enum cudaMemcpyKind down = cudaMemcpyHostToDevice,
                              up = cudaMemcpyDeviceToHost;
    CHECK_EQ(cudaGraphCreate(&g, 0), cudaSuccess);
    CHECK_EQ(cudaGraphAddMemcpyNodeToSymbol(&in, g, NULL, 0, &total_shadow,
                                            &from, 4, 4, down),
             cudaSuccess);
    CHECK_EQ(cudaGraphAddMemcpyNodeFromSymbol(&out, g, &in, 1, &to,
                                              &total_shadow, 4, 4, up),
             cudaSuccess);
    CHECK_EQ(cudaGraphInstantiate(&e, g, 0), cudaSuccess);
    CHECK_EQ(cudaGraphLaunch(e, NULL), cudaSuccess);
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
    CHECK_EQ(to, 5);
    CHECK_EQ(cudaGraphExecMemcpyNodeSetParamsToSymbol(e, in, &total_shadow,
                                                      &other, 4, 4, down),
             cudaSuccess);
    CHECK_EQ(cudaGraphLaunch(e, NULL), cudaSuccess);
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
    CHECK_EQ(to, 6);
    CHECK_EQ(cudaGraphExecMemcpyNodeSetParamsFromSymbol(
                 e, out, &to, &total_shadow, 4, 0, up),
             cudaSuccess);
    CHECK_EQ(cudaGraphLaunch(e, NULL), cudaSuccess);
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
    CHECK_EQ(to, 0);
    CHECK_EQ(cudaGraphMemcpyNodeSetParamsToSymbol(in, &total_shadow, &from, 8,
                                                  4, down),
             cudaErrorInvalidValue); /* past its end */
    CHECK_EQ(cudaGraphMemcpyNodeSetParamsFromSymbol(out, &to, &from, 4, 0, up),
             cudaErrorInvalidSymbol);
    struct cudaMemcpy3DParms p;
    CHECK_EQ(cudaGraphMemcpyNodeGetParams(in, &p), cudaSuccess);
    CHECK_EQ(p.srcPtr.ptr, &from);
    CHECK_EQ(p.extent.width, 4);
    CHECK_EQ(p.extent.depth, 1);
    CHECK_EQ(p.kind, down);
    CHECK_EQ(cudaGraphMemcpyNodeSetParams(in, &p), cudaSuccess);
    CHECK_EQ(cudaGraphExecDestroy(e), cudaSuccess);
    CHECK_EQ(cudaGraphDestroy(g), cudaSuccess);
}

CASE(a_copy_into_an_array_says_its_elements)
{
    cudaGraph_t g;
    cudaGraphNode_t node;
    cudaArray_t array;
    float host[8] = {0};
    struct cudaChannelFormatDesc desc = {32, 32, 0, 0,
                                         cudaChannelFormatKindFloat};
    CHECK_EQ(cudaMallocArray(&array, &desc, 4, 2, 0), cudaSuccess);
    CHECK_EQ(cudaGraphCreate(&g, 0), cudaSuccess);
    struct cudaMemcpy3DParms p = {
        .srcPtr = {.ptr = host, .pitch = 16, .xsize = 16, .ysize = 2},
        .dstArray = array,
        .dstPos = {1, 0, 0},
        .extent = {2, 2, 1},
        .kind = cudaMemcpyHostToDevice};
    struct cudaMemcpy3DParms q;
    CHECK_EQ(cudaGraphAddMemcpyNode(&node, g, NULL, 0, &p), cudaSuccess);
    CHECK_EQ(cudaGraphMemcpyNodeGetParams(node, &q), cudaSuccess);
    CHECK_EQ(q.dstArray, array);
    CHECK_EQ(q.dstPos.x, 1);
    CHECK_EQ(q.extent.width, 2);
    CHECK_EQ(q.extent.height, 2);
    CHECK_EQ(q.srcPtr.pitch, 16);
    CHECK_EQ(q.dstPtr.ptr, NULL);
    CHECK_EQ(cudaGraphDestroy(g), cudaSuccess);
    CHECK_EQ(cudaFreeArray(array), cudaSuccess);
}

static void
count_up(void *arg)
{
    __atomic_add_fetch((unsigned *)arg, 1, __ATOMIC_RELAXED);
}

CASE(nodes_say_and_are_told_their_parameters)
{
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t kernel, fill, host;
    unsigned *p, n = 3, calls = 0, v = 0;
    CHECK_EQ(cudaMalloc((void **)&p, 4), cudaSuccess);
    CHECK_EQ(cudaGraphCreate(&g, 0), cudaSuccess);
    void *args[] = {&p, &n};
    struct cudaMemsetParams m = {
        .dst = p, .value = 10, .elementSize = 4, .width = 1, .height = 1};
    struct cudaMemsetParams m2;
    struct cudaKernelNodeParams k = {.func = &add_stub,
                                     .gridDim = one,
                                     .blockDim = one,
                                     .kernelParams = args};
    struct cudaKernelNodeParams k2;
    struct cudaHostNodeParams h = {count_up, &calls}, h2;
    CHECK_EQ(cudaGraphAddMemsetNode(&fill, g, NULL, 0, &m), cudaSuccess);
    CHECK_EQ(cudaGraphAddKernelNode(&kernel, g, &fill, 1, &k), cudaSuccess);
    CHECK_EQ(cudaGraphAddHostNode(&host, g, &kernel, 1, &h), cudaSuccess);
    CHECK_EQ(cudaGraphKernelNodeGetParams(kernel, &k2), cudaSuccess);
    CHECK_EQ(k2.func, &add_stub);
    CHECK_EQ(k2.blockDim.x, 1);
    CHECK_EQ(*(unsigned *)k2.kernelParams[1], 3);
    CHECK_EQ(cudaGraphMemsetNodeGetParams(fill, &m2), cudaSuccess);
    CHECK_EQ(m2.dst, p);
    CHECK_EQ(m2.value, 10);
    CHECK_EQ(cudaGraphHostNodeGetParams(host, &h2), cudaSuccess);
    CHECK(h2.fn == count_up && h2.userData == &calls);

    cudaGraphInstantiateParams how;
    memset(&how, 0, sizeof how);
    CHECK_EQ(cudaGraphInstantiateWithParams(&e, g, &how), cudaSuccess);
    CHECK_EQ(how.result_out, cudaGraphInstantiateSuccess);
    struct cudaGraphNodeParams any;
    memset(&any, 0, sizeof any);
    any.type = cudaGraphNodeTypeMemset;
    m2.value = 20;
    memcpy(&any.memset, &m2, sizeof m2);
    CHECK_EQ(cudaGraphExecNodeSetParams(e, fill, &any), cudaSuccess);
    memset(&any, 0, sizeof any);
    n = 4;
    any.type = cudaGraphNodeTypeKernel;
    memcpy(&any.kernel, &k, sizeof k);
    CHECK_EQ(cudaGraphExecNodeSetParams(e, kernel, &any), cudaSuccess);
    CHECK_EQ(cudaGraphNodeSetParams(host, &any), cudaErrorInvalidValue);
    CHECK_EQ(cudaGraphLaunch(e, NULL), cudaSuccess);
    CHECK_EQ(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    CHECK_EQ(v, 24);
    CHECK_EQ(calls, 1);

    cudaLaunchAttributeValue a;
    memset(&a, 0, sizeof a);
    a.cooperative = 1;
    CHECK_EQ(cudaGraphKernelNodeSetAttribute(
                 kernel, cudaLaunchAttributeCooperative, &a),
             cudaSuccess);
    a.cooperative = 0;
    CHECK_EQ(cudaGraphKernelNodeGetAttribute(
                 kernel, cudaLaunchAttributeCooperative, &a),
             cudaSuccess);
    CHECK_EQ(a.cooperative, 1);
    cudaGraphNode_t from[4], to[4];
    cudaGraphEdgeData edges[4];
    size_t count = 4;
    memset(edges, 1, sizeof edges);
    CHECK_EQ(cudaGraphGetEdges_v2(g, from, to, edges, &count), cudaSuccess);
    CHECK_EQ(count, 2);
    CHECK_EQ(edges[1].type, cudaGraphDependencyTypeDefault);
    CHECK_EQ(cudaGraphExecDestroy(e), cudaSuccess);
    CHECK_EQ(cudaGraphDestroy(g), cudaSuccess);
    CHECK_EQ(cudaFree(p), cudaSuccess);
}

CASE(an_object_ends_with_its_graph)
{
    cudaGraph_t g;
    cudaUserObject_t o;
    unsigned ended = 0;
    char name[] = "/tmp/softwarp-dot-XXXXXX";
    CHECK_EQ(cudaGraphCreate(&g, 0), cudaSuccess);
    CHECK_EQ(cudaUserObjectCreate(&o, &ended, count_up, 1,
                                  cudaUserObjectNoDestructorSync),
             cudaSuccess);
    CHECK_EQ(cudaGraphRetainUserObject(g, o, 1, cudaGraphUserObjectMove),
             cudaSuccess);
    close(mkstemp(name));
    CHECK_EQ(cudaGraphDebugDotPrint(g, name, 0), cudaSuccess);
    unlink(name);
    CHECK_EQ(ended, 0);
    CHECK_EQ(cudaGraphDestroy(g), cudaSuccess);
    CHECK_EQ(ended, 1);
}

/* What is not provided links and says so. */
CASE(what_is_refused_returns_its_code)
{
    cudaExternalMemory_t m;
    struct cudaExternalMemoryHandleDesc desc;
    memset(&desc, 0, sizeof desc);
    CHECK_EQ(cudaImportExternalMemory(&m, &desc), cudaErrorNotSupported);
    CHECK_EQ(cudaGetLastError(), cudaErrorNotSupported);
    CHECK_EQ(cudaGraphicsMapResources(0, NULL, NULL), cudaErrorNotSupported);
    CHECK_EQ(cudaGetLastError(), cudaErrorNotSupported);
}
