/* SPDX-License-Identifier: Apache-2.0 */
// cc: -std=c++17
// expect: EXACT template: 30
// expect: EXACT lambda: 35
// expect: EXACT dynamic shared: 120
// expect: EXACT virtual: 9
// expect: EXACT virtual bases: 205
// expect: EXACT vector type: 10
// expect: EXACT constant: 11
// expect: EXACT double: 0.5
// expect: EXACT constexpr: 3.010
/* What CUDA C++ programs are made of. */
#include <cstdio>
#include <cuda_runtime.h>

template <typename T, int N> struct fixed {
    T v[N];
    __host__ __device__ T sum() const
    {
        T s = 0;
        for (int i = 0; i < N; i++)
            s += v[i];
        return s;
    }
};

template <typename T, int N> __global__ void sum_of(fixed<T, N> f, T *out)
{
    *out = f.sum();
}

template <typename F> __global__ void apply(F f, int *out)
{
    *out = f(5);
}

__global__ void tree(int *out)
{
    extern __shared__ int part[];
    part[threadIdx.x] = threadIdx.x;
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
    }
    if (threadIdx.x == 0)
        *out = part[0];
}

struct shape {
    __device__ virtual int area() const = 0;
};
struct square : shape {
    int a;
    __device__ explicit square(int side) : a(side)
    {
    }
    __device__ int area() const override
    {
        return a * a;
    }
};

__device__ __noinline__ int area_of(const shape &s)
{
    return s.area();
}

__global__ void calls_virtual(int *out)
{
    square s(3);
    *out = area_of(s);
}

struct base {
    int x = 3;
    __device__ virtual int f()
    {
        return x;
    }
};
struct left : virtual base {
    __device__ int f() override
    {
        return x + 1;
    }
};
struct right : virtual base {
    __device__ virtual int g()
    {
        return 2 * x;
    }
};
struct join : left, right {
    __device__ int f() override
    {
        return 10 * left::f();
    }
};
struct last : join {
    __device__ last()
    {
        x = 9;
    }
    __device__ int g() override
    {
        return f() + 5;
    }
};
static_assert(!__nv_is_extended_device_lambda_closure_type(last), "");

__device__ __noinline__ int both(right *r)
{
    return r->g() + r->f();
}

__global__ void calls_of_virtual_bases(int *out)
{
    last l;
    *out = both(&l);
}

__global__ void vector_type(int4 v, int *out)
{
    *out = v.x + v.y + v.z + v.w;
}

__constant__ int table[4];

__global__ void from_constant(int *out)
{
    *out = table[0] + table[3];
}

__global__ void half_of(double *x)
{
    *x = sqrt(*x) / 2.0;
}

/* Constant for gcc only, which nvcc asks. */
__device__ constexpr float per_decade() { return 1.0f / ::log2(10.0f); }

__global__ void decades(float *x)
{
    *x = *x * per_decade();
}

int main()
{
    int *d, h = 0;
    double one = 1.0;
    if (cudaMalloc(&d, 64))
        return 1;
    auto say = [&](const char *what) {
        h = -1;
        cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
        printf("%s: %d\n", what, h);
    };
    sum_of<<<1, 1>>>(fixed<int, 4>{{6, 7, 8, 9}}, d);
    say("template");
    int seven = 7;
    apply<<<1, 1>>>([seven] __device__(int x) { return seven * x; }, d);
    say("lambda");
    tree<<<1, 16, 16 * sizeof(int)>>>(d);
    say("dynamic shared");
    calls_virtual<<<1, 1>>>(d);
    say("virtual");
    calls_of_virtual_bases<<<1, 1>>>(d);
    say("virtual bases");
    vector_type<<<1, 1>>>(make_int4(1, 2, 3, 4), d);
    say("vector type");
    const int values[4] = {1, 0, 0, 10};
    cudaMemcpyToSymbol(table, values, sizeof values);
    from_constant<<<1, 1>>>(d);
    say("constant");
    cudaMemcpy(d, &one, sizeof one, cudaMemcpyHostToDevice);
    half_of<<<1, 1>>>((double *)d);
    cudaMemcpy(&one, d, sizeof one, cudaMemcpyDeviceToHost);
    printf("double: %g\n", one);
    float decade = 10;
    cudaMemcpy(d, &decade, sizeof decade, cudaMemcpyHostToDevice);
    decades<<<1, 1>>>((float *)d);
    cudaMemcpy(&decade, d, sizeof decade, cudaMemcpyDeviceToHost);
    printf("constexpr: %.3f\n", decade);
    return cudaGetLastError() != cudaSuccess;
}
