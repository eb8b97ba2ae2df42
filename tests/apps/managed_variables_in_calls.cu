/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT right
/*
 * A variable in managed memory is an allocation to every call that takes one,
 * before any kernel has run.
 */
#include "check.h"

enum { N = 64 };

__managed__ int row[N];

__global__ void count(void)
{
    row[threadIdx.x]++;
}

int main()
{
    int host[N];
    int *other, answer;
    cudaMemLocation device = {};
    cudaPointerAttributes about;
    cudaStream_t stream;

    for (int i = 0; i < N; i++)
        host[i] = i;
    CK(cudaMemcpy(row, host, sizeof row, cudaMemcpyHostToDevice));
    count<<<1, N>>>();
    CK(cudaDeviceSynchronize());
    MUST(row[N - 1] == N);
    CK(cudaMemset(row, 0, sizeof row));
    CK(cudaDeviceSynchronize());
    MUST(row[N - 1] == 0);

    row[3] = 33;
    CK(cudaMalloc(&other, sizeof row));
    CK(cudaMemcpy(other, row, sizeof row, cudaMemcpyDeviceToDevice));
    CK(cudaMemcpy(host, other, sizeof row, cudaMemcpyDefault));
    MUST(host[3] == 33);
    CK(cudaMemcpyFromSymbol(host, row, sizeof row));
    MUST(host[3] == 33);

    device.type = cudaMemLocationTypeDevice;
    CK(cudaMemPrefetchAsync(row, sizeof row, device, 0, 0));
    CK(cudaMemAdvise(row, sizeof row, cudaMemAdviseSetReadMostly, device));
    CK(cudaMemRangeGetAttribute(&answer, sizeof answer,
                                cudaMemRangeAttributeReadMostly, row,
                                sizeof row));
    MUST(answer == 1);
    CK(cudaPointerGetAttributes(&about, row + 5));
    MUST(about.type == cudaMemoryTypeManaged);
    MUST(about.hostPointer == row + 5 && about.devicePointer == row + 5);
    CK(cudaStreamCreate(&stream));
    CK(cudaStreamAttachMemAsync(stream, row, 0, cudaMemAttachSingle));
    CK(cudaStreamSynchronize(stream));
    puts("right");
}
