/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info.h - how every clGet...Info answers: the value if there is room for it,
 * and its size.
 */
#ifndef SW_API_OPENCL_INFO_H
#define SW_API_OPENCL_INFO_H
#include <string.h>

#include "api/opencl/ocl.h"

/* What the program passed. */
typedef struct {
    size_t size;
    void *value;      /* or NULL: only the size is wanted */
    size_t *size_ret; /* or NULL */
} sw_ocl_ask;

/* CL_INVALID_VALUE: there is no room. */
static inline cl_int
sw_ocl_answer(const sw_ocl_ask *ask, const void *data, size_t bytes)
{
    if (ask->value && ask->size < bytes)
        return CL_INVALID_VALUE;
    if (ask->value && bytes)
        memcpy(ask->value, data, bytes);
    if (ask->size_ret)
        *ask->size_ret = bytes;
    return CL_SUCCESS;
}

static inline cl_int
sw_ocl_answer_text(const sw_ocl_ask *ask, const char *text)
{
    return sw_ocl_answer(ask, text, strlen(text) + 1);
}

/* The extensions that devices of the capability (times ten) have, as text and
 * with their versions. */
cl_int sw_ocl_answer_extensions(uint32_t capability, const sw_ocl_ask *ask);
cl_int sw_ocl_answer_extensions_versions(uint32_t capability,
                                         const sw_ocl_ask *ask);

/* ASK(ask): the usual last three parameters. */
#define ASK(ask)                                                               \
    const sw_ocl_ask ask = {param_value_size, param_value, param_value_size_ret}
/* The answer of a type, and the function's result. */
#define ANSWER(ask, type, ...)                                                 \
    do {                                                                       \
        type answer_ = (__VA_ARGS__);                                          \
        return sw_ocl_answer(ask, &answer_, sizeof answer_);                   \
    } while (0)

#endif
