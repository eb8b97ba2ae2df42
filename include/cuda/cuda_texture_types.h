/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_texture_types.h - texture references, texture<T, dim, mode>.
 *
 * On the host an object that cudaBindTexture() and its kind fill; in device
 * code clang turns it into a .texref of the same name.
 */
#ifndef SOFTWARP_CUDA_TEXTURE_TYPES_H
#define SOFTWARP_CUDA_TEXTURE_TYPES_H
#pragma GCC system_header
#include "channel_descriptor.h"
#include "texture_types.h"

#ifdef __cplusplus
#ifdef __CUDA__
#define SW_TEXTURE_TYPE __attribute__((device_builtin_texture_type))
#else
#define SW_TEXTURE_TYPE
#endif

template <class T, int dim = cudaTextureType1D,
          enum cudaTextureReadMode mode = cudaReadModeElementType>
struct SW_TEXTURE_TYPE texture : public textureReference {
    __host__ texture(int norm = 0,
                     enum cudaTextureFilterMode filter = cudaFilterModePoint,
                     enum cudaTextureAddressMode address = cudaAddressModeClamp)
        : textureReference()
    {
        set(norm, filter, address, cudaCreateChannelDesc<T>());
    }
    __host__ texture(int norm, enum cudaTextureFilterMode filter,
                     enum cudaTextureAddressMode address,
                     cudaChannelFormatDesc desc)
        : textureReference()
    {
        set(norm, filter, address, desc);
    }

  private:
    __host__ void set(int norm, enum cudaTextureFilterMode filter,
                      enum cudaTextureAddressMode address,
                      cudaChannelFormatDesc desc)
    {
        normalized = norm;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = desc;
    }
};
#undef SW_TEXTURE_TYPE
#endif
#endif
