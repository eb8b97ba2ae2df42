/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT right
/* Arrays whose kind of channel says that integers read as fractions. */
#include "check.h"

__global__ void
read(cudaTextureObject_t texture, float4 *out)
{
    *out = tex2D<float4>(texture, 0, 0);
}

static void
try_kind(int kind, const void *texel, float4 want)
{
    int i = kind - cudaChannelFormatKindUnsignedNormalized8X1;
    int bits = i / 3 % 2 ? 16 : 8, n = 1 << i % 3;
    cudaChannelFormatDesc got,
        desc = cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0,
                                     n > 2 ? bits : 0,
                                     (cudaChannelFormatKind)kind);
    cudaArray_t array;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    float4 *out;

    CK(cudaMallocArray(&array, &desc, 1, 1));
    CK(cudaGetChannelDesc(&got, array));
    MUST(got.f == desc.f && got.x == bits && got.y == desc.y &&
         got.w == desc.w);
    CK(cudaMemcpy2DToArray(array, 0, 0, texel, n * bits / 8, n * bits / 8, 1,
                           cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    MUST(cudaCreateTextureObject(&texture, &resource, &how, nullptr) ==
         cudaErrorInvalidNormSetting);
    how.readMode = cudaReadModeNormalizedFloat;
    CK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    CK(cudaMallocManaged(&out, sizeof *out));
    read<<<1, 1>>>(texture, out);
    CK(cudaDeviceSynchronize());
    MUST(out->x == want.x && (n < 2 || out->y == want.y) &&
         (n < 4 || (out->z == want.z && out->w == want.w)));
    CK(cudaDestroyTextureObject(texture));
    CK(cudaFreeArray(array));
    CK(cudaFree(out));
}

int
main()
{
    const unsigned char bytes[4] = {255, 0, 51, 102};
    const signed char signs[4] = {127, -127, -128, 0};
    const unsigned short halves[4] = {65535, 0, 13107, 26214};
    const short words[4] = {32767, -32767, -32768, 0};
    const float4 parts = {1, 0, 0.2f, 0.4f}, ends = {1, -1, -1, 0};
    cudaChannelFormatDesc wrong = cudaCreateChannelDesc(
        16, 0, 0, 0, cudaChannelFormatKindUnsignedNormalized8X1);
    cudaArray_t none;

    for (int i = 0; i < 3; i++) {
        int first = cudaChannelFormatKindUnsignedNormalized8X1 + i;
        try_kind(first, bytes, parts);
        try_kind(first + 3, halves, parts);
        try_kind(first + 6, signs, ends);
        try_kind(first + 9, words, ends);
    }
    MUST(cudaMallocArray(&none, &wrong, 1, 1) ==
         cudaErrorInvalidChannelDescriptor);
    puts("right");
}
