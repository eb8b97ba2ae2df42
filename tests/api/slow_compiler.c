/* SPDX-License-Identifier: Apache-2.0 */
/* slow_compiler.c - in place of libsoftwarp-jit for api/unload: takes until the
 * file that WAIT_FOR names is there, makes nothing, and removes the file. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "jit/abi.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void
sw_jit_compile(const sw_jit_request *request, sw_jit_result *result)
{
    const struct timespec nap = {0, 1000000};
    const char *path = getenv("WAIT_FOR");
    memset(result, 0, sizeof *result);
    while (access(path, F_OK) != 0)
        nanosleep(&nap, NULL);
    /* The kernel is still there. */
    if (strcmp(request->kernel->name, "long_loop") == 0)
        unlink(path);
}

EXPORT void
sw_jit_free(sw_jit_result *result)
{
    memset(result, 0, sizeof *result);
}
