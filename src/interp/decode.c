/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.c - from the IR of a function to the decoded code of interp.h:
 * places for registers, constants spread over lanes, blocks in the order of
 * their positions, branch targets as indices.
 */
#include <string.h>

#include "interp/interp.h"
#include "opt/cfg.h"
#include "sem/sem.h"

enum { LINE = 64, JUNK_BYTES = SW_WARP_LANES * 16 };

typedef struct {
    sw_program *program;
    sw_interp_code *all;
    const sw_fn *fn;
    sw_code *code;
    sw_cfg *cfg;
    uint32_t *regs;  /* offset of each register; of this function */
    uint32_t *start; /* decoded index of each block */
    uint32_t junk;   /* offset of a place to write what nobody reads */
    sw_vec consts;   /* uint8_t, lanes side by side */
    sw_map *known;   /* class and value -> offset + 1 */
} decoder;

/* ---- operand classes ---- */

/* ---- constants ---- */

static uint32_t
add_const(decoder *dc, sw_class cls, uint64_t value)
{
    uint64_t key[2] = {(uint64_t)cls, value};
    sw_str k = {(const char *)key, sizeof key};
    uintptr_t known = (uintptr_t)sw_map_get(dc->known, k);
    if (known)
        return (uint32_t)(known - 1);
    uint32_t at = (uint32_t)dc->consts.count;
    unsigned bytes =
        cls == SW_CLASS_PRED ? LINE : sw_class_bytes(cls) * SW_WARP_LANES;
    for (unsigned i = 0; i < bytes; i++)
        sw_vec_push(&dc->consts);
    uint8_t *p = sw_vec_at(&dc->consts, at);
    uint32_t ones = UINT32_MAX;
    unsigned step = sw_class_bytes(cls);
    if (cls == SW_CLASS_PRED && (value & 1))
        memcpy(p, &ones, sizeof ones);
    for (unsigned i = 0; step && i < SW_WARP_LANES; i++)
        memcpy(p + i * step, &value, step < 8 ? step : 8);
    sw_map_set(dc->known, k, (void *)((uintptr_t)at + 1));
    return at;
}

/* The number that the address of a symbol is; slots of the frame have none. */
static uint64_t
sym_value(const decoder *dc, sw_sym *sym)
{
    if (sym->space == SW_SPACE_SHARED)
        return sw_program_shared_offset(dc->program, sym);
    sw_sym *def = sw_sym_resolve(sym);
    return def ? def->address : 0;
}

static sw_oref
operand(decoder *dc, const sw_ins *ins, unsigned i)
{
    const sw_opnd *o = &ins->opnd[i];
    switch (o->kind) {
    case SW_OPND_REG:
        return dc->regs[o->reg];
    case SW_OPND_IMM:
        return 0x80000000u |
               add_const(dc, sw_ins_class(dc->fn, ins, i), o->imm);
    case SW_OPND_SYM:
        return 0x80000000u | add_const(dc, sw_ins_class(dc->fn, ins, i),
                                       sym_value(dc, o->sym) + o->imm);
    default:
        return dc->junk;
    }
}

/* ---- calls ---- */

static sw_dformal
formal(const decoder *dc, const sw_opnd *o)
{
    if (o->kind == SW_OPND_SYM)
        return (sw_dformal){.is_slot = true,
                            .slot = (uint32_t)(o->sym->address + o->imm),
                            .bytes = (uint32_t)o->sym->bytes};
    if (o->kind == SW_OPND_REG) {
        sw_class cls = dc->fn->regs[o->reg].cls;
        return (sw_dformal){.ref = dc->regs[o->reg],
                            .bytes = sw_class_bytes(cls)};
    }
    return (sw_dformal){.ref = dc->junk};
}

static sw_dformal *
formals(decoder *dc, const sw_opnd *opnds, uint32_t count)
{
    sw_dformal *out =
        sw_arena_alloc(dc->program->arena, (count + 1) * sizeof *out);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = formal(dc, &opnds[i]);
        if (opnds[i].kind == SW_OPND_IMM) {
            uint32_t at = add_const(dc, SW_CLASS_B64, opnds[i].imm);
            /* Lanes of 8 bytes; the callee takes as many as it declares. */
            out[i] = (sw_dformal){.ref = 0x80000000u | at, .bytes = 8};
        }
    }
    return out;
}

static const sw_dcall *
decode_call(decoder *dc, const sw_ins *ins)
{
    const sw_call *call = ins->aux;
    sw_dcall *out = sw_arena_alloc(dc->program->arena, sizeof *out);
    out->builtin = -1;
    out->args = formals(dc, call->args, call->arg_count);
    out->rets = formals(dc, call->rets, call->ret_count);
    out->arg_count = call->arg_count;
    out->ret_count = call->ret_count;
    if (!call->callee)
        return out;
    sw_sym *sym = sw_sym_resolve(call->callee);
    if (sym && sym->fn && sym->fn->block_count) {
        for (uint32_t i = 0; i < dc->program->fn_count; i++)
            if (dc->program->fns[i]->sym == sym->fn->sym)
                out->code = &dc->all->codes[i];
    } else {
        out->builtin = sw_interp_builtin_index(call->callee->name);
    }
    return out;
}

/* ---- instructions ---- */

static sw_dkind
memory_kind(const decoder *dc, const sw_ins *ins)
{
    const sw_opnd *base = sw_ins_src(ins, 0);
    bool is_param = ins->space == SW_SPACE_PARAM && dc->fn->is_entry &&
                    base->kind != SW_OPND_REG;
    return is_param ? SW_K_LD_PARAM : SW_K_LD;
}

static sw_dkind
address_kind(const sw_ins *ins)
{
    const sw_sym *sym = sw_ins_src(ins, 0)->sym;
    bool is_generic = ins->flags & SW_F_GENERIC_ADDR;
    if (ins->space == SW_SPACE_LOCAL || sym->space == SW_SPACE_LOCAL)
        return SW_K_LOCAL_ADDR;
    return is_generic ? SW_K_CVTA : SW_K_LANE;
}

static sw_dkind
kind_of(const decoder *dc, const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_LD:
    case SW_OP_LDU:
        return memory_kind(dc, ins);
    case SW_OP_ST:
        return SW_K_ST;
    case SW_OP_ATOM:
    case SW_OP_RED:
        return SW_K_ATOM;
    case SW_OP_BRA:
        return SW_K_BRA;
    case SW_OP_BRX:
        return SW_K_BRX;
    case SW_OP_RET:
        return SW_K_RET;
    case SW_OP_EXIT:
        return SW_K_EXIT;
    case SW_OP_CALL:
        return SW_K_CALL;
    case SW_OP_TRAP:
    case SW_OP_BRKPT: /* without a debugger the kernel ends there */
        return SW_K_TRAP;
    case SW_OP_BAR:
        return SW_K_BAR;
    case SW_OP_BAR_WARP:
        return SW_K_BAR_WARP;
    case SW_OP_BAR_CLUSTER:
        return SW_K_BAR_CLUSTER;
    case SW_OP_SHFL:
    case SW_OP_VOTE:
    case SW_OP_MATCH:
    case SW_OP_REDUX:
    case SW_OP_ELECT:
    case SW_OP_ACTIVEMASK:
        return SW_K_LANES;
    case SW_OP_SREG:
        return SW_K_SREG;
    case SW_OP_ADDR:
        return address_kind(ins);
    case SW_OP_CVTA:
        return SW_K_CVTA;
    case SW_OP_MAPA:
    case SW_OP_CTARANK:
        return SW_K_MAPA;
    case SW_OP_ISSPACEP:
        return SW_K_ISSPACEP;
    case SW_OP_TEX:
    case SW_OP_TLD4:
    case SW_OP_TXQ:
    case SW_OP_SULD:
    case SW_OP_SUST:
    case SW_OP_SURED:
        return SW_K_TEX;
    case SW_OP_LDMATRIX:
    case SW_OP_STMATRIX:
    case SW_OP_MOVMATRIX:
    case SW_OP_WMMA_LOAD:
    case SW_OP_WMMA_STORE:
    case SW_OP_WMMA:
    case SW_OP_MMA:
    case SW_OP_WGMMA:
        return SW_K_MATRIX;
    case SW_OP_MBAR_INIT:
    case SW_OP_MBAR_INVAL:
    case SW_OP_MBAR_ARRIVE:
    case SW_OP_MBAR_EXPECT_TX:
    case SW_OP_MBAR_TEST:
    case SW_OP_MBAR_PENDING:
        return SW_K_MBAR;
    case SW_OP_CP_ASYNC:
        return SW_K_CP_ASYNC;
    case SW_OP_CP_BULK:
    case SW_OP_CP_REDUCE:
        return SW_K_CP_BULK;
    case SW_OP_CP_TENSOR:
        return SW_K_CP_TENSOR;
    case SW_OP_MEMBAR:
        return SW_K_FENCE;
    case SW_OP_NANOSLEEP:
        return SW_K_SLEEP;
    case SW_OP_ALLOCA:
        return SW_K_ALLOCA;
    case SW_OP_STACKSAVE:
    case SW_OP_STACKRESTORE:
        return SW_K_STACK;
    case SW_OP_CP_ASYNC_WAIT:
    case SW_OP_PREFETCH:
    case SW_OP_PMEVENT:
    case SW_OP_GRIDDEPCONTROL:
    case SW_OP_SETMAXNREG:
        return SW_K_NOP;
    default:
        return SW_K_EVAL;
    }
}

/* Which predicate source lane functions take negated. */
static bool
flips(const sw_ins *ins)
{
    return ins->nsrc && sw_ins_src(ins, ins->nsrc - 1u)->negated;
}

/* The address of a variable: a constant that is moved. */
static void
make_move(decoder *dc, sw_dins *d)
{
    const sw_ins *ins = d->ins;
    sw_ins move = *ins;
    move.op = SW_OP_MOV;
    move.type =
        sw_ins_class(dc->fn, ins, 0) == SW_CLASS_B32 ? SW_T_B32 : SW_T_B64;
    const sw_opnd *src = sw_ins_src(ins, 0);
    sw_opnd opnd[2] = {
        ins->opnd[0],
        {.kind = SW_OPND_IMM,
         .imm = sym_value(dc, src->sym) + src->imm + (uint64_t)ins->offset}};
    move.opnd = opnd;
    d->fn = sw_interp_lanes()->find(&move);
    d->o[1] = operand(dc, &move, 1);
}

static void
decode_ins(decoder *dc, const sw_ins *ins, uint32_t block, sw_dins *d)
{
    unsigned n = (unsigned)ins->ndst + ins->nsrc;
    *d = (sw_dins){.kind = (uint8_t)kind_of(dc, ins),
                   .ndst = ins->ndst,
                   .nsrc = ins->nsrc,
                   .boolop = ins->boolop,
                   .guard = SW_NO_GUARD,
                   .mode = sw_sem_mode(ins),
                   .flip = flips(ins) ? UINT32_MAX : 0,
                   .block = block,
                   .ins = ins};
    if (ins->guard) {
        d->guard = dc->regs[ins->guard];
        d->guard_flip = ins->guard_neg ? UINT32_MAX : 0;
    }
    sw_oref *o = d->o;
    if (n > SW_OPND_INLINE)
        d->more = o = sw_arena_alloc(dc->program->arena, n * sizeof *o);
    for (unsigned i = 0; i < n; i++)
        o[i] = operand(dc, ins, i);
    if (d->kind == SW_K_EVAL && n <= SW_OPND_INLINE) {
        d->fn = sw_interp_lanes()->find(ins);
        if (d->fn)
            d->kind = SW_K_LANE;
    }
    if (d->kind == SW_K_LANE && ins->op == SW_OP_ADDR)
        make_move(dc, d);
    if (d->kind == SW_K_CALL)
        d->aux = decode_call(dc, ins);
    if (d->kind == SW_K_MATRIX)
        d->aux = sw_interp_matrix_plan(dc->program->arena, dc->fn, ins);
    if (ins->nsrc)
        d->src_class = (uint8_t)sw_ins_class(dc->fn, ins, ins->ndst);
    if (ins->type != SW_T_NONE) {
        unsigned bits = sw_type_bits((sw_type)ins->type);
        d->mem_bytes = (uint8_t)((bits + 7) / 8);
        d->mem_signed = sw_type_kind((sw_type)ins->type) == SW_KIND_SINT;
        d->val_class = (uint8_t)sw_type_class((sw_type)ins->type);
    }
    if (ins->op == SW_OP_LD || ins->op == SW_OP_LDU) {
        for (unsigned i = 0; i < ins->ndst; i++)
            if (ins->opnd[i].kind == SW_OPND_REG)
                d->val_class = (uint8_t)sw_ins_class(dc->fn, ins, i);
    } else if (ins->op == SW_OP_ST) {
        for (unsigned i = 1; i < ins->nsrc; i++)
            if (ins->opnd[i].kind == SW_OPND_REG)
                d->val_class = (uint8_t)sw_ins_class(dc->fn, ins, i);
    }
}

static bool
is_back(const decoder *dc, const sw_block *block, uint32_t i)
{
    return dc->cfg->sched[block->targets[i]] <= dc->cfg->sched[block->index];
}

static void
decode_targets(decoder *dc, const sw_block *block, sw_dins *d)
{
    if (d->kind == SW_K_BRA) {
        for (uint32_t i = 0; i < block->target_count && i < 2; i++) {
            d->target[i] = dc->start[block->targets[i]];
            d->position[i] =
                sw_cfg_position(dc->cfg, block->index, block->targets[i]);
            d->is_back[i] = is_back(dc, block, i);
        }
    } else if (d->kind == SW_K_BRX) {
        sw_dtargets *t =
            sw_arena_alloc(dc->program->arena,
                           sizeof *t + block->target_count * sizeof t->to[0]);
        t->count = block->target_count;
        for (uint32_t i = 0; i < t->count; i++) {
            t->to[i].target = dc->start[block->targets[i]];
            t->to[i].position =
                sw_cfg_position(dc->cfg, block->index, block->targets[i]);
            t->to[i].is_back = is_back(dc, block, i);
        }
        d->aux = t;
    }
}

static void
decode_fn(decoder *dc)
{
    const sw_fn *fn = dc->fn;
    sw_code *code = dc->code;
    sw_arena *arena = dc->program->arena;
    dc->cfg = sw_cfg_create(fn);
    dc->known = sw_map_create();
    sw_vec_init(&dc->consts, 1);
    dc->regs = sw_alloc(fn->reg_count * sizeof *dc->regs);
    dc->junk = code->junk = sw_interp_place_registers(fn, dc->cfg, dc->regs);
    code->reg_bytes = code->junk + JUNK_BYTES;

    uint32_t *positions = sw_arena_alloc(arena, fn->block_count * 4);
    memcpy(positions, dc->cfg->sched, fn->block_count * sizeof *positions);
    code->positions = positions;
    dc->start = sw_alloc(fn->block_count * sizeof *dc->start);
    for (uint32_t b = 0; b < fn->block_count; b++) {
        dc->start[b] = code->count;
        code->count += fn->blocks[b]->count;
    }
    code->ins = sw_arena_alloc(arena, code->count * sizeof *code->ins);
    for (uint32_t b = 0; b < fn->block_count; b++) {
        const sw_block *block = fn->blocks[b];
        for (uint32_t i = 0; i < block->count; i++) {
            sw_dins *d = &code->ins[dc->start[b] + i];
            decode_ins(dc, block->ins[i], b, d);
            decode_targets(dc, block, d);
        }
    }
    code->params = formals(dc, fn->params, fn->is_entry ? 0 : fn->param_count);
    code->rets = formals(dc, fn->rets, fn->is_entry ? 0 : fn->ret_count);
    code->param_count = fn->param_count;
    code->ret_count = fn->ret_count;

    size_t bytes = dc->consts.count;
    uint8_t *p = sw_arena_alloc(arena, bytes + LINE);
    p += (LINE - (uintptr_t)p % LINE) % LINE;
    if (bytes)
        memcpy(p, dc->consts.data, bytes);
    code->consts = p;
    sw_vec_finish(&dc->consts);
    sw_map_destroy(dc->known);
    sw_free(dc->regs);
    sw_free(dc->start);
    sw_cfg_destroy(dc->cfg);
}

sw_status
sw_interp_compile(sw_program *program, sw_diag *diag)
{
    (void)diag;
    sw_interp_code *all = sw_arena_alloc(program->arena, sizeof *all);
    all->count = program->fn_count;
    all->codes =
        sw_arena_alloc(program->arena, all->count * sizeof *all->codes);
    for (uint32_t i = 0; i < all->count; i++) {
        all->codes[i].fn = program->fns[i];
        all->codes[i].program = program;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        decoder dc = {.program = program,
                      .all = all,
                      .fn = program->fns[i],
                      .code = &all->codes[i]};
        if (i)
            dc.code->first = all->codes[i - 1].first + all->codes[i - 1].count;
        decode_fn(&dc);
    }
    program->code = all;
    return SW_OK;
}

void
sw_interp_release(sw_program *program)
{
    program->code = NULL; /* all of it is in the program's arena */
}
