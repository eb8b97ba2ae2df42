/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fatbin.c - reads containers of device code; see fatbin.h.
 *
 * A fat binary is a header and entries; all numbers little-endian:
 *
 *   header  0 u32 magic, 4 u16 version (1), 6 u16 header bytes (16),
 *           8 u64 bytes that follow
 *   entry   0 u16 kind, 4 u32 header bytes, 8 u64 payload bytes (padded),
 *           16 u32 compressed payload bytes (0: stored as is),
 *           20 u32 offset of {u32 offset, u32 bytes} of the options,
 *           24 u16 minor, 26 u16 major, 28 u32 architecture,
 *           32 u32 offset and u32 bytes of the source name,
 *           40 u64 flags, 56 u64 bytes when decompressed;
 *           offsets count from the entry's start
 *   wrapper 0 u32 magic, 4 u32 version, 8 pointer to a fat binary, 16 pointer:
 *           of version 2 to a NULL-terminated list of pointers to fat binaries
 */
#include "front/fatbin/fatbin.h"

#include <inttypes.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "front/fatbin/elf.h"
#include "front/fatbin/layout.h"

/* What one entry may have when decompressed. */
#define MAX_TEXT_BYTES (UINT64_C(256) << 20)
/* What a header may declare in memory of unknown length. */
#define MAX_IMAGE_BYTES (UINT64_C(1) << 36)

typedef struct {
    sw_arena *arena;
    sw_diag *diag;
    sw_vec entries; /* sw_fatbin_entry */
    uint32_t modules;
} reader;

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

static sw_status fail(reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static sw_status
fail(reader *r, const char *fmt, ...)
{
    va_list args;
    sw_buf text;
    sw_buf_init(&text);
    va_start(args, fmt);
    sw_buf_vprintf(&text, fmt, args);
    va_end(args);
    sw_diag_add(r->diag, SW_DIAG_ERROR, "", 0, 0, "%s", text.p);
    sw_buf_finish(&text);
    return SW_E_INVALID_IMAGE;
}

const char *
sw_fatbin_kind_name(uint32_t kind)
{
    switch (kind) {
    case SW_FATBIN_PTX:
        return "PTX";
    case SW_FATBIN_ELF:
        return "machine code";
    case SW_FATBIN_LTO:
        return "LTO intermediate code";
    default:
        return "unknown";
    }
}

/* ---- one entry ---- */

/* Bytes [offset, offset + n) of the entry header; empty if not inside. */
static sw_str
header_text(const char *entry, uint32_t header, uint32_t offset, uint32_t n)
{
    if (!offset || offset > header || n > header - offset)
        return (sw_str){"", 0};
    return (sw_str){entry + offset, strnlen(entry + offset, n)};
}

/*
 * Decompresses into the arena, NUL-terminated. Before anything is allocated
 * the size is held against what the method could make of so many bytes.
 */
static sw_status
unpack(reader *r, sw_fatbin_entry *e, sw_str packed, uint64_t bytes, size_t at)
{
    const char *method = e->pack == SW_FATBIN_LZ4 ? "LZ4" : "zstd";
    uint64_t most = e->pack == SW_FATBIN_LZ4
                        ? 255 * (uint64_t)packed.n + 64
                        : ((uint64_t)packed.n / 3 + 1) * (128 << 10);
    if (bytes > most || bytes > MAX_TEXT_BYTES)
        return fail(r,
                    "bad %s compression in the entry at byte %zu: %zu bytes "
                    "can't hold the %" PRIu64 " that are declared",
                    method, at, packed.n, bytes);

    char *text = sw_arena_alloc(r->arena, (size_t)bytes + 1);
    uint64_t got = 0;
    const char *why = NULL;
    if (e->pack == SW_FATBIN_LZ4) {
        int n = packed.n > INT32_MAX
                    ? -1
                    : LZ4_decompress_safe(packed.p, text, (int)packed.n,
                                          (int)bytes);
        if (n < 0)
            why = "the data is corrupt";
        else
            got = (uint64_t)n;
    } else {
        size_t n = ZSTD_decompress(text, (size_t)bytes, packed.p, packed.n);
        if (ZSTD_isError(n))
            why = ZSTD_getErrorName(n);
        else
            got = n;
    }
    if (why)
        return fail(r, "bad %s compression in the entry at byte %zu: %s",
                    method, at, why);
    if (got != bytes)
        return fail(r,
                    "bad %s compression in the entry at byte %zu: it holds "
                    "%" PRIu64 " bytes instead of %" PRIu64,
                    method, at, got, bytes);
    e->data = (sw_str){text, (size_t)bytes};
    return SW_OK;
}

sw_status
sw_fatbin_unpack(sw_arena *arena, const sw_fatbin_entry *entry, sw_str *out,
                 sw_diag *diag)
{
    reader r = {.arena = arena, .diag = diag};
    sw_fatbin_entry e = *entry;
    sw_status status = SW_OK;
    /* PTX was decompressed when it was read. */
    if (e.kind != SW_FATBIN_PTX && e.pack != SW_FATBIN_STORED)
        status = unpack(&r, &e, e.data, e.unpacked_bytes, 0);
    if (status == SW_OK)
        *out = e.data;
    return status;
}

/* The payload as a NUL-terminated text of its own length. */
static void
end_text(reader *r, sw_fatbin_entry *e)
{
    size_t n = strnlen(e->data.p, e->data.n);
    if (n == e->data.n && e->pack == SW_FATBIN_STORED)
        e->data.p = sw_arena_str(r->arena, e->data);
    e->data.n = n;
}

/* The entry at `at` of a fat binary of `n` bytes; *next: where it ends. */
static sw_status
read_entry(reader *r, const char *p, size_t n, size_t at, size_t *next)
{
    const char *entry = p + at;
    size_t left = n - at;
    if (left < SW_ENTRY_HEADER_BYTES)
        return fail(r,
                    "the fat binary is cut off at byte %zu: an entry header "
                    "of %d bytes begins at byte %zu",
                    n, SW_ENTRY_HEADER_BYTES, at);

    uint32_t header = get32(entry + SW_ENTRY_HEADER_SIZE);
    uint64_t payload = get64(entry + SW_ENTRY_PAYLOAD_SIZE);
    uint32_t packed = get32(entry + SW_ENTRY_PACKED_SIZE);
    if (header < SW_ENTRY_HEADER_BYTES)
        return fail(r,
                    "the entry at byte %zu of the fat binary declares a "
                    "header of %" PRIu32 " bytes; at least %d are needed",
                    at, header, SW_ENTRY_HEADER_BYTES);
    if (header > left || payload > left - header)
        return fail(r,
                    "the fat binary is cut off at byte %zu: the entry at "
                    "byte %zu takes %" PRIu64 " bytes, %zu are left",
                    n, at, header + payload, left);
    if (packed > payload)
        return fail(r,
                    "the entry at byte %zu of the fat binary declares %" PRIu32
                    " compressed bytes in a payload of %" PRIu64,
                    at, packed, payload);

    uint64_t flags = get64(entry + SW_ENTRY_FLAGS);
    sw_fatbin_entry e = {
        .kind = get16(entry + SW_ENTRY_KIND),
        .arch = get32(entry + SW_ENTRY_ARCH),
        .variant = flags & SW_FLAG_ARCH_A   ? 'a'
                   : flags & SW_FLAG_ARCH_F ? 'f'
                                            : 0,
        .flags = flags,
        .pack = flags & SW_FLAG_ZSTD  ? SW_FATBIN_ZSTD
                : flags & SW_FLAG_LZ4 ? SW_FATBIN_LZ4
                                      : SW_FATBIN_STORED,
        .module = r->modules,
        .stored_bytes = payload,
        .unpacked_bytes = flags & (SW_FLAG_ZSTD | SW_FLAG_LZ4)
                              ? get64(entry + SW_ENTRY_UNPACKED_SIZE)
                              : 0,
        .data = {entry + header, packed ? packed : (size_t)payload},
        .options = {"", 0},
        .ident = {"", 0},
    };
    uint32_t options = get32(entry + SW_ENTRY_OPTIONS);
    if (options && options <= header && header - options >= 8)
        e.options = header_text(entry, header, get32(entry + options),
                                get32(entry + options + 4));
    e.ident = header_text(entry, header, get32(entry + SW_ENTRY_IDENT),
                          get32(entry + SW_ENTRY_IDENT + 4));
    if (e.kind == SW_FATBIN_PTX) {
        e.minor = get16(entry + SW_ENTRY_MINOR);
        e.major = get16(entry + SW_ENTRY_MAJOR);
        if (e.pack != SW_FATBIN_STORED) {
            sw_status status = unpack(r, &e, e.data, e.unpacked_bytes, at);
            if (status)
                return status;
        }
        end_text(r, &e);
    }
    *(sw_fatbin_entry *)sw_vec_push(&r->entries) = e;
    *next = at + header + (size_t)payload;
    return SW_OK;
}

/* ---- containers ---- */

/* A fat binary at the start of n bytes; *used: how many it takes. */
static sw_status
read_fatbin(reader *r, const char *p, size_t n, size_t *used)
{
    if (n < SW_FATBIN_HEADER_BYTES)
        return fail(r, "the fat binary is cut off at byte %zu of its header",
                    n);
    uint16_t version = get16(p + 4), header = get16(p + 6);
    uint64_t body = get64(p + 8);
    if (version != 1 || header < SW_FATBIN_HEADER_BYTES)
        return fail(r,
                    "a fat binary of version %u with a header of %u bytes; "
                    "version 1 with %d is known",
                    (unsigned)version, (unsigned)header,
                    SW_FATBIN_HEADER_BYTES);
    if (header > n || body > n - header)
        return fail(r,
                    "the fat binary is cut off at byte %zu: it declares "
                    "%" PRIu64 " bytes",
                    n, header + (body < UINT64_MAX - header ? body : 0));

    size_t end = header + (size_t)body;
    size_t at = header;
    size_t first = r->entries.count;
    while (at < end) {
        sw_status status = read_entry(r, p, end, at, &at);
        if (status)
            return status;
    }
    for (size_t i = first; i < r->entries.count; i++) {
        sw_fatbin_entry *e = sw_vec_at(&r->entries, i);
        if (e->flags & SW_FLAG_UNIT)
            e->module = ++r->modules;
    }
    r->modules++;
    *used = end;
    return SW_OK;
}

/* Several fat binaries, zeros between them. */
static sw_status
read_fatbins(reader *r, const char *p, size_t n)
{
    size_t at = 0;
    while (at < n) {
        size_t used = 0;
        if (p[at] == 0) {
            at++;
            continue;
        }
        if (n - at < 4 || get32(p + at) != SW_FATBIN_MAGIC)
            return fail(r, "byte %zu does not begin a fat binary", at);
        sw_status status = read_fatbin(r, p + at, n - at, &used);
        if (status)
            return status;
        at += used;
    }
    return SW_OK;
}

/* The architecture a cubin is for: where in e_flags it is depends on the
 * edition of the format, which EI_OSABI tells. */
static uint32_t
cubin_arch(const sw_elf *elf)
{
    unsigned char abi = (unsigned char)elf->bytes.p[7];
    return abi >= 0x41 ? elf->flags >> 8 & 0xff : elf->flags & 0xff;
}

static sw_status
read_cubin(reader *r, sw_str bytes)
{
    sw_elf elf;
    sw_status status = sw_elf_open(bytes, "", &elf, r->diag);
    if (status)
        return status;
    if (elf.machine != SW_ELF_CUDA)
        return fail(r,
                    "an ELF file for machine %u, not device code (%d); a "
                    "host program holds its device code in .nv_fatbin",
                    (unsigned)elf.machine, SW_ELF_CUDA);
    *(sw_fatbin_entry *)sw_vec_push(&r->entries) =
        (sw_fatbin_entry){.kind = SW_FATBIN_ELF,
                          .arch = cubin_arch(&elf),
                          .stored_bytes = bytes.n,
                          .data = bytes,
                          .options = {"", 0},
                          .ident = {"", 0}};
    r->modules = 1;
    return SW_OK;
}

/* `text` is NUL-terminated. */
static void
read_ptx(reader *r, sw_str text)
{
    sw_fatbin_entry e = {.kind = SW_FATBIN_PTX,
                         .stored_bytes = text.n,
                         .data = text,
                         .options = {"", 0},
                         .ident = {"", 0}};
    sw_fatbin_scan_header(text, &e.major, &e.minor, &e.arch, &e.variant);
    *(sw_fatbin_entry *)sw_vec_push(&r->entries) = e;
    r->modules = 1;
}

/* Could these bytes begin a text? Bad PTX is for the PTX parser to refuse. */
static bool
is_text(const char *p, size_t n)
{
    size_t length = strnlen(p, n < 64 ? n : 64);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)p[i];
        if ((c < ' ' && !strchr("\t\n\v\f\r", c)) || c == 0x7f)
            return false;
    }
    return length > 0;
}

static sw_status
refuse_unknown(reader *r, const char *p, size_t n)
{
    if (n >= 4)
        return fail(r,
                    "neither a fat binary, nor a cubin, nor PTX: it begins "
                    "with the bytes %02x %02x %02x %02x",
                    (unsigned char)p[0], (unsigned char)p[1],
                    (unsigned char)p[2], (unsigned char)p[3]);
    return fail(r, "neither a fat binary, nor a cubin, nor PTX: %zu bytes", n);
}

/* Hands the entries over, or drops them. */
static sw_status
finish(reader *r, sw_status status, sw_fatbin *out)
{
    *out = (sw_fatbin){0};
    if (status == SW_OK) {
        out->count = (uint32_t)r->entries.count;
        out->modules = r->modules;
        out->entries = sw_vec_to_arena(&r->entries, r->arena);
    }
    sw_vec_finish(&r->entries);
    return status;
}

sw_status
sw_fatbin_parse(sw_arena *arena, const void *bytes, size_t n, sw_fatbin *out,
                sw_diag *diag)
{
    reader r = {.arena = arena, .diag = diag};
    const char *p = bytes;
    uint32_t magic = n >= 4 ? get32(p) : 0;
    sw_status status = SW_OK;

    sw_vec_init(&r.entries, sizeof(sw_fatbin_entry));
    if (magic == SW_FATBIN_MAGIC)
        status = read_fatbins(&r, p, n);
    else if (magic == SW_WRAPPER_MAGIC)
        status = fail(&r, "a fat binary's wrapper: it holds pointers, which "
                          "mean nothing in a file");
    else if (sw_elf_is((sw_str){p, n}))
        status = read_cubin(&r, (sw_str){p, n});
    else if (is_text(p, n))
        read_ptx(&r,
                 sw_str_of(sw_arena_str(arena, (sw_str){p, strnlen(p, n)})));
    else
        status = refuse_unknown(&r, p, n);
    return finish(&r, status, out);
}

/* ---- memory of unknown length ---- */

static sw_status
load_fatbin(reader *r, const char *p)
{
    size_t used = 0;
    uint32_t magic = get32(p);
    if (magic != SW_FATBIN_MAGIC)
        return fail(r,
                    "a wrapper points to something that is no fat binary (its "
                    "first word is 0x%08" PRIx32 ")",
                    magic);
    uint64_t bytes = get16(p + 6) + get64(p + 8);
    if (get64(p + 8) > MAX_IMAGE_BYTES)
        return fail(r, "a fat binary that declares %" PRIu64 " bytes",
                    get64(p + 8));
    return read_fatbin(r, p, (size_t)bytes, &used);
}

static sw_status
load_wrapper(reader *r, const char *p)
{
    uint32_t version = get32(p + 4);
    const char *data = NULL;
    const char *const *list = NULL;
    memcpy(&data, p + 8, sizeof data);
    memcpy(&list, p + 16, sizeof list);
    if (version != 1 && version != 2)
        return fail(r,
                    "a fat binary's wrapper of version %" PRIu32
                    "; 1 and 2 are known",
                    version);
    if (data) {
        sw_status status = load_fatbin(r, data);
        if (status)
            return status;
    } else {
        r->modules++; /* module 0 stays empty */
    }
    for (; version == 2 && list && *list; list++) {
        sw_status status = load_fatbin(r, *list);
        if (status)
            return status;
    }
    return SW_OK;
}

sw_status
sw_fatbin_load(sw_arena *arena, const void *image, sw_fatbin *out,
               sw_diag *diag)
{
    reader r = {.arena = arena, .diag = diag};
    const char *p = image;
    sw_status status = SW_OK;

    sw_vec_init(&r.entries, sizeof(sw_fatbin_entry));
    /* Not past a NUL: a text may be shorter than a word. */
    size_t start = strnlen(p, 4);
    uint32_t magic = start == 4 ? get32(p) : 0;
    if (magic == SW_FATBIN_MAGIC) {
        status = load_fatbin(&r, p);
    } else if (magic == SW_WRAPPER_MAGIC) {
        status = load_wrapper(&r, p);
    } else if (sw_elf_is((sw_str){p, start})) {
        uint64_t bytes = sw_elf_declared_bytes(p);
        if (!bytes || bytes > MAX_IMAGE_BYTES)
            status = fail(&r, "an ELF image whose header makes no sense");
        else
            status = read_cubin(&r, (sw_str){p, (size_t)bytes});
    } else if (is_text(p, 64)) {
        read_ptx(&r, sw_str_of(sw_arena_str(arena, sw_str_of(p))));
    } else {
        status = refuse_unknown(&r, p, start);
    }
    return finish(&r, status, out);
}

void
sw_fatbin_keep_entry(sw_arena *arena, sw_fatbin_entry *e)
{
    e->data.p = sw_arena_str(arena, e->data);
    e->ident.p = sw_arena_str(arena, e->ident);
    e->options.p = sw_arena_str(arena, e->options);
}

void
sw_fatbin_keep(sw_arena *arena, sw_fatbin *fatbin)
{
    for (uint32_t i = 0; i < fatbin->count; i++)
        sw_fatbin_keep_entry(arena, &fatbin->entries[i]);
}
