/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.h - graphs of work: made node by node or by capturing what is
 * submitted to streams; instantiated and launched as often as wanted.
 *
 * Nodes hold the same sw_rt_work that streams execute, with copies of kernel
 * parameters. A launch submits every node after those it depends on. A graph
 * belongs to one thread at a time, as the APIs demand. Does NOT run anything
 * itself.
 */
#ifndef SW_RT_GRAPH_H
#define SW_RT_GRAPH_H
#include "rt/stream.h"

typedef struct sw_rt_graph sw_rt_graph;
typedef struct sw_rt_node sw_rt_node;

typedef enum {
    SW_RT_NODE_KERNEL,
    SW_RT_NODE_MEMCPY,
    SW_RT_NODE_MEMSET,
    SW_RT_NODE_HOST,
    SW_RT_NODE_GRAPH,
    SW_RT_NODE_EMPTY,
    SW_RT_NODE_WAIT_EVENT,
    SW_RT_NODE_RECORD_EVENT,
    SW_RT_NODE_ALLOC,
    SW_RT_NODE_FREE,
    SW_RT_NODE_VALUE,
    SW_RT_NODE_CONDITIONAL
} sw_rt_node_kind;

/* Memory of an allocation node, shared by the copies of its graph: it exists
 * as long as one of them does or a launch has left it in use. */
typedef struct {
    uint32_t refs; /* atomic */
    bool in_use;   /* atomic; from a launch until it is freed */
    bool has_exec; /* an executable graph allocates it */
    bool has_free; /* a node frees it */
    uint64_t addr; /* 0: gone with its context */
    uint64_t bytes;
    sw_rt_device *device;
} sw_rt_graph_memory;

/* A number in device memory that conditional nodes look at. Its address is
 * the handle that kernels set it through. */
typedef struct {
    uint32_t refs; /* atomic */
    uint64_t addr; /* of 4 bytes */
    uint32_t initial;
    bool assigns; /* `initial` at every launch */
} sw_rt_condition;

typedef enum { SW_RT_IF, SW_RT_WHILE, SW_RT_SWITCH } sw_rt_condition_kind;

enum { SW_RT_NODE_NOTE_BYTES = 256 };

struct sw_rt_node {
    sw_rt_object object;
    sw_rt_graph *graph;
    sw_rt_node_kind kind;
    sw_rt_work work;
    unsigned char *params; /* of a kernel; owned */
    void **param_list;     /* into params, made when asked for; owned */
    /* Of VALUE nodes: several, one after the other, instead of `work`; and the
     * API's description of them. Owned; NULL: none. */
    sw_rt_work *batch;
    void *batch_note;
    uint32_t batch_count;
    size_t batch_note_bytes;
    sw_vec deps;        /* sw_rt_node * */
    sw_vec edges;       /* uint64_t, of each of deps: the API's data */
    sw_rt_graph *child; /* owned */
    sw_rt_event *event;
    uint32_t event_serial;
    sw_rt_graph_memory *memory; /* of ALLOC and FREE; a reference */
    sw_rt_condition *condition; /* of CONDITIONAL; a reference */
    sw_rt_condition_kind condition_kind;
    sw_rt_graph **bodies; /* of CONDITIONAL; owned */
    uint32_t body_count;
    sw_rt_node *origin; /* of a copy: the node it was made from */
    bool disabled;
    uint32_t index; /* during launch */
    /* The API's own description of the node. */
    _Alignas(8) unsigned char note[SW_RT_NODE_NOTE_BYTES];
};

struct sw_rt_graph {
    sw_rt_object object;
    sw_vec nodes; /* sw_rt_node *, in order of creation */
    sw_vec users; /* what is released with it: sw_rt_graph_user */
    bool is_exec;
    bool is_part; /* a node's: its child or a body; destroyed with it */
    sw_rt_context *context; /* where it was made */
    uint64_t flags;
    sw_rt_op *last; /* of an executable graph: the end of its latest launch, for
                       which the next one waits, in whatever stream; or NULL */
};

typedef struct {
    void (*release)(void *arg);
    void *arg;
    /* Copies of the graph hold it too: called once for each; NULL: they
     * don't. */
    void (*retain)(void *arg);
} sw_rt_graph_user;

sw_rt_graph *sw_rt_graph_create(sw_rt_context *context);
void sw_rt_graph_destroy(sw_rt_graph *graph);
/* A copy whose nodes remember their origin; is_exec: an executable one, of
 * type SW_RT_GRAPH_EXEC. NULL: it has a cycle. */
sw_rt_graph *sw_rt_graph_clone(const sw_rt_graph *graph, bool is_exec);
/* Sets every node's index and pushes the nodes to `order`, each after those it
 * depends on. False if there is a cycle. */
bool sw_rt_graph_sort(const sw_rt_graph *graph, sw_vec *order);
/* The clone's node made from `origin`; NULL. */
sw_rt_node *sw_rt_graph_find(const sw_rt_graph *clone,
                             const sw_rt_node *origin);
/* work may be NULL; its params are copied. */
sw_rt_node *sw_rt_node_add(sw_rt_graph *graph, sw_rt_node_kind kind,
                           const sw_rt_work *work, sw_rt_node *const *deps,
                           size_t count);
void sw_rt_node_set_work(sw_rt_node *node, const sw_rt_work *work);
/* Copies of both. */
void sw_rt_node_set_batch(sw_rt_node *node, const sw_rt_work *batch,
                          uint32_t count, const void *note, size_t note_bytes);
void sw_rt_node_destroy(sw_rt_node *node);
bool sw_rt_node_depends(const sw_rt_node *node, const sw_rt_node *on);
/* False if the edge is there already (add) or not there (remove). */
bool sw_rt_node_connect(sw_rt_node *from, sw_rt_node *to);
/* The data of an edge, or NULL: there is none; zero at first. */
uint64_t *sw_rt_node_edge(sw_rt_node *from, sw_rt_node *to);
bool sw_rt_node_disconnect(sw_rt_node *from, sw_rt_node *to);
void sw_rt_node_set_event(sw_rt_node *node, sw_rt_event *event);
/* SW_E_INVAL: memory that it allocates is still in use. */
sw_status sw_rt_graph_launch(sw_rt_graph *exec, sw_rt_stream *stream);

/* ---- what nodes share with copies of themselves ---- */

sw_status sw_rt_graph_memory_create(sw_rt_context *context, uint64_t bytes,
                                    sw_rt_graph_memory **out);
/* bytes more of the i-th of sw_rt_device.graph_memory. */
void sw_rt_graph_memory_count(sw_rt_device *device, unsigned i, uint64_t bytes);
void sw_rt_graph_memory_unref(sw_rt_graph_memory *memory);
/* NULL: no graph's memory begins there. */
sw_rt_graph_memory *sw_rt_graph_memory_find(uint64_t addr);
/* SW_E_INVAL: it is not in use. The address stays while graphs have it. */
sw_status sw_rt_graph_memory_end(sw_rt_graph_memory *memory);
/* The graph keeps a reference. SW_E_NOMEM. */
sw_status sw_rt_condition_create(sw_rt_graph *graph, uint32_t initial,
                                 bool assigns, sw_rt_condition **out);
/* Of this graph, by its address; NULL. */
sw_rt_condition *sw_rt_condition_find(const sw_rt_graph *graph, uint64_t addr);
void sw_rt_condition_unref(void *condition);

/* ---- capture ---- */

typedef struct sw_rt_capture sw_rt_capture;

/* mode: 0 global, 1 of this thread, 2 relaxed. graph NULL: a new one.
 * SW_E_ILLEGAL_STATE: the stream, or another into this graph, captures. */
sw_status sw_rt_capture_begin(sw_rt_stream *stream, int mode,
                              sw_rt_graph *graph, sw_rt_node *const *deps,
                              size_t count);
/* The graph, owned by caller; out NULL: a new one is destroyed.
 * SW_E_STREAM_CAPTURE_INVALIDATED, _UNMATCHED, SW_E_ILLEGAL_STATE if nothing is
 * captured; number 904 if other streams of the capture were not joined, 908 if
 * another thread began it. */
sw_status sw_rt_capture_end(sw_rt_stream *stream, sw_rt_graph **out);
/* What the stream captures now; NULL values: nothing. */
sw_rt_graph *sw_rt_capture_graph(const sw_rt_stream *stream, uint64_t *id);
/* The nodes the next one will depend on; borrowed. */
sw_vec *sw_rt_capture_deps(sw_rt_stream *stream);
sw_status sw_rt_capture_work(sw_rt_stream *stream, const sw_rt_work *work);
sw_status sw_rt_capture_add(sw_rt_stream *stream, sw_rt_node *node);
/* Or do the thing itself, if the stream captures nothing. */
sw_status sw_rt_capture_record(sw_rt_stream *stream, sw_rt_event *event,
                               bool external);
sw_status sw_rt_capture_wait_event(sw_rt_stream *stream, sw_rt_event *event,
                                   bool external);
/* It was last recorded in a capture that was (as CUstreamCaptureStatus has it):
 * 0 none, 1 active, 2 invalid or over. With `spoils` an active one becomes
 * invalid: the caller wanted to know more of the event. */
int sw_rt_capture_of_event(const sw_rt_event *event, bool spoils);
/* As CUstreamCaptureStatus has it: 0 none, 1 active, 2 invalid. */
int sw_rt_capture_status(const sw_rt_stream *stream);
/* Something is captured into it. */
bool sw_rt_capture_has_graph(const sw_rt_graph *graph);
/* What the stream captures, if anything, becomes invalid. */
void sw_rt_capture_spoil(sw_rt_stream *stream);
/* SW_OK unless the stream captures; then the capture becomes invalid. */
sw_status sw_rt_capture_refuse(sw_rt_stream *stream);
/* SW_OK unless some blocking stream of the context captures; with `spoils` its
 * capture becomes invalid. */
sw_status sw_rt_capture_check_legacy(sw_rt_context *context, bool spoils);
/* Of calls that other threads may depend on, like allocations: SW_OK unless a
 * capture of the process forbids them to this thread; those that do become
 * invalid. */
sw_status sw_rt_capture_check_unsafe(void);
/* SW_E_STREAM_CAPTURE_INVALIDATED if what the stream captures is invalid. */
sw_status sw_rt_capture_check_valid(const sw_rt_stream *stream);
/* What captures forbid this thread, as for begin, another number as for 0; the
 * number before. */
int sw_rt_capture_exchange_mode(int mode);
/* The same for calls that wait for a whole context. */
sw_status sw_rt_capture_check_context(sw_rt_context *context);
void sw_rt_capture_abandon(sw_rt_stream *stream);

#endif
