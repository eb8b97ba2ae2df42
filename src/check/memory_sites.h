/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_sites.h - inside the memory tool: what the addresses of each
 * instruction of a launch must stay in, and where compiled code need not tell
 * its accesses (sw_observer.quiet). Both are kept for launches of the same
 * kernel with the same arguments, as long as no allocation comes or goes.
 *
 * Any thread.
 */
#ifndef SW_CHECK_MEMORY_SITES_H
#define SW_CHECK_MEMORY_SITES_H
#include "check/memory.h"
#include "watch/watch.h"

/* Of one instruction. FREE: its addresses are of no object that is known. */
typedef struct {
    enum { SW_SITE_NEW, SW_SITE_FREE, SW_SITE_BOUND } state;
    sw_space space;      /* of the bounds */
    uint64_t first, end; /* flat; offsets in shared and local memory */
    const sw_sym *sym;   /* NULL: an allocation, by a parameter */
} sw_memory_site;

/* Rows of a block, which blocks use one after the other. */
typedef struct sw_quiet_table {
    struct sw_quiet_table *next, *next_unused;
    sw_ev_quiet rows[]; /* [ins_count] */
} sw_quiet_table;

typedef struct sw_known_launches sw_known_launches; /* of the process */
typedef struct sw_known_launch sw_known_launch;

/* For as long as the process lives. */
sw_known_launches *sw_known_create(sw_allocations *allocations);
/* For a launch that begins; leave it when that has ended. */
sw_known_launch *sw_known_enter(sw_known_launches *all,
                                const sw_watch_launch *launch);
void sw_known_leave(sw_known_launches *all, sw_known_launch *known);
/* Memory goes: compiled code has to tell all accesses again. */
void sw_known_hear_all(sw_known_launches *all);
/* Never NULL, and not NEW. */
const sw_memory_site *sw_known_site(sw_known_launch *known,
                                    const sw_ev_where *where);
/* For a block that begins, and when it has ended. */
sw_quiet_table *sw_known_take_table(sw_known_launch *known);
void sw_known_give_table(sw_known_launch *known, sw_quiet_table *table);

#endif
