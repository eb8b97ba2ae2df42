/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix_lanes.c - matrix instructions of a whole warp at once: which function
 * makes a product, and fragments from memory and back. Compiled once for each
 * vector extension, as lanes.c is.
 */
#include <string.h>

#include "interp/lanes.h"
#include "interp/turn.h"

typedef uint32_t words __attribute__((vector_size(16)));
typedef uint64_t longs __attribute__((vector_size(16)));

/* Four words each of two registers, and the eight neighbours they are. Vectors
 * are moved one by one: what is put together in memory is waited for. */
static inline UNCHECKED void
join_pairs(const uint32_t *even, const uint32_t *odd, uint8_t *to)
{
    words a, b;
    memcpy(&a, even, sizeof a);
    memcpy(&b, odd, sizeof b);
    words low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    words high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    memcpy(to, &low, sizeof low);
    memcpy(to + sizeof low, &high, sizeof high);
}

static inline UNCHECKED void
part_pairs(const uint8_t *from, uint32_t *even, uint32_t *odd)
{
    words a, b;
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + sizeof a, sizeof b);
    words part = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    memcpy(even, &part, sizeof part);
    part = __builtin_shufflevector(a, b, 1, 3, 5, 7);
    memcpy(odd, &part, sizeof part);
}

/* The same of 64 bits. */
static inline UNCHECKED void
join_long_pairs(const uint64_t *even, const uint64_t *odd, uint8_t *to)
{
    for (unsigned i = 0; i < 4; i += 2, to += 32) {
        longs a, b;
        memcpy(&a, even + i, sizeof a);
        memcpy(&b, odd + i, sizeof b);
        longs low = __builtin_shufflevector(a, b, 0, 2);
        longs high = __builtin_shufflevector(a, b, 1, 3);
        memcpy(to, &low, sizeof low);
        memcpy(to + sizeof low, &high, sizeof high);
    }
}

static inline UNCHECKED void
part_long_pairs(const uint8_t *from, uint64_t *even, uint64_t *odd)
{
    for (unsigned i = 0; i < 4; i += 2, from += 32) {
        longs a, b;
        memcpy(&a, from, sizeof a);
        memcpy(&b, from + sizeof a, sizeof b);
        longs low = __builtin_shufflevector(a, b, 0, 2);
        longs high = __builtin_shufflevector(a, b, 1, 3);
        memcpy(even + i, &low, sizeof low);
        memcpy(odd + i, &high, sizeof high);
    }
}

/* ---- wmma.load and wmma.store ---- */

typedef uint16_t __attribute__((may_alias)) word16;
typedef uint32_t __attribute__((may_alias)) word32;
typedef uint64_t __attribute__((may_alias)) word64;

/* Where element i of each lane lies, from the fragment's beginning. */
static void
find_elements(const int32_t *place, uint64_t stride, unsigned bytes,
              uint64_t *restrict at)
{
    LANES at[i] =
        ((uint64_t)(place[i] >> 16) * stride + (uint64_t)(place[i] & 0xffff)) *
        bytes;
}

static UNCHECKED void
load_elements(const uint8_t *base, const uint64_t *at, unsigned bytes,
              unsigned shift, uint32_t *reg)
{
    uint32_t v[32];
    switch (bytes) {
    case 1:
        for (int i = 0; i < 32; i++)
            v[i] = base[at[i]];
        break;
    case 2:
        for (int i = 0; i < 32; i++)
            v[i] = *(const word16 *)(base + at[i]);
        break;
    case 4:
        LANES reg[i] = *(const word32 *)(base + at[i]);
        return;
    default:
        LANES((word64 *)reg)[i] = *(const word64 *)(base + at[i]);
        return;
    }
    if (shift) {
        LANES reg[i] |= v[i] << shift;
    } else {
        LANES reg[i] = v[i];
    }
}

static UNCHECKED void
store_elements(uint8_t *base, const uint64_t *at, unsigned bytes,
               unsigned shift, const uint32_t *reg)
{
    for (int i = 0; i < 32; i++)
        switch (bytes) {
        case 1:
            base[at[i]] = (uint8_t)(reg[i] >> shift);
            break;
        case 2:
            *(word16 *)(base + at[i]) = (uint16_t)(reg[i] >> shift);
            break;
        case 4:
            *(word32 *)(base + at[i]) = reg[i];
            break;
        default:
            *(word64 *)(base + at[i]) = ((const word64 *)reg)[i];
        }
}

/* Eight neighbours in memory are those of two registers in turn, four each; at:
 * the first of them in either. */
static inline UNCHECKED void
move_pairs(uint8_t *row, void *const regs[2], unsigned at, bool is_wide,
           bool to_memory)
{
    uint32_t *even = (uint32_t *)regs[0] + at, *odd = (uint32_t *)regs[1] + at;
    uint64_t *wide[2] = {(uint64_t *)regs[0] + at, (uint64_t *)regs[1] + at};
    if (is_wide && to_memory)
        join_long_pairs(wide[0], wide[1], row);
    else if (is_wide)
        part_long_pairs(row, wide[0], wide[1]);
    else if (to_memory)
        join_pairs(even, odd, row);
    else
        part_pairs(row, even, odd);
}

/* Columns of memory, which lanes have as rows. */
static inline UNCHECKED void
turn_tile(unsigned bytes, uint8_t *at, size_t apart, uint8_t *reg,
          bool to_memory)
{
    if (bytes == 2 && to_memory)
        turn(reg, 16, at, apart);
    else if (bytes == 2)
        turn(at, apart, reg, 16);
    else if (bytes == 1)
        turn_octets(at, apart, reg);
    else if (bytes == 4)
        turn_words(at, apart, reg);
    else
        turn_longs(at, apart, reg);
}

/* Rows of 16 bytes, or of 32 where a register of 64 bits has them. */
static inline UNCHECKED void
move_rows(uint8_t *at, size_t apart, uint8_t *reg, size_t bytes, bool to_memory)
{
    for (unsigned row = 0; row < 8; row++, at += apart, reg += bytes)
        memcpy(to_memory ? at : reg, to_memory ? reg : at, bytes);
}

/* Fragments in tiles. A guest's other lanes may write meanwhile what is read
 * here. */
static UNCHECKED void
transfer_tiles(const sw_matrix_plan *plan, uint8_t *base, uint64_t stride,
               void *const regs[], bool to_memory)
{
    const sw_sem_frag *f = &plan->frag[0];
    unsigned bytes = f->elem_bits / 8u, pair = plan->lie == SW_TILE_PAIRS;
    size_t apart = stride * bytes;
    for (unsigned r = 0; r < f->regs; r += 1 + pair) {
        const sw_matrix_tile *t = &plan->moves[r];
        uint8_t *at = base + (t->row * stride + t->col) * bytes;
        if (plan->lie == SW_TILE_COLUMNS)
            turn_tile(bytes, at, apart, regs[r], to_memory);
        else if (pair)
            for (unsigned row = 0; row < 8; row++, at += apart)
                move_pairs(at, regs + r, 4 * row, bytes == 8, to_memory);
        else if (f->reg_bits == 64)
            move_rows(at, apart, regs[r], 32, to_memory);
        else
            move_rows(at, apart, regs[r], 16, to_memory);
    }
}

void
SW_LANE_TRANSFER(SW_VARIANT)(const sw_matrix_plan *plan, uint8_t *base,
                             uint64_t stride, void *const regs[],
                             bool to_memory)
{
    const sw_sem_frag *f = &plan->frag[0];
    const int32_t *place = plan->place[0];
    unsigned bytes = f->elem_bits / 8u;
    if (plan->moves) {
        transfer_tiles(plan, base, stride, regs, to_memory);
        return;
    }
    for (unsigned r = 0; r < f->regs; r++)
        for (unsigned part = 0; part < f->per_reg; part++, place += 32) {
            uint64_t at[32];
            find_elements(place, stride, bytes, at);
            if (to_memory)
                store_elements(base, at, bytes, part * f->elem_bits, regs[r]);
            else
                load_elements(base, at, bytes, part * f->elem_bits, regs[r]);
        }
}

/* d is put where it belongs when it is complete: it may lie where a, b or c
 * do, and what has no product so still needs them. */
bool
SW_LANE_MULTIPLY(SW_VARIANT)(const sw_matrix_plan *plan, const void *const a[],
                             const void *const b[], const void *const c[],
                             void *const d[])
{
    __attribute__((aligned(64))) union {
        uint32_t words[SW_MATRIX_REGS][32];
        double doubles[SW_MATRIX_REGS][32];
    } out;
    const void *const *left = plan->turned ? b : a;
    const void *const *right = plan->turned ? a : b;
    __attribute__((aligned(64))) uint32_t whole[SW_MATRIX_TILES][32];
    const void *tiles[SW_MATRIX_TILES];
    if (plan->mx->sparse) {
        const void *names = c[plan->frag[2].regs];
        if (!sw_interp_matrix_expand(plan, a, names, whole))
            return false;
        for (unsigned i = 0; i < SW_MATRIX_TILES; i++)
            tiles[i] = whole[i];
        left = tiles;
    }
    switch (plan->mx->atype) {
    case SW_T_E4M3:
    case SW_T_E5M2:
        if (!SW_LANE_FLOATS(SW_VARIANT)(plan, left, right, c, out.words))
            return false;
        break;
    case SW_T_F16:
    case SW_T_BF16:
    case SW_T_TF32:
        if (!SW_LANE_FLOATS(SW_VARIANT)(plan, left, right, c, out.words) &&
            (plan->mx->sparse ||
             !SW_LANE_APART(SW_VARIANT)(plan, left, right, c, out.words)))
            return false;
        break;
    case SW_T_F64:
        if (plan->mx->rnd != SW_RND_NONE ||
            !SW_LANE_DOUBLES(SW_VARIANT)(plan, left, right, c, out.doubles))
            return false;
        for (unsigned r = 0; r < plan->frag[3].regs; r++)
            memcpy(d[r], out.doubles[r], sizeof out.doubles[r]);
        return true;
    default:
        SW_LANE_INTEGERS(SW_VARIANT)(plan, left, right, c, out.words);
    }
    for (unsigned r = 0; r < plan->frag[3].regs; r++)
        memcpy(d[r], out.words[r], sizeof out.words[r]);
    return true;
}
