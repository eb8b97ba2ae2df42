/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_runtime.h - the runtime API for C++ and, when a .cu file is compiled,
 * the CUDA language: included before the first line of each .cu by
 * `softwarp cc`.
 *
 * Host templates are softwarp_rt_templates.h's, textures and surfaces
 * texture_fetch_functions.h's and its neighbours', device functions
 * softwarp_device.h's.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__
#pragma GCC system_header
#include "host_defines.h"

#ifdef __CUDA__
/* Questions of nvcc's about types. The plugin changes the numbers for closures
 * (src/cc/dialect/lambdas.cpp). Host code need not know what one for the device
 * returns: here it may ask. */
template <class T> struct __softwarp_closure {
    enum { is_device = 0, is_both = 0 };
};
#define __nv_is_extended_device_lambda_closure_type(type)                      \
    (__softwarp_closure<type>::is_device != 0)
#define __nv_is_extended_host_device_lambda_closure_type(type)                 \
    (__softwarp_closure<type>::is_both != 0)
#define __nv_is_extended_device_lambda_with_preserved_return_type(type) false

/* The device's functions must be declared before <cmath> and <new>: see
 * softwarp/math_decls.h. */
#include "softwarp/heap_decls.h"
#include "softwarp/math_decls.h"

#include "softwarp/libc.h"

#ifndef __CUDACC_RTC__
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>
#endif
#endif

#include "cuda_runtime_api.h"
#include "library_types.h"
#include "softwarp_host_runtime.h"

#include "driver_functions.h"
#include "vector_functions.h"

#include "device_launch_parameters.h"

#ifdef __cplusplus
#include "channel_descriptor.h"
#include "cuda_surface_types.h"
#include "cuda_texture_types.h"
#include "softwarp_rt_templates.h"
#include "softwarp/nested.h"
#endif

#if defined(__cplusplus) && defined(__CUDA__)
#include "surface_functions.h"
#include "texture_fetch_functions.h"

#include "softwarp_device.h"
#endif

#ifdef __CUDACC_RTC__
#include "softwarp/rtc_end.h"
#endif
#endif
