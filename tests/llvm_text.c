/* SPDX-License-Identifier: Apache-2.0 */
/*
 * llvm_text.c - the LLVM text that the compiler makes of each kernel of some
 * PTX files, before LLVM's passes; nothing is run. A line for each module that
 * LLVM gets: file, kernel, how it was asked for, its own name, bytes, hash.
 * scripts/llvm_text.sh holds such a list against another build's.
 *
 *     llvm_text [--keep FOLDER] FILE.ptx...
 *
 * With --keep the texts stay, in FOLDER. The compiler's settings
 * (SOFTWARP_JIT_FUSE, SOFTWARP_TUNE) are of use to see more code.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/exec.h"
#include "front/ptx/ptx.h"
#include "jit/jit.h"
#include "jit/tier/hash.h"
#include "jit/tier/variant.h"
#include "jit/tune.h"
#include "opt/pipeline.h"
#include "opt/tune.h"

/* How a kernel is asked for. */
typedef struct {
    const char *name;
    uint32_t ntid[3];
    uint32_t events;
    enum { BASE, WIDE, OSR } form;
} request;

enum {
    OBSERVED = SW_EV_BLOCK | SW_EV_INS | SW_EV_MEM | SW_EV_BRANCH | SW_EV_TEX
};

static const request requests[] = {
    {"row", {256, 1, 1}, 0, BASE},   {"wide", {256, 1, 1}, 0, WIDE},
    {"osr", {256, 1, 1}, 0, OSR},    {"square", {16, 16, 1}, 0, BASE},
    {"uneven", {42, 3, 1}, 0, BASE}, {"observed", {256, 1, 1}, OBSERVED, BASE}};

static char work[PATH_MAX];
static bool keeps;
static unsigned modules, kernels, files, unread;

static sw_module *
load(const char *path)
{
    char *text;
    size_t bytes;
    sw_diag diag;
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st) != 0) {
        fprintf(stderr, "llvm_text: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    text = sw_alloc((size_t)st.st_size + 1);
    bytes = fread(text, 1, (size_t)st.st_size, f);
    fclose(f);
    sw_diag_init(&diag);
    sw_module *module = sw_ptx_parse(path, text, bytes, &diag);
    if (module && (sw_ir_link(&module, 1, &diag) != SW_OK ||
                   sw_ir_verify(module, &diag) != SW_OK)) {
        sw_module_destroy(module);
        module = NULL;
    }
    if (module) {
        sw_opt_unit unit = {.module = module, .diag = &diag};
        sw_opt_run(SW_STAGE_LOAD, &unit);
    }
    sw_diag_finish(&diag);
    sw_free(text);
    return module;
}

/* One text: its line, and away with it. */
static void
list_file(const char *path, const char *label, const char *name)
{
    char buffer[1 << 16];
    uint64_t bytes = 0;
    sw_jit_hash hash;
    sw_jit_hash_init(&hash);
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "llvm_text: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0; bytes += n)
        sw_jit_hash_add(&hash, buffer, n);
    fclose(f);
    sw_jit_key key = sw_jit_hash_finish(&hash);
    printf("%s %s %llu ", label, name, (unsigned long long)bytes);
    for (int i = 0; i < 16; i++)
        printf("%02x", key.bytes[i]);
    putchar('\n');
    modules++;
    if (!keeps)
        unlink(path);
}

static void
list_folder(const char *folder, const char *label)
{
    struct dirent **all;
    int n = scandir(folder, &all, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (all[i]->d_name[0] != '.') {
            sw_buf path;
            sw_buf_init(&path);
            sw_buf_printf(&path, "%s/%s", folder, all[i]->d_name);
            list_file(path.p, label, all[i]->d_name);
            sw_buf_finish(&path);
        }
        free(all[i]);
    }
    if (n >= 0)
        free(all);
    if (!keeps)
        rmdir(folder);
}

/* Asks for the code; nothing comes of it, as SOFTWARP_JIT_DUMP_ONLY says. */
static void
compile(const sw_program *program, const request *r)
{
    sw_variant *n = sw_variant_find(program, r->ntid, true);
    if (r->form == WIDE) {
        sw_variant_tier_up(n);
    } else if (r->form == OSR) {
        sw_variant *osr = sw_variant_osr_of(n);
        if (sw_variant_claim(osr, true))
            sw_variant_compile(osr);
    } else {
        sw_variant_prepare(n);
    }
    while (sw_variant_is_busy(program))
        usleep(200);
}

static void
list_kernel(const char *file, const sw_fn *fn, const request *r)
{
    sw_buf folder, label;
    sw_diag diag;
    sw_program *program;
    sw_buf_init(&folder);
    sw_buf_init(&label);
    sw_diag_init(&diag);
    sw_buf_printf(&label, "%s %s %s", file, fn->name, r->name);
    sw_buf_printf(&folder, "%s/%s.%.150s.%s", work, file, fn->name, r->name);
    mkdir(folder.p, 0777);
    setenv("SOFTWARP_JIT_DUMP", folder.p, 1);
    if (sw_program_create(&sw_backend_jit, fn, r->events, &diag, &program) ==
        SW_OK) {
        compile(program, r);
        sw_program_destroy(program);
    }
    list_folder(folder.p, label.p);
    sw_diag_finish(&diag);
    sw_buf_finish(&label);
    sw_buf_finish(&folder);
}

static void
list_module(const char *path)
{
    const char *slash = strrchr(path, '/');
    sw_module *module = load(path);
    files++;
    unread += !module;
    if (!module)
        return;
    for (uint32_t i = 0; i < module->fn_count; i++) {
        if (!module->fns[i]->is_entry)
            continue;
        kernels++;
        for (size_t k = 0; k < sizeof requests / sizeof *requests; k++)
            list_kernel(slash ? slash + 1 : path, module->fns[i], &requests[k]);
    }
    sw_module_destroy(module);
}

int
main(int argc, char **argv)
{
    keeps = argc > 2 && strcmp(argv[1], "--keep") == 0;
    const char *tmp = getenv("TMPDIR");
    snprintf(work, sizeof work, "%s/llvm_text.XXXXXX", tmp ? tmp : "/tmp");
    if (keeps)
        snprintf(work, sizeof work, "%s", argv[2]);
    if (argc < 2 ||
        (keeps ? mkdir(work, 0777) && errno != EEXIST : !mkdtemp(work))) {
        fprintf(stderr, "llvm_text: %s: %s\n", argc < 2 ? "no files" : work,
                strerror(errno));
        return 2;
    }
    const sw_tune_table *const tables[] = {&sw_opt_tune_table,
                                           &sw_jit_tune_table};
    sw_tune_read_environment(tables, sizeof tables / sizeof *tables);
    setenv("SOFTWARP_ENGINE", "jit", 1);
    setenv("SOFTWARP_CACHE", "0", 1);
    setenv("SOFTWARP_JIT_WIDEN", "0", 1);
    setenv("SOFTWARP_JIT_LIBRARY", SW_JIT_LIBRARY, 1);
    setenv("SOFTWARP_JIT_DUMP_ONLY", "1", 1);
    for (int i = keeps ? 3 : 1; i < argc; i++)
        list_module(argv[i]);
    if (!keeps)
        rmdir(work);
    fprintf(stderr,
            "llvm_text: %u modules of %u kernels in %u files, %u of which have "
            "no code\n",
            modules, kernels, files, unread);
    return modules == 0;
}
