# SPDX-License-Identifier: Apache-2.0
"""A sum of vectors and a reduction with shared memory; the last line says
whether both are right."""
import numpy as np
from numba import cuda, float32


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def block_sums(a, sums):
    part = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    part[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    step = 64
    while step:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


n = 1024
a = np.arange(n, dtype=np.float32)
c = np.zeros_like(a)
add[n // 128, 128](a, 2 * a, c)
sums = np.zeros(n // 128, dtype=np.float32)
block_sums[n // 128, 128](a, sums)
print(cuda.get_current_device().name)
print("right" if (c == 3 * a).all() and sums.sum() == n * (n - 1) / 2
      else "wrong")
