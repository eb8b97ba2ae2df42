/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc_run.c - command lines: building, printing and running them.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cc.h"

extern char **environ;

void
cc_command_init(cc_command *command, sw_arena *arena)
{
    command->arena = arena;
    sw_vec_init(&command->argv, sizeof(char *));
}

void
cc_command_finish(cc_command *command)
{
    sw_vec_finish(&command->argv);
}

void
cc_command_add(cc_command *command, const char *arg)
{
    *(char **)sw_vec_push(&command->argv) =
        sw_arena_str(command->arena, sw_str_of(arg));
}

void
cc_command_addf(cc_command *command, const char *fmt, ...)
{
    va_list args;
    sw_buf text;

    sw_buf_init(&text);
    va_start(args, fmt);
    sw_buf_vprintf(&text, fmt, args);
    va_end(args);
    cc_command_add(command, text.p);
    sw_buf_finish(&text);
}

void
cc_command_add_headers(cc_command *command, const char *dir)
{
    cc_command_addf(command, "-I%s", dir);
    cc_command_add(command, "-idirafter");
    cc_command_addf(command, "%s/libcu", dir);
}

void
cc_command_add_all(cc_command *command, const sw_vec *args)
{
    for (size_t i = 0; i < args->count; i++)
        cc_command_add(command, *(char **)sw_vec_at(args, i));
}

/* Quoted so that a shell would read it back. */
static void
print_command(char *const *argv)
{
    for (size_t i = 0; argv[i]; i++) {
        bool plain = argv[i][0] && !strpbrk(argv[i], " \t\n\"'\\$&;|<>()*?[]");
        const char *p = argv[i];

        if (i)
            fputc(' ', stderr);
        if (plain) {
            fputs(p, stderr);
            continue;
        }
        fputc('\'', stderr);
        for (; *p; p++)
            if (*p == '\'')
                fputs("'\\''", stderr);
            else
                fputc(*p, stderr);
        fputc('\'', stderr);
    }
    fputc('\n', stderr);
}

int
cc_command_run(cc_command *command, const cc_options *options)
{
    static const int stops[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    enum { STOPS = sizeof stops / sizeof stops[0] };
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old[STOPS];
    posix_spawnattr_t attr;
    sigset_t reset;
    pid_t child;
    int status = 0, error;

    *(char **)sw_vec_push(&command->argv) = NULL;
    char **argv = command->argv.data;
    if (options->verbose || options->dry_run)
        print_command(argv);
    if (options->dry_run)
        return 0;

    /* Whoever stops the compiler stops us through its exit status, so that
     * temporary files still go away. */
    sigemptyset(&reset);
    for (int i = 0; i < STOPS; i++) {
        sigaction(stops[i], &ignore, &old[i]);
        if (old[i].sa_handler != SIG_IGN)
            sigaddset(&reset, stops[i]);
    }
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigdefault(&attr, &reset);
    error = posix_spawnp(&child, argv[0], NULL, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    if (error == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    for (int i = 0; i < STOPS; i++)
        sigaction(stops[i], &old[i], NULL);

    if (error) {
        fprintf(stderr, "softwarp cc: error: '%s' can't be started: %s\n",
                argv[0], strerror(error));
        return 127;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
