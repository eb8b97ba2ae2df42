/* SPDX-License-Identifier: Apache-2.0 */
/* svm.c - shared virtual memory: device memory is the host's, so coarse- and
 * fine-grained are the same. */
#include "api/opencl/svm.h"

#include "api/opencl/command.h"
#include "api/opencl/info.h"
#include "api/opencl/memory.h"

bool
sw_ocl_svm_find(cl_context c, const void *p, sw_ocl_svm *out)
{
    bool found = false;
    uint64_t at = (uint64_t)(uintptr_t)p;
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->svm.count && !found; i++) {
        const sw_ocl_svm *s = sw_vec_at(&c->svm, i);
        found = at >= s->address && at - s->address < s->bytes;
        if (found && out)
            *out = *s;
    }
    pthread_mutex_unlock(&c->lock);
    return found;
}

/* Its row is gone; the memory is the caller's to free. 0: there is none. */
static uint64_t
take(cl_context c, const void *p)
{
    uint64_t address = 0;
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->svm.count && !address; i++) {
        const sw_ocl_svm *s = sw_vec_at(&c->svm, i);
        if (s->address != (uint64_t)(uintptr_t)p)
            continue;
        address = s->address;
        sw_vec_remove(&c->svm, i);
    }
    pthread_mutex_unlock(&c->lock);
    return address;
}

static bool
is_possible(cl_svm_mem_flags flags, cl_uint alignment)
{
    const cl_svm_mem_flags access =
        CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const cl_svm_mem_flags fine = CL_MEM_SVM_FINE_GRAIN_BUFFER;
    cl_svm_mem_flags asked = flags & access;
    if (flags & ~(access | fine | CL_MEM_SVM_ATOMICS) || asked & (asked - 1))
        return false;
    if ((flags & CL_MEM_SVM_ATOMICS) && !(flags & fine))
        return false;
    return !(alignment & (alignment - 1)) && alignment <= SW_OCL_SVM_ALIGNMENT;
}

void *
clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size,
           cl_uint alignment)
{
    cl_context c = sw_ocl_get(context, SW_OCL_CONTEXT);
    if (!c || !size || !is_possible(flags, alignment))
        return NULL;
    for (cl_uint i = 0; i < c->device_count; i++)
        if (size > sw_ocl_max_allocation(c->devices[i]))
            return NULL;
    sw_ocl_svm s = {.bytes = size, .flags = flags};
    if (sw_rt_memory_alloc(c->rt[0], SW_MEM_MANAGED, size,
                           SW_OCL_BASE_ALIGNMENT, 0, &s.address) != SW_OK)
        return NULL;
    pthread_mutex_lock(&c->lock);
    *(sw_ocl_svm *)sw_vec_push(&c->svm) = s;
    pthread_mutex_unlock(&c->lock);
    return (void *)(uintptr_t)s.address;
}

void
clSVMFree(cl_context context, void *svm_pointer)
{
    cl_context c = sw_ocl_get(context, SW_OCL_CONTEXT);
    uint64_t address = c && svm_pointer ? take(c, svm_pointer) : 0;
    if (address)
        sw_rt_memory_release(address);
}

/* ---- commands ---- */

typedef struct {
    cl_command_queue queue; /* held */
    void(CL_CALLBACK *fn)(cl_command_queue, cl_uint, void **, void *);
    void *arg;
    cl_uint count;
    void *pointers[];
} freeing;

static void
free_all(void *arg)
{
    freeing *f = arg;
    if (f->fn)
        f->fn(f->queue, f->count, f->pointers, f->arg);
    for (cl_uint i = 0; i < f->count && !f->fn; i++)
        clSVMFree(f->queue->context, f->pointers[i]);
    sw_ocl_unhold(f->queue);
    sw_free(f);
}

cl_int
clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers,
                 void *svm_pointers[],
                 void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint,
                                                  void *[], void *),
                 void *user_data, cl_uint num_events_in_wait_list,
                 const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_SVM_FREE,
                             num_events_in_wait_list, event_wait_list, event));
    REQUIRE((num_svm_pointers != 0) == (svm_pointers != NULL),
            CL_INVALID_VALUE);
    size_t bytes = num_svm_pointers * sizeof(void *);
    freeing *f = sw_alloc(sizeof *f + bytes);
    f->queue = c.queue;
    f->fn = pfn_free_func;
    f->arg = user_data;
    f->count = num_svm_pointers;
    if (bytes)
        memcpy(f->pointers, svm_pointers, bytes);
    sw_ocl_hold(f->queue);
    return sw_ocl_command_call(&c, free_all, f);
}

static bool
overlap(const void *a, const void *b, size_t size)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? y - x < size : x - y < size;
}

cl_int
clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy,
                   void *dst_ptr, const void *src_ptr, size_t size,
                   cl_uint num_events_in_wait_list,
                   const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_SVM_MEMCPY,
                             num_events_in_wait_list, event_wait_list, event));
    REQUIRE(dst_ptr && src_ptr, CL_INVALID_VALUE);
    REQUIRE(!overlap(dst_ptr, src_ptr, size), CL_MEM_COPY_OVERLAP);
    sw_rt_work work = sw_ocl_copy((uint64_t)(uintptr_t)dst_ptr,
                                  (uint64_t)(uintptr_t)src_ptr, size);
    return sw_ocl_command_submit(&c, &work, blocking_copy);
}

cl_int
clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr,
                    const void *pattern, size_t pattern_size, size_t size,
                    cl_uint num_events_in_wait_list,
                    const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    sw_rt_work work;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_SVM_MEMFILL,
                             num_events_in_wait_list, event_wait_list, event));
    REQUIRE(svm_ptr, CL_INVALID_VALUE);
    TRY(sw_ocl_fill((uint64_t)(uintptr_t)svm_ptr, pattern, pattern_size, size,
                    &work));
    REQUIRE((uintptr_t)svm_ptr % pattern_size == 0, CL_INVALID_VALUE);
    return sw_ocl_command_submit(&c, &work, false);
}

cl_int
clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map,
                cl_map_flags flags, void *svm_ptr, size_t size,
                cl_uint num_events_in_wait_list,
                const cl_event *event_wait_list, cl_event *event)
{
    static const struct _cl_mem no_limits;
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_SVM_MAP,
                             num_events_in_wait_list, event_wait_list, event));
    REQUIRE(svm_ptr && size, CL_INVALID_VALUE);
    TRY(sw_ocl_check_map_flags(&no_limits, flags));
    sw_rt_work work = {.kind = SW_RT_EMPTY};
    return sw_ocl_command_submit(&c, &work, blocking_map);
}

cl_int
clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr,
                  cl_uint num_events_in_wait_list,
                  const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_SVM_UNMAP,
                             num_events_in_wait_list, event_wait_list, event));
    REQUIRE(svm_ptr, CL_INVALID_VALUE);
    sw_rt_work work = {.kind = SW_RT_EMPTY};
    return sw_ocl_command_submit(&c, &work, false);
}

static cl_int
check_migrated(cl_context c, const void *p, size_t size)
{
    sw_ocl_svm s;
    REQUIRE(sw_ocl_svm_find(c, p, &s), CL_INVALID_VALUE);
    uint64_t offset = (uint64_t)(uintptr_t)p - s.address;
    return size <= s.bytes - offset ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int
clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
                       const void **svm_pointers, const size_t *sizes,
                       cl_mem_migration_flags flags,
                       cl_uint num_events_in_wait_list,
                       const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_SVM_MIGRATE_MEM,
                             num_events_in_wait_list, event_wait_list, event));
    REQUIRE(num_svm_pointers && svm_pointers &&
                !(flags & ~(cl_mem_migration_flags)SW_OCL_MIGRATION_FLAGS),
            CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_svm_pointers; i++)
        TRY(check_migrated(c.queue->context, svm_pointers[i],
                           sizes ? sizes[i] : 0));
    sw_rt_work work = {.kind = SW_RT_EMPTY};
    return sw_ocl_command_submit(&c, &work, false);
}
