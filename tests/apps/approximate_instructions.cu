/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approximate_instructions.cu - the approximate f32 instructions on all operands
 * of some binades, compiled, against the digests that an H200 gave
 * (tests/data/h200_approx.csv). With the argument `all` on all 2^32 operands:
 * some seconds an instruction and core. Run in the root of the source.
 */
// env: SOFTWARP_ENGINE=jit
// expect: EXACT tanh.approx.f32: 0 binades differ
// expect: EXACT 15 instructions, 0 differ
#include <cstdint>
#include <cstdio>
#include <cstring>

enum { BINADES = 512, STRIDE = 61 };

__device__ uint64_t
mix(uint64_t z)
{
    z += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

template <typename T>
__global__ void
digest(unsigned long long *out, unsigned first, unsigned stride)
{
    unsigned binade = first + blockIdx.y * stride;
    unsigned long long sum = 0;
    for (unsigned m = blockIdx.x * blockDim.x + threadIdx.x; m < 1u << 23;
         m += gridDim.x * blockDim.x) {
        unsigned x = binade << 23 | m;
        float r = T::compute(__uint_as_float(x));
        sum += mix((uint64_t)x << 32 | __float_as_uint(r));
    }
    atomicAdd(out + binade, sum);
}

#define INSTRUCTION(id, text)                                                  \
    struct id {                                                                \
        static __device__ float compute(float x)                               \
        {                                                                      \
            float r;                                                           \
            asm volatile(text " %0, %1;" : "=f"(r) : "f"(x));                  \
            return r;                                                          \
        }                                                                      \
        static const char *name()                                              \
        {                                                                      \
            return text;                                                       \
        }                                                                      \
    }
INSTRUCTION(rcp_ftz, "rcp.approx.ftz.f32");
INSTRUCTION(rsqrt_ftz, "rsqrt.approx.ftz.f32");
INSTRUCTION(sqrt_ftz, "sqrt.approx.ftz.f32");
INSTRUCTION(lg2_ftz, "lg2.approx.ftz.f32");
INSTRUCTION(ex2_ftz, "ex2.approx.ftz.f32");
INSTRUCTION(sin_ftz, "sin.approx.ftz.f32");
INSTRUCTION(cos_ftz, "cos.approx.ftz.f32");
INSTRUCTION(tanh_all, "tanh.approx.f32");
INSTRUCTION(rcp_all, "rcp.approx.f32");
INSTRUCTION(rsqrt_all, "rsqrt.approx.f32");
INSTRUCTION(sqrt_all, "sqrt.approx.f32");
INSTRUCTION(lg2_all, "lg2.approx.f32");
INSTRUCTION(ex2_all, "ex2.approx.f32");
INSTRUCTION(sin_all, "sin.approx.f32");
INSTRUCTION(cos_all, "cos.approx.f32");

/* False: not all binades are in the file. */
static bool
read_digests(const char *name, unsigned long long want[BINADES])
{
    char line[128], op[64];
    unsigned sign, exponent, found = 0;
    unsigned long long value;
    FILE *f = fopen("tests/data/h200_approx.csv", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%63[^,],%u,%u,%llx", op, &sign, &exponent, &value) ==
                4 &&
            !strcmp(op, name) && sign < 2 && exponent < 256) {
            want[sign * 256 + exponent] = value;
            found++;
        }
    if (f)
        fclose(f);
    return found == BINADES;
}

static unsigned instructions, wrong;

template <typename T>
static void
check(bool all)
{
    static unsigned long long want[BINADES], got[BINADES];
    unsigned first = all ? 0 : instructions, stride = all ? 1 : STRIDE;
    unsigned count = (BINADES - first + stride - 1) / stride, differ = 0;
    unsigned long long *sums;
    bool ok = read_digests(T::name(), want) &&
              !cudaMalloc(&sums, sizeof got) &&
              !cudaMemset(sums, 0, sizeof got);
    if (ok)
        digest<T><<<dim3(16, count), 256>>>(sums, first, stride);
    ok = ok && !cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost);
    for (unsigned b = first; b < BINADES; b += stride)
        differ += !ok || got[b] != want[b];
    printf("%s: %u binades differ\n", T::name(), differ);
    instructions++;
    wrong += differ != 0;
}

int
main(int argc, char **argv)
{
    bool all = argc > 1 && !strcmp(argv[1], "all");
    check<rcp_ftz>(all);
    check<rsqrt_ftz>(all);
    check<sqrt_ftz>(all);
    check<lg2_ftz>(all);
    check<ex2_ftz>(all);
    check<sin_ftz>(all);
    check<cos_ftz>(all);
    check<tanh_all>(all);
    check<rcp_all>(all);
    check<rsqrt_all>(all);
    check<sqrt_all>(all);
    check<lg2_all>(all);
    check<ex2_all>(all);
    check<sin_all>(all);
    check<cos_all>(all);
    printf("%u instructions, %u differ\n", instructions, wrong);
    return wrong != 0;
}
