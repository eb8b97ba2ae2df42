/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.h - what the lanes of a warp tell each other: shfl, vote, match,
 * redux, elect, movmatrix, and which lane holds which row in ldmatrix.
 *
 * Lane i is bit i of a mask. `active` is who executes the instruction
 * together, `members` its mask operand; lanes that are members but not active
 * take no part. No state; any thread. Waiting for members is the engine's.
 */
#ifndef SW_SEM_LANES_H
#define SW_SEM_LANES_H
#include "ir/ir.h"

enum { SW_LANES = 32 };

/*
 * d[i] and bit i of the result (in range) for the active lanes; other d are
 * untouched. mode: SW_SHFL_. A source lane that is not active gives 0,
 * as on an H200 (PTX calls it unpredictable). d may be a.
 */
uint32_t sw_sem_shfl(unsigned mode, const uint32_t *a, const uint32_t *b,
                     const uint32_t *c, uint32_t active, uint32_t *d);

/* pred: predicate by lane. The value that every active member gets: 0 or 1,
 * or for SW_VOTE_BALLOT a mask. */
uint32_t sw_sem_vote(unsigned mode, uint32_t pred, uint32_t active,
                     uint32_t members);

/* match.any: d[i] = members whose a equals that of lane i. */
void sw_sem_match_any(const uint64_t *a, uint32_t active, uint32_t members,
                      uint32_t *d);
/* match.all: the mask if all are equal, else 0. */
uint32_t sw_sem_match_all(const uint64_t *a, uint32_t active, uint32_t members);

/* redux.sync: u32, s32, b32; f32 min and max (abs and NaN in flags). False if
 * there is no such reduction. */
bool sw_sem_redux(sw_atom what, sw_type type, unsigned flags, const uint32_t *a,
                  uint32_t active, uint32_t members, uint32_t *d);

/* elect.sync: the lowest active member, or the lowest active lane. */
unsigned sw_sem_elect(uint32_t active, uint32_t members);

/* movmatrix.trans: the 8x8 matrix whose row i is in lanes 4i..4i+3, two
 * elements each, transposed. d may be a. */
void sw_sem_movmatrix(const uint32_t *a, uint32_t *d);

/* ldmatrix and stmatrix: lane 8m + r holds the address of row r of matrix m.
 * Part k (0..7) of that row of 16-bit elements belongs to: without .trans
 * lane 4r + k/2, half k%2; with .trans lane 4k + r/2, half r%2; of register
 * m. */
void sw_sem_matrix_slot(bool trans, unsigned row, unsigned element,
                        unsigned *lane, unsigned *half);

#endif
