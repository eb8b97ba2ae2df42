/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shadow.h - who accessed each word of memory last: cells beside the memory of
 * a launch's blocks, for races.
 *
 * A *cell* stands for a word of 4 bytes, or for a byte once some access to its
 * chunk was not of whole words, so that neighbours in a word are not confused.
 * It keeps the last write, the last plain one, and two reads; two, since a
 * later write may race with one of them only. An access is packed into 64 bits,
 * in a layout that fits the launch.
 */
#ifndef SW_CHECK_SHADOW_H
#define SW_CHECK_SHADOW_H
#include "check/clocks.h"

/* How strong an access is: what it takes not to race with another one. */
typedef enum {
    SW_STRENGTH_PLAIN,
    SW_STRENGTH_BLOCK, /* relaxed or stronger, scope .cta */
    SW_STRENGTH_DEVICE,
    SW_STRENGTH_VOLATILE, /* as wide as DEVICE, but orders no lanes of a warp */
    SW_STRENGTH_ASYNC,    /* by cp.async: ordered by its wait alone */
    SW_STRENGTH_BULK,     /* by cp.async.bulk: of an agent (clocks.h) */
    SW_STRENGTH_REDUCE /* by cp.reduce.async.bulk: atomic, as wide as DEVICE */
} sw_strength;

/* 0: none. */
typedef uint64_t sw_access;

typedef struct {
    uint8_t thread_bits, ins_bits; /* the clock has the rest */
    uint64_t threads;              /* of a block, whole warps */
} sw_access_layout;

/* blocks, threads of one, instructions of the kernel. False: they do not leave
 * enough bits for clocks (16). */
bool sw_access_layout_of(uint64_t blocks, uint32_t threads, uint32_t ins,
                         sw_access_layout *out);

enum { SW_ACCESS_STRENGTH_BITS = 3 };

static inline sw_access
sw_access_pack(const sw_access_layout *l, uint64_t thread, uint32_t ins,
               sw_clock clock, sw_strength strength)
{
    return ((((uint64_t)clock << l->ins_bits | ins) << l->thread_bits | thread)
            << SW_ACCESS_STRENGTH_BITS) |
           strength;
}

static inline sw_strength
sw_access_strength(sw_access a)
{
    return (sw_strength)(a & ((1 << SW_ACCESS_STRENGTH_BITS) - 1));
}

/* The thread's number in the launch: its block's times l->threads, and more. */
static inline uint64_t
sw_access_thread(const sw_access_layout *l, sw_access a)
{
    return a >> SW_ACCESS_STRENGTH_BITS & (((uint64_t)1 << l->thread_bits) - 1);
}

static inline uint32_t
sw_access_ins(const sw_access_layout *l, sw_access a)
{
    return (uint32_t)(a >> (SW_ACCESS_STRENGTH_BITS + l->thread_bits) &
                      (((uint64_t)1 << l->ins_bits) - 1));
}

static inline sw_clock
sw_access_clock(const sw_access_layout *l, sw_access a)
{
    return (sw_clock)(a >>
                      (SW_ACCESS_STRENGTH_BITS + l->thread_bits + l->ins_bits));
}

/* weak: the last plain write that strong ones have covered since. It orders
 * nothing that they meet. */
typedef struct {
    sw_access write, weak, read, other_read;
} sw_cell;

/* ---- cells of a run of bytes ---- */

enum { SW_CHUNK_SHIFT = 10, SW_CHUNK_BYTES = 1 << SW_CHUNK_SHIFT };

/* Of one launch; another launch's cells for the same bytes are in `next` while
 * both may run. */
typedef struct sw_chunk {
    uint64_t owner;  /* as the user numbers launches */
    void *context;   /* the user's, of that launch */
    bool is_by_byte; /* else by words */
    sw_cell *cells;  /* [SW_CHUNK_BYTES] or a quarter of it */
    struct sw_chunk *next;
} sw_chunk;

sw_chunk *sw_chunk_create(void);
void sw_chunk_destroy(sw_chunk *chunk); /* with those behind it */
/* A cell a byte from now on; each has what its word's had. */
void sw_chunk_by_byte(sw_chunk *chunk);
void sw_chunk_clear(sw_chunk *chunk);

/* ---- chunks by address, for all threads ---- */

typedef struct sw_shadow sw_shadow;

/* For as long as the process lives. */
sw_shadow *sw_shadow_create(void);
/* Where the chunk of an address below 2^48 hangs, locked until
 * sw_shadow_unlock; *slot may be NULL and may be replaced. */
sw_chunk **sw_shadow_lock(sw_shadow *s, uint64_t addr);
void sw_shadow_unlock(sw_shadow *s, uint64_t addr);
/* Forgets all of [addr, addr + bytes); whole chunks only where it covers
 * part of one: the cells of the bytes. */
void sw_shadow_forget(sw_shadow *s, uint64_t addr, uint64_t bytes);

#endif
