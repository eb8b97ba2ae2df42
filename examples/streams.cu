/* SPDX-License-Identifier: Apache-2.0 */
/*
 * streams.cu - queues of work: what is in one stream happens in order, what is
 * in different ones may overlap, and events order them where they must.
 *
 * The classic use: cut an array in pieces and let one piece be copied while
 * another is computed. Copies only overlap from page-locked host memory.
 */
#include <cuda_runtime.h>

#include <vector>

#include "example.h"

enum { STREAMS = 4, THREADS = 256 };

__global__ void cube(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = a[i] * a[i] * a[i];
}

__global__ void add(float *sum, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

static void CUDART_CB count_up(void *counter)
{
    ++*(int *)counter;
}

int main(int argc, char **argv)
{
    const int piece = example_is_quick(argc, argv) ? 1000 : 250000;
    const int n = STREAMS * piece;
    const int blocks = (piece + THREADS - 1) / THREADS;
    float *h, *d;
    CUDA(cudaMallocHost(&h, n * sizeof(float))); /* page-locked */
    CUDA(cudaMalloc(&d, n * sizeof(float)));
    std::vector<float> want(n);
    for (int i = 0; i < n; i++) {
        h[i] = (float)(i % 200);
        want[i] = h[i] * h[i] * h[i];
    }

    cudaStream_t streams[STREAMS];
    for (auto &stream : streams)
        CUDA(cudaStreamCreate(&stream));

    /* In, compute, out: three steps a stream, none waits for another's. */
    for (int s = 0; s < STREAMS; s++) {
        int at = s * piece;
        size_t bytes = piece * sizeof(float);
        CUDA(cudaMemcpyAsync(d + at, h + at, bytes, cudaMemcpyHostToDevice,
                             streams[s]));
        cube<<<blocks, THREADS, 0, streams[s]>>>(d + at, piece);
        CUDA(cudaGetLastError());
        CUDA(cudaMemcpyAsync(h + at, d + at, bytes, cudaMemcpyDeviceToHost,
                             streams[s]));
    }
    CUDA(cudaDeviceSynchronize());
    verify("pieces in four streams", h, want.data(), n);

    /* Stream 0 may add only when stream 1 has its piece cubed again. */
    cudaEvent_t ready;
    CUDA(cudaEventCreate(&ready));
    cube<<<blocks, THREADS, 0, streams[1]>>>(d + piece, piece);
    CUDA(cudaEventRecord(ready, streams[1]));
    CUDA(cudaStreamWaitEvent(streams[0], ready, 0));
    add<<<blocks, THREADS, 0, streams[0]>>>(d, d + piece, d + 2 * piece, piece);
    CUDA(cudaMemcpyAsync(h, d, piece * sizeof(float), cudaMemcpyDeviceToHost,
                         streams[0]));
    CUDA(cudaStreamSynchronize(streams[0]));
    for (int i = 0; i < piece; i++) {
        float w = want[piece + i];
        want[i] = w * w * w + want[2 * piece + i];
    }
    verify("an event between two streams", h, want.data(), piece);

    /* The host can stand in the queue as well. */
    int counter = 0, two = 2;
    CUDA(cudaLaunchHostFunc(streams[2], count_up, &counter));
    CUDA(cudaLaunchHostFunc(streams[2], count_up, &counter));
    CUDA(cudaStreamSynchronize(streams[2]));
    verify("host functions in a stream", &counter, &two, 1);

    /* Events are also the clock of the device. */
    cudaEvent_t begin, end;
    float ms = -1;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(begin, streams[3]));
    cube<<<blocks, THREADS, 0, streams[3]>>>(d + 3 * piece, piece);
    CUDA(cudaEventRecord(end, streams[3]));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    int is_time = ms >= 0 && ms < 60000, yes = 1;
    verify("time between events", &is_time, &yes, 1);

    for (auto &stream : streams)
        CUDA(cudaStreamDestroy(stream));
    CUDA(cudaEventDestroy(ready));
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
    CUDA(cudaFree(d));
    CUDA(cudaFreeHost(h));
    return example_wrong != 0;
}
