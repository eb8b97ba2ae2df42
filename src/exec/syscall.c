/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall.c - what kernels may call: vprintf, __assertfail, malloc and free,
 * and the clock; see engine.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exec/pool.h"
#include "sem/half.h"

enum { STRING_MAX = 8192, SPEC_MAX = 32 };

static bool
is_readable(const sw_blk *blk, uint64_t address, uint64_t bytes)
{
    return sw_mem_is_plain(blk->mem, address, address + bytes - 1) ||
           sw_mem_is_accessible(address, bytes);
}

/* A string of the guest, at most STRING_MAX bytes; false if it leaves the
 * accessible memory. */
static bool
read_string(const sw_blk *blk, uint64_t address, sw_buf *out)
{
    for (uint64_t i = 0; i < STRING_MAX; i++) {
        if (!is_readable(blk, address + i, 1))
            return false;
        char c = *(const char *)(uintptr_t)(address + i);
        if (!c)
            return true;
        sw_buf_add(out, &c, 1);
    }
    return true;
}

/* The argument area of vprintf: each value aligned to its size (CUDA C++
 * Programming Guide, "Formatted Output"; floats arrive as doubles). */
typedef struct {
    const sw_blk *blk;
    uint64_t at;
    bool failed;
} arguments;

static uint64_t
next_argument(arguments *args, uint64_t bytes)
{
    uint64_t value = 0;
    args->at = (args->at + bytes - 1) / bytes * bytes;
    if (!is_readable(args->blk, args->at, bytes)) {
        args->failed = true;
        return 0;
    }
    memcpy(&value, (const void *)(uintptr_t)args->at, bytes);
    args->at += bytes;
    return value;
}

/* A conversion specification of printf: flags, width, precision, length; of
 * OpenCL's also the elements of a vector. */
typedef struct {
    char text[SPEC_MAX]; /* "%-08" so far, stars replaced */
    size_t n;
    int length;        /* 0, 'h', 'b' for hh, 'l', 'q' for ll, 'v' for hl */
    unsigned elements; /* 0: no vector */
    char conversion;
} spec;

/* An int's low bytes, as %hd and %hhd have them. */
static uint64_t
shortened(uint64_t v, const spec *s, bool sign)
{
    switch (s->length) {
    case 'b':
        return sign ? (uint64_t)(int8_t)v : (uint8_t)v;
    case 'h':
        return sign ? (uint64_t)(int16_t)v : (uint16_t)v;
    default:
        return sign ? (uint64_t)(int32_t)v : v;
    }
}

static void
spec_add(spec *s, const char *text, size_t n)
{
    if (s->n + n < SPEC_MAX - 4) {
        memcpy(s->text + s->n, text, n);
        s->n += n;
    }
}

/* The elements of "v4", *p behind it; 0: there is none. */
static unsigned
take_elements(const char **p)
{
    static const unsigned widths[] = {16, 2, 3, 4, 8};
    if (**p != 'v')
        return 0;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        size_t digits = widths[i] > 9 ? 2 : 1;
        char text[3] = {(char)('0' + widths[i] % 10), 0, 0};
        if (digits == 2)
            memcpy(text, "16", 2);
        if (!strncmp(*p + 1, text, digits)) {
            *p += 1 + digits;
            return widths[i];
        }
    }
    return 0;
}

/* Reads one specification at p (behind '%'); returns what follows it, or NULL
 * if it is none that a device knows (%zu and %Lf are not). */
static const char *
parse_spec(const char *p, arguments *args, bool is_opencl, spec *s)
{
    *s = (spec){.text = "%", .n = 1};
    while (*p && strchr("-+ #0123456789.*", *p)) {
        if (*p == '*') {
            char number[16];
            int n = snprintf(number, sizeof number, "%d",
                             (int)(int32_t)next_argument(args, 4));
            spec_add(s, number, (size_t)n);
        } else {
            spec_add(s, p, 1);
        }
        p++;
    }
    if (is_opencl)
        s->elements = take_elements(&p);
    if (s->elements && p[0] == 'h' && p[1] == 'l') {
        s->length = 'v';
        p += 2;
    }
    for (; *p == 'h' || *p == 'l'; p++)
        s->length = *p != s->length ? *p : *p == 'l' ? 'q' : 'b';
    s->conversion = *p;
    return *p && strchr("diouxXcsfFeEgGaAp", *p) ? p + 1 : NULL;
}

static void
put_conversion(spec *s, arguments *args, sw_buf *out)
{
    char c = s->conversion;
    char end[4] = {c, 0, 0, 0};
    /* In device code int is 4 bytes, long, long long and pointers are 8. */
    bool is_wide = s->length == 'l' || s->length == 'q';
    if (strchr("diouxX", c)) {
        memcpy(end, "ll", 2);
        end[2] = c;
        spec_add(s, end, 3);
        uint64_t v = next_argument(args, is_wide ? 8 : 4);
        if (!is_wide)
            v = shortened(v, s, c == 'd' || c == 'i');
        sw_buf_printf(out, s->text, (long long)v);
    } else if (c == 'c') {
        spec_add(s, end, 1);
        sw_buf_printf(out, s->text, (int)next_argument(args, 4));
    } else if (c == 's') {
        sw_buf string;
        sw_buf_init(&string);
        uint64_t address = next_argument(args, 8);
        spec_add(s, end, 1);
        if (!address)
            sw_buf_puts(&string, "(null)");
        else if (!read_string(args->blk, address, &string))
            args->failed = true;
        sw_buf_printf(out, s->text, string.p);
        sw_buf_finish(&string);
    } else if (c == 'p') {
        spec_add(s, end, 1);
        sw_buf_printf(out, s->text, (void *)(uintptr_t)next_argument(args, 8));
    } else {
        uint64_t bits = next_argument(args, 8);
        double d;
        memcpy(&d, &bits, sizeof d);
        spec_add(s, end, 1);
        sw_buf_printf(out, s->text, d);
    }
}

/* Bytes of a vector's element: what the length says, else those of an int and
 * of a float (OpenCL C 3.0, 6.15.14.2; without a length it leaves it open). */
static unsigned
element_bytes(const spec *s)
{
    switch (s->length) {
    case 'b':
        return 1;
    case 'h':
        return 2;
    case 'l':
    case 'q':
        return 8;
    default:
        return 4;
    }
}

static double
float_of(uint64_t bits, unsigned bytes)
{
    double d;
    float f;
    if (bytes == 8) {
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    if (bytes == 2)
        return (double)sem_f32_of_f16((uint16_t)bits);
    uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f);
    return (double)f;
}

/* The elements of a vector, each by the rest of the specification, with commas
 * between. A vector of 3 lies as one of 4. */
static void
put_vector(const spec *s, arguments *args, sw_buf *out)
{
    unsigned bytes = element_bytes(s);
    uint64_t size = (uint64_t)bytes * (s->elements == 3 ? 4 : s->elements);
    args->at = (args->at + size - 1) / size * size;
    uint64_t end = args->at + size;
    bool is_integer = strchr("diouxXcp", s->conversion) != NULL;
    char conversion[4] = {'l', 'l', s->conversion, 0};
    for (unsigned i = 0; i < s->elements; i++) {
        spec one = *s;
        uint64_t v = next_argument(args, bytes);
        unsigned shift = 64 - 8 * bytes;
        if (i)
            sw_buf_puts(out, ",");
        spec_add(&one, conversion + (is_integer ? 0 : 2), is_integer ? 3 : 1);
        if (!is_integer)
            sw_buf_printf(out, one.text, float_of(v, bytes));
        else if (s->conversion == 'd' || s->conversion == 'i')
            sw_buf_printf(out, one.text, (int64_t)(v << shift) >> shift);
        else
            sw_buf_printf(out, one.text, (long long)v);
    }
    args->at = end;
}

bool
sw_engine_vprintf(sw_warp *warp, const sw_fn *fn, const sw_ins *ins,
                  uint32_t lane, uint64_t format, uint64_t args_address,
                  bool is_opencl, int32_t *result)
{
    sw_blk *blk = warp->blk;
    sw_buf text, out;
    sw_buf_init(&text);
    sw_buf_init(&out);
    arguments args = {blk, args_address, false};
    int32_t count = 0;
    if (!read_string(blk, format, &text))
        args.failed = true;
    for (const char *p = text.p; *p && !args.failed;) {
        size_t plain = strcspn(p, "%");
        sw_buf_add(&out, p, plain);
        p += plain;
        if (*p != '%')
            continue;
        if (p[1] == '%') {
            sw_buf_add(&out, p, 1);
            p += 2;
            continue;
        }
        spec s;
        const char *next = parse_spec(p + 1, &args, is_opencl, &s);
        if (!next) { /* not a conversion: print it as it stands */
            sw_buf_add(&out, p++, 1);
            continue;
        }
        if (s.elements)
            put_vector(&s, &args, &out);
        else
            put_conversion(&s, &args, &out);
        count++;
        p = next;
    }
    if (args.failed)
        sw_engine_fault(warp, fn, ins, lane, SW_E_ILLEGAL_ADDRESS,
                        SW_FAULT_ADDRESS, args.at,
                        "printf reads a string or an argument outside the "
                        "allocations");
    else if (blk->env->print)
        blk->env->print(blk->env->arg, out.p, out.n);
    *result = is_opencl ? 0 : count;
    sw_buf_finish(&text);
    sw_buf_finish(&out);
    return !args.failed;
}

void
sw_engine_assertfail(sw_warp *warp, const sw_fn *fn, const sw_ins *ins,
                     uint32_t lane, uint64_t message, uint64_t file,
                     uint32_t line, uint64_t function)
{
    (void)fn;
    (void)ins;
    sw_buf texts[3];
    const uint64_t addresses[3] = {message, file, function};
    for (int i = 0; i < 3; i++) {
        sw_buf_init(&texts[i]);
        if (!addresses[i] || !read_string(warp->blk, addresses[i], &texts[i]))
            sw_buf_puts(&texts[i], "?");
    }
    const sw_blk *blk = warp->blk;
    uint32_t t = warp->index * SW_WARP_LANES + lane;
    sw_buf line_text;
    sw_buf_init(&line_text);
    sw_buf_printf(&line_text,
                  "%s:%" PRIu32 ": %s: block: [%u,%u,%u], thread: [%u,%u,%u] "
                  "Assertion `%s` failed.\n",
                  texts[1].p, line, texts[2].p, blk->ctaid[0], blk->ctaid[1],
                  blk->ctaid[2], t % blk->ntid[0],
                  t / blk->ntid[0] % blk->ntid[1],
                  t / blk->ntid[0] / blk->ntid[1], texts[0].p);
    sw_print_stderr(line_text.p, line_text.n);
    sw_buf_finish(&line_text);
    sw_buf place;
    sw_buf_init(&place);
    sw_buf_printf(&place, "%s:%" PRIu32, texts[1].p, line);
    sw_engine_fail_assertion(warp, lane, texts[0].p, texts[2].p, place.p);
    sw_buf_finish(&place);
    for (int i = 0; i < 3; i++)
        sw_buf_finish(&texts[i]);
}

uint64_t
sw_engine_malloc(sw_warp *warp, uint64_t bytes)
{
    sw_env *env = warp->blk->env;
    uint64_t address;
    bytes = bytes ? bytes : 1;
    /* Nothing is taken, not even for a moment, that is not there: other
     * threads would find the heap full. */
    uint64_t used = __atomic_load_n(&env->heap_used, __ATOMIC_RELAXED);
    do {
        if (used > env->heap_bytes || bytes > env->heap_bytes - used)
            return 0;
    } while (!__atomic_compare_exchange_n(&env->heap_used, &used, used + bytes,
                                          true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    if (sw_mem_alloc(SW_MEM_HEAP, env->device, bytes, 16, NULL, &address) !=
        SW_OK) {
        __atomic_sub_fetch(&env->heap_used, bytes, __ATOMIC_RELAXED);
        return 0;
    }
    return address;
}

void
sw_engine_free(sw_warp *warp, uint64_t address)
{
    sw_env *env = warp->blk->env;
    sw_mem_range range;
    if (sw_mem_find(address, &range) && range.kind == SW_MEM_HEAP &&
        range.base == address && sw_mem_free(address) == SW_OK)
        __atomic_sub_fetch(&env->heap_used, range.bytes, __ATOMIC_RELAXED);
}

uint64_t
sw_engine_clock(const sw_blk *blk)
{
    return (uint64_t)((double)sw_time_ns() * blk->env->clock_khz * 1e-6);
}
