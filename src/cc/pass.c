/* SPDX-License-Identifier: Apache-2.0 */
/* pass.c - what both passes of a .cu share; pass.h. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cc/pass.h"
#include "cc/session.h"

bool
cc_is_file(const char *path)
{
    return access(path, R_OK) == 0;
}

static const char *
strip_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "dir/name.cu" -> "name" + suffix. */
char *
cc_base_with(cc_run *run, const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t n = dot && dot > base ? (size_t)(dot - base) : strlen(base);

    const char *dir = run->options.output_dir;
    return sw_arena_printf(run->options.arena, "%s%s%.*s%s", dir ? dir : "",
                           dir ? "/" : "", (int)n, base, suffix);
}

/* A path for a temporary named after `input`; NULL after a message. */
const char *
cc_temp_path(cc_run *run, const char *input, const char *suffix)
{
    sw_arena *arena = run->options.arena;
    const char *name = strip_folder(cc_base_with(run, input, suffix));

    if (run->options.keep)
        return run->options.keep_dir
                   ? sw_arena_printf(arena, "%s/%s", run->options.keep_dir,
                                     name)
                   : name;
    if (!run->temp_dir)
        run->temp_dir = run->options.dry_run
                            ? "/tmp/softwarp-compile"
                            : cc_folder_create(arena, &run->temp_lock);
    return run->temp_dir ? sw_arena_printf(arena, "%s/%u-%s", run->temp_dir,
                                           run->unit, name)
                         : NULL;
}

void
cc_remove_temporaries(cc_run *run)
{
    if (!run->options.dry_run && run->temp_dir)
        cc_folder_remove(run->temp_dir, run->temp_lock);
}

/* ---- what both passes of a .cu share ---- */

/* Different for any two objects of a program, the same every time. */
uint64_t
cc_unit_id(const cc_run *run, const char *input)
{
    const char *output = run->options.output ? run->options.output : "";
    char path[PATH_MAX];
    uint64_t id = sw_hash_bytes(output, strlen(output), 0);

    if (getcwd(path, sizeof path))
        id = sw_hash_bytes(path, strlen(path), id);
    return sw_hash_bytes(input, strlen(input), id);
}

/* Has clang name statics of `input` that the host knows, on both sides. */
void
cc_add_unit_id(const cc_run *run, cc_command *command, const char *input)
{
    if (run->options.relocatable)
        cc_command_addf(command, "-cuid=%016llx",
                        (unsigned long long)cc_unit_id(run, input));
}

bool
cc_has_host_warnings(const cc_run *run)
{
    for (size_t i = 0; i < run->options.host.count; i++)
        if (strncmp(*(char **)sw_vec_at(&run->options.host, i), "-W", 2) == 0)
            return true;
    return false;
}

/* Our headers, and what -Xcompiler -fopenmp needs. */
void
cc_add_headers(const cc_run *run, cc_command *command)
{
    cc_command_add_headers(command, run->include_dir);
    if (run->openmp.include_dir) {
        cc_command_add(command, "-idirafter");
        cc_command_add(command, run->openmp.include_dir);
    }
}

void
cc_add_version(const cc_options *o, cc_command *command)
{
    if (!cc_has_define(o, "CUDART_VERSION_OVERRIDE"))
        cc_command_addf(command, "-DCUDART_VERSION_OVERRIDE=%u",
                        o->cuda->number);
}

/* Headers for devices need C++11; of what it refuses of C++03, leniency takes
 * narrowing and registers. */
static const char *
standard_of(const cc_options *o)
{
    if (!o->standard)
        return o->is_rtc ? "c++17" : "gnu++17";
    if (!strcmp(o->standard, "c++03") || !strcmp(o->standard, "c++98"))
        return "c++11";
    if (!strcmp(o->standard, "gnu++03") || !strcmp(o->standard, "gnu++98"))
        return "gnu++11";
    return o->standard;
}

void
cc_add_cuda_common(cc_run *run, cc_command *command)
{
    cc_options *o = &run->options;

    cc_command_add(command, run->clang.path);
    cc_command_add(command, "-x");
    cc_command_add(command, "cuda");
    cc_command_add(command, "-nogpuinc");
    cc_command_add(command, "-nogpulib");
    /* How kernels are launched depends on it, and it on a toolkit that clang
     * finds if it is not said. */
    cc_command_add(command, "-Xclang");
    cc_command_add(command, "-target-sdk-version=12.3");
    cc_command_add(command, "-Wno-unknown-cuda-version");
    cc_command_add(command, "-Wno-unknown-pragmas");
    cc_command_add(command, "-Wno-pass-failed"); /* #pragma unroll, kept out */
    cc_command_add_leniency(command);
    cc_command_addf(command, "-std=%s", standard_of(o));
    cc_command_add(command, "-D__CUDACC__=1");
    if (o->is_rtc) {
        cc_command_add(command, "-nostdinc");
        cc_command_add(command, "-D__CUDACC_RTC__=1");
    } else {
        cc_command_add(command, "-D__NVCC__=1");
    }
    cc_command_addf(command, "-D__CUDACC_VER_MAJOR__=%u", o->cuda->major);
    cc_command_addf(command, "-D__CUDACC_VER_MINOR__=%u", o->cuda->minor);
    cc_command_add(command, "-D__CUDACC_VER_BUILD__=0");
    cc_add_version(o, command);
    cc_command_add(command, "-D__SOFTWARP__=1");
    if (o->relocatable) {
        cc_command_add(command, "-fgpu-rdc");
        cc_command_add(command, "-D__CUDACC_RDC__=1");
    }
    if (o->device_overlay || o->is_nested)
        cc_command_add(command, "-D__SOFTWARP_NESTED__=1");
    /* What is wrong only with overloads of the other side is said of functions
     * that code is made of. */
    if (run->dialect)
        cc_command_add(command, "-fgpu-defer-diag");
    if (o->debug_device)
        cc_command_add(command, "-D__CUDACC_DEBUG__=1");
    cc_command_add_arch_list(command, o);
    if (o->no_fma || o->debug_device)
        cc_command_add(command, "-D__SOFTWARP_NO_FMAD=1");
    if (o->fast_math) {
        cc_command_add(command, "-D__USE_FAST_MATH__=1");
        cc_command_add(command, "-D__SOFTWARP_USE_FAST_MATH__=1");
    }
    if (cc_has_define(o, "CUDA_API_PER_THREAD_DEFAULT_STREAM")) {
        cc_command_add(command, "-Xclang"); /* the driver offers it for HIP */
        cc_command_add(command, "-fgpu-default-stream=per-thread");
    }
    cc_add_headers(run, command);
    command->headers = command->argv.count;
    cc_command_add(command, "-include");
    cc_command_addf(command, "%s/cuda_runtime.h", run->include_dir);
    cc_command_add_all(command, &o->preprocess);
    command->user_end = command->argv.count;
    if (o->no_warnings)
        cc_command_add(command, "-w");
    if (o->warnings_are_errors)
        cc_command_add(command, "-Werror");
}

/* Runs what reads `input`, with compiled headers if possible; `suffix` is for
 * their temporary file. */
int
cc_run_cuda(cc_run *run, cc_command *command, const char *input,
            const char *suffix, const char *deps)
{
    const char *headers = cc_temp_path(run, input, suffix);
    int rc;

    if (headers && cc_headers_run(command, &run->options, run->include_dir,
                                  headers, deps, input, &rc))
        return rc;
    return cc_command_run(command, &run->options);
}

/* Has clang read this source as nvcc does; `marker` is a file that tells of
 * launches in device code, or NULL. */
void
cc_add_dialect(const cc_run *run, cc_command *command, const char *marker)
{
    if (!run->dialect)
        return;
    cc_command_addf(command, "-fplugin=%s", run->dialect);
    cc_command_addf(command, "-fplugin-arg-softwarp-headers=%s",
                    run->include_dir);
    if (run->options.is_device_default)
        cc_command_add(command, "-fplugin-arg-softwarp-device");
    if (run->options.is_nested)
        cc_command_add(command, "-fplugin-arg-softwarp-nested");
    else if (marker)
        cc_command_addf(command, "-fplugin-arg-softwarp-marker=%s", marker);
}
