/* SPDX-License-Identifier: Apache-2.0 */
/* sem_texture_test.c - texture fetches, filtering, addressing, surfaces. */
#include "check.h"
#include "sem/sem.h"
#include "sem/texture.h"

static uint8_t memory[4096]; /* addresses are offsets */
static unsigned reads;

static bool
read_memory(void *context, uint64_t address, void *out, unsigned bytes)
{
    (void)context;
    reads++;
    if (address + bytes > sizeof memory)
        return false;
    memcpy(out, memory + address, bytes);
    return true;
}

/* A 4 x 4 f32 texture of value 10 y + x; more levels hold 100 level. */
static sw_texture
grid(sw_geom geom)
{
    sw_texture t = {.geom = (uint8_t)geom,
                    .layers = 1,
                    .level_count = 1,
                    .bits = {32},
                    .channel = SW_CHANNEL_FLOAT};
    t.level[0] = (sw_texture_level){
        .width = 4, .height = 4, .depth = 1, .pitch = 16, .slice = 64};
    t.sampler.lod_max = 15;
    for (uint8_t i = 0; i < 3; i++)
        t.sampler.wrap[i] = SW_WRAP_CLAMP;
    for (unsigned i = 0; i < 1024; i++) {
        float v = (float)(10 * (i / 4 % 4) + i % 4 + 1000 * (i / 16));
        memcpy(memory + 4 * i, &v, 4);
    }
    return t;
}

static float
fetch(const sw_texture *t, sw_tex_coord at)
{
    uint32_t v[4] = {0};
    CHECK(sw_sem_tex(t, NULL, t->geom, &at, read_memory, NULL, v));
    return sem_f32_bits(v[0]);
}

static float
at2(const sw_texture *t, float x, float y)
{
    return fetch(t, (sw_tex_coord){.f = {x, y}});
}

#define CHECK_F(got, want) CHECK_EQ(sem_bits_f32(got), sem_bits_f32(want))

CASE(point_sampling)
{
    sw_texture t = grid(SW_GEOM_2D);
    CHECK_F(at2(&t, 1.5f, 2.5f), 21.0f);
    CHECK_F(at2(&t, 1.99f, 2.0f), 21.0f);
    CHECK_F(at2(&t, -5, 99), 30.0f);
    CHECK_F(at2(&t, NAN, 1e30f), 30.0f);
    t.sampler.normalized = true;
    CHECK_F(at2(&t, 0.3f, 0.8f), 31.0f);
    uint32_t v[4];
    sw_tex_coord at = {.f = {0.5f, 0.5f}};
    CHECK(sw_sem_tex(&t, NULL, SW_GEOM_2D, &at, read_memory, NULL, v));
    CHECK_EQ(v[1], 0);
    CHECK_EQ(v[3], 0);
    CHECK(!sw_sem_tex(&t, NULL, SW_GEOM_3D, &at, read_memory, NULL, v));
}

CASE(linear_filtering)
{
    sw_texture t = grid(SW_GEOM_2D);
    t.sampler.filter = SW_FILTER_LINEAR;
    CHECK_F(at2(&t, 1.5f, 1.5f), 11.0f);
    CHECK_F(at2(&t, 2.0f, 1.5f), 11.5f);
    CHECK_F(at2(&t, 2.0f, 2.0f), 16.5f);
    CHECK_F(at2(&t, 0, 0), 0.0f); /* the edge repeats */
    /* Weights have 8 bits: 1/1024 of a texel is not seen, 1/256 is. */
    CHECK_F(at2(&t, 1.5f + 1.0f / 1024, 0.5f), 1.0f);
    CHECK_F(at2(&t, 1.5f + 1.0f / 256, 0.5f), 1.00390625f);
    reads = 0;
    CHECK_F(at2(&t, 1.5f, 1.5f), 11.0f);
    CHECK_EQ(reads, 1); /* texels of no weight are not read */
}

CASE(addressing_modes)
{
    sw_texture t = grid(SW_GEOM_1D);
    t.sampler.normalized = true;
    t.sampler.wrap[0] = SW_WRAP_WRAP;
    CHECK_F(at2(&t, 1.125f, 0), 0.0f);
    CHECK_F(at2(&t, -0.125f, 0), 3.0f);
    t.sampler.wrap[0] = SW_WRAP_MIRROR;
    CHECK_F(at2(&t, 1.125f, 0), 3.0f);
    CHECK_F(at2(&t, -0.4f, 0), 1.0f);
    t.sampler.wrap[0] = SW_WRAP_BORDER;
    t.sampler.border[0] = 77;
    CHECK_F(at2(&t, 1.125f, 0), 77.0f);
    t.sampler.filter = SW_FILTER_LINEAR;
    CHECK_F(at2(&t, 1.0f, 0), 40.0f); /* half of 3 and half of 77 */
    t.sampler.filter = SW_FILTER_POINT;
    t.sampler.normalized = false; /* wrap needs normalised coordinates */
    t.sampler.wrap[0] = SW_WRAP_WRAP;
    CHECK_F(at2(&t, 5, 0), 3.0f);
}

CASE(linear_memory_is_zero_outside)
{
    sw_texture t = grid(SW_GEOM_1D);
    t.linear = true;
    CHECK_F(fetch(&t, (sw_tex_coord){.is_int = true, .i = {3}}), 3.0f);
    CHECK_F(fetch(&t, (sw_tex_coord){.is_int = true, .i = {4}}), 0.0f);
    CHECK_F(fetch(&t, (sw_tex_coord){.is_int = true, .i = {-1}}), 0.0f);
}

CASE(layers_and_volumes)
{
    sw_texture t = grid(SW_GEOM_A2D);
    t.layers = 3;
    CHECK_F(fetch(&t, (sw_tex_coord){.f = {1, 1}, .layer = 2}), 2011.0f);
    CHECK_F(fetch(&t, (sw_tex_coord){.f = {1, 1}, .layer = 9}), 2011.0f);
    t = grid(SW_GEOM_3D);
    t.level[0].depth = 4;
    CHECK_F(fetch(&t, (sw_tex_coord){.f = {1, 1, 3}}), 3011.0f);
    t.sampler.filter = SW_FILTER_LINEAR;
    CHECK_F(fetch(&t, (sw_tex_coord){.f = {1.5f, 1.5f, 2}}), 1511.0f);
}

CASE(cube_faces)
{
    sw_texture t = grid(SW_GEOM_CUBE);
    static const float axes[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                     {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    for (int i = 0; i < 6; i++) {
        sw_tex_coord at = {.f = {axes[i][0], axes[i][1], axes[i][2]}};
        CHECK_F(fetch(&t, at), (float)(1000 * i + 22));
    }
}

CASE(levels)
{
    sw_texture t = grid(SW_GEOM_2D);
    t.level_count = 2;
    t.level[1] = (sw_texture_level){
        .address = 64, .width = 2, .height = 2, .depth = 1, .pitch = 8};
    sw_tex_coord at = {.lod_mode = SW_TEX_LEVEL, .lod = 1};
    CHECK_F(fetch(&t, at), 1000.0f);
    at.lod = 0.25f;
    CHECK_F(fetch(&t, at), 0.0f);
    t.sampler.mip_filter = SW_FILTER_LINEAR;
    CHECK_F(fetch(&t, at), 250.0f);
    t.sampler.lod_min = 0.5f;
    CHECK_F(fetch(&t, at), 500.0f);
    at = (sw_tex_coord){.lod_mode = SW_TEX_GRAD, .ddx = {2}};
    CHECK_F(fetch(&t, at), 1000.0f);
}

/* Values of an H200, with these levels of detail and this bias. */
CASE(levels_are_cut_before_they_are_biased)
{
    static const struct {
        float lod, bias, level;
    } cases[] = {{-76 / 256.0f, 0.3f, 0},      {-75.9375f / 256, 0.3f, 1},
                 {324.9375f / 256, 0.3f, 400}, {325 / 256.0f, 0.3f, 401},
                 {436 / 256.0f, -1.7f, 1},     {0.75f / 256, 0.001f, 0}};
    sw_texture t = grid(SW_GEOM_2D);
    t.level_count = 3;
    t.sampler.mip_filter = SW_FILTER_LINEAR;
    for (unsigned i = 1; i < 3; i++)
        t.level[i] = (sw_texture_level){
            .address = 64 * i, .width = 1, .height = 1, .depth = 1, .pitch = 4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sw_tex_coord at = {.lod_mode = SW_TEX_LEVEL, .lod = cases[i].lod};
        t.sampler.lod_bias = cases[i].bias;
        CHECK_F(fetch(&t, at), cases[i].level * 1000 / 256);
    }
}

/* Levels that an H200 chose. */
CASE(levels_of_derivatives)
{
    static const struct {
        float ddx[2], ddy[2];
        uint32_t size[2];
        int32_t level; /* in units of 1/256 */
    } cases[] = {{{0.25f, 0}, {0, 0}, {64, 64}, 1024},
                 {{-0.25f, -0.25f}, {0, 0}, {64, 64}, 1134},
                 {{-0.25f, 0}, {-0.25f, 0}, {64, 64}, 1142},
                 {{0.25f, 0.25f}, {0.25f, 0}, {64, 64}, 1200},
                 {{NAN, 0}, {0.25f, 0}, {64, 64}, 1024},
                 {{2 / 4095.0f, 0}, {0, 0}, {4095, 1}, 255}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_EQ(sw_sem_texture_grad_level(cases[i].ddx, cases[i].ddy,
                                           cases[i].size),
                 cases[i].level);
}

/* Two texels of one byte: the sums that an H200 makes of them. */
CASE(signed_bytes_filtered)
{
    static const struct {
        int8_t first, second;
        unsigned weight;
        int result; /* of 32767 */
    } cases[] = {{92, -63, 1, 23580},
                 {92, -63, 2, 23424},
                 {-128, -91, 2, -32767},
                 {-128, 82, 4, -32178},
                 {-128, 127, 128, -129}};
    sw_texture t = {.geom = SW_GEOM_1D,
                    .layers = 1,
                    .level_count = 1,
                    .bits = {8},
                    .channel = SW_CHANNEL_SINT,
                    .to_float = true,
                    .sampler.filter = SW_FILTER_LINEAR};
    t.level[0] = (sw_texture_level){.width = 2, .height = 1, .depth = 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memory[0] = (uint8_t)cases[i].first;
        memory[1] = (uint8_t)cases[i].second;
        float x = 0.5f + (float)cases[i].weight / 256;
        CHECK_F(at2(&t, x, 0), (float)cases[i].result / 32767);
    }
}

/* Values of an H200: the lower neighbour's weight is cut to 0, infinity counts
 * all the same; of one that is not there it does not. */
CASE(infinity_counts_whatever_its_weight)
{
    sw_texture t = grid(SW_GEOM_2D);
    float infinity = INFINITY;
    t.sampler.filter = SW_FILTER_LINEAR;
    memcpy(memory + 4 * 5, &infinity, 4);
    CHECK_F(at2(&t, 0.5f + 1 / 256.0f, 0.5f + 1 / 256.0f), INFINITY);
    CHECK_F(at2(&t, 0.5f, 0.5f + 128 / 256.0f), 5.0f);
}

/* As an H200 has it of such texels: the lower row's weights are rounded to 0. A
 * negative number then is +0; -0 stays itself. */
CASE(a_texel_of_no_weight_is_plus_zero)
{
    static const float lower[] = {-0.618f, 3.0f, -0.0f};
    static const uint32_t result[] = {0, 0, 0x80000000};
    sw_texture t = grid(SW_GEOM_3D);
    t.level[0].depth = 2;
    t.sampler.filter = SW_FILTER_LINEAR;
    sw_tex_coord at = {
        .f = {0.5f + 116 / 256.0f, 0.5f + 1 / 256.0f, 0.5f + 213 / 256.0f}};
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t z = 0; z < 2; z++)
            for (uint32_t y = 0; y < 2; y++)
                for (uint32_t x = 0; x < 2; x++) {
                    float v = y ? lower[i] : -0.0f;
                    uint64_t to = sw_sem_texel_address(&t, 0, x, y, z);
                    memcpy(memory + to, &v, sizeof v);
                }
        CHECK_EQ(sem_bits_f32(fetch(&t, at)), result[i]);
    }
}

/* Their digits stay where one is fetched, not where it is filtered. */
CASE(halves_that_are_no_numbers)
{
    static const uint16_t texels[2] = {0x7c01, 0x7c01};
    sw_texture t = {.geom = SW_GEOM_1D,
                    .layers = 1,
                    .level_count = 1,
                    .bits = {16},
                    .channel = SW_CHANNEL_FLOAT};
    t.level[0] = (sw_texture_level){.width = 2, .height = 1, .depth = 1};
    memcpy(memory, texels, sizeof texels);
    CHECK_EQ(sem_bits_f32(at2(&t, 0.5f, 0)), 0x7f802000u);
    t.sampler.filter = SW_FILTER_LINEAR;
    CHECK_EQ(sem_bits_f32(at2(&t, 1, 0)), 0x7fffe000u);
}

CASE(formats)
{
    sw_texture t = {.bits = {8, 8, 8, 8}, .to_float = true};
    static const uint8_t bytes[4] = {0, 255, 51, 128};
    uint32_t v[4];
    uint8_t back[16];
    sw_sem_texel_unpack(&t, bytes, v);
    CHECK_F(sem_f32_bits(v[1]), 1.0f);
    CHECK_F(sem_f32_bits(v[2]), 0.2f);
    sw_sem_texel_pack(&t, v, true, back);
    CHECK(memcmp(bytes, back, 4) == 0);
    t.channel = SW_CHANNEL_SINT;
    sw_sem_texel_unpack(&t, bytes, v);
    CHECK_F(sem_f32_bits(v[3]), -1.0f);
    t.to_float = false;
    sw_sem_texel_unpack(&t, bytes, v);
    CHECK_EQ(v[1], (uint32_t)-1);
    v[0] = 1000; /* stores clamp */
    sw_sem_texel_pack(&t, v, false, back);
    CHECK_EQ(back[0], 127);
    t = (sw_texture){.bits = {16, 16}, .channel = SW_CHANNEL_FLOAT};
    static const uint8_t halves[4] = {0x00, 0x3c, 0x00, 0xc0};
    sw_sem_texel_unpack(&t, halves, v);
    CHECK_F(sem_f32_bits(v[0]), 1.0f);
    CHECK_F(sem_f32_bits(v[1]), -2.0f);
    CHECK_EQ(sw_sem_texel_bytes(&t), 4);
}

CASE(gathers)
{
    sw_texture t = grid(SW_GEOM_2D);
    sw_tex_coord at = {.f = {2, 2}};
    uint32_t v[4];
    CHECK(sw_sem_tld4(&t, NULL, SW_GEOM_2D, &at, 0, read_memory, NULL, v));
    CHECK_F(sem_f32_bits(v[0]), 21.0f);
    CHECK_F(sem_f32_bits(v[1]), 22.0f);
    CHECK_F(sem_f32_bits(v[2]), 12.0f);
    CHECK_F(sem_f32_bits(v[3]), 11.0f);
}

CASE(queries)
{
    sw_texture t = grid(SW_GEOM_2D);
    uint32_t v = 0;
    CHECK(sw_sem_txq(&t, SW_TXQ_WIDTH, 0, &v));
    CHECK_EQ(v, 4);
    CHECK(!sw_sem_txq(&t, SW_TXQ_WIDTH, 1, &v));
    CHECK(!sw_sem_txq(&t, SW_TXQ_CHANNEL_ORDER, 0, &v));
}

CASE(surfaces)
{
    sw_texture t = grid(SW_GEOM_2D);
    uint64_t p = 0;
    CHECK_EQ(sw_sem_surface_address(&t, SW_SURF_TRAP, 8, 3, 0, 8, &p),
             SW_SURFACE_IN);
    CHECK_EQ(p, 56);
    CHECK_EQ(sw_sem_surface_address(&t, SW_SURF_TRAP, 12, 3, 0, 8, &p),
             SW_SURFACE_TRAP);
    CHECK_EQ(sw_sem_surface_address(&t, SW_SURF_ZERO, -4, 0, 0, 4, &p),
             SW_SURFACE_ZERO);
    CHECK_EQ(sw_sem_surface_address(&t, SW_SURF_CLAMP, 99, -1, 7, 4, &p),
             SW_SURFACE_IN);
    CHECK_EQ(p, 12);
    CHECK_EQ(sw_sem_surface_address(&t, SW_SURF_TRAP, 3, 1, 0, 0, &p),
             SW_SURFACE_IN);
    CHECK_EQ(p, 28);
}

/* Weights have 8 bits, to nearest: 10.75 of 256 are 11, 10.25 are 10. */
CASE(weights_are_rounded_to_nearest)
{
    sw_texture t = grid(SW_GEOM_2D);
    t.sampler.filter = SW_FILTER_LINEAR;
    CHECK_F(at2(&t, 0.5f + 10.75f / 256, 0.5f), 11.0f / 256);
    CHECK_F(at2(&t, 0.5f + 10.25f / 256, 0.5f), 10.0f / 256);
}
