/* SPDX-License-Identifier: Apache-2.0 */
/*
 * course_check.c - tries a learner's file: compiles it, runs it, and holds it
 * against the exercise's rules one after the other.
 *
 * A rule that is not met ends the trial, for what follows would say little;
 * but where the result is wrong, `softwarp check` may still say why.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "course.h"
#include "experiment.h"

enum { SHOWN_LINES = 12, SECONDS = 300 };

/* One trial. */
typedef struct {
    const course_table *table;
    const course_exercise *exercise;
    const char *file;      /* the learner's, with its folder */
    char folder[PATH_MAX]; /* of the trial's own files */
    course_verdict *verdict;
} trial;

/* ---- telling the learner ---- */

static void
say(const char *mark, const char *sentence, const char *figure)
{
    printf("  %-5s %s%s%s%s\n", mark, sentence, *figure ? " (" : "", figure,
           *figure ? ")" : "");
}

/* The first wrong thing is the verdict. */
static void
say_wrong(trial *t, const char *sentence, const char *figure)
{
    say("WRONG", sentence, figure);
    t->verdict->is_right = false;
    if (!t->verdict->says)
        t->verdict->says = sw_strdup(sentence);
}

/* Some lines of what a command printed, set in. */
static void
say_lines(const char *text, int most)
{
    for (; *text && most > 0; most--) {
        size_t n = strcspn(text, "\n");
        if (n)
            printf("        | %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
    if (*text)
        printf("        | ...\n");
}

/* Where gaps are still marked. */
static void
say_gaps(const char *file)
{
    char *text;
    size_t bytes;
    int line = 1, count = 0;
    sw_buf lines;
    if (sw_file_read(file, &text, &bytes) != SW_OK)
        return;
    sw_buf_init(&lines);
    for (const char *p = text; *p; line++) {
        size_t n = strcspn(p, "\n");
        const char *gap = memmem(p, n, "GAP ", 4);
        if (gap && gap + 4 < p + n && gap[4] >= '0' && gap[4] <= '9')
            sw_buf_printf(&lines, "%s%d", count++ ? ", " : "", line);
        p += n + (p[n] == '\n');
    }
    if (count)
        printf("        gaps are marked in line%s %s of %s\n",
               count > 1 ? "s" : "", lines.p, file);
    sw_buf_finish(&lines);
    sw_free(text);
}

/* ---- commands ---- */

static void
add_program(const trial *t, const json_t *arguments, sw_command *c)
{
    sw_command_add(c, "%s/app", t->folder);
    sw_command_add_list(c, arguments ? arguments : t->exercise->arguments);
    if (*t->exercise->host)
        sw_command_add(c, "%s", t->file);
}

/* "softwarp TOOL [--device NAME] [--json FILE]". */
static void
add_tool(sw_command *c, const char *tool, const char *device, const char *json)
{
    sw_command_add(c, "%s", sw_experiment_self());
    sw_command_add(c, "%s", tool);
    if (*device) {
        sw_command_add(c, "--device");
        sw_command_add(c, "%s", device);
    }
    if (json) {
        sw_command_add(c, "--json");
        sw_command_add(c, "%s", json);
    }
}

static const char *
device_of(const trial *t, const course_rule *r)
{
    return *r->device ? r->device : t->exercise->device;
}

/* Runs the command and reads the JSON that it wrote; NULL after telling. */
static json_t *
measure(const trial *t, sw_command *c, const char *json)
{
    sw_experiment x;
    json_error_t error;
    (void)t;
    sw_experiment_run(&x, sw_command_argv(c), NULL, SECONDS);
    json_t *root = json_load_file(json, 0, &error);
    if (!root) {
        printf("  ?     this could not be measured: %s\n", error.text);
        say_lines(x.output.p, SHOWN_LINES);
    }
    sw_experiment_finish(&x);
    sw_command_finish(c);
    unlink(json);
    return root;
}

/* ---- the rules ---- */

static bool
compile(trial *t)
{
    sw_command c;
    sw_experiment x;
    sw_command_init(&c);
    if (*t->exercise->host) {
        sw_command_add(&c, "cc");
        sw_command_add(&c, "%s/lib/%s", t->table->folder, t->exercise->host);
        sw_command_add(&c, "-lOpenCL");
        sw_command_add(&c, "-lm");
    } else {
        sw_command_add(&c, "%s", sw_experiment_self());
        sw_command_add(&c, "cc");
        sw_command_add(&c, "-lineinfo");
        sw_command_add(&c, "%s", t->file);
    }
    sw_command_add(&c, "-I%s/lib", t->table->folder);
    sw_command_add_list(&c, t->exercise->options);
    sw_command_add(&c, "-o");
    sw_command_add(&c, "%s/app", t->folder);
    sw_experiment_run(&x, sw_command_argv(&c), NULL, SECONDS);
    if (x.status != 0) {
        say_wrong(t, "The file does not compile.", "");
        say_lines(x.output.p, SHOWN_LINES);
    } else {
        say("right", "The file compiles.", "");
    }
    bool good = x.status == 0;
    sw_experiment_finish(&x);
    sw_command_finish(&c);
    return good;
}

static bool
try_result(trial *t, const course_rule *r)
{
    sw_command c;
    sw_experiment x;
    sw_command_init(&c);
    add_tool(&c, "run", device_of(t, r), NULL);
    sw_command_add(&c, "--");
    add_program(t, r->arguments, &c);
    sw_experiment_run(&x, sw_command_argv(&c), NULL, SECONDS);
    bool good = x.status == 0 && !x.is_late;
    if (good) {
        say("right", r->right, "");
    } else if (x.is_late) {
        say_wrong(t, "The program does not come to its end.", "5 minutes");
    } else {
        say_wrong(t, r->wrong, "");
        say_lines(x.output.p, SHOWN_LINES);
    }
    sw_experiment_finish(&x);
    sw_command_finish(&c);
    return good;
}

static const char *
text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

/* One finding: what and where, in the learner's file if it is there. */
static void
say_finding(const json_t *f)
{
    const char *file = text_of(f, "file"), *slash = strrchr(file, '/');
    json_int_t line = json_integer_value(json_object_get(f, "line"));
    const json_t *other = json_object_get(f, "other");
    json_int_t also = json_integer_value(json_object_get(other, "line"));
    printf("        | %s: %s", text_of(f, "title"), text_of(f, "message"));
    if (line)
        printf(", at %s:%lld", slash ? slash + 1 : file, (long long)line);
    if (also && also != line)
        printf(" and :%lld", (long long)also);
    printf("\n");
}

static bool
try_check(trial *t, const course_rule *r)
{
    sw_command c;
    char json[PATH_MAX + 16];
    snprintf(json, sizeof json, "%s/json", t->folder);
    sw_command_init(&c);
    add_tool(&c, "check", device_of(t, r), json);
    sw_command_add(&c, "--tool");
    sw_command_add(&c, "%s", r->tools);
    sw_command_add(&c, "--");
    add_program(t, r->arguments, &c);
    json_t *root = measure(t, &c, json);
    const json_t *findings = json_object_get(root, "findings");
    size_t bad = 0;
    for (size_t i = 0; i < json_array_size(findings); i++)
        bad += !strcmp(text_of(json_array_get(findings, i), "level"), "error");
    if (!bad && root && t->verdict->is_right)
        say("right", r->right, "");
    else if (bad)
        say_wrong(t, r->wrong, "");
    for (size_t i = 0; bad && i < json_array_size(findings) && i < 3; i++)
        say_finding(json_array_get(findings, i));
    json_decref(root);
    return root && !bad;
}

static bool
is_within(const course_rule *r, double value)
{
    return value >= r->least && value <= r->most;
}

/* "warp_serialize of reduce on GTX 280: 0, at most 0". */
static void
write_figure(const trial *t, const course_rule *r, double value,
             const char *what, const char *unit, char text[256])
{
    const char *device = device_of(t, r);
    int n = snprintf(text, 256, "%s%s%s: %.4g%s", what, *device ? " on " : "",
                     device, value, unit);
    if (r->most < HUGE_VAL && n < 256)
        n += snprintf(text + n, 256 - (size_t)n, ", at most %.4g", r->most);
    if (r->least > -HUGE_VAL && n < 256)
        snprintf(text + n, 256 - (size_t)n, ", at least %.4g", r->least);
}

static bool
judge(trial *t, const course_rule *r, bool is_measured, double value,
      const char *what, const char *unit)
{
    char figure[256];
    if (!is_measured) {
        snprintf(figure, sizeof figure, "of kernel '%s'", r->kernel);
        say_wrong(t, "This could not be measured.", figure);
        return false;
    }
    write_figure(t, r, value, what, unit, figure);
    if (is_within(r, value))
        say("right", r->right, figure);
    else
        say_wrong(t, r->wrong, figure);
    return is_within(r, value);
}

static bool
try_counter(trial *t, const course_rule *r)
{
    sw_command c;
    char json[PATH_MAX + 16];
    double value = 0;
    bool is_occupancy = r->kind == COURSE_OCCUPANCY;
    snprintf(json, sizeof json, "%s/json", t->folder);
    sw_command_init(&c);
    add_tool(&c, "prof", device_of(t, r), NULL);
    sw_command_add(&c, "--json");
    sw_command_add(&c, "--log-file");
    sw_command_add(&c, "%s", json);
    if (!is_occupancy) {
        sw_command_add(&c, "-m");
        sw_command_add(&c, "%s", r->metric);
    }
    sw_command_add(&c, "--");
    add_program(t, r->arguments, &c);
    json_t *root = measure(t, &c, json);
    sw_fold fold = r->most < HUGE_VAL ? SW_FOLD_MOST : SW_FOLD_LEAST;
    bool good = is_occupancy ? sw_experiment_occupancy(root, r->kernel, &value)
                             : sw_experiment_counter(root, r->kernel, r->metric,
                                                     fold, &value);
    good = judge(t, r, good, value, is_occupancy ? "occupancy" : r->metric,
                 is_occupancy ? " %" : "");
    json_decref(root);
    return good;
}

static bool
try_time(trial *t, const course_rule *r)
{
    sw_command c;
    char json[PATH_MAX + 16];
    double ns = 0;
    snprintf(json, sizeof json, "%s/json", t->folder);
    sw_command_init(&c);
    add_tool(&c, "predict", device_of(t, r), json);
    sw_command_add(&c, "--");
    add_program(t, r->arguments, &c);
    json_t *root = measure(t, &c, json);
    bool good = sw_experiment_time(root, r->kernel, &ns);
    good = judge(t, r, good, ns * 1e-3, "predicted", " us");
    json_decref(root);
    return good;
}

static bool
try_rule(trial *t, const course_rule *r)
{
    static bool (*const tries[COURSE_RULES])(trial *, const course_rule *) = {
        [COURSE_RESULT] = try_result,   [COURSE_CHECK] = try_check,
        [COURSE_COUNTER] = try_counter, [COURSE_OCCUPANCY] = try_counter,
        [COURSE_TIME] = try_time,
    };
    return tries[r->kind](t, r);
}

static void
try_all(trial *t)
{
    bool good = compile(t), is_compiled = good;
    for (size_t i = 0; is_compiled && i < t->exercise->rules.count; i++) {
        const course_rule *r = sw_vec_at(&t->exercise->rules, i);
        if (good || r->kind == COURSE_CHECK)
            good &= try_rule(t, r);
    }
    t->verdict->is_right &= good;
}

bool
course_check(const course_table *table, const course_exercise *e,
             const char *file, course_verdict *verdict)
{
    trial t = {.table = table, .exercise = e, .file = file, .verdict = verdict};
    *verdict = (course_verdict){.is_right = true};
    if (access(file, R_OK) != 0) {
        fprintf(stderr,
                "softwarp course: error: there is no file %s; `softwarp course "
                "new DIR` makes a folder with the exercises\n",
                file);
        return false;
    }
    if (!sw_experiment_make_folder("course", t.folder))
        return false;
    printf("%s: %s\n", e->name, e->title);
    try_all(&t);
    printf("%s: %s\n", e->name, verdict->is_right ? "right" : "wrong");
    if (!verdict->is_right)
        say_gaps(file);
    if (!verdict->says)
        verdict->says = sw_strdup("");
    sw_experiment_remove_folder(t.folder);
    return true;
}
