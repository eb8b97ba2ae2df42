/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - objects to a program, with our runtime library. */
#include <string.h>
#include <unistd.h>

#include "cc/pass.h"

/* A program's own function or variable named like one of the driver's is not
 * what our libraries call (src/cc/CMakeLists.txt makes the file). */
static void
hide_driver_names(cc_run *run, cc_command *command)
{
    cc_options *o = &run->options;
    const char *names =
        sw_arena_printf(o->arena, "%s/driver_names.map", run->library_dir);

    for (size_t i = 0; i < o->link.count; i++)
        if (strstr(*(char **)sw_vec_at(&o->link, i), "version-script"))
            return; /* a linker takes one */
    if (!o->shared && cc_is_file(names))
        cc_command_addf(command, "-Wl,--version-script=%s", names);
}

static const char *
program_name(const cc_run *run)
{
    const cc_options *o = &run->options;

    if (o->output)
        return o->output;
    return o->output_dir ? sw_arena_printf(o->arena, "%s/a.out", o->output_dir)
                         : "a.out";
}

int
cc_make_library(cc_run *run)
{
    cc_options *o = &run->options;
    const char *path = o->output ? o->output : "a.a";
    cc_command command;

    cc_command_init(&command, o->arena);
    cc_command_add(&command, o->archiver ? o->archiver : "ar");
    cc_command_add(&command, "rcs");
    cc_command_add(&command, path);
    for (size_t i = 0; i < run->objects.count; i++) {
        const char *object = *(char **)sw_vec_at(&run->objects, i);
        if (object[0] != '-')
            cc_command_add(&command, object);
    }
    if (!o->dry_run)
        unlink(path); /* not what an older one had */
    int rc = cc_command_run(&command, o);
    cc_command_finish(&command);
    return rc;
}

int
cc_run_program(cc_run *run)
{
    cc_options *o = &run->options;
    const char *name = program_name(run);
    cc_command command;

    cc_command_init(&command, o->arena);
    cc_command_add(&command, strchr(name, '/')
                                 ? name
                                 : sw_arena_printf(o->arena, "./%s", name));
    cc_command_add_all(&command, &o->run_args);
    int rc = cc_command_run(&command, o);
    cc_command_finish(&command);
    return rc;
}

int
cc_link_program(cc_run *run)
{
    cc_options *o = &run->options;
    cc_command command;

    cc_command_init(&command, o->arena);
    cc_command_add(&command, run->clang.path);
    cc_command_add(&command, "-Wno-unused-command-line-argument");
    for (size_t i = 0; i < o->host.count; i++) {
        const char *arg = *(char **)sw_vec_at(&o->host, i);
        /* It would have clang look for the library. */
        if (!run->openmp.library || !cc_is_openmp(arg))
            cc_command_add(&command, arg);
    }
    if (o->shared)
        cc_command_add(&command, "-shared");
    cc_command_add(&command, "-o");
    cc_command_add(&command, program_name(run));
    cc_command_addf(&command, "-L%s", run->library_dir);
    cc_command_want(&command, &run->objects);
    cc_command_add_all(&command, &run->objects);
    cc_command_add_all(&command, &o->link);
    if (run->openmp.library)
        cc_command_add(&command, run->openmp.library);
    if (run->openmp.library && !o->dry_run) {
        const char *missing = cc_temp_path(run, "openmp", ".s");
        if (missing && cc_openmp_add_missing(&run->openmp, missing))
            cc_command_add(&command, missing);
    }
    hide_driver_names(run, &command);
    cc_command_addf(&command, "-Wl,-rpath,%s", run->library_dir);
    if (!o->no_host_runtime && o->is_cuda_named)
        cc_command_addf(&command, "%s/%s", run->library_dir, o->cuda->runtime);
    else if (!o->no_host_runtime)
        cc_command_add(&command, "-lcudart");
    cc_command_add(&command, "-Wl,--as-needed");
    cc_command_add(&command, "-lcuda");
    cc_command_add(&command, "-lm");
    cc_command_add(&command, "-lpthread");
    int rc = cc_command_run(&command, o);
    cc_command_finish(&command);
    return rc;
}

/* -dlink: nothing is linked before the program runs, but builds want a file;
 * with it in the program the linker takes device code from archives. */
int
cc_link_device(cc_run *run)
{
    const char *source = cc_temp_path(run, "device_link", ".s");
    cc_command command;
    sw_vec wanted;
    sw_buf text;
    int rc = 1;

    cc_command_init(&command, run->options.arena);
    sw_vec_init(&wanted, sizeof(char *));
    sw_buf_init(&text);
    cc_find_device_code(run->options.arena, &run->options.inputs, &wanted);
    sw_buf_puts(&text, "\t.section .note.GNU-stack,\"\",@progbits\n\t.data\n");
    for (size_t i = 0; i < wanted.count; i++)
        sw_buf_printf(&text, "\t.quad %s\n", *(char **)sw_vec_at(&wanted, i));
    if (source &&
        (run->options.dry_run || cc_write_file(source, text.p, text.n))) {
        cc_command_add(&command, run->clang.path);
        cc_command_add(&command, "-c");
        cc_command_add(&command, "-o");
        cc_command_add(&command,
                       run->options.output ? run->options.output : "a_dlink.o");
        cc_command_add(&command, source);
        rc = cc_command_run(&command, &run->options);
    }
    sw_vec_finish(&wanted);
    sw_buf_finish(&text);
    cc_command_finish(&command);
    return rc;
}
