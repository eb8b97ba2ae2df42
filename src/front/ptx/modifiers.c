/* SPDX-License-Identifier: Apache-2.0 */
/* modifiers.c - modifiers as text, and as numbers of the closed sets of the IR.
 */
#include "front/ptx/parse.h"

#define MOD(name, text) [M_##name] = text,
const char *const ptx_mod_text[M_COUNT] = {
#include "front/ptx/modifiers.def"
};
#undef MOD

/* Each set: number + 1 by modifier, 0 if it is not in the set. NONE and
 * GENERIC have no spelling. */
enum { M_NONE, M_GENERIC = M_NONE, M_REG = M_NONE, M_SREG = M_NONE };

static int
number(const uint8_t *set, ptx_mod mod)
{
    return mod > 0 && mod < M_COUNT ? set[mod] - 1 : -1;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#define TYPE(name, text, bits, cls, kind) [M_##name] = SW_T_##name + 1,
static const uint8_t types[M_COUNT] = {
#include "ir/enums.def"
};
#define CMP(name, text) [M_##name] = SW_CMP_##name + 1,
static const uint8_t cmps[M_COUNT] = {
#include "ir/enums.def"
};
#define RND(name, text) [M_##name] = SW_RND_##name + 1,
static const uint8_t rnds[M_COUNT] = {
#include "ir/enums.def"
};
#define SPACE(name, text) [M_##name] = SW_SPACE_##name + 1,
static const uint8_t spaces[M_COUNT] = {
    [M_SHARED_CTA] = SW_SPACE_SHARED + 1,
    [M_PARAM_ENTRY] = SW_SPACE_PARAM + 1,
    [M_PARAM_FUNC] = SW_SPACE_LOCAL + 1,
#include "ir/enums.def"
};
#define CACHE(name, text) [M_##name] = SW_CACHE_##name + 1,
static const uint8_t caches[M_COUNT] = {
#include "ir/enums.def"
};
#define ORDER(name, text) [M_##name] = SW_ORDER_##name + 1,
static const uint8_t orders[M_COUNT] = {
#include "ir/enums.def"
};
#define SCOPE(name, text) [M_##name] = SW_SCOPE_##name + 1,
static const uint8_t scopes[M_COUNT] = {
    [M_GL] = SW_SCOPE_GPU + 1,
#include "ir/enums.def"
};
#define ATOM(name, text) [M_##name] = SW_ATOM_##name + 1,
static const uint8_t atoms[M_COUNT] = {
#include "ir/enums.def"
};
#define GEOM(name, text, coords, layered) [M_##name] = SW_GEOM_##name + 1,
static const uint8_t geoms[M_COUNT] = {
#include "ir/enums.def"
};
#pragma GCC diagnostic pop

#define SET(name, table)                                                       \
    int ptx_mod_##name(ptx_mod mod)                                            \
    {                                                                          \
        return number(table, mod);                                             \
    }
SET(type, types)
SET(cmp, cmps)
SET(rnd, rnds)
SET(space, spaces)
SET(cache, caches)
SET(order, orders)
SET(scope, scopes)
SET(atom, atoms)
SET(geom, geoms)

int
ptx_mod_bool(ptx_mod mod)
{
    return mod == M_AND   ? SW_BOOL_AND
           : mod == M_OR  ? SW_BOOL_OR
           : mod == M_XOR ? SW_BOOL_XOR
                          : -1;
}
