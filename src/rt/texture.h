/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture.h - texture and surface objects and references: what a handle that
 * a kernel fetches through stands for.
 *
 * A reference belongs to a module's symbol and owns one object, whose handle
 * never changes; binding changes what the object shows, at once. Any thread
 * may look a handle up; binding while a kernel fetches through the reference
 * is the program's mistake, as on a device.
 */
#ifndef SW_RT_TEXTURE_H
#define SW_RT_TEXTURE_H
#include "rt/memory.h"
#include "sem/texture.h"

typedef enum {
    SW_RT_RESOURCE_NONE,
    SW_RT_RESOURCE_ARRAY,
    SW_RT_RESOURCE_MIPMAP,
    SW_RT_RESOURCE_LINEAR, /* width elements */
    SW_RT_RESOURCE_PITCH
} sw_rt_resource_kind;

/* A part of an array, or its elements taken for others of the same size. Level
 * and layer 0 are the first ones then. */
typedef struct {
    bool has_format, has_parts;
    sw_rt_format format;
    uint32_t channels;
    uint32_t first_level, last_level, first_layer, last_layer;
} sw_rt_view;

typedef struct {
    sw_rt_resource_kind kind;
    sw_rt_view view; /* of ARRAY and MIPMAP */
    sw_rt_array *array;
    sw_rt_mipmap *mipmap;
    uint64_t addr;
    sw_rt_format format;
    uint32_t channels;
    size_t width, height, pitch;
} sw_rt_resource;

typedef struct {
    uint8_t address[3]; /* 0 wrap, 1 clamp, 2 mirror, 3 border */
    bool linear, mip_linear;
    bool normalized_coords;
    bool seamless; /* both as sw_sampler has them */
    uint8_t steep;
    bool as_integer; /* else 8 and 16 bit integers read as [0, 1], [-1, 1] */
    bool srgb;
    float bias, min_level, max_level;
    float border[4];
} sw_rt_sampling;

/* sampling NULL: a surface. SW_E_INVAL if they do not go together. */
sw_status sw_rt_texture_create(const sw_rt_resource *resource,
                               const sw_rt_sampling *sampling,
                               uint64_t *handle);
sw_status sw_rt_texture_destroy(uint64_t handle); /* SW_E_INVAL */
/* NULL if the handle is no live object. */
const sw_texture *sw_rt_texture_find(uint64_t handle);
/* Grows from 1; see sw_env. */
extern uint64_t sw_rt_texture_changes;
/* Room for the API's own descriptors of it; NULL as above. */
enum { SW_RT_TEXTURE_NOTE_BYTES = 400 };
void *sw_rt_texture_note(uint64_t handle);
bool sw_rt_texture_is_surface(uint64_t handle);

typedef struct {
    sw_rt_object object;
    sw_rt_module *module;
    sw_sym *sym;
    bool is_surface;
    uint64_t handle;
    sw_rt_resource resource;
    sw_rt_sampling sampling;
    sw_rt_format format; /* as set, for linear memory */
    uint32_t channels;
    uint32_t api_flags, anisotropy;
} sw_rt_texref;

/* SW_E_INVAL: no texture or surface can be that. All that becomes one, by an
 * object or a reference, is checked here; a device's limits are the API's. */
sw_status sw_rt_resource_check(const sw_rt_resource *resource);

/* Of a symbol of an opaque type of a module, whose address is the handle; or of
 * nobody (NULL, NULL). */
sw_rt_texref *sw_rt_texref_create(sw_rt_module *module, sw_sym *sym);
void sw_rt_texref_destroy(sw_rt_texref *ref);
/* The module's reference, or NULL. */
sw_rt_texref *sw_rt_texref_find(sw_rt_module *module, const char *name);
/* Shows what resource and sampling say now; NONE: nothing. SW_E_INVAL. */
sw_status sw_rt_texref_update(sw_rt_texref *ref);

#endif
