/* SPDX-License-Identifier: Apache-2.0 */
/* compute.c - see compute.h. */
#include "rt/compute.h"

#include <inttypes.h>
#include <string.h>

#include "rt/memory.h"

sw_rt_compute *
sw_rt_compute_create(const char *name, bool (*fn)(void *args),
                     void (*drop)(void *args), const void *args,
                     size_t arg_bytes, const sw_rt_access *accesses,
                     size_t count)
{
    sw_rt_compute *c = sw_alloc(sizeof *c);
    *c = (sw_rt_compute){
        .refs = 1, .name = name, .fn = fn, .drop = drop, .access_count = count};
    c->args = sw_alloc(arg_bytes ? arg_bytes : 1);
    if (arg_bytes)
        memcpy(c->args, args, arg_bytes);
    if (count) {
        c->accesses = sw_alloc(count * sizeof *accesses);
        memcpy(c->accesses, accesses, count * sizeof *accesses);
    }
    return c;
}

void
sw_rt_compute_ref(sw_rt_compute *c)
{
    __atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
}

void
sw_rt_compute_unref(sw_rt_compute *c)
{
    if (!c || __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL))
        return;
    if (c->drop)
        c->drop(c->args);
    sw_free(c->args);
    sw_free(c->accesses);
    sw_free(c);
}

/* The first access to what is not there, or NULL. */
static const sw_rt_access *
find_wrong(const sw_rt_compute *c)
{
    for (size_t i = 0; i < c->access_count; i++) {
        const sw_rt_access *a = &c->accesses[i];
        if (a->width && a->rows &&
            !sw_rt_memory_has_rows(a->addr, a->width, a->rows, 1, a->pitch, 0))
            return a;
    }
    return NULL;
}

bool
sw_rt_compute_is_possible(const sw_rt_compute *c)
{
    return !find_wrong(c);
}

void
sw_rt_compute_execute(const sw_rt_compute *c, sw_rt_context *context)
{
    const sw_rt_access *a = find_wrong(c);
    if (!a && c->fn(c->args))
        return;
    if (sw_rt_context_error(context) == SW_OK && a)
        sw_log(SW_LOG_ERROR,
               "%s %s %" PRIu64 " rows of %" PRIu64 " bytes at 0x%" PRIx64
               ", %" PRIu64 " bytes apart: they are not all in memory that the "
               "device has",
               c->name, a->writes ? "writes" : "reads", a->rows, a->width,
               a->addr, a->pitch);
    else if (sw_rt_context_error(context) == SW_OK)
        sw_log(SW_LOG_ERROR,
               "%s: an address in its arrays is none of the device's memory",
               c->name);
    sw_rt_context_fail(context, SW_E_ILLEGAL_ADDRESS);
}

static void
run(void *compute)
{
    const sw_rt_compute *c = compute;
    c->fn(c->args);
}

sw_rt_work
sw_rt_compute_work(sw_rt_compute *compute)
{
    sw_rt_work work = {.kind = SW_RT_COMPUTE};
    work.host.fn = run;
    work.host.arg = compute;
    return work;
}
