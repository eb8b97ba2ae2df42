# SPDX-License-Identifier: Apache-2.0
"""Arrays, an element-wise kernel, a reduction and a kernel from source; the
last line says whether all are right."""
import cupy
import numpy

x = cupy.arange(1000, dtype=cupy.float32)
squares = cupy.ElementwiseKernel("float32 a, float32 b", "float32 c",
                                 "c = (a - b) * (a - b)", "squares")
raw = cupy.RawKernel(r"""
extern "C" __global__ void twice(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= 2;
}
""", "twice")
y = x.copy()
raw((8,), (128,), (y, numpy.int32(1000)))
host = numpy.arange(1000, dtype=numpy.float32)
good = (cupy.asnumpy(x + 1) == host + 1).all()
good &= (cupy.asnumpy(squares(x, cupy.float32(3))) == (host - 3) ** 2).all()
good &= float(x.sum()) == host.sum()
good &= (cupy.asnumpy(y) == 2 * host).all()
print("right" if good else "wrong")
