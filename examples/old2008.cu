/* SPDX-License-Identifier: Apache-2.0 */
/*
 * old2008.cu - a program in the CUDA of 2008, as found in old archives.
 *
 * Texture references (global variables bound to memory, gone since CUDA 12),
 * symbols named by strings (gone since 5), cudaThreadSynchronize and
 * cudaMemcpyToArray (deprecated since 4 and 10), 24-bit multiplication because
 * the devices of the time had no other, launches without error codes. No
 * toolkit that is sold today compiles all of it; `softwarp cc` does, and
 * accepts -deviceemu, which here means what it always does: no device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define BLOCK 16
#define CUDA_SAFE_CALL(call)                                                  \
    do {                                                                      \
        cudaError err = call;                                                 \
        if (cudaSuccess != err) {                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                \
                    cudaGetErrorString(err));                                 \
            exit(EXIT_FAILURE);                                               \
        }                                                                     \
    } while (0)

/* One reference for an image, one for plain memory. */
texture<float, 2, cudaReadModeElementType> imageTex;
texture<int, 1, cudaReadModeElementType> tableTex;

__constant__ float weights[3];
__device__ int brightest;

/* Weighs each pixel with its left and right neighbour; the texture unit repeats
 * the edge. */
__global__ void blurRows(float *out, int width, int height)
{
    int x = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;
    int y = __mul24(blockIdx.y, blockDim.y) + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int i = -1; i <= 1; i++)
        sum += weights[i + 1] * tex2D(imageTex, x + i + 0.5f, y + 0.5f);
    out[__mul24(y, width) + x] = sum;
}

/* Between four pixels the texture unit interpolates: their mean. */
__global__ void shrink(float *out, int width, int height)
{
    int x = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;
    int y = __mul24(blockIdx.y, blockDim.y) + threadIdx.y;
    if (x < width / 2 && y < height / 2)
        out[__mul24(y, width / 2) + x] = tex2D(imageTex, 2 * x + 1, 2 * y + 1);
}

/* Looks numbers up in a table by way of the texture cache, and remembers the
 * largest. */
__global__ void lookUp(int *values, int n)
{
    int i = __umul24(blockIdx.x, blockDim.x) + threadIdx.x;
    if (i < n) {
        values[i] = tex1Dfetch(tableTex, values[i]);
        atomicMax(&brightest, values[i]);
    }
}

static int wrongCases = 0;

static void verify(const char *name, int ok)
{
    printf("%s: %s\n", name, ok ? "verified" : "WRONG");
    wrongCases += !ok;
}

int main(int argc, char **argv)
{
    int width = 200, height = 120, n = 10000;
    if (argc > 1) { /* --quick */
        width = 40;
        height = 24;
        n = 1000;
    }
    int size = width * height * sizeof(float), i, x, y, ok;
    float *image = (float *)malloc(size), *out = (float *)malloc(size);
    for (i = 0; i < width * height; i++)
        image[i] = (float)(i * 37 % 256);

    /* The image goes into an array, whose layout is the device's secret. */
    cudaArray *array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    CUDA_SAFE_CALL(cudaMallocArray(&array, &desc, width, height));
    CUDA_SAFE_CALL(
        cudaMemcpyToArray(array, 0, 0, image, size, cudaMemcpyHostToDevice));
    imageTex.addressMode[0] = cudaAddressModeClamp;
    imageTex.addressMode[1] = cudaAddressModeClamp;
    imageTex.filterMode = cudaFilterModePoint;
    imageTex.normalized = false;
    CUDA_SAFE_CALL(cudaBindTextureToArray(imageTex, array));

    float w[3] = {0.25f, 0.5f, 0.25f}, *d_out;
    CUDA_SAFE_CALL(cudaMemcpyToSymbol("weights", w, sizeof(w)));
    CUDA_SAFE_CALL(cudaMalloc((void **)&d_out, size));

    dim3 threads(BLOCK, BLOCK);
    dim3 grid((width + BLOCK - 1) / BLOCK, (height + BLOCK - 1) / BLOCK);
    blurRows<<<grid, threads>>>(d_out, width, height);
    CUDA_SAFE_CALL(cudaThreadSynchronize());
    CUDA_SAFE_CALL(cudaMemcpy(out, d_out, size, cudaMemcpyDeviceToHost));
    for (ok = 1, y = 0; y < height; y++)
        for (x = 0; x < width; x++) {
            const float *row = image + y * width;
            float left = row[x > 0 ? x - 1 : 0];
            float right = row[x < width - 1 ? x + 1 : x];
            ok &= out[y * width + x] ==
                  0.25f * left + 0.5f * row[x] + 0.25f * right;
        }
    verify("texture reference on an array", ok);

    CUDA_SAFE_CALL(cudaUnbindTexture(imageTex));
    imageTex.filterMode = cudaFilterModeLinear;
    CUDA_SAFE_CALL(cudaBindTextureToArray(imageTex, array, desc));
    shrink<<<grid, threads>>>(d_out, width, height);
    CUDA_SAFE_CALL(cudaThreadSynchronize());
    CUDA_SAFE_CALL(cudaMemcpy(out, d_out, size / 4, cudaMemcpyDeviceToHost));
    for (ok = 1, y = 0; y < height / 2; y++)
        for (x = 0; x < width / 2; x++) {
            const float *p = image + 2 * y * width + 2 * x;
            ok &= out[y * (width / 2) + x] ==
                  (p[0] + p[1] + p[width] + p[width + 1]) / 4;
        }
    verify("linear filtering", ok);

    int *values = (int *)malloc(n * sizeof(int)), *d_values, *d_table;
    int table[256], most = -1, got;
    for (i = 0; i < 256; i++)
        table[i] = i * 73 % 251;
    for (i = 0; i < n; i++)
        values[i] = i * 31 % 256;
    CUDA_SAFE_CALL(cudaMalloc((void **)&d_table, sizeof(table)));
    CUDA_SAFE_CALL(cudaMalloc((void **)&d_values, n * sizeof(int)));
    CUDA_SAFE_CALL(
        cudaMemcpy(d_table, table, sizeof(table), cudaMemcpyHostToDevice));
    CUDA_SAFE_CALL(cudaMemcpy(d_values, values, n * sizeof(int),
                              cudaMemcpyHostToDevice));
    CUDA_SAFE_CALL(cudaMemcpyToSymbol("brightest", &most, sizeof(most)));
    CUDA_SAFE_CALL(cudaBindTexture(0, tableTex, d_table, sizeof(table)));
    lookUp<<<(n + 255) / 256, 256>>>(d_values, n);
    CUDA_SAFE_CALL(cudaThreadSynchronize());
    int *back = (int *)malloc(n * sizeof(int));
    CUDA_SAFE_CALL(cudaMemcpy(back, d_values, n * sizeof(int),
                              cudaMemcpyDeviceToHost));
    CUDA_SAFE_CALL(cudaMemcpyFromSymbol(&got, "brightest", sizeof(got)));
    for (ok = 1, i = 0; i < n; i++) {
        ok &= back[i] == table[values[i]];
        most = table[values[i]] > most ? table[values[i]] : most;
    }
    verify("texture reference on memory", ok);
    verify("symbols by name", got == most);

    CUDA_SAFE_CALL(cudaFreeArray(array));
    CUDA_SAFE_CALL(cudaFree(d_out));
    CUDA_SAFE_CALL(cudaFree(d_table));
    CUDA_SAFE_CALL(cudaFree(d_values));
    free(image);
    free(out);
    free(values);
    free(back);
    cudaThreadExit();
    return wrongCases ? EXIT_FAILURE : EXIT_SUCCESS;
}
