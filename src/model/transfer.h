/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfer.h - what copies take: over the bus between host and device, and
 * within the device's memory. Pure; any thread.
 */
#ifndef SW_MODEL_TRANSFER_H
#define SW_MODEL_TRANSFER_H
#include "model/machine.h"
#include "watch/watch.h"

/* A device without a bus of its own in the table (integrated, MXM) is as one of
 * PCIe 2.0. */
sw_watch_time sw_model_copy_time(const sw_machine *machine,
                                 const sw_watch_copy *copy);

#endif
