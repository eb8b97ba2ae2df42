/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - `softwarp check PROGRAM`: runs a program under the checkers
 * (src/check) and reports what they found.
 *
 * Options are our own and those that users of compute-sanitizer know, a row of
 * option_table each. Each process of the program writes its findings into a
 * file; this one joins them.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/settings.h"
#include "check/report.h"
#include "check/stack.h"
#include "tools.h"

enum { USAGE = 2, FOUND = 1 };

typedef struct {
    bool has_tool[SW_CHECK_COUNT];
    bool has_tools; /* some were named */
    const char *json, *junit, *sarif, *github, *xml_file, *save, *log;
    const char *suppressions, *gen_suppressions;
    const char *kernels, *skip, *count, *schedules, *seed;
    char *observers; /* those that were asked for beside ours; or NULL */
    bool is_xml, is_quiet, is_gdb;
    size_t limit; /* --print-limit */
    int exit_code;
    bool wants_leaks;
    sw_vec run;   /* const char *: options for `softwarp run` */
    sw_buf names; /* the regular expression that kernel filters make */
} options;

/* ---- options ---- */

static bool
refuse(const char *what, const char *value)
{
    fprintf(stderr,
            "softwarp check: error: %s '%s'; `softwarp check --help` lists the "
            "options\n",
            what, value);
    return false;
}

static bool
read_number(const char *option, const char *text, uint64_t most, uint64_t *out)
{
    if (sw_str_to_u64(sw_str_of(text), 10, out) && *out <= most)
        return true;
    fprintf(stderr,
            "softwarp check: error: %s takes a number from 0 to %llu, not "
            "'%s'\n",
            option, (unsigned long long)most, text);
    return false;
}

/* "memory,race" or the sanitizer's name of a tool. */
static bool
read_tools(options *o, const char *list)
{
    o->has_tools = true;
    while (*list) {
        size_t n = strcspn(list, ",");
        sw_str one = {list, n};
        bool is_all = sw_str_is(one, "all"), any = is_all;
        for (int i = 0; i < SW_CHECK_COUNT; i++) {
            const sw_check_tool_info *t = sw_check_tool_get((sw_check_tool)i);
            if (!is_all && !sw_str_is(one, t->name) &&
                (!*t->sanitizer || !sw_str_is(one, t->sanitizer)))
                continue;
            o->has_tool[i] = any = true;
        }
        if (!any) {
            fprintf(stderr, "softwarp check: error: no tool '%.*s'; there are",
                    (int)n, list);
            for (int i = 0; i < SW_CHECK_COUNT; i++)
                fprintf(stderr, " %s",
                        sw_check_tool_get((sw_check_tool)i)->name);
            fprintf(stderr, " all\n");
            return false;
        }
        list += n + (list[n] == ',');
    }
    return true;
}

/* One more alternative of the expression that a kernel's name must match. */
static bool
add_kernels(options *o, const char *pattern, bool is_whole, bool is_regex)
{
    sw_buf *b = &o->names;
    sw_buf_printf(b, "%s%s", b->n ? "|" : "", is_whole ? "^" : "");
    for (const char *p = pattern; *p; p++) {
        if (!is_regex && strchr("\\^$.[]|()*+?{}", *p))
            sw_buf_put(b, '\\');
        sw_buf_put(b, *p);
    }
    sw_buf_puts(b, is_whole ? "$" : "");
    o->kernels = b->p;
    return true;
}

/* compute-sanitizer's filters: kns=, kernel_name=, kne=, kernel_substring=,
 * regex=; without one of them a part of the name. */
static bool
read_kernels(options *o, const char *value)
{
    const char *equals = strchr(value, '=');
    size_t n = equals ? (size_t)(equals - value) : 0;
    sw_str key = {value, n};
    if (!equals)
        return add_kernels(o, value, false, false);
    if (sw_str_is(key, "regex") || sw_str_is(key, "kernel_regex"))
        return add_kernels(o, equals + 1, false, true);
    if (sw_str_is(key, "kne") || sw_str_is(key, "kernel_name"))
        return add_kernels(o, equals + 1, true, false);
    if (sw_str_is(key, "kns") || sw_str_is(key, "kernel_substring"))
        return add_kernels(o, equals + 1, false, false);
    return refuse("no such filter of kernels:", value);
}

typedef enum {
    O_TOOL,
    O_TEXT,    /* a file or text: `at` */
    O_FLAG,    /* `at` becomes true */
    O_LEAK,    /* full or no */
    O_LIMIT,   /* --print-limit */
    O_EXIT,    /* --error-exitcode */
    O_KERNELS, /* a filter */
    O_REGEX,
    O_RUN, /* for `softwarp run`, with a value */
    O_RUN_FLAG,
    O_NOTHING, /* of compute-sanitizer, without a meaning here */
    O_NOTHING_VALUE
} option_kind;

typedef struct {
    const char *name, *brief; /* "--json", "-k" or "" */
    option_kind kind;
    size_t at;                /* in options */
    const char *value, *text; /* for the help; text NULL: not shown */
} option_row;

static const option_row option_table[] = {
    {"--tool", "", O_TOOL, 0, "LIST",
     "memory, race, init, sync, host, leak, all (default), or memcheck, "
     "racecheck, initcheck, synccheck; several between commas"},
    {"--leak-check", "", O_LEAK, 0, "full|no",
     "with --tool: the tool leak too"},
    {"--error-exitcode", "", O_EXIT, 0, "N",
     "exit status if something was found (default 1; 0: the program's own)"},
    {"--json", "", O_TEXT, offsetof(options, json), "FILE",
     "findings for programs (- is standard output)"},
    {"--sarif", "", O_TEXT, offsetof(options, sarif), "FILE",
     "SARIF 2.1 for code hosts and editors"},
    {"--junit", "", O_TEXT, offsetof(options, junit), "FILE",
     "JUnit's XML for build servers"},
    {"--github", "", O_TEXT, offsetof(options, github), "FILE",
     "annotations of a workflow (usually -)"},
    {"--xml", "", O_FLAG, offsetof(options, is_xml), "",
     "the report as XML, as compute-sanitizer's"},
    {"--save", "", O_TEXT, offsetof(options, save), "FILE",
     "that XML into a file"},
    {"--log-file", "", O_TEXT, offsetof(options, log), "FILE",
     "the report into a file instead of standard error"},
    {"--print-limit", "", O_LIMIT, 0, "N",
     "findings shown at most (default 100; 0: all)"},
    {"--suppressions", "", O_TEXT, offsetof(options, suppressions), "FILE",
     "known findings, which are not shown"},
    {"--gen-suppressions", "", O_TEXT, offsetof(options, gen_suppressions),
     "FILE", "writes lines that suppress what was found"},
    {"--kernel-name", "-k", O_KERNELS, 0, "FILTER",
     "only kernels with this in their name; kernel_name=NAME, "
     "kernel_substring=TEXT, regex=EXPRESSION"},
    {"--kernel-regex", "", O_REGEX, 0, "regex=EXPRESSION", NULL},
    {"--launch-skip", "-s", O_TEXT, offsetof(options, skip), "N",
     "the first N launches are not looked at"},
    {"--launch-count", "-c", O_TEXT, offsetof(options, count), "N",
     "at most N launches are looked at"},
    {"--schedules", "", O_TEXT, offsetof(options, schedules), "N",
     "runs the program N times at most, each time in an order of warps and "
     "blocks that a seed decides, until something is found"},
    {"--seed", "", O_TEXT, offsetof(options, seed), "S",
     "the first seed (default 1); alone: one run, which repeats an order"},
    {"--gdb", "", O_FLAG, offsetof(options, is_gdb), "",
     "runs the program in gdb, which stops at each finding"},
    {"--quiet", "-q", O_FLAG, offsetof(options, is_quiet), "",
     "no report if nothing was found"},
    {"--device", "", O_RUN, 0, "NAME",
     "this, --devices, --device-file, --threads, --numerics: as for `softwarp "
     "run`"},
    {"--devices", "", O_RUN, 0, "N", NULL},
    {"--device-file", "", O_RUN, 0, "FILE", NULL},
    {"--threads", "", O_RUN, 0, "N", NULL},
    {"--numerics", "", O_RUN, 0, "NAME", NULL},
    {"--exact-bounds", "", O_RUN_FLAG, 0, "", NULL},
    {"--target-processes", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--target-processes-filter", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--report-api-errors", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--check-api-memory-access", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--check-device-heap", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--check-exit-code", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--check-optix", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--demangle", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--destroy-on-device-error", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--force-blocking-launches", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--force-synchronization-limit", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--num-callers-device", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--num-callers-host", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--num-cuda-barriers", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--padding", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--print-level", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--print-session-details", "", O_NOTHING, 0, "", NULL},
    {"--racecheck-detect-level", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--racecheck-report", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--racecheck-memcpy-async", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--show-backtrace", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--strip-paths", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--track-stream-ordered-races", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--track-unused-memory", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--unused-memory-threshold", "", O_NOTHING_VALUE, 0, "", NULL},
    {"--missing-barrier-init-is-fatal", "", O_NOTHING_VALUE, 0, "", NULL},
};
enum { OPTION_COUNT = sizeof option_table / sizeof *option_table };

static void
print_help(void)
{
    printf("usage: softwarp check [option...] PROGRAM [argument...]\n"
           "Finds mistakes in kernels and in how they are used, without a "
           "GPU.\n");
    for (int i = 0; i < SW_CHECK_COUNT; i++) {
        const sw_check_tool_info *t = sw_check_tool_get((sw_check_tool)i);
        printf("  %-8s %s\n", t->name, t->text);
    }
    printf("options\n");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option_row *r = &option_table[i];
        char head[64];
        if (!r->text)
            continue;
        snprintf(head, sizeof head, "%s%s%s%s%s", *r->brief ? r->brief : "",
                 *r->brief ? ", " : "", r->name, *r->value ? " " : "",
                 r->value);
        printf("  %-26s %s\n", head, r->text);
    }
    printf("Other options of compute-sanitizer are taken and change nothing.\n"
           "Exit status: 1 if something was found (--error-exitcode), else the "
           "program's.\n");
}

static void
pass_on(options *o, const char *option, const char *value)
{
    *(const char **)sw_vec_push(&o->run) = option;
    if (value)
        *(const char **)sw_vec_push(&o->run) = value;
}

static bool
take_option(options *o, const option_row *r, const char *value)
{
    uint64_t n;
    void *at = (char *)o + r->at;
    switch (r->kind) {
    case O_TOOL:
        return read_tools(o, value);
    case O_TEXT:
        *(const char **)at = value;
        return true;
    case O_FLAG:
        *(bool *)at = true;
        return true;
    case O_LEAK:
        o->wants_leaks = strcmp(value, "full") == 0;
        return o->wants_leaks || strcmp(value, "no") == 0 ||
               refuse("--leak-check takes full or no, not", value);
    case O_LIMIT:
        if (!read_number(r->name, value, 1000000, &n))
            return false;
        o->limit = n;
        return true;
    case O_EXIT:
        if (!read_number(r->name, value, 255, &n))
            return false;
        o->exit_code = (int)n;
        return true;
    case O_KERNELS:
        return read_kernels(o, value);
    case O_REGEX:
        return read_kernels(o, value);
    case O_RUN:
        pass_on(o, r->name, value);
        return true;
    case O_RUN_FLAG:
        pass_on(o, r->name, NULL);
        return true;
    case O_NOTHING:
    case O_NOTHING_VALUE:
        return true;
    }
    return false;
}

static bool
has_value(const option_row *r)
{
    return r->kind != O_FLAG && r->kind != O_RUN_FLAG && r->kind != O_NOTHING;
}

/* The option at argv[*i], moved on over its value. */
static bool
read_option(options *o, int argc, char **argv, int *i)
{
    const char *given = argv[*i], *equals = strchr(given, '=');
    size_t n = equals ? (size_t)(equals - given) : strlen(given);
    sw_str name = {given, n};
    for (size_t k = 0; k < OPTION_COUNT; k++) {
        const option_row *r = &option_table[k];
        if (!sw_str_is(name, r->name) &&
            (!*r->brief || !sw_str_is(name, r->brief)))
            continue;
        if (!has_value(r))
            return equals ? refuse("no value is taken by", given)
                          : take_option(o, r, "");
        if (equals)
            return take_option(o, r, equals + 1);
        if (*i + 1 >= argc)
            return refuse("no value for", given);
        return take_option(o, r, argv[++*i]);
    }
    return refuse("no such option", given);
}

/* Numbers and expressions that the checked process would refuse. */
static bool
check_values(const options *o)
{
    uint64_t n;
    regex_t pattern;
    if ((o->skip && !read_number("--launch-skip", o->skip, INT64_MAX, &n)) ||
        (o->count && !read_number("--launch-count", o->count, INT64_MAX, &n)) ||
        (o->schedules &&
         !read_number("--schedules", o->schedules, UINT32_MAX, &n)) ||
        (o->seed && !read_number("--seed", o->seed, INT64_MAX, &n)))
        return false;
    if (!o->kernels)
        return true;
    if (strchr(o->kernels, ';'))
        return refuse("a filter of kernels has no ';':", o->kernels);
    if (regcomp(&pattern, o->kernels, REG_EXTENDED | REG_NOSUB) != 0)
        return refuse("no regular expression:", o->kernels);
    regfree(&pattern);
    return true;
}

/* The program's index; 0 after saying what is wrong. */
static int
read_options(options *o, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        if (!read_option(o, argc, argv, &i))
            return 0;
    }
    if (i >= argc) {
        refuse("no program after", argv[argc - 1]);
        return 0;
    }
    bool is_memory = o->has_tool[SW_CHECK_MEMORY];
    for (int k = 0; !o->has_tools && k < SW_CHECK_COUNT; k++)
        o->has_tool[k] = true;
    if (o->wants_leaks && (is_memory || o->has_tools))
        o->has_tool[SW_CHECK_LEAK] = true;
    return check_values(o) ? i : 0;
}

/* ---- running the program ---- */

static void
set_observer(const options *o, const char *folder)
{
    sw_buf text;
    bool is_first = true;
    sw_buf_init(&text);
    if (o->observers && *o->observers)
        sw_buf_printf(&text, "%s;", o->observers);
    sw_buf_puts(&text, "check:tools=");
    for (int i = 0; i < SW_CHECK_COUNT; i++)
        if (o->has_tool[i]) {
            sw_buf_printf(&text, "%s%s", is_first ? "" : "+",
                          sw_check_tool_get((sw_check_tool)i)->name);
            is_first = false;
        }
    sw_buf_printf(&text, ",out=%s/%%p", folder);
    if (o->skip)
        sw_buf_printf(&text, ",skip=%s", o->skip);
    if (o->count)
        sw_buf_printf(&text, ",count=%s", o->count);
    if (o->kernels)
        sw_buf_printf(&text, ",kernels=%s", o->kernels);
    setenv("SOFTWARP_OBSERVE", text.p, 1);
    sw_buf_finish(&text);
}

/* As sw_tool_run_prepare, of the options for it. *args: owned by caller. */
static int
prepare(const options *o, int argc, char **argv, int at, char ***args,
        int *program)
{
    char **all = sw_alloc((o->run.count + (size_t)argc + 3) * sizeof *all);
    size_t n = 0;
    all[n++] = "run";
    for (size_t i = 0; i < o->run.count; i++)
        all[n++] = *(char **)sw_vec_at(&o->run, i);
    all[n++] = "--";
    for (int i = at; i < argc; i++)
        all[n++] = argv[i];
    *args = all;
    return sw_tool_run_prepare((int)n, all, program);
}

/* The findings of all processes; the folder is gone afterwards. */
static void
read_folder(sw_findings *set, const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        char path[PATH_MAX + NAME_MAX + 2], *text;
        size_t bytes;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (sw_file_read(path, &text, &bytes) == SW_OK) {
            if (!sw_findings_read(set, (sw_str){text, bytes}))
                fprintf(stderr,
                        "softwarp check: warning: the findings of process %s "
                        "are not complete\n",
                        entry->d_name);
            sw_free(text);
        }
        unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

/* ---- reports ---- */

static bool
write_file(const char *path, sw_buf *text, const char *mode)
{
    bool is_out = strcmp(path, "-") == 0;
    FILE *file = is_out ? stdout : fopen(path, mode);
    bool good =
        file && fwrite(text->p ? text->p : "", 1, text->n, file) == text->n;
    if (file && !is_out)
        good &= fclose(file) == 0;
    if (!good)
        fprintf(stderr, "softwarp check: error: cannot write %s: %s\n", path,
                strerror(errno));
    return good;
}

/* Lines of a host's stack become lines of sources; what is found in host code
 * has its place from the innermost one that has a line. */
static void
resolve(sw_findings *set)
{
    for (size_t i = 0; i < sw_findings_count(set); i++) {
        const sw_finding *f = sw_findings_at(set, i);
        for (size_t k = 0; k < f->details.count; k++) {
            const sw_find_detail *d = sw_vec_at(&f->details, k);
            sw_buf text;
            if (!strchr(d->text, '@'))
                continue;
            sw_buf_init(&text);
            sw_stack_resolve(d->text, &text);
            sw_findings_resolved(set, i, k, text.p ? text.p : "");
            sw_buf_finish(&text);
        }
    }
}

static bool
hide_known(const options *o, const sw_findings *set, bool *hidden)
{
    char *text;
    size_t bytes;
    sw_diag diag;
    sw_buf said;
    if (!o->suppressions)
        return true;
    if (sw_file_read(o->suppressions, &text, &bytes) != SW_OK)
        return refuse("cannot read", o->suppressions);
    sw_diag_init(&diag);
    sw_buf_init(&said);
    bool good = sw_check_suppress(set, (sw_str){text, bytes}, o->suppressions,
                                  hidden, &diag);
    sw_diag_print(&diag, &said);
    fputs(said.p ? said.p : "", stderr);
    sw_buf_finish(&said);
    sw_diag_finish(&diag);
    sw_free(text);
    return good;
}

static bool
print_report(const options *o, const sw_findings *set,
             const sw_check_report *report)
{
    sw_buf out;
    bool good = true;
    sw_buf_init(&out);
    if (o->is_xml)
        sw_check_xml(set, report, &out);
    else
        sw_check_text(set, report, &out);
    if (o->log)
        good = write_file(o->log, &out, "we");
    else if (!o->is_quiet || sw_check_failures(set, report))
        fwrite(out.p ? out.p : "", 1, out.n, stderr);
    sw_buf_finish(&out);
    return good;
}

static bool
make_reports(const options *o, const sw_findings *set,
             const sw_check_report *report)
{
    const struct {
        const char *path;
        void (*make)(const sw_findings *set, const sw_check_report *report,
                     sw_buf *out);
    } files[] = {
        {o->json, sw_check_json},
        {o->sarif, sw_check_sarif},
        {o->junit, sw_check_junit},
        {o->github, sw_check_github},
        {o->save, sw_check_xml},
        {o->gen_suppressions, sw_check_suppressions},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!files[i].path)
            continue;
        sw_buf text;
        sw_buf_init(&text);
        files[i].make(set, report, &text);
        good &= write_file(files[i].path, &text, "we");
        sw_buf_finish(&text);
    }
    return print_report(o, set, report) && good;
}

/* ---- all of it ---- */

static char *
join_words(char **words)
{
    sw_buf out;
    sw_buf_init(&out);
    for (; *words; words++)
        sw_buf_printf(&out, "%s%s", out.n ? " " : "", *words);
    char *text = sw_buf_take(&out);
    sw_buf_finish(&out);
    return text;
}

/* The program, in gdb if it is wanted. Kernels are interpreted then, so that
 * registers can be seen. */
static int
run_program(const options *o, char **command)
{
    char script[PATH_MAX];
    sw_vec words;
    if (!o->is_gdb)
        return sw_tool_run_child("check", command);
    setenv("SOFTWARP_ENGINE", "interp", 1);
    char *first[] = {"gdb",   "-q",
                     "-x",    sw_tool_gdb_script(script, PATH_MAX),
                     "-ex",   "softwarp findings",
                     "-ex",   "run",
                     "--args"};
    sw_vec_init(&words, sizeof(char *));
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        *(char **)sw_vec_push(&words) = first[i];
    for (; *command; command++)
        *(char **)sw_vec_push(&words) = *command;
    *(char **)sw_vec_push(&words) = NULL;
    int status = sw_tool_run_child("check", sw_vec_at(&words, 0));
    sw_vec_finish(&words);
    return status;
}

/* Runs the program once; what is found goes to the set. */
static bool
run_once(const options *o, char **command, sw_findings *set, int *status)
{
    const char *tmp = getenv("TMPDIR");
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/softwarp-check-XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(folder)) {
        fprintf(stderr, "softwarp check: error: %s: %s\n", folder,
                strerror(errno));
        return false;
    }
    set_observer(o, folder);
    *status = run_program(o, command);
    read_folder(set, folder);
    return true;
}

/* One order after the other, by seeds, until one fails. One worker thread of
 * the interpreter repeats an order. */
static bool
run_orders(const options *o, char **command, sw_findings *set, int *status)
{
    uint64_t count = 1, seed = 1;
    char text[24];
    if (o->schedules)
        sw_str_to_u64(sw_str_of(o->schedules), 10, &count);
    if (o->seed)
        sw_str_to_u64(sw_str_of(o->seed), 10, &seed);
    setenv("SOFTWARP_THREADS", "1", 1);
    setenv("SOFTWARP_ENGINE", "interp", 1);
    sw_check_report all = {0};
    for (uint64_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)(seed + i));
        setenv("SOFTWARP_SCHEDULE", text, 1);
        if (!run_once(o, command, set, status))
            return false;
        if (!*status && !sw_check_failures(set, &all))
            continue;
        fprintf(stderr,
                "softwarp check: run %llu of %llu: --seed %s repeats it\n",
                (unsigned long long)i + 1, (unsigned long long)count, text);
        return true;
    }
    fprintf(stderr, "softwarp check: %llu orders, with seeds from %llu on\n",
            (unsigned long long)count, (unsigned long long)seed);
    return true;
}

static int
check(const options *o, int argc, char **argv, int at)
{
    char **args;
    int program;
    int status = prepare(o, argc, argv, at, &args, &program);
    if (!program)
        return status;
    sw_findings *set = sw_findings_create();
    bool runs = o->schedules || o->seed
                    ? run_orders(o, args + program, set, &status)
                    : run_once(o, args + program, set, &status);
    resolve(set);
    bool *hidden = sw_alloc(sw_findings_count(set) + 1);
    char *command = join_words(args + program);
    sw_check_report report = {.command = command,
                              .limit = o->limit,
                              .has_colours = isatty(STDERR_FILENO) && !o->log &&
                                             !getenv("NO_COLOR"),
                              .hidden = hidden};
    bool good =
        runs && hide_known(o, set, hidden) && make_reports(o, set, &report);
    if (!good)
        status = USAGE;
    else if (sw_check_failures(set, &report) && o->exit_code)
        status = o->exit_code;
    sw_free(command);
    sw_free(hidden);
    sw_findings_destroy(set);
    sw_free(args);
    return status;
}

int
sw_tool_check(int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        print_help();
        return 0;
    }
    options o = {.limit = 100, .exit_code = FOUND};
    sw_vec_init(&o.run, sizeof(const char *));
    sw_buf_init(&o.names);
    int at = read_options(&o, argc, argv);
    const char *observers = sw_setting(SW_SETTING_OBSERVE);
    o.observers = observers ? strdup(observers) : NULL;
    int status = at ? check(&o, argc, argv, at) : USAGE;
    free(o.observers);
    sw_vec_finish(&o.run);
    sw_buf_finish(&o.names);
    return status;
}
