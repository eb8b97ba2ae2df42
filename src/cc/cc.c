/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc.c - `softwarp cc`: CUDA C++ to a program, by way of clang.
 *
 * Each .cu is compiled twice: its device code to PTX, once for each virtual
 * architecture, and its host code to an object that carries the PTX in a fat
 * binary and registers it when the program starts. The linker then adds our
 * runtime library. No vendor toolkit is read; our headers are in
 * include/cuda, or where they were installed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cc/cc.h"
#include "cc/pass.h"
#include "cc/session.h"

static cc_file_kind
kind_of(const cc_run *run, const char *path)
{
    static const struct {
        const char *suffix;
        cc_file_kind kind;
    } kinds[] = {
        {".cu", FILE_CUDA}, {".cup", FILE_CUDA},   {".cpp", FILE_CXX},
        {".cc", FILE_CXX},  {".cxx", FILE_CXX},    {".C", FILE_CXX},
        {".c++", FILE_CXX}, {".ii", FILE_CXX},     {".c", FILE_C},
        {".i", FILE_C},     {".s", FILE_ASSEMBLY}, {".S", FILE_ASSEMBLY},
    };
    const char *dot = strrchr(path, '.');
    cc_file_kind kind = FILE_OBJECT;

    for (size_t i = 0; dot && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(dot, kinds[i].suffix) == 0)
            kind = kinds[i].kind;
    if (run->options.language &&
        (kind == FILE_CUDA || kind == FILE_CXX || kind == FILE_C)) {
        const char *language = run->options.language;
        kind = strcmp(language, "cu") == 0  ? FILE_CUDA
               : strcmp(language, "c") == 0 ? FILE_C
                                            : FILE_CXX;
    }
    return kind;
}

/* ---- the whole ---- */

/* For cc_join_launches. */
static const char *
copy_path(void *arg)
{
    cc_run *run = arg;
    char suffix[32];
    snprintf(suffix, sizeof suffix, ".%u.launches", run->copies++);
    return cc_temp_path(run, "copy", suffix);
}

/* A source may want CUB, Thrust or libcu++. A library's compilation does not
 * search: its caller has named all folders. */
static void
find_cccl(cc_run *run, const char *input)
{
    cc_options *o = &run->options;

    if (run->cccl.folder || cc_session_get())
        return;
    run->cccl = cc_find_cccl(o, run->include_dir, input);
    if (run->cccl.folder) {
        *(const char **)sw_vec_push(&o->preprocess) = "-isystem";
        *(const char **)sw_vec_push(&o->preprocess) = run->cccl.folder;
    }
}

static int
handle_input(cc_run *run, const char *input)
{
    cc_options *o = &run->options;
    cc_file_kind kind = kind_of(run, input);
    const char *object;

    run->unit++;
    if (input[0] == '-') { /* -l or -L */
        if (!cc_is_runtime_library(input))
            *(const char **)sw_vec_push(&run->objects) = input;
        return 0;
    }
    if (kind != FILE_OBJECT && !cc_is_file(input)) {
        cc_say("softwarp cc: error: '%s' can't be read: %s\n", input,
               strerror(errno));
        return 1;
    }
    if (kind == FILE_OBJECT) {
        *(const char **)sw_vec_push(&run->objects) = input;
        return 0;
    }
    o->is_nested = false;
    if (kind == FILE_CUDA || kind == FILE_CXX)
        find_cccl(run, input);
    if (kind == FILE_CUDA && !o->dry_run &&
        (!run->dialect || o->stage == CC_PREPROCESS))
        cc_join_launches(o, input, copy_path, run);
    if (o->stage == CC_PREPROCESS || o->stage == CC_DEPENDENCIES)
        return cc_preprocess(run, input, kind);
    bool is_container = o->stage == CC_FATBIN || o->stage == CC_CUBIN;
    if ((o->stage == CC_PTX || is_container) && kind != FILE_CUDA) {
        cc_say("softwarp cc: error: '%s' has no device code\n", input);
        return 1;
    }
    if (o->stage == CC_PTX)
        return cc_compile_device(
            run, input, *(cc_arch *)sw_vec_at(&o->archs, 0), true,
            o->output ? o->output : cc_base_with(run, input, ".ptx"));
    const char *ending = o->stage == CC_CUBIN ? ".cubin" : ".fatbin";
    if (is_container)
        return cc_compile_fatbin(run, input,
                                 o->output ? o->output
                                           : cc_base_with(run, input, ending));
    if (o->stage == CC_OBJECT)
        object = o->output ? o->output : cc_base_with(run, input, ".o");
    else
        object = cc_temp_path(run, input, ".o");
    if (!object)
        return 1;
    *(const char **)sw_vec_push(&run->objects) = object;
    return kind == FILE_CUDA ? cc_compile_cuda(run, input, object)
                             : cc_compile_plain(run, input, kind, object);
}

/* How many inputs are source files, of which -o can name one output only. */
static size_t
count_sources(const cc_run *run)
{
    size_t n = 0;

    for (size_t i = 0; i < run->options.inputs.count; i++) {
        const char *input = *(char **)sw_vec_at(&run->options.inputs, i);
        n += input[0] != '-' && kind_of(run, input) != FILE_OBJECT;
    }
    return n;
}

/* Whether one file is made of all inputs. */
static bool
is_joined(cc_stage stage)
{
    return stage == CC_LINK || stage == CC_DEVICE_LINK || stage == CC_LIBRARY ||
           stage == CC_RUN;
}

static int
run_all(cc_run *run)
{
    cc_options *o = &run->options;
    int rc = 0;

    if (!cc_find_places(o->arena, &run->include_dir, &run->library_dir))
        return 1;
    if (o->verbose || o->dry_run)
        cc_say_places(o, run->include_dir, run->library_dir);
    if (o->inputs.count == 0) {
        cc_say("softwarp cc: error: no input file\n");
        return 1;
    }
    if (!is_joined(o->stage) && o->output && count_sources(run) > 1) {
        cc_say("softwarp cc: error: -o names one file, but there "
               "are several inputs\n");
        return 1;
    }
    if (o->verbose)
        for (size_t i = 0; i < o->ignored.count; i++)
            cc_say("softwarp cc: note: '%s' is accepted; it has no meaning "
                   "here\n",
                   *(char **)sw_vec_at(&o->ignored, i));
    run->clang = cc_find_clang(o->arena);
    if (!run->clang.path)
        return 1;
    run->dialect = cc_find_dialect(o->arena, &run->clang, run->library_dir);
    if (o->stage == CC_DEVICE_LINK)
        return cc_link_device(run);
    for (size_t i = 0; i < o->host.count; i++)
        run->wants_openmp |= cc_is_openmp(*(char **)sw_vec_at(&o->host, i));
    if (run->wants_openmp)
        run->openmp = cc_find_openmp(o->arena, run->clang.path);
    for (size_t i = 0; i < o->inputs.count && rc == 0; i++)
        rc = handle_input(run, *(char **)sw_vec_at(&o->inputs, i));
    if (rc == 0 && (o->stage == CC_LINK || o->stage == CC_RUN))
        rc = cc_link_program(run);
    if (rc == 0 && o->stage == CC_LIBRARY)
        rc = cc_make_library(run);
    if (rc == 0 && o->stage == CC_RUN)
        rc = cc_run_program(run);
    if (rc && run->cccl.missing)
        cc_say(
            "softwarp cc: note: '%s' is part of CCCL (CUB, Thrust, libcu++), "
            "which is not installed; this brings it: pip install --target "
            "~/" CC_CCCL_TARGET " nvidia-cuda-cccl\n",
            run->cccl.missing);
    if (rc && run->wants_openmp && !run->openmp.is_found)
        cc_say("softwarp cc: note: clang's OpenMP runtime is not installed; "
               "apt-get install libomp-%u-dev\n",
               run->clang.version);
    return rc;
}

int
sw_cc_main(int argc, char **argv, const sw_cc_host *host)
{
    cc_run run = {.host = host};
    int rc = 1;

    sw_vec_init(&run.objects, sizeof(char *));
    if (cc_options_read(&run.options, argc, argv)) {
        if (!host->out && (run.options.show_help || run.options.show_version)) {
            cc_say("softwarp cc: error: an option compiles nothing\n");
        } else if (run.options.show_help) {
            cc_options_help(host->out);
            rc = 0;
        } else if (run.options.show_version) {
            fputs("softwarp cc " SW_VERSION
                  ", in place of nvcc: NVIDIA (R) Cuda compiler driver\n"
                  "Cuda compilation tools, release ",
                  host->out);
            const cc_cuda *cuda = run.options.cuda;
            fprintf(host->out, "%u.%u, V%u.%u.0\n", cuda->major, cuda->minor,
                    cuda->major, cuda->minor);
            rc = 0;
        } else if (run.options.list && host->out) {
            cc_options_list(run.options.list, host->out);
            rc = 0;
        } else {
            rc = run_all(&run);
        }
        cc_remove_temporaries(&run);
    }
    sw_vec_finish(&run.objects);
    cc_options_finish(&run.options);
    return rc;
}
