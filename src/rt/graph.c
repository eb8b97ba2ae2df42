/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - graphs; capture.c fills them from streams, graph_launch.c runs
 * them. */
#include "rt/graph.h"

#include <string.h>

#include "rt/compute.h"
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
    sw_vec_finish(&n->edges);
    if (n->work.kind == SW_RT_COMPUTE)
        sw_rt_compute_unref(n->work.host.arg);
    sw_free(n->params);
    sw_free(n->param_list);
    sw_free(n->batch);
    sw_free(n->batch_note);
    if (n->child)
        sw_rt_graph_destroy(n->child);
    for (uint32_t i = 0; i < n->body_count; i++)
        sw_rt_graph_destroy(n->bodies[i]);
    sw_free(n->bodies);
    if (n->memory) {
        if (n->kind == SW_RT_NODE_ALLOC && n->graph->is_exec)
            n->memory->has_exec = false;
        if (n->kind == SW_RT_NODE_FREE && !n->graph->is_exec)
            n->memory->has_free = false;
        sw_rt_graph_memory_unref(n->memory);
    }
    sw_rt_condition_unref(n->condition);
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
    sw_rt_op_unref(g->last);
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
    sw_free(n->param_list);
    n->param_list = NULL;
    n->params = copy;
    if (work->kind == SW_RT_COMPUTE)
        sw_rt_compute_ref(work->host.arg);
    if (n->work.kind == SW_RT_COMPUTE)
        sw_rt_compute_unref(n->work.host.arg);
    n->work = *work;
    if (work->kind == SW_RT_LAUNCH)
        n->work.launch.params = copy;
}

static void *
copy_of(const void *p, size_t bytes)
{
    void *copy = sw_alloc(bytes);
    memcpy(copy, p, bytes);
    return copy;
}

void
sw_rt_node_set_batch(sw_rt_node *n, const sw_rt_work *batch, uint32_t count,
                     const void *note, size_t note_bytes)
{
    sw_rt_work *works = copy_of(batch, count * sizeof *batch);
    void *text = copy_of(note, note_bytes);
    sw_free(n->batch);
    sw_free(n->batch_note);
    n->batch = works;
    n->batch_count = count;
    n->batch_note = text;
    n->batch_note_bytes = note_bytes;
}

sw_rt_node *
sw_rt_node_add(sw_rt_graph *graph, sw_rt_node_kind kind, const sw_rt_work *work,
               sw_rt_node *const *deps, size_t count)
{
    sw_rt_node *n = sw_rt_object_new(SW_RT_NODE, sizeof *n);
    n->graph = graph;
    n->kind = kind;
    sw_vec_init(&n->deps, sizeof(sw_rt_node *));
    sw_vec_init(&n->edges, sizeof(uint64_t));
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
    *(uint64_t *)sw_vec_push(&to->edges) = 0;
    return true;
}

uint64_t *
sw_rt_node_edge(sw_rt_node *from, sw_rt_node *to)
{
    for (size_t i = 0; i < to->deps.count; i++)
        if (node_at(&to->deps, i) == from)
            return sw_vec_at(&to->edges, i);
    return NULL;
}

bool
sw_rt_node_disconnect(sw_rt_node *from, sw_rt_node *to)
{
    for (size_t i = 0; i < to->deps.count; i++) {
        if (node_at(&to->deps, i) == from) {
            sw_vec_remove(&to->deps, i);
            sw_vec_remove(&to->edges, i);
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

bool
sw_rt_graph_sort(const sw_rt_graph *g, sw_vec *order)
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

/* What a copy of a node shares with it, and copies of what it owns. */
static void
clone_extras(sw_rt_node *c, const sw_rt_node *n)
{
    c->event = n->event;
    c->event_serial = n->event_serial;
    c->disabled = n->disabled;
    c->memory = n->memory;
    if (c->memory)
        __atomic_add_fetch(&c->memory->refs, 1, __ATOMIC_RELAXED);
    c->condition = n->condition;
    if (c->condition)
        __atomic_add_fetch(&c->condition->refs, 1, __ATOMIC_RELAXED);
    c->condition_kind = n->condition_kind;
    if (n->batch)
        sw_rt_node_set_batch(c, n->batch, n->batch_count, n->batch_note,
                             n->batch_note_bytes);
    if (n->child) {
        c->child = sw_rt_graph_clone(n->child, false);
        c->child->is_part = true;
    }
    if (!n->body_count)
        return;
    c->bodies = sw_alloc(n->body_count * sizeof *c->bodies);
    for (uint32_t i = 0; i < n->body_count; i++) {
        c->bodies[i] = sw_rt_graph_clone(n->bodies[i], false);
        if (!c->bodies[i]) /* has a cycle: nothing to run */
            c->bodies[i] = sw_rt_graph_create(n->graph->context);
        c->bodies[i]->is_part = true;
    }
    c->body_count = n->body_count;
}

void
sw_rt_node_set_event(sw_rt_node *node, sw_rt_event *event)
{
    node->event = event;
    node->event_serial = event->object.serial;
}

sw_rt_graph *
sw_rt_graph_clone(const sw_rt_graph *g, bool is_exec)
{
    sw_vec order;
    sw_vec_init(&order, sizeof(sw_rt_node *));
    if (!sw_rt_graph_sort(g, &order)) {
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
        c->origin = n;
        clone_extras(c, n);
        for (size_t k = 0; k < n->deps.count; k++) {
            sw_rt_node *from =
                node_at(&copy->nodes, node_at(&n->deps, k)->index);
            sw_rt_node_connect(from, c);
            *sw_rt_node_edge(from, c) = *(uint64_t *)sw_vec_at(&n->edges, k);
        }
    }
    for (size_t i = 0; i < g->users.count; i++) {
        const sw_rt_graph_user *u = sw_vec_at(&g->users, i);
        if (!u->retain)
            continue;
        u->retain(u->arg);
        *(sw_rt_graph_user *)sw_vec_push(&copy->users) = *u;
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
