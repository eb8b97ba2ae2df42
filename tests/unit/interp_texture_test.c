/* SPDX-License-Identifier: Apache-2.0 */
/* interp_texture_test.c - fetches by the lanes of a warp equal those that
 * sw_sem_tex makes one by one. */
#include "check.h"
#include "interp/interp.h"
#include "sem/sem.h"
#include "sem/texture.h"

enum { WIDTH = 60 }; /* texels of a row, at most */

enum { INSIDE = 1 << 16, BEYOND = 64 };
/* Of which what lies beyond is said to be not accessible. */
static uint8_t memory[INSIDE + BEYOND] __attribute__((aligned(64)));
static uint64_t state = 1;

static uint32_t
draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

/* Where one lane has read, in order. */
typedef struct {
    uint64_t at[SW_TEXELS];
    unsigned count;
} trail;

static bool
read_memory(void *context, uint64_t address, void *out, unsigned bytes)
{
    trail *t = context;
    t->at[t->count++] = address;
    memcpy(out, (const void *)(uintptr_t)address, bytes);
    return true;
}

static bool
is_inside(const void *arg, uint64_t first, uint64_t last)
{
    uint64_t from = (uint64_t)(uintptr_t)memory;
    (void)arg;
    return first >= from && last >= first && last < from + INSIDE;
}

static bool is_wild; /* values and coordinates are of any size now and then */

static float
draw_value(void)
{
    switch (is_wild ? draw(8) : 3 + draw(5)) {
    case 0:
        return 0;
    case 1:
        return (float)draw(3000) * 0x1p-10f - 1;
    case 2:
        return sem_f32_bits((draw(1 << 16) << 16) | draw(1 << 16));
    case 3:
        return (float)draw(64) / 2 - 8;
    default:
        return (float)draw(1 << 16) * 0x1p-12f - 2;
    }
}

/* Some next to the middle of a texel, where weights are rounded to 0. */
static float
draw_coordinate(void)
{
    return draw(2) ? draw_value()
                   : (float)draw(9) + 0.5f + (float)draw(4) / 256;
}

static sw_texture
draw_texture(void)
{
    static const uint8_t geoms[] = {SW_GEOM_1D, SW_GEOM_2D, SW_GEOM_3D,
                                    SW_GEOM_A1D, SW_GEOM_A2D};
    static const uint8_t channels[] = {1, 2, 4};
    sw_texture t = {.geom = geoms[draw(5)], .layers = 1, .level_count = 1};
    unsigned bits = 8u << draw(3), n = channels[draw(3)];
    bool is_layered = t.geom == SW_GEOM_A1D || t.geom == SW_GEOM_A2D;
    bool is_row = t.geom == SW_GEOM_1D || t.geom == SW_GEOM_A1D;
    for (unsigned i = 0; i < n; i++)
        t.bits[i] = (uint8_t)bits;
    t.channel = (uint8_t)draw(bits == 8 ? 2 : 3);
    t.to_float = draw(3) != 0;
    t.srgb = draw(16) == 0 && bits == 8 && t.to_float;
    t.linear = t.geom == SW_GEOM_1D && draw(3) == 0;
    if (is_layered)
        t.layers = 1 + draw(3);
    t.level[0] =
        (sw_texture_level){.address = (uint64_t)(uintptr_t)memory,
                           .width = 1 + draw(draw(2) ? 9 : WIDTH),
                           .height = is_row ? 1 : 1 + draw(9),
                           .depth = t.geom == SW_GEOM_3D ? 1 + draw(5) : 1};
    t.level[0].pitch = 16 * WIDTH + 64;
    t.level[0].slice = 9 * t.level[0].pitch;
    t.sampler.filter = (uint8_t)draw(2);
    t.sampler.normalized = draw(2);
    for (unsigned i = 0; i < 3; i++)
        t.sampler.wrap[i] = (uint8_t)draw(4);
    for (unsigned i = 0; i < 4; i++)
        t.sampler.border[i] = draw_value();
    return t;
}

/* Of some textures nearly all texels are -0, so that sums are a zero. */
static void
fill_memory(bool is_float)
{
    bool is_empty = is_float && draw(8) == 0;
    for (unsigned i = 0; i < 45 * (16 * WIDTH + 64) / 4; i++) {
        uint32_t v = is_empty && draw(8) ? 0x80000000
                     : is_float          ? sem_bits_f32(draw_value())
                                         : draw(1 << 16) << 16 | draw(1 << 16);
        memcpy(memory + 4 * i, &v, 4);
    }
}

/* Neighbours fetch neighbours, each half of the warp in a row of its own. */
static void
draw_rows(const sw_texture *t, bool is_int, uint32_t coord[3][32])
{
    const sw_texture_level *level = &t->level[0];
    bool scaled = t->sampler.normalized;
    for (unsigned i = 0; i < 32; i++) {
        int32_t x = (int32_t)(i % 16), y = (int32_t)(i / 16) + 1;
        float at[3] = {(float)x + 0.5f, (float)y, 1};
        if (scaled) {
            at[0] /= (float)level->width;
            at[1] /= (float)level->height;
        }
        coord[0][i] = is_int ? (uint32_t)x : sem_bits_f32(at[0]);
        coord[1][i] = is_int ? (uint32_t)y : sem_bits_f32(at[1]);
        coord[2][i] = is_int ? 1 : sem_bits_f32(at[2]);
    }
}

static void
check_log(const sw_texel_log *log, unsigned lane, const trail *one)
{
    for (unsigned n = 0; n < SW_TEXELS; n++) {
        CHECK_EQ(log->mask[n] >> lane & 1, n < one->count);
        if (n < one->count)
            CHECK_EQ(log->addr[n][lane], one->at[n]);
    }
}

/* Returns 1 if the lanes' function knows this fetch. */
static unsigned
compare(const sw_lane_set *set)
{
    uint32_t rows[SW_TEX_ROWS][32], (*coord)[32] = rows + SW_TEX_COORDS;
    uint32_t *layer = rows[SW_TEX_LAYER];
    sw_texture t = draw_texture();
    bool is_int = t.linear || draw(3) == 0;
    sw_geom geom = (sw_geom)t.geom;
    sw_tex_plan plan;
    sw_texel_log log = {.bytes = 0};
    sw_tex_checks l = {.mask = draw(3) ? UINT32_MAX : 1 + draw(INT32_MAX),
                       .holds = is_inside};
    l.log = draw(2) ? &log : NULL;
    is_wild = draw(2);
    fill_memory(t.channel == SW_CHANNEL_FLOAT);
    for (unsigned i = 0; i < 32; i++) {
        for (unsigned k = 0; k < 3; k++)
            coord[k][i] =
                is_int ? draw(12) - 2 : sem_bits_f32(draw_coordinate());
        layer[i] = draw(6) - 1;
    }
    if (draw(3) == 0)
        draw_rows(&t, is_int, coord);
    if (!set->plan(&plan, &t, &t.sampler, geom, is_int))
        return 0;
    plan.is_whole = draw(2);
    if (!plan.fetch(&plan, rows[0], 32, &l))
        return 0;
    for (unsigned i = 0; i < 32; i++) {
        sw_tex_coord at = {.is_int = is_int, .layer = layer[i]};
        uint32_t want[4];
        for (unsigned k = 0; k < 3; k++) {
            at.i[k] = (int32_t)coord[k][i];
            at.f[k] = sem_f32_bits(coord[k][i]);
        }
        if (!(l.mask >> i & 1))
            continue;
        trail one = {.count = 0};
        CHECK(sw_sem_tex(&t, NULL, geom, &at, read_memory, &one, want));
        for (unsigned k = 0; k < 4; k++)
            CHECK_EQ(rows[k][i], want[k]);
        if (l.log)
            check_log(&log, i, &one);
    }
    return 1;
}

/* What this machine has, the best one in place of others. */
enum { SETS = 3 };
static void
list_sets(const sw_lane_set *sets[SETS])
{
    for (unsigned i = 0; i < SETS; i++)
        sets[i] = sw_interp_lanes();
#ifdef __x86_64__
    sets[0] = &sw_lanes_v2;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        sets[1] = &sw_lanes_v3;
#endif
}

CASE(lanes_fetch_as_one_does)
{
    enum { FETCHES = 30000 };
    const sw_lane_set *sets[SETS];
    unsigned known = 0;
    list_sets(sets);
    for (unsigned i = 0; i < FETCHES; i++)
        known += compare(sets[i % SETS]);
    CHECK(known > FETCHES / 2);
}

CASE(no_fetch_where_memory_is_not_accessible)
{
    uint32_t rows[SW_TEX_ROWS][32] = {{0}}, *coord = rows[SW_TEX_COORDS];
    sw_texture t = {.geom = SW_GEOM_1D,
                    .layers = 1,
                    .level_count = 1,
                    .bits = {32},
                    .channel = SW_CHANNEL_FLOAT};
    t.level[0] = (sw_texture_level){
        .address = (uint64_t)(uintptr_t)(memory + INSIDE - 8),
        .width = 4,
        .height = 1,
        .depth = 1};
    t.linear = true;
    sw_tex_plan plan;
    sw_tex_checks l = {.mask = 3, .holds = is_inside};
    CHECK(sw_interp_lanes()->plan(&plan, &t, &t.sampler, SW_GEOM_1D, true));
    CHECK(!plan.is_whole);
    CHECK(plan.fetch(&plan, rows[0], 32, &l));
    coord[1] = 2;
    CHECK(!plan.fetch(&plan, rows[0], 32, &l));
    plan.is_whole = true;
    CHECK(plan.fetch(&plan, rows[0], 32, NULL));
}

/* ---- surfaces ---- */

static sw_texture
draw_surface(void)
{
    static const uint8_t geoms[] = {SW_GEOM_1D, SW_GEOM_2D, SW_GEOM_3D,
                                    SW_GEOM_A1D, SW_GEOM_A2D};
    sw_texture t = draw_texture();
    t.geom = geoms[draw(5)];
    t.level[0].height = 1 + draw(9);
    t.level[0].depth = t.geom == SW_GEOM_3D ? 1 + draw(4) : 1;
    t.layers = t.geom == SW_GEOM_A1D || t.geom == SW_GEOM_A2D ? 1 + draw(4) : 1;
    return t;
}

static void
draw_places(const sw_texture *t, unsigned unit, uint32_t rows[][32])
{
    uint32_t bytes = t->level[0].width * sw_sem_texel_bytes(t);
    bool is_row = draw(2), leaves = draw(2);
    for (unsigned i = 0; i < 32; i++) {
        for (unsigned k = SW_TEX_COORDS; k < SW_TEX_ROWS; k++)
            rows[k][i] = is_row ? 0 : draw(5) - (leaves ? 1 : 0);
        rows[SW_TEX_COORDS][i] =
            is_row ? i % 8 * unit : draw(bytes / unit + leaves) * unit;
    }
}

/* What a lane's access is in sem: its address, 0 for none. */
static uint64_t
place_of(const sw_texture *t, unsigned mode, unsigned unit, uint32_t rows[][32],
         unsigned i, bool *traps)
{
    bool is_row = t->geom == SW_GEOM_1D || t->geom == SW_GEOM_A1D;
    bool is_layered = t->geom == SW_GEOM_A1D || t->geom == SW_GEOM_A2D;
    const uint32_t(*c)[32] = (const uint32_t(*)[32])(rows + SW_TEX_COORDS);
    uint32_t z = is_layered              ? rows[SW_TEX_LAYER][i]
                 : t->geom == SW_GEOM_3D ? c[2][i]
                                         : 0;
    uint64_t at = 0;
    sw_surface_result r = sw_sem_surface_address(t, mode, (int32_t)c[0][i],
                                                 is_row ? 0 : (int32_t)c[1][i],
                                                 (int32_t)z, unit, &at);
    *traps |= r == SW_SURFACE_TRAP;
    return r == SW_SURFACE_IN ? at : 0;
}

static uint32_t
element_at(uint64_t at, unsigned k, unsigned bytes)
{
    uint32_t v = 0;
    if (at)
        memcpy(&v, (const void *)(uintptr_t)(at + (uint64_t)k * bytes), bytes);
    return v;
}

static unsigned
compare_surface(const sw_lane_set *set)
{
    static uint8_t before[sizeof memory], want[sizeof memory];
    uint32_t rows[SW_TEX_ROWS][32], given[SW_TEX_ROWS][32];
    uint32_t mask = draw(2) ? UINT32_MAX : 1 + draw(INT32_MAX);
    sw_tex_surface how = {(uint8_t)draw(3), (uint8_t)(8 << draw(3)),
                          (uint8_t)(1 << draw(3)), draw(2)};
    unsigned bytes = how.bits / 8, unit = bytes * how.channels;
    sw_texture t = draw_surface();
    sw_tex_plan plan;
    bool traps = false;
    fill_memory(false);
    if (!set->surface(&plan, &t, (sw_geom)t.geom, &how))
        return 0;
    plan.is_whole = true;
    draw_places(&t, unit, rows);
    for (unsigned k = 0; k < SW_TEX_COORDS; k++)
        for (unsigned i = 0; i < 32; i++)
            rows[k][i] = draw(1 << 16) << 16 | draw(1 << 16);
    memcpy(given, rows, sizeof given);
    memcpy(before, memory, sizeof before);
    memcpy(want, memory, sizeof want);
    for (unsigned i = 0; i < 32; i++) {
        if (!(mask >> i & 1))
            continue;
        uint64_t at = place_of(&t, how.mode, unit, given, i, &traps);
        for (unsigned k = 0; how.is_store && at && k < how.channels; k++)
            memcpy(want + (at - (uint64_t)(uintptr_t)memory) + k * bytes,
                   &given[k][i], bytes);
    }
    CHECK_EQ(plan.access(&plan, rows[0], 32, &mask), !traps);
    CHECK(!memcmp(memory, traps ? before : want, sizeof memory));
    for (unsigned i = 0; i < 32 && !how.is_store && !traps; i++) {
        if (!(mask >> i & 1))
            continue;
        uint64_t at = place_of(&t, how.mode, unit, given, i, &traps);
        for (unsigned k = 0; k < how.channels; k++)
            CHECK_EQ(rows[k][i], element_at(at, k, bytes));
    }
    return !traps;
}

CASE(lanes_access_surfaces_as_one_does)
{
    enum { ACCESSES = 20000 };
    const sw_lane_set *sets[SETS];
    unsigned done = 0;
    list_sets(sets);
    for (unsigned i = 0; i < ACCESSES; i++)
        done += compare_surface(sets[i % SETS]);
    CHECK(done > ACCESSES / 3);
}
