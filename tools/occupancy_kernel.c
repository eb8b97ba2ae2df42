/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy_kernel.c - the kernels of a file and what they need: registers
 * from machine code where the device has some, else estimated from PTX; shared
 * memory and launch bounds from PTX, else from machine code.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/exec.h"
#include "front/fatbin/cubin.h"
#include "front/fatbin/fatbin.h"
#include "front/ptx/ptx.h"
#include "occupancy.h"
#include "rt/module.h"
#include "tools.h"

enum { EM_CUDA_ = 190 };

typedef struct {
    sw_arena *arena;
    const sw_cc_limits *limits;
    uint32_t max_registers;
    sw_vec *out; /* occ_kernel */
    sw_diag *diag;
} reader;

static occ_kernel *
kernel_named(reader *r, const char *name)
{
    for (size_t i = 0; i < r->out->count; i++) {
        occ_kernel *k = sw_vec_at(r->out, i);
        if (!strcmp(k->name, name))
            return k;
    }
    occ_kernel *k = sw_vec_push(r->out);
    *k = (occ_kernel){.name = sw_arena_str(r->arena, sw_str_of(name))};
    return k;
}

static uint32_t
product(const uint32_t n[3])
{
    uint64_t all = (uint64_t)(n[0] ? n[0] : 1) * (n[1] ? n[1] : 1);
    all = n[0] && all <= UINT32_MAX ? all * (n[2] ? n[2] : 1) : 0;
    return all <= UINT32_MAX ? (uint32_t)all : 0;
}

/* Registers and shared memory of a kernel with all that it calls. */
static void
measure(const reader *r, const sw_fn *fn, occ_kernel *k)
{
    sw_program *program = NULL;
    sw_diag diag; /* a callee that is elsewhere only leaves numbers out */
    sw_diag_init(&diag);
    k->has_ptx = true;
    k->threads = product(fn->reqntid);
    k->is_required = k->threads != 0;
    if (!k->threads)
        k->threads = product(fn->maxntid);
    sw_registers taken = sw_rt_registers(fn, r->limits, r->max_registers);
    k->estimate = taken.registers;
    k->spill_stores = taken.spill_stores;
    k->spill_loads = taken.spill_loads;
    k->stack = taken.stack;
    if (sw_program_create(&sw_backend_interp, fn, 0, &diag, &program) ==
        SW_OK) {
        const sw_program_info *info = sw_program_get_info(program);
        k->static_smem = info->static_shared_bytes;
    }
    sw_program_destroy(program);
    sw_diag_finish(&diag);
}

/* PTX parts that belong together. */
static bool
read_parts(reader *r, const sw_vec *images, const char *path)
{
    sw_vec parts;
    sw_diag unresolved;
    bool good = true;
    sw_vec_init(&parts, sizeof(sw_module *));
    sw_diag_init(&unresolved);
    for (size_t i = 0; good && i < images->count; i++) {
        const sw_fatbin_entry *e =
            *(const sw_fatbin_entry *const *)sw_vec_at(images, i);
        sw_module *part = sw_ptx_parse(path, e->data.p, e->data.n, r->diag);
        good = part != NULL;
        if (part)
            *(sw_module **)sw_vec_push(&parts) = part;
    }
    if (good)
        (void)sw_ir_link(parts.data, parts.count, &unresolved);
    for (size_t i = 0; i < parts.count; i++) {
        const sw_module *part = *(sw_module **)sw_vec_at(&parts, i);
        for (uint32_t f = 0; good && f < part->fn_count; f++)
            if (part->fns[f]->is_entry)
                measure(r, part->fns[f], kernel_named(r, part->fns[f]->name));
    }
    for (size_t i = 0; i < parts.count; i++)
        sw_module_destroy(*(sw_module **)sw_vec_at(&parts, i));
    sw_diag_finish(&unresolved);
    sw_vec_finish(&parts);
    return good;
}

/* A device runs machine code of its own major version that is not newer. */
static bool
is_code_for(const sw_fatbin_entry *e, uint32_t cc)
{
    return e->kind == SW_FATBIN_ELF && e->arch / 10 == cc / 10 &&
           e->arch <= cc && (e->variant != 'a' || e->arch == cc);
}

static bool
read_code(reader *r, const sw_fatbin_entry *e, const char *path)
{
    sw_str bytes = {"", 0};
    sw_elf elf;
    sw_cubin_kernel code;
    uint32_t it = 0;
    if (sw_fatbin_unpack(r->arena, e, &bytes, r->diag) ||
        sw_elf_open(bytes, path, &elf, r->diag))
        return false;
    while (sw_cubin_next_kernel(&elf, &it, &code)) {
        occ_kernel *k = kernel_named(r, sw_arena_str(r->arena, code.name));
        if (e->arch >= k->code_arch && code.registers &&
            is_code_for(e, r->limits->cc)) {
            k->registers = code.registers;
            k->code_arch = e->arch;
        }
        if (!k->has_ptx) {
            k->static_smem = code.static_smem;
            k->threads = product(code.max_block);
        }
    }
    return true;
}

/* A container whose modules are linked with each other (is_linked) or not. */
static bool
read_container(reader *r, const sw_fatbin *f, const char *path, bool is_linked)
{
    sw_vec images;
    bool good = true;
    sw_vec_init(&images, sizeof(const sw_fatbin_entry *));
    for (uint32_t m = 0; good && m < f->modules; m++) {
        const sw_fatbin_entry *e = sw_fatbin_choose(f, m, (int)r->limits->cc);
        if (e)
            *(const sw_fatbin_entry **)sw_vec_push(&images) = e;
        if (images.count && (!is_linked || m + 1 == f->modules)) {
            good = read_parts(r, &images, path);
            sw_vec_clear(&images);
        }
    }
    sw_vec_finish(&images);
    for (uint32_t i = 0; good && i < f->count; i++)
        if (f->entries[i].kind == SW_FATBIN_ELF)
            good = read_code(r, &f->entries[i], path);
    return good;
}

static bool
read_host(reader *r, const sw_elf *elf, const char *path)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sw_elf_section section;
        sw_fatbin f;
        if (!sw_elf_find_section(elf, names[i], &section) || !section.bytes.n)
            continue;
        if (sw_fatbin_parse(r->arena, section.bytes.p, section.bytes.n, &f,
                            r->diag) ||
            !read_container(r, &f, path, i == 1))
            return false;
    }
    return true;
}

static bool
read_bytes(reader *r, sw_str bytes, const char *path)
{
    sw_elf elf;
    sw_fatbin f;
    if (sw_elf_is(bytes)) {
        if (sw_elf_open(bytes, path, &elf, r->diag))
            return false;
        if (elf.machine != EM_CUDA_)
            return read_host(r, &elf, path);
    }
    return sw_fatbin_parse(r->arena, bytes.p, bytes.n, &f, r->diag) == SW_OK &&
           read_container(r, &f, path, false);
}

/* The PTX of a source of CUDA or OpenCL, owned by caller (sw_free); NULL after
 * the compiler has said why on stderr. */
static char *
compile(const char *path, bool is_opencl, size_t *bytes)
{
    const char *folder = getenv("TMPDIR");
    char place[PATH_MAX], ptx[PATH_MAX + 16], *text = NULL;
    snprintf(place, sizeof place, "%s/softwarp-occupancy-XXXXXX",
             folder && *folder ? folder : "/tmp");
    if (!mkdtemp(place))
        return NULL;
    snprintf(ptx, sizeof ptx, "%s/kernels.ptx", place);
    char *source = sw_strdup(path);
    char cc[] = "cc", stop[] = "-ptx", to[] = "-o";
    char *cuda[] = {cc, stop, to, ptx, source, NULL};
    char *opencl[] = {cc, to, ptx, source, NULL};
    int rc = is_opencl ? sw_tool_clc(4, opencl) : sw_tool_cc(5, cuda);
    if (rc != 0 || sw_file_read(ptx, &text, bytes))
        text = NULL;
    sw_free(source);
    unlink(ptx);
    rmdir(place);
    return text;
}

uint32_t
occ_kernel_registers(const occ_kernel *k, uint32_t max_registers,
                     const char **source)
{
    bool is_bound = max_registers && k->registers > max_registers;
    bool is_read = k->registers && !(is_bound && k->estimate);
    *source = is_read       ? k->from_log ? "assembler output" : "machine code"
              : k->estimate ? "estimate"
                            : "unknown";
    return is_read ? k->registers : k->estimate;
}

bool
occ_kernels_read(const char *path, const sw_cc_limits *limits,
                 uint32_t max_registers, sw_arena *arena, sw_vec *out,
                 sw_diag *diag)
{
    size_t length = strlen(path), n = 0;
    const char *end = path + (length > 3 ? length - 3 : 0);
    bool is_opencl = !strcmp(end, ".cl");
    bool is_source = is_opencl || !strcmp(end, ".cu");
    char *text = NULL;
    if (access(path, R_OK) != 0 ||
        (!is_source && sw_file_read(path, &text, &n)))
        sw_diag_add(diag, SW_DIAG_ERROR, path, 0, 0, "it can't be read");
    else if (is_source && !(text = compile(path, is_opencl, &n)))
        sw_diag_add(diag, SW_DIAG_ERROR, path, 0, 0, "it does not compile");
    reader r = {.arena = arena,
                .limits = limits,
                .max_registers = max_registers,
                .out = out,
                .diag = diag};
    bool good = text != NULL;
    if (good && occ_is_log((sw_str){text, n}))
        occ_log_read((sw_str){text, n}, limits->cc, arena, out);
    else if (good)
        good = read_bytes(&r, (sw_str){text, n}, path);
    if (good && !out->count) {
        sw_diag_add(diag, SW_DIAG_ERROR, path, 0, 0, "it has no kernel");
        good = false;
    }
    sw_free(text);
    return good;
}
