/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newer_objects.h - what the calls of newer_*.def use. For newer_driver_test.c,
 * after bad.h.
 */
#ifndef SW_NEWER_OBJECTS_H
#define SW_NEWER_OBJECTS_H

/* What the calls of the tables use; those that end in 2 are written to. */
static CUcontext ctx;
static api_fixture fixture;
static CUstream stream, side, stream2;
static CUevent event, other, untimed, event2;
static CUdeviceptr p, p2, managed, va, va2, async2, mapped;
static CUarray array, array2, cube;
static CUmipmappedArray mipmap, mipmap2;
static CUtexObject tex2;
static CUsurfObject surf2;
static CUmodule mod, mod2;
static CUlibrary lib, lib2;
static CUkernel kernel, kernel2;
static CUfunction fun2, add, empty;
static CUmemoryPool pool, made_pool, share_pool, pool2;
static CUmemGenericAllocationHandle physical, physical2;
static CUgraph graph, cloned, memory_graph, condition_graph, plain, body, big,
    spoilt, graph2;
static CUgraphNode kernel_node, memset_node, copy_node, host_node, empty_node,
    child_node, record_node, wait_node, batch_node, alloc_node, free_node,
    condition_node, plain_node, plain_empty, second_kernel, node2;
static CUgraphExec exec, plain_exec, memory_exec;
static CUgraphConditionalHandle condition, condition2;
static CUuserObject user, user2;
static CUlogsCallbackHandle log_handle2;
static CUlogIterator log_place;
static CUdevice dev;
static int i, j;
static unsigned u, kept_status;
static uint64_t u64;
static size_t n, n2;
static float f;
static char text[8192], page[1 << 16] __attribute__((aligned(4096)));
static const char *string;
static void *address, *pinned;
static CUresult kept;
static cuuint64_t serial;

static CUgraphNode nodes[32], nodes2[32];
static CUgraphEdgeData edges[32];
static const CUgraphEdgeData edge_zero,
    edge_port = {.from_port = 1}, edge_bad_port = {.from_port = 9},
    edge_type = {.type = 1}, edge_bad_type = {.type = 7},
    edge_early = {.from_port = 1, .type = 1},
    edge_to_port = {.from_port = 1, .to_port = 1, .type = 1},
    edge_reserved = {.reserved = {1}};
static CUDA_KERNEL_NODE_PARAMS kernel_params, kernel_none, kernel_grid,
    kernel_block, kernel_shared, kernel_empty, kernel2_params;
static CUDA_MEMSET_NODE_PARAMS fill, fill_size, fill_pitch, fill_nowhere,
    fill_odd, fill_2d, fill_wide, fill_none, fill2;
static CUDA_MEMCPY3D copy, copy_nowhere, copy_type, copy_pitch, copy_none,
    copy_reversed, copy_larger, copy2;
static CUDA_HOST_NODE_PARAMS host, host_none, host2;
static CUDA_BATCH_MEM_OP_NODE_PARAMS batch, batch_none, batch_bad, batch_flags,
    batch2;
static CUstreamBatchMemOpParams operations[2], bad_operation[1];
static CUDA_MEM_ALLOC_NODE_PARAMS allocation, allocation2, allocation_type,
    allocation_place, allocation_empty, allocation_peer;
static CUgraphNodeParams any, any_kernel, any_bad, any_reserved, any_condition,
    any_condition_size, any_condition_type, any_event, any_free;
static CUgraphExecUpdateResultInfo update;
static CUDA_GRAPH_INSTANTIATE_PARAMS how, how_flags;
static CUlaunchAttributeValue value;
static CUstreamAttrValue stream_value;
static CUlaunchConfig config;
static CUlaunchAttribute attribute[2];
static CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
                     nowhere = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 99},
                     on_host = {.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0},
                     on_numa = {.type = CU_MEM_LOCATION_TYPE_HOST_NUMA,
                                .id = 0},
                     on_far = {.type = CU_MEM_LOCATION_TYPE_HOST_NUMA,
                               .id = 99},
                     on_current = {.type =
                                       CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
                                   .id = 0},
                     no_place = {.type = CU_MEM_LOCATION_TYPE_INVALID, .id = 0},
                     bad_place = {.type = (CUmemLocationType)77, .id = 0};
static CUmemAllocationProp prop, prop_type, prop_place, prop_handle, prop_host,
    prop_compress, prop2;
static CUmemAccessDesc rw, ro, none, access_bad, access_place, access_host;
static CUmemPoolProps pool_props, pool_host, pool_type, pool_handle, pool_place,
    pool_max, pool_shared;
static CUmemPoolPtrExportData exported;
static CUipcMemHandle memory_handle, handle_zero;
static CUipcEventHandle event_handle, event_zero;
static CUDA_RESOURCE_DESC of_array, of_mipmap, of_linear, of_pitch,
    of_odd_pitch, of_big, resource2;
static CUDA_TEXTURE_DESC plain_texture, normalised, linear_texture, wrap,
    anisotropic, sampled_wrong, texture2;
static CUDA_RESOURCE_VIEW_DESC view, view_format, view_size, view_levels,
    view_layers, view_compressed, view2;
static CUdeviceptr from[4], to[4];
static size_t sizes[4], indices[4], first[1];
static CUmemcpyAttributes attributes[2], attributes_bad[1];
static CUmemcpyAttributes hinted[1];
static CUDA_MEMCPY3D_BATCH_OP boxes[2], box_bad[1];
static int fd;
static CUdeviceptr pointers[2];
static CUmemLocation places[2];
static CUmem_range_attribute range_names[2];
static void *range_data[2];
static size_t range_sizes[2];

static void
on_call(void *data)
{
    (void)data;
}

/* ---- what is there before the first row ---- */

static void
make_memory(void)
{
    CHECK_EQ(cuMemAlloc_v2(&p, 1 << 20), CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocManaged(&managed, 1 << 21, CU_MEM_ATTACH_GLOBAL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemHostAlloc(&pinned, 4096, 0), CUDA_SUCCESS);
    CHECK_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = here;
    prop_type = prop_place = prop_handle = prop_host = prop_compress = prop;
    prop_type.type = (CUmemAllocationType)77;
    prop_place.location = nowhere;
    prop_handle.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    prop_host.location = on_numa;
    prop_compress.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    CHECK_EQ(cuMemAddressReserve(&va, 8 << 20, 0, 0, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemCreate(&physical, 2 << 20, &prop_handle, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemMap(va, 2 << 20, 0, physical, 0), CUDA_SUCCESS);
    rw.location = here;
    rw.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    ro = none = access_bad = access_place = access_host = rw;
    ro.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    none.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    access_bad.flags = (CUmemAccess_flags)77;
    access_place.location = nowhere;
    access_host.location = on_host;
    CHECK_EQ(cuMemSetAccess(va, 2 << 20, &rw, 1), CUDA_SUCCESS);
    pool_props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    pool_props.location = here;
    pool_host = pool_type = pool_handle = pool_place = pool_max = pool_shared =
        pool_props;
    pool_host.location = on_numa;
    pool_type.allocType = (CUmemAllocationType)77;
    pool_handle.handleTypes = (CUmemAllocationHandleType)77;
    pool_place.location = nowhere;
    pool_max.maxSize = 1 << 20;
    pool_shared.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CHECK_EQ(cuMemPoolCreate(&made_pool, &pool_props), CUDA_SUCCESS);
    CHECK_EQ(cuMemPoolCreate(&share_pool, &pool_shared), CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocFromPoolAsync(&async2, 4096, made_pool, stream),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocFromPoolAsync(&mapped, 4096, share_pool, stream),
             CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    for (int k = 0; k < 4; k++) {
        from[k] = p + (unsigned)k * 4096;
        to[k] = p + 65536 + (unsigned)k * 4096;
        sizes[k] = 256;
        indices[k] = (size_t)k;
    }
    attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    attributes[1] = attributes_bad[0] = hinted[0] = attributes[0];
    attributes_bad[0].srcAccessOrder = (CUmemcpySrcAccessOrder)77;
    hinted[0].srcLocHint = nowhere;
    memset(boxes, 0, sizeof boxes);
    boxes[0].src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    boxes[0].src.op.ptr.ptr = p;
    boxes[0].src.op.ptr.locHint = here;
    boxes[0].dst = boxes[0].src;
    boxes[0].dst.op.ptr.ptr = p + 65536;
    boxes[0].extent = (CUextent3D){16, 16, 1};
    boxes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    boxes[1] = box_bad[0] = boxes[0];
    box_bad[0].src.type = (CUmemcpy3DOperandType)77;
    pointers[0] = managed;
    pointers[1] = managed + (1 << 20);
    places[0] = here;
    places[1] = on_host;
    range_names[0] = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
    range_names[1] = CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION;
    range_data[0] = &i;
    range_data[1] = &j;
    range_sizes[0] = range_sizes[1] = 4;
}

static void
make_textures(void)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CHECK_EQ(cuArray3DCreate_v2(&array, &d), CUDA_SUCCESS);
    CHECK_EQ(cuMipmappedArrayCreate(&mipmap, &d, 4), CUDA_SUCCESS);
    d.Depth = 6;
    d.Flags = CUDA_ARRAY3D_CUBEMAP;
    CHECK_EQ(cuArray3DCreate_v2(&cube, &d), CUDA_SUCCESS);
    of_array.resType = CU_RESOURCE_TYPE_ARRAY;
    of_array.res.array.hArray = array;
    of_mipmap.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    of_mipmap.res.mipmap.hMipmappedArray = mipmap;
    of_linear.resType = CU_RESOURCE_TYPE_LINEAR;
    of_linear.res.linear.devPtr = p;
    of_linear.res.linear.format = CU_AD_FORMAT_FLOAT;
    of_linear.res.linear.numChannels = 1;
    of_linear.res.linear.sizeInBytes = 4096;
    of_big = of_linear;
    of_big.res.linear.sizeInBytes = (size_t)1 << 32;
    of_pitch.resType = CU_RESOURCE_TYPE_PITCH2D;
    of_pitch.res.pitch2D.devPtr = p;
    of_pitch.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    of_pitch.res.pitch2D.numChannels = 1;
    of_pitch.res.pitch2D.width = 64;
    of_pitch.res.pitch2D.height = 64;
    of_pitch.res.pitch2D.pitchInBytes = 256;
    of_odd_pitch = of_pitch;
    of_odd_pitch.res.pitch2D.pitchInBytes = 260;
    for (int k = 0; k < 3; k++)
        plain_texture.addressMode[k] = CU_TR_ADDRESS_MODE_CLAMP;
    normalised = linear_texture = wrap = anisotropic = sampled_wrong =
        plain_texture;
    normalised.flags = CU_TRSF_NORMALIZED_COORDINATES;
    linear_texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    wrap.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP;
    anisotropic.maxAnisotropy = 77;
    sampled_wrong.filterMode = (CUfilter_mode)77;
    view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
    view.width = 64;
    view.height = 64;
    view_format = view_size = view_levels = view_layers = view_compressed =
        view;
    view_format.format = CU_RES_VIEW_FORMAT_FLOAT_4X32;
    view_size.width = 32;
    view_levels.lastMipmapLevel = 9;
    view_layers.lastLayer = 3;
    view_compressed.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
}

static void
make_node_parameters(void)
{
    static unsigned count = 4, by = 1;
    static void *parameters[] = {&p, &count, &by};
    kernel_params = (CUDA_KERNEL_NODE_PARAMS){.func = add,
                                              .gridDimX = 1,
                                              .gridDimY = 1,
                                              .gridDimZ = 1,
                                              .blockDimX = 32,
                                              .blockDimY = 1,
                                              .blockDimZ = 1,
                                              .kernelParams = parameters};
    kernel_none = kernel_grid = kernel_block = kernel_shared = kernel_empty =
        kernel_params;
    kernel_none.func = NULL;
    kernel_grid.gridDimX = 0;
    kernel_block.blockDimX = 2048;
    kernel_shared.sharedMemBytes = 1 << 20;
    kernel_empty.func = empty;
    fill = (CUDA_MEMSET_NODE_PARAMS){
        .dst = p, .elementSize = 4, .width = 16, .height = 1};
    fill_size = fill_pitch = fill_nowhere = fill_odd = fill_2d = fill_wide =
        fill_none = fill;
    fill_size.elementSize = 3;
    fill_pitch.height = 4;
    fill_pitch.pitch = 4;
    fill_nowhere.dst = 8;
    fill_odd.dst = p + 1;
    fill_2d.height = 4;
    fill_2d.pitch = 256;
    fill_wide.width = (size_t)1 << 30;
    fill_none.width = 0;
    copy = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = p,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = p + 65536,
                           .WidthInBytes = 64,
                           .Height = 1,
                           .Depth = 1};
    copy_nowhere = copy_type = copy_pitch = copy_none = copy_reversed =
        copy_larger = copy;
    copy_nowhere.srcDevice = 8;
    copy_type.srcMemoryType = (CUmemorytype)77;
    copy_pitch.Height = 4;
    copy_pitch.srcPitch = 16;
    copy_pitch.dstPitch = 16;
    copy_none.WidthInBytes = 0;
    copy_reversed.srcDevice = copy.dstDevice;
    copy_reversed.dstDevice = copy.srcDevice;
    copy_larger.WidthInBytes = 128;
    host = (CUDA_HOST_NODE_PARAMS){.fn = on_call};
    memset(operations, 0, sizeof operations);
    operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[0].writeValue.address = p;
    operations[1] = bad_operation[0] = operations[0];
    bad_operation[0].operation = (CUstreamBatchMemOpType)77;
    batch = (CUDA_BATCH_MEM_OP_NODE_PARAMS){
        .ctx = ctx, .count = 1, .paramArray = operations};
    batch_none = batch_bad = batch_flags = batch;
    batch_none.count = 0;
    batch_bad.paramArray = bad_operation;
    batch_flags.flags = 1;
    allocation.poolProps = pool_props;
    allocation.bytesize = 4096;
    allocation2 = allocation_type = allocation_place = allocation_empty =
        allocation_peer = allocation;
    allocation_type.poolProps.allocType = (CUmemAllocationType)77;
    allocation_place.poolProps.location = nowhere;
    allocation_empty.bytesize = 0;
    allocation_peer.accessDescs = &access_place;
    allocation_peer.accessDescCount = 1;
}

static void
make_graphs(void)
{
    make_node_parameters();
    CHECK_EQ(cuGraphCreate(&spoilt, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&plain, 0), CUDA_SUCCESS);
    CHECK_EQ(
        cuGraphAddKernelNode_v2(&plain_node, plain, NULL, 0, &kernel_params),
        CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddEmptyNode(&plain_empty, plain, &plain_node, 1),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphInstantiateWithFlags(&plain_exec, plain, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    CHECK_EQ(
        cuGraphAddKernelNode_v2(&kernel_node, graph, NULL, 0, &kernel_params),
        CUDA_SUCCESS);
    CHECK_EQ(
        cuGraphAddMemsetNode(&memset_node, graph, &kernel_node, 1, &fill, ctx),
        CUDA_SUCCESS);
    CHECK_EQ(
        cuGraphAddMemcpyNode(&copy_node, graph, &memset_node, 1, &copy, ctx),
        CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddHostNode(&host_node, graph, &copy_node, 1, &host),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddEmptyNode(&empty_node, graph, &host_node, 1),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddChildGraphNode(&child_node, graph, NULL, 0, plain),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddEventRecordNode(&record_node, graph, NULL, 0, event),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddEventWaitNode(&wait_node, graph, NULL, 0, other),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddBatchMemOpNode(&batch_node, graph, NULL, 0, &batch),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    CHECK_EQ(cuGraphClone(&cloned, graph), CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&memory_graph, 0), CUDA_SUCCESS);
    CHECK_EQ(
        cuGraphAddMemAllocNode(&alloc_node, memory_graph, NULL, 0, &allocation),
        CUDA_SUCCESS);
    CHECK_EQ(cuGraphAddMemFreeNode(&free_node, memory_graph, &alloc_node, 1,
                                   allocation.dptr),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphInstantiateWithFlags(&memory_exec, memory_graph, 0),
             CUDA_SUCCESS);
    CHECK_EQ(cuGraphCreate(&condition_graph, 0), CUDA_SUCCESS);
    CHECK_EQ(
        cuGraphConditionalHandleCreate(&condition, condition_graph, ctx, 0, 0),
        CUDA_SUCCESS);
    any_condition.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    any_condition.conditional.handle = condition;
    any_condition.conditional.type = CU_GRAPH_COND_TYPE_IF;
    any_condition.conditional.size = 1;
    any_condition.conditional.ctx = ctx;
    any_condition_size = any_condition_type = any_condition;
    CHECK_EQ(cuGraphAddNode_v2(&condition_node, condition_graph, NULL, NULL, 0,
                               &any_condition),
             CUDA_SUCCESS);
    body = any_condition.conditional.phGraph_out[0];
    any_condition_size.conditional.size = 0;
    any_condition_type.conditional.type = (CUgraphConditionalNodeType)77;
    any.type = CU_GRAPH_NODE_TYPE_EMPTY;
    any_bad.type = (CUgraphNodeType)77;
    any_kernel.type = CU_GRAPH_NODE_TYPE_KERNEL;
    memcpy(&any_kernel.kernel, &kernel_params, sizeof kernel_params);
    any_reserved = any_kernel;
    any_reserved.reserved0[0] = 1;
    any_event.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    any_free.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
    any_free.free.dptr = p;
    how_flags.flags = 1 << 20;
    CHECK_EQ(cuUserObjectCreate(&user, text, on_call, 3,
                                CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
             CUDA_SUCCESS);
}

static void
make_objects(void)
{
    fixture = api_begin();
    ctx = fixture.context;
    mod = fixture.module;
    add = fixture.add;
    empty = fixture.empty;
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 32;
    config.blockDimY = config.blockDimZ = 1;
    CHECK_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&side, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&other, 0), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    CHECK_EQ(cuLibraryLoadData(&lib, api_ptx, NULL, NULL, 0, NULL, NULL, 0),
             CUDA_SUCCESS);
    CHECK_EQ(cuLibraryGetKernel(&kernel, lib, "add"), CUDA_SUCCESS);
    make_memory();
    make_textures();
    make_graphs();
}

#endif
