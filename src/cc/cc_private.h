/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc_private.h - `softwarp cc` to itself: one compilation's options, the
 * commands it runs, and the container that device code travels in.
 *
 * Everything lives in the arena of one run and one thread. The compiler is a
 * program we start; nothing here knows what its options mean beyond the passes
 * and options.c.
 */
#ifndef SW_CC_PRIVATE_H
#define SW_CC_PRIVATE_H
#include <stdio.h>

#include "base/base.h"

/* What to stop after. */
typedef enum {
    CC_LINK,
    CC_OBJECT,
    CC_PTX,
    CC_FATBIN,
    CC_CUBIN, /* the same: there is no machine code */
    CC_PREPROCESS,
    CC_DEPENDENCIES,
    CC_DEVICE_LINK, /* an empty object: our loader links device code */
    CC_LIBRARY,     /* an archive of the objects */
    CC_RUN,         /* the program, which then runs */
} cc_stage;

/* One virtual architecture: as asked, e.g. 75 or 90 with suffix 'a'. */
typedef struct {
    uint32_t number;
    char suffix; /* 'a', 'f' or 0 */
} cc_arch;

/* What clang is asked for: the newest one that it knows up to this. */
cc_arch cc_clang_arch(cc_arch asked);

/* A version of CUDA: __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
 * CUDART_VERSION, and its runtime library. */
typedef struct {
    unsigned major, minor, number;
    const char *runtime;
} cc_cuda;

/* Options as nvcc spells them. Vectors hold char * in the arena. */
typedef struct {
    sw_arena *arena;
    cc_stage stage;
    const char *output;       /* NULL if not given */
    const char *language;     /* of -x, NULL if not given */
    const char *max_regs;     /* NULL if not given */
    const char *standard;     /* "c++17", NULL if not given */
    const char *optimize;     /* "3", NULL if not given */
    const char *deps_file;    /* -MF */
    const char *deps_target;  /* -MT */
    const char *depend_stage; /* "-M" or "-MM", NULL if none */
    const char *keep_dir;     /* where -keep puts files */
    const cc_cuda *cuda;      /* the newest if none was named */
    bool is_cuda_named;
    const char *list;       /* "sm_" or "compute_": say them and no more */
    const char *archiver;   /* NULL if not given */
    const char *output_dir; /* of files without -o; NULL if not given */
    sw_vec run_args;        /* of the program that -run runs */
    sw_vec inputs;          /* in order, with -l and -L among them */
    sw_vec preprocess;      /* -I -D -U -include -isystem */
    const char *device_overlay, *host_overlay; /* of the input; or NULL */
    bool is_nested; /* kernels of the input launch kernels; the plugin says */
    sw_vec host;    /* -Xcompiler */
    sw_vec device;  /* device-only clang options */
    sw_vec link;    /* -Xlinker, -shared */
    sw_vec archs;   /* cc_arch */
    sw_vec ignored; /* accepted without meaning here */
    int file_depth; /* files of options being read */
    bool verbose, dry_run, keep;
    bool say_kernels; /* their registers and memory, as the assembler does */
    bool line_info, debug_host, debug_device, relocatable, shared, no_warnings;
    bool warnings_are_errors, with_dependencies, user_dependencies;
    bool is_rtc; /* as NVRTC reads it: device code, no library of the host's */
    bool is_device_default; /* what names no execution space is __device__ */
    bool phony_dependencies, fast_math, ftz, no_fma, approx_div, approx_sqrt;
    bool show_help, show_version, no_host_runtime;
    bool forward_compiler, forward_linker; /* what is not known */
} cc_options;

/*
 * Reads argv[1..]. False after printing one sentence on stderr: an unknown
 * option, a missing value, a value out of its set.
 */
bool cc_options_read(cc_options *options, int argc, char **argv);
void cc_options_finish(cc_options *options);
void cc_options_help(FILE *out);
/* The architectures that nvcc knows, a line each. */
void cc_options_list(const char *prefix, FILE *out);

/* The compiler that is started, and its version (base/llvm_versions.h). */
typedef struct {
    const char *path;
    unsigned version;
} cc_clang;

/* places.c: the program of that name in the folders of `path`, which has
 * colons between them; NULL. In the arena. */
char *cc_find_program(sw_arena *arena, const char *path, const char *name);
/*
 * places.c: the clang that SOFTWARP_CLANG names; else the one of the version of
 * LLVM that we are built with; else the newest one that we know, or any
 * newer. Its path is NULL after a message.
 */
cc_clang cc_find_clang(sw_arena *arena);
/* The plugin by which that clang reads CUDA as nvcc does (src/cc/dialect);
 * NULL: there is none. */
const char *cc_find_dialect(sw_arena *arena, const cc_clang *clang,
                            const char *library_dir);
/* Our build of the same clang for OpenCL (src/cc/clang), which starts faster
 * and has CLANG's path as its first argument. NULL: there is none, or
 * SOFTWARP_CLANG asks for another. In the arena. */
const char *cc_find_quick_clang(sw_arena *arena, const cc_clang *clang,
                                const char *library_dir);
/* The folders of our headers and libraries, installed beside the program or
 * the build tree's. False after a message. */
bool cc_find_places(sw_arena *arena, const char **include_dir,
                    const char **library_dir);
/* Tells them on stderr as nvcc does before its commands: CMake finds its way by
 * that. */
void cc_say_places(const cc_options *o, const char *include_dir,
                   const char *library_dir);

/* Whether an option of -Xcompiler asks for OpenMP by clang's runtime. */
bool cc_is_openmp(const char *arg);
/*
 * openmp.c: OpenMP's runtime for code that clang compiles: its own
 * version's, which it finds itself (the paths are NULL), else any other, with
 * the header of that version or gcc's, which declare the same.
 */
typedef struct {
    bool is_found;
    const char *include_dir; /* of omp.h */
    const char *library;     /* the file */
} cc_openmp;
cc_openmp cc_find_openmp(sw_arena *arena, const char *clang);
/* Writes the assembly, to be linked, of what an older runtime has not (and
 * needs not); false if nothing is missing. */
bool cc_openmp_add_missing(const cc_openmp *openmp, const char *path);

/*
 * cccl.c: CUB, Thrust and libcu++ for the source `input`: those of a toolkit or
 * a package that is installed, or that the user names a folder of.
 */
typedef struct {
    bool is_wanted;
    const char *folder; /* to be searched before ours of these names, or NULL */
    const char *missing; /* a header that was not found, or NULL */
} cc_cccl;
cc_cccl cc_find_cccl(const cc_options *o, const char *include_dir,
                     const char *input);
/* Below the home folder: where the command that we name puts the package. */
#define CC_CCCL_TARGET ".local/share/softwarp"

/* A command line under construction: char *, in the arena. */
typedef struct {
    sw_arena *arena;
    sw_vec argv;
    /* In commands that read a .cu (see cc_headers_run), where these begin:
     * -include of our headers; after it the user's options for the
     * preprocessor; other options; what is not for the headers alone. */
    size_t headers, user_end, tail;
} cc_command;

void cc_command_init(cc_command *command, sw_arena *arena);
void cc_command_finish(cc_command *command);
void cc_command_add(cc_command *command, const char *arg);
void cc_command_addf(cc_command *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* What gcc and nvcc let pass in C++, clang does then. */
void cc_command_add_leniency(cc_command *command);
/* Whether -D defines the macro. */
bool cc_has_define(const cc_options *o, const char *macro);
/* __CUDA_ARCH_LIST__, as programs read it: "750,900". */
void cc_command_add_arch_list(cc_command *command, const cc_options *o);
void cc_command_add_all(cc_command *command, const sw_vec *args);
/*
 * The options for our headers in `dir`: first what a toolkit has as well, last
 * those named cuda/..., since a library of these names that the user has is to
 * be taken whole.
 */
void cc_command_add_headers(cc_command *command, const char *dir);
/*
 * Prints it if the options say so, runs it unless they forbid it, waits.
 * Returns its exit status; 128 + n if signal n ended it; 127 if it can't be
 * started. What the program says goes to our stderr unchanged.
 */
int cc_command_run(cc_command *command, const cc_options *options);

/* The same, and what the program says is appended to `said`; says nothing
 * itself. */
int cc_command_run_quietly(cc_command *command, const cc_options *options,
                           sw_buf *said);
/*
 * headers.c: the same with our headers as compiled before, where that is
 * possible. True: it was run, *rc is its exit status, and it says and writes
 * what cc_command_run would have it say and write. False: nothing was said.
 * `path` is a temporary file; `deps` the file of dependencies that the command
 * writes, or NULL; `input` the source.
 */
bool cc_headers_run(cc_command *command, const cc_options *options,
                    const char *include_dir, const char *path, const char *deps,
                    const char *input, int *rc);
/* False after a message; what was read is the caller's (sw_free). */
bool cc_read_file(const char *path, char **text, size_t *bytes);
bool cc_write_file(const char *path, const char *data, size_t bytes);

/* One image of device code for a container. */
typedef struct {
    cc_arch arch;
    const char *ptx; /* NUL-terminated */
    size_t bytes;    /* without the NUL */
} cc_image;

/*
 * The fat binary of `count` PTX images, in `out`: a header, then one entry an
 * image. `option` (may be NULL) is the assembler option string that travels
 * along ("-maxrregcount=32").
 */
void cc_fatbin_write(const cc_image *images, size_t count, const char *option,
                     sw_buf *out);

/*
 * LLVM's text of device code with copies of whole 16-byte vectors as loads
 * and stores of such vectors, appended to `out`.
 */
void cc_ir_rewrite(const char *text, size_t bytes, sw_buf *out);
/* Part of such a text as it stands, but for casts of what constructors of
 * classes with virtual bases are told, which clang writes wrong. */
void cc_ir_add(const char *text, size_t bytes, sw_buf *out);
/* clusters.c: whether kernels in LLVM's text are marked by __cluster_dims__;
 * the PTX made of it with their directives, appended to `out`. */
bool cc_has_clusters(const char *ir, size_t bytes);
void cc_add_clusters(const char *ir, size_t ir_bytes, const char *ptx,
                     size_t bytes, sw_buf *out);
/* The same for the PTX in the file `output`. Exit status. */
int cc_add_clusters_to(const sw_buf *ir, const char *output);
/* order.c: LLVM's text before optimisation, variables as nvcc orders them.
 */
void cc_order_variables(const char *text, size_t bytes, sw_buf *out);
/* ir.c: takes `word` off the front of *s, and spaces around what is left.
 * False: it does not begin so. */
bool cc_take(sw_str *s, const char *word);
/* linkage.c: the name that begins at p with '@' or '%', quotes included, in
 * such a text. */
sw_str cc_ir_name_at(const char *p, const char *end);
/* Of a source: white space; what names are made of. */
static inline bool
cc_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
static inline bool
cc_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}
/* linkage.c: such a text, of which only kernels are known outside. */
void cc_own_functions(const char *text, size_t bytes, sw_buf *out);

/*
 * LLVM's text of relocatable device code, appended to `out`, in which static
 * variables and kernels that the host registers carry `id` in their names.
 */
void cc_rdc_rename(const char *text, size_t bytes, uint64_t id, sw_buf *out);
/*
 * Turns the file of assembly text of a host pass made for separate compilation
 * into one that registers its own device code (the loader links), by the names
 * of cc_rdc_rename, and has a symbol that says so. False after a message.
 */
bool cc_rdc_finish(const char *assembly, uint64_t id);

/* What that symbol begins with; `id` follows in hexadecimal. */
#define CC_DEVICE_CODE "__softwarp_device_code_"
/* archives.c: appends to `out`, char * in the arena, such symbols of the
 * archives among what is linked: files, -L and -l. */
void cc_find_device_code(sw_arena *arena, const sw_vec *inputs, sw_vec *out);
/* Has the linker take those objects. */
void cc_command_want(cc_command *command, const sw_vec *inputs);
/* True for libraries whose work our runtime library does. */
bool cc_is_runtime_library(const char *arg);

/* launches.c: has clang see the input, and what it includes by "name", with
 * the brackets of launches side by side, and those of device code as
 * nested.c says: adds to o->preprocess, or sets o->device_overlay and
 * o->host_overlay. `temporary` names a new file at each call, NULL after a
 * message. */
void cc_join_launches(cc_options *o, const char *input,
                      const char *(*temporary)(void *arg), void *arg);
/* Behind the comment or literal at p; p: there is none. */
const char *cc_skip_inert(const char *p, const char *end);

/* nested.c: the source of `bytes` characters for one of the passes, its
 * launches' brackets side by side, appended to `out`. True: it has launches in
 * device code. */
bool cc_nested_source(const char *text, size_t bytes, bool for_device,
                      sw_buf *out);
/* Has clang see such sources, if there are any. */
void cc_nested_options(const cc_options *o, cc_command *command,
                       bool for_device);
/* registers.c: completes LLVM's text, in the same file, before it is optimised:
 * what names built-in variables reads registers, and host functions that
 * device code calls trap. Exit status. */
int cc_complete_ir(const char *ir);
/* nested_ir.c: LLVM's text of such a source before optimisation, with
 * kernels and launches, in the same file. Exit status. */
int cc_nested_rewrite(const cc_options *o, const char *ir);

#endif
