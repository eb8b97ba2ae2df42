/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - the lines of the source at which warps spend their time; see
 * model.h. */
#include <stdlib.h>

#include "model/play.h"

typedef struct {
    uint32_t file, line;
    double stalls[SW_STALL_COUNT], all;
} place;

static place *
find_place(sw_vec *places, const sw_loc *loc)
{
    for (size_t i = 0; i < places->count; i++) {
        place *at = sw_vec_at(places, i);
        if (at->file == loc->file && at->line == loc->line)
            return at;
    }
    place *at = sw_vec_push(places);
    *at = (place){.file = loc->file, .line = loc->line};
    return at;
}

static void
add_region(sw_vec *places, const sw_module *m, const sw_ins *ins,
           const double *stalls)
{
    if (!ins->loc || ins->loc >= m->loc_count ||
        m->locs[ins->loc].file >= m->file_count)
        return;
    place *at = find_place(places, &m->locs[ins->loc]);
    for (int i = 0; i < SW_STALL_COUNT; i++) {
        at->stalls[i] += stalls[i];
        at->all += stalls[i];
    }
}

static int
compare_places(const void *a, const void *b)
{
    double p = ((const place *)a)->all, q = ((const place *)b)->all;
    return (p < q) - (p > q);
}

static sw_line_time
line_of(const sw_module *m, const place *at, double all)
{
    sw_line_time line = {
        .file = m->files[at->file], .line = at->line, .share = at->all / all};
    for (int i = 0; i < SW_STALL_COUNT; i++) {
        line.stalls[i] = at->stalls[i] / all;
        if (at->stalls[i] > at->stalls[line.stall])
            line.stall = (sw_stall)i;
    }
    return line;
}

/* Regions are numbered by block and place. */
void
sw_play_find_lines(const sw_player *p, sw_times *out)
{
    const sw_module *m = p->seen->fn->module;
    const double *stalls = p->region_stalls;
    double all = 0;
    sw_vec places;
    sw_vec_init(&places, sizeof(place));
    for (int i = 0; i < SW_STALL_COUNT; i++)
        all += p->stalls[i];
    for (size_t b = 0; b < p->code->blocks.count; b++) {
        const sw_play_block *block = sw_vec_at(&p->code->blocks, b);
        for (uint32_t i = 0; i < block->block->count; i++) {
            if (block->fn->module == m)
                add_region(&places, m, block->block->ins[i], stalls);
            stalls += SW_STALL_COUNT;
        }
    }
    if (places.count)
        qsort(places.data, places.count, sizeof(place), compare_places);
    for (size_t i = 0; i < places.count && i < SW_LINES_MOST && all > 0; i++)
        out->lines[out->line_count++] = line_of(m, sw_vec_at(&places, i), all);
    sw_vec_finish(&places);
}
