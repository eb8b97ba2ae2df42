/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_table.h - what libcudart and src/lib ask of our libcuda besides the
 * driver API: a table that cuGetExportTable returns for the id
 * "softwarp-runtime".
 */
#ifndef SW_RUNTIME_TABLE_H
#define SW_RUNTIME_TABLE_H
#include <stdbool.h>
#include <stddef.h>

#include "cuda/cuda.h"
#include "rt/calls.h"
#include "rt/compute.h"

/* A managed variable of a program compiled with softwarp cc: it is in host
 * memory of the program, and device code sees it there. */
typedef struct {
    const char *name; /* in device code */
    void *host;
    size_t bytes;
} sw_api_placement;

typedef struct {
    /* The container leaves symbols to others: it must be linked. */
    bool (*needs_link)(const void *image);
    /* cuModuleLoadData, with variables whose place is given. */
    CUresult (*load)(CUmodule *module, const void *image,
                     const sw_api_placement *at, size_t count);
    /* Writes the variables' initial values to their places. False if the
     * container cannot be read. */
    bool (*initialize)(const void *image, const sw_api_placement *at,
                       size_t count);
    /* Calls of the runtime library's functions (rt/calls.h). */
    bool (*calls_are_observed)(void);
    void (*call_begin)(sw_rt_call *call);
    void (*call_end)(sw_rt_call *call);
    /* Who knows the host's copies of device variables (rt/complain.h). */
    void (*set_host_namer)(const char *(*namer)(uint64_t address));
    /* A library's computation, in the order of a stream (or into the graph that
     * captures it). The computation stays the caller's. */
    CUresult (*compute)(CUstream stream, sw_rt_compute *compute);
} sw_api_runtime_table;

#endif
