/* SPDX-License-Identifier: Apache-2.0 */
/* openmp.c - the runtime that -Xcompiler -fopenmp needs. */
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/cc_private.h"

/* Called at the end of a loop's schedule, by clang from 19 on. */
#define NEW_FUNCTION "__kmpc_dispatch_deinit"

bool
cc_is_openmp(const char *arg)
{
    return strcmp(arg, "-fopenmp") == 0 || strcmp(arg, "-fopenmp=libomp") == 0;
}

/* Of the files that match, the one whose first number is the highest, in the
 * arena; NULL if there is none. */
static char *
find_newest(sw_arena *arena, const char *pattern)
{
    char *best = NULL;
    long newest = -1;
    glob_t found;

    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *path = found.gl_pathv[i];
            /* x86_64's is none: a number follows '-' or '/'. */
            const char *digit = path;
            while (*digit && !(strchr("-/", *digit) && digit[1] >= '0' &&
                               digit[1] <= '9'))
                digit++;
            long number = *digit ? strtol(digit + 1, NULL, 10) : 0;
            if (number > newest) {
                newest = number;
                best = sw_arena_str(arena, sw_str_of(path));
            }
        }
        globfree(&found);
    }
    return best;
}

/* The path up to the `levels`th '/' from its end, that left out. */
static char *
parent(sw_arena *arena, const char *path, int levels)
{
    char *copy = sw_arena_str(arena, sw_str_of(path));

    for (char *slash; levels-- > 0 && (slash = strrchr(copy, '/'));)
        *slash = 0;
    return copy;
}

cc_openmp
cc_find_openmp(sw_arena *arena, const char *clang)
{
    static const char *const runtimes[] = {"/usr/lib/llvm-*/lib/libomp.so",
                                           "/usr/lib/*/libomp.so.5",
                                           "/usr/lib64/libomp.so"};
    cc_openmp places = {0};
    char real[PATH_MAX];
    char *header = NULL;

    if (realpath(clang, real) &&
        !access(
            sw_arena_printf(arena, "%s/lib/libomp.so", parent(arena, real, 2)),
            R_OK)) {
        places.is_found = true;
        return places;
    }
    for (size_t i = 0; i < sizeof runtimes / sizeof runtimes[0] && !header;
         i++) {
        places.library = find_newest(arena, runtimes[i]);
        if (!places.library)
            continue;
        header = find_newest(arena,
                             sw_arena_printf(arena, "%s/clang/*/include/omp.h",
                                             parent(arena, places.library, 1)));
        if (!header)
            header = find_newest(arena, "/usr/lib/gcc/*/*/include/omp.h");
    }
    places.is_found = header != NULL;
    if (header)
        places.include_dir = parent(arena, header, 1);
    else
        places.library = NULL;
    return places;
}

bool
cc_openmp_add_missing(const cc_openmp *openmp, const char *path)
{
    static const char source[] = "\t.weak\t" NEW_FUNCTION "\n" NEW_FUNCTION
                                 ":\n\tret\n\t.section\t.note.GNU-stack\n";
    char *text;
    size_t bytes;

    if (!openmp->library || sw_file_read(openmp->library, &text, &bytes))
        return false;
    bool has_it = memmem(text, bytes, NEW_FUNCTION, strlen(NEW_FUNCTION));
    sw_free(text);
    return !has_it && cc_write_file(path, source, sizeof source - 1);
}
