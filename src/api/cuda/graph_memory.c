/* SPDX-License-Identifier: Apache-2.0 */
/* graph_memory.c - memory that graphs allocate and free. */
#include <string.h>

#include "api/cuda/graph.h"

/* Takes over the reference. */
static void
own(CUgraphNode node, sw_rt_graph_memory *memory)
{
    ((sw_rt_node *)node)->memory = memory;
}

CUresult
cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                       const CUgraphNode *dependencies, size_t numDependencies,
                       CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    sw_rt_device *d;
    GRAPH(g, hGraph);
    (void)g;
    REQUIRE(p && p->bytesize, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(p->poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
                p->poolProps.location.type == CU_MEM_LOCATION_TYPE_DEVICE,
            CUDA_ERROR_INVALID_VALUE);
    if (p->poolProps.handleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return sw_api_unsupported("a graph's memory shared with processes");
    REQUIRE(sw_api_device(p->poolProps.location.id, &d) == SW_OK,
            CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; p->accessDescs && i < p->accessDescCount; i++) {
        sw_rt_device *ignored;
        REQUIRE(p->accessDescs[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE,
                CUDA_ERROR_INVALID_VALUE);
        TRY(sw_api_device(p->accessDescs[i].location.id, &ignored));
    }
    sw_rt_context *c = sw_rt_primary_retain(d);
    sw_rt_context *current = sw_rt_current(NULL);
    sw_rt_graph_memory *memory;
    sw_status made = sw_rt_graph_memory_create(
        current && current->device == d ? current : c, p->bytesize, &memory);
    sw_rt_primary_release(d);
    TRY(made);
    p->dptr = memory->addr;
    const sw_rt_work work = {.kind = SW_RT_EMPTY};
    CUresult status =
        sw_api_node_add(phGraphNode, hGraph, dependencies, numDependencies,
                        SW_RT_NODE_ALLOC, &work, p, sizeof *p);
    if (status == CUDA_SUCCESS)
        own(*phGraphNode, memory);
    else
        sw_rt_graph_memory_unref(memory);
    return status;
}

CUresult
cuGraphMemAllocNodeGetParams(CUgraphNode hNode,
                             CUDA_MEM_ALLOC_NODE_PARAMS *params_out)
{
    NODE(n, hNode);
    REQUIRE(params_out && n->kind == SW_RT_NODE_ALLOC,
            CUDA_ERROR_INVALID_VALUE);
    memcpy(params_out, n->note, sizeof *params_out);
    return CUDA_SUCCESS;
}

CUresult
cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                      const CUgraphNode *dependencies, size_t numDependencies,
                      CUdeviceptr dptr)
{
    GRAPH(g, hGraph);
    (void)g;
    sw_rt_graph_memory *memory = sw_rt_graph_memory_find(dptr);
    REQUIRE(memory && !memory->has_free, CUDA_ERROR_INVALID_VALUE);
    const sw_rt_work work = {.kind = SW_RT_EMPTY};
    CUresult status =
        sw_api_node_add(phGraphNode, hGraph, dependencies, numDependencies,
                        SW_RT_NODE_FREE, &work, &dptr, sizeof dptr);
    if (status == CUDA_SUCCESS) {
        __atomic_add_fetch(&memory->refs, 1, __ATOMIC_RELAXED);
        own(*phGraphNode, memory);
        memory->has_free = true;
    }
    return status;
}

CUresult
cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out)
{
    NODE(n, hNode);
    REQUIRE(dptr_out && n->kind == SW_RT_NODE_FREE, CUDA_ERROR_INVALID_VALUE);
    memcpy(dptr_out, n->note, sizeof *dptr_out);
    return CUDA_SUCCESS;
}

CUresult
sw_api_capture_alloc(CUdeviceptr *out, size_t bytes, sw_rt_stream *s)
{
    sw_rt_graph_memory *memory;
    uint64_t id;
    TRY(sw_rt_graph_memory_create(s->context, bytes, &memory));
    const sw_rt_work work = {.kind = SW_RT_EMPTY};
    sw_rt_node *n = sw_rt_node_add(sw_rt_capture_graph(s, &id),
                                   SW_RT_NODE_ALLOC, &work, NULL, 0);
    CUDA_MEM_ALLOC_NODE_PARAMS p = {.bytesize = bytes, .dptr = memory->addr};
    p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.poolProps.location.id = s->context->device->ordinal;
    memcpy(n->note, &p, sizeof p);
    n->memory = memory;
    *out = memory->addr;
    return sw_api_result(sw_rt_capture_add(s, n));
}

CUresult
sw_api_free_graph_memory(CUdeviceptr addr, sw_rt_stream *s)
{
    sw_rt_graph_memory *memory = sw_rt_graph_memory_find(addr);
    if (s->capture) {
        uint64_t id;
        const sw_rt_work work = {.kind = SW_RT_EMPTY};
        sw_rt_node *n = sw_rt_node_add(sw_rt_capture_graph(s, &id),
                                       SW_RT_NODE_FREE, &work, NULL, 0);
        memcpy(n->note, &addr, sizeof addr);
        __atomic_add_fetch(&memory->refs, 1, __ATOMIC_RELAXED);
        n->memory = memory;
        memory->has_free = true;
        return sw_api_result(sw_rt_capture_add(s, n));
    }
    /* A graph keeps the address; else it is freed in the stream's order. */
    if (__atomic_load_n(&memory->refs, __ATOMIC_ACQUIRE))
        return sw_api_result(sw_rt_graph_memory_end(memory));
    sw_rt_work work = {.kind = SW_RT_FREE_MEMORY};
    work.free.addr = addr;
    return sw_api_result(sw_api_submit(s, &work));
}

/* ---- what a device's graphs hold ---- */

CUresult
cuDeviceGraphMemTrim(CUdevice device)
{
    sw_rt_device *d;
    TRY(sw_api_device(device, &d));
    return CUDA_SUCCESS; /* nothing unused is held back */
}

CUresult
cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr,
                             void *value)
{
    sw_rt_device *d;
    TRY(sw_api_device(device, &d));
    REQUIRE(value && (unsigned)attr <= CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH,
            CUDA_ERROR_INVALID_VALUE);
    *(cuuint64_t *)value =
        __atomic_load_n(&d->graph_memory[attr], __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}

CUresult
cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr,
                             void *value)
{
    sw_rt_device *d;
    TRY(sw_api_device(device, &d));
    REQUIRE(value && *(cuuint64_t *)value == 0 &&
                (attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH ||
                 attr == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH),
            CUDA_ERROR_INVALID_VALUE);
    uint64_t now =
        __atomic_load_n(&d->graph_memory[attr - 1], __ATOMIC_RELAXED);
    __atomic_store_n(&d->graph_memory[attr], now, __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}
