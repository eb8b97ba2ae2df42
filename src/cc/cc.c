/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc.c - `softwarp cc`: CUDA C++ to a program, by way of clang. The file is
 * long because the steps of one run share its state.
 *
 * Each .cu is compiled twice: its device code to PTX, once for each virtual
 * architecture, and its host code to an object that carries the PTX in a fat
 * binary and registers it when the program starts. The linker then adds our
 * runtime library. No vendor toolkit is read; our headers are in
 * include/cuda, or where they were installed.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/cc.h"
#include "cc/cc_private.h"
#include "cc/session.h"

/* One run of the command. */
typedef struct {
    const sw_cc_host *host;
    cc_options options;
    cc_clang clang;
    const char *dialect; /* the plugin for this clang, or NULL */
    const char *include_dir;
    const char *library_dir;
    bool wants_openmp;
    cc_openmp openmp;     /* if it is wanted */
    const char *temp_dir; /* NULL until needed */
    int temp_lock;
    unsigned copies; /* of sources, made by copy_path */
    sw_vec objects;  /* what goes to the linker, in order */
    unsigned unit;   /* number of the input, for names of temporaries */
} cc_run;

typedef enum {
    FILE_CUDA,
    FILE_CXX,
    FILE_C,
    FILE_ASSEMBLY,
    FILE_OBJECT
} file_kind;

/* ---- files ---- */

static bool
is_file(const char *path)
{
    return access(path, R_OK) == 0;
}

static file_kind
kind_of(const cc_run *run, const char *path)
{
    static const struct {
        const char *suffix;
        file_kind kind;
    } kinds[] = {
        {".cu", FILE_CUDA}, {".cup", FILE_CUDA},   {".cpp", FILE_CXX},
        {".cc", FILE_CXX},  {".cxx", FILE_CXX},    {".C", FILE_CXX},
        {".c++", FILE_CXX}, {".ii", FILE_CXX},     {".c", FILE_C},
        {".i", FILE_C},     {".s", FILE_ASSEMBLY}, {".S", FILE_ASSEMBLY},
    };
    const char *dot = strrchr(path, '.');
    file_kind kind = FILE_OBJECT;

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

/* "dir/name.cu" -> "name" + suffix. */
static char *
base_with(cc_run *run, const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t n = dot && dot > base ? (size_t)(dot - base) : strlen(base);

    return sw_arena_printf(run->options.arena, "%.*s%s", (int)n, base, suffix);
}

/* A path for a temporary named after `input`; NULL after a message. */
static const char *
temp_path(cc_run *run, const char *input, const char *suffix)
{
    sw_arena *arena = run->options.arena;
    const char *name = base_with(run, input, suffix);

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

static void
remove_temporaries(cc_run *run)
{
    if (!run->options.dry_run && run->temp_dir)
        cc_folder_remove(run->temp_dir, run->temp_lock);
}

/* ---- what both passes of a .cu share ---- */

/* Different for any two objects of a program, the same every time. */
static uint64_t
unit_id(const cc_run *run, const char *input)
{
    const char *output = run->options.output ? run->options.output : "";
    char path[PATH_MAX];
    uint64_t id = sw_hash_bytes(output, strlen(output), 0);

    if (getcwd(path, sizeof path))
        id = sw_hash_bytes(path, strlen(path), id);
    return sw_hash_bytes(input, strlen(input), id);
}

/* Has clang name statics of `input` that the host knows, on both sides. */
static void
add_unit_id(const cc_run *run, cc_command *command, const char *input)
{
    if (run->options.relocatable)
        cc_command_addf(command, "-cuid=%016llx",
                        (unsigned long long)unit_id(run, input));
}

static bool
has_host_warnings(const cc_run *run)
{
    for (size_t i = 0; i < run->options.host.count; i++)
        if (strncmp(*(char **)sw_vec_at(&run->options.host, i), "-W", 2) == 0)
            return true;
    return false;
}

/* Our headers, and what -Xcompiler -fopenmp needs. */
static void
add_headers(const cc_run *run, cc_command *command)
{
    cc_command_add_headers(command, run->include_dir);
    if (run->openmp.include_dir) {
        cc_command_add(command, "-idirafter");
        cc_command_add(command, run->openmp.include_dir);
    }
}

/* Options of -Xcompiler that change what the source says. */
static void
add_host_preprocessing(cc_run *run, cc_command *command)
{
    for (size_t i = 0; i < run->options.host.count; i++) {
        const char *arg = *(char **)sw_vec_at(&run->options.host, i);
        if (arg[0] == '-' && arg[1] && strchr("DUI", arg[1]))
            cc_command_add(command, arg);
    }
}

static void
add_cuda_common(cc_run *run, cc_command *command)
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
    cc_command_addf(command, "-std=%s", o->standard ? o->standard : "gnu++17");
    cc_command_add(command, "-D__CUDACC__=1");
    cc_command_add(command, "-D__NVCC__=1");
    cc_command_add(command, "-D__CUDACC_VER_MAJOR__=12");
    cc_command_add(command, "-D__CUDACC_VER_MINOR__=9");
    cc_command_add(command, "-D__CUDACC_VER_BUILD__=0");
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
    add_headers(run, command);
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
static int
run_cuda(cc_run *run, cc_command *command, const char *input,
         const char *suffix, const char *deps)
{
    const char *headers = temp_path(run, input, suffix);
    int rc;

    if (headers && cc_headers_run(command, &run->options, run->include_dir,
                                  headers, deps, input, &rc))
        return rc;
    return cc_command_run(command, &run->options);
}

/* Has clang read this source as nvcc does; `marker` is a file that tells of
 * launches in device code, or NULL. */
static void
add_dialect(const cc_run *run, cc_command *command, const char *marker)
{
    if (!run->dialect)
        return;
    cc_command_addf(command, "-fplugin=%s", run->dialect);
    cc_command_addf(command, "-fplugin-arg-softwarp-headers=%s",
                    run->include_dir);
    if (run->options.is_nested)
        cc_command_add(command, "-fplugin-arg-softwarp-nested");
    else if (marker)
        cc_command_addf(command, "-fplugin-arg-softwarp-marker=%s", marker);
}

/* ---- device pass ---- */

static void
add_mllvm(cc_command *command, const char *option)
{
    cc_command_add(command, "-mllvm");
    cc_command_add(command, option);
}

static void
add_division(cc_run *run, cc_command *command)
{
    if (run->options.fast_math)
        add_mllvm(command, "-nvptx-prec-divf32=0");
    else if (run->options.approx_div)
        add_mllvm(command, "-nvptx-prec-divf32=1");
}

static void
add_device_options(cc_run *run, cc_command *command, cc_arch asked)
{
    cc_options *o = &run->options;
    cc_arch arch = cc_clang_arch(asked);

    cc_command_add(command, "--cuda-device-only");
    cc_command_addf(command,
                    arch.suffix ? "--offload-arch=sm_%u%c"
                                : "--offload-arch=sm_%u",
                    arch.number, arch.suffix);
    cc_command_add(command, "--cuda-feature=+ptx85");
    if (arch.number != asked.number) {
        cc_command_add(command, "-Wno-macro-redefined");
        cc_command_add(command, "-U__CUDA_ARCH__");
        cc_command_addf(command, "-D__CUDA_ARCH__=%u", asked.number * 10);
    }
    cc_command_add(command, o->debug_device ? "-O0" : "-O3");
    cc_command_add(command, "-gline-directives-only");
    /* Else clang makes tables of differences between addresses, which it
     * then can't write as PTX. */
    cc_command_add(command, "-mcmodel=large");
    /*
     * LLVM's text marks nothing as contractible: of clang's two ways to fold
     * products into sums only the back end's own is left, which is nvcc's. It
     * folds a product when all its uses are sums, and never into a
     * difference; the rest stays open in the PTX, for an assembler.
     */
    cc_command_add(command, "-ffp-contract=off");
    /*
     * Programs were written for a compiler that takes less for granted. A value
     * that one lane has defined goes through a shuffle, memory has two types,
     * pointers are tested after their use, functions end without a value, loops
     * wait for what never comes, and nobody uses what was allocated.
     */
    cc_command_add(command, "-Xclang");
    cc_command_add(command, "-no-enable-noundef-analysis");
    cc_command_add(command, "-fno-strict-aliasing");
    cc_command_add(command, "-fno-delete-null-pointer-checks");
    cc_command_add(command, "-fno-strict-return");
    cc_command_add(command, "-fno-finite-loops");
    cc_command_add(command, "-fno-builtin-malloc");
    if (o->ftz)
        cc_command_add(command, "-fgpu-flush-denormals-to-zero");
    if (o->fast_math)
        cc_command_add(command, "-fgpu-approx-transcendentals");
    if (o->approx_sqrt)
        cc_command_add(command, "-D__SOFTWARP_APPROX_SQRT__=1");
    if (!o->debug_device) { /* optimize_ir does it */
        cc_command_add(command, "-Xclang");
        cc_command_add(command, "-disable-llvm-passes");
        cc_command_add(command, "-fno-discard-value-names");
    }
    cc_command_add_all(command, &o->device);
    add_host_preprocessing(run, command);
}

/* clang for LLVM's text, up to its options for one of the steps below. */
static void
add_ir_common(cc_run *run, cc_command *command, cc_arch asked)
{
    cc_arch arch = cc_clang_arch(asked);

    cc_command_add(command, run->clang.path);
    cc_command_add(command, "-x");
    cc_command_add(command, "ir");
    cc_command_add(command, "--target=nvptx64-nvidia-cuda");
    cc_command_add(command, "-nogpulib");
    cc_command_addf(command, arch.suffix ? "-march=sm_%u%c" : "-march=sm_%u",
                    arch.number, arch.suffix);
    cc_command_add(command, "-Xclang");
    cc_command_add(command, "-target-feature");
    cc_command_add(command, "-Xclang");
    cc_command_add(command, "+ptx85");
    cc_command_add(command, "-mcmodel=large");
    cc_command_add(command, "-Wno-override-module");
    cc_command_add(command, "-Wno-pass-failed");
    cc_command_add(command, run->options.debug_device ? "-O0" : "-O3");
    cc_command_add(command, "-S");
}

/* Optimises LLVM's text in the file `ir`. */
static int
optimize_ir(cc_run *run, cc_arch arch, const char *ir)
{
    cc_options *o = &run->options;
    cc_command command;
    int rc = 0;

    if (!o->dry_run) {
        char *text;
        size_t bytes;
        sw_buf ordered, own;

        if (!cc_read_file(ir, &text, &bytes))
            return 1;
        sw_buf_init(&ordered);
        sw_buf_init(&own);
        cc_order_variables(text, bytes, &ordered);
        if (!o->relocatable)
            cc_own_functions(ordered.p, ordered.n, &own);
        sw_buf *better = o->relocatable ? &ordered : &own;
        rc = !cc_write_file(ir, better->p, better->n);
        sw_buf_finish(&own);
        sw_buf_finish(&ordered);
        sw_free(text);
        if (rc)
            return rc;
    }
    cc_command_init(&command, o->arena);
    add_ir_common(run, &command, arch);
    cc_command_add(&command, "-emit-llvm");
    cc_command_add(&command, "-o");
    cc_command_add(&command, ir);
    cc_command_add(&command, ir);
    rc = cc_command_run(&command, o);
    cc_command_finish(&command);
    return rc;
}

/* The back end's part of compile_device: LLVM's text to PTX. */
static int
generate_ptx(cc_run *run, cc_arch arch, const char *ir, const char *output)
{
    cc_options *o = &run->options;
    cc_command command;

    cc_command_init(&command, o->arena);
    add_ir_common(run, &command, arch);
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, "-disable-llvm-passes"); /* done already */
    add_mllvm(&command, o->no_fma || o->debug_device ? "-nvptx-fma-level=0"
                                                     : "-nvptx-fma-level=2");
    /* There is no library whose functions would convert 128 bits. */
    add_mllvm(&command, "-expand-fp-convert-bits=64");
    add_division(run, &command);
    cc_command_add(&command, "-o");
    cc_command_add(&command, output);
    cc_command_add(&command, ir);
    int rc = cc_command_run(&command, o);
    cc_command_finish(&command);
    return rc;
}

/* clang's part of compile_device: `input` to LLVM's text in `ir`. */
static int
generate_ir(cc_run *run, const char *input, cc_arch arch, bool first,
            const char *ir)
{
    cc_options *o = &run->options;
    cc_command command;
    char suffix[32];
    const char *marker = temp_path(run, input, ".nested");

    cc_command_init(&command, o->arena);
    add_cuda_common(run, &command);
    add_device_options(run, &command, arch);
    if (!first || has_host_warnings(run))
        cc_command_add(&command, "-w"); /* said by another pass */
    command.tail = command.argv.count;
    add_unit_id(run, &command, input);
    add_dialect(run, &command, marker);
    cc_nested_options(o, &command, true);
    cc_command_add(&command, "-S");
    cc_command_add(&command, "-emit-llvm");
    cc_command_add(&command, "-o");
    cc_command_add(&command, ir);
    cc_command_add(&command, input);
    snprintf(suffix, sizeof suffix, ".sm_%u%.1s.pch", arch.number,
             &arch.suffix);
    int rc = run_cuda(run, &command, input, suffix, NULL);
    cc_command_finish(&command);
    if (rc && marker && !o->is_nested && is_file(marker)) {
        unlink(marker);
        o->is_nested = true;
        return generate_ir(run, input, arch, first, ir);
    }
    return rc;
}

/* Compiles `input` for one architecture to PTX in `output`. */
static int
compile_device(cc_run *run, const char *input, cc_arch arch, bool first,
               const char *output)
{
    char suffix[32];
    char *text = NULL;
    size_t bytes;
    sw_buf renamed, better;

    snprintf(suffix, sizeof suffix, ".sm_%u%.1s.ll", arch.number, &arch.suffix);
    const char *ir = temp_path(run, input, suffix);
    if (!ir)
        return 1;
    sw_buf_init(&renamed);
    sw_buf_init(&better);
    int rc = generate_ir(run, input, arch, first, ir);
    if (rc == 0)
        rc = cc_nested_rewrite(&run->options, ir);
    if (rc == 0 && !run->options.dry_run)
        rc = cc_complete_ir(ir);
    if (rc == 0 && !run->options.debug_device)
        rc = optimize_ir(run, arch, ir);
    if (rc == 0 && !run->options.dry_run)
        rc = !cc_read_file(ir, &text, &bytes);
    if (rc == 0 && !run->options.dry_run) {
        if (run->options.relocatable)
            cc_rdc_rename(text, bytes, unit_id(run, input), &renamed);
        else
            sw_buf_add(&renamed, text, bytes);
        cc_ir_rewrite(renamed.p, renamed.n, &better);
        rc = !cc_write_file(ir, better.p, better.n);
    }
    if (rc == 0)
        rc = generate_ptx(run, arch, ir, output);
    /* nvcc, too, leaves them out for devices that have none. */
    if (rc == 0 && !run->options.dry_run && arch.number >= 90 &&
        cc_has_clusters(better.p, better.n))
        rc = cc_add_clusters_to(&better, output);
    sw_free(text);
    sw_buf_finish(&better);
    sw_buf_finish(&renamed);
    return rc;
}

/* All architectures of `input` to a fat binary in `output`. */
static int
compile_fatbin(cc_run *run, const char *input, const char *output)
{
    cc_options *o = &run->options;
    size_t count = o->archs.count;
    cc_image *images = sw_alloc(count * sizeof *images);
    sw_buf container;
    int rc = 0;

    sw_buf_init(&container);
    for (size_t i = 0; i < count; i++) {
        cc_arch arch = *(cc_arch *)sw_vec_at(&o->archs, i);
        char suffix[32];

        snprintf(suffix, sizeof suffix, ".sm_%u%.1s.ptx", arch.number,
                 &arch.suffix);
        const char *ptx = temp_path(run, input, suffix);
        rc = ptx ? compile_device(run, input, arch, i == 0, ptx) : 1;
        if (rc)
            break;
        if (o->dry_run)
            continue;
        char *text;
        images[i].arch = arch;
        rc = !cc_read_file(ptx, &text, &images[i].bytes);
        if (rc)
            break;
        images[i].ptx = text;
        if (o->say_kernels && run->host->say_kernels)
            run->host->say_kernels(ptx, (int)arch.number, o->max_regs);
    }
    if (rc == 0 && !o->dry_run) {
        const char *option =
            o->max_regs
                ? sw_arena_printf(o->arena, "-maxrregcount=%s", o->max_regs)
                : NULL;
        cc_fatbin_write(images, count, option, &container);
        if (!cc_write_file(output, container.p, container.n))
            rc = 1;
    }
    for (size_t i = 0; i < count; i++)
        sw_free((char *)images[i].ptx);
    sw_free(images);
    sw_buf_finish(&container);
    return rc;
}

/* ---- host pass ---- */

static void
add_optimization(cc_run *run, cc_command *command)
{
    cc_options *o = &run->options;

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
    return o->deps_file ? o->deps_file : base_with(run, input, ".d");
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
    add_cuda_common(run, command);
    cc_command_add(command, "--cuda-host-only");
    if (!has_host_warnings(run))
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
    add_dialect(run, &command, NULL);
    cc_nested_options(o, &command, false);
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, "-fcuda-include-gpubinary");
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, fatbin);
    add_dependencies(run, &command, input, object);
    if (o->relocatable) {
        assembly = temp_path(run, input, ".host.s");
        if (!assembly) {
            rc = 1;
            goto out;
        }
        add_unit_id(run, &command, input);
        cc_command_add(&command, "-S");
    } else {
        cc_command_add(&command, "-c");
    }
    cc_command_add(&command, "-o");
    cc_command_add(&command, assembly ? assembly : object);
    cc_command_add(&command, input);
    rc = run_cuda(run, &command, input, ".host.pch",
                  dependencies_file(run, input));
    if (rc || !assembly)
        goto out;

    if (!o->dry_run && !cc_rdc_finish(assembly, unit_id(run, input))) {
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

static int
compile_cuda(cc_run *run, const char *input, const char *object)
{
    const char *fatbin = temp_path(run, input, ".fatbin");
    int rc = fatbin ? compile_fatbin(run, input, fatbin) : 1;

    return rc ? rc : compile_host(run, input, fatbin, object);
}

/* .cpp, .c and .s: the same compiler, no device code. */
static int
compile_plain(cc_run *run, const char *input, file_kind kind,
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
    add_headers(run, &command);
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
static int
preprocess(cc_run *run, const char *input, file_kind kind)
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
        add_headers(run, &command);
        cc_command_add_all(&command, &o->preprocess);
    }
    cc_command_add(&command,
                   o->stage == CC_PREPROCESS ? "-E" : o->depend_stage);
    if (o->stage == CC_DEPENDENCIES) {
        cc_command_add(&command, "-MT");
        cc_command_add(&command, o->deps_target ? o->deps_target
                                                : base_with(run, input, ".o"));
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

/* ---- the whole ---- */

static int
link_program(cc_run *run)
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
    cc_command_add(&command, o->output ? o->output : "a.out");
    cc_command_addf(&command, "-L%s", run->library_dir);
    cc_command_want(&command, &run->objects);
    cc_command_add_all(&command, &run->objects);
    cc_command_add_all(&command, &o->link);
    if (run->openmp.library)
        cc_command_add(&command, run->openmp.library);
    if (run->openmp.library && !o->dry_run) {
        const char *missing = temp_path(run, "openmp", ".s");
        if (missing && cc_openmp_add_missing(&run->openmp, missing))
            cc_command_add(&command, missing);
    }
    cc_command_addf(&command, "-Wl,-rpath,%s", run->library_dir);
    if (!o->no_host_runtime)
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
static int
empty_object(cc_run *run)
{
    const char *source = temp_path(run, "device_link", ".s");
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

/* For cc_join_launches. */
static const char *
copy_path(void *arg)
{
    cc_run *run = arg;
    char suffix[32];
    snprintf(suffix, sizeof suffix, ".%u.launches", run->copies++);
    return temp_path(run, "copy", suffix);
}

static int
handle_input(cc_run *run, const char *input)
{
    cc_options *o = &run->options;
    file_kind kind = kind_of(run, input);
    const char *object;

    run->unit++;
    if (input[0] == '-') { /* -l or -L */
        if (!cc_is_runtime_library(input))
            *(const char **)sw_vec_push(&run->objects) = input;
        return 0;
    }
    if (kind != FILE_OBJECT && !is_file(input)) {
        cc_say("softwarp cc: error: '%s' can't be read: %s\n", input,
               strerror(errno));
        return 1;
    }
    if (kind == FILE_OBJECT) {
        *(const char **)sw_vec_push(&run->objects) = input;
        return 0;
    }
    o->is_nested = false;
    if (kind == FILE_CUDA && !o->dry_run &&
        (!run->dialect || o->stage == CC_PREPROCESS))
        cc_join_launches(o, input, copy_path, run);
    if (o->stage == CC_PREPROCESS || o->stage == CC_DEPENDENCIES)
        return preprocess(run, input, kind);
    bool is_container = o->stage == CC_FATBIN || o->stage == CC_CUBIN;
    if ((o->stage == CC_PTX || is_container) && kind != FILE_CUDA) {
        cc_say("softwarp cc: error: '%s' has no device code\n", input);
        return 1;
    }
    if (o->stage == CC_PTX)
        return compile_device(
            run, input, *(cc_arch *)sw_vec_at(&o->archs, 0), true,
            o->output ? o->output : base_with(run, input, ".ptx"));
    const char *ending = o->stage == CC_CUBIN ? ".cubin" : ".fatbin";
    if (is_container)
        return compile_fatbin(
            run, input, o->output ? o->output : base_with(run, input, ending));
    if (o->stage == CC_OBJECT)
        object = o->output ? o->output : base_with(run, input, ".o");
    else
        object = temp_path(run, input, ".o");
    if (!object)
        return 1;
    *(const char **)sw_vec_push(&run->objects) = object;
    return kind == FILE_CUDA ? compile_cuda(run, input, object)
                             : compile_plain(run, input, kind, object);
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
    if (o->stage != CC_LINK && o->stage != CC_DEVICE_LINK && o->output &&
        count_sources(run) > 1) {
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
        return empty_object(run);
    for (size_t i = 0; i < o->host.count; i++)
        run->wants_openmp |= cc_is_openmp(*(char **)sw_vec_at(&o->host, i));
    if (run->wants_openmp)
        run->openmp = cc_find_openmp(o->arena, run->clang.path);
    for (size_t i = 0; i < o->inputs.count && rc == 0; i++)
        rc = handle_input(run, *(char **)sw_vec_at(&o->inputs, i));
    if (rc == 0 && o->stage == CC_LINK)
        rc = link_program(run);
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
                  "Cuda compilation tools, release 12.9, V12.9.0\n",
                  host->out);
            rc = 0;
        } else {
            rc = run_all(&run);
        }
        remove_temporaries(&run);
    }
    sw_vec_finish(&run.objects);
    cc_options_finish(&run.options);
    return rc;
}
