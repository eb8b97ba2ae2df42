/* SPDX-License-Identifier: Apache-2.0 */
/* cluster.c - see cluster.h. The rule and the groups of a GH100 reproduce all
 * answers of a real H200's cudaOccupancyMaxActiveClusters for clusters of 1 to
 * 18 blocks and 1 to 32 blocks a multiprocessor. */
#include "device/cluster.h"

#include <string.h>

enum {
    USUAL_GROUP = 16,
    MOST_PER_SM = 8, /* of blocks in clusters */
    MOST_BLOCKS = 16
};

static const struct {
    const char *chip;
    uint32_t sm_count;
    uint32_t groups[SW_DEVICE_GROUPS]; /* largest first */
} known[] = {
    {"GH100", 132, {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2}},
};

unsigned
sw_device_groups(const sw_device_info *device, uint32_t out[SW_DEVICE_GROUPS])
{
    unsigned n = 0;
    if (!sw_device_limits((int)device->cc)->max_cluster)
        return 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (device->sm_count != known[i].sm_count || !device->chip ||
            strcmp(device->chip, known[i].chip) != 0)
            continue;
        for (; n < SW_DEVICE_GROUPS && known[i].groups[n]; n++)
            out[n] = known[i].groups[n];
        return n;
    }
    uint32_t left = device->sm_count;
    for (; left && n < SW_DEVICE_GROUPS; n++) {
        out[n] = left < USUAL_GROUP ? left : USUAL_GROUP;
        left -= out[n];
    }
    return n;
}

uint32_t
sw_device_max_cluster(const sw_device_info *device, bool nonportable)
{
    uint32_t groups[SW_DEVICE_GROUPS];
    uint32_t portable = sw_device_limits((int)device->cc)->max_cluster;
    if (!nonportable || !sw_device_groups(device, groups))
        return portable;
    return groups[0] < portable      ? portable
           : groups[0] < MOST_BLOCKS ? groups[0]
                                     : MOST_BLOCKS;
}

uint32_t
sw_device_active_clusters(const sw_device_info *device, uint32_t per_sm,
                          uint32_t blocks)
{
    uint32_t groups[SW_DEVICE_GROUPS], sum = 0;
    unsigned n = sw_device_groups(device, groups);
    if (per_sm > MOST_PER_SM)
        per_sm = MOST_PER_SM;
    for (unsigned i = 0; i < n; i++)
        if (blocks <= groups[i]) /* or it does not count at all */
            sum += groups[i] * per_sm / blocks;
    return sum;
}

uint32_t
sw_device_potential_cluster(const sw_device_info *device, uint32_t per_sm,
                            bool nonportable)
{
    uint32_t most = sw_device_max_cluster(device, nonportable);
    while (most && !sw_device_active_clusters(device, per_sm, most))
        most--;
    return most;
}
