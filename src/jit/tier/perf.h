/* SPDX-License-Identifier: Apache-2.0 */
/* perf.h - inside jit: the files that the profiler perf reads; see
 * tier/debug.h. */
#ifndef SW_JIT_PERF_H
#define SW_JIT_PERF_H
#include "jit/tier/object.h"

/* Writes what SOFTWARP_PERF asks for; see sw_jit_debug_register. `image`, which
 * may be NULL, is the object's (sw_jit_debug_image). Any thread. */
void sw_jit_perf_tell(const sw_jit_object *object, const void *bytes,
                      size_t size, const uint8_t *image, const char *name);

#endif
