/* SPDX-License-Identifier: Apache-2.0 */
/* signature.c - what operands an operation takes; see verify_private.h. */
#include "ir/proxy.h"
#include "ir/verify_private.h"

/* Ops that are not here have one destination and the sources of ops.def, all
 * of the class of the type. */
/* clang-format off */
static const char *const signatures[SW_OP_COUNT] = {
    [SW_OP_ADDC] = "TP?=TTP",
    [SW_OP_SUBC] = "TP?=TTP",
    [SW_OP_MADC_LO] = "TP?=TTTP",
    [SW_OP_MADC_HI] = "TP?=TTTP",
    [SW_OP_MUL_WIDE] = "W=TT",
    [SW_OP_MAD_WIDE] = "W=TTW",
    [SW_OP_POPC] = "3=T",
    [SW_OP_CLZ] = "3=T",
    [SW_OP_BFIND] = "3=T",
    [SW_OP_FNS] = "3=333",
    [SW_OP_BFE] = "T=T33",
    [SW_OP_BFI] = "T=TT33",
    [SW_OP_SZEXT] = "T=T3",
    [SW_OP_BMSK] = "3=33",
    [SW_OP_DP4A] = "3=333",
    [SW_OP_DP2A] = "3=333",
    [SW_OP_LOP3] = "TP?=TTTP?",
    [SW_OP_SHL] = "T=T3",
    [SW_OP_SHR] = "T=T3",
    [SW_OP_SHF_L] = "3=333",
    [SW_OP_SHF_R] = "3=333",
    [SW_OP_PRMT] = "3=333",
    [SW_OP_TESTP] = "P=T",
    [SW_OP_SETP] = "PP?=TTP?",
    [SW_OP_SET] = "T=SSP?",
    [SW_OP_SELP] = "T=TTP",
    [SW_OP_SLCT] = "T=TTS",
    [SW_OP_PACK] = "T=X*",
    [SW_OP_UNPACK] = "X*=T",
    [SW_OP_ADDR] = "T=Y",
    [SW_OP_SREG] = "R=",
    [SW_OP_CVT] = "T=SS?S?",
    [SW_OP_CVT_PACK] = "3=SS3",
    [SW_OP_MAPA] = "T=T3",
    [SW_OP_CTARANK] = "3=T",
    [SW_OP_ISSPACEP] = "P=T",
    [SW_OP_LD] = "Lv=A",
    [SW_OP_LDU] = "Lv=A",
    [SW_OP_ST] = "=ALv",
    [SW_OP_ATOM] = "Tv?=ATvTv?",
    [SW_OP_RED] = "=ATvTv?",
    [SW_OP_PREFETCH] = "=A",
    [SW_OP_MEMBAR] = "=",
    [SW_OP_CP_ASYNC] = "=AA3?",
    [SW_OP_CP_BULK] = "=AA3A?X?",
    [SW_OP_CP_REDUCE] = "=AA3A?",
    [SW_OP_CP_TENSOR] = "=AAX*",
    [SW_OP_CP_ASYNC_WAIT] = "=A?",
    [SW_OP_STACKSAVE] = "T=",
    [SW_OP_STACKRESTORE] = "=T",
    [SW_OP_TEX] = "T*=HX*",
    [SW_OP_TLD4] = "T*=HX*",
    [SW_OP_TXQ] = "T=H3?",
    [SW_OP_SULD] = "L*=H3*",
    [SW_OP_SUST] = "=HX*",
    [SW_OP_SURED] = "=HX*",
    [SW_OP_BRA] = "=",
    [SW_OP_BRX] = "=3",
    [SW_OP_RET] = "=",
    [SW_OP_EXIT] = "=",
    [SW_OP_CALL] = "=A?",
    [SW_OP_TRAP] = "=",
    [SW_OP_BRKPT] = "=",
    [SW_OP_PMEVENT] = "=X",
    [SW_OP_NANOSLEEP] = "=3",
    [SW_OP_BAR] = "X?=3X?X?",
    [SW_OP_BAR_CLUSTER] = "=",
    [SW_OP_BAR_WARP] = "=3",
    [SW_OP_SHFL] = "3P?=3333?",
    [SW_OP_VOTE] = "T=P3?",
    [SW_OP_MATCH] = "3P?=T3",
    [SW_OP_REDUX] = "T=T3",
    [SW_OP_ACTIVEMASK] = "3=",
    [SW_OP_ELECT] = "3P?=3",
    [SW_OP_GRIDDEPCONTROL] = "=",
    [SW_OP_SETMAXNREG] = "=",
    [SW_OP_MBAR_INIT] = "=A3",
    [SW_OP_MBAR_INVAL] = "=A",
    [SW_OP_MBAR_ARRIVE] = "6?=A3?",
    [SW_OP_MBAR_EXPECT_TX] = "=A3",
    [SW_OP_MBAR_TEST] = "P=AX3?",
    [SW_OP_MBAR_PENDING] = "3=6",
    [SW_OP_VADD] = "3=333",
    [SW_OP_VSUB] = "3=333",
    [SW_OP_VABSDIFF] = "3=333",
    [SW_OP_VMIN] = "3=333",
    [SW_OP_VMAX] = "3=333",
    [SW_OP_VSHL] = "3=333",
    [SW_OP_VSHR] = "3=333",
    [SW_OP_VMAD] = "3=333",
    [SW_OP_VSET] = "3=333",
    [SW_OP_LDMATRIX] = "3*=A",
    [SW_OP_STMATRIX] = "=A3*",
    [SW_OP_MOVMATRIX] = "3=3",
    [SW_OP_WMMA_LOAD] = "X*=A3?",
    [SW_OP_WMMA_STORE] = "=AX*",
    [SW_OP_WMMA] = "X*=X*",
    [SW_OP_MMA] = "X*=X*",
    [SW_OP_WGMMA] = "3*=X*",
};
/* clang-format on */

const char *
sw_verify_signature(sw_op op, char plain[8])
{
    if (signatures[op])
        return signatures[op];
    unsigned srcs = sw_op_get_info(op)->srcs;
    SW_ASSERT(srcs <= 5);
    char *p = plain;
    *p++ = 'T';
    *p++ = '=';
    for (unsigned i = 0; i < srcs; i++)
        *p++ = 'T';
    *p = '\0';
    return plain;
}

unsigned
sw_verify_sub_max(sw_op op)
{
    switch (op) {
    case SW_OP_SREG:
        return SW_SREG_COUNT - 1;
    case SW_OP_ATOM:
    case SW_OP_RED:
    case SW_OP_REDUX:
    case SW_OP_CP_REDUCE:
        return SW_ATOM_COUNT - 1;
    case SW_OP_SHFL:
        return SW_SHFL_IDX;
    case SW_OP_VOTE:
        return SW_VOTE_BALLOT;
    case SW_OP_BAR:
        return SW_BAR_RED_OR;
    case SW_OP_PRMT:
        return SW_PRMT_RC16;
    case SW_OP_TESTP:
        return SW_TESTP_SUBNORMAL;
    case SW_OP_TEX:
    case SW_OP_TLD4:
        return SW_TEX_GRAD;
    case SW_OP_TXQ:
        return SW_TXQ_MEMORY_LAYOUT;
    case SW_OP_SULD:
    case SW_OP_SUST:
    case SW_OP_SURED:
        return SW_SURF_ZERO;
    case SW_OP_MBAR_ARRIVE:
        return SW_MBAR_DROP_NOCOMPLETE;
    case SW_OP_CP_BULK:
    case SW_OP_CP_TENSOR:
        return SW_BULK_SHARED;
    case SW_OP_CP_ASYNC_WAIT:
        return SW_ASYNC_PREFETCH;
    case SW_OP_MEMBAR:
        return SW_PROXY_ASYNC;
    case SW_OP_BFIND:
    case SW_OP_CVT:
    case SW_OP_SZEXT:
    case SW_OP_BMSK:
    case SW_OP_DP2A:
    case SW_OP_SHF_L:
    case SW_OP_SHF_R:
    case SW_OP_CVTA:
    case SW_OP_TRAP:
    case SW_OP_MATCH:
    case SW_OP_MBAR_TEST:
    case SW_OP_MBAR_EXPECT_TX:
    case SW_OP_BAR_CLUSTER:
    case SW_OP_LDMATRIX:
    case SW_OP_STMATRIX:
    case SW_OP_MOVMATRIX:
        return 1;
    default:
        return 0;
    }
}
