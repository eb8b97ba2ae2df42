/* SPDX-License-Identifier: Apache-2.0 */
/* wave.c - see wave.h. */
#include "watch/wave.h"

#include <pthread.h>

/* Accesses that wait at most, together: a bound on memory. */
enum { WAITING_MOST = 1 << 22 };

/* A block whose requests wait. */
typedef struct {
    uint64_t block;
    sw_vec all;  /* sw_l2_access */
    size_t done; /* of these */
    bool has_ended;
} entry;

struct sw_wave {
    pthread_mutex_t lock;
    sw_l2 *l2;
    uint32_t blocks, sm_count;
    sw_vec entries; /* entry; the first `used` are in use */
    uint32_t used, ended;
    uint64_t waiting; /* accesses */
};

sw_wave *
sw_wave_create(sw_l2 *l2, uint32_t blocks, uint32_t sm_count)
{
    sw_wave *w = sw_alloc(sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    w->l2 = l2;
    w->blocks = blocks;
    w->sm_count = sm_count;
    sw_vec_init(&w->entries, sizeof(entry));
    return w;
}

void
sw_wave_destroy(sw_wave *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->entries.count; i++)
        sw_vec_finish(&((entry *)sw_vec_at(&w->entries, i))->all);
    sw_vec_finish(&w->entries);
    pthread_mutex_destroy(&w->lock);
    sw_free(w);
}

/* The block's next request. */
static void
run_request(sw_wave *w, entry *e)
{
    const sw_l2_access *all = e->all.data;
    size_t n = 1;
    while (e->done + n < e->all.count && !all[e->done + n - 1].last)
        n++;
    sw_l2_run(w->l2, (uint32_t)(e->block % w->sm_count), all + e->done, n);
    e->done += n;
}

/* All that waits, a request of each block at a time. Blocks that have ended
 * make room for others. */
static void
run_locked(sw_wave *w)
{
    entry *all = w->entries.data;
    for (bool any = true; any;) {
        any = false;
        for (uint32_t i = 0; i < w->used; i++)
            if (all[i].done < all[i].all.count) {
                run_request(w, &all[i]);
                any = true;
            }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->used; i++) {
        sw_vec_clear(&all[i].all);
        all[i].done = 0;
        if (all[i].has_ended)
            continue;
        entry swap = all[kept];
        all[kept++] = all[i];
        all[i] = swap;
    }
    w->used = kept;
    w->ended = 0;
    w->waiting = 0;
}

static entry *
entry_of_locked(sw_wave *w, uint64_t block)
{
    for (uint32_t i = w->used; i-- > 0;) {
        entry *e = sw_vec_at(&w->entries, i);
        if (e->block == block && !e->has_ended)
            return e;
    }
    if (w->used == w->entries.count)
        sw_vec_init(&((entry *)sw_vec_push(&w->entries))->all,
                    sizeof(sw_l2_access));
    entry *e = sw_vec_at(&w->entries, w->used++);
    e->block = block;
    e->has_ended = false;
    return e;
}

void
sw_wave_add(sw_wave *w, uint64_t block, const sw_l2_access *list, size_t count,
            bool ends)
{
    pthread_mutex_lock(&w->lock);
    entry *e = entry_of_locked(w, block);
    for (size_t i = 0; i < count; i++)
        *(sw_l2_access *)sw_vec_push(&e->all) = list[i];
    e->has_ended = ends;
    w->ended += ends;
    w->waiting += count;
    if (w->ended >= w->blocks || w->waiting >= WAITING_MOST)
        run_locked(w);
    pthread_mutex_unlock(&w->lock);
}

void
sw_wave_finish(sw_wave *w)
{
    pthread_mutex_lock(&w->lock);
    run_locked(w);
    pthread_mutex_unlock(&w->lock);
}
