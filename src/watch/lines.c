/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.c - how many instructions lanes came to in each line of the source:
 *
 *     lane-instructions share file:line
 *
 * An observer that puts code into kernels (exec/instrument.h): one addition by
 * each lane that comes to a block of instructions. So it counts at the speed of
 * compiled code. Which lines a block has is known beforehand. The sum is
 * thread_inst_executed of `softwarp prof`.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/counters.h"
#include "watch/watch.h"

enum { COUNTS = 512 }; /* that are asked for at once */

typedef struct {
    char *place;
    uint64_t lane_instructions;
} line;

/* Instructions of one line, one behind the other. */
typedef struct {
    const uint64_t *count; /* of lanes that came to them */
    uint32_t line, instructions;
} part;

static struct {
    FILE *file;
    pthread_mutex_t lock;
    sw_map *numbers; /* place: its number in `lines` + 1 */
    sw_vec lines, parts;
    uint64_t counts;        /* the next one, */
    uint32_t left;          /* ... and how many there are */
    uint32_t not_seen;      /* launches */
    uint32_t without_count; /* blocks of instructions */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t
number_of(const char *place)
{
    uintptr_t number = (uintptr_t)sw_map_get(all.numbers, sw_str_of(place));
    if (number)
        return (uint32_t)number - 1;
    line *new = sw_vec_push(&all.lines);
    *new = (line){.place = sw_strdup(place)};
    sw_map_set(all.numbers, sw_str_of(new->place),
               (void *)(uintptr_t)all.lines.count);
    return (uint32_t)all.lines.count - 1;
}

/* One more instruction of the line is counted there. */
static void
count_at(uint32_t number, const uint64_t *count)
{
    part *last =
        all.parts.count ? sw_vec_at(&all.parts, all.parts.count - 1) : NULL;
    if (last && last->count == count && last->line == number)
        last->instructions++;
    else
        *(part *)sw_vec_push(&all.parts) = (part){count, number, 1};
}

/* red.global.add.u64 [count], 1 */
static void
add_one(sw_rewriter *w, uint64_t count)
{
    sw_opnd addr = sw_opnd_imm(count);
    addr = sw_opnd_reg(sw_rewriter_pure(w, SW_OP_MOV, SW_T_U64, 1, &addr));
    sw_ins *red = sw_rewriter_add(w, SW_OP_RED, SW_T_U64, 0, 2,
                                  (sw_opnd[]){addr, sw_opnd_imm(1)});
    red->space = SW_SPACE_GLOBAL;
    red->sub = SW_ATOM_ADD;
    red->vec = 1;
}

/* 0: there is no memory left. */
static uint64_t
next_count(const sw_instrument_at *at)
{
    if (!all.left) {
        all.counts = at->memory(COUNTS * sizeof(uint64_t));
        all.left = all.counts ? COUNTS : 0;
    }
    if (!all.left)
        return 0;
    all.left--;
    all.counts += sizeof(uint64_t);
    return all.counts - sizeof(uint64_t);
}

/* The program does not have it, or a device has no instruction for it:
 * `softwarp prof` counts it in no sum either. */
static bool
is_free(const sw_ins *ins)
{
    unsigned precision, kind, elements;
    if (ins->flags & SW_F_FALLS && ins->op == SW_OP_BRA)
        return true;
    return sw_count_classify(ins, &precision, &kind, &elements) ==
           SW_COUNT_ADDRESS;
}

/* Lanes that come to the first come to the next ones too, but for those behind
 * a call: what is called may end lanes. */
static bool
begins_part(const sw_instrument_at *at)
{
    return at->index == 0 ||
           at->fn->blocks[at->block]->ins[at->index - 1]->op == SW_OP_CALL;
}

static void
before(void *arg, sw_rewriter *w, const sw_instrument_at *at)
{
    static _Thread_local uint64_t count; /* of the lanes that come here */
    char place[512];
    (void)arg;
    pthread_mutex_lock(&all.lock);
    if (begins_part(at)) {
        count = next_count(at);
        if (count)
            add_one(w, count);
        all.without_count += !count;
    }
    if (count && !is_free(at->ins)) {
        sw_ins_place(at->fn, at->ins, place, sizeof place);
        count_at(number_of(place), (const uint64_t *)(uintptr_t)count);
    }
    pthread_mutex_unlock(&all.lock);
}

static void
launch_end(void *arg, void *state, const sw_watch_end *end)
{
    (void)arg;
    (void)state;
    if (end->has_started && !end->is_instrumented)
        __atomic_add_fetch(&all.not_seen, 1, __ATOMIC_RELAXED);
}

static int
by_count(const void *a, const void *b)
{
    const line *x = a, *y = b;
    if (x->lane_instructions != y->lane_instructions)
        return x->lane_instructions < y->lane_instructions ? 1 : -1;
    return strcmp(x->place, y->place);
}

static void
finish(void *arg)
{
    uint64_t sum = 0;
    (void)arg;
    pthread_mutex_lock(&all.lock);
    for (size_t i = 0; i < all.parts.count; i++) {
        const part *p = sw_vec_at(&all.parts, i);
        uint64_t n = __atomic_load_n(p->count, __ATOMIC_RELAXED);
        line *l = sw_vec_at(&all.lines, p->line);
        l->lane_instructions += n * p->instructions;
        sum += n * p->instructions;
    }
    if (all.lines.count)
        qsort(all.lines.data, all.lines.count, sizeof(line), by_count);
    for (size_t i = 0; i < all.lines.count; i++) {
        const line *l = sw_vec_at(&all.lines, i);
        fprintf(all.file, "%14" PRIu64 " %5.1f%% %s\n", l->lane_instructions,
                sum ? 100.0 * (double)l->lane_instructions / (double)sum : 0,
                l->place);
    }
    if (all.not_seen)
        fprintf(all.file,
                "%" PRIu32 " launches are not in it: another observer took "
                "their events\n",
                all.not_seen);
    if (all.without_count)
        fprintf(all.file,
                "%" PRIu32
                " blocks of instructions are not in it: there was no "
                "memory for their counts\n",
                all.without_count);
    fflush(all.file);
    pthread_mutex_unlock(&all.lock);
}

bool
sw_watch_open_lines(const char *options, sw_watcher *watcher)
{
    static const sw_instrument instrument = {.before = before};
    all.file = *options ? fopen(options, "w") : stderr;
    if (!all.file) {
        fprintf(stderr, "softwarp: error: cannot write '%s'\n", options);
        return false;
    }
    all.numbers = sw_map_create();
    sw_vec_init(&all.lines, sizeof(line));
    sw_vec_init(&all.parts, sizeof(part));
    *watcher = (sw_watcher){
        .instrument = &instrument, .launch_end = launch_end, .finish = finish};
    return true;
}
