/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - the figures that the profilers of three eras show, by their own
 * names, made of the raw counts of counters.h and the properties of a device.
 *
 * metrics.def has a row each: the name, what it means, the formula. What
 * cannot be known without time (stalls, cycles, throughputs) has a row too,
 * with the reason instead of a formula; no figure is ever made up. Pure
 * functions on constant tables; any thread.
 */
#ifndef SW_WATCH_METRICS_H
#define SW_WATCH_METRICS_H
#include "watch/counters.h"

typedef enum {
    SW_ERA_TEXT,   /* CUDA_PROFILE's text profiler, devices of 1.x */
    SW_ERA_NVPROF, /* nvprof, 2.0 to 7.2 */
    SW_ERA_NCU,    /* Nsight Compute, 7.0 on */
    SW_ERA_COUNT
} sw_era;

/* The era whose profiler people used for a capability times ten; 7.x: NCU. */
sw_era sw_era_of(uint32_t cc);

typedef enum {
    SW_FIGURE_COUNT,   /* events of some kind: an integer */
    SW_FIGURE_BYTES,   /* an integer */
    SW_FIGURE_PERCENT, /* 0 to 100, may be above where sharing saves traffic */
    SW_FIGURE_RATIO
} sw_figure;

typedef struct {
    sw_era era;
    const char *name;
    sw_figure unit;
    const char *text;    /* what it counts, a phrase */
    const char *missing; /* why there is none, a phrase; NULL: there is */
    uint32_t from, to;   /* capabilities times ten that have it */
    bool caches;         /* needs sw_count_launch.caches */
    bool of_device;      /* means nothing for one instruction */
} sw_metric;

size_t sw_metric_count(void);
const sw_metric *sw_metric_at(size_t i); /* i < count; grouped by era */
/* By exact name; era SW_ERA_COUNT: whichever has it. NULL: no such metric. */
const sw_metric *sw_metric_find(sw_era era, const char *name);
/* Names like `name`, for an error message; as sw_device_near. */
void sw_metric_near(const char *name, size_t limit, sw_buf *out);
/* Whether that capability's profiler has the metric. */
bool sw_metric_applies(const sw_metric *metric, uint32_t cc);

/*
 * The value for counts `n` of that launch: its total or one row's. `scale`
 * multiplies counts (sw_counters_scale), not ratios. one_sm: events of 1.x as
 * the hardware counted them, on one multiprocessor or one group of two or
 * three; here the device's count divided by their number, so an average.
 * False: not available (missing, or caches were not simulated), or a ratio of
 * nothing.
 */
bool sw_metric_value(const sw_metric *metric, const sw_count_launch *launch,
                     const sw_counts *n, double scale, bool one_sm,
                     double *value);

#endif
