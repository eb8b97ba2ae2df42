/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queued.h - which call of the program has queued a copy, a fill or a library's
 * computation, for what is said of it when it is done. Any thread.
 */
#ifndef SW_CHECK_QUEUED_H
#define SW_CHECK_QUEUED_H
#include "check/stack.h"
#include "exec/memory_event.h"

typedef struct sw_queued sw_queued;

/* For as long as the process lives. */
sw_queued *sw_queued_create(void);
/* An OP_QUEUED event, on the thread that calls; of other work it does nothing.
 */
void sw_queued_event(sw_queued *q, const sw_memory_event *event);
/* The stack of the call that queued the operation; 0: not known, as of
 * operations of graphs, and when thousands have been queued since. */
sw_stack_id sw_queued_by(sw_queued *q, uint64_t op);

#endif
