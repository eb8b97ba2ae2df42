/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - SOFTWARP_TRACE=api[:FILE]: each call of the program, a line; and
 * SOFTWARP_LOG=info and debug: those that fail, or all, in the log.
 *
 * An observer of rt/calls.h. Arguments are read by the declarations in our
 * headers, which the build turns into rows (trace_table.awk). Memory of the
 * program is read so that no address is a wrong one.
 */
#ifndef SW_API_TRACE_H
#define SW_API_TRACE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Looks into the environment; before the program's first call. */
void sw_api_trace_start(void);

/* ---- the rows (trace_table.c) ---- */

typedef struct {
    unsigned runtime; /* the generation whose own it is; 0: any other */
    const char *symbol;
    const char *result; /* its type */
    const char *params; /* "type name, type name" */
} sw_api_trace_call;

typedef enum {
    SW_TRACE_INTEGER,
    SW_TRACE_POINTER,
    SW_TRACE_FLOAT,
    SW_TRACE_STRUCT
} sw_api_trace_kind;

typedef struct {
    const char *name;
    sw_api_trace_kind kind;
    size_t bytes, align;
} sw_api_trace_type;

typedef struct {
    const char *type, *name;
    int64_t value;
} sw_api_trace_enumerator;

/* By the symbol as exported, and of that generation of the runtime library, or
 * 0; a twin for the other default stream has the row of its namesake. NULL: no
 * header declares it. */
const sw_api_trace_call *sw_api_trace_find_call(const char *symbol,
                                                unsigned runtime);
/* By its name, n characters; NULL. */
const sw_api_trace_type *sw_api_trace_find_type(const char *name, size_t n);
/* The name of a value of an enumeration; NULL if that is none, or has no such
 * value. */
const char *sw_api_trace_enumerator_name(const char *type, size_t n,
                                         int64_t value);

#endif
