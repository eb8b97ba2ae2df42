/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ladder.c - the six ways over a matrix of 2048 x 2048 floats, as the profiler
 * of 2008 would have counted them, beside what follows from the rules of the
 * programming guide with pencil and paper: 131,072 warps' loads and stores, two
 * half-warps each.
 */
#include <stdio.h>
#include <string.h>

#include "truth/run.h"

enum { WARPS = 131072, HALVES = 2 * WARPS, MOST = 6 };

typedef struct {
    const char *name;
    int want; /* of the device */
} event;

typedef struct {
    const char *name; /* of the case */
    event events[MOST];
} rung;

/* GT200: stores of 64 bytes count 4, of 32 bytes 2; a lane whose row lies
 * elsewhere has a transaction of 32 bytes for itself. */
static const rung gtx280[] = {
    {"transpose_copy_2048",
     {{"gld_64b", HALVES}, {"gst_64b", 4 * HALVES}, {"warp_serialize", 0}}},
    {"transpose_sharedcopy_2048",
     {{"gld_64b", HALVES}, {"gst_64b", 4 * HALVES}, {"warp_serialize", 0}}},
    {"transpose_naive_2048",
     {{"gld_64b", HALVES},
      {"gst_64b", 0},
      {"gst_32b", 2 * 32 * WARPS},
      {"warp_serialize", 0}}},
    {"transpose_coalesced_2048", /* columns of a tile 32 wide: one bank */
     {{"gld_64b", HALVES},
      {"gst_64b", 4 * HALVES},
      {"gst_32b", 0},
      {"warp_serialize", WARPS}}},
    {"transpose_padded_2048",
     {{"gld_64b", HALVES}, {"gst_64b", 4 * HALVES}, {"warp_serialize", 0}}},
    {"transpose_diagonal_2048",
     {{"gld_64b", HALVES},
      {"gst_64b", 4 * HALVES},
      {"warp_serialize", 0},
      {"divergent_branch", 0}}},
};

/* G80: only what all of a half-warp does in order coalesces. */
static const rung g80[] = {
    {"transpose_naive_2048",
     {{"gld_coherent", HALVES},
      {"gld_incoherent", 0},
      {"gst_coherent", 0},
      {"gst_incoherent", 32 * WARPS}}},
    {"transpose_coalesced_2048",
     {{"gld_coherent", HALVES},
      {"gld_incoherent", 0},
      {"gst_coherent", HALVES},
      {"gst_incoherent", 0},
      {"warp_serialize", WARPS}}},
};

static bool
climb(const sw_device_info *device, const rung *r, const truth_case *c)
{
    bool ok = true;
    sw_counters *counters = truth_run(c, device, 16, 1);
    printf("%s, %s:", device->name, r->name);
    for (const event *e = r->events;
         counters && e < r->events + MOST && e->name; e++) {
        double all = -1, one = -1;
        const sw_metric *m = sw_metric_find(SW_ERA_TEXT, e->name);
        const sw_count_launch *l = sw_counters_launch(counters);
        const sw_counts *n = sw_counters_total(counters);
        bool has = m && sw_metric_applies(m, device->cc) &&
                   sw_metric_value(m, l, n, 1, false, &all) &&
                   sw_metric_value(m, l, n, 1, true, &one);
        printf(" %s %.0f", e->name, one);
        if (!has || (long long)(all + 0.5) != e->want) {
            printf(" (all: %.0f, not %d)", all, e->want);
            ok = false;
        }
    }
    printf("\n");
    ok = ok && counters;
    sw_counters_destroy(counters);
    return ok;
}

static bool
climb_all(const char *name, const rung *rungs, size_t n,
          const truth_case *cases, size_t count, unsigned counts[2])
{
    const sw_device_info *device = sw_device_find(name);
    for (size_t i = 0; device && i < n; i++)
        for (size_t k = 0; k < count; k++)
            if (strcmp(cases[k].name, rungs[i].name) == 0)
                counts[climb(device, &rungs[i], &cases[k])]++;
    return device != NULL;
}

int
truth_ladder(const truth_case *cases, size_t count)
{
    unsigned counts[2] = {0, 0}; /* failed, passed */
    size_t n = sizeof gtx280 / sizeof *gtx280;
    bool ok = climb_all("GeForce GTX 280", gtx280, n, cases, count, counts) &&
              climb_all("GeForce 8800 GTX", g80, sizeof g80 / sizeof *g80,
                        cases, count, counts) &&
              counts[0] + counts[1] == n + sizeof g80 / sizeof *g80;
    printf("unit/counters_ladder: %u passed, %u failed\n", counts[1],
           counts[0] + !ok);
    return counts[0] || !ok;
}
