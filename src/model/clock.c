/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.c - the observer that gives the API the device's times: each kernel
 * takes what the model says it takes on the device that it is launched on, each
 * copy what the bus does. Kernels find in L2 what earlier ones have left there.
 */
#include "model/launches.h"
#include "model/transfer.h"

enum { DEVICES_MOST = 64 };

typedef struct {
    sw_launches launches;
    sw_machine machines[DEVICES_MOST];
    size_t count;
} device_clock;

typedef struct {
    sw_launched *launched;
    const sw_device_info *device;
} timed;

static const sw_machine *
find_machine_locked(device_clock *c, const sw_device_info *device)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->machines[i].device == device)
            return &c->machines[i];
    size_t at = c->count < DEVICES_MOST ? c->count++ : 0;
    c->machines[at] = sw_machine_of(device);
    return &c->machines[at];
}

static void *
launch_begin(void *arg, const sw_watch_launch *launch,
             const sw_observer **observer, uint32_t *sample)
{
    device_clock *c = arg;
    timed *t = sw_alloc(sizeof *t);
    *t = (timed){sw_launched_begin(&c->launches, launch, observer, sample),
                 launch->device};
    return t;
}

static void
launch_end(void *arg, void *state, const sw_watch_end *end)
{
    device_clock *c = arg;
    timed *t = state;
    if (end->status == SW_OK && end->has_started) {
        pthread_mutex_lock(&c->launches.lock);
        const sw_seen *seen =
            sw_launched_finish_locked(&c->launches, t->launched);
        const sw_machine *m = find_machine_locked(c, t->device);
        const sw_times *times =
            sw_launches_play_locked(&c->launches, seen, m, 1);
        if (times->status == SW_OK)
            *end->time = (sw_watch_time){times->ns, times->fills};
        pthread_mutex_unlock(&c->launches.lock);
    }
    sw_launched_destroy(t->launched);
    sw_free(t);
}

static sw_watch_time
copy_time(void *arg, const sw_watch_copy *copy)
{
    device_clock *c = arg;
    pthread_mutex_lock(&c->launches.lock);
    sw_watch_time t =
        sw_model_copy_time(find_machine_locked(c, copy->device), copy);
    pthread_mutex_unlock(&c->launches.lock);
    return t;
}

bool
sw_watch_open_clock(const char *options, sw_watcher *out)
{
    (void)options;
    device_clock *c = sw_alloc(sizeof *c);
    sw_launches_init(&c->launches);
    c->launches.is_warm = true;
    *out = (sw_watcher){.arg = c,
                        .launch_begin = launch_begin,
                        .launch_end = launch_end,
                        .copy_time = copy_time};
    return true;
}
