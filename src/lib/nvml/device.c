/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - NVML: what a device is, its memory, who uses it. */
#include "lib/nvml/board.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rt/physical.h"
#include "rt/rt.h"

enum { /* of device/properties.h: the driver's attributes */
       ATTRIBUTE_ECC = 32,
       ATTRIBUTE_MEMORY_CLOCK = 36,
       ATTRIBUTE_BUS_WIDTH = 37,
       ATTRIBUTE_MULTI_BOARD = 84
};

/* ---- names ---- */

nvmlReturn_t
nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
    ASKED(device, name);
    return board_text(device->info->reported, name, length);
}

/* By the words in its name; brands end with "NVIDIA", the name of boards for
 * servers since Ampere. First match counts. */
nvmlReturn_t
nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t *type)
{
    static const struct {
        const char *words;
        nvmlBrandType_t brand;
    } rows[] = {
        {"GeForce RTX", NVML_BRAND_GEFORCE_RTX},
        {"GeForce", NVML_BRAND_GEFORCE},
        {"Quadro RTX", NVML_BRAND_QUADRO_RTX},
        {"Quadro", NVML_BRAND_QUADRO},
        {"TITAN RTX", NVML_BRAND_TITAN_RTX},
        {"TITAN", NVML_BRAND_TITAN},
        {"Tesla", NVML_BRAND_TESLA},
        {"NVS", NVML_BRAND_NVS},
        {"GRID", NVML_BRAND_GRID},
        {"NVIDIA RTX", NVML_BRAND_NVIDIA_RTX},
        {"NVIDIA", NVML_BRAND_NVIDIA},
    };
    ASKED(device, type);
    *type = NVML_BRAND_UNKNOWN;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(device->info->reported, rows[i].words)) {
            *type = rows[i].brand;
            break;
        }
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
    ASKED(device, index);
    *index = (unsigned)device->physical;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *number)
{
    return nvmlDeviceGetIndex(device, number);
}

nvmlReturn_t
nvmlDeviceGetModuleId(nvmlDevice_t device, unsigned int *id)
{
    return nvmlDeviceGetIndex(device, id);
}

nvmlReturn_t
nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
    char text[41];
    ASKED(device, uuid);
    sw_rt_physical_uuid(device->info, device->physical, text);
    return board_text(text, uuid, length);
}

nvmlReturn_t
nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    ASKED(device, pci);
    memset(pci, 0, sizeof *pci);
    pci->bus = (unsigned)device->physical + 1;
    board_bus_id(device, pci->busId, sizeof pci->busId);
    snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%s", pci->busId + 4);
    return NVML_SUCCESS;
}

/* Older versions of the struct end before busId. */
static nvmlReturn_t
older_pci_info(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    nvmlPciInfo_t now;
    VALID(pci);
    TRY(nvmlDeviceGetPciInfo_v3(device, &now));
    memcpy(pci, &now, offsetof(nvmlPciInfo_t, busId));
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci);
nvmlReturn_t
nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    return older_pci_info(device, pci);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci);
nvmlReturn_t
nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    return older_pci_info(device, pci);
}

/* ---- what it is made of ---- */

nvmlReturn_t
nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
    ASKED(device, major && minor);
    *major = (int)device->info->cc / 10;
    *minor = (int)device->info->cc % 10;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t *arch)
{
    static const struct {
        uint32_t since; /* compute capability times ten */
        nvmlDeviceArchitecture_t arch;
    } rows[] = {
        {100, NVML_DEVICE_ARCH_BLACKWELL}, {90, NVML_DEVICE_ARCH_HOPPER},
        {89, NVML_DEVICE_ARCH_ADA},        {80, NVML_DEVICE_ARCH_AMPERE},
        {75, NVML_DEVICE_ARCH_TURING},     {70, NVML_DEVICE_ARCH_VOLTA},
        {60, NVML_DEVICE_ARCH_PASCAL},     {50, NVML_DEVICE_ARCH_MAXWELL},
        {30, NVML_DEVICE_ARCH_KEPLER},
    };
    ASKED(device, arch);
    *arch = NVML_DEVICE_ARCH_UNKNOWN;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (device->info->cc >= rows[i].since) {
            *arch = rows[i].arch;
            break;
        }
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned int *cores)
{
    ASKED(device, cores);
    *cores = device->info->fp32_lanes;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned int *width)
{
    ASKED(device, width);
    *width = (unsigned)board_attribute(device, ATTRIBUTE_BUS_WIDTH);
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetMultiGpuBoard(nvmlDevice_t device, unsigned int *is_multi)
{
    ASKED(device, is_multi);
    *is_multi = board_attribute(device, ATTRIBUTE_MULTI_BOARD) != 0;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetBoardId(nvmlDevice_t device, unsigned int *id)
{
    ASKED(device, id);
    *id = ((unsigned)device->physical + 1) << 8; /* its bus */
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetBusType(nvmlDevice_t device, nvmlBusType_t *type)
{
    ASKED(device, type);
    *type = strncmp(device->info->bus, "PCIe", 4) == 0 ? NVML_BUS_TYPE_PCIE
                                                       : NVML_BUS_TYPE_UNKNOWN;
    return NVML_SUCCESS;
}

/* ---- PCI Express, from the table's text: "PCIe 5.0 x16" ---- */

static nvmlReturn_t
pcie(nvmlDevice_t device, unsigned *generation, unsigned *width)
{
    unsigned minor;
    TRY(board_check(device));
    REQUIRE(sscanf(device->info->bus, "PCIe %u.%u x%u", generation, &minor,
                   width) == 3,
            NVML_ERROR_NOT_SUPPORTED);
    return NVML_SUCCESS;
}

static nvmlReturn_t
pcie_generation(nvmlDevice_t device, unsigned *out)
{
    unsigned generation, width;
    ASKED(device, out);
    TRY(pcie(device, &generation, &width));
    *out = generation;
    return NVML_SUCCESS;
}

static nvmlReturn_t
pcie_width(nvmlDevice_t device, unsigned *out)
{
    unsigned generation, width;
    ASKED(device, out);
    TRY(pcie(device, &generation, &width));
    *out = width;
    return NVML_SUCCESS;
}

#define LINK(name, fn)                                                         \
    nvmlReturn_t nvmlDeviceGet##name(nvmlDevice_t device, unsigned int *out)   \
    {                                                                          \
        return fn(device, out);                                                \
    }
LINK(MaxPcieLinkGeneration, pcie_generation)
LINK(GpuMaxPcieLinkGeneration, pcie_generation)
LINK(CurrPcieLinkGeneration, pcie_generation)
LINK(MaxPcieLinkWidth, pcie_width)
LINK(CurrPcieLinkWidth, pcie_width)

/* ---- memory and processes ---- */

nvmlReturn_t
nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
    ASKED(device, memory);
    memory->total = device->info->mem_bytes;
    memory->used = board_used_bytes(device);
    memory->free = memory->total - memory->used;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
    nvmlMemory_t now;
    ASKED(device, memory);
    REQUIRE(memory->version == nvmlMemory_v2,
            NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    TRY(nvmlDeviceGetMemoryInfo(device, &now));
    memory->total = now.total;
    memory->reserved = 0;
    memory->free = now.free;
    memory->used = now.used;
    return NVML_SUCCESS;
}

/* This process, if it has a context there; of others nothing is known. */
static bool
is_used_here(nvmlDevice_t device)
{
    sw_rt_device *d =
        sw_rt_is_initialized() ? sw_rt_device_find(device->physical) : NULL;
    return d && (sw_rt_primary_is_active(d) || board_used_bytes(device));
}

static nvmlReturn_t
processes(nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *infos,
          bool is_first_version)
{
    ASKED(device, count);
    unsigned room = *count;
    *count = is_used_here(device);
    REQUIRE(*count <= room, NVML_ERROR_INSUFFICIENT_SIZE);
    if (!*count)
        return NVML_SUCCESS;
    VALID(infos);
    infos->pid = (unsigned)getpid();
    infos->usedGpuMemory = board_used_bytes(device);
    if (!is_first_version) /* which ends here */
        infos->gpuInstanceId = infos->computeInstanceId = UINT32_MAX;
    return NVML_SUCCESS;
}

static nvmlReturn_t
no_processes(nvmlDevice_t device, unsigned *count)
{
    ASKED(device, count);
    *count = 0;
    return NVML_SUCCESS;
}

#define PROCESSES(suffix, is_first)                                            \
    nvmlReturn_t nvmlDeviceGetComputeRunningProcesses##suffix(                 \
        nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos);   \
    nvmlReturn_t nvmlDeviceGetComputeRunningProcesses##suffix(                 \
        nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos)    \
    {                                                                          \
        return processes(device, count, infos, is_first);                      \
    }                                                                          \
    NO_PROCESSES(Graphics##suffix, Graphics, suffix)                           \
    NO_PROCESSES(MPSCompute##suffix, MPSCompute, suffix)
#define NO_PROCESSES(id, kind, suffix)                                         \
    nvmlReturn_t nvmlDeviceGet##kind##RunningProcesses##suffix(                \
        nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos);   \
    nvmlReturn_t nvmlDeviceGet##kind##RunningProcesses##suffix(                \
        nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos)    \
    {                                                                          \
        (void)infos;                                                           \
        return no_processes(device, count);                                    \
    }
PROCESSES(, true)
PROCESSES(_v2, false)
PROCESSES(_v3, false)

/* ---- modes ---- */

nvmlReturn_t
nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *current,
                     nvmlEnableState_t *pending)
{
    ASKED(device, current && pending);
    REQUIRE(board_attribute(device, ATTRIBUTE_ECC), NVML_ERROR_NOT_SUPPORTED);
    *current = *pending = NVML_FEATURE_ENABLED;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetDefaultEccMode(nvmlDevice_t device, nvmlEnableState_t *mode)
{
    nvmlEnableState_t current;
    ASKED(device, mode);
    return nvmlDeviceGetEccMode(device, &current, mode);
}

/* Servers' boards can be divided since Ampere; ours is not. */
nvmlReturn_t
nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *current,
                     unsigned int *pending)
{
    ASKED(device, current && pending);
    REQUIRE(device->info->cc >= 80 && board_attribute(device, ATTRIBUTE_ECC),
            NVML_ERROR_NOT_SUPPORTED);
    *current = *pending = NVML_DEVICE_MIG_DISABLE;
    return NVML_SUCCESS;
}

#define SAYS(name, type, value)                                                \
    nvmlReturn_t nvmlDevice##name(nvmlDevice_t device, type *out)              \
    {                                                                          \
        ASKED(device, out);                                                    \
        *out = value;                                                          \
        return NVML_SUCCESS;                                                   \
    }
SAYS(IsMigDeviceHandle, unsigned int, 0)
SAYS(GetMaxMigDeviceCount, unsigned int, 0)
SAYS(GetComputeMode, nvmlComputeMode_t, NVML_COMPUTEMODE_DEFAULT)
SAYS(GetPersistenceMode, nvmlEnableState_t, NVML_FEATURE_ENABLED)
SAYS(GetDisplayMode, nvmlEnableState_t, NVML_FEATURE_DISABLED)
SAYS(GetDisplayActive, nvmlEnableState_t, NVML_FEATURE_DISABLED)
SAYS(GetVirtualizationMode, nvmlGpuVirtualizationMode_t,
     NVML_GPU_VIRTUALIZATION_MODE_NONE)
SAYS(GetSupportedEventTypes, unsigned long long, nvmlEventTypeNone)

/* ---- clocks: cores run at their greatest, always ---- */

static nvmlReturn_t
clock_of(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz)
{
    ASKED(device, mhz);
    VALID((unsigned)type < NVML_CLOCK_COUNT);
    REQUIRE(type != NVML_CLOCK_VIDEO, NVML_ERROR_NOT_SUPPORTED);
    *mhz =
        type == NVML_CLOCK_MEM
            ? (unsigned)board_attribute(device, ATTRIBUTE_MEMORY_CLOCK) / 1000
            : sw_device_clock_khz(device->info) / 1000;
    return NVML_SUCCESS;
}

#define CLOCK(name)                                                            \
    nvmlReturn_t nvmlDeviceGet##name(nvmlDevice_t device,                      \
                                     nvmlClockType_t type, unsigned int *mhz)  \
    {                                                                          \
        return clock_of(device, type, mhz);                                    \
    }
CLOCK(ClockInfo)
CLOCK(MaxClockInfo)
CLOCK(ApplicationsClock)
CLOCK(DefaultApplicationsClock)
CLOCK(MaxCustomerBoostClock)

nvmlReturn_t
nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t type,
                   nvmlClockId_t which, unsigned int *mhz)
{
    TRY(board_initialized());
    VALID((unsigned)which < NVML_CLOCK_ID_COUNT);
    return clock_of(device, type, mhz);
}

static nvmlReturn_t
only_clock(nvmlDevice_t device, nvmlClockType_t type, unsigned *count,
           unsigned *mhz)
{
    ASKED(device, count);
    unsigned room = *count;
    *count = 1;
    REQUIRE(room && mhz, NVML_ERROR_INSUFFICIENT_SIZE);
    return clock_of(device, type, mhz);
}

nvmlReturn_t
nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned int *count,
                                   unsigned int *mhz)
{
    return only_clock(device, NVML_CLOCK_MEM, count, mhz);
}

nvmlReturn_t
nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t device, unsigned int memory,
                                     unsigned int *count, unsigned int *mhz)
{
    unsigned known;
    TRY(clock_of(device, NVML_CLOCK_MEM, &known));
    REQUIRE(memory == known, NVML_ERROR_NOT_FOUND);
    return only_clock(device, NVML_CLOCK_GRAPHICS, count, mhz);
}

SAYS(GetPerformanceState, nvmlPstates_t, NVML_PSTATE_0)
SAYS(GetPowerState, nvmlPstates_t, NVML_PSTATE_0)
SAYS(GetCurrentClocksThrottleReasons, unsigned long long,
     nvmlClocksThrottleReasonNone)
SAYS(GetCurrentClocksEventReasons, unsigned long long,
     nvmlClocksEventReasonNone)
SAYS(GetSupportedClocksThrottleReasons, unsigned long long,
     nvmlClocksThrottleReasonNone)
SAYS(GetSupportedClocksEventReasons, unsigned long long,
     nvmlClocksEventReasonNone)
