/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - initialisation, errors by name, devices and their attributes. */
#include "device/properties.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "api/cuda/api.h"
#include "rt/complain.h"

enum { DRIVER_VERSION = 13000 };

CUresult
cuInit(unsigned int Flags)
{
    REQUIRE(Flags == 0, CUDA_ERROR_INVALID_VALUE);
    return sw_api_result(sw_rt_init());
}

CUresult
cuDriverGetVersion(int *driverVersion)
{
    REQUIRE(driverVersion, CUDA_ERROR_INVALID_VALUE);
    *driverVersion = DRIVER_VERSION;
    return CUDA_SUCCESS;
}

typedef struct {
    int number;
    const char *name, *text;
} error_row;

static const error_row errors[] = {
#define ERROR(number, driver, runtime, text) {number, #driver, text},
#include "api/errors.def"
#undef ERROR
};

static const error_row *
find_error(int number)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == number && strcmp(errors[i].name, "NONE") != 0)
            return &errors[i];
    return NULL;
}

CUresult
cuGetErrorName(CUresult error, const char **pStr)
{
    REQUIRE(pStr, CUDA_ERROR_INVALID_VALUE);
    const error_row *row = find_error((int)error);
    *pStr = row ? row->name : NULL;
    return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGetErrorString(CUresult error, const char **pStr)
{
    REQUIRE(pStr, CUDA_ERROR_INVALID_VALUE);
    const error_row *row = find_error((int)error);
    *pStr = row ? row->text : NULL;
    return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static const sw_api_runtime_table runtime_table = {
    .needs_link = sw_api_needs_link,
    .load = sw_api_load_placed,
    .initialize = sw_api_initialize,
    .calls_are_observed = sw_rt_calls_are_observed,
    .call_begin = sw_rt_call_begin,
    .call_end = sw_rt_call_end,
    .set_host_namer = sw_rt_set_host_namer,
    .compute = sw_api_compute,
};

/* What the vendor's runtime cannot do without. Where it is inside a library
 * without symbols, nobody else tells why each of its calls fails. */
static const unsigned char vendor_runtime[16] = {
    0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
    0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};

static void
say_who_has_a_runtime(const void *caller)
{
    static _Atomic bool is_said;
    Dl_info info;
    if (atomic_exchange(&is_said, true))
        return;
    bool known = dladdr(caller, &info) && info.dli_fname;
    sw_log(SW_LOG_WARN,
           "%s has a CUDA runtime inside that works with its vendor's driver "
           "only: its calls fail with error 500; use what loads libcudart, or "
           "calls the driver",
           known ? info.dli_fname : "the program");
}

CUresult
cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId)
{
    REQUIRE(ppExportTable && pExportTableId, CUDA_ERROR_INVALID_VALUE);
    *ppExportTable = NULL;
    if (memcmp(pExportTableId->bytes, "softwarp-runtime", 16) == 0) {
        *ppExportTable = &runtime_table;
        return CUDA_SUCCESS;
    }
    if (memcmp(pExportTableId->bytes, vendor_runtime, 16) == 0)
        say_who_has_a_runtime(__builtin_return_address(0));
    return CUDA_ERROR_NOT_FOUND;
}

/* ---- devices ---- */

CUresult
cuDeviceGetCount(int *count)
{
    NEED_INIT();
    REQUIRE(count, CUDA_ERROR_INVALID_VALUE);
    *count = sw_rt_device_count();
    return CUDA_SUCCESS;
}

CUresult
cuDeviceGet(CUdevice *device, int ordinal)
{
    NEED_INIT();
    REQUIRE(device, CUDA_ERROR_INVALID_VALUE);
    sw_rt_device *d;
    TRY(sw_api_device(ordinal, &d));
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult
cuDeviceGetName(char *name, int len, CUdevice dev)
{
    sw_rt_device *d;
    NEED_INIT();
    TRY(sw_api_device(dev, &d));
    REQUIRE(name && len > 0, CUDA_ERROR_INVALID_VALUE);
    snprintf(name, (size_t)len, "%s", d->info->reported);
    return CUDA_SUCCESS;
}

CUresult
cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    sw_rt_device *d;
    NEED_INIT();
    REQUIRE(uuid, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    sw_device_uuid(d->info, d->physical, (uint8_t *)uuid->bytes);
    return CUDA_SUCCESS;
}

CUresult
cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
    return cuDeviceGetUuid(uuid, dev);
}

CUresult
cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    sw_rt_device *d;
    NEED_INIT();
    REQUIRE(bytes, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    *bytes = d->total_bytes;
    return CUDA_SUCCESS;
}

CUresult
cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    sw_rt_device *d;
    NEED_INIT();
    REQUIRE(pi, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    switch ((int)attrib) {
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: /* devices must differ */
        *pi = d->physical + 1;
        return CUDA_SUCCESS;
    default:
        return sw_device_attribute(d->info, (int)attrib, pi)
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    sw_rt_device *d;
    NEED_INIT();
    REQUIRE(major && minor, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    *major = (int)(d->info->cc / 10);
    *minor = (int)(d->info->cc % 10);
    return CUDA_SUCCESS;
}

CUresult
cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
    sw_rt_device *d;
    NEED_INIT();
    REQUIRE(prop, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    const sw_cc_limits *l = d->limits;
    *prop = (CUdevprop){
        .maxThreadsPerBlock = (int)l->max_threads_block,
        .sharedMemPerBlock = (int)l->smem_block,
        .totalConstantMemory = (int)l->const_bytes,
        .SIMDWidth = (int)l->warp_size,
        .memPitch = sw_rt_device_get(d, CU_DEVICE_ATTRIBUTE_MAX_PITCH),
        .regsPerBlock = (int)l->regs_block_max,
        .clockRate = sw_rt_device_get(d, CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        .textureAlign =
            sw_rt_device_get(d, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
    };
    for (int i = 0; i < 3; i++) {
        prop->maxThreadsDim[i] = (int)l->max_block[i];
        prop->maxGridSize[i] = (int)l->max_grid[i];
    }
    return CUDA_SUCCESS;
}

CUresult
cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    sw_rt_device *d;
    NEED_INIT();
    REQUIRE(pciBusId && len > 0, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    int n = snprintf(pciBusId, (size_t)len, "0000:%02X:00.0", d->physical + 1);
    return n < len ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
    NEED_INIT();
    REQUIRE(dev && pciBusId, CUDA_ERROR_INVALID_VALUE);
    unsigned domain = 0, bus = 0, slot = 0;
    if (sscanf(pciBusId, "%x:%x:%x", &domain, &bus, &slot) != 3) {
        domain = 0;
        if (sscanf(pciBusId, "%x:%x", &bus, &slot) != 2)
            return CUDA_ERROR_INVALID_VALUE;
    }
    const sw_rt_device *d = sw_rt_device_find((int)(bus - 1));
    REQUIRE(!domain && !slot && d, CUDA_ERROR_INVALID_DEVICE);
    *dev = d->ordinal;
    return CUDA_SUCCESS;
}

CUresult
cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                   CUarray_format format, unsigned numChannels,
                                   CUdevice dev)
{
    sw_rt_device *d;
    sw_rt_format f;
    NEED_INIT();
    REQUIRE(maxWidthInElements, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    TRY(sw_api_format(format, &f));
    REQUIRE(numChannels == 1 || numChannels == 2 || numChannels == 4,
            CUDA_ERROR_INVALID_VALUE);
    *maxWidthInElements = (size_t)sw_rt_device_get(
        d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    return CUDA_SUCCESS;
}

/* ---- peers: devices of one host reach each other from 2.0 on ---- */

static bool
are_peers(const sw_rt_device *a, const sw_rt_device *b)
{
    return a != b && a->info->cc >= 20 && b->info->cc >= 20;
}

CUresult
cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    sw_rt_device *a, *b;
    NEED_INIT();
    REQUIRE(canAccessPeer, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &a));
    TRY(sw_api_device(peerDev, &b));
    *canAccessPeer = are_peers(a, b);
    return CUDA_SUCCESS;
}

CUresult
cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib,
                        CUdevice srcDevice, CUdevice dstDevice)
{
    sw_rt_device *a, *b;
    NEED_INIT();
    REQUIRE(value, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(srcDevice, &a));
    TRY(sw_api_device(dstDevice, &b));
    REQUIRE(a != b, CUDA_ERROR_INVALID_DEVICE);
    switch (attrib) {
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        *value = are_peers(a, b);
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    ENTER(c);
    sw_rt_context *peer = sw_rt_object_get(peerContext, SW_RT_CONTEXT);
    REQUIRE(peer, CUDA_ERROR_INVALID_CONTEXT);
    REQUIRE(Flags == 0, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(peer != c && are_peers(c->device, peer->device),
            CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    uint64_t bit = UINT64_C(1) << peer->device->ordinal;
    uint64_t old = __atomic_fetch_or(&c->peers, bit, __ATOMIC_RELAXED);
    return old & bit ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

CUresult
cuCtxDisablePeerAccess(CUcontext peerContext)
{
    ENTER(c);
    sw_rt_context *peer = sw_rt_object_get(peerContext, SW_RT_CONTEXT);
    REQUIRE(peer, CUDA_ERROR_INVALID_CONTEXT);
    TRY(sw_rt_capture_check_unsafe());
    uint64_t bit = UINT64_C(1) << peer->device->ordinal;
    uint64_t old = __atomic_fetch_and(&c->peers, ~bit, __ATOMIC_RELAXED);
    return old & bit ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
