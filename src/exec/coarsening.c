/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coarsening.c - launches with blocks of few threads, by programs that run
 * several as one (opt/coarsening.h). What is told of a fault is as if they had
 * run by themselves. Who looks closer, an observer or a debugger that started
 * the process, would see them together, so for these they are left alone.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "exec/pool.h"
#include "exec/tune.h"
#include "opt/pipeline.h"

/* sw_program.coarsening_facts */
enum { IS_KNOWN = 1, CAN = 2, HAS_LISTS = 4, IS_APART = 8 };

static bool is_off;

static void
look(void)
{
    char line[128];
    /* Statistics count the program's own blocks. */
    is_off = sw_setting_is(SW_SETTING_PACK, "0") ||
             sw_setting_is(SW_SETTING_STATS, "1");
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f)) {
        long tracer;
        if (sscanf(line, "TracerPid: %ld", &tracer) == 1 && tracer)
            is_off = true;
    }
    if (f)
        fclose(f);
}

static unsigned
facts_of(sw_program *program)
{
    unsigned known = atomic_load(&program->coarsening_facts);
    if (known)
        return known;
    sw_coarsening_facts facts = sw_opt_find_coarsening(program->kernel);
    known = IS_KNOWN | (facts.can ? CAN : 0) |
            (facts.has_lists ? HAS_LISTS : 0) | (facts.is_apart ? IS_APART : 0);
    atomic_store(&program->coarsening_facts, (unsigned char)known);
    return known;
}

/* ---- programs ---- */

static sw_program *
create(sw_program *of, const sw_coarsening *coarsening)
{
    sw_program *p = sw_program_begin(of->backend);
    p->coarsening = *coarsening;
    p->info = of->info;
    p->fns = sw_arena_alloc(p->arena, sizeof *p->fns);
    p->fns[0] = of->kernel;
    sw_opt_unit unit = {.fns = p->fns,
                        .fn_count = 1,
                        .arena = p->arena,
                        .coarsening = coarsening};
    sw_opt_run(SW_STAGE_COARSEN, &unit);
    p->kernel = p->fns[0];
    p->info.param_bytes = p->kernel->param_bytes;
    p->fn_count = 1;
    p->local_bytes = of->local_bytes;
    p->is_instrumented = of->is_instrumented;
    if (of->contention)
        p->contention = sw_arena_alloc(p->arena, sizeof *p->contention);
    sw_diag diag;
    sw_diag_init(&diag);
    sw_status status = sw_program_compile(p, &diag);
    sw_diag_finish(&diag);
    if (status != SW_OK) {
        sw_program_destroy(p);
        return NULL;
    }
    sw_log(SW_LOG_DEBUG, "%s: %u blocks run as one", p->kernel->name,
           coarsening->blocks);
    return p;
}

static bool
is_same(const sw_coarsening *a, const sw_coarsening *b)
{
    return a->threads_x == b->threads_x && a->blocks == b->blocks &&
           a->has_rest == b->has_rest;
}

static sw_program *
find(sw_program *of, const sw_coarsening *coarsening)
{
    for (sw_program *p = atomic_load(&of->coarsened); p; p = p->next_coarsened)
        if (is_same(&p->coarsening, coarsening))
            return p;
    return NULL;
}

static sw_program *
find_or_create(sw_program *of, const sw_coarsening *coarsening)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    sw_program *p = find(of, coarsening);
    if (p)
        return p;
    pthread_mutex_lock(&lock);
    p = find(of, coarsening);
    if (!p && (p = create(of, coarsening))) {
        p->next_coarsened = atomic_load(&of->coarsened);
        atomic_store(&of->coarsened, p);
    }
    pthread_mutex_unlock(&lock);
    return p;
}

/* ---- launches ---- */

static uint32_t
threads_of(const sw_launch *launch)
{
    const uint32_t *n = launch->block;
    uint64_t all = (uint64_t)n[0] * n[1] * n[2];
    return all > sw_exec_tune.coarsening_threads
               ? sw_exec_tune.coarsening_threads + 1
               : (uint32_t)all;
}

static bool
may_coarsen(const sw_launch *launch)
{
    uint32_t x = launch->block[0];
    return threads_of(launch) <= sw_exec_tune.coarsening_threads &&
           !(x & (x - 1)) && launch->grid[0] > 1 && !launch->cooperative &&
           !launch->cluster[0] && !launch->observer && !launch->plain &&
           !launch->program->events;
}

static uint32_t
power_of_two_within(uint32_t n)
{
    return UINT32_C(1) << (31 - (unsigned)__builtin_clz(n));
}

static uint64_t
blocks_of(const sw_launch *launch, uint32_t combined)
{
    uint64_t row = ((uint64_t)launch->grid[0] + combined - 1) / combined;
    return row * launch->grid[1] * launch->grid[2];
}

/* So many that all workers have some to do, of two numbers only, as each is a
 * program of its own: for some warps, or for one, also if more would use more
 * of the caches at once. 0: for too few. */
static uint32_t
choose(const sw_launch *launch, unsigned workers, bool is_apart)
{
    uint32_t threads = threads_of(launch);
    uint32_t most =
        power_of_two_within(sw_exec_tune.coarsening_combined / threads);
    uint32_t least = power_of_two_within(SW_WARP_LANES / threads);
    if (!is_apart && launch->grid[0] >= most &&
        blocks_of(launch, most) >=
            (uint64_t)sw_exec_tune.coarsening_share * workers)
        return most;
    return launch->grid[0] > least / 2 ? least : 0;
}

uint32_t
sw_exec_coarsen_launch(sw_launch *launch, unsigned workers)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!may_coarsen(launch))
        return 0;
    pthread_once(&once, look);
    unsigned how = is_off ? 0 : facts_of(launch->program);
    if (!(how & CAN) ||
        ((how & HAS_LISTS) &&
         threads_of(launch) > sw_exec_tune.coarsening_list_threads))
        return 0;
    sw_coarsening coarsening = {.threads_x = launch->block[0],
                                .blocks =
                                    choose(launch, workers, how & IS_APART)};
    uint32_t row = launch->grid[0];
    coarsening.has_rest = coarsening.blocks && row % coarsening.blocks;
    sw_program *program =
        coarsening.blocks ? find_or_create(launch->program, &coarsening) : NULL;
    if (!program)
        return 0;
    launch->program = program;
    launch->block[0] *= coarsening.blocks;
    launch->grid[0] = (row + coarsening.blocks - 1) / coarsening.blocks;
    return row;
}
