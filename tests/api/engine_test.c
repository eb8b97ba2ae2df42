/* SPDX-License-Identifier: Apache-2.0 */
/* engine_test.c - libcuda and another API's library in one process have one
 * engine: what one allocates the other knows, the same workers run the kernels
 * of both, one profile records both. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_help.h"

enum { COUNT = 64 * 32, BYTES = COUNT * 4 };

static struct {
    uint64_t (*alloc)(uint64_t bytes);
    bool (*knows)(uint64_t addr, uint64_t *bytes);
    int (*fill)(uint64_t addr, uint32_t value);
} second;

static void *
symbol(void *library, const char *name)
{
    void *p = library ? dlsym(library, name) : NULL;
    CHECK(p != NULL);
    return p;
}

static bool
open_second(void)
{
    void *library = dlopen(SECOND_API, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        printf("%s\n", dlerror());
    *(void **)&second.alloc = symbol(library, "second_alloc");
    *(void **)&second.knows = symbol(library, "second_knows");
    *(void **)&second.fill = symbol(library, "second_fill");
    return second.alloc && second.knows && second.fill;
}

static unsigned
thread_count(void)
{
    unsigned n = 0;
    DIR *dir = opendir("/proc/self/task");
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

/* p[i] += 5 by libcuda's way. */
static void
add_five(const api_fixture *f, CUdeviceptr p)
{
    unsigned n = COUNT, by = 5;
    void *params[] = {&p, &n, &by};
    CHECK_EQ(cuLaunchKernel(f->add, 64, 1, 1, 32, 1, 1, 0, NULL, params, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

CASE(memory_of_one_library_is_known_to_the_other)
{
    if (!open_second())
        return;
    api_fixture f = api_begin();
    CUdeviceptr mine, start = 0;
    size_t size = 0;
    uint64_t bytes = 0;
    CHECK_EQ(cuMemAlloc(&mine, BYTES), CUDA_SUCCESS);
    CHECK(second.knows(mine + 100, &bytes));
    CHECK_EQ(bytes, BYTES);
    CUdeviceptr theirs = second.alloc(BYTES);
    CHECK(theirs != 0);
    CHECK_EQ(cuMemGetAddressRange(&start, &size, theirs + 100), CUDA_SUCCESS);
    CHECK_EQ(start, theirs);
    CHECK_EQ(size, BYTES);
    CHECK_EQ(cuMemFree(mine), CUDA_SUCCESS);
    CHECK(!second.knows(mine, &bytes));
    api_end(&f);
}

CASE(kernels_of_both_run_on_the_same_workers)
{
    static unsigned out[COUNT];
    if (!open_second())
        return;
    api_fixture f = api_begin();
    CUdeviceptr p = second.alloc(BYTES);
    CHECK_EQ(second.fill(p, 7), 0);
    add_five(&f, p);
    unsigned before = thread_count();
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(second.fill(p, 30), 0);
        add_five(&f, p);
    }
    CHECK_EQ(thread_count(), before);
    CHECK_EQ(cuMemcpyDtoH(out, p, BYTES), CUDA_SUCCESS);
    unsigned right = 0;
    for (int i = 0; i < COUNT; i++)
        right += out[i] == 35;
    CHECK_EQ(right, COUNT);
    api_end(&f);
}

/* How often the text is in the file; it is removed. */
static unsigned
count_in(const char *path, const char *text)
{
    static char all[1 << 20];
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(all, 1, sizeof all - 1, file) : 0;
    unsigned found = 0;
    all[n] = 0;
    for (const char *p = all; (p = strstr(p, text)); p++)
        found++;
    if (file)
        fclose(file);
    unlink(path);
    return found;
}

CASE(one_profile_records_the_kernels_of_both)
{
    char path[] = "/tmp/engine_test_XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0 && close(file) == 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        setenv("SOFTWARP_PROFILE", path, 1);
        execl("/proc/self/exe", "engine_test",
              "kernels_of_both_run_on_the_same_workers", (char *)NULL);
        _exit(127);
    }
    int status = -1;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    /* Both names are in the same file. */
    char copy[sizeof path + 2];
    snprintf(copy, sizeof copy, "%s.2", path);
    CHECK_EQ(link(path, copy), 0);
    CHECK_EQ(count_in(copy, "\tsecond_fill\n"), 5);
    CHECK_EQ(count_in(path, "\tadd\n"), 5);
}
