/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.h - what programs have in common that compare forms of an
 * instruction with what a real device made of them, and record that: the text
 * of a kernel, and faults of the driver. Needs the driver API only.
 */
#ifndef SW_TEST_RECORDER_H
#define SW_TEST_RECORDER_H
#include <cuda.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A kernel that is being written; n bytes of it. */
typedef struct {
    char text[65536];
    size_t n;
} text;

__attribute__((format(printf, 2, 3))) static inline void
put(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->n +=
        (size_t)vsnprintf(t->text + t->n, sizeof t->text - t->n, format, args);
    va_end(args);
}

/* What draw() goes on from: a form's seed. */
static uint64_t state;

/* The next of a row of numbers that look random, the same everywhere. */
static inline uint32_t
draw(void)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 16);
}

/* Says what the driver has answered; false. */
static inline bool
fail(const char *what, CUresult r)
{
    const char *name = NULL;
    cuGetErrorName(r, &name);
    printf("%s: %s\n", what, name ? name : "unknown error");
    return false;
}

#endif
