/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - inside exec: whether blocks move on, or all that are there only
 * wait, for each other or for the host. What threads note of it all the time
 * lies apart, each thread's by itself; who waits adds it up.
 */
#ifndef SW_PROGRESS_H
#define SW_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

enum {
    SW_PROGRESS_THREADS = 256, /* at most; one that helps has one slot more */
    SW_CACHE_LINE = 64         /* bytes, of most processors */
};

typedef struct sw_progress sw_progress;

/* From now on the calling thread notes in this slot (0 to
 * SW_PROGRESS_THREADS), which no other one uses at the same time. Returns what
 * sw_progress_leave is to bring back. A thread without a slot may only call
 * sw_progress_note. */
sw_progress *sw_progress_enter(unsigned slot);
void sw_progress_leave(sw_progress *was);

/* Something has moved on. */
void sw_progress_note(void);
/* A block has given its turn away. has_moved: it surely has moved on; else it
 * may have, or only waited. While nothing comes of such turns, who it waits for
 * may be on a thread that waits for a processor, which gets this one. */
void sw_progress_turn(bool has_moved);
/* The thread has so many more blocks in hand, or has yet to begin one. */
void sw_progress_take(int count);
/* So many more blocks stand aside. */
void sw_progress_put_aside(int count);

/* The last time that something moved on, or may have, and how often it has. */
uint64_t sw_progress_last_ns(void);
uint32_t sw_progress_moves(void);
/* A block only waited in a turn that began after so many moves; *seen is its
 * own, of nobody else's use. True: so did all others since then. */
bool sw_progress_wait(uint32_t *seen, uint32_t moves);

#endif
