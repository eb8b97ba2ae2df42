/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand_test.c - in which register class an operand is read that is no
 * register: what the op's signature says.
 */
#include "check.h"
#include "ir/ir.h"

enum { SOURCES_MOST = 8 };

/* The classes of an instruction's sources, all of them numbers: a letter each,
 * p, 2 (16 bits), 4, 8. */
static const char *
classes(sw_ins ins, unsigned nsrc, char out[SOURCES_MOST + 1])
{
    sw_opnd sources[SOURCES_MOST] = {{0}};
    ins.opnd = sources;
    ins.nsrc = (uint8_t)nsrc;
    for (unsigned i = 0; i < nsrc; i++) {
        sources[i].kind = SW_OPND_IMM;
        sw_class cls = sw_ins_class(NULL, &ins, i);
        out[i] = cls == SW_CLASS_PRED  ? 'p'
                 : cls == SW_CLASS_B16 ? '2'
                 : cls == SW_CLASS_B32 ? '4'
                 : cls == SW_CLASS_B64 ? '8'
                                       : '?';
    }
    out[nsrc] = '\0';
    return out;
}

#define IS(text, nsrc, ...)                                                    \
    CHECK_STR(classes((sw_ins){__VA_ARGS__}, nsrc, (char[9]){0}), text)

CASE(sources_have_the_class_of_their_letter)
{
    IS("22", 2, .op = SW_OP_ADD, .type = SW_T_S16);
    IS("44p", 3, .op = SW_OP_ADDC, .type = SW_T_U32);
    IS("448", 3, .op = SW_OP_MAD_WIDE, .type = SW_T_U32);
    IS("84", 2, .op = SW_OP_SHL, .type = SW_T_B64);
    IS("844", 3, .op = SW_OP_BFE, .type = SW_T_U64);
    IS("88p", 3, .op = SW_OP_SELP, .type = SW_T_F64);
    IS("888p", 4, .op = SW_OP_LOP3, .type = SW_T_B64);
    IS("448", 3, .op = SW_OP_SLCT, .type = SW_T_U32, .stype = SW_T_U64);
    IS("2", 1, .op = SW_OP_CVT, .type = SW_T_F32, .stype = SW_T_F16);
    IS("p4", 2, .op = SW_OP_VOTE, .type = SW_T_B32);
    IS("84", 2, .op = SW_OP_MATCH, .type = SW_T_B64);
}

CASE(addresses_have_64_bits_and_what_is_moved_its_own)
{
    IS("8", 1, .op = SW_OP_LD, .type = SW_T_U16, .vec = 4);
    IS("82", 2, .op = SW_OP_ST, .type = SW_T_U16, .vec = 1);
    IS("84444", 5, .op = SW_OP_ST, .type = SW_T_F32, .vec = 4);
    IS("844", 3, .op = SW_OP_ATOM, .type = SW_T_U32, .vec = 1);
    IS("844", 3, .op = SW_OP_ATOM, .type = SW_T_F32, .vec = 2);
    IS("884", 3, .op = SW_OP_CP_ASYNC);
    IS("88484", 5, .op = SW_OP_CP_BULK);
    IS("8", 1, .op = SW_OP_LDMATRIX, .type = SW_T_B16);
}

CASE(where_any_class_may_stand_the_op_says_which)
{
    IS("22", 2, .op = SW_OP_PACK, .type = SW_T_B32);
    IS("44", 2, .op = SW_OP_PACK, .type = SW_T_B64);
    IS("44", 2, .op = SW_OP_BAR, .sub = SW_BAR_SYNC);
    IS("44p", 3, .op = SW_OP_BAR, .sub = SW_BAR_RED_POPC);
    IS("84", 2, .op = SW_OP_TEX);
    IS("88444", 5, .op = SW_OP_TEX, .imm = 1);
    IS("842", 3, .op = SW_OP_SUST, .type = SW_T_B16, .vec = 1);
    IS("88", 2, .op = SW_OP_MBAR_TEST);
    IS("84", 2, .op = SW_OP_MBAR_TEST, .sub = 1);
}
