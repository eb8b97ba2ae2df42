/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster.c - the blocks of a cluster taking turns on one thread, and the
 * barrier of all their threads; see engine.h and pool.h.
 *
 * A block runs as long as it can go on; a block that waits for the others, or
 * only repeats itself, gives way to the next one. All blocks of a cluster
 * stand aside together.
 */
#include <string.h>

#include "exec/pool.h"
#include "exec/tune.h"

const sw_blk *
sw_engine_cluster_blk(const sw_blk *blk, uint32_t rank)
{
    if (!blk->cluster)
        return rank == 0 ? blk : NULL;
    return rank < blk->cluster->count ? blk->cluster->blks[rank] : NULL;
}

const sw_blk *
sw_engine_cluster_at(const sw_blk *blk, uint64_t address, uint64_t *offset)
{
    uint64_t field = address >> SW_CLUSTER_SHIFT;
    *offset = address & ((UINT64_C(1) << SW_CLUSTER_SHIFT) - 1);
    if (!field)
        return blk;
    return field <= UINT32_MAX ? sw_engine_cluster_blk(blk, (uint32_t)field - 1)
                               : NULL;
}

enum { NOWHERE_BYTES = 1 << SW_CLUSTER_SHIFT };
static uint64_t nowhere; /* once reserved, for the life of the process */

uint64_t
sw_engine_nowhere(uint64_t offset)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    uint64_t base;
    pthread_mutex_lock(&lock);
    if (!nowhere && sw_mem_reserve(NOWHERE_BYTES, &base) == SW_OK)
        __atomic_store_n(&nowhere, base, __ATOMIC_RELEASE);
    base = nowhere;
    pthread_mutex_unlock(&lock);
    return base ? base + offset % NOWHERE_BYTES : 0;
}

bool
sw_engine_is_nowhere(uint64_t address)
{
    uint64_t base = __atomic_load_n(&nowhere, __ATOMIC_ACQUIRE);
    return base && address - base < NOWHERE_BYTES;
}

static bool
owns(const sw_blk *blk, uint64_t address)
{
    return address - (uint64_t)(uintptr_t)blk->shared < blk->shared_bytes;
}

const sw_blk *
sw_engine_shared_owner(const sw_blk *blk, uint64_t address)
{
    if (owns(blk, address))
        return blk;
    for (uint32_t i = 0; blk->cluster && i < blk->cluster->count; i++)
        if (owns(blk->cluster->blks[i], address))
            return blk->cluster->blks[i];
    return NULL;
}

/* ---- the barrier ---- */

static void
complete_if_due(sw_cluster *cluster)
{
    if (cluster->missing)
        return;
    cluster->generation++;
    cluster->missing = cluster->live;
    for (uint32_t i = 0; i < cluster->count; i++)
        cluster->blks[i]->epoch++;
}

static uint32_t
arrived(const sw_warp *warp)
{
    return warp->at_cluster.generation == warp->blk->cluster->generation
               ? warp->at_cluster.mask
               : 0;
}

void
sw_engine_cluster_arrive(sw_warp *warp, uint32_t mask)
{
    sw_cluster *cluster = warp->blk->cluster;
    uint32_t before = arrived(warp);
    warp->at_cluster.generation = cluster->generation;
    warp->at_cluster.mask = before | mask;
    cluster->missing -= (uint32_t)__builtin_popcount(mask & ~before);
    complete_if_due(cluster);
}

bool
sw_engine_cluster_passed(const sw_warp *warp, uint32_t mask)
{
    return !(arrived(warp) & mask);
}

static void
forget(sw_warp *warp, uint32_t ended)
{
    sw_cluster *cluster = warp->blk->cluster;
    cluster->live -= (uint32_t)__builtin_popcount(ended);
    cluster->missing -= (uint32_t)__builtin_popcount(ended & ~arrived(warp));
}

void
sw_cluster_lanes_end(sw_warp *warp, uint32_t mask)
{
    forget(warp, mask);
    complete_if_due(warp->blk->cluster);
}

void
sw_cluster_block_ended(sw_blk *blk)
{
    for (uint32_t i = 0; i < blk->warp_count; i++)
        forget(&blk->warps[i], ~blk->warps[i].ended);
    complete_if_due(blk->cluster);
}

static void
open_barrier(sw_cluster *cluster)
{
    cluster->generation++; /* arrivals of an earlier cluster are void */
    cluster->missing = cluster->live =
        cluster->count * cluster->blks[0]->threads;
}

void
sw_cluster_begin_alone(sw_blk *blk)
{
    open_barrier(blk->cluster);
}

/* ---- taking turns ---- */

void
sw_cluster_begin(sw_blk *blk, uint64_t index)
{
    sw_cluster *cluster = blk->cluster;
    cluster->index = index;
    open_barrier(cluster);
    for (uint32_t i = 0; i < cluster->count; i++)
        cluster->blks[i]->has_begun = cluster->blks[i]->has_ended = false;
}

/* The linear number of a block in its grid. */
static uint64_t
block_index(const sw_blk *blk)
{
    uint64_t number = blk->cluster->index, at[3];
    uint32_t rank = blk->rank;
    for (int i = 0; i < 3; i++) {
        uint32_t n = blk->cluster_dims[i];
        at[i] = number % (blk->nctaid[i] / n) * n + rank % n;
        number /= blk->nctaid[i] / n;
        rank /= n;
    }
    return at[0] + blk->nctaid[0] * (at[1] + blk->nctaid[1] * at[2]);
}

/* False: it has ended at once. */
static bool
begin_member(sw_blk *blk)
{
    const sw_backend *backend = blk->program->backend;
    uint64_t index = block_index(blk);
    blk->has_begun = true;
    if (!backend->run_blocks ||
        (blk->observer && !blk->observer->inline_counter &&
         !blk->program->tells_blocks)) {
        sw_engine_begin_block(blk, index);
        return true;
    }
    if (backend->run_blocks(blk, index, 1) == 0)
        return true;
    sw_cluster_block_ended(blk);
    blk->has_ended = true;
    return false;
}

/* A block as long as it moves on by itself. */
static sw_blk_end
run_member(sw_blk *blk, bool *ran)
{
    sw_blk_end end = SW_BLK_YIELD;
    *ran = false;
    blk->has_yielded = false;
    if (!blk->has_begun && !begin_member(blk)) {
        *ran = true;
        return SW_BLK_DONE;
    }
    for (uint32_t i = 0; end == SW_BLK_YIELD && i < sw_exec_tune.turn_rounds;
         i++) {
        uint32_t epoch = blk->epoch;
        bool did;
        if (sw_engine_is_stopped(blk))
            return SW_BLK_FAULT;
        end = sw_blk_run_round(blk, &did);
        if (!did && end == SW_BLK_YIELD)
            break;
        *ran = true;
        if (epoch == blk->epoch)
            break;
    }
    if (end != SW_BLK_DONE)
        return end;
    sw_engine_observe_end(blk);
    blk->has_ended = true;
    return end;
}

/* One turn of each block; *moved: at a barrier somebody has moved on. */
static sw_blk_end
run_turn(sw_cluster *cluster, bool *ran, bool *moved)
{
    bool all_ended = true, yielded = false, spins = false;
    *ran = *moved = false;
    for (uint32_t i = 0; i < cluster->count; i++) {
        sw_blk *blk = cluster->blks[i];
        if (blk->has_ended)
            continue;
        uint32_t epoch = blk->epoch, live = cluster->live;
        bool did;
        sw_blk_end end = run_member(blk, &did);
        if (end == SW_BLK_FAULT)
            return end;
        *ran |= did;
        *moved |= epoch != blk->epoch || live != cluster->live;
        all_ended = all_ended && end == SW_BLK_DONE;
        yielded |= did && end == SW_BLK_YIELD;
        spins |= end == SW_BLK_SPIN;
    }
    return all_ended                      ? SW_BLK_DONE
           : spins && !yielded && !*moved ? SW_BLK_SPIN
                                          : SW_BLK_YIELD;
}

/* A warp of a block that is left gave way in its latest turn. */
static bool
has_yielded(const sw_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->count; i++)
        if (!cluster->blks[i]->has_ended && cluster->blks[i]->has_yielded)
            return true;
    return false;
}

/* The first block of the cluster that has not ended, for reports. */
static sw_blk *
first_left(const sw_cluster *cluster)
{
    uint32_t i = 0;
    while (i + 1 < cluster->count && cluster->blks[i]->has_ended)
        i++;
    return cluster->blks[i];
}

sw_blk_end
sw_cluster_run(sw_cluster *cluster)
{
    sw_blk_end end = SW_BLK_YIELD;
    uint32_t yields = 0;
    bool yielded = false;
    while (end == SW_BLK_YIELD && yields < sw_exec_tune.turn_rounds) {
        bool ran, moved;
        if (sw_engine_is_stopped(cluster->blks[0]))
            return SW_BLK_FAULT;
        end = run_turn(cluster, &ran, &moved);
        if (end == SW_BLK_YIELD && !ran) {
            sw_blk_report_stuck(first_left(cluster), SW_BLK_STUCK_BARRIER, 0);
            end = SW_BLK_FAULT;
        }
        if (!moved || has_yielded(cluster))
            yields++;
        yielded |= end == SW_BLK_YIELD;
    }
    return end == SW_BLK_SPIN && yielded ? SW_BLK_YIELD : end;
}
