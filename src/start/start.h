/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.h - what the files of libsoftwarp-start.so share.
 *
 * The dynamic linker loads this library before a program (LD_AUDIT) and tells
 * it of every file that it maps, before any constructor of it runs. Where one
 * brings a CUDA runtime of its own, each entry point of that runtime becomes a
 * jump to the function of the same name in our library. Files that ask for a
 * CUDA library by name, wherever they look for it, get ours.
 *
 * It lives in a namespace of its own and stands on nothing: no C library, no
 * allocation but pages, no thread-local storage. The linker calls it with its
 * lock held; only what is said to run later (sw_start_resolve) runs in the
 * program's threads. Does NOT read device code. x86-64 only.
 */
#ifndef SW_START_H
#define SW_START_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- system.c: system calls and text ---- */

enum { START_PAGE = 4096, START_TEXT = 1024 };

/* A file in memory, read only; NULL if it cannot be. */
const unsigned char *sw_start_map_file(const char *path, size_t *bytes);
/* Zeroed pages within 2 GiB of `near`, below it if possible; NULL if there are
 * none. */
void *sw_start_pages_near(uintptr_t near, size_t bytes);
void sw_start_unmap(const void *p, size_t bytes);
/* Of whole pages around the range. false: the system does not allow it. */
bool sw_start_protect(uintptr_t from, size_t bytes, bool write, bool execute);

size_t sw_start_length(const char *s);
bool sw_start_same(const char *a, const char *b);
/* What follows `prefix` in s, NULL if s does not begin so. */
const char *sw_start_after(const char *s, const char *prefix);
const char *sw_start_base_name(const char *path);

/* A line on standard error: "softwarp: ", then the texts up to NULL. Only if
 * SOFTWARP_LOG lets `level` through: 1 warnings, 2 information. */
void sw_start_say(int level, ...);
void sw_start_set_level(const char *log); /* SOFTWARP_LOG, may be NULL */

/* ---- names.c: the entry points of the runtime ---- */

enum { START_L11 = 1, START_L12 = 2, START_L13 = 4 };

typedef struct {
    const char *name;
    unsigned libraries; /* START_L..: which of our libraries have it */
} sw_start_name;

size_t sw_start_names(void); /* how many */
const sw_start_name *sw_start_name_at(size_t i);
/* The index of a symbol's name, up to its end or '@'; -1 if it is none. */
int sw_start_find_name(const char *symbol, size_t most);

/* ---- scan.c: the symbols of a file ---- */

typedef struct {
    uintptr_t address; /* in memory */
    uint32_t bytes;
    uint16_t name;  /* sw_start_name_at */
    uint16_t taken; /* of its bytes, by jumps: patch.c */
} sw_start_entry;

typedef struct {
    uintptr_t text, text_bytes; /* in memory: all that is executable */
    sw_start_entry *entries;    /* `room` of them, given by the caller */
    size_t count, room;
    bool has_device_code; /* a section of it */
    bool needs_runtime;   /* of another file */
} sw_start_scan_result;

/* Reads the file that is loaded at `bias`. false if it is not that. */
bool sw_start_scan(const unsigned char *file, size_t bytes, uintptr_t bias,
                   sw_start_scan_result *out);

/* ---- patch.c: jumps in place of entry points ---- */

/* One patched file; lies in pages near it. */
typedef struct sw_start_object sw_start_object;

/* Number of entry points that are jumps now; -1 if the system forbids it.
 * *out, to be given to sw_start_forget when the file is unmapped. */
int sw_start_patch(sw_start_scan_result *scan, const char *file,
                   sw_start_object **out);
void sw_start_forget(sw_start_object *object);
/* Called by the first jump through entry `index` of object number `object`,
 * in a thread of the program; where to go. */
uintptr_t sw_start_resolve(uint32_t object_and_index);

/* ---- open.c: our libraries, in the program's namespace ---- */

/* The folder of our libraries, which stays valid. */
void sw_start_set_folder(const char *folder, size_t bytes);
const char *sw_start_folder(void); /* "" before it is known */
/* A C library that the program has: load bias and dynamic section. */
void sw_start_see_libc(uintptr_t bias, const void *dynamic);
/* A function of libcudart for CUDA `major`; 0 after saying why. */
uintptr_t sw_start_function(unsigned major, const char *name);
/* What our folder has in place of a library asked for as `name`, or NULL;
 * valid until the next call. */
const char *sw_start_instead(const char *name);

#endif
