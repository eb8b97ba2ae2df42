/* SPDX-License-Identifier: Apache-2.0 */
/* graph_dot.c - a graph as text for the programs of graphviz. */
#include <stdio.h>
#include <stdlib.h>

#include "api/cuda/graph.h"

static void
print_label(const sw_rt_node *n, FILE *out)
{
    static const char *const kinds[] = {
        [SW_RT_NODE_KERNEL] = "KERNEL",
        [SW_RT_NODE_MEMCPY] = "MEMCPY",
        [SW_RT_NODE_MEMSET] = "MEMSET",
        [SW_RT_NODE_HOST] = "HOST",
        [SW_RT_NODE_GRAPH] = "GRAPH",
        [SW_RT_NODE_EMPTY] = "EMPTY",
        [SW_RT_NODE_WAIT_EVENT] = "EVENT_WAIT",
        [SW_RT_NODE_RECORD_EVENT] = "EVENT_RECORD",
        [SW_RT_NODE_ALLOC] = "MEM_ALLOC",
        [SW_RT_NODE_FREE] = "MEM_FREE",
        [SW_RT_NODE_VALUE] = "BATCH_MEM_OP",
        [SW_RT_NODE_CONDITIONAL] = "CONDITIONAL",
    };
    fputs(kinds[n->kind], out);
    if (n->kind == SW_RT_NODE_KERNEL) {
        const sw_rt_launch *l = &n->work.launch;
        const char *name;
        if (cuFuncGetName(&name, (CUfunction)l->kernel) == CUDA_SUCCESS)
            fprintf(out, "\\n%s", name);
        fprintf(out, "\\n\\<\\<\\<(%u,%u,%u),(%u,%u,%u),%u\\>\\>\\>",
                l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                l->block[2], l->shared_bytes);
    } else if (n->kind == SW_RT_NODE_MEMCPY) {
        const sw_rt_copy *c = &n->work.copy;
        fprintf(out, "\\n%zu x %zu x %zu bytes", c->width, c->height, c->depth);
    }
}

static void
print_graph(const sw_rt_graph *g, unsigned *number, FILE *out)
{
    unsigned me = ++*number;
    fprintf(out,
            "subgraph cluster_%u {\nlabel=\"graph_%u\" "
            "graph[style=\"dashed\"];\n",
            me, me);
    for (size_t i = 0; i < g->nodes.count; i++) {
        sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        n->index = (uint32_t)i;
        fprintf(out,
                "\"graph_%u_node_%zu\"[style=\"solid\" shape=\"rectangle\" "
                "label=\"%zu\\n",
                me, i, i);
        print_label(n, out);
        fputs("\"];\n", out);
    }
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        for (size_t k = 0; k < n->deps.count; k++)
            fprintf(out, "\"graph_%u_node_%u\" -> \"graph_%u_node_%zu\";\n", me,
                    (*(sw_rt_node **)sw_vec_at(&n->deps, k))->index, me, i);
    }
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        if (n->child)
            print_graph(n->child, number, out);
        for (uint32_t b = 0; b < n->body_count; b++)
            print_graph(n->bodies[b], number, out);
    }
    fputs("}\n", out);
}

CUresult
cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags)
{
    GRAPH(g, hGraph);
    (void)flags; /* how much of each node is told */
    REQUIRE(path, CUDA_ERROR_INVALID_VALUE);
    FILE *out = fopen(path, "w");
    REQUIRE(out, CUDA_ERROR_OPERATING_SYSTEM);
    unsigned number = 0;
    fputs("digraph dot {\n", out);
    print_graph(g, &number, out);
    fputs("}\n", out);
    return fclose(out) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}
