/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O2
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0 SOFTWARP_LOG=debug
// expect: EXACT nearest: 0 wrong
// expect: EXACT in groups of groups: 0 wrong
// expect: ERROR compiled .*nearest.*: [0-9]{3} instructions
// expect: ABSENT nearest.*goes on in the interpreter
/* An object may be a group of such objects, whose function then calls itself,
 * by address: it is spelled out once. Its loop waits for nobody, though a call
 * is left in it, and lanes that leave it early do not matter. */
#include <cstdio>
#include <cuda_runtime.h>

enum { OBJECTS = 200, THREADS = 256, ROUNDS = 400 };

struct object {
    __device__ virtual bool is_nearer(float x, float y, float *best) const = 0;
};

struct point : object {
    float x, y;
    __device__ point(float x, float y) : x(x), y(y)
    {
    }
    __device__ bool is_nearer(float px, float py, float *best) const override
    {
        float d = (x - px) * (x - px) + (y - py) * (y - py);
        if (d >= *best)
            return false;
        *best = d;
        return true;
    }
};

struct group : object {
    object **objects;
    int count;
    __device__ group(object **objects, int count)
        : objects(objects), count(count)
    {
    }
    __device__ bool is_nearer(float x, float y, float *best) const override
    {
        bool any = false;
        for (int i = 0; i<count && * best> 0.5f; i++)
            any |= objects[i]->is_nearer(x, y, best);
        return any;
    }
};

__global__ void
make(object **objects, object **groups, object **all)
{
    for (int i = 0; i < OBJECTS; i++)
        objects[i] = new point(i % 14, i / 14);
    groups[0] = new group(objects, OBJECTS / 2);
    groups[1] = new group(objects + OBJECTS / 2, OBJECTS - OBJECTS / 2);
    all[0] = new group(objects, OBJECTS);
    all[1] = new group(groups, 2);
}

__global__ void
nearest(object **all, int which, int rounds, float *out)
{
    int t = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < rounds; i++) {
        float best = 1e30f;
        all[which]->is_nearer((t + i) % 16, t / 16 - 0.75f, &best);
        sum += best;
    }
    out[t] = sum;
}

static float
expected(int t, int rounds)
{
    float sum = 0;
    for (int i = 0; i < rounds; i++) {
        float best = 1e30f, px = (t + i) % 16, py = t / 16 - 0.75f;
        for (int k = 0; k < OBJECTS && best > 0.5f; k++) {
            float x = k % 14 - px, y = k / 14 - py;
            best = x * x + y * y < best ? x * x + y * y : best;
        }
        sum += best;
    }
    return sum;
}

static void
check(const char *what, object **all, int which, int rounds, float *out)
{
    int wrong = 0;
    nearest<<<1, THREADS>>>(all, which, rounds, out);
    cudaDeviceSynchronize();
    for (int t = 0; t < THREADS; t++) {
        float d = out[t] - expected(t, rounds);
        wrong += !(d <= out[t] * 1e-5f && -d <= out[t] * 1e-5f);
    }
    printf("%s: %d wrong\n", what, wrong);
}

int
main()
{
    object **objects;
    float *out;
    cudaMalloc(&objects, (OBJECTS + 4) * sizeof *objects);
    cudaMallocManaged(&out, THREADS * sizeof *out);
    make<<<1, 1>>>(objects, objects + OBJECTS, objects + OBJECTS + 2);
    check("nearest", objects + OBJECTS + 2, 0, ROUNDS, out);
    check("in groups of groups", objects + OBJECTS + 2, 1, 2, out);
    return 0;
}
