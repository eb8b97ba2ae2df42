/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fatbin.h - device code out of what compilers leave in programs.
 *
 * Reads a fat binary, its wrapper (the argument of __cudaRegisterFatBinary), a
 * cubin or PTX text, and writes fat binaries of PTX. Owns nothing: all results
 * are in the caller's arena or borrowed from the bytes given. Does NOT parse
 * PTX or machine code. No state; any thread.
 *
 * Nothing is read beyond what a header declares, and every declared size is
 * checked against the size around it: bytes of any content are safe.
 */
#ifndef SW_FRONT_FATBIN_H
#define SW_FRONT_FATBIN_H
#include "base/base.h"

typedef enum {
    SW_FATBIN_PTX = 1,
    SW_FATBIN_ELF = 2, /* machine code */
    SW_FATBIN_LTO = 8  /* the compiler's intermediate form; payload as stored */
} sw_fatbin_kind;

typedef enum { SW_FATBIN_STORED, SW_FATBIN_LZ4, SW_FATBIN_ZSTD } sw_fatbin_pack;

typedef struct {
    uint32_t kind; /* sw_fatbin_kind, or a number this file does not know */
    uint32_t arch; /* 75, 90, 120; 0: unknown (PTX text without .target) */
    char variant;  /* 'a' (sm_90a), 'f' (sm_100f) or 0 */
    uint32_t major, minor; /* PTX .version; 0 if unknown */
    uint64_t flags;        /* as stored */
    sw_fatbin_pack pack;
    uint32_t module;         /* which module of the container; see sw_fatbin */
    uint64_t stored_bytes;   /* as it was in the container */
    uint64_t unpacked_bytes; /* as the header declares; 0 if stored as is */
    /* PTX: the text, decompressed; data.p[data.n] is NUL. All else: the
     * bytes as stored, compressed if `pack` says so. In the arena if it had to
     * be made, else borrowed. */
    sw_str data;
    sw_str options; /* of ptxas, "-maxrregcount=32"; may be empty */
    sw_str ident;   /* source file name; may be empty */
} sw_fatbin_entry;

/*
 * A container's entries. `modules` is 1 but for the wrapper of a relocatable
 * link (version 2): there module 0 is what the vendor's linker made (machine
 * code or nothing), and modules 1.. are the translation units, to be linked by
 * symbol name; and but for
 * units that sw_fatbin_write wrote, each of which is a module from 1 on.
 * Entries are in file order, those of one module together.
 */
typedef struct {
    sw_fatbin_entry *entries;
    uint32_t count;
    uint32_t modules;
} sw_fatbin;

/*
 * `n` bytes that are a fat binary (or several, one after the other, each a
 * module: the section .nv_fatbin), a cubin, or PTX text with or without NUL.
 * A wrapper is refused: it holds pointers. SW_E_INVALID_IMAGE with a sentence
 * that names the byte; *out is then empty. PTX that fails to decompress is an
 * error; entries of other kinds are kept, not looked into.
 */
sw_status sw_fatbin_parse(sw_arena *arena, const void *bytes, size_t n,
                          sw_fatbin *out, sw_diag *diag);

/*
 * The same from a pointer without a length, as drivers get it: wrapper, fat
 * binary, cubin or NUL-terminated PTX. The sizes the headers declare are
 * trusted, as they must be.
 */
sw_status sw_fatbin_load(sw_arena *arena, const void *image, sw_fatbin *out,
                         sw_diag *diag);

/* Copies to the arena what its entries have borrowed: the bytes may go then. */
void sw_fatbin_keep(sw_arena *arena, sw_fatbin *fatbin);
/* The same of one entry. */
void sw_fatbin_keep_entry(sw_arena *arena, sw_fatbin_entry *entry);

/*
 * The payload of an entry of any kind, decompressed: in the arena, or borrowed
 * where it was stored as it is. SW_E_INVALID_IMAGE with a sentence.
 */
sw_status sw_fatbin_unpack(sw_arena *arena, const sw_fatbin_entry *entry,
                           sw_str *out, sw_diag *diag);

/*
 * The PTX of `module` that serves a device of capability `cc` (times ten): the
 * highest that is not above it, else the lowest above it (PTX of any version
 * can be executed here); of equal ones the plain one before variants 'f' and
 * 'a', then the first. NULL: the module has no PTX.
 */
const sw_fatbin_entry *sw_fatbin_choose(const sw_fatbin *fatbin,
                                        uint32_t module, int cc);

/*
 * All PTX to be linked for a device: of module 0 where it has PTX, else of all
 * other modules. Appends `const sw_fatbin_entry *` to `out`.
 * SW_E_NO_BINARY_FOR_GPU with a sentence that names the flag that would have
 * kept the PTX; modules without entries are no error, nor is a container
 * without any (a program may have no device code): SW_OK, nothing appended.
 */
sw_status sw_fatbin_images(const sw_fatbin *fatbin, int cc, sw_vec *out,
                           sw_diag *diag);

/* ---- writing ---- */

typedef struct {
    sw_str ptx;      /* without NUL */
    uint32_t arch;   /* 0: taken from the text's .target */
    sw_str ident;    /* source name; may be empty */
    sw_str options;  /* of ptxas, "-maxrregcount=32"; may be empty */
    bool debug;      /* -g */
    bool compressed; /* zstd */
    bool is_unit;    /* to be linked with the others, which are units too */
} sw_fatbin_input;

/* Appends a fat binary with `n` PTX entries to `out`. SW_E_INVAL if an arch
 * is 0 and the text has no .target, or a size does not fit. */
sw_status sw_fatbin_write(const sw_fatbin_input *inputs, size_t n, sw_buf *out,
                          sw_diag *diag);

/*
 * PTX for a device out of anything that a linker takes: as sw_fatbin_parse, and
 * objects of a host and static libraries of them, with all units in them.
 * Appends sw_fatbin_entry to `out`, texts in the arena or borrowed.
 * SW_E_INVALID_IMAGE, SW_E_NO_BINARY_FOR_GPU with a sentence.
 */
sw_status sw_fatbin_units(sw_arena *arena, sw_str bytes, const char *name,
                          int cc, sw_vec *out, sw_diag *diag);

/* ---- looking into PTX text without parsing it ---- */

/* The first .version and .target of the text; what is missing stays 0. */
void sw_fatbin_scan_header(sw_str ptx, uint32_t *major, uint32_t *minor,
                           uint32_t *arch, char *variant);
/* The next kernel name at or after *pos (start with 0); false at the end.
 * Borrowed from the text; comments are skipped. */
bool sw_fatbin_next_kernel(sw_str ptx, size_t *pos, sw_str *name);

const char *sw_fatbin_kind_name(uint32_t kind); /* "PTX", "ELF", ... */

#endif
