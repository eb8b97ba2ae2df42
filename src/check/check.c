/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - the tools of `softwarp check` as one watcher; see check.h. */
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "check/tool.h"

static const sw_check_tool_fns *const tool_table[] = {
#define TOOL(name) &sw_check_tool_##name,
#include "check/tool_list.def"
};
enum { TOOL_COUNT = sizeof tool_table / sizeof *tool_table };

/* The process's checkers. */
typedef struct {
    sw_check check;
    const char *path; /* of the file of findings, with %p for the process */
    int file;         /* of process `pid`; -1: not open yet */
    pid_t pid;
    regex_t kernels;
    pthread_mutex_t lock; /* of launches */
    uint64_t launches;    /* of kernels that match */
    void *tools[TOOL_COUNT];
    bool is_on[TOOL_COUNT];
} checkers;

/* A launch that at least one tool sees. */
typedef struct {
    sw_check_launch launch;
    void *states[TOOL_COUNT];
    bool is_seen[TOOL_COUNT];
    sw_several *several; /* NULL: only one observer, or none */
} seen_launch;

/* ---- launches ---- */

static bool
is_wanted(checkers *c, const sw_watch_launch *launch)
{
    if (c->check.kernels &&
        regexec(&c->kernels, launch->fn->name, 0, NULL, 0) != 0)
        return false;
    pthread_mutex_lock(&c->lock);
    uint64_t n = c->launches++;
    pthread_mutex_unlock(&c->lock);
    return n >= c->check.skip &&
           (!c->check.limit || n - c->check.skip < c->check.limit);
}

static void *
launch_begin(void *arg, const sw_watch_launch *launch,
             const sw_observer **observer, uint32_t *sample)
{
    (void)sample;
    checkers *c = arg;
    if (!is_wanted(c, launch)) {
        for (size_t i = 0; i < TOOL_COUNT; i++)
            if (c->is_on[i] && tool_table[i]->launch_missed)
                tool_table[i]->launch_missed(c->tools[i]);
        return NULL;
    }
    const sw_observer *all[TOOL_COUNT];
    size_t count = 0;
    seen_launch *s = sw_alloc(sizeof *s);
    s->launch = (sw_check_launch){
        .check = &c->check, .launch = launch, .stack = sw_stack_take()};
    for (size_t i = 0; i < TOOL_COUNT; i++) {
        const sw_observer *one = NULL;
        if (!c->is_on[i] || !tool_table[i]->launch_begin)
            continue;
        s->states[i] =
            tool_table[i]->launch_begin(c->tools[i], &s->launch, &one);
        s->is_seen[i] = true;
        if (one)
            all[count++] = one;
    }
    if (count > 1) {
        s->several = sw_several_create(all, count);
        *observer = sw_several_observer(s->several);
    } else if (count == 1) {
        *observer = all[0];
    }
    return s;
}

static void
launch_end(void *arg, void *launch, const sw_watch_end *end)
{
    checkers *c = arg;
    seen_launch *s = launch;
    if (!s)
        return;
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (s->is_seen[i] && tool_table[i]->launch_end)
            tool_table[i]->launch_end(c->tools[i], s->states[i], end);
    sw_several_destroy(s->several);
    sw_free(s);
}

static void
memory(void *arg, const sw_memory_event *event)
{
    checkers *c = arg;
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (c->is_on[i] && (tool_table[i]->memory_events & event->kind))
            tool_table[i]->memory(c->tools[i], event);
}

static void
call_begins(void *arg)
{
    (void)arg;
    sw_stack_note_python();
}

static void
call(void *arg, const sw_watch_call *event)
{
    checkers *c = arg;
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (c->is_on[i] && tool_table[i]->call)
            tool_table[i]->call(c->tools[i], event);
}

static bool
host_access(void *arg, uint64_t addr, uint64_t pc, bool is_write)
{
    checkers *c = arg;
    bool is_wrong = false;
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (c->is_on[i] && tool_table[i]->host_access)
            is_wrong |=
                tool_table[i]->host_access(c->tools[i], addr, pc, is_write);
    return is_wrong;
}

static void
host_closes(void *arg, sw_watch_close_fn *close)
{
    checkers *c = arg;
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (c->is_on[i] && tool_table[i]->host_closes)
            tool_table[i]->host_closes(c->tools[i], close);
}

/* ---- the file of findings ----
 *
 * It has each finding as soon as it is found: a program may end by a signal or
 * by _exit. At a good end it is written anew, with all counts. */

/* "%p" in a file's name is the process. */
static char *
path_of(const char *s)
{
    sw_buf out;
    sw_buf_init(&out);
    for (size_t i = 0; s[i]; i++)
        if (s[i] == '%' && s[i + 1] == 'p')
            sw_buf_printf(&out, "%d", (int)getpid()), i++;
        else
            sw_buf_put(&out, s[i]);
    char *text = sw_buf_take(&out);
    sw_buf_finish(&out);
    return text;
}

/* A process that fork made has a file of its own. */
static int
file_of(checkers *c)
{
    if (c->file >= 0 && c->pid == getpid())
        return c->file;
    char *path = path_of(c->path);
    c->pid = getpid();
    c->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (c->file < 0 ||
        !sw_file_write(c->file, sw_findings_head, strlen(sw_findings_head)))
        sw_log(SW_LOG_ERROR, "softwarp check: cannot write %s", path);
    sw_free(path);
    return c->file;
}

/* Where a debugger stops at a finding: not static and never inlined, so that
 * its name and arguments can be found. place: "FILE:LINE", or "". */
void sw_check_found_here(const char *kind, const char *message,
                         const char *kernel, const char *place);

__attribute__((noinline, used, visibility("default"))) void
sw_check_found_here(const char *kind, const char *message, const char *kernel,
                    const char *place)
{
    __asm__ volatile(""
                     :
                     : "r"(kind), "r"(message), "r"(kernel), "r"(place)
                     : "memory");
}

static void
tell_debugger(const sw_finding *f)
{
    sw_buf place;
    sw_buf_init(&place);
    if (*f->at.file)
        sw_buf_printf(&place, "%s:%u", f->at.file, f->at.line);
    sw_check_found_here(sw_find_kind_get(f->kind)->name, f->message, f->kernel,
                        place.n ? place.p : "");
    sw_buf_finish(&place);
}

static void
append(void *arg, const sw_buf *text)
{
    const sw_findings *set = ((checkers *)arg)->check.findings;
    tell_debugger(sw_findings_at(set, sw_findings_count(set) - 1));
    int file = file_of(arg);
    if (file >= 0)
        (void)sw_file_write(file, text->p, text->n);
}

static void
finish(void *arg)
{
    checkers *c = arg;
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (c->is_on[i] && tool_table[i]->finish)
            tool_table[i]->finish(c->tools[i]);
    sw_buf text;
    sw_buf_init(&text);
    sw_findings_write(c->check.findings, &text);
    int file = file_of(c);
    if (file >= 0 && (lseek(file, 0, SEEK_SET) < 0 || ftruncate(file, 0) ||
                      !sw_file_write(file, text.p, text.n)))
        sw_log(SW_LOG_ERROR, "softwarp check: cannot write the findings");
    sw_buf_finish(&text);
}

/* ---- options ---- */

static bool
refuse(const char *what, sw_str value)
{
    fprintf(stderr, "softwarp: error: observer check: %s '%.*s'\n", what,
            (int)value.n, value.p);
    return false;
}

static bool
read_tools(sw_check *check, sw_str list)
{
    while (list.n) {
        const char *plus = memchr(list.p, '+', list.n);
        sw_str one = {list.p, plus ? (size_t)(plus - list.p) : list.n};
        int i = 0;
        while (i < SW_CHECK_COUNT &&
               !sw_str_is(one, sw_check_tool_get((sw_check_tool)i)->name))
            i++;
        if (i == SW_CHECK_COUNT)
            return refuse("no such tool", one);
        check->has_tool[i] = true;
        list.p += one.n + (plus != NULL);
        list.n -= one.n + (plus != NULL);
    }
    return true;
}

static char *
copy_of(sw_str s)
{
    char *text = sw_alloc(s.n + 1);
    memcpy(text, s.p, s.n);
    return text;
}

static bool
read_option(checkers *c, sw_str name, sw_str value)
{
    if (sw_str_is(name, "tools"))
        return read_tools(&c->check, value);
    if (sw_str_is(name, "out"))
        return (c->path = copy_of(value)) != NULL;
    if (sw_str_is(name, "skip"))
        return sw_str_to_u64(value, 10, &c->check.skip) ||
               refuse("no number", value);
    if (sw_str_is(name, "count"))
        return sw_str_to_u64(value, 10, &c->check.limit) ||
               refuse("no number", value);
    if (!sw_str_is(name, "kernels"))
        return refuse("no such option", name);
    c->check.kernels = copy_of(value);
    return regcomp(&c->kernels, c->check.kernels, REG_EXTENDED | REG_NOSUB) ==
               0 ||
           refuse("no regular expression", value);
}

/* Options are "name=value" between commas; the last, kernels, may hold any. */
static bool
read_options(checkers *c, const char *options)
{
    for (const char *p = options; *p;) {
        size_t name = strcspn(p, "=,");
        if (p[name] != '=')
            return refuse("no value for", (sw_str){p, name});
        const char *value = p + name + 1;
        bool is_last = sw_str_is((sw_str){p, name}, "kernels");
        size_t n = is_last ? strlen(value) : strcspn(value, ",");
        if (!read_option(c, (sw_str){p, name}, (sw_str){value, n}))
            return false;
        p = value + n + (value[n] == ',');
    }
    return c->path || refuse("no file in", sw_str_of(options));
}

bool
sw_watch_open_check(const char *options, sw_watcher *out)
{
    checkers *c = sw_alloc(sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    if (!read_options(c, options)) {
        sw_free(c);
        return false;
    }
    c->check.findings = sw_findings_create();
    c->file = -1;
    sw_findings_tell(c->check.findings, append, c);
    *out = (sw_watcher){.arg = c,
                        .launch_begin = launch_begin,
                        .launch_end = launch_end,
                        .memory = memory,
                        .call = call,
                        .call_begins = call_begins,
                        .finish = finish};
    for (size_t i = 0; i < TOOL_COUNT; i++) {
        c->is_on[i] = c->check.has_tool[tool_table[i]->id];
        if (!c->is_on[i])
            continue;
        c->tools[i] =
            tool_table[i]->open ? tool_table[i]->open(&c->check) : NULL;
        out->memory_events |= tool_table[i]->memory_events;
        if (tool_table[i]->host_access)
            out->host_access = host_access;
        if (tool_table[i]->host_closes)
            out->host_closes = host_closes;
    }
    return true;
}
