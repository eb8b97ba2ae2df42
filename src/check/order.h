/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - which operation of which stream happens before which, and which
 * happens before what a host thread does: vector clocks over streams and host
 * threads, fed by memory events (exec/memory_event.h). A host function that has
 * begun may tell any host thread so: all know what lies before it.
 *
 * Any thread. Operations are kept for the life of the process, some 32 bytes
 * and what they know each.
 */
#ifndef SW_CHECK_ORDER_H
#define SW_CHECK_ORDER_H
#include "exec/memory_event.h"

typedef struct sw_order_graph sw_order_graph;

/* The events that it needs. */
#define SW_ORDER_EVENTS                                                        \
    (SW_MEV_OP_QUEUED | SW_MEV_OP_AFTER | SW_MEV_OP_STARTED | SW_MEV_HOST_AFTER)

/* For as long as the process lives. */
sw_order_graph *sw_order_create(void);
void sw_order_event(sw_order_graph *g, const sw_memory_event *event);

/* Operation a ends before b begins, whatever the device does. False for a
 * number that was never told. True if they are the same. */
bool sw_order_is_before(sw_order_graph *g, uint64_t a, uint64_t b);
/* Operation a ends before what the host thread does from now on. */
bool sw_order_is_before_host(sw_order_graph *g, uint64_t a, uint32_t thread);

#endif
