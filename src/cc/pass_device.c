/* SPDX-License-Identifier: Apache-2.0 */
/* pass_device.c - the device pass: a .cu to PTX, by way of LLVM's text, and to
 * the fat binary that holds it for each architecture. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cc/pass.h"
#include "cc/session.h"

static void
add_mllvm(cc_command *command, const char *option)
{
    cc_command_add(command, "-mllvm");
    cc_command_add(command, option);
}

/* Code that both sides of a branch share has no line once it is merged. */
static void
keep_lines(cc_run *run, cc_command *command)
{
    if (!run->options.line_info)
        return;
    add_mllvm(command, "-sink-common-insts=false");
    add_mllvm(command, "-hoist-common-insts=false");
}

static void
add_division(cc_run *run, cc_command *command)
{
    if (run->options.fast_math)
        add_mllvm(command, "-nvptx-prec-divf32=0");
    else if (run->options.approx_div)
        add_mllvm(command, "-nvptx-prec-divf32=1");
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
    keep_lines(run, command);
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
    keep_lines(run, command);
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
    const char *marker = cc_temp_path(run, input, ".nested");

    cc_command_init(&command, o->arena);
    cc_add_cuda_common(run, &command);
    add_device_options(run, &command, arch);
    if (!first || cc_has_host_warnings(run))
        cc_command_add(&command, "-w"); /* said by another pass */
    command.tail = command.argv.count;
    cc_add_unit_id(run, &command, input);
    cc_add_dialect(run, &command, marker);
    cc_nested_options(o, &command, true);
    cc_command_add(&command, "-S");
    cc_command_add(&command, "-emit-llvm");
    cc_command_add(&command, "-o");
    cc_command_add(&command, ir);
    cc_command_add(&command, input);
    snprintf(suffix, sizeof suffix, ".sm_%u%.1s.pch", arch.number,
             &arch.suffix);
    int rc = cc_run_cuda(run, &command, input, suffix, NULL);
    cc_command_finish(&command);
    if (rc && marker && !o->is_nested && cc_is_file(marker)) {
        unlink(marker);
        o->is_nested = true;
        return generate_ir(run, input, arch, first, ir);
    }
    return rc;
}

/* Compiles `input` for one architecture to PTX in `output`. */
int
cc_compile_device(cc_run *run, const char *input, cc_arch arch, bool first,
                  const char *output)
{
    char suffix[32];
    char *text = NULL;
    size_t bytes;
    sw_buf renamed, better;

    snprintf(suffix, sizeof suffix, ".sm_%u%.1s.ll", arch.number, &arch.suffix);
    const char *ir = cc_temp_path(run, input, suffix);
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
            cc_rdc_rename(text, bytes, cc_unit_id(run, input), &renamed);
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
int
cc_compile_fatbin(cc_run *run, const char *input, const char *output)
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
        const char *ptx = cc_temp_path(run, input, suffix);
        rc = ptx ? cc_compile_device(run, input, arch, i == 0, ptx) : 1;
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
