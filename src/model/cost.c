/* SPDX-License-Identifier: Apache-2.0 */
/* cost.c - what an operation takes of a machine; see code.h and cost.def. */
#include "model/code.h"
#include "watch/count.h"

typedef enum { TYPE_ANY, TYPE_INT, TYPE_FLOAT } cost_type;
typedef enum { FORM_ANY, FORM_FAST, FORM_FTZ } cost_form;
/* Capability times ten. */
enum { FIRST_DENORMALS = 20 };

typedef struct {
    sw_op op;
    cost_type type;
    uint32_t bits;
    cost_form form;
    uint32_t since;
    sw_pipe pipe;
    uint16_t count;
    sw_pipe pipe2;
    uint16_t count2;
    double alu, xu, fp64;
} cost_row;

static const cost_row rows[] = {
#define COST(op, type, bits, form, since, pipe, count, pipe2, count2, alu, xu, \
             fp64)                                                             \
    {SW_OP_##op, TYPE_##type,     bits,   FORM_##form, since, SW_PIPE_##pipe,  \
     count,      SW_PIPE_##pipe2, count2, alu,         xu,    fp64},
#include "model/cost.def"
};

static bool
is_float(const sw_ins *ins)
{
    sw_kind kind = sw_type_kind((sw_type)ins->type);
    return kind == SW_KIND_FLOAT || kind == SW_KIND_PACKED;
}

/* An operation as the machine has it: of which only the lower word is needed,
 * or whose operands are short numbers, it is a shorter one. */
typedef struct {
    const sw_ins *ins;
    sw_op op;
    uint32_t bits; /* of the type */
} asked;

static asked
ask(const sw_mach_op *from)
{
    const sw_ins *ins = from->product ? from->product : from->ins;
    asked a = {ins, (sw_op)ins->op, sw_type_bits((sw_type)ins->type)};
    bool is_long = a.bits == 64 && !is_float(ins);
    if (from->product)
        a.op = a.op == SW_OP_MUL_WIDE ? SW_OP_MAD_WIDE : SW_OP_MAD_LO;
    if (from->is_half && (a.op == SW_OP_MUL_WIDE || a.op == SW_OP_MAD_WIDE))
        a.op = a.op == SW_OP_MUL_WIDE ? SW_OP_MUL_LO : SW_OP_MAD_LO;
    else if (from->is_half && is_long)
        a.bits = 32;
    else if (is_long && from->extended && (a.op == SW_OP_AND))
        a.bits = 32;
    else if (is_long && from->extended > 1 && a.op == SW_OP_SETP)
        a.bits = 32;
    else if (is_long && from->extended && a.op == SW_OP_MUL_LO) {
        a.op = from->extended > 1 ? SW_OP_MUL_WIDE : SW_OP_MAD_HI;
        a.bits = 32;
    }
    return a;
}

static bool
fits(const cost_row *row, const asked *a, uint32_t cc)
{
    const sw_ins *ins = a->ins;
    uint32_t bits = a->bits;
    bool is_packed = sw_type_kind((sw_type)ins->type) == SW_KIND_PACKED;
    bool is_fast = ins->flags & (SW_F_APPROX | SW_F_FULL);
    if (row->op != a->op || cc < row->since)
        return false;
    if (row->bits && row->bits != (is_packed ? 16 : bits))
        return false;
    if (row->type != TYPE_ANY && (row->type == TYPE_FLOAT) != is_float(ins))
        return false;
    /* 1.x knows no denormals, and a division in full range takes more. */
    bool is_ftz =
        cc < FIRST_DENORMALS ? ins->flags & SW_F_APPROX : ins->flags & SW_F_FTZ;
    return row->form == FORM_ANY ||
           (is_fast && (row->form == FORM_FAST || is_ftz));
}

static const cost_row *
find_row(const sw_mach_op *from, uint32_t cc)
{
    asked a = ask(from);
    for (size_t i = sizeof rows / sizeof *rows; i-- > 0;)
        if (fits(&rows[i], &a, cc))
            return &rows[i];
    return NULL;
}

/* From and to floating point, and between its widths, on the units for special
 * functions; the others are integer instructions. */
static void
cost_conversion(const sw_ins *ins, const sw_machine *m, sw_play_op *op)
{
    bool from = sw_type_kind((sw_type)ins->stype) == SW_KIND_FLOAT;
    bool to = is_float(ins);
    uint32_t a = sw_type_bits((sw_type)ins->stype);
    uint32_t b = sw_type_bits((sw_type)ins->type);
    if (!from && !to) {
        op->count = a == 64 && b == 32 ? 0 : 1; /* one of two registers */
        return;
    }
    if (from && to && a <= 32 && b <= 32 && m->device->cc >= 53) {
        op->pipe = SW_PIPE_ALU; /* f16 and f32 */
        op->latency = (uint16_t)(1.5 * m->g.alu);
        return;
    }
    bool is_plain = m->device->cc < FIRST_DENORMALS && a == 32 && b == 32;
    if (is_plain || (!from && a == 32 && b == 32 && m->device->cc >= 80))
        return; /* I2FP, an instruction of the integer pipe */
    op->pipe = SW_PIPE_XU;
    op->latency = (uint16_t)m->g.xu;
}

/* Multiplications and additions of a matrix operation, as many as of fp16. */
static void
cost_matrix(const sw_ins *ins, const sw_machine *m, sw_play_op *op)
{
    const sw_matrix *mx = ins->aux;
    uint32_t bits = mx ? sw_type_bits(mx->atype) : 16;
    double work = mx ? (double)mx->m * mx->n * mx->k : 0;
    double lanes = m->g.lanes[SW_PIPE_TENSOR];
    op->pipe = SW_PIPE_TENSOR;
    if (lanes <= 0 || !mx)
        return;
    work *= bits >= 64 ? 16 : bits / 16.0;
    if (mx->sparse)
        work /= 2;
    /* Clocks of a scheduler's tensor unit; busy is that of 32 lanes. */
    double clocks = work / (lanes / m->limits->schedulers);
    double times = clocks / m->busy[SW_PIPE_TENSOR];
    op->latency = (uint16_t)(m->g.tensor + clocks);
    op->matrix = (float)times;
}

static void
cost_memory(const sw_fn *fn, const sw_ins *ins, const sw_machine *m,
            sw_play_op *op)
{
    op->pipe = SW_PIPE_LSU;
    bool is_atomic = ins->op == SW_OP_ATOM || ins->op == SW_OP_RED;
    if (ins->space == SW_SPACE_SHARED) {
        op->kind = SW_PLAY_SHARED;
        op->latency = (uint16_t)m->g.shared;
    } else if (ins->space == SW_SPACE_CONST || ins->space == SW_SPACE_PARAM) {
        op->kind = SW_PLAY_CONSTANT;
        op->latency = (uint16_t)m->g.constant;
        /* At a place that is known it is an operand of what reads it. */
        if (ins->nsrc && sw_ins_src(ins, 0)->kind == SW_OPND_SYM)
            op->count = 0;
    } else if (is_atomic) {
        op->kind = sw_count_is_reduction(fn, ins, m->device->cc)
                       ? SW_PLAY_REDUCE
                       : SW_PLAY_ATOMIC;
        sw_atomic_form form = sw_count_atomic_form(fn, ins, m->device->cc);
        op->is_one = form == SW_ATOMIC_ONE || form == SW_ATOMIC_ALL;
        if (op->is_one) { /* a vote, a count, a mask of lanes, a choice */
            op->count = 5;
            op->pipe2 = SW_PIPE_ALU;
            op->count2 = 4;
        }
    } else {
        op->kind = sw_op_get_info((sw_op)ins->op)->effects == SW_FX_WRITE
                       ? SW_PLAY_STORE
                       : SW_PLAY_LOAD;
    }
}

static void
cost_flow(const sw_ins *ins, const sw_machine *m, sw_play_op *op)
{
    op->pipe = SW_PIPE_BRANCH;
    op->kind = SW_PLAY_BRANCH;
    op->latency = (uint16_t)m->g.branch;
    if (ins->op == SW_OP_BRA && !ins->guard)
        op->count = 0; /* blocks are laid out so that few of them stay */
}

void
sw_code_cost(const sw_fn *fn, const sw_mach_op *from, const sw_machine *m,
             sw_play_op *op)
{
    const sw_ins *ins = from->ins;
    const cost_row *row = find_row(from, m->device->cc);
    if (row) {
        double clocks =
            row->alu * m->g.alu + row->xu * m->g.xu + row->fp64 * m->g.fp64;
        op->pipe = (uint8_t)row->pipe;
        op->count = row->count;
        op->pipe2 = (uint8_t)row->pipe2;
        op->count2 = row->count2;
        op->latency = (uint16_t)clocks;
        return;
    }
    switch (ins->op) {
    case SW_OP_CVT:
        cost_conversion(ins, m, op);
        return;
    case SW_OP_CP_ASYNC:
        op->kind = SW_PLAY_COPY;
        op->pipe = SW_PIPE_LSU;
        return;
    case SW_OP_CP_BULK:
    case SW_OP_CP_REDUCE:
    case SW_OP_CP_TENSOR:
        op->kind = SW_PLAY_BULK;
        op->pipe = SW_PIPE_LSU;
        return;
    case SW_OP_CP_ASYNC_WAIT:
    case SW_OP_MBAR_TEST:
        op->kind = SW_PLAY_WAIT;
        op->latency = (uint16_t)m->g.shared;
        return;
    case SW_OP_MEMBAR:
        op->kind = SW_PLAY_FENCE;
        return;
    case SW_OP_BAR:
        op->kind = SW_PLAY_BARRIER;
        op->pipe = SW_PIPE_BRANCH;
        return;
    default:
        break;
    }
    switch (sw_op_get_info((sw_op)ins->op)->unit) {
    case SW_UNIT_LSU:
        cost_memory(fn, ins, m, op);
        return;
    case SW_UNIT_TEX:
        op->kind = SW_PLAY_TEXTURE;
        op->pipe = SW_PIPE_TEX;
        return;
    case SW_UNIT_SHFL:
        op->pipe = SW_PIPE_LSU;
        op->latency = (uint16_t)m->g.shuffle;
        return;
    case SW_UNIT_MMA:
        if (ins->op == SW_OP_WMMA_LOAD || ins->op == SW_OP_WMMA_STORE) {
            cost_memory(fn, ins, m, op);
            return;
        }
        cost_matrix(ins, m, op);
        return;
    case SW_UNIT_BRANCH:
        cost_flow(ins, m, op);
        return;
    case SW_UNIT_SFU:
        op->pipe = SW_PIPE_XU;
        op->latency = (uint16_t)m->g.xu;
        return;
    default:
        return;
    }
}
