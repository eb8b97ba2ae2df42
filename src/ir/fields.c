/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - names and spellings of the IR's text form; see text.h. */
#include <assert.h>
#include <string.h>

#include "ir/text.h"

/* Each bit of sw_ins.flags has one name, but for two that have two: no op takes
 * both. */
_Static_assert((int)SW_F_COPY == (int)SW_F_RELU &&
                   (int)SW_F_FUSED == (int)SW_F_UNI,
               "relu is of arithmetic, copy of memory; uni of branches, fused "
               "of votes");
_Static_assert(SW_F_FTZ + SW_F_SAT + SW_F_APPROX + SW_F_FULL + SW_F_NAN +
                       SW_F_XORSIGN + SW_F_RELU + SW_F_UNI + SW_F_FORMATTED +
                       SW_F_NOFTZ + SW_F_ALIGNED + SW_F_OOB +
                       SW_F_GENERIC_ADDR + SW_F_NORETURN + SW_F_DEMOTED +
                       SW_F_FALLS ==
                   0xffff,
               "all others have a bit of their own");

#define FIELD(type, member, set)                                               \
    {                                                                          \
#member, offsetof(type, member), sizeof(((type *)0)->member),          \
            SW_SET_##set                                                       \
    }
/* clang-format off */
const sw_field sw_fields_ins[] = {
    FIELD(sw_ins, rnd, RND),
    FIELD(sw_ins, cmp, CMP),
    FIELD(sw_ins, boolop, BOOL),
    FIELD(sw_ins, sub, NUMBER),
    FIELD(sw_ins, space, SPACE),
    FIELD(sw_ins, vec, NUMBER),
    FIELD(sw_ins, cache, CACHE),
    FIELD(sw_ins, order, ORDER),
    FIELD(sw_ins, scope, SCOPE),
    FIELD(sw_ins, geom, GEOM),
    FIELD(sw_ins, offset, NUMBER),
    FIELD(sw_ins, imm, NUMBER),
    FIELD(sw_ins, line, NUMBER),
    FIELD(sw_ins, loc, NUMBER),
    {0},
};

const sw_field sw_fields_video[] = {
    FIELD(sw_video, dtype, TYPE),
    FIELD(sw_video, atype, TYPE),
    FIELD(sw_video, btype, TYPE),
    FIELD(sw_video, asel, NUMBER),
    FIELD(sw_video, bsel, NUMBER),
    FIELD(sw_video, dsel, NUMBER),
    FIELD(sw_video, csel, NUMBER),
    FIELD(sw_video, amask, NUMBER),
    FIELD(sw_video, bmask, NUMBER),
    FIELD(sw_video, dmask, NUMBER),
    FIELD(sw_video, op2, NUMBER),
    FIELD(sw_video, sat, FLAG),
    FIELD(sw_video, po, FLAG),
    FIELD(sw_video, wrap, FLAG),
    FIELD(sw_video, neg_a, FLAG),
    FIELD(sw_video, neg_b, FLAG),
    FIELD(sw_video, neg_c, FLAG),
    FIELD(sw_video, scale, NUMBER),
    {0},
};

const sw_field sw_fields_matrix[] = {
    FIELD(sw_matrix, m, NUMBER),
    FIELD(sw_matrix, n, NUMBER),
    FIELD(sw_matrix, k, NUMBER),
    FIELD(sw_matrix, dtype, TYPE),
    FIELD(sw_matrix, atype, TYPE),
    FIELD(sw_matrix, btype, TYPE),
    FIELD(sw_matrix, ctype, TYPE),
    FIELD(sw_matrix, a_row, FLAG),
    FIELD(sw_matrix, b_row, FLAG),
    FIELD(sw_matrix, c_row, FLAG),
    FIELD(sw_matrix, frag, NUMBER),
    FIELD(sw_matrix, bit_op, NUMBER),
    FIELD(sw_matrix, satfinite, FLAG),
    FIELD(sw_matrix, rnd, NUMBER),
    FIELD(sw_matrix, sparse, FLAG),
    FIELD(sw_matrix, selector, NUMBER),
    FIELD(sw_matrix, dregs, NUMBER),
    FIELD(sw_matrix, aregs, NUMBER),
    FIELD(sw_matrix, bregs, NUMBER),
    FIELD(sw_matrix, cregs, NUMBER),
    FIELD(sw_matrix, neg_a, FLAG),
    FIELD(sw_matrix, neg_b, FLAG),
    FIELD(sw_matrix, group, FLAG),
    {0},
};

/* address is here for slots of a frame; elsewhere the runtime sets it and the
 * printer leaves it out. */
const sw_field sw_fields_sym[] = {
    FIELD(sw_sym, space, SPACE),
    FIELD(sw_sym, linkage, LINKAGE),
    FIELD(sw_sym, type, TYPE),
    FIELD(sw_sym, bytes, NUMBER),
    FIELD(sw_sym, align, NUMBER),
    FIELD(sw_sym, managed, FLAG),
    FIELD(sw_sym, const_bank, NUMBER),
    FIELD(sw_sym, address, NUMBER),
    FIELD(sw_sym, line, NUMBER),
    {0},
};

const sw_field sw_fields_fn[] = {
    FIELD(sw_fn, is_entry, FLAG),
    FIELD(sw_fn, noreturn, FLAG),
    FIELD(sw_fn, param_bytes, NUMBER),
    FIELD(sw_fn, frame_bytes, NUMBER),
    FIELD(sw_fn, maxntid[0], NUMBER),
    FIELD(sw_fn, maxntid[1], NUMBER),
    FIELD(sw_fn, maxntid[2], NUMBER),
    FIELD(sw_fn, reqntid[0], NUMBER),
    FIELD(sw_fn, reqntid[1], NUMBER),
    FIELD(sw_fn, reqntid[2], NUMBER),
    FIELD(sw_fn, minnctapersm, NUMBER),
    FIELD(sw_fn, maxnreg, NUMBER),
    FIELD(sw_fn, reqnctapercluster[0], NUMBER),
    FIELD(sw_fn, reqnctapercluster[1], NUMBER),
    FIELD(sw_fn, reqnctapercluster[2], NUMBER),
    FIELD(sw_fn, maxclusterrank, NUMBER),
    FIELD(sw_fn, explicit_cluster, FLAG),
    FIELD(sw_fn, blocks_are_clusters, FLAG),
    FIELD(sw_fn, line, NUMBER),
    {0},
};

const sw_field sw_fields_loc[] = {
    FIELD(sw_loc, file, NUMBER),
    FIELD(sw_loc, line, NUMBER),
    FIELD(sw_loc, column, NUMBER),
    FIELD(sw_loc, inlined_at, NUMBER),
    {0},
};

const sw_field sw_fields_module[] = {
    FIELD(sw_module, version, NUMBER),
    FIELD(sw_module, target, NUMBER),
    FIELD(sw_module, address_size, NUMBER),
    FIELD(sw_module, debug, FLAG),
    FIELD(sw_module, f64_demoted, FLAG),
    {0},
};

/* Two bits are shared by flags of different ops: the ops tell which is meant,
 * and the text has one name for both. All others have a bit of their own. */
static_assert(SW_F_COPY == SW_F_RELU, "ld and st know no .relu");
static_assert(SW_F_FUSED == SW_F_UNI, "vote and setp know no .uni");
#define ALL_FLAGS(with)                                                        \
    (SW_F_FTZ with SW_F_SAT with SW_F_APPROX with SW_F_FULL with SW_F_NAN with \
         SW_F_XORSIGN with SW_F_RELU with SW_F_UNI with SW_F_FORMATTED with    \
             SW_F_NOFTZ with SW_F_ALIGNED with SW_F_OOB with                   \
                 SW_F_GENERIC_ADDR with SW_F_NORETURN with SW_F_DEMOTED with   \
                     SW_F_FALLS)
static_assert((ALL_FLAGS(+)) == (ALL_FLAGS(|)), "flags share a bit");

const sw_flag_name sw_flag_names[] = {
    {"ftz", SW_F_FTZ},           {"sat", SW_F_SAT},
    {"approx", SW_F_APPROX},     {"full", SW_F_FULL},
    {"nan", SW_F_NAN},           {"xorsign", SW_F_XORSIGN},
    {"relu", SW_F_RELU},         {"uni", SW_F_UNI},
    {"formatted", SW_F_FORMATTED}, {"noftz", SW_F_NOFTZ},
    {"aligned", SW_F_ALIGNED},   {"oob", SW_F_OOB},
    {"generic", SW_F_GENERIC_ADDR}, {"noreturn", SW_F_NORETURN},
    {"demoted", SW_F_DEMOTED},     {"falls", SW_F_FALLS},
    {NULL, 0},
};
/* clang-format on */

uint64_t
sw_field_get(const sw_field *field, const void *object)
{
    const uint8_t *p = (const uint8_t *)object + field->offset;
    uint8_t v8;
    uint16_t v16;
    uint32_t v32;
    uint64_t v64;
    switch (field->bytes) {
    case 1:
        memcpy(&v8, p, 1);
        return v8;
    case 2:
        memcpy(&v16, p, 2);
        return v16;
    case 4:
        memcpy(&v32, p, 4);
        return v32;
    default:
        memcpy(&v64, p, 8);
        return v64;
    }
}

void
sw_field_set(const sw_field *field, void *object, uint64_t value)
{
    uint8_t *p = (uint8_t *)object + field->offset;
    const uint8_t v8 = (uint8_t)value;
    const uint16_t v16 = (uint16_t)value;
    const uint32_t v32 = (uint32_t)value;
    switch (field->bytes) {
    case 1:
        memcpy(p, &v8, 1);
        break;
    case 2:
        memcpy(p, &v16, 2);
        break;
    case 4:
        memcpy(p, &v32, 4);
        break;
    default:
        memcpy(p, &value, 8);
        break;
    }
}

const char *
sw_set_text(sw_set set, uint64_t value)
{
    static const char *const linkages[] = {"static", "visible", "weak",
                                           "common", "extern"};
    static const char *const bools[] = {"none", "and", "or", "xor"};
    const char *text = "";
    unsigned v = value > 255 ? 255 : (unsigned)value;
    switch (set) {
    case SW_SET_NUMBER:
    case SW_SET_FLAG:
        return NULL;
    case SW_SET_TYPE:
        text = v < SW_T_COUNT ? sw_type_text((sw_type)v) : "";
        break;
    case SW_SET_SPACE:
        text = sw_space_text((sw_space)v);
        break;
    case SW_SET_CMP:
        text = sw_cmp_text((sw_cmp)v);
        break;
    case SW_SET_RND:
        text = sw_rnd_text((sw_rnd)v);
        break;
    case SW_SET_CACHE:
        text = sw_cache_text((sw_cache)v);
        break;
    case SW_SET_ORDER:
        text = sw_order_text((sw_order)v);
        break;
    case SW_SET_SCOPE:
        text = sw_scope_text((sw_scope)v);
        break;
    case SW_SET_GEOM:
        text = sw_geom_text((sw_geom)v);
        break;
    case SW_SET_ATOM:
        text = sw_atom_text((sw_atom)v);
        break;
    case SW_SET_SREG:
        text = sw_sreg_text((sw_sreg)v);
        break;
    case SW_SET_LINKAGE:
        text = v < 5 ? linkages[v] : "";
        break;
    case SW_SET_BOOL:
        text = v < 4 ? bools[v] : "";
        break;
    }
    return *text ? text : NULL;
}

bool
sw_set_value(sw_set set, sw_str text, uint64_t *value)
{
    for (unsigned v = 0; v < 255; v++) {
        const char *t = sw_set_text(set, v);
        if (t && sw_str_is(text, t)) {
            *value = v;
            return true;
        }
    }
    return false;
}

sw_set
sw_sub_set(sw_op op)
{
    switch (op) {
    case SW_OP_SREG:
        return SW_SET_SREG;
    case SW_OP_ATOM:
    case SW_OP_RED:
    case SW_OP_REDUX:
        return SW_SET_ATOM;
    default:
        return SW_SET_NUMBER;
    }
}

bool
sw_is_plain_name(const char *name)
{
    size_t n = 0;
    for (; name[n]; n++) {
        char c = name[n];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%' ||
              c == '.'))
            return false;
    }
    return n > 0;
}

static void
add_local(sw_locals *locals, sw_vec *list, const void *what)
{
    const sw_str key = {(const char *)&what, sizeof what};
    if (!what || sw_map_get(locals->index, key))
        return;
    *(const void **)sw_vec_push(list) = what;
    sw_map_set(locals->index, key, (void *)(uintptr_t)list->count);
}

static void
add_operands(sw_locals *locals, const sw_opnd *opnds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (opnds[i].kind == SW_OPND_SYM && opnds[i].sym && opnds[i].sym->owner)
            add_local(locals, &locals->syms, opnds[i].sym);
}

void
sw_locals_init(sw_locals *locals, const sw_fn *fn)
{
    sw_vec_init(&locals->syms, sizeof(const sw_sym *));
    sw_vec_init(&locals->protos, sizeof(const sw_fn *));
    locals->index = sw_map_create();
    add_operands(locals, fn->params, fn->param_count);
    add_operands(locals, fn->rets, fn->ret_count);
    for (uint32_t i = 0; i < fn->shared_count; i++)
        add_local(locals, &locals->syms, fn->shared[i]);
    for (uint32_t b = 0; b < fn->block_count; b++) {
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            add_operands(locals, ins->opnd, (uint32_t)ins->ndst + ins->nsrc);
            const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
            if (!call)
                continue;
            add_operands(locals, call->args, call->arg_count);
            add_operands(locals, call->rets, call->ret_count);
            add_local(locals, &locals->protos, call->prototype);
        }
    }
}

void
sw_locals_finish(sw_locals *locals)
{
    sw_vec_finish(&locals->syms);
    sw_vec_finish(&locals->protos);
    sw_map_destroy(locals->index);
}

uint32_t
sw_locals_find(const sw_locals *locals, const void *what)
{
    const sw_str key = {(const char *)&what, sizeof what};
    uintptr_t found = (uintptr_t)sw_map_get(locals->index, key);
    return found ? (uint32_t)found - 1 : UINT32_MAX;
}
