/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c - commands that read, write, copy, fill, map and migrate buffers.
 */
#include "api/opencl/command.h"
#include "api/opencl/info.h"
#include "api/opencl/memory.h"
#include "api/opencl/svm.h"

static bool
is_within(const struct _cl_mem *m, size_t offset, size_t size)
{
    return size && offset <= m->bytes && size <= m->bytes - offset;
}

cl_int
clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer,
                    cl_bool blocking_read, size_t offset, size_t size,
                    void *ptr, cl_uint num_events_in_wait_list,
                    const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    cl_mem m;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_READ_BUFFER,
                             num_events_in_wait_list, event_wait_list, event));
    TRY(sw_ocl_command_buffer(&c, buffer, &m));
    REQUIRE(ptr && is_within(m, offset, size), CL_INVALID_VALUE);
    REQUIRE(!(m->flags & SW_OCL_NO_READ), CL_INVALID_OPERATION);
    sw_rt_work work =
        sw_ocl_copy((uint64_t)(uintptr_t)ptr, m->address + offset, size);
    return sw_ocl_command_submit(&c, &work, blocking_read);
}

cl_int
clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer,
                     cl_bool blocking_write, size_t offset, size_t size,
                     const void *ptr, cl_uint num_events_in_wait_list,
                     const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    cl_mem m;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_WRITE_BUFFER,
                             num_events_in_wait_list, event_wait_list, event));
    TRY(sw_ocl_command_buffer(&c, buffer, &m));
    REQUIRE(ptr && is_within(m, offset, size), CL_INVALID_VALUE);
    REQUIRE(!(m->flags & SW_OCL_NO_WRITE), CL_INVALID_OPERATION);
    sw_rt_work work =
        sw_ocl_copy(m->address + offset, (uint64_t)(uintptr_t)ptr, size);
    return sw_ocl_command_submit(&c, &work, blocking_write);
}

cl_int
clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer,
                    cl_mem dst_buffer, size_t src_offset, size_t dst_offset,
                    size_t size, cl_uint num_events_in_wait_list,
                    const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    cl_mem src, dst;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_COPY_BUFFER,
                             num_events_in_wait_list, event_wait_list, event));
    TRY(sw_ocl_command_buffer(&c, src_buffer, &src));
    TRY(sw_ocl_command_buffer(&c, dst_buffer, &dst));
    REQUIRE(is_within(src, src_offset, size) &&
                is_within(dst, dst_offset, size),
            CL_INVALID_VALUE);
    uint64_t from = src->address + src_offset, to = dst->address + dst_offset;
    REQUIRE(from < to ? to - from >= size : from - to >= size,
            CL_MEM_COPY_OVERLAP);
    sw_rt_work work = sw_ocl_copy(to, from, size);
    return sw_ocl_command_submit(&c, &work, false);
}

cl_int
sw_ocl_fill(uint64_t address, const void *pattern, size_t pattern_size,
            size_t size, sw_rt_work *work)
{
    bool possible = pattern && pattern_size &&
                    pattern_size <= SW_RT_PATTERN_BYTES &&
                    !(pattern_size & (pattern_size - 1));
    REQUIRE(possible && size % pattern_size == 0, CL_INVALID_VALUE);
    *work = (sw_rt_work){.kind = SW_RT_FILL,
                         .fill = {.dst = address,
                                  .pitch = size,
                                  .slice = size,
                                  .width = size / pattern_size,
                                  .height = 1,
                                  .depth = 1,
                                  .elem_bytes = (uint32_t)pattern_size}};
    if (pattern_size <= sizeof work->fill.value)
        memcpy(&work->fill.value, pattern, pattern_size);
    else
        memcpy(work->fill.pattern, pattern, pattern_size);
    return CL_SUCCESS;
}

cl_int
clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer,
                    const void *pattern, size_t pattern_size, size_t offset,
                    size_t size, cl_uint num_events_in_wait_list,
                    const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    cl_mem m;
    sw_rt_work work;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_FILL_BUFFER,
                             num_events_in_wait_list, event_wait_list, event));
    TRY(sw_ocl_command_buffer(&c, buffer, &m));
    REQUIRE(offset <= m->bytes && size <= m->bytes - offset, CL_INVALID_VALUE);
    TRY(sw_ocl_fill(m->address + offset, pattern, pattern_size, size, &work));
    REQUIRE(offset % pattern_size == 0, CL_INVALID_VALUE);
    return sw_ocl_command_submit(&c, &work, false);
}

/* ---- rectangles ---- */

/* One side of a copy of rectangles. */
typedef struct {
    const size_t *origin;
    size_t row, slice; /* pitches, bytes */
} side;

/* Pitches of 0 become those of the region. */
static cl_int
complete(side *s, const size_t *region)
{
    if (!s->row)
        s->row = region[0];
    REQUIRE(s->row >= region[0], CL_INVALID_VALUE);
    uint64_t least = sw_product(s->row, region[1]);
    if (!s->slice)
        s->slice = least;
    REQUIRE(s->slice >= least && s->slice % s->row == 0, CL_INVALID_VALUE);
    return CL_SUCCESS;
}

static uint64_t
first_byte(const side *s)
{
    return sw_sum(s->origin[0], sw_sum(sw_product(s->origin[1], s->row),
                                       sw_product(s->origin[2], s->slice)));
}

/* From the first byte to behind the last one. */
static uint64_t
extent(const side *s, const size_t *region)
{
    return sw_sum(region[0], sw_sum(sw_product(region[1] - 1, s->row),
                                    sw_product(region[2] - 1, s->slice)));
}

static bool
is_region(const size_t *region)
{
    return region && region[0] && region[1] && region[2];
}

static bool
rect_is_within(const struct _cl_mem *m, const side *s, const size_t *region)
{
    return sw_sum(first_byte(s), extent(s, region)) <= m->bytes;
}

static sw_rt_work
copy_rect(uint64_t dst, const side *to, uint64_t src, const side *from,
          const size_t *region)
{
    return (sw_rt_work){.kind = SW_RT_COPY,
                        .copy = {.dst = dst + first_byte(to),
                                 .src = src + first_byte(from),
                                 .dst_pitch = to->row,
                                 .dst_slice = to->slice,
                                 .src_pitch = from->row,
                                 .src_slice = from->slice,
                                 .width = region[0],
                                 .height = region[1],
                                 .depth = region[2]}};
}

/* Of a copy between a buffer and the host; *in and *out are complete after it.
 */
static cl_int
check_host_rect(const struct _cl_mem *m, side *in, side *out,
                const size_t *region, const void *ptr)
{
    REQUIRE(in->origin && out->origin && is_region(region) && ptr,
            CL_INVALID_VALUE);
    TRY(complete(in, region));
    TRY(complete(out, region));
    return rect_is_within(m, in, region) ? CL_SUCCESS : CL_INVALID_VALUE;
}

/* in: the buffer's side. */
static cl_int
transfer_rect(sw_ocl_command *c, cl_mem buffer, side in, side out,
              const size_t *region, const void *ptr, bool is_read,
              cl_bool is_blocking)
{
    cl_mem m;
    uint64_t host = (uint64_t)(uintptr_t)ptr;
    TRY(sw_ocl_command_buffer(c, buffer, &m));
    TRY(check_host_rect(m, &in, &out, region, ptr));
    REQUIRE(!(m->flags & (is_read ? SW_OCL_NO_READ : SW_OCL_NO_WRITE)),
            CL_INVALID_OPERATION);
    sw_rt_work work = is_read ? copy_rect(host, &out, m->address, &in, region)
                              : copy_rect(m->address, &in, host, &out, region);
    return sw_ocl_command_submit(c, &work, is_blocking);
}

cl_int
clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer,
                        cl_bool blocking, const size_t *buffer_origin,
                        const size_t *host_origin, const size_t *region,
                        size_t buffer_row_pitch, size_t buffer_slice_pitch,
                        size_t host_row_pitch, size_t host_slice_pitch,
                        void *ptr, cl_uint num_events_in_wait_list,
                        const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    side in = {buffer_origin, buffer_row_pitch, buffer_slice_pitch};
    side out = {host_origin, host_row_pitch, host_slice_pitch};
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_READ_BUFFER_RECT,
                             num_events_in_wait_list, event_wait_list, event));
    return transfer_rect(&c, buffer, in, out, region, ptr, true, blocking);
}

cl_int
clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer,
                         cl_bool blocking, const size_t *buffer_origin,
                         const size_t *host_origin, const size_t *region,
                         size_t buffer_row_pitch, size_t buffer_slice_pitch,
                         size_t host_row_pitch, size_t host_slice_pitch,
                         const void *ptr, cl_uint num_events_in_wait_list,
                         const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    side in = {buffer_origin, buffer_row_pitch, buffer_slice_pitch};
    side out = {host_origin, host_row_pitch, host_slice_pitch};
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_WRITE_BUFFER_RECT,
                             num_events_in_wait_list, event_wait_list, event));
    return transfer_rect(&c, buffer, in, out, region, ptr, false, blocking);
}

/* Whether two rectangles of the same buffer share a byte (OpenCL 3.0 API,
 * appendix D): one behind the other in memory, or side by side in each row or
 * each slice of it. */
static bool
rects_overlap(const side *a, const side *b, const size_t *region)
{
    uint64_t x = first_byte(a), y = first_byte(b);
    uint64_t low = x < y ? x : y, high = x < y ? y : x;
    if (high - low >= extent(x < y ? a : b, region))
        return false;
    if (a->row != b->row || a->slice != b->slice)
        return true;
    size_t delta = (size_t)((high - low) % a->row);
    bool rows_apart = delta >= region[0] && delta + region[0] <= a->row;
    size_t in_slice = (size_t)((high - low) % a->slice);
    size_t rows = region[1] * a->row;
    bool slices_apart = in_slice >= rows && in_slice + rows <= a->slice;
    return !rows_apart && !slices_apart;
}

cl_int
clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer,
                        cl_mem dst_buffer, const size_t *src_origin,
                        const size_t *dst_origin, const size_t *region,
                        size_t src_row_pitch, size_t src_slice_pitch,
                        size_t dst_row_pitch, size_t dst_slice_pitch,
                        cl_uint num_events_in_wait_list,
                        const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    cl_mem src, dst;
    side from = {src_origin, src_row_pitch, src_slice_pitch};
    side to = {dst_origin, dst_row_pitch, dst_slice_pitch};
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_COPY_BUFFER_RECT,
                             num_events_in_wait_list, event_wait_list, event));
    TRY(sw_ocl_command_buffer(&c, src_buffer, &src));
    TRY(sw_ocl_command_buffer(&c, dst_buffer, &dst));
    REQUIRE(src_origin && dst_origin && is_region(region), CL_INVALID_VALUE);
    TRY(complete(&from, region));
    TRY(complete(&to, region));
    REQUIRE(rect_is_within(src, &from, region) &&
                rect_is_within(dst, &to, region),
            CL_INVALID_VALUE);
    bool same = src == dst;
    REQUIRE(!same || (from.row == to.row && from.slice == to.slice),
            CL_INVALID_VALUE);
    REQUIRE(!same || !rects_overlap(&from, &to, region), CL_MEM_COPY_OVERLAP);
    sw_rt_work work = copy_rect(dst->address, &to, src->address, &from, region);
    return sw_ocl_command_submit(&c, &work, false);
}

/* ---- mapping: the memory is the host's, nothing is copied ---- */

static cl_int
map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
           cl_map_flags flags, size_t offset, size_t size, cl_uint count,
           const cl_event *list, cl_event *event, void **out)
{
    sw_ocl_command c;
    cl_mem m;
    TRY(sw_ocl_command_begin(&c, queue, CL_COMMAND_MAP_BUFFER, count, list,
                             event));
    TRY(sw_ocl_command_buffer(&c, buffer, &m));
    REQUIRE(is_within(m, offset, size), CL_INVALID_VALUE);
    TRY(sw_ocl_check_map_flags(m, flags));
    sw_rt_work work = {.kind = SW_RT_EMPTY};
    TRY(sw_ocl_command_submit(&c, &work, blocking));
    *out = (void *)(uintptr_t)(m->address + offset);
    sw_ocl_mapping_add(m, *out);
    return CL_SUCCESS;
}

void *
clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer,
                   cl_bool blocking_map, cl_map_flags map_flags, size_t offset,
                   size_t size, cl_uint num_events_in_wait_list,
                   const cl_event *event_wait_list, cl_event *event,
                   cl_int *errcode_ret)
{
    void *p = NULL;
    sw_ocl_set_error(errcode_ret,
                     map_buffer(command_queue, buffer, blocking_map, map_flags,
                                offset, size, num_events_in_wait_list,
                                event_wait_list, event, &p));
    return p;
}

cl_int
clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj,
                        void *mapped_ptr, cl_uint num_events_in_wait_list,
                        const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_UNMAP_MEM_OBJECT,
                             num_events_in_wait_list, event_wait_list, event));
    GET(cl_mem, m, memobj, SW_OCL_MEM, CL_INVALID_MEM_OBJECT);
    REQUIRE(m->context == c.queue->context, CL_INVALID_CONTEXT);
    REQUIRE(sw_ocl_mapping_remove(m, mapped_ptr), CL_INVALID_VALUE);
    sw_rt_work work = {.kind = SW_RT_EMPTY};
    return sw_ocl_command_submit(&c, &work, false);
}

/* All devices of a context have one memory: nothing is moved. */
cl_int
clEnqueueMigrateMemObjects(cl_command_queue command_queue,
                           cl_uint num_mem_objects, const cl_mem *mem_objects,
                           cl_mem_migration_flags flags,
                           cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_MIGRATE_MEM_OBJECTS,
                             num_events_in_wait_list, event_wait_list, event));
    REQUIRE(num_mem_objects && mem_objects &&
                !(flags & ~(cl_mem_migration_flags)SW_OCL_MIGRATION_FLAGS),
            CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        GET(cl_mem, m, mem_objects[i], SW_OCL_MEM, CL_INVALID_MEM_OBJECT);
        REQUIRE(m->context == c.queue->context, CL_INVALID_CONTEXT);
    }
    sw_rt_work work = {.kind = SW_RT_EMPTY};
    return sw_ocl_command_submit(&c, &work, false);
}
