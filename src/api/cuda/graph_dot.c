/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_dot.c - a graph as a text that Graphviz draws: a box for each node,
 * with its kind, name and, where asked for, parameters; graphs inside nodes are
 * clusters.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "api/cuda/graph.h"
#include "rt/module.h"

typedef struct {
    sw_buf text;
    unsigned flags;
    unsigned graphs; /* named so far */
} drawing;

static bool
shows(const drawing *d, unsigned flag)
{
    return d->flags & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
}

static void
draw_kernel(drawing *d, const sw_rt_launch *l)
{
    sw_buf *out = &d->text;
    sw_buf_printf(out, "\\n%s", l->kernel->fn->name);
    if (shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS))
        sw_buf_printf(out,
                      "\\ngrid (%u,%u,%u), block (%u,%u,%u), %u bytes of "
                      "dynamic shared memory",
                      l->grid[0], l->grid[1], l->grid[2], l->block[0],
                      l->block[1], l->block[2], l->shared_bytes);
    if (shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES))
        sw_buf_printf(out, "\\ncooperative: %d", l->cooperative);
}

static void
draw_copy(sw_buf *out, const sw_rt_copy *c)
{
    sw_buf_printf(out, "\\n%#llx to %#llx, %zu x %zu x %zu bytes",
                  (unsigned long long)c->src, (unsigned long long)c->dst,
                  c->width, c->height, c->depth);
}

static void
draw_fill(sw_buf *out, const sw_rt_fill *f)
{
    sw_buf_printf(out, "\\n%#x, %u bytes, to %#llx, %zu x %zu", f->value,
                  f->elem_bytes, (unsigned long long)f->dst, f->width,
                  f->height);
}

static void
draw_value(sw_buf *out, const sw_rt_work *w)
{
    static const char *const tests[] = {">=", "==", "&", "nor"};
    if (w->kind == SW_RT_WRITE_VALUE)
        sw_buf_printf(out, "\\n%#llx = %llu", (unsigned long long)w->value.addr,
                      (unsigned long long)w->value.value);
    if (w->kind == SW_RT_WAIT_VALUE)
        sw_buf_printf(out, "\\nwait until %#llx %s %llu",
                      (unsigned long long)w->value.addr, tests[w->value.test],
                      (unsigned long long)w->value.value);
}

static void
draw_params(drawing *d, const sw_rt_node *n)
{
    sw_buf *out = &d->text;
    switch (n->kind) {
    case SW_RT_NODE_KERNEL:
        draw_kernel(d, &n->work.launch);
        break;
    case SW_RT_NODE_MEMCPY:
        if (shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS))
            draw_copy(out, &n->work.copy);
        break;
    case SW_RT_NODE_MEMSET:
        if (shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS))
            draw_fill(out, &n->work.fill);
        break;
    case SW_RT_NODE_HOST:
        if (shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS))
            sw_buf_printf(out, "\\nfunction %p, argument %p",
                          *(void *const *)(const void *)&n->work.host.fn,
                          n->work.host.arg);
        break;
    case SW_RT_NODE_WAIT_EVENT:
    case SW_RT_NODE_RECORD_EVENT:
        if (shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS))
            sw_buf_printf(out, "\\nevent %p", (const void *)n->event);
        break;
    case SW_RT_NODE_ALLOC:
    case SW_RT_NODE_FREE:
        if (shows(d, n->kind == SW_RT_NODE_ALLOC
                         ? CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS
                         : CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS))
            sw_buf_printf(out, "\\n%llu bytes at %#llx",
                          (unsigned long long)n->memory->bytes,
                          (unsigned long long)n->memory->addr);
        break;
    case SW_RT_NODE_VALUE:
        if (!shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS))
            break;
        for (uint32_t i = 0; i < n->batch_count; i++)
            draw_value(out, &n->batch[i]);
        if (!n->batch)
            draw_value(out, &n->work);
        break;
    case SW_RT_NODE_CONDITIONAL:
        if (shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS))
            sw_buf_printf(out, "\\ncondition %#llx",
                          (unsigned long long)n->condition->addr);
        break;
    default:
        break;
    }
}

static const char *
kind_of(const sw_rt_node *n)
{
    static const char *const names[] = {
        [SW_RT_NODE_KERNEL] = "KERNEL",
        [SW_RT_NODE_MEMCPY] = "MEMCPY",
        [SW_RT_NODE_MEMSET] = "MEMSET",
        [SW_RT_NODE_HOST] = "HOST",
        [SW_RT_NODE_GRAPH] = "GRAPH",
        [SW_RT_NODE_EMPTY] = "EMPTY",
        [SW_RT_NODE_WAIT_EVENT] = "WAIT_EVENT",
        [SW_RT_NODE_RECORD_EVENT] = "EVENT_RECORD",
        [SW_RT_NODE_ALLOC] = "MEM_ALLOC",
        [SW_RT_NODE_FREE] = "MEM_FREE",
        [SW_RT_NODE_VALUE] = "BATCH_MEM_OP",
        [SW_RT_NODE_CONDITIONAL] = "CONDITIONAL",
    };
    static const char *const conditionals[] = {
        "CONDITIONAL IF", "CONDITIONAL WHILE", "CONDITIONAL SWITCH"};
    return n->kind == SW_RT_NODE_CONDITIONAL ? conditionals[n->condition_kind]
                                             : names[n->kind];
}

static size_t
place_of(const sw_rt_graph *g, const sw_rt_node *n)
{
    size_t i = 0;
    while (*(sw_rt_node **)sw_vec_at(&g->nodes, i) != n)
        i++;
    return i;
}

/* Its own nodes first: those of graphs inside are other clusters, each with a
 * dashed line from the node it is in to its first one. */
static void
draw(drawing *d, const sw_rt_graph *g, const char *parent)
{
    sw_buf *out = &d->text;
    unsigned number = ++d->graphs;
    sw_buf_printf(out, "subgraph cluster_%u {\nlabel=\"graph_%u\"\n", number,
                  number);
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        sw_buf_printf(out,
                      "\"graph_%u_node_%zu\" [shape=\"box\" label=\"%zu\\n%s",
                      number, i, i, kind_of(n));
        draw_params(d, n);
        if (shows(d, CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES))
            sw_buf_printf(out, "\\nnode %p", (const void *)n);
        sw_buf_puts(out, "\"]\n");
    }
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        for (size_t k = 0; k < n->deps.count; k++)
            sw_buf_printf(
                out, "\"graph_%u_node_%zu\" -> \"graph_%u_node_%zu\"\n", number,
                place_of(g, *(sw_rt_node **)sw_vec_at(&n->deps, k)), number, i);
    }
    sw_buf_puts(out, "}\n");
    if (*parent && g->nodes.count)
        sw_buf_printf(out, "%s -> \"graph_%u_node_0\" [style=\"dashed\"]\n",
                      parent, number);
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = *(sw_rt_node **)sw_vec_at(&g->nodes, i);
        char name[64];
        snprintf(name, sizeof name, "\"graph_%u_node_%zu\"", number, i);
        if (n->child)
            draw(d, n->child, name);
        for (uint32_t k = 0; k < n->body_count; k++)
            draw(d, n->bodies[k], name);
    }
}

CUresult
cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags)
{
    GRAPH(g, hGraph);
    REQUIRE(path, CUDA_ERROR_INVALID_VALUE);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    REQUIRE(file >= 0, CUDA_ERROR_OPERATING_SYSTEM);
    drawing d = {.flags = flags};
    sw_buf_init(&d.text);
    sw_buf_puts(&d.text, "digraph dot {\n");
    draw(&d, g, "");
    sw_buf_puts(&d.text, "}\n");
    bool good = sw_file_write(file, d.text.p, d.text.n);
    good &= close(file) == 0;
    sw_buf_finish(&d.text);
    return good ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}
