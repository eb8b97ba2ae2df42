/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contraction_test.c - which products an add takes in. What is expected here
 * was read off the code that the vendor's assembler makes for sm_90.
 */
#include <string.h>

#include "check.h"
#include "front/ptx/ptx.h"
#include "opt/contraction.h"

/* The body between loads of a, b, c into x1..x3 and `ret`; p is a pointer, q a
 * predicate, i2, i3, l2, h2 and d2 numbers. */
static sw_module *
contracted(const char *type, const char *target, const char *body)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text,
                  ".version 8.5\n.target %s\n.address_size 64\n"
                  ".entry k(.param .u64 o, .param .%s a, .param .%s b, "
                  ".param .%s c)\n{\n.reg .b64 p;\n.reg .%s x<12>;\n"
                  "ld.param.u64 p, [o];\nld.param.%s x1, [a];\n"
                  "ld.param.%s x2, [b];\nld.param.%s x3, [c];\n"
                  ".reg .b16 h1, h2; .reg .b32 i1, i2, i3; .reg .b64 l1, l2; "
                  ".reg .f64 d1, d2; .reg .pred q;\n"
                  "mov.u32 i2, %%tid.x; mov.u32 i3, %%ntid.x; "
                  "cvt.u64.u32 l2, i2; cvt.u16.u32 h2, i2; "
                  "cvt.rn.f64.u32 d2, i2; setp.lt.u32 q, i2, 3;\n"
                  "%s\nret;\n}\n",
                  target, type, type, type, type, type, type, type, body);
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *m = sw_ptx_parse("t", text.p, text.n, &diag);
    CHECK(m != NULL);
    if (m) {
        sw_opt_fuse_products(m);
        CHECK_EQ(sw_ir_verify(m, &diag), SW_OK);
    }
    sw_diag_finish(&diag);
    sw_buf_finish(&text);
    return m;
}

static unsigned
count(const sw_module *m, sw_op op)
{
    unsigned n = 0;
    const sw_fn *fn = m->fns[0];
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            n += fn->blocks[b]->ins[i]->op == op;
    return n;
}

/* How many products, sums and fused ones are left of a body. */
static void
expect(const char *type, const char *body, unsigned mul, unsigned sums,
       unsigned fma, unsigned neg)
{
    sw_module *m = contracted(type, "sm_90", body);
    if (!m)
        return;
    CHECK_EQ(count(m, SW_OP_MUL), mul);
    CHECK_EQ(count(m, SW_OP_ADD) + count(m, SW_OP_SUB), sums);
    CHECK_EQ(count(m, SW_OP_FMA), fma);
    CHECK_EQ(count(m, SW_OP_NEG), neg);
    sw_module_destroy(m);
}

CASE(a_product_used_once_is_folded)
{
    expect("f32", "mul.f32 x4,x1,x2; add.f32 x5,x4,x3; st.global.f32 [p],x5;",
           0, 0, 1, 0);
    expect("f64", "mul.f64 x4,x1,x2; add.f64 x5,x3,x4; st.global.f64 [p],x5;",
           0, 0, 1, 0);
    expect("f32",
           "mul.f32 x4,x1,x2; add.sat.f32 x5,x4,x3; st.global.f32 [p],x5;", 0,
           0, 1, 0);
}

CASE(a_product_used_otherwise_stays)
{
    expect("f32",
           "mul.f32 x4,x1,x2; add.f32 x5,x4,x3; st.global.f32 [p],x5; "
           "st.global.f32 [p+4],x4;",
           1, 1, 0, 0);
}

CASE(two_sums_fold_one_product)
{
    expect("f32",
           "mul.f32 x4,x1,x2; sub.f32 x5,x3,x4; sub.f32 x6,x4,x3; "
           "st.global.f32 [p],x5; st.global.f32 [p+4],x6;",
           0, 0, 2, 2);
}

CASE(of_two_products_the_first_is_folded)
{
    sw_module *m = contracted("f32", "sm_90",
                              "mul.f32 x4,x1,x2; mul.f32 x5,x1,x3; "
                              "add.f32 x6,x4,x5; st.global.f32 [p],x6;");
    if (!m)
        return;
    CHECK_EQ(count(m, SW_OP_MUL), 1);
    CHECK_EQ(count(m, SW_OP_FMA), 1);
    const sw_fn *fn = m->fns[0];
    for (uint32_t i = 0; i < fn->blocks[0]->count; i++) {
        const sw_ins *ins = fn->blocks[0]->ins[i];
        if (ins->op == SW_OP_MUL)
            CHECK(strcmp(fn->regs[sw_ins_src(ins, 1)->reg].name, "x3") == 0);
    }
    sw_module_destroy(m);
}

/* The number that the store behind the body writes. */
static void
expect_number(const char *body, uint32_t bits)
{
    sw_module *m = contracted("f32", "sm_90", body);
    if (!m)
        return;
    const sw_fn *fn = m->fns[0];
    bool found = false;
    for (uint32_t i = 0; i < fn->blocks[0]->count; i++) {
        const sw_ins *ins = fn->blocks[0]->ins[i];
        if (ins->ndst == 1 && ins->opnd[0].kind == SW_OPND_REG &&
            strcmp(fn->regs[ins->opnd[0].reg].name, "x5") == 0) {
            found = true;
            CHECK_EQ(ins->op, SW_OP_MOV);
            CHECK_EQ(ins->opnd[1].imm, bits);
        }
    }
    CHECK(found);
    sw_module_destroy(m);
}

/* The numbers are a H200's, by its driver's assembler. */
CASE(functions_of_constants_are_exact)
{
    expect_number("cos.approx.f32 x5,0f40108c63;", 0xbf228365);
    expect_number("mov.f32 x4,0f41fc2977; lg2.approx.f32 x5,x4;", 0x409f4d79);
    expect_number("sin.approx.f32 x5,0fdd78f337;", 0x3f7d9f4e);
    expect_number("sin.approx.f32 x5,0f807fffff;", 0x80000000);
    expect_number("sin.approx.f32 x5,0f80800000;", 0x80800000);
    expect_number("rsqrt.approx.f32 x5,0f00400000;", 0x5f3504f3);
    expect_number("sqrt.approx.f32 x5,0f7c3aaf64;", 0x5dda9cc8);
    expect_number("ex2.approx.f32 x5,0f41fc2977;", 0x4f3793e0);
    expect_number("rcp.approx.f32 x5,0f41fc2977;", 0x3d01f2bf);
    expect_number("rsqrt.approx.f32 x5,0f41fc2977;", 0x3e366449);
    sw_module *m = contracted("f32", "sm_90",
                              "tanh.approx.f32 x4,0f3f000000; "
                              "lg2.approx.f32 x5,0fbf800000; "
                              "mov.f32 x6,x1; mov.f32 x6,0f3f800000; "
                              "sin.approx.f32 x7,x6;");
    if (!m)
        return;
    CHECK_EQ(count(m, SW_OP_TANH), 1);
    CHECK_EQ(count(m, SW_OP_LG2), 1);
    CHECK_EQ(count(m, SW_OP_SIN), 1);
    sw_module_destroy(m);
}

CASE(a_rounding_modifier_keeps_them_apart)
{
    expect("f32",
           "mul.f32 x4,x1,x2; add.rn.f32 x5,x4,x3; mul.rn.f32 x6,x1,x2; "
           "add.f32 x7,x6,x2; st.global.f32 [p],x5; st.global.f32 [p+4],x7;",
           2, 2, 0, 0);
}

CASE(flushing_must_agree)
{
    expect("f32",
           "mul.ftz.f32 x4,x1,x2; add.ftz.f32 x5,x4,x3; mul.ftz.f32 x6,x1,x3; "
           "add.f32 x7,x6,x2; st.global.f32 [p],x5; st.global.f32 [p+4],x7;",
           1, 1, 1, 0);
}

CASE(division_by_a_number_is_a_product)
{
    expect("f32",
           "div.approx.f32 x4,x1,0f3F8CCCCD; add.f32 x5,x4,0f40000000; "
           "st.global.f32 [p],x5;",
           0, 0, 1, 0);
    expect("f32",
           "mov.f32 x6,0f3F8CCCCD; div.full.f32 x4,x1,x6; "
           "add.f32 x5,x4,0f40000000; st.global.f32 [p],x5;",
           0, 0, 1, 0);
}

CASE(factors_may_change_in_between)
{
    expect("f32",
           "mul.f32 x4,x1,x2; add.f32 x1,x1,x3; add.f32 x5,x4,x3; "
           "st.global.f32 [p],x5; st.global.f32 [p+4],x1;",
           0, 1, 1, 0);
    expect("f64", "mul.f64 x1,x1,x2; add.f64 x5,x1,x3; st.global.f64 [p],x5;",
           0, 0, 1, 0);
}

CASE(a_register_may_hold_several_products)
{
    expect("f32",
           "mul.f32 x4,x1,x2; add.f32 x4,x4,x3; st.global.f32 [p],x4; "
           "mul.f32 x4,x4,x2; add.f32 x4,x4,x1; st.global.f32 [p+4],x4;",
           0, 0, 2, 0);
    expect("f32",
           "mul.f32 x4,x1,x2; add.f32 x5,x4,x3; mul.f32 x4,x5,x2; "
           "st.global.f32 [p],x4; add.f32 x6,x4,x1; st.global.f32 [p+4],x6;",
           1, 1, 1, 0);
}

CASE(copies_are_products)
{
    expect("f32",
           "mul.f32 x4,x1,x2; mov.f32 x5,x4; mov.b32 x6,x4; add.f32 x7,x5,x3; "
           "add.f32 x8,x6,x1; st.global.f32 [p],x7; st.global.f32 [p+4],x8;",
           0, 0, 2, 0);
    expect("f32",
           "mul.f32 x4,x1,x2; neg.f32 x5,x4; add.f32 x6,x5,x3; "
           "sub.f32 x7,x3,x5; add.f32 x8,x4,x1; st.global.f32 [p],x6; "
           "st.global.f32 [p+4],x7; st.global.f32 [p+8],x8;",
           0, 0, 3, 1);
    /* one of them is used otherwise */
    expect("f32",
           "mul.f32 x4,x1,x2; neg.f32 x5,x4; add.f32 x6,x5,x3; "
           "st.global.f32 [p],x6; st.global.f32 [p+4],x5;",
           1, 1, 0, 1);
    expect("f32",
           "mul.f32 x4,x1,x2; mov.f32 x5,x4; add.f32 x6,x5,x3; "
           "st.global.f32 [p],x6; st.global.f32 [p+4],x4;",
           1, 1, 0, 0);
}

/* Product, something between, and sum: whether they are made one. */
static void
expect_between(const char *between, bool is_folded)
{
    sw_buf body;
    sw_buf_init(&body);
    sw_buf_printf(&body,
                  "mul.f32 x4,x1,x2; %s add.f32 x5,x4,x3; st.global.f32 "
                  "[p+16],x5;",
                  between);
    sw_module *m = contracted("f32", "sm_90", body.p);
    CHECK_STR(m && count(m, SW_OP_FMA) == is_folded ? "as expected" : between,
              "as expected");
    sw_module_destroy(m);
    sw_buf_finish(&body);
}

CASE(only_in_one_block)
{
    static const char *const folded[] = {
        "bra.uni L; L:",
        "L:",
        "bra.uni L; M: st.global.f32 [p],x3; ret; L:",
        "bar.sync 0;",
        "st.volatile.global.f32 [p],x3;",
        "div.full.f32 x6,x1,x3; st.global.f32 [p],x6;",
        "sqrt.approx.f32 x6,x3; st.global.f32 [p],x6;",
        "div.u32 i1,i2,i3; st.global.u32 [p],i1;",
        "rem.u32 i1,i2,7; st.global.u32 [p],i1;",
        "bfind.u32 i1,i2; st.global.u32 [p],i1;",
        "atom.global.add.u32 i1,[p],i2; st.global.u32 [p],i1;",
        "@q add.u32 i1,i2,i3; st.global.u32 [p],i1;",
        "@q ex2.approx.f32 x6,x3; st.global.f32 [p],x6;",
        "shfl.sync.bfly.b32 i1,i2,1,31,-1; st.global.u32 [p],i1;"};
    static const char *const apart[] = {
        "@q bra L; st.global.f32 [p],x3; L:",
        "@q bra L; mov.u32 i1,i2; L: st.global.u32 [p],i1;",
        "@q exit;",
        "@q st.global.f32 [p],x3;",
        "@q ld.global.u32 i1,[p]; st.global.u32 [p],i1;",
        "@q red.global.add.u32 [p],i2;",
        "@q shfl.sync.bfly.b32 i1,i2,1,31,-1; st.global.u32 [p],i1;",
        "membar.gl;",
        "fence.acq_rel.cta;",
        "div.rn.f32 x6,x1,x3; st.global.f32 [p],x6;",
        "div.rn.ftz.f32 x6,x1,0f40000000; st.global.f32 [p],x6;",
        "sqrt.rn.f32 x6,x3; st.global.f32 [p],x6;",
        "rcp.rn.f32 x6,x3; st.global.f32 [p],x6;",
        "sqrt.rn.f64 d1,d2; st.global.f64 [p],d1;",
        "rsqrt.approx.f64 d1,d2; st.global.f64 [p],d1;",
        "div.s32 i1,i2,8; st.global.u32 [p],i1;",
        "rem.s32 i1,i2,i3; st.global.u32 [p],i1;",
        "div.u16 h1,h2,7; st.global.u16 [p],h1;",
        "rem.u64 l1,l2,8; st.global.u64 [p],l1;",
        "bfind.s64 i1,l2; st.global.u32 [p],i1;"};
    for (size_t i = 0; i < sizeof folded / sizeof *folded; i++)
        expect_between(folded[i], true);
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        expect_between(apart[i], false);
    /* neither if only one of two sums is apart */
    expect("f32",
           "mul.f32 x4,x1,x2; add.f32 x5,x4,x3; @q bra L; add.f32 x6,x4,x1; "
           "st.global.f32 [p],x6; L: st.global.f32 [p+4],x5;",
           1, 2, 0, 0);
    expect("f64",
           "mul.f64 x4,x1,x2; L: add.f64 x3,x3,x4; setp.lt.f64 q,x3,x1; "
           "@q bra L; st.global.f64 [p],x3;",
           1, 1, 0, 0);
}

CASE(debug_code_is_left_alone)
{
    sw_module *m =
        contracted("f32", "sm_90, debug",
                   "mul.f32 x4,x1,x2; add.f32 x5,x4,x3; st.global.f32 [p],x5;");
    if (!m)
        return;
    CHECK_EQ(count(m, SW_OP_FMA), 0);
    sw_module_destroy(m);
}
