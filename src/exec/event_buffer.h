/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_buffer.h - events as compiled code writes them: words of 64 bits, one
 * warp's after the other's, in the order of the block. An observer that takes
 * them (sw_observer.buffer) gets many at once and need not look at 32 addresses
 * of an access that is a row.
 *
 * Each event is a head, then so many words as its kind says:
 *
 *     bits 0 to 3     sw_ev_word
 *     bits 4 to 31    a number: of an instruction, or (ACCESS) of a site
 *     bits 32 to 63   the mask
 */
#ifndef SW_EVENT_BUFFER_H
#define SW_EVENT_BUFFER_H
#include "exec/event.h"

typedef enum {
    SW_EV_WORD_RUN,    /* 1 word: the mask begins to execute the instructions
                          from `number` on, so many; with INS or BRANCH */
    SW_EV_WORD_STOP,   /* 0: of these, not what is from `number` on */
    SW_EV_WORD_GUARD,  /* 0: the guard of this one held for the mask; with INS;
                          maybe behind its accesses */
    SW_EV_WORD_BRANCH, /* 1: a bra with a guard; lanes that take it */
    SW_EV_WORD_ACCESS, /* site.groups words: where each group of lanes begins */
    SW_EV_WORD_FENCE   /* 0: a fence, or a wait for asynchronous copies; the
                          callback for it follows this buffer */
} sw_ev_word;

/* A place in compiled code where lanes access memory. */
typedef struct sw_ev_site {
    const sw_ins *ins;
    uint32_t index;
    sw_ev_mem mem; /* but for addr */
    uint8_t groups;
    /* Lane i accesses words[group[i]] + at[i]. */
    uint8_t group[32];
    int64_t at[32];
} sw_ev_site;

typedef struct sw_ev_buffer {
    uint32_t block[3];
    uint64_t block_index;
    uint32_t warp;
    const sw_fn *fn; /* the kernel: what numbers are about */
    const uint64_t *words;
    size_t count;
    const sw_ev_site *sites;
} sw_ev_buffer;

static inline uint64_t
sw_ev_head(sw_ev_word kind, uint32_t number)
{
    return (uint64_t)kind | (uint64_t)number << 4;
}

static inline sw_ev_word
sw_ev_kind_of(uint64_t head)
{
    return (sw_ev_word)(head & 15);
}

static inline uint32_t
sw_ev_number_of(uint64_t head)
{
    return (uint32_t)head >> 4;
}

static inline uint32_t
sw_ev_mask_of(uint64_t head)
{
    return (uint32_t)(head >> 32);
}

/* Words of the event with that head, the head included. */
static inline size_t
sw_ev_words_of(const sw_ev_site *sites, uint64_t head)
{
    switch (sw_ev_kind_of(head)) {
    case SW_EV_WORD_RUN:
    case SW_EV_WORD_BRANCH:
        return 2;
    case SW_EV_WORD_ACCESS:
        return 1u + sites[sw_ev_number_of(head)].groups;
    default:
        return 1;
    }
}

/* Its addresses are of its space; else (never in what observers get) flat. */
static inline bool
sw_ev_is_resolved(const sw_ev_site *site)
{
    return site->mem.space == SW_SPACE_GLOBAL ||
           site->mem.space == SW_SPACE_CONST ||
           site->mem.space == SW_SPACE_SHARED;
}

/* The addresses of an access, whose first word is `starts`. */
static inline void
sw_ev_addresses(const sw_ev_site *site, const uint64_t *starts,
                uint64_t addr[32])
{
    if (site->groups == 1)
        for (int i = 0; i < 32; i++)
            addr[i] = starts[0] + (uint64_t)site->at[i];
    else
        for (int i = 0; i < 32; i++)
            addr[i] = starts[site->group[i]] + (uint64_t)site->at[i];
}

#endif
