/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_compile.h - for the tests of src/jit: objects made by a C compiler from
 * a few lines, in a folder that goes when the test ends.
 */
#ifndef JIT_COMPILE_H
#define JIT_COMPILE_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

static char compile_folder[] = "/tmp/softwarp-jit-XXXXXX";

static inline void
compile_clean_up(void)
{
    char command[sizeof compile_folder + 16];
    snprintf(command, sizeof command, "rm -rf %s", compile_folder);
    if (system(command) != 0)
        fprintf(stderr, "%s is left over\n", compile_folder);
}

static inline const char *
compile_get_folder(void)
{
    static bool is_made;
    if (!is_made) {
        if (!mkdtemp(compile_folder))
            return NULL;
        atexit(compile_clean_up);
        is_made = true;
    }
    return compile_folder;
}

static inline bool
has_compiler(const char *cc)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null", cc);
    return system(command) == 0;
}

/* The object's bytes (sw_free), or NULL after the compiler's message. The
 * source is `t.c` of the folder. */
static inline char *
compile(const char *cc, const char *flags, const char *source, size_t *bytes)
{
    const char *folder = compile_get_folder();
    char command[1024], path[128], *object = NULL;
    if (!folder)
        return NULL;
    snprintf(path, sizeof path, "%s/t.c", folder);
    FILE *f = fopen(path, "w");
    if (!f)
        return NULL;
    fputs(source, f);
    fclose(f);
    snprintf(command, sizeof command,
             "cd %s && rm -f t.o && %s -std=c17 %s -c -o t.o %s/t.c", folder,
             cc, flags, folder);
    snprintf(path, sizeof path, "%s/t.o", folder);
    if (system(command) != 0 || sw_file_read(path, &object, bytes))
        return NULL;
    return object;
}

#endif
