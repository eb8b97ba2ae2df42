/* SPDX-License-Identifier: Apache-2.0 */
/* trace_table.c - see trace.h: what our headers declare, as rows. */
#include "api/trace_headers.h"

#include <string.h>

#include "api/cuda/trace.h"

/* What the compiler says about a type: gcc's <typeclass.h>. */
enum { POINTER_CLASS = 5, REAL_CLASS = 8, RECORD_CLASS = 12, UNION_CLASS = 13 };

#define KIND_OF(class)                                                         \
    ((class) == POINTER_CLASS                                                  \
         ? SW_TRACE_POINTER                                                    \
         : ((class) == REAL_CLASS                                              \
                ? SW_TRACE_FLOAT                                               \
                : ((class) == RECORD_CLASS || (class) == UNION_CLASS           \
                       ? SW_TRACE_STRUCT                                       \
                       : SW_TRACE_INTEGER)))

#define SW_CALL(symbol, result, params) {0, #symbol, result, params},
#define SW_CALL_OF(runtime, symbol, result, params)                            \
    {runtime, #symbol, result, params},
#define SW_TYPE(type)
#define SW_ENUM(type, name)
static const sw_api_trace_call calls[] = {
#include "trace_table.inc"
};
#undef SW_CALL
#undef SW_CALL_OF
#undef SW_TYPE

#define SW_CALL(symbol, result, params)
#define SW_CALL_OF(runtime, symbol, result, params)
#define SW_TYPE(type)                                                          \
    {#type, KIND_OF(__builtin_classify_type(*(type *)0)), sizeof(type),        \
     _Alignof(type)},
static const sw_api_trace_type types[] = {
#include "trace_table.inc"
};
#undef SW_TYPE
#undef SW_ENUM

#define SW_TYPE(type)
#define SW_ENUM(type, name) {#type, #name, (int64_t)name},
static const sw_api_trace_enumerator enumerators[] = {
#include "trace_table.inc"
};

static const sw_api_trace_call *
find(const char *symbol, size_t n, unsigned runtime)
{
    const sw_api_trace_call *found = NULL;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const sw_api_trace_call *c = &calls[i];
        if (strncmp(c->symbol, symbol, n) != 0 || c->symbol[n])
            continue;
        if (c->runtime == runtime)
            return c;
        if (!c->runtime)
            found = c;
    }
    return found;
}

const sw_api_trace_call *
sw_api_trace_find_call(const char *symbol, unsigned runtime)
{
    size_t n = strlen(symbol);
    const sw_api_trace_call *call = find(symbol, n, runtime);
    if (!call && n > 5 &&
        (!strcmp(symbol + n - 5, "_ptsz") || !strcmp(symbol + n - 5, "_ptds")))
        call = find(symbol, n - 5, runtime);
    return call;
}

const sw_api_trace_type *
sw_api_trace_find_type(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncmp(types[i].name, name, n) == 0 && !types[i].name[n])
            return &types[i];
    return NULL;
}

const char *
sw_api_trace_enumerator_name(const char *type, size_t n, int64_t value)
{
    for (size_t i = 0; i < sizeof enumerators / sizeof *enumerators; i++) {
        const sw_api_trace_enumerator *e = &enumerators[i];
        if (e->value == value && strncmp(e->type, type, n) == 0 && !e->type[n])
            return e->name;
    }
    return NULL;
}
