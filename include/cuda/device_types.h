/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_types.h - rounding modes as the runtime API numbers them.
 */
#ifndef SOFTWARP_DEVICE_TYPES_H
#define SOFTWARP_DEVICE_TYPES_H
#include "host_defines.h"

enum cudaRoundMode {
    cudaRoundNearest,
    cudaRoundZero,
    cudaRoundPosInf,
    cudaRoundMinInf
};
#endif
