/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - what hostile programs do to libcuda: between main.c, which plays
 * cases in processes of their own and sees how they end, and the kinds of
 * cases: mutants.c (PTX with some tokens changed), calls.c (API calls with any
 * arguments) and kernels.c (kernels that go wherever an address leads).
 *
 * A case follows from its number alone, so what fails can be played again. It
 * fails where the process ends by a signal or by exit, where nothing comes to
 * an end any more, and where a byte of the host that no call was given has
 * another value.
 *
 * One thread of the test's own; callbacks of the driver come from others.
 */
#ifndef FUZZ_H
#define FUZZ_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

/* Shared with the process that watches. */
typedef struct {
    _Atomic uint64_t steps; /* goes up as long as something comes to an end */
    _Atomic uint64_t seed;  /* the case being played */
    _Atomic uint64_t calls, refused, launches, faults; /* statistics */
    char note[256];                                    /* what is being done */
} fuzz_record;

typedef struct {
    uint64_t random;
    fuzz_record *record;
    const char *corpus; /* a folder of PTX files */
    bool prints;        /* each step on standard output */
    CUcontext context;  /* the primary one, retained and current */
} fuzz;

typedef struct {
    const char *name;
    unsigned cases;         /* in one process */
    void (*begin)(fuzz *f); /* before the first of them; may be NULL */
    void (*play)(fuzz *f);
} fuzz_kind;

extern const fuzz_kind fuzz_mutants, fuzz_calls, fuzz_kernels;

/* ---- main.c ---- */

/* A number below n, which is above 0. */
uint64_t fuzz_random(fuzz *f, uint64_t n);
static inline bool
fuzz_chance(fuzz *f, unsigned percent)
{
    return fuzz_random(f, 100) < percent;
}
/* What is done next, for the report of a failure. */
void fuzz_note(fuzz *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The case has failed: says so, and ends the process. */
_Noreturn void fuzz_fail(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));
/* Ends the process: the program's own fault, or a kernel without an end. The
 * next case is played by another. */
_Noreturn void fuzz_leave(void);

/* ---- host.c: the memory of the host that a case may use ---- */

enum { FUZZ_HOST_BYTES = 1 << 20 };

/* FUZZ_HOST_BYTES, which calls may write. On both sides lies much address
 * space that nobody can touch: who gets there got a size too large. */
extern unsigned char *fuzz_host;
/* As many bytes that nobody may write. */
extern unsigned char *fuzz_canary;

void fuzz_host_create(void);
/* An address of the device: a call that reads it as the host's may crash, as
 * with a real device, and ends the process well. */
void fuzz_host_forgive(uint64_t address);
/* Fails if a byte of the canary has changed. */
void fuzz_host_check(void);

/* ---- device.c: contexts and launches ---- */

/* Initializes the driver; a context is current then. */
void fuzz_device_begin(fuzz *f);
/* Waits for what was launched; counts a fault, after which the context is
 * made anew. Leaves the process where a kernel goes on and on, fails where it
 * only sleeps. */
void fuzz_device_wait(fuzz *f);
/* A launch of a few blocks; arguments of 8 bytes are taken from `addresses`. */
void fuzz_device_launch(fuzz *f, CUfunction fn, const uint64_t *addresses,
                        unsigned count);

#endif
