/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT right
/* What calls return after a kernel stopped itself, and what asks of an event
 * that is being captured, as an H100 has it. */
#include "check.h"

__global__ void
stop(int *p)
{
    if (p)
        *p = 1;
    else
        __trap();
}

static void
captures()
{
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    float ms;
    CK(cudaStreamCreate(&stream));
    CK(cudaEventCreate(&event));
    CK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CK(cudaEventRecord(event, stream));
    CK(cudaStreamIsCapturing(stream, &status));
    MUST(status == cudaStreamCaptureStatusActive);
    MUST(cudaEventQuery(event) == cudaErrorCapturedEvent);
    CK(cudaStreamIsCapturing(stream, &status));
    MUST(status == cudaStreamCaptureStatusInvalidated);
    MUST(cudaEventSynchronize(event) == cudaErrorInvalidValue);
    MUST(cudaEventElapsedTime(&ms, event, event) == cudaErrorInvalidValue);
    MUST(cudaStreamEndCapture(stream, &graph) ==
         cudaErrorStreamCaptureInvalidated);
    CK(cudaStreamIsCapturing(stream, &status));
    MUST(status == cudaStreamCaptureStatusNone);
    cudaGetLastError();
}

int
main()
{
    cudaStream_t stream;
    cudaEvent_t event;
    cudaFuncAttributes a;
    void *p;
    captures();
    CK(cudaStreamCreate(&stream));
    CK(cudaEventCreate(&event));
    stop<<<1, 1>>>(NULL);
    CK(cudaGetLastError());
    MUST(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    MUST(cudaGetLastError() == cudaErrorLaunchFailure);
    MUST(cudaGetLastError() == cudaSuccess);
    MUST(cudaMalloc(&p, 4) == cudaErrorLaunchFailure);
    MUST(cudaEventRecord(event) == cudaErrorLaunchFailure);
    MUST(cudaEventQuery(event) == cudaErrorLaunchFailure);
    MUST(cudaStreamDestroy(stream) == cudaErrorLaunchFailure);
    MUST(cudaFuncGetAttributes(&a, stop) == cudaErrorLaunchFailure);
    MUST(cudaEventDestroy(event) == cudaErrorLaunchFailure);
    stop<<<1, 1>>>(NULL);
    MUST(cudaPeekAtLastError() == cudaErrorLaunchFailure);
    MUST(cudaGetLastError() == cudaErrorLaunchFailure);
    MUST(cudaGetLastError() == cudaSuccess);
    printf("right\n");
    return 0;
}
