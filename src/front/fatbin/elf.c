/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf.c - see elf.h. Offsets are those of the ELF-64 object file format.
 */
#include "front/fatbin/elf.h"

#include <string.h>

enum {
    HEADER_BYTES = 64,
    SECTION_BYTES = 64,
    PROGRAM_BYTES = 56,
    SYMBOL_BYTES = 24,
    DYNAMIC_BYTES = 16,
    SHT_SYMTAB_ = 2,
    SHT_DYNAMIC_ = 6,
    SHT_NOBITS_ = 8,
    SHT_DYNSYM_ = 11,
    DT_NEEDED_ = 1
};

/* The hosts we run on are little-endian, as is what we read. */
static uint16_t
get16(const char *p)
{
    uint16_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static uint32_t
get32(const char *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static uint64_t
get64(const char *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

/* Bytes [offset, offset + n) of s, or an empty slice if they are not in it. */
static sw_str
part(sw_str s, uint64_t offset, uint64_t n)
{
    if (offset > s.n || n > s.n - offset)
        return (sw_str){"", 0};
    return (sw_str){s.p + offset, (size_t)n};
}

/* The NUL-terminated name at `offset` of a string table; empty if none. */
static sw_str
name_at(sw_str table, uint64_t offset)
{
    if (offset >= table.n)
        return (sw_str){"", 0};
    const char *p = table.p + offset;
    const char *nul = memchr(p, 0, table.n - (size_t)offset);
    return nul ? (sw_str){p, (size_t)(nul - p)} : (sw_str){"", 0};
}

bool
sw_elf_is(sw_str bytes)
{
    return bytes.n >= 4 && memcmp(bytes.p,
                                  "\x7f"
                                  "ELF",
                                  4) == 0;
}

sw_status
sw_elf_open(sw_str bytes, const char *file, sw_elf *out, sw_diag *diag)
{
    const char *what = NULL;
    *out = (sw_elf){0};
    if (!sw_elf_is(bytes))
        what = "no ELF file";
    else if (bytes.n < HEADER_BYTES)
        what = "the ELF header is cut off";
    else if (bytes.p[4] != 2)
        what = "a 32-bit ELF file; only 64-bit ones are read";
    else if (bytes.p[5] != 1)
        what = "a big-endian ELF file; only little-endian ones are read";
    if (what) {
        sw_diag_add(diag, SW_DIAG_ERROR, file, 0, 0, "%s", what);
        return SW_E_INVALID_IMAGE;
    }

    sw_elf elf = {.bytes = bytes,
                  .type = get16(bytes.p + 16),
                  .machine = get16(bytes.p + 18),
                  .flags = get32(bytes.p + 48),
                  .section_offset = get64(bytes.p + 40),
                  .sections = get16(bytes.p + 60),
                  .name_section = get16(bytes.p + 62)};
    uint16_t section_bytes = get16(bytes.p + 58);
    /* Many sections: the true count is in the first section's size. */
    sw_str first = part(bytes, elf.section_offset, SECTION_BYTES);
    if (elf.section_offset && !elf.sections && first.n)
        elf.sections = get32(first.p + 32);
    if (elf.name_section == 0xffff && first.n)
        elf.name_section = get32(first.p + 40);
    if (elf.sections && section_bytes != SECTION_BYTES) {
        sw_diag_add(diag, SW_DIAG_ERROR, file, 0, 0,
                    "section headers of %u bytes instead of %d",
                    (unsigned)section_bytes, SECTION_BYTES);
        return SW_E_INVALID_IMAGE;
    }
    if (!part(bytes, elf.section_offset, (uint64_t)elf.sections * SECTION_BYTES)
             .n &&
        elf.sections) {
        sw_diag_add(diag, SW_DIAG_ERROR, file, 0, 0,
                    "the file is cut off at byte %zu: its %u section headers "
                    "begin at byte %llu",
                    bytes.n, (unsigned)elf.sections,
                    (unsigned long long)elf.section_offset);
        return SW_E_INVALID_IMAGE;
    }
    *out = elf;
    return SW_OK;
}

/* Section i without its name. */
static bool
read_section(const sw_elf *elf, uint32_t i, sw_elf_section *out)
{
    if (i >= elf->sections)
        return false;
    const char *p =
        elf->bytes.p + elf->section_offset + (size_t)i * SECTION_BYTES;
    *out = (sw_elf_section){.name = {"", 0},
                            .type = get32(p + 4),
                            .flags = get64(p + 8),
                            .address = get64(p + 16),
                            .offset = get64(p + 24),
                            .size = get64(p + 32),
                            .link = get32(p + 40),
                            .info = get32(p + 44),
                            .entry_bytes = get64(p + 56),
                            .bytes = {"", 0}};
    if (out->type != SHT_NOBITS_)
        out->bytes = part(elf->bytes, out->offset, get64(p + 32));
    return true;
}

bool
sw_elf_section_at(const sw_elf *elf, uint32_t i, sw_elf_section *out)
{
    sw_elf_section names;
    if (!read_section(elf, i, out))
        return false;
    if (read_section(elf, elf->name_section, &names)) {
        const char *p =
            elf->bytes.p + elf->section_offset + (size_t)i * SECTION_BYTES;
        out->name = name_at(names.bytes, get32(p));
    }
    return true;
}

bool
sw_elf_find_section(const sw_elf *elf, const char *name, sw_elf_section *out)
{
    for (uint32_t i = 0; i < elf->sections; i++)
        if (sw_elf_section_at(elf, i, out) && sw_str_is(out->name, name))
            return true;
    return false;
}

/* The first section of a type, without its name. */
static bool
find_type(const sw_elf *elf, uint32_t type, sw_elf_section *out)
{
    for (uint32_t i = 0; i < elf->sections; i++) {
        const char *p =
            elf->bytes.p + elf->section_offset + (size_t)i * SECTION_BYTES;
        if (get32(p + 4) == type)
            return read_section(elf, i, out);
    }
    return false;
}

/* *it is the table's number (0 .symtab, 1 .dynsym) above bit 40, and the
 * symbol's in it below. */
bool
sw_elf_next_symbol(const sw_elf *elf, uint64_t *it, sw_elf_symbol *out)
{
    const uint64_t one_table = UINT64_C(1) << 40;
    static const uint32_t types[2] = {SHT_SYMTAB_, SHT_DYNSYM_};

    for (uint64_t t = *it / one_table; t < 2; t++) {
        uint64_t i = t == *it / one_table ? *it % one_table : 0;
        sw_elf_section table, names;
        if (!find_type(elf, types[t], &table) ||
            !read_section(elf, table.link, &names))
            continue;
        for (; i < table.bytes.n / SYMBOL_BYTES; i++) {
            const char *p = table.bytes.p + i * SYMBOL_BYTES;
            unsigned char info = (unsigned char)p[4];
            sw_str name = name_at(names.bytes, get32(p));
            if (!name.n)
                continue;
            *out = (sw_elf_symbol){.name = name,
                                   .index = (uint32_t)i,
                                   .value = get64(p + 8),
                                   .size = get64(p + 16),
                                   .type = info & 15,
                                   .binding = info >> 4,
                                   .section = get16(p + 6)};
            *it = t * one_table + i + 1;
            return true;
        }
    }
    *it = 2 * one_table;
    return false;
}

bool
sw_elf_find_symbol(const sw_elf *elf, const char *name, sw_elf_symbol *out)
{
    sw_elf_symbol symbol;
    bool found = false;
    uint64_t it = 0;
    while (sw_elf_next_symbol(elf, &it, &symbol)) {
        if (!sw_str_is(symbol.name, name))
            continue;
        if (symbol.section) {
            *out = symbol;
            return true;
        }
        if (!found)
            *out = symbol;
        found = true;
    }
    return found;
}

bool
sw_elf_next_needed(const sw_elf *elf, uint64_t *it, sw_str *name)
{
    sw_elf_section table, names;
    if (!find_type(elf, SHT_DYNAMIC_, &table) ||
        !read_section(elf, table.link, &names))
        return false;
    for (; *it < table.bytes.n / DYNAMIC_BYTES; ++*it) {
        const char *p = table.bytes.p + *it * DYNAMIC_BYTES;
        if (get64(p) != DT_NEEDED_)
            continue;
        *name = name_at(names.bytes, get64(p + 8));
        if (!name->n)
            continue;
        ++*it;
        return true;
    }
    return false;
}

/* The larger of `end` and offset + n; 0 on overflow. */
static uint64_t
extend(uint64_t end, uint64_t offset, uint64_t n)
{
    if (!end || n > UINT64_MAX - offset)
        return 0;
    return offset + n > end ? offset + n : end;
}

uint64_t
sw_elf_declared_bytes(const void *image)
{
    const char *p = image;
    if (memcmp(p,
               "\x7f"
               "ELF\x02\x01",
               6) != 0)
        return 0;
    uint64_t programs = get64(p + 32), sections = get64(p + 40);
    uint32_t program_count = get16(p + 56), section_count = get16(p + 60);
    if ((program_count && get16(p + 54) != PROGRAM_BYTES) ||
        (section_count && get16(p + 58) != SECTION_BYTES))
        return 0;

    uint64_t end = HEADER_BYTES;
    end = extend(end, programs, (uint64_t)program_count * PROGRAM_BYTES);
    end = extend(end, sections, (uint64_t)section_count * SECTION_BYTES);
    for (uint32_t i = 0; i < section_count && end; i++) {
        const char *s = p + sections + (size_t)i * SECTION_BYTES;
        if (get32(s + 4) != SHT_NOBITS_)
            end = extend(end, get64(s + 24), get64(s + 32));
    }
    for (uint32_t i = 0; i < program_count && end; i++) {
        const char *s = p + programs + (size_t)i * PROGRAM_BYTES;
        end = extend(end, get64(s + 8), get64(s + 32));
    }
    return end;
}
