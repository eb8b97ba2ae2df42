/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - facts about types, ops and the closed sets, from the .def files.
 */
#include "ir/ir.h"

static const struct {
    const char *text;
    uint16_t bits;
    uint8_t cls, kind;
} types[SW_T_COUNT] = {
#define TYPE(name, text, bits, cls, kind)                                      \
    [SW_T_##name] = {text, bits, SW_CLASS_##cls, SW_KIND_##kind},
#include "ir/enums.def"
};

enum { SW_SRCS_0, SW_SRCS_1, SW_SRCS_2, SW_SRCS_3, SW_SRCS_4 };

static const sw_op_info ops[SW_OP_COUNT] = {
#define OP(name, text, srcs, types, effects, unit, since, meaning)             \
    [SW_OP_##name] = {                                                         \
        text,           SW_SRCS_##srcs, SW_TS_##types, SW_FX_##effects,        \
        SW_UNIT_##unit, since,          meaning},
#include "ir/ops.def"
#undef OP
};

const char *
sw_type_text(sw_type type)
{
    return type < SW_T_COUNT ? types[type].text : "";
}

unsigned
sw_type_bits(sw_type type)
{
    return type < SW_T_COUNT ? types[type].bits : 0;
}

sw_class
sw_type_class(sw_type type)
{
    return type < SW_T_COUNT ? (sw_class)types[type].cls : SW_CLASS_NONE;
}

sw_kind
sw_type_kind(sw_type type)
{
    return type < SW_T_COUNT ? (sw_kind)types[type].kind : SW_KIND_NONE;
}

unsigned
sw_class_bytes(sw_class cls)
{
    static const uint8_t bytes[SW_CLASS_COUNT] = {0, 0, 2, 4, 8, 16};
    return cls < SW_CLASS_COUNT ? bytes[cls] : 0;
}

sw_type
sw_type_wide(sw_type type)
{
    switch (type) {
    case SW_T_U8:
        return SW_T_U16;
    case SW_T_S8:
        return SW_T_S16;
    case SW_T_B8:
        return SW_T_B16;
    case SW_T_U16:
        return SW_T_U32;
    case SW_T_S16:
        return SW_T_S32;
    case SW_T_B16:
        return SW_T_B32;
    case SW_T_U32:
        return SW_T_U64;
    case SW_T_S32:
        return SW_T_S64;
    case SW_T_B32:
        return SW_T_B64;
    case SW_T_F32:
        return SW_T_F64;
    default:
        return SW_T_NONE;
    }
}

const sw_op_info *
sw_op_get_info(sw_op op)
{
    SW_ASSERT(op < SW_OP_COUNT);
    return &ops[op];
}

#define CMP(name, text) text,
const char *
sw_cmp_text(sw_cmp v)
{
    static const char *const texts[] = {
#include "ir/enums.def"
    };
    return v < SW_CMP_COUNT ? texts[v] : "";
}

#define RND(name, text) text,
const char *
sw_rnd_text(sw_rnd v)
{
    static const char *const texts[] = {
#include "ir/enums.def"
    };
    return v < SW_RND_COUNT ? texts[v] : "";
}

#define SPACE(name, text) text,
const char *
sw_space_text(sw_space v)
{
    static const char *const texts[] = {
#include "ir/enums.def"
    };
    return v < SW_SPACE_COUNT ? texts[v] : "";
}

#define CACHE(name, text) text,
const char *
sw_cache_text(sw_cache v)
{
    static const char *const texts[] = {
#include "ir/enums.def"
    };
    return v < SW_CACHE_COUNT ? texts[v] : "";
}

#define ORDER(name, text) text,
const char *
sw_order_text(sw_order v)
{
    static const char *const texts[] = {
#include "ir/enums.def"
    };
    return v < SW_ORDER_COUNT ? texts[v] : "";
}

#define SCOPE(name, text) text,
const char *
sw_scope_text(sw_scope v)
{
    static const char *const texts[] = {
#include "ir/enums.def"
    };
    return v < SW_SCOPE_COUNT ? texts[v] : "";
}

#define ATOM(name, text) text,
const char *
sw_atom_text(sw_atom v)
{
    static const char *const texts[] = {
#include "ir/enums.def"
    };
    return v < SW_ATOM_COUNT ? texts[v] : "";
}

#define GEOM(name, text, coords, layered) text,
const char *
sw_geom_text(sw_geom v)
{
    static const char *const texts[] = {
#include "ir/enums.def"
    };
    return v < SW_GEOM_COUNT ? texts[v] : "";
}

#define SREG(name, text, type) text,
const char *
sw_sreg_text(sw_sreg v)
{
    static const char *const texts[] = {
#include "ir/enums.def"
    };
    return v < SW_SREG_COUNT ? texts[v] : "";
}

#define SREG(name, text, type) SW_T_##type,
sw_type
sw_sreg_type(sw_sreg v)
{
    static const sw_type of[] = {
#include "ir/enums.def"
    };
    return v < SW_SREG_COUNT ? of[v] : SW_T_NONE;
}
