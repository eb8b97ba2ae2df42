/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h - what the OpenCL cases share: a device, programs from the files
 * beside this one, buffers until the end of the case, launches. Any call that
 * fails ends the process with a sentence. One source file: the state is static.
 */
#ifndef BENCH_OPENCL_HOST_H
#define BENCH_OPENCL_HOST_H
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdarg.h>

#include "../bench.h"

#define CL(call) cl_check((call), #call, __LINE__)

enum { CL_OBJECTS_MAX = 16 };

static struct {
    const char *dir; /* of the .cl files */
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem buffers[CL_OBJECTS_MAX];
    int n_buffers;
} cl;

static inline void
cl_check(cl_int e, const char *call, int line)
{
    if (e != CL_SUCCESS) {
        fprintf(stderr, "bench: opencl, line %d: %s: error %d\n", line, call,
                e);
        exit(1);
    }
}

static inline void
cl_wait(void)
{
    CL(clFinish(cl.queue));
}

/* The first device of the first platform whose name contains `wanted`; exit
 * status 77 if there is none. */
static inline void
cl_open(const char *wanted)
{
    cl_platform_id platforms[16];
    cl_uint n = 0;
    clGetPlatformIDs(16, platforms, &n);
    for (cl_uint i = 0; i < n && i < 16 && !cl.device; i++) {
        char name[256] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name,
                          NULL);
        if (!strstr(name, wanted) ||
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &cl.device,
                           NULL) != CL_SUCCESS)
            cl.device = NULL;
    }
    if (!cl.device) {
        fprintf(stderr, "bench: no OpenCL platform called %s\n", wanted);
        exit(77);
    }
    cl_int e;
    cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &e);
    CL(e);
    cl.queue = clCreateCommandQueue(cl.context, cl.device, 0, &e);
    CL(e);
}

/* Builds FILE.cl of the folder. */
static inline void
cl_build(const char *file, const char *options)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.cl", cl.dir, file);
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    char *text = (char *)bench_alloc(1 << 16, 1);
    size_t size = fread(text, 1, (1 << 16) - 1, f);
    fclose(f);
    cl_int e;
    const char *string = text;
    cl.program = clCreateProgramWithSource(cl.context, 1, &string, &size, &e);
    CL(e);
    if (clBuildProgram(cl.program, 1, &cl.device, options, NULL, NULL) !=
        CL_SUCCESS) {
        char *log = (char *)bench_alloc(1 << 16, 1);
        clGetProgramBuildInfo(cl.program, cl.device, CL_PROGRAM_BUILD_LOG,
                              (1 << 16) - 1, log, NULL);
        fprintf(stderr, "bench: %s: %s\n", path, log);
        exit(1);
    }
}

/* A buffer of n bytes, a copy of `from`; with all bits set if that is NULL. */
static inline cl_mem
cl_buffer(const void *from, size_t n)
{
    cl_int e;
    if (!from)
        from = memset(bench_alloc(n, 1), 0xff, n);
    cl_mem b =
        clCreateBuffer(cl.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n,
                       (void *)(uintptr_t)from, &e);
    CL(e);
    return cl.buffers[cl.n_buffers++] = b;
}

/* An image of n x n pixels of four channels. */
static inline cl_mem
cl_image(const void *from, size_t n, cl_channel_type type)
{
    cl_int e;
    cl_image_format format = {CL_RGBA, type};
    cl_image_desc desc = {0};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = desc.image_height = n;
    cl_mem m =
        clCreateImage(cl.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                      &format, &desc, (void *)(uintptr_t)from, &e);
    CL(e);
    return cl.buffers[cl.n_buffers++] = m;
}

static inline void
cl_write(cl_mem to, const void *from, size_t n)
{
    CL(clEnqueueWriteBuffer(cl.queue, to, CL_TRUE, 0, n, from, 0, NULL, NULL));
}

/* The contents, in memory until the end of the case. */
static inline void *
cl_read(cl_mem from, size_t n)
{
    void *to = bench_alloc(n, 1);
    CL(clEnqueueReadBuffer(cl.queue, from, CL_TRUE, 0, n, to, 0, NULL, NULL));
    return to;
}

/* The kernel with its arguments; `types` has a letter for each: b a buffer, i
 * an int or unsigned, l a size_t (ulong), f a double (float). */
static inline cl_kernel
cl_kernel_of(const char *name, const char *types, ...)
{
    cl_int e;
    cl_kernel k = clCreateKernel(cl.program, name, &e);
    CL(e);
    va_list list;
    va_start(list, types);
    for (cl_uint i = 0; types[i]; i++)
        if (types[i] == 'b') {
            cl_mem b = va_arg(list, cl_mem);
            CL(clSetKernelArg(k, i, sizeof b, &b));
        } else if (types[i] == 'l') {
            cl_ulong l = va_arg(list, size_t);
            CL(clSetKernelArg(k, i, sizeof l, &l));
        } else if (types[i] == 'f') {
            float f = (float)va_arg(list, double);
            CL(clSetKernelArg(k, i, sizeof f, &f));
        } else {
            unsigned u = va_arg(list, unsigned);
            CL(clSetKernelArg(k, i, sizeof u, &u));
        }
    va_end(list);
    return k;
}

/* An index space of up to three dimensions, as items and items a group. */
typedef struct space {
    cl_uint dims;
    size_t items[3], group[3];
} space;

static inline void
cl_launch(cl_kernel k, const space *s)
{
    CL(clEnqueueNDRangeKernel(cl.queue, k, s->dims, NULL, s->items, s->group, 0,
                              NULL, NULL));
}

/* Launches and waits until there were enough; then the case gives back what it
 * made with cl_end. */
static inline void
cl_time(bench *b, cl_kernel k, const space *s)
{
    while (bench_next(b)) {
        cl_launch(k, s);
        cl_wait();
    }
    clReleaseKernel(k);
}

/* Prints the case and frees its buffers and its program. */
static inline void
cl_end(bench *b, bool right)
{
    bench_end(b, right);
    while (cl.n_buffers > 0)
        clReleaseMemObject(cl.buffers[--cl.n_buffers]);
    clReleaseProgram(cl.program);
}
#endif
