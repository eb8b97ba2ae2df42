/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT right
/*
 * Launches of one executable graph follow each other, also in streams that
 * wait for nothing: its kernels add without atomics.
 */
#include "check.h"

__global__ void add(int *p)
{
    *p += 1;
}

int main()
{
    enum { NODES = 5, LAUNCHES = 20, ROUNDS = 50 };
    cudaStream_t streams[2];
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *sum;

    CK(cudaMallocManaged(&sum, sizeof *sum));
    for (cudaStream_t &s : streams)
        CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    for (int i = 0; i < NODES; i++)
        add<<<1, 1, 0, streams[0]>>>(sum);
    CK(cudaStreamEndCapture(streams[0], &graph));
    CK(cudaGraphInstantiate(&exec, graph, 0));
    for (int r = 0; r < ROUNDS; r++) {
        *sum = 0;
        for (int i = 0; i < LAUNCHES; i++)
            CK(cudaGraphLaunch(exec, streams[i % 2]));
        CK(cudaDeviceSynchronize());
        MUST(*sum == NODES * LAUNCHES);
    }
    CK(cudaGraphExecDestroy(exec));
    puts("right");
}
