/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.c - images in all their forms. An image is rows of elements in plain
 * memory: of the device, of the program, of a buffer or of another image; what
 * kernels get of it is an sw_cl_image in device memory.
 */
#include "api/opencl/info.h"
#include "api/opencl/memory.h"

cl_mem
sw_ocl_get_image(cl_mem handle)
{
    cl_mem m = sw_ocl_get(handle, SW_OCL_MEM);
    return m && m->type >= CL_MEM_OBJECT_IMAGE2D &&
                   m->type <= CL_MEM_OBJECT_IMAGE1D_BUFFER
               ? m
               : NULL;
}

static bool
is_array(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
           type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

static bool
has_height(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE3D ||
           type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

static size_t
at_least_1(size_t n)
{
    return n ? n : 1;
}

size_t
sw_ocl_image_row_step(const struct _cl_mem *m)
{
    return m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? m->slice_bytes
                                                  : m->row_bytes;
}

uint64_t
sw_ocl_texel_address(const struct _cl_mem *m, const size_t *origin)
{
    return m->address + origin[0] * m->element_bytes +
           origin[1] * sw_ocl_image_row_step(m) + origin[2] * m->slice_bytes;
}

/* How many there are in each direction of an origin. */
static void
extents(const struct _cl_mem *m, size_t out[3])
{
    out[0] = m->width;
    out[1] = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? m->array_size
                                                    : at_least_1(m->height);
    out[2] = m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? m->array_size
                                                    : at_least_1(m->depth);
}

cl_int
sw_ocl_check_region(const struct _cl_mem *m, const size_t *origin,
                    const size_t *region)
{
    size_t n[3];
    REQUIRE(origin && region, CL_INVALID_VALUE);
    extents(m, n);
    for (int i = 0; i < 3; i++)
        REQUIRE(region[i] && origin[i] < n[i] && region[i] <= n[i] - origin[i],
                CL_INVALID_VALUE);
    return CL_SUCCESS;
}

/* ---- making ---- */

typedef struct {
    cl_context context;
    cl_mem_flags flags;
    const cl_image_format *format;
    const cl_image_desc *desc;
    size_t element_bytes;
    size_t row_bytes, slice_bytes; /* of the host's memory, or the buffer */
} request;

static size_t
limit(const request *r, cl_device_info name)
{
    size_t least = SIZE_MAX;
    for (cl_uint i = 0; i < r->context->device_count; i++) {
        size_t value = 0;
        clGetDeviceInfo(r->context->devices[i], name, sizeof value, &value,
                        NULL);
        least = value < least ? value : least;
    }
    return least;
}

typedef struct {
    cl_mem_object_type type;
    cl_device_info width, height, depth, array; /* limits; 0: has none */
} shape_row;

static const shape_row shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, CL_DEVICE_IMAGE2D_MAX_WIDTH, 0, 0, 0},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 0, 0, 0},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_DEVICE_IMAGE2D_MAX_WIDTH, 0, 0,
     CL_DEVICE_IMAGE_MAX_ARRAY_SIZE},
    {CL_MEM_OBJECT_IMAGE2D, CL_DEVICE_IMAGE2D_MAX_WIDTH,
     CL_DEVICE_IMAGE2D_MAX_HEIGHT, 0, 0},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_DEVICE_IMAGE2D_MAX_WIDTH,
     CL_DEVICE_IMAGE2D_MAX_HEIGHT, 0, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE},
    {CL_MEM_OBJECT_IMAGE3D, CL_DEVICE_IMAGE3D_MAX_WIDTH,
     CL_DEVICE_IMAGE3D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_DEPTH, 0},
};

static cl_int
check_extent(const request *r, cl_device_info name, size_t value)
{
    if (!name)
        return CL_SUCCESS;
    REQUIRE(value, CL_INVALID_IMAGE_DESCRIPTOR);
    return value <= limit(r, name) ? CL_SUCCESS : CL_INVALID_IMAGE_SIZE;
}

static cl_int
check_shape(const request *r)
{
    const cl_image_desc *d = r->desc;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape_row *s = &shapes[i];
        if (s->type != d->image_type)
            continue;
        TRY(check_extent(r, s->width, d->image_width));
        TRY(check_extent(r, s->height, d->image_height));
        TRY(check_extent(r, s->depth, d->image_depth));
        TRY(check_extent(r, s->array, d->image_array_size));
        REQUIRE(!d->num_mip_levels && !d->num_samples,
                CL_INVALID_IMAGE_DESCRIPTOR);
        return CL_SUCCESS;
    }
    return CL_INVALID_IMAGE_DESCRIPTOR;
}

/* The pitches of memory that the program describes; 0 is what touches. */
static cl_int
check_pitches(request *r, bool has_memory)
{
    const cl_image_desc *d = r->desc;
    size_t row = d->image_width * r->element_bytes;
    r->row_bytes = d->image_row_pitch ? d->image_row_pitch : row;
    REQUIRE(has_memory || (!d->image_row_pitch && !d->image_slice_pitch),
            CL_INVALID_IMAGE_DESCRIPTOR);
    REQUIRE(r->row_bytes >= row && r->row_bytes % r->element_bytes == 0,
            CL_INVALID_IMAGE_DESCRIPTOR);
    bool slices =
        is_array(d->image_type) || d->image_type == CL_MEM_OBJECT_IMAGE3D;
    size_t rows = has_height(d->image_type) ? d->image_height : 1;
    uint64_t slice = sw_product(r->row_bytes, rows);
    r->slice_bytes =
        slices && d->image_slice_pitch ? d->image_slice_pitch : slice;
    REQUIRE(slice < UINT64_MAX && r->slice_bytes >= slice &&
                r->slice_bytes % r->row_bytes == 0,
            CL_INVALID_IMAGE_DESCRIPTOR);
    return CL_SUCCESS;
}

static size_t
slices_of(const cl_image_desc *d)
{
    return is_array(d->image_type)                  ? d->image_array_size
           : d->image_type == CL_MEM_OBJECT_IMAGE3D ? d->image_depth
                                                    : 1;
}

/* What kernels get. */
static cl_int
make_descriptor(cl_mem m)
{
    sw_status status =
        sw_rt_memory_alloc(m->context->rt[0], SW_MEM_HOST, sizeof(sw_cl_image),
                           16, 0, &m->descriptor);
    REQUIRE(status == SW_OK, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    sw_cl_image *image = (sw_cl_image *)(uintptr_t)m->descriptor;
    *image = (sw_cl_image){
        .data = m->address,
        .row_bytes = m->row_bytes,
        .slice_bytes = m->slice_bytes,
        .width = (uint32_t)m->width,
        .height = (uint32_t)at_least_1(m->height),
        .depth = (uint32_t)at_least_1(m->depth),
        .array_size = (uint32_t)at_least_1(m->array_size),
    };
    sw_ocl_format_describe(&m->format, image);
    uint64_t places = m->address | m->row_bytes | m->slice_bytes;
    if (places % image->element_bytes == 0)
        image->load_bytes = image->element_bytes;
    image->is_plain = image->load_bytes == 16 && image->to_color == 0x3210 &&
                      m->bytes / 16 <= INT32_MAX;
    image->is_small = m->bytes <= INT32_MAX;
    return CL_SUCCESS;
}

static cl_mem
new_image(const request *r)
{
    const cl_image_desc *d = r->desc;
    cl_mem m = sw_ocl_mem_create(r->context, d->image_type, r->flags);
    if (!m)
        return NULL;
    m->format = *r->format;
    m->element_bytes = r->element_bytes;
    m->width = d->image_width;
    m->height = has_height(d->image_type) ? d->image_height : 0;
    m->depth = d->image_type == CL_MEM_OBJECT_IMAGE3D ? d->image_depth : 0;
    m->array_size = is_array(d->image_type) ? d->image_array_size : 0;
    m->row_bytes = r->row_bytes;
    m->slice_bytes = r->slice_bytes;
    m->bytes = m->slice_bytes * slices_of(d);
    return m;
}

/* With memory of its own, or of the program. */
static cl_int
create_plain(request *r, void *host_ptr, cl_mem *out)
{
    TRY(sw_ocl_check_flags(r->flags, host_ptr));
    TRY(check_pitches(r, host_ptr != NULL));
    sw_rt_copy from = {.src = (uint64_t)(uintptr_t)host_ptr,
                       .src_pitch = r->row_bytes,
                       .src_slice = r->slice_bytes};
    const cl_image_desc *d = r->desc;
    size_t rows = has_height(d->image_type) ? d->image_height : 1;
    if (!(r->flags & CL_MEM_USE_HOST_PTR)) {
        r->row_bytes = d->image_width * r->element_bytes;
        r->slice_bytes = r->row_bytes * rows;
    }
    cl_mem m = new_image(r);
    REQUIRE(m, CL_OUT_OF_HOST_MEMORY);
    *out = m;
    TRY(sw_ocl_mem_allocate(m, host_ptr));
    from.dst = m->address;
    from.dst_pitch = m->row_bytes;
    from.dst_slice = m->slice_bytes;
    from.width = d->image_width * r->element_bytes;
    from.height = rows;
    from.depth = slices_of(d);
    sw_rt_work work = {.kind = SW_RT_COPY, .copy = from};
    if (r->flags & CL_MEM_COPY_HOST_PTR)
        REQUIRE(sw_rt_stream_run(r->context->rt[0]->legacy, &work) == SW_OK,
                CL_OUT_OF_RESOURCES);
    return make_descriptor(m);
}

/* Of the memory of a buffer: a line, or rows of it. */
static cl_int
create_of_buffer(request *r, cl_mem buffer, cl_mem *out)
{
    const cl_image_desc *d = r->desc;
    bool is_rows = d->image_type == CL_MEM_OBJECT_IMAGE2D;
    REQUIRE(is_rows || d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER,
            CL_INVALID_IMAGE_DESCRIPTOR);
    REQUIRE(buffer->context == r->context, CL_INVALID_CONTEXT);
    TRY(sw_ocl_inherit_flags(&r->flags, buffer));
    TRY(check_pitches(r, true));
    size_t unit = SW_OCL_PITCH_ALIGNMENT * r->element_bytes;
    REQUIRE(!is_rows || !d->image_row_pitch || r->row_bytes % unit == 0,
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    size_t rows = is_rows ? d->image_height : 1;
    uint64_t needs = sw_sum(sw_product(rows - 1, r->row_bytes),
                            sw_product(d->image_width, r->element_bytes));
    REQUIRE(needs <= buffer->bytes,
            is_rows ? CL_INVALID_IMAGE_SIZE : CL_INVALID_IMAGE_DESCRIPTOR);
    cl_mem m = new_image(r);
    REQUIRE(m, CL_OUT_OF_HOST_MEMORY);
    *out = m;
    m->parent = buffer;
    sw_ocl_hold(buffer);
    m->address = buffer->address;
    m->host_ptr = buffer->host_ptr;
    return make_descriptor(m);
}

/* The same elements taken for those of another order (sRGBA as RGBA). */
static cl_int
create_of_image(request *r, cl_mem image, cl_mem *out)
{
    const cl_image_desc *d = r->desc;
    REQUIRE(d->image_type == CL_MEM_OBJECT_IMAGE2D &&
                image->type == CL_MEM_OBJECT_IMAGE2D && !image->parent,
            CL_INVALID_IMAGE_DESCRIPTOR);
    REQUIRE(image->context == r->context, CL_INVALID_CONTEXT);
    TRY(sw_ocl_inherit_flags(&r->flags, image));
    REQUIRE(d->image_width == image->width && d->image_height == image->height,
            CL_INVALID_IMAGE_DESCRIPTOR);
    REQUIRE(r->element_bytes == image->element_bytes &&
                r->format->image_channel_data_type ==
                    image->format.image_channel_data_type,
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    r->row_bytes = image->row_bytes;
    r->slice_bytes = image->slice_bytes;
    cl_mem m = new_image(r);
    REQUIRE(m, CL_OUT_OF_HOST_MEMORY);
    *out = m;
    m->parent = image;
    sw_ocl_hold(image);
    m->address = image->address;
    m->host_ptr = image->host_ptr;
    return make_descriptor(m);
}

/* Numbers that cl.h has a name for. */
static bool
is_format(const cl_image_format *f)
{
    return f->image_channel_order >= CL_R &&
           f->image_channel_order <= CL_ABGR &&
           f->image_channel_data_type >= CL_SNORM_INT8 &&
           f->image_channel_data_type <= CL_UNORM_INT_101010_2;
}

static cl_int
create(request *r, void *host_ptr, cl_mem *out)
{
    REQUIRE(sw_ocl_get(r->context, SW_OCL_CONTEXT), CL_INVALID_CONTEXT);
    cl_int flags = sw_ocl_check_flags(
        r->flags & ~(cl_mem_flags)(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR),
        NULL);
    TRY(flags);
    REQUIRE(r->format && is_format(r->format),
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    REQUIRE(r->desc, CL_INVALID_IMAGE_DESCRIPTOR);
    r->element_bytes = sw_ocl_format_bytes(r->format);
    TRY(check_shape(r));
    cl_mem buffer = sw_ocl_get_buffer(r->desc->mem_object);
    cl_mem image = sw_ocl_get_image(r->desc->mem_object);
    bool is_line = r->desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    REQUIRE(r->element_bytes && sw_ocl_format_is_supported(
                                    r->format, r->desc->image_type,
                                    r->flags ? r->flags : CL_MEM_READ_WRITE),
            CL_IMAGE_FORMAT_NOT_SUPPORTED);
    if (buffer || image)
        REQUIRE(!host_ptr, CL_INVALID_HOST_PTR);
    if (buffer)
        return create_of_buffer(r, buffer, out);
    if (image)
        return create_of_image(r, image, out);
    REQUIRE(!is_line && !r->desc->mem_object, CL_INVALID_IMAGE_DESCRIPTOR);
    return create_plain(r, host_ptr, out);
}

cl_mem
clCreateImageWithProperties(cl_context context,
                            const cl_mem_properties *properties,
                            cl_mem_flags flags,
                            const cl_image_format *image_format,
                            const cl_image_desc *image_desc, void *host_ptr,
                            cl_int *errcode_ret)
{
    request r = {.context = context,
                 .flags = flags,
                 .format = image_format,
                 .desc = image_desc};
    cl_mem m = NULL;
    cl_int result = sw_ocl_check_no_properties(properties);
    if (!sw_ocl_get(context, SW_OCL_CONTEXT))
        result = CL_INVALID_CONTEXT;
    if (result == CL_SUCCESS)
        result = create(&r, host_ptr, &m);
    if (m && result != CL_SUCCESS) {
        sw_ocl_release(m);
        m = NULL;
    }
    if (m)
        m->properties = sw_ocl_copy_list(properties, &m->property_count);
    sw_ocl_set_error(errcode_ret, result);
    return m;
}

cl_mem
clCreateImage(cl_context context, cl_mem_flags flags,
              const cl_image_format *image_format,
              const cl_image_desc *image_desc, void *host_ptr,
              cl_int *errcode_ret)
{
    return clCreateImageWithProperties(context, NULL, flags, image_format,
                                       image_desc, host_ptr, errcode_ret);
}

/* What the calls before 1.2 say where newer ones blame the descriptor. */
static cl_mem
create_old(cl_context context, cl_mem_flags flags,
           const cl_image_format *format, const cl_image_desc *desc,
           void *host_ptr, cl_int *errcode_ret)
{
    cl_int result;
    cl_mem m = clCreateImage(context, flags, format, desc, host_ptr, &result);
    sw_ocl_set_error(errcode_ret, result == CL_INVALID_IMAGE_DESCRIPTOR
                                      ? CL_INVALID_IMAGE_SIZE
                                      : result);
    return m;
}

cl_mem
clCreateImage2D(cl_context context, cl_mem_flags flags,
                const cl_image_format *image_format, size_t image_width,
                size_t image_height, size_t image_row_pitch, void *host_ptr,
                cl_int *errcode_ret)
{
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                          .image_width = image_width,
                          .image_height = image_height,
                          .image_row_pitch = image_row_pitch};
    return create_old(context, flags, image_format, &desc, host_ptr,
                      errcode_ret);
}

cl_mem
clCreateImage3D(cl_context context, cl_mem_flags flags,
                const cl_image_format *image_format, size_t image_width,
                size_t image_height, size_t image_depth, size_t image_row_pitch,
                size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                          .image_width = image_width,
                          .image_height = image_height,
                          .image_depth = image_depth,
                          .image_row_pitch = image_row_pitch,
                          .image_slice_pitch = image_slice_pitch};
    return create_old(context, flags, image_format, &desc, host_ptr,
                      errcode_ret);
}

/* ---- questions ---- */

cl_int
clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                           cl_mem_object_type image_type, cl_uint num_entries,
                           cl_image_format *image_formats,
                           cl_uint *num_image_formats)
{
    REQUIRE(sw_ocl_get(context, SW_OCL_CONTEXT), CL_INVALID_CONTEXT);
    cl_mem_flags host = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    TRY(sw_ocl_check_flags(flags & ~host, NULL));
    REQUIRE(image_type >= CL_MEM_OBJECT_IMAGE2D &&
                image_type <= CL_MEM_OBJECT_IMAGE1D_BUFFER,
            CL_INVALID_VALUE);
    REQUIRE(num_entries || !image_formats, CL_INVALID_VALUE);
    cl_uint n =
        sw_ocl_format_list(image_type, flags ? flags : CL_MEM_READ_WRITE,
                           num_entries, image_formats);
    if (num_image_formats)
        *num_image_formats = n;
    return CL_SUCCESS;
}

cl_int
clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size,
               void *param_value, size_t *param_value_size_ret)
{
    ASK(ask);
    cl_mem m = sw_ocl_get_image(image);
    REQUIRE(m, CL_INVALID_MEM_OBJECT);
    bool has_slices = m->depth || m->array_size;
    switch (param_name) {
    case CL_IMAGE_FORMAT:
        ANSWER(&ask, cl_image_format, m->format);
    case CL_IMAGE_ELEMENT_SIZE:
        ANSWER(&ask, size_t, m->element_bytes);
    case CL_IMAGE_ROW_PITCH:
        ANSWER(&ask, size_t, m->row_bytes);
    case CL_IMAGE_SLICE_PITCH:
        ANSWER(&ask, size_t, has_slices ? m->slice_bytes : 0);
    case CL_IMAGE_WIDTH:
        ANSWER(&ask, size_t, m->width);
    case CL_IMAGE_HEIGHT:
        ANSWER(&ask, size_t, m->height);
    case CL_IMAGE_DEPTH:
        ANSWER(&ask, size_t, m->depth);
    case CL_IMAGE_ARRAY_SIZE:
        ANSWER(&ask, size_t, m->array_size);
    case CL_IMAGE_BUFFER:
        ANSWER(&ask, cl_mem, sw_ocl_get_buffer(m->parent));
    case CL_IMAGE_NUM_MIP_LEVELS:
        ANSWER(&ask, cl_uint, 0);
    case CL_IMAGE_NUM_SAMPLES:
        ANSWER(&ask, cl_uint, 0);
    default:
        return CL_INVALID_VALUE;
    }
}
