/* SPDX-License-Identifier: Apache-2.0 */
/* entries.c - entry points by name and version. */
#include <string.h>

#include "api/cuda/api.h"

enum { LEGACY, THREAD };

/* What is exported: see api/entry.h. */
#define ENTRY(name, symbol, since, stream, state, missing)                     \
    extern void sw_entry_##symbol(void);
#include "api/cuda/entries.def"
#undef ENTRY

typedef struct {
    const char *name;
    void (*symbol)(void);
    int since;
    int stream;
} entry;

#define ENTRY(name, symbol, since, stream, state, missing)                     \
    {#name, sw_entry_##symbol, since, stream},
static const entry entries[] = {
#include "api/cuda/entries.def"
};
#undef ENTRY

CUresult
cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion,
                    cuuint64_t flags,
                    CUdriverProcAddressQueryResult *symbolStatus)
{
    REQUIRE(symbol && pfn, CUDA_ERROR_INVALID_VALUE);
    REQUIRE((flags & ~(cuuint64_t)3) == 0, CUDA_ERROR_INVALID_VALUE);
    *pfn = NULL;
    bool thread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    bool known = false;
    const entry *best = NULL;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const entry *e = &entries[i];
        if (strcmp(e->name, symbol) != 0)
            continue;
        known = true;
        if (e->since > cudaVersion || (e->stream == THREAD && !thread))
            continue;
        if (!best || e->stream > best->stream ||
            (e->stream == best->stream && e->since >= best->since))
            best = e;
    }
    if (best)
        memcpy(pfn, &best->symbol, sizeof *pfn);
    if (symbolStatus)
        *symbolStatus = best    ? CU_GET_PROC_ADDRESS_SUCCESS
                        : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS; /* also if there is none, as the real one */
}

CUresult
cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion,
                 cuuint64_t flags)
{
    CUresult status =
        cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);
    return status == CUDA_SUCCESS && !*pfn ? CUDA_ERROR_NOT_FOUND : status;
}
