/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - plays sequences (sequence.h), each in a process of its own, and
 * writes what every call answered, a line a sequence:
 *
 *     SEED ANSWER ANSWER ...
 *
 * An answer is the status; "/N" follows where the runtime's last error has
 * changed to N, "=X" where the call gave a value, in hexadecimal. "!N": the
 * call ended the process by signal N, and with it the sequence.
 */
#include "sequence.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CALLS = 200,          /* of a sequence */
    TABLES = 6,           /* of calls; the last is the runtime's */
    TEXT_BYTES = 1 << 14, /* of its line */
    SECONDS = 30,         /* it may take; a longer one hangs */
    MOST_JOBS = 64
};

/* Shared with the process that plays. */
typedef struct {
    size_t used;
    unsigned calls;
    const char *names[CALLS];
    size_t at[CALLS + 1]; /* where each answer begins */
    char text[TEXT_BYTES];
} record;

static struct {
    const char *file;  /* to write to, or with --compare to read from */
    const char *known; /* seeds that may differ, a line each; NULL */
    uint64_t seed, count;
    double seconds;
    unsigned jobs;
    bool compares, prints;
} options = {.count = 100, .jobs = 1};

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- one sequence ---- */

typedef struct {
    const seq_call *calls;
    unsigned count;
} table;

/* By weight from the first `tables` of them. */
static const seq_call *
choose(sequence *s, const table *tables, unsigned n)
{
    unsigned total = 0;
    for (unsigned t = 0; t < n; t++)
        for (unsigned i = 0; i < tables[t].count; i++)
            total += tables[t].calls[i].weight;
    unsigned at = seq_random(s, total);
    for (unsigned t = 0; t < n; t++)
        for (unsigned i = 0; i < tables[t].count; i++) {
            if (at < tables[t].calls[i].weight)
                return &tables[t].calls[i];
            at -= tables[t].calls[i].weight;
        }
    return &tables[0].calls[0];
}

/* As most programs begin; what is in their way is wrong as often as later. */
static const char *const beginning[] = {"cuInit",
                                        "cuDevicePrimaryCtxRetain",
                                        "cuCtxSetCurrent",
                                        "cuStreamCreate",
                                        "cuEventCreate",
                                        "cuMemAlloc",
                                        "cuModuleLoadData",
                                        "cuModuleGetFunction",
                                        "cuModuleGetFunction",
                                        "cuStreamCreate",
                                        "cuEventCreate",
                                        "cuMemAlloc",
                                        "cuArrayCreate",
                                        "cuMemHostAlloc",
                                        "cuGraphCreate"};
enum { BEGINNING = sizeof beginning / sizeof *beginning };

static const seq_call *
find(const table *tables, unsigned n, const char *name)
{
    for (unsigned t = 0; t < n; t++)
        for (unsigned i = 0; i < tables[t].count; i++)
            if (!strcmp(tables[t].calls[i].name, name))
                return &tables[t].calls[i];
    abort();
}

static void
note(record *r, const sequence *s, int status, int last, int last_before)
{
    char *to = r->text + r->used;
    size_t room = TEXT_BYTES - r->used;
    int used = snprintf(to, room, " %d", status);
    if (last != last_before)
        used += snprintf(to + used, room - (size_t)used, "/%d", last);
    if (s->has_out)
        used += snprintf(to + used, room - (size_t)used, "=%llx",
                         (unsigned long long)s->out);
    r->used += (size_t)used;
}

static void
play(uint64_t seed, record *r)
{
    static sequence s;
    static unsigned char host[SEQ_HOST_BYTES] __attribute__((aligned(4096)));
    const table tables[] = {{seq_driver_calls, seq_driver_count},
                            {seq_memory_calls, seq_memory_count},
                            {seq_work_calls, seq_work_count},
                            {seq_further_calls, seq_further_count},
                            {seq_graphs_calls, seq_graphs_count},
                            {seq_runtime_calls, seq_runtime_count}};
    s.random = seed * UINT64_C(0x9e3779b97f4a7c15);
    s.host = host;
    seq_random(&s, 2);
    unsigned n = seq_chance(&s, 50) ? TABLES : TABLES - 1; /* no runtime */
    bool begins = seq_chance(&s, 85);
    int last_before = 0;
    for (unsigned i = 0; i < CALLS; i++) {
        const seq_call *c = begins && i < BEGINNING
                                ? find(tables, n, beginning[i])
                                : choose(&s, tables, n);
        r->names[i] = c->name;
        r->at[i] = r->used;
        r->calls = i + 1;
        s.has_out = false;
        int status = c->call(&s);
        int last = n == TABLES ? (int)cudaPeekAtLastError() : 0;
        note(r, &s, status, last, last_before);
        last_before = last;
    }
    r->at[r->calls] = r->used;
}

/* In a process of its own, which may crash or hang. */
static void
run(uint64_t seed, record *r)
{
    memset(r, 0, sizeof *r);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        play(seed, r);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        r->used +=
            (size_t)snprintf(r->text + r->used, 16, " !%d", WTERMSIG(status));
        r->at[r->calls] = r->used;
    }
}

static record *
new_record(void)
{
    void *p = mmap(NULL, sizeof(record), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        abort();
    return p;
}

static void
print(const record *r)
{
    for (unsigned i = 0; i < r->calls; i++)
        printf("%4u %-44s%.*s\n", i, r->names[i],
               (int)(r->at[i + 1] - r->at[i]), r->text + r->at[i]);
}

/* ---- recording ---- */

static int
write_part(unsigned job, double end)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.%u", options.file, job);
    FILE *file = fopen(name, "w");
    if (!file)
        return 1;
    record *r = new_record();
    for (uint64_t i = job; i < options.count && now() < end;
         i += options.jobs) {
        run(options.seed + i, r);
        fprintf(file, "%llu%s\n", (unsigned long long)(options.seed + i),
                r->text);
    }
    return fclose(file) != 0;
}

static int
write_all(void)
{
    double end = options.seconds > 0 ? now() + options.seconds : 1e300;
    int bad = 0, status;
    for (unsigned job = 0; job < options.jobs; job++)
        if (fork() == 0)
            _exit(write_part(job, end));
    while (wait(&status) > 0)
        bad |= status;
    return bad != 0;
}

/* ---- comparing ---- */

typedef struct {
    unsigned passed, failed, known;
} counts;

/* It may differ from that call on: the file has a line "SEED call N ...". */
static bool
is_known(uint64_t seed, unsigned call)
{
    char line[256];
    bool found = false;
    FILE *file = options.known ? fopen(options.known, "r") : NULL;
    while (file && !found && fgets(line, sizeof line, file)) {
        unsigned long long known_seed;
        unsigned known_call;
        found = sscanf(line, "%llu call %u", &known_seed, &known_call) == 2 &&
                known_seed == seed && known_call <= call;
    }
    if (file)
        fclose(file);
    return found;
}

/* The next word of a line, without the space before it. */
static const char *
next_answer(const char **line, size_t *bytes)
{
    const char *word = *line + strspn(*line, " \n");
    *bytes = strcspn(word, " \n");
    *line = word + *bytes;
    return word;
}

/* Says where the two part first. What ended the recorded process ends the
 * comparison: nobody has to crash as it did. */
static void
compare_one(uint64_t seed, const char *line, record *r, counts *n)
{
    run(seed, r);
    const char *ours = r->text;
    for (unsigned i = 0; i <= r->calls; i++) {
        size_t a_bytes, b_bytes;
        const char *a = next_answer(&line, &a_bytes);
        const char *b = next_answer(&ours, &b_bytes);
        if (!a_bytes || *a == '!') {
            if (*b != '!' || (a_bytes && *a == '!'))
                break;
        }
        if (a_bytes == b_bytes && !memcmp(a, b, a_bytes))
            continue;
        unsigned at = i < r->calls ? i : r->calls - 1;
        printf("seed %llu call %u %s: recorded %.*s, here %.*s\n",
               (unsigned long long)seed, at, r->names[at], (int)a_bytes, a,
               (int)b_bytes, b);
        if (is_known(seed, at))
            n->known++;
        else
            n->failed++;
        return;
    }
    n->passed++;
}

static int
compare_all(void)
{
    FILE *file = fopen(options.file, "r");
    if (!file) {
        fprintf(stderr, "cannot read %s\n", options.file);
        return 1;
    }
    counts n = {0};
    record *r = new_record();
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0 &&
           n.passed + n.failed + n.known < options.count) {
        char *rest;
        uint64_t seed = strtoull(line, &rest, 10);
        if (rest != line && seed >= options.seed)
            compare_one(seed, rest, r, &n);
    }
    free(line);
    fclose(file);
    printf("%u differ as known\n", n.known);
    printf("golden/sequences: %u passed, %u failed\n", n.passed, n.failed);
    return n.failed || !n.passed;
}

static int
usage(void)
{
    fputs("sequences --write FILE [--seed N] [--count N] [--seconds S] [--jobs "
          "N]\n"
          "sequences --compare FILE [--known FILE] [--seed FROM] [--count N]\n"
          "sequences --print --seed N\n",
          stderr);
    return 2;
}

int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        bool has_value = true;
        if (!strcmp(argv[i], "--write"))
            options.file = value;
        else if (!strcmp(argv[i], "--compare"))
            options.compares = (options.file = value) != NULL;
        else if (!strcmp(argv[i], "--known"))
            options.known = value;
        else if (!strcmp(argv[i], "--seed"))
            options.seed = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i], "--count"))
            options.count = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i], "--seconds"))
            options.seconds = strtod(value, NULL);
        else if (!strcmp(argv[i], "--jobs"))
            options.jobs = (unsigned)strtoul(value, NULL, 10);
        else if (!strcmp(argv[i], "--print"))
            options.prints = true, has_value = false;
        else
            return usage();
        i += has_value;
    }
    if (options.prints) {
        record *r = new_record();
        run(options.seed, r);
        print(r);
        return 0;
    }
    if (!options.file || !options.jobs || options.jobs > MOST_JOBS)
        return usage();
    return options.compares ? compare_all() : write_all();
}
