/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT right
/*
 * Memory that graphs allocate, also for longer than they run, and pools that
 * streams take from. Held against an H200.
 */
#include "check.h"
__global__ void
iota(int *p, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = i * by;
}
__global__ void
addto(int *d, const int *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        d[i] += s[i];
}
int
main()
{
    const int N = 100000;
    cudaStream_t s, t;
    CK(cudaStreamCreate(&s));
    CK(cudaStreamCreate(&t));
    int *out;
    CK(cudaMalloc(&out, N * 4));
    CK(cudaMemset(out, 0, N * 4));
    /* captured, with a fork */
    cudaEvent_t f, j;
    CK(cudaEventCreate(&f));
    CK(cudaEventCreate(&j));
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    int *a, *b;
    CK(cudaMallocAsync(&a, N * 4, s));
    CK(cudaEventRecord(f, s));
    CK(cudaStreamWaitEvent(t, f));
    CK(cudaMallocAsync(&b, N * 4, t));
    iota<<<(N + 255) / 256, 256, 0, s>>>(a, N, 1);
    iota<<<(N + 255) / 256, 256, 0, t>>>(b, N, 2);
    CK(cudaEventRecord(j, t));
    CK(cudaStreamWaitEvent(s, j));
    addto<<<(N + 255) / 256, 256, 0, s>>>(out, a, N);
    addto<<<(N + 255) / 256, 256, 0, s>>>(out, b, N);
    CK(cudaFreeAsync(a, s));
    CK(cudaFreeAsync(b, s));
    cudaGraph_t g;
    CK(cudaStreamEndCapture(s, &g));
    cudaGraphExec_t e;
    CK(cudaGraphInstantiate(&e, g, 0));
    for (int i = 0; i < 20; i++)
        CK(cudaGraphLaunch(e, s));
    CK(cudaStreamSynchronize(s));
    int *h = (int *)malloc(N * 4);
    CK(cudaMemcpy(h, out, N * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        MUST(h[i] == 60 * i);
    /* memory that outlives the graph */
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    int *c;
    CK(cudaMallocAsync(&c, N * 4, s));
    iota<<<(N + 255) / 256, 256, 0, s>>>(c, N, 7);
    cudaGraph_t g2;
    CK(cudaStreamEndCapture(s, &g2));
    cudaGraphExec_t e2;
    CK(cudaGraphInstantiate(&e2, g2, 0));
    CK(cudaGraphLaunch(e2, s));
    CK(cudaMemcpyAsync(h, c, N * 4, cudaMemcpyDeviceToHost, s));
    CK(cudaStreamSynchronize(s));
    for (int i = 0; i < N; i++)
        MUST(h[i] == 7 * i);
    MUST(cudaGraphLaunch(e2, s) == cudaErrorInvalidValue);
    cudaGetLastError();
    CK(cudaFreeAsync(c, s));
    CK(cudaGraphLaunch(e2, s));
    CK(cudaStreamSynchronize(s));
    CK(cudaFree(c));
    CK(cudaGraphExecDestroy(e2));
    cudaGraphExec_t e3;
    CK(cudaGraphInstantiate(&e3, g2, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    for (int i = 0; i < 5; i++)
        CK(cudaGraphLaunch(e3, s));
    CK(cudaStreamSynchronize(s));
    /* pools */
    cudaMemPool_t pool;
    CK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long v = ~0ull;
    CK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &v));
    for (int r = 0; r < 50; r++) {
        int *x[8];
        for (int i = 0; i < 8; i++)
            CK(cudaMallocAsync(&x[i], 1 << 20, s));
        for (int i = 0; i < 8; i++)
            iota<<<1024, 256, 0, s>>>(x[i], 1 << 18, i);
        for (int i = 0; i < 8; i++)
            CK(cudaFreeAsync(x[i], s));
    }
    CK(cudaStreamSynchronize(s));
    unsigned long long used, high, res;
    CK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
    CK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &res));
    MUST(used == 0);
    MUST(high >= 8 << 20 && high < 64 << 20);
    MUST(res >= 8 << 20);
    CK(cudaMemPoolTrimTo(pool, 0));
    CK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &res));
    MUST(res == 0);
    puts("right");
    return 0;
}
