/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor.c - cp.async.bulk.tensor and cp.reduce.async.bulk.tensor: done at
 * once, as all copies, row by row of the box (sem/tensor.h says which).
 */
#include <string.h>

#include "interp/bulk.h"
#include "sem/tensor.h"

enum {
    BOX_ALIGN = 128, /* "dstMem ... must be aligned to 128 bytes" */
    MAP_ALIGN = 64,
    UNIT = 16,
    ROW_MOST = 256 * 8 /* bytes: 256 elements */
};

/* One lane's copy. */
typedef struct {
    sw_run *run;
    const sw_dins *d;
    unsigned lane;
    sw_sem_tensor tensor;
    uint64_t shared; /* of the box, an address in shared memory */
    bool outward, reduces, in_cluster;
    sw_atom atom;
    sw_type type; /* of elements that are combined */
} tensor_copy;

static const uint8_t combined[SW_TENSOR_TYPES] = {
    [SW_TENSOR_U32] = SW_T_U32,     [SW_TENSOR_S32] = SW_T_S32,
    [SW_TENSOR_U64] = SW_T_U64,     [SW_TENSOR_S64] = SW_T_S64,
    [SW_TENSOR_F16] = SW_T_F16,     [SW_TENSOR_F32] = SW_T_F32,
    [SW_TENSOR_F32_FTZ] = SW_T_F32, [SW_TENSOR_F64] = SW_T_F64,
    [SW_TENSOR_BF16] = SW_T_BF16,
};

static bool
fault_map(const tensor_copy *c, uint64_t address, const char *what)
{
    sw_engine_fault(c->run->warp, c->run->code->fn, c->d->ins, c->lane,
                    SW_E_ILLEGAL_INSTRUCTION, SW_FAULT_ADDRESS, address,
                    "a copy by a tensor map cannot be done: %s", what);
    return false;
}

/* Whether elements of the tensor can be combined so. */
static bool
is_combined(sw_atom atom, sw_type type)
{
    bool is_half = type == SW_T_F16 || type == SW_T_BF16;
    bool is_float = is_half || type == SW_T_F32 || type == SW_T_F64;
    switch (atom) {
    case SW_ATOM_ADD:
        return type != SW_T_NONE;
    case SW_ATOM_MIN:
    case SW_ATOM_MAX:
        return type != SW_T_NONE && (is_half || !is_float);
    case SW_ATOM_INC:
    case SW_ATOM_DEC:
        return type == SW_T_U32;
    case SW_ATOM_AND:
    case SW_ATOM_OR:
    case SW_ATOM_XOR:
        return type != SW_T_NONE && !is_float;
    default:
        return false;
    }
}

/* ---- one row ---- */

static bool
check_global(const tensor_copy *c, uint64_t address, uint64_t bytes)
{
    if (sw_mem_is_accessible(address, bytes))
        return true;
    sw_engine_fault(c->run->warp, c->run->code->fn, c->d->ins, c->lane,
                    SW_E_ILLEGAL_ADDRESS, SW_FAULT_ADDRESS, address,
                    "a copy of a tensor's box: %llu bytes of a row outside the "
                    "allocations",
                    (unsigned long long)bytes);
    return false;
}

/* bar: where the copy completes; NULL: a bulk group. */
static void
observe_piece(const tensor_copy *c, uint64_t global, const uint8_t *shared,
              const uint8_t *bar, uint64_t bytes, uint32_t written)
{
    const uint8_t *p = (const uint8_t *)(uintptr_t)global;
    sw_interp_observe_copy(c->run, c->lane,
                           &(sw_bulk_copy){.from = c->outward ? shared : p,
                                           .to = c->outward ? p : shared,
                                           .bar = bar,
                                           .bytes = bytes,
                                           .written = written,
                                           .reduces = c->reduces});
}

/* Bytes [from, to) of a row, which are in the tensor, between `box`, where the
 * block's box begins, and memory. */
static void
move_out(const tensor_copy *c, const sw_sem_tensor_row *row, uint8_t *box,
         uint32_t from, uint32_t to)
{
    uint64_t start = row->shared;
    for (uint32_t at = from, n; at < to; at += n) {
        n = UNIT - (uint32_t)(start + at) % UNIT;
        n = n > to - at ? to - at : n;
        uint32_t plain = (uint32_t)(c->shared + start + at);
        const uint8_t *p = box + (sw_sem_tensor_swizzle(&c->tensor.map, plain) -
                                  (uint32_t)c->shared);
        uint64_t global = row->address + (at - from);
        uint8_t *q = (uint8_t *)(uintptr_t)global;
        if (c->reduces)
            sw_interp_bulk_combine(c->d, c->atom, c->type, q, p, n);
        else
            memcpy(q, p, n);
        if (c->run->observe)
            observe_piece(c, global, p, NULL, n, 0);
    }
}

static void
convert_row(const tensor_copy *c, uint8_t *row, uint32_t bytes)
{
    unsigned type = c->tensor.map.type;
    if (type != SW_TENSOR_TF32 && type != SW_TENSOR_TF32_FTZ)
        return;
    for (uint32_t i = 0; i < bytes; i += 4) {
        uint32_t v;
        memcpy(&v, row + i, 4);
        v = sw_sem_tensor_convert(type, v);
        memcpy(row + i, &v, 4);
    }
}

/* A row as it arrives, whole: what is outside of the tensor is filled. */
static void
make_row(const tensor_copy *c, const sw_sem_tensor_row *row,
         uint8_t out[ROW_MOST])
{
    const sw_sem_tensor *t = &c->tensor;
    uint64_t fill = sw_sem_tensor_fill(&t->map);
    unsigned each = t->element_bytes;
    if (row->count * each != t->row_bytes)
        for (uint32_t i = 0; i < t->row_bytes; i += each)
            memcpy(out + i, &fill, each);
    if (!row->count)
        return;
    memcpy(out + row->first * each, (const void *)(uintptr_t)row->address,
           (size_t)row->count * each);
    convert_row(c, out + row->first * each, row->count * each);
}

/* A row into one block's box; bar: its barrier object. */
static void
move_in(const tensor_copy *c, const sw_sem_tensor_row *row, uint8_t *box,
        const uint8_t *bar, const uint8_t *data)
{
    const sw_sem_tensor *t = &c->tensor;
    uint32_t from = row->first * t->element_bytes;
    uint32_t to = from + row->count * t->element_bytes;
    for (uint32_t at = 0, n; at < t->row_bytes; at += n) {
        n = UNIT - (uint32_t)(row->shared + at) % UNIT;
        n = n > t->row_bytes - at ? t->row_bytes - at : n;
        uint32_t plain = (uint32_t)(c->shared + row->shared + at);
        uint8_t *p =
            box + (sw_sem_tensor_swizzle(&t->map, plain) - (uint32_t)c->shared);
        memcpy(p, data + at, n);
        if (!c->run->observe)
            continue;
        uint32_t low = at > from ? at : from;
        uint32_t high = at + n < to ? at + n : to;
        if (low < high)
            observe_piece(c, row->address + (low - from), p + (low - at), bar,
                          high - low, 0);
        if (low != at || high != at + n)
            observe_piece(c, row->address, p, bar, 0, n);
    }
}

/* ---- boxes ---- */

/* Where the box lies in a block: what a swizzle moves stays within the next
 * span of the box's end. NULL: a fault was recorded. */
static uint8_t *
find_box(const tensor_copy *c, uint64_t shared)
{
    return sw_interp_bulk_shared(c->run, c->d, c->lane, shared,
                                 sw_sem_tensor_extent(&c->tensor), BOX_ALIGN,
                                 c->in_cluster);
}

static bool
copy_out(tensor_copy *c)
{
    sw_sem_tensor_row row;
    uint8_t *box = find_box(c, c->shared);
    if (!box)
        return false;
    while (sw_sem_tensor_next(&c->tensor, &row)) {
        uint32_t from = row.first * c->tensor.element_bytes;
        uint32_t bytes = row.count * c->tensor.element_bytes;
        if (!bytes)
            continue;
        if (!check_global(c, row.address, bytes))
            return false;
        /* Units are written whole, beyond the tensor's last element too. */
        uint32_t whole = (bytes + UNIT - 1) / UNIT * UNIT;
        if (sw_mem_is_accessible(row.address, whole))
            bytes = whole;
        move_out(c, &row, box, from, from + bytes);
    }
    return true;
}

/* To each block of `blocks`, by rank; 0: where the addresses say. */
static bool
copy_in(tensor_copy *c, uint64_t bar, uint32_t blocks)
{
    enum { BLOCKS = 16 };
    const uint64_t low = (UINT64_C(1) << SW_CLUSTER_SHIFT) - 1;
    uint8_t *box[BLOCKS], *object[BLOCKS], data[ROW_MOST];
    unsigned count = 0;
    uint64_t bytes = sw_sem_tensor_bytes(&c->tensor);
    uint32_t m = blocks ? blocks : 1;
    for (; m; m &= m - 1, count++) {
        uint64_t blk = (uint64_t)((unsigned)__builtin_ctz(m) + 1)
                       << SW_CLUSTER_SHIFT;
        uint64_t to = blocks ? blk | (c->shared & low) : c->shared;
        uint64_t at = blocks ? blk | (bar & low) : bar;
        box[count] = find_box(c, to);
        object[count] =
            box[count]
                ? sw_interp_bulk_shared(c->run, c->d, c->lane, at,
                                        sizeof(uint64_t), 8, c->in_cluster)
                : NULL;
        if (!object[count])
            return false;
    }
    c->shared &= low;
    for (sw_sem_tensor_row row; sw_sem_tensor_next(&c->tensor, &row);) {
        uint32_t moved = row.count * c->tensor.element_bytes;
        if (moved && !check_global(c, row.address, moved))
            return false;
        make_row(c, &row, data);
        for (unsigned i = 0; i < count; i++)
            move_in(c, &row, box[i], object[i], data);
    }
    for (unsigned i = 0; i < count; i++) {
        bool ended = sw_interp_bulk_complete(object[i], bytes);
        if (c->run->observe)
            sw_interp_observe_complete(c->run, c->lane, object[i], bytes,
                                       ended);
    }
    return true;
}

/* ---- the instruction ---- */

static bool
copy_lane(sw_run *run, const sw_dins *d, unsigned lane, const uint64_t *v)
{
    const sw_ins *ins = d->ins;
    unsigned rank = ins->imm & SW_TENSOR_RANK, n = 2;
    bool pixels = ins->imm & SW_TENSOR_PIXELS;
    tensor_copy c = {.run = run,
                     .d = d,
                     .lane = lane,
                     .shared = (uint32_t)v[0],
                     .outward = ins->sub == SW_BULK_TO_GLOBAL,
                     .reduces = ins->imm & SW_TENSOR_REDUCES,
                     .in_cluster = ins->space == SW_SPACE_SHARED_CLUSTER,
                     .atom = (sw_atom)(ins->imm >> SW_TENSOR_ATOM_SHIFT)};
    uint64_t address[SW_WARP_LANES] = {0};
    address[lane] = v[1];
    if (!sw_interp_check(run, d, 1u << lane, address, SW_TENSOR_MAP_BYTES,
                         MAP_ALIGN))
        return false;
    sw_tensor_map map;
    memcpy(&map, (const void *)(uintptr_t)v[1], sizeof map);
    const char *bad = sw_sem_tensor_check(
        &map, rank, pixels ? SW_TENSOR_IM2COL : SW_TENSOR_TILED);
    if (bad)
        return fault_map(&c, v[1], bad);
    c.type = (sw_type)combined[map.type];
    if (c.reduces && !is_combined(c.atom, c.type))
        return fault_map(&c, v[1],
                         "its elements have a type that is not combined so");
    int32_t at[SW_TENSOR_RANKS];
    uint16_t offset[SW_TENSOR_SPATIAL] = {0};
    for (unsigned i = 0; i < rank; i++)
        at[i] = (int32_t)v[n++];
    for (unsigned i = 0; pixels && !c.outward && i + 2 < rank; i++)
        offset[i] = (uint16_t)v[n++];
    sw_sem_tensor_begin(&c.tensor, &map, at, offset);
    if ((int64_t)at[0] * c.tensor.element_bytes % UNIT) /* as an H200 */
        return fault_map(&c, v[1],
                         "the first coordinate of the box is no multiple of "
                         "16 bytes");
    if (c.outward)
        return copy_out(&c);
    uint64_t bar = v[n++];
    return copy_in(&c, bar,
                   ins->imm & SW_TENSOR_MANY ? (uint32_t)v[n] & 0xffff : 0);
}

bool
sw_interp_cp_tensor(sw_run *run, const sw_dins *d, uint32_t mask)
{
    enum { SOURCES = 12 };
    const sw_ins *ins = d->ins;
    const sw_oref *src = sw_dins_orefs(d) + d->ndst;
    SW_ASSERT(ins->nsrc <= SOURCES);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t v[SOURCES] = {0};
        for (unsigned k = 0; k < ins->nsrc; k++)
            v[k] = sw_interp_get(&run->x, src[k],
                                 sw_ins_class(run->code->fn, ins, d->ndst + k),
                                 lane);
        if (!copy_lane(run, d, lane, v))
            return false;
    }
    return true;
}
