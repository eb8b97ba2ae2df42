/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bad.h - calls with wrong arguments, from a table, each held against a code.
 *
 * Include after check.h and after the functions BAD_RUN and the table bad_rows.
 * A call that crashes is a case that fails; the rest goes on. With BAD_PRINT=1
 * in the environment all results are printed, in the form of the table, for a
 * look at what a real device says; BAD_ODD=0 leaves the odd ones out.
 */
#ifndef SW_BAD_H
#define SW_BAD_H
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

typedef struct {
    const char *code, *call;
    int want;
    bool odd;
} bad_row;

static sigjmp_buf bad_back;

static void
bad_crash(int number)
{
    siglongjmp(bad_back, number);
}

/* name_of: the name of a result. */
static void
bad_run(const bad_row *rows, int count, int (*run)(int),
        const char *(*name_of)(int))
{
    bool print = getenv("BAD_PRINT") != NULL;
    const char *odd = getenv("BAD_ODD");
    const struct sigaction crash = {.sa_handler = bad_crash};
    struct sigaction old[2];
    sigaction(SIGSEGV, &crash, &old[0]);
    sigaction(SIGBUS, &crash, &old[1]);
    for (int volatile i = 0; i < count; i++) {
        if (rows[i].odd && odd && *odd == '0')
            continue;
        int number = sigsetjmp(bad_back, 1);
        int got = number ? -1 : run(i);
        const char *text = number ? "CRASH" : name_of(got);
        if (print) {
            printf("%s %s | %s\n", rows[i].call, rows[i].code, text);
            fflush(stdout);
        }
        if (!check_result(got == rows[i].want, __FILE__, __LINE__))
            printf("%s is %s, not %s\n", rows[i].call, text, rows[i].code);
    }
    sigaction(SIGSEGV, &old[0], NULL);
    sigaction(SIGBUS, &old[1], NULL);
}

#endif
