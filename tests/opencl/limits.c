/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.c - what the first device says of itself, in one line: name;
 * multiprocessors;capability;work-items of a group and of its dimensions;those
 * of a warp;registers;bytes of local memory;of constant memory;extensions of
 * capabilities: g and l, 32-bit atomics in global and local memory; d, fp64; h,
 * fp16.
 */
#define CL_TARGET_OPENCL_VERSION 120
/* clang-format off */
#include <CL/cl.h>
#include <CL/cl_ext.h>
/* clang-format on */
#include <stdio.h>
#include <string.h>

static cl_ulong
number(cl_device_id device, cl_device_info what)
{
    cl_ulong value = 0;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) ? 0
                                                                     : value;
}

static const char *
letter(const char *extensions, const char *name, const char *letter)
{
    return strstr(extensions, name) ? letter : "";
}

int
main(void)
{
    char extensions[4096] = "";
    cl_platform_id platform;
    cl_device_id device;
    char name[128] = "";
    size_t sizes[3] = {0};
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) ||
        clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL) ||
        clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes,
                        sizes, NULL) ||
        clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions,
                        extensions, NULL))
        return 1;
    printf("%s;%u;%u.%u;%u %zu %zu %zu;%u;%u;%u;%u;%s%s%s%s\n", name,
           (unsigned)number(device, CL_DEVICE_MAX_COMPUTE_UNITS),
           (unsigned)number(device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV),
           (unsigned)number(device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV),
           (unsigned)number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE), sizes[0],
           sizes[1], sizes[2], (unsigned)number(device, CL_DEVICE_WARP_SIZE_NV),
           (unsigned)number(device, CL_DEVICE_REGISTERS_PER_BLOCK_NV),
           (unsigned)number(device, CL_DEVICE_LOCAL_MEM_SIZE),
           (unsigned)number(device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE),
           letter(extensions, "cl_khr_global_int32_base_atomics", "g"),
           letter(extensions, "cl_khr_local_int32_base_atomics", "l"),
           letter(extensions, "cl_khr_fp64", "d"),
           letter(extensions, "cl_khr_fp16", "h"));
    return 0;
}
