/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - a kernel and all it can reach: the closure of its calls, the
 * layout of its shared memory, its needs; see exec.h and engine.h.
 */
#include <stdatomic.h>
#include <string.h>

#include "exec/engine.h"
#include "opt/liveness.h"
#include "opt/pipeline.h"

enum { SHARED_ALIGN = 16 };

/* What is under construction. */
typedef struct {
    sw_program *program;
    const sw_instruments *instruments; /* or NULL */
    sw_diag *diag;
    sw_vec fns;      /* const sw_fn * */
    sw_map *known;   /* key: address of sw_fn; value: index + 1 */
    sw_map *modules; /* those whose functions have been taken in, for
                        indirect calls */
    bool has_linked; /* ... and what modules linked with them point at */
    sw_status status;
} closure;

static sw_str
key_of(const void *const *pointer)
{
    return (sw_str){(const char *)pointer, sizeof *pointer};
}

static void
add_fn(closure *c, const sw_fn *fn)
{
    const void *p = fn;
    if (sw_map_get(c->known, key_of(&p)))
        return;
    *(const sw_fn **)sw_vec_push(&c->fns) = fn;
    sw_map_set(c->known, key_of(&p), (void *)(uintptr_t)c->fns.count);
}

static void
add_callable(closure *c, sw_sym *sym)
{
    sym = sym ? sw_sym_resolve(sym) : NULL;
    if (sym && sym->fn && sym->fn->block_count && !sym->fn->is_entry)
        add_fn(c, sym->fn);
}

/* The functions whose addresses the module's data or code has. */
static void
add_pointed_at(closure *c, const sw_module *module)
{
    for (uint32_t i = 0; i < module->sym_count; i++)
        for (uint32_t k = 0; k < module->syms[i]->reloc_count; k++)
            add_callable(c, module->syms[i]->relocs[k].sym);
    for (uint32_t f = 0; f < module->fn_count; f++)
        for (uint32_t b = 0; b < module->fns[f]->block_count; b++) {
            const sw_block *block = module->fns[f]->blocks[b];
            for (uint32_t i = 0; i < block->count; i++) {
                const sw_ins *ins = block->ins[i];
                for (unsigned k = 0; k < (unsigned)ins->ndst + ins->nsrc; k++)
                    if (ins->opnd[k].kind == SW_OPND_SYM)
                        add_callable(c, ins->opnd[k].sym);
            }
        }
}

/* Every function of the module may be called through a pointer, and those of
 * the modules linked with it whose addresses these have. */
static void
add_module(closure *c, const sw_module *module)
{
    const void *p = module;
    if (sw_map_get(c->modules, key_of(&p)))
        return;
    sw_map_set(c->modules, key_of(&p), c);
    for (uint32_t i = 0; !c->has_linked && i < module->linked_count; i++)
        if (module->linked[i] != module)
            add_pointed_at(c, module->linked[i]);
    c->has_linked = true;
    for (uint32_t i = 0; i < module->fn_count; i++)
        if (!module->fns[i]->is_entry)
            add_fn(c, module->fns[i]);
    for (uint32_t i = 0; i < module->sym_count; i++)
        add_callable(c, module->syms[i]);
}

/* Gives a shared variable its place. Extern arrays of no size all stand at the
 * end; they are placed when the size of the rest is known. */
static void
add_shared(closure *c, sw_sym *sym)
{
    sym = sym->def ? sw_sym_resolve(sym) : sym;
    const void *p = sym;
    sw_program *program = c->program;
    if (!sym || sym->bytes == 0 || sw_map_get(program->shared, key_of(&p)))
        return;
    uint32_t align = sym->align ? sym->align : 1;
    uint32_t *end = &program->info.static_shared_bytes;
    uint32_t at = (*end + align - 1) / align * align;
    sw_map_set(program->shared, key_of(&p), (void *)((uintptr_t)at + 1));
    *end = at + (uint32_t)sym->bytes;
}

/* As the vendor's assembler does: what is static ends at a multiple where a
 * module of the kernel's declares an array of no size, whoever uses it. */
static void
align_shared(closure *c)
{
    uint32_t *end = &c->program->info.static_shared_bytes;
    for (size_t i = 0; i < c->fns.count; i++) {
        const sw_fn *fn = *(const sw_fn **)sw_vec_at(&c->fns, i);
        for (uint32_t k = 0; k < fn->module->sym_count; k++) {
            const sw_sym *sym = fn->module->syms[k];
            if (sym->space != SW_SPACE_SHARED || sym->bytes)
                continue;
            *end = (*end + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
            return;
        }
    }
}

static void
see_sym(closure *c, sw_sym *sym)
{
    if (sym && sym->space == SW_SPACE_SHARED)
        add_shared(c, sym);
}

static void
see_call(closure *c, const sw_fn *fn, const sw_ins *ins)
{
    const sw_call *call = ins->aux;
    if (!call->callee) {
        c->program->info.has_indirect_calls = true;
        add_module(c, fn->module);
        return;
    }
    sw_sym *sym = sw_sym_resolve(call->callee);
    if (sym && sym->fn && sym->fn->block_count) {
        add_fn(c, sym->fn);
    } else if (!sw_ir_is_builtin(call->callee->name)) {
        const char *name = call->callee->name;
        sw_diag_add(c->diag, SW_DIAG_ERROR, fn->module->name, ins->line, 0,
                    "kernel '%s' calls '%s', which %s",
                    c->program->kernel->name, name,
                    sw_ir_is_drivers_own(name) ? "is not supported"
                                               : "no loaded module defines");
        c->status = SW_E_NOT_FOUND;
    } else if (sw_ir_device_call(call->callee->name) >= 0) {
        c->program->info.calls_runtime = true;
    }
}

/* What compilers of today make of plain C, which those of an older device make
 * into other instructions. Conversions of addresses compute nothing. */
static bool
is_of_todays_compilers(sw_op op)
{
    switch (op) {
    case SW_OP_CVTA:
    case SW_OP_BFE:
    case SW_OP_BFI:
    case SW_OP_BFIND:
    case SW_OP_BREV:
    case SW_OP_CLZ:
    case SW_OP_LOP3:
    case SW_OP_POPC:
    case SW_OP_PRMT:
    case SW_OP_SHF_L:
    case SW_OP_SHF_R:
        return true;
    default:
        return false;
    }
}

static void
see_ins(closure *c, const sw_fn *fn, const sw_ins *ins)
{
    sw_program_info *info = &c->program->info;
    unsigned since = sw_op_get_info((sw_op)ins->op)->since;
    if (is_of_todays_compilers((sw_op)ins->op))
        since = 10;
    if ((ins->type == SW_T_F64 || ins->stype == SW_T_F64) &&
        !fn->module->f64_demoted)
        since = since > 13 ? since : 13;
    if (ins->op == SW_OP_ATOM && ins->space == SW_SPACE_SHARED && since < 12)
        since = 12;
    if (ins->space == SW_SPACE_SHARED_CLUSTER && since < 90)
        since = 90;
    if (since > info->since) {
        info->since = since;
        info->since_fn = fn;
        info->since_ins = ins;
    }
    if (ins->op == SW_OP_BAR)
        info->uses_barrier = true;
    if (ins->op == SW_OP_BAR_CLUSTER)
        info->uses_barrier = info->uses_cluster_barrier = true;
    if (ins->op == SW_OP_SREG && ins->sub == SW_SREG_ENVREG && ins->imm < 3)
        info->uses_grid_sync = true;
    if (ins->op == SW_OP_SREG && ins->sub >= SW_SREG_RESERVED_SMEM_BEGIN &&
        ins->sub <= SW_SREG_RESERVED_SMEM_1)
        info->uses_reserved_shared = true;
    if (ins->op == SW_OP_ALLOCA)
        info->has_alloca = true;
    if (ins->op == SW_OP_CALL)
        see_call(c, fn, ins);
    for (unsigned i = 0; i < (unsigned)ins->ndst + ins->nsrc; i++)
        if (ins->opnd[i].kind == SW_OPND_SYM)
            see_sym(c, ins->opnd[i].sym);
}

static void
see_fn(closure *c, const sw_fn *fn)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            see_ins(c, fn, fn->blocks[b]->ins[i]);
}

/* Deepest stack below each function, by depth-first search. */
typedef struct {
    uint32_t bytes;
    uint8_t state; /* 0 new, 1 open, 2 done */
} depth;

static uint32_t
index_of(const closure *c, const sw_fn *fn)
{
    const void *p = fn;
    return (uint32_t)(uintptr_t)sw_map_get(c->known, key_of(&p)) - 1;
}

/* One activation of the search, kept by hand: chains of calls may be long. */
typedef struct {
    uint32_t fn, block, ins;
} step;

static void
measure_stack(closure *c)
{
    size_t n = c->fns.count;
    const sw_fn **fns = c->fns.data;
    depth *d = sw_alloc(n * sizeof *d);
    sw_vec stack;
    sw_vec_init(&stack, sizeof(step));
    *(step *)sw_vec_push(&stack) = (step){0, 0, 0};
    d[0].state = 1;
    while (stack.count) {
        step *s = sw_vec_at(&stack, stack.count - 1);
        const sw_fn *fn = fns[s->fn];
        if (s->block == fn->block_count) {
            d[s->fn].bytes += fn->frame_bytes + SW_CALL_BYTES;
            d[s->fn].state = 2;
            stack.count--;
            if (stack.count) {
                step *up = sw_vec_at(&stack, stack.count - 1);
                uint32_t below = d[s->fn].bytes;
                if (d[up->fn].bytes < below)
                    d[up->fn].bytes = below;
            }
            continue;
        }
        const sw_block *block = fn->blocks[s->block];
        if (s->ins == block->count) {
            s->block++;
            s->ins = 0;
            continue;
        }
        const sw_ins *ins = block->ins[s->ins++];
        if (ins->op != SW_OP_CALL)
            continue;
        const sw_call *call = ins->aux;
        sw_sym *sym = call->callee ? sw_sym_resolve(call->callee) : NULL;
        if (!sym || !sym->fn || !sym->fn->block_count)
            continue;
        uint32_t to = index_of(c, sym->fn);
        if (d[to].state == 1) {
            c->program->info.is_recursive = true;
        } else if (d[to].state == 2) {
            if (d[s->fn].bytes < d[to].bytes)
                d[s->fn].bytes = d[to].bytes;
        } else {
            d[to].state = 1;
            *(step *)sw_vec_push(&stack) = (step){to, 0, 0};
        }
    }
    c->program->info.frame_bytes = d[0].bytes - SW_CALL_BYTES;
    c->program->local_bytes = d[0].bytes;
    sw_vec_finish(&stack);
    sw_free(d);
}

/* Of a large function there is no estimate. */
static void
measure_registers(closure *c)
{
    for (size_t i = 0; i < c->fns.count; i++) {
        const sw_fn *fn = *(const sw_fn **)sw_vec_at(&c->fns, i);
        if (sw_liveness_is_large(fn))
            continue;
        sw_cfg *cfg = sw_cfg_create(fn);
        sw_liveness *live = sw_liveness_create(fn, cfg);
        if (live->max_live_words > c->program->info.max_live_regs)
            c->program->info.max_live_regs = live->max_live_words;
        sw_liveness_destroy(live);
        sw_cfg_destroy(cfg);
    }
}

/* Changes what other blocks may change. */
static bool
contends(const sw_ins *ins)
{
    return (ins->op == SW_OP_ATOM || ins->op == SW_OP_RED) &&
           ins->space != SW_SPACE_SHARED &&
           ins->space != SW_SPACE_SHARED_CLUSTER;
}

static void
count_instructions(closure *c)
{
    bool any = false;
    for (size_t i = 0; i < c->fns.count; i++) {
        const sw_fn *fn = *(const sw_fn **)sw_vec_at(&c->fns, i);
        for (uint32_t b = 0; b < fn->block_count; b++) {
            const sw_block *block = fn->blocks[b];
            c->program->info.ins_count += block->count;
            for (uint32_t k = 0; k < block->count && !any; k++)
                any = contends(block->ins[k]);
        }
    }
    if (any)
        c->program->contention =
            sw_arena_alloc(c->program->arena, sizeof *c->program->contention);
}

static void
measure_consts(closure *c)
{
    const sw_module *module = c->program->kernel->module;
    for (uint32_t i = 0; i < module->sym_count; i++)
        if (module->syms[i]->space == SW_SPACE_CONST)
            c->program->info.const_bytes += (uint32_t)module->syms[i]->bytes;
}

/* What they put into a kernel may change what other blocks may change. */
static void
put_in_instruments(closure *c)
{
    sw_program *program = c->program;
    program->is_instrumented = true;
    for (size_t i = 0; i < c->fns.count; i++) {
        const sw_fn **fn = sw_vec_at(&c->fns, i);
        *fn = sw_instrument_fn(program->kernel, *fn, c->instruments,
                               program->arena);
    }
    if (!program->contention)
        program->contention =
            sw_arena_alloc(program->arena, sizeof *program->contention);
}

/* The passes over the program's functions; what is told of the program stays,
 * but for the stack that it takes. */
static void
run_passes(closure *c)
{
    if (c->instruments)
        put_in_instruments(c);
    sw_program *program = c->program;
    sw_program_info info = program->info;
    sw_opt_unit unit = {.fns = c->fns.data,
                        .fn_count = (uint32_t)c->fns.count,
                        .arena = program->arena,
                        .is_observed = program->events != 0};
    sw_opt_run(SW_STAGE_PROGRAM, &unit);
    program->kernel = unit.fns[0];
    measure_stack(c);
    program->info = info;
}

sw_program *
sw_program_begin(const sw_backend *backend)
{
    static atomic_uint_fast64_t serials;
    sw_arena *arena = sw_arena_create();
    sw_program *program = sw_arena_alloc(arena, sizeof *program);
    program->arena = arena;
    program->backend = backend;
    program->serial = atomic_fetch_add(&serials, 1) + 1;
    program->shared = sw_map_create();
    program->block_ns = sw_arena_alloc(arena, sizeof *program->block_ns);
    program->turns = sw_arena_alloc(arena, sizeof *program->turns);
    return program;
}

sw_status
sw_program_compile(sw_program *program, sw_diag *diag)
{
    fenv_t kept;
    sw_float_enter(&kept);
    sw_status status = program->backend->compile(program, diag);
    sw_float_leave(&kept);
    return status;
}

static sw_status
create(const sw_backend *backend, const sw_fn *kernel, uint32_t events,
       const sw_instruments *by, sw_diag *diag, sw_program **out)
{
    sw_program *program = sw_program_begin(backend);
    program->kernel = kernel;
    program->events = events;
    program->info.param_bytes = kernel->param_bytes;
    program->info.since = 10;

    closure c = {.program = program, .instruments = by, .diag = diag};
    sw_vec_init(&c.fns, sizeof(const sw_fn *));
    c.known = sw_map_create();
    c.modules = sw_map_create();
    add_fn(&c, kernel);
    for (size_t i = 0; i < c.fns.count; i++)
        see_fn(&c, *(const sw_fn **)sw_vec_at(&c.fns, i));
    align_shared(&c);
    if (c.status == SW_OK) {
        measure_stack(&c);
        measure_consts(&c);
        measure_registers(&c);
        count_instructions(&c);
    }
    if (c.status == SW_OK)
        run_passes(&c);
    program->fn_count = (uint32_t)c.fns.count;
    program->fns = sw_vec_to_arena(&c.fns, program->arena);
    sw_vec_finish(&c.fns);
    sw_map_destroy(c.known);
    sw_map_destroy(c.modules);

    sw_turns_init(program->turns, program->fns, program->fn_count, events != 0);
    if (c.status == SW_OK)
        c.status = sw_program_compile(program, diag);
    if (c.status != SW_OK) {
        sw_program_destroy(program);
        return c.status;
    }
    *out = program;
    return SW_OK;
}

sw_status
sw_program_create(const sw_backend *backend, const sw_fn *kernel,
                  uint32_t events, sw_diag *diag, sw_program **out)
{
    return create(backend, kernel, events, NULL, diag, out);
}

sw_status
sw_program_create_instrumented(const sw_backend *backend, const sw_fn *kernel,
                               const sw_instruments *by, sw_diag *diag,
                               sw_program **out)
{
    return create(backend, kernel, 0, by, diag, out);
}

void
sw_program_destroy(sw_program *program)
{
    if (!program)
        return;
    for (sw_program *p = atomic_load(&program->coarsened); p;) {
        sw_program *next = p->next_coarsened;
        sw_program_destroy(p);
        p = next;
    }
    if (program->code)
        program->backend->release(program);
    sw_map_destroy(program->shared);
    sw_arena_destroy(program->arena);
}

bool
sw_program_is_busy(const sw_program *program)
{
    const sw_backend *backend = program->backend;
    for (sw_program *p = atomic_load(&program->coarsened); p;
         p = p->next_coarsened)
        if (sw_program_is_busy(p))
            return true;
    return program->code && backend->is_busy && backend->is_busy(program);
}

const sw_program_info *
sw_program_get_info(const sw_program *program)
{
    return &program->info;
}

uint32_t
sw_program_shared_offset(const sw_program *program, sw_sym *sym)
{
    sw_sym *def = sym->def ? sw_sym_resolve(sym) : sym;
    const void *p = def;
    uintptr_t at = (uintptr_t)sw_map_get(program->shared, key_of(&p));
    return at ? (uint32_t)(at - 1) : program->info.static_shared_bytes;
}

uint32_t
sw_program_find_fn(const sw_program *program, uint64_t address)
{
    for (uint32_t i = 0; i < program->fn_count; i++)
        if (program->fns[i]->sym && program->fns[i]->sym->address == address)
            return i;
    return UINT32_MAX;
}
