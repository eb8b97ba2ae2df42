/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture.c - texture and surface instructions, lane by lane: operands to and
 * from the functions of sem/texture.h, and the checks of what they touch.
 */
#include <string.h>

#include "interp/interp.h"
#include "sem/sem.h"
#include "sem/texture.h"

/* Where a texel lies outside the allocations. */
typedef struct {
    const sw_mem_view *mem;
    uint64_t bad;
    bool failed;
    sw_texel_log *log; /* or NULL */
    unsigned lane;
} reader;

void
sw_interp_log_texels(sw_texel_log *log, uint32_t mask,
                     const uint64_t addr[SW_WARP_LANES], uint32_t bytes)
{
    log->bytes = bytes;
    for (unsigned n = 0; mask && n < SW_TEXELS; n++) {
        uint32_t put = mask & ~log->mask[n];
        log->mask[n] |= put;
        mask &= ~put;
        if (put == UINT32_MAX)
            memcpy(log->addr[n], addr, sizeof log->addr[n]);
        else
            for (; put; put &= put - 1)
                log->addr[n][__builtin_ctz(put)] = addr[__builtin_ctz(put)];
    }
}

static void
log_texel(sw_texel_log *log, unsigned lane, uint64_t address, unsigned bytes)
{
    uint64_t addr[SW_WARP_LANES];
    if (!log)
        return;
    addr[lane] = address;
    sw_interp_log_texels(log, UINT32_C(1) << lane, addr, bytes);
}

static bool
read_texel(void *context, uint64_t address, void *out, unsigned bytes)
{
    reader *r = context;
    if (!sw_mem_is_plain(r->mem, address, address + bytes - 1) &&
        !sw_mem_is_accessible(address, bytes)) {
        r->bad = address;
        r->failed = true;
        return false;
    }
    memcpy(out, (const void *)(uintptr_t)address, bytes);
    log_texel(r->log, r->lane, address, bytes);
    return true;
}

/* One instruction for one lane. */
typedef struct {
    sw_run *run;
    const sw_dins *d;
    unsigned lane;
    unsigned next;     /* source to take next */
    sw_texel_log *log; /* or NULL */
} operands;

static uint32_t
take(operands *op)
{
    unsigned k = op->d->ndst + op->next++;
    return (uint32_t)sw_interp_get(
        &op->run->x, sw_dins_orefs(op->d)[k],
        sw_ins_class(op->run->code->fn, op->d->ins, k), op->lane);
}

static uint64_t
take_handle(operands *op)
{
    unsigned k = op->d->ndst + op->next++;
    return sw_interp_get(&op->run->x, sw_dins_orefs(op->d)[k],
                         sw_ins_class(op->run->code->fn, op->d->ins, k),
                         op->lane);
}

static float
take_float(operands *op)
{
    return sem_f32_bits(take(op));
}

static bool
fault(const operands *op, sw_status status, int about, uint64_t address,
      const char *what)
{
    sw_engine_fault(op->run->warp, op->run->code->fn, op->d->ins, op->lane,
                    status, about, address, "%s: %s",
                    sw_op_get_info((sw_op)op->d->ins->op)->text, what);
    return false;
}

/* The object behind a handle; NULL: a fault was recorded. */
static const sw_texture *
find_texture(operands *op, uint64_t handle)
{
    sw_env *env = op->run->warp->blk->env;
    const sw_texture *t = env->texture ? env->texture(env->arg, handle) : NULL;
    if (!t)
        fault(op, SW_E_INVALID_ADDRESS_SPACE, SW_FAULT_PLAIN, handle,
              "the handle is no live texture or surface (or its reference is "
              "not bound)");
    if (op->log)
        op->log->texture = t;
    return t;
}

static unsigned
coordinate_count(sw_geom geom)
{
#define GEOM(name, text, coords, layered) coords,
    static const uint8_t counts[] = {
#include "ir/enums.def"
    };
    return counts[geom];
}

static bool
is_layered(sw_geom geom)
{
#define GEOM(name, text, coords, layered) layered,
    static const uint8_t layers[] = {
#include "ir/enums.def"
    };
    return layers[geom];
}

static void
take_coordinates(operands *op, sw_tex_coord *at)
{
    const sw_ins *ins = op->d->ins;
    unsigned n = coordinate_count((sw_geom)ins->geom);
    *at =
        (sw_tex_coord){.is_int = ins->stype != SW_T_F32, .lod_mode = ins->sub};
    if (is_layered((sw_geom)ins->geom))
        at->layer = take(op);
    for (unsigned i = 0; i < n; i++) {
        uint32_t v = take(op);
        at->i[i] = (int32_t)v;
        at->f[i] = sem_f32_bits(v);
    }
    if (ins->op != SW_OP_TEX)
        at->lod_mode = SW_TEX_BASE;
    if (at->lod_mode == SW_TEX_LEVEL) {
        uint32_t v = take(op);
        at->lod = at->is_int ? (float)(int32_t)v : sem_f32_bits(v);
    } else if (at->lod_mode == SW_TEX_GRAD) {
        for (unsigned i = 0; i < n; i++)
            at->ddx[i] = take_float(op);
        for (unsigned i = 0; i < n; i++)
            at->ddy[i] = take_float(op);
    }
}

static void
put_channels(operands *op, const uint32_t *values)
{
    const sw_dins *d = op->d;
    for (unsigned k = 0; k < d->ndst; k++) {
        if (d->ins->opnd[k].kind != SW_OPND_REG)
            continue;
        uint64_t v = values[k];
        if (d->ins->type == SW_T_F16)
            v = sem_cvt_f16_f32(sem_f32_bits(values[k]), 0);
        sw_interp_put(&op->run->x, sw_dins_orefs(d)[k],
                      sw_ins_class(op->run->code->fn, d->ins, k), op->lane, v);
    }
}

static bool
fetch(operands *op)
{
    const sw_ins *ins = op->d->ins;
    const sw_texture *t = find_texture(op, take_handle(op));
    const sw_sampler *sampler = NULL;
    if (!t)
        return false;
    if (ins->op == SW_OP_TEX && ins->imm == 1) { /* a separate sampler */
        const sw_texture *s = find_texture(op, take_handle(op));
        if (!s)
            return false;
        sampler = &s->sampler;
    }
    sw_tex_coord at;
    uint32_t out[4] = {0};
    reader r = {
        .mem = op->run->warp->blk->mem, .log = op->log, .lane = op->lane};
    take_coordinates(op, &at);
    bool ok = ins->op == SW_OP_TEX
                  ? sw_sem_tex(t, sampler, (sw_geom)ins->geom, &at, read_texel,
                               &r, out)
                  : sw_sem_tld4(t, sampler, (sw_geom)ins->geom, &at,
                                (unsigned)ins->imm, read_texel, &r, out);
    if (!ok)
        return fault(op, SW_E_ILLEGAL_INSTRUCTION, SW_FAULT_PLAIN, 0,
                     "the texture does not have the instruction's geometry");
    if (r.failed)
        return fault(op, SW_E_ILLEGAL_ADDRESS, SW_FAULT_ADDRESS, r.bad,
                     "the texture's memory is no longer allocated");
    put_channels(op, out);
    return true;
}

static bool
query(operands *op)
{
    const sw_ins *ins = op->d->ins;
    const sw_texture *t = find_texture(op, take_handle(op));
    uint32_t out[4] = {0};
    if (!t)
        return false;
    unsigned level = ins->nsrc > 1 ? take(op) : 0;
    if (!sw_sem_txq(t, ins->sub, level, out))
        return fault(op, SW_E_ILLEGAL_INSTRUCTION, SW_FAULT_PLAIN, 0,
                     "the query has no answer for this texture");
    put_channels(op, out);
    return true;
}

/* suld, sust, sured: the address; *skip: nothing to access. */
static bool
surface_address(operands *op, const sw_texture *t, unsigned bytes,
                uint64_t *address, bool *skip)
{
    const sw_ins *ins = op->d->ins;
    sw_geom geom = (sw_geom)ins->geom;
    int32_t layer = is_layered(geom) ? (int32_t)take(op) : 0;
    int32_t c[3] = {0, 0, 0};
    unsigned n = coordinate_count(geom);
    for (unsigned i = 0; i < n; i++)
        c[i] = (int32_t)take(op);
    switch (sw_sem_surface_address(t, ins->sub, c[0], c[1],
                                   is_layered(geom) ? layer : c[2], bytes,
                                   address)) {
    case SW_SURFACE_TRAP:
        return fault(op, SW_E_ILLEGAL_ADDRESS, SW_FAULT_PLAIN, 0,
                     "the coordinates are outside the surface (.trap)");
    case SW_SURFACE_ZERO:
        *skip = true;
        return true;
    default:
        *skip = false;
        break;
    }
    unsigned touched = bytes ? bytes : sw_sem_texel_bytes(t);
    log_texel(op->log, op->lane, *address, touched);
    if (sw_mem_is_plain(op->run->warp->blk->mem, *address,
                        *address + touched - 1) ||
        sw_mem_is_accessible(*address, touched))
        return true;
    return fault(op, SW_E_ILLEGAL_ADDRESS, SW_FAULT_ADDRESS, *address,
                 "the surface's memory is no longer allocated");
}

static bool
surface_load(operands *op)
{
    const sw_dins *d = op->d;
    const sw_texture *t = find_texture(op, take_handle(op));
    unsigned vec = d->ndst;
    uint64_t address = 0;
    bool skip = false;
    if (!t || !surface_address(op, t, d->mem_bytes * vec, &address, &skip))
        return false;
    for (unsigned k = 0; k < vec; k++) {
        uint64_t v = 0;
        if (!skip)
            memcpy(&v, (const uint8_t *)(uintptr_t)address + k * d->mem_bytes,
                   d->mem_bytes);
        if (d->ins->opnd[k].kind == SW_OPND_REG)
            sw_interp_put(&op->run->x, sw_dins_orefs(d)[k],
                          sw_ins_class(op->run->code->fn, d->ins, k), op->lane,
                          v);
    }
    return true;
}

static bool
surface_store(operands *op)
{
    const sw_dins *d = op->d;
    const sw_ins *ins = d->ins;
    bool formatted = ins->flags & SW_F_FORMATTED;
    const sw_texture *t = find_texture(op, take_handle(op));
    unsigned vec = ins->vec ? ins->vec : 1;
    uint64_t address = 0;
    bool skip = false;
    if (!t || !surface_address(op, t, formatted ? 0 : d->mem_bytes * vec,
                               &address, &skip))
        return false;
    uint8_t *p = (uint8_t *)(uintptr_t)address;
    uint32_t channels[4] = {0};
    for (unsigned k = 0; k < vec; k++) {
        uint64_t v = take_handle(op);
        if (formatted && k < 4)
            channels[k] = (uint32_t)v;
        else if (!skip)
            memcpy(p + k * d->mem_bytes, &v, d->mem_bytes);
    }
    if (formatted && !skip)
        sw_sem_texel_pack(t, channels, ins->type == SW_T_F32, p);
    return true;
}

static bool
surface_reduce(operands *op)
{
    const sw_dins *d = op->d;
    const sw_texture *t = find_texture(op, take_handle(op));
    uint64_t address = 0;
    bool skip = false;
    if (!t || !surface_address(op, t, d->mem_bytes, &address, &skip))
        return false;
    uint64_t b = take_handle(op);
    if (!skip)
        sw_interp_atom_one((sw_atom)d->ins->imm, (sw_type)d->ins->type, 0,
                           d->mem_bytes, address, b);
    return true;
}

/* ---- tex for all lanes at once ---- */

static bool
is_all_plain(const void *arg, uint64_t first, uint64_t last)
{
    const sw_mem_view *view = arg;
    uint64_t a = first - view->base, b = last - view->base;
    if (b < a || b >= view->bytes || view->exact)
        return false;
    for (uint64_t p = a >> SW_MEM_PAGE_SHIFT; p <= b >> SW_MEM_PAGE_SHIFT; p++)
        if (!view->pages[p])
            return false;
    return true;
}

/* A handle that all lanes agree on. */
static bool
common_handle(sw_run *run, const sw_dins *d, unsigned opnd, uint32_t mask,
              uint64_t *handle)
{
    if (sw_ins_class(run->code->fn, d->ins, opnd) != SW_CLASS_B64)
        return false;
    const uint64_t *h = sw_lane_ptr(&run->x, sw_dins_orefs(d)[opnd]);
    uint64_t differs = 0;
    *handle = h[__builtin_ctz(mask)];
    for (int i = 0; i < SW_WARP_LANES; i++)
        differs |= (h[i] ^ *handle) & -(uint64_t)(mask >> i & 1);
    return !differs;
}

/* Its texture, or NULL. */
static const sw_texture *
texture_of(const sw_run *run, uint64_t handle)
{
    sw_env *env = run->warp->blk->env;
    return env->texture ? env->texture(env->arg, handle) : NULL;
}

/* What has been found out of handles, by a hash of them. */
enum { PLANS_SHIFT = 4 };
typedef struct {
    uint64_t texture, sampler; /* handles */
    uint64_t changes, memory;  /* of the environment, of mem */
    uint32_t kind;
    bool is_known;
    sw_tex_plan plan;
} known_plan;

/* Elements of a lane that suld or sust moves. */
static unsigned
elements_of(const sw_ins *ins)
{
    return ins->op == SW_OP_SULD ? ins->ndst : ins->vec ? ins->vec : 1;
}

/* What of an instruction the plan depends on. */
static uint32_t
kind_of(const sw_ins *ins)
{
    uint32_t kind = (uint32_t)ins->op << 24 | (uint32_t)ins->geom << 16;
    if (ins->op == SW_OP_TEX)
        return kind | (ins->stype != SW_T_F32);
    return kind | (uint32_t)ins->type << 8 | (uint32_t)ins->sub << 4 |
           elements_of(ins);
}

static known_plan *
plan_at(sw_blk *blk, uint64_t texture, uint64_t sampler)
{
    uint64_t hash = (texture + 2 * sampler) * 0x9e3779b97f4a7c15u;
    if (!blk->tex_plans)
        blk->tex_plans = sw_alloc(sizeof(known_plan) << PLANS_SHIFT);
    return (known_plan *)blk->tex_plans + (hash >> (64 - PLANS_SHIFT));
}

static bool
plan_surface(const sw_run *run, const sw_ins *ins, const sw_texture *t,
             sw_tex_plan *p)
{
    unsigned bits = sw_type_bits((sw_type)ins->type);
    unsigned channels = elements_of(ins);
    sw_tex_surface how = {ins->sub, (uint8_t)bits, (uint8_t)channels,
                          ins->op == SW_OP_SUST};
    if (ins->flags & SW_F_FORMATTED || bits < 8 || bits > 32 ||
        (channels != 1 && channels != 2 && channels != 4))
        return false;
    return run->lanes->surface(p, t, (sw_geom)ins->geom, &how);
}

/* False: a handle is of no texture. */
static bool
make_plan(const sw_run *run, const sw_ins *ins, uint64_t texture,
          uint64_t sampler, known_plan *k)
{
    const uint64_t *changes = run->warp->blk->env->texture_changes;
    *k = (known_plan){
        .changes = changes ? __atomic_load_n(changes, __ATOMIC_ACQUIRE) : 0,
        .memory = sw_mem_generation() - 1,
        .kind = kind_of(ins)};
    const sw_texture *t = texture_of(run, texture);
    const sw_texture *s = sampler == texture ? t : texture_of(run, sampler);
    if (!t || !s)
        return false;
    k->texture = texture;
    k->sampler = sampler;
    k->is_known =
        ins->op == SW_OP_TEX
            ? run->lanes->plan(&k->plan, t, &s->sampler, (sw_geom)ins->geom,
                               ins->stype != SW_T_F32)
            : plan_surface(run, ins, t, &k->plan);
    return true;
}

static bool
holds_all(const sw_mem_view *view, const sw_tex_plan *p)
{
    return is_all_plain(view, p->base, p->last) ||
           sw_mem_is_accessible(p->base, p->last - p->base + 1);
}

const sw_tex_plan *
sw_interp_tex_plan(const sw_run *run, const sw_ins *ins, uint64_t texture,
                   uint64_t sampler)
{
    sw_blk *blk = run->warp->blk;
    const uint64_t *changes = blk->env->texture_changes;
    known_plan *k = plan_at(blk, texture, sampler);
    if ((!changes || k->texture != texture || k->sampler != sampler ||
         k->kind != kind_of(ins) ||
         k->changes != __atomic_load_n(changes, __ATOMIC_ACQUIRE)) &&
        !make_plan(run, ins, texture, sampler, k))
        return NULL;
    uint64_t memory = sw_mem_generation();
    if (k->is_known && k->memory != memory) {
        k->plan.is_whole = holds_all(blk->mem, &k->plan);
        k->memory = memory;
    }
    return k->is_known ? &k->plan : NULL;
}

/* Where lanes that do not fetch may not read either, they read what the first
 * one that does reads. */
static void
replace_others(uint32_t rows[SW_TEX_ROWS][SW_WARP_LANES], uint32_t mask)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    for (unsigned k = SW_TEX_COORDS; k < SW_TEX_ROWS; k++)
        for (unsigned i = 0; i < SW_WARP_LANES; i++)
            rows[k][i] = rows[k][mask >> i & 1 ? i : first];
}

bool
sw_interp_fetch(const sw_run *run, const sw_tex_plan *plan,
                uint32_t rows[SW_TEX_ROWS][SW_WARP_LANES], uint32_t mask,
                sw_texel_log *log)
{
    sw_tex_checks checks = {mask, is_all_plain, run->warp->blk->mem, log};
    if (!plan->is_whole && mask != UINT32_MAX)
        replace_others(rows, mask);
    return plan->fetch(plan, rows[0], SW_WARP_LANES, &checks);
}

/* A source to its row; false: it has not 32 bits. */
static bool
copy_row(const sw_run *run, const sw_dins *d, unsigned opnd, uint32_t *row)
{
    const uint32_t *from = sw_interp_lanes_32(run, d, opnd);
    if (from)
        memcpy(row, from, SW_WARP_LANES * sizeof *row);
    return from;
}

/* The rows that say where, from operand *next on. */
static bool
copy_place(const sw_run *run, const sw_dins *d, unsigned *next, sw_geom geom,
           uint32_t rows[][32])
{
    if (is_layered(geom) && !copy_row(run, d, (*next)++, rows[SW_TEX_LAYER]))
        return false;
    for (unsigned i = 0; i < coordinate_count(geom); i++)
        if (!copy_row(run, d, (*next)++, rows[SW_TEX_COORDS + i]))
            return false;
    return true;
}

static void
put_row(uint32_t *to, const uint32_t *row, uint32_t mask)
{
    if (mask == UINT32_MAX)
        memcpy(to, row, SW_WARP_LANES * sizeof *to);
    else
        for (unsigned i = 0; i < SW_WARP_LANES; i++)
            to[i] = mask >> i & 1 ? row[i] : to[i];
}

/* False: lane by lane, please; nothing was done. */
static bool
fetch_lanes(sw_run *run, const sw_dins *d, uint32_t mask, sw_texel_log *log)
{
    const sw_ins *ins = d->ins;
    sw_geom geom = (sw_geom)ins->geom;
    unsigned next = d->ndst;
    uint64_t texture, sampler;
    uint32_t *out[4] = {NULL};
    _Alignas(64) uint32_t rows[SW_TEX_ROWS][SW_WARP_LANES];
    if (ins->op != SW_OP_TEX || ins->type == SW_T_F16 || !mask || d->ndst > 4)
        return false;
    for (unsigned k = 0; k < d->ndst; k++)
        if (ins->opnd[k].kind == SW_OPND_REG &&
            !(out[k] = sw_interp_lanes_32(run, d, k)))
            return false;
    if (!common_handle(run, d, next++, mask, &texture))
        return false;
    sampler = texture;
    if (ins->imm == 1 && !common_handle(run, d, next++, mask, &sampler))
        return false;
    const sw_tex_plan *plan = sw_interp_tex_plan(run, ins, texture, sampler);
    if (!plan)
        return false;
    if (!copy_place(run, d, &next, geom, rows))
        return false;
    if (!sw_interp_fetch(run, plan, rows, mask, log))
        return false;
    for (unsigned k = 0; k < d->ndst; k++)
        if (out[k])
            put_row(out[k], rows[k], mask);
    return true;
}

/* ---- surfaces for all lanes at once ---- */

static uint64_t
read_bytes(uint64_t address, unsigned bytes)
{
    const void *p = (const void *)(uintptr_t)address;
    uint64_t v = 0;
    uint32_t narrow;
    if (bytes == 4) {
        memcpy(&narrow, p, 4);
        return narrow;
    }
    if (bytes == 8)
        memcpy(&v, p, 8);
    else
        memcpy(&v, p, bytes);
    return v;
}

static void
write_bytes(uint64_t address, uint64_t v, unsigned bytes)
{
    void *p = (void *)(uintptr_t)address;
    switch (bytes) {
    case 4:
        memcpy(p, &v, 4);
        break;
    case 8:
        memcpy(p, &v, 8);
        break;
    default:
        memcpy(p, &v, bytes);
    }
}

/* Where the lanes' elements are; *in: lanes that access any. False: some lane
 * may have to fault. */
static bool
surface_addresses(sw_run *run, const sw_dins *d, const sw_texture *t,
                  uint32_t mask, unsigned bytes, unsigned *next,
                  uint64_t at[32], uint32_t *in)
{
    static const uint32_t zeros[32];
    sw_geom geom = (sw_geom)d->ins->geom;
    const uint32_t *layer = NULL, *c[3] = {zeros, zeros, zeros};
    if (is_layered(geom) && !(layer = sw_interp_lanes_32(run, d, (*next)++)))
        return false;
    for (unsigned i = 0; i < coordinate_count(geom); i++)
        if (!(c[i] = sw_interp_lanes_32(run, d, (*next)++)))
            return false;
    *in = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        int32_t z = (int32_t)(layer ? layer[i] : c[2][i]);
        sw_surface_result r =
            sw_sem_surface_address(t, d->ins->sub, (int32_t)c[0][i],
                                   (int32_t)c[1][i], z, bytes, &at[i]);
        if (r == SW_SURFACE_ZERO)
            continue;
        if (r != SW_SURFACE_IN ||
            !sw_mem_is_plain(run->warp->blk->mem, at[i], at[i] + bytes - 1))
            return false;
        *in |= UINT32_C(1) << i;
    }
    return true;
}

/* Elements of 32 bits, by a plan. False: nothing was done. */
static bool
access_words(sw_run *run, const sw_dins *d, uint32_t mask, uint64_t handle)
{
    const sw_ins *ins = d->ins;
    sw_geom geom = (sw_geom)ins->geom;
    bool loads = ins->op == SW_OP_SULD;
    unsigned next = d->ndst + 1u;
    uint32_t *out[4] = {NULL};
    _Alignas(64) uint32_t rows[SW_TEX_ROWS][SW_WARP_LANES];
    const sw_tex_plan *plan = sw_interp_tex_plan(run, ins, handle, handle);
    if (!plan || !plan->is_whole)
        return false;
    for (unsigned k = 0; k < d->ndst; k++)
        if (ins->opnd[k].kind == SW_OPND_REG &&
            !(out[k] = sw_interp_lanes_32(run, d, k)))
            return false;
    if (!copy_place(run, d, &next, geom, rows))
        return false;
    for (unsigned k = 0; !loads && k < elements_of(ins); k++)
        if (!copy_row(run, d, next++, rows[k]))
            return false;
    if (!plan->access(plan, rows[0], SW_WARP_LANES, &mask))
        return false;
    for (unsigned k = 0; k < d->ndst; k++)
        if (out[k])
            put_row(out[k], rows[k], mask);
    return true;
}

/* False: lane by lane, please; nothing was done. */
static bool
access_lanes(sw_run *run, const sw_dins *d, uint32_t mask, sw_texel_log *log)
{
    const sw_ins *ins = d->ins;
    bool loads = ins->op == SW_OP_SULD;
    unsigned vec = loads ? d->ndst : ins->vec ? ins->vec : 1;
    unsigned next = d->ndst + 1u, bytes = d->mem_bytes;
    uint64_t at[32];
    uint32_t in;
    sw_class cls[4];
    if ((!loads && ins->op != SW_OP_SUST) || ins->flags & SW_F_FORMATTED ||
        !mask || vec > 4 || bytes > 8)
        return false;
    uint64_t handle;
    if (!common_handle(run, d, d->ndst, mask, &handle))
        return false;
    if (bytes == 4 && !log && access_words(run, d, mask, handle))
        return true;
    const sw_texture *t = texture_of(run, handle);
    if (!t || !surface_addresses(run, d, t, mask, bytes * vec, &next, at, &in))
        return false;
    unsigned first = loads ? 0 : next;
    const sw_oref *o = sw_dins_orefs(d) + first;
    for (unsigned k = 0; k < vec; k++)
        cls[k] = sw_ins_class(run->code->fn, ins, first + k);
    if (log) {
        log->texture = t;
        sw_interp_log_texels(log, in, at, bytes * vec);
    }
    for (uint32_t m = loads ? mask : in; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        for (unsigned k = 0; k < vec; k++) {
            uint64_t place = at[i] + (uint64_t)k * bytes;
            if (!loads)
                write_bytes(place, sw_interp_get(&run->x, o[k], cls[k], i),
                            bytes);
            else if (ins->opnd[k].kind == SW_OPND_REG)
                sw_interp_put(&run->x, o[k], cls[k], i,
                              in >> i & 1 ? read_bytes(place, bytes) : 0);
        }
    }
    return true;
}

bool
sw_interp_wants_texels(const sw_run *run)
{
    const sw_blk *blk = run->warp->blk;
    return run->observe && (blk->program->events & SW_EV_TEX) &&
           blk->observer->tex;
}

sw_texel_log *
sw_interp_open_log(sw_texel_log *log)
{
    memset(log->mask, 0, sizeof log->mask);
    log->texture = NULL;
    return log;
}

/* Rows in pairs, sixteen bytes of one beside those of the other. */
static uint64_t
tiled_address(const sw_texture_level *l, uint64_t address)
{
    enum { WIDE = 16 };
    uint64_t at = address - l->address, slice = l->slice ? l->slice : 1;
    uint64_t z = l->slice ? at / slice : 0, in = l->slice ? at % slice : at;
    uint64_t row = in / l->pitch, x = in % l->pitch;
    uint64_t wide = (l->pitch + WIDE - 1) / WIDE;
    uint64_t pairs = (l->height + 1) / 2;
    return l->address + ((z * pairs + row / 2) * wide + x / WIDE) * 2 * WIDE +
           row % 2 * WIDE + x % WIDE;
}

/* The same of the only level of a texture, in the first slice by multiplying:
 * exact while what is divided is below 2^32. */
static void
lay_rows(const sw_texture_level *l, sw_texel_log *log)
{
    enum { WIDE = 16 };
    uint64_t wide = (l->pitch + WIDE - 1) / WIDE, start = l->address;
    uint64_t inverse = UINT64_MAX / l->pitch + 1;
    uint64_t end = UINT32_MAX;
    if (l->slice && l->slice < end)
        end = l->slice;
    for (unsigned n = 0; n < SW_TEXELS && log->mask[n]; n++)
        for (uint32_t m = log->mask[n]; m; m &= m - 1) {
            uint64_t *at = &log->addr[n][__builtin_ctz(m)], in = *at - start;
            if (*at < start)
                continue;
            if (in >= end) {
                *at = tiled_address(l, *at);
                continue;
            }
            uint64_t row = (uint64_t)((sw_u128)in * inverse >> 64);
            uint64_t x = in - row * l->pitch;
            *at = start + ((row / 2) * wide + x / WIDE) * 2 * WIDE +
                  row % 2 * WIDE + x % WIDE;
        }
}

/* Addresses of texels as in sw_ev_tex. */
static void
lay_tiles(const sw_texture *t, sw_texel_log *log)
{
    if (t->level_count <= 1 && t->level[0].pitch > 1 &&
        t->level[0].pitch <= UINT32_MAX) {
        lay_rows(&t->level[0], log);
        return;
    }
    for (unsigned n = 0; n < SW_TEXELS && log->mask[n]; n++)
        for (uint32_t m = log->mask[n]; m; m &= m - 1) {
            uint64_t *at = &log->addr[n][__builtin_ctz(m)];
            const sw_texture_level *l = &t->level[0];
            for (unsigned k = 1; k < t->level_count; k++)
                if (t->level[k].address <= *at &&
                    t->level[k].address > l->address)
                    l = &t->level[k];
            if (l->pitch && *at >= l->address)
                *at = tiled_address(l, *at);
        }
}

void
sw_interp_observe_texels(sw_run *run, sw_texel_log *log)
{
    const sw_observer *ob = run->warp->blk->observer;
    bool tiled = log->texture && log->texture->tiled;
    uint32_t count = 0, any = 0;
    while (count < SW_TEXELS && log->mask[count])
        any |= log->mask[count++];
    if (!count)
        return;
    if (tiled)
        lay_tiles(log->texture, log);
    sw_ev_tex t = {.bytes = log->bytes,
                   .count = count,
                   .tiled = tiled,
                   .mask = log->mask,
                   .addr = (const uint64_t(*)[SW_WARP_LANES])log->addr};
    run->where.active = run->where.mask;
    run->where.mask = any;
    ob->tex(ob->arg, &run->where, &t);
}

/* One lane after another. */
static bool
execute_lanes(sw_run *run, const sw_dins *d, uint32_t mask, sw_texel_log *log)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        operands op = {run, d, (unsigned)__builtin_ctz(m), 0, log};
        bool ok;
        switch (d->ins->op) {
        case SW_OP_TXQ:
            ok = query(&op);
            break;
        case SW_OP_SULD:
            ok = surface_load(&op);
            break;
        case SW_OP_SUST:
            ok = surface_store(&op);
            break;
        case SW_OP_SURED:
            ok = surface_reduce(&op);
            break;
        default:
            ok = fetch(&op);
            break;
        }
        if (!ok)
            return false;
    }
    return true;
}

bool
sw_interp_tex(sw_run *run, const sw_dins *d, uint32_t mask)
{
    sw_texel_log all, *log = NULL;
    if (sw_interp_wants_texels(run))
        log = sw_interp_open_log(&all);
    if (!fetch_lanes(run, d, mask, log) && !access_lanes(run, d, mask, log)) {
        if (log) /* what a fetch came to before it gave up */
            sw_interp_open_log(log);
        if (!execute_lanes(run, d, mask, log))
            return false;
    }
    if (log)
        sw_interp_observe_texels(run, log);
    return true;
}
