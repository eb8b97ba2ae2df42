/* SPDX-License-Identifier: Apache-2.0 */
/* places.c - where the compiler, our headers and our libraries are. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/llvm_versions.h"
#include "cc/cc_private.h"
#include "cc/session.h"

static bool
is_readable(const char *path)
{
    return access(path, R_OK) == 0;
}

/* The file that this code is in: the command's, or the library's. */
static bool
find_self(char self[PATH_MAX])
{
    Dl_info info;
    if (dladdr((void *)(uintptr_t)&cc_find_places, &info) &&
        strstr(info.dli_fname, "libsoftwarp-cc.so"))
        return realpath(info.dli_fname, self) != NULL;
    ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);
    if (n > 0)
        self[n] = 0;
    return n > 0;
}

bool
cc_find_places(sw_arena *arena, const char **include_dir,
               const char **library_dir)
{
    char self[PATH_MAX];
    char *slash;

    if (!find_self(self)) {
        cc_say("softwarp cc: error: /proc is not mounted\n");
        return false;
    }
    for (int up = 0; up < 2; up++)
        if ((slash = strrchr(self, '/')))
            *slash = 0;
    if ((slash = strrchr(self, '/')) && strcmp(slash, "/lib") == 0)
        *slash = 0; /* the library is installed one folder deeper */
    *include_dir = sw_arena_printf(arena, "%s/include/softwarp/cuda", self);
    *library_dir = sw_arena_printf(arena, "%s/lib/softwarp", self);
    if (!is_readable(sw_arena_printf(arena, "%s/cuda.h", *include_dir))) {
        *include_dir = SW_SOURCE_DIR "/include/cuda";
        *library_dir = sw_arena_printf(arena, "%s/lib", self);
    }
    if (is_readable(sw_arena_printf(arena, "%s/cuda.h", *include_dir)))
        return true;
    cc_fail(SW_E_JIT_COMPILER_NOT_FOUND,
            "softwarp cc: error: our CUDA headers are neither in "
            "%s/include/softwarp/cuda nor in %s\n",
            self, *include_dir);
    return false;
}

void
cc_say_places(const cc_options *o, const char *include_dir,
              const char *library_dir)
{
    cc_say("#$ TOP=%s/toolkit\n"
           "#$ NVVMIR_LIBRARY_DIR=%s/toolkit/nvvm/libdevice\n"
           "#$ INCLUDES=-I%s\n"
           "#$ LIBRARIES=-L%s\n"
           "#$ ARCHITECTURES=",
           library_dir, library_dir, include_dir, library_dir);
    for (size_t i = 0; i < o->archs.count; i++)
        cc_say("-arch compute_%u ",
               ((const cc_arch *)sw_vec_at(&o->archs, i))->number);
    fputs("\n", stderr);
}

/* ---- clang ---- */

/* The first of the folders in `path` that has such a program; NULL: none. */
char *
cc_find_program(sw_arena *arena, const char *path, const char *name)
{
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char *file = sw_arena_printf(arena, "%.*s/%s", (int)n, path, name);
        if (n > 0 && access(file, X_OK) == 0)
            return file;
        path += n + (path[n] == ':');
    }
    return NULL;
}

/* clang of that version, where Debian's packages or others put it. */
static bool
find_version(sw_arena *arena, unsigned version, cc_clang *out)
{
    char *name = sw_arena_printf(arena, "clang++-%u", version);
    char *file = cc_find_program(arena, cc_path_variable(), name);

    if (!file)
        file = cc_find_program(
            arena, sw_arena_printf(arena, "/usr/lib/llvm-%u/bin", version),
            "clang++");
    *out = (cc_clang){file, version};
    return file != NULL;
}

/* The version of the clang in `file`, as it says itself; 0: it is none. */
static unsigned
ask_version(sw_arena *arena, const char *file)
{
    cc_options silent = {.arena = arena};
    unsigned version = 0;
    cc_command command;
    sw_buf said;

    sw_buf_init(&said);
    cc_command_init(&command, arena);
    cc_command_add(&command, file);
    cc_command_add(&command, "-v"); /* which writes where errors go */
    if (cc_command_run_quietly(&command, &silent, &said) == 0 && said.n > 0) {
        const char *at = strstr(said.p, "clang version ");
        version = at ? (unsigned)strtoul(at + 14, NULL, 10) : 0;
    }
    cc_command_finish(&command);
    sw_buf_finish(&said);
    return version;
}

/* What SOFTWARP_CLANG says: a version's number, or a program. */
static cc_clang
find_asked(sw_arena *arena, const char *asked)
{
    cc_clang found = {0};
    size_t digits = strspn(asked, "0123456789");

    if (!asked[digits] && digits < 4) {
        if (!find_version(arena, (unsigned)strtoul(asked, NULL, 10), &found))
            cc_fail(SW_E_JIT_COMPILER_NOT_FOUND,
                    "softwarp cc: error: SOFTWARP_CLANG is %s, but clang %s is "
                    "not installed; apt-get install clang-%s\n",
                    asked, asked, asked);
    } else {
        found.path = strchr(asked, '/')
                         ? sw_arena_str(arena, sw_str_of(asked))
                         : cc_find_program(arena, cc_path_variable(), asked);
        found.version = found.path ? ask_version(arena, found.path) : 0;
        if (!found.version) {
            cc_fail(SW_E_JIT_COMPILER_NOT_FOUND,
                    "softwarp cc: error: SOFTWARP_CLANG is '%s', which is "
                    "neither a version's number nor clang's program\n",
                    asked);
            found.path = NULL;
        }
    }
    if (found.path && found.version < SW_LLVM_OLDEST) {
        cc_fail(SW_E_JIT_COMPILER_NOT_FOUND,
                "softwarp cc: error: SOFTWARP_CLANG is '%s', which is clang "
                "%u; %d is the oldest that will do\n",
                asked, found.version, SW_LLVM_OLDEST);
        found.path = NULL;
    }
    return found;
}

cc_clang
cc_find_clang(sw_arena *arena)
{
    const char *asked = cc_clang_variable();
    cc_clang found;

    if (asked && *asked)
        return find_asked(arena, asked);
    if (find_version(arena, SW_LLVM_BUILT, &found))
        return found;
    for (unsigned v = SW_LLVM_NEWEST; v >= SW_LLVM_OLDEST; v--)
        if (find_version(arena, v, &found))
            return found;
    found.path = cc_find_program(arena, cc_path_variable(), "clang++");
    found.version = found.path ? ask_version(arena, found.path) : 0;
    if (found.version >= SW_LLVM_OLDEST)
        return found;
    cc_fail(SW_E_JIT_COMPILER_NOT_FOUND,
            "softwarp cc: error: no clang from %d on is installed; "
            "apt-get install clang-%d\n",
            SW_LLVM_OLDEST, SW_LLVM_BUILT);
    return (cc_clang){0};
}

const char *
cc_find_dialect(sw_arena *arena, const cc_clang *clang, const char *library_dir)
{
    const char *path = sw_arena_printf(arena, "%s/libsoftwarp-dialect-%u.so",
                                       library_dir, clang->version);
    return is_readable(path) ? path : NULL;
}

const char *
cc_find_quick_clang(sw_arena *arena, const cc_clang *clang,
                    const char *library_dir)
{
    const char *asked = cc_clang_variable();
    const char *path = sw_arena_printf(arena, "%s/softwarp-clang-%u",
                                       library_dir, clang->version);
    return !(asked && *asked) && is_readable(path) ? path : NULL;
}
