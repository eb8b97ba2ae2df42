/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_launch.c - launching graphs: every node becomes an operation after
 * those it depends on; conditional nodes decide while the graph runs.
 */
#include "rt/graph.h"
#include "rt/memory.h"

static const sw_rt_work empty = {.kind = SW_RT_EMPTY};

static sw_rt_node *
node_at(const sw_vec *nodes, size_t i)
{
    return *(sw_rt_node **)sw_vec_at(nodes, i);
}

static void
push(sw_vec *ops, sw_rt_op *op)
{
    *(sw_rt_op **)sw_vec_push(ops) = op;
}

static void
unref_all(sw_vec *ops)
{
    for (size_t i = 0; i < ops->count; i++)
        sw_rt_op_unref(*(sw_rt_op **)sw_vec_at(ops, i));
    sw_vec_finish(ops);
}

static sw_status submit(const sw_rt_graph *g, sw_rt_stream *stream,
                        sw_rt_op *first, sw_vec *ends);

/* ---- conditional nodes ---- */

/* A conditional node under way. */
typedef struct {
    const sw_rt_node *node;
    sw_rt_context *context;
    sw_rt_op *done; /* CALLER: what follows the node waits for it */
} decision;

static void
end_decision(decision *d)
{
    sw_rt_op *done = d->done;
    sw_free(d);
    sw_rt_op_complete(done);
    sw_rt_op_unref(done);
}

static void decide(void *unused, int status, void *arg);

static void
after_body(void *unused, int status, void *arg)
{
    (void)unused;
    (void)status;
    end_decision(arg);
}

/* On the thread of host functions, whenever the node's turn has come. */
static void
decide(void *unused, int failed, void *arg)
{
    (void)unused;
    decision *d = arg;
    const sw_rt_node *n = d->node;
    uint32_t value = __atomic_load_n((uint32_t *)(uintptr_t)n->condition->addr,
                                     __ATOMIC_ACQUIRE);
    uint32_t body = 0;
    bool enters = value != 0;
    if (n->condition_kind == SW_RT_SWITCH) {
        enters = value < n->body_count;
        body = value;
    } else if (n->condition_kind == SW_RT_IF && !value) {
        enters = n->body_count > 1; /* the other branch */
        body = 1;
    }
    if (failed || !enters) {
        end_decision(d);
        return;
    }
    /* The stream may be gone; operations that follow none need any. */
    sw_rt_stream *stream = d->context->legacy;
    sw_vec ends;
    sw_vec_init(&ends, sizeof(sw_rt_op *));
    sw_status status = submit(n->bodies[body], stream, NULL, &ends);
    if (status != SW_OK)
        sw_rt_context_fail(d->context, status);
    sw_rt_work next = {.kind = SW_RT_CALLBACK};
    next.callback.fn = n->condition_kind == SW_RT_WHILE ? decide : after_body;
    next.callback.arg = d;
    sw_rt_op_unref(
        sw_rt_op_submit(stream, false, &next, ends.data, ends.count, &status));
    unref_all(&ends);
}

static sw_rt_op *
submit_conditional(const sw_rt_node *n, sw_rt_stream *stream,
                   const sw_vec *deps, sw_status *status)
{
    const sw_rt_work caller = {.kind = SW_RT_CALLER};
    sw_rt_work first = {.kind = SW_RT_CALLBACK};
    decision *d = sw_alloc(sizeof *d);
    d->node = n;
    d->context = stream->context;
    sw_rt_op *done = sw_rt_op_submit(stream, false, &caller, NULL, 0, status);
    d->done = done;
    sw_rt_op_ref(done);
    first.callback.fn = decide;
    first.callback.arg = d;
    sw_rt_op_unref(sw_rt_op_submit(stream, false, &first, deps->data,
                                   deps->count, status));
    return done;
}

/* Writes the initial values, one operation after the other. */
static sw_rt_op *
assign_conditions(const sw_rt_graph *g, sw_rt_stream *stream, sw_rt_op *first)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = node_at(&g->nodes, i);
        if (n->condition && n->condition->assigns) {
            sw_rt_work work = {.kind = SW_RT_WRITE_VALUE};
            work.value.addr = n->condition->addr;
            work.value.value = n->condition->initial;
            work.value.bytes = 4;
            sw_status ignored;
            sw_rt_op *op =
                sw_rt_op_submit(stream, false, &work, &first, 1, &ignored);
            sw_rt_op_unref(first);
            first = op;
        }
        for (uint32_t k = 0; k < n->body_count; k++)
            first = assign_conditions(n->bodies[k], stream, first);
        if (n->child)
            first = assign_conditions(n->child, stream, first);
    }
    return first;
}

/* ---- nodes ---- */

static sw_rt_event *
event_of(const sw_rt_node *n)
{
    bool lives = n->event && sw_rt_object_get(n->event, SW_RT_EVENT) &&
                 n->event->object.serial == n->event_serial;
    return lives && !n->disabled ? n->event : NULL;
}

static sw_rt_op *
submit_child(const sw_rt_node *n, sw_rt_stream *stream, const sw_vec *deps,
             sw_status *status)
{
    sw_rt_op *start =
        sw_rt_op_submit(stream, false, &empty, deps->data, deps->count, status);
    sw_vec inner;
    sw_vec_init(&inner, sizeof(sw_rt_op *));
    if (*status == SW_OK)
        *status = submit(n->child, stream, start, &inner);
    push(&inner, start);
    sw_status ignored;
    sw_rt_op *end = sw_rt_op_submit(stream, false, &empty, inner.data,
                                    inner.count, &ignored);
    unref_all(&inner);
    return end;
}

/* One after the other. */
static sw_rt_op *
submit_batch(const sw_rt_node *n, sw_rt_stream *stream, const sw_vec *deps,
             sw_status *status)
{
    sw_rt_op *op =
        sw_rt_op_submit(stream, false, &empty, deps->data, deps->count, status);
    for (uint32_t i = 0; i < n->batch_count && *status == SW_OK; i++) {
        sw_rt_op *next =
            sw_rt_op_submit(stream, false, &n->batch[i], &op, 1, status);
        sw_rt_op_unref(op);
        op = next;
    }
    return op;
}

static sw_rt_op *
submit_node(const sw_rt_node *n, sw_rt_stream *stream, sw_vec *deps,
            sw_status *status)
{
    sw_rt_event *event = event_of(n);
    sw_rt_op *recorded = NULL;
    if (n->child)
        return submit_child(n, stream, deps, status);
    if (n->kind == SW_RT_NODE_CONDITIONAL && !n->disabled)
        return submit_conditional(n, stream, deps, status);
    if (n->batch && !n->disabled)
        return submit_batch(n, stream, deps, status);
    if (n->kind == SW_RT_NODE_WAIT_EVENT && event) {
        recorded = sw_rt_event_get_op(event);
        push(deps, recorded);
    }
    sw_rt_op *op =
        sw_rt_op_submit(stream, false, n->disabled ? &empty : &n->work,
                        deps->data, deps->count, status);
    sw_rt_op_unref(recorded);
    if (n->kind == SW_RT_NODE_RECORD_EVENT && event)
        sw_rt_event_set_op(event, op);
    return op;
}

/* Submits the graph's nodes after `first` (or NULL) and pushes the operations
 * nobody in the graph follows to `ends`. */
static sw_status
submit(const sw_rt_graph *g, sw_rt_stream *stream, sw_rt_op *first,
       sw_vec *ends)
{
    sw_vec order;
    sw_vec_init(&order, sizeof(sw_rt_node *));
    sw_status status = sw_rt_graph_sort(g, &order) ? SW_OK : SW_E_INVAL;
    sw_rt_op **ops = sw_alloc((order.count + 1) * sizeof *ops);
    bool *followed = sw_alloc(order.count + 1);
    sw_vec deps;
    sw_vec_init(&deps, sizeof(sw_rt_op *));
    for (size_t i = 0; status == SW_OK && i < order.count; i++) {
        const sw_rt_node *n = node_at(&order, i);
        sw_vec_clear(&deps);
        push(&deps, first);
        for (size_t k = 0; k < n->deps.count; k++) {
            uint32_t d = node_at(&n->deps, k)->index;
            followed[d] = true;
            push(&deps, ops[d]);
        }
        ops[i] = submit_node(n, stream, &deps, &status);
    }
    for (size_t i = 0; i < order.count; i++) {
        if (!ops[i])
            continue;
        if (followed[i])
            sw_rt_op_unref(ops[i]);
        else
            push(ends, ops[i]);
    }
    sw_vec_finish(&deps);
    sw_free(followed);
    sw_free(ops);
    sw_vec_finish(&order);
    return status;
}

enum { FREE_BEFORE_LAUNCH = 1 }; /* of the instantiation's flags */

/* Whether what earlier launches left in use forbids this one. */
static bool
may_allocate(const sw_rt_graph *g, bool frees)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = node_at(&g->nodes, i);
        if (n->kind != SW_RT_NODE_ALLOC ||
            !__atomic_load_n(&n->memory->in_use, __ATOMIC_ACQUIRE))
            continue;
        if (!frees)
            return false;
        sw_rt_graph_memory_end(n->memory);
    }
    return true;
}

/* An address keeps its memory as long as a graph has it, so use begins and
 * ends when the launch is made, and the stream's order does the rest. */
static void
begin_use(const sw_rt_graph *g)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = node_at(&g->nodes, i);
        if (n->kind == SW_RT_NODE_ALLOC && n->memory->addr) {
            __atomic_store_n(&n->memory->in_use, true, __ATOMIC_RELEASE);
            sw_rt_graph_memory_count(n->memory->device, 0, n->memory->bytes);
        }
    }
    for (size_t i = 0; i < g->nodes.count; i++) {
        const sw_rt_node *n = node_at(&g->nodes, i);
        if (n->kind == SW_RT_NODE_FREE)
            sw_rt_graph_memory_end(n->memory);
    }
}

/* ---- launch ---- */

sw_status
sw_rt_graph_launch(sw_rt_graph *exec, sw_rt_stream *stream)
{
    sw_status status;
    if (!may_allocate(exec, exec->flags & FREE_BEFORE_LAUNCH))
        return SW_E_INVAL;
    begin_use(exec);
    sw_rt_op *start =
        sw_rt_op_submit(stream, true, &empty, &exec->last, 1, &status);
    start = assign_conditions(exec, stream, start);
    sw_vec ends;
    sw_vec_init(&ends, sizeof(sw_rt_op *));
    if (status == SW_OK)
        status = submit(exec, stream, start, &ends);
    push(&ends, start);
    sw_status ignored;
    sw_rt_op *end =
        sw_rt_op_submit(stream, false, &empty, ends.data, ends.count, &ignored);
    unref_all(&ends);
    sw_rt_stream_join(stream, &end, 1);
    sw_rt_op_unref(exec->last);
    exec->last = end;
    return status;
}
