/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partitions.h - whether blocks that run at the same time reach for the same
 * partition of memory. On devices of 1.x partitions take turns every 256 bytes
 * of the address, and blocks whose rows are a power of two apart all wait for
 * one ("partition camping"). Later devices scatter addresses.
 *
 * An observer in front of another one, which gets every event. Looked at is the
 * first execution of each instruction by each warp, among blocks that a device
 * would start together: blocks of one window of consecutive numbers. That is
 * what shows without a model of time; blocks that fall out of step later are
 * not seen.
 */
#ifndef SW_WATCH_PARTITIONS_H
#define SW_WATCH_PARTITIONS_H
#include "watch/counters.h"

typedef struct sw_partitions sw_partitions;

/* NULL if the device has no such partitions. `resident`: blocks that the whole
 * device holds at once. `next` (borrowed) gets all events. Owned by caller,
 * sw_partitions_destroy, after the launch's end. */
sw_partitions *sw_partitions_create(const sw_count_launch *launch,
                                    uint32_t resident, const sw_observer *next);
void sw_partitions_destroy(sw_partitions *partitions);
const sw_observer *sw_partitions_observer(sw_partitions *partitions);

/*
 * After the launch: of the instruction with this number, how many times as much
 * as its share the busiest partition has, averaged over windows: 1 to the
 * number of partitions. 0: it does not access global memory, or too little.
 */
double sw_partitions_camping(const sw_partitions *partitions, uint32_t index);

#endif
