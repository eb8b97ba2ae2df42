/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wgmma.c - forms of wgmma against what a real device computed.
 *
 *     wgmma [--every N] [--write FILE] [--values FILE] [--ptx FORM] [TABLE]
 *
 * Without --write every Nth form of TABLE (digests of the results, a row a
 * form) is computed again and compared. --values writes the first words of
 * each result, for who looks for what differs; --ptx prints a form's kernel. It
 * needs the driver API only, so that it runs on a real device as it is.
 */
#include <cuda.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

enum {
    A_BYTES = 8192, /* of shared memory, then those of b */
    SHARED_BYTES = 40960,
    THREADS = 128,
    REGS = 128,
    C_AT = SHARED_BYTES,
    A_AT = C_AT + THREADS * REGS * 4,
    META_AT = A_AT + THREADS * 4 * 4,
    IN_BYTES = META_AT + THREADS * 4,
    KINDS = 4,
    SHOWN = 8
};

typedef enum { F16, BF16, TF32, E4M3, E5M2, S8, U8, B1, F32, S32 } type;

static const struct {
    const char *name;
    unsigned bits, exponent, fraction;
} types[] = {
    [F16] = {"f16", 16, 5, 10},   [BF16] = {"bf16", 16, 8, 7},
    [TF32] = {"tf32", 32, 8, 23}, [E4M3] = {"e4m3", 8, 4, 3},
    [E5M2] = {"e5m2", 8, 5, 2},   [S8] = {"s8", 8, 0, 0},
    [U8] = {"u8", 8, 0, 0},       [B1] = {"b1", 1, 0, 0},
    [F32] = {"f32", 32, 8, 23},   [S32] = {"s32", 32, 0, 0},
};

typedef struct {
    type d, a, b;
} product;

static const product products[] = {
    {F32, F16, F16},   {F16, F16, F16},   {F32, BF16, BF16}, {F32, TF32, TF32},
    {F32, E4M3, E4M3}, {F32, E4M3, E5M2}, {F32, E5M2, E4M3}, {F32, E5M2, E5M2},
    {F16, E4M3, E4M3}, {F16, E5M2, E5M2}, {S32, S8, S8},     {S32, S8, U8},
    {S32, U8, S8},     {S32, U8, U8},     {S32, B1, B1},
};

/* swizzle: 0 none, 1 of 128 bytes, 2 of 64, 3 of 32, as a descriptor has it. */
typedef struct {
    bool a_reg, sparse, zero, sat;
    int neg_a, neg_b, trans_a, trans_b;
    unsigned swizzle_a, swizzle_b, selector;
} variant;

static const variant variants[] = {
    {0},
    {.a_reg = true},
    {.a_reg = true, .neg_a = 1, .swizzle_b = 1},
    {.swizzle_a = 1, .swizzle_b = 1},
    {.swizzle_a = 2, .swizzle_b = 3, .neg_b = 1},
    {.swizzle_a = 3, .swizzle_b = 2, .zero = true},
    {.trans_a = 1},
    {.trans_b = 1},
    {.trans_a = 1, .trans_b = 1, .swizzle_a = 1, .swizzle_b = 1},
    {.trans_a = 1, .trans_b = 1, .swizzle_a = 2, .swizzle_b = 3},
    {.trans_a = 1, .trans_b = 1, .swizzle_a = 3, .swizzle_b = 2},
    {.a_reg = true, .trans_b = 1, .swizzle_b = 1, .neg_a = 1, .neg_b = 1},
    {.sat = true, .swizzle_a = 1, .swizzle_b = 2},
    {.sparse = true},
    {.sparse = true, .selector = 1, .swizzle_a = 1, .swizzle_b = 1},
    {.sparse = true, .a_reg = true, .swizzle_b = 2},
    {.sparse = true,
     .a_reg = true,
     .selector = 1,
     .trans_b = 1,
     .swizzle_b = 1},
    {.sparse = true, .trans_a = 1, .trans_b = 1, .swizzle_a = 2},
};

static const unsigned columns[] = {8, 24, 128, 256};

typedef struct {
    product p;
    variant v;
    unsigned n;
    char name[96];
} form;

static unsigned
bits_of(const form *f)
{
    return types[f->p.a].bits;
}

/* Elements along k; a sparse a has half of them. */
static unsigned
length_of(const form *f)
{
    return 256 / bits_of(f) * (f->v.sparse ? 2 : 1);
}

static unsigned
registers_of(const form *f)
{
    return f->p.d == F16 ? f->n / 4 : f->n / 2;
}

static bool
make_form(form *f, unsigned number)
{
    enum { NS = sizeof columns / sizeof *columns };
    enum { VS = sizeof variants / sizeof *variants };
    enum { PS = sizeof products / sizeof *products };
    if (number >= NS * VS * PS)
        return false;
    f->n = columns[number % NS];
    f->v = variants[number / NS % VS];
    f->p = products[number / NS / VS];
    variant *v = &f->v;
    snprintf(
        f->name, sizeof f->name, "%sn%u.%s.%s.%s%s%s%s%s%s.sw%u%u.t%d%d.sel%u",
        v->sparse ? "sp." : "", f->n, types[f->p.d].name, types[f->p.a].name,
        types[f->p.b].name, v->a_reg ? ".reg" : "", v->neg_a ? ".na" : "",
        v->neg_b ? ".nb" : "", v->zero ? ".zero" : "", v->sat ? ".sat" : "",
        v->swizzle_a, v->swizzle_b, v->trans_a, v->trans_b, v->selector);
    return true;
}

/* Whether PTX has it. */
static bool
exists(const form *f)
{
    const variant *v = &f->v;
    bool is_int = f->p.d == S32;
    if (bits_of(f) != 16 && (v->trans_a || v->trans_b))
        return false;
    if (v->sat && (!is_int || f->p.a == B1))
        return false;
    if (is_int && (v->neg_a || v->neg_b))
        return false;
    if (v->sparse && (f->p.a == B1 || (bits_of(f) == 8 && v->selector)))
        return false;
    return true;
}

/* ---- kernels ---- */

/* A descriptor without its address. rows: of a, or columns of b; length: bytes
 * of one, or elements if they lie across. */
static uint64_t
descriptor(unsigned swizzle, bool trans, unsigned rows, unsigned bytes)
{
    static const unsigned widths[] = {0, 128, 64, 32};
    uint64_t leading, stride, width = widths[swizzle];
    if (!trans && !width) {
        leading = 128;
        stride = bytes / 16 * 128;
    } else if (!trans) {
        leading = rows * width;
        stride = 8 * width;
    } else if (!width) {
        stride = 128;
        leading = rows / 8 * 128;
    } else {
        leading = width * bytes / 2;
        stride = 8 * width;
    }
    return (leading >> 4) << 16 | (stride >> 4) << 32 | (uint64_t)swizzle << 62;
}

static void
put_list(text *t, const char *prefix, unsigned count)
{
    put(t, "{");
    for (unsigned i = 0; i < count; i++)
        put(t, "%s%%%s%u", i ? ", " : "", prefix, i);
    put(t, "}");
}

static void
put_product(text *t, const form *f)
{
    const variant *v = &f->v;
    put(t, "wgmma.mma_async%s.sync.aligned.m64n%uk%u%s.%s.%s.%s%s ",
        v->sparse ? ".sp" : "", f->n, length_of(f), v->sat ? ".satfinite" : "",
        types[f->p.d].name, types[f->p.a].name, types[f->p.b].name,
        f->p.a == B1 ? ".and.popc" : "");
    put_list(t, "d", registers_of(f));
    put(t, ", ");
    if (v->a_reg)
        put_list(t, "a", 4);
    else
        put(t, "%%rd3");
    put(t, ", %%rd4");
    if (v->sparse)
        put(t, ", %%m, %u", v->selector);
    put(t, ", %%p");
    if (f->p.d != S32)
        put(t, ", %d, %d", v->neg_a ? -1 : 1, v->neg_b ? -1 : 1);
    if (bits_of(f) == 16 && !v->a_reg)
        put(t, ", %d", v->trans_a);
    if (bits_of(f) == 16)
        put(t, ", %d", v->trans_b);
    put(t, ";\n");
}

static void
put_kernel(text *t, const form *f)
{
    unsigned regs = registers_of(f);
    const variant *v = &f->v;
    unsigned bytes = length_of(f) * bits_of(f) / 8;
    t->n = 0;
    put(t,
        ".version 8.4\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .pred %%p, %%q;\n.reg .b32 %%d<%u>, %%a<4>, %%r<8>, %%m;\n"
        ".reg .b64 %%rd<8>;\n.shared .align 1024 .b8 sm[%d];\n",
        regs, SHARED_BYTES);
    put(t,
        "ld.param.u64 %%rd0, [in];\ncvta.to.global.u64 %%rd0, %%rd0;\n"
        "ld.param.u64 %%rd1, [out];\ncvta.to.global.u64 %%rd1, %%rd1;\n"
        "mov.u32 %%r0, %%tid.x;\nshl.b32 %%r1, %%r0, 2;\n"
        "mov.u32 %%r2, sm;\n"
        "L:\ncvt.u64.u32 %%rd2, %%r1;\nadd.s64 %%rd2, %%rd2, %%rd0;\n"
        "ld.global.b32 %%r3, [%%rd2];\nadd.u32 %%r4, %%r2, %%r1;\n"
        "st.shared.b32 [%%r4], %%r3;\nadd.u32 %%r1, %%r1, %d;\n"
        "setp.lt.u32 %%q, %%r1, %d;\n@%%q bra L;\n"
        "fence.proxy.async;\nbar.sync 0;\n",
        THREADS * 4, SHARED_BYTES);
    put(t, "mad.wide.u32 %%rd2, %%r0, %u, %%rd0;\n", regs * 4);
    for (unsigned i = 0; i < regs; i++)
        put(t, "ld.global.b32 %%d%u, [%%rd2+%u];\n", i, C_AT + 4 * i);
    put(t, "mad.wide.u32 %%rd2, %%r0, 16, %%rd0;\n");
    for (unsigned i = 0; i < 4; i++)
        put(t, "ld.global.b32 %%a%u, [%%rd2+%u];\n", i, A_AT + 4 * i);
    put(t,
        "mad.wide.u32 %%rd2, %%r0, 4, %%rd0;\n"
        "ld.global.b32 %%m, [%%rd2+%u];\n"
        "and.b32 %%r5, %%r2, 0x3ffff;\nshr.u32 %%r5, %%r5, 4;\n"
        "cvt.u64.u32 %%rd5, %%r5;\nor.b64 %%rd3, %%rd5, %" PRIu64 ";\n"
        "add.s64 %%rd5, %%rd5, %d;\nor.b64 %%rd4, %%rd5, %" PRIu64 ";\n"
        "setp.eq.u32 %%p, %%r0, %s;\n",
        META_AT,
        descriptor(v->swizzle_a, v->trans_a, 64, bytes / (v->sparse ? 2 : 1)),
        A_BYTES >> 4, descriptor(v->swizzle_b, v->trans_b, f->n, bytes),
        v->zero ? "-1" : "%r0");
    put(t, "wgmma.fence.sync.aligned;\n");
    put_product(t, f);
    put(t,
        "wgmma.commit_group.sync.aligned;\n"
        "wgmma.wait_group.sync.aligned 0;\n"
        "mad.wide.u32 %%rd2, %%r0, %u, %%rd1;\n",
        regs * 4);
    for (unsigned i = 0; i < regs; i++)
        put(t, "st.global.b32 [%%rd2+%u], %%d%u;\n", 4 * i, i);
    put(t, "ret;\n}\n");
}

/* ---- inputs ---- */

/* kind: 0 numbers about 1; 1 all finite; 2 as 0, and a few of all; 3 the
 * smallest. */
static uint32_t
draw_number(type t, unsigned kind, bool is_sum)
{
    unsigned e = types[t].exponent, m = types[t].fraction;
    uint32_t any = draw(), top = (1u << e) - 1, bias = top / 2;
    uint32_t low = any & ((1u << m) - 1), sign = any >> 31 << (e + m);
    uint32_t at = draw();
    if (!e) /* integers: sums that overflow, or do not */
        return is_sum && kind == 0 ? (uint32_t)((int32_t)any >> 12) : any;
    if (kind == 2 && at % 128 == 0)
        return draw() & (uint32_t)((UINT64_C(1) << (e + m + 1)) - 1);
    if (kind == 1)
        at = is_sum && t == F32 ? 60 + at % 120 : at % top;
    else if (kind == 3)
        at = is_sum && t == F32 ? 77 + at % 30 : at % 3;
    else
        at = bias - 2 + at % 5;
    return sign | at << m | low;
}

static void
fill(uint8_t *p, unsigned bytes, type t, unsigned kind, bool is_sum)
{
    unsigned width = types[t].bits < 8 ? 1 : types[t].bits / 8;
    for (unsigned i = 0; i < bytes; i += width) {
        uint32_t v = draw_number(t, kind, is_sum);
        memcpy(p + i, &v, width);
    }
}

/* Which two of four elements there are: pairs in order, as PTX wants them. */
static void
fill_metadata(uint8_t *p, const form *f)
{
    static const uint8_t pairs[] = {4, 8, 12, 9, 13, 14}, halves[] = {4, 14};
    bool wide = bits_of(f) == 32;
    for (unsigned i = 0; i < THREADS * 4; i++) {
        uint32_t low = draw(), high = draw();
        p[i] = wide ? (uint8_t)(halves[low % 2] | halves[high % 2] << 4)
                    : (uint8_t)(pairs[low % 6] | pairs[high % 6] << 4);
    }
}

static void
make_input(uint8_t *in, const form *f, unsigned kind)
{
    state = kind + 1;
    for (const char *p = f->name; *p; p++)
        state = state * 31 + (unsigned char)*p;
    fill(in, A_BYTES, f->p.a, kind, false);
    fill(in + A_BYTES, SHARED_BYTES - A_BYTES, f->p.b, kind, false);
    fill(in + C_AT, A_AT - C_AT, f->p.d, kind, true);
    fill(in + A_AT, META_AT - A_AT, f->p.a, kind, false);
    fill_metadata(in + META_AT, f);
}

/* ---- runs ---- */

typedef struct {
    CUdeviceptr in, out;
    uint8_t *data;
    uint32_t *words;
    text kernel;
} bench;

static bool
compute(bench *b, const form *f, uint32_t digest[KINDS], FILE *values)
{
    CUmodule module;
    CUfunction k;
    put_kernel(&b->kernel, f);
    CUresult r = cuModuleLoadData(&module, b->kernel.text);
    if (r)
        return fail(f->name, r);
    r = cuModuleGetFunction(&k, module, "k");
    size_t words = (size_t)THREADS * registers_of(f);
    for (unsigned kind = 0; !r && kind < KINDS; kind++) {
        make_input(b->data, f, kind);
        void *args[] = {&b->in, &b->out};
        r = cuMemcpyHtoD(b->in, b->data, IN_BYTES);
        if (!r)
            r = cuLaunchKernel(k, 1, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL);
        if (!r)
            r = cuMemcpyDtoH(b->words, b->out, words * 4);
        uint32_t d = 2166136261u;
        for (size_t i = 0; i < words; i++)
            d = (d ^ b->words[i]) * 16777619u, d ^= d >> 15;
        digest[kind] = d;
        for (unsigned i = 0; values && i < SHOWN; i++)
            fprintf(values, "%s%08" PRIx32, i ? " " : "", b->words[i]);
        if (values)
            fprintf(values, " %s %u\n", f->name, kind);
    }
    cuModuleUnload(module);
    return !r || fail(f->name, r);
}

static bool
open_device(bench *b)
{
    CUdevice device;
    CUcontext context;
    CUresult r = cuInit(0);
    if (!r)
        r = cuDeviceGet(&device, 0);
    if (!r)
        r = cuDevicePrimaryCtxRetain(&context, device);
    if (!r)
        r = cuCtxSetCurrent(context);
    if (!r)
        r = cuMemAlloc(&b->in, IN_BYTES);
    if (!r)
        r = cuMemAlloc(&b->out, THREADS * REGS * 4);
    b->data = malloc(IN_BYTES);
    b->words = malloc(THREADS * REGS * 4);
    return !r || fail("the device", r);
}

static bool
next_form(form *f, unsigned *number)
{
    while (make_form(f, (*number)++))
        if (exists(f))
            return true;
    return false;
}

static int
write_table(bench *b, const char *path, const char *values_path)
{
    FILE *out = fopen(path, "w");
    FILE *values = values_path ? fopen(values_path, "w") : NULL;
    unsigned number = 0, failed = 0;
    form f;
    if (!out)
        return 2;
    while (next_form(&f, &number)) {
        uint32_t d[KINDS] = {0};
        if (!compute(b, &f, d, values)) {
            failed++;
            continue;
        }
        fprintf(out, "%s", f.name);
        for (unsigned k = 0; k < KINDS; k++)
            fprintf(out, ",%08" PRIx32, d[k]);
        fprintf(out, "\n");
    }
    fclose(out);
    if (values)
        fclose(values);
    printf("%u forms failed\n", failed);
    return failed != 0;
}

static int
compare_table(bench *b, const char *path, unsigned every, FILE *values)
{
    FILE *table = fopen(path, "r");
    unsigned number = 0, compared = 0, differ = 0, row = 0;
    char line[256], want[256];
    form f;
    if (!table) {
        printf("%s cannot be read\n", path);
        return 2;
    }
    while (next_form(&f, &number) && fgets(line, sizeof line, table)) {
        uint32_t d[KINDS] = {0};
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, f.name, strcspn(line, ","))) {
            printf("%s: the table has %s here\n", f.name, line);
            return 2;
        }
        if (row++ % every)
            continue;
        bool ok = compute(b, &f, d, values);
        int n = snprintf(want, sizeof want, "%s", f.name);
        for (unsigned k = 0; k < KINDS; k++)
            n += snprintf(want + n, sizeof want - (size_t)n, ",%08" PRIx32,
                          d[k]);
        compared++;
        if (!ok || strcmp(line, want)) {
            differ++;
            printf("differs: %s\n  a device: %s\n", want, line);
        }
    }
    fclose(table);
    printf("wgmma: %u passed, %u failed\n", compared - differ, differ);
    return differ || !compared;
}

int
main(int argc, char **argv)
{
    static bench b;
    const char *write = NULL, *values = NULL, *table = NULL, *ptx = NULL;
    unsigned every = 1, number = 0;
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (more && !strcmp(argv[i], "--every"))
            every = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (more && !strcmp(argv[i], "--write"))
            write = argv[++i];
        else if (more && !strcmp(argv[i], "--values"))
            values = argv[++i];
        else if (more && !strcmp(argv[i], "--ptx"))
            ptx = argv[++i];
        else
            table = argv[i];
    }
    form f;
    while (ptx && next_form(&f, &number)) {
        if (strcmp(ptx, f.name) && strcmp(ptx, "all"))
            continue;
        put_kernel(&b.kernel, &f);
        printf("%s", b.kernel.text);
    }
    if (ptx)
        return 0;
    if ((!table && !write) || !every) {
        printf("usage: wgmma [--every N] [--write FILE] [--values FILE] "
               "[--ptx FORM] [TABLE]\n");
        return 2;
    }
    if (!open_device(&b))
        return 1;
    if (write)
        return write_table(&b, write, values);
    FILE *shown = values ? fopen(values, "w") : NULL;
    int rc = compare_table(&b, table, every, shown);
    if (shown)
        fclose(shown);
    return rc;
}
