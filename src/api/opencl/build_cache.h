/* SPDX-License-Identifier: Apache-2.0 */
/* build_cache.h - programs that were built before, by any process: PTX and log
 * kept with compiled code (jit/tier/cache.h). Any thread. */
#ifndef SW_API_OPENCL_BUILD_CACHE_H
#define SW_API_OPENCL_BUILD_CACHE_H
#include "api/opencl/compiler.h"

/* As compiler->build, of the same meaning. Sources that include files are
 * always built. */
sw_status sw_ocl_build_cached(const sw_ocl_compiler *compiler,
                              const sw_cl_compile_request *request, sw_buf *ptx,
                              sw_buf *log);

#endif
