/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl.c - OpenCL programs by way of clang; see opencl.h.
 *
 * clang runs twice: it makes LLVM's text of the source, and of that text and
 * the built-in functions it makes PTX. What is between the two is text because
 * the facts about kernels stand in it, and because functions that nobody else
 * calls are made internal there (linkage.c). To load the clang that is
 * installed takes about as long as a small program. Ours (clang/) loads faster;
 * and the second one is started together with the first, and waits for its
 * input.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cc/opencl_private.h"
#include "cc/session.h"

/* One call of the interface. */
typedef struct {
    cc_session session;
    sw_arena *arena;
    cl_options options;
    cc_clang clang;
    const char *quick;    /* ours of the same version, or NULL */
    const char *builtins; /* folder of the built-in functions */
    const char *folder;   /* for temporary files */
    int lock;
    uint32_t capability;
    unsigned files;        /* temporary ones that have a name */
    cc_child early;        /* the second clang */
    const char *early_ptx; /* what it will write; NULL: it isn't started */
} cl_run;

static const cc_options silent;

/* What programs may use beyond the core. */
typedef struct {
    const char *name;
    bool is_clangs; /* which is told by -cl-ext; else we define the macro */
    bool is_feature;
    uint32_t since; /* capability times ten */
} extension;
enum { OURS, CLANG };
static const extension extensions[] = {
#define CL_EXTENSION(name, knows, since) {#name, knows, false, since},
#define CL_FEATURE(name, knows, since)   {#name, knows, true, since},
#include "cc/opencl_extensions.def"
#undef CL_EXTENSION
#undef CL_FEATURE
};
enum { EXTENSION_COUNT = sizeof extensions / sizeof *extensions };

/* ---- one call ---- */

static bool
find_places(cl_run *run)
{
    const char *include_dir, *library_dir;
    run->clang = cc_find_clang(run->arena);
    if (!run->clang.path ||
        !cc_find_places(run->arena, &include_dir, &library_dir))
        return false;
    run->quick = cc_find_quick_clang(run->arena, &run->clang, library_dir);
    run->builtins = sw_arena_printf(run->arena, "%s/opencl", library_dir);
    const char *file = sw_arena_printf(run->arena, "%s/index", run->builtins);
    if (!access(file, R_OK))
        return true;
    cc_fail(SW_E_JIT_COMPILER_NOT_FOUND,
            "softwarp cc: error: the built-in functions of OpenCL C are not in "
            "%s: Softwarp was built where clang was not installed\n",
            run->builtins);
    return false;
}

/* False after a message. `run` is to be finished either way. */
static bool
begin(cl_run *run, const char *options, int steps, uint32_t capability,
      sw_buf *log)
{
    *run = (cl_run){.session = {.said = log, .status = SW_OK},
                    .capability = capability};
    run->arena = sw_arena_create();
    cc_session_set(&run->session);
    if (!cl_options_read(&run->options, run->arena, options, steps) ||
        !find_places(run))
        return false;
    run->folder = cc_folder_create(run->arena, &run->lock);
    return run->folder != NULL;
}

static void
cancel_early(cl_run *run)
{
    if (run->early_ptx)
        cc_spawn_cancel(&run->early);
    run->early_ptx = NULL;
}

static sw_status
finish(cl_run *run, bool ok)
{
    cancel_early(run);
    if (run->folder)
        cc_folder_remove(run->folder, run->lock);
    cl_options_finish(&run->options);
    sw_arena_destroy(run->arena);
    cc_session_set(NULL);
    if (ok)
        return SW_OK;
    return run->session.status != SW_OK ? run->session.status
                                        : SW_E_INVALID_SOURCE;
}

static const char *
temporary(cl_run *run, const char *suffix)
{
    return sw_arena_printf(run->arena, "%s/%u.%s", run->folder, run->files++,
                           suffix);
}

static bool
read_into(const char *path, sw_buf *out)
{
    char *text;
    size_t bytes;
    if (!cc_read_file(path, &text, &bytes))
        return false;
    sw_buf_add(out, text, bytes);
    sw_free(text);
    return true;
}

/* ---- commands ---- */

static void
add_clang(cl_run *run, cc_command *command)
{
    if (run->quick)
        cc_command_add(command, run->quick);
    cc_command_add(command, run->clang.path);
}

static void
add_target(cl_run *run, cc_command *command)
{
    cc_arch arch = cc_clang_arch((cc_arch){run->capability, 0});
    cc_command_add(command, "--target=nvptx64-nvidia-cuda");
    cc_command_addf(command, "-march=sm_%u", arch.number);
    cc_command_add(command, "-nogpulib");
    cc_command_add(command, "-Xclang");
    cc_command_add(command, "-target-feature");
    cc_command_add(command, "-Xclang");
    cc_command_add(command, "+ptx85");
    /* Tables of differences between addresses can't be written as PTX. */
    cc_command_add(command, "-mcmodel=large");
    cc_command_add(command, run->options.not_optimized ? "-O0" : "-O3");
}

/* "-cl-ext=-all,+cl_khr_fp64,...": what clang knows and the device has. */
static void
add_extensions(cl_run *run, cc_command *command)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text, "-cl-ext=-all");
    for (int i = 0; i < EXTENSION_COUNT; i++)
        if (extensions[i].is_clangs && run->capability >= extensions[i].since)
            sw_buf_printf(&text, ",+%s", extensions[i].name);
    cc_command_add(command, "-Xclang");
    cc_command_addf(command, "%s", text.p);
    sw_buf_finish(&text);
}

static void
add_macros(cl_run *run, cc_command *command, const char *standard)
{
    bool is_3 = !strcmp(standard, "CL3.0") || !strcmp(standard, "CLC++2021");
    bool is_old = !strcmp(standard, "CL1.0") || !strcmp(standard, "CL1.1");
    bool is_2 =
        is_3 || !strncmp(standard, "CL2", 3) || !strncmp(standard, "CLC", 3);
    for (int i = 0; i < EXTENSION_COUNT; i++) {
        const extension *e = &extensions[i];
        if (!e->is_clangs && run->capability >= e->since &&
            (e->is_feature ? is_3 : is_2))
            cc_command_addf(command, "-D%s=1", e->name);
    }
    cc_command_add(command, "-D__OPENCL_VERSION__=300");
    cc_command_addf(command, "-D__NV_CL_C_VERSION=%s",
                    is_3     ? "300"
                    : is_old ? "110"
                             : "120");
    cc_command_add(command, "-D__IMAGE_SUPPORT__=1");
    cc_command_add(command, "-DFP_FAST_FMA=1");
    cc_command_add(command, "-DFP_FAST_FMAF=1");
    if (run->options.fast)
        cc_command_add(command, "-D__FAST_RELAXED_MATH__=1");
}

static void
add_language(cl_run *run, cc_command *command)
{
    const char *standard =
        run->options.standard ? run->options.standard : "CL1.2";
    cc_command_add(command, "-x");
    cc_command_add(command, "cl");
    cc_command_addf(command, "-cl-std=%s", standard);
    add_extensions(run, command);
    add_macros(run, command, standard);
    cc_command_add(command, "-cl-kernel-arg-info");
    cc_command_add(command, "-fno-crash-diagnostics");
    cc_command_add(command, "-gline-directives-only");
    cc_command_add(command, "-fdebug-compilation-dir=.");
    cc_command_add(command, "-fgnu-keywords"); /* asm, with PTX in it */
    /* Programs were written for compilers that take less for granted. */
    cc_command_add(command, "-fno-strict-aliasing");
    cc_command_add(command, "-fno-delete-null-pointer-checks");
    cc_command_add(command, "-fno-finite-loops");
    /* Else it leaves out the functions that cl_ir_keep_inline is for. */
    if (run->options.not_optimized)
        cc_command_add(command, "-fgnu89-inline");
    cc_command_addf(command, "-ffp-contract=%s",
                    run->options.contracted ? "fast" : "on");
    if (run->options.flushed) {
        cc_command_add(command, "-Xclang");
        cc_command_add(command, "-fdenormal-fp-math-f32=preserve-sign");
    }
    cc_command_add_all(command, &run->options.compile);
}

/* clang for the source: LLVM's text in the file `ir`. */
static bool
compile_source(cl_run *run, const sw_cl_compile_request *r, const char *ir)
{
    const char *input = temporary(run, "cl");
    cc_command command;

    for (size_t i = 0; i < r->header_count; i++)
        if (!cc_write_header(run->arena, run->folder, &r->headers[i]))
            return false;
    if (!cc_write_named(input, r->name, r->source))
        return false;
    cc_command_init(&command, run->arena);
    add_clang(run, &command);
    add_target(run, &command);
    add_language(run, &command);
    if (r->header_count)
        cc_command_addf(&command, "-I%s/headers", run->folder);
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, "-disable-llvm-passes");
    cc_command_add(&command, "-S");
    cc_command_add(&command, "-emit-llvm");
    cc_command_add(&command, "-o");
    cc_command_add(&command, ir);
    cc_command_add(&command, input);
    int rc = cc_command_run(&command, &silent);
    cc_command_finish(&command);
    return rc == 0;
}

/* The same, and what it wrote. */
static bool
compile_text(cl_run *run, const sw_cl_compile_request *r, sw_buf *out)
{
    const char *ir = temporary(run, "ll");
    sw_buf text;
    sw_buf_init(&text);
    bool ok = compile_source(run, r, ir) && read_into(ir, &text);
    if (ok)
        cl_ir_keep_inline((sw_str){text.p, text.n}, out);
    sw_buf_finish(&text);
    return ok;
}

/* clang for LLVM's text or bitcode, up to what it makes of it. */
static void
begin_ir(cl_run *run, cc_command *command)
{
    cc_command_init(command, run->arena);
    add_clang(run, command);
    cc_command_add(command, "-x");
    cc_command_add(command, "ir");
    add_target(run, command);
    cc_command_add(command, "-fno-crash-diagnostics");
    cc_command_add(command, "-Wno-override-module");
    cc_command_add(command, "-Wno-pass-failed");
    /* Without them text that clang 19 writes may have a name twice. */
    cc_command_add(command, "-fno-discard-value-names");
}

static bool
end_ir(cc_command *command, const char *input, const char *output)
{
    cc_command_add(command, "-o");
    cc_command_add(command, output);
    cc_command_add(command, input);
    int rc = cc_command_run(command, &silent);
    cc_command_finish(command);
    return rc == 0;
}

/* The same, for code as the program's options want it. */
static void
begin_code(cl_run *run, cc_command *command)
{
    begin_ir(run, command);
    cc_command_addf(command, "-ffp-contract=%s",
                    run->options.contracted ? "fast" : "on");
    if (run->options.fast) {
        cc_command_add(command, "-mllvm");
        cc_command_add(command, "-nvptx-prec-divf32=0");
    }
}

static void
link_with(cc_command *command, const char *how, const char *path)
{
    cc_command_add(command, "-Xclang");
    cc_command_add(command, how);
    cc_command_add(command, "-Xclang");
    cc_command_add(command, path);
}

/* LLVM's text, which is in `ir`, linked with `builtins` and optimised: PTX, or
 * still LLVM's text. */
static bool
optimise(cl_run *run, const sw_vec *builtins, bool to_ptx, const char *ir,
         const char *out)
{
    cc_command command;
    begin_code(run, &command);
    for (size_t i = 0; i < builtins->count; i++)
        link_with(&command, "-mlink-builtin-bitcode",
                  *(char **)sw_vec_at(builtins, i));
    cc_command_add(&command, "-S");
    if (!to_ptx)
        cc_command_add(&command, "-emit-llvm");
    return end_ir(&command, ir, out);
}

/* ---- the second clang, started early ---- */

/* More files of the built-in library than so many are rare. */
enum { LINKS = 6 };

/* The file that it is linked with; a link to what the program turns out to
 * need. */
static const char *
link_path(cl_run *run, unsigned i)
{
    return sw_arena_printf(run->arena, "%s/link%u", run->folder, i);
}

static bool
start_early(cl_run *run)
{
    const char *ptx = temporary(run, "ptx");
    cc_command command;
    begin_code(run, &command);
    for (unsigned i = 0; i < LINKS; i++)
        link_with(&command, "-mlink-builtin-bitcode", link_path(run, i));
    cc_command_add(&command, "-S");
    cc_command_add(&command, "-o");
    cc_command_add(&command, ptx);
    cc_command_add(&command, "-");
    *(char **)sw_vec_push(&command.argv) = NULL;
    if (cc_spawn_early(&run->early, command.argv.data))
        run->early_ptx = ptx;
    cc_command_finish(&command);
    return run->early_ptx != NULL;
}

/* Whether it makes PTX of the text, which is linked with `builtins`. */
static bool
end_early(cl_run *run, const sw_vec *builtins, sw_str text)
{
    for (unsigned i = 0; i < LINKS; i++) {
        const char *file =
            i < builtins->count
                ? *(char **)sw_vec_at(builtins, i)
                : sw_arena_printf(run->arena, "%s/empty.bc", run->builtins);
        if (symlink(file, link_path(run, i))) {
            cc_fail(SW_E_OPERATING_SYSTEM, "softwarp cc: error: %s: %s\n",
                    link_path(run, i), strerror(errno));
            return false;
        }
    }
    run->early_ptx = NULL;
    return cc_spawn_end(&run->early, &run->session, text) == 0;
}

/* Optimised text with vectors of small elements to PTX. */
static bool
finish_vectors(cl_run *run, const char *ir, const char *ptx)
{
    const char *expanded = temporary(run, "ll");
    sw_buf text, out;
    sw_buf_init(&text);
    sw_buf_init(&out);
    bool ok = read_into(ir, &text);
    if (ok)
        cl_ir_expand_vectors((sw_str){text.p, text.n}, &out);
    ok = ok && cc_write_file(expanded, out.p, out.n);
    sw_buf_finish(&text);
    sw_buf_finish(&out);
    if (!ok)
        return false;
    cc_command command;
    begin_code(run, &command);
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, "-disable-llvm-passes");
    cc_command_add(&command, "-S");
    return end_ir(&command, expanded, ptx);
}

/* The prepared program and what it needs of the built-in functions, by a clang
 * that is started now. */
static bool
generate_late(cl_run *run, const sw_vec *builtins, bool is_small,
              const sw_buf *program, const char *ptx)
{
    const char *ir = temporary(run, "ll");
    const char *optimised = is_small ? temporary(run, "ll") : ptx;
    return cc_write_file(ir, program->p, program->n) &&
           optimise(run, builtins, !is_small, ir, optimised) &&
           (!is_small || finish_vectors(run, optimised, ptx));
}

/* Of the whole program's text as the first clang wrote it, and as the second
 * one wants it; *ptx is the file. */
static bool
generate_ptx(cl_run *run, sw_str text, const sw_buf *program, const char **ptx)
{
    sw_vec builtins;
    sw_vec_init(&builtins, sizeof(char *));
    bool ok = cl_find_builtins(run->arena, run->builtins, text, &builtins);
    bool is_small = cl_ir_has_small_vectors(text);
    if (is_small || builtins.count > LINKS)
        cancel_early(run);
    *ptx = run->early_ptx ? run->early_ptx : temporary(run, "ptx");
    if (ok && run->early_ptx)
        ok = end_early(run, &builtins, (sw_str){program->p, program->n});
    else if (ok)
        ok = generate_late(run, &builtins, is_small, program, *ptx);
    sw_vec_finish(&builtins);
    return ok;
}

/* ---- from one to the next ---- */

/* A whole program's text as the second clang wants it. */
static void
prepare(const sw_buf *text, sw_buf *out)
{
    sw_buf own;
    sw_buf_init(&own);
    cc_own_functions(text->p, text->n, &own);
    cl_ir_prepare((sw_str){own.p, own.n}, out);
    sw_buf_finish(&own);
}

/* Says which functions the PTX calls and nobody defines. */
static bool
is_complete(sw_str ptx)
{
    static const char word[] = ".extern .func ";
    static const char *const known[] = {"__softwarp_cl_printf", "vprintf",
                                        "__assertfail"};
    bool ok = true;
    const char *end = ptx.p + ptx.n;
    for (const char *p = ptx.p;
         (p = memmem(p, (size_t)(end - p), word, sizeof word - 1));) {
        p += sizeof word - 1;
        while (*p == ' ')
            p++;
        if (*p == '(')
            p += strcspn(p, ")") + 1;
        while (*p == ' ')
            p++;
        size_t n = strcspn(p, " \n\t(;");
        bool is_known = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is_known |= sw_str_is((sw_str){p, n}, known[i]);
        if (!is_known) {
            cc_say("error: undefined function '%.*s'\n", (int)n, p);
            ok = false;
        }
    }
    return ok;
}

/* The PTX, each kernel of which may have so many registers at most, or NULL. */
static void
add_limited(sw_str ptx, const char *registers, sw_buf *out)
{
    static const char entry[] = ".entry ", body[] = "\n{";
    const char *end = ptx.p + ptx.n, *done = ptx.p, *p = ptx.p;
    while (registers &&
           (p = memmem(p, (size_t)(end - p), entry, sizeof entry - 1)) &&
           (p = memmem(p, (size_t)(end - p), body, sizeof body - 1))) {
        sw_buf_add(out, done, (size_t)(p - done));
        sw_buf_printf(out, "\n.maxnreg %s", registers);
        done = p;
    }
    sw_buf_add(out, done, (size_t)(end - done));
}

/* The PTX, whose operations on half keep subnormals: LLVM flushes those of half
 * with those of float, and -cl-denorms-are-zero is about float and double. What
 * the program itself has written in PTX stays. */
static void
keep_half(sw_str ptx, sw_buf *out)
{
    static const char word[] = ".ftz.f16", own[] = "// begin inline asm";
    static const char own_end[] = "// end inline asm";
    const char *end = ptx.p + ptx.n, *done = ptx.p, *p = ptx.p;
    const char *asm_at = memmem(p, ptx.n, own, sizeof own - 1);
    while ((p = memmem(p, (size_t)(end - p), word, sizeof word - 1))) {
        while (asm_at && asm_at < p) {
            const char *asm_end = memmem(asm_at, (size_t)(end - asm_at),
                                         own_end, sizeof own_end - 1);
            p = asm_end && asm_end > p ? asm_end : p;
            asm_at = asm_end ? memmem(asm_end, (size_t)(end - asm_end), own,
                                      sizeof own - 1)
                             : NULL;
        }
        if (!sw_str_has_prefix((sw_str){p, (size_t)(end - p)}, word))
            continue;
        sw_buf_add(out, done, (size_t)(p - done));
        p += sizeof word - 1;
        bool is_type = p < end && *p != '.'; /* else of a conversion */
        sw_buf_puts(out, is_type ? ".f16" : word);
        done = p;
    }
    sw_buf_add(out, done, (size_t)(end - done));
}

/*
 * The PTX. The last groups of a range may be smaller than the size that a
 * kernel requires, unless the program was promised otherwise, so for PTX that
 * size is the largest one.
 */
static void
add_ptx(sw_str ptx, const cl_options *options, bool uniform, sw_buf *out)
{
    static const char required[] = "\n.reqntid ";
    sw_buf text, kept;
    sw_buf_init(&text);
    sw_buf_init(&kept);
    if (options->flushed) {
        keep_half(ptx, &kept);
        ptx = (sw_str){kept.p, kept.n};
    }
    const char *end = ptx.p + ptx.n, *done = ptx.p, *p;
    while (!uniform && (p = memmem(done, (size_t)(end - done), required,
                                   sizeof required - 1))) {
        sw_buf_add(&text, done, (size_t)(p - done));
        sw_buf_puts(&text, "\n.maxntid ");
        done = p + sizeof required - 1;
    }
    sw_buf_add(&text, done, (size_t)(end - done));
    add_limited((sw_str){text.p, text.n}, options->registers, out);
    sw_buf_finish(&text);
    sw_buf_finish(&kept);
}

/* `text` is the whole program's. */
static bool
finish_program(cl_run *run, const sw_buf *text, sw_buf *out)
{
    sw_buf code, program;
    const char *ptx;
    sw_buf_init(&program);
    sw_buf_init(&code);
    prepare(text, &program);
    bool ok = generate_ptx(run, (sw_str){text->p, text->n}, &program, &ptx) &&
              read_into(ptx, &code) && is_complete((sw_str){code.p, code.n});
    sw_buf_finish(&program);
    if (ok) {
        cl_write_facts((sw_str){text->p, text->n}, (sw_str){code.p, code.n},
                       &run->options, out);
        add_ptx((sw_str){code.p, code.n}, &run->options,
                cl_is_uniform((sw_str){text->p, text->n}), out);
    }
    sw_buf_finish(&code);
    return ok;
}

/* ---- the interface ---- */

sw_status
sw_cl_check_options(const char *options, int steps, sw_buf *log)
{
    cl_run run = {.session = {.said = log, .status = SW_OK}};
    sw_buf_init(log);
    run.arena = sw_arena_create();
    cc_session_set(&run.session);
    bool ok = cl_options_read(&run.options, run.arena, options, steps);
    return finish(&run, ok);
}

bool
sw_cl_makes_library(const char *options)
{
    sw_buf said;
    cl_run run = {.session = {.said = &said, .status = SW_OK}};
    sw_buf_init(&said);
    run.arena = sw_arena_create();
    cc_session_set(&run.session);
    bool ok =
        cl_options_read(&run.options, run.arena, options, SW_CL_STEP_LINK);
    bool is_library = ok && run.options.is_library;
    finish(&run, ok);
    sw_buf_finish(&said);
    return is_library;
}

sw_status
sw_cl_compile(const sw_cl_compile_request *request, sw_buf *object, sw_buf *log)
{
    cl_run run;
    sw_buf_init(object);
    sw_buf_init(log);
    bool ok = begin(&run, request->options, SW_CL_STEP_COMPILE,
                    request->capability, log);
    ok = ok && compile_text(&run, request, object);
    return finish(&run, ok);
}

sw_status
sw_cl_build(const sw_cl_compile_request *request, sw_buf *ptx, sw_buf *log)
{
    cl_run run;
    sw_buf text;
    sw_buf_init(ptx);
    sw_buf_init(log);
    sw_buf_init(&text);
    bool ok = begin(&run, request->options, SW_CL_STEP_BUILD,
                    request->capability, log) &&
              start_early(&run);
    ok = ok && compile_text(&run, request, &text);
    if (ok)
        ok = finish_program(&run, &text, ptx);
    sw_buf_finish(&text);
    return finish(&run, ok);
}

/* ---- SPIR-V ---- */

bool
sw_cl_takes_spirv(void)
{
    sw_buf said;
    cl_run run = {.session = {.said = &said, .status = SW_OK}};
    sw_buf_init(&said);
    run.arena = sw_arena_create();
    cc_session_set(&run.session);
    run.clang = cc_find_clang(run.arena);
    bool takes = run.clang.path &&
                 cl_find_translator(run.arena, run.clang.version) != NULL;
    finish(&run, takes);
    sw_buf_finish(&said);
    return takes;
}

/* By the translator, in the file `bitcode`. */
static bool
translate(cl_run *run, const sw_cl_object *object, const char *bitcode)
{
    const char *input = temporary(run, "spv");
    const char *path = cl_find_translator(run->arena, run->clang.version);
    if (!path) {
        cc_fail(SW_E_JIT_COMPILER_NOT_FOUND,
                "error: SPIR-V can't be compiled here: there is no translator "
                "of it to LLVM; apt-get install llvm-spirv-%u\n",
                run->clang.version);
        return false;
    }
    cc_command command;
    cc_command_init(&command, run->arena);
    cc_command_add(&command, path);
    cc_command_add(&command, "-r");
    bool ok = cc_write_file(input, object->data, object->size) &&
              end_ir(&command, input, bitcode);
    return ok;
}

/* SPIR-V as the text of a compiled program. */
static bool
read_spirv(cl_run *run, const sw_cl_object *object, sw_buf *out)
{
    const char *bitcode = temporary(run, "bc"), *ir = temporary(run, "ll");
    sw_buf text;
    cc_command command;
    if (!translate(run, object, bitcode))
        return false;
    begin_ir(run, &command);
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, "-disable-llvm-passes");
    cc_command_add(&command, "-S");
    cc_command_add(&command, "-emit-llvm");
    sw_buf_init(&text);
    bool ok = end_ir(&command, bitcode, ir) && read_into(ir, &text);
    if (ok)
        cl_spirv_adapt((sw_str){text.p, text.n}, out);
    sw_buf_finish(&text);
    return ok;
}

/* ---- linking ---- */

/* Only bitcode can be added to another module; *path is its file then. */
static bool
to_bitcode(cl_run *run, const char **path)
{
    const char *bitcode = temporary(run, "bc");
    cc_command convert;
    begin_ir(run, &convert);
    cc_command_add(&convert, "-Xclang");
    cc_command_add(&convert, "-disable-llvm-passes");
    cc_command_add(&convert, "-c");
    cc_command_add(&convert, "-emit-llvm");
    bool good = end_ir(&convert, *path, bitcode);
    *path = bitcode;
    return good;
}

/* In the file `path`, as LLVM's code. */
static bool
write_object(cl_run *run, const sw_cl_object *object, const char *path)
{
    if (!cl_is_spirv(object))
        return cc_write_file(path, object->data, object->size);
    sw_buf text;
    sw_buf_init(&text);
    bool ok =
        read_spirv(run, object, &text) && cc_write_file(path, text.p, text.n);
    sw_buf_finish(&text);
    return ok;
}

/* The objects as one text. */
static bool
merge(cl_run *run, const sw_cl_object *objects, size_t count, sw_buf *out)
{
    const char *merged = temporary(run, "ll");
    const char **paths =
        sw_arena_alloc(run->options.arena, count * sizeof *paths);
    for (size_t i = 0; i < count; i++) {
        paths[i] = temporary(run, "ir");
        if (!write_object(run, &objects[i], paths[i]) ||
            (i && !to_bitcode(run, &paths[i])))
            return false;
    }
    cc_command command;
    begin_ir(run, &command);
    for (size_t i = 1; i < count; i++)
        link_with(&command, "-mlink-bitcode-file", paths[i]);
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, "-disable-llvm-passes");
    cc_command_add(&command, "-S");
    cc_command_add(&command, "-emit-llvm");
    return end_ir(&command, paths[0], merged) && read_into(merged, out);
}

static bool
is_text(const sw_cl_object *object)
{
    return object->size && !cl_is_spirv(object) &&
           !memchr(object->data, 0, object->size);
}

sw_status
sw_cl_link(const sw_cl_object *objects, size_t count, const char *options,
           bool library, uint32_t capability, sw_buf *out, sw_buf *log)
{
    cl_run run;
    sw_buf text;
    sw_buf_init(out);
    sw_buf_init(log);
    sw_buf_init(&text);
    bool ok = begin(&run, options, SW_CL_STEP_BUILD, capability, log);
    if (ok && count == 1 && is_text(&objects[0]))
        sw_buf_add(&text, objects[0].data, objects[0].size);
    else if (ok && count == 1 && cl_is_spirv(&objects[0]))
        ok = read_spirv(&run, &objects[0], &text);
    else if (ok)
        ok = merge(&run, objects, count, &text);
    if (ok && (library || run.options.is_library))
        sw_buf_add(out, text.p, text.n);
    else if (ok)
        ok = finish_program(&run, &text, out);
    sw_buf_finish(&text);
    return finish(&run, ok);
}
