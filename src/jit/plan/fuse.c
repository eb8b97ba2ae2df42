/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse.c - when two, four or eight warps run together as one of 64 to 256
 * lanes. It gives the processor more to do between two dependent operations,
 * and divides what is paid by the warp: tests of addresses, reconvergence
 * points, barriers; of a whole block there are no barriers left, and which
 * lanes run is mostly known when the code is made. It loses where lanes wait
 * for each other in loops, where the registers do not suffice, where masks are
 * needed and the machine has none. Loops may have lanes that leave one
 * iteration before others, as those do that go through an array in steps of a
 * block or a grid.
 */
#include <string.h>

#include "jit/plan/decide.h"
#include "jit/tune.h"

enum { ROWS = SW_JIT_GROUPS };

static bool
suits(const sw_jit_plan *plan, const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_LD:
    case SW_OP_LDU:
        if (ins->space == SW_SPACE_PARAM)
            return plan->fn->is_entry;
        /* fall through */
    case SW_OP_ST:
        return !sw_jit_is_unusual(ins) && !sw_jit_is_ordered(plan, ins) &&
               (ins->space != SW_SPACE_LOCAL || plan->has_local_rows);
    case SW_OP_BAR:
        return sw_jit_is_block_barrier(ins);
    case SW_OP_ATOM:
    case SW_OP_RED:
    case SW_OP_ACTIVEMASK:
        return true;
    case SW_OP_SHFL: /* of members that every warp knows */
        return ins->nsrc <= 3 || sw_ins_src(ins, 3)->kind == SW_OPND_IMM;
    case SW_OP_VOTE:
        return ins->nsrc <= 1 || sw_ins_src(ins, 1)->kind == SW_OPND_IMM;
    case SW_OP_BAR_WARP:
        return sw_ins_src(ins, 0)->kind == SW_OPND_IMM;
    case SW_OP_SREG:
        return ins->sub <= SW_SREG_NCTAID_Z || ins->sub == SW_SREG_LANEID ||
               ins->sub == SW_SREG_ENVREG;
    case SW_OP_BRA:
    case SW_OP_RET:
    case SW_OP_EXIT:
    case SW_OP_PREFETCH:
    case SW_OP_TEX: /* by rows of all lanes, or warp by warp */
    case SW_OP_SULD:
    case SW_OP_SUST:
        return true;
    case SW_OP_ADDR:
        return sw_ins_src(ins, 0)->sym->space != SW_SPACE_LOCAL ||
               plan->has_local_rows;
    case SW_OP_CVTA:
        return ins->space != SW_SPACE_LOCAL || plan->has_local_rows;
    default:
        return sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE &&
               sw_jit_has_native(plan, ins);
    }
}

/* The only instruction of the loop that writes the register; NULL: there are
 * several, or none. */
static const sw_ins *
definition_in(const sw_jit_plan *plan, uint32_t loop, sw_reg reg)
{
    const sw_ins *only = NULL;
    for (uint32_t b = 0; b < plan->fn->block_count; b++) {
        const sw_block *block = plan->fn->blocks[b];
        if (!sw_cfg_is_in_loop(plan->cfg, loop, b))
            continue;
        for (uint32_t i = 0; i < block->count; i++) {
            if (!sw_ins_writes(block->ins[i], reg))
                continue;
            if (only)
                return NULL;
            only = block->ins[i];
        }
    }
    return only;
}

/* The lanes' distances of an affine value, its steps in the loop at least as
 * long: in one iteration more, all lanes have come to where the first one was.
 * Steps that are known only when the program runs mostly are a block's or a
 * grid's. */
static bool
has_long_steps(const sw_jit_plan *plan, uint32_t loop, const sw_shape *shape,
               sw_reg reg)
{
    const sw_ins *def = definition_in(plan, loop, reg);
    for (uint32_t i = 0;
         def && def->op == SW_OP_MOV && i < sw_jit_tune.fuse_moves; i++)
        def = sw_ins_src(def, 0)->kind == SW_OPND_REG
                  ? definition_in(plan, loop, sw_ins_src(def, 0)->reg)
                  : NULL;
    if (!def || def->op != SW_OP_ADD || def->guard)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const sw_opnd *o = sw_ins_src(def, i);
        if (sw_shapes_source(plan->shapes, def, i).kind != SW_SHAPE_UNIFORM)
            continue;
        if (o->kind != SW_OPND_IMM)
            return true;
        int64_t low = 0, high = 0, step = (int32_t)o->imm;
        for (unsigned k = 0; k < plan->shapes->map.lanes; k++) {
            low = shape->c[k] < low ? shape->c[k] : low;
            high = shape->c[k] > high ? shape->c[k] : high;
        }
        return high - low <= (step < 0 ? -step : step);
    }
    return false;
}

/* Whether the lanes that leave the loop at the end of a block do so together,
 * or nearly so: by comparing an index that grows with the same number. */
static bool
leave_together(const sw_jit_plan *plan, uint32_t b, uint32_t loop)
{
    const sw_block *block = plan->fn->blocks[b];
    const sw_ins *last = block->ins[block->count - 1];
    const sw_ins *cmp =
        last->op == SW_OP_BRA ? definition_in(plan, loop, last->guard) : NULL;
    if (!cmp || cmp->op != SW_OP_SETP || cmp->nsrc != 2)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        sw_shape x = sw_shapes_source(plan->shapes, cmp, i);
        if (sw_shapes_source(plan->shapes, cmp, 1 - i).kind ==
                SW_SHAPE_UNIFORM &&
            (x.kind == SW_SHAPE_AFFINE || x.kind == SW_SHAPE_EXTENDED) && x.c &&
            !x.v)
            return has_long_steps(plan, loop, &x, sw_ins_src(cmp, i)->reg);
    }
    return false;
}

/* Lanes leave a loop one after another. */
static bool
has_ragged_loop(const sw_jit_plan *plan)
{
    const sw_cfg *cfg = plan->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!plan->shapes->diverges[b])
            continue;
        for (uint32_t l = cfg->loop[b]; l; l = cfg->loops[l].parent)
            for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++)
                if (!sw_cfg_is_in_loop(cfg, l, cfg->succ[i]) &&
                    !leave_together(plan, b, l))
                    return true;
    }
    return false;
}

/* Whether lanes of several warps access neighbouring elements where those of
 * each are far from each other: columns of a matrix. */
static bool
joins_rows(const sw_jit_plan *plan, const sw_ins *ins)
{
    const sw_lane_map *map = &plan->shapes->map;
    if ((ins->op != SW_OP_LD && ins->op != SW_OP_ST) || !ins->nsrc)
        return false;
    sw_shape s = sw_shapes_source(plan->shapes, ins, 0);
    return (s.kind == SW_SHAPE_AFFINE || s.kind == SW_SHAPE_EXTENDED) && s.v &&
           !sw_jit_are_rows(&s, 32) && sw_jit_are_rows(&s, map->lanes);
}

/* Whether each group of so many lanes of the fused warps loads the same, its
 * lanes not. */
static bool
is_shared_by(const sw_jit_plan *plan, const sw_ins *ins, unsigned lanes)
{
    const sw_lane_map *map = &plan->shapes->map;
    if (ins->op != SW_OP_LD || !ins->nsrc || map->lanes == 32)
        return false;
    sw_shape s = sw_shapes_source(plan->shapes, ins, 0);
    if (s.kind != SW_SHAPE_AFFINE && s.kind != SW_SHAPE_EXTENDED)
        return false;
    for (unsigned i = lanes; i < map->lanes; i++)
        if ((s.v && s.v[i] != s.v[i - lanes]) ||
            (s.c && s.c[i] != s.c[i - lanes]) ||
            (s.d && s.d[i] != s.d[i - lanes]))
            return false;
    return true;
}

/* All fused warps load the same, each lane somewhere else: a column of a
 * matrix. */
static bool
shares_column(const sw_jit_plan *plan, const sw_ins *ins)
{
    if (!is_shared_by(plan, ins, 32))
        return false;
    sw_shape s = sw_shapes_source(plan->shapes, ins, 0);
    return s.v && !sw_jit_are_rows(&s, 32);
}

/* All rows of the block, of which a warp is several, load the same in each turn
 * of a loop, from memory that may be far away: of a product, a row of the
 * second matrix, which is larger than the caches. */
static bool
shares_rows(const sw_jit_plan *plan)
{
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0;
             plan->cfg->loop[b] && i < plan->fn->blocks[b]->count; i++) {
            const sw_ins *ins = plan->fn->blocks[b]->ins[i];
            if ((ins->space == SW_SPACE_GLOBAL ||
                 ins->space == SW_SPACE_GENERIC) &&
                is_shared_by(plan, ins, 16))
                return true;
        }
    return false;
}

static bool
gathers_less(const sw_jit_plan *plan)
{
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++)
            if (joins_rows(plan, plan->fn->blocks[b]->ins[i]) ||
                shares_column(plan, plan->fn->blocks[b]->ins[i]))
                return true;
    return false;
}

/* What is done once, from the beginning to the end, waits for memory only. */
static bool
has_something_to_gain(const sw_jit_plan *plan)
{
    if (plan->cfg->loop_count > 1)
        return true;
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++)
            if (plan->fn->blocks[b]->ins[i]->op == SW_OP_BAR ||
                joins_rows(plan, plan->fn->blocks[b]->ins[i]))
                return true;
    return false;
}

/* Some lanes do what others do not, and not only now and then. */
static bool
needs_masks(const sw_jit_plan *plan)
{
    for (uint32_t b = 0; b < plan->fn->block_count; b++) {
        if ((plan->shapes->diverges[b] && !plan->agrees[b]) ||
            (plan->shapes->is_divergent[b] && !plan->has_twin[b]))
            return true;
        uint32_t count = plan->fn->blocks[b]->count - plan->agrees[b];
        for (uint32_t i = 0; i < count; i++) {
            sw_reg guard = plan->fn->blocks[b]->ins[i]->guard;
            if (guard && plan->shapes->regs[guard].kind == SW_SHAPE_VARYING)
                return true;
        }
    }
    return false;
}

typedef bool access_test(const sw_jit_plan *plan, const sw_ins *ins,
                         const sw_shape *address);

/* Of shared memory, at places that are known when the code is made. */
static bool
is_placed(const sw_jit_plan *plan, const sw_ins *ins)
{
    const sw_opnd *o = sw_ins_src(ins, 0);
    return ins->space == SW_SPACE_SHARED && o->kind == SW_OPND_REG &&
           plan->is_number[o->reg];
}

/* Only some lanes run the block, as far as we know. One that has a twin is run
 * by all, or by those that are left. `loops`: these may be the few of a block
 * that begin a loop. */
static bool
is_of_part(const sw_jit_plan *plan, uint32_t b, bool loops)
{
    uint32_t loop = plan->cfg->loop[b];
    return plan->shapes->is_divergent[b] &&
           (!plan->has_twin[b] ||
            (loops && loop &&
             plan->shapes->is_divergent[plan->cfg->loops[loop].header]));
}

/* Whether there is such a load or store by some of the lanes only. */
static bool
has_part(const sw_jit_plan *plan, access_test *is_such, bool loops)
{
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++) {
            const sw_ins *ins = plan->fn->blocks[b]->ins[i];
            bool is_part = is_of_part(plan, b, loops) ||
                           (ins->guard && plan->shapes->regs[ins->guard].kind ==
                                              SW_SHAPE_VARYING);
            if (!is_part || !ins->nsrc ||
                (ins->op != SW_OP_LD && ins->op != SW_OP_LDU &&
                 ins->op != SW_OP_ST) ||
                is_placed(plan, ins))
                continue;
            sw_shape s = sw_shapes_source(plan->shapes, ins, 0);
            if (is_such(plan, ins, &s))
                return true;
        }
    return false;
}

/* What all lanes access one by one costs as much where only some run;
 * fewer fused warps are mostly passed by. */
static bool
is_scattered(const sw_jit_plan *plan, const sw_ins *ins,
             const sw_shape *address)
{
    (void)ins;
    return address->kind == SW_SHAPE_VARYING ||
           !sw_jit_are_rows(address, plan->shapes->map.lanes);
}

/* What AVX2 does not load or store by a mask, or only with much between. */
static bool
is_hard_to_mask(const sw_jit_plan *plan, const sw_ins *ins,
                const sw_shape *address)
{
    int64_t low = 0, high = 0, lanes = plan->shapes->map.lanes;
    int64_t bits = sw_type_bits((sw_type)ins->type);
    int64_t unit = bits / 8 * ins->vec;
    if (address->kind == SW_SHAPE_UNIFORM)
        return false;
    if (address->kind == SW_SHAPE_VARYING || !address->c ||
        (bits != 32 && bits != 64))
        return true;
    for (int64_t i = 0; i < lanes; i++) {
        low = address->c[i] < low ? address->c[i] : low;
        high = address->c[i] > high ? address->c[i] : high;
    }
    high -= low;
    return (address->kind == SW_SHAPE_EXTENDED ? high * address->scale : high) >
           sw_jit_tune.fuse_mask_spread * lanes * unit;
}

/* While somebody counts, each access by lanes that lie anywhere is reported by
 * itself, warp by warp, which takes longer from within fused warps. */
static bool
reports_much(const sw_jit_plan *plan)
{
    for (uint32_t b = 0; sw_jit_counts(plan) && b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++) {
            const sw_ins *ins = plan->fn->blocks[b]->ins[i];
            if ((ins->op == SW_OP_LD || ins->op == SW_OP_ST) && ins->nsrc &&
                sw_shapes_source(plan->shapes, ins, 0).kind == SW_SHAPE_VARYING)
                return true;
        }
    return false;
}

/* Whether lanes part in a loop with barriers: the levels of a tree, of which
 * each has other lanes. Four warps are passed by more often than eight. */
static bool
has_parting_levels(const sw_jit_plan *plan)
{
    const sw_cfg *cfg = plan->cfg;
    for (uint32_t b = 0; b < cfg->count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++) {
            uint32_t loop = cfg->loop[b];
            if (!loop || plan->fn->blocks[b]->ins[i]->op != SW_OP_BAR ||
                sw_jit_has_versions(plan, b))
                continue;
            for (uint32_t k = 0; k < cfg->count; k++)
                if (plan->shapes->diverges[k] && !plan->agrees[k] &&
                    sw_cfg_is_in_loop(cfg, loop, k))
                    return true;
        }
    return false;
}

/* Whether no code is run again and again without a barrier, and there is
 * little of it. */
static bool
is_between_barriers(const sw_jit_plan *plan)
{
    const sw_cfg *cfg = plan->cfg;
    uint32_t far = 0, count = 0;
    bool *has = sw_alloc((cfg->loop_count + 1) * sizeof *has);
    for (uint32_t b = 0; b < cfg->count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++, count++) {
            const sw_ins *ins = plan->fn->blocks[b]->ins[i];
            if (ins->op == SW_OP_BAR)
                for (uint32_t l = cfg->loop[b]; l; l = cfg->loops[l].parent)
                    has[l] = true;
            has[0] = has[0] || ins->op == SW_OP_BAR;
            far +=
                (ins->op == SW_OP_LD || ins->op == SW_OP_ST) && ins->nsrc &&
                sw_shapes_source(plan->shapes, ins, 0).kind == SW_SHAPE_VARYING;
        }
    bool is =
        count * plan->shapes->map.lanes <= sw_jit_tune.fuse_between_size &&
        far * plan->shapes->map.lanes <= sw_jit_tune.fuse_between_accesses;
    for (uint32_t l = 0; l < cfg->loop_count || l == 0; l++)
        is = is && has[l];
    sw_free(has);
    return is;
}

/* Machines without AVX-512 load and store some elements of a vector, but all
 * else under a mask takes them longer: it pays for a whole block, which has no
 * barriers left, and for fewer fused warps where there is hardly more than
 * barriers. */
static bool
masks_pay(const sw_jit_plan *plan)
{
    if (plan->machine.has_avx512)
        return true;
    if (!plan->machine.has_avx2 || has_part(plan, is_hard_to_mask, false))
        return false;
    return (plan->shapes->map.ntid[0] && !has_parting_levels(plan)) ||
           (plan->shapes->map.lanes < 256 && is_between_barriers(plan));
}

/* Atomics are done lane by lane, unless all have one address. */
static bool
has_many_atomics(const sw_jit_plan *plan)
{
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++) {
            const sw_ins *ins = plan->fn->blocks[b]->ins[i];
            if ((ins->op == SW_OP_ATOM || ins->op == SW_OP_RED) &&
                sw_shapes_source(plan->shapes, ins, 0).kind > SW_SHAPE_UNIFORM)
                return true;
        }
    return false;
}

bool
sw_jit_adds_floats(const sw_jit_plan *plan)
{
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++) {
            const sw_ins *ins = plan->fn->blocks[b]->ins[i];
            sw_kind kind = sw_type_kind((sw_type)ins->type);
            if ((ins->op == SW_OP_ATOM || ins->op == SW_OP_RED) &&
                (kind == SW_KIND_FLOAT || kind == SW_KIND_PACKED))
                return true;
        }
    return false;
}

/* ---- registers ---- */

typedef struct {
    const sw_jit_plan *plan;
    uint64_t *live;
    uint32_t taken;
} pressure;

static uint32_t
room_of(const sw_jit_plan *plan, sw_reg reg)
{
    sw_class cls = plan->fn->regs[reg].cls;
    if (plan->shapes->regs[reg].kind != SW_SHAPE_VARYING ||
        cls == SW_CLASS_PRED || plan->is_number[reg])
        return 0;
    return sw_class_bytes(cls);
}

static void
comes_alive(void *data, sw_reg reg)
{
    pressure *p = data;
    uint64_t bit = UINT64_C(1) << (reg % 64);
    if (p->live[reg / 64] & bit)
        return;
    p->live[reg / 64] |= bit;
    p->taken += room_of(p->plan, reg);
}

static void
is_born(void *data, sw_reg reg)
{
    pressure *p = data;
    uint64_t bit = UINT64_C(1) << (reg % 64);
    if (!(p->live[reg / 64] & bit))
        return;
    p->live[reg / 64] &= ~bit;
    p->taken -= room_of(p->plan, reg);
}

/* The most that lives at one place of a block, from its end upwards. */
static uint32_t
most_in_block(pressure *p, uint32_t b)
{
    const sw_liveness *live = p->plan->live;
    const sw_block *block = p->plan->fn->blocks[b];
    memset(p->live, 0, live->words * sizeof *p->live);
    p->taken = 0;
    for (sw_reg r = 1; r < p->plan->fn->reg_count; r++)
        if (live->out[b * live->words + r / 64] >> (r % 64) & 1)
            comes_alive(p, r);
    uint32_t most = p->taken;
    for (uint32_t i = block->count; i-- > 0;) {
        if (!block->ins[i]->guard)
            sw_ins_visit_writes(block->ins[i], is_born, p);
        sw_ins_visit_reads(block->ins[i], comes_alive, p);
        most = p->taken > most ? p->taken : most;
    }
    return most;
}

static bool
has_barriers(const sw_jit_plan *plan)
{
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++)
            if (plan->fn->blocks[b]->ins[i]->op == SW_OP_BAR)
                return true;
    return false;
}

static bool
has_room(const sw_jit_plan *plan)
{
    pressure p = {.plan = plan};
    uint32_t room = plan->machine.has_avx512 ? sw_jit_tune.fuse_live_avx512
                                             : sw_jit_tune.fuse_live;
    if (plan->shapes->map.ntid[0])
        room = !plan->machine.has_avx512 && has_barriers(plan)
                   ? sw_jit_tune.fuse_live_block
                   : sw_jit_tune.fuse_live_block_times * room;
    if (!plan->machine.has_avx512 && is_between_barriers(plan))
        room = plan->shapes->map.ntid[0] ? sw_jit_tune.fuse_live_barriers
                                         : sw_jit_tune.fuse_live_block;
    if (!plan->machine.has_avx512 && (gathers_less(plan) || shares_rows(plan)))
        room = sw_jit_tune.fuse_live_shared;
    room /= plan->shapes->map.lanes;
    bool fits = true;
    p.live = sw_alloc((plan->live->words + 1) * sizeof *p.live);
    for (uint32_t b = 0; fits && b < plan->fn->block_count; b++)
        fits = plan->cfg->rpo[b] >= plan->cfg->reachable ||
               most_in_block(&p, b) <= room;
    sw_free(p.live);
    return fits;
}

/* Whether lanes that lie far from each other are what takes time: they do so
 * one by one, in fused warps as in others. */
static bool
gathers_in_loops(const sw_jit_plan *plan)
{
    if (has_barriers(plan) || gathers_less(plan))
        return false;
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0;
             plan->cfg->loop[b] && i < plan->fn->blocks[b]->count; i++) {
            const sw_ins *ins = plan->fn->blocks[b]->ins[i];
            if ((ins->op != SW_OP_LD && ins->op != SW_OP_ST) || !ins->nsrc)
                continue;
            sw_shape s = sw_shapes_source(plan->shapes, ins, 0);
            if (s.kind != SW_SHAPE_VARYING && is_scattered(plan, ins, &s))
                return true;
        }
    return false;
}

/* Bytes or halves at distances, columns of a tile: for as many lanes as fused
 * warps has they are put together one by one, where a warp gathers the words
 * that hold them. */
static bool
has_small_apart(const sw_jit_plan *plan)
{
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++) {
            const sw_ins *ins = plan->fn->blocks[b]->ins[i];
            unsigned bits = sw_type_bits((sw_type)ins->type) * ins->vec;
            if ((ins->op != SW_OP_LD && ins->op != SW_OP_ST) || !ins->nsrc ||
                bits >= 32)
                continue;
            sw_shape s = sw_shapes_source(plan->shapes, ins, 0);
            if (sw_shape_step(&s) > (int64_t)sw_jit_tune.structure_close)
                return true;
        }
    return false;
}

bool
sw_jit_can_fuse(const sw_jit_plan *plan, const sw_lane_map *map)
{
    uint32_t count = 0, most = sw_jit_tune.fuse_size / map->lanes;
    if (plan->cfg->irreducible || !map->is_full || !map->is_regular[0] ||
        !map->is_regular[1] || !map->is_regular[2] ||
        map->lane[1][map->lanes - 1] >= ROWS || map->lane[2][map->lanes - 1])
        return false;
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++)
            if ((++count > most && !plan->rq->prefers_fused) ||
                !suits(plan, plan->fn->blocks[b]->ins[i]))
                return false;
    return true;
}

bool
sw_jit_suits_fusion(const sw_jit_plan *plan)
{
    return plan->rq->prefers_fused || plan->rq->is_wide ||
           (has_something_to_gain(plan) && !has_ragged_loop(plan) &&
            !has_small_apart(plan) && !sw_jit_stores_lists(plan) &&
            !gathers_in_loops(plan) && !has_many_atomics(plan) &&
            !reports_much(plan) && has_room(plan) &&
            (plan->shapes->map.lanes == 64 ||
             !has_part(plan, is_scattered, true)) &&
            (plan->shapes->map.lanes < 256 || !has_parting_levels(plan)) &&
            (!needs_masks(plan) || masks_pay(plan)));
}
