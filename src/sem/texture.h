/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture.h - textures and surfaces: what a fetch returns and which bytes it
 * touches.
 *
 * A descriptor says where texels lie (rows of `pitch` bytes, slices of `slice`
 * bytes) and how they are read; it owns nothing and is never changed here.
 * Memory is read through the caller's function, so that engines check and
 * observe every address. Filtering is that of the CUDA programming guide,
 * "Texture Fetching": weights in fixed point with 8 bits of fraction. No
 * state; any thread. Does NOT allocate, know handles, or do anisotropic
 * filtering or multisampling.
 */
#ifndef SW_SEM_TEXTURE_H
#define SW_SEM_TEXTURE_H
#include "ir/ir.h"
#include "sem/sem.h"

enum { SW_TEXTURE_LEVELS = 16 };

typedef enum { SW_FILTER_POINT, SW_FILTER_LINEAR } sw_filter;
typedef enum {
    SW_WRAP_WRAP, /* numbered as CUaddress_mode */
    SW_WRAP_CLAMP,
    SW_WRAP_MIRROR,
    SW_WRAP_BORDER
} sw_wrap;
typedef enum { SW_CHANNEL_UINT, SW_CHANNEL_SINT, SW_CHANNEL_FLOAT } sw_channel;

typedef struct sw_sampler {
    uint8_t filter; /* sw_filter */
    uint8_t mip_filter;
    uint8_t wrap[3]; /* sw_wrap; wrap and mirror act on normalised
                        coordinates only and clamp otherwise */
    bool normalized; /* float coordinates run from 0 to 1 */
    bool seamless;   /* cubes: filters across the edges of faces, where else
                        wrap applies to each face */
    uint8_t steep;   /* 0, or 6 to 8 quarters: how steeply levels blend, in the
                        middle of the way between them only, as devices have
                        it for anisotropic textures */
    float border[4]; /* as floats, also for integer formats */
    float lod_bias, lod_min, lod_max;
} sw_sampler;

typedef struct {
    uint64_t address;
    uint32_t width, height, depth; /* texels; 1 where there is no extent */
    uint64_t pitch, slice;         /* bytes from row to row, z (or layer, or
                                      face) to z */
} sw_texture_level;

typedef struct sw_texture {
    bool linear;     /* plain memory: integer coordinates, outside reads 0 */
    uint8_t geom;    /* sw_geom: 1d, 2d, 3d, a1d, a2d, cube, acube */
    uint32_t layers; /* cubes: layers of six faces; at least 1 */
    uint8_t level_count;
    sw_texture_level level[SW_TEXTURE_LEVELS];
    uint8_t bits[4]; /* of the channels; 0: absent. 8, 16 or 32, all equal */
    uint8_t channel; /* sw_channel */
    bool to_float;   /* integers of 8 and 16 bits read as [0, 1], [-1, 1] */
    bool srgb;       /* with to_float: first three channels decoded */
    bool tiled;      /* an array: devices do not lay its rows in a row */
    sw_sampler sampler;
} sw_texture;

/* One lane's coordinates. */
typedef struct {
    bool is_int;
    int32_t i[3];
    float f[3];
    uint32_t layer;       /* a1d, a2d, acube */
    uint8_t lod_mode;     /* SW_TEX_BASE, LEVEL or GRAD */
    float lod;            /* LEVEL; with is_int the level itself */
    float ddx[3], ddy[3]; /* GRAD */
} sw_tex_coord;

/* Reads `bytes` bytes at `address`; false makes the texel zero. */
typedef bool (*sw_texel_read)(void *context, uint64_t address, void *out,
                              unsigned bytes);

unsigned sw_sem_texel_bytes(const sw_texture *t);

/* The address of texel (x, y, z) of a level, z counting slices (layers,
 * faces). The coordinates are in range. */
uint64_t sw_sem_texel_address(const sw_texture *t, unsigned level, uint32_t x,
                              uint32_t y, uint32_t z);

/*
 * tex: four channels as 32-bit values, floats or integers by the format;
 * absent channels are 0. sampler NULL: the texture's own. False if
 * geom is not the texture's.
 */
bool sw_sem_tex(const sw_texture *t, const sw_sampler *sampler, sw_geom geom,
                const sw_tex_coord *at, sw_texel_read read, void *context,
                uint32_t out[4]);

/* tld4: channel `component` of the footprint (i0, j1), (i1, j1), (i1, j0),
 * (i0, j0); 2d, a2d and cubes. */
bool sw_sem_tld4(const sw_texture *t, const sw_sampler *sampler, sw_geom geom,
                 const sw_tex_coord *at, unsigned component, sw_texel_read read,
                 void *context, uint32_t out[4]);

/* The parts of a fetch, for engines that fetch for many lanes: texel i of
 * `size` by a sw_wrap, -1 for the border; the border's channels. */
int64_t sw_sem_texture_index(int64_t i, uint32_t size, unsigned wrap);
void sw_sem_border_texel(const sw_texture *t, const sw_sampler *sampler,
                         uint32_t out[4]);

/* log2 of how many texels apart the fetches of neighbours are, in units of
 * 1/256, from the derivatives of coordinates 0 to 1 (less than -2^18 if all are
 * 0). size: of level 0 (1 for coordinates in texels), at most 2^18. */
int32_t sw_sem_texture_grad_level(const float ddx[2], const float ddy[2],
                                  const uint32_t size[2]);

/* An f16 texel as f32: of NaN, too, the digits stay. */
static inline uint32_t
sem_texture_half(uint16_t h)
{
    uint32_t nan =
        (uint32_t)(h & 0x8000) << 16 | 0x7f800000 | (uint32_t)(h & 0x3ff) << 13;
    return (h & 0x7fff) > 0x7c00 ? nan : sem_bits_f32(sem_f32_of_f16(h));
}

/* A texel that is filtered: subnormal f32 is 0. */
static inline double
sem_texture_float(uint32_t bits)
{
    return (double)sem_f32_bits(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

/* What texels that are floats are multiplied with before they are cut to whole
 * numbers and filtered; exponents: the largest exponent field of those that
 * have weight, in place. half: f16. */
static inline double
sem_texture_unit(uint32_t exponents, bool half)
{
    uint64_t e = exponents >> 23;
    e = e ? e : 1;
    uint64_t digits = half ? 14 : 27;
    return sem_f64_bits((1023 + 127 + digits - e) << 52);
}

/* Of the sums of several slices, each 256 times what it is, that are floats:
 * their digits from 1 / this on are kept, of negative ones towards minus
 * infinity, and then they are added. Aligned to four binary digits, as an H200
 * was seen to do in 2,000,000 sums; the sum of one slice has no more digits. */
static inline double
sem_texture_grid(uint32_t exponents, bool half)
{
    uint64_t digits = half ? 14 : 27, group = exponents >> 25 << 2;
    return sem_f64_bits((1023 + 127 + digits - group) << 52);
}

/* txq and suq. False if the query (SW_TXQ_) has no answer here. */
bool sw_sem_txq(const sw_texture *t, unsigned query, unsigned level,
                uint32_t *out);

typedef enum {
    SW_SURFACE_IN,   /* access the address */
    SW_SURFACE_ZERO, /* loads give 0, stores do nothing */
    SW_SURFACE_TRAP
} sw_surface_result;

/* suld, sust and sured: x in bytes for unformatted access (a multiple of
 * `bytes`, the size of the access), in texels for formatted (bytes = 0); y
 * rows, z slices or layer. mode: SW_SURF_. */
sw_surface_result sw_sem_surface_address(const sw_texture *t, unsigned mode,
                                         int32_t x, int32_t y, int32_t z,
                                         unsigned bytes, uint64_t *address);

/* Between a texel's bytes and four 32-bit channels: suld.p, sust.p. Stores
 * clamp integers; float_values: the channels are floats, also for integer
 * formats that are to_float. */
void sw_sem_texel_unpack(const sw_texture *t, const uint8_t *bytes,
                         uint32_t out[4]);
void sw_sem_texel_pack(const sw_texture *t, const uint32_t in[4],
                       bool float_values, uint8_t *bytes);

#endif
