/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.c - `softwarp sweep FILE`: runs programs for all devices and parameters
 * of a description and keeps a row for each run in a data base of SQLite.
 *
 * A run is known by its number, so that it may be done by this process, by a
 * rank of MPI or by a task of a Slurm array: each takes the runs whose number
 * is its own modulo how many there are, out of those that have no row yet. The
 * data base orders who writes. Does NOT start processes on other hosts: mpirun
 * and srun do.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiment.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp sweep FILE [option...]\n"
    "  FILE          programs, devices and parameters, in JSON: docs/sweep.md\n"
    "  --db FILE     the data base of results; default: FILE's name with .db\n"
    "  --jobs N      runs at a time in this process (default 1)\n"
    "  --share I/N   takes every Nth run, from the Ith on (from 0); default:\n"
    "                what MPI or a Slurm array says of this process\n"
    "  --timeout S   seconds that a run may take (default 600)\n"
    "  --failed      does the failed ones again\n"
    "  --list        prints the runs and does nothing\n"
    "What has a row is not done again, so a sweep that was stopped goes on.\n"
    "    mpirun -n 8 softwarp sweep FILE\n"
    "    sbatch --array=0-7 --wrap 'softwarp sweep FILE'\n"
    "Exit status 1: runs failed, which the last lines name; 0 of a share.\n";

enum { USAGE = 2, FAILED = 1, AXES = 16, JOBS = 256, BUSY_MS = 60000 };

/* An axis of the sweep: a name and its values. */
typedef struct {
    const char *name;
    const json_t *values;
    uint32_t count;
} axis;

typedef struct {
    const char *file, *db_path;
    uint64_t jobs, share, shares, timeout;
    bool is_again, is_list;
    json_t *root;
    axis axes[AXES]; /* programs, devices, then the parameters */
    uint32_t count;
    uint64_t runs;
    sqlite3 *db;
} sweep;

static int
refuse(const char *what, const char *value)
{
    fprintf(stderr,
            "softwarp sweep: error: %s '%s'; `softwarp sweep --help` lists the "
            "options\n",
            what, value);
    return USAGE;
}

/* ---- the description ---- */

static bool
add_axis(sweep *s, const char *name, const json_t *values)
{
    size_t n = json_array_size(values);
    if (s->count == AXES)
        return refuse("more than 14 parameters, with", name) == 0;
    if (!n || n > UINT32_MAX)
        return refuse("a list of values belongs to", name) == 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(values, i);
        if (!json_is_string(v) && !json_is_integer(v) && !json_is_array(v))
            return refuse("values are strings, whole numbers or lists in",
                          name) == 0;
    }
    s->axes[s->count++] =
        (axis){.name = name, .values = values, .count = (uint32_t)n};
    s->runs = sw_product(s->runs, n);
    return true;
}

static bool
read_file(sweep *s)
{
    json_error_t error;
    const char *name;
    json_t *values, *none = json_pack("[s]", "");
    s->root = json_load_file(s->file, JSON_REJECT_DUPLICATES, &error);
    if (!s->root) {
        fprintf(stderr, "softwarp sweep: error: %s:%d: %s\n", s->file,
                error.line, error.text);
        json_decref(none);
        return false;
    }
    if (!json_object_get(s->root, "tools"))
        json_object_set_new(s->root, "tools", json_pack("[s]", "run"));
    if (!json_object_get(s->root, "devices"))
        json_object_set(s->root, "devices", none);
    json_decref(none);
    s->runs = 1;
    bool good = add_axis(s, "programs", json_object_get(s->root, "programs")) &&
                add_axis(s, "tools", json_object_get(s->root, "tools")) &&
                add_axis(s, "devices", json_object_get(s->root, "devices"));
    json_object_foreach(json_object_get(s->root, "params"), name, values) good =
        good && add_axis(s, name, values);
    if (good && s->runs > INT32_MAX)
        return refuse("more than 2^31 runs in", s->file) == 0;
    return good;
}

/* The value of an axis in a run. */
static const json_t *
value_of(const sweep *s, uint64_t run, uint32_t a)
{
    for (uint32_t i = s->count; i-- > a + 1;)
        run /= s->axes[i].count;
    return json_array_get(s->axes[a].values, run % s->axes[a].count);
}

static void
put_value(const json_t *v, sw_buf *out)
{
    if (json_is_string(v))
        sw_buf_puts(out, json_string_value(v));
    else if (json_is_integer(v))
        sw_buf_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    for (size_t i = 0; i < json_array_size(v); i++) {
        sw_buf_puts(out, i ? " " : "");
        put_value(json_array_get(v, i), out);
    }
}

/* Text with {NAME} as the run's values. */
static void
put_text(const sweep *s, uint64_t run, const char *text, sw_buf *out)
{
    sw_buf_puts(out, "");
    while (*text) {
        size_t n = strcspn(text, "}");
        uint32_t a = s->count;
        for (; *text == '{' && text[n] && a > 0; a--)
            if (strlen(s->axes[a - 1].name) == n - 1 &&
                !strncmp(s->axes[a - 1].name, text + 1, n - 1))
                break;
        if (*text == '{' && text[n] && a > 0) {
            put_value(value_of(s, run, a - 1), out);
            text += n + 1;
        } else {
            sw_buf_put(out, *text++);
        }
    }
}

static void
add_words(const sweep *s, uint64_t run, const json_t *words, sw_command *c)
{
    sw_buf word;
    sw_buf_init(&word);
    if (json_is_string(words)) {
        put_text(s, run, json_string_value(words), &word);
        sw_command_add(c, "%s", word.p);
    }
    for (size_t i = 0; i < json_array_size(words); i++)
        add_words(s, run, json_array_get(words, i), c);
    sw_buf_finish(&word);
}

/* softwarp TOOL --device NAME -- PROGRAM ARGUMENTS. */
static void
make_command(const sweep *s, uint64_t run, sw_command *c)
{
    sw_buf device;
    sw_command_init(c);
    sw_buf_init(&device);
    sw_buf_puts(&device, "");
    put_value(value_of(s, run, 2), &device);
    sw_command_add(c, "%s", sw_experiment_self());
    add_words(s, run, value_of(s, run, 1), c);
    if (*device.p) {
        sw_command_add(c, "--device");
        sw_command_add(c, "%s", device.p);
    }
    sw_command_add(c, "--");
    add_words(s, run, value_of(s, run, 0), c);
    add_words(s, run, json_object_get(s->root, "arguments"), c);
    sw_buf_finish(&device);
}

/* "programs=./a tools=run devices=H200 N=3". */
static void
put_run(const sweep *s, uint64_t run, sw_buf *out)
{
    for (uint32_t a = 0; a < s->count; a++) {
        sw_buf_printf(out, "%s%s=", a ? " " : "", s->axes[a].name);
        put_value(value_of(s, run, a), out);
    }
}

/* ---- the data base ---- */

static bool
say_db(const sweep *s)
{
    fprintf(stderr, "softwarp sweep: error: %s: %s\n", s->db_path,
            sqlite3_errmsg(s->db));
    return false;
}

static bool
open_db(sweep *s)
{
    static const char *const tables =
        "CREATE TABLE IF NOT EXISTS runs (run TEXT PRIMARY KEY, number INTEGER,"
        " program TEXT, tool TEXT, device TEXT, params TEXT, state TEXT,"
        " status INTEGER, seconds REAL, host TEXT, output TEXT)";
    if (sqlite3_open(s->db_path, &s->db) != SQLITE_OK)
        return say_db(s);
    sqlite3_busy_timeout(s->db, BUSY_MS);
    return sqlite3_exec(s->db, tables, NULL, NULL, NULL) == SQLITE_OK ||
           say_db(s);
}

static sqlite3_stmt *
prepare(sweep *s, const char *sql)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK)
        say_db(s);
    return q;
}

typedef enum { MISSING, FAILS, GOOD } row_state;

/* Of the run's row, by `q`, which asks for the state of a run. */
static row_state
find_state(sqlite3_stmt *q, const char *run)
{
    row_state found = MISSING;
    sqlite3_bind_text(q, 1, run, -1, SQLITE_TRANSIENT);
    if (sqlite3_step(q) == SQLITE_ROW) {
        const char *state = (const char *)sqlite3_column_text(q, 0);
        found = state && !strcmp(state, "done") ? GOOD : FAILS;
    }
    sqlite3_reset(q);
    return found;
}

static sqlite3_stmt *
prepare_state(sweep *s)
{
    return prepare(s, "SELECT state FROM runs WHERE run = ?");
}

static void
bind_value(const sweep *s, uint64_t run, uint32_t a, sqlite3_stmt *q, int at)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_puts(&text, "");
    if (a < 3)
        put_value(value_of(s, run, a), &text);
    for (uint32_t i = a; a == 3 && i < s->count; i++) {
        sw_buf_printf(&text, "%s%s=", i > a ? " " : "", s->axes[i].name);
        put_value(value_of(s, run, i), &text);
    }
    sqlite3_bind_text(q, at, text.p, -1, SQLITE_TRANSIENT);
    sw_buf_finish(&text);
}

static bool
keep(sweep *s, uint64_t run, const char *name, const sw_experiment *x)
{
    char host[256] = "";
    sqlite3_stmt *q = prepare(
        s, "INSERT OR REPLACE INTO runs VALUES (?,?,?,?,?,?,?,?,?,?,?)");
    const char *state = x->is_late ? "late" : x->status ? "failed" : "done";
    gethostname(host, sizeof host - 1);
    sqlite3_bind_text(q, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(q, 2, (sqlite3_int64)run);
    for (uint32_t a = 0; a < 4; a++)
        bind_value(s, run, a, q, 3 + (int)a);
    sqlite3_bind_text(q, 7, state, -1, SQLITE_STATIC);
    sqlite3_bind_int(q, 8, x->status);
    sqlite3_bind_double(q, 9, x->seconds);
    sqlite3_bind_text(q, 10, host, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(q, 11, x->output.p, -1, SQLITE_TRANSIENT);
    bool good = sqlite3_step(q) == SQLITE_DONE;
    sqlite3_finalize(q);
    return good || say_db(s);
}

/* How many of the description's runs have rows, and how many of them failed. */
static void
count_rows(sweep *s, uint64_t *done, uint64_t *failed)
{
    sqlite3_stmt *q = prepare_state(s);
    *done = *failed = 0;
    for (uint64_t i = 0; i < s->runs; i++) {
        sw_buf name;
        sw_buf_init(&name);
        put_run(s, i, &name);
        row_state state = find_state(q, name.p);
        *done += state != MISSING;
        *failed += state == FAILS;
        sw_buf_finish(&name);
    }
    sqlite3_finalize(q);
}

/* ---- running ---- */

static void
show_progress(const sweep *s, uint64_t at)
{
    enum { WIDTH = 40 };
    uint64_t full = WIDTH * at / s->runs;
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r[%.*s%.*s] %" PRIu64 " of %" PRIu64, (int)full,
            "########################################", (int)(WIDTH - full),
            "                                        ", at, s->runs);
    if (at == s->runs)
        fprintf(stderr, "\n");
}

/* This worker's share of the runs; true unless the data base fails. */
static bool
work(sweep *s, uint64_t worker)
{
    uint64_t first = s->share * s->jobs + worker;
    bool good = open_db(s);
    sqlite3_stmt *q = good ? prepare_state(s) : NULL;
    for (uint64_t i = first; good && i < s->runs; i += s->shares * s->jobs) {
        sw_buf name;
        sw_command c;
        sw_experiment x;
        sw_buf_init(&name);
        put_run(s, i, &name);
        row_state state = find_state(q, name.p);
        if (state == MISSING || (state == FAILS && s->is_again)) {
            make_command(s, i, &c);
            sw_experiment_run(&x, sw_command_argv(&c), NULL,
                              (double)s->timeout);
            good = keep(s, i, name.p, &x);
            sw_experiment_finish(&x);
            sw_command_finish(&c);
        }
        sw_buf_finish(&name);
        if (worker == 0)
            show_progress(s, i + 1);
    }
    sqlite3_finalize(q);
    sqlite3_close(s->db);
    return good;
}

/* A process for each job but the first; SQLite wants that each opens the data
 * base itself. */
static bool
work_all(sweep *s)
{
    pid_t children[JOBS];
    bool good = true;
    fflush(NULL);
    for (uint64_t j = 1; j < s->jobs; j++) {
        children[j] = fork();
        if (children[j] == 0)
            _exit(work(s, j) ? 0 : 1);
    }
    good = work(s, 0);
    for (uint64_t j = 1; j < s->jobs; j++) {
        int status = 1;
        while (children[j] > 0 && waitpid(children[j], &status, 0) < 0 &&
               errno == EINTR)
            ;
        good &= status == 0;
    }
    return good;
}

static void
print_failures(sweep *s)
{
    sqlite3_stmt *q = prepare(s, "SELECT run, state, status, output FROM runs"
                                 " WHERE state != 'done' ORDER BY number");
    while (sqlite3_step(q) == SQLITE_ROW) {
        const char *output = (const char *)sqlite3_column_text(q, 3);
        printf("%s: %s, status %d: %.*s\n",
               (const char *)sqlite3_column_text(q, 1),
               (const char *)sqlite3_column_text(q, 0),
               sqlite3_column_int(q, 2), (int)strcspn(output, "\n"), output);
    }
    sqlite3_finalize(q);
}

static int
run_all(sweep *s)
{
    uint64_t done, failed;
    if (!open_db(s))
        return USAGE;
    sqlite3_close(s->db);
    if (!work_all(s) || !open_db(s))
        return USAGE;
    count_rows(s, &done, &failed);
    print_failures(s);
    printf("%" PRIu64 " of %" PRIu64 " runs are done, %" PRIu64
           " of them failed; rows are in %s\n",
           done, s->runs, failed, s->db_path);
    sqlite3_close(s->db);
    /* mpirun ends all ranks where one of them fails. */
    return failed && s->shares == 1 ? FAILED : 0;
}

static void
list_runs(const sweep *s)
{
    for (uint64_t i = 0; i < s->runs; i++) {
        sw_buf name;
        sw_buf_init(&name);
        put_run(s, i, &name);
        puts(name.p);
        sw_buf_finish(&name);
    }
}

/* ---- options ---- */

static bool
read_number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    return text && sw_str_to_u64(sw_str_of(text), 10, out) && *out >= least &&
           *out <= most;
}

/* "I/N". */
static bool
read_share(sweep *s, const char *text)
{
    const char *slash = strchr(text, '/');
    sw_str first = {text, slash ? (size_t)(slash - text) : 0};
    return slash && sw_str_to_u64(first, 10, &s->share) &&
           read_number(slash + 1, 1, INT32_MAX, &s->shares) &&
           s->share < s->shares;
}

/* Where this process is one of several that were started together. */
static void
find_share(sweep *s)
{
    static const char *const names[][2] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
        {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"},
        {"SLURM_PROCID", "SLURM_NTASKS"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t at, of;
        if (!read_number(getenv(names[i][0]), 0, INT32_MAX, &at) ||
            !read_number(getenv(names[i][1]), 1, INT32_MAX, &of))
            continue;
        s->share = at % of;
        s->shares = of;
        return;
    }
}

static int
take_option(sweep *s, int argc, char **argv, int *i)
{
    const char *name = argv[*i], *value = *i + 1 < argc ? argv[*i + 1] : NULL;
    if (!strcmp(name, "--failed") || !strcmp(name, "--list")) {
        *(name[2] == 'f' ? &s->is_again : &s->is_list) = true;
        return 0;
    }
    ++*i;
    if (!value)
        return refuse("no value for, or no such option:", name);
    if (!strcmp(name, "--db"))
        s->db_path = value;
    else if (!strcmp(name, "--jobs"))
        return read_number(value, 1, JOBS, &s->jobs)
                   ? 0
                   : refuse("--jobs takes 1 to 256, not", value);
    else if (!strcmp(name, "--timeout"))
        return read_number(value, 1, INT32_MAX, &s->timeout)
                   ? 0
                   : refuse("--timeout takes seconds, not", value);
    else if (!strcmp(name, "--share"))
        return read_share(s, value)
                   ? 0
                   : refuse("--share takes I/N with I below N, not", value);
    else
        return refuse("no such option", name);
    return 0;
}

int
sw_tool_sweep(int argc, char **argv)
{
    sweep s = {.jobs = 1, .shares = 1, .timeout = 600};
    sw_buf path;
    int status = 0;
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return 0;
    }
    find_share(&s);
    for (int i = 1; i < argc && !status; i++) {
        if (argv[i][0] == '-' && argv[i][1])
            status = take_option(&s, argc, argv, &i);
        else if (s.file)
            status = refuse("one file is swept, not also", argv[i]);
        else
            s.file = argv[i];
    }
    if (status || !s.file)
        return status ? status : refuse("no file after", "sweep");
    sw_buf_init(&path);
    sw_buf_printf(&path, "%s.db", s.file);
    if (!s.db_path)
        s.db_path = path.p;
    status = read_file(&s) ? 0 : USAGE;
    if (!status && s.is_list)
        list_runs(&s);
    else if (!status)
        status = run_all(&s);
    json_decref(s.root);
    sw_buf_finish(&path);
    return status;
}
