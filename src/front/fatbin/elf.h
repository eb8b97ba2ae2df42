/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf.h - sections, symbols and needed libraries of a 64-bit little-endian ELF
 * file in memory: host programs, objects, shared objects, cubins.
 *
 * Borrows the bytes; allocates nothing. Every offset and name is checked
 * against the file: bytes of any content are safe. Does NOT relocate, load or
 * write. No state; any thread.
 */
#ifndef SW_FRONT_ELF_H
#define SW_FRONT_ELF_H
#include "base/base.h"

typedef struct {
    sw_str bytes;     /* the file */
    uint16_t type;    /* ET_REL 1, ET_EXEC 2, ET_DYN 3 */
    uint16_t machine; /* x86-64 62, AArch64 183, CUDA 190 */
    uint32_t flags;   /* e_flags */
    uint64_t section_offset;
    uint32_t sections;
    uint32_t name_section;
} sw_elf;

typedef struct {
    sw_str name;
    uint32_t type; /* SHT_... */
    uint64_t flags;
    uint64_t address;
    uint64_t offset;
    uint64_t size; /* as declared */
    uint32_t link, info;
    uint64_t entry_bytes;
    sw_str bytes; /* empty for SHT_NOBITS */
} sw_elf_section;

typedef struct {
    sw_str name;
    uint32_t index; /* in its table */
    uint64_t value;
    uint64_t size;
    uint8_t type;     /* STT_FUNC 2, STT_OBJECT 1 */
    uint8_t binding;  /* STB_LOCAL 0, GLOBAL 1, WEAK 2 */
    uint16_t section; /* 0: undefined */
} sw_elf_symbol;

bool sw_elf_is(sw_str bytes); /* begins with the magic */

/* SW_E_INVALID_IMAGE with a sentence (`file` for its place, may be ""). */
sw_status sw_elf_open(sw_str bytes, const char *file, sw_elf *out,
                      sw_diag *diag);

/* Section i; false if i is no section or its header lies outside the file.
 * A section that reaches beyond the file has empty bytes. */
bool sw_elf_section_at(const sw_elf *elf, uint32_t i, sw_elf_section *out);
bool sw_elf_find_section(const sw_elf *elf, const char *name,
                         sw_elf_section *out);

/*
 * The next symbol of .symtab, then of .dynsym: start with *it = 0; false at
 * the end. Unnamed symbols are skipped.
 */
bool sw_elf_next_symbol(const sw_elf *elf, uint64_t *it, sw_elf_symbol *out);
/* The first defined symbol of this name, else the first undefined one. */
bool sw_elf_find_symbol(const sw_elf *elf, const char *name,
                        sw_elf_symbol *out);

/* The next needed library (DT_NEEDED); start with *it = 0. */
bool sw_elf_next_needed(const sw_elf *elf, uint64_t *it, sw_str *name);

/* Bytes that an image in memory, of unknown length, declares by its header:
 * the end of its section and program header tables and of what they list.
 * 0 if it is no ELF this file reads. Trusts the header. */
uint64_t sw_elf_declared_bytes(const void *image);

#endif
