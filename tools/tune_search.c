/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune_search.c - which variant is tried next.
 *
 * Three strategies, by the names that Kernel Tuner has for them: all variants,
 * a random sample, and hill climbing from random places until the budget is
 * used up (multi-start local search): the best neighbour is taken, one that
 * differs by a step in one parameter, as long as it is better.
 */
#include <string.h>

#include "tune.h"

enum { MISSES = 10000 }; /* draws in a row that bring nothing new */

/* xorshift64*: the same numbers from the same seed. */
static uint64_t
draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static const tune_trial *
find_trial(const tune_search *s, uint64_t number)
{
    for (size_t i = 0; i < s->trials.count; i++) {
        const tune_trial *t = sw_vec_at(&s->trials, i);
        if (t->number == number)
            return t;
    }
    return NULL;
}

static bool
is_better(const tune_space *space, const tune_trial *a, const tune_trial *b)
{
    if (a->state != TUNE_RIGHT)
        return false;
    if (!b || b->state != TUNE_RIGHT)
        return true;
    return space->is_greater_better ? a->value > b->value : a->value < b->value;
}

/* What is known of the variant, or a trial of it; NULL where it may not be
 * tried. Valid until the next one. */
static const tune_trial *
try_one(tune_search *s, uint64_t number)
{
    const tune_trial *known = find_trial(s, number);
    tune_variant v = tune_variant_of(s->space, number);
    if (known)
        return known;
    if (s->trials.count >= s->budget || !tune_is_allowed(s->space, &v))
        return NULL;
    tune_trial *t = sw_vec_push(&s->trials);
    t->number = number;
    tune_try(s->space, &v, s->device, s->folder, s->seconds, t);
    if (s->report)
        s->report(s->space, t);
    return t;
}

static void
try_all(tune_search *s)
{
    for (uint64_t i = 0; i < s->space->variants && s->trials.count < s->budget;
         i++)
        try_one(s, i);
}

/* A number that is allowed and not tried; false if none is found. */
static bool
draw_new(const tune_search *s, uint64_t *state, uint64_t *number)
{
    for (int i = 0; i < MISSES; i++) {
        *number = draw(state) % s->space->variants;
        tune_variant v = tune_variant_of(s->space, *number);
        if (!find_trial(s, *number) && tune_is_allowed(s->space, &v))
            return true;
    }
    return false;
}

static void
try_sample(tune_search *s)
{
    uint64_t state = s->seed * 2 + 1, number;
    while (s->trials.count < s->budget && draw_new(s, &state, &number))
        try_one(s, number);
}

/* The number of the best neighbour if it is better than this, else this. */
static uint64_t
climb(tune_search *s, uint64_t from)
{
    uint64_t best = from;
    tune_variant v = tune_variant_of(s->space, from);
    for (uint32_t p = 0; p < s->space->count; p++)
        for (int step = -1; step <= 1; step += 2) {
            tune_variant next = v;
            if (step < 0 ? !v.at[p] : v.at[p] + 1 == s->space->params[p].count)
                continue;
            next.at[p] = step < 0 ? v.at[p] - 1 : v.at[p] + 1;
            const tune_trial *t = try_one(s, tune_number_of(s->space, &next));
            if (t && is_better(s->space, t, find_trial(s, best)))
                best = t->number;
        }
    return best;
}

static void
try_climbing(tune_search *s)
{
    uint64_t state = s->seed * 2 + 1, at;
    while (s->trials.count < s->budget && draw_new(s, &state, &at)) {
        try_one(s, at);
        for (uint64_t next; (next = climb(s, at)) != at;)
            at = next;
    }
}

static const struct {
    const char *name;
    void (*run)(tune_search *s);
} strategies[] = {
    {"brute_force", try_all},
    {"random_sample", try_sample},
    {"mls", try_climbing},
};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

bool
tune_has_strategy(const char *name)
{
    for (size_t i = 0; i < STRATEGIES; i++)
        if (!strcmp(name, strategies[i].name))
            return true;
    return false;
}

void
tune_search_run(tune_search *s, const char *strategy)
{
    for (size_t i = 0; i < STRATEGIES; i++)
        if (!strcmp(strategy, strategies[i].name))
            strategies[i].run(s);
}

const tune_trial *
tune_search_best(const tune_search *s)
{
    const tune_trial *best = NULL;
    for (size_t i = 0; i < s->trials.count; i++) {
        const tune_trial *t = sw_vec_at(&s->trials, i);
        if (is_better(s->space, t, best))
            best = t;
    }
    return best;
}
