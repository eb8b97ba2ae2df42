/* SPDX-License-Identifier: Apache-2.0 */
/* memory_test.c - buffers and images as the host sees them, in place where the
 * program has the memory; shared virtual memory; how objects end. */
#include "check.h"
#include "opencl/fixture.h"

static const char source[] =
    "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }\n";

CASE(the_programs_memory_is_used_in_place)
{
    open_device();
    static cl_int own[256];
    cl_kernel k = kernel_of(source, "twice");
    for (int i = 0; i < 256; i++)
        own[i] = i;
    /* Two that overlap. */
    cl_mem a = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 512, own, &err);
    cl_mem b =
        clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 512, own + 64, &err);
    CHECK_EQ(err, CL_SUCCESS);
    clSetKernelArg(k, 0, sizeof b, &b);
    CHECK_EQ(run_1d(k, 128, 0), CL_SUCCESS);
    CHECK_EQ(own[63], 63);
    CHECK_EQ(own[64], 128);
    CHECK_EQ(own[191], 382);
    clReleaseMemObject(b);
    clSetKernelArg(k, 0, sizeof a, &a);
    CHECK_EQ(run_1d(k, 128, 0), CL_SUCCESS);
    CHECK_EQ(own[127], 4 * 127);
    CHECK(clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ, 4, 4, 0, NULL,
                             NULL, &err) == own + 1);
    CHECK_EQ(clEnqueueUnmapMemObject(queue, a, own + 1, 0, NULL, NULL),
             CL_SUCCESS);
    clReleaseMemObject(a);
    clReleaseKernel(k);
    close_device();
}

CASE(rectangles_patterns_and_parts)
{
    open_device();
    unsigned char bytes[4096], out[64];
    for (int i = 0; i < 4096; i++)
        bytes[i] = (unsigned char)(i / 64 + i % 64 * 2);
    cl_mem m = buffer_of(4096, bytes);
    const size_t from[3] = {8, 4, 0}, to[3] = {0, 0, 0}, region[3] = {8, 8, 1};
    CHECK_EQ(clEnqueueReadBufferRect(queue, m, CL_TRUE, from, to, region, 64, 0,
                                     8, 0, out, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(out[0], bytes[4 * 64 + 8]);
    CHECK_EQ(out[63], bytes[11 * 64 + 15]);
    cl_buffer_region part = {1024, 256};
    cl_mem sub =
        clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &err);
    const cl_ulong pattern[2] = {0x1122334455667788, 0x99aabbccddeeff00};
    CHECK_EQ(
        clEnqueueFillBuffer(queue, sub, pattern, 16, 16, 32, 0, NULL, NULL),
        CL_SUCCESS);
    clEnqueueReadBuffer(queue, m, CL_TRUE, 1024, 64, out, 0, NULL, NULL);
    CHECK_EQ(out[15], bytes[1024 + 15]);
    CHECK(memcmp(out + 16, pattern, 16) == 0 &&
          memcmp(out + 32, pattern, 16) == 0);
    CHECK_EQ(out[48], bytes[1024 + 48]);
    clReleaseMemObject(m); /* the part keeps it */
    cl_mem parent = NULL;
    clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent,
                       NULL);
    CHECK(parent == m);
    CHECK_EQ(clReleaseMemObject(sub), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(sub), CL_INVALID_MEM_OBJECT);
    close_device();
}

CASE(images_hold_what_is_written)
{
    open_device();
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                .image_width = 8,
                                .image_height = 4,
                                .image_array_size = 3};
    cl_uint in[96], out[96];
    for (cl_uint i = 0; i < 96; i++)
        in[i] = i * 0x01010101;
    cl_mem m =
        clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, in, &err);
    CHECK_EQ(err, CL_SUCCESS);
    const size_t origin[3] = {2, 1, 1}, region[3] = {4, 2, 2};
    const cl_float color[4] = {1, 0, 0.5f, 2};
    CHECK_EQ(clEnqueueFillImage(queue, m, color, origin, region, 0, NULL, NULL),
             CL_SUCCESS);
    const size_t zero[3] = {0, 0, 0}, all[3] = {8, 4, 3};
    clEnqueueReadImage(queue, m, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL);
    CHECK_EQ(out[32 + 8 + 1], in[32 + 8 + 1]);
    CHECK_EQ(out[32 + 8 + 2], 0xff8000ff);
    CHECK_EQ(out[64 + 16 + 5], 0xff8000ff);
    CHECK_EQ(out[64 + 16 + 6], in[64 + 16 + 6]);
    size_t row, slice;
    cl_uint *p = clEnqueueMapImage(queue, m, CL_TRUE, CL_MAP_WRITE, origin,
                                   region, &row, &slice, 0, NULL, NULL, &err);
    CHECK_EQ(row, 32);
    CHECK_EQ(slice, 128);
    CHECK_EQ(p[0], 0xff8000ff);
    clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL);
    cl_mem flat = buffer_of(64, NULL);
    CHECK_EQ(clEnqueueCopyImageToBuffer(queue, m, flat, origin, region, 0, 0,
                                        NULL, NULL),
             CL_SUCCESS);
    clEnqueueReadBuffer(queue, flat, CL_TRUE, 0, 64, out, 0, NULL, NULL);
    CHECK_EQ(out[15], 0xff8000ff);
    clReleaseMemObject(flat);
    clReleaseMemObject(m);
    close_device();
}

/* The program's memory need not be aligned as an image's elements are. */
CASE(images_lie_where_the_program_has_them)
{
    static const char text[] =
        "kernel void turn(read_only image2d_t a, write_only image2d_t b) {\n"
        "  int2 at = (int2)(get_global_id(0), 0);\n"
        "  write_imagef(b, at, read_imagef(a, at).wzyx); }\n";
    open_device();
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = 8,
                                .image_height = 1};
    static _Alignas(16) cl_float from[33], to[33];
    for (int i = 0; i < 33; i++)
        from[i] = (cl_float)i;
    cl_kernel k = kernel_of(text, "turn");
    for (int shift = 0; shift < 2; shift++) {
        cl_mem a =
            clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                          &format, &desc, from + shift, &err);
        CHECK_EQ(err, CL_SUCCESS);
        cl_mem b =
            clCreateImage(context, CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR,
                          &format, &desc, to + shift, &err);
        CHECK_EQ(err, CL_SUCCESS);
        clSetKernelArg(k, 0, sizeof a, &a);
        clSetKernelArg(k, 1, sizeof b, &b);
        CHECK_EQ(run_1d(k, 8, 0), CL_SUCCESS);
        for (int i = 0; i < 32; i++)
            CHECK(to[shift + i] == from[shift + i / 4 * 4 + 3 - i % 4]);
        clReleaseMemObject(a);
        clReleaseMemObject(b);
    }
    clReleaseKernel(k);
    close_device();
}

CASE(shared_memory_has_one_address)
{
    open_device();
    cl_kernel k = kernel_of(source, "twice");
    cl_int *p = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 1024, 0);
    for (int i = 0; i < 256; i++)
        p[i] = i;
    CHECK_EQ(clSetKernelArgSVMPointer(k, 0, p + 128), CL_SUCCESS);
    CHECK_EQ(run_1d(k, 128, 0), CL_SUCCESS);
    CHECK_EQ(p[127], 127);
    CHECK_EQ(p[128], 256);
    CHECK_EQ(p[255], 510);
    void *list[] = {p};
    CHECK_EQ(clEnqueueSVMFree(queue, 1, list, NULL, NULL, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    clReleaseKernel(k);
    close_device();
}

static int gone[4];
static int gone_count; /* atomic; a value is stored before it is counted */

static void CL_CALLBACK
on_gone(cl_mem m, void *arg)
{
    (void)m;
    gone[gone_count % 4] = *(int *)arg;
    __atomic_add_fetch(&gone_count, 1, __ATOMIC_SEQ_CST);
}

CASE(memory_ends_after_its_commands)
{
    open_device();
    int one = 1, two = 2;
    cl_event gate = clCreateUserEvent(context, &err);
    cl_mem m = buffer_of(4096, NULL);
    clSetMemObjectDestructorCallback(m, on_gone, &one);
    clSetMemObjectDestructorCallback(m, on_gone, &two);
    clEnqueueFillBuffer(queue, m, &one, 4, 0, 4096, 1, &gate, NULL);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(gone_count, 0);
    clSetUserEventStatus(gate, CL_COMPLETE);
    clFinish(queue);
    while (__atomic_load_n(&gone_count, __ATOMIC_SEQ_CST) < 2)
        ;
    CHECK_EQ(gone[0], 2); /* the last one first */
    CHECK_EQ(gone[1], 1);
    clReleaseEvent(gate);
    cl_uint refs = 0;
    clRetainContext(context);
    clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof refs, &refs,
                     NULL);
    CHECK_EQ(refs, 2);
    clReleaseContext(context);
    close_device();
}
