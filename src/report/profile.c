/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - see profile.h. */
#include "report/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"

/* While files are read: what belongs to launches that come later. */
typedef struct {
    uint32_t process;
    sw_record_counts r;
} counts_entry;

typedef struct {
    uint32_t process;
    sw_record_row r;
} row_entry;

void
sw_profile_init(sw_profile *p)
{
    *p = (sw_profile){.arena = sw_arena_create()};
    sw_vec_init(&p->processes, sizeof(sw_profile_process));
    sw_vec_init(&p->calls, sizeof(sw_profile_call));
    sw_vec_init(&p->launches, sizeof(sw_profile_launch));
    sw_vec_init(&p->copies, sizeof(sw_profile_copy));
    sw_vec_init(&p->fills, sizeof(sw_profile_fill));
    sw_vec_init(&p->groups, sizeof(sw_profile_group));
    sw_vec_init(&p->sources, sizeof(sw_profile_source));
    sw_vec_init(&p->unjoined_counts, sizeof(counts_entry));
    sw_vec_init(&p->unjoined_rows, sizeof(row_entry));
}

void
sw_profile_finish(sw_profile *p)
{
    SW_PROFILE_EACH (sw_profile_group, g, &p->groups)
        sw_vec_finish(&g->rows);
    sw_vec *all[] = {&p->processes, &p->calls,           &p->launches,
                     &p->copies,    &p->fills,           &p->groups,
                     &p->sources,   &p->unjoined_counts, &p->unjoined_rows};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sw_vec_finish(all[i]);
    sw_arena_destroy(p->arena);
}

/* ---- names ---- */

const char *
sw_profile_demangle(sw_arena *arena, const char *name)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_demangle(name, &text);
    const char *out = sw_arena_str(arena, (sw_str){text.p, text.n});
    sw_buf_finish(&text);
    return out;
}

/* Template arguments that a short name shows: bytes at most. */
enum { MOST_ARGUMENTS = 24 };

const char *
sw_profile_short_name(sw_arena *arena, const char *name)
{
    /* The last word outside of <> before the parameters. */
    size_t begin = 0, end = strlen(name), open = 0;
    int depth = 0;
    for (size_t i = 0; name[i]; i++) {
        char c = name[i];
        if (c == '<' && depth++ == 0 && end == strlen(name))
            open = end = i;
        else if (c == '>' && --depth == 0 && end == open &&
                 i - open <= MOST_ARGUMENTS)
            end = i + 1;
        else if (c == '>')
            continue;
        else if (!depth && c == '(' && i > begin &&
                 strncmp(name + i, "(anonymous", 10) != 0) {
            if (end > i)
                end = i;
            break;
        } else if (!depth && (c == ' ' || c == ':')) {
            begin = i + 1;
            end = strlen(name);
        }
    }
    return end > begin
               ? sw_arena_str(arena, (sw_str){name + begin, end - begin})
               : name;
}

/* ---- reading ---- */

/* ORDER: it stands behind its launch. */
static void
add_time(sw_profile *p, uint32_t process, const sw_record_time *time)
{
    sw_profile_launch *l = p->launches.count
                               ? sw_vec_at(&p->launches, p->launches.count - 1)
                               : NULL;
    if (!l || l->process != process || l->r.launch != time->launch)
        return;
    sw_record_time *kept = sw_arena_alloc(p->arena, sizeof *kept);
    *kept = *time;
    l->time = kept;
}

static void
add(sw_profile *p, uint32_t process, sw_record_kind kind, const sw_record *r)
{
    sw_profile_process *at = sw_vec_at(&p->processes, process);
    switch (kind) {
    case SW_RECORD_KIND_DEVICE:
        if (r->device.ordinal < SW_PROFILE_DEVICES)
            at->devices[r->device.ordinal] = r->device.name;
        break;
    case SW_RECORD_KIND_CALL:
        *(sw_profile_call *)sw_vec_push(&p->calls) =
            (sw_profile_call){process, r->call};
        break;
    case SW_RECORD_KIND_LAUNCH:
        *(sw_profile_launch *)sw_vec_push(&p->launches) =
            (sw_profile_launch){.process = process, .r = r->launch};
        break;
    case SW_RECORD_KIND_COPY:
        *(sw_profile_copy *)sw_vec_push(&p->copies) =
            (sw_profile_copy){process, r->copy};
        break;
    case SW_RECORD_KIND_FILL:
        *(sw_profile_fill *)sw_vec_push(&p->fills) =
            (sw_profile_fill){process, r->fill};
        break;
    case SW_RECORD_KIND_SOURCE:
        *(sw_profile_source *)sw_vec_push(&p->sources) =
            (sw_profile_source){process, r->source};
        break;
    case SW_RECORD_KIND_COUNTS:
        *(counts_entry *)sw_vec_push(&p->unjoined_counts) =
            (counts_entry){process, r->counts};
        break;
    case SW_RECORD_KIND_TIME:
        add_time(p, process, &r->time);
        break;
    case SW_RECORD_KIND_ROW:
        *(row_entry *)sw_vec_push(&p->unjoined_rows) =
            (row_entry){process, r->row};
        break;
    default:
        break;
    }
}

sw_status
sw_profile_read(sw_profile *p, const char *path, sw_diag *diag)
{
    char *text;
    size_t bytes, first = strlen(SW_RECORD_FIRST_LINE);
    sw_status status = sw_file_read(path, &text, &bytes);
    if (status != SW_OK) {
        sw_diag_add(diag, SW_DIAG_ERROR, path, 0, 0, "cannot be read");
        return status;
    }
    const char *name = sw_arena_str(p->arena, sw_str_of(path));
    bytes = strnlen(text, bytes); /* zeros: the writer was killed */
    if (bytes < first || memcmp(text, SW_RECORD_FIRST_LINE, first) != 0) {
        sw_diag_add(diag, SW_DIAG_ERROR, name, 1, 0,
                    "this is no profile of this version of softwarp");
        sw_free(text);
        return SW_E_INVAL;
    }
    uint32_t number = 2, process = UINT32_MAX;
    const char *at = text + first, *end = text + bytes, *next;
    for (; (next = memchr(at, '\n', (size_t)(end - at))); at = next + 1) {
        sw_record_kind kind;
        sw_record record;
        bool good = sw_record_parse((sw_str){at, (size_t)(next - at)}, p->arena,
                                    &kind, &record);
        if (good && kind == SW_RECORD_KIND_PROCESS) {
            *(sw_profile_process *)sw_vec_push(&p->processes) =
                (sw_profile_process){.r = record.process};
            process = (uint32_t)p->processes.count - 1;
        } else if (good && process != UINT32_MAX) {
            add(p, process, kind, &record);
        } else {
            sw_diag_add(diag, SW_DIAG_ERROR, name, number, 0,
                        "this line is no record; what follows is left out");
            status = SW_E_INVAL;
            break;
        }
        number++;
    }
    sw_free(text);
    return status;
}

/* ---- joining ---- */

static int
compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Every record of an operation begins with the same fields. */
#define COMPARE(type)                                                          \
    static int compare_##type(const void *a, const void *b)                    \
    {                                                                          \
        return compare_u64(((const sw_profile_##type *)a)->r.begin_ns,         \
                           ((const sw_profile_##type *)b)->r.begin_ns);        \
    }
COMPARE(call)
COMPARE(launch)
COMPARE(copy)
COMPARE(fill)

static int
compare_rows(const void *a, const void *b)
{
    return compare_u64(((const sw_record_row *)a)->index,
                       ((const sw_record_row *)b)->index);
}

static int
compare_groups(const void *a, const void *b)
{
    const sw_profile_group *x = a, *y = b;
    return x->total_ns != y->total_ns ? compare_u64(y->total_ns, x->total_ns)
                                      : compare_u64(x->first, y->first);
}

static void
sort(sw_vec *vec, int (*compare)(const void *a, const void *b))
{
    if (vec->count)
        qsort(vec->data, vec->count, vec->elem_bytes, compare);
}

const char *
sw_profile_device(const sw_profile *p, uint32_t process, uint32_t ordinal)
{
    const sw_profile_process *at = sw_vec_at(&p->processes, process);
    return ordinal < SW_PROFILE_DEVICES ? at->devices[ordinal] : NULL;
}

const sw_profile_launch *
sw_profile_first(const sw_profile *p, const sw_profile_group *g)
{
    return sw_vec_at(&p->launches, g->first);
}

bool
sw_profile_is_on_device_clock(const sw_profile *p)
{
    SW_PROFILE_EACH (const sw_profile_process, process, &p->processes)
        if (!process->r.on_device_clock)
            return false;
    return p->processes.count != 0;
}

const sw_profile_launch *
sw_profile_longest(const sw_profile *p, const sw_profile_group *g)
{
    const sw_profile_launch *l = sw_vec_at(&p->launches, g->longest);
    return l->time ? l : NULL;
}

/* The launch belongs to the group. */
static void
add_launch(sw_profile *p, sw_profile_group *g, uint32_t index)
{
    const sw_profile_launch *l = sw_vec_at(&p->launches, index);
    const sw_profile_launch *longest = sw_profile_longest(p, g);
    g->launches++;
    g->total_ns += l->r.end_ns - l->r.begin_ns;
    if (l->time && (!longest || l->time->ns > longest->time->ns))
        g->longest = index;
}

static void
fill_launch(sw_profile *p, sw_profile_launch *l)
{
    const char *device = sw_profile_device(p, l->process, l->r.device);
    l->device = device ? sw_device_find(device) : NULL;
    if (!l->device)
        l->device = sw_device_default();
    l->name = sw_profile_demangle(p->arena, l->r.kernel);
    l->shape = (sw_count_launch){
        .kernel = l->r.kernel,
        .device = l->device,
        .grid = {l->r.grid_x, l->r.grid_y, l->r.grid_z},
        .block = {l->r.block_x, l->r.block_y, l->r.block_z},
        .static_shared_bytes = l->r.static_shared_bytes,
        .dynamic_shared_bytes = l->r.dynamic_shared_bytes,
        .regs = l->r.regs,
    };
}

static sw_profile_group *
group_of(sw_profile *p, uint32_t process, uint32_t number)
{
    SW_PROFILE_EACH (sw_profile_group, g, &p->groups) {
        const sw_profile_launch *l = sw_profile_first(p, g);
        if (l->process == process && l->r.group == number)
            return g;
    }
    return NULL;
}

static sw_profile_launch *
launch_of(sw_profile *p, uint32_t process, uint64_t number)
{
    SW_PROFILE_EACH (sw_profile_launch, l, &p->launches)
        if (l->process == process && l->r.launch == number)
            return l;
    return NULL;
}

static void
join_launches(sw_profile *p)
{
    for (uint32_t i = 0; i < p->launches.count; i++) {
        sw_profile_launch *l = sw_vec_at(&p->launches, i);
        fill_launch(p, l);
        sw_profile_group *g = group_of(p, l->process, l->r.group);
        if (!g) {
            g = sw_vec_push(&p->groups);
            g->first = g->longest = i;
            sw_vec_init(&g->rows, sizeof(sw_record_row));
        }
        add_launch(p, g, i);
    }
    sort(&p->groups, compare_groups);
    for (uint32_t i = 0; i < p->launches.count; i++) {
        sw_profile_launch *l = sw_vec_at(&p->launches, i);
        const sw_profile_group *g = group_of(p, l->process, l->r.group);
        l->group = (uint32_t)(g - (const sw_profile_group *)p->groups.data);
    }
}

static void
join_counts(sw_profile *p)
{
    SW_PROFILE_EACH (counts_entry, e, &p->unjoined_counts) {
        sw_profile_launch *l = launch_of(p, e->process, e->r.launch);
        if (!l)
            continue;
        sw_record_counts *kept = sw_arena_alloc(p->arena, sizeof *kept);
        *kept = e->r;
        l->counted = kept;
        l->shape.sample = e->r.sample;
        l->shape.caches = e->r.caches;
        sw_profile_group *g = sw_vec_at(&p->groups, l->group);
        sw_counts_add(&g->counts, e->r.counts);
        g->scale = (g->scale * g->counted_launches + e->r.scale) /
                   (g->counted_launches + 1);
        g->counted_launches++;
    }
}

static void
join_rows(sw_profile *p)
{
    SW_PROFILE_EACH (row_entry, e, &p->unjoined_rows) {
        sw_profile_group *g = group_of(p, e->process, e->r.group);
        if (!g)
            continue;
        sw_record_row *found = NULL;
        SW_PROFILE_EACH (sw_record_row, r, &g->rows)
            if (r->index == e->r.index)
                found = r;
        if (!found) {
            sw_counts *sum = sw_arena_alloc(p->arena, sizeof *sum);
            *sum = *e->r.counts;
            found = sw_vec_push(&g->rows);
            *found = e->r;
            found->counts = sum;
            continue;
        }
        sw_counts_add((sw_counts *)(uintptr_t)found->counts, e->r.counts);
        found->launches += e->r.launches;
        if (e->r.camping > found->camping)
            found->camping = e->r.camping;
    }
    SW_PROFILE_EACH (sw_profile_group, g, &p->groups)
        sort(&g->rows, compare_rows);
}

static void
widen(sw_profile *p, uint64_t begin, uint64_t end)
{
    if (!p->begin_ns || begin < p->begin_ns)
        p->begin_ns = begin;
    if (end > p->end_ns)
        p->end_ns = end;
}

void
sw_profile_join(sw_profile *p)
{
    sort(&p->calls, compare_call);
    sort(&p->launches, compare_launch);
    sort(&p->copies, compare_copy);
    sort(&p->fills, compare_fill);
    join_launches(p);
    join_counts(p);
    join_rows(p);
    SW_PROFILE_EACH (sw_profile_call, c, &p->calls)
        widen(p, c->r.begin_ns, c->r.end_ns);
    SW_PROFILE_EACH (sw_profile_launch, l, &p->launches)
        widen(p, l->r.begin_ns, l->r.end_ns);
    SW_PROFILE_EACH (sw_profile_copy, c, &p->copies)
        widen(p, c->r.begin_ns, c->r.end_ns);
    SW_PROFILE_EACH (sw_profile_fill, f, &p->fills)
        widen(p, f->r.begin_ns, f->r.end_ns);
}
