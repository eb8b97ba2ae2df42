/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof.c - `softwarp prof PROGRAM`: runs a program while the library records
 * what it does (rt/activity.h), then makes reports of the records.
 *
 * Options are those that users of nvprof and ncu know. The reports themselves
 * are made in src/report.
 */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/settings.h"
#include "report/advice.h"
#include "report/report.h"
#include "report/times.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp prof [option...] PROGRAM [argument...]\n"
    "       softwarp prof [option...] --import-profile FILE...\n"
    "Reports go to standard error; times are this computer's, if they are "
    "not said\nto be predicted.\n"
    "what is shown (default: --print-summary --advice=host)\n"
    "  --print-summary, --print-gpu-trace, --print-api-trace\n"
    "  -m, --metrics LIST     counted figures of each kernel: names, patterns "
    "with *,\n"
    "                         all; --list-metrics says which there are\n"
    "  -e, --events LIST      the same\n"
    "  --source               counters beside each line of CUDA and PTX\n"
    "  --advice[=host|none]   what to change first (host: without counting)\n"
    "  --predict              what kernels would take on the device, what "
    "limits them,\n"
    "                         where their warps wait (docs/model.md); is there "
    "with the\n"
    "                         summary, --source, --json and --html\n"
    "  --no-predict           leaves it out: the program runs faster\n"
    "  --clock device         all times are the device's, predicted; the "
    "program too\n"
    "                         gets them (`softwarp run --clock=device`)\n"
    "files\n"
    "  --html FILE            one page for a browser\n"
    "  --trace FILE           for ui.perfetto.dev or chrome://tracing\n"
    "  --callgrind FILE       for KCachegrind\n"
    "  -o, --export-profile FILE, -i, --import-profile FILE\n"
    "                         the records, for later; %p is the process\n"
    "form\n"
    "  --csv, --json, --full-names, --log-file FILE (- is standard output)\n"
    "what is counted\n"
    "  --exact                all blocks (default)\n"
    "  --sample [N]           every Nth block (default 16), scaled\n"
    "  --kernels REGEX        only these\n"
    "  --profile-from-start off   until the program calls cudaProfilerStart\n"
    "  --caches               simulate caches even if no metric needs them\n"
    "the device and the rest\n"
    "  --device NAME, --device-file FILE, --devices N, --threads N,\n"
    "  --numerics NAME, --exact-bounds   as for `softwarp run`\n"
    "  --list-metrics         of that device\n";

enum { USAGE = 2 };

typedef enum { ADVICE_NONE, ADVICE_HOST, ADVICE_ALL } advice;

typedef struct {
    bool summary, gpu_trace, api_trace, source, csv, json, full_names, list,
        caches, times, predict, no_predict, on_device_clock;
    advice advice;
    const char *metrics, *html, *trace, *callgrind, *export, *log, *kernels,
        *sample, *device, *start;
    sw_vec imports; /* const char * */
    sw_vec run;     /* const char *: options for `softwarp run` */
    sw_buf both;    /* metrics: -m and -e may both be given */
    int program;    /* its index, 0: none */
} options;

/* ---- options ---- */

static bool
refuse(const char *what, const char *option)
{
    fprintf(stderr,
            "softwarp prof: error: %s '%s'; `softwarp prof --help` lists the "
            "options\n",
            what, option);
    return false;
}

static void
pass_on(options *o, const char *option, const char *value)
{
    *(const char **)sw_vec_push(&o->run) = option;
    if (value)
        *(const char **)sw_vec_push(&o->run) = value;
}

static bool
is_number(const char *text)
{
    return text && *text && !text[strspn(text, "0123456789")];
}

/* Options without a value. False if it is none. */
static bool
read_flag(options *o, const char *name)
{
    struct {
        const char *name;
        bool *flag;
    } flags[] = {
        {"--print-summary", &o->summary},
        {"--print-gpu-trace", &o->gpu_trace},
        {"--print-api-trace", &o->api_trace},
        {"--source", &o->source},
        {"--csv", &o->csv},
        {"--json", &o->json},
        {"--full-names", &o->full_names},
        {"--caches", &o->caches},
        {"--predict", &o->times},
        {"--no-predict", &o->no_predict},
        {"--list-metrics", &o->list},
        {"--query-metrics", &o->list},
        {"--query-events", &o->list},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(flags[i].name, name) == 0)
            return *flags[i].flag = true;
    if (strcmp(name, "--advice") == 0)
        o->advice = ADVICE_ALL;
    else if (strcmp(name, "--advice=host") == 0)
        o->advice = ADVICE_HOST;
    else if (strcmp(name, "--advice=none") == 0)
        o->advice = ADVICE_NONE;
    else if (strcmp(name, "--exact") == 0)
        o->sample = NULL;
    else if (strcmp(name, "--exact-bounds") == 0)
        pass_on(o, name, NULL);
    else
        return false;
    return true;
}

static bool
add_metrics(options *o, const char *list)
{
    sw_buf_printf(&o->both, "%s%s", o->metrics ? "," : "", list);
    o->metrics = o->both.p;
    return true;
}

/* Options with one. False if it is none of them. */
static bool
read_value(options *o, const char *name, const char *value)
{
    static const char *const passed[] = {"--device",   "--device-file",
                                         "--devices",  "--threads",
                                         "--numerics", "--clock"};
    struct {
        const char *name, *brief;
        const char **value;
    } values[] = {
        {"--html", "", &o->html},
        {"--trace", "", &o->trace},
        {"--callgrind", "", &o->callgrind},
        {"--export-profile", "-o", &o->export},
        {"--log-file", "", &o->log},
        {"--kernels", "-k", &o->kernels},
        {"--profile-from-start", "", &o->start},
    };
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        if (strcmp(passed[i], name) != 0)
            continue;
        if (i == 0 && !o->device)
            o->device = value;
        if (i == 1)
            sw_tool_device_file(value);
        if (i == 5)
            o->on_device_clock = strcmp(value, "device") == 0;
        pass_on(o, passed[i], value);
        return true;
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!strcmp(values[i].name, name) || !strcmp(values[i].brief, name)) {
            *values[i].value = value;
            return true;
        }
    if (!strcmp(name, "--metrics") || !strcmp(name, "-m") ||
        !strcmp(name, "--events") || !strcmp(name, "-e"))
        return add_metrics(o, value);
    if (!strcmp(name, "--import-profile") || !strcmp(name, "-i")) {
        *(const char **)sw_vec_push(&o->imports) = value;
        return true;
    }
    return false;
}

/* One option, perhaps as --name=value; *i is moved on over its value. */
static bool
read_option(options *o, int argc, char **argv, int *i)
{
    const char *name = argv[*i];
    const char *next = *i + 1 < argc ? argv[*i + 1] : NULL;
    if (strcmp(name, "--sample") == 0) {
        bool has = is_number(next);
        o->sample = has ? next : "16";
        *i += has;
        return true;
    }
    if (strncmp(name, "--sample=", 9) == 0) {
        o->sample = name + 9;
        return true;
    }
    if (read_flag(o, name))
        return true;
    const char *equals = strncmp(name, "--", 2) == 0 ? strchr(name, '=') : NULL;
    if (equals) {
        char *cut = strndup(name, (size_t)(equals - name));
        bool good = read_value(o, cut, equals + 1);
        sw_free(cut);
        return good || refuse("no such option", name);
    }
    if (next && read_value(o, name, next)) {
        (*i)++;
        return true;
    }
    return refuse(!next && read_value(o, name, "") ? "no value for"
                                                   : "no such option",
                  name);
}

/* What options take, beside names. */
static bool
check_values(const options *o)
{
    regex_t pattern;
    if (o->sample &&
        (!is_number(o->sample) || strtoul(o->sample, NULL, 10) < 1))
        return refuse("--sample takes a number from 1 on, not", o->sample);
    if (o->start && strcmp(o->start, "on") && strcmp(o->start, "off"))
        return refuse("--profile-from-start takes on or off, not", o->start);
    if (o->metrics && !o->metrics[strspn(o->metrics, ",")])
        return refuse("--metrics takes names, not", o->metrics);
    if (o->kernels) {
        if (regcomp(&pattern, o->kernels, REG_EXTENDED | REG_NOSUB))
            return refuse("--kernels takes a regular expression, not",
                          o->kernels);
        regfree(&pattern);
    }
    return true;
}

/* Can a file of that name be made or written? errno says why not. */
static bool
is_writable(const char *path)
{
    struct stat st;
    char folder[PATH_MAX];
    if (!*path) {
        errno = ENOENT;
        return false;
    }
    if (stat(path, &st) == 0) {
        errno = EISDIR;
        return !S_ISDIR(st.st_mode) && access(path, W_OK) == 0;
    }
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash)
        return access(".", W_OK) == 0;
    slash[slash == folder] = 0;
    return access(folder, W_OK | X_OK) == 0;
}

/* Before the program runs, perhaps for hours. */
static bool
check_files(const options *o)
{
    const char *files[] = {o->html, o->trace, o->callgrind, o->export, o->log};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] && strcmp(files[i], "-") && !is_writable(files[i])) {
            fprintf(stderr, "softwarp prof: error: cannot write %s: %s\n",
                    files[i], strerror(errno));
            return false;
        }
    return true;
}

static bool
read_options(options *o, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        if (!read_option(o, argc, argv, &i))
            return false;
    }
    o->program = i < argc ? i : 0;
    /* More files after --import-profile. */
    for (; o->imports.count && i < argc; i++)
        *(const char **)sw_vec_push(&o->imports) = argv[i];
    if (!o->program && !o->imports.count && !o->list)
        return refuse("no program after", argv[argc - 1]);
    if (!check_values(o) || !check_files(o))
        return false;
    bool other = o->gpu_trace || o->api_trace || o->metrics || o->source ||
                 o->json || o->html || o->trace || o->callgrind;
    if (!other)
        o->summary = true;
    if (o->advice == ADVICE_HOST && (other || o->csv))
        o->advice = ADVICE_NONE;
    o->times |= o->summary;
    o->predict = o->times || o->source || o->json || o->html || o->export;
    o->predict &= !o->no_predict;
    if (o->predict && !o->on_device_clock)
        pass_on(o, "--observe", "forecast");
    return true;
}

/* ---- running the program ---- */

static bool
counts(const options *o)
{
    return o->metrics || o->source || o->html || o->callgrind || o->caches ||
           o->advice == ADVICE_ALL;
}

static bool
needs_caches(const options *o, const sw_vec *metrics)
{
    bool needs = o->caches || (o->html && !o->sample);
    for (size_t i = 0; i < metrics->count; i++)
        needs |= (*(const sw_metric **)sw_vec_at(metrics, i))->caches;
    return needs;
}

/* As sw_tool_run_prepare, of the options for it. *args: owned by caller. */
static int
prepare(const options *o, int argc, char **argv, char ***args, int *program)
{
    size_t count = o->run.count + 2 + (size_t)(argc - o->program);
    char **all = sw_alloc((count + 1) * sizeof *all);
    size_t n = 0;
    all[n++] = "run";
    for (size_t i = 0; i < o->run.count; i++)
        all[n++] = *(char **)sw_vec_at(&o->run, i);
    all[n++] = "--";
    for (int i = o->program; i < argc; i++)
        all[n++] = argv[i];
    *args = all;
    return sw_tool_run_prepare((int)n, all, program);
}

/* The program's exit status; 128 and the signal's number if one ended it. */
static int
run_program(const options *o, const char *records, bool caches, char **program)
{
    setenv("SOFTWARP_PROFILE", records, 1);
    if (counts(o))
        setenv("SOFTWARP_PROFILE_COUNT", caches ? "caches" : "1", 1);
    if (o->sample)
        setenv("SOFTWARP_PROFILE_SAMPLE", o->sample, 1);
    if (o->start && strcmp(o->start, "off") == 0)
        setenv("SOFTWARP_PROFILE_START", "0", 1);
    if (o->kernels)
        setenv("SOFTWARP_PROFILE_KERNELS", o->kernels, 1);
    return sw_tool_run_child("prof", program);
}

static void
read_folder(sw_profile *profile, const char *folder, sw_diag *diag)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        char path[PATH_MAX + NAME_MAX + 2];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        sw_profile_read(profile, path, diag);
        unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

/* ---- reports ---- */

static bool
write_file(const char *path, sw_buf *text)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    bool good = file && fwrite(text->p, 1, text->n, file) == text->n;
    if (file && file != stdout)
        good &= fclose(file) == 0;
    if (!good)
        fprintf(stderr, "softwarp prof: error: cannot write %s: %s\n", path,
                strerror(errno));
    sw_buf_finish(text);
    return good;
}

static void
print_head(const sw_profile *p, sw_buf *out)
{
    sw_buf_puts(out, "\n");
    SW_PROFILE_EACH (const sw_profile_process, process, &p->processes) {
        sw_buf_printf(out, "==%llu== softwarp prof: %s, device: %s",
                      (unsigned long long)process->r.pid, process->r.command,
                      process->devices[0] ? process->devices[0] : "none");
        for (size_t k = 1; k < SW_PROFILE_DEVICES && process->devices[k]; k++)
            sw_buf_printf(out, ", %s", process->devices[k]);
        sw_buf_puts(out, "\n");
    }
    sw_buf_puts(out, sw_profile_is_on_device_clock(p)
                         ? "Times are the device's, predicted.\n\n"
                         : "Times are this computer's, of Softwarp at work; "
                           "they say nothing of a device's.\n\n");
}

/* Something but files is wanted. */
static bool
prints(const options *o)
{
    return o->summary || o->times || o->gpu_trace || o->api_trace ||
           o->metrics || o->source || o->advice != ADVICE_NONE;
}

static void
print_tables(const options *o, const sw_profile *p, const sw_report_options *r,
             sw_buf *out)
{
    if (o->summary)
        sw_report_summary(p, r, out);
    if (o->times && !o->no_predict)
        sw_report_times(p, r, out);
    if (o->gpu_trace)
        sw_report_gpu_trace(p, r, out);
    if (o->api_trace)
        sw_report_api_trace(p, r, out);
    if (o->metrics)
        sw_report_metrics(p, r, out);
    if (o->source)
        sw_report_source(p, r, out);
    if (o->advice != ADVICE_NONE)
        sw_report_advice(p, counts(o), out);
}

static bool
print_reports(const options *o, const sw_profile *p, const sw_vec *metrics)
{
    sw_report_options r = {.csv = o->csv,
                           .full_names = o->full_names,
                           .metrics = o->metrics ? metrics : NULL};
    sw_buf out;
    sw_buf_init(&out);
    bool is_empty = !p->processes.count && !o->csv && !o->json;
    if (is_empty)
        sw_buf_puts(&out, "softwarp prof: the program used no device: nothing "
                          "to report\n");
    else if (!o->csv && !o->json && prints(o))
        print_head(p, &out);
    if (o->json)
        sw_report_json(p, r.metrics, &out); /* it has all that tables have */
    else if (!is_empty)
        print_tables(o, p, &r, &out);
    if (o->log)
        return write_file(o->log, &out);
    fwrite(out.p ? out.p : "", 1, out.n, stderr);
    sw_buf_finish(&out);
    return true;
}

static bool
make_reports(const options *o, const sw_profile *p, const sw_vec *metrics)
{
    const struct {
        const char *path;
        void (*make)(const sw_profile *profile, sw_buf *out);
    } files[] = {
        {o->html, sw_report_html},
        {o->trace, sw_report_trace},
        {o->callgrind, sw_report_callgrind},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!files[i].path)
            continue;
        sw_buf text;
        sw_buf_init(&text);
        files[i].make(p, &text);
        if (write_file(files[i].path, &text) && strcmp(files[i].path, "-") != 0)
            fprintf(stderr, "softwarp prof: wrote %s\n", files[i].path);
        else
            good = false;
    }
    return print_reports(o, p, metrics) && good;
}

/* ---- all of it ---- */

static void
print_diag(const sw_diag *diag)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_diag_print(diag, &text);
    if (text.n)
        fprintf(stderr, "softwarp prof: %s", text.p);
    sw_buf_finish(&text);
}

/* The device that the program will see first; NULL after saying why there is
 * none. */
static const sw_device_info *
first_device(const options *o)
{
    const char *names = o->device;
    if (!names || !*names)
        names = sw_setting(SW_SETTING_DEVICES);
    if (!names || !*names)
        names = sw_setting(SW_SETTING_DEVICE);
    if (!names || !names[strspn(names, ",")])
        return sw_device_default();
    names += strspn(names, ",");
    sw_buf name;
    sw_buf_init(&name);
    sw_buf_add(&name, names, strcspn(names, ","));
    const sw_device_info *d = sw_tool_device_find(name.p);
    sw_buf_finish(&name);
    return d;
}

/* The program wrote records into a file of that name since then. */
static bool
has_records(const char *name, const struct timespec *since)
{
    sw_buf pattern;
    sw_buf_init(&pattern);
    for (const char *p = name; *p; p++) {
        if (strchr("*?[\\", *p))
            sw_buf_puts(&pattern, "\\");
        bool varies = p[0] == '%' && (p[1] == 'p' || p[1] == 'h');
        p += p[0] == '%' && (varies || p[1] == '%');
        sw_buf_add(&pattern, varies ? "*" : p, 1);
    }
    glob_t found = {0};
    bool any = false;
    if (glob(pattern.p, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) {
            struct stat st;
            any |= stat(found.gl_pathv[i], &st) == 0 &&
                   st.st_mtim.tv_sec >= since->tv_sec;
        }
    globfree(&found);
    sw_buf_finish(&pattern);
    return any;
}

static int
export_records(const options *o, bool caches, char **program)
{
    struct timespec begin;
    clock_gettime(CLOCK_REALTIME, &begin);
    int status = run_program(o, o->export, caches, program);
    if (has_records(o->export, &begin))
        fprintf(stderr, "softwarp prof: the records are in %s\n", o->export);
    else
        fprintf(stderr, "softwarp prof: the program used no device: no "
                        "records\n");
    return status;
}

/* Runs the program and reads its records. */
static int
record(const options *o, bool caches, char **program, sw_profile *profile,
       sw_diag *diag)
{
    const char *tmp = getenv("TMPDIR");
    char folder[PATH_MAX], records[PATH_MAX + 8];
    snprintf(folder, sizeof folder, "%s/softwarp-prof-XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(folder)) {
        sw_diag_add(diag, SW_DIAG_ERROR, folder, 0, 0, "%s", strerror(errno));
        return 1;
    }
    snprintf(records, sizeof records, "%s/%%p", folder);
    int status = run_program(o, records, caches, program);
    read_folder(profile, folder, diag);
    return status;
}

static int
prof(const options *o, const sw_vec *metrics, int argc, char **argv,
     sw_diag *diag)
{
    sw_profile profile;
    int status = 0, program = 0;
    char **args = NULL;
    bool caches = needs_caches(o, metrics);
    if (!o->imports.count) {
        status = prepare(o, argc, argv, &args, &program);
        if (!program || o->export) {
            status =
                program ? export_records(o, caches, args + program) : status;
            sw_free(args);
            return status;
        }
    }
    sw_profile_init(&profile);
    if (!o->imports.count)
        status = record(o, caches, args + program, &profile, diag);
    for (size_t i = 0; i < o->imports.count; i++)
        sw_profile_read(&profile, *(const char **)sw_vec_at(&o->imports, i),
                        diag);
    if (o->imports.count)
        status = diag->errors ? 1 : 0;
    print_diag(diag);
    sw_profile_join(&profile);
    /* Nothing was read, and why has been said. */
    bool reports = profile.processes.count || !diag->errors;
    if (reports && !make_reports(o, &profile, metrics) && !status)
        status = 1;
    sw_profile_finish(&profile);
    sw_free(args);
    return status;
}

int
sw_tool_prof(int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return 0;
    }
    options o = {.advice = ADVICE_HOST};
    sw_vec_init(&o.imports, sizeof(const char *));
    sw_vec_init(&o.run, sizeof(const char *));
    sw_buf_init(&o.both);
    sw_vec metrics;
    sw_vec_init(&metrics, sizeof(const sw_metric *));
    sw_diag diag;
    sw_diag_init(&diag);
    int status = USAGE;
    sw_buf list;
    sw_buf_init(&list);
    const sw_device_info *device = NULL;
    if (read_options(&o, argc, argv) && sw_tool_device_check())
        device = first_device(&o);
    if (!device) {
        status = USAGE;
    } else if (o.list) {
        sw_report_list_metrics(device->cc, &list);
        fputs(list.p ? list.p : "", stdout);
        status = 0;
    } else if (o.metrics &&
               !sw_report_pick(o.metrics, device->cc, &metrics, &diag)) {
        print_diag(&diag);
    } else {
        status = prof(&o, &metrics, argc, argv, &diag);
    }
    sw_buf_finish(&list);
    sw_diag_finish(&diag);
    sw_vec_finish(&metrics);
    sw_vec_finish(&o.imports);
    sw_vec_finish(&o.run);
    sw_buf_finish(&o.both);
    return status;
}
