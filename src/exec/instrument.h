/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instrument.h - code that an observer puts into kernels. It is optimised and
 * compiled with the kernel's own, and needs no events.
 *
 * An instrument is asked once for each instruction that a kernel can reach, and
 * may write others before it (opt/rewriter.h). They run for the lanes that come
 * there, whatever the guard of the kernel's instruction. They must leave the
 * kernel as it is: they write registers of their own and memory that `memory`
 * gave, and do not branch. What is told of the kernel (its registers, its count
 * of instructions) is told of it without them.
 */
#ifndef SW_INSTRUMENT_H
#define SW_INSTRUMENT_H
#include "opt/rewriter.h"

/* Where instructions can be put. */
typedef struct {
    const sw_fn *kernel; /* that is launched */
    const sw_fn *fn;     /* ... or what it calls, as in the module */
    const sw_ins *ins;   /* before this one, which */
    uint32_t block;      /* ... is in this block of fn->blocks, */
    uint32_t index;      /* ... its instruction of this number */
    /* Device memory, zeroed, whose address is the host's as well; 8-aligned. It
     * stays until the process ends. 0: there is none left. */
    uint64_t (*memory)(uint64_t bytes);
} sw_instrument_at;

typedef struct {
    void *arg;
    /* On any thread, for several kernels at once. */
    void (*before)(void *arg, sw_rewriter *w, const sw_instrument_at *at);
} sw_instrument;

/* Those of all observers of a process, called in this order. */
typedef struct {
    const sw_instrument *const *each; /* borrowed */
    uint32_t count;
} sw_instruments;

/* A copy of the function with the code of these instruments, in the arena. */
const sw_fn *sw_instrument_fn(const sw_fn *kernel, const sw_fn *fn,
                              const sw_instruments *by, sw_arena *arena);

#endif
