/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copies.cu - the same copy with every warp off by some elements, with gaps,
 * and through a texture.
 *
 * The results differ in nothing but their place; what differs on a device is
 * how many stretches of memory a warp touches: one if its 32 elements are
 * neighbours and begin at the right address, two if they begin elsewhere, up
 * to 32 with gaps. Texture fetches go through a cache that does not mind where
 * a row begins.
 */
#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "example.h"

__global__ void offset_copy(float *out, const float *in, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    out[i] = in[i];
}

__global__ void stride_copy(float *out, const float *in, int stride)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    out[i] = in[i];
}

__global__ void shift_copy(float *out, const float *in, int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + shift];
}

__global__ void texture_shift_copy(float *out, cudaTextureObject_t in,
                                   int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex1Dfetch<float>(in, i + shift);
}

enum { THREADS = 256, MOST = 32 }; /* the largest offset or stride */

static std::string label(const char *name, int n)
{
    return std::string(name) + " " + std::to_string(n);
}

int main(int argc, char **argv)
{
    const int blocks = example_is_quick(argc, argv) ? 8 : 512;
    const int n = blocks * THREADS, room = n * MOST;
    const size_t bytes = room * sizeof(float);
    std::vector<float> in(room), out(room), want(room);
    for (int i = 0; i < room; i++)
        in[i] = (float)(i % 65521);

    float *d_in, *d_out;
    CUDA(cudaMalloc(&d_in, bytes));
    CUDA(cudaMalloc(&d_out, bytes));
    CUDA(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));

    /* A texture object over plain memory: an array of floats to fetch from. */
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = d_in;
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = (n + MOST) * sizeof(float);
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CUDA(cudaCreateTextureObject(&texture, &what, &how, NULL));

    /* Runs one copy and checks all of the output, gaps included. */
    auto check = [&](const std::string &name) {
        CUDA(cudaGetLastError());
        CUDA(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
        verify(name.c_str(), out.data(), want.data(), room);
        CUDA(cudaMemset(d_out, 0, bytes));
        want.assign(room, 0.0f);
    };
    CUDA(cudaMemset(d_out, 0, bytes));

    for (int offset : {0, 1, 8, 16, 17}) {
        for (int i = 0; i < n; i++)
            want[i + offset] = in[i + offset];
        offset_copy<<<blocks, THREADS>>>(d_out, d_in, offset);
        check(label("offset copy,", offset));
    }
    for (int stride : {1, 2, 7, 16, 32}) {
        for (int i = 0; i < n; i++)
            want[i * stride] = in[i * stride];
        stride_copy<<<blocks, THREADS>>>(d_out, d_in, stride);
        check(label("stride copy,", stride));
    }
    for (int shift : {0, 1, 15}) {
        for (int i = 0; i < n; i++)
            want[i] = in[i + shift];
        shift_copy<<<blocks, THREADS>>>(d_out, d_in, shift);
        check(label("shift copy,", shift));
        for (int i = 0; i < n; i++)
            want[i] = in[i + shift];
        texture_shift_copy<<<blocks, THREADS>>>(d_out, texture, shift);
        check(label("texture shift copy,", shift));
    }
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d_out));
    return example_wrong != 0;
}
