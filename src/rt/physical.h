/* SPDX-License-Identifier: Apache-2.0 */
/*
 * physical.h - the devices that the settings name (SOFTWARP_DEVICES,
 * SOFTWARP_DEVICE; default: one of sw_device_default), before
 * CUDA_VISIBLE_DEVICES hides some of them. To ask for them does not initialise
 * the process: who only lists devices may fork afterwards. Any thread.
 */
#ifndef SW_RT_PHYSICAL_H
#define SW_RT_PHYSICAL_H
#include "device/device.h"

/* SW_OK, or SW_E_INVALID_DEVICE for an unknown name, which has been said on
 * stderr. The same answer every time. At most SW_RT_MAX_DEVICES count. */
sw_status sw_rt_physical_list(size_t *count);
/* i below the count; borrowed for ever. */
const sw_device_info *sw_rt_physical_at(size_t i);
/* "GPU-" and the digits of its UUID in groups, and a zero: 41 bytes. */
void sw_rt_physical_uuid(const sw_device_info *info, int physical,
                         char text[41]);

#endif
