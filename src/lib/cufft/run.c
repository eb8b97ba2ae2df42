/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - the calls that run a plan in its stream. */
#include "lib/cufft/fft.h"

typedef struct {
    fft_plan *plan; /* a reference */
    const void *in;
    void *out;
    int sign;
} job;

static bool
run(void *arg)
{
    const job *j = arg;
    fft_plan_execute(j->plan, j->in, j->out, j->sign);
    return true;
}

static void
drop(void *arg)
{
    fft_plan_unref(((job *)arg)->plan);
}

/* Elements from the first to the last of a side whose rows have `row`. */
static size_t
extent(const fft_plan *p, const fft_side *side, int64_t row)
{
    int64_t last = (p->batch - 1) * side->item;
    for (int d = 0; d < p->rank; d++)
        last += ((d == p->rank - 1 ? row : p->n[d]) - 1) * side->steps[d];
    return (size_t)(last + 1) * sw_lib_element_bytes(side->type);
}

static cufftResult
submit(CUstream stream, fft_plan *p, const void *in, void *out, int sign)
{
    job j = {p, in, out, sign};
    int64_t whole = p->n[p->rank - 1], half = whole / 2 + 1;
    sw_lib_work w = {.name = p->is_double ? "cufft (double)" : "cufft (float)",
                     .fn = run,
                     .drop = drop,
                     .args = &j,
                     .arg_bytes = sizeof j};
    sw_lib_reads(
        &w, in, extent(p, &p->in, p->form == FFT_TO_REAL ? half : whole), 0, 1);
    sw_lib_writes(&w, out,
                  extent(p, &p->out, p->form == FFT_FROM_REAL ? half : whole),
                  0, 1);
    return sw_lib_submit(stream, &w) == CUDA_SUCCESS ? CUFFT_SUCCESS
                                                     : CUFFT_EXEC_FAILED;
}

/* `form` and `type`: what the plan has to be; of any type if `type` is less
 * than 0. */
static cufftResult
execute(cufftHandle handle, int form, int type, const void *in, void *out,
        int sign)
{
    CUstream stream;
    fft_plan *p = fft_plan_of(handle, &stream);
    if (!p)
        return CUFFT_INVALID_PLAN;
    bool fits = type < 0 || ((int)p->form == form && (int)p->in.type == type);
    if (!fits || !in || !out || (sign != -1 && sign != 1)) {
        fft_plan_unref(p);
        return CUFFT_INVALID_VALUE;
    }
    if (p->form != FFT_COMPLEX) /* it is what it is */
        sign = p->form == FFT_FROM_REAL ? CUFFT_FORWARD : CUFFT_INVERSE;
    return submit(stream, p, in, out, sign);
}

cufftResult
cufftExecC2C(cufftHandle plan, cufftComplex *idata, cufftComplex *odata,
             int direction)
{
    return execute(plan, FFT_COMPLEX, CUDA_C_32F, idata, odata, direction);
}

cufftResult
cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *idata,
             cufftDoubleComplex *odata, int direction)
{
    return execute(plan, FFT_COMPLEX, CUDA_C_64F, idata, odata, direction);
}

cufftResult
cufftExecR2C(cufftHandle plan, cufftReal *idata, cufftComplex *odata)
{
    return execute(plan, FFT_FROM_REAL, CUDA_R_32F, idata, odata,
                   CUFFT_FORWARD);
}

cufftResult
cufftExecD2Z(cufftHandle plan, cufftDoubleReal *idata,
             cufftDoubleComplex *odata)
{
    return execute(plan, FFT_FROM_REAL, CUDA_R_64F, idata, odata,
                   CUFFT_FORWARD);
}

cufftResult
cufftExecC2R(cufftHandle plan, cufftComplex *idata, cufftReal *odata)
{
    return execute(plan, FFT_TO_REAL, CUDA_C_32F, idata, odata, CUFFT_INVERSE);
}

cufftResult
cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *idata,
             cufftDoubleReal *odata)
{
    return execute(plan, FFT_TO_REAL, CUDA_C_64F, idata, odata, CUFFT_INVERSE);
}

cufftResult
cufftXtExec(cufftHandle plan, void *input, void *output, int direction)
{
    return execute(plan, 0, -1, input, output, direction);
}
