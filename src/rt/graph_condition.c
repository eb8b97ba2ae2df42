/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_condition.c - values that decide whether bodies of a graph run.
 */
#include "rt/graph.h"

static void
ref_free(void *condition)
{
    sw_rt_condition_unref(condition);
}

sw_status
sw_rt_condition_create(sw_rt_graph *graph, uint32_t initial, bool assigns,
                       sw_rt_condition **out)
{
    uint64_t addr;
    int device = graph->context ? graph->context->device->ordinal : 0;
    sw_status status = sw_mem_alloc(SW_MEM_INTERNAL, device, 4, 4, NULL, &addr);
    if (status != SW_OK)
        return status;
    *(uint32_t *)(uintptr_t)addr = initial;
    sw_rt_condition *c = sw_alloc(sizeof *c);
    *c = (sw_rt_condition){1, addr, initial, assigns};
    *(sw_rt_graph_user *)sw_vec_push(&graph->users) =
        (sw_rt_graph_user){ref_free, c, NULL};
    *out = c;
    return SW_OK;
}

sw_rt_condition *
sw_rt_condition_find(const sw_rt_graph *graph, uint64_t addr)
{
    for (size_t i = 0; i < graph->users.count; i++) {
        const sw_rt_graph_user *u = sw_vec_at(&graph->users, i);
        if (u->release == ref_free && ((sw_rt_condition *)u->arg)->addr == addr)
            return u->arg;
    }
    return NULL;
}

void
sw_rt_condition_unref(void *condition)
{
    sw_rt_condition *c = condition;
    if (!c || __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL))
        return;
    sw_mem_free(c->addr);
    sw_free(c);
}
