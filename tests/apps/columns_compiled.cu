/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0 SOFTWARP_JIT_FUSE=8
// cc: -O2
// expect: EXACT tiles: 0 wrong
// expect: EXACT tiles of doubles: 0 wrong
// expect: EXACT padded tiles: 0 wrong
// expect: EXACT padded tiles of doubles: 0 wrong
// expect: EXACT tiles of bytes: 0 wrong
// expect: EXACT memory: 0 wrong
// expect: EXACT edges: 0 wrong
// expect: EXACT columns on each other: 0 wrong
/* Matrices turned through tiles and in memory, by blocks of many shapes: what a
 * block writes by rows it reads by columns, and the other way round. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static int wrong;

/* From rows to columns through a tile, and back through another one. */
template <class T, int NX, int NY, int PAD>
__global__ void
through_tiles(const T *in, T *turned, T *same)
{
    __shared__ T a[NY][NX + PAD], b[NX][NY + PAD];
    int x = threadIdx.x, y = threadIdx.y, first = blockIdx.x * NX * NY;
    int k = y * NX + x;
    a[y][x] = in[first + k];
    __syncthreads();
    T v = a[k % NY][k / NY]; /* lanes down the columns of rows of NX */
    turned[first + k] = v;
    b[x][y] = a[y][x];
    __syncthreads();
    same[first + k] = b[k / NY][k % NY];
}

template <class T, int NX, int NY, int PAD>
static void
check_tiles()
{
    enum { BLOCKS = 3, N = NX * NY * BLOCKS };
    static T in[N], turned[N], same[N];
    T *d[3];
    for (int i = 0; i < N; i++)
        in[i] = (T)(i * 7 + i / 13);
    for (int i = 0; i < 3; i++)
        cudaMalloc(&d[i], sizeof in);
    cudaMemcpy(d[0], in, sizeof in, cudaMemcpyHostToDevice);
    through_tiles<T, NX, NY, PAD><<<BLOCKS, dim3(NX, NY)>>>(d[0], d[1], d[2]);
    cudaMemcpy(turned, d[1], sizeof in, cudaMemcpyDeviceToHost);
    cudaMemcpy(same, d[2], sizeof in, cudaMemcpyDeviceToHost);
    for (int block = 0; block < BLOCKS; block++)
        for (int k = 0; k < NX * NY; k++) {
            int first = block * NX * NY;
            T want = in[first + k % NY * NX + k / NY];
            wrong += turned[first + k] != want;
            wrong += same[first + k] != want;
        }
    for (int i = 0; i < 3; i++)
        cudaFree(d[i]);
}

template <class T, int PAD>
static void
check_shapes(const char *what)
{
    wrong = 0;
    check_tiles<T, 32, 8, PAD>();
    check_tiles<T, 8, 32, PAD>();
    check_tiles<T, 16, 16, PAD>();
    check_tiles<T, 4, 64, PAD>();
    check_tiles<T, 64, 4, PAD>();
    check_tiles<T, 16, 8, PAD>();
    check_tiles<T, 8, 8, PAD>();
    check_tiles<T, 2, 64, PAD>();
    check_tiles<T, 32, 2, PAD>();
    check_tiles<T, 12, 16, PAD>();
    printf("%s: %d wrong\n", what, wrong);
}

/* x goes down, y along: each thread has one element of a row of its own. */
template <class T>
__global__ void
in_memory(const T *in, T *out, int width, int pitch, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < width)
        out[r * pitch + c] = in[r * pitch + c] * 3 + (T)r;
}

template <class T>
static void
check_memory(int rows, int width, int pitch, dim3 block)
{
    size_t n = (size_t)rows * pitch, bytes = n * sizeof(T);
    T *in = (T *)malloc(bytes), *out = (T *)malloc(bytes), *d[2];
    cudaMalloc(&d[0], bytes);
    cudaMalloc(&d[1], bytes);
    for (size_t i = 0; i < n; i++)
        in[i] = (T)(i % 10007);
    cudaMemcpy(d[0], in, bytes, cudaMemcpyHostToDevice);
    cudaMemset(d[1], 0, bytes);
    dim3 grid((rows + block.x - 1) / block.x, (width + block.y - 1) / block.y);
    in_memory<<<grid, block>>>(d[0], d[1], width, pitch, rows);
    cudaMemcpy(out, d[1], bytes, cudaMemcpyDeviceToHost);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < pitch; c++) {
            T want = c < width ? in[r * pitch + c] * 3 + (T)r : T(0);
            wrong += out[r * pitch + c] != want;
        }
    cudaFree(d[0]);
    cudaFree(d[1]);
    free(in);
    free(out);
}

/* Rows that overlap: of all who write one place the last lane is seen. */
__global__ void
on_each_other(int *out)
{
    __shared__ int a[64];
    int x = threadIdx.x, y = threadIdx.y, k = y * 8 + x;
    a[k] = 0;
    __syncthreads();
    a[x * 4 + y] = k;
    __syncthreads();
    out[k] = a[k];
}

static void
check_overlap()
{
    int *d, out[64], want[64] = {0};
    cudaMalloc(&d, sizeof out);
    on_each_other<<<1, dim3(8, 8)>>>(d);
    cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 64; k++)
        want[k % 8 * 4 + k / 8] = k;
    wrong = 0;
    for (int k = 0; k < 64; k++)
        wrong += out[k] != want[k];
    printf("columns on each other: %d wrong\n", wrong);
}

int
main()
{
    check_shapes<float, 0>("tiles");
    check_shapes<double, 0>("tiles of doubles");
    check_shapes<float, 1>("padded tiles");
    check_shapes<double, 1>("padded tiles of doubles");
    check_shapes<unsigned char, 0>("tiles of bytes");
    const dim3 blocks[] = {dim3(16, 16), dim3(32, 8), dim3(8, 32), dim3(4, 16)};
    wrong = 0;
    for (dim3 block : blocks) {
        check_memory<float>(128, 128, 128, block);
        check_memory<double>(64, 64, 70, block);
    }
    printf("memory: %d wrong\n", wrong);
    wrong = 0;
    for (dim3 block : blocks) {
        check_memory<float>(101, 77, 83, block);
        check_memory<int>(33, 131, 131, block);
        check_memory<double>(50, 37, 37, block);
    }
    printf("edges: %d wrong\n", wrong);
    check_overlap();
    return 0;
}
// check: race-shared (rows that overlap)
