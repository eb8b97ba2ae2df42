/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 128 7 64 -3 63 5 16 8
// expect: EXACT 32.0 2016.0 9 200
/* The __nv_atomic functions, which nvcc 12.8 and later have built in. */
#include <cstdio>

constexpr int relaxed = __NV_ATOMIC_RELAXED;
constexpr int device = __NV_THREAD_SCOPE_DEVICE;

__global__ void count(int *i, unsigned long long *u, float *f, double *d,
                      unsigned char *b)
{
    int t = threadIdx.x, two = __nv_atomic_load_n(&i[0], __NV_ATOMIC_ACQUIRE);
    __nv_atomic_fetch_add(&i[1], two, relaxed, device);
    __nv_atomic_store_n(&i[2], 7, __NV_ATOMIC_RELEASE);
    int seen = 0, next;
    do
        next = seen + 1;
    while (!__nv_atomic_compare_exchange(&i[3], &seen, &next, true,
                                         __NV_ATOMIC_ACQ_REL, relaxed, device));
    __nv_atomic_min(&i[4], t - 3, __NV_ATOMIC_SEQ_CST);
    __nv_atomic_fetch_max(&u[0], t, relaxed, __NV_THREAD_SCOPE_BLOCK);
    if (t == 0)
        __nv_atomic_exchange_n(&u[1], 5, relaxed);
    __nv_atomic_or(&u[2], 16, relaxed);
    __nv_atomic_fetch_xor(&u[3], 1ull << (t & 3), relaxed);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, device);
    if (t == 1)
        __nv_atomic_xor(&u[3], 8, relaxed);
    __nv_atomic_sub(f, 0.5f, relaxed);
    __nv_atomic_add(d, t, relaxed);
    __nv_atomic_max(&b[t & 1], t == 5 ? 200 : t & 1 ? 3 : t > 8 ? 9 : 1,
                    relaxed);
}

int main()
{
    struct all {
        unsigned long long u[4];
        double d;
        float f;
        int i[5];
        unsigned char b[4];
    } *a;
    cudaMallocManaged(&a, sizeof *a);
    memset(a, 0, sizeof *a);
    a->i[0] = 2;
    a->f = 64;
    count<<<1, 64>>>(a->i, a->u, &a->f, &a->d, a->b);
    cudaDeviceSynchronize();
    printf("%d %d %d %d %llu %llu %llu %llu\n", a->i[1], a->i[2], a->i[3],
           a->i[4], a->u[0], a->u[1], a->u[2], a->u[3]);
    printf("%.1f %.1f %d %d\n", a->f, a->d, a->b[0], a->b[1]);
}
