/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loading.h - what modules, libraries and the linker share: loading code and
 * telling the program what the compiler has to say.
 *
 * Any thread; keeps nothing.
 */
#ifndef SW_API_CUDA_LOADING_H
#define SW_API_CUDA_LOADING_H
#include "api/cuda/api.h"

/* What a program asks of the compiler, and where it wants its words: the
 * buffers of its options. */
typedef struct {
    char *info, *error;
    size_t info_bytes, error_bytes;
    void **info_size, **error_size; /* where the size used goes */
    void **wall_time;               /* NULL: not wanted */
    uint32_t max_registers;         /* 0: not said */
} sw_api_logs;

/* False: an option or a value that there is not. */
bool sw_api_read_options(unsigned count, const CUjit_option *options,
                         void **values, sw_api_logs *logs);
/* To the program's buffers; errors also to stderr if it has none for them. */
void sw_api_tell(const sw_diag *diag, const sw_api_logs *logs);
/* The same of words that are there already, but to no stderr. */
void sw_api_put_logs(sw_str error, sw_str info, const sw_api_logs *logs);
/* sw_rt_module_load, told to `logs`; a symbol that nobody defines is
 * SW_E_INVALID_PTX. */
sw_status sw_api_load(sw_rt_context *context, const void *image, size_t bytes,
                      const char *name, const sw_api_logs *logs,
                      sw_rt_module **out);
/* The same of a container that has been read; it may go then. */
sw_status sw_api_load_read(sw_rt_context *context, const sw_fatbin *code,
                           const char *name, const sw_api_logs *logs,
                           sw_rt_module **out);

#endif
