/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - see sequence.h: the driver API, modules, launches and graphs. */
#include "sequence.h"

#include <string.h>

/* A function, its row is at the end of the file. */
#define CALL(name) static int call_##name(sequence *s)

static uint64_t
as_handle(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

#define AS(type, handle) ((type)(uintptr_t)(handle))

static void CUDA_CB
host_function(void *data)
{
    *(volatile unsigned char *)data = 1;
}

/* ---- modules and launches ---- */

static const char *const names[] = {"nothing", "store", "nothing",
                                    "store",   "none",  ""};

CALL(cuModuleLoadData)
{
    CUmodule m = NULL;
    unsigned i = seq_chance(s, 60) ? 0 : seq_random(s, seq_ptx_count);
    int r = cuModuleLoadData(&m, seq_ptx[i]);
    if (!r)
        seq_keep(s, SEQ_MODULE, as_handle(m), i, s->current);
    return r;
}

CALL(cuModuleUnload)
{
    uint64_t m = s->count[SEQ_GRAPH] + s->count[SEQ_EXEC]
                     ? 0 /* graphs may have its kernels */
                     : seq_pick(s, SEQ_MODULE);
    int r = cuModuleUnload(AS(CUmodule, m));
    if (!r) {
        seq_drop_owned(s, m);
        seq_drop(s, SEQ_MODULE, m);
    }
    return r;
}

CALL(cuModuleGetFunction)
{
    CUfunction f = NULL;
    uint64_t m = seq_pick(s, SEQ_MODULE);
    unsigned i = seq_random(s, sizeof names / sizeof *names);
    int r = cuModuleGetFunction(&f, AS(CUmodule, m), names[i]);
    if (!r)
        seq_keep(s, SEQ_FUNCTION, as_handle(f), i % 2, m);
    return r;
}

CALL(cuModuleGetGlobal)
{
    CUdeviceptr p = 0;
    size_t n = 77;
    uint64_t m = seq_pick(s, SEQ_MODULE);
    const char *name = seq_chance(s, 70) ? "word" : "none";
    int r = cuModuleGetGlobal_v2(&p, &n, AS(CUmodule, m), name);
    return seq_give(s, r, r ? 0 : n);
}

CALL(cuFuncGetAttribute)
{
    int v = -77;
    int what = (int)SEQ_ONE_OF(s, 0, 1, 2, 3, 5, 7, 8, 9, 10, 99);
    uint64_t f = seq_pick(s, SEQ_FUNCTION);
    int r =
        cuFuncGetAttribute(&v, (CUfunction_attribute)what, AS(CUfunction, f));
    return seq_give(s, r, what == 5 ? 0 : (uint64_t)v);
}

CALL(cuFuncSetAttribute)
{
    int what = (int)SEQ_ONE_OF(s, 8, 8, 9, 0, 14, 99);
    int v = (int)SEQ_ONE_OF(s, 0, 1024, 65536, 1 << 20, UINT64_MAX, 50, 101);
    uint64_t f = seq_pick(s, SEQ_FUNCTION);
    return cuFuncSetAttribute(AS(CUfunction, f), (CUfunction_attribute)what, v);
}

/* Waits for its end, so that a fault is seen by the next call each time. */
static int
launch(sequence *s, uint64_t f, bool wants_pointer)
{
    uint64_t p = seq_device(s, 64) & ~(uint64_t)7;
    void *args[] = {&p};
    unsigned grid = (unsigned)SEQ_ONE_OF(s, 1, 1, 2, 64, 0);
    unsigned block = (unsigned)SEQ_ONE_OF(s, 32, 1, 64, 1024, 0, 1025);
    unsigned shared = (unsigned)SEQ_ONE_OF(s, 0, 0, 0, 1024, 49152, 1 << 20);
    uint64_t st = seq_stream(s);
    if (wants_pointer && (!p || seq_chance(s, 2)))
        return cuLaunchKernel(AS(CUfunction, f), 0, 1, 1, block, 1, 1, shared,
                              AS(CUstream, st), args, NULL);
    int r = cuLaunchKernel(AS(CUfunction, f), grid, 1, 1, block, 1, 1, shared,
                           AS(CUstream, st), args, NULL);
    if (r || s->capturing)
        return r;
    return seq_give(s, r, (uint64_t)cuCtxSynchronize());
}

CALL(cuLaunchKernel)
{
    const seq_object *o = seq_pick_object(s, SEQ_FUNCTION);
    if (!o)
        return cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    return launch(s, o->handle, o->bytes != 0);
}

/* The end of a context: waits for it, so that what comes next sees it. */
CALL(fault)
{
    CUfunction f = NULL;
    static const char *const ways[] = {"fault", "stop", "crooked"};
    if (s->capturing || seq_chance(s, 80) || !s->count[SEQ_MODULE] ||
        s->objects[SEQ_MODULE][0].bytes)
        return 0;
    const char *way = ways[seq_random(s, 3)];
    CUmodule m = AS(CUmodule, s->objects[SEQ_MODULE][0].handle);
    if (cuModuleGetFunction(&f, m, way) != CUDA_SUCCESS)
        return 1;
    uint64_t p = seq_device(s, 64) & ~(uint64_t)7;
    void *args[] = {&p};
    if (!p)
        return 0;
    int r = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
    s->faulted = true;
    int waited = cuCtxSynchronize();
    return seq_give(s, r, (uint64_t)waited);
}

CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor)
{
    int n = -77;
    uint64_t f = seq_pick(s, SEQ_FUNCTION);
    int block = (int)SEQ_ONE_OF(s, 32, 256, 1024, 0, 2048, UINT64_MAX);
    size_t shared = (size_t)SEQ_ONE_OF(s, 0, 1024, 49152, 1 << 20);
    int r = cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, AS(CUfunction, f),
                                                        block, shared);
    return seq_give(s, r, (uint64_t)n);
}

CALL(cuLibraryLoadData)
{
    CUlibrary l = NULL;
    unsigned i = seq_chance(s, 70) ? 0 : seq_random(s, seq_ptx_count);
    int r = cuLibraryLoadData(&l, seq_ptx[i], NULL, NULL, 0, NULL, NULL, 0);
    if (!r)
        seq_keep(s, SEQ_LIBRARY, as_handle(l), i, 0);
    return r;
}

CALL(cuLibraryUnload)
{
    uint64_t l = seq_pick(s, SEQ_LIBRARY);
    int r = cuLibraryUnload(AS(CUlibrary, l));
    if (!r) {
        seq_drop_owned(s, l);
        seq_drop(s, SEQ_LIBRARY, l);
    }
    return r;
}

CALL(cuLibraryGetKernel)
{
    CUkernel k = NULL;
    uint64_t l = seq_pick(s, SEQ_LIBRARY);
    unsigned i = seq_random(s, sizeof names / sizeof *names);
    int r = cuLibraryGetKernel(&k, AS(CUlibrary, l), names[i]);
    if (!r)
        seq_keep(s, SEQ_KERNEL, as_handle(k), i % 2, l);
    return r;
}

CALL(launch_cuKernel)
{
    const seq_object *o = seq_pick_object(s, SEQ_KERNEL);
    return o ? launch(s, o->handle, o->bytes != 0) : 0;
}

CALL(cuKernelGetFunction)
{
    CUfunction f = NULL;
    uint64_t k = seq_pick(s, SEQ_KERNEL);
    return cuKernelGetFunction(&f, AS(CUkernel, k));
}

CALL(linker)
{
    CUlinkState l = NULL;
    void *image = NULL;
    size_t bytes = 0;
    int r = cuLinkCreate_v2(0, NULL, NULL, &l);
    if (r)
        return r;
    unsigned i = seq_random(s, SEQ_LINKABLE);
    int added =
        cuLinkAddData_v2(l, CU_JIT_INPUT_PTX, (void *)(uintptr_t)seq_ptx[i],
                         strlen(seq_ptx[i]) + 1, "x", 0, NULL, NULL);
    CUresult done = added ? CUDA_SUCCESS : cuLinkComplete(l, &image, &bytes);
    cuLinkDestroy(l);
    return seq_give(s, r, (uint64_t)added * 4096 + (uint64_t)done);
}

/* ---- graphs ---- */

CALL(cuGraphCreate)
{
    CUgraph g = NULL;
    int r = cuGraphCreate(&g, seq_flags(s, 0));
    if (!r)
        seq_keep(s, SEQ_GRAPH, as_handle(g), 0, 0);
    return r;
}

CALL(cuGraphDestroy)
{
    uint64_t g = seq_pick(s, SEQ_GRAPH);
    int r = cuGraphDestroy(AS(CUgraph, g));
    if (!r) {
        seq_drop_owned(s, g);
        seq_drop(s, SEQ_GRAPH, g);
    }
    return r;
}

/* A node of the graph to depend on, or none. */
static size_t
dependency(sequence *s, uint64_t g, CUgraphNode *node)
{
    const seq_object *o = seq_pick_object(s, SEQ_NODE);
    if (!o || (o->owner != g && !seq_chance(s, 10)))
        return 0;
    *node = AS(CUgraphNode, o->handle);
    return 1;
}

static int
added(sequence *s, int r, CUgraphNode node, uint64_t g)
{
    if (!r)
        seq_keep(s, SEQ_NODE, as_handle(node), 0, g);
    return r;
}

CALL(cuGraphAddEmptyNode)
{
    CUgraphNode n = NULL, d = NULL;
    uint64_t g = seq_pick(s, SEQ_GRAPH);
    size_t count = dependency(s, g, &d);
    return added(s, cuGraphAddEmptyNode(&n, AS(CUgraph, g), &d, count), n, g);
}

CALL(cuGraphAddMemsetNode)
{
    CUgraphNode n = NULL, d = NULL;
    uint64_t g = seq_pick(s, SEQ_GRAPH);
    size_t count = dependency(s, g, &d);
    CUDA_MEMSET_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.dst = seq_device(s, 4096);
    p.elementSize = (unsigned)SEQ_ONE_OF(s, 1, 2, 4, 3, 0);
    p.width = (size_t)SEQ_ONE_OF(s, 16, 1, 0, 1 << 24);
    p.height = (size_t)SEQ_ONE_OF(s, 1, 1, 2, 0);
    p.pitch = (size_t)SEQ_ONE_OF(s, 64, 0, 4);
    return added(s,
                 cuGraphAddMemsetNode(&n, AS(CUgraph, g), &d, count, &p,
                                      AS(CUcontext, s->current)),
                 n, g);
}

CALL(cuGraphAddHostNode)
{
    CUgraphNode n = NULL, d = NULL;
    uint64_t g = seq_pick(s, SEQ_GRAPH);
    size_t count = dependency(s, g, &d);
    CUDA_HOST_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.fn = seq_chance(s, 90) ? host_function : NULL;
    p.userData = s->host;
    return added(s, cuGraphAddHostNode(&n, AS(CUgraph, g), &d, count, &p), n,
                 g);
}

CALL(cuGraphAddKernelNode)
{
    CUgraphNode n = NULL, d = NULL;
    uint64_t g = seq_pick(s, SEQ_GRAPH);
    size_t count = dependency(s, g, &d);
    uint64_t memory = seq_device(s, 64) & ~(uint64_t)7;
    void *args[] = {&memory};
    CUDA_KERNEL_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    const seq_object *f = seq_pick_object(s, SEQ_FUNCTION);
    p.func = f && !seq_chance(s, 5) ? AS(CUfunction, f->handle) : NULL;
    p.gridDimX = (unsigned)SEQ_ONE_OF(s, 1, 2, 0);
    p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
    p.blockDimX = (unsigned)SEQ_ONE_OF(s, 32, 1, 0, 2048);
    p.kernelParams = args;
    if (f && f->bytes && !memory)
        p.gridDimX = 0;
    return added(s, cuGraphAddKernelNode_v2(&n, AS(CUgraph, g), &d, count, &p),
                 n, g);
}

CALL(cuGraphAddDependencies)
{
    uint64_t g = seq_pick(s, SEQ_GRAPH);
    CUgraphNode a = AS(CUgraphNode, seq_pick(s, SEQ_NODE));
    CUgraphNode b = AS(CUgraphNode, seq_pick(s, SEQ_NODE));
    return cuGraphAddDependencies_v2(AS(CUgraph, g), &a, &b, NULL, 1);
}

CALL(cuGraphGetNodes)
{
    size_t n = 77;
    uint64_t g = seq_pick(s, SEQ_GRAPH);
    int r = cuGraphGetNodes(AS(CUgraph, g), NULL, &n);
    return seq_give(s, r, n);
}

CALL(cuGraphNodeGetType)
{
    CUgraphNodeType t = (CUgraphNodeType)77;
    int r = cuGraphNodeGetType(AS(CUgraphNode, seq_pick(s, SEQ_NODE)), &t);
    return seq_give(s, r, (uint64_t)t);
}

CALL(cuGraphDestroyNode)
{
    uint64_t n = seq_pick(s, SEQ_NODE);
    int r = cuGraphDestroyNode(AS(CUgraphNode, n));
    if (!r)
        seq_drop(s, SEQ_NODE, n);
    return r;
}

CALL(cuGraphInstantiate)
{
    CUgraphExec x = NULL;
    uint64_t g = seq_pick(s, SEQ_GRAPH);
    int r = cuGraphInstantiateWithFlags(&x, AS(CUgraph, g), seq_flags(s, 0xb));
    if (!r)
        seq_keep(s, SEQ_EXEC, as_handle(x), g, 0);
    return r;
}

CALL(cuGraphLaunch)
{
    uint64_t x = seq_pick(s, SEQ_EXEC), st = seq_stream(s);
    return cuGraphLaunch(AS(CUgraphExec, x), AS(CUstream, st));
}

CALL(cuGraphExecUpdate)
{
    CUgraphExecUpdateResultInfo info;
    memset(&info, 0, sizeof info);
    uint64_t x = seq_pick(s, SEQ_EXEC), g = seq_pick(s, SEQ_GRAPH);
    int r = cuGraphExecUpdate_v2(AS(CUgraphExec, x), AS(CUgraph, g), &info);
    return seq_give(s, r, (uint64_t)info.result);
}

CALL(cuGraphExecDestroy)
{
    uint64_t x = seq_pick(s, SEQ_EXEC);
    int r = cuGraphExecDestroy(AS(CUgraphExec, x));
    if (!r)
        seq_drop(s, SEQ_EXEC, x);
    return r;
}

CALL(cuGraphClone)
{
    CUgraph g = NULL;
    uint64_t from = seq_pick(s, SEQ_GRAPH);
    int r = cuGraphClone(&g, AS(CUgraph, from));
    if (!r)
        seq_keep(s, SEQ_GRAPH, as_handle(g), 0, 0);
    return r;
}

#define ROW(name, weight) {#name, weight, call_##name},
const seq_call seq_work_calls[] = {
#include "work.def"
};
#undef ROW
const unsigned seq_work_count = sizeof seq_work_calls / sizeof *seq_work_calls;
