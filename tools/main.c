/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the `softwarp` command: finds the subcommand and calls it. By the
 * names of ptxas and nvcc it is `softwarp ptxas` and `softwarp cc`.
 */
#include <stdio.h>
#include <string.h>

#include "tools.h"

static const struct {
    const char *name;
    int (*fn)(int argc, char **argv);
    const char *help;
} tools[] = {
#define TOOL(name, help) {#name, sw_tool_##name, help},
#include "tools.def"
#undef TOOL
};

enum { TOOL_COUNT = sizeof tools / sizeof tools[0] };

static void
usage(FILE *f)
{
    fputs("usage: softwarp COMMAND [argument...]\n", f);
    for (size_t i = 0; i < TOOL_COUNT; i++)
        fprintf(f, "  %-10s %s\n", tools[i].name, tools[i].help);
}

int
main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    const char *called = slash ? slash + 1 : argv[0];
    if (strcmp(called, "ptxas") == 0)
        return sw_tool_ptxas(argc, argv);
    if (strcmp(called, "nvcc") == 0)
        return sw_tool_cc(argc, argv);
    if (argc < 2) {
        usage(stderr);
        return 2;
    }
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (strcmp(argv[1], tools[i].name) == 0)
            return tools[i].fn(argc - 1, argv + 1);
    if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
        !strcmp(argv[1], "-h")) {
        usage(stdout);
        return 0;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("softwarp " SW_VERSION);
        return 0;
    }
    fprintf(stderr, "softwarp: error: '%s' is no command\n", argv[1]);
    usage(stderr);
    return 2;
}
