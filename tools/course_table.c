/* SPDX-License-Identifier: Apache-2.0 */
/* course_table.c - reads the table of exercises. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/near.h"
#include "course.h"
#include "tools.h"

static const char *const kinds[COURSE_RULES] = {
    [COURSE_RESULT] = "result",       [COURSE_CHECK] = "check",
    [COURSE_COUNTER] = "counter",     [COURSE_OCCUPANCY] = "occupancy",
    [COURSE_TIME] = "predicted time",
};

static void
find_folder(course_table *table, const char *folder)
{
    char probe[sizeof table->folder + 32];
    snprintf(table->folder, sizeof table->folder, "%s/share/softwarp/course",
             sw_tool_base());
    snprintf(probe, sizeof probe, "%s/exercises.json", table->folder);
    if (folder)
        snprintf(table->folder, sizeof table->folder, "%s", folder);
    else if (access(probe, R_OK) != 0)
        snprintf(table->folder, sizeof table->folder, "%s/course",
                 SW_SOURCE_DIR);
}

static const char *
text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

static double
number_of(const json_t *row, const char *key, double otherwise)
{
    const json_t *n = json_object_get(row, key);
    return json_is_number(n) ? json_number_value(n) : otherwise;
}

/* False after saying which exercise lacks what. */
static bool
refuse(const course_exercise *e, const char *what)
{
    fprintf(stderr,
            "softwarp course: error: exercises.json: exercise '%s' %s\n",
            e->name, what);
    return false;
}

static bool
read_rule(course_exercise *e, const json_t *row)
{
    const char *kind = text_of(row, "rule");
    course_rule r = {.kernel = text_of(row, "kernel"),
                     .metric = text_of(row, "metric"),
                     .device = text_of(row, "device"),
                     .tools = text_of(row, "tools"),
                     .least = number_of(row, "least", -HUGE_VAL),
                     .most = number_of(row, "most", HUGE_VAL),
                     .arguments = json_object_get(row, "arguments"),
                     .right = text_of(row, "right"),
                     .wrong = text_of(row, "wrong")};
    while (r.kind < COURSE_RULES && strcmp(kinds[r.kind], kind) != 0)
        r.kind++;
    if (r.kind == COURSE_RULES)
        return refuse(e, "has a rule that is none of result, check, counter, "
                         "occupancy, predicted time");
    if (!*r.right || !*r.wrong)
        return refuse(e, "has a rule without its two sentences, right and "
                         "wrong");
    if (r.kind == COURSE_COUNTER && !*r.metric)
        return refuse(e, "has a counter rule without a metric");
    if (r.kind == COURSE_CHECK && !*r.tools)
        r.tools = "memory,race,init,sync";
    *(course_rule *)sw_vec_push(&e->rules) = r;
    return true;
}

static bool
read_exercise(course_table *table, const json_t *row)
{
    course_exercise *e = sw_vec_push(&table->exercises);
    const json_t *rules = json_object_get(row, "rules");
    *e = (course_exercise){.name = text_of(row, "name"),
                           .title = text_of(row, "title"),
                           .lesson = text_of(row, "lesson"),
                           .file = text_of(row, "file"),
                           .options = json_object_get(row, "options"),
                           .arguments = json_object_get(row, "arguments"),
                           .host = text_of(row, "host"),
                           .device = text_of(row, "device"),
                           .gap_says = text_of(row, "gap_says"),
                           .mistakes = json_object_get(row, "mistakes")};
    sw_vec_init(&e->rules, sizeof(course_rule));
    if (!*e->name || !*e->title || !*e->lesson || !*e->file)
        return refuse(e, "lacks its name, title, lesson or file");
    if (strchr(e->file, '/'))
        return refuse(e, "has a file with a folder in its name");
    for (size_t i = 0; i < json_array_size(rules); i++)
        if (!read_rule(e, json_array_get(rules, i)))
            return false;
    const course_rule *first = e->rules.count ? sw_vec_at(&e->rules, 0) : NULL;
    if (!first || first->kind != COURSE_RESULT)
        return refuse(e, "does not begin with a rule for its result");
    return true;
}

bool
course_table_read(course_table *table, const char *folder)
{
    char path[sizeof table->folder + 32];
    json_error_t error;
    *table = (course_table){.root = NULL};
    sw_vec_init(&table->exercises, sizeof(course_exercise));
    find_folder(table, folder);
    snprintf(path, sizeof path, "%s/exercises.json", table->folder);
    table->root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!table->root) {
        fprintf(stderr, "softwarp course: error: %s:%d: %s\n", path, error.line,
                error.text);
        return false;
    }
    for (size_t i = 0; i < json_array_size(table->root); i++)
        if (!read_exercise(table, json_array_get(table->root, i)))
            return false;
    return true;
}

void
course_table_finish(course_table *table)
{
    for (size_t i = 0; i < table->exercises.count; i++)
        sw_vec_finish(
            &((course_exercise *)sw_vec_at(&table->exercises, i))->rules);
    sw_vec_finish(&table->exercises);
    json_decref(table->root);
}

const course_exercise *
course_table_find(const course_table *table, const char *name)
{
    sw_near near;
    sw_buf text;
    sw_near_init(&near, name);
    for (size_t i = 0; i < table->exercises.count; i++) {
        const course_exercise *e = sw_vec_at(&table->exercises, i);
        if (!strcmp(e->name, name))
            return e;
        sw_near_offer(&near, e->name);
    }
    sw_buf_init(&text);
    sw_near_say(&near, "; did you mean ", "?", &text);
    fprintf(stderr,
            "softwarp course: error: there is no exercise '%s'%s\n"
            "`softwarp course list` lists them\n",
            name, text.p ? text.p : "");
    sw_buf_finish(&text);
    return NULL;
}
