/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - the special-function unit's value for 32 lanes with AVX-512;
 * see alu/approx.c for the sums.
 *
 * A row is six words of 16 bits: a and b with c1 = a * 2^8 + b, c2, and bits
 * 0..15, 16..29 and 30.. of c0. One permutation of two registers finds a word
 * of 64 rows for 32 lanes; operands of 32 lanes are packed into 16 bits, worked
 * on, and products of pairs summed in 32 bits (vpmaddwd), where two vectors of
 * 16 lanes come out in the order in which they went in.
 */
#include "jit/alu/private.h"

enum { WORDS = 6 };

static uint16_t
word_of(const alu_table *t, unsigned word, unsigned row)
{
    int64_t c0 = (int64_t)t->c0[row];
    int32_t c1 = (int32_t)t->c1[row], c2 = (int32_t)t->c2[row];
    switch (word) {
    case 0:
        return (uint16_t)(c1 >> 8);
    case 1:
        return (uint16_t)(c1 & 255);
    case 2:
        return (uint16_t)c2;
    case 3:
        return (uint16_t)c0;
    case 4:
        return (uint16_t)(c0 >> 16 & 0x3fff);
    default:
        return (uint16_t)(c0 >> 30);
    }
}

/* Rows [first, first + 32) of a word as a constant. */
static V
rows_of(const sw_alu *e, const alu_table *t, unsigned word, unsigned first)
{
    V lane[32];
    LLVMTypeRef i16 = LLVMInt16TypeInContext(e->ll->context);
    for (unsigned i = 0; i < 32; i++)
        lane[i] = LLVMConstInt(i16, word_of(t, word, first + i), false);
    return LLVMConstVector(lane, 32);
}

/* e has 32 lanes; row in 16 bits. */
static V
look_up(const sw_alu *e, const alu_table *t, unsigned word, V row)
{
    V found[2];
    for (unsigned i = 0; i < t->rows / 64; i++) {
        V args[3] = {rows_of(e, t, word, 64 * i), row,
                     rows_of(e, t, word, 64 * i + 32)};
        found[i] =
            v_x86(e, "llvm.x86.avx512.vpermi2var.hi.512", 32, args, 3, -1);
    }
    if (t->rows == 64)
        return found[0];
    V upper = v_icmpk(e, LLVMIntUGE, row, 64);
    return v_sel(e, upper, found[1], found[0]);
}

/* Two vectors of 16 lanes of 32 bits, numbers below 2^16, as 32 of 16, in the
 * order of the instruction; e has 32 lanes. */
static V
pack(const sw_alu *e, V v)
{
    V half[2] = {v_piece(e, v, 0, 16), v_piece(e, v, 1, 16)};
    sw_alu whole = *e;
    whole.lanes = 16;
    return v_x86(&whole, "llvm.x86.avx512.packusdw.512", 16, half, 2, -1);
}

/* Pairs of a and b as the instruction takes them, for 16 lanes. */
static V
interleave(const sw_alu *e, V a, V b, unsigned half)
{
    V mask[32];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->ll->context);
    for (unsigned i = 0; i < 32; i++) {
        unsigned word = i / 8 * 8 + half * 4 + i % 8 / 2;
        mask[i] = LLVMConstInt(i32, word + (i & 1) * 32, false);
    }
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(mask, 32), "");
}

/* Of 16 pairs: the sum of the products. */
static V
products(const sw_alu *e, V a, V b)
{
    return v_x86(e, "llvm.x86.avx512.pmaddw.d.512", 32, (V[]){a, b}, 2, -1);
}

/* As sem_sfu_square; e has 32 lanes. The sum is a tree: what follows waits for
 * it. */
static V
square(const sw_alu *e, V xh, V xl)
{
    V high = v_lshrk(e, xh, 2);
    V low = v_or(e, v_shlk(e, v_andk(e, xh, 3), 8), xl);
    V term[8] = {v_shlk(e, v_mul(e, high, high), 1)};
    for (unsigned j = 0; j < 7; j++) {
        V bit = v_icmpk(e, LLVMIntNE, v_andk(e, high, 1u << j), 0);
        term[j + 1] = v_sel(e, bit, v_lshrk(e, low, 8 - j), v_k(e, low, 0));
    }
    for (unsigned n = 4; n; n /= 2)
        for (unsigned i = 0; i < n; i++)
            term[i] = v_add(e, term[i], term[i + n]);
    return term[0];
}

/* 32 lanes: *high of 2 * 16 lanes and the sum whose lower half the value's
 * is. That has c0's lower 30 bits, so it fits 32. */
static void
value32(const sw_alu *e, const alu_table *t, V row, V x, V high[2], V sum[2])
{
    sw_alu part = *e;
    V w[WORDS], xh = pack(e, v_lshrk(e, x, 8));
    V xl = pack(e, v_andk(e, x, 255)), sq = square(e, xh, xl);
    part.lanes = 16;
    row = pack(e, row);
    for (unsigned i = 0; i < WORDS; i++)
        w[i] = look_up(e, t, i, row);
    for (unsigned i = 0; i < 2; i++) {
        V c0 = v_cast(&part, LLVMBitCast, interleave(e, w[3], w[4], i),
                      v_int_type(&part, 32));
        V mid =
            products(e, interleave(e, w[0], w[1], i), interleave(e, xl, xh, i));
        V fine =
            products(e, interleave(e, w[1], w[2], i), interleave(e, xl, sq, i));
        sum[i] = v_add(&part, v_add(&part, v_shlk(&part, mid, 8), c0), fine);
        /* xh * a + 2^14 * (c0 >> 30) */
        V xs = v_lshrk(&part, v_piece(e, x, i, 16), 8);
        xs = v_cast(e, LLVMBitCast, v_ork(&part, xs, 0x40000000),
                    v_int_type(e, 16));
        high[i] = v_add(&part, products(e, interleave(e, w[0], w[5], i), xs),
                        v_ashrk(&part, sum[i], 16));
    }
}

void
alu_value_by_rows(const sw_alu *e, const alu_table *t, V row, V x, V *high,
                  V *low)
{
    V highs[ALU_MAX_LANES / 16], sums[ALU_MAX_LANES / 16];
    sw_alu part = *e;
    if (!e->b)
        return;
    part.lanes = 32;
    for (unsigned i = 0; i < e->lanes / 32; i++)
        value32(&part, t, v_piece(e, row, i, 32), v_piece(e, x, i, 32),
                highs + 2 * i, sums + 2 * i);
    *high = v_join(e, highs, e->lanes / 16, 16);
    *low = v_andk(e, v_join(e, sums, e->lanes / 16, 16), 0xffff);
}
