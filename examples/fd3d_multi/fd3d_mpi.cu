/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fd3d_mpi.cu - the wave over processes, and so over nodes, with MPI: a rank
 * has a slab on a device of its node.
 *
 *     softwarp cc fd3d_mpi.cu -o fd3d_mpi $(mpicc --showme:compile) \
 *         $(mpicc --showme:link)
 *     mpirun -n 4 softwarp run --devices 2 ./fd3d_mpi [pinned|device] [NX ...]
 *
 * `pinned` copies ghost planes to pinned memory and sends them from there;
 * `device` hands device pointers to MPI, as one does with an MPI that is
 * CUDA-aware. The exchange runs while the inner planes are computed.
 */
#include <mpi.h>

#include "fd3d.h"

enum { DOWN, UP, SENT, GOT = 2 };

typedef struct {
    fd3d_problem p;
    bool by_pinned;
    int rank, ranks, begin, end;
    float *now, *before;
    float *pinned[4]; /* sent down, sent up, got from below, got from above */
    cudaStream_t inner, outer;
} part;

static size_t area_of(const part *a)
{
    return (size_t)a->p.nx * a->p.ny;
}

/* Ranks of a node take its devices in turn. */
static void choose_device(int rank)
{
    MPI_Comm node;
    int local, devices;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank,
                        MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local);
    MPI_Comm_free(&node);
    CUDA(cudaGetDeviceCount(&devices));
    CUDA(cudaSetDevice(local % devices));
}

static void prepare(part *a)
{
    size_t bytes = area_of(a) * (a->end - a->begin + 2 * R) * sizeof(float);
    float *wave = (float *)malloc(bytes);
    fd3d_fill(&a->p, a->begin, a->end, wave);
    fd3d_set_weights();
    CUDA(cudaMalloc(&a->now, bytes));
    CUDA(cudaMalloc(&a->before, bytes));
    CUDA(cudaMemcpy(a->now, wave, bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(a->before, wave, bytes, cudaMemcpyHostToDevice));
    for (int i = 0; i < 4; i++)
        CUDA(cudaMallocHost(&a->pinned[i], R * area_of(a) * sizeof(float)));
    CUDA(cudaStreamCreateWithFlags(&a->inner, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&a->outer, cudaStreamNonBlocking));
    free(wave);
}

/* The newest step's outermost planes go to the neighbours, theirs come into
 * the ghosts. The outer stream has computed them. */
static void exchange(part *a)
{
    size_t n = R * area_of(a), bytes = n * sizeof(float);
    int planes = a->end - a->begin;
    int below = a->rank > 0 ? a->rank - 1 : MPI_PROC_NULL;
    int above = a->rank + 1 < a->ranks ? a->rank + 1 : MPI_PROC_NULL;
    float *device[] = {a->before + n, a->before + planes * area_of(a),
                       a->before, a->before + (R + planes) * area_of(a)};
    float **p = a->by_pinned ? a->pinned : device;
    MPI_Request requests[4];
    for (int i = DOWN; a->by_pinned && i <= UP; i++)
        CUDA(cudaMemcpyAsync(a->pinned[i], device[i], bytes,
                             cudaMemcpyDeviceToHost, a->outer));
    CUDA(cudaStreamSynchronize(a->outer));
    MPI_Irecv(p[GOT + DOWN], (int)n, MPI_FLOAT, below, UP, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Irecv(p[GOT + UP], (int)n, MPI_FLOAT, above, DOWN, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Isend(p[DOWN], (int)n, MPI_FLOAT, below, DOWN, MPI_COMM_WORLD,
              &requests[2]);
    MPI_Isend(p[UP], (int)n, MPI_FLOAT, above, UP, MPI_COMM_WORLD,
              &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (a->by_pinned && below != MPI_PROC_NULL)
        CUDA(cudaMemcpyAsync(device[GOT + DOWN], a->pinned[GOT + DOWN], bytes,
                             cudaMemcpyHostToDevice, a->outer));
    if (a->by_pinned && above != MPI_PROC_NULL)
        CUDA(cudaMemcpyAsync(device[GOT + UP], a->pinned[GOT + UP], bytes,
                             cudaMemcpyHostToDevice, a->outer));
}

static void step(part *a)
{
    int first = R, last = R + a->end - a->begin;
    int low = first + R < last ? first + R : last;
    int high = last - R > low ? last - R : low;
    fd3d_launch(a->before, a->before, a->now, a->p.nx, a->p.ny, first, low,
                a->outer);
    fd3d_launch(a->before, a->before, a->now, a->p.nx, a->p.ny, high, last,
                a->outer);
    fd3d_launch(a->before, a->before, a->now, a->p.nx, a->p.ny, low, high,
                a->inner);
    exchange(a);
    CUDA(cudaStreamSynchronize(a->inner));
    CUDA(cudaStreamSynchronize(a->outer));
    float *swap = a->before;
    a->before = a->now;
    a->now = swap;
}

/* All slabs to rank 0, which computes the volume alone and compares. */
static int compare(part *a)
{
    size_t area = area_of(a), n = (a->end - a->begin) * area;
    int *counts = (int *)malloc(a->ranks * sizeof(int));
    int *places = (int *)malloc(a->ranks * sizeof(int));
    float *mine = (float *)malloc(n * sizeof(float)), *got = NULL, *want = NULL;
    int wrong = 0;
    for (int i = 0; i < a->ranks; i++) {
        int begin, end;
        fd3d_slab(&a->p, i, a->ranks, &begin, &end);
        places[i] = (int)(begin * area);
        counts[i] = (int)((end - begin) * area);
    }
    if (a->rank == 0) {
        got = (float *)malloc(area * a->p.nz * sizeof(float));
        want = (float *)malloc(area * a->p.nz * sizeof(float));
    }
    CUDA(cudaMemcpy(mine, a->now + R * area, n * sizeof(float),
                    cudaMemcpyDeviceToHost));
    MPI_Gatherv(mine, (int)n, MPI_FLOAT, got, counts, places, MPI_FLOAT, 0,
                MPI_COMM_WORLD);
    if (a->rank == 0) {
        char name[80];
        fd3d_alone(&a->p, want);
        snprintf(name, sizeof name, "%d ranks, ghost planes by %s", a->ranks,
                 a->by_pinned ? "pinned memory" : "device pointers");
        wrong = fd3d_compare(&a->p, got, want, name);
    }
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(counts);
    free(places);
    free(mine);
    free(got);
    free(want);
    return wrong;
}

int main(int argc, char **argv)
{
    part a = {};
    MPI_Init(&argc, &argv);
    bool by_device = argc > 1 && !strcmp(argv[1], "device");
    bool is_named = by_device || (argc > 1 && !strcmp(argv[1], "pinned"));
    a.p = fd3d_arguments(argc, argv, is_named ? 2 : 1);
    a.by_pinned = !by_device;
    MPI_Comm_rank(MPI_COMM_WORLD, &a.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &a.ranks);
    if (a.ranks * R > a.p.nz) {
        if (a.rank == 0)
            printf("%d planes are too few for %d ranks\n", a.p.nz, a.ranks);
        MPI_Finalize();
        return 2;
    }
    fd3d_slab(&a.p, a.rank, a.ranks, &a.begin, &a.end);
    choose_device(a.rank);
    prepare(&a);
    for (int s = 0; s < a.p.steps; s++)
        step(&a);
    int wrong = compare(&a);
    MPI_Finalize();
    return wrong;
}
