/* SPDX-License-Identifier: Apache-2.0 */
/* portion.c - how much of a grid a worker takes, and how many are called. */
#include "exec/pool.h"

enum {
    CHUNKS_A_THREAD = 16,
    LEAST_CHUNKS_A_THREAD = 4,
    CREW_NS = 8000,  /* of work at least for each that is called */
    CHUNK_NS = 2000, /* a chunk is to take, if so many are left */
    MAX_CHUNK = 256,
    CHUNKS_IN_CROWD = 32 /* for each thread */
};

/* What a block of this kernel took before; 0: unknown. */
static uint64_t
expected_ns(const sw_grid *grid)
{
    return atomic_load_explicit(grid->launch.program->block_ns,
                                memory_order_relaxed);
}

bool
sw_is_expected_short(const sw_grid *grid)
{
    uint64_t ns = expected_ns(grid);
    return ns && grid->total <= SW_SHORT_NS && ns * grid->total <= SW_SHORT_NS;
}

uint64_t
sw_find_crew(const sw_grid *grid, unsigned threads)
{
    uint64_t ns = expected_ns(grid);
    if (!ns || grid->total > threads * (uint64_t)CREW_NS ||
        grid->launch.cooperative)
        return grid->total;
    uint64_t crew = ns * grid->total / CREW_NS + 1;
    return crew < grid->total ? crew : grid->total;
}

uint64_t
sw_find_chunk(const sw_grid *grid, unsigned threads)
{
    uint64_t ns = expected_ns(grid);
    uint64_t chunk = grid->total / (threads * CHUNKS_A_THREAD);
    uint64_t most = grid->total / (threads * LEAST_CHUNKS_A_THREAD);
    uint64_t wanted = ns ? CHUNK_NS / ns : 0;
    if (wanted > most)
        wanted = most;
    if (grid->launch.program->crowd) /* how fast it goes is to be seen */
        chunk = grid->total / (threads * CHUNKS_IN_CROWD);
    if (chunk < wanted)
        chunk = wanted;
    if (chunk < 1 || grid->launch.cooperative)
        return 1;
    return chunk < MAX_CHUNK ? chunk : MAX_CHUNK;
}
