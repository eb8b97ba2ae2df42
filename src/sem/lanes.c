/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.c - see lanes.h. */
#include "sem/lanes.h"

#include "sem/sem.h"

/* PTX ISA 9.7.9 "shfl.sync": c holds the clamp value in bits 0..4 and the
 * segment mask in bits 8..12. */
uint32_t
sw_sem_shfl(unsigned mode, const uint32_t *a, const uint32_t *b,
            const uint32_t *c, uint32_t active, uint32_t *d)
{
    uint32_t in_range = 0, from[SW_LANES];
    for (unsigned i = 0; i < SW_LANES; i++) {
        unsigned bval = b[i] & 31, cval = c[i] & 31, mask = c[i] >> 8 & 31;
        int max = (int)((i & mask) | (cval & ~mask));
        int min = (int)(i & mask), j;
        bool p;
        switch (mode) {
        case SW_SHFL_UP:
            j = (int)i - (int)bval;
            p = j >= max;
            break;
        case SW_SHFL_DOWN:
            j = (int)(i + bval);
            p = j <= max;
            break;
        case SW_SHFL_BFLY:
            j = (int)(i ^ bval);
            p = j <= max;
            break;
        default:
            j = min | (int)(bval & ~mask);
            p = j <= max;
        }
        if (!p)
            j = (int)i;
        in_range |= (uint32_t)p << i;
        from[i] = active >> (j & 31) & 1 ? a[j & 31] : 0;
    }
    for (unsigned i = 0; i < SW_LANES; i++)
        if (active >> i & 1)
            d[i] = from[i];
    return in_range & active;
}

uint32_t
sw_sem_vote(unsigned mode, uint32_t pred, uint32_t active, uint32_t members)
{
    uint32_t who = active & members, yes = pred & who;
    switch (mode) {
    case SW_VOTE_ALL:
        return yes == who;
    case SW_VOTE_ANY:
        return yes != 0;
    case SW_VOTE_UNI:
        return yes == 0 || yes == who;
    default:
        return yes;
    }
}

void
sw_sem_match_any(const uint64_t *a, uint32_t active, uint32_t members,
                 uint32_t *d)
{
    uint32_t left = active & members;
    while (left) {
        uint64_t value = a[__builtin_ctz(left)];
        uint32_t same = 0;
        for (unsigned i = 0; i < SW_LANES; i++)
            same |= (uint32_t)(a[i] == value) << i;
        same &= left;
        for (unsigned i = 0; i < SW_LANES; i++)
            if (same >> i & 1)
                d[i] = same;
        left &= ~same;
    }
}

uint32_t
sw_sem_match_all(const uint64_t *a, uint32_t active, uint32_t members)
{
    uint32_t who = active & members;
    uint64_t first = who ? a[__builtin_ctz(who)] : 0;
    for (unsigned i = 0; i < SW_LANES; i++)
        if (who >> i & 1 && a[i] != first)
            return 0;
    return who;
}

static bool
redux_one(sw_atom what, sw_type type, sw_fmode m, uint32_t x, uint32_t y,
          uint32_t *d)
{
    bool f = type == SW_T_F32, s = type == SW_T_S32, b = type == SW_T_B32;
    if (!f && !s && !b && type != SW_T_U32)
        return false;
    switch (what) {
    case SW_ATOM_ADD:
        *d = x + y;
        return !f && !b;
    case SW_ATOM_MIN:
    case SW_ATOM_MAX: {
        bool max = what == SW_ATOM_MAX;
        if (f)
            *d = sem_bits_f32(
                sem_pick_f32(sem_f32_bits(x), sem_f32_bits(y), max, m));
        else if (s)
            *d = max ? sem_max_s32(x, y) : sem_min_s32(x, y);
        else
            *d = max ? sem_max_u32(x, y) : sem_min_u32(x, y);
        return !b;
    }
    case SW_ATOM_AND: /* .b32 in PTX, u32 in the IR */
        *d = x & y;
        return !f && !s;
    case SW_ATOM_OR:
        *d = x | y;
        return !f && !s;
    case SW_ATOM_XOR:
        *d = x ^ y;
        return !f && !s;
    default:
        return false;
    }
}

bool
sw_sem_redux(sw_atom what, sw_type type, unsigned flags, const uint32_t *a,
             uint32_t active, uint32_t members, uint32_t *d)
{
    uint32_t who = active & members, r = 0, unused;
    sw_fmode m = ((sw_fmode)flags << 4) & SW_FM_NAN;
    bool abs = flags & SW_F_XORSIGN, any = false;
    if (!redux_one(what, type, m, 0, 0, &unused) ||
        (flags & (SW_F_NAN | SW_F_XORSIGN) && type != SW_T_F32))
        return false;
    for (unsigned i = 0; i < SW_LANES; i++) {
        if (!(who >> i & 1))
            continue;
        uint32_t x = abs ? a[i] & 0x7fffffff : a[i];
        if (any)
            redux_one(what, type, m, r, x, &r);
        else
            r = type == SW_T_F32 && sem_f32_bits(x) != sem_f32_bits(x)
                    ? 0x7fffffff
                    : x;
        any = true;
    }
    *d = r;
    return true;
}

unsigned
sw_sem_elect(uint32_t active, uint32_t members)
{
    uint32_t who = active & members ? active & members : active;
    return who ? (unsigned)__builtin_ctz(who) : 0;
}

void
sw_sem_matrix_slot(bool trans, unsigned row, unsigned element, unsigned *lane,
                   unsigned *half)
{
    unsigned r = trans ? element : row, k = trans ? row : element;
    *lane = 4 * r + k / 2;
    *half = k & 1;
}

void
sw_sem_movmatrix(const uint32_t *a, uint32_t *d)
{
    uint32_t r[SW_LANES] = {0};
    for (unsigned row = 0; row < 8; row++)
        for (unsigned k = 0; k < 8; k++) {
            unsigned lane, half, to, to_half;
            sw_sem_matrix_slot(false, row, k, &lane, &half);
            sw_sem_matrix_slot(true, row, k, &to, &to_half);
            uint32_t x = a[lane] >> (16 * half) & 0xffff;
            r[to] |= x << (16 * to_half);
        }
    memcpy(d, r, sizeof r);
}
