/* SPDX-License-Identifier: Apache-2.0 */
/* profiler.c - where a program tells its profiler to look; see
 * rt/activity.h. Without one nothing happens. */
#include "api/cuda/api.h"
#include "cuda/cudaProfiler.h"
#include "rt/activity.h"

/* What drivers answer since CUDA 11. */
CUresult
cuProfilerInitialize(const char *configFile, const char *outputFile,
                     CUoutput_mode outputMode)
{
    (void)configFile;
    (void)outputFile;
    (void)outputMode;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult
cuProfilerStart(void)
{
    sw_rt_activity_pause(false);
    return CUDA_SUCCESS;
}

CUresult
cuProfilerStop(void)
{
    sw_rt_activity_pause(true);
    return CUDA_SUCCESS;
}
