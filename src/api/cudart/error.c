/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - a thread's last error; errors by name; what is not there. */
#include <pthread.h>
#include <string.h>

#include "api/cudart/cudart.h"

static _Thread_local cudaError_t last;

cudaError_t
sw_rta_fail(cudaError_t error)
{
    last = error;
    return error;
}

void
sw_rta_forget(void)
{
    last = cudaSuccess;
}

/* One that ended the context is forgotten too; the next call returns it. */
cudaError_t
cudaGetLastError(void)
{
    sw_rta_start();
    cudaError_t error = last;
    last = cudaSuccess;
    return error;
}

cudaError_t
cudaPeekAtLastError(void)
{
    sw_rta_start();
    return last;
}

typedef struct {
    int number;
    const char *name, *text;
} error_row;

static const error_row errors[] = {
#define ERROR(number, driver, runtime, text) {number, #runtime, text},
#include "api/errors.def"
#undef ERROR
};

static const error_row *
find_error(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)error &&
            strcmp(errors[i].name, "NONE") != 0)
            return &errors[i];
    return NULL;
}

const char *
cudaGetErrorName(cudaError_t error)
{
    const error_row *row = find_error(error);
    return row ? row->name : "unrecognized error code";
}

const char *
cudaGetErrorString(cudaError_t error)
{
    const error_row *row = find_error(error);
    return row ? row->text : "unrecognized error code";
}

cudaError_t
sw_rta_unsupported(const char *name)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static sw_map *said;
    pthread_mutex_lock(&lock);
    if (!said)
        said = sw_map_create();
    bool first = !sw_map_get(said, sw_str_of(name));
    if (first)
        sw_map_set(said, sw_str_of(name), said);
    pthread_mutex_unlock(&lock);
    if (first)
        sw_log(SW_LOG_WARN, "%s is not supported", name);
    return sw_rta_fail(cudaErrorNotSupported);
}
