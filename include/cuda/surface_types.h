/* SPDX-License-Identifier: Apache-2.0 */
/*
 * surface_types.h - what describes a surface to the runtime API.
 */
#ifndef __SURFACE_TYPES_H__
#define __SURFACE_TYPES_H__
#pragma GCC system_header
#include "driver_types.h"

#include "softwarp_begin.h"

#define cudaSurfaceType1D             0x01
#define cudaSurfaceType1DLayered      0xF1
#define cudaSurfaceType2D             0x02
#define cudaSurfaceType2DLayered      0xF2
#define cudaSurfaceType3D             0x03
#define cudaSurfaceTypeCubemap        0x0C
#define cudaSurfaceTypeCubemapLayered 0xFC

enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0,
    cudaBoundaryModeClamp = 1,
    cudaBoundaryModeTrap = 2,
};

enum cudaSurfaceFormatMode {
    cudaFormatModeForced = 0,
    cudaFormatModeAuto = 1,
};

struct surfaceReference {
    struct cudaChannelFormatDesc channelDesc;
};

typedef unsigned long long cudaSurfaceObject_t;

#include "softwarp_end.h"
#endif
