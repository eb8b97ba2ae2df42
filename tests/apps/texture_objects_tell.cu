/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 0 failed
/* Texture and surface objects say what they were made of. */
#include <cstdio>

static int failures;
#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            failures++;                                                        \
            printf("line %d: %s\n", __LINE__, #condition);                     \
        }                                                                      \
    } while (0)

int
main()
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<short2>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore) ==
          cudaSuccess);
    cudaResourceDesc resource = {}, told;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture = {}, texture_told;
    texture.addressMode[0] = cudaAddressModeMirror;
    texture.addressMode[1] = cudaAddressModeBorder;
    texture.filterMode = cudaFilterModeLinear;
    texture.readMode = cudaReadModeNormalizedFloat;
    texture.normalizedCoords = 1;
    texture.borderColor[2] = 0.5f;
    cudaTextureObject_t object;
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, NULL) ==
          cudaSuccess);
    CHECK(cudaGetTextureObjectResourceDesc(&told, object) == cudaSuccess);
    CHECK(told.resType == cudaResourceTypeArray &&
          told.res.array.array == array);
    CHECK(cudaGetTextureObjectTextureDesc(&texture_told, object) ==
          cudaSuccess);
    CHECK(texture_told.addressMode[0] == cudaAddressModeMirror &&
          texture_told.addressMode[1] == cudaAddressModeBorder &&
          texture_told.filterMode == cudaFilterModeLinear &&
          texture_told.readMode == cudaReadModeNormalizedFloat &&
          texture_told.normalizedCoords == 1 &&
          texture_told.borderColor[2] == 0.5f);
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource) == cudaSuccess);
    CHECK(cudaGetSurfaceObjectResourceDesc(&told, surface) == cudaSuccess);
    CHECK(told.res.array.array == array);
    CHECK(cudaGetSurfaceObjectResourceDesc(NULL, surface) ==
          cudaErrorInvalidValue);

    void *p;
    CHECK(cudaMalloc(&p, 1024) == cudaSuccess);
    resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = p;
    resource.res.linear.desc = cudaCreateChannelDesc<float4>();
    resource.res.linear.sizeInBytes = 1024;
    texture = {};
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, NULL) ==
          cudaSuccess);
    CHECK(cudaGetTextureObjectResourceDesc(&told, object) == cudaSuccess);
    CHECK(told.resType == cudaResourceTypeLinear &&
          told.res.linear.devPtr == p && told.res.linear.sizeInBytes == 1024 &&
          told.res.linear.desc.w == 32 &&
          told.res.linear.desc.f == cudaChannelFormatKindFloat);
    texture.normalizedCoords = 1; /* of no effect */
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, NULL) ==
          cudaSuccess);
    texture.filterMode = cudaFilterModeLinear;
    resource.res.linear.desc = cudaCreateChannelDesc<uint2>();
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, NULL) ==
          cudaErrorInvalidFilterSetting);
    texture.filterMode = cudaFilterModePoint;
    texture.readMode = cudaReadModeNormalizedFloat;
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, NULL) ==
          cudaErrorInvalidNormSetting);
    resource.res.linear.desc = cudaCreateChannelDescHalf();
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, NULL) ==
          cudaErrorInvalidNormSetting);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = NULL;
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, NULL) ==
          cudaErrorInvalidResourceHandle);
    CHECK(cudaMalloc3DArray(&resource.res.array.array, &format,
                            make_cudaExtent(4, 4, 6),
                            cudaArrayCubemap) == cudaSuccess);
    texture.seamlessCubemap = 1;
    texture.disableTrilinearOptimization = 1;
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, NULL) ==
          cudaSuccess);
    CHECK(cudaGetTextureObjectTextureDesc(&texture_told, object) ==
          cudaSuccess);
    CHECK(texture_told.seamlessCubemap &&
          texture_told.disableTrilinearOptimization);
    printf("%d failed\n", failures);
    return failures != 0;
}
