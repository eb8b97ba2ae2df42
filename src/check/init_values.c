/* SPDX-License-Identifier: Apache-2.0 */
/* init_values.c - undefined bits of the registers and the memory of a launch;
 * see init.h. */
#include <string.h>

#include "check/init.h"
#include "check/undefined.h"

/* A parameter's slot of an activation, as a register. */
typedef struct {
    const sw_sym *sym;
    uint64_t offset;
    init_row row;
} slot;

/* An activation of a function by lanes of a warp, at one depth of calls. */
typedef struct {
    const sw_fn *fn;
    uint32_t depth;
    uint32_t live;   /* rows that have lanes */
    init_row **rows; /* [reg_count] NULL: defined in all lanes */
    sw_vec slots;    /* slot: those that have lanes */
} frame;

/* The call that a lane is in, at each depth. */
typedef struct {
    const sw_ins *ins;
    const frame *caller;
} lane_call;

typedef struct {
    sw_vec frames;         /* frame * */
    uint32_t depth[32];    /* of calls, by lane */
    uint32_t engine_wrote; /* lanes for which a function of the engine ran */
    uint32_t entering;     /* lanes that have been called and not yet begun */
    sw_vec calls[32];      /* lane_call: [depth] */
    sw_init_area local[32];
} warp_values;

typedef struct init_block {
    init_launch *launch;
    uint64_t index;
    uint32_t warp_count;
    warp_values *warps;
    sw_init_area shared;
    struct init_block *next;
} init_block;

/* ---- blocks ---- */

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    (void)block;
    init_launch *l = arg;
    const sw_watch_launch *w = l->launch;
    init_block *b = sw_alloc(sizeof *b);
    b->launch = l;
    b->index = index;
    b->warp_count = (w->block[0] * w->block[1] * w->block[2] + 31) / 32;
    b->warps = sw_alloc(b->warp_count * sizeof *b->warps);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        sw_vec_init(&b->warps[i].frames, sizeof(frame *));
        for (int k = 0; k < 32; k++)
            sw_vec_init(&b->warps[i].calls[k], sizeof(lane_call));
    }
    sw_init_area_init(&b->shared, (uint64_t)w->static_shared_bytes +
                                      w->dynamic_shared_bytes);
    pthread_mutex_lock(&l->lock);
    b->next = l->blocks;
    l->blocks = b;
    pthread_mutex_unlock(&l->lock);
    return b;
}

static void
free_frame(frame *f)
{
    for (uint32_t r = 0; r < f->fn->reg_count; r++)
        sw_free(f->rows[r]);
    sw_vec_finish(&f->slots);
    sw_free(f->rows);
    sw_free(f);
}

static void
free_block(init_block *b)
{
    for (uint32_t i = 0; i < b->warp_count; i++) {
        warp_values *w = &b->warps[i];
        for (size_t k = 0; k < w->frames.count; k++)
            free_frame(*(frame **)sw_vec_at(&w->frames, k));
        sw_vec_finish(&w->frames);
        for (int k = 0; k < 32; k++) {
            sw_init_area_finish(&w->local[k]);
            sw_vec_finish(&w->calls[k]);
        }
    }
    sw_init_area_finish(&b->shared);
    sw_free(b->warps);
    sw_free(b);
}

static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    (void)block;
    (void)index;
    init_launch *l = arg;
    init_block *b = state, **at = &l->blocks;
    pthread_mutex_lock(&l->lock);
    while (*at != b)
        at = &(*at)->next;
    *at = b->next;
    pthread_mutex_unlock(&l->lock);
    free_block(b);
}

void
sw_init_forget_blocks(init_launch *l)
{
    while (l->blocks) {
        init_block *next = l->blocks->next;
        free_block(l->blocks);
        l->blocks = next;
    }
}

/* The block whose shared memory it is, one of the same cluster; NULL. */
static init_block *
find_block(init_block *b, uint64_t owner)
{
    init_launch *l = b->launch;
    if (b->index == owner)
        return b;
    pthread_mutex_lock(&l->lock);
    init_block *at = l->blocks;
    while (at && at->index != owner)
        at = at->next;
    pthread_mutex_unlock(&l->lock);
    return at;
}

/* ---- registers ---- */

static frame *
frame_at(warp_values *w, const sw_fn *fn, uint32_t depth)
{
    for (size_t i = 0; i < w->frames.count; i++) {
        frame *f = *(frame **)sw_vec_at(&w->frames, i);
        if (f->fn == fn && f->depth == depth)
            return f;
    }
    frame *f = sw_alloc(sizeof *f);
    f->fn = fn;
    f->depth = depth;
    f->rows = sw_alloc(fn->reg_count * sizeof *f->rows);
    sw_vec_init(&f->slots, sizeof(slot));
    *(frame **)sw_vec_push(&w->frames) = f;
    return f;
}

static void
set_row(init_row *row, uint32_t lane, uint64_t undefined, sw_init_origin origin)
{
    uint32_t bit = 1u << lane;
    row->lanes = undefined ? row->lanes | bit : row->lanes & ~bit;
    row->undefined[lane] = undefined;
    row->origin[lane] = origin;
}

static void
set_register(frame *f, sw_reg reg, uint32_t lane, uint64_t undefined,
             sw_init_origin origin)
{
    init_row *row = f->rows[reg];
    if (!row && !undefined)
        return;
    if (!row)
        row = f->rows[reg] = sw_alloc(sizeof *row);
    if (row->lanes)
        f->live--;
    set_row(row, lane, undefined, origin);
    if (row->lanes)
        f->live++;
}

static void
define(frame *f, sw_reg reg, uint32_t lanes)
{
    init_row *row = f->rows[reg];
    if (!row || !(row->lanes & lanes))
        return;
    row->lanes &= ~lanes;
    f->live -= row->lanes == 0;
}

static void
define_results(frame *f, const sw_ins *ins, uint32_t lanes)
{
    for (unsigned k = 0; k < ins->ndst && f->live; k++)
        if (ins->opnd[k].kind == SW_OPND_REG)
            define(f, ins->opnd[k].reg, lanes);
}

/* Of an operand; NULL: defined in all lanes. */
static const init_row *
row_of(const frame *f, const sw_opnd *o)
{
    const init_row *row = o->kind == SW_OPND_REG ? f->rows[o->reg] : NULL;
    return row && row->lanes ? row : NULL;
}

/* ---- uses ---- */

static void
use(init_block *b, const sw_ev_where *where, const init_row *row,
    uint32_t lanes, init_use what)
{
    lanes = row ? row->lanes & lanes : 0;
    if (lanes)
        sw_init_used(b->launch, where, lanes, row->origin[__builtin_ctz(lanes)],
                     what);
}

/* What happens depends on the guard, and cannot be taken back. */
static bool
has_effect(const sw_ins *ins)
{
    int effects = sw_op_get_info((sw_op)ins->op)->effects;
    return effects != SW_FX_PURE && effects != SW_FX_READ &&
           effects != SW_FX_STATE;
}

static void
check_uses(init_block *b, const frame *f, const sw_ev_where *where)
{
    const sw_ins *ins = where->ins;
    int effects = sw_op_get_info((sw_op)ins->op)->effects;
    const sw_opnd *source = ins->opnd + ins->ndst;
    if (ins->guard && has_effect(ins))
        use(b, where, f->rows[ins->guard], where->active, INIT_USE_BRANCH);
    if (ins->op == SW_OP_BRX)
        use(b, where, row_of(f, source), where->mask, INIT_USE_BRANCH);
    bool is_memory = effects == SW_FX_READ || effects == SW_FX_WRITE ||
                     effects == SW_FX_ATOMIC;
    if (is_memory && ins->nsrc)
        use(b, where, row_of(f, source), where->mask, INIT_USE_ADDRESS);
    if ((ins->op == SW_OP_DIV || ins->op == SW_OP_REM) &&
        sw_type_kind((sw_type)ins->type) != SW_KIND_FLOAT)
        use(b, where, row_of(f, source + 1), where->mask, INIT_USE_DIVISOR);
}

/* ---- calls ---- */

static const slot *
find_slot(const frame *f, const sw_sym *sym, uint64_t offset)
{
    for (size_t i = 0; i < f->slots.count; i++) {
        const slot *s = sw_vec_at(&f->slots, i);
        if (s->sym == sym && s->offset == offset)
            return s;
    }
    return NULL;
}

static void
set_slot(frame *f, const sw_sym *sym, uint64_t offset, uint32_t lane,
         uint64_t undefined, sw_init_origin origin)
{
    slot *s = (slot *)(uintptr_t)find_slot(f, sym, offset);
    if (!s && !undefined)
        return;
    if (!s) {
        s = sw_vec_push(&f->slots);
        *s = (slot){.sym = sym, .offset = offset};
    }
    set_row(&s->row, lane, undefined, origin);
}

/* A value from one side of a call to the other. */
static void
hand_over(const frame *from, const sw_opnd *source, frame *to,
          const sw_opnd *target, uint32_t lane)
{
    const init_row *row = row_of(from, source);
    if (source->kind == SW_OPND_SYM && target->kind == SW_OPND_SYM) {
        for (size_t i = 0; i < to->slots.count; i++) {
            slot *old = sw_vec_at(&to->slots, i);
            if (old->sym == target->sym)
                set_row(&old->row, lane, 0, 0);
        }
        for (size_t i = 0; i < from->slots.count; i++) {
            slot s = *(slot *)sw_vec_at(&from->slots, i);
            if (s.sym == source->sym && s.row.lanes >> lane & 1)
                set_slot(to, target->sym, s.offset, lane, s.row.undefined[lane],
                         s.row.origin[lane]);
        }
        return;
    }
    if (source->kind == SW_OPND_SYM) {
        const slot *s = find_slot(from, source->sym, source->imm);
        row = s && s->row.lanes ? &s->row : NULL;
    }
    bool is = row && row->lanes >> lane & 1;
    uint64_t undefined = is ? row->undefined[lane] : 0;
    sw_init_origin origin = is ? row->origin[lane] : 0;
    if (target->kind == SW_OPND_SYM)
        set_slot(to, target->sym, target->imm, lane, undefined, origin);
    else if (target->kind == SW_OPND_REG)
        set_register(to, target->reg, lane, undefined, origin);
}

static void
enter(warp_values *w, frame *f, uint32_t lanes)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        const lane_call *c =
            sw_vec_at(&w->calls[lane], w->calls[lane].count - 1);
        const sw_call *call = c->ins->aux;
        for (uint32_t i = 0; i < call->arg_count && i < f->fn->param_count; i++)
            hand_over(c->caller, &call->args[i], f, &f->fn->params[i], lane);
    }
    w->entering &= ~lanes;
}

static void
begin_call(warp_values *w, frame *f, const sw_ev_where *where)
{
    const sw_ins *ins = where->ins;
    const sw_call *call = ins->aux;
    const sw_sym *callee =
        call->callee && call->callee->def ? call->callee->def : call->callee;
    bool is_builtin = callee && (!callee->fn || !callee->fn->block_count);
    for (uint32_t i = 0; i < call->ret_count && is_builtin; i++)
        if (call->rets[i].kind == SW_OPND_REG)
            define(f, call->rets[i].reg, where->mask);
    for (uint32_t left = where->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        /* A function of the engine may write through pointers. */
        if (is_builtin) {
            sw_init_area *local = &w->local[lane];
            w->engine_wrote |= 1u << lane;
            if (local->bytes)
                memset(local->undefined, 0, local->bytes);
            continue;
        }
        *(lane_call *)sw_vec_push(&w->calls[lane]) = (lane_call){ins, f};
        w->depth[lane]++;
        w->entering |= 1u << lane;
    }
}

static void
end_call(warp_values *w, frame *f, uint32_t lanes)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        sw_vec *calls = &w->calls[lane];
        if (!calls->count)
            continue;
        lane_call c = *(lane_call *)sw_vec_at(calls, calls->count - 1);
        const sw_call *call = c.ins->aux;
        for (uint32_t i = 0; i < call->ret_count && i < f->fn->ret_count; i++)
            hand_over(f, &f->fn->rets[i], (frame *)(uintptr_t)c.caller,
                      &call->rets[i], lane);
        sw_vec_remove(calls, calls->count - 1);
        w->depth[lane]--;
    }
}

/* ---- instructions ---- */

static sw_init_origin
result_origin(const sw_ins *ins, sw_init_origin origin)
{
    return sw_undef_is_copy(ins) || !origin ? origin : origin | INIT_COMPUTED;
}

static void
compute_lane(frame *f, const sw_ev_where *where, uint32_t lane)
{
    const sw_ins *ins = where->ins;
    sw_undef_source source[SW_UNDEF_SOURCES] = {{0, 0}};
    sw_init_origin origin = 0;
    unsigned count =
        ins->nsrc < SW_UNDEF_SOURCES ? ins->nsrc : SW_UNDEF_SOURCES;
    bool any = false;
    for (unsigned k = 0; k < count; k++) {
        const sw_opnd *o = &ins->opnd[ins->ndst + k];
        const init_row *row = row_of(f, o);
        if (row && row->lanes >> lane & 1) {
            source[k].undefined = row->undefined[lane];
            origin = origin ? origin : row->origin[lane];
            any = true;
        }
    }
    for (unsigned k = 0; k < count && any; k++) {
        if (where->value)
            source[k].value = where->value(where->engine, ins->ndst + k, lane);
        if (ins->opnd[ins->ndst + k].negated)
            source[k].value ^= 1;
    }
    uint64_t out[4] = {0};
    for (unsigned d = 0; d < ins->ndst && d < 4 && any; d++)
        if (ins->opnd[d].kind == SW_OPND_REG)
            out[d] = sw_undef_result(ins, d, f->fn->regs[ins->opnd[d].reg].cls,
                                     source, count);
    for (unsigned d = 0; d < ins->ndst; d++)
        if (ins->opnd[d].kind == SW_OPND_REG)
            set_register(f, ins->opnd[d].reg, lane, d < 4 ? out[d] : 0,
                         result_origin(ins, origin));
}

static bool
has_row(const frame *f, const sw_ins *ins)
{
    for (unsigned k = 0; k < ins->nsrc; k++)
        if (row_of(f, &ins->opnd[ins->ndst + k]))
            return true;
    return false;
}

static void
compute(frame *f, const sw_ev_where *where)
{
    if (!has_row(f, where->ins)) {
        define_results(f, where->ins, where->mask);
        return;
    }
    for (uint32_t left = where->mask; left; left &= left - 1)
        compute_lane(f, where, (uint32_t)__builtin_ctz(left));
}

static bool
is_parameter(const sw_ins *ins)
{
    bool is_move =
        ins->op == SW_OP_LD || ins->op == SW_OP_LDU || ins->op == SW_OP_ST;
    const sw_opnd *address = &ins->opnd[ins->ndst];
    return is_move && (ins->space == SW_SPACE_PARAM ||
                       (address->kind == SW_OPND_SYM &&
                        address->sym->space == SW_SPACE_PARAM));
}

/* Parameters: of the kernel they are defined, of a function a slot. */
static void
access_parameter(frame *f, const sw_ev_where *where)
{
    const sw_ins *ins = where->ins;
    const sw_opnd *address = &ins->opnd[ins->ndst];
    unsigned bytes = sw_type_bits((sw_type)ins->type) / 8;
    bool is_load = ins->op != SW_OP_ST;
    if (is_load)
        define_results(f, ins, where->mask);
    if (address->kind != SW_OPND_SYM || (is_load && !f->slots.count))
        return;
    for (unsigned k = 0; k < ins->vec; k++) {
        uint64_t at = address->imm + (uint64_t)ins->offset + k * bytes;
        const sw_opnd *o = is_load ? &ins->opnd[k] : address + 1 + k;
        const slot *s = is_load ? find_slot(f, address->sym, at) : NULL;
        const init_row *row = is_load ? (s ? &s->row : NULL) : row_of(f, o);
        for (uint32_t left = where->mask; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            bool is = row && row->lanes >> lane & 1;
            uint64_t undefined = is ? row->undefined[lane] : 0;
            sw_init_origin origin = is ? row->origin[lane] : 0;
            if (!is_load)
                set_slot(f, address->sym, at, lane, undefined, origin);
            else if (o->kind == SW_OPND_REG)
                set_register(f, o->reg, lane, undefined, origin);
        }
    }
}

static void
ins(void *arg, const sw_ev_where *where)
{
    (void)arg;
    init_block *b = where->state;
    warp_values *w = &b->warps[where->warp];
    const sw_ins *i = where->ins;
    uint32_t first = (uint32_t)__builtin_ctz(where->mask);
    frame *f = frame_at(w, where->fn, w->depth[first]);
    if (w->entering & where->mask)
        enter(w, f, w->entering & where->mask);
    if (f->live)
        check_uses(b, f, where);
    if (i->op == SW_OP_CALL) {
        begin_call(w, f, where);
        return;
    }
    if (i->op == SW_OP_RET) {
        end_call(w, f, where->mask);
        return;
    }
    if (is_parameter(i)) {
        if (f->live || f->slots.count)
            access_parameter(f, where);
        return;
    }
    if (!f->live || i->op == SW_OP_ST)
        return;
    if (sw_op_get_info((sw_op)i->op)->effects == SW_FX_PURE)
        compute(f, where);
    else if (sw_op_get_info((sw_op)i->op)->effects != SW_FX_LANES ||
             i->op == SW_OP_MMA || i->op == SW_OP_WMMA ||
             i->op == SW_OP_MOVMATRIX)
        define_results(f, i, where->mask);
}

/* Shuffles give another lane's value; the rest one of all lanes. */
static void
warp(void *arg, const sw_ev_where *where, const sw_ev_warp *e)
{
    (void)arg;
    init_block *b = where->state;
    warp_values *w = &b->warps[where->warp];
    const sw_ins *i = where->ins;
    frame *f = frame_at(w, where->fn, w->depth[__builtin_ctz(where->mask)]);
    if (!f->live || i->op == SW_OP_BAR_WARP || !i->ndst)
        return;
    const init_row *row = i->nsrc ? row_of(f, &i->opnd[i->ndst]) : NULL;
    init_row source = row ? *row : (init_row){0};
    uint32_t some = source.lanes & where->mask;
    sw_init_origin of = some ? source.origin[__builtin_ctz(some)] : 0;
    define_results(f, i, where->mask);
    if (i->opnd[0].kind != SW_OPND_REG || !source.lanes)
        return;
    for (uint32_t left = where->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t from = e->from ? e->from[lane] % 32 : lane;
        if (e->from && source.lanes >> from & 1)
            set_register(f, i->opnd[0].reg, lane, source.undefined[from],
                         source.origin[from]);
        else if (!e->from && some)
            set_register(f, i->opnd[0].reg, lane,
                         i->op == SW_OP_VOTE && i->sub == SW_VOTE_BALLOT
                             ? some
                             : sw_undef_all(f->fn->regs[i->opnd[0].reg].cls),
                         of | INIT_COMPUTED);
    }
}

/* ---- memory ---- */

/* The lane's local memory, as far as the kernel's own variables go: what calls
 * put behind it counts as written. */
static sw_init_area *
local_of(init_block *b, uint32_t warp, uint32_t lane)
{
    sw_init_area *a = &b->warps[warp].local[lane];
    if (a->bytes || !b->launch->local_end)
        return a;
    sw_init_area_init(a, b->launch->local_end);
    memset(a->undefined, 0, a->bytes);
    bool is_known = !(b->warps[warp].engine_wrote >> lane & 1);
    for (size_t i = 0; is_known && i < b->launch->locals.count; i++) {
        const sw_sym *s = *(const sw_sym **)sw_vec_at(&b->launch->locals, i);
        memset(a->undefined + s->address, 0xff, s->bytes);
    }
    return a;
}

/* The kernel's own variables in local memory. */
void
sw_init_find_locals(init_launch *l)
{
    const sw_fn *fn = l->launch->fn;
    sw_vec_init(&l->locals, sizeof(const sw_sym *));
    for (uint32_t k = 0; k < fn->block_count; k++)
        for (uint32_t i = 0; i < fn->blocks[k]->count; i++) {
            const sw_ins *ins = fn->blocks[k]->ins[i];
            for (unsigned o = 0; o < (unsigned)ins->ndst + ins->nsrc; o++) {
                const sw_sym *s =
                    ins->opnd[o].kind == SW_OPND_SYM ? ins->opnd[o].sym : NULL;
                if (!s || s->space != SW_SPACE_LOCAL)
                    continue;
                *(const sw_sym **)sw_vec_push(&l->locals) = s;
                if (s->address + s->bytes > l->local_end)
                    l->local_end = s->address + s->bytes;
            }
        }
}

static bool
load_bytes(init_block *b, const sw_ev_where *where, const sw_ev_mem *m,
           uint32_t lane, sw_init_bytes *out)
{
    uint64_t addr = m->addr[lane];
    init_block *owner;
    switch (m->space) {
    case SW_SPACE_SHARED:
        owner = find_block(b, m->owner);
        return owner && sw_init_area_load(&owner->shared, addr, m->bytes, out);
    case SW_SPACE_LOCAL:
        return sw_init_area_load(local_of(b, where->warp, lane), addr, m->bytes,
                                 out);
    case SW_SPACE_GLOBAL:
        return sw_init_memory_load(b->launch->tool->memory, addr, m->bytes,
                                   out);
    default:
        return false;
    }
}

static void
store_bytes(init_block *b, const sw_ev_where *where, const sw_ev_mem *m,
            uint32_t lane, const sw_init_bytes *what)
{
    uint64_t addr = m->addr[lane];
    init_block *owner;
    switch (m->space) {
    case SW_SPACE_SHARED:
        owner = find_block(b, m->owner);
        if (owner)
            sw_init_area_store(&owner->shared, addr, m->bytes, what);
        break;
    case SW_SPACE_LOCAL:
        sw_init_area_store(local_of(b, where->warp, lane), addr, m->bytes,
                           what);
        break;
    case SW_SPACE_GLOBAL:
        sw_init_memory_store(b->launch->tool->memory, addr, m->bytes, what);
        break;
    default:
        break;
    }
}

/* The undefined bits of bytes [at, at + n) as those of a register. */
static uint64_t
widen(const sw_init_bytes *some, uint32_t at, uint32_t n, sw_type type,
      sw_class cls)
{
    uint64_t out = 0, all = sw_undef_all(cls);
    for (uint32_t i = 0; i < n; i++)
        if (n > 8 && some->undefined[at + i])
            return all;
        else if (n <= 8)
            out |= (uint64_t)some->undefined[at + i] << 8 * i;
    bool is_signed = sw_type_kind(type) == SW_KIND_SINT;
    if (is_signed && n < 8 && out >> (8 * n - 1) & 1)
        out |= ~(uint64_t)0 << 8 * n;
    return out & all;
}

static sw_init_origin
origin_of_load(init_block *b, const sw_ev_where *where, const sw_ev_mem *m,
               uint32_t lane, const sw_init_bytes *some)
{
    return some->origin ? some->origin
                        : sw_init_loaded(b->launch, where, lane, m->space,
                                         m->addr[lane], !some->is_all);
}

static void
load(init_block *b, frame *f, const sw_ev_where *where, const sw_ev_mem *m)
{
    const sw_ins *i = where->ins;
    uint32_t n = m->bytes / i->vec;
    if (f->live)
        define_results(f, i, where->mask);
    for (uint32_t left = where->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        sw_init_bytes some;
        if (!load_bytes(b, where, m, lane, &some))
            continue;
        sw_init_origin origin = origin_of_load(b, where, m, lane, &some);
        for (unsigned k = 0; k < i->vec; k++)
            if (i->opnd[k].kind == SW_OPND_REG)
                set_register(f, i->opnd[k].reg, lane,
                             widen(&some, k * n, n, (sw_type)i->type,
                                   f->fn->regs[i->opnd[k].reg].cls),
                             origin);
    }
}

/* What lane stores of the operands from `source` on; false: all is defined. */
static bool
take_bytes(const frame *f, const sw_ins *i, const sw_ev_mem *m, unsigned source,
           uint32_t lane, sw_init_bytes *out)
{
    uint32_t n = m->bytes / i->vec;
    *out = (sw_init_bytes){.is_any = false};
    for (unsigned k = 0; k < i->vec && f->live; k++) {
        const init_row *row = row_of(f, &i->opnd[i->ndst + source + k]);
        if (!row || !(row->lanes >> lane & 1))
            continue;
        for (uint32_t at = 0; at < n; at++) {
            uint8_t u =
                at < 8 ? (uint8_t)(row->undefined[lane] >> 8 * at) : 255;
            out->undefined[k * n + at] = u;
            if (u && !out->is_any)
                out->origin = row->origin[lane];
            out->is_any |= u != 0;
        }
    }
    return out->is_any;
}

/* A store to memory that the host reads without a copy. */
static void
check_host_store(init_block *b, const sw_ev_where *where, const sw_ev_mem *m,
                 uint32_t lane, const sw_init_bytes *some)
{
    init_tool *t = b->launch->tool;
    sw_allocation a;
    if (m->space != SW_SPACE_GLOBAL ||
        !sw_allocations_find(t->allocations, m->addr[lane], &a))
        return;
    if ((a.range.kind == SW_MEMORY_HOST || a.range.kind == SW_MEMORY_MANAGED ||
         a.range.kind == SW_MEMORY_REGISTERED) &&
        !sw_init_is_silent(t, some->origin))
        sw_init_used(b->launch, where, 1u << lane, some->origin, INIT_USE_HOST);
}

static bool
is_host_memory(init_block *b, const sw_ev_mem *m, uint32_t lane)
{
    sw_allocation a;
    return m->space == SW_SPACE_GLOBAL &&
           sw_allocations_find(b->launch->tool->allocations, m->addr[lane],
                               &a) &&
           a.range.kind != SW_MEMORY_DEVICE && a.range.kind != SW_MEMORY_HEAP &&
           a.range.kind != SW_MEMORY_MODULE;
}

static void
store(init_block *b, const frame *f, const sw_ev_where *where,
      const sw_ev_mem *m)
{
    for (uint32_t left = where->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        sw_init_bytes some;
        bool any = where->ins->op == SW_OP_ST &&
                   take_bytes(f, where->ins, m, 1, lane, &some);
        if (any)
            check_host_store(b, where, m, lane, &some);
        if (any && is_host_memory(b, m, lane))
            any = false;
        store_bytes(b, where, m, lane, any ? &some : NULL);
    }
}

static void
change(init_block *b, frame *f, const sw_ev_where *where, const sw_ev_mem *m)
{
    const sw_ins *i = where->ins;
    bool is_exchange = i->sub == SW_ATOM_EXCH;
    for (unsigned k = 1; k < i->nsrc && !is_exchange && f->live; k++)
        use(b, where, row_of(f, &i->opnd[i->ndst + k]), where->mask,
            INIT_USE_ATOMIC);
    for (uint32_t left = where->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        sw_init_bytes some, own;
        bool any = load_bytes(b, where, m, lane, &some);
        sw_init_origin origin =
            any ? origin_of_load(b, where, m, lane, &some) : 0;
        bool stores = is_exchange && take_bytes(f, i, m, 1, lane, &own);
        if (any && !is_exchange)
            sw_init_used(b->launch, where, 1u << lane, origin, INIT_USE_ATOMIC);
        for (unsigned k = 0; k < i->ndst && k < i->vec; k++)
            if (i->opnd[k].kind == SW_OPND_REG)
                set_register(f, i->opnd[k].reg, lane,
                             any && is_exchange
                                 ? widen(&some, k * m->bytes / i->vec,
                                         m->bytes / i->vec, (sw_type)i->type,
                                         f->fn->regs[i->opnd[k].reg].cls)
                                 : 0,
                             origin);
        store_bytes(b, where, m, lane, stores ? &own : NULL);
    }
}

static void
mem(void *arg, const sw_ev_where *where, const sw_ev_mem *m)
{
    (void)arg;
    init_block *b = where->state;
    warp_values *w = &b->warps[where->warp];
    uint16_t op = where->ins->op;
    frame *f = frame_at(w, where->fn, w->depth[__builtin_ctz(where->mask)]);
    if (m->is_async || m->bytes > SW_INIT_BYTES || is_parameter(where->ins))
        return; /* the first: told by `async` */
    if (op == SW_OP_LD || op == SW_OP_LDU)
        load(b, f, where, m);
    else if (op == SW_OP_ATOM || op == SW_OP_RED)
        change(b, f, where, m);
    else if (m->is_write)
        store(b, f, where, m);
}

/* ---- asynchronous copies, mbarriers, the heap ---- */

/* At most SW_INIT_BYTES of one space to another. */
static void
copy_piece(init_block *b, const sw_ev_async *e, uint64_t to, uint64_t from,
           uint32_t bytes)
{
    init_tool *t = b->launch->tool;
    sw_init_bytes some;
    bool any = false;
    init_block *source =
        e->from_space == SW_SPACE_SHARED ? find_block(b, e->from_owner) : NULL;
    init_block *target =
        e->to_space == SW_SPACE_SHARED ? find_block(b, e->to_owner) : NULL;
    if (e->kind == SW_ASYNC_REDUCE)
        any = false;
    else if (source)
        any = sw_init_area_load(&source->shared, from, bytes, &some);
    else if (e->from_space != SW_SPACE_SHARED)
        any = sw_init_memory_load(t->memory, from, bytes, &some);
    if (target)
        sw_init_area_store(&target->shared, to, bytes, any ? &some : NULL);
    else if (e->to_space != SW_SPACE_SHARED)
        sw_init_memory_store(t->memory, to, bytes, any ? &some : NULL);
}

static void
async(void *arg, const sw_ev_where *where, const sw_ev_async *e)
{
    (void)arg;
    init_block *b = where->state;
    if (!e->to || !e->from || e->kind == SW_ASYNC_PREFETCH)
        return;
    for (uint32_t left = where->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        for (uint64_t at = 0; at < e->bytes[lane]; at += 4) {
            uint64_t n = e->bytes[lane] - at;
            copy_piece(b, e, e->to[lane] + at, e->from[lane] + at,
                       n < 4 ? (uint32_t)n : 4);
        }
        init_block *to =
            e->to_space == SW_SPACE_SHARED ? find_block(b, e->to_owner) : NULL;
        for (uint64_t at = e->bytes[lane]; to && at < e->written; at++)
            sw_init_area_store(&to->shared, e->to[lane] + at, 1, NULL);
    }
}

static void
mbar(void *arg, const sw_ev_where *where, const sw_ev_mbar *e)
{
    (void)arg;
    init_block *b = find_block(where->state, e->owner);
    for (uint32_t left = where->mask; left && b; left &= left - 1)
        sw_init_area_store(&b->shared, e->addr[__builtin_ctz(left)], 8, NULL);
}

static void
heap(void *arg, const sw_ev_where *where, const sw_ev_heap *e)
{
    init_launch *l = arg;
    for (uint32_t left = where->mask; left && !e->is_free; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (e->addr[lane])
            sw_init_memory_set(l->tool->memory, e->addr[lane], e->bytes[lane],
                               false);
    }
}

const sw_observer sw_init_callbacks = {
    .events = SW_EV_BLOCK | SW_EV_INS | SW_EV_MEM | SW_EV_VALUES | SW_EV_WARP |
              SW_EV_ASYNC | SW_EV_MBAR | SW_EV_HEAP,
    .block_begin = block_begin,
    .block_end = block_end,
    .ins = ins,
    .mem = mem,
    .warp = warp,
    .async = async,
    .mbar = mbar,
    .heap = heap};
