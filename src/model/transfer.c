/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c - see transfer.h. */
#include "model/transfer.h"

#include <stdlib.h>
#include <string.h>

/* What a bus of 16 lanes reaches, in 10^9 bytes a second. */
typedef struct {
    const char *bus;
    double pinned, pageable;
} bus_rate;

/*
 * 1.0, 2.0: pinned as the tutorials of 2008 state (bandwidthTest); pageable
 * is taken to be a half. 3.0: pinned of a V100 (gpu-benches), pageable of a GTX
 * 680 (a blog's profile, 4 MiB). 4.0: taken to be twice 3.0. 5.0: an H200, 128
 * MiB. 6.0: taken to be
 * twice that, and pageable the same.
 */
static const bus_rate rates[] = {
    {"PCIe 1.0", 3.2, 1.6},    {"PCIe 2.0", 5.2, 2.6},
    {"PCIe 3.0", 12.35, 5.85}, {"PCIe 4.0", 24.7, 11.7},
    {"PCIe 5.0", 55.3, 18.2},  {"PCIe 6.0", 110.6, 18.2},
    {"NVLink-C2C", 350, 18.2},
};

/* From its start to the first byte: an H200's copy of 4 KiB takes 7,170 to
 * 8,060 ns. A copy within the device is a launch. */
static const double START_NS = 7200;

static bus_rate
rate_of(const sw_device_info *device)
{
    bus_rate found = rates[1];
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!strncmp(device->bus, rates[i].bus, strlen(rates[i].bus)))
            found = rates[i];
    const char *lanes = strchr(device->bus, 'x');
    double n = lanes ? strtod(lanes + 1, NULL) : 0;
    if (n > 0 && n < 16) {
        found.pinned *= n / 16;
        if (found.pageable > found.pinned)
            found.pageable = found.pinned;
    }
    return found;
}

sw_watch_time
sw_model_copy_time(const sw_machine *m, const sw_watch_copy *copy)
{
    double bytes = (double)copy->bytes;
    if (copy->src == SW_WATCH_DEVICE && copy->dst == SW_WATCH_DEVICE) {
        double a_second = m->device->mem_bw_gbs * m->g.dram_share;
        double moved = copy->is_fill ? bytes : 2 * bytes;
        return (sw_watch_time){m->g.launch_ns + moved / a_second, 1};
    }
    bus_rate rate = rate_of(m->device);
    bool is_pinned =
        copy->src != SW_WATCH_PAGEABLE && copy->dst != SW_WATCH_PAGEABLE;
    return (sw_watch_time){
        START_NS + bytes / (is_pinned ? rate.pinned : rate.pageable), 1};
}
