/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf.h - inside jit: a relocatable ELF object for x86-64, checked and made
 * easy to read, and what its relocations compute.
 *
 * The bytes are never trusted: after sw_jit_elf_read said SW_OK every section
 * that has contents lies within the file, every name is NUL-terminated text in
 * it, every symbol names a section that exists, and every relocation a symbol
 * that exists and a place within its section. Owns copies of the two tables;
 * the rest is borrowed from the caller's bytes.
 */
#ifndef SW_JIT_ELF_H
#define SW_JIT_ELF_H
#include <elf.h>

#include "base/base.h"

typedef struct {
    const uint8_t *bytes;
    size_t size;
    Elf64_Shdr *sections; /* [section_count] */
    uint32_t section_count;
    Elf64_Sym *symbols; /* [symbol_count] */
    uint32_t symbol_count;
    uint32_t names;   /* section with the sections' names */
    uint32_t strings; /* ... with the symbols' names; 0: no symbols */
} sw_jit_elf;

/* SW_E_INVALID_IMAGE: damaged, or no such file; the reason goes to `diag`.
 * Finish it in either case. */
sw_status sw_jit_elf_read(const void *bytes, size_t size, sw_jit_elf *elf,
                          sw_diag *diag);
void sw_jit_elf_finish(sw_jit_elf *elf);

/* Borrowed from the file's bytes. */
const char *sw_jit_elf_section_name(const sw_jit_elf *elf, uint32_t section);
const char *sw_jit_elf_symbol_name(const sw_jit_elf *elf, uint32_t symbol);
/* Occupies memory when the program runs. */
bool sw_jit_elf_is_loaded(const sw_jit_elf *elf, uint32_t section);
/* Its contents are relocations (of section sh_info). */
bool sw_jit_elf_is_relocations(const sw_jit_elf *elf, uint32_t section);
uint64_t sw_jit_elf_relocation_count(const sw_jit_elf *elf, uint32_t section);
Elf64_Rela sw_jit_elf_relocation(const sw_jit_elf *elf, uint32_t section,
                                 uint64_t i);

/* What a relocation is computed from, in the words of the psABI: A is the
 * entry's addend. */
typedef struct {
    uint64_t symbol;   /* S */
    uint64_t addend;   /* A */
    uint64_t place;    /* P: where the result will be when it runs */
    uint64_t got;      /* the global offset table */
    uint64_t got_slot; /* the symbol's place in it */
} sw_jit_reloc;

/* Bytes that a relocation changes; 0: SW_JIT has no meaning for the type
 * (R_X86_64_NONE: none needed). */
unsigned sw_jit_reloc_bytes(uint32_t type);
/* Its name; "an unknown type" otherwise. */
const char *sw_jit_reloc_name(uint32_t type);
/* It goes through the global offset table. */
bool sw_jit_reloc_needs_slot(uint32_t type);
/* Writes the result to `where`, which has sw_jit_reloc_bytes. False: the value
 * does not fit. */
bool sw_jit_reloc_apply(uint32_t type, const sw_jit_reloc *r, uint8_t *where);

#endif
