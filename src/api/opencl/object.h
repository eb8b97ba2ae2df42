/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.h - what every object of OpenCL begins with, and how long it lives.
 *
 * A handle is the object's address. Objects lie in equal slots of one reserved
 * range, so that any number a program passes can be tested without touching
 * memory that is not ours. A slot is used again once its object is gone, the
 * oldest first.
 *
 * Two counts: `refs` are the program's (clRetain, clRelease), `holds` are all:
 * those of other objects, and one for the program as long as it has any. The
 * object is destroyed when the last hold goes. Any thread.
 */
#ifndef SW_API_OPENCL_OBJECT_H
#define SW_API_OPENCL_OBJECT_H
#include "base/base.h"

typedef enum {
    SW_OCL_FREE,
    SW_OCL_PLATFORM,
    SW_OCL_DEVICE,
    SW_OCL_CONTEXT,
    SW_OCL_QUEUE,
    SW_OCL_MEM,
    SW_OCL_SAMPLER,
    SW_OCL_PROGRAM,
    SW_OCL_KERNEL,
    SW_OCL_EVENT,
    SW_OCL_KIND_COUNT
} sw_ocl_kind;

/* The first member of every object. */
typedef struct {
    const void *dispatch; /* the table of cl_icd.h, which a loader reads */
    uint32_t magic;
    uint32_t kind;         /* sw_ocl_kind */
    uint32_t refs;         /* atomic; the program's */
    uint32_t holds;        /* atomic */
    uint32_t serial;       /* of the slot's use: differs for two objects at one
                              address */
    uint32_t is_permanent; /* platform and devices: counts do not matter */
    bool (*destroy)(void *object);
} sw_ocl_head;

enum { SW_OCL_SLOT_BYTES = 384 };

/* How an object ends: it gives up what it owns; the slot is freed after that.
 * False: it is not yet time, and who knows when it is calls sw_ocl_free. */
typedef bool (*sw_ocl_destroy)(void *object);

/* What all objects have as `dispatch`; once, before the first one. */
void sw_ocl_set_dispatch(const void *dispatch);
/* Zeroed but for the head, with one reference. NULL: too many objects, that is
 * CL_OUT_OF_HOST_MEMORY. */
void *sw_ocl_new(sw_ocl_kind kind, size_t bytes, sw_ocl_destroy destroy);
/* The live object of this kind behind a handle; NULL for anything else. */
void *sw_ocl_get(const void *handle, sw_ocl_kind kind);
/* The same if it is still that of this serial number. */
void *sw_ocl_get_same(const void *handle, sw_ocl_kind kind, uint32_t serial);

void sw_ocl_hold(void *object);
/* May destroy the object; NULL is allowed. */
void sw_ocl_unhold(void *object);
void sw_ocl_retain(void *object);
/* False if the program has no reference to give up. */
bool sw_ocl_release(void *object);
/* CL_..._REFERENCE_COUNT. */
uint32_t sw_ocl_count(const void *object);

void sw_ocl_free(void *object);

/* To standard error: how many objects of each kind the program still has
 * references to. Called at exit with SOFTWARP_OPENCL_LEAKS=1. The number of
 * objects. */
size_t sw_ocl_report_leaks(void);

#endif
