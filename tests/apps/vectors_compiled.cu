/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// cc: -O2
// expect: EXACT v4.u8: same
// expect: EXACT v4.s8: same
// expect: EXACT v2.u8 and u8: same
// expect: EXACT v2.u16: same
// expect: EXACT v4.s16: same
// expect: EXACT v2.b32: same
// expect: EXACT v4.b32: same
// expect: EXACT v2.b32 and b32: same
// expect: EXACT v2.b64: same
/* Loads and stores of small vectors, wherever lanes find them: side by side,
 * clamped at the ends of an array, in another order, one lane elsewhere than in
 * the row of the others, some lanes only, all at one place, in shared memory. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { N = 2000, BLOCK = 128, FORMS = 9 };

typedef unsigned long long u64;

struct four {
    u64 x[4];
};

#ifdef __CUDA_ARCH__
#define AS(device, host) device
#else
#define AS(device, host) host
#endif
#define FN static __host__ __device__

/* As memory has them: `bytes` each, signed or not. */
static inline void read_host(const char *p, int n, int bytes, bool s, four *v)
{
    for (int i = 0; i < n; i++) {
        u64 w = 0;
        memcpy(&w, p + i * bytes, bytes);
        if (s)
            w = (u64)((long long)(w << (64 - 8 * bytes)) >> (64 - 8 * bytes));
        v->x[i] = w;
    }
}

static inline void write_host(char *p, int n, int bytes, const four &v)
{
    for (int i = 0; i < n; i++)
        memcpy(p + i * bytes, &v.x[i], bytes);
}

struct u8x4 {
    enum { UNIT = 4 };
    FN void load(const char *p, four *v)
    {
#ifdef __CUDA_ARCH__
        unsigned a, b, c, d;
        asm("ld.v4.u8 {%0, %1, %2, %3}, [%4];"
            : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
        v->x[0] = a, v->x[1] = b, v->x[2] = c, v->x[3] = d;
#else
        read_host(p, 4, 1, false, v);
#endif
    }
    FN void store(char *p, const four &v)
    {
#ifdef __CUDA_ARCH__
        asm volatile("st.v4.u8 [%0], {%1, %2, %3, %4};" ::"l"(p),
            "r"((unsigned)v.x[0]), "r"((unsigned)v.x[1]),
            "r"((unsigned)v.x[2]), "r"((unsigned)v.x[3]) : "memory");
#else
        write_host(p, 4, 1, v);
#endif
    }
};

struct s8x4 {
    enum { UNIT = 4 };
    FN void load(const char *p, four *v)
    {
#ifdef __CUDA_ARCH__
        int a, b, c, d;
        asm("ld.v4.s8 {%0, %1, %2, %3}, [%4];"
            : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
        v->x[0] = (u64)(long long)a, v->x[1] = (u64)(long long)b;
        v->x[2] = (u64)(long long)c, v->x[3] = (u64)(long long)d;
#else
        read_host(p, 4, 1, true, v);
#endif
    }
    FN void store(char *p, const four &v)
    {
#ifdef __CUDA_ARCH__
        asm volatile("st.v2.u8 [%0], {%1, %2};\n\tst.u8 [%0+2], %3;\n\t"
                     "st.u8 [%0+3], %4;" ::"l"(p),
            "r"((unsigned)v.x[0]), "r"((unsigned)v.x[1]),
            "r"((unsigned)v.x[2]), "r"((unsigned)v.x[3]) : "memory");
#else
        write_host(p, 4, 1, v);
#endif
    }
};

struct u8x3 {
    enum { UNIT = 4 };
    FN void load(const char *p, four *v)
    {
#ifdef __CUDA_ARCH__
        unsigned a, b, c;
        asm("ld.v2.u8 {%0, %1}, [%3];\n\tld.u8 %2, [%3+2];"
            : "=r"(a), "=r"(b), "=r"(c) : "l"(p) : "memory");
        v->x[0] = a, v->x[1] = b, v->x[2] = c;
#else
        read_host(p, 3, 1, false, v);
#endif
        v->x[3] = 9;
    }
    FN void store(char *p, const four &v) { u8x4::store(p, v); }
};

struct u16x2 {
    enum { UNIT = 4 };
    FN void load(const char *p, four *v)
    {
#ifdef __CUDA_ARCH__
        unsigned short a, b;
        asm("ld.v2.u16 {%0, %1}, [%2];"
            : "=h"(a), "=h"(b) : "l"(p) : "memory");
        v->x[0] = a, v->x[1] = b;
#else
        read_host(p, 2, 2, false, v);
#endif
        v->x[2] = v->x[3] = 5;
    }
    FN void store(char *p, const four &v)
    {
#ifdef __CUDA_ARCH__
        asm volatile("st.v2.u16 [%0], {%1, %2};" ::"l"(p),
            "h"((unsigned short)v.x[0]), "h"((unsigned short)v.x[1])
            : "memory");
#else
        write_host(p, 2, 2, v);
#endif
    }
};

struct s16x4 {
    enum { UNIT = 8 };
    FN void load(const char *p, four *v)
    {
#ifdef __CUDA_ARCH__
        int a, b, c, d;
        asm("ld.v4.s16 {%0, %1, %2, %3}, [%4];"
            : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
        v->x[0] = (u64)(long long)a, v->x[1] = (u64)(long long)b;
        v->x[2] = (u64)(long long)c, v->x[3] = (u64)(long long)d;
#else
        read_host(p, 4, 2, true, v);
#endif
    }
    FN void store(char *p, const four &v)
    {
#ifdef __CUDA_ARCH__
        asm volatile("st.v4.u16 [%0], {%1, %2, %3, %4};" ::"l"(p),
            "r"((unsigned)v.x[0]), "r"((unsigned)v.x[1]),
            "r"((unsigned)v.x[2]), "r"((unsigned)v.x[3]) : "memory");
#else
        write_host(p, 4, 2, v);
#endif
    }
};

struct b32x2 {
    enum { UNIT = 8 };
    FN void load(const char *p, four *v)
    {
        uint2 w;
        AS(w = *(const uint2 *)p, memcpy(&w, p, sizeof w));
        *v = {{w.x, w.y, 1, 2}};
    }
    FN void store(char *p, const four &v)
    {
        uint2 w = make_uint2((unsigned)v.x[0], (unsigned)v.x[1]);
        AS(*(uint2 *)p = w, memcpy(p, &w, sizeof w));
    }
};

struct b32x4 {
    enum { UNIT = 16 };
    FN void load(const char *p, four *v)
    {
        uint4 w;
        AS(w = *(const uint4 *)p, memcpy(&w, p, sizeof w));
        *v = {{w.x, w.y, w.z, w.w}};
    }
    FN void store(char *p, const four &v)
    {
        uint4 w = make_uint4((unsigned)v.x[0], (unsigned)v.x[1],
                             (unsigned)v.x[2], (unsigned)v.x[3]);
        AS(*(uint4 *)p = w, memcpy(p, &w, sizeof w));
    }
};

struct b32x3 {
    enum { UNIT = 16 };
    FN void load(const char *p, four *v)
    {
#ifdef __CUDA_ARCH__
        unsigned a, b, c;
        asm("ld.v2.b32 {%0, %1}, [%3];\n\tld.b32 %2, [%3+8];"
            : "=r"(a), "=r"(b), "=r"(c) : "l"(p) : "memory");
        *v = {{a, b, c, 3}};
#else
        read_host(p, 3, 4, false, v);
        v->x[3] = 3;
#endif
    }
    FN void store(char *p, const four &v) { b32x4::store(p, v); }
};

struct b64x2 {
    enum { UNIT = 16 };
    FN void load(const char *p, four *v)
    {
        ulonglong2 w;
        AS(w = *(const ulonglong2 *)p, memcpy(&w, p, sizeof w));
        *v = {{w.x, w.y, 7, 8}};
    }
    FN void store(char *p, const four &v)
    {
        ulonglong2 w = make_ulonglong2(v.x[0], v.x[1]);
        AS(*(ulonglong2 *)p = w, memcpy(p, &w, sizeof w));
    }
};

FN int clamped(int i)
{
    return i < 0 ? 0 : i > N - 1 ? N - 1 : i;
}

/* Where thread i finds its unit in that form; below 0: nowhere. */
FN int place(int form, int i, int k)
{
    switch (form) {
    case 0:
        return i;
    case 1:
        return clamped(i + k - 3);
    case 2:
        return (int)((unsigned)(i + k) * 1237u % N);
    case 3:
        return i % 3 == 1 ? clamped(i + k) : -1;
    case 4:
        return 77 + k;
    case 5:
        return i % 32 == 13 ? 5 + k : clamped(i + k);
    case 6:
        return clamped(2 * i - N / 2 + k);
    default:
        return clamped(N - 1 - i - k);
    }
}

template <class P> FN four step(int form, const char *in, int i)
{
    four sum = {{1, 2, 3, 4}};
#pragma unroll 1
    for (int k = 0; k < 3; k++) {
        int at = place(form, i, k);
        if (at < 0)
            continue;
        four v;
        P::load(in + at * P::UNIT, &v);
        for (int j = 0; j < 4; j++)
            sum.x[j] = sum.x[j] * 31 + v.x[j];
    }
    return sum;
}

template <class P> __global__ void go(char *out, const char *in, int form)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= N)
        return;
    four v = step<P>(form, in, i);
    P::store(out + place(form == 5 || form == 1 ? 0 : 7, i, 0) * P::UNIT, v);
}

/* Through shared memory: turned round in each block. */
template <class P> __global__ void turn(char *out, const char *in)
{
    __shared__ __align__(16) char tile[BLOCK * 16];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    four v;
    P::load(in + clamped(i) * P::UNIT, &v);
    P::store(tile + t * P::UNIT, v);
    __syncthreads();
    P::load(tile + (BLOCK - 1 - t) * P::UNIT, &v);
    four w;
    P::load(tile + t * 5 % BLOCK * P::UNIT, &w);
    for (int j = 0; j < 4; j++)
        v.x[j] += 3 * w.x[j];
    if (i < N)
        P::store(out + i * P::UNIT, v);
}

template <class P> static bool is_same(const char *in, const char *device_in)
{
    static char want[N * 16], got[N * 16];
    char *out;
    bool same = true;
    int blocks = (N + BLOCK - 1) / BLOCK;
    cudaMalloc(&out, sizeof want);
    for (int form = 0; form < FORMS; form++) {
        memset(want, 0, sizeof want);
        cudaMemset(out, 0, sizeof want);
        if (form == 8)
            turn<P><<<blocks, BLOCK>>>(out, device_in);
        else
            go<P><<<blocks, BLOCK>>>(out, device_in, form);
        if (cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost))
            return false;
        for (int i = 0; i < N; i++) {
            four v, w;
            if (form < 8) {
                v = step<P>(form, in, i);
                int to = place(form == 5 || form == 1 ? 0 : 7, i, 0);
                P::store(want + to * P::UNIT, v);
                continue;
            }
            /* What lies in shared memory has been stored there. */
            char unit[16];
            int b = i / BLOCK * BLOCK, t = i % BLOCK;
            P::load(in + clamped(b + BLOCK - 1 - t) * P::UNIT, &v);
            P::store(unit, v), P::load(unit, &v);
            P::load(in + clamped(b + t * 5 % BLOCK) * P::UNIT, &w);
            P::store(unit, w), P::load(unit, &w);
            for (int j = 0; j < 4; j++)
                v.x[j] += 3 * w.x[j];
            P::store(want + i * P::UNIT, v);
        }
        if (memcmp(want, got, sizeof got) == 0)
            continue;
        printf("form %d differs\n", form);
        same = false;
    }
    cudaFree(out);
    return same;
}

int main()
{
    static char in[N * 16];
    char *device_in;
    srand(5);
    for (char &c : in)
        c = (char)rand();
    cudaMalloc(&device_in, sizeof in);
    cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
#define SAME(type, name)                                                       \
    printf("%s: %s\n", name, is_same<type>(in, device_in) ? "same" : "other")
    SAME(u8x4, "v4.u8");
    SAME(s8x4, "v4.s8");
    SAME(u8x3, "v2.u8 and u8");
    SAME(u16x2, "v2.u16");
    SAME(s16x4, "v4.s16");
    SAME(b32x2, "v2.b32");
    SAME(b32x4, "v4.b32");
    SAME(b32x3, "v2.b32 and b32");
    SAME(b64x2, "v2.b64");
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
