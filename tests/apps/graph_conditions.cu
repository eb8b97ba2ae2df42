/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT right
/*
 * Conditional nodes: a loop that ends when its kernel says so, either of two
 * bodies, one of several. Held against an H200.
 */
#include "check.h"
/* Newton's square root until it no longer changes (while); odd/even (if); a
 * case by number (switch). */
__global__ void
newton(double *x, double a, cudaGraphConditionalHandle h, int *rounds)
{
    double n = 0.5 * (*x + a / *x);
    bool go = fabs(n - *x) > 1e-12 * n;
    *x = n;
    ++*rounds;
    cudaGraphSetConditional(h, go);
}
__global__ void
pick(const int *n, cudaGraphConditionalHandle h, int mod)
{
    cudaGraphSetConditional(h, *n % mod);
}
__global__ void
put(int *out, int v)
{
    *out = v;
}
__global__ void
addone(int *n)
{
    ++*n;
}
int
main()
{
    double *x;
    int *n, *rounds, *out, *which;
    CK(cudaMallocManaged(&x, 8));
    CK(cudaMallocManaged(&n, 4));
    CK(cudaMallocManaged(&rounds, 4));
    CK(cudaMallocManaged(&out, 4));
    CK(cudaMallocManaged(&which, 4));
    cudaStream_t s;
    CK(cudaStreamCreate(&s));
    { /* while */
        cudaGraph_t g;
        CK(cudaGraphCreate(&g, 0));
        cudaGraphConditionalHandle h;
        CK(cudaGraphConditionalHandleCreate(&h, g, 1,
                                            cudaGraphCondAssignDefault));
        cudaGraphNodeParams p = {};
        p.type = cudaGraphNodeTypeConditional;
        p.conditional.handle = h;
        p.conditional.type = cudaGraphCondTypeWhile;
        p.conditional.size = 1;
        cudaGraphNode_t node;
#if CUDART_VERSION >= 13000
        CK(cudaGraphAddNode(&node, g, NULL, NULL, 0, &p));
#else
        CK(cudaGraphAddNode(&node, g, NULL, 0, &p));
#endif
        cudaGraph_t body = p.conditional.phGraph_out[0];
        CK(cudaStreamBeginCaptureToGraph(s, body, NULL, NULL, 0,
                                         cudaStreamCaptureModeGlobal));
        newton<<<1, 1, 0, s>>>(x, 2.0, h, rounds);
        CK(cudaStreamEndCapture(s, NULL));
        cudaGraphExec_t e;
        CK(cudaGraphInstantiate(&e, g, 0));
        for (int k = 0; k < 3; k++) {
            *x = 1 + k * 10;
            *rounds = 0;
            CK(cudaGraphLaunch(e, s));
            CK(cudaStreamSynchronize(s));
            MUST(fabs(*x - 1.4142135623730951) < 1e-12);
            MUST(*rounds >= 4 && *rounds < 20);
        }
        CK(cudaGraphExecDestroy(e));
        CK(cudaGraphDestroy(g));
    }
    { /* if with else, switch; nested in a while over n */
        cudaGraph_t g;
        CK(cudaGraphCreate(&g, 0));
        cudaGraphConditionalHandle hi, hs;
        CK(cudaGraphConditionalHandleCreate(&hi, g, 0, 0));
        CK(cudaGraphConditionalHandleCreate(&hs, g, 0, 0));
        cudaGraphNode_t a, b, c, d, e1;
        cudaKernelNodeParams k = {};
        int two = 2, five = 5;
        void *ai[] = {&n, &hi, &two}, *as[] = {&n, &hs, &five};
        k.func = (void *)pick;
        k.gridDim = k.blockDim = dim3(1);
        k.kernelParams = ai;
        CK(cudaGraphAddKernelNode(&a, g, NULL, 0, &k));
        k.kernelParams = as;
        CK(cudaGraphAddKernelNode(&b, g, &a, 1, &k));
        cudaGraphNodeParams p = {};
        p.type = cudaGraphNodeTypeConditional;
        p.conditional.handle = hi;
        p.conditional.type = cudaGraphCondTypeIf;
        p.conditional.size = 2;
#if CUDART_VERSION >= 13000
        CK(cudaGraphAddNode(&c, g, &b, NULL, 1, &p));
#else
        CK(cudaGraphAddNode(&c, g, &b, 1, &p));
#endif
        cudaGraph_t yes = p.conditional.phGraph_out[0],
                    no = p.conditional.phGraph_out[1];
        int v1 = 111, v0 = 100;
        void *p1[] = {&out, &v1}, *p0[] = {&out, &v0};
        k.func = (void *)put;
        k.kernelParams = p1;
        CK(cudaGraphAddKernelNode(&e1, yes, NULL, 0, &k));
        k.kernelParams = p0;
        CK(cudaGraphAddKernelNode(&e1, no, NULL, 0, &k));
        cudaGraphNodeParams q = {};
        q.type = cudaGraphNodeTypeConditional;
        q.conditional.handle = hs;
        q.conditional.type = cudaGraphCondTypeSwitch;
        q.conditional.size = 4;
#if CUDART_VERSION >= 13000
        CK(cudaGraphAddNode(&d, g, &c, NULL, 1, &q));
#else
        CK(cudaGraphAddNode(&d, g, &c, 1, &q));
#endif
        for (int i = 0; i < 4; i++) {
            int v = 200 + i;
            void *pp[] = {&which, &v};
            k.kernelParams = pp;
            CK(cudaGraphAddKernelNode(&e1, q.conditional.phGraph_out[i], NULL,
                                      0, &k));
        }
        cudaGraphExec_t e;
        CK(cudaGraphInstantiate(&e, g, 0));
        cudaGraph_t copy;
        cudaError_t ce = cudaGraphClone(&copy, g);
        MUST(ce == cudaErrorNotSupported);
        for (int k2 = 0; k2 < 10; k2++) {
            *n = k2;
            *out = *which = -1;
            CK(cudaGraphLaunch(e, s));
            CK(cudaStreamSynchronize(s));
            MUST(*out == (k2 % 2 ? 111 : 100));
            MUST(*which == (k2 % 5 < 4 ? 200 + k2 % 5 : -1));
        }
    }
    puts("right");
    return 0;
}
