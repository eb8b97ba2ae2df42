/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the `softwarp` command: finds the subcommand and calls it. By the
 * names of ptxas, nvcc and softwarp-gdb it is `softwarp ptxas`, `softwarp cc`
 * and `softwarp gdb`.
 */
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "tools.h"

static const sw_tool tools[] = {
#define TOOL(name, help) {#name, sw_tool_##name, help},
#include "tools.def"
#undef TOOL
};

enum { TOOL_COUNT = sizeof tools / sizeof tools[0] };

const sw_tool *
sw_tool_at(size_t i)
{
    return i < TOOL_COUNT ? &tools[i] : NULL;
}

void
sw_tool_usage(sw_buf *out)
{
    sw_buf_puts(out, "usage: softwarp COMMAND [argument...]\n");
    for (size_t i = 0; i < TOOL_COUNT; i++)
        sw_buf_printf(out, "  %-10s %s\n", tools[i].name, tools[i].help);
    sw_buf_puts(out, "`softwarp help COMMAND` says what one takes, `softwarp "
                     "help environment` what\nthe environment may hold.\n");
}

static void
print_usage(FILE *f)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_tool_usage(&text);
    fputs(text.p, f);
    sw_buf_finish(&text);
}

/* Says which command may be meant. */
static int
say_unknown(const char *name)
{
    sw_near near;
    sw_buf text;
    sw_buf_init(&text);
    sw_near_init(&near, name);
    for (size_t i = 0; i < TOOL_COUNT; i++)
        sw_near_offer(&near, tools[i].name);
    sw_near_say(&near, "; did you mean ", "?", &text);
    fprintf(stderr, "softwarp: error: '%s' is no command%s\n", name, text.p);
    sw_buf_finish(&text);
    print_usage(stderr);
    return 2;
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
    if (strcmp(called, "softwarp-gdb") == 0)
        return sw_tool_gdb(argc, argv);
    if (argc < 2) {
        print_usage(stderr);
        return 2;
    }
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (strcmp(argv[1], tools[i].name) == 0)
            return tools[i].fn(argc - 1, argv + 1);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_usage(stdout);
        return 0;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("softwarp %s%s%s%s\n", SW_VERSION, *SW_COMMIT ? " (" : "",
               SW_COMMIT, *SW_COMMIT ? ")" : "");
        return 0;
    }
    return say_unknown(argv[1]);
}
