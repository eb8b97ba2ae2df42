/* SPDX-License-Identifier: Apache-2.0 */
/* stream_test.c - the order of work: streams, events, host functions. */
#include <stdatomic.h>
#include <unistd.h>

#include "api_help.h"

/* x -> x * 3 + add, as often as there are digits: order matters. */
CASE(a_stream_keeps_its_order)
{
    api_fixture f = api_begin();
    CUstream s;
    CUdeviceptr p;
    unsigned v = 1, want = 1;
    CHECK_EQ(cuStreamCreate(&s, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoD(p, &v, 4), CUDA_SUCCESS);
    for (unsigned i = 0; i < 10; i++) {
        CHECK_EQ(api_slow(&f, p, i, s), CUDA_SUCCESS);
        want = want * 3 + i;
    }
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, want);
    CHECK_EQ(cuStreamDestroy(s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamDestroy(s), CUDA_ERROR_INVALID_HANDLE);
    api_end(&f);
}

CASE(the_legacy_stream_waits_for_blocking_ones)
{
    api_fixture f = api_begin();
    CUstream a, b;
    CUdeviceptr p;
    unsigned v = 1;
    CHECK_EQ(cuStreamCreate(&a, 0), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&b, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoD(p, &v, 4), CUDA_SUCCESS);
    CHECK_EQ(api_slow(&f, p, 1, a), CUDA_SUCCESS);    /* 4 */
    CHECK_EQ(api_slow(&f, p, 2, NULL), CUDA_SUCCESS); /* 14 */
    CHECK_EQ(api_slow(&f, p, 3, b), CUDA_SUCCESS);    /* 45 */
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 45);
    api_end(&f);
}

CASE(an_event_orders_streams)
{
    api_fixture f = api_begin();
    CUstream a, b;
    CUevent e;
    CUdeviceptr p;
    unsigned v = 2;
    CHECK_EQ(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&e, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventQuery(e), CUDA_SUCCESS); /* never recorded: done */
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoD(p, &v, 4), CUDA_SUCCESS);
    CHECK_EQ(api_slow(&f, p, 1, a), CUDA_SUCCESS); /* 7 */
    CHECK_EQ(cuEventRecord(e, a), CUDA_SUCCESS);
    CHECK_EQ(cuStreamWaitEvent(b, e, 0), CUDA_SUCCESS);
    CHECK_EQ(api_slow(&f, p, 2, b), CUDA_SUCCESS); /* 23 */
    CHECK_EQ(cuStreamSynchronize(b), CUDA_SUCCESS);
    CHECK_EQ(cuEventQuery(e), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 23);
    api_end(&f);
}

CASE(events_measure_time)
{
    api_fixture f = api_begin();
    CUevent a, b, none;
    CUdeviceptr p;
    float ms = -1;
    CHECK_EQ(cuEventCreate(&a, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&b, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&none, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuEventElapsedTime(&ms, a, b), CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuEventRecord(a, NULL), CUDA_SUCCESS);
    CHECK_EQ(api_slow(&f, p, 1, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuEventRecord(b, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuEventSynchronize(b), CUDA_SUCCESS);
    CHECK_EQ(cuEventElapsedTime(&ms, a, b), CUDA_SUCCESS);
    CHECK(ms > 0);
    CHECK_EQ(cuEventRecord(none, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuEventSynchronize(none), CUDA_SUCCESS);
    CHECK_EQ(cuEventElapsedTime(&ms, a, none), CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuEventDestroy(a), CUDA_SUCCESS);
    CHECK_EQ(cuEventRecord(a, NULL), CUDA_ERROR_INVALID_HANDLE);
    api_end(&f);
}

static atomic_int gate, seen;

static void
wait_for_gate(void *arg)
{
    while (!gate)
        usleep(100);
    seen = *(int *)arg;
}

CASE(a_host_function_holds_its_stream_only)
{
    api_fixture f = api_begin();
    CUstream a, b;
    CUdeviceptr p;
    int number = 17;
    unsigned v = 0;
    gate = seen = 0;
    CHECK_EQ(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 1, 1), CUDA_SUCCESS);
    CHECK_EQ(cuLaunchHostFunc(a, wait_for_gate, &number), CUDA_SUCCESS);
    CHECK_EQ(cuStreamQuery(a), CUDA_ERROR_NOT_READY);
    CHECK_EQ(api_slow(&f, p, 4, b), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(b), CUDA_SUCCESS);
    CHECK_EQ(cuStreamQuery(a), CUDA_ERROR_NOT_READY);
    gate = 1;
    CHECK_EQ(cuStreamSynchronize(a), CUDA_SUCCESS);
    CHECK_EQ(seen, 17);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 7);
    api_end(&f);
}

CASE(a_value_in_memory_releases_a_stream)
{
    api_fixture f = api_begin();
    CUstream a, b;
    CUdeviceptr flag, p;
    unsigned v = 0;
    CHECK_EQ(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&flag, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(flag, 0, 1), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 1, 1), CUDA_SUCCESS);
    CHECK_EQ(cuStreamWaitValue32(a, flag, 1, CU_STREAM_WAIT_VALUE_EQ),
             CUDA_SUCCESS);
    CHECK_EQ(api_slow(&f, p, 0, a), CUDA_SUCCESS);
    CHECK_EQ(cuStreamQuery(a), CUDA_ERROR_NOT_READY);
    CHECK_EQ(cuStreamWriteValue32(b, flag, 1, 0), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(a), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 3);
    api_end(&f);
}

/* The order is that of the array; what the second waits for the first writes.
 */
CASE(operations_on_memory_in_batches)
{
    api_fixture f = api_begin();
    CUstreamBatchMemOpParams op[4];
    CUstream s;
    void *host;
    CHECK_EQ(cuStreamCreate(&s, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemHostAlloc(&host, 16, CU_MEMHOSTALLOC_DEVICEMAP),
             CUDA_SUCCESS);
    const CUdeviceptr at = (CUdeviceptr)(uintptr_t)host;
    const volatile uint64_t *words = host;
    memset(host, 0, 16);
    memset(op, 0, sizeof op);
    op[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    op[0].writeValue.address = at;
    op[0].writeValue.value = 7;
    op[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    op[1].waitValue.address = at;
    op[1].waitValue.value = 7;
    op[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    op[2].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    op[2].writeValue.address = at + 8;
    op[2].writeValue.value64 = UINT64_C(1) << 40;
    CHECK_EQ(cuStreamBatchMemOp(s, 3, op, 0), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(words[0], 7);
    CHECK_EQ(words[1], UINT64_C(1) << 40);
    CHECK_EQ(cuStreamBatchMemOp(s, 1, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}

static uint64_t
pool_number(CUmemoryPool pool, CUmemPool_attribute what)
{
    cuuint64_t v = 0;
    CHECK_EQ(cuMemPoolGetAttribute(pool, what, &v), CUDA_SUCCESS);
    return v;
}

/* What a stream frees, later work of it gets at once; others do not. */
CASE(a_stream_takes_again_what_it_frees)
{
    enum { MIB = 1 << 20 };
    api_fixture f = api_begin();
    CUstream s, t;
    CUdeviceptr p, a, b, c, d;
    CUmemoryPool pool;
    unsigned v = 0;
    CHECK_EQ(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 0, 1), CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocAsync(&a, MIB, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamWaitValue32(s, p, 1, CU_STREAM_WAIT_VALUE_EQ),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32Async(a, 5, 1, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemFreeAsync(a, s), CUDA_SUCCESS);
    CHECK_EQ(pool_number(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
    CHECK_EQ(pool_number(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), MIB);
    CHECK_EQ(pool_number(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), 32 * MIB);
    CHECK_EQ(cuMemFreeAsync(a, s), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemAllocAsync(&d, MIB, t), CUDA_SUCCESS);
    CHECK(d != a);
    CHECK_EQ(cuMemAllocAsync(&b, MIB, s), CUDA_SUCCESS);
    CHECK_EQ(b, a);
    CHECK_EQ(cuMemAllocAsync(&c, MIB, s), CUDA_SUCCESS);
    CHECK(c != a);
    CHECK_EQ(cuMemsetD32Async(b, 7, 1, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamWriteValue32(t, p, 1, 0), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, b, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 7);
    CHECK_EQ(pool_number(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 3 * MIB);
    CHECK_EQ(cuMemFreeAsync(b, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemFreeAsync(c, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemFreeAsync(d, t), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    CHECK_EQ(pool_number(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
    CHECK_EQ(pool_number(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
    CHECK_EQ(cuMemFree(b), CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}
