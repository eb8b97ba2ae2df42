/* SPDX-License-Identifier: Apache-2.0 */
/* platform.c - the platform, its devices, and the addresses of extensions. */
#include <stdlib.h>

#include "api/opencl/compiler.h"
#include "api/opencl/info.h"
#include "base/settings.h"

#define VERSION_30 CL_MAKE_VERSION(3, 0, 0)

static struct {
    pthread_once_t once;
    cl_platform_id platform;
    cl_device_id *devices; /* [count] */
    cl_uint count;
} all = {.once = PTHREAD_ONCE_INIT};

static void
report_leaks(void)
{
    sw_ocl_report_leaks();
}

static void
make(void)
{
    all.platform = sw_ocl_new(SW_OCL_PLATFORM, sizeof *all.platform, NULL);
    if (!all.platform)
        return;
    all.platform->head.is_permanent = true;
    if (sw_setting_is(SW_SETTING_OPENCL_LEAKS, "1"))
        atexit(report_leaks);
    if (sw_rt_init() != SW_OK)
        return;
    int count = sw_rt_device_count();
    all.devices = sw_alloc((size_t)count * sizeof *all.devices);
    for (int i = 0; i < count; i++) {
        cl_device_id d = sw_ocl_new(SW_OCL_DEVICE, sizeof *d, NULL);
        if (!d)
            return;
        d->head.is_permanent = true;
        d->device = sw_rt_device_at(i);
        d->ordinal = i;
        all.devices[all.count++] = d;
    }
}

cl_platform_id
sw_ocl_platform(void)
{
    pthread_once(&all.once, make);
    return all.platform;
}

cl_device_id *
sw_ocl_devices(cl_uint *count)
{
    pthread_once(&all.once, make);
    *count = all.count;
    return all.devices;
}

bool
sw_ocl_is_platform(cl_platform_id platform)
{
    return !platform || sw_ocl_get(platform, SW_OCL_PLATFORM);
}

/* Extensions of devices. */
typedef struct {
    const char *name;
    cl_version version;
    size_t name_bytes;
    uint32_t since; /* capability times ten */
} extension;
static const extension extensions[] = {
#define HOST_EXTENSION(name, major)                                            \
    {#name, CL_MAKE_VERSION(major, 0, 0), sizeof #name - 1, 10},
#include "api/opencl/extensions.def"
#undef HOST_EXTENSION
#define CL_EXTENSION(name, known, since)                                       \
    {#name, CL_MAKE_VERSION(1, 0, 0), sizeof #name - 1, since},
#define CL_FEATURE(name, known, since)
#include "cc/opencl_extensions.def"
#undef CL_EXTENSION
#undef CL_FEATURE
};
enum { EXTENSION_COUNT = sizeof extensions / sizeof *extensions };

static bool
has_extension(uint32_t capability, size_t i)
{
    /* cl_khr_il_program is the first. */
    return capability >= extensions[i].since && (i || sw_ocl_takes_spirv());
}

cl_int
sw_ocl_answer_extensions(uint32_t capability, const sw_ocl_ask *ask)
{
    sw_buf names;
    sw_buf_init(&names);
    for (size_t i = 0; i < EXTENSION_COUNT; i++)
        if (has_extension(capability, i))
            sw_buf_printf(&names, "%s%s", names.n ? " " : "",
                          extensions[i].name);
    cl_int result = sw_ocl_answer_text(ask, names.p);
    sw_buf_finish(&names);
    return result;
}

cl_int
sw_ocl_answer_extensions_versions(uint32_t capability, const sw_ocl_ask *ask)
{
    cl_name_version rows[EXTENSION_COUNT] = {0};
    size_t count = 0;
    for (size_t i = 0; i < EXTENSION_COUNT; i++)
        if (has_extension(capability, i)) {
            rows[count].version = extensions[i].version;
            memcpy(rows[count++].name, extensions[i].name,
                   extensions[i].name_bytes);
        }
    return sw_ocl_answer(ask, rows, count * sizeof *rows);
}

/* A platform has the extensions that all of its devices have. */
static uint32_t
least_capability(void)
{
    cl_uint count;
    cl_device_id *devices = sw_ocl_devices(&count);
    uint32_t least = UINT32_MAX;
    for (cl_uint i = 0; i < count; i++)
        if (devices[i]->device->info->cc < least)
            least = devices[i]->device->info->cc;
    return least;
}

cl_int
clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms,
                 cl_uint *num_platforms)
{
    REQUIRE(platforms ? num_entries > 0 : num_platforms != NULL,
            CL_INVALID_VALUE);
    cl_platform_id platform = sw_ocl_platform();
    REQUIRE(platform, CL_OUT_OF_HOST_MEMORY);
    if (platforms)
        *platforms = platform;
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

/* A loader lists us only if this succeeds. */
cl_int
clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                       cl_uint *num_platforms)
{
    return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

cl_int
clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name,
                  size_t param_value_size, void *param_value,
                  size_t *param_value_size_ret)
{
    ASK(ask);
    REQUIRE(sw_ocl_is_platform(platform), CL_INVALID_PLATFORM);
    switch (param_name) {
    case CL_PLATFORM_PROFILE:
        return sw_ocl_answer_text(&ask, "FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        return sw_ocl_answer_text(
            &ask, "OpenCL 3.0 CUDA 13.0.0 Softwarp " SW_VERSION);
    case CL_PLATFORM_NUMERIC_VERSION:
        ANSWER(&ask, cl_version, VERSION_30);
    case CL_PLATFORM_NAME:
        return sw_ocl_answer_text(&ask, "NVIDIA CUDA");
    case CL_PLATFORM_VENDOR:
        return sw_ocl_answer_text(&ask, "NVIDIA Corporation");
    case CL_PLATFORM_EXTENSIONS:
        return sw_ocl_answer_extensions(least_capability(), &ask);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return sw_ocl_answer_extensions_versions(least_capability(), &ask);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        ANSWER(&ask, cl_ulong, 1);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return sw_ocl_answer_text(&ask, "NV");
    default:
        return CL_INVALID_VALUE;
    }
}

static bool
is_wanted(cl_device_type type)
{
    const cl_device_type ours = CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT;
    return type == CL_DEVICE_TYPE_ALL || (type & ours);
}

cl_int
clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type,
               cl_uint num_entries, cl_device_id *devices, cl_uint *num_devices)
{
    const cl_device_type known =
        CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
        CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    REQUIRE(sw_ocl_is_platform(platform), CL_INVALID_PLATFORM);
    REQUIRE(device_type == CL_DEVICE_TYPE_ALL ||
                (device_type && !(device_type & ~known)),
            CL_INVALID_DEVICE_TYPE);
    REQUIRE(devices ? num_entries > 0 : num_devices && !num_entries,
            CL_INVALID_VALUE);
    cl_uint count;
    cl_device_id *list = sw_ocl_devices(&count);
    if (!is_wanted(device_type))
        count = 0;
    else if (device_type == CL_DEVICE_TYPE_DEFAULT && count)
        count = 1;
    if (num_devices)
        *num_devices = count;
    REQUIRE(count, CL_DEVICE_NOT_FOUND);
    for (cl_uint i = 0; devices && i < count && i < num_entries; i++)
        devices[i] = list[i];
    return CL_SUCCESS;
}

cl_int
clUnloadPlatformCompiler(cl_platform_id platform)
{
    return sw_ocl_get(platform, SW_OCL_PLATFORM) ? CL_SUCCESS
                                                 : CL_INVALID_PLATFORM;
}

cl_int
clUnloadCompiler(void)
{
    return CL_SUCCESS;
}
