/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - the allocations of the process as the memory and leak tools see
 * them: those that live, and the last of those that were freed.
 *
 * Any thread; readers do not wait for each other.
 */
#ifndef SW_CHECK_MEMORY_H
#define SW_CHECK_MEMORY_H
#include "check/stack.h"
#include "exec/memory_event.h"

typedef struct {
    sw_mev_range range;
    sw_stack_id allocated, freed; /* freed 0: it lives, or nobody knows */
    bool is_freed;
    bool is_retired;  /* cudaFreeAsync was called, its turn has not come */
    const char *name; /* of a variable; NULL */
    const char *call; /* the function that allocated it; NULL: not known */
} sw_allocation;

typedef struct sw_allocations sw_allocations;

/* For as long as the process lives. */
sw_allocations *sw_allocations_create(void);
/* An ALLOC, FREE, RETIRE, REUSE or VARIABLE event. */
void sw_allocations_event(sw_allocations *a, const sw_memory_event *event);
/* The living allocation that contains addr. */
bool sw_allocations_find(sw_allocations *a, uint64_t addr, sw_allocation *out);
/* The freed one that contained addr, the last if several did. */
bool sw_allocations_find_freed(sw_allocations *a, uint64_t addr,
                               sw_allocation *out);
/* The living one that ends nearest before addr or begins nearest behind it. */
bool sw_allocations_nearest(sw_allocations *a, uint64_t addr,
                            sw_allocation *out);
/* The variable of a module that contains addr. */
bool sw_allocations_variable(sw_allocations *a, uint64_t addr,
                             sw_allocation *out);
/* Grows whenever an allocation comes or goes: what find said holds so long,
 * but of the engine's own memory (SW_MEMORY_INTERNAL). */
uint64_t sw_allocations_generation(const sw_allocations *a);
/* Those that live, in the order of their addresses; owned by caller: a vec of
 * sw_allocation. */
void sw_allocations_list(sw_allocations *a, sw_vec *out);

#endif
