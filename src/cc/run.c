/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - command lines: building, printing and running them.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cc/cc_private.h"
#include "cc/session.h"

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
    cc_command_add(command, "-idirafter");
    cc_command_addf(command, "%s/libstd", dir);
}

void
cc_command_add_leniency(cc_command *command)
{
    cc_command_add(command, "-Wno-register");
    cc_command_add(command, "-Wno-error=c++11-narrowing");
    cc_command_add(command, "-Wno-invalid-constexpr");
    cc_command_add(command, "-Wno-error=reserved-user-defined-literal");
    cc_command_add(command, "-Wno-missing-template-arg-list-after-template-kw");
}

void
cc_command_add_all(cc_command *command, const sw_vec *args)
{
    for (size_t i = 0; i < args->count; i++)
        cc_command_add(command, *(char **)sw_vec_at(args, i));
}

bool
cc_has_define(const cc_options *o, const char *macro)
{
    size_t n = strlen(macro);

    for (size_t i = 1; i < o->preprocess.count; i++) {
        const char *name = *(char **)sw_vec_at(&o->preprocess, i);
        if (strncmp(name, macro, n) == 0 && (!name[n] || name[n] == '='))
            return true;
    }
    return false;
}

void
cc_command_add_arch_list(cc_command *command, const cc_options *o)
{
    sw_buf list;

    sw_buf_init(&list);
    for (size_t i = 0; i < o->archs.count; i++) {
        const cc_arch *arch = sw_vec_at(&o->archs, i);
        sw_buf_printf(&list, "%s%u", i ? "," : "", arch->number * 10);
    }
    cc_command_addf(command, "-D__CUDA_ARCH_LIST__=%s", list.p);
    sw_buf_finish(&list);
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

/* All that comes out of a pipe until nobody has its other end. */
static void
read_pipe(int fd, sw_buf *out)
{
    char part[4096];

    for (ssize_t n; (n = read(fd, part, sizeof part)) != 0;) {
        if (n > 0)
            sw_buf_add(out, part, (size_t)n);
        else if (errno != EINTR)
            break;
    }
}

/* Of cc_command_run; what the program says goes to `said` if that isn't NULL.
 */
static int
run(cc_command *command, const cc_options *options, sw_buf *said)
{
    static const int stops[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    enum { STOPS = sizeof stops / sizeof stops[0] };
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old[STOPS];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t reset;
    int ends[2];
    pid_t child;
    int status = 0, error;

    *(char **)sw_vec_push(&command->argv) = NULL;
    char **argv = command->argv.data;
    if (options->verbose || options->dry_run)
        print_command(argv);
    if (options->dry_run)
        return 0;
    cc_session *session = cc_session_get();
    if (session) {
        sw_buf *usual = session->said;
        session->said = said ? said : usual;
        error = cc_spawn(argv, session);
        session->said = usual;
        return error;
    }

    if (said && pipe2(ends, O_CLOEXEC))
        return 127;
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
    posix_spawn_file_actions_init(&actions);
    if (said)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    error = posix_spawnp(&child, argv[0], &actions, &attr, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attr);
    if (said) {
        close(ends[1]);
        read_pipe(ends[0], said);
        close(ends[0]);
    }
    if (error == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    for (int i = 0; i < STOPS; i++)
        sigaction(stops[i], &old[i], NULL);

    if (error) {
        if (!said)
            cc_say("softwarp cc: error: '%s' can't be started: %s\n", argv[0],
                   strerror(error));
        return 127;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int
cc_command_run(cc_command *command, const cc_options *options)
{
    return run(command, options, NULL);
}

int
cc_command_run_quietly(cc_command *command, const cc_options *options,
                       sw_buf *said)
{
    return run(command, options, said);
}

bool
cc_read_file(const char *path, char **text, size_t *bytes)
{
    bool ok = !sw_file_read(path, text, bytes);

    if (!ok)
        cc_say("softwarp cc: error: '%s' can't be read\n", path);
    return ok;
}

bool
cc_write_file(const char *path, const char *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(data, 1, bytes, f) == bytes;

    if (f && fclose(f))
        ok = false;
    if (!ok)
        cc_say("softwarp cc: error: '%s' can't be written: %s\n", path,
               strerror(errno));
    return ok;
}
