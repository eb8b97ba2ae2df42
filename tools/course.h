/* SPDX-License-Identifier: Apache-2.0 */
/*
 * course.h - the exercises of the course (course/exercises.json) and what
 * `softwarp course` does with them.
 *
 * course_table.c reads the table, course_check.c tries a learner's file,
 * course_results.c keeps and lists results, course.c is the command.
 */
#ifndef SW_COURSE_H
#define SW_COURSE_H
#include <jansson.h>

#include "base/base.h"

typedef enum {
    COURSE_RESULT,    /* the program ends with 0: it compares its results */
    COURSE_CHECK,     /* softwarp check finds nothing */
    COURSE_COUNTER,   /* softwarp prof's metric is within bounds */
    COURSE_OCCUPANCY, /* per cent, as softwarp prof says it */
    COURSE_TIME,      /* softwarp predict's microseconds are within bounds */
    COURSE_RULES
} course_kind;

/* What is asked of a solution. All strings live as long as the table. */
typedef struct {
    course_kind kind;
    const char *kernel; /* a part of the kernels' names; "": all */
    const char *metric; /* of COURSE_COUNTER */
    const char *device; /* the device that the program sees; "": the default */
    const char *tools;  /* of COURSE_CHECK */
    double least, most; /* bounds; infinite where there is none */
    const json_t *arguments;   /* of the program; NULL: the exercise's */
    const char *right, *wrong; /* the sentence to the learner */
} course_rule;

typedef struct {
    const char *name, *title, *lesson;
    const char *file;        /* of exercises/, solutions/ and the learner */
    const json_t *options;   /* for softwarp cc; NULL: none */
    const json_t *arguments; /* of the program; NULL: none */
    const char *host;        /* a C program of lib/ that loads the file, for
                                OpenCL; "": the file is the program */
    const char *device;      /* the program's; "": the default */
    const char *gap_says;    /* what is said of the file with its gaps */
    const json_t *mistakes;  /* for tests: changes of the solution */
    sw_vec rules;            /* course_rule */
} course_exercise;

typedef struct {
    char folder[4096]; /* of the course: exercises, solutions, lib */
    json_t *root;
    sw_vec exercises; /* course_exercise */
} course_table;

/* The course that is installed, or the tree's; `folder` (may be NULL) is
 * another. False after saying what is wrong, with file and line. */
bool course_table_read(course_table *table, const char *folder);
void course_table_finish(course_table *table);
/* NULL after saying which name may be meant. */
const course_exercise *course_table_find(const course_table *table,
                                         const char *name);

typedef struct {
    bool is_right;
    char *says; /* the sentence of the first rule that is not met, or ""; owned
                   by caller (sw_free) */
} course_verdict;

/* Tries the file as the exercise and tells the learner, on standard output.
 * False after saying that it could not be tried. */
bool course_check(const course_table *table, const course_exercise *e,
                  const char *file, course_verdict *verdict);

/* Appends a line to FOLDER/results.jsonl; false after saying why not. */
bool course_results_add(const char *folder, const course_exercise *e,
                        const course_verdict *verdict);
typedef enum { COURSE_TEXT, COURSE_JSON, COURSE_CSV } course_form;
/* The results in the learners' folders, to standard output. False after saying
 * what cannot be read. */
bool course_results_print(const course_table *table, char **folders,
                          size_t count, course_form form);

#endif
