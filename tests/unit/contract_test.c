/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract_test.c - which products an add takes in. What is expected here was
 * read off the code that the vendor's assembler makes for sm_90.
 */
#include <string.h>

#include "check.h"
#include "front/ptx/ptx.h"
#include "opt/contract.h"

/* The body between loads of a, b, c into x1..x3 and `ret`; p is a pointer. */
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
                  "ld.param.%s x2, [b];\nld.param.%s x3, [c];\n%s\nret;\n}\n",
                  target, type, type, type, type, type, type, type, body);
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *m = sw_ptx_parse("t", text.p, text.n, &diag);
    CHECK(m != NULL);
    if (m) {
        sw_opt_contract(m);
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

CASE(factors_that_change_in_between_keep_the_product)
{
    expect("f32",
           "mul.f32 x4,x1,x2; add.f32 x1,x1,x3; add.f32 x5,x4,x3; "
           "st.global.f32 [p],x5; st.global.f32 [p+4],x1;",
           1, 2, 0, 0);
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
