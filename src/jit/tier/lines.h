/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.h - inside jit: which line of which file an address comes from, by the
 * .debug_line section of an object's image (sw_jit_debug_image). DWARF 2 to 5;
 * what is damaged, or of a form that compilers do not write there, ends the
 * list early.
 */
#ifndef SW_JIT_LINES_H
#define SW_JIT_LINES_H
#include "jit/tier/elf.h"

typedef struct {
    uint64_t address;
    const char *file; /* with its folder, if that is known; in the arena */
    uint32_t line;    /* 0: of no line */
    bool is_end;      /* the first address after a sequence; no line */
} sw_jit_line;

/* Pushes the lines, in the order of the section (addresses rise within a
 * sequence), to `out` (of sw_jit_line). `elf` is the object that the image was
 * made of: contents lie at the same places of both. */
void sw_jit_lines_read(const sw_jit_elf *elf, const uint8_t *image,
                       sw_arena *arena, sw_vec *out);

#endif
