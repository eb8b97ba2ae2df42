/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info.c - `softwarp info FILE`: what device code a program, object, library,
 * fat binary, cubin or PTX file holds, how it gets its CUDA runtime, and what
 * of it can't run here.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "front/fatbin/elf.h"
#include "front/fatbin/fatbin.h"
#include "support.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp info FILE...\n"
    "       softwarp info --tune [--markdown]\n"
    "  FILE    a program, object, shared library, fat binary, cubin or PTX "
    "text\n"
    "  --tune  list the numbers that SOFTWARP_TUNE sets; --markdown: as "
    "docs/tuning.md\n";

/* What keeps a file from running: counted while it is listed. */
typedef struct {
    unsigned modules; /* with any device code */
    unsigned without_ptx;
    uint32_t lowest_arch; /* of machine code in those */
    unsigned kernels;
} findings;

static const char *
pack_name(sw_fatbin_pack pack)
{
    return pack == SW_FATBIN_LZ4    ? ", LZ4"
           : pack == SW_FATBIN_ZSTD ? ", zstd"
                                    : "";
}

static void
print_kernels(sw_str ptx, findings *found)
{
    size_t pos = 0;
    sw_str name;
    while (sw_fatbin_next_kernel(ptx, &pos, &name)) {
        printf("      kernel %.*s\n", (int)name.n, name.p);
        found->kernels++;
    }
}

static void
print_entry(const sw_fatbin_entry *e, findings *found)
{
    char target[24];
    if (e->arch)
        snprintf(target, sizeof target, "%s_%u%.1s",
                 e->kind == SW_FATBIN_ELF ? "sm" : "compute", (unsigned)e->arch,
                 &e->variant);
    else
        snprintf(target, sizeof target, "no target");
    printf("    %s for %s", sw_fatbin_kind_name(e->kind), target);
    if (e->kind == SW_FATBIN_PTX)
        printf(", version %u.%u, %zu bytes", (unsigned)e->major,
               (unsigned)e->minor, e->data.n);
    printf(" (%llu stored%s)", (unsigned long long)e->stored_bytes,
           pack_name(e->pack));
    if (e->ident.n)
        printf(", from %.*s", (int)e->ident.n, e->ident.p);
    sw_str options = e->options;
    while (options.n && options.p[0] == ' ') {
        options.p++;
        options.n--;
    }
    while (options.n && options.p[options.n - 1] == ' ')
        options.n--;
    if (options.n)
        printf(", options %.*s", (int)options.n, options.p);
    putchar('\n');
    if (e->kind == SW_FATBIN_PTX)
        print_kernels(e->data, found);
}

/* Linkers leave modules of machine code that have no function in them. */
static bool
has_functions(const sw_fatbin_entry *e)
{
    sw_elf elf;
    sw_elf_section section;
    if (e->kind != SW_FATBIN_ELF || e->pack != SW_FATBIN_STORED ||
        sw_elf_open(e->data, "", &elf, NULL) != SW_OK)
        return true;
    for (uint32_t i = 0; sw_elf_section_at(&elf, i, &section); i++)
        if (sw_str_has_prefix(section.name, ".text"))
            return true;
    return false;
}

static void
print_modules(const sw_fatbin *f, const char *where, findings *found)
{
    for (uint32_t m = 0; m < f->modules; m++) {
        bool any = false, ptx = false, functions = false;
        uint32_t lowest = 0;
        for (uint32_t i = 0; i < f->count; i++) {
            const sw_fatbin_entry *e = &f->entries[i];
            if (e->module != m)
                continue;
            if (!any)
                printf("  module %u in %s\n", (unsigned)m, where);
            any = true;
            ptx = ptx || e->kind == SW_FATBIN_PTX;
            functions = functions || has_functions(e);
            if (!lowest || e->arch < lowest)
                lowest = e->arch;
            print_entry(e, found);
        }
        found->modules += any;
        if (any && !ptx && functions) {
            found->without_ptx++;
            if (!found->lowest_arch || lowest < found->lowest_arch)
                found->lowest_arch = lowest;
        }
    }
}

/* How a program comes by the CUDA runtime. */
typedef enum { RT_NONE, RT_SHARED, RT_STATIC, RT_OPEN, RT_HIDDEN } runtime;

static runtime
find_runtime(const sw_elf *elf, bool has_code, sw_str *library)
{
    uint64_t it = 0;
    sw_elf_symbol symbol;
    while (sw_elf_next_needed(elf, &it, library))
        if (sw_str_has_prefix(*library, "libcudart.so"))
            return RT_SHARED;
    if (sw_elf_find_symbol(elf, "__cudaRegisterFatBinary", &symbol))
        return symbol.section ? RT_STATIC : RT_OPEN;
    if (sw_elf_find_symbol(elf, "cudaMalloc", &symbol))
        return symbol.section ? RT_STATIC : RT_OPEN;
    if (!has_code)
        return RT_NONE;
    return elf->type == ET_REL ? RT_OPEN : RT_HIDDEN;
}

static void
print_runtime(runtime rt, sw_str library, const sw_elf *elf)
{
    uint64_t it = 0;
    sw_str name;
    switch (rt) {
    case RT_SHARED:
        printf("  CUDA runtime: shared, %.*s\n", (int)library.n, library.p);
        break;
    case RT_STATIC:
        puts("  CUDA runtime: linked statically");
        break;
    case RT_OPEN:
        puts("  CUDA runtime: left to the linker");
        break;
    case RT_HIDDEN:
        puts("  CUDA runtime: linked statically, no symbols say where");
        break;
    case RT_NONE:
        puts("  CUDA runtime: none");
        break;
    }
    while (sw_elf_next_needed(elf, &it, &name))
        if (!sw_str_has_prefix(name, "libcudart.so") &&
            (sw_str_has_prefix(name, "libcu") ||
             sw_str_has_prefix(name, "libnv") ||
             sw_str_has_prefix(name, "libOpenCL")))
            printf("  needs %.*s%s\n", (int)name.n, name.p,
                   sw_str_has_prefix(name, "libcuda.so")
                       ? ""
                       : ": machine code; calls of it will fail");
}

/* Functions that another file has to provide, and that ours does not. */
static void
print_calls(const sw_elf *elf)
{
    uint64_t it = 0;
    sw_elf_symbol symbol;
    sw_arena *arena = sw_arena_create();
    sw_vec entries;
    sw_vec_init(&entries, sizeof(support_entry));
    bool known = support_api_entries(SUPPORT_DRIVER, arena, &entries, NULL) &&
                 support_api_entries(SUPPORT_RUNTIME, arena, &entries, NULL);
    while (known && sw_elf_next_symbol(elf, &it, &symbol)) {
        for (size_t i = 0; i < entries.count && !symbol.section; i++) {
            const support_entry *e = sw_vec_at(&entries, i);
            if (!sw_str_is(symbol.name, e->symbol) ||
                (e->state != SUPPORT_NONE && e->state != SUPPORT_ABSENT))
                continue;
            sw_buf instead;
            sw_buf_init(&instead);
            support_api_instead(e, &instead);
            printf("  calls %s, which is not supported; instead: %s\n",
                   e->symbol, instead.p);
            sw_buf_finish(&instead);
            break;
        }
    }
    sw_vec_finish(&entries);
    sw_arena_destroy(arena);
}

/* The sentences at the end. */
static void
print_verdict(const findings *found, runtime rt)
{
    if (!found->modules)
        puts("  There is no device code in it.");
    else if (found->without_ptx)
        printf("  %u of %u modules can't run: they carry no PTX; compile with "
               "-gencode arch=compute_%u,code=compute_%u to keep it.\n",
               found->without_ptx, found->modules, (unsigned)found->lowest_arch,
               (unsigned)found->lowest_arch);
    else
        printf("  All of its device code carries PTX%s.\n",
               found->kernels ? "" : "; it has no kernel");
    if (rt == RT_STATIC)
        puts("  Its own CUDA runtime is replaced by ours when `softwarp run` "
             "starts it.");
    if (rt == RT_HIDDEN)
        puts("  Its own CUDA runtime can't be replaced; link it without -s, "
             "or with nvcc -cudart shared.");
}

static sw_status
inspect_host(sw_arena *arena, const sw_elf *elf, sw_diag *diag)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin"};
    findings found = {0};
    sw_elf_section section;
    sw_str library = {"", 0};
    sw_status status = SW_OK;
    bool has_code = false;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sw_fatbin f = {0};
        if (!sw_elf_find_section(elf, names[i], &section) || !section.bytes.n)
            continue;
        has_code = true;
        if (status == SW_OK)
            status = sw_fatbin_parse(arena, section.bytes.p, section.bytes.n,
                                     &f, diag);
        if (status == SW_OK)
            print_modules(&f, names[i], &found);
    }
    runtime rt = find_runtime(elf, has_code, &library);
    print_runtime(rt, library, elf);
    print_calls(elf);
    if (status == SW_OK)
        print_verdict(&found, rt);
    return status;
}

/* Processors that CUDA programs are built for, by ELF's numbers. */
static const char *
machine_name(unsigned machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } names[] = {{EM_386, "x86 of 32 bits"}, {EM_X86_64, "x86-64"},
                 {EM_ARM, "ARM of 32 bits"}, {EM_AARCH64, "aarch64"},
                 {EM_PPC64, "ppc64le"},      {EM_RISCV, "RISC-V"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].machine == machine)
            return names[i].name;
    return "a processor of which Softwarp knows nothing";
}

static sw_status
inspect(sw_arena *arena, sw_str bytes, sw_diag *diag)
{
    sw_elf elf;
    sw_fatbin f;
    findings found = {0};
    sw_status status = SW_OK;
    if (sw_elf_is(bytes)) {
        status = sw_elf_open(bytes, "", &elf, diag);
        if (status)
            return status;
        if (elf.machine != EM_CUDA) {
            printf("  %s for %s\n",
                   elf.type == ET_REL ? "an object" : "a program or library",
                   machine_name(elf.machine));
            return inspect_host(arena, &elf, diag);
        }
    }
    if (bytes.n >= 8 && memcmp(bytes.p, "!<arch>\n", 8) == 0) {
        sw_diag_add(diag, SW_DIAG_ERROR, "", 0, 0,
                    "an archive; take its objects out with \"ar x\" first");
        return SW_E_INVALID_IMAGE;
    }
    status = sw_fatbin_parse(arena, bytes.p, bytes.n, &f, diag);
    if (status)
        return status;
    print_modules(&f, "the file", &found);
    print_verdict(&found, RT_NONE);
    return SW_OK;
}

int
sw_tool_info(int argc, char **argv)
{
    int failed = 0;
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        fputs(help, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (!strcmp(argv[1], "--tune")) {
        bool is_markdown = argc == 3 && !strcmp(argv[2], "--markdown");
        if (argc == 2 || is_markdown)
            return sw_info_tune(is_markdown);
        fputs(help, stderr);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        char *text = NULL;
        size_t n = 0;
        if (sw_file_read(argv[i], &text, &n)) {
            fprintf(stderr, "softwarp: error: can't read \"%s\"\n", argv[i]);
            failed = 1;
            continue;
        }
        sw_arena *arena = sw_arena_create();
        sw_diag diag;
        sw_diag_init(&diag);
        printf("%s\n", argv[i]);
        if (inspect(arena, (sw_str){text, n}, &diag)) {
            failed = 1;
            for (size_t k = 0; k < diag.entries.count; k++) {
                const sw_diag_entry *e = sw_vec_at(&diag.entries, k);
                fflush(stdout);
                fprintf(stderr, "softwarp: error: %s: %s\n", argv[i], e->text);
            }
        }
        sw_diag_finish(&diag);
        sw_arena_destroy(arena);
        sw_free(text);
    }
    return failed;
}
