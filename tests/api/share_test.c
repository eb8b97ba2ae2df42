/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share_test.c - memory, events and pools that two processes use. The second
 * process is this program, started anew with one case to run: there the case
 * finds a socket to the first.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_help.h"

#define SOCKET "SHARE_TEST_SOCKET"
enum { FIRST = 0x11111111, SECOND = 0x22222222, PAGE = 2 << 20 };

static int line; /* to the other process */

static bool
is_second(void)
{
    const char *text = getenv(SOCKET);
    line = text ? atoi(text) : line;
    return text != NULL;
}

static pid_t
start_second(const char *name)
{
    int ends[2];
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        char text[16];
        int mine = dup(ends[1]);
        snprintf(text, sizeof text, "%d", mine);
        setenv(SOCKET, text, 1);
        dup2(STDERR_FILENO, STDOUT_FILENO); /* one count of cases only */
        execl("/proc/self/exe", "share_test", name, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    line = ends[0];
    return pid;
}

static void
end_second(pid_t pid)
{
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    close(line);
}

static void
give(const void *p, size_t bytes)
{
    CHECK_EQ(write(line, p, bytes), (ssize_t)bytes);
}

/* If the other process has ended, so does this one: nothing waits for ever. */
static void
take(void *p, size_t bytes)
{
    bool good = recv(line, p, bytes, MSG_WAITALL) == (ssize_t)bytes;
    CHECK(good);
    if (!good)
        exit(1);
}

/* Both are here. */
static void
meet(void)
{
    char c = 'x';
    give(&c, 1);
    take(&c, 1);
}

typedef union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
} control;

static void
give_file(int file)
{
    char c = 'f';
    struct iovec text = {&c, 1};
    control with;
    memset(&with, 0, sizeof with);
    with.head.cmsg_level = SOL_SOCKET;
    with.head.cmsg_type = SCM_RIGHTS;
    with.head.cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(&with.head), &file, sizeof file);
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = &with,
                             .msg_controllen = sizeof with};
    CHECK_EQ(sendmsg(line, &message, 0), 1);
}

static int
take_file(void)
{
    char c;
    int file = -1;
    struct iovec text = {&c, 1};
    control with;
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = &with,
                             .msg_controllen = sizeof with};
    CHECK_EQ(recvmsg(line, &message, 0), 1);
    memcpy(&file, CMSG_DATA(&with.head), sizeof file);
    return file;
}

static void
put(CUdeviceptr p, unsigned v)
{
    CHECK_EQ(cuMemsetD32(p, v, 1), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

static unsigned
word(CUdeviceptr p)
{
    unsigned v = 0;
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    return v;
}

static CUresult
open_memory(CUdeviceptr *p, CUipcMemHandle handle)
{
    return cuIpcOpenMemHandle(p, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
}

/* ---- memory ---- */

enum { SMALL, OTHER, LARGE, HANDLES, LARGE_BYTES = 5 << 20 };

static void
second_uses_memory(const api_fixture *f)
{
    CUipcMemHandle h[HANDLES];
    CUdeviceptr small, again, other, large, base;
    size_t bytes;
    unsigned is = 1;
    take(h, sizeof h);
    CHECK_EQ(cuIpcOpenMemHandle(&small, h[SMALL], 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(open_memory(&small, h[SMALL]), CUDA_SUCCESS);
    CHECK_EQ(word(small), FIRST);
    CHECK_EQ(cuMemGetAddressRange(&base, &bytes, small + 8), CUDA_SUCCESS);
    CHECK_EQ(base, small);
    CHECK_EQ(bytes, 1000);
    CHECK_EQ(open_memory(&again, h[SMALL]), CUDA_SUCCESS);
    CHECK_EQ(again, small);
    CHECK_EQ(open_memory(&other, h[OTHER]), CUDA_SUCCESS);
    CHECK_EQ(word(other), SECOND);
    CHECK_EQ(open_memory(&large, h[LARGE]), CUDA_SUCCESS);
    CHECK_EQ(word(large + LARGE_BYTES - 4), 7);
    /* Kernels see it, and the other process what they write. */
    CHECK_EQ(api_add(f, large, 10, 5, NULL), CUDA_SUCCESS);
    put(large + LARGE_BYTES - 4, 8);
    /* It is not this process's to give away or to free. */
    CHECK_EQ(cuIpcGetMemHandle(&h[OTHER], small), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemFree(small), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuPointerGetAttribute(
                 &is, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, small),
             CUDA_SUCCESS);
    CHECK_EQ(is, 0);
    CHECK_EQ(cuIpcCloseMemHandle(small + 8), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuIpcCloseMemHandle(small), CUDA_SUCCESS);
    CHECK_EQ(word(small), FIRST); /* it was opened twice */
    CHECK_EQ(cuIpcCloseMemHandle(small), CUDA_SUCCESS);
    CHECK_EQ(cuIpcCloseMemHandle(small), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuIpcCloseMemHandle(other), CUDA_SUCCESS);
    meet();
    meet(); /* freed by the first process */
    CHECK_EQ(word(large), 5 + 3);
    CHECK_EQ(cuIpcCloseMemHandle(large), CUDA_SUCCESS);
    CHECK_EQ(open_memory(&large, h[LARGE]), CUDA_ERROR_INVALID_VALUE);
}

CASE(memory_of_another_process)
{
    api_fixture f = api_begin();
    if (is_second()) {
        second_uses_memory(&f);
        api_end(&f);
        return;
    }
    pid_t pid = start_second(__func__);
    CUipcMemHandle h[HANDLES], same;
    CUdeviceptr small, other, large;
    unsigned is = 0;
    CHECK_EQ(cuMemAlloc(&small, 1000), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&other, 1000), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&large, LARGE_BYTES), CUDA_SUCCESS);
    CHECK_EQ(cuPointerGetAttribute(
                 &is, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, small),
             CUDA_SUCCESS);
    CHECK_EQ(is, 1);
    CHECK_EQ(cuMemsetD32(large, 3, 10), CUDA_SUCCESS);
    put(small, FIRST);
    put(large + LARGE_BYTES - 4, 7);
    /* What a kernel does to it, too, before it is given away. */
    CHECK_EQ(api_slow(&f, other, 2, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuIpcGetMemHandle(&h[SMALL], small), CUDA_SUCCESS);
    put(other, SECOND);
    CHECK_EQ(cuIpcGetMemHandle(&h[OTHER], other), CUDA_SUCCESS);
    CHECK_EQ(cuIpcGetMemHandle(&h[LARGE], large), CUDA_SUCCESS);
    CHECK_EQ(cuIpcGetMemHandle(&same, large + 4096), CUDA_SUCCESS);
    CHECK_EQ(memcmp(&same, &h[LARGE], sizeof same), 0);
    give(h, sizeof h);
    meet();
    CHECK_EQ(word(large), 5 + 3);
    CHECK_EQ(word(large + LARGE_BYTES - 4), 8);
    CHECK_EQ(word(small), FIRST);
    CHECK_EQ(cuMemFree(large), CUDA_SUCCESS);
    meet();
    end_second(pid);
    api_end(&f);
}

CASE(what_cannot_be_given_away)
{
    api_fixture f = api_begin();
    CUipcMemHandle h, zero;
    CUdeviceptr p, managed, pooled, out;
    void *host;
    memset(&zero, 0, sizeof zero);
    CHECK_EQ(cuMemAlloc(&p, 1000), CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocHost(&host, 1000), CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocManaged(&managed, 1000, CU_MEM_ATTACH_GLOBAL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocAsync(&pooled, 1000, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuIpcGetMemHandle(&h, (CUdeviceptr)(uintptr_t)host),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuIpcGetMemHandle(&h, managed), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuIpcGetMemHandle(&h, pooled), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuIpcGetMemHandle(&h, 0x1234), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuIpcGetMemHandle(NULL, p), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuIpcGetMemHandle(&h, p), CUDA_SUCCESS);
    CHECK_EQ(open_memory(&out, h), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuIpcOpenMemHandle(&out, h, 2), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(open_memory(&out, zero), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(open_memory(NULL, h), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuIpcCloseMemHandle(p), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuIpcCloseMemHandle(0), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS); /* pages are as others again */
    put(p, FIRST);
    CHECK_EQ(word(p), FIRST);
    api_end(&f);
}

/* Here the first process uses the second one's. */
CASE(memory_outlives_its_process)
{
    api_fixture f = api_begin();
    CUipcMemHandle h;
    CUdeviceptr p;
    if (is_second()) {
        CHECK_EQ(cuMemAlloc(&p, 3 << 20), CUDA_SUCCESS);
        put(p, SECOND);
        CHECK_EQ(cuIpcGetMemHandle(&h, p), CUDA_SUCCESS);
        give(&h, sizeof h);
        meet();
        return;
    }
    pid_t pid = start_second(__func__);
    take(&h, sizeof h);
    CHECK_EQ(open_memory(&p, h), CUDA_SUCCESS);
    meet();
    end_second(pid);
    CHECK_EQ(word(p), SECOND);
    CHECK_EQ(cuIpcCloseMemHandle(p), CUDA_SUCCESS);
    CHECK_EQ(open_memory(&p, h), CUDA_ERROR_INVALID_HANDLE);
    api_end(&f);
}

/* ---- events ---- */

static void
second_waits_for_event(const api_fixture *f)
{
    CUipcEventHandle h;
    CUipcMemHandle hp;
    CUevent e, twice;
    CUdeviceptr p;
    float ms;
    take(&h, sizeof h);
    take(&hp, sizeof hp);
    CHECK_EQ(cuIpcOpenEventHandle(&e, h), CUDA_SUCCESS);
    CHECK_EQ(cuIpcOpenEventHandle(&twice, h), CUDA_SUCCESS);
    CHECK(e != twice);
    CHECK_EQ(cuIpcGetEventHandle(&h, e), CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuEventQuery(e), CUDA_SUCCESS); /* never recorded */
    CHECK_EQ(open_memory(&p, hp), CUDA_SUCCESS);
    meet();
    meet(); /* recorded behind a slow kernel */
    CHECK_EQ(cuEventQuery(e), CUDA_ERROR_NOT_READY);
    CHECK_EQ(cuStreamWaitEvent(NULL, e, 0), CUDA_SUCCESS);
    CHECK_EQ(api_add(f, p, 1, 100, NULL), CUDA_SUCCESS);
    usleep(20000); /* it would have run by now */
    CHECK_EQ(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    CHECK_EQ(cuEventRecord(twice, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuEventElapsedTime(&ms, e, e), CUDA_ERROR_INVALID_HANDLE);
    meet();
    CHECK_EQ(cuEventSynchronize(e), CUDA_SUCCESS);
    CHECK_EQ(word(p), 4 + 100); /* after the slow one */
    CHECK_EQ(cuEventDestroy(twice), CUDA_SUCCESS);
    CHECK_EQ(cuEventDestroy(e), CUDA_SUCCESS);
}

CASE(events_order_processes)
{
    api_fixture f = api_begin();
    if (is_second()) {
        second_waits_for_event(&f);
        api_end(&f);
        return;
    }
    pid_t pid = start_second(__func__);
    CUipcEventHandle h, zero;
    CUipcMemHandle hp;
    CUevent e, plain, out;
    CUdeviceptr p;
    void *flag;
    memset(&zero, 0, sizeof zero);
    CHECK_EQ(cuEventCreate(&e, CU_EVENT_INTERPROCESS),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    CHECK_EQ(cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING),
             CUDA_SUCCESS);
    CHECK_EQ(cuIpcGetEventHandle(&h, plain), CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuIpcGetEventHandle(NULL, e), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuIpcGetEventHandle(&h, e), CUDA_SUCCESS);
    CHECK_EQ(cuIpcOpenEventHandle(&out, h), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuIpcOpenEventHandle(&out, zero), CUDA_ERROR_MAP_FAILED);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    put(p, 1);
    CHECK_EQ(cuIpcGetMemHandle(&hp, p), CUDA_SUCCESS);
    give(&h, sizeof h);
    give(&hp, sizeof hp);
    meet();
    /* What stands before the event cannot begin before the flag is set. */
    CHECK_EQ(cuMemHostAlloc(&flag, 4, CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
    __atomic_store_n((unsigned *)flag, 0, __ATOMIC_RELEASE);
    CHECK_EQ(cuStreamWaitValue32(NULL, (CUdeviceptr)(uintptr_t)flag, 1,
                                 CU_STREAM_WAIT_VALUE_EQ),
             CUDA_SUCCESS);
    CHECK_EQ(api_slow(&f, p, 1, NULL), CUDA_SUCCESS); /* 4 */
    CHECK_EQ(cuEventRecord(e, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuEventQuery(e), CUDA_ERROR_NOT_READY);
    meet();
    meet();
    __atomic_store_n((unsigned *)flag, 1, __ATOMIC_RELEASE);
    /* The last record is the other process's. */
    CHECK_EQ(cuEventSynchronize(e), CUDA_SUCCESS);
    CHECK_EQ(cuEventQuery(e), CUDA_SUCCESS);
    CHECK_EQ(word(p), 4 + 100);
    end_second(pid);
    CHECK_EQ(cuEventDestroy(e), CUDA_SUCCESS);
    api_end(&f);
}

/* ---- memory without an address ---- */

static CUmemAllocationProp
prop_of(CUmemAllocationHandleType types)
{
    CUmemAllocationProp prop;
    memset(&prop, 0, sizeof prop);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.requestedHandleTypes = types;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return prop;
}

static CUdeviceptr
map(CUmemGenericAllocationHandle m, size_t bytes)
{
    CUdeviceptr at = 0;
    CUmemAccessDesc access;
    memset(&access, 0, sizeof access);
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CHECK_EQ(cuMemAddressReserve(&at, bytes, 0, 0, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemMap(at, bytes, 0, m, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemSetAccess(at, bytes, &access, 1), CUDA_SUCCESS);
    return at;
}

static CUresult
import_memory(CUmemGenericAllocationHandle *m, int file)
{
    return cuMemImportFromShareableHandle(
        m, (void *)(uintptr_t)file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
}

static void
second_imports_memory(void)
{
    CUmemGenericAllocationHandle m;
    CUmemAllocationProp prop;
    int file = take_file();
    CHECK_EQ(import_memory(&m, file), CUDA_SUCCESS);
    close(file);
    CHECK_EQ(cuMemGetAllocationPropertiesFromHandle(&prop, m), CUDA_SUCCESS);
    CHECK_EQ(prop.type, CU_MEM_ALLOCATION_TYPE_PINNED);
    CHECK_EQ(prop.requestedHandleTypes, CU_MEM_HANDLE_TYPE_NONE);
    CHECK_EQ(cuMemExportToShareableHandle(
                 &file, m, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
             CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr p = map(m, 2 * PAGE), more;
    CHECK_EQ(word(p), FIRST);
    put(p + PAGE, SECOND);
    CHECK_EQ(cuMemAddressReserve(&more, 3 * PAGE, 0, 0, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemMap(more, 3 * PAGE, 0, m, 0), CUDA_ERROR_NOT_SUPPORTED);
    CHECK_EQ(cuMemMap(more, 2 * PAGE, PAGE, m, 0), CUDA_ERROR_NOT_SUPPORTED);
    CHECK_EQ(cuMemAddressFree(more, 3 * PAGE), CUDA_SUCCESS);
    CHECK_EQ(cuMemRelease(m), CUDA_SUCCESS);
    meet();
}

CASE(memory_by_descriptor)
{
    const CUmemAllocationHandleType posix =
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    api_fixture f = api_begin();
    if (is_second()) {
        second_imports_memory();
        api_end(&f);
        return;
    }
    pid_t pid = start_second(__func__);
    CUmemGenericAllocationHandle m, own, twice;
    CUmemAllocationProp prop = prop_of(posix);
    int file, none = open("/dev/null", O_RDWR);
    CHECK_EQ(cuMemCreate(&m, 2 * PAGE, &prop, 0), CUDA_SUCCESS);
    prop = prop_of(CU_MEM_HANDLE_TYPE_WIN32);
    CHECK_EQ(cuMemCreate(&own, PAGE, &prop, 0), CUDA_ERROR_INVALID_VALUE);
    prop = prop_of(CU_MEM_HANDLE_TYPE_NONE);
    CHECK_EQ(cuMemCreate(&own, PAGE, &prop, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemExportToShareableHandle(&file, own, posix, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemExportToShareableHandle(&file, m, CU_MEM_HANDLE_TYPE_NONE, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemExportToShareableHandle(&file, m, posix, 1),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemExportToShareableHandle(&file, m, posix, 0), CUDA_SUCCESS);
    CHECK_EQ(import_memory(&twice, file), CUDA_SUCCESS);
    CHECK_EQ(cuMemRelease(twice), CUDA_SUCCESS);
    CHECK_EQ(import_memory(&twice, none), CUDA_ERROR_UNKNOWN);
    CHECK_EQ(import_memory(&twice, 999), CUDA_ERROR_UNKNOWN);
    CHECK_EQ(import_memory(NULL, file), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr p = map(m, 2 * PAGE);
    CUipcMemHandle handle;
    CHECK_EQ(cuIpcGetMemHandle(&handle, p), CUDA_ERROR_INVALID_VALUE);
    put(p, FIRST);
    give_file(file);
    close(file);
    meet();
    CHECK_EQ(word(p + PAGE), SECOND);
    end_second(pid);
    close(none);
    CHECK_EQ(cuMemUnmap(p, 2 * PAGE), CUDA_SUCCESS);
    CHECK_EQ(cuMemRelease(m), CUDA_SUCCESS);
    CHECK_EQ(cuMemRelease(own), CUDA_SUCCESS);
    api_end(&f);
}

/* ---- pools ---- */

static CUmemPoolProps
pool_props(CUmemAllocationHandleType types)
{
    CUmemPoolProps props;
    memset(&props, 0, sizeof props);
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.handleTypes = types;
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return props;
}

static CUresult
import_pool(CUmemoryPool *pool, int file)
{
    return cuMemPoolImportFromShareableHandle(
        pool, (void *)(uintptr_t)file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        0);
}

enum { POOL_SMALL, POOL_LARGE, POOL_POINTERS, POOL_LARGE_BYTES = 3 << 20 };

static void
second_imports_pool(void)
{
    CUmemPoolPtrExportData data[POOL_POINTERS], zero;
    CUmemoryPool pool, own;
    CUdeviceptr small, again, large, out, base;
    size_t bytes;
    cuuint64_t used;
    int file = take_file();
    take(data, sizeof data);
    memset(&zero, 0, sizeof zero);
    CHECK_EQ(import_pool(&pool, file), CUDA_SUCCESS);
    close(file);
    CHECK_EQ(cuMemPoolImportPointer(&small, pool, &data[POOL_SMALL]),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemPoolImportPointer(&large, pool, &data[POOL_LARGE]),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemPoolImportPointer(&again, pool, &data[POOL_SMALL]),
             CUDA_SUCCESS);
    CHECK_EQ(again, small);
    CHECK_EQ(word(small), FIRST);
    CHECK_EQ(word(large + POOL_LARGE_BYTES - 4), SECOND);
    CHECK_EQ(cuMemGetAddressRange(&base, &bytes, large + 4), CUDA_SUCCESS);
    CHECK_EQ(base, large);
    CHECK_EQ(bytes, POOL_LARGE_BYTES);
    CHECK_EQ(cuMemPoolImportPointer(&out, pool, &zero),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuDeviceGetDefaultMemPool(&own, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemPoolImportPointer(&out, own, &data[POOL_SMALL]),
             CUDA_ERROR_INVALID_VALUE);
    /* There is little that an imported pool can do. */
    CHECK_EQ(cuMemAllocFromPoolAsync(&out, 1000, pool, NULL),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemPoolExportToShareableHandle(
                 &file, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemPoolExportPointer(&zero, small), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuDeviceSetMemPool(0, pool), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(
        cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used),
        CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemPoolTrimTo(pool, 0), CUDA_ERROR_INVALID_VALUE);
    put(small, 3);
    put(large, 4);
    CHECK_EQ(cuMemFreeAsync(small, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuMemFreeAsync(small, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemFree(large), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    CHECK_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
    meet();
}

CASE(pools_of_two_processes)
{
    const CUmemAllocationHandleType posix =
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    api_fixture f = api_begin();
    if (is_second()) {
        second_imports_pool();
        api_end(&f);
        return;
    }
    pid_t pid = start_second(__func__);
    CUmemPoolProps props = pool_props(posix);
    CUmemPoolPtrExportData data[POOL_POINTERS];
    CUmemoryPool pool, own, first;
    CUdeviceptr small, large, other;
    CUmemGenericAllocationHandle m;
    int file, none = open("/dev/null", O_RDWR);
    memset(data, 0, sizeof data);
    CHECK_EQ(cuMemPoolCreate(&pool, &props), CUDA_SUCCESS);
    props = pool_props(CU_MEM_HANDLE_TYPE_WIN32);
    CHECK_EQ(cuMemPoolCreate(&own, &props), CUDA_ERROR_INVALID_VALUE);
    props = pool_props(CU_MEM_HANDLE_TYPE_NONE);
    CHECK_EQ(cuMemPoolCreate(&own, &props), CUDA_SUCCESS);
    CHECK_EQ(cuDeviceGetDefaultMemPool(&first, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemPoolExportToShareableHandle(&file, first, posix, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemPoolExportToShareableHandle(&file, own, posix, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemPoolExportToShareableHandle(&file, pool, posix, 1),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemPoolExportToShareableHandle(&file, pool, posix, 0),
             CUDA_SUCCESS);
    CHECK_EQ(import_pool(&first, none), CUDA_ERROR_UNKNOWN);
    CHECK_EQ(import_memory(&m, file), CUDA_ERROR_NOT_SUPPORTED);
    CHECK_EQ(cuMemAllocFromPoolAsync(&small, 1000, pool, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocFromPoolAsync(&large, POOL_LARGE_BYTES, pool, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocFromPoolAsync(&other, 1000, own, NULL), CUDA_SUCCESS);
    put(small, FIRST);
    put(large + POOL_LARGE_BYTES - 4, SECOND);
    CHECK_EQ(cuMemPoolExportPointer(&data[0], other), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemPoolExportPointer(&data[0], large + 4096),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemPoolExportPointer(&data[POOL_SMALL], small), CUDA_SUCCESS);
    CHECK_EQ(cuMemPoolExportPointer(&data[POOL_LARGE], large), CUDA_SUCCESS);
    give_file(file);
    close(file);
    give(data, sizeof data);
    meet();
    CHECK_EQ(word(small), 3);
    CHECK_EQ(word(large), 4);
    end_second(pid);
    close(none);
    CHECK_EQ(cuMemFreeAsync(small, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuMemFree(large), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    /* What was freed is there again, without what was in it. */
    CHECK_EQ(cuMemAllocFromPoolAsync(&large, 2 * PAGE, pool, NULL),
             CUDA_SUCCESS);
    put(large, FIRST);
    CHECK_EQ(word(large), FIRST);
    CHECK_EQ(cuMemFree(large), CUDA_SUCCESS);
    CHECK_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
    CHECK_EQ(cuMemPoolDestroy(own), CUDA_SUCCESS);
    api_end(&f);
}
