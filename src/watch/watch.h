/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - observers of launches: checkers, counters, traces. Each is a
 * function that makes an sw_observer and the SW_EV_ bits it wants; the program
 * must have been created for these.
 *
 * Sees events and static facts of kernels only, never the state of an engine.
 * event.h says on which threads callbacks run.
 */
#ifndef SW_WATCH_H
#define SW_WATCH_H
#include "exec/event.h"

/* none.c: sees everything, does nothing. What to copy for a new one. */
enum {
    SW_WATCH_NONE_EVENTS = SW_EV_BLOCK | SW_EV_INS | SW_EV_MEM | SW_EV_BRANCH |
                           SW_EV_BARRIER | SW_EV_TEX
};
sw_observer sw_watch_none(void);

#endif
