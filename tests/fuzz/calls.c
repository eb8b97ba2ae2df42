/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - calls of every function of both APIs with any arguments, in any
 * order: see fuzz.h.
 *
 * Functions and the types of their parameters are the rows that the build
 * makes of our headers (src/api/trace_table.awk). Values come by type: numbers
 * near limits, enumerators, memory of the host, addresses of the device, and
 * what earlier calls gave as a value of that type, which others may have
 * destroyed since. A case is a few hundred calls.
 */
#include "api/trace_headers.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum {
    CALLS = 300, /* of a case */
    MOST_PARAMS = 24,
    MOST_TYPES = 512,
    KEPT = 16, /* values of a type */
    STACK_WORDS = 48,
    BLOCK = 4096, /* bytes of the host that a pointer points to */
    NAME_BYTES = 96
};

/* What the compiler says about a type: gcc's <typeclass.h>. */
enum { POINTER_CLASS = 5, REAL_CLASS = 8, RECORD_CLASS = 12, UNION_CLASS = 13 };

typedef struct {
    const char *name;
    int class;
    size_t bytes;
} type_row;

typedef struct {
    const char *symbol, *result, *params;
} call_row;

typedef struct {
    const char *type;
    int64_t value;
} enum_row;

#define SW_TYPE(type)
#define SW_ENUM(type, name)
#define SW_CALL(symbol, result, params) {#symbol, result, params},
#define SW_CALL_OF(runtime, symbol, result, params)
static const call_row calls[] = {
#include "trace_table.inc"
};
#undef SW_TYPE
#undef SW_CALL
#undef SW_ENUM
#define SW_CALL(symbol, result, params)
#define SW_TYPE(type)                                                          \
    {#type, __builtin_classify_type(*(type *)0), sizeof(type)},
#define SW_ENUM(type, name)
static const type_row types[] = {
#include "trace_table.inc"
};
#undef SW_TYPE
#undef SW_ENUM
#define SW_TYPE(type)
#define SW_ENUM(type, name) {#type, (int64_t)name},
static const enum_row enums[] = {
#include "trace_table.inc"
};
enum {
    CALL_ROWS = sizeof calls / sizeof *calls,
    TYPE_ROWS = sizeof types / sizeof *types,
    ENUM_ROWS = sizeof enums / sizeof *enums
};

/* Functions that may end or stop a right program. */
static const char *const left_out[] = {
#define LEFT_OUT(beginning, why) #beginning,
#include "left_out.def"
};

/* A parameter, as its row has it. */
typedef struct {
    char type[NAME_BYTES]; /* of a pointer: what it points to */
    bool is_pointer, is_constant;
} param;

/* Values that calls gave, of each type of `types`. */
static struct {
    uint64_t values[KEPT];
    unsigned count;
} kept[TYPE_ROWS];

static void *functions[CALL_ROWS];
static unsigned usable[CALL_ROWS], usable_count;

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".global .align 8 .b8 words[64];\n.global .texref picture;\n"
    ".visible .entry kernel(.param .u64 to, .param .u32 n) {\n"
    ".reg .u64 %a; ld.param.u64 %a, [to]; ret; }\n";

/* ---- what the rows say ---- */

static int
find_type(const char *name)
{
    for (int i = 0; i < TYPE_ROWS; i++)
        if (!strcmp(types[i].name, name))
            return i;
    return -1;
}

/* Reads "const type *name" up to a comma; the place behind it. */
static const char *
read_param(const char *p, param *to)
{
    size_t n = strcspn(p, ","), used;
    const char *next = p[n] ? p + n + 1 + strspn(p + n + 1, " ") : p + n;
    while (n && p[n - 1] == ']') {
        while (n && p[n - 1] != '[')
            n--;
        n -= n > 0;
        to->is_pointer = true;
    }
    while (n && (isalnum((unsigned char)p[n - 1]) || p[n - 1] == '_'))
        n--;
    while (n && p[n - 1] == ' ')
        n--;
    if (n && p[n - 1] == '*') {
        n--;
        to->is_pointer = true;
    }
    while (n && p[n - 1] == ' ')
        n--;
    if (n > 6 && !strncmp(p, "const ", 6)) {
        p += 6;
        n -= 6;
        to->is_constant = true;
    }
    used = n < NAME_BYTES - 1 ? n : NAME_BYTES - 1;
    memcpy(to->type, p, used);
    to->type[used] = 0;
    return next;
}

static unsigned
read_params(const char *p, param *to)
{
    unsigned n = 0;
    memset(to, 0, MOST_PARAMS * sizeof *to);
    while (*p && n < MOST_PARAMS)
        p = read_param(p, &to[n++]);
    return n;
}

/* ---- values ---- */

static void
any(void)
{
}

static uint64_t
host_address(fuzz *f)
{
    return (uint64_t)(uintptr_t)fuzz_host +
           fuzz_random(f, FUZZ_HOST_BYTES / BLOCK) * BLOCK +
           (fuzz_chance(f, 10) ? fuzz_random(f, BLOCK) : 0);
}

/* Sizes stay far below what is around fuzz_host, or are more than any. */
static uint64_t
number(fuzz *f)
{
    static const uint64_t some[] = {0,
                                    1,
                                    2,
                                    3,
                                    4,
                                    16,
                                    32,
                                    255,
                                    4096,
                                    65536,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    UINT64_C(1) << 32,
                                    UINT64_C(1) << 38,
                                    INT64_MAX,
                                    UINT64_C(1) << 63,
                                    UINT64_MAX - 1,
                                    UINT64_MAX};
    if (fuzz_chance(f, 60))
        return fuzz_random(f, 9);
    return some[fuzz_random(f, sizeof some / sizeof *some)];
}

static uint64_t
kept_value(fuzz *f, const char *type)
{
    int i = find_type(type);
    if (i < 0 || !kept[i].count)
        return 0;
    return kept[i].values[fuzz_random(f, kept[i].count)];
}

static uint64_t
enumerator(fuzz *f, const char *type)
{
    unsigned n = 0, at;
    for (unsigned i = 0; i < ENUM_ROWS; i++)
        n += !strcmp(enums[i].type, type);
    if (!n || fuzz_chance(f, 15))
        return number(f);
    at = (unsigned)fuzz_random(f, n);
    for (unsigned i = 0; i < ENUM_ROWS; i++)
        if (!strcmp(enums[i].type, type) && !at--)
            return (uint64_t)enums[i].value;
    return 0;
}

/* Whether its addresses may be of the host as well, and are used as such. */
static bool
copies_from_anywhere(const char *symbol)
{
    return !strcmp(symbol, "cuMemcpy") || !strncmp(symbol, "cuMemcpy_", 9) ||
           !strncmp(symbol, "cuMemcpyAsync", 13);
}

/* Of a type that is no pointer to something, nor a structure. */
static uint64_t
scalar(fuzz *f, const char *symbol, const char *type)
{
    int i = find_type(type);
    bool is_handle = i >= 0 && types[i].class == POINTER_CLASS;
    if (strstr(type, "allback") || strstr(type, "HostFn") ||
        strstr(type, "hostFn") || strstr(type, "B2DSize"))
        return fuzz_chance(f, 80) ? (uint64_t)(uintptr_t)any : 0;
    if (copies_from_anywhere(symbol) && !strcmp(type, "CUdeviceptr"))
        return i >= 0 && kept[i].count && fuzz_chance(f, 60) ? kept[i].values[0]
                                                             : host_address(f);
    if (i >= 0 && kept[i].count && fuzz_chance(f, 80))
        return kept_value(f, type);
    if (is_handle) /* no such handle; not memory of the host */
        return fuzz_chance(f, 60) ? fuzz_random(f, 3)
                                  : UINT64_C(0x5eed00000000) + number(f) % 256;
    if (!strncmp(type, "CUdeviceptr", 11))
        return fuzz_chance(f, 50) ? host_address(f) : number(f);
    return enumerator(f, type);
}

/* Fills a block with words as structures have them, or with pointers. What is
 * neither 0 nor an address can be told from one: fuzz_host_create. */
static void
fill(fuzz *f, uint64_t address, bool has_pointers)
{
    uint64_t words[64];
    for (unsigned i = 0; i < 64; i++) {
        switch (has_pointers ? 1 : fuzz_random(f, 6)) {
        case 0:
            words[i] = kept_value(f, "CUdeviceptr");
            break;
        case 1:
            words[i] = host_address(f);
            break;
        case 2:
            words[i] = fuzz_random(f, 8) | (1 + fuzz_random(f, 7)) << 32;
            break;
        default:
            words[i] = 0;
        }
    }
    if (address + sizeof words <=
        (uint64_t)(uintptr_t)fuzz_host + FUZZ_HOST_BYTES)
        memcpy((void *)(uintptr_t)address, words, sizeof words);
}

/* Whether the function reads an image, which has to be the host's. */
static bool
reads_image(const char *symbol)
{
    return strstr(symbol, "Load") || strstr(symbol, "Link");
}

static uint64_t
pointer(fuzz *f, const char *symbol, const param *p)
{
    uint64_t address;
    if (fuzz_chance(f, 8))
        return 0;
    if (!strcmp(p->type, "char")) {
        static const char *const names[] = {
            "kernel", "words", "picture", "", "cuInit", "cudaMalloc", text};
        if (p->is_constant)
            return (uint64_t)(uintptr_t)names[fuzz_random(f, 7)];
    }
    if (!strcmp(p->type, "void") && reads_image(symbol)) {
        if (fuzz_chance(f, 60))
            return (uint64_t)(uintptr_t)text;
    } else if (!strcmp(p->type, "void")) {
        if (fuzz_chance(f, 25))
            return kept_value(f, "void *");
        if (fuzz_chance(f, 25))
            return kept_value(f, "CUdeviceptr");
    }
    address = host_address(f);
    bool has_pointers = !strcmp(p->type, "void *");
    if (!has_pointers && fuzz_chance(f, 50))
        memset((void *)(uintptr_t)address, 0,
               (size_t)(fuzz_host + FUZZ_HOST_BYTES -
                        (unsigned char *)(uintptr_t)address) %
                   BLOCK);
    else
        fill(f, address, has_pointers);
    int i = find_type(p->type);
    if (i >= 0 && !has_pointers && types[i].class != RECORD_CLASS &&
        types[i].class != UNION_CLASS && types[i].bytes <= 8) {
        uint64_t v = types[i].class == POINTER_CLASS && kept[i].count
                         ? kept_value(f, p->type)
                         : scalar(f, symbol, p->type);
        memcpy((void *)(uintptr_t)address, &v, types[i].bytes);
    }
    return address;
}

/* ---- a call: as x86-64's System V has it ---- */

typedef struct {
    uint64_t words[6], stack[STACK_WORDS];
    double floats[8];
    unsigned word_count, float_count, stack_count;
} arguments;

static void
put_words(arguments *a, const uint64_t *words, unsigned n, bool in_memory)
{
    bool fits = !in_memory && a->word_count + n <= 6;
    for (unsigned i = 0; i < n; i++) {
        if (fits)
            a->words[a->word_count++] = words[i];
        else if (a->stack_count < STACK_WORDS)
            a->stack[a->stack_count++] = words[i];
    }
}

static uint64_t
put_argument(fuzz *f, arguments *a, const char *symbol, const param *p)
{
    int i = find_type(p->type);
    uint64_t words[16] = {0};
    if (p->is_pointer) {
        words[0] = pointer(f, symbol, p);
    } else if (i >= 0 && types[i].class == REAL_CLASS) {
        double d = 0;
        float value = (float)fuzz_random(f, 5) - 1;
        memcpy(&d, &value, sizeof value);
        if (a->float_count < 8)
            a->floats[a->float_count++] = d;
        return 0;
    } else if (i >= 0 && (types[i].class == RECORD_CLASS ||
                          types[i].class == UNION_CLASS)) {
        unsigned n = (unsigned)(types[i].bytes + 7) / 8;
        n = n < 16 ? n : 16;
        for (unsigned k = 0; k < n; k++)
            words[k] = fuzz_chance(f, 50) ? kept_value(f, "void *") : number(f);
        put_words(a, words, n, types[i].bytes > 16);
        return words[0];
    } else {
        words[0] = scalar(f, symbol, p->type);
    }
    put_words(a, words, 1, false);
    return words[0];
}

static uint64_t
enter(void *at, const arguments *a)
{
    /* the structure lies on the stack, and its stack words must come first */
    struct {
        uint64_t words[STACK_WORDS];
    } stack;
    typedef uint64_t full(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                          uint64_t, double, double, double, double, double,
                          double, double, double, __typeof__(stack));
    full *call;
    memcpy(stack.words, a->stack, sizeof stack.words);
    memcpy(&call, &at, sizeof call);
    return call(a->words[0], a->words[1], a->words[2], a->words[3], a->words[4],
                a->words[5], a->floats[0], a->floats[1], a->floats[2],
                a->floats[3], a->floats[4], a->floats[5], a->floats[6],
                a->floats[7], stack);
}

/* Of the host's block there; 0 where the address is none of it. */
static uint64_t
word_at(uint64_t address)
{
    uint64_t v = 0, at = address - (uint64_t)(uintptr_t)fuzz_host;
    if (at <= FUZZ_HOST_BYTES - sizeof v)
        memcpy(&v, fuzz_host + at, sizeof v);
    return v;
}

/* What the call gave through its pointers. */
static void
keep(const param *params, const uint64_t *values, const uint64_t *before,
     unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        int i = find_type(params[k].type);
        uint64_t v = 0;
        if (i < 0 || !params[k].is_pointer || params[k].is_constant ||
            (types[i].class != POINTER_CLASS &&
             strcmp(types[i].name, "CUdeviceptr") &&
             !strstr(types[i].name, "Obj")))
            continue;
        v = word_at(values[k]);
        if (v == before[k])
            continue;
        fuzz_host_forgive(v);
        kept[i].values[kept[i].count % KEPT] = v;
        kept[i].count += kept[i].count < KEPT;
    }
}

static void
call_one(fuzz *f)
{
    unsigned at = usable[fuzz_random(f, usable_count)];
    param params[MOST_PARAMS];
    uint64_t values[MOST_PARAMS], before[MOST_PARAMS];
    arguments a = {0};
    unsigned n = read_params(calls[at].params, params), used = 0;
    char line[200] = "";
    int result_type = find_type(calls[at].result);
    if (result_type >= 0 && types[result_type].class == RECORD_CLASS &&
        types[result_type].bytes > 16) /* a place for it comes first */
        a.words[a.word_count++] = host_address(f);
    for (unsigned k = 0; k < n; k++) {
        values[k] = put_argument(f, &a, calls[at].symbol, &params[k]);
        if (used < sizeof line - 20)
            used += (unsigned)snprintf(line + used, sizeof line - used,
                                       "%s%llx", k ? ", " : "",
                                       (unsigned long long)values[k]);
    }
    fuzz_note(f, "%s(%s)", calls[at].symbol, line);
    for (unsigned k = 0; k < n; k++)
        before[k] = params[k].is_pointer ? word_at(values[k]) : 0;
    uint64_t result = enter(functions[at], &a);
    f->record->steps++;
    f->record->calls++;
    if ((uint32_t)result == 0)
        keep(params, values, before, n);
    else
        f->record->refused++;
}

/* ---- a case ---- */

static bool
is_left_out(const char *symbol)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (!strncmp(left_out[i], symbol, strlen(left_out[i])))
            return true;
    return false;
}

static void
begin(fuzz *f)
{
    void *runtime = dlopen("libcudart.so.13", RTLD_NOW | RTLD_GLOBAL);
    (void)f;
    if (!runtime)
        fuzz_fail("no libcudart.so.13");
    for (unsigned i = 0; i < CALL_ROWS; i++) {
        functions[i] = dlsym(RTLD_DEFAULT, calls[i].symbol);
        if (functions[i] && calls[i].symbol[0] != '_' &&
            !is_left_out(calls[i].symbol))
            usable[usable_count++] = i;
    }
}

static void
play(fuzz *f)
{
    CUmodule module;
    CUdeviceptr p;
    fuzz_note(f, "begin");
    if (fuzz_chance(f, 90)) {
        fuzz_device_begin(f);
        (void)cuModuleLoadData(&module, text);
        (void)cuMemAlloc_v2(&p, 65536);
        fuzz_host_forgive(p);
        int i = find_type("CUdeviceptr"), k = find_type("void *");
        kept[i].values[kept[i].count++] = p;
        kept[k].values[kept[k].count++] = p;
        i = find_type("CUmodule");
        kept[i].values[kept[i].count++] = (uint64_t)(uintptr_t)module;
    }
    for (unsigned i = 0; i < CALLS; i++)
        call_one(f);
}

const fuzz_kind fuzz_calls = {"calls", 1, begin, play};
