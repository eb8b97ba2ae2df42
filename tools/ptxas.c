/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptxas.c - `softwarp ptxas`, also by the name of ptxas: for those who have an
 * assembler make machine code before they load it. There is none here, so what
 * comes out is the PTX, once it is known to be sound; every call that loads
 * machine code loads that too.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/ptx/ptx.h"
#include "occupancy.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp ptxas [option...] FILE.ptx\n"
    "checks PTX and writes it where its machine code is expected to be\n"
    "  -o, --output-file FILE      where (elf.o)\n"
    "  -arch, --gpu-name sm_NN     what -v says is for this (sm_90)\n"
    "  -maxrregcount N             ... with at most so many registers\n"
    "  -v, --verbose               registers and memory of each kernel,\n"
    "                              estimated from PTX, on standard error\n"
    "  -V, --version\n"
    "  -h, --help\n"
    "Other options of ptxas are accepted and have no meaning here.\n";

/* ptxas ends with it if it is given what it cannot assemble. */
enum { STATUS_WRONG = 255 };

typedef struct {
    const char *file, *output;
    int cc; /* times ten */
    uint32_t max_registers;
    bool is_verbose;
} order;

/* Of the options that have a value the names, one that may stand for it. */
static const struct {
    const char *name;
    char what; /* o, a, r: -o, -arch, -maxrregcount; 0: of no meaning here */
} with_value[] = {
    {"-o", 'o'},
    {"--output-file", 'o'},
    {"-arch", 'a'},
    {"--gpu-name", 'a'},
    {"-maxrregcount", 'r'},
    {"--maxrregcount", 'r'},
    {"-e", 0},
    {"--entry", 0},
    {"-O", 0},
    {"--opt-level", 0},
    {"-regAllocOptLevel", 0},
    {"--regAllocOptLevel", 0},
    {"-m", 0},
    {"--machine", 0},
    {"-dlcm", 0},
    {"--def-load-cache", 0},
    {"-dscm", 0},
    {"--def-store-cache", 0},
    {"-fmad", 0},
    {"--fmad", 0},
    {"-ias", 0},
    {"--input-as-string", 0},
    {"-optf", 0},
    {"--options-file", 0},
    {"-split-compile", 0},
    {"--split-compile", 0},
};

/* NN of sm_NN, compute_NN, sm_NNa; 0: it is none of these. */
static int
number_of(const char *arch)
{
    const char *p = strchr(arch, '_');
    return p && isdigit((unsigned char)p[1]) ? atoi(p + 1) : 0;
}

/* The value of an option that has one: behind `=`, right behind a letter, or
 * the next argument. False: the argument is no such option. *what as in
 * with_value, *value NULL if it is missing. */
static bool
take_value(int argc, char **argv, int *i, char *what, const char **value)
{
    const char *arg = argv[*i];
    for (size_t k = 0; k < sizeof with_value / sizeof *with_value; k++) {
        const char *name = with_value[k].name;
        size_t n = strlen(name);
        if (strncmp(arg, name, n) != 0)
            continue;
        *what = with_value[k].what;
        if (arg[n] == '=')
            *value = arg + n + 1;
        else if (n == 2 && name[1] != 'e' && isdigit((unsigned char)arg[n]))
            *value = arg + n; /* -O3, -m64 */
        else if (!arg[n])
            *value = *i + 1 < argc ? argv[++*i] : NULL;
        else
            continue;
        return true;
    }
    return false;
}

static int
complain(const char *what, const char *name)
{
    fprintf(stderr, "softwarp ptxas: error: %s%s\n", what, name);
    return STATUS_WRONG;
}

static int
read_order(int argc, char **argv, order *o)
{
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i], *value = NULL;
        char what = 0;
        if (arg[0] != '-') {
            if (o->file)
                return complain("one file at a time, not also ", arg);
            o->file = arg;
        } else if (!take_value(argc, argv, &i, &what, &value)) {
            o->is_verbose = o->is_verbose || !strcmp(arg, "-v") ||
                            !strcmp(arg, "--verbose");
        } else if (!value) {
            return complain("there is no value behind ", arg);
        } else if (what == 'o') {
            o->output = value;
        } else if (what == 'r') {
            o->max_registers = (uint32_t)strtoul(value, NULL, 10);
        } else if (what == 'a') {
            o->cc = number_of(value);
            if (!o->cc)
                return complain("no such device: ", value);
        }
    }
    return o->file ? 0 : complain("which file? See --help", "");
}

/* As ptxas says it, for programs that read that. */
static void
say_kernels(const order *o, sw_diag *diag)
{
    sw_arena *arena = sw_arena_create();
    sw_vec kernels;
    sw_vec_init(&kernels, sizeof(occ_kernel));
    if (sw_tool_cc_check(o->cc) &&
        occ_kernels_read(o->file, sw_device_limits(o->cc), o->max_registers,
                         arena, &kernels, diag))
        for (size_t i = 0; i < kernels.count; i++) {
            const occ_kernel *k = sw_vec_at(&kernels, i);
            fprintf(stderr,
                    "ptxas info    : Compiling entry function '%s' for "
                    "'sm_%d'\n"
                    "ptxas info    : Function properties for %s\n"
                    "    %u bytes stack frame, %u bytes spill stores, %u bytes "
                    "spill loads\n"
                    "ptxas info    : Used %u registers",
                    k->name, o->cc, k->name, (unsigned)k->stack,
                    (unsigned)k->spill_stores, (unsigned)k->spill_loads,
                    (unsigned)k->estimate);
            if (k->static_smem)
                fprintf(stderr, ", %u bytes smem", (unsigned)k->static_smem);
            fputs("\n", stderr);
        }
    sw_vec_finish(&kernels);
    sw_arena_destroy(arena);
}

void
sw_tool_say_kernels(const char *path, int cc, const char *max_registers)
{
    order o = {.file = path, .cc = cc};
    if (max_registers)
        o.max_registers = (uint32_t)strtoul(max_registers, NULL, 10);
    sw_diag diag;
    sw_buf said;
    sw_diag_init(&diag);
    sw_buf_init(&said);
    say_kernels(&o, &diag);
    sw_diag_print(&diag, &said);
    fwrite(said.p, 1, said.n, stderr);
    sw_buf_finish(&said);
    sw_diag_finish(&diag);
}

/* With the 0 behind it that a loader looks for. */
static bool
write_text(const char *path, const char *text, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    bool good = fwrite(text, 1, bytes, f) == bytes && fputc(0, f) == 0;
    return fclose(f) == 0 && good;
}

static int
assemble(const order *o)
{
    char *text;
    size_t bytes;
    if (sw_file_read(o->file, &text, &bytes) != SW_OK)
        return complain("it can't be read: ", o->file);
    bytes = strnlen(text, bytes);
    sw_diag diag;
    sw_buf said;
    sw_diag_init(&diag);
    sw_buf_init(&said);
    sw_module *module = sw_ptx_parse(o->file, text, bytes, &diag);
    int status =
        module && sw_ir_verify(module, &diag) == SW_OK ? 0 : STATUS_WRONG;
    sw_module_destroy(module);
    if (!status && o->is_verbose)
        say_kernels(o, &diag);
    sw_diag_print(&diag, &said);
    fwrite(said.p, 1, said.n, stderr);
    if (!status && !write_text(o->output, text, bytes))
        status = complain("it can't be written: ", o->output);
    sw_buf_finish(&said);
    sw_diag_finish(&diag);
    sw_free(text);
    return status;
}

int
sw_tool_ptxas(int argc, char **argv)
{
    order o = {.output = "elf.o", .cc = 90};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return 0;
        }
        if (!strcmp(argv[i], "--version") || !strcmp(argv[i], "-V")) {
            puts("ptxas: softwarp " SW_VERSION ", PTX stays PTX\n"
                 "Cuda compilation tools, release 12.9, V12.9.0");
            return 0;
        }
    }
    int status = read_order(argc, argv, &o);
    return status ? status : assemble(&o);
}
