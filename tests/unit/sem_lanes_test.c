/* SPDX-License-Identifier: Apache-2.0 */
/* sem_lanes_test.c - warp-level functions and the new values of atomics. */
#include "check.h"
#include "sem/atom.h"
#include "sem/lanes.h"

static const uint32_t all = UINT32_MAX;

static uint32_t a[32], b[32], bounds[32], d[32];

static uint32_t
shuffle(unsigned mode, uint32_t by, uint32_t bound, uint32_t active)
{
    for (unsigned i = 0; i < 32; i++) {
        a[i] = 100 + i;
        b[i] = by;
        bounds[i] = bound;
        d[i] = 7;
    }
    return sw_sem_shfl(mode, a, b, bounds, active, d);
}

CASE(shfl_modes)
{
    CHECK_EQ(shuffle(SW_SHFL_DOWN, 4, 31, all), 0x0fffffff);
    CHECK_EQ(d[0], 104);
    CHECK_EQ(d[30], 130);
    CHECK_EQ(shuffle(SW_SHFL_UP, 4, 0, all), 0xfffffff0);
    CHECK_EQ(d[4], 100);
    CHECK_EQ(d[3], 103);
    CHECK_EQ(shuffle(SW_SHFL_BFLY, 16, 31, all), all);
    CHECK_EQ(d[3], 119);
    CHECK_EQ(shuffle(SW_SHFL_IDX, 9, 31, all), all);
    CHECK_EQ(d[31], 109);
}

/* width 8: segment mask 0x18, clamp 7 (up: 0). */
CASE(shfl_segments)
{
    CHECK_EQ(shuffle(SW_SHFL_DOWN, 2, 0x1807, all), 0x3f3f3f3f);
    CHECK_EQ(d[8], 110);
    CHECK_EQ(d[15], 115);
    CHECK_EQ(shuffle(SW_SHFL_UP, 1, 0x1800, all), 0xfefefefe);
    CHECK_EQ(d[8], 108);
    CHECK_EQ(shuffle(SW_SHFL_IDX, 3, 0x1807, all), all);
    CHECK_EQ(d[20], 119);
    CHECK_EQ(shuffle(SW_SHFL_IDX, 11, 0x1807, all), all); /* modulo 8 */
    CHECK_EQ(d[20], 119);
}

CASE(shfl_touches_active_lanes_only)
{
    CHECK_EQ(shuffle(SW_SHFL_DOWN, 1, 31, 0x0000ffff), 0x0000ffff);
    CHECK_EQ(d[0], 101);
    CHECK_EQ(d[15], 0); /* lane 16 is not there */
    CHECK_EQ(d[16], 7);
}

CASE(votes)
{
    CHECK_EQ(sw_sem_vote(SW_VOTE_ALL, 0xf, 0xf, all), 1);
    CHECK_EQ(sw_sem_vote(SW_VOTE_ALL, 0x7, 0xf, all), 0);
    CHECK_EQ(sw_sem_vote(SW_VOTE_ALL, 0x7, 0xf, 0x7), 1);
    CHECK_EQ(sw_sem_vote(SW_VOTE_ANY, 0xf0, 0x0f, all), 0);
    CHECK_EQ(sw_sem_vote(SW_VOTE_ANY, 0xf8, 0x0f, all), 1);
    CHECK_EQ(sw_sem_vote(SW_VOTE_UNI, 0, all, all), 1);
    CHECK_EQ(sw_sem_vote(SW_VOTE_UNI, 1, 3, all), 0);
    CHECK_EQ(sw_sem_vote(SW_VOTE_BALLOT, 0xff, 0x3c, 0x0f), 0x0c);
}

CASE(matches)
{
    uint64_t v[32];
    for (unsigned i = 0; i < 32; i++) {
        v[i] = i % 3;
        d[i] = 7;
    }
    sw_sem_match_any(v, all, 0xffff, d);
    CHECK_EQ(d[0], 0x9249);
    CHECK_EQ(d[3], 0x9249);
    CHECK_EQ(d[1], 0x2492);
    CHECK_EQ(d[16], 7);
    CHECK_EQ(sw_sem_match_all(v, all, all), 0);
    CHECK_EQ(sw_sem_match_all(v, all, 0x9249), 0x9249);
}

CASE(reductions)
{
    uint32_t r;
    for (unsigned i = 0; i < 32; i++)
        a[i] = i - 4;
    CHECK(sw_sem_redux(SW_ATOM_ADD, SW_T_S32, 0, a, all, 0x1f, &r));
    CHECK_EQ(r, (uint32_t)-10);
    CHECK(sw_sem_redux(SW_ATOM_MIN, SW_T_S32, 0, a, all, all, &r));
    CHECK_EQ(r, (uint32_t)-4);
    CHECK(sw_sem_redux(SW_ATOM_MIN, SW_T_U32, 0, a, all, all, &r));
    CHECK_EQ(r, 0);
    CHECK(sw_sem_redux(SW_ATOM_XOR, SW_T_B32, 0, a, all, 0xf0, &r));
    CHECK_EQ(r, 0);
    CHECK(!sw_sem_redux(SW_ATOM_XOR, SW_T_F32, 0, a, all, all, &r));
    CHECK(!sw_sem_redux(SW_ATOM_INC, SW_T_U32, 0, a, all, all, &r));
    CHECK_EQ(sw_sem_elect(0xf0, 0xc0), 6);
}

CASE(movmatrix_transposes)
{
    for (unsigned i = 0; i < 32; i++) /* element 8 * row + column */
        a[i] = (8 * (i / 4) + 2 * (i % 4)) * 0x10001 + 0x10000;
    sw_sem_movmatrix(a, d);
    CHECK_EQ(d[0], 0x00080000);
    CHECK_EQ(d[1], 0x00180010);
    CHECK_EQ(d[4], 0x00090001);
    CHECK_EQ(d[31], 0x003f0037);
    sw_sem_movmatrix(d, d);
    CHECK(memcmp(a, d, sizeof a) == 0);
}

/* ---- atomics ---- */

CASE(atomics)
{
    CHECK_EQ(sem_atom(SW_ATOM_ADD, SW_T_U32, 0xffffffff, 2, 0, 0), 1);
    CHECK_EQ(sem_atom(SW_ATOM_ADD, SW_T_S64, UINT64_MAX, 2, 0, 0), 1);
    CHECK_EQ(sem_atom(SW_ATOM_INC, SW_T_U32, 5, 7, 0, 0), 6);
    CHECK_EQ(sem_atom(SW_ATOM_INC, SW_T_U32, 7, 7, 0, 0), 0);
    CHECK_EQ(sem_atom(SW_ATOM_DEC, SW_T_U32, 0, 7, 0, 0), 7);
    CHECK_EQ(sem_atom(SW_ATOM_DEC, SW_T_U32, 9, 7, 0, 0), 7);
    CHECK_EQ(sem_atom(SW_ATOM_DEC, SW_T_U32, 3, 7, 0, 0), 2);
    CHECK_EQ(sem_atom(SW_ATOM_MIN, SW_T_S32, 0xffffffff, 2, 0, 0), 0xffffffff);
    CHECK_EQ(sem_atom(SW_ATOM_MIN, SW_T_U32, 0xffffffff, 2, 0, 0), 2);
    CHECK_EQ(sem_atom(SW_ATOM_CAS, SW_T_B64, 4, 4, 9, 0), 9);
    CHECK_EQ(sem_atom(SW_ATOM_CAS, SW_T_B64, 5, 4, 9, 0), 5);
    CHECK_EQ(sem_atom(SW_ATOM_EXCH, SW_T_B32, 5, 4, 0, 0), 4);
    CHECK_EQ(sem_atom(SW_ATOM_XOR, SW_T_B32, 5, 4, 0, 0), 1);
    CHECK_EQ(sem_atom(SW_ATOM_ADD, SW_T_F16X2, 0x3c004000, 0x3c003c00, 0, 0),
             0x40004200);
    CHECK(sem_atom_supports(SW_ATOM_ADD, SW_T_F64));
    CHECK(!sem_atom_supports(SW_ATOM_MIN, SW_T_F32));
    CHECK(!sem_atom_supports(SW_ATOM_INC, SW_T_U64));
}

/* As an H200 did it: shared memory keeps subnormals, global memory does not. */
CASE(f32_additions_flush_in_global_memory)
{
    uint32_t half = 0x00400000;
    CHECK_EQ(sem_atom(SW_ATOM_ADD, SW_T_F32, half, 1, 0, 0), 0x00400001);
    CHECK_EQ(sem_atom(SW_ATOM_ADD, SW_T_F32, half, 1, 0, SW_FM_FTZ), 0);
    CHECK_EQ(
        sem_atom(SW_ATOM_ADD, SW_T_F32, 0x00800000, 0x80400000, 0, SW_FM_FTZ),
        0x00800000);
    CHECK_EQ(sem_atom(SW_ATOM_ADD, SW_T_F32, 0x7fa00001, 0x3f800000, 0, 0),
             0x7fffffff);
}
