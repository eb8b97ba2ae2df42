/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_runner.c - runs one tests/ptx/<behaviour>.ptx: reads what to launch and
 * what to expect out of its comments (README.md has the format), does it, and
 * says `NAME: N passed, M failed`, an expectation a case.
 *
 * Knows nothing but the driver API, so what passes here can be held against a
 * real device's libcuda. Its own standard output and error are captured while
 * kernels run, for printf and fault reports are part of what is expected.
 */
#include <ctype.h>
#include <inttypes.h>
#include <regex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuda.h>

enum { MAX_ARGS = 16, MAX_LAUNCHES = 16, MAX_EXPECTS = 64, LOG_BYTES = 8192 };

typedef struct {
    char kind; /* u s b f */
    unsigned bytes;
    bool is_buffer;
    size_t count;
    uint8_t *data; /* count elements; never freed: this process is short */
    CUdeviceptr device;
} arg;

typedef struct {
    char kernel[256];
    unsigned grid[3], block[3], shared;
    arg args[MAX_ARGS];
    unsigned arg_count;
} launch;

typedef struct {
    char how[8];
    char text[1024];
} expect;

static launch launches[MAX_LAUNCHES];
static expect expects[MAX_EXPECTS];
static unsigned launch_count, expect_count;
static char *out_text, *err_text; /* what came out, line by line */
static size_t out_bytes, err_bytes;
static FILE *out, *err, *report;
static bool has_error;

_Noreturn static void
stop(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vfprintf(report ? report : stdout, fmt, args);
    va_end(args);
    fputs("\n", report ? report : stdout);
    exit(2);
}

/* ---- reading the comments ---- */

static void
read_type(const char *word, arg *a)
{
    char *end;
    unsigned long bits = strtoul(word + 1, &end, 10);
    if (!strchr("usbf", word[0]) || *end || bits < 8 || bits > 64 ||
        (bits & (bits - 1)) || (word[0] == 'f' && bits < 32))
        stop("'%s' is no type", word);
    a->kind = word[0];
    a->bytes = (unsigned)bits / 8;
}

static void
put_value(arg *a, size_t i, const char *word)
{
    uint64_t bits;
    char *end;
    if (a->kind != 'f') {
        bits = strtoull(word, &end, 0);
    } else if (word[0] == '0' && strchr("fFdD", word[1]) && word[1]) {
        bits = strtoull(word + 2, &end, 16);
    } else if (a->bytes == 4) {
        float f = strtof(word, &end);
        uint32_t b;
        memcpy(&b, &f, sizeof b);
        bits = b;
    } else {
        double d = strtod(word, &end);
        memcpy(&bits, &d, sizeof bits);
    }
    if (*end || end == word)
        stop("'%s' is no number", word);
    memcpy(a->data + i * a->bytes, &bits, a->bytes); /* little-endian */
}

/* TYPE VALUE | in TYPE VALUES... | out TYPE COUNT */
static void
read_arg(launch *l, char *text)
{
    if (l->arg_count == MAX_ARGS)
        stop("more than %d arguments", MAX_ARGS);
    arg *a = &l->args[l->arg_count++];
    char *save, *word = strtok_r(text, " ", &save);
    bool is_out = word && strcmp(word, "out") == 0;
    a->is_buffer = is_out || (word && strcmp(word, "in") == 0);
    if (a->is_buffer)
        word = strtok_r(NULL, " ", &save);
    read_type(word ? word : "", a);
    if (is_out) {
        word = strtok_r(NULL, " ", &save);
        a->count = word ? strtoul(word, NULL, 0) : 0;
        a->data = calloc(a->count + 1, a->bytes);
    }
    while (!is_out && (word = strtok_r(NULL, " ", &save))) {
        a->data = realloc(a->data, (a->count + 1) * a->bytes);
        put_value(a, a->count++, word);
    }
    if (a->count == 0 || (!a->is_buffer && a->count != 1))
        stop("arg %u: how many?", l->arg_count - 1);
}

/* KERNEL [grid=X,Y,Z] [block=X,Y,Z] [shared=BYTES] */
static void
read_launch(char *text)
{
    if (launch_count == MAX_LAUNCHES)
        stop("more than %d launches", MAX_LAUNCHES);
    launch *l = &launches[launch_count++];
    for (int i = 0; i < 3; i++)
        l->grid[i] = l->block[i] = 1;
    char *save, *word = strtok_r(text, " ", &save);
    snprintf(l->kernel, sizeof l->kernel, "%s", word ? word : "");
    while ((word = strtok_r(NULL, " ", &save))) {
        unsigned *d = word[0] == 'g' ? l->grid : l->block;
        if (sscanf(word, "shared=%u", &l->shared) != 1 &&
            sscanf(word, "grid=%u,%u,%u", d, d + 1, d + 2) < 1 &&
            sscanf(word, "block=%u,%u,%u", d, d + 1, d + 2) < 1)
            stop("run: what is '%s'?", word);
    }
}

static void
read_line(char *line)
{
    line[strcspn(line, "\r\n")] = 0;
    if (strncmp(line, "// run: ", 8) == 0) {
        read_launch(line + 8);
    } else if (strncmp(line, "// arg: ", 8) == 0) {
        if (!launch_count)
            stop("arg: before run:");
        read_arg(&launches[launch_count - 1], line + 8);
    } else if (strncmp(line, "// device: ", 11) == 0) {
        setenv("SOFTWARP_DEVICE", line + 11, 1);
    } else if (strncmp(line, "// expect: ", 11) == 0) {
        if (expect_count == MAX_EXPECTS)
            stop("more than %d expectations", MAX_EXPECTS);
        expect *e = &expects[expect_count++];
        if (sscanf(line + 11, "%7s %1023[^\n]", e->how, e->text) != 2)
            stop("expect: what?");
    }
}

static char *
read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL, *line = NULL;
    size_t n = 0, room = 0;
    ssize_t got;
    if (!f)
        stop("%s: cannot be read", path);
    while ((got = getline(&line, &room, f)) > 0) {
        text = realloc(text, n + (size_t)got + 1);
        memcpy(text + n, line, (size_t)got + 1);
        n += (size_t)got;
        read_line(line);
    }
    free(line);
    fclose(f);
    return text ? text : calloc(1, 1);
}

/* ---- doing it ---- */

/* True if it went well; else its name goes to the errors. */
static bool
did(CUresult result, const char *what)
{
    const char *name = NULL;
    if (result == CUDA_SUCCESS)
        return true;
    cuGetErrorName(result, &name);
    fprintf(err, "%s: %s\n", what, name ? name : "an unknown error");
    has_error = true;
    return false;
}

static void
print_value(const arg *a, size_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, a->data + i * a->bytes, a->bytes);
    if (a->kind == 'f' && a->bytes == 4) {
        float f;
        memcpy(&f, &bits, sizeof f);
        fprintf(out, " %.9g", (double)f);
    } else if (a->kind == 'f') {
        double d;
        memcpy(&d, &bits, sizeof d);
        fprintf(out, " %.17g", d);
    } else if (a->kind == 'b') {
        fprintf(out, " 0x%0*" PRIx64, (int)a->bytes * 2, bits);
    } else if (a->kind == 's') {
        unsigned up = 64 - 8 * a->bytes;
        fprintf(out, " %" PRId64, (int64_t)(bits << up) >> up);
    } else {
        fprintf(out, " %" PRIu64, bits);
    }
}

static bool
run_launch(CUmodule module, launch *l)
{
    CUfunction fn;
    void *params[MAX_ARGS];
    if (!did(cuModuleGetFunction(&fn, module, l->kernel), l->kernel))
        return false;
    for (unsigned i = 0; i < l->arg_count; i++) {
        arg *a = &l->args[i];
        size_t bytes = a->count * a->bytes;
        params[i] = a->is_buffer ? (void *)&a->device : a->data;
        if (a->is_buffer &&
            (!did(cuMemAlloc(&a->device, bytes), "cuMemAlloc") ||
             !did(cuMemcpyHtoD(a->device, a->data, bytes), "cuMemcpyHtoD")))
            return false;
    }
    if (!did(cuLaunchKernel(fn, l->grid[0], l->grid[1], l->grid[2], l->block[0],
                            l->block[1], l->block[2], l->shared, NULL, params,
                            NULL),
             "cuLaunchKernel") ||
        !did(cuCtxSynchronize(), "cuCtxSynchronize"))
        return false;
    for (unsigned i = 0; i < l->arg_count; i++) {
        arg *a = &l->args[i];
        if (!a->is_buffer)
            continue;
        size_t bytes = a->count * a->bytes;
        if (!did(cuMemcpyDtoH(a->data, a->device, bytes), "cuMemcpyDtoH"))
            return false;
        fprintf(out, "arg%u:", i);
        for (size_t k = 0; k < a->count; k++)
            print_value(a, k);
        fputs("\n", out);
        did(cuMemFree(a->device), "cuMemFree");
    }
    return true;
}

static void
run_all(char *text)
{
    static char log[LOG_BYTES];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUdevice device;
    CUcontext context;
    CUmodule module;
    if (!did(cuInit(0), "cuInit") ||
        !did(cuDeviceGet(&device, 0), "cuDeviceGet") ||
        !did(cuDevicePrimaryCtxRetain(&context, device), "context") ||
        !did(cuCtxSetCurrent(context), "cuCtxSetCurrent"))
        return;
    bool loaded = did(cuModuleLoadDataEx(&module, text, 2, options, values),
                      "cuModuleLoadDataEx");
    fputs(log, err);
    for (unsigned i = 0; loaded && i < launch_count; i++)
        if (!run_launch(module, &launches[i]))
            break;
}

/* Sends a standard stream to a file without a name. */
static int
capture(FILE *stream)
{
    FILE *f = tmpfile();
    if (!f)
        stop("no temporary file");
    fflush(stream);
    dup2(fileno(f), fileno(stream));
    return fileno(f);
}

static void
append_captured(int fd, FILE *to)
{
    char block[4096];
    ssize_t n;
    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, block, sizeof block)) > 0)
        fwrite(block, 1, (size_t)n, to);
    fflush(to);
}

/* ---- comparing ---- */

static bool
any_line(const char *text, const expect *e)
{
    regex_t regex;
    bool exact = strcmp(e->how, "EXACT") == 0, found = false;
    if (!exact && regcomp(&regex, e->text, REG_EXTENDED | REG_NOSUB))
        stop("expect: '%s' is no regular expression", e->text);
    char *copy = strdup(text), *save;
    for (char *line = strtok_r(copy, "\n", &save); line && !found;
         line = strtok_r(NULL, "\n", &save))
        found = exact ? strcmp(line, e->text) == 0
                      : regexec(&regex, line, 0, NULL, 0) == 0;
    free(copy);
    if (!exact)
        regfree(&regex);
    return found;
}

int
main(int argc, char **argv)
{
    if (argc != 2)
        stop("usage: ptx_runner FILE.ptx");
    char *text = read_file(argv[1]);
    const char *slash = strrchr(argv[1], '/');
    const char *name = slash ? slash + 1 : argv[1];
    int name_length = (int)strcspn(name, ".");
    unsigned passed = 0, failed = 0;

    report = fdopen(dup(STDOUT_FILENO), "w");
    out = open_memstream(&out_text, &out_bytes);
    err = open_memstream(&err_text, &err_bytes);
    int out_fd = capture(stdout), err_fd = capture(stderr);
    run_all(text);
    fflush(stdout);
    fflush(stderr);
    append_captured(out_fd, out);
    append_captured(err_fd, err);

    bool wants_error = false;
    for (unsigned i = 0; i < expect_count; i++) {
        const expect *e = &expects[i];
        bool is_error = strcmp(e->how, "ERROR") == 0;
        bool ok = any_line(is_error ? err_text : out_text, e);
        wants_error |= is_error;
        *(ok ? &passed : &failed) += 1;
        if (!ok)
            fprintf(report, "expected %s %s\n", e->how, e->text);
    }
    /* Without expectations the test is that there is no error. */
    if (!wants_error && (has_error || !expect_count))
        *(has_error ? &failed : &passed) += 1;
    if (failed)
        fprintf(report, "---- out\n%s---- err\n%s", out_text, err_text);
    fprintf(report, "ptx/%.*s: %u passed, %u failed\n", name_length, name,
            passed, failed);
    fclose(report);
    return failed != 0;
}
