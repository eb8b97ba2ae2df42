/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune.h - the experiment mode: what of a program may vary, which of the
 * variants is tried next, and what came of each.
 *
 * tune_space.c reads the description, tune_search.c chooses, tune_try.c
 * compiles and measures, tune.c is the command. A variant is an index into the
 * values of each parameter.
 */
#ifndef SW_TUNE_H
#define SW_TUNE_H
#include <jansson.h>

#include "base/base.h"

enum { TUNE_PARAMS = 16, TUNE_VALUES = 256 };

typedef struct {
    const char *name;
    const json_t *values; /* numbers or strings, at least one */
    uint32_t count;
} tune_param;

typedef enum { TUNE_TIME, TUNE_COUNTER, TUNE_HOST } tune_objective;

/* The description; strings live as long as it does. */
typedef struct {
    json_t *root;
    const char *path;
    char *folder;       /* of the description: sources are found from there */
    const char *source; /* for softwarp cc */
    const char *kernel; /* a part of the names of what is measured; "": all */
    const json_t *options, *arguments; /* with {NAME} for values */
    const json_t *devices;
    const char *strategy;
    tune_objective objective;
    const char *metric; /* of TUNE_COUNTER */
    bool is_greater_better;
    tune_param params[TUNE_PARAMS];
    uint32_t count;
    const json_t *restrictions; /* expressions that have to hold */
    uint64_t variants;          /* all, also those that are restricted */
} tune_space;

typedef struct {
    uint32_t at[TUNE_PARAMS];
} tune_variant;

/* False after saying what is wrong, with the file and the line. */
bool tune_space_read(tune_space *space, const char *path);
void tune_space_finish(tune_space *space);
/* "time", "host time", or a metric of softwarp prof. False: none. */
bool tune_space_set_objective(tune_space *space, const char *text);
/* The variant of a number below space->variants, and the number. */
tune_variant tune_variant_of(const tune_space *space, uint64_t number);
uint64_t tune_number_of(const tune_space *space, const tune_variant *v);
/* Whether all restrictions hold. */
bool tune_is_allowed(const tune_space *space, const tune_variant *v);
/* The value of a parameter as text, into out. */
void tune_put_value(const tune_space *space, const tune_variant *v,
                    uint32_t param, sw_buf *out);
/* Text with each {NAME} as that value. */
void tune_put_text(const tune_space *space, const tune_variant *v,
                   const char *text, sw_buf *out);
/* "TILE=16 UNROLL=2". */
void tune_put_variant(const tune_space *space, const tune_variant *v,
                      sw_buf *out);

/* The value of a whole-number expression of C without side effects, over
 * numbers and the names of parameters; words are True, False, and, or, not as
 * well. False, and in *error where: it is none. */
bool tune_evaluate(const tune_space *space, const tune_variant *v,
                   const char *text, int64_t *value, const char **error);

/* How a trial went; only TUNE_RIGHT has a value. */
#define TUNE_STATES(X)                                                         \
    X(RIGHT, "right")                                                          \
    X(WRONG, "wrong result")                                                   \
    X(COMPILE, "does not compile")                                             \
    X(LATE, "takes too long")                                                  \
    X(UNMEASURED, "no such kernel or metric")
typedef enum {
#define STATE(name, text) TUNE_##name,
    TUNE_STATES(STATE)
#undef STATE
        TUNE_STATE_COUNT
} tune_state;
const char *tune_state_name(tune_state state);

typedef struct {
    uint64_t number;
    tune_state state;
    double value; /* nanoseconds, or the counter; less is better unless the
                     description says otherwise */
    char *says;   /* the last line that was printed; owned */
} tune_trial;

/* Compiles the variant, runs it on the device and measures. `folder` is for its
 * files; seconds limits each step. */
void tune_try(const tune_space *space, const tune_variant *v,
              const char *device, const char *folder, double seconds,
              tune_trial *trial);

/* A search. `trials` grows; what it has already is not tried again. */
typedef struct {
    const tune_space *space;
    const char *device, *folder;
    uint64_t budget; /* trials at most */
    uint64_t seed;
    double seconds;
    sw_vec trials; /* tune_trial, in the order of their time */
    void (*report)(const tune_space *space, const tune_trial *t);
} tune_search;

/* "brute_force", "random_sample", "mls": false if there is no such one. */
bool tune_has_strategy(const char *name);
void tune_search_run(tune_search *search, const char *strategy);
/* The best right trial; NULL if there is none. */
const tune_trial *tune_search_best(const tune_search *search);

#endif
