/* SPDX-License-Identifier: Apache-2.0 */
/* places.c - where the compiler, our headers and our libraries are. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/cc_private.h"

#define CLANG_NAME     "clang++-19"
#define CLANG_FALLBACK "/usr/lib/llvm-19/bin/clang++"

static bool
is_readable(const char *path)
{
    return access(path, R_OK) == 0;
}

bool
cc_find_places(sw_arena *arena, const char **include_dir,
               const char **library_dir)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (n <= 0) {
        fprintf(stderr, "softwarp cc: error: /proc is not mounted\n");
        return false;
    }
    self[n] = 0;
    for (int up = 0; up < 2; up++)
        if ((slash = strrchr(self, '/')))
            *slash = 0;
    *include_dir = sw_arena_printf(arena, "%s/include/softwarp/cuda", self);
    *library_dir = sw_arena_printf(arena, "%s/lib/softwarp", self);
    if (!is_readable(sw_arena_printf(arena, "%s/cuda.h", *include_dir))) {
        *include_dir = SW_SOURCE_DIR "/include/cuda";
        *library_dir = sw_arena_printf(arena, "%s/lib", self);
    }
    if (is_readable(sw_arena_printf(arena, "%s/cuda.h", *include_dir)))
        return true;
    fprintf(stderr,
            "softwarp cc: error: our CUDA headers are neither in "
            "%s/include/softwarp/cuda nor in %s\n",
            self, *include_dir);
    return false;
}

void
cc_say_places(const cc_options *o, const char *include_dir,
              const char *library_dir)
{
    fprintf(stderr,
            "#$ TOP=%s/toolkit\n"
            "#$ NVVMIR_LIBRARY_DIR=%s/toolkit/nvvm/libdevice\n"
            "#$ INCLUDES=-I%s\n"
            "#$ LIBRARIES=-L%s\n"
            "#$ ARCHITECTURES=",
            library_dir, library_dir, include_dir, library_dir);
    for (size_t i = 0; i < o->archs.count; i++)
        fprintf(stderr, "-arch compute_%u ",
                ((const cc_arch *)sw_vec_at(&o->archs, i))->number);
    fputs("\n", stderr);
}

const char *
cc_find_clang(sw_arena *arena)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        size_t n = strcspn(path, ":");
        char *file =
            sw_arena_printf(arena, "%.*s/%s", (int)n, path, CLANG_NAME);
        if (n > 0 && access(file, X_OK) == 0)
            return file;
        path += n + (path[n] == ':');
    }
    if (access(CLANG_FALLBACK, X_OK) == 0)
        return CLANG_FALLBACK;
    fprintf(stderr, "softwarp cc: error: clang 19 is not installed; "
                    "apt-get install clang-19\n");
    return NULL;
}
