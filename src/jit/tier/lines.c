/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.c - see tier/lines.h. From the DWARF standard, version 5, section 6.2,
 * and what versions 2 to 4 did otherwise.
 */
#include "jit/tier/lines.h"

#include <string.h>

/* Content types of a version 5 file entry, forms, opcodes. */
enum { LNCT_PATH = 1, LNCT_DIRECTORY = 2 };
enum {
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_DATA1 = 0x0b,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f
};
enum {
    LNS_EXTENDED,
    LNS_COPY,
    LNS_ADVANCE_PC,
    LNS_ADVANCE_LINE,
    LNS_SET_FILE,
    LNS_CONST_ADD_PC = 8,
    LNS_FIXED_ADVANCE_PC = 9
};
enum { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS = 2 };

/* Bytes to come. After the end all values are 0 and `is_bad` is set. */
typedef struct {
    const uint8_t *p, *end;
    bool is_bad;
} reader;

typedef struct {
    const char *name;
    uint64_t folder;
} file_entry;

/* One line table: of one compilation unit. */
typedef struct {
    reader r;
    reader strings, line_strings; /* sections */
    bool is_64;                   /* offsets have 8 bytes */
    unsigned version;
    uint8_t min_bytes, line_range, opcode_base;
    int8_t line_base;
    uint8_t operands[256]; /* of standard opcodes */
    sw_vec folders;        /* const char *: by index, version 5's from 0 */
    sw_vec files;          /* file_entry */
    const char **paths;    /* of files, made when first needed */
    sw_arena *arena;
} unit;

/* ---- values ---- */

static uint64_t
get(reader *r, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->p) < bytes) {
        r->is_bad = true;
        r->p = r->end;
        return 0;
    }
    /* The hosts we run on are little-endian, as is what we read. */
    memcpy(&value, r->p, bytes);
    r->p += bytes;
    return value;
}

static void
skip(reader *r, uint64_t bytes)
{
    if (bytes > (uint64_t)(r->end - r->p)) {
        r->is_bad = true;
        bytes = (uint64_t)(r->end - r->p);
    }
    r->p += bytes;
}

/* LEB128 */
static uint64_t
get_number(reader *r, bool is_signed)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = get(r, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && (byte & 0x40) && shift < 64)
        value |= ~(uint64_t)0 << shift;
    return value;
}

static uint64_t
get_unsigned(reader *r)
{
    return get_number(r, false);
}

static int64_t
get_signed(reader *r)
{
    return (int64_t)get_number(r, true);
}

static const char *
get_string(reader *r)
{
    const char *s = (const char *)r->p;
    const void *nul =
        r->end > r->p ? memchr(r->p, 0, (size_t)(r->end - r->p)) : NULL;
    if (!nul) {
        r->is_bad = true;
        r->p = r->end;
        return "";
    }
    r->p = (const uint8_t *)nul + 1;
    return s;
}

/* A string of another section. */
static const char *
string_at(unit *u, const reader *section, uint64_t offset)
{
    reader r = *section;
    skip(&r, offset);
    const char *s = get_string(&r);
    u->r.is_bad |= r.is_bad;
    return s;
}

/* ---- files ---- */

/* One field of a version 5 entry: text if it has any, else *value. */
static const char *
get_form(unit *u, uint64_t form, uint64_t *value)
{
    unsigned offset_bytes = u->is_64 ? 8 : 4;
    switch (form) {
    case FORM_STRING:
        return get_string(&u->r);
    case FORM_LINE_STRP:
        return string_at(u, &u->line_strings, get(&u->r, offset_bytes));
    case FORM_STRP:
        return string_at(u, &u->strings, get(&u->r, offset_bytes));
    case FORM_DATA1:
        *value = get(&u->r, 1);
        break;
    case FORM_DATA2:
        *value = get(&u->r, 2);
        break;
    case FORM_DATA4:
        *value = get(&u->r, 4);
        break;
    case FORM_DATA8:
        *value = get(&u->r, 8);
        break;
    case FORM_UDATA:
        *value = get_unsigned(&u->r);
        break;
    case FORM_DATA16:
        skip(&u->r, 16);
        break;
    default:
        u->r.is_bad = true;
        break;
    }
    return NULL;
}

/* Entries of a version 5 table, each to add(). */
static void
read_entries(unit *u, void (*add)(unit *u, const char *name, uint64_t folder))
{
    uint64_t types[256], forms[256];
    uint64_t fields = get(&u->r, 1);
    for (uint64_t i = 0; i < fields; i++) {
        types[i] = get_unsigned(&u->r);
        forms[i] = get_unsigned(&u->r);
    }
    uint64_t count = get_unsigned(&u->r);
    /* Each field has a byte at least, so that this ends. */
    for (uint64_t i = 0; fields && i < count && !u->r.is_bad; i++) {
        const char *name = "";
        uint64_t folder = 0;
        for (uint64_t k = 0; k < fields; k++) {
            uint64_t value = 0;
            const char *text = get_form(u, forms[k], &value);
            if (types[k] == LNCT_PATH && text)
                name = text;
            else if (types[k] == LNCT_DIRECTORY)
                folder = value;
        }
        add(u, name, folder);
    }
}

static void
add_folder(unit *u, const char *name, uint64_t folder)
{
    (void)folder;
    *(const char **)sw_vec_push(&u->folders) = name;
}

static void
add_file(unit *u, const char *name, uint64_t folder)
{
    *(file_entry *)sw_vec_push(&u->files) = (file_entry){name, folder};
}

/* Before version 5 lists end on an empty name, and count from 1: entry 0 is
 * the compiler's folder and its file, which other sections name. */
static void
read_old_entries(unit *u)
{
    const char *name;
    add_folder(u, "", 0);
    add_file(u, "", 0);
    while (*(name = get_string(&u->r)))
        add_folder(u, name, 0);
    while (*(name = get_string(&u->r))) {
        add_file(u, name, get_unsigned(&u->r));
        get_unsigned(&u->r); /* time */
        get_unsigned(&u->r); /* length */
    }
}

static const char *
folder_of(const unit *u, uint64_t i)
{
    return i < u->folders.count
               ? *(const char *const *)sw_vec_at(&u->folders, (size_t)i)
               : "";
}

/* The i-th file with its folder, which may be below the compiler's. */
static const char *
path_of(unit *u, uint64_t i)
{
    if (i >= u->files.count)
        return "";
    if (!u->paths)
        u->paths = sw_arena_alloc(u->arena, u->files.count * sizeof *u->paths);
    if (!u->paths[i]) {
        const file_entry *f = sw_vec_at(&u->files, (size_t)i);
        const char *root = folder_of(u, 0), *folder = folder_of(u, f->folder);
        bool is_below = *folder != '/' && f->folder != 0 && *root;
        u->paths[i] =
            *f->name == '/'
                ? sw_arena_str(u->arena, sw_str_of(f->name))
                : sw_arena_printf(u->arena, "%s%s%s%s%s", is_below ? root : "",
                                  is_below ? "/" : "", folder,
                                  *folder ? "/" : "", f->name);
    }
    return u->paths[i];
}

/* ---- the program ---- */

typedef struct {
    uint64_t address, file;
    uint32_t line;
} machine;

static void
push(unit *u, const machine *m, bool is_end, sw_vec *out)
{
    *(sw_jit_line *)sw_vec_push(out) =
        (sw_jit_line){.address = m->address,
                      .file = path_of(u, m->file),
                      .line = is_end ? 0 : m->line,
                      .is_end = is_end};
}

/* False: the sequence has ended. */
static bool
run_extended(unit *u, machine *m, sw_vec *out)
{
    uint64_t bytes = get_unsigned(&u->r);
    const uint8_t *next = u->r.p;
    skip(&u->r, bytes);
    reader r = {next, u->r.p, false};
    uint64_t opcode = get(&r, 1);
    if (opcode == LNE_SET_ADDRESS && bytes >= 1 && bytes <= 9) {
        m->address = get(&r, (unsigned)bytes - 1);
    } else if (opcode == LNE_END_SEQUENCE) {
        push(u, m, true, out);
        return false;
    }
    return true;
}

static bool
run_one(unit *u, machine *m, sw_vec *out)
{
    uint64_t opcode = get(&u->r, 1);
    if (opcode >= u->opcode_base) {
        uint64_t n = opcode - u->opcode_base;
        m->address += n / u->line_range * u->min_bytes;
        m->line += (uint32_t)(u->line_base + (int)(n % u->line_range));
        push(u, m, false, out);
        return true;
    }
    switch (opcode) {
    case LNS_EXTENDED:
        return run_extended(u, m, out);
    case LNS_COPY:
        push(u, m, false, out);
        break;
    case LNS_ADVANCE_PC:
        m->address += get_unsigned(&u->r) * u->min_bytes;
        break;
    case LNS_ADVANCE_LINE:
        m->line += (uint32_t)get_signed(&u->r);
        break;
    case LNS_SET_FILE:
        m->file = get_unsigned(&u->r);
        break;
    case LNS_CONST_ADD_PC:
        m->address +=
            (uint64_t)(255 - u->opcode_base) / u->line_range * u->min_bytes;
        break;
    case LNS_FIXED_ADVANCE_PC:
        m->address += get(&u->r, 2);
        break;
    default: /* says nothing of lines */
        for (unsigned i = 0; i < u->operands[opcode]; i++)
            get_unsigned(&u->r);
    }
    return true;
}

static void
run_unit(unit *u, sw_vec *out)
{
    while (!u->r.is_bad && u->r.p < u->r.end) {
        machine m = {.file = 1, .line = 1};
        while (!u->r.is_bad && u->r.p < u->r.end && run_one(u, &m, out)) {
        }
    }
}

/* The header, up to the program. */
static bool
read_header(unit *u)
{
    reader *r = &u->r;
    u->version = (unsigned)get(r, 2);
    if (u->version < 2 || u->version > 5)
        return false;
    if (u->version == 5)
        skip(r, 2); /* sizes of an address and of a segment */
    uint64_t rest = get(r, u->is_64 ? 8 : 4);
    reader program = *r;
    skip(&program, rest);
    u->min_bytes = (uint8_t)get(r, 1);
    if (u->version >= 4)
        skip(r, 1); /* operations an instruction: 1, no such processor */
    skip(r, 1);     /* is a statement */
    u->line_base = (int8_t)get(r, 1);
    u->line_range = (uint8_t)get(r, 1);
    u->opcode_base = (uint8_t)get(r, 1);
    if (!u->line_range || !u->opcode_base)
        return false;
    for (unsigned i = 1; i < u->opcode_base; i++)
        u->operands[i] = (uint8_t)get(r, 1);
    if (u->version < 5) {
        read_old_entries(u);
    } else {
        read_entries(u, add_folder);
        read_entries(u, add_file);
    }
    bool ok = !r->is_bad && !program.is_bad;
    *r = program;
    return ok;
}

static reader
section_of(const sw_jit_elf *elf, const uint8_t *image, const char *name)
{
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const Elf64_Shdr *s = &elf->sections[i];
        if (!strcmp(sw_jit_elf_section_name(elf, i), name) &&
            s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL &&
            !(s->sh_flags & SHF_COMPRESSED))
            return (reader){image + s->sh_offset,
                            image + s->sh_offset + s->sh_size, false};
    }
    return (reader){image, image, false};
}

void
sw_jit_lines_read(const sw_jit_elf *elf, const uint8_t *image, sw_arena *arena,
                  sw_vec *out)
{
    reader r = section_of(elf, image, ".debug_line");
    while (r.p < r.end && !r.is_bad) {
        unit u = {.arena = arena};
        u.strings = section_of(elf, image, ".debug_str");
        u.line_strings = section_of(elf, image, ".debug_line_str");
        uint64_t bytes = get(&r, 4);
        u.is_64 = bytes == 0xffffffff;
        if (u.is_64)
            bytes = get(&r, 8);
        const uint8_t *begin = r.p;
        skip(&r, bytes);
        u.r = (reader){begin, r.p, false};
        sw_vec_init(&u.folders, sizeof(const char *));
        sw_vec_init(&u.files, sizeof(file_entry));
        if (read_header(&u))
            run_unit(&u, out);
        sw_vec_finish(&u.files);
        sw_vec_finish(&u.folders);
    }
}
