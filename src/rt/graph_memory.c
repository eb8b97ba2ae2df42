/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_memory.c - memory that graphs allocate: an address keeps its memory as
 * long as a graph names it.
 */
#include "rt/graph.h"
#include "rt/memory.h"

void
sw_rt_graph_memory_count(sw_rt_device *device, unsigned i, uint64_t bytes)
{
    uint64_t now =
        __atomic_add_fetch(&device->graph_memory[i], bytes, __ATOMIC_RELAXED);
    uint64_t *high = &device->graph_memory[i + 1];
    uint64_t old = __atomic_load_n(high, __ATOMIC_RELAXED);
    while (now > old &&
           !__atomic_compare_exchange_n(high, &old, now, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
}

static sw_status
end(void *memory)
{
    return sw_rt_graph_memory_end(memory);
}

static void
gone(void *memory)
{
    ((sw_rt_graph_memory *)memory)->addr = 0;
}

static const sw_rt_keeper keeper = {end, gone};

sw_status
sw_rt_graph_memory_create(sw_rt_context *context, uint64_t bytes,
                          sw_rt_graph_memory **out)
{
    uint64_t addr;
    sw_status status =
        sw_rt_memory_alloc(context, SW_MEM_DEVICE, bytes, 512, 0, &addr);
    if (status != SW_OK)
        return status;
    sw_rt_graph_memory *m = sw_alloc(sizeof *m);
    sw_mem_range r;
    sw_rt_alloc *a = sw_mem_find(addr, &r) ? r.user : NULL;
    SW_ASSERT(a);
    a->keeper = &keeper;
    a->keeper_arg = m;
    m->refs = 1;
    m->addr = addr;
    m->bytes = bytes;
    m->device = context->device;
    sw_rt_graph_memory_count(m->device, 2, bytes);
    *out = m;
    return SW_OK;
}

/* Nobody names it any more. */
static void
let_go(sw_rt_graph_memory *m)
{
    sw_mem_range r;
    sw_rt_alloc *a = m->addr && sw_mem_find(m->addr, &r) ? r.user : NULL;
    __atomic_sub_fetch(&m->device->graph_memory[2], m->bytes, __ATOMIC_RELAXED);
    if (a) {
        a->keeper = NULL;
        sw_rt_memory_release(m->addr);
    }
    sw_free(m);
}

void
sw_rt_graph_memory_unref(sw_rt_graph_memory *m)
{
    if (__atomic_sub_fetch(&m->refs, 1, __ATOMIC_ACQ_REL))
        return;
    /* What a launch left in use is freed by whoever uses it. */
    if (!m->addr || !__atomic_load_n(&m->in_use, __ATOMIC_ACQUIRE))
        let_go(m);
}

sw_rt_graph_memory *
sw_rt_graph_memory_find(uint64_t addr)
{
    sw_mem_range r;
    const sw_rt_alloc *a = sw_rt_memory_find(addr, &r);
    return a && r.base == addr && a->keeper == &keeper ? a->keeper_arg : NULL;
}

sw_status
sw_rt_graph_memory_end(sw_rt_graph_memory *m)
{
    if (!__atomic_exchange_n(&m->in_use, false, __ATOMIC_ACQ_REL))
        return SW_E_INVAL;
    __atomic_sub_fetch(&m->device->graph_memory[0], m->bytes, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&m->refs, __ATOMIC_ACQUIRE))
        let_go(m);
    return SW_OK;
}
