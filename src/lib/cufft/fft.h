/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fft.h - what the files of this folder share: cuFFT on transforms of our own.
 *
 * A plan is a handle's number; plan.c makes them, execute.c runs them. A plan
 * is shared by the computations that run it and lives until the last has ended.
 */
#ifndef SW_CUFFT_FFT_H
#define SW_CUFFT_FFT_H
#define SW_LIB_ENTRIES "lib/cufft/entries.def"
#include "lib/common/entries.h"

#include "cuda/cufftXt.h"
#include "lib/common/lib.h"
#include "lib/common/numbers.h"
#include "lib/cufft/transform.h"

enum { FFT_MOST_RANK = 3 };

/* How one side lies in memory, in elements: number (i, j, k) of item b is at
 * b * item + i * steps[0] + j * steps[1] + k * steps[2]. */
typedef struct {
    cudaDataType_t type;
    int64_t item, steps[FFT_MOST_RANK];
} fft_side;

typedef enum { FFT_COMPLEX, FFT_FROM_REAL, FFT_TO_REAL } fft_form;

typedef struct {
    uint32_t refs; /* atomic */
    fft_form form;
    bool is_double;
    int rank;
    int64_t
        n[FFT_MOST_RANK]; /* of the transform: as many reals, of FROM_REAL */
    int64_t batch;
    fft_side in, out;
    fft_length *lengths[FFT_MOST_RANK];
} fft_plan;

void fft_plan_unref(fft_plan *plan);
/* The plan of a handle, referenced, and its stream. NULL: none was made. */
fft_plan *fft_plan_of(cufftHandle handle, CUstream *stream);
/* Does it; -1 or 1. The sides may be the same memory. */
void fft_plan_execute(const fft_plan *plan, const void *in, void *out,
                      int sign);

#endif
