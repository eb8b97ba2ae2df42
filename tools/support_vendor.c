/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support_vendor.c - the functions of the libraries of src/lib, as their tables
 * have them.
 */
#include <string.h>

#include "support.h"

typedef struct {
    const char *symbol;
    support_state state;
    const char *missing;
} row;

#define ENTRY(symbol, versions, state, missing)                                \
    {#symbol, SUPPORT_##state, missing},
static const row cublas[] = {
#include "lib/cublas/entries.def"
};
static const row cublaslt[] = {
#include "lib/cublaslt/entries.def"
};
static const row cufft[] = {
#include "lib/cufft/entries.def"
};
static const row cusolver[] = {
#include "lib/cusolver/entries.def"
};
static const row curand[] = {
#include "lib/rand/entries.def"
};
static const row nvrtc[] = {
#include "lib/nvrtc/entries.def"
};
static const row nvjitlink[] = {
#include "lib/nvjitlink/entries.def"
};
static const row cusparse[] = {
#include "lib/cusparse/entries.def"
};
static const row nvml[] = {
#include "lib/nvml/entries.def"
};
#undef ENTRY

#define VENDOR_LIBRARY(name, rows)                                             \
    {                                                                          \
        name, rows, sizeof rows / sizeof *(rows)                               \
    }
static const struct {
    const char *name;
    const row *rows;
    size_t count;
} libraries[] = {
    VENDOR_LIBRARY("cuBLAS", cublas),
    VENDOR_LIBRARY("cuBLASLt", cublaslt),
    VENDOR_LIBRARY("cuFFT", cufft),
    VENDOR_LIBRARY("cuSOLVER", cusolver),
    VENDOR_LIBRARY("cuRAND", curand),
    VENDOR_LIBRARY("NVRTC", nvrtc),
    VENDOR_LIBRARY("nvJitLink", nvjitlink),
    VENDOR_LIBRARY("cuSPARSE", cusparse),
    VENDOR_LIBRARY("NVML", nvml),
};
#undef VENDOR_LIBRARY
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static const row *
find(const char *name, const char *ending, const char **library)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < LIBRARIES; i++)
        for (size_t k = 0; k < libraries[i].count; k++) {
            const row *r = &libraries[i].rows[k];
            if (strncmp(r->symbol, name, n) == 0 &&
                strcmp(r->symbol + n, ending) == 0) {
                *library = libraries[i].name;
                return r;
            }
        }
    return NULL;
}

/* Headers give a function the name that its first version had. */
support_state
support_vendor_find(const char *name, const char **library,
                    const char **missing)
{
    const row *r = find(name, "_v2", library);
    r = r ? r : find(name, "", library);
    if (!r)
        return SUPPORT_UNKNOWN;
    *missing = r->missing;
    return r->state;
}

static size_t
count_of(size_t library, support_state state)
{
    size_t count = 0;
    for (size_t k = 0; k < libraries[library].count; k++)
        count += libraries[library].rows[k].state == state;
    return count;
}

void
support_vendor_counts(bool markdown, sw_buf *out)
{
    for (size_t i = 0; i < LIBRARIES; i++)
        sw_buf_printf(out,
                      markdown ? "| %s | %zu | %zu | %zu | 0 |\n"
                               : "%s: %zu functions done, %zu partly, %zu "
                                 "refused\n",
                      libraries[i].name, count_of(i, SUPPORT_DONE),
                      count_of(i, SUPPORT_PARTIAL), count_of(i, SUPPORT_NONE));
}

/* Names of the rows that refuse, in one paragraph. */
static void
list_refused(size_t library, sw_buf *out)
{
    const char *between = "Refused: ";
    for (size_t k = 0; k < libraries[library].count; k++) {
        const row *r = &libraries[library].rows[k];
        if (r->state != SUPPORT_NONE)
            continue;
        sw_buf_printf(out, "%s`%s`", between, r->symbol);
        between = ", ";
    }
    sw_buf_puts(out, count_of(library, SUPPORT_NONE)
                         ? ".\n\n"
                         : "Nothing is refused.\n\n");
}

void
support_vendor_document(sw_buf *out)
{
    sw_buf_puts(out, "## Libraries\n\n"
                     "What is refused returns the library's own status for "
                     "what it does not support, and says so once on standard "
                     "error. What is neither partly done nor refused is "
                     "done. [libraries.md](libraries.md) says how they "
                     "differ.\n\n");
    for (size_t i = 0; i < LIBRARIES; i++) {
        sw_buf_printf(out, "### %s\n\n", libraries[i].name);
        if (count_of(i, SUPPORT_PARTIAL)) {
            sw_buf_puts(out, "| function | what is missing |\n|---|---|\n");
            for (size_t k = 0; k < libraries[i].count; k++)
                if (libraries[i].rows[k].state == SUPPORT_PARTIAL)
                    sw_buf_printf(out, "| `%s` | %s |\n",
                                  libraries[i].rows[k].symbol,
                                  libraries[i].rows[k].missing);
            sw_buf_puts(out, "\n");
        }
        list_refused(i, out);
    }
}
