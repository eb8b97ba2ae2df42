/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_nodes_test.c - nodes of graphs that allocate and free, that record and
 * wait for events where they stand, and that decide what runs.
 */
#include "api_help.h"

static CUgraphNode
add_kernel(const api_fixture *f, CUgraph g, CUgraphNode after, CUdeviceptr p,
           unsigned n, unsigned add)
{
    CUgraphNode node = NULL;
    void *params[] = {&p, &n, &add};
    CUDA_KERNEL_NODE_PARAMS k = {.func = f->add,
                                 .gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 32,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .kernelParams = params};
    CHECK_EQ(cuGraphAddKernelNode(&node, g, &after, after ? 1 : 0, &k),
             CUDA_SUCCESS);
    return node;
}

static CUDA_MEM_ALLOC_NODE_PARAMS
want(size_t bytes)
{
    CUDA_MEM_ALLOC_NODE_PARAMS p = {.bytesize = bytes};
    p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return p;
}

static CUgraphNode
add_fill(CUgraph g, CUgraphNode after, CUdeviceptr p, unsigned value,
         CUcontext context)
{
    CUgraphNode node = NULL;
    CUDA_MEMSET_NODE_PARAMS m = {
        .dst = p, .value = value, .elementSize = 4, .width = 4, .height = 1};
    CHECK_EQ(cuGraphAddMemsetNode(&node, g, &after, after ? 1 : 0, &m, context),
             CUDA_SUCCESS);
    return node;
}

CASE(a_graph_allocates_and_frees)
{
    api_fixture f = api_begin();
    CUgraph g;
    CUgraphExec e;
    CUgraphNode alloc, freed, k;
    CUdeviceptr out;
    unsigned v[4] = {0};
    CUDA_MEM_ALLOC_NODE_PARAMS p = want(16), got;
    CHECK_EQ(cuMemAlloc(&out, 16), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddMemAllocNode(&alloc, g, NULL, 0, &p), CUDA_SUCCESS);
    CHECK(p.dptr != 0);
    CHECK_EQ(cuGraphMemAllocNodeGetParams(alloc, &got), CUDA_SUCCESS);
    CHECK_EQ(got.dptr, p.dptr);
    k = add_fill(g, alloc, p.dptr, 5, f.context);
    k = add_kernel(&f, g, k, p.dptr, 4, 2);
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = p.dptr,
                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstDevice = out,
                       .WidthInBytes = 16,
                       .Height = 1,
                       .Depth = 1};
    CUgraphNode copy;
    CHECK_EQ(cuGraphAddMemcpyNode(&copy, g, &k, 1, &c, f.context),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddMemFreeNode(&freed, g, &copy, 1, p.dptr), CUDA_SUCCESS);
    e = api_instantiate(g);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(cuGraphLaunch(e, NULL), CUDA_SUCCESS);
        CHECK_EQ(cuMemcpyDtoH(v, out, 16), CUDA_SUCCESS);
        CHECK_EQ(v[0], 7);
        CHECK_EQ(v[3], 7);
    }
    api_drop(e, g);
    api_end(&f);
}

CASE(what_a_graph_leaves_allocated_is_freed_by_the_program)
{
    api_fixture f = api_begin();
    CUgraph g;
    CUgraphExec e, again;
    CUgraphNode alloc;
    cuuint64_t used = 1;
    unsigned v = 0;
    CUDA_MEM_ALLOC_NODE_PARAMS p = want(1 << 16);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddMemAllocNode(&alloc, g, NULL, 0, &p), CUDA_SUCCESS);
    add_fill(g, alloc, p.dptr, 9, f.context);
    e = api_instantiate(g);
    CHECK_EQ(cuGraphLaunch(e, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuGraphLaunch(e, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemcpyDtoH(&v, p.dptr + 12, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 9);
    CHECK_EQ(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
                                          &used),
             CUDA_SUCCESS);
    CHECK(used >= 1 << 16);
    CHECK_EQ(cuMemFree(p.dptr), CUDA_SUCCESS);
    CHECK_EQ(cuGraphLaunch(e, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuMemFreeAsync(p.dptr, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    CHECK_EQ(cuGraphExecDestroy(e), CUDA_SUCCESS);
    CHECK_EQ(cuGraphInstantiateWithFlags(
                 &again, g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphLaunch(again, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuGraphLaunch(again, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    api_drop(again, g);
    CHECK_EQ(cuMemFree(p.dptr), CUDA_SUCCESS);
    CHECK_EQ(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
                                          &used),
             CUDA_SUCCESS);
    CHECK_EQ(used, 0);
    CHECK_EQ(cuDeviceGraphMemTrim(0), CUDA_SUCCESS);
    api_end(&f);
}

CASE(a_captured_allocation_is_a_node)
{
    api_fixture f = api_begin();
    CUstream s;
    CUgraph g;
    CUgraphExec e;
    CUdeviceptr p, out;
    size_t count = 0;
    unsigned v = 0;
    CHECK_EQ(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&out, 4), CUDA_SUCCESS);
    CHECK_EQ(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocAsync(&p, 4, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32Async(p, 3, 1, s), CUDA_SUCCESS);
    CHECK_EQ(api_slow(&f, p, 1, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoDAsync(out, p, 4, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemFreeAsync(p, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamEndCapture(s, &g), CUDA_SUCCESS);
    CHECK_EQ(cuGraphGetNodes(g, NULL, &count), CUDA_SUCCESS);
    CHECK_EQ(count, 5);
    e = api_instantiate(g);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(cuGraphLaunch(e, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, out, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 10);
    api_drop(e, g);
    api_end(&f);
}

static CUevent recorded;

CASE(an_event_is_recorded_where_its_node_stands)
{
    api_fixture f = api_begin();
    CUgraph g;
    CUgraphExec e;
    CUgraphNode a, r, k;
    CUstream s;
    CUevent begin, end;
    CUdeviceptr p;
    float first = 0, both = 0;
    CHECK_EQ(cuMemAlloc(&p, 16), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&recorded, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&begin, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&end, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    a = add_kernel(&f, g, NULL, p, 1, 1);
    CHECK_EQ(cuGraphAddEventRecordNode(&r, g, &a, 1, recorded), CUDA_SUCCESS);
    unsigned add = 1;
    void *params[] = {&p, &add};
    CUDA_KERNEL_NODE_PARAMS slow = {.func = f.slow,
                                    .gridDimX = 1,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 1,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = params};
    k = r;
    for (int i = 0; i < 20; i++) {
        CUgraphNode next;
        CHECK_EQ(cuGraphAddKernelNode(&next, g, &k, 1, &slow), CUDA_SUCCESS);
        k = next;
    }
    e = api_instantiate(g);
    CHECK_EQ(cuEventRecord(begin, s), CUDA_SUCCESS);
    CHECK_EQ(cuGraphLaunch(e, s), CUDA_SUCCESS);
    CHECK_EQ(cuEventRecord(end, s), CUDA_SUCCESS);
    CHECK_EQ(cuEventSynchronize(recorded), CUDA_SUCCESS);
    CHECK_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
    CHECK_EQ(cuEventElapsedTime(&first, begin, recorded), CUDA_SUCCESS);
    CHECK_EQ(cuEventElapsedTime(&both, begin, end), CUDA_SUCCESS);
    CHECK(first < both / 2);
    api_end(&f);
}

CASE(a_node_waits_for_an_event_of_another_stream)
{
    api_fixture f = api_begin();
    CUgraph g;
    CUgraphExec e;
    CUgraphNode w, k;
    CUstream s, other;
    CUdeviceptr p;
    unsigned v = 0;
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 1, 1), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&recorded, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddEventWaitNode(&w, g, NULL, 0, recorded), CUDA_SUCCESS);
    k = add_kernel(&f, g, w, p, 1, 100);
    CHECK(k != NULL);
    e = api_instantiate(g);
    CHECK_EQ(api_slow(&f, p, 1, other), CUDA_SUCCESS);
    CHECK_EQ(api_slow(&f, p, 1, other), CUDA_SUCCESS);
    CHECK_EQ(cuEventRecord(recorded, other), CUDA_SUCCESS);
    CHECK_EQ(cuGraphLaunch(e, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 113);
    api_end(&f);
}

/* count_down(h, p): *p -= 1; the handle's value is whether *p is left. */
static const char conditional_ptx[] =
    ".version 8.3\n.target sm_50\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);\n"
    ".visible .entry count_down(.param .u64 h, .param .u64 p) {\n"
    "  .reg .u64 %d<3>; .reg .u32 %r<3>; .reg .pred %q;\n"
    "  ld.param.u64 %d1, [h]; ld.param.u64 %d2, [p];\n"
    "  ld.global.u32 %r1, [%d2]; sub.u32 %r1, %r1, 1;\n"
    "  st.global.u32 [%d2], %r1;\n"
    "  setp.ne.u32 %q, %r1, 0; selp.u32 %r2, 1, 0, %q;\n"
    "  { .param .b64 a; .param .b32 b;\n"
    "    st.param.b64 [a], %d1; st.param.b32 [b], %r2;\n"
    "    call.uni cudaGraphSetConditional, (a, b); }\n"
    "  ret; }\n";

static CUgraphNode
add_count_down(CUfunction fn, CUgraph g, CUgraphNode after,
               CUgraphConditionalHandle h, CUdeviceptr p)
{
    CUgraphNode node = NULL;
    void *params[] = {&h, &p};
    CUDA_KERNEL_NODE_PARAMS k = {.func = fn,
                                 .gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 1,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .kernelParams = params};
    CHECK_EQ(cuGraphAddKernelNode(&node, g, &after, after ? 1 : 0, &k),
             CUDA_SUCCESS);
    return node;
}

static CUresult
add_conditional(CUgraphNode *node, CUgraph g, CUgraphNode after,
                CUgraphConditionalHandle h, CUgraphConditionalNodeType type,
                CUcontext context, CUgraph *body)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = 1;
    p.conditional.ctx = context;
#if CUDA_VERSION >= 13000
    CUresult status = cuGraphAddNode(node, g, &after, NULL, after ? 1 : 0, &p);
#else
    CUresult status = cuGraphAddNode(node, g, &after, after ? 1 : 0, &p);
#endif
    *body = status == CUDA_SUCCESS ? p.conditional.phGraph_out[0] : NULL;
    return status;
}

CASE(a_body_repeats_while_a_kernel_says_so)
{
    api_fixture f = api_begin();
    CUmodule m;
    CUfunction down;
    CUgraph g, body = NULL;
    CUgraphExec e;
    CUgraphNode cond, k;
    CUgraphNodeType type;
    CUgraphConditionalHandle h;
    CUdeviceptr p;
    unsigned v[2];
    CHECK_EQ(cuModuleLoadData(&m, conditional_ptx), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&down, m, "count_down"), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 8), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphConditionalHandleCreate(&h, g, f.context, 1,
                                            CU_GRAPH_COND_ASSIGN_DEFAULT),
             CUDA_SUCCESS);
    CHECK_EQ(add_conditional(&cond, g, NULL, h, CU_GRAPH_COND_TYPE_WHILE,
                             f.context, &body),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphNodeGetType(cond, &type), CUDA_SUCCESS);
    CHECK_EQ(type, CU_GRAPH_NODE_TYPE_CONDITIONAL);
    k = add_kernel(&f, body, NULL, p + 4, 1, 10);
    add_count_down(down, body, k, h, p);
    add_kernel(&f, g, cond, p + 4, 1, 1000);
    e = api_instantiate(g);
    for (unsigned i = 1; i <= 5; i += 4) {
        v[0] = i;
        v[1] = 0;
        CHECK_EQ(cuMemcpyHtoD(p, v, 8), CUDA_SUCCESS);
        CHECK_EQ(cuGraphLaunch(e, NULL), CUDA_SUCCESS);
        CHECK_EQ(cuMemcpyDtoH(v, p, 8), CUDA_SUCCESS);
        CHECK_EQ(v[0], 0);
        CHECK_EQ(v[1], i * 10 + 1000);
    }
    api_drop(e, g);
    api_end(&f);
}

CASE(a_body_runs_if_a_kernel_says_so)
{
    api_fixture f = api_begin();
    CUmodule m;
    CUfunction down;
    CUgraph g, body = NULL;
    CUgraphExec e;
    CUgraphNode cond, k;
    CUgraphConditionalHandle h;
    CUdeviceptr p;
    unsigned v[2];
    CHECK_EQ(cuModuleLoadData(&m, conditional_ptx), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&down, m, "count_down"), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 8), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&g, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphConditionalHandleCreate(&h, g, f.context, 0, 0),
             CUDA_SUCCESS);
    k = add_count_down(down, g, NULL, h, p);
    CHECK_EQ(add_conditional(&cond, g, k, h, CU_GRAPH_COND_TYPE_IF, f.context,
                             &body),
             CUDA_SUCCESS);
    add_kernel(&f, body, NULL, p + 4, 1, 7);
    CHECK_EQ(add_conditional(&k, g, NULL, h + 64, CU_GRAPH_COND_TYPE_IF,
                             f.context, &body),
             CUDA_ERROR_INVALID_VALUE);
    e = api_instantiate(g);
    for (unsigned i = 1; i <= 2; i++) {
        v[0] = i;
        v[1] = 0;
        CHECK_EQ(cuMemcpyHtoD(p, v, 8), CUDA_SUCCESS);
        CHECK_EQ(cuGraphLaunch(e, NULL), CUDA_SUCCESS);
        CHECK_EQ(cuMemcpyDtoH(v, p, 8), CUDA_SUCCESS);
        CHECK_EQ(v[1], i == 2 ? 7 : 0);
    }
    api_end(&f);
}
