/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - see record.h. */
#include "jit/run/record.h"

#include <string.h>

#include "interp/observe.h"
#include "jit/tune.h"

enum { LANES = SW_WARP_LANES };

/* Instructions that a warp executes and that have not been told. */
typedef struct {
    uint32_t next, end, mask;
    uint32_t last;  /* of those it had before or has */
    uint32_t ended; /* lanes of which an END was told */
} pending;

struct sw_jit_recorder {
    uint64_t *words;
    size_t room;
    uint32_t warp_count;
    uint32_t warp; /* (the first) whose words come next */
    /* Warps meet at the block's barrier without the engine: `arrived` threads
     * have come since it was completed. */
    bool meets_alone;
    uint32_t arrived;
    pending pending[];
};

/* ---- whether ---- */

bool
sw_jit_can_record(const sw_program *program)
{
    enum { NUMBERS = 1 << 27 };
    uint32_t operands = SW_EV_INS | SW_EV_VALUES; /* what these hold */
    return program->events && !(program->events & SW_EV_INLINE) &&
           (program->events & operands) != operands &&
           program->info.ins_count < NUMBERS;
}

bool
sw_jit_records(const sw_program *program)
{
    return program->events && ((sw_jit_program *)program->code)->records;
}

/* ---- the buffer ---- */

sw_ev_site *
sw_jit_record_sites(const sw_variant *n)
{
    const sw_jit_program *code = n->program->code;
    sw_ev_site *sites = sw_alloc((n->access_count + 1) * sizeof *sites);
    for (uint32_t i = 0; i < n->access_count; i++) {
        const sw_counter_access *a = &n->accesses[i];
        const sw_ins *ins = code->interp.codes[0].ins[a->ins].ins;
        sites[i] = (sw_ev_site){
            .ins = ins,
            .index = a->ins,
            .mem = sw_interp_describe(ins, (sw_space)a->space, a->bytes),
            .groups = a->groups};
        memcpy(sites[i].group, a->group, sizeof a->group);
        memcpy(sites[i].at, a->at, sizeof a->at);
        sites[i].low = sites[i].high = a->at[0];
        for (int k = 1; k < LANES; k++) {
            sites[i].low = a->at[k] < sites[i].low ? a->at[k] : sites[i].low;
            sites[i].high = a->at[k] > sites[i].high ? a->at[k] : sites[i].high;
        }
    }
    return sites;
}

static sw_jit_warp *
first_of(const sw_jit_ctx *ctx)
{
    return sw_jit_of(&sw_jit_warp_of(ctx)->blk->warps[0]);
}

/* All warps run as one: they meet wherever they are. */
static bool
is_one(const sw_blk *blk, const sw_jit_warp *first)
{
    return sw_jit_fused_warps_of(first) == blk->warp_count;
}

void
sw_jit_record_begin(const sw_blk *blk, sw_jit_warp *first)
{
    if (!sw_jit_records(blk->program))
        return;
    struct sw_jit_recorder *r = first->recorder;
    if (!r) {
        r = sw_alloc(sizeof *r + blk->warp_count * sizeof *r->pending);
        r->room = sw_jit_tune.record_words + first->variant->slot_count;
        r->words = sw_alloc(r->room * sizeof *r->words);
        r->warp_count = blk->warp_count;
        first->recorder = r;
    }
    memset(r->pending, 0, r->warp_count * sizeof *r->pending);
    r->warp = 0;
    r->meets_alone = is_one(blk, first);
    r->arrived = 0;
    first->block.record = r->words;
    first->block.record_end = r->words + r->room;
    if (blk->program->events & SW_EV_QUIET)
        first->block.quiet =
            blk->observer->quiet(blk->observer->arg, blk->observer_state);
}

void
sw_jit_record_close(sw_jit_warp *first)
{
    if (first->recorder)
        sw_free(first->recorder->words);
    sw_free(first->recorder);
    first->recorder = NULL;
}

/* ---- telling ---- */

/* The warps whose events are told, and which of them. */
typedef struct {
    sw_blk *blk;
    struct sw_jit_recorder *r;
    const sw_observer *ob;
    const sw_fn *fn;
    const sw_ev_site *sites;
    uint32_t events, first, warps;
    /* One of them: */
    uint32_t place;
    sw_run *run;
    pending *p;
    sw_ev_where where;
} teller;

static void
choose(teller *t, uint32_t place)
{
    uint32_t warp = t->first + place;
    t->place = place;
    t->run = &sw_jit_of(&t->blk->warps[warp])->run;
    t->p = &t->r->pending[warp];
    t->where.warp = warp;
}

static teller
teller_of(sw_jit_warp *first)
{
    sw_blk *blk = sw_jit_warp_of(&first->ctx)->blk;
    teller t = {.blk = blk,
                .r = first->recorder,
                .ob = blk->observer,
                .fn = blk->program->kernel,
                .sites = first->variant->ev_sites,
                .events = blk->program->events,
                .first = first->recorder->warp,
                .warps = sw_jit_fused_warps_of(first)};
    t.where = (sw_ev_where){
        .block_index = blk->index, .state = blk->observer_state, .fn = t.fn};
    memcpy(t.where.block, blk->ctaid, sizeof t.where.block);
    choose(&t, 0);
    return t;
}

static void
set_place(teller *t, uint32_t index, uint32_t mask, uint32_t active)
{
    t->where.ins = t->run->code->ins[index].ins;
    t->where.index = index;
    t->where.mask = mask;
    t->where.active = active;
}

/* `taken`: of a bra with a guard. */
static void
tell_ins(teller *t, uint32_t index, uint32_t mask, uint32_t taken)
{
    const sw_ins *ins = t->run->code->ins[index].ins;
    set_place(t, index, mask, t->p->mask);
    if ((t->events & SW_EV_INS) && t->ob->ins &&
        (mask || (t->events & SW_EV_OFF)))
        t->ob->ins(t->ob->arg, &t->where);
    if (ins->op != SW_OP_BRA || !(t->events & SW_EV_BRANCH) || !t->ob->branch)
        return;
    sw_ev_branch branch = {ins->guard ? taken : mask};
    t->ob->branch(t->ob->arg, &t->where, &branch);
}

/* Up to the instruction, without it. A guard of which nothing was written held
 * for all: its instruction has left, or is told by somebody else. */
static void
tell_before(teller *t, uint32_t index)
{
    pending *p = t->p;
    for (; p->next < index && p->next < p->end; p->next++)
        tell_ins(t, p->next, p->mask, 0);
}

/* Up to the instruction, which `mask` executes, unless it has been told. */
static void
tell_up_to(teller *t, uint32_t index, uint32_t mask, uint32_t taken)
{
    pending *p = t->p;
    if (index < p->next || index >= p->end)
        return;
    tell_before(t, index);
    bool has_own = t->run->code->ins[index].ins->guard &&
                   t->run->code->ins[index].ins->op != SW_OP_BRA;
    tell_ins(t, index, has_own ? mask : p->mask, taken);
    p->next = index + 1;
}

/* No lanes: the warp is elsewhere. */
static void
run_on(teller *t, uint32_t index, uint32_t count, uint32_t mask)
{
    tell_before(t, t->p->end);
    t->p->next = index;
    t->p->end = mask ? index + count : index;
    t->p->mask = mask;
    if (mask)
        t->p->last = index + count - 1;
}

static void
tell_access(teller *t, const sw_ev_site *site, const uint64_t *starts,
            uint32_t mask)
{
    uint64_t addr[LANES];
    tell_up_to(t, site->index, mask, 0);
    if (!mask)
        return;
    sw_ev_addresses(site, starts, addr);
    if (!sw_ev_is_resolved(site)) {
        sw_interp_observe_at(t->run, site->index, mask);
        sw_interp_observe(t->run, &t->run->code->ins[site->index], mask, addr,
                          site->mem.bytes);
        return;
    }
    sw_ev_mem mem = site->mem;
    mem.addr = addr;
    mem.owner = t->where.block_index;
    set_place(t, site->index, mask, mask);
    if (t->ob->mem)
        t->ob->mem(t->ob->arg, &t->where, &mem);
}

/* ---- the barrier of the block ---- */

/* Threads of the block that have not ended, by what was told. */
static uint32_t
live_threads(const teller *t)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < t->r->warp_count; i++) {
        const sw_warp *warp = &t->blk->warps[i];
        uint32_t gone = t->r->pending[i].ended | warp->ended;
        live += (uint32_t)__builtin_popcount(warp->lanes & ~gone);
    }
    return live;
}

/* The engine comes to know of a barrier that is complete. */
static void
complete(const teller *t)
{
    if (!t->r->arrived || t->r->arrived < live_threads(t))
        return;
    t->r->arrived = 0;
    t->blk->bars[0].generation++;
    t->blk->has_arrivals = true;
}

static void
tell_barrier(teller *t, uint32_t index, uint32_t mask, bool is_arrival)
{
    const sw_ins *ins = t->run->code->ins[index].ins;
    tell_up_to(t, index, mask, 0);
    set_place(t, index, mask, mask);
    sw_ev_barrier b = {.is_arrival = is_arrival,
                       .waits = is_arrival,
                       .is_aligned = ins->flags & SW_F_ALIGNED,
                       .live = live_threads(t),
                       .generation = t->blk->bars[0].generation};
    if (t->ob->barrier)
        t->ob->barrier(t->ob->arg, &t->where, &b);
}

/* The warps together: their arrivals may complete it. */
static void
tell_barriers(teller *t, const uint64_t *word, bool is_arrival, bool is_told)
{
    for (uint32_t w = 0; w < t->warps; w++) {
        uint32_t mask = sw_ev_mask_of(word, t->warps, w);
        choose(t, w);
        if (mask && is_told)
            tell_barrier(t, sw_ev_number_of(*word), mask, is_arrival);
        if (is_arrival && t->r->meets_alone)
            t->r->arrived += (uint32_t)__builtin_popcount(mask);
    }
    if (is_arrival)
        complete(t);
}

static void
tell_end(teller *t, uint32_t mask, bool is_told)
{
    if (!mask)
        return;
    tell_before(t, t->p->end);
    t->p->ended |= mask;
    if ((t->events & SW_EV_EXIT) && t->ob->exited && is_told) {
        sw_ev_exit x = {live_threads(t)};
        set_place(t, t->p->last, mask, mask);
        t->ob->exited(t->ob->arg, &t->where, &x);
    }
}

/* ---- words ---- */

static void
tell_of_warp(teller *t, const uint64_t *word)
{
    uint32_t number = sw_ev_number_of(*word);
    uint32_t mask = sw_ev_mask_of(word, t->warps, t->place);
    const uint64_t *rest = sw_ev_rest_of(word, t->warps);
    switch (sw_ev_kind_of(*word)) {
    case SW_EV_WORD_RUN:
        run_on(t, number, (uint32_t)*rest, mask);
        break;
    case SW_EV_WORD_STOP:
        tell_before(t, number);
        t->p->end = t->p->next;
        break;
    case SW_EV_WORD_GUARD:
        tell_up_to(t, number, mask, 0);
        break;
    case SW_EV_WORD_BRANCH:
        if (mask)
            tell_up_to(t, number, mask,
                       sw_ev_taken_of(word, t->warps, t->place));
        break;
    case SW_EV_WORD_ACCESS:
        tell_access(t, &t->sites[number + t->place], rest, mask);
        break;
    case SW_EV_WORD_FENCE:
        tell_up_to(t, number, mask, 0);
        if (!mask)
            break;
        sw_interp_observe_at(t->run, number, mask);
        sw_interp_observe_special(t->run, &t->run->code->ins[number], mask);
        break;
    default:
        SW_ASSERT(false);
    }
}

/* is_told: the observer does not take the words. */
static void
tell_one(teller *t, const uint64_t *word, bool is_told)
{
    sw_ev_word kind = sw_ev_kind_of(*word);
    switch (kind) {
    case SW_EV_WORD_WARP:
        t->first = t->r->warp = sw_ev_number_of(*word);
        choose(t, 0);
        return;
    case SW_EV_WORD_ARRIVE:
    case SW_EV_WORD_RELEASE:
        tell_barriers(t, word, kind == SW_EV_WORD_ARRIVE, is_told);
        return;
    case SW_EV_WORD_END:
        for (uint32_t w = 0; w < t->warps; w++) {
            choose(t, w);
            tell_end(t, sw_ev_mask_of(word, t->warps, w), is_told);
        }
        if (t->r->meets_alone)
            complete(t);
        return;
    default:
        for (uint32_t w = 0; w < t->warps; w++) {
            choose(t, w);
            tell_of_warp(t, word);
        }
    }
}

/* Words in one piece, as the observer takes them; whose they begin with. */
static void
hand_over(const teller *t, uint32_t warp, const uint64_t *from,
          const uint64_t *to)
{
    sw_ev_buffer buffer = {.block_index = t->where.block_index,
                           .warp = warp,
                           .warps = t->warps,
                           .fn = t->fn,
                           .words = from,
                           .count = (size_t)(to - from),
                           .sites = t->sites};
    memcpy(buffer.block, t->where.block, sizeof buffer.block);
    if (from < to)
        t->ob->buffer(t->ob->arg, t->where.state, &buffer);
}

/* What of words is to be looked at here, though the observer takes them: WORDS:
 * it gets them as well; CALLS: a call instead. */
typedef enum { PLAIN, WORDS_TOO, CALLS } word_care;

static word_care
care_of(const teller *t, uint64_t head)
{
    switch (sw_ev_kind_of(head)) {
    case SW_EV_WORD_WARP:
    case SW_EV_WORD_ARRIVE:
    case SW_EV_WORD_END:
        return WORDS_TOO;
    case SW_EV_WORD_FENCE:
        return CALLS;
    case SW_EV_WORD_ACCESS:
        return sw_ev_is_resolved(&t->sites[sw_ev_number_of(head)]) ? PLAIN
                                                                   : CALLS;
    default:
        return PLAIN;
    }
}

/* An observer that takes words gets all but those of which there is more to be
 * known. */
static void
tell_words(teller *t, const uint64_t *word, const uint64_t *end)
{
    const uint64_t *from = word;
    uint32_t warp = t->r->warp;
    while (word < end) {
        size_t words = sw_ev_words_of(t->sites, *word, t->warps);
        word_care care = t->ob->buffer ? care_of(t, *word) : CALLS;
        if (t->ob->buffer && care == CALLS) {
            bool is_fence = sw_ev_kind_of(*word) == SW_EV_WORD_FENCE;
            hand_over(t, warp, from, word + (is_fence ? words : 0));
            from = word + words;
            warp = t->r->warp;
        }
        if (care != PLAIN)
            tell_one(t, word, !t->ob->buffer);
        word += words;
    }
    if (t->ob->buffer)
        hand_over(t, warp, from, end);
}

static void
drain(sw_jit_warp *first)
{
    const uint64_t *begin = first->recorder->words;
    const uint64_t *end = first->block.record;
    SW_ASSERT(end <= begin + first->recorder->room);
    if (end == begin)
        return;
    teller t = teller_of(first);
    first->block.record = first->recorder->words;
    tell_words(&t, begin, end);
}

void
sw_jit_record_drain(sw_jit_ctx *ctx)
{
    sw_jit_warp *first = first_of(ctx);
    if (first->recorder)
        drain(first);
}

void
sw_jit_record_turn(sw_jit_ctx *ctx)
{
    sw_jit_warp *first = first_of(ctx);
    if (!first->recorder)
        return;
    drain(first);
    first->recorder->warp = sw_jit_warp_of(ctx)->index;
}

void
sw_jit_record_meet(const sw_blk *blk, bool alone)
{
    sw_jit_warp *first = sw_jit_of(&blk->warps[0]);
    if (!first->recorder)
        return;
    drain(first);
    first->recorder->meets_alone = alone || is_one(blk, first);
}

void
sw_jit_record_to(sw_jit_ctx *ctx, uint32_t ins, const uint32_t *mask)
{
    sw_jit_warp *first = first_of(ctx);
    if (!first->recorder)
        return;
    drain(first);
    teller t = teller_of(first);
    for (uint32_t w = 0; w < t.warps && !t.ob->buffer; w++) {
        choose(&t, w);
        tell_up_to(&t, ins, mask[w], 0);
    }
}

void
sw_jit_record_special(sw_run *run, uint32_t ins, uint32_t mask)
{
    sw_interp_observe_at(run, ins, mask);
    if (mask && sw_jit_records(run->warp->blk->program))
        sw_interp_observe_special(run, &run->code->ins[ins], mask);
}

void
sw_jit_record_arrival(sw_jit_ctx *ctx, uint32_t at, uint32_t id,
                      uint32_t expected)
{
    sw_warp *warp = sw_jit_warp_of(ctx);
    sw_jit_record_to(ctx, at, ctx->live);
    for (unsigned w = 0; w < sw_jit_fused_warps_of(sw_jit_of(warp)); w++) {
        sw_run *run = &sw_jit_of(warp + w)->run;
        if (!ctx->live[w])
            continue;
        sw_interp_observe_at(run, at, ctx->live[w]);
        sw_interp_observe_arrival(run, run->code->ins[at].ins, id, expected);
    }
}

void
sw_jit_record_release(const sw_jit_ctx *ctx, uint32_t at, uint32_t id,
                      uint32_t generation)
{
    sw_warp *warp = sw_jit_warp_of(ctx);
    for (unsigned w = 0; w < sw_jit_fused_warps_of(sw_jit_of(warp)); w++) {
        sw_run *run = &sw_jit_of(warp + w)->run;
        if (ctx->live[w])
            sw_interp_observe_release(run, run->code, at, ctx->live[w], id,
                                      generation);
    }
}

/* ---- with values ---- */

enum { VALUE_BYTES = 64 };

void
sw_jit_record_values(sw_jit_ctx *ctx, uint32_t ins, uint32_t mask,
                     const uint64_t addr[LANES], uint32_t bytes,
                     const void *stored)
{
    uint8_t before[LANES * VALUE_BYTES], after[LANES * VALUE_BYTES];
    sw_run *run = &sw_jit_of(sw_jit_warp_of(ctx))->run;
    const sw_dins *d = &run->code->ins[ins];
    uint32_t elem = d->mem_bytes;
    sw_jit_record_to(ctx, ins, &mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        memcpy(before + i * bytes, (const void *)(uintptr_t)addr[i], bytes);
        for (uint32_t k = 0; stored && k * elem < bytes; k++)
            memcpy(after + i * bytes + k * elem,
                   (const uint8_t *)stored + (k * LANES + i) * elem, elem);
    }
    sw_interp_observe_at(run, ins, mask);
    sw_interp_observe_values(run, d, mask, addr, bytes, before,
                             stored ? after : NULL);
}
