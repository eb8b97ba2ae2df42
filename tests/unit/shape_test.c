/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape_test.c - what is known of how lanes differ: of the value that a kernel
 * stores first, for a block of a given shape.
 */
#include "check.h"
#include "exec/engine.h"
#include "kernel.h"
#include "opt/shape.h"

static sw_shape_kind
stored_kind(const sw_fn *fn, const uint32_t ntid[3], uint32_t lanes)
{
    sw_lane_map map;
    sw_lane_map_init(&map, ntid, lanes);
    sw_cfg *cfg = sw_cfg_create(fn);
    sw_liveness *live = sw_liveness_create(fn, cfg);
    sw_shapes *shapes = sw_shapes_create(fn, cfg, live, &map);
    sw_shape_kind kind = SW_SHAPE_NONE;
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            if (ins->op == SW_OP_ST && kind == SW_SHAPE_NONE)
                kind = (sw_shape_kind)sw_shapes_source(shapes, ins, 1).kind;
        }
    sw_shapes_destroy(shapes);
    sw_liveness_destroy(live);
    sw_cfg_destroy(cfg);
    return kind;
}

/* How lanes of blocks of nx * ny threads differ in %r9. %r1 to %r4: the index
 * in the block, in the grid, and the block's extent and number. */
static sw_shape_kind
kind_of(const char *body, uint32_t nx, uint32_t ny, uint32_t lanes)
{
    kernel k;
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(
        &text,
        KERNEL_HEAD
        ".visible .entry k() {\n.reg .b32 %%r<40>; .reg .pred %%p, %%q;\n"
        ".reg .b64 %%d<9>; .shared .align 4 .b8 s[4];\n"
        "mov.u32 %%r1, %%tid.x; mov.u32 %%r3, %%ntid.x;\n"
        "mov.u32 %%r4, %%ctaid.x; mad.lo.u32 %%r2, %%r3, %%r4, "
        "%%r1;\n%s\nst.shared.u32 [s], %%r9;\nret;\n}\n",
        body);
    CHECK(kernel_create(&k, text.p, 0));
    sw_shape_kind kind =
        stored_kind(k.program->kernel, (const uint32_t[3]){nx, ny, 1}, lanes);
    kernel_destroy(&k);
    sw_buf_finish(&text);
    return kind;
}

CASE(lanes_of_a_warp_agree_on_its_index)
{
    const char *warp = "shr.u32 %r9, %r2, 5;";
    CHECK_EQ(kind_of(warp, 96, 1, 32), SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of(warp, 64, 4, 32), SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of(warp, 256, 1, 64), SW_SHAPE_AFFINE);
    CHECK_EQ(kind_of(warp, 48, 1, 32), SW_SHAPE_VARYING);
    CHECK_EQ(kind_of("shr.u32 %r9, %r2, 4;", 16, 8, 32), SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of("shr.u32 %r9, %r2, 4;", 96, 1, 32), SW_SHAPE_AFFINE);
    CHECK_EQ(kind_of("shr.u32 %r9, %r2, 7;", 96, 1, 32), SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of("cvt.u64.u32 %d1, %r3; mul.wide.u32 %d2, %r3, %r4;\n"
                     "cvt.u64.u32 %d3, %r1; add.s64 %d4, %d2, %d3;\n"
                     "shr.u64 %d5, %d4, 5; cvt.u32.u64 %r9, %d5;",
                     64, 1, 32),
             SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of("add.u32 %r5, %r2, 1; shr.u32 %r9, %r5, 5;", 64, 1, 32),
             SW_SHAPE_VARYING);
}

/* The first thread of a warp, of a pair of warps, the number of a warp in its
 * block: as compilers write them that know an index to be less than 1,024. */
CASE(bits_above_those_of_lanes_are_one_value)
{
    CHECK_EQ(kind_of("and.b32 %r9, %r1, 992;", 96, 1, 32), SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of("and.b32 %r9, %r1, -32;", 96, 1, 32), SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of("and.b32 %r9, %r1, 1008;", 96, 1, 32), SW_SHAPE_AFFINE);
    CHECK_EQ(kind_of("and.b32 %r9, %r1, 992;", 256, 1, 64), SW_SHAPE_AFFINE);
    CHECK_EQ(kind_of("and.b32 %r9, %r1, 992;", 48, 1, 32), SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of("and.b32 %r9, %r1, 992;", 48, 4, 32), SW_SHAPE_VARYING);
    CHECK_EQ(kind_of("and.b32 %r9, %r1, 64;", 256, 1, 32), SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of("and.b32 %r9, %r2, 0x3fffffe0;", 64, 1, 32),
             SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of("and.b32 %r9, %r1, 80;", 256, 1, 32), SW_SHAPE_VARYING);
    CHECK_EQ(kind_of("bfe.u32 %r9, %r1, 5, 3;", 256, 1, 32), SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of("bfe.u32 %r9, %r1, 4, 3;", 256, 1, 32), SW_SHAPE_VARYING);
    CHECK_EQ(kind_of("bfe.u32 %r9, %r1, 5, %r1;", 256, 1, 32),
             SW_SHAPE_VARYING);
    CHECK_EQ(kind_of("add.u32 %r5, %r1, 1; and.b32 %r9, %r5, 992;", 64, 1, 32),
             SW_SHAPE_VARYING);
}

/* A lane that the program finds out, as long as all lanes are there. */
CASE(what_one_lane_tells_is_one_value)
{
    static const char text[] = "%s shfl.sync.idx.b32 %%r9, %%r2, %s, %s, -1;";
    static const struct {
        const char *before, *lane, *control;
        sw_shape_kind kind;
    } of[] = {
        {"", "%r4", "31", SW_SHAPE_UNIFORM},
        {"", "7", "31", SW_SHAPE_UNIFORM},
        {"", "%r1", "31", SW_SHAPE_VARYING},
        {"", "%r4", "0x1c1f", SW_SHAPE_VARYING},
        {"", "%r4", "30", SW_SHAPE_VARYING},
        {"setp.lt.u32 %p, %r1, 7; @%p ret;", "%r4", "31", SW_SHAPE_VARYING},
    };
    char body[256];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        snprintf(body, sizeof body, text, of[i].before, of[i].lane,
                 of[i].control);
        CHECK_EQ(kind_of(body, 64, 1, 32), of[i].kind);
    }
    snprintf(body, sizeof body, text, "", "%r4", "31");
    CHECK_EQ(kind_of(body, 40, 1, 32), SW_SHAPE_VARYING);
}

/* Where one lane does something by itself, while others are gone, the rest of
 * the lanes are together again behind it: in an inner loop, too, that they
 * leave for the beginning of the outer one. */
CASE(lanes_that_meet_again_agree)
{
    static const char loop[] =
        ".reg .pred %%l, %%m; setp.ge.u32 %%p, %%r1, 40; @%%p ret;\n"
        "setp.ne.u32 %%q, %%r1, 3; mov.u32 %%r9, %%r4;\n"
        "A: ld.shared.u32 %%r6, [s];\n"
        "B: @%%q bra M;\nst.shared.u32 [s], %%r9;\n"
        "M: ld.shared.u32 %%r5, [s];\n"
        "setp.eq.u32 %%l, %s, %%r6; add.u32 %%r9, %%r9, 2; @%%l bra A;\n"
        "setp.lt.u32 %%m, %%r9, %s; @%%m bra B;\n";
    static const struct {
        const char *again, *limit;
        sw_shape_kind kind;
    } of[] = {{"%r5", "99", SW_SHAPE_UNIFORM},
              {"%r1", "99", SW_SHAPE_VARYING}, /* some go around earlier */
              {"%r5", "%r1", SW_SHAPE_VARYING} /* they leave one by one */};
    char body[512];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        snprintf(body, sizeof body, loop, of[i].again, of[i].limit);
        CHECK_EQ(kind_of(body, 64, 1, 32), of[i].kind);
    }
}

/* As compilers divide by 32 what has a sign. */
CASE(the_sign_of_an_index_is_known)
{
    CHECK_EQ(kind_of("shr.s32 %r5, %r2, 31; shr.u32 %r6, %r5, 27;\n"
                     "add.s32 %r7, %r2, %r6; shr.s32 %r9, %r7, 5;",
                     64, 1, 32),
             SW_SHAPE_UNIFORM);
    /* of twice the index: its own, or a bit below */
    CHECK_EQ(kind_of("shl.b32 %r10, %r2, 1; shr.s32 %r5, %r10, 31;\n"
                     "shr.u32 %r6, %r5, 26; add.s32 %r7, %r10, %r6;\n"
                     "shr.s32 %r9, %r7, 6;",
                     64, 1, 32),
             SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of("shl.b32 %r10, %r2, 1; bfe.s32 %r5, %r2, 30, 1;\n"
                     "shr.u32 %r6, %r5, 26; add.s32 %r7, %r10, %r6;\n"
                     "shr.s32 %r9, %r7, 6;",
                     64, 1, 32),
             SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of("bfe.s32 %r9, %r2, 29, 1;", 64, 4, 32), SW_SHAPE_UNIFORM);
    CHECK_EQ(kind_of("bfe.s32 %r9, %r2, 29, 1;", 48, 4, 32), SW_SHAPE_VARYING);
}

/* Parts of addresses that each of two branches works out, where lanes part. */
CASE(what_branches_compute_alike_is_one_value)
{
    static const char *const others[] = {
        "sub.u32 %r9, %r3, %r4;", "add.u32 %r9, %r3, %r3;",
        "@%p add.u32 %r9, %r3, %r4;",
        "add.u32 %r9, %r3, %r4; add.u32 %r4, %r4, 1;",
        "add.u32 %r9, %r3, %r4; mov.u32 %r9, %r9;"};
    static const char text[] = "setp.lt.u32 %%p, %%r1, 7; @%%p bra A;\n"
                               "add.u32 %%r9, %s, %%r4; bra B;\nA: %s\nB:";
    char body[256];
    snprintf(body, sizeof body, text, "%r3", "add.u32 %r9, %r3, %r4;");
    CHECK_EQ(kind_of(body, 64, 1, 32), SW_SHAPE_UNIFORM);
    snprintf(body, sizeof body, text, "%r1", "add.u32 %r9, %r1, %r4;");
    CHECK_EQ(kind_of(body, 64, 1, 32), SW_SHAPE_AFFINE);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(body, sizeof body, text, "%r3", others[i]);
        CHECK_EQ(kind_of(body, 64, 1, 32), SW_SHAPE_VARYING);
    }
}

CASE(limits_between_warps_do_not_part_lanes)
{
    static const char *const same[] = {
        "setp.lt.u32 %p, %r1, 64;", "setp.ge.s32 %p, %r2, 96;",
        "setp.gt.u32 %p, %r1, 63;", "setp.le.s32 %p, %r2, 31;",
        "setp.gt.u32 %p, 64, %r1;", "setp.lt.u32 %p, 63, %r1;",
        "setp.lt.u32 %p, %r2, %r3;"};
    static const char *const other[] = {
        "setp.lt.u32 %p, %r1, 63;", "setp.gt.u32 %p, %r1, 64;",
        "setp.le.u32 %p, 63, %r1;", "setp.eq.u32 %p, %r1, 64;",
        "setp.lt.u32 %p, %r1, %r4;"};
    char text[128];
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        snprintf(text, sizeof text, "%s selp.u32 %%r9, 1, 2, %%p;", same[i]);
        CHECK_EQ(kind_of(text, 128, 1, 32), SW_SHAPE_UNIFORM);
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        snprintf(text, sizeof text, "%s selp.u32 %%r9, 1, 2, %%p;", other[i]);
        CHECK_EQ(kind_of(text, 128, 1, 32), SW_SHAPE_VARYING);
    }
}

/* An index that starts as the thread's and grows by the block: what is known of
 * it before its loop holds behind branches, too. */
CASE(a_limit_holds_where_one_write_is_seen)
{
    static const char text[] =
        "setp.eq.u32 %%p, %%r4, 7; @%%p bra A; mov.u32 %%r8, 1; bra B;\n"
        "A: mov.u32 %%r8, 2;\nB: shr.u32 %%r9, %%r1, %d;\n"
        "L: add.u32 %%r1, %%r1, %%r3; setp.lt.u32 %%p, %%r1, %%r8;\n"
        "@%%p bra L;";
    char body[512];
    snprintf(body, sizeof body, text, 10);
    CHECK_EQ(kind_of(body, 100, 10, 32), SW_SHAPE_VARYING);
    CHECK_EQ(kind_of(body, 48, 2, 32), SW_SHAPE_VARYING);
    CHECK_EQ(kind_of(body, 20, 1, 32), SW_SHAPE_UNIFORM);
}

/* Behind a test of bounds a loop that lanes leave one by one: those that have
 * left do not need its index, nor do those that wait for it to begin. */
CASE(an_index_of_who_is_still_in_a_loop_is_one)
{
    static const char text[] =
        "mov.u32 %%r5, %%nctaid.x; setp.ge.u32 %%p, %%r2, %%r5;\n"
        "@%%p bra F; setp.eq.u32 %%q, %%r4, 7; @%%q bra E;\n"
        "mov.u32 %%r6, 0; mov.u32 %%r9, 0;\n"
        "L: st.shared.u32 [s], %%r6; mul.lo.u32 %%r7, %%r6, %%r6;\n"
        "%s\nsetp.ge.u32 %%p, %%r7, %%r1; @%%p bra E;\n"
        "add.u32 %%r6, %%r6, 1; setp.lt.u32 %%p, %%r6, %%r5; @%%p bra L;\n"
        "E: add.u32 %%r9, %%r9, 1; %s\nF:";
    char body[512];
    snprintf(body, sizeof body, text, "", "");
    CHECK_EQ(kind_of(body, 256, 1, 32), SW_SHAPE_UNIFORM);
    snprintf(body, sizeof body, text, "", "mov.u32 %r9, %r6;");
    CHECK_EQ(kind_of(body, 256, 1, 32), SW_SHAPE_VARYING);
}
