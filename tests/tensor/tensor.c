/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor.c - copies of tensors against what a real device made of them.
 *
 *     tensor [--every N] [--only FORM] [--write FILE] [--dump FILE] [TABLE]
 *     tensor --arguments [TABLE]
 *
 * Without --write every Nth row of TABLE (a form, where its box lies, a digest
 * of the result's first bytes) is done again and compared. --dump writes the
 * first bytes of each result, for who looks for what differs. --arguments says
 * what the driver answers to maps that cannot be. It needs the driver API only,
 * so that it runs on a real device as it is.
 */
#include <cuda.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder.h"

enum {
    TENSOR_BYTES = 1 << 18,
    BOX_BYTES = 16384,
    SHARED_BYTES = BOX_BYTES + 1024,
    THREADS = 128,
    PLACES = 6,  /* where each form puts its box */
    SEEN = 1024, /* bytes of a result that are compared */
    MOST = 5
};

typedef struct {
    const char *name;
    CUtensorMapDataType type;
    unsigned bytes;
    unsigned in_ptx; /* what tensormap.replace calls it */
    bool is_float, is_raw;
} element;

static const element elements[] = {
    {"u8", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 0, false, false},
    {"u16", CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, 1, false, false},
    {"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, 2, false, false},
    {"s32", CU_TENSOR_MAP_DATA_TYPE_INT32, 4, 3, false, false},
    {"u64", CU_TENSOR_MAP_DATA_TYPE_UINT64, 8, 4, false, false},
    {"s64", CU_TENSOR_MAP_DATA_TYPE_INT64, 8, 5, false, false},
    {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 6, true, true},
    {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 7, true, true},
    {"f32.ftz", CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 4, 8, true, true},
    {"f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, 9, true, true},
    {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, 10, true, true},
    {"tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4, 11, true, true},
    {"tf32.ftz", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, 4, 12, true, true},
};
enum { ELEMENTS = sizeof elements / sizeof *elements };

typedef enum { LOAD, STORE, REDUCE, MULTICAST, REPLACE, MODIFY } way;
static const char *const way_names[] = {"load",      "store",   "reduce",
                                        "multicast", "replace", "modify"};

typedef struct {
    way w;
    bool im2col;
    const element *e;
    const char *op;
    unsigned rank, swizzle, interleave, nan, shift, base;
    uint64_t dims[MOST], strides[MOST]; /* strides[i]: bytes of dim i */
    uint32_t box[MOST], step[MOST];
    int lower[3], upper[3];
    unsigned channels, pixels;
    uint32_t seed;
    char name[96];
} form;

static unsigned
below(unsigned n)
{
    return draw() % n;
}

/* ---- forms ---- */

static uint64_t
tensor_bytes(const form *f)
{
    return f->strides[f->rank - 1] * f->dims[f->rank - 1];
}

/* Bytes that a copy puts into shared memory. */
static unsigned
box_bytes(const form *f)
{
    unsigned n = f->e->bytes;
    if (f->im2col)
        return n * f->channels * f->pixels;
    for (unsigned i = 0; i < f->rank; i++)
        n *= i ? (f->box[i] + f->step[i] - 1) / f->step[i] : f->box[i];
    return n;
}

static void
make_tensor(form *f)
{
    unsigned unit = f->interleave == 2 ? 32 : 16, e = f->e->bytes;
    uint64_t most = TENSOR_BYTES - 128;
    f->dims[0] = 1 + below(96 / e + 24);
    if (f->interleave)
        f->dims[0] = unit / e * (1 + below(2));
    for (unsigned i = 1; i < f->rank; i++)
        f->dims[i] = 1 + below(i == 1 ? 12 : 7);
    for (;;) {
        f->strides[0] = e;
        for (unsigned i = 1; i < f->rank; i++) {
            uint64_t n = f->strides[i - 1] * f->dims[i - 1];
            f->strides[i] = (n + unit - 1) / unit * unit + unit * (i % 2);
        }
        if (tensor_bytes(f) <= most)
            return;
        f->dims[1 + below(f->rank - 1)] = 2;
    }
}

static void
make_box(form *f)
{
    static const unsigned spans[] = {256, 32, 64, 128};
    unsigned span = spans[f->swizzle], e = f->e->bytes;
    if (f->interleave)
        span = f->interleave == 2 ? 32 : 16;
    unsigned inner = span;
    if (!f->interleave && below(3) == 0)
        inner = 16 * (1 + below(span / 16));
    if (inner / e > 256)
        inner = 256 * e;
    f->box[0] = inner / e;
    f->channels = inner / e;
    f->step[0] = 1;
    for (unsigned i = 1; i < MOST; i++) {
        f->box[i] = 1 + below(i == 1 ? 9 : 4);
        f->step[i] = below(4) ? 1 : 1 + below(3);
    }
    while (box_bytes(f) > BOX_BYTES)
        f->box[1 + below(f->rank - 1)] = 1;
}

static void
make_pixels(form *f)
{
    unsigned spatial = f->rank - 2;
    f->pixels = 1 + below(40);
    while (box_bytes(f) > BOX_BYTES)
        f->pixels /= 2;
    for (unsigned i = 0; i < spatial; i++) {
        f->lower[i] = -(int)below(3);
        f->upper[i] = -(int)below(3) + (int)below(2);
        f->dims[1 + i] = 4 + below(6);
    }
    f->step[f->rank - 1] = 1;
    f->strides[0] = f->e->bytes;
    for (unsigned i = 1; i < f->rank; i++) {
        uint64_t n = f->strides[i - 1] * f->dims[i - 1];
        f->strides[i] = (n + 31) / 32 * 32;
    }
    while (tensor_bytes(f) > TENSOR_BYTES - 128)
        f->dims[f->rank - 1]--;
}

static void
finish_form(form *f, unsigned number)
{
    state = number * UINT64_C(7919) + 17;
    make_tensor(f);
    make_box(f);
    if (f->im2col)
        make_pixels(f);
    f->nan = f->e->is_float && below(2);
    f->shift = 128 * below(5);
    f->base = 32 * below(3);
    f->seed = draw();
    snprintf(f->name, sizeof f->name, "%u.%s%s%s%s.%ud.%s.sw%u.il%u.%s", number,
             way_names[f->w], f->im2col ? ".im2col" : "", f->op ? "." : "",
             f->op ? f->op : "", f->rank, f->e->name, f->swizzle, f->interleave,
             f->nan ? "nan" : "zero");
}

/* The families of forms, by ranges of their numbers. */
static const struct {
    const char *op;
    unsigned element;
} reductions[] = {
    {"add", 2},  {"add", 3}, {"add", 4}, {"add", 6}, {"add", 7}, {"add", 9},
    {"add", 10}, {"min", 2}, {"min", 3}, {"min", 4}, {"min", 5}, {"min", 6},
    {"min", 10}, {"max", 2}, {"max", 3}, {"max", 4}, {"max", 5}, {"max", 6},
    {"max", 10}, {"inc", 2}, {"dec", 2}, {"and", 2}, {"and", 4}, {"or", 2},
    {"or", 4},   {"xor", 2}, {"xor", 4}, {"add", 8}, {"add", 5}, {"and", 3},
};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

static const unsigned few[] = {0, 6, 7, 4};

static bool
make_form(form *f, unsigned number)
{
    unsigned n = number;
    memset(f, 0, sizeof *f);
    if (n < ELEMENTS * 20) { /* loads of tiles */
        f->e = &elements[n / 20];
        f->rank = 1 + n % 5;
        f->swizzle = n / 5 % 4;
    } else if ((n -= ELEMENTS * 20) < 80) { /* stores */
        f->w = STORE;
        f->e = &elements[few[n / 20]];
        f->rank = 1 + n % 5;
        f->swizzle = n / 5 % 4;
    } else if ((n -= 80) < REDUCTIONS * 2) {
        f->w = REDUCE;
        f->op = reductions[n / 2].op;
        f->e = &elements[reductions[n / 2].element];
        f->rank = 1 + n % 5;
        f->swizzle = n % 2 * 3;
    } else if ((n -= REDUCTIONS * 2) < 60) { /* slices of channels */
        f->e = &elements[few[n / 15]];
        f->rank = 3 + n % 3;
        f->interleave = n / 3 % 5 == 4 ? 2 : 1;
        f->swizzle = n / 3 % 5 == 4 ? 1 : n / 3 % 5;
        f->w = n % 7 == 6 ? STORE : LOAD;
    } else if ((n -= 60) < 96) { /* pixels */
        f->im2col = true;
        f->e = &elements[few[n / 12 % 3]];
        f->rank = 3 + n % 3;
        f->swizzle = n / 3 % 4;
        f->w = n % 8 == 7 ? STORE : LOAD;
    } else if ((n -= 96) < 12) { /* pixels of slices */
        f->im2col = true;
        f->e = &elements[few[n % 2]];
        f->rank = 3 + n / 4;
        f->interleave = 1 + n / 2 % 2;
        f->swizzle = f->interleave == 2;
    } else if ((n -= 12) < 20) {
        f->w = MULTICAST;
        f->e = &elements[few[n / 5]];
        f->rank = 1 + n % 5;
        f->swizzle = n % 4;
    } else if ((n -= 20) < 40) {
        f->w = n < 26 ? REPLACE : MODIFY;
        f->e = &elements[n % ELEMENTS];
        f->rank = 1 + n % 5;
        f->swizzle = n / 3 % 4;
    } else {
        return false;
    }
    finish_form(f, number);
    return true;
}

/* Where the box lies, and the offsets of pixels. */
static void
place_box(const form *f, unsigned place, int32_t at[8])
{
    state = f->seed + place;
    memset(at, 0, 8 * sizeof *at);
    for (unsigned i = 0; i < f->rank && place; i++) {
        int box = (int)f->box[i], dim = (int)f->dims[i];
        bool inside = f->im2col && (i == 0 || i + 1 == f->rank);
        at[i] = place == 1 || inside ? (int)below((unsigned)dim)
                                     : (int)below((unsigned)(dim + box)) - box;
    }
    /* A device calls any other an illegal instruction. */
    at[0] -= at[0] % (int)(16 / f->e->bytes);
    for (unsigned i = 0; f->im2col && i + 2 < f->rank; i++) {
        int size = (int)f->dims[1 + i] + f->upper[i] - f->lower[i];
        at[1 + i] = f->lower[i] + (place ? (int)below((unsigned)size) : 0);
        at[5 + i] = place > 1 && f->w == LOAD ? (int)below(4) : 0;
    }
}

/* ---- kernels ---- */

static void
put_place(text *t, const form *f)
{
    put(t, "[%%map, {");
    for (unsigned i = 0; i < f->rank; i++)
        put(t, "%s%%c%u", i ? ", " : "", i);
    put(t, "}]");
}

static void
put_inward(text *t, const form *f)
{
    put(t,
        "cp.async.bulk.tensor.%ud.shared::cluster.global%s"
        ".mbarrier::complete_tx::bytes%s [%%box], ",
        f->rank, f->im2col ? ".im2col" : ".tile",
        f->w == MULTICAST ? ".multicast::cluster" : "");
    put_place(t, f);
    put(t, ", [%%bar]");
    for (unsigned i = 0; f->im2col && i + 2 < f->rank; i++)
        put(t, "%s%%h%u%s", i ? ", " : ", {", i, i + 3 == f->rank ? "}" : "");
    if (f->w == MULTICAST)
        put(t, ", %%both");
    put(t, ";\n");
}

static void
put_outward(text *t, const form *f)
{
    put(t, "%s.%ud.global.shared::cta",
        f->op ? "cp.reduce.async.bulk.tensor" : "cp.async.bulk.tensor",
        f->rank);
    if (f->op)
        put(t, ".%s", f->op);
    put(t, "%s.bulk_group ", f->im2col ? ".im2col_no_offs" : ".tile");
    put_place(t, f);
    put(t, ", [%%box];\ncp.async.bulk.commit_group;\n"
           "cp.async.bulk.wait_group 0;\n");
}

/* ordinal: -1 for a field that has none. */
static void
put_field(text *t, const char *field, int ordinal, const char *value)
{
    bool wide = strcmp(field, "global_address") == 0 ||
                strcmp(field, "global_stride") == 0;
    put(t, "tensormap.replace.tile.%s.shared::cta.b1024.%s [%%new], ", field,
        wide ? "b64" : "b32");
    if (ordinal >= 0)
        put(t, "%d, ", ordinal);
    put(t, "%s;\n", value);
}

static void
put_number(text *t, const char *field, int ordinal, uint64_t value)
{
    bool wide = strcmp(field, "global_stride") == 0;
    put(t, "mov.%s %s, %" PRIu64 ";\n", wide ? "b64" : "b32",
        wide ? "%v64" : "%v32", value);
    put_field(t, field, ordinal, wide ? "%v64" : "%v32");
}

static void
put_kind(text *t, const char *field, unsigned value)
{
    char number[16];
    snprintf(number, sizeof number, "%u", value);
    put_field(t, field, -1, number);
}

/* All that a map of tiles has. */
static void
put_fields(text *t, const form *f)
{
    put_number(t, "rank", -1, f->rank - 1);
    for (unsigned i = 0; i < f->rank; i++) {
        put_number(t, "box_dim", (int)i, f->box[i]);
        put_number(t, "global_dim", (int)i, f->dims[i]);
        put_number(t, "element_stride", (int)i, f->step[i]);
    }
    for (unsigned i = 1; i < f->rank; i++)
        put_number(t, "global_stride", (int)i - 1, f->strides[i]);
    put_kind(t, "elemtype", f->e->in_ptx);
    put_kind(t, "interleave_layout", f->interleave);
    put_kind(t, "swizzle_mode", f->swizzle);
    put_kind(t, "fill_mode", f->nan);
}

/* A map made on the device, in shared memory, then in global memory. */
static void
put_map(text *t, const form *f)
{
    put(t, "mov.u32 %%r7, newmap;\ncvt.u64.u32 %%new, %%r7;\n"
           "shl.b32 %%r5, %%r0, 2;\nadd.u32 %%r5, %%r5, %%r7;\n"
           "cvt.u64.u32 %%rd7, %%r0;\nshl.b64 %%rd7, %%rd7, 2;\n"
           "add.s64 %%rd7, %%rd7, %%map;\n"
           "setp.lt.u32 %%q, %%r0, 32;\n@!%%q bra MADE;\n");
    put(t, f->w == REPLACE ? "mov.b32 %%r6, 0;\n" : "ld.b32 %%r6, [%%rd7];\n");
    put(t, "st.shared.b32 [%%r5], %%r6;\nbar.warp.sync -1;\n"
           "@!%%p bra FILLED;\n");
    put_field(t, "global_address", -1, "%base");
    if (f->w == MODIFY)
        put_number(t, "global_dim", 0, f->dims[0]);
    else
        put_fields(t, f);
    put(t, "FILLED:\nbar.warp.sync -1;\n"
           "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic"
           ".release.gpu.sync.aligned [%%scratch], [%%new], 128;\n"
           "fence.proxy.tensormap::generic.acquire.gpu [%%scratch], 128;\n"
           "MADE:\nmov.b64 %%map, %%scratch;\nbar.sync 0;\n");
}

static void
put_head(text *t, const form *f)
{
    bool many = f->w == MULTICAST;
    t->n = 0;
    put(t,
        ".version 8.4\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .align 64 .b8 desc[128], .param .u64 in, "
        ".param .u64 out, .param .u64 at, .param .u64 scratch, "
        ".param .u64 base)%s\n{\n"
        ".reg .pred %%p, %%q;\n.reg .b16 %%both, %%h<3>;\n"
        ".reg .b32 %%r<12>, %%c<5>, %%o<3>, %%box, %%bar, %%v32;\n"
        ".reg .b64 %%rd<8>, %%map, %%new, %%scratch, %%base, %%v64;\n"
        ".shared .align 1024 .b8 sm[%d];\n"
        ".shared .align 128 .b8 newmap[128];\n"
        ".shared .align 8 .b64 bar;\n",
        many ? "\n.explicitcluster\n.reqnctapercluster 2, 1, 1" : "",
        SHARED_BYTES);
    put(t,
        "ld.param.u64 %%rd0, [in];\nld.param.u64 %%rd1, [out];\n"
        "ld.param.u64 %%rd2, [at];\nld.param.u64 %%scratch, [scratch];\n"
        "ld.param.u64 %%base, [base];\n"
        "cvta.to.global.u64 %%rd0, %%rd0;\ncvta.to.global.u64 %%rd1, %%rd1;\n"
        "cvta.to.global.u64 %%rd2, %%rd2;\n"
        "mov.b64 %%rd3, desc;\ncvta.param.u64 %%map, %%rd3;\n"
        "mov.u32 %%r0, %%tid.x;\nsetp.eq.u32 %%p, %%r0, 0;\n"
        "mov.u32 %%r2, sm;\nadd.u32 %%box, %%r2, %u;\nmov.u32 %%bar, bar;\n"
        "mov.b16 %%both, 3;\n",
        f->shift);
    for (unsigned i = 0; i < 8; i++)
        put(t, "ld.global.b32 %%%c%u, [%%rd2+%u];\n", i < 5 ? 'c' : 'o',
            i < 5 ? i : i - 5, 4 * i);
    for (unsigned i = 0; i < 3; i++)
        put(t, "cvt.u16.u32 %%h%u, %%o%u;\n", i, i);
}

static void
put_kernel(text *t, const form *f)
{
    bool many = f->w == MULTICAST, out = f->w == STORE || f->w == REDUCE;
    put_head(t, f);
    put(t,
        "shl.b32 %%r1, %%r0, 2;\n"
        "L:\ncvt.u64.u32 %%rd4, %%r1;\nadd.s64 %%rd4, %%rd4, %%rd0;\n"
        "ld.global.b32 %%r3, [%%rd4];\nadd.u32 %%r4, %%r2, %%r1;\n"
        "st.shared.b32 [%%r4], %%r3;\nadd.u32 %%r1, %%r1, %d;\n"
        "setp.lt.u32 %%q, %%r1, %d;\n@%%q bra L;\n",
        THREADS * 4, SHARED_BYTES);
    if (f->w == REPLACE || f->w == MODIFY)
        put_map(t, f);
    put(t, "@%%p mbarrier.init.shared::cta.b64 [%%bar], 1;\n"
           "fence.mbarrier_init.release.cluster;\n"
           "fence.proxy.async;\nbar.sync 0;\n");
    if (many)
        put(t, "barrier.cluster.arrive.aligned;\n"
               "barrier.cluster.wait.aligned;\n");
    put(t, "mov.u32 %%r8, 0;\n@!%%p bra READY;\n");
    if (!out)
        put(t,
            "mbarrier.arrive.expect_tx.shared::cta.b64 %%rd5, [%%bar], %u;\n",
            box_bytes(f));
    if (many)
        put(t, "mov.u32 %%r9, %%cluster_ctarank;\n"
               "setp.ne.u32 %%q, %%r9, 0;\n@%%q bra READY;\n");
    if (out)
        put_outward(t, f);
    else
        put_inward(t, f);
    put(t, "READY:\n");
    if (!out)
        put(t, "W:\nmbarrier.try_wait.parity.shared::cta.b64 %%q, [%%bar], 0;\n"
               "@%%q bra DONE;\nadd.u32 %%r8, %%r8, 1;\n"
               "setp.lt.u32 %%q, %%r8, 1000000;\n@%%q bra W;\n"
               "mov.u32 %%r8, 0xffffffff;\nDONE:\n");
    put(t, "bar.sync 0;\n");
    if (many)
        put(t,
            "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
            "mov.u32 %%r9, %%cluster_ctarank;\n"
            "mul.wide.u32 %%rd4, %%r9, %d;\nadd.s64 %%rd1, %%rd1, %%rd4;\n",
            SHARED_BYTES);
    put(t,
        "shl.b32 %%r1, %%r0, 2;\n"
        "M:\ncvt.u64.u32 %%rd4, %%r1;\nadd.s64 %%rd4, %%rd4, %%rd1;\n"
        "add.u32 %%r4, %%r2, %%r1;\nld.shared.b32 %%r3, [%%r4];\n"
        "setp.eq.u32 %%q, %%r8, 0xffffffff;\n@%%q mov.u32 %%r3, 0xdeadbeef;\n"
        "st.global.b32 [%%rd4], %%r3;\nadd.u32 %%r1, %%r1, %d;\n"
        "setp.lt.u32 %%q, %%r1, %d;\n@%%q bra M;\nret;\n}\n",
        THREADS * 4, SHARED_BYTES);
}

/* ---- runs ---- */

typedef struct {
    CUdeviceptr tensor, in, out, at, scratch;
    uint32_t *data, *words;
    text kernel;
    FILE *dump;
} bench;

/* Words that say where they were, or, of numbers, any bits. */
static void
make_data(uint32_t *data, const form *f, unsigned bytes, uint32_t mark)
{
    static const uint16_t halves[] = {0x3c00, 0x4100, 0xbc80, 0x0003,
                                      0x7c00, 0x7e01, 0x8000, 0x3f81};
    state = f->seed ^ mark;
    bool any = f->e->is_raw || f->w == REDUCE;
    for (unsigned i = 0; i < bytes / 4; i++)
        data[i] = !any ? mark ^ i * 0x00010003u : draw();
    for (unsigned i = 0; any && i < bytes / 64; i++) /* a few special ones */
        data[below(bytes / 4)] = f->e->bytes == 2 ? halves[below(8)] * 0x10001u
                                 : below(2)
                                     ? draw() & 0x807fffff
                                     : 0x7f800000 | (draw() & 0x80ffffff);
}

static CUresult
make_map(CUtensorMap *map, const form *f, CUdeviceptr base)
{
    if (f->im2col)
        return cuTensorMapEncodeIm2col(
            map, f->e->type, f->rank, (void *)base, f->dims, f->strides + 1,
            f->lower, f->upper, f->channels, f->pixels, f->step,
            (CUtensorMapInterleave)f->interleave,
            (CUtensorMapSwizzle)f->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
            (CUtensorMapFloatOOBfill)f->nan);
    uint64_t dims[MOST];
    memcpy(dims, f->dims, sizeof dims);
    if (f->w == MODIFY) {
        dims[0] += 5;
        base += 64;
    }
    return cuTensorMapEncodeTiled(
        map, f->e->type, f->rank, (void *)base, dims, f->strides + 1, f->box,
        f->step, (CUtensorMapInterleave)f->interleave,
        (CUtensorMapSwizzle)f->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        (CUtensorMapFloatOOBfill)f->nan);
}

static uint32_t
digest_of(const uint32_t *words, size_t n)
{
    uint32_t d = 2166136261u;
    for (size_t i = 0; i < n; i++)
        d = (d ^ words[i]) * 16777619u, d ^= d >> 15;
    return d;
}

static CUresult
copy_box(bench *b, const form *f, CUfunction k, unsigned place,
         uint32_t *digest)
{
    CUtensorMap map;
    int32_t at[8];
    bool out = f->w == STORE || f->w == REDUCE, many = f->w == MULTICAST;
    CUdeviceptr base = b->tensor + f->base;
    CUresult r = make_map(&map, f, base);
    place_box(f, place, at);
    make_data(b->data, f, TENSOR_BYTES, 0);
    if (!r)
        r = cuMemcpyHtoD(b->tensor, b->data, TENSOR_BYTES);
    make_data(b->data, f, SHARED_BYTES, 0xa5000000);
    if (!r)
        r = cuMemcpyHtoD(b->in, b->data, SHARED_BYTES);
    if (!r)
        r = cuMemcpyHtoD(b->at, at, sizeof at);
    void *args[] = {&map, &b->in, &b->out, &b->at, &b->scratch, &base};
    if (!r)
        r = cuLaunchKernel(k, many ? 2 : 1, 1, 1, THREADS, 1, 1, 0, NULL, args,
                           NULL);
    size_t bytes = out ? TENSOR_BYTES : (many ? 2 : 1) * SHARED_BYTES;
    if (!r)
        r = cuMemcpyDtoH(b->words, out ? b->tensor : b->out, bytes);
    if (r)
        return r;
    unsigned from = out ? 0 : f->shift;
    *digest = digest_of(b->words + from / 4, SEEN / 4);
    for (unsigned i = 0; b->dump && i < SEEN / 4; i++)
        fprintf(b->dump, "%s%" PRIx32, i ? " " : "", b->words[from / 4 + i]);
    if (b->dump)
        fprintf(b->dump, " %s %u\n", f->name, place);
    return r;
}

static CUresult
load(bench *b, const form *f, CUmodule *module, CUfunction *k)
{
    put_kernel(&b->kernel, f);
    CUresult r = cuModuleLoadData(module, b->kernel.text);
    return r ? r : cuModuleGetFunction(k, *module, "k");
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
        r = cuMemAlloc(&b->tensor, TENSOR_BYTES);
    if (!r)
        r = cuMemAlloc(&b->in, SHARED_BYTES);
    if (!r)
        r = cuMemAlloc(&b->out, 2 * SHARED_BYTES);
    if (!r)
        r = cuMemAlloc(&b->at, 64);
    if (!r)
        r = cuMemAlloc(&b->scratch, 128);
    b->data = malloc(TENSOR_BYTES);
    b->words = malloc(TENSOR_BYTES);
    return !r || fail("the device", r);
}

/* A row of the table: a form, where its box lies, the digest. False: the
 * device is lost. */
static bool
make_row(bench *b, const form *f, unsigned place, char *row, size_t bytes)
{
    CUmodule module;
    CUfunction k;
    uint32_t d = 0;
    CUresult r = load(b, f, &module, &k);
    if (!r) {
        r = copy_box(b, f, k, place, &d);
        cuModuleUnload(module);
    }
    if (r)
        snprintf(row, bytes, "%s,%u,error %d", f->name, place, (int)r);
    else
        snprintf(row, bytes, "%s,%u,%08" PRIx32, f->name, place, d);
    return cuCtxSynchronize() == CUDA_SUCCESS;
}

/* Rows from number `first` on, until one ends in a fault, after which nothing
 * can be done in this process; the number of the next, or 0. */
static int
write_rows(bench *b, FILE *out, unsigned first)
{
    char row[256];
    form f;
    if (!open_device(b))
        return 0;
    for (unsigned i = first; make_form(&f, i / PLACES); i++) {
        bool ok = make_row(b, &f, i % PLACES, row, sizeof row);
        fprintf(out, "%s\n", row);
        fflush(out);
        if (!ok)
            return (int)i + 1;
    }
    return 0;
}

/* A process for all, and a new one after each fault. */
static int
write_table(bench *b, const char *path)
{
    FILE *out = fopen(path, "w");
    int next = 0, told[2];
    if (!out || pipe(told))
        return 2;
    do {
        pid_t child = fork();
        if (child == 0) {
            next = write_rows(b, out, (unsigned)next);
            bool ok = write(told[1], &next, sizeof next) == sizeof next;
            _exit(!ok);
        }
        int status = 1;
        if (child < 0 || waitpid(child, &status, 0) < 0 || status ||
            read(told[0], &next, sizeof next) != sizeof next)
            break;
    } while (next);
    fclose(out);
    return next != 0;
}

static int
compare_table(bench *b, const char *path, unsigned every, const char *only)
{
    FILE *table = fopen(path, "r");
    unsigned compared = 0, differ = 0, number = 0, place;
    char line[256], mine[256];
    form f;
    if (!table) {
        printf("%s cannot be read\n", path);
        return 2;
    }
    while (fgets(line, sizeof line, table)) {
        line[strcspn(line, "\n")] = '\0';
        const char *comma = strchr(line, ',');
        if (number++ % every || (only && !strstr(line, only)))
            continue;
        compared++;
        bool ok = comma && sscanf(comma, ",%u", &place) == 1 &&
                  make_form(&f, (unsigned)strtoul(line, NULL, 10)) &&
                  place < PLACES;
        if (ok)
            make_row(b, &f, place, mine, sizeof mine);
        if (ok && !strcmp(line, mine))
            continue;
        differ++;
        printf("differs: %s\n  a device: %s\n", ok ? mine : "no such form",
               line);
    }
    fclose(table);
    printf("tensor: %u passed, %u failed\n", compared - differ, differ);
    return differ || !compared;
}

/* ---- what the driver refuses ---- */

typedef struct {
    const char *what;
    unsigned type, rank, interleave, swizzle, promotion, fill;
    uint64_t base, dims[MOST], strides[MOST - 1];
    uint32_t box[MOST], step[MOST];
} arguments;

#define GOOD                                                                   \
    7, 3, 0, 0, 0, 0, 0, {64, 32, 16}, {256, 8192}, {16, 8, 4},                \
    {                                                                          \
        1, 1, 1                                                                \
    }

static const arguments good = {"good", GOOD};

/* A field of `good` that is another: where, bytes, value. */
typedef struct {
    const char *what;
    size_t at, bytes;
    uint64_t value;
} change;

#define OF(field) offsetof(arguments, field), sizeof good.field
static const change changes[] = {
    {"none", OF(rank), 3},
    {"rank 0", OF(rank), 0},
    {"rank 2", OF(rank), 2},
    {"rank 6", OF(rank), 6},
    {"type 13", OF(type), 13},
    {"type 16", OF(type), 16},
    {"interleave 1", OF(interleave), 1},
    {"interleave 2", OF(interleave), 2},
    {"interleave 3", OF(interleave), 3},
    {"swizzle 1", OF(swizzle), 1},
    {"swizzle 2", OF(swizzle), 2},
    {"swizzle 3", OF(swizzle), 3},
    {"swizzle 4", OF(swizzle), 4},
    {"swizzle 5", OF(swizzle), 5},
    {"swizzle 6", OF(swizzle), 6},
    {"swizzle 7", OF(swizzle), 7},
    {"promotion 3", OF(promotion), 3},
    {"promotion 4", OF(promotion), 4},
    {"fill 1", OF(fill), 1},
    {"fill 2", OF(fill), 2},
    {"base 16", OF(base), 16},
    {"base 8", OF(base), 8},
    {"base 2^57", OF(base), UINT64_C(1) << 57},
    {"dims[0] 0", OF(dims[0]), 0},
    {"dims[0] 2^32", OF(dims[0]), UINT64_C(1) << 32},
    {"dims[0] 2^32+1", OF(dims[0]), (UINT64_C(1) << 32) + 1},
    {"dims[0] 65", OF(dims[0]), 65},
    {"dims[1] 0", OF(dims[1]), 0},
    {"dims[1] 33", OF(dims[1]), 33},
    {"dims[2] 0", OF(dims[2]), 0},
    {"strides[0] 0", OF(strides[0]), 0},
    {"strides[0] 8", OF(strides[0]), 8},
    {"strides[0] 16", OF(strides[0]), 16},
    {"strides[0] 240", OF(strides[0]), 240},
    {"strides[0] 264", OF(strides[0]), 264},
    {"strides[0] 2^40", OF(strides[0]), UINT64_C(1) << 40},
    {"strides[0] 2^40-16", OF(strides[0]), (UINT64_C(1) << 40) - 16},
    {"strides[1] 16", OF(strides[1]), 16},
    {"box[0] 0", OF(box[0]), 0},
    {"box[0] 1", OF(box[0]), 1},
    {"box[0] 2", OF(box[0]), 2},
    {"box[0] 6", OF(box[0]), 6},
    {"box[0] 128", OF(box[0]), 128},
    {"box[0] 256", OF(box[0]), 256},
    {"box[0] 260", OF(box[0]), 260},
    {"box[1] 0", OF(box[1]), 0},
    {"box[1] 256", OF(box[1]), 256},
    {"box[1] 257", OF(box[1]), 257},
    {"step[0] 0", OF(step[0]), 0},
    {"step[0] 2", OF(step[0]), 2},
    {"step[0] 9", OF(step[0]), 9},
    {"step[1] 0", OF(step[1]), 0},
    {"step[1] 8", OF(step[1]), 8},
    {"step[1] 9", OF(step[1]), 9},
};

static CUresult
encode(CUtensorMap *map, const arguments *a)
{
    return cuTensorMapEncodeTiled(
        map, (CUtensorMapDataType)a->type, a->rank,
        (void *)(uintptr_t)(UINT64_C(1) << 32 | a->base), a->dims, a->strides,
        a->box, a->step, (CUtensorMapInterleave)a->interleave,
        (CUtensorMapSwizzle)a->swizzle, (CUtensorMapL2promotion)a->promotion,
        (CUtensorMapFloatOOBfill)a->fill);
}

/* Each wrong argument alone, then each two of them: some are wrong only
 * together. table: what a device's driver answered. */
static int
try_arguments(const char *table)
{
    enum { N = sizeof changes / sizeof *changes };
    static CUtensorMap map;
    FILE *in = table ? fopen(table, "r") : NULL;
    unsigned failed = 0, done = 0;
    for (unsigned i = 0; i < N; i++) {
        for (unsigned j = i; j < N; j++, done++) {
            char line[128], want[128] = "";
            arguments a = good;
            memcpy((char *)&a + changes[i].at, &changes[i].value,
                   changes[i].bytes);
            memcpy((char *)&a + changes[j].at, &changes[j].value,
                   changes[j].bytes);
            snprintf(line, sizeof line, "%s + %s: %d\n", changes[i].what,
                     changes[j].what, (int)encode(&map, &a));
            if (!table) {
                printf("%s", line);
                continue;
            }
            if (in && fgets(want, sizeof want, in) && !strcmp(line, want))
                continue;
            failed++;
            printf("differs: %s  a device: %s\n", line, want);
        }
    }
    if (in)
        fclose(in);
    if (table)
        printf("tensor_arguments: %u passed, %u failed\n", done - failed,
               failed);
    return failed != 0;
}

int
main(int argc, char **argv)
{
    static bench b;
    const char *write = NULL, *table = NULL, *only = NULL, *ptx = NULL;
    unsigned every = 1;
    bool refused = false;
    form f;
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (more && !strcmp(argv[i], "--every"))
            every = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (more && !strcmp(argv[i], "--write"))
            write = argv[++i];
        else if (more && !strcmp(argv[i], "--only"))
            only = argv[++i];
        else if (more && !strcmp(argv[i], "--ptx"))
            ptx = argv[++i];
        else if (more && !strcmp(argv[i], "--dump"))
            b.dump = fopen(argv[++i], "w");
        else if (!strcmp(argv[i], "--arguments"))
            refused = true;
        else
            table = argv[i];
    }
    for (unsigned i = 0; ptx && make_form(&f, i); i++) {
        if (!strstr(f.name, ptx))
            continue;
        put_kernel(&b.kernel, &f);
        printf("%s", b.kernel.text);
    }
    if (ptx)
        return 0;
    if ((!table && !write && !refused) || !every) {
        printf("usage: tensor [--every N] [--only FORM] [--write FILE] [--dump "
               "FILE] [--ptx FORM] [TABLE]\n");
        return 2;
    }
    if (!write && !open_device(&b))
        return 1;
    int rc = refused ? try_arguments(table)
             : write ? write_table(&b, write)
                     : compare_table(&b, table, every, only);
    if (b.dump)
        fclose(b.dump);
    return rc;
}
