/* SPDX-License-Identifier: Apache-2.0 */
/*
 * if_conversion_test.c - which branches become choices. That the choices are
 * right is what random kernels and tests/ptx hold the compiler to.
 */
#include <string.h>

#include "check.h"
#include "front/ptx/ptx.h"
#include "opt/if_conversion.h"

typedef struct {
    bool has_changed;
    unsigned branches, choices, blocks; /* in what can be reached */
    unsigned all;                       /* instructions, reached or not */
} seen;

enum { BLOCKS_MOST = 1024 };

static void
count(const sw_fn *fn, uint32_t b, bool *was_here, seen *out)
{
    if (was_here[b])
        return;
    was_here[b] = true;
    const sw_block *block = fn->blocks[b];
    out->blocks++;
    for (uint32_t i = 0; i < block->count; i++) {
        out->choices += block->ins[i]->op == SW_OP_SELP;
        out->branches += block->ins[i]->op == SW_OP_BRA && block->ins[i]->guard;
    }
    for (uint32_t t = 0; t < block->target_count; t++)
        count(fn, block->targets[t], was_here, out);
}

/* Of a kernel with this body, of which %r1 is stored at the end. */
static seen
choose(const char *options, const char *body)
{
    sw_buf text;
    sw_diag diag;
    sw_buf_init(&text);
    sw_diag_init(&diag);
    sw_buf_printf(&text,
                  ".version 8.0\n.target sm_80%s\n.address_size 64\n"
                  ".visible .entry k(.param .u64 out) {\n"
                  ".reg .pred %%p<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>;\n"
                  ".reg .f64 %%fd<9>;\n"
                  "ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%tid.x;\n"
                  "mov.u32 %%r2, %%ctaid.x; setp.lt.u32 %%p1, %%r1, 7;\n"
                  "setp.lt.u32 %%p2, %%r1, 9; cvt.rn.f64.u32 %%fd1, %%r1;\n"
                  "%s\nst.global.u32 [%%rd1], %%r1; ret; }\n",
                  options, body);
    sw_module *m = sw_ptx_parse("ifs", text.p, text.n, &diag);
    seen out = {0};
    CHECK(m != NULL);
    if (m) {
        bool was_here[BLOCKS_MOST] = {false};
        sw_arena *arena = sw_arena_create();
        const sw_fn *fn = sw_opt_convert_ifs(m->fns[0], arena);
        out.has_changed = fn != NULL;
        fn = fn ? fn : m->fns[0];
        CHECK(fn->block_count <= BLOCKS_MOST);
        count(fn, 0, was_here, &out);
        for (uint32_t b = 0; b < fn->block_count; b++)
            out.all += fn->blocks[b]->count;
        sw_arena_destroy(arena);
    }
    sw_module_destroy(m);
    sw_buf_finish(&text);
    sw_diag_finish(&diag);
    return out;
}

#define CHECK_BECOMES(body, b, c)                                              \
    do {                                                                       \
        seen s = choose("", body);                                             \
        CHECK(s.has_changed);                                                  \
        CHECK_EQ(s.branches, b);                                               \
        CHECK_EQ(s.choices, c);                                                \
    } while (0)
#define CHECK_STAYS(body) CHECK(!choose("", body).has_changed)

CASE(one_side_of_a_branch_becomes_selections)
{
    CHECK_BECOMES("@%p1 bra L; add.u32 %r1, %r1, 5; L:", 0, 1);
    CHECK_BECOMES("@!%p1 bra L; add.u32 %r1, %r1, 5; L:", 0, 1);
}

CASE(both_sides_of_a_branch_become_selections)
{
    CHECK_BECOMES("@%p1 bra E; mul.lo.u32 %r1, %r1, 5; bra.uni L;\n"
                  "E: xor.b32 %r1, %r2, 3; L:",
                  0, 1);
}

CASE(branches_that_are_parts_of_others)
{
    CHECK_BECOMES("@%p1 bra A; @%p2 bra B; mov.u32 %r1, 3; bra.uni L;\n"
                  "B: mov.u32 %r1, 2; bra.uni L; A: mov.u32 %r1, 1; L:",
                  0, 2);
}

CASE(what_both_ways_compute_is_not_chosen)
{
    CHECK_BECOMES("@%p1 bra E; add.u32 %r3, %r2, 5; mov.u32 %r4, 1;\n"
                  "bra.uni L; E: add.u32 %r3, %r2, 5; mov.u32 %r4, 2;\n"
                  "L: add.u32 %r1, %r3, %r4;",
                  0, 1);
}

CASE(what_follows_is_of_the_same_block)
{
    CHECK_EQ(choose("", "@%p1 bra L; add.u32 %r1, %r1, 5; L:").blocks, 1);
    CHECK_EQ(choose("", "T: @%p1 bra L; add.u32 %r1, %r1, 5;\n"
                        "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 90;\n"
                        "@%p2 bra T;")
                 .blocks,
             3);
    CHECK_EQ(choose("", "@%p2 bra L; @%p1 bra L; add.u32 %r1, %r1, 5;\n"
                        "st.global.u32 [%rd1+4], %r1; L:")
                 .blocks,
             4);
}

CASE(what_nobody_needs_is_not_chosen)
{
    CHECK_BECOMES("@%p1 bra L; add.u32 %r3, %r1, 5; shl.b32 %r1, %r3, 2; L:", 0,
                  1);
}

CASE(what_is_dear_or_has_effects_stays)
{
    CHECK_STAYS("@%p1 bra L; div.u32 %r1, %r1, %r2; L:");
    CHECK_STAYS("@%p1 bra L; ld.global.u32 %r1, [%rd1+4]; L:");
    CHECK_STAYS("@%p1 bra L; st.global.u32 [%rd1+4], %r1; L:");
    CHECK_STAYS("@%p1 bra L; add.f64 %fd1, %fd1, %fd1;\n"
                "cvt.rzi.u32.f64 %r1, %fd1; L:");
    CHECK_STAYS("@%p1 bra L; @%p2 add.u32 %r1, %r1, 5; L:");
    CHECK_STAYS("@%p1 bra L; add.u32 %r1, %r1, 5; add.u32 %r1, %r1, %r2;\n"
                "add.u32 %r1, %r1, 5; add.u32 %r1, %r1, %r2;\n"
                "add.u32 %r1, %r1, 5; add.u32 %r1, %r1, %r2;\n"
                "add.u32 %r1, %r1, 5; add.u32 %r1, %r1, %r2; L:");
}

CASE(predicates_are_not_chosen)
{
    CHECK_STAYS("@%p1 bra L; setp.eq.u32 %p2, %r1, 5; L:\n"
                "@%p2 st.global.u32 [%rd1+4], %r1;");
}

CASE(a_way_with_another_entry_stays)
{
    CHECK_STAYS("@%p1 bra W; st.global.u32 [%rd1+4], %r2; @%p2 bra W;\n"
                "st.global.u32 [%rd1+8], %r2; bra.uni L;\n"
                "W: add.u32 %r1, %r1, 5; L:");
}

CASE(loops_stay)
{
    CHECK_STAYS("L: add.u32 %r1, %r1, 5; setp.lt.u32 %p1, %r1, 90;\n"
                "@%p1 bra L;");
}

CASE(debug_code_stays)
{
    CHECK(
        !choose(", debug", "@%p1 bra L; add.u32 %r1, %r1, 5; L:").has_changed);
}

/* Each block of a row goes on with all that follow; it is not in them again. */
CASE(rows_of_branches_stay_as_long_as_they_are)
{
    enum { COUNT = 300 };
    sw_buf body;
    sw_buf_init(&body);
    for (unsigned i = 0; i < COUNT; i++)
        sw_buf_printf(&body, "@%%p1 bra L%u; add.u32 %%r1, %%r1, %u; L%u:\n", i,
                      i, i);
    seen s = choose("", body.p);
    CHECK_EQ(s.branches, 0);
    CHECK_EQ(s.choices, COUNT);
    CHECK_EQ(s.blocks, 1);
    CHECK(s.all < 6 * COUNT);
    sw_buf_finish(&body);
}
