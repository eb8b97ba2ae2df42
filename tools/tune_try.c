/* SPDX-License-Identifier: Apache-2.0 */
/* tune_try.c - compiles a variant, runs it and measures what is to be tuned. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "experiment.h"
#include "tune.h"

/* Strings of a list, with values in them. */
static void
add_list(const tune_space *s, const tune_variant *v, const json_t *list,
         sw_command *c)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        sw_buf word;
        if (!text)
            continue;
        sw_buf_init(&word);
        tune_put_text(s, v, text, &word);
        sw_command_add(c, "%s", word.p);
        sw_buf_finish(&word);
    }
}

/* A program's first line, for those of the tool follow it; a compiler's last,
 * which counts the errors. */
static char *
one_line(const char *text, tune_state state)
{
    size_t n = strlen(text);
    while (n && text[n - 1] == '\n')
        n--;
    if (state == TUNE_WRONG)
        n = strcspn(text, "\n");
    size_t begin = state == TUNE_WRONG ? 0 : n;
    while (begin && text[begin - 1] != '\n')
        begin--;
    sw_buf line;
    sw_buf_init(&line);
    sw_buf_add(&line, text + begin, n - begin);
    return sw_buf_take(&line);
}

/* Runs the command; false if it was late or failed, with the state. */
static bool
run(sw_command *c, const char *folder, double seconds, tune_state otherwise,
    tune_trial *t, double *took)
{
    sw_experiment x;
    sw_experiment_run(&x, sw_command_argv(c), folder, seconds);
    bool good = x.status == 0 && !x.is_late;
    if (!good) {
        t->state = x.is_late ? TUNE_LATE : otherwise;
        sw_free(t->says);
        t->says = one_line(x.output.p, t->state);
    }
    if (took)
        *took = x.seconds;
    sw_experiment_finish(&x);
    sw_command_finish(c);
    return good;
}

static bool
compile(const tune_space *s, const tune_variant *v, const char *folder,
        double seconds, tune_trial *t)
{
    sw_command c;
    sw_command_init(&c);
    sw_command_add(&c, "%s", sw_experiment_self());
    sw_command_add(&c, "cc");
    sw_command_add(&c, "%s", s->source);
    for (uint32_t i = 0; i < s->count; i++) {
        sw_buf value;
        sw_buf_init(&value);
        tune_put_value(s, v, i, &value);
        sw_command_add(&c, "-D%s=%s", s->params[i].name, value.p);
        sw_buf_finish(&value);
    }
    add_list(s, v, s->options, &c);
    sw_command_add(&c, "-o");
    sw_command_add(&c, "%s/app", folder);
    return run(&c, s->folder, seconds, TUNE_COMPILE, t, NULL);
}

/* The command that measures, by the objective. */
static void
add_measure(const tune_space *s, const char *device, const char *json,
            sw_command *c)
{
    static const char *const tools[] = {
        [TUNE_TIME] = "predict", [TUNE_COUNTER] = "prof", [TUNE_HOST] = "run"};
    sw_command_add(c, "%s", sw_experiment_self());
    sw_command_add(c, "%s", tools[s->objective]);
    if (*device) {
        sw_command_add(c, "--device");
        sw_command_add(c, "%s", device);
    }
    if (s->objective == TUNE_COUNTER) {
        sw_command_add(c, "-m");
        sw_command_add(c, "%s", s->metric);
        sw_command_add(c, "--log-file");
        sw_command_add(c, "%s", json);
    }
    if (s->objective != TUNE_HOST)
        sw_command_add(c, "--json");
    if (s->objective == TUNE_TIME)
        sw_command_add(c, "%s", json);
    sw_command_add(c, "--");
}

void
tune_try(const tune_space *s, const tune_variant *v, const char *device,
         const char *folder, double seconds, tune_trial *t)
{
    char json[PATH_MAX];
    double took;
    sw_command c;
    t->says = sw_strdup("");
    if (!compile(s, v, folder, seconds, t))
        return;
    snprintf(json, sizeof json, "%s/json", folder);
    sw_command_init(&c);
    add_measure(s, device, json, &c);
    sw_command_add(&c, "%s/app", folder);
    add_list(s, v, s->arguments, &c);
    if (!run(&c, s->folder, seconds, TUNE_WRONG, t, &took))
        return;
    json_t *root =
        s->objective == TUNE_HOST ? NULL : json_load_file(json, 0, NULL);
    bool good = true;
    if (s->objective == TUNE_HOST)
        t->value = took * 1e9;
    else if (s->objective == TUNE_TIME)
        good = sw_experiment_time(root, s->kernel, &t->value);
    else
        good = sw_experiment_counter(root, s->kernel, s->metric, SW_FOLD_SUM,
                                     &t->value);
    t->state = good ? TUNE_RIGHT : TUNE_UNMEASURED;
    json_decref(root);
    unlink(json);
}
