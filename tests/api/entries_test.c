/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries_test.c - cuGetProcAddress_v2 knows the versions of a function apart
 * as a real driver does: tests/data/driver_entries.txt. Run in the root of the
 * source; functions that are not exported are left out.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "check.h"

enum { LINE = 1024 };

static void *
ask(const char *name, int version, cuuint64_t flags)
{
    void *p = NULL;
    CUdriverProcAddressQueryResult result;
    CHECK_EQ(cuGetProcAddress_v2(name, &p, version, flags, &result),
             CUDA_SUCCESS);
    CHECK_EQ(result == CU_GET_PROC_ADDRESS_SUCCESS, p != NULL);
    return p;
}

/* "3020:cuMemAlloc_v2": from then on, and until `until`, it is that. */
static bool
check_step(const char *name, cuuint64_t flags, char *step, int until)
{
    char *symbol = strchr(step, ':');
    int since = atoi(step);
    *symbol++ = 0;
    void *want = dlsym(RTLD_DEFAULT, symbol);
    if (!want)
        return false;
    void *first = ask(name, since, flags), *last = ask(name, until - 1, flags);
    if (first != want || last != want)
        printf("%s of CUDA %d to %d is not %s\n", name, since, until - 1,
               symbol);
    CHECK(first == want && last == want);
    return true;
}

CASE(versions_are_kept_apart)
{
    FILE *f = fopen("tests/data/driver_entries.txt", "r");
    char line[LINE];
    unsigned steps = 0;
    CHECK(f != NULL);
    while (f && fgets(line, sizeof line, f)) {
        char *words[16], *next = strtok(line, " \n");
        int n = 0;
        for (; next && n < 16; next = strtok(NULL, " \n"))
            words[n++] = next;
        if (n < 3 || words[0][0] == '#')
            continue;
        cuuint64_t flags = strcmp(words[1], "legacy") == 0
                               ? CU_GET_PROC_ADDRESS_LEGACY_STREAM
                               : CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
        for (int i = 2; i < n; i++)
            steps += check_step(words[0], flags, words[i],
                                i + 1 < n ? atoi(words[i + 1]) : 99999);
    }
    if (f)
        fclose(f);
    CHECK(steps > 600);
}

CASE(what_is_not_there_is_said)
{
    void *p = &p;
    CUdriverProcAddressQueryResult result;
    CHECK_EQ(cuGetProcAddress_v2("cuNothing", &p, 12000, 0, &result),
             CUDA_SUCCESS);
    CHECK_EQ(result, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CHECK(p == NULL);
    CHECK_EQ(cuGetProcAddress_v2("cuGraphCreate", &p, 4000, 0, &result),
             CUDA_SUCCESS);
    CHECK_EQ(result, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}
