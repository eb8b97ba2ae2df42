/* SPDX-License-Identifier: Apache-2.0 */
/* bad_driver_test.c - the driver API with wrong arguments: bad_driver.def. */
#include "api_help.h"

#include "bad.h"

/* What the calls of the table use; those that end in 2 are written to. */
static CUcontext ctx, ctx2;
static CUdevice dev;
static CUmodule mod, mod2;
static CUfunction fun, fun2, add;
static CUstream stream, stream2, gone_stream;
static CUevent event, event2, untimed, gone_event;
static CUdeviceptr p, p2, managed, gone_memory;
static CUarray array, array2, gone_array;
static CUmipmappedArray mipmap;
static CUtexref texref, texref2;
static CUsurfref surfref2;
static CUtexObject tex2;
static CUsurfObject surf2;
static CUlinkState linker, linker2;
static CUlibrary lib, lib2;
static CUkernel kernel, kernel2;
static CUmemoryPool pool, pool2;
static CUmemGenericAllocationHandle handle2;
static CUgraph graph, graph2;
static CUgraphNode node, node2;
static CUgraphExec exec, exec2;
static CUgraphNodeType node_type;
static CUgraphExecUpdateResultInfo update;
static CUstreamAttrValue attr_value;
static CUDA_KERNEL_NODE_PARAMS kernel_params;
static CUDA_ARRAY_DESCRIPTOR desc2;
static CUDA_RESOURCE_DESC resource2;
static CUuuid uuid;
static CUdevprop prop;
static int i, j;
static unsigned u;
static size_t n;
static float f;
static char text[64];
static const char *string;
static void *address, *pinned;
static const char *const ptx = api_ptx;
static size_t ptx_bytes;

static void *pointers[3];
static void *extra_end[] = {CU_LAUNCH_PARAM_END};
static void *extra_bad[] = {(void *)77, NULL, CU_LAUNCH_PARAM_END};
static const CUmemLocation device_location = {
    .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
static const CUmemLocation bad_location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
                                           .id = 99};
static const CUmemAllocationProp physical = {
    .type = CU_MEM_ALLOCATION_TYPE_PINNED,
    .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
static const CUmemPoolProps pool_props = {
    .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
    .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
static const CUDA_ARRAY_DESCRIPTOR array_desc = {16, 16, CU_AD_FORMAT_FLOAT, 1};
static const CUDA_ARRAY_DESCRIPTOR array_empty = {0, 0, CU_AD_FORMAT_FLOAT, 1};
static const CUDA_ARRAY_DESCRIPTOR array_channels = {16, 16, CU_AD_FORMAT_FLOAT,
                                                     3};
static const CUDA_ARRAY_DESCRIPTOR array_format = {16, 16, (CUarray_format)0x77,
                                                   1};
static const CUDA_ARRAY_DESCRIPTOR array_wide = {(size_t)1 << 30, 16,
                                                 CU_AD_FORMAT_FLOAT, 1};
static const CUDA_ARRAY3D_DESCRIPTOR array3d_desc = {
    16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
static const CUDA_ARRAY3D_DESCRIPTOR array3d_flags = {
    16, 16, 5, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP};
static CUDA_MEMCPY2D copy_no_memory, copy_pitch, copy_type, copy_beyond;
static CUDA_RESOURCE_DESC resource, resource_type, resource_linear;
static const CUDA_TEXTURE_DESC texture_desc;

static void
callback(CUstream s, CUresult status, void *data)
{
    (void)s;
    (void)status;
    (void)data;
}

static void
make_copies(void)
{
    copy_no_memory = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                                     .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                     .dstDevice = p,
                                     .WidthInBytes = 4,
                                     .Height = 2};
    copy_pitch = copy_no_memory;
    copy_pitch.srcHost = text;
    copy_pitch.srcPitch = 2; /* less than a row */
    copy_type = copy_pitch;
    copy_type.srcPitch = 4;
    copy_type.srcMemoryType = (CUmemorytype)77;
    copy_beyond = copy_type;
    copy_beyond.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy_beyond.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy_beyond.dstArray = array;
    copy_beyond.dstY = 15; /* two rows, and there are 16 */
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    resource_type.resType = (CUresourcetype)77;
    resource_linear.resType = CU_RESOURCE_TYPE_LINEAR;
    resource_linear.res.linear.devPtr = 0;
    resource_linear.res.linear.format = CU_AD_FORMAT_FLOAT;
    resource_linear.res.linear.numChannels = 1;
    resource_linear.res.linear.sizeInBytes = 64;
}

/* Handles that were good once; nothing is made after them. */
static void
make_gone(void)
{
    CHECK_EQ(cuStreamCreate(&gone_stream, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&gone_event, 0), CUDA_SUCCESS);
    CHECK_EQ(cuArrayCreate_v2(&gone_array, &array_desc), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc_v2(&gone_memory, 1 << 22), CUDA_SUCCESS);
    CHECK_EQ(cuStreamDestroy_v2(gone_stream), CUDA_SUCCESS);
    CHECK_EQ(cuEventDestroy_v2(gone_event), CUDA_SUCCESS);
    CHECK_EQ(cuArrayDestroy(gone_array), CUDA_SUCCESS);
    CHECK_EQ(cuMemFree_v2(gone_memory), CUDA_SUCCESS);
}

static void
make_objects(void)
{
    CHECK_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc_v2(&p, 4096), CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemHostAlloc(&pinned, 4096, 0), CUDA_SUCCESS);
    CHECK_EQ(cuArrayCreate_v2(&array, &array_desc), CUDA_SUCCESS);
    CHECK_EQ(cuMipmappedArrayCreate(&mipmap, &array3d_desc, 2), CUDA_SUCCESS);
    CHECK_EQ(cuTexRefCreate(&texref), CUDA_SUCCESS);
    CHECK_EQ(cuLinkCreate_v2(0, NULL, NULL, &linker), CUDA_SUCCESS);
    CHECK_EQ(cuLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0),
             CUDA_SUCCESS);
    CHECK_EQ(cuLibraryGetKernel(&kernel, lib, "empty"), CUDA_SUCCESS);
    CHECK_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddEmptyNode(&node, graph, NULL, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    make_copies();
    make_gone();
}

/* Wrong only at first sight. */
#define CUDA_ERROR_SUCCESS CUDA_SUCCESS

#define BAD(code, call)                                                        \
    {"CUDA_ERROR_" #code, #call, CUDA_ERROR_##code, BAD_CODE},
#define ODD(code, call)                                                        \
    {"CUDA_ERROR_" #code, #call, CUDA_ERROR_##code, BAD_ODD_CODE},
static const bad_row rows[] = {
#include "bad_driver.def"
};
#undef BAD
#undef ODD

enum { FIRST = __COUNTER__ + 1 };

static long long
run(int row)
{
    cuCtxSetCurrent(ctx); /* what the row before may have changed */
    switch (row) {
#define BAD(code, call)                                                        \
    case __COUNTER__ - FIRST:                                                  \
        return (long long)(call);
#define ODD BAD
#include "bad_driver.def"
    default:
        return -1;
    }
}

static const char *
name_of(int result)
{
    const char *name = NULL;
    return cuGetErrorName((CUresult)result, &name) == CUDA_SUCCESS ? name : "?";
}

CASE(wrong_arguments_have_their_codes)
{
    api_fixture fixture = api_begin();
    ctx = fixture.context;
    mod = fixture.module;
    fun = fixture.empty;
    add = fixture.add;
    ptx_bytes = strlen(ptx) + 1;
    make_objects();
    bad_run(rows, sizeof rows / sizeof *rows, run, name_of);
    /* None of it did any harm. */
    CHECK_EQ(cuCtxSetCurrent(ctx), CUDA_SUCCESS);
    CHECK_EQ(api_add(&fixture, p, 8, 1, stream), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    api_end(&fixture);
}
