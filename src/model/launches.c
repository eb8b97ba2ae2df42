/* SPDX-License-Identifier: Apache-2.0 */
/* launches.c - see launches.h. */
#include "model/launches.h"

#include <string.h>

enum { WARPS = 32 };

/* Of a kernel of which launches have been seen. */
typedef struct {
    const sw_fn *fn;
    double each; /* instructions of a warp */
} history;

/* What an earlier launch took. */
typedef struct {
    uint64_t digest;
    sw_times *times; /* of each machine */
} remembered;

/* What launches leave in L2, of the part that is played of one in `sample`. */
typedef struct {
    const sw_device_info *device;
    uint32_t sample;
    sw_l2 *l2;
} warm_cache;

void
sw_launches_init(sw_launches *p)
{
    *p = (sw_launches){.budget = SW_MODEL_PLAYED, .traced = SW_MODEL_TRACED};
    pthread_mutex_init(&p->lock, NULL);
    sw_vec_init(&p->histories, sizeof(history));
    sw_vec_init(&p->remembered, sizeof(remembered));
    sw_vec_init(&p->caches, sizeof(warm_cache));
}

/* ---- how much of a launch is traced ---- */

/* Instructions of a warp, before any launch: those of the code, and more if it
 * loops. */
static double
guess(const sw_fn *fn)
{
    const double loop = 16;
    double n = 0;
    bool loops = false;
    for (uint32_t b = 0; b < fn->block_count; b++) {
        n += fn->blocks[b]->count;
        for (uint32_t i = 0; i < fn->blocks[b]->target_count; i++)
            loops |= fn->blocks[b]->targets[i] <= b;
    }
    return loops ? n * loop : n;
}

static history *
find_history_locked(sw_launches *p, const sw_fn *fn)
{
    for (size_t i = 0; i < p->histories.count; i++) {
        history *h = sw_vec_at(&p->histories, i);
        if (h->fn == fn)
            return h;
    }
    history *h = sw_vec_push(&p->histories);
    *h = (history){fn, guess(fn)};
    return h;
}

sw_launched *
sw_launched_begin(sw_launches *p, const sw_watch_launch *launch,
                  const sw_observer **observer, uint32_t *sample)
{
    sw_launched *l = sw_alloc(sizeof *l);
    const uint32_t *b = launch->block;
    l->index = launch->grid_id - 1;
    l->about = (sw_seen){.fn = launch->fn,
                         .shared_bytes = launch->static_shared_bytes +
                                         launch->dynamic_shared_bytes,
                         .registers = launch->regs,
                         .sample = 1,
                         .ins_count = launch->ins_count};
    memcpy(l->about.grid, launch->grid, sizeof launch->grid);
    memcpy(l->about.block, launch->block, sizeof launch->block);
    l->about.blocks =
        (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (launch->is_sampled_ok && !p->is_exact) {
        pthread_mutex_lock(&p->lock);
        double each = find_history_locked(p, launch->fn)->each;
        pthread_mutex_unlock(&p->lock);
        l->about.sample = sw_model_sample(
            launch->device, l->about.blocks,
            (b[0] * b[1] * b[2] + WARPS - 1) / WARPS, each, p->traced);
    }
    *sample = l->about.sample;
    l->recorder = sw_recorder_create(&l->about);
    *observer = sw_recorder_observer(l->recorder);
    return l;
}

void
sw_launched_destroy(sw_launched *l)
{
    if (!l)
        return;
    sw_recorder_destroy(l->recorder);
    sw_free(l);
}

const sw_seen *
sw_launched_finish_locked(sw_launches *p, sw_launched *l)
{
    const sw_seen *seen = sw_recorder_finish(l->recorder);
    double warps = 0;
    for (size_t i = 0; i < seen->trace_count; i++)
        warps += seen->traces[i].warp_count;
    if (warps > 0)
        find_history_locked(p, seen->fn)->each = (double)seen->executed / warps;
    return seen;
}

/* ---- what it takes ---- */

static uint64_t
mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t
digest_of(const sw_seen *seen)
{
    uint64_t h = mix(seen->executed, (uint64_t)(uintptr_t)seen->fn);
    h = mix(h, (uint64_t)seen->shared_bytes << 32 | seen->sample);
    for (int i = 0; i < 3; i++)
        h = mix(h, (uint64_t)seen->grid[i] << 32 | seen->block[i]);
    for (size_t i = 0; i < seen->trace_count; i++)
        for (uint32_t w = 0; w < seen->traces[i].warp_count; w++) {
            const sw_trace_warp *warp = &seen->traces[i].warps[w];
            uint32_t k = 0;
            for (uint64_t v; k + 8 <= warp->count; k += 8) {
                memcpy(&v, warp->bytes + k, 8);
                h = mix(h, v);
            }
            for (; k < warp->count; k++)
                h = mix(h, warp->bytes[k]);
        }
    return h;
}

static sw_l2 *
find_cache_locked(sw_launches *p, const sw_machine *part, uint32_t sample)
{
    for (size_t i = 0; i < p->caches.count; i++) {
        warm_cache *c = sw_vec_at(&p->caches, i);
        if (c->device == part->device && c->sample == sample)
            return c->l2;
    }
    sw_device_info device = *part->device;
    device.l2_bytes = part->l2_size;
    warm_cache *c = sw_vec_push(&p->caches);
    *c = (warm_cache){part->device, sample, sw_l2_create(&device)};
    return c->l2;
}

const sw_times *
sw_launches_play_locked(sw_launches *p, const sw_seen *seen,
                        const sw_machine *machines, size_t count)
{
    uint64_t alone =
        mix(digest_of(seen), (uint64_t)(uintptr_t)machines->device);
    uint64_t digest = alone;
    if (p->is_warm) {
        /* What L2 holds is as the launch before has left it. */
        digest = mix(mix(p->previous, 1), alone);
        p->previous = alone;
    }
    for (size_t i = 0; i < p->remembered.count; i++) {
        const remembered *r = sw_vec_at(&p->remembered, i);
        if (r->digest == digest)
            return r->times;
    }
    sw_times *times = sw_alloc(count * sizeof *times);
    for (size_t i = 0; i < count; i++) {
        sw_machine m = machines[i];
        sw_play_options options = {.budget = p->budget};
        sw_machine_divide(&m, seen->sample);
        if (p->is_warm)
            options.l2 = find_cache_locked(p, &m, seen->sample);
        times[i] = sw_model_play(seen, &m, &options);
    }
    *(remembered *)sw_vec_push(&p->remembered) = (remembered){digest, times};
    return times;
}
