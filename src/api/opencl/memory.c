/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - memory objects: their flags, memory and end; buffers, pipes. */
#include "api/opencl/memory.h"

#include "api/opencl/command.h"
#include "api/opencl/info.h"
#include "api/opencl/svm.h"

static const cl_mem_flags kernel_access =
    CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
static const cl_mem_flags host_access =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags host_pointer =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

static bool
at_most_one(cl_mem_flags flags)
{
    return !(flags & (flags - 1));
}

cl_int
sw_ocl_check_flags(cl_mem_flags flags, const void *host_ptr)
{
    const cl_mem_flags known = kernel_access | host_access | host_pointer |
                               CL_MEM_KERNEL_READ_AND_WRITE;
    REQUIRE(!(flags & ~known) && at_most_one(flags & kernel_access) &&
                at_most_one(flags & host_access),
            CL_INVALID_VALUE);
    REQUIRE(!(flags & CL_MEM_USE_HOST_PTR) ||
                !(flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)),
            CL_INVALID_VALUE);
    bool wants = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    return wants == (host_ptr != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

/* Of rights in `mask`, those that the program asks for must be the parent's,
 * unless the parent has `all` of them. */
static bool
narrows(cl_mem_flags flags, cl_mem_flags parent, cl_mem_flags all)
{
    return !flags || !parent || parent == all || flags == parent;
}

cl_int
sw_ocl_inherit_flags(cl_mem_flags *flags, const struct _cl_mem *parent)
{
    cl_mem_flags access = *flags & kernel_access, host = *flags & host_access;
    cl_mem_flags of_parent = parent->flags & kernel_access;
    cl_mem_flags host_of_parent = parent->flags & host_access;
    REQUIRE(narrows(access, of_parent, CL_MEM_READ_WRITE), CL_INVALID_VALUE);
    REQUIRE(narrows(host, host_of_parent, 0) || host == CL_MEM_HOST_NO_ACCESS,
            CL_INVALID_VALUE);
    REQUIRE(!(*flags & host_pointer), CL_INVALID_VALUE);
    *flags |= access ? 0 : of_parent;
    *flags |= host ? 0 : host_of_parent;
    *flags |= parent->flags & host_pointer;
    return CL_SUCCESS;
}

cl_int
sw_ocl_check_no_properties(const cl_mem_properties *properties)
{
    return !properties || !*properties ? CL_SUCCESS : CL_INVALID_PROPERTY;
}

/* ---- life ---- */

static bool destroy(void *object);

cl_mem
sw_ocl_mem_create(cl_context context, cl_mem_object_type type,
                  cl_mem_flags flags)
{
    cl_mem m = sw_ocl_new(SW_OCL_MEM, sizeof *m, destroy);
    if (!m)
        return NULL;
    m->context = context;
    m->type = type;
    m->flags = flags;
    pthread_mutex_init(&m->lock, NULL);
    sw_vec_init(&m->mappings, sizeof(sw_ocl_mapping));
    sw_ocl_hold(context);
    return m;
}

cl_int
sw_ocl_mem_allocate(cl_mem m, void *host_ptr)
{
    cl_int result;
    if (m->flags & CL_MEM_USE_HOST_PTR) {
        m->pieces =
            sw_ocl_pieces_create(m->context, host_ptr, m->bytes, &result);
        m->host_ptr = host_ptr;
        m->address = (uint64_t)(uintptr_t)host_ptr;
        return result;
    }
    /* Managed: mapped memory is touched by the host where it lies. */
    sw_mem_kind kind =
        m->flags & CL_MEM_ALLOC_HOST_PTR ? SW_MEM_HOST : SW_MEM_MANAGED;
    sw_status status =
        sw_rt_memory_alloc(m->context->rt[0], kind, m->bytes,
                           SW_OCL_BASE_ALIGNMENT, 0, &m->address);
    REQUIRE(status == SW_OK, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    m->owns_address = true;
    return CL_SUCCESS;
}

static void
say_goodbye(void *object, void (*notify)(void), void *arg)
{
    ((void(CL_CALLBACK *)(cl_mem, void *))notify)(object, arg);
}

/* Once commands that use it have ended. */
static void
finish(void *object)
{
    cl_mem m = object;
    sw_ocl_goodbye_all(&m->goodbyes, m, say_goodbye);
    if (m->descriptor)
        sw_rt_memory_release(m->descriptor);
    if (m->owns_address)
        sw_rt_memory_release(m->address);
    sw_ocl_pieces_release(m->pieces);
    sw_vec_finish(&m->mappings);
    pthread_mutex_destroy(&m->lock);
    sw_free(m->properties);
    sw_ocl_unhold(m->parent);
    sw_ocl_unhold(m->context);
}

static bool
destroy(void *object)
{
    return sw_ocl_when_idle(((cl_mem)object)->context, object, finish,
                            sw_ocl_free);
}

cl_int
clRetainMemObject(cl_mem memobj)
{
    GET(cl_mem, m, memobj, SW_OCL_MEM, CL_INVALID_MEM_OBJECT);
    sw_ocl_retain(m);
    return CL_SUCCESS;
}

cl_int
clReleaseMemObject(cl_mem memobj)
{
    GET(cl_mem, m, memobj, SW_OCL_MEM, CL_INVALID_MEM_OBJECT);
    return sw_ocl_release(m) ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
}

cl_int
clSetMemObjectDestructorCallback(cl_mem memobj,
                                 void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
                                 void *user_data)
{
    GET(cl_mem, m, memobj, SW_OCL_MEM, CL_INVALID_MEM_OBJECT);
    REQUIRE(pfn_notify, CL_INVALID_VALUE);
    sw_ocl_goodbye_add(&m->goodbyes, &m->lock, (void (*)(void))pfn_notify,
                       user_data);
    return CL_SUCCESS;
}

/* ---- buffers ---- */

cl_mem
sw_ocl_get_buffer(cl_mem handle)
{
    cl_mem m = sw_ocl_get(handle, SW_OCL_MEM);
    return m && m->type == CL_MEM_OBJECT_BUFFER ? m : NULL;
}

static bool
is_possible_size(cl_context c, size_t bytes)
{
    for (cl_uint i = 0; i < c->device_count; i++)
        if (bytes > sw_ocl_max_allocation(c->devices[i]))
            return false;
    return bytes != 0;
}

/* Shared memory that the program gives must be as large as the buffer. */
static bool
is_large_enough(cl_context c, cl_mem_flags flags, const void *p, size_t bytes)
{
    sw_ocl_svm s;
    if (!(flags & CL_MEM_USE_HOST_PTR) || !sw_ocl_svm_find(c, p, &s))
        return true;
    return bytes <= s.address + s.bytes - (uint64_t)(uintptr_t)p;
}

static cl_int
create_buffer(cl_context context, const cl_mem_properties *properties,
              cl_mem_flags flags, size_t size, void *host_ptr, cl_mem *out)
{
    GET(cl_context, c, context, SW_OCL_CONTEXT, CL_INVALID_CONTEXT);
    TRY(sw_ocl_check_no_properties(properties));
    cl_int flaws = sw_ocl_check_flags(flags, host_ptr);
    REQUIRE(flaws != CL_INVALID_VALUE &&
                !(flags & CL_MEM_KERNEL_READ_AND_WRITE),
            CL_INVALID_VALUE);
    REQUIRE(is_possible_size(c, size) &&
                is_large_enough(c, flags, host_ptr, size),
            CL_INVALID_BUFFER_SIZE);
    TRY(flaws);
    cl_mem m = sw_ocl_mem_create(c, CL_MEM_OBJECT_BUFFER, flags);
    REQUIRE(m, CL_OUT_OF_HOST_MEMORY);
    m->bytes = size;
    m->properties = sw_ocl_copy_list(properties, &m->property_count);
    cl_int result = sw_ocl_mem_allocate(m, host_ptr);
    if (result != CL_SUCCESS) {
        sw_ocl_release(m);
        return result;
    }
    *out = m;
    if (!(flags & CL_MEM_COPY_HOST_PTR))
        return CL_SUCCESS;
    /* A copy of the device's, which observers see. */
    sw_rt_work work =
        sw_ocl_copy(m->address, (uint64_t)(uintptr_t)host_ptr, size);
    if (sw_rt_stream_run(c->rt[0]->legacy, &work) != SW_OK) {
        *out = NULL;
        sw_ocl_release(m);
        return CL_OUT_OF_RESOURCES;
    }
    return CL_SUCCESS;
}

cl_mem
clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
               void *host_ptr, cl_int *errcode_ret)
{
    return clCreateBufferWithProperties(context, NULL, flags, size, host_ptr,
                                        errcode_ret);
}

cl_mem
clCreateBufferWithProperties(cl_context context,
                             const cl_mem_properties *properties,
                             cl_mem_flags flags, size_t size, void *host_ptr,
                             cl_int *errcode_ret)
{
    cl_mem m = NULL;
    sw_ocl_set_error(errcode_ret, create_buffer(context, properties, flags,
                                                size, host_ptr, &m));
    return m;
}

static cl_int
create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                  const cl_buffer_region *region, cl_mem *out)
{
    cl_mem parent = sw_ocl_get_buffer(buffer);
    REQUIRE(parent && !parent->parent, CL_INVALID_MEM_OBJECT);
    TRY(sw_ocl_check_flags(flags & ~host_pointer, NULL));
    TRY(sw_ocl_inherit_flags(&flags, parent));
    REQUIRE(type == CL_BUFFER_CREATE_TYPE_REGION && region, CL_INVALID_VALUE);
    REQUIRE(region->origin <= parent->bytes &&
                region->size <= parent->bytes - region->origin,
            CL_INVALID_VALUE);
    REQUIRE(region->size, CL_INVALID_BUFFER_SIZE);
    REQUIRE(region->origin % SW_OCL_BASE_ALIGNMENT == 0,
            CL_MISALIGNED_SUB_BUFFER_OFFSET);
    cl_mem m = sw_ocl_mem_create(parent->context, CL_MEM_OBJECT_BUFFER, flags);
    REQUIRE(m, CL_OUT_OF_HOST_MEMORY);
    m->parent = parent;
    sw_ocl_hold(parent);
    m->offset = region->origin;
    m->bytes = region->size;
    m->address = parent->address + region->origin;
    if (parent->host_ptr)
        m->host_ptr = (char *)parent->host_ptr + region->origin;
    *out = m;
    return CL_SUCCESS;
}

cl_mem
clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                  cl_buffer_create_type buffer_create_type,
                  const void *buffer_create_info, cl_int *errcode_ret)
{
    cl_mem m = NULL;
    sw_ocl_set_error(errcode_ret,
                     create_sub_buffer(buffer, flags, buffer_create_type,
                                       buffer_create_info, &m));
    return m;
}

/* ---- questions ---- */

static bool
uses_svm(const struct _cl_mem *m)
{
    return m->host_ptr && (m->flags & CL_MEM_USE_HOST_PTR) &&
           sw_ocl_svm_find(m->context, m->host_ptr, NULL);
}

cl_int
clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name,
                   size_t param_value_size, void *param_value,
                   size_t *param_value_size_ret)
{
    ASK(ask);
    GET(cl_mem, m, memobj, SW_OCL_MEM, CL_INVALID_MEM_OBJECT);
    switch (param_name) {
    case CL_MEM_TYPE:
        ANSWER(&ask, cl_mem_object_type, m->type);
    case CL_MEM_FLAGS:
        ANSWER(&ask, cl_mem_flags, m->flags);
    case CL_MEM_SIZE:
        ANSWER(&ask, size_t, m->bytes);
    case CL_MEM_HOST_PTR:
        ANSWER(&ask, void *,
               m->flags &CL_MEM_USE_HOST_PTR ? m->host_ptr : NULL);
    case CL_MEM_MAP_COUNT:
        ANSWER(&ask, cl_uint, m->map_count);
    case CL_MEM_REFERENCE_COUNT:
        ANSWER(&ask, cl_uint, sw_ocl_count(m));
    case CL_MEM_CONTEXT:
        ANSWER(&ask, cl_context, m->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        ANSWER(&ask, cl_mem, m->parent);
    case CL_MEM_OFFSET:
        ANSWER(&ask, size_t, m->offset);
    case CL_MEM_USES_SVM_POINTER:
        ANSWER(&ask, cl_bool, uses_svm(m));
    case CL_MEM_PROPERTIES:
        return sw_ocl_answer(&ask, m->properties,
                             m->property_count * sizeof *m->properties);
    default:
        return CL_INVALID_VALUE;
    }
}

/* ---- mappings ---- */

static sw_ocl_mapping *
find_mapping(cl_mem m, const void *address, size_t *index)
{
    for (size_t i = 0; i < m->mappings.count; i++) {
        sw_ocl_mapping *found = sw_vec_at(&m->mappings, i);
        *index = i;
        if (found->address == address)
            return found;
    }
    return NULL;
}

void
sw_ocl_mapping_add(cl_mem m, void *address)
{
    size_t i;
    pthread_mutex_lock(&m->lock);
    sw_ocl_mapping *at = find_mapping(m, address, &i);
    if (!at) {
        at = sw_vec_push(&m->mappings);
        at->address = address;
    }
    at->count++;
    m->map_count++;
    pthread_mutex_unlock(&m->lock);
}

bool
sw_ocl_mapping_remove(cl_mem m, void *address)
{
    size_t i;
    pthread_mutex_lock(&m->lock);
    sw_ocl_mapping *at = find_mapping(m, address, &i);
    bool is_mapped = at != NULL;
    if (at) {
        m->map_count--;
        if (--at->count == 0)
            sw_vec_remove(&m->mappings, i);
    }
    pthread_mutex_unlock(&m->lock);
    return is_mapped;
}

cl_int
sw_ocl_check_map_flags(const struct _cl_mem *m, cl_map_flags flags)
{
    const cl_map_flags both = CL_MAP_READ | CL_MAP_WRITE;
    bool invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION;
    REQUIRE(!(flags & ~(both | CL_MAP_WRITE_INVALIDATE_REGION)) &&
                !(invalidates && (flags & both)),
            CL_INVALID_VALUE);
    bool reads = flags & CL_MAP_READ,
         writes = flags & ~(cl_map_flags)CL_MAP_READ;
    REQUIRE(!(reads && (m->flags & SW_OCL_NO_READ)) &&
                !(writes && (m->flags & SW_OCL_NO_WRITE)),
            CL_INVALID_OPERATION);
    return CL_SUCCESS;
}

/* ---- pipes: CL_DEVICE_PIPE_SUPPORT is false ---- */

cl_mem
clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
             cl_uint pipe_max_packets, const cl_pipe_properties *properties,
             cl_int *errcode_ret)
{
    (void)flags;
    (void)pipe_packet_size;
    (void)pipe_max_packets;
    (void)properties;
    sw_ocl_set_error(errcode_ret, sw_ocl_get(context, SW_OCL_CONTEXT)
                                      ? CL_INVALID_OPERATION
                                      : CL_INVALID_CONTEXT);
    return NULL;
}

cl_int
clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
              void *param_value, size_t *param_value_size_ret)
{
    (void)pipe;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_MEM_OBJECT; /* there are no pipes */
}
