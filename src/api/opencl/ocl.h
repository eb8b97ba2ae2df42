/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl.h - the objects of OpenCL on top of rt, and what its files share.
 *
 * A context has one sw_rt_context for each of its devices; device memory is one
 * address space for all of them, so memory belongs to that of the first one. A
 * queue is a stream, out-of-order an unordered one; an event is an operation
 * of a stream. Entry points check their arguments, translate, call rt.
 *
 * Any thread. Does NOT know how OpenCL C becomes PTX (compiler.h).
 */
#ifndef SW_API_OPENCL_OCL_H
#define SW_API_OPENCL_OCL_H
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "api/entry.h"
#define ENTRY(name, since, table, state, missing) SW_ENTRY_RENAME(name)
#include "api/opencl/entries.def"
#undef ENTRY
/* clang-format off */
#include <CL/cl.h>
#include <CL/cl_ext.h>
/* clang-format on */
#include <pthread.h>

#include "api/opencl/object.h"
#include "cc/opencl.h"
#include "rt/memory.h"
#include "rt/module.h"
#include "rt/rt.h"
#include "rt/stream.h"

struct _cl_platform_id {
    sw_ocl_head head;
};

struct _cl_device_id {
    sw_ocl_head head;
    sw_rt_device *device;
    int ordinal;
};

/* What the program wants to be told when an object goes; newest first. */
typedef struct sw_ocl_goodbye {
    void (*notify)(void); /* of the type that its kind of object has */
    void *arg;
    struct sw_ocl_goodbye *next;
} sw_ocl_goodbye;

struct _cl_context {
    sw_ocl_head head;
    cl_uint device_count;
    cl_device_id *devices; /* [device_count] */
    sw_rt_context **rt;    /* [device_count] */
    cl_context_properties *properties;
    size_t property_count; /* with the 0 at the end */
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
    void *notify_arg;
    pthread_mutex_t lock;
    sw_ocl_goodbye *goodbyes; /* lock */
    sw_vec svm;               /* sw_ocl_svm; lock */
};

struct _cl_command_queue {
    sw_ocl_head head;
    cl_context context;
    cl_device_id device;
    cl_uint index; /* of the device in the context */
    sw_rt_context *rt;
    sw_rt_stream *stream;
    cl_command_queue_properties flags; /* atomic */
    cl_queue_properties *properties;   /* as given; NULL */
    size_t property_count;             /* with the 0 at the end */
};

struct _cl_event {
    sw_ocl_head head;
    cl_context context;
    cl_command_queue queue; /* NULL: a user event */
    cl_command_type type;
    sw_rt_op *op;    /* that ends it */
    sw_rt_op *first; /* of a command that is several: begins it; or NULL */
    uint64_t queued_ns, submitted_ns;
    int user_status; /* atomic; of a user event: CL_SUBMITTED, then what the
                        program has set */
};

/* The program's own memory that kernels may access: host_memory.c. */
typedef struct sw_ocl_pieces sw_ocl_pieces;

/* A region that the program has mapped; of a memory object. */
typedef struct {
    void *address;
    cl_uint count;
} sw_ocl_mapping;

struct _cl_mem {
    sw_ocl_head head;
    cl_context context;
    cl_mem_object_type type;
    cl_mem_flags flags;
    cl_mem parent;     /* of a sub-buffer; an image's buffer or image; NULL */
    size_t offset;     /* in the parent */
    size_t bytes;      /* CL_MEM_SIZE */
    uint64_t address;  /* of its first byte */
    bool owns_address; /* frees it */
    void *host_ptr;    /* as given with CL_MEM_USE_HOST_PTR */
    sw_ocl_pieces *pieces;
    cl_mem_properties *properties;
    size_t property_count;
    /* images */
    cl_image_format format;
    size_t element_bytes, width, height, depth, array_size; /* 0: has none */
    size_t row_bytes, slice_bytes;
    uint64_t descriptor; /* address of an sw_cl_image */
    /* pipes */
    cl_uint packet_bytes, packet_count;
    pthread_mutex_t lock;
    sw_vec mappings;          /* sw_ocl_mapping; lock */
    cl_uint map_count;        /* lock */
    sw_ocl_goodbye *goodbyes; /* lock */
};

struct _cl_sampler {
    sw_ocl_head head;
    cl_context context;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_sampler_properties properties[7];
    size_t property_count;
};

typedef struct sw_ocl_built sw_ocl_built; /* program.h */
typedef struct sw_ocl_il sw_ocl_il;       /* il.h */

struct _cl_program {
    sw_ocl_head head;
    cl_context context;
    cl_uint device_count;
    cl_device_id *devices;
    sw_ocl_built *built; /* [device_count]; lock */
    char *source;        /* or NULL */
    sw_ocl_il *il;       /* or NULL */
    pthread_mutex_t lock;
    cl_uint kernels; /* attached, and threads that look for one; lock */
};

/* What clSetKernelArg has said. */
typedef struct {
    bool is_set;
    bool is_svm;
    const void *object; /* of a memory object or sampler; or NULL */
    uint32_t serial;    /* its */
    size_t local_bytes; /* of a LOCAL one */
} sw_ocl_argument;

struct _cl_kernel {
    sw_ocl_head head;
    cl_program program;
    sw_rt_kernel *
        *rt; /* [device_count of the program]; NULL: not built there */
    const sw_cl_kernel *facts; /* the program's */
    sw_ocl_argument *arguments;
    unsigned char *block; /* the parameter block, but for LOCAL ones */
    uint32_t block_bytes;
    bool uniform_groups;
    bool has_locals;
};

/* The kernel as it is for that device; NULL: it is not built there. */
sw_rt_kernel *sw_ocl_kernel_on(const struct _cl_kernel *k, cl_device_id device);

/* ---- the platform ---- */

cl_platform_id sw_ocl_platform(void);
/* The devices, made at the first call; *count. */
cl_device_id *sw_ocl_devices(cl_uint *count);
bool sw_ocl_is_platform(cl_platform_id platform); /* NULL is one, too */

/* ---- contexts ---- */

/* Of a device of the context; -1: it is none of it. */
int sw_ocl_device_index(cl_context context, cl_device_id device);
/* To the function that the program gave with the context. */
void sw_ocl_notify(cl_context context, const char *text);

/* Calls finish(object) once all that the context's devices have been given is
 * done: at once, which returns true; or later, and then release(object), too
 * (sw_ocl_free for one of object.h). The context has to live until then. */
bool sw_ocl_when_idle(cl_context context, void *object,
                      void (*finish)(void *object),
                      void (*release)(void *object));

/* Adds to the front of a list, under its lock. */
void sw_ocl_goodbye_add(sw_ocl_goodbye **list, pthread_mutex_t *lock,
                        void (*notify)(void), void *arg);
/* Frees them all after say(object, notify, arg), which calls by the type. */
void sw_ocl_goodbye_all(sw_ocl_goodbye **list, void *object,
                        void (*say)(void *object, void (*notify)(void),
                                    void *arg));

/* A copy of a list of pairs of 64 bits that ends on 0, and its length with that
 * 0. NULL and 0 for NULL. Freed by sw_free. */
void *sw_ocl_copy_list(const void *list, size_t *count);

/* This thread is one that calls the program's functions for streams: it must
 * not wait for them. */
extern _Thread_local bool sw_ocl_is_callback;

/* ---- small helpers ---- */

/* Flags of a memory object that the host must not read; must not write. */
enum {
    SW_OCL_NO_READ = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
    SW_OCL_NO_WRITE = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS
};

static inline void
sw_ocl_set_error(cl_int *errcode_ret, cl_int error)
{
    if (errcode_ret)
        *errcode_ret = error;
}

#define REQUIRE(cond, error)                                                   \
    do {                                                                       \
        if (!(cond))                                                           \
            return error;                                                      \
    } while (0)
/* Of functions that return an error. */
#define TRY(call)                                                              \
    do {                                                                       \
        cl_int try_ = (call);                                                  \
        if (try_ != CL_SUCCESS)                                                \
            return try_;                                                       \
    } while (0)
#define GET(type, var, handle, kind, error)                                    \
    type var = sw_ocl_get(handle, kind);                                       \
    REQUIRE(var, error)

#endif
