/* SPDX-License-Identifier: Apache-2.0 */
/*
 * experiment.h - running commands and reading what they measured: for the
 * subcommands that try many programs (course, tune, sweep).
 *
 * A command is a child in a process group of its own; what it prints is kept.
 * One thread. Does NOT run anything itself: it starts `softwarp` and programs.
 */
#ifndef SW_EXPERIMENT_H
#define SW_EXPERIMENT_H
#include <jansson.h>

#include "base/base.h"

typedef struct {
    int status;     /* exit status; 128 and the signal's number if one ended
                       it; 127 if it could not be started */
    bool is_late;   /* its time was over, and it was ended */
    double seconds; /* from its start to its end */
    sw_buf output;  /* standard output and standard error */
} sw_experiment;

/* Runs the command argv (NULL at its end), found by PATH, in the folder (NULL:
 * here), for at most so many seconds (0: no limit). finish frees what it
 * printed. */
void sw_experiment_run(sw_experiment *x, char *const *argv, const char *folder,
                       double seconds);
void sw_experiment_finish(sw_experiment *x);

/* A list of words that grows: a command. Ends in NULL at any time. */
typedef struct {
    sw_arena *arena;
    sw_vec words; /* char *, the last one NULL */
} sw_command;
void sw_command_init(sw_command *c);
void sw_command_finish(sw_command *c);
void sw_command_add(sw_command *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The strings of a JSON array, or of one string; NULL adds nothing. */
void sw_command_add_list(sw_command *c, const json_t *list);
/* The words, borrowed until the next add. */
char *const *sw_command_argv(const sw_command *c);

/* This program's own path; static. */
const char *sw_experiment_self(void);

/* A new folder below TMPDIR, in `path` of PATH_MAX bytes; false after saying
 * why. remove takes it away again, with the plain files in it. */
bool sw_experiment_make_folder(const char *tool, char *path);
void sw_experiment_remove_folder(const char *path);

/* How the values of several launches become one. */
typedef enum { SW_FOLD_SUM, SW_FOLD_MOST, SW_FOLD_LEAST } sw_fold;

/* Of a file that `softwarp prof --json` wrote: the metric of the launches whose
 * kernel has `kernel` in its name ("": all). False if no launch has it. */
bool sw_experiment_counter(const json_t *profile, const char *kernel,
                           const char *metric, sw_fold fold, double *value);
/* Likewise the occupancy in percent; the least of the launches. */
bool sw_experiment_occupancy(const json_t *profile, const char *kernel,
                             double *percent);
/* Of a file that `softwarp predict --json` wrote for one device: nanoseconds of
 * all launches of such kernels. */
bool sw_experiment_time(const json_t *rows, const char *kernel, double *ns);

#endif
