/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_test.c - random kernels on the interpreter and on the compiler: both
 * must leave the same memory behind, every bit, or the same fault.
 *
 *     random_test [--seed N] [--count N] [--seconds N] [--cpu NAME] [--fused]
 *                 [--device] [--flushing] [--counts] [--numerics NAME]
 *                 [--print]
 *     random_test [--numerics NAME] --file FILE...
 *
 * Kernels run in processes of their own, which may crash or hang. One that
 * differs is made as small as it still differs and printed; what is left of
 * memory that differs follows.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "generate.h"
#include "interp/tune.h"
#include "jit/jit.h"
#include "jit/tier/variant.h"
#include "jit/tune.h"
#include "kernel.h"
#include "opt/numerics.h"
#include "opt/operand_order.h"
#include "opt/tune.h"
#include "same_counts.h"

typedef enum {
    SAME,
    DIFFERS,
    OTHER_FAULT,
    OTHER_COUNTS,
    INVALID,     /* the front end refuses it */
    INTERPRETED, /* it was not compiled */
    CRASHES,
    HANGS
} verdict;

static const char *const verdict_names[] = {
    "same",       "different memory", "another fault", "other counts",
    "is refused", "is not compiled",  "crashes",       "hangs"};

/* Seen by the parent and the process that runs kernels. */
typedef struct {
    atomic_uint done, faults, fused; /* fused: were run by two warps at once */
    atomic_uint packs;               /* blocks ran several as one */
    atomic_uint flushing;            /* the processor flushed */
    atomic_uint calls;               /* compiled functions were called */
    atomic_uint comings;             /* warps came from the interpreter */
    atomic_uint verdict;             /* of the last, if it ended */
    atomic_ulong started_ns;         /* of its process's time */
} shared_state;

static shared_state *state;
static random_kind kind;  /* of all kernels */
static bool counts;       /* both launches are counted, and counts compared */
static unsigned numerics; /* rules of the device, SW_NUM_ */

/* A kernel hangs that runs for so long, or sleeps as long as that. */
enum { BATCH = 100, HANG_SECONDS = 60, SLEEP_SECONDS = 300 };

/* ---- one kernel, in a process that may crash ---- */

typedef struct {
    uint64_t in, own; /* own: all that is written */
    uint8_t *before, *expected;
    size_t bytes; /* of what is written */
} memory;

static memory
make_memory(uint64_t seed)
{
    memory m = {.bytes = RANDOM_THREADS * RANDOM_OWN_BYTES +
                         RANDOM_THREADS * RANDOM_DUMP_BYTES * RANDOM_DUMPS +
                         RANDOM_CELLS * 8};
    uint64_t page;
    if (sw_mem_alloc(SW_MEM_DEVICE, 0, SW_MEM_PAGE, SW_MEM_PAGE, NULL, &page) !=
            SW_OK ||
        sw_mem_alloc(SW_MEM_DEVICE, 0, m.bytes, 512, NULL, &m.own) != SW_OK)
        _exit(2);
    m.in = page + SW_MEM_PAGE - RANDOM_IN_BYTES; /* behind it is nothing */
    m.before = sw_alloc(m.bytes);
    m.expected = sw_alloc(m.bytes);
    random_fill(seed, (void *)(uintptr_t)m.in, m.before, m.bytes);
    return m;
}

static bool
load(kernel *k, const char *text, const sw_backend *backend, bool prints)
{
    sw_diag diag;
    sw_buf said;
    sw_diag_init(&diag);
    sw_buf_init(&said);
    *k = (kernel){0};
    k->module = sw_ptx_parse("random.ptx", text, strlen(text), &diag);
    const sw_sym *sym = k->module &&
                                sw_ir_link(&k->module, 1, &diag) == SW_OK &&
                                sw_ir_verify(k->module, &diag) == SW_OK
                            ? sw_module_find(k->module, "k")
                            : NULL;
    for (uint32_t i = 0; k->module && i < k->module->sym_count; i++)
        if (k->module->syms[i]->fn)
            k->module->syms[i]->address =
                (uint64_t)(uintptr_t)k->module->syms[i];
    if (sym) {
        sw_diag demoted; /* says nothing of interest */
        sw_diag_init(&demoted);
        sw_opt_order_operands(k->module);
        sw_opt_apply_numerics(k->module, numerics, &demoted);
        sw_diag_finish(&demoted);
    }
    /* What could be observed is interpreted as it is: without calls spelled out
     * and other passes, which are tested so as well. */
    bool is_as_it_is = counts || backend == &sw_backend_interp;
    bool ok = sym && sw_program_create(backend, sym->fn,
                                       is_as_it_is ? SW_COUNTERS_EVENTS : 0,
                                       &diag, &k->program) == SW_OK;
    sw_diag_print(&diag, &said);
    ok = ok && said.n == 0; /* not a warning either */
    if (said.n && prints)
        printf("%s", said.p);
    sw_buf_finish(&said);
    sw_diag_finish(&diag);
    return ok;
}

/* Of a device of some era. */
static sw_counters *
make_counters(const kernel *k, const random_kernel *r)
{
    static const char *const devices[] = {
        "GeForce 8800 GTX", "GeForce GTX 280",  "GeForce GTX 480",
        "GeForce GTX 680",  "GeForce GTX 1080", "H200 SXM 141 GB"};
    sw_count_launch about = {
        .kernel = "k",
        .device = sw_device_find(
            devices[r->seed % (sizeof devices / sizeof *devices)]),
        .ins_count = sw_program_get_info(k->program)->ins_count,
        .wide_banks = r->seed / 8 % 2};
    memcpy(about.grid, r->grid, sizeof about.grid);
    memcpy(about.block, r->block, sizeof about.block);
    SW_ASSERT(about.device);
    return sw_counters_create(&about);
}

/* *counted, if counts are wanted: owned by caller. */
static sw_status
launch(const kernel *k, const random_kernel *r, const memory *m,
       sw_counters **counted)
{
    kernel_run run;
    struct {
        uint64_t in, own, dump, cells;
        uint32_t numbers[RANDOM_NUMBERS];
    } params = {m->in,
                m->own,
                m->own + RANDOM_THREADS * RANDOM_OWN_BYTES,
                m->own + m->bytes - RANDOM_CELLS * 8,
                {r->numbers[0], r->numbers[1], r->numbers[2], r->numbers[3]}};
    sw_launch l = kernel_launch(k, 1, 1, NULL);
    memcpy(l.grid, r->grid, sizeof l.grid);
    memcpy(l.block, r->block, sizeof l.block);
    l.params = &params;
    *counted = counts ? make_counters(k, r) : NULL;
    if (counts)
        l.observer = sw_counters_observer(*counted);
    memcpy((void *)(uintptr_t)m->own, m->before, m->bytes);
    run = (kernel_run){.wake = PTHREAD_COND_INITIALIZER};
    sw_status status = kernel_start(&run, &l);
    if (status != SW_OK)
        return status;
    kernel_wait(&run);
    if (counts)
        sw_counters_finish(*counted);
    return run.fault.status;
}

static void
print_difference(const memory *m)
{
    const uint8_t *got = (const uint8_t *)(uintptr_t)m->own;
    size_t dump = RANDOM_THREADS * RANDOM_OWN_BYTES, shown = 0;
    for (size_t i = 0; i < m->bytes && shown < 12; i += 4) {
        uint32_t a, b;
        memcpy(&a, got + i, 4);
        memcpy(&b, m->expected + i, 4);
        if (a == b)
            continue;
        shown++;
        printf("%s+%zu: 0x%08x, not 0x%08x\n", i < dump ? "own" : "dump",
               i < dump ? i : i - dump, a, b);
    }
}

/* What ran. */
static const sw_variant *
find_native(sw_program *program, const random_kernel *r)
{
    const sw_program *coarsened = atomic_load(&program->coarsened);
    if (!coarsened)
        return sw_variant_find(program, r->block, false);
    uint32_t block[3] = {r->block[0] * coarsened->coarsening.blocks,
                         r->block[1], r->block[2]};
    atomic_fetch_add(&state->packs, 1);
    return sw_variant_find(coarsened, block, false);
}

/* It has compiled functions to call. */
static bool
calls_some(const sw_variant *variant)
{
    for (uint32_t i = 0; i < variant->called_count; i++)
        if (variant->called[i])
            return true;
    return false;
}

static verdict
compare(const random_kernel *r, const char *text, bool prints)
{
    memory m = make_memory(r->seed);
    kernel a = {0}, b = {0};
    verdict v = INVALID;
    if (load(&a, text, &sw_backend_interp, prints) &&
        load(&b, text, &sw_backend_jit, false)) {
        sw_counters *counted[2];
        sw_status expected = launch(&a, r, &m, &counted[0]);
        memcpy(m.expected, (void *)(uintptr_t)m.own, m.bytes);
        sw_status got = launch(&b, r, &m, &counted[1]);
        const sw_variant *variant = find_native(b.program, r);
        bool is_compiled = sw_variant_uses_osr() == SW_VARIANT_OSR_ONLY ||
                           atomic_load(&variant->state) == SW_VARIANT_READY;
        if (is_compiled && variant->fused > 1)
            atomic_fetch_add(&state->fused, 1);
        if (is_compiled && variant->flushes)
            atomic_fetch_add(&state->flushing, 1);
        const sw_variant *osr = sw_variant_find_osr(variant);
        if (osr && atomic_load(&osr->comings))
            atomic_fetch_add(&state->comings, 1);
        if (is_compiled && calls_some(variant))
            atomic_fetch_add(&state->calls, 1);
        bool same = memcmp(m.expected, (void *)(uintptr_t)m.own, m.bytes) == 0;
        v = !is_compiled        ? INTERPRETED
            : got != expected   ? OTHER_FAULT
            : expected != SW_OK ? SAME
            : memcmp(m.expected, (void *)(uintptr_t)m.own, m.bytes) == 0
                ? SAME
                : DIFFERS;
        if (counts && v == SAME && expected == SW_OK &&
            !are_same_counts(counted[0], counted[1], prints))
            v = OTHER_COUNTS;
        sw_counters_destroy(counted[0]);
        sw_counters_destroy(counted[1]);
        if (expected != SW_OK)
            atomic_fetch_add(&state->faults, 1);
        if (prints && got != expected)
            printf("%s, not %s\n", sw_status_name(got),
                   sw_status_name(expected));
        if (prints && v == DIFFERS && !same)
            print_difference(&m);
    }
    kernel_destroy(&a);
    kernel_destroy(&b);
    sw_mem_free(m.own);
    sw_mem_free(m.in + RANDOM_IN_BYTES - SW_MEM_PAGE);
    sw_free(m.before);
    sw_free(m.expected);
    return v;
}

/* ---- processes ---- */

static const uint64_t SECOND_NS = 1000000000;

/* Processor time that a process has had; 0 when it has ended. */
static uint64_t
process_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
        return 0;
    return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

/* A kernel starts, when its process has had so much time. */
static void
note_start(uint64_t ns)
{
    atomic_store(&state->verdict, CRASHES);
    atomic_store(&state->started_ns, ns);
}

/* Waits for the process, or ends it if a kernel takes too long. On a machine
 * that is busy with other things no clock on the wall tells. */
static bool
wait_for(pid_t pid)
{
    uint64_t seen = 0, seen_ns = sw_time_ns();
    for (;;) {
        int status;
        if (waitpid(pid, &status, WNOHANG) == pid)
            return true;
        struct timespec pause = {.tv_nsec = 2000000};
        nanosleep(&pause, NULL);
        /* In this order: the process may begin another kernel meanwhile. */
        uint64_t from = atomic_load(&state->started_ns), now = process_ns(pid);
        if (from != seen)
            seen_ns = sw_time_ns();
        seen = from;
        if ((now > from && now - from > HANG_SECONDS * SECOND_NS) ||
            sw_time_ns() - seen_ns > SLEEP_SECONDS * SECOND_NS) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return false;
        }
    }
}

static verdict
run_one(const random_kernel *r, bool prints)
{
    sw_buf text;
    sw_buf_init(&text);
    random_kernel_print(r, &text);
    note_start(0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        atomic_store(&state->verdict, CRASHES);
        verdict v = compare(r, text.p, prints);
        fflush(stdout);
        atomic_store(&state->verdict, v);
        _exit(0);
    }
    bool ended = wait_for(pid);
    sw_buf_finish(&text);
    return ended ? (verdict)atomic_load(&state->verdict) : HANGS;
}

/* Kernels from `seed` on, until one is not the same. How many were; `v` is
 * what came then. */
static uint64_t
run_batch(uint64_t seed, uint64_t count, uint64_t end_ns, verdict *v)
{
    atomic_store(&state->done, 0);
    note_start(0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        for (uint64_t i = 0; i < count; i++) {
            random_kernel k;
            sw_buf text;
            sw_buf_init(&text);
            note_start(process_ns(getpid()));
            random_kernel_init(&k, seed + i, kind);
            random_kernel_print(&k, &text);
            verdict one = compare(&k, text.p, false);
            random_kernel_finish(&k);
            sw_buf_finish(&text);
            atomic_store(&state->verdict, one);
            if (one != SAME)
                _exit(1);
            atomic_fetch_add(&state->done, 1);
            if (sw_time_ns() > end_ns)
                break;
        }
        _exit(0);
    }
    *v = wait_for(pid) ? (verdict)atomic_load(&state->verdict) : HANGS;
    return atomic_load(&state->done);
}

/* A kernel as it was printed, changed by hand maybe. */
static bool
run_file(const char *path)
{
    char *text;
    size_t bytes;
    unsigned long long seed;
    random_kernel k = {0};
    uint32_t *g = k.grid, *b = k.block, *n = k.numbers;
    if (sw_file_read(path, &text, &bytes) != SW_OK ||
        sscanf(text,
               "// seed %llu grid %u,%u,%u block %u,%u,%u numbers %x %x %x %x",
               &seed, &g[0], &g[1], &g[2], &b[0], &b[1], &b[2], &n[0], &n[1],
               &n[2], &n[3]) != 11) {
        printf("%s cannot be read, or is no such kernel\n", path);
        return false;
    }
    k.seed = seed;
    verdict v = compare(&k, text, true);
    if (v != SAME)
        printf("%s: %s\n", path, verdict_names[v]);
    sw_free(text);
    return v == SAME;
}

static int
run_files(int count, char **paths)
{
    unsigned passed = 0, failed = 0;
    for (int i = 0; i < count; i++)
        *(run_file(paths[i]) ? &passed : &failed) += 1;
    printf("random/kept: %u passed, %u failed\n", passed, failed);
    return failed || !passed;
}

/* ---- making it small ---- */

/* Leaves out what is not needed for the same verdict; once through, groups
 * first. */
static bool
reduce_once(random_kernel *k, verdict want)
{
    bool changed = false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < k->line_count; i++) {
            random_line *l = &k->lines[i];
            bool may = pass ? l->text && !l->is_fixed && !l->end : l->end != 0;
            if (l->is_out && l->end)
                i = l->end - 1;
            if (l->is_out || !may)
                continue;
            l->is_out = true;
            if (run_one(k, false) != want)
                l->is_out = false;
            else
                changed = true;
        }
    }
    return changed;
}

static void
report(uint64_t seed, verdict v, bool reduces)
{
    random_kernel k;
    sw_buf text;
    random_kernel_init(&k, seed, kind);
    if (reduces && v != HANGS && v != INVALID)
        for (int i = 0; i < 3 && reduce_once(&k, v); i++)
            continue;
    sw_buf_init(&text);
    random_kernel_print(&k, &text);
    printf("---- seed %llu: %s\n%s", (unsigned long long)seed, verdict_names[v],
           text.p);
    if (v != HANGS)
        run_one(&k, true);
    printf("----\n");
    fflush(stdout);
    sw_buf_finish(&text);
    random_kernel_finish(&k);
}

/* ---- main ---- */

static void
print_kernel(uint64_t seed)
{
    random_kernel k;
    sw_buf text;
    sw_buf_init(&text);
    random_kernel_init(&k, seed, kind);
    random_kernel_print(&k, &text);
    printf("%s", text.p);
    sw_buf_finish(&text);
    random_kernel_finish(&k);
}

typedef struct {
    uint64_t seed, count, seconds, failures;
    const char *cpu, *part; /* part: how many instructions one has */
    uint64_t tuned;         /* which values tuning values get; 0: their own */
    int files;              /* where they begin in argv, or 0 */
    bool prints, reduces;
    bool makes_calls; /* of every access by lanes that lie anywhere */
    bool comes_in;    /* blocks begin interpreted and go on in compiled code */
} options;

static bool
parse_options(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--print") == 0) {
            o->prints = true;
            continue;
        }
        if (strcmp(argv[i], "--fused") == 0) {
            kind = RANDOM_FOR_FUSED;
            continue;
        }
        if (strcmp(argv[i], "--packs") == 0) {
            kind = RANDOM_FOR_PACKS;
            continue;
        }
        if (strcmp(argv[i], "--device") == 0) {
            kind = RANDOM_FOR_DEVICE;
            continue;
        }
        if (strcmp(argv[i], "--flushing") == 0) {
            kind = RANDOM_FLUSHING;
            continue;
        }
        if (strcmp(argv[i], "--calls") == 0) {
            kind = RANDOM_CALLS;
            continue;
        }
        if (strcmp(argv[i], "--far") == 0) {
            o->makes_calls = true;
            continue;
        }
        if (strcmp(argv[i], "--osr") == 0) {
            o->comes_in = true;
            continue;
        }
        if (strcmp(argv[i], "--counts") == 0) {
            counts = true;
            continue;
        }
        if (strcmp(argv[i], "--whole") == 0) {
            o->reduces = false;
            continue;
        }
        if (i + 1 == argc)
            return false;
        if (strcmp(argv[i], "--file") == 0) { /* all that follow */
            o->files = i + 1;
            return true;
        }
        const char *value = argv[i + 1];
        uint64_t n = strtoull(value, NULL, 0);
        if (strcmp(argv[i], "--seed") == 0)
            o->seed = n;
        else if (strcmp(argv[i], "--count") == 0)
            o->count = n;
        else if (strcmp(argv[i], "--seconds") == 0)
            o->seconds = n;
        else if (strcmp(argv[i], "--failures") == 0)
            o->failures = n;
        else if (strcmp(argv[i], "--cpu") == 0)
            o->cpu = value;
        else if (strcmp(argv[i], "--part") == 0)
            o->part = value;
        else if (strcmp(argv[i], "--tuned") == 0)
            o->tuned = n;
        else if (strcmp(argv[i], "--numerics") != 0 ||
                 !sw_numerics_find(value, &numerics))
            return false;
        i++;
    }
    return true;
}

/* The values by which the compiler's heuristics decide become ends of their
 * ranges, or stay, by a hash of their number: they change no result. */
static void
set_tuned(uint64_t seed)
{
    static const sw_tune_table *const tables[] = {
        &sw_opt_tune_table, &sw_interp_tune_table, &sw_jit_tune_table};
    enum { TABLES = sizeof tables / sizeof *tables };
    sw_buf text;
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; i < tables[t]->count; i++) {
            const sw_tune_row *row = &tables[t]->rows[i];
            uint32_t to[] = {row->least, row->initial, row->initial, row->most};
            uint64_t number = seed * 1000000 + t * 1000 + i;
            *row->value = to[sw_hash_bytes(&number, sizeof number, 1) % 4];
        }
    sw_buf_init(&text);
    sw_tune_print_changed(tables, TABLES, &text);
    printf("SOFTWARP_TUNE=%s\n", text.p);
    sw_buf_finish(&text);
}

static void
set_up(const options *o)
{
    if (o->tuned)
        set_tuned(o->tuned);
    setenv("SOFTWARP_ENGINE", "jit", 1);
    setenv("SOFTWARP_CACHE", "0", 1);
    setenv("SOFTWARP_JIT_LIBRARY", SW_JIT_LIBRARY, 0);
    setenv("SOFTWARP_THREADS", "2", 0);
    if (kind == RANDOM_FOR_FUSED)
        setenv("SOFTWARP_JIT_FUSE", "8", 0);
    if (o->comes_in)
        setenv("SOFTWARP_JIT_OSR", "1", 1);
    if (o->makes_calls)
        sw_jit_tune.outline_accesses = sw_jit_tune.outline_accesses_avx512 =
            sw_jit_tune.outline_functions = 0;
    if (o->part) {
        sw_jit_tune.partition_size = (uint32_t)strtoul(o->part, NULL, 10);
        sw_jit_tune.partition_whole = 0;
    }
    if (o->cpu)
        setenv("SOFTWARP_JIT_CPU", o->cpu, 1);
    state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    SW_ASSERT(state != MAP_FAILED);
}

int
main(int argc, char **argv)
{
    options o = {
        .seed = 1, .count = UINT64_MAX, .failures = 3, .reduces = true};
    if (!parse_options(argc, argv, &o)) {
        fprintf(
            stderr,
            "usage: random_test [--seed N] [--count N] "
            "[--seconds N] [--failures N] [--cpu NAME] [--fused] [--packs] "
            "[--far] "
            "[--osr] [--part N] [--device] [--flushing] [--calls] [--counts] "
            "[--numerics NAME] [--tuned N] [--whole] [--print] [--file "
            "FILE...]\n");
        return 2;
    }
    if (o.prints) {
        print_kernel(o.seed);
        return 0;
    }
    set_up(&o);
    if (o.files)
        return run_files(argc - o.files, argv + o.files);
    uint64_t passed = 0, failed = 0, seed = o.seed;
    uint64_t end_ns =
        o.seconds ? sw_time_ns() + o.seconds * 1000000000u : UINT64_MAX;
    while (seed - o.seed < o.count && sw_time_ns() < end_ns &&
           failed < o.failures) {
        uint64_t left = o.count - (seed - o.seed);
        verdict v;
        uint64_t n = run_batch(seed, left < BATCH ? left : BATCH, end_ns, &v);
        seed += n;
        passed += n;
        if (v == SAME)
            continue;
        report(seed++, v, o.reduces);
        failed++;
    }
    printf("%u kernels faulted, on both; %u ran fused, %u had coarsened "
           "blocks, %u flushed, %u called, %u came in\n",
           atomic_load(&state->faults), atomic_load(&state->fused),
           atomic_load(&state->packs), atomic_load(&state->flushing),
           atomic_load(&state->calls), atomic_load(&state->comings));
    if (o.tuned ? false /* so tuned, there may be none of a kind */
        : o.comes_in
            ? !atomic_load(&state->comings)
            : (kind == RANDOM_FOR_FUSED && !atomic_load(&state->fused)) ||
                  (kind == RANDOM_FOR_PACKS && !atomic_load(&state->packs)) ||
                  (kind == RANDOM_FLUSHING && !atomic_load(&state->flushing)) ||
                  (kind == RANDOM_CALLS && !atomic_load(&state->calls)))
        failed++;
    printf("random/%s: %llu passed, %llu failed\n", o.cpu ? o.cpu : "native",
           (unsigned long long)passed, (unsigned long long)failed);
    return failed || !passed;
}
