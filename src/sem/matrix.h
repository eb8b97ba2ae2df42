/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix.h - mma and wmma: which lane holds which element (PTX ISA 9.7.14),
 * and d = a * b + c.
 *
 * Fragments are registers by lane: uint64_t [registers][32], zero above the
 * register's width. All lanes of the warp take part. The fragments of wmma,
 * whose layout PTX leaves open, are those of sm_90: laid out like mma's,
 * repeated where a fragment has more room than elements, m8n32 as the
 * transpose of m32n8. No state; any thread. Does NOT touch
 * memory: wmma.load and wmma.store are the engine's, by sw_sem_matrix_place.
 * Of a sparse a (mma.sp) half of each row is there, side by side.
 */
#ifndef SW_SEM_MATRIX_H
#define SW_SEM_MATRIX_H
#include "ir/ir.h"

/* How a fragment is stored; see sw_sem_matrix_frag. */
typedef struct {
    uint16_t rows, cols; /* of the matrix: m x k, k x n, m x n */
    uint8_t elem_bits;
    uint8_t reg_bits; /* 32, or 64 for f64 */
    uint8_t regs;     /* a lane */
    uint8_t per_reg;  /* elements a register */
    bool quads;       /* mma.m8n8k4 on f16: four products of quad pairs */
} sw_sem_frag;

/* which: 'a', 'b', 'c' or 'd'; wmma, else mma. False: no such shape or type. */
bool sw_sem_matrix_frag(const sw_matrix *mx, char which, bool wmma,
                        sw_sem_frag *out);

/* Types that have a product, dense. */
bool sw_sem_matrix_has_product(const sw_matrix *mx);

/* The element that part `part` of register `reg` of `lane` holds; for quads
 * of the product of its quad pair. */
void sw_sem_matrix_place(const sw_matrix *mx, char which,
                         const sw_sem_frag *frag, unsigned lane, unsigned reg,
                         unsigned part, unsigned *row, unsigned *col);

/* Of a sparse a: the two bits, from bit *at of *lane's register of names on,
 * that say which of four units the unit of a row is, of those that there are. A
 * unit is an element, or two of 4 bits, or half of one of 32. */
void sw_sem_matrix_name(const sw_matrix *mx, unsigned row, unsigned unit,
                        unsigned *lane, unsigned *at);

/* d[dregs][32] = a * b + c; d may be c. names: of a sparse product, the
 * register that says which elements of a there are; else NULL. False, d
 * untouched, if it has no meaning. Takes some 20 KiB of stack. */
bool sw_sem_matrix_mma(const sw_matrix *mx, bool wmma, const uint64_t (*a)[32],
                       const uint64_t (*b)[32], const uint64_t (*c)[32],
                       const uint64_t *names, uint64_t (*d)[32]);

#endif
