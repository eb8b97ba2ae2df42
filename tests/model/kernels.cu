/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels.cu - kernels of many classes whose times on real devices the model of
 * time is fitted to or tested with.
 *
 *     kernels list            the launches' names, in order
 *     kernels once            each once, in order: for a profiler, or for
 *                             `softwarp predict`
 *     kernels time [N]        CSV: name,grid,block,best_us,median_us by events,
 *                             back to back (warm), of N runs (default 20)
 *     kernels cold [N]        the same, with 256 MiB written before each run
 *
 * Names are CLASS/KERNEL; those that begin with micro/ measure one thing each.
 */
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CHECK(x)                                                               \
    do {                                                                       \
        cudaError_t e_ = (x);                                                  \
        if (e_ != cudaSuccess) {                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                 \
                    cudaGetErrorString(e_));                                   \
            exit(1);                                                           \
        }                                                                      \
    } while (0)
#define TID (blockIdx.x * blockDim.x + threadIdx.x)
#define ALL (gridDim.x * blockDim.x)

// ---- micro: one thing each
__global__ void m_empty() {}
__global__ void m_chain_fma(float *o, float a, int n) { float v = threadIdx.x; for (int i = 0; i < n; i++) v = v * a + a; o[TID] = v; }
__global__ void m_chain_iadd(int *o, int a, int n) { int v = threadIdx.x, w = a; for (int i = 0; i < n; i++) { v = (v ^ w) + i; w = (w ^ v) + a; } o[TID] = v + w; }
__global__ void m_load_stream(float *o, const float *p, int n) { float s = 0; for (int i = TID; i < n; i += ALL) s += p[i]; if (s == -1.5f) o[0] = s; }
__global__ void m_load_vec4(float *o, const float4 *p, int n) { float s = 0; for (int i = TID; i < n; i += ALL) { float4 v = p[i]; s += v.x + v.y + v.z + v.w; } if (s == -1.5f) o[0] = s; }
__global__ void m_store_stream(float *o, int n) { for (int i = TID; i < n; i += ALL) o[i] = i; }
__global__ void m_store_stride(float *o, int stride, int n) { for (int i = TID; i < n; i += ALL) o[(size_t)i * stride] = i; }
__global__ void m_load_stride(float *o, const float *p, int stride, int n) { float s = 0; for (int i = TID; i < n; i += ALL) s += p[(size_t)i * stride]; if (s == -1.5f) o[0] = s; }
__global__ void m_l1_hits(float *o, const float *p, int n) { float s = 0; for (int i = 0; i < n; i++) s += p[(threadIdx.x + i * 32) & 1023]; o[TID] = s; }
__global__ void m_l1_lines(float *o, const float *p, int n) { float s = 0; for (int i = 0; i < n; i++) s += p[((threadIdx.x & 31) * 32 + i) & 1023]; o[TID] = s; }
__global__ void m_l2_random(float *o, const float *p, int mask, int n) { unsigned j = TID * 747796405u; float s = 0; for (int i = 0; i < n; i++) { j = j * 1664525u + 1013904223u; s += p[(j >> 4) & mask]; } o[TID] = s; }
__global__ void m_chase(unsigned *o, const unsigned *p, int n) { unsigned j = 0; for (int i = 0; i < n; i++) j = p[j]; *o = j; }
__global__ void m_shared_rw(float *o, int stride, int n) { __shared__ float s[4096]; for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = i; __syncthreads(); float v = 0; int at = threadIdx.x * stride & 4095; for (int i = 0; i < n; i++) { v += s[at]; at = (at + 32) & 4095; } o[TID] = v; }
__global__ void m_barriers(float *o, int n) { __shared__ float s[1024]; float v = threadIdx.x; for (int i = 0; i < n; i++) { s[threadIdx.x] = v; __syncthreads(); v = s[threadIdx.x ^ 32] + 1; __syncthreads(); } o[TID] = v; }
__global__ void m_shuffle(float *o, int n) { float v = threadIdx.x; for (int i = 0; i < n; i++) v += __shfl_xor_sync(~0u, v, 1 << (i & 3)); o[TID] = v; }
__global__ void m_atomic_one(int *o, int n) { for (int i = 0; i < n; i++) atomicAdd(o + (TID & 7) * 64, i); }
__global__ void m_atomic_float(float *o, int mask) { atomicAdd(o + (TID * 2654435761u >> 8 & mask), 1.0f); }
__global__ void m_atomic_return(int *o, int *r, int mask) { r[TID] = atomicAdd(o + (TID * 2654435761u >> 8 & mask), 1); }
__global__ void m_sfu(float *o, int n) { float v = threadIdx.x + 1; for (int i = 0; i < n; i++) v = rsqrtf(v) + exp2f(v); o[TID] = v; }
__global__ void m_cvt(int *o, int n) { float f = threadIdx.x; int v = 0; for (int i = 0; i < n; i++) { v += (int)f; f = (float)(v & 1023) * 1.5f; } o[TID] = v; }
__global__ void m_div(float *o, float a, int n) { float v = threadIdx.x + 1; for (int i = 0; i < n; i++) v = a / (v + 1.0f); o[TID] = v; }
__global__ void m_sqrt(float *o, int n) { float v = threadIdx.x + 1; for (int i = 0; i < n; i++) v = sqrtf(v + i); o[TID] = v; }
__global__ void m_idiv(int *o, int a, int n) { int v = threadIdx.x + 77777; for (int i = 1; i <= n; i++) v = v / (a + i) + i * 1001 + a % i; o[TID] = v; }
__global__ void m_ddiv(double *o, double a, int n) { double v = threadIdx.x + 1; for (int i = 0; i < n; i++) v = a / (v + 1.0); o[TID] = v; }
__global__ void m_dfma(double *o, double a, int n) { double v = threadIdx.x, w = v + 1, x = v + 2, y = v + 3; for (int i = 0; i < n; i++) { v = v * a + a; w = w * a + a; x = x * a + a; y = y * a + a; } o[TID] = v + w + x + y; }
__global__ void m_half2(__half2 *o, int n) { __half2 v = __float2half2_rn(threadIdx.x), a = __float2half2_rn(0.5f); for (int i = 0; i < n; i++) v = __hfma2(v, a, a); o[TID] = v; }
__global__ void m_long(long long *o, long long a, int n) { long long v = threadIdx.x; for (int i = 0; i < n; i++) v = v * a + (v >> 7) + i; o[TID] = v; }

// ---- dense
__global__ void gemm_regs(float *c, const float *a, const float *b, int n) {
    __shared__ float sa[8][64], sb[8][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row = blockIdx.y * 64, col = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int k = 0; k < n; k += 8) {
        for (int i = t; i < 512; i += 256) { sa[i % 8][i / 8] = a[(row + i / 8) * n + k + i % 8]; sb[i / 64][i % 64] = b[(k + i / 64) * n + col + i % 64]; }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 8; kk++) {
            float x[4], y[4];
            for (int i = 0; i < 4; i++) { x[i] = sa[kk][ty * 4 + i]; y[i] = sb[kk][tx * 4 + i]; }
            for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) acc[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) c[(row + ty * 4 + i) * n + col + tx * 4 + j] = acc[i][j];
}
__global__ void gemm_tile16(float *c, const float *a, const float *b, int n) {
    __shared__ float sa[16][16], sb[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x; float s = 0;
    for (int k = 0; k < n; k += 16) { sa[y][x] = a[row * n + k + x]; sb[y][x] = b[(k + y) * n + col]; __syncthreads(); for (int i = 0; i < 16; i++) s += sa[y][i] * sb[i][x]; __syncthreads(); }
    c[row * n + col] = s;
}
__global__ void gemm_double(double *c, const double *a, const double *b, int n) {
    __shared__ double sa[16][16], sb[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x; double s = 0;
    for (int k = 0; k < n; k += 16) { sa[y][x] = a[row * n + k + x]; sb[y][x] = b[(k + y) * n + col]; __syncthreads(); for (int i = 0; i < 16; i++) s += sa[y][i] * sb[i][x]; __syncthreads(); }
    c[row * n + col] = s;
}
__global__ void gemm_batched(float *c, const float *a, const float *b) {
    __shared__ float sa[256], sb[256]; int t = threadIdx.x; size_t at = (size_t)blockIdx.x * 256; sa[t] = a[at + t]; sb[t] = b[at + t]; __syncthreads();
    float s = 0; for (int k = 0; k < 16; k++) s += sa[t / 16 * 16 + k] * sb[k * 16 + t % 16]; c[at + t] = s;
}
__global__ void matvec_rows(float *y, const float *a, const float *x, int n) { int row = TID; if (row >= n) return; float s = 0; for (int k = 0; k < n; k++) s += a[(size_t)row * n + k] * x[k]; y[row] = s; }
__global__ void matvec_columns(float *y, const float *a, const float *x, int n) { int row = TID; if (row >= n) return; float s = 0; for (int k = 0; k < n; k++) s += a[(size_t)k * n + row] * x[k]; y[row] = s; }
__global__ void matvec_warp(float *y, const float *a, const float *x, int n) { int row = TID / 32, l = threadIdx.x & 31; if (row >= n) return; float s = 0; for (int k = l; k < n; k += 32) s += a[(size_t)row * n + k] * x[k]; for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d); if (!l) y[row] = s; }
__global__ void conv3x3(float *o, const float *in, int w, int h, int channels) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return; float s = 0;
    for (int c = 0; c < channels; c++) for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++) s += in[((size_t)c * h + y + i) * w + x + j] * (0.1f * (i + 2) + 0.01f * j + c);
    o[y * w + x] = s;
}
__constant__ float taps[32];
__global__ void conv_rows(float *o, const float *in, int w) { __shared__ float s[256 + 16]; int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y; const float *p = in + (size_t)y * w; s[threadIdx.x + 8] = p[x]; if (threadIdx.x < 8) s[threadIdx.x] = x >= 8 ? p[x - 8] : 0; if (threadIdx.x >= 248) s[threadIdx.x + 16] = x + 8 < w ? p[x + 8] : 0; __syncthreads(); float v = 0; for (int k = 0; k < 17; k++) v += s[threadIdx.x + k] * taps[k]; o[(size_t)y * w + x] = v; }
// ---- tensor
__global__ void gemm_wmma(float *c, const __half *a, const __half *b, int n) {
    using namespace nvcuda;
    int warp = threadIdx.x / 32, row = (blockIdx.y * 4 + warp / 2) * 16, col = (blockIdx.x * 2 + warp % 2) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa; wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb; wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < n; k += 16) { wmma::load_matrix_sync(fa, a + row * n + k, n); wmma::load_matrix_sync(fb, b + k * n + col, n); wmma::mma_sync(fc, fa, fb, fc); }
    wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}
__global__ void gemm_wmma_shared(float *c, const __half *a, const __half *b, int n) {
    using namespace nvcuda;
    __shared__ __half sa[64 * 40], sb[32 * 72];
    int t = threadIdx.x, warp = t / 32, wr = warp / 2, wc = warp % 2, row = blockIdx.y * 64, col = blockIdx.x * 64;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2]; wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2]; wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc[2][2];
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) wmma::fill_fragment(fc[i][j], 0.0f);
    for (int k = 0; k < n; k += 32) {
        for (int i = t; i < 256; i += 128) { *(float4 *)&sa[i / 4 * 40 + i % 4 * 8] = *(const float4 *)&a[(row + i / 4) * n + k + i % 4 * 8]; *(float4 *)&sb[i / 8 * 72 + i % 8 * 8] = *(const float4 *)&b[(k + i / 8) * n + col + i % 8 * 8]; }
        __syncthreads();
        for (int kk = 0; kk < 32; kk += 16) {
            for (int i = 0; i < 2; i++) { wmma::load_matrix_sync(fa[i], sa + (wr * 32 + i * 16) * 40 + kk, 40); wmma::load_matrix_sync(fb[i], sb + kk * 72 + wc * 32 + i * 16, 72); }
            for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) wmma::mma_sync(fc[i][j], fa[i], fb[j], fc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) wmma::store_matrix_sync(c + (row + wr * 32 + i * 16) * n + col + wc * 32 + j * 16, fc[i][j], n, wmma::mem_row_major);
}
__global__ void mma_only(float *o, int n) { using namespace nvcuda; wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a; wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b; wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[4]; wmma::fill_fragment(a, __float2half(0.5f)); wmma::fill_fragment(b, __float2half(0.25f)); for (int i = 0; i < 4; i++) wmma::fill_fragment(c[i], 1.0f); for (int k = 0; k < n; k++) for (int i = 0; i < 4; i++) wmma::mma_sync(c[i], a, b, c[i]); float s = 0; for (int i = 0; i < 4; i++) for (int j = 0; j < c[i].num_elements; j++) s += c[i].x[j]; o[TID] = s; }
// ---- sparse, graphs
__global__ void csr_scalar(float *y, const int *rows, const int *cols, const float *v, const float *x, int n) { int r = TID; if (r >= n) return; float s = 0; for (int k = rows[r]; k < rows[r + 1]; k++) s += v[k] * x[cols[k]]; y[r] = s; }
__global__ void csr_warp(float *y, const int *rows, const int *cols, const float *v, const float *x, int n) { int r = TID / 32, l = threadIdx.x & 31; if (r >= n) return; float s = 0; for (int k = rows[r] + l; k < rows[r + 1]; k += 32) s += v[k] * x[cols[k]]; for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d); if (!l) y[r] = s; }
__global__ void ell(float *y, const int *cols, const float *v, const float *x, int n, int width) { int r = TID; if (r >= n) return; float s = 0; for (int k = 0; k < width; k++) s += v[k * n + r] * x[cols[k * n + r] % n]; y[r] = s; }
__global__ void coo(float *y, const int *r, const int *c, const float *v, const float *x, int n, int mask) { int k = TID; if (k < n) atomicAdd(y + (r[k] & mask), v[k] * x[c[k] & mask]); }
__global__ void bfs_step(int *level, const int *rows, const int *cols, int n, int now, int *more) { int v = TID; if (v >= n || level[v] != now) return; for (int k = rows[v]; k < rows[v + 1]; k++) { int to = cols[k]; if (level[to] < 0) { level[to] = now + 1; *more = 1; } } }
__global__ void pagerank(float *next, const float *rank, const int *rows, const int *cols, int n) { int v = TID; if (v >= n) return; float s = 0; for (int k = rows[v]; k < rows[v + 1]; k++) { int u = cols[k]; s += rank[u] / (rows[u + 1] - rows[u] + 1); } next[v] = 0.15f / n + 0.85f * s; }
__global__ void degrees(int *d, const int *cols, int n) { int k = TID; if (k < n) atomicAdd(d + cols[k], 1); }
__global__ void floyd_step(int *d, int n, int k) { int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; int through = d[y * n + k] + d[k * n + x]; if (through < d[y * n + x]) d[y * n + x] = through; }
// ---- stencils
__global__ void jacobi(float *o, const float *in, int n) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return; size_t i = (size_t)y * n + x; o[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]); }
__global__ void jacobi_shared(float *o, const float *in, int n) { __shared__ float s[18][18]; int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx + 1, y = blockIdx.y * 16 + ty + 1; if (x < n - 1 && y < n - 1) { s[ty + 1][tx + 1] = in[y * n + x]; if (!tx) s[ty + 1][0] = in[y * n + x - 1]; if (tx == 15) s[ty + 1][17] = in[y * n + x + 1]; if (!ty) s[0][tx + 1] = in[(y - 1) * n + x]; if (ty == 15) s[17][tx + 1] = in[(y + 1) * n + x]; } __syncthreads(); if (x < n - 1 && y < n - 1) o[y * n + x] = 0.25f * (s[ty + 1][tx] + s[ty + 1][tx + 2] + s[ty][tx + 1] + s[ty + 2][tx + 1]); }
__global__ void heat3d(float *o, const float *in, int n) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z; if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return; size_t i = ((size_t)z * n + y) * n + x, p = (size_t)n * n; o[i] = in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - p] + in[i + p] - 6 * in[i]); }
__global__ void wave1d(double *o, const double *a, const double *b, int n) { int i = TID; if (i > 0 && i < n - 1) o[i] = 2 * a[i] - b[i] + 0.25 * (a[i - 1] - 2 * a[i] + a[i + 1]); }
__global__ void path_row(int *o, const int *wall, const int *before, int n) { __shared__ int s[256]; int x = blockIdx.x * 254 + threadIdx.x - 1, t = threadIdx.x; bool in = x >= 0 && x < n; s[t] = in ? before[x] : 1 << 30; __syncthreads(); if (in && t > 0 && t < 255) o[x] = wall[x] + min(s[t], min(s[t - 1], s[t + 1])); }
// ---- sorting, scans
__global__ void bitonic512(int *a) { __shared__ int s[512]; int t = threadIdx.x; s[t] = a[blockIdx.x * 512 + t]; for (int k = 2; k <= 512; k *= 2) for (int j = k / 2; j; j /= 2) { __syncthreads(); int p = t ^ j; if (p > t) { int x = s[t], y = s[p]; if (((t & k) == 0) == (x > y)) { s[t] = y; s[p] = x; } } } __syncthreads(); a[blockIdx.x * 512 + t] = s[t]; }
__global__ void bitonic_step(int *a, int j, int k) { unsigned i = TID, p = i ^ j; if (p > i) { int x = a[i], y = a[p]; if (((i & k) == 0) == (x > y)) { a[i] = y; a[p] = x; } } }
__global__ void radix_count(int *o, const unsigned *in, int shift, int n) { __shared__ int h[16]; if (threadIdx.x < 16) h[threadIdx.x] = 0; __syncthreads(); for (int i = TID; i < n; i += ALL) atomicAdd(&h[in[i] >> shift & 15], 1); __syncthreads(); if (threadIdx.x < 16) o[threadIdx.x * gridDim.x + blockIdx.x] = h[threadIdx.x]; }
__global__ void scan_blelloch(float *o, const float *in) { __shared__ float s[1024]; int t = threadIdx.x; size_t at = (size_t)blockIdx.x * 1024; s[2 * t] = in[at + 2 * t]; s[2 * t + 1] = in[at + 2 * t + 1]; int off = 1; for (int d = 512; d; d /= 2) { __syncthreads(); if (t < d) s[off * (2 * t + 2) - 1] += s[off * (2 * t + 1) - 1]; off *= 2; } if (!t) s[1023] = 0; for (int d = 1; d < 1024; d *= 2) { off /= 2; __syncthreads(); if (t < d) { int a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1; float x = s[a]; s[a] = s[b]; s[b] += x; } } __syncthreads(); o[at + 2 * t] = s[2 * t]; o[at + 2 * t + 1] = s[2 * t + 1]; }
__global__ void scan_warp(int *o, const int *in) { __shared__ int sums[32]; int l = threadIdx.x & 31, w = threadIdx.x / 32, v = in[TID]; for (int d = 1; d < 32; d *= 2) { int u = __shfl_up_sync(~0u, v, d); if (l >= d) v += u; } if (l == 31) sums[w] = v; __syncthreads(); if (!w) { int u = l < blockDim.x / 32 ? sums[l] : 0; for (int d = 1; d < 32; d *= 2) { int x = __shfl_up_sync(~0u, u, d); if (l >= d) u += x; } sums[l] = u; } __syncthreads(); o[TID] = v + (w ? sums[w - 1] : 0); }
__global__ void compact(int *o, int *count, const int *in, int n) { int i = TID; bool keep = i < n && (in[i] & 3) == 0; unsigned m = __ballot_sync(~0u, keep); int l = threadIdx.x & 31, base = 0; if (!l && m) base = atomicAdd(count, __popc(m)); base = __shfl_sync(~0u, base, 0); if (keep) o[(base + __popc(m & ((1u << l) - 1))) & 0xfffff] = in[i]; }
// ---- reductions
__global__ void sum_shuffle(float *o, const float *in, int n) { __shared__ float s[8]; float v = 0; for (int i = TID; i < n; i += ALL) v += in[i]; for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d); if (!(threadIdx.x & 31)) s[threadIdx.x / 32] = v; __syncthreads(); if (!threadIdx.x) { for (int i = 1; i < 8; i++) v += s[i]; atomicAdd(o, v); } }
__global__ void max_tree(float *o, const float *in, int n) { __shared__ float s[256]; float v = -1e30f; for (int i = TID; i < n; i += ALL) v = fmaxf(v, in[i]); s[threadIdx.x] = v; __syncthreads(); for (int d = 128; d; d /= 2) { if (threadIdx.x < d) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + d]); __syncthreads(); } if (!threadIdx.x) o[blockIdx.x] = s[0]; }
__global__ void dot_double(double *o, const double *a, const double *b, int n) { __shared__ double s[256]; double v = 0; for (int i = TID; i < n; i += ALL) v += a[i] * b[i]; s[threadIdx.x] = v; __syncthreads(); for (int d = 128; d; d /= 2) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); } if (!threadIdx.x) atomicAdd(o, s[0]); }
// ---- transposes
__global__ void transpose_pad(float *o, const float *in, int w, int h) { __shared__ float s[32][33]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; for (int k = 0; k < 32; k += 8) s[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * w + x]; __syncthreads(); x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y; for (int k = 0; k < 32; k += 8) o[(size_t)(y + k) * h + x] = s[threadIdx.x][threadIdx.y + k]; }
__global__ void transpose_plain(double *o, const double *in, int w, int h) { int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; o[(size_t)x * h + y] = in[(size_t)y * w + x]; }
// ---- networks
__global__ void layer_norm(float *o, const float *in, int n) { __shared__ float s[8], q[8]; const float *p = in + (size_t)blockIdx.x * n; float a = 0, b = 0; for (int i = threadIdx.x; i < n; i += 256) { float v = p[i]; a += v; b += v * v; } for (int d = 16; d; d /= 2) { a += __shfl_xor_sync(~0u, a, d); b += __shfl_xor_sync(~0u, b, d); } if (!(threadIdx.x & 31)) { s[threadIdx.x / 32] = a; q[threadIdx.x / 32] = b; } __syncthreads(); a = b = 0; for (int i = 0; i < 8; i++) { a += s[i]; b += q[i]; } float mean = a / n, inv = rsqrtf(b / n - mean * mean + 1e-5f); for (int i = threadIdx.x; i < n; i += 256) o[(size_t)blockIdx.x * n + i] = (p[i] - mean) * inv; }
__global__ void softmax_warp(float *o, const float *in, int n) { int row = TID / 32, l = threadIdx.x & 31; const float *p = in + (size_t)row * n; float m = -1e30f, s = 0; for (int i = l; i < n; i += 32) m = fmaxf(m, p[i]); for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d)); for (int i = l; i < n; i += 32) s += expf(p[i] - m); for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d); for (int i = l; i < n; i += 32) o[(size_t)row * n + i] = expf(p[i] - m) / s; }
__global__ void softmax_block(float *o, const float *in, int n) { __shared__ float s[256]; const float *p = in + (size_t)blockIdx.x * n; int t = threadIdx.x; float m = -1e30f; for (int i = t; i < n; i += 256) m = fmaxf(m, p[i]); s[t] = m; __syncthreads(); for (int d = 128; d; d /= 2) { if (t < d) s[t] = fmaxf(s[t], s[t + d]); __syncthreads(); } m = s[0]; __syncthreads(); float v = 0; for (int i = t; i < n; i += 256) v += __expf(p[i] - m); s[t] = v; __syncthreads(); for (int d = 128; d; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); } v = 1 / s[0]; for (int i = t; i < n; i += 256) o[(size_t)blockIdx.x * n + i] = __expf(p[i] - m) * v; }
__global__ void relu_bias(float *o, const float *in, const float *b, int n, int w) { int i = TID; if (i < n) o[i] = fmaxf(in[i] + b[i % w], 0.0f); }
__global__ void gelu(float *o, const float *in, int n) { int i = TID; if (i < n) { float x = in[i]; o[i] = 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x))); } }
__global__ void attention(float *o, const float *q, const float *k, const float *v, int n) { __shared__ float sk[32][33], sv[32][33]; int row = blockIdx.x * 32 + threadIdx.x / 8, part = threadIdx.x % 8; float acc[4] = {}, m = -1e30f, sum = 0, qr[32]; for (int d = 0; d < 32; d++) qr[d] = q[row * 32 + d]; for (int at = 0; at < n; at += 32) { for (int i = threadIdx.x; i < 1024; i += 256) { sk[i / 32][i % 32] = k[at * 32 + i]; sv[i / 32][i % 32] = v[at * 32 + i]; } __syncthreads(); for (int j = 0; j < 32; j++) { float s = 0; for (int d = 0; d < 32; d++) s += qr[d] * sk[j][d]; float to = fmaxf(m, s), c = __expf(m - to), e = __expf(s - to); m = to; sum = sum * c + e; for (int i = 0; i < 4; i++) acc[i] = acc[i] * c + e * sv[j][part * 4 + i]; } __syncthreads(); } for (int i = 0; i < 4; i++) o[row * 32 + part * 4 + i] = acc[i] / sum; }
__global__ void pool2x2(float *o, const float *in, int w, int h) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; if (x < w / 2 && y < h / 2) { const float *p = in + (size_t)2 * y * w + 2 * x; o[(size_t)y * (w / 2) + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[w], p[w + 1])); } }
// ---- histograms, tables
__global__ void hist_global(int *h, const unsigned char *in, int n) { for (int i = TID; i < n; i += ALL) atomicAdd(h + in[i], 1); }
__global__ void hist_private(int *h, const unsigned char *in, int n) { __shared__ int s[8][256]; for (int i = threadIdx.x; i < 2048; i += 256) s[0][i] = 0; __syncthreads(); for (int i = TID; i < n; i += ALL) atomicAdd(&s[threadIdx.x / 32][in[i]], 1); __syncthreads(); int v = 0; for (int i = 0; i < 8; i++) v += s[i][threadIdx.x]; atomicAdd(h + threadIdx.x, v); }
__global__ void hash_insert(unsigned *table, const unsigned *keys, int n, unsigned mask) { int i = TID; if (i >= n) return; unsigned k = keys[i] | 1, at = k * 2654435761u & mask; for (int t = 0; t < 32; t++) { unsigned old = atomicCAS(table + at, 0u, k); if (old == 0 || old == k) break; at = (at + 1) & mask; } }
__global__ void table_lookup(float *o, const float *table, int mask, int n) { unsigned seed = TID * 2654435761u + 12345u; float s = 0; for (int i = 0; i < n; i++) { seed = seed * 1664525u + 1013904223u; unsigned lo = 0, hi = mask; float want = (seed >> 8) * 0x1p-24f; for (int k = 0; k < 12; k++) { unsigned mid = (lo + hi) / 2; if (table[mid] < want) lo = mid; else hi = mid; } s += table[lo]; } o[TID] = s; }
// ---- divergent, irregular
__global__ void collatz(int *o, int n) { unsigned v = TID + 1; int k = 0; while (v != 1 && k < n) { v = v & 1 ? 3 * v + 1 : v / 2; k++; } o[TID] = k; }
__global__ void mandelbrot(int *o, int w, int most) { int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; float cr = -2 + 3.0f * x / w, ci = -1.5f + 3.0f * y / w, r = 0, i = 0; int k = 0; for (; k < most && r * r + i * i < 4; k++) { float t = r * r - i * i + cr; i = 2 * r * i + ci; r = t; } o[y * w + x] = k; }
__global__ void search(int *o, const int *sorted, int n) { int want = (int)(TID * 2654435761u >> 9), lo = 0, hi = n; while (lo < hi) { int mid = (lo + hi) / 2; if (sorted[mid] < want) lo = mid + 1; else hi = mid; } o[TID] = lo; }
__global__ void monte_carlo(float *o, int n) { unsigned s = TID * 747796405u + 2891336453u; int in = 0; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; float x = (s >> 8) * 0x1p-24f; s = s * 1664525u + 1013904223u; float y = (s >> 8) * 0x1p-24f; in += x * x + y * y < 1; } o[TID] = 4.0f * in / n; }
__global__ void options(double *o, const double *in, int n) { int i = TID; if (i >= n) return; double s = in[i] + 1, d = (log(s) + 0.05) / 0.3, c = 0.5 * erfc(-d * 0.70710678); o[i] = s * c - exp(-0.02) * (1 - c); }
__global__ void hash_rounds(unsigned *o, int n) { unsigned a = TID, b = a ^ 0x9e3779b9u, c = a + 0x7f4a7c15u, d = ~a; for (int i = 0; i < n; i++) { a += b; d = __funnelshift_l(d ^ a, d ^ a, 16); c += d; b = __funnelshift_l(b ^ c, b ^ c, 12); a += b; d = __funnelshift_l(d ^ a, d ^ a, 8); c += d; b = __funnelshift_l(b ^ c, b ^ c, 7); } o[TID] = a ^ b ^ c ^ d; }
__global__ void edit_rows(int *o, const unsigned char *a, int n) { __shared__ short row[2][258]; int t = threadIdx.x; row[0][t] = row[1][t] = t; if (t < 2) row[t][256 + t] = 256 + t; unsigned char mine = a[blockIdx.x * 256 + t]; __syncthreads(); for (int i = 0; i < n; i++) { int now = i & 1; short v = min(min(row[now][t], row[now][t + 1]) + 1, row[now][t + 1] + (mine != a[i])); row[now ^ 1][t + 1] = v; __syncthreads(); } o[TID] = row[n & 1][t]; }
// ---- elimination, small matrices, signal
__global__ void gauss_column(float *m, const float *a, int n, int k) { int i = TID; if (i < n - 1 - k) m[n * (i + k + 1) + k] = a[n * (i + k + 1) + k] / a[n * k + k]; }
__global__ void gauss_update(float *a, const float *m, int n, int k) { int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; if (x >= n - 1 - k || y >= n - k) return; a[n * (x + 1 + k) + y + k] -= m[n * (x + 1 + k) + k] * a[n * k + y + k]; }
__global__ void fft256(float2 *d) { __shared__ float2 s[256]; int t = threadIdx.x; s[__brev(t) >> 24] = d[blockIdx.x * 256 + t]; __syncthreads(); for (int h = 1; h < 256; h *= 2) { if (t < 128) { int at = t / h * 2 * h + t % h; float sn, cs; __sincosf(-3.14159265f * (t % h) / h, &sn, &cs); float2 u = s[at], v = s[at + h]; float2 w = {v.x * cs - v.y * sn, v.x * sn + v.y * cs}; s[at] = {u.x + w.x, u.y + w.y}; s[at + h] = {u.x - w.x, u.y - w.y}; } __syncthreads(); } d[blockIdx.x * 256 + t] = s[t]; }
__global__ void nbody(float4 *o, const float4 *p, int n) { int i = TID; float4 me = p[i]; float x = 0, y = 0, z = 0; for (int k = 0; k < n; k++) { float4 q = p[k]; float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = q.w * r * r * r; x += dx * f; y += dy * f; z += dz * f; } o[i] = {x, y, z, 0}; }
__global__ void kmeans(int *o, const float *points, const float *centres, int n, int k) { int i = TID; if (i >= n) return; float best = 1e30f; int at = 0; for (int c = 0; c < k; c++) { float d = 0; for (int j = 0; j < 8; j++) { float e = points[j * n + i] - centres[c * 8 + j]; d += e * e; } if (d < best) { best = d; at = c; } } o[i] = at; }
__global__ void particles(float *x, float *v, const float *f, int n) { int i = TID; if (i >= n) return; for (int d = 0; d < 3; d++) { v[3 * i + d] += 0.01f * f[3 * i + d]; x[3 * i + d] += 0.01f * v[3 * i + d]; } }
__global__ void bilateral(float *o, const float *in, int w, int h) { int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; if (x < 3 || y < 3 || x >= w - 3 || y >= h - 3) return; float c = in[y * w + x], s = 0, t = 0; for (int i = -3; i <= 3; i++) for (int j = -3; j <= 3; j++) { float v = in[(y + i) * w + x + j], e = __expf(-0.05f * (i * i + j * j) - 10 * (v - c) * (v - c)); s += e * v; t += e; } o[y * w + x] = s / t; }
__global__ void local_array(float *o, const int *p, int n) { float a[32]; for (int i = 0; i < 32; i++) a[i] = i + threadIdx.x; for (int i = 0; i < n; i++) a[p[i] & 31] += 0.5f * a[p[i + 1] & 31]; float s = 0; for (int i = 0; i < 32; i++) s += a[i]; o[TID] = s; }
// ---- small
__global__ void axpy(float *y, const float *x, float a, int n) { int i = TID; if (i < n) y[i] += a * x[i]; }
__global__ void fill_int(int *o, int v, int n) { int i = TID; if (i < n) o[i] = v; }
__global__ void one_block_sum(float *o, const float *in, int n) { __shared__ float s[1024]; int t = threadIdx.x; float v = 0; for (int i = t; i < n; i += 1024) v += in[i]; s[t] = v; __syncthreads(); for (int d = 512; d; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); } if (!t) *o = s[0]; }
__global__ void one_thread(float *o, const float *in, int n) { float s = 0; for (int i = 0; i < n; i++) s += in[i]; *o = s; }

struct Case { std::string name; dim3 grid, block; std::function<void(dim3, dim3)> run; };
static std::vector<Case> cases;
static void add(const char *name, dim3 grid, dim3 block, std::function<void(dim3, dim3)> run) { cases.push_back({name, grid, block, run}); }
#define ADD(name, grid, block, kernel, ...) add(name, grid, block, [=](dim3 g_, dim3 b_) { kernel<<<g_, b_>>>(__VA_ARGS__); })
static unsigned state = 12345;
static unsigned next() { state = state * 1664525u + 1013904223u; return state >> 8; }
template <class T> static T *device(size_t n) { T *p; CHECK(cudaMalloc(&p, n * sizeof(T))); CHECK(cudaMemset(p, 0, n * sizeof(T))); return p; }
template <class T> static T *upload(const std::vector<T> &v) { T *p = device<T>(v.size()); CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)); return p; }

static void make_cases() {
    const size_t N = 1 << 24;
    std::vector<float> h(N);
    for (auto &v : h) v = (next() & 0xffff) / 65536.0f + 0.1f;
    float *A = upload(h), *B = upload(h), *C = device<float>(2 * N);
    std::vector<double> hd(1 << 21);
    for (auto &v : hd) v = (next() & 0xffff) / 65536.0 + 0.1;
    double *DA = upload(hd), *DB = upload(hd), *DC = device<double>(1 << 22);
    std::vector<int> hi(1 << 22);
    for (auto &v : hi) v = next();
    int *I = upload(hi), *J = device<int>(1 << 24);
    std::vector<int> sorted(hi.begin(), hi.begin() + (1 << 20));
    std::sort(sorted.begin(), sorted.end());
    int *S = upload(sorted);
    std::vector<unsigned> chain(1 << 22);
    { std::vector<unsigned> order(chain.size() / 32); for (size_t i = 0; i < order.size(); i++) order[i] = i; for (size_t i = order.size() - 1; i; i--) std::swap(order[i], order[next() % (i + 1)]); for (size_t i = 0; i < order.size(); i++) chain[order[i] * 32u] = order[(i + 1) % order.size()] * 32u; }
    unsigned *P = upload(chain);
    const int rows = 1 << 17;
    std::vector<int> rp(rows + 1), ci;
    for (int r = 0; r < rows; r++) { rp[r] = ci.size(); int k = 1 + next() % 31; for (int j = 0; j < k; j++) ci.push_back(next() % 4 ? (r + next() % 512) % rows : next() % rows); }
    rp[rows] = ci.size();
    int *RP = upload(rp), *CI = upload(ci), edges = ci.size();
    std::vector<int> level(rows, -1); for (int r = 0; r < rows; r += 7) level[r] = 3;
    int *L = upload(level);
    std::vector<float> table(1 << 16); for (size_t i = 0; i < table.size(); i++) table[i] = i / 65536.0f;
    float *T = upload(table);
    __half *HA = (__half *)A, *HB = (__half *)B;
    { std::vector<__half> hh(1 << 20); for (auto &v : hh) v = __float2half((next() & 255) / 256.0f); HA = upload(hh); HB = upload(hh); }
    { float k[32]; for (int i = 0; i < 32; i++) k[i] = 0.03f * i; CHECK(cudaMemcpyToSymbol(taps, k, sizeof k)); }

    add("micro/empty", 1, 32, [=](dim3 g, dim3 b) { m_empty<<<g, b>>>(); });
    add("micro/empty_264", 264, 1024, [=](dim3 g, dim3 b) { m_empty<<<g, b>>>(); });
    add("micro/empty_16k", 16384, 32, [=](dim3 g, dim3 b) { m_empty<<<g, b>>>(); });
    add("micro/empty_16k_256", 16384, 256, [=](dim3 g, dim3 b) { m_empty<<<g, b>>>(); });
    add("micro/empty_16k_1024", 16384, 1024, [=](dim3 g, dim3 b) { m_empty<<<g, b>>>(); });
    ADD("micro/chain_fma_1", 1, 32, m_chain_fma, C, 1.01f, 4096);
    ADD("micro/chain_fma_full", 1056, 256, m_chain_fma, C, 1.01f, 1024);
    ADD("micro/chain_iadd", 1056, 256, m_chain_iadd, J, 3, 512);
    ADD("micro/load_stream_264", 264, 256, m_load_stream, C, A, 1 << 24);
    ADD("micro/load_stream_1056", 1056, 256, m_load_stream, C, A, 1 << 24);
    ADD("micro/load_vec4", 1056, 256, m_load_vec4, C, (const float4 *)A, 1 << 22);
    ADD("micro/store_stream", 1056, 256, m_store_stream, C, 1 << 24);
    ADD("micro/store_stride_8", 1056, 256, m_store_stride, C, 8, 1 << 21);
    ADD("micro/store_stride_32", 1056, 256, m_store_stride, C, 32, 1 << 19);
    ADD("micro/store_stride_2048", 128, 256, m_store_stride, C, 509, 1 << 15);
    ADD("micro/load_stride_8", 1056, 256, m_load_stride, C, A, 8, 1 << 21);
    ADD("micro/load_stride_32", 1056, 256, m_load_stride, C, A, 32, 1 << 19);
    ADD("micro/l1_hits", 1056, 256, m_l1_hits, C, A, 512);
    ADD("micro/l1_lines", 264, 256, m_l1_lines, C, A, 256);
    ADD("micro/l2_random_1M", 1056, 256, m_l2_random, C, A, (1 << 18) - 1, 64);
    ADD("micro/l2_random_16M", 1056, 256, m_l2_random, C, A, (1 << 22) - 1, 64);
    ADD("micro/l2_random_64M", 1056, 256, m_l2_random, C, A, (1 << 24) - 1, 64);
    ADD("micro/chase_16M", 1, 1, m_chase, (unsigned *)J, P, 2048);
    ADD("micro/shared_1", 528, 256, m_shared_rw, C, 1, 512);
    ADD("micro/shared_2", 528, 256, m_shared_rw, C, 2, 512);
    ADD("micro/shared_8", 528, 256, m_shared_rw, C, 8, 256);
    ADD("micro/barriers_256", 528, 256, m_barriers, C, 256);
    ADD("micro/barriers_1024", 132, 1024, m_barriers, C, 256);
    ADD("micro/shuffle", 1056, 256, m_shuffle, C, 512);
    ADD("micro/atomic_one", 264, 256, m_atomic_one, J, 8);
    ADD("micro/atomic_float_64k", 4096, 256, m_atomic_float, C, 65535);
    ADD("micro/atomic_return_4M", 4096, 256, m_atomic_return, J, J + (1 << 22), (1 << 22) - 1);
    ADD("micro/sfu", 1056, 256, m_sfu, C, 256);
    ADD("micro/cvt", 1056, 256, m_cvt, J, 256);
    ADD("micro/div", 1056, 256, m_div, C, 3.0f, 256);
    ADD("micro/sqrt", 1056, 256, m_sqrt, C, 256);
    ADD("micro/idiv", 1056, 256, m_idiv, J, 17, 128);
    ADD("micro/ddiv", 1056, 256, m_ddiv, DC, 3.0, 64);
    ADD("micro/dfma", 1056, 256, m_dfma, DC, 1.01, 256);
    ADD("micro/half2", 1056, 256, m_half2, (__half2 *)C, 1024);
    ADD("micro/long", 1056, 256, m_long, (long long *)C, 31ll, 256);

    ADD("dense/gemm_regs_1024", dim3(16, 16), 256, gemm_regs, C, A, B, 1024);
    ADD("dense/gemm_tile16_512", dim3(32, 32), dim3(16, 16), gemm_tile16, C, A, B, 512);
    ADD("dense/gemm_double_512", dim3(32, 32), dim3(16, 16), gemm_double, DC, DA, DB, 512);
    ADD("dense/gemm_batched", 8192, 256, gemm_batched, C, A, B);
    ADD("dense/matvec_rows", 16, 256, matvec_rows, C, A, B, 4096);
    ADD("dense/matvec_columns", 16, 256, matvec_columns, C, A, B, 4096);
    ADD("dense/matvec_warp", 512, 256, matvec_warp, C, A, B, 4096);
    ADD("dense/conv3x3", dim3(32, 128), dim3(32, 8), conv3x3, C, A, 1024, 1024, 4);
    ADD("dense/conv_rows", dim3(8, 2048), 256, conv_rows, C, A, 2048);
    ADD("tensor/wmma_1024", dim3(32, 16), 256, gemm_wmma, C, HA, HB, 1024);
    ADD("tensor/wmma_shared_1024", dim3(16, 16), 128, gemm_wmma_shared, C, HA, HB, 1024);
    ADD("tensor/mma_only", 528, 256, mma_only, C, 256);
    ADD("sparse/csr_scalar", rows / 256, 256, csr_scalar, C, RP, CI, A, B, rows);
    ADD("sparse/csr_warp", rows / 8, 256, csr_warp, C, RP, CI, A, B, rows);
    ADD("sparse/ell", rows / 256, 256, ell, C, I, A, B, rows, 16);
    ADD("sparse/coo", 4096, 256, coo, C, I, I + (1 << 20), A, B, 1 << 20, (1 << 18) - 1);
    ADD("graph/bfs_step", rows / 256, 256, bfs_step, L, RP, CI, rows, 3, J);
    ADD("graph/pagerank", rows / 256, 256, pagerank, C, A, RP, CI, rows);
    ADD("graph/degrees", (edges + 255) / 256, 256, degrees, J, CI, edges);
    ADD("graph/floyd_step", dim3(64, 64), dim3(16, 16), floyd_step, J, 1024, 77);
    ADD("stencil/jacobi_2048", dim3(64, 256), dim3(32, 8), jacobi, C, A, 2048);
    ADD("stencil/jacobi_512", dim3(16, 64), dim3(32, 8), jacobi, C, A, 512);
    ADD("stencil/jacobi_shared_1024", dim3(64, 64), dim3(16, 16), jacobi_shared, C, A, 1024);
    ADD("stencil/heat3d_128", dim3(4, 32, 128), dim3(32, 4), heat3d, C, A, 128);
    ADD("stencil/wave1d", 8192, 256, wave1d, DC, DA, DB, 1 << 21);
    ADD("stencil/path_row", 400, 256, path_row, J, I, I + (1 << 20), 100000);
    ADD("sort/bitonic512", 2048, 512, bitonic512, J);
    ADD("sort/bitonic_step", 8192, 256, bitonic_step, J, 64, 256);
    ADD("sort/radix_count", 256, 256, radix_count, J, (const unsigned *)I, 8, 1 << 22);
    ADD("scan/blelloch", 2048, 512, scan_blelloch, C, A);
    ADD("scan/warp", 4096, 512, scan_warp, J, I);
    ADD("scan/compact", 4096, 256, compact, J + (1 << 20), J, I, 1 << 20);
    ADD("reduce/sum_shuffle", 264, 256, sum_shuffle, C, A, 1 << 22);
    ADD("reduce/max_tree", 528, 256, max_tree, C, A, 1 << 24);
    ADD("reduce/dot_double", 264, 256, dot_double, DC, DA, DB, 1 << 21);
    ADD("transpose/pad_1024", dim3(32, 32), dim3(32, 8), transpose_pad, C, A, 1024, 1024);
    ADD("transpose/plain_double", dim3(64, 64), dim3(16, 16), transpose_plain, DC, DA, 1024, 1024);
    ADD("network/layer_norm_1024", 4096, 256, layer_norm, C, A, 1024);
    ADD("network/softmax_warp", 512, 256, softmax_warp, C, A, 512);
    ADD("network/softmax_block", 1024, 256, softmax_block, C, A, 4096);
    ADD("network/relu_bias", 8192, 256, relu_bias, C, A, B, 1 << 21, 768);
    ADD("network/gelu", 4096, 256, gelu, C, A, 1 << 20);
    ADD("network/attention", 128, 256, attention, C, A, B, B + (1 << 20), 512);
    ADD("network/pool2x2", dim3(32, 128), dim3(32, 8), pool2x2, C, A, 2048, 2048);
    ADD("histogram/global", 264, 256, hist_global, J, (const unsigned char *)A, 1 << 20);
    ADD("histogram/private", 264, 256, hist_private, J, (const unsigned char *)A, 1 << 22);
    ADD("table/hash_insert", 2048, 256, hash_insert, (unsigned *)J + (1 << 21), (const unsigned *)I, 1 << 19, (1 << 21) - 1);
    ADD("table/lookup", 528, 256, table_lookup, C, T, 65535, 16);
    ADD("divergent/collatz", 1024, 256, collatz, J, 500);
    ADD("divergent/mandelbrot", dim3(64, 64), dim3(16, 16), mandelbrot, J, 1024, 200);
    ADD("divergent/search", 2048, 256, search, J, S, 1 << 20);
    ADD("compute/monte_carlo", 528, 256, monte_carlo, C, 256);
    ADD("compute/options", 2048, 256, options, DC, DA, 1 << 19);
    ADD("compute/hash_rounds", 1056, 256, hash_rounds, (unsigned *)J, 100);
    ADD("compute/nbody_8192", 64, 128, nbody, (float4 *)C, (const float4 *)A, 8192);
    ADD("compute/kmeans", 512, 256, kmeans, J, A, B, 1 << 17, 32);
    ADD("compute/bilateral", dim3(64, 64), dim3(16, 16), bilateral, C, A, 1024, 1024);
    ADD("compute/local_array", 264, 256, local_array, C, I, 128);
    ADD("dynamic/edit_rows", 512, 256, edit_rows, J, (const unsigned char *)A, 256);
    ADD("elimination/column", 2, 512, gauss_column, C, A, 1024, 10);
    ADD("elimination/update", dim3(64, 64), dim3(16, 16), gauss_update, C, B, 1024, 10);
    ADD("signal/fft256", 2048, 256, fft256, (float2 *)C);
    ADD("particles/step", 1024, 256, particles, C, C + (1 << 21), A, 1 << 18);
    ADD("small/axpy_1k", 4, 256, axpy, C, A, 2.0f, 1024);
    ADD("small/axpy_64k", 256, 256, axpy, C, A, 2.0f, 1 << 16);
    ADD("small/axpy_1M", 4096, 256, axpy, C, A, 2.0f, 1 << 20);
    ADD("small/fill_4M", 16384, 256, fill_int, J, 7, 1 << 22);
    ADD("small/one_block_sum", 1, 1024, one_block_sum, C, A, 1 << 16);
    ADD("small/one_thread", 1, 1, one_thread, C, A, 1000);
    ADD("small/jacobi_64", dim3(2, 8), dim3(32, 8), jacobi, C, A, 64);
    ADD("small/gemm_64", dim3(4, 4), dim3(16, 16), gemm_tile16, C, A, B, 64);
    ADD("small/layer_norm_16", 16, 256, layer_norm, C, A, 768);
}

static void measure(bool is_cold, int runs) {
    char *flush = device<char>(256 << 20);
    puts("name,grid,block,best_us,median_us");
    for (auto &c : cases) {
        cudaEvent_t from, to; CHECK(cudaEventCreate(&from)); CHECK(cudaEventCreate(&to));
        std::vector<float> times;
        for (int i = 0; i < runs + 2; i++) {
            if (is_cold) CHECK(cudaMemsetAsync(flush, i, 256 << 20));
            CHECK(cudaEventRecord(from)); c.run(c.grid, c.block); CHECK(cudaEventRecord(to));
            CHECK(cudaGetLastError()); CHECK(cudaEventSynchronize(to));
            float ms; CHECK(cudaEventElapsedTime(&ms, from, to)); if (i >= 2) times.push_back(ms * 1000);
        }
        std::sort(times.begin(), times.end());
        printf("%s,%u,%u,%.3f,%.3f\n", c.name.c_str(), c.grid.x * c.grid.y * c.grid.z, c.block.x * c.block.y * c.block.z, times[0], times[times.size() / 2]);
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    std::string mode = argc > 1 ? argv[1] : "once";
    int runs = argc > 2 ? atoi(argv[2]) : 20;
    make_cases();
    if (mode == "list") for (auto &c : cases) puts(c.name.c_str());
    else if (mode == "time" || mode == "cold") measure(mode == "cold", runs);
    else for (auto &c : cases) { c.run(c.grid, c.block); CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); }
    return 0;
}
