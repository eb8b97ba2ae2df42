/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h - calls of API functions as their observers see them: which function,
 * its arguments as they lie in registers and on the stack, its result, when.
 *
 * Every exported function is entered through a few instructions (api/entry.h)
 * that test one word and jump on; only while somebody observes do they come
 * here. A call made by one of our own functions is *inner*: cudaMalloc's call
 * of cuMemAlloc is no call of the program.
 *
 * Observers are added before the program's first call and stay. They are called
 * on the calling thread, and may call nothing of the API.
 */
#ifndef SW_RT_CALLS_H
#define SW_RT_CALLS_H
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* An exported function; static. */
typedef struct {
    const char *name;   /* as the program's source spells it: no _v2 */
    const char *symbol; /* as exported */
    void (*fn)(void);   /* what does the work */
    uint64_t runtime;   /* of the library it is in: the runtime's generation,
                           11 and so on; 0: the driver */
} sw_rt_entry;

/*
 * Of one call, in the frame of the entry's code, whose offsets api/entry.h
 * knows. Arguments by the System V ABI: the first six of integers and pointers
 * in ints, of floats in floats (the low part), the rest on the stack in units
 * of 8 bytes; structs of up to 16 bytes (dim3: two of ints) as integers, larger
 * ones whole on the stack; a function that returns a larger struct has its
 * address as the first of ints.
 */
typedef struct {
    uint64_t ints[6];
    union {
        double f64[2];
        float f32[4];
    } floats[8];
    const sw_rt_entry *entry;
    const uint64_t *stack;
    uint64_t result; /* at the end; of an int only 32 bits count */
    uint64_t begin_ns, end_ns;
    uint64_t correlation; /* 1, 2, ... in the process; an inner call has the
                             number of the outer one */
    uint32_t thread;      /* of the system (gettid) */
    uint32_t depth;       /* 0: the program's own call */
    bool is_seen;
} sw_rt_call;

typedef struct {
    bool inner; /* wants the inner calls, too */
    void (*begin)(void *arg, const sw_rt_call *call); /* may be NULL */
    void (*end)(void *arg, const sw_rt_call *call);   /* may be NULL */
    void *arg;
} sw_rt_call_observer;

/* At most 8; each is copied. */
void sw_rt_calls_observe(const sw_rt_call_observer *observer);
/* Who writes a call as text, with the names and values of its arguments and its
 * result; set before the program's first call. */
void sw_rt_calls_described_by(void (*fn)(const sw_rt_call *call, sw_buf *out));
void sw_rt_call_describe(const sw_rt_call *call, sw_buf *out);
/* There is an observer. */
bool sw_rt_calls_are_observed(void);
/* The number of the call that this thread is in; 0: none, or nobody observes.
 */
uint64_t sw_rt_calls_current(void);

/* For api/entry.h alone. */
void sw_rt_call_begin(sw_rt_call *call);
void sw_rt_call_end(sw_rt_call *call);

#endif
