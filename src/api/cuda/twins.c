/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twins.c - the entry points for programs whose default stream is a thread's
 * own: each calls its namesake with that stream in place of stream 0. Those
 * that copy or fill are in copy_entries.c.
 */
#include "api/cuda/api.h"

#define OWN(stream) ((stream) ? (stream) : (CUstream)2)
#define TWIN(name, params, args)                                               \
    CUresult name##_ptsz params                                                \
    {                                                                          \
        return name args;                                                      \
    }

TWIN(cuEventRecordWithFlags,
     (CUevent hEvent, CUstream hStream, unsigned int flags),
     (hEvent, OWN(hStream), flags))
TWIN(cuEventRecord, (CUevent hEvent, CUstream hStream), (hEvent, OWN(hStream)))
TWIN(cuGraphLaunch, (CUgraphExec hGraph, CUstream hStream),
     (hGraph, OWN(hStream)))
TWIN(cuGraphUpload, (CUgraphExec hGraph, CUstream hStream),
     (hGraph, OWN(hStream)))
TWIN(cuLaunchCooperativeKernel,
     (CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
      unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
      unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
      void **kernelParams),
     (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ,
      sharedMemBytes, OWN(hStream), kernelParams))
TWIN(cuLaunchHostFunc, (CUstream hStream, CUhostFn fn, void *userData),
     (OWN(hStream), fn, userData))
TWIN(cuLaunchKernel,
     (CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
      unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
      unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
      void **kernelParams, void **extra),
     (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ,
      sharedMemBytes, OWN(hStream), kernelParams, extra))
TWIN(cuMemAllocAsync, (CUdeviceptr * dptr, size_t bytesize, CUstream hStream),
     (dptr, bytesize, OWN(hStream)))
TWIN(cuMemAllocFromPoolAsync,
     (CUdeviceptr * dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream),
     (dptr, bytesize, pool, OWN(hStream)))
TWIN(cuMemFreeAsync, (CUdeviceptr dptr, CUstream hStream), (dptr, OWN(hStream)))
TWIN(cuMemPrefetchAsync,
     (CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream),
     (devPtr, count, dstDevice, OWN(hStream)))
TWIN(cuMemPrefetchAsync_v2,
     (CUdeviceptr devPtr, size_t count, CUmemLocation location,
      unsigned int flags, CUstream hStream),
     (devPtr, count, location, flags, OWN(hStream)))
TWIN(cuStreamAddCallback,
     (CUstream hStream, CUstreamCallback callback, void *userData,
      unsigned int flags),
     (OWN(hStream), callback, userData, flags))
TWIN(cuStreamAttachMemAsync,
     (CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags),
     (OWN(hStream), dptr, length, flags))
TWIN(cuStreamBeginCaptureToGraph,
     (CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
      const CUgraphEdgeData *dependencyData, size_t numDependencies,
      CUstreamCaptureMode mode),
     (OWN(hStream), hGraph, dependencies, dependencyData, numDependencies,
      mode))
TWIN(cuStreamBeginCapture, (CUstream hStream), (OWN(hStream)))
TWIN(cuStreamBeginCapture_v2, (CUstream hStream, CUstreamCaptureMode mode),
     (OWN(hStream), mode))
TWIN(cuStreamCopyAttributes, (CUstream dstStream, CUstream srcStream),
     (OWN(dstStream), OWN(srcStream)))
TWIN(cuStreamEndCapture, (CUstream hStream, CUgraph *phGraph),
     (OWN(hStream), phGraph))
TWIN(cuStreamGetAttribute,
     (CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value),
     (OWN(hStream), attr, value))
TWIN(cuStreamGetCaptureInfo,
     (CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
      cuuint64_t *id_out),
     (OWN(hStream), captureStatus_out, id_out))
TWIN(cuStreamGetCaptureInfo_v2,
     (CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
      cuuint64_t *id_out, CUgraph *graph_out,
      const CUgraphNode **dependencies_out, size_t *numDependencies_out),
     (OWN(hStream), captureStatus_out, id_out, graph_out, dependencies_out,
      numDependencies_out))
TWIN(cuStreamGetCaptureInfo_v3,
     (CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
      cuuint64_t *id_out, CUgraph *graph_out,
      const CUgraphNode **dependencies_out,
      const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out),
     (OWN(hStream), captureStatus_out, id_out, graph_out, dependencies_out,
      edgeData_out, numDependencies_out))
TWIN(cuStreamGetCtx, (CUstream hStream, CUcontext *pctx), (OWN(hStream), pctx))
TWIN(cuStreamGetDevice, (CUstream hStream, CUdevice *device),
     (OWN(hStream), device))
TWIN(cuStreamGetFlags, (CUstream hStream, unsigned int *flags),
     (OWN(hStream), flags))
TWIN(cuStreamGetId, (CUstream hStream, unsigned long long *streamId),
     (OWN(hStream), streamId))
TWIN(cuStreamGetPriority, (CUstream hStream, int *priority),
     (OWN(hStream), priority))
TWIN(cuStreamIsCapturing,
     (CUstream hStream, CUstreamCaptureStatus *captureStatus),
     (OWN(hStream), captureStatus))
TWIN(cuStreamQuery, (CUstream hStream), (OWN(hStream)))
TWIN(cuStreamSetAttribute,
     (CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *param),
     (OWN(hStream), attr, param))
TWIN(cuStreamSynchronize, (CUstream hStream), (OWN(hStream)))
TWIN(cuStreamUpdateCaptureDependencies,
     (CUstream hStream, CUgraphNode *dependencies, size_t numDependencies,
      unsigned int flags),
     (OWN(hStream), dependencies, numDependencies, flags))
TWIN(cuStreamUpdateCaptureDependencies_v2,
     (CUstream hStream, CUgraphNode *dependencies,
      const CUgraphEdgeData *dependencyData, size_t numDependencies,
      unsigned int flags),
     (OWN(hStream), dependencies, dependencyData, numDependencies, flags))
TWIN(cuStreamGetCtx_v2,
     (CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx),
     (OWN(hStream), pCtx, pGreenCtx))
TWIN(cuGraphInstantiateWithParams,
     (CUgraphExec * phGraphExec, CUgraph hGraph,
      CUDA_GRAPH_INSTANTIATE_PARAMS *params),
     (phGraphExec, hGraph, params))
TWIN(cuMemcpyBatchAsync,
     (CUdeviceptr * dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
      CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
      size_t *failIdx, CUstream hStream),
     (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx,
      OWN(hStream)))
TWIN(cuMemcpyBatchAsync_v2,
     (CUdeviceptr * dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
      CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
      CUstream hStream),
     (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, OWN(hStream)))
TWIN(cuMemcpy3DBatchAsync,
     (size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
      unsigned long long flags, CUstream hStream),
     (numOps, opList, failIdx, flags, OWN(hStream)))
TWIN(cuMemcpy3DBatchAsync_v2,
     (size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags,
      CUstream hStream),
     (numOps, opList, flags, OWN(hStream)))
TWIN(cuMemPrefetchBatchAsync,
     (CUdeviceptr * dptrs, size_t *sizes, size_t count,
      CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
      size_t numPrefetchLocs, unsigned long long flags, CUstream hStream),
     (dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs,
      flags, OWN(hStream)))
TWIN(cuMemDiscardBatchAsync,
     (CUdeviceptr * dptrs, size_t *sizes, size_t count,
      unsigned long long flags, CUstream hStream),
     (dptrs, sizes, count, flags, OWN(hStream)))
TWIN(cuMemDiscardAndPrefetchBatchAsync,
     (CUdeviceptr * dptrs, size_t *sizes, size_t count,
      CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
      size_t numPrefetchLocs, unsigned long long flags, CUstream hStream),
     (dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs,
      flags, OWN(hStream)))
TWIN(cuStreamWaitEvent, (CUstream hStream, CUevent hEvent, unsigned int Flags),
     (OWN(hStream), hEvent, Flags))
TWIN(cuStreamBatchMemOp,
     (CUstream stream, unsigned count, CUstreamBatchMemOpParams *ops,
      unsigned flags),
     (OWN(stream), count, ops, flags))
TWIN(cuStreamBatchMemOp_v2,
     (CUstream stream, unsigned count, CUstreamBatchMemOpParams *ops,
      unsigned flags),
     (OWN(stream), count, ops, flags))
TWIN(cuStreamWaitValue32,
     (CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags),
     (OWN(stream), addr, value, flags))
TWIN(cuStreamWaitValue32_v2,
     (CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags),
     (OWN(stream), addr, value, flags))
TWIN(cuStreamWaitValue64,
     (CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags),
     (OWN(stream), addr, value, flags))
TWIN(cuStreamWaitValue64_v2,
     (CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags),
     (OWN(stream), addr, value, flags))
TWIN(cuStreamWriteValue32,
     (CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags),
     (OWN(stream), addr, value, flags))
TWIN(cuStreamWriteValue32_v2,
     (CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags),
     (OWN(stream), addr, value, flags))
TWIN(cuStreamWriteValue64,
     (CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags),
     (OWN(stream), addr, value, flags))
TWIN(cuStreamWriteValue64_v2,
     (CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags),
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
