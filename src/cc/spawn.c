/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.c - compilers as children of a program with many threads; session.h.
 *
 * The child shares our memory until it executes the compiler (vfork), so no
 * lock of another thread matters, and it calls nothing but the system. What it
 * says goes to a file in memory: nobody has to read along, and a descriptor
 * that another child of the program has inherited keeps nobody waiting.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cc/session.h"

enum { NOT_STARTED = 127, FIRST_OTHER = 3, MANY = 1 << 16 };

static const char timeout_text[] =
    "softwarp cc: error: the compiler was stopped: it took too long\n";

/* What the child needs; all of it is there before it begins. */
typedef struct {
    char *const *argv, *const *env;
    int null, said;
    pid_t parent;
    int error; /* why it can't be started */
} plan;

/* In the child. */
_Noreturn static void
become(plan *p)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == p->parent) {
        for (int n = 1; n < NSIG; n++)
            sigaction(n, &plain, NULL);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        dup2(p->null, STDIN_FILENO);
        dup2(p->said, STDOUT_FILENO);
        dup2(p->said, STDERR_FILENO);
        if (syscall(SYS_close_range, FIRST_OTHER, ~0u, 0))
            for (int fd = FIRST_OTHER; fd < MANY; fd++)
                close(fd);
        execve(p->argv[0], p->argv, p->env);
        p->error = errno;
    }
    _exit(NOT_STARTED);
}

/* A descriptor that is none of the three that the child gets. */
static int
move_up(int fd)
{
    int up = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FIRST_OTHER);
    if (fd >= 0)
        close(fd);
    return up;
}

/* Its exit status; -1: another thread of the program has waited for it. */
static int
wait_for(pid_t child, cc_session *session)
{
    static const struct timespec pause = {0, 1000000};
    bool is_killed = false;
    int status = 0;
    for (;;) {
        pid_t got = waitpid(child, &status,
                            session->deadline_ns && !is_killed ? WNOHANG : 0);
        if (got == child)
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                       : WEXITSTATUS(status);
        if (got < 0 && errno != EINTR)
            return -1;
        if (got < 0)
            continue;
        if (sw_time_ns() > session->deadline_ns) {
            kill(child, SIGKILL);
            is_killed = true;
            sw_buf_puts(session->said, timeout_text);
            session->status = SW_E_TIMEOUT;
            continue;
        }
        nanosleep(&pause, NULL);
    }
}

/* What it has said; whether one of it is an error. */
static bool
take_said(int fd, sw_buf *said)
{
    size_t before = said->n;
    char part[4096];
    ssize_t n;
    for (off_t at = 0; (n = pread(fd, part, sizeof part, at)) > 0; at += n)
        sw_buf_add(said, part, (size_t)n);
    return said->n > before &&
           memmem(said->p + before, said->n - before, "error: ", 7);
}

int
cc_spawn(char *const *argv, cc_session *session)
{
    /* Nothing of the user's: what is found is ours or the system's. */
    static char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C",
                                NULL};
    plan p = {.argv = argv, .env = env, .parent = getpid(), .null = -1};
    sigset_t all, old;
    int rc = NOT_STARTED;

    p.said = move_up(memfd_create("softwarp-cc", MFD_CLOEXEC));
    p.null = move_up(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (p.said < 0 || p.null < 0) {
        cc_fail(SW_E_OPERATING_SYSTEM, "softwarp cc: error: %s\n",
                strerror(errno));
        goto out;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old); /* no handler runs in the child */
    pid_t child = vfork();
    if (child == 0)
        become(&p);
    if (child < 0)
        p.error = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (child > 0)
        rc = wait_for(child, session);
    bool has_error = take_said(p.said, session->said);
    if (rc < 0)
        rc = has_error;
    if (p.error) {
        cc_fail(SW_E_JIT_COMPILER_NOT_FOUND,
                "softwarp cc: error: '%s' can't be started: %s\n", argv[0],
                strerror(p.error));
        rc = NOT_STARTED;
    }
out:
    if (p.null >= 0)
        close(p.null);
    if (p.said >= 0)
        close(p.said);
    return rc;
}
