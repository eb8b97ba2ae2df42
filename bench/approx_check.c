/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approx_check.c - every approximate f32 instruction on all 2^32 operands
 * against the digests that an H200 gave (tests/data/h200_approx.csv).
 *
 *     ninja -C build approx_check && build/bin/approx_check [NAME...]
 *
 * Run it in the root of the source; NAME is as in the file. One thread a
 * core; some seconds an instruction and core. Prints the binades that differ,
 * and exits with 1 if any does.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "unit/sem_approx.h"

enum { BINADES = APPROX_BINADES, THREADS_MAX = 256 };

typedef struct check {
    const approx_form *form;
    atomic_uint next;
    uint64_t got[BINADES];
} check;

static void *
work(void *arg)
{
    check *c = arg;
    unsigned b;
    while ((b = atomic_fetch_add(&c->next, 1)) < BINADES)
        c->got[b] = c->form->digest((uint32_t)b << 23, 1, 1u << 23);
    return NULL;
}

static bool
check_form(const approx_form *form, unsigned threads)
{
    uint64_t want[BINADES];
    if (!approx_read_digests(form->name, want)) {
        printf("%s: no digests in tests/data/h200_approx.csv\n", form->name);
        return false;
    }
    check c = {.form = form};
    pthread_t thread[THREADS_MAX];
    unsigned started = 0, bad = 0;
    while (started < threads - 1 &&
           pthread_create(&thread[started], NULL, work, &c) == 0)
        started++;
    work(&c);
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    for (unsigned b = 0; b < BINADES; b++) {
        if (c.got[b] == want[b])
            continue;
        bad++;
        printf("%s: sign %u exponent %u differs\n", form->name, b >> 8,
               b & 255);
    }
    printf("%s: %u of %u binades equal\n", form->name, BINADES - bad, BINADES);
    fflush(stdout);
    return bad == 0;
}

int
main(int argc, char **argv)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = cores < 1             ? 1
                       : cores > THREADS_MAX ? THREADS_MAX
                                             : (unsigned)cores;
    bool ok = true;
    for (size_t k = 0; k < APPROX_COUNT; k++) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], approx_forms[k].name) == 0;
        ok &= !wanted || check_form(&approx_forms[k], threads);
    }
    return ok ? 0 : 1;
}
