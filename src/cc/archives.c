/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archives.c - libraries of objects with device code (-rdc=true) that others
 * call. A host linker takes from an archive what host code calls; the device
 * linker, which there is none of here, would take such objects too. Each has a
 * symbol of a known beginning (cc_rdc_finish), so the linker is made to want
 * those of all archives that are linked.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/cc_private.h"

/* Of ar: the file's beginning, a member's header, and where in that its size
 * stands, in decimal. The first member is the table of symbols: a count, that
 * many offsets, both of four bytes, the highest first, and the names. */
#define MAGIC "!<arch>\n"
enum { MAGIC_BYTES = 8, HEADER = 60, SIZE_AT = 48, SIZE_DIGITS = 10 };

static uint32_t
read_u32(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
           b[3];
}

static void
take_symbols(sw_arena *arena, const char *text, size_t bytes, sw_vec *out)
{
    const size_t prefix = strlen(CC_DEVICE_CODE);
    if (bytes < MAGIC_BYTES + HEADER + 4 || memcmp(text, MAGIC, MAGIC_BYTES) ||
        memcmp(text + MAGIC_BYTES, "/ ", 2))
        return;
    char digits[SIZE_DIGITS + 1] = "";
    memcpy(digits, text + MAGIC_BYTES + SIZE_AT, SIZE_DIGITS);
    const char *p = text + MAGIC_BYTES + HEADER;
    size_t size = strtoul(digits, NULL, 10), left = bytes - (size_t)(p - text);
    const char *end = p + (size < left ? size : left);
    uint64_t skip = 4 + 4 * (uint64_t)read_u32(p);
    if (skip > (uint64_t)(end - p))
        return;
    for (p += skip; p < end;) {
        size_t n = strnlen(p, (size_t)(end - p));
        if (n > prefix && !strncmp(p, CC_DEVICE_CODE, prefix))
            *(const char **)sw_vec_push(out) =
                sw_arena_str(arena, (sw_str){p, n});
        p += n + 1;
    }
}

/* The archive of -lNAME in the folders of the -L before and after it; NULL:
 * none, or a shared library, which a linker prefers. */
static const char *
find_library(sw_arena *arena, const sw_vec *inputs, const char *name)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const char *folder = *(const char **)sw_vec_at(inputs, i);
        if (strncmp(folder, "-L", 2) != 0)
            continue;
        const char *path =
            sw_arena_printf(arena, "%s/lib%s.so", folder + 2, name);
        if (access(path, R_OK) == 0)
            return NULL;
        path = sw_arena_printf(arena, "%s/lib%s.a", folder + 2, name);
        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

void
cc_find_device_code(sw_arena *arena, const sw_vec *inputs, sw_vec *out)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const char *path = *(const char **)sw_vec_at(inputs, i);
        size_t n = strlen(path), bytes;
        char *text;
        if (!strncmp(path, "-l", 2))
            path = find_library(arena, inputs, path + 2);
        else if (n < 2 || strcmp(path + n - 2, ".a") != 0)
            path = NULL;
        if (!path || sw_file_read(path, &text, &bytes) != SW_OK)
            continue;
        take_symbols(arena, text, bytes, out);
        sw_free(text);
    }
}

void
cc_command_want(cc_command *command, const sw_vec *inputs)
{
    sw_vec wanted;
    sw_vec_init(&wanted, sizeof(char *));
    cc_find_device_code(command->arena, inputs, &wanted);
    for (size_t i = 0; i < wanted.count; i++)
        cc_command_addf(command, "-Wl,--undefined=%s",
                        *(char **)sw_vec_at(&wanted, i));
    sw_vec_finish(&wanted);
}

bool
cc_is_runtime_library(const char *arg)
{
    static const char *const names[] = {"-lcudart", "-lcudart_static",
                                        "-lcudadevrt", "-lculibos"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(arg, names[i]) == 0)
            return true;
    return false;
}
