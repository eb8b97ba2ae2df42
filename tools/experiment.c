/* SPDX-License-Identifier: Apache-2.0 */
/* experiment.c - runs commands and reads what they measured. */
#include "experiment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT_START = 127, PAUSE_MS = 20, OUTPUT_MOST = 1 << 20 };

/* ---- commands ---- */

void
sw_command_init(sw_command *c)
{
    c->arena = sw_arena_create();
    sw_vec_init(&c->words, sizeof(char *));
    sw_vec_push(&c->words);
}

void
sw_command_finish(sw_command *c)
{
    sw_vec_finish(&c->words);
    sw_arena_destroy(c->arena);
}

static void
add_word(sw_command *c, const char *word)
{
    char **last = sw_vec_at(&c->words, c->words.count - 1);
    *last = sw_arena_str(c->arena, sw_str_of(word));
    sw_vec_push(&c->words);
}

void
sw_command_add(sw_command *c, const char *fmt, ...)
{
    sw_buf text;
    va_list args;
    sw_buf_init(&text);
    va_start(args, fmt);
    sw_buf_vprintf(&text, fmt, args);
    va_end(args);
    add_word(c, text.p ? text.p : "");
    sw_buf_finish(&text);
}

void
sw_command_add_list(sw_command *c, const json_t *list)
{
    if (json_is_string(list))
        add_word(c, json_string_value(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (word)
            add_word(c, word);
    }
}

char *const *
sw_command_argv(const sw_command *c)
{
    return c->words.data;
}

const char *
sw_experiment_self(void)
{
    static char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    return self;
}

/* ---- running one ---- */

static void
become(char *const *argv, const char *folder, int out)
{
    int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    if (null >= 0)
        dup2(null, 0);
    dup2(out, 1);
    dup2(out, 2);
    if (folder && chdir(folder) != 0) {
        fprintf(stderr, "%s: %s\n", folder, strerror(errno));
        fflush(stderr);
        _exit(CANNOT_START);
    }
    execvp(argv[0], argv);
    fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
    fflush(stderr);
    _exit(CANNOT_START);
}

/* What has come until the end of the file; false at the end. */
static bool
take_output(int fd, sw_buf *out)
{
    char bytes[4096];
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n > 0 && out->n < OUTPUT_MOST)
        sw_buf_add(out, bytes, (size_t)n);
    return n > 0 || (n < 0 && errno == EINTR);
}

/* Reads what the child prints until it ends. */
static void
wait_for(sw_experiment *x, pid_t child, int fd, double seconds)
{
    uint64_t begin = sw_time_ns();
    bool is_open = true;
    int status = 0;
    pid_t ended = 0;
    while (ended == 0) {
        struct pollfd p = {.fd = is_open ? fd : -1, .events = POLLIN};
        if (poll(&p, 1, PAUSE_MS) > 0)
            is_open = take_output(fd, &x->output);
        ended = waitpid(child, &status, WNOHANG);
        x->seconds = (double)(sw_time_ns() - begin) * 1e-9;
        if (ended == 0 && seconds > 0 && x->seconds > seconds && !x->is_late) {
            x->is_late = true;
            kill(-child, SIGKILL);
        }
    }
    fcntl(fd, F_SETFL, O_NONBLOCK); /* its own children may hold the pipe */
    while (is_open && take_output(fd, &x->output))
        ;
    x->status =
        WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void
sw_experiment_run(sw_experiment *x, char *const *argv, const char *folder,
                  double seconds)
{
    int ends[2];
    *x = (sw_experiment){.status = CANNOT_START};
    sw_buf_init(&x->output);
    sw_buf_puts(&x->output, "");
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        sw_buf_printf(&x->output, "pipe: %s\n", strerror(errno));
        return;
    }
    pid_t child = fork();
    if (child == 0)
        become(argv, folder, ends[1]);
    close(ends[1]);
    if (child < 0)
        sw_buf_printf(&x->output, "fork: %s\n", strerror(errno));
    else
        wait_for(x, child, ends[0], seconds);
    close(ends[0]);
}

void
sw_experiment_finish(sw_experiment *x)
{
    sw_buf_finish(&x->output);
}

/* ---- folders ---- */

bool
sw_experiment_make_folder(const char *tool, char *path)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(path, PATH_MAX, "%s/softwarp-%s-XXXXXX",
             tmp && *tmp ? tmp : "/tmp", tool);
    if (mkdtemp(path))
        return true;
    fprintf(stderr, "softwarp %s: error: %s: %s\n", tool, path,
            strerror(errno));
    return false;
}

void
sw_experiment_remove_folder(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    rmdir(path);
}

/* ---- what was measured ---- */

static bool
is_named(const json_t *row, const char *kernel)
{
    const char *name = json_string_value(json_object_get(row, "kernel"));
    return name && (!*kernel || strstr(name, kernel));
}

static void
fold_in(sw_fold fold, double one, bool is_first, double *value)
{
    if (is_first)
        *value = one;
    else if (fold == SW_FOLD_SUM)
        *value += one;
    else if ((fold == SW_FOLD_MOST) == (one > *value))
        *value = one;
}

/* Which of the launches' values it is; metrics may lack their last part. */
static size_t
find_metric(const json_t *profile, const char *metric)
{
    const json_t *names = json_object_get(profile, "launch_metrics");
    size_t i = 0, n = strlen(metric);
    for (; i < json_array_size(names); i++) {
        const char *name = json_string_value(
            json_object_get(json_array_get(names, i), "name"));
        if (name && !strncmp(name, metric, n) && (!name[n] || name[n] == '.'))
            break;
    }
    return i;
}

bool
sw_experiment_counter(const json_t *profile, const char *kernel,
                      const char *metric, sw_fold fold, double *value)
{
    const json_t *launches = json_object_get(profile, "launches");
    const json_t *groups = json_object_get(profile, "groups");
    size_t at = find_metric(profile, metric);
    bool is_found = false;
    for (size_t i = 0; i < json_array_size(launches); i++) {
        const json_t *l = json_array_get(launches, i);
        json_int_t g = json_integer_value(json_object_get(l, "group"));
        const json_t *v = json_array_get(json_object_get(l, "values"), at);
        if (!json_is_number(v) ||
            !is_named(json_array_get(groups, (size_t)g), kernel))
            continue;
        fold_in(fold, json_number_value(v), !is_found, value);
        is_found = true;
    }
    return is_found;
}

bool
sw_experiment_occupancy(const json_t *profile, const char *kernel,
                        double *percent)
{
    const json_t *groups = json_object_get(profile, "groups");
    bool is_found = false;
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const json_t *g = json_array_get(groups, i);
        const json_t *v =
            json_object_get(json_object_get(g, "occupancy"), "percent");
        if (!json_is_number(v) || !is_named(g, kernel))
            continue;
        fold_in(SW_FOLD_LEAST, json_number_value(v), !is_found, percent);
        is_found = true;
    }
    return is_found;
}

bool
sw_experiment_time(const json_t *rows, const char *kernel, double *ns)
{
    bool is_found = false;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *r = json_array_get(rows, i);
        const json_t *v = json_object_get(r, "predicted_ns");
        if (!json_is_number(v) || !is_named(r, kernel))
            continue;
        fold_in(SW_FOLD_SUM, json_number_value(v), !is_found, ns);
        is_found = true;
    }
    return is_found;
}
