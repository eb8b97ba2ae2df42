/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane_constants.c - what is known of lanes when the code is made. Registers
 * that depend only on the place of a thread in a warp, or in fused warps that
 * are a whole block, have a number in each lane, whatever computes it: the
 * interpreter's functions tell. So it is known which lanes run behind `if
 * (threadIdx.x < 64)` or `if (threadIdx.x % 32 == 0)`: the mask of such a block
 * is a constant, and what it accesses are those lanes only, without a mask.
 */
#include <string.h>

#include "jit/plan/decide.h"
#include "jit/tune.h"
#include "sem/eval.h"

enum {
    SOURCES = 4,
    NO_BASE = 31 /* log2: what is a multiple of this, and less, is 0 */
};

/* What is known of a register. */
typedef struct {
    bool is_asked;
    uint64_t *lanes; /* [map.lanes] its values in them; NULL: not known */
} answer;

/* What is known in a version. */
struct sw_jit_facts {
    const uint64_t **lanes; /* [reg_count] of registers that are written in the
                               loop; owned */
    sw_jit_lane_set *known; /* [block_count] */
};

struct sw_jit_known {
    const sw_ins *writer; /* the only one, under no guard; or NULL */
    uint32_t block, at;   /* where that is */
    bool has_writer;
    answer always, here; /* here: in the version plan->version */
};

/* ---- values ---- */

static bool
values_of_sreg(const sw_jit_plan *plan, const sw_ins *ins, uint64_t *out)
{
    const sw_lane_map *map = &plan->shapes->map;
    unsigned k = ins->sub;
    bool is_tid = k <= SW_SREG_TID_Z;
    bool is_ntid = !is_tid && k <= SW_SREG_NTID_Z && map->ntid[0];
    if (is_tid &&
        (!map->is_regular[k] || (map->align[k] < NO_BASE && !map->is_placed)))
        return false;
    if (!is_tid && !is_ntid && k != SW_SREG_LANEID)
        return false;
    for (unsigned i = 0; i < map->lanes; i++)
        out[i] = is_tid    ? map->first[k] + map->lane[k][i]
                 : is_ntid ? map->ntid[k % 3]
                           : i % 32;
    return true;
}

static uint64_t
cut(uint64_t n, sw_class cls)
{
    unsigned bits = cls == SW_CLASS_PRED ? 1 : 8 * sw_class_bytes(cls);
    return bits < 64 ? n & ((UINT64_C(1) << bits) - 1) : n;
}

static bool
is_offset(const sw_opnd *o)
{
    return o->kind == SW_OPND_SYM && o->sym->space == SW_SPACE_SHARED;
}

static const uint64_t *values_of(sw_jit_plan *plan, sw_reg reg, int depth);

/* Of a source that is the same in all lanes, of an instruction there. */
static bool
number_of(const sw_jit_plan *plan, const sw_ins *ins, const sw_jit_known *where,
          unsigned i, uint64_t *out)
{
    const sw_opnd *o = sw_ins_src(ins, i);
    if (plan->version && o->kind == SW_OPND_REG &&
        o->reg == plan->version->index)
        return sw_jit_index_at(plan, where->block, where->at, out);
    if (is_offset(o))
        *out = plan->rq->shared_offset(plan->rq->arg, o->sym) + o->imm;
    else if (o->kind == SW_OPND_IMM)
        *out = o->imm;
    else
        return false;
    *out = cut(*out, sw_ins_class(plan->fn, ins, ins->ndst + i));
    return true;
}

static bool
values_of_pure(sw_jit_plan *plan, const sw_ins *ins, const sw_jit_known *where,
               int depth, uint64_t *out)
{
    const uint64_t *lanes[SOURCES];
    sw_value src[SOURCES], dst[SOURCES];
    if (ins->nsrc > SOURCES || ins->ndst != 1 || (ins->flags & SW_F_DEMOTED))
        return false;
    for (unsigned k = 0; k < ins->nsrc; k++) {
        const sw_opnd *o = sw_ins_src(ins, k);
        lanes[k] =
            o->kind == SW_OPND_REG ? values_of(plan, o->reg, depth - 1) : NULL;
        src[k] = (sw_value){0, 0};
        if (!lanes[k] && !number_of(plan, ins, where, k, &src[k].lo))
            return false;
    }
    for (unsigned i = 0; i < plan->shapes->map.lanes; i++) {
        sw_value in[SOURCES];
        for (unsigned k = 0; k < ins->nsrc; k++) {
            in[k] = lanes[k] ? (sw_value){lanes[k][i], 0} : src[k];
            in[k].lo ^= sw_ins_src(ins, k)->negated;
        }
        if (!sw_sem_eval(ins, in, dst))
            return false;
        out[i] = dst[0].lo;
    }
    return true;
}

static bool
find_values(sw_jit_plan *plan, const sw_ins *ins, const sw_jit_known *where,
            int depth, uint64_t *out)
{
    uint64_t n;
    switch ((sw_op)ins->op) {
    case SW_OP_SREG:
        return values_of_sreg(plan, ins, out);
    case SW_OP_ADDR:
        if (!is_offset(sw_ins_src(ins, 0)) ||
            (ins->flags & SW_F_GENERIC_ADDR) ||
            !number_of(plan, ins, where, 0, &n))
            return false;
        for (unsigned i = 0; i < plan->shapes->map.lanes; i++)
            out[i] = n;
        return true;
    default:
        return sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE &&
               sw_sem_supports(ins) &&
               values_of_pure(plan, ins, where, depth, out);
    }
}

/* It has a value of an iteration before. */
static bool
lives_at_header(const sw_jit_plan *plan, uint32_t loop, sw_reg reg)
{
    uint32_t header = plan->cfg->loops[loop].header;
    return plan->live->in[header * plan->live->words + reg / 64] >> (reg % 64) &
           1;
}

/* NULL: not known. */
static const uint64_t *
values_of(sw_jit_plan *plan, sw_reg reg, int depth)
{
    sw_jit_known *k = &plan->values[reg];
    sw_class cls = plan->fn->regs[reg].cls;
    if (!k->writer || cls == SW_CLASS_B128)
        return NULL;
    bool is_here = plan->version &&
                   sw_cfg_is_in_loop(plan->cfg, plan->version->loop, k->block);
    answer *a = is_here ? &k->here : &k->always;
    if (a->is_asked || !depth ||
        (is_here && lives_at_header(plan, plan->version->loop, reg)))
        return a->lanes;
    a->is_asked = true; /* one that depends on itself is not known */
    uint64_t *lanes = sw_alloc(plan->shapes->map.lanes * sizeof *lanes);
    if (find_values(plan, k->writer, k, depth, lanes))
        a->lanes = lanes;
    else
        sw_free(lanes);
    return a->lanes;
}

bool
sw_jit_find_writer(const sw_jit_plan *plan, sw_reg reg, uint32_t *block,
                   uint32_t *at)
{
    const sw_jit_known *k = plan->values ? &plan->values[reg] : NULL;
    if (!k || !k->writer)
        return false;
    *block = k->block;
    *at = k->at;
    return true;
}

const uint64_t *
sw_jit_ask_values(sw_jit_plan *plan, sw_reg reg)
{
    return plan->values
               ? values_of(plan, reg, (int)sw_jit_tune.lane_constant_depth)
               : NULL;
}

bool
sw_jit_step_version(sw_jit_plan *plan, const sw_ins *writer, uint64_t *next)
{
    uint64_t out[SW_LANES_MAX];
    sw_jit_known where = {.block = plan->version->block,
                          .at = plan->version->at};
    if (!find_values(plan, writer, &where, (int)sw_jit_tune.lane_constant_depth,
                     out))
        return false;
    *next = out[0];
    return true;
}

typedef struct {
    sw_jit_plan *plan;
    const sw_ins *ins;
    uint32_t block, at;
} place;

static void
note_writer(void *data, sw_reg reg)
{
    const place *p = data;
    sw_jit_known *k = &p->plan->values[reg];
    k->writer = k->has_writer || p->ins->guard ? NULL : p->ins;
    k->has_writer = true;
    k->block = p->block;
    k->at = p->at;
}

/* Which instruction writes each register, where it is only one. */
static void
find_writers(sw_jit_plan *plan)
{
    const sw_fn *fn = plan->fn;
    plan->values = sw_alloc((fn->reg_count + 1) * sizeof *plan->values);
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            place p = {plan, fn->blocks[b]->ins[i], b, i};
            sw_ins_visit_writes(p.ins, note_writer, &p);
        }
}

static void
forget_here(sw_jit_plan *plan)
{
    for (uint32_t r = 0; r < plan->fn->reg_count; r++) {
        sw_free(plan->values[r].here.lanes);
        plan->values[r].here = (answer){false, NULL};
    }
}

/* ---- lanes ---- */

/* The only block from which lanes come; SW_CFG_NONE: there are several. */
static uint32_t
only_predecessor(const sw_cfg *cfg, uint32_t b)
{
    uint32_t only = SW_CFG_NONE;
    for (uint32_t i = cfg->pred_at[b]; i < cfg->pred_at[b + 1]; i++) {
        if (cfg->rpo[cfg->pred[i]] >= cfg->reachable)
            continue;
        if (only != SW_CFG_NONE)
            return SW_CFG_NONE;
        only = cfg->pred[i];
    }
    return only;
}

/* Those of block p's lanes that go to `to`. */
static bool
find_parted(sw_jit_plan *plan, uint32_t p, uint32_t to, sw_jit_lane_set *out)
{
    const sw_block *block = plan->fn->blocks[p];
    const sw_ins *last = block->ins[block->count - 1];
    const uint64_t *holds =
        last->op == SW_OP_BRA ? sw_jit_ask_values(plan, last->guard) : NULL;
    bool is_else = last->guard_neg != (block->targets[0] != to);
    for (unsigned i = 0; holds && i < plan->shapes->map.lanes; i++)
        if (sw_jit_has_lane(&plan->known[p], i) && (bool)holds[i] != is_else)
            sw_jit_add_lane(out, i);
    return holds;
}

/* Sets plan->known[b] if it can; of what comes before it is known. */
static bool
find_lanes(sw_jit_plan *plan, uint32_t b, bool *is_known)
{
    const sw_cfg *cfg = plan->cfg;
    uint32_t head = plan->shapes->head[b], p = cfg->idom[b];
    if (head == SW_SHAPES_ROOT) {
        for (unsigned i = 0; i < plan->shapes->map.lanes; i++)
            sw_jit_add_lane(&plan->known[b], i);
        return true;
    }
    if (head != b) {
        plan->known[b] = plan->known[head];
        return is_known[head];
    }
    if (p == SW_CFG_NONE || !is_known[p])
        return false;
    if (only_predecessor(cfg, b) == p && plan->shapes->diverges[p])
        return find_parted(plan, p, b, &plan->known[b]);
    if (cfg->ipdom[p] != b || cfg->loop[p] != cfg->loop[b])
        return false;
    plan->known[b] =
        plan->known[p]; /* they have parted behind p, and meet here */
    return true;
}

static bool
is_empty(const sw_jit_lane_set *set)
{
    uint64_t any = 0;
    for (unsigned w = 0; w < SW_LANES_MAX / 64; w++)
        any |= set->words[w];
    return !any;
}

/* The lanes of each block, and of those of a loop only if told (0: of all). */
static void
find_all_lanes(sw_jit_plan *plan, uint32_t loop)
{
    const sw_cfg *cfg = plan->cfg;
    bool *is_known = sw_alloc(cfg->count + 1);
    for (uint32_t n = 0; n < cfg->reachable; n++) {
        uint32_t b = cfg->order[n];
        if (loop && !sw_cfg_is_in_loop(plan->cfg, loop, b)) {
            is_known[b] = plan->shapes->head[b] == SW_SHAPES_ROOT;
            continue;
        }
        memset(&plan->known[b], 0, sizeof plan->known[b]);
        is_known[b] = find_lanes(plan, b, is_known);
        if (!is_known[b])
            memset(&plan->known[b], 0, sizeof plan->known[b]);
    }
    sw_free(is_known);
}

void
sw_jit_set_version(sw_jit_plan *plan, const sw_jit_version *version)
{
    uint32_t loop = version ? version->loop : plan->version->loop;
    plan->version = version;
    forget_here(plan);
    find_all_lanes(plan, loop);
}

void
sw_jit_find_known(sw_jit_plan *plan)
{
    const sw_cfg *cfg = plan->cfg;
    sw_jit_known_finish(plan);
    plan->known = sw_alloc((cfg->count + 1) * sizeof *plan->known);
    if (!plan->shapes->map.is_full || cfg->irreducible || sw_jit_counts(plan))
        return;
    find_writers(plan);
    find_all_lanes(plan, 0);
}

void
sw_jit_known_finish(sw_jit_plan *plan)
{
    if (plan->values)
        forget_here(plan);
    for (uint32_t r = 0; plan->values && r < plan->fn->reg_count; r++)
        sw_free(plan->values[r].always.lanes);
    sw_free(plan->values);
    sw_free(plan->known);
    plan->values = NULL;
    plan->known = NULL;
}

/* ---- what a plan keeps of it ---- */

sw_jit_facts *
sw_jit_facts_create(sw_jit_plan *plan)
{
    size_t regs = plan->fn->reg_count, blocks = plan->cfg->count;
    sw_jit_facts *facts = sw_alloc(sizeof *facts);
    facts->lanes = sw_alloc((regs + 1) * sizeof *facts->lanes);
    facts->known = sw_alloc((blocks + 1) * sizeof *facts->known);
    memcpy(facts->known, plan->known, blocks * sizeof *facts->known);
    for (sw_reg r = 1; r < regs; r++)
        sw_jit_ask_values(plan, r);
    for (sw_reg r = 1; r < regs; r++) {
        facts->lanes[r] = plan->values[r].here.lanes;
        plan->values[r].here.lanes = NULL;
    }
    return facts;
}

void
sw_jit_facts_destroy(const sw_jit_plan *plan, sw_jit_facts *facts)
{
    for (sw_reg r = 1; facts && r < plan->fn->reg_count; r++)
        sw_free((void *)(uintptr_t)facts->lanes[r]);
    if (facts) {
        sw_free(facts->lanes);
        sw_free(facts->known);
    }
    sw_free(facts);
}

const uint64_t *
sw_jit_known_values(const sw_jit_plan *plan, const sw_jit_version *version,
                    sw_reg reg)
{
    const sw_jit_known *k = plan->values ? &plan->values[reg] : NULL;
    if (!k || !k->writer)
        return NULL;
    bool is_here =
        version && sw_cfg_is_in_loop(plan->cfg, version->loop, k->block);
    return is_here ? version->facts->lanes[reg] : k->always.lanes;
}

const sw_jit_lane_set *
sw_jit_known_lanes(const sw_jit_plan *plan, const sw_jit_version *version,
                   uint32_t b)
{
    const sw_jit_lane_set *set =
        version ? &version->facts->known[b] : &plan->known[b];
    return is_empty(set) ? NULL : set;
}
