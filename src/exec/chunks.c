/* SPDX-License-Identifier: Apache-2.0 */
/* chunks.c - how much of a grid a worker takes, and how many are called. */
#include "exec/pool.h"
#include "exec/tune.h"

/* What a block of this kernel took before; 0: unknown. */
static uint64_t
expected_ns(const sw_grid *grid)
{
    return atomic_load_explicit(grid->launch.program->block_ns,
                                memory_order_relaxed);
}

bool
sw_grid_is_expected_short(const sw_grid *grid)
{
    uint64_t ns = expected_ns(grid);
    return ns && grid->total <= sw_exec_tune.short_grid_ns &&
           ns * grid->total <= sw_exec_tune.short_grid_ns;
}

uint64_t
sw_grid_find_workers(const sw_grid *grid, unsigned threads)
{
    uint64_t ns = expected_ns(grid);
    if (!ns || grid->total > threads * (uint64_t)sw_exec_tune.worker_ns ||
        grid->launch.cooperative)
        return grid->total;
    uint64_t workers = ns * grid->total / sw_exec_tune.worker_ns + 1;
    return workers < grid->total ? workers : grid->total;
}

uint64_t
sw_grid_find_chunk(const sw_grid *grid, unsigned threads)
{
    uint64_t ns = expected_ns(grid);
    uint64_t chunk = grid->total / (threads * sw_exec_tune.worker_chunks);
    uint64_t most = grid->total / (threads * sw_exec_tune.worker_chunks_least);
    uint64_t wanted = ns ? sw_exec_tune.chunk_ns / ns : 0;
    if (wanted > most)
        wanted = most;
    if (grid->launch.program->contention) /* how fast it goes is to be seen */
        chunk = grid->total / (threads * sw_exec_tune.contention_chunks);
    if (chunk < wanted)
        chunk = wanted;
    if (chunk < 1 || grid->launch.cooperative)
        return 1;
    return chunk < sw_exec_tune.chunk_most ? chunk : sw_exec_tune.chunk_most;
}
