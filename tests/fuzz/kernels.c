/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels.c - kernels that use any number as an address, in every instruction
 * that takes one (hostile.def): see fuzz.h.
 *
 * Addresses are of the host (what nobody may write, the stack, code), of an
 * allocation and far behind it, or no address at all. Nothing of the host may
 * change, and a context made after the fault works.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum {
    MOST_STATEMENTS = 5,
    TEXT_BYTES = 1 << 16,
    BUFFER_BYTES = 65536,
    ADDRESSES = 8 /* parameters and registers of each kind */
};

static const char *const hostile[] = {
#define HOSTILE(text) text,
#include "hostile.def"
};
enum { STATEMENTS = sizeof hostile / sizeof *hostile };

static const char header[] =
    ".version 8.7\n.target sm_90a\n.address_size 64\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 a);\n"
    ".extern .func free (.param .b64 a);\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
    ".const .align 16 .b8 words[64];\n"
    ".func called (.param .b64 x) {\n"
    "    .reg .u64 %x; ld.param.u64 %x, [x]; st.u32 [%x], 1; ret;\n}\n"
    ".visible .entry kernel(\n"
    "    .param .u64 a0, .param .u64 a1, .param .u64 a2, .param .u64 a3,\n"
    "    .param .u64 a4, .param .u64 a5, .param .u64 a6, .param .u64 a7)\n"
    "{\n"
    "    .reg .u64 %a<8>; .reg .u64 %w<4>; .reg .u32 %b<8>;\n"
    "    .reg .u32 %v<4>; .reg .u32 %c<2>; .reg .f32 %f<4>;\n"
    "    .reg .pred %p<4>; .reg .b128 %q; .reg .u32 %t;\n"
    "    .local .align 16 .b8 frame[256];\n"
    "    .shared .align 128 .b8 tile[2048];\n"
    "    shape: .callprototype _ (.param .b64 _);\n"
    "    mov.u32 %t, %tid.x; mov.u32 %c0, tile; mov.u32 %c1, tile;\n"
    "    mov.u32 %v0, %tid.x; mov.u32 %v1, 16; mov.u32 %v2, %laneid;\n"
    "    mov.u32 %v3, -1; mov.u64 %w0, 64; mov.u64 %w1, -1;\n"
    "    mov.f32 %f0, 0f3F000000; mov.f32 %f1, 0f7F800000;\n"
    "    setp.eq.u32 %p0, %t, 5; setp.ne.u32 %p1, %t, 5;\n";

typedef struct {
    size_t used;
    char text[TEXT_BYTES];
} output;

static void
put(output *to, const char *text)
{
    size_t n = strlen(text);
    if (to->used + n < sizeof to->text) {
        memcpy(to->text + to->used, text, n + 1);
        to->used += n;
    }
}

/* A statement, its capital letters replaced by registers and numbers. */
static void
put_statement(fuzz *f, output *to, const char *text)
{
    static const char *const numbers[] = {"0",    "1",           "-8",
                                          "4096", "-2147483648", "2147483647"};
    static const char kinds[] = "ABCVWFP";
    static const unsigned counts[] = {8, 8, 2, 4, 4, 4, 4};
    char before = 0;
    for (; *text; before = *text++) {
        char word[16] = {*text, 0};
        const char *kind = strchr(kinds, *text);
        bool alone = before != '.' && before != ':' && before != '_' &&
                     !(before >= 'A' && before <= 'Z') &&
                     !(text[1] >= 'A' && text[1] <= 'Z') &&
                     !(text[1] >= '0' && text[1] <= '9');
        if (alone && kind)
            snprintf(word, sizeof word, "%%%c%u", *kind + 'a' - 'A',
                     (unsigned)fuzz_random(f, counts[kind - kinds]));
        else if (alone && *text == 'N')
            snprintf(word, sizeof word, "%s", numbers[fuzz_random(f, 6)]);
        put(to, word);
    }
}

static void
write_kernel(fuzz *f, output *to)
{
    char line[160];
    unsigned n = 1 + (unsigned)fuzz_random(f, MOST_STATEMENTS);
    to->used = 0;
    put(to, header);
    for (unsigned i = 0; i < ADDRESSES; i++) {
        static const unsigned strides[] = {0, 0, 4, 8, 16, 1, 4096, 1 << 20};
        snprintf(line, sizeof line,
                 "    ld.param.u64 %%a%u, [a%u]; mad.wide.u32 %%a%u, %%t, %u, "
                 "%%a%u; cvt.u32.u64 %%b%u, %%a%u;\n",
                 i, i, i, strides[fuzz_random(f, 8)], i, i, i);
        put(to, line);
    }
    put(to, "    ways: .branchtargets ONE, END;\n");
    for (unsigned i = 0; i < n; i++) {
        if (i == n / 2)
            put(to, "ONE:\n");
        put(to, "    ");
        const char *text = hostile[fuzz_random(f, STATEMENTS)];
        if (*text != '@' && !strchr(text, '{') && fuzz_chance(f, 25))
            put(to, fuzz_chance(f, 50) ? "@%p0 " : "@%p1 ");
        put_statement(f, to, text);
        put(to, "\n");
    }
    put(to, "END:\n    ret;\n}\n");
}

static void
play(fuzz *f)
{
    static output text;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr buffer, freed;
    int local;
    write_kernel(f, &text);
    if (f->prints)
        printf("%s\n", text.text);
    fuzz_note(f, "loading");
    f->record->calls++;
    CUresult result = cuModuleLoadData(&module, text.text);
    f->record->steps++;
    if (result != CUDA_SUCCESS) {
        f->record->refused++;
        return;
    }
    if (cuMemAlloc(&buffer, BUFFER_BYTES) != CUDA_SUCCESS ||
        cuMemAlloc(&freed, BUFFER_BYTES) != CUDA_SUCCESS ||
        cuMemFree(freed) != CUDA_SUCCESS ||
        cuModuleGetFunction(&kernel, module, "kernel") != CUDA_SUCCESS)
        fuzz_fail("a context that is new does not work");
    const uint64_t addresses[] = {buffer,
                                  buffer + BUFFER_BYTES - 4,
                                  (uint64_t)(uintptr_t)fuzz_canary,
                                  (uint64_t)(uintptr_t)fuzz_host,
                                  (uint64_t)(uintptr_t)&local,
                                  (uint64_t)(uintptr_t)&getenv,
                                  freed,
                                  buffer + (UINT64_C(1) << 33),
                                  (uint64_t)(uintptr_t)f->record,
                                  0,
                                  64,
                                  2040,
                                  UINT32_MAX - 3,
                                  UINT64_MAX - 7,
                                  UINT64_C(1) << 63};
    fuzz_note(f, "launching");
    fuzz_device_launch(f, kernel, addresses,
                       sizeof addresses / sizeof *addresses);
    fuzz_device_wait(f);
    (void)cuModuleUnload(module); /* neither is there after a fault */
    (void)cuMemFree(buffer);
}

const fuzz_kind fuzz_kernels = {"kernels", 50, fuzz_device_begin, play};
