/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_buffer.h - events as compiled code writes them: words of 64 bits, in
 * the order in which the block executes. An observer that takes them
 * (sw_observer.buffer) gets many at once, and need not look at 32 addresses of
 * an access that is a row.
 *
 * Compiled code runs one warp, or 2, 4 or 8 neighbours as one: an event is of
 * all of them. It is a head, then masks, then so many words as its kind says:
 *
 *     bits 0 to 3     sw_ev_word
 *     bits 4 to 31    a number: of an instruction, a site (ACCESS), a warp
 *     bits 32 to 63   the mask of one warp; of several: all bits: all their
 *                     lanes; 0: a mask for each follows, two in a word, the
 *                     lower warp's in the lower half
 */
#ifndef SW_EVENT_BUFFER_H
#define SW_EVENT_BUFFER_H
#include "exec/event.h"

typedef enum {
    SW_EV_WORD_RUN,    /* 1 word: the mask begins to execute the instructions
                          from `number` on, so many; with INS, BRANCH or EXIT */
    SW_EV_WORD_STOP,   /* 0, no masks: of these, not what is from `number` on */
    SW_EV_WORD_GUARD,  /* 0: the guard of this one held for the mask; with INS;
                          maybe behind its accesses */
    SW_EV_WORD_BRANCH, /* a bra with a guard; then words as for masks (of one
                          warp: 1): lanes that take it */
    SW_EV_WORD_ACCESS, /* site.groups words: where each group of lanes begins */
    SW_EV_WORD_FENCE,  /* 0: a fence, or a wait for asynchronous copies; the
                          callback for it follows this buffer */
    SW_EV_WORD_ARRIVE, /* 0: at the barrier of all threads of the block, where
                          they wait; with BARRIER */
    SW_EV_WORD_RELEASE, /* 0: ... and go on */
    SW_EV_WORD_END,     /* 0: lanes have ended, by the last instruction of the
                           run; with EXIT or BARRIER */
    SW_EV_WORD_WARP     /* 0, no masks: what follows is of the warp `number`, or
                           of the warps from there on */
} sw_ev_word;

enum { SW_EV_WARPS_MOST = 8 };

/* A place in compiled code where lanes of a warp access memory. Of several
 * warps that run as one the sites follow each other. */
typedef struct sw_ev_site {
    const sw_ins *ins;
    uint32_t index;
    sw_ev_mem mem;   /* but for addr and owner */
    uint16_t groups; /* of all the warps; up to 32 times their number */
    /* Lane i accesses words[group[i]] + at[i]. */
    uint8_t group[32];
    int64_t at[32];
    int64_t low, high; /* the least and the greatest of `at` */
} sw_ev_site;

typedef struct sw_ev_buffer {
    uint32_t block[3];
    uint64_t block_index;
    uint32_t warp;   /* whose words come first, */
    uint32_t warps;  /* ... and how many run as one: 1, 2, 4 or 8 */
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

static inline bool
sw_ev_has_masks(sw_ev_word kind)
{
    return kind != SW_EV_WORD_STOP && kind != SW_EV_WORD_WARP;
}

/* Words of masks between the head and the rest. */
static inline size_t
sw_ev_mask_words(uint64_t head, uint32_t warps)
{
    return warps > 1 && !(head >> 32) && sw_ev_has_masks(sw_ev_kind_of(head))
               ? warps / 2
               : 0;
}

/* The mask of the n-th of the warps that the event at `word` is of. */
static inline uint32_t
sw_ev_mask_of(const uint64_t *word, uint32_t warps, uint32_t n)
{
    return sw_ev_mask_words(*word, warps)
               ? (uint32_t)(word[1 + n / 2] >> n % 2 * 32)
               : (uint32_t)(*word >> 32);
}

/* What follows the masks. */
static inline const uint64_t *
sw_ev_rest_of(const uint64_t *word, uint32_t warps)
{
    return word + 1 + sw_ev_mask_words(*word, warps);
}

/* BRANCH: of the n-th warp's lanes those that take it. */
static inline uint32_t
sw_ev_taken_of(const uint64_t *word, uint32_t warps, uint32_t n)
{
    return (uint32_t)(sw_ev_rest_of(word, warps)[n / 2] >> n % 2 * 32);
}

/* Words of the event with that head, the head included. */
static inline size_t
sw_ev_words_of(const sw_ev_site *sites, uint64_t head, uint32_t warps)
{
    size_t n = 1 + sw_ev_mask_words(head, warps);
    switch (sw_ev_kind_of(head)) {
    case SW_EV_WORD_RUN:
        return n + 1;
    case SW_EV_WORD_BRANCH:
        return n + (warps > 1 ? warps / 2 : 1);
    case SW_EV_WORD_ACCESS:
        return n + sites[sw_ev_number_of(head)].groups;
    default:
        return n;
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

/* The addresses of an access, whose groups begin at `starts`. */
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
