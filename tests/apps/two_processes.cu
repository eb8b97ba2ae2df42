/* SPDX-License-Identifier: Apache-2.0 */
/*
 * two_processes.cu - memory, an event and a pool that a program shares with a
 * process that it forked before it used the device.
 */
// expect: EXACT child: 999 100 7
// expect: EXACT parent: 2000 8 0
#include <cstdio>
#include <cstring>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct message {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
    cudaMemPoolPtrExportData pointer;
};

__global__ void
fill(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = i;
}

static int line;

static void
send_file(int file, bool take, int *taken)
{
    char c = 0;
    iovec text = {&c, 1};
    alignas(cmsghdr) char with[CMSG_SPACE(sizeof file)];
    msghdr m = {};
    m.msg_iov = &text;
    m.msg_iovlen = 1;
    m.msg_control = with;
    m.msg_controllen = sizeof with;
    if (take) {
        recvmsg(line, &m, 0);
        memcpy(taken, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof file);
        return;
    }
    cmsghdr *h = CMSG_FIRSTHDR(&m);
    h->cmsg_level = SOL_SOCKET;
    h->cmsg_type = SCM_RIGHTS;
    h->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(h), &file, sizeof file);
    sendmsg(line, &m, 0);
}

static int
read_int(const int *p)
{
    int v = -1;
    cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
    return v;
}

static int
child()
{
    message m;
    int *p, *q, pool_file, v;
    cudaEvent_t ready;
    cudaMemPool_t pool;
    read(line, &m, sizeof m);
    send_file(0, true, &pool_file);
    cudaIpcOpenEventHandle(&ready, m.event);
    cudaIpcOpenMemHandle((void **)&p, m.memory, cudaIpcMemLazyEnablePeerAccess);
    cudaMemPoolImportFromShareableHandle(&pool, (void *)(size_t)pool_file,
                                         cudaMemHandleTypePosixFileDescriptor,
                                         0);
    cudaMemPoolImportPointer((void **)&q, pool, &m.pointer);
    cudaStreamWaitEvent(0, ready, 0);
    printf("child: %d %d ", read_int(p + 999), read_int(p + 100));
    printf("%d\n", read_int(q));
    fflush(stdout);
    v = 2000;
    cudaMemcpy(p, &v, sizeof v, cudaMemcpyHostToDevice);
    v = 8;
    cudaMemcpy(q, &v, sizeof v, cudaMemcpyHostToDevice);
    cudaFreeAsync(q, 0);
    cudaIpcCloseMemHandle(p);
    cudaEventDestroy(ready);
    return cudaDeviceSynchronize();
}

int
main()
{
    int ends[2], status = 1, *p, *q, pool_file = -1, seven = 7;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    pid_t pid = fork();
    line = ends[pid == 0];
    if (pid == 0)
        return child();
    message m;
    cudaEvent_t ready;
    cudaMemPool_t pool;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    props.location.type = cudaMemLocationTypeDevice;
    cudaMemPoolCreate(&pool, &props);
    cudaMemPoolExportToShareableHandle(&pool_file, pool,
                                       cudaMemHandleTypePosixFileDescriptor, 0);
    cudaMallocFromPoolAsync((void **)&q, sizeof *q, pool, 0);
    cudaMemPoolExportPointer(&m.pointer, q);
    cudaMalloc(&p, 1000 * sizeof *p);
    cudaEventCreateWithFlags(&ready,
                             cudaEventDisableTiming | cudaEventInterprocess);
    cudaIpcGetEventHandle(&m.event, ready);
    cudaIpcGetMemHandle(&m.memory, p);
    cudaMemcpy(q, &seven, sizeof seven, cudaMemcpyHostToDevice);
    fill<<<4, 256>>>(p, 1000);
    cudaEventRecord(ready);
    write(line, &m, sizeof m);
    send_file(pool_file, false, nullptr);
    waitpid(pid, &status, 0);
    printf("parent: %d %d %d\n", read_int(p), read_int(q), status);
    return cudaDeviceSynchronize();
}
