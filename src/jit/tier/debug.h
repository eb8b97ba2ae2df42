/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug.h - tells debuggers and profilers of code that no file holds.
 *
 * gdb: an object with debug sections is registered through gdb's interface for
 * compilers at run time (__jit_debug_register_code), so that breakpoints by
 * line, backtraces and `list` work in compiled kernels; with SOFTWARP_GDB=1
 * objects without debug sections too, then for their functions' names only.
 *
 * perf: SOFTWARP_PERF=map writes a line for each function to
 * /tmp/perf-PID.map, which `perf report` reads. SOFTWARP_PERF=jitdump writes
 * /tmp/jit-PID.dump, which has the code and its lines; after `perf record -k
 * mono`, `perf inject --jit` makes of it what `perf annotate` shows.
 *
 * The environment is read when the first object comes. Any thread.
 */
#ifndef SW_JIT_DEBUG_H
#define SW_JIT_DEBUG_H
#include "jit/tier/object.h"

typedef struct sw_jit_debug sw_jit_debug;

/*
 * Tells of an object; bytes[0..size) are those that it was loaded from and not
 * needed afterwards. In what perf sees its global functions are called `name`;
 * NULL: as they are. NULL if nothing has to be taken back later; else owned by
 * caller, sw_jit_debug_unregister before the object is destroyed.
 */
sw_jit_debug *sw_jit_debug_register(const sw_jit_object *object,
                                    const void *bytes, size_t size,
                                    const char *name);
void sw_jit_debug_unregister(sw_jit_debug *debug);

/* The object as a linked file, for those who read it in memory: sections and
 * symbols have their final addresses, relocations are done, in debug sections
 * too. Owned by caller (sw_free), `size` bytes; NULL: it has relocations that
 * we have no meaning for. */
uint8_t *sw_jit_debug_image(const sw_jit_object *object, const void *bytes,
                            size_t size);

#endif
