/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numerics_test.c - the rules of opt/numerics.def, each on values computed by
 * hand, for each generation that differs; and the bounds of the OpenCL guide
 * for CUDA 2.3, table C-1, on what takes the place of division and roots.
 */
#include <math.h>

#include "check.h"
#include "front/ptx/ptx.h"
#include "opt/contraction.h"
#include "opt/numerics.h"
#include "sem/eval.h"
#include "sem/sem.h"

/* The body between `entry k()` of target sm_50 and its end, as a device of the
 * generation would have it. x1.. are f32, d1.. f64, r1.. b32, w1.. b64, p1..
 * predicates. */
static sw_module *
loaded_for(const char *target, const char *generation, const char *body,
           sw_diag *diag)
{
    unsigned rules = ~0u;
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text,
                  ".version %s\n.target %s\n.entry k()\n{\n"
                  ".reg .f32 x<9>;\n.reg .f64 d<9>;\n.reg .b32 r<9>;\n"
                  ".reg .b64 w<9>;\n.reg .pred p<9>;\n%s\nret;\n}\n",
                  strcmp(target, "sm_13") ? "6.0" : "1.4", target, body);
    sw_module *m = sw_ptx_parse("t", text.p, text.n, diag);
    CHECK(sw_numerics_find(generation, &rules));
    CHECK(m != NULL);
    if (m) {
        sw_opt_fuse_products(m);
        sw_opt_apply_numerics(m, rules, diag);
        CHECK_EQ(sw_ir_verify(m, diag), SW_OK);
    }
    sw_buf_finish(&text);
    return m;
}

static sw_module *
loaded(const char *generation, const char *body)
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *m = loaded_for("sm_50", generation, body, &diag);
    sw_diag_finish(&diag);
    return m;
}

/* ---- one instruction, its operands, its result ---- */

typedef struct {
    const char *ptx;
    uint64_t src[3];
    uint64_t today, gt200, g80;
} row;

#define K(x) UINT64_C(x)

static const row rows[] = {
    /* Subnormals: operands, results, comparisons. 2^-127 + 2^-127; 2^-126 -
     * 1.5 * 2^-126; 2^-64 * 2^-64. */
    {"add.f32 x1, x2, x3;", {0x00400000, 0x00400000}, 0x00800000, 0, 0},
    {"sub.f32 x1, x2, x3;",
     {0x00800000, 0x00c00000},
     0x80400000,
     0x80000000,
     0x80000000},
    {"mul.f32 x1, x2, x3;", {0x1f800000, 0x1f800000}, 0x00200000, 0, 0},
    {"min.f32 x1, x2, x3;",
     {0x80000001, 0x3f800000},
     0x80000001,
     0x80000000,
     0x80000000},
    {"abs.f32 x1, x2;", {0x80000001}, 1, 0, 0},
    {"neg.f32 x1, x2;", {1}, 0x80000001, 0x80000000, 0x80000000},
    {"setp.gt.f32 p1, x2, x3;", {1, 0}, 1, 0, 0},
    {"set.gt.u32.f32 r1, x2, x3;", {1, 0}, 0xffffffff, 0, 0},
    {"slct.b32.f32 r1, r2, r3, x2;", {7, 8, 0x80000001}, 8, 7, 7},
    {"cvt.rpi.f32.f32 x1, x2;", {1}, 0x3f800000, 0, 0},
    {"cvt.rpi.s32.f32 r1, x2;", {1}, 1, 0, 0},
    {"cvt.rn.f32.f64 x1, d2;", {K(0x37f0000000000000)}, 0x00200000, 0, 0},
    {"cvt.f64.f32 d1, x2;", {0x00400000}, K(0x3800000000000000), 0, 0},
    /* Moves change nothing. */
    {"mov.f32 x1, x2;", {1}, 1, 1, 1},
    /* (1 + 2^-12) * (1 + 3 * 2^-12) is 1 + 2^-10 + 3 * 2^-24, of which 24
     * digits keep 1 + 2^-10 + 2^-23. Less 1 + 2^-10: */
    {"fma.rn.f32 x1, x2, x3, x4;",
     {0x3f800800, 0x3f801800, 0xbf802000},
     0x34400000,
     0x34000000,
     0x34000000},
    /* ... the same negative: truncated, not rounded down. */
    {"fma.rn.f32 x1, x2, x3, x4;",
     {0xbf800800, 0x3f801800, 0x3f802000},
     0xb4400000,
     0xb4000000,
     0xb4000000},
    /* A term of zero: product, rounded to even at the half, and sum. */
    {"fma.rn.f32 x1, x2, x3, x4;",
     {0x3f800800, 0x3f801800, 0x80000000},
     0x3f802002,
     0x3f802002,
     0x3f802002},
    {"fma.rn.f32 x1, x2, x3, x4;", {0x80000000, 0x3f800000, 0}, 0, 0, 0},
    /* ... so is one that is flushed. */
    {"fma.rn.f32 x1, x2, x3, x4;",
     {0x3f800800, 0x3f801800, 0x00400000},
     0x3f802002,
     0x3f802002,
     0x3f802002},
    /* The exponent of the product has no bound: 2^127 * 2 - 2^127. */
    {"fma.rn.f32 x1, x2, x3, x4;",
     {0x7f000000, 0x40000000, 0xff000000},
     0x7f000000,
     0x7f000000,
     0x7f000000},
    /* ... but with a zero it overflows, as a product. */
    {"fma.rn.f32 x1, x2, x3, x4;",
     {0x7f000000, 0x40000000, 0},
     0x7f800000,
     0x7f800000,
     0x7f800000},
    {"fma.rn.sat.f32 x1, x2, x3, x4;",
     {0x40000000, 0x40000000, 0x3f800000},
     0x3f800000,
     0x3f800000,
     0x3f800000},
    {"fma.rn.f32 x1, x2, x3, x4;",
     {0x7f800000, 0, 0x3f800000},
     0x7fffffff,
     0x7fffffff,
     0x7fffffff},
    /* In a direction it is software, and fused. */
    {"fma.rz.f32 x1, x2, x3, x4;",
     {0x3f800800, 0x3f801800, 0xbf802000},
     0x34400000,
     0x34400000,
     0x34400000},
    /* Half the bits of 2^-127 / 2^-126 are lost as subnormals. */
    {"div.rn.f32 x1, x2, x3;", {0x00400000, 0x00800000}, 0x3f000000, 0, 0},
    {"div.rz.f32 x1, x2, x3;",
     {0x3f800000, 0x40400000},
     0x3eaaaaaa,
     0x3eaaaaaa,
     0x3eaaaaaa},
    /* 1 / 2^127 is subnormal. */
    {"rcp.rn.f32 x1, x2;", {0x7f000000}, 0x00400000, 0, 0},
    {"sqrt.rn.f32 x1, x2;", {0}, 0, 0, 0},
    {"sqrt.rn.f32 x1, x2;", {0x80000000}, 0x80000000, 0x80000000, 0x80000000},
    {"sqrt.rn.f32 x1, x2;", {0x7f800000}, 0x7f800000, 0x7f800000, 0x7f800000},
    {"sqrt.rn.f32 x1, x2;", {0xbf800000}, 0x7fffffff, 0x7fffffff, 0x7fffffff},
    {"sqrt.rn.f32 x1, x2;", {0x40800000}, 0x40000000, 0x40000000, 0x40000000},
    /* NaNs: one comes of arithmetic, none of abs and neg. */
    {"add.f32 x1, x2, x3;",
     {0xffc12345, 0},
     0x7fffffff,
     0x7fffffff,
     0x7fffffff},
    {"abs.f32 x1, x2;", {0xff812345}, 0x7fffffff, 0xff812345, 0xff812345},
    {"neg.f32 x1, x2;", {0x7f812345}, 0x7fffffff, 0x7f812345, 0x7f812345},
    {"max.f32 x1, x2, x3;", {0x7fc00000, 1}, 1, 0, 0},
    /* Conversions: out of range to the end of it, NaN to 0. */
    {"cvt.rzi.s32.f32 r1, x2;",
     {0x4f800000},
     0x7fffffff,
     0x7fffffff,
     0x7fffffff},
    {"cvt.rzi.u32.f32 r1, x2;", {0xbf800000}, 0, 0, 0},
    {"cvt.rzi.s32.f32 r1, x2;", {0x7fc00000}, 0, 0, 0},
    /* f64: 1 + 2^-40; 1/3 to 24 digits; 0.1 + 0.2 as floats is 0.3 as one and
     * 2^-25 more: 0x3e99999a. */
    {"add.f64 d1, d2, d3;",
     {K(0x3ff0000000000000), K(0x3d70000000000000)},
     K(0x3ff0000000001000),
     K(0x3ff0000000001000),
     K(0x3ff0000000000000)},
    {"add.f64 d1, d2, d3;",
     {K(0x3fb999999999999a), K(0x3fc999999999999a)},
     K(0x3fd3333333333334),
     K(0x3fd3333333333334),
     K(0x3fd3333340000000)},
    {"mul.f64 d1, d2, d3;",
     {K(0x7e37e43c8800759c), K(0x3ff0000000000000)},
     K(0x7e37e43c8800759c),
     K(0x7e37e43c8800759c),
     K(0x7ff0000000000000)},
    {"mul.f64 d1, d2, d3;",
     {K(0x3800000000000000), K(0x4000000000000000)},
     K(0x3810000000000000),
     K(0x3810000000000000),
     0},
    {"fma.rn.f64 d1, d2, d3, d4;",
     {K(0x3ff0010000000000), K(0x3ff0030000000000), K(0xbff0040000000000)},
     K(0x3e88000000000000),
     K(0x3e88000000000000),
     K(0x3e80000000000000)},
    {"setp.lt.f64 p1, d2, d3;",
     {K(0x3ff0000000000000), K(0x3ff0000000000001)},
     1,
     1,
     0},
    {"cvt.rzi.s32.f64 r1, d2;",
     {K(0x41dfffffffc00000)},
     0x7fffffff,
     0x7fffffff,
     0x7fffffff},
    {"cvt.rn.f64.s32 d1, r2;",
     {0x01000001},
     K(0x4170000010000000),
     K(0x4170000010000000),
     K(0x4170000000000000)},
    {"abs.f64 d1, d2;",
     {K(0xfff0000000000001)},
     K(0xfff8000000000001),
     K(0xfff0000000000001),
     K(0xfff8000000000000)},
    {"mov.f64 d1, d2;",
     {K(0x3fb999999999999a)},
     K(0x3fb999999999999a),
     K(0x3fb999999999999a),
     K(0x3fb999999999999a)},
};

static void
check_row(const row *r, const char *generation, uint64_t want)
{
    sw_module *m = loaded(generation, r->ptx);
    if (!m)
        return;
    const sw_ins *ins = m->fns[0]->blocks[0]->ins[0];
    sw_value src[3], got[2];
    for (int i = 0; i < 3; i++)
        src[i] = (sw_value){r->src[i], 0};
    CHECK(sw_sem_eval(ins, src, got));
    if (got[0].lo != want)
        printf("%s: %s\n", generation, r->ptx);
    CHECK_EQ(got[0].lo, want);
    sw_module_destroy(m);
}

CASE(instructions_compute_what_the_generation_does)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(&rows[i], "off", rows[i].today);
        check_row(&rows[i], "fermi", rows[i].today);
        check_row(&rows[i], "Hopper", rows[i].today);
        check_row(&rows[i], "gt200", rows[i].gt200);
        check_row(&rows[i], "g80", rows[i].g80);
    }
}

/* mad.f32 of sm_1x: fused on later devices. */
CASE(mad_of_old_ptx_is_the_devices)
{
    static const sw_op want[] = {SW_OP_MAD, SW_OP_MAD, SW_OP_FMA, SW_OP_FMA};
    static const char *const names[] = {"g80", "gt200", "fermi", "off"};
    for (int i = 0; i < 4; i++) {
        sw_diag diag;
        sw_diag_init(&diag);
        sw_module *m =
            loaded_for("sm_13", names[i], "mad.f32 x1, x2, x3, x4;", &diag);
        const sw_ins *ins = m->fns[0]->blocks[0]->ins[0];
        CHECK_EQ(ins->op, want[i]);
        CHECK_EQ(ins->flags, SW_F_FTZ);
        sw_module_destroy(m);
        sw_diag_finish(&diag);
    }
}

static unsigned
count(const char *generation, const char *body, sw_op op)
{
    unsigned n = 0;
    sw_module *m = loaded(generation, body);
    for (uint32_t b = 0; m && b < m->fns[0]->block_count; b++)
        for (uint32_t i = 0; i < m->fns[0]->blocks[b]->count; i++)
            n += m->fns[0]->blocks[b]->ins[i]->op == op;
    if (m)
        sw_module_destroy(m);
    return n;
}

CASE(a_product_and_a_sum_become_mad)
{
    const char *body = "mul.f32 x4, x1, x2; add.f32 x5, x4, x3;";
    CHECK_EQ(count("gt200", body, SW_OP_MAD), 1);
    CHECK_EQ(count("off", body, SW_OP_FMA), 1);
    CHECK_EQ(count("gt200", "cvt.rn.f32.s32 x4, r1; fma.rn.f32 x5, x4, x2, x3;",
                   SW_OP_MAD),
             1);
    /* a loop counter, which nothing has rounded */
    CHECK_EQ(count("gt200",
                   "mov.f32 x4, 0f00000000; L: fma.rn.f32 x5, x4, x2, x3; "
                   "add.f32 x4, x4, 0f3F800000; @p1 bra L;",
                   SW_OP_MAD),
             1);
}

/* What truncation would make useless stays fused. */
CASE(fma_on_purpose_stays_fused)
{
    static const char *const bodies[] = {
        /* the error of a product, and of a sum with one */
        "mul.rn.f32 x4, x1, x2; neg.f32 x5, x4; fma.rn.f32 x6, x1, x2, x5;",
        "mul.rn.f32 x4, x2, x1; neg.f32 x5, x1; fma.rn.f32 x6, x5, x2, x4;",
        /* arguments reduced by what was rounded, three ways */
        "cvt.rni.f32.f32 x4, x1; fma.rn.f32 x5, x4, 0fBFC90FDA, x1;",
        "cvt.rni.s32.f32 r1, x1; cvt.rn.f32.s32 x4, r1; "
        "fma.rn.f32 x5, x4, 0fBFC90FDA, x1;",
        "add.rn.f32 x4, x1, 0f4B400000; add.rn.f32 x5, x4, 0fCB400000; "
        "neg.f32 x6, x5; fma.rn.f32 x7, x6, 0f3F317200, x1;",
        /* the remainder of a quotient */
        "div.approx.f32 x4, x1, x2; neg.f32 x5, x2; "
        "fma.rn.f32 x6, x5, x4, x1;",
        "rcp.approx.ftz.f32 x3, x2; mul.rn.f32 x4, x1, x3; neg.f32 x5, x2; "
        "fma.rn.f32 x6, x5, x4, x1;",
        /* a rounded number, and then one more in a loop */
        "cvt.rzi.f32.f32 x4, x1; L: fma.rn.f32 x5, x4, x2, x3; "
        "add.f32 x4, x4, 0f3F800000; @p1 bra L;",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        CHECK_EQ(count("gt200", bodies[i], SW_OP_FMA), 1);
        CHECK_EQ(count("gt200", bodies[i], SW_OP_MAD), 0);
    }
    /* x1 * x2 + x3 is truncated, and what it lost is found */
    const char *sum = "fma.rn.f32 x4, x1, x2, x3; neg.f32 x5, x4; "
                      "add.rn.f32 x6, x3, x5; fma.rn.f32 x7, x1, x2, x6;";
    CHECK_EQ(count("gt200", sum, SW_OP_MAD), 1);
    CHECK_EQ(count("gt200", sum, SW_OP_FMA), 1);
}

/* Warnings, and what was demoted. */
CASE(doubles_whose_bits_are_seen_stay)
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *m = loaded_for("sm_50", "g80",
                              "add.f64 d1, d2, d3; mov.b64 w1, d1;", &diag);
    CHECK_EQ(m->fns[0]->blocks[0]->ins[0]->flags & SW_F_DEMOTED, 0);
    CHECK(m->f64_demoted);
    CHECK_EQ(diag.entries.count, 1);
    sw_module_destroy(m);
    m = loaded_for("sm_50", "g80", "add.f64 d1, d2, d3;", &diag);
    CHECK_EQ(m->fns[0]->blocks[0]->ins[0]->flags, SW_F_DEMOTED | SW_F_FTZ);
    CHECK_EQ(diag.entries.count, 2);
    sw_module_destroy(m);
    m = loaded_for("sm_50", "gt200", "add.f64 d1, d2, d3;", &diag);
    CHECK_EQ(m->fns[0]->blocks[0]->ins[0]->flags, 0);
    CHECK(!m->f64_demoted);
    CHECK_EQ(diag.entries.count, 2);
    sw_module_destroy(m);
    sw_diag_finish(&diag);
}

CASE(generations_by_name_and_capability)
{
    unsigned rules = 0, other = 0;
    CHECK(sw_numerics_find("1.3", &rules));
    CHECK_EQ(rules, sw_numerics_of(13));
    CHECK(sw_numerics_find("GT200", &other));
    CHECK_EQ(rules, other);
    CHECK(rules != sw_numerics_of(12));
    CHECK_EQ(sw_numerics_of(12), sw_numerics_of(10));
    CHECK(sw_numerics_find("10.3", &rules));
    CHECK_EQ(rules, SW_NUM_NONE);
    rules = 77;
    CHECK(!sw_numerics_find("", &rules));
    CHECK(!sw_numerics_find("gt", &rules));
    CHECK(!sw_numerics_find("1.3x", &rules));
    CHECK(!sw_numerics_find("13", &rules));
    CHECK_EQ(rules, 77);
}

/* ---- the bounds of table C-1 ---- */

/* By how many of the last digits the result is off the right one. */
static unsigned
ulps(uint64_t got, double want)
{
    float w = (float)want;
    int32_t a = (int32_t)(uint32_t)got, b = (int32_t)sem_bits_f32(w);
    return (unsigned)(a > b ? a - b : b - a);
}

typedef struct {
    const char *ptx;
    unsigned bound;
    double (*exact)(double a, double b);
} bound;

static double
quotient(double a, double b)
{
    return a / b;
}

static double
reciprocal(double a, double b)
{
    (void)b;
    return 1 / a;
}

static double
root(double a, double b)
{
    (void)b;
    return sqrt(a);
}

static double
reciprocal_root(double a, double b)
{
    (void)b;
    return 1 / sqrt(a);
}

/* Within the bounds, and not rounded: then nothing would be off. */
CASE(quotients_and_roots_are_within_their_bounds)
{
    static const bound bounds[] = {
        {"div.rn.f32 x1, x2, x3;", 2, quotient},
        {"div.full.f32 x1, x2, x3;", 2, quotient},
        {"rcp.rn.f32 x1, x2;", 1, reciprocal},
        {"sqrt.rn.f32 x1, x2;", 3, root},
        {"sqrt.approx.f32 x1, x2;", 3, root},
        {"rsqrt.approx.f32 x1, x2;", 2, reciprocal_root},
    };
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        sw_module *m = loaded("gt200", bounds[k].ptx);
        if (!m)
            continue;
        const sw_ins *ins = m->fns[0]->blocks[0]->ins[0];
        unsigned worst = 0;
        uint32_t y = 0x3f812345;
        for (uint32_t x = 0x3f800000; x < 0x40800000; x += 5) {
            sw_value src[2] = {{x, 0}, {y, 0}}, got[1];
            CHECK(sw_sem_eval(ins, src, got));
            unsigned u =
                ulps(got[0].lo, bounds[k].exact((double)sem_f32_bits(x),
                                                (double)sem_f32_bits(y)));
            worst = u > worst ? u : worst;
            y = 0x3f800000 | ((y * 1664525 + 1013904223) & 0x7fffff);
        }
        CHECK(worst <= bounds[k].bound);
        CHECK(worst > 0);
        sw_module_destroy(m);
    }
}
