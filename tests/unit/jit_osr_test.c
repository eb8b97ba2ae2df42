/* SPDX-License-Identifier: Apache-2.0 */
/* jit_osr_test.c - registers of 32 lanes, brought to the forms that compiled
 * code expects where a warp comes in, and back. */
#include <string.h>

#include "check.h"
#include "jit/run/deopt.h"

enum { LANES = 32, HOME = 64, BYTES = HOME + 8 * LANES };

/* What a form's parts are: its c, v and d, of 32 lanes each. */
static int32_t table[3 * LANES];

typedef struct {
    _Alignas(64) uint8_t bytes[BYTES];
} frame;

static sw_jit_location
form_of(sw_shape_kind kind, uint8_t bytes)
{
    return (sw_jit_location){.frame_slot = HOME,
                             .bytes = bytes,
                             .kind = (uint8_t)kind,
                             .c = 0,
                             .v = LANES,
                             .d = 2 * LANES};
}

static void
put(frame *f, uint8_t bytes, unsigned lane, uint64_t x)
{
    memcpy(f->bytes + HOME + (size_t)lane * bytes, &x, bytes);
}

/* The lanes `live` are what they were after they were brought to the form. */
static bool
comes_back(const sw_jit_location *form, const frame *f, uint32_t live)
{
    frame g = *f;
    uint8_t *regs = g.bytes;
    sw_jit_location_parts parts;
    if (!sw_jit_contract(form, table, f->bytes, live, &parts))
        return false;
    memset(g.bytes, 0xa5, sizeof g.bytes);
    sw_jit_put_parts(form, &parts, g.bytes);
    sw_jit_expand(form, table, &regs, 0);
    for (unsigned i = 0; i < LANES; i++) {
        size_t at = HOME + (size_t)i * form->bytes;
        if (live >> i & 1)
            CHECK(memcmp(f->bytes + at, g.bytes + at, form->bytes) == 0);
    }
    return true;
}

CASE(uniform_registers)
{
    static const uint8_t sizes[] = {2, 4, 8};
    for (unsigned k = 0; k < 3; k++) {
        frame f = {{0}};
        sw_jit_location form = form_of(SW_SHAPE_UNIFORM, sizes[k]);
        for (unsigned i = 0; i < LANES; i++)
            put(&f, sizes[k], i, UINT64_C(0x1234567890abcdef));
        CHECK(comes_back(&form, &f, UINT32_MAX));
        put(&f, sizes[k], 3, 1);
        CHECK(!comes_back(&form, &f, UINT32_MAX));
        CHECK(comes_back(&form, &f, ~UINT32_C(8))); /* that lane has ended */
    }
}

CASE(predicates)
{
    frame f = {{0}};
    sw_jit_location form = form_of(SW_SHAPE_UNIFORM, 0);
    sw_jit_location_parts parts;
    memcpy(f.bytes + HOME, &(uint32_t){0x0f}, 4);
    CHECK(sw_jit_contract(&form, table, f.bytes, 0x0f, &parts));
    CHECK_EQ(parts.base[0], UINT32_MAX);
    CHECK(sw_jit_contract(&form, table, f.bytes, 0xf0, &parts));
    CHECK_EQ(parts.base[0], 0);
    CHECK(!sw_jit_contract(&form, table, f.bytes, 0x18, &parts));
}

/* base + i % 8 + s * (i / 8), as y * n + x of blocks of rows of 8. */
static void
fill_affine(frame *f, uint8_t bytes, uint64_t base, uint64_t s)
{
    for (int i = 0; i < LANES; i++) {
        table[i] = i % 8;
        table[LANES + i] = i / 8;
        put(f, bytes, (unsigned)i,
            base + (uint64_t)(i % 8) + s * (uint64_t)(i / 8));
    }
}

CASE(affine_registers)
{
    static const uint8_t sizes[] = {2, 4, 8};
    static const uint64_t strides[] = {0, 1, 1000, (uint64_t)-77,
                                       UINT64_C(0x123456789)};
    for (unsigned k = 0; k < 3; k++)
        for (unsigned n = 0; n < 5; n++) {
            frame f = {{0}};
            sw_jit_location form = form_of(SW_SHAPE_AFFINE, sizes[k]);
            fill_affine(&f, sizes[k], UINT64_C(0xfffffffff0), strides[n]);
            CHECK(comes_back(&form, &f, UINT32_MAX));
            CHECK(comes_back(&form, &f, 0x00ffff00));  /* v is 1 and 2 */
            CHECK(comes_back(&form, &f, 0x000000ff));  /* 0: s is no matter */
            CHECK(!comes_back(&form, &f, 0xff000000)); /* 3: s is not known */
            CHECK(!comes_back(&form, &f, 0x00ff00ff)); /* nor here, for sure */
            put(&f, sizes[k], 17, 5);
            CHECK(!comes_back(&form, &f, UINT32_MAX));
        }
}

/* base + scale * extend(n + i % 8 + s * (i / 8)) */
static void
fill_wide(frame *f, sw_jit_location *form, uint32_t n, uint32_t s)
{
    for (int i = 0; i < LANES; i++) {
        table[i] = i % 8;
        table[LANES + i] = i / 8;
        table[2 * LANES + i] = 3 * i;
        uint32_t x = n + (uint32_t)(i % 8) + s * (uint32_t)(i / 8);
        uint64_t wide = form->is_signed ? (uint64_t)(int64_t)(int32_t)x : x;
        put(f, 8, (unsigned)i,
            UINT64_C(0x7f0012345678) + 3 * (uint64_t)i +
                (uint64_t)form->scale * wide);
    }
}

CASE(wide_registers)
{
    static const uint32_t bases[] = {0, 5, 1000000, (uint32_t)-2000000};
    static const uint32_t strides[] = {0, 8, 1024, (uint32_t)-640};
    for (unsigned k = 0; k < 16; k++)
        for (int sign = 0; sign < 2; sign++) {
            frame f = {{0}};
            sw_jit_location form = form_of(SW_SHAPE_EXTENDED, 8);
            form.is_signed = sign;
            form.scale = sign ? 4 : 12;
            uint32_t n = bases[k / 4], s = strides[k % 4];
            if (!sign && (int32_t)s < 0)
                n += 100000; /* not around 0 */
            fill_wide(&f, &form, n, s);
            CHECK(comes_back(&form, &f, UINT32_MAX));
            CHECK(comes_back(&form, &f, 0x00ffff00));
            put(&f, 8, 9, UINT64_C(0x7f0012345679));
            CHECK(!comes_back(&form, &f, UINT32_MAX));
        }
}

/* Sums that wrap between two lanes: it may refuse, but not be wrong. */
CASE(wide_registers_that_wrap)
{
    frame f = {{0}};
    sw_jit_location form = form_of(SW_SHAPE_EXTENDED, 8);
    form.scale = 4;
    fill_wide(&f, &form, (uint32_t)-3, 8);
    CHECK(!comes_back(&form, &f, UINT32_MAX));
    CHECK(comes_back(&form, &f, 0x7)); /* before */
}

CASE(local_memory_there_and_back)
{
    uint32_t memory[LANES * 6], before[LANES * 6];
    for (uint32_t i = 0; i < LANES * 6; i++)
        memory[i] = before[i] = i * i;
    sw_jit_mix_local((uint8_t *)memory, 6 * sizeof *memory, LANES);
    CHECK_EQ(memory[LANES * 2 + 7], before[7 * 6 + 2]);
    sw_jit_sort_local((uint8_t *)memory, 6 * sizeof *memory, LANES);
    CHECK(memcmp(memory, before, sizeof memory) == 0);
}
