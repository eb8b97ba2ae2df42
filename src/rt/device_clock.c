/* SPDX-License-Identifier: Apache-2.0 */
/* device_clock.c - see device_clock.h. */
#include "rt/device_clock.h"

#include "mem/mem.h"

enum {
    BUSY = 32,              /* spans of a part that are remembered */
    DEVICES = 64,           /* more share the last one's parts */
    ASYNC_ENGINE_COUNT = 40 /* CU_DEVICE_ATTRIBUTE_ of that name */
};

/* Marks in streams: what a pair of events around a kernel says more than a
 * profiler, on an H200: the median that `bench/model --only events` prints. */
static const uint64_t EVENT_NS = 2750;

/* When it was busy, and with what share of it. */
typedef struct {
    uint64_t start, end;
    double share;
} span;

bool sw_rt_device_clock_runs;

static struct {
    sw_watcher watcher;
    uint64_t host;                         /* atomic */
    span busy[DEVICES][SW_RT_PARTS][BUSY]; /* rings; lock */
    uint32_t next[DEVICES][SW_RT_PARTS];
} device_clock;

void
sw_rt_device_clock_start(const sw_watcher *watcher)
{
    device_clock.watcher = *watcher;
    device_clock.host = sw_time_ns();
    sw_rt_device_clock_runs = true;
}

uint64_t
sw_rt_host_ns(void)
{
    return sw_rt_device_clock_runs
               ? __atomic_load_n(&device_clock.host, __ATOMIC_ACQUIRE)
               : sw_time_ns();
}

static uint64_t
later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void
sw_rt_device_clock_queued(sw_rt_op_clock *c)
{
    c->ready = sw_rt_host_ns();
}

void
sw_rt_device_clock_after_locked(sw_rt_op_clock *c, const sw_rt_op_clock *other)
{
    c->ready = later(c->ready, other->end);
}

void
sw_rt_device_clock_known(const sw_rt_op_clock *c)
{
    uint64_t host = sw_rt_host_ns();
    while (host < c->end && !__atomic_compare_exchange_n(
                                &device_clock.host, &host, c->end, false,
                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
}

/* ---- parts of a device ---- */

/* Most of the part that is in use at a time within [start, end). */
static double
most_in_use(const span *busy, uint64_t start, uint64_t end)
{
    double most = 0;
    for (uint32_t i = 0; i <= BUSY; i++) {
        uint64_t t = i < BUSY ? later(busy[i].start, start) : start;
        double sum = 0;
        if (t >= end && t != start)
            continue;
        for (uint32_t k = 0; k < BUSY; k++)
            if (busy[k].start <= t && t < busy[k].end)
                sum += busy[k].share;
        most = sum > most ? sum : most;
    }
    return most;
}

/* The first start, not before `ready`, at which there is room for the share. */
static uint64_t
find_start(const span *busy, uint64_t ready, uint64_t ns, double share)
{
    const double room = 1.0001 - share;
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i <= BUSY; i++) {
        uint64_t t = i < BUSY ? later(busy[i].end, ready) : ready;
        if (t < best && most_in_use(busy, t, t + ns) <= room)
            best = t;
    }
    return best;
}

/* Takes its part from the first moment on at which it can be had. */
static void
take(sw_rt_op_clock *c, int ordinal)
{
    uint32_t d = ordinal < DEVICES ? (uint32_t)ordinal : DEVICES - 1;
    span *busy = device_clock.busy[d][c->part];
    uint64_t ns = (uint64_t)(c->takes.ns + 0.5);
    double share =
        c->takes.share > 0 && c->takes.share < 1 ? c->takes.share : 1;
    c->start = find_start(busy, c->ready, ns, share);
    c->end = c->start + ns;
    busy[device_clock.next[d][c->part]++ % BUSY] =
        (span){c->start, c->end, share};
}

void
sw_rt_device_clock_place_locked(sw_rt_op_clock *c, const sw_rt_device *device)
{
    c->start = c->end = c->ready;
    if (c->part != SW_RT_NO_PART)
        take(c, device->ordinal);
    if (c->is_event)
        c->end += EVENT_NS;
}

/* ---- copies ---- */

static sw_watch_place
place_of(uint64_t addr)
{
    sw_mem_range range;
    if (!sw_mem_find(addr, &range))
        return SW_WATCH_PAGEABLE;
    return range.kind == SW_MEM_HOST || range.kind == SW_MEM_REGISTERED
               ? SW_WATCH_PINNED
               : SW_WATCH_DEVICE;
}

void
sw_rt_device_clock_copies(sw_rt_op_clock *c, const sw_rt_device *device,
                          const sw_rt_work *w)
{
    sw_watch_copy copy = {
        .device = device->info, .src = SW_WATCH_DEVICE, .dst = SW_WATCH_DEVICE};
    if (w->kind == SW_RT_FILL) {
        copy.is_fill = true;
        copy.bytes = (uint64_t)w->fill.width * w->fill.elem_bytes *
                     w->fill.height * w->fill.depth;
    } else if (w->kind == SW_RT_COPY) {
        copy.bytes = (uint64_t)w->copy.width * w->copy.height * w->copy.depth;
        copy.src = place_of(w->copy.src);
        copy.dst = place_of(w->copy.dst);
    } else {
        return;
    }
    bool is_up = copy.src != SW_WATCH_DEVICE;
    bool is_down = copy.dst != SW_WATCH_DEVICE;
    int engines = sw_rt_device_get(device, ASYNC_ENGINE_COUNT);
    c->takes = device_clock.watcher.copy_time(device_clock.watcher.arg, &copy);
    c->part = engines == 0 || is_up == is_down ? SW_RT_SMS
              : engines > 1 && is_down         ? SW_RT_COPY_FROM
                                               : SW_RT_COPY_TO;
}
