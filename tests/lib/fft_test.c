/* SPDX-License-Identifier: Apache-2.0 */
/* fft_test.c - cuFFT against sums of products in double precision. */
#include "lib.h"

#include "check.h"
#include "cufft.h"

/* One line: y[k] = sum of x[j * step] exp(sign 2 pi i j k / n). */
static void
sums(const double complex *x, double complex *y, int n, int step, int sign)
{
    for (int k = 0; k < n; k++) {
        y[k] = 0;
        for (int j = 0; j < n; j++)
            y[k] +=
                x[j * step] *
                cexp(CMPLX(0, sign * 2 * M_PI * (double)((long)j * k % n) / n));
    }
}

/* Along all dimensions of a dense array, in place. */
static void
reference(double complex *x, int rank, const int *n, int sign)
{
    int total = 1, inner = 1;
    for (int d = 0; d < rank; d++)
        total *= n[d];
    double complex *line = malloc((size_t)total * sizeof *line);
    for (int d = rank - 1; d >= 0; inner *= n[d--])
        for (int at = 0; at < total; at++)
            if (at / inner % n[d] == 0) {
                sums(x + at, line, n[d], inner, sign);
                for (int k = 0; k < n[d]; k++)
                    x[at + k * inner] = line[k];
            }
    free(line);
}

/* Error relative to the size of the sums. */
static double
error_of(type t, int rank, int *n, int batch, int sign)
{
    int total = 1;
    for (int d = 0; d < rank; d++)
        total *= n[d];
    size_t count = (size_t)(total * batch);
    void *x = device_random(t, count), *before = host_copy(t, x, count);
    cufftHandle plan;
    CHECK_EQ(cufftPlanMany(&plan, rank, n, NULL, 1, 0, NULL, 1, 0,
                           t == C ? CUFFT_C2C : CUFFT_Z2Z, batch),
             CUFFT_SUCCESS);
    CHECK_EQ(t == C ? cufftExecC2C(plan, x, x, sign)
                    : cufftExecZ2Z(plan, x, x, sign),
             CUFFT_SUCCESS);
    CHECK_EQ(cufftDestroy(plan), CUFFT_SUCCESS); /* though it may still run */
    void *after = host_copy(t, x, count);
    double worst = 0;
    double complex *want = malloc((size_t)total * sizeof *want);
    for (int b = 0; b < batch; b++) {
        for (int i = 0; i < total; i++)
            want[i] = get(t, before, (size_t)(b * total + i));
        reference(want, rank, n, sign);
        for (int i = 0; i < total; i++)
            worst = fmax(
                worst, cabs(get(t, after, (size_t)(b * total + i)) - want[i]));
    }
    free(want);
    free(before);
    free(after);
    cudaFree(x);
    return worst / sqrt(total) / type_eps[t];
}

CASE(transforms_of_any_size)
{
    static int sizes[][3] = {{1},  {2},  {3},  {4},   {6},   {8},
                             {30}, {31}, {37}, {128}, {121}, {194}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (type t = C; t <= Z; t++)
            for (int sign = -1; sign <= 1; sign += 2)
                CHECK(error_of(t, 1, sizes[i], 3, sign) < 30);
}

CASE(transforms_of_several_dimensions)
{
    static int sizes[][3] = {{5, 12, 1}, {8, 37, 1}, {3, 4, 10}, {2, 7, 9}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (type t = C; t <= Z; t++)
            CHECK(error_of(t, sizes[i][2] > 1 ? 3 : 2, sizes[i], 2, -1) < 30);
}

/* Of real numbers, there and back, with padded rows in place. */
CASE(real_numbers_come_back)
{
    int n[2] = {6, 10}, padded[2] = {6, 12}, halves[2] = {6, 6};
    size_t count = 2 * 6 * 12;
    void *x = device_random(D, count), *before = host_copy(D, x, count);
    cufftHandle there, back;
    CHECK_EQ(
        cufftPlanMany(&there, 2, n, padded, 1, 72, halves, 1, 36, CUFFT_D2Z, 2),
        CUFFT_SUCCESS);
    CHECK_EQ(
        cufftPlanMany(&back, 2, n, halves, 1, 36, padded, 1, 72, CUFFT_Z2D, 2),
        CUFFT_SUCCESS);
    CHECK_EQ(cufftExecD2Z(there, x, x), CUFFT_SUCCESS);
    void *middle = host_copy(D, x, count);
    CHECK_EQ(cufftExecZ2D(back, x, x), CUFFT_SUCCESS);
    void *after = host_copy(D, x, count);
    double sum = 0, worst = 0;
    for (size_t b = 0; b < 2; b++)
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < 10; j++) {
                size_t at = b * 72 + i * 12 + j;
                sum += b ? 0 : creal(get(D, before, at));
                worst = fmax(worst,
                             cabs(get(D, after, at) / 60 - get(D, before, at)));
            }
    CHECK(fabs(creal(get(D, middle, 0)) - sum) < 1e-13);
    CHECK(worst < 1e-14);
    cufftDestroy(there);
    cufftDestroy(back);
    free(before);
    free(middle);
    free(after);
    cudaFree(x);
}

CASE(bad_arguments)
{
    cufftHandle plan;
    float x[2];
    CHECK_EQ(cufftPlan1d(&plan, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
    CHECK_EQ(cufftPlan1d(&plan, 8, CUFFT_C2C, 0), CUFFT_INVALID_SIZE);
    CHECK_EQ(cufftPlan1d(&plan, 8, (cufftType)3, 1), CUFFT_INVALID_TYPE);
    CHECK_EQ(cufftExecR2C(12345, x, NULL), CUFFT_INVALID_PLAN);
    CHECK_EQ(cufftDestroy(-1), CUFFT_INVALID_PLAN);
    CHECK_EQ(cufftPlan1d(&plan, 8, CUFFT_C2C, 1), CUFFT_SUCCESS);
    CHECK_EQ(cufftExecC2C(plan, NULL, NULL, 1), CUFFT_INVALID_VALUE);
    CHECK_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
    CHECK_EQ(cufftDestroy(plan), CUFFT_INVALID_PLAN);
}

/* As a node of a graph it runs at each launch, and not before. */
CASE(captured)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cufftHandle plan;
    void *x = device_random(C, 8), *before = host_copy(C, x, 8);
    CHECK_EQ(cudaStreamCreate(&stream), cudaSuccess);
    CHECK_EQ(cufftPlan1d(&plan, 8, CUFFT_C2C, 1), CUFFT_SUCCESS);
    CHECK_EQ(cufftSetStream(plan, stream), CUFFT_SUCCESS);
    CHECK_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal),
             cudaSuccess);
    CHECK_EQ(cufftExecC2C(plan, x, x, CUFFT_FORWARD), CUFFT_SUCCESS);
    CHECK_EQ(cufftExecC2C(plan, x, x, CUFFT_INVERSE), CUFFT_SUCCESS);
    CHECK_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    CHECK_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
    CHECK_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    CHECK_EQ(cudaGraphDestroy(graph), cudaSuccess);
    void *untouched = host_copy(C, x, 8);
    CHECK(memcmp(before, untouched, 64) == 0);
    CHECK_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    CHECK_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    CHECK_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    void *after = host_copy(C, x, 8);
    for (size_t i = 0; i < 8; i++)
        CHECK(cabs(get(C, after, i) - 64 * get(C, before, i)) < 1e-4);
    cudaGraphExecDestroy(exec);
    cudaStreamDestroy(stream);
    free(before);
    free(untouched);
    free(after);
    cudaFree(x);
}
