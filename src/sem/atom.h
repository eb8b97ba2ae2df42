/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atom.h - what an atomic leaves in memory: the new value from the old one
 * and the operands. Atomicity is the engine's.
 *
 * Values are their bits, zero-extended; b128 (exch, cas) is left to the
 * engine.
 */
#ifndef SW_SEM_ATOM_H
#define SW_SEM_ATOM_H
#include "sem/sem.h"

/* Seen on sm_90: in global memory a NaN stays as it is, the operand's before
 * the old value's; in shared memory it is quieted, the old value's first. m:
 * SW_FM_FTZ for global memory, as for f32. */
static inline uint64_t
sem_atom_add_f64(uint64_t old, uint64_t b, sw_fmode m)
{
    double x = sem_f64_bits(old), y = sem_f64_bits(b);
    if ((m & SW_FM_FTZ) && (x != x || y != y))
        return y != y ? b : old;
    return sem_bits_f64(sem_add_f64(y, x, 0));
}

static inline uint64_t
sem_atom_add(sw_type type, uint64_t old, uint64_t b, sw_fmode m)
{
    uint32_t o = (uint32_t)old, x = (uint32_t)b;
    switch (type) {
    case SW_T_F32:
        return sem_bits_f32(sem_add_f32(sem_f32_bits(o), sem_f32_bits(x), m));
    case SW_T_F64:
        return sem_atom_add_f64(old, b, m);
    case SW_T_F16:
        return sem_add_f16((uint16_t)o, (uint16_t)x, 0);
    case SW_T_F16X2:
        return sem_add_f16x2(o, x, 0);
    case SW_T_BF16:
        return sem_add_bf16((uint16_t)o, (uint16_t)x, 0);
    case SW_T_BF16X2:
        return sem_add_bf16x2(o, x, 0);
    default:
        return sw_type_bits(type) == 64 ? old + b : o + x;
    }
}

static inline uint64_t
sem_atom_pick(sw_type type, uint64_t old, uint64_t b, bool max)
{
    uint32_t o = (uint32_t)old, x = (uint32_t)b;
    switch (type) {
    case SW_T_S32:
        return max ? sem_max_s32(o, x) : sem_min_s32(o, x);
    case SW_T_S64:
        return max ? sem_max_s64(old, b) : sem_min_s64(old, b);
    case SW_T_F16:
        return max ? sem_max_f16((uint16_t)o, (uint16_t)x, 0)
                   : sem_min_f16((uint16_t)o, (uint16_t)x, 0);
    case SW_T_F16X2:
        return max ? sem_max_f16x2(o, x, 0) : sem_min_f16x2(o, x, 0);
    case SW_T_BF16:
        return max ? sem_max_bf16((uint16_t)o, (uint16_t)x, 0)
                   : sem_min_bf16((uint16_t)o, (uint16_t)x, 0);
    case SW_T_BF16X2:
        return max ? sem_max_bf16x2(o, x, 0) : sem_min_bf16x2(o, x, 0);
    default:
        return max ? sem_max_u64(old, b) : sem_min_u64(old, b);
    }
}

/*
 * The new value for old and operands b (and c, the new value of cas).
 * m: SW_FM_FTZ for f32 additions that flush: "atom.add.f32 operation on global
 * memory flushes subnormal inputs and results to sign-preserving zero, whereas
 * on shared memory it supports subnormals".
 */
static inline uint64_t
sem_atom(sw_atom what, sw_type type, uint64_t old, uint64_t b, uint64_t c,
         sw_fmode m)
{
    switch (what) {
    case SW_ATOM_ADD:
        return sem_atom_add(type, old, b, m);
    case SW_ATOM_EXCH:
        return b;
    case SW_ATOM_CAS:
        return old == b ? c : old;
    case SW_ATOM_MIN:
        return sem_atom_pick(type, old, b, false);
    case SW_ATOM_MAX:
        return sem_atom_pick(type, old, b, true);
    case SW_ATOM_INC: /* "((old >= b) ? 0 : old + 1)" */
        return old >= b ? 0 : old + 1;
    case SW_ATOM_DEC: /* "(((old == 0) || (old > b)) ? b : old - 1)" */
        return old == 0 || old > b ? b : old - 1;
    case SW_ATOM_AND:
        return old & b;
    case SW_ATOM_OR:
        return old | b;
    case SW_ATOM_XOR:
        return old ^ b;
    default:
        return old;
    }
}

/* Is there such an atomic? Bit operations and exchanges: any integer or bits
 * of 32 or 64 bits, cas also 16. */
static inline bool
sem_atom_supports(sw_atom what, sw_type type)
{
    unsigned bits = sw_type_bits(type);
    sw_kind kind = sw_type_kind(type);
    bool integer = kind == SW_KIND_UINT || kind == SW_KIND_SINT;
    bool wide = bits == 32 || bits == 64;
    bool half = type == SW_T_F16 || type == SW_T_BF16 || type == SW_T_F16X2 ||
                type == SW_T_BF16X2;
    switch (what) {
    case SW_ATOM_ADD:
        return (integer && wide) || type == SW_T_F32 || type == SW_T_F64 ||
               half;
    case SW_ATOM_MIN:
    case SW_ATOM_MAX:
        return (integer && wide) || half;
    case SW_ATOM_INC:
    case SW_ATOM_DEC:
        return type == SW_T_U32;
    case SW_ATOM_CAS:
        return (wide || bits == 16) && kind != SW_KIND_PACKED;
    case SW_ATOM_EXCH:
        return wide && kind != SW_KIND_PACKED;
    default:
        return wide && (integer || kind == SW_KIND_BITS);
    }
}

#endif
