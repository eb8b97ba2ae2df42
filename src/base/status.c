/* SPDX-License-Identifier: Apache-2.0 */
/* status.c - names and texts of sw_status, and assertion failure. */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

const char *
sw_status_name(sw_status status)
{
    switch ((int)status) {
#define STATUS(name, number, opencl, text)                                     \
    case number:                                                               \
        return #name;
#include "base/status.def"
#undef STATUS
    default:
        return "UNKNOWN";
    }
}

const char *
sw_status_text(sw_status status)
{
    switch ((int)status) {
#define STATUS(name, number, opencl, text)                                     \
    case number:                                                               \
        return text;
#include "base/status.def"
#undef STATUS
    default:
        return "unknown error";
    }
}

int
sw_status_opencl(sw_status status)
{
    enum { OUT_OF_RESOURCES = -5 };
    switch ((int)status) {
#define STATUS(name, number, opencl, text)                                     \
    case number:                                                               \
        return opencl;
#include "base/status.def"
#undef STATUS
    default:
        return OUT_OF_RESOURCES;
    }
}

bool
sw_status_is_known(int number)
{
    if (number >= SW_STATUS_OWN)
        return false;
    switch (number) {
#define STATUS(name, number, opencl, text)                                     \
    case number:                                                               \
        return true;
#include "base/status.def"
#undef STATUS
    default:
        return false;
    }
}

void
sw_assert_fail(const char *expr, const char *file, int line)
{
    fprintf(stderr, "softwarp: bug: %s:%d: %s does not hold\n", file, line,
            expr);
    abort();
}
