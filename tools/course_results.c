/* SPDX-License-Identifier: Apache-2.0 */
/*
 * course_results.c - what learners have tried: a line of JSON for each trial in
 * results.jsonl of their folder, and the teacher's table of all folders.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "course.h"

/* One learner and exercise. */
typedef struct {
    const char *learner, *exercise;
    size_t tries; /* 0: not tried */
    bool is_right;
    const char *first_right, *last, *says; /* times, and the last sentence */
} result;

bool
course_results_add(const char *folder, const course_exercise *e,
                   const course_verdict *verdict)
{
    char path[PATH_MAX], now[32];
    time_t t = time(NULL);
    struct tm parts;
    snprintf(path, sizeof path, "%s/results.jsonl", folder);
    gmtime_r(&t, &parts);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &parts);
    json_t *row =
        json_pack("{s:s, s:s, s:b, s:s}", "time", now, "exercise", e->name,
                  "right", verdict->is_right, "says", verdict->says);
    FILE *file = fopen(path, "ae");
    bool good = file && row && json_dumpf(row, file, JSON_COMPACT) == 0 &&
                fputc('\n', file) != EOF;
    if (file)
        good &= fclose(file) == 0;
    if (!good)
        fprintf(stderr, "softwarp course: error: cannot write %s: %s\n", path,
                strerror(errno));
    json_decref(row);
    return good;
}

static const char *
text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

/* Joins the trials of one folder to a result for each exercise. */
static void
join(const course_table *table, const char *learner, const json_t *trials,
     sw_vec *results)
{
    for (size_t i = 0; i < table->exercises.count; i++) {
        const course_exercise *e = sw_vec_at(&table->exercises, i);
        result *r = sw_vec_push(results);
        *r = (result){.learner = learner,
                      .exercise = e->name,
                      .first_right = "",
                      .last = "",
                      .says = ""};
        for (size_t k = 0; k < json_array_size(trials); k++) {
            const json_t *one = json_array_get(trials, k);
            if (strcmp(text_of(one, "exercise"), e->name) != 0)
                continue;
            bool good = json_is_true(json_object_get(one, "right"));
            r->tries++;
            r->last = text_of(one, "time");
            r->says = text_of(one, "says");
            if (good && !r->is_right)
                r->first_right = r->last;
            r->is_right |= good;
        }
    }
}

/* The lines of results.jsonl as an array; NULL after saying what is wrong. */
static json_t *
read_trials(const char *folder)
{
    char path[PATH_MAX], *text;
    size_t bytes;
    int line = 1;
    json_t *all = json_array();
    snprintf(path, sizeof path, "%s/results.jsonl", folder);
    if (sw_file_read(path, &text, &bytes) != SW_OK)
        return all; /* nothing was tried */
    for (const char *p = text; *p; line++) {
        size_t n = strcspn(p, "\n");
        json_error_t error;
        json_t *row = json_loadb(p, n, 0, &error);
        if (!row && n) {
            fprintf(stderr, "softwarp course: error: %s:%d: %s\n", path, line,
                    error.text);
            json_decref(all);
            all = NULL;
            break;
        }
        if (row)
            json_array_append_new(all, row);
        p += n + (p[n] == '\n');
    }
    sw_free(text);
    return all;
}

static const char *
state_of(const result *r)
{
    return !r->tries ? "not tried" : r->is_right ? "right" : "wrong";
}

static void
print_text(const sw_vec *results)
{
    printf("%-16s %-16s %-10s %5s  %s\n", "learner", "exercise", "state",
           "tries", "said last");
    for (size_t i = 0; i < results->count; i++) {
        const result *r = sw_vec_at(results, i);
        printf("%-16s %-16s %-10s %5zu  %s\n", r->learner, r->exercise,
               state_of(r), r->tries, r->says);
    }
}

static void
print_json(const sw_vec *results)
{
    json_t *all = json_array();
    for (size_t i = 0; i < results->count; i++) {
        const result *r = sw_vec_at(results, i);
        json_array_append_new(
            all,
            json_pack("{s:s, s:s, s:s, s:I, s:s, s:s, s:s}", "learner",
                      r->learner, "exercise", r->exercise, "state", state_of(r),
                      "tries", (json_int_t)r->tries, "first_right",
                      r->first_right, "last", r->last, "says", r->says));
    }
    json_dumpf(all, stdout, JSON_INDENT(1));
    printf("\n");
    json_decref(all);
}

/* A field of CSV: in quotes, and those in it twice. */
static void
print_field(const char *text, const char *end)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    printf("\"%s", end);
}

static void
print_csv(const sw_vec *results)
{
    printf("learner,exercise,state,tries,first_right,last,says\n");
    for (size_t i = 0; i < results->count; i++) {
        const result *r = sw_vec_at(results, i);
        print_field(r->learner, ",");
        print_field(r->exercise, ",");
        printf("%s,%zu,%s,%s,", state_of(r), r->tries, r->first_right, r->last);
        print_field(r->says, "\n");
    }
}

bool
course_results_print(const course_table *table, char **folders, size_t count,
                     course_form form)
{
    static void (*const prints[])(const sw_vec *) = {
        [COURSE_TEXT] = print_text,
        [COURSE_JSON] = print_json,
        [COURSE_CSV] = print_csv,
    };
    sw_vec results;
    json_t *kept = json_array(); /* what the results point to */
    bool good = true;
    sw_vec_init(&results, sizeof(result));
    for (size_t i = 0; i < count; i++) {
        char path[PATH_MAX];
        json_error_t error;
        snprintf(path, sizeof path, "%s/course.json", folders[i]);
        json_t *who = json_load_file(path, 0, &error);
        json_t *trials = who ? read_trials(folders[i]) : NULL;
        if (!who)
            fprintf(stderr,
                    "softwarp course: error: %s is no folder that `softwarp "
                    "course new` made: %s\n",
                    folders[i], error.text);
        good &= trials != NULL;
        if (trials)
            join(table, text_of(who, "learner"), trials, &results);
        json_array_append_new(kept, who ? who : json_null());
        json_array_append_new(kept, trials ? trials : json_null());
    }
    prints[form](&results);
    json_decref(kept);
    sw_vec_finish(&results);
    return good;
}
