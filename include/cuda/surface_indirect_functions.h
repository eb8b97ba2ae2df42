/* SPDX-License-Identifier: Apache-2.0 */
/*
 * surface_indirect_functions.h - by another name, surface_functions.h.
 */
#ifndef SOFTWARP_SURFACE_INDIRECT_FUNCTIONS_H
#define SOFTWARP_SURFACE_INDIRECT_FUNCTIONS_H
#include "surface_functions.h"
#endif
