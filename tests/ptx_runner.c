/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_runner.c - runs one tests/ptx/<behaviour>.ptx: reads what to launch and
 * what to expect out of its comments (README.md has the format), has it done
 * (ptx_runner.h), and says `NAME: N passed, M failed`, an expectation a case.
 *
 * Its own standard output and error are captured while kernels run, for what a
 * library prints there is part of what is expected.
 */
#include "ptx_runner.h"

#include <ctype.h>
#include <inttypes.h>
#include <pthread.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LAUNCHES = 16, MAX_EXPECTS = 64 };

typedef enum { VALUE, BUFFER, LAST, HOST } arg_form;

typedef struct {
    char kind; /* u s b f */
    unsigned bytes;
    arg_form form;
    unsigned last; /* LAST: which argument of the launch before */
    size_t count;
    uint8_t *data; /* count elements; never freed: this process is short */
    uint64_t device;
} arg;

typedef struct {
    device_launch to_run;
    arg args[PTX_MAX_ARGS];
} launch;

typedef struct {
    char how[8];
    const char *text;
} expect;

static launch launches[MAX_LAUNCHES];
static expect expects[MAX_EXPECTS];
static unsigned launch_count, expect_count;
static char *out_text, *err_text; /* what came out, line by line */
static size_t out_bytes, err_bytes;
static FILE *out, *err, *report;
static pthread_mutex_t out_lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_ours_only;

_Noreturn static void
stop(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vfprintf(report ? report : stdout, fmt, args);
    va_end(args);
    fputs("\n", report ? report : stdout);
    exit(2);
}

void
runner_error(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vfprintf(err, fmt, args);
    va_end(args);
    fputs("\n", err);
}

void
runner_print(const char *text, size_t bytes)
{
    pthread_mutex_lock(&out_lock);
    fwrite(text, 1, bytes, out);
    pthread_mutex_unlock(&out_lock);
}

/* ---- reading the comments ---- */

static void
read_type(const char *word, arg *a)
{
    char *end;
    unsigned long bits = strtoul(word[0] ? word + 1 : word, &end, 10);
    if (!word[0] || !strchr("usbf", word[0]) || *end || bits < 8 || bits > 64 ||
        (bits & (bits - 1)) || (word[0] == 'f' && bits < 32))
        stop("'%s' is no type", word);
    a->kind = word[0];
    a->bytes = (unsigned)bits / 8;
}

static void
put_value(arg *a, size_t i, const char *word)
{
    uint64_t bits;
    char *end;
    if (a->kind != 'f') {
        bits = strtoull(word, &end, 0);
    } else if (word[0] == '0' && word[1] && strchr("fFdD", word[1])) {
        bits = strtoull(word + 2, &end, 16);
    } else if (a->bytes == 4) {
        float f = strtof(word, &end);
        uint32_t b;
        memcpy(&b, &f, sizeof b);
        bits = b;
    } else {
        double d = strtod(word, &end);
        memcpy(&bits, &d, sizeof bits);
    }
    if (*end || end == word)
        stop("'%s' is no number", word);
    memcpy(a->data + i * a->bytes, &bits, a->bytes); /* little-endian */
}

/* TYPE VALUES... | in TYPE VALUES... | out TYPE COUNT | last N | host */
static void
read_arg(launch *l, char *text)
{
    unsigned n = l->to_run.arg_count++;
    if (n == PTX_MAX_ARGS)
        stop("more than %d arguments", PTX_MAX_ARGS);
    arg *a = &l->args[n];
    char *save, *word = strtok_r(text, " ", &save);
    if (word && strcmp(word, "host") == 0) {
        a->form = HOST;
        a->data = calloc(1, 4096);
        return;
    }
    if (word && strcmp(word, "last") == 0) {
        word = strtok_r(NULL, " ", &save);
        a->form = LAST;
        a->last = word ? (unsigned)strtoul(word, NULL, 10) : PTX_MAX_ARGS;
        if (l == launches || a->last >= l[-1].to_run.arg_count)
            stop("last: no such argument of a launch before");
        return;
    }
    bool is_out = word && strcmp(word, "out") == 0;
    if (is_out || (word && strcmp(word, "in") == 0)) {
        a->form = BUFFER;
        word = strtok_r(NULL, " ", &save);
    }
    read_type(word ? word : "", a);
    if (is_out) {
        word = strtok_r(NULL, " ", &save);
        a->count = word ? strtoul(word, NULL, 0) : 0;
        a->data = calloc(a->count + 1, a->bytes);
    }
    while (!is_out && (word = strtok_r(NULL, " ", &save))) {
        a->data = realloc(a->data, (a->count + 1) * a->bytes);
        put_value(a, a->count++, word);
    }
    if (a->count == 0)
        stop("arg %u: how many?", n);
}

static bool
read_shape(const char *word, const char *name, unsigned shape[3])
{
    size_t n = strlen(name);
    return strncmp(word, name, n) == 0 &&
           sscanf(word + n, "%u,%u,%u", shape, shape + 1, shape + 2) >= 1;
}

/* KERNEL [grid=X,Y,Z] [block=X,Y,Z] [cluster=X,Y,Z] [shared=BYTES]
 * [cooperative] */
static void
read_launch(char *text)
{
    if (launch_count == MAX_LAUNCHES)
        stop("more than %d launches", MAX_LAUNCHES);
    device_launch *l = &launches[launch_count++].to_run;
    for (int i = 0; i < 3; i++)
        l->grid[i] = l->block[i] = 1;
    char *save, *word = strtok_r(text, " ", &save);
    snprintf(l->kernel, sizeof l->kernel, "%s", word ? word : "");
    while ((word = strtok_r(NULL, " ", &save))) {
        if (read_shape(word, "cluster=", l->cluster)) {
            for (int i = 0; i < 3; i++)
                l->cluster[i] += l->cluster[i] == 0;
        } else if (strcmp(word, "cooperative") == 0) {
            l->cooperative = true;
        } else if (sscanf(word, "shared=%u", &l->shared) != 1 &&
                   !read_shape(word, "grid=", l->grid) &&
                   !read_shape(word, "block=", l->block)) {
            stop("run: what is '%s'?", word);
        }
    }
}

static void
read_expect(const char *text)
{
    static const char *const known[] = {"EXACT", "MATCH",  "EACH",
                                        "ERROR", "REPORT", "ABSENT"};
    bool is_known = false;
    if (expect_count == MAX_EXPECTS)
        stop("more than %d expectations", MAX_EXPECTS);
    expect *e = &expects[expect_count++];
    const char *rest = strchr(text, ' ');
    if (sscanf(text, "%7s", e->how) != 1 || !rest)
        stop("expect: what?");
    e->text = strdup(rest + 1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is_known |= strcmp(e->how, known[i]) == 0;
    if (!is_known)
        stop("expect: what is '%s'?", e->how);
}

static void
read_line(char *line)
{
    static const char *const known[] = {"// run: ", "// arg: ",  "// expect: ",
                                        "// env: ", "// only: ", "// device: "};
    unsigned what = 0;
    line[strcspn(line, "\r\n")] = 0;
    while (what < sizeof known / sizeof *known &&
           strncmp(line, known[what], strlen(known[what])) != 0)
        what++;
    if (what == sizeof known / sizeof *known)
        return;
    line += strlen(known[what]);
    switch (what) {
    case 0:
        read_launch(line);
        break;
    case 1:
        if (!launch_count)
            stop("arg: before run:");
        read_arg(&launches[launch_count - 1], line);
        break;
    case 2:
        read_expect(line);
        break;
    case 3:
        if (!strchr(line, '='))
            stop("env: NAME=VALUE");
        putenv(strdup(line));
        break;
    case 4:
        if (strcmp(line, "softwarp") != 0)
            stop("only: what is '%s'?", line);
        is_ours_only = true;
        break;
    default:
        setenv("SOFTWARP_DEVICE", line, 1);
        break;
    }
}

static char *
read_file(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "r");
    char *text = NULL, *line = NULL;
    size_t n = 0, room = 0;
    ssize_t got;
    if (!f)
        stop("%s: cannot be read", path);
    while ((got = getline(&line, &room, f)) > 0) {
        text = realloc(text, n + (size_t)got + 1);
        memcpy(text + n, line, (size_t)got + 1);
        n += (size_t)got;
        read_line(line);
    }
    free(line);
    fclose(f);
    *bytes = n;
    return text ? text : calloc(1, 1);
}

/* ---- doing it ---- */

static void
print_value(const arg *a, size_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, a->data + i * a->bytes, a->bytes);
    if (a->kind == 'f' && a->bytes == 4) {
        float f;
        memcpy(&f, &bits, sizeof f);
        fprintf(out, " %.9g", (double)f);
    } else if (a->kind == 'f') {
        double d;
        memcpy(&d, &bits, sizeof d);
        fprintf(out, " %.17g", d);
    } else if (a->kind == 'b') {
        fprintf(out, " 0x%0*" PRIx64, (int)a->bytes * 2, bits);
    } else if (a->kind == 's') {
        unsigned up = 64 - 8 * a->bytes;
        fprintf(out, " %" PRId64, (int64_t)(bits << up) >> up);
    } else {
        fprintf(out, " %" PRIu64, bits);
    }
}

static bool
give_arg(device_launch *l, unsigned i, arg *a, const launch *before)
{
    l->args[i] = a->form == VALUE ? (const void *)a->data : &a->device;
    l->arg_bytes[i] = a->form == VALUE ? a->count * a->bytes : 8;
    if (a->form == HOST) {
        a->device = (uint64_t)(uintptr_t)a->data;
    } else if (a->form == LAST) {
        const arg *same = &before->args[a->last];
        a->kind = same->kind;
        a->bytes = same->bytes;
        a->count = same->count;
        a->data = same->data;
        a->device = same->device;
    } else if (a->form == BUFFER) {
        return device_alloc(a->count * a->bytes, &a->device) &&
               device_copy_in(a->device, a->data, a->count * a->bytes);
    }
    return true;
}

static bool
run_launch(launch *now)
{
    device_launch *l = &now->to_run;
    for (unsigned i = 0; i < l->arg_count; i++)
        if (!give_arg(l, i, &now->args[i], now - 1))
            return false;
    if (!device_run(l))
        return false;
    for (unsigned i = 0; i < l->arg_count; i++) {
        arg *a = &now->args[i];
        if (a->form != BUFFER && a->form != LAST)
            continue;
        if (!device_copy_out(a->data, a->device, a->count * a->bytes))
            return false;
        fprintf(out, "arg%u:", i);
        for (size_t k = 0; k < a->count; k++)
            print_value(a, k);
        fputs("\n", out);
    }
    return true;
}

static bool
run_all(const char *name, const char *text, size_t bytes)
{
    bool ok = device_load(name, text, bytes);
    for (unsigned i = 0; ok && i < launch_count; i++)
        ok = run_launch(&launches[i]);
    for (unsigned i = 0; ok && i < launch_count; i++)
        for (unsigned k = 0; k < launches[i].to_run.arg_count; k++)
            if (launches[i].args[k].form == BUFFER)
                device_free(launches[i].args[k].device);
    device_unload();
    return ok;
}

/* Sends a standard stream to a file without a name. */
static int
capture(FILE *stream)
{
    FILE *f = tmpfile();
    if (!f)
        stop("no temporary file");
    fflush(stream);
    dup2(fileno(f), fileno(stream));
    return fileno(f);
}

static void
append_captured(int fd, FILE *to)
{
    char block[4096];
    ssize_t n;
    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, block, sizeof block)) > 0)
        fwrite(block, 1, (size_t)n, to);
    fflush(to);
}

/* ---- comparing ---- */

/* "argN: VALUE": at least one value, and all are that one. */
static bool
is_each(const char *line, const char *want)
{
    size_t head = strcspn(want, " ");
    const char *value = want + head;
    size_t n = strlen(value);
    if (!n || strncmp(line, want, head + n) != 0)
        return false;
    for (line += head; *line; line += n)
        if (strncmp(line, value, n) != 0 || (line[n] && line[n] != ' '))
            return false;
    return true;
}

static bool
any_line(const char *text, const expect *e)
{
    regex_t regex;
    bool is_exact = strcmp(e->how, "EXACT") == 0, found = false;
    bool is_regex = !is_exact && strcmp(e->how, "EACH") != 0;
    if (is_regex && regcomp(&regex, e->text, REG_EXTENDED | REG_NOSUB))
        stop("expect: '%s' is no regular expression", e->text);
    char *copy = strdup(text), *save;
    for (char *line = strtok_r(copy, "\n", &save); line && !found;
         line = strtok_r(NULL, "\n", &save))
        found = is_exact   ? strcmp(line, e->text) == 0
                : is_regex ? regexec(&regex, line, 0, NULL, 0) == 0
                           : is_each(line, e->text);
    free(copy);
    if (is_regex)
        regfree(&regex);
    return found;
}

/* Counts the expectations that hold; says which do not. */
static unsigned
compare(bool went_well, unsigned *failed)
{
    unsigned passed = 0;
    bool wants_error = false;
    for (unsigned i = 0; i < expect_count; i++) {
        const expect *e = &expects[i];
        bool is_absent = strcmp(e->how, "ABSENT") == 0;
        bool is_report = is_absent || strcmp(e->how, "REPORT") == 0;
        bool is_error = is_report || strcmp(e->how, "ERROR") == 0;
        wants_error |= strcmp(e->how, "ERROR") == 0;
        if (is_report && !device_is_ours())
            continue;
        bool ok = any_line(is_error ? err_text : out_text, e) != is_absent;
        *(ok ? &passed : failed) += 1;
        if (!ok)
            fprintf(report, "expected %s %s\n", e->how, e->text);
    }
    /* Without expectations the test is that there is no error. */
    if (!wants_error && !went_well)
        *failed += 1;
    else if (!expect_count || (wants_error && went_well))
        *(wants_error ? failed : &passed) += 1;
    return passed;
}

int
main(int argc, char **argv)
{
    size_t bytes;
    if (argc != 2)
        stop("usage: %s FILE.ptx", argv[0]);
    char *text = read_file(argv[1], &bytes);
    const char *slash = strrchr(argv[1], '/');
    const char *name = slash ? slash + 1 : argv[1];
    if (is_ours_only && !device_is_ours()) {
        puts("skip: real devices do otherwise");
        return 77;
    }

    int old_out = dup(STDOUT_FILENO), old_err = dup(STDERR_FILENO);
    report = fdopen(dup(STDOUT_FILENO), "w");
    out = open_memstream(&out_text, &out_bytes);
    err = open_memstream(&err_text, &err_bytes);
    int out_fd = capture(stdout), err_fd = capture(stderr);
    bool went_well = run_all(name, text, bytes);
    fflush(stdout);
    fflush(stderr);
    dup2(old_out, STDOUT_FILENO); /* for what is said when we end */
    dup2(old_err, STDERR_FILENO);
    append_captured(out_fd, out);
    append_captured(err_fd, err);

    unsigned failed = 0, passed = compare(went_well, &failed);
    if (failed)
        fprintf(report, "---- out\n%s---- err\n%s", out_text, err_text);
    fprintf(report, "ptx/%.*s: %u passed, %u failed\n", (int)strcspn(name, "."),
            name, passed, failed);
    fclose(report);
    free(text);
    return failed != 0;
}
