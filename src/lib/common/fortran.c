/* SPDX-License-Identifier: Apache-2.0 */
/* fortran.c - see fortran.h. */
#include "lib/common/fortran.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "exec/exec.h"

size_t
sw_lib_type_bytes(sw_lib_type type)
{
    static const size_t bytes[] = {4, 8, 8, 16};
    return bytes[type];
}

size_t
sw_lib_type_real_bytes(sw_lib_type type)
{
    return type == SW_LIB_S || type == SW_LIB_C ? 4 : 8;
}

bool
sw_lib_type_is_complex(sw_lib_type type)
{
    return type >= SW_LIB_C;
}

static void
add_value(sw_lib_call *call, int value)
{
    SW_ASSERT(call->count < SW_LIB_ARGUMENTS);
    call->arguments[call->count].kind = SW_LIB_VALUE;
    call->arguments[call->count++].value = value;
}

static void
add_address(sw_lib_call *call, const void *address)
{
    SW_ASSERT(call->count < SW_LIB_ARGUMENTS);
    call->arguments[call->count].kind = SW_LIB_ADDRESS;
    call->arguments[call->count++].address = (void *)(uintptr_t)address;
}

static void
add_scalar(sw_lib_call *call, sw_lib_work *work, const void *at, size_t bytes)
{
    SW_ASSERT(call->count < SW_LIB_ARGUMENTS);
    call->arguments[call->count].kind = SW_LIB_SCALAR;
    call->arguments[call->count++].scalar =
        sw_lib_scalar_of(at, call->scalars_are_on_device, bytes, work);
}

/* The imaginary part is zero. */
static void
add_one(sw_lib_call *call, sw_lib_type type)
{
    SW_ASSERT(call->count < SW_LIB_ARGUMENTS);
    call->arguments[call->count].kind = SW_LIB_SCALAR;
    sw_lib_scalar *s = &call->arguments[call->count++].scalar;
    *s = (sw_lib_scalar){.device = NULL};
    if (sw_lib_type_real_bytes(type) == sizeof(float))
        memcpy(s->value, &(float){1}, sizeof(float));
    else
        memcpy(s->value, &(double){1}, sizeof(double));
}

static void
add_range(sw_lib_work *work, bool writes, const void *at, int64_t width,
          int64_t pitch, int64_t rows)
{
    if (width <= 0 || rows <= 0)
        return;
    (writes ? sw_lib_writes : sw_lib_reads)(work, at, (size_t)width,
                                            (size_t)pitch, (size_t)rows);
}

void
sw_lib_call_add(sw_lib_call *call, sw_lib_work *work, sw_lib_type type,
                const char *format, va_list list)
{
    int64_t bytes = (int64_t)sw_lib_type_bytes(type);
    for (const char *f = format; *f; f++) {
        bool writes = *f == 'W' || *f == 'y' || *f == 'b';
        if (*f == 'c') {
            add_value(call, va_arg(list, int));
            continue;
        }
        if (*f == 'i') {
            add_value(call, (int)va_arg(list, int64_t));
            continue;
        }
        if (*f == 'o') {
            add_one(call, type);
            continue;
        }
        const void *at = va_arg(list, const void *);
        if (*f == 's' || *f == 't') {
            add_scalar(call, work, at,
                       *f == 's' ? (size_t)bytes
                                 : sw_lib_type_real_bytes(type));
            continue;
        }
        add_address(call, at);
        int64_t n = va_arg(list, int64_t);
        if (*f == 'R' || *f == 'W') {
            int64_t columns = va_arg(list, int64_t);
            int64_t distance = va_arg(list, int64_t);
            add_value(call, (int)distance);
            add_range(work, writes, at, n * bytes, distance * bytes, columns);
        } else if (*f == 'x' || *f == 'y') {
            int64_t step = va_arg(list, int64_t);
            add_value(call, (int)step);
            step = step < 0 ? -step : step;
            add_range(work, writes, at,
                      n > 0 ? ((n - 1) * step + 1) * bytes : 0, 0, 1);
        } else {
            add_range(work, writes, at, n * bytes, 0, 1);
        }
    }
}

/* OpenBLAS has threads of its own, which are as many as our workers: while it
 * runs, the worker that called it is one of them. */
static void
set_threads(void)
{
    void (*set)(int);
    void *found =
        sw_lib_host_find(SW_LIB_HOST_OPENBLAS, "openblas_set_num_threads");
    memcpy(&set, &found, sizeof set);
    if (found)
        set((int)sw_exec_thread_count());
}

sw_lib_routine *
sw_lib_find_routine(const char *name, sw_lib_type type,
                    const char *const prefixes[4])
{
    static const char *const letters[] = {"s", "d", "c", "z"};
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char symbol[32];
    snprintf(symbol, sizeof symbol, "%s%s_",
             (prefixes ? prefixes : letters)[type], name);
    pthread_once(&once, set_threads);
    void *found = sw_lib_host_find(SW_LIB_HOST_OPENBLAS, symbol);
    sw_lib_routine *fn;
    memcpy(&fn, &found, sizeof fn);
    return fn;
}

/* All arguments and, behind them, a length of 1 for each character. */
typedef void routine(void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *, void *);

void
sw_lib_routine_call(sw_lib_routine *fn, const void *const *addresses,
                    size_t count)
{
    void *p[SW_LIB_ARGUMENTS + 4];
    SW_ASSERT(count <= SW_LIB_ARGUMENTS);
    for (size_t i = 0; i < SW_LIB_ARGUMENTS + 4; i++)
        p[i] = i < count ? (void *)(uintptr_t)addresses[i] : (void *)1;
    ((routine *)fn)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9],
                    p[10], p[11], p[12], p[13], p[14], p[15], p[16], p[17],
                    p[18], p[19], p[20], p[21], p[22], p[23], p[24], p[25],
                    p[26], p[27]);
}

void
sw_lib_call_run(const sw_lib_call *call)
{
    const void *p[SW_LIB_ARGUMENTS];
    for (uint32_t i = 0; i < call->count; i++)
        p[i] = call->arguments[i].kind == SW_LIB_VALUE
                   ? (const void *)&call->arguments[i].value
               : call->arguments[i].kind == SW_LIB_SCALAR
                   ? sw_lib_scalar_get(&call->arguments[i].scalar)
                   : call->arguments[i].address;
    sw_lib_routine_call(call->fn, p, call->count);
}

bool
sw_lib_call_execute(void *call)
{
    sw_lib_call_run(call);
    return true;
}
