/* SPDX-License-Identifier: Apache-2.0 */
/* coarsening.c - see coarsening.h. */
#include "opt/coarsening.h"

#include <string.h>

#include "opt/cfg.h"
#include "opt/rewriter.h"
#include "opt/tune.h"

/* ---- which kernels ---- */

/* Of its own block, or known to the other threads of it. */
static bool
is_shared_space(unsigned space)
{
    return space == SW_SPACE_SHARED || space == SW_SPACE_SHARED_CLUSTER;
}

static bool
names_shared(const sw_ins *ins)
{
    for (unsigned i = 0; i < (unsigned)ins->ndst + ins->nsrc; i++)
        if (ins->opnd[i].kind == SW_OPND_SYM &&
            is_shared_space(ins->opnd[i].sym->space))
            return true;
    return is_shared_space(ins->space);
}

/* What threads wait with: they try again until another one has changed it. */
static bool
may_wait(const sw_ins *ins, bool is_in_loop)
{
    if (ins->op == SW_OP_RED)
        return ins->order > SW_ORDER_RELAXED;
    if (ins->op == SW_OP_ATOM)
        return (is_in_loop && ins->opnd[0].kind == SW_OPND_REG) ||
               ins->order > SW_ORDER_RELAXED || ins->sub == SW_ATOM_CAS ||
               ins->sub == SW_ATOM_EXCH;
    return ins->order != SW_ORDER_WEAK;
}

static bool
can_pack_ins(const sw_fn *fn, const sw_ins *ins, bool is_in_loop)
{
    if (names_shared(ins))
        return false;
    switch (ins->op) {
    case SW_OP_SREG:
        return ins->sub <= SW_SREG_NCTAID_Z &&
               fn->regs[ins->opnd[0].reg].cls == SW_CLASS_B32;
    case SW_OP_LD:
    case SW_OP_LDU:
    case SW_OP_ST:
    case SW_OP_ATOM:
    case SW_OP_RED:
        return !may_wait(ins, is_in_loop);
    case SW_OP_PREFETCH:
    case SW_OP_TEX:
    case SW_OP_TLD4:
    case SW_OP_TXQ:
    case SW_OP_SULD:
    case SW_OP_SUST:
    case SW_OP_BRA:
    case SW_OP_BRX:
    case SW_OP_RET:
    case SW_OP_EXIT:
    case SW_OP_TRAP:
        return true;
    default:
        return sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE;
    }
}

static bool
can_pack(const sw_fn *kernel)
{
    if (kernel->module->debug)
        return false;
    sw_cfg *cfg = sw_cfg_create(kernel);
    bool can = !cfg->irreducible;
    for (uint32_t b = 0; can && b < kernel->block_count; b++)
        for (uint32_t i = 0; can && i < kernel->blocks[b]->count; i++)
            can = can_pack_ins(kernel, kernel->blocks[b]->ins[i],
                               cfg->loop[b] != 0);
    sw_cfg_destroy(cfg);
    return can;
}

/* ---- what depends on what ---- */

enum { ON_BLOCK = 1, ON_THREAD = 2, ON_LIST = 4 };
#define ANY_STEP INT64_MIN

typedef struct {
    uint8_t on;
    bool is_known; /* something writes it */
    int64_t step;  /* from a thread to the next along x; ANY_STEP: not known */
} value;

typedef struct {
    const sw_fn *fn;
    value *of;      /* [reg_count] */
    unsigned along; /* the special register that counts along x */
    bool changed;
} values;

static value
value_of(const values *v, const sw_opnd *o)
{
    return o->kind == SW_OPND_REG ? v->of[o->reg] : (value){0};
}

/* Steps are small; others are not told apart. */
static int64_t
step_within(int64_t step)
{
    return step > INT32_MAX || step < INT32_MIN ? ANY_STEP : step;
}

static int64_t
added(int64_t a, int64_t b)
{
    return a == ANY_STEP || b == ANY_STEP ? ANY_STEP : step_within(a + b);
}

/* Of a product, by the factor that is a number. */
static int64_t
multiplied(const values *v, const sw_ins *ins)
{
    int64_t a = value_of(v, sw_ins_src(ins, 0)).step;
    int64_t b = value_of(v, sw_ins_src(ins, 1)).step;
    if (!a && !b)
        return 0;
    const sw_opnd *by = sw_ins_src(ins, b ? 0 : 1);
    int64_t step = b ? b : a;
    int32_t factor = (int32_t)by->imm;
    return step == ANY_STEP || (a && b) || by->kind != SW_OPND_IMM
               ? ANY_STEP
               : step_within(step * factor);
}

static int64_t
step_of(const values *v, const sw_ins *ins)
{
    int64_t a = ins->nsrc ? value_of(v, sw_ins_src(ins, 0)).step : 0;
    bool any = ins->guard && v->of[ins->guard].step;
    for (unsigned i = 0; i < ins->nsrc; i++)
        any |= value_of(v, sw_ins_src(ins, i)).step != 0;
    if (ins->op == SW_OP_SREG)
        return ins->sub == v->along;
    if (!any || ins->guard)
        return any ? ANY_STEP : 0;
    switch (ins->op) {
    case SW_OP_MOV:
    case SW_OP_CVT:
    case SW_OP_CVTA:
        return a;
    case SW_OP_ADD:
        return added(a, value_of(v, sw_ins_src(ins, 1)).step);
    case SW_OP_SHL: {
        const sw_opnd *by = sw_ins_src(ins, 1);
        return by->kind != SW_OPND_IMM || by->imm > 16 || a == ANY_STEP
                   ? ANY_STEP
                   : step_within(a * (INT64_C(1) << by->imm));
    }
    case SW_OP_MUL_LO:
    case SW_OP_MUL_WIDE:
        return multiplied(v, ins);
    case SW_OP_MAD_LO:
    case SW_OP_MAD_WIDE:
        return added(multiplied(v, ins), value_of(v, sw_ins_src(ins, 2)).step);
    default:
        return ANY_STEP;
    }
}

static uint8_t
depends_on(const values *v, const sw_ins *ins)
{
    if (ins->op == SW_OP_SREG)
        return ins->sub <= SW_SREG_TID_Z ? ON_THREAD
               : ins->sub >= SW_SREG_CTAID_X && ins->sub <= SW_SREG_CTAID_Z
                   ? ON_BLOCK
                   : 0;
    uint8_t on = ins->guard ? v->of[ins->guard].on : 0;
    for (unsigned i = 0; i < ins->nsrc; i++)
        on |= value_of(v, sw_ins_src(ins, i)).on;
    bool loads = ins->op == SW_OP_LD || ins->op == SW_OP_LDU;
    return loads && (on & ON_BLOCK) && !(on & ON_THREAD) ? on | ON_LIST : on;
}

static void
see(values *v, const sw_ins *ins)
{
    value result = {depends_on(v, ins), true, step_of(v, ins)};
    for (unsigned i = 0; i < ins->ndst; i++) {
        value *x = &v->of[ins->opnd[i].reg], before = *x;
        if (ins->opnd[i].kind != SW_OPND_REG)
            continue;
        x->step =
            !x->is_known || x->step == result.step ? result.step : ANY_STEP;
        x->is_known = true;
        x->on |= result.on;
        v->changed |= x->on != before.on || x->step != before.step;
    }
}

static void
find_values(values *v)
{
    memset(v->of, 0, (v->fn->reg_count + 1) * sizeof *v->of);
    do {
        v->changed = false;
        for (uint32_t b = 0; b < v->fn->block_count; b++)
            for (uint32_t i = 0; i < v->fn->blocks[b]->count; i++)
                see(v, v->fn->blocks[b]->ins[i]);
    } while (v->changed);
}

static bool
has_lists(const values *v)
{
    for (uint32_t b = 0; b < v->fn->block_count; b++)
        for (uint32_t i = 0; i < v->fn->blocks[b]->count; i++) {
            const sw_ins *ins = v->fn->blocks[b]->ins[i];
            uint8_t on = 0;
            if (ins->op == SW_OP_BRA && ins->guard)
                on = v->of[ins->guard].on;
            if (ins->op == SW_OP_LD || ins->op == SW_OP_ST)
                on = value_of(v, sw_ins_src(ins, 0)).on;
            if (on & ON_LIST)
                return true;
        }
    return false;
}

static bool
is_apart(const values *v)
{
    int64_t close = sw_opt_tune.coarsening_near;
    unsigned near = 0, far = 0;
    for (uint32_t b = 0; b < v->fn->block_count; b++)
        for (uint32_t i = 0; i < v->fn->blocks[b]->count; i++) {
            const sw_ins *ins = v->fn->blocks[b]->ins[i];
            if (ins->op != SW_OP_LD && ins->op != SW_OP_ST)
                continue;
            int64_t step = value_of(v, sw_ins_src(ins, 0)).step;
            bool is_near = step <= close && step >= -close;
            near += step && is_near;
            far += !is_near;
        }
    return far > near;
}

static bool
reads_thread_x(const sw_fn *fn)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (fn->blocks[b]->ins[i]->op == SW_OP_SREG &&
                fn->blocks[b]->ins[i]->sub == SW_SREG_TID_X)
                return true;
    return false;
}

sw_coarsening_facts
sw_opt_find_coarsening(const sw_fn *kernel)
{
    sw_coarsening_facts facts = {.can = can_pack(kernel)};
    if (!facts.can)
        return facts;
    values v = {.fn = kernel,
                .along =
                    reads_thread_x(kernel) ? SW_SREG_TID_X : SW_SREG_CTAID_X};
    v.of = sw_alloc((kernel->reg_count + 1) * sizeof *v.of);
    find_values(&v);
    facts.has_lists = has_lists(&v);
    facts.is_apart = is_apart(&v);
    sw_free(v.of);
    return facts;
}

/* ---- the copy ---- */

typedef struct {
    sw_rewriter w;
    const sw_fn *fn;
    const sw_coarsening *pack;
    sw_reg thread, block, row; /* %tid.x, %ctaid.x and %nctaid.x of the
                                  original */
    bool *is_width, *is_zero;  /* [reg_count] always %ntid.x; 0 */
} packing;

static sw_reg
make(packing *p, sw_op op, sw_type type, unsigned n, const sw_opnd *sources)
{
    return sw_rewriter_pure(&p->w, op, type, n, sources);
}

static sw_reg
read_sreg(packing *p, unsigned sreg)
{
    sw_opnd to = sw_opnd_reg(sw_rewriter_reg(&p->w, SW_T_U32));
    sw_rewriter_add(&p->w, SW_OP_SREG, SW_T_U32, 1, 0, &to)->sub =
        (uint8_t)sreg;
    return to.reg;
}

/* The original's numbers, at the kernel's beginning; a thread of a block that
 * there is not goes to block `out`, others to `begin`. */
static void
write_numbers(packing *p, sw_block *block, uint32_t begin, uint32_t out)
{
    const sw_coarsening *pack = p->pack;
    sw_opnd x = sw_opnd_reg(read_sreg(p, SW_SREG_TID_X));
    sw_opnd number = x,
            part = sw_opnd_imm((unsigned)__builtin_ctz(pack->threads_x));
    if (pack->threads_x > 1)
        number =
            sw_opnd_reg(make(p, SW_OP_SHR, SW_T_U32, 2, (sw_opnd[]){x, part}));
    p->thread = make(p, SW_OP_AND, SW_T_B32, 2,
                     (sw_opnd[]){x, sw_opnd_imm(pack->threads_x - 1)});
    sw_opnd first = sw_opnd_reg(read_sreg(p, SW_SREG_CTAID_X));
    p->block = make(p, SW_OP_MAD_LO, SW_T_U32, 3,
                    (sw_opnd[]){first, sw_opnd_imm(pack->blocks), number});
    p->row = sw_rewriter_reg(&p->w, SW_T_U32);
    sw_ins *load =
        sw_rewriter_add(&p->w, SW_OP_LD, SW_T_U32, 1, 1,
                        (sw_opnd[]){sw_opnd_reg(p->row), sw_opnd_imm(0)});
    load->space = SW_SPACE_PARAM;
    load->vec = 1;
    load->offset = sw_opt_coarsening_param(p->fn);
    block->targets = sw_arena_alloc(p->w.arena, 2 * sizeof *block->targets);
    block->targets[0] = begin;
    block->target_count = 1;
    if (!pack->has_rest) {
        sw_rewriter_add(&p->w, SW_OP_BRA, SW_T_NONE, 0, 0, NULL);
        return;
    }
    sw_opnd is_there[3] = {sw_opnd_reg(sw_rewriter_reg(&p->w, SW_T_PRED)),
                           sw_opnd_reg(p->block), sw_opnd_reg(p->row)};
    sw_ins *compare =
        sw_rewriter_add(&p->w, SW_OP_SETP, SW_T_U32, 1, 2, is_there);
    compare->cmp = SW_CMP_LT;
    sw_rewriter_add(&p->w, SW_OP_BRA, SW_T_NONE, 0, 0, NULL)->guard =
        is_there[0].reg;
    block->targets[1] = out;
    block->target_count = 2;
}

/* Registers that only hold the width of a block, or 0 where that is 1. */
static void
find_constants(packing *p)
{
    uint32_t *writes = sw_alloc((p->fn->reg_count + 1) * sizeof *writes);
    for (uint32_t b = 0; b < p->fn->block_count; b++)
        for (uint32_t i = 0; i < p->fn->blocks[b]->count; i++) {
            const sw_ins *ins = p->fn->blocks[b]->ins[i];
            for (unsigned k = 0; k < ins->ndst; k++) {
                sw_reg reg =
                    ins->opnd[k].kind == SW_OPND_REG ? ins->opnd[k].reg : 0;
                bool is_plain = ins->op == SW_OP_SREG && !ins->guard;
                writes[reg]++;
                p->is_width[reg] = is_plain && ins->sub == SW_SREG_NTID_X;
                p->is_zero[reg] = is_plain && ins->sub == SW_SREG_TID_X &&
                                  p->pack->threads_x == 1;
            }
        }
    for (sw_reg r = 0; r < p->fn->reg_count; r++)
        if (writes[r] != 1 || p->fn->regs[r].cls != SW_CLASS_B32)
            p->is_width[r] = p->is_zero[r] = false;
    sw_free(writes);
}

/* False: the special register is what it was. */
static bool
write_sreg(packing *p, const sw_ins *ins)
{
    sw_opnd from = ins->sub == SW_SREG_TID_X ? sw_opnd_reg(p->thread)
                   : ins->sub == SW_SREG_NTID_X
                       ? sw_opnd_imm(p->pack->threads_x)
                   : ins->sub == SW_SREG_CTAID_X ? sw_opnd_reg(p->block)
                                                 : sw_opnd_reg(p->row);
    if (ins->sub != SW_SREG_TID_X && ins->sub != SW_SREG_NTID_X &&
        ins->sub != SW_SREG_CTAID_X && ins->sub != SW_SREG_NCTAID_X)
        return false;
    sw_ins *mov = sw_rewriter_add(&p->w, SW_OP_MOV, SW_T_U32, 1, 1,
                                  (sw_opnd[]){ins->opnd[0], from});
    mov->guard = ins->guard;
    mov->guard_neg = ins->guard_neg;
    return true;
}

static void
write_ins(packing *p, const sw_ins *ins)
{
    p->w.from = ins;
    if (ins->op == SW_OP_SREG && write_sreg(p, ins))
        return;
    sw_ins *copy = sw_rewriter_copy(&p->w, ins);
    bool is_pure =
        sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE && !ins->aux;
    for (unsigned i = ins->ndst; is_pure && i < (unsigned)ins->ndst + ins->nsrc;
         i++) {
        sw_opnd *o = &copy->opnd[i];
        if (o->kind != SW_OPND_REG)
            continue;
        if (p->is_width[o->reg])
            *o = sw_opnd_imm(p->pack->threads_x);
        else if (p->is_zero[o->reg])
            *o = sw_opnd_imm(0);
    }
}

/* Blocks have moved by one; the first is the numbers'. */
static void
write_block(packing *p, const sw_block *from, sw_block *to)
{
    *to = *from;
    to->index = from->index + 1;
    to->targets =
        sw_arena_alloc(p->w.arena, from->target_count * sizeof *to->targets);
    for (uint32_t t = 0; t < from->target_count; t++)
        to->targets[t] = from->targets[t] + 1;
    sw_rewriter_begin_block(&p->w);
    for (uint32_t i = 0; i < from->count; i++)
        write_ins(p, from->ins[i]);
    sw_rewriter_end_block(&p->w, to);
}

uint32_t
sw_opt_coarsening_param(const sw_fn *kernel)
{
    return (kernel->param_bytes + 3) & ~3u;
}

const sw_fn *
sw_opt_coarsen_blocks(const sw_fn *kernel, const sw_coarsening *pack,
                      sw_arena *arena)
{
    packing p = {.fn = kernel, .pack = pack};
    p.is_width = sw_alloc((kernel->reg_count + 1) * sizeof *p.is_width);
    p.is_zero = sw_alloc((kernel->reg_count + 1) * sizeof *p.is_zero);
    sw_fn *copy = sw_rewriter_begin(&p.w, kernel, arena);
    uint32_t count = kernel->block_count;
    sw_block *blocks = sw_arena_alloc(arena, (count + 2) * sizeof *blocks);
    copy->blocks = sw_arena_alloc(arena, (count + 2) * sizeof *copy->blocks);
    copy->block_count = count + 1 + pack->has_rest;
    for (uint32_t b = 0; b < copy->block_count; b++) {
        copy->blocks[b] = &blocks[b];
        blocks[b].index = b;
    }
    p.w.from = kernel->blocks[0]->ins[0];
    find_constants(&p);
    sw_rewriter_begin_block(&p.w);
    write_numbers(&p, &blocks[0], 1, count + 1);
    sw_rewriter_end_block(&p.w, &blocks[0]);
    for (uint32_t b = 0; b < count; b++)
        write_block(&p, kernel->blocks[b], &blocks[b + 1]);
    if (pack->has_rest) {
        sw_rewriter_begin_block(&p.w);
        sw_rewriter_add(&p.w, SW_OP_EXIT, SW_T_NONE, 0, 0, NULL);
        sw_rewriter_end_block(&p.w, &blocks[count + 1]);
    }
    sw_rewriter_end(&p.w, copy);
    copy->param_bytes = sw_opt_coarsening_param(kernel) + 4;
    sw_free(p.is_width);
    sw_free(p.is_zero);
    return copy;
}
