/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - see trace.h. */
#include "api/cuda/trace.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "api/cuda/api.h"
#include "base/settings.h"

enum { TEXT = 64, INT_REGISTERS = 6, WORD = 8, SMALL_STRUCT = 16 };

static int file = -1;
/* The kernel that the call of this thread launched. */
static _Thread_local const char *launched;

typedef struct {
    const char *type; /* without const and the last star */
    size_t type_bytes;
    bool is_pointer, is_const;
    const char *name;
    size_t name_bytes;
} parameter;

/* Where the next argument lies. */
typedef struct {
    const sw_rt_call *call;
    unsigned ints, floats, words;
} cursor;

static const struct {
    int number;
    const char *driver, *runtime;
} errors[] = {
#define ERROR(number, driver, runtime, text) {number, #driver, #runtime},
#include "api/errors.def"
#undef ERROR
};

/* ---- the program's memory ---- */

static bool
peek(uint64_t address, void *out, size_t bytes)
{
    struct iovec to = {out, bytes};
    struct iovec from = {(void *)(uintptr_t)address, bytes};
    return address &&
           process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)bytes;
}

static void
put_text(sw_buf *out, uint64_t address)
{
    char c;
    if (!peek(address, &c, 1)) {
        sw_buf_printf(out, "0x%llx", (unsigned long long)address);
        return;
    }
    sw_buf_puts(out, "\"");
    for (int i = 0; i < TEXT && peek(address + (uint64_t)i, &c, 1) && c; i++) {
        if (c == '\n')
            sw_buf_puts(out, "\\n");
        else if (!isprint((unsigned char)c))
            sw_buf_printf(out, "\\x%02x", (unsigned char)c);
        else
            sw_buf_add(out, &c, 1);
    }
    sw_buf_puts(out, c ? "...\"" : "\"");
}

/* ---- values ---- */

static const char *
error_name(int number, bool runtime)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        const char *name = runtime ? errors[i].runtime : errors[i].driver;
        if (errors[i].number == number && strcmp(name, "NONE") != 0)
            return name;
    }
    return NULL;
}

static bool
is(const char *name, size_t n, const char *other)
{
    return strlen(other) == n && memcmp(name, other, n) == 0;
}

static void
put_integer(sw_buf *out, const char *type, size_t n, size_t bytes,
            uint64_t value)
{
    int64_t number = bytes == 4 ? (int32_t)value : (int64_t)value;
    if (bytes < WORD)
        value &= ((uint64_t)1 << 8 * bytes) - 1;
    const char *name = sw_api_trace_enumerator_name(type, n, number);
    if (is(type, n, "CUresult") || is(type, n, "cudaError_t"))
        name = error_name((int)number, type[1] == 'u');
    if (name)
        sw_buf_puts(out, name);
    else if (is(type, n, "int") || is(type, n, "CUdevice") ||
             is(type, n, "long long"))
        sw_buf_printf(out, "%lld", (long long)number);
    else if (is(type, n, "CUdeviceptr") || value >> 40)
        sw_buf_printf(out, "0x%llx", (unsigned long long)value);
    else
        sw_buf_printf(out, "%llu", (unsigned long long)value);
}

static void
put_scalar(sw_buf *out, const sw_api_trace_type *t, const void *bytes)
{
    uint64_t value = 0;
    float f;
    double d;
    switch (t->kind) {
    case SW_TRACE_FLOAT:
        memcpy(&f, bytes, sizeof f);
        if (t->bytes == sizeof d)
            memcpy(&d, bytes, sizeof d);
        else
            d = (double)f;
        sw_buf_printf(out, "%g", d);
        break;
    case SW_TRACE_POINTER:
        memcpy(&value, bytes, sizeof value);
        sw_buf_printf(out, value ? "0x%llx" : "NULL",
                      (unsigned long long)value);
        break;
    default:
        memcpy(&value, bytes, t->bytes <= WORD ? t->bytes : WORD);
        put_integer(out, t->name, strlen(t->name), t->bytes, value);
    }
}

/* In words of the members' size; what may be an address in hexadecimal. */
static void
put_struct(sw_buf *out, const sw_api_trace_type *t, const void *bytes)
{
    size_t unit = t->align == sizeof(uint32_t) ? sizeof(uint32_t) : WORD;
    const char *between = "{";
    for (size_t at = 0; at < t->bytes; at += unit) {
        uint64_t value = 0;
        memcpy(&value, (const char *)bytes + at,
               t->bytes - at < unit ? t->bytes - at : unit);
        sw_buf_printf(out, value >> 40 ? "%s0x%llx" : "%s%llu", between,
                      (unsigned long long)value);
        between = ",";
    }
    sw_buf_puts(out, "}");
}

/* ---- arguments ---- */

/* The next parameter of the list; false at its end. */
static bool
next_parameter(const char **list, parameter *p)
{
    const char *s = *list;
    size_t n = strcspn(s, ","), end = n;
    if (!n)
        return false;
    *list = s + n + (s[n] == ',');
    *list += strspn(*list, " ");
    *p = (parameter){0};
    while (end && s[end - 1] == ']') { /* an array: a pointer */
        while (end && s[end - 1] != '[')
            end--;
        end -= end > 0;
        p->is_pointer = true;
    }
    size_t at = end;
    while (at && (isalnum((unsigned char)s[at - 1]) || s[at - 1] == '_'))
        at--;
    p->name = s + at;
    p->name_bytes = end - at;
    while (at && s[at - 1] == ' ')
        at--;
    if (at && s[at - 1] == '*' && !p->is_pointer) {
        p->is_pointer = true;
        at--;
    }
    while (at && s[at - 1] == ' ')
        at--;
    if (strncmp(s, "const ", 6) == 0) {
        p->is_const = true;
        s += 6;
        at -= 6;
    }
    p->type = s;
    p->type_bytes = at;
    return true;
}

static const void *
next_words(cursor *c, size_t bytes, bool in_memory)
{
    unsigned count = (unsigned)((bytes + WORD - 1) / WORD);
    const void *at;
    if (!in_memory && c->ints + count <= INT_REGISTERS) {
        at = &c->call->ints[c->ints];
        c->ints += count;
    } else {
        at = &c->call->stack[c->words];
        c->words += count;
    }
    return at;
}

/* A function writes there: what it is after success is worth a look. */
static bool
is_output(const parameter *p)
{
    static const char *const inputs[] = {"args", "kernelParams", "extra",
                                         "dependencies", "pDependencies"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (is(p->name, p->name_bytes, inputs[i]))
            return false;
    return !p->is_const;
}

static void
put_pointer(sw_buf *out, const sw_rt_call *call, const parameter *p,
            bool success, uint64_t value)
{
    unsigned char bytes[WORD];
    const sw_api_trace_type *t = sw_api_trace_find_type(p->type, p->type_bytes);
    bool is_inner = call->entry->symbol[0] == '_'; /* what compilers call */
    bool is_name =
        p->name_bytes > 3 && !memcmp(p->name + p->name_bytes - 4, "name", 4);
    if (!value)
        sw_buf_puts(out, "NULL");
    else if (is(p->type, p->type_bytes, "char") &&
             (is_inner ? is_name : p->is_const || success))
        put_text(out, value);
    else if (success && !is_inner && is_output(p) && t &&
             t->kind != SW_TRACE_STRUCT && t->bytes <= WORD &&
             !is(p->type, p->type_bytes, "char") &&
             peek(value, bytes, t->bytes)) {
        sw_buf_puts(out, "&");
        put_scalar(out, t, bytes);
    } else
        sw_buf_printf(out, "0x%llx", (unsigned long long)value);
}

static void
put_argument(sw_buf *out, cursor *c, const parameter *p, bool success)
{
    const sw_api_trace_type *t = sw_api_trace_find_type(p->type, p->type_bytes);
    sw_buf_printf(out, "%.*s=", (int)p->name_bytes, p->name);
    if (p->is_pointer) {
        uint64_t value;
        memcpy(&value, next_words(c, WORD, false), sizeof value);
        put_pointer(out, c->call, p, success, value);
        if (launched && c->ints == 1 && c->call->depth == 0)
            sw_buf_printf(out, " <%s>", launched);
    } else if (!t) {
        sw_buf_puts(out, "?");
    } else if (t->kind == SW_TRACE_FLOAT && c->floats < 8) {
        put_scalar(out, t, &c->call->floats[c->floats++]);
    } else if (t->kind == SW_TRACE_STRUCT) {
        put_struct(out, t, next_words(c, t->bytes, t->bytes > SMALL_STRUCT));
    } else {
        put_scalar(out, t, next_words(c, t->bytes, false));
        if (launched && c->ints == 1)
            sw_buf_printf(out, " <%s>", launched);
    }
}

static const sw_api_trace_call *
row_of(const sw_rt_call *call)
{
    return sw_api_trace_find_call(call->entry->symbol,
                                  (unsigned)call->entry->runtime);
}

static bool
returns_status(const sw_api_trace_call *row)
{
    return !strcmp(row->result, "CUresult") ||
           !strcmp(row->result, "cudaError_t");
}

static void
put_call(sw_buf *out, const sw_rt_call *call)
{
    const sw_api_trace_call *row = row_of(call);
    sw_buf_printf(out, "%s(", call->entry->symbol);
    if (!row) {
        sw_buf_printf(out, "...) = 0x%llx", (unsigned long long)call->result);
        return;
    }
    size_t n = strlen(row->result);
    bool is_status = returns_status(row);
    const sw_api_trace_type *result = sw_api_trace_find_type(row->result, n);
    bool success = !is_status || (int)call->result == 0;
    cursor c = {.call = call};
    /* A large struct is returned where the first register says. */
    if (!is_status && strncmp(row->result, "struct ", 7) == 0)
        c.ints = !result || result->bytes > SMALL_STRUCT;
    const char *list = row->params, *between = "";
    parameter p;
    for (; next_parameter(&list, &p); between = ", ") {
        sw_buf_puts(out, between);
        put_argument(out, &c, &p, success);
    }
    sw_buf_puts(out, ")");
    if (is_status) {
        sw_buf_puts(out, " = ");
        put_integer(out, row->result, n, sizeof(int), call->result);
    } else if (strcmp(row->result, "const char *") == 0) {
        sw_buf_puts(out, " = ");
        put_text(out, call->result);
    } else if (strcmp(row->result, "void") != 0)
        sw_buf_printf(out, " = 0x%llx", (unsigned long long)call->result);
}

static void
describe(const sw_rt_call *call, sw_buf *out)
{
    put_call(out, call);
}

/* ---- the observer ---- */

/* The driver's launch inside a call of the runtime knows the kernel. */
static void
begin(void *arg, const sw_rt_call *call)
{
    (void)arg;
    sw_rt_kernel *kernel;
    const char *symbol = call->entry->symbol;
    if (call->depth == 0)
        launched = NULL;
    if (strncmp(symbol, "cuLaunchKernelEx", 16) == 0) {
        if (sw_api_kernel((const void *)call->ints[1], &kernel) == SW_OK)
            launched = kernel->fn->name;
    } else if ((strncmp(symbol, "cuLaunchKernel", 14) == 0 ||
                strncmp(symbol, "cuLaunchCooperativeKernel", 25) == 0) &&
               sw_api_kernel((const void *)call->ints[0], &kernel) == SW_OK)
        launched = kernel->fn->name;
}

/* The runtime library asks for our own table before the program begins. */
static bool
is_ours(const sw_rt_call *call)
{
    char id[8] = "";
    return strcmp(call->entry->symbol, "cuGetExportTable") == 0 &&
           peek(call->ints[1], id, sizeof id) && !memcmp(id, "softwarp", 8);
}

static void
end(void *arg, const sw_rt_call *call)
{
    (void)arg;
    if (call->depth || is_ours(call))
        return;
    sw_buf line;
    sw_buf_init(&line);
    sw_buf_puts(&line, file == STDERR_FILENO ? "softwarp: " : "");
    sw_buf_printf(&line, "%llu %u ", (unsigned long long)call->correlation,
                  (unsigned)call->thread);
    put_call(&line, call);
    sw_buf_puts(&line, "\n");
    /* One write a line, so that threads and processes do not mix. */
    if (!sw_file_write(file, line.p, line.n))
        file = STDERR_FILENO;
    sw_buf_finish(&line);
}

/* SOFTWARP_LOG: info has the calls that fail, debug all. That something is not
 * ready is an answer. */
static void
log_end(void *arg, const sw_rt_call *call)
{
    (void)arg;
    if (call->depth || is_ours(call))
        return;
    const sw_api_trace_call *row = row_of(call);
    int status = (int)call->result;
    bool has_failed =
        row && returns_status(row) && status && status != CUDA_ERROR_NOT_READY;
    sw_level level = has_failed ? SW_LOG_INFO : SW_LOG_DEBUG;
    if (!sw_log_is_on(level))
        return;
    sw_buf line;
    sw_buf_init(&line);
    put_call(&line, call);
    sw_log(level, "%s", line.p);
    sw_buf_finish(&line);
}

/* FILE, with %p as the number of the process. */
static int
open_file(const char *name)
{
    sw_buf path;
    sw_buf_init(&path);
    for (; *name; name++) {
        if (name[0] == '%' && name[1] == 'p') {
            sw_buf_printf(&path, "%d", (int)getpid());
            name++;
        } else
            sw_buf_add(&path, name, 1);
    }
    int opened = open(path.p, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (opened < 0)
        sw_log(SW_LOG_ERROR, "SOFTWARP_TRACE: can't write %s: %s", path.p,
               strerror(errno));
    sw_buf_finish(&path);
    return opened < 0 ? STDERR_FILENO : opened;
}

void
sw_api_trace_start(void)
{
    sw_rt_calls_described_by(describe);
    const char *wanted = sw_setting(SW_SETTING_TRACE);
    if (sw_log_is_on(SW_LOG_INFO))
        sw_rt_calls_observe(&(sw_rt_call_observer){true, begin, log_end, NULL});
    if (!wanted || !sw_setting_allows(SW_SETTING_TRACE, wanted))
        return;
    file = wanted[3] && wanted[4] ? open_file(wanted + 4) : STDERR_FILENO;
    sw_rt_calls_observe(&(sw_rt_call_observer){true, begin, end, NULL});
}
