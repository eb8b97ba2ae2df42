/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bad.h - calls with wrong or unusual arguments, from a table, each held
 * against a code or, where the row says so, a number.
 *
 * Include after check.h. A call that crashes is a case that fails; the rest
 * goes on. For a look at what a real device says: BAD_PRINT=1 in the
 * environment prints all results, a line each, `number | call | expected |
 * result`; BAD_RECORD=1 does so in a process that is begun again after the row
 * that crashed it, hung, or broke its context. BAD_ODD=0 leaves the odd rows
 * out.
 */
#ifndef SW_BAD_H
#define SW_BAD_H
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum { BAD_CODE, BAD_ODD_CODE, BAD_NUMBER } bad_kind;

typedef struct {
    const char *code, *call;
    long long want;
    bad_kind kind;
} bad_row;

static sigjmp_buf bad_back;

static void
bad_crash(int number)
{
    siglongjmp(bad_back, number);
}

static const char *
bad_text(const bad_row *row, long long got, const char *(*name_of)(int))
{
    static char number[32];
    if (row->kind != BAD_NUMBER)
        return name_of((int)got);
    snprintf(number, sizeof number, "%lld", got);
    return number;
}

/*
 * The rows from *at on in this process; *at is the row that runs. Ends before
 * the last one if the result says that the context is broken for good.
 */
static void
bad_print(const bad_row *rows, int count, int volatile *at,
          long long (*run)(int), const char *(*name_of)(int))
{
    const char *odd = getenv("BAD_ODD");
    for (; *at < count; ++*at) {
        const bad_row *row = &rows[*at];
        if (row->kind == BAD_ODD_CODE && odd && *odd == '0')
            continue;
        alarm(10);
        long long got = run(*at);
        printf("%d | %s | %s | %s\n", *at, row->call, row->code,
               bad_text(row, got, name_of));
        fflush(stdout);
        if (row->kind != BAD_NUMBER &&
            (got == 700 || got == 702 || (got >= 713 && got <= 719))) {
            ++*at;
            return;
        }
    }
}

/*
 * make() makes what the rows use. True if BAD_RECORD is set, and all is done:
 * to be asked before anything else.
 */
static inline bool
bad_recorded(const bad_row *rows, int count, void (*make)(void),
             long long (*run)(int), const char *(*name_of)(int))
{
    if (!getenv("BAD_RECORD"))
        return false;
    int volatile *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (at != MAP_FAILED && *at < count) {
        int before = *at, status = 0;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            make();
            bad_print(rows, count, at, run, name_of);
            fflush(stdout);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) < 0)
            break;
        if (WIFSIGNALED(status)) {
            printf("%d | %s | %s | CRASH %d\n", *at, rows[*at].call,
                   rows[*at].code, WTERMSIG(status));
            ++*at;
        } else if (*at == before) {
            break;
        }
    }
    return check_result(true, __FILE__, __LINE__);
}

/* name_of: the name of a code. */
static inline void
bad_run(const bad_row *rows, int count, long long (*run)(int),
        const char *(*name_of)(int))
{
    bool print = getenv("BAD_PRINT") != NULL;
    const char *odd = getenv("BAD_ODD");
    const struct sigaction crash = {.sa_handler = bad_crash};
    struct sigaction old[2];
    sigaction(SIGSEGV, &crash, &old[0]);
    sigaction(SIGBUS, &crash, &old[1]);
    for (int volatile i = 0; i < count; i++) {
        const bad_row *row = &rows[i];
        if (row->kind == BAD_ODD_CODE && odd && *odd == '0')
            continue;
        int number = sigsetjmp(bad_back, 1);
        long long got = number ? -1 : run(i);
        const char *text = number ? "CRASH" : bad_text(row, got, name_of);
        if (print)
            printf("%d | %s | %s | %s\n", i, row->call, row->code, text);
        if (!check_result(!number && got == row->want, __FILE__, __LINE__))
            printf("row %d: %s is %s, not %s\n", i, row->call, text, row->code);
    }
    sigaction(SIGSEGV, &old[0], NULL);
    sigaction(SIGBUS, &old[1], NULL);
}

#endif
