/* SPDX-License-Identifier: Apache-2.0 */
/* inline_counter.c - see inline_counter.h. */
#include <string.h>

#include "jit/abi.h"
#include "jit/inline_counter.h"
#include "jit/tune.h"

enum { LANES = 32 };

/* A table's strides are decided when so many accesses one after another lay
 * alike: the first ones are often at an edge. Until then they are marked, so
 * that nothing matches them. Lanes that lie anywhere are not looked at for
 * ever. */
enum { A_TRY = 1 << 8 };
#define CANDIDATE 0x2000000000000000u

static bool
is_decided(const uint64_t *slots, const sw_counter_access *a)
{
    return slots[a->confidence] % A_TRY == sw_jit_tune.counter_agreeing;
}

void
sw_jit_predict_strides(uint64_t *slots, const sw_counter_access *a,
                       const uint64_t addr[LANES])
{
    uint64_t start[SW_COUNTER_GROUPS], *strides = slots + a->strides, other = 0;
    uint64_t *confidence = slots + a->confidence;
    if (is_decided(slots, a) ||
        *confidence / A_TRY == sw_jit_tune.counter_tries)
        return;
    for (unsigned i = 0; i < LANES; i++)
        start[a->group[i]] = addr[i] - (uint64_t)a->at[i];
    for (unsigned g = 1; g < a->groups; g++) {
        uint64_t stride = (start[g] - start[0]) ^ SW_COUNTER_STRIDE ^ CANDIDATE;
        other |= strides[g - 1] ^ stride;
        strides[g - 1] = stride;
    }
    *confidence =
        A_TRY + (other ? *confidence / A_TRY * A_TRY + 1 : *confidence + 1);
    for (unsigned g = 1; is_decided(slots, a) && g < a->groups; g++)
        strides[g - 1] ^= CANDIDATE;
}

/* Whether the groups of an access lie as its table's strides say. `start`: of
 * group 0. */
static bool
lie_as_known(const sw_counter_access *a, const uint64_t *strides, uint32_t mask,
             const uint64_t addr[LANES], uint64_t *start)
{
    unsigned i = (unsigned)__builtin_ctz(mask);
    uint64_t wrong = 0;
    *start = addr[i] - (uint64_t)a->at[i];
    if (a->groups == LANES && mask == UINT32_MAX) { /* each lane is one */
        static const uint8_t mostly[] = {1, 2, 4, 8, 16, 31};
        for (i = 0; i < sizeof mostly; i++)
            wrong |= (addr[mostly[i]] - addr[0]) ^ SW_COUNTER_STRIDE ^
                     strides[mostly[i] - 1];
        for (i = 1; !wrong && i < LANES; i++)
            wrong |= (addr[i] - addr[0]) ^ SW_COUNTER_STRIDE ^ strides[i - 1];
        mask = 0;
    } else if (a->group[i]) {
        *start -= strides[a->group[i] - 1] ^ SW_COUNTER_STRIDE;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        i = (unsigned)__builtin_ctz(m);
        uint64_t at = addr[i] - (uint64_t)a->at[i] - *start;
        wrong |= a->group[i] ? at ^ SW_COUNTER_STRIDE ^ strides[a->group[i] - 1]
                             : at;
    }
    return !wrong;
}

/* *likely: number of the mask to try first; becomes that of this one. */
static inline bool
count_at(uint64_t *slots, const sw_counter_access *a, uint32_t mask,
         uint64_t at, uint32_t room, uint32_t *likely)
{
    uint64_t *masks = slots + a->masks, *first = slots + a->first;
    if (mask == UINT32_MAX) {
        first[at]++;
        return true;
    }
    if (masks[*likely] != mask) {
        uint32_t m = 0;
        while (m < SW_COUNTER_MASKS && masks[m] && masks[m] != mask)
            m++;
        if (m == SW_COUNTER_MASKS)
            return false;
        masks[m] = mask;
        *likely = m;
    }
    first[(*likely + 1) * room + at]++;
    return true;
}

/* Accesses of some lanes that a table tells apart by where they start. */
static uint32_t
starts_of(const sw_counter_access *a)
{
    return SW_COUNTER_PERIOD >> (unsigned)__builtin_ctz(a->bytes);
}

/* The number of a start among them. */
static uint64_t
number_of(const sw_counter_access *a, uint64_t start)
{
    return start % SW_COUNTER_PERIOD >> (unsigned)__builtin_ctz(a->bytes);
}

bool
sw_jit_count_at(uint64_t *slots, const sw_counter_access *a, uint32_t mask,
                uint64_t start)
{
    uint32_t likely = 0;
    return count_at(slots, a, mask, number_of(a, start), starts_of(a), &likely);
}

static bool
is_same(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    uint64_t other = 0;
    for (uint32_t i = 0; i < words; i++)
        other |= a[i] ^ b[i];
    return !other;
}

/* The number of a lot of masks; 0: there is no room for it. Mostly none is
 * found: where masks depend on data. */
static uint32_t
fused_masks(uint64_t *fused, uint32_t warps, const uint32_t masks[])
{
    uint32_t words = warps / 2, n;
    uint64_t mine[SW_JIT_FUSED_MAX / 2], *lots = fused + SW_JIT_FUSED_LOTS;
    memcpy(mine, masks, words * sizeof *mine);
    for (n = 1; n <= SW_COUNTER_FUSED_MASKS; n++) {
        uint64_t *lot = lots + n * words;
        if (is_same(lot, mine, words))
            break;
        if (is_same(lot, lots, words)) { /* the first that is free */
            memcpy(lot, mine, words * sizeof *mine);
            break;
        }
    }
    if (n > SW_COUNTER_FUSED_MASKS)
        return 0;
    fused[SW_JIT_FUSED_NEXT + *fused] = n;
    *fused = n;
    return n;
}

uint32_t
sw_jit_count_fused(uint64_t *slots, const sw_counter_access a[], uint32_t warps,
                   const uint32_t masks[], uint64_t start)
{
    uint32_t room = starts_of(a), left = 0, likely = 0;
    uint64_t at = number_of(a, start);
    uint32_t n = fused_masks(slots + a->confidence, warps, masks);
    if (n) {
        slots[a->first + n * room + at]++;
        return 0;
    }
    a += warps;
    for (uint32_t w = 0; w < warps; w++)
        if (masks[w] && !count_at(slots, &a[w], masks[w], at, room, &likely))
            left |= 1u << w;
    return left;
}

bool
sw_jit_count_groups(uint64_t *slots, const sw_counter_access *a, uint32_t mask,
                    const uint64_t addr[LANES])
{
    uint64_t start;
    return is_decided(slots, a) &&
           lie_as_known(a, slots + a->strides, mask, addr, &start) &&
           sw_jit_count_at(slots, a, mask, start);
}
