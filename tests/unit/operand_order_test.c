/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand_order_test.c - which operand goes first. What is expected here was
 * read off the code that the vendor's assembler makes for sm_90.
 */
#include <string.h>

#include "check.h"
#include "front/ptx/ptx.h"
#include "opt/operand_order.h"

/* A kernel of parameters f and g, loaded into registers of their names, with a,
 * b, c loaded from memory after each other unless the body begins with `!`. */
static sw_module *
ordered(const char *target, const char *body)
{
    bool bare = *body == '!';
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text,
                  ".version 8.5\n.target %s\n.address_size 64\n"
                  ".const .f64 k[2];\n"
                  ".entry e(.param .u64 o, .param .f64 pf, .param .f64 pg)\n{\n"
                  ".reg .b64 p;\n.reg .f64 a,b,c,d,f,g,q,r;\n.reg .pred t;\n"
                  ".reg .u32 n;\nld.param.u64 p, [o];\n"
                  "ld.param.f64 f, [pf];\nld.param.f64 g, [pg];\n%s%s\n"
                  "st.global.f64 [p],d;\nret;\n}\n",
                  target,
                  bare ? ""
                       : "ld.global.f64 a,[p];\nld.global.f64 b,[p+8];\n"
                         "ld.global.f64 c,[p+16];\n",
                  body + bare);
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *m = sw_ptx_parse("t", text.p, text.n, &diag);
    CHECK(m != NULL);
    if (m) {
        sw_opt_order_operands(m);
        CHECK_EQ(sw_ir_verify(m, &diag), SW_OK);
    }
    sw_diag_finish(&diag);
    sw_buf_finish(&text);
    return m;
}

/* The first two sources of what writes d; of a difference that is marked the
 * second is first. */
static void
expect_of(const char *target, const char *body, const char *first,
          const char *second)
{
    sw_module *m = ordered(target, body);
    if (!m)
        return;
    const sw_fn *fn = m->fns[0];
    bool found = false;
    for (uint32_t k = 0; k < fn->block_count; k++)
        for (uint32_t i = 0; i < fn->blocks[k]->count; i++) {
            const sw_ins *ins = fn->blocks[k]->ins[i];
            if (ins->ndst != 1 || ins->nsrc < 2 || ins->type != SW_T_F64 ||
                strcmp(fn->regs[ins->opnd[0].reg].name, "d") != 0)
                continue;
            found = true;
            bool marked = ins->op == SW_OP_SUB && ins->flags & SW_F_NAN;
            const sw_opnd *x = sw_ins_src(ins, marked);
            const sw_opnd *y = sw_ins_src(ins, !marked);
            CHECK_STR(fn->regs[x->reg].name, first);
            CHECK_STR(y->kind == SW_OPND_REG ? fn->regs[y->reg].name : "1",
                      second);
        }
    CHECK(found);
    sw_module_destroy(m);
}

static void
expect(const char *body, const char *first, const char *second)
{
    expect_of("sm_90", body, first, second);
}

CASE(what_is_computed_earlier_goes_first)
{
    expect("add.f64 d,a,b;", "a", "b");
    expect("add.f64 d,b,a;", "a", "b");
    expect("mul.rz.f64 d,c,b;", "b", "c");
    expect("fma.rn.f64 d,c,b,a;", "b", "c");
    expect("min.f64 d,b,a;", "a", "b");
    expect("max.f64 d,b,a;", "a", "b");
    expect("mul.f64 q,a,b; add.rn.f64 d,q,c;", "c", "q");
    expect("!ld.global.v2.f64 {a,b},[p]; add.f64 d,b,a;", "a", "b");
}

CASE(a_difference_says_whose_nan_is_handed_on)
{
    expect("sub.f64 d,a,b;", "a", "b");
    expect("sub.f64 d,b,a;", "a", "b");
    expect("mul.f64 q,a,b; sub.rn.f64 d,q,c;", "c", "q");
}

CASE(other_types_have_one_nan)
{
    sw_module *m = ordered("sm_90", ".reg .f32 x,y; ld.global.f32 x,[p]; "
                                    "ld.global.f32 y,[p+4]; add.f32 x,y,x; "
                                    "cvt.f64.f32 d,x;");
    if (!m)
        return;
    const sw_fn *fn = m->fns[0];
    for (uint32_t i = 0; i < fn->blocks[0]->count; i++) {
        const sw_ins *ins = fn->blocks[0]->ins[i];
        if (ins->op == SW_OP_ADD)
            CHECK_STR(fn->regs[sw_ins_src(ins, 0)->reg].name, "y");
    }
    sw_module_destroy(m);
}

CASE(moves_and_signs_are_seen_through)
{
    expect("mov.f64 q,a; add.f64 d,b,q;", "q", "b");
    expect("neg.f64 q,a; add.f64 d,b,q;", "q", "b");
    expect("abs.f64 q,a; mul.f64 d,b,q;", "q", "b");
    expect("mov.b64 q,a; neg.f64 r,q; fma.rn.f64 d,b,r,c;", "r", "b");
}

CASE(what_has_a_known_address_goes_last)
{
    expect("add.f64 d,f,a;", "a", "f");
    expect("sub.f64 d,f,a;", "a", "f");
    expect("add.f64 d,a,f;", "a", "f");
    expect("ld.const.f64 q,[k+8]; mul.f64 d,q,a;", "a", "q");
    expect("add.f64 d,0d3FF0000000000000,a;", "a", "1");
    expect("ld.global.u32 n,[p]; cvt.u64.u32 p,n; ld.const.f64 q,[p]; "
           "add.f64 d,q,a;",
           "a", "q");
}

CASE(of_two_such_the_first_written_goes_last)
{
    expect("add.f64 d,f,g;", "g", "f");
    expect("add.f64 d,g,f;", "f", "g");
    expect("sub.f64 d,f,g;", "g", "f");
    expect("fma.rn.f64 d,f,g,a;", "g", "f");
}

CASE(a_value_from_several_places_goes_behind_others)
{
    /* A sum in a loop, of what is loaded in it or before it. */
    expect("!mov.f64 d,0d0000000000000000; L: bar.sync 0; "
           "ld.global.f64 b,[p+8]; add.f64 d,d,b; ld.global.u32 n,[p+40]; "
           "setp.ne.u32 t,n,0; @t bra L;",
           "b", "d");
    expect("!mov.f64 d,0d0000000000000000; ld.global.f64 b,[p+8]; L: "
           "bar.sync 0; add.f64 d,d,b; ld.global.u32 n,[p+40]; "
           "setp.ne.u32 t,n,0; @t bra L;",
           "b", "d");
    expect("!mov.f64 d,0d0000000000000000; L: bar.sync 0; add.f64 d,d,f; "
           "ld.global.u32 n,[p+40]; setp.ne.u32 t,n,0; @t bra L;",
           "d", "f");
    /* Of two the one that was first written later. */
    const char *loop = "L: bar.sync 0; add.f64 d,a,b; mul.f64 a,d,d; "
                       "bar.sync 0; ld.global.f64 b,[p+8]; "
                       "ld.global.u32 n,[p+40]; setp.ne.u32 t,n,0; @t bra L;";
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text, "!ld.global.f64 a,[p]; ld.global.f64 b,[p+8]; %s",
                  loop);
    expect(text.p, "b", "a");
    sw_buf_finish(&text);
    sw_buf_init(&text);
    sw_buf_printf(&text, "!ld.global.f64 b,[p+8]; ld.global.f64 a,[p]; %s",
                  loop);
    expect(text.p, "a", "b");
    sw_buf_finish(&text);
}

CASE(a_register_used_again_has_one_origin_in_its_block)
{
    expect("ld.global.f64 a,[p+72]; add.f64 d,a,b;", "b", "a");
    expect("setp.eq.f64 t,c,b; @t mul.f64 a,a,c; add.f64 d,a,b;", "b", "a");
}

CASE(the_text_counts_not_the_way_through_it)
{
    expect("!ld.global.u32 n,[p+64]; bra B1; B2: ld.global.f64 b,[p+8]; "
           "add.f64 d,a,b; st.global.f64 [p],d; ret; B1: ld.global.f64 a,[p]; "
           "bar.sync 0; setp.eq.u32 t,n,0; @!t bra B2; mov.f64 d,a;",
           "b", "a");
}

CASE(debug_code_keeps_its_order)
{
    expect_of("sm_90, debug", "add.f64 d,b,a;", "b", "a");
    expect_of("sm_90, debug", "sub.f64 d,b,a;", "b", "a");
}
