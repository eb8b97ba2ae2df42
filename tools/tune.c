/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune.c - `softwarp tune FILE`: tries variants of a program and keeps the best
 * one for each device.
 *
 * What was tried stands in FILE's name with .tuned.json instead of .json, a row
 * for each trial; the next run goes on from there, as long as description and
 * source are the same.
 */
#include "tune.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp tune FILE [option...]\n"
    "  FILE               what may vary, in JSON: docs/tune.md\n"
    "  --devices LIST     for these, names between commas; default: FILE's, "
    "or\n"
    "                     the default device\n"
    "  --strategy NAME    brute_force, random_sample, or mls: hill climbing\n"
    "                     from random places; default: FILE's, or brute_force\n"
    "  --max-fevals N     at most N trials on each device (default: 1000)\n"
    "  --seed N           of the random places (default 1)\n"
    "  --objective WHAT   time (predicted), host time, or a metric of "
    "softwarp\n"
    "                     prof; default: FILE's, or time\n"
    "  --timeout SECONDS  of a trial's steps (default 120)\n"
    "  --again            forgets what was tried before\n"
    "  --quiet            no line for each trial\n"
    "  --csv FILE         all trials\n"
    "  --best DEVICE      tries nothing: prints the compiler's options of the\n"
    "                     best variant that was found for the device\n"
    "Exit status 1: no variant of a device was right.\n";

enum { USAGE = 2, NONE = 1 };

typedef struct {
    const char *file, *devices, *strategy, *objective, *csv, *best;
    uint64_t budget, seed, timeout;
    bool is_again, is_quiet;
} options;

static int
refuse(const char *what, const char *value)
{
    fprintf(stderr,
            "softwarp tune: error: %s '%s'; `softwarp tune --help` lists the "
            "options\n",
            what, value);
    return USAGE;
}

/* ---- options ---- */

typedef struct {
    const char *name;
    size_t at;
    enum { TEXT, NUMBER, FLAG } kind;
} option_row;

static const option_row option_table[] = {
    {"--devices", offsetof(options, devices), TEXT},
    {"--device", offsetof(options, devices), TEXT},
    {"--strategy", offsetof(options, strategy), TEXT},
    {"--objective", offsetof(options, objective), TEXT},
    {"--csv", offsetof(options, csv), TEXT},
    {"--best", offsetof(options, best), TEXT},
    {"--max-fevals", offsetof(options, budget), NUMBER},
    {"--seed", offsetof(options, seed), NUMBER},
    {"--timeout", offsetof(options, timeout), NUMBER},
    {"--again", offsetof(options, is_again), FLAG},
    {"--quiet", offsetof(options, is_quiet), FLAG},
};

static bool
take_option(options *o, int argc, char **argv, int *i)
{
    const option_row *r = option_table;
    const option_row *end = r + sizeof option_table / sizeof *option_table;
    while (r < end && strcmp(r->name, argv[*i]) != 0)
        r++;
    if (r == end)
        return refuse("no such option", argv[*i]) == 0;
    void *at = (char *)o + r->at;
    if (r->kind == FLAG) {
        *(bool *)at = true;
        return true;
    }
    if (*i + 1 >= argc)
        return refuse("no value for", argv[*i]) == 0;
    const char *value = argv[++*i];
    if (r->kind == TEXT)
        *(const char **)at = value;
    else if (!sw_str_to_u64(sw_str_of(value), 10, at) || !*(uint64_t *)at)
        return refuse("no number from 1 on:", value) == 0;
    return true;
}

static bool
read_options(options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1]) {
            if (!take_option(o, argc, argv, &i))
                return false;
        } else if (o->file) {
            return refuse("one file is tuned, not also", argv[i]) == 0;
        } else {
            o->file = argv[i];
        }
    }
    if (!o->file)
        return refuse("no file after", "tune") == 0;
    if (o->strategy && !tune_has_strategy(o->strategy))
        return refuse("strategies are brute_force, random_sample and mls, not",
                      o->strategy) == 0;
    return true;
}

/* ---- what was tried before ---- */

static char *
kept_path(const char *file)
{
    size_t n = strlen(file);
    sw_buf path;
    sw_buf_init(&path);
    if (n > 5 && !strcmp(file + n - 5, ".json"))
        n -= 5;
    sw_buf_add(&path, file, n);
    sw_buf_puts(&path, ".tuned.json");
    return sw_buf_take(&path);
}

/* Of the description and the source; another one makes old trials void. */
static void
write_hash(const tune_space *s, char text[32])
{
    sw_buf path;
    uint64_t hash = 0;
    sw_buf_init(&path);
    sw_buf_printf(&path, "%s/%s", s->folder, s->source);
    const char *files[] = {s->path, path.p};
    for (int i = 0; i < 2; i++) {
        char *bytes;
        size_t n;
        if (sw_file_read(files[i], &bytes, &n) != SW_OK)
            continue;
        hash = sw_hash_bytes(bytes, n, hash);
        sw_free(bytes);
    }
    sw_buf_finish(&path);
    snprintf(text, 32, "%016" PRIx64, hash);
}

/* The kept file's object, or a new one. Owned by caller. */
static json_t *
read_kept(const tune_space *s, const char *path, bool is_again)
{
    char hash[32];
    json_t *kept = is_again ? NULL : json_load_file(path, 0, NULL);
    const char *was = json_string_value(json_object_get(kept, "hash"));
    write_hash(s, hash);
    if (!kept || !was || strcmp(was, hash) != 0) {
        if (kept)
            fprintf(stderr,
                    "softwarp tune: %s is of another description or source, "
                    "and begins anew\n",
                    path);
        json_decref(kept);
        kept = json_pack("{s:s, s:{}}", "hash", hash, "devices");
    }
    return kept;
}

/* "DEVICE, OBJECTIVE": whose trials they are. */
static void
write_key(const tune_space *s, const char *device, char key[512])
{
    snprintf(key, 512, "%s, %s", device, s->metric);
}

static void
load_trials(tune_search *search, const json_t *kept)
{
    char key[512];
    write_key(search->space, search->device, key);
    const json_t *of = json_object_get(json_object_get(kept, "devices"), key);
    const json_t *rows = json_object_get(of, "trials");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *r = json_array_get(rows, i);
        const char *says = json_string_value(json_object_get(r, "says"));
        const char *state = json_string_value(json_object_get(r, "state"));
        tune_trial t = {
            .number =
                (uint64_t)json_integer_value(json_object_get(r, "number")),
            .value = json_number_value(json_object_get(r, "value"))};
        while (state && t.state < TUNE_STATE_COUNT &&
               strcmp(tune_state_name(t.state), state) != 0)
            t.state++;
        if (!state || t.state == TUNE_STATE_COUNT ||
            t.number >= search->space->variants)
            continue;
        t.says = sw_strdup(says ? says : "");
        *(tune_trial *)sw_vec_push(&search->trials) = t;
    }
}

/* The variant as an object of its values. */
static json_t *
pack_variant(const tune_space *s, uint64_t number)
{
    tune_variant v = tune_variant_of(s, number);
    json_t *o = json_object();
    for (uint32_t i = 0; i < s->count; i++)
        json_object_set(o, s->params[i].name,
                        json_array_get(s->params[i].values, v.at[i]));
    return o;
}

/* What the compiler is told of it. */
static json_t *
pack_options(const tune_space *s, uint64_t number)
{
    tune_variant v = tune_variant_of(s, number);
    json_t *list = json_array();
    sw_buf word;
    sw_buf_init(&word);
    for (uint32_t i = 0; i < s->count; i++) {
        word.n = 0;
        sw_buf_printf(&word, "-D%s=", s->params[i].name);
        tune_put_value(s, &v, i, &word);
        json_array_append_new(list, json_string(word.p));
    }
    for (size_t i = 0; i < json_array_size(s->options); i++) {
        const char *text = json_string_value(json_array_get(s->options, i));
        word.n = 0;
        if (text)
            tune_put_text(s, &v, text, &word);
        if (text)
            json_array_append_new(list, json_string(word.p));
    }
    sw_buf_finish(&word);
    return list;
}

static bool
keep_trials(const tune_search *search, json_t *kept, const char *path)
{
    char key[512];
    const tune_space *s = search->space;
    const tune_trial *best = tune_search_best(search);
    json_t *rows = json_array();
    for (size_t i = 0; i < search->trials.count; i++) {
        const tune_trial *t = sw_vec_at(&search->trials, i);
        json_array_append_new(rows,
                              json_pack("{s:I, s:o, s:s, s:f, s:s}", "number",
                                        (json_int_t)t->number, "params",
                                        pack_variant(s, t->number), "state",
                                        tune_state_name(t->state), "value",
                                        t->value, "says", t->says));
    }
    json_t *of = json_pack("{s:o}", "trials", rows);
    if (best) {
        json_object_set_new(of, "best", pack_variant(s, best->number));
        json_object_set_new(of, "best_options", pack_options(s, best->number));
        json_object_set_new(of, "best_value", json_real(best->value));
    }
    write_key(s, search->device, key);
    json_object_set_new(json_object_get(kept, "devices"), key, of);
    if (json_dump_file(kept, path, JSON_INDENT(1)) == 0)
        return true;
    fprintf(stderr, "softwarp tune: error: cannot write %s: %s\n", path,
            strerror(errno));
    return false;
}

static int
print_best(const options *o, const tune_space *s, const json_t *kept)
{
    char key[512];
    write_key(s, o->best, key);
    const json_t *of = json_object_get(json_object_get(kept, "devices"), key);
    const json_t *words = json_object_get(of, "best_options");
    if (!words) {
        fprintf(stderr,
                "softwarp tune: error: nothing was found for '%s'; `softwarp "
                "tune %s --devices '%s'` looks for it\n",
                key, o->file, o->best);
        return NONE;
    }
    for (size_t i = 0; i < json_array_size(words); i++)
        printf("%s%s", i ? " " : "",
               json_string_value(json_array_get(words, i)));
    printf("\n");
    return 0;
}

/* ---- what is printed ---- */

static void
print_value(const tune_space *s, double value, char text[32])
{
    if (s->objective == TUNE_COUNTER)
        snprintf(text, 32, "%.6g", value);
    else if (value < 1e6)
        snprintf(text, 32, "%.2f us", value * 1e-3);
    else
        snprintf(text, 32, "%.3f ms", value * 1e-6);
}

static void
report(const tune_space *s, const tune_trial *t)
{
    tune_variant v = tune_variant_of(s, t->number);
    sw_buf text;
    char value[32] = "";
    sw_buf_init(&text);
    tune_put_variant(s, &v, &text);
    if (t->state == TUNE_RIGHT)
        print_value(s, t->value, value);
    printf("  %-40s %12s  %s%s%.60s\n", text.p, value,
           t->state == TUNE_RIGHT ? "" : tune_state_name(t->state),
           *t->says ? ": " : "", t->says);
    fflush(stdout);
    sw_buf_finish(&text);
}

static void
put_csv(const tune_search *search, FILE *out)
{
    const tune_space *s = search->space;
    for (size_t i = 0; i < search->trials.count; i++) {
        const tune_trial *t = sw_vec_at(&search->trials, i);
        tune_variant v = tune_variant_of(s, t->number);
        fprintf(out, "\"%s\"", search->device);
        for (uint32_t p = 0; p < s->count; p++) {
            sw_buf value;
            sw_buf_init(&value);
            tune_put_value(s, &v, p, &value);
            fprintf(out, ",%s", value.p);
            sw_buf_finish(&value);
        }
        fprintf(out, ",%s,", tune_state_name(t->state));
        if (t->state == TUNE_RIGHT)
            fprintf(out, "%.10g", t->value);
        fprintf(out, "\n");
    }
}

static void
print_result(const tune_search *search, size_t known)
{
    const tune_trial *best = tune_search_best(search);
    printf("%s: %zu of %" PRIu64 " variants tried, %zu of them before; ",
           search->device, search->trials.count, search->space->variants,
           known);
    if (!best) {
        printf("none is right\n");
        return;
    }
    printf("the best:\n");
    report(search->space, best);
}

/* ---- all of it ---- */

/* False if no variant is right, or after saying what is wrong. */
static bool
tune_device(const options *o, const tune_space *s, const char *device,
            const char *folder, json_t *kept, const char *path, FILE *csv)
{
    tune_search search = {.space = s,
                          .device = device,
                          .folder = folder,
                          .budget = o->budget,
                          .seed = o->seed,
                          .seconds = (double)o->timeout,
                          .report = o->is_quiet ? NULL : report};
    sw_vec_init(&search.trials, sizeof(tune_trial));
    load_trials(&search, kept);
    size_t known = search.trials.count;
    printf("%s, %s\n", device, s->metric);
    tune_search_run(&search, o->strategy ? o->strategy : s->strategy);
    print_result(&search, known);
    bool good = keep_trials(&search, kept, path) && tune_search_best(&search);
    if (csv)
        put_csv(&search, csv);
    for (size_t i = 0; i < search.trials.count; i++)
        sw_free(((tune_trial *)sw_vec_at(&search.trials, i))->says);
    sw_vec_finish(&search.trials);
    return good;
}

/* The devices by their full names; false after saying which is none. */
static bool
find_devices(const options *o, const tune_space *s, sw_vec *devices)
{
    sw_buf list;
    sw_buf_init(&list);
    sw_buf_puts(&list, o->devices ? o->devices : "");
    for (size_t i = 0; !o->devices && i < json_array_size(s->devices); i++)
        sw_buf_printf(&list, "%s%s", i ? "," : "",
                      json_string_value(json_array_get(s->devices, i)));
    if (!list.n)
        sw_buf_puts(&list, sw_device_default()->name);
    bool good = true;
    for (char *p = list.p; good && p && *p;) {
        size_t n = strcspn(p, ",");
        char *next = p[n] ? p + n + 1 : NULL;
        p[n] = 0;
        const sw_device_info *d = sw_tool_device_find(p);
        good = d != NULL;
        if (d)
            *(const char **)sw_vec_push(devices) = d->name;
        p = next;
    }
    sw_buf_finish(&list);
    return good;
}

static int
tune(const options *o, const tune_space *s, json_t *kept, const char *path)
{
    char folder[PATH_MAX];
    sw_vec devices;
    FILE *csv = o->csv ? fopen(o->csv, "we") : NULL;
    int status = 0;
    if (o->csv && !csv)
        return refuse("cannot write", o->csv);
    if (csv) {
        fprintf(csv, "device");
        for (uint32_t i = 0; i < s->count; i++)
            fprintf(csv, ",%s", s->params[i].name);
        fprintf(csv, ",state,value\n");
    }
    sw_vec_init(&devices, sizeof(const char *));
    bool good = find_devices(o, s, &devices) &&
                sw_experiment_make_folder("tune", folder);
    for (size_t i = 0; good && i < devices.count; i++)
        if (!tune_device(o, s, *(const char **)sw_vec_at(&devices, i), folder,
                         kept, path, csv))
            status = NONE;
    if (good)
        sw_experiment_remove_folder(folder);
    if (csv)
        fclose(csv);
    sw_vec_finish(&devices);
    return good ? status : USAGE;
}

int
sw_tool_tune(int argc, char **argv)
{
    options o = {.budget = 1000, .seed = 1, .timeout = 120};
    tune_space s = {.root = NULL};
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return 0;
    }
    int status = USAGE;
    if (read_options(&o, argc, argv) && tune_space_read(&s, o.file)) {
        const sw_device_info *d = o.best ? sw_tool_device_find(o.best) : NULL;
        char *path = kept_path(o.file);
        if (o.objective)
            tune_space_set_objective(&s, o.objective);
        json_t *kept = read_kept(&s, path, o.is_again);
        if (d)
            o.best = d->name;
        if (!o.best)
            status = tune(&o, &s, kept, path);
        else if (d)
            status = print_best(&o, &s, kept);
        json_decref(kept);
        sw_free(path);
    }
    tune_space_finish(&s);
    return status;
}
