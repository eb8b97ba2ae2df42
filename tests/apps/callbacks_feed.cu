/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT right
/*
 * Host functions that hand the next piece to a thread, which enqueues it.
 * Held against an H200.
 */
#include "check.h"
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
/* Host functions hand the next piece to a thread that enqueues it: a pipeline
 * that feeds itself. */
__global__ void
scale(int *p, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= by;
}
std::mutex m;
std::condition_variable cv;
std::queue<int> todo;
int done, legacy;
void CUDART_CB
finished(void *k)
{
    std::lock_guard<std::mutex> l(m);
    todo.push((int)(size_t)k);
    cv.notify_one();
}
void CUDART_CB
old_style(cudaStream_t, cudaError_t e, void *k)
{
    MUST(e == cudaSuccess);
    std::lock_guard<std::mutex> l(m);
    legacy++;
    *(int *)k += 1;
    cv.notify_one();
}
int
main()
{
    const int S = 4, N = 4096, ROUNDS = 25;
    cudaStream_t s[S];
    int *p[S];
    std::vector<int> h(N, 1);
    for (int i = 0; i < S; i++) {
        CK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
        CK(cudaMalloc(&p[i], N * 4));
        CK(cudaMemcpy(p[i], h.data(), N * 4, cudaMemcpyHostToDevice));
    }
    int rounds[S] = {};
    std::thread feeder([&] {
        while (done < S) {
            int k;
            {
                std::unique_lock<std::mutex> l(m);
                cv.wait(l, [] { return !todo.empty(); });
                k = todo.front();
                todo.pop();
            }
            if (rounds[k]++ == ROUNDS) {
                done++;
                continue;
            }
            scale<<<16, 256, 0, s[k]>>>(p[k], N, 3);
            CK(cudaLaunchHostFunc(s[k], finished, (void *)(size_t)k));
        }
    });
    for (int i = 0; i < S; i++)
        CK(cudaLaunchHostFunc(s[i], finished, (void *)(size_t)i));
    feeder.join();
    unsigned want = 1;
    for (int i = 0; i < ROUNDS; i++)
        want *= 3;
    for (int i = 0; i < S; i++) {
        CK(cudaMemcpy(h.data(), p[i], N * 4, cudaMemcpyDeviceToHost));
        for (int v : h)
            MUST((unsigned)v == want);
    }
    int hits = 0;
    for (int i = 0; i < 100; i++)
        CK(cudaStreamAddCallback(s[i % S], old_style, &hits, 0));
    for (int i = 0; i < S; i++)
        CK(cudaStreamSynchronize(s[i]));
    MUST(legacy == 100 && hits == 100);
    puts("right");
    return 0;
}
