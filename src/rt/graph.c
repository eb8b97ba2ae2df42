/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - graphs and their launch; capture.c fills them from streams. */
#include "rt/graph.h"

#include <string.h>

#include "rt/memory.h"
#include "rt/module.h"

sw_rt_graph *
sw_rt_graph_create(sw_rt_context *context)
{
    sw_rt_graph *g = sw_rt_object_new(SW_RT_GRAPH, sizeof *g);
    sw_vec_init(&g->nodes, sizeof(sw_rt_node *));
    sw_vec_init(&g->users, sizeof(sw_rt_graph_user));
    g->context = context;
    return g;
}

static sw_rt_node *
node_at(const sw_vec *nodes, size_t i)
{
    return *(sw_rt_node **)sw_vec_at(nodes, i);
}

static void
node_free(sw_rt_node *n)
{
    sw_vec_finish(&n->deps);
    sw_free(n->params);
    if (n->child)
        sw_rt_graph_destroy(n->child);
    sw_rt_object_free(n);
}

void
sw_rt_graph_destroy(sw_rt_graph *g)
{
    for (size_t i = 0; i < g->nodes.count; i++)
        node_free(node_at(&g->nodes, i));
    for (size_t i = 0; i < g->users.count; i++) {
        sw_rt_graph_user *u = sw_vec_at(&g->users, i);
        u->release(u->arg);
    }
    sw_vec_finish(&g->nodes);
    sw_vec_finish(&g->users);
    sw_rt_object_free(g);
}

void
sw_rt_node_set_work(sw_rt_node *n, const sw_rt_work *work)
{
    const void *params =
        work->kind == SW_RT_LAUNCH ? work->launch.params : NULL;
    size_t bytes = params ? sw_rt_kernel_param_bytes(work->launch.kernel) : 0;
    unsigned char *copy = NULL;
    if (bytes) {
        copy = sw_alloc(bytes);
        memcpy(copy, params, bytes);
    }
    sw_free(n->params);
    n->params = copy;
    n->work = *work;
    if (work->kind == SW_RT_LAUNCH)
        n->work.launch.params = copy;
}

sw_rt_node *
sw_rt_node_add(sw_rt_graph *graph, sw_rt_node_kind kind, const sw_rt_work *work,
               sw_rt_node *const *deps, size_t count)
{
    sw_rt_node *n = sw_rt_object_new(SW_RT_NODE, sizeof *n);
    n->graph = graph;
    n->kind = kind;
    sw_vec_init(&n->deps, sizeof(sw_rt_node *));
    if (work)
        sw_rt_node_set_work(n, work);
    for (size_t i = 0; i < count; i++)
        sw_rt_node_connect(deps[i], n);
    *(sw_rt_node **)sw_vec_push(&graph->nodes) = n;
    return n;
}

bool
sw_rt_node_depends(const sw_rt_node *node, const sw_rt_node *on)
{
    for (size_t i = 0; i < node->deps.count; i++)
        if (node_at(&node->deps, i) == on)
            return true;
    return false;
}

bool
sw_rt_node_connect(sw_rt_node *from, sw_rt_node *to)
{
    if (sw_rt_node_depends(to, from))
        return false;
    *(sw_rt_node **)sw_vec_push(&to->deps) = from;
    return true;
}

bool
sw_rt_node_disconnect(sw_rt_node *from, sw_rt_node *to)
{
    for (size_t i = 0; i < to->deps.count; i++) {
        if (node_at(&to->deps, i) == from) {
            sw_vec_remove(&to->deps, i);
            return true;
        }
    }
    return false;
}

void
sw_rt_node_destroy(sw_rt_node *node)
{
    sw_vec *nodes = &node->graph->nodes;
    for (size_t i = nodes->count; i-- > 0;) {
        sw_rt_node *n = node_at(nodes, i);
        if (n == node)
            sw_vec_remove(nodes, i);
        else
            sw_rt_node_disconnect(node, n);
    }
    node_free(node);
}

/* Sets every node's index and fills order with them, each after those it
 * depends on. False if there is a cycle. */
static bool
sort(const sw_rt_graph *g, sw_vec *order)
{
    for (size_t i = 0; i < g->nodes.count; i++)
        node_at(&g->nodes, i)->index = UINT32_MAX;
    size_t before;
    do {
        before = order->count;
        for (size_t i = 0; i < g->nodes.count; i++) {
            sw_rt_node *n = node_at(&g->nodes, i);
            bool ready = n->index == UINT32_MAX;
            for (size_t k = 0; ready && k < n->deps.count; k++)
                ready = node_at(&n->deps, k)->index != UINT32_MAX;
            if (ready) {
                n->index = (uint32_t)order->count;
                *(sw_rt_node **)sw_vec_push(order) = n;
            }
        }
    } while (order->count != before);
    return order->count == g->nodes.count;
}

sw_rt_graph *
sw_rt_graph_clone(const sw_rt_graph *g, bool is_exec)
{
    sw_vec order;
    sw_vec_init(&order, sizeof(sw_rt_node *));
    if (!sort(g, &order)) {
        sw_vec_finish(&order);
        return NULL;
    }
    sw_rt_graph *copy = sw_rt_graph_create(g->context);
    copy->flags = g->flags;
    if (is_exec) {
        copy->object.type = SW_RT_GRAPH_EXEC;
        copy->is_exec = true;
    }
    for (size_t i = 0; i < order.count; i++) {
        sw_rt_node *n = node_at(&order, i);
        sw_rt_node *c = sw_rt_node_add(copy, n->kind, &n->work, NULL, 0);
        memcpy(c->note, n->note, sizeof c->note);
        c->event = n->event;
        c->origin = n;
        c->disabled = n->disabled;
        if (n->child)
            c->child = sw_rt_graph_clone(n->child, false);
        for (size_t k = 0; k < n->deps.count; k++)
            sw_rt_node_connect(
                node_at(&copy->nodes, node_at(&n->deps, k)->index), c);
    }
    sw_vec_finish(&order);
    return copy;
}

sw_rt_node *
sw_rt_graph_find(const sw_rt_graph *clone, const sw_rt_node *origin)
{
    for (size_t i = 0; i < clone->nodes.count; i++)
        if (node_at(&clone->nodes, i)->origin == origin)
            return node_at(&clone->nodes, i);
    return NULL;
}

/* Submits the graph's nodes after `first` (NULL: after what the stream waits
 * for) and pushes the operations nobody in the graph follows to `ends`. */
static sw_status
submit(const sw_rt_graph *g, sw_rt_stream *stream, sw_rt_op *first,
       sw_vec *ends)
{
    sw_vec order;
    sw_vec_init(&order, sizeof(sw_rt_node *));
    sw_status status = sort(g, &order) ? SW_OK : SW_E_INVAL;
    sw_rt_op **ops = sw_alloc((order.count + 1) * sizeof *ops);
    bool *followed = sw_alloc(order.count + 1);
    sw_vec deps;
    sw_vec_init(&deps, sizeof(sw_rt_op *));
    for (size_t i = 0; status == SW_OK && i < order.count; i++) {
        sw_rt_node *n = node_at(&order, i);
        sw_vec_clear(&deps);
        *(sw_rt_op **)sw_vec_push(&deps) = first;
        for (size_t k = 0; k < n->deps.count; k++) {
            uint32_t d = node_at(&n->deps, k)->index;
            followed[d] = true;
            *(sw_rt_op **)sw_vec_push(&deps) = ops[d];
        }
        const sw_rt_work empty = {.kind = SW_RT_EMPTY};
        bool runs = !n->disabled && !n->child;
        if (n->child) {
            sw_rt_op *start = sw_rt_op_submit(stream, false, &empty, deps.data,
                                              deps.count, &status);
            sw_vec inner;
            sw_vec_init(&inner, sizeof(sw_rt_op *));
            if (status == SW_OK)
                status = submit(n->child, stream, start, &inner);
            *(sw_rt_op **)sw_vec_push(&inner) = start;
            sw_status ignored;
            ops[i] = sw_rt_op_submit(stream, false, &empty, inner.data,
                                     inner.count, &ignored);
            for (size_t k = 0; k < inner.count; k++)
                sw_rt_op_unref(*(sw_rt_op **)sw_vec_at(&inner, k));
            sw_vec_finish(&inner);
        } else {
            ops[i] = sw_rt_op_submit(stream, false, runs ? &n->work : &empty,
                                     deps.data, deps.count, &status);
        }
    }
    for (size_t i = 0; i < order.count; i++) {
        if (!ops[i])
            continue;
        if (followed[i])
            sw_rt_op_unref(ops[i]);
        else
            *(sw_rt_op **)sw_vec_push(ends) = ops[i];
    }
    sw_vec_finish(&deps);
    sw_free(followed);
    sw_free(ops);
    sw_vec_finish(&order);
    return status;
}

/* Events of the graph are recorded and waited for around it: a record node is
 * recorded when the graph's launch has been submitted. */
static void
record_events(const sw_rt_graph *g, sw_rt_stream *stream)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        sw_rt_node *n = node_at(&g->nodes, i);
        if (n->kind == SW_RT_NODE_RECORD_EVENT && n->event && !n->disabled)
            sw_rt_event_record(n->event, stream);
        if (n->child)
            record_events(n->child, stream);
    }
}

static void
wait_events(const sw_rt_graph *g, sw_rt_stream *stream)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        sw_rt_node *n = node_at(&g->nodes, i);
        if (n->kind == SW_RT_NODE_WAIT_EVENT && n->event && !n->disabled)
            sw_rt_stream_wait_event(stream, n->event);
        if (n->child)
            wait_events(n->child, stream);
    }
}

sw_status
sw_rt_graph_launch(sw_rt_graph *exec, sw_rt_stream *stream)
{
    const sw_rt_work empty = {.kind = SW_RT_EMPTY};
    sw_status status;
    wait_events(exec, stream);
    sw_rt_op *start = sw_rt_op_submit(stream, true, &empty, NULL, 0, &status);
    sw_vec ends;
    sw_vec_init(&ends, sizeof(sw_rt_op *));
    if (status == SW_OK)
        status = submit(exec, stream, start, &ends);
    *(sw_rt_op **)sw_vec_push(&ends) = start;
    sw_rt_stream_join(stream, ends.data, ends.count);
    for (size_t i = 0; i < ends.count; i++)
        sw_rt_op_unref(*(sw_rt_op **)sw_vec_at(&ends, i));
    sw_vec_finish(&ends);
    record_events(exec, stream);
    return status;
}
