/* SPDX-License-Identifier: Apache-2.0 */
/* pass_host.c - the host pass of a .cu, and sources that have no device code.
 */
#include <string.h>

#include "cc/pass.h"

/* What clang's optimiser takes for granted and gcc's does not, or not without
 * an option that nvcc does not give it. */
static void
add_host_leniency(cc_command *command)
{
    cc_command_add(command, "-fwrapv");
    cc_command_add(command, "-fno-strict-aliasing");
    cc_command_add(command, "-fno-delete-null-pointer-checks");
    cc_command_add(command, "-fno-strict-return");
    cc_command_add(command, "-fno-finite-loops");
}

static void
add_optimization(cc_run *run, cc_command *command)
{
    cc_options *o = &run->options;

    add_host_leniency(command);
    if (o->optimize)
        cc_command_addf(command, "-O%s", o->optimize);
    else
        cc_command_add(command,
                       o->debug_host || o->debug_device ? "-O0" : "-O2");
    if (o->debug_host || o->debug_device)
        cc_command_add(command, "-g");
    cc_command_add(command, "-Wno-unused-command-line-argument");
    cc_command_add_all(command, &o->host);
}

/* NULL: none is asked for. */
static const char *
dependencies_file(cc_run *run, const char *input)
{
    cc_options *o = &run->options;

    if (!o->with_dependencies)
        return NULL;
    return o->deps_file ? o->deps_file : cc_base_with(run, input, ".d");
}

static void
add_dependencies(cc_run *run, cc_command *command, const char *input,
                 const char *object)
{
    cc_options *o = &run->options;

    if (!o->with_dependencies)
        return;
    cc_command_add(command, o->user_dependencies ? "-MMD" : "-MD");
    cc_command_add(command, "-MF");
    cc_command_add(command, dependencies_file(run, input));
    cc_command_add(command, "-MT");
    cc_command_add(command, o->deps_target ? o->deps_target : object);
    if (o->phony_dependencies)
        cc_command_add(command, "-MP");
}

static void
add_cuda_host(cc_run *run, cc_command *command)
{
    cc_add_cuda_common(run, command);
    cc_command_add(command, "--cuda-host-only");
    if (!cc_has_host_warnings(run))
        cc_command_add(command, "-w"); /* said by the device pass */
    add_optimization(run, command);
}

/* The host side of `input` with `fatbin` inside, to `object`. */
static int
compile_host(cc_run *run, const char *input, const char *fatbin,
             const char *object)
{
    cc_options *o = &run->options;
    const char *assembly = NULL;
    cc_command command;
    int rc;

    cc_command_init(&command, o->arena);
    add_cuda_host(run, &command);
    command.tail = command.argv.count;
    cc_add_dialect(run, &command, NULL);
    cc_nested_options(o, &command, false);
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, "-fcuda-include-gpubinary");
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, fatbin);
    add_dependencies(run, &command, input, object);
    if (o->relocatable) {
        assembly = cc_temp_path(run, input, ".host.s");
        if (!assembly) {
            rc = 1;
            goto out;
        }
        cc_add_unit_id(run, &command, input);
        cc_command_add(&command, "-S");
    } else {
        cc_command_add(&command, "-c");
    }
    cc_command_add(&command, "-o");
    cc_command_add(&command, assembly ? assembly : object);
    cc_command_add(&command, input);
    rc = cc_run_cuda(run, &command, input, ".host.pch",
                     dependencies_file(run, input));
    if (rc || !assembly)
        goto out;

    if (!o->dry_run && !cc_rdc_finish(assembly, cc_unit_id(run, input))) {
        rc = 1;
        goto out;
    }
    cc_command_finish(&command);
    cc_command_init(&command, o->arena);
    cc_command_add(&command, run->clang.path);
    cc_command_add(&command, "-c");
    cc_command_add(&command, "-Wa,--no-warn"); /* it is clang's own */
    cc_command_add(&command, "-o");
    cc_command_add(&command, object);
    cc_command_add(&command, assembly);
    rc = cc_command_run(&command, o);
out:
    cc_command_finish(&command);
    return rc;
}

int
cc_compile_cuda(cc_run *run, const char *input, const char *object)
{
    const char *fatbin = cc_temp_path(run, input, ".fatbin");
    int rc = fatbin ? cc_compile_fatbin(run, input, fatbin) : 1;

    return rc ? rc : compile_host(run, input, fatbin, object);
}

/* .cpp, .c and .s: the same compiler, no device code. */
int
cc_compile_plain(cc_run *run, const char *input, cc_file_kind kind,
                 const char *object)
{
    cc_options *o = &run->options;
    cc_command command;

    cc_command_init(&command, o->arena);
    cc_command_add(&command, run->clang.path);
    if (kind != FILE_ASSEMBLY) {
        cc_command_add(&command, "-x");
        cc_command_add(&command, kind == FILE_C ? "c" : "c++");
    }
    if (kind == FILE_C) { /* as gcc: old C still compiles */
        cc_command_add(&command, "-Wno-error=implicit-function-declaration");
        cc_command_add(&command, "-Wno-error=implicit-int");
        cc_command_add(&command, "-Wno-error=int-conversion");
        cc_command_add(&command,
                       "-Wno-error=incompatible-function-pointer-types");
    }
    if (kind == FILE_CXX || (o->standard && o->standard[0] == 'c' &&
                             o->standard[1] != '+' && kind == FILE_C))
        cc_command_addf(&command, "-std=%s",
                        o->standard ? o->standard : "gnu++17");
    if (kind == FILE_CXX)
        cc_command_add_leniency(&command);
    cc_add_version(o, &command);
    cc_add_headers(run, &command);
    cc_command_add_all(&command, &o->preprocess);
    if (o->no_warnings)
        cc_command_add(&command, "-w");
    if (o->warnings_are_errors)
        cc_command_add(&command, "-Werror");
    add_optimization(run, &command);
    add_dependencies(run, &command, input, object);
    cc_command_add(&command, "-c");
    cc_command_add(&command, "-o");
    cc_command_add(&command, object);
    cc_command_add(&command, input);
    int rc = cc_command_run(&command, o);
    cc_command_finish(&command);
    return rc;
}

/* -E, -M and -MM: the host side's view, to the output or stdout. */
int
cc_preprocess(cc_run *run, const char *input, cc_file_kind kind)
{
    cc_options *o = &run->options;
    cc_command command;

    cc_command_init(&command, o->arena);
    if (kind == FILE_CUDA) {
        add_cuda_host(run, &command);
    } else {
        cc_command_add(&command, run->clang.path);
        cc_command_add(&command, "-x");
        cc_command_add(&command, kind == FILE_C ? "c" : "c++");
        cc_add_version(o, &command);
        cc_add_headers(run, &command);
        cc_command_add_all(&command, &o->preprocess);
    }
    cc_command_add(&command,
                   o->stage == CC_PREPROCESS ? "-E" : o->depend_stage);
    if (o->stage == CC_DEPENDENCIES) {
        cc_command_add(&command, "-MT");
        cc_command_add(&command, o->deps_target
                                     ? o->deps_target
                                     : cc_base_with(run, input, ".o"));
    }
    const char *output = o->output ? o->output : o->deps_file;
    if (output) {
        cc_command_add(&command, "-o");
        cc_command_add(&command, output);
    }
    cc_command_add(&command, input);
    int rc = cc_command_run(&command, o);
    cc_command_finish(&command);
    return rc;
}
