/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - would this device accept this launch?
 *
 * Compares a launch with the device's limits and says, in numbers, what is too
 * much. Does NOT know what the kernel does, nor how much memory is free.
 * No state; any thread.
 */
#ifndef SW_DEVICE_LAUNCH_H
#define SW_DEVICE_LAUNCH_H
#include "device/device.h"

typedef struct {
    const char *kernel;  /* for messages; NULL: "kernel" */
    uint32_t grid[3];    /* blocks; each at least 1 */
    uint32_t block[3];   /* threads; each at least 1 */
    uint32_t cluster[3]; /* blocks; all 0: no cluster */
    /* Of the kernel: the only dimensions it runs with (0: any), the most
     * blocks of a cluster (0: no limit of its own), whether a launch must say
     * them, and whether it may be more than every device can. */
    uint32_t own_cluster[3], max_cluster;
    bool needs_cluster, nonportable_cluster;
    /* Blocks of the clusters that the launch would like best, a multiple of
     * the others; all 0: none. */
    uint32_t preferred_cluster[3];
    uint32_t regs; /* per thread; 0: unknown, not checked */
    uint32_t static_smem;
    uint32_t dynamic_smem;
    /* Largest dynamic size that the function was opted in to (CU_FUNC_
     * ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES); 0: not opted in. */
    uint32_t max_dynamic_smem; /* if it was set: */
    bool is_bounded;
    uint32_t local_bytes; /* per thread */
    uint32_t param_bytes;
    uint32_t max_threads;  /* the kernel's .maxntid product; 0: none */
    uint32_t own_block[3]; /* that it must have; all 0: any */
    bool cooperative;      /* all blocks must be resident together */
} sw_launch_shape;

/*
 * SW_OK, or the driver's status with one error in `diag` (NULL allowed):
 *   SW_E_INVAL       zero or too large dimensions, too many threads (for the
 *                    device or the kernel's launch bounds), too much shared
 *                    memory or parameters. The driver says
 *                    CUDA_ERROR_INVALID_VALUE, and so does the runtime of CUDA
 *                    13; older runtimes say cudaErrorInvalidConfiguration
 *                    where sw_launch_is_configuration holds.
 *   SW_E_INVALID_CLUSTER_SIZE   too many blocks, a grid that is no multiple,
 *                    dimensions that the kernel does not allow
 *   SW_E_LAUNCH_OUT_OF_RESOURCES   registers of one block, local memory
 *   SW_E_COOPERATIVE_LAUNCH_TOO_LARGE
 *   SW_E_NOT_SUPPORTED   cooperative or clusters on a device without them
 */
sw_status sw_device_check_launch(const sw_device_info *device,
                                 const sw_launch_shape *shape, sw_diag *diag);

/* Only what concerns clusters, for questions about occupancy: these may be of
 * more blocks than a launch may have; statuses as above. */
sw_status sw_device_check_cluster(const sw_device_info *device,
                                  const sw_launch_shape *shape, sw_diag *diag);

/* True if dimensions or threads are what is wrong: older runtimes then say
 * cudaErrorInvalidConfiguration (9). */
bool sw_launch_is_configuration(const sw_device_info *device,
                                const sw_launch_shape *shape);

/* Bytes of parameters a kernel may have on this device. */
uint32_t sw_device_param_bytes(const sw_device_info *device);

#endif
