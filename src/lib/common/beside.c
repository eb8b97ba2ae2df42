/* SPDX-License-Identifier: Apache-2.0 */
/* beside.c - see beside.h. */
#include "lib/common/beside.h"

#include <dlfcn.h>
#include <string.h>

#include "base/base.h"

void *
sw_lib_open_beside(const char *name)
{
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)&sw_lib_open_beside, &info) ||
        !info.dli_fname)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    size_t folder = slash ? (size_t)(slash - info.dli_fname) + 1 : 0;
    sw_buf path;
    sw_buf_init(&path);
    sw_buf_add(&path, info.dli_fname, folder);
    sw_buf_puts(&path, name);
    void *library = dlopen(path.p, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    sw_buf_finish(&path);
    return library;
}
