/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.c - what is exported (api/entry.h), the loader's table of it, and
 * entry points by name. */
#include <string.h>

#include "api/opencl/ocl.h"
#include "rt/activity.h"
#include "rt/calls.h"
#include "rt/watch.h"
/* clang-format off */
#include <CL/cl_gl.h>
#include <CL/cl_icd.h>
/* clang-format on */

/* Read by the code of SW_ENTRY_STUB. Set before the program's first call. */
int sw_calls_observed __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"))) void sw_calls_begin(sw_rt_call *call);
__attribute__((visibility("hidden"))) void sw_calls_end(sw_rt_call *call);

void
sw_calls_begin(sw_rt_call *call)
{
    sw_rt_call_begin(call);
}

void
sw_calls_end(sw_rt_call *call)
{
    sw_rt_call_end(call);
}

SW_ENTRY_CHECK;
__asm__(".set sw_entry_runtime, 0\n");
SW_ENTRY_OBSERVED;
#define ENTRY(name, since, table, state, missing)                              \
    extern void sw_entry_##name(void);                                         \
    SW_ENTRY_STUB(name, name)
#include "api/opencl/entries.def"
#undef ENTRY

#define FIELD_ICD(entry)                                                       \
    .entry = (__typeof__(((cl_icd_dispatch *)0)->entry))sw_entry_##entry,
#define FIELD_NONE(entry)
#define ENTRY(name, since, table, state, missing) FIELD_##table(name)
static const cl_icd_dispatch dispatch = {
#include "api/opencl/entries.def"
};
#undef ENTRY

/* Whoever observes is asked here whether the environment wants it. */
__attribute__((constructor)) static void
load(void)
{
    sw_ocl_set_dispatch(&dispatch);
    sw_rt_activity_load();
    sw_rt_watch_load();
    sw_calls_observed = sw_rt_calls_are_observed();
}

/* The exported function of that name; NULL: there is none, or no name. */
static void *
find_entry(const char *name)
{
    static const struct {
        const char *name;
        void (*entry)(void);
    } entries[] = {
#define ENTRY(name, since, table, state, missing) {#name, sw_entry_##name},
#include "api/opencl/entries.def"
#undef ENTRY
    };
    void *p = NULL;
    for (size_t i = 0; name && i < sizeof entries / sizeof *entries; i++)
        if (strcmp(entries[i].name, name) == 0)
            memcpy(&p, &entries[i].entry, sizeof p);
    return p;
}

void *
clGetExtensionFunctionAddress(const char *func_name)
{
    return find_entry(func_name);
}

void *
clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                         const char *func_name)
{
    return sw_ocl_get(platform, SW_OCL_PLATFORM) ? find_entry(func_name) : NULL;
}
