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
#include <sys/socket.h>
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
    int input, said;
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
        dup2(p->input, STDIN_FILENO);
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

static void
close_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* False after a message. `input` is closed here either way. */
static bool
start(cc_child *c, char *const *argv, int input)
{
    /* Nothing of the user's: what is found is ours or the system's. */
    static char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C",
                                NULL};
    plan p = {.argv = argv, .env = env, .parent = getpid()};
    sigset_t all, old;

    p.input = move_up(input);
    p.said = move_up(memfd_create("softwarp-cc", MFD_CLOEXEC));
    if (p.said < 0 || p.input < 0) {
        cc_fail(SW_E_OPERATING_SYSTEM, "softwarp cc: error: %s\n",
                strerror(errno));
        close_open(p.input);
        close_open(p.said);
        return false;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old); /* no handler runs in the child */
    pid_t child = vfork();
    if (child == 0)
        become(&p);
    if (child < 0)
        p.error = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    close(p.input);
    if (p.error) {
        if (child > 0)
            waitpid(child, NULL, 0);
        close(p.said);
        cc_fail(SW_E_JIT_COMPILER_NOT_FOUND,
                "softwarp cc: error: '%s' can't be started: %s\n", argv[0],
                strerror(p.error));
        return false;
    }
    c->pid = child;
    c->said = p.said;
    return true;
}

/* Its exit status, after what it has said. */
static int
end(cc_child *c, cc_session *session)
{
    int rc = wait_for(c->pid, session);
    bool has_error = take_said(c->said, session->said);
    close(c->said);
    return rc < 0 ? has_error : rc;
}

int
cc_spawn(char *const *argv, cc_session *session)
{
    cc_child c;
    if (!start(&c, argv, open("/dev/null", O_RDONLY | O_CLOEXEC)))
        return NOT_STARTED;
    return end(&c, session);
}

bool
cc_spawn_early(cc_child *c, char *const *argv)
{
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        cc_fail(SW_E_OPERATING_SYSTEM, "softwarp cc: error: %s\n",
                strerror(errno));
        return false;
    }
    c->input = ends[0];
    if (start(c, argv, ends[1]))
        return true;
    close(c->input);
    return false;
}

/* One that has ended reads no more; it says why. */
int
cc_spawn_end(cc_child *c, cc_session *session, sw_str text)
{
    for (ssize_t n; text.n; text = (sw_str){text.p + n, text.n - (size_t)n})
        while ((n = send(c->input, text.p, text.n, MSG_NOSIGNAL)) <= 0)
            if (n == 0 || errno != EINTR)
                goto out;
out:
    shutdown(c->input, SHUT_RDWR);
    close(c->input);
    return end(c, session);
}

void
cc_spawn_cancel(cc_child *c)
{
    close(c->input);
    kill(c->pid, SIGKILL);
    while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(c->said);
}
