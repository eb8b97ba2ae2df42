/* SPDX-License-Identifier: Apache-2.0 */
/*
 * per_thread_stream.c - the entry points for programs whose default stream is a
 * thread's own: each calls its namesake with that stream in place of stream 0.
 * Those that copy or fill are in copy_entries.c.
 */
#include "api/cuda/api.h"

#define OWN(stream) ((stream) ? (stream) : (CUstream)2)
#define PER_THREAD(name, params, args)                                         \
    CUresult name##_ptsz params                                                \
    {                                                                          \
        return name args;                                                      \
    }

PER_THREAD(cuEventRecordWithFlags,
           (CUevent hEvent, CUstream hStream, unsigned int flags),
           (hEvent, OWN(hStream), flags))
PER_THREAD(cuEventRecord, (CUevent hEvent, CUstream hStream),
           (hEvent, OWN(hStream)))
PER_THREAD(cuGraphLaunch, (CUgraphExec hGraph, CUstream hStream),
           (hGraph, OWN(hStream)))
PER_THREAD(cuGraphUpload, (CUgraphExec hGraph, CUstream hStream),
           (hGraph, OWN(hStream)))
PER_THREAD(cuLaunchCooperativeKernel,
           (CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
            unsigned int gridDimZ, unsigned int blockDimX,
            unsigned int blockDimY, unsigned int blockDimZ,
            unsigned int sharedMemBytes, CUstream hStream, void **kernelParams),
           (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ,
            sharedMemBytes, OWN(hStream), kernelParams))
PER_THREAD(cuLaunchHostFunc, (CUstream hStream, CUhostFn fn, void *userData),
           (OWN(hStream), fn, userData))
PER_THREAD(cuLaunchKernel,
           (CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
            unsigned int gridDimZ, unsigned int blockDimX,
            unsigned int blockDimY, unsigned int blockDimZ,
            unsigned int sharedMemBytes, CUstream hStream, void **kernelParams,
            void **extra),
           (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ,
            sharedMemBytes, OWN(hStream), kernelParams, extra))
PER_THREAD(cuMemAllocAsync,
           (CUdeviceptr * dptr, size_t bytesize, CUstream hStream),
           (dptr, bytesize, OWN(hStream)))
PER_THREAD(cuMemAllocFromPoolAsync,
           (CUdeviceptr * dptr, size_t bytesize, CUmemoryPool pool,
            CUstream hStream),
           (dptr, bytesize, pool, OWN(hStream)))
PER_THREAD(cuMemFreeAsync, (CUdeviceptr dptr, CUstream hStream),
           (dptr, OWN(hStream)))
PER_THREAD(cuMemPrefetchAsync,
           (CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
            CUstream hStream),
           (devPtr, count, dstDevice, OWN(hStream)))
PER_THREAD(cuMemPrefetchAsync_v2,
           (CUdeviceptr devPtr, size_t count, CUmemLocation location,
            unsigned int flags, CUstream hStream),
           (devPtr, count, location, flags, OWN(hStream)))
PER_THREAD(cuStreamAddCallback,
           (CUstream hStream, CUstreamCallback callback, void *userData,
            unsigned int flags),
           (OWN(hStream), callback, userData, flags))
PER_THREAD(cuStreamAttachMemAsync,
           (CUstream hStream, CUdeviceptr dptr, size_t length,
            unsigned int flags),
           (OWN(hStream), dptr, length, flags))
PER_THREAD(cuStreamBeginCaptureToGraph,
           (CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
            const CUgraphEdgeData *dependencyData, size_t numDependencies,
            CUstreamCaptureMode mode),
           (OWN(hStream), hGraph, dependencies, dependencyData, numDependencies,
            mode))
PER_THREAD(cuStreamBeginCapture, (CUstream hStream), (OWN(hStream)))
PER_THREAD(cuStreamBeginCapture_v2,
           (CUstream hStream, CUstreamCaptureMode mode), (OWN(hStream), mode))
PER_THREAD(cuStreamCopyAttributes, (CUstream dstStream, CUstream srcStream),
           (OWN(dstStream), OWN(srcStream)))
PER_THREAD(cuStreamEndCapture, (CUstream hStream, CUgraph *phGraph),
           (OWN(hStream), phGraph))
PER_THREAD(cuStreamGetAttribute,
           (CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value),
           (OWN(hStream), attr, value))
PER_THREAD(cuStreamGetCaptureInfo,
           (CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
            cuuint64_t *id_out),
           (OWN(hStream), captureStatus_out, id_out))
PER_THREAD(cuStreamGetCaptureInfo_v2,
           (CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
            cuuint64_t *id_out, CUgraph *graph_out,
            const CUgraphNode **dependencies_out, size_t *numDependencies_out),
           (OWN(hStream), captureStatus_out, id_out, graph_out,
            dependencies_out, numDependencies_out))
PER_THREAD(cuStreamGetCaptureInfo_v3,
           (CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
            cuuint64_t *id_out, CUgraph *graph_out,
            const CUgraphNode **dependencies_out,
            const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out),
           (OWN(hStream), captureStatus_out, id_out, graph_out,
            dependencies_out, edgeData_out, numDependencies_out))
PER_THREAD(cuStreamGetCtx, (CUstream hStream, CUcontext *pctx),
           (OWN(hStream), pctx))
PER_THREAD(cuStreamGetDevice, (CUstream hStream, CUdevice *device),
           (OWN(hStream), device))
PER_THREAD(cuStreamGetFlags, (CUstream hStream, unsigned int *flags),
           (OWN(hStream), flags))
PER_THREAD(cuStreamGetId, (CUstream hStream, unsigned long long *streamId),
           (OWN(hStream), streamId))
PER_THREAD(cuStreamGetPriority, (CUstream hStream, int *priority),
           (OWN(hStream), priority))
PER_THREAD(cuStreamIsCapturing,
           (CUstream hStream, CUstreamCaptureStatus *captureStatus),
           (OWN(hStream), captureStatus))
PER_THREAD(cuStreamQuery, (CUstream hStream), (OWN(hStream)))
PER_THREAD(cuStreamSetAttribute,
           (CUstream hStream, CUstreamAttrID attr,
            const CUstreamAttrValue *param),
           (OWN(hStream), attr, param))
PER_THREAD(cuStreamSynchronize, (CUstream hStream), (OWN(hStream)))
PER_THREAD(cuStreamUpdateCaptureDependencies,
           (CUstream hStream, CUgraphNode *dependencies, size_t numDependencies,
            unsigned int flags),
           (OWN(hStream), dependencies, numDependencies, flags))
PER_THREAD(cuStreamUpdateCaptureDependencies_v2,
           (CUstream hStream, CUgraphNode *dependencies,
            const CUgraphEdgeData *dependencyData, size_t numDependencies,
            unsigned int flags),
           (OWN(hStream), dependencies, dependencyData, numDependencies, flags))
PER_THREAD(cuStreamGetCtx_v2,
           (CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx),
           (OWN(hStream), pCtx, pGreenCtx))
PER_THREAD(cuGraphInstantiateWithParams,
           (CUgraphExec * phGraphExec, CUgraph hGraph,
            CUDA_GRAPH_INSTANTIATE_PARAMS *params),
           (phGraphExec, hGraph, params))
PER_THREAD(cuMemcpyBatchAsync,
           (CUdeviceptr * dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
            CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
            size_t *failIdx, CUstream hStream),
           (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx,
            OWN(hStream)))
PER_THREAD(cuMemcpyBatchAsync_v2,
           (CUdeviceptr * dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
            CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
            CUstream hStream),
           (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, OWN(hStream)))
PER_THREAD(cuMemcpy3DBatchAsync,
           (size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
            unsigned long long flags, CUstream hStream),
           (numOps, opList, failIdx, flags, OWN(hStream)))
PER_THREAD(cuMemcpy3DBatchAsync_v2,
           (size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
            unsigned long long flags, CUstream hStream),
           (numOps, opList, flags, OWN(hStream)))
PER_THREAD(cuMemPrefetchBatchAsync,
           (CUdeviceptr * dptrs, size_t *sizes, size_t count,
            CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
            size_t numPrefetchLocs, unsigned long long flags, CUstream hStream),
           (dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs,
            flags, OWN(hStream)))
PER_THREAD(cuMemDiscardBatchAsync,
           (CUdeviceptr * dptrs, size_t *sizes, size_t count,
            unsigned long long flags, CUstream hStream),
           (dptrs, sizes, count, flags, OWN(hStream)))
PER_THREAD(cuMemDiscardAndPrefetchBatchAsync,
           (CUdeviceptr * dptrs, size_t *sizes, size_t count,
            CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
            size_t numPrefetchLocs, unsigned long long flags, CUstream hStream),
           (dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs,
            flags, OWN(hStream)))
PER_THREAD(cuStreamWaitEvent,
           (CUstream hStream, CUevent hEvent, unsigned int Flags),
           (OWN(hStream), hEvent, Flags))
PER_THREAD(cuStreamBatchMemOp,
           (CUstream stream, unsigned count, CUstreamBatchMemOpParams *ops,
            unsigned flags),
           (OWN(stream), count, ops, flags))
PER_THREAD(cuStreamBatchMemOp_v2,
           (CUstream stream, unsigned count, CUstreamBatchMemOpParams *ops,
            unsigned flags),
           (OWN(stream), count, ops, flags))
PER_THREAD(cuStreamWaitValue32,
           (CUstream stream, CUdeviceptr addr, cuuint32_t value,
            unsigned int flags),
           (OWN(stream), addr, value, flags))
PER_THREAD(cuStreamWaitValue32_v2,
           (CUstream stream, CUdeviceptr addr, cuuint32_t value,
            unsigned int flags),
           (OWN(stream), addr, value, flags))
PER_THREAD(cuStreamWaitValue64,
           (CUstream stream, CUdeviceptr addr, cuuint64_t value,
            unsigned int flags),
           (OWN(stream), addr, value, flags))
PER_THREAD(cuStreamWaitValue64_v2,
           (CUstream stream, CUdeviceptr addr, cuuint64_t value,
            unsigned int flags),
           (OWN(stream), addr, value, flags))
PER_THREAD(cuStreamWriteValue32,
           (CUstream stream, CUdeviceptr addr, cuuint32_t value,
            unsigned int flags),
           (OWN(stream), addr, value, flags))
PER_THREAD(cuStreamWriteValue32_v2,
           (CUstream stream, CUdeviceptr addr, cuuint32_t value,
            unsigned int flags),
           (OWN(stream), addr, value, flags))
PER_THREAD(cuStreamWriteValue64,
           (CUstream stream, CUdeviceptr addr, cuuint64_t value,
            unsigned int flags),
           (OWN(stream), addr, value, flags))
PER_THREAD(cuStreamWriteValue64_v2,
           (CUstream stream, CUdeviceptr addr, cuuint64_t value,
            unsigned int flags),
           (OWN(stream), addr, value, flags))

CUresult
cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f,
                      void **kernelParams, void **extra)
{
    REQUIRE(config, CUDA_ERROR_INVALID_VALUE);
    CUlaunchConfig own = *config;
    own.hStream = OWN(config->hStream);
    return cuLaunchKernelEx(&own, f, kernelParams, extra);
}
