/* SPDX-License-Identifier: Apache-2.0 */
/* bad_test.c - wrong arguments to every entry point: each row of bad_*.def is
 * a call and the code that we read the specification to ask for. */
#include "check.h"
#include "opencl/fixture.h"

#define GARBAGE(type) ((type)(uintptr_t)0x1234560)

static const char source[] =
    "kernel void k(global int *p, local int *s, int n, float4 v) {\n"
    "  s[0] = n; p[get_global_id(0)] = s[0] + (int)v.x; }\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
    "void sized(global int *p) { p[get_global_id(0)] = 1; }\n"
    "kernel void pictures(read_only image2d_t a, write_only image2d_t b,\n"
    "                     sampler_t s) {}\n"
    "kernel void empty(void) {}\n";

static cl_context other;
static cl_command_queue other_queue;
static cl_mem buffer, second, sub, read_only, no_host, write_host, read_host,
    image, image3, array1, other_buffer, other_image, write_image, float_image;
static cl_program program, unbuilt, compiled;
static cl_kernel kernel, sized, pictures, empty, unset;
static cl_sampler sampler, other_sampler;
static cl_event user, done, failed, other_event;
static char host[65536];
static size_t size_ret;
static cl_uint count;
static void *svm;
static const size_t zero3[3], one3[3] = {1, 1, 1}, four3[3] = {4, 4, 1},
                              big3[3] = {1u << 20, 1, 1},
                              at_end3[3] = {64, 0, 0}, no_region[3] = {4, 0, 1};
static const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8},
                             floats = {CL_R, CL_FLOAT},
                             wrong_format = {CL_RGB, CL_FLOAT},
                             no_format = {0, 0};

static cl_image_desc
desc_of(cl_mem_object_type type, size_t w, size_t h, size_t d, size_t n)
{
    return (cl_image_desc){.image_type = type,
                           .image_width = w,
                           .image_height = h,
                           .image_depth = d,
                           .image_array_size = n};
}

static cl_mem
image_of(cl_context c, cl_mem_flags flags, const cl_image_format *format,
         cl_image_desc desc)
{
    return clCreateImage(c, flags, format, &desc, NULL, &err);
}

static void CL_CALLBACK
on_event(cl_event e, cl_int status, void *arg)
{
    (void)e;
    (void)status;
    (void)arg;
}

static void CL_CALLBACK
on_release(cl_program released, void *arg)
{
    (void)released;
    (void)arg;
}

static void CL_CALLBACK
on_native(void *arg)
{
    (void)arg;
}

static void
make_memory(void)
{
    cl_buffer_region half = {512, 512};
    buffer = buffer_of(4096, NULL);
    second = buffer_of(4096, NULL);
    sub =
        clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, NULL);
    read_only = clCreateBuffer(context, CL_MEM_READ_ONLY, 4096, NULL, NULL);
    no_host = clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 4096, NULL, NULL);
    write_host =
        clCreateBuffer(context, CL_MEM_HOST_WRITE_ONLY, 4096, NULL, NULL);
    read_host =
        clCreateBuffer(context, CL_MEM_HOST_READ_ONLY, 4096, NULL, NULL);
    other_buffer = clCreateBuffer(other, 0, 4096, NULL, NULL);
    image = image_of(context, CL_MEM_READ_ONLY, &rgba,
                     desc_of(CL_MEM_OBJECT_IMAGE2D, 64, 64, 0, 0));
    write_image = image_of(context, CL_MEM_WRITE_ONLY, &rgba,
                           desc_of(CL_MEM_OBJECT_IMAGE2D, 64, 64, 0, 0));
    float_image = image_of(context, 0, &floats,
                           desc_of(CL_MEM_OBJECT_IMAGE2D, 64, 64, 0, 0));
    image3 =
        image_of(context, 0, &rgba, desc_of(CL_MEM_OBJECT_IMAGE3D, 8, 8, 8, 0));
    array1 = image_of(context, 0, &rgba,
                      desc_of(CL_MEM_OBJECT_IMAGE1D_ARRAY, 64, 0, 0, 4));
    other_image =
        image_of(other, 0, &rgba, desc_of(CL_MEM_OBJECT_IMAGE2D, 64, 64, 0, 0));
    svm = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
}

static void
make_all(void)
{
    const char *text = source, *piece = "int f(int x) { return x; }\n";
    if (context)
        return;
    open_device();
    other = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    other_queue = clCreateCommandQueue(other, device, 0, NULL);
    make_memory();
    program = program_of(source, "");
    unbuilt = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    compiled = clCreateProgramWithSource(context, 1, &piece, NULL, NULL);
    clCompileProgram(compiled, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
    kernel = clCreateKernel(program, "k", NULL);
    unset = clCreateKernel(program, "k", NULL);
    sized = clCreateKernel(program, "sized", NULL);
    pictures = clCreateKernel(program, "pictures", NULL);
    empty = clCreateKernel(program, "empty", NULL);
    cl_float4 v = {{0}};
    cl_int n = 1;
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, 64, NULL);
    clSetKernelArg(kernel, 2, sizeof n, &n);
    clSetKernelArg(kernel, 3, sizeof v, &v);
    clSetKernelArg(sized, 0, sizeof buffer, &buffer);
    sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP,
                              CL_FILTER_NEAREST, NULL);
    other_sampler = clCreateSampler(other, CL_FALSE, CL_ADDRESS_CLAMP,
                                    CL_FILTER_NEAREST, NULL);
    user = clCreateUserEvent(context, NULL);
    failed = clCreateUserEvent(context, NULL);
    clSetUserEventStatus(failed, -7);
    other_event = clCreateUserEvent(other, NULL);
    clEnqueueMarkerWithWaitList(queue, 0, NULL, &done);
    clFinish(queue);
}

/* One row: a call whose result is a code. */
#define BAD(want, call)                                                        \
    do {                                                                       \
        cl_int got_ = (call);                                                  \
        if (!check_result(got_ == (want), __FILE__, __LINE__))                 \
            printf("%s is %d, not %s\n", #call, (int)got_, #want);             \
    } while (0);
/* The same of a call that makes something, with &err. */
#define BAD_NEW(want, call)                                                    \
    do {                                                                       \
        err = 12345;                                                           \
        const void *got_ = (call);                                             \
        if (!check_result(!got_ && err == (want), __FILE__, __LINE__))         \
            printf("%s is %p, %d, not %s\n", #call, got_, (int)err, #want);    \
    } while (0);

CASE(platforms_devices_contexts_queues)
{
    make_all();
    const cl_context_properties bad_platform[] = {CL_CONTEXT_PLATFORM, 77, 0},
                                bad_property[] = {77, 77, 0},
                                twice[] = {CL_CONTEXT_PLATFORM,
                                           (cl_context_properties)platform,
                                           CL_CONTEXT_PLATFORM,
                                           (cl_context_properties)platform, 0},
                                sync_twice[] = {
                                    CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE,
                                    CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
    const cl_queue_properties unknown[] = {77, 77, 0},
                              no_flags[] = {CL_QUEUE_PROPERTIES, 1 << 20, 0},
                              sized_host[] = {CL_QUEUE_SIZE, 4096, 0},
                              on_device[] = {
                                  CL_QUEUE_PROPERTIES,
                                  CL_QUEUE_ON_DEVICE |
                                      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                  0};
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY,
                                                    2, 0};
    cl_device_id two[] = {device, GARBAGE(cl_device_id)};
    cl_platform_id out_platform;
    cl_device_id out_device;
    cl_ulong time;
#include "opencl/bad_device.def"
}

CASE(memory)
{
    make_all();
    const cl_buffer_region whole = {0, 4096}, outside = {512, 4096},
                           nothing = {512, 0}, crooked = {4, 512};
    const cl_mem_properties property[] = {77, 77, 0};
    const cl_image_desc d2 = desc_of(CL_MEM_OBJECT_IMAGE2D, 64, 64, 0, 0),
                        no_width = desc_of(CL_MEM_OBJECT_IMAGE2D, 0, 64, 0, 0),
                        wide =
                            desc_of(CL_MEM_OBJECT_IMAGE2D, 1 << 30, 64, 0, 0),
                        no_depth = desc_of(CL_MEM_OBJECT_IMAGE3D, 8, 8, 0, 0),
                        no_layers =
                            desc_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, 8, 8, 0, 0),
                        no_type = desc_of(77, 8, 8, 0, 0),
                        line =
                            desc_of(CL_MEM_OBJECT_IMAGE1D_BUFFER, 64, 0, 0, 0);
    cl_image_desc pitch = d2, small_pitch = d2, levels = d2, long_line = line,
                  of_buffer = line, of_other = line;
    pitch.image_row_pitch = 512;
    small_pitch.image_row_pitch = 16;
    levels.num_mip_levels = 2;
    long_line.image_width = 4096;
    long_line.mem_object = of_buffer.mem_object = buffer;
    of_other.mem_object = other_buffer;
    const cl_sampler_properties unknown[] = {77, 1, 0},
                                twice[] = {CL_SAMPLER_FILTER_MODE,
                                           CL_FILTER_LINEAR,
                                           CL_SAMPLER_FILTER_MODE,
                                           CL_FILTER_LINEAR, 0};
#include "opencl/bad_memory.def"
}

CASE(commands)
{
    make_all();
    const size_t rows[3] = {64, 16, 1}, next3[3] = {0, 1, 0},
                 deep3[3] = {4, 4, 16};
    cl_event nothing = NULL;
    const int pattern[4] = {1, 2, 3, 4};
    size_t pitch;
    const void *garbage = GARBAGE(void *);
    void *mapped;
    clSetUserEventStatus(user, CL_COMPLETE);
#include "opencl/bad_command.def"
    (void)mapped;
}

CASE(programs_and_kernels)
{
    make_all();
    const char *text = "kernel void broken( { }", *no_text = NULL,
               *name = "a.h", *good = "kernel void fine(void) {}";
    const size_t length = 4, no_length = 0;
    const unsigned char *binary = (const unsigned char *)"none",
                        *no_binary = NULL;
    cl_program broken =
        clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    cl_program fine = clCreateProgramWithSource(context, 1, &good, NULL, NULL);
    cl_program garbage = GARBAGE(cl_program);
    cl_device_id bad_device = GARBAGE(cl_device_id);
    cl_kernel two[2];
    cl_kernel fine_kernel;
    const cl_bool yes = CL_TRUE;
    const cl_int n = 1;
    const cl_float4 v = {{0}};
    const size_t local0 = 0, local3 = 3, local2000 = 2000, local16 = 16,
                 global64 = 64, most = SIZE_MAX, many[3] = {64, 64, 64},
                 deep[3] = {1, 1, 128}, wide[3] = {1, 1, 128};
    const cl_mem bad_mem = GARBAGE(cl_mem);
    const cl_sampler bad_sampler = GARBAGE(cl_sampler);
#include "opencl/bad_program.def"
    clReleaseProgram(broken);
    clReleaseProgram(fine);
}
