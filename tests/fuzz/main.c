/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - see fuzz.h: plays cases in processes of their own, sees how these
 * end, and says which cases have failed:
 *
 *     fuzzer KIND [--seed N] [--seconds S] [--count N] [--corpus FOLDER]
 *     fuzzer KIND --print --seed N
 */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum {
    HANG_SECONDS = 60, /* without a step */
    LEFT = 77,         /* exit status: not a failure, but no more cases */
    FAILED = 78,
    DONE = 79,         /* not 0: nobody but us ends the process */
    MOST_FAILURES = 20 /* enough for one run */
};

static struct {
    const fuzz_kind *kind;
    const char *corpus;
    uint64_t seed, count;
    double seconds;
    bool prints;
} options = {
    .seed = 1, .count = UINT64_MAX, .seconds = 20, .corpus = "tests/ptx"};

static const fuzz_kind *const kinds[] = {&fuzz_mutants, &fuzz_calls,
                                         &fuzz_kernels};
enum { KINDS = sizeof kinds / sizeof *kinds };

static fuzz_record *record;

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- for the cases ---- */

/* SplitMix64. */
uint64_t
fuzz_random(fuzz *f, uint64_t n)
{
    uint64_t x = f->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (x ^ (x >> 31)) % n;
}

void
fuzz_note(fuzz *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->record->note, sizeof f->record->note, fmt, args);
    va_end(args);
    if (f->prints) {
        printf("%s\n", f->record->note);
        fflush(stdout);
    }
}

void
fuzz_fail(const char *fmt, ...)
{
    size_t used = strlen(record->note);
    va_list args;
    va_start(args, fmt);
    used +=
        (size_t)snprintf(record->note + used, sizeof record->note - used, ": ");
    if (used < sizeof record->note)
        vsnprintf(record->note + used, sizeof record->note - used, fmt, args);
    va_end(args);
    _exit(FAILED);
}

void
fuzz_leave(void)
{
    _exit(LEFT);
}

/* ---- one process ---- */

static void
silence(void)
{
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0)
        return;
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    close(nowhere);
}

_Noreturn static void
play(uint64_t seed, unsigned cases)
{
    fuzz f = {
        .record = record, .corpus = options.corpus, .prints = options.prints};
    setenv("SOFTWARP_LOG", "error", 0);
    setenv("SOFTWARP_CACHE", "0", 1);
    setenv("SOFTWARP_SPIN_SECONDS", "1", 0);
    if (!options.prints)
        silence();
    fuzz_host_create();
    if (options.kind->begin)
        options.kind->begin(&f);
    for (unsigned i = 0; i < cases; i++) {
        f.random = (seed + i) * UINT64_C(0xd1342543de82ef95);
        record->seed = seed + i;
        record->steps++;
        options.kind->play(&f);
        fuzz_host_check();
    }
    _exit(DONE);
}

/* Processor time of all processes that have been played. */
static double
processor_seconds(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used))
        return 0;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

/* How the process ended, or -1: it was killed, for it hung. */
static int
wait_for(pid_t child)
{
    uint64_t steps = record->steps;
    double since = now();
    for (;;) {
        int status;
        const struct timespec pause = {0, 5 * 1000 * 1000};
        if (waitpid(child, &status, WNOHANG) == child)
            return status;
        nanosleep(&pause, NULL);
        if (record->steps != steps) {
            steps = record->steps;
            since = now();
        } else if (now() - since > (double)HANG_SECONDS) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
    }
}

/* Whether the case that it played last went well. */
static bool
ended_well(int status)
{
    if (status == -1)
        printf("seed %llu hangs: %s\n", (unsigned long long)record->seed,
               record->note);
    else if (WIFSIGNALED(status))
        printf("seed %llu ends by signal %d: %s\n",
               (unsigned long long)record->seed, WTERMSIG(status),
               record->note);
    else if (WEXITSTATUS(status) != DONE && WEXITSTATUS(status) != LEFT)
        printf("seed %llu %s: %s\n", (unsigned long long)record->seed,
               WEXITSTATUS(status) == FAILED ? "fails" : "exits", record->note);
    else
        return true;
    fflush(stdout);
    return false;
}

static int
play_all(void)
{
    double end = now() + options.seconds;
    uint64_t done = 0, failed = 0;
    while (done < options.count && now() < end && failed < MOST_FAILURES) {
        uint64_t left = options.count - done, from = options.seed + done;
        unsigned n =
            left < options.kind->cases ? (unsigned)left : options.kind->cases;
        fflush(NULL);
        record->seed = from;
        pid_t child = fork();
        if (child < 0)
            return 1;
        if (child == 0)
            play(from, n);
        failed += !ended_well(wait_for(child));
        done = record->seed - options.seed + 1;
    }
    printf("%llu calls, %llu of them refused; %llu launches, %llu faults; "
           "%.0f s of processor time\n",
           (unsigned long long)record->calls,
           (unsigned long long)record->refused,
           (unsigned long long)record->launches,
           (unsigned long long)record->faults, processor_seconds());
    printf("fuzz/%s: %llu passed, %llu failed\n", options.kind->name,
           (unsigned long long)(done - failed), (unsigned long long)failed);
    return failed || !done;
}

/* ---- the command line ---- */

static int
usage(void)
{
    fputs("fuzzer KIND [--seed N] [--seconds S] [--count N] [--corpus FOLDER]\n"
          "fuzzer KIND --print --seed N\n"
          "KIND: mutants, calls or kernels\n",
          stderr);
    return 2;
}

static bool
read_options(int argc, char **argv)
{
    for (int i = 0; argc > 1 && i < KINDS; i++)
        if (!strcmp(argv[1], kinds[i]->name))
            options.kind = kinds[i];
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--print")) {
            options.prints = true;
            continue;
        }
        if (i + 1 == argc)
            return false;
        const char *value = argv[++i];
        if (!strcmp(argv[i - 1], "--seed"))
            options.seed = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--count"))
            options.count = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--seconds"))
            options.seconds = strtod(value, NULL);
        else if (!strcmp(argv[i - 1], "--corpus"))
            options.corpus = value;
        else
            return false;
    }
    return options.kind != NULL;
}

int
main(int argc, char **argv)
{
    if (!read_options(argc, argv))
        return usage();
    void *p = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 1;
    record = p;
    if (options.prints)
        play(options.seed, 1); /* here, so that a debugger sees it */
    return play_all();
}
