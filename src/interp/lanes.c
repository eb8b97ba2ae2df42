/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.c - the lane functions: loops over 32 lanes around the functions of
 * sem/, for the C compiler to turn into vector code. Compiled once for each
 * vector extension (SW_VARIANT); the rows of sem/pure.def say which functions
 * there are. Reads and writes registers only: nothing here can fail.
 */
#include <string.h>

#include "interp/lanes.h"
#include "sem/sem.h"

/* Each lane function computes all lanes, wanted or not (sem/ is total), and
 * keeps the others' old value. A destination is one of the sources or apart
 * from them, so no iteration depends on another. */

#define REG(T, k) ((T *)__builtin_assume_aligned(sw_lane_ptr(x, d->o[k]), 4))

#define WRITE(D, value)                                                        \
    D *r = REG(D, 0);                                                          \
    if (mask == UINT32_MAX)                                                    \
        LANES r[i] = (value);                                                  \
    else                                                                       \
        LANES r[i] = mask >> i & 1 ? (value) : r[i];

/* ---- rows of pure.def ---- */

#define SEM1(op, type, D, A, fn)                                               \
    static void op##_##type(const sw_lane_ctx *x, const sw_dins *d,            \
                            uint32_t mask)                                     \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        WRITE(D, fn(a[i]))                                                     \
    }
#define SEM2(op, type, D, A, B, fn)                                            \
    static void op##_##type(const sw_lane_ctx *x, const sw_dins *d,            \
                            uint32_t mask)                                     \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        const B *b = REG(const B, 2);                                          \
        WRITE(D, fn(a[i], b[i]))                                               \
    }
#define SEM3(op, type, D, A, B, C, fn)                                         \
    static void op##_##type(const sw_lane_ctx *x, const sw_dins *d,            \
                            uint32_t mask)                                     \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        const B *b = REG(const B, 2);                                          \
        const C *c = REG(const C, 3);                                          \
        WRITE(D, fn(a[i], b[i], c[i]))                                         \
    }
#define SEM4(op, type, D, A, B, C, E, fn)                                      \
    static void op##_##type(const sw_lane_ctx *x, const sw_dins *d,            \
                            uint32_t mask)                                     \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        const B *b = REG(const B, 2);                                          \
        const C *c = REG(const C, 3);                                          \
        const E *e = REG(const E, 4);                                          \
        WRITE(D, fn(a[i], b[i], c[i], e[i]))                                   \
    }

/* With modifiers: the plain instruction, .ftz, and any other. */
#define FSEM1(op, type, D, A, fn)                                              \
    static void op##_##type(const sw_lane_ctx *x, const sw_dins *d,            \
                            uint32_t mask)                                     \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        WRITE(D, fn(a[i], 0))                                                  \
    }                                                                          \
    static void op##_##type##_ftz(const sw_lane_ctx *x, const sw_dins *d,      \
                                  uint32_t mask)                               \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        WRITE(D, fn(a[i], SW_FM_FTZ))                                          \
    }                                                                          \
    static void op##_##type##_any(const sw_lane_ctx *x, const sw_dins *d,      \
                                  uint32_t mask)                               \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        const sw_fmode m = d->mode;                                            \
        WRITE(D, fn(a[i], m))                                                  \
    }
#define FSEM2(op, type, D, A, B, fn)                                           \
    static void op##_##type(const sw_lane_ctx *x, const sw_dins *d,            \
                            uint32_t mask)                                     \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        const B *b = REG(const B, 2);                                          \
        WRITE(D, fn(a[i], b[i], 0))                                            \
    }                                                                          \
    static void op##_##type##_ftz(const sw_lane_ctx *x, const sw_dins *d,      \
                                  uint32_t mask)                               \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        const B *b = REG(const B, 2);                                          \
        WRITE(D, fn(a[i], b[i], SW_FM_FTZ))                                    \
    }                                                                          \
    static void op##_##type##_any(const sw_lane_ctx *x, const sw_dins *d,      \
                                  uint32_t mask)                               \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        const B *b = REG(const B, 2);                                          \
        const sw_fmode m = d->mode;                                            \
        WRITE(D, fn(a[i], b[i], m))                                            \
    }
#define FSEM3(op, type, D, A, B, C, fn)                                        \
    static void op##_##type(const sw_lane_ctx *x, const sw_dins *d,            \
                            uint32_t mask)                                     \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        const B *b = REG(const B, 2);                                          \
        const C *c = REG(const C, 3);                                          \
        WRITE(D, fn(a[i], b[i], c[i], 0))                                      \
    }                                                                          \
    static void op##_##type##_ftz(const sw_lane_ctx *x, const sw_dins *d,      \
                                  uint32_t mask)                               \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        const B *b = REG(const B, 2);                                          \
        const C *c = REG(const C, 3);                                          \
        WRITE(D, fn(a[i], b[i], c[i], SW_FM_FTZ))                              \
    }                                                                          \
    static void op##_##type##_any(const sw_lane_ctx *x, const sw_dins *d,      \
                                  uint32_t mask)                               \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        const B *b = REG(const B, 2);                                          \
        const C *c = REG(const C, 3);                                          \
        const sw_fmode m = d->mode;                                            \
        WRITE(D, fn(a[i], b[i], c[i], m))                                      \
    }
#define CVT1(dtype, stype, D, A, fn)                                           \
    static void CVT_##dtype##_##stype(const sw_lane_ctx *x, const sw_dins *d,  \
                                      uint32_t mask)                           \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        WRITE(D, fn(a[i], 0))                                                  \
    }                                                                          \
    static void CVT_##dtype##_##stype##_any(const sw_lane_ctx *x,              \
                                            const sw_dins *d, uint32_t mask)   \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        const sw_fmode m = d->mode;                                            \
        WRITE(D, fn(a[i], m))                                                  \
    }

/* Comparisons make a mask; one function for each operator. */
#define COMPARE(op, type, A, fn, cmp)                                          \
    static void op##_##type##_##cmp(const sw_lane_ctx *x, const sw_dins *d,    \
                                    uint32_t mask)                             \
    {                                                                          \
        const A *a = REG(const A, 1);                                          \
        const A *b = REG(const A, 2);                                          \
        const sw_fmode m = d->mode;                                            \
        uint32_t bits = 0;                                                     \
        if (m == 0)                                                            \
            LANES bits |= (uint32_t)fn(a[i], b[i], SW_CMP_##cmp, 0) << i;      \
        else                                                                   \
            LANES bits |= (uint32_t)fn(a[i], b[i], SW_CMP_##cmp, m) << i;      \
        uint32_t *p = REG(uint32_t, 0);                                        \
        *p = (*p & ~mask) | (bits & mask);                                     \
    }
#define PRED2(op, type, A, fn)                                                 \
    COMPARE(op, type, A, fn, EQ)                                               \
    COMPARE(op, type, A, fn, NE)                                               \
    COMPARE(op, type, A, fn, LT)                                               \
    COMPARE(op, type, A, fn, LE)                                               \
    COMPARE(op, type, A, fn, GT)                                               \
    COMPARE(op, type, A, fn, GE)                                               \
    COMPARE(op, type, A, fn, LO)                                               \
    COMPARE(op, type, A, fn, LS)                                               \
    COMPARE(op, type, A, fn, HI)                                               \
    COMPARE(op, type, A, fn, HS)                                               \
    COMPARE(op, type, A, fn, EQU)                                              \
    COMPARE(op, type, A, fn, NEU)                                              \
    COMPARE(op, type, A, fn, LTU)                                              \
    COMPARE(op, type, A, fn, LEU)                                              \
    COMPARE(op, type, A, fn, GTU)                                              \
    COMPARE(op, type, A, fn, GEU)                                              \
    COMPARE(op, type, A, fn, NUM)                                              \
    COMPARE(op, type, A, fn, NAN)

#include "sem/pure.def"
#undef SEM1
#undef SEM2
#undef SEM3
#undef SEM4
#undef FSEM1
#undef FSEM2
#undef FSEM3
#undef CVT1
#undef PRED2

/* As usual as the other: half of all differences (opt/operand_order.h). */
static void
sub_first_nan(const sw_lane_ctx *x, const sw_dins *d, uint32_t mask)
{
    const double *a = REG(const double, 1), *b = REG(const double, 2);
    WRITE(double, sem_sub_f64(a[i], b[i], SW_FM_NAN))
}

/* ---- moves and selections: bits only ---- */

#define MOVE(name, T)                                                          \
    static void mov_##name(const sw_lane_ctx *x, const sw_dins *d,             \
                           uint32_t mask)                                      \
    {                                                                          \
        const T *a = REG(const T, 1);                                          \
        WRITE(T, a[i])                                                         \
    }                                                                          \
    static void selp_##name(const sw_lane_ctx *x, const sw_dins *d,            \
                            uint32_t mask)                                     \
    {                                                                          \
        const T *a = REG(const T, 1);                                          \
        const T *b = REG(const T, 2);                                          \
        const uint32_t p = *REG(const uint32_t, 3) ^ d->flip;                  \
        WRITE(T, p >> i & 1 ? a[i] : b[i])                                     \
    }
MOVE(b16, uint16_t)
MOVE(b32, uint32_t)
MOVE(b64, uint64_t)

/* Predicates: one mask each. flip holds the negation of the last source. */
#define LOGIC(name, value)                                                     \
    static void pred_##name(const sw_lane_ctx *x, const sw_dins *d,            \
                            uint32_t mask)                                     \
    {                                                                          \
        const uint32_t a = *REG(const uint32_t, 1);                            \
        uint32_t *r = REG(uint32_t, 0);                                        \
        *r = (*r & ~mask) | ((value)&mask);                                    \
    }
LOGIC(mov, a ^ d->flip)
LOGIC(not, ~(a ^ d->flip))
LOGIC(and, a &(*REG(const uint32_t, 2) ^ d->flip))
LOGIC(or, a | (*REG(const uint32_t, 2) ^ d->flip))
LOGIC(xor, a ^ (*REG(const uint32_t, 2) ^ d->flip))

static void
pack_2x32(const sw_lane_ctx *x, const sw_dins *d, uint32_t mask)
{
    const uint32_t *a = REG(const uint32_t, 1);
    const uint32_t *b = REG(const uint32_t, 2);
    WRITE(uint64_t, a[i] | (uint64_t)b[i] << 32)
}

static void
pack_2x16(const sw_lane_ctx *x, const sw_dins *d, uint32_t mask)
{
    const uint16_t *a = REG(const uint16_t, 1);
    const uint16_t *b = REG(const uint16_t, 2);
    WRITE(uint32_t, a[i] | (uint32_t)b[i] << 16)
}

static void
unpack_2x32(const sw_lane_ctx *x, const sw_dins *d, uint32_t mask)
{
    uint32_t *lo = REG(uint32_t, 0), *hi = REG(uint32_t, 1);
    const uint64_t *a = REG(const uint64_t, 2);
    LANES
    {
        uint64_t v = a[i];
        lo[i] = mask >> i & 1 ? (uint32_t)v : lo[i];
        hi[i] = mask >> i & 1 ? (uint32_t)(v >> 32) : hi[i];
    }
}

static void
unpack_2x16(const sw_lane_ctx *x, const sw_dins *d, uint32_t mask)
{
    uint16_t *lo = REG(uint16_t, 0), *hi = REG(uint16_t, 1);
    const uint32_t *a = REG(const uint32_t, 2);
    LANES
    {
        uint32_t v = a[i];
        lo[i] = mask >> i & 1 ? (uint16_t)v : lo[i];
        hi[i] = mask >> i & 1 ? (uint16_t)(v >> 16) : hi[i];
    }
}

/* ---- from instructions to lane functions ---- */

typedef struct {
    uint8_t op, type, stype, cmp;
    bool any_mode; /* fn does not look at the modifiers */
    sw_lane_fn *fn, *ftz, *any;
} row;

static const row rows[] = {
#define SEM1(o, t, D, A, f)                                                    \
    {SW_OP_##o, SW_T_##t, 0, 0, true, o##_##t, NULL, NULL},
#define SEM2(o, t, D, A, B, f)                                                 \
    {SW_OP_##o, SW_T_##t, 0, 0, true, o##_##t, NULL, NULL},
#define SEM3(o, t, D, A, B, C, f)                                              \
    {SW_OP_##o, SW_T_##t, 0, 0, true, o##_##t, NULL, NULL},
#define SEM4(o, t, D, A, B, C, E, f)                                           \
    {SW_OP_##o, SW_T_##t, 0, 0, true, o##_##t, NULL, NULL},
#define FSEM1(o, t, D, A, f)                                                   \
    {SW_OP_##o, SW_T_##t, 0, 0, false, o##_##t, o##_##t##_ftz, o##_##t##_any},
#define FSEM2(o, t, D, A, B, f)                                                \
    {SW_OP_##o, SW_T_##t, 0, 0, false, o##_##t, o##_##t##_ftz, o##_##t##_any},
#define FSEM3(o, t, D, A, B, C, f)                                             \
    {SW_OP_##o, SW_T_##t, 0, 0, false, o##_##t, o##_##t##_ftz, o##_##t##_any},
#define CVT1(t, s, D, A, f)                                                    \
    {                                                                          \
        SW_OP_CVT,                                                             \
        SW_T_##t,                                                              \
        SW_T_##s,                                                              \
        0,                                                                     \
        false,                                                                 \
        CVT_##t##_##s,                                                         \
        CVT_##t##_##s##_any,                                                   \
        CVT_##t##_##s##_any},
#define COMPARED(o, t, c)                                                      \
    {SW_OP_##o, SW_T_##t, 0, SW_CMP_##c, true, o##_##t##_##c, NULL, NULL},
#define PRED2(o, t, A, f)                                                      \
    COMPARED(o, t, EQ)                                                         \
    COMPARED(o, t, NE)                                                         \
    COMPARED(o, t, LT)                                                         \
    COMPARED(o, t, LE)                                                         \
    COMPARED(o, t, GT)                                                         \
    COMPARED(o, t, GE)                                                         \
    COMPARED(o, t, LO)                                                         \
    COMPARED(o, t, LS)                                                         \
    COMPARED(o, t, HI)                                                         \
    COMPARED(o, t, HS)                                                         \
    COMPARED(o, t, EQU)                                                        \
    COMPARED(o, t, NEU)                                                        \
    COMPARED(o, t, LTU)                                                        \
    COMPARED(o, t, LEU)                                                        \
    COMPARED(o, t, GTU)                                                        \
    COMPARED(o, t, GEU)                                                        \
    COMPARED(o, t, NUM)                                                        \
    COMPARED(o, t, NAN)
#include "sem/pure.def"
};

enum { ROWS = sizeof rows / sizeof *rows };

static sw_lane_fn *
by_class(sw_class cls, sw_lane_fn *b16, sw_lane_fn *b32, sw_lane_fn *b64)
{
    return cls == SW_CLASS_B16   ? b16
           : cls == SW_CLASS_B32 ? b32
           : cls == SW_CLASS_B64 ? b64
                                 : NULL;
}

static sw_lane_fn *
find_predicate_op(const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_MOV:
        return pred_mov;
    case SW_OP_NOT:
        return pred_not;
    case SW_OP_AND:
        return pred_and;
    case SW_OP_OR:
        return pred_or;
    case SW_OP_XOR:
        return pred_xor;
    default:
        return NULL;
    }
}

static sw_lane_fn *
find_move(const sw_ins *ins)
{
    sw_class cls = sw_type_class((sw_type)ins->type);
    switch (ins->op) {
    case SW_OP_MOV:
        return by_class(cls, mov_b16, mov_b32, mov_b64);
    case SW_OP_SELP:
        return by_class(cls, selp_b16, selp_b32, selp_b64);
    case SW_OP_PACK:
        return ins->nsrc != 2 ? NULL
                              : by_class(cls, NULL, pack_2x16, pack_2x32);
    case SW_OP_UNPACK:
        return ins->ndst != 2 || ins->opnd[0].kind == SW_OPND_NONE ||
                       ins->opnd[1].kind == SW_OPND_NONE
                   ? NULL
                   : by_class(cls, NULL, unpack_2x16, unpack_2x32);
    default:
        return NULL;
    }
}

/* Only predicate operands that flip can describe may be negated. */
static bool
has_odd_negation(const sw_ins *ins)
{
    for (unsigned i = 0; i + 1 < ins->nsrc; i++)
        if (sw_ins_src(ins, i)->negated)
            return true;
    return false;
}

static sw_lane_fn *
find(const sw_ins *ins)
{
    if (has_odd_negation(ins) || (ins->flags & SW_F_DEMOTED))
        return NULL;
    if (ins->type == SW_T_PRED)
        return find_predicate_op(ins);
    sw_lane_fn *move = find_move(ins);
    if (move)
        return move;
    bool is_cvt = ins->op == SW_OP_CVT, is_setp = ins->op == SW_OP_SETP;
    if (ins->ndst != 1 || ins->opnd[0].kind != SW_OPND_REG ||
        (is_cvt && ins->nsrc != 1) || (is_setp && ins->nsrc != 2))
        return NULL;
    sw_fmode mode = sw_sem_mode(ins);
    if (ins->op == SW_OP_SUB && ins->type == SW_T_F64 && mode == SW_FM_NAN)
        return sub_first_nan;
    for (int i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        if (r->op != ins->op || r->type != ins->type ||
            (is_cvt && r->stype != ins->stype) ||
            (is_setp && r->cmp != ins->cmp))
            continue;
        if (r->any_mode || mode == 0)
            return r->fn;
        return mode == SW_FM_FTZ ? r->ftz : r->any;
    }
    return NULL;
}

const sw_lane_set SW_LANE_SET(SW_VARIANT) = {
    SW_LANE_NAME(SW_VARIANT),     find,
    SW_LANE_LOAD(SW_VARIANT),     SW_LANE_STORE(SW_VARIANT),
    SW_LANE_PLAN(SW_VARIANT),     SW_LANE_SURFACE(SW_VARIANT),
    SW_LANE_MULTIPLY(SW_VARIANT), SW_LANE_TRANSFER(SW_VARIANT)};
