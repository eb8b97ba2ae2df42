/* SPDX-License-Identifier: Apache-2.0 */
/*
 * board.h - what the files of this folder share: NVML on the tables of devices.
 *
 * NVML sees every device that the settings name, whatever CUDA_VISIBLE_DEVICES
 * hides, and never initialises the engine: a program may fork after it asked.
 * What a device made of software does not have (power, heat, fans, links,
 * counts of errors) is NVML_ERROR_NOT_SUPPORTED, as of a device whose sensors
 * are missing. Any thread.
 */
#ifndef SW_NVML_BOARD_H
#define SW_NVML_BOARD_H
#define SW_LIB_ENTRIES "lib/nvml/entries.def"
#include "lib/common/entries.h"

#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include "cuda/nvml.h"
#include "device/device.h"
#include "lib/common/lib.h"

struct nvmlDevice_st {
    const sw_device_info *info;
    int physical; /* its index */
};

#define TRY(expression)  TRY_AS(nvmlReturn_t, expression)
#define VALID(condition) REQUIRE(condition, NVML_ERROR_INVALID_ARGUMENT)
/* The device is one, and so is the pointer for the answer. */
#define ASKED(device, pointer)                                                 \
    do {                                                                       \
        TRY(board_check(device));                                              \
        VALID(pointer);                                                        \
    } while (0)

nvmlReturn_t board_initialized(void); /* or NVML_ERROR_UNINITIALIZED */
nvmlReturn_t board_check(nvmlDevice_t device);
unsigned board_count(void);
nvmlDevice_t board_at(unsigned index); /* index < count */
/* An attribute of the driver, by its number (device/properties.h). */
int board_attribute(nvmlDevice_t device, int attribute);
/* A text with its zero; NVML_ERROR_INSUFFICIENT_SIZE. */
nvmlReturn_t board_text(const char *text, char *out, unsigned length);
/* "00000000:01:00.0", 32 bytes at most. */
void board_bus_id(nvmlDevice_t device, char *out, size_t bytes);
/* Bytes in use by this process, as far as it has begun to use the device. */
unsigned long long board_used_bytes(nvmlDevice_t device);

#endif
