/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_conditions.cu - nv/target: code for one side or one device, with and
 * without parentheses; marks for a profiler that does nothing.
 */
// cc: -arch=sm_80
// expect: EXACT host 1, at least 70: 0, first of three: 3, nothing: 9
// expect: EXACT device 2, at least 70: 7, first of three: 2, nothing: 9
// expect: EXACT ranges -2 -2, 48 bytes
#include <cstdio>
#include <nv/target>
#include <nvtx3/nvToolsExt.h>

#include "check.h"

struct answers {
    int side, new_enough, first, nothing;
};

__host__ __device__ answers ask()
{
    answers a = {0, 0, 0, 9};

    NV_IF_ELSE_TARGET(NV_IS_HOST, (a.side = 1;), (a.side = threadIdx.x + 2;))
    NV_IF_TARGET(NV_PROVIDES_SM_70, a.new_enough = __popc(127);)
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (a.first = 1;), NV_IS_EXACTLY_SM_80,
                       (int x = 1, y = 1; a.first = x + y;), NV_IS_HOST,
                       (a.first = 3;))
    NV_IF_TARGET(NV_NO_TARGET, (not even words of the language;))
    NV_DISPATCH_TARGET(NV_NO_TARGET, (nor this;), NV_IS_EXACTLY_SM_75,
                       (a.nothing = 1;))
    return a;
}

__global__ void ask_device(answers *a)
{
    *a = ask();
}

static void show(const char *name, answers a)
{
    printf("%s %d, at least 70: %d, first of three: %d, nothing: %d\n", name,
           a.side, a.new_enough, a.first, a.nothing);
}

int main()
{
    nvtxEventAttributes_t event = {};
    answers *a;

    CK(cudaMallocManaged(&a, sizeof *a));
    ask_device<<<1, 1>>>(a);
    CK(cudaDeviceSynchronize());
    show("host", ask());
    show("device", *a);

    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = "a mark";
    nvtxMarkEx(&event);
    nvtxRangeEnd(nvtxRangeStart("from here"));
    int depth = nvtxRangePushA("inside");
    printf("ranges %d %d, %zu bytes\n", depth, nvtxRangePop(), sizeof event);
}
