/* SPDX-License-Identifier: Apache-2.0 */
/* misc.c - what a program may ask of a device, or tell it, without much coming
 * of it here: atomics over the bus, notifications, core dumps, LUIDs. */
#include <pthread.h>
#include <string.h>

#include "api/cuda/api.h"

CUresult
cuDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, CUdevice dev)
{
    sw_rt_device *d;
    REQUIRE(luid && deviceNodeMask, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    return CUDA_ERROR_NOT_SUPPORTED; /* of another system */
}

/* ---- atomics between devices and with the host ---- */

static CUresult
capabilities_of(unsigned *out, const CUatomicOperation *operations,
                unsigned count, unsigned value)
{
    for (unsigned i = 0; i < count; i++)
        REQUIRE((unsigned)operations[i] < CU_ATOMIC_OPERATION_MAX,
                CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 0; i < count; i++)
        out[i] = value;
    return CUDA_SUCCESS;
}

/* What the bus could do of each operation, where it can anything. */
enum {
    ANYTHING = CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED |
               CU_ATOMIC_CAPABILITY_REDUCTION | CU_ATOMIC_CAPABILITY_SCALAR_32 |
               CU_ATOMIC_CAPABILITY_SCALAR_64
};

CUresult
cuDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                  const CUatomicOperation *operations,
                                  unsigned int count, CUdevice dev)
{
    sw_rt_device *d;
    REQUIRE(capabilities && operations && count, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    int native =
        sw_rt_device_get(d, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED);
    return capabilities_of(capabilities, operations, count,
                           native > 0 ? ANYTHING : 0);
}

CUresult
cuDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                 const CUatomicOperation *operations,
                                 unsigned int count, CUdevice srcDevice,
                                 CUdevice dstDevice)
{
    REQUIRE(capabilities && operations && count, CUDA_ERROR_INVALID_VALUE);
    int native = 0;
    CUresult status = cuDeviceGetP2PAttribute(
        &native, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, srcDevice,
        dstDevice);
    if (status != CUDA_SUCCESS)
        return status;
    return capabilities_of(capabilities, operations, count,
                           native > 0 ? ANYTHING : 0);
}

/* ---- notifications: nothing happens that there is one of ---- */

typedef struct {
    sw_rt_object object;
    CUdevice device;
} registration;

CUresult
cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback callbackFunc,
                                  void *userData,
                                  CUasyncCallbackHandle *callback)
{
    sw_rt_device *d;
    (void)userData;
    TRY(sw_api_device(device, &d));
    REQUIRE(callbackFunc && callback, CUDA_ERROR_INVALID_VALUE);
    registration *r = sw_rt_object_new(SW_RT_NOTIFICATION, sizeof *r);
    r->device = device;
    *callback = (CUasyncCallbackHandle)r;
    return CUDA_SUCCESS;
}

CUresult
cuDeviceUnregisterAsyncNotification(CUdevice device,
                                    CUasyncCallbackHandle callback)
{
    sw_rt_device *d;
    TRY(sw_api_device(device, &d));
    registration *r = sw_rt_object_get(callback, SW_RT_NOTIFICATION);
    REQUIRE(r && r->device == device, CUDA_ERROR_INVALID_VALUE);
    sw_rt_object_free(r);
    return CUDA_SUCCESS;
}

/* ---- core dumps: kept; a fault's report is printed instead ---- */

enum { NAME_BYTES = 1024 };

static struct {
    pthread_mutex_t lock;
    bool on_exception, trigger, no_host;
    unsigned flags;
    char file[NAME_BYTES], pipe[NAME_BYTES];
} dumps = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t
bytes_of(CUcoredumpSettings what, bool global)
{
    switch ((int)what) {
    case CU_COREDUMP_ENABLE_ON_EXCEPTION:
    case CU_COREDUMP_TRIGGER_HOST:
    case CU_COREDUMP_LIGHTWEIGHT:
        return sizeof(bool);
    case CU_COREDUMP_ENABLE_USER_TRIGGER: /* of the process only */
        return global ? sizeof(bool) : 0;
    case CU_COREDUMP_FILE:
        return NAME_BYTES;
    case CU_COREDUMP_PIPE:
        return global ? NAME_BYTES : 0;
    case CU_COREDUMP_GENERATION_FLAGS:
        return sizeof(unsigned);
    default:
        return 0;
    }
}

static void
read_locked(CUcoredumpSettings what, void *value)
{
    bool on = false;
    switch ((int)what) {
    case CU_COREDUMP_FILE:
        strcpy(value, dumps.file);
        return;
    case CU_COREDUMP_PIPE:
        strcpy(value, dumps.pipe);
        return;
    case CU_COREDUMP_GENERATION_FLAGS:
        memcpy(value, &dumps.flags, sizeof dumps.flags);
        return;
    case CU_COREDUMP_ENABLE_ON_EXCEPTION:
        on = dumps.on_exception;
        break;
    case CU_COREDUMP_TRIGGER_HOST:
        on = !dumps.no_host;
        break;
    case CU_COREDUMP_LIGHTWEIGHT:
        on = (dumps.flags & CU_COREDUMP_LIGHTWEIGHT_FLAGS) ==
             CU_COREDUMP_LIGHTWEIGHT_FLAGS;
        break;
    default:
        on = dumps.trigger;
        break;
    }
    memcpy(value, &on, sizeof on);
}

static void
write_locked(CUcoredumpSettings what, const void *value, size_t bytes)
{
    char *name = what == CU_COREDUMP_FILE ? dumps.file : dumps.pipe;
    bool on = *(const unsigned char *)value != 0;
    switch ((int)what) {
    case CU_COREDUMP_FILE:
    case CU_COREDUMP_PIPE:
        memset(name, 0, NAME_BYTES);
        memcpy(name, value, strnlen(value, bytes));
        return;
    case CU_COREDUMP_GENERATION_FLAGS:
        memcpy(&dumps.flags, value, sizeof dumps.flags);
        return;
    case CU_COREDUMP_ENABLE_ON_EXCEPTION:
        dumps.on_exception = on;
        return;
    case CU_COREDUMP_TRIGGER_HOST:
        dumps.no_host = !on;
        return;
    case CU_COREDUMP_LIGHTWEIGHT:
        if (on)
            dumps.flags |= CU_COREDUMP_LIGHTWEIGHT_FLAGS;
        else
            dumps.flags &= ~(unsigned)CU_COREDUMP_LIGHTWEIGHT_FLAGS;
        return;
    default:
        dumps.trigger = on;
        return;
    }
}

static CUresult
get_dump(CUcoredumpSettings what, void *value, size_t *size, bool global)
{
    size_t bytes = bytes_of(what, global);
    REQUIRE(bytes && size, CUDA_ERROR_INVALID_VALUE);
    if (!value) {
        *size = bytes;
        return CUDA_SUCCESS;
    }
    REQUIRE(bytes == NAME_BYTES ? *size >= bytes : *size == bytes,
            CUDA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&dumps.lock);
    read_locked(what, value);
    pthread_mutex_unlock(&dumps.lock);
    return CUDA_SUCCESS;
}

static CUresult
set_dump(CUcoredumpSettings what, const void *value, size_t *size, bool global)
{
    size_t bytes = bytes_of(what, global);
    REQUIRE(bytes && size, CUDA_ERROR_INVALID_VALUE);
    if (!value) {
        *size = bytes;
        return CUDA_SUCCESS;
    }
    REQUIRE(bytes == NAME_BYTES ? *size && *size < bytes : *size == bytes,
            CUDA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&dumps.lock);
    write_locked(what, value, *size);
    pthread_mutex_unlock(&dumps.lock);
    return CUDA_SUCCESS;
}

CUresult
cuCoredumpGetAttribute(CUcoredumpSettings attrib, void *value, size_t *size)
{
    ENTER(c);
    (void)c;
    return get_dump(attrib, value, size, false);
}

CUresult
cuCoredumpGetAttributeGlobal(CUcoredumpSettings attrib, void *value,
                             size_t *size)
{
    return get_dump(attrib, value, size, true);
}

CUresult
cuCoredumpSetAttribute(CUcoredumpSettings attrib, void *value, size_t *size)
{
    ENTER(c);
    (void)c;
    return set_dump(attrib, value, size, false);
}

CUresult
cuCoredumpSetAttributeGlobal(CUcoredumpSettings attrib, void *value,
                             size_t *size)
{
    return set_dump(attrib, value, size, true);
}
