/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gdb.c - `softwarp gdb`: gdb with the commands of gdb/softwarp-gdb.py, in the
 * environment that `softwarp run` makes. It is named softwarp-gdb too, for
 * editors that start a debugger by a path and give it arguments of their own.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

static const char help[] =
    "usage: softwarp gdb [gdb's options] [--args] PROGRAM [argument...]\n"
    "gdb, with PROGRAM on our device instead of a real one, and with commands "
    "for kernels:\n"
    "  softwarp break PLACE   stop where a warp comes to FILE:LINE, or to a "
    "kernel by its\n"
    "                         name; said before `run`; kernels are interpreted "
    "then\n"
    "  softwarp blocks [N]    blocks in progress; N: the others are about "
    "this\n"
    "  softwarp warp [N]      where the block's warps stand\n"
    "  softwarp lanes         the warp's lanes: thread, state, place\n"
    "  softwarp reg NAME [T]  a PTX register, a value a lane, as type T (u32, "
    "f32 ...)\n"
    "The environment is as for `softwarp run`: SOFTWARP_DEVICE chooses the "
    "device,\nSOFTWARP_ENGINE=interp interprets all kernels, "
    "SOFTWARP_ENGINE=jit compiles them\nat once, so that gdb's own `break "
    "FILE:LINE` works in them.\n";

/* The script's path: installed, or in the tree that we were built from. */
char *
sw_tool_gdb_script(char *path, size_t bytes)
{
    snprintf(path, bytes, "%s/share/softwarp/softwarp-gdb.py", sw_tool_base());
    if (access(path, R_OK) != 0)
        snprintf(path, bytes, "%s/tools/gdb/softwarp-gdb.py", SW_SOURCE_DIR);
    return path;
}

int
sw_tool_gdb(int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return 0;
    }
    char script[PATH_MAX];
    sw_tool_gdb_script(script, sizeof script);
    char *first[] = {"run", "--", "gdb", "-q", "-x", script};
    enum { FIRST = sizeof first / sizeof *first };
    char **words = sw_alloc((size_t)(FIRST + argc) * sizeof *words);
    memcpy(words, first, sizeof first);
    memcpy(words + FIRST, argv + 1, (size_t)(argc - 1) * sizeof *words);
    int at;
    int result = sw_tool_run_prepare(FIRST + argc - 1, words, &at);
    if (at)
        result = sw_tool_run_become(words + at);
    sw_free(words);
    return result;
}
