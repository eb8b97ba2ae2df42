/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - what a program is for each of its devices, and how it becomes
 * that. Any thread. A program is built by one thread at a time, into an
 * sw_ocl_built of that thread's own, which takes the old one's place under the
 * program's lock. While kernels are attached nothing takes its place.
 */
#ifndef SW_API_OPENCL_PROGRAM_H
#define SW_API_OPENCL_PROGRAM_H
#include "api/opencl/ocl.h"

/* What messages and line numbers call a program's source, as NVIDIA's do. */
#define SW_OCL_SOURCE_NAME "<kernel>"

/* Of one device. Those of a program are read and replaced under its lock. */
struct sw_ocl_built {
    cl_build_status status;
    cl_program_binary_type type;
    char *options; /* or NULL */
    char *log;     /* or NULL */
    /* An object (compiled or library) or PTX (executable), or nothing. */
    char *binary;
    size_t binary_bytes;
    sw_rt_module *module; /* of an executable that is built; or NULL */
    bool has_facts;
    sw_cl_program_facts facts; /* if it has them, of the module's kernels */
};

/* NULL: no host memory. Without devices: those of the context. */
cl_program sw_ocl_program_create(cl_context context, cl_uint device_count,
                                 const cl_device_id *devices);
/* What the program has for that device; NULL: it is none of its devices. The
 * caller holds the program's lock. */
sw_ocl_built *sw_ocl_program_of(cl_program program, cl_device_id device);

/* The first device that has an executable; NULL. Under the lock, too. */
const sw_ocl_built *sw_ocl_program_executable(const struct _cl_program *p);

/* What a binary is: EXECUTABLE (PTX), COMPILED_OBJECT or LIBRARY; NONE: nothing
 * that we know. */
cl_program_binary_type sw_ocl_binary_type(const void *binary, size_t bytes);
/* An object that compile or link has made, as a binary: CL_PROGRAM_BINARIES
 * has to say which of the two it is. Takes the text. */
void sw_ocl_binary_set(sw_ocl_built *built, cl_program_binary_type type,
                       sw_buf *text);
/* The object in it, for the linker. */
sw_cl_object sw_ocl_binary_object(const sw_ocl_built *built);

/* Loads the executable that *built has for device i and reads its facts; what
 * is wrong goes to `log`. CL_SUCCESS or CL_BUILD_PROGRAM_FAILURE. */
cl_int sw_ocl_program_load(const struct _cl_program *program, cl_uint i,
                           sw_ocl_built *built, sw_buf *log);
/* Forgets what was built. */
void sw_ocl_built_clear(sw_ocl_built *built);

#endif
