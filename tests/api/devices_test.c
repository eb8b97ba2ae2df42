/* SPDX-License-Identifier: Apache-2.0 */
/* devices_test.c - two devices of different kinds: properties, contexts,
 * copies from one to the other, what the old one refuses; host threads. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "api_help.h"

__attribute__((constructor)) static void
choose_devices(void)
{
    setenv("SOFTWARP_DEVICES", "NVIDIA H200,GeForce GTX 280", 1);
}

static int
attribute(CUdevice_attribute a, CUdevice d)
{
    int v = -1;
    CHECK_EQ(cuDeviceGetAttribute(&v, a, d), CUDA_SUCCESS);
    return v;
}

static CUcontext
context_on(CUdevice d)
{
    CUcontext c = NULL;
#if CUDA_VERSION >= 13000
    CHECK_EQ(cuCtxCreate(&c, NULL, 0, d), CUDA_SUCCESS);
#else
    CHECK_EQ(cuCtxCreate(&c, 0, d), CUDA_SUCCESS);
#endif
    return c;
}

CASE(each_device_has_its_own_properties)
{
    int count = 0;
    char name[64];
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
    CHECK_EQ(count, 2);
    CHECK_EQ(cuDeviceGetName(name, sizeof name, 1), CUDA_SUCCESS);
    CHECK_EQ(strcmp(name, "GeForce GTX 280"), 0);
    CHECK_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), 9);
    CHECK_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 1), 1);
    CHECK_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0), 1024);
    CHECK_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1), 512);
    CHECK_EQ(attribute(CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 0), 1);
    CHECK_EQ(attribute(CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1), 0);
    CHECK_EQ(attribute(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1), 0);
    CHECK_EQ(attribute(CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 0), 1);
    CHECK_EQ(attribute(CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1), 0);
    CHECK_EQ(attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1), 0);
    CHECK_EQ(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1), 0);
    CHECK_EQ(
        attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1),
        0);
}

CASE(the_old_device_refuses_what_is_newer)
{
    CUdeviceptr p;
    CUarray a;
    CUtexObject t;
    CUsurfObject s;
    int least = 1, greatest = 1;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CUcontext c = context_on(1);
    CHECK_EQ(cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_GLOBAL),
             CUDA_ERROR_NOT_SUPPORTED);
    CUDA_ARRAY_DESCRIPTOR d = {.Width = 4,
                               .Height = 4,
                               .Format = CU_AD_FORMAT_FLOAT,
                               .NumChannels = 1};
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC sampling = {.flags = 0};
    CHECK_EQ(cuArrayCreate(&a, &d), CUDA_SUCCESS);
    r.res.array.hArray = a;
    CHECK_EQ(cuTexObjectCreate(&t, &r, &sampling, NULL),
             CUDA_ERROR_NOT_SUPPORTED);
    CHECK_EQ(cuSurfObjectCreate(&s, &r), CUDA_ERROR_NOT_SUPPORTED);
    CHECK_EQ(cuCtxGetStreamPriorityRange(&least, &greatest), CUDA_SUCCESS);
    CHECK_EQ(least, 0);
    CHECK_EQ(greatest, 0);
    CHECK_EQ(cuCtxDestroy(c), CUDA_SUCCESS);
}

CASE(memory_belongs_to_its_device_and_is_copied_between_them)
{
    CUdeviceptr p[2];
    size_t before, after, total[2];
    unsigned v[16];
    CUcontext c[2];
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    for (int i = 0; i < 2; i++)
        c[i] = context_on(i);
    CHECK_EQ(cuCtxSetCurrent(c[1]), CUDA_SUCCESS);
    CHECK_EQ(cuMemGetInfo(&before, &total[1]), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSetCurrent(c[0]), CUDA_SUCCESS);
    CHECK_EQ(cuMemGetInfo(&after, &total[0]), CUDA_SUCCESS);
    CHECK(total[0] > total[1]);
    CHECK_EQ(cuMemAlloc(&p[0], 64), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p[0], 6, 16), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSetCurrent(c[1]), CUDA_SUCCESS);
    CHECK_EQ(cuMemGetInfo(&after, &total[1]), CUDA_SUCCESS);
    CHECK_EQ(before, after);
    CHECK_EQ(cuMemAlloc(&p[1], 64), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyPeer(p[1], c[1], p[0], c[0], 64), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(v, p[1], 64), CUDA_SUCCESS);
    CHECK_EQ(v[0], 6);
    CHECK_EQ(v[15], 6);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(cuCtxDestroy(c[i]), CUDA_SUCCESS);
}

enum { THREADS = 4, ROUNDS = 50 };

static CUcontext shared_context;
static CUfunction shared_add;
static unsigned wrong[THREADS];

static void *
work(void *arg)
{
    unsigned me = *(unsigned *)arg, n = 64, one = 1;
    unsigned v[64];
    CUstream s = NULL;
    CUdeviceptr p = 0;
    wrong[me] += cuCtxSetCurrent(shared_context) != CUDA_SUCCESS;
    wrong[me] += cuStreamCreate(&s, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS;
    wrong[me] += cuMemAlloc(&p, sizeof v) != CUDA_SUCCESS;
    wrong[me] += cuMemsetD32Async(p, me, 64, s) != CUDA_SUCCESS;
    void *params[] = {&p, &n, &one};
    for (int i = 0; i < ROUNDS; i++) {
        CUevent e = NULL;
        wrong[me] += cuLaunchKernel(shared_add, 1, 1, 1, 64, 1, 1, 0, s, params,
                                    NULL) != CUDA_SUCCESS;
        wrong[me] += cuEventCreate(&e, 0) != CUDA_SUCCESS;
        wrong[me] += cuEventRecord(e, s) != CUDA_SUCCESS;
        wrong[me] += i % 8 == 0 && cuEventSynchronize(e) != CUDA_SUCCESS;
        wrong[me] += cuEventDestroy(e) != CUDA_SUCCESS;
    }
    wrong[me] += cuMemcpyDtoHAsync(v, p, sizeof v, s) != CUDA_SUCCESS;
    wrong[me] += cuStreamSynchronize(s) != CUDA_SUCCESS;
    for (int i = 0; i < 64; i++)
        wrong[me] += v[i] != me + ROUNDS;
    wrong[me] += cuMemFree(p) != CUDA_SUCCESS;
    wrong[me] += cuStreamDestroy(s) != CUDA_SUCCESS;
    return NULL;
}

CASE(host_threads_share_a_context)
{
    api_fixture f = api_begin();
    pthread_t threads[THREADS];
    unsigned ids[THREADS];
    shared_context = f.context;
    shared_add = f.add;
    for (unsigned i = 0; i < THREADS; i++) {
        ids[i] = i;
        CHECK_EQ(pthread_create(&threads[i], NULL, work, &ids[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
        CHECK_EQ(wrong[i], 0);
    }
    api_end(&f);
}

static int order[8], order_count;

static void
note_number(void *arg)
{
    if (order_count < 8)
        order[order_count++] = *(int *)arg;
}

static void
note_callback(CUstream s, CUresult status, void *arg)
{
    (void)s;
    if (status == CUDA_SUCCESS)
        note_number(arg);
}

CASE(host_functions_and_callbacks_keep_the_order)
{
    api_fixture f = api_begin();
    static int numbers[] = {0, 1, 2, 3, 4, 5};
    CUstream s;
    CUdeviceptr p;
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    for (int i = 0; i < 6; i++) {
        CHECK_EQ(api_slow(&f, p, 1, s), CUDA_SUCCESS);
        if (i % 2)
            CHECK_EQ(cuStreamAddCallback(s, note_callback, &numbers[i], 0),
                     CUDA_SUCCESS);
        else
            CHECK_EQ(cuLaunchHostFunc(s, note_number, &numbers[i]),
                     CUDA_SUCCESS);
    }
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(order_count, 6);
    for (int i = 0; i < 6; i++)
        CHECK_EQ(order[i], i);
    api_end(&f);
}

static void
take_a_while(void *unused)
{
    (void)unused;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

/* A copy between devices that waits comes after what both were given. */
CASE(a_copy_between_devices_waits_for_both)
{
    CUdeviceptr p[2];
    CUstream s;
    unsigned v = 0;
    CUcontext c[2];
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    for (int i = 0; i < 2; i++)
        c[i] = context_on(i);
    CHECK_EQ(cuMemAlloc(&p[1], 4), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSetCurrent(c[0]), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p[0], 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p[0], 0, 1), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&s, 0), CUDA_SUCCESS);
    CHECK_EQ(cuLaunchHostFunc(s, take_a_while, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32Async(p[0], 9, 1, s), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSetCurrent(c[1]), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyPeer(p[1], c[1], p[0], c[0], 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p[1], 4), CUDA_SUCCESS);
    CHECK_EQ(v, 9);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(cuCtxDestroy(c[i]), CUDA_SUCCESS);
}

/* Times of one device's clock only are told apart. */
CASE(events_of_two_devices_have_no_time_between_them)
{
    CUcontext c[3];
    CUevent e[3];
    float ms = -1;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    for (int i = 0; i < 3; i++) {
        c[i] = context_on(i % 2);
        CHECK_EQ(cuEventCreate(&e[i], 0), CUDA_SUCCESS);
        CHECK_EQ(cuEventRecord(e[i], NULL), CUDA_SUCCESS);
        CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    }
    CHECK_EQ(cuEventElapsedTime(&ms, e[0], e[1]), CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuEventElapsedTime(&ms, e[1], e[0]), CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuEventElapsedTime(&ms, e[0], e[2]), CUDA_SUCCESS);
    CHECK(ms >= 0);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(cuCtxDestroy(c[i]), CUDA_SUCCESS);
}
