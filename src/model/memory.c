/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - what an access meets on its way: L1 and shared memory of the
 * multiprocessor, its ports to L2, the slices of L2, device memory; see play.h.
 */
#include <math.h>
#include <string.h>

#include "model/play.h"
#include "watch/access.h"

enum {
    LANES = 32,
    PENDING = 4096, /* entries of sw_play_sm.pending; a power of two */
    CONSTANT_LINE = 64,
    CONSTANT_LINES = 32, /* 2 KiB: the cache next to the scheduler */
    LINE_SECTORS = 4,
    HALF = 64,     /* bytes of a transaction of half a warp */
    LONE_FROM = 70 /* before, memory moves single sectors */
};

static const double SECTOR_BYTES = 32;

static uint64_t
mix(uint64_t v)
{
    v *= 0x9e3779b97f4a7c15u;
    v ^= v >> 32;
    v *= 0xd6e8feb86659fd93u;
    return v ^ v >> 29;
}

/* ---- servers ---- */

void
sw_play_open_window(sw_player *p, double start)
{
    double passed = start - p->window;
    if (passed > 0) {
        double lately = passed < 256 ? passed / 256 : 1;
        double load = p->dram_server.used / passed;
        p->load += ((load < 1 ? load : 1) - p->load) * lately;
    }
    sw_server *all[2] = {&p->l2_server, &p->dram_server};
    for (int i = 0; i < 2; i++) {
        double left = all[i]->left + all[i]->used - passed;
        all[i]->left = left > 0 ? left : 0;
        all[i]->used = 0;
    }
    for (uint32_t i = 0; p->channel && i < p->machine->partitions; i++) {
        double left = p->channel[i].left + p->channel[i].used - passed;
        p->channel[i].left = left > 0 ? left : 0;
        p->channel[i].used = 0;
    }
    p->window = start;
}

/* Clocks that it waits before it is served. */
double
sw_play_serve(sw_player *p, sw_server *s, double t, double work)
{
    double wait = s->left + s->used - (t > p->window ? t - p->window : 0);
    s->used += work;
    s->busy += work;
    return wait > 0 ? wait : 0;
}

/* ---- device memory ---- */

/* Latencies of single accesses differ, by banks and refreshes that the model
 * does not have: evenly around a mean, and more so under load. */
static double
spread(sw_player *p)
{
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    double u = (double)(p->random >> 11) * 0x1p-53;
    double more = 1 + p->machine->g.dram_load * p->load * p->load;
    return 2 * u * p->machine->g.dram_spread * more;
}

/* Waits for memory. times: it moves so many times as much. */
static double
wait_memory(sw_player *p, double sectors, double times, double t)
{
    double work = times * sectors * SECTOR_BYTES / p->machine->dram_bytes;
    p->dram_sectors += sectors;
    return sw_play_serve(p, &p->dram_server, t, work);
}

/* The same of one transaction with a partition of linear memory. */
static double
wait_partition(sw_player *p, uint64_t sector, double sectors, double t)
{
    const sw_machine *m = p->machine;
    double work = (sectors + m->g.transaction) * SECTOR_BYTES / m->dram_bytes;
    uint64_t addr = sector * (uint64_t)SECTOR_BYTES;
    sw_server *s = &p->channel[addr / m->interleave % m->partitions];
    double others = 0;
    p->dram_sectors += sectors;
    p->dram_server.busy += work;
    work *= m->partitions;
    for (uint32_t i = 0; i < m->partitions; i++)
        others += (p->channel[i].left + p->channel[i].used) / m->partitions;
    /* Where accesses camp on a partition, it changes rows all the time. */
    if (s->left + s->used > 3 * others && s->left + s->used > m->g.dram)
        work *= m->g.camped;
    return sw_play_serve(p, s, t, work);
}

/* ... of an access: of each run of sectors within HALF bytes, the words of half
 * a warp. */
static double
wait_partitions(sw_player *p, const sw_l2_access *list, unsigned count,
                double t)
{
    const uint64_t row = HALF / (uint64_t)SECTOR_BYTES;
    double last = 0;
    for (unsigned i = 0, n; i < count; i += n) {
        uint64_t first = list[i].sector;
        for (n = 1; i + n < count && list[i + n].sector == first + n &&
                    (first + n) % row;
             n++)
            ;
        double wait = wait_partition(p, first, n, t);
        last = wait > last ? wait : last;
    }
    return last;
}

/* ---- L2 ---- */

typedef struct {
    double done;   /* the last of it has come */
    double wait;   /* clocks of queues */
    double misses; /* of those that had to come from memory */
} answer;

/* Of the sectors that L2 of the part that is played does not have, the share
 * that it would not have if all blocks were played. The others read between
 * the same two sectors: all together miss no more of them than there are. */
static double
share_of(sw_player *p, sw_play_region *r, const sw_l2_access *list,
         unsigned count, double misses)
{
    double others = p->seen->sample;
    if (!r || others <= 1 || misses <= 0)
        return 1;
    for (unsigned i = 0; i < count; i++) {
        if (r->misses <= 0 || list[i].sector < r->low)
            r->low = list[i].sector;
        if (r->misses <= 0 || list[i].sector > r->high)
            r->high = list[i].sector;
        r->misses += i == 0 ? misses : 0;
    }
    double span = (double)(r->high - r->low + 1);
    double all = r->misses * others;
    double first = all / (double)p->next_trace; /* beside one block */
    return span + first >= all ? 1 : (span + first) / all;
}

/* A line of which one sector is written in part takes memory twice as long. */
static double
times_moved(const sw_machine *m, const sw_l2_access *list, unsigned count)
{
    unsigned alone = 0;
    if (m->device->cc < LONE_FROM)
        return 1;
    for (unsigned i = 0; i < count; i++) {
        uint64_t line = list[i].sector / LINE_SECTORS;
        bool before = i && list[i - 1].sector / LINE_SECTORS == line;
        bool after = i + 1 < count && list[i + 1].sector / LINE_SECTORS == line;
        alone += list[i].kind == SW_L2_WRITE && list[i].what != UINT32_MAX &&
                 !before && !after;
    }
    return 1 + (double)alone / count;
}

/* Sectors of one kind to L2 at time t. */
static answer
ask_l2(sw_player *p, const sw_play_sm *sm, sw_play_region *region,
       sw_l2_access *list, unsigned count, double t)
{
    const sw_machine *m = p->machine;
    const sw_l2_counts *n = sw_l2_get_counts(p->l2);
    sw_l2_counts before = *n;
    uint64_t misses = 0;
    double weight = 0;
    for (unsigned i = 0; i < count; i++) {
        list[i].misses = &misses;
        list[i].last = i + 1 == count;
        bool is_partial =
            list[i].kind == SW_L2_WRITE && list[i].what != UINT32_MAX;
        weight += is_partial                    ? m->g.partial
                  : list[i].kind == SW_L2_WRITE ? m->g.written
                                                : 1;
    }
    sw_l2_run(p->l2, sm->number, list, count);
    double reads = (double)(n->dram_read - before.dram_read);
    double writes = (double)(n->dram_write - before.dram_write);
    double part = share_of(p, region, list, count, (double)misses);
    if (part < 1) {
        region->carry += part * (double)misses;
        double whole = floor(region->carry);
        region->carry -= whole;
        reads *= whole / (double)misses;
        misses = (uint64_t)whole;
    }
    answer a = {.misses = (double)misses};
    p->l2_sectors += count;
    p->l2_hits += count - (misses < count ? (double)misses : count);
    if (m->l2_size)
        a.wait = sw_play_serve(p, &p->l2_server, t, weight / m->l2_sectors);
    double memory = 0, times = times_moved(m, list, count);
    if (p->channel) /* no L2 before it */
        memory = wait_partitions(p, list, count, t);
    else if (reads > 0)
        memory = wait_memory(p, reads, times, t);
    if (!p->channel && writes > 0) /* L2 takes them before */
        wait_memory(p, writes, times, t);
    bool is_read = list[0].kind == SW_L2_READ;
    double latency = m->g.l2;
    if (misses && (is_read || list[0].kind == SW_L2_ATOM)) {
        a.wait += memory;
        latency = m->g.dram + spread(p);
    } else if (!is_read) {
        a.wait += memory; /* stores wait for room */
    }
    a.done = t + a.wait + latency;
    return a;
}

/* ---- accesses of a warp ---- */

static double *
find_pending(sw_play_sm *sm, uint64_t sector)
{
    uint64_t at = mix(sector) & (PENDING - 1);
    return sm->pending[at] == sector + 1 ? &sm->arrives[at] : NULL;
}

static void
add_pending(sw_play_sm *sm, uint64_t sector, double t)
{
    uint64_t at = mix(sector) & (PENDING - 1);
    sm->pending[at] = sector + 1;
    sm->arrives[at] = t;
}

/* Takes L1's data and tags at t or when they are free. */
static double
take_data(sw_player *p, sw_play_sm *sm, double t, double clocks)
{
    double start = t > sm->data ? t : sm->data;
    sm->data = start + clocks;
    p->data_clocks += clocks;
    return start;
}

/* Does L1 keep global memory? 5.x and 6.x but 6.0: no; 3.x: no. */
static bool
has_l1(const sw_player *p, const sw_play_access *a)
{
    uint32_t cc = p->machine->device->cc;
    if (cc < 20)
        return false;
    return a->space == SW_SPACE_LOCAL || (cc >= 20 && cc < 30) || cc == 60 ||
           cc >= 70;
}

/* A load's sectors that L1 does not have, into `list`; *ready: when what it has
 * is there. */
static unsigned
look_up(sw_player *p, sw_play_sm *sm, sw_l1 *l1, const sw_play_access *a,
        const sw_l2_access *from, double t, sw_l2_access *list, double *ready)
{
    unsigned count = 0;
    for (unsigned i = 0; i < a->count; i++) {
        bool hits = l1 && sw_l1_load(l1, from[i].sector, false);
        p->l1_sectors++;
        if (hits) {
            const double *on_way = find_pending(sm, from[i].sector);
            p->l1_hits++;
            if (on_way && *on_way > *ready)
                *ready = *on_way;
        } else {
            list[count++] =
                (sw_l2_access){.sector = from[i].sector, .kind = SW_L2_READ};
        }
    }
    if (*ready < t)
        *ready = t;
    return count;
}

static double
load(sw_player *p, sw_play_sm *sm, sw_l1 *l1, double latency,
     const sw_play_access *a, const sw_l2_access *from, sw_play_region *region,
     double t)
{
    const sw_generation *g = &p->machine->g;
    sw_l2_access list[256];
    double clocks = a->tags * g->tag, passes = a->passes * g->pass;
    double bytes = a->count * SECTOR_BYTES / g->l1_bytes;
    clocks = passes > clocks ? passes : clocks;
    double start = take_data(p, sm, t, clocks > bytes ? clocks : bytes);
    double ready = start + latency;
    unsigned count = look_up(p, sm, l1, a, from, ready, list, &ready);
    if (!count)
        return ready;
    answer found = ask_l2(p, sm, region, list, count, start);
    double port = count * SECTOR_BYTES / g->l2_bytes;
    double from_port = sm->port > start ? sm->port - start : 0;
    sm->port = (sm->port > start ? sm->port : start) + port;
    double done = found.done + from_port + port;
    for (unsigned i = 0; l1 && i < count; i++)
        add_pending(sm, list[i].sector, done);
    return done > ready ? done : ready;
}

/* A slice of L2 does one access of a sector at a time; when it has. */
static double
take_slice(sw_player *p, uint64_t sector, double t, double clocks)
{
    uint64_t line = sector / LINE_SECTORS;
    uint64_t slices = (uint64_t)p->machine->g.slices;
    /* Neighbouring lines are in different slices. */
    uint64_t at = (line + mix(line / slices)) % slices;
    double work = clocks * p->seen->sample;
    double free = p->slice_free[at] > t ? p->slice_free[at] : t;
    p->slice_free[at] = free + work;
    p->slice_clocks[at] += work;
    if (p->slice_clocks[at] > p->slice_busy)
        p->slice_busy = p->slice_clocks[at];
    return free + work;
}

/* Sends what the warp has stored and not yet sent. */
static double
send_stores(sw_player *p, sw_play_sm *sm, sw_play_warp *w, double t)
{
    const sw_generation *g = &p->machine->g;
    if (!w->held_count)
        return t;
    double from_port = sm->writes > t ? sm->writes - t : 0;
    sm->writes = (sm->writes > t ? sm->writes : t) +
                 w->held_count * SECTOR_BYTES / g->write_bytes;
    answer taken = ask_l2(p, sm, NULL, w->held, w->held_count, t);
    double last = t;
    for (unsigned i = 0; i < w->held_count; i++)
        if (w->held[i].what != UINT32_MAX) {
            double end = take_slice(p, w->held[i].sector, t, g->part_written);
            last = end > last ? end : last;
        }
    double wait = taken.wait + from_port;
    wait = last - t > wait ? last - t : wait;
    if (wait > g->queue && sm->data < t + wait - g->queue)
        sm->data = t + wait - g->queue; /* the way is full */
    w->held_count = 0;
    return taken.done + from_port;
}

void
sw_play_flush(sw_player *p, sw_play_sm *sm, sw_play_warp *w, double t)
{
    double done = send_stores(p, sm, w, t);
    w->stored = done > w->stored ? done : w->stored;
}

/* The sectors are those that the warp's last store wrote in part. */
static bool
completes(const sw_play_warp *w, const sw_play_access *a,
          const sw_l2_access *from)
{
    if (!w->held_count || a->count > w->held_count)
        return false;
    for (unsigned i = 0; i < a->count; i++)
        if (from[i].sector != w->held[i].sector)
            return false;
    return true;
}

/* Stores that complete each other's sectors leave as one. */
static double
store(sw_player *p, sw_play_sm *sm, sw_play_warp *w, const sw_play_access *a,
      const sw_l2_access *from, double t)
{
    enum { HELD = 32 };
    const sw_generation *g = &p->machine->g;
    double clocks = a->lines * g->store_tag;
    double bytes = a->count * SECTOR_BYTES / g->l1_bytes;
    double start = take_data(p, sm, t, clocks > bytes ? clocks : bytes);
    bool is_partial = false;
    if (completes(w, a, from)) {
        for (unsigned i = 0; i < a->count; i++)
            w->held[i].what |= from[i].what;
        return start;
    }
    double done = send_stores(p, sm, w, start);
    for (unsigned i = 0; i < a->count; i++) {
        if (w->held_count == HELD)
            done = send_stores(p, sm, w, start);
        sw_l2_access *held = &w->held[w->held_count++];
        *held = from[i];
        held->kind = SW_L2_WRITE;
        is_partial |= from[i].what != UINT32_MAX;
        if (p->machine->device->cc < 70)
            sw_l1_drop(sm->l1, from[i].sector);
    }
    return is_partial ? done : send_stores(p, sm, w, start);
}

/* Clocks for a sector's lanes; those at one word go one after another. */
static double
cost_of_atomic(const sw_generation *g, const sw_play_op *op, double words,
               double lanes)
{
    double again = op->is_one || lanes < words ? 0 : lanes - words;
    double clocks = g->atomic + again * g->atomic_again +
                    (words > 1 ? (words - 1) * g->atomic_word : 0);
    return op->ins->sub == SW_ATOM_CAS ? clocks * g->atomic_compare : clocks;
}

static double
change(sw_player *p, sw_play_sm *sm, const sw_play_warp *w,
       const sw_play_op *op, const sw_play_access *a, double t)
{
    const sw_generation *g = &p->machine->g;
    const sw_play_stream *s = &w->stream;
    const sw_l2_access *from = (const sw_l2_access *)s->sectors.data + a->first;
    const uint8_t *lanes = (const uint8_t *)s->lanes.data + a->first;
    sw_l2_access list[256];
    double start = take_data(p, sm, t, a->count * g->atomic_tag), done = start;
    for (unsigned i = 0; i < a->count; i++) {
        double words = (double)__builtin_popcount(from[i].what) /
                       (a->bytes ? a->bytes : 1);
        double clocks = cost_of_atomic(g, op, words, lanes[i]);
        double end = take_slice(p, from[i].sector, start, clocks);
        list[i] = (sw_l2_access){
            .sector = from[i].sector,
            .what = lanes[i] ? lanes[i] : 1,
            .kind = op->kind == SW_PLAY_REDUCE ? SW_L2_RED : SW_L2_ATOM};
        done = end > done ? end : done;
        sw_l1_drop(sm->l1, from[i].sector);
    }
    answer taken = ask_l2(p, sm, NULL, list, a->count, start);
    double wait = done - start;
    if (wait > g->queue && sm->data < start + wait - g->queue)
        sm->data = start + wait - g->queue;
    return taken.done + wait;
}

double
sw_play_global(sw_player *p, sw_play_sm *sm, sw_play_warp *w,
               const sw_play_op *op, const sw_play_access *a, double t)
{
    const sw_l2_access *from =
        (const sw_l2_access *)w->stream.sectors.data + a->first;
    const sw_generation *g = &p->machine->g;
    sw_play_region *region = &p->regions[op->region];
    if (!a->count)
        return t + g->l1;
    switch (op->kind) {
    case SW_PLAY_STORE:
        return store(p, sm, w, a, from, t);
    case SW_PLAY_ATOMIC:
    case SW_PLAY_REDUCE:
        return change(p, sm, w, op, a, t);
    case SW_PLAY_TEXTURE:
        return load(p, sm, sm->texture, g->texture, a, from, region, t);
    default:
        return load(p, sm, has_l1(p, a) ? sm->l1 : NULL, g->l1, a, from, region,
                    t);
    }
}

double
sw_play_shared(sw_player *p, sw_play_sm *sm, const sw_play_op *op,
               const sw_play_access *a, double t)
{
    const sw_generation *g = &p->machine->g;
    /* Loads that are one: 8 bytes of each lane in a pass. */
    double passes = a->passes > op->loads / 2 ? a->passes : op->loads / 2;
    double clocks = passes * g->pass;
    double start = take_data(p, sm, t, clocks);
    return start + g->shared + clocks - g->pass;
}

/* A line that the cache lacks takes its port for a while. */
double
sw_play_constant(sw_player *p, sw_play_sm *sm, sw_play_warp *w,
                 const sw_play_access *a, double t)
{
    const sw_generation *g = &p->machine->g;
    const sw_l2_access *from =
        (const sw_l2_access *)w->stream.sectors.data + a->first;
    double start = t > sm->constant ? t : sm->constant;
    double clocks = (a->passes - 1) * g->constant_pass + 1, miss = 0;
    for (unsigned i = 0; i < a->count; i++) {
        uint64_t line = from[i].sector * 32 / CONSTANT_LINE + 1;
        uint64_t *tag = &sm->constants[line % CONSTANT_LINES];
        if (*tag != line) {
            clocks += g->constant_miss / 16;
            miss = g->constant_miss;
        }
        *tag = line;
    }
    sm->constant = start + clocks;
    return start + clocks + miss + g->constant;
}
