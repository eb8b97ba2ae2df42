/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - turns a warp's trace into visits of blocks of code, and its
 * accesses into sectors and passes; see play.h.
 */
#include <string.h>

#include "model/play.h"
#include "watch/access.h"
#include "watch/access_lanes.h"

enum {
    LANES = 32,
    SECTOR_BYTES = 32,
    LOCAL_WORD = 4,
    PAIRS_FROM = 70,
    PAIR_SHIFT = 8,    /* of two lines */
    SEGMENTS_FROM = 12 /* before, lanes are coalesced or alone */
};

void
sw_play_open(sw_play_stream *s, const sw_trace_warp *trace)
{
    sw_vec accesses = s->accesses, sectors = s->sectors, lanes = s->lanes;
    *s = (sw_play_stream){
        .accesses = accesses, .sectors = sectors, .lanes = lanes};
    if (!s->accesses.elem_bytes) {
        sw_vec_init(&s->accesses, sizeof(sw_play_access));
        sw_vec_init(&s->sectors, sizeof(sw_l2_access));
        sw_vec_init(&s->lanes, sizeof(uint8_t));
    }
    s->reader = sw_trace_read(trace);
}

void
sw_play_close(sw_play_stream *s)
{
    sw_vec_finish(&s->accesses);
    sw_vec_finish(&s->sectors);
    sw_vec_finish(&s->lanes);
}

/* ---- accesses ---- */

/* Bytes of each sector that lanes write: their masks; and how many lanes. */
static void
mark_bytes(sw_l2_access *list, uint8_t *lanes, unsigned count,
           const uint64_t addr[LANES], uint32_t mask, uint32_t bytes)
{
    unsigned k = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = addr[__builtin_ctz(m)];
        for (uint32_t done = 0; done < bytes;) {
            uint64_t sector = (at + done) / SECTOR_BYTES;
            uint32_t from = (uint32_t)((at + done) % SECTOR_BYTES);
            uint32_t n = SECTOR_BYTES - from;
            n = n < bytes - done ? n : bytes - done;
            for (unsigned i = 0; i < count && list[k].sector != sector; i++)
                k = k + 1 < count ? k + 1 : 0;
            list[k].what |= (uint32_t)((((uint64_t)1 << n) - 1) << from);
            lanes[k]++;
            done += n;
        }
    }
}

static void
add_sector(sw_play_stream *s, sw_l2_access sector, uint32_t lanes)
{
    *(sw_l2_access *)sw_vec_push(&s->sectors) = sector;
    *(uint8_t *)sw_vec_push(&s->lanes) = (uint8_t)lanes;
}

/* A row of lanes without gaps: sectors side by side. */
static unsigned
add_row(sw_play_stream *s, uint64_t first, uint64_t bytes, uint32_t width)
{
    uint64_t from = first / SECTOR_BYTES;
    uint64_t to = (first + bytes - 1) / SECTOR_BYTES;
    unsigned count = 0;
    for (uint64_t sector = from; sector <= to && count < 255; sector++) {
        uint32_t what = UINT32_MAX;
        if (sector == from)
            what <<= first % SECTOR_BYTES;
        if (sector == to)
            what &= UINT32_MAX >>
                    (SECTOR_BYTES - 1 - (first + bytes - 1) % SECTOR_BYTES);
        uint32_t lanes = (uint32_t)__builtin_popcount(what) / width;
        add_sector(s, (sw_l2_access){.sector = sector, .what = what}, lanes);
        count++;
    }
    return count;
}

static bool
is_whole_row(const sw_trace_item *item)
{
    uint32_t m = item->mask >> __builtin_ctz(item->mask);
    return item->lie == SW_TRACE_ROW && !(m & (m + 1));
}

static void
add_lanes(sw_player *p, sw_play_stream *s, sw_play_access *a,
          const uint64_t addr[LANES], uint32_t bytes)
{
    uint64_t sector[LANES * 4];
    sw_coalesced found;
    uint32_t cc = p->machine->device->cc;
    sw_coalesce(cc < 20 ? 13 : 50, false, addr, a->mask, bytes, &found, sector);
    unsigned count = found.sectors < 255 ? found.sectors : 255;
    for (unsigned i = 0; i < count; i++)
        add_sector(s, (sw_l2_access){.sector = sector[i]}, 0);
    mark_bytes((sw_l2_access *)s->sectors.data + a->first,
               (uint8_t *)s->lanes.data + a->first, count, addr, a->mask,
               bytes);
    a->count = (uint8_t)count;
    a->lines = (uint8_t)(found.lines < 255 ? found.lines : 255);
    a->tags = a->lines;
}

static void
find_addresses(const sw_trace_item *item, uint64_t addr[LANES])
{
    for (uint32_t m = item->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        addr[lane] = sw_trace_address(item, lane);
    }
}

/* Before 1.2 each lane of an access that is not coalesced has a transaction of
 * its own. False: it is coalesced. */
static bool
add_single_lanes(sw_play_stream *s, sw_play_access *a,
                 const sw_trace_item *item, uint32_t bytes)
{
    uint64_t addr[LANES] = {0};
    sw_coalesced found;
    if (item->space == SW_SPACE_LOCAL)
        return false;
    find_addresses(item, addr);
    sw_coalesce(10, false, addr, a->mask, bytes < 16 ? bytes : 16, &found,
                NULL);
    if (!found.incoherent)
        return false;
    for (uint32_t m = item->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        add_sector(s, (sw_l2_access){.sector = addr[lane] / SECTOR_BYTES}, 0);
        a->count++;
    }
    a->lines = a->tags = a->count;
    return true;
}

/* From 7.0 on L1 looks up two neighbouring lines at once, and its data lie in
 * the banks of shared memory. */
static void
find_passes(uint32_t cc, sw_play_access *a, const uint64_t addr[LANES],
            uint32_t bytes)
{
    uint64_t low[LANES];
    sw_banked banks;
    if (cc < PAIRS_FROM || a->count < 2)
        return;
    for (unsigned i = 0; i < LANES; i++)
        low[i] = addr[i] & INT32_MAX;
    a->tags = (uint8_t)sw_access_lanes_get()->count(addr, a->mask, PAIR_SHIFT);
    sw_bank(cc, false, true, low, a->mask, bytes < 16 ? bytes : 16, &banks);
    a->passes = (uint8_t)(banks.passes < 255 ? banks.passes : 255);
}

static unsigned
count_lines(const sw_play_stream *s, const sw_play_access *a)
{
    const sw_l2_access *list = (const sw_l2_access *)s->sectors.data + a->first;
    unsigned lines = a->count != 0;
    for (unsigned i = 1; i < a->count; i++)
        lines += list[i].sector >> 2 != list[i - 1].sector >> 2;
    return lines;
}

/* Words of local memory lie in turns, a lane's beside the next one's. */
static void
make_local(const sw_trace_item *item, uint64_t local, uint64_t addr[LANES])
{
    for (uint32_t m = item->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t word = sw_trace_address(item, lane) / LOCAL_WORD;
        addr[lane] = local + (word * LANES + lane) * LOCAL_WORD;
    }
}

/* Passes of shared memory; atomics on one word go one after another. */
static void
find_banks(const sw_player *p, const sw_trace_item *item,
           const uint64_t addr[LANES], uint32_t bytes, sw_banked *out)
{
    uint32_t cc = p->machine->device->cc;
    const sw_ins *ins =
        item->index < p->seen->ins_count ? p->seen->ins[item->index] : NULL;
    if (ins && (ins->op == SW_OP_ATOM || ins->op == SW_OP_RED))
        sw_bank_atomic(ins->sub == SW_ATOM_CAS, bytes, addr, item->mask, out);
    else
        sw_bank(cc, false, true, addr, item->mask, bytes, out);
}

static void
add_access(sw_player *p, sw_play_stream *s, const sw_trace_item *item,
           uint16_t at, uint8_t copy, uint64_t local)
{
    uint64_t addr[LANES] = {0};
    sw_play_access *a = sw_vec_push(&s->accesses);
    uint32_t bytes = item->bytes;
    *a = (sw_play_access){.at = at,
                          .copy = copy,
                          .space = (uint8_t)item->space,
                          .bytes = (uint8_t)bytes,
                          .mask = item->mask,
                          .passes = 1,
                          .first = (uint32_t)s->sectors.count};
    bool is_global =
        item->space != SW_SPACE_SHARED && item->space != SW_SPACE_CONST;
    if (is_global && p->machine->device->cc < SEGMENTS_FROM &&
        add_single_lanes(s, a, item, bytes))
        return;
    if (is_global && item->space != SW_SPACE_LOCAL && is_whole_row(item)) {
        a->count = (uint8_t)add_row(
            s, item->first, (uint64_t)__builtin_popcount(item->mask) * bytes,
            bytes ? bytes : 1);
        a->lines = a->tags = (uint8_t)count_lines(s, a);
        return;
    }
    if (item->space == SW_SPACE_LOCAL)
        make_local(item, local, addr);
    else
        find_addresses(item, addr);
    sw_banked banks = {1, 1, 0};
    uint32_t cc = p->machine->device->cc, part = bytes < 16 ? bytes : 16;
    if (item->space == SW_SPACE_SHARED) {
        find_banks(p, item, addr, part, &banks);
        a->passes = (uint8_t)(banks.passes < 255 ? banks.passes : 255);
    } else if (item->space == SW_SPACE_CONST) {
        sw_constant(cc, addr, item->mask, part, &banks);
        a->passes = (uint8_t)(banks.passes < 255 ? banks.passes : 255);
        add_lanes(p, s, a, addr, part);
    } else {
        add_lanes(p, s, a, addr,
                  item->space == SW_SPACE_LOCAL ? LOCAL_WORD
                  : bytes < 32                  ? bytes
                                                : 32);
        if (item->space != SW_SPACE_LOCAL)
            find_passes(cc, a, addr, bytes);
    }
}

/* ---- visits ---- */

static bool
peek(sw_play_stream *s)
{
    if (!s->has_item && !s->ended) {
        s->has_item = sw_trace_next(&s->reader, &s->item);
        s->ended = !s->has_item;
    }
    return s->has_item;
}

/* Instructions of the block behind this one need not be looked at. */
static void
skip_run(sw_player *p, sw_play_stream *s, const sw_play_block *block,
         uint16_t *at)
{
    uint32_t rest = block->block->count - 1u - *at;
    uint32_t n = s->reader.run < rest ? s->reader.run : rest;
    p->consumed += n + 1;
    s->reader.run -= n;
    s->reader.next += n;
    *at = (uint16_t)(*at + n);
}

/* Reads the rest of a visit whose first instruction is the item. False: it is
 * of no block that is known. */
static bool
read_visit(sw_player *p, sw_play_stream *s, uint8_t copy, uint64_t local)
{
    const sw_play_place *first = &p->places[s->item.index];
    const sw_play_block *block = sw_vec_at(&p->code->blocks, first->block);
    uint16_t at = first->at;
    uint32_t mask = s->item.mask;
    s->has_item = false;
    skip_run(p, s, block, &at);
    while (peek(s)) {
        const sw_play_place *place = &p->places[s->item.index];
        if (place->block != first->block)
            break;
        if (s->item.is_access) {
            add_access(p, s, &s->item, place->at, copy, local);
            s->has_item = false;
            continue;
        }
        if (place->at <= at)
            break;
        at = place->at;
        mask |= s->item.mask;
        s->has_item = false;
        skip_run(p, s, block, &at);
    }
    if (!copy)
        s->mask = mask;
    return true;
}

/* The next item that begins a visit; false: there is none. */
static bool
find_start(sw_player *p, sw_play_stream *s)
{
    while (peek(s)) {
        bool is_known = s->item.index < p->seen->ins_count &&
                        p->places[s->item.index].block != UINT32_MAX;
        if (is_known && !s->item.is_access)
            return true;
        p->consumed += !s->item.is_access;
        s->has_item = false;
    }
    return false;
}

bool
sw_play_next(sw_player *p, sw_play_stream *s, uint64_t local)
{
    if (s->played < s->visits) /* too few for the copies: one after another */
        return true;
    s->visits = s->played = 0;
    sw_vec_clear(&s->accesses);
    sw_vec_clear(&s->sectors);
    sw_vec_clear(&s->lanes);
    if (!find_start(p, s))
        return false;
    s->block = p->places[s->item.index].block;
    const sw_play_block *block = sw_vec_at(&p->code->blocks, s->block);
    uint32_t most = block->copies.count ? block->unrolled : 1;
    do
        read_visit(p, s, (uint8_t)s->visits++, local);
    while (s->visits < most && find_start(p, s) &&
           p->places[s->item.index].block == s->block);
    return true;
}
