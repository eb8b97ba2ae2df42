/* SPDX-License-Identifier: Apache-2.0 */
/*
 * course.c - `softwarp course`: the exercises of the course. It makes a
 * learner's folder, tries what is in it, and lists the results of a class.
 */
#include "course.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools.h"

static const char help[] =
    "usage: softwarp course new DIR [--name LEARNER]\n"
    "       softwarp course list\n"
    "       softwarp course check EXERCISE [--dir DIR] [--file FILE]\n"
    "       softwarp course solution EXERCISE\n"
    "       softwarp course results [--json | --csv] [DIR...]\n"
    "  new       makes DIR, with the files of all exercises, gaps in them;\n"
    "            what is there already stays as it is\n"
    "  list      the exercises, in the order of the course\n"
    "  check     tries the exercise's file in DIR (default: here): compiles "
    "and\n"
    "            runs it, compares results, looks for races, reads counters "
    "and\n"
    "            predicted times; says right or wrong, and why. Exit status "
    "1:\n"
    "            wrong. The trial is kept in DIR/results.jsonl; with --file,\n"
    "            which names another file to try, it is not.\n"
    "  solution  prints a solution; look at it last\n"
    "  results   what was tried in each DIR (default: here), as a table, JSON\n"
    "            or CSV, for a teacher\n"
    "  --course DIR  another course than ours; before all else\n";

enum { USAGE = 2, WRONG = 1 };

static int
refuse(const char *what, const char *value)
{
    fprintf(stderr,
            "softwarp course: error: %s '%s'; `softwarp course --help` says "
            "what there is\n",
            what, value);
    return USAGE;
}

static int
fail(const char *path)
{
    fprintf(stderr, "softwarp course: error: %s: %s\n", path, strerror(errno));
    return USAGE;
}

/* ---- new ---- */

/* A copy of a file, unless there is one already. */
static bool
copy_file(const char *from, const char *to)
{
    char *text;
    size_t bytes;
    if (access(to, F_OK) == 0)
        return true;
    if (sw_file_read(from, &text, &bytes) != SW_OK) {
        errno = ENOENT;
        return fail(from) == 0;
    }
    FILE *file = fopen(to, "we");
    bool good = file && fwrite(text, 1, bytes, file) == bytes;
    if (file)
        good &= fclose(file) == 0;
    sw_free(text);
    return good || fail(to) == 0;
}

static bool
write_learner(const char *folder, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/course.json", folder);
    if (access(path, F_OK) == 0)
        return true;
    const struct passwd *user = getpwuid(getuid());
    json_t *who = json_pack("{s:s}", "learner",
                            name   ? name
                            : user ? user->pw_name
                                   : "nobody");
    bool good = who && json_dump_file(who, path, JSON_INDENT(1)) == 0;
    json_decref(who);
    return good || fail(path) == 0;
}

static int
make_new(const course_table *table, int argc, char **argv)
{
    const char *folder = NULL, *name = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--name") && i + 1 < argc)
            name = argv[++i];
        else if (argv[i][0] == '-' || folder)
            return refuse("new does not take", argv[i]);
        else
            folder = argv[i];
    }
    if (!folder)
        return refuse("no folder after", "new");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fail(folder);
    if (!write_learner(folder, name))
        return USAGE;
    for (size_t i = 0; i < table->exercises.count; i++) {
        const course_exercise *e = sw_vec_at(&table->exercises, i);
        char from[PATH_MAX + 64], to[PATH_MAX + 64];
        snprintf(from, sizeof from, "%s/exercises/%s", table->folder, e->file);
        snprintf(to, sizeof to, "%s/%s", folder, e->file);
        if (!copy_file(from, to))
            return USAGE;
    }
    const course_exercise *first = sw_vec_at(&table->exercises, 0);
    printf("%s has the files of %zu exercises. Begin with %s:\n"
           "  cd %s; $EDITOR %s; softwarp course check %s\n",
           folder, table->exercises.count, first->name, folder, first->file,
           first->name);
    return 0;
}

/* ---- the others ---- */

static int
list(const course_table *table, int argc, char **argv)
{
    if (argc > 1)
        return refuse("list does not take", argv[1]);
    for (size_t i = 0; i < table->exercises.count; i++) {
        const course_exercise *e = sw_vec_at(&table->exercises, i);
        printf("%-16s %-22s %s\n", e->name, e->file, e->title);
    }
    return 0;
}

static int
check(const course_table *table, int argc, char **argv)
{
    const char *folder = ".", *file = NULL, *name = NULL;
    char path[PATH_MAX];
    course_verdict verdict;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--dir") && i + 1 < argc)
            folder = argv[++i];
        else if (!strcmp(argv[i], "--file") && i + 1 < argc)
            file = argv[++i];
        else if (argv[i][0] == '-' || name)
            return refuse("check does not take", argv[i]);
        else
            name = argv[i];
    }
    if (!name)
        return refuse("no exercise after", "check");
    const course_exercise *e = course_table_find(table, name);
    if (!e)
        return USAGE;
    snprintf(path, sizeof path, "%s/%s", folder, e->file);
    if (!course_check(table, e, file ? file : path, &verdict))
        return USAGE;
    bool good = file || course_results_add(folder, e, &verdict);
    sw_free(verdict.says);
    return !good ? USAGE : verdict.is_right ? 0 : WRONG;
}

static int
solution(const course_table *table, int argc, char **argv)
{
    char path[PATH_MAX + 64], *text;
    size_t bytes;
    if (argc != 2)
        return refuse("one exercise is named after", "solution");
    const course_exercise *e = course_table_find(table, argv[1]);
    if (!e)
        return USAGE;
    snprintf(path, sizeof path, "%s/solutions/%s", table->folder, e->file);
    if (sw_file_read(path, &text, &bytes) != SW_OK)
        return refuse("cannot read", path);
    fwrite(text, 1, bytes, stdout);
    sw_free(text);
    return 0;
}

static int
results(const course_table *table, int argc, char **argv)
{
    course_form form = COURSE_TEXT;
    char *here[] = {"."};
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--json"))
            form = COURSE_JSON;
        else if (!strcmp(argv[i], "--csv"))
            form = COURSE_CSV;
        else
            return refuse("results does not take", argv[i]);
    }
    bool good = i < argc ? course_results_print(table, argv + i,
                                                (size_t)(argc - i), form)
                         : course_results_print(table, here, 1, form);
    return good ? 0 : USAGE;
}

static const struct {
    const char *name;
    int (*fn)(const course_table *table, int argc, char **argv);
} commands[] = {
    {"new", make_new},      {"list", list},       {"check", check},
    {"solution", solution}, {"results", results},
};

int
sw_tool_course(int argc, char **argv)
{
    const char *folder = NULL;
    course_table table;
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        fputs(help, argc < 2 ? stderr : stdout);
        return argc < 2 ? USAGE : 0;
    }
    if (!strcmp(argv[1], "--course") && argc > 3) {
        folder = argv[2];
        argc -= 2;
        argv += 2;
    }
    size_t c = 0;
    while (c < sizeof commands / sizeof *commands &&
           strcmp(commands[c].name, argv[1]) != 0)
        c++;
    if (c == sizeof commands / sizeof *commands)
        return refuse("no such command:", argv[1]);
    int status = course_table_read(&table, folder)
                     ? commands[c].fn(&table, argc - 1, argv + 1)
                     : USAGE;
    course_table_finish(&table);
    return status;
}
