/* SPDX-License-Identifier: Apache-2.0 */
/* run_look.c - see run_look.h. */
#include "run_look.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "front/fatbin/cubin.h"
#include "front/fatbin/elf.h"
#include "front/fatbin/fatbin.h"

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };
enum {
    ET_REL_ = 1,
    EM_X86_64_ = 62,
    EM_CUDA_ = 190,
#if defined(__aarch64__)
    EM_HERE = 183
#else
    EM_HERE = EM_X86_64_
#endif
};

/* As execvp finds it, in `out` of PATH_MAX bytes; false if it does not. */
static bool
find_program(const char *name, char *out)
{
    if (strchr(name, '/')) {
        snprintf(out, PATH_MAX, "%s", name);
        return access(out, F_OK) == 0;
    }
    const char *p = getenv("PATH");
    while (p && *p) {
        size_t n = strcspn(p, ":");
        snprintf(out, PATH_MAX, "%.*s/%s", n ? (int)n : 1, n ? p : ".", name);
        if (access(out, X_OK) == 0)
            return true;
        p += n + (p[n] == ':');
    }
    return false;
}

static int
refuse(int status, const char *program, const char *why)
{
    fprintf(stderr, "softwarp run: error: %s %s\n", program, why);
    return status;
}

/* Compilers put code without kernels into programs that have none. */
static bool
has_kernels(sw_arena *arena, const sw_fatbin_entry *e)
{
    sw_str bytes;
    sw_elf elf;
    sw_cubin_kernel kernel;
    uint32_t at = 0;
    if (e->kind != SW_FATBIN_ELF ||
        sw_fatbin_unpack(arena, e, &bytes, NULL) != SW_OK ||
        sw_elf_open(bytes, "", &elf, NULL) != SW_OK || elf.machine != EM_CUDA_)
        return true; /* or who knows */
    return sw_cubin_next_kernel(&elf, &at, &kernel);
}

/* The program has kernels, and none of them is PTX. */
static bool
is_machine_code_only(const sw_elf *elf, uint32_t *arch)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin"};
    bool any = false, ptx = false;
    sw_arena *arena = sw_arena_create();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sw_elf_section section;
        sw_fatbin f = {0};
        if (!sw_elf_find_section(elf, names[i], &section) || !section.bytes.n ||
            sw_fatbin_parse(arena, section.bytes.p, section.bytes.n, &f,
                            NULL) != SW_OK)
            continue;
        for (uint32_t k = 0; k < f.count; k++) {
            any |= has_kernels(arena, &f.entries[k]);
            ptx |= f.entries[k].kind == SW_FATBIN_PTX;
            if (!*arch || f.entries[k].arch < *arch)
                *arch = f.entries[k].arch;
        }
    }
    sw_arena_destroy(arena);
    return any && !ptx;
}

/* With a runtime inside, and no dynamic linker to let us in; or what it lets
 * in is not made for this processor. */
static bool
is_out_of_reach(const sw_elf *elf)
{
    sw_elf_section section;
    sw_elf_symbol symbol;
    if (elf->type == ET_REL_ ||
        !sw_elf_find_section(elf, ".nv_fatbin", &section))
        return false;
    if (EM_HERE != EM_X86_64_ && /* src/start writes x86-64 jumps */
        sw_elf_find_symbol(elf, "__cudaRegisterFatBinary", &symbol) &&
        symbol.section)
        return true;
    return !sw_elf_find_section(elf, ".interp", &section);
}

static int
look_at_elf(const char *program, sw_str bytes)
{
    sw_elf elf;
    uint32_t arch = 0;
    if (sw_elf_open(bytes, program, &elf, NULL) != SW_OK)
        return 0; /* the system has its own words for that */
    if (elf.machine == EM_CUDA_)
        return refuse(NOT_EXECUTABLE, program,
                      "is machine code for a device, not a program; load it "
                      "from one");
    if (elf.machine != EM_HERE)
        return refuse(NOT_EXECUTABLE, program,
                      "is a program for another kind of processor");
    if (is_machine_code_only(&elf, &arch))
        sw_log(SW_LOG_WARN,
               "%s has machine code for devices and no PTX: its kernels "
               "cannot run; compile with -gencode "
               "arch=compute_%u,code=compute_%u to keep the PTX",
               program, (unsigned)arch, (unsigned)arch);
    if (is_out_of_reach(&elf))
        sw_log(SW_LOG_WARN,
               "%s has a CUDA runtime inside that cannot be replaced (-static, "
               "or no x86-64); link it with nvcc -cudart shared",
               program);
    return 0;
}

int
sw_run_look(const char *program)
{
    char path[PATH_MAX];
    struct stat st;
    if (!find_program(program, path) || stat(path, &st))
        return refuse(NOT_FOUND, program,
                      strchr(program, '/') ? "does not exist"
                                           : "is in no folder of PATH");
    if (S_ISDIR(st.st_mode))
        return refuse(NOT_EXECUTABLE, program, "is a folder");
    if (access(path, X_OK))
        return refuse(NOT_EXECUTABLE, program,
                      "is not executable; chmod +x makes it so");
    char *bytes;
    size_t n;
    if (sw_file_read(path, &bytes, &n) != SW_OK)
        return 0; /* may be executed, may not be read */
    int status = 0;
    if (sw_elf_is((sw_str){bytes, n}))
        status = look_at_elf(program, (sw_str){bytes, n});
    sw_free(bytes);
    return status;
}
