/* SPDX-License-Identifier: Apache-2.0 */
/* context_test.c - contexts: uses that are counted, a primary one that is
 * released and taken again, flags. */
#include "api_help.h"

static CUresult
create(CUcontext *c, unsigned flags)
{
#if CUDA_VERSION >= 13000
    return cuCtxCreate(c, NULL, flags, 0);
#else
    return cuCtxCreate(c, flags, 0);
#endif
}

CASE(attachments_are_counted)
{
    CUcontext c, d, got;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(create(&c, 0), CUDA_SUCCESS);
    CHECK_EQ(cuCtxAttach(&got, 0), CUDA_SUCCESS);
    CHECK(got == c);
    CHECK_EQ(cuCtxAttach(&got, 0), CUDA_SUCCESS);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(cuCtxDetach(c), CUDA_SUCCESS);
        CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    }
    CHECK_EQ(cuCtxDetach(c), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuCtxDetach(c), CUDA_ERROR_INVALID_CONTEXT);

    /* Destroying does not ask how many there are. */
    CHECK_EQ(create(&c, 0), CUDA_SUCCESS);
    CHECK_EQ(cuCtxAttach(&got, 0), CUDA_SUCCESS);
    CHECK_EQ(cuCtxDestroy(c), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);

    /* Only the current one is detached from. */
    CHECK_EQ(create(&c, 0), CUDA_SUCCESS);
    CHECK_EQ(create(&d, 0), CUDA_SUCCESS);
    CHECK_EQ(cuCtxDetach(c), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuCtxDestroy(d), CUDA_SUCCESS);
    CHECK_EQ(cuCtxDestroy(c), CUDA_SUCCESS);

    CHECK_EQ(cuDevicePrimaryCtxRetain(&c, 0), CUDA_SUCCESS);
    CHECK_EQ(cuCtxPushCurrent(c), CUDA_SUCCESS);
    CHECK_EQ(cuCtxAttach(&got, 0), CUDA_SUCCESS);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(cuCtxDetach(c), CUDA_SUCCESS);
        CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    }
    CHECK_EQ(cuCtxPopCurrent(&got), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
}

/* A primary context, current and no more. */
static void
check_destroyed(CUcontext c)
{
    CUcontext got = NULL;
    CUdevice d = -1;
    CUdeviceptr p;
    unsigned flags;
    int active = -1;
    unsigned long long id;
    CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CHECK_EQ(cuCtxGetId(c, &id), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CHECK_EQ(cuCtxGetDevice(&d), CUDA_SUCCESS);
    CHECK_EQ(d, 0);
    CHECK_EQ(cuCtxGetCurrent(&got), CUDA_SUCCESS);
    CHECK(got == c);
    CHECK_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
    CHECK_EQ(active, 0);
    CHECK_EQ(cuCtxSetCurrent(c), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

static void
check_revived(CUcontext c)
{
    CUcontext again = NULL;
    unsigned flags;
    int active = 0;
    CHECK_EQ(cuDevicePrimaryCtxRetain(&again, 0), CUDA_SUCCESS);
    CHECK(again == c);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
    CHECK_EQ(active, 1);
}

CASE(a_primary_context_is_no_more_when_nobody_holds_it)
{
    CUcontext c;
    CUdeviceptr p;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxRetain(&c, 0), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSetCurrent(c), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
    check_destroyed(c);
    CHECK_EQ(cuMemFree(p), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_revived(c);
    CHECK_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuCtxPopCurrent(&c), CUDA_SUCCESS);
}

/* It stays held as often as before. */
CASE(a_primary_context_is_no_more_after_a_reset)
{
    CUcontext c;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxRetain(&c, 0), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSetCurrent(c), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
    check_destroyed(c);
    check_revived(c);
    CHECK_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuCtxPopCurrent(&c), CUDA_SUCCESS);
}

CASE(there_is_one_way_to_wait)
{
    static const unsigned two[] = {3, 5, 6, 7};
    CUcontext c, none;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(create(&c, CU_CTX_SCHED_YIELD), CUDA_SUCCESS);
    for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
        CHECK_EQ(create(&none, two[i]), CUDA_ERROR_INVALID_VALUE);
        CHECK_EQ(cuCtxSetFlags(two[i]), CUDA_ERROR_INVALID_VALUE);
        CHECK_EQ(cuDevicePrimaryCtxSetFlags(0, two[i]),
                 CUDA_ERROR_INVALID_VALUE);
    }
    CHECK_EQ(cuCtxSetFlags(CU_CTX_SCHED_SPIN), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN), CUDA_SUCCESS);
    CHECK_EQ(cuCtxDestroy(c), CUDA_SUCCESS);
}
