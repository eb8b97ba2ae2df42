/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crt/math_functions.h - by another name, cuda_runtime.h, which programs should include.
 */
#ifndef SOFTWARP_CRT_MATH_FUNCTIONS_H
#define SOFTWARP_CRT_MATH_FUNCTIONS_H
#include "../cuda_runtime.h"
#endif
