/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mtgp32.c - the generator MTGP32: `threads` states take turns, each with 256
 * numbers. A round is one turn of all of them; what the last round has made is
 * kept, as a call may end inside of it.
 */
#include "lib/rand/generator.h"

enum { TURN = 256, STATE = 4128, TABLES = 40960 };

static curandStatus_t
seed(curandGenerator_t g)
{
    void *args[] = {&g->states, &g->extra, &g->seed, &g->threads};
    TRY_AS(curandStatus_t,
           sw_rand_allocate(&g->states, (size_t)g->threads * STATE));
    TRY_AS(curandStatus_t,
           sw_rand_allocate(&g->extra, TABLES + (size_t)g->threads * TURN * 4));
    return sw_rand_launch(g, "seed", g->threads, 1, TURN, args);
}

curandStatus_t
sw_rand_make_mtgp32(curandGenerator_t g, const sw_rand_request *r)
{
    if (g->next == 0)
        TRY_AS(curandStatus_t, seed(g));
    unsigned long long first = g->next, n = r->n, round = TURN * g->threads;
    CUdeviceptr kept = g->extra + TABLES, out = r->out;
    void *args[] = {&g->states, &kept, &first,  &g->made,
                    &out,       &n,    r->mean, r->stddev};
    TRY_AS(curandStatus_t, sw_rand_launch(g, sw_rand_kinds[r->kind].name,
                                          g->threads, 1, TURN, args));
    g->next += n;
    g->made = (g->next + round - 1) / round;
    return CURAND_STATUS_SUCCESS;
}
