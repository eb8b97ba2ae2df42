/* SPDX-License-Identifier: Apache-2.0 */
/* array.c - arrays and mipmapped arrays of memory.h. */
#include "rt/memory.h"

uint32_t
sw_rt_format_bytes(sw_rt_format format)
{
    static const uint8_t bytes[SW_RT_FORMAT_COUNT] = {1, 2, 4, 1, 2, 4, 2, 4};
    return bytes[format];
}

static size_t
at_least_1(size_t n)
{
    return n ? n : 1;
}

static bool
is_possible(const sw_rt_shape *s)
{
    bool channels = s->channels == 1 || s->channels == 2 || s->channels == 4;
    if (!channels || (unsigned)s->format >= SW_RT_FORMAT_COUNT || !s->width)
        return false;
    if (s->cubemap && (s->width != s->height || s->depth % 6 != 0 ||
                       s->depth == 0 || (!s->layered && s->depth != 6)))
        return false;
    if (s->layered && s->depth == 0)
        return false;
    if (!s->layered && !s->cubemap && s->depth && !s->height)
        return false;
    const size_t most = (size_t)1 << 28;
    const uint64_t most_bytes = (uint64_t)1 << 48;
    uint64_t texels = sw_product(sw_product(s->width, at_least_1(s->height)),
                                 at_least_1(s->depth));
    return s->width <= most && s->height <= most && s->depth <= most &&
           texels <= most_bytes;
}

static sw_rt_array *
describe(sw_rt_context *context, const sw_rt_shape *shape)
{
    sw_rt_array *a = sw_rt_object_new(SW_RT_ARRAY, sizeof *a);
    a->context = context;
    a->shape = *shape;
    a->elem_bytes = sw_rt_format_bytes(shape->format) * shape->channels;
    a->pitch = (shape->width * a->elem_bytes + 31) & ~(size_t)31;
    a->slice = a->pitch * at_least_1(shape->height);
    return a;
}

static size_t
array_bytes(const sw_rt_array *a)
{
    return a->slice * at_least_1(a->shape.depth);
}

static sw_status
allocate(sw_rt_context *context, size_t bytes, uint64_t *addr)
{
    sw_status status =
        sw_rt_memory_alloc(context, SW_MEM_DEVICE, bytes, 512, 0, addr);
    if (status == SW_OK) {
        sw_mem_range r;
        bool found = sw_mem_find(*addr, &r);
        SW_ASSERT(found);
        ((sw_rt_alloc *)r.user)->is_array = true;
    }
    return status;
}

sw_status
sw_rt_array_create(sw_rt_context *context, const sw_rt_shape *shape,
                   sw_rt_array **out)
{
    if (!is_possible(shape))
        return SW_E_INVAL;
    sw_rt_array *a = describe(context, shape);
    sw_status status = allocate(context, array_bytes(a), &a->addr);
    if (status != SW_OK) {
        sw_rt_object_free(a);
        return status;
    }
    *out = a;
    return SW_OK;
}

void
sw_rt_array_destroy(sw_rt_array *array)
{
    if (!array->mipmap)
        sw_rt_memory_release(array->addr);
    sw_rt_object_free(array);
}

sw_status
sw_rt_mipmap_create(sw_rt_context *context, const sw_rt_shape *shape,
                    uint32_t levels, sw_rt_mipmap **out)
{
    if (!is_possible(shape) || levels == 0)
        return SW_E_INVAL;
    size_t largest = shape->width;
    if (shape->height > largest)
        largest = shape->height;
    if (!shape->layered && !shape->cubemap && shape->depth > largest)
        largest = shape->depth;
    uint32_t most = 0;
    for (; largest; largest >>= 1)
        most++;
    if (levels > most)
        levels = most;
    if (levels > SW_RT_MAX_LEVELS)
        levels = SW_RT_MAX_LEVELS;

    sw_rt_mipmap *m = sw_rt_object_new(SW_RT_MIPMAP, sizeof *m);
    m->context = context;
    m->level_count = levels;
    size_t bytes = 0;
    for (uint32_t i = 0; i < levels; i++) {
        sw_rt_shape s = *shape;
        s.width = at_least_1(s.width >> i);
        s.height = s.height ? at_least_1(s.height >> i) : 0;
        if (!s.layered && !s.cubemap)
            s.depth = s.depth ? at_least_1(s.depth >> i) : 0;
        m->levels[i] = describe(context, &s);
        m->levels[i]->mipmap = m;
        m->levels[i]->addr = bytes;
        bytes += (array_bytes(m->levels[i]) + 511) & ~(size_t)511;
    }
    uint64_t addr = 0;
    sw_status status = allocate(context, bytes, &addr);
    for (uint32_t i = 0; i < levels; i++)
        m->levels[i]->addr += addr;
    if (status != SW_OK) {
        for (uint32_t i = 0; i < levels; i++)
            sw_rt_object_free(m->levels[i]);
        sw_rt_object_free(m);
        return status;
    }
    *out = m;
    return SW_OK;
}

void
sw_rt_mipmap_destroy(sw_rt_mipmap *m)
{
    sw_rt_memory_release(m->levels[0]->addr);
    for (uint32_t i = 0; i < m->level_count; i++)
        sw_rt_object_free(m->levels[i]);
    sw_rt_object_free(m);
}
