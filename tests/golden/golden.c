/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden.c - holds instructions against what a real device computed.
 *
 *     golden [OPTION...]
 *                     compares; exit status 1 if anything differs that
 *                     differs.txt doesn't name, or if nothing was compared
 *     golden --write FILE [OPTION...]
 *                     records, on a real device
 *
 *     --data FILE     what was recorded (tests/golden/h100.csv)
 *     --values FILE   some of the results (tests/golden/h100_values.csv): where
 *                     a form differs, those that do are named
 *     --write-values FILE
 *                     records them; when comparing, of forms that are equal,
 *                     whose results thus are the device's
 *     --differs FILE  forms known to differ (tests/golden/differs.txt)
 *     --full          2^20 evaluations a form instead of 2^12; with --write
 *                     both
 *     --every N       each N-th kernel only;  --from K: beginning with the K-th
 *     --family NAME   one family;  --form TEXT: forms whose names contain it
 *     --names FILE    only the forms that stand in it, a line each
 *     --table         a row a family in Markdown, and nothing else
 *     --list          family, results and name of each form, and nothing else
 *     --ptx           the kernels, and nothing else
 *     --raw FILE      appends the results themselves: the form's name, a
 *                     newline, results * evaluations 64-bit words
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/golden.h"

/* Of the sample's evaluations VALUES are kept, VALUE_STEP apart: corner values
 * and random ones. */
enum { MAX_SETS = 512, BLOCKS = 64, VALUES = 8, VALUE_STEP = 293 };

typedef struct {
    const char *write, *data, *differs, *family, *form, *names, *raw;
    const char *values, *write_values;
    bool full, table, list, ptx;
    unsigned every, from;
} options;

static options opt = {.data = "tests/golden/h100.csv",
                      .values = "tests/golden/h100_values.csv",
                      .differs = "tests/golden/differs.txt",
                      .every = 1};

/* ---- forms ---- */

typedef struct {
    uint64_t digest[2]; /* of the sample, of all */
    uint64_t *values;   /* [results][VALUES] */
    bool recorded, differs, named, grouped, done, failed, equal;
} outcome;

static golden_form *forms;
static outcome *outcomes;
static size_t form_count;

/* ---- the device ---- */

typedef struct {
    char kind[16];
    unsigned bytes, k, count;
    CUdeviceptr memory;
} input_set;

static CUcontext context;
static input_set sets[MAX_SETS];
static unsigned set_count;
static CUdeviceptr cells, digests, tables, raw_results;

static void
must(CUresult status, const char *what)
{
    if (status) {
        fprintf(stderr, "golden: %s: error %d\n", what, (int)status);
        exit(2);
    }
}

/* After a fault a context is of no use any more. */
static void
begin_context(void)
{
    CUdevice device = 0;
    if (context)
        cuDevicePrimaryCtxReset(device);
    else
        must(cuInit(0), "cuInit");
    set_count = 0;
    raw_results = 0;
    golden_texture_reset();
    must(cuDeviceGet(&device, 0), "cuDeviceGet");
    must(cuDevicePrimaryCtxRetain(&context, device), "context");
    must(cuCtxSetCurrent(context), "context");
    must(cuMemAlloc(&cells, BLOCKS * GOLDEN_BLOCK * GOLDEN_CELL), "cells");
    must(cuMemAlloc(&digests, GOLDEN_GROUP * GOLDEN_RESULTS * 8), "digests");
    must(cuMemAlloc(&tables, (GOLDEN_SOURCES + GOLDEN_GROUP) * 8), "tables");
}

/* The inputs of a source, made once for so many evaluations. */
static CUdeviceptr
inputs_of(const golden_operand *o, unsigned k, unsigned n)
{
    unsigned bytes = golden_bytes(o->type->reg);
    k = k < 3 ? k : 3;
    n += GOLDEN_PAD;
    for (unsigned i = 0; i < set_count; i++)
        if (sets[i].bytes == bytes && sets[i].k == k && sets[i].count == n &&
            !strcmp(sets[i].kind, o->kind))
            return sets[i].memory;
    if (set_count == MAX_SETS)
        begin_context();
    input_set *s = &sets[set_count++];
    *s = (input_set){.bytes = bytes, .k = k, .count = n};
    memcpy(s->kind, o->kind, sizeof s->kind);
    uint8_t *values = malloc((size_t)n * bytes);
    if (!values)
        exit(2);
    for (unsigned i = 0; i < n; i++) {
        uint64_t v = golden_input(o->kind, bytes * 8, k, i);
        memcpy(values + (size_t)i * bytes, &v, bytes);
    }
    must(cuMemAlloc(&s->memory, (size_t)n * bytes), "inputs");
    must(cuMemcpyHtoD(s->memory, values, (size_t)n * bytes), "inputs");
    free(values);
    return s->memory;
}

/* What is done with a form's results, [][n], of the first n evaluations. */
typedef void use_results(const golden_form *form, const uint64_t *results,
                         unsigned n);

/* Appends them to a file. */
static void
append_raw(const golden_form *form, const uint64_t *results, unsigned n)
{
    FILE *f = fopen(opt.raw, "ab");
    if (!f)
        exit(2);
    fprintf(f, "%s\n", form->name);
    fwrite(results, 8, (size_t)form->result_count * n, f);
    fclose(f);
}

static uint64_t *
room_for_values(const golden_form *form)
{
    uint64_t *values = malloc(form->result_count * VALUES * sizeof *values);
    if (!values)
        exit(2);
    return values;
}

/* Keeps some. */
static void
keep_values(const golden_form *form, const uint64_t *results, unsigned n)
{
    outcome *o = &outcomes[form - forms];
    free(o->values);
    o->values = room_for_values(form);
    for (unsigned j = 0; j < form->result_count; j++)
        for (unsigned i = 0; i < VALUES; i++)
            o->values[j * VALUES + i] = results[j * n + (i + 1) * VALUE_STEP];
}

/* Says which of those that were recorded are others. */
static void
compare_values(const golden_form *form, const uint64_t *results, unsigned n)
{
    const uint64_t *want = outcomes[form - forms].values;
    unsigned wrong = 0;
    for (unsigned i = 0; i < VALUES; i++)
        for (unsigned j = 0; j < form->result_count; j++) {
            unsigned evaluation = (i + 1) * VALUE_STEP;
            uint64_t got = results[j * n + evaluation];
            if (got == want[j * VALUES + i])
                continue;
            wrong++;
            printf("  evaluation %u, result %u: 0x%llx, the device's 0x%llx\n",
                   evaluation, j, (unsigned long long)got,
                   (unsigned long long)want[j * VALUES + i]);
        }
    if (!wrong)
        printf("  none of the %u evaluations whose results were recorded\n",
               VALUES);
}

/* Calls `use` with the results of each form that a raw kernel has computed. */
static void
each_raw(golden_form *const *group, unsigned count, unsigned n,
         use_results *use)
{
    size_t bytes = (size_t)GOLDEN_RESULTS * n * sizeof(uint64_t);
    uint64_t *results = malloc(bytes);
    CUdeviceptr from = raw_results;
    if (!results)
        exit(2);
    for (unsigned i = 0; i < count; i++) {
        bytes = (size_t)group[i]->result_count * n * sizeof(uint64_t);
        must(cuMemcpyDtoH(results, from, bytes), "raw");
        use(group[i], results, n);
        from += bytes;
    }
    free(results);
}

/* Evaluates forms of the same sources; digests go into them. raw: if not NULL,
 * what to do with the results of each. */
static CUresult
run_kernel(golden_form *const *group, unsigned count, unsigned n,
           CUfunction kernel, use_results *raw)
{
    uint64_t table[GOLDEN_SOURCES + GOLDEN_GROUP] = {0};
    uint64_t sums[GOLDEN_GROUP][GOLDEN_RESULTS] = {{0}};
    for (unsigned k = 0; k < group[0]->source_count; k++)
        table[k] = inputs_of(&group[0]->source[k], k, n);
    for (unsigned i = 0; i < count; i++) {
        CUtexObject object;
        CUresult status = golden_texture(group[i], &object);
        if (status)
            return status;
        table[GOLDEN_SOURCES + i] = object;
    }
    if (raw && !raw_results)
        must(cuMemAlloc(&raw_results, (size_t)GOLDEN_GROUP * GOLDEN_RESULTS *
                                          GOLDEN_SAMPLE * 8),
             "raw");
    must(cuMemcpyHtoD(tables, table, sizeof table), "tables");
    must(cuMemcpyHtoD(digests, sums, sizeof sums), "digests");
    CUdeviceptr handles = tables + GOLDEN_SOURCES * 8;
    void *params[] = {&tables, &cells, &handles, &digests, &raw_results, &n};
    unsigned blocks = n / GOLDEN_BLOCK < BLOCKS ? n / GOLDEN_BLOCK : BLOCKS;
    CUresult status = cuLaunchKernel(kernel, blocks, 1, 1, GOLDEN_BLOCK, 1, 1,
                                     0, NULL, params, NULL);
    if (!status)
        status = cuCtxSynchronize();
    if (!status)
        status = cuMemcpyDtoH(sums, digests, sizeof sums);
    for (unsigned i = 0; i < count && !status; i++)
        memcpy(group[i]->digest, sums[i], sizeof sums[i]);
    if (!status && raw)
        each_raw(group, count, n, raw);
    return status;
}

/* ---- what was recorded: NAME;DIGEST OF THE SAMPLE;DIGEST OF ALL ---- */

static golden_form *
find_form(const char *name)
{
    static size_t next; /* files are in order, nearly */
    for (size_t i = 0; i < form_count; i++) {
        size_t at = (next + i) % form_count;
        if (!strcmp(forms[at].name, name)) {
            next = at + 1;
            return &forms[at];
        }
    }
    return NULL;
}

/* The form that a line of a file names; exits if there is none: a form of
 * another name is one that nothing checks. */
static golden_form *
form_named(const char *name, const char *path)
{
    golden_form *form = find_form(name);
    if (!form) {
        fprintf(stderr, "golden: %s: no form is called \"%s\"\n", path, name);
        exit(2);
    }
    return form;
}

static void
read_data(void)
{
    char line[512];
    FILE *f = fopen(opt.data, "r");
    if (!f) {
        fprintf(stderr, "golden: %s cannot be read\n", opt.data);
        exit(2);
    }
    while (fgets(line, sizeof line, f)) {
        char *at = strchr(line, ';');
        if (*line == '#' || !at)
            continue;
        *at = 0;
        golden_form *form = form_named(line, opt.data);
        outcome *o = &outcomes[form - forms];
        o->digest[0] = strtoull(at + 1, &at, 16);
        o->digest[1] = strtoull(at + 1, NULL, 16);
        o->recorded = true;
    }
    fclose(f);
}

/* NAME;VALUE VALUE ...: of each result VALUES, in hexadecimal. */
static void
read_values(void)
{
    char line[4096];
    FILE *f = fopen(opt.values, "r");
    while (f && fgets(line, sizeof line, f)) {
        char *at = strchr(line, ';');
        if (*line == '#' || !at)
            continue;
        *at++ = 0;
        golden_form *form = form_named(line, opt.values);
        outcome *o = &outcomes[form - forms];
        o->values = room_for_values(form);
        for (unsigned i = 0; i < form->result_count * VALUES; i++)
            o->values[i] = strtoull(at, &at, 16);
    }
    if (f)
        fclose(f);
}

/* A file of names, a line each. */
static void
read_names(const char *path, bool must_exist, size_t flag)
{
    char line[512];
    FILE *f = fopen(path, "r");
    if (!f && must_exist) {
        fprintf(stderr, "golden: %s cannot be read\n", path);
        exit(2);
    }
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (!*line || *line == '#')
            continue;
        golden_form *form = form_named(line, path);
        *(bool *)((char *)&outcomes[form - forms] + flag) = true;
    }
    if (f)
        fclose(f);
}

/* One number of a form's results. */
static uint64_t
fold(const golden_form *form)
{
    uint64_t v = 0;
    for (unsigned j = 0; j < form->result_count; j++)
        v = (v << 7 | v >> 57) * 0x9E3779B97F4A7C15u + form->digest[j];
    return v;
}

static void
keep(golden_form *const *group, unsigned count, unsigned which, CUresult status)
{
    for (unsigned i = 0; i < count; i++) {
        outcome *o = &outcomes[group[i] - forms];
        o->done = true;
        o->failed = status != CUDA_SUCCESS;
        uint64_t digest = fold(group[i]);
        o->equal = !o->failed && digest == o->digest[which];
        if (opt.write)
            o->digest[which] = digest;
    }
}

static void end_group(golden_form *const *group, unsigned count,
                      CUresult status, bool launched);

static CUresult
load(const char *ptx, CUmodule *module, CUfunction *kernel)
{
    CUresult status = cuModuleLoadData(module, ptx);
    return status ? status : cuModuleGetFunction(kernel, *module, "golden");
}

static void
run_group(golden_form *const *group, unsigned count)
{
    CUmodule module = NULL;
    CUfunction kernel;
    bool launched = false;
    use_results *raw = opt.raw            ? append_raw
                       : opt.write_values ? keep_values
                                          : NULL;
    const char *ptx =
        golden_module((const golden_form *const *)group, count, raw != NULL);
    if (opt.ptx) {
        printf("%s\n", ptx);
        return;
    }
    CUresult status = load(ptx, &module, &kernel);
    for (unsigned which = 0; which < 2 && !status; which++) {
        if (opt.write ? which > (unsigned)opt.full
                      : which != (unsigned)opt.full)
            continue;
        launched = true;
        status = run_kernel(group, count, which ? GOLDEN_FULL : GOLDEN_SAMPLE,
                            kernel, raw);
        if (!status)
            keep(group, count, which, status);
    }
    if (module)
        cuModuleUnload(module);
    if (status)
        end_group(group, count, status, launched);
}

/* Evaluates once more what differs. */
static void
explain(golden_form *form)
{
    CUmodule module = NULL;
    CUfunction kernel;
    const char *ptx = golden_module(&(const golden_form *){form}, 1, true);
    if (outcomes[form - forms].values && !load(ptx, &module, &kernel))
        run_kernel(&form, 1, GOLDEN_SAMPLE, kernel, compare_values);
    if (module)
        cuModuleUnload(module);
}

/* A kernel that fails is tried in halves. */
static void
end_group(golden_form *const *group, unsigned count, CUresult status,
          bool launched)
{
    if (launched)
        begin_context();
    if (count > 1) {
        run_group(group, count / 2);
        run_group(group + count / 2, count - count / 2);
    } else {
        keep(group, count, opt.full, status);
    }
}

static bool
is_wanted(const golden_form *f)
{
    const outcome *o = &outcomes[f - forms];
    bool raw_or_new = opt.write || opt.ptx || opt.list;
    return (!opt.family || !strcmp(f->family, opt.family)) &&
           (!opt.form || strstr(f->name, opt.form)) &&
           (!opt.names || o->named) && (raw_or_new || o->recorded);
}

/* How many forms a kernel has: fewer where each is long. */
static unsigned
group_size(const golden_form *f)
{
    return f->source_count > 6 || !strcmp(f->family, "wmma") ? 4 : GOLDEN_GROUP;
}

static void
run_all(void)
{
    unsigned number = 0;
    for (size_t i = 0; i < form_count; i++) {
        golden_form *group[GOLDEN_GROUP];
        unsigned count = 0;
        if (outcomes[i].grouped || !is_wanted(&forms[i]))
            continue;
        for (size_t j = i; j < form_count; j++)
            if (count < group_size(&forms[i]) && !outcomes[j].grouped &&
                !strcmp(forms[i].family, forms[j].family) &&
                golden_same_sources(&forms[i], &forms[j]) &&
                is_wanted(&forms[j])) {
                outcomes[j].grouped = true;
                group[count++] = &forms[j];
            }
        if (number++ % opt.every == opt.from % opt.every)
            run_group(group, count);
    }
}

/* ---- reports ---- */

static void
write_data(void)
{
    FILE *f = fopen(opt.write, "w");
    char name[128] = "?";
    CUdevice device;
    if (!f || cuDeviceGet(&device, 0) || cuDeviceGetName(name, 128, device)) {
        fprintf(stderr, "golden: %s cannot be written\n", opt.write);
        exit(2);
    }
    fprintf(f,
            "# What one %s computed: name;digest of the first %d evaluations;"
            "digest of %d.\n# Written by tests/golden/golden --write.\n",
            name, GOLDEN_SAMPLE, GOLDEN_FULL);
    for (size_t i = 0; i < form_count; i++)
        if (outcomes[i].done && !outcomes[i].failed)
            fprintf(f, "%s;%016llx;%016llx\n", forms[i].name,
                    (unsigned long long)outcomes[i].digest[0],
                    (unsigned long long)outcomes[i].digest[1]);
    fclose(f);
}

static void
write_values(void)
{
    FILE *f = fopen(opt.write_values, "w");
    if (!f) {
        fprintf(stderr, "golden: %s cannot be written\n", opt.write_values);
        exit(2);
    }
    fprintf(f,
            "# What a device computed: name;results of evaluations %d, %d, ... "
            "%d, first\n# the first result of all of them. Written by "
            "tests/golden/golden --write-values.\n",
            VALUE_STEP, 2 * VALUE_STEP, VALUES * VALUE_STEP);
    for (size_t i = 0; i < form_count; i++) {
        if (!outcomes[i].done || !outcomes[i].equal)
            continue;
        for (unsigned k = 0; k < forms[i].result_count * VALUES; k++)
            fprintf(f, "%s%c%llx", k ? "" : forms[i].name, k ? ' ' : ';',
                    (unsigned long long)outcomes[i].values[k]);
        fputc('\n', f);
    }
    fclose(f);
}

typedef struct {
    unsigned forms, equal, known, wrong, failed, mended;
} tally;

static void
count_form(const outcome *o, tally *t)
{
    t->forms++;
    t->equal += o->equal;
    t->known += !o->equal && o->differs;
    t->failed += o->failed && !o->differs;
    t->wrong += !o->equal && !o->failed && !o->differs;
    t->mended += o->equal && o->differs;
}

static void
put_family(const char *name, const tally *t)
{
    unsigned long long n = opt.full ? GOLDEN_FULL : GOLDEN_SAMPLE;
    printf("| %s | %u | %llu | %u | %u |\n", name, t->forms, t->forms * n,
           t->equal, t->forms - t->equal);
}

static unsigned
report(void)
{
    enum { EXPLAINED = 20 };
    unsigned explained = 0;
    tally all = {0};
    if (opt.table)
        printf("| family | forms | evaluations | forms equal | forms that "
               "differ |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < form_count;) {
        const char *family = forms[i].family;
        tally t = {0};
        bool first = true;
        for (size_t j = 0; j < i; j++)
            first &= strcmp(forms[j].family, family) != 0;
        for (size_t j = i; j < form_count; j++) {
            const outcome *o = &outcomes[j];
            if (!o->done || !first || strcmp(forms[j].family, family))
                continue;
            count_form(o, &t);
            if (!opt.table && (!o->equal != o->differs || opt.form))
                printf("%s: %s\n", forms[j].name,
                       o->equal
                           ? o->differs ? "equal, but in differs.txt" : "equal"
                       : o->failed ? "did not run"
                                   : "differs");
            if (!opt.table && !o->equal && !o->differs && !o->failed &&
                explained++ < EXPLAINED)
                explain(&forms[j]);
        }
        if (opt.table && t.forms)
            put_family(family, &t);
        all = (tally){all.forms + t.forms,   all.equal + t.equal,
                      all.known + t.known,   all.wrong + t.wrong,
                      all.failed + t.failed, all.mended + t.mended};
        while (i < form_count && !strcmp(forms[i].family, family))
            i++;
    }
    if (opt.table)
        put_family("all", &all);
    else
        printf("golden: %u passed, %u failed\n", all.equal - all.mended,
               all.wrong + all.failed + all.mended);
    if (!all.forms)
        fprintf(stderr, "golden: nothing was compared\n");
    return all.forms ? all.wrong + all.failed + all.mended : 1;
}

static const char *
value_of(int argc, char **argv, int *i)
{
    if (++*i >= argc) {
        fprintf(stderr, "golden: %s wants a value\n", argv[*i - 1]);
        exit(2);
    }
    return argv[*i];
}

static void
read_options(int argc, char **argv)
{
    static const struct {
        const char *name;
        const char **text;
        bool *flag;
        unsigned *number;
    } known[] = {{"--write", &opt.write, NULL, NULL},
                 {"--data", &opt.data, NULL, NULL},
                 {"--differs", &opt.differs, NULL, NULL},
                 {"--family", &opt.family, NULL, NULL},
                 {"--form", &opt.form, NULL, NULL},
                 {"--names", &opt.names, NULL, NULL},
                 {"--raw", &opt.raw, NULL, NULL},
                 {"--values", &opt.values, NULL, NULL},
                 {"--write-values", &opt.write_values, NULL, NULL},
                 {"--full", NULL, &opt.full, NULL},
                 {"--table", NULL, &opt.table, NULL},
                 {"--list", NULL, &opt.list, NULL},
                 {"--ptx", NULL, &opt.ptx, NULL},
                 {"--every", NULL, NULL, &opt.every},
                 {"--from", NULL, NULL, &opt.from}};
    enum { KNOWN = sizeof known / sizeof *known };
    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < KNOWN && strcmp(argv[i], known[k].name))
            k++;
        if (k == KNOWN) {
            fprintf(stderr, "golden: no option %s\n", argv[i]);
            exit(2);
        }
        if (known[k].flag)
            *known[k].flag = true;
        else if (known[k].text)
            *known[k].text = value_of(argc, argv, &i);
        else
            *known[k].number = (unsigned)atoi(value_of(argc, argv, &i));
    }
    if (!opt.every)
        opt.every = 1;
    if (opt.full && (opt.raw || opt.write_values)) {
        fprintf(stderr, "golden: results themselves are of the short check, "
                        "without --full\n");
        exit(2);
    }
}

int
main(int argc, char **argv)
{
    read_options(argc, argv);
    forms = golden_forms(&form_count);
    outcomes = calloc(form_count, sizeof *outcomes);
    if (!outcomes)
        return 2;
    if (opt.names)
        read_names(opt.names, true, offsetof(outcome, named));
    if (opt.list) {
        for (size_t i = 0; i < form_count; i++)
            if (is_wanted(&forms[i]))
                printf("%s\t%u\t%s\n", forms[i].family, forms[i].result_count,
                       forms[i].name);
        return 0;
    }
    if (!opt.write && !opt.ptx) {
        read_data();
        read_names(opt.differs, false, offsetof(outcome, differs));
        read_values();
    }
    if (!opt.ptx)
        begin_context();
    run_all();
    if (opt.write)
        write_data();
    if (opt.write_values)
        write_values();
    return opt.write || opt.ptx ? 0 : report() != 0;
}
