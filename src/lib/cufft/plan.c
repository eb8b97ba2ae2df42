/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - see fft.h: handles and plans of cuFFT. */
#include <pthread.h>
#include <string.h>

#include "lib/common/lib.h"
#include "lib/cufft/fft.h"

/* A handle: created first, made a plan later. */
typedef struct {
    bool is_used;
    fft_plan *plan; /* or NULL */
    CUstream stream;
} slot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sw_vec slots; /* slot; a handle is its index plus one */
static bool has_slots;

static slot *
slot_locked(cufftHandle handle)
{
    slot *s = has_slots && handle > 0 && (size_t)handle <= slots.count
                  ? sw_vec_at(&slots, (size_t)handle - 1)
                  : NULL;
    return s && s->is_used ? s : NULL;
}

void
fft_plan_unref(fft_plan *p)
{
    if (!p || __atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL))
        return;
    for (int d = 0; d < p->rank; d++)
        fft_length_destroy(p->lengths[d]);
    sw_free(p);
}

fft_plan *
fft_plan_of(cufftHandle handle, CUstream *stream)
{
    pthread_mutex_lock(&lock);
    const slot *s = slot_locked(handle);
    fft_plan *p = s ? s->plan : NULL;
    if (p) {
        __atomic_add_fetch(&p->refs, 1, __ATOMIC_RELAXED);
        *stream = s->stream;
    }
    pthread_mutex_unlock(&lock);
    return p;
}

/* ---- handles ---- */

cufftResult
cufftCreate(cufftHandle *handle)
{
    REQUIRE(handle, CUFFT_INVALID_VALUE);
    REQUIRE(sw_lib_enter() == CUDA_SUCCESS, CUFFT_SETUP_FAILED);
    pthread_mutex_lock(&lock);
    if (!has_slots)
        sw_vec_init(&slots, sizeof(slot));
    has_slots = true;
    size_t i = 0;
    while (i < slots.count && ((slot *)sw_vec_at(&slots, i))->is_used)
        i++;
    slot *s = i < slots.count ? sw_vec_at(&slots, i) : sw_vec_push(&slots);
    *s = (slot){.is_used = true};
    *handle = (cufftHandle)i + 1;
    pthread_mutex_unlock(&lock);
    return CUFFT_SUCCESS;
}

cufftResult
cufftDestroy(cufftHandle handle)
{
    pthread_mutex_lock(&lock);
    slot *s = slot_locked(handle);
    fft_plan *p = s ? s->plan : NULL;
    if (s)
        *s = (slot){.is_used = false};
    pthread_mutex_unlock(&lock);
    fft_plan_unref(p);
    return s ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult
cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    slot *s = slot_locked(handle);
    if (s)
        s->stream = (CUstream)stream;
    pthread_mutex_unlock(&lock);
    return s ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

/* ---- plans ---- */

/* What a program says of one side; embed NULL: it lies densely. */
typedef struct {
    const long long *embed;
    long long stride, dist;
    cudaDataType_t type;
} layout;

/* The steps of a side whose rows have `row` numbers where it is dense. */
static void
set_side(const fft_plan *p, fft_side *side, const layout *l, int64_t row)
{
    int64_t size = l->embed ? l->stride : 1;
    side->type = l->type;
    for (int d = p->rank - 1; d >= 0; d--) {
        side->steps[d] = size;
        size *= l->embed ? l->embed[d] : d == p->rank - 1 ? row : p->n[d];
    }
    side->item = l->embed ? l->dist : size;
}

/* Which transform two types mean. */
static bool
form_of(cudaDataType_t in, cudaDataType_t out, cudaDataType_t how, fft_plan *p)
{
    bool from = sw_lib_element_is_complex(in);
    bool to = sw_lib_element_is_complex(out);
    if (!sw_lib_element_bytes(in) || !sw_lib_element_bytes(out) ||
        (!from && !to))
        return false;
    p->form = !from ? FFT_FROM_REAL : !to ? FFT_TO_REAL : FFT_COMPLEX;
    p->is_double = how == CUDA_C_64F || how == CUDA_R_64F;
    size_t part = sw_lib_element_bytes(in) / (from ? 2 : 1);
    return part == sw_lib_element_bytes(out) / (to ? 2 : 1) &&
           p->is_double == (part == sizeof(double)) && part >= 2 &&
           in != CUDA_R_32I && out != CUDA_R_32I;
}

static cufftResult
make(cufftHandle handle, int rank, const long long *n, const layout *in,
     const layout *out, long long batch, cudaDataType_t how, size_t *work)
{
    fft_plan *p = NULL, *old;
    cufftResult status = CUFFT_INVALID_SIZE;
    fft_plan shape = {.refs = 1, .rank = rank, .batch = batch};
    REQUIRE(rank >= 1 && rank <= FFT_MOST_RANK && n, CUFFT_INVALID_VALUE);
    REQUIRE(form_of(in->type, out->type, how, &shape), CUFFT_INVALID_TYPE);
    for (int d = 0; d < rank; d++) {
        REQUIRE(n[d] > 0, CUFFT_INVALID_SIZE);
        shape.n[d] = n[d];
    }
    REQUIRE(batch > 0, CUFFT_INVALID_SIZE);
    int64_t whole = n[rank - 1], half = whole / 2 + 1;
    set_side(&shape, &shape.in, in, shape.form == FFT_TO_REAL ? half : whole);
    set_side(&shape, &shape.out, out,
             shape.form == FFT_FROM_REAL ? half : whole);
    pthread_mutex_lock(&lock);
    slot *s = slot_locked(handle);
    status = !s        ? CUFFT_INVALID_PLAN
             : s->plan ? CUFFT_INVALID_PLAN
                       : CUFFT_SUCCESS;
    pthread_mutex_unlock(&lock);
    REQUIRE(status == CUFFT_SUCCESS, status);
    p = sw_alloc(sizeof *p);
    *p = shape;
    for (int d = 0; d < rank; d++)
        p->lengths[d] = fft_length_create((size_t)p->n[d], p->is_double);
    pthread_mutex_lock(&lock);
    s = slot_locked(handle);
    old = s ? s->plan : p;
    if (s)
        s->plan = p;
    pthread_mutex_unlock(&lock);
    fft_plan_unref(old);
    if (work)
        *work = 0; /* what a transform needs it allocates itself */
    return CUFFT_SUCCESS;
}

/* The types of both sides and of the computation. */
static bool
types_of(cufftType type, layout *in, layout *out, cudaDataType_t *how)
{
    static const struct {
        cufftType type;
        cudaDataType_t in, out, how;
    } rows[] = {
        {CUFFT_C2C, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
        {CUFFT_R2C, CUDA_R_32F, CUDA_C_32F, CUDA_C_32F},
        {CUFFT_C2R, CUDA_C_32F, CUDA_R_32F, CUDA_C_32F},
        {CUFFT_Z2Z, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
        {CUFFT_D2Z, CUDA_R_64F, CUDA_C_64F, CUDA_C_64F},
        {CUFFT_Z2D, CUDA_C_64F, CUDA_R_64F, CUDA_C_64F},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type) {
            in->type = rows[i].in;
            out->type = rows[i].out;
            *how = rows[i].how;
            return true;
        }
    return false;
}

cufftResult
cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n,
                    long long int *inembed, long long int istride,
                    long long int idist, cudaDataType inputtype,
                    long long int *onembed, long long int ostride,
                    long long int odist, cudaDataType outputtype,
                    long long int batch, size_t *workSize,
                    cudaDataType executiontype)
{
    layout in = {inembed, istride, idist, inputtype};
    layout out = {onembed, ostride, odist, outputtype};
    return make(plan, rank, n, &in, &out, batch, executiontype, workSize);
}

cufftResult
cufftMakePlanMany64(cufftHandle plan, int rank, long long int *n,
                    long long int *inembed, long long int istride,
                    long long int idist, long long int *onembed,
                    long long int ostride, long long int odist, cufftType type,
                    long long int batch, size_t *workSize)
{
    layout in = {inembed, istride, idist, CUDA_C_32F};
    layout out = {onembed, ostride, odist, CUDA_C_32F};
    cudaDataType_t how;
    REQUIRE(types_of(type, &in, &out, &how), CUFFT_INVALID_TYPE);
    return make(plan, rank, n, &in, &out, batch, how, workSize);
}

static void
widen(const int *from, int rank, long long *to)
{
    for (int d = 0; from && d < rank && d < FFT_MOST_RANK; d++)
        to[d] = from[d];
}

cufftResult
cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride,
                  int idist, int *onembed, int ostride, int odist,
                  cufftType type, int batch, size_t *workSize)
{
    long long size[FFT_MOST_RANK], in[FFT_MOST_RANK], out[FFT_MOST_RANK];
    widen(n, rank, size);
    widen(inembed, rank, in);
    widen(onembed, rank, out);
    /* Both or none, as the real one. */
    bool embeds = inembed && onembed;
    return cufftMakePlanMany64(plan, rank, n ? size : NULL, embeds ? in : NULL,
                               istride, idist, embeds ? out : NULL, ostride,
                               odist, type, batch, workSize);
}

cufftResult
cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch,
                size_t *workSize)
{
    return cufftMakePlanMany(plan, 1, &nx, NULL, 1, 0, NULL, 1, 0, type, batch,
                             workSize);
}

cufftResult
cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type,
                size_t *workSize)
{
    return cufftMakePlanMany(plan, 2, (int[]){nx, ny}, NULL, 1, 0, NULL, 1, 0,
                             type, 1, workSize);
}

cufftResult
cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type,
                size_t *workSize)
{
    return cufftMakePlanMany(plan, 3, (int[]){nx, ny, nz}, NULL, 1, 0, NULL, 1,
                             0, type, 1, workSize);
}

cufftResult
cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride,
              int idist, int *onembed, int ostride, int odist, cufftType type,
              int batch)
{
    cufftResult status = cufftCreate(plan);
    if (status != CUFFT_SUCCESS)
        return status;
    status = cufftMakePlanMany(*plan, rank, n, inembed, istride, idist, onembed,
                               ostride, odist, type, batch, NULL);
    if (status != CUFFT_SUCCESS)
        cufftDestroy(*plan);
    return status;
}

cufftResult
cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch)
{
    return cufftPlanMany(plan, 1, &nx, NULL, 1, 0, NULL, 1, 0, type, batch);
}

cufftResult
cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type)
{
    return cufftPlanMany(plan, 2, (int[]){nx, ny}, NULL, 1, 0, NULL, 1, 0, type,
                         1);
}

cufftResult
cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type)
{
    return cufftPlanMany(plan, 3, (int[]){nx, ny, nz}, NULL, 1, 0, NULL, 1, 0,
                         type, 1);
}

/* ---- work spaces, of which none is needed ---- */

static cufftResult
no_space(size_t *bytes)
{
    REQUIRE(bytes, CUFFT_INVALID_VALUE);
    *bytes = 0;
    return CUFFT_SUCCESS;
}

static cufftResult
is_handle(cufftHandle handle)
{
    pthread_mutex_lock(&lock);
    bool is_one = slot_locked(handle) != NULL;
    pthread_mutex_unlock(&lock);
    return is_one ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult
cufftEstimate1d(int nx, cufftType type, int batch, size_t *workSize)
{
    (void)type;
    REQUIRE(nx > 0 && batch > 0, CUFFT_INVALID_SIZE);
    return no_space(workSize);
}

cufftResult
cufftEstimate2d(int nx, int ny, cufftType type, size_t *workSize)
{
    (void)type;
    REQUIRE(nx > 0 && ny > 0, CUFFT_INVALID_SIZE);
    return no_space(workSize);
}

cufftResult
cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *workSize)
{
    (void)type;
    REQUIRE(nx > 0 && ny > 0 && nz > 0, CUFFT_INVALID_SIZE);
    return no_space(workSize);
}

cufftResult
cufftGetSize(cufftHandle handle, size_t *workSize)
{
    cufftResult status = is_handle(handle);
    return status == CUFFT_SUCCESS ? no_space(workSize) : status;
}

cufftResult
cufftSetWorkArea(cufftHandle plan, void *workArea)
{
    (void)workArea;
    return is_handle(plan);
}

cufftResult
cufftSetAutoAllocation(cufftHandle plan, int autoAllocate)
{
    (void)autoAllocate;
    return is_handle(plan);
}

/* ---- versions ---- */

cufftResult
cufftGetVersion(int *version)
{
    REQUIRE(version, CUFFT_INVALID_VALUE);
    *version = sw_lib_cuda == 11   ? 10900
               : sw_lib_cuda == 12 ? 11401
                                   : CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

cufftResult
cufftGetProperty(libraryPropertyType type, int *value)
{
    int version;
    REQUIRE(value && (unsigned)type <= PATCH_LEVEL, CUFFT_INVALID_VALUE);
    cufftGetVersion(&version);
    *value = type == MAJOR_VERSION   ? version / 1000
             : type == MINOR_VERSION ? version / 100 % 10
                                     : version % 100;
    return CUFFT_SUCCESS;
}
