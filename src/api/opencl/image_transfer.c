/* SPDX-License-Identifier: Apache-2.0 */
/* image_transfer.c - commands that read, write, copy, fill and map images. */
#include <string.h>

#include "api/opencl/command.h"
#include "api/opencl/memory.h"

static cl_int
get_image(const sw_ocl_command *c, cl_mem handle, cl_mem *out)
{
    *out = sw_ocl_get_image(handle);
    REQUIRE(*out, CL_INVALID_MEM_OBJECT);
    return (*out)->context == c->queue->context ? CL_SUCCESS
                                                : CL_INVALID_CONTEXT;
}

/* One side of a copy: where its first element is, and its pitches. */
typedef struct {
    uint64_t address;
    size_t row, slice;
} side;

static side
side_of(const struct _cl_mem *m, const size_t *origin)
{
    return (side){sw_ocl_texel_address(m, origin), sw_ocl_image_row_step(m),
                  m->slice_bytes};
}

/* Memory beside a region of an image. For arrays of 1D images the program's
 * slice pitch is what lies between them. */
static cl_int
plain_side(const struct _cl_mem *m, const size_t *region, size_t row,
           size_t slice, uint64_t address, side *out)
{
    size_t least = region[0] * m->element_bytes;
    bool lines = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    bool slices = m->type == CL_MEM_OBJECT_IMAGE3D ||
                  m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || lines;
    row = row ? row : least;
    REQUIRE(row >= least && (slices || !slice), CL_INVALID_VALUE);
    uint64_t whole = lines ? row : sw_product(row, region[1]);
    slice = slice ? slice : whole;
    REQUIRE(slice >= whole && sw_product(slice, region[2]) < UINT64_MAX,
            CL_INVALID_VALUE);
    *out = (side){address, lines ? slice : row, slice};
    return CL_SUCCESS;
}

static sw_rt_work
copy(const side *to, const side *from, const size_t *region,
     size_t element_bytes)
{
    return (sw_rt_work){.kind = SW_RT_COPY,
                        .copy = {.dst = to->address,
                                 .dst_pitch = to->row,
                                 .dst_slice = to->slice,
                                 .src = from->address,
                                 .src_pitch = from->row,
                                 .src_slice = from->slice,
                                 .width = region[0] * element_bytes,
                                 .height = region[1],
                                 .depth = region[2]}};
}

cl_int
clEnqueueReadImage(cl_command_queue command_queue, cl_mem image,
                   cl_bool blocking_read, const size_t *origin,
                   const size_t *region, size_t row_pitch, size_t slice_pitch,
                   void *ptr, cl_uint num_events_in_wait_list,
                   const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    cl_mem m;
    side to;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_READ_IMAGE,
                             num_events_in_wait_list, event_wait_list, event));
    TRY(get_image(&c, image, &m));
    REQUIRE(ptr, CL_INVALID_VALUE);
    TRY(sw_ocl_check_region(m, origin, region));
    TRY(plain_side(m, region, row_pitch, slice_pitch, (uint64_t)(uintptr_t)ptr,
                   &to));
    REQUIRE(!(m->flags & SW_OCL_NO_READ), CL_INVALID_OPERATION);
    side from = side_of(m, origin);
    sw_rt_work work = copy(&to, &from, region, m->element_bytes);
    return sw_ocl_command_submit(&c, &work, blocking_read);
}

cl_int
clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image,
                    cl_bool blocking_write, const size_t *origin,
                    const size_t *region, size_t input_row_pitch,
                    size_t input_slice_pitch, const void *ptr,
                    cl_uint num_events_in_wait_list,
                    const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    cl_mem m;
    side from;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_WRITE_IMAGE,
                             num_events_in_wait_list, event_wait_list, event));
    TRY(get_image(&c, image, &m));
    REQUIRE(ptr, CL_INVALID_VALUE);
    TRY(sw_ocl_check_region(m, origin, region));
    TRY(plain_side(m, region, input_row_pitch, input_slice_pitch,
                   (uint64_t)(uintptr_t)ptr, &from));
    REQUIRE(!(m->flags & SW_OCL_NO_WRITE), CL_INVALID_OPERATION);
    side to = side_of(m, origin);
    sw_rt_work work = copy(&to, &from, region, m->element_bytes);
    return sw_ocl_command_submit(&c, &work, blocking_write);
}

static bool
same_format(const struct _cl_mem *a, const struct _cl_mem *b)
{
    return a->format.image_channel_order == b->format.image_channel_order &&
           a->format.image_channel_data_type ==
               b->format.image_channel_data_type;
}

/* Of one image. */
static bool
regions_overlap(const size_t *a, const size_t *b, const size_t *region)
{
    for (int i = 0; i < 3; i++)
        if (a[i] < b[i] ? b[i] - a[i] >= region[i] : a[i] - b[i] >= region[i])
            return false;
    return true;
}

/* A region is of as many dimensions as both images allow; where one counts its
 * images as rows and the other as slices, their steps are exchanged. */
static void
align_sides(const struct _cl_mem *m, const struct _cl_mem *other, side *s)
{
    bool lines = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    bool other_lines = other->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    if (lines && !other_lines)
        s->row = m->slice_bytes;
}

cl_int
clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image,
                   cl_mem dst_image, const size_t *src_origin,
                   const size_t *dst_origin, const size_t *region,
                   cl_uint num_events_in_wait_list,
                   const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    cl_mem src, dst;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_COPY_IMAGE,
                             num_events_in_wait_list, event_wait_list, event));
    TRY(get_image(&c, src_image, &src));
    TRY(get_image(&c, dst_image, &dst));
    REQUIRE(same_format(src, dst), CL_IMAGE_FORMAT_MISMATCH);
    TRY(sw_ocl_check_region(src, src_origin, region));
    TRY(sw_ocl_check_region(dst, dst_origin, region));
    REQUIRE(src != dst || !regions_overlap(src_origin, dst_origin, region),
            CL_MEM_COPY_OVERLAP);
    side from = side_of(src, src_origin), to = side_of(dst, dst_origin);
    align_sides(src, dst, &from);
    align_sides(dst, src, &to);
    sw_rt_work work = copy(&to, &from, region, src->element_bytes);
    return sw_ocl_command_submit(&c, &work, false);
}

static cl_int
packed_side(const struct _cl_mem *image, const struct _cl_mem *buffer,
            const size_t *region, size_t offset, side *out)
{
    size_t bytes = region[0] * region[1] * region[2] * image->element_bytes;
    REQUIRE(offset <= buffer->bytes && bytes <= buffer->bytes - offset,
            CL_INVALID_VALUE);
    return plain_side(image, region, 0, 0, buffer->address + offset, out);
}

/* Between an image and packed texels in a buffer. */
static cl_int
copy_packed(sw_ocl_command *c, cl_mem image_handle, const size_t *origin,
            cl_mem buffer_handle, size_t offset, const size_t *region,
            bool is_to_buffer)
{
    cl_mem image, buffer;
    TRY(get_image(c, image_handle, &image));
    TRY(sw_ocl_command_buffer(c, buffer_handle, &buffer));
    side packed;
    REQUIRE(image->parent != buffer, CL_INVALID_MEM_OBJECT);
    TRY(sw_ocl_check_region(image, origin, region));
    TRY(packed_side(image, buffer, region, offset, &packed));
    side in = side_of(image, origin);
    sw_rt_work work =
        copy(is_to_buffer ? &packed : &in, is_to_buffer ? &in : &packed, region,
             image->element_bytes);
    return sw_ocl_command_submit(c, &work, false);
}

cl_int
clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image,
                           cl_mem dst_buffer, const size_t *src_origin,
                           const size_t *region, size_t dst_offset,
                           cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER,
                             num_events_in_wait_list, event_wait_list, event));
    return copy_packed(&c, src_image, src_origin, dst_buffer, dst_offset,
                       region, true);
}

cl_int
clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer,
                           cl_mem dst_image, size_t src_offset,
                           const size_t *dst_origin, const size_t *region,
                           cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                             num_events_in_wait_list, event_wait_list, event));
    return copy_packed(&c, dst_image, dst_origin, src_buffer, src_offset,
                       region, false);
}

cl_int
clEnqueueFillImage(cl_command_queue command_queue, cl_mem image,
                   const void *fill_color, const size_t *origin,
                   const size_t *region, cl_uint num_events_in_wait_list,
                   const cl_event *event_wait_list, cl_event *event)
{
    sw_ocl_command c;
    cl_mem m;
    TRY(sw_ocl_command_begin(&c, command_queue, CL_COMMAND_FILL_IMAGE,
                             num_events_in_wait_list, event_wait_list, event));
    TRY(get_image(&c, image, &m));
    REQUIRE(fill_color, CL_INVALID_VALUE);
    TRY(sw_ocl_check_region(m, origin, region));
    side to = side_of(m, origin);
    sw_rt_work work = {.kind = SW_RT_FILL,
                       .fill = {.dst = to.address,
                                .pitch = to.row,
                                .slice = to.slice,
                                .width = region[0],
                                .height = region[1],
                                .depth = region[2],
                                .elem_bytes = (uint32_t)m->element_bytes}};
    sw_ocl_format_pack(&m->format, fill_color, work.fill.pattern);
    if (m->element_bytes <= sizeof work.fill.value)
        memcpy(&work.fill.value, work.fill.pattern, m->element_bytes);
    return sw_ocl_command_submit(&c, &work, false);
}

/* ---- mapping ---- */

typedef struct {
    const size_t *origin, *region;
    size_t *row_pitch, *slice_pitch; /* outputs */
} map_place;

static cl_int
map_image(sw_ocl_command *c, cl_mem image, cl_bool blocking, cl_map_flags flags,
          const map_place *place, void **out)
{
    cl_mem m;
    TRY(get_image(c, image, &m));
    TRY(sw_ocl_check_map_flags(m, flags));
    TRY(sw_ocl_check_region(m, place->origin, place->region));
    REQUIRE(place->row_pitch, CL_INVALID_VALUE);
    bool has_slices = m->depth || m->array_size;
    REQUIRE(!has_slices || place->slice_pitch, CL_INVALID_VALUE);
    sw_rt_work work = {.kind = SW_RT_EMPTY};
    TRY(sw_ocl_command_submit(c, &work, blocking));
    *place->row_pitch = m->row_bytes;
    if (place->slice_pitch)
        *place->slice_pitch = has_slices ? m->slice_bytes : 0;
    *out = (void *)(uintptr_t)sw_ocl_texel_address(m, place->origin);
    sw_ocl_mapping_add(m, *out);
    return CL_SUCCESS;
}

void *
clEnqueueMapImage(cl_command_queue command_queue, cl_mem image,
                  cl_bool blocking_map, cl_map_flags map_flags,
                  const size_t *origin, const size_t *region,
                  size_t *image_row_pitch, size_t *image_slice_pitch,
                  cl_uint num_events_in_wait_list,
                  const cl_event *event_wait_list, cl_event *event,
                  cl_int *errcode_ret)
{
    sw_ocl_command c;
    void *p = NULL;
    map_place place = {origin, region, image_row_pitch, image_slice_pitch};
    cl_int result =
        sw_ocl_command_begin(&c, command_queue, CL_COMMAND_MAP_IMAGE,
                             num_events_in_wait_list, event_wait_list, event);
    if (result == CL_SUCCESS)
        result = map_image(&c, image, blocking_map, map_flags, &place, &p);
    sw_ocl_set_error(errcode_ret, result);
    return p;
}
