/* SPDX-License-Identifier: Apache-2.0 */
/*
 * int_body.h - integer functions of one width; int.h includes it once for 16,
 * 32 and 64 bits. Not to be included elsewhere, hence no guard.
 *
 * Set before: SEM_U, SEM_S (types of the width), SEM_W, SEM_WS (twice as
 * wide), SEM_BITS, and SEM_B(x), SEM_UN(x), SEM_SN(x), the names of functions
 * on bits, unsigned and signed numbers. Signed numbers travel as their bits.
 */

static inline SEM_U
SEM_B(add)(SEM_U a, SEM_U b)
{
    return (SEM_U)(a + b);
}

static inline SEM_U
SEM_B(sub)(SEM_U a, SEM_U b)
{
    return (SEM_U)(a - b);
}

static inline SEM_U
SEM_B(mul_lo)(SEM_U a, SEM_U b)
{
    return (SEM_U)((SEM_W)a * b);
}

static inline SEM_U
SEM_B(mad_lo)(SEM_U a, SEM_U b, SEM_U c)
{
    return (SEM_U)((SEM_W)a * b + c);
}

static inline SEM_W
SEM_UN(mul_wide)(SEM_U a, SEM_U b)
{
    return (SEM_W)((SEM_W)a * b);
}

static inline SEM_W
SEM_SN(mul_wide)(SEM_U a, SEM_U b)
{
    return (SEM_W)((SEM_WS)(SEM_S)a * (SEM_S)b);
}

static inline SEM_U
SEM_UN(mul_hi)(SEM_U a, SEM_U b)
{
    return (SEM_U)(SEM_UN(mul_wide)(a, b) >> SEM_BITS);
}

static inline SEM_U
SEM_SN(mul_hi)(SEM_U a, SEM_U b)
{
    return (SEM_U)(SEM_SN(mul_wide)(a, b) >> SEM_BITS);
}

static inline SEM_U
SEM_UN(mad_hi)(SEM_U a, SEM_U b, SEM_U c)
{
    return (SEM_U)(SEM_UN(mul_hi)(a, b) + c);
}

static inline SEM_U
SEM_SN(mad_hi)(SEM_U a, SEM_U b, SEM_U c)
{
    return (SEM_U)(SEM_SN(mul_hi)(a, b) + c);
}

static inline SEM_W
SEM_UN(mad_wide)(SEM_U a, SEM_U b, SEM_W c)
{
    return (SEM_W)(SEM_UN(mul_wide)(a, b) + c);
}

static inline SEM_W
SEM_SN(mad_wide)(SEM_U a, SEM_U b, SEM_W c)
{
    return (SEM_W)(SEM_SN(mul_wide)(a, b) + c);
}

static inline SEM_U
SEM_B(neg)(SEM_U a)
{
    return (SEM_U)(0 - a);
}

static inline SEM_U
SEM_SN(abs)(SEM_U a)
{
    return (SEM_S)a < 0 ? (SEM_U)(0 - a) : a;
}

static inline SEM_U
SEM_UN(min)(SEM_U a, SEM_U b)
{
    return a < b ? a : b;
}

static inline SEM_U
SEM_UN(max)(SEM_U a, SEM_U b)
{
    return a > b ? a : b;
}

static inline SEM_U
SEM_SN(min)(SEM_U a, SEM_U b)
{
    return (SEM_S)a < (SEM_S)b ? a : b;
}

static inline SEM_U
SEM_SN(max)(SEM_U a, SEM_U b)
{
    return (SEM_S)a > (SEM_S)b ? a : b;
}

static inline SEM_U
SEM_UN(sad)(SEM_U a, SEM_U b, SEM_U c)
{
    return (SEM_U)(c + (a < b ? b - a : a - b));
}

static inline SEM_U
SEM_SN(sad)(SEM_U a, SEM_U b, SEM_U c)
{
    return (SEM_U)(c + ((SEM_S)a < (SEM_S)b ? b - a : a - b));
}

static inline SEM_U SEM_B (and)(SEM_U a, SEM_U b)
{
    return a & b;
}

static inline SEM_U SEM_B(or)(SEM_U a, SEM_U b)
{
    return a | b;
}

static inline SEM_U SEM_B (xor)(SEM_U a, SEM_U b)
{
    return a ^ b;
}

static inline SEM_U SEM_B(not )(SEM_U a)
{
    return (SEM_U)~a;
}

static inline SEM_U
SEM_B(cnot)(SEM_U a)
{
    return a == 0;
}

static inline SEM_U
SEM_B(mov)(SEM_U a)
{
    return a;
}

/* "Shift amounts greater than the register width N are clamped to N." */
static inline SEM_U
SEM_B(shl)(SEM_U a, uint32_t b)
{
    return (SEM_U)(b < SEM_BITS ? a << (b & (SEM_BITS - 1)) : 0);
}

static inline SEM_U
SEM_UN(shr)(SEM_U a, uint32_t b)
{
    return (SEM_U)(b < SEM_BITS ? a >> (b & (SEM_BITS - 1)) : 0);
}

static inline SEM_U
SEM_SN(shr)(SEM_U a, uint32_t b)
{
    return (SEM_U)((SEM_S)a >> (b < SEM_BITS ? b : SEM_BITS - 1));
}

#undef SEM_U
#undef SEM_S
#undef SEM_W
#undef SEM_WS
#undef SEM_BITS
#undef SEM_B
#undef SEM_UN
#undef SEM_SN
