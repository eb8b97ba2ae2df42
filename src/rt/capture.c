/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture.c - graphs out of what is submitted to streams.
 *
 * A capture begins in one stream; others join it by waiting for an event that
 * was recorded in it. A stream's part of it (sw_rt_capture) holds the nodes
 * its next one depends on.
 */
#include "rt/graph.h"

#include <pthread.h>

enum { GLOBAL, OF_THREAD, RELAXED };

typedef struct session {
    struct session *next; /* of those under way */
    uint64_t id;
    uint32_t members; /* streams */
    sw_rt_stream *origin;
    sw_rt_graph *graph;
    int mode;
    pthread_t thread; /* that began it */
    bool invalid, own_graph;
    sw_vec orphans; /* sw_rt_node *: the last ones of streams that are gone */
} session;

struct sw_rt_capture {
    session *session;
    sw_vec deps; /* sw_rt_node * */
};

static _Thread_local int thread_mode; /* GLOBAL */
static session *sessions;             /* under way in the process */
static pthread_mutex_t sessions_lock = PTHREAD_MUTEX_INITIALIZER;

/* Numbers of both APIs that only captures have. */
enum {
    ERROR_MERGE = 902,
    ERROR_UNJOINED = 904,
    ERROR_ISOLATION = 905,
    ERROR_WRONG_THREAD = 908
};

static sw_rt_capture *
capture_of(const sw_rt_stream *stream)
{
    return stream->capture;
}

static void
join(sw_rt_stream *stream, session *s)
{
    sw_rt_capture *c = sw_alloc(sizeof *c);
    c->session = s;
    sw_vec_init(&c->deps, sizeof(sw_rt_node *));
    s->members++;
    stream->capture = c;
    stream->capture_status = 1;
}

static void
leave(sw_rt_stream *stream)
{
    sw_rt_capture *c = capture_of(stream);
    c->session->members--;
    sw_vec_finish(&c->deps);
    sw_free(c);
    stream->capture = NULL;
    stream->capture_status = 0;
}

sw_status
sw_rt_capture_begin(sw_rt_stream *stream, int mode, sw_rt_graph *graph,
                    sw_rt_node *const *deps, size_t count)
{
    static uint64_t last_id;
    if (stream->is_legacy)
        return SW_E_STREAM_CAPTURE_UNSUPPORTED;
    if (stream->capture || (graph && sw_rt_capture_has_graph(graph)))
        return SW_E_ILLEGAL_STATE;
    session *s = sw_alloc(sizeof *s);
    sw_vec_init(&s->orphans, sizeof(sw_rt_node *));
    s->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    s->origin = stream;
    s->mode = mode;
    s->thread = pthread_self();
    s->own_graph = !graph;
    s->graph = graph ? graph : sw_rt_graph_create(stream->context);
    join(stream, s);
    for (size_t i = 0; i < count; i++)
        *(sw_rt_node **)sw_vec_push(&capture_of(stream)->deps) = deps[i];
    pthread_mutex_lock(&sessions_lock);
    s->next = sessions;
    __atomic_store_n(&sessions, s, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&sessions_lock);
    return SW_OK;
}

static bool
has_follower(const sw_rt_graph *g, const sw_rt_node *node)
{
    for (size_t i = 0; i < g->nodes.count; i++)
        if (sw_rt_node_depends(*(sw_rt_node **)sw_vec_at(&g->nodes, i), node))
            return true;
    return false;
}

/* All of these are followed by something that the origin depends on. */
static bool
are_joined(const session *s, const sw_vec *nodes)
{
    const sw_rt_capture *origin = capture_of(s->origin);
    for (size_t i = 0; i < nodes->count; i++) {
        sw_rt_node *n = *(sw_rt_node **)sw_vec_at(nodes, i);
        bool found = has_follower(s->graph, n);
        for (size_t k = 0; !found && k < origin->deps.count; k++)
            found = *(sw_rt_node **)sw_vec_at(&origin->deps, k) == n;
        if (!found)
            return false;
    }
    return true;
}

/* Ends the session of every stream in it; true if the last nodes of all others,
 * destroyed ones too, are joined. */
static bool
end_session(session *s)
{
    bool joined = are_joined(s, &s->orphans);
    sw_rt_context *context = s->origin->context;
    for (sw_rt_stream *t = context->streams; t; t = t->next) {
        sw_rt_capture *c = capture_of(t);
        if (!c || c->session != s || t == s->origin)
            continue;
        joined &= are_joined(s, &c->deps);
        leave(t);
    }
    sw_vec_finish(&s->orphans);
    leave(s->origin);
    pthread_mutex_lock(&sessions_lock);
    session **at = &sessions;
    while (*at != s)
        at = &(*at)->next;
    __atomic_store_n(at, s->next, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&sessions_lock);
    return joined;
}

sw_status
sw_rt_capture_end(sw_rt_stream *stream, sw_rt_graph **out)
{
    sw_rt_capture *c = capture_of(stream);
    if (out)
        *out = NULL;
    if (!c)
        return SW_E_ILLEGAL_STATE;
    session *s = c->session;
    if (s->origin != stream) {
        s->invalid = true;
        return SW_E_STREAM_CAPTURE_UNMATCHED;
    }
    bool invalid = s->invalid;
    bool foreign =
        s->mode != RELAXED && !pthread_equal(s->thread, pthread_self());
    bool joined = end_session(s);
    sw_status status = foreign   ? (sw_status)ERROR_WRONG_THREAD
                       : invalid ? SW_E_STREAM_CAPTURE_INVALIDATED
                       : !joined ? (sw_status)ERROR_UNJOINED
                                 : SW_OK;
    if (status == SW_OK && out)
        *out = s->graph;
    else if (s->own_graph)
        sw_rt_graph_destroy(s->graph);
    sw_free(s);
    return status;
}

void
sw_rt_capture_abandon(sw_rt_stream *stream)
{
    sw_rt_capture *c = capture_of(stream);
    if (!c)
        return;
    session *s = c->session;
    if (s->origin == stream) {
        end_session(s);
        if (s->own_graph)
            sw_rt_graph_destroy(s->graph);
        sw_free(s);
    } else {
        for (size_t i = 0; i < c->deps.count; i++)
            *(sw_rt_node **)sw_vec_push(&s->orphans) =
                *(sw_rt_node **)sw_vec_at(&c->deps, i);
        leave(stream);
    }
}

sw_rt_graph *
sw_rt_capture_graph(const sw_rt_stream *stream, uint64_t *id)
{
    const sw_rt_capture *c = capture_of(stream);
    *id = c ? c->session->id : 0;
    return c ? c->session->graph : NULL;
}

sw_vec *
sw_rt_capture_deps(sw_rt_stream *stream)
{
    return &capture_of(stream)->deps;
}

sw_status
sw_rt_capture_add(sw_rt_stream *stream, sw_rt_node *node)
{
    sw_rt_capture *c = capture_of(stream);
    for (size_t i = 0; i < c->deps.count; i++)
        sw_rt_node_connect(*(sw_rt_node **)sw_vec_at(&c->deps, i), node);
    sw_vec_clear(&c->deps);
    *(sw_rt_node **)sw_vec_push(&c->deps) = node;
    return SW_OK;
}

static sw_rt_node_kind
kind_of(sw_rt_work_kind kind)
{
    switch (kind) {
    case SW_RT_LAUNCH:
        return SW_RT_NODE_KERNEL;
    case SW_RT_COPY:
        return SW_RT_NODE_MEMCPY;
    case SW_RT_FILL:
        return SW_RT_NODE_MEMSET;
    case SW_RT_HOST:
    case SW_RT_COMPUTE:
        return SW_RT_NODE_HOST;
    case SW_RT_FREE_MEMORY:
        return SW_RT_NODE_FREE;
    case SW_RT_WRITE_VALUE:
    case SW_RT_WAIT_VALUE:
        return SW_RT_NODE_VALUE;
    default:
        return SW_RT_NODE_EMPTY;
    }
}

sw_status
sw_rt_capture_work(sw_rt_stream *stream, const sw_rt_work *work)
{
    sw_rt_capture *c = capture_of(stream);
    if (c->session->invalid)
        return SW_E_STREAM_CAPTURE_INVALIDATED;
    sw_rt_node *n =
        sw_rt_node_add(c->session->graph, kind_of(work->kind), work, NULL, 0);
    return sw_rt_capture_add(stream, n);
}

sw_status
sw_rt_capture_record(sw_rt_stream *stream, sw_rt_event *event, bool external)
{
    sw_rt_capture *c = capture_of(stream);
    if (!c) {
        if (external)
            return SW_E_ILLEGAL_STATE;
        if (stream->is_legacy) {
            sw_status status =
                sw_rt_capture_check_legacy(stream->context, true);
            if (status != SW_OK)
                return status;
        }
        event->capture_id = 0;
        sw_rt_event_record(event, stream);
        return SW_OK;
    }
    if (external && event->shared)
        return SW_E_NOT_SUPPORTED;
    if (external) {
        sw_rt_node *n = sw_rt_node_add(c->session->graph,
                                       SW_RT_NODE_RECORD_EVENT, NULL, NULL, 0);
        sw_rt_node_set_event(n, event);
        return sw_rt_capture_add(stream, n);
    }
    /* What others will wait for is where this stream stands now: an empty
     * node, since there may be several. */
    if (c->deps.count != 1) {
        sw_rt_node *n =
            sw_rt_node_add(c->session->graph, SW_RT_NODE_EMPTY, NULL, NULL, 0);
        sw_rt_capture_add(stream, n);
    }
    event->capture_id = c->session->id;
    event->capture_node = *(sw_rt_node **)sw_vec_at(&c->deps, 0);
    return SW_OK;
}

/* The capture under way that the event was recorded in; NULL. */
static session *
session_of(const sw_rt_event *event)
{
    if (!event->capture_id)
        return NULL;
    pthread_mutex_lock(&sessions_lock);
    session *s = sessions;
    while (s && s->id != event->capture_id)
        s = s->next;
    pthread_mutex_unlock(&sessions_lock);
    return s;
}

int
sw_rt_capture_of_event(const sw_rt_event *event, bool spoils)
{
    session *s = session_of(event);
    if (!s)
        return event->capture_id ? 2 : 0;
    int was = s->invalid ? 2 : 1;
    s->invalid |= spoils;
    return was;
}

int
sw_rt_capture_status(const sw_rt_stream *stream)
{
    const sw_rt_capture *c = capture_of(stream);
    return c && c->session->invalid ? 2 : stream->capture_status;
}

bool
sw_rt_capture_has_graph(const sw_rt_graph *graph)
{
    pthread_mutex_lock(&sessions_lock);
    const session *s = sessions;
    while (s && s->graph != graph)
        s = s->next;
    pthread_mutex_unlock(&sessions_lock);
    return s;
}

void
sw_rt_capture_spoil(sw_rt_stream *stream)
{
    if (stream->capture)
        capture_of(stream)->session->invalid = true;
}

sw_status
sw_rt_capture_wait_event(sw_rt_stream *stream, sw_rt_event *event,
                         bool external)
{
    sw_rt_capture *c = capture_of(stream);
    session *s = external ? NULL : session_of(event);
    if (!c && sw_rt_capture_of_event(event, false) == 2)
        return SW_E_INVAL; /* what it was recorded in is over */
    if (external && !c)
        return SW_E_ILLEGAL_STATE;
    if (!s) {
        if (c && !external && !event->op && !event->shared)
            return SW_OK;     /* was never recorded */
        if (c && !external) { /* what is not captured cannot order it */
            c->session->invalid = true;
            return (sw_status)ERROR_ISOLATION;
        }
        if (c && event->shared)
            return SW_E_NOT_SUPPORTED;
        if (c) {
            sw_rt_node *n = sw_rt_node_add(
                c->session->graph, SW_RT_NODE_WAIT_EVENT, NULL, NULL, 0);
            sw_rt_node_set_event(n, event);
            return sw_rt_capture_add(stream, n);
        }
        sw_rt_stream_wait_event(stream, event);
        return SW_OK;
    }
    if (c && c->session != s) {
        c->session->invalid = s->invalid = true;
        return (sw_status)ERROR_MERGE;
    }
    if (!c) {
        if (stream->is_legacy) /* a blocking one is of another context */
            return s->origin->is_non_blocking ? SW_E_STREAM_CAPTURE_IMPLICIT
                                              : SW_E_INVAL;
        join(stream, s);
        c = capture_of(stream);
    }
    sw_rt_node *n = event->capture_node;
    for (size_t i = 0; i < c->deps.count; i++)
        if (*(sw_rt_node **)sw_vec_at(&c->deps, i) == n)
            return SW_OK;
    *(sw_rt_node **)sw_vec_push(&c->deps) = n;
    return SW_OK;
}

sw_status
sw_rt_capture_refuse(sw_rt_stream *stream)
{
    sw_rt_capture *c = capture_of(stream);
    if (!c)
        return stream->is_legacy
                   ? sw_rt_capture_check_legacy(stream->context, true)
                   : SW_OK;
    c->session->invalid = true;
    stream->capture_status = 2;
    return SW_E_STREAM_CAPTURE_UNSUPPORTED;
}

static bool
any_capture(const sw_rt_context *context, bool blocking_only, bool invalidate)
{
    if (!__atomic_load_n(&sessions, __ATOMIC_ACQUIRE))
        return false;
    bool any = false;
    for (sw_rt_stream *s = context->streams; s; s = s->next) {
        sw_rt_capture *c = capture_of(s);
        if (!c || (blocking_only && s->is_non_blocking))
            continue;
        any = true;
        if (invalidate)
            c->session->invalid = true;
    }
    return any;
}

sw_status
sw_rt_capture_check_legacy(sw_rt_context *context, bool spoils)
{
    return any_capture(context, true, spoils) ? SW_E_STREAM_CAPTURE_IMPLICIT
                                              : SW_OK;
}

int
sw_rt_capture_exchange_mode(int mode)
{
    int old = thread_mode;
    thread_mode = mode;
    return old;
}

/* What this thread may not do while that is captured. */
static bool
forbids(const session *s)
{
    if (pthread_equal(s->thread, pthread_self()))
        return s->mode != RELAXED;
    return s->mode == GLOBAL && thread_mode != OF_THREAD;
}

sw_status
sw_rt_capture_check_unsafe(void)
{
    if (!__atomic_load_n(&sessions, __ATOMIC_ACQUIRE) || thread_mode == RELAXED)
        return SW_OK;
    bool any = false;
    pthread_mutex_lock(&sessions_lock);
    for (session *s = sessions; s; s = s->next)
        if (forbids(s))
            any = s->invalid = true;
    pthread_mutex_unlock(&sessions_lock);
    return any ? SW_E_STREAM_CAPTURE_UNSUPPORTED : SW_OK;
}

sw_status
sw_rt_capture_check_valid(const sw_rt_stream *stream)
{
    const sw_rt_capture *c = capture_of(stream);
    return c && c->session->invalid ? SW_E_STREAM_CAPTURE_INVALIDATED : SW_OK;
}

sw_status
sw_rt_capture_check_context(sw_rt_context *context)
{
    return any_capture(context, false, true) ? SW_E_STREAM_CAPTURE_UNSUPPORTED
                                             : SW_OK;
}
