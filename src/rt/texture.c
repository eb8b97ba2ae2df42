/* SPDX-License-Identifier: Apache-2.0 */
/* texture.c - see texture.h. */
#include "rt/texture.h"

#include <string.h>

#include "rt/module.h"

typedef struct {
    sw_rt_object object;
    bool is_surface, is_bound;
    sw_texture *texture; /* owned; does not move */
    _Alignas(8) unsigned char note[SW_RT_TEXTURE_NOTE_BYTES];
} texture_object;

uint64_t sw_rt_texture_changes = 1;

static void
tell_change(void)
{
    __atomic_add_fetch(&sw_rt_texture_changes, 1, __ATOMIC_RELEASE);
}

static uint32_t
at_least_1(size_t n)
{
    return n ? (uint32_t)n : 1;
}

static uint8_t
geom_of(const sw_rt_shape *s)
{
    if (s->cubemap)
        return s->layered ? SW_GEOM_ACUBE : SW_GEOM_CUBE;
    if (s->layered)
        return s->height ? SW_GEOM_A2D : SW_GEOM_A1D;
    return s->depth ? SW_GEOM_3D : s->height ? SW_GEOM_2D : SW_GEOM_1D;
}

static void
set_format(sw_texture *t, sw_rt_format format, uint32_t channels)
{
    for (uint32_t i = 0; i < channels; i++)
        t->bits[i] = (uint8_t)(sw_rt_format_bytes(format) * 8);
    t->channel = format <= SW_RT_FORMAT_U32   ? SW_CHANNEL_UINT
                 : format <= SW_RT_FORMAT_S32 ? SW_CHANNEL_SINT
                                              : SW_CHANNEL_FLOAT;
}

static void
set_level(sw_texture *t, uint32_t i, const sw_rt_array *a)
{
    t->level[i] = (sw_texture_level){
        .address = a->addr,
        .width = (uint32_t)a->shape.width,
        .height = at_least_1(a->shape.height),
        .depth = a->shape.layered || a->shape.cubemap
                     ? 1
                     : at_least_1(a->shape.depth),
        .pitch = a->pitch,
        .slice = a->slice,
    };
}

static void
set_shape(sw_texture *t, const sw_rt_shape *s)
{
    t->geom = geom_of(s);
    t->tiled = true;
    t->layers = 1;
    if (s->layered)
        t->layers = at_least_1(s->cubemap ? s->depth / 6 : s->depth);
    set_format(t, s->format, s->channels);
}

static uint32_t
at_most(uint32_t value, uint32_t most)
{
    return value < most ? value : most;
}

/* Beyond the end the last one is meant. */
static sw_status
take_parts(sw_texture *t, const sw_rt_view *v, uint32_t faces)
{
    if (v->first_level > v->last_level || v->first_layer > v->last_layer)
        return SW_E_INVAL;
    uint32_t first_level = at_most(v->first_level, t->level_count - 1u);
    uint32_t first_layer = at_most(v->first_layer, t->layers - 1u);
    uint32_t last_level = at_most(v->last_level, t->level_count - 1u);
    t->layers = at_most(v->last_layer, t->layers - 1u) - first_layer + 1;
    t->level_count = (uint8_t)(last_level - first_level + 1);
    memmove(t->level, t->level + first_level,
            t->level_count * sizeof *t->level);
    for (uint32_t i = 0; i < t->level_count; i++)
        t->level[i].address +=
            (uint64_t)first_layer * faces * t->level[i].slice;
    return SW_OK;
}

static sw_status
take_view(sw_texture *t, const sw_rt_resource *r, const sw_rt_shape *shape)
{
    const sw_rt_view *v = &r->view;
    if (v->has_format) {
        if (sw_rt_format_bytes(v->format) * v->channels !=
            sw_rt_format_bytes(shape->format) * shape->channels)
            return SW_E_INVAL;
        memset(t->bits, 0, sizeof t->bits);
        set_format(t, v->format, v->channels);
    }
    return v->has_parts ? take_parts(t, v, shape->cubemap ? 6 : 1) : SW_OK;
}

static bool
is_possible_memory(const sw_rt_resource *r)
{
    bool channels = r->channels == 1 || r->channels == 2 || r->channels == 4;
    return r->addr && channels && (unsigned)r->format < SW_RT_FORMAT_COUNT &&
           r->width <= UINT32_MAX && r->height <= UINT32_MAX &&
           sw_sum(r->addr, sw_product(r->pitch, r->height)) < UINT64_MAX &&
           sw_rt_memory_find(r->addr, NULL);
}

sw_status
sw_rt_resource_check(const sw_rt_resource *r)
{
    bool is_good = false;
    switch (r->kind) {
    case SW_RT_RESOURCE_ARRAY:
        is_good = r->array;
        break;
    case SW_RT_RESOURCE_MIPMAP:
        is_good = r->mipmap;
        break;
    case SW_RT_RESOURCE_LINEAR:
    case SW_RT_RESOURCE_PITCH:
        is_good = is_possible_memory(r);
        break;
    default:
        break;
    }
    return is_good ? SW_OK : SW_E_INVAL;
}

/* Of a resource that has been checked. */
static sw_status
fill(sw_texture *t, const sw_rt_resource *r)
{
    memset(t, 0, sizeof *t);
    t->layers = 1;
    t->level_count = 1;
    switch (r->kind) {
    case SW_RT_RESOURCE_ARRAY:
        set_shape(t, &r->array->shape);
        set_level(t, 0, r->array);
        return take_view(t, r, &r->array->shape);
    case SW_RT_RESOURCE_MIPMAP: {
        const sw_rt_mipmap *m = r->mipmap;
        uint32_t n = m->level_count < SW_TEXTURE_LEVELS ? m->level_count
                                                        : SW_TEXTURE_LEVELS;
        set_shape(t, &m->levels[0]->shape);
        for (uint32_t i = 0; i < n; i++)
            set_level(t, i, m->levels[i]);
        t->level_count = (uint8_t)n;
        return take_view(t, r, &m->levels[0]->shape);
    }
    case SW_RT_RESOURCE_LINEAR:
    case SW_RT_RESOURCE_PITCH: {
        bool is_line = r->kind == SW_RT_RESOURCE_LINEAR;
        size_t elem = (size_t)sw_rt_format_bytes(r->format) * r->channels;
        size_t pitch = is_line ? r->width * elem : r->pitch;
        t->linear = is_line;
        t->geom = is_line ? SW_GEOM_1D : SW_GEOM_2D;
        set_format(t, r->format, r->channels);
        t->level[0] = (sw_texture_level){
            .address = r->addr,
            .width = (uint32_t)r->width,
            .height = is_line ? 1 : (uint32_t)r->height,
            .depth = 1,
            .pitch = pitch,
            .slice = pitch * (is_line ? 1 : r->height),
        };
        return SW_OK;
    }
    default:
        return SW_E_INVAL;
    }
}

static sw_status
set_sampling(sw_texture *t, const sw_rt_sampling *s, bool fraction)
{
    t->sampler = (sw_sampler){
        .filter = s->linear ? SW_FILTER_LINEAR : SW_FILTER_POINT,
        .mip_filter = s->mip_linear ? SW_FILTER_LINEAR : SW_FILTER_POINT,
        .wrap = {s->address[0], s->address[1], s->address[2]},
        .normalized = s->normalized_coords,
        .seamless = s->seamless,
        .steep = s->steep,
        .lod_bias = s->bias,
        .lod_min = s->min_level,
        .lod_max = s->max_level,
    };
    memcpy(t->sampler.border, s->border, sizeof s->border);
    bool is_int = t->channel != SW_CHANNEL_FLOAT;
    t->to_float = is_int && (fraction || !s->as_integer) && t->bits[0] < 32;
    t->srgb = s->srgb;
    if (!s->linear || !is_int || t->to_float)
        return SW_OK;
    /* Only what reads as floats can be filtered. Integers of 32 bits do not,
     * whatever was asked for; they are taken as they are (H200). */
    t->sampler.filter = SW_FILTER_POINT;
    return s->as_integer ? SW_E_INVAL : SW_OK;
}

static bool
is_fraction(const sw_rt_resource *r)
{
    const sw_rt_array *a = r->kind == SW_RT_RESOURCE_ARRAY ? r->array
                           : r->kind == SW_RT_RESOURCE_MIPMAP
                               ? r->mipmap->levels[0]
                               : NULL;
    return a && a->shape.fraction && !r->view.has_format;
}

static sw_status
describe(sw_texture *t, const sw_rt_resource *resource,
         const sw_rt_sampling *sampling)
{
    sw_texture made;
    sw_status status = sw_rt_resource_check(resource);
    if (status == SW_OK)
        status = fill(&made, resource);
    if (status == SW_OK && sampling)
        status = set_sampling(&made, sampling, is_fraction(resource));
    if (status == SW_OK)
        *t = made;
    return status;
}

static texture_object *
object_create(void)
{
    texture_object *o = sw_rt_object_new(SW_RT_TEXTURE, sizeof *o);
    o->texture = sw_alloc(sizeof *o->texture);
    return o;
}

static texture_object *
object_of(uint64_t handle)
{
    return sw_rt_object_get((const void *)(uintptr_t)handle, SW_RT_TEXTURE);
}

sw_status
sw_rt_texture_create(const sw_rt_resource *resource,
                     const sw_rt_sampling *sampling, uint64_t *handle)
{
    sw_texture t;
    sw_status status = describe(&t, resource, sampling);
    if (status != SW_OK)
        return status;
    texture_object *o = object_create();
    *o->texture = t;
    o->is_surface = !sampling;
    o->is_bound = true;
    tell_change();
    *handle = (uint64_t)(uintptr_t)o;
    return SW_OK;
}

sw_status
sw_rt_texture_destroy(uint64_t handle)
{
    texture_object *o = object_of(handle);
    if (!o)
        return SW_E_INVAL;
    sw_texture *texture = o->texture;
    sw_rt_object_free(o);
    tell_change();
    sw_free(texture);
    return SW_OK;
}

const sw_texture *
sw_rt_texture_find(uint64_t handle)
{
    const texture_object *o = object_of(handle);
    return o && o->is_bound ? o->texture : NULL;
}

void *
sw_rt_texture_note(uint64_t handle)
{
    texture_object *o = object_of(handle);
    return o ? o->note : NULL;
}

bool
sw_rt_texture_is_surface(uint64_t handle)
{
    const texture_object *o = object_of(handle);
    return o && o->is_surface;
}

/* ---- references ---- */

sw_rt_texref *
sw_rt_texref_create(sw_rt_module *module, sw_sym *sym)
{
    sw_rt_texref *ref = sw_rt_object_new(SW_RT_TEXREF, sizeof *ref);
    ref->module = module;
    ref->sym = sym;
    ref->is_surface = sym && sym->type == SW_T_SURFREF;
    ref->sampling.address[0] = SW_WRAP_CLAMP;
    ref->sampling.address[1] = SW_WRAP_CLAMP;
    ref->sampling.address[2] = SW_WRAP_CLAMP;
    ref->format = SW_RT_FORMAT_F32;
    ref->channels = 1;
    texture_object *o = object_create();
    o->is_surface = ref->is_surface;
    ref->handle = (uint64_t)(uintptr_t)o;
    if (module)
        sw_map_set(module->texrefs, sw_str_of(sym->name), ref);
    return ref;
}

void
sw_rt_texref_destroy(sw_rt_texref *ref)
{
    sw_rt_texture_destroy(ref->handle);
    sw_rt_object_free(ref);
}

sw_rt_texref *
sw_rt_texref_find(sw_rt_module *module, const char *name)
{
    return sw_map_get(module->texrefs, sw_str_of(name));
}

sw_status
sw_rt_texref_update(sw_rt_texref *ref)
{
    texture_object *o = object_of(ref->handle);
    SW_ASSERT(o);
    if (ref->resource.kind == SW_RT_RESOURCE_NONE) {
        o->is_bound = false;
        tell_change();
        return SW_OK;
    }
    sw_status status = describe(o->texture, &ref->resource,
                                ref->is_surface ? NULL : &ref->sampling);
    o->is_bound = status == SW_OK;
    tell_change();
    return status;
}
