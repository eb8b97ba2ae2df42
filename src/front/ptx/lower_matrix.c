/* SPDX-License-Identifier: Apache-2.0 */
/* lower_matrix.c - wmma, mma, ldmatrix, stmatrix, movmatrix. */
#include "front/ptx/parse.h"

enum { MAX_FRAGMENT = 32 };

static bool
take_shape(ptx_ins *in, sw_matrix *mx)
{
    static const struct {
        ptx_mod mod;
        uint16_t m, n, k;
    } shapes[] = {
        {M_M8N8K4, 8, 8, 4},       {M_M8N8K16, 8, 8, 16},
        {M_M8N8K32, 8, 8, 32},     {M_M8N8K128, 8, 8, 128},
        {M_M8N32K16, 8, 32, 16},   {M_M32N8K16, 32, 8, 16},
        {M_M16N16K8, 16, 16, 8},   {M_M16N16K16, 16, 16, 16},
        {M_M16N8K4, 16, 8, 4},     {M_M16N8K8, 16, 8, 8},
        {M_M16N8K16, 16, 8, 16},   {M_M16N8K32, 16, 8, 32},
        {M_M16N8K64, 16, 8, 64},   {M_M16N8K128, 16, 8, 128},
        {M_M16N8K256, 16, 8, 256},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (ptx_take(in, shapes[i].mod)) {
            mx->m = shapes[i].m;
            mx->n = shapes[i].n;
            mx->k = shapes[i].k;
            return true;
        }
    }
    return false;
}

/* .row or .col, the first of the two that is left. */
static bool
take_layout(ptx_ins *in, bool *row)
{
    for (uint32_t i = 0; i < in->mod_count; i++) {
        if (!in->used[i] && (in->mods[i] == M_ROW || in->mods[i] == M_COL)) {
            in->used[i] = true;
            *row = in->mods[i] == M_ROW;
            return true;
        }
    }
    return false;
}

/* Fragments live in 32-bit registers, those of f64 in 64-bit ones. */
static sw_type
fragment_type(sw_type type)
{
    return type == SW_T_F64 ? SW_T_B64 : SW_T_B32;
}

static bool
fragment(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o,
         const ptx_opnd **elems, uint8_t *count)
{
    unsigned n = ptx_vector(in, o, elems);
    *count = (uint8_t)n;
    if (n <= MAX_FRAGMENT)
        return true;
    ptx_error_at(p, in->line, in->column,
                 "expected at most %d registers in a fragment", MAX_FRAGMENT);
    return false;
}

static sw_matrix *
keep(ptx_parser *p, const sw_matrix *mx)
{
    sw_matrix *copy = sw_arena_alloc(p->arena, sizeof *copy);
    *copy = *mx;
    return copy;
}

/* ---- wmma.load, wmma.store ---- */

static uint64_t
default_stride(const sw_matrix *mx, char frag, bool row)
{
    unsigned rows = frag == 'b' ? mx->k : mx->m;
    unsigned cols = frag == 'a' ? mx->k : mx->n;
    return row ? cols : rows;
}

/* wmma.load.a.sync.aligned.layout.shape[.space].type r, [p][, stride] */
static void
lower_transfer(ptx_parser *p, ptx_ins *in, bool load)
{
    sw_matrix mx = {0};
    char frag = ptx_take(in, M_A)   ? 'a'
                : ptx_take(in, M_B) ? 'b'
                : ptx_take(in, M_C) ? 'c'
                : ptx_take(in, M_D) ? 'd'
                                    : 0;
    bool row = false, ok = frag && (frag == 'd') == !load;
    ptx_take(in, M_SYNC);
    ptx_take(in, M_ALIGNED);
    ok = take_layout(in, &row) && take_shape(in, &mx) && ok;
    uint8_t space = (uint8_t)ptx_take_of(in, ptx_mod_space, SW_SPACE_GENERIC);
    sw_type type = ptx_take_type(in);
    if (!ok || !type || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 3))
        return;
    mx.frag = (uint8_t)frag;
    mx.dtype = mx.atype = mx.btype = mx.ctype = type;
    mx.a_row = mx.b_row = mx.c_row = row;
    const ptx_opnd *regs;
    uint8_t n;
    if (!fragment(p, in, ptx_op(in, load ? 0 : 1), &regs, &n))
        return;
    mx.dregs = mx.aregs = mx.bregs = mx.cregs = n;
    sw_type reg_type = fragment_type(type);
    sw_opnd addr, src[MAX_FRAGMENT];
    sw_opnd stride = ptx_imm_opnd(default_stride(&mx, frag, row));
    int64_t offset;
    ptx_address(p, in, ptx_op(in, load ? 1 : 0), &addr, &offset, &space);
    if (in->opnd_count == 3)
        stride = ptx_source(p, ptx_op(in, 2), SW_T_U32);
    for (unsigned i = 0; !load && i < n; i++)
        src[i] = ptx_source(p, &regs[i], reg_type);
    sw_ins *ins = load ? ptx_emit(p, SW_OP_WMMA_LOAD, type, n, 2)
                       : ptx_emit(p, SW_OP_WMMA_STORE, type, 0, 2u + n);
    ins->aux = keep(p, &mx);
    ins->space = space;
    ins->offset = offset;
    for (unsigned i = 0; i < n; i++)
        ins->opnd[load ? i : 2 + i] =
            load ? ptx_dest(p, &regs[i], reg_type) : src[i];
    ins->opnd[ins->ndst] = addr;
    ins->opnd[ins->ndst + 1] = stride;
}

/* ---- d = a * b + c ---- */

/* Types in the order d, a, b, c; two types are d and c of f16 products. */
static bool
take_matrix_types(ptx_ins *in, sw_matrix *mx)
{
    mx->dtype = ptx_take_type(in);
    mx->atype = ptx_take_type(in);
    mx->btype = ptx_take_type(in);
    mx->ctype = ptx_take_type(in);
    if (mx->dtype && mx->atype && !mx->btype) {
        mx->ctype = mx->atype;
        mx->atype = mx->btype = SW_T_F16;
    }
    return mx->dtype && mx->atype && mx->btype && mx->ctype;
}

static void
lower_product(ptx_parser *p, ptx_ins *in, sw_op op)
{
    sw_matrix mx = {.c_row = true};
    bool ok = true;
    mx.sparse = ptx_take(in, M_SP) || ptx_take(in, M_SP_ORDERED);
    ptx_take(in, M_SYNC);
    ptx_take(in, M_ALIGNED);
    ok = take_shape(in, &mx) && take_layout(in, &mx.a_row) &&
         take_layout(in, &mx.b_row);
    mx.satfinite = ptx_take(in, M_SATFINITE);
    if (ptx_take(in, M_AND))
        mx.bit_op = 1;
    else
        ptx_take(in, M_XOR);
    ptx_take(in, M_POPC);
    uint8_t rnd = (uint8_t)ptx_take_of(in, ptx_mod_rnd, SW_RND_NONE);
    mx.rnd = rnd == SW_RND_RN ? SW_RND_NONE : rnd;
    ok = ok && take_matrix_types(in, &mx);
    if (!ok || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    unsigned opnds = mx.sparse ? 6 : 4;
    if (!ptx_need(p, in, opnds, opnds))
        return;
    const ptx_opnd *d, *from[3];
    uint8_t *counts[3] = {&mx.aregs, &mx.bregs, &mx.cregs};
    sw_type types[3] = {mx.atype, mx.btype, mx.ctype};
    if (!fragment(p, in, ptx_op(in, 0), &d, &mx.dregs))
        return;
    for (unsigned i = 0; i < 3; i++)
        if (!fragment(p, in, ptx_op(in, i + 1), &from[i], counts[i]))
            return;
    sw_opnd src[3 * MAX_FRAGMENT + 1];
    unsigned n = 0;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < *counts[i]; k++)
            src[n++] = ptx_source(p, &from[i][k], fragment_type(types[i]));
    if (mx.sparse) {
        const ptx_opnd *selector = ptx_op(in, 5);
        if (selector->kind != OPND_INT || selector->bits > 3) {
            ptx_error_at(p, in->line, in->column,
                         "expected a sparsity selector, 0 to 3");
            return;
        }
        src[n++] = ptx_source(p, ptx_op(in, 4), SW_T_B32);
        mx.selector = (uint8_t)(selector->bits & 3);
    }
    sw_ins *ins = ptx_emit(p, op, mx.dtype, mx.dregs, n);
    ins->stype = (uint8_t)mx.atype;
    ins->rnd = rnd;
    ins->aux = keep(p, &mx);
    for (unsigned i = 0; i < mx.dregs; i++)
        ins->opnd[i] = ptx_dest(p, &d[i], fragment_type(mx.dtype));
    for (unsigned i = 0; i < n; i++)
        ins->opnd[mx.dregs + i] = src[i];
}

void
ptx_lower_wmma(ptx_parser *p, ptx_ins *in)
{
    if (ptx_take(in, M_LOAD))
        lower_transfer(p, in, true);
    else if (ptx_take(in, M_STORE))
        lower_transfer(p, in, false);
    else if (ptx_take(in, M_MMA))
        lower_product(p, in, SW_OP_WMMA);
    else
        ptx_unsupported(p, in);
}

void
ptx_lower_mma(ptx_parser *p, ptx_ins *in)
{
    lower_product(p, in, SW_OP_MMA);
}

/* ---- 8x8 matrices of 16 bits ---- */

/* ldmatrix.sync.aligned.m8n8.x4[.trans][.shared].b16 r, [p];
 * stmatrix... [p], r; movmatrix.sync.aligned.m8n8.trans.b16 d, a */
void
ptx_lower_ldmatrix(ptx_parser *p, ptx_ins *in)
{
    sw_op op = (sw_op)in->row->op;
    bool load = op == SW_OP_LDMATRIX, move = op == SW_OP_MOVMATRIX;
    ptx_take(in, M_SYNC);
    ptx_take(in, M_ALIGNED);
    bool ok = ptx_take(in, M_M8N8), trans = ptx_take(in, M_TRANS);
    unsigned count = ptx_take(in, M_X1)   ? 1
                     : ptx_take(in, M_X2) ? 2
                     : ptx_take(in, M_X4) ? 4
                                          : 0;
    uint8_t space = (uint8_t)ptx_take_of(in, ptx_mod_space, SW_SPACE_GENERIC);
    if (!ok || (count == 0) != move || ptx_take_type(in) != SW_T_B16 ||
        ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 2))
        return;
    if (move) {
        sw_opnd dst = ptx_dest(p, ptx_op(in, 0), SW_T_B32);
        sw_opnd src = ptx_source(p, ptx_op(in, 1), SW_T_B32);
        sw_ins *ins = ptx_emit(p, op, SW_T_B16, 1, 1);
        ins->sub = trans;
        ins->opnd[0] = dst;
        ins->opnd[1] = src;
        return;
    }
    const ptx_opnd *regs;
    if (ptx_vector(in, ptx_op(in, load ? 0 : 1), &regs) != count) {
        ptx_error_at(p, in->line, in->column, "expected %u registers in %.*s",
                     count, (int)in->text.n, in->text.p);
        return;
    }
    sw_opnd addr, src[4];
    int64_t offset;
    ptx_address(p, in, ptx_op(in, load ? 1 : 0), &addr, &offset, &space);
    for (unsigned i = 0; !load && i < count; i++)
        src[i] = ptx_source(p, &regs[i], SW_T_B32);
    sw_ins *ins = load ? ptx_emit(p, op, SW_T_B16, count, 1)
                       : ptx_emit(p, op, SW_T_B16, 0, 1 + count);
    ins->sub = trans;
    ins->imm = count;
    ins->space = space;
    ins->offset = offset;
    for (unsigned i = 0; i < count; i++)
        ins->opnd[load ? i : 1 + i] =
            load ? ptx_dest(p, &regs[i], SW_T_B32) : src[i];
    ins->opnd[load ? count : 0] = addr;
}
