/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve.c - lines of a host's stack, looked up by addr2line; see stack.h.
 *
 * addr2line comes with every compiler (binutils), knows all forms of debugging
 * information, and runs only when there is something to print.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/finding.h"
#include "check/stack.h"

extern char **environ;

/* What addr2line says of an address of a module: "function\nfile:line\n", and
 * so on for functions inlined there. False: it could not be started. */
static bool
ask(const char *module, const char *offset, sw_buf *out)
{
    const char *const argv[] = {"addr2line", "-f",   "-C",   "-i",
                                "-e",        module, offset, NULL};
    int ends[2];
    pid_t child;
    char bytes[4096];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                     O_WRONLY, 0);
    bool good = posix_spawnp(&child, argv[0], &actions, NULL,
                             (char *const *)argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    ssize_t n;
    while (good && (n = read(ends[0], bytes, sizeof bytes)) > 0)
        sw_buf_add(out, bytes, (size_t)n);
    close(ends[0]);
    if (good)
        waitpid(child, NULL, 0);
    return good;
}

/* Frames that say nothing to a user: those of headers, of the C library's
 * start-up code, and of the function that a compiler puts before a launch. */
static bool
is_noise(const char *function, const char *file)
{
    return strncmp(function, "__device_stub__", 15) == 0 ||
           strncmp(function, "__libc_start", 12) == 0 ||
           sw_check_is_header(file);
}

/* "function\nfile:line\n" pairs as lines; false if no line is known. */
static bool
put_answer(const char *answer, sw_buf *out)
{
    bool any = false;
    while (*answer) {
        size_t name = strcspn(answer, "\n");
        const char *place = answer + name + (answer[name] == '\n');
        size_t length = strcspn(place, "\n");
        if (length && place[0] != '?' && strncmp(answer, "??", 2) != 0) {
            const char *more = memchr(place, ' ', length); /* a discriminator */
            int shown = (int)(more ? more - place : (ptrdiff_t)length);
            if (shown > 2 && !strncmp(place + shown - 2, ":?", 2))
                shown -= 2; /* the file is known, the line is not */
            char file[1024];
            snprintf(file, sizeof file, "%.*s", shown, place);
            if (!is_noise(answer, file))
                sw_buf_printf(out, "%.*s (%s)\n", (int)name, answer, file);
            any = true;
        }
        answer = place + length + (place[length] == '\n');
    }
    return any;
}

/* A line "@MODULE+0xOFFSET SYMBOL". */
static void
put_frame(const char *line, size_t n, sw_buf *out)
{
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)n - 1, line + 1);
    char *symbol = strrchr(text, ' ');
    char *plus = symbol ? NULL : strrchr(text, '+');
    if (symbol) {
        *symbol++ = 0;
        plus = strrchr(text, '+');
    }
    if (!plus)
        return;
    *plus = 0;
    sw_buf answer;
    sw_buf_init(&answer);
    if (!ask(text, plus + 1, &answer) || !answer.p ||
        !put_answer(answer.p, out)) {
        const char *slash = strrchr(text, '/');
        bool is_named = symbol && *symbol && strcmp(symbol, "?") != 0;
        if (is_named && !is_noise(symbol, ""))
            sw_buf_printf(out, "%s (%s)\n", symbol, slash ? slash + 1 : text);
    }
    sw_buf_finish(&answer);
}

void
sw_stack_resolve(const char *text, sw_buf *out)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (text[0] == '@')
            put_frame(text, n, out);
        else {
            sw_buf_add(out, text, n);
            if (text[n])
                sw_buf_put(out, '\n');
        }
        text += n + (text[n] == '\n');
    }
}
