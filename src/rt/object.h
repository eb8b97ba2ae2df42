/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.h - what programs hold handles of: contexts, modules, kernels,
 * streams, events, arrays and the rest, all from one table.
 *
 * A handle is the object's address. Objects live in equal slots of one
 * reserved range and a slot is never given back to the system, so any number
 * a program passes can be tested without a lock and without touching memory
 * that is not ours. Slots are reused oldest first. Any thread. Does NOT know
 * what the objects are.
 */
#ifndef SW_RT_OBJECT_H
#define SW_RT_OBJECT_H
#include "base/base.h"

typedef enum {
    SW_RT_FREE,
    SW_RT_CONTEXT,
    SW_RT_MODULE,
    SW_RT_KERNEL,
    SW_RT_STREAM,
    SW_RT_EVENT,
    SW_RT_ARRAY,
    SW_RT_MIPMAP,
    SW_RT_POOL,
    SW_RT_TEXTURE,
    SW_RT_TEXREF,
    SW_RT_GRAPH,
    SW_RT_NODE,
    SW_RT_GRAPH_EXEC,
    SW_RT_LIBRARY,
    SW_RT_LINKER,
    SW_RT_PHYSICAL, /* memory without an address */
    SW_RT_USER,
    SW_RT_USER_OBJECT,
    SW_RT_LOG_CALLBACK,
    SW_RT_NOTIFICATION
} sw_rt_type;

/* First member of every object. */
typedef struct {
    uint32_t magic;
    uint16_t type; /* sw_rt_type */
    uint16_t flags;
    uint32_t refs;
    uint32_t serial; /* of the slot's use; differs for two objects at one
                        address */
} sw_rt_object;

enum { SW_RT_SLOT_BYTES = 768 };

/* Zeroed but for the header, one reference. bytes <= SW_RT_SLOT_BYTES. Never
 * NULL. Freed by sw_rt_object_free. */
void *sw_rt_object_new(sw_rt_type type, size_t bytes);
/* Invalidates the handle and gives the slot back. */
void sw_rt_object_free(void *object);
/* The live object of this type behind a handle; NULL for anything else. */
void *sw_rt_object_get(const void *handle, sw_rt_type type);
/* The type of a live object; SW_RT_FREE for anything else. */
sw_rt_type sw_rt_object_type(const void *handle);

static inline void
sw_rt_object_ref(void *object)
{
    __atomic_add_fetch(&((sw_rt_object *)object)->refs, 1, __ATOMIC_RELAXED);
}

/* True if that was the last reference: the caller destroys the object. */
static inline bool
sw_rt_object_unref(void *object)
{
    return __atomic_sub_fetch(&((sw_rt_object *)object)->refs, 1,
                              __ATOMIC_ACQ_REL) == 0;
}

#endif
