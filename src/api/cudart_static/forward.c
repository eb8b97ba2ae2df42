/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forward.c - all there is in libcudart_static.a: every function of the runtime
 * library, as a jump to the shared one, which is loaded when the program
 * starts. So programs of build systems that link the runtime library statically
 * (CMake does unless it is told otherwise) start without a search path of ours.
 *
 * The shared library is looked for as a run path would have it: in the folders
 * of LD_LIBRARY_PATH, which `softwarp run` sets, where the archive was built or
 * installed, and where the loader looks else.
 * Where there is none each function answers as on a machine whose driver is too
 * old, which programs know how to meet, and the reason is said once.
 *
 * A table of the functions lies in a section of its own: each is its name, and
 * where its jump goes. x86-64.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void target_fn(void);

typedef struct {
    const char *name;
    target_fn *target;
} row;

/* The linker's names for the section's ends. */
extern row __start_softwarp_cudart[], __stop_softwarp_cudart[];

#define ENTRY(symbol, libraries, state, missing)                               \
    __asm__(".section .rodata.str1.1,\"aMS\",@progbits,1\n"                    \
            "8: .asciz \"" #symbol "\"\n"                                      \
            ".section softwarp_cudart,\"aw\",@progbits\n"                      \
            ".balign 8\n"                                                      \
            ".quad 8b\n"                                                       \
            "9: .quad 0\n"                                                     \
            ".text\n"                                                          \
            ".globl " #symbol "\n"                                             \
            ".hidden " #symbol "\n"                                            \
            ".type " #symbol ", @function\n"                                   \
            ".balign 16\n" #symbol ":\n"                                       \
            "    jmp *9b(%rip)\n"                                              \
            ".size " #symbol ", . - " #symbol "\n");
#include "api/cudart/entries.def"
#undef ENTRY

/* ---- where there is no library ---- */

enum { INSUFFICIENT_DRIVER = 35, NOT_SUPPORTED = 801 };

static int
insufficient_driver(void)
{
    return INSUFFICIENT_DRIVER;
}

/* The library is there and older, or newer, than the program's headers. */
static int
not_supported(void)
{
    return NOT_SUPPORTED;
}

static const char *
text_of_error(int error)
{
    return error
               ? "CUDA driver version is insufficient for CUDA runtime version"
               : "no error";
}

/* What a program's device code is known by; it is given back at the end. */
static void **
register_nothing(void)
{
    static void *handle;
    return &handle;
}

static target_fn *
without_library(const char *name)
{
    static const struct {
        const char *name;
        target_fn *target;
    } others[] = {
        {"cudaGetErrorString", (target_fn *)text_of_error},
        {"cudaGetErrorName", (target_fn *)text_of_error},
        {"__cudaRegisterFatBinary", (target_fn *)register_nothing},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(others[i].name, name))
            return others[i].target;
    return (target_fn *)insufficient_driver;
}

static void *
load_from(const char *folder, size_t bytes)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%.*s/" SW_LIBRARY_NAME, (int)bytes,
                     folder);
    return bytes && n < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL)
                                         : NULL;
}

/* SW_LIBRARY_FOLDER: of the shared library, where this is built for. */
static void *
load_library(void)
{
    const char *folder = getenv("LD_LIBRARY_PATH");
    void *library = NULL;
    while (folder && *folder && !library) {
        size_t bytes = strcspn(folder, ":;");
        library = load_from(folder, bytes);
        folder += bytes + (folder[bytes] != 0);
    }
    if (!library)
        library = load_from(SW_LIBRARY_FOLDER, strlen(SW_LIBRARY_FOLDER));
    if (!library)
        library = dlopen(SW_LIBRARY_NAME, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        fprintf(stderr,
                "softwarp: error: %s is neither in %s nor where the loader "
                "looks; start the program with `softwarp run`\n",
                SW_LIBRARY_NAME, SW_LIBRARY_FOLDER);
    return library;
}

/* Before the constructors that register device code, which have no priority. */
__attribute__((constructor(101))) static void
bind_all(void)
{
    void *library = load_library();
    for (row *r = __start_softwarp_cudart; r < __stop_softwarp_cudart; r++) {
        void *found = library ? dlsym(library, r->name) : NULL;
        if (found)
            memcpy(&r->target, &found, sizeof found);
        else
            r->target =
                library ? (target_fn *)not_supported : without_library(r->name);
    }
}
