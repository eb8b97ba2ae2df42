/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0 SOFTWARP_LOG=debug
// cc: -O2
// expect: EXACT a thread a block: 0 wrong
// expect: EXACT a row that is no multiple: 0 wrong
// expect: EXACT squares: 0 wrong
// expect: EXACT columns: 0 wrong
// expect: EXACT planes: 0 wrong
// expect: EXACT lists: 0 wrong
// expect: EXACT arrays: 0 wrong
// expect: EXACT sums: 0 wrong
// expect: EXACT what a block shares: 0 wrong
// expect: EXACT a lock: 0 wrong
// expect: EXACT beyond the end: an illegal memory access was encountered
// expect: ERROR number_threads.*: 128 blocks run as one
// expect: ERROR number_threads.*: 2 blocks run as one
// expect: ERROR add_lists.*: 32 blocks run as one
// expect: ERROR block: \(21,1,0\), thread: \(3,1,0\)
/* Blocks of a few threads, of which several run as one where they can: each
 * knows which it is, and so does who hears of a fault. */
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

static const unsigned NONE = 0xdeadbeef;

static std::vector<unsigned>
fetch(const unsigned *p, size_t n)
{
    std::vector<unsigned> v(n);
    cudaMemcpy(v.data(), p, n * sizeof v[0], cudaMemcpyDeviceToHost);
    return v;
}

static unsigned *
make(size_t n, unsigned x)
{
    unsigned *p;
    std::vector<unsigned> v(n, x);
    cudaMalloc(&p, n * sizeof *p);
    cudaMemcpy(p, v.data(), n * sizeof *p, cudaMemcpyHostToDevice);
    return p;
}

static void
tell(const char *what, size_t wrong)
{
    printf("%s: %zu wrong\n", what, wrong);
}

/* ---- who a thread is ---- */

__host__ __device__ unsigned
name_of(dim3 block, dim3 thread, dim3 grid, dim3 size)
{
    unsigned h = 17;
    const unsigned n[12] = {block.x,  block.y,  block.z, thread.x,
                            thread.y, thread.z, grid.x,  grid.y,
                            grid.z,   size.x,   size.y,  size.z};
    for (int i = 0; i < 12; i++)
        h = h * 31 + n[i];
    return h;
}

__global__ void
number_threads(unsigned *out)
{
    unsigned block =
        (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread =
        (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] =
        name_of(blockIdx, threadIdx, gridDim, blockDim);
}

static size_t
number(dim3 grid, dim3 block)
{
    size_t threads = (size_t)block.x * block.y * block.z;
    size_t n = threads * grid.x * grid.y * grid.z, wrong = 0, at = 0;
    unsigned *p = make(n + 64, NONE);
    number_threads<<<grid, block>>>(p);
    std::vector<unsigned> v = fetch(p, n + 64);
    for (unsigned b = 0; b < grid.x * grid.y * grid.z; b++)
        for (unsigned t = 0; t < threads; t++) {
            dim3 which(b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y);
            dim3 thread(t % block.x, t / block.x % block.y,
                        t / block.x / block.y);
            wrong += v[at++] != name_of(which, thread, grid, block);
        }
    while (at < n + 64)
        wrong += v[at++] != NONE;
    cudaFree(p);
    return wrong;
}

/* ---- what threads do ---- */

/* Each block its own part of a list, of another length. */
__global__ void
add_lists(const unsigned *list, const unsigned *from, unsigned *sum)
{
    unsigned s = 0;
    for (unsigned i = from[blockIdx.x]; i < from[blockIdx.x + 1]; i++)
        s = s * 3 + list[i];
    sum[blockIdx.x] = s;
}

static size_t
add_all_lists()
{
    const unsigned n = 777;
    std::vector<unsigned> from(n + 1), list;
    for (unsigned b = 0; b < n; b++) {
        from[b] = (unsigned)list.size();
        for (unsigned i = 0; i < b * 37 % 41; i++)
            list.push_back(b ^ i * 77);
    }
    from[n] = (unsigned)list.size();
    unsigned *l = make(list.size(), 0), *f = make(n + 1, 0), *s = make(n, NONE);
    cudaMemcpy(l, list.data(), list.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(f, from.data(), from.size() * 4, cudaMemcpyHostToDevice);
    add_lists<<<n, 1>>>(l, f, s);
    std::vector<unsigned> got = fetch(s, n);
    size_t wrong = 0;
    for (unsigned b = 0; b < n; b++) {
        unsigned sum = 0;
        for (unsigned i = from[b]; i < from[b + 1]; i++)
            sum = sum * 3 + list[i];
        wrong += got[b] != sum;
    }
    return wrong;
}

/* A local array by an index of the thread's own; some leave early. */
__global__ void
sort_digits(unsigned *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, digit[8];
    if (i >= n || x[i] % 7 == 0)
        return;
    for (unsigned k = 0; k < 8; k++)
        digit[k] = x[i] >> 4 * k & 15;
    for (unsigned k = 1; k < 8; k++)
        for (unsigned j = k; j > 0 && digit[j] < digit[j - 1]; j--) {
            unsigned t = digit[j];
            digit[j] = digit[j - 1];
            digit[j - 1] = t;
        }
    unsigned y = 0;
    for (unsigned k = 0; k < 8; k++)
        y |= digit[k] << 4 * k;
    x[i] = y;
}

static size_t
sort_all()
{
    const unsigned n = 4 * 1001 - 3;
    unsigned *p = make(n + 3, NONE);
    std::vector<unsigned> x(n);
    for (unsigned i = 0; i < n; i++)
        x[i] = i * 2654435761u;
    cudaMemcpy(p, x.data(), n * 4, cudaMemcpyHostToDevice);
    sort_digits<<<1001, 4>>>(p, n);
    std::vector<unsigned> got = fetch(p, n + 3);
    size_t wrong = 0;
    for (unsigned i = 0; i < n + 3; i++) {
        unsigned count[16] = {0}, y = 0, at = 0;
        for (unsigned k = 0; i < n && k < 8; k++)
            count[x[i] >> 4 * k & 15]++;
        for (unsigned d = 0; d < 16; d++)
            while (count[d]--)
                y |= d << 4 * at++;
        wrong += got[i] != (i >= n ? NONE : x[i] % 7 == 0 ? x[i] : y);
    }
    return wrong;
}

__global__ void
count_threads(unsigned *sum)
{
    atomicAdd(&sum[blockIdx.x % 5], threadIdx.x + 1);
    atomicMax(&sum[5], blockIdx.x);
}

static size_t
count()
{
    unsigned *p = make(6, 0);
    count_threads<<<1003, 8>>>(p);
    std::vector<unsigned> got = fetch(p, 6);
    size_t wrong = got[5] != 1002;
    for (unsigned k = 0; k < 5; k++)
        wrong += got[k] != 36 * (1003 / 5 + (k < 1003 % 5));
    return wrong;
}

/* ---- those that do not ---- */

__global__ void
turn(unsigned *out)
{
    __shared__ unsigned s[8];
    s[threadIdx.x] = blockIdx.x * 8 + threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 8 + threadIdx.x] = s[7 - threadIdx.x];
}

__global__ void
take_turns(unsigned *lock, unsigned *count)
{
    while (atomicCAS(lock, 0, 1) != 0)
        continue;
    *(volatile unsigned *)count += 1;
    __threadfence();
    atomicExch(lock, 0);
}

static size_t
turn_all()
{
    unsigned *p = make(8 * 200, NONE);
    turn<<<200, 8>>>(p);
    std::vector<unsigned> got = fetch(p, 8 * 200);
    size_t wrong = 0;
    for (unsigned i = 0; i < got.size(); i++)
        wrong += got[i] != (i ^ 7);
    return wrong;
}

static size_t
wait_for_each_other()
{
    unsigned *lock = make(1, 0), *n = make(1, 0);
    take_turns<<<300, 1>>>(lock, n);
    return fetch(n, 1)[0] != 300;
}

/* ---- a fault ---- */

__global__ void
miss(unsigned *out)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 21 * 4 + 3 && y == 3)
        out += 1ull << 36;
    out[y * gridDim.x * blockDim.x + x] = x;
}

int
main()
{
    tell("a thread a block", number(4096, 1) + number(dim3(64, 128), 1));
    tell("a row that is no multiple",
         number(1000, 1) + number(dim3(37, 5, 3), 2) + number(9, 16));
    tell("squares", number(dim3(64, 32), dim3(4, 4)) +
                        number(dim3(51, 3), dim3(2, 2)) +
                        number(dim3(40, 3), dim3(3, 3)));
    tell("columns", number(dim3(300, 2), dim3(1, 16)) + number(2, dim3(1, 5)) +
                        number(5, dim3(2, 7)));
    tell("planes", number(dim3(100, 2, 2), dim3(2, 2, 4)) +
                       number(dim3(33, 1, 5), dim3(1, 1, 3)));
    tell("lists", add_all_lists());
    tell("arrays", sort_all());
    tell("sums", count());
    tell("what a block shares", turn_all());
    tell("a lock", wait_for_each_other());
    unsigned *p = make(64 * 4 * 64 * 2, 0);
    miss<<<dim3(64, 64), dim3(4, 2)>>>(p);
    printf("beyond the end: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
// check: oob-global (a fault is meant)
