/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - sums of counts, and what an instruction's mean; see counters.h and
 * count.h. */
#include <assert.h>

#include "watch/count.h"

/* Inlined where the size is known: vector code. */
static inline void
add(uint64_t *restrict a, const uint64_t *restrict b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] += b[i];
}

void
sw_count_add(void *a, const void *b, size_t bytes)
{
    add(a, b, bytes / sizeof(uint64_t));
}

void
sw_counts_add(sw_counts *a, const sw_counts *b)
{
    static_assert(sizeof *a % sizeof(uint64_t) == 0, "only counts");
    add((uint64_t *)a, (const uint64_t *)b, sizeof *a / sizeof(uint64_t));
}

uint64_t
sw_counts_executed(const sw_counts *n)
{
    return n->inst - n->inst_by[SW_COUNT_ADDRESS];
}

uint64_t
sw_counts_conflicts(const sw_counts *n)
{
    return n->mem[SW_ACCESS_SHARED_LD].conflicts +
           n->mem[SW_ACCESS_SHARED_ST].conflicts +
           n->mem[SW_ACCESS_SHARED_ATOM].conflicts +
           n->mem[SW_ACCESS_SHARED_COPY].conflicts;
}

uint64_t
sw_counts_flops(const sw_counts *n, int precision)
{
    const uint64_t *f = n->flop[precision];
    return f[SW_COUNT_ADD] + f[SW_COUNT_MUL] + 2 * f[SW_COUNT_FMA];
}

uint64_t
sw_count_moved(const sw_count_mem *n)
{
    return 32 * n->n32 + 64 * n->n64 + 128 * n->n128;
}

/* The kind of access of an instruction that never executed with a lane on. */
static sw_access
static_access(const sw_count_row *row, uint32_t cc)
{
    const sw_ins *ins = row->ins;
    bool writes = ins->op == SW_OP_ST;
    bool atomic = ins->op == SW_OP_ATOM || ins->op == SW_OP_RED;
    switch (ins->space) {
    case SW_SPACE_SHARED:
        return atomic   ? SW_ACCESS_SHARED_ATOM
               : writes ? SW_ACCESS_SHARED_ST
                        : SW_ACCESS_SHARED_LD;
    case SW_SPACE_LOCAL:
        return writes ? SW_ACCESS_LOCAL_ST : SW_ACCESS_LOCAL_LD;
    case SW_SPACE_CONST:
        return SW_ACCESS_CONST_LD;
    default:
        if (atomic)
            return sw_count_is_reduction(row->fn, ins, cc)
                       ? SW_ACCESS_GLOBAL_RED
                       : SW_ACCESS_GLOBAL_ATOM;
        return writes ? SW_ACCESS_GLOBAL_ST : SW_ACCESS_GLOBAL_LD;
    }
}

/* Loads, stores and atomics; others that reach memory have counters of their
 * own, or none. */
static bool
is_access(const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_LD:
    case SW_OP_LDU:
    case SW_OP_ST:
    case SW_OP_ATOM:
    case SW_OP_RED:
        return true;
    default:
        return false;
    }
}

/* ldmatrix, stmatrix, and wmma.load where it is one (interp/matrix_events.c).
 */
static bool
moves_tiles(const sw_ins *ins)
{
    if (ins->op == SW_OP_LDMATRIX || ins->op == SW_OP_STMATRIX)
        return true;
    if (ins->op != SW_OP_WMMA_LOAD || ins->space != SW_SPACE_SHARED)
        return false;
    const sw_matrix *mx = ins->aux;
    unsigned bits = sw_type_bits(mx->frag == 'a' ? mx->atype : mx->btype);
    bool along_k = mx->frag == 'a' ? mx->a_row : !mx->b_row;
    return mx->frag != 'c' && (bits == 16 || (bits < 16 && along_k));
}

/* Warp instructions of a memory row: held back ones too, where it is clear
 * which memory they would have reached. */
static void
set_inst(sw_count_row *row, uint32_t cc)
{
    int kinds = 0, last = -1;
    bool counts = row->cls == SW_COUNT_TEXTURE || row->cls == SW_COUNT_MATRIX ||
                  is_access(row->ins);
    if (!counts || moves_tiles(row->ins))
        return;
    for (int a = 0; a < SW_ACCESS_COUNT; a++) {
        sw_count_mem *n = &row->n.mem[a];
        if (!n->requests)
            continue;
        kinds++;
        last = n->inst ? -1 : a; /* as many as the row, or known already */
        n->inst = n->inst ? n->inst : n->requests;
    }
    if (kinds == 1 && last >= 0 && row->cls != SW_COUNT_MATRIX)
        row->n.mem[last].inst = row->n.inst;
    else if (kinds == 0 && row->cls == SW_COUNT_MEMORY)
        row->n.mem[static_access(row, cc)].inst = row->n.inst;
    for (int a = 0; row->ins->space == SW_SPACE_GENERIC &&
                    row->cls != SW_COUNT_TEXTURE && a < SW_ACCESS_COUNT;
         a++)
        row->n.mem[a].generic = row->n.mem[a].inst;
}

static void
set_place(sw_count_row *row)
{
    const sw_module *m = row->fn->module;
    if (!row->ins->loc || row->ins->loc >= m->loc_count)
        return;
    const sw_loc *loc = &m->locs[row->ins->loc];
    if (loc->file >= m->file_count)
        return;
    row->file = m->files[loc->file];
    row->line = loc->line;
}

/* What follows from what the instruction is. */
static void
set_kind(sw_count_row *row)
{
    unsigned precision, kind, elements;
    sw_counts *n = &row->n;
    row->cls = sw_count_classify(row->ins, &precision, &kind, &elements);
    n->inst_by[row->cls] = n->inst;
    n->thread_by[row->cls] = n->thread_on;
    if (elements)
        n->flop[precision][kind] = n->thread_on * elements;
    switch (row->ins->op) {
    case SW_OP_BRX:
        n->branches_taken = n->inst;
        n->branches = n->inst;
        break;
    case SW_OP_BRA:
        n->branches = n->inst;
        break;
    case SW_OP_RET:
    case SW_OP_EXIT:
    case SW_OP_CALL:
        n->exits = n->inst;
        break;
    case SW_OP_SHFL:
        n->crossings = n->inst - n->inst_off;
        break;
    case SW_OP_SREG:
        if (row->ins->sub <= SW_SREG_TID_Z)
            n->crossings = n->inst - n->inst_off;
        break;
    case SW_OP_BAR:
        n->barriers = n->inst - n->inst_off;
        break;
    default:
        break;
    }
}

bool
sw_count_row_finish(sw_count_row *row, uint32_t cc)
{
    if (row->ins->flags & SW_F_FALLS && row->ins->op == SW_OP_BRA)
        return false;
    set_kind(row);
    set_inst(row, cc);
    set_place(row);
    return true;
}
