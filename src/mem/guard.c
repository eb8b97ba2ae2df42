/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c - see guard.h. */
#include "mem/guard.h"

#include <sys/mman.h>

#include "mem/mem.h"

/* Neighbouring pages, of which the protection is set at once. */
typedef struct {
    uint64_t first, end; /* first == end: none yet */
    int protection;
} page_run;

static void
protect(const page_run *run)
{
    if (run->first != run->end)
        mprotect((void *)(uintptr_t)run->first, run->end - run->first,
                 run->protection);
}

static void
add_range(void *arg, const sw_mem_range *range)
{
    page_run *run = arg;
    if (range->kind != SW_MEM_DEVICE && range->kind != SW_MEM_MODULE)
        return;
    uint64_t first = range->base & ~(SW_MEM_PAGE - 1);
    uint64_t last = range->base + range->bytes - 1;
    uint64_t end = (last & ~(SW_MEM_PAGE - 1)) + SW_MEM_PAGE;
    if (first > run->end || run->first == run->end) {
        protect(run);
        run->first = first;
    }
    run->end = end > run->end ? end : run->end;
}

void
sw_mem_guard(bool is_closed)
{
    page_run run = {.protection =
                        is_closed ? PROT_NONE : PROT_READ | PROT_WRITE};
    sw_mem_each(-1, add_range, &run);
    protect(&run);
}
