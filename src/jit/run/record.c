/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - see record.h. */
#include "jit/run/record.h"

#include <string.h>

#include "interp/observe.h"

enum { WORDS = 8192, LANES = SW_WARP_LANES };

/* Instructions that a warp executes and that have not been told. */
typedef struct {
    uint32_t next, end, mask;
} pending;

struct sw_jit_recorder {
    uint64_t *words;
    size_t room;
    uint32_t warp_count;
    pending pending[];
};

/* ---- whether ---- */

/* What compiled code does not tell is done by the interpreter, or the kernel
 * is. */
static bool
is_told(const sw_ins *ins, uint32_t events)
{
    switch (ins->op) {
    case SW_OP_SHFL:
    case SW_OP_VOTE:
    case SW_OP_MATCH:
    case SW_OP_REDUX:
    case SW_OP_ELECT:
    case SW_OP_ACTIVEMASK:
    case SW_OP_BAR_WARP:
        return !(events & SW_EV_WARP);
    default:
        return true;
    }
}

bool
sw_jit_can_record(const sw_program *program)
{
    enum { NUMBERS = 1 << 27 };
    const sw_fn *fn = program->fns[0];
    if (!program->events || (program->events & SW_EV_INLINE) ||
        (program->events & SW_EV_VALUES) || program->info.ins_count >= NUMBERS)
        return false;
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (!is_told(fn->blocks[b]->ins[i], program->events))
                return false;
    return true;
}

bool
sw_jit_records(const sw_program *program)
{
    return program->events && ((sw_jit_program *)program->code)->records;
}

/* ---- the buffer ---- */

sw_ev_site *
sw_jit_record_sites(const sw_native *n)
{
    const sw_jit_program *code = n->program->code;
    sw_ev_site *sites = sw_alloc((n->access_count + 1) * sizeof *sites);
    for (uint32_t i = 0; i < n->access_count; i++) {
        const sw_tally_access *a = &n->accesses[i];
        const sw_ins *ins = code->interp.codes[0].ins[a->ins].ins;
        sites[i] = (sw_ev_site){
            .ins = ins,
            .index = a->ins,
            .mem = sw_interp_describe(ins, (sw_space)a->space, a->bytes),
            .groups = a->groups};
        memcpy(sites[i].group, a->group, sizeof a->group);
        memcpy(sites[i].at, a->at, sizeof a->at);
    }
    return sites;
}

void
sw_jit_record_begin(const sw_blk *blk, sw_jit_warp *first)
{
    if (!sw_jit_records(blk->program))
        return;
    struct sw_jit_recorder *r = first->recorder;
    if (!r) {
        r = sw_alloc(sizeof *r + blk->warp_count * sizeof *r->pending);
        r->room = WORDS + first->native->slot_count;
        r->words = sw_alloc(r->room * sizeof *r->words);
        r->warp_count = blk->warp_count;
        first->recorder = r;
    }
    memset(r->pending, 0, r->warp_count * sizeof *r->pending);
    first->block.record = r->words;
    first->block.record_end = r->words + r->room;
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

/* A warp whose events are told. */
typedef struct {
    sw_run *run;
    const sw_observer *ob;
    pending *p;
    const sw_fn *fn;
    uint32_t events;
    sw_ev_where where;
} teller;

static teller
teller_of(sw_jit_warp *jw)
{
    sw_warp *warp = sw_jit_warp_of(&jw->ctx);
    const sw_blk *blk = warp->blk;
    const sw_jit_warp *first = sw_jit_of(&blk->warps[0]);
    teller t = {.run = &jw->run,
                .ob = blk->observer,
                .p = &first->recorder->pending[warp->index],
                .fn = blk->program->kernel,
                .events = blk->program->events};
    t.where = (sw_ev_where){.block_index = blk->index,
                            .warp = warp->index,
                            .state = blk->observer_state,
                            .fn = t.fn};
    memcpy(t.where.block, blk->ctaid, sizeof t.where.block);
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

static void
tell_access(teller *t, const sw_ev_site *site, const uint64_t *starts,
            uint32_t mask)
{
    uint64_t addr[LANES];
    tell_up_to(t, site->index, mask, 0);
    sw_ev_addresses(site, starts, addr);
    const sw_dins *d = &t->run->code->ins[site->index];
    if (!sw_ev_is_resolved(site)) {
        sw_interp_observe_at(t->run, site->index, mask);
        sw_interp_observe(t->run, d, mask, addr, site->mem.bytes);
        return;
    }
    sw_ev_mem mem = site->mem;
    mem.addr = addr;
    mem.owner = t->where.block_index;
    set_place(t, site->index, mask, mask);
    if (mask && t->ob->mem)
        t->ob->mem(t->ob->arg, &t->where, &mem);
}

static void
tell_one(teller *t, const sw_ev_site *sites, const uint64_t *word)
{
    uint32_t number = sw_ev_number_of(*word), mask = sw_ev_mask_of(*word);
    switch (sw_ev_kind_of(*word)) {
    case SW_EV_WORD_RUN:
        tell_before(t, t->p->end);
        *t->p = (pending){number, number + (uint32_t)word[1], mask};
        break;
    case SW_EV_WORD_STOP:
        tell_before(t, number);
        *t->p = (pending){0};
        break;
    case SW_EV_WORD_GUARD:
        tell_up_to(t, number, mask, 0);
        break;
    case SW_EV_WORD_BRANCH:
        tell_up_to(t, number, mask, (uint32_t)word[1]);
        break;
    case SW_EV_WORD_ACCESS:
        tell_access(t, &sites[number], word + 1, mask);
        break;
    case SW_EV_WORD_FENCE:
        tell_up_to(t, number, mask, 0);
        sw_interp_observe_at(t->run, number, mask);
        sw_interp_observe_special(t->run, &t->run->code->ins[number], mask);
        break;
    }
}

/* Words in one piece, as the observer takes them. */
static void
hand_over(const teller *t, const sw_ev_site *sites, const uint64_t *from,
          const uint64_t *to)
{
    sw_ev_buffer buffer = {.block_index = t->where.block_index,
                           .warp = t->where.warp,
                           .fn = t->fn,
                           .words = from,
                           .count = (size_t)(to - from),
                           .sites = sites};
    memcpy(buffer.block, t->where.block, sizeof buffer.block);
    if (from < to)
        t->ob->buffer(t->ob->arg, t->where.state, &buffer);
}

/* An observer that takes words gets all but those of which there is more to be
 * known. */
static void
tell_words(teller *t, const sw_ev_site *sites, const uint64_t *word,
           const uint64_t *end)
{
    const uint64_t *from = word;
    while (word < end) {
        sw_ev_word kind = sw_ev_kind_of(*word);
        size_t words = sw_ev_words_of(sites, *word);
        if (!t->ob->buffer) {
            tell_one(t, sites, word);
        } else if (kind == SW_EV_WORD_FENCE ||
                   (kind == SW_EV_WORD_ACCESS &&
                    !sw_ev_is_resolved(&sites[sw_ev_number_of(*word)]))) {
            bool is_fence = kind == SW_EV_WORD_FENCE;
            hand_over(t, sites, from, word + (is_fence ? words : 0));
            tell_one(t, sites, word);
            from = word + words;
        }
        word += words;
    }
    if (t->ob->buffer)
        hand_over(t, sites, from, end);
}

void
sw_jit_record_drain(sw_jit_ctx *ctx)
{
    sw_jit_warp *jw = sw_jit_of(sw_jit_warp_of(ctx));
    sw_jit_warp *first = sw_jit_of(&sw_jit_warp_of(ctx)->blk->warps[0]);
    if (!first->recorder || first->block.record == first->recorder->words)
        return;
    teller t = teller_of(jw);
    const uint64_t *end = first->block.record;
    first->block.record = first->recorder->words;
    tell_words(&t, jw->native->ev_sites, first->recorder->words, end);
}

void
sw_jit_record_to(sw_jit_ctx *ctx, uint32_t ins, uint32_t mask)
{
    sw_jit_warp *jw = sw_jit_of(sw_jit_warp_of(ctx));
    if (!sw_jit_of(&sw_jit_warp_of(ctx)->blk->warps[0])->recorder)
        return;
    sw_jit_record_drain(ctx);
    teller t = teller_of(jw);
    if (!t.ob->buffer)
        tell_up_to(&t, ins, mask, 0);
}

void
sw_jit_record_end(sw_jit_ctx *ctx, uint32_t mask)
{
    sw_jit_warp *jw = sw_jit_of(sw_jit_warp_of(ctx));
    if (!sw_jit_of(&sw_jit_warp_of(ctx)->blk->warps[0])->recorder)
        return;
    sw_jit_record_drain(ctx);
    teller t = teller_of(jw);
    uint32_t last = t.p->end ? t.p->end - 1 : ctx->at;
    tell_before(&t, t.p->end);
    sw_interp_observe_at(t.run, last, mask);
    sw_interp_observe_exit(t.run, mask);
}

void
sw_jit_record_step(sw_jit_ctx *ctx, sw_run *run, uint32_t ins, uint32_t mask)
{
    sw_jit_record_to(ctx, ins, mask);
    sw_interp_observe_at(run, ins, mask);
    if (mask && sw_jit_records(run->warp->blk->program))
        sw_interp_observe_special(run, &run->code->ins[ins], mask);
}
