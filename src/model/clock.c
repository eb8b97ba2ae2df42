/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.c - two observers that predict each launch on the device that it is
 * launched on.
 *
 * `clock` gives the API the device's times: each kernel takes what the model
 * says, each copy what the bus does. Kernels find in L2 what earlier ones have
 * left there.
 *
 * `forecast` only tells profiles. It takes each launch alone, with an empty L2.
 * A program may launch one shape very often: of a kernel's launches of one
 * shape the first EACH are traced, then those whose number is a power of two.
 * The others take the times of the last that was traced.
 */
#include <string.h>

#include "model/launches.h"
#include "model/transfer.h"

enum {
    DEVICES_MOST = 64,
    EACH = 32,
    /* Instructions of a launch; a tenth of a second or so. */
    FORECAST_PLAYED = 1000000,
    FORECAST_TRACED = 400000
};

typedef struct {
    sw_launches launches;
    sw_machine machines[DEVICES_MOST];
    size_t count;
    sw_map *shapes; /* forecast: of a shape_key -> shape * */
} device_clock;

/* Launches of a kernel that look alike. */
typedef struct {
    const sw_fn *fn;
    const sw_device_info *device;
    uint32_t grid[3], block[3], shared, padding;
} shape_key;

typedef struct {
    uint64_t launches;
    const sw_times *last; /* NULL: none has ended */
} shape;

typedef struct {
    sw_launched *launched; /* NULL: it is not traced */
    const sw_device_info *device;
    shape *shape; /* forecast */
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
    *t = (timed){.launched =
                     sw_launched_begin(&c->launches, launch, observer, sample),
                 .device = launch->device};
    return t;
}

static const sw_times *
play_locked(device_clock *c, const timed *t)
{
    const sw_seen *seen = sw_launched_finish_locked(&c->launches, t->launched);
    return sw_launches_play_locked(&c->launches, seen,
                                   find_machine_locked(c, t->device), 1);
}

static void
launch_end(void *arg, void *state, const sw_watch_end *end)
{
    device_clock *c = arg;
    timed *t = state;
    if (end->status == SW_OK && end->has_started) {
        pthread_mutex_lock(&c->launches.lock);
        const sw_times *times =
            t->launched ? play_locked(c, t) : t->shape->last;
        if (t->shape)
            t->shape->last = times;
        else if (times->status == SW_OK)
            *end->time = (sw_watch_time){times->ns, times->fills};
        if (end->forecast && times && times->status == SW_OK)
            *end->forecast = times;
        pthread_mutex_unlock(&c->launches.lock);
    }
    sw_launched_destroy(t->launched);
    sw_free(t);
}

/* ---- forecast ---- */

static shape *
find_shape_locked(device_clock *c, const sw_watch_launch *l)
{
    shape_key key;
    memset(&key, 0, sizeof key);
    key.fn = l->fn;
    key.device = l->device;
    memcpy(key.grid, l->grid, sizeof key.grid);
    memcpy(key.block, l->block, sizeof key.block);
    key.shared = l->dynamic_shared_bytes;
    sw_str text = {(const char *)&key, sizeof key};
    shape *s = sw_map_get(c->shapes, text);
    if (!s) {
        s = sw_alloc(sizeof *s);
        sw_map_set(c->shapes, text, s);
    }
    return s;
}

static void *
forecast_begin(void *arg, const sw_watch_launch *launch,
               const sw_observer **observer, uint32_t *sample)
{
    device_clock *c = arg;
    pthread_mutex_lock(&c->launches.lock);
    shape *s = find_shape_locked(c, launch);
    uint64_t n = ++s->launches;
    bool is_traced = n <= EACH || !(n & (n - 1));
    pthread_mutex_unlock(&c->launches.lock);
    timed *t = sw_alloc(sizeof *t);
    *t = (timed){.device = launch->device, .shape = s};
    if (is_traced)
        t->launched = sw_launched_begin(&c->launches, launch, observer, sample);
    return t;
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

bool
sw_watch_open_forecast(const char *options, sw_watcher *out)
{
    (void)options;
    device_clock *c = sw_alloc(sizeof *c);
    sw_launches_init(&c->launches);
    c->launches.budget = FORECAST_PLAYED;
    c->launches.traced = FORECAST_TRACED;
    c->shapes = sw_map_create();
    *out = (sw_watcher){
        .arg = c, .launch_begin = forecast_begin, .launch_end = launch_end};
    return true;
}
