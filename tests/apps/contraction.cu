/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT products: 0 wrong
// expect: EXACT a loop's variables: 0 wrong
/* Which products are folded into sums and differences: those that nvcc and the
 * device's assembler fold, against the host's fmaf. */
#include <cmath>
#include <cstdio>

enum { N = 1024, RESULTS = 10 };

__global__ void
work(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[4 * i], y = in[4 * i + 1], z = in[4 * i + 2];
    float w = in[4 * i + 3], *r = out + RESULTS * i;
    float both = x * w, kept = y * w, a = x * x, b = w * w;
    float r8 = a + b, r9 = a - b;
    r[0] = x * y + z;
    r[1] = y * z - x;
    r[2] = y - x * z;
    r[3] = y * y * y + z * w;
    r[4] = both + y;
    r[5] = both - z;
    r[6] = kept;
    r[7] = kept + z;
    r[8] = r8;
    r[9] = r9;
}

/* x is first for being declared first, y for being written first. */
__global__ void
orbit(const float *in, float *out, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float h = in[4 * i] * 0.25f, x = in[4 * i + 1], y = in[4 * i + 2];
    for (int k = 0; k < steps; k++) {
        float d = x * x + y * y;
        y = d * h - y;
        x = d * h - x;
    }
    out[2 * i] = x;
    out[2 * i + 1] = y;
}

static void
expect_orbit(const float *in, float *r, int steps)
{
    volatile float h = in[0] * 0.25f, x = in[1], y = in[2];
    for (int k = 0; k < steps; k++) {
        volatile float yy = y * y;
        float d = fmaf(x, x, yy);
        y = fmaf(d, h, -y);
        x = fmaf(d, h, -x);
    }
    r[0] = x;
    r[1] = y;
}

static void
expect(const float *in, float *r)
{
    volatile float x = in[0], y = in[1], z = in[2], w = in[3];
    volatile float zw = z * w, yw = y * w, ww = w * w, yy = y * y;
    r[0] = fmaf(x, y, z);
    r[1] = fmaf(y, z, -x);
    r[2] = fmaf(-x, z, y);
    r[3] = fmaf(yy, y, zw); /* the first of two */
    r[4] = fmaf(x, w, y);
    r[5] = fmaf(x, w, -z);
    r[6] = yw;
    r[7] = yw + z; /* there anyway: not folded */
    r[8] = fmaf(x, x, ww);
    r[9] = fmaf(x, x, -ww);
}

int
main()
{
    static float in[4 * N], out[RESULTS * N];
    unsigned s = 1;
    for (float &v : in) {
        s = s * 1664525u + 1013904223u;
        v = (float)(s >> 8) / (1 << 24) + 0.5f;
    }
    float *device_in, *device_out;
    cudaMalloc(&device_in, sizeof in);
    cudaMalloc(&device_out, sizeof out);
    cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
    work<<<N / 64, 64>>>(device_in, device_out);
    cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        float want[RESULTS];
        expect(in + 4 * i, want);
        for (int k = 0; k < RESULTS; k++)
            wrong += out[RESULTS * i + k] != want[k];
    }
    printf("products: %d wrong\n", wrong);

    enum { STEPS = 8 };
    orbit<<<N / 64, 64>>>(device_in, device_out, STEPS);
    cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
    int orbits = 0;
    for (int i = 0; i < N; i++) {
        float want[2];
        expect_orbit(in + 4 * i, want, STEPS);
        orbits += out[2 * i] != want[0] || out[2 * i + 1] != want[1];
    }
    printf("a loop's variables: %d wrong\n", orbits);
    return wrong != 0 || orbits != 0;
}
