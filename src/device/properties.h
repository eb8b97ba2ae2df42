/* SPDX-License-Identifier: Apache-2.0 */
/*
 * properties.h - the numbers a driver tells of a device.
 *
 * Computed from sw_device_info and sw_cc_limits; for the default device they
 * equal, all of them, what a real H200 answered. For others: what the tables
 * know is theirs; features follow the compute capability that brought them;
 * limits of images follow the generation; what nothing is known of is 0, as a
 * driver says "not supported". No state; any thread.
 */
#ifndef SW_DEVICE_PROPERTIES_H
#define SW_DEVICE_PROPERTIES_H
#include "device/device.h"

/* Driver attribute numbers (CUdevice_attribute) run from 1 to this. */
enum { SW_DEVICE_ATTRIBUTES = 147 };

/* The value of driver attribute number `attribute`; false, *value untouched,
 * for a number outside 1..SW_DEVICE_ATTRIBUTES. Clocks in kHz, sizes in bytes,
 * as the driver has them. */
bool sw_device_attribute(const sw_device_info *device, int attribute,
                         int *value);
/* The attribute's words in lower case, "max_threads_per_block"; NULL if
 * unknown. */
const char *sw_device_attribute_name(int attribute);

/* Global memory, bytes, as reported. */
uint64_t sw_device_total_bytes(const sw_device_info *device);
/* 16 bytes that are the same for a device every time and differ between
 * devices and between places among all that there are. */
void sw_device_uuid(const sw_device_info *device, int physical,
                    uint8_t uuid[16]);

#endif
