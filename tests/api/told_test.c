/* SPDX-License-Identifier: Apache-2.0 */
/* told_test.c - what a device is asked or told without much coming of it;
 * events of whole contexts; cooperative launches by one call. As an H200 with
 * driver 580.159 answers. */
#include <time.h>

#include "api_help.h"

CASE(atomics_over_the_bus_are_none)
{
    api_fixture f = api_begin();
    CUatomicOperation operation = CU_ATOMIC_OPERATION_INTEGER_ADD;
    unsigned got = 77;
    char luid[8];
    CHECK_EQ(cuDeviceGetHostAtomicCapabilities(&got, &operation, 1, 0),
             CUDA_SUCCESS);
    CHECK_EQ(got, 0);
    CHECK_EQ(cuDeviceGetHostAtomicCapabilities(&got, &operation, 0, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuDeviceGetHostAtomicCapabilities(&got, &operation, 1, 99),
             CUDA_ERROR_INVALID_DEVICE);
    CHECK_EQ(cuDeviceGetP2PAtomicCapabilities(&got, &operation, 1, 0, 0),
             CUDA_ERROR_INVALID_DEVICE);
    operation = CU_ATOMIC_OPERATION_MAX;
    CHECK_EQ(cuDeviceGetHostAtomicCapabilities(&got, &operation, 1, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuDeviceGetLuid(luid, &got, 0), CUDA_ERROR_NOT_SUPPORTED);
    CHECK_EQ(cuDeviceGetLuid(luid, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuDeviceGetLuid(luid, &got, 99), CUDA_ERROR_INVALID_DEVICE);
    api_end(&f);
}

static void
notified(CUasyncNotificationInfo *info, void *data,
         CUasyncCallbackHandle handle)
{
    (void)info, (void)data, (void)handle;
}

CASE(notifications_are_registered)
{
    api_fixture f = api_begin();
    CUasyncCallbackHandle handle;
    CHECK_EQ(cuDeviceRegisterAsyncNotification(0, notified, NULL, &handle),
             CUDA_SUCCESS);
    CHECK_EQ(cuDeviceUnregisterAsyncNotification(0, handle), CUDA_SUCCESS);
    CHECK_EQ(cuDeviceUnregisterAsyncNotification(0, handle),
             CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}

CASE(settings_of_core_dumps_are_kept)
{
    api_fixture f = api_begin();
    bool on = true;
    unsigned flags = 77;
    char name[1024] = "/tmp/core";
    size_t size = 0, one = 1, four = sizeof flags, length = 10;
    CHECK_EQ(cuCoredumpGetAttribute(CU_COREDUMP_FILE, NULL, &size),
             CUDA_SUCCESS);
    CHECK_EQ(size, 1024);
    CHECK_EQ(cuCoredumpSetAttribute(CU_COREDUMP_FILE, name, &length),
             CUDA_SUCCESS);
    name[0] = 0;
    CHECK_EQ(cuCoredumpGetAttribute(CU_COREDUMP_FILE, name, &size),
             CUDA_SUCCESS);
    CHECK_STR(name, "/tmp/core");
    CHECK_EQ(cuCoredumpGetAttribute(CU_COREDUMP_FILE, name, &four),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(
        cuCoredumpSetAttribute(CU_COREDUMP_ENABLE_ON_EXCEPTION, &on, &four),
        CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuCoredumpSetAttribute(CU_COREDUMP_PIPE, name, &length),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuCoredumpSetAttributeGlobal(CU_COREDUMP_PIPE, name, &length),
             CUDA_SUCCESS);
    CHECK_EQ(cuCoredumpSetAttribute(CU_COREDUMP_LIGHTWEIGHT, &on, &one),
             CUDA_SUCCESS);
    CHECK_EQ(
        cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &four),
        CUDA_SUCCESS);
    CHECK_EQ(flags, CU_COREDUMP_LIGHTWEIGHT_FLAGS);
    flags = 1;
    CHECK_EQ(
        cuCoredumpSetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &four),
        CUDA_SUCCESS);
    CHECK_EQ(cuCoredumpGetAttribute(CU_COREDUMP_LIGHTWEIGHT, &on, &one),
             CUDA_SUCCESS);
    CHECK(!on);
    CHECK_EQ(cuCoredumpGetAttribute((CUcoredumpSettings)0, NULL, &size),
             CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}

static void
take_a_while(void *done)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    *(volatile int *)done = 1;
}

CASE(an_event_of_a_context_comes_after_all_its_streams)
{
    api_fixture f = api_begin();
    CUstream s, t;
    CUevent e;
    CUgraph g;
    static volatile int done, after;
    CHECK_EQ(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&e, 0), CUDA_SUCCESS);
    CHECK_EQ(cuLaunchHostFunc(s, take_a_while, (void *)(uintptr_t)&done),
             CUDA_SUCCESS);
    CHECK_EQ(cuCtxRecordEvent(f.context, e), CUDA_SUCCESS);
    CHECK_EQ(cuEventSynchronize(e), CUDA_SUCCESS);
    CHECK_EQ(done, 1);
    CHECK_EQ(cuLaunchHostFunc(s, take_a_while, (void *)(uintptr_t)&after),
             CUDA_SUCCESS);
    CHECK_EQ(cuEventRecord(e, s), CUDA_SUCCESS);
    CHECK_EQ(cuCtxWaitEvent(f.context, e), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(t), CUDA_SUCCESS);
    CHECK_EQ(after, 1);
    CHECK_EQ(cuCtxRecordEvent(NULL, e), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuCtxRecordEvent(f.context, NULL), CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED),
             CUDA_SUCCESS);
    CHECK_EQ(cuCtxRecordEvent(f.context, e),
             CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK_EQ(cuStreamEndCapture(s, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    api_end(&f);
}

CASE(one_call_launches_on_a_device_each)
{
    api_fixture f = api_begin();
    CUstream s;
    CUdeviceptr p;
    unsigned n = 4, by = 3, v = 0;
    void *params[] = {&p, &n, &by};
    CHECK_EQ(cuStreamCreate(&s, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 16), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 1, 4), CUDA_SUCCESS);
    CUDA_LAUNCH_PARAMS l = {.function = f.add,
                            .gridDimX = 1,
                            .gridDimY = 1,
                            .gridDimZ = 1,
                            .blockDimX = 32,
                            .blockDimY = 1,
                            .blockDimZ = 1,
                            .hStream = s,
                            .kernelParams = params};
    CUDA_LAUNCH_PARAMS two[] = {l, l};
    CHECK_EQ(cuLaunchCooperativeKernelMultiDevice(&l, 1, 0), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 4);
    CHECK_EQ(cuLaunchCooperativeKernelMultiDevice(two, 2, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuLaunchCooperativeKernelMultiDevice(&l, 0, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuLaunchCooperativeKernelMultiDevice(&l, 1, 77),
             CUDA_ERROR_INVALID_VALUE);
    l.hStream = NULL;
    CHECK_EQ(cuLaunchCooperativeKernelMultiDevice(&l, 1, 0),
             CUDA_ERROR_INVALID_HANDLE);
    api_end(&f);
}
