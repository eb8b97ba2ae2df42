/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predict.c - `softwarp predict PROGRAM`: runs a program under the model of
 * time (src/model) and tells how long its kernels would take on devices.
 *
 * The program runs once; the observer `predict` writes a line for each launch
 * and device (src/model/observe.c), of which this makes a table, JSON and a
 * page.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/json.h"
#include "base/settings.h"
#include "model/machine.h"
#include "predict.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp predict [option...] PROGRAM [argument...]\n"
    "  Runs PROGRAM once and says how long its kernels would take on real\n"
    "  devices, and what limits them. docs/model.md says how good that is.\n"
    "  --devices LIST   their names between commas, or `all`; default: the\n"
    "                   device that the program sees\n"
    "  --device NAME    the device that the program sees\n"
    "  --set NAME=N     what if: l2=80MB, clock=1500 (MHz), or a number of\n"
    "                   docs/model.md; of all devices; may be given again\n"
    "  --launches       a line for each launch, not for each kernel\n"
    "  --json FILE      a row for each launch and device\n"
    "  --html FILE      a page with bars\n"
    "  --since FILE     what has moved since an earlier run: its --json FILE\n"
    "  --exact          plays every block to its end; slow\n"
    "  --budget N       plays at most N million instructions of a launch\n"
    "                   (default 4)\n";

enum { USAGE = 2, FIELDS = 16, LINES = 3 };

typedef struct {
    const char *devices, *device, *json, *html, *since;
    bool is_exact, by_launch;
    uint64_t budget; /* millions; 0: default */
    sw_buf settings; /* between bars */
} options;

/* A line of the observer. */
typedef struct {
    uint64_t index;
    const char *kernel, *grid, *block, *device, *limiter, *stalls, *lines;
    double ns, low, high, instructions, occupancy, l1, l2, dram;
} row;

/* Launches of one kernel on one device. */
typedef struct {
    const char *device, *kernel, *limiter, *stalls, *lines;
    char *name; /* as people wrote it */
    uint64_t launches;
    double ns, low, high, worst; /* worst: of one launch, whose limiter it is */
} group;

/* ---- options ---- */

static bool
refuse(const char *what, const char *value)
{
    fprintf(stderr,
            "softwarp predict: error: %s '%s'; `softwarp predict --help` lists "
            "the options\n",
            what, value);
    return false;
}

static bool
add_setting(options *o, const char *text)
{
    sw_machine machine = sw_machine_of(sw_device_default());
    sw_diag diag;
    sw_diag_init(&diag);
    bool good = !strpbrk(text, ",|;") && sw_machine_set(&machine, text, &diag);
    if (good)
        sw_buf_printf(&o->settings, "%s%s", o->settings.n ? "|" : "", text);
    else
        refuse("nothing that can be set:", text);
    sw_diag_finish(&diag);
    return good;
}

static bool
check_devices(const char *list)
{
    while (*list) {
        char name[256];
        size_t n = strcspn(list, ",");
        if (n >= sizeof name)
            return refuse("no device", list);
        memcpy(name, list, n);
        name[n] = 0;
        if (strcmp(name, "all") != 0 && !sw_tool_device_find(name))
            return false;
        list += n + (list[n] == ',');
    }
    return true;
}

static bool
take_option(options *o, const char *name, const char *value)
{
    if (!strcmp(name, "--devices")) {
        o->devices = value;
        return check_devices(value);
    }
    if (!strcmp(name, "--device")) {
        o->device = value;
        return sw_tool_device_find(value) != NULL;
    }
    if (!strcmp(name, "--set"))
        return add_setting(o, value);
    if (!strcmp(name, "--json"))
        o->json = value;
    else if (!strcmp(name, "--html"))
        o->html = value;
    else if (!strcmp(name, "--since"))
        o->since = value;
    else if (!sw_str_to_u64(sw_str_of(value), 10, &o->budget) || !o->budget ||
             o->budget > 1000000)
        return refuse("--budget takes millions from 1 to 1000000, not", value);
    return true;
}

static bool
has_value(const char *name)
{
    static const char *const names[] = {"--devices", "--device", "--set",
                                        "--json",    "--html",   "--budget",
                                        "--since"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* The program's index; 0 after saying what is wrong. */
static int
read_options(options *o, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        char name[32], *equals = strchr(argv[i], '=');
        size_t n = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        if (!strcmp(argv[i], "--")) {
            i++;
            break;
        }
        if (n >= sizeof name)
            return refuse("no such option", argv[i]);
        memcpy(name, argv[i], n);
        name[n] = 0;
        if (!strcmp(argv[i], "--exact")) {
            o->is_exact = true;
        } else if (!strcmp(argv[i], "--launches")) {
            o->by_launch = true;
        } else if (!has_value(name)) {
            return refuse("no such option", argv[i]);
        } else if (equals) {
            if (!take_option(o, name, equals + 1))
                return 0;
        } else {
            if (i + 1 >= argc)
                return refuse("no value for", argv[i]);
            i++;
            if (!take_option(o, name, argv[i]))
                return 0;
        }
    }
    if (i >= argc)
        return refuse("no program after", argv[argc - 1]);
    return i;
}

/* ---- running the program ---- */

static void
set_observer(const options *o, const char *path)
{
    sw_buf text;
    const char *old = sw_setting(SW_SETTING_OBSERVE);
    const char *devices = o->devices  ? o->devices
                          : o->device ? o->device
                                      : sw_setting(SW_SETTING_DEVICE);
    sw_buf_init(&text);
    if (old && *old)
        sw_buf_printf(&text, "%s;", old);
    sw_buf_printf(&text, "predict:out=%s,devices=", path);
    if (!devices || !*devices)
        devices = sw_device_default()->name;
    for (const char *p = devices; *p; p++)
        sw_buf_put(&text, *p == ',' ? '|' : *p);
    if (o->budget)
        sw_buf_printf(&text, ",budget=%" PRIu64 "000000", o->budget);
    if (o->is_exact)
        sw_buf_puts(&text, ",exact=1");
    if (o->settings.n)
        sw_buf_printf(&text, ",set=%s", o->settings.p);
    setenv("SOFTWARP_OBSERVE", text.p, 1);
    sw_buf_finish(&text);
}

/* ---- reading what it wrote ---- */

/* Cuts the line at its tabs; false: it has not all fields. */
static bool
read_row(char *line, row *r)
{
    char *f[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
        f[i] = line;
        char *tab = strchr(line, '\t');
        if (!tab && i + 1 < FIELDS)
            return false;
        if (tab)
            *tab = 0;
        line = tab ? tab + 1 : line;
    }
    *r = (row){.index = strtoull(f[0], NULL, 10),
               .kernel = f[1],
               .grid = f[2],
               .block = f[3],
               .device = f[4],
               .ns = strtod(f[5], NULL),
               .low = strtod(f[6], NULL),
               .high = strtod(f[7], NULL),
               .limiter = f[8],
               .instructions = strtod(f[9], NULL),
               .occupancy = strtod(f[10], NULL),
               .l1 = strtod(f[11], NULL),
               .l2 = strtod(f[12], NULL),
               .dram = strtod(f[13], NULL),
               .stalls = f[14],
               .lines = f[15]};
    return true;
}

static void
read_rows(char *text, sw_vec *rows)
{
    while (*text) {
        char *end = text + strcspn(text, "\n");
        bool is_whole = *end == '\n';
        *end = 0;
        row r;
        if (is_whole && read_row(text, &r))
            *(row *)sw_vec_push(rows) = r;
        text = end + is_whole;
    }
}

static void
make_groups(const sw_vec *rows, bool by_launch, sw_vec *groups)
{
    for (size_t i = 0; i < rows->count; i++) {
        const row *r = sw_vec_at(rows, i);
        group *g = NULL;
        for (size_t k = 0; !by_launch && !g && k < groups->count; k++) {
            group *at = sw_vec_at(groups, k);
            if (!strcmp(at->device, r->device) &&
                !strcmp(at->kernel, r->kernel))
                g = at;
        }
        if (!g) {
            sw_buf name;
            sw_buf_init(&name);
            sw_demangle(r->kernel, &name);
            g = sw_vec_push(groups);
            *g = (group){.device = r->device, .kernel = r->kernel};
            g->name = sw_buf_take(&name);
            sw_buf_finish(&name);
        }
        g->launches++;
        g->ns += r->ns;
        g->low += r->low;
        g->high += r->high;
        if (!g->limiter || r->ns > g->worst) {
            g->worst = r->ns;
            g->limiter = r->limiter;
            g->stalls = r->stalls;
            g->lines = r->lines;
        }
    }
}

/* ---- the table ---- */

static const char *
time_text(double ns, char text[32])
{
    if (ns < 1e6)
        snprintf(text, 32, "%.2f us", ns * 1e-3);
    else if (ns < 1e9)
        snprintf(text, 32, "%.2f ms", ns * 1e-6);
    else
        snprintf(text, 32, "%.3f s", ns * 1e-9);
    return text;
}

/* Its first lines: "31 % long_scoreboard k.cu:78, ...". */
static void
put_places(sw_buf *out, const char *lines)
{
    for (int i = 0; i < LINES && *lines; i++) {
        size_t n = strcspn(lines, "|"), number = strcspn(lines, " ");
        sw_buf_printf(out, "%s%.0f %% %.*s", i ? ", " : "",
                      100 * strtod(lines, NULL), (int)(n - number - 1),
                      lines + number + 1);
        lines += n + (lines[n] == '|');
    }
}

static void
print_device(const char *device, const sw_vec *groups)
{
    double total = 0;
    uint64_t launches = 0;
    char a[32], b[32], c[32];
    for (size_t i = 0; i < groups->count; i++) {
        const group *g = sw_vec_at(groups, i);
        if (strcmp(g->device, device) != 0)
            continue;
        total += g->ns;
        launches += g->launches;
    }
    printf("%s: %s in %" PRIu64 " launches\n", device, time_text(total, a),
           launches);
    printf("  %10s %10s  %-23s %-34s %s\n", "launches", "time",
           "estimated range", "limited by", "kernel");
    for (size_t i = 0; i < groups->count; i++) {
        const group *g = sw_vec_at(groups, i);
        char within[80];
        if (strcmp(g->device, device) != 0)
            continue;
        snprintf(within, sizeof within, "%s to %s", time_text(g->low, b),
                 time_text(g->high, c));
        printf("  %10" PRIu64 " %10s  %-23s %-34s %.60s\n", g->launches,
               g->ns > 0 ? time_text(g->ns, a) : "-", g->ns > 0 ? within : "-",
               g->limiter, g->name);
        if (!*g->lines)
            continue;
        sw_buf places;
        sw_buf_init(&places);
        put_places(&places, g->lines);
        printf("  %10s %10s  warps' time: %s\n", "", "", places.p);
        sw_buf_finish(&places);
    }
}

static bool
is_first(const sw_vec *rows, size_t i)
{
    const row *r = sw_vec_at(rows, i);
    for (size_t k = 0; k < i; k++)
        if (!strcmp(((const row *)sw_vec_at(rows, k))->device, r->device))
            return false;
    return true;
}

static size_t
count_devices(const sw_vec *rows)
{
    size_t n = 0;
    const row *first = rows->count ? sw_vec_at(rows, 0) : NULL;
    for (; n < rows->count; n++) {
        const row *r = sw_vec_at(rows, n);
        if (n &&
            (r->index != first->index || !strcmp(r->device, first->device)))
            break;
    }
    return n;
}

static void
print_table(const sw_vec *rows, const sw_vec *groups)
{
    size_t devices = count_devices(rows);
    for (size_t i = 0; i < devices; i++)
        if (is_first(rows, i))
            print_device(((const row *)sw_vec_at(rows, i))->device, groups);
}

/* ---- files ---- */

/* "wait=0.25 barrier=0.5" as an object. */
static void
put_json_stalls(sw_buf *out, const char *text)
{
    bool is_next = false;
    sw_buf_put(out, '{');
    while (*text) {
        size_t n = strcspn(text, "="), rest = strcspn(text, " ");
        sw_buf_printf(out, "%s\"%.*s\": %.*s", is_next ? ", " : "", (int)n,
                      text, (int)(rest - n - 1), text + n + 1);
        is_next = true;
        text += rest + (text[rest] == ' ');
    }
    sw_buf_put(out, '}');
}

/* "0.5 wait k.cu:12|..." as a list of objects. */
static void
put_json_lines(sw_buf *out, const char *text)
{
    for (bool is_next = false; *text; is_next = true) {
        size_t n = strcspn(text, "|"), share = strcspn(text, " ");
        const char *stall = text + share + 1;
        size_t word = strcspn(stall, " ");
        char name[PATH_MAX];
        snprintf(name, sizeof name, "%.*s", (int)(n - share - word - 2),
                 stall + word + 1);
        sw_buf_printf(out,
                      "%s{\"share\": %.*s, \"stall\": \"%.*s\", \"line\": ",
                      is_next ? ", " : "", (int)share, text, (int)word, stall);
        sw_buf_put_json(out, name);
        sw_buf_put(out, '}');
        text += n + (text[n] == '|');
    }
}

static void
put_json(sw_buf *out, const sw_vec *rows)
{
    sw_buf_puts(out, "[\n");
    for (size_t i = 0; i < rows->count; i++) {
        const row *r = sw_vec_at(rows, i);
        sw_buf_printf(out, "%s {\"kernel\": ", i ? ",\n" : "");
        sw_buf_put_json(out, r->kernel);
        sw_buf_printf(out,
                      ", \"index\": %" PRIu64
                      ", \"grid\": [%s], \"block\": [%s], \"device\": ",
                      r->index, r->grid, r->block);
        sw_buf_put_json(out, r->device);
        sw_buf_printf(out,
                      ", \"predicted_ns\": %.0f, \"low_ns\": %.0f, "
                      "\"high_ns\": %.0f, \"limiter\": ",
                      r->ns, r->low, r->high);
        sw_buf_put_json(out, r->limiter);
        sw_buf_printf(out,
                      ", \"instructions\": %.0f, \"occupancy\": %g, "
                      "\"l1_hit\": %g, \"l2_hit\": %g, \"dram_bytes\": %.0f, "
                      "\"stalls\": ",
                      r->instructions, r->occupancy, r->l1, r->l2, r->dram);
        put_json_stalls(out, r->stalls);
        sw_buf_puts(out, ", \"lines\": [");
        put_json_lines(out, r->lines);
        sw_buf_puts(out, "]}");
    }
    sw_buf_puts(out, "\n]\n");
}

static void
put_html_text(sw_buf *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            sw_buf_puts(out, "&lt;");
            break;
        case '&':
            sw_buf_puts(out, "&amp;");
            break;
        default:
            sw_buf_put(out, *text);
        }
}

static void
put_html(sw_buf *out, const sw_vec *rows, const sw_vec *groups,
         const char *command)
{
    double most = 0;
    sw_buf places;
    for (size_t i = 0; i < groups->count; i++) {
        const group *g = sw_vec_at(groups, i);
        most = g->ns > most ? g->ns : most;
    }
    sw_buf_puts(out,
                "<!DOCTYPE html><meta charset=utf-8><title>Predicted "
                "times</title><style>body{font:14px sans-serif;margin:2em}"
                "td,th{padding:2px 8px;text-align:left}td.n{text-align:right}"
                "div{background:#4a7;height:12px}i{color:#666}</style>"
                "<h1>Predicted times</h1><p>");
    put_html_text(out, command);
    for (size_t d = 0; d < count_devices(rows); d++) {
        const char *device = ((const row *)sw_vec_at(rows, d))->device;
        sw_buf_puts(out, "<h2>");
        put_html_text(out, device);
        sw_buf_puts(out, "</h2><table><tr><th>kernel<th>launches<th>time<th>"
                         "<th>limited by<th>warps' time<th>lines\n");
        for (size_t i = 0; i < groups->count; i++) {
            const group *g = sw_vec_at(groups, i);
            char text[32];
            if (strcmp(g->device, device) != 0)
                continue;
            sw_buf_puts(out, "<tr><td>");
            put_html_text(out, g->name);
            sw_buf_printf(out,
                          "<td class=n>%" PRIu64 "<td class=n>%s<td><div "
                          "style=\"width:%.1fpx\"></div><td>",
                          g->launches, time_text(g->ns, text),
                          most > 0 ? 400 * g->ns / most : 0);
            put_html_text(out, g->limiter);
            sw_buf_puts(out, "<td><i>");
            put_html_text(out, g->stalls);
            sw_buf_puts(out, "</i><td>");
            sw_buf_init(&places);
            put_places(&places, g->lines);
            put_html_text(out, places.n ? places.p : "");
            sw_buf_finish(&places);
            sw_buf_puts(out, "\n");
        }
        sw_buf_puts(out, "</table>\n");
    }
}

static bool
write_file(const char *path, const sw_buf *text)
{
    FILE *file = fopen(path, "we");
    bool good = file && fwrite(text->p, 1, text->n, file) == text->n;
    if (file)
        good &= fclose(file) == 0;
    if (!good)
        fprintf(stderr, "softwarp predict: error: cannot write %s: %s\n", path,
                strerror(errno));
    return good;
}

/* ---- all of it ---- */

static bool
report(const options *o, char *text, const char *command)
{
    sw_vec rows, groups;
    sw_buf out;
    bool good = true;
    sw_vec_init(&rows, sizeof(row));
    sw_vec_init(&groups, sizeof(group));
    read_rows(text, &rows);
    make_groups(&rows, o->by_launch, &groups);
    if (!rows.count)
        fprintf(stderr, "softwarp predict: no kernel was launched\n");
    print_table(&rows, &groups);
    sw_buf_init(&out);
    if (o->since || o->json)
        put_json(&out, &rows);
    if (o->since) /* which may be the file that --json writes */
        good &= sw_predict_diff(o->since, &out);
    if (o->json)
        good &= write_file(o->json, &out);
    sw_buf_finish(&out);
    if (o->html) {
        sw_buf_init(&out);
        put_html(&out, &rows, &groups, command);
        good &= write_file(o->html, &out);
        sw_buf_finish(&out);
    }
    for (size_t i = 0; i < groups.count; i++)
        sw_free(((group *)sw_vec_at(&groups, i))->name);
    sw_vec_finish(&groups);
    sw_vec_finish(&rows);
    return good;
}

static int
predict(const options *o, int argc, char **argv, int at)
{
    const char *tmp = getenv("TMPDIR");
    char path[PATH_MAX];
    char **args = sw_alloc(((size_t)argc + 5) * sizeof *args);
    int n = 0, program;
    args[n++] = "run";
    if (o->device) {
        args[n++] = "--device";
        args[n++] = (char *)(uintptr_t)o->device;
    }
    args[n++] = "--";
    for (int i = at; i < argc; i++)
        args[n++] = argv[i];
    int status = sw_tool_run_prepare(n, args, &program);
    snprintf(path, sizeof path, "%s/softwarp-predict-XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    int file = program ? mkstemp(path) : -1;
    if (program && file < 0) {
        fprintf(stderr, "softwarp predict: error: %s: %s\n", path,
                strerror(errno));
        status = USAGE;
    }
    if (file >= 0) {
        char *text = NULL;
        size_t bytes;
        close(file);
        set_observer(o, path);
        status = sw_tool_run_child("predict", args + program);
        if (sw_file_read(path, &text, &bytes) == SW_OK &&
            !report(o, text, argv[at]) && !status)
            status = USAGE;
        sw_free(text);
        unlink(path);
    }
    sw_free(args);
    return status;
}

int
sw_tool_predict(int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return 0;
    }
    options o = {.devices = NULL};
    sw_buf_init(&o.settings);
    int at = read_options(&o, argc, argv);
    int status = at ? predict(&o, argc, argv, at) : USAGE;
    sw_buf_finish(&o.settings);
    return status;
}
