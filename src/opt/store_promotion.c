/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_promotion.c - see store_promotion.h.
 *
 *     before:   count the turns; all lanes have enough of them?
 *               no: loop
 *     tests:    work out all addresses of the first turn and of the last; for
 *               all lanes and all pairs, what is read ends before what is
 *               stored begins, or begins behind it?
 *               no: loop
 *     copy:     the loop without its stores, and without loads of its sums
 *     behind:   the stores
 *
 * Addresses are sums of what stays and what grows by the same in each turn,
 * so that those of all turns lie between the two. They are worked out in 64
 * bits: where the loop has indices of 32 bits it is tested that they do not
 * wrap.
 */
#include "opt/store_promotion.h"

#include "opt/liveness.h"
#include "opt/rewriter.h"
#include "opt/trip_count.h"
#include "opt/tune.h"

enum {
    LISTS_ROOM = 16, /* addresses that are read, at most */
    SUMS_ROOM = 16,  /* places that are stored to */
    TURNS_MOST = 1 << 20
};

/* A place that is stored to in each turn, by its last store there. */
typedef struct {
    const sw_ins *store;
    uint32_t at;        /* in the block */
    int64_t first, end; /* bytes from its register */
    sw_opnd *kept;      /* its sources as they are behind the loop */
    const sw_ins *load; /* reads it, or NULL; */
    sw_reg held;        /* ... then what is there in the copy */
} sum;

/* What is read by one address. */
typedef struct {
    sw_reg reg;
    uint32_t at;        /* the first of its loads */
    int64_t first, end; /* bytes from the register there */
} list;

typedef struct {
    sw_rewriter w;
    const sw_fn *fn; /* as it was */
    const sw_block *block;
    sw_trip_count counted;
    unsigned sum_count, list_count;
    sum sums[SUMS_ROOM];
    list lists[LISTS_ROOM];
    sw_opnd turn;      /* which one is looked at: 0, or the last one's number */
    sw_reg ok;         /* of the tests so far; 0: none yet */
    unsigned products; /* of the value that is worked out */
    bool grows, shrinks; /* ... from turn to turn */
    bool failed;
} loop;

/* ---- which loops ---- */

static int64_t
bytes_of(const sw_ins *ins)
{
    return sw_type_bits((sw_type)ins->type) / 8 * ins->vec;
}

static bool
is_plain_access(const sw_ins *ins)
{
    return ins->order == SW_ORDER_WEAK && !(ins->flags & SW_F_COPY) &&
           sw_type_bits((sw_type)ins->type) % 8 == 0;
}

/* Where the register's value at an instruction comes from, in the same turn;
 * UINT32_MAX: from before the turn. */
static uint32_t
writer_before(const loop *l, sw_reg reg, uint32_t at)
{
    while (at--)
        if (sw_ins_writes(l->block->ins[at], reg))
            return at;
    return UINT32_MAX;
}

static bool
add_store(loop *l, uint32_t at)
{
    const sw_ins *ins = l->block->ins[at];
    const sw_opnd *to = sw_ins_src(ins, 0);
    int64_t end = ins->offset + bytes_of(ins);
    if ((ins->space != SW_SPACE_GLOBAL && ins->space != SW_SPACE_GENERIC) ||
        ins->guard || to->kind != SW_OPND_REG ||
        sw_block_writes(l->block, to->reg))
        return false;
    for (unsigned k = 0; k < l->sum_count; k++) {
        sum *s = &l->sums[k];
        if (sw_ins_src(s->store, 0)->reg != to->reg || s->end <= ins->offset ||
            end <= s->first)
            continue;
        s->store = ins;
        s->at = at;
        return s->first == ins->offset && s->end == end;
    }
    if (l->sum_count == sw_opt_tune.store_promotion_stores)
        return false;
    l->sums[l->sum_count++] =
        (sum){.store = ins, .at = at, .first = ins->offset, .end = end};
    return true;
}

/* The sum that a load reads; NULL: none. */
static sum *
sum_of(loop *l, const sw_ins *load)
{
    for (unsigned k = 0; k < l->sum_count; k++)
        if (sw_ins_src(load, 0)->kind == SW_OPND_REG &&
            sw_ins_src(load, 0)->reg == sw_ins_src(l->sums[k].store, 0)->reg &&
            load->offset < l->sums[k].end &&
            l->sums[k].first < load->offset + bytes_of(load))
            return &l->sums[k];
    return NULL;
}

/* The copy has it in a register. */
static bool
read_sum(const loop *l, sum *s, const sw_ins *load)
{
    const sw_ins *store = s->store;
    sw_class cls = sw_type_class((sw_type)load->type);
    s->load = load;
    return load->op == SW_OP_LD && !load->guard && load->vec == 1 &&
           store->vec == 1 && load->space == store->space &&
           load->offset == store->offset && bytes_of(load) == bytes_of(store) &&
           bytes_of(load) >= 4 && cls == sw_type_class((sw_type)store->type) &&
           load->opnd[0].kind == SW_OPND_REG &&
           l->fn->regs[load->opnd[0].reg].cls == cls;
}

static bool
add_load(loop *l, uint32_t at)
{
    const sw_ins *ins = l->block->ins[at];
    const sw_opnd *from = sw_ins_src(ins, 0);
    int64_t end = ins->offset + bytes_of(ins);
    sum *s = sum_of(l, ins);
    if (s)
        return read_sum(l, s, ins);
    if (ins->space == SW_SPACE_PARAM || ins->space == SW_SPACE_CONST ||
        ins->space == SW_SPACE_SHARED || ins->space == SW_SPACE_LOCAL)
        return true;
    if ((ins->space != SW_SPACE_GLOBAL && ins->space != SW_SPACE_GENERIC) ||
        from->kind != SW_OPND_REG)
        return false;
    for (unsigned k = 0; k < l->list_count; k++) {
        list *x = &l->lists[k];
        if (x->reg != from->reg ||
            writer_before(l, x->reg, x->at) != writer_before(l, x->reg, at))
            continue;
        x->first = ins->offset < x->first ? ins->offset : x->first;
        x->end = end > x->end ? end : x->end;
        return true;
    }
    if (l->list_count == sw_opt_tune.store_promotion_loads)
        return false;
    l->lists[l->list_count++] = (list){from->reg, at, ins->offset, end};
    return true;
}

/* Addresses that may lie in shared memory are numbers of another kind there. */
static bool
are_of_one_kind(const loop *l)
{
    bool stores_any = false, loads_other = false;
    for (uint32_t i = 0; i < l->block->count; i++) {
        const sw_ins *ins = l->block->ins[i];
        stores_any |= ins->op == SW_OP_ST && ins->space == SW_SPACE_GENERIC;
        loads_other |= ins->op == SW_OP_LD && (ins->space == SW_SPACE_SHARED ||
                                               ins->space == SW_SPACE_LOCAL);
    }
    return !stores_any || !loads_other;
}

/* All that write the register outside the loop leave a small number. */
static bool
is_rest(const loop *l, sw_reg reg)
{
    bool any = false;
    for (uint32_t b = 0; b < l->fn->block_count; b++)
        for (uint32_t i = 0; i < l->fn->blocks[b]->count; i++) {
            const sw_ins *ins = l->fn->blocks[b]->ins[i];
            if (b == l->block->index || !sw_ins_writes(ins, reg))
                continue;
            if (ins->op != SW_OP_AND ||
                sw_ins_src(ins, 1)->kind != SW_OPND_IMM ||
                sw_ins_src(ins, 1)->imm > sw_opt_tune.store_promotion_rest)
                return false;
            any = true;
        }
    return any;
}

static bool
goes_on(const loop *l)
{
    const sw_opnd *bound =
        sw_ins_src(l->counted.compare, 1 - l->counted.counter);
    return !is_rest(l,
                    sw_ins_src(l->counted.compare, l->counted.counter)->reg) &&
           (bound->kind != SW_OPND_REG || !is_rest(l, bound->reg));
}

static bool
suits(loop *l)
{
    const sw_block *b = l->block;
    bool is_own = b->target_count == 2 && b->targets[0] != b->targets[1] &&
                  (b->targets[0] == b->index || b->targets[1] == b->index);
    if (!is_own || !b->index || b->count > sw_opt_tune.store_promotion_loop)
        return false;
    for (uint32_t i = 0; i + 1 < b->count; i++) {
        const sw_ins *ins = b->ins[i];
        bool moves = ins->op == SW_OP_LD || ins->op == SW_OP_ST;
        if (moves ? !is_plain_access(ins)
                  : sw_op_get_info((sw_op)ins->op)->effects != SW_FX_PURE)
            return false;
        if (ins->op == SW_OP_ST && !add_store(l, i))
            return false;
    }
    for (uint32_t i = 0; i + 1 < b->count; i++)
        if (b->ins[i]->op == SW_OP_LD && !add_load(l, i))
            return false;
    return l->sum_count && l->list_count && are_of_one_kind(l) &&
           sw_opt_find_trip_count(l->fn, b, &l->counted) && goes_on(l);
}

/* ---- tests ---- */

static sw_opnd
make(loop *l, sw_op op, sw_type type, sw_opnd a, sw_opnd b)
{
    return sw_opnd_reg(sw_rewriter_pure(&l->w, op, type, 2, (sw_opnd[]){a, b}));
}

static sw_reg
compare(loop *l, sw_cmp cmp, sw_type type, sw_opnd a, sw_opnd b)
{
    sw_opnd opnds[3] = {sw_opnd_reg(sw_rewriter_reg(&l->w, SW_T_PRED)), a, b};
    sw_rewriter_add(&l->w, SW_OP_SETP, type, 1, 2, opnds)->cmp = (uint8_t)cmp;
    return opnds[0].reg;
}

/* a <= b; lanes that run together may be told no where that is not so for all
 * pairs of them. */
static sw_reg
is_at_most(loop *l, sw_opnd a, sw_opnd b)
{
    sw_opnd opnds[3] = {sw_opnd_reg(sw_rewriter_reg(&l->w, SW_T_PRED)), a, b};
    sw_ins *ins = sw_rewriter_add(&l->w, SW_OP_SETP, SW_T_S64, 1, 2, opnds);
    ins->cmp = SW_CMP_LE;
    ins->flags = SW_F_FUSED;
    return opnds[0].reg;
}

static void
need(loop *l, sw_reg p)
{
    l->ok = l->ok ? make(l, SW_OP_AND, SW_T_PRED, sw_opnd_reg(l->ok),
                         sw_opnd_reg(p))
                        .reg
                  : p;
}

static sw_opnd
fail(loop *l)
{
    l->failed = true;
    return sw_opnd_imm(0);
}

/* A number of 32 bits as one of 64. */
static sw_opnd
widened(loop *l, sw_opnd x, bool is_signed)
{
    if (x.kind == SW_OPND_IMM)
        return sw_opnd_imm(is_signed ? (uint64_t)(int32_t)x.imm
                                     : (uint32_t)x.imm);
    sw_reg wide = sw_rewriter_reg(&l->w, SW_T_S64);
    sw_ins *cvt =
        sw_rewriter_add(&l->w, SW_OP_CVT, is_signed ? SW_T_S64 : SW_T_U64, 1, 1,
                        (sw_opnd[]){sw_opnd_reg(wide), x});
    cvt->stype = is_signed ? SW_T_S32 : SW_T_U32;
    return sw_opnd_reg(wide);
}

static bool
stays(const loop *l, const sw_opnd *o)
{
    return o->kind == SW_OPND_IMM ||
           (o->kind == SW_OPND_REG && !sw_block_writes(l->block, o->reg));
}

/* What is the same in all turns, of 32 or 64 bits. */
static sw_opnd
staying(loop *l, const sw_opnd *o, unsigned bits, bool is_signed)
{
    if (!stays(l, o))
        return fail(l);
    return bits == 32 ? widened(l, *o, is_signed) : *o;
}

static bool
is_whole_number(const sw_ins *ins, unsigned bits)
{
    sw_kind kind = sw_type_kind((sw_type)ins->type);
    return sw_type_bits((sw_type)ins->type) == bits && !ins->guard &&
           !(ins->flags & SW_F_SAT) &&
           (kind == SW_KIND_SINT || kind == SW_KIND_UINT ||
            kind == SW_KIND_BITS);
}

/* By what something grows, or, negated, shrinks. What is not known here has to
 * be no less than 0. */
static void
note_slope(loop *l, sw_opnd by, bool negated)
{
    bool is_negative = by.kind == SW_OPND_IMM && (int64_t)by.imm < 0;
    if (by.kind == SW_OPND_REG)
        need(l, compare(l, SW_CMP_GE, SW_T_S64, by, sw_opnd_imm(0)));
    *(is_negative != negated ? &l->shrinks : &l->grows) = true;
}

/* What the register grows by with each turn, of 64 bits. */
static sw_opnd
step_of(loop *l, sw_reg reg, unsigned bits)
{
    sw_opnd step = sw_opnd_imm(0);
    sw_reg now = reg;
    uint32_t at = writer_before(l, now, l->block->count);
    for (unsigned i = 0; at != UINT32_MAX; i++) {
        const sw_ins *ins = l->block->ins[at];
        if (i == sw_opt_tune.store_promotion_depth ||
            !is_whole_number(ins, bits) || ins->ndst != 1)
            return fail(l);
        unsigned from = 0;
        if (ins->op == SW_OP_ADD || ins->op == SW_OP_SUB) {
            from = ins->op == SW_OP_ADD && stays(l, sw_ins_src(ins, 0));
            sw_opnd by = staying(l, sw_ins_src(ins, 1 - from), bits, true);
            note_slope(l, by, ins->op == SW_OP_SUB);
            step = make(l, (sw_op)ins->op, SW_T_S64, step, by);
        } else if (ins->op != SW_OP_MOV) {
            return fail(l);
        }
        if (sw_ins_src(ins, from)->kind != SW_OPND_REG)
            return fail(l);
        now = sw_ins_src(ins, from)->reg;
        at = writer_before(l, now, at);
    }
    return now == reg ? step : fail(l);
}

static sw_opnd value_of(loop *l, const sw_opnd *o, unsigned bits, uint32_t at,
                        unsigned depth);

/* Of 32 bits, as it is widened: it did not wrap. */
static sw_opnd
fitting(loop *l, const sw_opnd *o, uint32_t at, bool is_signed, unsigned depth)
{
    sw_opnd x = value_of(l, o, 32, at, depth);
    int64_t least = is_signed ? INT32_MIN : 0;
    int64_t most = is_signed ? INT32_MAX : (int64_t)UINT32_MAX;
    if (x.kind == SW_OPND_IMM)
        return is_signed ? x : sw_opnd_imm((uint32_t)x.imm);
    need(l, is_at_most(l, sw_opnd_imm((uint64_t)least), x));
    need(l, is_at_most(l, x, sw_opnd_imm((uint64_t)most)));
    return x;
}

/* A factor. Products of 32 bits are exact in 64 if there is one only, of what
 * has 32. */
static sw_opnd
factor_of(loop *l, const sw_opnd *o, unsigned bits, uint32_t at, unsigned depth)
{
    if (bits == 64)
        return value_of(l, o, 64, at, depth);
    return l->products++ ? fail(l) : fitting(l, o, at, true, depth);
}

/* a * b [+ c], one of the two the same in all turns. */
static sw_opnd
product_of(loop *l, const sw_ins *ins, unsigned bits, uint32_t at,
           unsigned depth)
{
    bool is_wide = ins->op == SW_OP_MUL_WIDE || ins->op == SW_OP_MAD_WIDE;
    bool is_signed = sw_type_kind((sw_type)ins->type) == SW_KIND_SINT;
    unsigned from = is_wide ? 32 : bits;
    unsigned grows = stays(l, sw_ins_src(ins, 0)) ? 1 : 0;
    sw_opnd by =
        staying(l, sw_ins_src(ins, 1 - grows), from, is_signed || !is_wide);
    if (by.kind == SW_OPND_IMM && (int64_t)by.imm < 0)
        return fail(l);
    if (by.kind == SW_OPND_REG)
        need(l, compare(l, SW_CMP_GE, SW_T_S64, by, sw_opnd_imm(0)));
    sw_opnd x = is_wide
                    ? fitting(l, sw_ins_src(ins, grows), at, is_signed, depth)
                    : factor_of(l, sw_ins_src(ins, grows), bits, at, depth);
    x = make(l, SW_OP_MUL_LO, SW_T_S64, x, by);
    if (ins->nsrc > 2)
        x = make(l, SW_OP_ADD, SW_T_S64, x,
                 value_of(l, sw_ins_src(ins, 2), bits, at, depth));
    return x;
}

/* What an instruction of the block makes. */
static sw_opnd
result_of(loop *l, const sw_ins *ins, unsigned bits, uint32_t at,
          unsigned depth)
{
    bool is_wide = ins->op == SW_OP_MUL_WIDE || ins->op == SW_OP_MAD_WIDE;
    sw_kind from = sw_type_kind((sw_type)ins->stype);
    if (depth == sw_opt_tune.store_promotion_depth || ins->ndst != 1 ||
        !is_whole_number(ins, is_wide ? bits / 2 : bits) ||
        (is_wide && bits != 64))
        return fail(l);
    switch (ins->op) {
    case SW_OP_MOV:
        return value_of(l, sw_ins_src(ins, 0), bits, at, depth + 1);
    case SW_OP_SUB:
        if (!stays(l, sw_ins_src(ins, 1)))
            return fail(l); /* what grows would shrink */
        return make(l, SW_OP_SUB, SW_T_S64,
                    value_of(l, sw_ins_src(ins, 0), bits, at, depth + 1),
                    value_of(l, sw_ins_src(ins, 1), bits, at, depth + 1));
    case SW_OP_ADD:
        return make(l, SW_OP_ADD, SW_T_S64,
                    value_of(l, sw_ins_src(ins, 0), bits, at, depth + 1),
                    value_of(l, sw_ins_src(ins, 1), bits, at, depth + 1));
    case SW_OP_SHL:
        if (sw_ins_src(ins, 1)->kind != SW_OPND_IMM ||
            sw_ins_src(ins, 1)->imm >= 32)
            return fail(l);
        return make(l, SW_OP_SHL, SW_T_B64,
                    factor_of(l, sw_ins_src(ins, 0), bits, at, depth + 1),
                    *sw_ins_src(ins, 1));
    case SW_OP_MUL_LO:
    case SW_OP_MAD_LO:
    case SW_OP_MUL_WIDE:
    case SW_OP_MAD_WIDE:
        return product_of(l, ins, bits, at, depth + 1);
    case SW_OP_CVT:
        if (bits != 64 || sw_type_bits((sw_type)ins->stype) != 32 ||
            (from != SW_KIND_SINT && from != SW_KIND_UINT))
            return fail(l);
        return fitting(l, sw_ins_src(ins, 0), at, from == SW_KIND_SINT,
                       depth + 1);
    default:
        return fail(l);
    }
}

/* What a source of the instruction `at` is in the turn, of 64 bits. */
static sw_opnd
value_of(loop *l, const sw_opnd *o, unsigned bits, uint32_t at, unsigned depth)
{
    sw_class cls = bits == 32 ? SW_CLASS_B32 : SW_CLASS_B64;
    if (o->kind == SW_OPND_IMM)
        return bits == 32 ? widened(l, *o, true) : *o;
    if (o->kind != SW_OPND_REG || l->fn->regs[o->reg].cls != cls)
        return fail(l);
    uint32_t from = writer_before(l, o->reg, at);
    if (from != UINT32_MAX)
        return result_of(l, l->block->ins[from], bits, from, depth);
    sw_opnd x = bits == 32 ? widened(l, *o, true) : *o;
    if (l->turn.kind == SW_OPND_IMM || !sw_block_writes(l->block, o->reg))
        return x;
    sw_opnd sources[3] = {l->turn, step_of(l, o->reg, bits), x};
    return sw_opnd_reg(
        sw_rewriter_pure(&l->w, SW_OP_MAD_LO, SW_T_S64, 3, sources));
}

/* The lanes that go around often enough, and not too often, are in l->ok; the
 * result is how often they come back. */
static sw_opnd
count_turns(loop *l)
{
    const sw_trip_count *c = &l->counted;
    bool is_64 = c->bits == 64, is_up = c->step > 0;
    sw_type sint = is_64 ? SW_T_S64 : SW_T_S32,
            uint = is_64 ? SW_T_U64 : SW_T_U32;
    sw_type compared = c->is_unsigned ? uint : sint;
    sw_opnd first = *sw_ins_src(c->compare, c->counter),
            bound = *sw_ins_src(c->compare, 1 - c->counter);
    sw_opnd step = sw_opnd_imm((uint64_t)c->step);
    uint64_t size = (uint64_t)(is_up ? c->step : -c->step);
    bool includes = c->stays == SW_CMP_LE || c->stays == SW_CMP_GE;
    if (c->is_stepped)
        first = make(l, SW_OP_ADD, sint, first, step);
    sw_opnd way =
        make(l, SW_OP_SUB, sint, is_up ? bound : first, is_up ? first : bound);
    if (c->stays != SW_CMP_NE && !includes)
        way = make(l, SW_OP_ADD, sint, way, sw_opnd_imm(size - 1));
    sw_opnd n = make(l, SW_OP_SHR, uint, way,
                     sw_opnd_imm((unsigned)__builtin_ctzll(size)));
    if (includes)
        n = make(l, SW_OP_ADD, sint, n, sw_opnd_imm(1));
    sw_opnd off = make(l, SW_OP_SUB, sint, n,
                       sw_opnd_imm(sw_opt_tune.store_promotion_trips));
    need(l,
         compare(l, SW_CMP_LT, uint, off,
                 sw_opnd_imm(TURNS_MOST - sw_opt_tune.store_promotion_trips)));
    need(l, compare(l, c->stays, compared, first, bound));
    /* What wraps, and steps over what it would have to meet, is seen here. */
    sw_opnd sources[3] = {n, step, first};
    sw_opnd last =
        sw_opnd_reg(sw_rewriter_pure(&l->w, SW_OP_MAD_LO, sint, 3, sources));
    sw_cmp ends = c->stays == SW_CMP_NE   ? SW_CMP_EQ
                  : c->stays == SW_CMP_LT ? SW_CMP_GE
                  : c->stays == SW_CMP_LE ? SW_CMP_GT
                  : c->stays == SW_CMP_GT ? SW_CMP_LE
                                          : SW_CMP_LT;
    need(l, compare(l, ends, compared, last, bound));
    return is_64 ? n : widened(l, n, false);
}

/* Both are bytes [first, end) from a register of each; those of the second
 * are passed through from a2 to b2. */
static void
need_apart(loop *l, sw_opnd a, int64_t first, int64_t end, sw_opnd a2,
           sw_opnd b2, int64_t first2, int64_t end2)
{
    sw_opnd low =
        make(l, SW_OP_ADD, SW_T_S64, a2, sw_opnd_imm((uint64_t)(first2 - end)));
    sw_opnd high =
        make(l, SW_OP_ADD, SW_T_S64, b2, sw_opnd_imm((uint64_t)(end2 - first)));
    sw_reg before = is_at_most(l, a, low), behind = is_at_most(l, high, a);
    need(l,
         make(l, SW_OP_OR, SW_T_PRED, sw_opnd_reg(before), sw_opnd_reg(behind))
             .reg);
}

static void
test_list(loop *l, const list *x, sw_opnd last_turn)
{
    sw_opnd reg = sw_opnd_reg(x->reg);
    l->turn = sw_opnd_imm(0);
    l->products = 0;
    sw_opnd first = value_of(l, &reg, 64, x->at, 0);
    l->turn = last_turn;
    l->products = 0;
    l->grows = l->shrinks = false;
    sw_opnd last = value_of(l, &reg, 64, x->at, 0);
    if (l->grows && l->shrinks)
        fail(l);
    sw_opnd low = l->shrinks ? last : first, high = l->shrinks ? first : last;
    for (unsigned k = 0; k < l->sum_count; k++)
        need_apart(l, *sw_ins_src(l->sums[k].store, 0), l->sums[k].first,
                   l->sums[k].end, low, high, x->first, x->end);
}

static void
test_sums(loop *l)
{
    for (unsigned i = 0; i < l->sum_count; i++)
        for (unsigned k = 0; k < i; k++) {
            const sum *a = &l->sums[i], *b = &l->sums[k];
            sw_opnd to = *sw_ins_src(b->store, 0);
            if (to.reg != sw_ins_src(a->store, 0)->reg)
                need_apart(l, *sw_ins_src(a->store, 0), a->first, a->end, to,
                           to, b->first, b->end);
        }
}

/* ---- the copy ---- */

static sw_block *
new_block(loop *l, sw_vec *blocks, uint32_t first, uint32_t second)
{
    sw_block *b = sw_arena_alloc(l->w.arena, sizeof *b);
    b->index = (uint32_t)blocks->count;
    b->targets = sw_arena_alloc(l->w.arena, 2 * sizeof *b->targets);
    b->targets[0] = first;
    b->targets[1] = second;
    b->target_count = first == second ? 1 : 2;
    *(sw_block **)sw_vec_push(blocks) = b;
    return b;
}

/* To `next`, if all lanes that run together want to; else to the loop. */
static void
end_tests(loop *l, sw_vec *blocks, uint32_t next)
{
    sw_reg all = sw_rewriter_reg(&l->w, SW_T_PRED);
    sw_ins *vote =
        sw_rewriter_add(&l->w, SW_OP_VOTE, SW_T_PRED, 1, 1,
                        (sw_opnd[]){sw_opnd_reg(all), sw_opnd_reg(l->ok)});
    vote->sub = SW_VOTE_ALL;
    vote->flags = SW_F_FUSED;
    sw_rewriter_add(&l->w, SW_OP_BRA, SW_T_NONE, 0, 0, NULL)->guard = all;
    sw_block *block = new_block(l, blocks, next, l->block->index);
    block->is_test = true;
    sw_rewriter_end_block(&l->w, block);
    l->ok = 0;
}

/* Before the first turn. */
static void
read_held(loop *l)
{
    for (unsigned k = 0; k < l->sum_count; k++) {
        sum *s = &l->sums[k];
        if (!s->load)
            continue;
        s->held =
            sw_rewriter_reg(&l->w, l->fn->regs[s->load->opnd[0].reg].type);
        sw_rewriter_copy(&l->w, s->load)->opnd[0].reg = s->held;
    }
}

static void
move(loop *l, const sw_ins *from, sw_reg to, sw_opnd what)
{
    l->w.from = from;
    sw_rewriter_add(&l->w, SW_OP_MOV, (sw_type)from->type, 1, 1,
                    (sw_opnd[]){sw_opnd_reg(to), what});
}

/* A load or store of a sum. False: it is none that a register holds. */
static bool
write_held(loop *l, const sw_ins *ins)
{
    if (ins->op != SW_OP_LD && ins->op != SW_OP_ST)
        return false;
    const sum *s = sum_of(l, ins);
    if (!s || !s->load)
        return false;
    if (ins->op == SW_OP_ST)
        move(l, ins, s->held, *sw_ins_src(ins, 1));
    else
        move(l, ins, ins->opnd[0].reg, sw_opnd_reg(s->held));
    return true;
}

/* The values of a store, as they are there: of registers that change until the
 * turn ends, others. */
static void
keep_values(loop *l, sum *s)
{
    unsigned n = s->store->nsrc;
    sw_opnd *kept = sw_arena_alloc(l->w.arena, n * sizeof *kept);
    kept[0] = *sw_ins_src(s->store, 0);
    for (unsigned i = 1; i < n; i++) {
        kept[i] = s->load ? sw_opnd_reg(s->held) : *sw_ins_src(s->store, i);
        bool changes = false;
        for (uint32_t k = s->at;
             kept[i].kind == SW_OPND_REG && k < l->block->count; k++)
            changes |= sw_ins_writes(l->block->ins[k], kept[i].reg);
        if (!changes)
            continue;
        sw_type type = l->fn->regs[kept[i].reg].type;
        l->w.from = s->store;
        kept[i] =
            sw_opnd_reg(sw_rewriter_pure(&l->w, SW_OP_MOV, type, 1, &kept[i]));
    }
    s->kept = kept;
}

static void
write_turns(loop *l)
{
    for (uint32_t i = 0; i < l->block->count; i++) {
        const sw_ins *ins = l->block->ins[i];
        if (!write_held(l, ins) && ins->op != SW_OP_ST)
            sw_rewriter_copy(&l->w, ins);
        for (unsigned k = 0; k < l->sum_count; k++)
            if (l->sums[k].at == i)
                keep_values(l, &l->sums[k]);
    }
}

static void
write_stores(loop *l)
{
    for (unsigned k = 0; k < l->sum_count; k++)
        sw_rewriter_copy(&l->w, l->sums[k].store)->opnd = l->sums[k].kept;
    l->w.from = l->block->ins[l->block->count - 1];
    sw_rewriter_add(&l->w, SW_OP_BRA, SW_T_NONE, 0, 0, NULL);
}

/* Whoever came to `from` comes to `to`, but itself. */
static void
redirect(loop *l, sw_vec *blocks, uint32_t from, uint32_t to, uint32_t count)
{
    for (uint32_t b = 0; b < count; b++) {
        sw_block *block = *(sw_block **)sw_vec_at(blocks, b);
        bool leads_there = false;
        for (uint32_t t = 0; t < block->target_count; t++)
            leads_there |= block->targets[t] == from;
        if (!leads_there || b == from)
            continue;
        uint32_t *targets =
            sw_arena_alloc(l->w.arena, block->target_count * sizeof *targets);
        for (uint32_t t = 0; t < block->target_count; t++)
            targets[t] = block->targets[t] == from ? to : block->targets[t];
        block->targets = targets;
    }
}

/* Adds before, tests, copy and behind; false: an address cannot be told. */
static bool
write_loop(loop *l, sw_vec *blocks)
{
    const sw_block *block = l->block;
    uint32_t before = (uint32_t)blocks->count;
    uint32_t tests = before + 1, copy = before + 2, behind = before + 3;
    bool goes_back = block->targets[0] == block->index; /* when taken */
    uint32_t exit = /* or what is before that by now */
        (*(sw_block **)sw_vec_at(blocks, block->index))->targets[goes_back];
    l->w.from = block->ins[0];
    sw_rewriter_begin_block(&l->w);
    sw_opnd last_turn = count_turns(l);
    end_tests(l, blocks, tests);

    sw_rewriter_begin_block(&l->w);
    test_sums(l);
    for (unsigned k = 0; k < l->list_count; k++)
        test_list(l, &l->lists[k], last_turn);
    if (l->failed || l->w.ins.count > sw_opt_tune.store_promotion_tests) {
        sw_vec_finish(&l->w.ins);
        blocks->count = before;
        return false;
    }
    read_held(l);
    end_tests(l, blocks, copy);

    sw_rewriter_begin_block(&l->w);
    write_turns(l);
    sw_rewriter_end_block(&l->w, new_block(l, blocks, goes_back ? copy : behind,
                                           goes_back ? behind : copy));
    sw_rewriter_begin_block(&l->w);
    write_stores(l);
    sw_rewriter_end_block(&l->w, new_block(l, blocks, exit, exit));
    redirect(l, blocks, block->index, before, before);
    (*(sw_block **)sw_vec_at(blocks, block->index))->is_rare = true;
    return true;
}

static bool
has_loop(const sw_fn *fn)
{
    for (uint32_t b = 0; b < fn->block_count; b++) {
        loop l = {.fn = fn, .block = fn->blocks[b]};
        if (suits(&l))
            return true;
    }
    return false;
}

const sw_fn *
sw_opt_promote_stores(const sw_fn *fn, sw_arena *arena)
{
    loop l;
    bool any = false;
    if (fn->module->debug || !has_loop(fn))
        return NULL;
    sw_rewriter w;
    sw_fn *copy = sw_rewriter_begin(&w, fn, arena);
    sw_vec blocks;
    sw_vec_init(&blocks, sizeof(sw_block *));
    for (uint32_t b = 0; b < fn->block_count; b++)
        *(sw_block **)sw_vec_push(&blocks) = copy->blocks[b];
    for (uint32_t b = 0; b < fn->block_count; b++) {
        l = (loop){.w = w, .fn = fn, .block = fn->blocks[b]};
        if (suits(&l))
            any |= write_loop(&l, &blocks);
        w = l.w;
    }
    sw_rewriter_end(&w, copy);
    copy->block_count = (uint32_t)blocks.count;
    copy->blocks = sw_vec_to_arena(&blocks, arena);
    sw_vec_finish(&blocks);
    return any ? copy : NULL;
}
