/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cubin.h - what a cubin (an ELF file of machine code) says of its kernels.
 *
 * Borrows the bytes; allocates nothing; bytes of any content are safe. Does
 * NOT read instructions. No state; any thread.
 */
#ifndef SW_FRONT_CUBIN_H
#define SW_FRONT_CUBIN_H
#include "front/fatbin/elf.h"

typedef struct {
    sw_str name;
    uint32_t registers;    /* per thread; 0: it does not say */
    uint32_t static_smem;  /* bytes per block, without what the system takes */
    uint32_t max_block[3]; /* launch bounds; all 0: none */
} sw_cubin_kernel;

/* The next kernel; start with *it = 0; false at the end. `elf` is one of
 * machine 190. */
bool sw_cubin_next_kernel(const sw_elf *elf, uint32_t *it,
                          sw_cubin_kernel *out);

/* Registers of all of its kernels and functions: name -> uintptr_t. In time
 * linear in the file's size; of names that `out` has already, the new ones. */
void sw_cubin_registers(const sw_elf *elf, sw_map *out);

#endif
