/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_1.cu - a kernel with two faults, or none any more: each element of the
 * result is the sum of an element and its two neighbours. The result may be
 * right by luck; `softwarp check` does not need luck.
 */
#include "debug.h"

__global__ void smooth(int *out, const int *in, int n)
{
    __shared__ int part[THREADS + 2]; /* with a neighbour on either side */
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    part[t + 1] = in[i]; /* GAP 1: is there such an element? */
    if (t == 0)
        part[0] = i > 0 ? in[i - 1] : 0;
    if (t == THREADS - 1)
        part[THREADS + 1] = i + 1 < n ? in[i + 1] : 0;
    /* GAP 2: others have written what is read below */
    if (i < n)
        out[i] = part[t] + part[t + 1] + part[t + 2];
}
