/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units.c - the units of what a linker is given: PTX, fat binaries, objects of
 * a host that hold some, static libraries of these; see fatbin.h.
 *
 * A static library is "!<arch>\n" and members: a header of 60 characters, the
 * size in decimal at 48 and "`\n" at its end, then the bytes, padded to an even
 * offset.
 */
#include <string.h>

#include "front/fatbin/elf.h"
#include "front/fatbin/fatbin.h"
#include "front/fatbin/layout.h"

enum { MEMBER_HEADER = 60, MEMBER_SIZE = 48, MEMBER_SIZE_DIGITS = 10 };

static const char library_magic[] = "!<arch>\n";

typedef struct {
    sw_arena *arena;
    const char *name;
    int cc;
    sw_vec *out;
    sw_diag *diag;
} reader;

static void
add_entry(reader *r, const sw_fatbin_entry *e)
{
    sw_fatbin_entry *unit = sw_vec_push(r->out);
    *unit = *e;
    if (!unit->ident.n)
        unit->ident = sw_str_of(r->name);
}

/* Each module of a section is a unit. */
static sw_status
read_section(reader *r, sw_str bytes)
{
    sw_fatbin f;
    sw_status status = sw_fatbin_parse(r->arena, bytes.p, bytes.n, &f, r->diag);
    for (uint32_t m = 0; status == SW_OK && m < f.modules; m++) {
        const sw_fatbin_entry *e = sw_fatbin_choose(&f, m, r->cc);
        if (e)
            add_entry(r, e);
    }
    return status;
}

static sw_status
read_object(reader *r, const sw_elf *elf)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin"};
    sw_status status = SW_OK;
    for (size_t i = 0; status == SW_OK && i < sizeof names / sizeof *names;
         i++) {
        sw_elf_section section;
        if (sw_elf_find_section(elf, names[i], &section) && section.bytes.n)
            status = read_section(r, section.bytes);
    }
    return status;
}

static sw_status
read_one(reader *r, sw_str bytes)
{
    sw_elf elf;
    if (sw_elf_is(bytes)) {
        sw_status status = sw_elf_open(bytes, r->name, &elf, r->diag);
        if (status)
            return status;
        if (elf.machine != SW_ELF_CUDA)
            return read_object(r, &elf);
    }
    sw_fatbin f;
    sw_vec images;
    sw_vec_init(&images, sizeof(const sw_fatbin_entry *));
    sw_status status = sw_fatbin_parse(r->arena, bytes.p, bytes.n, &f, r->diag);
    if (status == SW_OK)
        status = sw_fatbin_images(&f, r->cc, &images, r->diag);
    for (size_t i = 0; status == SW_OK && i < images.count; i++)
        add_entry(r, *(const sw_fatbin_entry **)sw_vec_at(&images, i));
    sw_vec_finish(&images);
    return status;
}

/* Decimal digits up to the first blank. */
static size_t
member_size(const char *header)
{
    size_t n = 0;
    for (int i = 0; i < MEMBER_SIZE_DIGITS; i++) {
        char c = header[MEMBER_SIZE + i];
        if (c < '0' || c > '9')
            break;
        n = n * 10 + (size_t)(c - '0');
    }
    return n;
}

static sw_status
read_library(reader *r, sw_str bytes)
{
    size_t at = sizeof library_magic - 1;
    while (at < bytes.n) {
        const char *header = bytes.p + at;
        size_t left = bytes.n - at;
        size_t size = left >= MEMBER_HEADER ? member_size(header) : 0;
        if (left < MEMBER_HEADER || memcmp(header + 58, "`\n", 2) != 0 ||
            size > left - MEMBER_HEADER) {
            sw_diag_add(r->diag, SW_DIAG_ERROR, r->name, 0, 0,
                        "the static library is damaged at byte %zu", at);
            return SW_E_INVALID_IMAGE;
        }
        sw_str member = {header + MEMBER_HEADER, size};
        if (sw_elf_is(member)) { /* the index and long names are not */
            sw_status status = read_one(r, member);
            if (status)
                return status;
        }
        at += MEMBER_HEADER + size + (size & 1);
    }
    return SW_OK;
}

sw_status
sw_fatbin_units(sw_arena *arena, sw_str bytes, const char *name, int cc,
                sw_vec *out, sw_diag *diag)
{
    reader r = {
        .arena = arena, .name = name, .cc = cc, .out = out, .diag = diag};
    size_t n = sizeof library_magic - 1;
    if (bytes.n >= n && !memcmp(bytes.p, library_magic, n))
        return read_library(&r, bytes);
    return read_one(&r, bytes);
}
