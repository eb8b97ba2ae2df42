/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap.h - the memory that LLVM allocates from: a part of the address space of
 * its own, of which each thread takes what it needs by itself. The system's
 * malloc asks the kernel again for each page of a thread that is not the first.
 *
 * Any thread may call anything here, and free what another has allocated. What
 * was not allocated here is not for sw_jit_heap_free and _size. Functions
 * return NULL for what the system's malloc has to give: what is very large, or
 * anything where no address space is to be had.
 */
#ifndef SW_JIT_HEAP_H
#define SW_JIT_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* align: a power of two, or 0. */
void *sw_jit_heap_alloc(size_t bytes, size_t align);

/* Of what was allocated here. */
void sw_jit_heap_free(void *p);

/* How many bytes p has. */
size_t sw_jit_heap_size(const void *p);

bool sw_jit_heap_owns(const void *p);

/* Gives memory back to the system if a lot is free: what this thread has, and
 * threads that have ended. */
void sw_jit_heap_trim(void);

#endif
