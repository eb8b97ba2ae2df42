/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns.h - the order of a block's warps where they race.
 *
 * The fastest way is to run one warp after the other, each from barrier to
 * barrier. A device's warps run side by side, and a load takes long: all warps
 * have loaded before one of them stores what it has computed. Programs that
 * lack a barrier between the two are wrong, but on a device mostly right. Here
 * such blocks run in turns: after each access to global or shared memory the
 * next warp runs. Only the interpreter can do that.
 *
 * Whether a program is of that kind is found out in its first blocks. They run
 * in turns, and the words that they access are noted. Where a warp comes after
 * a higher one to a word that one of the two stores, with no barrier between
 * them, running warps one after the other would change what is read. Then all
 * blocks of the program run in turns. Programs that order accesses by atomic
 * operations, fences or volatile accesses are not looked at.
 */
#ifndef SW_TURNS_H
#define SW_TURNS_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sw_blk;
struct sw_fn;

typedef enum {
    SW_TURNS_NEVER,
    SW_TURNS_LOOKS, /* it is not known yet */
    SW_TURNS_RACES, /* for as long as SW_TURNS_MOST says */
    SW_TURNS_ALWAYS /* SOFTWARP_TURNS=1 */
} sw_turns_state;

/* A program that races runs in turns until it has given so many, which takes
 * some seconds of processor time; then it is compiled, and takes no turns. */
#define SW_TURNS_MOST UINT64_C(20000000)

/* Of a program. Zero: never. */
typedef struct {
    atomic_uchar state;         /* sw_turns_state */
    atomic_uint_fast64_t given; /* turns, by blocks that have ended */
} sw_turns;

/* Of a block: words that were accessed since its last barrier, each with the
 * highest warps that loaded and stored it. */
typedef struct sw_turns_look sw_turns_look;

/* Of a program of these functions, whose events somebody observes or not. */
void sw_turns_init(sw_turns *turns, const struct sw_fn *const *fns,
                   uint32_t count, bool is_observed);
/* The block's warps take turns, or it is not known yet: the interpreter has to
 * run it. */
bool sw_turns_holds(const struct sw_blk *blk);
/* A block begins; one that has been given up may have come before. */
void sw_turns_begin(struct sw_blk *blk);
/* It has ended, or (is_done false) is given up. */
void sw_turns_end(struct sw_blk *blk, bool is_done);
/* `mask` lanes of a warp are about to access `bytes` each; addresses are flat.
 * For blocks that are in_turn. */
void sw_turns_note(struct sw_blk *blk, uint32_t warp, bool is_store,
                   uint32_t mask, const uint64_t *addr, uint32_t bytes);
/* A warp has accessed memory: true if it gives its turn away. */
bool sw_turns_give(struct sw_blk *blk);

#endif
