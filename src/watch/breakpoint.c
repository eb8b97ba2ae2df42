/* SPDX-License-Identifier: Apache-2.0 */
/*
 * breakpoint.c - stops in a debugger where a warp comes to a place of a kernel:
 *
 *     break:PLACE[,PLACE...]    a PLACE is FILE:LINE, or a kernel's name for
 * its first instruction
 *
 * Where a warp comes to one, sw_break_here is called: a debugger has its own
 * breakpoint there (`softwarp break` of softwarp-gdb.py). Each warp stops once
 * a line, not at each of the line's instructions. Places can be added while the
 * program is stopped: sw_break_at, which the debugger calls.
 *
 * The places of a program are few, so a launch looks for them at its begin, in
 * all instructions that its kernel can reach.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "watch/watch.h"

enum { MOST_PLACES = 64, PLACE_BYTES = 512 };

static struct {
    char places[MOST_PLACES][PLACE_BYTES];
    _Atomic uint32_t count;
} chosen;

/* What a debugger asks for. Not static and never inlined, so that its name and
 * arguments can be found. */
void sw_break_here(const sw_ev_where *where, const char *place);
bool sw_break_at(const char *place);

__attribute__((noinline, used, visibility("default"))) void
sw_break_here(const sw_ev_where *where, const char *place)
{
    __asm__ volatile("" : : "r"(where), "r"(place) : "memory");
}

/* False: there are too many, or its text is too long. */
__attribute__((noinline, used, visibility("default"))) bool
sw_break_at(const char *place)
{
    uint32_t i = atomic_load(&chosen.count);
    size_t length = strlen(place);
    if (i == MOST_PLACES || length >= PLACE_BYTES || !length)
        return false;
    memcpy(chosen.places[i], place, length + 1);
    atomic_store(&chosen.count, i + 1);
    return true;
}

/* ---- which instructions are at a place ---- */

/* Does a file's name end with this one, at a slash? */
static bool
ends_with(const char *path, const char *name, size_t bytes)
{
    size_t n = strlen(path);
    return n >= bytes && !memcmp(path + n - bytes, name, bytes) &&
           (n == bytes || path[n - bytes - 1] == '/' || *name == '/');
}

static bool
is_at_line(const sw_fn *fn, const sw_ins *ins, const char *place,
           const char *colon)
{
    const sw_module *m = fn->module;
    if (!ins->loc || ins->loc >= m->loc_count)
        return false;
    const sw_loc *loc = &m->locs[ins->loc];
    char line[16];
    snprintf(line, sizeof line, "%u", loc->line);
    return !strcmp(line, colon + 1) && loc->file < m->file_count &&
           m->files[loc->file] &&
           ends_with(m->files[loc->file], place, (size_t)(colon - place));
}

/* "scale" and "_Z5scalePff" are both names of scale(float*, float). */
static bool
has_name(const sw_fn *fn, const char *name)
{
    if (!strcmp(fn->name, name))
        return true;
    sw_buf text;
    sw_buf_init(&text);
    sw_demangle(fn->name, &text);
    size_t n = strlen(name);
    const char *at = text.p ? strstr(text.p, name) : NULL;
    bool is_same = at && (at == text.p || at[-1] == ' ' || at[-1] == ':') &&
                   (at[n] == '\0' || at[n] == '(' || at[n] == '<');
    sw_buf_finish(&text);
    return is_same;
}

/* The line's first instruction in the function's text, or the kernel's. */
static bool
is_at(const sw_fn *fn, const sw_ins *ins, const char *place)
{
    const char *colon = strrchr(place, ':');
    if (colon && colon[1] >= '0' && colon[1] <= '9')
        return is_at_line(fn, ins, place, colon);
    return has_name(fn, place) && ins == fn->blocks[0]->ins[0];
}

/* ---- a launch ---- */

typedef struct {
    sw_observer observer;
    uint8_t *places; /* [ins_count] by the event's index; NOT_YET, NONE, or the
                        place's number */
    uint32_t ins_count;
} launch;
enum { NOT_YET = 0xff, NONE = 0xfe };

/* Of a block: where each warp stopped last, so that a line of several
 * instructions stops it once. */
typedef struct {
    uint32_t loc[64];
} block;

static void *
block_begin(void *arg, const uint32_t at[3], uint64_t index)
{
    (void)arg;
    (void)at;
    (void)index;
    return sw_alloc(sizeof(block));
}

static void
block_end(void *arg, void *state, const uint32_t at[3], uint64_t index)
{
    (void)arg;
    (void)at;
    (void)index;
    sw_free(state);
}

static uint8_t
place_of(const sw_ev_where *w)
{
    uint32_t count = atomic_load(&chosen.count);
    for (uint32_t i = 0; i < count; i++)
        if (is_at(w->fn, w->ins, chosen.places[i]))
            return (uint8_t)i;
    return NONE;
}

static void
ins(void *arg, const sw_ev_where *w)
{
    launch *l = arg;
    block *b = w->state;
    uint32_t *last = &b->loc[w->warp % 64];
    uint8_t place = w->index < l->ins_count ? l->places[w->index] : NOT_YET;
    if (place == NOT_YET || place >= atomic_load(&chosen.count))
        place = place_of(w);
    if (w->index < l->ins_count)
        l->places[w->index] = place;
    if (place == NONE)
        *last = 0;
    else if (*last != w->ins->loc + 1) {
        *last = w->ins->loc + 1;
        sw_break_here(w, chosen.places[place]);
    }
}

static void *
launch_begin(void *arg, const sw_watch_launch *of, const sw_observer **observer,
             uint32_t *sample)
{
    launch *l = sw_alloc(sizeof *l);
    (void)arg;
    (void)sample;
    *l = (launch){.observer = {.arg = l,
                               .events = SW_EV_BLOCK | SW_EV_INS | SW_EV_OFF,
                               .block_begin = block_begin,
                               .block_end = block_end,
                               .ins = ins},
                  .places = sw_alloc(of->ins_count + 1),
                  .ins_count = of->ins_count};
    memset(l->places, NOT_YET, of->ins_count);
    *observer = &l->observer;
    return l;
}

static void
launch_end(void *arg, void *state, const sw_watch_end *end)
{
    launch *l = state;
    (void)arg;
    (void)end;
    sw_free(l->places);
    sw_free(l);
}

bool
sw_watch_open_breakpoint(const char *options, sw_watcher *watcher)
{
    while (*options) {
        char place[PLACE_BYTES];
        size_t n = strcspn(options, ",");
        snprintf(place, sizeof place, "%.*s", (int)n, options);
        if (n >= sizeof place || !sw_break_at(place)) {
            fprintf(stderr,
                    "softwarp: error: observer break takes up to %d places of "
                    "up to %d characters\n",
                    MOST_PLACES, PLACE_BYTES - 1);
            return false;
        }
        options += n + (options[n] == ',');
    }
    *watcher =
        (sw_watcher){.launch_begin = launch_begin, .launch_end = launch_end};
    return true;
}
