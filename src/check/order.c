/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - the order of operations, see order.h.
 *
 * A *line* is a stream or a host thread: what is on one line is in order. Each
 * operation, and each host thread now, knows of some lines up to which number
 * their operations have ended before it begins: a list sorted by line,
 * immutable and counted once it is shared. An operation without a stream (a
 * graph's node) has a line to itself.
 */
#include <pthread.h>
#include <string.h>

#include "check/order.h"

typedef struct {
    uint64_t line, number;
} known_line;

typedef struct {
    uint32_t refs, count;
    known_line of[];
} knowledge;

typedef struct {
    uint64_t line, number; /* its place; number 0: never told */
    knowledge *known;
    bool is_followed; /* operations come after it already */
} operation;

typedef struct {
    uint32_t thread;
    uint64_t number; /* operations it has queued */
    knowledge *known;
} host_thread;

struct sw_order_graph {
    pthread_mutex_t lock;
    sw_vec ops;     /* operation, by number */
    sw_vec threads; /* host_thread */
    sw_vec streams; /* uint64_t: operations of each, by id */
    knowledge *all; /* of every host thread: before host functions that ran */
    sw_vec late;    /* uint64_t: operations that learnt more when others knew
                       what they had known: ends of conditional nodes */
};

/* Lines: streams have even numbers, threads and single operations odd ones. */
static uint64_t
line_of_stream(uint64_t stream)
{
    return stream << 2;
}

static uint64_t
line_of_thread(uint32_t thread)
{
    return (uint64_t)thread << 2 | 1;
}

static uint64_t
line_of_op(uint64_t op)
{
    return op << 2 | 3;
}

/* ---- knowledge ---- */

static knowledge *
ref(knowledge *k)
{
    if (k)
        k->refs++;
    return k;
}

static void
unref(knowledge *k)
{
    if (k && --k->refs == 0)
        sw_free(k);
}

static uint64_t
number_known(const knowledge *k, uint64_t line)
{
    uint32_t low = 0, high = k ? k->count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (k->of[middle].line == line)
            return k->of[middle].number;
        if (k->of[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static bool
has_all(const knowledge *a, const knowledge *b)
{
    for (uint32_t i = 0; b && i < b->count; i++)
        if (number_known(a, b->of[i].line) < b->of[i].number)
            return false;
    return true;
}

/* *to knows what `more` does as well. */
static void
join(knowledge **to, knowledge *more)
{
    if (has_all(*to, more))
        return;
    if (has_all(more, *to)) {
        unref(*to);
        *to = ref(more);
        return;
    }
    const knowledge *a = *to, *b = more;
    knowledge *k = sw_alloc(sizeof *k + (a->count + b->count) * sizeof *k->of);
    uint32_t i = 0, j = 0;
    k->refs = 1;
    while (i < a->count || j < b->count) {
        bool is_a =
            j == b->count || (i < a->count && a->of[i].line <= b->of[j].line);
        bool is_b =
            i == a->count || (j < b->count && b->of[j].line <= a->of[i].line);
        uint64_t x = is_a ? a->of[i].number : 0;
        uint64_t y = is_b ? b->of[j].number : 0;
        k->of[k->count++] =
            (known_line){is_a ? a->of[i].line : b->of[j].line, x > y ? x : y};
        i += is_a;
        j += is_b;
    }
    unref(*to);
    *to = k;
}

static void
join_line(knowledge **to, uint64_t line, uint64_t number)
{
    if (number_known(*to, line) >= number)
        return;
    knowledge *one = sw_alloc(sizeof *one + sizeof *one->of);
    one->refs = 1;
    one->count = 1;
    one->of[0] = (known_line){line, number};
    join(to, one);
    unref(one);
}

/* ---- the graph ---- */

sw_order_graph *
sw_order_create(void)
{
    sw_order_graph *g = sw_alloc(sizeof *g);
    pthread_mutex_init(&g->lock, NULL);
    sw_vec_init(&g->ops, sizeof(operation));
    sw_vec_init(&g->threads, sizeof(host_thread));
    sw_vec_init(&g->streams, sizeof(uint64_t));
    sw_vec_init(&g->late, sizeof(uint64_t));
    return g;
}

/* Numbers up to `i` are there afterwards. */
static void *
at_or_more(sw_vec *vec, uint64_t i)
{
    while (vec->count <= i)
        memset(sw_vec_push(vec), 0, vec->elem_bytes);
    return sw_vec_at(vec, i);
}

static host_thread *
find_thread(sw_order_graph *g, uint32_t thread)
{
    for (size_t i = 0; i < g->threads.count; i++) {
        host_thread *t = sw_vec_at(&g->threads, i);
        if (t->thread == thread)
            return t;
    }
    host_thread *t = sw_vec_push(&g->threads);
    *t = (host_thread){.thread = thread};
    return t;
}

static operation *
find_op(sw_order_graph *g, uint64_t op)
{
    operation *o = op < g->ops.count ? sw_vec_at(&g->ops, op) : NULL;
    return o && o->number ? o : NULL;
}

static void
add_op(sw_order_graph *g, const sw_memory_event *e)
{
    host_thread *t = find_thread(g, e->thread);
    uint64_t *queued =
        e->stream ? at_or_more(&g->streams, e->stream) : &(uint64_t){0};
    operation *o = at_or_more(&g->ops, e->op);
    o->line = e->stream ? line_of_stream(e->stream) : line_of_op(e->op);
    o->number = ++*queued;
    t->number++;
    join(&o->known, t->known);
    join(&o->known, g->all);
    join_line(&o->known, line_of_thread(e->thread), t->number);
}

/* What follows from operation `a` having ended. */
static void
learn_op(knowledge **to, const operation *a)
{
    if (!a)
        return;
    join(to, a->known);
    join_line(to, a->line, a->number);
}

/* Operation `other` comes before `op`. */
static void
add_after(sw_order_graph *g, uint64_t op, uint64_t other)
{
    operation *o = find_op(g, op), *before = find_op(g, other);
    if (!o || !before)
        return;
    learn_op(&o->known, before);
    before->is_followed = true;
    if (o->is_followed)
        *(uint64_t *)sw_vec_push(&g->late) = op;
}

/* `known` has the operation, or one that has learnt of it late. */
static bool
has_op(const sw_order_graph *g, const knowledge *known, const operation *x)
{
    bool has = number_known(known, x->line) >= x->number;
    for (size_t i = 0; i < g->late.count && !has; i++) {
        const operation *l =
            sw_vec_at(&g->ops, *(uint64_t *)sw_vec_at(&g->late, i));
        has = number_known(known, l->line) >= l->number &&
              number_known(l->known, x->line) >= x->number;
    }
    return has;
}

void
sw_order_event(sw_order_graph *g, const sw_memory_event *event)
{
    pthread_mutex_lock(&g->lock);
    if (event->kind == SW_MEV_OP_QUEUED)
        add_op(g, event);
    else if (event->kind == SW_MEV_OP_AFTER)
        add_after(g, event->op, event->other);
    else if (event->kind == SW_MEV_HOST_AFTER)
        learn_op(&find_thread(g, event->thread)->known, find_op(g, event->op));
    else if (event->kind == SW_MEV_OP_STARTED &&
             event->work.kind == SW_OP_KIND_HOST && find_op(g, event->op))
        join(&g->all, find_op(g, event->op)->known);
    pthread_mutex_unlock(&g->lock);
}

bool
sw_order_is_before(sw_order_graph *g, uint64_t a, uint64_t b)
{
    if (a == b)
        return true;
    pthread_mutex_lock(&g->lock);
    const operation *x = find_op(g, a), *y = find_op(g, b);
    bool is_before = x && y && has_op(g, y->known, x);
    pthread_mutex_unlock(&g->lock);
    return is_before;
}

bool
sw_order_is_before_host(sw_order_graph *g, uint64_t a, uint32_t thread)
{
    pthread_mutex_lock(&g->lock);
    const operation *x = find_op(g, a);
    bool is_before = x && (has_op(g, g->all, x) ||
                           has_op(g, find_thread(g, thread)->known, x));
    pthread_mutex_unlock(&g->lock);
    return is_before;
}
