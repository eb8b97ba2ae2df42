/* SPDX-License-Identifier: Apache-2.0 */
/* elf.c - see tier/elf.h; from the ELF-64 format and the x86-64 psABI. */
#include "jit/tier/elf.h"

#include <string.h>

static sw_status
damaged(sw_diag *diag, const char *what)
{
    sw_diag_add(diag, SW_DIAG_ERROR, "", 0, 0, "compiled code: %s", what);
    return SW_E_INVALID_IMAGE;
}

static bool
is_within(const sw_jit_elf *elf, uint64_t offset, uint64_t bytes)
{
    return offset <= elf->size && bytes <= elf->size - offset;
}

/* The i-th section is a table of NUL-terminated strings. */
static bool
is_strings(const sw_jit_elf *elf, uint64_t i)
{
    if (i == 0 || i >= elf->section_count)
        return false;
    const Elf64_Shdr *s = &elf->sections[i];
    return s->sh_type == SHT_STRTAB && s->sh_size > 0 &&
           elf->bytes[s->sh_offset + s->sh_size - 1] == 0;
}

static const char *
string_at(const sw_jit_elf *elf, uint32_t table, uint32_t offset)
{
    const Elf64_Shdr *s = &elf->sections[table];
    return (const char *)elf->bytes + s->sh_offset + offset;
}

const char *
sw_jit_elf_section_name(const sw_jit_elf *elf, uint32_t section)
{
    return string_at(elf, elf->names, elf->sections[section].sh_name);
}

const char *
sw_jit_elf_symbol_name(const sw_jit_elf *elf, uint32_t symbol)
{
    return string_at(elf, elf->strings, elf->symbols[symbol].st_name);
}

bool
sw_jit_elf_is_loaded(const sw_jit_elf *elf, uint32_t section)
{
    const Elf64_Shdr *s = &elf->sections[section];
    return (s->sh_flags & SHF_ALLOC) && s->sh_size > 0;
}

bool
sw_jit_elf_is_relocations(const sw_jit_elf *elf, uint32_t section)
{
    return elf->sections[section].sh_type == SHT_RELA;
}

uint64_t
sw_jit_elf_relocation_count(const sw_jit_elf *elf, uint32_t section)
{
    return elf->sections[section].sh_size / sizeof(Elf64_Rela);
}

Elf64_Rela
sw_jit_elf_relocation(const sw_jit_elf *elf, uint32_t section, uint64_t i)
{
    Elf64_Rela rela;
    memcpy(&rela,
           elf->bytes + elf->sections[section].sh_offset + i * sizeof rela,
           sizeof rela);
    return rela;
}

/* The header, and the table of sections that it points to. */
static sw_status
read_header(sw_jit_elf *elf, sw_diag *diag)
{
    Elf64_Ehdr h;
    if (elf->size < sizeof h)
        return damaged(diag, "shorter than an ELF header");
    memcpy(&h, elf->bytes, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
        h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB)
        return damaged(diag, "no 64-bit ELF file");
    if (h.e_type != ET_REL || h.e_machine != EM_X86_64)
        return damaged(diag, "no relocatable object for x86-64");
    if (h.e_shentsize != sizeof(Elf64_Shdr) || h.e_shnum == 0 ||
        h.e_shnum >= SHN_LORESERVE ||
        !is_within(elf, h.e_shoff, h.e_shnum * sizeof(Elf64_Shdr)))
        return damaged(diag, "its table of sections is not in the file");
    size_t bytes = h.e_shnum * sizeof(Elf64_Shdr);
    elf->sections = sw_alloc(bytes);
    elf->section_count = h.e_shnum;
    memcpy(elf->sections, elf->bytes + h.e_shoff, bytes);
    elf->names = h.e_shstrndx;
    return SW_OK;
}

static sw_status
check_sections(sw_jit_elf *elf, sw_diag *diag)
{
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const Elf64_Shdr *s = &elf->sections[i];
        if (s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL &&
            !is_within(elf, s->sh_offset, s->sh_size))
            return damaged(diag, "a section is not in the file");
        if (s->sh_type == SHT_NULL && (s->sh_flags & SHF_ALLOC))
            return damaged(diag, "a section of no type");
        if (s->sh_addralign & (s->sh_addralign - 1))
            return damaged(diag, "an alignment is no power of two");
    }
    if (!is_strings(elf, elf->names))
        return damaged(diag, "its sections have no names");
    for (uint32_t i = 0; i < elf->section_count; i++)
        if (elf->sections[i].sh_name >= elf->sections[elf->names].sh_size)
            return damaged(diag, "a section's name is not in the file");
    return SW_OK;
}

static sw_status
read_symbols(sw_jit_elf *elf, uint32_t table, sw_diag *diag)
{
    const Elf64_Shdr *s = &elf->sections[table];
    if (elf->symbols)
        return damaged(diag, "two tables of symbols");
    if (s->sh_entsize != sizeof(Elf64_Sym) ||
        s->sh_size % sizeof(Elf64_Sym) != 0 ||
        s->sh_size / sizeof(Elf64_Sym) > UINT32_MAX ||
        !is_strings(elf, s->sh_link))
        return damaged(diag, "its table of symbols makes no sense");
    elf->symbols = sw_alloc(s->sh_size);
    elf->symbol_count = (uint32_t)(s->sh_size / sizeof(Elf64_Sym));
    elf->strings = s->sh_link;
    if (s->sh_size)
        memcpy(elf->symbols, elf->bytes + s->sh_offset, s->sh_size);
    for (uint32_t i = 0; i < elf->symbol_count; i++) {
        const Elf64_Sym *sym = &elf->symbols[i];
        if (sym->st_name >= elf->sections[elf->strings].sh_size)
            return damaged(diag, "a symbol's name is not in the file");
        if (sym->st_shndx >= elf->section_count && sym->st_shndx != SHN_ABS &&
            sym->st_shndx != SHN_COMMON)
            return damaged(diag, "a symbol in no section");
    }
    return SW_OK;
}

static sw_status
check_relocations(const sw_jit_elf *elf, uint32_t table, sw_diag *diag)
{
    const Elf64_Shdr *s = &elf->sections[table];
    if (s->sh_entsize != sizeof(Elf64_Rela) ||
        s->sh_size % sizeof(Elf64_Rela) != 0 ||
        s->sh_info >= elf->section_count || s->sh_link == 0 ||
        s->sh_link >= elf->section_count ||
        elf->sections[s->sh_link].sh_type != SHT_SYMTAB)
        return damaged(diag, "a table of relocations makes no sense");
    const Elf64_Shdr *target = &elf->sections[s->sh_info];
    for (uint64_t i = 0; i < sw_jit_elf_relocation_count(elf, table); i++) {
        Elf64_Rela r = sw_jit_elf_relocation(elf, table, i);
        unsigned bytes = sw_jit_reloc_bytes((uint32_t)ELF64_R_TYPE(r.r_info));
        if (ELF64_R_SYM(r.r_info) >= elf->symbol_count)
            return damaged(diag, "a relocation against no symbol");
        if (target->sh_type == SHT_NOBITS || bytes > target->sh_size ||
            r.r_offset > target->sh_size - bytes)
            return damaged(diag, "a relocation outside its section");
    }
    return SW_OK;
}

sw_status
sw_jit_elf_read(const void *bytes, size_t size, sw_jit_elf *elf, sw_diag *diag)
{
    *elf = (sw_jit_elf){.bytes = bytes, .size = size};
    sw_status status = read_header(elf, diag);
    if (!status)
        status = check_sections(elf, diag);
    for (uint32_t i = 0; !status && i < elf->section_count; i++)
        if (elf->sections[i].sh_type == SHT_SYMTAB)
            status = read_symbols(elf, i, diag);
    for (uint32_t i = 0; !status && i < elf->section_count; i++) {
        if (elf->sections[i].sh_type == SHT_RELA)
            status = check_relocations(elf, i, diag);
        else if (elf->sections[i].sh_type == SHT_REL)
            status = damaged(diag, "relocations without addends");
    }
    return status;
}

void
sw_jit_elf_finish(sw_jit_elf *elf)
{
    sw_free(elf->sections);
    sw_free(elf->symbols);
    *elf = (sw_jit_elf){0};
}

/* ---- relocations ---- */

/* TYPE, bytes, the value, its form. A form of four bytes says how the
 * processor will read them; any value fits eight. */
#define RELOCATIONS(X)                                                         \
    X(R_X86_64_64, 8, r->symbol + r->addend, UNSIGNED)                         \
    X(R_X86_64_PC64, 8, r->symbol + r->addend - r->place, SIGNED)              \
    X(R_X86_64_32, 4, r->symbol + r->addend, UNSIGNED)                         \
    X(R_X86_64_32S, 4, r->symbol + r->addend, SIGNED)                          \
    X(R_X86_64_PC32, 4, r->symbol + r->addend - r->place, SIGNED)              \
    X(R_X86_64_PLT32, 4, r->symbol + r->addend - r->place, SIGNED)             \
    X(R_X86_64_GOTPCREL, 4, r->got_slot + r->addend - r->place, SIGNED)        \
    X(R_X86_64_GOTPCRELX, 4, r->got_slot + r->addend - r->place, SIGNED)       \
    X(R_X86_64_REX_GOTPCRELX, 4, r->got_slot + r->addend - r->place, SIGNED)   \
    X(R_X86_64_GOTPC32, 4, r->got + r->addend - r->place, SIGNED)              \
    X(R_X86_64_GOTPC64, 8, r->got + r->addend - r->place, SIGNED)              \
    X(R_X86_64_GOTOFF64, 8, r->symbol + r->addend - r->got, SIGNED)            \
    X(R_X86_64_GOT64, 8, r->got_slot + r->addend - r->got, SIGNED)             \
    X(R_X86_64_PLTOFF64, 8, r->symbol + r->addend - r->got, SIGNED)

enum { UNSIGNED, SIGNED };

unsigned
sw_jit_reloc_bytes(uint32_t type)
{
    switch (type) {
#define X(type, bytes, value, form)                                            \
    case type:                                                                 \
        return bytes;
        RELOCATIONS(X)
#undef X
    default:
        return 0;
    }
}

const char *
sw_jit_reloc_name(uint32_t type)
{
    switch (type) {
#define X(type, bytes, value, form)                                            \
    case type:                                                                 \
        return #type;
        RELOCATIONS(X)
#undef X
    default:
        return "an unknown type";
    }
}

bool
sw_jit_reloc_needs_slot(uint32_t type)
{
    return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX ||
           type == R_X86_64_REX_GOTPCRELX || type == R_X86_64_GOT64;
}

static bool
store(uint8_t *where, uint64_t value, unsigned bytes, int form)
{
    /* The hosts we run on are little-endian, as is what we write. */
    memcpy(where, &value, bytes);
    if (bytes == 8)
        return true;
    return form == SIGNED ? value + 0x80000000 <= UINT32_MAX
                          : value <= UINT32_MAX;
}

bool
sw_jit_reloc_apply(uint32_t type, const sw_jit_reloc *r, uint8_t *where)
{
    switch (type) {
#define X(type, bytes, value, form)                                            \
    case type:                                                                 \
        return store(where, value, bytes, form);
        RELOCATIONS(X)
#undef X
    default:
        return type == R_X86_64_NONE;
    }
}
