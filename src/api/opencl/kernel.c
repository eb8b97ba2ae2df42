/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.c - kernels: their arguments, and what they say of themselves. */
#include "api/opencl/compiler.h"
#include "api/opencl/info.h"
#include "api/opencl/memory.h"
#include "api/opencl/program.h"
#include "api/opencl/sampler.h"
#include "api/opencl/svm.h"

/* From now on the program is not built anew; NULL: it has no executable. */
static const sw_ocl_built *
attach(cl_program p)
{
    pthread_mutex_lock(&p->lock);
    const sw_ocl_built *b = sw_ocl_program_executable(p);
    p->kernels += b != NULL;
    pthread_mutex_unlock(&p->lock);
    return b;
}

static void
detach(cl_program p)
{
    pthread_mutex_lock(&p->lock);
    p->kernels--;
    pthread_mutex_unlock(&p->lock);
}

static bool
destroy(void *object)
{
    cl_kernel k = object;
    cl_program p = k->program;
    sw_free(k->rt);
    sw_free(k->arguments);
    sw_free(k->block);
    detach(p);
    sw_ocl_unhold(p);
    return true;
}

/* ---- making ---- */

static const sw_cl_kernel *
find_facts(const sw_ocl_built *b, const char *name)
{
    for (size_t i = 0; i < b->facts.count; i++)
        if (strcmp(b->facts.kernels[i].name, name) == 0)
            return &b->facts.kernels[i];
    return NULL;
}

static bool
has_locals(const sw_cl_kernel *facts)
{
    for (size_t i = 0; i < facts->argument_count; i++)
        if (facts->arguments[i].kind == SW_CL_ARG_LOCAL)
            return true;
    return false;
}

static cl_int
bind(cl_kernel k)
{
    cl_program p = k->program;
    for (cl_uint i = 0; i < p->device_count; i++) {
        sw_rt_module *module = p->built[i].module;
        if (!module)
            continue;
        REQUIRE(sw_rt_module_kernel(module, k->facts->name, &k->rt[i]) == SW_OK,
                CL_INVALID_KERNEL_DEFINITION);
        k->block_bytes = sw_rt_kernel_param_bytes(k->rt[i]);
    }
    /* What a binary says of its arguments comes from outside. */
    for (size_t i = 0; i < k->facts->argument_count; i++) {
        const sw_cl_argument *a = &k->facts->arguments[i];
        REQUIRE(sw_sum(a->offset, a->size) <= k->block_bytes,
                CL_INVALID_KERNEL_DEFINITION);
    }
    return CL_SUCCESS;
}

/* Of a program to which the caller is attached. */
static cl_int
create(cl_program p, const sw_ocl_built *b, const sw_cl_kernel *facts,
       cl_kernel *out)
{
    cl_kernel k = sw_ocl_new(SW_OCL_KERNEL, sizeof *k, destroy);
    REQUIRE(k, CL_OUT_OF_HOST_MEMORY);
    k->program = p;
    sw_ocl_hold(p);
    attach(p);
    k->facts = facts;
    k->uniform_groups = b->facts.uniform_groups;
    k->has_locals = has_locals(facts);
    k->rt = sw_alloc(p->device_count * sizeof *k->rt);
    k->arguments = sw_alloc(facts->argument_count * sizeof *k->arguments);
    cl_int result = bind(k);
    k->block = sw_alloc(k->block_bytes);
    if (result == CL_SUCCESS)
        *out = k;
    else
        sw_ocl_release(k);
    return result;
}

static cl_int
create_named(cl_program program, const char *name, cl_kernel *out)
{
    GET(cl_program, p, program, SW_OCL_PROGRAM, CL_INVALID_PROGRAM);
    const sw_ocl_built *b = attach(p);
    REQUIRE(b, CL_INVALID_PROGRAM_EXECUTABLE);
    const sw_cl_kernel *facts = name ? find_facts(b, name) : NULL;
    cl_int result = !name    ? CL_INVALID_VALUE
                    : !facts ? CL_INVALID_KERNEL_NAME
                             : create(p, b, facts, out);
    detach(p);
    return result;
}

cl_kernel
clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
    cl_kernel k = NULL;
    sw_ocl_set_error(errcode_ret, create_named(program, kernel_name, &k));
    return k;
}

static cl_int
create_all(cl_program p, const sw_ocl_built *b, cl_uint num_kernels,
           cl_kernel *kernels, cl_uint *num_kernels_ret)
{
    REQUIRE(!kernels || num_kernels >= b->facts.count, CL_INVALID_VALUE);
    for (size_t i = 0; kernels && i < b->facts.count; i++) {
        cl_int result = create(p, b, &b->facts.kernels[i], &kernels[i]);
        while (result != CL_SUCCESS && i-- > 0)
            sw_ocl_release(kernels[i]);
        TRY(result);
    }
    if (num_kernels_ret)
        *num_kernels_ret = (cl_uint)b->facts.count;
    return CL_SUCCESS;
}

cl_int
clCreateKernelsInProgram(cl_program program, cl_uint num_kernels,
                         cl_kernel *kernels, cl_uint *num_kernels_ret)
{
    GET(cl_program, p, program, SW_OCL_PROGRAM, CL_INVALID_PROGRAM);
    const sw_ocl_built *b = attach(p);
    REQUIRE(b, CL_INVALID_PROGRAM_EXECUTABLE);
    cl_int result = create_all(p, b, num_kernels, kernels, num_kernels_ret);
    detach(p);
    return result;
}

static cl_int
copy_kernel(cl_kernel source, cl_kernel *out)
{
    GET(cl_kernel, from, source, SW_OCL_KERNEL, CL_INVALID_KERNEL);
    cl_kernel k;
    const sw_ocl_built *b = sw_ocl_program_executable(from->program);
    TRY(create(from->program, b, from->facts, &k));
    size_t n = from->facts->argument_count;
    memcpy(k->arguments, from->arguments, n * sizeof *k->arguments);
    memcpy(k->block, from->block, from->block_bytes);
    *out = k;
    return CL_SUCCESS;
}

cl_kernel
clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
    cl_kernel k = NULL;
    sw_ocl_set_error(errcode_ret, copy_kernel(source_kernel, &k));
    return k;
}

cl_int
clRetainKernel(cl_kernel kernel)
{
    GET(cl_kernel, k, kernel, SW_OCL_KERNEL, CL_INVALID_KERNEL);
    sw_ocl_retain(k);
    return CL_SUCCESS;
}

cl_int
clReleaseKernel(cl_kernel kernel)
{
    GET(cl_kernel, k, kernel, SW_OCL_KERNEL, CL_INVALID_KERNEL);
    return sw_ocl_release(k) ? CL_SUCCESS : CL_INVALID_KERNEL;
}

sw_rt_kernel *
sw_ocl_kernel_on(const struct _cl_kernel *k, cl_device_id device)
{
    const struct _cl_program *p = k->program;
    for (cl_uint i = 0; i < p->device_count; i++)
        if (p->devices[i] == device)
            return k->rt[i];
    return NULL;
}

/* ---- arguments ---- */

static void
put(cl_kernel k, const sw_cl_argument *a, uint64_t value)
{
    memcpy(k->block + a->offset, &value, a->size < 8 ? a->size : 8);
}

static void
remember(sw_ocl_argument *to, const void *object)
{
    const sw_ocl_head *h = object;
    *to = (sw_ocl_argument){
        .is_set = true, .object = object, .serial = h ? h->serial : 0};
}

static cl_int
set_pointer(cl_kernel k, const sw_cl_argument *a, sw_ocl_argument *to,
            size_t size, const void *value)
{
    REQUIRE(size == sizeof(cl_mem), CL_INVALID_ARG_SIZE);
    cl_mem handle = value ? *(const cl_mem *)value : NULL;
    cl_mem m = sw_ocl_get_buffer(handle);
    REQUIRE(m || !handle, CL_INVALID_MEM_OBJECT);
    REQUIRE(!m || m->context == k->program->context, CL_INVALID_MEM_OBJECT);
    put(k, a, m ? m->address : 0);
    remember(to, m);
    return CL_SUCCESS;
}

static cl_int
set_image(cl_kernel k, const sw_cl_argument *a, sw_ocl_argument *to,
          size_t size, const void *value)
{
    REQUIRE(size == sizeof(cl_mem), CL_INVALID_ARG_SIZE);
    REQUIRE(value, CL_INVALID_ARG_VALUE);
    cl_mem m = sw_ocl_get_image(*(const cl_mem *)value);
    REQUIRE(m && m->context == k->program->context, CL_INVALID_MEM_OBJECT);
    bool reads = a->access != CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
    bool writes = a->access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ||
                  a->access == CL_KERNEL_ARG_ACCESS_READ_WRITE;
    REQUIRE(!(reads && (m->flags & CL_MEM_WRITE_ONLY)) &&
                !(writes && (m->flags & CL_MEM_READ_ONLY)),
            CL_INVALID_ARG_VALUE);
    put(k, a, m->descriptor);
    remember(to, m);
    return CL_SUCCESS;
}

static cl_int
set_sampler(cl_kernel k, const sw_cl_argument *a, sw_ocl_argument *to,
            size_t size, const void *value)
{
    REQUIRE(value, CL_INVALID_SAMPLER);
    REQUIRE(size == sizeof(cl_sampler), CL_INVALID_ARG_SIZE);
    cl_sampler s = sw_ocl_get(*(const cl_sampler *)value, SW_OCL_SAMPLER);
    REQUIRE(s && s->context == k->program->context, CL_INVALID_SAMPLER);
    put(k, a, sw_ocl_sampler_bits(s));
    remember(to, NULL); /* its bits are what matters */
    return CL_SUCCESS;
}

static cl_int
set_local(sw_ocl_argument *to, size_t size, const void *value)
{
    REQUIRE(!value, CL_INVALID_ARG_VALUE);
    REQUIRE(size, CL_INVALID_ARG_SIZE);
    *to = (sw_ocl_argument){.is_set = true, .local_bytes = size};
    return CL_SUCCESS;
}

/* PTX of another compiler does not say what eight bytes are: the handle of a
 * memory object is one. */
static cl_int
set_value(cl_kernel k, const sw_cl_argument *a, sw_ocl_argument *to,
          size_t size, const void *value)
{
    REQUIRE(size == a->size, CL_INVALID_ARG_SIZE);
    bool unknown = !*a->type_name && size == sizeof(cl_mem);
    if (unknown && (!value || sw_ocl_get_buffer(*(const cl_mem *)value)))
        return set_pointer(k, a, to, size, value);
    REQUIRE(value, CL_INVALID_ARG_VALUE);
    memcpy(k->block + a->offset, value, size);
    remember(to, NULL);
    return CL_SUCCESS;
}

cl_int
clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
               const void *arg_value)
{
    GET(cl_kernel, k, kernel, SW_OCL_KERNEL, CL_INVALID_KERNEL);
    REQUIRE(arg_index < k->facts->argument_count, CL_INVALID_ARG_INDEX);
    const sw_cl_argument *a = &k->facts->arguments[arg_index];
    sw_ocl_argument *to = &k->arguments[arg_index];
    switch (a->kind) {
    case SW_CL_ARG_POINTER:
        return set_pointer(k, a, to, arg_size, arg_value);
    case SW_CL_ARG_IMAGE:
        return set_image(k, a, to, arg_size, arg_value);
    case SW_CL_ARG_SAMPLER:
        return set_sampler(k, a, to, arg_size, arg_value);
    case SW_CL_ARG_LOCAL:
        return set_local(to, arg_size, arg_value);
    case SW_CL_ARG_PIPE:
        return CL_INVALID_MEM_OBJECT;
    default:
        return set_value(k, a, to, arg_size, arg_value);
    }
}

cl_int
clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index,
                         const void *arg_value)
{
    GET(cl_kernel, k, kernel, SW_OCL_KERNEL, CL_INVALID_KERNEL);
    REQUIRE(arg_index < k->facts->argument_count, CL_INVALID_ARG_INDEX);
    const sw_cl_argument *a = &k->facts->arguments[arg_index];
    REQUIRE(a->kind == SW_CL_ARG_POINTER, CL_INVALID_ARG_VALUE);
    put(k, a, (uint64_t)(uintptr_t)arg_value);
    remember(&k->arguments[arg_index], NULL);
    return CL_SUCCESS;
}

/* Kernels may access all shared memory of their context, whether it is listed
 * or not. */
cl_int
clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
                    size_t param_value_size, const void *param_value)
{
    REQUIRE(sw_ocl_get(kernel, SW_OCL_KERNEL), CL_INVALID_KERNEL);
    switch (param_name) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
        /* An empty list takes back one that was given. */
        REQUIRE((param_value != NULL) == (param_value_size != 0) &&
                    param_value_size % sizeof(void *) == 0,
                CL_INVALID_VALUE);
        return CL_SUCCESS;
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
        REQUIRE(param_value && param_value_size == sizeof(cl_bool),
                CL_INVALID_VALUE);
        return *(const cl_bool *)param_value ? CL_INVALID_OPERATION
                                             : CL_SUCCESS;
    default:
        return CL_INVALID_VALUE;
    }
}

/* ---- questions ---- */

cl_int
clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name,
                size_t param_value_size, void *param_value,
                size_t *param_value_size_ret)
{
    ASK(ask);
    GET(cl_kernel, k, kernel, SW_OCL_KERNEL, CL_INVALID_KERNEL);
    switch (param_name) {
    case CL_KERNEL_FUNCTION_NAME:
        return sw_ocl_answer_text(&ask, k->facts->name);
    case CL_KERNEL_NUM_ARGS:
        ANSWER(&ask, cl_uint, (cl_uint)k->facts->argument_count);
    case CL_KERNEL_REFERENCE_COUNT:
        ANSWER(&ask, cl_uint, sw_ocl_count(k));
    case CL_KERNEL_CONTEXT:
        ANSWER(&ask, cl_context, k->program->context);
    case CL_KERNEL_PROGRAM:
        ANSWER(&ask, cl_program, k->program);
    case CL_KERNEL_ATTRIBUTES:
        return sw_ocl_answer_text(&ask, k->facts->attributes);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int
clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index,
                   cl_kernel_arg_info param_name, size_t param_value_size,
                   void *param_value, size_t *param_value_size_ret)
{
    ASK(ask);
    GET(cl_kernel, k, kernel, SW_OCL_KERNEL, CL_INVALID_KERNEL);
    REQUIRE(arg_index < k->facts->argument_count, CL_INVALID_ARG_INDEX);
    REQUIRE(param_name >= CL_KERNEL_ARG_ADDRESS_QUALIFIER &&
                param_name <= CL_KERNEL_ARG_NAME,
            CL_INVALID_VALUE);
    const sw_cl_argument *a = &k->facts->arguments[arg_index];
    REQUIRE(*a->type_name, CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    switch (param_name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        ANSWER(&ask, cl_kernel_arg_address_qualifier, a->address);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        ANSWER(&ask, cl_kernel_arg_access_qualifier, a->access);
    case CL_KERNEL_ARG_TYPE_NAME:
        return sw_ocl_answer_text(&ask, a->type_name);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        ANSWER(&ask, cl_kernel_arg_type_qualifier, a->qualifier);
    default:
        return sw_ocl_answer_text(&ask, a->name);
    }
}

/* The kernel for that device, ready to run; NULL stands for the only one. */
static cl_int
kernel_on(cl_kernel k, cl_device_id device, sw_rt_kernel **out)
{
    const struct _cl_program *p = k->program;
    REQUIRE(device || p->device_count == 1, CL_INVALID_DEVICE);
    *out = sw_ocl_kernel_on(k, device ? device : p->devices[0]);
    REQUIRE(*out, CL_INVALID_DEVICE);
    return sw_rt_kernel_prepare(*out) == SW_OK ? CL_SUCCESS
                                               : CL_OUT_OF_RESOURCES;
}

static size_t
local_bytes(const struct _cl_kernel *k, const sw_rt_kernel *rt)
{
    size_t bytes = rt->info->static_shared_bytes;
    for (size_t i = 0; i < k->facts->argument_count; i++)
        bytes = sw_sum(bytes, k->arguments[i].local_bytes);
    return bytes;
}

static cl_int
answer_required_size(const sw_ocl_ask *ask, const sw_cl_kernel *facts)
{
    size_t size[3];
    for (int i = 0; i < 3; i++)
        size[i] = facts->required_size[i];
    return sw_ocl_answer(ask, size, sizeof size);
}

cl_int
clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                         cl_kernel_work_group_info param_name,
                         size_t param_value_size, void *param_value,
                         size_t *param_value_size_ret)
{
    ASK(ask);
    sw_rt_kernel *rt;
    GET(cl_kernel, k, kernel, SW_OCL_KERNEL, CL_INVALID_KERNEL);
    TRY(kernel_on(k, device, &rt));
    switch (param_name) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        ANSWER(&ask, size_t, sw_rt_kernel_fit_threads(rt));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return answer_required_size(&ask, k->facts);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        ANSWER(&ask, cl_ulong, local_bytes(k, rt));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        ANSWER(&ask, size_t, rt->module->context->device->limits->warp_size);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        ANSWER(&ask, cl_ulong, rt->info->frame_bytes);
    default: /* GLOBAL_WORK_SIZE: of built-in kernels */
        return CL_INVALID_VALUE;
    }
}

/* A local size of input_value: one to three dimensions; its product, or 0. */
static size_t
threads_of(size_t input_size, const void *input_value)
{
    const size_t *sizes = input_value;
    size_t n = input_size / sizeof *sizes, product = 1;
    if (!sizes || n < 1 || n > 3 || input_size % sizeof *sizes)
        return 0;
    for (size_t i = 0; i < n; i++)
        product *= sizes[i];
    return product;
}

static cl_int
answer_local_size(const sw_ocl_ask *ask, size_t threads, size_t most)
{
    size_t size[3] = {threads <= most ? threads : 0, 1, 1};
    size_t n = ask->size / sizeof *size;
    REQUIRE(!ask->value || (n >= 1 && n <= 3), CL_INVALID_VALUE);
    if (!size[0])
        size[1] = size[2] = 0;
    return sw_ocl_answer(ask, size, (ask->value ? n : 3) * sizeof *size);
}

cl_int
clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                        cl_kernel_sub_group_info param_name,
                        size_t input_value_size, const void *input_value,
                        size_t param_value_size, void *param_value,
                        size_t *param_value_size_ret)
{
    ASK(ask);
    sw_rt_kernel *rt;
    GET(cl_kernel, k, kernel, SW_OCL_KERNEL, CL_INVALID_KERNEL);
    TRY(kernel_on(k, device, &rt));
    size_t warp = rt->module->context->device->limits->warp_size;
    size_t most = sw_rt_kernel_fit_threads(rt);
    size_t threads = threads_of(input_value_size, input_value);
    switch (param_name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        REQUIRE(threads, CL_INVALID_VALUE);
        ANSWER(&ask, size_t, threads < warp ? threads : warp);
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        REQUIRE(threads, CL_INVALID_VALUE);
        ANSWER(&ask, size_t, (threads + warp - 1) / warp);
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        REQUIRE(input_value && input_value_size == sizeof(size_t),
                CL_INVALID_VALUE);
        return answer_local_size(&ask, threads * warp, most);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        ANSWER(&ask, size_t, (most + warp - 1) / warp);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        ANSWER(&ask, size_t, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int
clGetKernelSubGroupInfoKHR(cl_kernel in_kernel, cl_device_id in_device,
                           cl_kernel_sub_group_info param_name,
                           size_t input_value_size, const void *input_value,
                           size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret)
{
    return clGetKernelSubGroupInfo(
        in_kernel, in_device, param_name, input_value_size, input_value,
        param_value_size, param_value, param_value_size_ret);
}
