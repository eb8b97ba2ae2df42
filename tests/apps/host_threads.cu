/* SPDX-License-Identifier: Apache-2.0 */
// cc: -Xcompiler -pthread
// expect: EXACT 8 threads, 0 wrong
/* Eight host threads, each with its stream and its memory, at the same time. */
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

__global__ void add(int *a, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += v;
}

static bool work(int v)
{
    const int n = 5000, rounds = 20;
    std::vector<int> h(n);
    cudaStream_t s;
    int *d;
    if (cudaStreamCreate(&s) || cudaMalloc(&d, n * sizeof *d) ||
        cudaMemsetAsync(d, 0, n * sizeof *d, s))
        return false;
    for (int i = 0; i < rounds; i++)
        add<<<(n + 127) / 128, 128, 0, s>>>(d, n, v);
    if (cudaMemcpyAsync(h.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost,
                        s) ||
        cudaStreamSynchronize(s) || cudaStreamDestroy(s) || cudaFree(d))
        return false;
    for (int x : h)
        if (x != rounds * v)
            return false;
    return true;
}

int main()
{
    std::vector<std::thread> threads;
    std::vector<char> good(8);
    for (int i = 0; i < 8; i++)
        threads.emplace_back([&good, i] { good[i] = work(i + 1); });
    int wrong = 0;
    for (int i = 0; i < 8; i++) {
        threads[i].join();
        wrong += !good[i];
    }
    printf("8 threads, %d wrong\n", wrong);
    return 0;
}
