/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accuracy.h - measuring the error of math functions: what the files of this
 * folder share. measure.c tells the error of one result, by reference*.c;
 * functions.c lists the functions, arguments.c what they are called with;
 * device.c calls them; table.c has the bounds and prints. Nothing here is
 * thread-safe but what says so.
 */
#ifndef TESTS_MATH_ACCURACY_H
#define TESTS_MATH_ACCURACY_H
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    double v[4]; /* x, y, z, w; floats as they are */
} math_args;

typedef enum { f32, f64, i64 } math_type;
typedef enum { NEAREST, TO_ZERO, UP, DOWN } math_mode;
typedef enum { ALONE, PAIR, POWER, SCALE, ORDER, CANCEL } math_shape;

/* The value to about 64 bits (float functions: 50), or anything where it is
 * hard; `got` is what was computed, which inverse functions start from. */
typedef double (*math_fast_f32)(const math_args *a, double got);
typedef long double (*math_fast_f64)(const math_args *a, double got);
/* The value cut off to the precision of r, and whether that is inexact.
 * Thread-safe. */
typedef bool (*math_exact)(mpfr_ptr r, const math_args *a, math_mode mode);

typedef enum {
    ULP,      /* distance from the correctly rounded result, in ulp */
    ABSOLUTE, /* the same distance as a number */
    RELATIVE  /* distance from the true value, by that */
} math_unit;
/* Arguments with a bound of their own. */
typedef struct {
    const char *where; /* as the table of bounds has it; "" everywhere; NULL:
                          nothing is said of these, and nothing measured */
    math_unit unit;
    bool (*has)(const math_args *a);         /* NULL: the rest */
    double (*allowance)(const math_args *a); /* ulps granted; NULL: none */
} math_zone;

enum { MATH_ZONES = 4 };
typedef struct {
    const char *id, *name;
    math_type type, result;
    int arguments;
    math_fast_f32 fast_f32; /* the one of the type */
    math_fast_f64 fast_f64;
    math_exact exact;
    math_mode mode;
    const math_zone *zones; /* the last has no `has` */
    math_shape shape;
    double low, high;
    bool less_precise; /* of the second module */
} math_function;

extern const math_function math_functions[];
extern const unsigned math_function_count;

/* The worst in a zone. */
typedef struct {
    uint64_t count; /* arguments */
    uint64_t exact; /* compared with MPFR */
    uint64_t wrong; /* NaN, or not NaN, or the sign of 0, against the rules */
    double error;   /* in the zone's unit, allowance off; -1: none yet */
    double ulps;    /* from the true value */
    math_args at;   /* where; of a wrong one, if there is any */
} math_worst;

/* Holds the results that `devices` devices have for the same arguments against
 * the reference. `force`: with MPFR whatever the fast one says. Thread-safe
 * with a `worst` a thread, of each device and zone. */
void math_measure(const math_function *f, const math_args *a,
                  const uint64_t *got, unsigned devices, bool force,
                  math_worst (*worst)[MATH_ZONES]);
/* More of the same zone. */
void math_merge(math_worst *into, const math_worst *more);
/* A result's bits as a number (integers: exact up to 2**53). */
double math_value(math_type type, uint64_t bits);

/* The i-th of the arguments of a function, always the same: special values
 * first, then random ones. Thread-safe. */
void math_argument(const math_function *f, uint64_t i, math_args *a);

/* One device: a driver library and the kernels. */
typedef struct math_device math_device;
/* `less`: the kernels compiled with less precision; `chunk`: the most results
 * at a time. Exits with a message if anything is missing. Lives as long as the
 * program. */
math_device *math_device_open(const char *library, const char *kernels,
                              const char *less, uint32_t chunk);
/* Begins n results into `out`, of 8 bytes or 4 as f->result
 * has it, which math_device_pin knows. The arguments lie in `columns`, floats
 * or doubles as f->type; without columns[0] they are the n floats whose bits
 * are `base` and following. */
void math_device_begin(math_device *d, const math_function *f,
                       void *const columns[4], uint32_t base, uint32_t n,
                       void *out);
void math_device_wait(math_device *d);
/* Room for a chunk of numbers. Lives as long as the program. */
void *math_device_pin(math_device *d);

/* Reads the table of bounds; exits with a message if it is not good. */
void math_table_read(const char *file);
/* The arguments at which a table that was written before has the worst errors
 * of the function, at most MATH_HARD; how many. Exits with a message if the
 * file cannot be read. */
enum { MATH_HARD = 8 };
unsigned math_table_hard(const char *file, const math_function *f,
                         math_args *arguments);
/* The head of the table in Markdown; with columns for another device's errors,
 * or not. */
void math_table_begin(FILE *out, bool beside);
/* One row. `beside`: the other device's, or NULL; `differ`: how many of all its
 * results for the function are not ours. Whether ours are within the bounds. */
bool math_table_row(FILE *out, const math_function *f, const math_zone *zone,
                    const math_worst *ours, const math_worst *beside,
                    uint64_t differ);
/* Bounds that no row had; prints them. */
unsigned math_table_unused(void);

#endif
