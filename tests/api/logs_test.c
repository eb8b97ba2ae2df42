/* SPDX-License-Identifier: Apache-2.0 */
/* logs_test.c - the driver's messages reach the program. What they say is the
 * driver's affair: here is only that something is said of a launch that no
 * device can do. */
#include <stdlib.h>
#include <unistd.h>

#include "api_help.h"

static unsigned calls;

static void
count(void *data, CUlogLevel level, char *message, size_t length)
{
    CHECK_EQ(*(int *)data, 7);
    CHECK(level == CU_LOG_LEVEL_ERROR || level == CU_LOG_LEVEL_WARNING);
    CHECK_EQ(strlen(message), length);
    calls++;
}

/* A call that fails and says why. */
static void
fail(const api_fixture *f)
{
    CHECK(cuLaunchKernel(f->empty, 1, 1, 1, 4096, 1, 1, 0, NULL, NULL, NULL) !=
          CUDA_SUCCESS);
}

CASE(messages_reach_the_program)
{
    api_fixture f = api_begin();
    int data = 7;
    char text[4096], small[2], name[] = "/tmp/softwarp-logs-XXXXXX";
    size_t size = sizeof text;
    CUlogIterator at, before;
    CUlogsCallbackHandle handle;
    CHECK_EQ(cuLogsCurrent(&at, 0), CUDA_SUCCESS);
    before = at;
    CHECK_EQ(cuLogsDumpToMemory(&at, text, &size, 0), CUDA_SUCCESS);
    CHECK_EQ(size, 0); /* nothing yet */
    CHECK_EQ(cuLogsRegisterCallback(count, &data, &handle), CUDA_SUCCESS);
    fail(&f);
    CHECK(calls > 0);
    size = sizeof text;
    CHECK_EQ(cuLogsDumpToMemory(&at, text, &size, 0), CUDA_SUCCESS);
    CHECK(size > 0 && strlen(text) == size && text[size - 1] == '\n');
    size_t first = size;
    size = sizeof text;
    CHECK_EQ(cuLogsDumpToMemory(&at, text, &size, 0), CUDA_SUCCESS);
    CHECK_EQ(size, 0); /* it has been read */
    size = sizeof small;
    at = before;
    CHECK_EQ(cuLogsDumpToMemory(&at, small, &size, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(size, 0);

    close(mkstemp(name));
    at = before;
    CHECK_EQ(cuLogsDumpToFile(&at, name, 0), CUDA_SUCCESS);
    FILE *file = fopen(name, "r");
    CHECK(file && fread(text, 1, sizeof text, file) == first);
    if (file)
        fclose(file);
    unlink(name);

    unsigned seen = calls;
    CHECK_EQ(cuLogsUnregisterCallback(handle), CUDA_SUCCESS);
    fail(&f);
    CHECK_EQ(calls, seen);
    CHECK_EQ(cuLogsUnregisterCallback(handle), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuLogsRegisterCallback(NULL, NULL, NULL),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuLogsCurrent(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuLogsCurrent(&at, 1), CUDA_SUCCESS);
    CHECK_EQ(cuLogsDumpToFile(&at, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuLogsDumpToMemory(&at, NULL, &size, 0), CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}

/* Of many the newest are kept, and that others are gone is said. */
CASE(the_newest_messages_are_kept)
{
    api_fixture f = api_begin();
    static char text[1 << 16];
    size_t size = sizeof text;
    CUlogIterator at = 0, end;
    for (int i = 0; i < 1000; i++)
        fail(&f);
    CHECK_EQ(cuLogsDumpToMemory(&at, text, &size, 0), CUDA_SUCCESS);
    CHECK(size > 1000 && size < 30000);
    CHECK_EQ(cuLogsCurrent(&end, 0), CUDA_SUCCESS);
    CHECK_EQ(at, end);
    at = 0;
    size_t less = 600;
    CHECK_EQ(cuLogsDumpToMemory(&at, text, &less, 0), CUDA_SUCCESS);
    CHECK(less > 0 && less < 600);
    api_end(&f);
}
