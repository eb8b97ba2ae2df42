/* SPDX-License-Identifier: Apache-2.0 */
/*
 * absent.c - NVML: what a device made of software does not have. Arguments are
 * looked at, then the answer is NVML_ERROR_NOT_SUPPORTED, without a word on
 * standard error: programs ask for all of these and expect the answer of
 * devices whose sensors are missing.
 */
#include "lib/nvml/board.h"

/* name, type of what is asked for */
#define ABSENT_VALUES(ABSENT)                                                  \
    ABSENT(FanSpeed, unsigned int)                                             \
    ABSENT(NumFans, unsigned int)                                              \
    ABSENT(PowerUsage, unsigned int)                                           \
    ABSENT(PowerManagementMode, nvmlEnableState_t)                             \
    ABSENT(PowerManagementLimit, unsigned int)                                 \
    ABSENT(PowerManagementDefaultLimit, unsigned int)                          \
    ABSENT(EnforcedPowerLimit, unsigned int)                                   \
    ABSENT(TotalEnergyConsumption, unsigned long long)                         \
    ABSENT(UtilizationRates, nvmlUtilization_t)                                \
    ABSENT(TemperatureV, nvmlTemperature_t)                                    \
    ABSENT(BAR1MemoryInfo, nvmlBAR1Memory_t)                                   \
    ABSENT(PcieReplayCounter, unsigned int)                                    \
    ABSENT(PcieSpeed, unsigned int)                                            \
    ABSENT(PcieLinkMaxSpeed, unsigned int)                                     \
    ABSENT(IrqNum, unsigned int)                                               \
    ABSENT(NumaNodeId, unsigned int)                                           \
    ABSENT(Attributes_v2, nvmlDeviceAttributes_t)                              \
    ABSENT(RetiredPagesPendingStatus, nvmlEnableState_t)                       \
    ABSENT(InforomConfigurationChecksum, unsigned int)                         \
    ABSENT(AccountingMode, nvmlEnableState_t)
#define ABSENT(name, type)                                                     \
    nvmlReturn_t nvmlDeviceGet##name(nvmlDevice_t device, type *out)           \
    {                                                                          \
        ASKED(device, out);                                                    \
        return NVML_ERROR_NOT_SUPPORTED;                                       \
    }
ABSENT_VALUES(ABSENT)

/* Two of a kind. */
#define ABSENT_PAIR(name, type)                                                \
    nvmlReturn_t nvmlDeviceGet##name(nvmlDevice_t device, type *a, type *b)    \
    {                                                                          \
        ASKED(device, a &&b);                                                  \
        return NVML_ERROR_NOT_SUPPORTED;                                       \
    }
ABSENT_PAIR(PowerManagementLimitConstraints, unsigned int)
ABSENT_PAIR(EncoderUtilization, unsigned int)
ABSENT_PAIR(DecoderUtilization, unsigned int)
ABSENT_PAIR(GspFirmwareMode, unsigned int)
ABSENT_PAIR(GpuOperationMode, nvmlGpuOperationMode_t)
ABSENT_PAIR(DriverModel_v2, nvmlDriverModel_t)
ABSENT_PAIR(AutoBoostedClocksEnabled, nvmlEnableState_t)

/* One of several, which a number chooses. */
#define ABSENT_OF(name, chosen, type)                                          \
    nvmlReturn_t nvmlDeviceGet##name(nvmlDevice_t device, chosen which,        \
                                     type *out)                                \
    {                                                                          \
        (void)which;                                                           \
        ASKED(device, out);                                                    \
        return NVML_ERROR_NOT_SUPPORTED;                                       \
    }
ABSENT_OF(Temperature, nvmlTemperatureSensors_t, unsigned int)
ABSENT_OF(TemperatureThreshold, nvmlTemperatureThresholds_t, unsigned int)
ABSENT_OF(FanSpeed_v2, unsigned int, unsigned int)
ABSENT_OF(PcieThroughput, nvmlPcieUtilCounter_t, unsigned int)
ABSENT_OF(ViolationStatus, nvmlPerfPolicyType_t, nvmlViolationTime_t)
ABSENT_OF(NvLinkState, unsigned int, nvmlEnableState_t)
ABSENT_OF(NvLinkVersion, unsigned int, unsigned int)
ABSENT_OF(NvLinkRemotePciInfo_v2, unsigned int, nvmlPciInfo_t)
ABSENT_OF(NvLinkRemoteDeviceType, unsigned int, nvmlIntNvLinkDeviceType_t)

/* Texts. */
#define ABSENT_TEXT(name)                                                      \
    nvmlReturn_t nvmlDeviceGet##name(nvmlDevice_t device, char *text,          \
                                     unsigned int length)                      \
    {                                                                          \
        (void)length;                                                          \
        ASKED(device, text);                                                   \
        return NVML_ERROR_NOT_SUPPORTED;                                       \
    }
ABSENT_TEXT(Serial)
ABSENT_TEXT(BoardPartNumber)
ABSENT_TEXT(VbiosVersion)
ABSENT_TEXT(InforomImageVersion)

nvmlReturn_t
nvmlDeviceGetGspFirmwareVersion(nvmlDevice_t device, char *version)
{
    ASKED(device, version);
    return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t
nvmlDeviceGetInforomVersion(nvmlDevice_t device, nvmlInforomObject_t object,
                            char *version, unsigned int length)
{
    (void)object, (void)length;
    ASKED(device, version);
    return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t
nvmlDeviceGetNvLinkCapability(nvmlDevice_t device, unsigned int link,
                              nvmlNvLinkCapability_t capability,
                              unsigned int *result)
{
    (void)link, (void)capability;
    ASKED(device, result);
    return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t
nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t error,
                            nvmlEccCounterType_t counter,
                            unsigned long long *count)
{
    (void)error, (void)counter;
    ASKED(device, count);
    return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t
nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t device,
                                nvmlMemoryErrorType_t error,
                                nvmlEccCounterType_t counter,
                                nvmlMemoryLocation_t location,
                                unsigned long long *count)
{
    (void)error, (void)counter, (void)location;
    ASKED(device, count);
    return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t
nvmlDeviceGetRetiredPages(nvmlDevice_t device, nvmlPageRetirementCause_t cause,
                          unsigned int *count, unsigned long long *addresses)
{
    (void)cause, (void)addresses;
    ASKED(device, count);
    return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t
nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned int *corrected,
                          unsigned int *uncorrected, unsigned int *is_pending,
                          unsigned int *has_failed)
{
    ASKED(device, corrected && uncorrected && is_pending && has_failed);
    return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t
nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned int index,
                                    nvmlDevice_t *mig)
{
    (void)index;
    ASKED(device, mig);
    return NVML_ERROR_NOT_FOUND;
}

/* ---- settings, of which there are none ---- */

#define FIXED(name, type)                                                      \
    nvmlReturn_t nvmlDeviceSet##name(nvmlDevice_t device, type value)          \
    {                                                                          \
        (void)value;                                                           \
        TRY(board_check(device));                                              \
        return NVML_ERROR_NOT_SUPPORTED;                                       \
    }
FIXED(PersistenceMode, nvmlEnableState_t)
FIXED(ComputeMode, nvmlComputeMode_t)
FIXED(EccMode, nvmlEnableState_t)
FIXED(PowerManagementLimit, unsigned int)
FIXED(AutoBoostedClocksEnabled, nvmlEnableState_t)
FIXED(AccountingMode, nvmlEnableState_t)

#define FIXED_PAIR(name)                                                       \
    nvmlReturn_t nvmlDeviceSet##name(nvmlDevice_t device, unsigned int a,      \
                                     unsigned int b)                           \
    {                                                                          \
        (void)a, (void)b;                                                      \
        TRY(board_check(device));                                              \
        return NVML_ERROR_NOT_SUPPORTED;                                       \
    }
FIXED_PAIR(GpuLockedClocks)
FIXED_PAIR(MemoryLockedClocks)
FIXED_PAIR(ApplicationsClocks)

#define UNCHANGED(name)                                                        \
    nvmlReturn_t nvmlDeviceReset##name(nvmlDevice_t device)                    \
    {                                                                          \
        TRY(board_check(device));                                              \
        return NVML_ERROR_NOT_SUPPORTED;                                       \
    }
UNCHANGED(GpuLockedClocks)
UNCHANGED(MemoryLockedClocks)
UNCHANGED(ApplicationsClocks)
