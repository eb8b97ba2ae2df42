/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rt.h - the process, its devices and their contexts.
 *
 * The process object is made at the first sw_rt_init and lives as long as the
 * process. Devices come from SOFTWARP_DEVICES or SOFTWARP_DEVICE (names,
 * comma-separated; default: one of sw_device_default), filtered by
 * CUDA_VISIBLE_DEVICES. Any thread; the current context is a thread's own.
 * Does NOT know any API's names or handles' spelling.
 */
#ifndef SW_RT_RT_H
#define SW_RT_RT_H
#include <pthread.h>

#include "device/device.h"
#include "exec/exec.h"
#include "rt/object.h"

typedef struct sw_rt_device sw_rt_device;
typedef struct sw_rt_context sw_rt_context;
typedef struct sw_rt_stream sw_rt_stream;
typedef struct sw_rt_module sw_rt_module;
typedef struct sw_rt_kernel sw_rt_kernel;
typedef struct sw_rt_event sw_rt_event;
typedef struct sw_rt_pool sw_rt_pool;
typedef struct sw_rt_op sw_rt_op;

enum { SW_RT_MAX_DEVICES = 64 };

enum { /* sw_rt_context.limits */
       SW_RT_LIMIT_STACK,
       SW_RT_LIMIT_PRINTF,
       SW_RT_LIMIT_HEAP,
       SW_RT_LIMIT_SYNC_DEPTH,
       SW_RT_LIMIT_PENDING,
       SW_RT_LIMIT_FETCH,
       SW_RT_LIMIT_PERSISTING,
       SW_RT_LIMIT_COUNT
};

struct sw_rt_device {
    int ordinal;
    int physical; /* the ordinal if all were visible: what it is known by to
                     whoever sees others */
    const sw_device_info *info;
    const sw_cc_limits *limits;
    uint64_t total_bytes;
    uint64_t used_bytes; /* atomic */
    pthread_mutex_t lock;
    sw_rt_context *primary; /* NULL before the first retain */
    uint32_t primary_refs;
    uint32_t primary_flags;
    sw_rt_pool *default_pool, *current_pool;
    /* Bytes of graphs' allocations, atomic: in use, its maximum; existing,
     * its maximum. */
    uint64_t graph_memory[4];
};

struct sw_rt_context {
    sw_rt_object object;
    sw_rt_device *device;
    uint64_t id;
    uint32_t flags;
    bool is_primary;
    int error; /* sw_status, sticky; atomic */
    sw_env env;
    size_t limits[SW_RT_LIMIT_COUNT];
    int cache_config, bank_config;
    uint64_t peers; /* bit per ordinal: access enabled */
    pthread_mutex_t lock;
    sw_vec modules; /* sw_rt_module *; lock */
    /* The rest is for stream.c, under its lock. */
    sw_rt_stream *legacy;
    sw_rt_stream *streams; /* list through ->next, legacy not in it */
    sw_vec orphans;        /* sw_rt_op *: last ops of destroyed streams */
};

/* SW_OK; SW_E_NO_DEVICE; SW_E_INVALID_DEVICE for an unknown name (said on
 * stderr). The same answer every time. */
sw_status sw_rt_init(void);
bool sw_rt_is_initialized(void); /* sw_rt_init has succeeded, no fork since */
int sw_rt_device_count(void);
sw_rt_device *sw_rt_device_at(int ordinal);    /* NULL: no such device */
sw_rt_device *sw_rt_device_find(int physical); /* NULL: not visible */
/* The rules (SW_NUM_ of opt/numerics.h) of its floating point: those of its
 * capability, or of SOFTWARP_NUMERICS. */
unsigned sw_rt_device_numerics(const sw_rt_device *device);
/* An attribute of properties.h; 0 for an unknown one. */
int sw_rt_device_get(const sw_rt_device *device, int attribute);
bool sw_rt_is_exiting(void); /* exit() has been called */

/* ---- contexts ---- */

sw_status sw_rt_context_create(sw_rt_device *device, uint32_t flags,
                               sw_rt_context **out);
/* Waits for its work, then destroys all it owns and itself. */
void sw_rt_context_destroy(sw_rt_context *context);
/* A device's primary context is one object for ever. Once nobody holds it, or
 * after a reset, its error is SW_E_CONTEXT_IS_DESTROYED and it owns nothing,
 * until the next retain. */
sw_rt_context *sw_rt_primary_retain(sw_rt_device *device);
/* SW_E_INVALID_CONTEXT if nobody holds it. */
sw_status sw_rt_primary_release(sw_rt_device *device);
void sw_rt_primary_reset(sw_rt_device *device);
bool sw_rt_primary_is_active(sw_rt_device *device);

/* Of this thread. NULL if there is none. *stale (may be NULL): there is one,
 * but it has been destroyed. */
sw_rt_context *sw_rt_current(bool *stale);
void
sw_rt_current_set(sw_rt_context *context); /* replaces the top; NULL pops */
void sw_rt_current_push(sw_rt_context *context);
bool sw_rt_current_pop(sw_rt_context **out); /* false: nothing to pop */

static inline sw_status
sw_rt_context_error(const sw_rt_context *context)
{
    return (sw_status)__atomic_load_n(&context->error, __ATOMIC_ACQUIRE);
}
/* Only the first counts. */
void sw_rt_context_fail(sw_rt_context *context, sw_status status);

/* ---- what kernels print ---- */

/* To the program's stdout, at once; called where a program waits. */
void sw_rt_print_flush(void);
void sw_rt_print_add(const char *text, size_t bytes, size_t limit);

#endif
