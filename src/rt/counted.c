/* SPDX-License-Identifier: Apache-2.0 */
/* counted.c - the observer that counts a program's launches while it is
 * profiled. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "rt/activity.h"
#include "rt/module.h"
#include "rt/textlog.h"
#include "rt/watch.h"
#include "watch/partitions.h"

struct sw_rt_counted {
    sw_counters *counters;
    sw_partitions *partitions; /* or NULL */
};

static struct {
    bool caches, has_pattern;
    uint32_t sample;
    regex_t pattern;
} all;

static void
read_pattern(const char *text)
{
    char why[256];
    int error = regcomp(&all.pattern, text, REG_EXTENDED | REG_NOSUB);
    all.has_pattern = !error;
    if (!error)
        return;
    regerror(error, &all.pattern, why, sizeof why);
    sw_log(SW_LOG_WARN, "SOFTWARP_PROFILE_KERNELS=%s: %s; all are counted",
           text, why);
}

/* Blocks that the whole device holds at once. */
static uint32_t
resident_blocks(const sw_count_launch *l)
{
    sw_occ occ;
    return sw_count_occupancy(l, &occ) == SW_OK
               ? occ.blocks * l->device->sm_count
               : 1;
}

static void *
launch_begin(void *arg, const sw_watch_launch *l, const sw_observer **observer,
             uint32_t *sample)
{
    (void)arg;
    if (!l->is_recorded)
        return NULL;
    if (all.has_pattern && regexec(&all.pattern, l->fn->name, 0, NULL, 0) != 0)
        return NULL;
    sw_count_launch launch = {.kernel = l->fn->name,
                              .device = l->device,
                              .grid = {l->grid[0], l->grid[1], l->grid[2]},
                              .block = {l->block[0], l->block[1], l->block[2]},
                              .static_shared_bytes = l->static_shared_bytes,
                              .dynamic_shared_bytes = l->dynamic_shared_bytes,
                              .regs = l->regs,
                              .ins_count = l->ins_count,
                              .sample = l->is_sampled_ok ? all.sample : 1,
                              .caches = all.caches};
    sw_rt_counted *c = sw_alloc(sizeof *c);
    c->counters = sw_counters_create(&launch);
    *observer = sw_counters_observer(c->counters);
    if (launch.sample == 1)
        c->partitions =
            sw_partitions_create(&launch, resident_blocks(&launch), *observer);
    if (c->partitions)
        *observer = sw_partitions_observer(c->partitions);
    *sample = launch.sample;
    return c;
}

/* Who reads the counters then is activity.c. */
static void
launch_end(void *arg, void *launch, const sw_watch_end *end)
{
    (void)arg;
    (void)end;
    sw_rt_counted *c = launch;
    if (c)
        sw_counters_finish(c->counters);
}

sw_rt_counted *
sw_rt_counted_of(const sw_rt_launch *launch)
{
    return sw_rt_watched_state(launch->watched, launch_begin);
}

const sw_counters *
sw_rt_counted_get(const sw_rt_counted *c)
{
    return c->counters;
}

double
sw_rt_counted_camping(const sw_rt_counted *c, uint32_t index)
{
    return c->partitions ? sw_partitions_camping(c->partitions, index) : 0;
}

void
sw_rt_counted_destroy(sw_rt_counted *c)
{
    if (!c)
        return;
    sw_partitions_destroy(c->partitions);
    sw_counters_destroy(c->counters);
    sw_free(c);
}

void
sw_rt_counted_load(void)
{
    static const sw_watcher watcher = {.launch_begin = launch_begin,
                                       .launch_end = launch_end};
    const char *count = sw_setting(SW_SETTING_PROFILE_COUNT);
    const char *kernels = sw_setting(SW_SETTING_PROFILE_KERNELS);
    bool wanted = count && strcmp(count, "0") != 0;
    if (!wanted && !sw_rt_textlog_counts())
        return;
    all.caches = sw_rt_textlog_needs_caches() ||
                 (wanted && strcmp(count, "caches") == 0);
    all.sample = (uint32_t)sw_setting_number(SW_SETTING_PROFILE_SAMPLE, 1);
    if (kernels)
        read_pattern(kernels);
    sw_rt_watch_add(&watcher);
}
