/* SPDX-License-Identifier: Apache-2.0 */
/* nvml_test.c - NVML: what it says of devices agrees with the driver. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "cuda.h"
#include "nvml.h"

static nvmlDevice_t
first(void)
{
    nvmlDevice_t device = NULL;
    CHECK_EQ(nvmlInit(), NVML_SUCCESS);
    CHECK_EQ(nvmlDeviceGetHandleByIndex(0, &device), NVML_SUCCESS);
    return device;
}

CASE(nothing_is_answered_before_the_beginning)
{
    unsigned count;
    char text[8];
    CHECK_EQ(nvmlDeviceGetCount(&count), NVML_ERROR_UNINITIALIZED);
    CHECK_EQ(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
    CHECK_EQ(nvmlSystemGetDriverVersion(text, sizeof text),
             NVML_ERROR_UNINITIALIZED);
    CHECK_STR(nvmlErrorString(NVML_ERROR_UNINITIALIZED), "Uninitialized");
    CHECK_EQ(nvmlInit(), NVML_SUCCESS);
    CHECK_EQ(nvmlSystemGetDriverVersion(text, 3), NVML_ERROR_INSUFFICIENT_SIZE);
    CHECK_EQ(nvmlShutdown(), NVML_SUCCESS);
    CHECK_EQ(nvmlDeviceGetCount(&count), NVML_ERROR_UNINITIALIZED);
}

/* Who only asked may fork, and the child use the devices. */
CASE(it_does_not_begin_the_engine)
{
    nvmlDevice_t device = first();
    nvmlMemory_t memory;
    CHECK_EQ(nvmlDeviceGetMemoryInfo(device, &memory), NVML_SUCCESS);
    CHECK_EQ(memory.used, 0ull);
    pid_t child = fork();
    if (!child) {
        CUcontext context;
        CUdeviceptr p;
        _exit(cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
              cuCtxSetCurrent(context) || cuMemAlloc(&p, 64));
    }
    int status = -1;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    nvmlShutdown();
}

CASE(it_agrees_with_the_driver)
{
    nvmlDevice_t device = first(), same = NULL;
    unsigned count, value;
    int major, minor, devices, attribute;
    char name[96], theirs[96], uuid[80];
    size_t bytes;
    CUuuid id;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(cuDeviceGetCount(&devices), CUDA_SUCCESS);
    CHECK_EQ(nvmlDeviceGetCount(&count), NVML_SUCCESS);
    CHECK_EQ((int)count, devices);
    CHECK_EQ(nvmlDeviceGetName(device, name, sizeof name), NVML_SUCCESS);
    CHECK_EQ(cuDeviceGetName(theirs, sizeof theirs, 0), CUDA_SUCCESS);
    CHECK_STR(name, theirs);
    CHECK_EQ(nvmlDeviceGetName(device, name, 2), NVML_ERROR_INSUFFICIENT_SIZE);
    CHECK_EQ(nvmlDeviceGetCudaComputeCapability(device, &major, &minor),
             NVML_SUCCESS);
    CHECK_EQ(cuDeviceGetAttribute(
                 &attribute, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
             CUDA_SUCCESS);
    CHECK_EQ(major, attribute);
    CHECK_EQ(nvmlDeviceGetMemoryBusWidth(device, &value), NVML_SUCCESS);
    CHECK_EQ(cuDeviceGetAttribute(
                 &attribute, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 0),
             CUDA_SUCCESS);
    CHECK_EQ((int)value, attribute);
    CHECK_EQ(nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_SM, &value),
             NVML_SUCCESS);
    CHECK_EQ(
        cuDeviceGetAttribute(&attribute, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0),
        CUDA_SUCCESS);
    CHECK_EQ((int)value, attribute / 1000);
    CHECK_EQ(nvmlDeviceGetUUID(device, uuid, sizeof uuid), NVML_SUCCESS);
    CHECK_EQ(cuDeviceGetUuid(&id, 0), CUDA_SUCCESS);
    CHECK_EQ(strtol((char[]){uuid[4], uuid[5], 0}, NULL, 16),
             (long)(unsigned char)id.bytes[0]);
    CHECK_EQ(nvmlDeviceGetHandleByUUID(uuid, &same), NVML_SUCCESS);
    CHECK(same == device);
    nvmlPciInfo_t pci;
    CHECK_EQ(nvmlDeviceGetPciInfo(device, &pci), NVML_SUCCESS);
    CHECK_EQ(cuDeviceGetPCIBusId(theirs, sizeof theirs, 0), CUDA_SUCCESS);
    CHECK_STR(pci.busIdLegacy, theirs);
    CHECK_EQ(nvmlDeviceGetHandleByPciBusId(pci.busId, &same), NVML_SUCCESS);
    CHECK(same == device);
    nvmlMemory_v2_t memory = {.version = nvmlMemory_v2};
    CHECK_EQ(nvmlDeviceGetMemoryInfo_v2(device, &memory), NVML_SUCCESS);
    CHECK_EQ(cuDeviceTotalMem(&bytes, 0), CUDA_SUCCESS);
    CHECK_EQ(memory.total, (unsigned long long)bytes);
    nvmlShutdown();
}

CASE(memory_and_processes_are_counted)
{
    enum { BYTES = 64 << 20 };
    nvmlDevice_t device = first();
    nvmlMemory_t before, after;
    nvmlProcessInfo_t infos[4];
    unsigned count = 0;
    CUcontext context;
    CUdeviceptr p;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    CHECK_EQ(nvmlDeviceGetMemoryInfo(device, &before), NVML_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, BYTES), CUDA_SUCCESS);
    CHECK_EQ(nvmlDeviceGetMemoryInfo(device, &after), NVML_SUCCESS);
    CHECK_EQ(after.used - before.used, (unsigned long long)BYTES);
    CHECK_EQ(nvmlDeviceGetComputeRunningProcesses(device, &count, NULL),
             NVML_ERROR_INSUFFICIENT_SIZE);
    CHECK_EQ(count, 1u);
    CHECK_EQ(nvmlDeviceGetComputeRunningProcesses(device, &count, infos),
             NVML_SUCCESS);
    CHECK_EQ((int)infos[0].pid, (int)getpid());
    CHECK_EQ(infos[0].usedGpuMemory, after.used);
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
    nvmlShutdown();
}

CASE(wrong_arguments_and_what_is_not_there)
{
    nvmlDevice_t device = first(), none;
    unsigned value;
    char text[40];
    int nothing = 0;
    CHECK_EQ(nvmlDeviceGetHandleByIndex(64, &none),
             NVML_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(nvmlDeviceGetHandleByUUID("GPU-0", &none), NVML_ERROR_NOT_FOUND);
    CHECK_EQ(nvmlDeviceGetHandleByPciBusId("0000:7f:00.0", &none),
             NVML_ERROR_NOT_FOUND);
    CHECK_EQ(nvmlDeviceGetHandleByPciBusId("?", &none),
             NVML_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(nvmlDeviceGetName(NULL, text, sizeof text),
             NVML_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(
        nvmlDeviceGetName((nvmlDevice_t)(void *)&nothing, text, sizeof text),
        NVML_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(nvmlDeviceGetName(device, NULL, 8), NVML_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(nvmlDeviceGetPowerUsage(device, &value), NVML_ERROR_NOT_SUPPORTED);
    CHECK_EQ(nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &value),
             NVML_ERROR_NOT_SUPPORTED);
    CHECK_EQ(nvmlDeviceGetPowerUsage(device, NULL),
             NVML_ERROR_INVALID_ARGUMENT);
    nvmlFieldValue_t values[2] = {{.fieldId = NVML_FI_DEV_ECC_CURRENT},
                                  {.fieldId = NVML_FI_DEV_POWER_INSTANT}};
    CHECK_EQ(nvmlDeviceGetFieldValues(device, 2, values), NVML_SUCCESS);
    CHECK_EQ(values[1].nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
    nvmlEventSet_t set;
    nvmlEventData_t data;
    CHECK_EQ(nvmlEventSetCreate(&set), NVML_SUCCESS);
    CHECK_EQ(nvmlEventSetWait(set, &data, 1), NVML_ERROR_TIMEOUT);
    CHECK_EQ(nvmlEventSetFree(set), NVML_SUCCESS);
    nvmlShutdown();
}
