/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix.c - matrix instructions of a warp: fragments to and from memory,
 * products, 8x8 transposition. All lanes of the warp take part.
 */
#include <string.h>

#include "interp/interp.h"
#include "sem/lanes.h"
#include "sem/matrix.h"

enum { REGS_MAX = 32 };

static bool
refuse(sw_run *run, const sw_dins *d, uint32_t mask)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_ir_print_ins(run->code->fn, d->ins, &text);
    sw_engine_fault(run->warp, run->code->fn, d->ins,
                    (unsigned)__builtin_ctz(mask), SW_E_ILLEGAL_INSTRUCTION,
                    SW_FAULT_PLAIN, 0, "the instruction '%s' is not supported",
                    text.p);
    sw_buf_finish(&text);
    return false;
}

static bool
need_whole_warp(sw_run *run, const sw_dins *d, uint32_t mask)
{
    if (mask == UINT32_MAX)
        return true;
    sw_engine_fault(run->warp, run->code->fn, d->ins,
                    (unsigned)__builtin_ctz(mask), SW_E_ILLEGAL_INSTRUCTION,
                    SW_FAULT_PLAIN, 0,
                    "a matrix instruction with lanes 0x%08x of the warp: all "
                    "32 must take part",
                    mask);
    return false;
}

/* Registers `first`.. of the operands, all lanes. */
static void
get_registers(const sw_run *run, const sw_dins *d, unsigned first,
              unsigned count, uint64_t (*out)[SW_WARP_LANES])
{
    const sw_oref *o = sw_dins_orefs(d);
    for (unsigned r = 0; r < count; r++) {
        sw_class cls = sw_ins_class(run->code->fn, d->ins, first + r);
        for (unsigned i = 0; i < SW_WARP_LANES; i++)
            out[r][i] = sw_interp_get(&run->x, o[first + r], cls, i);
    }
}

static void
put_registers(const sw_run *run, const sw_dins *d, unsigned count,
              uint64_t (*values)[SW_WARP_LANES])
{
    const sw_oref *o = sw_dins_orefs(d);
    for (unsigned r = 0; r < count; r++) {
        sw_class cls = sw_ins_class(run->code->fn, d->ins, r);
        if (d->ins->opnd[r].kind != SW_OPND_REG)
            continue;
        for (unsigned i = 0; i < SW_WARP_LANES; i++)
            sw_interp_put(&run->x, o[r], cls, i, values[r][i]);
    }
}

static bool
multiply(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_matrix *mx = d->ins->aux;
    uint64_t a[REGS_MAX][SW_WARP_LANES], b[REGS_MAX][SW_WARP_LANES],
        c[REGS_MAX][SW_WARP_LANES];
    if (mx->aregs > REGS_MAX || mx->bregs > REGS_MAX || mx->cregs > REGS_MAX ||
        mx->dregs > REGS_MAX || d->nsrc < mx->aregs + mx->bregs + mx->cregs ||
        mx->sparse)
        return refuse(run, d, mask);
    unsigned at = d->ndst;
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    memset(c, 0, sizeof c);
    get_registers(run, d, at, mx->aregs, a);
    get_registers(run, d, at + mx->aregs, mx->bregs, b);
    get_registers(run, d, at + mx->aregs + mx->bregs, mx->cregs, c);
    if (!sw_sem_matrix_mma(mx, d->ins->op == SW_OP_WMMA,
                           (const uint64_t(*)[32])a, (const uint64_t(*)[32])b,
                           (const uint64_t(*)[32])c, c))
        return refuse(run, d, mask);
    put_registers(run, d, d->ndst, c);
    return true;
}

/* Copies between an element's place in a register and memory. Elements are
 * whole bytes except the 4- and 1-bit ones, which share a byte. */
static void
move_element(uint8_t *row, uint64_t *reg, unsigned index, unsigned part,
             unsigned bits, bool to_memory)
{
    uint64_t field = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    unsigned shift = part * bits;
    uint64_t bit = (uint64_t)index * bits;
    uint8_t *p = row + bit / 8;
    unsigned low = (unsigned)(bit % 8);
    if (bits >= 8) {
        uint64_t v = *reg >> shift & field;
        if (to_memory) {
            memcpy(p, &v, bits / 8);
        } else {
            v = 0;
            memcpy(&v, p, bits / 8);
            *reg = (*reg & ~(field << shift)) | v << shift;
        }
    } else if (to_memory) {
        uint64_t v = *reg >> shift & field;
        *p = (uint8_t)((*p & ~(field << low)) | v << low);
    } else {
        uint64_t v = (uint64_t)*p >> low & field;
        *reg = (*reg & ~(field << shift)) | v << shift;
    }
}

/* wmma.load and wmma.store: the stride counts elements. */
static bool
move_fragment(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_ins *ins = d->ins;
    const sw_matrix *mx = ins->aux;
    bool store = ins->op == SW_OP_WMMA_STORE;
    char which = store ? 'd' : (char)mx->frag;
    bool row_major = which == 'a'   ? mx->a_row
                     : which == 'b' ? mx->b_row
                                    : mx->c_row;
    sw_sem_frag frag;
    unsigned count = store ? d->nsrc - 2u : d->ndst;
    uint64_t regs[REGS_MAX][SW_WARP_LANES] = {{0}};
    uint64_t addr[SW_WARP_LANES];
    if (!sw_sem_matrix_frag(mx, which, true, &frag) || frag.quads ||
        frag.regs != count || count > REGS_MAX)
        return refuse(run, d, mask);
    uint64_t stride = row_major ? frag.cols : frag.rows;
    if (d->nsrc > 1)
        stride =
            sw_interp_get(&run->x, sw_dins_orefs(d)[d->ndst + 1],
                          sw_ins_class(run->code->fn, ins, d->ndst + 1u), 0);
    if (!sw_interp_addresses(run, d, d->ndst, mask, 1, 1, addr))
        return false;
    if (store)
        get_registers(run, d, d->ndst + 2u, count, regs);
    unsigned elem_bytes = frag.elem_bits < 8 ? 1 : frag.elem_bits / 8u;
    for (unsigned i = 0; i < SW_WARP_LANES; i++)
        for (unsigned r = 0; r < count; r++)
            for (unsigned part = 0; part < frag.per_reg; part++) {
                unsigned row, col;
                sw_sem_matrix_place(mx, which, &frag, i, r, part, &row, &col);
                unsigned major = row_major ? row : col;
                unsigned minor = row_major ? col : row;
                uint64_t bits = (major * stride) * frag.elem_bits;
                uint64_t at[SW_WARP_LANES];
                at[i] =
                    addr[i] + bits / 8 + (uint64_t)minor * frag.elem_bits / 8;
                if (!sw_interp_check(run, d, 1u << i, at, elem_bytes, 1))
                    return false;
                move_element((uint8_t *)(uintptr_t)(addr[i] + bits / 8),
                             &regs[r][i], minor, part, frag.elem_bits, store);
            }
    if (!store)
        put_registers(run, d, count, regs);
    return true;
}

/* ldmatrix and stmatrix: lane 8m + r holds the address of row r of matrix m. */
static bool
move_rows(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_ins *ins = d->ins;
    bool store = ins->op == SW_OP_STMATRIX;
    unsigned count = (unsigned)ins->imm;
    uint64_t regs[REGS_MAX][SW_WARP_LANES] = {{0}};
    uint64_t addr[SW_WARP_LANES];
    if (count != 1 && count != 2 && count != 4)
        return refuse(run, d, mask);
    uint32_t rows = count == 4 ? UINT32_MAX : (1u << (8 * count)) - 1;
    if (!sw_interp_addresses(run, d, d->ndst, rows, 16, 16, addr))
        return false;
    if (run->observe)
        sw_interp_observe(run, d, rows, addr, 16);
    if (store)
        get_registers(run, d, d->ndst + 1u, count, regs);
    for (unsigned m = 0; m < count; m++)
        for (unsigned row = 0; row < 8; row++)
            for (unsigned k = 0; k < 8; k++) {
                unsigned lane, half;
                sw_sem_matrix_slot(ins->sub == 1, row, k, &lane, &half);
                move_element((uint8_t *)(uintptr_t)addr[8 * m + row],
                             &regs[m][lane], k, half, 16, store);
            }
    if (!store)
        put_registers(run, d, count, regs);
    return true;
}

bool
sw_interp_matrix(sw_run *run, const sw_dins *d, uint32_t mask)
{
    if (!need_whole_warp(run, d, mask))
        return false;
    switch (d->ins->op) {
    case SW_OP_MMA:
    case SW_OP_WMMA:
        return multiply(run, d, mask);
    case SW_OP_WMMA_LOAD:
    case SW_OP_WMMA_STORE:
        return move_fragment(run, d, mask);
    case SW_OP_LDMATRIX:
    case SW_OP_STMATRIX:
        return move_rows(run, d, mask);
    default: { /* movmatrix */
        uint32_t v[SW_WARP_LANES];
        uint64_t wide[1][SW_WARP_LANES];
        get_registers(run, d, d->ndst, 1, wide);
        for (int i = 0; i < SW_WARP_LANES; i++)
            v[i] = (uint32_t)wide[0][i];
        sw_sem_movmatrix(v, v);
        for (int i = 0; i < SW_WARP_LANES; i++)
            wide[0][i] = v[i];
        put_registers(run, d, 1, wide);
        return true;
    }
    }
}
