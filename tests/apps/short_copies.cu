/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT right
/*
 * Short copies and fills that wait for nothing are done when the call returns
 * (a device need not); those behind a kernel are, in their order, when it has
 * ended, however many they are.
 */
#include "check.h"
#include <vector>

enum { STREAMS = 4, MANY = 100000, ROUNDS = 200 };

__global__ void
count_up(int *p, int times)
{
    for (int i = 0; i < times; i++)
        atomicAdd(p, 1);
}

int
main()
{
    int *pinned, *device;
    CK(cudaMallocHost(&pinned, 1 << 20));
    CK(cudaMalloc(&device, 1 << 20));
    cudaStream_t stream;
    CK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < ROUNDS; i++) {
        pinned[0] = i;
        pinned[1000] = -1;
        CK(cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice,
                           stream));
        CK(cudaStreamQuery(stream));
        CK(cudaMemcpy2DAsync(pinned + 1000, 8, device, 4, 4, 2,
                             cudaMemcpyDeviceToHost, stream));
        CK(cudaStreamQuery(stream));
        MUST(pinned[1000] == i);
        CK(cudaMemsetAsync(device, i, 16384, stream));
        CK(cudaStreamQuery(stream));
    }

    /* A long chain behind a kernel, one behind the other in four streams. */
    cudaStream_t streams[STREAMS];
    cudaEvent_t ahead;
    for (cudaStream_t &s : streams)
        CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CK(cudaEventCreateWithFlags(&ahead, cudaEventDisableTiming));
    CK(cudaMemset(device, 0, 1 << 20));
    count_up<<<1, 32, 0, streams[0]>>>(device, 20000);
    for (int i = 0; i < MANY; i++) {
        cudaStream_t s = streams[i % STREAMS];
        CK(cudaMemcpyAsync(device + i + 1, device + i, 4,
                           cudaMemcpyDeviceToDevice, s));
        CK(cudaEventRecord(ahead, s));
        CK(cudaStreamWaitEvent(streams[(i + 1) % STREAMS], ahead, 0));
    }
    CK(cudaDeviceSynchronize());
    int last;
    CK(cudaMemcpy(&last, device + MANY, 4, cudaMemcpyDeviceToHost));
    MUST(last == 32 * 20000);

    /* What is freed behind a kernel, too. */
    std::vector<void *> blocks(20000);
    for (void *&b : blocks)
        CK(cudaMallocAsync(&b, 256, stream));
    count_up<<<1, 32, 0, stream>>>((int *)blocks[0], 20000);
    for (void *b : blocks)
        CK(cudaFreeAsync(b, stream));
    CK(cudaStreamSynchronize(stream));
    printf("right\n");
    return 0;
}
