/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_fused_warps_test.c - how many warps of a block run together, by the
 * block's shape and by what the kernel does. Nothing is run.
 */
#include "jit_request.h"

/* How many warps are fused for blocks of nx * ny threads on a processor. */
static uint32_t
team_on(const char *cpu, const char *body, uint32_t nx, uint32_t ny)
{
    const uint32_t ntid[3] = {nx, ny, 1};
    jit_kernel k;
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text,
                  KERNEL_HEAD ".shared .align 4 .b8 s[1024];\n"
                              ".visible .entry k(.param .u32 n) {\n"
                              ".reg .b32 %%r<40>; .reg .b64 %%d<9>;\n"
                              ".reg .pred %%p<3>;\nmov.u32 %%r1, %%tid.x;\n"
                              "mov.u32 %%r2, s; mad.lo.u32 %%r3, %%r1, 4, "
                              "%%r2;\n%s\nret;\n}\n",
                  body);
    jit_kernel_create(&k, text.p, cpu, ntid, 1024);
    for (unsigned i = 0; i < SW_JIT_FUSED_SIZES; i++)
        sw_lane_map_init(&k.request.fused_maps[i], ntid, 64u << i);
    sw_jit_result result;
    sw_jit_compile(&k.request, &result);
    CHECK(result.object != NULL);
    uint32_t fused = result.fused;
    sw_jit_free(&result);
    jit_kernel_destroy(&k);
    sw_buf_finish(&text);
    return fused;
}

static uint32_t
fused_of(const char *body, uint32_t nx, uint32_t ny)
{
    return team_on("x86-64-v4", body, nx, ny);
}

static const char exchange[] =
    "st.shared.u32 [%r3], %r1; bar.sync 0; xor.b32 %r4, %r3, 4;\n"
    "ld.shared.u32 %r5, [%r4]; bar.sync 0; st.shared.u32 [%r3], %r5;\n";

CASE(a_team_divides_its_block)
{
    CHECK_EQ(fused_of(exchange, 256, 1), 8);
    CHECK_EQ(fused_of(exchange, 16, 16), 8);
    CHECK_EQ(fused_of(exchange, 1024, 1), 8);
    CHECK_EQ(fused_of(exchange, 128, 1), 4);
    CHECK_EQ(fused_of(exchange, 384, 1), 4);
    CHECK_EQ(fused_of(exchange, 64, 1), 2);
    CHECK_EQ(fused_of(exchange, 192, 1), 2);
    CHECK_EQ(fused_of(exchange, 96, 1), 1);
    CHECK_EQ(fused_of(exchange, 100, 1), 1);
}

CASE(what_knows_its_warp_has_no_team)
{
    CHECK_EQ(fused_of("bar.sync 0;\n"
                      "match.any.sync.b32 %r5, %r1, 0xffffffff;\n"
                      "st.shared.u32 [%r3], %r5;\n",
                      256, 1),
             1);
    CHECK_EQ(fused_of("bar.sync 0; activemask.b32 %r5;\n"
                      "shfl.sync.bfly.b32 %r6, %r5, 1, 31, 0xffffffff;\n"
                      "st.shared.u32 [%r3], %r6;\n",
                      256, 1),
             8);
}

CASE(volatile_memory_has_a_team_unless_warps_wait_by_it)
{
    static const char volatile_exchange[] =
        "st.volatile.shared.u32 [%r3], %r1; bar.sync 0;\n"
        "xor.b32 %r4, %r3, 4; ld.volatile.shared.u32 %r5, [%r4];\n"
        "bar.sync 0; st.volatile.shared.u32 [%r3], %r5;\n";
    char text[512];
    CHECK_EQ(fused_of(volatile_exchange, 256, 1), 8);
    snprintf(text, sizeof text,
             "%sL: ld.volatile.shared.u32 %%r6, [s+64];\n"
             "setp.eq.u32 %%p1, %%r6, 0; @%%p1 bra L;\n",
             volatile_exchange);
    CHECK_EQ(fused_of(text, 256, 1), 1);
}

CASE(what_ends_at_once_has_no_team)
{
    CHECK_EQ(fused_of("st.shared.u32 [%r3], %r1;\n", 256, 1), 1);
}

/* A loop behind a test: `place` leaves lanes' indices in %r4, `test` a
 * predicate in %p1; lanes for whom it holds add up 16 words of their own. */
static uint32_t
team_behind(const char *place, const char *test)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text,
                  "%s\n%s\n@!%%p1 bra END;\n"
                  "mov.u32 %%r6, 0; mov.u32 %%r7, 0;\n"
                  "L: ld.shared.u32 %%r8, [%%r3]; add.u32 %%r7, %%r7, %%r8;\n"
                  "add.u32 %%r6, %%r6, 1; setp.lt.u32 %%p2, %%r6, 16;\n"
                  "@%%p2 bra L;\nst.shared.u32 [%%r3], %%r7;\nEND:\n",
                  place, test);
    uint32_t fused = fused_of(text.p, 16, 16);
    sw_buf_finish(&text);
    return fused;
}

CASE(tests_of_bounds_do_not_part_a_team)
{
    static const char in_grid[] =
        "mov.u32 %r10, %ctaid.x; mov.u32 %r11, %ntid.x;\n"
        "mad.lo.u32 %r4, %r10, %r11, %r1; mov.u32 %r5, %nctaid.y;";
    CHECK_EQ(team_behind(in_grid, "setp.lt.s32 %p1, %r4, %r5;"), 8);
    CHECK_EQ(team_behind(in_grid, "mov.u32 %r12, %tid.y;\n"
                                  "mad.lo.u32 %r12, %r10, %r11, %r12;\n"
                                  "max.s32 %r12, %r4, %r12;\n"
                                  "setp.lt.s32 %p1, %r12, %r5;"),
             8);
}

/* So many values live at once that 256 lanes of them would mostly be in memory,
 * those of 64 not. */
CASE(registers_limit_a_team)
{
    CHECK_EQ(fused_of("ld.shared.u32 %r10, [%r3];\n"
                      "ld.shared.u32 %r11, [%r3];\n"
                      "ld.shared.u32 %r12, [%r3];\n"
                      "ld.shared.u32 %r13, [%r3];\n"
                      "bar.sync 0; add.u32 %r14, %r10, %r11;\n"
                      "add.u32 %r14, %r14, %r12; add.u32 %r14, %r14, %r13;\n"
                      "st.shared.u32 [%r3], %r14;\n",
                      256, 1),
             2);
}

/* With AVX2: where there is little but barriers masks and registers cost less
 * than those; masks otherwise only where they may be needed. */
CASE(barriers_make_a_team_without_avx512)
{
    static const char cpu[] = "x86-64-v3";
    static const char level[] =
        "ld.param.u32 %r20, [n];\n"
        "L: setp.ge.u32 %p1, %r1, %r20; @%p1 bra M;\n"
        "ld.shared.u32 %r5, [%r3+4]; st.shared.u32 [%r3], %r5;\n"
        "M: bar.sync 0; shr.u32 %r20, %r20, 1; setp.ne.u32 %p2, %r20, 0;\n"
        "@%p2 bra L;\n";
    static const char sum[] =
        "ld.param.u32 %r20, [n]; mov.u32 %r21, %ntid.x; mov.u32 %r7, 0;\n"
        "setp.ge.u32 %p1, %r1, %r20; @%p1 bra M; mov.u32 %r6, %r1;\n"
        "L: ld.shared.u32 %r8, [%r3]; add.u32 %r7, %r7, %r8;\n"
        "add.u32 %r6, %r6, %r21; setp.lt.u32 %p2, %r6, %r20;\n"
        "@%p2 bra L;\nM: st.shared.u32 [%r3], %r7;\n";
    CHECK_EQ(team_on(cpu, level, 1024, 1), 4);
    CHECK_EQ(team_on(cpu, sum, 1024, 1), 2);
}

/* Of a column of a matrix, which all rows of threads load. */
CASE(what_warps_share_makes_a_team)
{
    static const char column[] =
        "ld.param.u32 %r20, [n]; mul.lo.u32 %r21, %r1, %r20;\n"
        "mov.u32 %r7, 0; mov.u32 %r6, 0;\n"
        "L: add.u32 %r9, %r21, %r6; mul.wide.u32 %d1, %r9, 4;\n"
        "ld.global.u32 %r8, [%d1]; ld.global.u32 %r10, [%d1+4];\n"
        "ld.global.u32 %r11, [%d1+8]; ld.global.u32 %r12, [%d1+12];\n"
        "add.u32 %r8, %r8, %r10; add.u32 %r11, %r11, %r12;\n"
        "mad.lo.u32 %r7, %r8, %r11, %r7; add.u32 %r6, %r6, 1;\n"
        "setp.lt.u32 %p1, %r6, %r20; @%p1 bra L;\n"
        "st.shared.u32 [%r3], %r7;\n";
    CHECK_EQ(team_on("x86-64-v3", column, 32, 8), 8);
    CHECK_EQ(team_on("x86-64-v3", column, 256, 1), 1);
}

CASE(lanes_of_a_block_are_threads)
{
    sw_lane_map map;
    sw_lane_map_init(&map, (uint32_t[]){16, 16, 1}, 256);
    CHECK(map.is_full && map.is_block && map.is_regular[0] &&
          map.is_regular[1] && map.is_regular[2]);
    CHECK_EQ(map.lane[0][255], 15);
    CHECK_EQ(map.lane[1][255], 15);
    CHECK_EQ(map.ntid[1], 16);
    sw_lane_map_init(&map, (uint32_t[]){16, 32, 1}, 256);
    CHECK(map.is_full && !map.is_block);
    CHECK_EQ(map.align[1], 4); /* fused warps begin at row 0 or 16 */
    sw_lane_map_init(&map, (uint32_t[]){7, 1, 1}, 32);
    CHECK(map.is_block && !map.is_full);
}
