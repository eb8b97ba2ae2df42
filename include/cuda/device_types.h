/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_types.h - rounding modes as the runtime API numbers them.
 */
#ifndef __DEVICE_TYPES_H__
#define __DEVICE_TYPES_H__
#include "host_defines.h"

enum cudaRoundMode {
    cudaRoundNearest,
    cudaRoundZero,
    cudaRoundPosInf,
    cudaRoundMinInf
};
#endif
