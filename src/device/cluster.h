/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster.h - how many clusters of blocks a device holds at a time.
 *
 * The blocks of a cluster run on one group of multiprocessors (a graphics
 * processing cluster). Pure arithmetic; any thread. Does NOT know kernels.
 */
#ifndef SW_DEVICE_CLUSTER_H
#define SW_DEVICE_CLUSTER_H
#include "device/device.h"

/* Multiprocessors that clusters leave to other blocks count in no group. */
enum { SW_DEVICE_GROUPS = 16 };

/*
 * Multiprocessors of each group of the device, largest first; returns how many
 * groups there are, 0 below 9.0. What one device answered where that is known,
 * else as many groups of 16 as there are and one of the rest: which
 * multiprocessors of a chip are off differs from one to the next.
 */
unsigned sw_device_groups(const sw_device_info *device,
                          uint32_t out[SW_DEVICE_GROUPS]);

/* The most blocks of a cluster that a launch may have: what every device can,
 * or (nonportable) this one; 0: no clusters. */
uint32_t sw_device_max_cluster(const sw_device_info *device, bool nonportable);

/*
 * Clusters of `blocks` blocks (at least 1) that are resident at a time if a
 * multiprocessor holds `per_sm` blocks of the kernel by themselves.
 */
uint32_t sw_device_active_clusters(const sw_device_info *device,
                                   uint32_t per_sm, uint32_t blocks);

/* The most blocks of a cluster that fits; 0: no block does. */
uint32_t sw_device_potential_cluster(const sw_device_info *device,
                                     uint32_t per_sm, bool nonportable);

#endif
