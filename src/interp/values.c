/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.c - operands one lane at a time, and what is done that way: ops that
 * go through sw_sem_eval, special registers, warp-level ops.
 */
#include <string.h>

#include "interp/interp.h"
#include "sem/eval.h"
#include "sem/lanes.h"

uint64_t
sw_interp_get(const sw_lane_ctx *x, sw_oref o, sw_class cls, unsigned lane)
{
    const void *p = sw_lane_ptr(x, o);
    switch (cls) {
    case SW_CLASS_PRED:
        return *(const uint32_t *)p >> lane & 1;
    case SW_CLASS_B16:
        return ((const uint16_t *)p)[lane];
    case SW_CLASS_B32:
        return ((const uint32_t *)p)[lane];
    case SW_CLASS_B128:
        return ((const uint64_t *)p)[2 * lane];
    default:
        return ((const uint64_t *)p)[lane];
    }
}

void
sw_interp_put(const sw_lane_ctx *x, sw_oref o, sw_class cls, unsigned lane,
              uint64_t value)
{
    void *p = sw_lane_ptr(x, o);
    uint32_t bit = 1u << lane;
    switch (cls) {
    case SW_CLASS_PRED:
        *(uint32_t *)p = (*(uint32_t *)p & ~bit) | (value & 1 ? bit : 0);
        break;
    case SW_CLASS_B16:
        ((uint16_t *)p)[lane] = (uint16_t)value;
        break;
    case SW_CLASS_B32:
        ((uint32_t *)p)[lane] = (uint32_t)value;
        break;
    case SW_CLASS_B128:
        ((uint64_t *)p)[2 * lane] = value;
        ((uint64_t *)p)[2 * lane + 1] = 0;
        break;
    default:
        ((uint64_t *)p)[lane] = value;
        break;
    }
}

/* ---- pure ops, lane by lane ---- */

enum { EVAL_MAX = 32 };

static sw_value
get_value(const sw_lane_ctx *x, sw_oref o, sw_class cls, unsigned lane)
{
    sw_value v = {sw_interp_get(x, o, cls, lane), 0};
    if (cls == SW_CLASS_B128)
        v.hi = ((const uint64_t *)sw_lane_ptr(x, o))[2 * lane + 1];
    return v;
}

static bool
refuse(sw_run *run, const sw_ins *ins, unsigned lane)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_ir_print_ins(run->code->fn, ins, &text);
    sw_engine_fault(run->warp, run->code->fn, ins, lane,
                    SW_E_ILLEGAL_INSTRUCTION, SW_FAULT_PLAIN, 0,
                    "the instruction '%s' is not supported", text.p);
    sw_buf_finish(&text);
    return false;
}

bool
sw_interp_eval(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_ins *ins = d->ins;
    const sw_fn *fn = run->code->fn;
    const sw_oref *o = sw_dins_orefs(d);
    unsigned n = (unsigned)d->ndst + d->nsrc;
    sw_class cls[EVAL_MAX];
    SW_ASSERT(n <= EVAL_MAX);
    for (unsigned k = 0; k < n; k++)
        cls[k] = sw_ins_class(fn, ins, k);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        sw_value src[EVAL_MAX], dst[EVAL_MAX] = {{0, 0}};
        for (unsigned k = 0; k < d->nsrc; k++) {
            src[k] = get_value(&run->x, o[d->ndst + k], cls[d->ndst + k], i);
            if (sw_ins_src(ins, k)->negated)
                src[k].lo ^= 1;
        }
        if (!sw_sem_eval(ins, src, dst))
            return refuse(run, ins, i);
        for (unsigned k = 0; k < d->ndst; k++) {
            if (ins->opnd[k].kind != SW_OPND_REG)
                continue;
            sw_interp_put(&run->x, o[k], cls[k], i, dst[k].lo);
            if (cls[k] == SW_CLASS_B128)
                ((uint64_t *)sw_lane_ptr(&run->x, o[k]))[2 * i + 1] = dst[k].hi;
        }
    }
    return true;
}

/* ---- special registers ---- */

/* A register that is the same for all lanes of the warp. */
static uint64_t
uniform_register(const sw_run *run, const sw_ins *ins)
{
    const sw_warp *warp = run->warp;
    const sw_blk *blk = warp->blk;
    unsigned k;
    switch ((sw_sreg)ins->sub) {
    case SW_SREG_NTID_X:
    case SW_SREG_NTID_Y:
    case SW_SREG_NTID_Z:
        return blk->ntid[ins->sub - SW_SREG_NTID_X];
    case SW_SREG_CTAID_X:
    case SW_SREG_CTAID_Y:
    case SW_SREG_CTAID_Z:
        return blk->ctaid[ins->sub - SW_SREG_CTAID_X];
    case SW_SREG_NCTAID_X:
    case SW_SREG_NCTAID_Y:
    case SW_SREG_NCTAID_Z:
        return blk->nctaid[ins->sub - SW_SREG_NCTAID_X];
    case SW_SREG_WARPID:
        return warp->index;
    case SW_SREG_NWARPID:
        return 64;
    case SW_SREG_SMID:
        return blk->env->sm_count ? blk->index % blk->env->sm_count : 0;
    case SW_SREG_NSMID:
        return blk->env->sm_count;
    case SW_SREG_GRIDID:
        return blk->grid_id;
    case SW_SREG_CLOCK:
    case SW_SREG_CLOCK64:
        return sw_engine_clock(blk);
    case SW_SREG_CLOCK_HI:
        return sw_engine_clock(blk) >> 32;
    case SW_SREG_GLOBALTIMER:
    case SW_SREG_GLOBALTIMER_LO:
        return sw_time_ns();
    case SW_SREG_GLOBALTIMER_HI:
        return sw_time_ns() >> 32;
    case SW_SREG_DYNAMIC_SMEM_SIZE:
        return blk->dynamic_shared_bytes;
    case SW_SREG_TOTAL_SMEM_SIZE:
    case SW_SREG_RESERVED_SMEM_BEGIN:
    case SW_SREG_RESERVED_SMEM_0:
    case SW_SREG_RESERVED_SMEM_1:
        return sw_engine_taken_shared(blk);
    case SW_SREG_RESERVED_SMEM_END:
        return sw_engine_taken_shared(blk) + SW_RESERVED_SHARED_USED;
    case SW_SREG_RESERVED_SMEM_CAP:
        return sw_engine_taken_shared(blk) + SW_RESERVED_SHARED;
    case SW_SREG_AGGR_SMEM_SIZE:
        return blk->own_shared_bytes + SW_RESERVED_SHARED;
    case SW_SREG_ENVREG:
        return sw_engine_envreg(blk, ins->imm);
    case SW_SREG_IS_EXPLICIT_CLUSTER:
        return blk->is_explicit_cluster;
    case SW_SREG_CLUSTERID_X:
    case SW_SREG_CLUSTERID_Y:
    case SW_SREG_CLUSTERID_Z:
        k = ins->sub - SW_SREG_CLUSTERID_X;
        return blk->ctaid[k] / blk->cluster_dims[k];
    case SW_SREG_NCLUSTERID_X:
    case SW_SREG_NCLUSTERID_Y:
    case SW_SREG_NCLUSTERID_Z:
        k = ins->sub - SW_SREG_NCLUSTERID_X;
        return blk->nctaid[k] / blk->cluster_dims[k];
    case SW_SREG_CLUSTER_CTAID_X:
    case SW_SREG_CLUSTER_CTAID_Y:
    case SW_SREG_CLUSTER_CTAID_Z:
        k = ins->sub - SW_SREG_CLUSTER_CTAID_X;
        return blk->ctaid[k] % blk->cluster_dims[k];
    case SW_SREG_CLUSTER_NCTAID_X:
    case SW_SREG_CLUSTER_NCTAID_Y:
    case SW_SREG_CLUSTER_NCTAID_Z:
        return blk->cluster_dims[ins->sub - SW_SREG_CLUSTER_NCTAID_X];
    case SW_SREG_CLUSTER_CTARANK:
        return blk->rank;
    case SW_SREG_CLUSTER_NCTARANK:
        return blk->cluster_dims[0] * blk->cluster_dims[1] *
               blk->cluster_dims[2];
    default:
        return 0;
    }
}

void
sw_interp_sreg(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_ins *ins = d->ins;
    sw_oref o = sw_dins_orefs(d)[0];
    sw_class cls = sw_ins_class(run->code->fn, ins, 0);
    unsigned sub = ins->sub;
    if (sub <= SW_SREG_TID_Z && cls == SW_CLASS_B32 && mask == UINT32_MAX) {
        memcpy(sw_lane_ptr(&run->x, o), run->iw->tid[sub - SW_SREG_TID_X],
               SW_WARP_LANES * sizeof(uint32_t));
        return;
    }
    bool is_uniform =
        sub > SW_SREG_TID_Z && sub != SW_SREG_LANEID &&
        !(sub >= SW_SREG_LANEMASK_EQ && sub <= SW_SREG_LANEMASK_GT);
    uint64_t value = is_uniform ? uniform_register(run, ins) : 0;
    if (is_uniform && cls == SW_CLASS_B32 && mask == UINT32_MAX) {
        uint32_t *r = sw_lane_ptr(&run->x, o);
        for (int i = 0; i < SW_WARP_LANES; i++)
            r[i] = (uint32_t)value;
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint32_t below = (1u << i) - 1;
        switch (sub) {
        case SW_SREG_TID_X:
        case SW_SREG_TID_Y:
        case SW_SREG_TID_Z:
            value = run->iw->tid[sub - SW_SREG_TID_X][i];
            break;
        case SW_SREG_LANEID:
            value = i;
            break;
        case SW_SREG_LANEMASK_EQ:
            value = below + 1;
            break;
        case SW_SREG_LANEMASK_LE:
            value = 2 * below + 1;
            break;
        case SW_SREG_LANEMASK_LT:
            value = below;
            break;
        case SW_SREG_LANEMASK_GE:
            value = ~below;
            break;
        case SW_SREG_LANEMASK_GT:
            value = ~(2 * below + 1);
            break;
        default:
            break;
        }
        sw_interp_put(&run->x, o, cls, i, value);
    }
}

/* ---- warp-level ops; the main loop has gathered their lanes ---- */

/* What an operation takes, by lane; `a` and `bits` become what it gives. */
typedef struct {
    uint32_t a[SW_WARP_LANES], b[SW_WARP_LANES], c[SW_WARP_LANES];
    uint64_t wide[SW_WARP_LANES];
    uint32_t bits;
} lanes_values;

static void
get_lanes_32(const sw_run *run, const sw_dins *d, unsigned k, uint32_t mask,
             uint32_t *out)
{
    const sw_class cls = sw_ins_class(run->code->fn, d->ins, k);
    const sw_oref o = sw_dins_orefs(d)[k];
    for (unsigned i = 0; mask == UINT32_MAX && i < SW_WARP_LANES; i++)
        out[i] = (uint32_t)sw_interp_get(&run->x, o, cls, i);
    for (uint32_t m = mask == UINT32_MAX ? 0 : mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        out[i] = (uint32_t)sw_interp_get(&run->x, o, cls, i);
    }
}

static void
put_mask(const sw_run *run, sw_oref o, uint32_t mask, uint32_t bits)
{
    uint32_t *p = sw_lane_ptr(&run->x, o);
    *p = (*p & ~mask) | (bits & mask);
}

static void
put_lanes_32(const sw_run *run, const sw_dins *d, unsigned k, uint32_t mask,
             const uint32_t *values)
{
    if (d->ins->opnd[k].kind != SW_OPND_REG)
        return;
    sw_class cls = sw_ins_class(run->code->fn, d->ins, k);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        sw_interp_put(&run->x, sw_dins_orefs(d)[k], cls, i, values[i]);
    }
}

unsigned
sw_interp_members_source(const sw_ins *ins)
{
    unsigned k;
    switch (ins->op) {
    case SW_OP_SHFL:
        k = 3;
        break;
    case SW_OP_VOTE:
    case SW_OP_MATCH:
    case SW_OP_REDUX:
        k = 1;
        break;
    case SW_OP_ELECT:
    case SW_OP_BAR_WARP:
        k = 0;
        break;
    default:
        k = ins->nsrc;
    }
    return k < ins->nsrc ? k : ins->nsrc;
}

/* Of the lanes in `mask`; those of others stay. */
static void
get_values(const sw_run *run, const sw_dins *d, uint32_t mask, lanes_values *v)
{
    const sw_ins *ins = d->ins;
    sw_oref first = sw_dins_orefs(d)[d->ndst];
    uint32_t bits;
    switch (ins->op) {
    case SW_OP_SHFL:
        get_lanes_32(run, d, ins->ndst, mask, v->a);
        get_lanes_32(run, d, ins->ndst + 1u, mask, v->b);
        get_lanes_32(run, d, ins->ndst + 2u, mask, v->c);
        break;
    case SW_OP_VOTE:
        bits = *(uint32_t *)sw_lane_ptr(&run->x, first);
        if (sw_ins_src(ins, 0)->negated)
            bits = ~bits;
        v->bits = (v->bits & ~mask) | (bits & mask);
        break;
    case SW_OP_MATCH: {
        sw_class cls = sw_ins_class(run->code->fn, ins, ins->ndst);
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            v->wide[i] = sw_interp_get(&run->x, first, cls, i);
        }
        break;
    }
    case SW_OP_REDUX:
        get_lanes_32(run, d, ins->ndst, mask, v->a);
        break;
    default:
        break;
    }
}

static void
set_all(uint32_t *values, uint32_t value)
{
    for (int i = 0; i < SW_WARP_LANES; i++)
        values[i] = value;
}

/* By lanes of `mask` that name the members `named`. */
static bool
work_out(sw_run *run, const sw_ins *ins, uint32_t mask, uint32_t named,
         lanes_values *v)
{
    /* those of the warp, if one is not among them */
    uint32_t members = mask & ~named ? mask : named;
    switch (ins->op) {
    case SW_OP_SHFL:
        v->bits = sw_sem_shfl(ins->sub, v->a, v->b, v->c, mask, v->a);
        break;
    case SW_OP_VOTE:
        v->bits = sw_sem_vote(ins->sub, v->bits, mask, members);
        set_all(v->a, v->bits);
        if (ins->sub != SW_VOTE_BALLOT)
            v->bits = v->bits ? UINT32_MAX : 0;
        break;
    case SW_OP_MATCH:
        if (ins->sub == 0) {
            sw_sem_match_any(v->wide, mask, members, v->a);
        } else {
            v->bits = sw_sem_match_all(v->wide, mask, members);
            set_all(v->a, v->bits);
            v->bits = v->bits ? UINT32_MAX : 0;
        }
        break;
    case SW_OP_REDUX:
        if (!sw_sem_redux((sw_atom)ins->sub, (sw_type)ins->type, ins->flags,
                          v->a, mask, members, &v->bits))
            return refuse(run, ins, (unsigned)__builtin_ctz(mask));
        set_all(v->a, v->bits);
        break;
    case SW_OP_ELECT: {
        unsigned leader = sw_sem_elect(mask, members);
        set_all(v->a, leader);
        v->bits = 1u << leader;
        break;
    }
    default: /* activemask */
        set_all(v->a, mask);
        break;
    }
    return true;
}

static void
put_values(const sw_run *run, const sw_dins *d, uint32_t mask,
           const lanes_values *v)
{
    const sw_ins *ins = d->ins;
    const sw_oref *o = sw_dins_orefs(d);
    if (ins->op == SW_OP_VOTE && ins->sub != SW_VOTE_BALLOT) {
        put_mask(run, o[0], mask, v->bits);
        return;
    }
    put_lanes_32(run, d, 0, mask, v->a);
    if (ins->ndst > 1 && ins->opnd[1].kind == SW_OPND_REG)
        put_mask(run, o[1], mask, v->bits);
}

/* Lanes that name the same members. */
static bool
lanes_op(sw_run *run, const sw_dins *d, uint32_t mask)
{
    unsigned k = sw_interp_members_source(d->ins);
    uint32_t named = mask;
    lanes_values v = {.bits = 0};
    if (k < d->nsrc)
        named = (uint32_t)sw_interp_get(&run->x, sw_dins_orefs(d)[d->ndst + k],
                                        SW_CLASS_B32,
                                        (unsigned)__builtin_ctz(mask));
    get_values(run, d, mask, &v);
    if (!work_out(run, d->ins, mask, named, &v))
        return false;
    put_values(run, d, mask, &v);
    return true;
}

/* Whether all lanes of the warp that are left are here and name the same
 * members. Then a device's assembler forgets the members. */
static bool
is_whole(const sw_run *run, sw_oref members, uint32_t mask)
{
    if (mask != ~run->warp->ended)
        return false;
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t named = sw_interp_get(&run->x, members, SW_CLASS_B32, first);
    for (uint32_t m = mask; m; m &= m - 1)
        if (sw_interp_get(&run->x, members, SW_CLASS_B32,
                          (unsigned)__builtin_ctz(m)) != named)
            return false;
    return true;
}

/* Those of the lanes in `mask` that name a set which they are not in. */
static uint32_t
not_members(const sw_run *run, sw_oref members, uint32_t mask)
{
    if (members >> 31) /* a constant */
        return mask &
               ~(uint32_t)sw_interp_get(&run->x, members, SW_CLASS_B32, 0);
    uint32_t out = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint64_t named = sw_interp_get(&run->x, members, SW_CLASS_B32, i);
        out |= (uint32_t)(~named >> i & 1) << i;
    }
    return out;
}

bool
sw_interp_check_members(sw_run *run, const sw_dins *d, uint32_t mask)
{
    unsigned k = sw_interp_members_source(d->ins);
    if (k >= d->nsrc || !run->warp->blk->env->members_checked)
        return true;
    sw_oref members = sw_dins_orefs(d)[d->ndst + k];
    uint32_t out = not_members(run, members, mask);
    if (!out || is_whole(run, members, mask))
        return true;
    unsigned lane = (unsigned)__builtin_ctz(out);
    sw_engine_fault(
        run->warp, run->code->fn, d->ins, lane, SW_E_ILLEGAL_INSTRUCTION,
        SW_FAULT_PLAIN, 0,
        "lane %u takes part, and is not in the member mask 0x%08x that it "
        "names",
        lane, (uint32_t)sw_interp_get(&run->x, members, SW_CLASS_B32, lane));
    return false;
}

/* Lanes that arrive together may name different members, as tiles of a warp
 * do: each set is an operation of its own. */
bool
sw_interp_lanes_op(sw_run *run, const sw_dins *d, uint32_t mask)
{
    unsigned k = sw_interp_members_source(d->ins);
    if (k >= d->ins->nsrc || d->ins->opnd[d->ins->ndst + k].kind != SW_OPND_REG)
        return lanes_op(run, d, mask);
    sw_oref members = sw_dins_orefs(d)[d->ndst + k];
    while (mask) {
        unsigned first = (unsigned)__builtin_ctz(mask);
        uint64_t named = sw_interp_get(&run->x, members, SW_CLASS_B32, first);
        uint32_t same = 0;
        for (unsigned i = first; i < SW_WARP_LANES; i++)
            if ((mask >> i & 1) &&
                sw_interp_get(&run->x, members, SW_CLASS_B32, i) == named)
                same |= UINT32_C(1) << i;
        if (!lanes_op(run, d, same))
            return false;
        mask &= ~same;
    }
    return true;
}

/* ---- lanes that come to several instructions ---- */

/* As the path finds it. */
static sw_run
run_at(const sw_run *run, const sw_path *p)
{
    sw_run at = *run;
    at.frame = p->frame;
    at.code = p->frame->code;
    at.x.base[0] = p->frame->regs;
    at.x.base[1] = p->frame->code->consts;
    return at;
}

bool
sw_interp_lanes_meet(const sw_run *run, sw_path *const *paths, uint32_t count)
{
    lanes_values all = {.bits = 0};
    uint32_t named[SW_WARP_LANES] = {0}, left = 0;
    for (uint32_t i = 0; i < count; i++) {
        sw_run at = run_at(run, paths[i]);
        const sw_dins *d = &at.code->ins[paths[i]->pc];
        unsigned k = d->ndst + sw_interp_members_source(d->ins);
        uint32_t mask = sw_interp_takers(paths[i]);
        get_lanes_32(&at, d, k, mask, named);
        get_values(&at, d, mask, &all);
        left |= mask;
    }
    while (left) {
        uint32_t first = (uint32_t)__builtin_ctz(left), same = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (named[__builtin_ctz(m)] == named[first])
                same |= m & -m;
        lanes_values v = all;
        for (uint32_t i = 0; i < count; i++) {
            sw_run at = run_at(run, paths[i]);
            const sw_dins *d = &at.code->ins[paths[i]->pc];
            if (i == 0 && !work_out(&at, d->ins, same, named[first], &v))
                return false;
            put_values(&at, d, same & sw_interp_takers(paths[i]), &v);
        }
        left &= ~same;
    }
    return true;
}
