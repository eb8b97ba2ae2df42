/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - what a device says of itself. Devices live as long as the
 * process, and are not divided. */
#include "api/opencl/compiler.h"
#include "api/opencl/info.h"
#include "api/opencl/memory.h"
#include "device/launch.h"
#include "device/properties.h"
#include "rt/device_clock.h"

/* In newer headers than ours. */
#ifndef CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV
#define CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV 0x4007
#define CL_DEVICE_PCI_BUS_ID_NV                   0x4008
#define CL_DEVICE_PCI_SLOT_ID_NV                  0x4009
#define CL_DEVICE_PCI_DOMAIN_ID_NV                0x400A
#endif

#define VERSION(major, minor) CL_MAKE_VERSION(major, minor, 0)

static bool
has_double(cl_device_id d)
{
    return d->device->info->cc >= 13;
}

static bool
has_half(cl_device_id d)
{
    return d->device->info->cc >= 53;
}

/* Warps exchange values. */
static bool
has_subgroups(cl_device_id d)
{
    return d->device->info->cc >= 30;
}

/* Atomics of all orders and scopes, and generic addresses. */
static bool
has_generic(cl_device_id d)
{
    return d->device->info->cc >= 20;
}

/* A quarter of the device's memory, as NVIDIA's; not more than there is. */
cl_ulong
sw_ocl_max_allocation(cl_device_id d)
{
    uint64_t free, total;
    sw_rt_memory_info(d->device, &free, &total);
    uint64_t quarter = total / 4, least = (uint64_t)128 << 20;
    uint64_t most = free > least ? free : least;
    return quarter < most ? quarter : most;
}

static cl_int
answer_sizes(cl_device_id d, const sw_ocl_ask *ask)
{
    size_t sizes[3];
    for (int i = 0; i < 3; i++)
        sizes[i] = d->device->limits->max_block[i];
    return sw_ocl_answer(ask, sizes, sizeof sizes);
}

static cl_int
answer_uuid(cl_device_id d, const sw_ocl_ask *ask)
{
    uint8_t uuid[CL_UUID_SIZE_KHR];
    sw_device_uuid(d->device->info, d->device->physical, uuid);
    return sw_ocl_answer(ask, uuid, sizeof uuid);
}

static cl_int
answer_c_versions(const sw_ocl_ask *ask)
{
    static const cl_name_version versions[] = {
        {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
        {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
        {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
        {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
    };
    return sw_ocl_answer(ask, versions, sizeof versions);
}

static cl_int
answer_c_features(cl_device_id d, const sw_ocl_ask *ask)
{
    static const struct {
        cl_name_version feature;
        uint32_t since;
    } all[] = {
#define CL_EXTENSION(name, known, since)
#define CL_FEATURE(name, known, since)                                         \
    {{CL_MAKE_VERSION(3, 0, 0), #name}, since},
#include "cc/opencl_extensions.def"
#undef CL_EXTENSION
#undef CL_FEATURE
    };
    cl_name_version features[sizeof all / sizeof *all];
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (d->device->info->cc >= all[i].since)
            features[count++] = all[i].feature;
    return sw_ocl_answer(ask, features, count * sizeof *features);
}

static cl_int
answer_ils(const sw_ocl_ask *ask)
{
    static const cl_name_version ils[] = {
        {CL_MAKE_VERSION(1, 0, 0), "SPIR-V"},
        {CL_MAKE_VERSION(1, 1, 0), "SPIR-V"},
        {CL_MAKE_VERSION(1, 2, 0), "SPIR-V"},
    };
    return sw_ocl_answer(ask, ils, sw_ocl_takes_spirv() ? sizeof ils : 0);
}

/* What is not a number or a constant text. */
static cl_int
answer_other(cl_device_id d, cl_device_info name, const sw_ocl_ask *ask)
{
    static const cl_device_partition_property no_partition[] = {0};
    static const uint8_t luid[CL_LUID_SIZE_KHR];
    switch (name) {
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return answer_sizes(d, ask);
    case CL_DEVICE_EXTENSIONS:
        return sw_ocl_answer_extensions(d->device->info->cc, ask);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return sw_ocl_answer_extensions_versions(d->device->info->cc, ask);
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        return answer_c_versions(ask);
    case CL_DEVICE_OPENCL_C_FEATURES:
        return answer_c_features(d, ask);
    case CL_DEVICE_IL_VERSION:
        return sw_ocl_answer_text(ask, sw_ocl_takes_spirv()
                                           ? "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2"
                                           : "");
    case CL_DEVICE_ILS_WITH_VERSION:
        return answer_ils(ask);
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
        return sw_ocl_answer(ask, NULL, 0);
    case CL_DEVICE_PARTITION_PROPERTIES:
        return sw_ocl_answer(ask, no_partition, sizeof no_partition);
    case CL_DEVICE_PARTITION_TYPE:
        return sw_ocl_answer(ask, no_partition, sizeof no_partition);
    case CL_DEVICE_UUID_KHR:
    case CL_DRIVER_UUID_KHR:
        return answer_uuid(d, ask);
    case CL_DEVICE_LUID_KHR:
        return sw_ocl_answer(ask, luid, sizeof luid);
    default:
        return CL_INVALID_VALUE;
    }
}

#define a(n) sw_rt_device_get(d->device, n)

cl_int
clGetDeviceInfo(cl_device_id device, cl_device_info param_name,
                size_t param_value_size, void *param_value,
                size_t *param_value_size_ret)
{
    ASK(ask);
    GET(cl_device_id, d, device, SW_OCL_DEVICE, CL_INVALID_DEVICE);
    const sw_cc_limits *l = d->device->limits;
    switch (param_name) {
#define ITEM(name, type, ...)                                                  \
    case name:                                                                 \
        ANSWER(&ask, type, __VA_ARGS__);
#define TEXT(name, text)                                                       \
    case name:                                                                 \
        return sw_ocl_answer_text(&ask, text);
#include "api/opencl/device_info.def"
#undef ITEM
#undef TEXT
    default:
        return answer_other(d, param_name, &ask);
    }
}

/* No property is supported, as CL_DEVICE_PARTITION_PROPERTIES says. */
cl_int
clCreateSubDevices(cl_device_id in_device,
                   const cl_device_partition_property *properties,
                   cl_uint num_devices, cl_device_id *out_devices,
                   cl_uint *num_devices_ret)
{
    (void)properties;
    (void)num_devices;
    (void)out_devices;
    (void)num_devices_ret;
    return sw_ocl_get(in_device, SW_OCL_DEVICE) ? CL_INVALID_VALUE
                                                : CL_INVALID_DEVICE;
}

cl_int
clCreateSubDevicesEXT(cl_device_id in_device,
                      const cl_device_partition_property_ext *properties,
                      cl_uint num_entries, cl_device_id *out_devices,
                      cl_uint *num_devices)
{
    (void)properties;
    return clCreateSubDevices(in_device, NULL, num_entries, out_devices,
                              num_devices);
}

cl_int
clRetainDevice(cl_device_id device)
{
    return sw_ocl_get(device, SW_OCL_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int
clReleaseDevice(cl_device_id device)
{
    return clRetainDevice(device);
}

cl_int
clRetainDeviceEXT(cl_device_id device)
{
    return clRetainDevice(device);
}

cl_int
clReleaseDeviceEXT(cl_device_id device)
{
    return clRetainDevice(device);
}

cl_int
clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp,
                        cl_ulong *host_timestamp)
{
    REQUIRE(sw_ocl_get(device, SW_OCL_DEVICE), CL_INVALID_DEVICE);
    REQUIRE(device_timestamp && host_timestamp, CL_INVALID_VALUE);
    *device_timestamp = *host_timestamp = sw_rt_host_ns();
    return CL_SUCCESS;
}

cl_int
clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
    REQUIRE(sw_ocl_get(device, SW_OCL_DEVICE), CL_INVALID_DEVICE);
    REQUIRE(host_timestamp, CL_INVALID_VALUE);
    *host_timestamp = sw_rt_host_ns();
    return CL_SUCCESS;
}
