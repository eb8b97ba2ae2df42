/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crt/host_defines.h - by another name, host_defines.h, which programs should include.
 */
#ifndef SOFTWARP_CRT_HOST_DEFINES_H
#define SOFTWARP_CRT_HOST_DEFINES_H
#include "../host_defines.h"
#endif
