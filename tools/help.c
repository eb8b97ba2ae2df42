/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help.c - `softwarp help`: what a command takes, what the environment may
 * hold, and the same texts as manual pages and for the completion of shells.
 *
 * Each text has one source: a command's own --help, and settings.def. What is
 * made here is a view of it.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/near.h"
#include "base/settings.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp help [COMMAND | environment]\n"
    "  COMMAND      what it does and takes; the same as softwarp COMMAND "
    "--help\n"
    "  environment  the variables of the environment that Softwarp reads\n"
    "  --markdown   the variables as a document\n"
    "  --man PAGE   a manual page: softwarp, softwarp-COMMAND or\n"
    "               softwarp-environment\n"
    "  --completion SHELL\n"
    "               completion of the command line for bash, zsh or fish\n";

enum { USAGE = 2, WIDTH = 72 };

/* ---- text ---- */

/* Words of `text` in lines of at most WIDTH columns, `indent` spaces before
 * each. */
static void
add_wrapped(sw_buf *out, const char *text, int indent)
{
    size_t column = 0;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column && column + 1 + n > WIDTH) {
            sw_buf_puts(out, "\n");
            column = 0;
        }
        if (column)
            sw_buf_puts(out, " ");
        else
            sw_buf_printf(out, "%*s", indent, "");
        column += n + (column ? 1 : (size_t)indent);
        sw_buf_add(out, text, n);
        text += n + (text[n] == ' ');
    }
    sw_buf_puts(out, "\n");
}

/* ---- the environment ---- */

static const char *const group_titles[] = {
    [SW_SETTING_USER] = "Settings",
    [SW_SETTING_MADE] = "Set by `softwarp prof` for the program",
    [SW_SETTING_MAKER] = "For tests, and for work on Softwarp itself",
    [SW_SETTING_VENDOR] = "Other names that are read",
};
enum { GROUPS = sizeof group_titles / sizeof *group_titles };

static void
add_setting(sw_buf *out, sw_setting_id id)
{
    const sw_setting_row *row = sw_setting_row_of(id);
    sw_buf_printf(out, "  %s=", row->name);
    sw_setting_add_allowed(id, out);
    sw_buf_printf(out, "\n      default: %s\n", row->otherwise);
    add_wrapped(out, row->meaning, 6);
}

static void
add_environment(sw_buf *out)
{
    for (unsigned g = 0; g < GROUPS; g++) {
        sw_buf_printf(out, "%s%s\n", g ? "\n" : "", group_titles[g]);
        for (unsigned i = 0; i < SW_SETTING_COUNT; i++)
            if (sw_setting_row_of((sw_setting_id)i)->group == g)
                add_setting(out, (sw_setting_id)i);
    }
}

static void
add_markdown(sw_buf *out)
{
    sw_buf_puts(out,
                "# Settings\n\n"
                "Written by `softwarp help --markdown` out of the table that "
                "the code itself reads through; do not edit.\n"
                "A value that is not allowed is an error: `softwarp run` and "
                "`softwarp prof` end with status 2, `cuInit` returns "
                "`CUDA_ERROR_INVALID_VALUE`.\n");
    for (unsigned g = 0; g < GROUPS; g++) {
        sw_buf_printf(out,
                      "\n## %s\n\n| variable | value | default | meaning |\n"
                      "|---|---|---|---|\n",
                      group_titles[g]);
        for (unsigned i = 0; i < SW_SETTING_COUNT; i++) {
            const sw_setting_row *row = sw_setting_row_of((sw_setting_id)i);
            if (row->group != g)
                continue;
            sw_buf_printf(out, "| `%s` | ", row->name);
            sw_setting_add_allowed((sw_setting_id)i, out);
            sw_buf_printf(out, " | %s | %s |\n", row->otherwise, row->meaning);
        }
    }
}

/* ---- commands ---- */

/* What `softwarp COMMAND --help` prints; false if that fails. */
static bool
add_command_help(sw_buf *out, const char *command)
{
    char line[512];
    snprintf(line, sizeof line, "'/proc/%ld/exe' %s --help", (long)getpid(),
             command);
    FILE *f = popen(line, "r");
    size_t n;
    while (f && (n = fread(line, 1, sizeof line, f)) > 0)
        sw_buf_add(out, line, n);
    return f && pclose(f) == 0;
}

static bool
is_command(const char *name)
{
    for (size_t i = 0; sw_tool_at(i); i++)
        if (strcmp(sw_tool_at(i)->name, name) == 0)
            return true;
    return false;
}

static int
say_unknown(const char *name)
{
    sw_near near;
    sw_buf text;
    sw_buf_init(&text);
    sw_near_init(&near, name);
    sw_near_offer(&near, "environment");
    for (size_t i = 0; sw_tool_at(i); i++)
        sw_near_offer(&near, sw_tool_at(i)->name);
    sw_near_say(&near, "; did you mean ", "?", &text);
    fprintf(stderr, "softwarp help: error: '%s' is no command%s\n", name,
            text.p);
    sw_buf_finish(&text);
    return USAGE;
}

/* ---- manual pages ---- */

/* As a macro of man(7) takes it: no line begins with a request, dashes are
 * dashes. */
static void
add_troff_line(sw_buf *out, const char *line, size_t n)
{
    if (n && (*line == '.' || *line == '\''))
        sw_buf_puts(out, "\\&");
    for (size_t i = 0; i < n; i++) {
        if (line[i] == '\\')
            sw_buf_puts(out, "\\e");
        else if (line[i] == '-')
            sw_buf_puts(out, "\\-");
        else
            sw_buf_add(out, line + i, 1);
    }
    sw_buf_puts(out, "\n");
}

static void
add_troff(sw_buf *out, const char *text)
{
    sw_buf_puts(out, ".nf\n");
    while (*text) {
        size_t n = strcspn(text, "\n");
        add_troff_line(out, text, n);
        text += n + (text[n] == '\n');
    }
    sw_buf_puts(out, ".fi\n");
}

static void
begin_page(sw_buf *out, const char *name, const char *section,
           const char *about)
{
    char upper[64];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof upper; n++)
        upper[n] = (char)toupper((unsigned char)name[n]);
    upper[n] = 0;
    sw_buf_printf(out, ".TH \"%s\" %s \"\" \"Softwarp %s\"\n.SH NAME\n", upper,
                  section, SW_VERSION);
    sw_buf_printf(out, "%s \\- ", name);
    add_troff_line(out, about, strlen(about));
}

/* False: there is no such page. */
static bool
add_man(sw_buf *out, const char *page)
{
    static const char prefix[] = "softwarp-";
    const char *name =
        strncmp(page, prefix, sizeof prefix - 1) == 0 ? page + 9 : NULL;
    sw_buf text;
    sw_buf_init(&text);
    bool found = true;
    if (strcmp(page, "softwarp") == 0) {
        begin_page(out, page, "1", "a GPU made of software");
        sw_tool_usage(&text);
        sw_buf_puts(out, ".SH SYNOPSIS\n");
        add_troff(out, text.p);
    } else if (name && strcmp(name, "environment") == 0) {
        begin_page(out, page, "7", "variables that Softwarp reads");
        add_environment(&text);
        sw_buf_puts(out, ".SH ENVIRONMENT\n");
        add_troff(out, text.p);
    } else if (name && is_command(name)) {
        for (size_t i = 0; sw_tool_at(i); i++)
            if (strcmp(sw_tool_at(i)->name, name) == 0)
                begin_page(out, page, "1", sw_tool_at(i)->help);
        found = add_command_help(&text, name);
        sw_buf_puts(out, ".SH SYNOPSIS\n");
        add_troff(out, text.p);
    } else {
        found = false;
    }
    sw_buf_puts(out, ".SH SEE ALSO\n"
                     ".BR softwarp (1),\n.BR softwarp-environment (7)\n");
    sw_buf_finish(&text);
    return found;
}

/* ---- completion ---- */

/* The options in a text of help: what begins on a dash at a line's beginning,
 * after a comma or in brackets; each once, separated by `between`. */
static void
add_options(sw_buf *out, const char *text, const char *between)
{
    sw_map *seen = sw_map_create();
    for (const char *p = text; *p; p++) {
        char before = p == text ? ' ' : p[-1];
        if (*p != '-' || !strchr(" \n[|", before) || p[1] == ' ')
            continue;
        size_t n = 1;
        while (isalnum((unsigned char)p[n]) || p[n] == '-' || p[n] == '_')
            n++;
        sw_str word = {p, n};
        if (n > 1 && isalpha((unsigned char)p[n - 1]) &&
            !sw_map_get(seen, word)) {
            sw_map_set(seen, word, seen);
            sw_buf_printf(out, "%s%.*s", sw_map_count(seen) > 1 ? between : "",
                          (int)n, p);
        }
        p += n - 1;
    }
    sw_map_destroy(seen);
}

/* The commands, separated by spaces. */
static void
add_commands(sw_buf *out)
{
    for (size_t i = 0; sw_tool_at(i); i++)
        sw_buf_printf(out, "%s%s", i ? " " : "", sw_tool_at(i)->name);
}

static void
add_bash(sw_buf *out)
{
    sw_buf_puts(out, "# Completion of softwarp for bash.\n"
                     "_softwarp() {\n"
                     "    local current=$2 before=$3 options IFS=$' \\t\\n'\n"
                     "    COMPREPLY=()\n"
                     "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
                     "        mapfile -t COMPREPLY < <(compgen -W '");
    add_commands(out);
    sw_buf_puts(out, "' -- \"$current\")\n"
                     "        return\n"
                     "    fi\n"
                     "    if [ \"$before\" = --device ]; then\n"
                     "        local name\n"
                     "        while read -r name; do\n"
                     "            [[ ${name,,} == \"${current,,}\"* ]] &&\n"
                     "                COMPREPLY+=(\"$(printf %q \"$name\")\")\n"
                     "        done < <(softwarp devices --names)\n"
                     "        return\n"
                     "    fi\n"
                     "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; sw_tool_at(i); i++) {
        sw_buf text;
        sw_buf_init(&text);
        add_command_help(&text, sw_tool_at(i)->name);
        sw_buf_printf(out, "    %s) options='", sw_tool_at(i)->name);
        add_options(out, text.p, " ");
        sw_buf_puts(out, "' ;;\n");
        sw_buf_finish(&text);
    }
    sw_buf_puts(out, "    esac\n"
                     "    if [ \"${COMP_WORDS[1]}\" = help ]; then\n"
                     "        options+=' environment ");
    add_commands(out);
    sw_buf_puts(out,
                "'\n"
                "    elif [[ $current != -* ]]; then\n"
                "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
                "        return\n"
                "    fi\n"
                "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- "
                "\"$current\")\n"
                "}\n"
                "complete -o filenames -F _softwarp softwarp\n");
}

/* A line for each command, of printf's text with its name and its help. */
static void
add_each(sw_buf *out, const char *before, const char *between,
         const char *after)
{
    for (size_t i = 0; sw_tool_at(i); i++) {
        sw_buf_printf(out, "%s%s%s", before, sw_tool_at(i)->name, between);
        for (const char *p = sw_tool_at(i)->help; *p; p++)
            sw_buf_printf(out, *p == '\'' ? "'\\''" : "%c", *p);
        sw_buf_puts(out, after);
    }
}

static void
add_zsh(sw_buf *out)
{
    sw_buf_puts(out, "#compdef softwarp\n"
                     "# Completion of softwarp for zsh.\n"
                     "local -a commands options devices\n"
                     "commands=(\n");
    add_each(out, "    '", ":", "'\n");
    sw_buf_puts(out, ")\n"
                     "if (( CURRENT == 2 )); then\n"
                     "    _describe command commands\n"
                     "    return\n"
                     "fi\n"
                     "if [[ $words[CURRENT-1] == --device ]]; then\n"
                     "    devices=(\"${(@f)$(softwarp devices --names)}\")\n"
                     "    compadd -M 'm:{a-zA-Z}={A-Za-z}' -a devices\n"
                     "    return\n"
                     "fi\n"
                     "case $words[2] in\n");
    for (size_t i = 0; sw_tool_at(i); i++) {
        sw_buf text;
        sw_buf_init(&text);
        add_command_help(&text, sw_tool_at(i)->name);
        sw_buf_printf(out, "%s) options=(", sw_tool_at(i)->name);
        add_options(out, text.p, " ");
        sw_buf_puts(out, ") ;;\n");
        sw_buf_finish(&text);
    }
    sw_buf_puts(out, "esac\n"
                     "if [[ $words[2] == help ]]; then\n"
                     "    _describe command commands\n"
                     "    compadd environment\n"
                     "fi\n"
                     "if [[ $PREFIX == -* ]]; then\n"
                     "    compadd -a options\n"
                     "else\n"
                     "    _files\n"
                     "fi\n");
}

static void
add_fish(sw_buf *out)
{
    sw_buf_puts(out, "# Completion of softwarp for fish.\n");
    add_each(out, "complete -c softwarp -n __fish_use_subcommand -f -a ",
             " -d '", "'\n");
    sw_buf_puts(out, "complete -c softwarp -n '__fish_seen_subcommand_from "
                     "help' -f -a 'environment ");
    add_commands(out);
    sw_buf_puts(out, "'\n");
    for (size_t i = 0; sw_tool_at(i); i++) {
        sw_buf text, names;
        sw_buf_init(&text);
        sw_buf_init(&names);
        add_command_help(&text, sw_tool_at(i)->name);
        add_options(&names, text.p, " ");
        for (const char *p = names.n ? names.p : ""; *p;) {
            size_t n = strcspn(p, " ");
            size_t dashes = strspn(p, "-");
            bool is_device = n == 8 && strncmp(p, "--device", 8) == 0;
            sw_buf_printf(
                out,
                "complete -c softwarp -n '__fish_seen_subcommand_from %s' "
                "-%c %.*s%s\n",
                sw_tool_at(i)->name,
                dashes == 2        ? 'l'
                : n - dashes == 1u ? 's'
                                   : 'o',
                (int)(n - dashes), p + dashes,
                is_device ? " -x -a '(softwarp devices --names)'" : "");
            p += n + (p[n] == ' ');
        }
        sw_buf_finish(&names);
        sw_buf_finish(&text);
    }
}

static bool
add_completion(sw_buf *out, const char *shell)
{
    static const struct {
        const char *name;
        void (*add)(sw_buf *out);
    } shells[] = {{"bash", add_bash}, {"zsh", add_zsh}, {"fish", add_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].add(out);
            return true;
        }
    fprintf(stderr,
            "softwarp help: error: --completion takes bash, zsh or fish, not "
            "'%s'\n",
            shell);
    return false;
}

/* ---- the command ---- */

static int
print(sw_buf *out, int status)
{
    if (status == 0)
        fputs(out->n ? out->p : "", stdout);
    sw_buf_finish(out);
    return status;
}

int
sw_tool_help(int argc, char **argv)
{
    sw_buf out;
    const char *what = argc > 1 ? argv[1] : "";
    sw_buf_init(&out);
    if (argc == 3 && !strcmp(what, "--man")) {
        if (add_man(&out, argv[2]))
            return print(&out, 0);
        fprintf(stderr, "softwarp help: error: no page '%s'\n", argv[2]);
        return print(&out, USAGE);
    }
    if (argc == 3 && !strcmp(what, "--completion"))
        return print(&out, add_completion(&out, argv[2]) ? 0 : USAGE);
    if (argc == 2 && !strcmp(what, "--markdown")) {
        add_markdown(&out);
        return print(&out, 0);
    }
    if (argc == 2 && !strcmp(what, "environment")) {
        add_environment(&out);
        return print(&out, 0);
    }
    if (argc == 2 && (!strcmp(what, "--help") || !strcmp(what, "-h"))) {
        sw_buf_puts(&out, help);
        return print(&out, 0);
    }
    if (argc <= 1) {
        sw_tool_usage(&out);
        return print(&out, 0);
    }
    if (*what == '-' || argc > 2) {
        fprintf(stderr, "softwarp help: error: '%s' is not understood\n%s",
                *what == '-' ? what : argv[2], help);
        return print(&out, USAGE);
    }
    sw_buf_finish(&out);
    if (!is_command(what))
        return say_unknown(what);
    for (size_t i = 0; sw_tool_at(i); i++)
        if (strcmp(sw_tool_at(i)->name, what) == 0) {
            char *ask[] = {argv[1], "--help", NULL};
            return sw_tool_at(i)->fn(2, ask);
        }
    return USAGE;
}
