/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp_device.h - everything device code may use without including
 * anything: intrinsics, atomics, the math library, printf and malloc.
 * cuda_runtime.h includes it last; it needs the vector types only.
 */
#ifndef SOFTWARP_DEVICE_H
#define SOFTWARP_DEVICE_H
#pragma GCC system_header

/* First: the declarations must come before <cmath>. */
#include "softwarp/math_decls.h"

#include "softwarp/arith.h"
#include "softwarp/atomic.h"
#include "softwarp/atomic_nv.h"
#include "softwarp/libc.h"
#include "softwarp/cluster.h"
#include "softwarp/memory.h"
#include "softwarp/simd.h"
#include "softwarp/sync.h"

#include "softwarp/math_api.h"
#include "softwarp/math_double.h"
#include "softwarp/math_double_more.h"
#include "softwarp/math_exact.h"
#include "softwarp/math_float.h"
#include "softwarp/math_float_more.h"
#ifndef __CUDACC_RTC__
#include "softwarp/math_host.h"
#endif
#include "softwarp/math_special.h"

#ifndef __CUDACC_RTC__
/* Products and quotients of std::complex. Since clang 22 they are written with
 * two functions of the vendor's library, by names that are not ours. */
#define __nv_scalbn  scalbn
#define __nv_scalbnf scalbnf
#define __nv_logb    logb
#define __nv_logbf   logbf
#include <__clang_cuda_complex_builtins.h>
#undef __nv_scalbn
#undef __nv_scalbnf
#undef __nv_logb
#undef __nv_logbf
#endif

#endif
