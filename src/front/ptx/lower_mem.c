/* SPDX-License-Identifier: Apache-2.0 */
/* lower_mem.c - loads, stores, atomics, fences, asynchronous copies. */

#include "front/ptx/parse.h"
#include "ir/proxy.h"

enum { MAX_VECTOR = 8 };

/* Order, scope, state space, cache operator. */
static void
take_memory_mods(const ptx_parser *p, ptx_ins *in, sw_ins *want)
{
    bool func_param = !p->body.fn->is_entry;
    bool mmio = ptx_take(in, M_MMIO); /* stands before .relaxed */
    want->order = (uint8_t)ptx_take_of(in, ptx_mod_order, SW_ORDER_WEAK);
    if (mmio)
        want->order = SW_ORDER_MMIO;
    want->space = (uint8_t)ptx_take_of(in, ptx_mod_space, SW_SPACE_GENERIC);
    want->scope = (uint8_t)ptx_take_of(in, ptx_mod_scope, SW_SCOPE_NONE);
    bool nc = ptx_take(in, M_NC);
    want->cache = (uint8_t)ptx_take_of(in, ptx_mod_cache, SW_CACHE_NONE);
    if (nc)
        want->cache = SW_CACHE_NC;
    if (want->space == SW_SPACE_PARAM && func_param)
        want->space = SW_SPACE_LOCAL;
}

static uint8_t
take_vector(ptx_ins *in)
{
    return ptx_take(in, M_V2)   ? 2
           : ptx_take(in, M_V4) ? 4
           : ptx_take(in, M_V8) ? 8
                                : 1;
}

static void
copy_memory(sw_ins *ins, const sw_ins *want)
{
    ins->order = want->order;
    ins->scope = want->scope;
    ins->space = want->space;
    ins->cache = want->cache;
    ins->vec = want->vec;
    ins->offset = want->offset;
    ins->flags = want->flags;
}

/* What st.async and red.async end with: the bytes have come, which a barrier
 * object expects. */
static void
complete_bytes(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o,
               uint8_t space, uint64_t bytes)
{
    sw_opnd addr;
    int64_t offset;
    ptx_address(p, in, o, &addr, &offset, &space);
    sw_ins *ins = ptx_emit(p, SW_OP_MBAR_EXPECT_TX, SW_T_NONE, 0, 2);
    ins->sub = 1;
    ins->imm = 1;
    ins->space = space;
    ins->offset = offset;
    ins->opnd[0] = addr;
    ins->opnd[1] = ptx_imm_opnd(bytes);
}

static uint64_t
bytes_of(sw_type type, unsigned vec)
{
    return (uint64_t)vec * sw_type_bits(type) / 8;
}

static bool
vector_fits(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o, unsigned vec,
            const ptx_opnd **elems)
{
    if (ptx_vector(in, o, elems) == vec)
        return true;
    ptx_error_at(p, in->line, in->column, "expected %u value%s in %.*s", vec,
                 vec == 1 ? "" : "s", (int)in->text.n, in->text.p);
    return false;
}

/* ld.param from a texture's parameter and such are plain 64-bit loads. */
void
ptx_lower_ld(ptx_parser *p, ptx_ins *in)
{
    sw_ins want = {0};
    const ptx_opnd *elems;
    bool policy = ptx_take_hints(in);
    take_memory_mods(p, in, &want);
    want.vec = take_vector(in);
    sw_type type = ptx_take_type(in);
    if (ptx_left_over(in) || !ptx_type_in(type, SW_TS_MEM)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, policy ? 3 : 2, policy ? 3 : 2) ||
        !vector_fits(p, in, ptx_op(in, 0), want.vec, &elems))
        return;
    sw_opnd addr;
    ptx_address(p, in, ptx_op(in, 1), &addr, &want.offset, &want.space);
    sw_ins *ins = ptx_emit(p, (sw_op)in->row->op, type, want.vec, 1);
    copy_memory(ins, &want);
    for (unsigned i = 0; i < want.vec; i++) {
        bool wider = elems[i].kind == OPND_REG &&
                     ptx_reg_class(p, elems[i].reg) > sw_type_class(type) &&
                     !elems[i].not_ && !elems[i].minus && !elems[i].select.n;
        ins->opnd[i] =
            wider ? ptx_reg_opnd(elems[i].reg) : ptx_dest(p, &elems[i], type);
    }
    ins->opnd[want.vec] = addr;
}

void
ptx_lower_st(ptx_parser *p, ptx_ins *in)
{
    sw_ins want = {0};
    const ptx_opnd *elems;
    bool policy = ptx_take_hints(in);
    bool completes = ptx_take(in, M_ASYNC) && ptx_take(in, M_COMPLETE_TX);
    take_memory_mods(p, in, &want);
    want.vec = take_vector(in);
    sw_type type = ptx_take_type(in);
    if (ptx_left_over(in) || !ptx_type_in(type, SW_TS_MEM)) {
        ptx_unsupported(p, in);
        return;
    }
    unsigned count = 2u + policy + completes;
    if (!ptx_need(p, in, count, count) ||
        !vector_fits(p, in, ptx_op(in, 1), want.vec, &elems))
        return;
    uint8_t space = want.space;
    sw_opnd addr, value[MAX_VECTOR];
    ptx_address(p, in, ptx_op(in, 0), &addr, &want.offset, &want.space);
    for (unsigned i = 0; i < want.vec; i++) {
        /* wider registers are stored in part, no conversion needed */
        bool wider = elems[i].kind == OPND_REG &&
                     ptx_reg_class(p, elems[i].reg) > sw_type_class(type) &&
                     !elems[i].not_ && !elems[i].minus && !elems[i].select.n;
        value[i] = wider ? ptx_reg_opnd(elems[i].reg)
                   : elems[i].kind == OPND_REG
                       ? ptx_source_wide(p, &elems[i], type)
                       : ptx_source(p, &elems[i], type);
    }
    sw_ins *ins = ptx_emit(p, SW_OP_ST, type, 0, 1u + want.vec);
    copy_memory(ins, &want);
    ins->opnd[0] = addr;
    for (unsigned i = 0; i < want.vec; i++)
        ins->opnd[1 + i] = value[i];
    if (completes)
        complete_bytes(p, in, ptx_op(in, 2), space, bytes_of(type, want.vec));
}

/* ---- atomics ---- */

static bool
atom_type(sw_atom sub, sw_type type)
{
    sw_kind kind = sw_type_kind(type);
    bool is_float = kind == SW_KIND_FLOAT || kind == SW_KIND_PACKED;
    bool is_int = kind == SW_KIND_UINT || kind == SW_KIND_SINT;
    unsigned bits = sw_type_bits(type);
    switch (sub) {
    case SW_ATOM_ADD:
    case SW_ATOM_MIN:
    case SW_ATOM_MAX:
        return (is_int && bits >= 32) || ptx_type_in(type, SW_TS_FLOAT);
    case SW_ATOM_INC:
    case SW_ATOM_DEC:
        return type == SW_T_U32;
    case SW_ATOM_CAS:
        return !is_float && bits >= 16;
    default:
        return !is_float && bits >= 32;
    }
}

/* atom d, [a], b[, c]; red [a], b */
void
ptx_lower_atom(ptx_parser *p, ptx_ins *in)
{
    bool red = in->row->op == SW_OP_RED;
    sw_ins want = {0};
    bool policy = ptx_take_hints(in);
    bool completes =
        red && ptx_take(in, M_ASYNC) && ptx_take(in, M_COMPLETE_TX);
    take_memory_mods(p, in, &want);
    int sub = ptx_take_of(in, ptx_mod_atom, -1);
    if (ptx_take(in, M_NOFTZ))
        want.flags |= SW_F_NOFTZ;
    want.vec = take_vector(in);
    sw_type type = ptx_take_type(in);
    if (sub < 0 || ptx_left_over(in) || !atom_type((sw_atom)sub, type)) {
        ptx_unsupported(p, in);
        return;
    }
    unsigned values = sub == SW_ATOM_CAS ? 2 : 1;
    unsigned first = red ? 0 : 1, count = first + 1 + values;
    if (!ptx_need(p, in, count + policy + completes,
                  count + policy + completes))
        return;
    uint8_t space = want.space;
    const ptx_opnd *to = NULL, *from[2];
    bool sink = !red && ptx_op(in, 0)->kind == OPND_NONE;
    if (!red && !sink && !vector_fits(p, in, ptx_op(in, 0), want.vec, &to))
        return;
    for (unsigned v = 0; v < values; v++)
        if (!vector_fits(p, in, ptx_op(in, first + 1 + v), want.vec, &from[v]))
            return;
    sw_opnd addr, src[2 * MAX_VECTOR];
    ptx_address(p, in, ptx_op(in, first), &addr, &want.offset, &want.space);
    for (unsigned v = 0; v < values; v++)
        for (unsigned i = 0; i < want.vec; i++)
            src[v * want.vec + i] = ptx_source(p, &from[v][i], type);
    unsigned ndst = red ? 0 : want.vec, nsrc = 1u + values * want.vec;
    sw_ins *ins = ptx_emit(p, (sw_op)in->row->op, type, ndst, nsrc);
    copy_memory(ins, &want);
    ins->sub = (uint8_t)sub;
    for (unsigned i = 0; i < ndst && !sink; i++)
        ins->opnd[i] = ptx_dest(p, &to[i], type);
    ins->opnd[ndst] = addr;
    for (unsigned i = 0; i + 1 < nsrc; i++)
        ins->opnd[ndst + 1 + i] = src[i];
    if (completes)
        complete_bytes(p, in, ptx_op(in, count), space,
                       bytes_of(type, want.vec));
}

/* ---- hints and fences ---- */

/* prefetch[.space].level [a]; prefetch[.space].tensormap [a]; prefetchu.L1 [a];
 * applypriority [a], 128 */
void
ptx_lower_prefetch(ptx_parser *p, ptx_ins *in)
{
    uint8_t space = (uint8_t)ptx_take_of(in, ptx_mod_space, SW_SPACE_GENERIC);
    ptx_take_hints(in);
    ptx_take(in, M_TENSORMAP);
    if (ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 1, 2))
        return;
    sw_opnd addr;
    int64_t offset;
    ptx_address(p, in, ptx_op(in, 0), &addr, &offset, &space);
    sw_ins *ins = ptx_emit(p, SW_OP_PREFETCH, SW_T_NONE, 0, 1);
    ins->space = space;
    ins->offset = offset;
    ins->opnd[0] = addr;
}

/* createpolicy.kind... d, ...: a cache policy changes no result; d is 0 */
void
ptx_lower_policy(ptx_parser *p, ptx_ins *in)
{
    ptx_take_hints(in);
    bool ok = ptx_take(in, M_FRACTIONAL) || ptx_take(in, M_RANGE) ||
              ptx_take(in, M_CVT);
    ptx_take_of(in, ptx_mod_space, 0);
    if (!ok || ptx_take_type(in) != SW_T_B64 || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 1, 4))
        return;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), SW_T_B64);
    sw_ins *ins = ptx_emit(p, SW_OP_MOV, SW_T_B64, 1, 1);
    ins->opnd[0] = dst;
    ins->opnd[1] = ptx_imm_opnd(0);
}

/* membar.level; fence[.order].scope; fence.proxy.kind */
void
ptx_lower_membar(ptx_parser *p, ptx_ins *in)
{
    bool proxy = ptx_take(in, M_PROXY);
    ptx_take(in, M_MBARRIER_INIT);
    int order = ptx_take_of(in, ptx_mod_order, SW_ORDER_SC);
    int scope = ptx_take_of(in, ptx_mod_scope, SW_SCOPE_NONE);
    sw_proxy kind = SW_PROXY_NONE;
    if (proxy) {
        if (ptx_take(in, M_ASYNC) || ptx_take(in, M_ASYNC_GENERIC))
            kind = SW_PROXY_ASYNC;
        ptx_take(in, M_ALIAS);
        ptx_take(in, M_TENSORMAP_GENERIC);
        ptx_take_of(in, ptx_mod_space, 0);
        scope = scope ? scope : SW_SCOPE_SYS;
    }
    if (ptx_left_over(in) || scope == SW_SCOPE_NONE) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 0, proxy ? 2 : 0))
        return;
    sw_ins *ins = ptx_emit(p, SW_OP_MEMBAR, SW_T_NONE, 0, 0);
    ins->sub = (uint8_t)kind;
    ins->order = (uint8_t)order;
    ins->scope = (uint8_t)scope;
}

/* ---- cp.async ---- */

/* What waits for copies, or groups them. */
static sw_ins *
emit_wait(ptx_parser *p, sw_async what, uint64_t groups, unsigned sources)
{
    sw_ins *ins = ptx_emit(p, SW_OP_CP_ASYNC_WAIT, SW_T_NONE, 0, sources);
    ins->sub = (uint8_t)what;
    ins->imm = groups;
    return ins;
}

/* How many groups a wait leaves under way. */
static uint64_t
groups_of(const ptx_ins *in)
{
    return in->opnd_count && ptx_op(in, 0)->kind == OPND_INT
               ? ptx_op(in, 0)->bits
               : 0;
}

static void
lower_cp_arrive(ptx_parser *p, ptx_ins *in)
{
    bool noinc = ptx_take(in, M_NOINC);
    uint8_t space = (uint8_t)ptx_take_of(in, ptx_mod_space, SW_SPACE_GENERIC);
    if (ptx_take_type(in) != SW_T_B64 || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 1, 1))
        return;
    sw_opnd addr;
    int64_t offset;
    ptx_address(p, in, ptx_op(in, 0), &addr, &offset, &space);
    /* Copies are done at once. Without .noinc the arrival is one more that is
     * pending and one that comes: nothing. */
    sw_ins *ins = noinc ? ptx_emit(p, SW_OP_MBAR_ARRIVE, SW_T_NONE, 0, 1)
                        : emit_wait(p, SW_ASYNC_ARRIVE, 0, 1);
    if (noinc)
        ins->flags |= SW_F_COPY;
    ins->space = space;
    ins->offset = offset;
    ins->opnd[0] = addr;
}

/* What cp.reduce knows: "add, min, max", "inc, dec" of u32, "and, or, xor" of
 * bits; sums of halves only with .noftz. */
static bool
is_bulk_type(sw_atom atom, sw_type type, bool noftz)
{
    bool half = type == SW_T_F16 || type == SW_T_BF16;
    bool adds = atom == SW_ATOM_ADD, picks = !adds && half;
    if (atom == SW_ATOM_CAS || atom == SW_ATOM_EXCH || noftz != (half && adds))
        return false;
    if (half || type == SW_T_F32 || type == SW_T_F64)
        return adds || (picks && (atom == SW_ATOM_MIN || atom == SW_ATOM_MAX));
    return sw_type_kind(type) != SW_KIND_PACKED && atom_type(atom, type);
}

/*
 * cp.async.bulk.to.from.mbarrier::complete_tx::bytes[.multicast::cluster]
 *     [dst], [src], n, [bar][, blocks]
 * cp.async.bulk.global.shared::cta.bulk_group [dst], [src], n
 * cp.reduce.async.bulk... .op.type, likewise from shared memory
 * cp.async.bulk.prefetch.L2.global [src], n
 * cp.async.bulk.commit_group; cp.async.bulk.wait_group[.read] n
 */
static void
lower_bulk(ptx_parser *p, ptx_ins *in, bool reduces)
{
    bool wait = !reduces && ptx_take(in, M_WAIT_GROUP);
    if (wait || (!reduces && ptx_take(in, M_COMMIT_GROUP))) {
        bool read = ptx_take(in, M_READ);
        if (ptx_left_over(in))
            ptx_unsupported(p, in);
        else if (ptx_need(p, in, wait, wait))
            emit_wait(p,
                      !wait  ? SW_ASYNC_BULK_COMMIT
                      : read ? SW_ASYNC_BULK_READ
                             : SW_ASYNC_BULK_WAIT,
                      groups_of(in), 0);
        return;
    }
    bool prefetch = !reduces && ptx_take(in, M_PREFETCH);
    bool policy = ptx_take_hints(in);
    int to = ptx_take_of(in, ptx_mod_space, -1);
    int from = prefetch ? to : ptx_take_of(in, ptx_mod_space, -1);
    bool bar = ptx_take(in, M_COMPLETE_TX), group = ptx_take(in, M_BULK_GROUP);
    bool many = ptx_take(in, M_MULTICAST);
    bool inward =
        (to == SW_SPACE_SHARED || to == SW_SPACE_SHARED_CLUSTER) &&
        (from == SW_SPACE_GLOBAL || (from == SW_SPACE_SHARED && !many));
    bool outward = to == SW_SPACE_GLOBAL && from == SW_SPACE_SHARED;
    bool good = prefetch ? to == SW_SPACE_GLOBAL && !bar && !group && !many
                         : (inward && bar && !group) ||
                               (outward && group && !bar && !many);
    sw_type type = SW_T_NONE;
    int atom = -1;
    if (reduces) {
        bool noftz = ptx_take(in, M_NOFTZ);
        atom = ptx_take_of(in, ptx_mod_atom, -1);
        type = ptx_take_type(in);
        good = good && atom >= 0 && !many && from == SW_SPACE_SHARED &&
               is_bulk_type((sw_atom)atom, type, noftz);
    }
    if (!good || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    unsigned count = (prefetch ? 2u : 3u) + bar + many + policy;
    if (!ptx_need(p, in, count, count))
        return;
    if (prefetch) {
        emit_wait(p, SW_ASYNC_PREFETCH, 0, 0);
        return;
    }
    sw_opnd dst = ptx_whole_address(p, in, ptx_op(in, 0), (uint8_t)to);
    sw_opnd src = ptx_whole_address(p, in, ptx_op(in, 1), (uint8_t)from);
    sw_opnd bytes = ptx_source(p, ptx_op(in, 2), SW_T_U32), at = dst;
    sw_opnd blocks = dst;
    if (bar)
        at = ptx_whole_address(p, in, ptx_op(in, 3), (uint8_t)to);
    if (many)
        blocks = ptx_source(p, ptx_op(in, 4), SW_T_U16);
    sw_ins *ins = ptx_emit(p, reduces ? SW_OP_CP_REDUCE : SW_OP_CP_BULK, type,
                           0, 3u + bar + many);
    uint8_t way = outward                   ? SW_BULK_TO_GLOBAL
                  : from == SW_SPACE_GLOBAL ? SW_BULK_FROM_GLOBAL
                                            : SW_BULK_SHARED;
    ins->sub = reduces ? (uint8_t)atom : way;
    ins->imm = reduces ? way : 0;
    ins->space = (uint8_t)to;
    ins->opnd[0] = dst;
    ins->opnd[1] = src;
    ins->opnd[2] = bytes;
    if (bar)
        ins->opnd[3] = at;
    if (many)
        ins->opnd[4] = blocks;
}

/* The third source: bytes to copy, from a number of bytes or from a predicate
 * that says to copy none. */
static sw_opnd
copy_bytes(ptx_parser *p, const ptx_opnd *o, uint64_t all)
{
    if (o->kind != OPND_REG || ptx_reg_class(p, o->reg) != SW_CLASS_PRED)
        return ptx_source(p, o, SW_T_U32);
    sw_opnd pred = ptx_source_pred(p, o);
    sw_ins *ins = ptx_emit(p, SW_OP_SELP, SW_T_B32, 1, 3);
    ins->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, SW_T_B32, NULL));
    ins->opnd[1] = ptx_imm_opnd(0);
    ins->opnd[2] = ptx_imm_opnd(all);
    ins->opnd[3] = pred;
    return ins->opnd[0];
}

/* cp.async.ca.shared.global [dst], [src], bytes[, src-bytes | p][, policy] */
void
ptx_lower_cp(ptx_parser *p, ptx_ins *in)
{
    bool reduces = ptx_take(in, M_REDUCE);
    if (!ptx_take(in, M_ASYNC)) {
        ptx_unsupported(p, in);
        return;
    }
    if (ptx_take(in, M_BULK)) {
        if (ptx_take(in, M_TENSOR))
            ptx_lower_tensor_copy(p, in, reduces);
        else
            lower_bulk(p, in, reduces);
        return;
    }
    if (reduces) {
        ptx_unsupported(p, in);
        return;
    }
    bool commit = ptx_take(in, M_COMMIT_GROUP);
    bool wait = !commit && ptx_take(in, M_WAIT_GROUP);
    if (commit || wait || ptx_take(in, M_WAIT_ALL)) {
        if (ptx_left_over(in))
            ptx_unsupported(p, in);
        else if (ptx_need(p, in, 0, 1))
            emit_wait(p,
                      commit ? SW_ASYNC_COMMIT
                      : wait ? SW_ASYNC_WAIT
                             : SW_ASYNC_WAIT_ALL,
                      groups_of(in), 0);
        return;
    }
    if (ptx_take(in, M_MBARRIER) && ptx_take(in, M_ARRIVE)) {
        lower_cp_arrive(p, in);
        return;
    }
    bool policy = ptx_take_hints(in);
    int cache = ptx_take_of(in, ptx_mod_cache, SW_CACHE_NONE);
    int to = ptx_take_of(in, ptx_mod_space, -1);
    int from = ptx_take_of(in, ptx_mod_space, -1);
    if (to != SW_SPACE_SHARED || from != SW_SPACE_GLOBAL || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 3u + policy, 4u + policy))
        return;
    const ptx_opnd *size = ptx_op(in, 2);
    if (size->kind != OPND_INT ||
        (size->bits != 4 && size->bits != 8 && size->bits != 16)) {
        ptx_error_at(p, in->line, in->column,
                     "expected 4, 8 or 16 as the size of cp.async");
        return;
    }
    sw_opnd dst, src, bytes = ptx_imm_opnd(0);
    int64_t dst_offset;
    uint8_t shared = SW_SPACE_SHARED;
    bool part = in->opnd_count == 4u + policy;
    ptx_address(p, in, ptx_op(in, 0), &dst, &dst_offset, &shared);
    src = ptx_whole_address(p, in, ptx_op(in, 1), SW_SPACE_GLOBAL);
    if (part)
        bytes = copy_bytes(p, ptx_op(in, 3), size->bits);
    sw_ins *ins = ptx_emit(p, SW_OP_CP_ASYNC, SW_T_NONE, 0, part ? 3 : 2);
    ins->space = SW_SPACE_SHARED;
    ins->cache = (uint8_t)cache;
    ins->imm = size->bits;
    ins->offset = dst_offset;
    ins->opnd[0] = dst;
    ins->opnd[1] = src;
    if (part)
        ins->opnd[2] = bytes;
}

/* ---- stack ---- */

/* alloca.u64 d, bytes[, align] */
void
ptx_lower_alloca(ptx_parser *p, ptx_ins *in)
{
    enum { DEFAULT_ALIGN = 8 };
    sw_type type = ptx_take_type(in);
    if ((type != SW_T_U32 && type != SW_T_U64) || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 3))
        return;
    sw_type bits = type == SW_T_U32 ? SW_T_B32 : SW_T_B64;
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), type);
    sw_opnd size = ptx_source(p, ptx_op(in, 1), type);
    const ptx_opnd *align = ptx_op(in, 2);
    sw_ins *ins = ptx_emit(p, SW_OP_ALLOCA, bits, 1, 1);
    ins->imm = align->kind == OPND_INT ? align->bits : DEFAULT_ALIGN;
    ins->opnd[0] = dst;
    ins->opnd[1] = size;
}

/* stacksave.u64 d; stackrestore.u64 a */
void
ptx_lower_stack(ptx_parser *p, ptx_ins *in)
{
    bool save = in->row->op == SW_OP_STACKSAVE;
    sw_type type = ptx_take_type(in);
    if ((type != SW_T_U32 && type != SW_T_U64) || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 1, 1))
        return;
    sw_opnd o = save ? ptx_dest(p, ptx_op(in, 0), type)
                     : ptx_source(p, ptx_op(in, 0), type);
    sw_ins *ins = ptx_emit(p, (sw_op)in->row->op,
                           type == SW_T_U32 ? SW_T_B32 : SW_T_B64, save, !save);
    ins->opnd[0] = o;
}
