/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - the table and formulas of metrics.h. */
#include <math.h>
#include <string.h>

#include "watch/metrics.h"

#include "watch/cache.h"

/* What a formula sees. */
typedef struct {
    const sw_count_launch *launch;
    const sw_counts *n;
} input;

typedef enum { SCOPE_DEVICE, SCOPE_LAUNCH, SCOPE_SM, SCOPE_TPC } scope;
enum { NEEDS_PLAIN, NEEDS_CACHES };

/* ---- what formulas are made of ---- */

#define N         (*x->n)
#define M(access) (x->n->mem[SW_ACCESS_##access])

static double
ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : (double)NAN;
}

static double
percent(uint64_t a, uint64_t b)
{
    return 100 * ratio(a, b);
}

/* As sw_counts_executed, lanes. */
static uint64_t
executed_threads_on(const input *x)
{
    return N.thread_on - N.thread_by[SW_COUNT_ADDRESS];
}

/* Addresses and parameters are hardly ever guarded. */
static uint64_t
executed_threads(const input *x)
{
    return N.thread_inst - N.thread_by[SW_COUNT_ADDRESS];
}

/* What the banks can move in the passes that were made. */
static uint64_t
bank_bytes(const input *x)
{
    const sw_cc_limits *l = sw_device_limits((int)x->launch->device->cc);
    return (M(SHARED_LD).wavefronts + M(SHARED_ST).wavefronts) * l->smem_banks *
           l->smem_bank_bytes;
}

static double
room(const input *x, sw_occ_limit limit)
{
    sw_occ occ;
    return sw_count_occupancy(x->launch, &occ) == SW_OK &&
                   occ.room[limit] != UINT32_MAX
               ? occ.room[limit]
               : (double)NAN;
}

/* Blocks that the configuration of shared memory has room for. */
static double
shared_room(const input *x)
{
    const sw_count_launch *l = x->launch;
    uint32_t shared = l->static_shared_bytes + l->dynamic_shared_bytes;
    sw_occ occ;
    if (sw_count_occupancy(l, &occ) != SW_OK || !occ.blocks || !occ.smem_block)
        return room(x, SW_OCC_SMEM);
    return (double)(sw_unified_shared_bytes(l->device, occ.blocks, shared) /
                    occ.smem_block);
}

static double
occupancy(const input *x)
{
    sw_occ occ;
    return sw_count_occupancy(x->launch, &occ) == SW_OK ? occ.percent
                                                        : (double)NAN;
}

/* ---- the table ---- */

typedef double formula_fn(const input *x);

#define NAME2(a, b) a##b
#define NAME(a, b)  NAME2(a, b)
#define METRIC(era, name, unit, from, to, scope, caches, text, formula)        \
    static double NAME(formula_, __LINE__)(const input *x)                     \
    {                                                                          \
        return (double)(formula);                                              \
    }
#include "watch/metrics.def"

typedef struct {
    sw_metric metric;
    formula_fn *formula;
    scope scope;
} row;

static const row rows[] = {
#define METRIC(era, name, unit, from, to, scope, caches, text, formula)        \
    {{SW_ERA_##era, name, SW_FIGURE_##unit, text, NULL, from, to,              \
      NEEDS_##caches, SCOPE_##scope == SCOPE_LAUNCH},                          \
     NAME(formula_, __LINE__),                                                 \
     SCOPE_##scope},
#define MISSING(era, name, from, to, text, reason)                             \
    {{SW_ERA_##era, name, SW_FIGURE_COUNT, text, reason, from, to, false,      \
      true},                                                                   \
     NULL,                                                                     \
     SCOPE_LAUNCH},
#include "watch/metrics.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

sw_era
sw_era_of(uint32_t cc)
{
    return cc < 20 ? SW_ERA_TEXT : cc < 70 ? SW_ERA_NVPROF : SW_ERA_NCU;
}

size_t
sw_metric_count(void)
{
    return ROWS;
}

const sw_metric *
sw_metric_at(size_t i)
{
    return &rows[i].metric;
}

const sw_metric *
sw_metric_find(sw_era era, const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if ((era == SW_ERA_COUNT || rows[i].metric.era == era) &&
            strcmp(rows[i].metric.name, name) == 0)
            return &rows[i].metric;
    /* Nsight Compute's lists have names without `.sum` and the like. */
    size_t n = strlen(name);
    for (size_t i = 0; i < ROWS && !strchr(name, '.'); i++)
        if (rows[i].metric.era == SW_ERA_NCU &&
            strncmp(rows[i].metric.name, name, n) == 0 &&
            rows[i].metric.name[n] == '.')
            return &rows[i].metric;
    return NULL;
}

/* Letters in the same order, of both: how alike two names are. */
static size_t
likeness(const char *a, const char *b)
{
    size_t n = 0;
    for (const char *p = b; *a; a++) {
        const char *at = strchr(p, *a);
        if (at) {
            n++;
            p = at + 1;
        }
    }
    return n;
}

void
sw_metric_near(const char *name, size_t limit, sw_buf *out)
{
    bool said[ROWS] = {false};
    size_t length = strlen(name);
    for (size_t k = 0; k < limit; k++) {
        size_t best = ROWS, most = length * 2 / 3;
        for (size_t i = 0; i < ROWS; i++) {
            const char *other = rows[i].metric.name;
            size_t same = likeness(name, other);
            if (!said[i] && same > most && strlen(other) <= 2 * length + 4) {
                most = same;
                best = i;
            }
        }
        if (best == ROWS)
            return;
        said[best] = true;
        sw_buf_printf(out, "%s%s", k ? ", " : "", rows[best].metric.name);
    }
}

bool
sw_metric_applies(const sw_metric *metric, uint32_t cc)
{
    return cc >= metric->from && cc <= metric->to;
}

bool
sw_metric_value(const sw_metric *metric, const sw_count_launch *launch,
                const sw_counts *n, double scale, bool one_sm, double *value)
{
    const row *r = (const row *)(const void *)metric;
    if (!r->formula || (metric->caches && !launch->caches))
        return false;
    input x = {launch, n};
    double v = r->formula(&x);
    if (isnan(v))
        return false;
    if (metric->unit == SW_FIGURE_COUNT || metric->unit == SW_FIGURE_BYTES) {
        double sms = launch->device->sm_count ? launch->device->sm_count : 1;
        double group = launch->device->cc < 12 ? 2 : 3;
        v *= scale;
        if (one_sm && r->scope == SCOPE_SM)
            v /= sms;
        if (one_sm && r->scope == SCOPE_TPC)
            v /= sms > group ? sms / group : 1;
    }
    *value = v;
    return true;
}
