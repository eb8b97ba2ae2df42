/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_surface_types.h - surface references, surface<void, dim>.
 */
#ifndef SOFTWARP_CUDA_SURFACE_TYPES_H
#define SOFTWARP_CUDA_SURFACE_TYPES_H
#pragma GCC system_header
#include "channel_descriptor.h"
#include "surface_types.h"

#ifdef __cplusplus
#ifdef __CUDA__
#define SW_SURFACE_TYPE __attribute__((device_builtin_surface_type))
#else
#define SW_SURFACE_TYPE
#endif

template <class T, int dim = cudaSurfaceType1D>
struct SW_SURFACE_TYPE surface : public surfaceReference {
    __host__ surface(void) : surfaceReference()
    {
        channelDesc = cudaCreateChannelDesc<T>();
    }
};
#undef SW_SURFACE_TYPE
#endif
#endif
