/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - see lib.h: libraries of the host, loaded when they are needed. */
#include <dlfcn.h>
#include <pthread.h>

#include "lib/common/lib.h"

static const struct {
    const char *file, *package;
} rows[] = {
#define HOST_LIBRARY(name, file, package) {file, package},
#include "lib/common/host_libraries.def"
#undef HOST_LIBRARY
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *loaded[SW_LIB_HOST_COUNT];
static bool missing[SW_LIB_HOST_COUNT];

static void *
load_locked(sw_lib_host library)
{
    if (loaded[library] || missing[library])
        return loaded[library];
    loaded[library] = dlopen(rows[library].file, RTLD_NOW | RTLD_LOCAL);
    if (!loaded[library]) {
        missing[library] = true;
        sw_log(SW_LOG_ERROR,
               "%s needs %s, which is not there: apt install %s (%s)",
               sw_lib_soname, rows[library].file, rows[library].package,
               dlerror());
    }
    return loaded[library];
}

static void *
load(sw_lib_host library)
{
    pthread_mutex_lock(&lock);
    void *handle = load_locked(library);
    pthread_mutex_unlock(&lock);
    return handle;
}

bool
sw_lib_host_has(sw_lib_host library)
{
    return load(library) != NULL;
}

void *
sw_lib_host_find(sw_lib_host library, const char *function)
{
    void *handle = load(library);
    void *found = handle ? dlsym(handle, function) : NULL;
    if (handle && !found)
        sw_log(SW_LOG_ERROR, "%s has no %s, which %s needs", rows[library].file,
               function, sw_lib_soname);
    return found;
}
