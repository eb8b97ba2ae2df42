/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c - streams that are captured into graphs. */
#include "api/cuda/graph.h"

CUresult
cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
    sw_rt_stream *s;
    REQUIRE((unsigned)mode <= CU_STREAM_CAPTURE_MODE_RELAXED,
            CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_stream_of(hStream, &s));
    return sw_api_result(sw_rt_capture_begin(s, (int)mode, NULL, NULL, 0));
}

CUresult
cuStreamBeginCapture(CUstream hStream)
{
    return cuStreamBeginCapture_v2(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult
cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
                            const CUgraphNode *dependencies,
                            const CUgraphEdgeData *dependencyData,
                            size_t numDependencies, CUstreamCaptureMode mode)
{
    sw_rt_stream *s;
    sw_rt_graph *g = sw_rt_object_get(hGraph, SW_RT_GRAPH);
    REQUIRE(g && (unsigned)mode <= CU_STREAM_CAPTURE_MODE_RELAXED,
            CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_nodes_of(dependencies, dependencyData, numDependencies, g));
    TRY(sw_api_stream_of(hStream, &s));
    return sw_api_result(sw_rt_capture_begin(
        s, (int)mode, g, (sw_rt_node *const *)dependencies, numDependencies));
}

CUresult
cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    sw_rt_stream *s;
    TRY(sw_api_stream_of(hStream, &s));
    return sw_api_result(sw_rt_capture_end(s, (sw_rt_graph **)phGraph));
}

/* Who asks what a stream captures spoils no capture. */
static sw_status
stream_to_ask(CUstream handle, sw_rt_stream **s)
{
    sw_rt_context *c;
    if ((uintptr_t)handle > 1)
        return sw_api_stream_of(handle, s);
    sw_status status = sw_api_enter(&c);
    if (status != SW_OK)
        return status;
    *s = c->legacy;
    return sw_rt_capture_check_legacy(c, false);
}

CUresult
cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    sw_rt_stream *s;
    NEED_INIT();
    REQUIRE(captureStatus, CUDA_ERROR_INVALID_VALUE);
    TRY(stream_to_ask(hStream, &s));
    *captureStatus = (CUstreamCaptureStatus)sw_rt_capture_status(s);
    return CUDA_SUCCESS;
}

CUresult
cuStreamGetCaptureInfo_v2(CUstream hStream,
                          CUstreamCaptureStatus *captureStatus_out,
                          cuuint64_t *id_out, CUgraph *graph_out,
                          const CUgraphNode **dependencies_out,
                          size_t *numDependencies_out)
{
    sw_rt_stream *s;
    NEED_INIT();
    REQUIRE(captureStatus_out, CUDA_ERROR_INVALID_VALUE);
    TRY(stream_to_ask(hStream, &s));
    *captureStatus_out = (CUstreamCaptureStatus)sw_rt_capture_status(s);
    if (!s->capture)
        return CUDA_SUCCESS;
    uint64_t id;
    sw_rt_graph *g = sw_rt_capture_graph(s, &id);
    const sw_vec *deps = sw_rt_capture_deps(s);
    if (id_out)
        *id_out = id;
    if (graph_out)
        *graph_out = (CUgraph)g;
    if (dependencies_out)
        *dependencies_out = deps->data;
    if (numDependencies_out)
        *numDependencies_out = deps->count;
    return CUDA_SUCCESS;
}

CUresult
cuStreamGetCaptureInfo_v3(CUstream hStream,
                          CUstreamCaptureStatus *captureStatus_out,
                          cuuint64_t *id_out, CUgraph *graph_out,
                          const CUgraphNode **dependencies_out,
                          const CUgraphEdgeData **edgeData_out,
                          size_t *numDependencies_out)
{
    if (edgeData_out)
        *edgeData_out = NULL;
    return cuStreamGetCaptureInfo_v2(hStream, captureStatus_out, id_out,
                                     graph_out, dependencies_out,
                                     numDependencies_out);
}

CUresult
cuStreamGetCaptureInfo(CUstream hStream,
                       CUstreamCaptureStatus *captureStatus_out,
                       cuuint64_t *id_out)
{
    return cuStreamGetCaptureInfo_v2(hStream, captureStatus_out, id_out, NULL,
                                     NULL, NULL);
}

CUresult
cuStreamUpdateCaptureDependencies_v2(CUstream hStream,
                                     CUgraphNode *dependencies,
                                     const CUgraphEdgeData *dependencyData,
                                     size_t numDependencies, unsigned int flags)
{
    sw_rt_stream *s;
    NEED_INIT();
    TRY(sw_api_stream(hStream, &s));
    REQUIRE(s->capture, CUDA_ERROR_ILLEGAL_STATE);
    REQUIRE(flags <= CU_STREAM_SET_CAPTURE_DEPENDENCIES,
            CUDA_ERROR_INVALID_VALUE);
    uint64_t id;
    TRY(sw_api_nodes_of(dependencies, dependencyData, numDependencies,
                        sw_rt_capture_graph(s, &id)));
    sw_vec *deps = sw_rt_capture_deps(s);
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        sw_vec_clear(deps);
    for (size_t i = 0; i < numDependencies; i++)
        *(CUgraphNode *)sw_vec_push(deps) = dependencies[i];
    return CUDA_SUCCESS;
}

CUresult
cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
                                  size_t numDependencies, unsigned int flags)
{
    return cuStreamUpdateCaptureDependencies_v2(hStream, dependencies, NULL,
                                                numDependencies, flags);
}

CUresult
cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    NEED_INIT();
    REQUIRE(mode, CUDA_ERROR_INVALID_VALUE);
    *mode = (CUstreamCaptureMode)sw_rt_capture_exchange_mode((int)*mode);
    return CUDA_SUCCESS;
}
