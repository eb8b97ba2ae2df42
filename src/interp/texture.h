/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture.h - fetches for all lanes of a warp at once, between texture.c, which
 * knows handles and memory, and texture_lanes.c and texture_filter.c, which are
 * compiled once for each vector extension.
 *
 * What does not change from fetch to fetch is worked out once, in a plan. It is
 * good for any thread as long as texture and sampler stay what they are, and
 * holds no pointer but that to the texture, for who logs.
 */
#ifndef SW_INTERP_TEXTURE_H
#define SW_INTERP_TEXTURE_H
#include "ir/ir.h"

struct sw_sampler;
struct sw_texture;
typedef struct sw_tex_plan sw_tex_plan;

/* What the lanes of a warp read and write of textures and surfaces, for
 * observers: the n-th texel of each. A linear filter over three dimensions and
 * two levels reads sixteen. */
enum { SW_TEXELS = 16, SW_TEX_LANES = 32 };
typedef struct {
    uint64_t addr[SW_TEXELS][SW_TEX_LANES];
    uint32_t mask[SW_TEXELS]; /* lanes that have an n-th */
    uint32_t bytes;
    const struct sw_texture *texture; /* NULL: not known */
} sw_texel_log;

/* The next texel of each lane of the mask. */
void sw_interp_log_texels(sw_texel_log *log, uint32_t mask,
                          const uint64_t addr[SW_TEX_LANES], uint32_t bytes);

/* Rows of lanes: four channels, as sw_sem_tex gives them, coordinates and the
 * layer, of which a fetch reads what its geometry has. */
enum { SW_TEX_CHANNELS = 0, SW_TEX_COORDS = 4, SW_TEX_LAYER = 7, SW_TEX_ROWS };

/* For a warp whose fetch is logged, or may reach what is not accessible. */
typedef struct {
    uint32_t mask; /* lanes that fetch; not 0 */
    /* Are these addresses accessible? False if it is not known. */
    bool (*holds)(const void *arg, uint64_t first, uint64_t last);
    const void *arg;
    sw_texel_log *log; /* or NULL; if nothing was done, unspecified */
} sw_tex_checks;

/* Fetches for `lanes` lanes, a multiple of 32; checks: only of 32, or NULL if
 * p->is_whole. Lanes that are not of the mask get anything; unless p->is_whole,
 * they need coordinates that one of it has. 0: nothing was done, but perhaps to
 * the channels: an address is not accessible, a coordinate is too far from any
 * texel, or texels are no numbers. */
typedef uint32_t sw_tex_fetch(const sw_tex_plan *p, uint32_t *rows,
                              uint32_t lanes, const sw_tex_checks *checks);

/* From coordinates to texels along an axis: numbers of texels, floats in
 * texels, or floats from 0 to 1. */
typedef enum {
    SW_PLACE_INT,
    SW_PLACE_CLAMP,
    SW_PLACE_BORDER,
    SW_PLACE_UNIT_CLAMP,
    SW_PLACE_UNIT_BORDER,
    SW_PLACE_UNIT_WRAP,
    SW_PLACE_UNIT_MIRROR
} sw_tex_place;

/* How texels become channels. */
typedef enum {
    SW_TEXELS_PLAIN, /* 32 bits: as they are */
    SW_TEXELS_UINT,
    SW_TEXELS_SINT,
    SW_TEXELS_UNORM,
    SW_TEXELS_SNORM,
    SW_TEXELS_HALF
} sw_tex_format;

/* An unformatted access of a surface: elements of 8, 16 or 32 bits, of 1, 2, 4,
 * 8 or 16 bytes together. */
typedef struct {
    uint8_t mode, bits, channels; /* mode: SW_SURF_ */
    bool is_store;
} sw_tex_surface;

/* For `lanes` lanes, a mask for each 32; channels are elements. Only by a plan
 * that is_whole. 0: nothing was done, a lane leaves the surface and traps. */
typedef uint32_t sw_tex_access(const sw_tex_plan *p, uint32_t *rows,
                               uint32_t lanes, const uint32_t *mask);

struct sw_tex_plan {
    union { /* first: compiled code looks here */
        sw_tex_fetch *fetch;
        sw_tex_access *access; /* of a surface */
    };
    const struct sw_texture *texture;
    uint64_t base, last; /* addresses of the first texel, of the last byte */
    struct {
        uint8_t place; /* sw_tex_place; of a surface the coordinate's row */
        uint32_t size; /* texels; at least 1 */
        int32_t step;  /* bytes from one to the next */
    } axis[3];
    uint32_t axes;
    int32_t layers, slice;          /* bytes from one to the next */
    uint32_t texel, channels, bits; /* bytes; bits of a channel */
    uint8_t format;                 /* sw_tex_format */
    uint8_t mode;                   /* SW_SURF_, of a surface */
    /* Bytes of a texel if channels are words that are not filtered, and its
     * places SW_PLACE_INT or SW_PLACE_CLAMP along all axes; else 0. */
    uint8_t in_place;
    bool is_whole;  /* all texels are accessible; who keeps the plan knows */
    bool is_row;    /* the second axis has one place, before its texel */
    bool may_leave; /* lanes may be outside, */
    uint32_t outside[4]; /* where channels are these: */
    int32_t border[4];   /* texels' digits, of fixed point */
};

#endif
