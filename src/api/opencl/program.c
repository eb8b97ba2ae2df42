/* SPDX-License-Identifier: Apache-2.0 */
/* program.c - programs: from source and binaries, and what they say. */
#include "api/opencl/program.h"

#include "api/opencl/il.h"
#include "api/opencl/info.h"

static bool destroy(void *object);

cl_program
sw_ocl_program_create(cl_context context, cl_uint device_count,
                      const cl_device_id *devices)
{
    cl_program p = sw_ocl_new(SW_OCL_PROGRAM, sizeof *p, destroy);
    if (!p)
        return NULL;
    p->context = context;
    p->device_count = device_count ? device_count : context->device_count;
    const cl_device_id *from = device_count ? devices : context->devices;
    p->devices = sw_alloc(p->device_count * sizeof *p->devices);
    memcpy(p->devices, from, p->device_count * sizeof *p->devices);
    p->built = sw_alloc(p->device_count * sizeof *p->built);
    for (cl_uint i = 0; i < p->device_count; i++)
        p->built[i].status = CL_BUILD_NONE;
    pthread_mutex_init(&p->lock, NULL);
    sw_ocl_hold(context);
    return p;
}

void
sw_ocl_built_clear(sw_ocl_built *b)
{
    if (b->has_facts)
        sw_arena_destroy(b->facts.arena);
    if (b->module)
        sw_rt_module_destroy(b->module);
    sw_free(b->options);
    sw_free(b->log);
    sw_free(b->binary);
    *b = (sw_ocl_built){.status = CL_BUILD_NONE};
}

/* Once no kernel of it can be running. */
static void
finish(void *object)
{
    cl_program p = object;
    for (cl_uint i = 0; i < p->device_count; i++)
        sw_ocl_built_clear(&p->built[i]);
    pthread_mutex_destroy(&p->lock);
    sw_free(p->built);
    sw_free(p->devices);
    sw_free(p->source);
    sw_ocl_il_free(p->il);
    sw_ocl_unhold(p->context);
}

static bool
destroy(void *object)
{
    return sw_ocl_when_idle(((cl_program)object)->context, object, finish,
                            sw_ocl_free);
}

sw_ocl_built *
sw_ocl_program_of(cl_program p, cl_device_id device)
{
    for (cl_uint i = 0; i < p->device_count; i++)
        if (p->devices[i] == device)
            return &p->built[i];
    return NULL;
}

const sw_ocl_built *
sw_ocl_program_executable(const struct _cl_program *p)
{
    for (cl_uint i = 0; i < p->device_count; i++)
        if (p->built[i].module && p->built[i].status == CL_BUILD_SUCCESS)
            return &p->built[i];
    return NULL;
}

/* ---- binaries ---- */

/* Before an object of ours; then its type. */
static const char object_mark[] = "softwarp OpenCL object 1 ";
enum { MARK_BYTES = sizeof object_mark }; /* with a letter for the type */

cl_program_binary_type
sw_ocl_binary_type(const void *binary, size_t bytes)
{
    static const unsigned char bitcode[] = {'B', 'C', 0xc0, 0xde};
    static const unsigned char spirv[] = {0x03, 0x02, 0x23, 0x07};
    const char *text = binary;
    if (bytes > MARK_BYTES && memcmp(text, object_mark, MARK_BYTES - 1) == 0)
        return text[MARK_BYTES - 1] == 'L'
                   ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                   : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    if (bytes > sizeof bitcode && (memcmp(text, bitcode, sizeof bitcode) == 0 ||
                                   memcmp(text, spirv, sizeof spirv) == 0))
        return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    if (memmem(text, bytes, ".version", 8) && memmem(text, bytes, ".target", 7))
        return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    return CL_PROGRAM_BINARY_TYPE_NONE;
}

void
sw_ocl_binary_set(sw_ocl_built *b, cl_program_binary_type type, sw_buf *text)
{
    sw_buf all;
    sw_buf_init(&all);
    if (type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
        sw_buf_puts(&all, object_mark);
        sw_buf_put(&all, type == CL_PROGRAM_BINARY_TYPE_LIBRARY ? 'L' : 'C');
    }
    sw_buf_add(&all, text->p, text->n);
    sw_free(b->binary);
    b->type = type;
    b->binary_bytes = all.n;
    b->binary = sw_buf_take(&all);
}

sw_cl_object
sw_ocl_binary_object(const sw_ocl_built *b)
{
    bool marked = b->binary_bytes > MARK_BYTES &&
                  memcmp(b->binary, object_mark, MARK_BYTES - 1) == 0;
    size_t skipped = marked ? MARK_BYTES : 0;
    return (sw_cl_object){b->binary + skipped, b->binary_bytes - skipped};
}

/* ---- making ---- */

static char *
join(cl_uint count, const char **strings, const size_t *lengths)
{
    sw_buf all;
    sw_buf_init(&all);
    for (cl_uint i = 0; i < count; i++) {
        bool given = lengths && lengths[i];
        sw_buf_add(&all, strings[i], given ? lengths[i] : strlen(strings[i]));
    }
    return sw_buf_take(&all);
}

static cl_int
create_from_source(cl_context context, cl_uint count, const char **strings,
                   const size_t *lengths, cl_program *out)
{
    GET(cl_context, c, context, SW_OCL_CONTEXT, CL_INVALID_CONTEXT);
    REQUIRE(count && strings, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        REQUIRE(strings[i], CL_INVALID_VALUE);
    cl_program p = sw_ocl_program_create(c, 0, NULL);
    REQUIRE(p, CL_OUT_OF_HOST_MEMORY);
    p->source = join(count, strings, lengths);
    *out = p;
    return CL_SUCCESS;
}

cl_program
clCreateProgramWithSource(cl_context context, cl_uint count,
                          const char **strings, const size_t *lengths,
                          cl_int *errcode_ret)
{
    cl_program p = NULL;
    sw_ocl_set_error(errcode_ret,
                     create_from_source(context, count, strings, lengths, &p));
    return p;
}

static cl_int
check_devices(cl_context c, cl_uint count, const cl_device_id *list)
{
    for (cl_uint i = 0; i < count; i++)
        REQUIRE(sw_ocl_get(list[i], SW_OCL_DEVICE) &&
                    sw_ocl_device_index(c, list[i]) >= 0,
                CL_INVALID_DEVICE);
    return CL_SUCCESS;
}

static cl_int
check_binaries(cl_uint count, const size_t *lengths,
               const unsigned char **binaries, cl_int *status)
{
    cl_int result = CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++) {
        cl_int one = CL_SUCCESS;
        if (!binaries[i] || !lengths[i])
            one = CL_INVALID_VALUE;
        else if (!sw_ocl_binary_type(binaries[i], lengths[i]))
            one = CL_INVALID_BINARY;
        if (status)
            status[i] = one;
        if (result == CL_SUCCESS)
            result = one;
    }
    return result;
}

static cl_int
create_from_binaries(cl_context context, cl_uint count,
                     const cl_device_id *devices, const size_t *lengths,
                     const unsigned char **binaries, cl_int *status,
                     cl_program *out)
{
    GET(cl_context, c, context, SW_OCL_CONTEXT, CL_INVALID_CONTEXT);
    REQUIRE(count && devices && lengths && binaries, CL_INVALID_VALUE);
    TRY(check_devices(c, count, devices));
    TRY(check_binaries(count, lengths, binaries, status));
    cl_program p = sw_ocl_program_create(c, count, devices);
    REQUIRE(p, CL_OUT_OF_HOST_MEMORY);
    for (cl_uint i = 0; i < count; i++) {
        sw_ocl_built *b = &p->built[i];
        b->type = sw_ocl_binary_type(binaries[i], lengths[i]);
        b->binary = sw_alloc(lengths[i] + 1);
        memcpy(b->binary, binaries[i], lengths[i]);
        b->binary_bytes = lengths[i];
    }
    *out = p;
    return CL_SUCCESS;
}

cl_program
clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                          const cl_device_id *device_list,
                          const size_t *lengths, const unsigned char **binaries,
                          cl_int *binary_status, cl_int *errcode_ret)
{
    cl_program p = NULL;
    sw_ocl_set_error(errcode_ret, create_from_binaries(
                                      context, num_devices, device_list,
                                      lengths, binaries, binary_status, &p));
    return p;
}

/* Devices have no built-in kernels, so no name is one. */
cl_program
clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                  const cl_device_id *device_list,
                                  const char *kernel_names, cl_int *errcode_ret)
{
    cl_context c = sw_ocl_get(context, SW_OCL_CONTEXT);
    cl_int result = CL_INVALID_CONTEXT;
    if (c)
        result = num_devices && device_list && kernel_names
                     ? check_devices(c, num_devices, device_list)
                     : CL_INVALID_VALUE;
    sw_ocl_set_error(errcode_ret,
                     result == CL_SUCCESS ? CL_INVALID_VALUE : result);
    return NULL;
}

cl_int
clSetProgramReleaseCallback(cl_program program,
                            void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                            void *user_data)
{
    GET(cl_program, p, program, SW_OCL_PROGRAM, CL_INVALID_PROGRAM);
    REQUIRE(pfn_notify, CL_INVALID_VALUE);
    (void)user_data;
    return CL_INVALID_OPERATION; /* programs have no destructors */
}

cl_int
clRetainProgram(cl_program program)
{
    GET(cl_program, p, program, SW_OCL_PROGRAM, CL_INVALID_PROGRAM);
    sw_ocl_retain(p);
    return CL_SUCCESS;
}

cl_int
clReleaseProgram(cl_program program)
{
    GET(cl_program, p, program, SW_OCL_PROGRAM, CL_INVALID_PROGRAM);
    return sw_ocl_release(p) ? CL_SUCCESS : CL_INVALID_PROGRAM;
}

/* ---- questions ---- */

static cl_int
answer_kernel_names(const sw_ocl_ask *ask, const sw_ocl_built *b)
{
    sw_buf names;
    sw_buf_init(&names);
    for (size_t i = 0; i < b->facts.count; i++)
        sw_buf_printf(&names, "%s%s", i ? ";" : "", b->facts.kernels[i].name);
    cl_int result = sw_ocl_answer_text(ask, names.p ? names.p : "");
    sw_buf_finish(&names);
    return result;
}

static cl_int
answer_binary_sizes(const sw_ocl_ask *ask, const struct _cl_program *p)
{
    size_t *sizes = sw_alloc(p->device_count * sizeof *sizes);
    for (cl_uint i = 0; i < p->device_count; i++)
        sizes[i] = p->built[i].binary_bytes;
    cl_int result = sw_ocl_answer(ask, sizes, p->device_count * sizeof *sizes);
    sw_free(sizes);
    return result;
}

/* The program has room for each binary; where it gave NULL it wants none. */
static cl_int
answer_binaries(const sw_ocl_ask *ask, const struct _cl_program *p)
{
    size_t bytes = p->device_count * sizeof(unsigned char *);
    unsigned char **rooms = ask->value;
    REQUIRE(!rooms || ask->size >= bytes, CL_INVALID_VALUE);
    for (cl_uint i = 0; rooms && i < p->device_count; i++)
        if (rooms[i] && p->built[i].binary_bytes)
            memcpy(rooms[i], p->built[i].binary, p->built[i].binary_bytes);
    if (ask->size_ret)
        *ask->size_ret = bytes;
    return CL_SUCCESS;
}

/* Under the program's lock. */
static cl_int
answer_info(sw_ocl_ask ask, const struct _cl_program *p,
            cl_program_info param_name)
{
    const sw_ocl_built *b = sw_ocl_program_executable(p);
    switch (param_name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        ANSWER(&ask, cl_uint, sw_ocl_count(p));
    case CL_PROGRAM_CONTEXT:
        ANSWER(&ask, cl_context, p->context);
    case CL_PROGRAM_NUM_DEVICES:
        ANSWER(&ask, cl_uint, p->device_count);
    case CL_PROGRAM_DEVICES:
        return sw_ocl_answer(&ask, p->devices,
                             p->device_count * sizeof *p->devices);
    case CL_PROGRAM_SOURCE:
        return sw_ocl_answer_text(&ask, p->source ? p->source : "");
    case CL_PROGRAM_IL:
        return sw_ocl_answer(&ask, p->il ? p->il->words : NULL,
                             p->il ? p->il->bytes : 0);
    case CL_PROGRAM_BINARY_SIZES:
        return answer_binary_sizes(&ask, p);
    case CL_PROGRAM_BINARIES:
        return answer_binaries(&ask, p);
    case CL_PROGRAM_NUM_KERNELS:
        REQUIRE(b, CL_INVALID_PROGRAM_EXECUTABLE);
        ANSWER(&ask, size_t, b->facts.count);
    case CL_PROGRAM_KERNEL_NAMES:
        REQUIRE(b, CL_INVALID_PROGRAM_EXECUTABLE);
        return answer_kernel_names(&ask, b);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        ANSWER(&ask, cl_bool, CL_FALSE);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int
clGetProgramInfo(cl_program program, cl_program_info param_name,
                 size_t param_value_size, void *param_value,
                 size_t *param_value_size_ret)
{
    ASK(ask);
    GET(cl_program, p, program, SW_OCL_PROGRAM, CL_INVALID_PROGRAM);
    pthread_mutex_lock(&p->lock);
    cl_int result = answer_info(ask, p, param_name);
    pthread_mutex_unlock(&p->lock);
    return result;
}

/* Bytes of the module's variables. Vectors of three take the place of four. */
static size_t
variable_bytes(const sw_ocl_built *b)
{
    size_t bytes = 0;
    for (size_t i = 0; b->module && i < b->module->parts.count; i++) {
        const sw_module *part = *(sw_module **)sw_vec_at(&b->module->parts, i);
        for (uint32_t k = 0; k < part->sym_count; k++) {
            const sw_sym *s = part->syms[k];
            if (sw_rt_is_variable(s))
                bytes += (s->bytes + s->align - 1) / s->align * s->align;
        }
    }
    return bytes;
}

cl_int
clGetProgramBuildInfo(cl_program program, cl_device_id device,
                      cl_program_build_info param_name, size_t param_value_size,
                      void *param_value, size_t *param_value_size_ret)
{
    ASK(ask);
    GET(cl_program, p, program, SW_OCL_PROGRAM, CL_INVALID_PROGRAM);
    const sw_ocl_built *b = sw_ocl_program_of(p, device);
    REQUIRE(b, CL_INVALID_DEVICE);
    cl_int result = CL_INVALID_VALUE;
    pthread_mutex_lock(&p->lock);
    switch (param_name) {
    case CL_PROGRAM_BUILD_STATUS:
        result = sw_ocl_answer(&ask, &b->status, sizeof b->status);
        break;
    case CL_PROGRAM_BUILD_OPTIONS:
        result = sw_ocl_answer_text(&ask, b->options ? b->options : "");
        break;
    case CL_PROGRAM_BUILD_LOG:
        result = sw_ocl_answer_text(&ask, b->log ? b->log : "");
        break;
    case CL_PROGRAM_BINARY_TYPE:
        result = sw_ocl_answer(&ask, &b->type, sizeof b->type);
        break;
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: {
        size_t bytes = variable_bytes(b);
        result = sw_ocl_answer(&ask, &bytes, sizeof bytes);
        break;
    }
    default:
        break;
    }
    pthread_mutex_unlock(&p->lock);
    return result;
}
