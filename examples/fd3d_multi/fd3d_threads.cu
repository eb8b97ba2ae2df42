/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fd3d_threads.cu - the wave on several devices of one process: a host thread
 * for each, as one had to before CUDA 4 and still may.
 *
 *     softwarp cc -std=c++17 fd3d_threads.cu -o fd3d_threads -Xcompiler -pthread
 *     softwarp run --devices 4 ./fd3d_threads [peer|host] [NX NY NZ STEPS]
 *
 * Each step computes the outermost planes first. While the inner ones are
 * computed in one stream, another exchanges the outer ones: between devices
 * (`peer`), or through pinned memory that all threads share (`host`). An event
 * of the neighbour says when its planes are there.
 */
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "fd3d.h"

enum { DOWN, UP };

/* All threads meet here; the last one opens it. */
class Barrier
{
    std::mutex lock;
    std::condition_variable open;
    int wanted, here = 0, round = 0;

public:
    explicit Barrier(int threads) : wanted(threads)
    {
    }
    void wait()
    {
        std::unique_lock<std::mutex> hold(lock);
        int mine = round;
        if (++here == wanted) {
            here = 0;
            round++;
            open.notify_all();
        }
        open.wait(hold, [&] { return round != mine; });
    }
};

/* One device's slab. `now` and `before` have `planes` planes and the ghosts. */
struct Part {
    int device, begin, end;
    float *now, *before;
    cudaStream_t inner, outer;
    cudaEvent_t sent; /* the outer planes of this step are there */
    float *pinned[2];           /* R planes for the neighbour below, above */
};

struct Run {
    fd3d_problem p;
    bool by_peer;
    std::vector<Part> parts;
    float *result;
    Barrier *barrier;
};

static void prepare(Run &run, Part &part)
{
    size_t area = (size_t)run.p.nx * run.p.ny;
    size_t bytes = area * (part.end - part.begin + 2 * R) * sizeof(float);
    std::vector<float> wave(bytes / sizeof(float));
    fd3d_fill(&run.p, part.begin, part.end, wave.data());
    CUDA(cudaSetDevice(part.device));
    fd3d_set_weights();
    CUDA(cudaMalloc(&part.now, bytes));
    CUDA(cudaMalloc(&part.before, bytes));
    CUDA(cudaMemcpy(part.now, wave.data(), bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(part.before, wave.data(), bytes, cudaMemcpyHostToDevice));
    CUDA(cudaStreamCreateWithFlags(&part.inner, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&part.outer, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&part.sent, cudaEventDisableTiming));
    for (float *&p : part.pinned)
        CUDA(cudaHostAlloc(&p, R * area * sizeof(float), cudaHostAllocPortable));
    for (Part &other : run.parts) {
        int can = 0;
        if (other.device == part.device || !run.by_peer)
            continue;
        CUDA(cudaDeviceCanAccessPeer(&can, part.device, other.device));
        cudaError_t e = can ? cudaDeviceEnablePeerAccess(other.device, 0)
                            : cudaSuccess; /* copies go through the host then */
        if (e != cudaErrorPeerAccessAlreadyEnabled)
            CUDA(e);
        cudaGetLastError();
    }
}

/* The neighbour's outermost planes into our ghosts, in our outer stream. The
 * part's `before` has the newest step. */
static void take(Run &run, Part &part, Part &from, int side)
{
    size_t area = (size_t)run.p.nx * run.p.ny, bytes = R * area * sizeof(float);
    int planes = part.end - part.begin, others = from.end - from.begin;
    float *to = part.before + (side == DOWN ? 0 : (R + planes) * area);
    CUDA(cudaStreamWaitEvent(part.outer, from.sent, 0));
    if (run.by_peer) {
        float *outermost = from.before + (side == DOWN ? others : R) * area;
        CUDA(cudaMemcpyPeerAsync(to, part.device, outermost, from.device, bytes,
                                 part.outer));
    } else {
        CUDA(cudaMemcpyAsync(to, from.pinned[side == DOWN ? UP : DOWN], bytes,
                             cudaMemcpyHostToDevice, part.outer));
    }
}

static void step(Run &run, size_t i)
{
    Part &part = run.parts[i];
    const fd3d_problem &p = run.p;
    size_t area = (size_t)p.nx * p.ny, bytes = R * area * sizeof(float);
    int planes = part.end - part.begin, first = R, last = R + planes;
    int low = first + R < last ? first + R : last;
    int high = last - R > low ? last - R : low;
    /* The planes that the neighbours wait for, then all between them. */
    fd3d_launch(part.before, part.before, part.now, p.nx, p.ny, first, low,
                part.outer);
    fd3d_launch(part.before, part.before, part.now, p.nx, p.ny, high, last,
                part.outer);
    fd3d_launch(part.before, part.before, part.now, p.nx, p.ny, low, high,
                part.inner);
    if (!run.by_peer) {
        CUDA(cudaMemcpyAsync(part.pinned[DOWN], part.before + R * area, bytes,
                             cudaMemcpyDeviceToHost, part.outer));
        CUDA(cudaMemcpyAsync(part.pinned[UP], part.before + planes * area,
                             bytes, cudaMemcpyDeviceToHost, part.outer));
    }
    CUDA(cudaEventRecord(part.sent, part.outer));
    run.barrier->wait(); /* all events of this step are recorded */
    if (i > 0)
        take(run, part, run.parts[i - 1], DOWN);
    if (i + 1 < run.parts.size())
        take(run, part, run.parts[i + 1], UP);
    CUDA(cudaStreamSynchronize(part.inner));
    CUDA(cudaStreamSynchronize(part.outer));
    run.barrier->wait(); /* neighbours have taken what they need of `before` */
    float *swap = part.before;
    part.before = part.now;
    part.now = swap;
}

static void work(Run &run, size_t i)
{
    Part &part = run.parts[i];
    size_t area = (size_t)run.p.nx * run.p.ny;
    prepare(run, part);
    run.barrier->wait();
    for (int s = 0; s < run.p.steps; s++)
        step(run, i);
    CUDA(cudaMemcpy(run.result + part.begin * area, part.now + R * area,
                    (part.end - part.begin) * area * sizeof(float),
                    cudaMemcpyDeviceToHost));
    CUDA(cudaFree(part.now));
    CUDA(cudaFree(part.before));
    for (float *p : part.pinned)
        CUDA(cudaFreeHost(p));
    CUDA(cudaEventDestroy(part.sent));
    CUDA(cudaStreamDestroy(part.inner));
    CUDA(cudaStreamDestroy(part.outer));
}

int main(int argc, char **argv)
{
    bool by_host = argc > 1 && !strcmp(argv[1], "host");
    bool is_named = by_host || (argc > 1 && !strcmp(argv[1], "peer"));
    Run run = {fd3d_arguments(argc, argv, is_named ? 2 : 1), !by_host, {}, {}, {}};
    int devices = 0;
    CUDA(cudaGetDeviceCount(&devices));
    if (devices * R > run.p.nz)
        devices = run.p.nz / R; /* a slab has R planes at least */
    size_t n = (size_t)run.p.nx * run.p.ny * run.p.nz;
    std::vector<float> got(n), want(n);
    Barrier barrier(devices);
    run.result = got.data();
    run.barrier = &barrier;
    run.parts.resize(devices);
    for (int i = 0; i < devices; i++) {
        run.parts[i].device = i;
        fd3d_slab(&run.p, i, devices, &run.parts[i].begin, &run.parts[i].end);
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < devices; i++)
        threads.emplace_back(work, std::ref(run), (size_t)i);
    for (std::thread &t : threads)
        t.join();
    CUDA(cudaSetDevice(0));
    fd3d_alone(&run.p, want.data());
    char name[80];
    snprintf(name, sizeof name, "%d devices, ghost planes by %s", devices,
             by_host ? "pinned memory" : "copies between devices");
    return fd3d_compare(&run.p, got.data(), want.data(), name);
}
