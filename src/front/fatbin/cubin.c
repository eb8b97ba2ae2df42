/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cubin.c - see cubin.h.
 *
 * A kernel K has a section .text.K and one .nv.info.K, which device functions
 * lack; its shared memory is the size of .nv.shared.K. Info sections are
 * records: a byte of format, a byte of attribute, then 16 bits of value or,
 * with format 4, of length and so many bytes. Registers are a record of the
 * section .nv.info that names the symbol; before there was such a record, the
 * top byte of sh_info of .text.K.
 */
#include "front/fatbin/cubin.h"

#include <string.h>

enum {
    FORMAT_SIZED = 4,
    ATTR_MAX_THREADS = 0x05,
    ATTR_REQUIRED_THREADS = 0x10,
    ATTR_REGISTERS = 0x2f,
    /* From 8.0 on the system takes this much of each block; it is in the size
     * of .nv.shared.K where there is a .nv.shared.reserved.0. */
    RESERVED_SMEM = 1024,
    NAME_BYTES = 4096 /* the longest name looked for */
};

static const char text_prefix[] = ".text.";

static uint32_t
get32(const char *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

/* The next record at *at; false at the end. `value` is empty unless sized. */
static bool
next_record(sw_str info, size_t *at, uint8_t *attribute, sw_str *value)
{
    if (info.n < 4 || *at > info.n - 4)
        return false;
    const unsigned char *p = (const unsigned char *)info.p + *at;
    size_t n = p[0] == FORMAT_SIZED ? (size_t)(p[2] | p[3] << 8) : 0;
    if (n > info.n - *at - 4)
        return false;
    *attribute = p[1];
    *value = (sw_str){info.p + *at + 4, n};
    *at += 4 + n;
    return true;
}

/* Section PREFIX + name. */
static bool
find_section_of(const sw_elf *elf, const char *prefix, sw_str name,
                sw_elf_section *out)
{
    char text[NAME_BYTES];
    size_t n = strlen(prefix);
    if (name.n >= sizeof text - n)
        return false;
    memcpy(text, prefix, n);
    memcpy(text + n, name.p, name.n);
    text[n + name.n] = 0;
    return sw_elf_find_section(elf, text, out);
}

static uint32_t
registers_of(const sw_elf *elf, sw_str name, const sw_elf_section *text)
{
    sw_elf_section info;
    sw_elf_symbol symbol;
    uint64_t it = 0;
    size_t at = 0;
    uint8_t attribute = 0;
    sw_str value;
    bool known = false;
    while (!known && sw_elf_next_symbol(elf, &it, &symbol))
        known = sw_str_eq(symbol.name, name);
    if (known && sw_elf_find_section(elf, ".nv.info", &info))
        while (next_record(info.bytes, &at, &attribute, &value))
            if (attribute == ATTR_REGISTERS && value.n >= 8 &&
                get32(value.p) == symbol.index)
                return get32(value.p + 4);
    return text->info >> 24;
}

static void
read_bounds(sw_str info, sw_cubin_kernel *out)
{
    size_t at = 0;
    uint8_t attribute = 0;
    sw_str value;
    while (next_record(info, &at, &attribute, &value))
        if ((attribute == ATTR_MAX_THREADS ||
             attribute == ATTR_REQUIRED_THREADS) &&
            value.n >= 12)
            for (int i = 0; i < 3; i++)
                out->max_block[i] = get32(value.p + 4 * i);
}

bool
sw_cubin_next_kernel(const sw_elf *elf, uint32_t *it, sw_cubin_kernel *out)
{
    sw_elf_section text, info, shared, reserved;
    while (sw_elf_section_at(elf, (*it)++, &text)) {
        if (!sw_str_has_prefix(text.name, text_prefix))
            continue;
        size_t n = sizeof text_prefix - 1;
        sw_str name = {text.name.p + n, text.name.n - n};
        if (!find_section_of(elf, ".nv.info.", name, &info))
            continue;
        *out = (sw_cubin_kernel){.name = name};
        out->registers = registers_of(elf, name, &text);
        read_bounds(info.bytes, out);
        if (find_section_of(elf, ".nv.shared.", name, &shared) &&
            shared.size <= UINT32_MAX) {
            out->static_smem = (uint32_t)shared.size;
            if (sw_elf_find_section(elf, ".nv.shared.reserved.0", &reserved) &&
                shared.size >= RESERVED_SMEM)
                out->static_smem -= RESERVED_SMEM;
        }
        return true;
    }
    return false;
}

void
sw_cubin_registers(const sw_elf *elf, sw_map *out)
{
    sw_elf_section section;
    sw_elf_symbol symbol;
    uint32_t i = 0;
    while (sw_elf_section_at(elf, i++, &section)) {
        size_t n = sizeof text_prefix - 1;
        uintptr_t registers = section.info >> 24;
        if (sw_str_has_prefix(section.name, text_prefix) && registers)
            sw_map_set(out, (sw_str){section.name.p + n, section.name.n - n},
                       (void *)registers);
    }
    if (!sw_elf_find_section(elf, ".nv.info", &section))
        return;
    sw_vec names; /* sw_str, by index */
    sw_vec_init(&names, sizeof(sw_str));
    uint64_t it = 0;
    while (sw_elf_next_symbol(elf, &it, &symbol)) {
        while (names.count <= symbol.index)
            *(sw_str *)sw_vec_push(&names) = (sw_str){NULL, 0};
        *(sw_str *)sw_vec_at(&names, symbol.index) = symbol.name;
    }
    size_t at = 0;
    uint8_t attribute = 0;
    sw_str value;
    while (next_record(section.bytes, &at, &attribute, &value)) {
        if (attribute != ATTR_REGISTERS || value.n < 8)
            continue;
        uint32_t index = get32(value.p);
        uintptr_t registers = get32(value.p + 4);
        const sw_str *name =
            index < names.count ? sw_vec_at(&names, index) : NULL;
        if (name && name->n && registers)
            sw_map_set(out, *name, (void *)registers);
    }
    sw_vec_finish(&names);
}
