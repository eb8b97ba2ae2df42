/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools.h - the subcommands of `softwarp`. Each is one function in its own
 * file: argv[0] is the subcommand's name, the value the exit status.
 */
#ifndef SW_TOOLS_H
#define SW_TOOLS_H
#include <stdbool.h>

#include "base/base.h"
#include "device/device.h"

/* TOOL(name, "one line for the help"): one row per subcommand. */
#define TOOL(name, help) int sw_tool_##name(int argc, char **argv);
#include "tools.def"
#undef TOOL

typedef struct {
    const char *name;
    int (*fn)(int argc, char **argv);
    const char *help; /* one line */
} sw_tool;

/* The subcommands in order; NULL at their end. Static. */
const sw_tool *sw_tool_at(size_t i);
/* How `softwarp` is called, with a line for each subcommand. */
void sw_tool_usage(sw_buf *out);

/* The folder that holds bin/, of an installation or a build; "" if it can't be
 * told. Static. */
const char *sw_tool_base(void);

/* A string of JSON, quotes and all, to standard output. */
void sw_print_json(const char *text);

/* `softwarp run` in two steps. First its options and this process's
 * environment: *program is the program's index in argv, or 0 and the value the
 * exit status, after saying why. Then the process becomes it, argv[0] and on;
 * returns, with the exit status, only if that fails. */
int sw_tool_run_prepare(int argc, char **argv, int *program);
int sw_tool_run_become(char **argv);
/* Or a child becomes it, for a tool that says something afterwards: the
 * program's exit status; 128 and the signal's number if one ended it. An
 * interrupt is for the program alone. */
int sw_tool_run_child(const char *tool, char **argv);
/* The path of gdb's commands of ours, in `path`, which is returned. */
char *sw_tool_gdb_script(char *path, size_t bytes);

/* What each kernel of a file of PTX takes of a device of that compute
 * capability (times ten), as ptxas says it, on standard error. max_registers: a
 * number, or NULL. Says what is wrong with the file instead. */
void sw_tool_say_kernels(const char *path, int cc, const char *max_registers);

/* `softwarp dump --passes`: lists the passes over the IR, or writes them as
 * docs/passes.md. */
int sw_dump_passes(bool is_markdown);

/* `softwarp info --tune`: lists the numbers that SOFTWARP_TUNE sets, as they
 * are in this environment, or with their defaults as docs/tuning.md. */
int sw_info_tune(bool is_markdown);

/* --device-file: this process and those it starts know the devices of one more
 * file; before any device is looked up. */
void sw_tool_device_file(const char *path);
/* False after saying what is wrong in the user's device files. */
bool sw_tool_device_check(void);
/* False after saying that there is no such compute capability (times ten), with
 * a warning if another's limits are taken. */
bool sw_tool_cc_check(int cc);
/* The device of that name; NULL after saying which it could be. */
const sw_device_info *sw_tool_device_find(const char *name);

#endif
