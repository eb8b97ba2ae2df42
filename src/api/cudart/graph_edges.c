/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_edges.c - calls about edges that also carry their data, as 12.3
 * introduced them; twins of the calls about capture. The data say when a node
 * may start early: none does.
 */
#include <string.h>

#include "api/cudart/cudart.h"

#if SW_CUDART_MAJOR == 12
cudaError_t
cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                            const cudaGraphNode_t *to,
                            const cudaGraphEdgeData *edgeData,
                            size_t numDependencies)
{
    (void)edgeData;
    CALL(cuGraphAddDependencies(graph, from, to, numDependencies));
}

cudaError_t
cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                               const cudaGraphNode_t *to,
                               const cudaGraphEdgeData *edgeData,
                               size_t numDependencies)
{
    (void)edgeData;
    CALL(cuGraphRemoveDependencies(graph, from, to, numDependencies));
}

cudaError_t
cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from,
                     cudaGraphNode_t *to, cudaGraphEdgeData *edgeData,
                     size_t *numEdges)
{
    CALL(cuGraphGetEdges_v2(graph, from, to, (CUgraphEdgeData *)edgeData,
                            numEdges));
}

cudaError_t
cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node,
                                cudaGraphNode_t *pDependencies,
                                cudaGraphEdgeData *edgeData,
                                size_t *pNumDependencies)
{
    CALL(cuGraphNodeGetDependencies_v2(
        node, pDependencies, (CUgraphEdgeData *)edgeData, pNumDependencies));
}

cudaError_t
cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node,
                                  cudaGraphNode_t *pDependentNodes,
                                  cudaGraphEdgeData *edgeData,
                                  size_t *pNumDependentNodes)
{
    CALL(cuGraphNodeGetDependentNodes_v2(node, pDependentNodes,
                                         (CUgraphEdgeData *)edgeData,
                                         pNumDependentNodes));
}

cudaError_t
cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream,
                                       cudaGraphNode_t *dependencies,
                                       const cudaGraphEdgeData *dependencyData,
                                       size_t numDependencies,
                                       unsigned int flags)
{
    (void)dependencyData;
    CALL(cuStreamUpdateCaptureDependencies(stream, dependencies,
                                           numDependencies, flags));
}
TWIN(cudaStreamUpdateCaptureDependencies_v2,
     (cudaStream_t stream, cudaGraphNode_t *dependencies,
      const cudaGraphEdgeData *dependencyData, size_t numDependencies,
      unsigned int flags),
     (OWN(stream), dependencies, dependencyData, numDependencies, flags))

cudaError_t
cudaStreamGetCaptureInfo_v3(cudaStream_t stream,
                            enum cudaStreamCaptureStatus *captureStatus_out,
                            unsigned long long *id_out, cudaGraph_t *graph_out,
                            const cudaGraphNode_t **dependencies_out,
                            const cudaGraphEdgeData **edgeData_out,
                            size_t *numDependencies_out)
{
    if (edgeData_out)
        *edgeData_out = NULL;
    return cudaStreamGetCaptureInfo_v2(stream, captureStatus_out, id_out,
                                       graph_out, dependencies_out,
                                       numDependencies_out);
}
TWIN(cudaStreamGetCaptureInfo_v3,
     (cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
      unsigned long long *id_out, cudaGraph_t *graph_out,
      const cudaGraphNode_t **dependencies_out,
      const cudaGraphEdgeData **edgeData_out, size_t *numDependencies_out),
     (OWN(stream), captureStatus_out, id_out, graph_out, dependencies_out,
      edgeData_out, numDependencies_out))
#endif

TWIN(cudaStreamGetCaptureInfo_v2,
     (cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
      unsigned long long *id_out, cudaGraph_t *graph_out,
      const cudaGraphNode_t **dependencies_out, size_t *numDependencies_out),
     (OWN(stream), captureStatus_out, id_out, graph_out, dependencies_out,
      numDependencies_out))

#if SW_CUDART_MAJOR >= 13
TWIN(cudaStreamGetCaptureInfo,
     (cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
      unsigned long long *id_out, cudaGraph_t *graph_out,
      const cudaGraphNode_t **dependencies_out,
      const cudaGraphEdgeData **edgeData_out, size_t *numDependencies_out),
     (OWN(stream), captureStatus_out, id_out, graph_out, dependencies_out,
      edgeData_out, numDependencies_out))
TWIN(cudaStreamUpdateCaptureDependencies,
     (cudaStream_t stream, cudaGraphNode_t *dependencies,
      const cudaGraphEdgeData *dependencyData, size_t numDependencies,
      unsigned int flags),
     (OWN(stream), dependencies, dependencyData, numDependencies, flags))
#else
TWIN(cudaStreamUpdateCaptureDependencies,
     (cudaStream_t stream, cudaGraphNode_t *dependencies,
      size_t numDependencies, unsigned int flags),
     (OWN(stream), dependencies, numDependencies, flags))
#endif

#if SW_CUDART_MAJOR == 11
TWIN(cudaStreamGetCaptureInfo,
     (cudaStream_t stream, enum cudaStreamCaptureStatus *status,
      unsigned long long *id),
     (OWN(stream), status, id))
#else
TWIN(cudaStreamBeginCaptureToGraph,
     (cudaStream_t stream, cudaGraph_t graph,
      const cudaGraphNode_t *dependencies,
      const cudaGraphEdgeData *dependencyData, size_t numDependencies,
      enum cudaStreamCaptureMode mode),
     (OWN(stream), graph, dependencies, dependencyData, numDependencies, mode))
#endif
