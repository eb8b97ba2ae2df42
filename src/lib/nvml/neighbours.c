/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbours.c - NVML: how devices lie to each other and to the processors,
 * values by number, events. All devices lie in the memory of one host, which
 * every processor reaches the same way.
 */
#include "lib/nvml/board.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

nvmlReturn_t
nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t a, nvmlDevice_t b,
                                    nvmlGpuTopologyLevel_t *level)
{
    TRY(board_check(a));
    ASKED(b, level);
    *level = a == b ? NVML_TOPOLOGY_INTERNAL : NVML_TOPOLOGY_NODE;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetTopologyNearestGpus(nvmlDevice_t device,
                                 nvmlGpuTopologyLevel_t level,
                                 unsigned int *count, nvmlDevice_t *devices)
{
    ASKED(device, count);
    VALID(!*count || devices);
    unsigned n = 0;
    for (unsigned i = 0; level == NVML_TOPOLOGY_NODE && i < board_count(); i++)
        if (board_at(i) != device && n++ < *count)
            devices[n - 1] = board_at(i);
    *count = n;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetP2PStatus(nvmlDevice_t a, nvmlDevice_t b,
                       nvmlGpuP2PCapsIndex_t what, nvmlGpuP2PStatus_t *status)
{
    TRY(board_check(a));
    ASKED(b, status);
    VALID(a != b && (unsigned)what < NVML_P2P_CAPS_INDEX_UNKNOWN);
    *status = what == NVML_P2P_CAPS_INDEX_NVLINK ? NVML_P2P_STATUS_NOT_SUPPORTED
                                                 : NVML_P2P_STATUS_OK;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceOnSameBoard(nvmlDevice_t a, nvmlDevice_t b, int *is_same)
{
    TRY(board_check(a));
    ASKED(b, is_same);
    *is_same = a == b;
    return NVML_SUCCESS;
}

/* The first `bits` bits of a set. */
static nvmlReturn_t
fill_set(nvmlDevice_t device, unsigned words, unsigned long *set, long bits)
{
    enum { WORD = 8 * sizeof *set };
    ASKED(device, set && words);
    memset(set, 0, words * sizeof *set);
    for (long i = 0; i < bits && i < (long)words * WORD; i++)
        set[i / WORD] |= 1ul << i % WORD;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned int words,
                         unsigned long *set)
{
    return fill_set(device, words, set, sysconf(_SC_NPROCESSORS_CONF));
}

nvmlReturn_t
nvmlDeviceGetCpuAffinityWithinScope(nvmlDevice_t device, unsigned int words,
                                    unsigned long *set,
                                    nvmlAffinityScope_t scope)
{
    TRY(board_initialized());
    VALID(scope <= NVML_AFFINITY_SCOPE_SOCKET);
    return nvmlDeviceGetCpuAffinity(device, words, set);
}

nvmlReturn_t
nvmlDeviceGetMemoryAffinity(nvmlDevice_t device, unsigned int words,
                            unsigned long *set, nvmlAffinityScope_t scope)
{
    TRY(board_initialized());
    VALID(scope <= NVML_AFFINITY_SCOPE_SOCKET);
    return fill_set(device, words, set, 1);
}

/* Every processor will do. */
nvmlReturn_t
nvmlDeviceSetCpuAffinity(nvmlDevice_t device)
{
    return board_check(device);
}

nvmlReturn_t
nvmlDeviceClearCpuAffinity(nvmlDevice_t device)
{
    return board_check(device);
}

/* There is no fabric of switches. */
nvmlReturn_t
nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t *info)
{
    ASKED(device, info);
    memset(info, 0, sizeof *info);
    info->state = NVML_GPU_FABRIC_STATE_NOT_SUPPORTED;
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t *info)
{
    ASKED(device, info);
    unsigned version = info->version;
    memset(info, 0, sizeof *info);
    info->version = version;
    info->state = NVML_GPU_FABRIC_STATE_NOT_SUPPORTED;
    return NVML_SUCCESS;
}

/* ---- values by number ---- */

/* Each has a status of its own. */
nvmlReturn_t
nvmlDeviceGetFieldValues(nvmlDevice_t device, int count,
                         nvmlFieldValue_t *values)
{
    struct timespec now;
    ASKED(device, values);
    VALID(count > 0);
    clock_gettime(CLOCK_REALTIME, &now);
    for (int i = 0; i < count; i++) {
        nvmlFieldValue_t *v = &values[i];
        nvmlEnableState_t current, pending;
        v->timestamp = now.tv_sec * 1000000ll + now.tv_nsec / 1000;
        v->latencyUsec = 0;
        v->valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
        v->nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
        if (v->fieldId != NVML_FI_DEV_ECC_CURRENT &&
            v->fieldId != NVML_FI_DEV_ECC_PENDING)
            continue;
        v->nvmlReturn = nvmlDeviceGetEccMode(device, &current, &pending);
        v->value.uiVal = v->nvmlReturn == NVML_SUCCESS && current;
    }
    return NVML_SUCCESS;
}

/* ---- events, of which none ever happens ---- */

struct nvmlEventSet_st {
    int nothing;
};

nvmlReturn_t
nvmlEventSetCreate(nvmlEventSet_t *set)
{
    TRY(board_initialized());
    VALID(set);
    *set = sw_alloc(sizeof **set);
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlEventSetFree(nvmlEventSet_t set)
{
    TRY(board_initialized());
    VALID(set);
    sw_free(set);
    return NVML_SUCCESS;
}

nvmlReturn_t
nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types,
                         nvmlEventSet_t set)
{
    ASKED(device, set);
    return types ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}

static nvmlReturn_t
wait_in_vain(nvmlEventSet_t set, const void *data, unsigned milliseconds)
{
    struct timespec rest = {(time_t)(milliseconds / 1000),
                            (long)(milliseconds % 1000) * 1000000};
    TRY(board_initialized());
    VALID(set && data);
    nanosleep(&rest, NULL);
    return NVML_ERROR_TIMEOUT;
}

nvmlReturn_t
nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data,
                    unsigned int milliseconds)
{
    return wait_in_vain(set, data, milliseconds);
}

nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t *data,
                              unsigned int milliseconds);
nvmlReturn_t
nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t *data,
                 unsigned int milliseconds)
{
    return wait_in_vain(set, data, milliseconds);
}
