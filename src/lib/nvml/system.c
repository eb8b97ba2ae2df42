/* SPDX-License-Identifier: Apache-2.0 */
/* system.c - NVML: beginning and end, errors by name, versions, handles. */
#include "lib/nvml/board.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "device/properties.h"
#include "lib/common/lib.h"
#include "rt/memory.h"
#include "rt/physical.h"
#include "rt/rt.h"

/* The first driver of CUDA 13.0, which cuDriverGetVersion names (release notes
 * of CUDA 13.0, table "CUDA Toolkit and Corresponding Driver Versions"). */
#define DRIVER "580.65.06"
enum { CUDA = 13000 };

static struct {
    pthread_mutex_t lock;
    unsigned uses;
    unsigned count;
    struct nvmlDevice_st devices[SW_RT_MAX_DEVICES];
} self = {.lock = PTHREAD_MUTEX_INITIALIZER};

nvmlReturn_t
nvmlInitWithFlags(unsigned int flags)
{
    size_t count = 0;
    VALID(!(flags &
            ~(unsigned)(NVML_INIT_FLAG_NO_GPUS | NVML_INIT_FLAG_NO_ATTACH)));
    REQUIRE(sw_rt_physical_list(&count) == SW_OK, NVML_ERROR_DRIVER_NOT_LOADED);
    pthread_mutex_lock(&self.lock);
    for (size_t i = 0; i < count; i++)
        self.devices[i] = (struct nvmlDevice_st){sw_rt_physical_at(i), (int)i};
    self.count = (unsigned)count;
    __atomic_add_fetch(&self.uses, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&self.lock);
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlInit_v2(void)
{
    return nvmlInitWithFlags(0);
}

/* The first version fails where a device cannot be used; all can. */
nvmlReturn_t nvmlInit(void);
nvmlReturn_t
nvmlInit(void)
{
    return nvmlInitWithFlags(0);
}

nvmlReturn_t
nvmlShutdown(void)
{
    TRY(board_initialized());
    pthread_mutex_lock(&self.lock);
    if (self.uses)
        __atomic_sub_fetch(&self.uses, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&self.lock);
    return NVML_SUCCESS;
}

nvmlReturn_t
board_initialized(void)
{
    return __atomic_load_n(&self.uses, __ATOMIC_ACQUIRE)
               ? NVML_SUCCESS
               : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t
board_check(nvmlDevice_t device)
{
    TRY(board_initialized());
    for (unsigned i = 0; i < self.count; i++)
        if (device == &self.devices[i])
            return NVML_SUCCESS;
    return NVML_ERROR_INVALID_ARGUMENT;
}

unsigned
board_count(void)
{
    return self.count;
}

nvmlDevice_t
board_at(unsigned index)
{
    return &self.devices[index];
}

int
board_attribute(nvmlDevice_t device, int attribute)
{
    int value = 0;
    return sw_device_attribute(device->info, attribute, &value) ? value : 0;
}

nvmlReturn_t
board_text(const char *text, char *out, unsigned length)
{
    VALID(out);
    size_t n = strlen(text) + 1;
    REQUIRE(n <= length, NVML_ERROR_INSUFFICIENT_SIZE);
    memcpy(out, text, n);
    return NVML_SUCCESS;
}

/* As cuDeviceGetPCIBusId. */
void
board_bus_id(nvmlDevice_t device, char *out, size_t bytes)
{
    snprintf(out, bytes, "00000000:%02X:00.0", (unsigned)device->physical + 1);
}

unsigned long long
board_used_bytes(nvmlDevice_t device)
{
    sw_rt_device *d =
        sw_rt_is_initialized() ? sw_rt_device_find(device->physical) : NULL;
    uint64_t free_bytes, total;
    if (!d)
        return 0;
    sw_rt_memory_info(d, &free_bytes, &total);
    return total - free_bytes;
}

/* ---- errors ---- */

static const struct {
    nvmlReturn_t status;
    const char *text;
} errors[] = {
    {NVML_SUCCESS, "Success"},
    {NVML_ERROR_UNINITIALIZED, "Uninitialized"},
    {NVML_ERROR_INVALID_ARGUMENT, "Invalid Argument"},
    {NVML_ERROR_NOT_SUPPORTED, "Not Supported"},
    {NVML_ERROR_NO_PERMISSION, "Insufficient Permissions"},
    {NVML_ERROR_ALREADY_INITIALIZED, "Already Initialized"},
    {NVML_ERROR_NOT_FOUND, "Not Found"},
    {NVML_ERROR_INSUFFICIENT_SIZE, "Insufficient Size"},
    {NVML_ERROR_INSUFFICIENT_POWER, "Insufficient External Power"},
    {NVML_ERROR_DRIVER_NOT_LOADED, "Driver Not Loaded"},
    {NVML_ERROR_TIMEOUT, "Timeout"},
    {NVML_ERROR_IRQ_ISSUE, "Interrupt Request Issue"},
    {NVML_ERROR_LIBRARY_NOT_FOUND, "NVML Shared Library Not Found"},
    {NVML_ERROR_FUNCTION_NOT_FOUND, "Function Not Found"},
    {NVML_ERROR_CORRUPTED_INFOROM, "Corrupted infoROM"},
    {NVML_ERROR_GPU_IS_LOST, "GPU is lost"},
    {NVML_ERROR_RESET_REQUIRED, "GPU requires restart"},
    {NVML_ERROR_OPERATING_SYSTEM,
     "The operating system has blocked the request."},
    {NVML_ERROR_LIB_RM_VERSION_MISMATCH, "RM/NVML Version Mismatch"},
    {NVML_ERROR_IN_USE, "In use by another client"},
    {NVML_ERROR_MEMORY, "Insufficient Memory"},
    {NVML_ERROR_NO_DATA, "No data"},
    {NVML_ERROR_INSUFFICIENT_RESOURCES, "Insufficient Resources"},
    {NVML_ERROR_FREQ_NOT_SUPPORTED, "Frequency not supported"},
    {NVML_ERROR_ARGUMENT_VERSION_MISMATCH, "Argument version mismatch"},
    {NVML_ERROR_DEPRECATED, "Deprecated"},
    {NVML_ERROR_NOT_READY, "Not Ready"},
    {NVML_ERROR_GPU_NOT_FOUND, "GPU not found"},
    {NVML_ERROR_INVALID_STATE, "Invalid state"},
};

const char *
nvmlErrorString(nvmlReturn_t result)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].status == result)
            return errors[i].text;
    return "Unknown Error";
}

/* ---- the system ---- */

nvmlReturn_t
nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    TRY(board_initialized());
    return board_text(DRIVER, version, length);
}

nvmlReturn_t
nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
    TRY(board_initialized());
    return board_text("13." DRIVER, version, length);
}

nvmlReturn_t
nvmlSystemGetCudaDriverVersion(int *version)
{
    VALID(version); /* which needs no nvmlInit */
    *version = CUDA;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    return nvmlSystemGetCudaDriverVersion(version);
}

nvmlReturn_t
nvmlSystemGetDriverBranch(nvmlSystemDriverBranchInfo_t *info,
                          unsigned int length)
{
    TRY(board_initialized());
    VALID(info);
    REQUIRE(info->version == nvmlSystemDriverBranchInfo_v1,
            NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    return board_text("r580_00", info->branch, length);
}

nvmlReturn_t
nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length)
{
    char path[32], text[4096];
    TRY(board_initialized());
    VALID(name && length);
    snprintf(path, sizeof path, "/proc/%u/cmdline", pid);
    FILE *file = fopen(path, "r");
    REQUIRE(file, NVML_ERROR_NOT_FOUND);
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0; /* the first of several texts */
    snprintf(name, length, "%s", text);
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlSystemGetTopologyGpuSet(unsigned int cpu, unsigned int *count,
                            nvmlDevice_t *devices)
{
    TRY(board_initialized());
    VALID(count && (!*count || devices));
    VALID((long)cpu < sysconf(_SC_NPROCESSORS_CONF));
    for (unsigned i = 0; i < *count && i < self.count; i++)
        devices[i] = &self.devices[i];
    *count = self.count;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlSystemGetHicVersion(unsigned int *count, nvmlHwbcEntry_t *entries)
{
    (void)entries;
    TRY(board_initialized());
    VALID(count);
    *count = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlUnitGetCount(unsigned int *count)
{
    TRY(board_initialized());
    VALID(count);
    *count = 0;
    return NVML_SUCCESS;
}

/* ---- handles ---- */

nvmlReturn_t
nvmlDeviceGetCount_v2(unsigned int *count)
{
    TRY(board_initialized());
    VALID(count);
    *count = self.count;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
    TRY(board_initialized());
    VALID(device && index < self.count);
    *device = &self.devices[index];
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
    char text[41];
    TRY(board_initialized());
    VALID(uuid && device);
    for (unsigned i = 0; i < self.count; i++) {
        sw_rt_physical_uuid(self.devices[i].info, (int)i, text);
        if (strcasecmp(text, uuid) == 0) {
            *device = &self.devices[i];
            return NVML_SUCCESS;
        }
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t
nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device)
{
    unsigned domain = 0, bus, slot;
    TRY(board_initialized());
    VALID(id && device);
    if (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3) {
        domain = 0;
        VALID(sscanf(id, "%x:%x", &bus, &slot) == 2);
    }
    REQUIRE(!domain && !slot && bus && bus <= self.count, NVML_ERROR_NOT_FOUND);
    *device = &self.devices[bus - 1];
    return NVML_SUCCESS;
}

/* No device has a serial number. */
nvmlReturn_t
nvmlDeviceGetHandleBySerial(const char *serial, nvmlDevice_t *device)
{
    TRY(board_initialized());
    VALID(serial && device);
    return NVML_ERROR_NOT_FOUND;
}

#define SAME_AS(old, new, parameters, ...)                                     \
    nvmlReturn_t old parameters;                                               \
    nvmlReturn_t old parameters                                                \
    {                                                                          \
        return new (__VA_ARGS__);                                              \
    }
SAME_AS(nvmlDeviceGetCount, nvmlDeviceGetCount_v2, (unsigned int *count), count)
SAME_AS(nvmlDeviceGetHandleByIndex, nvmlDeviceGetHandleByIndex_v2,
        (unsigned int index, nvmlDevice_t *device), index, device)
SAME_AS(nvmlDeviceGetHandleByPciBusId, nvmlDeviceGetHandleByPciBusId_v2,
        (const char *id, nvmlDevice_t *device), id, device)
