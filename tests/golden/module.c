/* SPDX-License-Identifier: Apache-2.0 */
/* module.c - the PTX of a kernel that evaluates forms and digests results. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/golden.h"

static char *text;
static size_t used, room;

__attribute__((format(printf, 1, 2))) static void
put(const char *format, ...)
{
    for (;;) {
        va_list args;
        va_start(args, format);
        int n = vsnprintf(text + used, room - used, format, args);
        va_end(args);
        if (n >= 0 && used + (size_t)n < room) {
            used += (size_t)n;
            return;
        }
        room = room ? 2 * room : 1 << 16;
        text = realloc(text, room);
        if (!text)
            exit(2);
    }
}

static const char *
load_type(char reg)
{
    return reg == 'd' ? "b64" : reg == 'r' ? "b32" : "b16";
}

unsigned
golden_bytes(char reg)
{
    return reg == 'd' ? 8 : reg == 'r' ? 4 : 2;
}

static bool
mentions(const golden_form *const *forms, unsigned count, const char *what)
{
    for (unsigned i = 0; i < count; i++)
        if (strstr(forms[i]->body, what))
            return true;
    return false;
}

static bool
uses_shared(const golden_form *const *forms, unsigned count)
{
    return mentions(forms, count, "shared") ||
           mentions(forms, count, "%scell") || mentions(forms, count, "%srow");
}

/* What bodies may use. t, l, h, m: scratch; lane, me (the thread); c: this
 * lane's cell, w: its warp's, g: as a generic address; scell and srow: 16 bytes
 * of shared memory for each lane, and another lane's of the same warp; at:
 * where the inputs of a matrix begin; tex: a handle. */
static void
put_registers(const golden_form *f)
{
    put("  .reg .pred %%p<5>, %%more;\n  .reg .b16 %%h<4>;\n"
        "  .reg .b32 %%t<10>, %%m<24>, %%me, %%lane, %%i, %%n, %%step, %%o;\n"
        "  .reg .b32 %%cshared, %%wshared, %%scell, %%srow;\n"
        "  .reg .b64 %%l<6>, %%x<6>, %%at<3>, %%tex, %%digests, %%raw, %%n8;\n"
        "  .reg .b64 %%inputs, %%handles, %%cglobal, %%wglobal, %%clocal;\n"
        "  .reg .b64 %%gglobal, %%gshared, %%base<%d>;\n",
        GOLDEN_SOURCES);
    for (unsigned k = 0; k < f->source_count; k++) {
        char reg = f->source[k].type->reg;
        if (reg == 'p')
            put("  .reg .pred %%sp%u;\n", k);
        else
            put("  .reg .%s %%s%c%u;\n", load_type(reg), reg, k);
    }
}

static void
put_begin(const golden_form *const *forms, unsigned count)
{
    const golden_form *f = forms[0];
    put("  mov.u32 %%me, %%tid.x; mov.u32 %%lane, %%laneid;\n"
        "  mov.u32 %%t0, %%ctaid.x; mov.u32 %%t1, %%nctaid.x;\n"
        "  mad.lo.u32 %%i, %%t0, %d, %%me; mul.lo.u32 %%step, %%t1, %d;\n"
        "  ld.param.u64 %%inputs, [inputs]; ld.param.u64 %%handles, [handles];"
        "\n"
        "  ld.param.u64 %%digests, [digests]; ld.param.u64 %%raw, [raw];\n"
        "  ld.param.u32 %%n, [n]; mul.wide.u32 %%n8, %%n, 8;\n"
        "  ld.param.u64 %%l0, [cells];\n"
        "  mad.wide.u32 %%cglobal, %%i, %d, %%l0;\n"
        "  and.b32 %%t0, %%i, 0xffffffe0; mad.wide.u32 %%wglobal, %%t0, %d, "
        "%%l0;\n  mov.b64 %%gglobal, %%cglobal;\n",
        GOLDEN_BLOCK, GOLDEN_BLOCK, GOLDEN_CELL, GOLDEN_CELL);
    if (uses_shared(forms, count))
        put("  mov.u32 %%t1, shared_cells; mad.lo.u32 %%cshared, %%me, %d, "
            "%%t1;\n  and.b32 %%t0, %%me, 0xffffffe0;\n"
            "  mad.lo.u32 %%wshared, %%t0, %d, %%t1;\n"
            "  mad.lo.u32 %%scell, %%me, 16, %%t1;\n"
            "  mad.lo.u32 %%t2, %%me, 5, 3; and.b32 %%t2, %%t2, 31;\n"
            "  add.u32 %%t2, %%t2, %%t0; mad.lo.u32 %%srow, %%t2, 16, %%t1;\n"
            "  cvt.u64.u32 %%l0, %%cshared; cvta.shared.u64 %%gshared, "
            "%%l0;\n",
            GOLDEN_CELL, GOLDEN_CELL);
    if (mentions(forms, count, "%clocal"))
        put("  mov.u64 %%clocal, local_cell;\n");
    for (unsigned k = 0; k < f->source_count; k++)
        put("  ld.global.u64 %%base%u, [%%inputs+%u];\n", k, k * 8);
}

/* Sources from the fourth on share inputs: i ^ a constant. */
static void
put_loads(const golden_form *const *forms, unsigned count)
{
    const golden_form *f = forms[0];
    if (mentions(forms, count, "%at"))
        for (unsigned k = 0; k < f->source_count && k < 3; k++)
            put("  and.b32 %%t0, %%i, 0xffffffe0; mad.wide.u32 %%at%u, %%t0, "
                "2, %%base%u;\n",
                k, k);
    for (unsigned k = 0; k < f->source_count; k++) {
        char reg = f->source[k].type->reg;
        put("  xor.b32 %%o, %%i, %u; mad.wide.u32 %%l0, %%o, %u, %%base%u;\n",
            k < 4 ? 0 : k * 517 & (GOLDEN_SAMPLE - 1), golden_bytes(reg), k);
        if (reg == 'p')
            put("  ld.global.b16 %%h0, [%%l0]; setp.ne.b16 %%sp%u, %%h0, 0;\n",
                k);
        else
            put("  ld.global.%s %%s%c%u, [%%l0];\n", load_type(reg), reg, k);
    }
}

static void
put_form(const golden_form *f, unsigned index, unsigned first, bool raw)
{
    put("  { // %s\n", f->name);
    for (unsigned j = 0; j < f->result_count; j++) {
        char reg = f->result[j].type->reg;
        put("  .reg .%s %%d%c%u;\n", load_type(reg), reg, j);
    }
    if (strstr(f->body, "%tex"))
        put("  ld.global.u64 %%tex, [%%handles+%u];\n", index * 8);
    put("  %s\n", f->body);
    for (unsigned j = 0; j < f->result_count; j++) {
        char reg = f->result[j].type->reg;
        put(reg == 'd'   ? "  mov.b64 %%x1, %%d%c%u;\n"
            : reg == 'r' ? "  cvt.u64.u32 %%x1, %%d%c%u;\n"
                         : "  cvt.u64.u16 %%x1, %%d%c%u;\n",
            reg, j);
        if (raw)
            put("  mad.lo.u64 %%x2, %%n8, %u, %%raw; mad.wide.u32 %%x2, %%i, "
                "8, %%x2; st.global.u64 [%%x2], %%x1;\n",
                first + j);
        put("  xor.b64 %%x1, %%x1, %%x0; add.u64 %%x1, %%x1, %u;\n"
            "  mul.lo.u64 %%x1, %%x1, 0xBF58476D1CE4E5B9;\n"
            "  shr.u64 %%x2, %%x1, 32; xor.b64 %%x1, %%x1, %%x2;\n"
            "  mul.lo.u64 %%x1, %%x1, 0x94D049BB133111EB;\n"
            "  shr.u64 %%x2, %%x1, 29; xor.b64 %%x1, %%x1, %%x2;\n"
            "  add.u64 %%sum%u, %%sum%u, %%x1;\n",
            j, first + j, first + j);
    }
    put("  }\n");
}

const char *
golden_module(const golden_form *const *forms, unsigned count, bool raw)
{
    unsigned sums = 0, first = 0;
    used = 0;
    for (unsigned i = 0; i < count; i++)
        sums += forms[i]->result_count;
    put(".version 8.7\n.target sm_90\n.address_size 64\n"
        ".visible .entry golden(.param .u64 inputs, .param .u64 cells,\n"
        "    .param .u64 handles, .param .u64 digests, .param .u64 raw,\n"
        "    .param .u32 n)\n{\n");
    if (uses_shared(forms, count))
        put("  .shared .align 32 .b8 shared_cells[%d];\n",
            GOLDEN_BLOCK * GOLDEN_CELL);
    if (mentions(forms, count, "%clocal"))
        put("  .local .align 32 .b8 local_cell[%d];\n", GOLDEN_CELL);
    put_registers(forms[0]);
    put("  .reg .b64 %%sum<%u>;\n", sums);
    put_begin(forms, count);
    for (unsigned i = 0; i < sums; i++)
        put("  mov.b64 %%sum%u, 0;\n", i);
    put("again:\n  mul.wide.u32 %%x0, %%i, 0x9E3779B9; shl.b64 %%x0, %%x0, 20;"
        "\n");
    put_loads(forms, count);
    for (unsigned i = 0; i < count; i++) {
        put_form(forms[i], i, first, raw);
        first += forms[i]->result_count;
    }
    put("  add.u32 %%i, %%i, %%step; setp.lt.u32 %%more, %%i, %%n;\n"
        "  @%%more bra again;\n");
    first = 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < forms[i]->result_count; j++)
            put("  red.global.add.u64 [%%digests+%u], %%sum%u;\n",
                (i * GOLDEN_RESULTS + j) * 8, first++);
    put("  ret;\n}\n");
    return text;
}
