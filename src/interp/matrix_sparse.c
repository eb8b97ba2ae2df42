/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix_sparse.c - a sparse a (mma.sp) as one that is not, with zeros: sums
 * have no other terms then. Of 16, 8 or 4 bits.
 *
 * Of four units, elements or two of 4 bits, two are there, side by side. Where
 * four of 16 bits begin a row of registers does, or its middle: they are two
 * words, and those that are there one. Of 8 bits, they are one, and half of
 * one.
 */
#include <string.h>

#include "interp/interp.h"

enum { ROWS = 8, WORDS = 4 };

/* Four units of 16 bits, of which two are there. */
static void
spread_halves(uint32_t both, unsigned names, uint32_t to[2])
{
    uint64_t low = (uint64_t)(both & 0xffff) << 16 * (names & 3);
    uint64_t high = (uint64_t)(both >> 16) << 16 * (names >> 2);
    to[0] = (uint32_t)(low | high);
    to[1] = (uint32_t)((low | high) >> 32);
}

static uint32_t
spread_bytes(uint32_t both, unsigned names)
{
    return (both & 0xff) << 8 * (names & 3) | (both >> 8 & 0xff)
                                                  << 8 * (names >> 2);
}

bool
sw_interp_matrix_expand(const sw_matrix_plan *plan, const void *const a[],
                        const uint32_t *names, uint32_t (*out)[SW_WARP_LANES])
{
    const sw_matrix_tiles *t = &plan->tiles;
    const sw_matrix_names *name = plan->names;
    bool is_half = sw_type_bits(plan->mx->atype) == 16;
    unsigned count = t->k * (is_half ? 2u : 4u); /* of four units, in a row */
    for (unsigned row = 0; row < plan->mx->m; row++)
        for (unsigned i = 0; i < count; i++, name++) {
            unsigned is = names[name->lane] >> name->at & 15;
            unsigned word = is_half ? i : i / 2;
            const uint32_t *from =
                a[plan->stored[row / ROWS * (t->k / 2) + word / WORDS]];
            uint32_t *to = out[row / ROWS * t->k + i * 4 / (is_half ? 8 : 16)];
            uint32_t both = from[row % ROWS * WORDS + word % WORDS];
            to += row % ROWS * WORDS;
            if ((is & 3) == is >> 2)
                return false;
            if (is_half)
                spread_halves(both, is, to + i % 2 * 2);
            else
                to[i % 4] = spread_bytes(i % 2 ? both >> 16 : both, is);
        }
    return true;
}
