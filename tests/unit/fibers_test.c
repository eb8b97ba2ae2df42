/* SPDX-License-Identifier: Apache-2.0 */
/* fibers_test.c - stacks of warps: which are kept, and for whom. */
#include "check.h"
#include "jit/run/fiber.h"

#include <pthread.h>
#include <stdlib.h>

enum { MANY = 600, DEEP = 200 << 10 };

static sw_fiber *fibers[MANY];

/* So many mappings does the process have. */
static long
mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    long lines = 0;
    for (int c; f && (c = getc(f)) != EOF;)
        lines += c == '\n';
    if (f)
        fclose(f);
    return lines;
}

static void
shallow(void *arg)
{
    sw_fiber *self = *(sw_fiber **)arg;
    while (true)
        sw_fiber_leave(self, self);
}

static void
deep(void *arg)
{
    volatile char room[DEEP];
    for (int i = 0; i < DEEP; i += 1024)
        room[i] = 1;
    (void)room[0];
    shallow(arg);
}

static void
take(sw_fiber_fn *fn)
{
    for (int i = 0; i < MANY; i++) {
        fibers[i] = sw_fiber_get(fn, &fibers[i]);
        CHECK(fibers[i]);
        sw_fiber_enter(fibers[i], false);
    }
}

static void
give(void)
{
    for (int i = 0; i < MANY; i++)
        sw_fiber_put(fibers[i]);
}

static void *
take_and_give(void *arg)
{
    (void)arg;
    take(shallow);
    give();
    return NULL;
}

CASE(as_many_as_waited_at_once_are_kept)
{
    take(shallow);
    long before = mappings();
    give();
    CHECK(mappings() > before - MANY / 4);
    take(shallow);
    CHECK(mappings() < before + MANY / 4);
    give();
}

/* What one thread has given another one takes, but for its own few. */
CASE(threads_have_them_in_common)
{
    take(shallow);
    give();
    long before = mappings();
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, take_and_give, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK(mappings() < before + MANY / 2);
}

CASE(those_that_took_much_memory_are_not_kept)
{
    take(deep);
    long before = mappings();
    give();
    CHECK(mappings() < before - MANY);
}
