/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_table.c - what libcudart asks of libcuda besides the driver API. */
#include <string.h>

#include "api/cuda/api.h"
#include "front/fatbin/fatbin.h"
#include "front/ptx/ptx.h"

/* Text without the word has nothing to link: most has not, and is parsed once,
 * when it is loaded. */
static bool
leaves_open(sw_str text)
{
    if (!memmem(text.p, text.n, ".extern", 7))
        return false;
    sw_module *m = sw_ptx_parse("<program>", text.p, text.n, NULL);
    uint32_t i = 0;
    bool open = m && sw_rt_open_symbol(m, &i);
    sw_module_destroy(m);
    return open;
}

bool
sw_api_needs_link(const void *image)
{
    sw_arena *arena = sw_arena_create();
    sw_vec images;
    sw_vec_init(&images, sizeof(const sw_fatbin_entry *));
    sw_fatbin fatbin;
    bool needs = false;
    if (sw_fatbin_load(arena, image, &fatbin, NULL) == SW_OK &&
        fatbin.modules == 1 &&
        sw_fatbin_images(&fatbin, 90, &images, NULL) == SW_OK)
        for (size_t i = 0; i < images.count; i++)
            needs |= leaves_open(
                (*(const sw_fatbin_entry **)sw_vec_at(&images, i))->data);
    sw_vec_finish(&images);
    sw_arena_destroy(arena);
    return needs;
}

CUresult
sw_api_compute(CUstream stream, sw_rt_compute *compute)
{
    sw_rt_stream *s;
    TRY(sw_api_stream(stream, &s));
    sw_rt_work work = sw_rt_compute_work(compute);
    return sw_api_result(sw_api_submit(s, &work));
}

CUresult
sw_api_load_placed(CUmodule *module, const void *image,
                   const sw_api_placement *at, size_t count)
{
    sw_vec places;
    sw_vec_init(&places, sizeof(sw_rt_placement));
    for (size_t i = 0; i < count; i++)
        *(sw_rt_placement *)sw_vec_push(&places) = (sw_rt_placement){
            at[i].name, (uint64_t)(uintptr_t)at[i].host, at[i].bytes};
    sw_rt_module_place(places.data, places.count);
    CUresult status = cuModuleLoadData(module, image);
    sw_rt_module_place(NULL, 0);
    sw_vec_finish(&places);
    return status;
}

static void
initialize_from(const sw_module *m, const sw_api_placement *at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const sw_sym *s = sw_module_find(m, at[i].name);
        if (s && s->init_bytes && s->init_bytes <= at[i].bytes)
            memcpy(at[i].host, s->init, s->init_bytes);
    }
}

bool
sw_api_initialize(const void *image, const sw_api_placement *at, size_t count)
{
    sw_arena *arena = sw_arena_create();
    sw_vec images;
    sw_vec_init(&images, sizeof(const sw_fatbin_entry *));
    sw_fatbin fatbin;
    bool ok = sw_fatbin_load(arena, image, &fatbin, NULL) == SW_OK &&
              sw_fatbin_images(&fatbin, 90, &images, NULL) == SW_OK;
    for (size_t i = 0; ok && i < images.count; i++) {
        const sw_fatbin_entry *e =
            *(const sw_fatbin_entry **)sw_vec_at(&images, i);
        sw_module *m = sw_ptx_parse("<program>", e->data.p, e->data.n, NULL);
        ok = m != NULL;
        if (m)
            initialize_from(m, at, count);
        sw_module_destroy(m);
    }
    sw_vec_finish(&images);
    sw_arena_destroy(arena);
    return ok;
}
