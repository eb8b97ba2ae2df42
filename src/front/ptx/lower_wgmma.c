/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower_wgmma.c - products of warpgroups (PTX ISA 9.7.15), the groups of four
 * warps that wgmma works on.
 *
 * An engine lets each warp compute its 16 rows at once. A device computes all
 * 64 rows as one, and programs count on it: one thread of the group says that
 * shared memory may be written again when the group has waited. So
 * wgmma.wait_group is a barrier of the group's warps too, one of those behind
 * the barriers that PTX names.
 */
#include <stdlib.h>
#include <string.h>

#include "front/ptx/parse.h"

enum { MAX_SUMS = 128, MAX_A = 4, GROUP_THREADS = 128, GROUP_SHIFT = 7 };

/* ---- wgmma.mma_async ---- */

/* m64nNkK: N a multiple of 8 up to 256. K is 256 bits of a row; twice that if a
 * is sparse. */
static bool
take_group_shape(ptx_ins *in, sw_matrix *mx)
{
    static const struct {
        ptx_mod mod;
        uint16_t k;
    } lengths[] = {{M_M64K8, 8},
                   {M_M64K16, 16},
                   {M_M64K32, 32},
                   {M_M64K64, 64},
                   {M_M64K256, 256}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (!ptx_take(in, lengths[i].mod))
            continue;
        const char *n = memchr(in->text.p, 'm', in->text.n);
        while (n && strncmp(n, "m64n", 4))
            n = memchr(n + 1, 'm', in->text.n - (size_t)(n + 1 - in->text.p));
        mx->m = 64;
        mx->n = n ? (uint16_t)strtoul(n + 4, NULL, 10) : 0;
        mx->k = lengths[i].k;
        return mx->n >= 8;
    }
    return false;
}

static bool
is_group_type(const sw_matrix *mx)
{
    unsigned bits = sw_type_bits(mx->atype), n = mx->n;
    bool b_fits = bits && bits == sw_type_bits(mx->btype) &&
                  mx->k == (mx->sparse ? 512 : 256) / bits;
    bool few = n == 8 || n == 24 || n % 16 == 0;
    switch (mx->atype) {
    case SW_T_F16:
        return b_fits && mx->btype == SW_T_F16 &&
               (mx->dtype == SW_T_F32 || mx->dtype == SW_T_F16);
    case SW_T_BF16:
    case SW_T_TF32:
        return b_fits && mx->btype == mx->atype && mx->dtype == SW_T_F32;
    case SW_T_E4M3:
    case SW_T_E5M2:
        return b_fits && (mx->btype == SW_T_E4M3 || mx->btype == SW_T_E5M2) &&
               (mx->dtype == SW_T_F32 || mx->dtype == SW_T_F16);
    case SW_T_S8:
    case SW_T_U8:
        return b_fits && few && mx->dtype == SW_T_S32 &&
               (mx->btype == SW_T_S8 || mx->btype == SW_T_U8);
    case SW_T_B1:
        return b_fits && few && !mx->sparse && mx->btype == SW_T_B1 &&
               mx->dtype == SW_T_S32 && mx->bit_op;
    default:
        return false;
    }
}

/* A number among the operands, one of two. */
static bool
take_choice(ptx_parser *p, const ptx_ins *in, unsigned i, int64_t first,
            int64_t second, bool *is_second)
{
    const ptx_opnd *o = ptx_op(in, i);
    int64_t v = (int64_t)o->bits;
    if (o->kind == OPND_INT && (v == first || v == second)) {
        *is_second = v == second;
        return true;
    }
    ptx_error_at(p, in->line, in->column, "expected %d or %d as operand %u",
                 (int)first, (int)second, i + 1);
    return false;
}

/* Operands behind scale-d: signs of floats, transpositions of 16-bit types. */
static bool
take_options(ptx_parser *p, const ptx_ins *in, unsigned at, sw_matrix *mx)
{
    bool turned = false;
    mx->a_row = true;
    mx->b_row = false;
    if (mx->dtype == SW_T_S32)
        return true;
    if (!take_choice(p, in, at, 1, -1, &mx->neg_a) ||
        !take_choice(p, in, at + 1, 1, -1, &mx->neg_b))
        return false;
    at += 2;
    if (sw_type_bits(mx->atype) != 16)
        return true;
    if (!mx->aregs) {
        if (!take_choice(p, in, at++, 0, 1, &turned))
            return false;
        mx->a_row = !turned;
    }
    return take_choice(p, in, at, 0, 1, &mx->b_row);
}

/* scale-d as a number: 1 if the sums go on, else 0. */
static sw_opnd
scale_of(ptx_parser *p, const ptx_opnd *o)
{
    if (o->kind == OPND_INT)
        return ptx_imm_opnd(o->bits != 0);
    sw_opnd pred = ptx_source_pred(p, o);
    sw_ins *ins = ptx_emit(p, SW_OP_SELP, SW_T_B32, 1, 3);
    ins->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, SW_T_B32, NULL));
    ins->opnd[1] = ptx_imm_opnd(1);
    ins->opnd[2] = ptx_imm_opnd(0);
    ins->opnd[3] = pred;
    return ins->opnd[0];
}

/* d, a or its descriptor, b's descriptor[, metadata, selector], scale-d, ... */
static void
emit_product(ptx_parser *p, ptx_ins *in, sw_matrix *mx)
{
    const ptx_opnd *d, *a;
    unsigned sums = ptx_vector(in, ptx_op(in, 0), &d);
    unsigned want = mx->dtype == SW_T_F16 ? mx->n / 4u : mx->n / 2u;
    bool by_regs = ptx_op(in, 1)->kind == OPND_VECTOR;
    unsigned a_count = ptx_vector(in, ptx_op(in, 1), &a), at = 3;
    if (sums != want || (by_regs && a_count != MAX_A)) {
        ptx_error_at(p, in->line, in->column,
                     "expected %u registers in d and 4 in a, if it is no "
                     "descriptor",
                     want);
        return;
    }
    mx->dregs = mx->cregs = (uint8_t)sums;
    mx->aregs = by_regs ? MAX_A : 0;
    sw_opnd src[MAX_SUMS + MAX_A + 4];
    unsigned n = 0;
    for (unsigned i = 0; i < sums; i++)
        src[n++] = ptx_source(p, &d[i], SW_T_B32);
    for (unsigned i = 0; i < a_count; i++)
        src[n++] = ptx_source(p, &a[i], by_regs ? SW_T_B32 : SW_T_B64);
    src[n++] = ptx_source(p, ptx_op(in, 2), SW_T_B64);
    sw_opnd names = {0};
    if (mx->sparse) {
        const ptx_opnd *selector = ptx_op(in, 4);
        if (selector->kind != OPND_INT || selector->bits > 3) {
            ptx_error_at(p, in->line, in->column,
                         "expected a sparsity selector, 0 to 3");
            return;
        }
        names = ptx_source(p, ptx_op(in, 3), SW_T_B32);
        mx->selector = (uint8_t)selector->bits;
        at = 5;
    }
    src[n++] = scale_of(p, ptx_op(in, at));
    if (!take_options(p, in, at + 1, mx))
        return;
    if (mx->sparse)
        src[n++] = names;
    sw_ins *ins = ptx_emit(p, SW_OP_WGMMA, mx->dtype, sums, n);
    sw_matrix *copy = sw_arena_alloc(p->arena, sizeof *copy);
    *copy = *mx;
    ins->stype = (uint8_t)mx->atype;
    ins->aux = copy;
    ins->space = SW_SPACE_SHARED;
    for (unsigned i = 0; i < sums; i++)
        ins->opnd[i] = ptx_dest(p, &d[i], SW_T_B32);
    for (unsigned i = 0; i < n; i++)
        ins->opnd[sums + i] = src[i];
}

/* wgmma.mma_async[.sp].sync.aligned.shape[.satfinite].dtype.atype.btype
 * [.and.popc] */
static void
lower_group_product(ptx_parser *p, ptx_ins *in)
{
    sw_matrix mx = {.c_row = true, .group = true};
    mx.sparse = ptx_take(in, M_SP);
    bool ok = ptx_take(in, M_SYNC) && ptx_take(in, M_ALIGNED) &&
              take_group_shape(in, &mx);
    mx.satfinite = ptx_take(in, M_SATFINITE);
    mx.bit_op = ptx_take(in, M_AND) && ptx_take(in, M_POPC);
    mx.dtype = mx.ctype = ptx_take_type(in);
    mx.atype = ptx_take_type(in);
    mx.btype = ptx_take_type(in);
    if (!ok || !is_group_type(&mx) || ptx_left_over(in) ||
        (mx.satfinite && (mx.dtype != SW_T_S32 || mx.bit_op))) {
        ptx_unsupported(p, in);
        return;
    }
    bool by_regs = ptx_op(in, 1)->kind == OPND_VECTOR;
    unsigned count = 4;
    count += mx.sparse ? 2 : 0;
    count += mx.dtype == SW_T_S32 ? 0 : 2;
    count += sw_type_bits(mx.atype) != 16 ? 0 : by_regs ? 1 : 2;
    if (ptx_need(p, in, count, count))
        emit_product(p, in, &mx);
}

/* ---- order ---- */

static sw_opnd
emit_alu(ptx_parser *p, sw_op op, unsigned count, const sw_opnd *src)
{
    sw_ins *ins =
        ptx_emit(p, op, op == SW_OP_SHR ? SW_T_U32 : SW_T_S32, 1, count);
    ins->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, SW_T_B32, NULL));
    for (unsigned i = 0; i < count; i++)
        ins->opnd[1 + i] = src[i];
    return ins->opnd[0];
}

static sw_opnd
special(ptx_parser *p, sw_sreg which)
{
    sw_ins *ins = ptx_emit(p, SW_OP_SREG, sw_sreg_type(which), 1, 0);
    ins->sub = (uint8_t)which;
    ins->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, SW_T_B32, NULL));
    return ins->opnd[0];
}

/* The barrier of the thread's warpgroup: the number of its first warp by 4. */
static void
emit_group_barrier(ptx_parser *p)
{
    sw_opnd rows = emit_alu(p, SW_OP_MAD_LO, 3,
                            (sw_opnd[]){special(p, SW_SREG_NTID_Y),
                                        special(p, SW_SREG_TID_Z),
                                        special(p, SW_SREG_TID_Y)});
    sw_opnd thread = emit_alu(p, SW_OP_MAD_LO, 3,
                              (sw_opnd[]){rows, special(p, SW_SREG_NTID_X),
                                          special(p, SW_SREG_TID_X)});
    sw_opnd group = emit_alu(p, SW_OP_SHR, 2,
                             (sw_opnd[]){thread, ptx_imm_opnd(GROUP_SHIFT)});
    sw_opnd id = emit_alu(p, SW_OP_ADD, 2,
                          (sw_opnd[]){group, ptx_imm_opnd(SW_BAR_FIRST_GROUP)});
    sw_ins *ins = ptx_emit(p, SW_OP_BAR, SW_T_NONE, 0, 2);
    ins->sub = SW_BAR_SYNC;
    ins->imm = 1;
    ins->flags = SW_F_ALIGNED;
    ins->opnd[0] = id;
    ins->opnd[1] = ptx_imm_opnd(GROUP_THREADS);
}

/* wgmma.fence, .commit_group, .wait_group n; wgmma.mma_async */
void
ptx_lower_wgmma(ptx_parser *p, ptx_ins *in)
{
    if (ptx_take(in, M_MMA_ASYNC)) {
        lower_group_product(p, in);
        return;
    }
    bool wait = ptx_take(in, M_WAIT_GROUP);
    bool ok = wait || ptx_take(in, M_COMMIT_GROUP) || ptx_take(in, M_FENCE);
    ok = ok && ptx_take(in, M_SYNC) && ptx_take(in, M_ALIGNED);
    if (!ok || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (ptx_need(p, in, wait, wait) && wait)
        emit_group_barrier(p);
}
