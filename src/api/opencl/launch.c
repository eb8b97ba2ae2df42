/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.c - NDRanges and native kernels. Groups that do not fill the range are
 * launches of their own: one for each part of it whose groups have one size, up
 * to eight (cc/opencl.h has what kernels are told of the whole).
 */
#include <string.h>

#include "api/opencl/command.h"
#include "api/opencl/memory.h"

enum { MOST_PARTS = 8, PREFERRED_THREADS = 256 };

/* The range, complete: dimensions that the program did not give are 1. */
typedef struct {
    cl_uint dimensions;
    size_t offset[3], global[3], local[3];
    bool is_empty;
} range;

static size_t
round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* ---- sizes ---- */

/* The largest divisor of n that is at most `most`. */
static size_t
largest_divisor(size_t n, size_t most)
{
    if (n <= most)
        return n;
    for (size_t d = most; d > 1; d--)
        if (n % d == 0)
            return d;
    return 1;
}

/* Groups of about PREFERRED_THREADS: whole warps in x, if some group may be
 * smaller than the others; else divisors. */
static void
choose_local(const struct _cl_kernel *k, size_t most, range *r)
{
    const uint32_t *required = k->facts->required_size;
    if (required[0]) {
        for (int i = 0; i < 3; i++)
            r->local[i] = required[i];
        return;
    }
    size_t left = most < PREFERRED_THREADS ? most : PREFERRED_THREADS;
    for (int i = 0; i < 3; i++) {
        size_t limit = i == 2 && left > 64 ? 64 : left;
        r->local[i] = largest_divisor(r->global[i], limit);
        bool is_ragged = r->local[i] < limit / 4 && r->global[i] > limit;
        if (is_ragged && !k->uniform_groups)
            r->local[i] = limit;
        left /= r->local[i];
    }
}

static cl_int
check_local(const struct _cl_kernel *k, const sw_rt_kernel *rt, const range *r)
{
    const sw_cc_limits *l = rt->module->context->device->limits;
    const uint32_t *required = k->facts->required_size;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        REQUIRE(r->local[i], CL_INVALID_WORK_GROUP_SIZE);
        REQUIRE(!required[0] || r->local[i] == required[i],
                CL_INVALID_WORK_GROUP_SIZE);
        REQUIRE(r->local[i] <= l->max_block[i], CL_INVALID_WORK_ITEM_SIZE);
        /* A device counts groups with 31 bits. */
        REQUIRE(r->global[i] / r->local[i] <= INT32_MAX,
                CL_INVALID_GLOBAL_WORK_SIZE);
        REQUIRE(!k->uniform_groups || r->global[i] % r->local[i] == 0,
                CL_INVALID_WORK_GROUP_SIZE);
        threads *= r->local[i];
    }
    REQUIRE(threads <= sw_rt_kernel_max_threads(rt),
            CL_INVALID_WORK_GROUP_SIZE);
    return CL_SUCCESS;
}

static cl_int
read_range(cl_uint work_dim, const size_t *offset, const size_t *global,
           const size_t *local, range *r)
{
    REQUIRE(work_dim >= 1 && work_dim <= 3, CL_INVALID_WORK_DIMENSION);
    *r = (range){.dimensions = work_dim,
                 .global = {1, 1, 1},
                 .local = {1, 1, 1},
                 .is_empty = !global};
    for (cl_uint i = 0; i < work_dim && global; i++) {
        r->global[i] = global[i];
        r->offset[i] = offset ? offset[i] : 0;
        r->local[i] = local ? local[i] : 1;
        r->is_empty |= global[i] == 0;
        REQUIRE(sw_sum(r->offset[i], r->global[i]) < UINT64_MAX,
                CL_INVALID_GLOBAL_OFFSET);
    }
    return CL_SUCCESS;
}

/* ---- arguments ---- */

static cl_int
check_arguments(const struct _cl_kernel *k)
{
    for (size_t i = 0; i < k->facts->argument_count; i++) {
        const sw_ocl_argument *a = &k->arguments[i];
        REQUIRE(a->is_set, CL_INVALID_KERNEL_ARGS);
        REQUIRE(!a->object || sw_ocl_get_same(a->object, SW_OCL_MEM, a->serial),
                CL_INVALID_MEM_OBJECT);
    }
    return CL_SUCCESS;
}

/* Gives each LOCAL argument its piece of shared memory, in the block of
 * parameters; the bytes of dynamic shared memory. */
static size_t
place_locals(const struct _cl_kernel *k, const sw_rt_kernel *rt,
             unsigned char *block)
{
    size_t fixed = rt->info->static_shared_bytes, at = fixed;
    for (size_t i = 0; i < k->facts->argument_count; i++) {
        const sw_cl_argument *a = &k->facts->arguments[i];
        if (a->kind != SW_CL_ARG_LOCAL)
            continue;
        at = round_up(at, a->alignment ? a->alignment : 16);
        memcpy(block + a->offset, &(uint64_t){at}, a->size < 8 ? a->size : 8);
        at = sw_sum(at, k->arguments[i].local_bytes);
        if (at > UINT32_MAX) /* more than any device has */
            return UINT32_MAX;
    }
    return at - fixed;
}

/* ---- parts ---- */

/* Along one dimension: whole groups, and a smaller one behind them. */
typedef struct {
    size_t groups, size, first_group;
} span;

static int
spans_of(size_t global, size_t local, span out[2])
{
    int n = 0;
    size_t whole = global / local, rest = global % local;
    if (whole)
        out[n++] = (span){whole, local, 0};
    if (rest)
        out[n++] = (span){1, rest, whole};
    return n;
}

static void
tell_whole(const range *r, const span *const part[3], sw_environment *e)
{
    for (int d = 0; d < 3; d++) {
        size_t groups = (r->global[d] + r->local[d] - 1) / r->local[d];
        e->words[SW_CL_ENV_GROUP + d] = (uint32_t)part[d]->first_group;
        e->words[SW_CL_ENV_GROUPS + d] = (uint32_t)groups;
        e->words[SW_CL_ENV_ENQUEUED + d] = (uint32_t)r->local[d];
        e->words[SW_CL_ENV_SIZE + d] = (uint32_t)r->global[d];
        e->words[SW_CL_ENV_SIZE_HIGH + d] = (uint32_t)(r->global[d] >> 32);
    }
}

/* The launches that a range is; how many. */
static size_t
divide(const range *r, const sw_rt_work *like, sw_rt_work out[MOST_PARTS])
{
    span spans[3][2];
    int counts[3];
    size_t n = 0;
    for (int d = 0; d < 3; d++)
        counts[d] = spans_of(r->global[d], r->local[d], spans[d]);
    bool is_whole = counts[0] + counts[1] + counts[2] == 3 &&
                    spans[0][0].size == r->local[0] &&
                    spans[1][0].size == r->local[1] &&
                    spans[2][0].size == r->local[2];
    for (int z = 0; z < counts[2]; z++)
        for (int y = 0; y < counts[1]; y++)
            for (int x = 0; x < counts[0]; x++) {
                const span *part[3] = {&spans[0][x], &spans[1][y],
                                       &spans[2][z]};
                sw_rt_launch *l = &out[n].launch;
                out[n++] = *like;
                l->environment.words[SW_CL_ENV_DIMENSIONS] = r->dimensions;
                for (int d = 0; d < 3; d++) {
                    l->grid[d] = (uint32_t)part[d]->groups;
                    l->block[d] = (uint32_t)part[d]->size;
                    l->environment.offset[d] =
                        r->offset[d] + part[d]->first_group * r->local[d];
                }
                if (!is_whole)
                    tell_whole(r, part, &l->environment);
            }
    return n;
}

/* ---- the commands ---- */

static cl_int
find_kernel(cl_kernel k, cl_device_id device, sw_rt_kernel **out)
{
    *out = sw_ocl_kernel_on(k, device);
    return *out && sw_rt_kernel_prepare(*out) == SW_OK
               ? CL_SUCCESS
               : CL_INVALID_PROGRAM_EXECUTABLE;
}

enum { PLENTY = 1024 };

static cl_int
launch(const sw_ocl_command *c, const struct _cl_kernel *k, sw_rt_kernel *rt,
       const range *r)
{
    _Alignas(16) unsigned char room[PLENTY];
    sw_rt_work works[MOST_PARTS];
    sw_rt_work like = {.kind = SW_RT_LAUNCH};
    unsigned char *block = k->block;
    size_t dynamic = 0;
    if (k->has_locals) {
        block = k->block_bytes <= PLENTY ? room : sw_alloc(k->block_bytes);
        memcpy(block, k->block, k->block_bytes);
        dynamic = place_locals(k, rt, block);
    }
    const sw_cc_limits *l = rt->module->context->device->limits;
    cl_int result = CL_OUT_OF_RESOURCES;
    if (rt->info->static_shared_bytes + dynamic <= l->smem_block) {
        like.launch.kernel = rt;
        like.launch.params = block;
        like.launch.shared_bytes = (uint32_t)dynamic;
        size_t n = divide(r, &like, works);
        result = sw_ocl_command_submit_all(c, works, n, false);
    }
    if (block != k->block && block != room)
        sw_free(block);
    return result;
}

static cl_int
enqueue(const sw_ocl_command *c, cl_kernel kernel, cl_uint work_dim,
        const size_t *offset, const size_t *global, const size_t *local)
{
    range r;
    sw_rt_kernel *rt;
    GET(cl_kernel, k, kernel, SW_OCL_KERNEL, CL_INVALID_KERNEL);
    REQUIRE(k->program->context == c->queue->context, CL_INVALID_CONTEXT);
    TRY(find_kernel(k, c->queue->device, &rt));
    TRY(check_arguments(k));
    TRY(read_range(work_dim, offset, global, local, &r));
    if (r.is_empty)
        return sw_ocl_command_mark(c, false);
    if (!local)
        choose_local(k, sw_rt_kernel_fit_threads(rt), &r);
    TRY(check_local(k, rt, &r));
    return launch(c, k, rt, &r);
}

cl_int
clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel,
                       cl_uint work_dim, const size_t *global_work_offset,
                       const size_t *global_work_size,
                       const size_t *local_work_size,
                       cl_uint num_events_in_wait_list,
                       const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_NDRANGE_KERNEL,
                             num_events_in_wait_list, event_wait_list, event));
    return enqueue(&c, kernel, work_dim, global_work_offset, global_work_size,
                   local_work_size);
}

cl_int
clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel,
              cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
              cl_event *event)
{
    const size_t one = 1;
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_TASK,
                             num_events_in_wait_list, event_wait_list, event));
    return enqueue(&c, kernel, 1, NULL, &one, &one);
}

cl_int
clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue command_queue,
                                     cl_kernel kernel, cl_uint work_dim,
                                     const size_t *global_work_offset,
                                     const size_t *global_work_size,
                                     size_t *suggested_local_work_size)
{
    range r;
    sw_rt_kernel *rt;
    GET(cl_command_queue, q, command_queue, SW_OCL_QUEUE,
        CL_INVALID_COMMAND_QUEUE);
    GET(cl_kernel, k, kernel, SW_OCL_KERNEL, CL_INVALID_KERNEL);
    REQUIRE(k->program->context == q->context, CL_INVALID_CONTEXT);
    TRY(find_kernel(k, q->device, &rt));
    TRY(check_arguments(k));
    TRY(read_range(work_dim, global_work_offset, global_work_size, NULL, &r));
    REQUIRE(!r.is_empty, CL_INVALID_GLOBAL_WORK_SIZE);
    REQUIRE(suggested_local_work_size, CL_INVALID_VALUE);
    choose_local(k, sw_rt_kernel_fit_threads(rt), &r);
    for (cl_uint i = 0; i < work_dim; i++)
        suggested_local_work_size[i] = r.local[i];
    return CL_SUCCESS;
}

/* ---- native kernels ---- */

typedef struct {
    void(CL_CALLBACK *fn)(void *);
    _Alignas(16) unsigned char args[];
} native;

static void
run_native(void *arg)
{
    native *n = arg;
    n->fn(n->args);
}

static cl_int
take_memory(const sw_ocl_command *c, native *n, const void *args,
            size_t cb_args, cl_uint count, const cl_mem *list,
            const void **places)
{
    if (cb_args)
        memcpy(n->args, args, cb_args);
    for (cl_uint i = 0; i < count; i++) {
        size_t at = (size_t)((const char *)places[i] - (const char *)args);
        cl_mem m = list[i] ? sw_ocl_get(list[i], SW_OCL_MEM) : NULL;
        REQUIRE(m || !list[i], CL_INVALID_MEM_OBJECT);
        REQUIRE(!m || m->context == c->queue->context, CL_INVALID_CONTEXT);
        REQUIRE(cb_args >= sizeof(void *) && at <= cb_args - sizeof(void *),
                CL_INVALID_VALUE);
        void *address = m ? (void *)(uintptr_t)m->address : NULL;
        memcpy(n->args + at, &address, sizeof address);
    }
    return CL_SUCCESS;
}

cl_int
clEnqueueNativeKernel(cl_command_queue command_queue,
                      void(CL_CALLBACK *user_func)(void *), void *args,
                      size_t cb_args, cl_uint num_mem_objects,
                      const cl_mem *mem_list, const void **args_mem_loc,
                      cl_uint num_events_in_wait_list,
                      const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_NATIVE_KERNEL,
                             num_events_in_wait_list, event_wait_list, event));
    REQUIRE(user_func && (args != NULL) == (cb_args != 0), CL_INVALID_VALUE);
    REQUIRE(args || !num_mem_objects, CL_INVALID_VALUE);
    REQUIRE((num_mem_objects != 0) == (mem_list != NULL) &&
                (num_mem_objects != 0) == (args_mem_loc != NULL),
            CL_INVALID_VALUE);
    native *n = sw_alloc(sizeof *n + cb_args);
    n->fn = user_func;
    cl_int result = take_memory(&c, n, args, cb_args, num_mem_objects, mem_list,
                                args_mem_loc);
    if (result == CL_SUCCESS)
        return sw_ocl_command_call_if_sound(&c, run_native, sw_free, n);
    sw_free(n);
    return result;
}
