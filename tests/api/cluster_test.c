/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_test.c - launches with clusters of blocks: what is refused with which
 * code, attributes of kernels, graphs, occupancy. All is what an H200 said. */
#include "api_help.h"

#define BODY                                                                   \
    "{ .reg .u64 %d; .reg .u32 %r; .reg .pred %q; mov.u32 %r, %tid.x;\n"       \
    "  setp.ne.u32 %q, %r, 0; @%q ret; ld.param.u64 %d, [p];\n"                \
    "  red.global.add.u32 [%d], 1; ret; }\n"
#define KERNEL(name, directives)                                               \
    ".visible .entry " name "(.param .u64 p) " directives BODY

static const char *const text =
    ".version 8.6\n.target sm_90\n.address_size 64\n" KERNEL("plain", "")
        KERNEL("two", ".explicitcluster .reqnctapercluster 2, 1, 1 ")
            KERNEL("four", ".explicitcluster .reqnctapercluster 2, 2 ")
                KERNEL("any", ".explicitcluster ")
                    KERNEL("at_most_2", ".maxclusterrank 2 ")
                        KERNEL("counts_clusters",
                               ".blocksareclusters .reqntid 128, 1, 1 "
                               ".reqnctapercluster 2, 1, 1 ");

typedef struct {
    api_fixture base;
    CUmodule module;
    CUdeviceptr count;
} fixture;

static fixture
begin(void)
{
    fixture f = {.base = api_begin()};
    CHECK_EQ(cuModuleLoadData(&f.module, text), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&f.count, 4), CUDA_SUCCESS);
    return f;
}

static CUfunction
kernel(const fixture *f, const char *name)
{
    CUfunction fn = NULL;
    CHECK_EQ(cuModuleGetFunction(&fn, f->module, name), CUDA_SUCCESS);
    return fn;
}

typedef struct {
    unsigned grid[3], cluster[3], block; /* a cluster of 0, 0, 0 is said, too */
    bool is_said;
} shape;

static CUlaunchConfig
config_of(const shape *s, CUlaunchAttribute *a)
{
    memset(a, 0, sizeof *a);
    a->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    a->value.clusterDim.x = s->cluster[0];
    a->value.clusterDim.y = s->cluster[1];
    a->value.clusterDim.z = s->cluster[2];
    return (CUlaunchConfig){.gridDimX = s->grid[0],
                            .gridDimY = s->grid[1],
                            .gridDimZ = s->grid[2],
                            .blockDimX = s->block,
                            .blockDimY = 1,
                            .blockDimZ = 1,
                            .attrs = a,
                            .numAttrs = s->is_said};
}

/* The blocks that ran, or minus the code. */
static int
launch(const fixture *f, CUfunction fn, const shape *s)
{
    CUlaunchAttribute a;
    CUlaunchConfig config = config_of(s, &a);
    CUdeviceptr p = f->count;
    void *params[] = {&p};
    int n = -1;
    CHECK_EQ(cuMemsetD32(p, 0, 1), CUDA_SUCCESS);
    CUresult status = cuLaunchKernelEx(&config, fn, params, NULL);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&n, p, 4), CUDA_SUCCESS);
    return status == CUDA_SUCCESS ? n : -(int)status;
}

static int
launch_x(const fixture *f, const char *name, unsigned grid, unsigned cluster)
{
    shape s = {{grid, 1, 1}, {cluster, 1, 1}, 128, true};
    return launch(f, kernel(f, name), &s);
}

static int
launch_plainly(const fixture *f, const char *name, unsigned x, unsigned y)
{
    shape s = {{x, y, 1}, {0, 0, 0}, 128, false};
    return launch(f, kernel(f, name), &s);
}

CASE(clusters_that_cannot_be_are_refused)
{
    fixture f = begin();
    static const struct {
        shape s;
        int result;
    } rows[] = {
        {{{4, 1, 1}, {1, 1, 1}, 32, true}, 4},
        {{{4, 1, 1}, {2, 1, 1}, 32, true}, 4},
        {{{3, 1, 1}, {2, 1, 1}, 32, true}, -912},
        {{{4, 1, 1}, {0, 1, 1}, 32, true}, -912},
        {{{4, 1, 1}, {0, 0, 0}, 32, true}, 4},
        {{{4, 1, 1}, {2, 0, 0}, 32, true}, -912},
        {{{8, 1, 1}, {8, 1, 1}, 32, true}, 8},
        {{{9, 1, 1}, {9, 1, 1}, 32, true}, -912},
        {{{6, 1, 1}, {3, 1, 1}, 32, true}, 6},
        {{{4, 1, 1}, {1, 2, 1}, 32, true}, -912},
        {{{2, 1, 1}, {4, 1, 1}, 32, true}, -912},
        {{{4, 1, 1}, {65536, 65536, 1}, 32, true}, -912},
        {{{4, 4, 4}, {2, 2, 2}, 32, true}, 64},
        {{{4, 4, 3}, {2, 2, 2}, 32, true}, -912},
        {{{3, 1, 1}, {2, 1, 1}, 1025, true}, -1},
        {{{0, 1, 1}, {2, 1, 1}, 32, true}, -1},
    };
    CUfunction plain = kernel(&f, "plain");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_EQ(launch(&f, plain, &rows[i].s), rows[i].result);
    api_end(&f.base);
}

CASE(kernels_have_their_own_clusters)
{
    fixture f = begin();
    CHECK_EQ(launch_plainly(&f, "two", 4, 1), 4);
    CHECK_EQ(launch_plainly(&f, "two", 3, 1), -912);
    CHECK_EQ(launch_x(&f, "two", 16, 2), 16);
    CHECK_EQ(launch_x(&f, "two", 16, 1), -912);
    CHECK_EQ(launch_x(&f, "two", 16, 4), -912);
    CHECK_EQ(launch_plainly(&f, "four", 4, 4), 16);
    CHECK_EQ(launch_plainly(&f, "four", 16, 1), -912);
    CHECK_EQ(launch_plainly(&f, "any", 4, 1), -912);
    CHECK_EQ(launch_x(&f, "any", 16, 4), 16);
    CHECK_EQ(launch_plainly(&f, "at_most_2", 3, 1), 3);
    CHECK_EQ(launch_x(&f, "at_most_2", 4, 2), 4);
    CHECK_EQ(launch_x(&f, "at_most_2", 4, 4), -912);
    CHECK_EQ(launch_plainly(&f, "counts_clusters", 3, 1), 6);
    CHECK_EQ(launch_x(&f, "counts_clusters", 3, 2), 6);
    CHECK_EQ(launch_x(&f, "counts_clusters", 4, 4), -912);
    shape s = {{4, 1, 1}, {0, 0, 0}, 64, false}; /* not its .reqntid */
    CHECK_EQ(launch(&f, kernel(&f, "counts_clusters"), &s), -1);
    api_end(&f.base);
}

static int
get(CUfunction fn, CUfunction_attribute attribute)
{
    int v = -77;
    CHECK_EQ(cuFuncGetAttribute(&v, attribute, fn), CUDA_SUCCESS);
    return v;
}

#define MUST        CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET
#define WIDTH       CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH
#define HEIGHT      CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT
#define DEPTH       CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH
#define NONPORTABLE CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
#define POLICY      CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE

CASE(attributes_of_kernels_are_about_clusters_too)
{
    fixture f = begin();
    CUfunction plain = kernel(&f, "plain"), four = kernel(&f, "four");
    CUfunction any = kernel(&f, "any"), few = kernel(&f, "at_most_2");
    CHECK_EQ(get(plain, MUST), 0);
    CHECK_EQ(get(plain, WIDTH), 0);
    CHECK_EQ(get(four, MUST), 1);
    CHECK_EQ(get(four, WIDTH), 2);
    CHECK_EQ(get(four, HEIGHT), 2);
    CHECK_EQ(get(four, DEPTH), 1);
    CHECK_EQ(get(any, MUST), 1);
    CHECK_EQ(get(any, WIDTH), 0);
    CHECK_EQ(get(kernel(&f, "counts_clusters"), MUST), 0);
    CHECK_EQ(get(kernel(&f, "counts_clusters"), WIDTH), 2);

    CHECK_EQ(cuFuncSetAttribute(plain, MUST, 1), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuFuncSetAttribute(plain, WIDTH, -1), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuFuncSetAttribute(four, WIDTH, 2), CUDA_SUCCESS);
    CHECK_EQ(cuFuncSetAttribute(four, WIDTH, 4), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuFuncSetAttribute(few, WIDTH, 4), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuFuncSetAttribute(plain, POLICY, 2), CUDA_SUCCESS);
    CHECK_EQ(cuFuncSetAttribute(plain, POLICY, 3), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(get(plain, POLICY), 2);

    /* The dimensions of launches that say none, and the only ones. */
    CHECK_EQ(cuFuncSetAttribute(plain, WIDTH, 2), CUDA_SUCCESS);
    CHECK_EQ(launch_plainly(&f, "plain", 4, 1), -912);
    CHECK_EQ(launch_x(&f, "plain", 4, 2), 4);
    CHECK_EQ(cuFuncSetAttribute(plain, HEIGHT, 1), CUDA_SUCCESS);
    CHECK_EQ(cuFuncSetAttribute(plain, DEPTH, 1), CUDA_SUCCESS);
    CHECK_EQ(launch_plainly(&f, "plain", 4, 1), 4);
    CHECK_EQ(launch_plainly(&f, "plain", 3, 1), -912);
    CHECK_EQ(launch_x(&f, "plain", 4, 4), -912);
    CHECK_EQ(launch_x(&f, "plain", 4, 1), -912);

    CHECK_EQ(launch_x(&f, "any", 16, 16), -912);
    CHECK_EQ(cuFuncSetAttribute(any, NONPORTABLE, 7), CUDA_SUCCESS);
    CHECK_EQ(get(any, NONPORTABLE), 1);
    CHECK_EQ(launch_x(&f, "any", 32, 16), 32);
    CHECK_EQ(launch_x(&f, "any", 34, 17), -912);
    api_end(&f.base);
}

CASE(nodes_of_graphs_have_clusters)
{
    fixture f = begin();
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec exec;
    CUdeviceptr p = f.count;
    void *params[] = {&p};
    CUDA_KERNEL_NODE_PARAMS k = {.func = kernel(&f, "plain"),
                                 .gridDimX = 4,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 32,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .kernelParams = params};
    CHECK_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddKernelNode(&node, graph, NULL, 0, &k), CUDA_SUCCESS);
    static const unsigned widths[][2] = {{3, 912}, {0, 912}, {9, 912}, {2, 0}};
    for (int i = 0; i < 4; i++) {
        CUkernelNodeAttrValue v;
        memset(&v, 0, sizeof v);
        v.clusterDim.x = widths[i][0];
        v.clusterDim.y = v.clusterDim.z = 1;
        CHECK_EQ((unsigned)cuGraphKernelNodeSetAttribute(
                     node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &v),
                 widths[i][1]);
        CHECK_EQ(cuGraphKernelNodeGetAttribute(
                     node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &v),
                 CUDA_SUCCESS);
        CHECK_EQ(v.clusterDim.x, i == 3 ? 2 : 0);
    }
    int n = 0;
    CHECK_EQ(cuMemsetD32(p, 0, 1), CUDA_SUCCESS);
    CHECK_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphLaunch(exec, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&n, p, 4), CUDA_SUCCESS);
    CHECK_EQ(n, 4);
    k.func = kernel(&f, "two");
    k.gridDimX = 3;
    CHECK_EQ((int)cuGraphAddKernelNode(&node, graph, NULL, 0, &k), 912);
    CHECK_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
    CHECK_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    api_end(&f.base);
}

/* What an H200 holds, or minus the code. */
static int
active(CUfunction fn, const shape *s)
{
    CUlaunchAttribute a;
    CUlaunchConfig config = config_of(s, &a);
    int n = -7;
    CUresult status = cuOccupancyMaxActiveClusters(&n, fn, &config);
    return status == CUDA_SUCCESS ? n : -(int)status;
}

static int
potential(CUfunction fn, const shape *s)
{
    CUlaunchAttribute a;
    CUlaunchConfig config = config_of(s, &a);
    int n = -7;
    CUresult status = cuOccupancyMaxPotentialClusterSize(&n, fn, &config);
    return status == CUDA_SUCCESS ? n : -(int)status;
}

CASE(occupancy_counts_clusters)
{
    fixture f = begin();
    CUfunction plain = kernel(&f, "plain"), two = kernel(&f, "two");
    static const struct {
        shape s;
        int active, potential;
    } rows[] = {
        {{{4, 1, 1}, {0, 0, 0}, 32, false}, 0, 8},
        {{{4, 1, 1}, {0, 1, 1}, 32, true}, -912, -912},
        {{{3, 1, 1}, {2, 1, 1}, 32, true}, -912, -912},
        {{{9, 1, 1}, {9, 1, 1}, 32, true}, -912, -912},
        {{{4, 1, 1}, {2, 1, 1}, 0, true}, -1, -1},
        {{{0, 1, 1}, {2, 1, 1}, 32, true}, -1, -1},
        {{{4, 1, 1}, {2, 1, 1}, 1025, true}, 0, 0},
        {{{4, 4, 4}, {2, 2, 2}, 32, true}, 124, 8},
        {{{4, 4, 4}, {1, 4, 1}, 32, true}, 248, 8},
        {{{1, 1, 1}, {1, 1, 1}, 32, true}, 1056, 8},
        {{{3, 1, 1}, {3, 1, 1}, 1024, true}, 79, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_EQ(active(plain, &rows[i].s), rows[i].active);
        CHECK_EQ(potential(plain, &rows[i].s), rows[i].potential);
    }
    shape s = {{16, 16, 1}, {0, 0, 0}, 32, false};
    CHECK_EQ(active(two, &s), 528);
    s.grid[0] = 3;
    CHECK_EQ(active(two, &s), -912);
    CHECK_EQ(active(kernel(&f, "any"), &s), -912);
    CUlaunchAttribute a;
    CUlaunchConfig config = config_of(&rows[0].s, &a);
    CHECK_EQ(cuOccupancyMaxActiveClusters(NULL, plain, &config),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuOccupancyMaxPotentialClusterSize(NULL, plain, &config),
             CUDA_ERROR_INVALID_VALUE);
    api_end(&f.base);
}
