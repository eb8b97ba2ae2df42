/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_indirect_functions.h - by another name, texture_fetch_functions.h.
 */
#ifndef SOFTWARP_TEXTURE_INDIRECT_FUNCTIONS_H
#define SOFTWARP_TEXTURE_INDIRECT_FUNCTIONS_H
#include "texture_fetch_functions.h"
#endif
