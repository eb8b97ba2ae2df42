/* SPDX-License-Identifier: Apache-2.0 */
/* turns.c - see turns.h. */
#include "base/settings.h"
#include "exec/engine.h"
#include "exec/schedule.h"

enum {
    WORDS = 1 << 14, /* of a table */
    WORDS_FULL = WORDS / 4 * 3,
    ACCESSES_MOST = 1 << 13, /* of warps, in a block; then it is not looked at
                                any longer */
    WORD_BYTES = 4
};

/* What warps did to a word since the barrier that was completed as `since`;
 * loaded and stored: the highest that did, plus one. */
typedef struct {
    uint64_t word; /* its address, and the bytes of the access below 4 */
    uint32_t since;
    uint16_t loaded, stored;
} touched;

struct sw_turns_look {
    uint32_t since;    /* completions of barriers, plus one */
    uint32_t count;    /* words since then */
    uint32_t accesses; /* of warps, in all */
    touched words[WORDS];
};

/* ---- programs ---- */

static bool
is_ordering(const sw_ins *ins)
{
    unsigned effects = sw_op_get_info((sw_op)ins->op)->effects;
    if (effects == SW_FX_ATOMIC || ins->op == SW_OP_MEMBAR)
        return true;
    return (ins->op == SW_OP_LD || ins->op == SW_OP_ST) &&
           ins->order != SW_ORDER_WEAK;
}

static bool
is_between_warps(const sw_ins *ins)
{
    return ins->space == SW_SPACE_GLOBAL || ins->space == SW_SPACE_SHARED ||
           ins->space == SW_SPACE_GENERIC;
}

/* It loads and stores what other warps may see, and nothing orders that. */
static bool
may_race(const sw_fn *const *fns, uint32_t count)
{
    bool loads = false, stores = false;
    for (uint32_t f = 0; f < count; f++)
        for (uint32_t b = 0; b < fns[f]->block_count; b++) {
            const sw_block *block = fns[f]->blocks[b];
            for (uint32_t i = 0; i < block->count; i++) {
                const sw_ins *ins = block->ins[i];
                if (is_ordering(ins))
                    return false;
                loads |= ins->op == SW_OP_LD && is_between_warps(ins);
                stores |= ins->op == SW_OP_ST && is_between_warps(ins);
            }
        }
    return loads && stores;
}

void
sw_turns_init(sw_turns *turns, const struct sw_fn *const *fns, uint32_t count,
              bool is_observed)
{
    sw_turns_state state = SW_TURNS_NEVER;
    if (sw_setting_is(SW_SETTING_TURNS, "1"))
        state = SW_TURNS_ALWAYS;
    else if (!sw_setting_is(SW_SETTING_TURNS, "0") &&
             !sw_setting_is(SW_SETTING_ENGINE, "jit") && !is_observed &&
             !sw_schedule_is_on() && may_race(fns, count))
        state = SW_TURNS_LOOKS;
    atomic_store(&turns->state, (unsigned char)state);
}

static sw_turns_state
state_of(const sw_blk *blk)
{
    return (sw_turns_state)atomic_load_explicit(&blk->program->turns->state,
                                                memory_order_relaxed);
}

static bool
has_others(const sw_blk *blk)
{
    return blk->warp_count > 1 && (!blk->cluster || blk->cluster->count == 1);
}

bool
sw_turns_holds(const sw_blk *blk)
{
    return state_of(blk) != SW_TURNS_NEVER && has_others(blk);
}

/* ---- blocks ---- */

static void
close_look(sw_blk *blk)
{
    sw_free(blk->look);
    blk->look = NULL;
}

/* It is known now, if nobody else has found it out before. */
static void
conclude(sw_blk *blk, sw_turns_state found)
{
    unsigned char before = SW_TURNS_LOOKS;
    atomic_compare_exchange_strong(&blk->program->turns->state, &before,
                                   (unsigned char)found);
    close_look(blk);
    blk->in_turn = sw_turns_holds(blk);
}

void
sw_turns_begin(sw_blk *blk)
{
    sw_turns_state state = state_of(blk);
    close_look(blk);
    blk->turns_taken = 0;
    if (state == SW_TURNS_RACES &&
        atomic_load(&blk->program->turns->given) > SW_TURNS_MOST)
        atomic_store(&blk->program->turns->state, SW_TURNS_NEVER);
    blk->in_turn = sw_turns_holds(blk);
    if (blk->in_turn && state == SW_TURNS_LOOKS)
        blk->look = sw_alloc(sizeof *blk->look);
}

void
sw_turns_end(sw_blk *blk, bool is_done)
{
    if (blk->turns_taken)
        atomic_fetch_add(&blk->program->turns->given, blk->turns_taken);
    blk->turns_taken = 0;
    if (blk->look && is_done)
        conclude(blk, SW_TURNS_NEVER);
    close_look(blk);
}

bool
sw_turns_give(sw_blk *blk)
{
    if (!blk->in_turn)
        return false;
    if (++blk->turns_taken == SW_TURNS_MOST &&
        state_of(blk) == SW_TURNS_RACES) {
        atomic_store(&blk->program->turns->state, SW_TURNS_NEVER);
        blk->in_turn = false;
        return false;
    }
    blk->gave_turn = true;
    return true;
}

/* ---- accesses ---- */

/* NULL: the table is full. */
static touched *
find_word(sw_turns_look *look, uint64_t word)
{
    uint64_t at = word * UINT64_C(0x9e3779b97f4a7c15) >> 50;
    for (;; at++) {
        touched *t = &look->words[at % WORDS];
        if (t->since == look->since && t->word == word)
            return t;
        if (t->since == look->since)
            continue;
        if (++look->count > WORDS_FULL)
            return NULL;
        *t = (touched){.word = word, .since = look->since};
        return t;
    }
}

/* The warp accesses one word. False: there is no need to go on. */
static bool
note_word(sw_blk *blk, uint16_t warp, bool is_store, uint64_t word)
{
    touched *t = find_word(blk->look, word);
    if (!t) {
        conclude(blk, SW_TURNS_NEVER);
        return false;
    }
    if (t->stored > warp || (is_store && t->loaded > warp)) {
        conclude(blk, SW_TURNS_RACES);
        return false;
    }
    uint16_t *highest = is_store ? &t->stored : &t->loaded;
    if (*highest < warp)
        *highest = warp;
    return true;
}

void
sw_turns_note(sw_blk *blk, uint32_t warp, bool is_store, uint32_t mask,
              const uint64_t *addr, uint32_t bytes)
{
    sw_turns_look *look = blk->look;
    if (!look)
        return;
    if (state_of(blk) != SW_TURNS_LOOKS || ++look->accesses > ACCESSES_MOST) {
        conclude(blk, SW_TURNS_NEVER);
        return;
    }
    if (look->since != blk->epoch + 1) {
        look->since = blk->epoch + 1;
        look->count = 0;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = addr[__builtin_ctz(m)];
        if (bytes < WORD_BYTES) {
            if (!note_word(blk, (uint16_t)(warp + 1), is_store, a << 2 | bytes))
                return;
            continue;
        }
        for (uint64_t k = 0; k < bytes; k += WORD_BYTES)
            if (!note_word(blk, (uint16_t)(warp + 1), is_store, (a + k) << 2))
                return;
    }
}
