/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.h - what the entry points about graphs share: handles turned into
 * objects, and adding a node.
 */
#ifndef SW_API_CUDA_GRAPH_H
#define SW_API_CUDA_GRAPH_H
#include "api/cuda/api.h"
#include "rt/graph.h"

#define GRAPH(var, handle)                                                     \
    NEED_INIT();                                                               \
    sw_rt_graph *var = sw_rt_object_get(handle, SW_RT_GRAPH);                  \
    REQUIRE(var, CUDA_ERROR_INVALID_VALUE)
#define EXEC(var, handle)                                                      \
    NEED_INIT();                                                               \
    sw_rt_graph *var = sw_rt_object_get(handle, SW_RT_GRAPH_EXEC);             \
    REQUIRE(var, CUDA_ERROR_INVALID_VALUE)
#define NODE(var, handle)                                                      \
    NEED_INIT();                                                               \
    sw_rt_node *var = sw_rt_object_get(handle, SW_RT_NODE);                    \
    REQUIRE(var, CUDA_ERROR_INVALID_VALUE)

/* What the note of a kernel's node holds: attributes that have no effect here.
 * Those that have one (`cooperative`, clusters) are the launch's own. */
typedef struct {
    CUDA_KERNEL_NODE_PARAMS_v2 params;
    CUaccessPolicyWindow window;
    CUclusterSchedulingPolicy scheduling;
    int priority;
    CUlaunchMemSyncDomainMap domain_map;
    CUlaunchMemSyncDomain domain;
    unsigned carveout;
} sw_api_kernel_note;
_Static_assert(sizeof(sw_api_kernel_note) <= SW_RT_NODE_NOTE_BYTES, "it fits");

/* Adds a node; `note` (may be NULL) is the program's own description of it. */
CUresult sw_api_node_add(CUgraphNode *out, CUgraph graph,
                         const CUgraphNode *deps, size_t count,
                         sw_rt_node_kind kind, const sw_rt_work *work,
                         const void *note, size_t note_bytes);
/* The nodes are the graph's, each once; `data` (may be NULL) makes sense for
 * edges from them. SW_E_INVAL. */
sw_status sw_api_nodes_of(const CUgraphNode *nodes, const CUgraphEdgeData *data,
                          size_t count, const sw_rt_graph *graph);
/* It has nodes that allocate or free, or conditional ones: what is refused
 * then is refused by a real device, too. */
bool sw_api_has_memory(const sw_rt_graph *graph);
bool sw_api_has_condition(const sw_rt_graph *graph);
/* Attributes of launches, nodes and streams: `value` is one that they take;
 * and what becomes of a priority. */
bool sw_api_attribute_is_valid(CUlaunchAttributeID id,
                               const CUlaunchAttributeValue *value);
/* A launch has no more attributes than there are kinds of them, by far; what
 * says otherwise is no configuration, and is not followed. */
enum { SW_API_MOST_ATTRIBUTES = 32 };
static inline bool
sw_api_config_is_valid(const CUlaunchConfig *config)
{
    return config && config->numAttrs <= SW_API_MOST_ATTRIBUTES &&
           (config->attrs || !config->numAttrs);
}
int sw_api_priority(int priority);
/* The node of an executable graph that was made from `node`; NULL. */
sw_rt_node *sw_api_exec_node(CUgraphExec exec, CUgraphNode node);
/* graph_memory.c: for pools: what capturing streams allocate and free, and
 * graphs' memory that streams free. */
CUresult sw_api_capture_alloc(CUdeviceptr *out, size_t bytes,
                              sw_rt_stream *stream);
CUresult sw_api_free_graph_memory(CUdeviceptr addr, sw_rt_stream *stream);

#endif
